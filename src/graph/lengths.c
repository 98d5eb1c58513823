/* Weights as lengths, which is what searches for short paths need: none negative, all finite, and sums that numbers can
 * hold. */
#include "graph/graph.h"

#include <math.h>

#define GRAIN 65536

typedef struct weight_facts {
    mg_lengths lengths;
    uint64_t bad; /* the first arc whose weight is no length */
} weight_facts;

#define LOOK(TYPE, is_good)                                                                                            \
    do {                                                                                                               \
        const TYPE *w = rows->weights;                                                                                 \
        TYPE most = 0, least = w[begin];                                                                               \
        bool good = true;                                                                                              \
        for (uint64_t a = begin; a < end; a++) {                                                                       \
            most = w[a] > most ? w[a] : most;                                                                          \
            least = w[a] < least ? w[a] : least;                                                                       \
            good &= (is_good);                                                                                         \
        }                                                                                                              \
        facts.lengths = (mg_lengths){.lightest = (double)least, .heaviest = (double)most};                             \
        for (uint64_t a = begin; a < end && !good && facts.bad == UINT64_MAX; a++)                                     \
            if (!(is_good)) facts.bad = a;                                                                             \
    } while (0)

static weight_facts look_at_weights(const mg_rows *rows, meguri_type type, uint64_t begin, uint64_t end) {
    weight_facts facts = {.bad = UINT64_MAX};
    switch (type) {
    case MEGURI_TYPE_U8: facts.lengths.heaviest = UINT8_MAX; break; /* near enough */
    case MEGURI_TYPE_U16: facts.lengths.heaviest = UINT16_MAX; break;
    case MEGURI_TYPE_U32: LOOK(uint32_t, true); break;
    case MEGURI_TYPE_F32: LOOK(float, w[a] >= 0 && w[a] < INFINITY); break;
    case MEGURI_TYPE_F64: LOOK(double, w[a] >= 0 && w[a] < INFINITY); break;
    default: facts.lengths = (mg_lengths){1, 1}; break; /* no weights */
    }
    return facts;
}

static meguri_status refuse(meguri_ctx *ctx, const meguri_graph *graph, const mg_rows *rows, uint64_t arc) {
    char from[MG_ID_TEXT], to[MG_ID_TEXT];
    mg_numbering numbering;
    meguri_status status = mg_graph_numbering(&numbering, ctx, graph);
    if (status != MEGURI_OK) return status;
    double weight = mg_weight_at(rows->weights, graph->weight_type, arc);
    mg_graph_id_text(from, ctx, graph, mg_to_user(&numbering, (uint32_t)mg_row_of_arc(rows, arc)));
    mg_graph_id_text(to, ctx, graph, mg_to_user(&numbering, rows->neighbors[arc]));
    if (isnan(weight))
        return mg_fail(
            ctx, MEGURI_BAD_INPUT,
            "the weight of the edge from %s to %s is not a number; shortest paths need weights of 0 or more.", from,
            to);
    return mg_fail(ctx, MEGURI_BAD_INPUT,
                   "the weight of the edge from %s to %s is %g; shortest paths need finite weights of 0 or more.", from,
                   to, weight);
}

/* What all threads have seen. */
typedef struct weight_job {
    const mg_rows *rows;
    meguri_type type;
    weight_facts facts;
} weight_job;

static void look_at_chunks(void *what, mg_worker *worker) {
    weight_job *job = what;
    for (mg_range chunk; mg_take(worker, &chunk);) {
        weight_facts facts = look_at_weights(job->rows, job->type, chunk.begin, chunk.end);
        mg_loop_lock(worker);
        job->facts.lengths.heaviest = MG_MAX(job->facts.lengths.heaviest, facts.lengths.heaviest);
        job->facts.lengths.lightest = MG_MIN(job->facts.lengths.lightest, facts.lengths.lightest);
        job->facts.bad = MG_MIN(job->facts.bad, facts.bad);
        mg_loop_unlock(worker);
    }
}

meguri_status mg_graph_lengths(mg_lengths *out, meguri_ctx *ctx, const meguri_graph *graph, const char *run) {
    mg_rows all, *rows = &all;
    *out = (mg_lengths){0, 0};
    meguri_status status = mg_graph_rows(rows, ctx, graph);
    if (status != MEGURI_OK) return status;
    weight_job job = {
        .rows = rows, .type = graph->weight_type, .facts = {.lengths = {.lightest = INFINITY}, .bad = UINT64_MAX}};
    mg_loop loop = {.ctx = ctx,
                    .threads = mg_threads(ctx, rows->arcs, GRAIN),
                    .items = rows->arcs,
                    .chunk = GRAIN,
                    .work = look_at_chunks,
                    .what = &job,
                    .phase = run,
                    .total = rows->arcs};
    status = mg_loop_run(&loop);
    if (status != MEGURI_OK) return status;
    if (job.facts.bad != UINT64_MAX) return refuse(ctx, graph, rows, job.facts.bad);
    double heaviest = job.facts.lengths.heaviest;
    bool real = graph->weight_type == MEGURI_TYPE_F32 || graph->weight_type == MEGURI_TYPE_F64;
    if (real && heaviest * (double)graph->vertices > 1e300)
        return mg_fail(ctx, MEGURI_BAD_INPUT,
                       "an edge weighs %g: distances could become larger than numbers can be; give weights in a larger "
                       "unit.",
                       heaviest);
    *out = (mg_lengths){.lightest = rows->arcs ? job.facts.lengths.lightest : 0, .heaviest = heaviest};
    return MEGURI_OK;
}
