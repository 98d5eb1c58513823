/* Binary edges, little-endian and without any header: pairs of 32-bit or 64-bit ids, or the twelve bytes of
 * Graph500's binary_edge, two 48-bit ids of which the low words come first and then the two high half words. */
#include "io/format.h"

#include <inttypes.h>

enum { BYTES_32 = 8, BYTES_48 = 12, BYTES_64 = 16 }; /* of an edge with two ids of so many bits */

static inline void split48(const char *record, uint64_t *from, uint64_t *to) {
    uint32_t words[3];
    memcpy(words, record, 12);
    *from = words[0] | (uint64_t)(words[2] & 0xffff) << 32;
    *to = words[1] | (uint64_t)(words[2] >> 16) << 32;
}

static inline void split64(const char *record, uint64_t *from, uint64_t *to) {
    memcpy(from, record, 8);
    memcpy(to, record + 8, 8);
}

static meguri_status parse_chunk(mg_pass *pass, const mg_chunk *chunk) {
    const size_t record_bytes = *(const size_t *)pass->format;
    uint64_t bytes = (uint64_t)(chunk->end - chunk->begin), count = bytes / record_bytes;
    if (bytes % record_bytes)
        return mg_fail(pass->reader->ctx, MEGURI_BAD_INPUT,
                       "%s ends inside an edge: its size is no multiple of %zu bytes; the file may be cut short or "
                       "have another format than bin%zu.",
                       pass->input->name, record_bytes, 4 * record_bytes);
    mg_block block;
    bool huge = false;
    meguri_status status = mg_block_new(&block, pass->reader->ctx, count, false);
    if (status != MEGURI_OK) return status;
    if (record_bytes == BYTES_32) {
        memcpy(block.ends, chunk->begin, bytes);
        block.count = count;
    }
    for (uint64_t i = block.count; i < count && status == MEGURI_OK; i++) {
        uint64_t from, to;
        const char *record = chunk->begin + i * record_bytes;
        if (record_bytes == BYTES_48) split48(record, &from, &to);
        else split64(record, &from, &to);
        huge |= (from | to) > INT64_MAX;
        if (!mg_block_push(&block, from, to, 1)) status = MEGURI_NO_MEMORY;
    }
    if (status == MEGURI_OK && huge) status = mg_note_ids(pass, chunk, chunk->begin, false, true);
    if (status == MEGURI_OK) status = mg_block_add(pass, chunk, &block);
    mg_block_free(&block);
    return status;
}

static meguri_status read_binary(mg_reader *reader, mg_input *input, size_t record_bytes) {
    bool weighted;
    meguri_status status = mg_reader_numbered(reader, input);
    if (status == MEGURI_OK) status = mg_reader_direction(reader, input, MEGURI_DIRECTED);
    if (status == MEGURI_OK) status = mg_reader_weights(reader, input, false, &weighted);
    if (status != MEGURI_OK) return status;
    input->used = 0; /* what looks like a byte order mark is part of an id */
    mg_pass pass = {.reader = reader, .input = input, .format = &record_bytes, .parse = parse_chunk};
    status = mg_pass_run(&pass, (mg_plan){.cut = MG_CUT_RECORDS, .record_bytes = record_bytes});
    if (status == MEGURI_OK) status = mg_reader_declare_names(reader);
    if (status == MEGURI_OK && !pass.edges) mg_warn(reader->ctx, "%s holds no edges.", input->name);
    return status;
}

/* ---- writing ---------------------------------------------------------------------------------------------------- */

static meguri_status prepare(mg_write_job *job, uint32_t bits) {
    /* Ids increase: only if the first is not negative none is. */
    if (job->graph->id_kind == MEGURI_ID_SIGNED && job->graph->vertices > 0 &&
        (int64_t)(job->ids ? job->ids[0] : job->graph->id_base) < 0)
        return mg_fail(job->ctx, MEGURI_BAD_ARGUMENT,
                       "cannot write %s: binary edges have no negative ids, and this graph has some; write .el.",
                       job->path);
    if (job->graph->id_kind != MEGURI_ID_STRING && bits < 64 && mg_write_largest_id(job) >> bits)
        return mg_fail(job->ctx, MEGURI_BAD_ARGUMENT,
                       "cannot write %s: the id %" PRIu64 " does not fit into %" PRIu32 " bits; write .bin%s.",
                       job->path, mg_write_largest_id(job), bits, bits == 32 ? "48 or .bin64" : "64");
    return MEGURI_OK;
}

/* Vertices that have names are 1 … n, and their names stand beside (names_beside.c). */
static uint64_t id_of(const mg_write_job *job, uint64_t position) {
    if (job->name_offsets) return position + 1;
    return job->ids ? job->ids[position] : job->graph->id_base + position;
}

static void row32(const mg_write_job *job, mg_text *text, const mg_write_row *r) {
    for (uint64_t i = 0; i < r->degree && mg_text_need(text, 8); i++) {
        uint32_t pair[2] = {(uint32_t)id_of(job, r->position), (uint32_t)id_of(job, r->neighbors[i])};
        memcpy(text->data + text->used, pair, sizeof pair);
        text->used += sizeof pair;
    }
}

static void row48(const mg_write_job *job, mg_text *text, const mg_write_row *r) {
    for (uint64_t i = 0; i < r->degree && mg_text_need(text, 12); i++) {
        uint64_t from = id_of(job, r->position), to = id_of(job, r->neighbors[i]);
        uint32_t words[3] = {(uint32_t)from, (uint32_t)to, (uint32_t)(from >> 32 | to >> 32 << 16)};
        memcpy(text->data + text->used, words, sizeof words);
        text->used += sizeof words;
    }
}

static void row64(const mg_write_job *job, mg_text *text, const mg_write_row *r) {
    for (uint64_t i = 0; i < r->degree && mg_text_need(text, 16); i++) {
        uint64_t pair[2] = {id_of(job, r->position), id_of(job, r->neighbors[i])};
        memcpy(text->data + text->used, pair, sizeof pair);
        text->used += sizeof pair;
    }
}

/* ---- three formats ---------------------------------------------------------------------------------------------- */

#define BINARY_FORMAT(bits)                                                                                            \
    static meguri_status read##bits(mg_reader *reader, mg_input *input) {                                              \
        return read_binary(reader, input, BYTES_##bits);                                                               \
    }                                                                                                                  \
    static meguri_status prepare##bits(mg_write_job *job) { return prepare(job, bits); }                               \
    static const mg_writer writer##bits = {.weights = MG_WEIGHTS_NEVER,                                                \
                                           .loses_isolated = true,                                                     \
                                           .numbers = true,                                                            \
                                           .prepare = prepare##bits,                                                   \
                                           .row = row##bits};                                                          \
    const mg_format mg_format_bin##bits = {.binary = true, .read = read##bits, .writers = {&writer##bits}};
BINARY_FORMAT(32)
BINARY_FORMAT(48)
BINARY_FORMAT(64)
