/* Paths in every form: into memory, to a function and to a file the same bytes; and what happens when there is no
 * memory, when nobody takes the bytes, when somebody has had enough. */
#define _GNU_SOURCE
#include "support/unit.h"

#include <meguri.h>
#include <meguri/extra/json.h>
#include <meguri/extra/path_writer.h>
#include <string.h>

typedef struct world {
    meguri_ctx *ctx, *own; /* of the search, and of the writer */
    meguri_graph *graph;
    meguri_path_finder *finder;
    meguri_path_writer *writer;
    meguri_path_query query;
    meguri_status status;
} world;

static world world_new(void) {
    world w = {.ctx = context_with(1), .own = context_with(1)};
    meguri_grid_options grid = {.size = sizeof grid, .width = 5, .height = 4};
    assert_int_equal(meguri_gen_grid(&w.graph, w.ctx, &grid), MEGURI_OK);
    assert_int_equal(meguri_path_finder_new(&w.finder, w.ctx, w.graph, NULL), MEGURI_OK);
    w.query = (meguri_path_query){.size = sizeof w.query, .algorithm = MEGURI_PATH_YENS, .to = 19, .k = 3};
    return w;
}

static void world_free(world *w) {
    meguri_path_finder_free(w->finder);
    meguri_graph_free(w->graph);
    context_done(w->ctx);
    context_done(w->own);
}

static int take_path(void *user, const meguri_path *path) {
    world *w = user;
    w->status = meguri_path_writer_path(w->own, w->writer, 0, &w->query, path);
    return w->status != MEGURI_OK;
}

/* Asks, and writes all of it; the writer remains. */
static meguri_status write_all(world *w, const meguri_sink *sink, const meguri_path_writer_options *options) {
    meguri_path_answer answer = {.size = sizeof answer};
    w->status = meguri_path_writer_new(&w->writer, w->own, w->graph, sink, options);
    if (w->status != MEGURI_OK) return w->status;
    meguri_status status = meguri_path_find(&answer, w->ctx, w->finder, &w->query, take_path, w);
    assert_int_equal(status, MEGURI_OK);
    answer.seconds = 0.25;
    if (w->status == MEGURI_OK) w->status = meguri_path_writer_answer(w->own, w->writer, 0, &w->query, &answer);
    status = meguri_path_writer_finish(w->own, w->writer, MEGURI_OK);
    if (w->status == MEGURI_OK) w->status = status;
    else assert_int_equal(status, w->status); /* the first failure stays */
    return w->status;
}

typedef struct page {
    char *text;
    size_t used;
    int calls_left;
} page;

static meguri_status take_bytes(void *user, const void *data, size_t bytes) {
    page *p = user;
    if (p->calls_left-- == 0) return MEGURI_NO_DISK;
    p->text = realloc(p->text, p->used + bytes + 1);
    assert_non_null(p->text);
    memcpy(p->text + p->used, data, bytes);
    p->text[p->used += bytes] = '\0';
    return MEGURI_OK;
}

static const struct {
    const char *form;
    const char *file, *begins, *ends;
} forms[] = {
    {"text", NULL, "0 → ", " hops)\n"},
    {"json", NULL, "{\"from\": 0, \"to\": 19, \"paths\": [{\"hops\": ", "\"seconds\": 0.25}\n"},
    {"jsonl", "a.jsonl", "{\"from\": 0, \"to\": 19, \"path\": 0, ", "\"seconds\": 0.25}\n"},
    {"csv", "a.csv", "question,path,step,vertex,edge,cost\n0,0,0,0,,0\n", "\n"},
    {"tsv", "a.tsv", "question\tpath\tstep\tvertex\tedge\tcost\n0\t0\t0\t0\t\t0\n", "\n"},
    {"geojson", "a.geojson", "{\"type\": \"FeatureCollection\", \"features\": [\n{\"type\": \"Feature\"", "}\n]}\n"},
};

static char *read_file(const char *path) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *text = calloc(1, 1 << 16);
    assert_non_null(text);
    assert_true(fread(text, 1, (1 << 16) - 1, file) > 0);
    fclose(file);
    return text;
}

/* What is the same for memory, a function and a file. */
static void same_bytes(void **state) {
    (void)state;
    world w = world_new();
    char folder[FOLDER_TEXT], path[2 * FOLDER_TEXT];
    folder_new(folder);
    for (size_t i = 0; i < COUNT_OF(forms); i++) {
        const char *text;
        size_t bytes;
        meguri_sink o = {.size = sizeof o, .form = forms[i].form};
        assert_int_equal(write_all(&w, &o, NULL), MEGURI_OK);
        assert_int_equal(meguri_path_writer_text(&text, &bytes, w.own, w.writer), MEGURI_OK);
        assert_int_equal(strlen(text), bytes);
        if (strncmp(text, forms[i].begins, strlen(forms[i].begins)) != 0) fail_msg("%s", text);
        assert_string_equal(text + bytes - strlen(forms[i].ends), forms[i].ends);
        meguri_path_writer *in_memory = w.writer;

        page p = {.calls_left = 100};
        o.write = take_bytes;
        o.user = &p;
        assert_int_equal(write_all(&w, &o, NULL), MEGURI_OK);
        assert_string_equal(p.text, text);
        const char *none;
        assert_int_equal(meguri_path_writer_text(&none, &bytes, w.own, w.writer), MEGURI_BAD_ARGUMENT);
        meguri_path_writer_free(w.writer);
        free(p.text);

        snprintf(path, sizeof path, "%s/%s", folder, forms[i].file ? forms[i].file : "a");
        o = (meguri_sink){.size = sizeof o, .path = path, .form = forms[i].file ? NULL : forms[i].form};
        assert_int_equal(write_all(&w, &o, NULL), MEGURI_OK); /* by its suffix, where it has one */
        char *file = read_file(path);
        assert_string_equal(file, text);
        free(file);
        meguri_path_writer_free(w.writer);
        meguri_path_writer_free(in_memory);
    }
    folder_remove(folder);
    world_free(&w);
}

/* Names of columns that need quotes in CSV, and a backslash in TSV: a field each. */
static void names_of_columns(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(1);
    static const uint64_t ids[] = {1, 2};
    static const uint8_t values[] = {5, 6};
    meguri_column_data column = {.size = sizeof column, .name = "a,\"b\"\t", .type = MEGURI_TYPE_U8};
    meguri_builder_options o = {
        .size = sizeof o, .columns = &column, .column_count = 1, .vertex_columns = &column, .vertex_column_count = 1};
    meguri_builder *builder;
    meguri_graph *graph;
    assert_int_equal(meguri_builder_new(&builder, ctx, &o), MEGURI_OK);
    column.values = values;
    meguri_vertex_arrays v = {.size = sizeof v, .count = 2, .ids = ids, .columns = &column, .column_count = 1};
    meguri_edge_arrays e = {
        .size = sizeof e, .count = 1, .from = ids, .to = ids + 1, .columns = &column, .column_count = 1};
    assert_int_equal(meguri_builder_vertices(NULL, ctx, builder, 0, &v), MEGURI_OK);
    assert_int_equal(meguri_builder_add(ctx, builder, 0, &e), MEGURI_OK);
    assert_int_equal(meguri_builder_finish(&graph, ctx, builder), MEGURI_OK);
    static const struct {
        const char *form;
        const char *head;
    } tables[] = {{"csv", "question,path,step,vertex,edge,cost,\"a,\"\"b\"\"\t\",\"vertex_a,\"\"b\"\"\t\"\n"},
                  {"tsv", "question\tpath\tstep\tvertex\tedge\tcost\ta,\"b\"\\t\tvertex_a,\"b\"\\t\n"}};
    for (size_t i = 0; i < COUNT_OF(tables); i++) {
        const char *text;
        size_t bytes;
        meguri_path_writer *writer;
        meguri_sink to = {.size = sizeof to, .form = tables[i].form};
        assert_int_equal(meguri_path_writer_new(&writer, ctx, graph, &to, NULL), MEGURI_OK);
        assert_int_equal(meguri_path_writer_finish(ctx, writer, MEGURI_OK), MEGURI_OK);
        assert_int_equal(meguri_path_writer_text(&text, &bytes, ctx, writer), MEGURI_OK);
        assert_string_equal(text, tables[i].head);
        meguri_path_writer_free(writer);
    }
    static const char *const wrong[][2] = {{"b", NULL}, {"a,\"b\"\t", "a,\"b\"\t"}, {NULL, NULL}};
    static const meguri_status refusals[] = {MEGURI_NOT_FOUND, MEGURI_BAD_ARGUMENT, MEGURI_BAD_ARGUMENT};
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        meguri_path_writer *writer;
        meguri_path_writer_options to = {.size = sizeof to, .columns = wrong[i], .column_count = 2};
        assert_int_equal(meguri_path_writer_new(&writer, ctx, graph, NULL, &to), refusals[i]);
        assert_null(writer);
    }
    meguri_builder_free(builder);
    meguri_graph_free(graph);
    context_done(ctx);
}

static void add_members(void *user, meguri_json *json, const meguri_path_answer *answer) {
    meguri_json_number(json, answer ? "last" : "first", *(const uint64_t *)user);
}

static void members_of_the_caller(void **state) {
    (void)state;
    world w = world_new();
    uint64_t seven = 7;
    const char *text;
    size_t bytes;
    meguri_path_writer_options o = {.size = sizeof o, .numbered = 1, .members = add_members, .members_user = &seven};
    assert_int_equal(write_all(&w, NULL, &o), MEGURI_OK);
    assert_int_equal(meguri_path_writer_text(&text, &bytes, w.own, w.writer), MEGURI_OK);
    assert_non_null(strstr(text, "{\"first\": 7, \"question\": 0, \"from\": 0, "));
    assert_non_null(strstr(text, ", \"last\": 7}\n"));
    assert_null(strstr(text, "seconds"));
    meguri_path_writer_free(w.writer);
    world_free(&w);
}

/* A question that failed: the object is closed, the file is not there. */
static void after_a_failure(void **state) {
    (void)state;
    world w = world_new();
    meguri_path_answer answer = {.size = sizeof answer};
    char folder[FOLDER_TEXT], path[2 * FOLDER_TEXT];
    const char *text;
    size_t bytes;
    folder_new(folder);
    snprintf(path, sizeof path, "%s/a.csv", folder);
    for (int file = 0; file < 2; file++) {
        meguri_sink o = {.size = sizeof o, .path = file ? path : NULL};
        assert_int_equal(meguri_path_writer_new(&w.writer, w.own, w.graph, &o, NULL), MEGURI_OK);
        assert_int_equal(meguri_path_find(&answer, w.ctx, w.finder, &w.query, take_path, &w), MEGURI_OK);
        assert_int_equal(meguri_path_writer_finish(w.own, w.writer, MEGURI_BAD_INPUT), MEGURI_OK);
        if (file) assert_int_equal(access(path, F_OK), -1);
        else {
            assert_int_equal(meguri_path_writer_text(&text, &bytes, w.own, w.writer), MEGURI_OK);
            assert_string_equal(text + bytes - 20, "], \"end\": \"failed\"}\n");
        }
        meguri_path_writer_free(w.writer);
    }
    folder_remove(folder);
    world_free(&w);
}

static void nobody_takes_it(void **state) {
    (void)state;
    world w = world_new();
    for (size_t i = 0; i < COUNT_OF(forms); i++)
        for (int k = 0; k < 2; k++) {
            page p = {.calls_left = k};
            meguri_sink o = {.size = sizeof o, .form = forms[i].form, .write = take_bytes, .user = &p};
            assert_int_equal(write_all(&w, &o, NULL), MEGURI_NO_DISK);
            assert_int_equal(p.calls_left, -1); /* asked no more */
            meguri_path_writer_free(w.writer);
            free(p.text);
        }
    world_free(&w);
}

/* Lines of a trace as a listener gets them. */
static void take_line(void *user, const char *line, size_t length) {
    page *p = user;
    take_bytes(p, line, length);
    take_bytes(p, "\n", 1);
}

static meguri_status write_trace(world *w, page *p) {
    meguri_path_writer_options o = {.size = sizeof o, .trace = w->ctx};
    const meguri_sink to_trace = {.size = sizeof to_trace, .form = "trace"};
    assert_int_equal(meguri_ctx_trace_to(w->ctx, take_line, p), MEGURI_OK);
    meguri_status status = write_all(w, &to_trace, &o);
    assert_int_equal(meguri_ctx_trace_to(w->ctx, NULL, NULL), MEGURI_OK);
    return status;
}

static void paths_in_a_trace(void **state) {
    (void)state;
    world w = world_new();
    page p = {.calls_left = 1000};
    assert_int_equal(write_trace(&w, &p), MEGURI_OK);
    assert_non_null(strstr(p.text, "\"run\":\"path\",\"question\": 0, \"path\": 2, \"from\": \"0\", \"to\": \"19\""));
    assert_non_null(strstr(p.text, "\"metric\": \"planar\""));
    free(p.text);
    meguri_path_writer_free(w.writer);
    world_free(&w);
}

/* Every allocation fails once, in every form: no memory, nothing lost, nothing crashes. */
static void no_memory(void **state) {
    (void)state;
    world w = world_new();
    char folder[FOLDER_TEXT], path[2 * FOLDER_TEXT];
    folder_new(folder);
    snprintf(path, sizeof path, "%s/a.csv", folder);
    for (size_t i = 0; i <= COUNT_OF(forms) + 1; i++) {
        bool file = i == COUNT_OF(forms), trace = i > COUNT_OF(forms);
        meguri_sink o = {.size = sizeof o, .path = file ? path : NULL};
        if (!file && !trace) o.form = forms[i].form;
        uint64_t k = 1;
        for (meguri_status status = MEGURI_NO_MEMORY; status != MEGURI_OK; k++) {
            page p = {.calls_left = 1000};
            w.writer = NULL;
            mg_memory_fail_at(w.own, k);
            status = trace ? write_trace(&w, &p) : write_all(&w, &o, NULL);
            mg_memory_fail_at(w.own, 0);
            free(p.text);
            if (status != MEGURI_OK) {
                assert_int_equal(status, MEGURI_NO_MEMORY);
                assert_non_null(strstr(meguri_ctx_error(w.own), "memory"));
                if (file) assert_int_equal(access(path, F_OK), -1);
            }
            meguri_path_writer_free(w.writer);
            assert_int_equal(meguri_ctx_memory_used(w.own), 0);
        }
        assert_true(k > 3);
    }
    folder_remove(folder);
    world_free(&w);
}

static int had_enough(void *user, const char *phase, uint64_t done, uint64_t total) {
    (void)user, (void)phase, (void)done, (void)total;
    return 1;
}

/* In the middle of a path: it is cut, and says so. */
static void cancelled(void **state) {
    (void)state;
    world w = world_new();
    meguri_ctx_options options = {.size = sizeof options, .threads = 1, .progress = had_enough};
    static const char *const cut[] = {"text", "json", "jsonl"};
    static const char *const shown[] = {" …\n", "\"cut\": true}], \"end\": \"failed\"}\n", "\"cut\": true}\n"};
    for (size_t i = 0; i < COUNT_OF(cut); i++) {
        meguri_ctx *own = w.own;
        page p = {.calls_left = 1000};
        meguri_sink o = {.size = sizeof o, .form = cut[i], .write = take_bytes, .user = &p};
        assert_int_equal(meguri_ctx_new(&w.own, &options), MEGURI_OK);
        assert_int_equal(write_all(&w, &o, NULL), MEGURI_CANCELLED);
        assert_true(strlen(p.text) >= strlen(shown[i]));
        assert_string_equal(p.text + p.used - strlen(shown[i]), shown[i]);
        meguri_path_writer_free(w.writer);
        free(p.text);
        context_done(w.own);
        w.own = own;
    }
    world_free(&w);
}

/* A cancel for good, between two paths: what is open is closed all the same. */
static void cancelled_for_good(void **state) {
    (void)state;
    world w = world_new();
    meguri_ctx *own = w.own;
    static const char *const left_open[] = {"json", "geojson"};
    static const char *const ends[] = {"], \"end\": \"failed\"}\n", "\n]}\n"};
    for (size_t i = 0; i < COUNT_OF(left_open); i++) {
        meguri_ctx *parent = context_with(1);
        page p = {.calls_left = 1000};
        meguri_sink o = {.size = sizeof o, .form = left_open[i], .write = take_bytes, .user = &p};
        const uint64_t vertices[] = {0};
        const double costs[] = {0};
        const meguri_path path = {.size = sizeof path, .vertices = vertices, .costs = costs};
        assert_int_equal(meguri_ctx_child(&w.own, parent, NULL), MEGURI_OK);
        assert_int_equal(meguri_path_writer_new(&w.writer, w.own, w.graph, &o, NULL), MEGURI_OK);
        assert_int_equal(meguri_path_writer_path(w.own, w.writer, 0, &w.query, &path), MEGURI_OK);
        meguri_ctx_cancel(parent);
        assert_int_equal(meguri_path_writer_finish(w.own, w.writer, MEGURI_CANCELLED), MEGURI_OK);
        assert_true(p.used >= strlen(ends[i]));
        assert_string_equal(p.text + p.used - strlen(ends[i]), ends[i]);
        meguri_path_writer_free(w.writer);
        free(p.text);
        meguri_ctx_free(w.own);
        context_done(parent);
    }
    w.own = own;
    world_free(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_bytes),         cmocka_unit_test(members_of_the_caller),
        cmocka_unit_test(after_a_failure),    cmocka_unit_test(nobody_takes_it),
        cmocka_unit_test(paths_in_a_trace),   cmocka_unit_test(no_memory),
        cmocka_unit_test(cancelled),          cmocka_unit_test(names_of_columns),
        cmocka_unit_test(cancelled_for_good),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
