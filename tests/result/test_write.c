/* meguri_result_write: small files to the byte, names that it does not know, results that do not fit the graph, full
 * disks, other locales, files that exist. */
#define _GNU_SOURCE
#include "meg/graphs.h"
#include "result/hand_made.h"
#include "support/decimal_comma.h"
#include "support/sanitized.h"
#include "support/sinks.h"

#include <fcntl.h>
#include <math.h>
#include <sys/stat.h>

static char folder[FOLDER_NAME], logged[1024];
static meguri_ctx *ctx;

static void remember(void *user, meguri_log_level level, const char *text) {
    (void)user;
    (void)level;
    snprintf(logged + strlen(logged), sizeof logged - strlen(logged), "%s\n", text);
}

static int set_up(void **state) {
    (void)state;
    meguri_ctx_options o = {.size = sizeof o, .threads = 2, .log = remember, .log_level = MEGURI_LOG_WARNING};
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

/* A result of one column, whose items are copied. */
static meguri_result *column_of(const char *name, meguri_type type, const void *items, uint64_t count) {
    meguri_result *result;
    size_t bytes = count * mg_column_size(type);
    void *data = mg_alloc(ctx, bytes, "test");
    memcpy(data, items, bytes);
    assert_int_equal(mg_result_new(&result, ctx), MEGURI_OK);
    assert_int_equal(mg_result_own(ctx, result, data), MEGURI_OK);
    assert_int_equal(mg_result_add_column(ctx, result, name, type, data, count, mg_column_size(type)), MEGURI_OK);
    return result;
}

/* The level and the parent of three vertices, the last of which is not reached. */
static meguri_result *search_result(void) {
    static const int32_t level[] = {0, 1, -1};
    static const uint32_t parent[] = {0, 0, UINT32_MAX};
    meguri_result *result = column_of("level", MEGURI_TYPE_I32, level, 3);
    uint32_t *data = mg_alloc(ctx, sizeof parent, "test");
    memcpy(data, parent, sizeof parent);
    assert_int_equal(mg_result_own(ctx, result, data), MEGURI_OK);
    assert_int_equal(mg_result_add_column(ctx, result, "parent", MEGURI_TYPE_VERTEX, data, 3, 4), MEGURI_OK);
    return result;
}

/* Three vertices with these names. */
static meguri_graph *named(const char *a, const char *b, const char *c) {
    meguri_graph *g = graph_of_numbers(ctx, 3, 0, MEGURI_ID_STRING);
    const char *texts[] = {a, b, c};
    uint64_t *offsets = mg_alloc(ctx, 4 * 8, "test");
    char *bytes = mg_alloc(ctx, strlen(a) + strlen(b) + strlen(c) + 1, "test");
    offsets[0] = 0;
    for (int i = 0; i < 3; i++) {
        memcpy(bytes + offsets[i], texts[i], strlen(texts[i]));
        offsets[i + 1] = offsets[i] + strlen(texts[i]);
    }
    mg_graph_own(g, MG_PART_NAME_OFFSETS, offsets, 32);
    mg_graph_own(g, MG_PART_NAMES, bytes, offsets[3]);
    return g;
}

static void good(const meguri_result *result, const meguri_graph *g, const char *path) {
    if (meguri_result_write(ctx, result, g, to_file(path), NULL) != MEGURI_OK)
        fail_msg("%s: %s", path, meguri_ctx_error(ctx));
}

static void has_bytes(const char *path, const void *expected, size_t bytes) {
    size_t count;
    unsigned char *data = file_bytes(path, &count);
    if (count != bytes || memcmp(data, expected, bytes) != 0)
        fail_msg("%s has %zu bytes: \"%.*s\"", path, count, (int)count, (char *)data);
    free(data);
}

/* Takes both over. */
static void written_as(meguri_graph *g, meguri_result *result, const char *name, const char *expected) {
    good(result, g, in_folder(name));
    has_bytes(in_folder(name), expected, strlen(expected));
    meguri_result_free(result);
    meguri_graph_free(g);
}

static void text(void **state) {
    (void)state;
    written_as(graph_of_numbers(ctx, 3, 7, MEGURI_ID_UNSIGNED), search_result(), "unsigned.tsv",
               "vertex\tlevel\tparent\n7\t0\t7\n8\t1\t7\n9\t-1\t-1\n");
    written_as(graph_of_numbers(ctx, 3, (uint64_t)-2, MEGURI_ID_SIGNED), search_result(), "signed.tsv",
               "vertex\tlevel\tparent\n-2\t0\t-2\n-1\t1\t-2\n0\t-1\t\n");
    written_as(graph_of_numbers(ctx, 3, UINT64_MAX - 2, MEGURI_ID_UNSIGNED), search_result(), "large.tsv",
               "vertex\tlevel\tparent\n18446744073709551613\t0\t18446744073709551613\n"
               "18446744073709551614\t1\t18446744073709551613\n18446744073709551615\t-1\t-1\n");
    written_as(named("Tōkyō", "a b", "x"), search_result(), "names.tsv",
               "vertex\tlevel\tparent\nTōkyō\t0\tTōkyō\na b\t1\tTōkyō\nx\t-1\t\n");
    written_as(named("tab\there", "line\nend\r", "C:\\x"), search_result(), "escapes.tsv",
               "vertex\tlevel\tparent\ntab\\there\t0\ttab\\there\nline\\nend\\r\t1\ttab\\there\nC:\\\\x\t-1\t\n");
    assert_string_equal(logged, "");
    const uint64_t distance[] = {0, UINT64_MAX, UINT64_MAX - 1};
    written_as(graph_of_numbers(ctx, 3, 1, MEGURI_ID_UNSIGNED), column_of("distance", MEGURI_TYPE_U64, distance, 3),
               "distance.tsv", "vertex\tdistance\n1\t0\n2\tinf\n3\t18446744073709551614\n");
    written_as(graph_of_numbers(ctx, 0, 0, MEGURI_ID_UNSIGNED), column_of("x", MEGURI_TYPE_I8, "", 0), "empty.tsv",
               "vertex\tx\n");
}

/* RFC 4180: quotes where a comma, a quote, a line end, a blank at an end or nothing at all would not come back. */
static void csv(void **state) {
    (void)state;
    written_as(graph_of_numbers(ctx, 3, 7, MEGURI_ID_UNSIGNED), search_result(), "unsigned.csv",
               "vertex,level,parent\n7,0,7\n8,1,7\n9,-1,-1\n");
    written_as(graph_of_numbers(ctx, 3, (uint64_t)-2, MEGURI_ID_SIGNED), search_result(), "signed.csv",
               "vertex,level,parent\n-2,0,-2\n-1,1,-2\n0,-1,\n");
    written_as(named("007", "NA", "a b\tc\\t"), search_result(), "plain.csv",
               "vertex,level,parent\n007,0,007\nNA,1,007\na b\tc\\t,-1,\n");
    written_as(named("a,b", "say \"yes\"", "two\nlines"), search_result(), "quoted.csv",
               "vertex,level,parent\n\"a,b\",0,\"a,b\"\n\"say \"\"yes\"\"\",1,\"a,b\"\n\"two\nlines\",-1,\n");
    written_as(named(" x", "x ", "x\r"), search_result(), "ends.csv",
               "vertex,level,parent\n\" x\",0,\" x\"\n\"x \",1,\" x\"\n\"x\r\",-1,\n");
    assert_string_equal(logged, "");
    written_as(named("", "\"", "東京"), search_result(), "empty.csv",
               "vertex,level,parent\n\"\",0,\"\"\n\"\"\"\",1,\"\"\n東京,-1,\n");
    const double rank[] = {0.1, HUGE_VAL, -2.5e-9};
    written_as(graph_of_numbers(ctx, 3, 1, MEGURI_ID_UNSIGNED), column_of("a \"b\", c", MEGURI_TYPE_F64, rank, 3),
               "title.csv", "vertex,\"a \"\"b\"\", c\"\n1,0.1\n2,inf\n3,-2.5e-9\n");
}

static void no_columns(void **state) {
    (void)state;
    meguri_result *result;
    assert_int_equal(mg_result_new(&result, ctx), MEGURI_OK);
    written_as(graph_of_numbers(ctx, 2, 5, MEGURI_ID_UNSIGNED), result, "bare.tsv", "vertex\n5\n6\n");
}

static void arrays(void **state) {
    (void)state;
    meguri_graph *g = graph_of_numbers(ctx, 3, 7, MEGURI_ID_UNSIGNED);
    meguri_result *result = search_result();
    good(result, g, in_folder("a.npy"));
    good(result, g, in_folder("a.bin"));
    static const char npy[] = "\x93NUMPY\x01\0v\0{'descr': [('vertex', '<u8'), ('level', '<i4'), ('parent', '<i8'), ], "
                              "'fortran_order': False, 'shape': (3,), }       \n"
                              "\x07\0\0\0\0\0\0\0\0\0\0\0\x07\0\0\0\0\0\0\0"
                              "\x08\0\0\0\0\0\0\0\x01\0\0\0\x07\0\0\0\0\0\0\0"
                              "\x09\0\0\0\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff";
    has_bytes(in_folder("a.npy"), npy, sizeof npy - 1);
    static const char bin[] = "\x07\0\0\0\0\0\0\0\x08\0\0\0\0\0\0\0\x09\0\0\0\0\0\0\0"
                              "\0\0\0\0\x01\0\0\0\xff\xff\xff\xff"
                              "\x07\0\0\0\0\0\0\0\x07\0\0\0\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff";
    has_bytes(in_folder("a.bin"), bin, sizeof bin - 1);
    meguri_graph_free(g);
    g = named("ab", "c", "def");
    good(result, g, in_folder("b.bin"));
    static const char names[] = "\0\0\0\0\0\0\0\0\x02\0\0\0\0\0\0\0\x03\0\0\0\0\0\0\0\x06\0\0\0\0\0\0\0abcdef"
                                "\0\0\0\0\x01\0\0\0\xff\xff\xff\xff"
                                "\0\0\0\0\0\0\0\0\x02\0\0\0\0\0\0\0\x04\0\0\0\0\0\0\0\x04\0\0\0\0\0\0\0abab";
    has_bytes(in_folder("b.bin"), names, sizeof names - 1);
    meguri_graph_free(g);
    meguri_result_free(result);
}

/* More columns than a header of format 1.0 has room for. */
static void very_many_columns(void **state) {
    (void)state;
    enum { COLUMNS = 3500 };
    meguri_graph *g = graph_of_numbers(ctx, 2, 0, MEGURI_ID_UNSIGNED);
    meguri_result *result;
    int8_t *data = mg_alloc(ctx, 2 * COLUMNS, "test");
    char name[32];
    for (int i = 0; i < 2 * COLUMNS; i++) data[i] = (int8_t)i;
    assert_int_equal(mg_result_new(&result, ctx), MEGURI_OK);
    assert_int_equal(mg_result_own(ctx, result, data), MEGURI_OK);
    for (int i = 0; i < COLUMNS; i++) {
        snprintf(name, sizeof name, "column_%d", i);
        assert_int_equal(mg_result_add_column(ctx, result, name, MEGURI_TYPE_I8, data + i, 2, COLUMNS), MEGURI_OK);
    }
    good(result, g, in_folder("wide.npy"));
    size_t count;
    unsigned char *bytes = file_bytes(in_folder("wide.npy"), &count);
    assert_memory_equal(bytes, "\x93NUMPY\x02\0", 8);
    size_t head = bytes[8] + 256u * bytes[9] + 65536u * bytes[10] + (bytes[11] << 24);
    assert_true(head > UINT16_MAX && (12 + head) % 64 == 0 && bytes[11 + head] == '\n');
    assert_int_equal(count, 12 + head + 2 * (8 + COLUMNS));
    assert_int_equal(bytes[12 + head + 8 + COLUMNS], 1); /* the id of the second row */
    assert_int_equal((int8_t)bytes[count - 1], (int8_t)(2 * COLUMNS - 1));
    free(bytes);
    meguri_result_free(result);
    meguri_graph_free(g);
}

static void refused(const meguri_result *result, const meguri_graph *g, const char *name, const char *piece) {
    const char *path = in_folder(name);
    assert_int_equal(meguri_result_write(ctx, result, g, to_file(path), NULL), MEGURI_BAD_ARGUMENT);
    const char *sentence = meguri_ctx_error(ctx);
    if (!strstr(sentence, piece) || sentence[strlen(sentence) - 1] != '.') fail_msg("%s", sentence);
    assert_int_equal(access(path, F_OK), -1);
}

static void refusals(void **state) {
    (void)state;
    meguri_graph *g = graph_of_numbers(ctx, 3, 7, MEGURI_ID_UNSIGNED);
    meguri_graph *other = graph_of_numbers(ctx, 4, 7, MEGURI_ID_UNSIGNED);
    meguri_result *result = search_result();
    for (size_t i = 0; i < 4; i++) {
        const char *piece = (const char *[]){".tsv", ".csv", ".npy", ".bin"}[i];
        refused(result, g, "levels.txt", piece);
        refused(result, g, "levels", piece);
    }
    refused(result, g, "x.gz", ".tsv");
    refused(result, g, "x.npy.gz", ".bin (raw columns), not compressed");
    refused(result, g, "x.bin.zst", "not compressed");
    refused(result, other, "x.tsv", "level has 3 items and the graph 4 vertices");
    assert_int_equal(meguri_result_write(ctx, NULL, g, to_file("x.tsv"), NULL), MEGURI_BAD_ARGUMENT);
    assert_int_equal(meguri_result_write(ctx, result, NULL, to_file("x.tsv"), NULL), MEGURI_BAD_ARGUMENT);
    assert_int_equal(meguri_result_write(ctx, result, g, to_file(NULL), NULL), MEGURI_BAD_ARGUMENT);
    assert_int_equal(meguri_result_write(NULL, result, g, to_file("x.tsv"), NULL), MEGURI_BAD_ARGUMENT);
    assert_int_equal(meguri_result_write(ctx, result, g, to_file(in_folder("no/where.tsv")), NULL),
                     MEGURI_BAD_ARGUMENT);
    meguri_result_free(result);
    const uint32_t beyond[] = {0, 3, UINT32_MAX};
    result = column_of("parent", MEGURI_TYPE_VERTEX, beyond, 3);
    refused(result, g, "x.bin", "parent names 1 vertices that the graph has not");
    meguri_result_free(result);
    meguri_graph_free(g);
    meguri_graph_free(other);
}

/* What stands for none can be an id. */
static void warnings(void **state) {
    (void)state;
    const struct {
        meguri_graph *graph;
        const char *text, *array; /* pieces of the warnings; NULL: none */
    } cases[] = {
        {graph_of_numbers(ctx, 3, UINT64_MAX - 2, MEGURI_ID_UNSIGNED), NULL, "18446744073709551615"},
        {graph_of_numbers(ctx, 3, UINT64_MAX - 3, MEGURI_ID_UNSIGNED), NULL, NULL},
        {graph_of_numbers(ctx, 3, (uint64_t)INT64_MIN, MEGURI_ID_SIGNED), NULL, "-9223372036854775808"},
        {graph_of_numbers(ctx, 3, (uint64_t)-1, MEGURI_ID_SIGNED), NULL, NULL},
        {named("a", "", "c"), "an empty id", "an empty id"},
        {named("a", "b", "c"), NULL, NULL},
    };
    meguri_result *result = search_result(), *plain = column_of("level", MEGURI_TYPE_I32, (int32_t[3]){0}, 3);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        for (int format = 0; format < 3; format++) {
            const char *path = in_folder((const char *[]){"a.tsv", "a.npy", "a.bin"}[format]);
            const char *piece = format ? cases[i].array : cases[i].text;
            logged[0] = '\0';
            good(plain, cases[i].graph, path);
            assert_string_equal(logged, ""); /* no column of vertices, no confusion */
            good(result, cases[i].graph, path);
            if (piece ? !strstr(logged, piece) : *logged) fail_msg("%zu, %s: \"%s\"", i, path, logged);
        }
        meguri_graph_free(cases[i].graph);
    }
    meguri_result_free(result);
    meguri_result_free(plain);
}

/* A folder on a full disk cannot be had everywhere, but /dev/full can. */
static void no_room(void **state) {
    (void)state;
    meguri_graph *g = graph_of_numbers(ctx, 100000, 0, MEGURI_ID_UNSIGNED);
    meguri_result *result = hand_made(ctx, 100000, false);
    for (int format = 0; format < 4; format++) {
        const char *path = in_folder((const char *[]){"f.tsv", "f.npy", "f.bin", "f.tsv.gz"}[format]);
        assert_int_equal(symlink("/dev/full", path), 0);
        assert_int_equal(meguri_result_write(ctx, result, g, to_file(path), NULL), MEGURI_NO_DISK);
        assert_non_null(strstr(meguri_ctx_error(ctx), "no room"));
        assert_non_null(strstr(meguri_ctx_error(ctx), path));
    }
    meguri_result_free(result);
    meguri_graph_free(g);
}

/* An old file stays as it was when writing fails, and is replaced as a whole when not. */
static void old_files(void **state) {
    (void)state;
    meguri_graph *g = graph_of_numbers(ctx, 3, 7, MEGURI_ID_UNSIGNED);
    meguri_graph *other = graph_of_numbers(ctx, 4, 7, MEGURI_ID_UNSIGNED);
    meguri_result *result = search_result();
    const char *path = in_folder("old.tsv");
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("what was there before, which is longer than what comes now\n", file);
    fclose(file);
    assert_int_equal(meguri_result_write(ctx, result, other, to_file(path), NULL), MEGURI_BAD_ARGUMENT);
    has_bytes(path, "what was there before, which is longer than what comes now\n", 59);
    written_as(g, result, "old.tsv", "vertex\tlevel\tparent\n7\t0\t7\n8\t1\t7\n9\t-1\t-1\n");
    meguri_graph_free(other);
}

static int stop(void *user, const char *phase, uint64_t done, uint64_t total) {
    (void)phase;
    assert_true(done <= total);
    int *calls = user;
    return ++*calls > 0;
}

static void cancelled(void **state) {
    (void)state;
    int calls = 0;
    meguri_ctx *mine;
    meguri_ctx_options o = {.size = sizeof o, .threads = 1, .progress = stop, .progress_user = &calls};
    assert_int_equal(meguri_ctx_new(&mine, &o), MEGURI_OK);
    meguri_graph *numbers = graph_of_numbers(mine, 60000, 0, MEGURI_ID_UNSIGNED), *names = graph_of_names(mine, 3000);
    for (int format = 0; format < 6; format++) {
        const meguri_graph *g = format < 3 ? numbers : names;
        meguri_result *result = hand_made(mine, g->vertices, false);
        const char *path = in_folder((const char *[]){"c.tsv", "c.npy", "c.bin"}[format % 3]);
        calls = 0;
        assert_int_equal(meguri_result_write(mine, result, g, to_file(path), NULL), MEGURI_CANCELLED);
        assert_true(calls > 0);
        assert_int_equal(access(path, F_OK), -1);
        meguri_result_free(result);
    }
    meguri_graph_free(numbers);
    meguri_graph_free(names);
    context_done(mine);
}

/* Where a column takes several blocks, they join without a seam, also one whose items lie apart in memory. */
static void blocks_of_a_column(void **state) {
    (void)state;
    enum { ROWS = 300000 };
    meguri_graph *g = graph_of_numbers(ctx, ROWS, 5, MEGURI_ID_UNSIGNED);
    meguri_result *result = hand_made(ctx, ROWS, false);
    good(result, g, in_folder("b.bin"));
    size_t count, at = 0;
    unsigned char *bytes = file_bytes(in_folder("b.bin"), &count);
    for (uint64_t v = 0; v < ROWS; v++, at += 8)
        if (*(const uint64_t *)(bytes + at) != v + 5) fail_msg("the id of row %zu", (size_t)v);
    for (uint32_t i = 0; i < meguri_result_column_count(result); i++) {
        meguri_column c = {.size = sizeof c};
        assert_int_equal(meguri_result_column_at(&c, result, i), MEGURI_OK);
        bool vertices = c.type == MEGURI_TYPE_VERTEX;
        size_t size = vertices ? 8 : mg_column_size(c.type);
        for (uint64_t v = 0; v < ROWS; v++, at += size) {
            const void *item = (const char *)c.data + v * c.stride;
            uint32_t vertex = vertices ? *(const uint32_t *)item : 0;
            uint64_t id = vertex == UINT32_MAX ? UINT64_MAX : vertex + 5;
            if (memcmp(bytes + at, vertices ? &id : item, size) != 0) fail_msg("%s, row %zu", c.name, (size_t)v);
        }
    }
    assert_int_equal(at, count);
    free(bytes);
    meguri_result_free(result);
    meguri_graph_free(g);
}

/* Blocks for each thread, not the whole file. */
static void bounded_memory(void **state) {
    (void)state;
    meguri_ctx *mine;
    meguri_ctx_options o = {.size = sizeof o, .threads = 2, .memory = (uint64_t)64 << 20};
    assert_int_equal(meguri_ctx_new(&mine, &o), MEGURI_OK);
    uint64_t vertices = UNDER_TSAN || UNDER_ASAN ? 200000 : 1000000;
    meguri_graph *g = graph_of_numbers(mine, vertices, 1000000, MEGURI_ID_UNSIGNED);
    meguri_result *result = hand_made(mine, vertices, false);
    uint64_t before = meguri_ctx_memory_used(mine);
    for (int format = 0; format < 4; format++) {
        const char *path = in_folder((const char *[]){"m.tsv", "m.npy", "m.bin", "m.tsv.zst"}[format]);
        assert_int_equal(meguri_result_write(mine, result, g, to_file(path), NULL), MEGURI_OK);
    }
    assert_true(meguri_ctx_memory_peak(mine) - before < (uint64_t)12 << 20);
    meguri_result_free(result);
    meguri_graph_free(g);
    context_done(mine);
}

static void decimal_comma(void **state) {
    (void)state;
    char locales[FOLDER_TEXT];
    folder_new(locales);
    bool comma = decimal_comma_use(locales);
    folder_remove(locales);
    if (!comma) skip_because("no locale with a decimal comma, and none can be made");
    const double rank[] = {0.1, 1234567.25, 1.0 / 3};
    written_as(graph_of_numbers(ctx, 3, 1000, MEGURI_ID_UNSIGNED), column_of("rank", MEGURI_TYPE_F64, rank, 3),
               "comma.tsv", "vertex\trank\n1000\t0.1\n1001\t1234567.25\n1002\t0.3333333333333333\n");
    setlocale(LC_ALL, "C");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(text, set_up, tear_down),
        cmocka_unit_test_setup_teardown(csv, set_up, tear_down),
        cmocka_unit_test_setup_teardown(no_columns, set_up, tear_down),
        cmocka_unit_test_setup_teardown(arrays, set_up, tear_down),
        cmocka_unit_test_setup_teardown(very_many_columns, set_up, tear_down),
        cmocka_unit_test_setup_teardown(refusals, set_up, tear_down),
        cmocka_unit_test_setup_teardown(warnings, set_up, tear_down),
        cmocka_unit_test_setup_teardown(no_room, set_up, tear_down),
        cmocka_unit_test_setup_teardown(old_files, set_up, tear_down),
        cmocka_unit_test_setup_teardown(cancelled, set_up, tear_down),
        cmocka_unit_test_setup_teardown(blocks_of_a_column, set_up, tear_down),
        cmocka_unit_test_setup_teardown(bounded_memory, set_up, tear_down),
        cmocka_unit_test_setup_teardown(decimal_comma, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
