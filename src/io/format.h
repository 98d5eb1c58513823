/* A row in the table of formats (formats.c): how a format is found, read and written. A format is one file, format_*.c,
 * which defines mg_format_NAME, and one row of MEGURI_FORMAT_LIST, which names it. */
#ifndef MG_IO_FORMAT_H
#define MG_IO_FORMAT_H

#include "io/read.h"
#include "io/write.h"

/* What an input is recognised by, in the order in which formats are asked; the edge list takes what nobody wants. */
typedef enum mg_clue {
    MG_CLUE_NONE,  /* it is never guessed */
    MG_CLUE_SIGN,  /* content that no other format has */
    MG_CLUE_NAME,  /* its suffix, where content cannot tell */
    MG_CLUE_SHAPE, /* content that an edge list could have, too */
    MG_CLUES
} mg_clue;

enum {
    MG_MOST_WRITERS = 3,
    MG_LONGER_BESIDE = 4 /* bytes that a name beside may have more than the one it is beside: .zst */
};

typedef struct mg_format {
    bool binary;        /* any bytes at all may be edges */
    bool names_columns; /* edges can have columns */
    bool declared;      /* a comment in the first line may say that it is this one (declared.c) */
    bool one_process;   /* cannot be cut into shares: only one process alone reads it */
    mg_clue clue;
    /* Names the format if the input has it, and leaves *out alone if not; NULL: the clue says all. */
    meguri_status (*detect)(meguri_format *out, const mg_reader *reader, mg_sample *sample);
    meguri_status (*read)(mg_reader *reader, mg_input *input);
    /* Whether there is a file beside this one that is read, too, and its name. NULL: there is never one. */
    bool (*find_beside)(char *name, const char *path);
    /* The first that has the suffix of the file's name writes it, else the first of all. */
    const mg_writer *writers[MG_MOST_WRITERS];
} mg_format;

/* NULL where there is no such format. */
const mg_format *mg_format_row(meguri_format format);

#define MG_FORMAT_DECLARE(constant, number, name, suffixes, text) extern const mg_format mg_format_##name;
MEGURI_FORMAT_LIST(MG_FORMAT_DECLARE)
#undef MG_FORMAT_DECLARE

/* The format of an input: by content, by the suffix of its name only where the content leaves two (detect.c). */
meguri_status mg_detect(meguri_format *out, const mg_reader *reader, mg_input *input);
/* The format that the first line names, if it is such a comment. */
meguri_format mg_declared_format(const mg_input *input);
/* Whether options of reading are for tables alone. */
bool mg_wants_table(const meguri_read_options *options);
/* By its byte order mark, or by a line that has a zero for every other byte. */
bool mg_is_utf16(const char *text, size_t bytes);
/* Refuses what is not read: .meg files, formats by their content and names, archives and other binary content
 * (foreign.c). `any_format`: the format is to be found, not told. */
meguri_status mg_refuse_foreign(mg_input *input, bool any_format);
/* Whether the content is one of those formats: what it is, and what to do about it. */
bool mg_find_foreign(const char **is, const char **remedy, const mg_input *input, bool any_format);

#endif
