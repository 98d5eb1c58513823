/* Files in blocks: all threads make (and compress) blocks, which are written in their order.
 *
 * What a block holds depends on its number alone, not on the threads, so the same content gives the same bytes,
 * compressed or not. Memory is bounded by a block for each thread. */
#include "io/write.h"

/* All blocks of a file on their way: threads take the next one, and write them in turn. */
typedef struct queue {
    const mg_blocks *blocks;
    mg_outfile *file;
    mg_compression compression;
    mg_turns turns;
    meguri_status status;
} queue;

/* What one thread works with. */
typedef struct worker {
    mg_text text, compressed;
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
    if (status != MEGURI_OK || q->compression == MG_PLAIN) return status;
    *out = &w->compressed;
    w->compressed.used = 0;
    return mg_compress(&w->compressed, b->ctx, q->compression, w->text.data, w->text.used);
}

/* While another thread may wait for the reader of a pipe, the one that can be told of a cancel listens. */
static void listen(void *what) {
    const queue *q = what;
    mg_progress_again(q->blocks->ctx); /* whoever writes sees it */
}

static bool write_in_turn(queue *q, uint64_t block, const mg_text *text, meguri_status status) {
    if (!mg_turns_wait(&q->turns, block, q->file->waits ? listen : NULL, q)) return false;
    if (status == MEGURI_OK) status = mg_load(&q->status);
    if (status == MEGURI_OK) status = mg_outfile_write(q->blocks->ctx, q->file, text->data, text->used);
    if (status != MEGURI_OK) mg_store(&q->status, status);
    mg_turns_pass(&q->turns);
    return true;
}

static void work(void *what, mg_worker *self) {
    queue *q = what;
    const mg_blocks *b = q->blocks;
    worker w = {.text.ctx = b->ctx, .compressed.ctx = b->ctx};
    meguri_status status = MEGURI_OK;
    if (b->own_bytes && !(w.own = mg_alloc_zero(b->ctx, b->own_bytes, "a thread that writes")))
        status = MEGURI_NO_MEMORY;
    MG_TURNING(turning, &q->turns, self, "write", b->count);
    for (uint64_t block; (block = mg_turns_take(&q->turns)) < b->count;) {
        const mg_text *text = NULL;
        if (status == MEGURI_OK) status = make_block(&text, &w, q, block);
        if (!write_in_turn(q, block, text, status)) break;
    }
    mg_turning_end(&turning);
    if (w.own && b->clear_own) b->clear_own(w.own);
    mg_free(w.own);
    mg_text_free(&w.text);
    mg_text_free(&w.compressed);
}

meguri_status mg_write_blocks(const mg_blocks *blocks, mg_outfile *file, mg_compression compression) {
    queue q = {.blocks = blocks, .file = file, .compression = compression, .turns = MG_TURNS_NEW};
    uint32_t threads = file->write ? 1 : mg_threads(blocks->ctx, blocks->count, 1); /* functions: this thread alone */
    mg_run_together(blocks->ctx, threads, work, &q);
    return q.status;
}
