/* Components that cannot be found: allocations that fail in turn, a budget that is too small, a user who has had
 * enough. A clear status, nothing leaked, and the same call succeeds afterwards. */
#define _GNU_SOURCE
#include "algo_components/parting.h"
#include "support/checks.h"
#include "support/faults.h"

#include <meguri.h>

typedef struct parting {
    meguri_ctx *maker;
    subject subject;
    parts right;
} parting;

static parting begin(meguri_ctx *maker, const zoo_graph *g, int direction, int order) {
    meguri_build_options o = {.size = sizeof o, .direction = (meguri_direction)direction, .order = (meguri_order)order};
    parting p = {.maker = maker, .subject = subject_from_zoo(maker, g, &o)};
    p.right = parts_of(&p.subject.plain);
    return p;
}

static void end(parting *p) {
    parts_free(&p->right);
    subject_free(&p->subject);
}

static meguri_status find(meguri_ctx *ctx, void *what) {
    const parting *p = what;
    meguri_result *result = (meguri_result *)1;
    meguri_status status = meguri_components(&result, ctx, p->subject.graph, NULL);
    if (status != MEGURI_OK) assert_null(result);
    else check_parts_result(p->maker, &p->subject, &p->right, result);
    meguri_result_free(result);
    return status;
}

static meguri_status check(meguri_ctx *ctx, void *what) {
    const parting *p = what;
    return mg_components_check(ctx, p->subject.graph, p->right.component);
}

static void every_allocation_fails(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(2), *maker = context_with(2);
    zoo_graph g;
    uint64_t most = 0;
    for (int index = 0; shape_get(&g, index, 500); index++) {
        for (int turn = 0; turn < 4; turn++) {
            parting p = begin(maker, &g, 1 + turn % 2, 1 + (index + turn) % 3);
            uint64_t failures = fail_each_allocation(ctx, find, &p, LEAVES_NOTHING);
            assert_true(failures >= 4);
            most = MG_MAX(most, failures);
            assert_int_equal(fail_each_allocation(ctx, check, &p, LEAVES_NOTHING), 1);
            end(&p);
        }
        zoo_free(&g);
    }
    assert_true(most >= 6); /* pairs have no giant, so sizes are counted */
    context_done(ctx);
    context_done(maker);
}

static void budgets_are_honoured(void **state) {
    (void)state;
    meguri_ctx *maker = context_with(2);
    zoo_graph g;
    assert_true(shape_get(&g, 4, 20000)); /* pairs */
    for (int direction = MEGURI_DIRECTED; direction <= MEGURI_UNDIRECTED; direction++) {
        parting p = begin(maker, &g, direction, 0);
        try_budgets(10000, 20000000, 2, find, &p);
        end(&p);
    }
    zoo_free(&g);
    context_done(maker);
}

static void a_cancel_ends_it(void **state) {
    (void)state;
    for (size_t t = 0; t < THREAD_COUNTS; t++) {
        impatient user = {0};
        meguri_ctx *ctx = context_of(&user, thread_counts[t]);
        zoo_graph g = shape_kronecker(ctx, 12, 4);
        for (int direction = MEGURI_DIRECTED; direction <= MEGURI_UNDIRECTED; direction++) {
            parting p = begin(ctx, &g, direction, 0);
            cancel_at(ctx, &user, 1, NULL, find, &p);
            cancel_at(ctx, &user, 1, NULL, check, &p);
            assert_int_equal(find(ctx, &p), MEGURI_OK);
            end(&p);
        }
        zoo_free(&g);
        context_done(ctx);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_fails),
        cmocka_unit_test(budgets_are_honoured),
        cmocka_unit_test(a_cancel_ends_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
