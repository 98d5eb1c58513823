/* sssp: shortest paths from one vertex by delta-stepping (Meyer and Sanders, 2003), with what makes it fast here.
 *
 * Vertices wait in bins by their tentative distance, each thread's its own. A step takes some bins in a row, processes
 * what is in them, and what falls into them meanwhile, until nothing is left; threads take chunks of vertices, and
 * pieces of long rows, from each other, so that a step has no rounds (the bucket fusion of Zhang et al., CGO 2020,
 * carried to the end). How many bins a step takes follows the work that is in them: wide where few vertices wait, as on
 * roads, narrow where the order saves work. No width has to be known beforehand.
 *
 * Where a graph is dense, most of its edges are in no shortest path tree and too heavy to be: between well-connected
 * vertices there is a way round that is lighter. So once a good part of the edges comes into sight, edges are followed
 * only as far as a horizon, a little beyond the distance reached (`light`): of a row the weights are read and, of one
 * edge in ten or twenty, the rest. Within the horizon that settles the vertices that have most of the edges. The others
 * then look themselves for the nearest way from them (a pull, each vertex by one thread, one write for each), and what
 * little is left goes on as at the beginning. That is the pruning of Chakaravarthy et al. (IPDPS 2014) with one
 * horizon instead of one for each bucket.
 *
 * A label is a distance with the parent that gave it, changed together and only to something smaller. So parents form
 * no circle, even of edges that weigh nothing: each had its distance before its child. */
#ifndef MG_SSSP_H
#define MG_SSSP_H

#include "algo/sssp/sssp_bins.h"
#include "shards/shards.h"

#include <math.h>
#include <meguri/bfs.h>
#include <meguri/sssp.h>

#define MG_SSSP_BUFFER 1024 /* arcs that are looked at together, so that their memory is on its way together */
#define MG_SSSP_PIECE  4096 /* arcs of a long row that a thread takes at a time */

/* ---- labels ----------------------------------------------------------------------------------------------------- */

typedef union mg_sssp_distance {
    uint64_t number;
    double real;
} mg_sssp_distance;

/* An unreached vertex, as results have it. */
static inline uint64_t mg_sssp_far(bool real) {
    return real ? (mg_sssp_distance){.real = INFINITY}.number : UINT64_MAX;
}

/* Where distances fit 32 bits, distance and parent are one word, the distance in its upper half. */
typedef uint64_t mg_sssp_narrow;
/* Else a lock keeps them together. An infinite distance is UINT64_MAX or the double infinity. */
typedef struct mg_sssp_wide {
    mg_sssp_distance distance;
    uint32_t parent; /* internal number; on a cluster the lower bits of a position … */
    uint16_t above;  /* … and those above */
    uint16_t lock;
} mg_sssp_wide;

#define MG_SSSP_FAR_NARROW UINT32_MAX

/* The largest distance that is asked for, where distances are whole numbers or doubles. */
static inline mg_sssp_distance mg_sssp_most(const meguri_sssp_options *o, bool real) {
    if (real) return (mg_sssp_distance){.real = o->max_cost};
    bool all = !(o->max_cost < 0x1p64);
    return (mg_sssp_distance){.number = all ? UINT64_MAX : (uint64_t)o->max_cost};
}
/* The first bin of which no vertex is asked for. Bins are computed as sssp_hot.h does, so that none is cut off. */
uint64_t mg_sssp_most_bin(mg_sssp_distance most, bool real, double per_delta);

/* ---- what a thread has ------------------------------------------------------------------------------------------ */

/* An arc that may lead to a shorter distance. */
typedef struct mg_sssp_arc {
    uint32_t to, from;
    mg_sssp_distance distance; /* by it */
} mg_sssp_arc;

typedef struct mg_sssp_worker {
    mg_sssp_bins bins;
    uint64_t vertices, arcs; /* counted */
    uint32_t arc_count;
    mg_sssp_arc buffer[MG_SSSP_BUFFER]; /* arcs that may lead to a shorter distance */
    uint64_t places[MG_SSSP_BUFFER];    /* theirs in the rows, until it is looked up where they lead */

    /* Others come here. */
    _Alignas(64) uint16_t lock;
    uint64_t row_next, row_end; /* a long row, of which anybody takes pieces */
    uint32_t row;
    uint64_t begun; /* twice the number of the step that its bins have begun; one less while somebody begins it */
} mg_sssp_worker;

/* ---- a search --------------------------------------------------------------------------------------------------- */

typedef struct mg_sssp_hot mg_sssp_hot;

/* What all searches of a graph share (sssp_prepare.c). */
typedef struct mg_sssp_plan {
    const meguri_graph *graph;
    mg_rows out, in; /* `in` where can_pull */
    mg_numbering numbering;
    uint32_t rows;       /* vertices with edges */
    uint32_t first_leaf; /* from here on they have one neighbour */
    bool can_pull;
    bool real;             /* distances are doubles */
    bool narrow;           /* distances may be tried in 32 bits */
    uint64_t narrow_end;   /* from a distance beyond, an edge could lead out of 32 bits */
    double delta;          /* width of a bin */
    double heaviest;       /* no weight is above */
    double light;          /* how far beyond the distance reached the horizon is; 0: there is none */
    bool fixed;            /* the user chose the width: a step is a bin */
    mg_sssp_distance most; /* vertices farther than this are unreached */
} mg_sssp_plan;

/* One search at a time (sssp_host.c). */
typedef struct mg_sssp_state {
    const mg_sssp_plan *plan;
    const mg_sssp_hot *hot;
    meguri_ctx *ctx;
    void *labels;       /* by internal number */
    size_t label_bytes; /* allocated */
    mg_sssp_worker **workers;
    int worker_count; /* allocated */
    int threads;      /* at work, at most; 1: nothing needs to be atomic */

    double per_delta;         /* 1 / delta */
    uint64_t horizon_bin;     /* bins from here on wait; MG_SSSP_NO_BIN: all are open */
    mg_sssp_distance horizon; /* no distance in an open bin is beyond */
    uint32_t leaves;          /* vertices from here on are left out for now */

    uint64_t most_bin; /* no vertex of this bin or a later one is asked for; MG_SSSP_NO_BIN: all are */
    /* Where only the distances of some vertices are asked for: those, and the first that is not known to be final. */
    const uint32_t *goals;
    uint64_t goal_count, goal_next;

    uint64_t limit;          /* steps stop before this bin */
    uint64_t arcs_stop;      /* or when so many arcs were seen */
    uint64_t next_bin;       /* where they stopped */
    uint64_t span;           /* bins of a step */
    bool adapt;              /* it follows the work; else it stays 1 */
    uint64_t vertices, arcs; /* looked at, by all */
    uint64_t pulled;         /* of these arcs */
    int64_t step;            /* of the trace */
    int sets;                /* of bins that are in use: those of the first workers */
    uint64_t step_end;       /* of the bins of a step, the first that does not belong to it */
    uint64_t number;         /* of the step, from 1, over all searches */
    uint32_t small_steps;    /* in a row */
    uint32_t stop;           /* cancelled, failed, or 32 bits are too few */
    uint32_t overflow;
    uint32_t no_memory;
    _Alignas(64) uint32_t working; /* threads that have something to do in the step */
} mg_sssp_state;

/* ---- the schedule (sssp_schedule.c) ----------------------------------------------------------------------------- */

typedef struct mg_sssp_schedule mg_sssp_schedule;

/* What an engine does at the schedule's word. */
typedef struct mg_sssp_moves {
    /* Steps until the bins before `limit` are empty, or so many arcs were seen; state->next_bin is the first that is
     * not. */
    meguri_status (*steps)(const mg_sssp_schedule *c, const char *phase, uint64_t limit, uint64_t arcs_stop);
    /* Those in bins before `settled` followed arcs only as far as that; now they go on to where the horizon is. */
    meguri_status (*push_again)(const mg_sssp_schedule *c, uint64_t settled);
    /* In-arcs of all that lie in bins from `settled` on. */
    meguri_status (*count_left)(const mg_sssp_schedule *c, uint64_t settled, uint64_t *arcs);
    /* They look for their distances along these, as far as others are settled … */
    meguri_status (*pull)(const mg_sssp_schedule *c, uint64_t settled);
    /* … and follow their own, once. */
    meguri_status (*push_rest)(const mg_sssp_schedule *c, uint64_t settled);
} mg_sssp_moves;

/* A search, as the schedule sees it. */
struct mg_sssp_schedule {
    const mg_sssp_moves *moves;
    meguri_ctx *ctx;
    void *search; /* the engine's */
    mg_sssp_state *state;
    double light, heaviest; /* as in mg_sssp_plan; light is 0 where nothing can be pulled, too */
    bool real, fixed;
    bool narrow_first;         /* before a horizon is set a step is a bin */
    uint32_t rows, first_leaf; /* vertices from `first_leaf` on are left out within a horizon */
    uint64_t out_arcs, in_arcs;
};

/* From what waits in the bins to final labels. */
meguri_status mg_sssp_follow(const mg_sssp_schedule *schedule);

/* What a search has found. */
typedef struct mg_sssp_found {
    uint64_t reached;
    mg_sssp_distance farthest;
} mg_sssp_found;

/* The loops that depend on the types of weights and labels, made from one text (sssp_hot.h). */
struct mg_sssp_hot {
    void (*fill)(void *labels, uint64_t begin, uint64_t end); /* infinite, no parent */
    void (*set)(void *labels, uint32_t v, uint32_t parent);   /* at distance 0 */
    /* Follows the arcs of the vertices of a chunk, or of a piece of a row, whose bins are not over. */
    void (*push_chunk)(mg_sssp_state *state, mg_sssp_worker *worker, const mg_sssp_chunk *chunk);
    void (*push_piece)(mg_sssp_state *state, mg_sssp_worker *worker, uint32_t row, uint64_t begin, uint64_t end);
    /* The same for those of the vertices [begin, end) whose bin is in [first, last); returns arcs. */
    uint64_t (*push_rows)(mg_sssp_state *state, mg_sssp_worker *worker, uint64_t begin, uint64_t end, uint64_t first,
                          uint64_t last);
    /* Gives those of the vertices [begin, end) whose bin is `first` or later the nearest distance that their in-arcs
     * offer; returns arcs. */
    uint64_t (*pull_rows)(mg_sssp_state *state, uint64_t begin, uint64_t end, uint64_t first);
    /* Arcs of vertices in [begin, end) whose bin is `first` or later, as a pull would look at them. */
    uint64_t (*count_arcs)(const mg_sssp_state *state, uint64_t begin, uint64_t end, uint64_t first);
    /* The bin of a vertex. */
    uint64_t (*bin_of)(const mg_sssp_state *state, uint32_t v);
    /* Its distance, as results have it. */
    mg_sssp_distance (*distance_of)(const mg_sssp_plan *plan, const void *labels, uint32_t v);
    /* What the labels say of the vertices at the positions [begin, end). */
    mg_sssp_found (*finish)(const mg_sssp_plan *plan, const void *labels, uint64_t begin, uint64_t end, void *distance,
                            uint32_t *parent);
    size_t label_bytes;
};

/* Narrow labels are for integers; where there are no weights there are no others. */
const mg_sssp_hot *mg_sssp_hot_loops(meguri_type type, bool narrow);

/* ---- sssp.c ----------------------------------------------------------------------------------------------------- */

/* What a search tells of itself, of all processes. */
typedef struct mg_sssp_told {
    uint64_t reached, edges;
    mg_sssp_distance farthest;
    double delta, seconds;
} mg_sssp_told;

/* An answer to be checked: arrays as a result has them, and the largest distance that was asked for. */
typedef struct mg_sssp_answer {
    uint64_t source;
    const void *distance, *parent; /* the parent may be NULL */
    mg_sssp_distance most;
} mg_sssp_answer;

/* An engine. A search of it begins with a meguri_sssp_search. */
typedef struct mg_sssp_engine {
    meguri_engine engine;
    size_t bytes; /* of a search */
    /* What all searches of the graph share. `often`: what pays for several searches only may be made. With the plan of
     * another search if `like` is not NULL; by so many threads, 0: as fits the graph. On a device these are searches
     * side by side. */
    meguri_status (*open)(meguri_ctx *ctx, meguri_sssp_search *search, const meguri_sssp_search *like, bool often,
                          int threads);
    /* From a position to distances and parents where the result has them. */
    meguri_status (*run)(mg_sssp_told *told, meguri_ctx *ctx, meguri_sssp_search *search, uint64_t source);
    void (*close)(meguri_sssp_search *search);
    /* From many positions, results to `take` in their order; NULL: threads search by themselves (sssp_many.c). */
    meguri_status (*many)(meguri_ctx *ctx, meguri_sssp_search *search, const uint64_t *sources, uint64_t count,
                          meguri_result_take take, void *user);
    meguri_status (*check)(meguri_ctx *ctx, const meguri_graph *graph, const mg_sssp_answer *answer);
} mg_sssp_engine;

extern const mg_sssp_engine mg_sssp_on_host, mg_sssp_on_cluster, mg_sssp_on_device;

struct meguri_sssp_search {
    mg_claim claim;
    const mg_sssp_engine *engine;
    const meguri_graph *graph;
    meguri_sssp_options options;
    bool real; /* distances are doubles while they are searched: see mg_sssp_declare */
    mg_sssp_distance most;
    meguri_result *result;
    void *distance; /* by position; the result's */
    uint32_t *parent;
};

/* Options that were checked. */
meguri_status mg_sssp_read_options(meguri_sssp_options *out, meguri_ctx *ctx, const meguri_sssp_options *options);
/* As the engine's `open` has it. */
meguri_status mg_sssp_search_new(meguri_sssp_search **out, meguri_ctx *ctx, const meguri_graph *graph,
                                 const meguri_sssp_options *options, const meguri_sssp_search *like, bool often,
                                 int threads);
meguri_status mg_sssp_search_run(meguri_ctx *ctx, meguri_sssp_search *search, uint64_t source);
/* The facts of its result. */
meguri_status mg_sssp_search_tell(meguri_ctx *ctx, meguri_sssp_search *search, uint64_t source,
                                  const mg_sssp_told *told);
/* The type of distances in results, which is that of the weights as they were declared. */
meguri_type mg_sssp_type(const meguri_graph *graph);
/* Distances as they were searched become those of the result, in place; so does the largest of them. */
meguri_status mg_sssp_declare(meguri_ctx *ctx, const meguri_graph *graph, void *distances, uint64_t count,
                              mg_sssp_distance *farthest);
/* A result, to whoever takes those of many (sssp_many.c). */
meguri_status mg_sssp_hand_over(meguri_ctx *ctx, const meguri_result *result, uint64_t index, meguri_result_take take,
                                void *user);
/* Threads that search by themselves and for which there is memory, beside the one that is always tried. */
int mg_sssp_threads_that_fit(meguri_ctx *ctx, const meguri_graph *graph, uint64_t count);
/* That these are vertices of a graph that is whole, and not too many. */
meguri_status mg_sssp_check_list(meguri_ctx *ctx, const meguri_graph *graph, const uint64_t *vertices, uint64_t count,
                                 const char *what);

/* ---- sssp_prepare.c --------------------------------------------------------------------------------------------- */

/* Refuses weights that are no lengths; finds the width. `often`: what only pays for several searches may be made. */
meguri_status mg_sssp_plan_make(mg_sssp_plan *plan, meguri_ctx *ctx, const meguri_graph *graph,
                                const meguri_sssp_options *options, bool often);

/* What follows from the rows and their weights alone. */
meguri_status mg_sssp_plan_rows(mg_sssp_plan *plan, meguri_ctx *ctx, const mg_rows *out, meguri_type type,
                                double heaviest);

/* mg_policy_sssp_width, of a sample that is sorted here. */
struct mg_sssp_width mg_sssp_choose_width(const struct mg_sssp_weights *weights, double *sample, uint64_t count);

/* ---- sssp_host.c ------------------------------------------------------------------------------------------------ */

/* Memory for searches by so many threads; grows as needed later. */
meguri_status mg_sssp_state_open(mg_sssp_state *state, meguri_ctx *ctx, const mg_sssp_plan *plan, int threads);
void mg_sssp_state_close(mg_sssp_state *state);
/* From `source`, an internal number below rows, to final labels. */
meguri_status mg_sssp_host(meguri_ctx *ctx, mg_sssp_state *state, uint32_t source);

/* ---- sssp_steps.c, sssp_bins.c ---------------------------------------------------------------------------------- */

/* Steps until the bins before state->limit are empty, or enough arcs were seen. */
void mg_sssp_steps(mg_sssp_state *state);
/* Adds up what the workers have looked at. */
void mg_sssp_count(mg_sssp_state *state);
/* Follows the arcs of a long row, together with whoever has nothing else to do. */
void mg_sssp_share_row(mg_sssp_state *state, mg_sssp_worker *worker, uint32_t row, uint64_t begin, uint64_t end);

meguri_status mg_sssp_worker_new(mg_sssp_worker **out, meguri_ctx *ctx);
void mg_sssp_worker_free(mg_sssp_worker *worker);
/* No more memory: all stop. */
void mg_sssp_no_memory(mg_sssp_state *state);
/* Where a vertex belongs by its label. */
mg_sssp_sorting mg_sssp_sorting_of(const mg_sssp_state *state);
/* Forgets everything. */
void mg_sssp_worker_clear(mg_sssp_worker *worker);
/* Puts a vertex into its bin. */
void mg_sssp_put_anywhere(mg_sssp_state *state, mg_sssp_worker *worker, uint32_t vertex, uint64_t bin);
static inline void mg_sssp_put(mg_sssp_state *s, mg_sssp_worker *w, uint32_t vertex, uint64_t bin) {
    if (!mg_sssp_bins_put_at_once(&w->bins, vertex, bin)) mg_sssp_put_anywhere(s, w, vertex, bin);
}

/* ---- sssp_check.c, sssp_cluster_check.c ------------------------------------------------------------------------- */

meguri_status mg_sssp_host_check(meguri_ctx *ctx, const meguri_graph *graph, const mg_sssp_answer *answer);
meguri_status mg_sssp_cluster_check(meguri_ctx *ctx, const meguri_graph *graph, const mg_sssp_answer *answer);

/* ---- sssp_cluster.c --------------------------------------------------------------------------------------------- */

/* A search on a cluster from the vertex at a position, without sending anything home. All processes call it. Returns
 * the labels of the vertices that this process owns, by local number (parents are positions), which hold until the next
 * run. */
meguri_status mg_sssp_owned_labels(const mg_sssp_wide **out, mg_sssp_told *told, meguri_ctx *ctx,
                                   meguri_sssp_search *search, uint64_t source);
/* The parent of a label; the highest number there is for none. */
static inline uint64_t mg_sssp_parent_of(const mg_sssp_wide *label, bool wide) {
    if (!wide) return label->parent;
    uint64_t parent = (uint64_t)label->above << 32 | label->parent;
    return parent > MG_MAX_GLOBAL ? UINT64_MAX : parent;
}

/* ---- sssp_device_goal.c ----------------------------------------------------------------------------------------- */

/* Searches on a device that end at a target, one after another: from a source until the distance of the target is
 * final. The next one from the same source goes on from there. All numbers are those of the rows. */
typedef struct mg_sssp_to mg_sssp_to;

typedef struct mg_sssp_goal {
    uint32_t source, target;
    double most;              /* no distance beyond is asked for */
    bool (*over)(void *what); /* asked between phases: true: stop here */
    void *what;
} mg_sssp_goal;

typedef struct mg_sssp_got {
    bool there;              /* the target is, no further than that */
    uint64_t vertices, arcs; /* looked at, by this search */
    const uint32_t *parents; /* of vertices on the way to it; they hold until the next search */
} mg_sssp_got;

/* Rows with weights of this type, of which none is heavier; MEGURI_TYPE_NONE: they count 1, also where the rows have
 * others. The rows must live as long. */
meguri_status mg_sssp_to_new(mg_sssp_to **out, meguri_ctx *ctx, const meguri_graph *graph, const mg_rows *rows,
                             meguri_type type, double heaviest);
meguri_status mg_sssp_to_run(mg_sssp_got *got, meguri_ctx *ctx, mg_sssp_to *search, const mg_sssp_goal *goal);
void mg_sssp_to_free(mg_sssp_to *search);

/* The checker, of arrays as a result without a maximum has them; meguri_sssp_check looks here. */
meguri_status mg_sssp_check(meguri_ctx *ctx, const meguri_graph *graph, uint64_t source, const void *distance,
                            const void *parent);

#endif
