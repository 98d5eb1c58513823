/* Searches from many sources in one pass, a bit each (after Then et al., "The more the merrier", VLDB 2014).
 *
 * A word for each vertex says which sources have reached it. Level by level, bits are pushed to neighbours or pulled
 * from them (bfs_many_step.c), for all sources at once, so an edge that 64 searches share is looked at once; levels are
 * written at the end (bfs_many_levels.c). Vertices of degree one are filled in then, as in a single search. */
#include "algo/bfs/bfs_many.h"

#include "device/device.h"
#include "policy/policy.h"

#include <inttypes.h>

/* ---- the search ------------------------------------------------------------------------------------------------- */

static meguri_status open_many(meguri_ctx *ctx, mg_bfs_many *m) {
    meguri_status status = mg_graph_rows(&m->out, ctx, m->graph);
    if (status == MEGURI_OK) status = mg_graph_in_rows(&m->in, ctx, m->graph);
    if (status == MEGURI_OK) status = mg_graph_numbering(&m->numbering, ctx, m->graph);
    if (status != MEGURI_OK) return status;
    m->rows = (uint32_t)m->out.rows;
    m->first_leaf = mg_graph_first_leaf(m->graph, &m->out);
    m->seen = mg_alloc_array(ctx, m->rows, sizeof *m->seen, "the bits of many searches");
    m->history[0] = mg_alloc_array(ctx, m->rows, sizeof *m->seen, "the bits of many searches");
    if (!m->seen || !m->history[0]) return MEGURI_NO_MEMORY;
    status = mg_queue_new(&m->list, ctx, m->rows, "the frontier of many searches");
    return status != MEGURI_OK ? status : mg_queue_new(&m->next_list, ctx, m->rows, "the frontier of many searches");
}

static void start(meguri_ctx *ctx, mg_bfs_many *m, const uint64_t *sources, uint32_t count) {
    mg_bfs_many_clear(ctx, m->seen, m->rows);
    mg_bfs_many_clear(ctx, m->history[0], m->rows);
    m->fresh = m->history[0];
    m->fresh_is_listed = true;
    m->direct = false;
    mg_bfs_many_reuse(m);
    memcpy(m->source_positions, sources, count * sizeof *sources);
    m->sources = count;
    m->reached = count;
    m->edges = m->active = m->rare = m->frontier_arcs = m->list.count = 0;
    m->isolated_sources = m->depth = 0;
    for (uint32_t b = 0; b < m->sources; b++) {
        uint32_t v = mg_to_internal(&m->numbering, (uint32_t)m->source_positions[b]);
        uint64_t bit = (uint64_t)1 << b;
        if (v >= m->rows) {
            m->isolated_sources++;
            continue;
        }
        if (!m->fresh[v]) {
            m->list.items[m->list.count++] = v;
            m->frontier_arcs += mg_row_end(&m->out, v) - mg_row_begin(&m->out, v);
        }
        m->seen[v] |= bit;
        m->fresh[v] |= bit;
        m->active |= bit;
    }
    m->frontier = m->list.count;
}

static const char *engine_of(const mg_bfs_many *m) {
    return meguri_engine_name(m->device ? MEGURI_ENGINE_DEVICE : MEGURI_ENGINE_HOST);
}

static void trace_step(meguri_ctx *ctx, const char *engine, int64_t step, const char *way, uint64_t frontier,
                       uint64_t edges, double since) {
    if (!mg_trace_on(ctx)) return;
    mg_step line = MG_STEP_NONE;
    line.run = "bfs_many";
    line.step = step;
    line.frontier = (int64_t)frontier;
    line.edges = (int64_t)edges;
    line.way = way;
    line.engine = engine;
    line.threads = (int64_t)meguri_ctx_threads(ctx);
    line.seconds = mg_now() - since;
    mg_trace(ctx, &line);
}

/* Sources for which a pull would mostly look in vain. */
static uint64_t find_rare(const mg_bfs_many *m, const mg_bfs_many_found *found) {
    uint64_t rare = 0;
    for (uint32_t b = 0; b < m->sources; b++)
        if (mg_policy_bfs_many_rare(found->gained[b], m->first_leaf)) rare |= (uint64_t)1 << b;
    return rare & found->sources;
}

static meguri_status search(meguri_ctx *ctx, mg_bfs_many *m) {
    for (int64_t step = 0; m->frontier && m->depth < m->limit; step++) {
        double begin = mg_now();
        meguri_status status = mg_bfs_many_make_room(ctx, m);
        if (status != MEGURI_OK) return status;
        uint64_t frontier = m->frontier;
        bool dense = !m->device && mg_policy_bfs_many(m->frontier_arcs, m->first_leaf);
        mg_bfs_many_found found;
        if (m->device) status = mg_bfs_many_device_step(&found, ctx, m);
        else found = dense ? mg_bfs_many_dense(ctx, m) : mg_bfs_many_sparse(ctx, m);
        if (status != MEGURI_OK) return status;
        if (mg_progress(ctx, "bfs", m->reached, (uint64_t)m->sources * m->rows)) return mg_fail_cancelled(ctx);
        bool pulled = (dense || m->device) && m->pulled;
        trace_step(ctx, engine_of(m), step, pulled ? "pull" : "push", frontier, found.edges, begin);
        m->edges += found.edges;
        m->reached += found.bits;
        m->frontier = found.vertices;
        m->frontier_arcs = found.arcs;
        m->active = found.sources;
        m->rare = dense ? find_rare(m, &found) : 0;
        m->depth += found.vertices != 0;
    }
    double begin = mg_now();
    meguri_status status = mg_bfs_many_finish(ctx, m);
    trace_step(ctx, "host", (int64_t)m->depth + 1, "fill", m->rows - m->first_leaf, m->rows - m->first_leaf, begin);
    return status;
}

/* ---- the result ------------------------------------------------------------------------------------------------- */

/* Which searches of a pass a result has: all, whose names then have their numbers, or one. */
typedef struct slice {
    uint32_t first, end;
    bool numbered;
} slice;

static meguri_status add_columns(meguri_ctx *ctx, const mg_bfs_many *m, meguri_result *result, slice which,
                                 const char *name, meguri_type type, const void *data) {
    meguri_status status = MEGURI_OK;
    const bool levels = type == MEGURI_TYPE_I32;
    const uint32_t size = levels ? m->level_bytes : (uint32_t)sizeof *m->parents;
    for (uint32_t b = which.first; b < which.end && status == MEGURI_OK; b++) {
        char text[32];
        snprintf(text, sizeof text, "%s_%" PRIu32, name, b);
        status = (levels ? mg_result_add_levels : mg_result_add_vertices)(
            ctx, result, which.numbered ? text : name, size, (const char *)data + b * size, m->graph->vertices,
            m->sources * (uint64_t)size);
    }
    return status;
}

static meguri_status make_result(meguri_result **out, meguri_ctx *ctx, const mg_bfs_many *m, slice which) {
    meguri_result *r = NULL;
    meguri_status status = mg_result_new(&r, ctx);
    if (status == MEGURI_OK) status = add_columns(ctx, m, r, which, "level", MEGURI_TYPE_I32, m->levels);
    if (status == MEGURI_OK && m->options.parents)
        status = add_columns(ctx, m, r, which, "parent", MEGURI_TYPE_VERTEX, m->parents);
    if (status == MEGURI_OK && !which.numbered) status = mg_result_set_number(ctx, r, "source", m->from[which.first]);
    if (status == MEGURI_OK) status = mg_result_set_number(ctx, r, "sources", m->sources);
    if (status == MEGURI_OK) status = mg_result_set_number(ctx, r, "reached", m->reached);
    if (status == MEGURI_OK) status = mg_result_set_number(ctx, r, "depth", m->depth);
    if (status == MEGURI_OK) status = mg_result_set_number(ctx, r, "edges", m->edges);
    if (status == MEGURI_OK) status = mg_result_set_real(ctx, r, "seconds", m->seconds);
    if (status == MEGURI_OK && m->device) status = mg_bfs_many_device_tell(ctx, m, r);
    if (status == MEGURI_OK) status = mg_result_set_text(ctx, r, "engine", engine_of(m));
    if (status == MEGURI_OK) *out = r;
    else meguri_result_free(r);
    return status;
}

/* ---- the front -------------------------------------------------------------------------------------------------- */

static meguri_status check_sources(meguri_ctx *ctx, const meguri_graph *graph, const uint64_t *sources,
                                   uint64_t count) {
    for (uint64_t i = 0; i < count; i++)
        if (sources[i] >= graph->vertices)
            return mg_fail(ctx, MEGURI_NOT_FOUND, "there is no vertex %" PRIu64 " in a graph of %" PRIu64 ".",
                           sources[i], graph->vertices);
    return MEGURI_OK;
}

/* One pass. */
static meguri_status run_many(meguri_ctx *ctx, mg_bfs_many *m, const uint64_t *sources, uint32_t count) {
    double begin = mg_now();
    meguri_result_free(m->result);
    m->result = NULL;
    memcpy(m->from, sources, count * sizeof *sources);
    start(ctx, m, sources, count);
    MG_ENTERED(entered);
    meguri_status status = mg_device_enter(&entered, ctx, m->device != NULL);
    if (status == MEGURI_OK && m->device) status = mg_bfs_many_device_start(ctx, m);
    if (status == MEGURI_OK) status = search(ctx, m);
    if (status == MEGURI_OK && m->options.parents) status = mg_bfs_many_parents(ctx, m);
    m->seconds = mg_now() - begin;
    return status;
}

meguri_status meguri_bfs_many_search_new(meguri_bfs_many_search **out, meguri_ctx *ctx, const meguri_graph *graph,
                                         const meguri_bfs_many_options *options) {
    if (!out || !ctx) return mg_missing(ctx, __func__);
    mg_begin(ctx);
    *out = NULL;
    if (!graph) return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "a search needs a graph.");
    mg_bfs_many *m = mg_alloc_zero(ctx, sizeof *m, "many searches");
    if (!m) return MEGURI_NO_MEMORY;
    m->graph = mg_graph_hold(graph);
    meguri_status status = MG_OPTIONS(ctx, &m->options, options, meguri_bfs_many_options);
    m->limit = m->options.max_depth;
    meguri_engine engine = MEGURI_ENGINE_HOST;
    if (status == MEGURI_OK)
        status = mg_pick_engine(&engine, ctx, graph, m->options.engine, "the search from many sources",
                                MG_ENGINES_HOST | 1u << MEGURI_ENGINE_DEVICE);
    if (status == MEGURI_OK) status = open_many(ctx, m);
    MG_ENTERED(entered);
    if (status == MEGURI_OK) status = mg_device_enter(&entered, ctx, engine == MEGURI_ENGINE_DEVICE);
    if (status == MEGURI_OK && engine == MEGURI_ENGINE_DEVICE) status = mg_bfs_many_device_open(ctx, m);
    if (status == MEGURI_OK) *out = m;
    else meguri_bfs_many_search_free(m);
    return status;
}

meguri_status meguri_bfs_many_search_run(const meguri_result **out, meguri_ctx *ctx, meguri_bfs_many_search *search,
                                         const uint64_t *sources, uint32_t count) {
    if (!out || !ctx) return mg_missing(ctx, __func__);
    mg_begin(ctx);
    *out = NULL;
    if (!search || !sources) return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "many searches need a handle and sources.");
    if (count < 1 || count > MEGURI_BFS_MANY)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "one pass takes 1 to %d sources, not %" PRIu32 ".", MEGURI_BFS_MANY,
                       count);
    meguri_status status = mg_claim_for(ctx, &search->claim, "search");
    if (status != MEGURI_OK) return status;
    status = check_sources(ctx, search->graph, sources, count);
    if (status == MEGURI_OK) status = run_many(ctx, search, sources, count);
    if (status == MEGURI_OK) status = make_result(&search->result, ctx, search, (slice){0, count, true});
    if (status == MEGURI_OK) *out = search->result;
    mg_claim_end(&search->claim);
    return status;
}

void meguri_bfs_many_search_free(meguri_bfs_many_search *search) {
    if (!search) return;
    meguri_result_free(search->result);
    mg_bfs_many_device_close(search);
    mg_free(search->seen);
    for (int l = 0; l < MG_BFS_HISTORY; l++) mg_free(search->history[l]);
    mg_free(search->levels);
    mg_free(search->parents);
    mg_queue_free(&search->list);
    mg_queue_free(&search->next_list);
    mg_graph_let_go(search->graph);
    mg_free(search);
}

/* Hands the results of a pass over, one by one. */
static meguri_status hand_over(meguri_ctx *ctx, const mg_bfs_many *m, uint64_t first, meguri_result_take take,
                               void *user) {
    meguri_status status = MEGURI_OK;
    for (uint32_t b = 0; b < m->sources && status == MEGURI_OK; b++) {
        meguri_result *result;
        status = make_result(&result, ctx, m, (slice){b, b + 1, false});
        if (status != MEGURI_OK) return status;
        MG_OUTSIDE(outside, ctx);
        status = take(user, first + b, result);
        mg_inside(&outside, status);
        if (status != MEGURI_OK)
            mg_fail(ctx, status, "the result of source number %" PRIu64 " was not taken.", first + b + 1);
        meguri_result_free(result);
    }
    return status;
}

meguri_status meguri_bfs_many_search_each(meguri_ctx *ctx, const meguri_bfs_many_search *search,
                                          meguri_result_take take, void *user) {
    if (!ctx) return MEGURI_BAD_ARGUMENT;
    mg_begin(ctx);
    if (!search || !take)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT,
                       "meguri_bfs_many_search_each needs a search, and someone to take results.");
    mg_claim *claim = (mg_claim *)(uintptr_t)&search->claim; /* its state, not what it found */
    meguri_status status = mg_claim_for(ctx, claim, "search");
    if (status != MEGURI_OK) return status;
    if (search->result) status = hand_over(ctx, search, 0, take, user);
    mg_claim_end(claim);
    return status;
}

meguri_status meguri_bfs_many(meguri_ctx *ctx, const meguri_graph *graph, const uint64_t *sources, uint64_t count,
                              const meguri_bfs_many_options *options, meguri_result_take take, void *user) {
    if (!ctx) return MEGURI_BAD_ARGUMENT;
    mg_begin(ctx);
    if (!graph || !take || (!sources && count))
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT,
                       "meguri_bfs_many needs a graph, sources, and someone to take results.");
    meguri_bfs_many_search *m = NULL;
    meguri_status status = mg_check_count(ctx, count, sizeof *sources, "sources");
    if (status == MEGURI_OK) status = check_sources(ctx, graph, sources, count);
    if (status == MEGURI_OK) status = meguri_bfs_many_search_new(&m, ctx, graph, options);
    for (uint64_t first = 0; first < count && status == MEGURI_OK; first += MEGURI_BFS_MANY) {
        status = run_many(ctx, m, sources + first, (uint32_t)MG_MIN(count - first, MEGURI_BFS_MANY));
        if (status == MEGURI_OK) status = hand_over(ctx, m, first, take, user);
    }
    meguri_bfs_many_search_free(m);
    return status;
}
