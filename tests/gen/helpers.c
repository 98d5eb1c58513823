#include "gen/helpers.h"

#include <math.h>

meguri_ctx *new_context(uint32_t threads, uint64_t memory) {
    meguri_ctx *ctx;
    meguri_ctx_options options = {.size = sizeof options, .threads = threads, .memory = memory};
    assert_int_equal(meguri_ctx_new(&ctx, &options), MEGURI_OK);
    return ctx;
}

void free_context(meguri_ctx *ctx) {
    assert_int_equal(meguri_ctx_memory_used(ctx), 0);
    meguri_ctx_free(ctx);
}

meguri_graph_info info_of(meguri_ctx *ctx, const meguri_graph *graph) {
    meguri_graph_info info = {.size = sizeof info};
    assert_int_equal(meguri_graph_get_info(&info, ctx, graph), MEGURI_OK);
    return info;
}

arcs arcs_of(meguri_ctx *ctx, const meguri_graph *graph) {
    mg_rows rows;
    assert_int_equal(info_of(ctx, graph).order, MEGURI_ORDER_NONE);
    assert_int_equal(mg_graph_rows(&rows, ctx, graph), MEGURI_OK);
    arcs a = {.count = rows.arcs, .to = rows.neighbors, .weights = rows.weights};
    a.from = malloc((rows.arcs + 1) * sizeof *a.from);
    assert_non_null(a.from);
    for (uint64_t v = 0; v < rows.rows; v++)
        for (uint64_t i = mg_row_begin(&rows, v); i < mg_row_end(&rows, v); i++) a.from[i] = (uint32_t)v;
    return a;
}

void arcs_free(arcs *a) { free(a->from); }

/* FNV-1a by words of 8 bytes. */
static uint64_t digest_bytes(uint64_t digest, const void *data, uint64_t bytes) {
    for (uint64_t i = 0; i < bytes; i += 8) {
        uint64_t word = 0;
        memcpy(&word, (const char *)data + i, MG_MIN(bytes - i, 8u));
        digest = (digest ^ word) * UINT64_C(0x100000001b3);
        digest ^= digest >> 32;
    }
    return digest;
}

uint64_t digest_of(meguri_ctx *ctx, const meguri_graph *graph) {
    uint64_t digest = UINT64_C(0xcbf29ce484222325);
    const mg_part parts[] = {MG_PART_OFFSETS, MG_PART_NEIGHBORS, MG_PART_WEIGHTS, MG_PART_TO_USER, MG_PART_COORDINATES};
    for (size_t i = 0; i < LENGTH(parts); i++) {
        const void *data;
        assert_int_equal(mg_graph_part(&data, ctx, graph, parts[i]), MEGURI_OK);
        if (data) digest = digest_bytes(digest, data, graph->part[parts[i]].bytes);
    }
    return digest;
}

double chi_square(const uint64_t *observed, const double *expected, size_t cells) {
    double sum = 0;
    for (size_t i = 0; i < cells; i++) {
        if (expected[i] == 0) assert_int_equal(observed[i], 0);
        else sum += ((double)observed[i] - expected[i]) * ((double)observed[i] - expected[i]) / expected[i];
    }
    return sum;
}

double chi_square_limit(double freedom) {
    const double z = 4.265; /* the normal distribution exceeds it once in 100,000 */
    return freedom * pow(1 - 2 / (9 * freedom) + z * sqrt(2 / (9 * freedom)), 3);
}

phases count_phases(meguri_ctx *ctx, const meguri_graph *graph, uint64_t source, uint64_t few) {
    mg_rows rows;
    mg_numbering numbering;
    phases result = {0};
    assert_int_equal(mg_graph_rows(&rows, ctx, graph), MEGURI_OK);
    assert_int_equal(mg_graph_numbering(&numbering, ctx, graph), MEGURI_OK);
    uint64_t n = graph->vertices;
    uint64_t *now = malloc(n * sizeof *now), *next = malloc(n * sizeof *next);
    uint32_t *changed = malloc(n * sizeof *changed), *changing = malloc(n * sizeof *changing);
    assert_true(now && next && changed && changing);
    memset(now, 0xff, n * sizeof *now);
    memset(next, 0xff, n * sizeof *next);
    uint32_t start = mg_to_internal(&numbering, (uint32_t)source);
    now[start] = next[start] = 0;
    changed[0] = start;
    for (uint64_t count = 1, more; count > 0; count = more) {
        more = 0;
        for (uint64_t i = 0; i < count; i++) {
            uint32_t v = changed[i];
            for (uint64_t k = mg_row_begin(&rows, v); k < mg_row_end(&rows, v); k++) {
                uint32_t to = rows.neighbors[k];
                uint64_t distance = now[v] + (uint64_t)mg_weight_at(rows.weights, graph->weight_type, k);
                if (distance >= next[to]) continue;
                if (next[to] == now[to]) changing[more++] = to; /* its first improvement in this phase */
                next[to] = distance;
            }
        }
        for (uint64_t i = 0; i < more; i++) now[changing[i]] = next[changing[i]];
        uint32_t *swap = changed;
        changed = changing;
        changing = swap;
        result.phases++;
        result.peak = MG_MAX(result.peak, more);
        result.small += more < few;
    }
    for (uint64_t v = 0; v < n; v++) result.reached += now[v] != UINT64_MAX;
    free(now);
    free(next);
    free(changed);
    free(changing);
    return result;
}
