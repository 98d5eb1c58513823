/* Weights of very different sizes: 2^-40 beside 2^40, also so that the one vanishes in the other. Every path costs what
 * its weights come to when they are added from its start on, to the last bit; limits hold for that sum; and what a
 * search from one end finds is the least such sum there is. Searches that also add from the other end may miss it by as
 * much as rounding can do; where the vertices of a path are not all different, brute force does not know it. */
#define _GNU_SOURCE
#include "algo/path/path.h"
#include "algo_path_all/walking.h"

#include <math.h>

#define GRAPHS (UNDER_TSAN ? 150 : UNDER_ASAN ? 400 : 4000)

static const meguri_path_algorithm algorithms[] = {
    MEGURI_PATH_AUTO,   MEGURI_PATH_DIJKSTRA, MEGURI_PATH_ASTAR,        MEGURI_PATH_BIDIRECTIONAL,
    MEGURI_PATH_TREE,   MEGURI_PATH_INDEXED,  MEGURI_PATH_ALL_SHORTEST, MEGURI_PATH_ALL,
    MEGURI_PATH_SIMPLE, MEGURI_PATH_YENS,     MEGURI_PATH_SHORTEST,
};

/* Zeros, repeated ones so that paths tie, and numbers with all digits. */
static double wild_weight(uint64_t *random, bool narrow) {
    uint64_t r = next_random(random);
    int size = (int)(r % 81) - 40;
    if (r >> 32 & 15) size = (r >> 40) % 3 ? (r >> 45) % 2 ? 40 : -13 : 0; /* a few sizes meet more often */
    double digits = (r >> 8) % 4 ? 1 + (double)(next_random(random) >> 11) * 0x1p-53 : 1;
    double weight = (r >> 12) % 12 ? ldexp(digits, size) : 0;
    return narrow ? (double)(float)weight : weight;
}

static small_graph wild_graph(uint64_t *random, bool narrow) {
    small_graph g = small_random(random);
    g.weighted = true;
    for (uint32_t i = 0; i < g.edges; i++) g.weight[i] = wild_weight(random, narrow);
    return g;
}

static void place(meguri_ctx *ctx, meguri_graph *graph, uint32_t vertices, uint64_t *random) {
    uint64_t ids[MOST_VERTICES];
    double x[MOST_VERTICES], y[MOST_VERTICES], unit = ldexp(1, (int)(next_random(random) % 40) - 20);
    for (uint32_t v = 0; v < vertices; v++) {
        ids[v] = v;
        x[v] = (double)(next_random(random) % 1000) * unit;
        y[v] = (double)(next_random(random) % 1000) * unit;
    }
    assert_int_equal(mg_graph_set_coordinates(ctx, graph, ids, x, y, vertices), MEGURI_OK);
}

static double cost_of(const kept_path *p) { return p->costs[p->hops]; }

/* The least cost, or number of edges, of a list; infinity where it is empty. */
static double least(const path_list *list, bool hops) {
    double best = INFINITY;
    for (uint64_t i = 0; i < list->count; i++)
        best = fmin(best, hops ? (double)list->paths[i].hops : cost_of(&list->paths[i]));
    return best;
}

static bool about(double found, double best) {
    return found >= best && found <= best * (1 + mg_path_rounding(MOST_EDGES));
}

/* The k cheapest are looked for by bounds from the other end: one that costs the limit but for rounding may be missed.
 */
static uint64_t least_count(const meguri_path_query *q, const path_list *all) {
    uint64_t count = 0;
    for (uint64_t i = 0; i < all->count; i++)
        count += !q->has_max_cost || cost_of(&all->paths[i]) < q->max_cost * (1 - mg_path_rounding(MOST_EDGES));
    return q->algorithm == MEGURI_PATH_YENS ? count : all->count;
}

/* Of `all`, by brute force, which the question allows. */
static bool is_good(const meguri_path_query *q, const path_list *got, const path_list *all) {
    bool many = q->algorithm == MEGURI_PATH_YENS || q->algorithm == MEGURI_PATH_SIMPLE ||
                q->algorithm == MEGURI_PATH_ALL || q->algorithm == MEGURI_PATH_ALL_SHORTEST;
    if (many ? got->count < least_count(q, all) || got->count > all->count : got->count != (all->count > 0))
        return false;
    for (uint64_t i = 0; i < got->count; i++) {
        bool known = same_path(&got->paths[i], &all->paths[i]); /* the order of enumerations is promised */
        for (uint64_t j = 0; j < all->count && !known; j++) known = same_path(&got->paths[i], &all->paths[j]);
        if (!known) return false;
        double before = i ? cost_of(&got->paths[i - 1]) : 0, now = cost_of(&got->paths[i]);
        if (q->algorithm == MEGURI_PATH_YENS && now < before && !about(before, now)) return false;
    }
    if (many || !got->count) return true;
    if (q->algorithm == MEGURI_PATH_SHORTEST) return got->paths[0].hops == least(all, true);
    bool exact = q->algorithm == MEGURI_PATH_DIJKSTRA || q->algorithm == MEGURI_PATH_TREE;
    double found = cost_of(&got->paths[0]), best = least(all, false);
    return exact ? found == best : about(found, best);
}

static void check(meguri_ctx *ctx, const small_graph *g, meguri_path_search *search, const meguri_path_query *q) {
    meguri_path_answer answer;
    path_list got = ask(&answer, ctx, search, q), all = brute_force(g, q, search->finder->options.direction);
    if (!is_good(q, &got, &all)) {
        print_error("algorithm %d from %d to %d max_hops %d max_cost %.17g (%d), direction %d, %s:\n",
                    (int)q->algorithm, (int)q->from, (int)q->to, (int)q->max_hops, q->max_cost, q->has_max_cost,
                    (int)search->finder->options.direction, g->directed ? "directed" : "undirected");
        for (uint32_t i = 0; i < g->edges; i++) print_error("  %u %u %.17g\n", g->from[i], g->to[i], g->weight[i]);
        fail_msg("%d paths, of %d that there are; the first costs %.17g, the cheapest %.17g", (int)got.count,
                 (int)all.count, got.count ? cost_of(&got.paths[0]) : INFINITY, least(&all, false));
    }
    list_free(&got);
    list_free(&all);
}

/* A limit that is the cost of some path, or the next number below it. */
static void draw_max_cost(meguri_path_query *q, const small_graph *g, meguri_path_direction direction,
                          uint64_t *random) {
    meguri_path_query every = {.size = sizeof every, .algorithm = MEGURI_PATH_SIMPLE, .from = q->from, .to = q->to};
    path_list all = brute_force(g, &every, direction);
    uint64_t draw = next_random(random);
    if (all.count && draw % 2) {
        double cost = draw % 4 < 2 ? least(&all, false) : cost_of(&all.paths[(draw >> 8) % all.count]);
        q->has_max_cost = 1;
        q->max_cost = (draw >> 4) % 2 ? cost : nextafter(cost, 0);
    }
    list_free(&all);
}

static void weights_of_all_sizes(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(1);
    uint64_t random = 12;
    for (int i = 0; i < GRAPHS; i++) {
        small_graph g = wild_graph(&random, i % 2);
        meguri_graph *graph = small_build(ctx, &g, (meguri_order)(1 + i % 3));
        place(ctx, graph, g.vertices, &random);
        meguri_path_finder_options o = {
            .size = sizeof o, .direction = (meguri_path_direction)(i / 2 % 3), .index_use = MEGURI_PATH_INDEX_MAKE};
        meguri_path_search *search;
        assert_int_equal(search_new(&search, ctx, graph, &o), MEGURI_OK);
        for (size_t a = 0; a < COUNT_OF(algorithms); a++)
            for (int pair = 0; pair < 2; pair++) {
                meguri_path_query q = {.size = sizeof q, .algorithm = algorithms[a], .limit = (uint64_t)1 << 40};
                q.from = next_random(&random) % g.vertices;
                q.to = next_random(&random) % g.vertices;
                draw_max_cost(&q, &g, o.direction, &random);
                if (next_random(&random) % 3 == 0) q.max_hops = 1 + next_random(&random) % 6;
                if (q.algorithm == MEGURI_PATH_ALL && (!q.max_hops || q.max_hops > 4)) q.max_hops = 4;
                if (q.algorithm == MEGURI_PATH_YENS) q.k = (uint64_t)1 << 40;
                check(ctx, &g, search, &q);
            }
        search_free(search);
        meguri_graph_free(graph);
    }
    context_done(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(weights_of_all_sizes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
