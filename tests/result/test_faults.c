/* Every allocation of writing a result made to fail, one at a time: it fails cleanly, leaves no file and leaks nothing.
 */
#define _GNU_SOURCE
#include "meg/graphs.h"
#include "result/hand_made.h"
#include "support/unit.h"

static void fail_each(meguri_ctx *ctx, const meguri_graph *g, const char *path) {
    meguri_result *result = hand_made(ctx, g->vertices, false);
    uint64_t used = meguri_ctx_memory_used(ctx), k = 1;
    for (;; k++) {
        assert_true(k < 1000);
        uint64_t before = mg_memory_allocations(ctx);
        mg_memory_fail_at(ctx, k);
        meguri_status status = meguri_result_write(ctx, result, g, path);
        mg_memory_fail_at(ctx, 0);
        assert_int_equal(meguri_ctx_memory_used(ctx), used);
        if (status == MEGURI_OK) { /* then there was no k-th */
            assert_true(mg_memory_allocations(ctx) - before < k);
            break;
        }
        assert_int_equal(status, MEGURI_NO_MEMORY);
        assert_true(strlen(meguri_ctx_error(ctx)) > 20);
        assert_int_equal(access(path, F_OK), -1);
    }
    assert_true(k > 4);
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
