#define _GNU_SOURCE
#include "graph500/lists.h"

#include "gen/random.h"

#include <math.h>

edge_list list_of(uint32_t vertices, const uint32_t *pairs, uint64_t count) {
    edge_list list = {vertices, count, malloc(count * 8 + 1), NULL};
    assert_non_null(list.pairs);
    if (count) memcpy(list.pairs, pairs, count * 8);
    return list;
}

edge_list list_kronecker(uint32_t scale, uint32_t edge_factor, uint64_t seed) {
    meguri_ctx *ctx = context_with(1);
    meguri_kronecker_options o = {.size = sizeof o, .scale = scale, .edge_factor = edge_factor, .seed = seed};
    uint32_t *pairs;
    uint64_t count;
    assert_int_equal(meguri_gen_kronecker_pairs(&pairs, &count, ctx, &o), MEGURI_OK);
    edge_list list = list_of((uint32_t)1 << scale, pairs, count);
    meguri_pairs_free(pairs);
    context_done(ctx);
    return list;
}

void list_weigh(edge_list *list, uint64_t seed) {
    uint64_t key = mg_random_key(seed, MG_STREAM_WEIGHTS);
    list->weights = malloc(list->count * sizeof *list->weights + 1);
    assert_non_null(list->weights);
    for (uint64_t i = 0; i < list->count; i++) list->weights[i] = ldexpf((float)(mg_random(key, i) >> 40), -24);
}

void list_free(edge_list *list) {
    free(list->pairs);
    free(list->weights);
}

uint64_t list_search(const edge_list *list, uint32_t root, uint32_t *parent, int32_t *level) {
    uint32_t n = list->vertices, *queue = malloc(n * sizeof *queue);
    uint64_t *start = calloc((uint64_t)n + 2, sizeof *start), head = 0, tail = 0;
    uint32_t *ends = malloc(list->count * 8 + 1);
    assert_true(queue && start && ends);
    for (uint64_t i = 0; i < 2 * list->count; i++) start[list->pairs[i] + 2]++;
    for (uint32_t v = 0; v < n; v++) start[v + 2] += start[v + 1];
    for (uint64_t i = 0; i < 2 * list->count; i++) ends[start[list->pairs[i] + 1]++] = list->pairs[i ^ 1];
    for (uint32_t v = 0; v < n; v++) {
        parent[v] = UINT32_MAX;
        level[v] = -1;
    }
    parent[root] = root;
    level[root] = 0;
    queue[tail++] = root;
    while (head < tail) {
        uint32_t u = queue[head++];
        for (uint64_t i = start[u]; i < start[u + 1]; i++) {
            uint32_t v = ends[i];
            if (level[v] >= 0) continue;
            level[v] = level[u] + 1;
            parent[v] = u;
            queue[tail++] = v;
        }
    }
    free(queue);
    free(start);
    free(ends);
    return tail;
}

bool list_is_search_tree(const edge_list *list, uint32_t root, const uint32_t *parent) {
    uint32_t n = list->vertices, *true_parent = malloc(n * 4);
    int32_t *level = malloc(n * 4);
    bool *joined = calloc(n, 1);
    assert_true(true_parent && level && joined);
    list_search(list, root, true_parent, level);
    for (uint64_t i = 0; i < list->count; i++) {
        uint32_t u = list->pairs[2 * i], v = list->pairs[2 * i + 1];
        if (parent[u] == v) joined[u] = true;
        if (parent[v] == u) joined[v] = true;
    }
    bool good = parent[root] == root;
    for (uint32_t v = 0; v < n && good; v++) {
        uint32_t p = parent[v];
        if (v == root) continue;
        if (level[v] < 0) good = p == UINT32_MAX;
        else good = p < n && joined[v] && level[p] == level[v] - 1;
    }
    free(true_parent);
    free(level);
    free(joined);
    return good;
}

uint64_t list_paths(const edge_list *list, uint32_t root, uint32_t *parent, double *distance) {
    uint64_t reached = 0;
    for (uint32_t v = 0; v < list->vertices; v++) {
        parent[v] = v == root ? root : UINT32_MAX;
        distance[v] = v == root ? 0 : INFINITY;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (uint64_t i = 0; i < 2 * list->count; i++) {
            uint32_t u = list->pairs[i], v = list->pairs[i ^ 1];
            double d = distance[u] + (double)list->weights[i / 2];
            if (d >= distance[v]) continue;
            distance[v] = d;
            parent[v] = u;
            changed = true;
        }
    }
    for (uint32_t v = 0; v < list->vertices; v++) reached += distance[v] < INFINITY;
    return reached;
}

bool list_are_paths(const edge_list *list, uint32_t root, const uint32_t *parent, const double *distance) {
    uint32_t n = list->vertices, *true_parent = malloc(n * 4);
    double *true_distance = malloc(n * 8);
    bool *joined = calloc(n, 1), good = parent[root] == root;
    assert_true(true_parent && true_distance && joined);
    list_paths(list, root, true_parent, true_distance);
    for (uint64_t i = 0; i < 2 * list->count; i++) {
        uint32_t u = list->pairs[i], v = list->pairs[i ^ 1];
        if (parent[v] == u && true_distance[u] + (double)list->weights[i / 2] == true_distance[v]) joined[v] = true;
    }
    for (uint32_t v = 0; v < n && good; v++) {
        uint32_t at = v, steps = 0;
        good = distance[v] == true_distance[v];
        if (true_distance[v] == INFINITY) good = good && parent[v] == UINT32_MAX;
        else if (v != root) good = good && parent[v] < n && joined[v];
        while (good && true_distance[v] < INFINITY && at != root && steps++ <= n) at = joined[at] ? parent[at] : root;
        good = good && steps <= n;
    }
    free(true_parent);
    free(true_distance);
    free(joined);
    return good;
}

uint64_t list_edges_inside(const edge_list *list, const uint32_t *parent) {
    uint64_t count = 0;
    for (uint64_t i = 0; i < list->count; i++)
        count += parent[list->pairs[2 * i]] != UINT32_MAX || parent[list->pairs[2 * i + 1]] != UINT32_MAX;
    return count;
}
