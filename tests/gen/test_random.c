/* The random numbers and the scrambling of labels, by themselves. */
#include "gen/helpers.h"

static void every_bit_is_even(void **state) {
    (void)state;
    enum { DRAWS = 1 << 20 };
    uint64_t key = mg_random_key(1, MG_STREAM_ENDS), ones[64] = {0}, same_as_next[64] = {0};
    for (uint64_t i = 0; i < DRAWS; i++) {
        uint64_t bits = mg_random(key, i), differing = bits ^ mg_random(key, i + 1);
        for (int b = 0; b < 64; b++) {
            ones[b] += bits >> b & 1;
            same_as_next[b] += ~differing >> b & 1;
        }
    }
    const double half[2] = {DRAWS / 2, DRAWS / 2};
    for (int b = 0; b < 64; b++) {
        assert_true(chi_square((uint64_t[]){ones[b], DRAWS - ones[b]}, half, 2) < chi_square_limit(1));
        assert_true(chi_square((uint64_t[]){same_as_next[b], DRAWS - same_as_next[b]}, half, 2) < chi_square_limit(1));
    }
}

/* Seeds and streams that differ in one bit give numbers that differ in about half of their bits. */
static void neighbours_are_strangers(void **state) {
    (void)state;
    uint64_t flipped = 0, compared = 0;
    for (uint64_t seed = 1; seed < 1000; seed++) {
        for (int stream = MG_STREAM_ENDS; stream <= MG_STREAM_LINK_WEIGHTS; stream++) {
            uint64_t here = mg_random(mg_random_key(seed, (mg_stream)stream), seed);
            uint64_t next_seed = mg_random(mg_random_key(seed + 1, (mg_stream)stream), seed);
            uint64_t next_stream = mg_random(mg_random_key(seed, (mg_stream)(stream + 1)), seed);
            flipped +=
                (uint64_t)__builtin_popcountll(here ^ next_seed) + (uint64_t)__builtin_popcountll(here ^ next_stream);
            compared += 128;
        }
    }
    const double half[2] = {(double)compared / 2, (double)compared / 2};
    assert_true(chi_square((uint64_t[]){flipped, compared - flipped}, half, 2) < chi_square_limit(1));
}

static void below_is_even(void **state) {
    (void)state;
    const uint64_t counts[] = {1, 2, 3, 10, 255, 1000};
    uint64_t key = mg_random_key(7, MG_STREAM_WEIGHTS);
    for (size_t c = 0; c < LENGTH(counts); c++) {
        uint64_t observed[1000] = {0};
        double expected[1000];
        for (uint64_t i = 0; i < 1000000; i++) observed[mg_random_below(mg_random(key, i), counts[c])]++;
        for (uint64_t i = 0; i < counts[c]; i++) expected[i] = 1e6 / (double)counts[c];
        if (counts[c] > 1)
            assert_true(chi_square(observed, expected, counts[c]) < chi_square_limit((double)counts[c] - 1));
    }
    assert_int_equal(mg_random_below(UINT64_MAX, MG_MAX_VERTICES), MG_MAX_VERTICES - 1);
    assert_int_equal(mg_random_below(0, MG_MAX_VERTICES), 0);
}

/* Every vertex of every scale up to 22; beyond, that labels stay within the scale. */
static void scrambling_is_a_bijection(void **state) {
    (void)state;
    unsigned char *seen = malloc(1 << 22);
    assert_non_null(seen);
    for (uint32_t scale = 1; scale <= 22; scale++) {
        for (uint64_t seed = 1; seed <= (scale <= 16 ? 20 : 1); seed++) {
            mg_scramble s = mg_scramble_make(seed, scale);
            memset(seen, 0, (size_t)1 << scale);
            for (uint32_t v = 0; v < (uint32_t)1 << scale; v++) {
                uint32_t label = mg_scramble_label(&s, v);
                assert_true(label < (uint32_t)1 << scale);
                assert_int_equal(seen[label]++, 0);
            }
        }
    }
    free(seen);
    mg_scramble s = mg_scramble_make(3, 31);
    for (uint32_t v = 0; v < 1000; v++) assert_true(mg_scramble_label(&s, UINT32_MAX / 2 - v) <= UINT32_MAX / 2);
}

/* Of 64 bits it is the same, and beyond 31 bits no two of many labels are equal. */
static int by_value(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void scrambling_of_more_bits(void **state) {
    (void)state;
    enum { LABELS = 20000 };
    static uint64_t labels[LABELS];
    for (uint32_t scale = 1; scale <= MG_DRAWN_SCALE_IN_PARTS; scale++) {
        const mg_scramble_wide wide = mg_scramble_make_wide(5, scale);
        const mg_scramble narrow = mg_scramble_make(5, MG_MIN(scale, MG_DRAWN_SCALE));
        uint64_t last = ((uint64_t)1 << scale) - 1, count = MG_MIN(last + 1, (uint64_t)LABELS), upper = 0;
        for (uint64_t i = 0; i < count; i++) { /* the first half of these, and the last */
            uint64_t v = i % 2 ? last - i / 2 : i / 2;
            labels[i] = mg_scramble_label_wide(&wide, v);
            assert_true(labels[i] <= last);
            if (scale <= MG_DRAWN_SCALE) assert_int_equal(labels[i], mg_scramble_label(&narrow, (uint32_t)v));
            upper += labels[i] > last / 2;
        }
        if (scale > 20) assert_in_range(upper, LABELS * 45 / 100, LABELS * 55 / 100);
        qsort(labels, count, sizeof *labels, by_value);
        for (uint64_t i = 1; i < count; i++) assert_true(labels[i - 1] < labels[i]);
    }
}

/* What a generator draws with ids of 64 bits is what it draws with 32, where these do; and where they do not, ids are
 * spread over all vertices. */
static void drawings_of_more_bits(void **state) {
    (void)state;
    enum { UNITS = 3000 };
    static uint64_t wide[4 * UNITS];
    static uint32_t narrow[4 * UNITS], weights[2][2 * UNITS];
    meguri_ctx *ctx;
    assert_int_equal(meguri_ctx_new(&ctx, NULL), MEGURI_OK);
    const meguri_layout somewhere = {.size = sizeof somewhere}; /* a cluster's; only whether there is one is asked */
    for (int which = 0; which < 5; which++)
        for (int large = 0; large < 2; large++) {
            const meguri_build_options build = {.size = sizeof build, .layout = &somewhere};
            const uint32_t scale = large ? 44 : 20;
            const meguri_kronecker_options k = {
                .size = sizeof k, .scale = scale, .weights = MEGURI_TYPE_U32, .build = &build};
            const meguri_rmat_options r = {.size = sizeof r,
                                           .scale = scale,
                                           .noise = which == 2 ? 0.1 : 0,
                                           .scramble = which == 1,
                                           .weights = MEGURI_TYPE_U32,
                                           .build = &build};
            const meguri_uniform_options u = {.size = sizeof u,
                                              .vertices = (uint64_t)1 << scale,
                                              .edges = 1 << 20,
                                              .weights = MEGURI_TYPE_U32,
                                              .build = &build};
            const meguri_grid_options g = {.size = sizeof g,
                                           .width = (uint64_t)1 << scale / 2,
                                           .height = (uint64_t)1 << scale / 2,
                                           .links = 1 << 20,
                                           .build = &build};
            mg_recipe recipe;
            meguri_status status = which == 0   ? mg_kronecker_recipe(&recipe, ctx, &k)
                                   : which <= 2 ? mg_rmat_recipe(&recipe, ctx, &r)
                                   : which == 3 ? mg_uniform_recipe(&recipe, ctx, &u)
                                                : mg_grid_recipe(&recipe, ctx, &g);
            assert_int_equal(status, MEGURI_OK);
            assert_int_equal(recipe.vertices, (uint64_t)1 << scale);
            for (int d = 0; d < recipe.count; d++) {
                const mg_drawing *drawing = recipe.drawings[d];
                uint64_t first = drawing->units - UNITS, beyond = 0;
                uint64_t edges = drawing->draw_wide(drawing, wide, weights[0], first, drawing->units);
                for (uint64_t i = 0; i < 2 * edges; i++) {
                    assert_true(wide[i] < recipe.vertices);
                    beyond += wide[i] > UINT32_MAX;
                }
                if (large) assert_true(beyond > edges); /* of twice as many ends */
                if (large) continue;
                assert_int_equal(drawing->draw(drawing, narrow, weights[1], first, drawing->units), edges);
                for (uint64_t i = 0; i < 2 * edges; i++) assert_int_equal(wide[i], narrow[i]);
                assert_memory_equal(weights[0], weights[1], edges * sizeof **weights);
            }
            mg_recipe_free(&recipe);
        }
    const meguri_kronecker_options too_large = {
        .size = sizeof too_large,
        .scale = 48,
        .build = &(meguri_build_options){.size = sizeof(meguri_build_options), .layout = &somewhere}};
    const meguri_kronecker_options alone = {.size = sizeof alone, .scale = 32};
    mg_recipe recipe;
    assert_int_equal(mg_kronecker_recipe(&recipe, ctx, &too_large), MEGURI_BAD_ARGUMENT);
    mg_recipe_free(&recipe);
    assert_int_equal(mg_kronecker_recipe(&recipe, ctx, &alone), MEGURI_BAD_ARGUMENT);
    mg_recipe_free(&recipe);
    meguri_ctx_free(ctx);
}

/* Flipping any bit of a vertex flips each bit of its label about half of the times. Small labels have too few seeds'
 * worth of permutations to be even; from scale 12 on they are. */
static void scrambling_leaves_no_pattern(void **state) {
    (void)state;
    for (uint32_t scale = 12; scale <= 31; scale++) {
        uint64_t flips[31][31] = {{0}}, trials = 0;
        for (uint64_t seed = 1; seed <= 400; seed++) {
            mg_scramble s = mg_scramble_make(seed, scale);
            for (uint64_t i = 0; i < 4; i++, trials++) {
                uint32_t v = (uint32_t)mg_random(seed, i) & s.mask;
                for (uint32_t b = 0; b < scale; b++) {
                    uint32_t differing = mg_scramble_label(&s, v) ^ mg_scramble_label(&s, v ^ (uint32_t)1 << b);
                    for (uint32_t c = 0; c < scale; c++) flips[b][c] += differing >> c & 1;
                }
            }
        }
        for (uint32_t b = 0; b < scale; b++)
            for (uint32_t c = 0; c < scale; c++) {
                double share = (double)flips[b][c] / (double)trials;
                if (share < 0.3 || share > 0.7)
                    fail_msg("scale %u: bit %u flips bit %u of the label with %.3f", scale, b, c, share);
            }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_bit_is_even),
        cmocka_unit_test(neighbours_are_strangers),
        cmocka_unit_test(below_is_even),
        cmocka_unit_test(scrambling_of_more_bits),
        cmocka_unit_test(drawings_of_more_bits),
        cmocka_unit_test(scrambling_is_a_bijection),
        cmocka_unit_test(scrambling_leaves_no_pattern),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
