/* Opening from memory, from a descriptor and as a copy; and sinks of every kind, for graphs, formats and results: a
 * file, a function, one that fails. Allocations fail in turn. */
#define _GNU_SOURCE
#include "meg/graphs.h"
#include "support/faults.h"
#include "support/sinks.h"

#include <fcntl.h>

/* ---- bytes that a function took --------------------------------------------------------------------------------- */

typedef struct taken {
    unsigned char *bytes;
    size_t count, room;
    int64_t left; /* bytes until it fails; negative: it never does */
    int calls_after;
} taken;

static meguri_status take(void *user, const void *data, size_t bytes) {
    taken *t = user;
    if (t->left >= 0 && (t->calls_after || (size_t)t->left < t->count + bytes)) {
        t->calls_after++;
        return MEGURI_NO_DISK;
    }
    if (t->count + bytes > t->room) t->bytes = realloc(t->bytes, t->room = 2 * (t->count + bytes));
    assert_non_null(t->bytes);
    memcpy(t->bytes + t->count, data, bytes);
    t->count += bytes;
    return MEGURI_OK;
}

static meguri_sink to_function(taken *t, const char *form) {
    *t = (taken){.left = -1};
    return (meguri_sink){.size = sizeof(meguri_sink), .form = form, .write = take, .user = t};
}

static void same_bytes(const taken *t, const char *path) {
    size_t count;
    unsigned char *bytes = file_bytes(path, &count);
    assert_int_equal(count, t->count);
    assert_memory_equal(bytes, t->bytes, count);
    free(bytes);
}

/* ---- opening ---------------------------------------------------------------------------------------------------- */

static int released;
static void release(void *user) { released += user == &released; }

static meguri_open_options in_memory(const void *data, size_t bytes) {
    meguri_open_options o;
    meguri_open_options_init(&o, sizeof o);
    o.data = data;
    o.bytes = bytes;
    o.release = release;
    o.user = &released;
    released = 0;
    return o;
}

static void is_same(meguri_ctx *ctx, const meguri_graph *graph, const meguri_graph *opened) {
    const char *differs = graphs_differ(ctx, graph, opened);
    if (differs) fail_msg("%s", differs);
    assert_int_equal(meguri_graph_verify(ctx, opened), MEGURI_OK);
}

static void every_source(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(2);
    char name[GRAPH_NAME];
    for (int index = 0; index < NOT_INDEXED + INDEXED; index += 7) {
        meguri_graph *graph = make_graph(ctx, index, name), *opened;
        if (!graph) break;
        size_t count;
        unsigned char *bytes = saved_bytes(ctx, graph, &count), *moved = malloc(count + 3);
        memory_file file = new_memory_file(bytes, count);
        meguri_open_options o = in_memory(bytes, count);
        assert_int_equal(meguri_open(&opened, ctx, NULL, &o), MEGURI_OK);
        is_same(ctx, graph, opened);
        assert_int_equal(released, 0); /* borrowed */
        meguri_graph_free(opened);
        assert_int_equal(released, 1);

        memcpy(moved + 3, bytes, count);
        o = in_memory(moved + 3, count); /* not aligned: copied */
        assert_int_equal(meguri_open(&opened, ctx, "moved", &o), MEGURI_OK);
        assert_int_equal(released, 1);
        memset(moved, 0, count + 3);
        is_same(ctx, graph, opened);
        meguri_graph_free(opened);
        assert_int_equal(released, 1);

        meguri_open_options_init(&o, sizeof o);
        o.descriptor = file.fd;
        assert_int_equal(meguri_open(&opened, ctx, NULL, &o), MEGURI_OK);
        is_same(ctx, graph, opened);
        meguri_graph_free(opened);
        assert_true(fcntl(file.fd, F_GETFD) >= 0); /* is still the caller's */

        o.copy = 1;
        assert_int_equal(meguri_open(&opened, ctx, NULL, &o), MEGURI_OK);
        assert_int_equal(ftruncate(file.fd, 0), 0); /* of a mapped file SIGBUS */
        is_same(ctx, graph, opened);
        meguri_graph_free(opened);
        close(file.fd);
        free(bytes);
        free(moved);
        meguri_graph_free(graph);
    }
    context_done(ctx);
}

/* Whatever the bytes are: a sentence, or a graph of which every answer is an error or is given; released once. */
static void hostile_bytes(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(1);
    meguri_graph *graph = make_full_graph(ctx), *opened;
    size_t count;
    unsigned char *bytes = saved_bytes(ctx, graph, &count);
    uint64_t seed = 3;
    for (size_t cut = 0; cut < count; cut += 1 + cut / 5) {
        unsigned char *part = malloc(cut + 1); /* of its own, so that a read behind its end is seen */
        memcpy(part, bytes, cut);
        meguri_open_options o = in_memory(part, cut);
        assert_int_equal(meguri_open(&opened, ctx, "cut", &o), MEGURI_BAD_INPUT);
        assert_non_null(strstr(meguri_ctx_error(ctx), "cut"));
        assert_null(opened);
        assert_int_equal(released, 1);
        free(part);
    }
    for (int trial = 0; trial < 300; trial++) {
        unsigned char *wrong = malloc(count);
        memcpy(wrong, bytes, count);
        for (int i = 0; i <= trial % 3; i++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            wrong[(seed >> 20) % (trial % 2 ? count : 400)] ^= (unsigned char)(1 + (seed >> 60));
        }
        if (trial % 4 < 2) reseal(wrong, count);
        meguri_open_options o = in_memory(wrong, count);
        meguri_status status = meguri_open(&opened, ctx, NULL, &o);
        if (status == MEGURI_OK) {
            answer answers[ANSWERS];
            ask_everything(answers, ctx, opened);
            free_answers(answers);
        } else assert_null(opened);
        meguri_graph_free(opened);
        assert_int_equal(released, 1);
        free(wrong);
    }
    meguri_open_options o = in_memory("no graph, but text\n", 19);
    assert_int_equal(meguri_open(&opened, ctx, "words", &o), MEGURI_BAD_INPUT);
    o = in_memory(bytes, 0);
    assert_int_equal(meguri_open(&opened, ctx, NULL, &o), MEGURI_BAD_INPUT);
    meguri_open_options_init(&o, sizeof o);
    assert_int_equal(meguri_open(&opened, ctx, NULL, &o), MEGURI_BAD_ARGUMENT); /* nothing to open */
    o.descriptor = 1 << 20;
    assert_int_not_equal(meguri_open(&opened, ctx, NULL, &o), MEGURI_OK);
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    o.descriptor = ends[0];
    assert_int_equal(meguri_open(&opened, ctx, NULL, &o), MEGURI_BAD_INPUT);
    close(ends[0]);
    close(ends[1]);
    free(bytes);
    meguri_graph_free(graph);
    context_done(ctx);
}

/* ---- sinks ------------------------------------------------------------------------------------------------------ */

typedef struct outputs {
    const meguri_graph *graph;
    const meguri_result *result;
    unsigned char *bytes;
    size_t count;
} outputs;

static meguri_status put(meguri_ctx *ctx, const outputs *out, int which, const meguri_sink *sink) {
    switch (which) {
    case 0: return meguri_save(ctx, out->graph, sink, NULL);
    case 1: return meguri_write(ctx, out->graph, sink, NULL);
    default: return meguri_result_write(ctx, out->result, out->graph, sink, NULL);
    }
}

static const struct {
    int which;
    const char *form;
} forms[] = {{0, "meg"}, {1, "wel"}, {1, "el.gz"}, {1, "csv.zst"}, {1, "gr"},  {1, "mtx"}, {1, "bin64"},
             {1, "meg"}, {2, "tsv"}, {2, "csv"},   {2, "csv.gz"},  {2, "npy"}, {2, "bin"}, {2, "tsv.xz"}};

static void every_sink(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(2);
    char folder[FOLDER_TEXT], path[2 * FOLDER_TEXT];
    folder_new(folder);
    meguri_grid_options grid = {.size = sizeof grid, .width = 90, .height = 70};
    meguri_graph *graph;
    meguri_result *result;
    assert_int_equal(meguri_gen_grid(&graph, ctx, &grid), MEGURI_OK);
    assert_int_equal(meguri_bfs(&result, ctx, graph, 3, NULL), MEGURI_OK);
    const outputs out = {.graph = graph, .result = result};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        taken t;
        meguri_sink sink = to_function(&t, forms[i].form), file = {.size = sizeof file, .path = path};
        snprintf(path, sizeof path, "%s/g.%s", folder, forms[i].form);
        assert_int_equal(put(ctx, &out, forms[i].which, &file), MEGURI_OK);
        if (put(ctx, &out, forms[i].which, &sink) != MEGURI_OK)
            fail_msg("%s: %s", forms[i].form, meguri_ctx_error(ctx));
        same_bytes(&t, path);
        size_t whole = t.count;
        free(t.bytes);
        for (size_t at = 0; at < whole; at += 1 + whole / 3) { /* it has had enough */
            sink = to_function(&t, forms[i].form);
            t.left = (int64_t)at;
            assert_int_equal(put(ctx, &out, forms[i].which, &sink), MEGURI_NO_DISK);
            assert_true(*meguri_ctx_error(ctx) != '\0');
            assert_int_equal(t.calls_after, 1);
            free(t.bytes);
        }
        snprintf(path, sizeof path, "%s/without a suffix", folder); /* the form says it */
        file.form = forms[i].form;
        assert_int_equal(put(ctx, &out, forms[i].which, &file), MEGURI_OK);
        sink = to_function(&t, forms[i].form);
        assert_int_equal(put(ctx, &out, forms[i].which, &sink), MEGURI_OK);
        same_bytes(&t, path);
        free(t.bytes);
        snprintf(path, sizeof path, "/dev/full");
        assert_int_equal(put(ctx, &out, forms[i].which, &file), MEGURI_NO_DISK);
    }
    taken t;
    meguri_sink sink = to_function(&t, NULL); /* results are .tsv there */
    assert_int_equal(put(ctx, &out, 2, &sink), MEGURI_OK);
    snprintf(path, sizeof path, "%s/g.tsv", folder);
    same_bytes(&t, path);
    free(t.bytes);
    sink.form = "xyz";
    for (int which = 0; which < 3; which++) {
        assert_int_equal(put(ctx, &out, which, &sink), MEGURI_BAD_ARGUMENT);
        assert_int_equal(put(ctx, &out, which, NULL), MEGURI_BAD_ARGUMENT);
        sink.path = "both";
        assert_int_equal(put(ctx, &out, which, &sink), MEGURI_BAD_ARGUMENT);
        sink.path = NULL;
    }
    meguri_result_free(result);
    meguri_graph_free(graph);
    folder_remove(folder);
    context_done(ctx);
}

/* ---- no memory -------------------------------------------------------------------------------------------------- */

static meguri_status open_copy(meguri_ctx *ctx, void *what) {
    const outputs *out = what;
    meguri_graph *graph;
    meguri_open_options o = in_memory(out->bytes, out->count);
    o.copy = 1;
    meguri_status status = meguri_open(&graph, ctx, NULL, &o);
    assert_int_equal(released, 1);
    meguri_graph_free(graph);
    return status;
}

static meguri_status save_to_function(meguri_ctx *ctx, void *what) {
    taken t;
    meguri_sink sink = to_function(&t, "meg");
    meguri_status status = put(ctx, what, 0, &sink);
    free(t.bytes);
    return status;
}

static void no_memory(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(1), *other = context_with(1);
    meguri_graph *graph = make_full_graph(other);
    outputs out = {.graph = graph};
    out.bytes = saved_bytes(other, graph, &out.count);
    assert_true(fail_each_allocation(ctx, open_copy, &out, LEAVES_NOTHING) > 3);
    assert_true(fail_each_allocation(ctx, save_to_function, &out, LEAVES_NOTHING) > 2);
    free(out.bytes);
    meguri_graph_free(graph);
    context_done(other);
    context_done(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_source), cmocka_unit_test(hostile_bytes),
                                       cmocka_unit_test(every_sink), cmocka_unit_test(no_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
