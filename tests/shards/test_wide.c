/* Graphs with more vertices than local numbers have bits for. This program is built with files of the library in which
 * "32" is 12: 16,000 vertices on 16 ranks in a grid of 4 × 4 are then what 2^34 are otherwise. Each rank has 1000 of
 * them and looks at 4096 places; a number of all ranks that is taken for a local one ends the program (mg_local), or
 * gives a wrong answer. Whole graphs are made by the other files, and say what is right. */
#define _GNU_SOURCE
#include "shards/answers.h"
#include "support/checks.h"
#include "support/sinks.h"

#include <math.h>

_Static_assert(MG_LOCAL_BITS == 12, "tests/shards/CMakeLists.txt builds it so");

enum { RANKS = 16, MOST = 5 };

typedef struct wide_case {
    const meguri_graph *graph;
    arrangement arrangement;
    uint64_t source;
    int drawn;          /* draw this (of_generator) instead of cutting the graph; or … */
    const char *text;   /* … read this … */
    meguri_id_kind ids; /* … with ids of this kind */
    const char *folder;
    /* What is right. */
    const int32_t *level;
    const uint64_t *distance;
    const uint32_t *component;
    const double *rank;
    uint64_t groups[MOST], sizes[MOST], group_count;
} wide_case;

static const void *column_here(meguri_ctx *ctx, const meguri_result *result, const char *name, meguri_type type,
                               const meguri_graph_info *info) {
    meguri_column column = {.size = sizeof column};
    if (meguri_result_column(&column, result, name) == MEGURI_OK && column.type == type &&
        column.item_bytes == (type == MEGURI_TYPE_I32 ? 4 : 8) && column.count == info->count)
        return column.data;
    mg_fail(ctx, MEGURI_WRONG_ANSWER, "the column %s is not of the kind that it should be.", name);
    return NULL;
}

/* One parent of this rank, changed: no answer any more. */
static meguri_status break_parent(meguri_ctx *ctx, const meguri_graph *g, uint64_t source, const int32_t *level,
                                  const uint64_t *parent, const meguri_graph_info *info) {
    uint64_t *wrong = malloc(info->count * sizeof *wrong), changed = 0;
    memcpy(wrong, parent, info->count * sizeof *wrong);
    for (uint64_t i = 0; i < info->count && !changed; i++)
        if (parent[i] != UINT64_MAX && info->first + i != source) {
            wrong[i] = (parent[i] + 4096) % info->vertices; /* the same but for what 12 bits do not hold */
            changed = 1;
        }
    meguri_status status = mg_bfs_check(ctx, g, source, level, wrong, 0);
    free(wrong);
    RANK_CHECK(ctx, status == MEGURI_WRONG_ANSWER);
    return MEGURI_OK;
}

static meguri_status search(meguri_ctx *ctx, const meguri_graph *g, const wide_case *w, const meguri_graph_info *info) {
    meguri_result *bfs, *sssp;
    char path[2 * FOLDER_TEXT];
    RANK_CHECK(ctx, meguri_bfs(&bfs, ctx, g, w->source, NULL) == MEGURI_OK);
    const int32_t *level = column_here(ctx, bfs, "level", MEGURI_TYPE_I32, info);
    const uint64_t *parent = column_here(ctx, bfs, "parent", MEGURI_TYPE_VERTEX, info);
    RANK_CHECK(ctx, level && parent);
    RANK_CHECK(ctx, memcmp(level, w->level + info->first, info->count * sizeof *level) == 0);
    RANK_CHECK(ctx, meguri_bfs_check(ctx, g, bfs, NULL) == MEGURI_OK);
    meguri_status status = break_parent(ctx, g, w->source, level, parent, info);
    if (status != MEGURI_OK) return status;
    snprintf(path, sizeof path, "%s/parts.tsv", w->folder);
    RANK_CHECK(ctx, meguri_result_write(ctx, bfs, g, to_file(path), NULL) == MEGURI_OK);
    meguri_result_free(bfs);
    RANK_CHECK(ctx, meguri_sssp(&sssp, ctx, g, w->source, NULL) == MEGURI_OK);
    const uint64_t *distance = column_here(ctx, sssp, "distance", MEGURI_TYPE_U64, info);
    RANK_CHECK(ctx, distance && column_here(ctx, sssp, "parent", MEGURI_TYPE_VERTEX, info));
    RANK_CHECK(ctx, memcmp(distance, w->distance + info->first, info->count * sizeof *distance) == 0);
    RANK_CHECK(ctx, meguri_sssp_check(ctx, g, sssp, NULL) == MEGURI_OK);
    meguri_result_free(sssp);
    return MEGURI_OK;
}

static meguri_status label(meguri_ctx *ctx, const meguri_graph *g, const wide_case *w, const meguri_graph_info *info) {
    const meguri_pagerank_options few = {.size = sizeof few, .tiles = 1, .iterations = 5, .damping = 0.85};
    meguri_result *components, *ranks;
    uint64_t groups[MOST], sizes[MOST], count;
    RANK_CHECK(ctx, meguri_components(&components, ctx, g, NULL) == MEGURI_OK);
    const uint64_t *component = column_here(ctx, components, "component", MEGURI_TYPE_VERTEX, info);
    RANK_CHECK(ctx, component);
    for (uint64_t i = 0; i < info->count; i++) RANK_CHECK(ctx, component[i] == w->component[info->first + i]);
    RANK_CHECK(ctx, meguri_components_check(ctx, g, components, NULL) == MEGURI_OK);
    RANK_CHECK(ctx, meguri_result_groups(groups, sizes, &count, ctx, g, components, "component", MOST) == MEGURI_OK);
    RANK_CHECK(ctx, count == w->group_count && memcmp(groups, w->groups, count * sizeof *groups) == 0);
    RANK_CHECK(ctx, memcmp(sizes, w->sizes, count * sizeof *sizes) == 0);
    meguri_result_free(components);
    RANK_CHECK(ctx, meguri_pagerank(&ranks, ctx, g, &few) == MEGURI_OK);
    const double *rank = column_here(ctx, ranks, "rank", MEGURI_TYPE_F64, info);
    RANK_CHECK(ctx, rank);
    for (uint64_t i = 0; i < info->count; i++) RANK_CHECK(ctx, fabs(rank[i] - w->rank[info->first + i]) < 1e-12);
    RANK_CHECK(ctx, meguri_pagerank_check(ctx, g, ranks, &few) == MEGURI_OK);
    meguri_result_free(ranks);
    return MEGURI_OK;
}

/* What generators draw, each in its own way: from 1 on. */
enum { DRAWINGS = 5 };
static meguri_status of_generator(meguri_graph **out, meguri_ctx *ctx, int which, const meguri_layout *layout) {
    const meguri_build_options build = {.size = sizeof build, .layout = layout};
    const meguri_kronecker_options kronecker = {
        .size = sizeof kronecker, .scale = 14, .edge_factor = 4, .weights = MEGURI_TYPE_U32, .build = &build};
    const meguri_rmat_options rmat = {.size = sizeof rmat,
                                      .scale = 14,
                                      .edge_factor = 4,
                                      .noise = which == 3 ? 0.1 : 0,
                                      .weights = MEGURI_TYPE_U32,
                                      .build = &build};
    const meguri_uniform_options uniform = {
        .size = sizeof uniform, .vertices = 16000, .edges = 40000, .weights = MEGURI_TYPE_U32, .build = &build};
    const meguri_grid_options grid = {.size = sizeof grid, .width = 128, .height = 125, .links = 50, .build = &build};
    switch (which) {
    case 1: return meguri_gen_kronecker(out, ctx, &kronecker);
    case 2:
    case 3: return meguri_gen_rmat(out, ctx, &rmat);
    case 4: return meguri_gen_uniform(out, ctx, &uniform);
    default: return meguri_gen_grid(out, ctx, &grid);
    }
}

static meguri_status ask(void *user, meguri_ctx *ctx, meguri_cluster *c) {
    const wide_case *w = user;
    meguri_graph *g;
    char path[2 * FOLDER_TEXT];
    meguri_graph_info info = {.size = sizeof info};
    const meguri_layout layout = arranged(c, &w->arrangement);
    const meguri_read_options read = {
        .size = sizeof read,
        .ids = w->ids == MEGURI_ID_STRING ? MEGURI_IDS_STRING : 0,
        .build = &(meguri_build_options){.size = sizeof(meguri_build_options), .layout = &layout}};
    meguri_status status = w->drawn  ? of_generator(&g, ctx, w->drawn, &layout)
                           : w->text ? meguri_read(&g, ctx, &w->text, 1, &read)
                                     : meguri_graph_spread(&g, ctx, w->graph, &layout);
    if (status != MEGURI_OK) return status;
    RANK_CHECK(ctx, meguri_graph_get_info(&info, ctx, g) == MEGURI_OK);
    RANK_CHECK(ctx, mg_shards_of(g)->wide && mg_shards_of(g)->owned <= 1024 && info.vertices == w->graph->vertices);
    status = search(ctx, g, w, &info);
    if (status == MEGURI_OK) status = label(ctx, g, w, &info);
    if (status != MEGURI_OK) return status;
    snprintf(path, sizeof path, "%s/no.meg", w->folder);
    RANK_CHECK(ctx, meguri_save(ctx, g, to_file(path), NULL) == MEGURI_BAD_ARGUMENT);
    RANK_CHECK(ctx, strstr(meguri_ctx_error(ctx), "a .meg file has numbers for 4094"));
    meguri_graph_free(g);
    return MEGURI_OK;
}

/* What is right, by the host; `held` are results that have it. */
static void ask_host(wide_case *w, meguri_ctx *ctx, meguri_result *held[4]) {
    const meguri_pagerank_options few = {.size = sizeof few, .tiles = 1, .iterations = 5, .damping = 0.85};
    meguri_column c = {.size = sizeof c};
    assert_int_equal(meguri_bfs(&held[0], ctx, w->graph, w->source, NULL), MEGURI_OK);
    assert_int_equal(meguri_sssp(&held[1], ctx, w->graph, w->source, NULL), MEGURI_OK);
    assert_int_equal(meguri_components(&held[2], ctx, w->graph, NULL), MEGURI_OK);
    assert_int_equal(meguri_pagerank(&held[3], ctx, w->graph, &few), MEGURI_OK);
    assert_int_equal(meguri_result_column(&c, held[0], "level"), MEGURI_OK);
    w->level = c.data;
    assert_int_equal(meguri_result_column(&c, held[1], "distance"), MEGURI_OK);
    w->distance = c.data;
    assert_int_equal(meguri_result_column(&c, held[2], "component"), MEGURI_OK);
    w->component = c.data;
    assert_int_equal(meguri_result_column(&c, held[3], "rank"), MEGURI_OK);
    w->rank = c.data;
    assert_int_equal(
        meguri_result_groups(w->groups, w->sizes, &w->group_count, ctx, w->graph, held[2], "component", MOST),
        MEGURI_OK);
}

/* The file of all ranks names the same vertices and levels as that of the host; parents are ids of vertices. */
static void compare_tables(const wide_case *w) {
    char path[2 * FOLDER_TEXT], line[256];
    uint64_t row = 0;
    snprintf(path, sizeof path, "%s/parts.tsv", w->folder);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    assert_string_equal(line, "vertex\tlevel\tparent\n");
    for (; fgets(line, sizeof line, file); row++) {
        unsigned long long vertex, parent;
        int level;
        if (sscanf(line, "%llu\t%d\t%llu", &vertex, &level, &parent) == 3 && level >= 0)
            assert_int_equal(w->level[parent], level ? level - 1 : 0);
        assert_int_equal(vertex, row);
        assert_int_equal(level, w->level[row]);
    }
    assert_int_equal(row, w->graph->vertices);
    fclose(file);
}

static meguri_graph *uniform(meguri_ctx *ctx, uint64_t edges) {
    meguri_graph *graph;
    const meguri_uniform_options o = {
        .size = sizeof o, .vertices = 16000, .edges = edges, .seed = 4, .weights = MEGURI_TYPE_U32};
    assert_int_equal(meguri_gen_uniform(&graph, ctx, &o), MEGURI_OK);
    return graph;
}

/* Owners of every kind; few edges, so that there are many components and vertices without edges. */
static void more_vertices_than_local_numbers(void **state) {
    (void)state;
    char folder[FOLDER_TEXT];
    meguri_ctx *ctx = context_with(2);
    meguri_graph *graph = uniform(ctx, 20000);
    folder_new(folder);
    wide_case w = {.graph = graph, .arrangement = {RANKS, 4, 4, 0, BY_DEGREE}, .folder = folder, .source = 11000};
    meguri_result *held[4];
    ask_host(&w, ctx, held);
    for (int owner = BY_DEGREE; owner <= (int)BY_BLOCKS; owner++) {
        if ((UNDER_TSAN || UNDER_ASAN) && owner != BY_DEGREE) continue;
        w.arrangement.owner = (meguri_owner)owner;
        run_on(RANKS, 0, ask, &w);
        compare_tables(&w);
    }
    for (int i = 0; i < 4; i++) meguri_result_free(held[i]);
    meguri_graph_free(graph);
    folder_remove(folder);
    context_done(ctx);
}

/* A vertex beyond 12 bits from which some edges lead. */
static uint64_t far_source(meguri_ctx *ctx, const meguri_graph *graph) {
    uint64_t source = 11000, degree = 0;
    for (; degree < 3; source++) assert_int_equal(meguri_graph_degrees(&degree, ctx, graph, source, 1), MEGURI_OK);
    return source - 1;
}

/* Graphs whose edges every rank draws by itself. */
static void graphs_that_are_drawn(void **state) {
    (void)state;
    char folder[FOLDER_TEXT];
    meguri_ctx *ctx = context_with(2);
    folder_new(folder);
    for (int which = 1; which <= DRAWINGS; which++) {
        meguri_graph *graph;
        meguri_result *held[4];
        if ((UNDER_TSAN || UNDER_ASAN) && which % 2 == 0) continue;
        assert_int_equal(of_generator(&graph, ctx, which, NULL), MEGURI_OK);
        wide_case w = {.graph = graph,
                       .drawn = which,
                       .arrangement = {RANKS, 4, 4, 0, which % 2 ? BY_DEGREE : BY_POSITION},
                       .folder = folder,
                       .source = far_source(ctx, graph)};
        ask_host(&w, ctx, held);
        run_on(RANKS, 0, ask, &w);
        compare_tables(&w);
        for (int i = 0; i < 4; i++) meguri_result_free(held[i]);
        meguri_graph_free(graph);
    }
    folder_remove(folder);
    context_done(ctx);
}

/* Ids of text, numbers and strings, that nobody declares. */
static void ids_of_text(void **state) {
    (void)state;
    char folder[FOLDER_TEXT], path[2 * FOLDER_TEXT];
    meguri_ctx *ctx = context_with(2);
    meguri_graph *graph;
    folder_new(folder);
    snprintf(path, sizeof path, "%s/edges.csv", folder);
    FILE *file = fopen(path, "w");
    for (int v = 0; v < 16000; v++) fprintf(file, "%d,%d,%d\n", v, (v * 7 + 1) % 16000, v % 200 + 1);
    fclose(file);
    const char *text = path;
    const meguri_read_options by_number = {.size = sizeof by_number};
    assert_int_equal(meguri_read(&graph, ctx, &text, 1, &by_number), MEGURI_OK);
    wide_case w = {.graph = graph,
                   .arrangement = {RANKS, 4, 4, 0, BY_DEGREE},
                   .folder = folder,
                   .source = 9000,
                   .text = text,
                   .ids = MEGURI_ID_UNSIGNED};
    meguri_result *held[4];
    ask_host(&w, ctx, held);
    run_on(RANKS, 0, ask, &w);
    compare_tables(&w);
    for (int i = 0; i < 4; i++) meguri_result_free(held[i]);
    meguri_graph_free(graph);
    const meguri_read_options by_name = {.size = sizeof by_name, .ids = MEGURI_IDS_STRING};
    assert_int_equal(meguri_read(&graph, ctx, &text, 1, &by_name), MEGURI_OK);
    w.graph = graph;
    w.ids = MEGURI_ID_STRING;
    w.arrangement.owner = BY_POSITION;
    ask_host(&w, ctx, held);
    if (!UNDER_TSAN) run_on(RANKS, 0, ask, &w);
    for (int i = 0; i < 4; i++) meguri_result_free(held[i]);
    meguri_graph_free(graph);
    folder_remove(folder);
    context_done(ctx);
}

static meguri_status refuse(void *user, meguri_ctx *ctx, meguri_cluster *c) {
    const wide_case *w = user;
    meguri_graph *g;
    const meguri_layout layout = arranged(c, &w->arrangement);
    RANK_CHECK(ctx, meguri_graph_spread(&g, ctx, w->graph, &layout) == MEGURI_BAD_ARGUMENT);
    RANK_CHECK(ctx, strstr(meguri_ctx_error(ctx), "have numbers there: start more processes"));
    return MEGURI_OK;
}

/* What a process looks at must have local numbers. */
static void windows_that_are_too_long(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(1);
    meguri_graph *graph = uniform(ctx, 20000);
    const arrangement too_long[] = {{4, 4, 1, 0, BY_POSITION}, {4, 1, 4, 0, BY_POSITION}, {8, 0, 0, 1, BY_DEGREE}};
    for (size_t i = 0; i < COUNT_OF(too_long); i++) {
        wide_case w = {.graph = graph, .arrangement = too_long[i]};
        run_on(too_long[i].ranks, 0, refuse, &w);
    }
    meguri_graph_free(graph);
    context_done(ctx);
}

/* Numbers beyond 32 bits themselves. */
static void numbers_beyond_32_bits(void **state) {
    (void)state;
    const uint64_t numbers[] = {0, 1, UINT32_MAX, (uint64_t)UINT32_MAX + 1, MG_MAX_GLOBAL - 1, 123456789012345};
    for (uint32_t by = 1; by < 5000; by = by * 3 + 1) {
        const mg_splitter s = mg_splitter_of(by);
        for (size_t i = 0; i < COUNT_OF(numbers); i++) {
            assert_int_equal(mg_split_whole(&s, numbers[i]), numbers[i] / by);
            assert_int_equal(mg_split_rest(&s, numbers[i]), numbers[i] % by);
        }
    }
    const mg_blocks blocks = mg_blocks_of(MG_MAX_GLOBAL, 4096);
    uint64_t last = mg_blocks_number(&blocks, MG_MAX_GLOBAL - 1), first = mg_blocks_number(&blocks, 0);
    assert_true(last < MG_MAX_GLOBAL && last > UINT32_MAX && first == 0);
    assert_int_equal(mg_home(MG_MAX_GLOBAL, 4096, MG_MAX_GLOBAL - 1), 4095);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(more_vertices_than_local_numbers),
        cmocka_unit_test(graphs_that_are_drawn),
        cmocka_unit_test(ids_of_text),
        cmocka_unit_test(windows_that_are_too_long),
        cmocka_unit_test(numbers_beyond_32_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
