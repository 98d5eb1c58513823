/* A .meg file that several processes write: who writes a chunk also hashes it. The hashes of all come together in the
 * process that writes the lists of hashes and the head. */
#include "io/meg.h"

#include <xxhash.h>

_Static_assert(MG_SECTION_CHUNK == (uint64_t)1 << MG_MEG_CHUNK_LOG2, "chunks are those of the format");

struct mg_meg_parts {
    meguri_graph numbers; /* a copy: nothing but numbers and sizes */
    mg_part_data part[MG_PART_FIXED];
    mg_meg_plan plan;
};

meguri_status mg_meg_parts_new(mg_meg_parts **out, meguri_ctx *ctx, const meguri_graph *numbers, const char *path) {
    mg_meg_parts *parts = *out = mg_alloc_zero(ctx, sizeof *parts, "a .meg file");
    if (!parts) return MEGURI_NO_MEMORY;
    parts->numbers = *numbers;
    memcpy(parts->part, numbers->part, sizeof parts->part);
    parts->numbers.part = parts->part;
    parts->plan.graph = &parts->numbers;
    meguri_status status = mg_meg_plan_make(&parts->plan, ctx, path);
    if (status == MEGURI_OK) return status;
    mg_meg_parts_free(parts);
    *out = NULL;
    return status;
}

void mg_meg_parts_free(mg_meg_parts *parts) {
    if (!parts) return;
    mg_meg_plan_free(&parts->plan);
    mg_free(parts);
}

uint64_t mg_meg_parts_bytes(const mg_meg_parts *parts) { return parts->plan.file_bytes; }

uint64_t *mg_meg_parts_hashes(mg_meg_parts *parts, uint64_t *count) {
    *count = parts->plan.chunks;
    return parts->plan.hashes;
}

static const mg_meg_planned *find_section(const mg_meg_plan *p, mg_part part) {
    for (uint32_t i = 0; i < p->sections; i++)
        if (p->section[i].part == part) return &p->section[i];
    return NULL;
}

/* A stretch of a section, from its byte `first` on. */
typedef struct write_job {
    const mg_meg_planned *section;
    mg_outfile *file;
    const char *data;
    uint64_t first;
} write_job;

static void write_chunks(void *what, mg_worker *worker) {
    const write_job *job = what;
    const mg_meg_planned *s = job->section;
    for (mg_range chunk; mg_take(worker, &chunk);) {
        const char *from = job->data + chunk.begin;
        uint64_t bytes = chunk.end - chunk.begin, at = job->first + chunk.begin;
        s->hashes[at >> MG_MEG_CHUNK_LOG2] = XXH3_64bits(from, bytes);
        mg_loop_fail(worker, mg_outfile_write_at(worker->loop->ctx, job->file, from, bytes, s->offset + at));
    }
}

meguri_status mg_meg_parts_write(meguri_ctx *ctx, mg_meg_parts *parts, mg_outfile *file, mg_part part, const void *data,
                                 uint64_t first, uint64_t bytes) {
    write_job job = {find_section(&parts->plan, part), file, data, first};
    mg_loop loop = {.ctx = ctx,
                    .threads = mg_threads(ctx, mg_meg_chunks(bytes, MG_MEG_CHUNK_LOG2), 1),
                    .items = bytes,
                    .chunk = MG_SECTION_CHUNK,
                    .work = write_chunks,
                    .what = &job,
                    .phase = "save",
                    .total = bytes};
    return mg_loop_run(&loop);
}

meguri_status mg_meg_parts_finish(meguri_ctx *ctx, mg_meg_parts *parts, mg_outfile *file) {
    mg_meg_plan *p = &parts->plan;
    meguri_status status = MEGURI_OK;
    for (uint32_t i = 0; i < p->sections && status == MEGURI_OK; i++) {
        const mg_meg_planned *s = &p->section[i];
        status = mg_outfile_write_at(ctx, file, s->hashes, s->chunks * 8, s->offset + mg_meg_list_at(s->bytes));
    }
    if (status != MEGURI_OK) return status;
    mg_meg_head(p);
    return mg_outfile_write_at(ctx, file, p->head, p->head_bytes, 0);
}
