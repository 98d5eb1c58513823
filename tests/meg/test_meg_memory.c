/* Every allocation made to fail, one at a time: saving, opening, checking and writing fail cleanly and leak nothing. */
#include "meg/graphs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

typedef struct job {
    meguri_ctx *ctx;
    const meguri_graph *graph;
    char folder[FOLDER_NAME];
    char path[FOLDER_NAME + 64];
    meguri_format format;
} job;

typedef meguri_status job_fn(job *j);

static meguri_status save(job *j) { return meguri_save(j->ctx, j->graph, j->path); }
static meguri_status write_it(job *j) { return meguri_write(j->ctx, j->graph, j->path, j->format); }

static meguri_status open_and_read(job *j) {
    meguri_graph *g;
    meguri_status status = meguri_open(&g, j->ctx, j->path, NULL);
    if (status != MEGURI_OK) {
        assert_null(g);
        return status;
    }
    status = meguri_graph_verify(j->ctx, g);
    uint64_t *degrees = calloc(g->vertices + 1, 8);
    assert_non_null(degrees);
    if (status == MEGURI_OK) status = meguri_graph_degrees(degrees, j->ctx, g, 0, g->vertices);
    free(degrees);
    meguri_graph_free(g);
    return status;
}

/* Fails the first allocation, then the second … until all succeed; returns how many there are. */
static uint64_t fail_each(job *j, job_fn *run, bool writes) {
    uint64_t used = meguri_ctx_memory_used(j->ctx);
    for (uint64_t k = 1;; k++) {
        assert_true(k < 1000);
        uint64_t before = mg_memory_allocations(j->ctx);
        mg_memory_fail_at(j->ctx, k);
        meguri_status status = run(j);
        mg_memory_fail_at(j->ctx, 0);
        assert_int_equal(meguri_ctx_memory_used(j->ctx), used);
        if (status == MEGURI_OK) { /* then there was no k-th */
            assert_true(mg_memory_allocations(j->ctx) - before < k);
            return k - 1;
        }
        assert_int_equal(status, MEGURI_NO_MEMORY);
        assert_true(strlen(meguri_ctx_error(j->ctx)) > 20);
        if (writes) assert_int_equal(access(j->path, F_OK), -1);
    }
}

static void meg_files(void **state) {
    (void)state;
    char name[GRAPH_NAME];
    for (int index = 0; index < 700; index += 37) {
        job j = {.ctx = new_context(2)};
        meguri_graph *g = make_graph(j.ctx, index, name);
        if (!g) {
            meguri_ctx_free(j.ctx);
            break;
        }
        j.graph = g;
        make_folder(j.folder);
        snprintf(j.path, sizeof j.path, "%s/g.meg", j.folder);
        assert_true(fail_each(&j, save, true) >= 3);
        assert_true(fail_each(&j, save, false) >= 3); /* over an old file */
        assert_true(fail_each(&j, open_and_read, false) >= 4);
        remove_folder(j.folder);
        meguri_graph_free(g);
        assert_int_equal(meguri_ctx_memory_used(j.ctx), 0);
        meguri_ctx_free(j.ctx);
    }
}

static void other_formats(void **state) {
    (void)state;
    static const char *const names[] = {"a.el",    "a.wel",   "a.csv",    "a.mtx",     "a.gr",   "a.co",
                                        "a.adj",   "a.e",     "a.wel.gz", "a.wel.zst", "a.e.xz", "a.bin32",
                                        "a.bin48", "a.bin64", "a.graph",  "a.pace"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        job j = {.ctx = new_context(2)};
        bool undirected = strstr(names[i], "graph") || strstr(names[i], "pace");
        char name[GRAPH_NAME];
        /* Unsigned listed ids, u32 weights, numbering, coordinates; METIS: no weights, because 0 is not allowed, and no
         * loop. */
        int weights = strstr(names[i], "wel") ? 5 : 3, ids = strstr(names[i], "bin") || strstr(names[i], "el") ? 0 : 2;
        meguri_graph *g = undirected ? make_indexed_graph(j.ctx, 0)
                                     : make_graph(j.ctx, 24 + weights + 6 * ids + 36 * (2 + 4 + 8), name);
        assert_non_null(g);
        j.graph = g;
        j.format = strstr(names[i], "pace") ? MEGURI_FORMAT_PACE : MEGURI_FORMAT_AUTO;
        make_folder(j.folder);
        snprintf(j.path, sizeof j.path, "%s/%s", j.folder, names[i]);
        if (fail_each(&j, write_it, true) < 4) fail_msg("%s: few allocations", names[i]);
        remove_folder(j.folder);
        meguri_graph_free(g);
        assert_int_equal(meguri_ctx_memory_used(j.ctx), 0);
        meguri_ctx_free(j.ctx);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(meg_files), cmocka_unit_test(other_formats)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
