/* What the writers write, the readers read: the same graph comes back, through every format and every compression. */
#define _GNU_SOURCE
#include "reading.h"
#include "support/sinks.h"

#include <unistd.h>

static char folder[200];

static int make_folder(void **state) {
    (void)state;
    const char *place = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/meguri-roundtrip-XXXXXX", place && *place ? place : "/tmp");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
    (void)state;
    char command[256];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

static meguri_graph *read_text(reading *r, bytes text, const meguri_read_options *options) {
    meguri_graph *graph;
    if (mg_read_memory(&graph, r->ctx, "a.txt", text.data, text.length, 0, options) != MEGURI_OK)
        fail_msg("refused: %s", meguri_ctx_error(r->ctx));
    return graph;
}

/* Writes to NAME and reads it back the same way round. */
static void there_and_back(bytes text, bool directed, const char *name, meguri_format format, bool weights) {
    reading r;
    meguri_graph *back;
    char path[256];
    const char *paths[] = {path};
    meguri_direction direction = directed ? MEGURI_DIRECTED : MEGURI_UNDIRECTED;
    meguri_read_options options = {
        .size = sizeof options,
        .build = &(meguri_build_options){
            .size = sizeof(meguri_build_options), .direction = direction, .keep_loops = 1, .ignore_weights = !weights}};
    reading_start(&r, 2);
    meguri_graph *graph = read_text(&r, text, &options);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (meguri_write(r.ctx, graph, to_file(path), NULL) != MEGURI_OK)
        fail_msg("%s not written: %s", name, meguri_ctx_error(r.ctx));
    options.format = format;
    if (mg_read_files(&back, r.ctx, paths, 1, 10, &options) != MEGURI_OK)
        fail_msg("%s not read: %s", name, meguri_ctx_error(r.ctx));
    char *want = graph_text(r.ctx, graph), *found = graph_text(r.ctx, back);
    /* The first line counts input edges, of which an undirected graph may have written both ends. */
    assert_string_equal(strchr(found, '\n'), strchr(want, '\n'));
    free(want);
    free(found);
    meguri_graph_free(graph);
    meguri_graph_free(back);
    reading_end(&r);
    unlink(path);
}

static const char *const compressions[] = {"", ".gz", ".zst", ".xz"};

static void in_every_compression(bytes text, bool directed, const char *suffix, meguri_format format, bool weights) {
    for (size_t i = 0; i < sizeof compressions / sizeof *compressions; i++) {
        char name[40];
        snprintf(name, sizeof name, "g%s%s", suffix, compressions[i]);
        there_and_back(text, directed, name, format, weights);
    }
}

/* Ids 1 … n, so that formats that number their vertices keep them. */
static void numbered(void **state) {
    (void)state;
    bytes whole = BYTES("1 2 5\n2 3 70000\n3 1 0\n4 4 9\n5 1 7\n2 5 6\n"),
          broken = BYTES("1 2 0.1\n2 3 -70000\n3 1 1e-300\n4 4 9\n5 1 3.5\n2 5 123456789.25\n");
    for (int directed = 0; directed < 2; directed++) {
        for (int weights = 0; weights < 2; weights++) {
            bytes texts[] = {whole, broken};
            for (size_t t = 0; t < 2; t++) {
                in_every_compression(texts[t], directed, weights ? ".wel" : ".el", MEGURI_FORMAT_AUTO, weights);
                in_every_compression(texts[t], directed, ".csv", MEGURI_FORMAT_AUTO, weights);
                in_every_compression(texts[t], directed, ".mtx", MEGURI_FORMAT_AUTO, weights);
                in_every_compression(texts[t], directed, ".e", MEGURI_FORMAT_AUTO, weights);
                if (weights && t == 0) in_every_compression(texts[t], directed, ".gr", MEGURI_FORMAT_AUTO, weights);
                if (!weights) in_every_compression(texts[t], directed, ".adj", MEGURI_FORMAT_ADJACENCY, weights);
            }
        }
        in_every_compression(whole, directed, ".bin32", MEGURI_FORMAT_BIN32, false);
        in_every_compression(whole, directed, ".bin48", MEGURI_FORMAT_BIN48, false);
        in_every_compression(whole, directed, ".bin64", MEGURI_FORMAT_BIN64, false);
    }
    bytes simple = BYTES("1 2 5\n2 3 7\n3 1 2\n5 1 7\n4 2 1\n");
    in_every_compression(simple, false, ".graph", MEGURI_FORMAT_AUTO, true);
    in_every_compression(simple, false, ".graph", MEGURI_FORMAT_AUTO, false);
}

static void other_ids(void **state) {
    (void)state;
    bytes wide = BYTES("0 18446744073709551615\n7 5000000000\n"), negative = BYTES("-7 3\n3 -9223372036854775808\n"),
          names = BYTES("New York\tS\xc3\xa3o Paulo\nRome\tNew York\n"),
          odd = BYTES("a,\"x, y\"\n\"say \"\"hi\"\"\",a\n");
    bytes texts[] = {wide, negative};
    for (size_t t = 0; t < 2; t++) {
        in_every_compression(texts[t], true, ".el", MEGURI_FORMAT_AUTO, false);
        in_every_compression(texts[t], true, ".csv", MEGURI_FORMAT_AUTO, false);
        in_every_compression(texts[t], true, ".e", MEGURI_FORMAT_AUTO, false);
        in_every_compression(texts[t], true, ".adj", MEGURI_FORMAT_ADJACENCY, false);
    }
    in_every_compression(wide, true, ".bin64", MEGURI_FORMAT_BIN64, false);
    in_every_compression(names, true, ".csv", MEGURI_FORMAT_AUTO, false);
    in_every_compression(odd, true, ".csv", MEGURI_FORMAT_AUTO, false);
    in_every_compression(names, true, ".el", MEGURI_FORMAT_AUTO, false);
    in_every_compression(names, true, ".adj", MEGURI_FORMAT_ADJACENCY, false);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(numbered), cmocka_unit_test(other_ids)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
