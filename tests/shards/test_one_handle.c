/* One handle for graphs that are whole and graphs in parts: the same calls give the same answers, wherever a graph
 * lies; an engine that is asked for by name is used or refused; what needs a whole graph says so, at every rank, and
 * the ranks can go on; searches that share a handle do not disturb each other. */
#define _GNU_SOURCE
#include "shards/answers.h"
#include "support/checks.h"
#include "support/sinks.h"

#include <math.h>

/* ---- the same calls --------------------------------------------------------------------------------------------- */

enum { MOST = 7, TEXTS = 40, TEXT = 48, GRAPHS = 4 };

/* What is asked of a graph, wherever it lies. */
typedef struct answers {
    const char *engine;
    int32_t *level; /* by position, as the next ones */
    uint64_t *distance;
    uint32_t *component;
    double *rank;
    uint64_t reached, depth, farthest, components, largest;
    uint64_t top[MOST], top_count, groups[MOST], sizes[MOST], group_count;
    double values[MOST];
    char text[TEXTS][TEXT]; /* ids, cut and whole */
    size_t length[TEXTS];
    char path[2 * FOLDER_TEXT]; /* of a table of levels */
} answers;

typedef struct question {
    int which;
    const char *names; /* a file with string ids */
    uint64_t source;
    answers *answers;
} question;

/* The graphs to ask: NULL for the layout, and they are whole. */
static meguri_status make(meguri_graph **out, meguri_ctx *ctx, const question *q, const meguri_layout *layout) {
    const meguri_kronecker_options k = {
        .size = sizeof k,
        .scale = 7 + (uint32_t)q->which,
        .edge_factor = 3,
        .weights = q->which ? MEGURI_TYPE_F32 : MEGURI_TYPE_U32,
        .build = &(meguri_build_options){.size = sizeof(meguri_build_options), .layout = layout}};
    const meguri_rmat_options r = {.size = sizeof r,
                                   .scale = 8,
                                   .edge_factor = 3,
                                   .build =
                                       &(meguri_build_options){.size = sizeof(meguri_build_options), .layout = layout}};
    const meguri_read_options o = {.size = sizeof o,
                                   .ids = MEGURI_IDS_STRING,
                                   .build =
                                       &(meguri_build_options){.size = sizeof(meguri_build_options), .layout = layout}};
    if (q->which < 2) return meguri_gen_kronecker(out, ctx, &k);
    return q->which == 2 ? meguri_gen_rmat(out, ctx, &r) : meguri_read(out, ctx, &q->names, 1, &o);
}

/* Ids as text: cut to every length, then whole ones, from which the vertices are found. */
static meguri_status ask_ids(meguri_ctx *ctx, const meguri_graph *graph, answers *a, bool first) {
    meguri_graph_info info = {.size = sizeof info};
    RANK_CHECK(ctx, meguri_graph_get_info(&info, ctx, graph) == MEGURI_OK);
    for (uint64_t i = 0; i < TEXTS; i++) {
        char text[TEXT];
        size_t length, room = i < 12 ? i + 1 : TEXT;
        uint64_t vertex = i % 2 ? (i * 7) % info.vertices : info.vertices - 1, found;
        RANK_CHECK(ctx, meguri_graph_id_text(text, room, &length, ctx, graph, vertex) == MEGURI_OK);
        RANK_CHECK(ctx, strlen(text) < room && (strlen(text) == length) == (length < room));
        if (length < room) RANK_CHECK(ctx, meguri_graph_find_text(&found, ctx, graph, text) == MEGURI_OK);
        if (length < room) RANK_CHECK(ctx, found == vertex);
        if (!first) continue;
        memcpy(a->text[i], text, sizeof text);
        memset(a->text[i] + strlen(text), 0, sizeof text - strlen(text));
        a->length[i] = length;
    }
    char none[4] = "abc";
    RANK_CHECK(ctx, meguri_graph_id_text(none, sizeof none, NULL, ctx, graph, info.vertices) == MEGURI_NOT_FOUND);
    RANK_CHECK(ctx, !*none);
    return MEGURI_OK;
}

static meguri_status ask_bfs(meguri_ctx *ctx, const meguri_graph *graph, const question *q, bool first) {
    const meguri_bfs_options bare = {.size = sizeof bare, .max_depth = UINT32_MAX, .levels = 1, .parents = 0};
    answers *a = q->answers;
    meguri_result *result;
    meguri_column level = {.size = sizeof level}, parent = level;
    uint64_t top[MOST], count;
    double values[MOST];
    RANK_CHECK(ctx, meguri_bfs(&result, ctx, graph, q->source, NULL) == MEGURI_OK);
    RANK_CHECK(ctx, done_by(result, a->engine));
    RANK_CHECK(ctx, meguri_result_column(&level, result, "level") == MEGURI_OK);
    RANK_CHECK(ctx, meguri_result_column(&parent, result, "parent") == MEGURI_OK);
    RANK_CHECK(ctx, mg_bfs_check(ctx, graph, q->source, level.data, parent.data, 0) == MEGURI_OK);
    RANK_CHECK(ctx, meguri_result_top(top, values, &count, ctx, graph, result, "level", MOST) == MEGURI_OK);
    if (first) {
        a->reached = fact_number(result, "reached");
        a->depth = fact_number(result, "depth");
        a->top_count = count;
        memcpy(a->top, top, sizeof top);
        memcpy(a->values, values, sizeof values);
    }
    meguri_status status = take_part(a->level, ctx, graph, result, "level", sizeof *a->level);
    meguri_result_free(result);
    if (status != MEGURI_OK) return status;
    RANK_CHECK(ctx, meguri_bfs(&result, ctx, graph, q->source, &bare) == MEGURI_OK);
    RANK_CHECK(ctx, meguri_result_column_count(result) == 1);
    status = meguri_result_write(ctx, result, graph, to_file(a->path), NULL);
    meguri_result_free(result);
    return status;
}

static meguri_status ask_sssp(meguri_ctx *ctx, const meguri_graph *graph, const question *q, bool first) {
    answers *a = q->answers;
    meguri_result *result;
    meguri_column distance = {.size = sizeof distance}, parent = distance;
    RANK_CHECK(ctx, meguri_sssp(&result, ctx, graph, q->source, NULL) == MEGURI_OK);
    RANK_CHECK(ctx, done_by(result, a->engine));
    RANK_CHECK(ctx, meguri_result_column(&distance, result, "distance") == MEGURI_OK);
    RANK_CHECK(ctx, meguri_result_column(&parent, result, "parent") == MEGURI_OK);
    RANK_CHECK(ctx, mg_sssp_check(ctx, graph, q->source, distance.data, parent.data) == MEGURI_OK);
    if (first) a->farthest = fact_number(result, "farthest");
    meguri_status status = take_part(a->distance, ctx, graph, result, "distance", sizeof *a->distance);
    meguri_result_free(result);
    return status;
}

static meguri_status ask_whole(meguri_ctx *ctx, const meguri_graph *graph, const question *q, bool first) {
    const meguri_pagerank_options few = {.size = sizeof few, .tiles = 1, .iterations = 5, .damping = 0.85};
    answers *a = q->answers;
    meguri_result *result;
    meguri_column column = {.size = sizeof column};
    uint64_t groups[MOST], sizes[MOST], count;
    RANK_CHECK(ctx, meguri_components(&result, ctx, graph, NULL) == MEGURI_OK);
    RANK_CHECK(ctx, done_by(result, a->engine));
    RANK_CHECK(ctx, meguri_result_column(&column, result, "component") == MEGURI_OK);
    RANK_CHECK(ctx, mg_components_check(ctx, graph, column.data) == MEGURI_OK);
    RANK_CHECK(ctx, meguri_result_groups(groups, sizes, &count, ctx, graph, result, "component", MOST) == MEGURI_OK);
    if (first) {
        a->components = fact_number(result, "components");
        a->largest = fact_number(result, "largest");
        a->group_count = count;
        memcpy(a->groups, groups, sizeof groups);
        memcpy(a->sizes, sizes, sizeof sizes);
    }
    meguri_status status = take_part(a->component, ctx, graph, result, "component", sizeof *a->component);
    meguri_result_free(result);
    if (status != MEGURI_OK) return status;
    RANK_CHECK(ctx, meguri_pagerank(&result, ctx, graph, &few) == MEGURI_OK);
    RANK_CHECK(ctx, done_by(result, a->engine));
    RANK_CHECK(ctx, meguri_result_column(&column, result, "rank") == MEGURI_OK);
    RANK_CHECK(ctx, mg_pagerank_check(ctx, graph, column.data, &few) == MEGURI_OK);
    status = take_part(a->rank, ctx, graph, result, "rank", sizeof *a->rank);
    meguri_result_free(result);
    return status;
}

static meguri_status ask(meguri_ctx *ctx, const meguri_graph *graph, const question *q, bool first) {
    meguri_status status = ask_ids(ctx, graph, q->answers, first);
    if (status == MEGURI_OK) status = ask_bfs(ctx, graph, q, first);
    if (status == MEGURI_OK) status = ask_sssp(ctx, graph, q, first);
    return status == MEGURI_OK ? ask_whole(ctx, graph, q, first) : status;
}

static meguri_status ask_ranks(void *user, meguri_ctx *ctx, meguri_cluster *cluster) {
    const question *q = user;
    const meguri_layout layout = square(cluster);
    meguri_graph *graph;
    meguri_status status = make(&graph, ctx, q, &layout);
    if (status == MEGURI_OK) status = ask(ctx, graph, q, cluster->rank == 0);
    meguri_graph_free(graph);
    return status;
}

static void answers_new(answers *a, uint64_t vertices, const char *engine, const char *folder) {
    *a = (answers){.engine = engine};
    a->level = calloc(vertices, sizeof *a->level);
    a->distance = calloc(vertices, sizeof *a->distance);
    a->component = calloc(vertices, sizeof *a->component);
    a->rank = calloc(vertices, sizeof *a->rank);
    snprintf(a->path, sizeof a->path, "%s/%s.tsv", folder, engine);
}

static void answers_free(answers *a) {
    free(a->level);
    free(a->distance);
    free(a->component);
    free(a->rank);
}

static void same_bytes(const char *one, const char *other) {
    FILE *a = fopen(one, "r"), *b = fopen(other, "r");
    int byte;
    assert_true(a && b);
    do {
        byte = fgetc(a);
        assert_int_equal(byte, fgetc(b));
    } while (byte != EOF);
    fclose(a);
    fclose(b);
}

static void same_answers(const answers *a, const answers *b, uint64_t vertices) {
    assert_memory_equal(a->level, b->level, vertices * sizeof *a->level);
    assert_memory_equal(a->distance, b->distance, vertices * sizeof *a->distance);
    assert_memory_equal(a->component, b->component, vertices * sizeof *a->component);
    for (uint64_t v = 0; v < vertices; v++) assert_true(fabs(a->rank[v] - b->rank[v]) <= 1e-12);
    assert_true(a->reached == b->reached && a->depth == b->depth && a->farthest == b->farthest);
    assert_true(a->components == b->components && a->largest == b->largest);
    assert_true(a->top_count == b->top_count && a->group_count == b->group_count);
    assert_memory_equal(a->top, b->top, a->top_count * sizeof *a->top);
    assert_memory_equal(a->values, b->values, a->top_count * sizeof *a->values);
    assert_memory_equal(a->groups, b->groups, a->group_count * sizeof *a->groups);
    assert_memory_equal(a->sizes, b->sizes, a->group_count * sizeof *a->sizes);
    assert_memory_equal(a->text, b->text, sizeof a->text);
    assert_memory_equal(a->length, b->length, sizeof a->length);
    same_bytes(a->path, b->path);
}

static void write_names(const char *path) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    uint64_t random = 8;
    for (int i = 0; i < 300; i++)
        fprintf(file, "Straße%.*s%u\tüñ%u\n", (int)(next_random(&random) % 3), "xx",
                (unsigned)next_random(&random) % 60, (unsigned)next_random(&random) % 40);
    assert_int_equal(fclose(file), 0);
}

static void the_same_calls(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(1);
    char folder[FOLDER_TEXT], names[FOLDER_TEXT + 16];
    folder_new(folder);
    snprintf(names, sizeof names, "%s/names.el", folder);
    write_names(names);
    for (int which = 0; which < GRAPHS; which++) {
        meguri_graph *graph;
        answers whole, parts;
        question q = {.which = which, .names = names, .source = 1};
        assert_int_equal(make(&graph, ctx, &q, NULL), MEGURI_OK);
        answers_new(&whole, graph->vertices, "host", folder);
        q.answers = &whole;
        if (ask(ctx, graph, &q, true) != MEGURI_OK) fail_msg("graph %d: %s", which, meguri_ctx_error(ctx));
        for (uint32_t ranks = 1; ranks <= 6; ranks += 1 + ranks / 3) {
            answers_new(&parts, graph->vertices, "cluster", folder);
            q.answers = &parts;
            run_on(ranks, 0, ask_ranks, &q);
            same_answers(&whole, &parts, graph->vertices);
            answers_free(&parts);
        }
        answers_free(&whole);
        meguri_graph_free(graph);
    }
    folder_remove(folder);
    context_done(ctx);
}

/* ---- engines by name -------------------------------------------------------------------------------------------- */

/* Each of them with an engine: refused with this sentence, or done by it where there is none. */
static meguri_status ask_for(meguri_ctx *ctx, const meguri_graph *graph, meguri_engine engine, const char *sentence) {
    const meguri_bfs_options b = {
        .size = sizeof b, .max_depth = UINT32_MAX, .levels = 1, .parents = 1, .engine = engine};
    const meguri_sssp_options s = {.size = sizeof s, .parents = 1, .max_cost = (double)INFINITY, .engine = engine};
    const meguri_pagerank_options p = {
        .size = sizeof p, .tiles = 1, .engine = engine, .iterations = 2, .damping = 0.85};
    const meguri_components_options c = {.size = sizeof c, .engine = engine};
    const meguri_status expected = sentence ? MEGURI_ENGINE_FAILED : MEGURI_OK;
    meguri_bfs_search *breadth;
    meguri_sssp_search *shortest;
    for (int i = 0; i < 6; i++) {
        meguri_result *result = NULL;
        meguri_status status = i == 0   ? meguri_bfs(&result, ctx, graph, 0, &b)
                               : i == 1 ? meguri_sssp(&result, ctx, graph, 0, &s)
                               : i == 2 ? meguri_pagerank(&result, ctx, graph, &p)
                               : i == 3 ? meguri_components(&result, ctx, graph, &c)
                               : i == 4 ? meguri_bfs_search_new(&breadth, ctx, graph, &b)
                                        : meguri_sssp_search_new(&shortest, ctx, graph, &s);
        RANK_CHECK(ctx, status == expected);
        if (sentence) RANK_CHECK(ctx, strcmp(meguri_ctx_error(ctx), sentence) == 0);
        if (sentence) RANK_CHECK(ctx, !result);
        if (!sentence && i < 4) RANK_CHECK(ctx, done_by(result, meguri_engine_name(engine)));
        if (i == 4) meguri_bfs_search_free(breadth);
        if (i == 5) meguri_sssp_search_free(shortest);
        meguri_result_free(result);
    }
    return MEGURI_OK;
}

/* One rank alone asks for another engine: that is a refusal at all of them. */
static meguri_status ask_alone(meguri_ctx *ctx, const meguri_graph *graph, meguri_cluster *cluster) {
    const meguri_bfs_options o = {.size = sizeof o,
                                  .max_depth = UINT32_MAX,
                                  .levels = 1,
                                  .parents = 1,
                                  .engine =
                                      cluster->rank == cluster->size - 1 ? MEGURI_ENGINE_HOST : MEGURI_ENGINE_AUTO};
    meguri_result *result;
    RANK_CHECK(ctx, meguri_bfs(&result, ctx, graph, 0, &o) == MEGURI_ENGINE_FAILED && !result);
    RANK_CHECK(ctx, strstr(meguri_ctx_error(ctx), "the engine host cannot work on"));
    return MEGURI_OK;
}

static meguri_status engines_on_ranks(void *user, meguri_ctx *ctx, meguri_cluster *cluster) {
    const meguri_layout layout = square(cluster);
    meguri_graph *graph;
    meguri_status status = meguri_graph_spread(&graph, ctx, user, &layout);
    if (status != MEGURI_OK) return status;
    status = ask_for(ctx, graph, MEGURI_ENGINE_CLUSTER, NULL);
    if (status == MEGURI_OK)
        status = ask_for(ctx, graph, MEGURI_ENGINE_HOST,
                         "the engine host cannot work on a graph that lies in parts on a cluster.");
    if (status == MEGURI_OK) status = ask_alone(ctx, graph, cluster);
    RANK_CHECK(ctx, !meguri_cluster_broken(cluster));
    meguri_graph_free(graph);
    return status;
}

static meguri_graph *small_graph(meguri_ctx *ctx) {
    const meguri_kronecker_options k = {.size = sizeof k, .scale = 6, .edge_factor = 2, .weights = MEGURI_TYPE_U32};
    meguri_graph *graph;
    assert_int_equal(meguri_gen_kronecker(&graph, ctx, &k), MEGURI_OK);
    return graph;
}

static void engines_by_name(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(1);
    meguri_graph *graph = small_graph(ctx);
    assert_int_equal(ask_for(ctx, graph, MEGURI_ENGINE_HOST, NULL), MEGURI_OK);
    assert_int_equal(
        ask_for(ctx, graph, MEGURI_ENGINE_CLUSTER,
                "the engine cluster cannot work on a graph that lies whole in the memory of this process."),
        MEGURI_OK);
    for (uint32_t ranks = 1; ranks <= 4; ranks++) run_on(ranks, 0, engines_on_ranks, graph);
    meguri_graph_free(graph);
    context_done(ctx);
}

/* ---- what needs a whole graph ----------------------------------------------------------------------------------- */

static bool refused(meguri_ctx *ctx, meguri_status status) {
    const char *error = meguri_ctx_error(ctx);
    return status == MEGURI_ENGINE_FAILED &&
           (strcmp(error, "this needs a graph as a whole, and this one lies in parts on a cluster.") == 0 ||
            strstr(error, " has no engine for a graph that lies in parts on a cluster."));
}

static meguri_status take_none(void *user, uint64_t index, const meguri_result *result) {
    (void)user, (void)index, (void)result;
    return MEGURI_OK;
}

/* Of vertices and files. */
static meguri_status ask_for_details(meguri_ctx *ctx, const meguri_graph *graph, const meguri_layout *layout) {
    static const char *const columns[] = {"level"};
    static const meguri_type types[] = {MEGURI_TYPE_I32};
    const meguri_result_table table = {
        .size = sizeof table, .results = 1, .key = "source", .columns = 1, .names = columns, .types = types};
    uint64_t some[4], count;
    double x[4], y[4];
    const char *names[4];
    size_t lengths[4];
    meguri_graph *again;
    meguri_result_stream *stream;
    RANK_CHECK(ctx, refused(ctx, meguri_graph_verify(ctx, graph)));
    RANK_CHECK(ctx, refused(ctx, meguri_graph_spread(&again, ctx, graph, layout)));
    RANK_CHECK(ctx, refused(ctx, meguri_graph_degrees(some, ctx, graph, 0, 4)));
    RANK_CHECK(ctx, refused(ctx, meguri_graph_in_degrees(some, ctx, graph, 0, 4)));
    RANK_CHECK(ctx, refused(ctx, meguri_graph_neighbors(some, NULL, NULL, 4, &count, ctx, graph, 1)));
    RANK_CHECK(ctx, refused(ctx, meguri_graph_in_neighbors(some, x, NULL, 4, &count, ctx, graph, 1)));
    if (graph->id_kind == MEGURI_ID_STRING)
        RANK_CHECK(ctx, refused(ctx, meguri_graph_names(names, lengths, ctx, graph, 0, 4)));
    else RANK_CHECK(ctx, refused(ctx, meguri_graph_ids(some, ctx, graph, 0, 4)));
    RANK_CHECK(ctx, refused(ctx, meguri_graph_coordinates(x, y, ctx, graph, 0, 4)));
    RANK_CHECK(ctx, refused(ctx, meguri_write(ctx, graph, to_file("/no/such/folder/graph.el"),
                                              as_format(MEGURI_FORMAT_EDGELIST))));
    RANK_CHECK(ctx,
               refused(ctx, meguri_result_stream_open(&stream, ctx, graph, to_file("/no/such/folder/r.tsv"), &table)));
    return MEGURI_OK;
}

static meguri_status ask_for_wholes(meguri_ctx *ctx, meguri_graph *graph) {
    static const uint64_t sources[] = {0, 3, 5};
    static const double reals[64];
    static const uint32_t labels[64];
    meguri_path_index *index;
    meguri_result *result;
    meguri_bfs_many_search *many;
    meguri_path_finder *finder;
    RANK_CHECK(ctx, refused(ctx, meguri_bfs_many(ctx, graph, sources, 3, NULL, take_none, NULL)));
    RANK_CHECK(ctx, refused(ctx, meguri_bfs_many_search_new(&many, ctx, graph, NULL)));
    RANK_CHECK(ctx, refused(ctx, meguri_sssp_many(ctx, graph, sources, 3, NULL, take_none, NULL)));
    RANK_CHECK(ctx, refused(ctx, meguri_betweenness(&result, ctx, graph, NULL)));
    RANK_CHECK(ctx, refused(ctx, mg_betweenness_check(ctx, graph, reals, NULL)));
    RANK_CHECK(ctx, refused(ctx, meguri_triangles(&result, ctx, graph, NULL)));
    RANK_CHECK(ctx, refused(ctx, mg_triangles_check(ctx, graph, 0)));
    RANK_CHECK(ctx, refused(ctx, meguri_clustering(&result, ctx, graph, NULL)));
    RANK_CHECK(ctx, refused(ctx, mg_clustering_check(ctx, graph, reals)));
    RANK_CHECK(ctx, refused(ctx, meguri_communities(&result, ctx, graph, NULL)));
    RANK_CHECK(ctx, refused(ctx, mg_communities_check(ctx, graph, labels, 3)));
    RANK_CHECK(ctx, refused(ctx, meguri_path_finder_new(&finder, ctx, graph, NULL)));
    RANK_CHECK(ctx, refused(ctx, meguri_path_index_new(&index, ctx, graph, NULL)));
    RANK_CHECK(ctx, refused(ctx, meguri_path_index_of(&index, ctx, graph)));
    return MEGURI_OK;
}

static meguri_status refuse_on_ranks(void *user, meguri_ctx *ctx, meguri_cluster *cluster) {
    const char *names = user;
    const meguri_layout layout = square(cluster);
    const meguri_read_options o = {
        .size = sizeof o,
        .ids = MEGURI_IDS_STRING,
        .build = &(meguri_build_options){.size = sizeof(meguri_build_options), .layout = &layout}};
    const meguri_grid_options g = {
        .size = sizeof g,
        .width = 8,
        .height = 8,
        .build = &(meguri_build_options){.size = sizeof(meguri_build_options), .layout = &layout}};
    meguri_graph *graph;
    meguri_result *result;
    for (int named = 0; named < 2; named++) { /* undirected and weighted; directed, with string ids */
        meguri_status status = named ? meguri_read(&graph, ctx, &names, 1, &o) : meguri_gen_grid(&graph, ctx, &g);
        if (status != MEGURI_OK) return status;
        status = ask_for_details(ctx, graph, &layout);
        if (status == MEGURI_OK) status = ask_for_wholes(ctx, graph);
        if (status != MEGURI_OK) return status;
        RANK_CHECK(ctx, !meguri_cluster_broken(cluster));
        RANK_CHECK(ctx, meguri_bfs(&result, ctx, graph, 2, NULL) == MEGURI_OK); /* they are still together */
        meguri_result_free(result);
        meguri_graph_free(graph);
    }
    return MEGURI_OK;
}

static void what_needs_a_whole_graph(void **state) {
    (void)state;
    char folder[FOLDER_TEXT], names[FOLDER_TEXT + 16];
    folder_new(folder);
    snprintf(names, sizeof names, "%s/names.el", folder);
    write_names(names);
    for (uint32_t ranks = 1; ranks <= 4; ranks++) run_on(ranks, 0, refuse_on_ranks, names);
    folder_remove(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_same_calls), cmocka_unit_test(engines_by_name),
                                       cmocka_unit_test(what_needs_a_whole_graph)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
