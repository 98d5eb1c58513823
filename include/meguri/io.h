/* Files: text and binary formats in and out, and the .meg file. */
#ifndef MEGURI_IO_H
#define MEGURI_IO_H

#include <meguri/columns.h>
#include <meguri/graph.h>
#include <meguri/sink.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The formats: X(CONSTANT, number, name in options, suffixes of its files, what it is). Numbers have no gaps; before
 * each suffix is a blank. */
#define MEGURI_FORMAT_LIST(X)                                                                                          \
    X(AUTO, 0, auto, "", "found from the content")                                                                     \
    X(EDGELIST, 1, el, " .el .wel", "edge list: two ids and an optional weight a line")                                \
    X(CSV, 2, csv, " .csv", "CSV with a header line that names the columns")                                           \
    X(MATRIX_MARKET, 3, mtx, " .mtx", "Matrix Market coordinate")                                                      \
    X(DIMACS, 4, gr, " .gr .co", "DIMACS shortest paths: p sp, a U V W")                                               \
    X(PACE, 5, pace, "", "PACE: p tw, U V")                                                                            \
    X(METIS, 6, metis, " .graph .metis", "METIS: a line of neighbours for each vertex")                                \
    X(ADJACENCY, 7, adj, " .adj", "adjacency list: V N1 N2 … a line; never guessed")                                   \
    X(LDBC, 8, ldbc, " .e", "LDBC Graphalytics: the .e file, with the .v beside it")                                   \
    X(BIN32, 9, bin32, " .bin32", "binary pairs of unsigned 32-bit ids; never guessed")                                \
    X(BIN48, 10, bin48, " .bin48", "binary edges as of Graph500, two 48-bit ids in 12 bytes; never guessed")           \
    X(BIN64, 11, bin64, " .bin64", "binary pairs of unsigned 64-bit ids; never guessed")                               \
    X(NEO4J, 12, neo4j, " relationships.csv", "CSV as Neo4j imports it: relationships.csv, with nodes.csv beside it")

typedef enum meguri_format {
#define MEGURI_FORMAT_ENUM(constant, number, name, suffixes, text) MEGURI_FORMAT_##constant = number,
    MEGURI_FORMAT_LIST(MEGURI_FORMAT_ENUM)
#undef MEGURI_FORMAT_ENUM
} meguri_format;

/* All suffixes in one string, a blank before each. */
#define MEGURI_FORMAT_SUFFIXES                                       MEGURI_FORMAT_LIST(MEGURI_FORMAT_SUFFIX)
#define MEGURI_FORMAT_SUFFIX(constant, number, name, suffixes, text) suffixes

const char *meguri_format_name(meguri_format format);
/* The format of that name (as in options); -1 where there is none. */
int meguri_format_from_name(const char *name);
/* The format whose files have the suffix of this path, capitals or not, with .gz, .zst or .xz behind it or without;
 * MEGURI_FORMAT_AUTO where there is none. Nothing is looked at but the path: reading by AUTO finds more. */
meguri_format meguri_format_of_path(const char *path);

typedef enum meguri_ids {
    MEGURI_IDS_AUTO = 0, /* integers if the first lines hold integers */
    MEGURI_IDS_INTEGER = 1,
    MEGURI_IDS_STRING = 2
} meguri_ids;

/* Whether the first line of a table (an edge list, CSV) names its columns. */
typedef enum meguri_header {
    MEGURI_HEADER_AUTO = 0, /* found from what is in it; a guess is told in a warning */
    MEGURI_HEADER_YES = 1,
    MEGURI_HEADER_NO = 2
} meguri_header;

typedef struct meguri_read_options {
    size_t size; /* sizeof(meguri_read_options) */
    meguri_format format;
    meguri_ids ids;
    const char *coordinates;           /* a DIMACS .co file, or NULL */
    const meguri_build_options *build; /* NULL: defaults */
    /* Columns that the edges are to have, by the names of the header: name, kind and type of each. A column of types
     * has type NONE; its values are names. Formats without names of columns refuse. */
    const meguri_column_data *columns;
    uint32_t column_count;
    /* Of tables; other formats refuse. */
    meguri_header header;
    /* Names of the header, or numbers from 1; NULL: found by usual names, or by their places. */
    const char *source_column, *target_column, *weight_column;
    char separator;         /* between columns, any ASCII character but letters, digits and quotes; 0: found */
    int use_default_weight; /* 1: edges without a weight, or with an empty one, have this */
    double default_weight;
    int skip_bad; /* 1: lines that are wrong are skipped; a warning counts them and shows the first three */
} meguri_read_options;
void meguri_read_options_init(meguri_read_options *options, size_t size);

/* Reads one or several files ("-" is standard input; gzip, zstd and xz are decompressed) into one graph.
 * Chunks are parsed in parallel; edges that exceed the memory budget go to a temporary file. With a layout plain files
 * are read in shares; what cannot be cut (compressed files, CSV, pipes), one process reads and deals out; no
 * coordinates then, and no METIS files on more than one process. */
meguri_status meguri_read(meguri_graph **out, meguri_ctx *ctx, const char *const *paths, size_t path_count,
                          const meguri_read_options *options);

/* The file that meguri_read finds by itself beside another and reads, too: as snprintf its name, cut to `room` bytes,
 * and the length of the whole name. 0: there is none. `format` is that of the options. */
size_t meguri_read_beside(char *out, size_t room, const char *path, meguri_format format);

typedef struct meguri_open_options {
    size_t size;                 /* sizeof(meguri_open_options) */
    const meguri_layout *layout; /* NULL: the whole graph, in this process. Otherwise each process reads and checks its
                                    share of the file, and the other options must have their defaults */
    int copy;                    /* 1: the file is read into memory, within the budget, and closed; 0: it is mapped */
    /* Or the bytes of a .meg file in the caller's memory, which must not change while the graph lives; `path` is then
     * what messages call them, and may be NULL. Bytes that are not aligned to 8 are copied. */
    const void *data;
    uint64_t bytes;
    /* Called once the graph no longer needs `data`: when it is freed, as soon as the bytes were copied, or before
     * meguri_open returns a failure; may be NULL. */
    void (*release)(void *user);
    void *user;
    int descriptor; /* where there is neither a path nor data: an open file, of which a duplicate is kept no longer than
                       this call; default -1 */
} meguri_open_options;
void meguri_open_options_init(meguri_open_options *options, size_t size);

/* Opens a .meg file. It is mapped: milliseconds at any size, its pages are shared by all processes that have it open,
 * and sections are checked when they are first used. A mapped file that is cut short or written to by another program
 * ends the process (SIGBUS) or gives wrong answers; replacing it by rename, as meguri_save does, is safe. Where a file
 * may change, use `copy`. */
meguri_status meguri_open(meguri_graph **out, meguri_ctx *ctx, const char *path, const meguri_open_options *options);

typedef struct meguri_save_options {
    size_t size;                         /* sizeof(meguri_save_options) */
    const meguri_path_index *index;      /* the file has this index of paths (path.h); NULL: the one that the graph was
                                            opened with, if any */
    const meguri_generation *generation; /* the graph is a cache of something else; NULL: as the graph says */
} meguri_save_options;
void meguri_save_options_init(meguri_save_options *options, size_t size);

/* Writes a .meg file: under a temporary name and renamed, so a crash never leaves half a file; to a function from the
 * first byte to the last, for which everything is hashed before anything is written. Processes that have a graph in
 * parts write one file, in a folder that they share, without index and generation. */
meguri_status meguri_save(meguri_ctx *ctx, const meguri_graph *graph, const meguri_sink *sink,
                          const meguri_save_options *options);

typedef struct meguri_write_options {
    size_t size;          /* sizeof(meguri_write_options) */
    meguri_format format; /* AUTO: that of the sink's form (meguri_format_of_path) */
} meguri_write_options;
void meguri_write_options_init(meguri_write_options *options, size_t size);

/* Writes a text or binary format, compressed where the form ends in .gz, .zst or .xz; a form .meg is left to
 * meguri_save. .el has no weights, .wel has, and .co the coordinates alone. Only a file gets another one beside it. */
meguri_status meguri_write(meguri_ctx *ctx, const meguri_graph *graph, const meguri_sink *sink,
                           const meguri_write_options *options);

/* The file that meguri_write writes beside another (.v beside .e; .co beside .gr, if the graph has coordinates), as
 * meguri_read_beside tells it. NULL for the graph: one that has everything. */
size_t meguri_write_beside(char *out, size_t room, const meguri_graph *graph, const char *path, meguri_format format);

/* The table of the names of vertices beside a file whose format numbers them, NAME.names.csv beside NAME.mtx:
 * meguri_write writes it, too, where ids are strings, and meguri_read reads it, unless ids are to be integers. */
size_t meguri_names_beside(char *out, size_t room, const meguri_graph *graph, const char *path, meguri_format format);

/* A file of the caller's own, written as meguri_save writes: under no name until it is finished, whole or not at all;
 * "-" is standard output. A process that has a limit on the size of files (ulimit -f) gets a signal when it is reached;
 * where SIGXFSZ is ignored, all functions that write return MEGURI_NO_DISK instead. */
typedef struct meguri_file meguri_file;
meguri_status meguri_file_open(meguri_file **out, meguri_ctx *ctx, const char *path);
/* Appends to it. Any context will do, but only one call at a time. */
meguri_status meguri_file_write(meguri_ctx *ctx, meguri_file *file, const void *data, size_t bytes);
/* Gives it its name, in the place of what had it before. */
meguri_status meguri_file_finish(meguri_ctx *ctx, meguri_file *file);
/* Of one that is not finished nothing remains. */
void meguri_file_free(meguri_file *file);

#ifdef __cplusplus
}
#endif
#endif
