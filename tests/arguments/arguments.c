/* The things that calls use, and the verdict. */
#include "arguments.h"

world w;

static void make_named(void) {
    char folder[FOLDER_TEXT], path[FOLDER_TEXT + 8];
    folder_new(folder);
    snprintf(path, sizeof path, "%s/named", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs("a b\nb c\n", file) >= 0 && fclose(file) == 0);
    const char *name = path;
    assert_int_equal(meguri_read(&w.named, w.ctx, &name, 1, NULL), MEGURI_OK);
    const meguri_read_options in_parts = {
        .size = sizeof in_parts,
        .build = &(meguri_build_options){.size = sizeof(meguri_build_options), .layout = &w.layout}};
    assert_int_equal(meguri_read(&w.named_parts, w.ctx, &name, 1, &in_parts), MEGURI_OK);
    folder_remove(folder);
}

static int world_new(void **state) {
    (void)state;
    meguri_grid_options grid = {.size = sizeof grid, .width = 4, .height = 3};
    w.ctx = context_with(2);
    assert_int_equal(meguri_gen_grid(&w.graph, w.ctx, &grid), MEGURI_OK);
    assert_int_equal(meguri_bfs(&w.result, w.ctx, w.graph, 0, NULL), MEGURI_OK);
    assert_int_equal(meguri_graph_edges(NULL, NULL, NULL, w.ctx, w.graph, NULL, 0), MEGURI_OK); /* kept from now on */
    assert_int_equal(meguri_cluster_alone(&w.cluster, w.ctx), MEGURI_OK);
    w.layout = (meguri_layout){.size = sizeof w.layout, .cluster = w.cluster};
    assert_int_equal(meguri_graph_spread(&w.parts, w.ctx, w.graph, &w.layout), MEGURI_OK);
    make_named();
    return 0;
}

static int world_free(void **state) {
    (void)state;
    meguri_graph_free(w.parts);
    meguri_graph_free(w.named_parts);
    meguri_cluster_free(w.cluster);
    meguri_result_free(w.result);
    meguri_graph_free(w.graph);
    meguri_graph_free(w.named);
    context_done(w.ctx);
    return 0;
}

void forget(void) {
    meguri_graph_info info = {.size = sizeof info};
    assert_int_equal(meguri_graph_get_info(&info, w.ctx, w.graph), MEGURI_OK);
}

static void expect(bool good, meguri_status status, const char *call, const char *file, int line) {
    if (!good) fail_msg("%s:%d: %s: %s (%s)", file, line, call, meguri_status_text(status), meguri_ctx_error(w.ctx));
    const char *sentence = meguri_ctx_error(w.ctx);
    if (strstr(call, "w.ctx") && (!*sentence || sentence[strlen(sentence) - 1] != '.'))
        fail_msg("%s:%d: %s: no sentence but \"%s\"", file, line, call, sentence);
}

void expect_bad(meguri_status status, const char *call, const char *file, int line) {
    expect(status == MEGURI_BAD_ARGUMENT, status, call, file, line);
}

void expect_nowhere(meguri_status status, const char *call, const char *file, int line) {
    expect(status == MEGURI_BAD_ARGUMENT || status == MEGURI_NOT_FOUND, status, call, file, line);
}

void expect_elsewhere(meguri_status status, const char *call, const char *file, int line) {
    bool said = strstr(meguri_ctx_error(w.ctx), "in parts on a cluster") != NULL;
    expect(status == MEGURI_ENGINE_FAILED && said, status, call, file, line);
}

/* What is wrong leaves nothing behind. */
static void run_row(void **state) {
    uint64_t before = meguri_ctx_memory_used(w.ctx);
    ((const row *)*state)->calls();
    assert_int_equal(meguri_ctx_memory_used(w.ctx), before);
}

int run_rows(const row *rows, size_t count) {
    struct CMUnitTest *tests = calloc(count, sizeof *tests);
    if (!tests) return 1;
    for (size_t i = 0; i < count; i++)
        tests[i] =
            (struct CMUnitTest){.name = rows[i].function, .test_func = run_row, .initial_state = (void *)&rows[i]};
    int failed = _cmocka_run_group_tests("arguments", tests, count, world_new, world_free);
    free(tests);
    return failed;
}
