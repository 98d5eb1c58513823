#include "meg/verbs.h"
#include "support/algorithms.h"
#include "support/checks.h"
#include "support/path_index.h"
#include "support/sinks.h"
#include <math.h>
#include <meguri/extra/cluster_threads.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is being tried, for the sentence where it goes wrong. */
typedef struct trial {
    meguri_ctx *ctx;
    const char *what;
    const char *table; /* where results go */
    int succeeded;
} trial;

/* A checker may find that an answer is wrong: the rows of an "undirected" graph that go one way have no right one. */
static bool fine(trial *t, meguri_status status) {
    if (status == MEGURI_OK) {
        t->succeeded++;
        return true;
    }
    const char *text = meguri_ctx_error(t->ctx);
    bool expected = status == MEGURI_BAD_INPUT || status == MEGURI_BAD_ARGUMENT || status == MEGURI_NOT_FOUND ||
                    status == MEGURI_WRONG_ANSWER || status == MEGURI_NO_MEMORY;
    if (!expected || strlen(text) < 20) {
        fprintf(stderr, "%s: status %d, \"%s\"\n", t->what, (int)status, text);
        abort();
    }
    return false;
}

static const void *column(const meguri_result *result, const char *name) {
    meguri_column c = {.size = sizeof c};
    return meguri_result_column(&c, result, name) == MEGURI_OK ? c.data : NULL;
}

static void written(trial *t, const meguri_graph *g, const meguri_result *result) {
    if (t->table) fine(t, meguri_result_write(t->ctx, result, g, to_file(t->table), NULL));
}

/* ---- searches --------------------------------------------------------------------------------------------------- */

static void search_breadth_first(trial *t, const meguri_graph *g, uint64_t source) {
    static const meguri_bfs_policy policies[] = {MEGURI_BFS_AUTO, MEGURI_BFS_PUSH, MEGURI_BFS_PULL};
    for (int i = 0; i < 6; i++) {
        meguri_bfs_options o = {
            .size = sizeof o, .max_depth = UINT32_MAX, .parents = 1, .policy = policies[i % 3], .levels = !(i > 2)};
        if (i == 5) o.max_depth = (uint32_t)(3) - 1;
        meguri_result *r;
        t->what = "bfs";
        if (!fine(t, meguri_bfs(&r, t->ctx, g, source, &o))) continue;
        if (i == 0) written(t, g, r);
        fine(t,
             mg_bfs_check(t->ctx, g, source, column(r, "level"), column(r, "parent"), mg_levels_within(o.max_depth)));
        meguri_result_free(r);
    }
}

static meguri_status taken(void *user, uint64_t index, const meguri_result *result) {
    (void)user, (void)index, (void)result;
    return MEGURI_OK;
}

static void search_many(trial *t, const meguri_graph *g, uint64_t vertices) {
    uint64_t sources[MEGURI_BFS_MANY];
    uint32_t count = 0;
    for (uint64_t v = 0; v < vertices && count < MEGURI_BFS_MANY; v += 1 + vertices / MEGURI_BFS_MANY)
        sources[count++] = v;
    for (int parents = 0; parents < 2; parents++) {
        meguri_bfs_many_options o = {.size = sizeof o, .max_depth = UINT32_MAX, .parents = parents};
        t->what = "bfs_many";
        fine(t, meguri_bfs_many(t->ctx, g, sources, count, &o, taken, NULL));
    }
}

static void search_shortest(trial *t, const meguri_graph *g, uint64_t source) {
    meguri_result *r;
    t->what = "sssp";
    if (fine(t, meguri_sssp(&r, t->ctx, g, source, NULL))) {
        fine(t, mg_sssp_check(t->ctx, g, source, column(r, "distance"), column(r, "parent")));
        written(t, g, r);
        meguri_result_free(r);
    }
    meguri_sssp_options wide = {.size = sizeof wide, .max_cost = (double)INFINITY, .delta = 3, .parents = 0};
    if (fine(t, meguri_sssp(&r, t->ctx, g, source, &wide))) meguri_result_free(r);
    const uint64_t sources[2] = {source, source / 2};
    fine(t, meguri_sssp_many(t->ctx, g, sources, 2, NULL, taken, NULL));
}

/* ---- whole graphs ----------------------------------------------------------------------------------------------- */

static void rank(trial *t, const meguri_graph *g) {
    for (uint32_t iterations = 2; iterations < 7; iterations += 4) { /* without tiles, and with them */
        meguri_pagerank_options o = {.size = sizeof o, .tiles = 1, .iterations = iterations, .damping = 0.85};
        meguri_result *r;
        t->what = "pagerank";
        if (!fine(t, meguri_pagerank(&r, t->ctx, g, &o))) continue;
        fine(t, mg_pagerank_check(t->ctx, g, column(r, "rank"), &o));
        meguri_result_free(r);
    }
    for (uint64_t count = 1; count < 10; count += 4) { /* in one lane, and in several */
        meguri_betweenness_options o = {.size = sizeof o, .count = count, .seed = 1};
        meguri_result *r;
        t->what = "betweenness";
        if (!fine(t, meguri_betweenness(&r, t->ctx, g, &o))) continue;
        fine(t, mg_betweenness_check(t->ctx, g, column(r, "score"), &o));
        meguri_result_free(r);
    }
}

static void group(trial *t, const meguri_graph *g) {
    meguri_result *r;
    t->what = "components";
    if (fine(t, meguri_components(&r, t->ctx, g, NULL))) {
        fine(t, mg_components_check(t->ctx, g, column(r, "component")));
        meguri_result_free(r);
    }
#define TRY_WHOLE(name)                                                                                                \
    t->what = #name;                                                                                                   \
    if (fine(t, meguri_##name(&r, t->ctx, g, NULL))) {                                                                 \
        fine(t, meguri_##name##_check(t->ctx, g, r, NULL));                                                            \
        meguri_result_free(r);                                                                                         \
    }
    WHOLE_ALGORITHMS(TRY_WHOLE)
}

/* ---- paths ------------------------------------------------------------------------------------------------------ */

/* A path has ends and costs that can be read. */
static int read_path(void *user, const meguri_path *path) {
    double *sum = user;
    for (uint64_t i = 0; i <= path->hops; i++) *sum += path->costs[i] + path->vertices[i];
    for (uint64_t i = 0; i < path->hops; i++) *sum += (double)path->edges[i];
    return 0;
}

static void ask_paths(trial *t, meguri_path_finder *finder, uint64_t from, uint64_t to) {
    double sum = 0;
    for (int algorithm = MEGURI_PATH_AUTO; algorithm <= MEGURI_PATH_TREE; algorithm++)
        for (int limits = 0; limits < 3; limits++) {
            meguri_path_query q = {.size = sizeof q,
                                   .algorithm = (meguri_path_algorithm)algorithm,
                                   .from = from,
                                   .to = to,
                                   .k = 5,
                                   .limit = 8,
                                   .timeout = 0.2};
            meguri_path_answer a = {.size = sizeof a};
            if (limits == 1) q.max_hops = 4;
            if (limits == 2) q.has_max_cost = 1, q.max_cost = 500;
            t->what = "path";
            fine(t, meguri_path_find(&a, t->ctx, finder, &q, read_path, &sum));
        }
}

static void find_paths(trial *t, const meguri_graph *g, uint64_t vertices, uint64_t choice) {
    meguri_path_finder *finder;
    meguri_path_finder_options o = {.size = sizeof o,
                                    .direction = (meguri_path_direction)(choice % 3),
                                    .index_use = choice % 8 == 7 ? MEGURI_PATH_INDEX_MAKE
                                                 : choice % 2    ? MEGURI_PATH_INDEX_NONE
                                                                 : MEGURI_PATH_INDEX_STORED};
    t->what = "path finder";
    if (!fine(t, meguri_path_finder_new(&finder, t->ctx, g, &o))) return;
    for (uint64_t i = 0; i < 3; i++) ask_paths(t, finder, (choice + i) % vertices, (choice / 3 + 7 * i) % vertices);
    meguri_path_finder_free(finder);
}

/* ---- other files ------------------------------------------------------------------------------------------------ */

static void write_all(trial *t, const meguri_graph *g) {
    for (int format = MEGURI_FORMAT_EDGELIST; format <= MEGURI_FORMAT_BIN64; format++) {
        t->what = meguri_format_name((meguri_format)format);
        fine(t, meguri_write(t->ctx, g, to_file("/dev/null"), as_format((meguri_format)format)));
    }
    t->what = "save";
    fine(t, meguri_save(t->ctx, g, to_file("/dev/null"), NULL));
    t->what = "verify";
    fine(t, meguri_graph_verify(t->ctx, g));
}

int run_every_verb(meguri_ctx *ctx, meguri_graph *g, uint64_t choice, const char *table) {
    trial t = {.ctx = ctx, .what = "info", .table = table};
    meguri_graph_info info = {.size = sizeof info};
    if (!fine(&t, meguri_graph_get_info(&info, ctx, g))) abort();
    if (info.vertices) {
        search_breadth_first(&t, g, choice % info.vertices);
        search_shortest(&t, g, choice % info.vertices);
        find_paths(&t, g, info.vertices, choice);
    }
    search_many(&t, g, info.vertices);
    rank(&t, g);
    group(&t, g);
    write_all(&t, g);
    if (choice % 16) return t.succeeded;
    t.what = "index";
    if (fine(&t, give_index(ctx, g)) && info.vertices) find_paths(&t, g, info.vertices, choice);
    return t.succeeded;
}

/* ---- in parts --------------------------------------------------------------------------------------------------- */

static meguri_status try_in_parts(void *user, meguri_ctx *ctx, meguri_cluster *cluster) {
    const char *path = user;
    trial t = {.ctx = ctx, .what = "in parts"};
    const meguri_layout layout = {.size = sizeof layout, .cluster = cluster};
    meguri_graph *shards;
    meguri_result *r;
    meguri_graph_info info = {.size = sizeof info};
    if (!fine(&t, meguri_open(&shards, ctx, path, in_layout(&layout)))) return MEGURI_OK;
    if (!fine(&t, meguri_graph_get_info(&info, ctx, shards))) abort();
    uint64_t source = info.vertices / 3;
    if (info.vertices && fine(&t, meguri_bfs(&r, ctx, shards, source, NULL))) {
        fine(&t, mg_bfs_check(ctx, shards, source, column(r, "level"), column(r, "parent"), 0));
        meguri_result_free(r);
    }
    if (info.vertices && fine(&t, meguri_sssp(&r, ctx, shards, source, NULL))) {
        fine(&t, mg_sssp_check(ctx, shards, source, column(r, "distance"), column(r, "parent")));
        meguri_result_free(r);
    }
    if (fine(&t, meguri_components(&r, ctx, shards, NULL))) {
        fine(&t, mg_components_check(ctx, shards, column(r, "component")));
        meguri_result_free(r);
    }
    meguri_pagerank_options o = {.size = sizeof o, .tiles = 1, .iterations = 3, .damping = 0.85};
    if (fine(&t, meguri_pagerank(&r, ctx, shards, &o))) {
        fine(&t, mg_pagerank_check(ctx, shards, column(r, "rank"), &o));
        meguri_result_free(r);
    }
    meguri_graph_free(shards);
    return MEGURI_OK;
}

int run_every_verb_in_parts(meguri_ctx *ctx, const char *path) {
    meguri_cluster_threads_options o = {.size = sizeof o, .ranks = 2};
    trial t = {.ctx = ctx, .what = "ranks"};
    fine(&t, meguri_cluster_threads(ctx, &o, try_in_parts, (void *)(uintptr_t)path));
    return t.succeeded;
}
