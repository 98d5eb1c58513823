/* Messages that are combined in tiles come to the same bits as messages that vertices read one by one, by increasing
 * source: with sums whose rounding tells the order, and a message that has the order itself. */
#define _GNU_SOURCE
#include "pregel/pregel.h"

#include "algo_bfs/searching.h"
#include "pregel/programs.h"
#include "support/faults.h"

#include <meguri.h>
#include <string.h>

enum { VERTICES = 40000, LAST = 7 };

/* Random edges, a hub whose row is cut more than once, vertices that nobody sends to, and some that send to nobody. */
static meguri_graph *a_graph(meguri_ctx *ctx, meguri_direction direction) {
    uint64_t seed = 9, edges = 3 * VERTICES;
    zoo_graph g = {.name = "random", .count = edges, .vertices = VERTICES, .pairs = calloc(2 * edges, 8)};
    for (uint64_t i = 0; i < edges; i++) {
        g.pairs[2 * i] = zoo_random(&seed) % (VERTICES - 100);
        g.pairs[2 * i + 1] = i % 4 ? 50 + zoo_random(&seed) % (VERTICES - 150) : 77;
    }
    meguri_graph *graph;
    meguri_build_options o = {.size = sizeof o, .direction = direction};
    assert_int_equal(zoo_build(&graph, ctx, &g, &o), MEGURI_OK);
    zoo_free(&g);
    return graph;
}

typedef struct heard {
    double sum;
    uint64_t order; /* a polynomial of the sources, in the order in which they came */
    uint64_t power;
    uint32_t first;
} heard;
typedef struct told {
    double sum;
    uint64_t order, power;
} told;

MEGURI_VERTEX(fold, heard, meguri_none, told);
static inline void fold_combine(told *into, const told *message) {
    into->sum += message->sum;
    into->order = into->order * message->power + message->order;
    into->power *= message->power;
}
static inline void fold_compute(fold_vertex *v, heard *h) {
    told all = {.sum = 0};
    int some = 0;
    MEGURI_EACH_MESSAGE(fold, m, v) {
        if (!some) h->first = m.source;
        if (some++) fold_combine(&all, &m.value);
        else all = m.value;
    }
    h->sum += all.sum;
    h->order += all.order;
    h->power += all.power;
    if (fold_superstep(v) == LAST) {
        fold_halt(v);
        return;
    }
    double share = 1.0 / (double)(3 + meguri_random(1, fold_id(v), fold_superstep(v)) % 1000);
    fold_send_all(v, (told){share, fold_id(v) + 1, 1000003});
}
MEGURI_COMBINES(fold);
static const meguri_output columns[] = {
    MEGURI_OUTPUT_FIELD("sum", heard, sum), MEGURI_OUTPUT_FIELD("order", heard, order),
    MEGURI_OUTPUT_FIELD("power", heard, power), MEGURI_OUTPUT_FIELD("first", heard, first)};
MEGURI_PROGRAM(fold, .outputs = columns, .output_count = 4, .any_order = 1, MEGURI_COMBINED(fold));

static void count_tiled(void *user, const char *line, size_t length) {
    *(uint64_t *)user += memmem(line, length, "\"way\":\"tiles\"", 13) != NULL;
}

static meguri_result *run(meguri_ctx *ctx, const meguri_graph *graph, meguri_delivery how) {
    meguri_run_options o = {.size = sizeof o, .delivery = how};
    meguri_result *result;
    assert_int_equal(meguri_run(&result, ctx, graph, LIST(&fold_program), &o), MEGURI_OK);
    return result;
}

static void assert_same(const meguri_result *one, const meguri_result *other) {
    for (uint32_t i = 0; i < 4; i++) {
        meguri_column a = {.size = sizeof a}, b = {.size = sizeof b};
        assert_int_equal(meguri_result_column_at(&a, one, i), MEGURI_OK);
        assert_int_equal(meguri_result_column_at(&b, other, i), MEGURI_OK);
        for (uint64_t v = 0; v < VERTICES; v++)
            assert_memory_equal((const char *)a.data + v * a.stride, (const char *)b.data + v * b.stride,
                                i == 3 ? 4 : 8);
    }
}

static void the_same_bits(void **state) {
    (void)state;
    for (int undirected = 0; undirected < 2; undirected++) {
        meguri_ctx *one = context_with(1);
        meguri_graph *graph = a_graph(one, undirected ? MEGURI_UNDIRECTED : MEGURI_DIRECTED);
        uint64_t tiled = 0;
        assert_int_equal(meguri_ctx_trace_to(one, count_tiled, &tiled), MEGURI_OK);
        meguri_result *want = run(one, graph, MEGURI_DELIVERY_GHOST);
        assert_int_equal(tiled, 0);
        for (uint32_t threads = 1; threads <= 5; threads += 2) {
            meguri_ctx *ctx = context_with(threads);
            tiled = 0;
            assert_int_equal(meguri_ctx_trace_to(ctx, count_tiled, &tiled), MEGURI_OK);
            meguri_result *got = run(ctx, graph, MEGURI_DELIVERY_AUTO);
            assert_int_equal(tiled, LAST - 3); /* from the fourth superstep in which all send on */
            assert_same(got, want);
            meguri_result_free(got);
            context_done(ctx);
        }
        meguri_result_free(want);
        meguri_graph_free(graph);
        context_done(one);
    }
}

static meguri_status attempt(meguri_ctx *ctx, void *graph) {
    meguri_run_options o = {.size = sizeof o};
    meguri_result *result;
    meguri_status status = meguri_run(&result, ctx, graph, LIST(&fold_program), &o);
    meguri_result_free(result);
    return status;
}

static void faults(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(1), *other = context_with(1);
    meguri_graph *graph = a_graph(other, MEGURI_UNDIRECTED);
    assert_true(fail_each_allocation(ctx, attempt, graph, LEAVES_NOTHING) > 10);
    try_budgets(1000000, (uint64_t)64 << 20, 2.5, attempt, graph); /* without memory for tiles it goes on without */
    meguri_graph_free(graph);
    context_done(other);
    context_done(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_same_bits), cmocka_unit_test(faults)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
