/* What formats of comma-separated records share (csv.c): a header that names columns, records of as many fields, ids,
 * weights and values of edges out of them. How a header names its columns is known to the formats (format_csv.c,
 * neo4j_header.c). */
#ifndef MG_IO_CSV_H
#define MG_IO_CSV_H

#include "io/read.h"

#define MG_NO_COLUMN  UINT32_MAX
#define MG_TWO_COLUMN (UINT32_MAX - 1) /* two have the name */

enum {
    MG_LONGEST_SPACE = 200,
    MG_CSV_MORE_WANTED = 16 /* fields that are wanted beside columns of edges: types, or what nodes have */
};

/* Where the columns are that edges are to have. */
typedef struct mg_csv_room {
    struct mg_csv_value {
        unsigned at;  /* MG_NO_COLUMN, MG_TWO_COLUMN */
        uint8_t fits; /* how well the name there fits */
    } * value;        /* of each column of the edges */
    struct mg_csv_wanted {
        unsigned at;
        uint32_t column;
    } * wanted; /* the same, from left to right */
} mg_csv_room;

typedef struct mg_csv {
    char separator;
    bool quotes;     /* fields may be quoted */
    bool short_rows; /* records may have fewer fields, of which those at the end are empty */
    bool headless;   /* there is no header; lines that are comments are skipped */
    unsigned columns;
    unsigned source, target, weight; /* columns, from 0; MG_NO_COLUMN */
    bool weighted;                   /* the weights are stored */
    unsigned direction;              /* Gephi's column of directions, all of which are `all`; MG_NO_COLUMN */
    meguri_direction all;
    /* What stands before the ids of either end, and a colon between; empty: nothing. Only where ids are strings. */
    char spaces[2][MG_LONGEST_SPACE + 1];
    mg_csv_room columns_of_edges;
    uint32_t wanted_count;
} mg_csv;

/* Room for the columns of a reader, which lives as long as the reader. */
meguri_status mg_csv_make_room(mg_csv_room *out, mg_reader *reader);
/* A table without columns. `room` may be NULL where none are looked for. */
void mg_csv_start(mg_csv *table, const mg_csv_room *room);
/* The field at *p, as mg_take_field. */
bool mg_csv_field(const mg_csv *table, const char **p, const char *end, mg_field *field);
/* The first line that is neither blank nor a comment, whose bytes are ours to change; refuses where there is none. */
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
extern const char *const mg_csv_weight_names[], *const mg_csv_source_names[], *const mg_csv_target_names[];
/* Two columns with the same name are an error; of two that could be meant, the one taken is named. `option` is what
 * settles it; NULL: names alone do. */
meguri_status mg_csv_settle(mg_input *input, const mg_csv_found *found, unsigned column, const char *what,
                            const char *option);

/* What ends the name of a column of the edges that is nothing else, whatever it is called: cost:column is no weight. */
#define MG_CSV_COLUMN ":column"
bool mg_csv_is_only_column(const mg_field *name);
/* What a field of a header is: a name that may have colons, NAME:TYPE, or a sign of a format, such as :START_ID. */
typedef enum mg_csv_title { MG_CSV_NAME, MG_CSV_NAME_AND_TYPE, MG_CSV_SIGN } mg_csv_title;
/* Notes the columns of the reader that have the name of a field, without what follows a colon there, if need be. */
void mg_csv_look_for(mg_csv *table, const mg_reader *reader, unsigned column, const mg_field *field,
                     mg_csv_title title);
/* That the columns which the edges are to have are there, each once; `names` of the header are for suggestions. */
meguri_status mg_csv_settle_columns(mg_input *input, const mg_reader *reader, mg_csv *table, const mg_field *names,
                                    unsigned name_count);
/* "; did you mean 'weight'?" of the names of a header; 0, and a full stop: none is like the one that was given. */
size_t mg_csv_suggest(char out[MG_SIMILAR_TEXT], const char *given, const mg_field *names, unsigned name_count);
/* One more field is wanted: as that of a column, or whatever its reader calls by that number. */
void mg_csv_want(mg_csv *table, unsigned at, uint32_t column);
/* Sorts what is wanted from left to right. */
void mg_csv_sort_wanted(mg_csv *table);

/* ---- a look at the first records (csv_look.c) ------------------------------------------------------------------- */

enum { MG_MOST_LOOKED = 1 << 16 }; /* columns */

/* What a column holds behind the first record. */
typedef struct mg_csv_seen {
    uint32_t integers, numbers, words, missing;
    meguri_direction direction; /* the first of Gephi's directions, if all words are such */
} mg_csv_seen;

typedef struct mg_csv_look {
    char *copy;
    char separator;
    bool quotes;
    bool broken;        /* the first record has quotes in wrong places */
    bool spans;         /* a record goes over several lines */
    unsigned columns;   /* of the first record */
    unsigned room;      /* of these, how many are looked at */
    mg_field *first;    /* its fields */
    size_t first_bytes; /* that it takes, in the input */
    uint64_t rows;      /* records behind it with as many columns */
    bool again;         /* one of its first two fields is an id of another record */
    mg_csv_seen *seen;
} mg_csv_look;
/* At the record that begins `start` bytes into the head of the input, with a line of so many bytes. */
meguri_status mg_csv_look_at(mg_csv_look *look, const mg_reader *reader, mg_input *input, size_t start,
                             size_t line_bytes, char separator);
void mg_csv_look_free(mg_csv_look *look);
/* The first record is data, too. */
void mg_csv_see_first(mg_csv_look *look, const mg_reader *reader);
/* Whether a column holds numbers, and nothing else but missing values. */
bool mg_csv_is_numeric(const mg_csv_look *look, unsigned column);
/* Whether more of its values are numbers than words: of weights some may be wrong. */
bool mg_csv_has_numbers(const mg_csv_look *look, unsigned column);
/* Gephi's Directed and Undirected; DEFAULT for other words. */
meguri_direction mg_csv_direction(const mg_field *field);

typedef enum mg_csv_decision {
    MG_CSV_DATA,
    MG_CSV_UNSURE,      /* data, but it could be a header */
    MG_CSV_SHORT_NAMES, /* a header, but its names are so short that they could be ids */
    MG_CSV_HEADER
} mg_csv_decision;
/* What the first record is, by the options or by what is in it. */
mg_csv_decision mg_csv_has_header(const mg_csv_look *look, const mg_reader *reader);
/* Warns where the decision is a guess; not of .el and .wel, which have no headers. */
void mg_csv_tell_header(const mg_csv_look *look, mg_csv_decision decision, const mg_reader *reader, const char *name,
                        uint64_t line);
/* What parts the columns: that of the options, or what the line has. */
char mg_csv_separator(const mg_reader *reader, const char *line, const char *end);

/* ---- which column is what (csv_columns.c) ----------------------------------------------------------------------- */

/* By the options, else by the names of the header, else by place and content. */
meguri_status mg_csv_choose(mg_csv *table, const mg_csv_look *look, const mg_reader *reader, mg_input *input);

/* ---- records ---------------------------------------------------------------------------------------------------- */

/* The fields of a record that matter. */
typedef struct mg_csv_record {
    mg_field source, target, weight, direction;
    mg_field *values; /* the caller's room: those that are wanted are set */
} mg_csv_record;
/* The record at *p, which moves behind it. */
meguri_status mg_csv_record_at(mg_pass *pass, const mg_chunk *chunk, const mg_csv *table, const char **p,
                               mg_csv_record *out);
/* Moves over an empty line, or a comment where these are skipped; false where there is a record. */
bool mg_csv_skip_empty(const mg_csv *table, const char **p, const char *end);
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
