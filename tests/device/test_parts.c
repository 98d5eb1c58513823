/* Rows in parts (device/parts.c): whatever is asked for arrives, each arc once, and nothing else is taken for it; how
 * much is sent. */
#define _GNU_SOURCE
#include "policy/policy.h"
#include "support/device.h"
#include "support/zoo.h"

#include <stdlib.h>

#define ROWS 700

/* Random rows: most are short or empty, some longer than a batch. */
typedef struct material {
    mg_rows rows;
    uint64_t *offsets;
    uint32_t *neighbors;
    uint16_t *weights;
    uint64_t bits[(ROWS + 63) / 64];
} material;

static material make(uint64_t *seed) {
    material m = {.offsets = calloc(ROWS + 1, sizeof *m.offsets)};
    assert_non_null(m.offsets);
    for (uint64_t v = 0; v < ROWS; v++) {
        uint64_t kind = zoo_random(seed) % 50, degree = kind < 10 ? 0 : kind < 48 ? zoo_random(seed) % 40 : 0;
        if (kind >= 48) degree = zoo_random(seed) % 3000;
        m.offsets[v + 1] = m.offsets[v] + degree;
    }
    uint64_t arcs = m.offsets[ROWS];
    m.neighbors = calloc(arcs, sizeof *m.neighbors);
    m.weights = calloc(arcs, sizeof *m.weights);
    assert_true(m.neighbors && m.weights);
    for (uint64_t i = 0; i < arcs; i++) {
        m.neighbors[i] = (uint32_t)zoo_random(seed);
        m.weights[i] = (uint16_t)zoo_random(seed);
    }
    m.rows =
        (mg_rows){.rows = ROWS, .arcs = arcs, .offsets64 = m.offsets, .neighbors = m.neighbors, .weights = m.weights};
    return m;
}

static void drop(material *m) {
    free(m->offsets);
    free(m->neighbors);
    free(m->weights);
}

/* How much of each row has come. */
typedef struct arrivals {
    const material *m;
    bool weighted;
    uint64_t come[ROWS];
} arrivals;

static meguri_status look(void *what, meguri_ctx *ctx, const mg_batch *b) {
    arrivals *a = what;
    const material *m = a->m;
    uint32_t *entries = calloc(b->count + 1, 8), *neighbors = calloc(b->arcs + 1, 4);
    uint16_t *weights = calloc(b->arcs + 1, 2);
    assert_true(entries && neighbors && weights);
    assert_int_equal(mg_buffer_read(ctx, &b->entries, 0, entries, (b->count + 1) * 8), MEGURI_OK);
    assert_int_equal(mg_buffer_read(ctx, &b->neighbors, 0, neighbors, b->arcs * 4), MEGURI_OK);
    if (a->weighted) assert_int_equal(mg_buffer_read(ctx, &b->weights, 0, weights, b->arcs * 2), MEGURI_OK);
    assert_int_equal(entries[1], 0);
    assert_int_equal(entries[2 * b->count + 1], b->arcs);
    for (uint32_t i = 0; i < b->count; i++) {
        uint32_t row = entries[2 * i], begin = entries[2 * i + 1], arcs = entries[2 * i + 3] - begin;
        if (row == UINT32_MAX) continue;
        assert_true(row < ROWS && (m->bits[row / 64] >> row % 64 & 1) && arcs <= MG_PART_PIECE);
        uint64_t at = m->offsets[row] + a->come[row];
        assert_true(at + arcs <= m->offsets[row + 1]);
        assert_memory_equal(neighbors + begin, m->neighbors + at, arcs * 4);
        if (a->weighted) assert_memory_equal(weights + begin, m->weights + at, arcs * 2);
        a->come[row] += arcs;
    }
    free(entries);
    free(neighbors);
    free(weights);
    return MEGURI_OK;
}

/* A round in which about one of `every` rows is asked for, in runs; returns the bytes that it sent. */
static uint64_t ask(meguri_ctx *ctx, mg_parts *parts, material *m, uint64_t *seed, uint64_t every) {
    arrivals a = {.m = m, .weighted = parts->weight_bytes != 0};
    uint64_t sent = parts->device->sent;
    memset(m->bits, 0, sizeof m->bits);
    for (uint64_t v = 0; v < ROWS; v++)
        if (every && zoo_random(seed) % every == 0) m->bits[v / 64] |= (uint64_t)1 << v % 64;
    assert_int_equal(mg_parts_each(ctx, parts, m->bits, look, &a), MEGURI_OK);
    for (uint64_t v = 0; v < ROWS; v++)
        assert_int_equal(a.come[v], m->bits[v / 64] >> v % 64 & 1 ? m->offsets[v + 1] - m->offsets[v] : 0);
    return parts->device->sent - sent;
}

static void all_that_is_asked_for(void **state) {
    (void)state;
    meguri_ctx *ctx = device_context(NULL, 0);
    mg_device *d;
    assert_int_equal(mg_device_get(&d, ctx), MEGURI_OK);
    for (uint64_t turn = 0, seed = 11; turn < 12; turn++) {
        material m = make(&seed);
        mg_parts parts;
        d->memory = 40000 + zoo_random(&seed) % 60000;
        d->peak = d->used;
        assert_int_equal(mg_parts_open(&parts, ctx, d, &m.rows, turn % 2 ? 2 : 0, 1), MEGURI_OK);
        uint64_t each = 4 + parts.weight_bytes, all = m.rows.arcs * each;
        assert_int_equal(ask(ctx, &parts, &m, &seed, 0), 0);
        assert_true(ask(ctx, &parts, &m, &seed, 1) >= all);
        assert_true(parts.ranges == parts.count && parts.idle == parts.count && !parts.packs);
        assert_true(ask(ctx, &parts, &m, &seed, 40) < all / 4);
        for (uint64_t every = 2; every < 6; every++) ask(ctx, &parts, &m, &seed, every);
        assert_true(parts.packs > 0 && parts.copy_seconds > 0);
        parts.all = true; /* the paper's scheme */
        assert_true(ask(ctx, &parts, &m, &seed, 40) >= all);
        assert_true(d->peak <= d->memory);
        mg_parts_close(&parts);
        assert_int_equal(d->used, 0);
        drop(&m);
    }
    context_done(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_that_is_asked_for)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
