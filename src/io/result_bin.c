/* Results as raw columns one after another, little-endian, with nothing before, between or behind them.
 *
 * Numbers lie as they are in memory. A column of ids is 8 bytes a row, or, where ids are strings, rows + 1 places of
 * 8 bytes and then the bytes between those places. The file is a list of sections, each cut into blocks of the same
 * rows. Columns may lie side by side in memory (those of many sources do), so a thread takes the same rows of all
 * sections while they are in its cache, and puts each piece in its place; where there are no places (a pipe), it goes
 * section by section. In shares, each part has some rows of every section; where its names begin among all is summed
 * over the parts. */
#include "io/result.h"

typedef enum section_kind { SECTION_NUMBERS, SECTION_IDS, SECTION_PLACES, SECTION_BYTES } section_kind;

typedef struct section {
    section_kind kind;
    const meguri_column *column; /* for ids NULL: all of them in their order */
    const uint64_t *bases;       /* of places and bytes: the first place of each block, and the last place of all */
    uint64_t offset;             /* in the file */
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
    return vertex == MG_NO_VERTEX ? 0 : mg_result_name_bytes(job, vertex);
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

/* Where a block of a section lies, from the beginning of the section; behind the last block, how long it is. */
static uint64_t place_of(const bin *b, const section *s, uint64_t block) {
    uint64_t row = MG_MIN(block * b->block_rows, b->job->rows);
    switch (s->kind) {
    case SECTION_NUMBERS: return row * mg_column_size(s->column->type);
    case SECTION_IDS: return row * 8;
    case SECTION_PLACES: return row * 8 + (block == b->blocks ? 8 : 0);
    case SECTION_BYTES: return s->bases[block];
    }
    return 0;
}

static bool add_block(mg_text *text, const bin *b, const section *s, uint64_t block) {
    size_t bytes = (size_t)(place_of(b, s, block + 1) - place_of(b, s, block));
    mg_range rows = mg_result_block(b->job, b->block_rows, block);
    if (bytes == 0) return true;
    if (!mg_text_need(text, bytes)) return false;
    char *at = text->data + text->used;
    switch (s->kind) {
    case SECTION_NUMBERS: mg_result_put_numbers(at, s->column, rows, mg_column_size(s->column->type)); break;
    case SECTION_IDS: mg_result_put_ids(at, b->job, s->column, rows, 8); break;
    case SECTION_PLACES: put_places(at, b, s, rows, block); break;
    case SECTION_BYTES: put_bytes(at, b, s, rows); break;
    }
    text->used += bytes;
    return true;
}

/* ---- into places, or one after another -------------------------------------------------------------------------- */

static meguri_status write_rows(const bin *b, mg_outfile *file, mg_text *text, uint64_t block) {
    meguri_ctx *ctx = b->job->ctx;
    meguri_status status = MEGURI_OK;
    for (uint64_t i = 0; i < b->section_count && status == MEGURI_OK; i++) {
        const section *s = &b->sections[i];
        text->used = 0;
        if (!add_block(text, b, s, block)) return MEGURI_NO_MEMORY;
        status = mg_outfile_write_at(ctx, file, text->data, text->used, s->offset + place_of(b, s, block));
    }
    return status;
}

/* A loop over all blocks. */
typedef struct block_job {
    const bin *b;
    mg_outfile *file;
    const meguri_column *column;
    uint64_t *bases;
} block_job;

static meguri_status for_blocks(block_job *job, mg_work_fn *work, const char *phase) {
    const bin *b = job->b;
    mg_loop loop = {.ctx = b->job->ctx,
                    .threads = mg_threads(b->job->ctx, b->blocks, 1),
                    .items = b->blocks,
                    .chunk = 1,
                    .work = work,
                    .what = job,
                    .phase = phase,
                    .total = b->blocks};
    return mg_loop_run(&loop);
}

static void write_blocks(void *what, mg_worker *worker) {
    const block_job *job = what;
    mg_text text = {.ctx = worker->loop->ctx};
    for (mg_range block; mg_take(worker, &block);)
        mg_loop_fail(worker, write_rows(job->b, job->file, &text, block.begin));
    mg_text_free(&text);
}

static meguri_status write_in_place(const bin *b, mg_outfile *file) {
    block_job job = {.b = b, .file = file};
    return for_blocks(&job, write_blocks, "write");
}

static meguri_status make_block(mg_text *text, const void *what, void *own, uint64_t number) {
    (void)own;
    const bin *b = what;
    return add_block(text, b, &b->sections[number / b->blocks], number % b->blocks) ? MEGURI_OK : MEGURI_NO_MEMORY;
}

static meguri_status write_in_turn(const bin *b, mg_outfile *file) {
    mg_blocks blocks = {
        .ctx = b->job->ctx, .count = b->blocks * b->section_count, .items = b->job->rows, .job = b, .make = make_block};
    return mg_write_blocks(&blocks, file, MG_PLAIN);
}

/* ---- the plan --------------------------------------------------------------------------------------------------- */

static void measure_names(void *what, mg_worker *worker) {
    const block_job *j = what;
    const mg_result_job *job = j->b->job;
    for (mg_range block; mg_take(worker, &block);) {
        uint64_t sum = 0;
        mg_range rows = mg_result_block(job, j->b->block_rows, block.begin);
        for (uint64_t row = rows.begin; row < rows.end; row++) sum += name_bytes(job, mg_result_vertex(j->column, row));
        j->bases[block.begin] = sum;
    }
}

/* Bytes of the names before each block that is here, and of all that are here. */
static meguri_status find_bases(uint64_t **out, const bin *b, const meguri_column *column) {
    const mg_result_job *job = b->job;
    uint64_t *bases = mg_alloc_array(job->ctx, b->blocks + 1, 8, "a plan for writing");
    if (!bases) return MEGURI_NO_MEMORY;
    *out = bases;
    block_job measuring = {.b = b, .column = column, .bases = bases};
    meguri_status status = for_blocks(&measuring, measure_names, "measure");
    if (status != MEGURI_OK) return status;
    bases[b->blocks] = 0;
    mg_scan_u64(job->ctx, bases, b->blocks + 1);
    return MEGURI_OK;
}

/* A section of `items` items of which those of a row have `bytes` bytes. Names begin where the parts before end, which
 * their bases say already. */
static void add_section(bin *b, section s, uint64_t bytes, uint64_t items) {
    s.offset = b->bytes + (s.kind == SECTION_BYTES ? 0 : b->job->first * bytes);
    b->bytes += items * bytes;
    b->sections[b->section_count++] = s;
}

/* `number` counts the columns of ids alone. */
static meguri_status add_ids(bin *b, const meguri_column *column, uint32_t number) {
    const mg_result_job *job = b->job;
    if (!mg_result_has_names(job)) {
        add_section(b, (section){.kind = SECTION_IDS, .column = column}, 8, job->all_rows);
        return MEGURI_OK;
    }
    uint64_t **bases = &b->bases[number], before = 0, all;
    meguri_status status = find_bases(bases, b, column);
    if (status == MEGURI_OK) before = (*bases)[b->blocks];
    status = mg_result_sum(job, status, &before, &all);
    if (status != MEGURI_OK) return status;
    for (uint64_t block = 0; block <= b->blocks; block++) (*bases)[block] += before;
    add_section(b, (section){.kind = SECTION_PLACES, .column = column, .bases = *bases}, 8, job->all_rows + 1);
    add_section(b, (section){.kind = SECTION_BYTES, .column = column, .bases = *bases}, 1, all);
    return MEGURI_OK;
}

static meguri_status make_plan(bin *b) {
    const mg_result_job *job = b->job;
    uint32_t columns = job->column_count, of_ids = 0;
    b->sections = mg_alloc_array(job->ctx, 2 * ((uint64_t)columns + 1), sizeof *b->sections, "a plan for writing");
    b->bases = mg_alloc_array_zero(job->ctx, (uint64_t)columns + 1, sizeof *b->bases, "a plan for writing");
    uint64_t none = 0, all;
    meguri_status status = mg_result_sum(job, b->sections && b->bases ? MEGURI_OK : MEGURI_NO_MEMORY, &none, &all);
    if (status == MEGURI_OK) status = add_ids(b, NULL, of_ids++);
    for (uint32_t i = 0; i < columns && status == MEGURI_OK; i++) {
        const meguri_column *c = &job->columns[i];
        if (c->type == MEGURI_TYPE_VERTEX) status = add_ids(b, c, of_ids++);
        else add_section(b, (section){.kind = SECTION_NUMBERS, .column = c}, mg_column_size(c->type), job->all_rows);
    }
    return status;
}

/* Blocks are so large that the pieces of all columns fill the cache together. */
static void measure_blocks(bin *b) {
    const mg_result_job *job = b->job;
    uint64_t bytes = 8, names = mg_result_has_names(job);
    for (uint32_t i = 0; i < job->column_count; i++) {
        bool of_ids = job->columns[i].type == MEGURI_TYPE_VERTEX;
        bytes += of_ids ? 8 : mg_column_size(job->columns[i].type);
        names += of_ids && mg_result_has_names(job);
    }
    b->block_rows = mg_result_block_rows(job, bytes, names);
    b->blocks = mg_result_block_count(job, b->block_rows);
}

meguri_status mg_result_write_bin(const mg_result_job *job, mg_outfile *file) {
    bin b = {.job = job};
    measure_blocks(&b);
    meguri_status status = make_plan(&b);
    if (status == MEGURI_OK && (!job->share || job->share->part == 0))
        status = mg_outfile_reserve(job->ctx, file, b.bytes);
    if (status == MEGURI_OK) status = file->direct ? write_in_turn(&b, file) : write_in_place(&b, file);
    for (uint32_t i = 0; b.bases && i <= job->column_count; i++) mg_free(b.bases[i]);
    mg_free(b.bases);
    mg_free(b.sections);
    return status;
}
