/* Columns of edges with hostile names, written and read back: the same graph with the same columns, without the columns
 * where none are asked for, or a sentence before anything is written. In CSV, in Neo4j's format, and in partitions. */
#define _GNU_SOURCE
#include "io/read.h"
#include "meg/graphs.h"
#include "support/sinks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { VERTICES = 6, EDGES = 9, MOST = 5, CASES = 150 };

/* Of which columns get their names, alone or one behind another. */
static const char *const pieces[] = {"a",
                                     "a\"b",
                                     ":START_ID",
                                     ":END_ID",
                                     ":TYPE",
                                     ":ID",
                                     ":ID(P)",
                                     ":LABEL",
                                     ":IGNORE",
                                     "name:ID",
                                     "weight",
                                     "Weight",
                                     "w e i g h t",
                                     " weight",
                                     "weight ",
                                     "weight:double",
                                     "cost",
                                     "distance",
                                     "len",
                                     "w",
                                     "source",
                                     "target",
                                     "SOURCE",
                                     "from",
                                     "to",
                                     "u",
                                     "v",
                                     "parent",
                                     "type",
                                     "Type",
                                     "kind",
                                     "id",
                                     "Id",
                                     "label",
                                     "x",
                                     "y",
                                     "lat",
                                     "lon",
                                     "count",
                                     " a",
                                     "a ",
                                     "  ",
                                     "\t",
                                     "a\tb",
                                     "a\nb",
                                     "a\r",
                                     "\r\n",
                                     ",",
                                     "a,b",
                                     "a;b",
                                     ";",
                                     "|",
                                     "\"",
                                     "\"\"",
                                     "'",
                                     "\"a\"",
                                     "#a",
                                     "%%MatrixMarket",
                                     "//",
                                     "a:b",
                                     "a:long",
                                     "a:u8",
                                     "a:column",
                                     ":column",
                                     "weight:column",
                                     ":",
                                     "::",
                                     "a(b)",
                                     "a{b",
                                     "a[]",
                                     "()",
                                     "unnamed: 0",
                                     "Unnamed",
                                     "1",
                                     "007",
                                     "-1.5",
                                     "NaN",
                                     "null",
                                     "true",
                                     "sep=;",
                                     "\xc3\xa9t\xc3\xa9",
                                     "\xe6\x9d\xb1\xe4\xba\xac",
                                     "\xef\xbb\xbf",
                                     "\x01",
                                     "p sp 3 2",
                                     "index",
                                     "edge",
                                     "predicate",
                                     "EDGE",
                                     "type_2",
                                     "edge_weight",
                                     "edge_edge_weight",
                                     "edge_"};
enum { PIECES = sizeof pieces / sizeof *pieces };

static char folder[FOLDER_NAME];
static meguri_ctx *ctx;
static uint64_t state_of_random = 0x27c0ffee;

static uint32_t draw(uint32_t below) {
    state_of_random = state_of_random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state_of_random >> 33) % below;
}

static bool weights_warned; /* that a property of Neo4j will be taken for the weights */
static void keep(void *user, meguri_log_level level, const char *text) {
    (void)user;
    weights_warned |= level == MEGURI_LOG_WARNING && strstr(text, "also taken for the weights");
}

static int set_up(void **state) {
    (void)state;
    make_folder(folder);
    meguri_ctx_options options = {.size = sizeof options, .threads = 2, .log = keep, .log_level = MEGURI_LOG_WARNING};
    return meguri_ctx_new(&ctx, &options) == MEGURI_OK ? 0 : -1;
}

static int tear_down(void **state) {
    (void)state;
    remove_folder(folder);
    assert_int_equal(meguri_ctx_memory_used(ctx), 0);
    meguri_ctx_free(ctx);
    return 0;
}

/* The columns of a case; values of edge e in column c are c * EDGES + e, or text that begins so. */
typedef struct columns {
    char names[MOST][128];
    meguri_column_data what[MOST];
    uint32_t count;
    bool weighted, words; /* the first is one of types */
    uint32_t values[MOST][EDGES];
    char labels[EDGES][16];
    const char *label_of[EDGES];
} columns;

static bool is_new(const columns *c, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(c->names[i], c->names[count]) == 0) return false;
    return true;
}

static void choose(columns *c, uint32_t number) {
    static const char *const words[] = {"Directed", "Undirected", "road", "3", "", "a,\"b\"", "#", " x"};
    *c = (columns){.count = 1 + draw(MOST), .weighted = draw(2), .words = draw(4) == 0};
    if (number < 2 * PIECES) { /* each name alone, without weights and with them */
        c->count = 1;
        c->weighted = number % 2;
    }
    for (uint32_t i = 0; i < c->count; i++) {
        do {
            const char *first = pieces[number < 2 * PIECES ? number / 2 : draw(PIECES)];
            snprintf(c->names[i], sizeof c->names[i], "%s%s", first,
                     draw(3) || number < 2 * PIECES ? "" : pieces[draw(PIECES)]);
        } while (!is_new(c, i));
        c->what[i] = (meguri_column_data){.size = sizeof c->what[i], .name = c->names[i]};
        for (uint32_t e = 0; e < EDGES; e++) c->values[i][e] = 300 * i + e;
        c->what[i].values = c->values[i];
        c->what[i].type = MEGURI_TYPE_U32;
    }
    if (!c->words) return;
    for (uint32_t e = 0; e < EDGES; e++) {
        const char *word = draw(3) ? words[draw(2)] : words[draw(8)];
        snprintf(c->labels[e], sizeof c->labels[e], draw(2) ? "%s" : "%s%u", word, e);
        c->label_of[e] = c->labels[e];
    }
    c->what[0].kind = MEGURI_COLUMN_TYPES;
    c->what[0].labels = c->label_of;
    c->what[0].label_count = EDGES;
}

/* Each edge once, so that none is merged; every vertex has one. */
static meguri_graph *make(const columns *c) {
    uint64_t from[EDGES], to[EDGES];
    double weights[EDGES];
    meguri_column_data what[MOST];
    for (uint64_t e = 0; e < EDGES; e++) {
        from[e] = e % VERTICES;
        to[e] = (e + 1 + e / VERTICES) % VERTICES;
        weights[e] = 1000 + (double)e;
    }
    meguri_builder *builder;
    meguri_graph *graph;
    for (uint32_t i = 0; i < c->count; i++) what[i] = c->what[i];
    if (c->words) { /* blocks bring the labels */
        what[0].labels = NULL;
        what[0].label_count = 0;
    }
    meguri_builder_options options = {.size = sizeof options, .columns = what, .column_count = c->count};
    options.build = &(meguri_build_options){.size = sizeof(meguri_build_options), .direction = MEGURI_DIRECTED};
    const meguri_edge_arrays edges = {.size = sizeof edges,
                                      .from = from,
                                      .to = to,
                                      .weights = c->weighted ? weights : NULL,
                                      .weight_type = c->weighted ? MEGURI_TYPE_F64 : MEGURI_TYPE_NONE,
                                      .count = EDGES,
                                      .columns = c->what,
                                      .column_count = c->count};
    if (meguri_builder_new(&builder, ctx, &options) != MEGURI_OK) fail_msg("%s", meguri_ctx_error(ctx));
    if (meguri_builder_add(ctx, builder, 0, &edges) != MEGURI_OK) fail_msg("%s", meguri_ctx_error(ctx));
    if (meguri_builder_finish(&graph, ctx, builder) != MEGURI_OK) fail_msg("%s", meguri_ctx_error(ctx));
    meguri_builder_free(builder);
    return graph;
}

/* The graph as text: ends and weight of every edge, then its values in these columns of it. */
static char *describe(const meguri_graph *graph, const uint32_t *which, uint32_t count) {
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    meguri_graph_info info = {.size = sizeof info};
    assert_int_equal(meguri_graph_get_info(&info, ctx, graph), MEGURI_OK);
    fprintf(file, "%d %d %d\n", info.directed, (int)info.vertices, info.weight_type != MEGURI_TYPE_NONE);
    for (uint64_t v = 0; v < info.vertices; v++) {
        uint64_t neighbors[EDGES], degree, many;
        double weights[EDGES];
        assert_int_equal(meguri_graph_neighbors(neighbors, weights, NULL, EDGES, &degree, ctx, graph, v), MEGURI_OK);
        for (uint64_t i = 0; i < degree; i++) fprintf(file, "%d %d %g\n", (int)v, (int)neighbors[i], weights[i]);
        for (uint32_t c = 0; c < count; c++) {
            union {
                uint8_t one[EDGES * 8];
                uint16_t two[EDGES];
                uint32_t four[EDGES];
                uint64_t eight[EDGES];
            } values;
            meguri_column_info what = {.size = sizeof what};
            assert_int_equal(meguri_graph_edge_column(&what, ctx, graph, which[c]), MEGURI_OK);
            assert_int_equal(meguri_graph_neighbor_values(&values, NULL, EDGES, &many, ctx, graph, v, which[c]),
                             MEGURI_OK);
            for (uint64_t i = 0; i < degree; i++) {
                const char *label = "";
                uint64_t value = what.item_bytes == 1   ? values.one[i]
                                 : what.item_bytes == 2 ? values.two[i]
                                 : what.item_bytes == 4 ? values.four[i]
                                                        : values.eight[i];
                if (what.label_count)
                    assert_int_equal(meguri_graph_edge_label(&label, ctx, graph, which[c], value), MEGURI_OK);
                if (what.label_count) fprintf(file, " '%s'", label);
                else fprintf(file, " %d", (int)value);
            }
            fputc('\n', file);
        }
    }
    fclose(file);
    return text;
}

/* The fields of a header, by a reader of its own (RFC 4180). */
static uint32_t take_header(const char *path, char fields[][160], uint32_t room) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    uint32_t count = 0;
    size_t used = 0;
    bool inside = false;
    for (int c = fgetc(file);; c = fgetc(file)) {
        assert_true(c != EOF && count < room && used < 159);
        if (inside && c == '"') {
            c = fgetc(file);
            if (c != '"') inside = false;
        } else if (!inside && c == '"' && !used) {
            inside = true;
            continue;
        }
        if (inside || (c != ',' && c != '\n')) {
            fields[count][used++] = (char)c;
            continue;
        }
        fields[count++][used] = '\0';
        used = 0;
        if (c == '\n') break;
    }
    fclose(file);
    return count;
}

static meguri_graph *read_back(const char *path, const columns *c, const char *const *names, bool no_weights) {
    meguri_graph *graph;
    meguri_column_data wanted[MOST];
    meguri_read_options o = {.size = sizeof o, .columns = wanted, .column_count = names ? c->count : 0};
    o.build = &(meguri_build_options){.size = sizeof(meguri_build_options), .ignore_weights = no_weights};
    for (uint32_t i = 0; i < o.column_count; i++)
        wanted[i] = (meguri_column_data){.size = sizeof *wanted, .name = names[i], .kind = c->what[i].kind};
    if (meguri_read(&graph, ctx, &path, 1, &o) == MEGURI_OK) return graph;
    for (uint32_t i = 0; i < c->count; i++) fprintf(stderr, "column '%s'\n", c->names[i]);
    fail_msg("%s", meguri_ctx_error(ctx));
    return NULL;
}

static void compare(const columns *c, const meguri_graph *before, const meguri_graph *after, const char *const *names) {
    uint32_t first[MOST] = {0}, second[MOST] = {0};
    for (uint32_t i = 0; i < c->count && names; i++) {
        first[i] = i;
        assert_int_equal(meguri_graph_find_edge_column(&second[i], ctx, after, names[i]), MEGURI_OK);
    }
    char *one = describe(before, first, names ? c->count : 0), *other = describe(after, second, names ? c->count : 0);
    if (strcmp(one, other) != 0) {
        for (uint32_t i = 0; i < c->count; i++) fprintf(stderr, "column '%s'\n", c->names[i]);
        fail_msg("%s\nbecame\n%s", one, other);
    }
    free(one);
    free(other);
}

/* Reads a file that was written: without its columns, then with them, by the names that its header should have. */
static void check(const columns *c, const meguri_graph *graph, const char *path, const char *const *names,
                  bool no_weights) {
    meguri_graph *plain = read_back(path, c, NULL, no_weights), *whole = read_back(path, c, names, no_weights);
    compare(c, graph, plain, NULL);
    compare(c, graph, whole, names);
    meguri_graph_free(plain);
    meguri_graph_free(whole);
}

static void as_csv(const columns *c, const meguri_graph *graph) {
    char path[FOLDER_NAME + 32], fields[MOST + 3][160];
    const char *names[MOST];
    snprintf(path, sizeof path, "%s/a.csv", folder);
    remove(path);
    if (meguri_write(ctx, graph, to_file(path), NULL) != MEGURI_OK) fail_msg("%s", meguri_ctx_error(ctx));
    uint32_t before = 2 + c->weighted;
    assert_int_equal(take_header(path, fields, MOST + 3), before + c->count);
    for (uint32_t i = 0; i < c->count; i++) {
        const char *found = fields[before + i];
        size_t length = strlen(names[i] = c->names[i]);
        if (strncmp(found, names[i], length) || (found[length] && strcmp(found + length, ":column")))
            fail_msg("'%s' is written as '%s'", names[i], found);
    }
    check(c, graph, path, names, false);
}

static bool has_line_end(const columns *c) {
    for (uint32_t i = c->words; i < c->count; i++)
        if (strpbrk(c->names[i], "\r\n")) return true;
    return false;
}

static void check_neo4j(const columns *c, const meguri_graph *graph, const char *path, bool no_weights) {
    char fields[MOST + 4][160];
    const char *names[MOST];
    uint32_t before = 3 + c->weighted;
    assert_int_equal(take_header(path, fields, MOST + 4), before + c->count - c->words);
    for (uint32_t i = 0; i < c->count; i++) {
        char *found = fields[before + i - c->words], *type = strrchr(found, ':');
        names[i] = "types"; /* of which no property has the name */
        if (i < c->words) continue;
        assert_non_null(type);
        assert_string_equal(type, ":long");
        *type = '\0';
        names[i] = found;
        const char *rest = found;
        while (strcmp(rest, c->names[i]) && !strncmp(rest, "edge_", 5)) rest += 5;
        if (strcmp(rest, c->names[i])) fail_msg("'%s' is written as '%s'", c->names[i], found);
    }
    check(c, graph, path, names, no_weights);
}

static void as_neo4j(const columns *c, const meguri_graph *graph) {
    char path[FOLDER_NAME + 64], command[FOLDER_NAME + 64];
    meguri_partition_options parts = {.size = sizeof parts, .parts = 1};
    weights_warned = false;
    snprintf(path, sizeof path, "%s/relationships.csv", folder);
    meguri_status status = meguri_write(ctx, graph, to_file(path), NULL);
    assert_int_equal(status, has_line_end(c) ? MEGURI_BAD_ARGUMENT : MEGURI_OK);
    const bool no_weights = weights_warned;
    assert_true(!no_weights || !c->weighted);
    if (status == MEGURI_OK) check_neo4j(c, graph, path, no_weights);
    snprintf(path, sizeof path, "%s/parts", folder);
    assert_int_equal(meguri_partition(NULL, ctx, graph, path, &parts), status);
    snprintf(path, sizeof path, "%s/parts/part-0/relationships.csv", folder);
    if (status == MEGURI_OK) check_neo4j(c, graph, path, no_weights);
    snprintf(command, sizeof command, "rm -rf %s/parts", folder);
    assert_int_equal(system(command), 0);
}

static void hostile_names(void **state) {
    (void)state;
    columns c;
    for (uint32_t number = 0; number < 2 * PIECES + CASES; number++) {
        choose(&c, number);
        meguri_graph *graph = make(&c);
        as_csv(&c, graph);
        as_neo4j(&c, graph);
        meguri_graph_free(graph);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(hostile_names)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
