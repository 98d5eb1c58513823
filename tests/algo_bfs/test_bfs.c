/* Breadth-first search of every graph of the zoo and of the shapes below, every way, on 1, 2 and 5 threads, against a
 * textbook search. */
#define _GNU_SOURCE
#include "algo_bfs/searching.h"

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

/* The first, the last, some, an isolated one, a leaf, a hub. */
enum { SOURCES = 7 };
static uint64_t source_of(const subject *s, int which, uint64_t *seed) {
    uint64_t n = s->plain.vertices;
    uint32_t found = UINT32_MAX;
    if (which == 4) found = plain_isolated(&s->plain);
    if (which == 5) found = plain_leaf(&s->plain);
    if (which == 6) found = plain_hub(&s->plain);
    if (which == 0) found = 0;
    if (which == 1) found = (uint32_t)n - 1;
    return found != UINT32_MAX ? found : zoo_random(seed) % n;
}

/* Every way on every number of threads, from every kind of source. */
static void search_every_way(const subject *s, bool few) {
    uint64_t seed = s->plain.arcs;
    if (!s->plain.vertices) return;
    for (int way = 0; way < WAYS; way++)
        for (size_t t = 0; t < THREAD_COUNTS; t++) {
            if (few && (UNDER_ASAN || UNDER_TSAN) && t != (size_t)(way + (int)s->order) % THREAD_COUNTS) continue;
            meguri_bfs_options options = way_options(way);
            for (int which = few ? (way + (int)t) % SOURCES : 0; which < SOURCES; which += few ? SOURCES : 1)
                check_search(ctx[t], s, source_of(s, which, &seed), &options);
        }
}

static void search_every_graph(const zoo_graph *g, bool few) {
    for (int direction = MEGURI_DIRECTED; direction <= MEGURI_UNDIRECTED; direction++)
        for (int order = MEGURI_ORDER_DEGREE; order <= MEGURI_ORDER_NONE; order++)
            for (int keep = 0; keep < 4; keep++) {
                if (few && keep != (direction + order) % 4) continue;
                meguri_build_options o = {.size = sizeof o,
                                          .direction = (meguri_direction)direction,
                                          .order = (meguri_order)order,
                                          .duplicates = keep & 1 ? MEGURI_DUPLICATES_KEEP : MEGURI_DUPLICATES_MIN,
                                          .keep_loops = keep >> 1};
                subject s = subject_from_zoo(ctx[1], g, &o);
                search_every_way(&s, few || keep);
                subject_free(&s);
            }
}

static void the_zoo(void **state) {
    (void)state;
    zoo_graph g;
    for (int index = 0; zoo_get(&g, index); index++) {
        bool large = g.count > 50000;
        if (!g.weights && !(UNDER_TSAN && !large)) search_every_graph(&g, large || UNDER_ASAN);
        zoo_free(&g);
    }
}

/* Every graph of four vertices with loops and of five without, from every source: whatever can go wrong with leaves,
 * pairs, and parts that are not reached. */
static void every_small_graph(const int vertices, bool directed, bool loops) {
    int pairs[25][2], count = 0;
    for (int i = 0; i < vertices; i++)
        for (int j = directed ? 0 : i; j < vertices; j++) {
            if (i == j && !loops) continue;
            pairs[count][0] = i;
            pairs[count++][1] = j;
        }
    for (uint32_t set = 0; set < (uint32_t)1 << count; set++) {
        zoo_graph g = {.vertices = (uint64_t)vertices};
        for (int i = 0; i < count; i++)
            if (set >> i & 1) shape_add(&g, (uint64_t)pairs[i][0], (uint64_t)pairs[i][1]);
        snprintf(g.name, sizeof g.name, "graph %u of %d vertices, directed %d", set, vertices, directed);
        meguri_build_options o = {.size = sizeof o,
                                  .direction = directed ? MEGURI_DIRECTED : MEGURI_UNDIRECTED,
                                  .order = 1 + set % 3 * (set % 2),
                                  .keep_loops = 1};
        subject s = subject_from_zoo(ctx[0], &g, &o);
        for (int source = 0; source < vertices; source++) {
            meguri_bfs_options options = way_options((int)(set + (uint32_t)source) % WAYS);
            check_search(ctx[0], &s, (uint64_t)source, &options);
            options.max_depth = (uint32_t)(1 + set % 3) - 1;
            check_search(ctx[0], &s, (uint64_t)source, &options);
        }
        subject_free(&s);
        zoo_free(&g);
    }
}

static void small_graphs(void **state) {
    (void)state;
    if (UNDER_TSAN) return; /* nothing to share out */
    every_small_graph(4, false, true);
    every_small_graph(3, true, true);
    if (UNDER_ASAN) return;
    every_small_graph(5, false, false);
    every_small_graph(4, true, false);
}

/* Everything at random, small and sparse. */
static void random_graphs(void **state) {
    (void)state;
    uint64_t seed = 21;
    for (int turn = 0; turn < (UNDER_TSAN ? 40 : UNDER_ASAN ? 200 : 3000); turn++) {
        zoo_graph g = shape_random(&seed, 3000);
        meguri_build_options o = {.size = sizeof o,
                                  .direction = 1 + zoo_random(&seed) % 2,
                                  .order = 1 + zoo_random(&seed) % 3,
                                  .keep_loops = zoo_random(&seed) % 2,
                                  .duplicates = zoo_random(&seed) % 2 ? MEGURI_DUPLICATES_KEEP : MEGURI_DUPLICATES_MIN};
        subject s = subject_from_zoo(ctx[turn % 3], &g, &o);
        for (int i = 0; i < 4; i++) {
            char ways[9] = "";
            for (size_t k = 0; k < 1 + zoo_random(&seed) % 8; k++) strcat(ways, zoo_random(&seed) % 2 ? "<" : ">");
            if (!*ways) strcpy(ways, "<");
            meguri_bfs_options options = {.size = sizeof options,
                                          .max_depth = UINT32_MAX,
                                          .levels = 1,
                                          .parents = 1,
                                          .policy = MEGURI_BFS_FORCED,
                                          .directions = ways};
            if (i == 0) options = way_options((int)(zoo_random(&seed) % WAYS));
            if (i % 2) options.max_depth = (uint32_t)(1 + (uint32_t)(zoo_random(&seed) % 5)) - 1;
            options.levels = !(i == 2 && zoo_random(&seed) % 2);
            options.parents = !(i == 3 && zoo_random(&seed) % 2);
            check_search(ctx[zoo_random(&seed) % 3], &s, source_of(&s, (int)(zoo_random(&seed) % SOURCES), &seed),
                         &options);
        }
        subject_free(&s);
        zoo_free(&g);
    }
}

/* ---- shapes ----------------------------------------------------------------------------------------------------- */

static void shapes(void **state) {
    (void)state;
    zoo_graph g;
    for (int index = 0; shape_get(&g, index, 1500); index++) {
        if (!UNDER_TSAN) search_every_graph(&g, index % 6 != 0 || UNDER_ASAN);
        zoo_free(&g);
    }
    /* Large enough for threads. Only pushes along what is long: a pull of every level would take a while. */
    for (int index = 0; shape_get(&g, index, UNDER_TSAN || UNDER_ASAN ? 20000 : 50000); index++) {
        meguri_build_options o = {.size = sizeof o,
                                  .direction = index % 4 == 3 ? MEGURI_DIRECTED : MEGURI_UNDIRECTED,
                                  .order = 1 + index / 2 % 3};
        subject s = subject_from_zoo(ctx[1], &g, &o);
        answer right = plain_search(&s.plain, 0, 0);
        uint64_t seed = 31;
        for (int way = 0; way < WAYS; way++) {
            if (right.depth > 1000 && way > 2) continue;
            if (UNDER_ASAN && way % 2 != index % 2) continue;
            if (UNDER_TSAN && (way % 2 != index % 2 || right.depth > 1000)) continue;
            meguri_bfs_options options = way_options(way);
            check_search(ctx[1 + way % 2], &s, source_of(&s, (way + index) % SOURCES, &seed), &options);
        }
        answer_free(&right);
        subject_free(&s);
        zoo_free(&g);
    }
}

/* Results are brought into the user's order block by block of 2^17 vertices: several blocks, and one that is not full.
 */
static void several_blocks(void **state) {
    (void)state;
    static const int large[] = {1, 3, 4, 7, 8, 13, 14, 15, 17}; /* shapes that are not deep */
    zoo_graph g;
    for (size_t i = 0; i < COUNT_OF(large); i++) {
        if ((UNDER_ASAN || UNDER_TSAN) && i % 4 != 3) continue;
        assert_true(shape_get(&g, large[i], UNDER_ASAN || UNDER_TSAN ? 140000 : 300000));
        for (int order = MEGURI_ORDER_DEGREE; order <= MEGURI_ORDER_NONE; order++) {
            if (order != MEGURI_ORDER_DEGREE && order != (int)i % 3 + 1) continue;
            meguri_build_options o = {.size = sizeof o,
                                      .direction = i % 5 == 4 ? MEGURI_DIRECTED : MEGURI_UNDIRECTED,
                                      .order = (meguri_order)order};
            subject s = subject_from_zoo(ctx[1], &g, &o);
            uint64_t seed = i;
            for (int way = 0; way < (UNDER_TSAN || UNDER_ASAN ? 2 : 4); way++) {
                meguri_bfs_options options = way_options(way);
                options.levels = !(way % 2);
                check_search(ctx[way % 3], &s, source_of(&s, (way + 2 * (int)i) % SOURCES, &seed), &options);
            }
            subject_free(&s);
        }
        zoo_free(&g);
    }
}

/* The limit that ends just before, at and after the last level, where leaves are; and in the middle. */
static void depth_limits(void **state) {
    (void)state;
    zoo_graph g;
    for (int index = 0; shape_get(&g, index, 700); index++) {
        for (int order = MEGURI_ORDER_DEGREE; order <= MEGURI_ORDER_NONE && !UNDER_TSAN; order++) {
            meguri_build_options o = {
                .size = sizeof o, .direction = 1 + (index + order) % 2, .order = order, .keep_loops = index % 2};
            if (order == MEGURI_ORDER_DEGREE) o.direction = MEGURI_UNDIRECTED;
            subject s = subject_from_zoo(ctx[1], &g, &o);
            uint64_t seed = 41;
            for (int which = 0; which < SOURCES; which++) {
                uint64_t source = source_of(&s, which, &seed);
                answer all = plain_search(&s.plain, source, 0);
                uint32_t last = (uint32_t)all.depth + 1;
                const uint32_t limits[] = {1, 2, 3, 4, 5, last - 1, last, last + 1, UINT32_MAX};
                for (size_t i = 0; i < COUNT_OF(limits); i++)
                    for (int way = 0; way < WAYS; way++) {
                        meguri_bfs_options options = way_options(way);
                        options.max_depth = (uint32_t)(limits[i]) - 1;
                        if (!UNDER_ASAN || (way + (int)i) % 3 == 0) check_search(ctx[way % 3], &s, source, &options);
                    }
                answer_free(&all);
            }
            subject_free(&s);
        }
        zoo_free(&g);
    }
}

static void kronecker_graphs(void **state) {
    (void)state;
    static const uint32_t factors[] = {16, 2, 1}; /* from dense to a forest of leaves */
    for (uint32_t scale = 10; scale <= (UNDER_TSAN || UNDER_ASAN ? 13 : 14); scale++) {
        uint32_t factor = factors[scale % 3];
        zoo_graph g = shape_kronecker(ctx[1], scale, factor);
        for (int order = MEGURI_ORDER_AUTO; order <= MEGURI_ORDER_NONE; order++) {
            meguri_kronecker_options k = {
                .size = sizeof k,
                .scale = scale,
                .edge_factor = factor,
                .build = &(meguri_build_options){.size = sizeof(meguri_build_options), .order = (meguri_order)order}};
            subject s = {.name = g.name, .order = (meguri_order)order, .plain = plain_from_edges(&g, false)};
            assert_int_equal(meguri_gen_kronecker(&s.graph, ctx[1], &k), MEGURI_OK);
            uint64_t seed = scale;
            for (int way = 0; way < WAYS; way++)
                for (size_t t = 0; t < THREAD_COUNTS; t++) {
                    if (UNDER_TSAN && (t != 1 || way % 4 != order)) continue;
                    if (UNDER_ASAN && (t + (size_t)(way + order)) % 3) continue;
                    meguri_bfs_options options = way_options(way);
                    check_search(ctx[t], &s, source_of(&s, 2, &seed), &options);
                    if (way % 2) options.max_depth = (uint32_t)(2 + (uint32_t)way / 2) - 1;
                    check_search(ctx[t], &s, source_of(&s, (way + (int)t) % SOURCES, &seed), &options);
                }
            subject_free(&s);
        }
        zoo_free(&g);
    }
}

/* ---- properties ------------------------------------------------------------------------------------------------- */

/* The numbering of the vertices changes nothing but their names. */
static void permuted_ids_give_the_same_levels(void **state) {
    (void)state;
    zoo_graph g;
    for (int index = 0; shape_get(&g, index, UNDER_TSAN ? 400 : 2000); index++) {
        for (int turn = 0; turn < 3; turn++) {
            meguri_build_options o = {.size = sizeof o, .direction = 1 + turn % 2, .order = 1 + turn};
            uint64_t seed = (uint64_t)(100 * index + turn), source = zoo_random(&seed) % g.vertices;
            meguri_graph *plain_graph, *permuted;
            meguri_result *before, *after;
            meguri_bfs_options options = way_options((index + turn) % WAYS);
            assert_int_equal(zoo_build(&plain_graph, ctx[1], &g, &o), MEGURI_OK);
            assert_int_equal(meguri_bfs(&before, ctx[1], plain_graph, source, &options), MEGURI_OK);
            uint64_t *map = shape_shuffle(&g, seed);
            assert_int_equal(zoo_build(&permuted, ctx[1], &g, &o), MEGURI_OK);
            assert_int_equal(meguri_bfs(&after, ctx[1], permuted, map[source], &options), MEGURI_OK);
            const int32_t *a = column_of(before, "level", MEGURI_TYPE_I32, g.vertices);
            const int32_t *b = column_of(after, "level", MEGURI_TYPE_I32, g.vertices);
            for (uint64_t v = 0; v < g.vertices; v++) assert_int_equal(a[v], b[map[v]]);
            assert_int_equal(fact_of(before, "reached"), fact_of(after, "reached"));
            meguri_result_free(before);
            meguri_result_free(after);
            meguri_graph_free(plain_graph);
            meguri_graph_free(permuted);
            free(map);
        }
        zoo_free(&g);
    }
}

static void columns_can_be_left_out(void **state) {
    (void)state;
    zoo_graph g;
    for (int index = 0; shape_get(&g, index, 2000); index++) {
        meguri_build_options o = {.size = sizeof o, .direction = MEGURI_UNDIRECTED, .order = 1 + index % 3};
        subject s = subject_from_zoo(ctx[1], &g, &o);
        for (int left_out = 1; left_out < 4; left_out++)
            for (int way = 0; way < 4; way++) {
                if (UNDER_TSAN && way != left_out) continue;
                meguri_bfs_options options = way_options(way);
                options.levels = !(left_out & 1);
                options.parents = !(left_out >> 1);
                options.max_depth = (uint32_t)(way == 3 ? 4 : 0) - 1;
                check_search(ctx[way % 3], &s, (uint64_t)(7 * way), &options);
            }
        subject_free(&s);
        zoo_free(&g);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_zoo),
        cmocka_unit_test(small_graphs),
        cmocka_unit_test(random_graphs),
        cmocka_unit_test(shapes),
        cmocka_unit_test(several_blocks),
        cmocka_unit_test(depth_limits),
        cmocka_unit_test(kronecker_graphs),
        cmocka_unit_test(permuted_ids_give_the_same_levels),
        cmocka_unit_test(columns_can_be_left_out),
    };
    return cmocka_run_group_tests(tests, make_contexts, free_contexts);
}
