/* A process that lies: one message of one kind is not what it should be: shorter, longer, other bytes, other numbers.
 * Whatever it is, all ranks end, with a failure or with some answer, and nobody reads or writes where nothing is (which
 * a sanitizer would see). */
#define _GNU_SOURCE
#include "shards/answers.h"
#include "shards/lying.h"
#include "support/sinks.h"
#include <meguri/extra/cluster_threads.h>
#include <meguri/extra/graph500.h>

enum { LIES = 4 };

static meguri_status work(meguri_ctx *ctx, meguri_graph *s, const char *what) {
    const meguri_pagerank_options few = {.size = sizeof few, .tiles = 1, .iterations = 3, .damping = 0.85};
    const meguri_bfs_options push = {
        .size = sizeof push, .max_depth = UINT32_MAX, .levels = 1, .parents = 1, .policy = MEGURI_BFS_PUSH};
    const meguri_bfs_options packed = {
        .size = sizeof packed, .max_depth = UINT32_MAX, .levels = 1, .parents = 1, .exchange = MEGURI_EXCHANGE_PACKED};
    meguri_result *result = NULL;
    meguri_status status = MEGURI_OK;
    if (strcmp(what, "push") == 0) status = meguri_bfs(&result, ctx, s, 0, &push);
    else if (strcmp(what, "packed") == 0) status = meguri_bfs(&result, ctx, s, 0, &packed);
    else if (strcmp(what, "sssp") == 0) status = meguri_sssp(&result, ctx, s, 0, NULL);
    else if (strcmp(what, "components") == 0) status = meguri_components(&result, ctx, s, NULL);
    else status = meguri_pagerank(&result, ctx, s, &few);
    meguri_result_free(result);
    return status;
}

static meguri_status lie_once(void *user, meguri_ctx *ctx, meguri_cluster *c) {
    lie *l = user;
    meguri_graph *s;
    const meguri_layout o = arranged(c, l->arrangement);
    meguri_status status = meguri_graph_spread(&s, ctx, l->graph, &o);
    if (status != MEGURI_OK) return status;
    begin_to_lie(l, c);
    status = work(ctx, s, l->what);
    if (c->rank == 0) l->status = status;
    meguri_graph_free(s);
    return MEGURI_OK; /* what comes of it is not the question */
}

static void nobody_falls_for_a_lie(void **state) {
    (void)state;
    static const arrangement layouts[] = {{.ranks = 2, .rows = 1, .columns = 2},
                                          {.ranks = 2, .rows = 2, .columns = 1},
                                          {.ranks = 4, .rows = 2, .columns = 2},
                                          {.ranks = 2, .pairs = 1}};
    static const char *const algorithms[] = {"push", "packed", "sssp", "components", "pagerank"};
    static const char *const kinds[] = {"expand", "settle", "fold", "parents", "bulk"};
    meguri_ctx *ctx = context_with(1);
    const meguri_kronecker_options k = {.size = sizeof k, .scale = 8, .edge_factor = 8, .weights = MEGURI_TYPE_U32};
    meguri_graph *graph;
    unsigned told = 0, refused = 0;
    assert_int_equal(meguri_gen_kronecker(&graph, ctx, &k), MEGURI_OK);
    for (size_t a = 0; a < COUNT_OF(algorithms); a++)
        for (size_t i = 0; i < COUNT_OF(kinds); i++)
            for (int number = 0; number < LIES; number++)
                for (int how = 0; how < KINDS_OF_LIES; how++) {
                    lie l = {.arrangement = &layouts[(a + i + (size_t)(number + how)) % COUNT_OF(layouts)],
                             .graph = graph,
                             .what = algorithms[a],
                             .kind = kinds[i],
                             .number = number,
                             .how = how};
                    if ((UNDER_TSAN || UNDER_ASAN) && (number + how) % 2) continue;
                    const meguri_cluster_threads_options o = {.size = sizeof o, .ranks = l.arrangement->ranks};
                    assert_int_equal(meguri_cluster_threads(ctx, &o, lie_once, &l), MEGURI_OK);
                    told += l.told;
                    refused += l.told && l.status != MEGURI_OK;
                    /* What is too short is never taken. */
                    if (l.told && (how == 1 || how == 2) && l.arrangement->ranks == 2 && l.status == MEGURI_OK)
                        fail_msg("%s took a %s that was too short (%d)", l.what, l.kind, number);
                }
    print_message("%u lies, %u of them noticed\n", told, refused);
    assert_true(told > 20 && refused > told / 3);
    meguri_graph_free(graph);
    context_done(ctx);
}

/* ---- while a graph is made, and names travel -------------------------------------------------------------------- */

/* Files that ranks read and write. */
typedef struct folder {
    char text[FOLDER_TEXT + 16], named[FOLDER_TEXT + 16], meg[FOLDER_TEXT + 16], out[FOLDER_TEXT + 16];
} folder;

typedef struct making {
    lie lie; /* first: what lying looks at */
    const folder *files;
} making;

static meguri_status read_file(meguri_graph **out, meguri_ctx *ctx, const char *path, const meguri_layout *layout) {
    const meguri_read_options o = {
        .size = sizeof o, .build = &(meguri_build_options){.size = sizeof(meguri_build_options), .layout = layout}};
    return meguri_read(out, ctx, &path, 1, &o);
}

/* Whether the lie is about what comes after the graph is made. */
static bool is_after(const char *what) { return what[0] == '>'; }

static meguri_status make(meguri_graph **out, meguri_ctx *ctx, const making *m, const meguri_layout *layout) {
    const char *what = m->lie.what;
    const meguri_kronecker_options k = {
        .size = sizeof k,
        .scale = 7,
        .edge_factor = 4,
        .weights = MEGURI_TYPE_F32,
        .build = &(meguri_build_options){.size = sizeof(meguri_build_options), .layout = layout}};
    const meguri_uniform_options few = {.size = sizeof few,
                                        .vertices = 20,
                                        .edges = 2000,
                                        .weights = MEGURI_TYPE_U32,
                                        .build = &(meguri_build_options){.size = sizeof(meguri_build_options),
                                                                         .layout = layout,
                                                                         .duplicates = strcmp(what, "add") == 0
                                                                                           ? MEGURI_DUPLICATES_SUM
                                                                                           : MEGURI_DUPLICATES_FIRST}};
    if (strcmp(what, "draw") == 0) return meguri_gen_kronecker(out, ctx, &k);
    if (strcmp(what, "add") == 0 || strcmp(what, "first") == 0) return meguri_gen_uniform(out, ctx, &few);
    if (strcmp(what, "open") == 0) return meguri_open(out, ctx, m->files->meg, in_layout(layout));
    return read_file(out, ctx, strcmp(what, "read") == 0 ? m->files->text : m->files->named, layout);
}

static meguri_status use(meguri_ctx *ctx, meguri_graph *s, const making *m) {
    const char *what = m->lie.what;
    meguri_result *result = NULL;
    uint64_t groups[4], sizes[4], count;
    if (strcmp(what, ">save") == 0) return meguri_save(ctx, s, to_file(m->files->out), NULL);
    bool groups_only = strcmp(what, ">groups") == 0;
    meguri_status status =
        groups_only ? meguri_components(&result, ctx, s, NULL) : meguri_bfs(&result, ctx, s, 0, NULL);
    if (status == MEGURI_OK && groups_only)
        status = meguri_result_groups(groups, sizes, &count, ctx, s, result, "component", 4);
    else if (status == MEGURI_OK) status = meguri_result_write(ctx, result, s, to_file(m->files->out), NULL);
    meguri_result_free(result);
    return status;
}

static meguri_status lie_and_make(void *user, meguri_ctx *ctx, meguri_cluster *c) {
    making *m = user;
    meguri_graph *s = NULL;
    const meguri_layout o = arranged(c, m->lie.arrangement);
    meguri_status status = MEGURI_OK;
    if (strcmp(m->lie.what, "graph500") == 0) {
        const meguri_graph500_options benchmark = {
            .size = sizeof benchmark, .validate = 1, .scale = 6, .roots = 1, .layout = &o};
        meguri_graph500_report *report = NULL;
        begin_to_lie(&m->lie, c);
        status = meguri_graph500(&report, ctx, &benchmark);
        meguri_graph500_report_free(report);
    } else {
        if (!is_after(m->lie.what)) begin_to_lie(&m->lie, c);
        status = make(&s, ctx, m, &o);
        if (status == MEGURI_OK && is_after(m->lie.what)) {
            begin_to_lie(&m->lie, c);
            status = use(ctx, s, m);
        }
    }
    if (c->rank == 0) m->lie.status = status;
    meguri_graph_free(s);
    return MEGURI_OK;
}

static void write_files(folder *f, meguri_ctx *ctx, const char *path) {
    snprintf(f->text, sizeof f->text, "%s/edges.txt", path);
    snprintf(f->named, sizeof f->named, "%s/named.csv", path);
    snprintf(f->meg, sizeof f->meg, "%s/graph.meg", path);
    snprintf(f->out, sizeof f->out, "%s/out.tsv", path);
    FILE *text = fopen(f->text, "w"), *named = fopen(f->named, "w");
    uint64_t seed = 7;
    assert_true(text && named);
    fprintf(named, "source,target,weight\n");
    for (int i = 0; i < 400; i++) {
        unsigned a = (unsigned)(next_random(&seed) % 97), b = (unsigned)(next_random(&seed) % 97);
        fprintf(text, "%u %u\n", 1000 * a * a, 1000 * b * b); /* no ids in a row: they are sorted by all */
        fprintf(named, "vertex %u%.*s,vertex %u%.*s,%u\n", a, (int)(a % 7), "-------", b, (int)(b % 7), "-------", i);
    }
    fclose(text);
    fclose(named);
    meguri_graph *graph;
    assert_int_equal(read_file(&graph, ctx, f->named, NULL), MEGURI_OK);
    assert_int_equal(meguri_save(ctx, graph, to_file(f->meg), NULL), MEGURI_OK);
    meguri_graph_free(graph);
}

static void nobody_falls_for_a_lie_while_a_graph_is_made(void **state) {
    (void)state;
    static const arrangement layouts[] = {{.ranks = 2, .rows = 1, .columns = 2},
                                          {.ranks = 2, .rows = 2, .columns = 1, .owner = BY_POSITION},
                                          {.ranks = 2, .pairs = 1},
                                          {.ranks = 3, .rows = 3, .columns = 1, .owner = BY_BLOCKS}};
    static const char *const whats[] = {"draw", "add",   "first",  "read",    "names",
                                        "open", ">save", ">write", ">groups", "graph500"};
    meguri_ctx *ctx = context_with(1);
    char path[FOLDER_TEXT];
    folder files;
    unsigned told = 0, refused = 0, step = UNDER_TSAN || UNDER_ASAN ? 3 : 1;
    folder_new(path);
    write_files(&files, ctx, path);
    for (size_t w = 0; w < COUNT_OF(whats); w++) {
        unsigned here_told = 0;
        for (int number = 0, told_now = 1; told_now; number += (int)step) {
            told_now = 0;
            for (int how = 0; how < KINDS_OF_LIES; how++) {
                making m = {{.arrangement = &layouts[(size_t)(number + how) % COUNT_OF(layouts)],
                             .what = whats[w],
                             .kind = "bulk",
                             .number = number,
                             .how = how},
                            &files};
                const meguri_cluster_threads_options o = {.size = sizeof o, .ranks = m.lie.arrangement->ranks};
                assert_int_equal(meguri_cluster_threads(ctx, &o, lie_and_make, &m), MEGURI_OK);
                told_now |= m.lie.told;
                here_told += m.lie.told;
                refused += m.lie.told && m.lie.status != MEGURI_OK;
                if (m.lie.told && (how == 1 || how == 2) && m.lie.arrangement->ranks == 2 && m.lie.status == MEGURI_OK)
                    fail_msg("%s took a message that was too short (%d)", m.lie.what, number);
            }
        }
        if (!here_told) fail_msg("nobody lied about %s", whats[w]);
        told += here_told;
    }
    print_message("%u lies while graphs were made, %u of them noticed\n", told, refused);
    assert_true(refused > told / 3);
    folder_remove(path);
    context_done(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(nobody_falls_for_a_lie),
                                       cmocka_unit_test(nobody_falls_for_a_lie_while_a_graph_is_made)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
