/* Every allocation of writing a result made to fail, one at a time: it fails cleanly, leaves no file and leaks nothing.
 */
#define _GNU_SOURCE
#include "meg/graphs.h"
#include "result/hand_made.h"
#include "support/faults.h"
#include "support/sinks.h"

typedef struct writing {
    const meguri_graph *graph;
    const meguri_result *result;
    const char *path;
} writing;

static meguri_status write_it(meguri_ctx *ctx, void *what) {
    const writing *w = what;
    meguri_status status = meguri_result_write(ctx, w->result, w->graph, to_file(w->path), NULL);
    if (status != MEGURI_OK) assert_int_equal(access(w->path, F_OK), -1);
    return status;
}

static void fail_each(meguri_ctx *ctx, const meguri_graph *g, const char *path) {
    meguri_result *result = hand_made(ctx, g->vertices, false);
    assert_true(fail_each_allocation(ctx, write_it, &(writing){g, result, path}, LEAVES_NOTHING) >= 4);
    meguri_result_free(result);
}

static void every_allocation(void **state) {
    (void)state;
    static const char *const names[] = {"r.tsv", "r.npy", "r.bin", "r.tsv.gz", "r.tsv.xz"};
    char folder[FOLDER_NAME], path[FOLDER_NAME + 16];
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        meguri_ctx *ctx = context_with(2);
        make_folder(folder);
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        meguri_graph *numbers = graph_of_numbers(ctx, 4000, 3, MEGURI_ID_UNSIGNED), *texts = graph_of_names(ctx, 300);
        fail_each(ctx, numbers, path);
        assert_int_equal(remove(path), 0);
        fail_each(ctx, texts, path);
        meguri_graph_free(numbers);
        meguri_graph_free(texts);
        remove_folder(folder);
        context_done(ctx);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
