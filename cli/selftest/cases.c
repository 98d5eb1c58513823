/* The algorithms of the self-test. Levels, distances, components and ranks are compared with plain serial answers of
 * the plain arrays; everything is judged by its checker as well. */
#include "selftest/selftest.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- what all of them do ---------------------------------------------------------------------------------------- */

__attribute__((format(printf, 2, 3))) static meguri_status wrong(char why[CASE_TEXT], const char *format, ...) {
    va_list list;
    va_start(list, format);
    vsnprintf(why, CASE_TEXT, format, list);
    va_end(list);
    return MEGURI_WRONG_ANSWER;
}

/* What the library says. */
static meguri_status told(char why[CASE_TEXT], const place *p, meguri_status status) {
    if (status != MEGURI_OK) snprintf(why, CASE_TEXT, "%s", meguri_ctx_error(p->ctx));
    return status;
}

/* Of processes: a failure at one is one at all. */
static meguri_status agreed(char why[CASE_TEXT], const place *p, meguri_status status) {
    if (!p->cluster) return status;
    return told(why, p, meguri_cluster_agree(p->ctx, p->cluster, status, why));
}

static meguri_status no_memory(char why[CASE_TEXT]) {
    snprintf(why, CASE_TEXT, "the system has no memory for a plain answer.");
    return MEGURI_NO_MEMORY;
}

/* The items of a column, and that the engine is the one that was asked for. */
static meguri_status column_of(const void **out, char why[CASE_TEXT], const place *p, const meguri_result *result,
                               const char *name, meguri_type type) {
    meguri_column column = {.size = sizeof column};
    meguri_fact engine = {.size = sizeof engine};
    meguri_status status = meguri_result_column(&column, result, name);
    if (status == MEGURI_OK) status = meguri_result_fact(&engine, result, "engine");
    if (status != MEGURI_OK) return wrong(why, "the result has no column \"%s\", or no fact \"engine\".", name);
    if (column.type != type || column.count != p->end - p->begin)
        return wrong(why, "the column \"%s\" has another type or length.", name);
    if (strcmp(engine.text, meguri_engine_name(p->engine)) != 0)
        return wrong(why, "the engine %s did the work.", engine.text);
    *out = column.data;
    return MEGURI_OK;
}

/* Sources: the first vertex, the one with most arcs, and one somewhere. */
static uint32_t source_of(const zoo_graph *g, int which) {
    uint32_t hub = 0;
    for (uint32_t v = 1; v < g->vertices; v++)
        if (g->first[v + 1] - g->first[v] > g->first[hub + 1] - g->first[hub]) hub = v;
    return which == 0 ? 0 : which == 1 ? hub : g->vertices / 3;
}
#define SOURCES 3

/* ---- breadth-first search --------------------------------------------------------------------------------------- */

static bool plain_levels(int32_t *level, const zoo_graph *g, uint32_t source) {
    uint32_t *queue = calloc((size_t)g->vertices + 1, sizeof *queue), count = 1;
    if (!queue) return false;
    for (uint32_t v = 0; v < g->vertices; v++) level[v] = -1;
    level[source] = 0;
    queue[0] = source;
    for (uint32_t k = 0; k < count; k++)
        for (uint64_t arc = g->first[queue[k]]; arc < g->first[queue[k] + 1]; arc++)
            if (level[g->to[arc]] < 0) {
                level[g->to[arc]] = level[queue[k]] + 1;
                queue[count++] = g->to[arc];
            }
    free(queue);
    return true;
}

static meguri_status search(char why[CASE_TEXT], const place *p, uint32_t source, meguri_bfs_policy policy,
                            const int32_t *right) {
    meguri_bfs_options options = {.size = sizeof options,
                                  .max_depth = UINT32_MAX,
                                  .levels = 1,
                                  .parents = 1,
                                  .policy = policy,
                                  .alpha = 10,
                                  .beta = 14,
                                  .engine = p->engine,
                                  .split_device = p->engine == MEGURI_ENGINE_DEVICE};
    options.split_device = p->engine == MEGURI_ENGINE_DEVICE; /* without help */
    meguri_result *result = NULL;
    const void *items = NULL;
    meguri_status status = told(why, p, meguri_bfs(&result, p->ctx, p->graph, source, &options));
    if (status == MEGURI_OK) status = column_of(&items, why, p, result, "level", MEGURI_TYPE_I32);
    for (uint64_t v = p->begin; v < p->end && status == MEGURI_OK; v++) {
        int32_t level = ((const int32_t *)items)[v - p->begin];
        if (level != right[v])
            status = wrong(why, "vertex %d is at level %d, not %d.", (int)v, (int)level, (int)right[v]);
    }
    status = agreed(why, p, status);
    if (status == MEGURI_OK) status = told(why, p, meguri_bfs_check(p->ctx, p->graph, result, &options));
    meguri_result_free(result);
    return status;
}

static meguri_status run_bfs(char why[CASE_TEXT], const place *p) {
    int32_t *right = calloc((size_t)p->zoo->vertices + 1, sizeof *right);
    meguri_status status = right ? MEGURI_OK : no_memory(why);
    for (int k = 0; k < SOURCES && status == MEGURI_OK; k++) {
        uint32_t source = source_of(p->zoo, k);
        status = agreed(why, p, plain_levels(right, p->zoo, source) ? MEGURI_OK : no_memory(why));
        for (int policy = MEGURI_BFS_AUTO; policy <= MEGURI_BFS_PULL && status == MEGURI_OK; policy++)
            status = search(why, p, source, (meguri_bfs_policy)policy, right);
    }
    free(right);
    return status;
}

/* ---- many sources at once --------------------------------------------------------------------------------------- */

static int32_t level_at(const meguri_column *c, uint64_t v) {
    const void *item = (const char *)c->data + v * c->stride;
    return c->item_bytes == 1   ? *(const int8_t *)item
           : c->item_bytes == 2 ? *(const int16_t *)item
                                : *(const int32_t *)item;
}

static meguri_status compare_column(char why[CASE_TEXT], const place *p, const meguri_result *result, uint32_t number,
                                    const int32_t *right) {
    char name[24];
    meguri_column column = {.size = sizeof column};
    snprintf(name, sizeof name, "level_%u", number);
    if (meguri_result_column(&column, result, name) != MEGURI_OK || column.count != p->zoo->vertices)
        return wrong(why, "the result has no column \"%s\", or one of another length.", name);
    for (uint64_t v = 0; v < p->zoo->vertices; v++)
        if (level_at(&column, v) != right[v])
            return wrong(why, "vertex %d is at level %d of source %u, not %d.", (int)v, (int)level_at(&column, v),
                         number, (int)right[v]);
    return MEGURI_OK;
}

/* As many as go in one pass, some of them twice where there are few vertices. */
static meguri_status run_many(char why[CASE_TEXT], const place *p) {
    meguri_bfs_many_options options = {.size = sizeof options, .max_depth = UINT32_MAX, .engine = p->engine};
    meguri_bfs_many_search *searches = NULL;
    const meguri_result *result = NULL;
    uint64_t sources[MEGURI_BFS_MANY];
    int32_t *right = calloc((size_t)p->zoo->vertices + 1, sizeof *right);
    meguri_status status = right ? MEGURI_OK : no_memory(why);
    for (uint32_t i = 0; i < MEGURI_BFS_MANY; i++) sources[i] = (uint64_t)i * 7 % p->zoo->vertices;
    sources[0] = source_of(p->zoo, 1);
    if (status == MEGURI_OK) status = told(why, p, meguri_bfs_many_search_new(&searches, p->ctx, p->graph, &options));
    if (status == MEGURI_OK)
        status = told(why, p, meguri_bfs_many_search_run(&result, p->ctx, searches, sources, MEGURI_BFS_MANY));
    for (uint32_t i = 0; i < MEGURI_BFS_MANY && status == MEGURI_OK; i++) {
        status = plain_levels(right, p->zoo, (uint32_t)sources[i]) ? MEGURI_OK : no_memory(why);
        if (status == MEGURI_OK) status = compare_column(why, p, result, i, right);
    }
    meguri_bfs_many_search_free(searches);
    free(right);
    return status;
}

/* ---- shortest paths --------------------------------------------------------------------------------------------- */

/* Bellman and Ford with a queue. Sums of weights grow along a path, so that the smallest is the same in any order. */
static bool plain_distances(double *distance, const zoo_graph *g, uint32_t source) {
    uint32_t *queue = calloc((size_t)g->vertices + 1, sizeof *queue), head = 0, count = 1;
    bool *waits = calloc((size_t)g->vertices + 1, sizeof *waits);
    for (uint32_t v = 0; v < g->vertices; v++) distance[v] = INFINITY;
    distance[source] = 0;
    if (queue) queue[0] = source;
    for (; queue && waits && count; count--) {
        uint32_t u = queue[head];
        head = (head + 1) % (g->vertices + 1);
        waits[u] = false;
        for (uint64_t arc = g->first[u]; arc < g->first[u + 1]; arc++) {
            uint32_t v = g->to[arc];
            double sum = distance[u] + g->weight[arc];
            if (sum >= distance[v]) continue;
            distance[v] = sum;
            if (!waits[v]) queue[(head + count++ - 1) % (g->vertices + 1)] = v;
            waits[v] = true;
        }
    }
    bool done = queue && waits;
    free(queue);
    free(waits);
    return done;
}

static meguri_status find_distances(char why[CASE_TEXT], const place *p, uint32_t source, const double *right) {
    meguri_sssp_options options = {
        .size = sizeof options, .parents = 1, .max_cost = (double)INFINITY, .engine = p->engine};
    meguri_result *result = NULL;
    const void *items = NULL;
    bool whole = p->zoo->integers;
    meguri_status status = told(why, p, meguri_sssp(&result, p->ctx, p->graph, source, &options));
    if (status == MEGURI_OK)
        status = column_of(&items, why, p, result, "distance", whole ? MEGURI_TYPE_U64 : MEGURI_TYPE_F64);
    for (uint64_t v = p->begin; v < p->end && status == MEGURI_OK; v++) {
        uint64_t number = whole ? ((const uint64_t *)items)[v - p->begin] : 0;
        double distance = !whole                 ? ((const double *)items)[v - p->begin]
                          : number == UINT64_MAX ? INFINITY
                                                 : (double)number;
        if (distance != right[v])
            status = wrong(why, "vertex %d is %.17g away, not %.17g.", (int)v, distance, right[v]);
    }
    status = agreed(why, p, status);
    if (status == MEGURI_OK) status = told(why, p, meguri_sssp_check(p->ctx, p->graph, result, &options));
    meguri_result_free(result);
    return status;
}

static meguri_status run_sssp(char why[CASE_TEXT], const place *p) {
    double *right = calloc((size_t)p->zoo->vertices + 1, sizeof *right);
    meguri_status status = right ? MEGURI_OK : no_memory(why);
    for (int k = 0; k < SOURCES && status == MEGURI_OK; k++) {
        uint32_t source = source_of(p->zoo, k);
        status = agreed(why, p, plain_distances(right, p->zoo, source) ? MEGURI_OK : no_memory(why));
        if (status == MEGURI_OK) status = find_distances(why, p, source, right);
    }
    free(right);
    return status;
}

/* ---- paths ------------------------------------------------------------------------------------------------------ */

typedef struct path_job {
    const zoo_graph *zoo;
    uint64_t from, to, hops, paths;
    double cost;
    bool walks; /* along arcs that are there, from one end to the other */
} path_job;

/* Whether an arc leads from u to v and adds what the path says; sums of fractions may be rounded elsewhere. */
static bool has_arc(const zoo_graph *g, uint64_t u, uint64_t v, double cost) {
    for (uint64_t arc = g->first[u]; arc < g->first[u + 1]; arc++)
        if (g->to[arc] == v && fabs(g->weight[arc] - cost) <= 1e-9 * (1 + fabs(cost))) return true;
    return false;
}

static int take_path(void *user, const meguri_path *path) {
    path_job *job = user;
    job->paths++;
    job->hops = path->hops;
    job->cost = path->cost;
    job->walks = path->vertices[0] == job->from && path->vertices[path->hops] == job->to;
    for (uint64_t i = 0; i < path->hops && job->walks; i++)
        job->walks = path->vertices[i] < job->zoo->vertices &&
                     has_arc(job->zoo, path->vertices[i], path->vertices[i + 1], path->costs[i + 1] - path->costs[i]);
    return 0;
}

/* What is right: steps, and the distance; level -1: there is no path. */
static meguri_status ask(char why[CASE_TEXT], const place *p, const meguri_path_finder *finder, meguri_path_query query,
                         int32_t level, double distance) {
    path_job job = {.zoo = p->zoo, .from = query.from, .to = query.to};
    meguri_path_answer answer = {.size = sizeof answer};
    meguri_status status = told(why, p, meguri_path_find(&answer, p->ctx, finder, &query, take_path, &job));
    if (status != MEGURI_OK) return status;
    if (job.paths != (level >= 0))
        return wrong(why, "%d paths from %d to %d.", (int)job.paths, (int)query.from, (int)query.to);
    if (!job.paths) return MEGURI_OK;
    if (!job.walks) return wrong(why, "the path from %d to %d is none.", (int)query.from, (int)query.to);
    if (query.algorithm == MEGURI_PATH_SHORTEST && job.hops != (uint64_t)level)
        return wrong(why, "%d edges from %d to %d, not %d.", (int)job.hops, (int)query.from, (int)query.to, (int)level);
    if (query.algorithm == MEGURI_PATH_DIJKSTRA && job.cost != distance)
        return wrong(why, "%.17g from %d to %d, not %.17g.", job.cost, (int)query.from, (int)query.to, distance);
    return MEGURI_OK;
}

/* Both kinds of question from each source to all of them, and to the last vertex. */
static meguri_status run_path(char why[CASE_TEXT], const place *p) {
    meguri_path_finder_options options = {.size = sizeof options, .engine = p->engine};
    meguri_path_finder *finder = NULL;
    int32_t *levels = calloc((size_t)p->zoo->vertices + 1, sizeof *levels);
    double *distances = calloc((size_t)p->zoo->vertices + 1, sizeof *distances);
    meguri_status status = levels && distances ? MEGURI_OK : no_memory(why);
    if (status == MEGURI_OK) status = told(why, p, meguri_path_finder_new(&finder, p->ctx, p->graph, &options));
    for (int k = 0; k < SOURCES && status == MEGURI_OK; k++) {
        const uint32_t from = source_of(p->zoo, k);
        if (!plain_levels(levels, p->zoo, from) || !plain_distances(distances, p->zoo, from)) status = no_memory(why);
        for (int i = 0; i < 2 * (SOURCES + 1) && status == MEGURI_OK; i++) {
            const uint32_t to = i / 2 < SOURCES ? source_of(p->zoo, i / 2) : p->zoo->vertices - 1;
            const meguri_path_query query = {.size = sizeof query,
                                             .algorithm = i % 2 ? MEGURI_PATH_SHORTEST : MEGURI_PATH_DIJKSTRA,
                                             .from = from,
                                             .to = to};
            status = ask(why, p, finder, query, levels[to], distances[to]);
        }
    }
    meguri_path_finder_free(finder);
    free(levels);
    free(distances);
    return status;
}

/* ---- connected components --------------------------------------------------------------------------------------- */

/* The first member of every component, by joining the ends of arcs one after another. */
static void plain_components(uint32_t *component, const zoo_graph *g) {
    for (uint32_t v = 0; v < g->vertices; v++) component[v] = v;
    for (uint32_t v = 0; v < g->vertices; v++)
        for (uint64_t arc = g->first[v]; arc < g->first[v + 1]; arc++) {
            uint32_t a = v, b = g->to[arc];
            while (component[a] != a) a = component[a];
            while (component[b] != b) b = component[b];
            component[a > b ? a : b] = a > b ? b : a;
            component[v] = a > b ? b : a;
        }
    for (uint32_t v = 0; v < g->vertices; v++) component[v] = component[component[v]];
}

static meguri_status run_components(char why[CASE_TEXT], const place *p) {
    meguri_components_options options = {.size = sizeof options, .engine = p->engine};
    uint32_t *right = calloc((size_t)p->zoo->vertices + 1, sizeof *right);
    meguri_result *result = NULL;
    const void *items = NULL;
    meguri_status status = agreed(why, p, right ? MEGURI_OK : no_memory(why));
    if (status == MEGURI_OK) {
        plain_components(right, p->zoo);
        status = told(why, p, meguri_components(&result, p->ctx, p->graph, &options));
    }
    if (status == MEGURI_OK) status = column_of(&items, why, p, result, "component", MEGURI_TYPE_VERTEX);
    for (uint64_t v = p->begin; v < p->end && status == MEGURI_OK; v++) {
        uint32_t component = ((const uint32_t *)items)[v - p->begin];
        if (component != right[v])
            status = wrong(why, "vertex %d is in component %u, not %u.", (int)v, component, right[v]);
    }
    status = agreed(why, p, status);
    if (status == MEGURI_OK) status = told(why, p, meguri_components_check(p->ctx, p->graph, result, &options));
    meguri_result_free(result);
    free(right);
    return status;
}

/* ---- PageRank --------------------------------------------------------------------------------------------------- */

#define ITERATIONS 12

/* By the definition: along out-arcs. `next` has room for as many. */
static void plain_ranks(double *rank, double *next, const zoo_graph *g) {
    double n = g->vertices, damping = 0.85;
    for (uint32_t v = 0; v < g->vertices; v++) rank[v] = 1 / n;
    for (int i = 0; i < ITERATIONS; i++) {
        double dangling = 0;
        for (uint32_t v = 0; v < g->vertices; v++) next[v] = 0;
        for (uint32_t u = 0; u < g->vertices; u++) {
            double degree = (double)(g->first[u + 1] - g->first[u]);
            if (degree == 0) dangling += rank[u];
            for (uint64_t arc = g->first[u]; arc < g->first[u + 1]; arc++) next[g->to[arc]] += rank[u] / degree;
        }
        for (uint32_t v = 0; v < g->vertices; v++) rank[v] = (1 - damping) / n + damping * (next[v] + dangling / n);
    }
}

static meguri_status run_pagerank(char why[CASE_TEXT], const place *p) {
    meguri_pagerank_options options = {
        .size = sizeof options, .tiles = 1, .iterations = ITERATIONS, .engine = p->engine, .damping = 0.85};
    double *right = calloc((size_t)p->zoo->vertices + 1, sizeof *right);
    double *next = calloc((size_t)p->zoo->vertices + 1, sizeof *next);
    meguri_result *result = NULL;
    const void *items = NULL;
    meguri_status status = agreed(why, p, right && next ? MEGURI_OK : no_memory(why));
    if (status == MEGURI_OK) {
        plain_ranks(right, next, p->zoo);
        status = told(why, p, meguri_pagerank(&result, p->ctx, p->graph, &options));
    }
    if (status == MEGURI_OK) status = column_of(&items, why, p, result, "rank", MEGURI_TYPE_F64);
    for (uint64_t v = p->begin; v < p->end && status == MEGURI_OK; v++) {
        double rank = ((const double *)items)[v - p->begin];
        if (!(fabs(rank - right[v]) <= 1e-11 * right[v]))
            status = wrong(why, "vertex %d has the rank %.17g, not %.17g.", (int)v, rank, right[v]);
    }
    status = agreed(why, p, status);
    if (status == MEGURI_OK) status = told(why, p, meguri_pagerank_check(p->ctx, p->graph, result, &options));
    meguri_result_free(result);
    free(right);
    free(next);
    return status;
}

/* ---- by their checkers alone ------------------------------------------------------------------------------------ */

#define CHECKED(name)                                                                                                  \
    static meguri_status run_##name(char why[CASE_TEXT], const place *p) {                                             \
        meguri_##name##_options options = {.size = sizeof options, .engine = p->engine};                               \
        meguri_result *result = NULL;                                                                                  \
        meguri_status status = told(why, p, meguri_##name(&result, p->ctx, p->graph, &options));                       \
        if (status == MEGURI_OK) status = told(why, p, meguri_##name##_check(p->ctx, p->graph, result, &options));     \
        meguri_result_free(result);                                                                                    \
        return status;                                                                                                 \
    }

CHECKED(communities)
CHECKED(cores)
CHECKED(triangles)
CHECKED(clustering)

static meguri_status run_betweenness(char why[CASE_TEXT], const place *p) {
    meguri_betweenness_options options = {.size = sizeof options, .count = 8, .engine = p->engine, .seed = 1};
    meguri_result *result = NULL;
    meguri_status status = told(why, p, meguri_betweenness(&result, p->ctx, p->graph, &options));
    if (status == MEGURI_OK) status = told(why, p, meguri_betweenness_check(p->ctx, p->graph, result, &options));
    meguri_result_free(result);
    return status;
}

const self_case self_cases[SELF_CASES] = {
    {"bfs", true, true, run_bfs},
    {"bfs, many", true, false, run_many},
    {"sssp", true, true, run_sssp},
    {"path", true, false, run_path},
    {"pagerank", true, true, run_pagerank},
    {"components", true, true, run_components},
    {"betweenness", false, false, run_betweenness},
    {"communities", false, false, run_communities},
    {"cores", false, false, run_cores},
    {"triangles", false, false, run_triangles},
    {"clustering", false, false, run_clustering},
};
