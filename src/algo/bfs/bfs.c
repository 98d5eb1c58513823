/* The front of breadth-first search: arguments, results, the handle that several searches share. */
#include "algo/bfs/bfs.h"

#include "device/device.h"

#include <float.h>
#include <math.h>

#include <inttypes.h>

static meguri_status read_options(meguri_ctx *ctx, meguri_bfs_options *out, const meguri_bfs_options *options) {
    meguri_status status = MG_OPTIONS(ctx, out, options, meguri_bfs_options);
    if (status != MEGURI_OK) return status;
    const double least = out->policy == MEGURI_BFS_P1 ? DBL_MIN : 0;
    if (!(out->alpha >= least && isfinite(out->alpha)) || !(out->beta >= least && isfinite(out->beta)))
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "alpha and beta of a search must be positive numbers.");
    if ((unsigned)out->policy > MEGURI_BFS_FORCED)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "%d is no policy of a search.", (int)out->policy);
    if (out->policy == MEGURI_BFS_FORCED &&
        (!out->directions || !*out->directions || strspn(out->directions, "<>") != strlen(out->directions)))
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "a forced search needs its ways as a text of < and >.");
    if ((out->split_host || out->split_device) && out->engine != MEGURI_ENGINE_DEVICE)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "split_host and split_device are about the engine device.");
    if ((unsigned)out->exchange > MEGURI_EXCHANGE_PACKED)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "%d is no way to exchange what is found.", (int)out->exchange);
    return MEGURI_OK;
}

/* The caller's text may go before the search does. */
static meguri_status keep_ways(meguri_ctx *ctx, meguri_bfs_search *s) {
    const char *ways = s->options.directions;
    s->options.directions = NULL;
    if (s->options.policy != MEGURI_BFS_FORCED) return MEGURI_OK;
    s->ways = mg_strdup(ctx, ways, "the ways of a search");
    s->options.directions = s->ways;
    return s->ways ? MEGURI_OK : MEGURI_NO_MEMORY;
}

/* -1 and no vertex are the same bits. */
static void mark_unreached(void *what, uint64_t begin, uint64_t end) {
    memset((char *)what + begin, 0xff, end - begin);
}

static meguri_status add_column(meguri_ctx *ctx, meguri_result *result, const char *name, meguri_type type,
                                uint32_t bytes, uint32_t **out, uint64_t vertices) {
    void *data = mg_alloc_array(ctx, vertices, bytes, "the result of a search");
    if (!data) return MEGURI_NO_MEMORY;
    mg_for(ctx, mg_threads(ctx, vertices, 1 << 16), vertices * bytes, mark_unreached, data);
    meguri_status status = mg_result_own(ctx, result, data);
    if (status == MEGURI_OK && type == MEGURI_TYPE_VERTEX)
        status = mg_result_add_vertices(ctx, result, name, bytes, data, vertices, bytes);
    else if (status == MEGURI_OK) status = mg_result_add_column(ctx, result, name, type, data, vertices, bytes);
    if (status == MEGURI_OK) *out = data;
    return status;
}

/* An engine is a row. */
static const mg_bfs_engine *const engines[] = {[MEGURI_ENGINE_HOST] = &mg_bfs_on_host,
                                               [MEGURI_ENGINE_CLUSTER] = &mg_bfs_on_cluster,
                                               [MEGURI_ENGINE_DEVICE] = &mg_bfs_on_device};

/* Where the graph lies in parts and devices are asked for, each process has one for its part. */
static meguri_status pick_engine(const mg_bfs_engine **out, meguri_ctx *ctx, const meguri_graph *graph,
                                 const meguri_bfs_options *o) {
    const bool parts = o->engine == MEGURI_ENGINE_DEVICE && mg_graph_engine(graph) == MEGURI_ENGINE_CLUSTER;
    meguri_engine engine = MEGURI_ENGINE_CLUSTER;
    meguri_status status = MEGURI_OK;
    if (parts && (o->split_host || o->split_device))
        status = mg_fail(ctx, MEGURI_BAD_ARGUMENT,
                         "split_host and split_device are about a graph that is whole in one process: where it lies in "
                         "parts, devices do all levels.");
    else if (!parts) status = mg_pick_engine(&engine, ctx, graph, o->engine, "breadth-first search", MG_ENGINES_ALL);
    *out = parts ? &mg_bfs_on_devices : engines[engine];
    return status;
}

static meguri_status add_columns(meguri_ctx *ctx, meguri_bfs_search *s) {
    uint64_t count = mg_graph_results(s->graph);
    uint32_t *level = NULL;
    meguri_status status = MEGURI_OK;
    if (s->options.levels)
        status = add_column(ctx, s->result, "level", MEGURI_TYPE_I32, sizeof(int32_t), &level, count);
    if (status == MEGURI_OK && s->options.parents)
        status = add_column(ctx, s->result, "parent", MEGURI_TYPE_VERTEX, mg_graph_vertex_bytes(s->graph), &s->parent,
                            count);
    s->level = (int32_t *)level;
    return status;
}

/* What all processes of a cluster must be given alike. */
static void describe(mg_call *call, const meguri_bfs_options *o) {
    mg_call_number(call, "policy", (uint64_t)o->policy);
    mg_call_real(call, "alpha", o->alpha);
    mg_call_real(call, "beta", o->beta);
    mg_call_text(call, "list of ways", o->directions);
    mg_call_number(call, "maximum depth", o->max_depth);
    mg_call_number(call, "choice of levels", o->levels != 0);
    mg_call_number(call, "choice of parents", o->parents != 0);
    mg_call_number(call, "exchange", (uint64_t)o->exchange);
    mg_call_number(call, "choice of devices", o->engine == MEGURI_ENGINE_DEVICE);
}

/* Processes of a cluster work with their devices together, and could not wait for each other at a gate. */
static meguri_status enter(mg_gate **entered, meguri_ctx *ctx, const meguri_bfs_search *s) {
    return mg_device_enter(entered, ctx, s->engine == &mg_bfs_on_device);
}

static meguri_status new_search(meguri_bfs_search **out, meguri_ctx *ctx, const meguri_graph *graph,
                                const meguri_bfs_options *options, bool columns, mg_call *call) {
    *out = NULL;
    if (!graph) return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "a search needs a graph.");
    meguri_bfs_options chosen;
    meguri_bfs_search *s = NULL;
    const mg_bfs_engine *engine = NULL;
    meguri_status status = read_options(ctx, &chosen, options);
    if (status == MEGURI_OK) describe(call, &chosen);
    if (status == MEGURI_OK) status = pick_engine(&engine, ctx, graph, &chosen);
    if (status == MEGURI_OK && !(s = mg_alloc_zero(ctx, engine->bytes, "a search"))) status = MEGURI_NO_MEMORY;
    if (status == MEGURI_OK) {
        s->engine = engine;
        s->costs = s->engine->costs;
        s->graph = mg_graph_hold(graph);
        s->options = chosen;
        status = keep_ways(ctx, s);
    }
    if (status == MEGURI_OK) status = mg_result_new(&s->result, ctx);
    if (status == MEGURI_OK && columns) status = add_columns(ctx, s);
    if (status == MEGURI_OK) status = mg_bfs_make_room(ctx, s);
    status = mg_graph_agree(ctx, graph, status, call);
    MG_ENTERED(entered);
    if (status == MEGURI_OK) status = enter(&entered, ctx, s);
    if (status == MEGURI_OK) status = s->engine->open(ctx, s);
    if (status == MEGURI_OK) *out = s;
    else meguri_bfs_search_free(s);
    return status;
}

meguri_status mg_bfs_new(meguri_bfs_search **out, meguri_ctx *ctx, const meguri_graph *graph,
                         const meguri_bfs_options *options, bool columns) {
    return new_search(out, ctx, graph, options, columns, &(mg_call){.name = "a search"});
}

static meguri_status prepare(meguri_ctx *ctx, meguri_bfs_search *s) {
    if (!s->engine->prepare || s->options.policy == MEGURI_BFS_PUSH) return MEGURI_OK;
    MG_ENTERED(entered);
    meguri_status status = enter(&entered, ctx, s);
    return status == MEGURI_OK ? s->engine->prepare(ctx, s) : status;
}

static meguri_status run_search(meguri_ctx *ctx, meguri_bfs_search *s, uint64_t source) {
    MG_ENTERED(entered);
    meguri_status status = enter(&entered, ctx, s);
    if (status == MEGURI_OK) status = mg_bfs_run(ctx, s, source);
    if (status == MEGURI_OK) status = mg_bfs_set_facts(ctx, s);
    return status == MEGURI_OK && s->engine->deliver ? s->engine->deliver(ctx, s, source) : status;
}

static meguri_status check_source(meguri_ctx *ctx, const meguri_graph *graph, uint64_t source) {
    if (source < graph->vertices) return MEGURI_OK;
    return mg_fail(ctx, MEGURI_NOT_FOUND, "there is no vertex %" PRIu64 " in a graph of %" PRIu64 ".", source,
                   graph->vertices);
}

meguri_status meguri_bfs_search_new(meguri_bfs_search **out, meguri_ctx *ctx, const meguri_graph *graph,
                                    const meguri_bfs_options *options) {
    if (!out || !ctx) return mg_missing(ctx, __func__);
    mg_begin(ctx);
    mg_call call = {.name = "meguri_bfs_search_new"};
    meguri_status status = new_search(out, ctx, graph, options, true, &call);
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
    mg_call call = {.name = "meguri_bfs_search_run"};
    mg_call_number(&call, "source", source);
    meguri_status status = mg_claim_for(ctx, &search->claim, "search");
    bool claimed = status == MEGURI_OK;
    if (claimed) status = check_source(ctx, search->graph, source);
    status = mg_graph_agree(ctx, search->graph, status, &call);
    if (status == MEGURI_OK) status = run_search(ctx, search, source);
    if (claimed) mg_claim_end(&search->claim);
    if (status == MEGURI_OK) *out = search->result;
    return status;
}

const meguri_bfs_step *mg_bfs_search_steps(const meguri_bfs_search *search, uint64_t *count) {
    if (count) *count = search ? search->step_count : 0;
    return search ? search->steps : NULL;
}

uint64_t meguri_bfs_search_step_count(const meguri_bfs_search *search) { return search ? search->step_count : 0; }

meguri_status meguri_bfs_search_step_at(meguri_bfs_step *out, const meguri_bfs_search *search, uint64_t index) {
    if (!out || !search) return MEGURI_BAD_ARGUMENT;
    if (index >= search->step_count) return MEGURI_NOT_FOUND;
    return mg_hand_out(NULL, out, sizeof *out, &search->steps[index], "meguri_bfs_step");
}

void meguri_bfs_search_free(meguri_bfs_search *search) {
    if (!search) return;
    meguri_result_free(search->result);
    search->engine->close(search);
    mg_free(search->steps);
    mg_free(search->ways);
    mg_graph_let_go(search->graph);
    mg_free(search);
}

meguri_status meguri_bfs(meguri_result **out, meguri_ctx *ctx, const meguri_graph *graph, uint64_t source,
                         const meguri_bfs_options *options) {
    if (!out || !ctx) return mg_missing(ctx, __func__);
    mg_begin(ctx);
    *out = NULL;
    meguri_bfs_search *search;
    mg_call call = {.name = "meguri_bfs"};
    mg_call_number(&call, "source", source);
    meguri_status status = new_search(&search, ctx, graph, options, true, &call);
    if (status == MEGURI_OK) status = check_source(ctx, graph, source);
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

meguri_status mg_bfs_check(meguri_ctx *ctx, const meguri_graph *graph, uint64_t source, const int32_t *level,
                           const void *parent, uint32_t levels) {
    if (!ctx) return MEGURI_BAD_ARGUMENT;
    mg_begin(ctx);
    if (!graph) return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "meguri_bfs_check needs a graph and levels or parents.");
    return engines[mg_graph_engine(graph)]->check(ctx, graph, source, level, parent, levels);
}

meguri_status meguri_bfs_check(meguri_ctx *ctx, const meguri_graph *graph, const meguri_result *result,
                               const meguri_bfs_options *options) {
    if (!ctx) return MEGURI_BAD_ARGUMENT;
    mg_begin(ctx);
    if (!graph || !result) return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "meguri_bfs_check needs a graph and a result.");
    meguri_bfs_options chosen;
    meguri_fact source = {.size = sizeof source};
    const void *level = NULL, *parent = NULL;
    void *owned[2] = {NULL, NULL};
    uint64_t count = mg_graph_results(graph);
    meguri_status status = read_options(ctx, &chosen, options);
    if (status == MEGURI_OK && meguri_result_fact(&source, result, "source") != MEGURI_OK)
        status = mg_fail(ctx, MEGURI_BAD_ARGUMENT, "the result has no fact `source`: it is not that of a search.");
    if (status == MEGURI_OK) status = mg_result_items(&level, &owned[0], ctx, result, "level", MEGURI_TYPE_I32, count);
    if (status == MEGURI_OK)
        status = mg_result_vertices(&parent, &owned[1], ctx, result, "parent", mg_graph_vertex_bytes(graph), count);
    status = mg_graph_agree(ctx, graph, status, &(mg_call){.name = "meguri_bfs_check"});
    if (status == MEGURI_OK)
        status = mg_bfs_check(ctx, graph, source.number, level, parent, mg_levels_within(chosen.max_depth));
    mg_free(owned[0]);
    mg_free(owned[1]);
    return status;
}
