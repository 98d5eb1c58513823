/* The front of components: arguments, memory, the result. */
#include "algo/components/components.h"

static meguri_status find(mg_components *c, meguri_result *result) {
    meguri_ctx *ctx = c->ctx;
    const char *what = "the components of a graph";
    double since = mg_now();
    meguri_status status;
    c->component = mg_alloc_array(ctx, c->graph->vertices, sizeof *c->component, what);
    if (!c->component) return MEGURI_NO_MEMORY;
    status = mg_result_own(ctx, result, c->component);
    if (status == MEGURI_OK)
        status = mg_result_add_column(ctx, result, "component", MEGURI_COLUMN_VERTEX, c->component, c->graph->vertices,
                                      sizeof *c->component);
    if (status == MEGURI_OK) status = mg_bitmap_new(&c->giant, ctx, (uint64_t)c->rows + 1, what);
    if (status != MEGURI_OK) return status;
    c->parent = mg_alloc_array(ctx, c->rows, sizeof *c->parent, what);
    if (!c->parent) return MEGURI_NO_MEMORY;
    status = mg_components_host(c);
    if (status == MEGURI_OK) status = mg_components_write(c);
    if (status == MEGURI_OK) status = mg_result_set_number(ctx, result, "components", c->components);
    if (status == MEGURI_OK) status = mg_result_set_number(ctx, result, "largest", c->largest);
    if (status == MEGURI_OK) status = mg_result_set_number(ctx, result, "edges", c->edges);
    if (status == MEGURI_OK) status = mg_result_set_real(ctx, result, "seconds", mg_now() - since);
    return status;
}

meguri_status meguri_components(meguri_result **out, meguri_ctx *ctx, const meguri_graph *graph,
                                const meguri_components_options *options) {
    if (!out || !ctx) return mg_missing(ctx, __func__);
    mg_begin(ctx);
    *out = NULL;
    if (!graph) return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "meguri_components needs a graph.");
    meguri_components_options known;
    mg_components c = {.ctx = ctx, .graph = graph};
    meguri_result *result = NULL;
    meguri_status status = mg_options(ctx, &known, sizeof known, options, "meguri_components_options");
    if (status == MEGURI_OK) status = mg_graph_rows(&c.out, ctx, graph);
    if (status == MEGURI_OK) status = mg_graph_numbering(&c.numbering, ctx, graph);
    if (status == MEGURI_OK) status = mg_result_new(&result, ctx);
    c.rows = (uint32_t)c.out.rows;
    if (status == MEGURI_OK) status = find(&c, result);
    mg_free(c.parent);
    mg_free(c.sizes);
    mg_bitmap_free(&c.giant);
    if (status == MEGURI_OK) *out = result;
    else meguri_result_free(result);
    return status;
}
