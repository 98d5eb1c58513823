/* Real roads and railways: what paths cost against searches from one source to everywhere. */
#define _GNU_SOURCE
#include "algo_path/asking.h"

#include <stdio.h>

static const struct {
    const char *edges, *coordinates;
    bool large;
} roads[] = {{"osm/monaco-d.gr.gz", "osm/monaco.co.gz", false},
             {"osm/monaco-t.gr.gz", "osm/monaco.co.gz", false},
             {"rail/japan-rail.gr.gz", "rail/japan-rail.co.gz", false},
             {"road/fastpaths-graph_ballard.gr", NULL, false},
             {"osm/heidelberg-t.gr.gz", "osm/heidelberg.co.gz", true},
             {"road/osm-moscow.gr.gz", "road/osm-moscow.co.gz", true}};

static const char *data_folder(void) {
    const char *folder = getenv("MEGURI_DATA");
    if (!folder || !*folder) folder = SOURCE_FOLDER "/../shared/data";
    return access(folder, R_OK) == 0 ? folder : NULL;
}

static meguri_graph *get(meguri_ctx *ctx, const char *folder, size_t i) {
    char edges[1024], coordinates[1024];
    snprintf(edges, sizeof edges, "%s/%s", folder, roads[i].edges);
    snprintf(coordinates, sizeof coordinates, "%s/%s", folder, roads[i].coordinates ? roads[i].coordinates : "");
    meguri_read_options o = {.size = sizeof o, .coordinates = roads[i].coordinates ? coordinates : NULL};
    const char *paths[] = {edges};
    meguri_graph *graph;
    if (meguri_read(&graph, ctx, paths, 1, &o) != MEGURI_OK) fail_msg("%s", meguri_ctx_error(ctx));
    return graph;
}

static int note_cost(void *user, const meguri_path *path) {
    *(double *)user = path->cost;
    return 0;
}

/* Against their direction, paths to the source cost what paths from it cost along it. */
static void compare(meguri_ctx *ctx, const meguri_graph *graph, uint64_t *random, int sources, bool coordinates,
                    bool index) {
    meguri_path_search *searches[2];
    meguri_path_finder_options o = {.size = sizeof o, .direction = MEGURI_PATH_IN};
    assert_int_equal(search_new(&searches[0], ctx, graph, NULL), MEGURI_OK);
    o.index_use = index ? MEGURI_PATH_INDEX_MAKE : MEGURI_PATH_INDEX_STORED;
    assert_int_equal(search_new(&searches[1], ctx, graph, &o), MEGURI_OK);
    for (int s = 0; s < sources; s++) {
        uint64_t source = next_random(random) % graph->vertices;
        meguri_result *result;
        meguri_column distance = {.size = sizeof distance};
        assert_int_equal(meguri_sssp(&result, ctx, graph, source, NULL), MEGURI_OK);
        assert_int_equal(meguri_result_column(&distance, result, "distance"), MEGURI_OK);
        assert_int_equal(distance.type, MEGURI_TYPE_U64);
        for (int t = 0; t < 12; t++) {
            uint64_t target = next_random(random) % graph->vertices, right = ((const uint64_t *)distance.data)[target];
            meguri_path_algorithm algorithm = (meguri_path_algorithm)(t % 4); /* AUTO: by the index */
            if (algorithm == MEGURI_PATH_ASTAR && !coordinates) continue;
            meguri_path_query q = t % 3 ? question(algorithm, source, target) : question(algorithm, target, source);
            meguri_path_answer answer = {.size = sizeof answer};
            double cost = -1;
            assert_int_equal(meguri_path_search_run(&answer, ctx, searches[t % 3 == 0], &q, note_cost, &cost),
                             MEGURI_OK);
            assert_true(right == UINT64_MAX ? !answer.paths : answer.paths == 1 && cost == (double)right);
        }
        meguri_result_free(result);
    }
    search_free(searches[0]);
    search_free(searches[1]);
}

static void paths_cost_what_they_should(void **state) {
    (void)state;
    const char *folder = data_folder();
    if (!folder) skip_because("the folder of real graphs is missing");
    meguri_ctx *ctx = context_with(2);
    uint64_t random = 11;
    for (size_t i = 0; i < COUNT_OF(roads); i++) {
        if (roads[i].large && (UNDER_ASAN || UNDER_TSAN)) continue;
        meguri_graph *graph = get(ctx, folder, i);
        compare(ctx, graph, &random, roads[i].large ? 3 : 6, roads[i].coordinates != NULL,
                graph->vertices < (UNDER_ASAN || UNDER_TSAN ? 0 : 100000));
        meguri_graph_free(graph);
    }
    context_done(ctx);
}

/* ---- what auto takes -------------------------------------------------------------------------------------------- */

static meguri_path_answer ask(meguri_ctx *ctx, meguri_path_search *search, meguri_path_algorithm algorithm,
                              uint64_t from, uint64_t to) {
    meguri_path_query q = question(algorithm, from, to);
    meguri_path_answer answer = {.size = sizeof answer};
    assert_int_equal(meguri_path_search_run(&answer, ctx, search, &q, NULL, NULL), MEGURI_OK);
    return answer;
}

/* A vertex settled by A* costs more than one without points, so A* has to settle far fewer; where it is about equal
 * either will do. */
static void auto_takes_the_cheaper_way(void **state) {
    (void)state;
    const char *folder = data_folder();
    if (!folder) skip_because("the folder of real graphs is missing");
    meguri_ctx *ctx = context_with(2);
    unsigned clear[2] = {0, 0};
    for (size_t i = 0; i < COUNT_OF(roads); i++) {
        if (!roads[i].coordinates || roads[i].large) continue;
        meguri_graph *graph = get(ctx, folder, i);
        meguri_path_search *search;
        assert_int_equal(search_new(&search, ctx, graph, NULL), MEGURI_OK);
        uint64_t random = 31 + i, settled[2] = {0, 0};
        meguri_path_answer last = {0};
        for (int pair = 0; pair < 24; pair++) {
            uint64_t from = next_random(&random) % graph->vertices, to = next_random(&random) % graph->vertices;
            settled[0] += ask(ctx, search, MEGURI_PATH_BIDIRECTIONAL, from, to).settled;
            settled[1] += ask(ctx, search, MEGURI_PATH_ASTAR, from, to).settled;
            last = ask(ctx, search, MEGURI_PATH_AUTO, from, to);
        }
        double share = (double)settled[1] / (double)settled[0];
        if (share < 0.55) assert_int_equal(last.algorithm, MEGURI_PATH_ASTAR);
        if (share > 0.72) assert_int_equal(last.algorithm, MEGURI_PATH_BIDIRECTIONAL);
        clear[0] += share > 0.72, clear[1] += share < 0.55;
        search_free(search);
        meguri_graph_free(graph);
    }
    assert_true(clear[0] && clear[1]); /* both kinds are among them */
    context_done(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(paths_cost_what_they_should),
                                       cmocka_unit_test(auto_takes_the_cheaper_way)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
