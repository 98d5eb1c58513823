/* What all searches of one graph share: its rows, that its weights are lengths, and a width for the bins.
 *
 * The width comes from a sample of the weights. Where a graph is sparse, as roads are, every bin finer than its usual
 * edge will do, because steps take as many bins as they need; where it is dense, the horizon comes first: so far that a
 * vertex has a few edges within it, and the bins are a fraction of that. */
#include "algo/sssp/sssp.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#define SAMPLE      4096
#define LIGHT_EDGES 2.0    /* of a mean vertex, that lie within the horizon */
#define SPARSE      12.0   /* edges of a mean vertex below which a horizon saves nothing */
#define MANY_ARCS   262144 /* with fewer all of it is near, and every arc may be looked at */
#define LIGHT_BINS  256    /* bins up to the horizon: hubs are near, and fine bins keep them from being seen twice */
#define USUAL_BINS  16     /* bins of the median edge */
#define FINEST      1e-290 /* one divided by it is a number */
#define GRAIN       65536

/* ---- weights ---------------------------------------------------------------------------------------------------- */

typedef struct weight_facts {
    double heaviest;
    uint64_t bad; /* the first arc whose weight is no length */
} weight_facts;

#define LOOK(TYPE, is_good)                                                                                            \
    do {                                                                                                               \
        const TYPE *w = rows->weights;                                                                                 \
        TYPE most = 0;                                                                                                 \
        bool good = true;                                                                                              \
        for (uint64_t a = begin; a < end; a++) {                                                                       \
            most = w[a] > most ? w[a] : most;                                                                          \
            good &= (is_good);                                                                                         \
        }                                                                                                              \
        facts.heaviest = (double)most;                                                                                 \
        for (uint64_t a = begin; a < end && !good && facts.bad == UINT64_MAX; a++)                                     \
            if (!(is_good)) facts.bad = a;                                                                             \
    } while (0)

static weight_facts look_at_weights(const mg_rows *rows, meguri_weight_type type, uint64_t begin, uint64_t end) {
    weight_facts facts = {.bad = UINT64_MAX};
    switch (type) {
    case MEGURI_WEIGHT_NONE: facts.heaviest = 1; break;
    case MEGURI_WEIGHT_U8: facts.heaviest = UINT8_MAX; break; /* near enough */
    case MEGURI_WEIGHT_U16: facts.heaviest = UINT16_MAX; break;
    case MEGURI_WEIGHT_U32: LOOK(uint32_t, true); break;
    case MEGURI_WEIGHT_F32: LOOK(float, w[a] >= 0 && w[a] < INFINITY); break;
    case MEGURI_WEIGHT_F64: LOOK(double, w[a] >= 0 && w[a] < INFINITY); break;
    }
    return facts;
}

static meguri_status refuse(meguri_ctx *ctx, const mg_sssp_plan *plan, uint64_t arc) {
    char from[MG_ID_TEXT], to[MG_ID_TEXT];
    const meguri_graph *g = plan->graph;
    double weight = mg_weight_at(plan->out.weights, g->weight_type, arc);
    uint32_t u = mg_to_user(&plan->numbering, (uint32_t)mg_row_of_arc(&plan->out, arc));
    uint32_t v = mg_to_user(&plan->numbering, plan->out.neighbors[arc]);
    mg_graph_id_text(from, ctx, g, u);
    mg_graph_id_text(to, ctx, g, v);
    if (isnan(weight))
        return mg_fail(
            ctx, MEGURI_BAD_INPUT,
            "the weight of the edge from %s to %s is not a number; shortest paths need weights of 0 or more.", from,
            to);
    return mg_fail(ctx, MEGURI_BAD_INPUT,
                   "the weight of the edge from %s to %s is %g; shortest paths need finite weights of 0 or more.", from,
                   to, weight);
}

/* The heaviest weight; all of them are looked at where they could be something else than lengths. */
static meguri_status check_weights(meguri_ctx *ctx, mg_sssp_plan *plan) {
    const mg_rows *rows = &plan->out;
    double heaviest = 0;
    uint64_t bad = UINT64_MAX;
    int threads = mg_threads(ctx, rows->arcs, GRAIN);
    bool cancelled = false;
#pragma omp parallel for num_threads(threads) schedule(dynamic) reduction(max : heaviest) reduction(min : bad)
    for (uint64_t begin = 0; begin < rows->arcs; begin += GRAIN) {
        if (mg_progress(ctx, "sssp", begin, rows->arcs)) mg_store(&cancelled, true);
        if (mg_load(&cancelled)) continue;
        uint64_t end = MG_MIN(begin + GRAIN, rows->arcs);
        weight_facts facts = look_at_weights(rows, plan->graph->weight_type, begin, end);
        heaviest = MG_MAX(heaviest, facts.heaviest);
        bad = MG_MIN(bad, facts.bad);
    }
    if (cancelled) return mg_fail_cancelled(ctx);
    if (bad != UINT64_MAX) return refuse(ctx, plan, bad);
    plan->heaviest = heaviest;
    if (plan->real && heaviest * (double)plan->graph->vertices > 1e300)
        return mg_fail(ctx, MEGURI_BAD_INPUT,
                       "an edge weighs %g: distances could become larger than numbers can be; give weights in a larger "
                       "unit.",
                       heaviest);
    return MEGURI_OK;
}

/* ---- the width -------------------------------------------------------------------------------------------------- */

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Increasing weights of arcs all over the graph. */
static uint64_t take_sample(double *sample, const mg_sssp_plan *plan) {
    uint64_t arcs = plan->out.arcs, count = MG_MIN(arcs, (uint64_t)SAMPLE);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t arc = (uint64_t)((unsigned __int128)arcs * i / count);
        sample[i] = mg_weight_at(plan->out.weights, plan->graph->weight_type, arc);
    }
    qsort(sample, count, sizeof *sample, by_size);
    return count;
}

/* The weight that a share of the sample does not pass; of nothing but zeros, any weight there is. */
static double quantile(const double *sample, uint64_t count, double share) {
    uint64_t at = (uint64_t)(share * (double)count);
    while (at < count && sample[at] == 0) at++;
    return at < count ? sample[at] : 0;
}

static void choose_width(mg_sssp_plan *plan, const double *sample, uint64_t count) {
    double edges = (double)plan->out.arcs / MG_MAX(plan->rows, 1u);
    bool weighted = plan->graph->weight_type != MEGURI_WEIGHT_NONE;
    if (weighted && edges >= SPARSE && plan->out.arcs >= MANY_ARCS)
        plan->light = quantile(sample, count, LIGHT_EDGES / edges);
    double delta = !weighted         ? 1
                   : plan->light > 0 ? plan->light / LIGHT_BINS
                                     : quantile(sample, count, 0.5) / USUAL_BINS;
    if (!(delta > 0)) delta = plan->heaviest > 0 ? plan->heaviest : 1;
    plan->delta = MG_MAX(delta, plan->real ? FINEST : 1.0);
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
    status = check_weights(ctx, plan);
    if (status != MEGURI_OK) return status;
    plan->narrow = !plan->real && plan->heaviest < MG_SSSP_FAR_NARROW / 2;
    if (plan->narrow) plan->narrow_end = MG_SSSP_FAR_NARROW - 1 - (uint64_t)plan->heaviest;
    double *sample = mg_alloc_array(ctx, SAMPLE, sizeof *sample, "a sample of weights");
    if (!sample) return MEGURI_NO_MEMORY;
    choose_width(plan, sample, take_sample(sample, plan));
    mg_free(sample);
    if (options->delta > 0) {
        plan->delta = plan->real ? options->delta : MG_MAX(options->delta, 1.0); /* finer is the same for integers */
        plan->fixed = true;
        plan->light = 0;
    }
    plan->can_pull = plan->light > 0 && (!graph->directed || often);
    return plan->can_pull ? mg_graph_in_rows(&plan->in, ctx, graph) : MEGURI_OK;
}
