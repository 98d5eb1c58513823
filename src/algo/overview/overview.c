/* The front of overviews: arguments, the measures one after another, and what was measured. */
#include "algo/overview/overview.h"

const char *meguri_overview_division_name(meguri_overview_division division) {
    static const char *const names[] = {"divided", "one", "fragments"};
    return (unsigned)division < sizeof names / sizeof *names ? names[division] : "?";
}

static meguri_status check_options(meguri_overview_options *o, meguri_ctx *ctx,
                                   const meguri_overview_options *options) {
    meguri_status status = MG_OPTIONS(ctx, o, options, meguri_overview_options);
    if (status != MEGURI_OK) return status;
    if (o->top < 1 || o->top > MG_OVERVIEW_TOP_MOST)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "top: lists of %u are not possible; choose 1 to %d.", o->top,
                       MG_OVERVIEW_TOP_MOST);
    return MEGURI_OK;
}

static meguri_status measure(mg_overview_work *w) {
    static const struct {
        const char *name;
        meguri_status (*take)(mg_overview_work *w);
    } steps[] = {
        {"edges", mg_overview_edges},           {"weights", mg_overview_weights},
        {"degrees", mg_overview_degrees},       {"coordinates", mg_overview_coordinates},
        {"components", mg_overview_components}, {"distances", mg_overview_distances},
        {"pagerank", mg_overview_pagerank},     {"communities", mg_overview_communities},
        {"triangles", mg_overview_triangles},
    };
    meguri_status status = mg_graph_rows(&w->out, w->ctx, w->graph);
    if (status == MEGURI_OK && w->graph->directed) status = mg_graph_in_rows(&w->in, w->ctx, w->graph);
    if (status == MEGURI_OK) status = mg_graph_numbering(&w->numbering, w->ctx, w->graph);
    for (size_t i = 0; i < sizeof steps / sizeof *steps && status == MEGURI_OK; i++) {
        double since = mg_now();
        status = mg_cancelled(w->ctx) ? mg_fail_cancelled(w->ctx) : steps[i].take(w);
        if (status == MEGURI_OK) mg_trace_phase(w->ctx, "overview", steps[i].name, -1, -1, since);
    }
    meguri_result_free(w->components);
    meguri_result_free(w->ranks);
    return status;
}

meguri_status meguri_overview_new(meguri_overview **out, meguri_ctx *ctx, const meguri_graph *graph,
                                  const meguri_overview_options *options) {
    meguri_overview_options o;
    if (out) *out = NULL;
    if (!out || !ctx || !graph) return mg_missing(ctx, __func__);
    mg_begin(ctx);
    meguri_status status = check_options(&o, ctx, options);
    if (status == MEGURI_OK) status = mg_graph_whole(ctx, graph);
    if (status != MEGURI_OK) return status;
    meguri_overview *overview = mg_alloc_zero(ctx, sizeof *overview, "an overview");
    if (!overview) return MEGURI_NO_MEMORY;
    overview->graph = mg_graph_hold(graph);
    overview->options = o;
    overview->items = mg_alloc_array(ctx, (uint64_t)MG_OVERVIEW_LISTS * o.top, sizeof *overview->items, "an overview");
    mg_overview_work work = {.ctx = ctx, .graph = graph, .overview = overview, .info = &overview->info};
    status = overview->items ? measure(&work) : MEGURI_NO_MEMORY;
    if (status == MEGURI_OK) *out = overview;
    else meguri_overview_free(overview);
    return status;
}

void meguri_overview_free(meguri_overview *overview) {
    if (!overview) return;
    mg_free(overview->items);
    mg_graph_let_go(overview->graph);
    mg_free(overview);
}

meguri_status meguri_overview_get_info(meguri_overview_info *out, const meguri_overview *overview) {
    if (!out || !overview) return MEGURI_BAD_ARGUMENT;
    return mg_hand_out(NULL, out, sizeof *out, &overview->info, "meguri_overview_info");
}
