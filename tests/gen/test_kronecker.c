/* Kronecker and R-MAT: are the edges what the specification says? Compared with the probabilities themselves and with
 * a slow generator written from the octave code in the Graph500 specification. */
#include "gen/helpers.h"
#include "support/zoo.h"

#include <math.h>

enum { SCALE = 16 };

static uint32_t *kronecker_pairs(meguri_ctx *ctx, uint32_t scale, uint64_t seed, uint64_t *count) {
    uint32_t *pairs;
    meguri_kronecker_options o = {.size = sizeof o, .scale = scale, .seed = seed};
    assert_int_equal(meguri_gen_kronecker_pairs(&pairs, count, ctx, &o), MEGURI_OK);
    assert_int_equal(*count, (uint64_t)16 << scale);
    return pairs;
}

/* All edges of an R-MAT graph, as pairs. */
static uint32_t *rmat_pairs(meguri_ctx *ctx, meguri_rmat_options o, uint64_t *count) {
    meguri_graph *graph;
    o.size = sizeof o;
    o.build = &(meguri_build_options){.size = sizeof(meguri_build_options),
                                      .order = MEGURI_ORDER_NONE,
                                      .duplicates = MEGURI_DUPLICATES_KEEP,
                                      .keep_loops = 1};
    assert_int_equal(meguri_gen_rmat(&graph, ctx, &o), MEGURI_OK);
    arcs a = arcs_of(ctx, graph);
    assert_int_equal(a.count, (uint64_t)(o.edge_factor ? o.edge_factor : 16) << o.scale);
    uint32_t *pairs = malloc(a.count * 2 * sizeof *pairs);
    assert_non_null(pairs);
    for (uint64_t i = 0; i < a.count; i++) {
        pairs[2 * i] = a.from[i];
        pairs[2 * i + 1] = a.to[i];
    }
    *count = a.count;
    arcs_free(&a);
    meguri_graph_free(graph);
    return pairs;
}

static uint32_t quadrant(const uint32_t *pair, uint32_t bit) { return (pair[0] >> bit & 1) * 2 + (pair[1] >> bit & 1); }

/* Each level by itself, and every two levels together: they must be independent. */
static void check_quadrants(const uint32_t *pairs, uint64_t count, uint32_t scale, const double p[4]) {
    int possible = 0;
    for (int q = 0; q < 4; q++) possible += p[q] > 0;
    for (uint32_t high = 0; high < scale; high++) {
        for (uint32_t low = 0; low <= high; low++) {
            uint64_t observed[16] = {0};
            double expected[16] = {0};
            for (uint64_t i = 0; i < count; i++)
                observed[quadrant(pairs + 2 * i, high) * 4 + quadrant(pairs + 2 * i, low)]++;
            for (int q = 0; q < 16; q++)
                expected[q] =
                    high == low ? (q / 4 == q % 4) * p[q / 4] * (double)count : p[q / 4] * p[q % 4] * (double)count;
            double chi = chi_square(observed, expected, 16);
            double limit = chi_square_limit(high == low ? possible - 1 : possible * possible - 1);
            if (chi > limit) fail_msg("levels %u and %u: chi-square %g, limit %g", high, low, chi, limit);
        }
    }
}

static void kronecker_has_the_initiator(void **state) {
    (void)state;
    static const double initiator[4] = {0.57, 0.19, 0.19, 0.05};
    meguri_ctx *ctx = new_context(2, 0);
    uint32_t *unscrambled = malloc(((uint32_t)1 << SCALE) * sizeof *unscrambled);
    assert_non_null(unscrambled);
    for (uint32_t scale = 1; scale <= SCALE; scale += 5) { /* 1, 6, 11, 16: whole tables and one level left over */
        uint64_t count;
        uint32_t *pairs = kronecker_pairs(ctx, scale, 5, &count);
        mg_scramble s = mg_scramble_make(5, scale);
        for (uint32_t v = 0; v < (uint32_t)1 << scale; v++) unscrambled[mg_scramble_label(&s, v)] = v;
        for (uint64_t i = 0; i < 2 * count; i++) {
            assert_true(pairs[i] < (uint32_t)1 << scale);
            pairs[i] = unscrambled[pairs[i]];
        }
        if (scale >= 6) check_quadrants(pairs, count, scale, initiator);
        meguri_pairs_free(pairs);
    }
    free(unscrambled);
    free_context(ctx);
}

static void rmat_has_its_parameters(void **state) {
    (void)state;
    static const double p[][4] = {{0.57, 0.19, 0.19, 0.05}, {0.45, 0.15, 0.15, 0.25}, {0.25, 0.25, 0.25, 0.25},
                                  {0.5, 0.2, 0.3, 0},       {0, 0.5, 0.5, 0},         {0.7, 0.2, 0.1, 0}};
    meguri_ctx *ctx = new_context(2, 0);
    for (size_t i = 0; i < LENGTH(p); i++) {
        for (uint32_t scale = 10; scale <= 14; scale++) { /* every number of levels left over */
            uint64_t count;
            meguri_rmat_options o = {.scale = scale, .a = p[i][0], .b = p[i][1], .c = p[i][2], .seed = 11};
            uint32_t *pairs = rmat_pairs(ctx, o, &count);
            check_quadrants(pairs, count, scale, p[i]);
            free(pairs);
        }
    }
    uint64_t count; /* three zeros stand for Graph500's */
    uint32_t *pairs = rmat_pairs(ctx, (meguri_rmat_options){.scale = 12}, &count);
    check_quadrants(pairs, count, 12, p[0]);
    free(pairs);
    /* A quarter with probability 1 leaves one edge. */
    pairs = rmat_pairs(ctx, (meguri_rmat_options){.scale = 7, .b = 1}, &count);
    for (uint64_t i = 0; i < count; i++) assert_true(pairs[2 * i] == 0 && pairs[2 * i + 1] == 127);
    free(pairs);
    free_context(ctx);
}

/* The mean over the noise of p_i n_i / sum of p_j n_j, by the midpoint rule in four dimensions. */
static void expected_with_noise(double mean[4], const double p[4], double noise) {
    enum { STEPS = 24 };
    memset(mean, 0, 4 * sizeof *mean);
    for (int k = 0; k < STEPS * STEPS * STEPS * STEPS; k++) {
        double q[4], sum = 0;
        for (int i = 0, rest = k; i < 4; i++, rest /= STEPS) {
            q[i] = p[i] * (1 + noise * (2 * (rest % STEPS + 0.5) / STEPS - 1));
            sum += q[i];
        }
        for (int i = 0; i < 4; i++) mean[i] += q[i] / sum / ((double)STEPS * STEPS * STEPS * STEPS);
    }
}

static void noise_is_per_edge_and_level(void **state) {
    (void)state;
    static const double p[4] = {0.57, 0.19, 0.19, 0.05};
    static const double noise[] = {1e-9, 0.1, 0.9, 1};
    meguri_ctx *ctx = new_context(2, 0);
    for (size_t i = 0; i < LENGTH(noise); i++) {
        uint64_t count;
        double mean[4];
        uint32_t *pairs = rmat_pairs(ctx, (meguri_rmat_options){.scale = 14, .noise = noise[i], .seed = 2}, &count);
        expected_with_noise(mean, p, noise[i]);
        check_quadrants(pairs, count, 14, mean);
        free(pairs);
    }
    /* The quarter that cannot be hit stays so. */
    uint64_t count;
    uint32_t *pairs =
        rmat_pairs(ctx, (meguri_rmat_options){.scale = 12, .a = 0.5, .b = 0.3, .c = 0.2, .noise = 0.5}, &count);
    for (uint64_t i = 0; i < count; i++) assert_int_equal(pairs[2 * i] & pairs[2 * i + 1], 0);
    free(pairs);
    /* Noise 0 is no noise. */
    uint64_t plain_count;
    pairs = rmat_pairs(ctx, (meguri_rmat_options){.scale = 12, .noise = 0}, &count);
    uint32_t *plain = rmat_pairs(ctx, (meguri_rmat_options){.scale = 12}, &plain_count);
    assert_int_equal(count, plain_count);
    assert_memory_equal(pairs, plain, count * 2 * sizeof *pairs);
    free(pairs);
    free(plain);
    free_context(ctx);
}

/* ---- against the octave code ------------------------------------------------------------------------------------ */

static double uniform_number(uint64_t *state) { return (double)(zoo_random(state) >> 11) * 0x1p-53; }

/* kronecker_generator.m of the specification, line by line; labels by Fisher and Yates. */
static uint32_t *slow_kronecker(uint32_t scale, uint64_t *state) {
    const double a = 0.57, b = 0.19, c = 0.19, ab = a + b, c_norm = c / (1 - ab), a_norm = a / ab;
    uint64_t n = (uint64_t)1 << scale, m = 16 * n;
    uint32_t *pairs = calloc(2 * m, sizeof *pairs), *label = malloc(n * sizeof *label);
    assert_true(pairs && label);
    for (uint32_t bit = 0; bit < scale; bit++)
        for (uint64_t i = 0; i < m; i++) {
            uint32_t row = uniform_number(state) > ab;
            uint32_t column = uniform_number(state) > (row ? c_norm : a_norm);
            pairs[2 * i] += row << bit;
            pairs[2 * i + 1] += column << bit;
        }
    for (uint64_t i = 0; i < n; i++) label[i] = (uint32_t)i;
    for (uint64_t i = n - 1; i > 0; i--) {
        uint64_t k = zoo_random(state) % (i + 1);
        uint32_t swap = label[i];
        label[i] = label[k];
        label[k] = swap;
    }
    for (uint64_t i = 0; i < 2 * m; i++) pairs[i] = label[pairs[i]];
    free(label);
    return pairs;
}

typedef struct shape {
    double isolated, loops, largest, second_moment;
    double by_size[20]; /* vertices with a degree of 2^k … 2^(k+1)-1 */
} shape;

static shape shape_of(const uint32_t *pairs, uint64_t count, uint32_t scale) {
    uint64_t n = (uint64_t)1 << scale;
    uint32_t *degree = calloc(n, sizeof *degree);
    assert_non_null(degree);
    shape s = {0};
    for (uint64_t i = 0; i < count; i++) {
        s.loops += pairs[2 * i] == pairs[2 * i + 1];
        degree[pairs[2 * i]]++;
        degree[pairs[2 * i + 1]]++;
    }
    for (uint64_t v = 0; v < n; v++) {
        s.isolated += degree[v] == 0;
        s.largest = fmax(s.largest, degree[v]);
        s.second_moment += (double)degree[v] * degree[v];
        if (degree[v]) s.by_size[31 - __builtin_clz(degree[v])]++;
    }
    free(degree);
    return s;
}

static void assert_near(const char *what, double here, double there, double tolerance) {
    if (fabs(here - there) > tolerance) fail_msg("%s: %g, by the specification %g +- %g", what, here, there, tolerance);
}

static void kronecker_is_as_specified(void **state) {
    (void)state;
    meguri_ctx *ctx = new_context(2, 0);
    uint64_t count, random = 12345;
    uint32_t *pairs = kronecker_pairs(ctx, SCALE, 1, &count), *slow = slow_kronecker(SCALE, &random);
    shape here = shape_of(pairs, count, SCALE), there = shape_of(slow, count, SCALE);
    assert_true(there.isolated > 10000); /* what everybody sees at this scale: about a quarter of the vertices */
    assert_near("isolated vertices", here.isolated, there.isolated, 6 * sqrt(2 * there.isolated));
    assert_near("self-loops", here.loops, there.loops, 6 * sqrt(2 * there.loops));
    assert_near("largest degree", here.largest, there.largest, 6 * sqrt(2 * there.largest));
    assert_near("second moment of the degrees", here.second_moment, there.second_moment, 0.01 * there.second_moment);
    for (int k = 0; k < 20; k++)
        assert_near("vertices of a degree", here.by_size[k], there.by_size[k], 6 * sqrt(2 * there.by_size[k]) + 3);
    meguri_pairs_free(pairs);
    free(slow);
    free_context(ctx);
}

/* Hubs may be anywhere: no bit of a label says anything about the degree. */
static void labels_tell_nothing(void **state) {
    (void)state;
    meguri_ctx *ctx = new_context(2, 0);
    double mean[SCALE] = {0};
    for (uint64_t seed = 1; seed <= 8; seed++) {
        uint64_t count;
        uint32_t *pairs = kronecker_pairs(ctx, SCALE, seed, &count);
        for (int bit = 0; bit < SCALE; bit++) {
            uint64_t ones = 0;
            for (uint64_t i = 0; i < 2 * count; i++) ones += pairs[i] >> bit & 1;
            mean[bit] += (double)ones / (double)(2 * count) / 8;
        }
        meguri_pairs_free(pairs);
    }
    /* One seed strays by half the root of the sum of the squared shares of all vertices: 0.6352^8 / 2 = 0.013. */
    for (int bit = 0; bit < SCALE; bit++) assert_near("share of ones in labels", mean[bit], 0.5, 5 * 0.013 / sqrt(8));
    free_context(ctx);
}

static void seeds_and_threads(void **state) {
    (void)state;
    static const uint32_t threads[] = {1, 2, 5};
    uint64_t count;
    meguri_ctx *ctx = new_context(1, 0);
    uint32_t *first = kronecker_pairs(ctx, 15, 1, &count), *other = kronecker_pairs(ctx, 15, 2, &count);
    uint64_t same = 0;
    for (uint64_t i = 0; i < count; i++) same += first[2 * i] == other[2 * i] && first[2 * i + 1] == other[2 * i + 1];
    assert_true(same < count / 100);
    meguri_pairs_free(other);
    for (size_t t = 0; t < LENGTH(threads); t++) {
        meguri_ctx *many = new_context(threads[t], 0);
        other = kronecker_pairs(many, 15, t == 1 ? 0 : 1, &count); /* seed 0 is seed 1 */
        assert_memory_equal(first, other, count * 2 * sizeof *first);
        meguri_pairs_free(other);
        free_context(many);
    }
    meguri_pairs_free(first);
    free_context(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kronecker_has_the_initiator), cmocka_unit_test(rmat_has_its_parameters),
        cmocka_unit_test(noise_is_per_edge_and_level), cmocka_unit_test(kronecker_is_as_specified),
        cmocka_unit_test(labels_tell_nothing),         cmocka_unit_test(seeds_and_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
