/* What all searches of one graph share: its rows, that its weights are lengths, and a width for the bins, by a sample
 * of the weights. */
#include "algo/sssp/sssp.h"

#include "policy/policy.h"

#include <stdlib.h>

#define SAMPLE 4096

/* ---- the width -------------------------------------------------------------------------------------------------- */

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Weights of arcs all over the graph. */
static uint64_t take_sample(double *sample, const mg_rows *rows, meguri_type type) {
    uint64_t arcs = rows->arcs, count = MG_MIN(arcs, (uint64_t)SAMPLE);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t arc = (uint64_t)((unsigned __int128)arcs * i / count);
        sample[i] = mg_weight_at(rows->weights, type, arc);
    }
    return count;
}

mg_sssp_width mg_sssp_choose_width(const mg_sssp_weights *weights, double *sample, uint64_t count) {
    qsort(sample, count, sizeof *sample, by_size);
    return mg_policy_sssp_width(weights, sample, count);
}

/* ---- the plan --------------------------------------------------------------------------------------------------- */

meguri_status mg_sssp_plan_rows(mg_sssp_plan *plan, meguri_ctx *ctx, const mg_rows *out, meguri_type type,
                                double heaviest) {
    plan->out = *out;
    plan->rows = (uint32_t)out->rows;
    plan->real = type == MEGURI_TYPE_F32 || type == MEGURI_TYPE_F64;
    plan->heaviest = heaviest;
    plan->narrow = !plan->real && heaviest < MG_SSSP_FAR_NARROW / 2;
    if (plan->narrow) plan->narrow_end = MG_SSSP_FAR_NARROW - 1 - (uint64_t)heaviest;
    double *sample = mg_alloc_array(ctx, SAMPLE, sizeof *sample, "a sample of weights");
    if (!sample) return MEGURI_NO_MEMORY;
    const mg_sssp_weights weights = {.vertices = plan->rows,
                                     .arcs = out->arcs,
                                     .real = plan->real,
                                     .weighted = type != MEGURI_TYPE_NONE,
                                     .heaviest = heaviest};
    mg_sssp_width width = mg_sssp_choose_width(&weights, sample, take_sample(sample, out, type));
    plan->delta = width.delta;
    plan->light = width.light;
    mg_free(sample);
    return MEGURI_OK;
}

meguri_status mg_sssp_plan_make(mg_sssp_plan *plan, meguri_ctx *ctx, const meguri_graph *graph,
                                const meguri_sssp_options *options, bool often) {
    mg_rows out;
    mg_lengths lengths;
    *plan = (mg_sssp_plan){.graph = graph};
    meguri_status status = mg_graph_rows(&out, ctx, graph);
    if (status == MEGURI_OK) status = mg_graph_numbering(&plan->numbering, ctx, graph);
    if (status != MEGURI_OK) return status;
    plan->first_leaf = mg_graph_first_leaf(graph, &out);
    status = mg_graph_lengths(&lengths, ctx, graph, "sssp");
    if (status == MEGURI_OK) status = mg_sssp_plan_rows(plan, ctx, &out, graph->weight_type, lengths.heaviest);
    if (status != MEGURI_OK) return status;
    plan->most = mg_sssp_most(options, plan->real);
    if (options->delta > 0) {
        plan->delta = plan->real ? options->delta : MG_MAX(options->delta, 1.0); /* finer is the same for integers */
        plan->fixed = true;
        plan->light = 0;
    }
    plan->can_pull = plan->light > 0 && (!graph->directed || often);
    return plan->can_pull ? mg_graph_in_rows(&plan->in, ctx, graph) : MEGURI_OK;
}
