/* Columns of edges and of vertices: what they carry beside weight and coordinates. Ids of their own, types, numbers,
 * truth values, texts.
 *
 * A column has a name and a type, and for every edge, or vertex, a value, or none: a bitmap says which values are
 * missing. Of parallel edges that are merged, the one that is kept (meguri_duplicates) has its values; an undirected
 * edge has the same values in both directions.
 *
 * Texts are stored once each: the items of a column of texts are numbers of texts, whose type is the smallest that
 * holds them (item_bytes), and label_count says how many different ones there are. */
#ifndef MEGURI_COLUMNS_H
#define MEGURI_COLUMNS_H

#include <meguri/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a column stands for. A graph has at most one column of ids and one of types. */
typedef enum meguri_column_kind {
    MEGURI_COLUMN_VALUES = 0,
    MEGURI_COLUMN_IDS = 1,  /* an edge's own id, as the database that it comes from has it: a whole number */
    MEGURI_COLUMN_TYPES = 2 /* an edge's type: a small number that has a name */
} meguri_column_kind;
const char *meguri_column_kind_name(meguri_column_kind kind);

/* A column of meguri_edge_arrays, in the caller's memory. */
struct meguri_column_data {
    size_t size; /* sizeof(meguri_column_data) */
    const char *name;
    meguri_column_kind kind;
    /* Of the values: any but MEGURI_TYPE_NONE, by which they are doubles, and the column gets the smallest type that
     * loses nothing. */
    meguri_type type;
    /* Packed, one for each edge. Of MEGURI_TYPE_TEXT: meguri_text (builder.h) for each edge, or with `offsets` the
     * bytes of all texts. Vertices are uint64_t. */
    const void *values;
    const char *const *labels; /* names of the values 0, 1, …; NULL: they have none */
    uint32_t label_count;
    /* A bit for each edge, the lowest of a byte first (as in Apache Arrow): 0: its value is missing, and what `values`
     * has there is not read. NULL: none is missing. */
    const uint8_t *validity;
    const uint64_t *offsets; /* of MEGURI_TYPE_TEXT: text i has the bytes offsets[i] … offsets[i + 1] - 1 of values */
};

/* A column of a graph. */
typedef struct meguri_column_info {
    size_t size; /* set by the caller to sizeof(meguri_column_info) */
    const char *name;
    meguri_column_kind kind;
    meguri_type type;     /* never MEGURI_TYPE_NONE */
    uint32_t item_bytes;  /* of a value: 1, 2, 4 or 8; of a text: of its number */
    uint32_t label_count; /* texts, or names of values; 0: values have none */
    int nullable;         /* 1: values may be missing */
} meguri_column_info;

/* Columns are numbered from 0 in the order in which they were given; meguri_graph_info has how many there are. What is
 * handed out lives as long as the graph. */
meguri_status meguri_graph_edge_column(meguri_column_info *out, meguri_ctx *ctx, const meguri_graph *graph,
                                       uint32_t column);
/* The column of that name; MEGURI_NOT_FOUND where there is none. */
meguri_status meguri_graph_find_edge_column(uint32_t *column, meguri_ctx *ctx, const meguri_graph *graph,
                                            const char *name);
/* The name of a value, or the text of this number; and the value that has a name. */
meguri_status meguri_graph_edge_label(const char **out, meguri_ctx *ctx, const meguri_graph *graph, uint32_t column,
                                      uint64_t value);
meguri_status meguri_graph_find_edge_label(uint64_t *value, meguri_ctx *ctx, const meguri_graph *graph, uint32_t column,
                                           const char *label);

/* The values that the edges of a vertex have in a column, as items of its type, in the order in which
 * meguri_graph_neighbors has them; at most `capacity` of them, and their number in *count. `validity` (may be NULL)
 * gets a bit for each of them, as in meguri_column_data; missing values are 0, or not a number. O(d log d). */
meguri_status meguri_graph_neighbor_values(void *values, uint8_t *validity, uint64_t capacity, uint64_t *count,
                                           meguri_ctx *ctx, const meguri_graph *graph, uint64_t vertex,
                                           uint32_t column);
/* The same in the order of meguri_graph_in_neighbors. */
meguri_status meguri_graph_in_neighbor_values(void *values, uint8_t *validity, uint64_t capacity, uint64_t *count,
                                              meguri_ctx *ctx, const meguri_graph *graph, uint64_t vertex,
                                              uint32_t column);

/* ---- other weights and columns ---------------------------------------------------------------------------------- */

typedef struct meguri_with_columns_options {
    size_t size;         /* sizeof(meguri_with_columns_options) */
    const void *weights; /* a weight for each edge of the base, by its number (rows.h), without gaps, of weight_type;
                            NULL: as in the base */
    meguri_type weight_type;
    const meguri_column_data *columns; /* of edges, a value for each by its number; the place of a column of the base
                                          with the same name is taken, others are added */
    uint32_t column_count;
    uint64_t *base_edges; /* NULL, or room for as many numbers as the base has edges: for each edge of the new graph its
                             number in the base */
} meguri_with_columns_options;
void meguri_with_columns_options_init(meguri_with_columns_options *options, size_t size);

/* A graph with other weights or columns and everything else as in the base: its rows, ids, order and coordinates are
 * shared, not copied, and it is held. Weights are stored in the smallest type that loses nothing. Edges have the
 * numbers that they have in the base, but parallel edges lie in the order of their weights, so new weights may exchange
 * the numbers of those between the same two vertices. A path index is kept if the weights are. O(edges). */
meguri_status meguri_graph_with_columns(meguri_graph **out, meguri_ctx *ctx, const meguri_graph *base,
                                        const meguri_with_columns_options *options);

/* ---- columns of vertices ---------------------------------------------------------------------------------------- */

/* What vertices have beside their id, as where they lie in the database that they come from (builder.h makes them).
 * They are described as those of edges are, and have one value for each vertex. */
meguri_status meguri_graph_vertex_column(meguri_column_info *out, meguri_ctx *ctx, const meguri_graph *graph,
                                         uint32_t column);
meguri_status meguri_graph_find_vertex_column(uint32_t *column, meguri_ctx *ctx, const meguri_graph *graph,
                                              const char *name);
meguri_status meguri_graph_vertex_label(const char **out, meguri_ctx *ctx, const meguri_graph *graph, uint32_t column,
                                        uint64_t value);
/* The values of the vertices first … first+count-1, as items of the column's type. O(count): only the part of the file
 * that holds the range is read. */
meguri_status meguri_graph_vertex_values(void *values, uint8_t *validity, meguri_ctx *ctx, const meguri_graph *graph,
                                         uint32_t column, uint64_t first, uint64_t count);

#ifdef __cplusplus
}
#endif
#endif
