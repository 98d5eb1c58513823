/* Rows to bytes: blocks of rows, formatted on all threads (write_blocks.c).
 *
 * The blocks depend on the graph alone, not on the threads, so the same graph gives the same bytes, compressed or not.
 * Invariant: rows come in the user's order, the neighbours of each increasing by position, equal ones by weight as
 * they are stored. Memory is bounded by a block for each thread, or by the largest row. */
#include "io/write.h"

#define BLOCK_ITEMS        ((uint64_t)1 << 16) /* lines of a block: about 1 MB of text */
#define BINARY_BLOCK_ITEMS ((uint64_t)1 << 18) /* larger where compression profits from it */
#define INSERTION_SORT     24                  /* rows up to this length are sorted by insertion */

/* Where one thread sorts a row. */
typedef struct worker {
    uint32_t *keys, *keys_scratch;
    uint64_t *arcs, *arcs_scratch;
    uint64_t room; /* entries of each */
} worker;

static void clear_worker(void *own) {
    worker *w = own;
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
    bool with_arcs = job->with_weights || job->column_count;
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

typedef struct plan {
    const mg_write_job *job;
    const mg_writer *writer;
    const uint64_t *starts; /* positions at which blocks begin */
} plan;

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
static meguri_status format_block(worker *w, mg_text *text, const mg_write_job *job, const mg_writer *writer,
                                  uint64_t begin, uint64_t end) {
    if (begin == 0 && writer->head) writer->head(job, text);
    if (text->failed) return MEGURI_NO_MEMORY;
    for (uint64_t p = begin; p < end; p++) {
        mg_write_row row = {.position = p};
        if (!writer->without_arcs && !get_row(&row, w, job, p)) return MEGURI_NO_MEMORY;
        writer->row(job, text, &row);
        if (text->failed) return MEGURI_NO_MEMORY;
    }
    bool names = writer->declares && job->graph->id_kind == MEGURI_ID_STRING;
    return begin == 0 && names ? mg_declare_format(text, job) : MEGURI_OK;
}

static meguri_status make_block(mg_text *text, const void *job, void *own, uint64_t block) {
    const plan *p = job;
    return format_block(own, text, p->job, p->writer, p->starts[block], p->starts[block + 1]);
}

meguri_status mg_write_rows(const mg_write_job *job, const mg_writer *writer, mg_outfile *file,
                            mg_compression compression) {
    uint64_t *starts = NULL, blocks = 0;
    meguri_status status =
        plan_blocks(&starts, &blocks, job, writer, compression == MG_PLAIN ? BLOCK_ITEMS : BINARY_BLOCK_ITEMS);
    if (status != MEGURI_OK) return status;
    plan p = {.job = job, .writer = writer, .starts = starts};
    mg_blocks all = {.ctx = job->ctx,
                     .count = blocks,
                     .items = job->graph->vertices,
                     .job = &p,
                     .make = make_block,
                     .own_bytes = sizeof(worker),
                     .clear_own = clear_worker};
    status = mg_write_blocks(&all, file, compression);
    mg_free(starts);
    return status;
}
