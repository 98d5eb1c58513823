/* meguri_result_read: what meguri_result_write wrote, value for value, in every format; other graphs' results, and
 * files that are not what they should be, each with its sentence; every allocation made to fail. */
#define _GNU_SOURCE
#include "meg/graphs.h"
#include "result/hand_made.h"
#include "support/faults.h"
#include "support/sinks.h"

#include <math.h>

static const char *const formats[] = {"r.tsv", "r.tsv.gz", "r.tsv.zst", "r.tsv.xz",
                                      "r.csv", "r.csv.gz", "r.npy",     "r.bin"};
static const char *const names[] = {"small", "middle", "level", "distance", "rank", "parent", "side_0", "side_1"};
static const meguri_type types[] = {MEGURI_TYPE_I8,  MEGURI_TYPE_I16,    MEGURI_TYPE_I32, MEGURI_TYPE_U64,
                                    MEGURI_TYPE_F64, MEGURI_TYPE_VERTEX, MEGURI_TYPE_I8,  MEGURI_TYPE_I8};
static const meguri_result_read_options all = {
    .size = sizeof all, .columns = COUNT_OF(names), .names = names, .types = types};

static char folder[FOLDER_NAME];
static meguri_ctx *ctx;

static int set_up(void **state) {
    (void)state;
    make_folder(folder);
    ctx = context_with(2);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    remove_folder(folder);
    context_done(ctx);
    return 0;
}

static const char *in_folder(const char *name) {
    static char path[FOLDER_NAME + 64];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

/* ---- round trips ------------------------------------------------------------------------------------------------ */

/* Every number as a double or as the vertex that it is; whatever its type. */
static double number_at(const meguri_column *c, uint64_t row) {
    const void *item = (const char *)c->data + row * c->stride;
    switch (c->type) {
    case MEGURI_TYPE_I8: return *(const int8_t *)item;
    case MEGURI_TYPE_I16: return *(const int16_t *)item;
    case MEGURI_TYPE_I32: return *(const int32_t *)item;
    case MEGURI_TYPE_F64: return *(const double *)item;
    default: fail(); return 0;
    }
}

static void compare(const meguri_column *a, const meguri_column *b, const meguri_graph *graph, bool exact) {
    assert_int_equal(a->count, b->count);
    for (uint64_t row = 0; row < a->count; row++) {
        const void *one = (const char *)a->data + row * a->stride, *two = (const char *)b->data + row * b->stride;
        if (a->type == MEGURI_TYPE_U64) assert_int_equal(*(const uint64_t *)one, *(const uint64_t *)two);
        else if (a->type == MEGURI_TYPE_VERTEX) {
            uint32_t wanted = *(const uint32_t *)one; /* an empty id is taken for none and none for it, but in .csv */
            if (!exact && wanted == UINT32_MAX && graph->id_kind == MEGURI_ID_STRING) wanted = 0;
            assert_int_equal(wanted, *(const uint32_t *)two);
        } else {
            double x = number_at(a, row), y = number_at(b, row);
            assert_true(isnan(x) ? isnan(y) : memcmp(&x, &y, sizeof x) == 0);
        }
    }
}

static void round_trip(const meguri_graph *graph, const char *path, const meguri_result_read_options *options) {
    meguri_result *result = hand_made(ctx, graph->vertices, false), *back;
    assert_int_equal(meguri_result_write(ctx, result, graph, to_file(path), NULL), MEGURI_OK);
    if (meguri_result_read(&back, ctx, graph, path, options) != MEGURI_OK) fail_msg("%s", meguri_ctx_error(ctx));
    assert_int_equal(meguri_result_column_count(back), COUNT_OF(names));
    for (uint32_t c = 0; c < COUNT_OF(names); c++) {
        meguri_column one = {.size = sizeof one}, two = {.size = sizeof two};
        assert_int_equal(meguri_result_column_at(&one, result, c), MEGURI_OK);
        assert_int_equal(meguri_result_column_at(&two, back, c), MEGURI_OK);
        assert_string_equal(one.name, two.name);
        bool known = options || (c >= 2 && c <= 5) || strstr(path, ".npy");
        assert_int_equal(two.type, known ? one.type : MEGURI_TYPE_I32);
        compare(&one, &two, graph, strstr(path, ".csv"));
    }
    meguri_fact fact = {.size = sizeof fact};
    assert_int_equal(meguri_result_fact(&fact, back, "engine"), MEGURI_OK);
    assert_string_equal(fact.text, "file");
    meguri_result_free(result);
    meguri_result_free(back);
}

static meguri_graph *graph_number(int which) {
    switch (which) {
    case 0: return graph_of_numbers(ctx, 3000, 7, MEGURI_ID_UNSIGNED);
    case 1: return graph_of_numbers(ctx, 300, (uint64_t)-1500, MEGURI_ID_SIGNED);
    case 2: return graph_of_numbers(ctx, 70, UINT64_MAX - 80, MEGURI_ID_UNSIGNED);
    case 3: return graph_of_numbers(ctx, 70, (uint64_t)1 << 62, MEGURI_ID_UNSIGNED);
    case 4: return graph_of_numbers(ctx, 1, 35615, MEGURI_ID_UNSIGNED); /* in .bin the bytes of a gzip file */
    default: return graph_of_names(ctx, 500);
    }
}

static void what_was_written(void **state) {
    (void)state;
    for (int which = 0; which < 6; which++)
        for (size_t f = 0; f < COUNT_OF(formats); f++) {
            meguri_graph *graph = graph_number(which);
            round_trip(graph, in_folder(formats[f]), &all);
            if (!strstr(formats[f], ".bin")) round_trip(graph, in_folder(formats[f]), NULL);
            meguri_graph_free(graph);
        }
}

/* A file of one graph is none of another: other ids, fewer, more, of another kind. */
static void other_graphs(void **state) {
    (void)state;
    for (size_t f = 0; f < COUNT_OF(formats); f++) {
        const char *path = in_folder(formats[f]);
        meguri_graph *graph = graph_of_numbers(ctx, 40, 7, MEGURI_ID_UNSIGNED);
        meguri_graph *others[] = {graph_of_numbers(ctx, 40, 8, MEGURI_ID_UNSIGNED),
                                  graph_of_numbers(ctx, 39, 7, MEGURI_ID_UNSIGNED),
                                  graph_of_numbers(ctx, 41, 7, MEGURI_ID_UNSIGNED), graph_of_names(ctx, 40)};
        meguri_result *result = hand_made(ctx, 40, false), *back;
        assert_int_equal(meguri_result_write(ctx, result, graph, to_file(path), NULL), MEGURI_OK);
        for (size_t i = 0; i < COUNT_OF(others); i++) {
            assert_int_equal(meguri_result_read(&back, ctx, others[i], path, &all), MEGURI_BAD_INPUT);
            assert_null(back);
            assert_non_null(strstr(meguri_ctx_error(ctx), path));
            meguri_graph_free(others[i]);
        }
        meguri_result_free(result);
        meguri_graph_free(graph);
    }
}

/* ---- types that values need ------------------------------------------------------------------------------------- */

static void types_by_values(void **state) {
    (void)state;
    static const struct {
        const char *items[3];
        meguri_type type;
        double first, last;
    } rows[] = {{{"1", "-2", "3"}, MEGURI_TYPE_I32, 1, 3},
                {{"1", "inf", "5000000000"}, MEGURI_TYPE_U64, 1, 5e9},
                {{"1", "2", "0.5"}, MEGURI_TYPE_F64, 1, 0.5},
                {{"-1", "inf", "3"}, MEGURI_TYPE_F64, -1, 3},
                {{"inf", "1", "-1"}, MEGURI_TYPE_F64, HUGE_VAL, -1},
                {{"18446744073709551614", "1", "2"}, MEGURI_TYPE_U64, 18446744073709551614.0, 2},
                {{"1e3", "-inf", "7"}, MEGURI_TYPE_F64, 1000, 7},
                {{"-2147483648", "2147483647", "0"}, MEGURI_TYPE_I32, -2147483648.0, 0}};
    meguri_graph *graph = graph_of_numbers(ctx, 3, 0, MEGURI_ID_UNSIGNED);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        FILE *file = fopen(in_folder("own.tsv"), "w");
        fprintf(file, "vertex\tmine\r\n0\t%s\r\n1\t%s\r\n2\t%s", rows[i].items[0], rows[i].items[1], rows[i].items[2]);
        fclose(file);
        meguri_result *result;
        meguri_column column = {.size = sizeof column};
        if (meguri_result_read(&result, ctx, graph, in_folder("own.tsv"), NULL) != MEGURI_OK)
            fail_msg("%s", meguri_ctx_error(ctx));
        assert_int_equal(meguri_result_column(&column, result, "mine"), MEGURI_OK);
        assert_int_equal(column.type, rows[i].type);
        const uint64_t *wide = column.data;
        bool is_wide = column.type == MEGURI_TYPE_U64;
        assert_true((is_wide ? (double)wide[0] : number_at(&column, 0)) == rows[i].first);
        assert_true((is_wide ? (double)wide[2] : number_at(&column, 2)) == rows[i].last);
        meguri_result_free(result);
    }
    meguri_graph_free(graph);
}

/* ---- files that are not what they should be --------------------------------------------------------------------- */

static void refuse(const meguri_graph *graph, const char *name, const void *bytes, size_t count, const char *part,
                   const meguri_result_read_options *options) {
    meguri_result *back;
    const char *path = in_folder(name);
    FILE *file = fopen(path, "w");
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
    meguri_status status = meguri_result_read(&back, ctx, graph, path, options);
    if (status == MEGURI_OK) fail_msg("taken: %s", part);
    assert_null(back);
    if (!strstr(meguri_ctx_error(ctx), part)) fail_msg("no '%s' in: %s", part, meguri_ctx_error(ctx));
    assert_non_null(strstr(meguri_ctx_error(ctx), name));
}

static void bad_text(void **state) {
    (void)state;
    static const struct {
        const char *text, *part;
    } cases[] = {
        {"", "begins with the word vertex"},
        {"vertex level\n", "begins with the word vertex"},
        {"source\tvertex\tdistance\n", "own.tsv:1: this is a table of many results"},
        {"vertex\n1\n2\n", "has no column but"},
        {"vertex\t\n", "has no name"},
        {"vertex\ta\ta\n", "the column a twice"},
        {"vertex\tlevel\n1\t0\n", "has 1 rows and the graph 2"},
        {"vertex\tlevel\n1\t0\n2\t1\n3\t1\n", "own.tsv:4: the vertex of this row is not"},
        {"vertex\tlevel\n1\t0\n\n", "own.tsv:3: the vertex of this row"},
        {"vertex\tlevel\n1\t0\n3\t0\n", "own.tsv:3: the vertex of this row"},
        {"vertex\tlevel\n1\t0\n-1\t0\n", "own.tsv:3: the vertex of this row"},
        {"vertex\tlevel\n1\t0\n2\n", "own.tsv:3: this line has fewer fields"},
        {"vertex\tlevel\n1\t0\t5\n2\t1\n", "own.tsv:2: this line has more fields"},
        {"vertex\tlevel\n1\tx\n2\t1\n", "own.tsv:2: 'x' in the column level is no whole number"},
        {"vertex\tlevel\n1\t\n2\t1\n", "own.tsv:2: '' in the column level"},
        {"vertex\tlevel\n1\t2147483648\n2\t1\n", "no whole number that fits"},
        {"vertex\tlevel\n1\t--1\n2\t1\n", "no whole number that fits"},
        {"vertex\trank\n1\t1e999\n2\t1\n", "no number that fits"},
        {"vertex\trank\n1\t1.5x\n2\t1\n", "no number that fits"},
        {"vertex\tparent\n1\t1\n2\t3\n", "own.tsv:3: the column parent names a vertex that the graph has not"},
        {"vertex\tparent_12\n1\t1\n2\t\n", "the column parent_12 names a vertex"},
        {"vertex\tmine\n1\tA\n2\tB\n", "is it the id of a vertex?"},
        {"vertex\tmine\n1\t-5\n2\t5000000000\n", "down to -5, beside such that do not fit 32 bits, up to 5000000000"},
        {"vertex\tmine\n1\t9007199254740993\n2\t0.5\n", "no real number is equal to"},
        {"\x1f\x8b\x08garbage", ""}};
    meguri_graph *graph = graph_of_numbers(ctx, 2, 1, MEGURI_ID_UNSIGNED);
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        refuse(graph, "own.tsv", cases[i].text, strlen(cases[i].text), cases[i].part, NULL);
    const meguri_result_read_options other = {.size = sizeof other, .columns = 1, .names = names, .types = types};
    refuse(graph, "own.tsv", "vertex\tlevel\n1\t0\n2\t0\n", 21, "other columns than the 1", &other);
    refuse(graph, "own.txt", "vertex,level\n", 13, "is not that of a result", NULL);
    refuse(graph, "own.npy.gz", "", 0, "is not that of a result", NULL);
    meguri_graph_free(graph);
    graph = graph_of_names(ctx, 3);
    refuse(graph, "own.tsv", "vertex\tlevel\n\t0\nx\\q\t0\n", 22, "own.tsv:3: the vertex of this row", NULL);
    meguri_graph_free(graph);
}

/* Quotes in the wrong place, left open, and around what needs none. */
static void bad_csv(void **state) {
    (void)state;
    static const struct {
        const char *text, *part;
    } cases[] = {{"vertex\tlevel\n1\t0\n2\t1\n", "commas are between names"},
                 {"vertex,\"lev\"el\n", "own.csv:1: a double quote is not where one may be"},
                 {"vertex,a,\"a\"\n", "the column a twice"},
                 {"vertex,level\n1,0\n\"2\"x,1\n", "own.csv:3: a double quote is not where"},
                 {"vertex,level\n1,0\n2,\"1\n", "own.csv:3: a double quote is not where"},
                 {"vertex,level\n1,0\n2,1,\"x\n\"\n", "own.csv:3: this line has more fields"},
                 {"vertex,level\n1,\"0\n\"\n2,1\n", "own.csv:2: '0\\n' in the column level is no whole number"},
                 {"vertex,level\n\"1\n\",0\n2,1\n", "own.csv:2: the vertex of this row"},
                 {"vertex,level\n1,0\n3,0\n", "own.csv:3: the vertex of this row"}};
    meguri_graph *graph = graph_of_numbers(ctx, 2, 1, MEGURI_ID_UNSIGNED);
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        refuse(graph, "own.csv", cases[i].text, strlen(cases[i].text), cases[i].part, NULL);
    size_t bytes = 3 << 20;
    char *open_quote = malloc(bytes);
    memset(open_quote, '\n', bytes);
    memcpy(open_quote, "vertex,level\n1,\"0", 17);
    refuse(graph, "own.csv", open_quote, bytes, "own.csv:2: this line is longer than any of a result", NULL);
    free(open_quote);
    meguri_graph_free(graph);
}

/* What other programs make of such a file: quotes everywhere, and line ends of Windows. */
static void csv_of_others(void **state) {
    (void)state;
    static const char text[] = "\"vertex\",\"level\",\"parent\"\r\n\"1\",\"0\",\"1\"\r\n2,\"-1\",-1";
    meguri_graph *graph = graph_of_numbers(ctx, 2, 1, MEGURI_ID_UNSIGNED);
    meguri_result *result;
    meguri_column level = {.size = sizeof level}, parent = level;
    FILE *file = fopen(in_folder("own.csv"), "w");
    fputs(text, file);
    fclose(file);
    if (meguri_result_read(&result, ctx, graph, in_folder("own.csv"), NULL) != MEGURI_OK)
        fail_msg("%s", meguri_ctx_error(ctx));
    assert_int_equal(meguri_result_column(&level, result, "level"), MEGURI_OK);
    assert_int_equal(meguri_result_column(&parent, result, "parent"), MEGURI_OK);
    assert_int_equal(((const int32_t *)level.data)[1], -1);
    assert_int_equal(((const uint32_t *)parent.data)[0], 0);
    assert_int_equal(((const uint32_t *)parent.data)[1], UINT32_MAX);
    meguri_result_free(result);
    meguri_graph_free(graph);
}

/* ---- many columns ----------------------------------------------------------------------------------------------- */

/* More columns than could be compared each with each, of which the first and the last may have one name. */
static void many_columns(void **state) {
    (void)state;
    enum { COLUMNS = 300000 };
    meguri_graph *graph = graph_of_numbers(ctx, 1, 0, MEGURI_ID_UNSIGNED);
    for (int same = 0; same < 2; same++) {
        char *head = malloc((size_t)COLUMNS * 40), *at = head;
        meguri_result *result = NULL;
        at += sprintf(at, "{'descr': [('vertex', '<u8')");
        for (int c = 0; c < COLUMNS; c++) at += sprintf(at, ", ('column %d', '|i1')", same && !c ? COLUMNS - 1 : c);
        at += sprintf(at, "], 'fortran_order': False, 'shape': (1,), }");
        uint32_t length = (uint32_t)(at - head);
        FILE *file = fopen(in_folder("many.npy"), "w");
        fwrite("\x93NUMPY\2\0", 1, 8, file);
        fwrite(&length, 4, 1, file);
        fwrite(head, 1, length, file);
        for (int i = 0; i < COLUMNS + 8; i++) fputc(i < 8 ? 0 : 1, file);
        fclose(file);
        free(head);
        meguri_status status = meguri_result_read(&result, ctx, graph, in_folder("many.npy"), NULL);
        assert_int_equal(status, same ? MEGURI_BAD_INPUT : MEGURI_OK);
        assert_int_equal(meguri_result_column_count(result), same ? 0 : COLUMNS);
        if (same) assert_non_null(strstr(meguri_ctx_error(ctx), "has the column column 299999 twice"));
        meguri_result_free(result);
    }
    meguri_graph_free(graph);
}

/* An array of two rows with this header. */
static size_t array_of(unsigned char *to, const char *head, size_t bytes) {
    size_t length = strlen(head);
    memcpy(to, "\x93NUMPY\1\0", 8);
    to[8] = (unsigned char)length, to[9] = (unsigned char)(length >> 8);
    memcpy(to + 10, head, length);
    memset(to + 10 + length, 0, bytes);
    return 10 + length + bytes;
}

static void bad_arrays(void **state) {
    (void)state;
#define HEAD(fields, shape) "{'descr': [" fields "], 'fortran_order': False, 'shape': (" shape "), }"
    static const struct {
        const char *head, *part;
        size_t bytes;
    } cases[] = {
        {HEAD("('vertex', '<u8'), ('level', '<i4')", "2,"), "row 1 (the first is 0): the vertex of this row", 24},
        {HEAD("('vertex', '<u8'), ('level', '<i4')", "3,"), "has 3 rows and the graph 2", 36},
        {HEAD("('vertex', '<u8'), ('level', '<i4')", "2,"), "ends before its last row", 23},
        {HEAD("('vertex', '<u8'), ('level', '<i4')", "2, 1"), "more than one dimension", 24},
        {HEAD("('vertex', '<u8'), ('level', '>i4')", "2,"), "a type that no column has", 24},
        {HEAD("('vertex', '|S9999999999999'), ('level', '<i4')", "2,"), "a type that no column has", 24},
        {HEAD("('vertex', '|S4'), ('level', '<i4')", "2,"), "ids of another kind", 16},
        {HEAD("('vertex', '<u8'), ('parent', '|S4')", "2,"), "ids of another kind", 24},
        {HEAD("('level', '<i4')", "2,"), "first field is not vertex", 8},
        {HEAD("('source', '<u8'), ('vertex', '<u8'), ('level', '<i4')", "2,"), "first field is not vertex", 40},
        {HEAD("('vertex', '<u8')", "2,"), "has no column but", 16},
        {HEAD("('vertex', '<u8'), ('vertex\\'', '<i4')", "2,"), "no list of fields", 24},
        {HEAD("'vertex', '<u8'", "2,"), "no list of fields", 16},
        {HEAD("", "2,"), "has no column but", 16},
        {"{'descr': '<u8', 'fortran_order': False, 'shape': (2,), }", "no list of fields", 16},
        {"{'descr': [('vertex', '<u8'), ('level', '<i4')], 'fortran_order': True, 'shape': (2,), }", "Fortran", 24},
        {"{'descr': [('vertex', '<u8'), ('level', '<i4')], 'shape': (2,), }", "lacks a member", 24},
        {"{'shape': (2,), 'shape': (2,)", "has a member twice", 24},
        {"{'shape': (99999999999999999999,)}", "more than one dimension", 24},
        {"[1, 2]", "no dictionary", 8},
        {"{", "no dictionary", 8}};
    unsigned char bytes[1000];
    meguri_graph *graph = graph_of_numbers(ctx, 2, 0, MEGURI_ID_UNSIGNED);
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        refuse(graph, "own.npy", bytes, array_of(bytes, cases[i].head, cases[i].bytes), cases[i].part, NULL);
    size_t count = array_of(bytes, cases[0].head, 24);
    bytes[count - 12] = 1; /* the second vertex */
    bytes[count] = 0;
    refuse(graph, "own.npy", bytes, count + 1, "bytes behind its last row", NULL);
    refuse(graph, "own.npy", bytes, 9, "ends before", NULL);
    refuse(graph, "own.npy", "\x93NUMPX\1\0\1\0{", 11, "does not begin as an array", NULL);
    refuse(graph, "own.npy", "\x93NUMPY\2\0\xff\xff\xff\xff", 12, "header is too long", NULL);
    static const meguri_type real[] = {MEGURI_TYPE_F64};
    static const char *const level[] = {"level"};
    const meguri_result_read_options other = {.size = sizeof other, .columns = 1, .names = level, .types = real};
    refuse(graph, "own.npy", bytes, count, "another type than it is said to have", &other);
    meguri_graph_free(graph);
}

static void bad_raw_columns(void **state) {
    (void)state;
    static const meguri_type of_parent[] = {MEGURI_TYPE_VERTEX};
    static const char *const parent[] = {"parent"};
    const meguri_result_read_options o = {.size = sizeof o, .columns = 1, .names = parent, .types = of_parent};
    meguri_graph *graph = graph_of_numbers(ctx, 2, 0, MEGURI_ID_UNSIGNED), *named = graph_of_names(ctx, 2);
    uint64_t words[16] = {0, 1, 1, 0};
    refuse(graph, "own.bin", words, 32, "give their names and types", NULL);
    refuse(graph, "own.bin", words, 31, "ends before its last row", &o);
    refuse(graph, "own.bin", words, 33, "bytes behind its last row", &o);
    words[3] = 2;
    refuse(graph, "own.bin", words, 32, "row 1 (the first is 0): the column parent names a vertex", &o);
    words[1] = 5;
    refuse(graph, "own.bin", words, 32, "row 1 (the first is 0): the vertex of this row", &o);
    const uint64_t places[][3] = {{1, 1, 2}, {0, 500, 2}, {0, 0, UINT64_MAX}, {0, 0, 450}};
    static const char *const parts[] = {"one after another", "the vertex of this row", "the vertex of this row",
                                        "the vertex of this row"};
    for (size_t i = 0; i < COUNT_OF(places); i++) refuse(named, "own.bin", places[i], 24, parts[i], &o);
    meguri_graph_free(graph);
    meguri_graph_free(named);
}

/* ---- memory ----------------------------------------------------------------------------------------------------- */

typedef struct reading {
    const meguri_graph *graph;
    const char *path;
} reading;

static meguri_status read_it(meguri_ctx *with, void *what) {
    const reading *r = what;
    meguri_result *result;
    meguri_status status = meguri_result_read(&result, with, r->graph, r->path, &all);
    meguri_result_free(result);
    return status;
}

static void every_allocation(void **state) {
    (void)state;
    for (size_t f = 0; f < COUNT_OF(formats); f++)
        for (int named = 0; named < 2; named++) {
            const char *path = in_folder(formats[f]);
            meguri_graph *graph = graph_number(named ? 5 : 0);
            meguri_result *result = hand_made(ctx, graph->vertices, false);
            assert_int_equal(meguri_result_write(ctx, result, graph, to_file(path), NULL), MEGURI_OK);
            assert_true(fail_each_allocation(ctx, read_it, &(reading){graph, path}, LEAVES_NOTHING) >= 12);
            meguri_result_free(result);
            meguri_graph_free(graph);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_was_written, set_up, tear_down),
        cmocka_unit_test_setup_teardown(other_graphs, set_up, tear_down),
        cmocka_unit_test_setup_teardown(types_by_values, set_up, tear_down),
        cmocka_unit_test_setup_teardown(bad_text, set_up, tear_down),
        cmocka_unit_test_setup_teardown(bad_csv, set_up, tear_down),
        cmocka_unit_test_setup_teardown(csv_of_others, set_up, tear_down),
        cmocka_unit_test_setup_teardown(many_columns, set_up, tear_down),
        cmocka_unit_test_setup_teardown(bad_arrays, set_up, tear_down),
        cmocka_unit_test_setup_teardown(bad_raw_columns, set_up, tear_down),
        cmocka_unit_test_setup_teardown(every_allocation, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
