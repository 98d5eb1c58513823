/* What vertex programs may do besides messages: questions, hooks, several programs, columns of edges; and runs that
 * cannot end well: programs that are wrong, allocations that fail, budgets that are too small, a user who has had
 * enough. */
#define _GNU_SOURCE
#include "pregel/pregel.h"

#include "algo_bfs/searching.h"
#include "pregel/programs.h"
#include "support/faults.h"

#include <math.h>
#include <meguri.h>
#include <meguri/run.h>
#include <string.h>
#include <time.h>

static meguri_graph *a_graph(meguri_ctx *ctx, uint64_t vertices, uint64_t edges, meguri_direction direction) {
    uint64_t seed = 4;
    zoo_graph g = {.name = "random", .count = edges, .vertices = vertices, .pairs = calloc(2 * edges, 8)};
    for (uint64_t i = 0; i < 2 * edges; i++) g.pairs[i] = zoo_random(&seed) % vertices;
    meguri_graph *graph;
    meguri_build_options o = {.size = sizeof o, .direction = direction};
    assert_int_equal(zoo_build(&graph, ctx, &g, &o), MEGURI_OK);
    zoo_free(&g);
    return graph;
}

/* ---- questions -------------------------------------------------------------------------------------------------- */

/* Everybody's value is a number of its own in each superstep; everybody asks three others and looks whether they said
 * what they must. */
typedef struct told {
    uint64_t number, right;
} told;
typedef struct reply {
    uint64_t number;
    char more[5]; /* of no size that suits anybody */
} reply;

MEGURI_VERTEX(asking, told, meguri_none, meguri_none);
MEGURI_ASKS(asking, reply);

static uint32_t asked_by(uint64_t id, uint64_t step, uint64_t i, uint64_t vertices) {
    return (uint32_t)(i < 2 ? meguri_random(id, step, i) % vertices : step % vertices);
}
static inline void asking_compute(asking_vertex *v, told *t) {
    uint64_t step = asking_superstep(v), n = asking_vertices(v), id = asking_id(v);
    for (uint64_t i = 0; i < 3 && step > 0; i++) {
        uint32_t whom = asked_by(id, step - 1, i, n);
        const reply *r = asking_answer(v, whom);
        if (!r || r->number != meguri_random(3, whom, step - 1) || r->more[4] != 'x') asking_fail(v, "a lie.");
        else t->right++;
    }
    if (step > 0 && asking_answer(v, asked_by(id, step - 1, 0, n) == 0 ? 1 : 0)) t->right += 0; /* may be anybody's */
    t->number = meguri_random(3, id, step);
    if (step == 4) asking_halt(v);
    else
        for (uint64_t i = 0; i < 3; i++) asking_ask(v, asked_by(id, step, i, n));
}
static inline reply asking_respond(const told *t) { return (reply){t->number, {0, 0, 0, 0, 'x'}}; }

static const meguri_output asking_columns[] = {MEGURI_OUTPUT_FIELD("right", told, right)};
MEGURI_PROGRAM(asking, .outputs = asking_columns, .output_count = 1, MEGURI_ANSWERS(asking));

static void questions_and_answers(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(2);
    meguri_graph *graph = a_graph(ctx, 500, 900, MEGURI_DIRECTED);
    for (uint32_t workers = 1; workers < 7; workers += 2) {
        meguri_run_options o = {.size = sizeof o, .workers = workers};
        meguri_result *result;
        meguri_column column = {.size = sizeof column};
        if (meguri_run(&result, ctx, graph, LIST(&asking_program), &o) != MEGURI_OK)
            fail_msg("%s", meguri_ctx_error(ctx));
        assert_int_equal(meguri_result_column(&column, result, "right"), MEGURI_OK);
        for (uint64_t v = 0; v < column.count; v++)
            assert_int_equal(*(const uint64_t *)(const void *)((const char *)column.data + v * column.stride), 12);
        meguri_result_free(result);
    }
    meguri_graph_free(graph);
    context_done(ctx);
}

/* ---- one program after another, and hooks ----------------------------------------------------------------------- */

enum { ALL };
static const meguri_aggregator one_sum[] = {{.name = "all", .kind = MEGURI_SUM_WHOLE}};

MEGURI_VERTEX(first, uint64_t, meguri_none, meguri_none);
static inline void first_compute(first_vertex *v, uint64_t *x) {
    const uint64_t *factor = first_globals(v);
    *x = first_id(v) * *factor;
    first_whole(v, ALL, (int64_t)*x);
}
static int first_begin(meguri_master *m, void *globals, int argc, const char *const *argv) {
    uint32_t vertex = 0;
    assert_int_equal(argc, 2);
    assert_int_equal(m->find(m, argv[1], &vertex), 1);
    assert_int_equal(m->find(m, "no such", &vertex), 0);
    *(uint64_t *)globals = 3;
    return 0;
}
/* After the first superstep a factor of 5; after the second it stops. */
static void first_between(meguri_master *m, void *globals) {
    uint64_t n = m->vertices;
    assert_int_equal(m->whole(m, ALL), (m->superstep == 1 ? 3 : 5) * n * (n - 1) / 2);
    assert_int_equal(m->active, n);
    *(uint64_t *)globals = 5;
    m->stop = m->superstep == 2;
}
static const meguri_output first_columns[] = {MEGURI_OUTPUT("x", uint64_t)};
MEGURI_PROGRAM(first, .outputs = first_columns, .output_count = 1, .aggregators = one_sum, .aggregator_count = 1,
               .globals_bytes = 8, .begin = first_begin, .between = first_between);

MEGURI_VERTEX(second, double, meguri_none, meguri_none);
static inline void second_compute(second_vertex *v, double *y) {
    *y = (double)*(const uint64_t *)second_left(v) + 0.5;
    second_halt(v);
}
static const meguri_output second_columns[] = {MEGURI_OUTPUT("y", double)};
MEGURI_PROGRAM(second, .outputs = second_columns, .output_count = 1);

static void programs_in_sequence(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(2);
    meguri_graph *graph = a_graph(ctx, 300, 100, MEGURI_UNDIRECTED); /* isolated ones, too */
    const char *const arguments[] = {"a", "17"};
    for (uint32_t workers = 1; workers < 5; workers += 3) {
        meguri_run_options o = {.size = sizeof o, .workers = workers, .argc = 2, .argv = arguments};
        meguri_result *result;
        meguri_column x = {.size = sizeof x}, y = {.size = sizeof y};
        if (meguri_run(&result, ctx, graph, LIST(&first_program, &second_program), &o) != MEGURI_OK)
            fail_msg("%s", meguri_ctx_error(ctx));
        assert_int_equal(meguri_result_column(&x, result, "x"), MEGURI_OK);
        assert_int_equal(meguri_result_column(&y, result, "y"), MEGURI_OK);
        for (uint64_t v = 0; v < x.count; v++) {
            assert_int_equal(((const uint64_t *)x.data)[v], 5 * v);
            assert_true(((const double *)y.data)[v] == (double)(5 * v) + 0.5);
        }
        assert_int_equal(fact_of(result, "supersteps"), 3);
        meguri_result_free(result);
    }
    meguri_graph_free(graph);
    context_done(ctx);
}

/* ---- columns of edges ------------------------------------------------------------------------------------------- */

MEGURI_VERTEX(tolls, double, uint32_t, double);
static inline void tolls_compute(tolls_vertex *v, double *paid) {
    MEGURI_EACH_MESSAGE(tolls, m, v) *paid += m.value * m.edge;
    if (tolls_superstep(v) == 0) {
        MEGURI_EACH_OUT_EDGE(tolls, e, v) *paid += 1000.0 * e.value;
        tolls_send_all(v, 1);
    } else tolls_halt(v);
}
static const meguri_output tolls_columns[] = {MEGURI_OUTPUT("paid", double)};
MEGURI_PROGRAM(tolls, .outputs = tolls_columns, .output_count = 1, .edge_column = "toll");
MEGURI_VERTEX(narrow, double, uint8_t, double);
static inline void narrow_compute(narrow_vertex *v, double *x) {
    *x = 0;
    narrow_halt(v);
}
MEGURI_PROGRAM(narrow, .edge_column = "toll");

static void columns_of_edges(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(2);
    const uint64_t from[] = {0, 0, 1, 2, 2}, to[] = {1, 2, 2, 0, 3};
    const double weights[] = {9, 9, 9, 9, 9};
    const uint16_t toll[] = {1, 2, 300, 5, 6};
    const double paid[] = {3000 + 5, 300000 + 1, 11000 + 302, 6};
    const meguri_column_data column = {.size = sizeof column, .name = "toll", .type = MEGURI_TYPE_U16, .values = toll};
    meguri_edge_arrays edges = {.size = sizeof edges,
                                .count = 5,
                                .from = from,
                                .to = to,
                                .weights = weights,
                                .weight_type = MEGURI_TYPE_F64,
                                .columns = &column,
                                .column_count = 1};
    for (meguri_order order = MEGURI_ORDER_DEGREE; order <= MEGURI_ORDER_NONE; order++) {
        meguri_build_options b = {.size = sizeof b, .order = order};
        meguri_graph *graph;
        assert_int_equal(meguri_graph_from_edges(&graph, ctx, &edges, &b), MEGURI_OK);
        for (int how = 0; how <= MEGURI_DELIVERY_MIRROR; how++)
            for (uint32_t workers = 1; workers < 4 && how != MEGURI_DELIVERY_COMBINE; workers++) {
                meguri_run_options o = {.size = sizeof o, .delivery = (meguri_delivery)how, .workers = workers};
                meguri_result *result;
                meguri_column got = {.size = sizeof got};
                assert_int_equal(meguri_run(&result, ctx, graph, LIST(&tolls_program), &o), MEGURI_OK);
                assert_int_equal(meguri_result_column(&got, result, "paid"), MEGURI_OK);
                assert_memory_equal(got.data, paid, sizeof paid);
                meguri_result_free(result);
            }
        meguri_result *result;
        expect_failure(ctx, meguri_run(&result, ctx, graph, LIST(&narrow_program), NULL), MEGURI_BAD_INPUT,
                       "lose digits");
        meguri_graph_free(graph);
    }
    meguri_graph *graph = a_graph(ctx, 5, 5, MEGURI_DIRECTED);
    meguri_result *result;
    expect_failure(ctx, meguri_run(&result, ctx, graph, LIST(&tolls_program), NULL), MEGURI_BAD_INPUT, "\"toll\"");
    meguri_graph_free(graph);
    context_done(ctx);
}

/* ---- programs that are wrong ------------------------------------------------------------------------------------ */

MEGURI_VERTEX(wrong, uint64_t, meguri_none, uint64_t);
static inline void wrong_compute(wrong_vertex *v, uint64_t *x) {
    const int *how = wrong_globals(v);
    *x = 1;
    if (*how == 1 && wrong_superstep(v) == 2 && wrong_id(v) >= 7) wrong_send(v, (uint32_t)wrong_vertices(v), 1);
    if (*how == 2) wrong_real(v, 0, 1);
    if (*how == 3) wrong_whole(v, 1, 1);
    if (*how == 4 && wrong_id(v) == 9) wrong_fail(v, "it does not like that.");
    /* 5: goes on for ever */
}
static int wrong_begin(meguri_master *m, void *globals, int argc, const char *const *argv) {
    *(int *)globals = argc ? atoi(argv[0]) : 0;
    if (*(int *)globals == 6) strcpy(m->error, "it wants other arguments.");
    return *(int *)globals == 6 || *(int *)globals == 7;
}
MEGURI_PROGRAM(wrong, .aggregators = one_sum, .aggregator_count = 1, .globals_bytes = sizeof(int),
               .begin = wrong_begin);

static void wrong_programs(void **state) {
    (void)state;
    static const struct {
        const char *how;
        meguri_status status;
        const char *part;
    } table[] = {
        {"1", MEGURI_ENGINE_FAILED, "wrong failed in superstep 2: the vertex 7 sends to or asks vertex number 40"},
        {"2", MEGURI_ENGINE_FAILED, "no aggregator 0"},
        {"3", MEGURI_ENGINE_FAILED, "no aggregator 1"},
        {"4", MEGURI_ENGINE_FAILED, "superstep 0 at vertex 9: it does not like that."},
        {"5", MEGURI_ENGINE_FAILED, "not ended after 10 supersteps"},
        {"6", MEGURI_BAD_ARGUMENT, "it wants other arguments"},
        {"7", MEGURI_BAD_ARGUMENT, "does not say why"}};
    meguri_ctx *ctx = context_with(1); /* which vertex is first is then known */
    meguri_graph *graph = a_graph(ctx, 40, 100, MEGURI_UNDIRECTED);
    meguri_result *result;
    for (size_t i = 0; i < COUNT_OF(table); i++)
        for (uint32_t workers = 1; workers < 4; workers += 2) {
            meguri_run_options o = {
                .size = sizeof o, .workers = workers, .max_supersteps = 10, .argc = 1, .argv = &table[i].how};
            expect_failure(ctx, meguri_run(&result, ctx, graph, LIST(&wrong_program), &o), table[i].status,
                           workers == 1 || i != 0 ? table[i].part : "wrong failed in superstep 2: the vertex ");
            assert_null(result);
        }
    meguri_program old = wrong_program;
    old.abi++;
    expect_failure(ctx, meguri_run(&result, ctx, graph, LIST(&old), NULL), MEGURI_BAD_INPUT, "another version");
    old = wrong_program;
    const meguri_output outside[] = {{.name = "x", .type = MEGURI_TYPE_F64, .offset = 4}};
    old.outputs = outside;
    old.output_count = 1;
    expect_failure(ctx, meguri_run(&result, ctx, graph, LIST(&old), NULL), MEGURI_BAD_INPUT, "outside the value");
    static const struct {
        const char *name, *part;
    } names[] = {{"x", "called \"x\", as another"}, {"vertex", "called \"vertex\", as another"}, {"a\tb", "control"}};
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        const meguri_output output = {.name = names[i].name, .type = MEGURI_TYPE_U64};
        old.outputs = &output;
        expect_failure(ctx, meguri_run(&result, ctx, graph, LIST(&first_program, &old), NULL), MEGURI_BAD_INPUT,
                       names[i].part);
    }
    enum { MANY = 60000 };
    meguri_output *many = calloc(MANY, sizeof *many);
    char(*texts)[16] = calloc(MANY, sizeof *texts);
    for (int i = 0; i < MANY; i++) {
        snprintf(texts[i], sizeof texts[i], "column %d", i == MANY - 1 ? 7 : i);
        many[i] = (meguri_output){.name = texts[i], .type = MEGURI_TYPE_U64};
    }
    old.outputs = many;
    old.output_count = MANY;
    clock_t before = clock();
    expect_failure(ctx, meguri_run(&result, ctx, graph, LIST(&old), NULL), MEGURI_BAD_INPUT,
                   "output 60000 of the program wrong is called \"column 7\", as another");
    assert_true((double)(clock() - before) / CLOCKS_PER_SEC < 3); /* names are sorted, not compared each with each */
    free(many), free(texts);
    meguri_graph_free(graph);
    context_done(ctx);
}

/* ---- no memory, no patience ------------------------------------------------------------------------------------- */

/* Messages of both kinds, questions, aggregators, for ever. */
MEGURI_VERTEX(busy, double, double, double);
MEGURI_ASKS(busy, double);
static inline void busy_compute(busy_vertex *v, double *x) {
    MEGURI_EACH_MESSAGE(busy, m, v) *x += m.value * m.edge;
    busy_whole(v, ALL, 1);
    busy_ask(v, (uint32_t)(busy_vertices(v) - 1));
    if (busy_id(v) % 2) busy_send_all(v, 1);
    if (busy_id(v) % 3) busy_send(v, busy_id(v) / 2, 1);
}
static inline double busy_respond(const double *x) { return *x; }
static const meguri_output busy_columns[] = {MEGURI_OUTPUT("x", double)};
MEGURI_PROGRAM(busy, .outputs = busy_columns, .output_count = 1, .aggregators = one_sum, .aggregator_count = 1,
               MEGURI_ANSWERS(busy));
static meguri_program brief;

typedef struct trial {
    const meguri_graph *graph;
    const meguri_program *program;
    meguri_delivery delivery;
    uint32_t workers;
} trial;

static meguri_status attempt(meguri_ctx *ctx, void *what) {
    const trial *t = what;
    meguri_run_options o = {.size = sizeof o, .delivery = t->delivery, .workers = t->workers};
    meguri_result *result;
    meguri_status status = meguri_run(&result, ctx, t->graph, LIST(t->program), &o);
    meguri_result_free(result);
    return status;
}

static void allocations_that_fail(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(1), *other = context_with(1);
    meguri_graph *graph = a_graph(other, 200, 400, MEGURI_UNDIRECTED);
    brief = busy_program;
    brief.max_supersteps = 3;
    for (int how = 0; how <= MEGURI_DELIVERY_MIRROR; how++) {
        if (how == MEGURI_DELIVERY_COMBINE) continue;
        trial t = {.graph = graph, .program = &brief, .delivery = (meguri_delivery)how};
        assert_true(fail_each_allocation(ctx, attempt, &t, LEAVES_NOTHING) > 10);
    }
    meguri_graph_free(graph);
    context_done(other);
    context_done(ctx);
}

static void budgets_that_are_too_small(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(1);
    meguri_graph *graph = a_graph(ctx, 20000, 60000, MEGURI_UNDIRECTED);
    brief = busy_program;
    brief.max_supersteps = 3;
    trial t = {.graph = graph, .program = &brief, .delivery = MEGURI_DELIVERY_NORMAL};
    try_budgets(100000, (uint64_t)64 << 20, 1.7, attempt, &t);
    meguri_graph_free(graph);
    context_done(ctx);
}

static void cancelled(void **state) {
    (void)state;
    impatient user = {0};
    meguri_ctx *ctx = context_of(&user, 2), *other = context_with(1);
    meguri_graph *graph = a_graph(other, 2000, 6000, MEGURI_UNDIRECTED);
    for (uint32_t workers = 1; workers < 4; workers += 2) {
        trial t = {.graph = graph, .program = &busy_program, .workers = workers};
        cancel_at(ctx, &user, 3, "run", attempt, &t);
    }
    meguri_graph_free(graph);
    context_done(other);
    context_done(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(questions_and_answers),
        cmocka_unit_test(programs_in_sequence),
        cmocka_unit_test(columns_of_edges),
        cmocka_unit_test(wrong_programs),
        cmocka_unit_test(allocations_that_fail),
        cmocka_unit_test(budgets_that_are_too_small),
        cmocka_unit_test(cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
