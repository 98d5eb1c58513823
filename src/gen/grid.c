/* A road-like grid with railways.
 *
 * Crossings lie on a grid of width x height; vertex y * width + x. Of the streets to the right and downward neighbours
 * four in five are there, which makes a mean degree of 3.2, and their weights are log-uniform from 10 to 10^6: many
 * hops may be cheaper than few, as on the road map of Kanto in the paper on adaptive thread creation (Suzuki and
 * others, 2014), whose mean and spread of weights (83,666 and 184,384) are these to within 4 %.
 *
 * Links are its railways: they join stations far apart. How stations and links are chosen decides how a Bellman-Ford
 * search behaves, and was found by experiment (docs/generators.md has the measurements):
 *  - three stations for every four links, anywhere on the map, and links between any two of them: the whole map is
 *    reached almost at once, and then improved for a long while;
 *  - links are fast, log-uniform from 10 to 10^4: a search takes the nearest railway, wherever it starts;
 *  - no station at the middle of each side of the map, on 12 % of the side and 5.4 % of the way across: the last phases
 *    are walks into these remote strips, in which few vertices change. Their depth fixes the number of phases. */
#include "gen/gen.h"

#include <inttypes.h>

typedef struct grid {
    uint64_t width, height, vertices;
    uint64_t streets_key, coordinates_key, stations_key, links_key, link_weights_key;
    uint64_t stations;
    double powers[3][256]; /* [i][b]: 10^(5 b / 256^(i+1)) */
    meguri_build_options build;
} grid;

typedef struct grid_part { /* the streets or the links */
    mg_drawing base;
    const grid *grid;
} grid_part;

/* ---- weights ---------------------------------------------------------------------------------------------------- */

/* Powers by multiplication alone: the same on every machine, which exp() is not. */
static void prepare_powers(grid *g) {
    static const double root[3] = {1.045998953430253571, 1.000175688732620255, 1.000000686224068117};
    for (int i = 0; i < 3; i++) {
        g->powers[i][0] = 1;
        for (int b = 1; b < 256; b++) g->powers[i][b] = g->powers[i][b - 1] * root[i];
    }
}

/* 10 * 10^(5 u) rounded down, where u in [0, 1) is given by the lowest 24 bits. */
static uint32_t log_uniform(const grid *g, uint64_t bits) {
    return (uint32_t)(10 * g->powers[0][bits >> 16 & 255] * g->powers[1][bits >> 8 & 255] * g->powers[2][bits & 255]);
}

/* ---- streets ---------------------------------------------------------------------------------------------------- */

static inline uint64_t draw_streets_as(const mg_drawing *self, void *ends, bool wide, void *weights, uint64_t begin,
                                       uint64_t end) {
    const grid *g = ((const grid_part *)self)->grid;
    const uint32_t there = 3435973837u; /* 0.8 of 2^32 */
    uint32_t *weight = weights;
    uint64_t count = 0, column = begin % g->width;
    for (uint64_t v = begin; v < end; v++) {
        uint64_t right = mg_random(g->streets_key, 2 * v), down = mg_random(g->streets_key, 2 * v + 1);
        if (column + 1 < g->width && right >> 32 < there) {
            mg_put_end(ends, wide, 2 * count, v);
            mg_put_end(ends, wide, 2 * count + 1, v + 1);
            weight[count++] = log_uniform(g, right);
        }
        if (v + g->width < g->vertices && down >> 32 < there) {
            mg_put_end(ends, wide, 2 * count, v);
            mg_put_end(ends, wide, 2 * count + 1, v + g->width);
            weight[count++] = log_uniform(g, down);
        }
        if (++column == g->width) column = 0;
    }
    return count;
}

static uint64_t draw_streets(const mg_drawing *self, uint32_t *ends, void *weights, uint64_t begin, uint64_t end) {
    return draw_streets_as(self, ends, false, weights, begin, end);
}

static uint64_t draw_streets_wide(const mg_drawing *self, uint64_t *ends, void *weights, uint64_t begin, uint64_t end) {
    return draw_streets_as(self, ends, true, weights, begin, end);
}

/* ---- links ------------------------------------------------------------------------------------------------------ */

/* `along` a side in its middle 12 %, `across` from it less than 5.4 % of the way. */
static bool in_strip(uint64_t along, uint64_t side, uint64_t across, uint64_t way) {
    uint64_t off_middle = 2 * along + 1 > side ? 2 * along + 1 - side : side - (2 * along + 1);
    return 25 * off_middle < 3 * side && MG_MIN(across, way - 1 - across) < way * 27 / 500;
}

/* Where a station is. The strips are small: a few tries find another place, and the last may be anywhere. */
static uint64_t station_vertex(const grid *g, uint64_t station) {
    enum { TRIES = 16 };
    uint64_t x = 0, y = 0;
    for (uint64_t i = station * TRIES; i < (station + 1) * TRIES; i++) {
        x = mg_random_below(mg_random(g->stations_key, 2 * i), g->width);
        y = mg_random_below(mg_random(g->stations_key, 2 * i + 1), g->height);
        if (!in_strip(x, g->width, y, g->height) && !in_strip(y, g->height, x, g->width)) break;
    }
    return y * g->width + x;
}

/* Stations may share a crossing, above all on small maps; then the link is drawn again, and if that does not help, it
 * goes to any other crossing. */
static void draw_link(uint64_t ends[2], const grid *g, uint64_t link) {
    enum { TRIES = 8 };
    uint64_t from = 0, to = 0;
    for (uint64_t i = link * TRIES; i < (link + 1) * TRIES && from == to; i++) {
        from = station_vertex(g, mg_random_below(mg_random(g->links_key, 2 * i), g->stations));
        to = station_vertex(g, mg_random_below(mg_random(g->links_key, 2 * i + 1), g->stations));
    }
    if (from == to) {
        uint64_t bits = mg_random(g->links_key, 2 * link * TRIES + 1);
        to = (from + 1 + mg_random_below(bits, g->vertices - 1)) % g->vertices;
    }
    ends[0] = from;
    ends[1] = to;
}

static inline uint64_t draw_links_as(const mg_drawing *self, void *ends, bool wide, void *weights, uint64_t begin,
                                     uint64_t end) {
    const grid *g = ((const grid_part *)self)->grid;
    uint32_t *weight = weights;
    for (uint64_t i = begin; i < end; i++) {
        uint64_t link[2];
        draw_link(link, g, i);
        for (uint64_t side = 0; side < 2; side++) mg_put_end(ends, wide, 2 * (i - begin) + side, link[side]);
        *weight++ = log_uniform(g, (mg_random(g->link_weights_key, i) & 0xffffff) * 3 / 5); /* u < 3/5: below 10^4 */
    }
    return end - begin;
}

static uint64_t draw_links(const mg_drawing *self, uint32_t *ends, void *weights, uint64_t begin, uint64_t end) {
    return draw_links_as(self, ends, false, weights, begin, end);
}

static uint64_t draw_links_wide(const mg_drawing *self, uint64_t *ends, void *weights, uint64_t begin, uint64_t end) {
    return draw_links_as(self, ends, true, weights, begin, end);
}

/* ---- coordinates ------------------------------------------------------------------------------------------------ */

typedef struct place_job {
    const grid *grid;
    double *places;
} place_job;

/* Cells of 1000 x 1000; a crossing lies up to 200 off the middle of its cell each way. */
static void place_crossings(void *what, uint64_t begin, uint64_t end) {
    const place_job *job = what;
    const grid *g = job->grid;
    for (uint64_t v = begin; v < end; v++) {
        uint64_t bits = mg_random(g->coordinates_key, v);
        uint64_t right = (bits >> 32) * 401 >> 32, down = (bits & UINT32_MAX) * 401 >> 32;
        job->places[2 * v] = (double)(v % g->width * 1000 + 300 + right);
        job->places[2 * v + 1] = (double)(v / g->width * 1000 + 300 + down);
    }
}

static meguri_status add_coordinates(meguri_graph *graph, meguri_ctx *ctx, const grid *g) {
    place_job job = {g, mg_alloc_array(ctx, g->vertices, 2 * sizeof *job.places, "coordinates")};
    if (!job.places) return MEGURI_NO_MEMORY;
    mg_for(ctx, mg_threads(ctx, g->vertices, 1 << 16), g->vertices, place_crossings, &job);
    /* All vertices 0 … n-1 are declared: a vertex's position is its number. */
    mg_graph_own(graph, MG_PART_COORDINATES, job.places, g->vertices * 2 * sizeof *job.places);
    return MEGURI_OK;
}

/* ---- the graph -------------------------------------------------------------------------------------------------- */

static meguri_status prepare(grid *g, meguri_ctx *ctx, const meguri_grid_options *o) {
    uint64_t vertices, seed = o->seed ? o->seed : 1;
    meguri_status status = mg_check_build_options(ctx, o->build);
    if (status == MEGURI_OK) status = mg_check_count(ctx, o->links, 2 * sizeof(uint32_t), "links");
    if (status != MEGURI_OK) return status;
    if (o->width == 0 || o->height == 0)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT,
                       "a grid of %" PRIu64 " x %" PRIu64 " has no crossing: width and height start at 1.", o->width,
                       o->height);
    if (__builtin_mul_overflow(o->width, o->height, &vertices) || vertices > mg_most_drawn(o->build))
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT,
                       "a grid of %" PRIu64 " x %" PRIu64 " has more vertices than the %" PRIu64 " that fit.", o->width,
                       o->height, mg_most_drawn(o->build));
    if (o->links > 0 && vertices < 2)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "links need two crossings to join, but the grid has one.");
    *g = (grid){.width = o->width,
                .height = o->height,
                .vertices = vertices,
                .streets_key = mg_random_key(seed, MG_STREAM_STREETS),
                .coordinates_key = mg_random_key(seed, MG_STREAM_COORDINATES),
                .stations_key = mg_random_key(seed, MG_STREAM_STATIONS),
                .links_key = mg_random_key(seed, MG_STREAM_LINKS),
                .link_weights_key = mg_random_key(seed, MG_STREAM_LINK_WEIGHTS),
                .stations = MG_MAX(o->links - o->links / 4, 2u),
                .build = *o->build};
    if (g->build.direction == MEGURI_DIRECTION_DEFAULT) g->build.direction = MEGURI_UNDIRECTED;
    prepare_powers(g);
    return MEGURI_OK;
}

/* A grid with both of its parts. */
typedef struct grid_parts {
    grid grid;
    grid_part streets, links;
} grid_parts;

/* The place of *parts must not change afterwards. */
static meguri_status make_parts(grid_parts *parts, meguri_ctx *ctx, const meguri_grid_options *options) {
    meguri_grid_options o;
    meguri_build_options build;
    meguri_status status = MG_OPTIONS(ctx, &o, options, meguri_grid_options);
    if (status == MEGURI_OK) status = mg_own_build_options(&build, ctx, &o.build);
    if (status == MEGURI_OK) status = prepare(&parts->grid, ctx, &o);
    if (status != MEGURI_OK) return status;
    parts->streets =
        (grid_part){{draw_streets, draw_streets_wide, parts->grid.vertices, 2, MEGURI_TYPE_U32}, &parts->grid};
    parts->links = (grid_part){{draw_links, draw_links_wide, o.links, 1, MEGURI_TYPE_U32}, &parts->grid};
    return MEGURI_OK;
}

meguri_status mg_grid_recipe(mg_recipe *out, meguri_ctx *ctx, const meguri_grid_options *options) {
    *out = (mg_recipe){0};
    grid_parts *parts = out->owned[0] = mg_alloc(ctx, sizeof *parts, "a generator");
    if (!parts) return MEGURI_NO_MEMORY;
    meguri_status status = make_parts(parts, ctx, options);
    if (status != MEGURI_OK) return status;
    out->drawings[out->count++] = &parts->streets.base;
    out->drawings[out->count++] = &parts->links.base;
    out->vertices = parts->grid.vertices;
    out->build = parts->grid.build;
    return MEGURI_OK;
}

meguri_status meguri_gen_grid(meguri_graph **out, meguri_ctx *ctx, const meguri_grid_options *options) {
    if (out) *out = NULL;
    if (!out || !ctx) return mg_missing(ctx, __func__);
    mg_begin(ctx);
    meguri_grid_options o;
    meguri_build_options build;
    const mg_makers *makers;
    meguri_layout layout;
    meguri_status status = MG_OPTIONS(ctx, &o, options, meguri_grid_options);
    if (status == MEGURI_OK) status = mg_own_build_options(&build, ctx, &o.build);
    if (status == MEGURI_OK) status = mg_layout_makers(&makers, &layout, ctx, &build.layout);
    if (status != MEGURI_OK) return status;
    if (makers) return makers->grid(out, ctx, &o);
    grid_parts parts;
    meguri_graph *graph = NULL;
    status = make_parts(&parts, ctx, &o);
    if (status != MEGURI_OK) return status;
    const mg_drawing *const drawings[] = {&parts.streets.base, &parts.links.base};
    status = mg_draw_graph(&graph, ctx, drawings, 2, parts.grid.vertices, &parts.grid.build);
    if (status == MEGURI_OK) status = add_coordinates(graph, ctx, &parts.grid);
    if (status == MEGURI_OK) *out = graph;
    else meguri_graph_free(graph);
    return status;
}
