/* What all searches of one graph share: its rows, that its weights are lengths, and a width for the bins.
 *
 * The width comes from a sample of the weights. Where a graph is sparse, as roads are, every bin finer than its usual
 * edge will do, because steps take as many bins as they need; where it is dense, the horizon comes first: so far that a
 * vertex has a few edges within it, and the bins are a fraction of that. */
#include "algo/sssp/sssp.h"

#include <stdlib.h>

#define SAMPLE      4096
#define LIGHT_EDGES 2.0    /* of a mean vertex, that lie within the horizon */
#define SPARSE      12.0   /* edges of a mean vertex below which a horizon saves nothing */
#define MANY_ARCS   262144 /* with fewer all of it is near, and every arc may be looked at */
#define LIGHT_BINS  256    /* bins up to the horizon: hubs are near, and fine bins keep them from being seen twice */
#define USUAL_BINS  16     /* bins of the median edge */
#define FINEST      1e-290 /* one divided by it is a number */

/* ---- the width -------------------------------------------------------------------------------------------------- */

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Weights of arcs all over the graph. */
static uint64_t take_sample(double *sample, const mg_sssp_plan *plan) {
    uint64_t arcs = plan->out.arcs, count = MG_MIN(arcs, (uint64_t)SAMPLE);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t arc = (uint64_t)((unsigned __int128)arcs * i / count);
        sample[i] = mg_weight_at(plan->out.weights, plan->graph->weight_type, arc);
    }
    return count;
}

/* The weight that a share of the sample does not pass; of nothing but zeros, any weight there is. */
static double quantile(const double *sample, uint64_t count, double share) {
    uint64_t at = (uint64_t)(share * (double)count);
    while (at < count && sample[at] == 0) at++;
    return at < count ? sample[at] : 0;
}

mg_sssp_width mg_sssp_choose_width(const mg_sssp_weights *w, double *sample, uint64_t count) {
    mg_sssp_width width = {0, 0};
    qsort(sample, count, sizeof *sample, by_size);
    double edges = (double)w->arcs / (double)MG_MAX(w->vertices, 1u);
    if (w->weighted && edges >= SPARSE && w->arcs >= MANY_ARCS)
        width.light = quantile(sample, count, LIGHT_EDGES / edges);
    width.delta = !w->weighted      ? 1
                  : width.light > 0 ? width.light / LIGHT_BINS
                                    : quantile(sample, count, 0.5) / USUAL_BINS;
    if (!(width.delta > 0)) width.delta = w->heaviest > 0 ? w->heaviest : 1;
    width.delta = MG_MAX(width.delta, w->real ? FINEST : 1.0);
    return width;
}

/* ---- the plan --------------------------------------------------------------------------------------------------- */

meguri_status mg_sssp_plan_make(mg_sssp_plan *plan, meguri_ctx *ctx, const meguri_graph *graph,
                                const meguri_sssp_options *options, bool often) {
    *plan = (mg_sssp_plan){.graph = graph};
    plan->real = graph->weight_type == MEGURI_WEIGHT_F32 || graph->weight_type == MEGURI_WEIGHT_F64;
    meguri_status status = mg_graph_rows(&plan->out, ctx, graph);
    if (status == MEGURI_OK) status = mg_graph_numbering(&plan->numbering, ctx, graph);
    if (status != MEGURI_OK) return status;
    plan->rows = (uint32_t)plan->out.rows;
    plan->core = mg_graph_core(graph, &plan->out);
    mg_lengths lengths;
    status = mg_graph_lengths(&lengths, ctx, graph, "sssp");
    if (status != MEGURI_OK) return status;
    plan->heaviest = lengths.heaviest;
    plan->narrow = !plan->real && plan->heaviest < MG_SSSP_FAR_NARROW / 2;
    if (plan->narrow) plan->narrow_end = MG_SSSP_FAR_NARROW - 1 - (uint64_t)plan->heaviest;
    double *sample = mg_alloc_array(ctx, SAMPLE, sizeof *sample, "a sample of weights");
    if (!sample) return MEGURI_NO_MEMORY;
    const mg_sssp_weights weights = {.vertices = plan->rows,
                                     .arcs = plan->out.arcs,
                                     .real = plan->real,
                                     .weighted = graph->weight_type != MEGURI_WEIGHT_NONE,
                                     .heaviest = plan->heaviest};
    mg_sssp_width width = mg_sssp_choose_width(&weights, sample, take_sample(sample, plan));
    plan->delta = width.delta;
    plan->light = width.light;
    mg_free(sample);
    if (options->delta > 0) {
        plan->delta = plan->real ? options->delta : MG_MAX(options->delta, 1.0); /* finer is the same for integers */
        plan->fixed = true;
        plan->light = 0;
    }
    plan->can_pull = plan->light > 0 && (!graph->directed || often);
    return plan->can_pull ? mg_graph_in_rows(&plan->in, ctx, graph) : MEGURI_OK;
}
