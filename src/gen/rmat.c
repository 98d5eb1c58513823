/* R-MAT (Chakrabarti, Zhan, Faloutsos, 2004) with any parameters, directed, labels as they fall or permuted.
 *
 * With noise, the four probabilities are not the same at every level: for each edge and each level each of them is
 * multiplied by its own uniform number from [1 - noise, 1 + noise), and they are scaled to add up to 1 again, as the
 * HPCS scalable graph analysis benchmark (SSCA#2) does with 0.1. It smooths the steps in the degree distribution. */
#include "gen/gen.h"

#include <math.h>

typedef struct rmat {
    mg_drawing base;
    uint32_t scale;
    double p[4];
    double noise;
    uint64_t ends_key, weights_key;
    bool scrambled;
    mg_scramble scramble;
    mg_scramble_wide wide;
    mg_quadrants *quadrants; /* without noise */
    meguri_build_options build;
} rmat;

/* What all ways of drawing end with. */
static uint64_t finish_edges(const rmat *r, void *ends, bool wide, void *weights, uint64_t begin, uint64_t end) {
    const mg_scramble scramble = r->scramble;
    for (uint64_t i = 0; i < 2 * (end - begin) && r->scrambled; i++) {
        if (wide) ((uint64_t *)ends)[i] = mg_scramble_label_wide(&r->wide, ((uint64_t *)ends)[i]);
        else ((uint32_t *)ends)[i] = mg_scramble_label(&scramble, ((uint32_t *)ends)[i]);
    }
    if (weights) mg_draw_weights(weights, r->base.weights, r->weights_key, begin, end);
    return end - begin;
}

static uint64_t draw_plain(const mg_drawing *self, uint32_t *ends, void *weights, uint64_t begin, uint64_t end) {
    const rmat *r = (const rmat *)self;
    const uint64_t stride = mg_quadrants_draws(r->quadrants) * MG_RANDOM_STEP;
    uint64_t place = r->ends_key + begin * stride;
    uint32_t *at = ends;
    for (uint64_t i = begin; i < end; i++, place += stride, at += 2) {
        uint64_t edge = mg_quadrants_draw(r->quadrants, place);
        at[0] = (uint32_t)(edge >> 32);
        at[1] = (uint32_t)edge;
    }
    return finish_edges(r, ends, false, weights, begin, end);
}

static uint64_t draw_plain_wide(const mg_drawing *self, uint64_t *ends, void *weights, uint64_t begin, uint64_t end) {
    const rmat *r = (const rmat *)self;
    const uint64_t stride = mg_quadrants_draws(r->quadrants) * MG_RANDOM_STEP;
    uint64_t place = r->ends_key + begin * stride;
    for (uint64_t i = 0; i < end - begin; i++, place += stride)
        mg_quadrants_draw_wide(r->quadrants, place, ends + 2 * i);
    return finish_edges(r, ends, true, weights, begin, end);
}

/* One word moves the four probabilities, by 16 bits each, the next chooses. */
static uint32_t noisy_quadrant(const rmat *r, uint64_t index) {
    uint64_t moves = mg_random(r->ends_key, index);
    double q[4];
    for (int i = 0; i < 4; i++) {
        double unit = ((double)(moves >> 16 * i & 0xffff) + 0.5) * 0x1p-16; /* in (0, 1), 1/2 on average */
        q[i] = r->p[i] * (1 + r->noise * (2 * unit - 1));
    }
    double upper = q[0] + q[1], left_below = upper + q[2];
    /* 52 bits: times the sum of all, it stays below the sum whatever the rounding. */
    double where = (double)(mg_random(r->ends_key, index + 1) >> 12) * 0x1p-52 * (left_below + q[3]);
    return (uint32_t)(where >= q[0]) + (where >= upper) + (where >= left_below);
}

static uint64_t draw_noisy_as(const mg_drawing *self, void *ends, bool wide, void *weights, uint64_t begin,
                              uint64_t end) {
    const rmat *r = (const rmat *)self;
    for (uint64_t i = begin; i < end; i++) {
        uint64_t row = 0, column = 0;
        for (uint32_t level = 0; level < r->scale; level++) {
            uint32_t quadrant = noisy_quadrant(r, 2 * (i * r->scale + level));
            row = row << 1 | quadrant >> 1;
            column = column << 1 | (quadrant & 1);
        }
        mg_put_end(ends, wide, 2 * (i - begin), row);
        mg_put_end(ends, wide, 2 * (i - begin) + 1, column);
    }
    return finish_edges(r, ends, wide, weights, begin, end);
}

static uint64_t draw_noisy(const mg_drawing *self, uint32_t *ends, void *weights, uint64_t begin, uint64_t end) {
    return draw_noisy_as(self, ends, false, weights, begin, end);
}

static uint64_t draw_noisy_wide(const mg_drawing *self, uint64_t *ends, void *weights, uint64_t begin, uint64_t end) {
    return draw_noisy_as(self, ends, true, weights, begin, end);
}

/* Fills p with four probabilities that add up to 1. */
static meguri_status check_probabilities(double p[4], meguri_ctx *ctx, const meguri_rmat_options *o) {
    p[0] = o->a;
    p[1] = o->b;
    p[2] = o->c;
    if (p[0] == 0 && p[1] == 0 && p[2] == 0) {
        p[0] = 0.57;
        p[1] = p[2] = 0.19;
    }
    for (int i = 0; i < 3; i++)
        if (!(p[i] >= 0 && p[i] <= 1))
            return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "the probability %c of R-MAT is %g: it must lie between 0 and 1.",
                           "abc"[i], p[i]);
    double sum = p[0] + p[1] + p[2];
    if (sum > 1 + 1e-9) /* 0.7 + 0.2 + 0.1 may come out a little above 1 */
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT,
                       "the probabilities a, b and c of R-MAT add up to %g: they must leave 1 - a - b - c >= 0 for d.",
                       sum);
    p[3] = fmax(0, 1 - sum);
    for (int i = 0; i < 4; i++) p[i] /= fmax(1, sum);
    return MEGURI_OK;
}

static meguri_status prepare(rmat *r, meguri_ctx *ctx, const meguri_rmat_options *options) {
    meguri_rmat_options o;
    meguri_build_options build;
    uint64_t edges = 0;
    *r = (rmat){0};
    meguri_status status = MG_OPTIONS(ctx, &o, options, meguri_rmat_options);
    if (status == MEGURI_OK) status = mg_own_build_options(&build, ctx, &o.build);
    if (status == MEGURI_OK) status = mg_check_scale(ctx, o.scale, build.layout);
    if (status == MEGURI_OK) status = mg_count_drawn(&edges, ctx, o.scale, o.edge_factor);
    if (status == MEGURI_OK) status = mg_check_drawn_weights(ctx, o.weights);
    if (status == MEGURI_OK) status = mg_check_build_options(ctx, &build);
    if (status != MEGURI_OK) return status;
    if (!(o.noise >= 0 && o.noise <= 1))
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "the noise of R-MAT is %g: it must lie between 0 and 1.", o.noise);
    uint64_t seed = o.seed ? o.seed : 1;
    *r = (rmat){.base = {.draw = o.noise > 0 ? draw_noisy : draw_plain,
                         .draw_wide = o.noise > 0 ? draw_noisy_wide : draw_plain_wide,
                         .units = edges,
                         .edges_per_unit = 1,
                         .weights = o.weights},
                .scale = o.scale,
                .noise = o.noise,
                .ends_key = mg_random_key(seed, MG_STREAM_ENDS),
                .weights_key = mg_random_key(seed, MG_STREAM_WEIGHTS),
                .scrambled = o.scramble != 0,
                .scramble = mg_scramble_make(seed, MG_MIN(o.scale, MG_DRAWN_SCALE)),
                .wide = mg_scramble_make_wide(seed, o.scale),
                .build = build};
    if (r->build.direction == MEGURI_DIRECTION_DEFAULT) r->build.direction = MEGURI_DIRECTED;
    status = check_probabilities(r->p, ctx, &o);
    if (status == MEGURI_OK && o.noise == 0) status = mg_quadrants_new(&r->quadrants, ctx, r->p, o.scale);
    return status;
}

meguri_status mg_rmat_recipe(mg_recipe *out, meguri_ctx *ctx, const meguri_rmat_options *options) {
    *out = (mg_recipe){0};
    rmat *r = out->owned[0] = mg_alloc_zero(ctx, sizeof *r, "a generator");
    if (!r) return MEGURI_NO_MEMORY;
    meguri_status status = prepare(r, ctx, options);
    out->owned[1] = r->quadrants;
    if (status != MEGURI_OK) return status;
    out->drawings[out->count++] = &r->base;
    out->vertices = (uint64_t)1 << r->scale;
    out->build = r->build;
    return MEGURI_OK;
}

meguri_status meguri_gen_rmat(meguri_graph **out, meguri_ctx *ctx, const meguri_rmat_options *options) {
    if (out) *out = NULL;
    if (!out || !ctx) return mg_missing(ctx, __func__);
    mg_begin(ctx);
    meguri_rmat_options o;
    meguri_build_options build;
    const mg_makers *makers;
    meguri_layout layout;
    meguri_status status = MG_OPTIONS(ctx, &o, options, meguri_rmat_options);
    if (status == MEGURI_OK) status = mg_own_build_options(&build, ctx, &o.build);
    if (status == MEGURI_OK) status = mg_layout_makers(&makers, &layout, ctx, &build.layout);
    if (status != MEGURI_OK) return status;
    if (makers) return makers->rmat(out, ctx, &o);
    rmat r;
    status = prepare(&r, ctx, &o);
    const mg_drawing *drawing = &r.base;
    if (status == MEGURI_OK) status = mg_draw_graph(out, ctx, &drawing, 1, (uint64_t)1 << r.scale, &r.build);
    mg_free(r.quadrants);
    return status;
}
