/* Builders: graphs out of edges that come in blocks, from anywhere and from any thread (docs/builder.md).
 *
 * A builder takes blocks of edges (with weights and columns) and of vertices (with coordinates and columns), and makes
 * a graph of all of them in the end. Blocks are copied, so the caller's arrays are free again when a call returns; what
 * exceeds a third of the memory budget goes to a temporary file. meguri_read makes its graphs this way.
 *
 * Any number of threads may add to one builder at once, each with a context of its own. A block has a place: the graph
 * is that of all blocks in the order of their places, whichever was added first; blocks of one place count in the order
 * in which they were added. The order decides which of equal parallel edges is kept when they are merged, and in which
 * order vertices with string ids and the names of types are numbered: by first appearance.
 *
 * Blocks of ten thousand edges or more are best: each takes about a kilobyte beside its edges. */
#ifndef MEGURI_BUILDER_H
#define MEGURI_BUILDER_H

#include <meguri/columns.h>
#include <meguri/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct meguri_builder meguri_builder;

/* A string id: UTF-8 without line ends, tabs and zeros, and not empty; no zero need follow. */
typedef struct meguri_text {
    const char *text;
    size_t length;
} meguri_text;

typedef struct meguri_builder_options {
    size_t size;        /* sizeof(meguri_builder_options) */
    meguri_id_kind ids; /* of all vertices */
    const meguri_build_options
        *build; /* NULL: defaults. No layout: meguri_graph_spread brings the graph to a cluster */
    /* The columns that all edges have: name, kind and type of each; AUTO: the smallest type that loses nothing. Labels
     * are the names of values for all blocks. A column of types (MEGURI_COLUMN_TYPES) may come without: then each block
     * has labels of its own, and equal names become one type. */
    const meguri_column_data *columns;
    uint32_t column_count;
    /* The columns that all vertices have, described in the same way; those of types need labels here. */
    const meguri_column_data *vertex_columns;
    uint32_t vertex_column_count;
} meguri_builder_options;
void meguri_builder_options_init(meguri_builder_options *options, size_t size);

meguri_status meguri_builder_new(meguri_builder **out, meguri_ctx *ctx, const meguri_builder_options *options);
void meguri_builder_free(meguri_builder *builder);

/* Adds a block of edges. Of `edges`, id_bytes says what from and to are: 4 or 8 (0) bytes of an integer id, signed or
 * not as the builder's ids are (signed_ids is not looked at); where ids are strings, 0 or sizeof(meguri_text): they are
 * meguri_text, and 4 or 8: numbers that meguri_builder_vertices gave. All blocks have weights, or none has. `columns`
 * are those of the builder in its order, with values of the builder's type (any, where that is NONE or values have
 * names); names may be NULL. `vertices` is 0. */
meguri_status meguri_builder_add(meguri_ctx *ctx, meguri_builder *builder, uint64_t place,
                                 const meguri_edge_arrays *edges);

/* Vertices, whether an edge touches them or not, and what is known of them. */
typedef struct meguri_vertex_arrays {
    size_t size; /* sizeof(meguri_vertex_arrays) */
    uint64_t count;
    const void *ids;   /* as the ends of edges; NULL: first, first + 1, … */
    uint32_t id_bytes; /* as of edges */
    uint64_t stride;   /* in bytes; 0: no gaps */
    uint64_t first;
    const double *x, *y; /* coordinates, in the units of the caller; both or neither */
    const meguri_column_data
        *columns; /* the vertex columns of the builder in its order; none: only the rest is known */
    uint32_t column_count;
} meguri_vertex_arrays;

/* Adds a block of vertices. A vertex may be added again, but has coordinates and columns once at most; where there are
 * columns, every vertex of the graph must have got its values in the end. `numbers` may be NULL; where ids are strings,
 * numbers[i] stands for the i-th of them in later blocks of edges: shorter than the text, and faster. */
meguri_status meguri_builder_vertices(uint64_t *numbers, meguri_ctx *ctx, meguri_builder *builder, uint64_t place,
                                      const meguri_vertex_arrays *vertices);

/* Makes the graph, when all threads are done; the builder is empty afterwards, and takes no more. Time and memory as of
 * meguri_graph_from_edges, on the threads of this context. A call that failed for another reason than its arguments
 * leaves a builder that can only be freed. */
meguri_status meguri_builder_finish(meguri_graph **out, meguri_ctx *ctx, meguri_builder *builder);

#ifdef __cplusplus
}
#endif
#endif
