/* The graphs that generators hand out: kinds, counts, weights, the same at any number of threads and any budget; and
 * what they refuse. */
#include "gen/helpers.h"
#include "support/sanitized.h"

#include <math.h>

/* ---- uniform ---------------------------------------------------------------------------------------------------- */

static void uniform_degrees_are_poisson(void **state) {
    (void)state;
    enum { VERTICES = 100003, MEAN = 8, MOST = 40 };
    meguri_ctx *ctx = new_context(2, 0);
    meguri_graph *graph;
    meguri_uniform_options o = {.size = sizeof o,
                                .vertices = VERTICES,
                                .edges = (uint64_t)VERTICES * MEAN,
                                .build = &(meguri_build_options){.size = sizeof(meguri_build_options),
                                                                 .duplicates = MEGURI_DUPLICATES_KEEP,
                                                                 .keep_loops = 1,
                                                                 .order = MEGURI_ORDER_NONE}};
    assert_int_equal(meguri_gen_uniform(&graph, ctx, &o), MEGURI_OK);
    uint64_t *degree = malloc(VERTICES * sizeof *degree);
    assert_non_null(degree);
    for (int in = 0; in < 2; in++) {
        assert_int_equal((in ? meguri_graph_in_degrees : meguri_graph_degrees)(degree, ctx, graph, 0, VERTICES),
                         MEGURI_OK);
        uint64_t observed[MOST] = {0};
        double expected[MOST], probability = exp(-MEAN), left = VERTICES;
        size_t cells = 0;
        for (uint64_t v = 0; v < VERTICES; v++) observed[MG_MIN(degree[v], (uint64_t)MOST - 1)]++;
        for (; cells < MOST - 1 && left - VERTICES * probability > 20; probability *= MEAN / (double)cells) {
            expected[cells] = VERTICES * probability;
            left -= expected[cells++];
        }
        expected[cells] = left; /* this many and more */
        for (size_t i = cells + 1; i < MOST; i++) observed[cells] += observed[i];
        assert_true(cells > 15);
        assert_true(chi_square(observed, expected, cells + 1) < chi_square_limit((double)cells));
    }
    free(degree);

    arcs a = arcs_of(ctx, graph);
    uint64_t loops = 0;
    for (uint64_t i = 0; i < a.count; i++) loops += a.from[i] == a.to[i];
    assert_true(loops > 0 && loops < 30); /* 8 are expected */
    arcs_free(&a);
    meguri_graph_free(graph);
    free_context(ctx);
}

static void uniform_reaches_both_ends_of_the_ids(void **state) {
    (void)state;
    meguri_ctx *ctx = new_context(2, 0);
    for (uint64_t n = 1; n <= 5; n++) {
        meguri_graph *graph;
        meguri_uniform_options o = {.size = sizeof o,
                                    .vertices = n,
                                    .edges = 500,
                                    .build = &(meguri_build_options){.size = sizeof(meguri_build_options),
                                                                     .keep_loops = 1,
                                                                     .order = MEGURI_ORDER_NONE}};
        assert_int_equal(meguri_gen_uniform(&graph, ctx, &o), MEGURI_OK);
        meguri_graph_info info = info_of(ctx, graph);
        assert_int_equal(info.vertices, n);
        assert_int_equal(info.edges, n * n);
        assert_int_equal(info.input_edges, 500);
        assert_int_equal(info.dropped_duplicates, 500 - n * n);
        meguri_graph_free(graph);
    }
    free_context(ctx);
}

/* ---- weights ---------------------------------------------------------------------------------------------------- */

static void weights_are_even(void **state) {
    (void)state;
    meguri_ctx *ctx = new_context(2, 0);
    for (int real = 0; real < 2; real++) {
        meguri_graph *graph;
        meguri_uniform_options o = {.size = sizeof o,
                                    .vertices = 1000,
                                    .edges = 510000,
                                    .weights = real ? MEGURI_TYPE_F32 : MEGURI_TYPE_U32,
                                    .build = &(meguri_build_options){.size = sizeof(meguri_build_options),
                                                                     .duplicates = MEGURI_DUPLICATES_KEEP,
                                                                     .keep_loops = 1,
                                                                     .order = MEGURI_ORDER_NONE}};
        assert_int_equal(meguri_gen_uniform(&graph, ctx, &o), MEGURI_OK);
        arcs a = arcs_of(ctx, graph);
        assert_int_equal(info_of(ctx, graph).weight_type, real ? MEGURI_TYPE_F32 : MEGURI_TYPE_U32);
        assert_int_equal(info_of(ctx, graph).weight_storage, real ? MEGURI_TYPE_F32 : MEGURI_TYPE_U8);
        uint64_t observed[255] = {0};
        double expected[255];
        for (int i = 0; i < 255; i++) expected[i] = 2000;
        for (uint64_t i = 0; i < a.count; i++) {
            double w = mg_weight_at(a.weights, graph->weight_type, i);
            assert_true(real ? w >= 0 && w < 1 : w >= 1 && w <= 255);
            observed[real ? (int)(w * 255) : (int)w - 1]++;
        }
        assert_true(chi_square(observed, expected, 255) < chi_square_limit(254));
        arcs_free(&a);
        meguri_graph_free(graph);
    }
    free_context(ctx);
}

/* ---- all of them ------------------------------------------------------------------------------------------------ */

/* Graphs of several blocks each, so that threads really share them. */
static meguri_status make(meguri_graph **out, meguri_ctx *ctx, int which, uint64_t seed) {
    meguri_kronecker_options k = {.size = sizeof k, .scale = 16, .edge_factor = 20, .seed = seed};
    meguri_rmat_options r = {.size = sizeof r, .scale = 15, .edge_factor = 40, .seed = seed};
    meguri_uniform_options u = {.size = sizeof u, .vertices = 70000, .edges = 1300000, .seed = seed};
    meguri_grid_options g = {.size = sizeof g, .width = 800, .height = 700, .links = 5000, .seed = seed};
    k.weights = u.weights = MEGURI_TYPE_U32;
    r.weights = MEGURI_TYPE_F32;
    r.noise = which == 2 ? 0.05 : 0;
    switch (which) {
    case 0: return meguri_gen_kronecker(out, ctx, &k);
    case 1:
    case 2: return meguri_gen_rmat(out, ctx, &r);
    case 3: return meguri_gen_uniform(out, ctx, &u);
    default: return meguri_gen_grid(out, ctx, &g);
    }
}
enum { MAKES = 5 };

static uint64_t digest_of_made(uint32_t threads, uint64_t memory, int which, uint64_t seed) {
    meguri_ctx *ctx = new_context(threads, memory);
    meguri_graph *graph;
    meguri_status status = make(&graph, ctx, which, seed);
    if (status != MEGURI_OK) fail_msg("generator %d: %s", which, meguri_ctx_error(ctx));
    uint64_t digest = digest_of(ctx, graph);
    meguri_graph_free(graph);
    free_context(ctx);
    return digest;
}

/* And within a small budget; but not from another seed. */
static void the_same_at_any_number_of_threads(void **state) {
    (void)state;
    for (int which = 0; which < MAKES; which++) {
        uint64_t digest = digest_of_made(1, 0, which, 3);
        if (ONE_OF(2, which)) assert_int_equal(digest_of_made(2, 0, which, 3), digest);
        if (ONE_OF(2, which + 1)) assert_int_equal(digest_of_made(5, 0, which, 3), digest);
        assert_int_equal(digest_of_made(2, (uint64_t)48 << 20, which, 3), digest);
        if (ONE_OF(4, which)) assert_int_not_equal(digest_of_made(2, 0, which, 4), digest);
    }
}

/* ---- edges without a graph -------------------------------------------------------------------------------------- */

static meguri_status draw(meguri_drawing **out, meguri_graph **graph, meguri_ctx *ctx, int which) {
    const meguri_build_options build = {.size = sizeof build,
                                        .direction = MEGURI_DIRECTED,
                                        .duplicates = MEGURI_DUPLICATES_KEEP,
                                        .keep_loops = 1,
                                        .order = MEGURI_ORDER_NONE};
    meguri_kronecker_options k = {.size = sizeof k, .scale = 11, .weights = MEGURI_TYPE_F32, .build = &build};
    meguri_rmat_options r = {.size = sizeof r, .scale = 11, .a = 0.45, .b = 0.15, .c = 0.15, .build = &build};
    meguri_uniform_options u = {
        .size = sizeof u, .vertices = 3000, .edges = 40000, .weights = MEGURI_TYPE_U32, .build = &build};
    k.seed = r.seed = u.seed = 5;
    r.noise = which == 2 ? 0.1 : 0;
    r.scramble = which == 4;
    meguri_status status = which == 0   ? meguri_draw_kronecker(out, ctx, &k)
                           : which == 3 ? meguri_draw_uniform(out, ctx, &u)
                                        : meguri_draw_rmat(out, ctx, &r);
    if (status != MEGURI_OK) return status;
    return which == 0   ? meguri_gen_kronecker(graph, ctx, &k)
           : which == 3 ? meguri_gen_uniform(graph, ctx, &u)
                        : meguri_gen_rmat(graph, ctx, &r);
}

typedef struct drawn_edge {
    uint32_t from, to;
    double weight;
} drawn_edge;

static int by_ends(const void *a, const void *b) {
    const drawn_edge *x = a, *y = b;
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    if (x->to != y->to) return x->to < y->to ? -1 : 1;
    return x->weight < y->weight ? -1 : x->weight > y->weight;
}

/* All edges, in ranges of several lengths, the last first. */
static drawn_edge *draw_ranges(const meguri_drawing *drawing, const meguri_drawing_info *info) {
    static const uint64_t lengths[] = {1, 7, 1000, 64, 4099};
    drawn_edge *edges = calloc(info->edges, sizeof *edges);
    uint32_t ends[2 * 4099], weights[4099];
    assert_non_null(edges);
    for (uint64_t end = info->edges, begin, turn = 0; end > 0; end = begin, turn++) {
        begin = end - MG_MIN(end, lengths[turn % LENGTH(lengths)]);
        assert_int_equal(meguri_draw_edges(ends, weights, drawing, begin, end), MEGURI_OK);
        for (uint64_t i = begin; i < end; i++) {
            edges[i] = (drawn_edge){ends[2 * (i - begin)], ends[2 * (i - begin) + 1], 0};
            if (info->weights != MEGURI_TYPE_NONE) edges[i].weight = mg_weight_at(weights, info->weights, i - begin);
        }
    }
    return edges;
}

static void drawings_are_the_graphs(void **state) {
    (void)state;
    meguri_ctx *ctx = new_context(2, 0);
    for (int which = 0; which < 5; which++) {
        meguri_drawing *drawing;
        meguri_graph *graph;
        meguri_drawing_info info = {.size = sizeof info};
        if (draw(&drawing, &graph, ctx, which) != MEGURI_OK) fail_msg("%d: %s", which, meguri_ctx_error(ctx));
        assert_int_equal(meguri_drawing_get_info(&info, drawing), MEGURI_OK);
        assert_int_equal(info.vertices, info_of(ctx, graph).vertices);
        drawn_edge *edges = draw_ranges(drawing, &info);
        arcs a = arcs_of(ctx, graph);
        drawn_edge *of_graph = calloc(info.edges, sizeof *of_graph);
        assert_non_null(of_graph);
        assert_int_equal(a.count, info.edges);
        for (uint64_t i = 0; i < a.count; i++)
            of_graph[i] =
                (drawn_edge){a.from[i], a.to[i], a.weights ? mg_weight_at(a.weights, graph->weight_type, i) : 0};
        qsort(edges, info.edges, sizeof *edges, by_ends);
        qsort(of_graph, info.edges, sizeof *of_graph, by_ends);
        for (uint64_t i = 0; i < info.edges; i++) assert_int_equal(by_ends(&edges[i], &of_graph[i]), 0);
        assert_int_equal(info.weights != MEGURI_TYPE_NONE, a.weights != NULL);
        arcs_free(&a);
        free(edges);
        free(of_graph);
        meguri_graph_free(graph);
        meguri_drawing_free(drawing);
    }
    free_context(ctx);
}

/* One to one, the same for both ends: the same edges under other names, and not those with few bits first. */
static void scrambled_labels_are_a_permutation(void **state) {
    (void)state;
    enum { SCALE = 10, COUNT = 4 << SCALE };
    meguri_ctx *ctx = new_context(2, 0);
    uint32_t plain[2 * COUNT], scrambled[2 * COUNT], other[1 << SCALE];
    bool taken[1 << SCALE] = {false};
    for (int noisy = 0; noisy < 2; noisy++) {
        meguri_drawing *drawings[2];
        uint64_t moved = 0;
        meguri_rmat_options o = {.size = sizeof o, .scale = SCALE, .edge_factor = 4, .seed = 3, .noise = noisy * 0.1};
        assert_int_equal(meguri_draw_rmat(&drawings[0], ctx, &o), MEGURI_OK);
        o.scramble = 1;
        assert_int_equal(meguri_draw_rmat(&drawings[1], ctx, &o), MEGURI_OK);
        assert_int_equal(meguri_draw_edges(plain, NULL, drawings[0], 0, COUNT), MEGURI_OK);
        assert_int_equal(meguri_draw_edges(scrambled, NULL, drawings[1], 0, COUNT), MEGURI_OK);
        memset(other, 255, sizeof other);
        memset(taken, 0, sizeof taken);
        for (uint64_t i = 0; i < 2 * COUNT; i++) {
            uint32_t v = plain[i], name = scrambled[i];
            assert_true(name < 1 << SCALE);
            assert_true(other[v] == UINT32_MAX ? !taken[name] : other[v] == name);
            other[v] = name;
            taken[name] = true;
            moved += v != name;
        }
        assert_true(moved > COUNT);
        meguri_drawing_free(drawings[0]);
        meguri_drawing_free(drawings[1]);
    }
    free_context(ctx);
}

static void directions_and_vertices(void **state) {
    (void)state;
    meguri_ctx *ctx = new_context(2, 0);
    for (int direction = MEGURI_DIRECTION_DEFAULT; direction <= MEGURI_UNDIRECTED; direction++) {
        meguri_build_options build = {.size = sizeof build, .direction = direction};
        meguri_kronecker_options k = {.size = sizeof k, .scale = 8, .edge_factor = 1, .build = &build};
        meguri_rmat_options r = {.size = sizeof r, .scale = 8, .edge_factor = 1, .build = &build};
        meguri_uniform_options u = {.size = sizeof u, .vertices = 256, .edges = 100, .build = &build};
        meguri_grid_options g = {.size = sizeof g, .width = 8, .height = 32, .links = 3, .build = &build};
        meguri_graph *graphs[4];
        assert_int_equal(meguri_gen_kronecker(&graphs[0], ctx, &k), MEGURI_OK);
        assert_int_equal(meguri_gen_rmat(&graphs[1], ctx, &r), MEGURI_OK);
        assert_int_equal(meguri_gen_uniform(&graphs[2], ctx, &u), MEGURI_OK);
        assert_int_equal(meguri_gen_grid(&graphs[3], ctx, &g), MEGURI_OK);
        static const int directed[] = {0, 1, 1, 0};
        for (int i = 0; i < 4; i++) {
            meguri_graph_info info = info_of(ctx, graphs[i]);
            assert_int_equal(info.directed, direction ? direction == MEGURI_DIRECTED : directed[i]);
            assert_int_equal(info.vertices, 256); /* those without an edge too */
            assert_int_equal(info.id_kind, MEGURI_ID_UNSIGNED);
            assert_int_equal(info.has_coordinates, i == 3);
            uint64_t ends[2];
            assert_int_equal(meguri_graph_ids(ends, ctx, graphs[i], 0, 1), MEGURI_OK);
            assert_int_equal(meguri_graph_ids(ends + 1, ctx, graphs[i], 255, 1), MEGURI_OK);
            assert_int_equal(ends[0], 0);
            assert_int_equal(ends[1], 255);
            assert_int_equal(meguri_graph_verify(ctx, graphs[i]), MEGURI_OK);
            meguri_graph_free(graphs[i]);
        }
    }
    free_context(ctx);
}

static void the_smallest(void **state) {
    (void)state;
    meguri_ctx *ctx = new_context(2, 0);
    meguri_graph *graph;
    for (uint64_t n = 0; n < 2; n++) {
        meguri_uniform_options u = {.size = sizeof u, .vertices = n};
        assert_int_equal(meguri_gen_uniform(&graph, ctx, &u), MEGURI_OK);
        assert_int_equal(info_of(ctx, graph).vertices, n);
        assert_int_equal(info_of(ctx, graph).arcs, 0);
        meguri_graph_free(graph);
    }
    meguri_grid_options g = {.size = sizeof g, .width = 1, .height = 1};
    assert_int_equal(meguri_gen_grid(&graph, ctx, &g), MEGURI_OK);
    assert_int_equal(info_of(ctx, graph).vertices, 1);
    assert_int_equal(info_of(ctx, graph).arcs, 0);
    assert_true(info_of(ctx, graph).has_coordinates);
    meguri_graph_free(graph);
    meguri_kronecker_options k = {.size = sizeof k, .scale = 1};
    assert_int_equal(meguri_gen_kronecker(&graph, ctx, &k), MEGURI_OK);
    assert_int_equal(info_of(ctx, graph).vertices, 2);
    assert_int_equal(info_of(ctx, graph).input_edges, 32);
    meguri_graph_free(graph);
    free_context(ctx);
}

/* ---- what is refused -------------------------------------------------------------------------------------------- */

static void expect(meguri_ctx *ctx, meguri_status status, void *out, const char *words) {
    assert_int_equal(status, MEGURI_BAD_ARGUMENT);
    assert_null(*(void **)out);
    const char *text = meguri_ctx_error(ctx);
    if (!strstr(text, words)) fail_msg("\"%s\" does not say \"%s\"", text, words);
    assert_int_equal(text[strlen(text) - 1], '.');
}

static void bad_scales_and_weights(void **state) {
    (void)state;
    meguri_ctx *ctx = new_context(1, 0);
    meguri_graph *graph;
    uint32_t *pairs;
    uint64_t count;
    for (uint32_t scale = 0; scale <= 32; scale += 32) {
        meguri_kronecker_options k = {.size = sizeof k, .scale = scale};
        meguri_rmat_options r = {.size = sizeof r, .scale = scale};
        expect(ctx, meguri_gen_kronecker(&graph, ctx, &k), &graph, "scale");
        expect(ctx, meguri_gen_kronecker_pairs(&pairs, &count, ctx, &k), &pairs, "scale");
        expect(ctx, meguri_gen_rmat(&graph, ctx, &r), &graph, "scale");
    }
    meguri_kronecker_options k = {.size = sizeof k, .scale = 3, .weights = MEGURI_TYPE_F64};
    meguri_rmat_options r = {.size = sizeof r, .scale = 3, .weights = MEGURI_TYPE_U8};
    meguri_uniform_options u = {.size = sizeof u, .vertices = 3, .weights = (meguri_type)77};
    expect(ctx, meguri_gen_kronecker(&graph, ctx, &k), &graph, "weights");
    expect(ctx, meguri_gen_rmat(&graph, ctx, &r), &graph, "weights");
    expect(ctx, meguri_gen_uniform(&graph, ctx, &u), &graph, "weights");
    k.size = 0;
    expect(ctx, meguri_gen_kronecker(&graph, ctx, &k), &graph, "size");
    expect(ctx, meguri_gen_kronecker(&graph, ctx, NULL), &graph, "scale");
    free_context(ctx);
}

static void bad_probabilities(void **state) {
    (void)state;
    static const struct {
        double a, b, c, noise;
        const char *words;
    } bad[] = {{-0.1, 0.5, 0.5, 0, "probability a"}, {0.5, -0.1, 0.5, 0, "probability b"},
               {0.5, 0.1, 1.5, 0, "probability c"},  {NAN, 0.5, 0.5, 0, "probability a"},
               {0.5, 0.4, 0.2, 0, "add up to 1.1"},  {0.5, 0.1, 0.1, -1, "noise"},
               {0.5, 0.1, 0.1, 1.5, "noise"},        {0.5, 0.1, 0.1, NAN, "noise"}};
    meguri_ctx *ctx = new_context(1, 0);
    meguri_graph *graph;
    for (size_t i = 0; i < LENGTH(bad); i++) {
        meguri_rmat_options r = {
            .size = sizeof r, .scale = 3, .a = bad[i].a, .b = bad[i].b, .c = bad[i].c, .noise = bad[i].noise};
        expect(ctx, meguri_gen_rmat(&graph, ctx, &r), &graph, bad[i].words);
    }
    free_context(ctx);
}

static void bad_sizes(void **state) {
    (void)state;
    meguri_ctx *ctx = new_context(1, 0);
    meguri_graph *graph;
    meguri_uniform_options u = {.size = sizeof u, .edges = 5};
    expect(ctx, meguri_gen_uniform(&graph, ctx, &u), &graph, "at least one vertex");
    u.vertices = MG_MAX_VERTICES + 1;
    expect(ctx, meguri_gen_uniform(&graph, ctx, &u), &graph, "that fit");

    static const struct {
        uint64_t width, height, links;
        const char *words;
    } bad[] = {{0, 5, 0, "no crossing"},       {5, 0, 0, "no crossing"},
               {65536, 65536, 0, "that fit"},  {UINT64_C(1) << 32, UINT64_C(1) << 32, 0, "that fit"},
               {UINT64_MAX, 3, 0, "that fit"}, {1, 1, 1, "two crossings"}};
    for (size_t i = 0; i < LENGTH(bad); i++) {
        meguri_grid_options g = {
            .size = sizeof g, .width = bad[i].width, .height = bad[i].height, .links = bad[i].links};
        expect(ctx, meguri_gen_grid(&graph, ctx, &g), &graph, bad[i].words);
    }
    meguri_kronecker_options k = {.size = sizeof k, .scale = 31, .edge_factor = UINT32_MAX};
    uint32_t *pairs;
    uint64_t count;
    assert_int_equal(meguri_gen_kronecker_pairs(&pairs, &count, ctx, &k), MEGURI_NO_MEMORY);
    assert_null(pairs);
    assert_non_null(strstr(meguri_ctx_error(ctx), "not enough memory"));
    free_context(ctx);
}

static void nothing_to_write_to(void **state) {
    (void)state;
    meguri_ctx *ctx = new_context(1, 0);
    meguri_graph *graph;
    uint32_t *pairs;
    uint64_t count;
    meguri_kronecker_options k = {.size = sizeof k, .scale = 3};
    meguri_rmat_options r = {.size = sizeof r, .scale = 3};
    meguri_uniform_options u = {.size = sizeof u, .vertices = 3};
    meguri_grid_options g = {.size = sizeof g, .width = 3, .height = 3};
    assert_int_equal(meguri_gen_kronecker(NULL, ctx, &k), MEGURI_BAD_ARGUMENT);
    assert_int_equal(meguri_gen_kronecker(&graph, NULL, &k), MEGURI_BAD_ARGUMENT);
    assert_int_equal(meguri_gen_rmat(NULL, ctx, &r), MEGURI_BAD_ARGUMENT);
    assert_int_equal(meguri_gen_rmat(&graph, NULL, &r), MEGURI_BAD_ARGUMENT);
    assert_int_equal(meguri_gen_uniform(NULL, ctx, &u), MEGURI_BAD_ARGUMENT);
    assert_int_equal(meguri_gen_uniform(&graph, NULL, &u), MEGURI_BAD_ARGUMENT);
    assert_int_equal(meguri_gen_grid(NULL, ctx, &g), MEGURI_BAD_ARGUMENT);
    assert_int_equal(meguri_gen_grid(&graph, NULL, &g), MEGURI_BAD_ARGUMENT);
    assert_int_equal(meguri_gen_kronecker_pairs(NULL, &count, ctx, &k), MEGURI_BAD_ARGUMENT);
    assert_int_equal(meguri_gen_kronecker_pairs(&pairs, NULL, ctx, &k), MEGURI_BAD_ARGUMENT);
    assert_int_equal(meguri_gen_kronecker_pairs(&pairs, &count, NULL, &k), MEGURI_BAD_ARGUMENT);
    meguri_pairs_free(NULL);
    free_context(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(uniform_degrees_are_poisson),
        cmocka_unit_test(uniform_reaches_both_ends_of_the_ids),
        cmocka_unit_test(weights_are_even),
        cmocka_unit_test(the_same_at_any_number_of_threads),
        cmocka_unit_test(drawings_are_the_graphs),
        cmocka_unit_test(scrambled_labels_are_a_permutation),
        cmocka_unit_test(directions_and_vertices),
        cmocka_unit_test(the_smallest),
        cmocka_unit_test(bad_scales_and_weights),
        cmocka_unit_test(bad_probabilities),
        cmocka_unit_test(bad_sizes),
        cmocka_unit_test(nothing_to_write_to),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
