/* graph: the immutable graph in compressed rows, building it from edges, ids, order, transposing.
 *
 * Three numberings, never mixed up: a raw id is what the user wrote; a position is its place in the user's order
 * and is what the public interface calls a vertex; an internal number is its place in the stored rows. Only ids.c
 * turns ids into positions, and only mg_to_internal and mg_to_user go between positions and internal numbers. */
#ifndef MG_GRAPH_H
#define MG_GRAPH_H

#include "base/base.h"
#include "par/par.h"

#include <meguri/builder.h>
#include <meguri/cluster.h>
#include <meguri/columns.h>
#include <meguri/gen.h>
#include <meguri/graph.h>
#include <meguri/io.h>
#include <meguri/result.h>
#include <pthread.h>

/* Bits of the numbers that vertices have at one process and in .meg files. A test builds the library with fewer: then
 * graphs in parts that are small enough for a test have more vertices than fit, as large ones have here. */
#ifndef MG_LOCAL_BITS
#define MG_LOCAL_BITS 32
#endif
#define MG_NO_VERTEX    UINT32_MAX
#define MG_MAX_VERTICES (((uint64_t)1 << MG_LOCAL_BITS) - 2)

/* ---- rows ------------------------------------------------------------------------------------------------------- */

/* Compressed rows in internal numbers. Row v is neighbors[offset(v) … offset(v+1)), increasing (under degree order:
 * hubs first); equal neighbours by weight. Rows from `rows` on are empty and have no offset. */
typedef struct mg_rows {
    uint64_t rows;
    uint64_t arcs;
    const uint32_t *offsets32; /* one of the two: rows+1 entries; 32-bit where the arcs fit */
    const uint64_t *offsets64;
    const uint32_t *neighbors;
    const void *weights; /* NULL, or arcs items of the graph's weight type */
    /* Of in-rows, where a graph has columns, and where another column is the weight: the arc of the stored out-rows
     * that each is, in as many bits as the offsets. */
    const void *out_arcs;
} mg_rows;

static inline uint64_t mg_row_offset(const mg_rows *r, uint64_t v) {
    return r->offsets32 ? r->offsets32[v] : r->offsets64[v];
}
static inline uint64_t mg_row_begin(const mg_rows *r, uint64_t v) {
    return v < r->rows ? mg_row_offset(r, v) : r->arcs;
}
static inline uint64_t mg_row_end(const mg_rows *r, uint64_t v) {
    return v < r->rows ? mg_row_offset(r, v + 1) : r->arcs;
}

/* The arc of the out-rows, whose number is that of its values in columns. */
static inline uint64_t mg_row_out_arc(const mg_rows *r, uint64_t arc) {
    if (!r->out_arcs) return arc;
    return r->offsets32 ? ((const uint32_t *)r->out_arcs)[arc] : ((const uint64_t *)r->out_arcs)[arc];
}

/* The last row that begins at or before this arc. */
uint64_t mg_row_of_arc(const mg_rows *rows, uint64_t arc);
/* The first place in [begin, end) of a row whose neighbour is not below `vertex`. */
static inline uint64_t mg_row_find(const mg_rows *r, uint64_t begin, uint64_t end, uint32_t vertex) {
    while (begin < end) {
        uint64_t middle = begin + (end - begin) / 2;
        if (r->neighbors[middle] < vertex) begin = middle + 1;
        else end = middle;
    }
    return begin;
}

double mg_weight_at(const void *weights, meguri_type type, uint64_t i); /* 1 where there are none */

/* That all weights of a graph are lengths, with bounds for them; a sentence names the edge where one is negative,
 * infinite or not a number (lengths.c). Looks at all weights that could be something else; `run` names it in progress.
 */
typedef struct mg_lengths {
    double lightest, heaviest; /* no weight is below, none above; 1 where there are none */
} mg_lengths;
meguri_status mg_graph_lengths(mg_lengths *out, meguri_ctx *ctx, const meguri_graph *graph, const char *run);

/* ---- the graph -------------------------------------------------------------------------------------------------- */

/* The parts of a graph. In a .meg file each is a section, checked when it is first used. */
typedef enum mg_part {
    MG_PART_OFFSETS,
    MG_PART_NEIGHBORS,
    MG_PART_WEIGHTS,
    MG_PART_TO_USER,       /* u32: internal number → position; absent if they are equal */
    MG_PART_TO_INTERNAL,   /* u32: position → internal number; absent if they are equal */
    MG_PART_IDS,           /* u64: position → id, increasing; absent if ids are id_base, id_base+1, … */
    MG_PART_NAME_OFFSETS,  /* u64: vertices+1 places in the names */
    MG_PART_NAMES,         /* bytes of all string ids, one after another */
    MG_PART_NAME_INDEX,    /* u32: open-addressing hash table of positions, MG_NO_VERTEX where empty */
    MG_PART_COORDINATES,   /* f64 pairs x, y by position */
    MG_PART_INDEX_FACTS,   /* u64: what a path index holds; the five parts of one are there together or not at all */
    MG_PART_INDEX_HEIGHTS, /* u32: internal number → height */
    MG_PART_INDEX_ROWS,    /* u32: vertices+1 places in the edges, by height */
    MG_PART_INDEX_EDGES,   /* mg_index_edge32 or mg_index_edge64 */
    MG_PART_INDEX_HALVES,  /* u64: two for each edge */
    MG_PART_COLUMNS,       /* mg_column: what the columns of the edges are */
    MG_PART_COLUMN_TEXTS,  /* for each column its name and those of its values, each ended by a zero */
    MG_PART_IN_OFFSETS,    /* rows backwards, where a directed graph keeps them: as the out-rows, from the other end */
    MG_PART_IN_NEIGHBORS,
    MG_PART_IN_WEIGHTS,
    MG_PART_IN_ARCS,        /* where edges have columns: the arc of the out-rows that each is */
    MG_PART_VERTEX_COLUMNS, /* the same of vertices, by position */
    MG_PART_VERTEX_TEXTS,
    MG_PART_GENERATION, /* mg_generation: of a cache */
    MG_PART_FIXED /* behind these, for each column of the vertices and then of the edges, its pieces: mg_column_part */
} mg_part;
#define MG_MOST_PARTS ((uint64_t)1 << 24) /* columns have so many pieces, with the fixed ones */

typedef struct mg_part_data {
    const void *data; /* NULL: absent */
    uint64_t bytes;
    void *owned;  /* what mg_free takes, or NULL */
    void *mapped; /* what munmap takes (spilled to a temporary file), or NULL */
    uint64_t mapped_bytes;
} mg_part_data;

/* How the parts of a graph that lies in a file are checked and closed; set by io/meg_open.c. */
typedef struct mg_backing mg_backing;
struct mg_backing {
    /* Checks bytes [begin, end) of a part (checksums; for the whole part also index bounds). */
    meguri_status (*check)(mg_backing *self, meguri_ctx *ctx, const meguri_graph *graph, mg_part part, uint64_t begin,
                           uint64_t end);
    void (*close)(mg_backing *self);
    const char *name;                    /* of the file, for sentences */
    uint64_t memory_bytes, mapped_bytes; /* that it takes; none of either where the bytes are the caller's */
};

/* What can be asked of a graph that does not lie in the memory of this process (elsewhere.c); `parts` is what it lies
 * there as. All processes of a cluster call these. */
typedef struct mg_elsewhere {
    const char *where; /* as sentences say it */
    meguri_engine engine;
    void (*free)(void *parts);
    meguri_status (*find_id)(uint64_t *vertex, meguri_ctx *ctx, void *parts, uint64_t id);
    meguri_status (*find_name)(uint64_t *vertex, meguri_ctx *ctx, void *parts, const char *name, size_t length);
    meguri_status (*id_text)(char *out, size_t room, size_t *length, meguri_ctx *ctx, void *parts, uint64_t vertex);
    meguri_status (*save)(meguri_ctx *ctx, void *parts, const char *path);
    meguri_status (*write)(meguri_ctx *ctx, void *parts, const meguri_result *result, const char *path);
    meguri_status (*top)(uint64_t *vertices, double *values, uint64_t *count, meguri_ctx *ctx, void *parts,
                         const meguri_result *result, const char *column, uint64_t most);
    meguri_status (*groups)(uint64_t *groups, uint64_t *sizes, uint64_t *count, meguri_ctx *ctx, void *parts,
                            const meguri_result *result, const char *column, uint64_t most);
} mg_elsewhere;

/* How graphs are made there. A cluster begins with a pointer to these, so that who reads files and draws graphs need
 * not know what a cluster is. */
typedef struct mg_makers {
    meguri_status (*kronecker)(meguri_graph **out, meguri_ctx *ctx, const meguri_kronecker_options *what);
    meguri_status (*rmat)(meguri_graph **out, meguri_ctx *ctx, const meguri_rmat_options *what);
    meguri_status (*uniform)(meguri_graph **out, meguri_ctx *ctx, const meguri_uniform_options *what);
    meguri_status (*grid)(meguri_graph **out, meguri_ctx *ctx, const meguri_grid_options *what);
    meguri_status (*open)(meguri_graph **out, meguri_ctx *ctx, const char *path, const meguri_layout *layout);
    meguri_status (*read)(meguri_graph **out, meguri_ctx *ctx, const char *const *paths, size_t path_count,
                          const meguri_read_options *what);
} mg_makers;

struct meguri_graph {
    const mg_elsewhere *elsewhere; /* NULL: the graph is here, and whole */
    void *parts;
    const meguri_graph *base; /* whose arrays are shared, and which is held; NULL: none are */
    uint32_t holders;         /* the caller, and what has been made for the graph and is not freed; atomic */
    uint32_t processes;       /* that have it */
    mg_range of_results;      /* the vertices whose items results have here */
    uint64_t vertices;
    uint64_t rows; /* internal numbers from here on are isolated vertices */
    uint64_t arcs;
    uint64_t edges; /* as the user counts them */
    uint64_t isolated;
    bool directed;
    meguri_type weight_type;
    meguri_type declared_weights; /* NONE: as they are stored (mg_graph_declared) */
    meguri_id_kind id_kind;
    meguri_order order;
    uint32_t offset_bytes; /* 4 or 8 */
    uint64_t id_base;      /* the first id, where MG_PART_IDS is absent and ids are integers */
    uint64_t input_edges, dropped_duplicates, dropped_loops;
    uint64_t file_bytes, file_hash; /* where it was opened from a file; the hash stands for all of it (io/meg.h) */
    uint64_t file_device, file_inode;
    mg_part_data *part; /* part_count of them: as many as it has columns, and the fixed ones */
    uint32_t part_count;
    uint32_t columns[2]; /* of edges and of vertices (mg_column_set) */
    mg_backing *backing; /* NULL for a graph in memory */

    mg_gate gate;  /* for what is made or checked at first use */
    bool *checked; /* for each part */
    bool has_in_rows;
    mg_rows in_rows; /* directed graphs: made by mg_graph_in_rows */
    void *in_offsets;
    mg_part_data in_neighbors, in_weights, in_out_arcs;
    uint64_t *forward_before; /* undirected graphs: made by mg_graph_edge_numbers */
    void *row_edges[2];       /* the edge of each arc of the out-rows and of the in-rows: made by mg_graph_row_edges */
    struct mg_weighting *weightings; /* columns that have been weights: made by mg_graph_weighted */
    const meguri_graph
        *view_of; /* NULL, or what this graph shares all with, but for its weights (mg_graph_weighted): */
    struct mg_weighting *weighting;
    void (*release)(void *user); /* rows that are the caller's: called when the graph is freed; may be NULL */
    void *release_user;
    const char **column_texts[2]; /* the texts of the columns (mg_column_set) one by one: made by mg_column_of */

    /* While it is built from edges with columns: the number of the edge that each arc is. */
    mg_part_data numbers;
    uint32_t number_bytes; /* 0, 4 or 8 */
};

/* An empty shell to fill; freed with meguri_graph_free. */
meguri_graph *mg_graph_shell(meguri_ctx *ctx);
/* What is made for a graph and outlives the call holds it, so that it may be freed in any order: meguri_graph_free
 * frees a graph when its last holder lets go of it. */
const meguri_graph *mg_graph_hold(const meguri_graph *graph);
static inline void mg_graph_let_go(const meguri_graph *graph) { meguri_graph_free((meguri_graph *)graph); }
/* What a graph is told to have, for another one with the same rows: numbers, not parts. */
void mg_graph_copy_facts(meguri_graph *to, const meguri_graph *from);
/* Gives an array made with mg_alloc to a part. */
void mg_graph_own(meguri_graph *graph, mg_part part, void *owned, uint64_t bytes);
void mg_graph_drop_part(meguri_graph *graph, mg_part part);

/* Rows for mg_pick_engine. */
#define MG_ENGINES_HOST (1u << MEGURI_ENGINE_HOST)
#define MG_ENGINES_BOTH (1u << MEGURI_ENGINE_HOST | 1u << MEGURI_ENGINE_CLUSTER)
#define MG_ENGINES_ALL  (MG_ENGINES_BOTH | 1u << MEGURI_ENGINE_DEVICE)
/* The engine that works where the graph lies. */
meguri_engine mg_graph_engine(const meguri_graph *graph);
/* The engine for a run of `what`, of which `rows` (a bit for each engine) can do it; a sentence where that is none, or
 * not the one that was asked for. */
meguri_status mg_pick_engine(meguri_engine *out, meguri_ctx *ctx, const meguri_graph *graph, meguri_engine asked,
                             const char *what, unsigned rows);
/* Items that the columns of a result have here. */
static inline uint64_t mg_graph_results(const meguri_graph *graph) {
    return graph->elsewhere ? graph->of_results.end - graph->of_results.begin : graph->vertices;
}
/* The type that weights were given with, on which types of results depend; weight_type is what holds them all. */
static inline meguri_type mg_graph_declared(const meguri_graph *graph) {
    return graph->weight_type && graph->declared_weights ? graph->declared_weights : graph->weight_type;
}
/* Bytes of an item of a column that names vertices. */
static inline uint32_t mg_graph_vertex_bytes(const meguri_graph *graph) {
    return graph->elsewhere && graph->vertices > MG_MAX_VERTICES ? 8 : 4;
}
/* A sentence where a graph is not whole, and here. */
meguri_status mg_graph_whole(meguri_ctx *ctx, const meguri_graph *graph);
/* Who makes graphs in a layout: NULL where *layout is. The layout is checked, and *layout becomes the copy. */
meguri_status mg_layout_makers(const mg_makers **out, meguri_layout *copy, meguri_ctx *ctx,
                               const meguri_layout **layout);
/* An id as text, as meguri_graph_id_text has it; returns the length of the whole. `name` is that of a string id. */
size_t mg_id_to_text(char *out, size_t room, meguri_id_kind kind, uint64_t id, const char *name, size_t length);

/* A part, checked as a whole at its first use: *out is NULL where the graph has no such part. */
meguri_status mg_graph_part(const void **out, meguri_ctx *ctx, const meguri_graph *graph, mg_part part);
/* Bytes [begin, end) of a part, of which only the touched chunks are checked; *out points to byte `begin`. */
meguri_status mg_graph_part_range(const void **out, meguri_ctx *ctx, const meguri_graph *graph, mg_part part,
                                  uint64_t begin, uint64_t end);

/* Which part each vertex (by its internal number) goes to, of 1 or more; all get about as many (partition.c). */
meguri_status mg_graph_cut(uint32_t *part, meguri_ctx *ctx, const meguri_graph *graph, uint32_t parts, bool at_random,
                           uint64_t seed);

/* Out-rows (with weights if the graph has any), and in-rows: for undirected graphs the same. */
meguri_status mg_graph_rows(mg_rows *out, meguri_ctx *ctx, const meguri_graph *graph);
meguri_status mg_graph_in_rows(mg_rows *out, meguri_ctx *ctx, const meguri_graph *graph);
void mg_graph_free_in_rows(meguri_graph *graph);
/* Rows backwards become parts of a graph that nobody else uses; an undirected one has them already. */
meguri_status mg_graph_keep_in_rows(meguri_ctx *ctx, meguri_graph *graph);
static inline bool mg_graph_keeps_in_rows(const meguri_graph *graph) {
    return graph->part[MG_PART_IN_NEIGHBORS].data != NULL;
}
/* Whether in-rows are the out-rows backwards, arc by arc; *trouble is NULL, or says why not. */
meguri_status mg_in_rows_verify(const char **trouble, meguri_ctx *ctx, const mg_rows *out, const mg_rows *in,
                                meguri_type weight_type);
/* The same by a sum over all arcs, in one pass over each: another sum is another graph. */
uint64_t mg_rows_sum(meguri_ctx *ctx, const mg_rows *rows, meguri_type weight_type, bool backwards);

/* That an undirected graph has every edge in both rows (verify.c): for those who could be led astray, and whose own
 * work is more than to look at all of a file. */
meguri_status mg_graph_symmetric(meguri_ctx *ctx, const meguri_graph *graph);

/* ---- columns as weights (weighted.c) ---------------------------------------------------------------------------- */

/* The graph with the values of an edge column as its weights, to be let go of; NULL: the graph itself, held. Everything
 * else is shared, and edges have the same numbers. Every algorithm takes it as any other graph, and nothing else shows
 * it. Refused where the column is not numeric or a value is missing, not a number, negative or above 2^32-1. */
meguri_status mg_graph_weighted(const meguri_graph **out, meguri_ctx *ctx, const meguri_graph *graph, const char *name);

/* ---- edge numbers (edge_numbers.c) ------------------------------------------------------------------------------ */

typedef struct mg_edge_numbers {
    mg_rows rows;           /* out-rows */
    const uint64_t *before; /* forward arcs before each row; NULL: directed, and the edge has the number of its arc */
    uint64_t edges;
} mg_edge_numbers;
meguri_status mg_graph_edge_numbers(mg_edge_numbers *out, meguri_ctx *ctx, const meguri_graph *graph);
/* The edge of a forward arc, or of any arc of a directed graph's out-rows. */
uint64_t mg_edge_of_forward_arc(const mg_edge_numbers *numbers, uint32_t row, uint64_t arc);
/* The edge of any arc of the out-rows; false: the rows of its two ends do not agree (a damaged file). */
bool mg_edge_of_arc(uint64_t *edge, const mg_edge_numbers *numbers, uint32_t row, uint64_t arc);
/* The same for an arc of `rows`, which are the in-rows where `in`. */
bool mg_edge_of_row_arc(uint64_t *edge, const mg_edge_numbers *numbers, const mg_rows *rows, bool in, uint32_t row,
                        uint64_t arc);
/* The (forward) arc of an edge, and its row, which may be NULL. The edge is below numbers->edges. */
uint64_t mg_arc_of_edge(const mg_edge_numbers *numbers, uint64_t edge, uint32_t *row);
/* The edge of each arc of these rows, in 4 or 8 bytes each; made once and kept with the graph. */
meguri_status mg_graph_row_edges(const void **out, uint32_t *bytes, meguri_ctx *ctx, const meguri_graph *graph,
                                 const mg_edge_numbers *numbers, const mg_rows *rows, bool in);

/* The first vertex of degree one, where these come last (undirected graphs in degree order); else the number of rows.
 */
uint32_t mg_graph_first_leaf(const meguri_graph *graph, const mg_rows *rows);

/* The two maps between positions and internal numbers; NULL pointers inside mean they are equal. */
typedef struct mg_numbering {
    const uint32_t *to_user, *to_internal;
} mg_numbering;
meguri_status mg_graph_numbering(mg_numbering *out, meguri_ctx *ctx, const meguri_graph *graph);
static inline uint32_t mg_to_user(const mg_numbering *n, uint32_t v) { return n->to_user ? n->to_user[v] : v; }
static inline uint32_t mg_to_internal(const mg_numbering *n, uint32_t p) {
    return n->to_internal ? n->to_internal[p] : p;
}

/* ---- columns of edges (columns.c) ------------------------------------------------------------------------------- */

/* What a column is, as it lies in a file. */
typedef struct mg_column {
    uint8_t code;    /* of its type: mg_code_type */
    uint8_t kind;    /* meguri_column_kind */
    uint16_t flags;  /* MG_COLUMN_TEXT */
    uint32_t labels; /* names of values */
} mg_column;
_Static_assert(sizeof(mg_column) == 8, "as it is in a file");

/* Flag: the names of values are texts, and the values stand for them; the code is that of these numbers. */
#define MG_COLUMN_TEXT 1

/* The columns of edges, or of vertices. */
typedef enum mg_column_set { MG_OF_EDGES, MG_OF_VERTICES } mg_column_set;
/* What a column consists of, each a part of the graph: */
typedef enum mg_column_piece {
    MG_COLUMN_VALUES,   /* one for each arc of the out-rows, or vertex */
    MG_COLUMN_VALIDITY, /* a bit for each; absent: none is missing */
    MG_COLUMN_PIECES
} mg_column_piece;

static inline mg_part mg_columns_part(mg_column_set set) { return set ? MG_PART_VERTEX_COLUMNS : MG_PART_COLUMNS; }
static inline mg_part mg_columns_texts(mg_column_set set) { return set ? MG_PART_VERTEX_TEXTS : MG_PART_COLUMN_TEXTS; }
static inline uint32_t mg_columns_count(const meguri_graph *graph, mg_column_set set) { return graph->columns[set]; }
static inline uint64_t mg_columns_items(const meguri_graph *graph, mg_column_set set) {
    return set ? graph->vertices : graph->arcs;
}
/* Room for so many columns, none of which has anything yet; while nobody else uses the graph. */
meguri_status mg_graph_make_columns(meguri_ctx *ctx, meguri_graph *graph, mg_column_set set, uint32_t count);
static inline mg_part mg_column_part(const meguri_graph *graph, mg_column_set set, uint32_t column,
                                     mg_column_piece piece) {
    uint32_t before = set == MG_OF_EDGES ? graph->columns[MG_OF_VERTICES] : 0;
    return (mg_part)(MG_PART_FIXED + (before + column) * MG_COLUMN_PIECES + piece);
}
/* Whether a part belongs to a column, and to which. */
typedef struct mg_column_place {
    mg_column_set set;
    uint32_t column;
    mg_column_piece piece;
} mg_column_place;
static inline bool mg_part_is_column(mg_column_place *out, const meguri_graph *graph, mg_part part) {
    if (part < MG_PART_FIXED) return false;
    uint32_t at = (uint32_t)part - MG_PART_FIXED, column = at / MG_COLUMN_PIECES;
    bool of_edges = column >= graph->columns[MG_OF_VERTICES];
    *out = (mg_column_place){.set = of_edges ? MG_OF_EDGES : MG_OF_VERTICES,
                             .column = column - (of_edges ? graph->columns[MG_OF_VERTICES] : 0),
                             .piece = (mg_column_piece)(at % MG_COLUMN_PIECES)};
    return true;
}
static inline uint32_t mg_graph_column_count(const meguri_graph *graph) { return mg_columns_count(graph, MG_OF_EDGES); }
/* A column with its values, which belong to the arcs of the out-rows. */
typedef struct mg_column_view {
    mg_column what;
    const char *name;
    const char *const *labels; /* what.labels names */
    const void *values;
    const uint8_t *validity; /* a bit for each item, the lowest first: whether it has a value; NULL: all have one */
} mg_column_view;
meguri_status mg_column_of(mg_column_view *out, meguri_ctx *ctx, const meguri_graph *graph, mg_column_set set,
                           uint32_t column, bool values);
/* The same of edges. `values`: they are wanted, too (and checked, where they lie in a file). */
meguri_status mg_graph_column(mg_column_view *out, meguri_ctx *ctx, const meguri_graph *graph, uint32_t column,
                              bool values);
/* The column of a kind; MG_NO_SUCH_COLUMN: there is none. */
#define MG_NO_SUCH_COLUMN UINT32_MAX
meguri_status mg_graph_column_of_kind(uint32_t *column, meguri_ctx *ctx, const meguri_graph *graph,
                                      meguri_column_kind kind);
/* What is wrong with columns and their texts, or NULL. */
const char *mg_columns_trouble(const meguri_graph *graph, mg_column_set set);
static inline bool mg_bit_at(const uint8_t *bits, uint64_t i) { return bits[i >> 3] >> (i & 7) & 1; }
/* Bits may be those of the caller: only whole bytes of one item after another are written at once. */
static inline void mg_bit_put(uint8_t *bits, uint64_t i, bool bit) {
    uint8_t one = (uint8_t)(1u << (i & 7));
    bits[i >> 3] = (uint8_t)(bit ? bits[i >> 3] | one : bits[i >> 3] & ~one);
}
static inline uint64_t mg_bits_bytes(uint64_t count) { return (count + 7) / 8; }
/* Whether an item has a value. */
static inline bool mg_column_has(const mg_column_view *column, uint64_t i) {
    return !column->validity || mg_bit_at(column->validity, i);
}
/* A number with a sign. */
static inline int64_t mg_value_signed(const void *values, size_t size, uint64_t i) {
    switch (size) {
    case 1: return ((const int8_t *)values)[i];
    case 2: return ((const int16_t *)values)[i];
    case 4: return ((const int32_t *)values)[i];
    default: return ((const int64_t *)values)[i];
    }
}
/* A whole number of a column. */
static inline uint64_t mg_value_whole(const void *values, size_t size, uint64_t i) {
    switch (size) {
    case 1: return ((const uint8_t *)values)[i];
    case 2: return ((const uint16_t *)values)[i];
    case 4: return ((const uint32_t *)values)[i];
    default: return ((const uint64_t *)values)[i];
    }
}

/* ---- the path index (index.c) ----------------------------------------------------------------------------------- */

/* Arrays of an index for cheapest paths along the out-rows (algo/path/path_index.h says what they mean). Vertices are
 * numbered by height here, 0 being the highest. The edges of row h lead upwards, to smaller heights; among the first
 * `uncontracted` heights, anywhere. An edge stands for both directions: side 0 leaves the vertex of the row, side 1
 * arrives. */
typedef struct mg_index_edge32 {
    uint32_t to;
    uint32_t cost[2]; /* MG_INDEX_ABSENT32: there is no way in this direction */
} mg_index_edge32;
typedef struct mg_index_edge64 {
    uint64_t cost[2]; /* whole numbers, or the bits of doubles; MG_INDEX_ABSENT, or infinity */
    uint32_t to, unused;
} mg_index_edge64;
_Static_assert(sizeof(mg_index_edge32) == 12 && sizeof(mg_index_edge64) == 24, "as they are in a file");

#define MG_INDEX_ABSENT32 UINT32_MAX
#define MG_INDEX_ABSENT   ((uint64_t)1 << 62)       /* above every cost; the sum of two is no less */
#define MG_INDEX_MOST     (((uint64_t)1 << 31) - 1) /* edges */
#define MG_INDEX_ARC      ((uint64_t)1 << 63)       /* of a half: it is an arc of the out-rows, not two edges */

/* In a file: eight numbers, of which the last are zero. */
typedef struct mg_index_facts {
    uint64_t edges;
    uint64_t shortcuts;    /* sides of edges that are no arcs */
    uint64_t uncontracted; /* vertices that were not worth taking out */
    uint64_t free_arcs;    /* 1: some arcs cost nothing */
    uint64_t unused[4];
} mg_index_facts;

typedef struct mg_index {
    mg_index_facts facts;
    uint64_t vertices;
    const uint32_t *heights;
    const uint32_t *rows;
    const mg_index_edge32 *narrow; /* one of the two */
    const mg_index_edge64 *wide;
    /* What side s of edge i stands for, at 2i+s: an arc, or two edges of one row further down, the first (in the upper
     * half of the word) followed against its direction (side 1), the second along it (side 0). */
    const uint64_t *halves;
} mg_index;

/* The index of a graph, checked at first use; *there says whether it has one. */
meguri_status mg_graph_index(mg_index *out, bool *there, meguri_ctx *ctx, const meguri_graph *graph);
/* Its size; 0: there is none. */
uint64_t mg_graph_index_bytes(const meguri_graph *graph);

/* The handle: arrays that were made for a graph, or those that lie in the file of the graph. */
struct meguri_path_index {
    uint32_t holders; /* the caller, and finders; atomic */
    const meguri_graph *graph;
    char *weight;  /* the column that it is for; NULL: the weights of the graph */
    bool stored;   /* in the graph */
    mg_index made; /* with mg_alloc, if not stored */
};
/* Takes the arrays over, also on failure; NULL: those of the graph. */
meguri_status mg_path_index_wrap(meguri_path_index **out, meguri_ctx *ctx, const meguri_graph *graph,
                                 const mg_index *made);
const meguri_path_index *mg_path_index_hold(const meguri_path_index *index);
/* Its arrays, checked at first use where they lie in a file. */
meguri_status mg_path_index_arrays(mg_index *out, meguri_ctx *ctx, const meguri_path_index *index);
void mg_index_free(mg_index *index);
/* The parts of a graph that an index is, from MG_PART_INDEX_FACTS on. They point into the handle. */
#define MG_INDEX_PARTS 5
void mg_path_index_parts(mg_part_data parts[MG_INDEX_PARTS], const meguri_path_index *index);
/* Whether sizes agree: m edges have 16m bytes of halves, and 12m or 24m of their own. */
bool mg_index_sizes(uint64_t edge_bytes, uint64_t half_bytes);
/* Whether the numbers are in bounds: facts; edges of the rows [begin, end) (whose places are); halves [begin, end). */
bool mg_index_facts_valid(const mg_index *index);
bool mg_index_edges_valid(const mg_index *index, bool real, uint64_t begin, uint64_t end);
bool mg_index_halves_valid(const mg_index *index, uint64_t arcs, uint64_t begin, uint64_t end);
/* Whether it is an index of these rows, as far as each edge by itself shows; *trouble is NULL, or says why not. */
meguri_status mg_index_verify(const char **trouble, meguri_ctx *ctx, const mg_index *index, const mg_rows *rows,
                              meguri_type weight_type);

/* The user's id of the vertex at a position, for sentences: strings in quotes, long ones cut between characters. */
#define MG_ID_TEXT 256
const char *mg_graph_id_text(char text[MG_ID_TEXT], meguri_ctx *ctx, const meguri_graph *graph, uint32_t position);

/* ---- caches (generation.c) -------------------------------------------------------------------------------------- */

/* Which generation a cache is, as it lies in a file. */
typedef struct mg_generation {
    uint64_t number, time, unused[2];
} mg_generation;
_Static_assert(sizeof(mg_generation) == 32, "as it is in a file");
#define MG_LAST_SECOND UINT64_C(253402300799) /* of the year 9999 */
/* What is wrong with one, or NULL. */
const char *mg_generation_trouble(const mg_generation *generation);
/* One that a caller gives. */
meguri_status mg_generation_take(mg_generation *out, meguri_ctx *ctx, const meguri_generation *generation);

/* The ids of a graph that lies here, for who looks up many. */
typedef struct mg_id_view {
    const meguri_graph *graph;
    const uint64_t *ids;   /* integers; NULL: id_base, id_base + 1, … */
    const uint32_t *index; /* strings: a table of positions, of which `mask` + 1 */
    uint64_t mask;
    const uint64_t *offsets;
    const char *names;
} mg_id_view;
meguri_status mg_graph_id_view(mg_id_view *out, meguri_ctx *ctx, const meguri_graph *graph);
/* The vertex that has an id; false where none has. */
bool mg_look_up_id(uint64_t *vertex, const mg_id_view *view, uint64_t id);
bool mg_look_up_name(uint64_t *vertex, const mg_id_view *view, const char *name, size_t length);

/* A decimal integer that an id of this kind can be; false where the text is none. */
bool mg_id_from_text(uint64_t *id, const char *text, meguri_id_kind kind);

/* ---- sums that tell graphs apart (sums.c) ----------------------------------------------------------------------- */

/* A number that depends on both, as if drawn at random (splitmix64's finalizer). Sums of such numbers over all arcs, or
 * all vertices, tell graphs apart and are the same in whatever order, and on whatever processes, these are. */
static inline uint64_t mg_mix(uint64_t a, uint64_t b) {
    uint64_t x = a ^ (b * 0x9e3779b97f4a7c15u + 0x632be59bd9b4e019u);
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}
/* What the values of a column are mixed with: its name and their type. */
uint64_t mg_column_seed(const char *name, meguri_type type);
/* Over the columns of the vertices at these positions: names, types and values. */
meguri_status mg_vertex_columns_sum(uint64_t *out, meguri_ctx *ctx, const meguri_graph *graph, mg_range positions);
/* Over the ids of the vertices at these positions, whose first is that of ids[0] and name_offsets[0]. */
typedef struct mg_ids_of {
    mg_range positions;
    meguri_id_kind kind;
    const uint64_t *ids; /* NULL: id_base + the position */
    uint64_t id_base;
    const uint64_t *name_offsets; /* of string ids */
    const char *names;            /* from name_offsets[0] on */
} mg_ids_of;
uint64_t mg_ids_sum(meguri_ctx *ctx, const mg_ids_of *ids);

/* ---- edges on their way into a graph (edges.c) ------------------------------------------------------------------ */

/* A block of edges in raw ids, filled by one thread. ends, weights and columns are mg_alloc blocks. */
typedef struct mg_edge_block {
    uint64_t place; /* in the input: blocks come in this order, those of one place as they were added */
    uint64_t count;
    uint32_t id_bytes;               /* 4: uint32_t pairs; 8: uint64_t pairs (signed ids as int64_t in the same bits) */
    void *ends;                      /* from, to, from, to … */
    void *weights;                   /* NULL, or count items */
    meguri_type weight_type;         /* NONE, U32, F32 or F64 */
    struct mg_block_column *columns; /* column_count of them: all that were declared, or none */
    uint32_t column_count;
} mg_edge_block;

/* The values that the edges of a block have in a column. */
typedef struct mg_block_column {
    void *values;      /* `count` of the block; mg_alloc'ed */
    meguri_type type;  /* that they have in this block */
    uint8_t *validity; /* NULL, or a bit for each value: whether it is there; lies behind the values where spilled */
    bool spilled_validity;
} mg_block_column;

void mg_edge_block_free(mg_edge_block *block);
/* Columns for a block, without values yet. */
meguri_status mg_edge_block_make_columns(meguri_ctx *ctx, mg_edge_block *block, uint32_t count);

typedef struct mg_edges mg_edges; /* all blocks of an input; spills to a temporary file when memory is short */

meguri_status mg_edges_new(mg_edges **out, meguri_ctx *ctx);
void mg_edges_free(mg_edges *edges);
/* Where the size of the input is known beforehand: refuses what neither memory nor disk can hold before any work. */
meguri_status mg_edges_expect(meguri_ctx *ctx, uint64_t bytes);
/* Takes the block's memory over, also on failure. Thread-safe. */
meguri_status mg_edges_add(meguri_ctx *ctx, mg_edges *edges, mg_edge_block *block);
/* The integer ids first … first+count-1 are vertices whether an edge touches them or not (a header said so). */
meguri_status mg_edges_declare(meguri_ctx *ctx, mg_edges *edges, uint64_t first, uint64_t count);
/* So are these (a .v or .co file said so); takes the mg_alloc array over, also on failure. */
meguri_status mg_edges_name(meguri_ctx *ctx, mg_edges *edges, uint64_t *ids, uint64_t count);
/* Ids are signed: some id in some block is negative, none is above INT64_MAX. */
void mg_edges_set_signed(mg_edges *edges);
/* Ids are strings: the ids in the blocks are numbers of this table, which is taken over. */
struct mg_names;
void mg_edges_set_names(mg_edges *edges, struct mg_names *names);
struct mg_names *mg_edges_names(const mg_edges *edges); /* NULL: ids are integers */
uint64_t mg_edges_count(const mg_edges *edges);
/* The type that some of the weights were given with. Where it is never said, as in text, they are integers if all
 * values are. Thread-safe. */
void mg_edges_declare_weights(mg_edges *edges, meguri_type type);
/* The type that results go by: the one that weights were given with, or, where parallel edges are added up, the widest
 * of its kind; NONE, that of the storage, where none was given. */
meguri_type mg_weights_declared(meguri_type given, meguri_duplicates how);
/* All have been added: blocks in the order of their places, by which edges are numbered. */
void mg_edges_number(mg_edges *edges);
/* All blocks will have one more column. AUTO: its type is the smallest that loses nothing. */
meguri_status mg_edges_declare_column(meguri_ctx *ctx, mg_edges *edges, const char *name, meguri_column_kind kind,
                                      meguri_type type, bool labelled);
uint32_t mg_edges_columns(const mg_edges *edges);
/* The names that the values of a labelled column have, by number; NULL: it is not labelled. */
struct mg_names *mg_edges_labels(const mg_edges *edges, uint32_t column);

/* Blocks whose string ids and labels are numbers in tables of their own, of 32 bits each: these tables are merged into
 * those of all, and the block is added by the maps that come of it. Both thread-safe. */
typedef struct mg_name_maps {
    uint32_t *ids;
    uint32_t **labels; /* for each column; NULL: it has none */
    uint32_t column_count;
} mg_name_maps;
void mg_name_maps_free(mg_name_maps *maps);
/* `ids` and labels[column] may be NULL, and so may `labels`. Whatever the order of the calls, names are numbered by
 * first appearance in the order of places in the end. */
meguri_status mg_edges_merge_names(mg_name_maps *out, meguri_ctx *ctx, mg_edges *edges, uint64_t place,
                                   const struct mg_names *ids, struct mg_names *const *labels);
/* Takes the block's memory and the maps over, also on failure. */
meguri_status mg_edges_add_mapped(meguri_ctx *ctx, mg_edges *edges, mg_edge_block *block, mg_name_maps *maps);

/* ---- what such edges have, for a graph that is built elsewhere (edges_read.c) ----------------------------------- */

/* What all weights have in common, so that the smallest type can be chosen. */
typedef struct mg_weight_facts {
    bool whole;     /* all are whole numbers from 0 to 2^32-1 */
    bool f32_exact; /* all are the same as 32-bit floats */
    bool nan;
    uint32_t max; /* of whole weights */
} mg_weight_facts;

mg_weight_facts mg_weight_facts_join(mg_weight_facts a, mg_weight_facts b);
meguri_type mg_weight_type_for(mg_weight_facts facts);
mg_weight_facts mg_edges_weights(const mg_edges *edges);

typedef struct mg_id_range {
    uint64_t first, count;
} mg_id_range;

/* Ranges of ids that were declared, and *count of them. */
const mg_id_range *mg_edges_declared(const mg_edges *edges, uint64_t *count);
/* Raw ids to positions (ids.c). One of four maps: position = id - base; rank in a bitmap of the ids that occur; a hash
 * table; a table by number. */
typedef struct mg_id_slot {
    uint64_t key;
    uint32_t position; /* MG_NO_VERTEX: empty */
} mg_id_slot;

typedef struct mg_id_map {
    uint64_t vertices;
    uint64_t flip;  /* xor that turns raw ids into increasing unsigned keys: the sign bit for signed ids */
    uint64_t base;  /* key of the first id */
    mg_bitmap seen; /* words NULL: every key from base on occurs, or there is a hash table */
    uint32_t *rank; /* per word of seen: ids before it */
    mg_id_slot *slots;
    uint64_t slot_mask;
    const uint32_t *table; /* of string ids: by the number that a name has in the blocks; NULL: that is its position */
} mg_id_map;

void mg_id_map_free(mg_id_map *map);
/* The smallest and the largest key, id ^ flip, of edges and of ids that were named one by one; false: there is none. */
bool mg_edges_extent(uint64_t *low, uint64_t *high, const mg_edges *edges, uint64_t flip);
/* The distinct keys of these, increasing, mg_alloc'd; the map, to be freed on failure too, leads from ids to their
 * places in this list. */
meguri_status mg_edges_keys(mg_id_map *out, uint64_t **keys, meguri_ctx *ctx, const mg_edges *edges, uint64_t flip);

/* Where the ends of edges go: that of an id is places[its place by the map], or its place itself where there are none.
 * `end_bytes` are 4 or 8. */
typedef struct mg_edges_request {
    const mg_id_map *map;
    const uint64_t *places;
    void *ends;
    uint32_t end_bytes;
    void *weights; /* of a type that loses nothing: U32, F32 or F64; NONE: nothing is written */
    meguri_type weight_type;
} mg_edges_request;
/* All of them, by all threads. Consumes the edges. */
meguri_status mg_edges_positions(meguri_ctx *ctx, mg_edges *edges, const mg_edges_request *request);

typedef struct mg_edges_cursor {
    uint64_t block, edge;
} mg_edges_cursor;
/* The next edges one after another, at most `capacity` of them; *count is 0 at the end. */
meguri_status mg_edges_next(uint64_t *count, meguri_ctx *ctx, const mg_edges *edges, mg_edges_cursor *cursor,
                            uint64_t *ends, uint64_t capacity);

/* That the directions and orders of options are known ones. */
meguri_status mg_check_build_options(meguri_ctx *ctx, const meguri_build_options *options);
/* Options that other options point to: copies them (NULL: the defaults), and lets *given point to the copy. */
meguri_status mg_own_build_options(meguri_build_options *own, meguri_ctx *ctx, const meguri_build_options **given);
/* Consumes the edges (they are empty afterwards, still to be freed) and makes the graph. `direction` in the options
 * must be decided. */
meguri_status mg_graph_build(meguri_graph **out, meguri_ctx *ctx, mg_edges *edges, const meguri_build_options *options);
/* Coordinates by raw id (by position, where ids are strings), once the graph is built; may be called again for others.
 * Vertices not named get NaN; unknown ids, and those that have some, are refused. */
meguri_status mg_graph_set_coordinates(meguri_ctx *ctx, meguri_graph *graph, const uint64_t *ids, const double *x,
                                       const double *y, uint64_t count);

/* ---- builders (builder.c) --------------------------------------------------------------------------------------- */

/* meguri_builder_new for who fills in the edges by itself, and knows only later what ids are. */
meguri_status mg_builder_new(meguri_builder **out, meguri_ctx *ctx);
mg_edges *mg_builder_edges(const meguri_builder *builder);
/* Ids are strings; nothing happens where they are already. */
meguri_status mg_builder_string_ids(meguri_ctx *ctx, meguri_builder *builder);

/* Vertices and where they are. */
typedef struct mg_vertex_rows {
    uint64_t *ids; /* raw ones, or numbers of names */
    double *x, *y; /* NULL: not known */
    uint64_t count;
} mg_vertex_rows;
void mg_vertex_rows_free(mg_vertex_rows *rows);
/* Takes the mg_alloc arrays over, also on failure. Thread-safe. */
meguri_status mg_builder_rows(meguri_ctx *ctx, meguri_builder *builder, mg_vertex_rows *rows);
/* meguri_builder_finish with other options than those of the builder. */
meguri_status mg_builder_build(meguri_graph **out, meguri_ctx *ctx, meguri_builder *builder,
                               const meguri_build_options *options);

/* ---- string ids (names.c) --------------------------------------------------------------------------------------- */

/* A growing table of strings, numbered by first appearance. */
typedef struct mg_names mg_names;
meguri_status mg_names_new(mg_names **out, meguri_ctx *ctx);
void mg_names_free(mg_names *names);
/* The number of a string, which is added if it is new. */
meguri_status mg_names_add(meguri_ctx *ctx, mg_names *names, const char *text, size_t length, uint32_t *number);
uint64_t mg_names_count(const mg_names *names);
const char *mg_names_get(const mg_names *names, uint32_t number, size_t *length);
/* Adds every string of `local` in its order; map[i] (mg_names_count(local) entries) becomes its number here. */
meguri_status mg_names_merge(meguri_ctx *ctx, mg_names *names, const mg_names *local, uint32_t *map);
/* Gives the graph the names; the table keeps their number alone. */
meguri_status mg_names_into_graph(meguri_ctx *ctx, mg_names *names, meguri_graph *graph);

/* Whether a text is UTF-8 without line ends, tabs and zeros. */
bool mg_is_name(const char *text, size_t length);

/* ---- weights as sortable payloads (weights.c) ------------------------------------------------------------------- */

/* While arcs are sorted, a weight is an unsigned number of 4 or 8 bytes that sorts as the weight does. */
uint32_t mg_payload_bytes(meguri_type type); /* 0, 4 or 8 */
void mg_weights_to_payload(void *payload, meguri_type to, const void *weights, meguri_type from, uint64_t count);
/* May work in place: weights are never larger than payloads. */
void mg_payload_to_weights(void *weights, meguri_type type, const void *payload, uint64_t count);
void mg_payload_of_ones(void *payload, meguri_type type, uint64_t count);
/* Where edges have columns, arcs carry the number of their edge too: payload and number as one unsigned number of 4, 8
 * or 16 bytes, the payload on top. `number_bytes` is 4 or 8; 0: there are no columns. */
uint32_t mg_carried_bytes(meguri_type type, uint32_t number_bytes);
void mg_carry_numbers(void *carried, const void *payload, meguri_type type, uint32_t number_bytes, uint64_t first,
                      uint64_t count);
void mg_carried_numbers(void *numbers, const void *carried, meguri_type type, uint32_t number_bytes, uint64_t count);
/* May work in place. */
void mg_carried_payload(void *payload, const void *carried, meguri_type type, uint32_t number_bytes, uint64_t count);
mg_weight_facts mg_weight_facts_of(const void *weights, meguri_type type, uint64_t count);

/* ---- parallel arcs into one (merge.c) --------------------------------------------------------------------------- */

typedef struct mg_merge {
    meguri_duplicates how;
    meguri_type type;      /* of what arcs carry; NONE: no weights */
    uint32_t number_bytes; /* of the edges' numbers, which say what comes first */
} mg_merge;

static inline bool mg_merge_adds(meguri_duplicates how) {
    return how == MEGURI_DUPLICATES_SUM || how == MEGURI_DUPLICATES_COUNT;
}
/* Of equal arcs, the one that is kept depends on where edges lie in the input. */
static inline bool mg_merge_needs_numbers(meguri_duplicates how) { return how == MEGURI_DUPLICATES_FIRST; }
/* Whether weights of the input are of no use. */
static inline bool mg_ignores_weights(const meguri_build_options *o) {
    return o->ignore_weights || o->duplicates == MEGURI_DUPLICATES_COUNT;
}
/* The type that weights have while they are sorted and merged: for sums one that holds them all. A count is the sum of
 * ones. */
meguri_type mg_merge_type(meguri_duplicates how, mg_weight_facts facts, uint64_t edges);
/* Of the carried items [begin, end), which are of equal arcs, makes the one at `begin`; where all are kept, puts them
 * in order. False where no weight holds a sum. */
bool mg_merge_carried(const mg_merge *merge, void *carried, uint64_t begin, uint64_t end);
#define MG_NO_SUM                                                                                                      \
    "the weights of the parallel edges from %s to %s have a sum that no weight holds: whole numbers go up to 2^53, "   \
    "others are finite; with another choice of the option duplicates than sum nothing is added."

/* What weights have in common, as far as it decides whether a smaller type than theirs holds them all. */
mg_weight_facts mg_weight_facts_all(meguri_ctx *ctx, const void *weights, meguri_type type, uint64_t count);
/* May work in place where the new type is not larger. */
void mg_weights_convert(void *to, meguri_type to_type, const void *from, meguri_type from_type, uint64_t count);
/* Weights to the smallest type that holds all of them. */
meguri_status mg_weights_narrow(meguri_ctx *ctx, mg_part_data *weights, meguri_type *type, uint64_t count);

/* ---- arcs into rows (csr_build.c) ------------------------------------------------------------------------------- */

/* Arcs in positions, in pieces that one thread works on at a time. */
typedef struct mg_arc_batch {
    const uint32_t *pairs; /* row, column, row, column … */
    const void *payload;   /* items of mg_carried_bytes */
    uint64_t count;
} mg_arc_batch;

typedef struct mg_arc_source mg_arc_source;
struct mg_arc_source {
    uint64_t pieces;
    uint64_t scratch_bytes; /* per thread */
    /* Batch by batch: *cursor is 0 at the start of a piece; count 0 ends it. */
    meguri_status (*next)(const mg_arc_source *self, meguri_ctx *ctx, uint64_t piece, uint64_t *cursor,
                          mg_arc_batch *batch, void *scratch);
    /* Called when a piece will not be read again; may be NULL. */
    void (*done)(const mg_arc_source *self, uint64_t piece);
};

typedef struct mg_csr_request {
    const mg_arc_source *source;
    uint64_t vertices;
    uint64_t arcs_at_most; /* of the source, before symmetric doubling */
    bool symmetric;        /* store every arc both ways (loops once) */
    bool keep_loops;
    meguri_duplicates duplicates;
    meguri_type weight_type; /* that arcs carry, and the result has (mg_merge_type) */
    uint32_t number_bytes;   /* of the numbers that arcs carry; 0: none */
    bool drop_numbers;       /* they only say what comes first: the result has none */
    uint64_t reserve;        /* bytes to leave for what comes after, so that a result too large for both goes to disk */
    const meguri_graph *graph; /* whose vertices a sentence names; NULL: nothing is added up */
    const char *run;           /* name in the trace */
} mg_csr_request;

typedef struct mg_csr {
    void *offsets; /* mg_alloc'ed, vertices+1 entries of offset_bytes */
    uint32_t offset_bytes;
    mg_part_data neighbors, weights; /* owned or mapped */
    mg_part_data numbers;            /* of the edge that each arc is, number_bytes each */
    uint64_t arcs;
    uint64_t edges;                             /* arcs, or arcs with row <= column where symmetric */
    uint64_t dropped_loops, dropped_duplicates; /* in edges of the source */
} mg_csr;

meguri_status mg_csr_build(mg_csr *out, meguri_ctx *ctx, const mg_csr_request *request);
void mg_csr_free(mg_csr *csr);

/* ---- rows in tiles (row_tiles.c) -------------------------------------------------------------------------------- */

#define MG_TILE_STRIP ((uint64_t)1 << 16) /* columns: 512 KB of doubles, and a column is a 16-bit number */
#define MG_TILE_AHEAD 64                  /* columns between fetching an item and reading it, in wide tiles */

/* All arcs from a range of columns into a group of rows. `pieces` and `columns` are places in mg_row_tiles.cells.
 *
 * The part of a row that lies in a tile is a piece (several, if it is very long). Pieces of one length follow each
 * other, and are told together: at `pieces` their length, their number, and the row of each, counted from the group's
 * first; and so on for other lengths, increasing, very long ones first; then a zero. At `columns` lie the columns of
 * all pieces in the same order: 16-bit numbers from `first` on, or in a wide tile 32-bit numbers from 0 on, with
 * MG_TILE_AHEAD zeros behind the last. */
typedef struct mg_row_tile {
    uint64_t first, end; /* columns */
    uint64_t pieces, columns;
    uint32_t group;
    uint32_t turn; /* so many tiles of the group are summed before this one */
} mg_row_tile;

typedef struct mg_row_tiles {
    uint64_t count;     /* 0: there are none */
    mg_row_tile *tiles; /* in the order in which they are taken up */
    uint32_t *of_group; /* how many the group has */
    uint16_t *cells;
    uint64_t cell_count;
} mg_row_tiles;

static inline bool mg_row_tile_is_wide(const mg_row_tile *tile) { return tile->end - tile->first > MG_TILE_STRIP; }

/* Group g has the rows groups[g] … groups[g + 1] - 1. They depend on the rows alone. */
meguri_status mg_row_groups_new(uint64_t **groups, uint64_t *count, meguri_ctx *ctx, const mg_rows *rows,
                                const char *phase);
/* What the tiles are for: a name for progress, and whether the tiles of a group are taken up by increasing columns,
 * which matters to those for whom the order of additions does; else wide ones come last. */
typedef struct mg_row_tiles_use {
    const char *phase;
    bool in_order;
} mg_row_tiles_use;
/* Columns are below `columns`. Without memory for them there are no tiles, and that is no failure. */
meguri_status mg_row_tiles_new(mg_row_tiles *out, meguri_ctx *ctx, const mg_rows *rows, uint64_t columns,
                               const uint64_t *groups, uint64_t group_count, const mg_row_tiles_use *use);
void mg_row_tiles_free(mg_row_tiles *tiles);

#endif
