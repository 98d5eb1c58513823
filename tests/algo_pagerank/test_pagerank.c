/* PageRank of every graph of the zoo and of other shapes, on 1, 2 and 5 threads, against a plain serial one. */
#define _GNU_SOURCE
#include "algo_pagerank/ranking.h"
#include "support/checks.h"

#include "algo/pagerank/pagerank.h"

#include <math.h>
#include <meguri.h>

static meguri_ctx *ctx[THREAD_COUNTS];

static int make_contexts(void **state) {
    (void)state;
    for (size_t t = 0; t < THREAD_COUNTS; t++) ctx[t] = context_with(thread_counts[t]);
    return 0;
}

static int free_contexts(void **state) {
    (void)state;
    for (size_t t = 0; t < THREAD_COUNTS; t++) context_done(ctx[t]);
    return 0;
}

static const meguri_pagerank_options ways[] = {
    {.size = sizeof ways[0], .tiles = 1, .damping = 0.85, .tolerance = 1e-9},
    {.size = sizeof ways[0], .tiles = 1, .damping = 0.85, .iterations = 1},
    {.size = sizeof ways[0], .tiles = 1, .damping = 0.85, .iterations = 3},
    {.size = sizeof ways[0], .tiles = 1, .damping = 0.5, .iterations = 7},
    {.size = sizeof ways[0], .tiles = 1, .damping = 0.85, .tolerance = 1e-4},
    {.size = sizeof ways[0], .tiles = 1, .damping = 0.3, .tolerance = 1e-12},
    {.size = sizeof ways[0], .tiles = 1, .damping = 0.85, .tolerance = 3},
};

/* Every number of threads, and the same bits from all. */
static void rank_everywhere(const subject *s, const meguri_pagerank_options *options) {
    uint64_t n = s->plain.vertices;
    meguri_result *first = NULL, *other = NULL;
    check_ranking(&first, ctx[0], s, options);
    for (size_t t = 1; t < THREAD_COUNTS; t++) {
        assert_int_equal(meguri_pagerank(&other, ctx[t], s->graph, options), MEGURI_OK);
        if (memcmp(ranks_of(first, n), ranks_of(other, n), n * sizeof(double)) != 0)
            fail_msg("%s: other bits on %u threads", s->name, thread_counts[t]);
        assert_true(real_of(first, "change") == real_of(other, "change"));
        assert_int_equal(mg_pagerank_check(ctx[t], s->graph, ranks_of(other, n), options), MEGURI_OK);
        meguri_result_free(other);
    }
    meguri_result_free(first);
}

static void rank_every_graph(const zoo_graph *g, bool few) {
    for (int direction = MEGURI_DIRECTED; direction <= MEGURI_UNDIRECTED; direction++)
        for (int order = MEGURI_ORDER_DEGREE; order <= MEGURI_ORDER_NONE; order++)
            for (int keep = 0; keep < 4; keep++) {
                if (few && keep != (direction + order) % 4) continue;
                meguri_build_options o = {.size = sizeof o,
                                          .direction = (meguri_direction)direction,
                                          .order = (meguri_order)order,
                                          .duplicates = keep & 1 ? MEGURI_DUPLICATES_KEEP : MEGURI_DUPLICATES_MIN,
                                          .keep_loops = keep >> 1};
                subject s = ranked_from_zoo(ctx[1], g, &o);
                for (size_t way = 0; way < COUNT_OF(ways); way++)
                    if (few ? way == (size_t)(keep + order) % COUNT_OF(ways) : (way + (size_t)keep) % 2)
                        rank_everywhere(&s, &ways[way]);
                subject_free(&s);
            }
}

static void the_zoo(void **state) {
    (void)state;
    zoo_graph g;
    for (int index = 0; zoo_get(&g, index); index++) {
        bool large = g.count > 50000;
        if (!(UNDER_TSAN && !large)) rank_every_graph(&g, large || g.weights || UNDER_ASAN);
        zoo_free(&g);
    }
}

static void shapes(void **state) {
    (void)state;
    zoo_graph g;
    for (int index = 0; shape_get(&g, index, 1500); index++) {
        if (!UNDER_TSAN) rank_every_graph(&g, true);
        zoo_free(&g);
    }
}

static void random_graphs(void **state) {
    (void)state;
    uint64_t seed = 22;
    for (int turn = 0; turn < (UNDER_TSAN ? 20 : UNDER_ASAN ? 100 : 500); turn++) {
        zoo_graph g = shape_random(&seed, 3000);
        meguri_build_options o = {.size = sizeof o,
                                  .direction = 1 + zoo_random(&seed) % 2,
                                  .order = 1 + zoo_random(&seed) % 3,
                                  .keep_loops = zoo_random(&seed) % 2,
                                  .duplicates = zoo_random(&seed) % 2 ? MEGURI_DUPLICATES_KEEP : MEGURI_DUPLICATES_MIN};
        subject s = ranked_from_zoo(ctx[turn % 3], &g, &o);
        rank_everywhere(&s, &ways[zoo_random(&seed) % COUNT_OF(ways)]);
        subject_free(&s);
        zoo_free(&g);
    }
}

/* ---- tiles ------------------------------------------------------------------------------------------------------ */

/* The tiles of a graph, and what has been found in them so far. */
typedef struct unpacked {
    mg_rows in;
    uint64_t *groups, group_count;
    mg_row_tiles tiles;
    uint64_t *at;          /* where the next column of each row is to be found */
    uint64_t narrow, wide; /* tiles that are not empty */
    uint64_t longest;      /* piece */
} unpacked;

/* Columns of a row come in the order in which they lie. */
static void unpack_tile(unpacked *u, const mg_row_tile *tile) {
    const uint16_t *pieces = u->tiles.cells + tile->pieces, *columns = u->tiles.cells + tile->columns;
    bool wide = mg_row_tile_is_wide(tile);
    if (*pieces) (*(wide ? &u->wide : &u->narrow))++;
    for (uint32_t length; (length = *pieces++);) {
        u->longest = MG_MAX(u->longest, length);
        for (uint32_t count = *pieces++; count; count--) {
            uint64_t v = u->groups[tile->group] + *pieces++;
            assert_true(v < u->groups[tile->group + 1]);
            for (uint32_t k = 0; k < length; k++, columns += wide ? 2 : 1) {
                uint64_t column = wide ? *(const uint32_t *)columns : tile->first + *columns;
                assert_in_range(column, tile->first, tile->end - 1);
                assert_true(u->at[v] < mg_row_end(&u->in, v));
                assert_int_equal(u->in.neighbors[u->at[v]++], column);
            }
        }
    }
}

/* Every tile has its turn after those before, and every row is found again, piece by piece. */
static unpacked assert_tiles(const subject *s) {
    unpacked u = {0};
    assert_int_equal(mg_graph_in_rows(&u.in, ctx[1], s->graph), MEGURI_OK);
    assert_int_equal(mg_row_groups_new(&u.groups, &u.group_count, ctx[1], &u.in, "pagerank"), MEGURI_OK);
    assert_int_equal(mg_row_tiles_new(&u.tiles, ctx[1], &u.in, s->graph->rows, u.groups, u.group_count,
                                      &(const mg_row_tiles_use){.phase = "pagerank"}),
                     MEGURI_OK);
    u.at = calloc(s->graph->rows + 1, sizeof *u.at);
    for (uint64_t v = 0; v < s->graph->rows; v++) u.at[v] = mg_row_begin(&u.in, v);
    uint32_t *turn = calloc(u.group_count + 1, sizeof *turn);
    for (uint64_t t = 0; t < u.tiles.count; t++)
        assert_int_equal(u.tiles.tiles[t].turn, turn[u.tiles.tiles[t].group]++);
    for (uint64_t g = 0; g < u.group_count; g++) {
        assert_int_equal(turn[g], u.tiles.of_group[g]);
        for (uint64_t first = 0, found = 0; first < s->graph->rows; found = 0) { /* by their columns */
            for (uint64_t t = 0; t < u.tiles.count && !found; t++)
                if (u.tiles.tiles[t].group == g && u.tiles.tiles[t].first == first) {
                    unpack_tile(&u, &u.tiles.tiles[t]);
                    found = u.tiles.tiles[t].end;
                }
            assert_true(found > first);
            first = found;
        }
    }
    for (uint64_t v = 0; v < s->graph->rows; v++) assert_int_equal(u.at[v], mg_row_end(&u.in, v));
    mg_row_tiles_free(&u.tiles);
    mg_free(u.groups);
    free(turn);
    free(u.at);
    return u;
}

static unpacked tile_and_rank(const zoo_graph *g, const meguri_build_options *o) {
    subject s = ranked_from_zoo(ctx[1], g, o);
    unpacked u = assert_tiles(&s);
    meguri_pagerank_options options = {.size = sizeof options, .tiles = 1, .iterations = 6, .damping = 0.85};
    rank_everywhere(&s, &options);
    subject_free(&s);
    return u;
}

static void narrow_tiles(void **state) {
    (void)state;
    zoo_graph g = shape_of_strips(UNDER_TSAN || UNDER_ASAN ? 75000 : 150000, 30, 5);
    for (int turn = 0; turn < (UNDER_TSAN ? 1 : UNDER_ASAN ? 2 : 4); turn++) {
        meguri_build_options o = {.size = sizeof o,
                                  .direction = 1 + turn % 2,
                                  .order = 1 + (meguri_order)(turn % 3),
                                  .duplicates = turn > 1 ? MEGURI_DUPLICATES_KEEP : MEGURI_DUPLICATES_MIN};
        assert_true(tile_and_rank(&g, &o).narrow > 50);
    }
    zoo_free(&g);
}

/* One arc into every vertex, from anywhere; and some hubs, so that tiles follow wide ones. */
static void wide_tiles(void **state) {
    (void)state;
    uint64_t n = UNDER_TSAN || UNDER_ASAN ? 140000 : 300000, seed = 6;
    zoo_graph g = {.vertices = n, .name = "few arcs over several strips"};
    for (uint64_t v = 0; v < n; v++) {
        shape_add(&g, zoo_random(&seed) % n, v);
        if (v % 100 == 0)
            for (int k = 0; k < 300; k++) shape_add(&g, n - 1 - zoo_random(&seed) % 1000, v);
    }
    for (meguri_order order = MEGURI_ORDER_DEGREE; order <= MEGURI_ORDER_NONE; order++) {
        if ((UNDER_TSAN || UNDER_ASAN) && order != MEGURI_ORDER_NONE) continue;
        meguri_build_options o = {.size = sizeof o, .direction = MEGURI_DIRECTED, .order = order};
        unpacked u = tile_and_rank(&g, &o);
        assert_true(u.wide > 3 && u.narrow > 3);
    }
    zoo_free(&g);
}

/* A row of more arcs than a piece may have, all the same column if parallel edges stay. */
static void very_long_pieces(void **state) {
    (void)state;
    for (int parallel = UNDER_TSAN; parallel < 2; parallel++) {
        zoo_graph g = {.name = "a very long row"};
        for (uint64_t i = 0; i < 70000; i++) shape_add(&g, parallel ? 7 : i, 3);
        for (uint64_t i = 0; i < 5000; i++) shape_add(&g, i, i + 1);
        meguri_build_options o = {
            .size = sizeof o, .direction = MEGURI_DIRECTED, .duplicates = MEGURI_DUPLICATES_KEEP, .keep_loops = 1};
        assert_int_equal(tile_and_rank(&g, &o).longest, 4096);
        zoo_free(&g);
    }
}

/* Many groups of different shapes. */
static void a_skewed_graph(void **state) {
    (void)state;
    zoo_graph g = shape_kronecker(ctx[1], UNDER_TSAN || UNDER_ASAN ? 12 : 15, 16);
    for (int direction = MEGURI_DIRECTED; direction <= MEGURI_UNDIRECTED; direction++) {
        meguri_build_options o = {.size = sizeof o, .direction = (meguri_direction)direction};
        subject s = ranked_from_zoo(ctx[1], &g, &o);
        assert_tiles(&s);
        rank_everywhere(&s, &ways[4]);
        subject_free(&s);
    }
    zoo_free(&g);
}

/* ---- small and odd ---------------------------------------------------------------------------------------------- */

static void graphs_with_known_ranks(void **state) {
    (void)state;
    zoo_graph nobody = {.name = "nobody"}, three = {.name = "three alone", .vertices = 3}, arrow = {.name = "arrow"},
              twice = {.name = "parallel edges"}, loop = {.name = "a loop"};
    shape_add(&arrow, 1, 2);
    shape_add(&twice, 1, 2);
    shape_add(&twice, 1, 2);
    shape_add(&twice, 1, 3);
    shape_add(&loop, 1, 1);
    shape_add(&loop, 1, 2);
    zoo_graph *graphs[] = {&nobody, &three, &arrow, &twice, &loop};
    meguri_build_options o = {
        .size = sizeof o, .direction = MEGURI_DIRECTED, .duplicates = MEGURI_DUPLICATES_KEEP, .keep_loops = 1};
    meguri_pagerank_options once = {.size = sizeof once, .tiles = 1, .iterations = 1, .damping = 0.5};
    /* From 1/n: half of it for everybody, half along edges. */
    const double want[][3] = {{0},
                              {1. / 3, 1. / 3, 1. / 3},
                              {0.25 + 0.125, 0.25 + 0.25 + 0.125},
                              {1. / 6 + 1. / 9, 1. / 6 + 1. / 9 + 1. / 9, 1. / 6 + 1. / 9 + 1. / 18},
                              {0.25 + 0.125 + 0.125, 0.25 + 0.125 + 0.125}};
    const uint64_t vertices[] = {0, 3, 2, 3, 2};
    for (size_t i = 0; i < COUNT_OF(graphs); i++) {
        subject s = ranked_from_zoo(ctx[1], graphs[i], &o);
        meguri_result *result;
        check_ranking(&result, ctx[1], &s, &once);
        const double *rank = ranks_of(result, vertices[i]);
        for (uint64_t v = 0; v < vertices[i]; v++)
            if (fabs(rank[v] - want[i][v]) > 1e-15) fail_msg("%s: vertex %d has %.17g", s.name, (int)v, rank[v]);
        meguri_result_free(result);
        for (size_t way = 0; way < COUNT_OF(ways); way++) rank_everywhere(&s, &ways[way]);
        subject_free(&s);
        zoo_free(graphs[i]);
    }
}

/* It ends, and says how far it came. */
static void a_tolerance_finer_than_rounding(void **state) {
    (void)state;
    zoo_graph g;
    assert_true(shape_get(&g, 16, 1500)); /* skewed */
    meguri_build_options o = {.size = sizeof o, .direction = MEGURI_DIRECTED};
    subject s = ranked_from_zoo(ctx[1], &g, &o);
    meguri_pagerank_options options = {.size = sizeof options, .tiles = 1, .tolerance = 1e-40, .damping = 0.85};
    meguri_result *result;
    assert_int_equal(meguri_pagerank(&result, ctx[1], s.graph, &options), MEGURI_OK);
    uint64_t iterations = fact_of(result, "iterations");
    assert_true(iterations <= 571); /* ln(0.5e-40) / ln(0.85) */
    if (iterations < 571) assert_true(real_of(result, "change") <= 1e-40);
    assert_true(real_of(result, "change") < 1e-14);
    assert_int_equal(mg_pagerank_check(ctx[1], s.graph, ranks_of(result, g.vertices), &options), MEGURI_OK);
    meguri_result_free(result);
    subject_free(&s);
    zoo_free(&g);
}

static void bad_arguments(void **state) {
    (void)state;
    static const struct {
        meguri_pagerank_options options;
        const char *sentence;
    } wrong[] = {
        {{.damping = -0.1, .tolerance = 1}, "damping must be at least 0 and below 1, not -0.1."},
        {{.damping = 1, .tolerance = 1}, "damping must be at least 0 and below 1, not 1."},
        {{.damping = NAN, .tolerance = 1}, "damping must be at least 0 and below 1, not nan."},
        {{.damping = 0.5}, "tolerance must be a positive number, not 0."},
        {{.damping = 0.5, .tolerance = -1}, "tolerance must be a positive number, not -1."},
        {{.damping = 0.5, .tolerance = NAN}, "tolerance must be a positive number, not nan."},
        {{.damping = 0.5, .tolerance = INFINITY}, "tolerance must be a positive number, not inf."},
    };
    zoo_graph g = {.vertices = 2};
    meguri_build_options o = {.size = sizeof o, .direction = MEGURI_DIRECTED};
    subject s = ranked_from_zoo(ctx[0], &g, &o);
    double rank[2] = {0.5, 0.5};
    meguri_result *result = (meguri_result *)1;
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        meguri_pagerank_options options = wrong[i].options;
        options.size = sizeof options;
        assert_int_equal(meguri_pagerank(&result, ctx[0], s.graph, &options), MEGURI_BAD_ARGUMENT);
        assert_null(result);
        assert_string_equal(meguri_ctx_error(ctx[0]), wrong[i].sentence);
        assert_int_equal(mg_pagerank_check(ctx[0], s.graph, rank, &options), MEGURI_BAD_ARGUMENT);
        assert_string_equal(meguri_ctx_error(ctx[0]), wrong[i].sentence);
    }
    result = (meguri_result *)1;
    assert_int_equal(meguri_pagerank(&result, ctx[0], NULL, NULL), MEGURI_BAD_ARGUMENT);
    assert_null(result);
    assert_int_equal(meguri_pagerank(NULL, ctx[0], s.graph, NULL), MEGURI_BAD_ARGUMENT);
    assert_int_equal(meguri_pagerank(&result, NULL, s.graph, NULL), MEGURI_BAD_ARGUMENT);
    assert_int_equal(mg_pagerank_check(NULL, s.graph, rank, NULL), MEGURI_BAD_ARGUMENT);
    assert_int_equal(mg_pagerank_check(ctx[0], NULL, rank, NULL), MEGURI_BAD_ARGUMENT);
    assert_int_equal(mg_pagerank_check(ctx[0], s.graph, NULL, NULL), MEGURI_BAD_ARGUMENT);
    assert_int_equal(mg_pagerank_check(ctx[0], s.graph, rank, NULL), MEGURI_OK);
    subject_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_zoo),
        cmocka_unit_test(shapes),
        cmocka_unit_test(random_graphs),
        cmocka_unit_test(narrow_tiles),
        cmocka_unit_test(wide_tiles),
        cmocka_unit_test(very_long_pieces),
        cmocka_unit_test(a_skewed_graph),
        cmocka_unit_test(graphs_with_known_ranks),
        cmocka_unit_test(a_tolerance_finer_than_rounding),
        cmocka_unit_test(bad_arguments),
    };
    return cmocka_run_group_tests(tests, make_contexts, free_contexts);
}
