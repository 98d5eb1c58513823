/* Which vertices betweenness searches from: those named, all, or a sample without repetition. A sample is the beginning
 * of a shuffled list of the vertices that edges leave, so it depends on the seed and the user's order alone, and a
 * larger one contains the smaller. */
#include "algo/betweenness/betweenness.h"

#include "gen/gen.h"

#include <inttypes.h>

enum { LOOK = 65536 }; /* vertices between two looks at the progress */

static const char *const what = "the sources of betweenness";

static meguri_status take_named(mg_betweenness_sources *out, meguri_ctx *ctx, const meguri_graph *graph,
                                const meguri_betweenness_options *given) {
    meguri_status status = mg_check_count(ctx, given->count, sizeof *given->sources, "sources");
    if (status != MEGURI_OK) return status;
    out->vertices = mg_alloc_array(ctx, given->count, sizeof *out->vertices, what);
    if (!out->vertices) return MEGURI_NO_MEMORY;
    for (uint64_t i = 0; i < given->count; i++) {
        if (given->sources[i] >= graph->vertices)
            return mg_fail(ctx, MEGURI_NOT_FOUND, "there is no vertex %" PRIu64 " in a graph of %" PRIu64 ".",
                           given->sources[i], graph->vertices);
        out->vertices[out->count++] = (uint32_t)given->sources[i];
    }
    return MEGURI_OK;
}

static meguri_status list_all(mg_betweenness_sources *out, meguri_ctx *ctx, const meguri_graph *graph,
                              const char *phase) {
    mg_rows rows;
    mg_numbering numbering;
    meguri_status status = mg_graph_rows(&rows, ctx, graph);
    if (status == MEGURI_OK) status = mg_graph_numbering(&numbering, ctx, graph);
    if (status != MEGURI_OK) return status;
    out->vertices = mg_alloc_array(ctx, graph->vertices, sizeof *out->vertices, what);
    if (!out->vertices) return MEGURI_NO_MEMORY;
    for (uint32_t p = 0; p < graph->vertices; p++) {
        if (p % LOOK == 0 && mg_progress(ctx, phase, 0, graph->vertices)) return mg_fail_cancelled(ctx);
        uint32_t v = mg_to_internal(&numbering, p);
        if (mg_row_end(&rows, v) > mg_row_begin(&rows, v)) out->vertices[out->count++] = p;
    }
    return MEGURI_OK;
}

static void shuffle_first(uint32_t *list, uint64_t count, uint64_t first, uint64_t seed) {
    uint64_t key = mg_random_key(seed, MG_STREAM_SOURCES);
    for (uint64_t i = 0; i < first; i++) {
        uint64_t from = i + mg_random_below(mg_random(key, i), count - i);
        uint32_t drawn = list[from];
        list[from] = list[i];
        list[i] = drawn;
    }
}

meguri_status mg_betweenness_sources_new(mg_betweenness_sources *out, meguri_ctx *ctx, const meguri_graph *graph,
                                         const meguri_betweenness_options *options, const char *phase) {
    *out = (mg_betweenness_sources){0};
    meguri_betweenness_options given;
    meguri_status status = MG_OPTIONS(ctx, &given, options, meguri_betweenness_options);
    if (status != MEGURI_OK) return status;
    if (given.sources) return take_named(out, ctx, graph, &given);
    status = list_all(out, ctx, graph, phase);
    if (status != MEGURI_OK) return status;
    out->all = !given.count || given.count >= out->count;
    if (out->all) return MEGURI_OK;
    shuffle_first(out->vertices, out->count, given.count, given.seed);
    out->count = given.count;
    return MEGURI_OK;
}
