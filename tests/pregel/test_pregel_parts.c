/* Vertex programs on graphs that lie in parts: what the simulator says (chaos.h), whatever the layout, the owners and
 * the delivery; the rows that a process has; columns of edges; checkpoints to and from whole graphs; lies. */
#define _GNU_SOURCE
#include "pregel/pregel.h"

#include "pregel/chaos.h"
#include "shards/answers.h"
#include "shards/lying.h"
#include "support/sinks.h"
#include <meguri/extra/cluster_threads.h>

/* ---- beside the simulator --------------------------------------------------------------------------------------- */

typedef struct trial {
    const arrangement *arrangement;
    const meguri_graph *graph;
    const meguri_program *program;
    meguri_run_options options;
    const char *column;
    size_t bytes; /* of its items */
    char *answer; /* by position */
    meguri_status expected;
    const char *sentence; /* what a failure says */
    uint64_t supersteps, row_bytes, graph_bytes;
    const char *file; /* of the graph, which keeps its ids so; NULL: it is spread */
} trial;

static meguri_status run_in_parts(void *user, meguri_ctx *ctx, meguri_cluster *cluster) {
    trial *t = user;
    meguri_graph *parts;
    meguri_result *result = NULL;
    meguri_layout layout = arranged(cluster, t->arrangement);
    meguri_layout_info info = {.size = sizeof info};
    layout.programs = 1;
    meguri_status status = t->file ? meguri_open(&parts, ctx, t->file, in_layout(&layout))
                                   : meguri_graph_spread(&parts, ctx, t->graph, &layout);
    if (status != MEGURI_OK) return status;
    status = meguri_run(&result, ctx, parts, LIST(t->program), &t->options);
    if (status != t->expected || (status != MEGURI_OK && !strstr(meguri_ctx_error(ctx), t->sentence)))
        status = mg_fail(ctx, MEGURI_WRONG_ANSWER, "it says: %s", meguri_ctx_error(ctx));
    else if (status == MEGURI_OK) {
        status = take_part(t->answer, ctx, parts, result, t->column, t->bytes);
        if (status == MEGURI_OK) status = meguri_graph_get_layout(&info, ctx, parts);
        if (cluster->rank == 0) {
            t->supersteps = fact_number(result, "supersteps");
            t->row_bytes = fact_number(result, "most_row_bytes");
            t->graph_bytes = info.bytes_here;
        }
    } else status = MEGURI_OK; /* as it should be */
    meguri_result_free(result);
    meguri_graph_free(parts);
    return status;
}

static void try_chaos(const meguri_graph *graph, const simulation *s, const char *name, const arrangement *a,
                      const meguri_run_options *options, uint32_t threads, const char *file) {
    uint64_t vertices = s->o->vertices;
    trial t = {.arrangement = a,
               .graph = graph,
               .file = file,
               .program = &chaos_program,
               .options = *options,
               .column = "hash",
               .bytes = sizeof(state),
               .answer = calloc(vertices + 1, sizeof(state))};
    run_on_threads(a, threads, name, run_in_parts, &t);
    for (uint64_t v = 0; v < vertices; v++)
        if (memcmp(t.answer + v * sizeof(state), &s->states[v], sizeof(state)) != 0)
            fail_msg("%s, %s, %u ranks, owner %d: vertex %u", name, meguri_delivery_name(options->delivery), a->ranks,
                     (int)a->owner, (unsigned)v);
    assert_int_equal(t.supersteps, s->supersteps);
    free(t.answer);
}

static const arrangement few[] = {{1, 0, 0, 0, BY_POSITION}, {2, 1, 2, 0, BY_POSITION}, {2, 0, 0, 1, BY_DEGREE},
                                  {3, 3, 1, 0, BY_BLOCKS},   {4, 2, 2, 0, BY_DEGREE},   {1, 0, 0, 0, BY_DEGREE},
                                  {5, 1, 5, 0, BY_POSITION}, {2, 0, 0, 0, 0},           {3, 0, 0, 0, BY_DEGREE}};

static void zoo_in_parts(void **unused) {
    (void)unused;
    meguri_ctx *ctx = context_with(1);
    zoo_graph g;
    uint64_t turn = 0;
    for (int index = 0; zoo_get(&g, index); index++) {
        uint64_t kind = (uint64_t)index % 24;
        meguri_build_options o = {.size = sizeof o,
                                  .direction = index & 1 ? MEGURI_DIRECTED : MEGURI_UNDIRECTED,
                                  .order = (meguri_order)(1 + kind / 2 % 3),
                                  .duplicates = kind / 6 % 2 ? MEGURI_DUPLICATES_KEEP : MEGURI_DUPLICATES_MIN,
                                  .keep_loops = kind / 12 % 2};
        char seed[24];
        const char *const arguments[] = {seed};
        snprintf(seed, sizeof seed, "%u", (unsigned)kind + 1);
        if (g.count < 400) {
            oracle arcs = oracle_build(&g, &o);
            simulation s = simulate(&arcs, kind + 1);
            meguri_graph *graph;
            assert_int_equal(zoo_build(&graph, ctx, &g, &o), MEGURI_OK);
            for (int how = MEGURI_DELIVERY_AUTO; how <= MEGURI_DELIVERY_MIRROR; how++, turn++) {
                if (how == MEGURI_DELIVERY_COMBINE || ((UNDER_TSAN || UNDER_ASAN) && turn % 5)) continue;
                const meguri_run_options options = {
                    .size = sizeof options, .delivery = (meguri_delivery)how, .argc = 1, .argv = arguments};
                try_chaos(graph, &s, g.name, &few[turn % COUNT_OF(few)], &options, 1 + turn % 2, NULL);
            }
            simulation_free(&s);
            meguri_graph_free(graph);
            oracle_free(&arcs);
        }
        zoo_free(&g);
    }
    context_done(ctx);
}

/* From a whole graph on workers that are threads into parts, and back. */
static void checkpoints_cross(void **unused) {
    (void)unused;
    meguri_ctx *ctx = context_with(2);
    zoo_graph g;
    char folder[FOLDER_TEXT], file[FOLDER_TEXT + 8];
    const char *const arguments[] = {"3"};
    meguri_result *result;
    int tried = 0;
    for (int index = 0; zoo_get(&g, index); index++) {
        meguri_build_options b = {.size = sizeof b, .direction = MEGURI_DIRECTED, .order = MEGURI_ORDER_DEGREE};
        if (g.count > 60 && g.count < 400 && tried < 3) {
            oracle arcs = oracle_build(&g, &b);
            simulation s = simulate(&arcs, 3);
            meguri_graph *graph;
            assert_int_equal(zoo_build(&graph, ctx, &g, &b), MEGURI_OK);
            folder_new(folder);
            snprintf(file, sizeof file, "%s/g.meg", folder);
            assert_int_equal(meguri_save(ctx, graph, to_file(file), NULL), MEGURI_OK);
            meguri_run_options first = {.size = sizeof first, .max_supersteps = 4, .argc = 1, .argv = arguments};
            first.checkpoint = folder;
            first.every = 1;
            const meguri_run_options then = {.size = sizeof then, .argc = 1, .argv = arguments, .resume = folder};
            first.workers = 2;
            assert_int_equal(meguri_run(&result, ctx, graph, LIST(&chaos_program), &first), MEGURI_ENGINE_FAILED);
            try_chaos(graph, &s, g.name, &few[3 + tried % 2], &then, 1, file); /* other owners, too */
            first.workers = 0;
            trial t = {.arrangement = &few[1 + tried],
                       .graph = graph,
                       .file = file,
                       .program = &chaos_program,
                       .options = first,
                       .expected = MEGURI_ENGINE_FAILED,
                       .sentence = "max_supersteps"};
            run_on_threads(t.arrangement, 1, g.name, run_in_parts, &t);
            assert_int_equal(meguri_run(&result, ctx, graph, LIST(&chaos_program), &then), MEGURI_OK);
            meguri_column column = {.size = sizeof column};
            assert_int_equal(meguri_result_column(&column, result, "hash"), MEGURI_OK);
            assert_memory_equal(column.data, s.states, s.o->vertices * sizeof *s.states);
            meguri_result_free(result);
            folder_remove(folder);
            meguri_graph_free(graph);
            simulation_free(&s);
            oracle_free(&arcs);
            tried++;
        }
        zoo_free(&g);
    }
    assert_int_equal(tried, 3);
    context_done(ctx);
}

/* ---- order, memory, columns, hooks ------------------------------------------------------------------------------ */

/* A floating-point sum of what comes in the graph's own order, and of the out-edges in theirs. */
MEGURI_VERTEX(ordered, double, uint32_t, double);
static inline void ordered_compute(ordered_vertex *v, double *sum) {
    MEGURI_EACH_MESSAGE(ordered, m, v) *sum = (*sum + m.value) * 1.0000001 + m.edge;
    MEGURI_EACH_OUT_EDGE(ordered, e, v) *sum = *sum * 0.999 + e.vertex * 0.01 + e.value;
    if (ordered_superstep(v) < 3) ordered_send_all(v, *sum + 1.0 / (1 + ordered_id(v)));
    else ordered_halt(v);
}
static const meguri_output sums[] = {MEGURI_OUTPUT("sum", double)};
MEGURI_PROGRAM(ordered, .outputs = sums, .output_count = 1, .any_order = 1);

MEGURI_VERTEX(tolls, double, uint32_t, double);
static inline void tolls_compute(tolls_vertex *v, double *paid) {
    MEGURI_EACH_MESSAGE(tolls, m, v) *paid += m.value * m.edge;
    MEGURI_EACH_OUT_EDGE(tolls, e, v) *paid = *paid * 1.01 + 1000.0 * e.value;
    if (tolls_superstep(v) == 0) tolls_send_all(v, 1.0 / (1 + tolls_id(v)));
    else tolls_halt(v);
}
static const meguri_output paid_columns[] = {MEGURI_OUTPUT("sum", double)};
MEGURI_PROGRAM(tolls, .outputs = paid_columns, .output_count = 1, .edge_column = "toll");

static meguri_graph *kronecker(meguri_ctx *ctx, int scale, meguri_order order) {
    meguri_kronecker_options k = {.size = sizeof k,
                                  .scale = scale,
                                  .edge_factor = 8,
                                  .weights = MEGURI_TYPE_U32,
                                  .build =
                                      &(meguri_build_options){.size = sizeof(meguri_build_options), .order = order}};
    meguri_graph *graph;
    assert_int_equal(meguri_gen_kronecker(&graph, ctx, &k), MEGURI_OK);
    return graph;
}

static double *whole_answer(meguri_ctx *ctx, const meguri_graph *graph, const meguri_program *program) {
    meguri_result *result;
    meguri_column column = {.size = sizeof column};
    if (meguri_run(&result, ctx, graph, LIST(program), NULL) != MEGURI_OK) fail_msg("%s", meguri_ctx_error(ctx));
    assert_int_equal(meguri_result_column(&column, result, "sum"), MEGURI_OK);
    double *copy = malloc(column.count * sizeof *copy);
    memcpy(copy, column.data, column.count * sizeof *copy);
    meguri_result_free(result);
    return copy;
}

static void same_bits(meguri_ctx *ctx, const meguri_graph *graph, const meguri_program *program, const char *name) {
    double *want = whole_answer(ctx, graph, program);
    for (size_t a = 0; a < COUNT_OF(few); a++) {
        trial t = {.arrangement = &few[a],
                   .graph = graph,
                   .program = program,
                   .options = {.size = sizeof t.options, .delivery = (meguri_delivery)(a % 2 ? 1 + a % 7 : 0)},
                   .column = "sum",
                   .bytes = sizeof(double),
                   .answer = calloc(graph->vertices, sizeof(double))};
        if (t.options.delivery == MEGURI_DELIVERY_COMBINE) t.options.delivery = MEGURI_DELIVERY_GHOST;
        run_on_threads(&few[a], 1, name, run_in_parts, &t);
        assert_memory_equal(t.answer, want, graph->vertices * sizeof *want);
        free(t.answer);
    }
    free(want);
}

static void orders_and_columns(void **unused) {
    (void)unused;
    meguri_ctx *ctx = context_with(1);
    for (int order = MEGURI_ORDER_DEGREE; order <= MEGURI_ORDER_NONE; order++) {
        meguri_graph *graph = kronecker(ctx, 7, (meguri_order)order);
        same_bits(ctx, graph, &ordered_program, "order");
        meguri_graph_free(graph);
    }
    uint64_t from[600], to[600], seed = 5;
    double weights[600];
    uint16_t toll[600];
    for (int i = 0; i < 600; i++) {
        from[i] = zoo_random(&seed) % 90;
        to[i] = zoo_random(&seed) % 90;
        weights[i] = (double)(zoo_random(&seed) % 1000) / 8;
        toll[i] = (uint16_t)zoo_random(&seed);
    }
    const meguri_column_data column = {.size = sizeof column, .name = "toll", .type = MEGURI_TYPE_U16, .values = toll};
    for (int weighted = 0; weighted < 2; weighted++)
        for (int directed = 0; directed < 2; directed++) {
            const meguri_edge_arrays edges = {.size = sizeof edges,
                                              .count = 600,
                                              .from = from,
                                              .to = to,
                                              .weights = weighted ? weights : NULL,
                                              .weight_type = weighted ? MEGURI_TYPE_F64 : MEGURI_TYPE_NONE,
                                              .columns = &column,
                                              .column_count = 1};
            const meguri_build_options b = {.size = sizeof b,
                                            .direction = directed ? MEGURI_DIRECTED : MEGURI_UNDIRECTED,
                                            .order = MEGURI_ORDER_DEGREE};
            meguri_graph *graph;
            if (meguri_graph_from_edges(&graph, ctx, &edges, &b) != MEGURI_OK) fail_msg("%s", meguri_ctx_error(ctx));
            same_bits(ctx, graph, &tolls_program, "columns");
            meguri_graph_free(graph);
        }
    context_done(ctx);
}

/* Of the rows, and of the whole part, each process has its share. */
static void memory_is_shared(void **unused) {
    (void)unused;
    meguri_ctx *ctx = context_with(1);
    meguri_graph *graph = kronecker(ctx, 11, MEGURI_ORDER_DEGREE);
    static const arrangement by[] = {
        {1, 0, 0, 0, BY_POSITION}, {2, 0, 0, 0, BY_POSITION}, {4, 0, 0, 0, BY_POSITION}, {8, 0, 0, 0, BY_POSITION}};
    uint64_t rows[4], parts[4];
    for (size_t i = 0; i < COUNT_OF(by); i++) {
        trial t = {.arrangement = &by[i],
                   .graph = graph,
                   .program = &ordered_program,
                   .options.size = sizeof t.options,
                   .column = "sum",
                   .bytes = sizeof(double),
                   .answer = calloc(graph->vertices, sizeof(double))};
        run_on_threads(&by[i], 1, "memory", run_in_parts, &t);
        rows[i] = t.row_bytes;
        parts[i] = t.graph_bytes;
        free(t.answer);
    }
    /* An end and a value each, both ways, and offsets. */
    assert_int_equal(rows[0], 2 * (graph->arcs * (4 + 4) + (graph->vertices + 1) * 8));
    for (size_t i = 1; i < COUNT_OF(by); i++) {
        print_message("%u processes: rows %.3f, part %.3f\n", by[i].ranks, (double)rows[i] / (double)rows[0],
                      (double)parts[i] / (double)parts[0]);
        assert_true(rows[i] * by[i].ranks < rows[0] * 5 / 4);
        assert_true(parts[i] * by[i].ranks < 2 * parts[1] * 5 / 4); /* one process needs one form of the arcs alone */
    }
    meguri_graph_free(graph);
    context_done(ctx);
}

/* Hooks look vertices up; who sends to nowhere is named by its id. */
MEGURI_VERTEX(finder, uint64_t, meguri_none, meguri_none);
static inline void finder_compute(finder_vertex *v, uint64_t *x) {
    const uint32_t *found = finder_globals(v);
    *x = found[0] + 1000 * found[1];
    if (finder_superstep(v) == 1 && finder_id(v) % 40 == 7) finder_send(v, 5000, (meguri_none){0});
}
static int find_some(meguri_master *m, void *globals, int argc, const char *const *argv) {
    uint32_t *found = globals;
    (void)argc, (void)argv;
    if (m->find(m, "no such", &found[0]) || m->find(m, "100000", &found[0])) return 1;
    if (m->find(m, "60", &found[0]) && m->find(m, "61", &found[1])) return 0;
    strcpy(m->error, "60 and 61 are not there.");
    return 1;
}
static const meguri_output found_columns[] = {MEGURI_OUTPUT("found", uint64_t)};
MEGURI_PROGRAM(finder, .outputs = found_columns, .output_count = 1, .globals_bytes = 8, .begin = find_some);

static void hooks_and_faults(void **unused) {
    (void)unused;
    meguri_ctx *ctx = context_with(1);
    meguri_graph *graph = kronecker(ctx, 7, MEGURI_ORDER_DEGREE);
    for (size_t a = 0; a < COUNT_OF(few); a++) {
        trial t = {.arrangement = &few[a],
                   .graph = graph,
                   .program = &finder_program,
                   .options.size = sizeof t.options,
                   .expected = MEGURI_ENGINE_FAILED,
                   .sentence =
                       "in superstep 1: the vertex 7 sends to or asks vertex number 5000, but there are only 128."};
        run_on_threads(&few[a], 1, "faults", run_in_parts, &t);
    }
    meguri_graph_free(graph);
    context_done(ctx);
}

/* ---- lies ------------------------------------------------------------------------------------------------------- */

MEGURI_VERTEX(asker, uint64_t, uint32_t, uint64_t);
MEGURI_ASKS(asker, uint64_t);
static inline uint64_t asker_respond(const uint64_t *value) { return *value; }
static inline void asker_compute(asker_vertex *v, uint64_t *x) {
    MEGURI_EACH_MESSAGE(asker, m, v) *x += m.value + m.edge + m.source;
    if (asker_superstep(v) > 2) {
        asker_halt(v);
        return;
    }
    asker_ask(v, (asker_id(v) + 1) % (uint32_t)asker_vertices(v));
    asker_send(v, (asker_id(v) * 7 + 1) % (uint32_t)asker_vertices(v), *x);
    if (asker_id(v) % 3) asker_send_all(v, *x);
}
MEGURI_PROGRAM(asker, MEGURI_ANSWERS(asker), .any_order = 1);

typedef struct program_lie {
    lie lie;
    meguri_delivery how;
} program_lie;

static meguri_status lie_in_a_program(void *user, meguri_ctx *ctx, meguri_cluster *c) {
    program_lie *l = user;
    meguri_graph *s;
    meguri_result *result = NULL;
    meguri_layout o = arranged(c, l->lie.arrangement);
    o.programs = 1;
    meguri_status status = meguri_graph_spread(&s, ctx, l->lie.graph, &o);
    if (status != MEGURI_OK) return status;
    begin_to_lie(&l->lie, c);
    const meguri_run_options options = {.size = sizeof options, .delivery = l->how};
    status = meguri_run(&result, ctx, s, LIST(&asker_program), &options);
    if (c->rank == 0) l->lie.status = status;
    meguri_result_free(result);
    meguri_graph_free(s);
    return MEGURI_OK; /* what comes of it is not the question */
}

static void nobody_falls_for_a_lie(void **unused) {
    (void)unused;
    static const arrangement layouts[] = {
        {2, 1, 2, 0, BY_POSITION}, {2, 0, 0, 0, BY_DEGREE}, {3, 0, 0, 0, BY_POSITION}};
    static const meguri_delivery deliveries[] = {MEGURI_DELIVERY_NORMAL, MEGURI_DELIVERY_SENDALL, MEGURI_DELIVERY_GHOST,
                                                 MEGURI_DELIVERY_LIST};
    meguri_ctx *ctx = context_with(1);
    meguri_graph *graph = kronecker(ctx, 6, MEGURI_ORDER_DEGREE);
    unsigned told = 0, refused = 0;
    for (size_t d = 0; d < COUNT_OF(deliveries); d++)
        for (int number = 0, told_now = 1; told_now; number += UNDER_TSAN || UNDER_ASAN ? 3 : 1) {
            told_now = 0;
            for (int how = 0; how < KINDS_OF_LIES; how++) {
                program_lie l = {{.arrangement = &layouts[(size_t)(number + how) % COUNT_OF(layouts)],
                                  .graph = graph,
                                  .kind = "bulk",
                                  .number = number,
                                  .how = how},
                                 deliveries[d]};
                const meguri_cluster_threads_options o = {.size = sizeof o, .ranks = l.lie.arrangement->ranks};
                assert_int_equal(meguri_cluster_threads(ctx, &o, lie_in_a_program, &l), MEGURI_OK);
                told_now |= l.lie.told;
                told += l.lie.told;
                refused += l.lie.told && l.lie.status != MEGURI_OK;
                if (l.lie.told && (how == 1 || how == 2) && l.lie.arrangement->ranks == 2 && l.lie.status == MEGURI_OK)
                    fail_msg("a message was taken that was too short (%d)", number);
            }
        }
    print_message("%u lies to a program, %u of them noticed\n", told, refused);
    assert_true(told > 100 && refused > told / 3);
    meguri_graph_free(graph);
    context_done(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zoo_in_parts),       cmocka_unit_test(checkpoints_cross),
        cmocka_unit_test(orders_and_columns), cmocka_unit_test(memory_is_shared),
        cmocka_unit_test(hooks_and_faults),   cmocka_unit_test(nobody_falls_for_a_lie),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
