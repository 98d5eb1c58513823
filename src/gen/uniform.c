/* Uniform random graphs: Erdős and Rényi's G(n, m), drawn with replacement. Each edge has two ends drawn uniformly and
 * independently, so loops and repeated edges occur (and are dropped when the graph is built, unless asked for), and
 * degrees are close to Poisson. */
#include "gen/gen.h"

#include <inttypes.h>

typedef struct uniform {
    mg_drawing base;
    uint64_t vertices;
    uint64_t ends_key, weights_key;
    meguri_build_options build;
} uniform;

static inline uint64_t draw_as(const mg_drawing *self, void *ends, bool wide, void *weights, uint64_t begin,
                               uint64_t end) {
    const uniform *u = (const uniform *)self;
    for (uint64_t i = 2 * begin; i < 2 * end; i++)
        mg_put_end(ends, wide, i - 2 * begin, mg_random_below(mg_random(u->ends_key, i), u->vertices));
    if (weights) mg_draw_weights(weights, self->weights, u->weights_key, begin, end);
    return end - begin;
}

static uint64_t draw_uniform(const mg_drawing *self, uint32_t *ends, void *weights, uint64_t begin, uint64_t end) {
    return draw_as(self, ends, false, weights, begin, end);
}

static uint64_t draw_uniform_wide(const mg_drawing *self, uint64_t *ends, void *weights, uint64_t begin, uint64_t end) {
    return draw_as(self, ends, true, weights, begin, end);
}

static meguri_status prepare(uniform *u, meguri_ctx *ctx, const meguri_uniform_options *options) {
    meguri_uniform_options o;
    meguri_build_options build;
    meguri_status status = MG_OPTIONS(ctx, &o, options, meguri_uniform_options);
    if (status == MEGURI_OK) status = mg_own_build_options(&build, ctx, &o.build);
    if (status == MEGURI_OK) status = mg_check_drawn_weights(ctx, o.weights);
    if (status == MEGURI_OK) status = mg_check_build_options(ctx, &build);
    if (status == MEGURI_OK) status = mg_check_count(ctx, o.edges, 2 * sizeof(uint32_t), "edges");
    if (status != MEGURI_OK) return status;
    if (o.vertices > mg_most_drawn(&build))
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "%" PRIu64 " vertices are more than the %" PRIu64 " that fit.",
                       o.vertices, mg_most_drawn(&build));
    if (o.vertices == 0 && o.edges > 0)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT,
                       "%" PRIu64 " edges need at least one vertex: set the number of vertices.", o.edges);
    uint64_t seed = o.seed ? o.seed : 1;
    *u = (uniform){
        .base = {.draw = draw_uniform,
                 .draw_wide = draw_uniform_wide,
                 .units = o.edges,
                 .edges_per_unit = 1,
                 .weights = o.weights},
        .vertices = o.vertices,
        .ends_key = mg_random_key(seed, MG_STREAM_ENDS),
        .weights_key = mg_random_key(seed, MG_STREAM_WEIGHTS),
        .build = build,
    };
    if (u->build.direction == MEGURI_DIRECTION_DEFAULT) u->build.direction = MEGURI_DIRECTED;
    return MEGURI_OK;
}

meguri_status mg_uniform_recipe(mg_recipe *out, meguri_ctx *ctx, const meguri_uniform_options *options) {
    *out = (mg_recipe){0};
    uniform *u = out->owned[0] = mg_alloc(ctx, sizeof *u, "a generator");
    if (!u) return MEGURI_NO_MEMORY;
    meguri_status status = prepare(u, ctx, options);
    if (status != MEGURI_OK) return status;
    out->drawings[out->count++] = &u->base;
    out->vertices = u->vertices;
    out->build = u->build;
    return MEGURI_OK;
}

meguri_status meguri_gen_uniform(meguri_graph **out, meguri_ctx *ctx, const meguri_uniform_options *options) {
    if (out) *out = NULL;
    if (!out || !ctx) return mg_missing(ctx, __func__);
    mg_begin(ctx);
    meguri_uniform_options o;
    meguri_build_options build;
    const mg_makers *makers;
    meguri_layout layout;
    meguri_status status = MG_OPTIONS(ctx, &o, options, meguri_uniform_options);
    if (status == MEGURI_OK) status = mg_own_build_options(&build, ctx, &o.build);
    if (status == MEGURI_OK) status = mg_layout_makers(&makers, &layout, ctx, &build.layout);
    if (status != MEGURI_OK) return status;
    if (makers) return makers->uniform(out, ctx, &o);
    uniform u;
    status = prepare(&u, ctx, &o);
    const mg_drawing *drawing = &u.base;
    if (status == MEGURI_OK) status = mg_draw_graph(out, ctx, &drawing, 1, u.vertices, &u.build);
    return status;
}
