/* Results in shares: the rows that one process has, into the file that all of them write.
 *
 * Where all rows are alike (.npy) or lie in columns (.bin), each part knows its places. Lines of text have any length:
 * a part makes all of its own, which take less than its part of any graph, learns how many bytes come before them, and
 * writes them there. Compressed lines are blocks that are compressed each for itself, as in one process; only where
 * they are cut depends on the number of parts. */
#include "io/result.h"

/* ---- lines ------------------------------------------------------------------------------------------------------ */

typedef struct lines {
    const mg_result_rows *how;
    mg_compression compression;
    mg_text *texts; /* of each block */
    uint64_t blocks;
} lines;

static meguri_status make_text(lines *l, mg_text *scratch, uint64_t block) {
    meguri_ctx *ctx = l->how->job->ctx;
    mg_text *to = l->compression == MG_PLAIN ? &l->texts[block] : scratch;
    to->ctx = l->texts[block].ctx = ctx;
    to->used = 0;
    if (block == 0 && l->how->job->share->part == 0) mg_text_add(to, l->how->head.data, l->how->head.used);
    if (!l->how->add(to, l->how, mg_result_block(l->how->job, l->how->block_rows, block)) || to->failed)
        return MEGURI_NO_MEMORY;
    return to == scratch ? mg_compress(&l->texts[block], ctx, l->compression, scratch->data, scratch->used) : MEGURI_OK;
}

static void make_some(void *what, mg_worker *worker) {
    mg_text scratch = {.ctx = worker->loop->ctx};
    for (mg_range block; mg_take(worker, &block);) mg_loop_fail(worker, make_text(what, &scratch, block.begin));
    mg_text_free(&scratch);
}

static meguri_status make_texts(lines *l) {
    meguri_ctx *ctx = l->how->job->ctx;
    mg_loop loop = {.ctx = ctx,
                    .threads = mg_threads(ctx, l->blocks, 1),
                    .items = l->blocks,
                    .chunk = 1,
                    .work = make_some,
                    .what = l,
                    .phase = "write",
                    .total = l->blocks};
    return mg_loop_run(&loop);
}

static meguri_status write_lines(const mg_result_job *job, mg_outfile *file, const mg_result_format *format,
                                 mg_compression compression) {
    mg_result_rows how = {0};
    meguri_status status = format->rows(&how, job);
    lines l = {.how = &how, .compression = compression};
    if (status == MEGURI_OK) { /* the head needs a block, where there are no rows at all */
        l.blocks = job->rows || job->share->part == 0 ? mg_result_block_count(job, how.block_rows) : 0;
        l.texts = mg_alloc_array_zero(job->ctx, l.blocks, sizeof *l.texts, "lines of a result");
        status = l.texts ? make_texts(&l) : MEGURI_NO_MEMORY;
    }
    uint64_t place = 0, all;
    for (uint64_t i = 0; i < l.blocks && l.texts; i++) place += l.texts[i].used;
    status = mg_result_sum(job, status, &place, &all);
    for (uint64_t i = 0; i < l.blocks && status == MEGURI_OK; i++) {
        status = mg_outfile_write_at(job->ctx, file, l.texts[i].data, l.texts[i].used, place);
        place += l.texts[i].used;
    }
    for (uint64_t i = 0; i < l.blocks && l.texts; i++) mg_text_free(&l.texts[i]);
    mg_free(l.texts);
    mg_text_free(&how.head);
    return status;
}

/* ---- rows of one length ----------------------------------------------------------------------------------------- */

static meguri_status write_array(const mg_result_job *job, mg_outfile *file) {
    mg_result_rows how;
    mg_text text = {.ctx = job->ctx};
    meguri_status status = mg_result_rows_npy(&how, job);
    uint64_t head = how.head.used;
    if (status == MEGURI_OK && job->share->part == 0) {
        status = mg_outfile_reserve(job->ctx, file, head + job->all_rows * how.row_bytes);
        if (status == MEGURI_OK) status = mg_outfile_write_at(job->ctx, file, how.head.data, head, 0);
    }
    for (uint64_t row = 0; row < job->rows && status == MEGURI_OK; row += how.block_rows) {
        mg_range rows = {row, MG_MIN(row + how.block_rows, job->rows)};
        text.used = 0;
        if (mg_progress(job->ctx, "write", row, job->rows)) status = mg_fail_cancelled(job->ctx);
        else if (!how.add(&text, &how, rows)) status = MEGURI_NO_MEMORY;
        else
            status =
                mg_outfile_write_at(job->ctx, file, text.data, text.used, head + (job->first + row) * how.row_bytes);
    }
    mg_text_free(&text);
    mg_text_free(&how.head);
    return status;
}

/* ---- the file --------------------------------------------------------------------------------------------------- */

meguri_status mg_result_write_part(meguri_ctx *ctx, const mg_result_part *part, mg_outfile *file, const char *path,
                                   const mg_share_of *share) {
    const meguri_graph ids = {.id_kind = part->id_kind}; /* all that the formats ask of a graph */
    mg_result_job job = {.ctx = ctx,
                         .graph = &ids,
                         .path = path,
                         .columns = part->columns,
                         .column_count = part->column_count,
                         .rows = part->rows,
                         .first = part->first,
                         .all_rows = part->all_rows,
                         .results = 1,
                         .share = share,
                         .ids = part->ids,
                         .name_offsets = part->name_offsets,
                         .names = part->names,
                         .longest_name = part->longest_name,
                         .none = part->id_kind == MEGURI_ID_SIGNED ? (uint64_t)INT64_MIN : UINT64_MAX,
                         .narrow = part->narrow};
    const mg_result_format *format;
    mg_compression compression;
    meguri_status status = mg_result_choose(&format, &compression, ctx, path);
    for (uint32_t i = 0; i < job.column_count && status == MEGURI_OK; i++)
        if (job.columns[i].type == MEGURI_TYPE_F64 && !job.powers) status = mg_powers_new(&job.powers, ctx);
    uint64_t none = 0, all;
    status = mg_result_sum(&job, status, &none, &all);
    if (status == MEGURI_OK && format->text) status = write_lines(&job, file, format, compression);
    else if (status == MEGURI_OK && format->rows) status = write_array(&job, file);
    else if (status == MEGURI_OK) status = mg_result_write_bin(&job, file);
    mg_powers_free(job.powers);
    return status;
}
