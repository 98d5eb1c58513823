/* Every allocation made to fail, one at a time: saving, opening, checking and writing fail cleanly and leak nothing. */
#define _GNU_SOURCE
#include "meg/graphs.h"
#include "support/faults.h"
#include "support/sinks.h"

typedef struct job {
    const meguri_graph *graph;
    char folder[FOLDER_NAME];
    char path[FOLDER_NAME + 64];
    meguri_format format;
    bool over; /* an old file, which stays */
} job;

static meguri_status written(const job *j, meguri_status status) {
    if (status != MEGURI_OK) assert_int_equal(access(j->path, F_OK), j->over ? 0 : -1);
    return status;
}

static meguri_status save(meguri_ctx *ctx, void *what) {
    const job *j = what;
    return written(j, meguri_save(ctx, j->graph, to_file(j->path), NULL));
}

static meguri_status write_it(meguri_ctx *ctx, void *what) {
    const job *j = what;
    return written(j, meguri_write(ctx, j->graph, to_file(j->path), as_format(j->format)));
}

static meguri_status open_and_read(meguri_ctx *ctx, void *what) {
    const job *j = what;
    meguri_graph *g;
    meguri_status status = meguri_open(&g, ctx, j->path, NULL);
    if (status != MEGURI_OK) {
        assert_null(g);
        return status;
    }
    status = meguri_graph_verify(ctx, g);
    uint64_t *degrees = calloc(g->vertices + 1, 8);
    assert_non_null(degrees);
    if (status == MEGURI_OK) status = meguri_graph_degrees(degrees, ctx, g, 0, g->vertices);
    free(degrees);
    meguri_graph_free(g);
    return status;
}

static void meg_files(void **state) {
    (void)state;
    char name[GRAPH_NAME];
    for (int index = 0; index < 700; index += 37) {
        meguri_ctx *ctx = context_with(2);
        meguri_graph *g = make_graph(ctx, index, name);
        if (!g) {
            meguri_ctx_free(ctx);
            break;
        }
        job j = {.graph = g};
        make_folder(j.folder);
        snprintf(j.path, sizeof j.path, "%s/g.meg", j.folder);
        for (int turn = 0; turn < 2; turn++) {
            j.over = turn;
            assert_true(fail_each_allocation(ctx, save, &j, LEAVES_NOTHING) >= 3);
        }
        assert_true(fail_each_allocation(ctx, open_and_read, &j, LEAVES_NOTHING) >= 4);
        remove_folder(j.folder);
        meguri_graph_free(g);
        context_done(ctx);
    }
}

static void other_formats(void **state) {
    (void)state;
    static const char *const names[] = {"a.el",    "a.wel",   "a.csv",    "a.mtx",     "a.gr",   "a.co",
                                        "a.adj",   "a.e",     "a.wel.gz", "a.wel.zst", "a.e.xz", "a.bin32",
                                        "a.bin48", "a.bin64", "a.graph",  "a.pace"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        meguri_ctx *ctx = context_with(2);
        job j = {0};
        bool undirected = strstr(names[i], "graph") || strstr(names[i], "pace");
        char name[GRAPH_NAME];
        /* Unsigned listed ids, u32 weights, numbering, coordinates; METIS: no weights, because 0 is not allowed, and no
         * loop. */
        int weights = strstr(names[i], "wel") ? 5 : 3, ids = strstr(names[i], "bin") || strstr(names[i], "el") ? 0 : 2;
        meguri_graph *g =
            undirected ? make_indexed_graph(ctx, 0) : make_graph(ctx, 24 + weights + 6 * ids + 36 * (2 + 4 + 8), name);
        assert_non_null(g);
        j.graph = g;
        j.format = strstr(names[i], "pace") ? MEGURI_FORMAT_PACE : MEGURI_FORMAT_AUTO;
        make_folder(j.folder);
        snprintf(j.path, sizeof j.path, "%s/%s", j.folder, names[i]);
        if (fail_each_allocation(ctx, write_it, &j, LEAVES_NOTHING) < 4) fail_msg("%s: few allocations", names[i]);
        remove_folder(j.folder);
        meguri_graph_free(g);
        context_done(ctx);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(meg_files), cmocka_unit_test(other_formats)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
