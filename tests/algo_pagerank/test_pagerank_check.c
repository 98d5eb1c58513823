/* The checker of PageRank: right answers pass, wrong ones are refused with a sentence that says where. */
#define _GNU_SOURCE
#include "algo_pagerank/ranking.h"
#include "support/checks.h"

#include <math.h>
#include <meguri.h>

/* Ranks that were right, to be spoilt. */
typedef struct ranked {
    meguri_ctx *ctx;
    zoo_graph graph;
    subject subject;
    meguri_pagerank_options options;
    double *rank;
} ranked;

static ranked ranked_new(int direction, uint32_t iterations) {
    ranked r = {
        .ctx = context_with(2),
        .options = {
            .size = sizeof r.options, .tiles = 1, .damping = 0.85, .tolerance = 1e-9, .iterations = iterations}};
    uint64_t seed = 8;
    r.graph = (zoo_graph){.vertices = 300, .name = "random"};
    for (int i = 0; i < 1000; i++) shape_add(&r.graph, zoo_random(&seed) % 290, zoo_random(&seed) % 290);
    meguri_build_options o = {.size = sizeof o, .direction = (meguri_direction)direction};
    r.subject = ranked_from_zoo(r.ctx, &r.graph, &o);
    double change;
    r.rank = plain_ranks(&r.subject.plain, 0.85, iterations ? iterations : 140, &change);
    return r;
}

static void ranked_free(ranked *r) {
    free(r->rank);
    subject_free(&r->subject);
    zoo_free(&r->graph);
    context_done(r->ctx);
}

static meguri_status verdict(ranked *r) { return mg_pagerank_check(r->ctx, r->subject.graph, r->rank, &r->options); }

static void assert_refused(ranked *r, const char *part) {
    assert_int_equal(verdict(r), MEGURI_WRONG_ANSWER);
    if (!strstr(meguri_ctx_error(r->ctx), part)) fail_msg("%s", meguri_ctx_error(r->ctx));
}

static void spoilt_ranks_are_refused(void **state) {
    (void)state;
    for (int turn = 0; turn < 4; turn++) {
        ranked r = ranked_new(1 + turn % 2, turn / 2 ? 5 : 0);
        assert_int_equal(verdict(&r), MEGURI_OK);
        double keep = r.rank[17], other = r.rank[40];
        static const double bad[] = {NAN, INFINITY, -INFINITY};
        for (size_t i = 0; i < COUNT_OF(bad); i++) {
            r.rank[17] = bad[i];
            assert_refused(&r, "the rank of vertex 17 is not a finite number.");
        }
        r.rank[17] = -keep;
        assert_refused(&r, "the rank of vertex 17 is -");
        r.rank[17] = 0;
        assert_refused(&r, "less than the 0.0005");
        r.rank[17] = keep + 1e-6;
        assert_refused(&r, "the ranks add up to 1.00000");
        /* The sum stays: only an iteration tells. */
        r.rank[17] = keep + 1e-5;
        r.rank[40] = other - 1e-5;
        assert_refused(&r, turn / 2 ? "and should be " : "one more iteration changes the ranks by ");
        r.rank[17] = other;
        r.rank[40] = keep;
        assert_refused(&r, turn / 2 ? "and should be " : "one more iteration changes the ranks by ");
        r.rank[17] = keep;
        r.rank[40] = other;
        assert_int_equal(verdict(&r), MEGURI_OK);
        ranked_free(&r);
    }
}

/* Ranks of other options, of fewer iterations, of the graph turned round. */
static void ranks_of_something_else_are_refused(void **state) {
    (void)state;
    ranked r = ranked_new(MEGURI_DIRECTED, 0);
    double change;
    free(r.rank);
    r.rank = plain_ranks(&r.subject.plain, 0.8, 140, &change);
    assert_refused(&r, "one more iteration");
    free(r.rank);
    r.rank = plain_ranks(&r.subject.plain, 0.85, 5, &change);
    assert_refused(&r, "one more iteration");
    r.options.tolerance = change;
    assert_int_equal(verdict(&r), MEGURI_OK); /* what the last change leaves */
    r.options = (meguri_pagerank_options){.size = sizeof r.options, .tiles = 1, .iterations = 6, .damping = 0.85};
    assert_refused(&r, "and should be");
    r.options.iterations = 4;
    assert_refused(&r, "and should be");
    r.options.iterations = 5;
    assert_int_equal(verdict(&r), MEGURI_OK);
    for (uint64_t v = 0; v < r.graph.vertices; v++) r.rank[v] = 1 / (double)r.graph.vertices;
    assert_refused(&r, "and should be");
    ranked_free(&r);
}

/* Every single rank matters, by little. */
static void every_vertex_is_looked_at(void **state) {
    (void)state;
    ranked r = ranked_new(MEGURI_UNDIRECTED, 4);
    for (uint64_t v = 0; v < r.graph.vertices; v++) {
        char sentence[64];
        double keep = r.rank[v];
        r.rank[v] *= 1 + 1e-8; /* too little for the sum to tell */
        snprintf(sentence, sizeof sentence, "the rank of vertex %d is ", (int)v);
        assert_refused(&r, sentence);
        r.rank[v] = keep;
    }
    ranked_free(&r);
}

/* Vertices are named by the ids that the user knows. */
static void names_are_ids(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(1);
    zoo_graph g = {.name = "signed", .signed_ids = true};
    shape_add(&g, (uint64_t)-7, 4);
    meguri_build_options o = {.size = sizeof o, .direction = MEGURI_UNDIRECTED};
    subject s = ranked_from_zoo(ctx, &g, &o);
    double rank[2] = {NAN, 0.5};
    assert_int_equal(mg_pagerank_check(ctx, s.graph, rank, NULL), MEGURI_WRONG_ANSWER);
    assert_string_equal(meguri_ctx_error(ctx), "the rank of vertex -7 is not a finite number.");
    subject_free(&s);
    zoo_free(&g);
    context_done(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spoilt_ranks_are_refused),
        cmocka_unit_test(ranks_of_something_else_are_refused),
        cmocka_unit_test(every_vertex_is_looked_at),
        cmocka_unit_test(names_are_ids),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
