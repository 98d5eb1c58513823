/* Files in blocks: all threads make (and pack) blocks, which are written in their order.
 *
 * What a block holds depends on its number alone, not on the threads, so the same content gives the same bytes, packed
 * or not. Memory is bounded by a block for each thread. */
#define _GNU_SOURCE /* clock_gettime */
#include "io/write.h"

#include <time.h>

/* All blocks of a file on their way: threads take the next one, and write them in turn. A thread that has to wait
 * sleeps: it would only take the processor from the one it waits for. */
typedef struct queue {
    const mg_blocks *blocks;
    mg_outfile *file;
    mg_pack_kind packing;
    uint64_t next; /* block to be taken */
    pthread_mutex_t lock;
    pthread_cond_t moved;
    uint64_t turn; /* block to be written */
    meguri_status status;
} queue;

/* What one thread works with. */
typedef struct worker {
    mg_text text, packed;
    void *own;
} worker;

static meguri_status make_block(const mg_text **out, worker *w, queue *q, uint64_t block) {
    const mg_blocks *b = q->blocks;
    meguri_status status = mg_load(&q->status);
    if (status != MEGURI_OK) return status;
    uint64_t done = (uint64_t)((unsigned __int128)b->items * block / b->count);
    if (mg_progress(b->ctx, "write", done, b->items)) return mg_fail_cancelled(b->ctx);
    w->text.used = 0;
    status = b->make(&w->text, b->job, w->own, block);
    if (status == MEGURI_OK && w->text.failed) status = MEGURI_NO_MEMORY;
    *out = &w->text;
    if (status != MEGURI_OK || q->packing == MG_PACK_NONE) return status;
    *out = &w->packed;
    w->packed.used = 0;
    return mg_pack(&w->packed, b->ctx, q->packing, w->text.data, w->text.used);
}

/* Until the blocks before this one are written. Where another thread may wait for the reader of a pipe, the one that
 * can be told of a cancel listens meanwhile. */
static void wait_for_turn(queue *q, uint64_t block) {
    pthread_mutex_lock(&q->lock);
    while (q->turn != block) {
        struct timespec until;
        if (!q->file->waits) {
            pthread_cond_wait(&q->moved, &q->lock);
            continue;
        }
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += MG_PATIENCE_MS * 1000000L;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        if (pthread_cond_timedwait(&q->moved, &q->lock, &until) == 0) continue;
        pthread_mutex_unlock(&q->lock);
        mg_progress(q->blocks->ctx, "write", 0, 0); /* whoever writes sees it */
        pthread_mutex_lock(&q->lock);
    }
    pthread_mutex_unlock(&q->lock);
}

/* Every block has its turn, also one that failed: others wait for it. */
static void write_in_turn(queue *q, uint64_t block, const mg_text *text, meguri_status status) {
    wait_for_turn(q, block);
    if (status == MEGURI_OK) status = mg_load(&q->status);
    if (status == MEGURI_OK) status = mg_outfile_write(q->blocks->ctx, q->file, text->data, text->used);
    if (status != MEGURI_OK) mg_store(&q->status, status);
    pthread_mutex_lock(&q->lock);
    q->turn++;
    pthread_cond_broadcast(&q->moved);
    pthread_mutex_unlock(&q->lock);
}

static void work(queue *q) {
    const mg_blocks *b = q->blocks;
    worker w = {.text.ctx = b->ctx, .packed.ctx = b->ctx};
    meguri_status status = MEGURI_OK;
    if (b->own_bytes && !(w.own = mg_alloc_zero(b->ctx, b->own_bytes, "a thread that writes")))
        status = MEGURI_NO_MEMORY;
    for (uint64_t block; (block = mg_fetch_add(&q->next, 1)) < b->count;) {
        const mg_text *text = NULL;
        if (status == MEGURI_OK) status = make_block(&text, &w, q, block);
        write_in_turn(q, block, text, status);
    }
    if (q->file->waits) wait_for_turn(q, b->count);
    if (w.own && b->clear_own) b->clear_own(w.own);
    mg_free(w.own);
    mg_text_free(&w.text);
    mg_text_free(&w.packed);
}

meguri_status mg_write_blocks(const mg_blocks *blocks, mg_outfile *file, mg_pack_kind packing) {
    queue q = {.blocks = blocks,
               .file = file,
               .packing = packing,
               .lock = PTHREAD_MUTEX_INITIALIZER,
               .moved = PTHREAD_COND_INITIALIZER};
    int threads = mg_threads(blocks->ctx, blocks->count, 1);
#pragma omp parallel num_threads(mg_team(threads))
    work(&q);
    pthread_cond_destroy(&q.moved);
    pthread_mutex_destroy(&q.lock);
    return q.status;
}
