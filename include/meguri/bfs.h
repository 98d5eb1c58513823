/* Breadth-first search: how many steps away every vertex is, and from where it is reached. */
#ifndef MEGURI_BFS_H
#define MEGURI_BFS_H

#include <meguri/result.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum meguri_bfs_policy {
    MEGURI_BFS_AUTO = 0,  /* the way that is expected to be faster, by a model of the cost */
    MEGURI_BFS_P1 = 1,    /* the paper's rule: pull when the frontier has more than arcs/alpha arcs, push again when it
                             has fewer than vertices²/(beta·arcs) vertices */
    MEGURI_BFS_PUSH = 2,  /* always from the frontier to its neighbours (top-down) */
    MEGURI_BFS_PULL = 3,  /* always from the unvisited to the frontier (bottom-up) */
    MEGURI_BFS_FORCED = 4 /* as `directions` says: for experiments */
} meguri_bfs_policy;

/* How sets of vertices go from one process of a cluster to another: packed they are shorter, and take more work. */
typedef enum meguri_exchange {
    MEGURI_EXCHANGE_AUTO = 0, /* packed between machines, plain within one */
    MEGURI_EXCHANGE_PLAIN = 1,
    MEGURI_EXCHANGE_PACKED = 2
} meguri_exchange;

typedef struct meguri_bfs_options {
    size_t size; /* sizeof(meguri_bfs_options) */
    meguri_bfs_policy policy;
    double alpha, beta;     /* of the paper's rule; default 10 and 14 */
    const char *directions; /* of MEGURI_BFS_FORCED: '<' pull or '>' push for each step; the last one stays */
    uint32_t max_depth;     /* at most so many edges from the source; 0: the source alone; default UINT32_MAX: all */
    int levels, parents;    /* the result has these columns; default 1 each. Faster without */
    meguri_engine engine;
    meguri_exchange exchange; /* of processes */
    /* Of the engine device: shares of every level that host and device do. 0 and 1: the device alone; 0 and 0: as is
     * expected to be fastest, level by level, by what was measured before, and that may be one of them alone. */
    uint32_t split_host, split_device;
} meguri_bfs_options;
void meguri_bfs_options_init(meguri_bfs_options *options, size_t size);

/* Columns: `level` (i32, -1 where unreached) and `parent` (a vertex; the source is its own). Facts: `source`,
 * `reached`, `depth` (the largest level), `edges` (looked at), `seconds` (of the search alone). Which parent a vertex
 * gets among several that are one level nearer depends on threads and policy; levels do not. Edges are followed
 * forwards. O(vertices + arcs). */
meguri_status meguri_bfs(meguri_result **out, meguri_ctx *ctx, const meguri_graph *graph, uint64_t source,
                         const meguri_bfs_options *options);

/* ---- several searches, one after another ------------------------------------------------------------------------ */

/* What searches of one graph share. They hold their graph. One search at a time. */
typedef struct meguri_bfs_search meguri_bfs_search;

meguri_status meguri_bfs_search_new(meguri_bfs_search **out, meguri_ctx *ctx, const meguri_graph *graph,
                                    const meguri_bfs_options *options);
/* The result belongs to the search and holds until its next run. The context may be another than that of _new. */
meguri_status meguri_bfs_search_run(const meguri_result **out, meguri_ctx *ctx, meguri_bfs_search *search,
                                    uint64_t source);
void meguri_bfs_search_free(meguri_bfs_search *search);

typedef enum meguri_bfs_direction {
    MEGURI_BFS_DIRECTION_PUSH = 0, /* from the frontier to its neighbours */
    MEGURI_BFS_DIRECTION_PULL = 1, /* from the unvisited to the frontier */
    MEGURI_BFS_DIRECTION_FILL = 2  /* the end: vertices of degree one, and what stays unreached */
} meguri_bfs_direction;

/* One step of the last run. */
typedef struct meguri_bfs_step {
    size_t size;       /* set by the caller to sizeof(meguri_bfs_step) */
    uint64_t frontier; /* vertices it started from; in the last step those it filled in */
    uint64_t edges;    /* looked at */
    uint64_t reached;  /* vertices it found */
    meguri_bfs_direction direction;
    double seconds;
} meguri_bfs_step;

/* The steps of the last run. MEGURI_NOT_FOUND where there is no such step. */
uint64_t meguri_bfs_search_step_count(const meguri_bfs_search *search);
meguri_status meguri_bfs_search_step_at(meguri_bfs_step *out, const meguri_bfs_search *search, uint64_t index);

/* ---- many sources in one pass ----------------------------------------------------------------------------------- */

#define MEGURI_BFS_MANY 64

typedef struct meguri_bfs_many_options {
    size_t size;        /* sizeof(meguri_bfs_many_options) */
    uint32_t max_depth; /* as in meguri_bfs_options */
    int parents;        /* also a column of parents for each source, which takes 4 more bytes for each vertex and
                           source; default 1 */
    meguri_engine
        engine; /* MEGURI_ENGINE_DEVICE: steps on devices, each of which needs room for its share of the graph */
} meguri_bfs_many_options;
void meguri_bfs_many_options_init(meguri_bfs_many_options *options, size_t size);

/* Searches from every source, MEGURI_BFS_MANY of them in a pass, a bit each: the edges that they share are looked at
 * once. Hands the results to `take` in the order of the sources: the column `level`, i8, i16 or i32, the smallest that
 * holds the depth of the pass, -1 where unreached; and `parent`, unless that is not wanted. Columns of a pass lie side
 * by side (their stride). Facts, of the whole pass that a source was in: `sources`, `reached` (pairs of a source and a
 * vertex that it reaches), `depth`, `edges`, `seconds`; on devices also `devices` and `device_arcs` (the most arcs of
 * one of them). Memory is needed for one pass, however many sources there are. */
meguri_status meguri_bfs_many(meguri_ctx *ctx, const meguri_graph *graph, const uint64_t *sources, uint64_t count,
                              const meguri_bfs_many_options *options, meguri_result_take take, void *user);

/* Passes of 1 to MEGURI_BFS_MANY sources, one after another, each with a result that has all of them: as
 * meguri_bfs_search is for single searches. */
typedef struct meguri_bfs_many_search meguri_bfs_many_search;

meguri_status meguri_bfs_many_search_new(meguri_bfs_many_search **out, meguri_ctx *ctx, const meguri_graph *graph,
                                         const meguri_bfs_many_options *options);
/* Columns `level_0`, `level_1` … in the order of the sources, and `parent_0` …; facts as above. The result belongs to
 * the search and holds until its next run. */
meguri_status meguri_bfs_many_search_run(const meguri_result **out, meguri_ctx *ctx, meguri_bfs_many_search *search,
                                         const uint64_t *sources, uint32_t count);
/* The results of the last pass once more, one by one as meguri_bfs_many hands them over: for meguri_bfs_check. The
 * context may be used meanwhile. */
meguri_status meguri_bfs_many_search_each(meguri_ctx *ctx, const meguri_bfs_many_search *search,
                                          meguri_result_take take, void *user);
void meguri_bfs_many_search_free(meguri_bfs_many_search *search);

/* ---- checking an answer ----------------------------------------------------------------------------------------- */

/* Checks a result (levels, parents, or both) against the graph without searching it again: the source is its own parent
 * at level 0; every other reached vertex has a parent that is reached, one level nearer, and joined to it by an edge;
 * every edge from a reached vertex leads to a reached one at most one level further; what is unreached has neither
 * level nor parent. The options are those of the search (`max_depth` counts). MEGURI_WRONG_ANSWER and a sentence that
 * names the vertex where a rule is broken. O(vertices + arcs). */
meguri_status meguri_bfs_check(meguri_ctx *ctx, const meguri_graph *graph, const meguri_result *result,
                               const meguri_bfs_options *options);

#ifdef __cplusplus
}
#endif
#endif
