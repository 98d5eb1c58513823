/* cluster: processes that work on one graph together.
 *
 *   transport    how bytes get from one process to another: MPI (mpi/, a plug-in) or threads of one process (local.c)
 *   exchange     several messages under way at once; counted by kind
 *   collective   sums, agreement, broadcasts, routing of items to the process they belong to
 *   layout       which process has which part of the adjacency matrix (papers P1 and P2)
 *   shards       a graph in such parts, and building it without any process ever having it whole
 *
 * Numberings, besides those of graph.h: a vertex with edges has a *rank by degree* g (hubs first, over all processes).
 * Its owner is process g % P, where it is the local vertex g / P: so every process has its share of the hubs, and as
 * many vertices as any other. A *window* is the set of all vertices whose arcs a process looks at, on one side: those
 * of its processor column as sources, those of its row as targets. It is a sequence of blocks, one for each owner, of
 * `stride` places each. Positions in the user's order are dealt in ranges: a position's *home* knows its id. */
#ifndef MG_CLUSTER_H
#define MG_CLUSTER_H

#include "cluster/transport.h"
#include "gen/gen.h"
#include "graph/graph.h"
#include "io/io.h"
#include "par/par.h"
#include "policy/policy.h"

#include <meguri/cluster.h>

/* ---- traffic ---------------------------------------------------------------------------------------------------- */

/* What a message is for. Messages of different kinds may pass each other. */
typedef enum mg_traffic_kind {
    MG_TRAFFIC_CONTROL, /* sums, agreements */
    MG_TRAFFIC_EXPAND,  /* the frontier, from owners to those who follow its arcs */
    MG_TRAFFIC_FOLD,    /* what was found, to its owners */
    MG_TRAFFIC_SETTLE,  /* what is new, from owners to those who would look for it again */
    MG_TRAFFIC_PARENTS, /* parents, to the owners of their children */
    MG_TRAFFIC_BULK,    /* edges, results, ids on their way to where they belong */
    MG_TRAFFIC_KINDS
} mg_traffic_kind;

/* What this process sent, and how long it waited for what others sent. A message is under way from the first one that
 * an exchange sends until all of it is through; while this process does not wait meanwhile, that is hidden by work. */
typedef struct mg_traffic {
    uint64_t messages, bytes;
    double waited, under_way, hidden;
} mg_traffic;

/* ---- groups ----------------------------------------------------------------------------------------------------- */

/* Some processes, in a fixed order. */
typedef struct mg_group {
    int *ranks;
    int count;
    int me; /* the place of this process; -1 if it is none of them */
} mg_group;

struct meguri_cluster {
    const mg_makers *makers; /* first: graph.h says why */
    mg_transport *transport;
    int rank, size;
    uint64_t most; /* bytes of one message at most: longer ones are cut (tests lower it) */
    mg_group all;
    mg_traffic traffic[MG_TRAFFIC_KINDS];
    double waited;                      /* seconds, for messages of any kind */
    struct mg_exchange *control, *bulk; /* empty between calls */
    bool failed;                        /* somebody can no longer be relied on to answer */
    char unfinished[4096];              /* name of a file that is being written; a handler of signals may look */
};

/* What this process has sent so far, of all kinds. */
static inline mg_traffic mg_traffic_sum(const meguri_cluster *cluster) {
    mg_traffic sum = {0};
    for (int kind = 0; kind < MG_TRAFFIC_KINDS; kind++) {
        sum.messages += cluster->traffic[kind].messages;
        sum.bytes += cluster->traffic[kind].bytes;
        sum.waited += cluster->traffic[kind].waited;
        sum.under_way += cluster->traffic[kind].under_way;
        sum.hidden += cluster->traffic[kind].hidden;
    }
    return sum;
}

/* A cluster over a transport, which it takes over, also on failure (cluster.c). */
meguri_status mg_cluster_new(meguri_cluster **out, meguri_ctx *ctx, mg_transport *transport);

/* ---- local.c: ranks as threads of one process ------------------------------------------------------------------- */

/* A network that takes its time, without using a processor: a message is there `latency` seconds after it was sent,
 * and its bytes take turns on the way out of their sender. 0: at once. */
typedef struct mg_local_network {
    double latency, bytes_per_second;
} mg_local_network;
/* The transports of `size` ranks that only talk to each other; each is closed by its rank's cluster. */
meguri_status mg_local_open(mg_transport **transports, meguri_ctx *ctx, int size, const mg_local_network *network);

/* ---- exchange.c: messages under way ----------------------------------------------------------------------------- */

typedef struct mg_exchange mg_exchange;

meguri_status mg_exchange_new(mg_exchange **out, meguri_ctx *ctx, meguri_cluster *cluster, mg_traffic_kind kind);
void mg_exchange_free(mg_exchange *exchange);
/* Start a message. Both sides name the same capacity (the most that the message could have), since a message longer
 * than the transport takes is cut into as many pieces as that needs. Data stays until the exchange is done. */
meguri_status mg_exchange_send(meguri_ctx *ctx, mg_exchange *exchange, int to, const void *data, uint64_t bytes,
                               uint64_t capacity);
/* *bytes (may be NULL) is what came, once the exchange is done. */
meguri_status mg_exchange_receive(meguri_ctx *ctx, mg_exchange *exchange, int from, void *data, uint64_t capacity,
                                  uint64_t *bytes);
/* Moves things on without waiting; *done when all messages are through. */
meguri_status mg_exchange_poll(meguri_ctx *ctx, mg_exchange *exchange, bool *done);
/* Waits until all are through; the exchange is empty then, for the next messages. */
meguri_status mg_exchange_wait(meguri_ctx *ctx, mg_exchange *exchange);

/* ---- collective.c: what all members of a group do together ------------------------------------------------------ */

typedef enum mg_reduction { MG_SUM, MG_MINIMUM, MG_MAXIMUM } mg_reduction;
#define MG_REDUCE_MOST 16384 /* values at a time */

/* values[i] becomes the sum (…) of all members' values[i], the same bits at each. */
meguri_status mg_reduce_u64(meguri_ctx *ctx, meguri_cluster *cluster, const mg_group *group, uint64_t *values,
                            uint32_t count, mg_reduction how);
meguri_status mg_reduce_f64(meguri_ctx *ctx, meguri_cluster *cluster, const mg_group *group, double *values,
                            uint32_t count, mg_reduction how);
/* Exclusive scan: values[i] becomes the sum of those of the members before this one, 0 at the first. */
meguri_status mg_exscan_u64(meguri_ctx *ctx, meguri_cluster *cluster, const mg_group *group, uint64_t *values,
                            uint32_t count);
/* From the member at place `root` to all. */
meguri_status mg_broadcast(meguri_ctx *ctx, meguri_cluster *cluster, const mg_group *group, int root, void *data,
                           uint64_t bytes);
/* `bytes` from every member, one after another in the order of the group, at every member. */
meguri_status mg_all_gather(meguri_ctx *ctx, meguri_cluster *cluster, const mg_group *group, const void *mine,
                            uint64_t bytes, void *all);
/* All processes tell how it went; if it went wrong at any, all get that status and sentence. To be called by all of
 * them, in the same place: before each step that needs the others. */
meguri_status mg_agree(meguri_ctx *ctx, meguri_cluster *cluster, meguri_status status);

/* ---- call.c: whether all processes call the same ---------------------------------------------------------------- */

#define MG_CALL_MOST 12
typedef struct mg_said {
    const char *what; /* as a sentence names it: "source" */
    uint64_t hash;
} mg_said;
/* A public function and what it was given, as far as that must be the same at all processes. */
typedef struct mg_call {
    const char *name;
    uint32_t count;
    mg_said said[MG_CALL_MOST];
} mg_call;
void mg_call_number(mg_call *call, const char *what, uint64_t number);
void mg_call_real(mg_call *call, const char *what, double real);
void mg_call_text(mg_call *call, const char *what, const char *text);
void mg_call_bytes(mg_call *call, const char *what, const void *data, size_t bytes);
void mg_call_layout(mg_call *call, const meguri_layout *options);
void mg_call_build(mg_call *call, const meguri_build_options *options);
/* As mg_agree, and that they do: MEGURI_BAD_ARGUMENT where they do not. The first agreement of every public function
 * that all processes call. */
meguri_status mg_agree_call(meguri_ctx *ctx, meguri_cluster *cluster, meguri_status status, const mg_call *call);
/* A process alone can no longer go on in the midst of things: the others are ended with its cluster. */
void mg_graph_give_up(const meguri_graph *graph);
/* As mg_agree_call, of a call about a graph, which one process alone has if it is whole. */
meguri_status mg_graph_agree(meguri_ctx *ctx, const meguri_graph *graph, meguri_status status, const mg_call *call);

/* ---- route.c: items to the process they belong to --------------------------------------------------------------- */

/* Items on their way: `next` writes up to `capacity` of them, with the process that each goes to, and returns how
 * many; 0 at the end. */
typedef struct mg_route_source {
    uint64_t (*next)(void *user, void *items, uint32_t *to, uint64_t capacity);
    void *user;
    size_t item_bytes; /* at most 16 */
} mg_route_source;

/* Sends every item where it goes. *out (mg_alloc) has what arrived here: by sender, in its order within each round.
 * `what` names it in failures and progress. All processes call it. */
meguri_status mg_route(void **out, uint64_t *count, meguri_ctx *ctx, meguri_cluster *cluster,
                       const mg_route_source *source, const char *what);

/* ---- alltoallv.c: bytes of any length -------------------------------------------------------------------------------
 */

/* data[begins[p] … begins[p + 1]) goes to process p. *out (mg_alloc) has what arrived: from process p at
 * out_begins[p] … out_begins[p + 1]); both lists have a place more than there are processes. All processes call it. */
meguri_status mg_alltoallv(void **out, uint64_t *out_begins, meguri_ctx *ctx, meguri_cluster *cluster, const void *data,
                           const uint64_t *begins, const char *what);

/* ---- shared_file.c: one file written by all --------------------------------------------------------------------- */

/* A file under a temporary name that all processes write at their places. */
meguri_status mg_shared_open(mg_outfile *out, meguri_ctx *ctx, meguri_cluster *cluster, const char *path);
/* Everybody tells how it went: the file gets its name, or nothing of it remains. Closes it in any case. */
meguri_status mg_shared_close(meguri_ctx *ctx, meguri_cluster *cluster, mg_outfile *file, meguri_status status);

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
    int rows, columns; /* of a grid; blocks in each direction of pairs */
    bool pairs;
    int windows, tiles;
    mg_window window[2];
    int tile_source[2], tile_target[2]; /* windows that the arcs of a tile lead from and to */
    int *source_side, *target_side;     /* by process: which window its vertices are in, of all there are */
    int *source_block, *target_block;   /* … and which block of it they are */
} mg_layout;

/* Where arcs lie. */
typedef struct mg_place {
    int rank, tile;
} mg_place;

/* rows and columns 0: as square as the number of processes allows, or pairs where that is asked for. */
meguri_status mg_layout_new(mg_layout *out, meguri_ctx *ctx, const meguri_cluster *cluster,
                            const meguri_layout *options);
void mg_layout_free(mg_layout *layout);
/* The length of the windows, once the number of vertices with edges is known. */
void mg_layout_measure(mg_layout *layout, uint64_t active);
/* Of an arc from a vertex that process `from` owns to one of process `to`. */
mg_place mg_layout_place(const mg_layout *layout, int from, int to);

/* The place in a window of a vertex that is in it. */
static inline uint32_t mg_window_place(const mg_window *w, uint32_t size, uint32_t g) {
    return (uint32_t)((uint64_t)w->block[g % size] * w->stride + g / size);
}

/* ---- window.c: between the owners and the members of windows ---------------------------------------------------- */

/* Dense: every owner's items (of its vertices, stride of them) to all members: all[w] has those of window w, or is NULL
 * where the window does not matter. */
meguri_status mg_windows_gather(meguri_ctx *ctx, meguri_cluster *cluster, const mg_layout *layout, mg_traffic_kind kind,
                                const void *mine, size_t item_bytes, void *const all[2]);
/* Dense, the other way: mine = the members' items for the vertices of this owner, combined one member after another in
 * the order of the window's members, beginning with a copy of the first. */
typedef void mg_combine_fn(void *mine, const void *more, uint64_t count);
meguri_status mg_windows_fold(meguri_ctx *ctx, meguri_cluster *cluster, const mg_layout *layout, mg_traffic_kind kind,
                              void *mine, size_t item_bytes, void *const all[2], mg_combine_fn *combine);

/* ---- shards.c: a graph in parts --------------------------------------------------------------------------------- */

/* Arcs that this process has: from the vertices of one window to those of another. Rows list hubs first: by rank by
 * degree, equal ones by weight. */
typedef struct mg_tile {
    const mg_window *sources, *targets; /* of the layout */
    mg_rows out;                        /* by place in `sources`: places in `targets` */
    mg_rows in;                         /* by place in `targets`: places in `sources` */
    void *owned[6]; /* what mg_free takes: offsets, neighbours and weights of both, as far as they are its own */
} mg_tile;

typedef struct mg_shards {
    meguri_cluster *cluster;
    mg_layout layout;
    uint64_t vertices, active, arcs, edges; /* of the whole graph; active ones have arcs */
    uint64_t input_edges, dropped_loops, dropped_duplicates;
    bool directed;
    meguri_weight_type weight_type;  /* in memory: u32 also where less would do */
    meguri_weight_type file_weights; /* what a file, and a graph on one machine, has them as */

    /* The vertices that this process owns, by local number. */
    uint32_t owned;
    uint32_t *position; /* in the user's order */
    uint32_t *degree;   /* arcs that leave it */

    /* The positions that this process is home of. */
    mg_range home;
    uint32_t *rank_by_degree; /* by position - home.begin; ranks from `active` on have no arcs and no owner */
    meguri_id_kind id_kind;
    uint64_t id_base;       /* the id at position 0, where ids is NULL and ids are integers */
    uint64_t *ids;          /* of these positions, or NULL: the same at all processes */
    uint64_t *name_offsets; /* of string ids: home positions + 1 places in names */
    char *names;

    mg_tile tile[2];              /* layout.tiles of them */
    uint32_t *window_position[2]; /* of windows of sources, by place: where a vertex is in the user's order */
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
    uint64_t (*next)(void *user, uint32_t *ends, void *weights, uint64_t capacity);
    void *user;
    uint64_t vertices;
    bool directed;  /* else every edge is stored both ways … */
    bool both_ways; /* … unless it already comes both ways */
    bool keep_loops, keep_duplicates;
    meguri_weight_type weights; /* NONE, U32, F32 or F64 */
    /* Where set, edges name vertices by other numbers than their positions, which this gives. All processes call it. */
    meguri_status (*positions)(void *user, meguri_ctx *ctx, uint32_t *out, mg_range numbers);
} mg_edge_source;

/* The graph in parts. Ids are the positions until they are set otherwise. All processes call it. */
meguri_status mg_shards_build(mg_shards **out, meguri_ctx *ctx, const mg_edge_source *source,
                              const meguri_layout *layout);

/* ---- making graphs in parts: what mg_makers names --------------------------------------------------------------- */

/* From a generator, of which each process draws its share (shards_sources.c). */
meguri_status mg_shards_kronecker(meguri_graph **out, meguri_ctx *ctx, const meguri_kronecker_options *what);
meguri_status mg_shards_rmat(meguri_graph **out, meguri_ctx *ctx, const meguri_rmat_options *what);
meguri_status mg_shards_uniform(meguri_graph **out, meguri_ctx *ctx, const meguri_uniform_options *what);
meguri_status mg_shards_grid(meguri_graph **out, meguri_ctx *ctx, const meguri_grid_options *what);
/* From a file, of which each reads its share (shards_open.c, shards_read.c). */
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

/* ---- shards_ask.c: positions and owners ------------------------------------------------------------------------- */

/* The rank by degree of the vertex at a position, at all processes: its owner is rank % processes; `active` and beyond
 * have no arcs. */
meguri_status mg_shards_rank(uint32_t *out, meguri_ctx *ctx, mg_shards *shards, uint64_t position);
/* By local number, the place of an own vertex among these in the user's order; mg_alloc'd. Only this process is asked.
 */
meguri_status mg_shards_slots(uint32_t **out, meguri_ctx *ctx, const mg_shards *shards);
/* From the owners (mine[local]) to the homes (out[position - home.begin]) of all vertices; *isolated is what those
 * without arcs get. Items have at most 12 bytes. */
meguri_status mg_shards_to_homes(meguri_ctx *ctx, mg_shards *shards, void *out, const void *mine, size_t item_bytes,
                                 const void *isolated);
/* The other way: mine[local] becomes theirs[position - home.begin]. */
meguri_status mg_shards_from_homes(meguri_ctx *ctx, mg_shards *shards, void *mine, const void *theirs,
                                   size_t item_bytes);
/* The user's id of the vertex at a position, for sentences (as mg_graph_id_text), at all processes. */
meguri_status mg_shards_id_text(char text[MG_ID_TEXT], meguri_ctx *ctx, mg_shards *shards, uint64_t position);

/* ---- sets.c: sets of places of a block, as they go over the network --------------------------------------------- */

/* A set to send: a list of places in any order, or the bits & ~known. Places that are in `known`, which sender and
 * receiver both have, are in no set. */
typedef struct mg_set {
    uint64_t words; /* of the block */
    uint64_t count;
    const uint32_t *list;
    const uint64_t *bits, *known; /* of these words; where there is a list, only for packing, and may be NULL */
} mg_set;

/* Bytes that a message of a set has at most. */
static inline uint64_t mg_set_capacity(uint64_t words) { return 8 + 8 * words; }
/* Writes the message; returns its length. */
uint64_t mg_set_write(void *out, const mg_set *set, bool packed);
/* Members of the set in a message, and its form. */
uint64_t mg_set_count(const void *in, uint64_t bytes, mg_set_form *form);
/* The set as bits (all words are written); false where this is no message of a set. */
bool mg_set_to_bits(uint64_t *out, const void *in, uint64_t bytes, const uint64_t *known, uint64_t words);
/* The list in a message whose form is that; NULL where it is none of this block. */
const uint32_t *mg_set_list(const void *in, uint64_t bytes, uint64_t words);

/* Packing, compiled for several targets (sets.h). */
typedef struct mg_sets_hot {
    /* bits & ~known in at most `room` bytes; UINT64_MAX where they do not fit. */
    uint64_t (*pack)(void *out, uint64_t room, const uint64_t *bits, const uint64_t *known, uint64_t words);
    bool (*unpack)(uint64_t *out, const void *in, uint64_t bytes, const uint64_t *known, uint64_t words);
} mg_sets_hot;
const mg_sets_hot *mg_sets_loops(void);

/* ---- shards_ids.c: ids at homes --------------------------------------------------------------------------------- */

/* Ids of the positions that a process is home of, and then of others. */
typedef struct mg_known_ids {
    uint64_t *ids;          /* of integer ids */
    uint64_t *name_offsets; /* of string ids, with a place more than there are names */
    char *names;
} mg_known_ids;
/* `others` increases. All processes call it. */
meguri_status mg_shards_know(mg_known_ids *out, meguri_ctx *ctx, mg_shards *shards, const uint32_t *others,
                             uint64_t count);
void mg_known_ids_free(mg_known_ids *known);

/* Whether a column has an item for each vertex of this process (shards_write.c). */
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
