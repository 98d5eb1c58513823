/* Shortest paths from one vertex, or from many: how far every vertex is along weighted edges, and from where it is
 * reached. */
#ifndef MEGURI_SSSP_H
#define MEGURI_SSSP_H

#include <meguri/result.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How the engine `device` goes about it. The first three are phases, in each of which the edges of all vertices that
 * changed in the one before are followed. Answers do not depend on it. */
typedef enum meguri_sssp_strategy {
    MEGURI_SSSP_AUTO = 0,
    MEGURI_SSSP_ALL = 1,      /* a work-item for every vertex in each phase */
    MEGURI_SSSP_SELECTED = 2, /* work-items for changed vertices alone, which takes a list of them */
    MEGURI_SSSP_ADAPTIVE = 3, /* one or the other, by the time that phases take */
    MEGURI_SSSP_NEAR_FAR = 4, /* near vertices first: buckets, as elsewhere */
    MEGURI_SSSP_SETTLE = 5    /* Dijkstra's, many vertices at a time; the graph may be larger than the device */
} meguri_sssp_strategy;

typedef struct meguri_sssp_options {
    size_t size; /* sizeof(meguri_sssp_options) */
    double
        delta; /* width of a bucket, in the unit of the weights; 0: found by the library. Answers do not depend on it */
    int parents; /* the result has the column `parent`; default 1 */
    meguri_engine engine;
    meguri_sssp_strategy strategy; /* of a device */
    /* Of MEGURI_SSSP_ADAPTIVE, in microseconds: a phase that takes longer is followed by one of all vertices, one that
     * takes less by one of changed ones; 0: found by a few trials. */
    double all_above_us, selected_below_us;
    /* Of a device, where the graph comes in parts: 0 and 1: it does all rounds; 0 and 0: the host does the smallest. */
    uint32_t split_host, split_device;
    double max_cost;    /* vertices at a larger distance are unreached, and the search stops there; default INFINITY */
    const char *weight; /* the name of a numeric edge column (columns.h) that is the weight; NULL: that of the graph.
                           The type of `distance` follows from that of the column */
} meguri_sssp_options;
void meguri_sssp_options_init(meguri_sssp_options *options, size_t size);

/* Columns: `distance` (u64 where weights were declared to be integers (meguri_graph_info) or there are none, each edge
 * then counting 1; else f64; UINT64_MAX or infinity where unreached) and `parent` (a vertex; the source is its own).
 * Facts: `reached`, `farthest` (the largest distance), `edges` (looked at), `delta` (the width in use, where there are
 * buckets), `seconds` (of the search alone); of a device `strategy`, `phases` and, where it is adaptive, `all_above_us`
 * and `selected_below_us`; where the graph comes in parts `parts`, `sent_bytes` (of rows), `copy_seconds` and
 * `kernel_seconds` (by the device's clock), `host_edges` (looked at by the host), `devices` and `device_arcs` (the most
 * arcs of one of them).
 *
 * Distances are exact: for integers without overflow; for floating weights the smallest of all sums, each added up in
 * f64 from the source on, so that they are the same bits at any number of threads and with any width. Which parent a
 * vertex gets among several as good depends on the threads; parents never form a circle, also where edges weigh 0.
 * MEGURI_BAD_INPUT where a weight is negative, infinite or not a number. */
meguri_status meguri_sssp(meguri_result **out, meguri_ctx *ctx, const meguri_graph *graph, uint64_t source,
                          const meguri_sssp_options *options);

/* ---- several searches, one after another ------------------------------------------------------------------------ */

/* What searches of one graph share. They hold their graph. One search at a time. */
typedef struct meguri_sssp_search meguri_sssp_search;

meguri_status meguri_sssp_search_new(meguri_sssp_search **out, meguri_ctx *ctx, const meguri_graph *graph,
                                     const meguri_sssp_options *options);
/* The result belongs to the search and holds until its next run. The context may be another than that of _new. */
meguri_status meguri_sssp_search_run(const meguri_result **out, meguri_ctx *ctx, meguri_sssp_search *search,
                                     uint64_t source);
void meguri_sssp_search_free(meguri_sssp_search *search);

/* ---- many sources, each thread at one of its own ---------------------------------------------------------------- */

/* Searches from every source, each thread at one of its own, and hands the results to `take` in the order of the
 * sources. Memory is needed for one search and one result for each thread, however many
 * sources there are; where it is short fewer threads search. On a device several searches run side by side instead. */
meguri_status meguri_sssp_many(meguri_ctx *ctx, const meguri_graph *graph, const uint64_t *sources, uint64_t count,
                               const meguri_sssp_options *options, meguri_result_take take, void *user);

/* The same, of the distances to some targets alone: the column `distance` of a result has an item for each of them, in
 * their order, and `reached` and `farthest` are about them. A search ends when all of them are settled, so memory and
 * time do not grow with the rest of the graph more than they must. Lists may name a vertex several times. For the
 * engine host. */
meguri_status meguri_sssp_table(meguri_ctx *ctx, const meguri_graph *graph, const uint64_t *sources,
                                uint64_t source_count, const uint64_t *targets, uint64_t target_count,
                                const meguri_sssp_options *options, meguri_result_take take, void *user);

/* ---- graphs and devices ----------------------------------------------------------------------------------------- */

/* How a graph would lie on the device that the context names, before there is one. */
typedef struct meguri_sssp_fit {
    size_t size;     /* set by the caller to sizeof(meguri_sssp_fit) */
    uint64_t memory; /* bytes that the device may use; 0: there is none */
    uint64_t whole;  /* bytes that a search needs with all of the graph there … */
    uint64_t kept;   /* … and those that are there all the time where its edges come in parts */
    uint64_t parts;  /* that the edges come in; 1: the graph fits, 0: not even parts do */
} meguri_sssp_fit;

/* For shortest paths with parents (MEGURI_SSSP_NEAR_FAR). Where the machine has no device, the answer is about one with
 * the memory that the context's option device_memory allows, if that is given. */
meguri_status meguri_sssp_device_fit(meguri_sssp_fit *out, meguri_ctx *ctx, uint64_t vertices, uint64_t arcs,
                                     meguri_type weights);

/* ---- checking an answer ----------------------------------------------------------------------------------------- */

/* Checks a result (distances, and parents if it has them) against the graph without searching it again: the source is
 * its own parent at distance 0; every other reached vertex has a parent whose distance and the weight of an edge from
 * it add up to its own, and parents form no circle; no edge leads to a vertex that is further than by it; what is
 * unreached has neither distance nor parent. Where there are no parents, any edge that adds up serves.
 * MEGURI_WRONG_ANSWER and a sentence that names the vertex where a rule is broken. O(vertices + arcs). */
meguri_status meguri_sssp_check(meguri_ctx *ctx, const meguri_graph *graph, const meguri_result *result,
                                const meguri_sssp_options *options);

#ifdef __cplusplus
}
#endif
#endif
