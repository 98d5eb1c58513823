/* Rows to bytes: all threads format (and pack) blocks of rows, which are written in their order.
 *
 * The blocks depend on the graph alone, not on the threads, so the same graph gives the same bytes, packed or not.
 * Invariant: rows come in the user's order, the neighbours of each increasing by position, equal ones by weight as
 * they are stored. Memory is bounded by a block for each thread, or by the largest row. */
#include "io/write.h"

#define BLOCK_ITEMS        ((uint64_t)1 << 16) /* lines of a block: about 1 MB of text */
#define PACKED_BLOCK_ITEMS ((uint64_t)1 << 18) /* larger where packing profits from it */
#define INSERTION_SORT     24                  /* rows up to this length are sorted by insertion */

/* What one thread works with. */
typedef struct worker {
    mg_text text, packed;
    uint32_t *keys, *keys_scratch;
    uint64_t *arcs, *arcs_scratch;
    uint64_t room; /* entries of each */
} worker;

static void free_worker(worker *w) {
    mg_text_free(&w->text);
    mg_text_free(&w->packed);
    mg_free(w->keys);
    mg_free(w->keys_scratch);
    mg_free(w->arcs);
    mg_free(w->arcs_scratch);
}

/* Room to sort a row; what was in it is not kept. */
static bool make_room(worker *w, meguri_ctx *ctx, uint64_t degree, bool with_arcs) {
    if (degree <= w->room) return true;
    uint64_t room = MG_MAX(degree, w->room * 2);
    mg_free(w->keys);
    mg_free(w->keys_scratch);
    mg_free(w->arcs);
    mg_free(w->arcs_scratch);
    w->room = 0;
    w->arcs = w->arcs_scratch = NULL;
    w->keys = mg_alloc_array(ctx, room, 4, "a row to write");
    w->keys_scratch = mg_alloc_array(ctx, room, 4, "a row to write");
    if (with_arcs) {
        w->arcs = mg_alloc_array(ctx, room, 8, "a row to write");
        w->arcs_scratch = mg_alloc_array(ctx, room, 8, "a row to write");
    }
    if (!w->keys || !w->keys_scratch || (with_arcs && (!w->arcs || !w->arcs_scratch))) return false;
    w->room = room;
    return true;
}

static void sort_short_row(uint32_t *keys, uint64_t *arcs, uint64_t count) {
    for (uint64_t i = 1; i < count; i++) {
        uint32_t key = keys[i];
        uint64_t arc = arcs ? arcs[i] : 0, j = i;
        for (; j > 0 && keys[j - 1] > key; j--) {
            keys[j] = keys[j - 1];
            if (arcs) arcs[j] = arcs[j - 1];
        }
        keys[j] = key;
        if (arcs) arcs[j] = arc;
    }
}

/* The row of a position, its neighbours in positions and sorted. */
static bool get_row(mg_write_row *out, worker *w, const mg_write_job *job, uint64_t position) {
    uint32_t v = mg_to_internal(&job->numbering, (uint32_t)position);
    uint64_t begin = mg_row_begin(&job->rows, v), degree = mg_row_end(&job->rows, v) - begin;
    *out = (mg_write_row){.position = position, .degree = degree, .first_arc = begin};
    if (degree == 0) return true;
    const uint32_t *stored = job->rows.neighbors + begin;
    out->neighbors = stored;
    if (!job->numbering.to_user) return true;
    bool with_arcs = job->with_weights;
    if (!make_room(w, job->ctx, degree, with_arcs)) return false;
    for (uint64_t i = 0; i < degree; i++) w->keys[i] = job->numbering.to_user[stored[i]];
    if (with_arcs)
        for (uint64_t i = 0; i < degree; i++) w->arcs[i] = begin + i;
    if (degree <= INSERTION_SORT) sort_short_row(w->keys, w->arcs, degree);
    else
        mg_sort_small_u32(w->keys, w->keys_scratch, w->arcs, w->arcs_scratch, with_arcs ? 8 : 0, degree,
                          job->vertex_bits);
    out->neighbors = w->keys;
    out->arcs = w->arcs;
    return true;
}

/* The positions at which blocks begin, and the number of vertices behind them. */
static meguri_status plan_blocks(uint64_t **out, uint64_t *count, const mg_write_job *job, const mg_writer *writer,
                                 uint64_t items) {
    uint64_t vertices = job->graph->vertices, arcs = writer->without_arcs ? 0 : job->graph->arcs;
    uint64_t *starts = mg_alloc_array(job->ctx, (vertices + arcs) / items + 2, 8, "a plan for writing");
    if (!starts) return MEGURI_NO_MEMORY;
    uint64_t blocks = 0, filled = items;
    for (uint64_t p = 0; p < vertices; p++) {
        if (filled >= items) {
            starts[blocks++] = p;
            filled = 0;
        }
        filled++;
        if (writer->without_arcs) continue;
        uint32_t v = mg_to_internal(&job->numbering, (uint32_t)p);
        filled += mg_row_end(&job->rows, v) - mg_row_begin(&job->rows, v);
    }
    if (blocks == 0) starts[blocks++] = 0; /* the head is written anyway, and a file of no bytes is no gzip file */
    starts[blocks] = vertices;
    *out = starts;
    *count = blocks;
    return MEGURI_OK;
}

/* The first block begins with the head. */
static meguri_status format_block(worker *w, const mg_write_job *job, const mg_writer *writer, uint64_t begin,
                                  uint64_t end) {
    w->text.used = 0;
    if (begin == 0 && writer->head) writer->head(job, &w->text);
    if (w->text.failed) return MEGURI_NO_MEMORY;
    for (uint64_t p = begin; p < end; p++) {
        mg_write_row row = {.position = p};
        if (!writer->without_arcs && !get_row(&row, w, job, p)) return MEGURI_NO_MEMORY;
        writer->row(job, &w->text, &row);
        if (w->text.failed) return MEGURI_NO_MEMORY;
    }
    return MEGURI_OK;
}

static meguri_status pack_block(const mg_text **out, worker *w, const mg_write_job *job, mg_pack_kind packing) {
    *out = &w->text;
    if (packing == MG_PACK_NONE) return MEGURI_OK;
    *out = &w->packed;
    w->packed.used = 0;
    return mg_pack(&w->packed, job->ctx, packing, w->text.data, w->text.used);
}

/* All blocks of a file on their way: threads take the next one, and write them in turn. A thread that has to wait
 * sleeps: it would only take the processor from the one it waits for. */
typedef struct queue {
    const mg_write_job *job;
    const mg_writer *writer;
    mg_outfile *file;
    mg_pack_kind packing;
    const uint64_t *starts;
    uint64_t blocks;
    uint64_t next; /* block to be taken */
    pthread_mutex_t lock;
    pthread_cond_t moved;
    uint64_t turn; /* block to be written */
    meguri_status status;
} queue;

static meguri_status make_block(const mg_text **out, worker *w, queue *q, uint64_t block) {
    const mg_write_job *job = q->job;
    meguri_status status = mg_load(&q->status);
    if (status != MEGURI_OK) return status;
    if (mg_progress(job->ctx, "write", q->starts[block], job->graph->vertices)) return mg_fail_cancelled(job->ctx);
    status = format_block(w, job, q->writer, q->starts[block], q->starts[block + 1]);
    return status == MEGURI_OK ? pack_block(out, w, job, q->packing) : status;
}

/* Every block has its turn, also one that failed: others wait for it. */
static void write_in_turn(queue *q, uint64_t block, const mg_text *text, meguri_status status) {
    pthread_mutex_lock(&q->lock);
    while (q->turn != block) pthread_cond_wait(&q->moved, &q->lock);
    pthread_mutex_unlock(&q->lock);
    if (status == MEGURI_OK) status = mg_load(&q->status);
    if (status == MEGURI_OK) status = mg_outfile_write(q->job->ctx, q->file, text->data, text->used);
    if (status != MEGURI_OK) mg_store(&q->status, status);
    pthread_mutex_lock(&q->lock);
    q->turn++;
    pthread_cond_broadcast(&q->moved);
    pthread_mutex_unlock(&q->lock);
}

static void write_blocks(queue *q) {
    int threads = mg_threads(q->job->ctx, q->blocks, 1);
#pragma omp parallel num_threads(threads)
    {
        worker w = {.text.ctx = q->job->ctx, .packed.ctx = q->job->ctx};
        for (uint64_t block; (block = mg_fetch_add(&q->next, 1)) < q->blocks;) {
            const mg_text *text = NULL;
            meguri_status status = make_block(&text, &w, q, block);
            write_in_turn(q, block, text, status);
        }
        free_worker(&w);
    }
}

meguri_status mg_write_rows(const mg_write_job *job, const mg_writer *writer, mg_outfile *file, mg_pack_kind packing) {
    uint64_t *starts = NULL, blocks = 0;
    meguri_status status =
        plan_blocks(&starts, &blocks, job, writer, packing == MG_PACK_NONE ? BLOCK_ITEMS : PACKED_BLOCK_ITEMS);
    if (status != MEGURI_OK) return status;
    queue q = {.job = job,
               .writer = writer,
               .file = file,
               .packing = packing,
               .starts = starts,
               .blocks = blocks,
               .lock = PTHREAD_MUTEX_INITIALIZER,
               .moved = PTHREAD_COND_INITIALIZER};
    write_blocks(&q);
    pthread_cond_destroy(&q.moved);
    pthread_mutex_destroy(&q.lock);
    mg_free(starts);
    return q.status;
}
