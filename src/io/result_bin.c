/* Results as raw columns one after another, little-endian, with nothing before, between or behind them.
 *
 * Numbers lie as they are in memory. A column of ids is 8 bytes a row, or, where ids are strings, rows + 1 places of
 * 8 bytes and then the bytes between those places. The file is a list of sections, each cut into blocks of the same
 * rows, so block number b is block b % n of section b / n. */
#include "io/result.h"

typedef enum section_kind { SECTION_NUMBERS, SECTION_IDS, SECTION_PLACES, SECTION_BYTES } section_kind;

typedef struct section {
    section_kind kind;
    const meguri_column *column; /* for ids NULL: all of them in their order */
    const uint64_t *bases;       /* of places and bytes: the first place of each block, and the last place of all */
} section;

typedef struct bin {
    const mg_result_job *job;
    uint64_t block_rows, blocks; /* blocks of each section */
    section *sections;
    uint64_t section_count;
    uint64_t **bases; /* to be freed: one for each column of names, in the order of the columns */
    uint64_t bytes;   /* of the file */
} bin;

/* ---- blocks ----------------------------------------------------------------------------------------------------- */

static inline uint64_t name_bytes(const mg_result_job *job, uint64_t vertex) {
    return vertex == MEGURI_NO_VERTEX ? 0 : mg_result_name_bytes(job, vertex);
}

/* Where the name of each row begins; behind the last row, also where it ends. */
static void put_places(char *at, const bin *b, const section *s, mg_range rows, uint64_t block) {
    uint64_t place = s->bases[block];
    for (uint64_t row = rows.begin; row < rows.end; row++, at += 8) {
        memcpy(at, &place, 8);
        place += name_bytes(b->job, mg_result_vertex(s->column, row));
    }
    if (rows.end == b->job->rows) memcpy(at, &place, 8);
}

static void put_bytes(char *at, const bin *b, const section *s, mg_range rows) {
    const mg_result_job *job = b->job;
    for (uint64_t row = rows.begin; row < rows.end; row++) {
        uint64_t vertex = mg_result_vertex(s->column, row), length = name_bytes(job, vertex);
        if (length) memcpy(at, job->names + job->name_offsets[vertex], length);
        at += length;
    }
}

static meguri_status make_block(mg_text *text, const void *what, void *own, uint64_t number) {
    (void)own;
    const bin *b = what;
    const section *s = &b->sections[number / b->blocks];
    uint64_t block = number % b->blocks;
    mg_range rows = mg_result_block(b->job, b->block_rows, block);
    uint64_t count = rows.end - rows.begin, bytes = 0;
    switch (s->kind) {
    case SECTION_NUMBERS: bytes = count * mg_column_size(s->column->type); break;
    case SECTION_IDS: bytes = count * 8; break;
    case SECTION_PLACES: bytes = count * 8 + (rows.end == b->job->rows ? 8 : 0); break;
    case SECTION_BYTES: bytes = s->bases[block + 1] - s->bases[block]; break;
    }
    if (bytes == 0) return MEGURI_OK;
    if (!mg_text_need(text, (size_t)bytes)) return MEGURI_NO_MEMORY;
    char *at = text->data + text->used;
    switch (s->kind) {
    case SECTION_NUMBERS: mg_result_put_numbers(at, s->column, rows, mg_column_size(s->column->type)); break;
    case SECTION_IDS: mg_result_put_ids(at, b->job, s->column, rows, 8); break;
    case SECTION_PLACES: put_places(at, b, s, rows, block); break;
    case SECTION_BYTES: put_bytes(at, b, s, rows); break;
    }
    text->used += (size_t)bytes;
    return MEGURI_OK;
}

/* ---- the plan --------------------------------------------------------------------------------------------------- */

/* Bytes of the names before each block, and of all. */
static meguri_status find_bases(uint64_t **out, const bin *b, const meguri_column *column) {
    const mg_result_job *job = b->job;
    uint64_t *bases = mg_alloc_array(job->ctx, b->blocks + 1, 8, "a plan for writing");
    if (!bases) return MEGURI_NO_MEMORY;
    *out = bases;
    int threads = mg_threads(job->ctx, b->blocks, 1);
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (uint64_t block = 0; block < b->blocks; block++) {
        uint64_t sum = 0;
        mg_range rows = mg_result_block(job, b->block_rows, block);
        if (mg_progress(job->ctx, "measure", rows.begin, job->rows)) continue;
        for (uint64_t row = rows.begin; row < rows.end; row++) sum += name_bytes(job, mg_result_vertex(column, row));
        bases[block] = sum;
    }
    if (mg_cancelled(job->ctx)) return mg_fail_cancelled(job->ctx);
    bases[b->blocks] = 0;
    mg_scan_u64(job->ctx, bases, b->blocks + 1);
    return MEGURI_OK;
}

/* `number` counts the columns of ids alone. */
static meguri_status add_ids(bin *b, const meguri_column *column, uint32_t number) {
    const mg_result_job *job = b->job;
    if (!mg_result_has_names(job)) {
        b->sections[b->section_count++] = (section){.kind = SECTION_IDS, .column = column};
        b->bytes += 8 * job->rows;
        return MEGURI_OK;
    }
    meguri_status status = find_bases(&b->bases[number], b, column);
    if (status != MEGURI_OK) return status;
    const uint64_t *bases = b->bases[number];
    b->sections[b->section_count++] = (section){.kind = SECTION_PLACES, .column = column, .bases = bases};
    b->sections[b->section_count++] = (section){.kind = SECTION_BYTES, .column = column, .bases = bases};
    b->bytes += 8 * (job->rows + 1) + bases[b->blocks];
    return MEGURI_OK;
}

static meguri_status make_plan(bin *b) {
    const mg_result_job *job = b->job;
    uint32_t columns = job->column_count, of_ids = 0;
    b->sections = mg_alloc_array(job->ctx, 2 * ((uint64_t)columns + 1), sizeof *b->sections, "a plan for writing");
    b->bases = mg_alloc_array_zero(job->ctx, (uint64_t)columns + 1, sizeof *b->bases, "a plan for writing");
    if (!b->sections || !b->bases) return MEGURI_NO_MEMORY;
    meguri_status status = add_ids(b, NULL, of_ids++);
    for (uint32_t i = 0; i < columns && status == MEGURI_OK; i++) {
        const meguri_column *c = &job->columns[i];
        if (c->type == MEGURI_COLUMN_VERTEX) {
            status = add_ids(b, c, of_ids++);
            continue;
        }
        b->sections[b->section_count++] = (section){.kind = SECTION_NUMBERS, .column = c};
        b->bytes += mg_column_size(c->type) * job->rows;
    }
    return status;
}

meguri_status mg_result_write_bin(const mg_result_job *job, mg_outfile *file) {
    bin b = {.job = job, .block_rows = mg_result_block_rows(job, 8, mg_result_has_names(job))};
    b.blocks = mg_result_block_count(job, b.block_rows);
    meguri_status status = make_plan(&b);
    if (status == MEGURI_OK) status = mg_outfile_reserve(job->ctx, file, b.bytes);
    mg_blocks blocks = {
        .ctx = job->ctx, .count = b.blocks * b.section_count, .items = job->rows, .job = &b, .make = make_block};
    if (status == MEGURI_OK) status = mg_write_blocks(&blocks, file, MG_PACK_NONE);
    for (uint32_t i = 0; b.bases && i <= job->column_count; i++) mg_free(b.bases[i]);
    mg_free(b.bases);
    mg_free(b.sections);
    return status;
}
