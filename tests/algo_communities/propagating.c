#define _GNU_SOURCE
#include "algo_communities/propagating.h"
#include "support/checks.h"

#include <meguri.h>
#include <string.h>

static void *room_for(uint64_t count, size_t size) {
    void *room = calloc(count + 1, size);
    if (!room) abort();
    return room;
}

naive naive_from_zoo(meguri_ctx *ctx, const zoo_graph *g, const meguri_build_options *options) {
    oracle o = oracle_build(g, options);
    bool directed = options->direction == MEGURI_DIRECTED;
    naive n = {.name = g->name, .vertices = o.vertices};
    n.offsets = room_for(o.vertices + 2, sizeof *n.offsets);
    n.around = room_for(2 * o.arc_count, sizeof *n.around);
    uint64_t *place = n.offsets + 1; /* first counts, then where the next neighbour goes */
    for (uint64_t i = 0; i < o.arc_count; i++) {
        place[o.arcs[i].row + 1]++;
        if (directed) place[o.arcs[i].column + 1]++;
    }
    for (uint64_t v = 0; v < o.vertices; v++) place[v + 1] += place[v];
    for (uint64_t i = 0; i < o.arc_count; i++) {
        uint64_t row = o.arcs[i].row, column = o.arcs[i].column;
        n.around[place[row]++] = (uint32_t)column;
        if (directed) n.around[place[column]++] = (uint32_t)row;
    }
    oracle_free(&o);
    if (zoo_build(&n.graph, ctx, g, options) != MEGURI_OK) fail_msg("%s: %s", g->name, meguri_ctx_error(ctx));
    return n;
}

void naive_free(naive *n) {
    free(n->offsets);
    free(n->around);
    meguri_graph_free(n->graph);
    *n = (naive){0};
}

static uint32_t naive_label(const naive *n, const uint32_t *label, uint64_t *counts, uint64_t v) {
    uint32_t best = label[v];
    uint64_t most = 0;
    for (uint64_t i = n->offsets[v]; i < n->offsets[v + 1]; i++) counts[label[n->around[i]]]++;
    for (uint64_t i = n->offsets[v]; i < n->offsets[v + 1]; i++) {
        uint32_t l = label[n->around[i]];
        if (counts[l] < most || (counts[l] == most && l >= best)) continue;
        most = counts[l];
        best = l;
    }
    for (uint64_t i = n->offsets[v]; i < n->offsets[v + 1]; i++) counts[label[n->around[i]]] = 0;
    return best;
}

labels naive_propagate(const naive *n, uint32_t iterations) {
    labels l = {.label = room_for(n->vertices, sizeof *l.label)};
    uint32_t *next = room_for(n->vertices, sizeof *next);
    uint64_t *counts = room_for(n->vertices, sizeof *counts);
    for (uint64_t v = 0; v < n->vertices; v++) l.label[v] = (uint32_t)v;
    for (uint32_t i = 0; i < iterations; i++) {
        l.changed = 0;
        for (uint64_t v = 0; v < n->vertices; v++) {
            next[v] = naive_label(n, l.label, counts, v);
            l.changed += next[v] != l.label[v];
        }
        memcpy(l.label, next, n->vertices * sizeof *next);
    }
    for (uint64_t v = 0; v < n->vertices; v++) l.different += counts[l.label[v]]++ == 0;
    free(next);
    free(counts);
    return l;
}

void labels_free(labels *l) {
    free(l->label);
    *l = (labels){0};
}

void check_labels(meguri_ctx *ctx, const naive *n, uint32_t iterations, const labels *right,
                  const meguri_result *result) {
    const uint32_t *label = column_of(result, "label", MEGURI_TYPE_VERTEX, n->vertices);
    for (uint64_t v = 0; v < n->vertices; v++)
        if (label[v] != right->label[v])
            fail_msg("%s, %u iterations: vertex %d has the label %u instead of %u", n->name, iterations, (int)v,
                     label[v], right->label[v]);
    assert_int_equal(meguri_result_column_count(result), 1);
    assert_int_equal(fact_of(result, "labels"), right->different);
    assert_int_equal(fact_of(result, "changed"), right->changed);
    assert_in_range(fact_of(result, "iterations"), 1, iterations);
    assert_true(fact_of(result, "edges") <= iterations * n->offsets[n->vertices]);
    if (mg_communities_check(ctx, n->graph, label, iterations) != MEGURI_OK)
        fail_msg("%s, %u iterations: %s", n->name, iterations, meguri_ctx_error(ctx));
}

void check_communities(meguri_ctx *ctx, const naive *n, uint32_t iterations, const labels *right) {
    meguri_communities_options options = {.size = sizeof options, .iterations = iterations};
    meguri_result *result;
    if (meguri_communities(&result, ctx, n->graph, &options) != MEGURI_OK)
        fail_msg("%s: %s", n->name, meguri_ctx_error(ctx));
    check_labels(ctx, n, iterations, right, result);
    meguri_result_free(result);
}
