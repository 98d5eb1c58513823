/* The front of shortest paths: arguments, results, the handle that several searches share. */
#include "algo/sssp/sssp.h"

#include "device/device.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* An engine is a row. */
static const mg_sssp_engine *const engines[] = {[MEGURI_ENGINE_HOST] = &mg_sssp_on_host,
                                                [MEGURI_ENGINE_CLUSTER] = &mg_sssp_on_cluster,
                                                [MEGURI_ENGINE_DEVICE] = &mg_sssp_on_device};

/* Of a device. */
static meguri_status check_strategy(meguri_ctx *ctx, const meguri_sssp_options *o) {
    if ((unsigned)o->strategy > MEGURI_SSSP_SETTLE)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "%d is no strategy.", (int)o->strategy);
    if (o->strategy && o->engine != MEGURI_ENGINE_DEVICE)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "the option strategy is for the engine device.");
    if ((o->split_host || o->split_device) && o->engine != MEGURI_ENGINE_DEVICE)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "split_host and split_device are about the engine device.");
    if (o->split_host)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT,
                       "split_host %" PRIu32
                       ": rounds of shortest paths are not shared; the device does all of them, or "
                       "the host the smallest.",
                       o->split_host);
    bool phases = o->strategy && o->strategy != MEGURI_SSSP_NEAR_FAR;
    if (phases && o->delta > 0)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT,
                       "the option delta is for the strategy near-far: others have no buckets.");
    const double thresholds[] = {o->all_above_us, o->selected_below_us};
    for (size_t i = 0; i < 2; i++) {
        const char *name = i ? "selected_below_us" : "all_above_us";
        if (!(thresholds[i] >= 0) || isinf(thresholds[i]))
            return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "the option %s must be a positive number of microseconds.", name);
        if (thresholds[i] > 0 && o->strategy != MEGURI_SSSP_ADAPTIVE)
            return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "the option %s is for the strategy adaptive.", name);
    }
    return MEGURI_OK;
}

meguri_status mg_sssp_read_options(meguri_sssp_options *out, meguri_ctx *ctx, const meguri_sssp_options *options) {
    meguri_status status = MG_OPTIONS(ctx, out, options, meguri_sssp_options);
    if (status != MEGURI_OK) return status;
    if (!(out->delta >= 0) || isinf(out->delta))
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT,
                       "the width of a bucket must be a positive number; leave it out, and it is found.");
    if (out->delta > 0 && !(1 / out->delta < INFINITY))
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "%g is too small for the width of a bucket.", out->delta);
    if (!(out->max_cost >= 0))
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "the maximum cost of a search is %g: it must be 0 or more.",
                       out->max_cost);
    return check_strategy(ctx, out);
}

static bool is_real(const meguri_graph *graph) { return mg_type_is_real(graph->weight_type); }

/* ---- distances of the declared type ------------------------------------------------------------------------------ */

/* Searches count in what holds the weights: integers, also where these were declared to be real, and doubles, also for
 * integers of more than 32 bits. */
meguri_type mg_sssp_type(const meguri_graph *graph) {
    return mg_type_is_real(mg_graph_declared(graph)) ? MEGURI_TYPE_F64 : MEGURI_TYPE_U64;
}

meguri_status mg_sssp_declare(meguri_ctx *ctx, const meguri_graph *graph, void *distances, uint64_t count,
                              mg_sssp_distance *farthest) {
    const bool real = is_real(graph);
    if (real == (mg_sssp_type(graph) == MEGURI_TYPE_F64)) return MEGURI_OK;
    if (real && farthest->real > 0x1p53)
        return mg_fail(ctx, MEGURI_UNSUPPORTED,
                       "a distance of %.17g is above 2^53, to which sums of weights of more than 32 bits are exact; "
                       "declare the weights as f64.",
                       farthest->real);
    mg_sssp_distance *d = distances;
    for (uint64_t i = 0; i < count; i++)
        if (!real) d[i].real = d[i].number == UINT64_MAX ? INFINITY : (double)d[i].number;
        else d[i].number = isinf(d[i].real) ? UINT64_MAX : (uint64_t)d[i].real;
    if (real) farthest->number = (uint64_t)farthest->real;
    else farthest->real = (double)farthest->number;
    return MEGURI_OK;
}

/* And back, of an answer that is to be checked: *owned gets a copy, where one is needed. */
static meguri_status take_back(void **owned, const void **distances, meguri_ctx *ctx, const meguri_graph *graph,
                               uint64_t count) {
    const bool real = is_real(graph);
    if (!*distances || real == (mg_sssp_type(graph) == MEGURI_TYPE_F64)) return MEGURI_OK;
    mg_sssp_distance *d = mg_alloc_array(ctx, count, sizeof *d, "checking a search");
    if (!d) return MEGURI_NO_MEMORY;
    bool whole = true;
    memcpy(d, *distances, count * sizeof *d);
    for (uint64_t i = 0; i < count; i++)
        if (real) d[i].real = d[i].number == UINT64_MAX ? INFINITY : (double)d[i].number;
        else if (isinf(d[i].real) && d[i].real > 0) d[i].number = UINT64_MAX;
        else {
            const bool good = d[i].real >= 0 && d[i].real == floor(d[i].real);
            whole &= good;
            d[i].number = !good ? 0 : d[i].real < 0x1p64 ? (uint64_t)d[i].real : UINT64_MAX - 1;
        }
    mg_free(*owned);
    *distances = *owned = d;
    if (whole) return MEGURI_OK;
    return mg_fail(ctx, MEGURI_WRONG_ANSWER, "all weights are integers, but a distance is none.");
}

/* ---- the handle ------------------------------------------------------------------------------------------------- */

static meguri_status add_column(meguri_ctx *ctx, meguri_result *result, const char *name, meguri_type type,
                                uint32_t bytes, void *out, uint64_t vertices) {
    void *data = mg_alloc_array(ctx, vertices, bytes, "the result of a search");
    if (!data) return MEGURI_NO_MEMORY;
    meguri_status status = mg_result_own(ctx, result, data);
    if (status == MEGURI_OK && type == MEGURI_TYPE_VERTEX)
        status = mg_result_add_vertices(ctx, result, name, bytes, data, vertices, bytes);
    else if (status == MEGURI_OK) status = mg_result_add_column(ctx, result, name, type, data, vertices, bytes);
    if (status == MEGURI_OK) *(void **)out = data;
    return status;
}

static meguri_status make_result(meguri_ctx *ctx, meguri_sssp_search *s) {
    uint64_t count = mg_graph_results(s->graph);
    meguri_status status = mg_result_new(&s->result, ctx);
    if (status == MEGURI_OK)
        status = add_column(ctx, s->result, "distance", mg_sssp_type(s->graph), sizeof(uint64_t), &s->distance, count);
    if (status == MEGURI_OK && s->options.parents)
        status = add_column(ctx, s->result, "parent", MEGURI_TYPE_VERTEX, mg_graph_vertex_bytes(s->graph), &s->parent,
                            count);
    return status;
}

static meguri_status new_search(meguri_sssp_search **out, meguri_ctx *ctx, const meguri_graph *graph,
                                const meguri_sssp_options *options, const meguri_sssp_search *like, bool often,
                                int threads, mg_call *call) {
    *out = NULL;
    if (!graph) return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "shortest paths need a graph.");
    meguri_sssp_options chosen;
    meguri_sssp_search *s = NULL;
    const meguri_graph *weighted = NULL;
    meguri_engine engine = MEGURI_ENGINE_HOST;
    meguri_status status = mg_sssp_read_options(&chosen, ctx, options);
    if (status == MEGURI_OK) {
        mg_call_real(call, "delta", chosen.delta);
        mg_call_number(call, "choice of parents", chosen.parents != 0);
        mg_call_real(call, "maximum cost", chosen.max_cost);
        status = mg_pick_engine(&engine, ctx, graph, chosen.engine, "the search for shortest paths", MG_ENGINES_ALL);
    }
    if (status == MEGURI_OK) status = mg_graph_weighted(&weighted, ctx, graph, chosen.weight);
    if (status == MEGURI_OK && !(s = mg_alloc_zero(ctx, engines[engine]->bytes, "a search"))) status = MEGURI_NO_MEMORY;
    if (status == MEGURI_OK) {
        s->engine = engines[engine];
        s->graph = weighted;
        s->options = chosen;
        s->options.weight = NULL; /* the caller's text; the graph has these weights */
        s->real = is_real(weighted);
        weighted = NULL;
        s->most = mg_sssp_most(&chosen, s->real);
        status = make_result(ctx, s);
    }
    mg_graph_let_go(weighted);
    status = mg_graph_agree(ctx, graph, status, call);
    MG_ENTERED(entered);
    if (status == MEGURI_OK) status = mg_device_enter(&entered, ctx, s->engine == &mg_sssp_on_device);
    if (status == MEGURI_OK) status = s->engine->open(ctx, s, like, often, threads);
    if (status == MEGURI_OK) *out = s;
    else meguri_sssp_search_free(s);
    return status;
}

meguri_status mg_sssp_search_new(meguri_sssp_search **out, meguri_ctx *ctx, const meguri_graph *graph,
                                 const meguri_sssp_options *options, const meguri_sssp_search *like, bool often,
                                 int threads) {
    return new_search(out, ctx, graph, options, like, often, threads, &(mg_call){.name = "a search"});
}

void meguri_sssp_search_free(meguri_sssp_search *s) {
    if (!s) return;
    meguri_result_free(s->result);
    s->engine->close(s);
    mg_graph_let_go(s->graph);
    mg_free(s);
}

/* ---- a run ------------------------------------------------------------------------------------------------------ */

static meguri_status check_source(meguri_ctx *ctx, const meguri_graph *graph, uint64_t source) {
    if (source < graph->vertices) return MEGURI_OK;
    return mg_fail(ctx, MEGURI_NOT_FOUND, "there is no vertex %" PRIu64 " in a graph of %" PRIu64 ".", source,
                   graph->vertices);
}

meguri_status mg_sssp_search_tell(meguri_ctx *ctx, meguri_sssp_search *s, uint64_t source, const mg_sssp_told *told) {
    meguri_result *r = s->result;
    mg_sssp_distance farthest = told->farthest;
    meguri_status status = mg_sssp_declare(ctx, s->graph, s->distance, mg_graph_results(s->graph), &farthest);
    if (status == MEGURI_OK) status = mg_result_set_number(ctx, r, "source", source);
    if (status == MEGURI_OK) status = mg_result_set_number(ctx, r, "reached", told->reached);
    if (status == MEGURI_OK)
        status = mg_sssp_type(s->graph) == MEGURI_TYPE_F64 ? mg_result_set_real(ctx, r, "farthest", farthest.real)
                                                           : mg_result_set_number(ctx, r, "farthest", farthest.number);
    if (status == MEGURI_OK) status = mg_result_set_number(ctx, r, "edges", told->edges);
    if (status == MEGURI_OK && told->delta > 0) status = mg_result_set_real(ctx, r, "delta", told->delta);
    if (status == MEGURI_OK) status = mg_result_set_real(ctx, r, "seconds", told->seconds);
    if (status == MEGURI_OK) status = mg_result_set_text(ctx, r, "engine", meguri_engine_name(s->engine->engine));
    return status;
}

meguri_status mg_sssp_search_run(meguri_ctx *ctx, meguri_sssp_search *s, uint64_t source) {
    mg_sssp_told told;
    meguri_status status = check_source(ctx, s->graph, source);
    MG_ENTERED(entered);
    if (status == MEGURI_OK) status = mg_device_enter(&entered, ctx, s->engine == &mg_sssp_on_device);
    if (status == MEGURI_OK) status = s->engine->run(&told, ctx, s, source);
    return status == MEGURI_OK ? mg_sssp_search_tell(ctx, s, source, &told) : status;
}

/* ---- the public functions --------------------------------------------------------------------------------------- */

meguri_status meguri_sssp_search_new(meguri_sssp_search **out, meguri_ctx *ctx, const meguri_graph *graph,
                                     const meguri_sssp_options *options) {
    if (!out || !ctx) return mg_missing(ctx, __func__);
    mg_begin(ctx);
    mg_call call = {.name = "meguri_sssp_search_new"};
    return new_search(out, ctx, graph, options, NULL, true, 0, &call);
}

meguri_status meguri_sssp_search_run(const meguri_result **out, meguri_ctx *ctx, meguri_sssp_search *search,
                                     uint64_t source) {
    if (!out || !ctx) return mg_missing(ctx, __func__);
    mg_begin(ctx);
    *out = NULL;
    if (!search) return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "meguri_sssp_search_run needs a search.");
    mg_call call = {.name = "meguri_sssp_search_run"};
    mg_call_number(&call, "source", source);
    meguri_status status = mg_claim_for(ctx, &search->claim, "search");
    bool claimed = status == MEGURI_OK;
    status = mg_graph_agree(ctx, search->graph, status, &call);
    if (status == MEGURI_OK) status = mg_sssp_search_run(ctx, search, source);
    if (claimed) mg_claim_end(&search->claim);
    if (status == MEGURI_OK) *out = search->result;
    return status;
}

meguri_status meguri_sssp(meguri_result **out, meguri_ctx *ctx, const meguri_graph *graph, uint64_t source,
                          const meguri_sssp_options *options) {
    if (!out || !ctx) return mg_missing(ctx, __func__);
    mg_begin(ctx);
    *out = NULL;
    meguri_sssp_search *search;
    mg_call call = {.name = "meguri_sssp"};
    mg_call_number(&call, "source", source);
    meguri_status status = new_search(&search, ctx, graph, options, NULL, false, 0, &call);
    if (status == MEGURI_OK) status = mg_sssp_search_run(ctx, search, source);
    if (status == MEGURI_OK) {
        *out = search->result;
        search->result = NULL;
    }
    meguri_sssp_search_free(search);
    return status;
}

static meguri_status check_answer(meguri_ctx *ctx, const meguri_graph *graph, const mg_sssp_answer *answer) {
    return engines[mg_graph_engine(graph)]->check(ctx, graph, answer);
}

meguri_status mg_sssp_check(meguri_ctx *ctx, const meguri_graph *graph, uint64_t source, const void *distance,
                            const void *parent) {
    if (!ctx) return MEGURI_BAD_ARGUMENT;
    mg_begin(ctx);
    if (!graph) return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "meguri_sssp_check needs a graph and distances.");
    const meguri_sssp_options all = {.size = sizeof all, .parents = 1, .max_cost = (double)INFINITY};
    mg_sssp_answer answer = {source, distance, parent, mg_sssp_most(&all, is_real(graph))};
    void *owned = NULL;
    meguri_status status = take_back(&owned, &answer.distance, ctx, graph, mg_graph_results(graph));
    status = mg_graph_agree(ctx, graph, status, &(mg_call){.name = "mg_sssp_check"});
    if (status == MEGURI_OK) status = check_answer(ctx, graph, &answer);
    mg_free(owned);
    return status;
}

meguri_status meguri_sssp_check(meguri_ctx *ctx, const meguri_graph *graph, const meguri_result *result,
                                const meguri_sssp_options *options) {
    if (!ctx) return MEGURI_BAD_ARGUMENT;
    mg_begin(ctx);
    if (!graph || !result) return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "meguri_sssp_check needs a graph and a result.");
    meguri_sssp_options chosen;
    meguri_fact source = {.size = sizeof source};
    mg_sssp_answer answer = {.distance = NULL};
    void *owned[2] = {NULL, NULL};
    const meguri_graph *weighted = NULL;
    uint64_t count = mg_graph_results(graph);
    meguri_status status = mg_sssp_read_options(&chosen, ctx, options);
    if (status == MEGURI_OK) status = mg_graph_weighted(&weighted, ctx, graph, chosen.weight);
    bool real = weighted && is_real(weighted);
    if (status == MEGURI_OK && meguri_result_fact(&source, result, "source") != MEGURI_OK)
        status = mg_fail(ctx, MEGURI_BAD_ARGUMENT, "the result has no fact `source`: it is not that of a search.");
    if (status == MEGURI_OK)
        status = mg_result_items(&answer.distance, &owned[0], ctx, result, "distance", mg_sssp_type(weighted), count);
    if (status == MEGURI_OK) status = take_back(&owned[0], &answer.distance, ctx, weighted, count);
    if (status == MEGURI_OK)
        status =
            mg_result_vertices(&answer.parent, &owned[1], ctx, result, "parent", mg_graph_vertex_bytes(graph), count);
    status = mg_graph_agree(ctx, graph, status, &(mg_call){.name = "meguri_sssp_check"});
    if (status == MEGURI_OK) {
        answer.source = source.number;
        answer.most = mg_sssp_most(&chosen, real);
        status = check_answer(ctx, weighted, &answer);
    }
    mg_graph_let_go(weighted);
    mg_free(owned[0]);
    mg_free(owned[1]);
    return status;
}
