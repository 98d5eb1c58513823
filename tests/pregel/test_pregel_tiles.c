/* Messages that are combined in tiles come to the same bits as messages that vertices read one by one, by increasing
 * source: with sums whose rounding tells the order, and a message that has the order itself. */
#define _GNU_SOURCE
#include "pregel/pregel.h"

#include "algo_bfs/searching.h"
#include "pregel/programs.h"
#include "support/faults.h"

#include <meguri.h>
#include <meguri/run.h>
#include <string.h>

enum { VERTICES = 40000, LAST = 27 };

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

static meguri_result *run(meguri_ctx *ctx, const meguri_graph *graph, const meguri_program *program,
                          meguri_delivery how, uint32_t workers) {
    meguri_run_options o = {.size = sizeof o, .delivery = how, .workers = workers};
    meguri_result *result;
    assert_int_equal(meguri_run(&result, ctx, graph, LIST(program), &o), MEGURI_OK);
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

/* In the graph's own order and by position; of one worker with more and more threads, and of several. */
static void the_same_bits(void **state) {
    (void)state;
    meguri_program by_position = fold_program;
    by_position.any_order = 0;
    static const uint32_t teams[][2] = {{0, 1}, {0, 5}, {2, 2}, {3, 3}};
    for (int variant = 0; variant < 4; variant++) {
        const meguri_program *program = variant & 1 ? &by_position : &fold_program;
        meguri_ctx *one = context_with(1);
        meguri_graph *graph = a_graph(one, variant & 2 ? MEGURI_UNDIRECTED : MEGURI_DIRECTED);
        uint64_t tiled = 0;
        assert_int_equal(meguri_ctx_trace_to(one, count_tiled, &tiled), MEGURI_OK);
        meguri_result *want = run(one, graph, program, MEGURI_DELIVERY_GHOST, 0);
        assert_int_equal(tiled, 0);
        for (size_t i = 0; i < sizeof teams / sizeof *teams; i++) {
            meguri_ctx *ctx = context_with(teams[i][1]);
            tiled = 0;
            assert_int_equal(meguri_ctx_trace_to(ctx, count_tiled, &tiled), MEGURI_OK);
            meguri_result *got = run(ctx, graph, program, MEGURI_DELIVERY_AUTO, teams[i][0]);
            /* from the fourth superstep in which all send on, or later where they have to be brought into order */
            assert_int_equal(tiled, LAST - (program->any_order && !teams[i][0] ? 3 : 24));
            assert_same(got, want);
            meguri_result_free(got);
            context_done(ctx);
        }
        meguri_result_free(want);
        meguri_graph_free(graph);
        context_done(one);
    }
}

typedef struct trial {
    const meguri_graph *graph;
    const meguri_program *program;
} trial;

static meguri_status attempt(meguri_ctx *ctx, void *what) {
    const trial *t = what;
    meguri_run_options o = {.size = sizeof o};
    meguri_result *result;
    meguri_status status = meguri_run(&result, ctx, t->graph, LIST(t->program), &o);
    meguri_result_free(result);
    return status;
}

static void faults(void **state) {
    (void)state;
    meguri_program by_position = fold_program;
    by_position.any_order = 0;
    meguri_ctx *ctx = context_with(1), *other = context_with(1);
    meguri_graph *graph = a_graph(other, MEGURI_UNDIRECTED);
    trial trials[] = {{graph, &fold_program}, {graph, &by_position}};
    for (int i = 0; i < 2; i++) {
        assert_true(fail_each_allocation(ctx, attempt, &trials[i], LEAVES_NOTHING) > 10);
        /* without memory for tiles it goes on without */
        try_budgets(1000000, (uint64_t)64 << 20, 2.5, attempt, &trials[i]);
    }
    meguri_graph_free(graph);
    context_done(other);
    context_done(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_same_bits), cmocka_unit_test(faults)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
