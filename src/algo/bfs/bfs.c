/* The front of breadth-first search: arguments, results, the handle that several searches share. */
#include "algo/bfs/bfs.h"

#include <math.h>

#include <inttypes.h>

meguri_status mg_bfs_options(meguri_ctx *ctx, meguri_bfs_options *out, const meguri_bfs_options *options) {
    meguri_status status = mg_options(ctx, out, sizeof *out, options, "meguri_bfs_options");
    if (status != MEGURI_OK) return status;
    if (out->alpha == 0) out->alpha = 10;
    if (out->beta == 0) out->beta = 14;
    if (!(out->alpha > 0 && isfinite(out->alpha)) || !(out->beta > 0 && isfinite(out->beta)))
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "alpha and beta of a search must be positive numbers.");
    if ((unsigned)out->policy > MEGURI_BFS_FORCED)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "%d is no policy of a search.", (int)out->policy);
    if (out->policy == MEGURI_BFS_FORCED && (!out->ways || !*out->ways || strspn(out->ways, "<>") != strlen(out->ways)))
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "a forced search needs its ways as a text of < and >.");
    return MEGURI_OK;
}

/* The caller's text may go before the search does. */
static meguri_status keep_ways(meguri_ctx *ctx, meguri_bfs_search *s) {
    const char *ways = s->options.ways;
    s->options.ways = NULL;
    if (s->options.policy != MEGURI_BFS_FORCED) return MEGURI_OK;
    s->ways = mg_strdup(ctx, ways, "the ways of a search");
    s->options.ways = s->ways;
    return s->ways ? MEGURI_OK : MEGURI_NO_MEMORY;
}

static meguri_status add_column(meguri_ctx *ctx, meguri_result *result, const char *name, meguri_column_type type,
                                uint32_t **out, uint64_t vertices) {
    uint32_t *data = mg_alloc_array(ctx, vertices, sizeof *data, "the result of a search");
    if (!data) return MEGURI_NO_MEMORY;
    int threads = mg_threads(ctx, vertices, 1 << 16);
    /* -1 and MEGURI_NO_VERTEX are the same bits. */
#pragma omp parallel for num_threads(mg_team(threads)) schedule(static)
    for (uint64_t v = 0; v < vertices; v++) data[v] = MEGURI_NO_VERTEX;
    meguri_status status = mg_result_own(ctx, result, data);
    if (status == MEGURI_OK) status = mg_result_add_column(ctx, result, name, type, data, vertices, sizeof *data);
    if (status == MEGURI_OK) *out = data;
    return status;
}

static meguri_status new_search(meguri_bfs_search **out, meguri_ctx *ctx, const meguri_graph *graph,
                                const meguri_bfs_options *options) {
    *out = NULL;
    if (!graph) return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "a search needs a graph.");
    meguri_bfs_search *s = mg_alloc_zero(ctx, sizeof *s, "a search");
    if (!s) return MEGURI_NO_MEMORY;
    s->graph = graph;
    s->source = MG_NO_VERTEX;
    uint32_t *level = NULL;
    meguri_status status = mg_bfs_options(ctx, &s->options, options);
    if (status == MEGURI_OK) status = keep_ways(ctx, s);
    if (status == MEGURI_OK) status = mg_result_new(&s->result, ctx);
    if (status == MEGURI_OK && !s->options.no_levels)
        status = add_column(ctx, s->result, "level", MEGURI_COLUMN_I32, &level, graph->vertices);
    if (status == MEGURI_OK && !s->options.no_parents)
        status = add_column(ctx, s->result, "parent", MEGURI_COLUMN_VERTEX, &s->parent, graph->vertices);
    s->level = (int32_t *)level;
    if (status == MEGURI_OK) status = mg_bfs_open(ctx, s);
    if (status == MEGURI_OK) *out = s;
    else meguri_bfs_search_free(s);
    return status;
}

static meguri_status prepare(meguri_ctx *ctx, meguri_bfs_search *search) {
    return search->options.policy == MEGURI_BFS_PUSH ? MEGURI_OK : mg_bfs_prepare_pull(ctx, search);
}

static meguri_status run_search(meguri_ctx *ctx, meguri_bfs_search *search, uint64_t source) {
    if (source >= search->graph->vertices)
        return mg_fail(ctx, MEGURI_NOT_FOUND, "there is no vertex %" PRIu64 " in a graph of %" PRIu64 ".", source,
                       search->graph->vertices);
    return mg_bfs_host(ctx, search, (uint32_t)source);
}

meguri_status meguri_bfs_search_new(meguri_bfs_search **out, meguri_ctx *ctx, const meguri_graph *graph,
                                    const meguri_bfs_options *options) {
    if (!out || !ctx) return mg_missing(ctx, __func__);
    mg_begin(ctx);
    meguri_status status = new_search(out, ctx, graph, options);
    if (status != MEGURI_OK) return status;
    status = prepare(ctx, *out);
    if (status != MEGURI_OK) {
        meguri_bfs_search_free(*out);
        *out = NULL;
    }
    return status;
}

meguri_status meguri_bfs_search_run(const meguri_result **out, meguri_ctx *ctx, meguri_bfs_search *search,
                                    uint64_t source) {
    if (!out || !ctx) return mg_missing(ctx, __func__);
    mg_begin(ctx);
    *out = NULL;
    if (!search) return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "meguri_bfs_search_run needs a search.");
    meguri_status status = run_search(ctx, search, source);
    if (status == MEGURI_OK) *out = search->result;
    return status;
}

const meguri_bfs_step *meguri_bfs_search_steps(const meguri_bfs_search *search, uint64_t *count) {
    if (count) *count = search ? search->step_count : 0;
    return search ? search->steps : NULL;
}

void meguri_bfs_search_free(meguri_bfs_search *search) {
    if (!search) return;
    meguri_result_free(search->result);
    mg_bfs_close(search);
    mg_free(search->ways);
    mg_free(search);
}

meguri_status meguri_bfs(meguri_result **out, meguri_ctx *ctx, const meguri_graph *graph, uint64_t source,
                         const meguri_bfs_options *options) {
    if (!out || !ctx) return mg_missing(ctx, __func__);
    mg_begin(ctx);
    *out = NULL;
    meguri_bfs_search *search;
    meguri_status status = new_search(&search, ctx, graph, options);
    /* For one search of a directed graph it does not pay to turn all arcs round, unless it is asked for. */
    if (status == MEGURI_OK && graph->directed && search->options.policy != MEGURI_BFS_AUTO)
        status = prepare(ctx, search);
    if (status == MEGURI_OK) status = run_search(ctx, search, source);
    if (status == MEGURI_OK) {
        *out = search->result;
        search->result = NULL;
    }
    meguri_bfs_search_free(search);
    return status;
}
