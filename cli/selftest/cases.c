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
                               const char *name, meguri_column_type type) {
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
                                  .policy = policy,
                                  .engine = p->engine,
                                  .split_device = p->engine == MEGURI_ENGINE_DEVICE};
    options.split_device = p->engine == MEGURI_ENGINE_DEVICE; /* without help */
    meguri_result *result = NULL;
    const void *items = NULL;
    meguri_status status = told(why, p, meguri_bfs(&result, p->ctx, p->graph, source, &options));
    if (status == MEGURI_OK) status = column_of(&items, why, p, result, "level", MEGURI_COLUMN_I32);
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
    meguri_sssp_options options = {.size = sizeof options, .engine = p->engine};
    meguri_result *result = NULL;
    const void *items = NULL;
    bool whole = p->zoo->integers;
    meguri_status status = told(why, p, meguri_sssp(&result, p->ctx, p->graph, source, &options));
    if (status == MEGURI_OK)
        status = column_of(&items, why, p, result, "distance", whole ? MEGURI_COLUMN_U64 : MEGURI_COLUMN_F64);
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
    if (status == MEGURI_OK) status = column_of(&items, why, p, result, "component", MEGURI_COLUMN_VERTEX);
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
    meguri_pagerank_options options = {.size = sizeof options, .iterations = ITERATIONS, .engine = p->engine};
    double *right = calloc((size_t)p->zoo->vertices + 1, sizeof *right);
    double *next = calloc((size_t)p->zoo->vertices + 1, sizeof *next);
    meguri_result *result = NULL;
    const void *items = NULL;
    meguri_status status = agreed(why, p, right && next ? MEGURI_OK : no_memory(why));
    if (status == MEGURI_OK) {
        plain_ranks(right, next, p->zoo);
        status = told(why, p, meguri_pagerank(&result, p->ctx, p->graph, &options));
    }
    if (status == MEGURI_OK) status = column_of(&items, why, p, result, "rank", MEGURI_COLUMN_F64);
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
    meguri_betweenness_options options = {.size = sizeof options, .count = 8, .engine = p->engine};
    meguri_result *result = NULL;
    meguri_status status = told(why, p, meguri_betweenness(&result, p->ctx, p->graph, &options));
    if (status == MEGURI_OK) status = told(why, p, meguri_betweenness_check(p->ctx, p->graph, result, &options));
    meguri_result_free(result);
    return status;
}

const self_case self_cases[SELF_CASES] = {
    {"bfs", true, true, run_bfs},
    {"sssp", true, true, run_sssp},
    {"pagerank", true, true, run_pagerank},
    {"components", true, true, run_components},
    {"betweenness", false, false, run_betweenness},
    {"communities", false, false, run_communities},
    {"cores", false, false, run_cores},
    {"triangles", false, false, run_triangles},
    {"clustering", false, false, run_clustering},
};
