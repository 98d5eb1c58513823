/* The whole benchmark at small scales, against the slow search of the same edge list. */
#define _GNU_SOURCE
#include "graph500/lists.h"
#include "support/sanitized.h"

#include <math.h>
#include <meguri/extra/graph500.h>

static meguri_graph500_report *run(meguri_ctx *ctx, const meguri_graph500_options *o) {
    meguri_graph500_report *report;
    meguri_status status = meguri_graph500(&report, ctx, o);
    if (status != MEGURI_OK) fail_msg("scale %u: %s", o->scale, meguri_ctx_error(ctx));
    assert_non_null(report);
    return report;
}

/* Every row of kernel 2 against the slow search; distinctness of the roots. */
static void compare_bfs(const meguri_graph500_report *report, const edge_list *list) {
    uint32_t n = list->vertices, *parent = malloc(n * 4);
    int32_t *level = malloc(n * 4);
    bool *used = calloc(n, 1);
    assert_true(parent && level && used);
    for (uint32_t i = 0; i < report->searches_run; i++) {
        const meguri_graph500_search *s = &report->bfs.searches[i];
        assert_true(s->root < n && !used[s->root]);
        used[s->root] = true;
        uint64_t reached = list_search(list, (uint32_t)s->root, parent, level), depth = 0;
        for (uint32_t v = 0; v < n; v++) depth = MG_MAX((int64_t)depth, level[v]);
        assert_true(reached > 1);
        assert_int_equal(s->reached, reached);
        assert_int_equal(s->depth, depth);
        assert_true(s->farthest == 0);
        assert_int_equal(s->edges, list_edges_inside(list, parent));
    }
    free(parent);
    free(level);
    free(used);
}

/* And of kernel 3. */
static void compare_sssp(const meguri_graph500_report *report, const edge_list *list) {
    uint32_t n = list->vertices, *parent = malloc(n * 4);
    double *distance = malloc(n * 8);
    assert_true(parent && distance);
    for (uint32_t i = 0; i < report->searches_run; i++) {
        const meguri_graph500_search *s = &report->sssp.searches[i];
        uint64_t reached = list_paths(list, (uint32_t)s->root, parent, distance);
        double farthest = 0;
        for (uint32_t v = 0; v < n; v++)
            if (distance[v] < INFINITY) farthest = fmax(farthest, distance[v]);
        assert_int_equal(s->reached, reached);
        assert_int_equal(s->depth, 0);
        assert_true(s->farthest == farthest);
        assert_int_equal(s->edges, list_edges_inside(list, parent));
    }
    free(parent);
    free(distance);
}

static void check_statistics(const meguri_graph500_report *report, const meguri_graph500_kernel *k) {
    double least = INFINITY, most = 0, inverse = 0, edges = 0;
    for (uint32_t i = 0; i < report->searches_run; i++) {
        const meguri_graph500_search *s = &k->searches[i];
        assert_true(s->seconds > 0 && fabs(s->teps * s->seconds - (double)s->edges) < 1e-6 * (double)s->edges);
        assert_true(report->validated ? s->validation_seconds > 0 : s->validation_seconds == 0);
        least = fmin(least, s->teps);
        most = fmax(most, s->teps);
        inverse += 1 / s->teps;
        edges += (double)s->edges;
    }
    assert_true(fabs(k->teps.min / least - 1) < 1e-9 && fabs(k->teps.max / most - 1) < 1e-9);
    assert_true(fabs(k->teps.mean * inverse / report->searches_run - 1) < 1e-9);
    assert_true(fabs(k->edges.mean * report->searches_run / edges - 1) < 1e-9);
    assert_true(k->time.min <= k->time.median && k->time.median <= k->time.max);
    assert_true(report->validated ? k->validation.min > 0 : k->validation.max == 0);
}

static void every_scale(void **state) {
    (void)state;
    uint32_t most = UNDER_TSAN ? 8 : 10;
    for (uint32_t scale = 1; scale <= most; scale++) {
        uint64_t kept[64] = {0};
        edge_list list = list_kronecker(scale, 16, 3);
        list_weigh(&list, 3);
        for (size_t t = 0; t < THREAD_COUNTS; t++) {
            meguri_ctx *ctx = context_with(thread_counts[t]);
            meguri_graph500_options o = {.size = sizeof o, .validate = 1, .scale = scale, .seed = 3};
            if (scale % 2) o.kernels = MEGURI_GRAPH500_BFS | MEGURI_GRAPH500_SSSP;
            meguri_graph500_report *report = run(ctx, &o);
            assert_int_equal(report->size, sizeof *report);
            assert_int_equal(report->scale, scale);
            assert_int_equal(report->edge_factor, 16);
            assert_int_equal(report->seed, 3);
            assert_int_equal(report->threads, thread_counts[t]);
            assert_int_equal(report->roots_wanted, 64);
            assert_true(report->searches_run <= 64 && report->searches_run >= 1 && report->validated);
            assert_true(scale < 8 || report->searches_run == 64);
            assert_int_equal(report->vertices, 1u << scale);
            assert_int_equal(report->input_edges, 16u << scale);
            assert_true(report->graph_edges > 0 && report->graph_edges < report->input_edges);
            assert_true(report->generation_seconds > 0 && report->construction_seconds > 0);
            compare_bfs(report, &list);
            check_statistics(report, &report->bfs);
            assert_true(!!report->sssp.searches == scale % 2);
            if (report->sssp.searches) {
                compare_sssp(report, &list);
                check_statistics(report, &report->sssp);
            }
            /* The same roots at any number of threads. */
            for (uint32_t i = 0; i < report->searches_run; i++) {
                if (t == 0) kept[i] = report->bfs.searches[i].root;
                assert_int_equal(kept[i], report->bfs.searches[i].root);
                if (report->sssp.searches) assert_int_equal(kept[i], report->sssp.searches[i].root);
            }
            meguri_graph500_report_free(report);
            context_done(ctx);
        }
        list_free(&list);
    }
}

static void without_validation(void **state) {
    (void)state;
    edge_list list = list_kronecker(9, 4, 1);
    list_weigh(&list, 1);
    meguri_ctx *ctx = context_with(2);
    meguri_graph500_options o = {.size = sizeof o, .validate = 1, .scale = 9, .edge_factor = 4, .roots = 20};
    meguri_graph500_report *with = run(ctx, &o);
    assert_null(with->sssp.searches);
    o.validate = !(1);
    o.kernels = MEGURI_GRAPH500_BFS | MEGURI_GRAPH500_SSSP;
    meguri_graph500_report *report = run(ctx, &o);
    assert_false(report->validated);
    assert_int_equal(report->searches_run, 20);
    compare_bfs(report, &list);
    check_statistics(report, &report->bfs);
    compare_sssp(report, &list);
    check_statistics(report, &report->sssp);
    for (int i = 0; i < 20; i++) assert_int_equal(with->bfs.searches[i].root, report->bfs.searches[i].root);
    meguri_graph500_report_free(report);
    meguri_graph500_report_free(with);
    context_done(ctx);
    list_free(&list);
}

/* Shortest paths alone: the same roots, edges and paths. */
static void kernel_3_alone(void **state) {
    (void)state;
    edge_list list = list_kronecker(9, 4, 1);
    list_weigh(&list, 1);
    meguri_ctx *ctx = context_with(2);
    for (int validate = 0; validate < 2; validate++) {
        meguri_graph500_options o = {.size = sizeof o,
                                     .scale = 9,
                                     .edge_factor = 4,
                                     .roots = 20,
                                     .validate = validate,
                                     .kernels = MEGURI_GRAPH500_SSSP};
        meguri_graph500_report *report = run(ctx, &o);
        assert_true(report->validated == validate);
        assert_null(report->bfs.searches);
        assert_true(report->bfs.teps.max == 0);
        compare_sssp(report, &list);
        check_statistics(report, &report->sssp);
        meguri_graph500_report_free(report);
    }
    context_done(ctx);
    list_free(&list);
}

typedef struct listener {
    int warnings;
    char text[256];
} listener;

static void listen(void *user, meguri_log_level level, const char *text) {
    listener *l = user;
    l->warnings += level == MEGURI_LOG_WARNING;
    snprintf(l->text, sizeof l->text, "%s", text);
}

static void fewer_roots_than_asked_for(void **state) {
    (void)state;
    listener l = {0};
    meguri_ctx *ctx;
    meguri_ctx_options options = {
        .size = sizeof options, .threads = 2, .log = listen, .log_user = &l, .log_level = MEGURI_LOG_WARNING};
    assert_int_equal(meguri_ctx_new(&ctx, &options), MEGURI_OK);
    meguri_graph500_options o = {.size = sizeof o, .validate = 1, .scale = 3, .roots = UINT32_MAX};
    meguri_graph500_report *report = run(ctx, &o);
    assert_true(report->searches_run <= 8);
    assert_true(report->roots_wanted == UINT32_MAX);
    assert_int_equal(l.warnings, 1);
    assert_non_null(strstr(l.text, "searches run instead of 4294967295."));
    meguri_graph500_report_free(report);
    context_done(ctx);
}

static void wrong_options(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(1);
    meguri_graph500_report *report;
    meguri_graph500_options o = {.size = sizeof o, .validate = 1, .scale = 0};
    assert_int_equal(meguri_graph500(NULL, ctx, &o), MEGURI_BAD_ARGUMENT);
    assert_int_equal(meguri_graph500(&report, NULL, &o), MEGURI_BAD_ARGUMENT);
    assert_int_equal(meguri_graph500(&report, ctx, &o), MEGURI_BAD_ARGUMENT);
    assert_null(report);
    o.scale = 32;
    assert_int_equal(meguri_graph500(&report, ctx, &o), MEGURI_BAD_ARGUMENT);
    assert_int_equal(meguri_graph500(&report, ctx, NULL), MEGURI_BAD_ARGUMENT);
    o = (meguri_graph500_options){.size = sizeof o, .validate = 1, .scale = 4, .kernels = 4};
    assert_int_equal(meguri_graph500(&report, ctx, &o), MEGURI_BAD_ARGUMENT);
    assert_non_null(strstr(meguri_ctx_error(ctx), "no kernels 4"));
    o = (meguri_graph500_options){.scale = 4};
    assert_int_equal(meguri_graph500(&report, ctx, &o), MEGURI_BAD_ARGUMENT);
    meguri_graph500_report_free(NULL);
    context_done(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_scale),    cmocka_unit_test(without_validation),
        cmocka_unit_test(kernel_3_alone), cmocka_unit_test(fewer_roots_than_asked_for),
        cmocka_unit_test(wrong_options),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
