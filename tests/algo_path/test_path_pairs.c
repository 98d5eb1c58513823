/* Questions out of lines: every form, what the base says, what is wrong, names that are like others, no memory. The
 * command's tests have more lines of every form. */
#define _GNU_SOURCE
#include "support/decimal_comma.h"

#include <meguri.h>
#include <meguri/extra/path_pairs.h>
#include <string.h>

static meguri_graph *names_graph(meguri_ctx *ctx) {
    char folder[FOLDER_TEXT], path[FOLDER_TEXT + 8];
    meguri_graph *graph;
    folder_new(folder);
    snprintf(path, sizeof path, "%s/n.csv", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs("from,to\nTokyo,Chiba\nChiba,\"New York\"\n", file) >= 0 && fclose(file) == 0);
    const char *name = path;
    assert_int_equal(meguri_read(&graph, ctx, &name, 1, NULL), MEGURI_OK);
    folder_remove(folder);
    return graph;
}

/* All lines of a text; the first failure ends it. */
static meguri_status add_lines(meguri_ctx *ctx, meguri_path_pairs *pairs, const char *text) {
    meguri_status status = MEGURI_OK;
    for (uint64_t number = 1; *text && status == MEGURI_OK; number++) {
        size_t bytes = strcspn(text, "\n");
        status = meguri_path_pairs_add(ctx, pairs, text, bytes, number);
        text += bytes + (text[bytes] == '\n');
    }
    return status;
}

/* The same three questions in three forms. */
static const char *const forms[] = {
    "from,to,k,max-cost,timeout\nTokyo,New York,3,,\nChiba,\"New York\",,1.5,0.25\nTokyo,Tokyo,,,\n",
    ("{\"from\": \"Tokyo\", \"to\": \"New York\", \"k\": 3}\n{\"from\": \"Chiba\", \"to\": \"New York\", \"max_cost\": "
     "1.5, \"timeout\": 0.25}\n{\"to\": \"Tokyo\", \"from\": \"Tokyo\", \"k\": null}\n"),
    "# two ids\n \nTokyo\tNew York\tk=3\nChiba\tNew York\tmax-cost=1.5 timeout=0.25\nTokyo Tokyo\n",
};

static void check_three(const meguri_path_pairs *pairs) {
    const meguri_path_query *q;
    uint64_t count;
    assert_int_equal(meguri_path_pairs_get(&q, &count, pairs), MEGURI_OK);
    assert_int_equal(count, 3);
    assert_true(q[0].from == 0 && q[0].to == 2 && q[0].k == 3 && q[0].algorithm == MEGURI_PATH_YENS);
    assert_true(q[1].from == 1 && q[1].to == 2 && q[1].has_max_cost && q[1].max_cost == 1.5 && q[1].timeout == 0.25);
    assert_true(q[1].algorithm == MEGURI_PATH_AUTO && q[1].max_hops == 9 && q[0].max_hops == 9);
    assert_true(q[2].from == 0 && q[2].to == 0 && !q[2].has_max_cost);
}

static void three_forms(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(1);
    meguri_graph *graph = names_graph(ctx);
    meguri_path_query base = {.size = sizeof base, .max_hops = 9};
    char folder[FOLDER_TEXT];
    folder_new(folder);
    for (int comma = 0; comma < 2; comma++) { /* numbers are the same in every locale */
        if (comma && !decimal_comma_use(folder)) break;
        for (size_t i = 0; i < COUNT_OF(forms); i++) {
            meguri_path_pairs *pairs;
            assert_int_equal(meguri_path_pairs_new(&pairs, ctx, graph, "pairs", &base), MEGURI_OK);
            if (add_lines(ctx, pairs, forms[i]) != MEGURI_OK) fail_msg("%s", meguri_ctx_error(ctx));
            check_three(pairs);
            meguri_path_pairs_free(pairs);
        }
    }
    setlocale(LC_ALL, "C");
    folder_remove(folder);
    meguri_graph_free(graph);
    context_done(ctx);
}

static void wrong_lines(void **state) {
    (void)state;
    static const struct {
        const char *text, *sentence;
        meguri_status status;
    } rows[] = {
        {"Tokyo Osaka\n", "pairs:1: no vertex has the id 'Osaka'.", MEGURI_NOT_FOUND},
        {"Tokyo Tokio\n", "pairs:1: no vertex has the id 'Tokio'; did you mean 'Tokyo'?", MEGURI_NOT_FOUND},
        {"Tokyo Chiba algorithm=indexed\n", "pairs:1: algorithm indexed: give auto, ", MEGURI_BAD_INPUT},
        {"Tokyo Chiba\nTokyo Chiba max-cost=nan\n", "pairs:2: max-cost nan: give a number, not negative.",
         MEGURI_BAD_INPUT},
        {"Tokyo Chiba algorithm=auto k=2\n", "pairs:1: k is for algorithm yens", MEGURI_BAD_INPUT},
    };
    meguri_ctx *ctx = context_with(1);
    meguri_graph *graph = names_graph(ctx);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        meguri_path_pairs *pairs;
        assert_int_equal(meguri_path_pairs_new(&pairs, ctx, graph, "pairs", NULL), MEGURI_OK);
        assert_int_equal(add_lines(ctx, pairs, rows[i].text), rows[i].status);
        if (!strstr(meguri_ctx_error(ctx), rows[i].sentence)) fail_msg("%s", meguri_ctx_error(ctx));
        meguri_path_pairs_free(pairs);
    }
    meguri_graph_free(graph);
    context_done(ctx);
}

static void no_memory(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(1), *other = context_with(1);
    meguri_graph *graph = names_graph(other);
    meguri_path_query base = {.size = sizeof base, .max_hops = 9};
    for (size_t i = 0; i < COUNT_OF(forms); i++) {
        uint64_t k = 1;
        for (meguri_status status = MEGURI_NO_MEMORY; status != MEGURI_OK; k++) {
            meguri_path_pairs *pairs = NULL;
            mg_memory_fail_at(ctx, k);
            status = meguri_path_pairs_new(&pairs, ctx, graph, "pairs", &base);
            if (status == MEGURI_OK) status = add_lines(ctx, pairs, forms[i]);
            mg_memory_fail_at(ctx, 0);
            if (status == MEGURI_OK) check_three(pairs);
            else assert_int_equal(status, MEGURI_NO_MEMORY);
            if (status != MEGURI_OK) assert_non_null(strstr(meguri_ctx_error(ctx), "memory"));
            meguri_path_pairs_free(pairs);
            assert_int_equal(meguri_ctx_memory_used(ctx), 0);
        }
        assert_true(k > 4);
    }
    meguri_graph_free(graph);
    context_done(ctx);
    context_done(other);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_forms),
        cmocka_unit_test(wrong_lines),
        cmocka_unit_test(no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
