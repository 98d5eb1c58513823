/* The front of components: arguments, memory, the result. */
#include "algo/components/components.h"
#include "algo/components/components_cluster.h"
#include "device/device.h"

/* ---- a graph that is here, and whole ---------------------------------------------------------------------------- */

static meguri_status find(mg_components *c, meguri_result *result) {
    meguri_ctx *ctx = c->ctx;
    const char *what = "the components of a graph";
    meguri_status status = c->engine->open(c);
    double since = mg_now();
    if (status == MEGURI_OK) status = mg_bitmap_new(&c->giant, ctx, (uint64_t)c->rows + 1, what);
    if (status != MEGURI_OK) return status;
    c->parent = mg_alloc_array(ctx, c->rows, sizeof *c->parent, what);
    if (!c->parent) return MEGURI_NO_MEMORY;
    status = mg_components_find(c);
    if (status == MEGURI_OK) status = mg_components_write(c);
    if (status == MEGURI_OK) status = mg_result_set_number(ctx, result, "components", c->components);
    if (status == MEGURI_OK) status = mg_result_set_number(ctx, result, "largest", c->largest);
    if (status == MEGURI_OK) status = mg_result_set_number(ctx, result, "edges", c->edges);
    if (status == MEGURI_OK) status = mg_result_set_real(ctx, result, "seconds", mg_now() - since);
    return status == MEGURI_OK && c->engine->facts ? c->engine->facts(c, result) : status;
}

static meguri_status run_whole(meguri_ctx *ctx, meguri_result *result, void *component, const meguri_graph *graph,
                               const mg_components_engine *engine) {
    mg_components *c = mg_alloc_zero(ctx, engine->bytes, "the components of a graph");
    if (!c) return MEGURI_NO_MEMORY;
    *c = (mg_components){.engine = engine, .ctx = ctx, .graph = graph, .component = component};
    meguri_status status = mg_graph_rows(&c->out, ctx, graph);
    if (status == MEGURI_OK) status = mg_graph_numbering(&c->numbering, ctx, graph);
    c->rows = (uint32_t)c->out.rows;
    if (status == MEGURI_OK) status = find(c, result);
    engine->close(c);
    mg_free(c->parent);
    mg_free(c->sizes);
    mg_bitmap_free(&c->giant);
    mg_free(c);
    return status;
}

static meguri_status run_on_host(meguri_ctx *ctx, meguri_result *result, void *component, const meguri_graph *graph) {
    return run_whole(ctx, result, component, graph, &mg_components_on_host);
}

static meguri_status run_on_device(meguri_ctx *ctx, meguri_result *result, void *component, const meguri_graph *graph) {
    MG_ENTERED(entered);
    meguri_status status = mg_device_enter(&entered, ctx, true);
    return status == MEGURI_OK ? run_whole(ctx, result, component, graph, &mg_components_on_device) : status;
}

/* ---- engines ---------------------------------------------------------------------------------------------------- */

static const struct {
    /* Components of the vertices whose results are here, and facts. */
    meguri_status (*run)(meguri_ctx *ctx, meguri_result *result, void *component, const meguri_graph *graph);
    meguri_status (*check)(meguri_ctx *ctx, const meguri_graph *graph, const void *component);
} engines[] = {[MEGURI_ENGINE_HOST] = {run_on_host, mg_components_host_check},
               [MEGURI_ENGINE_CLUSTER] = {mg_components_cluster, mg_components_cluster_check},
               [MEGURI_ENGINE_DEVICE] = {run_on_device, mg_components_host_check}};

static meguri_status add_column(void **out, meguri_ctx *ctx, meguri_result *result, const meguri_graph *graph) {
    uint32_t bytes = mg_graph_vertex_bytes(graph);
    uint64_t count = mg_graph_results(graph);
    void *component = *out = mg_alloc_array(ctx, count, bytes, "the components of a graph");
    meguri_status status = component ? mg_result_own(ctx, result, component) : MEGURI_NO_MEMORY;
    if (status == MEGURI_OK) status = mg_result_add_vertices(ctx, result, "component", bytes, component, count, bytes);
    return status;
}

meguri_status meguri_components(meguri_result **out, meguri_ctx *ctx, const meguri_graph *graph,
                                const meguri_components_options *options) {
    if (!out || !ctx) return mg_missing(ctx, __func__);
    mg_begin(ctx);
    *out = NULL;
    if (!graph) return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "meguri_components needs a graph.");
    meguri_components_options known;
    meguri_result *result = NULL;
    meguri_engine engine = MEGURI_ENGINE_HOST;
    void *component = NULL;
    meguri_status status = MG_OPTIONS(ctx, &known, options, meguri_components_options);
    if (status == MEGURI_OK)
        status = mg_pick_engine(&engine, ctx, graph, known.engine, "connected components", MG_ENGINES_ALL);
    if (status == MEGURI_OK) status = mg_result_new(&result, ctx);
    if (status == MEGURI_OK) status = add_column(&component, ctx, result, graph);
    status = mg_graph_agree(ctx, graph, status, &(mg_call){.name = "meguri_components"});
    if (status == MEGURI_OK) status = engines[engine].run(ctx, result, component, graph);
    if (status == MEGURI_OK) status = mg_result_set_text(ctx, result, "engine", meguri_engine_name(engine));
    if (status == MEGURI_OK) *out = result;
    else meguri_result_free(result);
    return status;
}

meguri_status mg_components_check(meguri_ctx *ctx, const meguri_graph *graph, const void *component) {
    if (!ctx) return MEGURI_BAD_ARGUMENT;
    mg_begin(ctx);
    if (!graph || !component)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "meguri_components_check needs a graph and components.");
    meguri_status status = mg_graph_agree(ctx, graph, MEGURI_OK, &(mg_call){.name = "meguri_components_check"});
    return status == MEGURI_OK ? engines[mg_graph_engine(graph)].check(ctx, graph, component) : status;
}

meguri_status meguri_components_check(meguri_ctx *ctx, const meguri_graph *graph, const meguri_result *result,
                                      const meguri_components_options *options) {
    if (!ctx) return MEGURI_BAD_ARGUMENT;
    mg_begin(ctx);
    if (!graph || !result)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "meguri_components_check needs a graph and a result.");
    meguri_components_options known;
    const void *items = NULL;
    void *owned = NULL;
    meguri_status status = MG_OPTIONS(ctx, &known, options, meguri_components_options);
    if (status == MEGURI_OK)
        status = mg_result_vertices(&items, &owned, ctx, result, "component", mg_graph_vertex_bytes(graph),
                                    mg_graph_results(graph));
    status = mg_graph_agree(ctx, graph, status, &(mg_call){.name = "meguri_components_check"});
    if (status == MEGURI_OK) status = mg_components_check(ctx, graph, items);
    mg_free(owned);
    return status;
}
