/* Reports from memory and from files, to a function and to files; without memory; in another locale. What is on a page
 * the tests of the command look at. */
#define _GNU_SOURCE
#include "support/decimal_comma.h"

#include <math.h>
#include <meguri.h>
#include <meguri/extra/path_writer.h>
#include <meguri/extra/report.h>
#include <string.h>

/* A search of two steps, and a path that was found. */
#define PATH_LINE                                                                                                      \
    "{\"at_us\":99,\"run\":\"path\",\"question\":0,\"path\":0,\"from\":\"a<b\",\"to\":\"c\",\"hops\":2,\"cost\":1.5,"  \
    "\"metric\":\"planar\",\"length\":3.5,\"points\":3,\"line\":[0.5,0.25,1,1,3.25,2]}\n"
static const char trace[] =
    "{\"at_us\":10,\"run\":\"bfs\",\"step\":0,\"frontier\":1,\"edges\":7,\"way\":\"push\",\"us\":1250}\n"
    "{\"at_us\":90,\"run\":\"bfs\",\"step\":1,\"frontier\":5,\"edges\":9,\"way\":\"pull\",\"us\":2500}\n" PATH_LINE;
static const char strategies[] =
    "{\"at_us\":10,\"run\":\"sssp\",\"step\":0,\"frontier\":1,\"us\":50,\"strategy\":\"all\",\"vertices\":9}\n"
    "{\"at_us\":10,\"run\":\"sssp\",\"step\":0,\"frontier\":1,\"us\":50,\"strategy\":\"selected\",\"vertices\":8}"
    "\n" PATH_LINE;
static const char geojson[] =
    "{\"type\": \"FeatureCollection\", \"features\": [\n{\"type\": \"Feature\", \"properties\": {\"from\": 1, \"to\": "
    "18446744073709551615}, \"geometry\": {\"type\": \"LineString\", \"coordinates\": [[0.5, 0.5], [1.5, 2.5]]}}\n]}\n";

typedef struct page {
    char *text;
    size_t used;
    int calls_left;
} page;

static meguri_status take(void *user, const void *data, size_t bytes) {
    page *p = user;
    if (p->calls_left-- == 0) return MEGURI_NO_DISK;
    p->text = realloc(p->text, p->used + bytes + 1);
    assert_non_null(p->text);
    memcpy(p->text + p->used, data, bytes);
    p->text[p->used += bytes] = '\0';
    return MEGURI_OK;
}

static meguri_status read_text(meguri_report **out, meguri_ctx *ctx, const char *name, const char *text) {
    meguri_report_options o = {.size = sizeof o, .text = text, .text_bytes = strlen(text)};
    return meguri_report_read(out, ctx, name, &o);
}

static page write_to_memory(meguri_ctx *ctx, const meguri_report *report, const char *form) {
    page p = {.calls_left = -1};
    uint64_t bytes;
    meguri_sink o = {.size = sizeof o, .form = form, .write = take, .user = &p};
    assert_int_equal(meguri_report_write(&bytes, ctx, report, &o), MEGURI_OK);
    assert_int_equal(bytes, p.used);
    return p;
}

static void what_is_in_it(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(1);
    meguri_report *report;
    meguri_report_info info = {.size = sizeof info};
    meguri_report_run run = {.size = sizeof run};
    assert_int_equal(read_text(&report, ctx, "t.json", trace), MEGURI_OK);
    assert_int_equal(meguri_report_get_info(&info, report), MEGURI_OK);
    assert_int_equal(info.steps, 2);
    assert_int_equal(info.runs, 1);
    assert_true(info.has_paths && info.has_map && !info.cut_off);
    assert_int_equal(info.paths, 1);
    assert_int_equal(meguri_report_run_at(&run, report, 0), MEGURI_OK);
    assert_string_equal(run.name, "bfs");
    assert_int_equal(run.edges, 16);
    assert_true(fabs(run.seconds - 0.00375) < 1e-12);
    assert_int_equal(meguri_report_run_at(&run, report, 1), MEGURI_NOT_FOUND);
    meguri_report_free(report);

    assert_int_equal(read_text(&report, ctx, "ways", geojson), MEGURI_OK); /* by how it begins */
    assert_int_equal(meguri_report_get_info(&info, report), MEGURI_OK);
    assert_true(info.steps == 0 && info.has_paths && info.paths == 1);
    meguri_report_free(report);
    context_done(ctx);
}

/* Further traces follow the first one; what they are is said in each case. */
static void several_traces(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(1);
    char folder[FOLDER_TEXT], in[2 * FOLDER_TEXT];
    meguri_report *report;
    meguri_report_info info = {.size = sizeof info};
    folder_new(folder);
    snprintf(in, sizeof in, "%s/t.json", folder);
    FILE *file = fopen(in, "w");
    assert_non_null(file);
    assert_true(fputs(trace, file) >= 0 && fclose(file) == 0);
    const char *more[] = {in, in, "nowhere.json"};
    meguri_report_options o = {
        .size = sizeof o, .text = trace, .text_bytes = strlen(trace), .more = more, .more_count = 2};
    assert_int_equal(meguri_report_read(&report, ctx, "first", &o), MEGURI_OK);
    assert_int_equal(meguri_report_get_info(&info, report), MEGURI_OK);
    assert_int_equal(info.steps, 6);
    assert_int_equal(info.paths, 3);
    page p = write_to_memory(ctx, report, "html");
    assert_non_null(strstr(p.text, "<h1>first, t.json and t.json (2)</h1>"));
    free(p.text);
    meguri_report_free(report);
    o.more_count = 3;
    assert_int_equal(meguri_report_read(&report, ctx, "first", &o), MEGURI_NOT_FOUND);
    assert_null(report);
    o.more = NULL;
    assert_int_equal(meguri_report_read(&report, ctx, "first", &o), MEGURI_BAD_ARGUMENT);
    o = (meguri_report_options){
        .size = sizeof o, .text = geojson, .text_bytes = strlen(geojson), .more = more, .more_count = 1};
    assert_int_equal(meguri_report_read(&report, ctx, "first", &o), MEGURI_BAD_INPUT);
    folder_remove(folder);
    context_done(ctx);
}

static char *read_file(const char *path) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *text = calloc(1, 1 << 20);
    assert_non_null(text);
    assert_true(fread(text, 1, (1 << 20) - 1, file) > 0);
    fclose(file);
    return text;
}

/* A file in, a file out, and the same by memory. */
static void same_bytes(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(1);
    char folder[FOLDER_TEXT], path[2 * FOLDER_TEXT], in[2 * FOLDER_TEXT];
    meguri_report *report, *again;
    folder_new(folder);
    snprintf(in, sizeof in, "%s/t.json", folder);
    FILE *file = fopen(in, "w");
    assert_non_null(file);
    assert_true(fputs(trace, file) >= 0 && fclose(file) == 0);
    assert_int_equal(read_text(&report, ctx, in, trace), MEGURI_OK);
    assert_int_equal(meguri_report_read(&again, ctx, in, NULL), MEGURI_OK);
    for (int map = 0; map < 2; map++) {
        page p = write_to_memory(ctx, report, map ? "svg" : "html");
        assert_int_equal(strncmp(p.text, map ? "<svg" : "<!doctype html>", map ? 4 : 15), 0);
        assert_non_null(strstr(p.text, "a&lt;b"));
        snprintf(path, sizeof path, "%s/%s", folder, map ? "map.svg" : "page.html");
        meguri_sink o = {.size = sizeof o, .path = path};
        assert_int_equal(meguri_report_write(NULL, ctx, again, &o), MEGURI_OK);
        char *text = read_file(path);
        assert_string_equal(text, p.text);
        free(text);
        free(p.text);
    }
    meguri_report_free(report);
    meguri_report_free(again);
    folder_remove(folder);
    context_done(ctx);
}

static void other_locale(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(1);
    char folder[FOLDER_TEXT];
    page pages[2];
    folder_new(folder);
    for (int comma = 0; comma < 2; comma++) {
        meguri_report *report;
        bool there = !comma || decimal_comma_use(folder);
        if (!there) break;
        assert_int_equal(read_text(&report, ctx, "t.json", trace), MEGURI_OK);
        pages[comma] = write_to_memory(ctx, report, "html");
        if (comma) { /* and the caller has his locale as before */
            assert_string_equal(localeconv()->decimal_point, ",");
            setlocale(LC_ALL, "C");
            assert_string_equal(pages[0].text, pages[1].text);
            free(pages[1].text);
        }
        meguri_report_free(report);
    }
    free(pages[0].text);
    folder_remove(folder);
    context_done(ctx);
}

static void nobody_takes_it(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(1);
    meguri_report *report;
    page p = {.calls_left = 0};
    meguri_sink o = {.size = sizeof o, .write = take, .user = &p};
    assert_int_equal(read_text(&report, ctx, "t.json", trace), MEGURI_OK);
    assert_int_equal(meguri_report_write(NULL, ctx, report, &o), MEGURI_NO_DISK);
    assert_int_equal(p.calls_left, -1);
    meguri_report_free(report);
    context_done(ctx);
}

static meguri_status make_all(meguri_ctx *ctx, const meguri_graph *graph, const char *name, const char *text) {
    meguri_report *report;
    page p = {.calls_left = -1};
    meguri_sink o = {.size = sizeof o, .write = take, .user = &p};
    meguri_status status = read_text(&report, ctx, name, text);
    if (status != MEGURI_OK) return status;
    status = meguri_report_add_graph(ctx, report, graph);
    if (status == MEGURI_OK) status = meguri_report_write(NULL, ctx, report, &o);
    free(p.text);
    meguri_report_free(report);
    return status;
}

/* Every allocation fails once: a sentence, nothing lost. */
static void no_memory(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(1), *other = context_with(1);
    meguri_graph *graph;
    meguri_grid_options grid = {.size = sizeof grid, .width = 4, .height = 4};
    assert_int_equal(meguri_gen_grid(&graph, other, &grid), MEGURI_OK);
    const char *texts[] = {trace, geojson, strategies};
    for (int i = 0; i < 3; i++) {
        uint64_t k = 1;
        for (meguri_status status = MEGURI_NO_MEMORY; status != MEGURI_OK; k++) {
            mg_memory_fail_at(ctx, k);
            status = make_all(ctx, graph, "t", texts[i]);
            mg_memory_fail_at(ctx, 0);
            if (status != MEGURI_OK) {
                assert_int_equal(status, MEGURI_NO_MEMORY);
                assert_non_null(strstr(meguri_ctx_error(ctx), "memory"));
            }
            assert_int_equal(meguri_ctx_memory_used(ctx), 0);
        }
        assert_true(k > 20);
    }
    meguri_graph_free(graph);
    context_done(ctx);
    context_done(other);
}

static int had_enough(void *user, const char *phase, uint64_t done, uint64_t total) {
    (void)user, (void)phase, (void)done, (void)total;
    return 1;
}

static void cancelled(void **state) {
    (void)state;
    meguri_ctx *ctx;
    meguri_report *report;
    meguri_ctx_options options = {.size = sizeof options, .threads = 1, .progress = had_enough};
    assert_int_equal(meguri_ctx_new(&ctx, &options), MEGURI_OK);
    assert_int_equal(read_text(&report, ctx, "a.geojson", geojson), MEGURI_CANCELLED);
    context_done(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_in_it),   cmocka_unit_test(same_bytes), cmocka_unit_test(other_locale),
        cmocka_unit_test(nobody_takes_it), cmocka_unit_test(no_memory),  cmocka_unit_test(cancelled),
        cmocka_unit_test(several_traces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
