/* Saving a graph as a .meg file, section by section from where it lies: no second copy in memory.
 *
 * Each chunk is hashed by the thread that writes it, while it is in that thread's cache; the head comes last, because
 * it holds the hashes. Into a pipe the head must come first: there all chunks are hashed before anything is
 * written. The bytes are the same either way, and the same for the same graph at any number of threads. */
#include "io/meg.h"

#include <inttypes.h>
#include <xxhash.h>

/* ---- what goes where -------------------------------------------------------------------------------------------- */

/* What a file has beside what its graph has: a graph of that, which shares everything else. */
typedef struct shadow {
    meguri_graph graph;
    mg_generation generation;
} shadow;

static meguri_status make_shadow(shadow *s, meguri_ctx *ctx, const meguri_graph *graph,
                                 const meguri_save_options *options) {
    meguri_status status = MEGURI_OK;
    mg_graph_copy_facts(&s->graph, graph);
    s->graph.part = mg_alloc_array(ctx, graph->part_count, sizeof *graph->part, "the sections of a .meg file");
    if (!s->graph.part) return MEGURI_NO_MEMORY;
    memcpy(s->graph.part, graph->part, graph->part_count * sizeof *graph->part);
    if (options->index) mg_path_index_parts(&s->graph.part[MG_PART_INDEX_FACTS], options->index);
    if (options->generation) {
        status = mg_generation_take(&s->generation, ctx, options->generation);
        s->graph.part[MG_PART_GENERATION] = (mg_part_data){.data = &s->generation, .bytes = sizeof s->generation};
    }
    return status;
}

/* Each part is checked as a whole first: damage must not get a fresh checksum. */
static meguri_status check_parts(const meguri_graph *graph, meguri_ctx *ctx, const meguri_save_options *options) {
    for (uint32_t part = 0; part < graph->part_count; part++) {
        const void *data;
        bool of_index = part >= MG_PART_INDEX_FACTS && part <= MG_PART_INDEX_HALVES;
        if (options->index && !options->index->stored && of_index) continue; /* replaced */
        meguri_status status = mg_graph_part(&data, ctx, graph, (mg_part)part);
        if (status != MEGURI_OK) return status;
    }
    return MEGURI_OK;
}

static meguri_status make_plan(mg_meg_plan *p, shadow *s, meguri_ctx *ctx, const meguri_graph *graph, const char *path,
                               const meguri_save_options *options) {
    meguri_status status = check_parts(graph, ctx, options);
    if (status == MEGURI_OK) status = make_shadow(s, ctx, graph, options);
    *p = (mg_meg_plan){.graph = &s->graph};
    return status == MEGURI_OK ? mg_meg_plan_make(p, ctx, path) : status;
}

/* ---- sections --------------------------------------------------------------------------------------------------- */

typedef struct chunk_job {
    const mg_meg_planned *section;
    mg_outfile *file;
} chunk_job;

static void do_some_chunks(void *what, mg_worker *worker) {
    const chunk_job *job = what;
    const mg_meg_planned *s = job->section;
    for (mg_range chunk; mg_take(worker, &chunk);) { /* bytes */
        uint64_t at = chunk.begin, bytes = chunk.end - at;
        s->hashes[at / mg_meg_chunk_bytes] = XXH3_64bits(s->data + at, bytes);
        if (job->file)
            mg_loop_fail(worker,
                         mg_outfile_write_at(worker->loop->ctx, job->file, s->data + at, bytes, s->offset + at));
    }
}

/* Hashes the chunks of a section and, if `file` is given, writes each to its place. */
static meguri_status do_chunks(mg_meg_plan *p, meguri_ctx *ctx, const mg_meg_planned *s, mg_outfile *file) {
    chunk_job job = {s, file};
    mg_loop loop = {.ctx = ctx,
                    .threads = mg_threads(ctx, s->chunks, 1),
                    .items = s->bytes,
                    .chunk = mg_meg_chunk_bytes,
                    .work = do_some_chunks,
                    .what = &job,
                    .phase = "save",
                    .done = p->done,
                    .total = p->work};
    meguri_status status = mg_loop_run(&loop);
    p->done += s->bytes;
    return status;
}

static meguri_status save_to_file(mg_meg_plan *p, meguri_ctx *ctx, mg_outfile *file) {
    meguri_status status = mg_outfile_reserve(ctx, file, p->file_bytes);
    for (uint32_t i = 0; i < p->sections && status == MEGURI_OK; i++) {
        const mg_meg_planned *s = &p->section[i];
        status = do_chunks(p, ctx, s, file);
        if (status == MEGURI_OK)
            status = mg_outfile_write_at(ctx, file, s->hashes, s->chunks * 8, s->offset + mg_meg_list_at(s->bytes));
    }
    if (status != MEGURI_OK) return status;
    mg_meg_head(p);
    return mg_outfile_write_at(ctx, file, p->head, p->head_bytes, 0);
}

/* Writes zeros from *at to `to`, less than a page away. */
static meguri_status fill(meguri_ctx *ctx, mg_outfile *file, uint64_t *at, uint64_t to) {
    static const unsigned char zeros[MG_MEG_PAGE];
    uint64_t from = *at;
    *at = to;
    return mg_outfile_write(ctx, file, zeros, to - from);
}

static meguri_status stream_section(mg_meg_plan *p, meguri_ctx *ctx, mg_outfile *file, const mg_meg_planned *s,
                                    uint64_t *at) {
    meguri_status status = fill(ctx, file, at, s->offset);
    for (uint64_t done = 0; done < s->bytes && status == MEGURI_OK; done += mg_meg_chunk_bytes) {
        if (mg_progress(ctx, "save", p->done + done, 2 * p->work)) return mg_fail_cancelled(ctx);
        status = mg_outfile_write(ctx, file, s->data + done, MG_MIN(mg_meg_chunk_bytes, s->bytes - done));
    }
    *at += s->bytes;
    p->done += s->bytes;
    if (status == MEGURI_OK) status = fill(ctx, file, at, s->offset + mg_meg_list_at(s->bytes));
    if (status == MEGURI_OK) status = mg_outfile_write(ctx, file, s->hashes, s->chunks * 8);
    *at += s->chunks * 8;
    return status;
}

static meguri_status save_to_stream(mg_meg_plan *p, meguri_ctx *ctx, mg_outfile *file) {
    meguri_status status = MEGURI_OK;
    for (uint32_t i = 0; i < p->sections && status == MEGURI_OK; i++) status = do_chunks(p, ctx, &p->section[i], NULL);
    if (status != MEGURI_OK) return status;
    mg_meg_head(p);
    uint64_t at = p->head_bytes;
    status = mg_outfile_write(ctx, file, p->head, p->head_bytes);
    for (uint32_t i = 0; i < p->sections && status == MEGURI_OK; i++)
        status = stream_section(p, ctx, file, &p->section[i], &at);
    return status;
}

static meguri_status check_options(meguri_ctx *ctx, const meguri_graph *graph, const meguri_save_options *o) {
    if (!o->index && !o->generation) return MEGURI_OK;
    meguri_status status = mg_graph_whole(ctx, graph);
    if (status == MEGURI_OK && o->index && o->index->weight)
        status = mg_fail(ctx, MEGURI_UNSUPPORTED,
                         "the index of paths is for the column '%.200s', and a file keeps one for the weights of its "
                         "graph alone.",
                         o->index->weight);
    if (status == MEGURI_OK && o->index && o->index->graph != graph)
        status = mg_fail(ctx, MEGURI_BAD_ARGUMENT, "the index of paths is that of another graph than the one to save.");
    return status;
}

static meguri_status save(meguri_ctx *ctx, const meguri_graph *graph, const mg_output *output,
                          const meguri_save_options *o) {
    shadow s = {.graph = {0}};
    mg_meg_plan p = {0};
    mg_outfile file = {.fd = -1};
    double start = mg_now();
    meguri_status status = make_plan(&p, &s, ctx, graph, output->name, o);
    if (status == MEGURI_OK) status = mg_outfile_open_output(&file, ctx, output);
    if (status != MEGURI_OK) goto cleanup;
    status = file.direct ? save_to_stream(&p, ctx, &file) : save_to_file(&p, ctx, &file);
    if (status != MEGURI_OK) goto cleanup;
    mg_trace_phase(ctx, "save", "write", (int64_t)graph->arcs, (int64_t)p.file_bytes, start);
    start = mg_now();
    status = mg_outfile_commit(ctx, &file);
    if (status == MEGURI_OK) mg_trace_phase(ctx, "save", "sync", -1, (int64_t)p.file_bytes, start);
cleanup:
    mg_outfile_abandon(&file);
    mg_meg_plan_free(&p);
    mg_free(s.graph.part);
    return status;
}

meguri_status meguri_save(meguri_ctx *ctx, const meguri_graph *graph, const meguri_sink *sink,
                          const meguri_save_options *options) {
    meguri_save_options o;
    mg_output output;
    if (!ctx) return MEGURI_BAD_ARGUMENT;
    mg_begin(ctx);
    if (!graph) return mg_missing(ctx, __func__);
    meguri_status status = MG_OPTIONS(ctx, &o, options, meguri_save_options);
    if (status == MEGURI_OK) status = mg_output_of(&output, ctx, sink, false, __func__);
    if (status == MEGURI_OK && *output.suffix && strcmp(output.suffix + 1, ".meg") != 0)
        status =
            mg_fail(ctx, MEGURI_BAD_ARGUMENT,
                    "form: a graph is saved as 'meg', not as '%s'; meguri_write has other formats.", output.suffix + 2);
    if (status == MEGURI_OK && graph->elsewhere && !output.path)
        status = mg_fail(ctx, MEGURI_BAD_ARGUMENT, "write: a graph in parts is saved to a file; give a path.");
    if (status == MEGURI_OK) status = check_options(ctx, graph, &o);
    if (status != MEGURI_OK) return status;
    return graph->elsewhere ? graph->elsewhere->save(ctx, graph->parts, output.path) : save(ctx, graph, &output, &o);
}
