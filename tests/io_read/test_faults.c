/* Every allocation of every reader failing in turn: a clear status, nothing left behind, and it works afterwards. */
#define _GNU_SOURCE
#include "io_read/reading.h"
#include "support/faults.h"
#include "support/sinks.h"

#include <zlib.h>

typedef struct trial {
    const char *name;
    bytes text;
    meguri_read_options options;
} trial;

/* There are at least `least` allocations to fail. */
static void with_every_failure(attempt_fn *attempt, void *what, uint64_t least) {
    for (uint32_t threads = 1; threads <= 3; threads += 2) {
        reading r;
        reading_start(&r, threads);
        assert_true(fail_each_allocation(r.ctx, attempt, what, LEAVES_NOTHING) >= least);
        assert_int_equal(attempt(r.ctx, what), MEGURI_OK);
        reading_end(&r);
    }
}

static meguri_status read_text(meguri_ctx *ctx, void *what) {
    const trial *t = what;
    meguri_graph *graph;
    meguri_status status = mg_read_memory(&graph, ctx, t->name, t->text.data, t->text.length, 9, &t->options);
    if (status != MEGURI_OK) assert_null(graph);
    meguri_graph_free(graph);
    return status;
}

#define SIZE .size = sizeof(meguri_read_options)

static void formats(void **state) {
    (void)state;
    trial trials[] = {
        {"a.el", BYTES("1 2\n3 4\n-5 6\n"), {SIZE}},
        {"a.el", BYTES("1 2 3\n3 4 0.5\n5000000000 6 7\n"), {SIZE}},
        {"a.el", BYTES("a b\nb c\nc d\n"), {SIZE}},
        {"a.csv", BYTES("source,target,weight\n1,2,3\n3,4,5\n"), {SIZE}},
        {"a.csv", BYTES("source,target\nx,\"y\"\nz,x\n"), {SIZE}},
        {"a.mtx", BYTES("%%MatrixMarket matrix coordinate real symmetric\n3 3 2\n1 2 .5\n3 1 4\n"), {SIZE}},
        {"a.mtx", BYTES("3 3 2\n1 2 .5\n3 1 4\n"), {SIZE}},
        {"a.gr", BYTES("c\np sp 3 2\na 1 2 5\na 2 3 7\n"), {SIZE}},
        {"a.gr", BYTES("p tw 3 2\n1 2\n2 3\n"), {SIZE}},
        {"a.graph", BYTES("3 3\n2 3\n1 3\n1 2\n"), {SIZE}},
        {"a.graph", BYTES("3 3 1\n1 5 2 6 3 7\n\n\n"), {SIZE}},
        {"a.graph", BYTES("3 2 100\n9 2\n9 1 3\n9 2\n"), {SIZE}},
        {"a", BYTES("1 2 3\n2\n3 1\n"), {SIZE, .format = MEGURI_FORMAT_ADJACENCY}},
        {"a", BYTES("a b c\nd\n"), {SIZE, .format = MEGURI_FORMAT_ADJACENCY}},
        {"a", BYTES("\1\0\0\0\2\0\0\0\3\0\0\0\4\0\0\0"), {SIZE, .format = MEGURI_FORMAT_BIN32}},
        {"a", BYTES("\1\0\0\0\2\0\0\0\1\0\0\0\3\0\0\0\4\0\0\0\0\0\0\0"), {SIZE, .format = MEGURI_FORMAT_BIN48}},
        {"a", BYTES("\1\0\0\0\2\0\0\0\3\0\0\0\4\0\0\0"), {SIZE, .format = MEGURI_FORMAT_BIN64}},
    };
    for (size_t i = 0; i < sizeof trials / sizeof *trials; i++) with_every_failure(read_text, &trials[i], 5);
}

static void compressed(void **state) {
    (void)state;
    uint8_t room[200];
    z_stream z = {0};
    assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_in = (uint8_t *)(uintptr_t) "1 2\n3 4\n";
    z.avail_in = 8;
    z.next_out = room;
    z.avail_out = sizeof room;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    deflateEnd(&z);
    trial gzip = {"a.el.gz", {(char *)room, sizeof room - z.avail_out}, {SIZE}};
    with_every_failure(read_text, &gzip, 8);
    /* "1 2\n3 4\n" */
    trial xz = {"a.el.xz",
                BYTES("\xfd\x37\x7a\x58\x5a\x00\x00\x04\xe6\xd6\xb4\x46\x02\x00\x21\x01\x0c\x00\x00\x00\x8f\x98\x41\x9c"
                      "\x01\x00\x07"
                      "\x31\x20\x32\x0a\x33\x20\x34\x0a\x00\xbe\xcc\x81\x76\x54\xc0\xeb\x1f\x00\x01\x20\x08\xbb\x19\xd9"
                      "\xbb\x1f\xb6"
                      "\xf3\x7d\x01\x00\x00\x00\x00\x04\x59\x5a"),
                {SIZE}};
    with_every_failure(read_text, &xz, 8);
}

static char folder[FOLDER_TEXT], edges[FOLDER_TEXT + 8], coords[FOLDER_TEXT + 8];

static meguri_status read_files(meguri_ctx *ctx, void *user) {
    meguri_graph *graph;
    const char *paths[] = {edges, edges};
    meguri_status status = mg_read_files(&graph, ctx, paths, 2, 5, user);
    if (status != MEGURI_OK) assert_null(graph);
    meguri_graph_free(graph);
    return status;
}

static void write_text(const char *path, const char *text) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void pairs_of_files(void **state) {
    (void)state;
    char vertices[FOLDER_TEXT + 8];
    folder_new(folder);
    snprintf(edges, sizeof edges, "%s/g.e", folder);
    snprintf(vertices, sizeof vertices, "%s/g.v", folder);
    snprintf(coords, sizeof coords, "%s/g.co", folder);
    write_text(edges, "1 2\n2 3\n");
    write_text(vertices, "1\n2\n3\n4\n");
    write_text(coords, "p aux sp co 2\nv 1 2 3\nv 9 8 7\n");
    meguri_read_options options = {SIZE, .coordinates = coords};
    with_every_failure(read_files, &options, 10);
    options = (meguri_read_options){SIZE, .ids = MEGURI_IDS_STRING};
    with_every_failure(read_files, &options, 10);
    folder_remove(folder);
}

static meguri_status read_numbered(meguri_ctx *ctx, void *user) {
    meguri_graph *graph, *named;
    const char *path = user;
    bytes text = BYTES("source,target\nTokyo,\"a,b\"\n\"a,b\",Kobe\n");
    meguri_status status = mg_read_memory(&named, ctx, "a.csv", text.data, text.length, 9, NULL);
    if (status == MEGURI_OK) status = meguri_write(ctx, named, to_file(path), NULL);
    meguri_graph_free(named);
    if (status != MEGURI_OK) return status;
    status = mg_read_files(&graph, ctx, &path, 1, 5, NULL);
    if (status != MEGURI_OK) assert_null(graph);
    meguri_graph_free(graph);
    return status;
}

static void names_beside(void **state) {
    (void)state;
    char path[FOLDER_TEXT + 8];
    folder_new(folder);
    snprintf(path, sizeof path, "%s/g.mtx", folder);
    with_every_failure(read_numbered, path, 20);
    folder_remove(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formats),
        cmocka_unit_test(compressed),
        cmocka_unit_test(pairs_of_files),
        cmocka_unit_test(names_beside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
