/* Shortest paths from many sources: every thread searches alone, so none waits for another within a search, and the
 * results are handed over in the order of the sources, by the thread that called. A device has a way of its own. */
#include "algo/sssp/sssp.h"
#include "device/device.h"
#include "policy/policy.h"

#include <inttypes.h>

/* Threads take the next source, and hand over their results in turn. Who has to wait sleeps. */
typedef struct queue {
    meguri_ctx *ctx;
    const uint64_t *sources;
    uint64_t count;
    meguri_sssp_search **searches; /* one for each thread */
    meguri_result_take take;
    void *user;
    mg_turns turns;
    meguri_status status;
} queue;

meguri_status mg_sssp_hand_over(meguri_ctx *ctx, const meguri_result *result, uint64_t index, meguri_result_take take,
                                void *user) {
    MG_OUTSIDE(outside, ctx);
    meguri_status status = take(user, index, result);
    mg_inside(&outside, status);
    if (status == MEGURI_OK) return status;
    return mg_fail(ctx, status, "the result of source number %" PRIu64 " was not taken.", index + 1);
}

/* What a thread has found, for the one that called to hand over. */
typedef struct found {
    queue *queue;
    uint64_t index;
    const meguri_sssp_search *search;
    meguri_status status;
} found;

static void hand_over(void *what) {
    const found *f = what;
    queue *q = f->queue;
    meguri_status status = f->status;
    if (status == MEGURI_OK) status = mg_load(&q->status);
    if (status == MEGURI_OK) status = mg_sssp_hand_over(q->ctx, f->search->result, f->index, q->take, q->user);
    if (status != MEGURI_OK) mg_compare_swap(&q->status, MEGURI_OK, status);
}

static void work(void *what, mg_worker *self) {
    queue *q = what;
    meguri_sssp_search *search = q->searches[self->number];
    MG_TURNING(turning, &q->turns, self, "sssp", q->count);
    for (uint64_t i; (i = mg_turns_take(&q->turns)) < q->count;) {
        meguri_status status = mg_load(&q->status);
        if (status == MEGURI_OK && mg_progress(q->ctx, "sssp", i, q->count)) status = mg_fail_cancelled(q->ctx);
        if (status == MEGURI_OK) status = mg_sssp_search_run(q->ctx, search, q->sources[i]);
        found f = {q, i, search, status};
        if (!mg_turning_hand(&turning, i, hand_over, &f)) break;
    }
    mg_turning_end(&turning);
}

int mg_sssp_threads_that_fit(meguri_ctx *ctx, const meguri_graph *graph, uint64_t count) {
    int threads = mg_lasting_threads(ctx, count, 1);
    uint64_t each = 32 * graph->vertices + ((uint64_t)1 << 20); /* labels, columns, bins */
    uint64_t fit = mg_memory_left(ctx) / each;
    return fit < 1 ? 1 : fit < (uint64_t)threads ? (int)fit : threads;
}

meguri_status mg_sssp_check_list(meguri_ctx *ctx, const meguri_graph *graph, const uint64_t *vertices, uint64_t count,
                                 const char *what) {
    meguri_status status = mg_graph_whole(ctx, graph); /* threads that search by themselves cannot meet others */
    if (status == MEGURI_OK) status = mg_check_count(ctx, count, sizeof *vertices, what);
    if (status != MEGURI_OK) return status;
    for (uint64_t i = 0; i < count; i++)
        if (vertices[i] >= graph->vertices)
            return mg_fail(ctx, MEGURI_NOT_FOUND, "there is no vertex %" PRIu64 " in a graph of %" PRIu64 ".",
                           vertices[i], graph->vertices);
    return MEGURI_OK;
}

static meguri_status by_threads(queue *q, const meguri_graph *graph, const meguri_sssp_options *options) {
    meguri_status status = MEGURI_OK;
    int threads = mg_sssp_threads_that_fit(q->ctx, graph, q->count);
    q->searches = mg_alloc_array_zero(q->ctx, (uint64_t)threads, sizeof *q->searches, "searches");
    if (!q->searches) return MEGURI_NO_MEMORY;
    for (int i = 0; i < threads && status == MEGURI_OK; i++)
        status =
            mg_sssp_search_new(&q->searches[i], q->ctx, graph, options, i ? q->searches[0] : NULL, q->count > 1, 1);
    if (status == MEGURI_OK) {
        mg_run_together(q->ctx, threads, work, q);
        status = q->status;
    }
    for (int i = threads; i-- > 0;) meguri_sssp_search_free(q->searches[i]);
    mg_free(q->searches);
    return status;
}

static meguri_status by_device(queue *q, const meguri_graph *graph, const meguri_sssp_options *options) {
    meguri_sssp_search *search;
    uint32_t lanes = mg_policy_sssp_lanes(q->count);
    meguri_status status = mg_sssp_search_new(&search, q->ctx, graph, options, NULL, true, (int)lanes);
    MG_ENTERED(entered);
    if (status == MEGURI_OK) status = mg_device_enter(&entered, q->ctx, true);
    if (status == MEGURI_OK) status = search->engine->many(q->ctx, search, q->sources, q->count, q->take, q->user);
    meguri_sssp_search_free(search);
    return status;
}

meguri_status meguri_sssp_many(meguri_ctx *ctx, const meguri_graph *graph, const uint64_t *sources, uint64_t count,
                               const meguri_sssp_options *options, meguri_result_take take, void *user) {
    if (!ctx) return MEGURI_BAD_ARGUMENT;
    mg_begin(ctx);
    if (!graph || !take || (!sources && count))
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT,
                       "meguri_sssp_many needs a graph, sources, and someone to take results.");
    meguri_status status = mg_sssp_check_list(ctx, graph, sources, count, "sources");
    meguri_sssp_options chosen;
    if (status == MEGURI_OK) status = MG_OPTIONS(ctx, &chosen, options, meguri_sssp_options);
    if (status != MEGURI_OK) return status;
    queue q = {.ctx = ctx, .sources = sources, .count = count, .take = take, .user = user, .turns = MG_TURNS_NEW};
    return chosen.engine == MEGURI_ENGINE_DEVICE ? by_device(&q, graph, options) : by_threads(&q, graph, options);
}
