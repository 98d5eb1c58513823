/* Built, written, read: the same graph, for every format that the library writes and reads. */
#include "meg/graphs.h"
#include "support/oracle.h"
#include "support/sinks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* What a format keeps of a graph. */
typedef struct trip {
    const char *suffix;
    meguri_format write, read; /* AUTO: by suffix, by content */
    bool numbered;             /* ids become 1 … n */
    bool weights, isolated;    /* are kept */
    bool undirected;           /* the format itself is, so reading gives that direction by default */
} trip;

static const trip trips[] = {
    {"el", 0, MEGURI_FORMAT_EDGELIST, false, false, false, false},
    {"wel", 0, MEGURI_FORMAT_EDGELIST, false, true, false, false},
    {"csv", 0, MEGURI_FORMAT_CSV, false, true, false, false},
    {"mtx", 0, 0, true, true, true, false},
    {"gr", 0, 0, true, true, true, false},
    {"gr", MEGURI_FORMAT_PACE, 0, true, false, true, true},
    {"graph", 0, MEGURI_FORMAT_METIS, true, true, true, true},
    {"adj", 0, MEGURI_FORMAT_ADJACENCY, false, false, true, false},
    {"e", 0, MEGURI_FORMAT_LDBC, false, true, true, false},
    {"relationships.csv", 0, 0, false, true, true, false},
    {"relationships.csv.gz", 0, MEGURI_FORMAT_NEO4J, false, true, true, false},
    {"bin32", 0, MEGURI_FORMAT_BIN32, false, false, false, false},
    {"bin48", 0, MEGURI_FORMAT_BIN48, false, false, false, false},
    {"bin64", 0, MEGURI_FORMAT_BIN64, false, false, false, false},
    {"wel.gz", 0, MEGURI_FORMAT_EDGELIST, false, true, false, false},
    {"mtx.zst", 0, 0, true, true, true, false},
    {"e.xz", 0, MEGURI_FORMAT_LDBC, false, true, true, false},
};

static char folder[FOLDER_NAME];
static meguri_ctx *ctx;

static int set_up(void **state) {
    (void)state;
    make_folder(folder);
    ctx = new_context(2);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    remove_folder(folder);
    assert_int_equal(meguri_ctx_memory_used(ctx), 0);
    meguri_ctx_free(ctx);
    return 0;
}

static uint64_t *ids_of(const meguri_graph *g) {
    uint64_t *ids = malloc((g->vertices + 1) * 8);
    assert_non_null(ids);
    assert_int_equal(meguri_graph_ids(ids, ctx, g, 0, g->vertices), MEGURI_OK);
    return ids;
}

/* Row by row, by ids. */
static void compare(const char *what, const trip *t, const meguri_graph *before, const meguri_graph *after) {
    uint64_t room = before->arcs + 1, count, other_count, v2, in;
    uint64_t *a = malloc(room * 8), *b = malloc(room * 8);
    double *wa = malloc(room * 8), *wb = malloc(room * 8);
    uint64_t *ids = ids_of(before), *other_ids = ids_of(after);
    assert_true(a && b && wa && wb);
    if (after->arcs != before->arcs)
        fail_msg("%s: %llu arcs became %llu", what, (unsigned long long)before->arcs, (unsigned long long)after->arcs);
    if (t->isolated && after->vertices != before->vertices) fail_msg("%s: vertices were lost", what);
    if (t->weights && before->weight_type && before->arcs && before->weight_type != after->weight_type)
        fail_msg("%s: the type of the weights changed", what);
    for (uint64_t v = 0; v < before->vertices; v++) {
        assert_int_equal(meguri_graph_neighbors(a, wa, NULL, room, &count, ctx, before, v), MEGURI_OK);
        assert_int_equal(meguri_graph_in_degrees(&in, ctx, before, v, 1), MEGURI_OK);
        meguri_status found = meguri_graph_find(&v2, ctx, after, t->numbered ? v + 1 : ids[v]);
        if (!t->isolated && count + in == 0) {
            assert_int_equal(found, MEGURI_NOT_FOUND);
            continue;
        }
        if (found != MEGURI_OK) fail_msg("%s: %s", what, meguri_ctx_error(ctx));
        assert_int_equal(meguri_graph_neighbors(b, wb, NULL, room, &other_count, ctx, after, v2), MEGURI_OK);
        if (count != other_count) fail_msg("%s: a row has another length", what);
        for (uint64_t i = 0; i < count; i++) {
            uint64_t expected = t->numbered ? a[i] + 1 : ids[a[i]];
            if (other_ids[b[i]] != expected) fail_msg("%s: a neighbour differs", what);
            if ((t->weights ? wa[i] : 1) != wb[i]) fail_msg("%s: weight %.17g became %.17g", what, wa[i], wb[i]);
        }
    }
    free(ids);
    free(other_ids);
    free(a);
    free(b);
    free(wa);
    free(wb);
}

static void there_and_back(const trip *t, const char *what, const meguri_graph *g) {
    char path[FOLDER_NAME + 64], text[256];
    const char *paths[1] = {path};
    meguri_graph *back;
    snprintf(path, sizeof path, "%s/a.%s", folder, t->suffix);
    snprintf(text, sizeof text, "%s as %s (%d)", what, t->suffix, (int)t->write);
    meguri_status status = meguri_write(ctx, g, to_file(path), as_format(t->write));
    if (status == MEGURI_BAD_ARGUMENT) return; /* check_written.py knows when that is right */
    if (status != MEGURI_OK) fail_msg("%s: %s", text, meguri_ctx_error(ctx));
    meguri_read_options o = {.size = sizeof o, .format = t->read};
    o.ids = MEGURI_IDS_INTEGER;
    o.build = &(meguri_build_options){
        .size = sizeof(meguri_build_options), .duplicates = MEGURI_DUPLICATES_KEEP, .keep_loops = 1};
    status = meguri_read(&back, ctx, paths, 1, &o);
    if (status != MEGURI_OK) fail_msg("%s: %s", text, meguri_ctx_error(ctx));
    bool undirected = t->undirected || (strncmp(t->suffix, "mtx", 3) == 0 && !g->directed);
    assert_int_equal(back->directed, !undirected);
    compare(text, t, g, back);
    meguri_graph_free(back);
}

static void every_graph_in_every_format(void **state) {
    (void)state;
    zoo_graph z;
    for (int index = 0; zoo_get(&z, index); index++) {
        for (int direction = MEGURI_DIRECTED; direction <= MEGURI_UNDIRECTED && z.count < 50000; direction++) {
            meguri_build_options o = {.size = sizeof o,
                                      .direction = direction,
                                      .order = (index + direction) % 4,
                                      .keep_loops = index % 3 == 0,
                                      .duplicates = index % 4 == 0 ? MEGURI_DUPLICATES_KEEP : MEGURI_DUPLICATES_MIN};
            meguri_graph *g;
            if (zoo_build(&g, ctx, &z, &o) != MEGURI_OK) fail_msg("%s", meguri_ctx_error(ctx));
            for (size_t i = 0; i < sizeof trips / sizeof *trips; i++) there_and_back(&trips[i], z.name, g);
            meguri_graph_free(g);
        }
        zoo_free(&z);
    }
}

/* More than one block of lines, and of compressed pieces. */
static void large_graphs(void **state) {
    (void)state;
    meguri_graph *g = make_large_graph(ctx, 30000, 4);
    for (size_t i = 0; i < sizeof trips / sizeof *trips; i++)
        if (trips[i].weights) there_and_back(&trips[i], "large", g);
    meguri_graph_free(g);
}

/* Names with blanks and signs in them. */
static void string_ids(void **state) {
    (void)state;
    static const char *const names[] = {
        "Tokyo", "\xe6\x9d\xb1\xe4\xba\xac", "Den Haag", "a;b", "O'Hare", "x|y", "c,d", "12", "say \"hi\""};
    static const struct {
        const char *name;
        meguri_format format;
    } files[] = {{"a.wel", MEGURI_FORMAT_EDGELIST},
                 {"a.csv", MEGURI_FORMAT_CSV},
                 {"a.e", MEGURI_FORMAT_LDBC},
                 {"a.adj", MEGURI_FORMAT_ADJACENCY}};
    for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
        mg_edges *edges;
        mg_names *table;
        meguri_graph *g, *back;
        uint32_t number;
        bool weighted = files[f].format != MEGURI_FORMAT_ADJACENCY;
        const uint32_t ids = sizeof names / sizeof *names;
        assert_int_equal(mg_edges_new(&edges, ctx), MEGURI_OK);
        assert_int_equal(mg_names_new(&table, ctx), MEGURI_OK);
        for (uint32_t i = 0; i < ids; i++)
            assert_int_equal(mg_names_add(ctx, table, names[i], strlen(names[i]), &number), MEGURI_OK);
        mg_edge_block block = {.count = ids, .id_bytes = 4, .weight_type = weighted ? MEGURI_TYPE_U32 : 0};
        uint32_t *ends = block.ends = mg_alloc_array(ctx, ids, 8, "test");
        uint32_t *weights = block.weights = weighted ? mg_alloc_array(ctx, ids, 4, "test") : NULL;
        for (uint32_t i = 0; i < ids; i++) {
            ends[2 * i] = i;
            ends[2 * i + 1] = (i + 1) % ids;
            if (weighted) weights[i] = i * i;
        }
        assert_int_equal(mg_edges_add(ctx, edges, &block), MEGURI_OK);
        mg_edges_set_names(edges, table);
        meguri_build_options build = {.size = sizeof build, .direction = MEGURI_DIRECTED};
        assert_int_equal(mg_graph_build(&g, ctx, edges, &build), MEGURI_OK);
        mg_edges_free(edges);

        char path[FOLDER_NAME + 64];
        const char *paths[1] = {path};
        snprintf(path, sizeof path, "%s/%s", folder, files[f].name);
        meguri_read_options o = {.size = sizeof o, .format = files[f].format, .ids = MEGURI_IDS_STRING};
        if (meguri_write(ctx, g, to_file(path), NULL) != MEGURI_OK) fail_msg("%s", meguri_ctx_error(ctx));
        if (meguri_read(&back, ctx, paths, 1, &o) != MEGURI_OK) fail_msg("%s", meguri_ctx_error(ctx));
        if (back->vertices != ids) fail_msg("%s: %llu ids", files[f].name, (unsigned long long)back->vertices);
        assert_int_equal(back->arcs, ids);
        for (uint32_t i = 0; i < ids; i++) {
            uint64_t from, to, to_expected, count;
            double weight;
            assert_int_equal(meguri_graph_find_name(&from, ctx, back, names[i], strlen(names[i])), MEGURI_OK);
            const char *next = names[(i + 1) % ids];
            assert_int_equal(meguri_graph_find_name(&to_expected, ctx, back, next, strlen(next)), MEGURI_OK);
            assert_int_equal(meguri_graph_neighbors(&to, &weight, NULL, 1, &count, ctx, back, from), MEGURI_OK);
            assert_int_equal(count, 1);
            assert_int_equal(to, to_expected);
            assert_true(weight == (weighted ? i * i : 1));
        }
        meguri_graph_free(back);
        meguri_graph_free(g);
    }
}

static void coordinates_too(void **state) {
    (void)state;
    char gr[FOLDER_NAME + 64], co[FOLDER_NAME + 64], name[GRAPH_NAME];
    const char *paths[1] = {gr};
    /* u32 weights, listed ids, directed, coordinates (one vertex has none, one lies at infinity). */
    meguri_graph *g = make_graph(ctx, 24 + 3 + 6 * 2 + 36 * (2 + 8), name), *back;
    double *pairs = g->part[MG_PART_COORDINATES].owned;
    pairs[10] = 1e-300;
    snprintf(gr, sizeof gr, "%s/a.gr", folder);
    snprintf(co, sizeof co, "%s/a.co", folder);
    if (meguri_write(ctx, g, to_file(gr), NULL) != MEGURI_OK) fail_msg("%s", meguri_ctx_error(ctx));
    meguri_read_options o = {.size = sizeof o,
                             .coordinates = co,
                             .build = &(meguri_build_options){.size = sizeof(meguri_build_options), .keep_loops = 1}};
    if (meguri_read(&back, ctx, paths, 1, &o) != MEGURI_OK) fail_msg("%s", meguri_ctx_error(ctx));
    for (uint64_t v = 0; v < 6; v++) {
        double x, y;
        assert_int_equal(meguri_graph_coordinates(&x, &y, ctx, back, v, 1), MEGURI_OK);
        assert_true((x == pairs[2 * v] && y == pairs[2 * v + 1]) || (v == 1 && x != x && y != y));
    }
    meguri_graph_free(back);
    meguri_graph_free(g);
}

int main(void) {
#define T(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {T(every_graph_in_every_format), T(large_graphs), T(string_ids),
                                       T(coordinates_too)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
