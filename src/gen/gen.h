/* gen: Kronecker, R-MAT, uniform random, road-like grid. Random numbers are a function of (seed, edge number), so
 * the same seed gives the same graph at any number of threads. */
#ifndef MG_GEN_H
#define MG_GEN_H

#include "gen/random.h"
#include "graph/graph.h"

#include <meguri/gen.h>

/* ---- what all generators share (draw.c) ------------------------------------------------------------------------- */

/* A rule that turns numbers into edges. It is cut into units (mostly: edges); any range of them may be drawn on any
 * thread or machine, in any order. Generators put this first in a struct of their own. */
typedef struct mg_drawing mg_drawing;
struct mg_drawing {
    /* Writes the edges of the units [begin, end): two ids each, and a weight unless the type is NONE. Returns their
     * number. */
    uint64_t (*draw)(const mg_drawing *self, uint32_t *ends, void *weights, uint64_t begin, uint64_t end);
    /* The same with ids of 64 bits: all that there is where a graph in parts has more vertices than 32 bits number. */
    uint64_t (*draw_wide)(const mg_drawing *self, uint64_t *ends, void *weights, uint64_t begin, uint64_t end);
    uint64_t units;
    uint32_t edges_per_unit; /* at most */
    meguri_type weights;
};

/* The graph of some drawings together, on the vertices 0 … vertices-1. */
meguri_status mg_draw_graph(meguri_graph **out, meguri_ctx *ctx, const mg_drawing *const *drawings, int count,
                            uint64_t vertices, const meguri_build_options *build);
/* All edges of a drawing with exactly edges_per_unit edges in a unit and no weights, as one array of pairs. */
meguri_status mg_draw_pairs(uint32_t **out, meguri_ctx *ctx, const mg_drawing *drawing);

/* Weights of the edges [begin, end): whole 1 … 255 (as GAPBS) or real in [0, 1) (as Graph500). */
void mg_draw_weights(void *weights, meguri_type type, uint64_t key, uint64_t begin, uint64_t end);
meguri_status mg_check_drawn_weights(meguri_ctx *ctx, meguri_type type);
/* That there are numbers for 2^scale vertices; *edges of them, edge_factor (0: 16) times as many. */
meguri_status mg_check_scale(meguri_ctx *ctx, uint32_t scale, bool in_parts);
meguri_status mg_count_drawn(uint64_t *edges, meguri_ctx *ctx, uint32_t scale, uint32_t edge_factor);
/* Vertices that a generator may draw: what one process numbers, or what all of a cluster do. */
#define MG_DRAWN_SCALE          31
#define MG_DRAWN_SCALE_IN_PARTS 47
static inline uint64_t mg_most_drawn(const meguri_build_options *build) {
    return build->layout ? (uint64_t)1 << MG_DRAWN_SCALE_IN_PARTS : MG_MAX_VERTICES;
}
/* An id at a place of an array. */
static inline __attribute__((always_inline)) void mg_put_end(void *ends, bool wide, uint64_t place, uint64_t id) {
    if (wide) ((uint64_t *)ends)[place] = id;
    else ((uint32_t *)ends)[place] = (uint32_t)id;
}
meguri_status mg_check_no_layout(meguri_ctx *ctx, const meguri_build_options *build);

/* ---- quadrants (quadrants.c) ------------------------------------------------------------------------------------ */

#define MG_QUADRANT_LEVELS 5 /* drawn at once: the tables take 24 KB and stay in the first-level cache */

/* One of the 4^levels ways down the quadrants, by Walker's alias method. `ways` holds two for every cell: the row bits
 * in the upper half of a word, the column bits in the lower. */
typedef struct mg_quadrant_table {
    uint32_t levels;
    uint64_t limit[1 << 2 * MG_QUADRANT_LEVELS];
    uint64_t ways[2 << 2 * MG_QUADRANT_LEVELS];
} mg_quadrant_table;

typedef struct mg_quadrants {
    uint32_t whole;          /* draws of MG_QUADRANT_LEVELS levels */
    mg_quadrant_table table; /* for these */
    mg_quadrant_table rest;  /* for the levels left over; one draw, if there are any */
} mg_quadrants;

/* p: the probabilities of upper left, upper right, lower left, lower right. */
meguri_status mg_quadrants_new(mg_quadrants **out, meguri_ctx *ctx, const double p[4], uint32_t scale);
/* Random words that one edge takes. */
static inline uint64_t mg_quadrants_draws(const mg_quadrants *q) { return q->whole + (q->rest.levels != 0); }

static inline uint64_t mg_quadrant_way(const mg_quadrant_table *t, uint32_t levels, uint64_t bits) {
    uint64_t cell = bits >> (64 - 2 * levels);
    return t->ways[2 * cell + (bits << 2 * levels >= t->limit[cell])];
}

/* Row and column (upper and lower half) of an edge, from the words at `place`, `place` + MG_RANDOM_STEP, … */
static inline uint64_t mg_quadrants_draw(const mg_quadrants *q, uint64_t place) {
    uint64_t edge = 0;
    for (uint32_t i = 0; i < q->whole; i++, place += MG_RANDOM_STEP)
        edge = edge << MG_QUADRANT_LEVELS | mg_quadrant_way(&q->table, MG_QUADRANT_LEVELS, mg_random_mix(place));
    if (q->rest.levels) edge = edge << q->rest.levels | mg_quadrant_way(&q->rest, q->rest.levels, mg_random_mix(place));
    return edge;
}

/* The same, whatever the scale. */
static inline void mg_quadrants_draw_wide(const mg_quadrants *q, uint64_t place, uint64_t ends[2]) {
    ends[0] = ends[1] = 0;
    for (uint32_t i = 0; i < mg_quadrants_draws(q); i++, place += MG_RANDOM_STEP) {
        const mg_quadrant_table *table = i < q->whole ? &q->table : &q->rest;
        uint64_t way = mg_quadrant_way(table, table->levels, mg_random_mix(place));
        ends[0] = ends[0] << table->levels | way >> 32;
        ends[1] = ends[1] << table->levels | (way & UINT32_MAX);
    }
}

/* ---- Kronecker (kronecker.c) ------------------------------------------------------------------------------------ */

/* The rule behind meguri_gen_kronecker: for those who want any range of the edges, any number of times. Freed with
 * mg_kronecker_free. */
meguri_status mg_kronecker_new(mg_drawing **out, meguri_ctx *ctx, const meguri_kronecker_options *options);
void mg_kronecker_free(mg_drawing *drawing);
/* The weights of the edges [begin, end) alone, of the drawing's type. */
void mg_kronecker_weights(const mg_drawing *drawing, void *weights, uint64_t begin, uint64_t end);

/* ---- what generators draw, in one form -------------------------------------------------------------------------- */

/* For those who draw in shares: the graph is that of all drawings together, on the vertices 0 … vertices-1. */
typedef struct mg_recipe {
    const mg_drawing *drawings[2];
    int count;
    uint64_t vertices;
    meguri_build_options build;
    void *owned[2]; /* what mg_recipe_free takes */
} mg_recipe;
meguri_status mg_kronecker_recipe(mg_recipe *out, meguri_ctx *ctx, const meguri_kronecker_options *options);
meguri_status mg_rmat_recipe(mg_recipe *out, meguri_ctx *ctx, const meguri_rmat_options *options);
meguri_status mg_uniform_recipe(mg_recipe *out, meguri_ctx *ctx, const meguri_uniform_options *options);
meguri_status mg_grid_recipe(mg_recipe *out, meguri_ctx *ctx, const meguri_grid_options *options);
void mg_recipe_free(mg_recipe *recipe);

/* ---- labels (kronecker.c) --------------------------------------------------------------------------------------- */

/* A keyed bijection of 0 … 2^scale-1. */
typedef struct mg_scramble {
    uint32_t mask, shift;
    uint32_t factor[3], offset[3];
} mg_scramble;

mg_scramble mg_scramble_make(uint64_t seed, uint32_t scale);
/* The same of up to 48 bits, by numbers that need more: of scales up to 31 it is the same bijection. */
typedef struct mg_scramble_wide {
    uint64_t mask, factor[3], offset[3];
    uint32_t shift;
} mg_scramble_wide;
mg_scramble_wide mg_scramble_make_wide(uint64_t seed, uint32_t scale);

/* Each step is a bijection: multiplying by an odd number and adding modulo 2^scale, and xor with the own upper bits.
 * Multiplying carries every bit upwards, xor brings the upper half down again; three rounds mix all into all. */
static inline uint32_t mg_scramble_label(const mg_scramble *s, uint32_t v) {
    for (int round = 0; round < 3; round++) {
        v = (v * s->factor[round] + s->offset[round]) & s->mask;
        v ^= v >> s->shift;
    }
    return v;
}

static inline uint64_t mg_scramble_label_wide(const mg_scramble_wide *s, uint64_t v) {
    for (int round = 0; round < 3; round++) {
        v = (v * s->factor[round] + s->offset[round]) & s->mask;
        v ^= v >> s->shift;
    }
    return v;
}

#endif
