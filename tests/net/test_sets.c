/* Sets as they go over the network: every form comes back as it was, packed ones are short, damaged ones are refused or
 * at least read within bounds. */
#define _GNU_SOURCE
#include "net/ranks.h"

extern const mg_sets_hot mg_sets_base;

typedef struct sample {
    uint64_t words, count;
    uint64_t *bits, *known; /* bits & ~known are the set */
    uint32_t *list;
} sample;

/* `density` and `settled` in 1024ths; falling: members thin out towards the end, as hubs are reached first. */
static sample sample_new(uint64_t words, uint32_t density, uint32_t settled, bool falling, uint64_t *seed) {
    sample s = {.words = words};
    s.bits = calloc(words + 1, 8);
    s.known = calloc(words + 1, 8);
    s.list = calloc(64 * words + 1, 4);
    for (uint64_t i = 0; i < 64 * words; i++) {
        uint64_t r = next_random(seed), limit = falling ? density * (64 * words - i) / (64 * words) : density;
        if (r % 1024 < settled) s.known[i / 64] |= (uint64_t)1 << (i % 64);
        if (r >> 32 & 1) s.bits[i / 64] |= s.known[i / 64] & (uint64_t)1 << (i % 64); /* known ones may be set, too */
        if (s.known[i / 64] >> (i % 64) & 1 || (r >> 10) % 1024 >= limit) continue;
        s.bits[i / 64] |= (uint64_t)1 << (i % 64);
        s.list[s.count++] = (uint32_t)i;
    }
    return s;
}

static void sample_free(sample *s) {
    free(s->bits);
    free(s->known);
    free(s->list);
}

static void check_message(const sample *s, const uint8_t *message, uint64_t bytes) {
    mg_set_form form;
    uint64_t *out = malloc(8 * s->words + 8);
    assert_true(bytes <= mg_set_capacity(s->words));
    assert_int_equal(mg_set_count(message, bytes, &form), s->count);
    memset(out, 0x5a, 8 * s->words + 8);
    assert_true(mg_set_to_bits(out, message, bytes, s->known, s->words));
    for (uint64_t w = 0; w < s->words; w++) assert_int_equal(out[w], s->bits[w] & ~s->known[w]);
    assert_int_equal(out[s->words], 0x5a5a5a5a5a5a5a5a);
    if (form == MG_SET_LIST) {
        const uint32_t *list = mg_set_list(message, bytes, s->words);
        assert_non_null(list);
        assert_memory_equal(list, s->list, 4 * s->count);
    } else assert_null(mg_set_list(message, bytes, s->words));
    free(out);
}

static void every_form_comes_back(void **state) {
    (void)state;
    static const uint64_t words[] = {1, 2, 15, 16, 17, 100, 1000};
    static const uint32_t densities[] = {0, 1, 10, 33, 200, 512, 900, 1023, 1024};
    uint64_t seed = 5;
    for (size_t i = 0; i < COUNT_OF(words); i++)
        for (size_t k = 0; k < COUNT_OF(densities); k++)
            for (uint32_t settled = 0; settled <= 1024; settled += 256) {
                sample s = sample_new(words[i], densities[k], settled, k & 1, &seed);
                uint8_t *message = malloc(mg_set_capacity(s.words));
                mg_set from_bits = {s.words, s.count, NULL, s.bits, s.known};
                mg_set from_list = {s.words, s.count, s.list, NULL, NULL};
                for (int packed = 0; packed < 2; packed++) {
                    check_message(&s, message, mg_set_write(message, &from_bits, packed));
                    check_message(&s, message, mg_set_write(message, &from_list, packed));
                }
                free(message);
                sample_free(&s);
            }
}

/* The two targets write the same bytes and read each other's. */
static void targets_agree(void **state) {
    (void)state;
    uint64_t seed = 9;
    for (uint32_t density = 1; density < 1024; density += 97) {
        sample s = sample_new(300, density, 300, true, &seed);
        uint8_t a[8 * 300], b[8 * 300];
        uint64_t out[300];
        uint64_t bytes = mg_sets_base.pack(a, sizeof a, s.bits, s.known, s.words);
        assert_int_equal(bytes, mg_sets_loops()->pack(b, sizeof b, s.bits, s.known, s.words));
        if (bytes != UINT64_MAX) {
            assert_memory_equal(a, b, bytes);
            assert_true(mg_sets_base.unpack(out, a, bytes, s.known, s.words));
            for (uint64_t w = 0; w < s.words; w++) assert_int_equal(out[w], s.bits[w] & ~s.known[w]);
        }
        sample_free(&s);
    }
}

/* Within some percent of what information theory allows for members at random. */
static void packed_sets_are_short(void **state) {
    (void)state;
    uint64_t seed = 11;
    const struct {
        uint32_t density;
        double entropy; /* bits for a place */
    } cases[] = {{10, 0.0792}, {51, 0.2846}, {102, 0.4662}, {921, 0.4690}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        sample s = sample_new(4000, cases[i].density, 0, false, &seed);
        uint8_t *message = malloc(mg_set_capacity(s.words));
        mg_set set = {s.words, s.count, NULL, s.bits, s.known};
        double bytes = (double)mg_set_write(message, &set, true);
        assert_true(bytes < 1.12 * cases[i].entropy * 64 * 4000 / 8);
        free(message);
        sample_free(&s);
    }
}

static void damaged_sets_stay_in_bounds(void **state) {
    (void)state;
    uint64_t seed = 13;
    for (int round = 0; round < 300; round++) {
        sample s = sample_new(40, (uint32_t)(next_random(&seed) % 1024), 200, false, &seed);
        uint8_t *message = malloc(mg_set_capacity(s.words));
        uint64_t out[40];
        mg_set set = {s.words, s.count, NULL, s.bits, s.known};
        uint64_t bytes = mg_set_write(message, &set, true);
        for (int k = 0; k < 8 && bytes; k++) message[next_random(&seed) % bytes] ^= (uint8_t)next_random(&seed);
        uint8_t *shorter = malloc(bytes ? bytes : 1); /* of exactly its length, for AddressSanitizer */
        uint64_t length = bytes ? next_random(&seed) % (bytes + 1) : 0;
        memcpy(shorter, message, length);
        (void)mg_set_to_bits(out, shorter, length, s.known, s.words);
        const uint32_t *list = mg_set_list(shorter, length, s.words);
        mg_set_form form;
        uint64_t count = mg_set_count(shorter, length, &form);
        for (uint64_t i = 0; list && i < count; i++) assert_true(list[i] < 64 * s.words);
        free(shorter);
        free(message);
        sample_free(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_form_comes_back), cmocka_unit_test(targets_agree),
                                       cmocka_unit_test(packed_sets_are_short),
                                       cmocka_unit_test(damaged_sets_stay_in_bounds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
