/* Packed binary edges, little-endian, every stored arc: pairs of 32-bit ids, pairs of 64-bit ids, and the Graph500
 * reference code's packed_edge, which holds two 48-bit ids in three 32-bit words (low half of the source, low half of
 * the target, then both high parts, the source's in the lower 16 bits). */
#include "io/write.h"

#include <inttypes.h>

static meguri_status prepare(mg_write_job *job, uint32_t bits) {
    if (job->graph->id_kind == MEGURI_ID_STRING)
        return mg_fail(job->ctx, MEGURI_BAD_ARGUMENT,
                       "cannot write %s: packed edges have numbers for ids, and this graph has strings; write .csv or "
                       ".el.",
                       job->path);
    /* Ids increase: only if the first is not negative none is. */
    if (job->graph->id_kind == MEGURI_ID_SIGNED && job->graph->vertices > 0 &&
        (int64_t)(job->ids ? job->ids[0] : job->graph->id_base) < 0)
        return mg_fail(job->ctx, MEGURI_BAD_ARGUMENT,
                       "cannot write %s: packed edges have no negative ids, and this graph has some; write .el.",
                       job->path);
    if (bits < 64 && mg_write_largest_id(job) >> bits)
        return mg_fail(job->ctx, MEGURI_BAD_ARGUMENT,
                       "cannot write %s: the id %" PRIu64 " does not fit into %" PRIu32 " bits; write .bin%s.",
                       job->path, mg_write_largest_id(job), bits, bits == 32 ? "48 or .bin64" : "64");
    return MEGURI_OK;
}

static meguri_status prepare32(mg_write_job *job) { return prepare(job, 32); }
static meguri_status prepare48(mg_write_job *job) { return prepare(job, 48); }
static meguri_status prepare64(mg_write_job *job) { return prepare(job, 64); }

static uint64_t id_of(const mg_write_job *job, uint64_t position) {
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

const mg_writer mg_writer_packed32 = {.loses_isolated = true, .prepare = prepare32, .row = row32};
const mg_writer mg_writer_packed48 = {.loses_isolated = true, .prepare = prepare48, .row = row48};
const mg_writer mg_writer_packed64 = {.loses_isolated = true, .prepare = prepare64, .row = row64};
