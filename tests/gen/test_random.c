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
        cmocka_unit_test(scrambling_is_a_bijection),
        cmocka_unit_test(scrambling_leaves_no_pattern),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
