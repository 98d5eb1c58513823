/* Rows and edges of a graph as arrays: for algorithms of one's own, for bindings, and for graphs that lie in memory
 * already (docs/rows.md).
 *
 * Rows are the compressed sparse rows (CSR) in which a graph is stored: for each vertex the heads of its out-edges, or,
 * in the transpose, the tails of its in-edges. Vertices are stored in an order that makes searches fast (meguri_order);
 * two maps lead between a row and the vertex that it belongs to. All arrays of a graph are borrowed: they live as long
 * as the graph, and are never written to.
 *
 * An edge has a number from 0 to edges - 1. It is the same from both ends of an undirected edge and in the transpose,
 * is that of the edge in paths, and stays the same in a file; it follows from where the edge is stored, not from the
 * order of the input. */
#ifndef MEGURI_ROWS_H
#define MEGURI_ROWS_H

#include <meguri/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct meguri_rows {
    size_t size; /* set by the caller to sizeof(meguri_rows) */
    uint64_t vertices;
    uint64_t rows; /* the rows that have offsets; those from here to vertices - 1 are empty */
    uint64_t arcs;
    const void *offsets;   /* rows + 1 numbers of offset_bytes: row r has the arcs offsets[r] … offsets[r + 1] - 1 */
    uint32_t offset_bytes; /* 4 or 8 */
    uint32_t edge_bytes;   /* 4 or 8 */
    const uint32_t *targets; /* for each arc a row; increasing within a row, equal ones by weight */
    const void *weights;     /* for each arc, of weight_type; NULL: the graph has none */
    meguri_type weight_type;
    const void *edges;         /* for each arc the number of its edge, of edge_bytes; NULL: arc i is edge i */
    const uint32_t *vertex_of; /* for each of `vertices` rows its vertex; NULL: row r is vertex r */
    const uint32_t *row_of;    /* for each vertex its row; NULL: the same */
} meguri_rows;

/* What is wanted of rows, and made where it is not stored. */
typedef enum meguri_rows_form {
    MEGURI_ROWS_OUT = 0,  /* the heads of out-edges */
    MEGURI_ROWS_IN = 1,   /* the tails of in-edges; the same as _OUT where the graph is undirected */
    MEGURI_ROWS_EDGES = 2 /* to be added: with the numbers of edges. Without it `edges` is NULL also where arc i is not
                             edge i */
} meguri_rows_form;

/* The rows of a whole graph in stored order. O(1), but for what has to be made at its first use: the transpose of a
 * directed graph, and the numbers of edges where the graph is undirected or the rows are those of the transpose. */
meguri_status meguri_graph_rows(meguri_rows *out, meguri_ctx *ctx, const meguri_graph *graph, unsigned form);

/* ---- rows in the user's order ----------------------------------------------------------------------------------- */

/* The rows of a range of vertices in the user's order: row i is that of vertex first + i, and targets are vertices,
 * increasing within a row. Borrowed where the graph is stored so, else made by all threads. */
typedef struct meguri_adjacency meguri_adjacency;

typedef struct meguri_adjacency_options {
    size_t size; /* sizeof(meguri_adjacency_options) */
    unsigned form;
    uint64_t first, count; /* 0 and 0: all vertices */
} meguri_adjacency_options;
void meguri_adjacency_options_init(meguri_adjacency_options *options, size_t size);

meguri_status meguri_graph_adjacency(meguri_adjacency **out, meguri_ctx *ctx, const meguri_graph *graph,
                                     const meguri_adjacency_options *options);
/* Its arrays, which live as long as the handle. vertex_of and row_of are NULL; `rows` is the number
 * of vertices of the range; offsets need not begin at 0. */
meguri_status meguri_adjacency_rows(meguri_rows *out, const meguri_adjacency *adjacency);
void meguri_adjacency_free(meguri_adjacency *adjacency);

/* ---- edges by number -------------------------------------------------------------------------------------------- */

/* The ends and weights of `count` edges; `edges` may be NULL: those from 0 to count - 1. `from`, `to` and `weight` may
 * be NULL each. Of an undirected edge `from` is the smaller vertex; an unweighted edge weighs 1. O(log vertices) each,
 * on all threads where there are many. */
meguri_status meguri_graph_edges(uint64_t *from, uint64_t *to, double *weight, meguri_ctx *ctx,
                                 const meguri_graph *graph, const uint64_t *edges, uint64_t count);
/* The values that they have in a column (columns.h), as items of its type; `validity` (may be NULL) gets a bit for
 * each. */
meguri_status meguri_graph_edge_values(void *values, uint8_t *validity, meguri_ctx *ctx, const meguri_graph *graph,
                                       uint32_t column, const uint64_t *edges, uint64_t count);

/* ---- graphs from rows ------------------------------------------------------------------------------------------- */

typedef struct meguri_from_rows_options {
    size_t size;                  /* sizeof(meguri_from_rows_options) */
    meguri_direction direction;   /* MEGURI_UNDIRECTED: every edge is in the rows of both ends, a loop once */
    meguri_order order;           /* of a copy: as of meguri_build_options */
    meguri_duplicates duplicates; /* of a copy: MEGURI_DUPLICATES_MIN or _KEEP */
    int keep_loops;               /* of a copy: 0: edges from a vertex to itself are dropped */
    int borrow; /* 1: the graph uses the caller's arrays, which must not change while it lives. They must
                   be as meguri_rows has them: targets increasing within a row, equal ones by weight. 0:
                   they are copied, in any order within rows */
    void (*release)(void *user); /* borrowed: called once the graph no longer needs them, when it is freed, or before
                                    this call returns a failure; may be NULL */
    void *user;
} meguri_from_rows_options;
void meguri_from_rows_options_init(meguri_from_rows_options *options, size_t size);

/* A graph out of the caller's rows, whose vertices are 0 … vertices - 1, as are their ids. Of `rows`, edges, vertex_of
 * and row_of are not read (rows are vertices); `rows` may be 0 for `vertices`. Everything is checked, in parallel: what
 * is wrong is refused with the row it is in. NULL options: a directed copy, without duplicates and loops. */
meguri_status meguri_graph_from_rows(meguri_graph **out, meguri_ctx *ctx, const meguri_rows *rows,
                                     const meguri_from_rows_options *options);

#ifdef __cplusplus
}
#endif
#endif
