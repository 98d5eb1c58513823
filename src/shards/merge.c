/* Parallel arcs of a graph in parts: what arcs carry until they are merged, and what their weights are then.
 *
 * All arcs between two vertices meet in one tile (streams.c), which merges them as a graph on one machine does
 * (graph/merge.c). Where the first edge of the input is kept, arcs carry its place there; sums are those of 64-bit
 * floats, and exact for whole numbers. */
#include "shards/build.h"

void mg_shards_merge_start(mg_shards_builder *b) {
    const mg_edge_source *source = b->source;
    meguri_type type = source->weights;
    if (source->duplicates == MEGURI_DUPLICATES_COUNT) type = MEGURI_TYPE_U32;
    else if (type && mg_merge_adds(source->duplicates)) type = MEGURI_TYPE_F64;
    b->merge = (mg_merge){.how = source->duplicates,
                          .type = type,
                          .number_bytes = type && mg_merge_needs_numbers(source->duplicates) ? 8 : 0};
    b->carried_bytes = mg_carried_bytes(type, b->merge.number_bytes);
    b->shards->weight_type = type;
    b->shards->adds = type && mg_merge_adds(source->duplicates);
    b->shards->no_sum[0] = b->shards->no_sum[1] = UINT64_MAX;
}

/* ---- sums that no weight holds ---------------------------------------------------------------------------------- */

void mg_shards_note_no_sum(mg_shards *s, const mg_tile *tile, uint64_t no_sum) {
    uint32_t size = (uint32_t)s->cluster->size;
    if (no_sum == UINT64_MAX) return;
    uint64_t from = mg_window_number(tile->sources, size, (uint32_t)no_sum);
    uint64_t to = mg_window_number(tile->targets, size, (uint32_t)(no_sum >> 32));
    if (from > s->no_sum[0] || (from == s->no_sum[0] && to > s->no_sum[1])) return;
    s->no_sum[0] = from;
    s->no_sum[1] = to;
}

/* The positions of two vertices, from their owners. */
static meguri_status find_positions(uint64_t positions[2], meguri_ctx *ctx, const mg_shards *s,
                                    const uint64_t numbers[2]) {
    uint64_t size = (uint64_t)s->cluster->size;
    for (int i = 0; i < 2; i++) {
        bool own = numbers[i] % size == (uint64_t)s->cluster->rank && numbers[i] / size < s->owned;
        positions[i] = own ? mg_global_at(s->position, numbers[i] / size) : 0;
    }
    meguri_status status = mg_reduce_u64(ctx, s->cluster, &s->cluster->all, positions, 2, MG_MAXIMUM);
    if (status != MEGURI_OK || (positions[0] < s->vertices && positions[1] < s->vertices)) return status;
    return mg_strange(ctx, s->cluster, "a vertex that is not there");
}

meguri_status mg_shards_check_sums(meguri_ctx *ctx, mg_shards *s) {
    uint64_t worst[2] = {s->no_sum[0], UINT64_MAX}, positions[2];
    char from[MG_ID_TEXT], to[MG_ID_TEXT];
    if (!s->adds) return MEGURI_OK;
    meguri_status status = mg_reduce_u64(ctx, s->cluster, &s->cluster->all, worst, 1, MG_MINIMUM);
    if (status != MEGURI_OK || worst[0] == UINT64_MAX) return status;
    if (s->no_sum[0] == worst[0]) worst[1] = s->no_sum[1];
    status = mg_reduce_u64(ctx, s->cluster, &s->cluster->all, worst + 1, 1, MG_MINIMUM);
    if (status == MEGURI_OK) status = find_positions(positions, ctx, s, worst);
    if (status == MEGURI_OK) status = mg_shards_id_text(from, ctx, s, positions[0]);
    if (status == MEGURI_OK) status = mg_shards_id_text(to, ctx, s, positions[1]);
    return status == MEGURI_OK ? mg_fail(ctx, MEGURI_BAD_INPUT, MG_NO_SUM, from, to) : status;
}

/* ---- types ------------------------------------------------------------------------------------------------------ */

static meguri_type wide_type(meguri_type type) {
    return type == MEGURI_TYPE_U8 || type == MEGURI_TYPE_U16 ? MEGURI_TYPE_U32 : type;
}

static void convert(mg_shards *s, meguri_type to) {
    for (int t = 0; t < s->layout.tiles; t++) {
        char *weights = s->tile[t].memory[0].weights;
        uint64_t arcs = s->tile[t].in.arcs;
        mg_weights_convert(weights, to, weights, s->weight_type, arcs);
        mg_trim(weights, arcs * meguri_type_bytes(to));
    }
    s->weight_type = to;
}

meguri_status mg_shards_choose_type(meguri_ctx *ctx, mg_shards *s, bool in_memory) {
    mg_weight_facts all = {.whole = true, .f32_exact = true};
    s->file_weights = s->weight_type;
    if (!s->weight_type || (!in_memory && s->weight_type != MEGURI_TYPE_U32)) return MEGURI_OK;
    for (int t = 0; t < s->layout.tiles; t++) {
        const mg_rows *rows = &s->tile[t].in;
        all = mg_weight_facts_join(all, mg_weight_facts_all(ctx, rows->weights, s->weight_type, rows->arcs));
    }
    const uint64_t own[3] = {!all.whole, !all.f32_exact, all.max};
    uint64_t most[3] = {own[0], own[1], own[2]};
    meguri_status status = mg_reduce_u64(ctx, s->cluster, &s->cluster->all, most, 3, MG_MAXIMUM);
    if (status != MEGURI_OK) return status;
    all = (mg_weight_facts){.whole = !most[0], .f32_exact = !most[1], .max = (uint32_t)most[2]};
    meguri_type to = wide_type(mg_weight_type_for(all));
    if (most[0] < own[0] || most[1] < own[1] || most[2] < own[2] ||
        meguri_type_bytes(to) > meguri_type_bytes(s->weight_type))
        return mg_strange(ctx, s->cluster, "another type of weights than they have");
    s->file_weights = mg_weight_type_for(all);
    if (to != s->weight_type) convert(s, to);
    return MEGURI_OK;
}
