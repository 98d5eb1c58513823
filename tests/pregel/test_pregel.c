/* Vertex programs against a slow simulator that follows the words of pregel.h (chaos.h): every delivery, any number of
 * workers and threads, the same bits. */
#define _GNU_SOURCE
#include "pregel/pregel.h"

#include "algo_bfs/searching.h"
#include "pregel/chaos.h"

#include <math.h>
#include <meguri.h>
#include <meguri/run.h>
#include <string.h>

/* ---- beside each other ------------------------------------------------------------------------------------------ */

static void compare(meguri_ctx *ctx, const meguri_graph *graph, const simulation *s, const char *name,
                    const meguri_run_options *options) {
    meguri_result *result;
    meguri_column column = {.size = sizeof column};
    if (meguri_run(&result, ctx, graph, LIST(&chaos_program), options) != MEGURI_OK)
        fail_msg("%s: %s", name, meguri_ctx_error(ctx));
    assert_int_equal(meguri_result_column(&column, result, "hash"), MEGURI_OK);
    assert_int_equal(column.count, s->o->vertices);
    for (uint64_t v = 0; v < s->o->vertices; v++) {
        const state *got = (const state *)(const void *)((const char *)column.data + v * column.stride);
        if (got->calls != s->states[v].calls || got->hash != s->states[v].hash)
            fail_msg("%s, %s, %u workers: vertex %u computed %u times, not %u, or saw something else", name,
                     meguri_delivery_name(options->delivery), options->workers, (unsigned)v, (unsigned)got->calls,
                     (unsigned)s->states[v].calls);
    }
    assert_int_equal(fact_of(result, "messages"), s->messages);
    assert_int_equal(fact_of(result, "computed"), s->computed);
    assert_int_equal(fact_of(result, "supersteps"), s->supersteps);
    meguri_result_free(result);
}

static void compare_everywhere(meguri_ctx *const *ctx, const zoo_graph *g, uint64_t kind) {
    static const uint32_t workers[] = {2, 3, 7};
    meguri_build_options o = {.size = sizeof o,
                              .direction = kind & 1 ? MEGURI_DIRECTED : MEGURI_UNDIRECTED,
                              .order = (meguri_order)(1 + kind / 2 % 3),
                              .duplicates = kind / 6 % 2 ? MEGURI_DUPLICATES_KEEP : MEGURI_DUPLICATES_MIN,
                              .keep_loops = kind / 12 % 2};
    char seed[24];
    const char *const arguments[] = {seed};
    snprintf(seed, sizeof seed, "%u", (unsigned)kind + 1);
    oracle arcs = oracle_build(g, &o);
    meguri_graph *graph;
    assert_int_equal(zoo_build(&graph, ctx[0], g, &o), MEGURI_OK);
    simulation s = simulate(&arcs, kind + 1);
    for (int how = MEGURI_DELIVERY_AUTO; how <= MEGURI_DELIVERY_MIRROR; how++) {
        if (how == MEGURI_DELIVERY_COMBINE) continue; /* which changes what is seen */
        meguri_run_options options = {
            .size = sizeof options, .delivery = (meguri_delivery)how, .argc = 1, .argv = arguments};
        compare(ctx[(kind + (uint64_t)how) % THREAD_COUNTS], graph, &s, g->name, &options);
        options.workers = workers[(kind + (uint64_t)how) % 3];
        compare(ctx[0], graph, &s, g->name, &options);
    }
    simulation_free(&s);
    meguri_graph_free(graph);
    oracle_free(&arcs);
}

static void zoo_and_simulator(void **unused) {
    (void)unused;
    meguri_ctx *ctx[THREAD_COUNTS];
    zoo_graph g;
    for (size_t t = 0; t < THREAD_COUNTS; t++) ctx[t] = context_with(thread_counts[t]);
    for (int index = 0; zoo_get(&g, index); index++) {
        if (g.count < 700)
            for (uint64_t kind = (uint64_t)index % 5; kind < 24; kind += UNDER_TSAN || UNDER_ASAN ? 23 : 5)
                compare_everywhere(ctx, &g, kind);
        zoo_free(&g);
    }
    for (size_t t = THREAD_COUNTS; t-- > 0;) context_done(ctx[t]);
}

/* ---- checkpoints ------------------------------------------------------------------------------------------------ */

static const char *file_in(char path[FOLDER_TEXT + 32], const char *folder, const char *name) {
    snprintf(path, FOLDER_TEXT + 32, "%s/%s", folder, name);
    return path;
}

/* Flips a byte of each file in turn, and cuts its last one off. */
static void damage_and_resume(meguri_ctx *ctx, const meguri_graph *graph, const meguri_run_options *options) {
    char path[FOLDER_TEXT + 32];
    meguri_result *result;
    static const char *const names[] = {"checkpoint", "part-3-0", "part-3-1"};
    for (size_t i = 0; i < COUNT_OF(names); i++)
        for (int cut = 0; cut < 2; cut++) {
            FILE *file = fopen(file_in(path, options->resume, names[i]), "r+b");
            assert_non_null(file);
            fseek(file, 0, SEEK_END);
            long bytes = ftell(file), at = cut ? bytes - 1 : bytes / 3;
            fseek(file, at, SEEK_SET);
            int byte = fgetc(file);
            fseek(file, at, SEEK_SET);
            if (cut) assert_int_equal(ftruncate(fileno(file), at), 0);
            else fputc(byte ^ 4, file);
            fflush(file);
            assert_int_equal(meguri_run(&result, ctx, graph, LIST(&chaos_program), options), MEGURI_BAD_INPUT);
            fseek(file, at, SEEK_SET);
            fputc(byte, file);
            fclose(file);
        }
    assert_int_equal(unlink(file_in(path, options->resume, "part-3-1")), 0);
    assert_int_equal(meguri_run(&result, ctx, graph, LIST(&chaos_program), options), MEGURI_BAD_INPUT);
}

/* Runs that end too early, after each superstep, go on with other workers and another delivery to what the simulator
 * says. */
static void checkpoints(void **unused) {
    (void)unused;
    meguri_ctx *ctx = context_with(2);
    zoo_graph g;
    char seed[24], folder[FOLDER_TEXT];
    const char *const arguments[] = {seed};
    meguri_result *result;
    uint64_t tried = 0;
    for (int index = 0; zoo_get(&g, index); index++) {
        meguri_build_options b = {.size = sizeof b, .direction = index % 2 ? MEGURI_DIRECTED : MEGURI_UNDIRECTED};
        if (g.count > 30 && g.count < 500 && tried < 4) {
            snprintf(seed, sizeof seed, "%d", index + 1);
            oracle arcs = oracle_build(&g, &b);
            simulation s = simulate(&arcs, (uint64_t)index + 1);
            meguri_graph *graph;
            assert_int_equal(zoo_build(&graph, ctx, &g, &b), MEGURI_OK);
            folder_new(folder);
            for (uint64_t end = 1; end < s.supersteps; end++) {
                uint32_t workers = 1 + (uint32_t)(end + tried) % 3;
                meguri_run_options o = {.size = sizeof o,
                                        .workers = workers,
                                        .max_supersteps = end + 1,
                                        .argc = 1,
                                        .argv = arguments,
                                        .checkpoint = folder,
                                        .every = 1};
                if (end + 1 < s.supersteps)
                    assert_int_equal(meguri_run(&result, ctx, graph, LIST(&chaos_program), &o), MEGURI_ENGINE_FAILED);
                else compare(ctx, graph, &s, g.name, &o);
                o = (meguri_run_options){.size = sizeof o, .argc = 1, .argv = arguments, .resume = folder};
                o.delivery = end % 2 ? MEGURI_DELIVERY_NORMAL : MEGURI_DELIVERY_GHOST;
                o.workers = 1 + (workers + (uint32_t)end) % 4;
                compare(ctx, graph, &s, g.name, &o);
                if (end == 3 && workers == 2) damage_and_resume(ctx, graph, &o);
            }
            folder_remove(folder);
            meguri_graph_free(graph);
            simulation_free(&s);
            oracle_free(&arcs);
            tried++;
        }
        zoo_free(&g);
    }
    assert_int_equal(tried, 4);
    context_done(ctx);
}

/* ---- counts ----------------------------------------------------------------------------------------------------- */

MEGURI_VERTEX(counting, double, meguri_none, double);
static inline void counting_compute(counting_vertex *v, double *sum) {
    MEGURI_EACH_MESSAGE(counting, m, v) *sum += m.value;
    if (counting_superstep(v) == 0) counting_send_all(v, 1);
    else counting_halt(v);
}
static inline void counting_combine(double *into, const double *message) { *into += *message; }
MEGURI_COMBINES(counting);
static const meguri_output sums[] = {MEGURI_OUTPUT("sum", double)};
MEGURI_PROGRAM(counting, .outputs = sums, .output_count = 1, MEGURI_COMBINED(counting));

/* Distinct pairs, by a table of all of them: sources and workers, or workers and targets. */
static uint64_t distinct_pairs(const oracle *o, uint64_t workers, bool combined) {
    uint8_t *seen = calloc(o->vertices * workers + 1, 1);
    uint64_t count = 0;
    for (uint64_t i = 0; i < o->arc_count; i++) {
        uint64_t from = o->arcs[i].row, to = o->arcs[i].column;
        uint64_t pair = combined ? to * workers + from % workers : from * workers + to % workers;
        count += !seen[pair];
        seen[pair] = 1;
    }
    free(seen);
    return count;
}

static void count_with(meguri_ctx *ctx, const meguri_graph *graph, const oracle *o, uint32_t workers,
                       meguri_delivery how, uint64_t delivered, uint64_t bits) {
    meguri_run_options options = {.size = sizeof options, .delivery = how, .workers = workers};
    meguri_result *result;
    meguri_column column = {.size = sizeof column};
    assert_int_equal(meguri_run(&result, ctx, graph, LIST(&counting_program), &options), MEGURI_OK);
    assert_int_equal(fact_of(result, "messages"), o->arc_count);
    assert_int_equal(fact_of(result, "delivered"), delivered);
    assert_int_equal(fact_of(result, "model_bytes"), (bits + 7) / 8);
    assert_int_equal(fact_of(result, "workers"), workers);
    assert_int_equal(meguri_result_column(&column, result, "sum"), MEGURI_OK);
    double all = 0;
    for (uint64_t v = 0; v < column.count; v++) all += ((const double *)column.data)[v];
    assert_true(all == (double)o->arc_count);
    meguri_result_free(result);
}

/* The three formulae of paper P4, section 3.3, with d = 8; and the ghost index, whose bits are those of all pairs. */
static void counts_are_those_of_the_paper(void **unused) {
    (void)unused;
    meguri_ctx *ctx = context_with(2);
    uint64_t seed = 9;
    zoo_graph g = {.name = "random", .count = 6000, .vertices = 1000, .pairs = calloc(12000, sizeof *g.pairs)};
    for (uint64_t i = 0; i < 2 * g.count; i++) {
        uint64_t r = zoo_random(&seed);
        g.pairs[i] = r % 3 ? r / 3 % 1000 : r / 3 % 30;
    }
    meguri_build_options o = {
        .size = sizeof o, .direction = MEGURI_DIRECTED, .duplicates = MEGURI_DUPLICATES_KEEP, .keep_loops = 1};
    oracle arcs = oracle_build(&g, &o);
    meguri_graph *graph;
    assert_int_equal(zoo_build(&graph, ctx, &g, &o), MEGURI_OK);
    for (uint32_t workers = 1; workers <= 64; workers = workers < 8 ? workers + 1 : 2 * workers) {
        uint64_t m = arcs.arc_count, v = arcs.vertices;
        uint64_t alpha = distinct_pairs(&arcs, workers, true), beta = distinct_pairs(&arcs, workers, false);
        count_with(ctx, graph, &arcs, workers, MEGURI_DELIVERY_NORMAL, m, 128 * m);
        count_with(ctx, graph, &arcs, workers, MEGURI_DELIVERY_COMBINE, alpha, 128 * alpha);
        count_with(ctx, graph, &arcs, workers, MEGURI_DELIVERY_SENDALL, beta, v * workers + 64 * beta);
        count_with(ctx, graph, &arcs, workers, MEGURI_DELIVERY_GHOST, beta, 64 * beta); /* all: no bits */
        count_with(ctx, graph, &arcs, workers, MEGURI_DELIVERY_LIST, beta, 128 * beta);
    }
    oracle_free(&arcs);
    meguri_graph_free(graph);
    zoo_free(&g);
    context_done(ctx);
}

/* ---- exact sums ------------------------------------------------------------------------------------------------- */

static void exact_sums(void **unused) {
    (void)unused;
    uint64_t seed = 1;
    for (int trial = 0; trial < 2000; trial++) {
        int64_t sum[MEGURI_EXACT] = {0};
        __int128 whole = 0; /* of 2^-40 */
        int count = 1 + (int)(zoo_random(&seed) % 50), most = 1 + (int)(zoo_random(&seed) % 90);
        for (int i = 0; i < count; i++) {
            int64_t digits = (int64_t)(zoo_random(&seed) >> (11 + zoo_random(&seed) % 53));
            int shift = (int)(zoo_random(&seed) % (uint64_t)most) % 60;
            if (zoo_random(&seed) % 2) digits = -digits;
            if (i && zoo_random(&seed) % 4 == 0) digits = (int64_t)(whole >> 40) == 0 ? digits : 1;
            meguri_exact_add(sum, ldexp((double)digits, shift - 40));
            whole += (__int128)digits * ((__int128)1 << shift);
        }
        assert_true(mg_exact_round(sum) == ldexp((double)whole, -40));
    }
    static const struct {
        double add[4], sum;
    } table[] = {{{1e308, 1e308, -1e308, -1e308}, 0},
                 {{1e308, 1e308, 0, 0}, INFINITY},
                 {{0x1p-1074, 0x1p-1074, 0, 0}, 0x1p-1073},
                 {{0x1p-1074, -0x1p-1074, 0, 0}, 0},
                 {{-0x1p-1074, 0, 0, 0}, -0x1p-1074},
                 {{1, 0x1p-53, 0, 0}, 1},
                 {{1, 0x1p-53, 0x1p-1074, 0}, 1 + 0x1p-52},
                 {{1e300, 1, -1e300, 0}, 1},
                 {{0x1.fffffffffffffp1023, 0, 0, 0}, 0x1.fffffffffffffp1023},
                 {{INFINITY, 1, -1e300, 0}, INFINITY},
                 {{-INFINITY, 1, 0, 0}, -INFINITY}};
    for (size_t i = 0; i < COUNT_OF(table); i++) {
        int64_t sum[MEGURI_EXACT] = {0};
        for (int k = 0; k < 4; k++) meguri_exact_add(sum, table[i].add[k]);
        assert_true(mg_exact_round(sum) == table[i].sum);
    }
    int64_t sum[MEGURI_EXACT] = {0};
    meguri_exact_add(sum, INFINITY);
    meguri_exact_add(sum, -INFINITY);
    assert_true(isnan(mg_exact_round(sum)));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zoo_and_simulator),
        cmocka_unit_test(checkpoints),
        cmocka_unit_test(counts_are_those_of_the_paper),
        cmocka_unit_test(exact_sums),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
