/* Results as raw columns one after another, little-endian, with nothing before, between or behind them.
 *
 * Numbers lie as they are in memory. A column of ids is 8 bytes a row, or, where ids are strings, rows + 1 places of
 * 8 bytes and then the bytes between those places. The file is a list of sections, each cut into blocks of the same
 * rows, so block number b is block b % n of section b / n. */
#include "io/result.h"

typedef enum section_kind { SECTION_NUMBERS, SECTION_IDS, SECTION_PLACES, SECTION_BYTES } section_kind;

typedef struct section {
    section_kind kind;
    const void *data;      /* the items; for ids the vertices, or NULL: all of them in their order */
    size_t item_bytes;     /* of numbers */
    const uint64_t *bases; /* of places: the first place of each block, and the last place of all */
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

static inline uint64_t name_bytes(const mg_result_job *job, const uint32_t *vertices, uint64_t row) {
    uint64_t vertex = vertices ? vertices[row] : row;
    return vertex == MEGURI_NO_VERTEX ? 0 : mg_result_name_bytes(job, vertex);
}

/* Where the name of each row begins; behind the last row, also where it ends. */
static void put_places(char *at, const bin *b, const section *s, mg_range rows, uint64_t block) {
    uint64_t place = s->bases[block];
    for (uint64_t row = rows.begin; row < rows.end; row++, at += 8) {
        memcpy(at, &place, 8);
        place += name_bytes(b->job, s->data, row);
    }
    if (rows.end == b->job->rows) memcpy(at, &place, 8);
}

static void put_bytes(char *at, const bin *b, const section *s, mg_range rows) {
    const uint32_t *vertices = s->data;
    for (uint64_t row = rows.begin; row < rows.end; row++) {
        uint64_t length = name_bytes(b->job, vertices, row);
        if (length) memcpy(at, b->job->names + b->job->name_offsets[vertices ? vertices[row] : row], length);
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
    case SECTION_NUMBERS: bytes = count * s->item_bytes; break;
    case SECTION_IDS: bytes = count * 8; break;
    case SECTION_PLACES: bytes = count * 8 + (rows.end == b->job->rows ? 8 : 0); break;
    case SECTION_BYTES: bytes = s->bases[block + 1] - s->bases[block]; break;
    }
    if (!mg_text_need(text, (size_t)bytes)) return MEGURI_NO_MEMORY;
    char *at = text->data + text->used;
    switch (s->kind) {
    case SECTION_NUMBERS: memcpy(at, (const char *)s->data + rows.begin * s->item_bytes, bytes); break;
    case SECTION_IDS:
        mg_result_put_ids(at, b->job, s->data ? (const uint32_t *)s->data + rows.begin : NULL, rows.begin, count, 8);
        break;
    case SECTION_PLACES: put_places(at, b, s, rows, block); break;
    case SECTION_BYTES: put_bytes(at, b, s, rows); break;
    }
    text->used += (size_t)bytes;
    return MEGURI_OK;
}

/* ---- the plan --------------------------------------------------------------------------------------------------- */

/* Bytes of the names before each block, and of all. */
static meguri_status find_bases(uint64_t **out, const bin *b, const uint32_t *vertices) {
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
        for (uint64_t row = rows.begin; row < rows.end; row++) sum += name_bytes(job, vertices, row);
        bases[block] = sum;
    }
    if (mg_cancelled(job->ctx)) return mg_fail_cancelled(job->ctx);
    bases[b->blocks] = 0;
    mg_scan_u64(job->ctx, bases, b->blocks + 1);
    return MEGURI_OK;
}

/* `column` counts those of ids alone. */
static meguri_status add_ids(bin *b, const uint32_t *vertices, uint32_t column) {
    const mg_result_job *job = b->job;
    if (!mg_result_has_names(job)) {
        b->sections[b->section_count++] = (section){.kind = SECTION_IDS, .data = vertices};
        b->bytes += 8 * job->rows;
        return MEGURI_OK;
    }
    meguri_status status = find_bases(&b->bases[column], b, vertices);
    if (status != MEGURI_OK) return status;
    const uint64_t *bases = b->bases[column];
    b->sections[b->section_count++] = (section){.kind = SECTION_PLACES, .data = vertices, .bases = bases};
    b->sections[b->section_count++] = (section){.kind = SECTION_BYTES, .data = vertices, .bases = bases};
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
            status = add_ids(b, c->data, of_ids++);
            continue;
        }
        size_t size = mg_column_size(c->type);
        b->sections[b->section_count++] = (section){.kind = SECTION_NUMBERS, .data = c->data, .item_bytes = size};
        b->bytes += size * job->rows;
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
