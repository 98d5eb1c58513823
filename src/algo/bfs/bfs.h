/* bfs: breadth-first search, one level at a time, each by one of two ways (papers P1 and P2; Beamer, Asanović and
 * Patterson, SC 2012).
 *
 *   push (top-down)   from every vertex of the frontier to its neighbours; good while the frontier has few arcs
 *   pull (bottom-up)  from every unvisited vertex back along its in-arcs until one leads to a visited vertex; good when
 *                     most of the graph lies in the frontier, because the first look mostly hits
 *
 * Invariant: between two steps the visited bitmap is exact. So an unvisited vertex has no neighbour in any frontier
 * before the last one, and pull may ask "is it visited?" where the papers ask "is it in the frontier?": one bitmap
 * serves both.
 *
 * While the search runs, parents and levels lie in internal order, where a pull writes them in sequence (parents
 * already as positions: of a first neighbour it is stored, of others known or a look at a hub's); bfs_finish.c brings
 * them into the user's order. */
#ifndef MG_BFS_H
#define MG_BFS_H

#include "graph/graph.h"
#include "shards/shards.h"

#include <meguri/bfs.h>

#define MG_BFS_BLOCK 17 /* log2 of the positions in a block: half a megabyte of parents fits a cache nearby */

#define MG_BFS_SAMPLE 64

/* A stretch of internal numbers whose positions increase and lie in one block (bfs_prepare.c). */
typedef struct mg_bfs_stretch {
    uint32_t begin, end;
} mg_bfs_stretch;

/* What a step found. */
typedef struct mg_bfs_found {
    uint64_t reached; /* vertices */
    uint64_t arcs;    /* out-arcs of these: the next frontier's */
    uint64_t edges;   /* looked at */
} mg_bfs_found;

/* An engine: what the loop (bfs_loop.c) leaves to it. A search of it begins with a meguri_bfs_search. */
typedef struct mg_bfs_engine {
    meguri_engine engine;
    size_t bytes;                     /* of a search */
    const struct mg_bfs_costs *costs; /* of its steps, for the policy */
    /* What all searches of the graph share; columns and options are there. */
    meguri_status (*open)(meguri_ctx *ctx, meguri_bfs_search *search);
    /* What a pull needs, for who means to search often or to pull: it may be much. */
    meguri_status (*prepare)(meguri_ctx *ctx, meguri_bfs_search *search);
    /* Begins a search from a position: sets the numbers of the loop. */
    meguri_status (*start)(meguri_ctx *ctx, meguri_bfs_search *search, uint64_t source);
    meguri_status (*step)(mg_bfs_found *found, meguri_ctx *ctx, meguri_bfs_search *search, bool pull);
    /* Sums over all processes, who hear of a failure at any; NULL: there is one. */
    meguri_status (*sum)(meguri_bfs_search *search, meguri_status status, mg_bfs_found *found);
    /* The end of the tree. `limited`: the last level is not left. */
    meguri_status (*finish)(mg_bfs_found *found, meguri_ctx *ctx, meguri_bfs_search *search, bool limited);
    /* After the clock has stopped: levels and parents to where the result has them, if they are not there, and facts
     * of its own; NULL: nothing. */
    meguri_status (*deliver)(meguri_ctx *ctx, meguri_bfs_search *search, uint64_t source);
    /* Facts of its own; NULL: none. */
    meguri_status (*facts)(meguri_ctx *ctx, meguri_bfs_search *search);
    /* Completes a line of the trace (bytes, messages) and writes it. */
    meguri_status (*trace)(meguri_ctx *ctx, meguri_bfs_search *search, struct mg_step *line, meguri_bfs_direction way,
                           const mg_bfs_found *found);
    void (*close)(meguri_bfs_search *search);
    meguri_status (*check)(meguri_ctx *ctx, const meguri_graph *graph, uint64_t source, const int32_t *level,
                           const void *parent, uint32_t levels);
} mg_bfs_engine;

extern const mg_bfs_engine mg_bfs_on_host, mg_bfs_on_cluster, mg_bfs_on_device, mg_bfs_on_devices;

/* What searches of one graph share, and the state of the one that runs, as far as the loop knows it. */
/* The levels that a search of this depth has; 0: all. */
static inline uint32_t mg_levels_within(uint32_t max_depth) { return max_depth + 1; }

struct meguri_bfs_search {
    mg_claim claim;
    const mg_bfs_engine *engine;
    const struct mg_bfs_costs *costs; /* the engine's, or others that go with how the graph lies there */
    const meguri_graph *graph;
    meguri_bfs_options options;
    char *ways; /* a copy of the options' */
    meguri_result *result;
    uint32_t *parent; /* by position; the result's; NULL if not wanted. 64 bits each where its column has as many */
    int32_t *level;

    /* Of the graph, and of the search that runs, over all processes. */
    uint64_t vertices, arcs;   /* that the policy counts with */
    uint64_t total;            /* vertices that may be reached at most, for the progress */
    uint64_t frontier;         /* vertices in it */
    uint64_t frontier_arcs;    /* out-arcs of these; estimated where there is no list */
    uint64_t visited_vertices; /* so far */
    uint64_t unvisited;        /* that can still be reached, as far as is known */
    uint64_t visited_arcs;     /* out-arcs of these; a sum of estimates */
    uint32_t depth;            /* level of the frontier */
    bool can_pull;
    uint32_t row_sample[MG_BFS_SAMPLE]; /* lengths of in-rows, evenly spaced, for the policy */
    bool traced;
    uint64_t from; /* the source */
    double seconds;

    meguri_bfs_step *steps;
    uint64_t step_count, step_capacity;
};

/* ---- bfs.c, bfs_loop.c ------------------------------------------------------------------------------------------ */

/* A search without what `often` prepares; `columns`: the result has levels and parents, as the options say. */
meguri_status mg_bfs_new(meguri_bfs_search **out, meguri_ctx *ctx, const meguri_graph *graph,
                         const meguri_bfs_options *options, bool columns);
/* What the policy goes by. */
struct mg_bfs_facts mg_bfs_facts_of(const meguri_bfs_search *search, bool pulling);
/* Room to note one step more and the end of the search: before ranks agree on how things went so far. */
meguri_status mg_bfs_make_room(meguri_ctx *ctx, meguri_bfs_search *search);
/* From `source` (a position) to the tree. */
meguri_status mg_bfs_run(meguri_ctx *ctx, meguri_bfs_search *search, uint64_t source);
/* The facts of that run. */
meguri_status mg_bfs_set_facts(meguri_ctx *ctx, meguri_bfs_search *search);

/* ---- the engine on threads: bfs_host.c and the steps ------------------------------------------------------------ */

typedef struct mg_bfs_host {
    meguri_bfs_search base;

    /* What all searches of the graph share (bfs_prepare.c). */
    mg_rows out, in; /* `in` and `first` are there when `can_pull` is set */
    mg_numbering numbering;
    uint32_t rows;            /* vertices with edges; internal numbers from here on are isolated */
    uint32_t first_leaf;      /* … and from here on have one neighbour: they wait until the end */
    uint32_t *first;          /* by internal number below first_leaf: the first in-neighbour; itself if there is none */
    uint32_t *first_position; /* … and where that is in the user's order; also of leaves */
    uint64_t *has_in;         /* directed graphs: a bit for each vertex that has in-arcs, which alone can be reached */
    uint32_t candidates;      /* vertices below first_leaf that can be reached, given the right source */
    mg_bfs_stretch *stretches;
    uint32_t *block_stretches; /* those of block b are [block_stretches[b], block_stretches[b + 1]) */
    uint32_t blocks;

    /* The search that runs. */
    uint32_t *tree;      /* by internal number: the position of the parent; anything where unvisited */
    int32_t *tree_level; /* the level */
    uint64_t *visited;   /* one bit for each row, exact between steps */
    uint64_t *previous;  /* before the last step that found something, if that made no list */
    uint64_t *spare;     /* where a pull writes the next one */
    mg_queue list, next;
    bool has_list;   /* the frontier is in list; else it is visited & ~previous */
    uint32_t source; /* internal number; MG_NO_VERTEX before the first search */
} mg_bfs_host;

static inline void mg_bfs_add(mg_bfs_found *sum, const mg_bfs_found *share) {
    sum->reached += share->reached;
    sum->arcs += share->arcs;
    sum->edges += share->edges;
}

/* The same from several threads at once. */
static inline void mg_bfs_add_shared(mg_bfs_found *sum, const mg_bfs_found *share) {
    mg_fetch_add(&sum->reached, share->reached);
    mg_fetch_add(&sum->arcs, share->arcs);
    mg_fetch_add(&sum->edges, share->edges);
}

/* A loop of a search, which reports how far it has come; items and chunk are up to the caller. */
static inline mg_loop mg_bfs_loop(meguri_ctx *ctx, const mg_bfs_host *s, int threads, mg_work_fn *work, void *what) {
    return (mg_loop){.ctx = ctx,
                     .threads = threads,
                     .work = work,
                     .what = what,
                     .phase = "bfs",
                     .done = s->base.visited_vertices,
                     .total = s->rows,
                     .steady = true};
}

static inline bool mg_bfs_visited(const uint64_t *visited, uint32_t v) { return (visited[v / 64] >> (v % 64)) & 1; }

/* bfs_prepare.c */
meguri_status mg_bfs_host_open(meguri_ctx *ctx, meguri_bfs_search *search);
void mg_bfs_host_close(meguri_bfs_search *search);
/* What pull needs: in-arcs, and first neighbours in an array of their own. */
meguri_status mg_bfs_prepare_pull(meguri_ctx *ctx, meguri_bfs_search *search);

/* bfs_check.c */
meguri_status mg_bfs_host_check(meguri_ctx *ctx, const meguri_graph *graph, uint64_t source, const int32_t *level,
                                const void *parent, uint32_t levels);
/* bfs_push.c, bfs_pull.c, bfs_finish.c */
mg_bfs_found mg_bfs_push(meguri_ctx *ctx, mg_bfs_host *search);
/* For the words from `first` on; what the others gained must be in `spare`. */
mg_bfs_found mg_bfs_pull(meguri_ctx *ctx, mg_bfs_host *search, uint64_t first);
/* Makes the list of the frontier where there is none; sets frontier_arcs exactly. */
void mg_bfs_need_list(meguri_ctx *ctx, mg_bfs_host *search);
/* The end of a search: vertices of degree one, those that stay unreached, and all into the user's numbering.
 * `limited`: the last level is not left. */
mg_bfs_found mg_bfs_finish(meguri_ctx *ctx, mg_bfs_host *search, bool limited);

/* Out-arcs of `reached` vertices in the words [begin, end), as if they were an average sample of these. In degree
 * order neighbours in number have nearly the same degree. */
static inline uint64_t mg_bfs_estimate_arcs(const mg_bfs_host *s, uint64_t begin, uint64_t end, uint64_t reached) {
    uint64_t from = 64 * begin, to = MG_MIN(64 * end, s->first_leaf);
    double arcs = (double)(mg_row_offset(&s->out, to) - mg_row_offset(&s->out, from));
    return (uint64_t)(arcs * (double)reached / (double)(to - from));
}

/* ---- the engine on a cluster (bfs_cluster.h) --------------------------------------------------------------------- */

/* What the last search found of the vertices that this process owns, in the user's order of these: positions, or
 * mg_no_global where unreached. */
mg_globals mg_bfs_owned_parents(const meguri_bfs_search *search);
/* What this process sent in it. */
mg_traffic mg_bfs_sent(const meguri_bfs_search *search);
meguri_status mg_bfs_cluster_check(meguri_ctx *ctx, const meguri_graph *graph, uint64_t source, const int32_t *level,
                                   const void *parent, uint32_t levels);

/* ---- the hot loops, compiled for several targets (bfs_hot.h) ---------------------------------------------------- */

/* What a pull looks at and writes. On one machine both ends of an arc are in one set of vertices, and `visited` and
 * `sources` are the same bitmap; on a cluster (bfs_cluster.h) arcs lead from one set to another. */
typedef struct mg_bfs_pulling {
    mg_rows in;                      /* by target */
    uint32_t targets;                /* those of them that may be reached now: [0, targets) */
    const uint32_t *first;           /* by target: the first in-neighbour, in whole words of 64 */
    const uint32_t *first_position;  /* … and where that is in the user's order */
    const uint32_t *source_position; /* the same of every source; NULL: its own number */
    const uint64_t *has_in;          /* a bit for each target that has in-arcs; NULL: all have */
    const uint64_t *visited;         /* of targets */
    const uint64_t *sources;         /* those that are reached */
    uint64_t *next;                  /* of targets: what is visited then */
    uint32_t *tree;                  /* by target: positions of parents; NULL: not wanted */
    int32_t *tree_level;             /* and levels */
    int32_t level;                   /* that of what is reached */
} mg_bfs_pulling;

/* What a push looks at and writes; its two sets of vertices, likewise. */
typedef struct mg_bfs_pushing {
    mg_rows out;                     /* by source */
    const uint32_t *source_position; /* where every source is in the user's order; NULL: its own number */
    const uint32_t *frontier;        /* sources */
    uint64_t frontier_count;
    uint64_t frontier_arcs;  /* that leave it, about */
    uint32_t targets;        /* those of them that may be reached now: [0, targets), first in every row */
    const mg_rows *counting; /* by target: rows, whose arcs a list is counted with; NULL: nobody asks */
    uint64_t *visited;       /* of targets: what is reached is added */
    uint32_t *tree;          /* by target: positions of parents; NULL: not wanted */
    int32_t *tree_level;     /* and levels */
    int32_t level;           /* that of what is reached */
} mg_bfs_pushing;

static inline uint32_t mg_bfs_push_position(const mg_bfs_pushing *p, uint32_t u) {
    return p->source_position ? p->source_position[u] : u;
}

/* v was reached from a source at `position`. */
static inline void mg_bfs_push_reach(const mg_bfs_pushing *p, uint32_t v, uint32_t position) {
    if (p->tree) p->tree[v] = position;
    if (p->tree_level) p->tree_level[v] = p->level;
}

/* A push on the threads of a loop, which the caller has begun to fill in (mg_bfs_loop); what is reached goes to `next`,
 * in any order (bfs_push.c). */
mg_bfs_found mg_bfs_push_list(mg_loop loop, const mg_bfs_pushing *pushing, mg_queue *next);

typedef struct mg_bfs_hot {
    /* A pull for the words [begin, end) of the bitmap; arcs stay 0. */
    mg_bfs_found (*pull_words)(const mg_bfs_pulling *pulling, uint64_t begin, uint64_t end);
    /* A push of the arcs [begin, end) of u as far as they lead to targets below `limit`, which no other thread
     * writes; returns how many there were. */
    uint64_t (*push_arcs)(const mg_bfs_pushing *pushing, uint32_t u, uint64_t begin, uint64_t end, uint32_t limit);
    /* The results of the vertices [begin, end), all below first_leaf, or all leaves whose neighbours count if `open`;
     * returns how many are reached. */
    uint64_t (*finish_inner)(const mg_bfs_host *search, uint32_t begin, uint32_t end);
    uint64_t (*finish_leaves)(const mg_bfs_host *search, const uint64_t *open, uint32_t begin, uint32_t end);
} mg_bfs_hot;

extern const mg_bfs_hot mg_bfs_hot_base, mg_bfs_hot_avx2, mg_bfs_hot_avx512;
/* The one for this processor. */
const mg_bfs_hot *mg_bfs_hot_loops(void);

/* The checker, of arrays as a result has them; meguri_bfs_check looks here. */
meguri_status mg_bfs_check(meguri_ctx *ctx, const meguri_graph *graph, uint64_t source, const int32_t *level,
                           const void *parent, uint32_t levels);

/* All steps of the last run; they hold until the next. NULL: none. */
const meguri_bfs_step *mg_bfs_search_steps(const meguri_bfs_search *search, uint64_t *count);

#endif
