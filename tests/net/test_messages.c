/* Kinds of messages, messages of the wrong length, reductions of any type, questions and answers. */
#define _GNU_SOURCE
#include "net/ranks.h"
#include <meguri/extra/cluster_threads.h>

/* ---- kinds ------------------------------------------------------------------------------------------------------ */

static meguri_status name_kinds(void *user, meguri_ctx *ctx, meguri_cluster *c) {
    (void)user;
    static const char *const ours[] = {"expand", "fold", "settle", "parents", "messages", "requests", "answers"};
    RANK_CHECK(ctx, mg_traffic_named(c, "control") == MG_TRAFFIC_CONTROL);
    RANK_CHECK(ctx, mg_traffic_named(c, "bulk") == MG_TRAFFIC_BULK);
    for (size_t k = 0; k < COUNT_OF(ours); k++) { /* each rank in another order */
        size_t mine = (k + (size_t)c->rank) % COUNT_OF(ours);
        RANK_CHECK(ctx, mg_traffic_named(c, ours[mine]) >= 0);
    }
    RANK_CHECK(ctx, c->kinds == 2 + (int)COUNT_OF(ours));
    for (size_t k = 0; k < COUNT_OF(ours); k++) { /* and yet they understand each other */
        mg_exchange *x;
        uint64_t out = 100 * k + (uint64_t)c->rank, in = 0, before = c->traffic[mg_traffic_named(c, ours[k])].bytes;
        int next = (c->rank + 1) % c->size, last = (c->rank + c->size - 1) % c->size;
        meguri_status status = mg_exchange_new(&x, ctx, c, ours[k]);
        if (status == MEGURI_OK) status = mg_exchange_receive(ctx, x, last, &in, 8, NULL);
        if (status == MEGURI_OK) status = mg_exchange_send(ctx, x, next, &out, 8, 8);
        if (status == MEGURI_OK) status = mg_exchange_wait(ctx, x);
        mg_exchange_free(x);
        RANK_CHECK(ctx, status == MEGURI_OK && in == 100 * k + (uint64_t)last);
        RANK_CHECK(ctx, c->traffic[mg_traffic_named(c, ours[k])].bytes == before + 8);
    }
    static const char *const more[] = {"a", "b", "c", "d", "e", "f", "g"};
    for (size_t k = 0; k < COUNT_OF(more); k++) RANK_CHECK(ctx, mg_traffic_named(c, more[k]) >= 0);
    mg_exchange *x;
    RANK_CHECK(ctx, c->kinds == MG_TRAFFIC_MOST && mg_traffic_named(c, "one more") < 0);
    RANK_CHECK(ctx, mg_exchange_new(&x, ctx, c, "one more") == MEGURI_ENGINE_FAILED && !x);
    mg_begin(ctx);
    return MEGURI_OK;
}

static void kinds_have_names(void **state) {
    (void)state;
    run_on(1, 0, name_kinds, NULL);
    run_on(3, 0, name_kinds, NULL);
}

/* ---- lengths ---------------------------------------------------------------------------------------------------- */

/* Rank 1 sends *user bytes where 16 were agreed on. */
static meguri_status wrong_length(void *user, meguri_ctx *ctx, meguri_cluster *c) {
    char data[32] = {0};
    meguri_status status = c->rank == 0 ? mg_exchange_receive(ctx, c->bulk, 1, data, 16, NULL)
                                        : mg_exchange_send(ctx, c->bulk, 0, data, *(uint64_t *)user, 16);
    if (status == MEGURI_OK) status = mg_exchange_wait(ctx, c->bulk);
    return c->rank == 0 || *(uint64_t *)user == 16 ? status : MEGURI_OK;
}

static void a_message_has_its_length(void **state) {
    (void)state;
    for (uint64_t bytes = 0; bytes <= 32; bytes += 8) {
        meguri_ctx *ctx = context_with(1);
        const meguri_cluster_threads_options o = {.size = sizeof o, .ranks = 2};
        meguri_status status = meguri_cluster_threads(ctx, &o, wrong_length, &bytes);
        assert_int_equal(status, bytes == 16 ? MEGURI_OK : MEGURI_ENGINE_FAILED);
        context_done(ctx);
    }
}

/* ---- reductions ------------------------------------------------------------------------------------------------- */

/* The longest, and who has it: the first of several. */
typedef struct longest {
    double length;
    char name[12];
} longest;

static void longer(void *mine, const void *more, uint64_t count) {
    longest *a = mine;
    const longest *b = more;
    for (uint64_t i = 0; i < count; i++)
        if (b[i].length > a[i].length || (b[i].length == a[i].length && strcmp(b[i].name, a[i].name) < 0)) a[i] = b[i];
}

static meguri_status reduce_any(void *user, meguri_ctx *ctx, meguri_cluster *c) {
    (void)user;
    enum { ITEMS = 100 }; /* more than lie on the stack */
    longest items[ITEMS] = {{0}};
    for (int i = 0; i < ITEMS; i++) {
        items[i].length = (c->rank + i) % c->size / 2;
        snprintf(items[i].name, sizeof items[i].name, "rank %02d", c->rank);
    }
    if (mg_reduce(ctx, c, &c->all, items, ITEMS, sizeof *items, longer) != MEGURI_OK) return MEGURI_ENGINE_FAILED;
    for (int i = 0; i < ITEMS; i++) {
        int most = -1, who = 0;
        for (int r = 0; r < c->size; r++)
            if ((r + i) % c->size / 2 > most) {
                most = (r + i) % c->size / 2;
                who = r;
            }
        RANK_CHECK(ctx, items[i].length == most && atoi(items[i].name + 5) == who);
    }
    return MEGURI_OK;
}

static void anything_is_reduced(void **state) {
    (void)state;
    for (uint32_t ranks = 1; ranks <= 9; ranks++) run_on(ranks, 0, reduce_any, NULL);
}

/* ---- questions -------------------------------------------------------------------------------------------------- */

/* Numbers, of which process n % size knows a sentence. */
static int keeper_of(const void *user, const void *question) {
    return (int)(*(const uint64_t *)question % (uint64_t)((const meguri_cluster *)user)->size);
}

static bool answer_all(const void *user, void *answers, const void *questions, uint64_t count) {
    const meguri_cluster *c = user;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t n = ((const uint64_t *)questions)[i];
        if (n % (uint64_t)c->size != (uint64_t)c->rank) return false;
        snprintf((char *)answers + 20 * i, 20, "%d knows %u", c->rank, (unsigned)n);
    }
    return true;
}

static meguri_status ask(void *user, meguri_ctx *ctx, meguri_cluster *c) {
    (void)user;
    const mg_keepers keepers = {c, 8, 20, keeper_of, answer_all, c, "a test"};
    uint64_t counts[] = {0, (uint64_t)(c->rank % 3), 300000 / (uint64_t)c->size * (uint64_t)(c->rank % 2) + 5};
    for (size_t k = 0; k < COUNT_OF(counts); k++) {
        uint64_t count = counts[k], *questions = calloc(count + 1, 8), seed = (uint64_t)c->rank + k;
        char(*answers)[20] = calloc(count + 1, 20), expected[20];
        for (uint64_t i = 0; i < count; i++) questions[i] = next_random(&seed) % 100000;
        meguri_status status = mg_ask(ctx, &keepers, questions, answers, count);
        for (uint64_t i = 0; i < count && status == MEGURI_OK; i++) {
            snprintf(expected, sizeof expected, "%d knows %u", keeper_of(c, &questions[i]), (unsigned)questions[i]);
            if (strcmp(expected, answers[i]) != 0) status = mg_fail(ctx, MEGURI_WRONG_ANSWER, "%s", answers[i]);
        }
        free(questions);
        free(answers);
        if (status != MEGURI_OK) return status;
    }
    return MEGURI_OK;
}

static void who_knows_answers(void **state) {
    (void)state;
    for (uint32_t ranks = 1; ranks <= 5; ranks++) run_on(ranks, 0, ask, NULL);
}

static bool refuse(const void *user, void *answers, const void *questions, uint64_t count) {
    (void)answers;
    (void)questions;
    return ((const meguri_cluster *)user)->rank == 0 || !count;
}

static meguri_status ask_in_vain(void *user, meguri_ctx *ctx, meguri_cluster *c) {
    (void)user;
    const mg_keepers keepers = {c, 8, 20, keeper_of, refuse, c, "a test"};
    char answers[2][20];
    return mg_ask(ctx, &keepers, (const uint64_t[]){0, 1}, answers, 2);
}

static void a_strange_question_ends_it_for_all(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(1);
    const meguri_cluster_threads_options o = {.size = sizeof o, .ranks = 2};
    assert_int_equal(meguri_cluster_threads(ctx, &o, ask_in_vain, NULL), MEGURI_ENGINE_FAILED);
    context_done(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds_have_names),
        cmocka_unit_test(a_message_has_its_length),
        cmocka_unit_test(anything_is_reduced),
        cmocka_unit_test(who_knows_answers),
        cmocka_unit_test(a_strange_question_ends_it_for_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
