/* The Kronecker graph of the Graph500 benchmark (https://graph500.org, specification, section 3): R-MAT with 0.57,
 * 0.19, 0.19, 0.05 on 2^scale vertices, edge_factor * 2^scale edges, self-loops and repeated edges included, labels
 * permuted.
 *
 * The specification permutes labels by a table and shuffles the edge list. Here the permutation is arithmetic (no
 * table, no random access), and the list needs no shuffling: edges are drawn independently of each other, so their
 * order tells nothing. */
#include "gen/gen.h"

typedef struct kronecker {
    mg_drawing base;
    uint32_t scale;
    uint64_t ends_key, weights_key;
    mg_scramble scramble;
    mg_scramble_wide wide;
    mg_quadrants *quadrants;
    meguri_build_options build;
} kronecker;

mg_scramble mg_scramble_make(uint64_t seed, uint32_t scale) {
    uint64_t key = mg_random_key(seed, MG_STREAM_LABELS);
    mg_scramble s = {.mask = ((uint32_t)1 << scale) - 1, .shift = (scale + 1) / 2};
    for (int round = 0; round < 3; round++) {
        uint64_t bits = mg_random(key, (uint64_t)round);
        s.factor[round] = (uint32_t)bits | 1;
        s.offset[round] = (uint32_t)(bits >> 32);
    }
    return s;
}

mg_scramble_wide mg_scramble_make_wide(uint64_t seed, uint32_t scale) {
    mg_scramble_wide s = {.mask = ((uint64_t)1 << scale) - 1, .shift = (scale + 1) / 2};
    const mg_scramble narrow = mg_scramble_make(seed, MG_MIN(scale, MG_DRAWN_SCALE));
    uint64_t key = mg_random_key(seed, MG_STREAM_LABELS);
    for (int round = 0; round < 3; round++) { /* the lowest bits of a product need only those of its factors */
        s.factor[round] = narrow.factor[round];
        s.offset[round] = narrow.offset[round];
        if (scale <= MG_DRAWN_SCALE) continue;
        s.factor[round] |= mg_random(key, 3 + 2 * (uint64_t)round) << 32;
        s.offset[round] |= mg_random(key, 4 + 2 * (uint64_t)round) << 32;
    }
    return s;
}

static uint64_t draw_kronecker(const mg_drawing *self, uint32_t *ends, void *weights, uint64_t begin, uint64_t end) {
    const kronecker *k = (const kronecker *)self;
    const mg_scramble scramble = k->scramble;
    const mg_quadrants *quadrants = k->quadrants;
    const uint64_t stride = mg_quadrants_draws(quadrants) * MG_RANDOM_STEP;
    uint64_t place = k->ends_key + begin * stride;
    for (uint64_t i = begin; i < end; i++, place += stride, ends += 2) {
        uint64_t edge = mg_quadrants_draw(quadrants, place);
        ends[0] = mg_scramble_label(&scramble, (uint32_t)(edge >> 32));
        ends[1] = mg_scramble_label(&scramble, (uint32_t)edge);
    }
    if (weights) mg_draw_weights(weights, self->weights, k->weights_key, begin, end);
    return end - begin;
}

static uint64_t draw_kronecker_wide(const mg_drawing *self, uint64_t *ends, void *weights, uint64_t begin,
                                    uint64_t end) {
    const kronecker *k = (const kronecker *)self;
    const uint64_t stride = mg_quadrants_draws(k->quadrants) * MG_RANDOM_STEP;
    uint64_t place = k->ends_key + begin * stride;
    for (uint64_t i = begin; i < end; i++, place += stride, ends += 2) {
        mg_quadrants_draw_wide(k->quadrants, place, ends);
        for (int side = 0; side < 2; side++) ends[side] = mg_scramble_label_wide(&k->wide, ends[side]);
    }
    if (weights) mg_draw_weights(weights, self->weights, k->weights_key, begin, end);
    return end - begin;
}

static meguri_status prepare(kronecker *k, meguri_ctx *ctx, const meguri_kronecker_options *options) {
    static const double initiator[4] = {0.57, 0.19, 0.19, 0.05};
    meguri_kronecker_options o;
    meguri_build_options build;
    uint64_t edges = 0;
    *k = (kronecker){0};
    meguri_status status = MG_OPTIONS(ctx, &o, options, meguri_kronecker_options);
    if (status == MEGURI_OK) status = mg_own_build_options(&build, ctx, &o.build);
    if (status == MEGURI_OK) status = mg_check_scale(ctx, o.scale, build.layout);
    if (status == MEGURI_OK) status = mg_count_drawn(&edges, ctx, o.scale, o.edge_factor);
    if (status == MEGURI_OK) status = mg_check_drawn_weights(ctx, o.weights);
    if (status == MEGURI_OK) status = mg_check_build_options(ctx, &build);
    if (status != MEGURI_OK) return status;
    uint64_t seed = o.seed ? o.seed : 1;
    *k = (kronecker){.base = {.draw = draw_kronecker,
                              .draw_wide = draw_kronecker_wide,
                              .units = edges,
                              .edges_per_unit = 1,
                              .weights = o.weights},
                     .scale = o.scale,
                     .ends_key = mg_random_key(seed, MG_STREAM_ENDS),
                     .weights_key = mg_random_key(seed, MG_STREAM_WEIGHTS),
                     .scramble = mg_scramble_make(seed, MG_MIN(o.scale, MG_DRAWN_SCALE)),
                     .wide = mg_scramble_make_wide(seed, o.scale),
                     .build = build};
    if (k->build.direction == MEGURI_DIRECTION_DEFAULT) k->build.direction = MEGURI_UNDIRECTED;
    return mg_quadrants_new(&k->quadrants, ctx, initiator, o.scale);
}

meguri_status meguri_gen_kronecker(meguri_graph **out, meguri_ctx *ctx, const meguri_kronecker_options *options) {
    if (out) *out = NULL;
    if (!out || !ctx) return mg_missing(ctx, __func__);
    mg_begin(ctx);
    meguri_kronecker_options o;
    meguri_build_options build;
    const mg_makers *makers;
    meguri_layout layout;
    meguri_status status = MG_OPTIONS(ctx, &o, options, meguri_kronecker_options);
    if (status == MEGURI_OK) status = mg_own_build_options(&build, ctx, &o.build);
    if (status == MEGURI_OK) status = mg_layout_makers(&makers, &layout, ctx, &build.layout);
    if (status != MEGURI_OK) return status;
    if (makers) return makers->kronecker(out, ctx, &o);
    kronecker k;
    status = prepare(&k, ctx, &o);
    const mg_drawing *drawing = &k.base;
    if (status == MEGURI_OK) status = mg_draw_graph(out, ctx, &drawing, 1, (uint64_t)1 << k.scale, &k.build);
    mg_free(k.quadrants);
    return status;
}

meguri_status meguri_gen_kronecker_pairs(uint32_t **out, uint64_t *count, meguri_ctx *ctx,
                                         const meguri_kronecker_options *options) {
    if (out) *out = NULL;
    if (count) *count = 0;
    if (!out || !count || !ctx) return mg_missing(ctx, __func__);
    mg_begin(ctx);
    kronecker k;
    meguri_status status = prepare(&k, ctx, options);
    if (status == MEGURI_OK) status = mg_check_no_layout(ctx, &k.build);
    k.base.weights = MEGURI_TYPE_NONE;
    if (status == MEGURI_OK) status = mg_draw_pairs(out, ctx, &k.base);
    if (status == MEGURI_OK) *count = k.base.units;
    mg_free(k.quadrants);
    return status;
}

meguri_status mg_kronecker_new(mg_drawing **out, meguri_ctx *ctx, const meguri_kronecker_options *options) {
    *out = NULL;
    kronecker *k = mg_alloc(ctx, sizeof *k, "a generator");
    if (!k) return MEGURI_NO_MEMORY;
    meguri_status status = prepare(k, ctx, options);
    if (status == MEGURI_OK) *out = &k->base;
    else mg_free(k);
    return status;
}

meguri_status mg_kronecker_recipe(mg_recipe *out, meguri_ctx *ctx, const meguri_kronecker_options *options) {
    mg_drawing *drawing;
    *out = (mg_recipe){0};
    meguri_status status = mg_kronecker_new(&drawing, ctx, options);
    if (status != MEGURI_OK) return status;
    kronecker *k = (kronecker *)drawing;
    *out = (mg_recipe){.drawings = {drawing},
                       .count = 1,
                       .vertices = (uint64_t)1 << k->scale,
                       .build = k->build,
                       .owned = {k, k->quadrants}};
    return MEGURI_OK;
}

void mg_kronecker_free(mg_drawing *drawing) {
    if (!drawing) return;
    mg_free(((kronecker *)drawing)->quadrants);
    mg_free(drawing);
}

void mg_kronecker_weights(const mg_drawing *drawing, void *weights, uint64_t begin, uint64_t end) {
    mg_draw_weights(weights, drawing->weights, ((const kronecker *)drawing)->weights_key, begin, end);
}

void meguri_pairs_free(uint32_t *pairs) { mg_free(pairs); }
