/* Searches that share a handle, on one machine and on a cluster: each is as if it were alone, from wherever it starts;
 * their steps add up to their facts; a trace may begin between two of them. */
#define _GNU_SOURCE
#include "shards/answers.h"
#include "support/checks.h"

/* ---- searches that share a handle ------------------------------------------------------------------------------- */

typedef struct several {
    const subject *subject;
    meguri_bfs_options options;
    const char *trace;
} several;

/* The steps add up to the facts. */
static meguri_status check_steps(meguri_ctx *ctx, const meguri_bfs_search *search, const meguri_result *result,
                                 bool isolated) {
    uint64_t count, reached = 1, edges = 0;
    const meguri_bfs_step *steps = mg_bfs_search_steps(search, &count);
    RANK_CHECK(ctx, count >= 1 && (count == 1 || !isolated));
    for (uint64_t i = 0; i < count; i++) {
        RANK_CHECK(ctx, (steps[i].direction == MEGURI_BFS_DIRECTION_FILL) == (i == count - 1));
        RANK_CHECK(ctx, steps[i].seconds >= 0);
        if (i < count - 1) RANK_CHECK(ctx, steps[i].frontier == (i ? steps[i - 1].reached : 1));
        reached += steps[i].reached;
        edges += steps[i].edges;
    }
    RANK_CHECK(ctx, reached == fact_number(result, "reached"));
    RANK_CHECK(ctx, edges == fact_number(result, "edges"));
    return MEGURI_OK;
}

/* … and are those of all processes: the same at each of them. */
static meguri_status compare_steps(meguri_ctx *ctx, meguri_cluster *cluster, const meguri_bfs_search *search) {
    uint64_t count, sum = 0, most;
    const meguri_bfs_step *steps = mg_bfs_search_steps(search, &count);
    for (uint64_t i = 0; i < count; i++)
        sum = sum * 1000003 + steps[i].frontier * 31 + steps[i].edges * 17 + steps[i].reached * 5 + steps[i].direction;
    most = sum;
    RANK_CHECK(ctx, meguri_cluster_reduce(&most, ctx, cluster, 1, MEGURI_MAXIMUM) == MEGURI_OK);
    RANK_CHECK(ctx, meguri_cluster_reduce(&sum, ctx, cluster, 1, MEGURI_MINIMUM) == MEGURI_OK);
    RANK_CHECK(ctx, sum == most);
    return MEGURI_OK;
}

/* One search of a handle beside the textbook. `cluster` is NULL on one machine. */
static meguri_status search_from(meguri_ctx *ctx, meguri_cluster *cluster, const several *s, const meguri_graph *graph,
                                 meguri_bfs_search *search, uint64_t source) {
    const plain *p = &s->subject->plain;
    const meguri_result *result;
    meguri_column level = {.size = sizeof level}, parent = level;
    meguri_graph_info info = {.size = sizeof info};
    RANK_CHECK(ctx, meguri_graph_get_info(&info, ctx, graph) == MEGURI_OK);
    RANK_CHECK(ctx, meguri_bfs_search_run(&result, ctx, search, source) == MEGURI_OK);
    RANK_CHECK(ctx, meguri_result_column(&level, result, "level") == MEGURI_OK);
    if (s->options.parents) RANK_CHECK(ctx, meguri_result_column(&parent, result, "parent") == MEGURI_OK);
    answer expected = plain_search(p, source, mg_levels_within(s->options.max_depth));
    bool same = memcmp(level.data, expected.level + info.first, info.count * sizeof *expected.level) == 0 &&
                fact_number(result, "reached") == expected.reached &&
                fact_number(result, "depth") == (uint64_t)expected.depth;
    answer_free(&expected);
    RANK_CHECK(ctx, same && level.count == info.count);
    RANK_CHECK(ctx, done_by(result, cluster ? "cluster" : "host"));
    meguri_status status =
        mg_bfs_check(ctx, graph, source, level.data, parent.data, mg_levels_within(s->options.max_depth));
    if (status == MEGURI_OK) status = check_steps(ctx, search, result, source == plain_isolated(p));
    return status == MEGURI_OK && cluster ? compare_steps(ctx, cluster, search) : status;
}

static meguri_status search_several(meguri_ctx *ctx, meguri_cluster *cluster, const several *s,
                                    const meguri_graph *graph) {
    const plain *p = &s->subject->plain;
    uint32_t isolated = plain_isolated(p), hub = plain_hub(p), leaf = plain_leaf(p);
    const uint32_t sources[] = {hub, isolated, leaf, isolated, 0, hub, (uint32_t)p->vertices - 1, isolated};
    const meguri_result *result;
    meguri_bfs_search *search;
    RANK_CHECK(ctx, isolated != UINT32_MAX && leaf != UINT32_MAX);
    meguri_status status = meguri_bfs_search_new(&search, ctx, graph, &s->options);
    for (size_t i = 0; i < COUNT_OF(sources) && status == MEGURI_OK; i++) {
        status = search_from(ctx, cluster, s, graph, search, sources[i]);
        if (status == MEGURI_OK && i % 3 == 0) /* what is refused in between changes nothing */
            RANK_CHECK(ctx, meguri_bfs_search_run(&result, ctx, search, p->vertices) == MEGURI_NOT_FOUND && !result);
    }
    meguri_bfs_search_free(search);
    return status;
}

static meguri_status several_on_ranks(void *user, meguri_ctx *ctx, meguri_cluster *cluster) {
    const several *s = user;
    const meguri_layout layout = square(cluster);
    meguri_graph *graph;
    meguri_status status = meguri_graph_spread(&graph, ctx, s->subject->graph, &layout);
    if (status == MEGURI_OK) status = search_several(ctx, cluster, s, graph);
    meguri_graph_free(graph);
    return status;
}

static const meguri_bfs_options ways[] = {
    {.size = sizeof *ways, .max_depth = UINT32_MAX, .levels = 1, .parents = 1},
    {.size = sizeof *ways,
     .max_depth = UINT32_MAX,
     .levels = 1,
     .parents = 1,
     .policy = MEGURI_BFS_PULL,
     .exchange = MEGURI_EXCHANGE_PACKED},
    {.size = sizeof *ways, .levels = 1, .parents = 1, .policy = MEGURI_BFS_FORCED, .directions = "><", .max_depth = 2},
    {.size = sizeof *ways,
     .max_depth = UINT32_MAX,
     .levels = 1,
     .policy = MEGURI_BFS_PUSH,
     .parents = 0,
     .exchange = MEGURI_EXCHANGE_PLAIN},
};

static void breadth_first(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(1);
    zoo_graph g = shape_kronecker(ctx, 7, 2);
    for (int direction = MEGURI_DIRECTED; direction <= MEGURI_UNDIRECTED; direction++) {
        const meguri_build_options o = {.size = sizeof o, .direction = (meguri_direction)direction};
        subject whole = subject_from_zoo(ctx, &g, &o);
        for (size_t i = 0; i < COUNT_OF(ways); i++) {
            several s = {.subject = &whole, .options = ways[i]};
            if (search_several(ctx, NULL, &s, whole.graph) != MEGURI_OK) fail_msg("%s", meguri_ctx_error(ctx));
            for (uint32_t ranks = 1; ranks <= 6; ranks += 1 + ranks / 3) run_on(ranks, 0, several_on_ranks, &s);
        }
        subject_free(&whole);
    }
    zoo_free(&g);
    context_done(ctx);
}

/* The same of shortest paths; one machine's answers are those to expect. */
static meguri_status shortest_on_ranks(void *user, meguri_ctx *ctx, meguri_cluster *cluster) {
    const subject *whole = user;
    const plain *p = &whole->plain;
    const uint64_t sources[] = {plain_hub(p), plain_isolated(p), 0, plain_isolated(p), plain_leaf(p), plain_hub(p)};
    const meguri_layout layout = square(cluster);
    meguri_graph_info info = {.size = sizeof info};
    meguri_column mine = {.size = sizeof mine}, parent = mine, theirs = mine;
    meguri_graph *graph;
    meguri_sssp_search *search;
    RANK_CHECK(ctx, meguri_graph_spread(&graph, ctx, whole->graph, &layout) == MEGURI_OK);
    RANK_CHECK(ctx, meguri_graph_get_info(&info, ctx, graph) == MEGURI_OK);
    RANK_CHECK(ctx, meguri_sssp_search_new(&search, ctx, graph, NULL) == MEGURI_OK);
    for (size_t i = 0; i < COUNT_OF(sources); i++) {
        const meguri_result *result;
        meguri_result *expected;
        RANK_CHECK(ctx, meguri_sssp(&expected, ctx, whole->graph, sources[i], NULL) == MEGURI_OK);
        RANK_CHECK(ctx, meguri_sssp_search_run(&result, ctx, search, sources[i]) == MEGURI_OK);
        RANK_CHECK(ctx, meguri_result_column(&mine, result, "distance") == MEGURI_OK);
        RANK_CHECK(ctx, meguri_result_column(&parent, result, "parent") == MEGURI_OK);
        RANK_CHECK(ctx, meguri_result_column(&theirs, expected, "distance") == MEGURI_OK);
        RANK_CHECK(ctx, mine.count == info.count && mine.type == theirs.type);
        RANK_CHECK(ctx, memcmp(mine.data, (const uint64_t *)theirs.data + info.first, 8 * info.count) == 0);
        RANK_CHECK(ctx, fact_number(result, "reached") == fact_number(expected, "reached"));
        RANK_CHECK(ctx, fact_number(result, "farthest") == fact_number(expected, "farthest"));
        RANK_CHECK(ctx, mg_sssp_check(ctx, graph, sources[i], mine.data, parent.data) == MEGURI_OK);
        meguri_result_free(expected);
    }
    meguri_sssp_search_free(search);
    meguri_graph_free(graph);
    return MEGURI_OK;
}

static void shortest_paths(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(1);
    zoo_graph g = shape_kronecker(ctx, 7, 2);
    for (int direction = MEGURI_DIRECTED; direction <= MEGURI_UNDIRECTED; direction++) {
        const meguri_build_options o = {.size = sizeof o, .direction = (meguri_direction)direction};
        subject whole = subject_from_zoo(ctx, &g, &o);
        for (uint32_t ranks = 1; ranks <= 6; ranks += 1 + ranks / 3) run_on(ranks, 0, shortest_on_ranks, &whole);
        subject_free(&whole);
    }
    zoo_free(&g);
    context_done(ctx);
}

/* ---- a trace that begins between two searches -------------------------------------------------------------------- */

static meguri_status trace_later(void *user, meguri_ctx *ctx, meguri_cluster *cluster) {
    const several *s = user;
    const meguri_layout layout = square(cluster);
    const meguri_result *result;
    meguri_graph *graph;
    meguri_bfs_search *search;
    uint32_t hub = plain_hub(&s->subject->plain);
    RANK_CHECK(ctx, meguri_graph_spread(&graph, ctx, s->subject->graph, &layout) == MEGURI_OK);
    RANK_CHECK(ctx, meguri_bfs_search_new(&search, ctx, graph, NULL) == MEGURI_OK);
    RANK_CHECK(ctx, meguri_bfs_search_run(&result, ctx, search, hub) == MEGURI_OK);
    bool traces = cluster->rank == cluster->size - 1; /* one of them alone */
    if (traces) RANK_CHECK(ctx, meguri_ctx_trace(ctx, s->trace) == MEGURI_OK);
    RANK_CHECK(ctx, meguri_bfs_search_run(&result, ctx, search, hub) == MEGURI_OK);
    if (traces) RANK_CHECK(ctx, meguri_ctx_trace(ctx, NULL) == MEGURI_OK);
    meguri_bfs_search_free(search);
    meguri_graph_free(graph);
    return MEGURI_OK;
}

static void a_trace_begins_later(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(1);
    char folder[FOLDER_TEXT], path[FOLDER_TEXT + 16], line[4096];
    const meguri_build_options o = {.size = sizeof o, .direction = MEGURI_UNDIRECTED};
    zoo_graph g = shape_kronecker(ctx, 7, 2);
    subject whole = subject_from_zoo(ctx, &g, &o);
    folder_new(folder);
    snprintf(path, sizeof path, "%s/trace", folder);
    several s = {.subject = &whole, .trace = path};
    run_on(3, 0, trace_later, &s);
    int lines = 0;
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) lines += strstr(line, "\"run\":\"bfs\"") && strstr(line, "\"cluster\"");
    fclose(file);
    assert_true(lines >= 3);
    folder_remove(folder);
    subject_free(&whole);
    zoo_free(&g);
    context_done(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(breadth_first), cmocka_unit_test(shortest_paths),
                                       cmocka_unit_test(a_trace_begins_later)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
