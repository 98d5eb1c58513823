/* Shortest paths from many sources: every thread searches alone, so none waits for another within a search, and the
 * results are handed over in the order of the sources. */
#include "algo/sssp/sssp.h"

#include <inttypes.h>
#include <omp.h>

/* Threads take the next source, and hand over their results in turn. Who has to wait sleeps. */
typedef struct queue {
    meguri_ctx *ctx;
    const uint64_t *sources;
    uint64_t count;
    uint64_t next; /* source to be taken */
    meguri_sssp_take take;
    void *user;
    pthread_mutex_t lock;
    pthread_cond_t moved;
    uint64_t turn; /* result to be handed over */
    meguri_status status;
} queue;

static void hand_over(queue *q, uint64_t index, const meguri_result *result, meguri_status status) {
    pthread_mutex_lock(&q->lock);
    while (q->turn != index) pthread_cond_wait(&q->moved, &q->lock);
    pthread_mutex_unlock(&q->lock);
    /* Every source has its turn, also after a failure: others wait for it. */
    if (status == MEGURI_OK) status = mg_load(&q->status);
    if (status == MEGURI_OK) {
        status = q->take(q->user, index, result);
        if (status != MEGURI_OK)
            mg_fail(q->ctx, status, "the result of source number %" PRIu64 " was not taken.", index + 1);
    }
    pthread_mutex_lock(&q->lock);
    if (status != MEGURI_OK && q->status == MEGURI_OK) mg_store(&q->status, status);
    q->turn++;
    pthread_cond_broadcast(&q->moved);
    pthread_mutex_unlock(&q->lock);
}

static void work(queue *q, meguri_sssp_search *search) {
    for (uint64_t i; (i = mg_fetch_add(&q->next, 1)) < q->count;) {
        meguri_status status = mg_load(&q->status);
        if (status == MEGURI_OK && mg_progress(q->ctx, "sssp", i, q->count)) status = mg_fail_cancelled(q->ctx);
        if (status == MEGURI_OK) status = mg_sssp_search_run(q->ctx, search, q->sources[i]);
        hand_over(q, i, search->result, status);
    }
}

/* Threads for which there is memory, beside the one that is always tried. */
static int threads_that_fit(meguri_ctx *ctx, const meguri_graph *graph, uint64_t count) {
    int threads = mg_threads(ctx, count, 1);
    uint64_t each = 32 * graph->vertices + ((uint64_t)1 << 20); /* labels, columns, bins */
    uint64_t fit = mg_memory_left(ctx) / each;
    return fit < 1 ? 1 : fit < (uint64_t)threads ? (int)fit : threads;
}

static meguri_status check(meguri_ctx *ctx, const meguri_graph *graph, const uint64_t *sources, uint64_t count,
                           meguri_sssp_take take) {
    if (!graph || !take || (!sources && count))
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT,
                       "meguri_sssp_many needs a graph, sources, and someone to take results.");
    meguri_status status = mg_check_count(ctx, count, sizeof *sources, "sources");
    if (status != MEGURI_OK) return status;
    for (uint64_t i = 0; i < count; i++)
        if (sources[i] >= graph->vertices)
            return mg_fail(ctx, MEGURI_NOT_FOUND, "there is no vertex %" PRIu64 " in a graph of %" PRIu64 ".",
                           sources[i], graph->vertices);
    return MEGURI_OK;
}

meguri_status meguri_sssp_many(meguri_ctx *ctx, const meguri_graph *graph, const uint64_t *sources, uint64_t count,
                               const meguri_sssp_options *options, meguri_sssp_take take, void *user) {
    if (!ctx) return MEGURI_BAD_ARGUMENT;
    mg_begin(ctx);
    meguri_status status = check(ctx, graph, sources, count, take);
    if (status != MEGURI_OK) return status;
    queue q = {.ctx = ctx,
               .sources = sources,
               .count = count,
               .take = take,
               .user = user,
               .lock = PTHREAD_MUTEX_INITIALIZER,
               .moved = PTHREAD_COND_INITIALIZER};
    int threads = threads_that_fit(ctx, graph, count);
    meguri_sssp_search **searches = mg_alloc_array_zero(ctx, (uint64_t)threads, sizeof *searches, "searches");
    if (!searches) return MEGURI_NO_MEMORY;
    for (int i = 0; i < threads && status == MEGURI_OK; i++)
        status = mg_sssp_search_new(&searches[i], ctx, graph, options, i ? searches[0] : NULL, count > 1, 1);
    if (status == MEGURI_OK) {
#pragma omp parallel num_threads(mg_team(threads))
        work(&q, searches[omp_get_thread_num()]);
        status = q.status;
    }
    for (int i = threads; i-- > 0;) meguri_sssp_search_free(searches[i]);
    mg_free(searches);
    return status;
}
