/* Budgets that are too small for one rank of a cluster, or for all: every rank ends with MEGURI_NO_MEMORY and the same
 * sentence, and the ranks can still talk to each other, so that the command says it once and exits with its code.
 *
 * Each allocation that a budget can refuse is refused in turn, at one rank, in everything that ranks do together. */
#define _GNU_SOURCE
#include "shards/answers.h"
#include "support/sinks.h"

#include <meguri/extra/cluster_threads.h>
#include <meguri/extra/graph500.h>
#include <meguri/run.h>

enum { RANKS = 3, SENTENCE = 256 };

/* Files that ranks read and write. */
typedef struct folder {
    char path[FOLDER_TEXT], text[FOLDER_TEXT + 16], named[FOLDER_TEXT + 16], meg[FOLDER_TEXT + 16],
        out[FOLDER_TEXT + 16];
} folder;

typedef struct job job;
typedef struct task {
    const char *name;
    /* What happens before, to `graph`, if anything; and what is tried. */
    meguri_status (*before)(meguri_graph **graph, meguri_ctx *ctx, const job *j, const meguri_layout *layout);
    meguri_status (*work)(meguri_graph **graph, meguri_ctx *ctx, const job *j, const meguri_layout *layout);
} task;

struct job {
    const task *task;
    const folder *files;
    const arrangement *arrangement;
    uint64_t refuse_at; /* 0: it is the budget of all that is small */
    int rank;           /* where an allocation is refused */
    bool reached;       /* there were so many allocations */
    struct {
        meguri_status status;
        bool broken;
        char sentence[SENTENCE];
    } end[RANKS];
};

/* ---- tasks ------------------------------------------------------------------------------------------------------ */

static meguri_status draw(meguri_graph **graph, meguri_ctx *ctx, const job *j, const meguri_layout *layout) {
    const meguri_kronecker_options k = {
        .size = sizeof k,
        .scale = 6,
        .edge_factor = 4,
        .weights = MEGURI_TYPE_U32,
        .build = &(meguri_build_options){.size = sizeof(meguri_build_options), .layout = layout}};
    (void)j;
    return meguri_gen_kronecker(graph, ctx, &k);
}

/* A path: a search takes a step for each vertex. */
static meguri_status draw_path(meguri_graph **graph, meguri_ctx *ctx, const job *j, const meguri_layout *layout) {
    const meguri_grid_options g = {.size = sizeof g,
                                   .width = 300,
                                   .height = 1,
                                   .build =
                                       &(meguri_build_options){.size = sizeof(meguri_build_options), .layout = layout}};
    (void)j;
    return meguri_gen_grid(graph, ctx, &g);
}

static meguri_status read_file(meguri_graph **out, meguri_ctx *ctx, const char *path, const meguri_layout *layout) {
    const meguri_read_options o = {
        .size = sizeof o, .build = &(meguri_build_options){.size = sizeof(meguri_build_options), .layout = layout}};
    return meguri_read(out, ctx, &path, 1, &o);
}

static meguri_status read_numbers(meguri_graph **graph, meguri_ctx *ctx, const job *j, const meguri_layout *layout) {
    return read_file(graph, ctx, j->files->text, layout);
}

static meguri_status read_names(meguri_graph **graph, meguri_ctx *ctx, const job *j, const meguri_layout *layout) {
    return read_file(graph, ctx, j->files->named, layout);
}

static meguri_status open_file(meguri_graph **graph, meguri_ctx *ctx, const job *j, const meguri_layout *layout) {
    return meguri_open(graph, ctx, j->files->meg, in_layout(layout));
}

static meguri_status search(meguri_graph **graph, meguri_ctx *ctx, const job *j, const meguri_layout *layout) {
    meguri_result *result = NULL;
    (void)j, (void)layout;
    meguri_status status = meguri_bfs(&result, ctx, *graph, 0, NULL);
    if (status == MEGURI_OK) status = meguri_bfs_check(ctx, *graph, result, NULL);
    meguri_result_free(result);
    return status;
}

static meguri_status find_paths(meguri_graph **graph, meguri_ctx *ctx, const job *j, const meguri_layout *layout) {
    meguri_result *result = NULL;
    (void)j, (void)layout;
    meguri_status status = meguri_sssp(&result, ctx, *graph, 0, NULL);
    if (status == MEGURI_OK) status = meguri_sssp_check(ctx, *graph, result, NULL);
    meguri_result_free(result);
    return status;
}

static meguri_status rank_vertices(meguri_graph **graph, meguri_ctx *ctx, const job *j, const meguri_layout *layout) {
    const meguri_pagerank_options few = {.size = sizeof few, .tiles = 1, .iterations = 3};
    meguri_result *result = NULL;
    uint64_t top[4], count;
    double values[4];
    (void)j, (void)layout;
    meguri_status status = meguri_pagerank(&result, ctx, *graph, &few);
    if (status == MEGURI_OK) status = meguri_pagerank_check(ctx, *graph, result, &few);
    if (status == MEGURI_OK) status = meguri_result_top(top, values, &count, ctx, *graph, result, "rank", 4);
    meguri_result_free(result);
    return status;
}

static meguri_status find_components(meguri_graph **graph, meguri_ctx *ctx, const job *j, const meguri_layout *layout) {
    meguri_result *result = NULL;
    uint64_t groups[4], sizes[4], count;
    (void)j, (void)layout;
    meguri_status status = meguri_components(&result, ctx, *graph, NULL);
    if (status == MEGURI_OK) status = meguri_components_check(ctx, *graph, result, NULL);
    if (status == MEGURI_OK) status = meguri_result_groups(groups, sizes, &count, ctx, *graph, result, "component", 4);
    meguri_result_free(result);
    return status;
}

static meguri_status save(meguri_graph **graph, meguri_ctx *ctx, const job *j, const meguri_layout *layout) {
    (void)layout;
    return meguri_save(ctx, *graph, to_file(j->files->out), NULL);
}

static meguri_status search_and_write(meguri_graph **graph, meguri_ctx *ctx, const job *j,
                                      const meguri_layout *layout) {
    meguri_result *result = NULL;
    char path[FOLDER_TEXT + 16];
    (void)layout;
    snprintf(path, sizeof path, "%s/out.tsv", j->files->path);
    meguri_status status = meguri_bfs(&result, ctx, *graph, 0, NULL);
    if (status == MEGURI_OK) status = meguri_result_write(ctx, result, *graph, to_file(path), NULL);
    meguri_result_free(result);
    return status;
}

static meguri_status measure(meguri_graph **graph, meguri_ctx *ctx, const job *j, const meguri_layout *layout) {
    const meguri_graph500_options o = {.size = sizeof o, .validate = 1, .scale = 6, .roots = 1, .layout = layout};
    meguri_graph500_report *report = NULL;
    (void)graph, (void)j;
    meguri_status status = meguri_graph500(&report, ctx, &o);
    meguri_graph500_report_free(report);
    return status;
}

static const task tasks[] = {{"gen", NULL, draw},
                             {"read", NULL, read_numbers},
                             {"read names", NULL, read_names},
                             {"open", NULL, open_file},
                             {"bfs", open_file, search},
                             {"bfs of a path", draw_path, search},
                             {"sssp", draw, find_paths},
                             {"sssp of a path", draw_path, find_paths},
                             {"components of a path", draw_path, find_components},
                             {"pagerank", read_names, rank_vertices},
                             {"components", read_names, find_components},
                             {"save", read_names, save},
                             {"save numbers", draw, save},
                             {"write", read_names, search_and_write},
                             {"graph500", NULL, measure}};

/* ---- one try ---------------------------------------------------------------------------------------------------- */

static meguri_status try_task(void *user, meguri_ctx *ctx, meguri_cluster *c) {
    job *j = user;
    meguri_graph *graph = NULL;
    const meguri_layout layout = arranged(c, j->arrangement);
    const bool here = j->rank == c->rank;
    meguri_status status = j->task->before ? j->task->before(&graph, ctx, j, &layout) : MEGURI_OK;
    RANK_CHECK(ctx, status == MEGURI_OK || !j->refuse_at);
    uint64_t used = meguri_ctx_memory_used(ctx), allocations = mg_memory_allocations(ctx);
    if (here) mg_memory_refuse_at(ctx, j->refuse_at);
    if (status == MEGURI_OK) status = j->task->work(&graph, ctx, j, &layout);
    mg_memory_refuse_at(ctx, 0);
    if (here) j->reached = mg_memory_allocations(ctx) - allocations >= j->refuse_at;
    j->end[c->rank].status = status;
    j->end[c->rank].broken = meguri_cluster_broken(c);
    snprintf(j->end[c->rank].sentence, SENTENCE, "%s", meguri_ctx_error(ctx));
    if (!j->task->before) meguri_graph_free(graph);
    RANK_CHECK(ctx, meguri_ctx_memory_used(ctx) <= used + 4096); /* room for messages under way has grown */
    if (j->task->before) meguri_graph_free(graph);
    return MEGURI_OK;
}

static void check_end(const job *j) {
    for (int r = 0; r < RANKS; r++) {
        bool good = j->end[r].status == MEGURI_OK || j->end[r].status == MEGURI_NO_MEMORY;
        if (j->end[r].broken || !good || j->end[r].status != j->end[0].status ||
            (j->end[r].status != MEGURI_OK && strcmp(j->end[r].sentence, j->end[0].sentence) != 0))
            fail_msg("%s, allocation %d at rank %d: rank %d %s with %d '%s', rank 0 with %d '%s'", j->task->name,
                     (int)j->refuse_at, j->rank, r, j->end[r].broken ? "is broken" : "ended", (int)j->end[r].status,
                     j->end[r].sentence, (int)j->end[0].status, j->end[0].sentence);
    }
}

static void write_files(folder *f) {
    folder_new(f->path);
    snprintf(f->text, sizeof f->text, "%s/edges.el", f->path);
    snprintf(f->named, sizeof f->named, "%s/named.csv", f->path);
    snprintf(f->meg, sizeof f->meg, "%s/graph.meg", f->path);
    snprintf(f->out, sizeof f->out, "%s/out.meg", f->path);
    FILE *text = fopen(f->text, "w"), *named = fopen(f->named, "w");
    uint64_t seed = 7;
    assert_true(text && named);
    fprintf(named, "source,target,weight\n");
    for (int i = 0; i < 200; i++) {
        unsigned a = (unsigned)(next_random(&seed) % 61), b = (unsigned)(next_random(&seed) % 61);
        fprintf(text, "%u %u\n", 1000 * a * a, 1000 * b * b); /* no ids in a row: they are sorted by all */
        fprintf(named, "vertex %u,vertex %u,%u\n", a, b, i);
    }
    fclose(text);
    fclose(named);
    meguri_ctx *ctx = context_with(1);
    meguri_graph *graph;
    assert_int_equal(read_file(&graph, ctx, f->named, NULL), MEGURI_OK);
    assert_int_equal(meguri_save(ctx, graph, to_file(f->meg), NULL), MEGURI_OK);
    meguri_graph_free(graph);
    context_done(ctx);
}

static void refused_at_one_rank(void **state) {
    (void)state;
    static const arrangement layouts[] = {{.ranks = RANKS, .rows = 1, .columns = 3},
                                          {.ranks = RANKS, .rows = 3, .columns = 1, .owner = BY_BLOCKS},
                                          {.ranks = RANKS, .owner = BY_POSITION}};
    folder files;
    uint64_t refused = 0, step = UNDER_TSAN || UNDER_ASAN ? 7 : everything ? 1 : 2;
    write_files(&files);
    for (size_t t = 0; t < COUNT_OF(tasks); t++) {
        job j = {.task = &tasks[t], .files = &files};
        int missed = 0; /* ranks do not make equally many allocations */
        for (uint64_t turn = 0; missed < 2 * RANKS; turn++) {
            j.refuse_at = 1 + turn * step;
            j.arrangement = &layouts[(t + turn) % COUNT_OF(layouts)];
            j.rank = (int)(turn / COUNT_OF(layouts) % RANKS);
            run_on_threads(j.arrangement, 1, j.task->name, try_task, &j);
            check_end(&j);
            missed = j.reached ? 0 : missed + 1;
            refused += j.end[0].status != MEGURI_OK;
            assert_true(turn < 5000);
        }
    }
    print_message("%u refusals\n", (unsigned)refused);
    assert_true(refused > (UNDER_TSAN || UNDER_ASAN ? 60 : 400));
    folder_remove(files.path);
}

/* From what is not enough for a cluster at all to what is enough for everything. */
static void small_at_all_ranks(void **state) {
    (void)state;
    static const arrangement layout = {.ranks = RANKS};
    folder files;
    write_files(&files);
    for (size_t t = 0; t < COUNT_OF(tasks); t++) {
        job j = {.task = &tasks[t], .files = &files, .arrangement = &layout};
        for (uint64_t each = 1 << 10; each <= 16 << 20; each *= 4) {
            meguri_ctx *ctx;
            const meguri_ctx_options o = {
                .size = sizeof o, .threads = 1, .memory = 65536 + RANKS * each, .log_level = MEGURI_LOG_SILENT};
            const meguri_cluster_threads_options ranks = {.size = sizeof ranks, .ranks = RANKS};
            assert_int_equal(meguri_ctx_new(&ctx, &o), MEGURI_OK);
            memset(j.end, 0, sizeof j.end);
            meguri_status status = meguri_cluster_threads(ctx, &ranks, try_task, &j);
            if (status != MEGURI_OK)
                fail_msg("%s with %d kB: %s", j.task->name, (int)(each >> 10), meguri_ctx_error(ctx));
            check_end(&j);
            meguri_ctx_free(ctx);
        }
        if (j.end[0].status != MEGURI_OK) fail_msg("%s needs more than 16 MB: %s", j.task->name, j.end[0].sentence);
    }
    folder_remove(files.path);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(refused_at_one_rank), cmocka_unit_test(small_at_all_ranks)};
    read_arguments(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
