/* Values of some of many vertices: every form comes through, rounds after the first allocate nothing, and whatever a
 * lying process sends is refused or at least read within bounds. */
#define _GNU_SOURCE
#include "net/ranks.h"

enum { WORDS = 5, VERTICES = 300, BLOCK = 64 * WORDS, ITEM = 12, ROUNDS = 12 };

/* Everybody tells everybody about its own block; the item of a place says who, where and in which round. */
static void fill_item(char *item, size_t bytes, int rank, uint32_t place, uint32_t round) {
    uint32_t words[3] = {(uint32_t)rank * 1000 + place, round, place ^ 77u};
    memcpy(item, words, bytes);
}

static meguri_status make_plan(mg_sparse **out, meguri_ctx *ctx, meguri_cluster *c, size_t item_bytes) {
    mg_sparse_peer peers[16];
    uint32_t count = 0;
    for (int r = 0; r < c->size; r++)
        if (r != c->rank) peers[count++] = (mg_sparse_peer){.rank = r, .block = r, .vertices = VERTICES};
    const mg_sparse_spec spec = {.kind = "test",
                                 .words = WORDS,
                                 .item_bytes = item_bytes,
                                 .in = peers,
                                 .ins = count,
                                 .out = peers,
                                 .outs = count};
    return mg_sparse_new(out, ctx, c, &spec);
}

/* Members of rank r in a round: none, few, many, all; in a random order. */
static uint64_t members(uint32_t *places, int rank, uint32_t round) {
    static const uint32_t every[] = {VERTICES + 1, 61, 7, 2, 1};
    uint32_t step = every[(round + (uint32_t)rank) % COUNT_OF(every)];
    uint64_t count = 0, seed = (uint64_t)rank * 99 + round;
    for (uint32_t v = step > VERTICES ? VERTICES : (uint32_t)rank % step; v < VERTICES; v += step) places[count++] = v;
    for (uint64_t i = count; i > 1; i--) {
        uint64_t k = next_random(&seed) % i;
        uint32_t swap = places[i - 1];
        places[i - 1] = places[k];
        places[k] = swap;
    }
    return count;
}

static meguri_status tell_all(meguri_ctx *ctx, mg_sparse *x, int rank, uint32_t round, size_t bytes) {
    uint32_t places[VERTICES];
    const uint32_t *order;
    uint64_t count = members(places, rank, round);
    meguri_status status = mg_sparse_begin(ctx, x);
    char *items = mg_sparse_write(x, 0, places, count, VERTICES, bytes, &order);
    for (uint64_t i = 0; i < count; i++) fill_item(items + i * bytes, bytes, rank, order[i], round);
    if (status == MEGURI_OK) status = mg_sparse_send(ctx, x, 0);
    return status == MEGURI_OK ? mg_sparse_wait(ctx, x) : status;
}

static meguri_status check_heard(meguri_ctx *ctx, mg_sparse *x, uint32_t round, size_t bytes) {
    for (uint32_t i = 0; i < mg_sparse_ins(x); i++) {
        uint32_t got[VERTICES], expected[VERTICES];
        int from = mg_sparse_from(x, i)->rank;
        uint64_t count = members(expected, from, round), sum = 0;
        mg_sparse_items items;
        meguri_status status = mg_sparse_read(&items, got, ctx, x, i, 10000);
        if (status != MEGURI_OK) return status;
        RANK_CHECK(ctx, items.count == count && (!count || items.item_bytes == bytes));
        for (uint64_t k = 0; k < count; k++) {
            char item[ITEM];
            fill_item(item, bytes, from, got[k] - 10000, round);
            RANK_CHECK(ctx, memcmp(item, items.items + k * bytes, bytes) == 0);
            sum += got[k] - 10000 - (uint64_t)expected[k];
        }
        RANK_CHECK(ctx, sum == 0);
    }
    return MEGURI_OK;
}

static meguri_status rounds(void *user, meguri_ctx *ctx, meguri_cluster *c) {
    (void)user;
    mg_sparse *x;
    meguri_status status = make_plan(&x, ctx, c, ITEM);
    for (uint32_t round = 0; round < ROUNDS && status == MEGURI_OK; round++) {
        size_t bytes = round % 3 ? round % 3 * 4 : ITEM;
        if (round == 1) mg_memory_fail_at(ctx, 1); /* from now on nothing is allocated */
        status = tell_all(ctx, x, c->rank, round, bytes);
        if (status == MEGURI_OK) status = check_heard(ctx, x, round, bytes);
    }
    mg_memory_fail_at(ctx, 0);
    mg_sparse_free(x);
    return status;
}

static void every_form_comes_through(void **state) {
    (void)state;
    for (uint32_t ranks = 1; ranks <= 5; ranks++)
        for (int cut = 0; cut < 2; cut++) run_on(ranks, cut ? 100 : 0, rounds, NULL);
}

/* ---- combining -------------------------------------------------------------------------------------------------- */

static void add(void *user, uint32_t worker, const uint32_t *places, const mg_sparse_items *items) {
    uint32_t *sums = user;
    (void)worker;
    for (uint64_t i = 0; i < items->count; i++) {
        uint32_t value;
        memcpy(&value, items->items + i * items->item_bytes, sizeof value);
        sums[places[i]] += value;
    }
}

static meguri_status combine(void *user, meguri_ctx *ctx, meguri_cluster *c) {
    (void)user;
    mg_sparse *x;
    uint32_t sums[VERTICES] = {0};
    meguri_status status = make_plan(&x, ctx, c, 4);
    if (status == MEGURI_OK) status = tell_all(ctx, x, c->rank, 3, 4);
    if (status == MEGURI_OK) status = mg_sparse_combine(ctx, x, 1, add, sums);
    mg_sparse_free(x);
    for (int r = 0; r < c->size; r++) {
        uint32_t places[VERTICES];
        uint64_t count = members(places, r, 3);
        for (uint64_t i = 0; i < count && r != c->rank; i++) sums[places[i]] -= (uint32_t)r * 1000 + places[i];
    }
    for (int v = 0; v < VERTICES && status == MEGURI_OK; v++) RANK_CHECK(ctx, sums[v] == 0);
    return status;
}

static void what_comes_is_combined(void **state) {
    (void)state;
    run_on(4, 0, combine, NULL);
}

/* ---- lies ------------------------------------------------------------------------------------------------------- */

/* What rank 1 sends to rank 0, byte by byte. */
typedef struct lie {
    char data[8 + 8 * WORDS + 8 + BLOCK * ITEM];
    uint64_t bytes;
    bool refused;
} lie;

static uint64_t head(uint64_t form, uint64_t item_bytes, uint64_t count) {
    return form << 56 | item_bytes << 40 | count;
}

static meguri_status hear_a_lie(void *user, meguri_ctx *ctx, meguri_cluster *c) {
    lie *l = user;
    if (c->rank == 1) {
        mg_exchange *x;
        meguri_status status = mg_exchange_new(&x, ctx, c, "test");
        if (status == MEGURI_OK) status = mg_exchange_send(ctx, x, 0, l->data, l->bytes, sizeof l->data);
        if (status == MEGURI_OK) status = mg_exchange_wait(ctx, x);
        mg_exchange_free(x);
        return status;
    }
    mg_sparse *x;
    mg_sparse_items items;
    uint32_t *places = calloc(VERTICES, 4); /* so that a sanitizer sees the end of it */
    meguri_status status = make_plan(&x, ctx, c, ITEM);
    if (status == MEGURI_OK) status = mg_sparse_begin(ctx, x);
    if (status == MEGURI_OK) status = mg_sparse_wait(ctx, x);
    if (status == MEGURI_OK) {
        l->refused = mg_sparse_read(&items, places, ctx, x, 0, 0) != MEGURI_OK;
        for (uint64_t i = 0; i < items.count; i++) RANK_CHECK(ctx, places[i] < VERTICES);
        if (items.count) { /* all of it can be read */
            char last = items.items[items.count * items.item_bytes - 1];
            RANK_CHECK(ctx, last == 0 || last != 0);
        }
    }
    if (l->refused) mg_begin(ctx);
    mg_sparse_free(x);
    free(places);
    return status;
}

static bool refused(lie *l, const void *first, uint64_t first_bytes, uint64_t bytes) {
    memset(l->data, 0, sizeof l->data);
    memcpy(l->data, first, first_bytes);
    l->bytes = bytes;
    l->refused = false;
    run_on(2, 0, hear_a_lie, l);
    return l->refused;
}

static bool refused_head(lie *l, uint64_t h, uint64_t bytes) { return refused(l, &h, 8, bytes); }

static void lies_are_refused(void **state) {
    (void)state;
    lie *l = calloc(1, sizeof *l);
    enum { ALL = MG_SET_ALL, BITS = MG_SET_BITMAP, LIST = MG_SET_LIST };
    assert_false(refused_head(l, 0, 0));
    assert_false(refused_head(l, head(ALL, 4, VERTICES), 8 + 4 * VERTICES));
    assert_false(refused_head(l, head(LIST, 4, 2), 8 + 8 + 8));
    for (uint64_t bytes = 1; bytes < 8; bytes++) assert_true(refused_head(l, head(LIST, 4, 2), bytes));
    assert_true(refused_head(l, head(ALL, 4, VERTICES), 8 + 4 * VERTICES - 4));     /* shorter than it says */
    assert_true(refused_head(l, head(ALL, 4, VERTICES), 8 + 4 * VERTICES + 4));     /* longer */
    assert_true(refused_head(l, head(ALL, 4, VERTICES - 1), 8 + 4 * VERTICES - 4)); /* not all */
    assert_true(refused_head(l, head(LIST, 4, BLOCK), 8 + 8 * BLOCK));              /* more than there are */
    assert_true(refused_head(l, head(LIST, 4, (1ull << 40) - 1), 16));
    assert_true(refused_head(l, head(LIST, 16, 1), 8 + 8 + 16)); /* longer items than planned */
    assert_true(refused_head(l, head(LIST, 0xffff, 1ull << 32), 24));
    assert_true(refused_head(l, head(MG_SET_PACKED, 0, 3), 20));
    assert_true(refused_head(l, head(0, 4, 1), 20));
    assert_true(refused_head(l, head(255, 4, 1), 20));
    assert_true(refused_head(l, head(BITS, 4, 3), 8 + 8 * WORDS + 12)); /* no bit is set */
    uint64_t outside[] = {head(LIST, 4, 2), (uint64_t)VERTICES << 32 | 5, 0};
    assert_true(refused(l, outside, sizeof outside, 24));
    uint64_t bits[1 + WORDS] = {head(BITS, 4, 2), 1};
    bits[WORDS] = (uint64_t)1 << 63; /* a place beyond the vertices */
    assert_true(refused(l, bits, sizeof bits, sizeof bits + 8));
    bits[WORDS] = 6; /* three, not two */
    assert_true(refused(l, bits, sizeof bits, sizeof bits + 8));
    free(l);
}

static void random_lies_are_read_within_bounds(void **state) {
    (void)state;
    lie *l = calloc(1, sizeof *l);
    uint64_t seed = 4711;
    for (int k = 0; k < (UNDER_ASAN || UNDER_TSAN ? 100 : 400); k++) {
        uint64_t words[40];
        for (int i = 0; i < 40; i++) words[i] = next_random(&seed);
        words[0] = head(1 + words[0] % 4, words[0] >> 8 & 15, words[0] >> 16 & 63);
        refused(l, words, sizeof words, next_random(&seed) % (k % 2 ? 100 : sizeof l->data));
    }
    free(l);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_comes_through),
        cmocka_unit_test(what_comes_is_combined),
        cmocka_unit_test(lies_are_refused),
        cmocka_unit_test(random_lies_are_read_within_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
