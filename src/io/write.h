/* Writing graphs in foreign formats: what the files write*.c share.
 *
 * A format is a mg_writer: how its file begins and what one row becomes. Everything else — rows in the user's order
 * with increasing neighbours, threads, compression, the file that appears whole or not at all — is the same for all
 * and lies in write_rows.c. */
#ifndef MG_IO_WRITE_H
#define MG_IO_WRITE_H

#include "io/io.h"

/* ---- doubles (write_float.c) ------------------------------------------------------------------------------------ */

#define MG_DOUBLE_TEXT 32
typedef struct mg_powers mg_powers; /* powers of ten, made once for each file that needs them */
meguri_status mg_powers_new(mg_powers **out, meguri_ctx *ctx);
void mg_powers_free(mg_powers *powers);
/* The shortest decimal number that reads back as exactly `value`, the nearest of them. */
char *mg_put_double(char *at, const mg_powers *powers, double value);

/* ---- compression (write_compress.c) ---------------------------------------------------------------------------------
 */

/* Appends `data` to `out` as one complete gzip member, zstd frame or xz stream: such pieces in a row are one file to
 * every program that knows these formats, so each thread compresses its own. */
meguri_status mg_compress(mg_text *out, meguri_ctx *ctx, mg_compression compression, const char *data, size_t bytes);

/* ---- files in blocks (write_blocks.c) --------------------------------------------------------------------------- */

typedef struct mg_blocks {
    meguri_ctx *ctx;
    uint64_t count; /* of the blocks; at least one, so that a compressed file of no bytes is one */
    uint64_t items; /* what progress is told in */
    const void *job;
    /* Appends a block to an empty text, the same bytes whichever thread does it. */
    meguri_status (*make)(mg_text *text, const void *job, void *own, uint64_t block);
    size_t own_bytes; /* of what each thread has for itself, zero at first; 0: `own` is NULL */
    void (*clear_own)(void *own);
} mg_blocks;

/* All blocks, made and compressed on all threads, written in their order. */
meguri_status mg_write_blocks(const mg_blocks *blocks, mg_outfile *file, mg_compression compression);

/* ---- a file in the making --------------------------------------------------------------------------------------- */

typedef enum mg_id_form {
    MG_ID_FORM_PLAIN, /* as the user wrote it */
    MG_ID_FORM_CSV,   /* strings quoted where RFC 4180 asks for it */
    MG_ID_FORM_PLACE  /* 1 … n by position, for formats that number their vertices */
} mg_id_form;

/* What a row is made from; the same for all threads. */
typedef struct mg_write_job {
    meguri_ctx *ctx;
    const meguri_graph *graph;
    const char *path;
    meguri_format format;
    mg_rows rows;
    mg_numbering numbering;
    const uint64_t *ids, *name_offsets;
    const char *names;
    const double *coordinates; /* pairs */
    mg_powers *powers;
    uint32_t vertex_bits;
    bool with_weights;
    mg_column_view *columns; /* of the edges, where the format has room for them */
    uint32_t column_count;
    uint32_t type_column; /* the one that has the types; UINT32_MAX: none */
    mg_id_form id_form;
    char separator; /* between the fields of a line */
} mg_write_job;

/* One vertex and its neighbours, increasing by position. */
typedef struct mg_write_row {
    uint64_t position;
    uint64_t degree;
    const uint32_t *neighbors; /* positions */
    const uint64_t *arcs;      /* the arc to each, for its weight; NULL: first_arc, first_arc+1, … */
    uint64_t first_arc;
} mg_write_row;

typedef enum mg_weights { MG_WEIGHTS_IF_ANY, MG_WEIGHTS_NEVER, MG_WEIGHTS_ALWAYS } mg_weights;

typedef struct mg_writer {
    const char *suffix;             /* of its files, where the format has others, too, or one beside; else NULL */
    const struct mg_writer *beside; /* writes a second file, with its own suffix for this one's */
    mg_id_form id_form;
    mg_weights weights;
    bool without_arcs;    /* rows come without neighbours: a file about vertices alone */
    bool places_alone;    /* … and about those that have coordinates */
    bool loses_isolated;  /* the format has no place for vertices without an edge */
    bool undirected_only; /* … nor for a direction */
    bool numbers;         /* where ids are strings, vertices are 1 … n */
    bool columns;         /* columns of edges are written, too */
    bool plain_names;     /* string ids are written as they are, so they must not look like something else */
    bool declares;        /* … and where the first lines do, the text says what it is */
    /* Refuses what the format cannot hold, and completes the job; may be NULL. */
    meguri_status (*prepare)(mg_write_job *job);
    /* What stands before the first row; may be NULL. */
    void (*head)(const mg_write_job *job, mg_text *text);
    void (*row)(const mg_write_job *job, mg_text *text, const mg_write_row *row);
} mg_writer;

extern const mg_writer mg_writer_coordinates;

/* The writer that a suffix or a format chooses; NULL: nothing writes this. */
const mg_writer *mg_choose_writer(const char *path, meguri_format format);

/* ---- names beside formats that number their vertices (names_beside.c) ------------------------------------------- */

extern const mg_writer mg_writer_names;
/* Whether a writer numbers vertices, and a graph has names that are then written beside. */
static inline bool mg_numbers_vertices(const mg_writer *writer) {
    return (writer->id_form == MG_ID_FORM_PLACE && !writer->without_arcs) || writer->numbers;
}
bool mg_names_are_beside(const meguri_graph *graph);
/* Their table beside `path`, as snprintf. */
size_t mg_names_path(char *out, size_t room, const char *path);
/* A table that another file has left, and that would name the vertices of this one. */
meguri_status mg_refuse_stale_names(meguri_ctx *ctx, const char *path);

/* ---- names of columns in headers (write_header.c) --------------------------------------------------------------- */

/* Tells of names that are changed, and refuses those that cannot be written. */
void mg_write_tell_csv_columns(const mg_write_job *job);
meguri_status mg_write_check_neo4j_columns(const mg_write_job *job);
/* The name of a column as the header has it. */
void mg_write_csv_column(const mg_write_job *job, mg_text *text, uint32_t column);
void mg_write_neo4j_column(const mg_write_job *job, mg_text *text, uint32_t column);

/* ---- Neo4j's CSV (neo4j_write.c) --------------------------------------------------------------------------------- */

#define MG_NEO4J_VERTEX "Vertex"
#define MG_NEO4J_PROXY  "Proxy"

void mg_neo4j_node_head(const mg_write_job *job, mg_text *text);
/* A line; without its place it may be one of several that stand for a vertex. */
void mg_neo4j_node(const mg_write_job *job, mg_text *text, uint64_t position, const char *label, bool place);
void mg_neo4j_relationship_head(const mg_write_job *job, mg_text *text);
void mg_neo4j_relationship(const mg_write_job *job, mg_text *text, uint64_t from, uint64_t to, uint64_t arc);

/* Completes a job by what the graph has and the writer wants: rows, numbering, ids, columns. The caller frees powers.
 */
meguri_status mg_write_get_graph(mg_write_job *job, const mg_writer *writer);

/* Puts a line that names the format before a text that would be taken for another one (declared.c). */
meguri_status mg_declare_format(mg_text *text, const mg_write_job *job);

/* Formats every row and writes it (write_rows.c). */
meguri_status mg_write_rows(const mg_write_job *job, const mg_writer *writer, mg_outfile *file,
                            mg_compression compression);

/* ---- for the formats (write_fields.c) --------------------------------------------------------------------------- */

/* The id of the vertex at a position, as the job's form wants it. */
void mg_write_id(const mg_write_job *job, mg_text *text, uint64_t position);
/* The weight of an arc; 1 where the graph has none. */
void mg_write_weight(const mg_write_job *job, mg_text *text, uint64_t arc);
/* The value of an arc in a column: a number, or its name. Nothing where it is not a number (NaN). */
void mg_write_value(const mg_write_job *job, mg_text *text, uint32_t column, uint64_t arc);
void mg_write_csv_name(mg_text *text, const char *name, size_t length);
static inline uint64_t mg_write_arc(const mg_write_row *row, uint64_t i) {
    return row->arcs ? row->arcs[i] : row->first_arc + i;
}
/* A line for each of the first `count` neighbours: `prefix`, id, separator, id and, if the job wants it, weight. */
void mg_write_lines(const mg_write_job *job, mg_text *text, const mg_write_row *row, const char *prefix,
                    uint64_t count);
/* Neighbours up to the row's own position: every edge of an undirected graph once. */
uint64_t mg_write_lower(const mg_write_row *row);

/* For formats whose head says how many edges follow, and which write every undirected edge once: that these are as many
 * as the graph says. A file may lie. */
meguri_status mg_write_counted(mg_write_job *job);

/* Whether all weights are whole numbers, and not below `least`. */
bool mg_weights_whole(const mg_write_job *job, double least);
/* The largest id; 0 for an empty graph. Not for strings. */
uint64_t mg_write_largest_id(const mg_write_job *job);

#endif
