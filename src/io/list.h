/* Lists inside: what list.c makes and list_find.c looks up. */
#ifndef MG_IO_LIST_H
#define MG_IO_LIST_H

#include "io/io.h"

typedef struct mg_list_row {
    uint64_t line;
    uint64_t text;  /* all of it, in list->text */
    uint64_t first; /* of its fields, in list->fields */
    uint32_t count;
} mg_list_row;

struct meguri_list {
    char *name;
    meguri_list_kind kind;
    char separator;
    bool objects;    /* lines of JSON, of which nothing is taken apart */
    bool has_header; /* the first row */
    mg_text text;
    uint64_t *fields; /* places in the text */
    uint64_t field_count, field_room;
    mg_list_row *rows;
    uint64_t count, room;
};

struct mg_input;
/* A list out of an input that was opened. */
meguri_status mg_list_read_input(meguri_list **out, struct mg_input *input, meguri_list_kind kind);

static inline const char *mg_list_text(const meguri_list *list, uint64_t place) { return list->text.data + place; }
/* A field of a row, of which the header is one. */
static inline const char *mg_list_field(const meguri_list *list, const mg_list_row *row, uint32_t column) {
    return mg_list_text(list, list->fields[row->first + column]);
}

#endif
