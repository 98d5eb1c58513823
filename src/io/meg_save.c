/* Saving a graph as a .meg file, section by section from where it lies: no second copy in memory.
 *
 * Each chunk is hashed by the thread that writes it, while it is in that thread's cache; the head comes last, because
 * it holds the hashes. Into a pipe the head must come first: there all chunks are hashed before anything is
 * written. The bytes are the same either way, and the same for the same graph at any number of threads. */
#include "io/meg.h"

#include <inttypes.h>
#include <xxhash.h>

typedef struct section {
    mg_part part;
    const unsigned char *data;
    uint64_t bytes, offset, chunks;
    uint64_t *hashes;
} section;

typedef struct plan {
    const meguri_graph *graph;
    section section[MG_PART_COUNT];
    uint32_t sections;
    uint64_t *hashes; /* of all chunks of all sections */
    uint64_t head_bytes, file_bytes;
    uint64_t done, work; /* bytes, for the progress */
} plan;

static const uint64_t chunk_bytes = (uint64_t)1 << MG_MEG_CHUNK_LOG2;

static uint64_t next_page(uint64_t at) { return (at + MG_MEG_PAGE - 1) / MG_MEG_PAGE * MG_MEG_PAGE; }

/* ---- what goes where -------------------------------------------------------------------------------------------- */

/* Finds the parts, each checked as a whole first: damage must not get a fresh checksum. */
static meguri_status find_parts(plan *p, meguri_ctx *ctx) {
    uint64_t chunks = 0;
    for (int part = 0; part < MG_PART_COUNT; part++) {
        const void *data;
        meguri_status status = mg_graph_part(&data, ctx, p->graph, (mg_part)part);
        if (status != MEGURI_OK) return status;
        if (!data) continue;
        section *s = &p->section[p->sections++];
        *s = (section){.part = (mg_part)part, .data = data, .bytes = p->graph->part[part].bytes};
        s->chunks = mg_meg_chunks(s->bytes, MG_MEG_CHUNK_LOG2);
        chunks += s->chunks;
        p->work += s->bytes;
    }
    p->hashes = mg_alloc_array(ctx, chunks, 8, "the checksums of a .meg file");
    return p->hashes ? MEGURI_OK : MEGURI_NO_MEMORY;
}

static void place_sections(plan *p) {
    uint64_t *hashes = p->hashes;
    p->head_bytes = sizeof(mg_meg_header) + p->sections * sizeof(mg_meg_entry);
    p->file_bytes = p->head_bytes;
    for (uint32_t i = 0; i < p->sections; i++) {
        section *s = &p->section[i];
        s->hashes = hashes;
        hashes += s->chunks;
        s->offset = next_page(p->file_bytes);
        p->file_bytes = s->offset + mg_meg_list_at(s->bytes) + s->chunks * 8;
    }
}

static meguri_status make_plan(plan *p, meguri_ctx *ctx, const meguri_graph *graph, const char *path) {
    mg_part culprit;
    *p = (plan){.graph = graph};
    const char *wrong = mg_meg_check_numbers(graph);
    if (wrong) return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "cannot save the graph to %s: %s.", path, wrong);
    wrong = mg_meg_check_parts(graph, &culprit);
    if (wrong)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "cannot save the graph to %s: its %s %s.", path,
                       mg_meg_part_name(culprit), wrong);
    meguri_status status = find_parts(p, ctx);
    if (status == MEGURI_OK) place_sections(p);
    return status;
}

/* ---- head ------------------------------------------------------------------------------------------------------- */

static mg_meg_header header_of(const plan *p) {
    const meguri_graph *g = p->graph;
    mg_meg_header h = {
        .major = MG_MEG_MAJOR,
        .minor = MG_MEG_MINOR,
        .header_bytes = sizeof h,
        .file_bytes = p->file_bytes,
        .vertices = g->vertices,
        .rows = g->rows,
        .arcs = g->arcs,
        .edges = g->edges,
        .isolated = g->isolated,
        .id_base = g->id_base,
        .input_edges = g->input_edges,
        .dropped_duplicates = g->dropped_duplicates,
        .dropped_loops = g->dropped_loops,
        .flags = g->directed ? MG_MEG_DIRECTED : 0,
        .weight_type = (uint8_t)g->weight_type,
        .id_kind = (uint8_t)g->id_kind,
        .order = (uint8_t)g->order,
        .offset_bytes = (uint8_t)g->offset_bytes,
        .sections = p->sections,
        .entry_bytes = sizeof(mg_meg_entry),
        .chunk_log2 = MG_MEG_CHUNK_LOG2,
    };
    memcpy(h.magic, MG_MEG_MAGIC, sizeof h.magic);
    return h;
}

#define HEAD_BYTES (sizeof(mg_meg_header) + MG_PART_COUNT * sizeof(mg_meg_entry))

/* Header and table, once every hash is known. */
static void make_head(unsigned char head[HEAD_BYTES], const plan *p) {
    mg_meg_header header = header_of(p);
    for (uint32_t i = 0; i < p->sections; i++) {
        const section *s = &p->section[i];
        mg_meg_entry entry = {
            .number = mg_meg_number(s->part),
            .flags = mg_meg_must_know(s->part) ? MG_MEG_MUST_KNOW : 0,
            .element_bytes = mg_meg_element_bytes(p->graph, s->part),
            .offset = s->offset,
            .bytes = s->bytes,
            .list_hash = XXH3_64bits(s->hashes, s->chunks * 8),
        };
        memcpy(head + sizeof header + i * sizeof entry, &entry, sizeof entry);
    }
    memcpy(head, &header, sizeof header);
    header.head_hash = XXH3_64bits(head, p->head_bytes);
    memcpy(head, &header, sizeof header);
}

/* ---- sections --------------------------------------------------------------------------------------------------- */

/* Hashes the chunks of a section and, if `file` is given, writes each to its place. */
static meguri_status do_chunks(plan *p, meguri_ctx *ctx, const section *s, mg_outfile *file) {
    meguri_status status = MEGURI_OK;
    int threads = mg_threads(ctx, s->chunks, 1);
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1)
    for (uint64_t chunk = 0; chunk < s->chunks; chunk++) {
        if (mg_load(&status) != MEGURI_OK) continue;
        meguri_status mine = MEGURI_OK;
        uint64_t at = chunk * chunk_bytes, bytes = MG_MIN(chunk_bytes, s->bytes - at);
        s->hashes[chunk] = XXH3_64bits(s->data + at, bytes);
        if (file) mine = mg_outfile_write_at(ctx, file, s->data + at, bytes, s->offset + at);
        uint64_t done = mg_fetch_add(&p->done, bytes) + bytes;
        if (mine == MEGURI_OK && mg_progress(ctx, "save", done, p->work)) mine = MEGURI_CANCELLED;
        if (mine != MEGURI_OK) mg_store(&status, mine);
    }
    return status == MEGURI_CANCELLED ? mg_fail_cancelled(ctx) : status;
}

static meguri_status save_to_file(plan *p, meguri_ctx *ctx, mg_outfile *file) {
    unsigned char head[HEAD_BYTES];
    meguri_status status = mg_outfile_reserve(ctx, file, p->file_bytes);
    for (uint32_t i = 0; i < p->sections && status == MEGURI_OK; i++) {
        const section *s = &p->section[i];
        status = do_chunks(p, ctx, s, file);
        if (status == MEGURI_OK)
            status = mg_outfile_write_at(ctx, file, s->hashes, s->chunks * 8, s->offset + mg_meg_list_at(s->bytes));
    }
    if (status != MEGURI_OK) return status;
    make_head(head, p);
    return mg_outfile_write_at(ctx, file, head, p->head_bytes, 0);
}

/* Writes zeros from *at to `to`, less than a page away. */
static meguri_status fill(meguri_ctx *ctx, mg_outfile *file, uint64_t *at, uint64_t to) {
    static const unsigned char zeros[MG_MEG_PAGE];
    uint64_t from = *at;
    *at = to;
    return mg_outfile_write(ctx, file, zeros, to - from);
}

static meguri_status stream_section(plan *p, meguri_ctx *ctx, mg_outfile *file, const section *s, uint64_t *at) {
    meguri_status status = fill(ctx, file, at, s->offset);
    for (uint64_t done = 0; done < s->bytes && status == MEGURI_OK; done += chunk_bytes) {
        if (mg_progress(ctx, "save", p->done + done, 2 * p->work)) return mg_fail_cancelled(ctx);
        status = mg_outfile_write(ctx, file, s->data + done, MG_MIN(chunk_bytes, s->bytes - done));
    }
    *at += s->bytes;
    p->done += s->bytes;
    if (status == MEGURI_OK) status = fill(ctx, file, at, s->offset + mg_meg_list_at(s->bytes));
    if (status == MEGURI_OK) status = mg_outfile_write(ctx, file, s->hashes, s->chunks * 8);
    *at += s->chunks * 8;
    return status;
}

static meguri_status save_to_stream(plan *p, meguri_ctx *ctx, mg_outfile *file) {
    unsigned char head[HEAD_BYTES];
    meguri_status status = MEGURI_OK;
    for (uint32_t i = 0; i < p->sections && status == MEGURI_OK; i++) status = do_chunks(p, ctx, &p->section[i], NULL);
    if (status != MEGURI_OK) return status;
    make_head(head, p);
    uint64_t at = p->head_bytes;
    status = mg_outfile_write(ctx, file, head, p->head_bytes);
    for (uint32_t i = 0; i < p->sections && status == MEGURI_OK; i++)
        status = stream_section(p, ctx, file, &p->section[i], &at);
    return status;
}

meguri_status meguri_save(meguri_ctx *ctx, const meguri_graph *graph, const char *path) {
    if (!ctx) return MEGURI_BAD_ARGUMENT;
    mg_begin(ctx);
    if (!graph || !path) return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "meguri_save needs a graph and the name of a file.");
    plan p;
    mg_outfile file = {.fd = -1};
    double start = mg_now();
    meguri_status status = make_plan(&p, ctx, graph, path);
    if (status == MEGURI_OK) status = mg_outfile_open(&file, ctx, path);
    if (status != MEGURI_OK) goto cleanup;
    status = file.direct ? save_to_stream(&p, ctx, &file) : save_to_file(&p, ctx, &file);
    if (status != MEGURI_OK) goto cleanup;
    mg_trace_phase(ctx, "save", "write", (int64_t)graph->arcs, (int64_t)p.file_bytes, start);
    start = mg_now();
    status = mg_outfile_commit(ctx, &file);
    if (status == MEGURI_OK) mg_trace_phase(ctx, "save", "sync", -1, (int64_t)p.file_bytes, start);
cleanup:
    mg_outfile_abandon(&file);
    mg_free(p.hashes);
    return status;
}
