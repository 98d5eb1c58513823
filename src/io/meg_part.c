/* A .meg file that several processes write: who writes a chunk also hashes it. The hashes of all come together in the
 * process that writes the lists of hashes and the head. */
#include "io/meg.h"

#include <xxhash.h>

_Static_assert(MG_SECTION_CHUNK == (uint64_t)1 << MG_MEG_CHUNK_LOG2, "chunks are those of the format");

struct mg_meg_parts {
    meguri_graph numbers; /* a copy: nothing but numbers and sizes */
    mg_meg_plan plan;
};

meguri_status mg_meg_parts_new(mg_meg_parts **out, meguri_ctx *ctx, const meguri_graph *numbers, const char *path) {
    mg_meg_parts *parts = *out = mg_alloc_zero(ctx, sizeof *parts, "a .meg file");
    if (!parts) return MEGURI_NO_MEMORY;
    parts->numbers = *numbers;
    parts->plan.graph = &parts->numbers;
    meguri_status status = mg_meg_plan_make(&parts->plan, ctx, path);
    if (status == MEGURI_OK) return status;
    mg_meg_parts_free(parts);
    *out = NULL;
    return status;
}

void mg_meg_parts_free(mg_meg_parts *parts) {
    if (!parts) return;
    mg_free(parts->plan.hashes);
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

meguri_status mg_meg_parts_write(meguri_ctx *ctx, mg_meg_parts *parts, mg_outfile *file, mg_part part, const void *data,
                                 uint64_t first, uint64_t bytes) {
    const mg_meg_planned *s = find_section(&parts->plan, part);
    uint64_t chunks = mg_meg_chunks(bytes, MG_MEG_CHUNK_LOG2), first_chunk = first >> MG_MEG_CHUNK_LOG2;
    meguri_status status = MEGURI_OK;
    int threads = mg_threads(ctx, chunks, 1);
#pragma omp parallel for num_threads(mg_team(threads)) schedule(dynamic, 1)
    for (uint64_t chunk = 0; chunk < chunks; chunk++) {
        if (mg_load(&status) != MEGURI_OK) continue;
        uint64_t at = chunk * MG_SECTION_CHUNK, now = MG_MIN(MG_SECTION_CHUNK, bytes - at);
        const char *from = (const char *)data + at;
        s->hashes[first_chunk + chunk] = XXH3_64bits(from, now);
        meguri_status mine = mg_outfile_write_at(ctx, file, from, now, s->offset + first + at);
        if (mine == MEGURI_OK && mg_progress(ctx, "save", at, bytes)) mine = MEGURI_CANCELLED;
        if (mine != MEGURI_OK) mg_store(&status, mine);
    }
    return status == MEGURI_CANCELLED ? mg_fail_cancelled(ctx) : status;
}

meguri_status mg_meg_parts_finish(meguri_ctx *ctx, mg_meg_parts *parts, mg_outfile *file) {
    unsigned char head[MG_MEG_HEAD_BYTES];
    const mg_meg_plan *p = &parts->plan;
    meguri_status status = MEGURI_OK;
    for (uint32_t i = 0; i < p->sections && status == MEGURI_OK; i++) {
        const mg_meg_planned *s = &p->section[i];
        status = mg_outfile_write_at(ctx, file, s->hashes, s->chunks * 8, s->offset + mg_meg_list_at(s->bytes));
    }
    if (status != MEGURI_OK) return status;
    mg_meg_head(head, p);
    return mg_outfile_write_at(ctx, file, head, p->head_bytes, 0);
}
