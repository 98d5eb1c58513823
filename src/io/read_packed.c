/* Packed binary edges, little-endian and without any header: pairs of 32-bit or 64-bit ids, or the twelve bytes of
 * Graph500's packed_edge, two 48-bit ids of which the low words come first and then the two high half words. */
#include "io/read.h"

#include <inttypes.h>

typedef struct packed_kind {
    meguri_format format;
    size_t record_bytes;
} packed_kind;

static inline void unpack48(const char *record, uint64_t *from, uint64_t *to) {
    uint32_t words[3];
    memcpy(words, record, 12);
    *from = words[0] | (uint64_t)(words[2] & 0xffff) << 32;
    *to = words[1] | (uint64_t)(words[2] >> 16) << 32;
}

static inline void unpack64(const char *record, uint64_t *from, uint64_t *to) {
    memcpy(from, record, 8);
    memcpy(to, record + 8, 8);
}

static meguri_status parse_chunk(mg_pass *pass, const mg_chunk *chunk) {
    const packed_kind *packed = pass->format;
    uint64_t bytes = (uint64_t)(chunk->end - chunk->begin), count = bytes / packed->record_bytes;
    if (bytes % packed->record_bytes)
        return mg_fail(pass->reader->ctx, MEGURI_BAD_INPUT,
                       "%s ends inside an edge: its size is no multiple of %zu bytes; the file may be cut short or "
                       "have another format than %s.",
                       pass->input->name, packed->record_bytes, meguri_format_name(packed->format));
    mg_block block;
    bool huge = false;
    meguri_status status = mg_block_new(&block, pass->reader->ctx, count, false);
    if (status != MEGURI_OK) return status;
    if (packed->format == MEGURI_FORMAT_PACKED32) {
        memcpy(block.ends, chunk->begin, bytes);
        block.count = count;
    }
    for (uint64_t i = block.count; i < count && status == MEGURI_OK; i++) {
        uint64_t from, to;
        const char *record = chunk->begin + i * packed->record_bytes;
        if (packed->format == MEGURI_FORMAT_PACKED48) unpack48(record, &from, &to);
        else unpack64(record, &from, &to);
        huge |= (from | to) > INT64_MAX;
        if (!mg_block_push(&block, from, to, 1)) status = MEGURI_NO_MEMORY;
    }
    if (status == MEGURI_OK && huge) status = mg_note_ids(pass, chunk, chunk->begin, false, true);
    if (status == MEGURI_OK) status = mg_block_add(pass, &block);
    mg_block_free(&block);
    return status;
}

meguri_status mg_read_packed(mg_reader *reader, mg_input *input, meguri_format format) {
    packed_kind packed = {format, format == MEGURI_FORMAT_PACKED32 ? 8 : format == MEGURI_FORMAT_PACKED48 ? 12 : 16};
    bool weighted;
    meguri_status status = mg_reader_numbered(reader, input);
    if (status == MEGURI_OK) status = mg_reader_direction(reader, input, MEGURI_DIRECTED);
    if (status == MEGURI_OK) status = mg_reader_weights(reader, input, false, &weighted);
    if (status != MEGURI_OK) return status;
    input->used = 0; /* what looks like a byte order mark is part of an id */
    mg_pass pass = {.reader = reader, .input = input, .format = &packed, .parse = parse_chunk};
    status = mg_pass_run(&pass, (mg_plan){.cut = MG_CUT_RECORDS, .record_bytes = packed.record_bytes});
    if (status == MEGURI_OK && !pass.edges) mg_warn(reader->ctx, "%s holds no edges.", input->name);
    return status;
}
