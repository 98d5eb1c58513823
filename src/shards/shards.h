/* shards: a graph in parts, and building it without any process ever having it whole.
 *
 *   layout   which process has which part of the adjacency matrix (papers P1 and P2)
 *   window   dense arrays between those who own vertices and those who look at them
 *   shards   the parts; making them of edges, generators, text and files; asking, saving, writing results
 *
 * Numberings, besides those of graph.h: a vertex has a *number* g over all processes. Its owner is process g % P, where
 * it is the local vertex g / P: so every process has as many vertices as any other. What numbers are is the choice of
 * owners (meguri_owner): ranks by degree, so that every process has its share of the hubs, and vertices without arcs
 * have no owner; positions; or positions in blocks, so that neighbours stay together (mg_blocks). A *window* is the set
 * of all vertices whose arcs a process looks at, on one side: those of its processor column as sources, those of its
 * row as targets. It is a sequence of blocks, one for each owner, of `stride` places each. Positions in the user's
 * order are dealt in ranges: a position's *home* knows its id. */
#ifndef MG_SHARDS_H
#define MG_SHARDS_H

#include "gen/gen.h"
#include "graph/graph.h"
#include "io/io.h"
#include "net/net.h"

/* ---- shared_file.c: one file written by all --------------------------------------------------------------------- */

/* A file under a temporary name that all processes write at their places. */
meguri_status mg_shared_open(mg_outfile *out, meguri_ctx *ctx, meguri_cluster *cluster, const char *path);
/* Everybody tells how it went: the file gets its name, or nothing of it remains. Closes it in any case. */
meguri_status mg_shared_close(meguri_ctx *ctx, meguri_cluster *cluster, mg_outfile *file, meguri_status status);

/* ---- same_file.c: one file read by all -------------------------------------------------------------------------- */

/* What a rank sees of a file: its size, and a number that stands for its content. */
typedef struct mg_seen {
    uint64_t kind, bytes, hash;
} mg_seen;
enum {
    MG_SEEN_NOTHING,
    MG_SEEN_FILE,
    MG_SEEN_STREAM /* no regular file: if it is one to the first rank, that one alone reads it */
};

/* The same bytes are hashed on every rank; `whole`: all of them, also of a long file. */
meguri_status mg_see_file(mg_seen *out, meguri_ctx *ctx, const char *path, bool whole);
/* The same for what lies in memory. */
uint64_t mg_hash_memory(meguri_ctx *ctx, const void *data, uint64_t bytes);
/* As mg_agree, and that all ranks see the same: else MEGURI_BAD_INPUT, and a sentence that names those that do not, and
 * the file. A failure that not all have is told with its rank. */
meguri_status mg_agree_seen(meguri_ctx *ctx, meguri_cluster *cluster, meguri_status status, const char *name,
                            const mg_seen *seen);
/* The two together, of a file that ranks are about to read. NULL: this rank knows of none. */
meguri_status mg_agree_file(meguri_ctx *ctx, meguri_cluster *cluster, const char *path, bool whole);

/* ---- numbers ---------------------------------------------------------------------------------------------------- */

/* What all processes number together, vertices and positions, is *global*: 64 bits. Arrays and messages have it in 32
 * where all vertices of the graph fit, else they are `wide`. What a process numbers for itself, its vertices and the
 * places of its windows, is *local*: 32 bits. */
typedef struct mg_globals {
    void *items;
    bool wide;
} mg_globals;
#define MG_MAX_GLOBAL (((uint64_t)1 << 48) - 2) /* vertices of a graph in parts */
#define MG_MAX_PLACES MG_MIN((uint64_t)1 << MG_LOCAL_BITS, (uint64_t)UINT32_MAX)

static inline bool mg_is_wide(uint64_t vertices) { return vertices > MG_MAX_VERTICES; }
static inline size_t mg_global_bytes(bool wide) { return wide ? 8 : 4; }
static inline uint64_t mg_no_global(bool wide) { return wide ? UINT64_MAX : UINT32_MAX; }
static inline uint64_t mg_global_at(mg_globals a, uint64_t i) {
    return a.wide ? ((const uint64_t *)a.items)[i] : ((const uint32_t *)a.items)[i];
}
static inline void mg_global_put(mg_globals a, uint64_t i, uint64_t number) {
    if (a.wide) ((uint64_t *)a.items)[i] = number;
    else ((uint32_t *)a.items)[i] = (uint32_t)number;
}
/* Those from the i-th on. */
static inline mg_globals mg_globals_from(mg_globals a, uint64_t i) {
    return (mg_globals){(char *)a.items + i * mg_global_bytes(a.wide), a.wide};
}
/* Room for `count`; items is NULL where there is none. */
static inline mg_globals mg_globals_new(meguri_ctx *ctx, uint64_t count, bool wide, const char *what) {
    return (mg_globals){mg_alloc_array_zero(ctx, count, mg_global_bytes(wide), what), wide};
}
/* One at any byte. */
static inline uint64_t mg_global_read(const void *from, bool wide) {
    uint64_t number;
    uint32_t narrow;
    if (wide) memcpy(&number, from, sizeof number);
    else {
        memcpy(&narrow, from, sizeof narrow);
        number = narrow;
    }
    return number;
}
static inline void mg_global_write(void *to, bool wide, uint64_t number) {
    const uint32_t narrow = (uint32_t)number;
    if (wide) memcpy(to, &number, sizeof number);
    else memcpy(to, &narrow, sizeof narrow);
}
/* Ends of edges, as mg_drawing.draw writes them. */
static inline uint64_t mg_globals_draw(mg_globals ends, const mg_drawing *drawing, void *weights, uint64_t begin,
                                       uint64_t end) {
    return ends.wide ? drawing->draw_wide(drawing, ends.items, weights, begin, end)
                     : drawing->draw(drawing, ends.items, weights, begin, end);
}
/* In increasing order, with payloads. */
static inline meguri_status mg_sort_globals(meguri_ctx *ctx, mg_globals a, void *payload, uint32_t payload_bytes,
                                            uint64_t count) {
    return a.wide ? mg_sort_u64(ctx, a.items, payload, payload_bytes, count, 64)
                  : mg_sort_u32(ctx, a.items, payload, payload_bytes, count, 32);
}
/* A local number, known to be one. */
static inline uint32_t mg_local(uint64_t number) {
#if MG_LOCAL_BITS < 32
    if (number >> MG_LOCAL_BITS) __builtin_trap(); /* in the test alone that is built so */
#endif
    return (uint32_t)number;
}

/* Division by a number that does not change, of 32-bit ones without dividing (Lemire, Kaser and Kurz, 2019). */
typedef struct mg_splitter {
    uint64_t reciprocal;
    uint32_t by;
} mg_splitter;
static inline mg_splitter mg_splitter_of(uint32_t by) { return (mg_splitter){UINT64_MAX / by + 1, by}; }
static inline uint64_t mg_split_whole(const mg_splitter *s, uint64_t n) {
    if (s->by == 1) return n;
    return n >> 32 ? n / s->by : (uint64_t)((unsigned __int128)s->reciprocal * n >> 64);
}
static inline uint32_t mg_split_rest(const mg_splitter *s, uint64_t n) {
    return (uint32_t)(n - mg_split_whole(s, n) * s->by);
}

/* A line of `count` vertices in contiguous blocks, MG_BLOCK_TURNS for each process in turn: few enough that neighbours
 * are in the same one, and so many that a wave that goes along the line finds most processes at work. */
#define MG_BLOCK_TURNS 4
typedef struct mg_blocks {
    uint64_t count, processes;
    uint64_t each, more; /* every process has `each` of them, and the first `more` have another */
} mg_blocks;
static inline mg_blocks mg_blocks_of(uint64_t count, int processes) {
    uint64_t size = (uint64_t)processes;
    return (mg_blocks){count, size, count / size, count % size};
}
/* The number of the vertex at a place of the line: the blocks of turn k have the local vertices from each * k / TURNS
 * on; those of the last turn differ by one. */
static inline uint64_t mg_blocks_number(const mg_blocks *b, uint64_t place) {
    uint64_t turn = MG_BLOCK_TURNS - 1;
    while (b->processes * (b->each * turn / MG_BLOCK_TURNS) > place) turn--;
    uint64_t first = b->each * turn / MG_BLOCK_TURNS, length = b->each * (turn + 1) / MG_BLOCK_TURNS - first;
    uint64_t at = place - b->processes * first, process, local;
    if (turn + 1 < MG_BLOCK_TURNS || at >= b->more * (length + 1)) {
        if (turn + 1 == MG_BLOCK_TURNS) at -= b->more;
        process = at / length;
        local = at % length;
    } else {
        process = at / (length + 1);
        local = at % (length + 1);
    }
    return (first + local) * b->processes + process;
}

/* ---- layout.c --------------------------------------------------------------------------------------------------- */

/* Vertices on one side of the arcs that a process has. Owners have blocks of it, in this order; members need it. In a
 * grid these are the same processes. */
typedef struct mg_window {
    mg_group owners, members;
    const int *block;    /* by process: the block of its vertices */
    bool source, target; /* what it is a window of */
    uint64_t stride;     /* places of a block: a multiple of 64 */
    uint64_t places;     /* of all: what bitmaps and rows are long */
} mg_window;

/* Which process has which arcs.
 *   grid   R × C processes, process j·R + i at row i and column j (P2). It has the arcs from vertices of the owners in
 *          column j to those of the owners in row i. C = 1 is P2's `replicated`, R = 1 its `simple`.
 *   pairs  N × N blocks on N²/2 processes, N even (P1): each has the blocks (a, b) and (b, a), or two on the diagonal,
 *          so that of a symmetric matrix it needs only one form.
 * A grid has a window for its sources and one for its targets; pairs have two, each for both, and so has one process
 * alone one. Between two processes, at most one message goes from the owners to the members of windows. */
typedef struct mg_layout {
    int size, rank;
    uint64_t active;   /* vertices that are owned, once they are known */
    int rows, columns; /* of a grid; blocks in each direction of pairs */
    bool pairs;
    int windows, tiles;
    mg_window window[2];
    int tile_source[2], tile_target[2]; /* windows that the arcs of a tile lead from and to */
    uint32_t source_owners;             /* blocks of a window of sources, the same for all of them */
    int *source_side, *target_side;     /* by process: which window its vertices are in, of all there are */
    int *source_block, *target_block;   /* … and which block of it they are */
} mg_layout;

/* Where arcs lie. */
typedef struct mg_place {
    int rank, tile;
} mg_place;

/* rows and columns 0: as square as the number of processes allows, or pairs where that is asked for; by blocks one row,
 * so that the arcs of a vertex are where it is, and only what leaves a block travels. */
meguri_status mg_layout_new(mg_layout *out, meguri_ctx *ctx, const meguri_cluster *cluster,
                            const meguri_layout *options, meguri_owner owner);
/* That there is one. */
meguri_status mg_layout_check(meguri_ctx *ctx, const meguri_cluster *cluster, const meguri_layout *options);
void mg_layout_free(mg_layout *layout);
/* The length of the windows, once the number of vertices that are owned is known. */
void mg_layout_measure(mg_layout *layout, uint64_t active);
/* Of all vertices that are owned, those of a process: its block has these, and places beyond them. */
static inline uint64_t mg_layout_owned(const mg_layout *layout, int rank) {
    uint64_t r = (uint64_t)rank;
    return layout->active > r ? (layout->active - r - 1) / (uint64_t)layout->size + 1 : 0;
}
/* Of an arc from a vertex that process `from` owns to one of process `to`. */
mg_place mg_layout_place(const mg_layout *layout, int from, int to);

/* The place in a window of a vertex that is in it. */
static inline uint32_t mg_window_place(const mg_window *w, uint32_t size, uint64_t g) {
    return mg_local((uint64_t)w->block[g % size] * w->stride + g / size);
}
/* The number of the vertex at a place. */
static inline uint64_t mg_window_number(const mg_window *w, uint32_t size, uint32_t place) {
    return place % w->stride * size + (uint64_t)w->owners.ranks[place / w->stride];
}

/* ---- window.c: between the owners and the members of windows ---------------------------------------------------- */

/* Dense: every owner's items (of its vertices, stride of them) to all members: all[w] has those of window w, or is NULL
 * where the window does not matter. */
meguri_status mg_windows_gather(meguri_ctx *ctx, meguri_cluster *cluster, const mg_layout *layout, const char *kind,
                                const void *mine, size_t item_bytes, void *const all[2]);
/* Dense, the other way: mine = the members' items for the vertices of this owner, combined one member after another in
 * the order of the window's members, beginning with a copy of the first. `room` has mg_windows_fold_items items; NULL:
 * it is allocated, which takes an agreement. */
meguri_status mg_windows_fold(meguri_ctx *ctx, meguri_cluster *cluster, const mg_layout *layout, const char *kind,
                              void *mine, size_t item_bytes, void *const all[2], mg_combine_fn *combine, void *room);
uint64_t mg_windows_fold_items(const mg_layout *layout);

/* Sparse: a plan (net.h). To members: message 0 is about the own vertices, and comes from every other owner of a chosen
 * window, side and block. To owners: there is a message about the block of every other owner of a chosen window, found
 * by mg_sparse_to, and one comes from every other member of the own window, side and place in it. */
typedef struct mg_windows_plan {
    const char *kind;
    bool to_owners;
    bool each;      /* to members: a message of its own to each, found by mg_sparse_to */
    bool chosen[2]; /* windows; of those that are not, nothing is told */
    size_t item_bytes;
    bool packed;
} mg_windows_plan;
meguri_status mg_windows_sparse(mg_sparse **out, meguri_ctx *ctx, meguri_cluster *cluster, const mg_layout *layout,
                                const mg_windows_plan *plan);

/* ---- shards.c: a graph in parts --------------------------------------------------------------------------------- */

/* The memory of rows (turn.c). */
typedef struct mg_turned {
    void *offsets; /* of offset_bytes each, 4 or 8 */
    uint32_t offset_bytes;
    uint32_t *neighbors;
    char *weights;
    uint64_t arcs;
} mg_turned;
void mg_turned_free(mg_turned *turned);

/* Arcs that this process has: from the vertices of one window to those of another. Rows are by number (hubs first,
 * where owners are by degree), equal ones by weight. */
typedef struct mg_tile {
    const mg_window *sources, *targets; /* of the layout */
    mg_rows in;                         /* by place in `targets`: places in `sources` */
    mg_rows out;         /* by place in `sources`: places in `targets`; once mg_shards_both_ways was called */
    mg_turned memory[2]; /* of `in` and `out`, as far as it is their own */
    void *numbers;       /* where columns are kept: which arcs those of `in` are (columns.c) */
} mg_tile;

/* A column of edges: its values for a range of the arcs of the graph that this was made of. */
typedef struct mg_shards_column {
    char *name;
    bool nullable; /* values may be missing, which these do not show */
    meguri_type type;
    char *values;
} mg_shards_column;

typedef struct mg_shards {
    meguri_cluster *cluster;
    mg_layout layout;
    meguri_owner owner;             /* never AUTO */
    uint64_t vertices, arcs, edges; /* of the whole graph */
    bool wide;                      /* there are more vertices than 32 bits number */
    uint64_t active;                /* vertices that have an owner: by degree all with arcs, otherwise all */
    uint64_t isolated;              /* vertices without arcs */
    uint64_t input_edges, dropped_loops, dropped_duplicates;
    bool directed;
    meguri_type weight_type;      /* in memory: u32 also where less would do */
    meguri_type declared_weights; /* mg_graph's */
    meguri_type file_weights;     /* what a file, and a graph on one machine, has them as */
    bool adds;                    /* weights of parallel edges were added up */
    uint64_t no_sum[2];           /* the numbers of two vertices between which no weight holds the sum; UINT64_MAX */
    uint32_t columns_left;        /* columns that the edges have where they come from, and do not have here */

    /* The vertices that this process owns, by local number. */
    uint32_t owned;
    mg_globals position; /* in the user's order */
    uint32_t *degree;    /* arcs that leave it */
    uint32_t *in_order;  /* all of them, by position */

    /* The positions that this process is home of. */
    mg_range home;
    mg_globals number; /* by position - home.begin; numbers from `active` on have no owner */
    meguri_id_kind id_kind;
    bool of_programs;       /* it was made for programs of a graph with columns and an order, which it keeps, and … */
    uint64_t vertex_sum;    /* … the sum of the columns of these vertices (mg_vertex_columns_sum) */
    bool has_order;         /* it was opened for programs from a file with an order of its own … */
    uint32_t *internal;     /* … where these positions have these numbers */
    uint64_t id_base;       /* the id at position 0, where ids is NULL and ids are integers */
    uint64_t *ids;          /* of these positions, or NULL: the same at all processes */
    uint64_t *name_offsets; /* of string ids: home positions + 1 places in names */
    char *names;

    mg_tile tile[2];       /* layout.tiles of them */
    uint32_t column_count; /* of edges, where it was made for programs */
    mg_shards_column *columns;
    meguri_type numbers_as;        /* the type of tile[].numbers: U32, or F64 */
    mg_globals window_position[2]; /* of windows of sources, by place: where a vertex is in the user's order */
} mg_shards;

void mg_shards_free(mg_shards *shards);
/* The shards of a graph that lies in parts. */
static inline mg_shards *mg_shards_of(const meguri_graph *graph) { return graph->parts; }
/* A graph that lies in these parts, which it takes over, also on failure. All processes call it, each with how making
 * the parts went. */
meguri_status mg_shards_graph(meguri_graph **out, meguri_ctx *ctx, meguri_cluster *cluster, mg_shards *shards,
                              meguri_status status);

/* The process that is home of a position: part k of mg_share begins at floor(vertices · k / processes). */
static inline int mg_home(uint64_t vertices, int processes, uint64_t position) {
    return (int)(((position + 1) * (uint64_t)processes - 1) / vertices);
}

/* Edges of a graph, from wherever they come: this process's share. `next` writes up to `capacity` edges as positions
 * and weights (weights is NULL where there are none) and returns how many; 0 at the end. */
typedef struct mg_edge_source {
    uint64_t (*next)(void *user, mg_globals ends, void *weights, uint64_t capacity);
    void *user;
    uint64_t vertices; /* say whether ends are wide */
    bool directed;     /* else every edge is stored both ways … */
    bool both_ways;    /* … unless it already comes both ways */
    bool keep_loops;
    meguri_duplicates duplicates;
    meguri_type weights; /* NONE, U32, F32 or F64; where edges are counted they are not looked at */
    bool smallest_type;  /* weights get the smallest type that holds those that are left */
    /* Where the first of parallel edges is kept: the place in the input of the i-th edge that this process has given;
     * called for those that were given last, and where `ends` are given from any thread. */
    uint64_t (*place)(const void *user, uint64_t edge);
    /* Where set, edges name vertices by numbers below `active`, owned as `owner` says; this gives the numbers of
     * positions. */
    meguri_status (*number)(void *user, meguri_ctx *ctx, mg_globals out, mg_range positions);
    meguri_owner owner;
    uint64_t active;
    /* Where set, instead of edges, which are numbered: fills the tiles of a layout, if that is better there. */
    bool (*takes)(void *user, const mg_layout *layout);
    meguri_status (*take)(void *user, meguri_ctx *ctx, mg_shards *shards);
    /* Where set, instead of `next`: all edges, in mg_alloc'd blocks that are taken over, also on failure. */
    void *ends;
    void *end_weights;
    uint64_t count;
} mg_edge_source;

/* The graph in parts. Ids are the positions until they are set otherwise. All processes call it. */
meguri_status mg_shards_build(mg_shards **out, meguri_ctx *ctx, const mg_edge_source *source,
                              const meguri_layout *layout);

/* Keeps the order of a graph that every process has, or has open, where the layout is for programs (open.c). */
meguri_status mg_shards_take_order(meguri_ctx *ctx, mg_shards *shards, const meguri_graph *graph,
                                   const meguri_layout *layout);

/* ---- columns.c: columns of edges, where the layout is for programs ---------------------------------------------- */

/* Whether arcs travel with their numbers, of this type, instead of weights. */
bool mg_shards_keep_columns(const meguri_graph *graph, const meguri_layout *layout);
meguri_type mg_shards_numbers_as(const meguri_graph *graph);
/* Then: weights, of type `as`, to the arcs of the tiles, and columns to who keeps them. All processes call these. */
meguri_status mg_shards_take_columns(meguri_ctx *ctx, mg_shards *shards, const meguri_graph *graph,
                                     const meguri_layout *layout, meguri_type as);
/* NULL: there is none. */
const mg_shards_column *mg_shards_column_named(const mg_shards *shards, const char *name);
/* Values for the arcs of a tile's in-rows; mg_alloc'd. */
meguri_status mg_shards_column_values(void **out, meguri_ctx *ctx, mg_shards *shards, const mg_shards_column *column,
                                      int tile);
void mg_shards_free_columns(mg_shards *shards);

/* ---- call.c: calls about graphs --------------------------------------------------------------------------------- */

void mg_call_layout(mg_call *call, const meguri_layout *options);
void mg_call_build(mg_call *call, const meguri_build_options *options);
/* Of a graph that every rank has as a whole, and whose rows are checked: its arcs, their weights and its order, too. */
void mg_call_graph(mg_call *call, meguri_ctx *ctx, const meguri_graph *graph);
/* A process alone can no longer go on in the midst of things: the others are ended with its cluster. */
void mg_graph_give_up(const meguri_graph *graph);
/* As mg_agree_call, of a call about a graph, which one process alone has if it is whole. */
meguri_status mg_graph_agree(meguri_ctx *ctx, const meguri_graph *graph, meguri_status status, const mg_call *call);

/* rows.c: rows by source as well, made the first time. Whoever looks at `out` calls it before; all processes do. */
meguri_status mg_shards_both_ways(meguri_ctx *ctx, mg_shards *shards);
static inline bool mg_tile_both_ways(const mg_tile *tile) { return tile->out.offsets32 || tile->out.offsets64; }

/* degree[local] = arcs that leave the own vertices, or lead to them; stride places, zero at first. All processes call
 * it.
 */
meguri_status mg_shards_count_degrees(uint32_t *degree, meguri_ctx *ctx, mg_shards *shards, bool in);

/* ---- making graphs in parts: what mg_makers names --------------------------------------------------------------- */

/* From a generator, of which each process draws its share (sources.c). */
meguri_status mg_shards_kronecker(meguri_graph **out, meguri_ctx *ctx, const meguri_kronecker_options *what);
meguri_status mg_shards_rmat(meguri_graph **out, meguri_ctx *ctx, const meguri_rmat_options *what);
meguri_status mg_shards_uniform(meguri_graph **out, meguri_ctx *ctx, const meguri_uniform_options *what);
meguri_status mg_shards_grid(meguri_graph **out, meguri_ctx *ctx, const meguri_grid_options *what);
/* From a file, of which each reads its share (open.c, read.c). */
meguri_status mg_shards_open(meguri_graph **out, meguri_ctx *ctx, const char *path, const meguri_layout *layout);
meguri_status mg_shards_read(meguri_graph **out, meguri_ctx *ctx, const char *const *paths, size_t path_count,
                             const meguri_read_options *what);

/* ---- asking a graph in parts: what mg_elsewhere names ----------------------------------------------------------- */

meguri_status mg_shards_find_id(uint64_t *vertex, meguri_ctx *ctx, void *shards, uint64_t id);
meguri_status mg_shards_find_name(uint64_t *vertex, meguri_ctx *ctx, void *shards, const char *name, size_t length);
meguri_status mg_shards_id(char *out, size_t room, size_t *length, meguri_ctx *ctx, void *shards, uint64_t vertex);
meguri_status mg_shards_save(meguri_ctx *ctx, void *shards, const char *path);
meguri_status mg_shards_write(meguri_ctx *ctx, void *shards, const meguri_result *result, const char *path);
meguri_status mg_shards_top(uint64_t *vertices, double *values, uint64_t *count, meguri_ctx *ctx, void *shards,
                            const meguri_result *result, const char *column, uint64_t most);
meguri_status mg_shards_groups(uint64_t *groups, uint64_t *sizes, uint64_t *count, meguri_ctx *ctx, void *shards,
                               const meguri_result *result, const char *column, uint64_t most);

/* ---- ask.c: positions and owners ------------------------------------------------------------------------- */

/* The number of the vertex at a position, at all processes: its owner is number % processes; `active` and beyond have
 * none, and no arcs. */
meguri_status mg_shards_number(uint64_t *out, meguri_ctx *ctx, mg_shards *shards, uint64_t position);
/* By local number, the place of an own vertex among these in the user's order; mg_alloc'd. Only this process is asked.
 */
meguri_status mg_shards_slots(uint32_t **out, meguri_ctx *ctx, const mg_shards *shards);
/* From the owners (mine[local]) to the homes (out[position - home.begin]) of all vertices; *isolated is what those
 * without arcs get. */
meguri_status mg_shards_to_homes(meguri_ctx *ctx, mg_shards *shards, void *out, const void *mine, size_t item_bytes,
                                 const void *isolated);
/* The same, of items that lie in the user's order already: mine[i] is of the vertex in_order[i]. */
meguri_status mg_shards_in_order_to_homes(meguri_ctx *ctx, mg_shards *shards, void *out, const void *mine,
                                          size_t item_bytes, const void *isolated);
/* The other way: mine[local] becomes theirs[position - home.begin]. */
meguri_status mg_shards_from_homes(meguri_ctx *ctx, mg_shards *shards, void *mine, const void *theirs,
                                   size_t item_bytes);
/* The user's id of the vertex at a position, for sentences (as mg_graph_id_text), at all processes. */
meguri_status mg_shards_id_text(char text[MG_ID_TEXT], meguri_ctx *ctx, mg_shards *shards, uint64_t position);

/* ---- ids.c: ids at homes --------------------------------------------------------------------------------- */

/* Ids of the positions that a process is home of, and then of others. */
typedef struct mg_known_ids {
    uint64_t *ids;          /* of integer ids */
    uint64_t *name_offsets; /* of string ids, with a place more than there are names */
    char *names;
} mg_known_ids;
/* `others` increases. All processes call it. */
meguri_status mg_shards_know(mg_known_ids *out, meguri_ctx *ctx, mg_shards *shards, const uint64_t *others,
                             uint64_t count);
void mg_known_ids_free(mg_known_ids *known);

/* Whether a column has an item for each vertex of this process (write.c). */
meguri_status mg_check_part(meguri_ctx *ctx, const mg_shards *shards, const meguri_column *column);

/* For what io does in shares, where a process may fail alone and leave: all others hear of it where they meet next. */
typedef struct mg_summing {
    meguri_ctx *ctx;
    meguri_cluster *cluster;
    bool told; /* all know that it failed: nobody meets any more */
} mg_summing;
/* As mg_agree, once. */
meguri_status mg_tell(mg_summing *summing, meguri_status status);
/* mg_share_of.sum; `user` is a mg_summing. */
meguri_status mg_sum_shares(void *user, meguri_status status, uint64_t *values, uint64_t *all, uint32_t count);

#endif
