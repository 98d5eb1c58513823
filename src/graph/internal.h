/* What the files of the graph room share with each other and nobody else. */
#ifndef MG_GRAPH_INTERNAL_H
#define MG_GRAPH_INTERNAL_H

#include "graph/graph.h"

/* ---- edges (edges.c) -------------------------------------------------------------------------------------------- */

typedef struct mg_stored_block {
    mg_edge_block block;  /* pointers are NULL while it lies in the spill file */
    uint64_t file_offset; /* where, if spilled */
    bool spilled;
    bool borrowed;                  /* the arrays are the caller's */
    bool mapped;                    /* the ids have become positions, in place */
    uint64_t min, max;              /* ids as unsigned numbers */
    int64_t signed_min, signed_max; /* ids as signed numbers */
    mg_weight_facts weights;
    uint64_t first; /* number of its first edge, once the blocks are in order */
} mg_stored_block;

/* What all values of a column have in common, so that the smallest type can be chosen. */
typedef struct mg_value_facts {
    bool fractions; /* some are no whole numbers from 0 to 2^64-1 */
    bool not_f32, not_f64;
    uint64_t max; /* of whole numbers */
} mg_value_facts;

/* ---- names that come with blocks (name_table.c) ----------------------------------------------------------------- */

typedef struct mg_name_merge mg_name_merge;
typedef struct mg_name_table {
    mg_names *names; /* numbered as they arrived */
    mg_name_merge *merges;
    uint64_t merge_count, merge_room;
    uint64_t *first; /* of each name, where it appeared first: merge << 32 | place in it; NULL: in order so far */
    uint64_t first_room;
} mg_name_table;

void mg_name_table_free(mg_name_table *table);
/* Adds the names of a block at this place; map[i] becomes the number of its name i here. One call at a time. */
meguri_status mg_name_table_merge(meguri_ctx *ctx, mg_name_table *table, uint64_t place, const mg_names *local,
                                  uint32_t *map);
/* No more come: names are numbered by first appearance in the order of places. *positions, for mg_free, leads from the
 * numbers that merges gave to the final ones; NULL: they are the same. */
meguri_status mg_name_table_settle(uint32_t **positions, meguri_ctx *ctx, mg_name_table *table);
/* Name i becomes the one that was number order[i]; no more can be added. */
meguri_status mg_names_reorder(meguri_ctx *ctx, mg_names *names, const uint32_t *order);

/* ---- columns on their way --------------------------------------------------------------------------------------- */

/* A column that edges have on their way. */
typedef struct mg_edge_values {
    char *name;
    meguri_column_kind kind;
    meguri_type type;
    bool labelled;
    bool streamed_labels; /* each block has its own */
    bool text;            /* they are what the column is about */
    mg_name_table labels;
    mg_value_facts facts; /* where the type is AUTO */
} mg_edge_values;

struct mg_edges {
    pthread_mutex_t lock;
    mg_stored_block *blocks;
    uint64_t block_count, block_room;
    uint64_t count; /* edges in all blocks */
    uint64_t bytes_in_memory, most_in_memory;
    meguri_type declared_weights;
    mg_id_range *declared;
    uint64_t declared_count;
    uint64_t **named; /* arrays of ids */
    uint64_t *named_counts;
    uint64_t named_arrays;
    bool signed_ids;
    bool string_ids;
    mg_name_table names;
    uint32_t *name_positions; /* from the numbers of names in blocks to positions; NULL: they are the same */
    mg_edge_values *columns;
    uint32_t column_count;
    int spill_fd; /* -1: nothing spilled */
    uint64_t spill_bytes;
};

static inline uint64_t mg_block_id_bytes(const mg_edge_block *b) { return b->count * 2 * b->id_bytes; }
static inline uint64_t mg_block_weight_bytes(const mg_edge_block *b) {
    return b->count * meguri_type_bytes(b->weight_type);
}
/* Where a column of a block lies in the spill file, behind where the block begins; that of the number of columns is the
 * size of the block. */
static inline uint64_t mg_block_column_at(const mg_edges *edges, const mg_edge_block *b, uint32_t column) {
    uint64_t at = mg_block_id_bytes(b) + mg_block_weight_bytes(b);
    for (uint32_t i = 0; i < column && i < edges->column_count; i++)
        at += b->count * meguri_type_bytes(b->columns[i].type) +
              (b->columns[i].validity || b->columns[i].spilled_validity ? mg_bits_bytes(b->count) : 0);
    return at;
}
/* Adds a block whose arrays stay the caller's: neither copied nor freed. */
meguri_status mg_edges_borrow(meguri_ctx *ctx, mg_edges *edges, const mg_edge_block *block);
/* Edges first … first+count-1 of a block, where `count` is at most MG_SLICE_EDGES if the block was spilled: in place,
 * or read back into `scratch` (MG_SLICE_BYTES). out->count is how many there are, 0 at the end of the block. */
enum { MG_SLICE_EDGES = 8192, MG_SLICE_BYTES = MG_SLICE_EDGES * 24 };
meguri_status mg_edges_slice(mg_edge_block *out, meguri_ctx *ctx, const mg_edges *edges, uint64_t block, uint64_t first,
                             void *scratch);
/* The ends and weights of the block will not be looked at again, nor the values of a column of any block. */
void mg_edges_done(mg_edges *edges, uint64_t block);
void mg_edges_column_done(mg_edges *edges, uint32_t column);

/* ---- edges in arrays of the caller (arrays.c) ------------------------------------------------------------------- */

enum { MG_BLOCK_EDGES = 1 << 20, MG_BLOCK_WITH_COLUMNS = 1 << 17 }; /* edges of a block that arrays are cut into */

/* That the numbers make sense; fills in those that were left to the library. */
meguri_status mg_arrays_check(meguri_ctx *ctx, meguri_edge_arrays *arrays);
uint64_t mg_id_at(const meguri_edge_arrays *arrays, const void *array, uint64_t i);
/* Some of the edges: pairs of ids, of 8 bytes if the caller's are, or are signed; weights; the values of a column. What
 * is made before a failure is the caller's to free. */
meguri_status mg_arrays_ends(void **out, meguri_ctx *ctx, const meguri_edge_arrays *arrays, uint64_t first,
                             uint64_t count);
meguri_status mg_arrays_weights(mg_edge_block *block, meguri_ctx *ctx, const meguri_edge_arrays *arrays, uint64_t first,
                                uint64_t count);
meguri_status mg_arrays_values(mg_edge_block *block, meguri_ctx *ctx, const meguri_column_data *column, uint32_t c,
                               uint64_t first, uint64_t count);
/* Bits first … first+count-1 of a bitmap of the caller's, for mg_free; *out is NULL where all are set. */
meguri_status mg_validity_slice(uint8_t **out, meguri_ctx *ctx, const uint8_t *validity, uint64_t first,
                                uint64_t count);
/* Texts of a block, numbered as they appear. */
meguri_status mg_texts_take(mg_block_column *out, mg_names **names, meguri_ctx *ctx, const meguri_column_data *column,
                            uint64_t first, uint64_t count);
/* A column of the caller's array. */
/* The edges of arrays, with their columns, as blocks of a list. */
meguri_status mg_arrays_list(meguri_ctx *ctx, mg_edges *list, const meguri_edge_arrays *arrays);
meguri_column_data mg_column_at(const meguri_column_data *columns, uint32_t column);
meguri_status mg_columns_check(meguri_ctx *ctx, const meguri_column_data *columns, uint32_t count);
/* Declares the columns that a caller describes. `streamed`: values come later, in blocks, and so may the names of
 * types. */
meguri_status mg_columns_declare(meguri_ctx *ctx, mg_edges *edges, const meguri_column_data *columns, uint32_t count,
                                 bool streamed);

/* ---- builders (builder.c, builder_vertices.c) ------------------------------------------------------------------- */

struct meguri_builder {
    _Atomic int adding; /* calls that add edges */
    mg_edges *edges;
    mg_edges *values; /* columns of vertices: a row for each, kept as a loop; NULL: there are none */
    meguri_id_kind ids;
    meguri_build_options build;
    pthread_mutex_t lock; /* for what follows */
    mg_vertex_rows *rows; /* vertices with coordinates; integer ids belong to the edges */
    uint64_t row_blocks, row_room;
    bool finished; /* atomic */
    bool broken;   /* a block was taken in part; atomic */
};

/* That it takes more; that a block has been taken, or that the builder can only be freed from now on. */
meguri_status mg_builder_open(meguri_ctx *ctx, const meguri_builder *builder);
meguri_status mg_builder_note(meguri_builder *builder, meguri_status status);
/* The sizes of ids, for edges and vertices alike; whether they are texts. */
meguri_status mg_builder_check_ids(meguri_ctx *ctx, const meguri_builder *builder, meguri_edge_arrays *arrays,
                                   bool *texts);
/* The columns of a block against those that were declared. */
meguri_status mg_builder_check_columns(meguri_ctx *ctx, const mg_edges *edges, const meguri_column_data *columns,
                                       uint32_t column_count, uint64_t count);
/* The number of the i-th string id of an array, in a table. */
meguri_status mg_builder_name(uint32_t *number, meguri_ctx *ctx, mg_names *names, const void *array, uint64_t stride,
                              uint64_t i);
meguri_status mg_builder_declare_vertex_columns(meguri_ctx *ctx, meguri_builder *builder,
                                                const meguri_column_data *columns, uint32_t count);
/* Coordinates and columns of vertices into the graph that the edges have become. */
meguri_status mg_builder_place_vertices(meguri_ctx *ctx, meguri_builder *builder, meguri_graph *graph);
meguri_status mg_builder_give_values(meguri_ctx *ctx, meguri_builder *builder, meguri_graph *graph);

/* ---- columns on their way (columns_build.c) --------------------------------------------------------------------- */

mg_value_facts mg_value_facts_of(const mg_block_column *column, uint64_t count);
/* Gives the graph columns: numbers[i] is the edge that arc i is, or the row that vertex i has. */
meguri_status mg_columns_build(meguri_graph *graph, meguri_ctx *ctx, mg_column_set set, mg_edges *edges,
                               const void *numbers, uint32_t number_bytes);

/* ---- columns as weights (weighted.c) ---------------------------------------------------------------------------- */

typedef struct mg_weighting mg_weighting;
void mg_weightings_free(mg_weighting *first);
/* What graph.h has for all graphs, of one that has a base. */
meguri_status mg_weighted_rows(mg_rows *out, meguri_ctx *ctx, const meguri_graph *graph);
meguri_status mg_weighted_in_rows(mg_rows *out, meguri_ctx *ctx, const meguri_graph *graph);
meguri_status mg_weighted_edge_numbers(mg_edge_numbers *out, meguri_ctx *ctx, const meguri_graph *graph);
/* The column of that name, or a sentence (columns.c). */
meguri_status mg_column_find(uint32_t *column, meguri_ctx *ctx, const meguri_graph *graph, mg_column_set set,
                             const char *name);

/* ---- ids to positions (ids.c) ----------------------------------------------------------------------------------- */

/* Finds all ids and gives the graph its id parts; *out serves mg_id_positions until freed. */
meguri_status mg_id_map_make(mg_id_map *out, meguri_ctx *ctx, mg_edges *edges, meguri_graph *graph);
/* The positions of ids that occur, which have 4 or 8 bytes; may be in place where they have 4. */
void mg_id_positions(uint32_t *positions, const mg_id_map *map, const void *ids, uint32_t id_bytes, uint64_t count);
/* The key-to-position map is the identity on 32-bit ids: blocks can be used as they are. */
static inline bool mg_id_map_is_identity(const mg_id_map *map) {
    return !map->slots && !map->seen.words && !map->table && map->base == 0 && map->flip == 0;
}

/* ---- a row in the user's order (access.c) ----------------------------------------------------------------------- */

typedef meguri_status mg_rows_fn(mg_rows *out, meguri_ctx *ctx, const meguri_graph *graph);

typedef struct mg_row_neighbor {
    uint32_t position;
    uint32_t place; /* in the row: rows are sorted by weight where neighbours are equal, and stay so */
} mg_row_neighbor;

typedef struct mg_row_view {
    mg_rows rows;
    uint64_t begin, degree;
    mg_row_neighbor *neighbors; /* for mg_free */
} mg_row_view;

/* `neighbors`: they are wanted, not just how many they are. */
meguri_status mg_graph_row(mg_row_view *out, meguri_ctx *ctx, const meguri_graph *graph, uint64_t vertex,
                           mg_rows_fn *get_rows, bool neighbors, const char *function);

/* The vertex of an integer id (access.c). */
meguri_status mg_graph_find_id(uint64_t *vertex, meguri_ctx *ctx, const meguri_graph *graph, uint64_t id);

/* offsets from 64 to 32 bits where the arcs fit; in place. */
void mg_offsets_narrow(uint64_t *offsets, uint64_t entries, uint64_t arcs, uint32_t *offset_bytes);

/* The rows against each other and against the counts of the graph, wherever they come from (verify.c). */
meguri_status mg_graph_verify_rows(meguri_ctx *ctx, const meguri_graph *graph);

/* ---- results that may be larger than memory (store.c) ----------------------------------------------------------- */

/* An array written from front to back, in memory or in a temporary file that is mapped in the end. */
typedef struct mg_store {
    char *memory; /* mg_alloc'ed, or NULL */
    int fd;       /* or -1 */
    uint64_t bytes;
} mg_store;

meguri_status mg_store_new(mg_store *out, meguri_ctx *ctx, uint64_t room, bool on_disk, const char *what);
/* A block of the caller's that already holds what is appended: data may lie in it, at or behind its place. */
void mg_store_take(mg_store *out, void *memory);
meguri_status mg_store_append(meguri_ctx *ctx, mg_store *store, const void *data, uint64_t bytes);
meguri_status mg_store_finish(mg_part_data *out, meguri_ctx *ctx, mg_store *store);
void mg_store_free(mg_store *store);
void mg_part_data_free(mg_part_data *data);

/* ---- order (order.c, relabel.c) --------------------------------------------------------------------------------- */

/* Chooses (if AUTO) and makes an order for rows that lie in the user's: fills *to_user (mg_alloc'ed, NULL if the order
 * is the user's) and *rows, the number of stored rows; notes how many vertices are isolated (`all_touched`: none). */
meguri_status mg_order_make(uint32_t **to_user, uint64_t *rows, meguri_order *order, meguri_ctx *ctx,
                            meguri_graph *graph, bool all_touched);
/* Memory that making an order and rearranging take beside the rows, at the most. */
uint64_t mg_order_bytes(const meguri_graph *graph);
/* Rearranges the rows of a graph that lie in the user's order. Takes to_user over, also on failure. */
meguri_status mg_graph_relabel(meguri_ctx *ctx, meguri_graph *graph, uint32_t *to_user, uint64_t rows);
/* Rows backwards: who points to whom. `numbered`: with the number of the arc that each is in `rows`. */
meguri_status mg_transpose(mg_csr *out, meguri_ctx *ctx, const mg_rows *rows, uint64_t vertices,
                           meguri_type weight_type, bool numbered);
/* Sorted rows of the same arcs, whatever their order within rows. */
meguri_status mg_rows_copy(mg_csr *out, meguri_ctx *ctx, const mg_rows *rows, uint64_t vertices,
                           meguri_type weight_type, bool keep_loops, meguri_duplicates duplicates);

#endif
