/* .meg files whose checksums are right and whose numbers are not: three that once led searches astray, each part of
 * what a reader relies on, and some thousands that a random generator makes. Whatever is done with one, there is an
 * answer or a sentence. */
#define _GNU_SOURCE
#include "meg/lies.h"
#include "meg/verbs.h"
#include "support/sanitized.h"
#include "support/sinks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[FOLDER_NAME], table[FOLDER_NAME + 16];

static int make_table(void **state) {
    (void)state;
    make_folder(folder);
    snprintf(table, sizeof table, "%s/null.tsv", folder);
    return symlink("/dev/null", table);
}

static int remove_table(void **state) {
    (void)state;
    remove_folder(folder);
    return 0;
}

/* ---- one lie each ----------------------------------------------------------------------------------------------- */

enum { OFFSETS = 1, NEIGHBORS = 2, WEIGHTS = 3, NAME_OFFSETS = 7, NAMES = 8, NAME_INDEX = 9 };
enum { INDEX_FACTS = 11, HEIGHTS = 12, INDEX_EDGES = 14, HALVES = 15, COLUMNS = 16, COLUMN_TEXTS = 17, COLUMN = 256 };
enum { VERTEX_COLUMNS = 22, VERTEX_TEXTS = 23, GENERATION = 24, VERTEX_COLUMN = 512 };
enum { IN_OFFSETS = 18, IN_NEIGHBORS = 19, IN_WEIGHTS = 20, IN_ARCS = 21 };

static uint32_t *words(unsigned char *bytes, uint32_t number) {
    uint64_t size;
    return (uint32_t *)(void *)(bytes + section_of(bytes, number, &size));
}

static uint64_t field(const unsigned char *bytes, size_t at) {
    uint64_t value;
    memcpy(&value, bytes + at, 8);
    return value;
}

static void set_field(unsigned char *bytes, size_t at, uint64_t value) { memcpy(bytes + at, &value, 8); }

static void exchange(uint32_t *a, uint32_t *b) {
    uint32_t kept = *a;
    *a = *b;
    *b = kept;
}

/* The first arc of some row whose neighbour differs from the one before it in the row. */
static uint64_t second_neighbor(unsigned char *bytes) {
    const uint32_t *offsets = words(bytes, OFFSETS), *n = words(bytes, NEIGHBORS);
    for (uint64_t v = 0; v < field(bytes, 40); v++)
        for (uint64_t i = offsets[v] + 1u; i < offsets[v + 1]; i++)
            if (n[i] != n[i - 1]) return i;
    fail_msg("there is no such row");
    return 0;
}

static void to_no_row(unsigned char *bytes) {
    assert_true(field(bytes, 40) < field(bytes, 32));
    words(bytes, NEIGHBORS)[field(bytes, 48) - 1] = (uint32_t)field(bytes, 40);
}

static void unsorted(unsigned char *bytes) {
    uint32_t *n = words(bytes, NEIGHBORS) + second_neighbor(bytes);
    exchange(n, n - 1);
}

static void not_directed(unsigned char *bytes) {
    assert_int_equal(bytes[104], 1);
    bytes[104] = 0;
}

static void by_degree(unsigned char *bytes) {
    assert_int_not_equal(bytes[110], 1);
    bytes[110] = 1;
}

static void heavier_one_way(unsigned char *bytes) {
    uint64_t size;
    unsigned char *weights = bytes + section_of(bytes, WEIGHTS, &size);
    weights[0] ^= 1;
}

static unsigned char *section(unsigned char *bytes, uint32_t number) {
    uint64_t size;
    return bytes + section_of(bytes, number, &size);
}

static void type_without_name(unsigned char *bytes) { section(bytes, COLUMN + 1)[0] = 3; }
static void other_id_backwards(unsigned char *bytes) { section(bytes, COLUMN)[0] ^= 1; }
static void unknown_type(unsigned char *bytes) { section(bytes, COLUMNS)[0] = 99; }
static void wider_type(unsigned char *bytes) { section(bytes, COLUMNS)[8] = mg_type_code(MEGURI_TYPE_U16); }
static void names_run_together(unsigned char *bytes) { section(bytes, COLUMN_TEXTS)[2] = '_'; }
static void more_names(unsigned char *bytes) { section(bytes, COLUMNS)[12] = 200; }
static void ids_twice(unsigned char *bytes) { section(bytes, COLUMNS)[9] = MEGURI_COLUMN_IDS; }

static void in_no_database(unsigned char *bytes) { section(bytes, VERTEX_COLUMN)[3] = 2; }
static void wider_values(unsigned char *bytes) { section(bytes, VERTEX_COLUMNS)[8] = mg_type_code(MEGURI_TYPE_U32); }
static void one_name_less(unsigned char *bytes) { section(bytes, VERTEX_TEXTS)[8] = '_'; }

static void no_generation(unsigned char *bytes) { words(bytes, GENERATION)[0] = 0; }
static void end_of_time(unsigned char *bytes) { words(bytes, GENERATION)[3] = 1u << 30; }
static void more_to_come(unsigned char *bytes) { words(bytes, GENERATION)[7] = 1; }

/* A neighbour backwards becomes the one before it: still in order, and another graph. */
static void other_backwards(unsigned char *bytes) {
    const uint32_t *offsets = words(bytes, IN_OFFSETS);
    uint32_t *n = words(bytes, IN_NEIGHBORS);
    for (uint64_t v = 0; v < field(bytes, 40); v++)
        for (uint64_t i = offsets[v] + 1u; i < offsets[v + 1]; i++)
            if (n[i] != n[i - 1]) {
                n[i] = n[i - 1];
                return;
            }
    fail_msg("there is no such row");
}
static void no_row_backwards(unsigned char *bytes) {
    words(bytes, IN_NEIGHBORS)[field(bytes, 48) - 1] = (uint32_t)field(bytes, 40);
}
static void rows_backwards_begin_later(unsigned char *bytes) { words(bytes, IN_OFFSETS)[0]++; }
static void heavier_backwards(unsigned char *bytes) { section(bytes, IN_WEIGHTS)[0] ^= 1; }
static void other_arc(unsigned char *bytes) { exchange(words(bytes, IN_ARCS), words(bytes, IN_ARCS) + 1); }
static void no_arc(unsigned char *bytes) { words(bytes, IN_ARCS)[2] = (uint32_t)field(bytes, 48); }

/* Parallel arcs of different weights, the heavier first. */
static void heavy_first(unsigned char *bytes) {
    const uint32_t *offsets = words(bytes, OFFSETS), *n = words(bytes, NEIGHBORS);
    uint64_t size;
    unsigned char *w = bytes + section_of(bytes, WEIGHTS, &size);
    assert_int_equal(bytes[108], mg_type_code(MEGURI_TYPE_U8));
    for (uint64_t v = 0; v < field(bytes, 40); v++)
        for (uint64_t i = offsets[v] + 1u; i < offsets[v + 1]; i++)
            if (n[i] == n[i - 1] && w[i] != w[i - 1]) {
                unsigned char kept = w[i];
                w[i] = w[i - 1];
                w[i - 1] = kept;
                return;
            }
    fail_msg("there are none");
}

static void more_edges(unsigned char *bytes) { set_field(bytes, 56, field(bytes, 56) + 1); }
static void more_isolated(unsigned char *bytes) { set_field(bytes, 64, field(bytes, 64) + 1); }
static void height_twice(unsigned char *bytes) { words(bytes, HEIGHTS)[0] = words(bytes, HEIGHTS)[1]; }
static void more_shortcuts(unsigned char *bytes) { words(bytes, INDEX_FACTS)[2] ^= 1; }

/* The first side of an edge of the index that is a shortcut, or an arc. */
static uint64_t some_half(unsigned char *bytes, bool arc) {
    const uint32_t *halves = words(bytes, HALVES), *edges = words(bytes, INDEX_EDGES);
    for (uint64_t i = 0; i < 2 * field(bytes, section_of(bytes, INDEX_FACTS, &(uint64_t){0})); i++)
        if ((halves[2 * i + 1] >> 31 == 1) == arc && edges[3 * (i / 2) + 1 + i % 2] != UINT32_MAX) return i;
    fail_msg("there is none");
    return 0;
}

static void wrong_sum(unsigned char *bytes) {
    uint64_t i = some_half(bytes, false);
    words(bytes, INDEX_EDGES)[3 * (i / 2) + 1 + i % 2] += 1;
}

static void wrong_arc(unsigned char *bytes) {
    uint64_t i = some_half(bytes, true);
    words(bytes, HALVES)[2 * i] ^= 1;
}

static void same_name(unsigned char *bytes) { /* the first two become empty, the third begins where the first did */
    uint64_t size, names = section_of(bytes, NAME_OFFSETS, &size);
    set_field(bytes, names + 8, field(bytes, names));
    set_field(bytes, names + 16, field(bytes, names));
}

static void no_name(unsigned char *bytes) {
    uint32_t *slots = words(bytes, NAME_INDEX);
    for (int i = 0;; i++)
        if (slots[i] == 3) {
            slots[i] = UINT32_MAX;
            return;
        }
}

static meguri_graph *make_named(meguri_ctx *ctx, int index) {
    (void)index;
    return make_full_graph(ctx);
}

/* Honest graphs by their number (lies.c): of 4 sizes, odd ones directed; 3, 4 … of four sizes are by degree, breadth-
 * first, as they come; from 12 on with parallel edges; from 24 on with an index. */
static const struct {
    const char *name;
    meguri_graph *(*make)(meguri_ctx *, int);
    int index;
    void (*lie)(unsigned char *bytes);
    bool by_use; /* seen when it is used, else only when all is verified */
    const char *piece;
} lies[] = {
    {"a neighbour that has no row", make_honest_graph, 2, to_no_row, true, "neighbours"},
    {"the same, of a directed graph", make_honest_graph, 3, to_no_row, true, "neighbours"},
    {"a row that is not sorted", make_honest_graph, 2, unsorted, true, "within a row"},
    {"the same, of a directed graph", make_honest_graph, 7, unsorted, true, "within a row"},
    {"a directed graph that says it is not", make_honest_graph, 5, not_directed, false, "other direction"},
    {"the same in no order", make_honest_graph, 11, not_directed, false, "other direction"},
    {"the same in the order of degrees", make_honest_graph, 3, not_directed, true, "order of degrees"},
    {"an order that is not that of degrees", make_honest_graph, 10, by_degree, true, "order of degrees"},
    {"an edge that weighs more one way", make_honest_graph, 4, heavier_one_way, false, "other direction"},
    {"parallel arcs, the heavier first", make_honest_graph, 13, heavy_first, true, "parallel arcs"},
    {"a wrong number of edges", make_honest_graph, 2, more_edges, false, "edges"},
    {"a wrong number of isolated vertices", make_honest_graph, 10, more_isolated, false, "without any"},
    {"a height twice", make_honest_graph, 25, height_twice, true, "height twice"},
    {"a wrong number of shortcuts", make_honest_graph, 25, more_shortcuts, false, "number of shortcuts"},
    {"a shortcut that is not its halves", make_honest_graph, 25, wrong_sum, false, "halves"},
    {"an edge of an index that is another arc", make_honest_graph, 25, wrong_arc, false, "none of the graph"},
    {"a type without a name", make_honest_graph, 2, type_without_name, true, "cannot be right"},
    {"a column that differs backwards", make_honest_graph, 2, other_id_backwards, false, "in the other direction"},
    {"a type of column that nobody knows", make_honest_graph, 2, unknown_type, true, "not known"},
    {"a column wider than its values", make_honest_graph, 3, wider_type, true, "another size"},
    {"names of columns that run together", make_honest_graph, 3, names_run_together, true, "too few names"},
    {"names of values that are not there", make_honest_graph, 3, more_names, true, "too few names"},
    {"two columns of ids", make_honest_graph, 3, ids_twice, true, "twice"},
    {"rows backwards of another graph", make_honest_graph, 1, other_backwards, true, "not those of its rows"},
    {"the same without weights", make_honest_graph, 9, other_backwards, true, "not those of its rows"},
    {"a neighbour backwards that has no row", make_honest_graph, 1, no_row_backwards, true, "neighbours backwards"},
    {"rows backwards that begin later", make_honest_graph, 9, rows_backwards_begin_later, true, "offsets backwards"},
    {"an edge that weighs more backwards", make_honest_graph, 1, heavier_backwards, true, "weights backwards"},
    {"arcs of rows backwards that are others", make_honest_graph, 7, other_arc, true, "arcs of rows backwards"},
    {"arcs of rows backwards that are none", make_honest_graph, 7, no_arc, true, "arcs of rows backwards"},
    {"a vertex in no database", make_named, 0, in_no_database, true, "cannot be right"},
    {"a column of vertices narrower than its values", make_named, 0, wider_values, true, "another size"},
    {"names of columns of vertices that run together", make_named, 0, one_name_less, true, "too few names"},
    {"a generation that is none", make_named, 0, no_generation, true, "numbers of the generation"},
    {"a cache of the year 100,000", make_named, 0, end_of_time, true, "numbers of the generation"},
    {"a generation with more numbers", make_named, 0, more_to_come, true, "numbers of the generation"},
    {"two vertices of one name", make_named, 0, same_name, false, "one name"},
    {"a name that its index does not have", make_named, 0, no_name, false, "one name"},
};

static void lie_by_lie(void **state) {
    (void)state;
    meguri_ctx *ctx = new_context(2);
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        meguri_graph *honest = lies[i].make(ctx, lies[i].index), *g;
        size_t count;
        if (meguri_graph_verify(ctx, honest)) fail_msg("%s: %s", lies[i].name, meguri_ctx_error(ctx));
        unsigned char *bytes = saved_bytes(ctx, honest, &count);
        meguri_graph_free(honest);
        lies[i].lie(bytes);
        reseal(bytes, count);
        memory_file file = new_memory_file(bytes, count);
        for (uint64_t choice = 0; choice < (UNDER_TSAN ? 2 : 8); choice++) {
            if (meguri_open(&g, ctx, file.path, NULL)) fail_msg("%s: %s", lies[i].name, meguri_ctx_error(ctx));
            run_every_verb(ctx, g, choice, table);
            meguri_graph_free(g);
        }
        run_every_verb_in_parts(ctx, file.path);
        assert_int_equal(meguri_open(&g, ctx, file.path, NULL), MEGURI_OK);
        bool all_used = true;
        for (uint32_t part = 0; part < g->part_count; part++) {
            const void *data;
            all_used &= mg_graph_part(&data, ctx, g, (mg_part)part) == MEGURI_OK;
        }
        if (all_used == lies[i].by_use) fail_msg("%s: by use %d", lies[i].name, (int)!all_used);
        if (meguri_graph_verify(ctx, g) != MEGURI_BAD_INPUT || !strstr(meguri_ctx_error(ctx), lies[i].piece))
            fail_msg("%s: %s", lies[i].name, meguri_ctx_error(ctx));
        meguri_graph_free(g);
        close(file.fd);
        free(bytes);
    }
    assert_int_equal(meguri_ctx_memory_used(ctx), 0);
    meguri_ctx_free(ctx);
}

/* An honest graph after a lie, opened; close it with `closed`. */
typedef struct liar {
    meguri_ctx *ctx;
    meguri_graph *graph;
    memory_file file;
    unsigned char *bytes;
} liar;

static liar opened_liar(int index, void (*lie)(unsigned char *bytes)) {
    liar l = {.ctx = new_context(2)};
    size_t count;
    meguri_graph *honest = make_honest_graph(l.ctx, index);
    l.bytes = saved_bytes(l.ctx, honest, &count);
    meguri_graph_free(honest);
    lie(l.bytes);
    reseal(l.bytes, count);
    l.file = new_memory_file(l.bytes, count);
    assert_int_equal(meguri_open(&l.graph, l.ctx, l.file.path, NULL), MEGURI_OK);
    return l;
}

static void closed(liar *l) {
    meguri_graph_free(l->graph);
    close(l->file.fd);
    free(l->bytes);
    assert_int_equal(meguri_ctx_memory_used(l->ctx), 0);
    meguri_ctx_free(l->ctx);
}

/* Who reads a range of the neighbours first, as processes of a cluster do, does not hide the order of the rest. */
static void a_range_first(void **state) {
    (void)state;
    const void *data;
    mg_rows rows;
    liar l = opened_liar(2, unsorted);
    assert_int_equal(mg_graph_part_range(&data, l.ctx, l.graph, MG_PART_NEIGHBORS, 4, 8), MEGURI_OK);
    assert_int_equal(mg_graph_rows(&rows, l.ctx, l.graph), MEGURI_BAD_INPUT);
    closed(&l);
}

/* Searches from both ends of a graph whose edges go one way: a path that is one, none, or a sentence. */
static void paths_one_way(void **state) {
    (void)state;
    static const meguri_path_algorithm algorithms[] = {MEGURI_PATH_BIDIRECTIONAL, MEGURI_PATH_SHORTEST,
                                                       MEGURI_PATH_ALL_SHORTEST};
    liar l = opened_liar(5, not_directed);
    meguri_path_finder *finder;
    uint64_t refused = 0, answered = 0;
    assert_int_equal(meguri_path_finder_new(&finder, l.ctx, l.graph, NULL), MEGURI_OK);
    for (uint64_t i = 0; i < 3 * l.graph->vertices * l.graph->vertices; i++) {
        meguri_path_query q = {.size = sizeof q,
                               .algorithm = algorithms[i % 3],
                               .from = i / 3 % l.graph->vertices,
                               .to = i / 3 / l.graph->vertices};
        meguri_path_answer a = {.size = sizeof a};
        meguri_status status = meguri_path_find(&a, l.ctx, finder, &q, NULL, NULL);
        if (status == MEGURI_OK) answered++;
        else if (status == MEGURI_BAD_INPUT && strstr(meguri_ctx_error(l.ctx), "one direction")) refused++;
        else fail_msg("%s", meguri_ctx_error(l.ctx));
    }
    assert_true(refused > 100 && answered > 100);
    meguri_path_finder_free(finder);
    meguri_path_index *index;
    assert_int_equal(meguri_path_index_new(&index, l.ctx, l.graph, NULL), MEGURI_BAD_INPUT);
    assert_non_null(strstr(meguri_ctx_error(l.ctx), "other direction"));
    closed(&l);
}

/* A file does not begin with a number of edges that is not true. */
static void counts_in_heads(void **state) {
    (void)state;
    static const meguri_format formats[] = {MEGURI_FORMAT_MATRIX_MARKET, MEGURI_FORMAT_PACE, MEGURI_FORMAT_METIS};
    liar l = opened_liar(0, more_edges);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(meguri_write(l.ctx, l.graph, to_file("/dev/null"), as_format(formats[i])), MEGURI_BAD_INPUT);
        assert_non_null(strstr(meguri_ctx_error(l.ctx), "edges"));
    }
    closed(&l);
}

/* ---- any lies --------------------------------------------------------------------------------------------------- */

#define MUTANTS (UNDER_TSAN ? 100 : UNDER_ASAN ? 600 : 3000)
#define SMALL   10000 /* vertices that are not only said to be there */

static void random_lies(void **state) {
    (void)state;
    uint64_t opened = 0, whole = 0, succeeded = 0;
    meguri_ctx *ctx = new_context(2);
    int kinds = 0;
    for (meguri_graph *g; (g = make_honest_graph(ctx, kinds)); kinds++) meguri_graph_free(g);
    for (int kind = 0; kind < kinds; kind++) {
        meguri_graph *honest = make_honest_graph(ctx, kind), *g;
        size_t count;
        unsigned char *bytes = saved_bytes(ctx, honest, &count), *copy = malloc(count);
        assert_non_null(copy);
        memory_file file = new_memory_file(bytes, count);
        for (int i = kind; i < MUTANTS; i += kinds) {
            uint64_t random = (uint64_t)i;
            memcpy(copy, bytes, count);
            for (int change = 0; change <= i / kinds % 3; change++) change_something(copy, count, &random);
            reseal(copy, count);
            assert_int_equal(pwrite(file.fd, copy, count, 0), (ssize_t)count);
            if (meguri_open(&g, ctx, file.path, NULL) != MEGURI_OK) continue;
            opened++;
            if (i % 4 == 0 && g->vertices < SMALL) run_every_verb_in_parts(ctx, file.path);
            whole += meguri_graph_verify(ctx, g) == MEGURI_OK;
            meguri_graph_free(g);
            /* Once more, unverified. */
            assert_int_equal(meguri_open(&g, ctx, file.path, NULL), MEGURI_OK);
            if (g->vertices < SMALL) succeeded += (uint64_t)run_every_verb(ctx, g, next_random(&random), table);
            meguri_graph_free(g);
        }
        close(file.fd);
        free(copy);
        free(bytes);
        meguri_graph_free(honest);
    }
    print_message("%d mutants: %llu opened, of which %llu whole; %llu answers\n", MUTANTS, (unsigned long long)opened,
                  (unsigned long long)whole, (unsigned long long)succeeded);
    assert_true(opened > MUTANTS / 2);
    assert_int_equal(meguri_ctx_memory_used(ctx), 0);
    meguri_ctx_free(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lie_by_lie),      cmocka_unit_test(a_range_first), cmocka_unit_test(paths_one_way),
        cmocka_unit_test(counts_in_heads), cmocka_unit_test(random_lies),
    };
    return cmocka_run_group_tests(tests, make_table, remove_table);
}
