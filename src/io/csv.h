/* What formats of comma-separated records share (csv.c): a header that names columns, records of as many fields, ids,
 * weights and values of edges out of them. How a header names its columns is known to the formats (format_csv.c,
 * neo4j_header.c). */
#ifndef MG_IO_CSV_H
#define MG_IO_CSV_H

#include "io/read.h"

#define MG_NO_COLUMN  UINT32_MAX
#define MG_TWO_COLUMN (UINT32_MAX - 1) /* two have the name */

enum { MG_LONGEST_SPACE = 200 };

typedef struct mg_csv {
    char separator;
    bool quotes;     /* fields may be quoted */
    bool short_rows; /* records may have fewer fields, of which those at the end are empty */
    unsigned columns;
    unsigned source, target, weight; /* columns, from 0; MG_NO_COLUMN */
    bool weighted;                   /* the weights are stored */
    /* What stands before the ids of either end, and a colon between; empty: nothing. Only where ids are strings. */
    char spaces[2][MG_LONGEST_SPACE + 1];
    unsigned value_at[MEGURI_MOST_COLUMNS]; /* where the columns of the edges are */
    struct mg_csv_wanted {
        unsigned at;
        uint32_t column;
    } wanted[MEGURI_MOST_COLUMNS]; /* the same, from left to right */
    uint32_t wanted_count;
} mg_csv;

/* A table without columns. */
void mg_csv_start(mg_csv *table);
/* The field at *p, as mg_take_field. */
bool mg_csv_field(const mg_csv *table, const char **p, const char *end, mg_field *field);
/* The first line that says something, whose bytes are ours to change; refuses where there is none. */
meguri_status mg_csv_header(mg_input *input, char **line, const char **end);

/* A column that was found by its name. */
typedef struct mg_csv_found {
    unsigned name;  /* its place in the list of names: lower ones are preferred */
    unsigned other; /* another column that has a name of the list; MG_NO_COLUMN */
    bool twice;     /* and it is the same name */
} mg_csv_found;
/* Letters and digits in lower case, without what follows a bracket or, as in "weight:double", a colon. */
void mg_csv_plain_name(const mg_field *field, char *out, size_t room);
/* The place of a name in a list; MG_NO_COLUMN if it is not there. */
unsigned mg_csv_find_name(const char *name, const char *const *names);
/* Takes a column whose name is in a list, unless an earlier one has a name that stands further in front: source and
 * target are the ends of an edge also where start and end are there, too. */
bool mg_csv_take_column(unsigned *column, mg_csv_found *found, unsigned number, const char *name,
                        const char *const *names);
extern const char *const mg_csv_weight_names[];
/* Two columns with the same name are an error; of two that could be meant, the one taken is named. */
meguri_status mg_csv_settle(mg_input *input, const mg_csv_found *found, unsigned column, const char *what);

/* A column of the edges has the name of a field, without regard to what follows a colon where the name has none. */
bool mg_csv_has_name(const mg_field *field, const char *name);
/* Notes the columns of the reader that have the name of a field. */
void mg_csv_look(mg_csv *table, const mg_reader *reader, unsigned column, const mg_field *field);
/* That the columns which the edges are to have are there, each once. */
meguri_status mg_csv_settle_columns(mg_input *input, const mg_reader *reader, mg_csv *table);
/* Sorts what is wanted from left to right. */
void mg_csv_sort_wanted(mg_csv *table);

/* The fields of a record that matter. */
typedef struct mg_csv_record {
    mg_field source, target, weight;
    mg_field values[MEGURI_MOST_COLUMNS]; /* of which those are set that are wanted */
} mg_csv_record;
/* The record at *p, which moves behind it. */
meguri_status mg_csv_record_at(mg_pass *pass, const mg_chunk *chunk, const mg_csv *table, const char **p,
                               mg_csv_record *out);
/* Moves over an empty line; false where there is a record. */
bool mg_csv_skip_empty(const char **p);
/* Whether a chunk has had negative ids, and such above 2^63-1. */
typedef struct mg_csv_signs {
    bool negative, huge;
} mg_csv_signs;
/* An integer id; tells the reader of signs that are new. */
meguri_status mg_csv_integer(mg_pass *pass, const mg_chunk *chunk, const mg_field *field, mg_csv_signs *signs,
                             uint64_t *id);
/* A string id, with its space before it; `scratch` is the thread's. */
meguri_status mg_csv_name(mg_pass *pass, const mg_chunk *chunk, mg_names *names, const char *space, mg_text *scratch,
                          const mg_field *field, uint32_t *number);

/* Looks at the ids of the first records, and settles their kind. */
meguri_status mg_csv_look_at_ids(mg_reader *reader, mg_input *input, const mg_csv *table);
/* All records as edges. */
meguri_status mg_csv_read_edges(mg_reader *reader, mg_input *input, mg_csv *table);
/* A pass over all records. */
meguri_status mg_csv_run(mg_pass *pass, const mg_csv *table);

#endif
