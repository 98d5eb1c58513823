/* Blocks of edges as a parser fills them: narrow until something wide comes. */
#include "io/read.h"

meguri_status mg_block_new(mg_block *out, meguri_ctx *ctx, uint64_t capacity, bool weighted) {
    *out = (mg_block){.ctx = ctx, .capacity = capacity};
    out->ends = mg_alloc_array(ctx, capacity, 2 * sizeof(uint32_t), "a block of edges");
    if (!out->ends) return MEGURI_NO_MEMORY;
    if (!weighted) return MEGURI_OK;
    out->weight_type = MEGURI_TYPE_U32;
    out->weights = mg_alloc_array(ctx, capacity, sizeof(uint32_t), "a block of weights");
    if (out->weights) return MEGURI_OK;
    mg_block_free(out);
    return MEGURI_NO_MEMORY;
}

void mg_block_free(mg_block *block) {
    mg_free(block->ends);
    mg_free(block->weights);
    block->ends = block->weights = NULL;
    block->count = 0;
    mg_block_free_columns(block);
}

bool mg_block_grow(mg_block *block) {
    uint64_t capacity = block->capacity + block->capacity / 2 + 16;
    void *ends = mg_resize(block->ctx, block->ends, capacity * (block->wide ? 16 : 8), "a block of edges");
    if (!ends) return false;
    block->ends = ends;
    if (block->weights) {
        size_t size = meguri_type_bytes(block->weight_type);
        void *weights = mg_resize(block->ctx, block->weights, capacity * size, "a block of weights");
        if (!weights) return false;
        block->weights = weights;
    }
    if (!mg_block_grow_columns(block, capacity)) return false;
    block->capacity = capacity;
    return true;
}

enum { SAMPLE = 32 << 10 };

/* What a sample of the chunk holds, extended to all of it and a little more. */
static uint64_t extend(const mg_chunk *chunk, uint64_t sampled, uint64_t found) {
    uint64_t bytes = (uint64_t)(chunk->end - chunk->begin);
    double guess = sampled ? (double)found * (double)bytes / (double)sampled : 0;
    return (uint64_t)(sampled < bytes ? guess * 1.02 : guess) + 1;
}

uint64_t mg_guess_lines(const mg_chunk *chunk) {
    uint64_t bytes = MG_MIN((uint64_t)(chunk->end - chunk->begin), (uint64_t)SAMPLE), lines = 0;
    for (uint64_t i = 0; i < bytes; i++) lines += chunk->begin[i] == '\n';
    return extend(chunk, bytes, lines);
}

uint64_t mg_guess_words(const mg_chunk *chunk) {
    uint64_t bytes = MG_MIN((uint64_t)(chunk->end - chunk->begin), (uint64_t)SAMPLE), words = 0;
    for (uint64_t i = 0; i < bytes; i++) words += (unsigned char)chunk->begin[i] <= ' ' || chunk->begin[i] == MG_COMMA;
    return extend(chunk, bytes, words);
}

bool mg_block_widen(mg_block *block) {
    uint64_t *wide = mg_alloc_array(block->ctx, block->capacity, 2 * sizeof *wide, "a block of edges");
    if (!wide) return false;
    const uint32_t *narrow = block->ends;
    for (uint64_t i = 0; i < 2 * block->count; i++) wide[i] = narrow[i];
    mg_free(block->ends);
    block->ends = wide;
    block->wide = true;
    return true;
}

bool mg_block_widen_weights(mg_block *block) {
    double *wide = mg_alloc_array(block->ctx, block->capacity, sizeof *wide, "a block of weights");
    if (!wide) return false;
    const uint32_t *narrow = block->weights;
    for (uint64_t i = 0; i < block->count; i++) wide[i] = narrow[i];
    mg_free(block->weights);
    block->weights = wide;
    block->weight_type = MEGURI_TYPE_F64;
    return true;
}

/* Trimmed, and the caller's to hand over. */
static mg_edge_block take_full(mg_pass *pass, const mg_chunk *chunk, mg_block *block) {
    mg_edge_block full = {.place = mg_chunk_place(pass, chunk),
                          .count = block->count,
                          .id_bytes = block->wide ? 8 : 4,
                          .ends = block->ends,
                          .weights = block->weights,
                          .weight_type = block->weight_type};
    mg_trim(full.ends, full.count * 2 * full.id_bytes);
    if (full.weights) mg_trim(full.weights, full.count * meguri_type_bytes(full.weight_type));
    full.columns = block->columns;
    full.column_count = block->column_count;
    for (uint32_t c = 0; c < block->column_count; c++) {
        mg_trim(full.columns[c].values, full.count * meguri_type_bytes(full.columns[c].type));
        mg_names_free(block->labels[c]);
    }
    mg_free(block->labels);
    mg_fetch_add(&pass->edges, full.count);
    *block = (mg_block){0};
    return full;
}

meguri_status mg_block_add(mg_pass *pass, const mg_chunk *chunk, mg_block *block) {
    mg_edge_block full = take_full(pass, chunk, block);
    return mg_edges_add(pass->reader->ctx, pass->reader->edges, &full);
}

/* In the turn of its chunk names come in order, and keep the numbers that they get. */
meguri_status mg_block_add_named(mg_pass *pass, const mg_chunk *chunk, mg_block *block, const mg_names *names) {
    mg_reader *reader = pass->reader;
    mg_name_maps maps;
    if (!mg_pass_wait_turn(pass, chunk)) return MEGURI_BAD_INPUT;
    meguri_status status =
        mg_edges_merge_names(&maps, reader->ctx, reader->edges, mg_chunk_place(pass, chunk), names, block->labels);
    if (status != MEGURI_OK) return status;
    mg_pass_end_turn(pass, chunk);
    mg_edge_block full = take_full(pass, chunk, block);
    return mg_edges_add_mapped(reader->ctx, reader->edges, &full, &maps);
}

meguri_status mg_alone_push(meguri_ctx *ctx, mg_alone *alone, uint64_t id) {
    if (alone->count == alone->room) {
        uint64_t room = alone->room * 2 + 64;
        uint64_t *ids = mg_resize(ctx, alone->ids, room * sizeof *ids, "vertices without edges");
        if (!ids) return MEGURI_NO_MEMORY;
        alone->ids = ids;
        alone->room = room;
    }
    alone->ids[alone->count++] = id;
    return MEGURI_OK;
}

meguri_status mg_alone_add(mg_pass *pass, mg_alone *alone) {
    mg_alone full = *alone;
    *alone = (mg_alone){0};
    return full.count ? mg_edges_name(pass->reader->ctx, pass->reader->edges, full.ids, full.count) : MEGURI_OK;
}
