/* Sums, broadcasts, agreement, routing and long messages on ranks that are threads of this process. */
#define _GNU_SOURCE
#include "net/ranks.h"

static const uint32_t sizes[] = {1, 2, 3, 4, 5, 7, 8, 9, 16};

static meguri_status sums(void *user, meguri_ctx *ctx, meguri_cluster *c) {
    (void)user;
    uint64_t n = (uint64_t)c->size, me = (uint64_t)c->rank;
    uint64_t values[3] = {me + 1, 100 - me, 7};
    if (mg_reduce_u64(ctx, c, &c->all, values, 3, MG_SUM) != MEGURI_OK) return MEGURI_ENGINE_FAILED;
    RANK_CHECK(ctx, values[0] == n * (n + 1) / 2 && values[2] == 7 * n);
    values[0] = me;
    values[1] = 50 + me;
    if (mg_reduce_u64(ctx, c, &c->all, values, 2, MG_MINIMUM) != MEGURI_OK) return MEGURI_ENGINE_FAILED;
    RANK_CHECK(ctx, values[0] == 0 && values[1] == 50);
    double real[200];
    for (int i = 0; i < 200; i++) real[i] = (double)(me + 1) / (i + 1);
    if (mg_reduce_f64(ctx, c, &c->all, real, 200, MG_SUM) != MEGURI_OK) return MEGURI_ENGINE_FAILED;
    double all[16][2] = {{0}};
    if (mg_all_gather(ctx, c, &c->all, real + 2, sizeof *all, all) != MEGURI_OK) return MEGURI_ENGINE_FAILED;
    for (int r = 0; r < c->size; r++) RANK_CHECK(ctx, memcmp(all[r], all[0], sizeof *all) == 0); /* the same bits */
    uint64_t before[2] = {me, 1};
    if (mg_exscan_u64(ctx, c, &c->all, before, 2) != MEGURI_OK) return MEGURI_ENGINE_FAILED;
    RANK_CHECK(ctx, before[0] == (me ? me * (me - 1) / 2 : 0) && before[1] == me);
    for (int root = 0; root < c->size; root++) {
        char text[100];
        snprintf(text, sizeof text, "from %d", c->rank == root ? root : -1);
        if (mg_broadcast(ctx, c, &c->all, root, text, sizeof text) != MEGURI_OK) return MEGURI_ENGINE_FAILED;
        RANK_CHECK(ctx, atoi(text + 5) == root);
    }
    return MEGURI_OK;
}

static void everyone_has_the_sum(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(sizes); i++)
        for (int cut = 0; cut < 2; cut++) run_on(sizes[i], cut ? 13 : 0, sums, NULL);
}

/* Processes of three machines in turn. */
static meguri_status places(void *user, meguri_ctx *ctx, meguri_cluster *c) {
    (void)user;
    uint32_t place = 0;
    c->transport->machine = 1000 + (uint64_t)c->rank % 3;
    if (mg_place_on_machine(&place, ctx, c) != MEGURI_OK) return MEGURI_ENGINE_FAILED;
    RANK_CHECK(ctx, place == (uint32_t)c->rank / 3);
    return MEGURI_OK;
}

static void everyone_has_a_place(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(sizes); i++) run_on(sizes[i], 0, places, NULL);
}

static meguri_status disagree(void *user, meguri_ctx *ctx, meguri_cluster *c) {
    int bad = *(int *)user;
    meguri_status status = MEGURI_OK;
    if (c->rank >= bad) status = mg_fail(ctx, MEGURI_BAD_INPUT, "rank %d is unhappy.", c->rank);
    status = mg_agree(ctx, c, status);
    char expected[64];
    snprintf(expected, sizeof expected, "rank %d is unhappy.", bad);
    if (bad >= c->size) return status;
    /* Those that failed themselves keep their own sentence; the others have the first one's. */
    if (status == MEGURI_BAD_INPUT && (c->rank >= bad || strcmp(meguri_ctx_error(ctx), expected) == 0))
        return MEGURI_OK;
    return MEGURI_WRONG_ANSWER;
}

static void a_failure_is_everybodys(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(sizes); i++)
        for (int bad = 0; bad <= (int)sizes[i]; bad++) run_on(sizes[i], 0, disagree, &bad);
}

/* ---- routing ---------------------------------------------------------------------------------------------------- */

typedef struct sender {
    uint64_t place, end;
    int rank, size;
} sender;

static uint64_t next_items(void *user, void *items, uint32_t *to, uint64_t capacity) {
    sender *s = user;
    uint64_t n = 0;
    for (; n < capacity && s->place < s->end; n++, s->place++) {
        uint32_t *item = (uint32_t *)items + 3 * n;
        item[0] = (uint32_t)s->rank;
        item[1] = (uint32_t)s->place;
        item[2] = to[n] = (uint32_t)(s->place * s->place % (uint64_t)s->size);
    }
    return n;
}

static meguri_status route(void *user, meguri_ctx *ctx, meguri_cluster *c) {
    uint64_t each = *(uint64_t *)user * (uint64_t)c->rank, count, expected = 0;
    sender s = {0, each, c->rank, c->size};
    const mg_route_source source = {next_items, &s, 12};
    void *items;
    meguri_status status = mg_route(&items, &count, ctx, c, &source, "items");
    if (status != MEGURI_OK) return status;
    for (int r = 0; r < c->size; r++)
        for (uint64_t i = 0; i < *(uint64_t *)user * (uint64_t)r; i++)
            expected += i * i % (uint64_t)c->size == (uint64_t)c->rank;
    const uint32_t *item = items;
    bool right = count == expected;
    uint64_t *next = calloc((size_t)c->size, sizeof *next);
    for (uint64_t i = 0; i < count && right; i++, item += 3) {
        right = item[2] == (uint32_t)c->rank && item[0] < (uint32_t)c->size && next[item[0]] <= item[1];
        if (right) next[item[0]] = item[1] + 1; /* in the order of the sender */
    }
    free(next);
    mg_free(items);
    RANK_CHECK(ctx, right);
    return MEGURI_OK;
}

static void items_get_there(void **state) {
    (void)state;
    static const uint64_t counts[] = {0, 1, 100, 300000};
    for (size_t i = 0; i < COUNT_OF(sizes); i++)
        for (size_t k = 0; k < COUNT_OF(counts); k++) {
            uint64_t count = counts[k];
            if (count > 1000 && (sizes[i] > 4 || UNDER_TSAN)) continue;
            run_on(sizes[i], 0, route, &count);
            if (count <= 100) run_on(sizes[i], 5, route, &count); /* cut into pieces of five bytes */
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(everyone_has_the_sum), cmocka_unit_test(everyone_has_a_place),
                                       cmocka_unit_test(a_failure_is_everybodys), cmocka_unit_test(items_get_there)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
