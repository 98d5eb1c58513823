#define _GNU_SOURCE
#include "algo_components/parting.h"
#include "support/checks.h"

#include <meguri.h>

static uint32_t top_of(const uint32_t *above, uint32_t v) {
    while (above[v] != v) v = above[v];
    return v;
}

parts parts_of(const plain *p) {
    uint64_t n = p->vertices;
    parts found = {.component = calloc(n + 1, sizeof *found.component)};
    uint64_t *sizes = calloc(n + 1, sizeof *sizes);
    assert_non_null(found.component);
    assert_non_null(sizes);
    uint32_t *above = found.component;
    for (uint32_t v = 0; v < n; v++) above[v] = v;
    for (uint32_t v = 0; v < n; v++)
        for (uint64_t i = p->offsets[v]; i < p->offsets[v + 1]; i++) {
            uint32_t a = top_of(above, v), b = top_of(above, p->to[i]);
            if (a < b) above[b] = a;
            else above[a] = b;
            above[v] = above[p->to[i]] = a < b ? a : b; /* both were below it, or are it */
        }
    for (uint32_t v = 0; v < n; v++) {
        above[v] = above[above[v]]; /* what comes before is final */
        found.count += above[v] == v;
        sizes[above[v]]++;
        if (sizes[above[v]] > found.largest) found.largest = sizes[above[v]];
    }
    free(sizes);
    return found;
}

void parts_free(parts *p) {
    free(p->component);
    p->component = NULL;
}

void check_parts_result(meguri_ctx *ctx, const subject *s, const parts *right, const meguri_result *result) {
    uint64_t n = s->plain.vertices;
    const uint32_t *component = column_of(result, "component", MEGURI_TYPE_VERTEX, n);
    for (uint64_t v = 0; v < n; v++)
        if (component[v] != right->component[v])
            fail_msg("%s, order %d, %u threads: vertex %d is in %u, not in %u", s->name, s->order,
                     meguri_ctx_threads(ctx), (int)v, component[v], right->component[v]);
    if (fact_of(result, "components") != right->count || fact_of(result, "largest") != right->largest)
        fail_msg("%s, order %d: %d components, the largest of %d, not %d and %d", s->name, s->order,
                 (int)fact_of(result, "components"), (int)fact_of(result, "largest"), (int)right->count,
                 (int)right->largest);
    meguri_fact seconds = {.size = sizeof seconds};
    assert_int_equal(meguri_result_fact(&seconds, result, "seconds"), MEGURI_OK);
    assert_true(seconds.type == MEGURI_TYPE_F64 && seconds.real >= 0);
    assert_int_equal(meguri_result_column_count(result), 1);
    if (mg_components_check(ctx, s->graph, component) != MEGURI_OK)
        fail_msg("%s, order %d: %s", s->name, s->order, meguri_ctx_error(ctx));
}

uint64_t check_parts(meguri_ctx *ctx, const subject *s, const parts *right) {
    meguri_result *result;
    if (meguri_components(&result, ctx, s->graph, NULL) != MEGURI_OK)
        fail_msg("%s, order %d: %s", s->name, s->order, meguri_ctx_error(ctx));
    check_parts_result(ctx, s, right, result);
    uint64_t edges = fact_of(result, "edges");
    meguri_result_free(result);
    return edges;
}
