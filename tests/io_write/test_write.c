/* meguri_write: what small graphs look like in every format, to the byte; what is refused; what is logged. */
#define _GNU_SOURCE
#include "graph/internal.h"
#include "io/write.h"
#include "meg/graphs.h"
#include "support/sinks.h"

#include <float.h>
#include <math.h>
#include <meguri/partition.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include <cmocka.h>

static char folder[FOLDER_NAME], logged[4096];
static meguri_ctx *ctx;

static void remember(void *user, meguri_log_level level, const char *text) {
    (void)user;
    (void)level;
    size_t used = strlen(logged);
    snprintf(logged + used, sizeof logged - used, "%s\n", text);
}

static int set_up(void **state) {
    (void)state;
    meguri_ctx_options o = {.size = sizeof o, .threads = 2, .log = remember, .log_level = MEGURI_LOG_INFO};
    make_folder(folder);
    logged[0] = '\0';
    return meguri_ctx_new(&ctx, &o) != MEGURI_OK;
}

static int tear_down(void **state) {
    (void)state;
    bool leak = meguri_ctx_memory_used(ctx) != 0;
    remove_folder(folder);
    meguri_ctx_free(ctx);
    return leak;
}

static const char *in_folder(const char *name) {
    static char paths[4][FOLDER_NAME + 64];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

/* ---- graphs ----------------------------------------------------------------------------------------------------- */

typedef struct edge {
    uint64_t from, to;
    double weight;
} edge;

typedef struct recipe {
    const edge *edges;
    uint64_t count;
    bool weighted;
    meguri_build_options build;
    const char *const *names; /* ids are numbers of these */
    uint64_t vertices;
} recipe;

static meguri_graph *make(const recipe *r) {
    mg_edges *edges;
    meguri_graph *g;
    assert_int_equal(mg_edges_new(&edges, ctx), MEGURI_OK);
    mg_edge_block block = {.count = r->count, .id_bytes = 8};
    block.ends = mg_alloc_array(ctx, r->count, 16, "test");
    if (r->weighted) {
        block.weight_type = MEGURI_TYPE_F64;
        block.weights = mg_alloc_array(ctx, r->count, 8, "test");
    }
    for (uint64_t i = 0; i < r->count; i++) {
        ((uint64_t *)block.ends)[2 * i] = r->edges[i].from;
        ((uint64_t *)block.ends)[2 * i + 1] = r->edges[i].to;
        if (r->weighted) ((double *)block.weights)[i] = r->edges[i].weight;
        if ((int64_t)r->edges[i].from < 0 || (int64_t)r->edges[i].to < 0) mg_edges_set_signed(edges);
    }
    assert_int_equal(mg_edges_add(ctx, edges, &block), MEGURI_OK);
    if (r->names) {
        mg_names *names;
        uint32_t number;
        assert_int_equal(mg_names_new(&names, ctx), MEGURI_OK);
        for (uint64_t i = 0; i < r->vertices; i++)
            assert_int_equal(mg_names_add(ctx, names, r->names[i], strlen(r->names[i]), &number), MEGURI_OK);
        mg_edges_set_names(edges, names);
    } else if (r->vertices) assert_int_equal(mg_edges_declare(ctx, edges, 0, r->vertices), MEGURI_OK);
    meguri_build_options o = r->build;
    if (!o.direction) o.direction = MEGURI_DIRECTED;
    if (mg_graph_build(&g, ctx, edges, &o) != MEGURI_OK) fail_msg("%s", meguri_ctx_error(ctx));
    mg_edges_free(edges);
    return g;
}

static void written_as(const meguri_graph *g, const char *name, meguri_format format, const char *expected) {
    const char *path = in_folder(name);
    if (meguri_write(ctx, g, to_file(path), as_format(format)) != MEGURI_OK)
        fail_msg("%s: %s", name, meguri_ctx_error(ctx));
    size_t count;
    char *bytes = (char *)file_bytes(path, &count);
    bytes[count] = '\0';
    assert_string_equal(bytes, expected);
    free(bytes);
}

static void refused(const meguri_graph *g, const char *name, meguri_format format, const char *piece) {
    const char *path = in_folder(name);
    assert_int_equal(meguri_write(ctx, g, to_file(path), as_format(format)), MEGURI_BAD_ARGUMENT);
    const char *text = meguri_ctx_error(ctx);
    if (!strstr(text, piece) || !strstr(text, name) || text[strlen(text) - 1] != '.') fail_msg("%s", text);
    assert_int_equal(access(path, F_OK), -1);
}

static bool was_logged(const char *piece) {
    bool found = strstr(logged, piece) != NULL;
    logged[0] = '\0';
    return found;
}

#define AUTO MEGURI_FORMAT_AUTO

/* Roads of a village: 10, 20 and 30 are crossings, 7 a farm; the ids are not 1 … n. */
static const edge roads[] = {{10, 20, 3}, {20, 30, 4}, {30, 10, 5}, {20, 7, 250}};

static void directed_numbers(void **state) {
    (void)state;
    recipe r = {.edges = roads, .count = 4, .weighted = true, .build.order = MEGURI_ORDER_DEGREE};
    meguri_graph *g = make(&r);
    written_as(g, "a.el", AUTO, "10 20\n20 7\n20 30\n30 10\n");
    assert_true(was_logged("weights of the graph are not written"));
    written_as(g, "a.wel", AUTO, "10 20 3\n20 7 250\n20 30 4\n30 10 5\n");
    assert_string_equal(logged, "");
    written_as(g, "a.csv", AUTO, "source,target,weight\n10,20,3\n20,7,250\n20,30,4\n30,10,5\n");
    written_as(g, "a.mtx", AUTO,
               "%%MatrixMarket matrix coordinate integer general\n4 4 4\n2 3 3\n3 1 250\n3 4 4\n4 2 5\n");
    assert_true(was_logged("vertex k of the file is the k-th id"));
    written_as(g, "a.gr", AUTO, "p sp 4 4\na 2 3 3\na 3 1 250\na 3 4 4\na 4 2 5\n");
    assert_int_equal(access(in_folder("a.co"), F_OK), -1);
    written_as(g, "a.adj", AUTO, "7\n10 20\n20 7 30\n30 10\n");
    written_as(g, "a.e", AUTO, "10 20 3\n20 7 250\n20 30 4\n30 10 5\n");
    assert_true(was_logged("a.v was written beside"));
    size_t count;
    char *v = (char *)file_bytes(in_folder("a.v"), &count);
    assert_int_equal(count, 11);
    assert_memory_equal(v, "7\n10\n20\n30\n", 11);
    free(v);
    written_as(g, "a-relationships.csv", AUTO,
               ":START_ID,:END_ID,:TYPE,weight:long\n10,20,EDGE,3\n20,7,EDGE,250\n20,30,EDGE,4\n30,10,EDGE,5\n");
    assert_true(was_logged("a-nodes.csv was written beside"));
    v = (char *)file_bytes(in_folder("a-nodes.csv"), &count);
    static const char nodes[] = "uid:ID,:LABEL\n7,Vertex\n10,Vertex\n20,Vertex\n30,Vertex\n";
    assert_int_equal(count, sizeof nodes - 1);
    assert_memory_equal(v, nodes, count);
    free(v);
    /* A name says the format where the suffix does not; a suffix says more where they agree. */
    written_as(g, "a.txt", MEGURI_FORMAT_EDGELIST, "10 20 3\n20 7 250\n20 30 4\n30 10 5\n");
    written_as(g, "b.el", MEGURI_FORMAT_EDGELIST, "10 20\n20 7\n20 30\n30 10\n");
    written_as(g, "b.el", MEGURI_FORMAT_ADJACENCY, "7\n10 20\n20 7 30\n30 10\n");
    refused(g, "a.graph", AUTO, "undirected");
    refused(g, "a.pace", MEGURI_FORMAT_PACE, "undirected");
    refused(g, "a.txt2", AUTO, "does not say which format");
    refused(g, "el", AUTO, "does not say which format");
    refused(g, "a.wel.bz2", AUTO, "one of .el .wel .csv ");
    written_as(g, "A.EL", AUTO, "10 20\n20 7\n20 30\n30 10\n"); /* capitals do not matter */
    refused(g, "a.gz", AUTO, "does not say which format");
    refused(g, "a.el2", (meguri_format)99, "no format with the number");
    refused(g, "b.co", AUTO, "no coordinates");
    meguri_graph_free(g);
}

static void undirected_numbers(void **state) {
    (void)state;
    static const edge edges[] = {{1, 2, 1}, {2, 3, 2}, {1, 3, 3}};
    recipe r = {.edges = edges, .count = 3, .weighted = true, .build.direction = MEGURI_UNDIRECTED};
    meguri_graph *g = make(&r);
    written_as(g, "a.wel", AUTO, "1 2 1\n1 3 3\n2 1 1\n2 3 2\n3 1 3\n3 2 2\n");
    written_as(g, "a.mtx", AUTO, "%%MatrixMarket matrix coordinate integer symmetric\n3 3 3\n2 1 1\n3 1 3\n3 2 2\n");
    assert_string_equal(logged, ""); /* the ids are 1 … n */
    written_as(g, "a.graph", AUTO, "3 3 1\n2 1 3 3\n1 1 3 2\n1 3 2 2\n");
    written_as(g, "a.gr", MEGURI_FORMAT_PACE, "p tw 3 3\n2 1\n3 1\n3 2\n");
    assert_true(was_logged("weights of the graph are not written"));
    written_as(g, "a.gr", AUTO, "p sp 3 6\na 1 2 1\na 1 3 3\na 2 1 1\na 2 3 2\na 3 1 3\na 3 2 2\n");
    meguri_graph_free(g);
    r.build.ignore_weights = 1;
    r.vertices = 5; /* 0 and 4 are isolated */
    g = make(&r);
    written_as(g, "b.el", AUTO, "1 2\n1 3\n2 1\n2 3\n3 1\n3 2\n");
    assert_true(was_logged("2 vertices have no edge"));
    written_as(g, "b.wel", AUTO, "1 2 1\n1 3 1\n2 1 1\n2 3 1\n3 1 1\n3 2 1\n");
    assert_true(was_logged("every arc gets the weight 1"));
    written_as(g, "b.graph", AUTO, "5 3\n\n3 4\n2 4\n2 3\n\n");
    written_as(g, "b.mtx", AUTO, "%%MatrixMarket matrix coordinate pattern symmetric\n5 5 3\n3 2\n4 2\n4 3\n");
    written_as(g, "b.adj", AUTO, "0\n1 2 3\n2 1 3\n3 1 2\n4\n");
    written_as(g, "b.csv", AUTO, "source,target\n1,2\n1,3\n2,1\n2,3\n3,1\n3,2\n");
    meguri_graph_free(g);
}

static void loops_and_parallel_edges(void **state) {
    (void)state;
    static const edge edges[] = {{1, 1, 9}, {1, 2, 5}, {1, 2, 3}, {2, 1, 4}};
    recipe r = {.edges = edges,
                .count = 4,
                .weighted = true,
                .build = {.direction = MEGURI_UNDIRECTED, .duplicates = MEGURI_DUPLICATES_KEEP, .keep_loops = 1}};
    meguri_graph *g = make(&r);
    written_as(g, "a.wel", AUTO, "1 1 9\n1 2 3\n1 2 4\n1 2 5\n2 1 3\n2 1 4\n2 1 5\n");
    written_as(g, "a.mtx", AUTO,
               "%%MatrixMarket matrix coordinate integer symmetric\n2 2 4\n1 1 9\n2 1 3\n2 1 4\n2 1 5\n");
    refused(g, "a.graph", AUTO, "from a vertex to itself");
    meguri_graph_free(g);
}

static void fractions(void **state) {
    (void)state;
    static const edge edges[] = {{1, 2, 0.1}, {1, 3, 1e-7}, {1, 4, 1e22}, {1, 5, -2.5}, {1, 6, 1.0 / 3}, {1, 7, 3}};
    recipe r = {.edges = edges, .count = 6, .weighted = true};
    meguri_graph *g = make(&r);
    written_as(g, "a.wel", AUTO, "1 2 0.1\n1 3 1e-7\n1 4 1e22\n1 5 -2.5\n1 6 0.3333333333333333\n1 7 3\n");
    written_as(g, "a.mtx", AUTO,
               "%%MatrixMarket matrix coordinate real general\n7 7 6\n1 2 0.1\n1 3 1e-7\n1 4 1e22\n1 5 -2.5\n"
               "1 6 0.3333333333333333\n1 7 3\n");
    refused(g, "a.gr", AUTO, "whole weights");
    meguri_graph_free(g);
    /* Whole weights that are negative: DIMACS has them, METIS has not. */
    static const edge below[] = {{1, 2, -3}, {2, 3, 4e9}};
    recipe b = {.edges = below, .count = 2, .weighted = true, .build.direction = MEGURI_UNDIRECTED};
    g = make(&b);
    written_as(g, "b.gr", AUTO, "p sp 3 4\na 1 2 -3\na 2 1 -3\na 2 3 4000000000\na 3 2 4000000000\n");
    refused(g, "b.graph", AUTO, "whole weights from 1 on");
    meguri_graph_free(g);
}

static void string_ids(void **state) {
    (void)state;
    static const char *const tame[] = {"Shin-Osaka", "\xe6\x9d\xb1\xe4\xba\xac", "Den Haag", "a,b"};
    static const edge edges[] = {{0, 1, 2}, {1, 2, 1}, {2, 0, 7}, {2, 3, 7}};
    recipe r = {.edges = edges, .count = 4, .weighted = true, .names = tame, .vertices = 4};
    meguri_graph *g = make(&r);
    written_as(g, "a.wel", AUTO,
               "Shin-Osaka\t\xe6\x9d\xb1\xe4\xba\xac\t2\n\xe6\x9d\xb1\xe4\xba\xac\tDen Haag\t1\n"
               "Den Haag\tShin-Osaka\t7\nDen Haag\ta,b\t7\n");
    written_as(g, "a.csv", AUTO,
               "source,target,weight\nShin-Osaka,\xe6\x9d\xb1\xe4\xba\xac,2\n\xe6\x9d\xb1\xe4\xba\xac,Den Haag,1\n"
               "Den Haag,Shin-Osaka,7\nDen Haag,\"a,b\",7\n");
    written_as(g, "a.adj", AUTO,
               "Shin-Osaka\t\xe6\x9d\xb1\xe4\xba\xac\n\xe6\x9d\xb1\xe4\xba\xac\tDen Haag\n"
               "Den Haag\tShin-Osaka\ta,b\na,b\n");
    written_as(g, "a.mtx", AUTO,
               "%%MatrixMarket matrix coordinate integer general\n4 4 4\n1 2 2\n2 3 1\n3 1 7\n3 4 7\n");
    assert_true(was_logged("a.names.csv was written beside"));
    meguri_graph_free(g);

    static const char *const wild[] = {"",         "two\nlines", "tab\tbed", " blank",  "blank ",
                                       "#comment", "%x",         "//y",      "quo\"te", "cr\r"};
    static const edge one[] = {{0, 1, 1}};
    for (size_t i = 0; i < 10; i++) {
        const char *const pair[] = {"plain", wild[i]};
        recipe w = {.edges = one, .count = 1, .names = pair, .vertices = 2};
        g = make(&w);
        if (i != 8) {
            refused(g, "w.el", AUTO, "this format cannot hold");
            refused(g, "w.adj", AUTO, "this format cannot hold");
            refused(g, "w.e", AUTO, "this format cannot hold");
        } else written_as(g, "quote.el", AUTO, "plain\tquo\"te\n");
        char expected[64];
        snprintf(expected, sizeof expected, "source,target\nplain,\"%s\"\n", i == 8 ? "quo\"\"te" : wild[i]);
        written_as(g, "w.csv", AUTO, expected);
        meguri_graph_free(g);
    }
}

static void compressed(void **state) {
    (void)state;
    static const edge edges[] = {{1, 0x1234567890ab, 1}, {0xffffffffffff, 2, 1}};
    recipe r = {.edges = edges, .count = 2};
    meguri_graph *g = make(&r);
    static const unsigned char bytes48[24] = {1,    0,    0,    0,    0xab, 0x90, 0x78, 0x56, 0,    0,    0x34, 0x12,
                                              0xff, 0xff, 0xff, 0xff, 2,    0,    0,    0,    0xff, 0xff, 0,    0};
    assert_int_equal(meguri_write(ctx, g, to_file(in_folder("a.bin48")), NULL), MEGURI_OK);
    size_t count;
    unsigned char *bytes = file_bytes(in_folder("a.bin48"), &count);
    assert_int_equal(count, 24);
    assert_memory_equal(bytes, bytes48, 24);
    free(bytes);
    refused(g, "a.bin32", AUTO, "281474976710655");
    meguri_graph_free(g);
    static const edge wide[] = {{0, UINT64_C(1) << 48, 1}};
    recipe w = {.edges = wide, .count = 1};
    g = make(&w);
    refused(g, "w.bin48", AUTO, "does not fit into 48 bits");
    meguri_graph_free(g);
    static const edge negative[] = {{(uint64_t)-5, 3, 1}};
    recipe n = {.edges = negative, .count = 1};
    g = make(&n);
    refused(g, "n.bin64", AUTO, "negative");
    written_as(g, "n.el", AUTO, "-5 3\n");
    meguri_graph_free(g);
}

static void coordinates(void **state) {
    (void)state;
    recipe r = {.edges = roads, .count = 4, .weighted = true};
    meguri_graph *g = make(&r);
    static const uint64_t ids[] = {20, 7, 10};
    static const double x[] = {7411111, 139.767125, -0.5}, y[] = {-43000000, 35.681236, 1e-9};
    assert_int_equal(mg_graph_set_coordinates(ctx, g, ids, x, y, 3), MEGURI_OK);
    const char *co = "p aux sp co 3\nv 1 139.767125 35.681236\nv 2 -0.5 1e-9\nv 3 7411111 -43000000\n";
    written_as(g, "a.gr", AUTO, "p sp 4 4\na 2 3 3\na 3 1 250\na 3 4 4\na 4 2 5\n");
    assert_true(was_logged("a.co was written beside"));
    written_as(g, "b.co", AUTO, co);
    size_t count;
    char *beside = (char *)file_bytes(in_folder("a.co"), &count);
    assert_int_equal(count, strlen(co));
    assert_memory_equal(beside, co, count);
    free(beside);
    meguri_graph_free(g);
}

static void empty_graphs(void **state) {
    (void)state;
    recipe r = {.count = 0};
    meguri_graph *g = make(&r);
    written_as(g, "a.el", AUTO, "");
    written_as(g, "a.csv", AUTO, "source,target\n");
    written_as(g, "a.mtx", AUTO, "%%MatrixMarket matrix coordinate pattern general\n0 0 0\n");
    written_as(g, "a.gr", AUTO, "p sp 0 0\n");
    written_as(g, "a.adj", AUTO, "");
    written_as(g, "a.bin64", AUTO, "");
    meguri_graph_free(g);
    r.build.direction = MEGURI_UNDIRECTED;
    r.vertices = 2;
    g = make(&r);
    written_as(g, "b.graph", AUTO, "2 0\n\n\n");
    written_as(g, "b.pace", MEGURI_FORMAT_PACE, "p tw 2 0\n");
    written_as(g, "b.e", AUTO, "");
    meguri_graph_free(g);
}

/* Compressed pieces in a row are one file; what is empty is a valid compressed file too. */
static void zstd_files(void **state) {
    (void)state;
    meguri_graph *g = make_large_graph(ctx, 150000, 3);
    assert_int_equal(meguri_write(ctx, g, to_file(in_folder("a.wel")), NULL), MEGURI_OK);
    assert_int_equal(meguri_write(ctx, g, to_file(in_folder("a.wel.zst")), NULL), MEGURI_OK);
    size_t plain, compressed_bytes;
    unsigned char *text = file_bytes(in_folder("a.wel"), &plain),
                  *z = file_bytes(in_folder("a.wel.zst"), &compressed_bytes);
    unsigned char *back = malloc(plain + 1);
    assert_non_null(back);
    assert_true(compressed_bytes < plain / 2);
    assert_int_equal(ZSTD_decompress(back, plain + 1, z, compressed_bytes), plain);
    assert_memory_equal(text, back, plain);
    free(text);
    free(z);
    free(back);
    meguri_graph_free(g);
    recipe r = {.count = 0};
    g = make(&r);
    assert_int_equal(meguri_write(ctx, g, to_file(in_folder("e.el.zst")), NULL), MEGURI_OK);
    z = file_bytes(in_folder("e.el.zst"), &compressed_bytes);
    assert_true(compressed_bytes > 4);
    unsigned char nothing;
    assert_int_equal(ZSTD_decompress(&nothing, 1, z, compressed_bytes), 0);
    free(z);
    meguri_graph_free(g);
}

static void into_a_pipe(void **state) {
    (void)state;
    recipe r = {.edges = roads, .count = 4, .weighted = true};
    meguri_graph *g = make(&r);
    int ends[2];
    char name[32], text[128] = {0};
    assert_int_equal(pipe(ends), 0);
    snprintf(name, sizeof name, "/dev/fd/%d", ends[1]);
    assert_int_equal(meguri_write(ctx, g, to_file(name), as_format(MEGURI_FORMAT_LDBC)), MEGURI_OK); /* and no .v */
    close(ends[1]);
    assert_int_equal(read(ends[0], text, sizeof text), 33);
    assert_string_equal(text, "10 20 3\n20 7 250\n20 30 4\n30 10 5\n");
    close(ends[0]);
    assert_int_equal(meguri_write(ctx, g, to_file("/dev/full"), as_format(MEGURI_FORMAT_CSV)), MEGURI_NO_DISK);
    meguri_graph_free(g);
}

/* ---- what comes with a file ------------------------------------------------------------------------------------- */

static void empty_file(const char *path) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fclose(file);
}

static void read_beside(void **state) {
    (void)state;
    static const char *const compressions[] = {".xz", ".zst", ".gz", ""}; /* the last is looked for first */
    char name[FOLDER_NAME + 64];
    for (int given = 0; given < 4; given++) {
        char path[FOLDER_NAME + 64];
        snprintf(path, sizeof path, "%s/g.e%s", folder, compressions[given]);
        assert_int_equal(meguri_read_beside(name, sizeof name, path, AUTO), 0);
        assert_string_equal(name, "");
        for (int there = 0; there < 4; there++) {
            char vertices[FOLDER_NAME + 64];
            snprintf(vertices, sizeof vertices, "%s/g.v%s", folder, compressions[there]);
            empty_file(vertices);
            assert_int_equal(meguri_read_beside(name, sizeof name, path, AUTO), strlen(vertices));
            assert_string_equal(name, vertices);
            assert_int_equal(meguri_read_beside(name, sizeof name, path, MEGURI_FORMAT_LDBC), strlen(vertices));
            assert_int_equal(meguri_read_beside(NULL, 0, path, AUTO), strlen(vertices));
            assert_int_equal(meguri_read_beside(name, sizeof name, path, MEGURI_FORMAT_EDGELIST), 0);
            assert_string_equal(name, "");
        }
        for (int there = 0; there < 4; there++) {
            snprintf(path, sizeof path, "%s/g.v%s", folder, compressions[there]);
            unlink(path);
        }
    }
    empty_file(in_folder("g.v"));
    size_t length = meguri_read_beside(name, 4, in_folder("g.e"), AUTO);
    assert_int_equal(length, strlen(in_folder("g.v")));
    assert_int_equal(strlen(name), 3); /* cut as snprintf cuts */
    assert_int_equal(meguri_read_beside(name, sizeof name, in_folder("g.el"), AUTO), 0);
    assert_int_equal(meguri_read_beside(name, sizeof name, "-", AUTO), 0);
    assert_int_equal(meguri_read_beside(name, sizeof name, ".e", AUTO), 0);
    assert_int_equal(meguri_read_beside(name, sizeof name, NULL, AUTO), 0);
    char *endless = calloc(1, 100000);
    assert_non_null(endless);
    memset(endless, 'x', 99990);
    strcpy(endless + 99990, ".e");
    assert_int_equal(meguri_read_beside(name, sizeof name, endless, AUTO), 0);
    free(endless);
}

/* It tells what meguri_write then does. */
static void write_beside(void **state) {
    (void)state;
    static const struct {
        const char *path, *beside;
        meguri_format format;
    } cases[] = {{"a.e", "a.v", AUTO},
                 {"a.e.gz", "a.v.gz", AUTO},
                 {"a.el", NULL, AUTO},
                 {"a.meg", NULL, AUTO},
                 {"a.gr", NULL, AUTO},
                 {"a", "a.v", MEGURI_FORMAT_LDBC},
                 {"a.csv.zst", NULL, AUTO},
                 {"relationships.csv", "nodes.csv", AUTO},
                 {"a-Relationships.CSV.xz", "a-nodes.csv.xz", AUTO},
                 {"a.e", NULL, MEGURI_FORMAT_CSV}};
    recipe r = {.edges = roads, .count = 4, .weighted = true};
    meguri_graph *g = make(&r);
    char name[FOLDER_NAME + 64];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t length = meguri_write_beside(name, sizeof name, g, in_folder(cases[i].path), cases[i].format);
        assert_int_equal(length, strlen(name));
        assert_string_equal(name, cases[i].beside ? in_folder(cases[i].beside) : "");
        assert_int_equal(meguri_write(ctx, g, to_file(in_folder(cases[i].path)), as_format(cases[i].format)),
                         MEGURI_OK);
        if (cases[i].beside) assert_int_equal(unlink(name), 0);
        assert_int_equal(access(in_folder("a.v"), F_OK), -1);
        assert_int_equal(unlink(in_folder(cases[i].path)), 0);
    }
    assert_int_equal(meguri_write_beside(name, sizeof name, NULL, "a.gr.xz", AUTO), strlen("a.co.xz"));
    assert_string_equal(name, "a.co.xz"); /* if it has coordinates */
    assert_int_equal(meguri_write_beside(name, sizeof name, NULL, "-", AUTO), 0);
    assert_int_equal(meguri_write_beside(name, sizeof name, NULL, NULL, AUTO), 0);
    assert_int_equal(meguri_write_beside(name, sizeof name, g, "a.e", (meguri_format)99), 0);
    meguri_graph_free(g);
}

static void arguments(void **state) {
    (void)state;
    recipe r = {.edges = roads, .count = 4};
    meguri_graph *g = make(&r), *back;
    assert_int_equal(meguri_write(NULL, g, to_file("x.el"), NULL), MEGURI_BAD_ARGUMENT);
    assert_int_equal(meguri_write(ctx, NULL, to_file("x.el"), NULL), MEGURI_BAD_ARGUMENT);
    assert_int_equal(meguri_write(ctx, g, to_file(NULL), NULL), MEGURI_BAD_ARGUMENT);
    assert_int_equal(meguri_write(ctx, g, to_file(in_folder("a.meg")), NULL), MEGURI_OK);
    assert_int_equal(meguri_open(&back, ctx, in_folder("a.meg"), NULL), MEGURI_OK);
    assert_null(graphs_differ(ctx, g, back));
    written_as(back, "a.el", AUTO, "10 20\n20 7\n20 30\n30 10\n");
    meguri_graph_free(back);
    /* If the file beside cannot be written, neither is the other. */
    assert_int_equal(meguri_write(ctx, g, to_file(in_folder("none/a.e")), NULL), MEGURI_BAD_ARGUMENT);
    char blocked[FOLDER_NAME + 64];
    snprintf(blocked, sizeof blocked, "mkdir '%s'", in_folder("b.v"));
    assert_int_equal(system(blocked), 0);
    assert_int_equal(meguri_write(ctx, g, to_file(in_folder("b.e")), NULL), MEGURI_BAD_ARGUMENT);
    assert_int_equal(access(in_folder("b.e"), F_OK), -1);
    meguri_graph_free(g);
}

static int stop(void *user, const char *phase, uint64_t done, uint64_t total) {
    (void)user;
    (void)phase;
    assert_true(done <= total);
    return 1;
}

static void cancelled(void **state) {
    (void)state;
    meguri_ctx *impatient;
    meguri_ctx_options o = {.size = sizeof o, .threads = 2, .progress = stop};
    assert_int_equal(meguri_ctx_new(&impatient, &o), MEGURI_OK);
    meguri_graph *g = make_large_graph(ctx, 1500000, 4);
    assert_int_equal(meguri_write(impatient, g, to_file(in_folder("a.wel.xz")), NULL), MEGURI_CANCELLED);
    assert_int_equal(access(in_folder("a.wel.xz"), F_OK), -1);
    meguri_graph_free(g);
    meguri_ctx_free(impatient);
}

/* ---- numbers ---------------------------------------------------------------------------------------------------- */

static void whole_numbers(void **state) {
    (void)state;
    char ours[32], theirs[32];
    uint64_t random = 1;
    for (int i = 0; i < 200000; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        uint64_t value = i < 64 ? ((uint64_t)1 << i) - 1 : i < 84 ? (uint64_t)pow(10, i - 64) : random >> (random % 64);
        if (i == 84) value = UINT64_MAX;
        *mg_put_u64(ours, value) = '\0';
        snprintf(theirs, sizeof theirs, "%llu", (unsigned long long)value);
        assert_string_equal(ours, theirs);
        *mg_put_i64(ours, (int64_t)value) = '\0';
        snprintf(theirs, sizeof theirs, "%lld", (long long)(int64_t)value);
        assert_string_equal(ours, theirs);
    }
    *mg_put_i64(ours, INT64_MIN) = '\0';
    assert_string_equal(ours, "-9223372036854775808");
}

/* Reads back exactly, and one digit less does not: the C library is the judge (check_written.py has Python's repr). */
static void doubles(void **state) {
    (void)state;
    static const double special[] = {0.1,     0.3,     1e23,  5e-324, DBL_MIN, DBL_MAX, 1e17, 1e16, 123456.789,
                                     1e-5,    1.5,     -4.35, 1e22,   1e21,    2e-3,    1,    -1,   4503599627370497.5,
                                     9.5e-07, 1.0 / 3, 1e-4};
    mg_powers *powers;
    assert_int_equal(mg_powers_new(&powers, ctx), MEGURI_OK);
    uint64_t random = 7;
    for (int i = 0; i < 100000; i++) {
        char text[64], shorter[64];
        random = random * 6364136223846793005u + 1442695040888963407u;
        uint64_t bits = random ^ random >> 29;
        double value;
        memcpy(&value, &bits, 8);
        if (i < (int)(sizeof special / sizeof *special)) value = special[i];
        else if (i % 4 == 1) value = (double)(float)(random >> 40) / 16777216; /* as Graph500's weights */
        else if (i % 4 == 2) value = ldexp(1, (int)(random >> 33) % 2000 - 1000);
        if (isnan(value) || isinf(value)) continue;
        char *end = mg_put_double(text, powers, value);
        assert_true(end - text <= 24);
        *end = '\0';
        if (strtod(text, NULL) != value) fail_msg("%s is not %.17g", text, value);
        int digits = 0, zeros = 0; /* significant ones, and zeros at their end */
        for (char *c = text; *c && *c != 'e'; c++) {
            if (*c < '0' || *c > '9' || (!digits && *c == '0')) continue;
            digits++;
            zeros = *c == '0' ? zeros + 1 : 0;
        }
        digits -= zeros;
        if (fabs(value) < 9e15 && value == floor(value)) continue; /* whole numbers are written out */
        snprintf(shorter, sizeof shorter, "%.*e", digits - 2 < 0 ? 0 : digits - 2, value);
        if (digits > 1 && strtod(shorter, NULL) == value) fail_msg("%s could be %s", text, shorter);
    }
    char text[64];
    *mg_put_double(text, powers, INFINITY) = '\0';
    assert_string_equal(text, "inf");
    *mg_put_double(text, powers, -0.0) = '\0';
    assert_string_equal(text, "0");
    *mg_put_double(text, powers, (double)0.1f) = '\0';
    assert_string_equal(text, "0.10000000149011612");
    mg_powers_free(powers);
}

static int stop_in_writing(void *user, const char *phase, uint64_t done, uint64_t total) {
    (void)user, (void)total;
    return strcmp(phase, "write") == 0 && done > 0;
}

/* However few vertices each of many parts has, a cancel is heard between them; then nothing is left. */
static void cancelled_parts(void **state) {
    (void)state;
    enum { VERTICES = 4090 };
    uint32_t from[VERTICES], to[VERTICES];
    for (uint32_t i = 0; i < VERTICES; i++) from[i] = i, to[i] = (i + 1) % VERTICES;
    const meguri_edge_arrays e = {.size = sizeof e, .count = VERTICES, .from = from, .to = to, .id_bytes = 4};
    const meguri_ctx_options o = {.size = sizeof o, .progress = stop_in_writing};
    const meguri_partition_options parts = {.size = sizeof parts, .parts = VERTICES};
    char path[FOLDER_NAME + 10];
    snprintf(path, sizeof path, "%s/parts", folder);
    meguri_ctx *own;
    meguri_graph *graph;
    assert_int_equal(meguri_ctx_new(&own, &o), MEGURI_OK);
    assert_int_equal(meguri_graph_from_edges(&graph, own, &e, NULL), MEGURI_OK);
    assert_int_equal(meguri_partition(NULL, own, graph, path, &parts), MEGURI_CANCELLED);
    assert_int_not_equal(access(path, F_OK), 0);
    meguri_graph_free(graph);
    meguri_ctx_free(own);
}

int main(void) {
#define T(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        T(directed_numbers), T(undirected_numbers), T(loops_and_parallel_edges),
        T(fractions),        T(string_ids),         T(compressed),
        T(coordinates),      T(empty_graphs),       T(zstd_files),
        T(into_a_pipe),      T(read_beside),        T(write_beside),
        T(arguments),        T(cancelled),          T(whole_numbers),
        T(doubles),          T(cancelled_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
