/* meguri_result_stream: tables of many results, compared with the files of the single ones; what does not fit; disks
 * without room; allocations that fail. */
#define _GNU_SOURCE
#include "meg/graphs.h"
#include "result/hand_made.h"
#include "support/faults.h"
#include "support/sinks.h"

#include <inttypes.h>
#include <sys/stat.h>
#include <zlib.h>

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
    static char paths[4][FOLDER_NAME + 64];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static void has_bytes(const char *path, const void *expected, size_t bytes) {
    size_t count;
    unsigned char *data = file_bytes(path, &count);
    if (count != bytes || memcmp(data, expected, bytes) != 0)
        fail_msg("%s has %zu bytes: \"%.*s\"", path, count, (int)count, (char *)data);
    free(data);
}

/* ---- small tables, by hand -------------------------------------------------------------------------------------- */

static const char *const names[] = {"distance", "parent"};
static const meguri_type types[] = {MEGURI_TYPE_U64, MEGURI_TYPE_VERTEX};

static meguri_result_table table_of(uint64_t results) {
    return (meguri_result_table){.size = sizeof(meguri_result_table),
                                 .results = results,
                                 .key = "source",
                                 .columns = 2,
                                 .names = names,
                                 .types = types};
}

/* A search of two vertices: the one reaches the other at this distance, or not. */
static meguri_result *search_of_two(uint32_t source, uint64_t distance) {
    meguri_result *result;
    uint64_t *far = mg_alloc(ctx, 2 * sizeof *far, "test");
    uint32_t *parent = mg_alloc(ctx, 2 * sizeof *parent, "test");
    far[source] = 0;
    far[1 - source] = distance;
    parent[source] = source;
    parent[1 - source] = distance == UINT64_MAX ? UINT32_MAX : source;
    assert_int_equal(mg_result_new(&result, ctx), MEGURI_OK);
    assert_int_equal(mg_result_own(ctx, result, far), MEGURI_OK);
    assert_int_equal(mg_result_own(ctx, result, parent), MEGURI_OK);
    assert_int_equal(mg_result_add_column(ctx, result, names[0], types[0], far, 2, 8), MEGURI_OK);
    assert_int_equal(mg_result_add_column(ctx, result, names[1], types[1], parent, 2, 4), MEGURI_OK);
    return result;
}

static void write_two(const meguri_graph *g, const char *path) {
    meguri_result_stream *stream;
    meguri_result_table table = table_of(2);
    if (meguri_result_stream_open(&stream, ctx, g, to_file(path), &table) != MEGURI_OK)
        fail_msg("%s", meguri_ctx_error(ctx));
    for (uint32_t source = 0; source < 2; source++) {
        meguri_result *result = search_of_two(source, source ? UINT64_MAX : 5);
        assert_int_equal(meguri_result_stream_add(ctx, stream, source, result), MEGURI_OK);
        meguri_result_free(result);
    }
    struct stat there;
    assert_int_equal(stat(path, &there), -1); /* whole or not at all */
    if (meguri_result_stream_finish(ctx, stream) != MEGURI_OK) fail_msg("%s", meguri_ctx_error(ctx));
    meguri_result_stream_free(stream);
}

static void to_the_byte(void **state) {
    (void)state;
    meguri_graph *g = graph_of_numbers(ctx, 2, 7, MEGURI_ID_UNSIGNED);
    static const char text[] = "source\tvertex\tdistance\tparent\n7\t7\t0\t7\n7\t8\t5\t7\n8\t7\tinf\t-1\n8\t8\t0\t8\n";
    write_two(g, in_folder("a.tsv"));
    has_bytes(in_folder("a.tsv"), text, sizeof text - 1);
    write_two(g, in_folder("a.npy"));
    static const char npy[] =
        "\x93NUMPY\x01\0\xb6\0{'descr': [('source', '<u8'), ('vertex', '<u8'), ('distance', '<u8'), "
        "('parent', '<i8'), ], 'fortran_order': False, 'shape': (4,), }";
    size_t count;
    unsigned char *bytes = file_bytes(in_folder("a.npy"), &count);
    assert_memory_equal(bytes, npy, sizeof npy - 1);
    assert_int_equal(count, 192 + 4 * 32);
    const uint64_t rows[] = {7, 7, 0, 7, 7, 8, 5, 7, 8, 7, UINT64_MAX, UINT64_MAX, 8, 8, 0, 8};
    assert_memory_equal(bytes + 192, rows, sizeof rows);
    free(bytes);
    meguri_graph_free(g);
    g = graph_of_numbers(ctx, 2, (uint64_t)-1, MEGURI_ID_SIGNED);
    static const char negative[] =
        "source\tvertex\tdistance\tparent\n-1\t-1\t0\t-1\n-1\t0\t5\t-1\n0\t-1\tinf\t\n0\t0\t0\t0\n";
    write_two(g, in_folder("b.tsv"));
    has_bytes(in_folder("b.tsv"), negative, sizeof negative - 1);
    meguri_graph_free(g);
}

/* ---- any table: rows are those of the single files with the key before them ------------------------------------- */

enum { MOST = 16 };

static meguri_result_table table_of_hand_made(const meguri_result *result, uint64_t results) {
    static const char *its_names[MOST];
    static meguri_type its_types[MOST];
    uint32_t count = meguri_result_column_count(result);
    assert_true(count <= MOST);
    for (uint32_t i = 0; i < count; i++) {
        meguri_column c = {.size = sizeof c};
        assert_int_equal(meguri_result_column_at(&c, result, i), MEGURI_OK);
        its_names[i] = c.name;
        its_types[i] = c.type;
    }
    return (meguri_result_table){.size = sizeof(meguri_result_table),
                                 .results = results,
                                 .key = "key",
                                 .columns = count,
                                 .names = its_names,
                                 .types = its_types};
}

static meguri_status write_table(meguri_ctx *with, const meguri_graph *g, const meguri_result *result, uint64_t results,
                                 const char *path) {
    meguri_result_stream *stream = (meguri_result_stream *)1;
    meguri_result_table table = table_of_hand_made(result, results);
    meguri_status status = meguri_result_stream_open(&stream, with, g, to_file(path), &table);
    if (status != MEGURI_OK) assert_null(stream);
    for (uint64_t i = 0; i < results && status == MEGURI_OK; i++)
        status = meguri_result_stream_add(with, stream, i * 7 % g->vertices, result);
    if (status == MEGURI_OK) status = meguri_result_stream_finish(with, stream);
    meguri_result_stream_free(stream);
    return status;
}

static char *decompressed(const char *path, size_t *count) {
    size_t room = (size_t)1 << 20;
    char *data = malloc(room);
    gzFile file = gzopen(path, "rb");
    assert_non_null(file);
    for (*count = 0;;) {
        assert_non_null(data);
        int got = gzread(file, data + *count, (unsigned)(room - *count));
        assert_true(got >= 0);
        if (got == 0) break;
        *count += (size_t)got;
        if (*count == room) data = realloc(data, room *= 2);
    }
    gzclose(file);
    return data;
}

/* The first fields of rows are the ids of the single file in turn. */
static void compare_text(const char *table, const char *table_end, const char *single, uint64_t rows,
                         uint64_t results) {
    const char *line_end = strchr(single, '\n');
    assert_memory_equal(table, "key\t", 4);
    assert_memory_equal(table + 4, single, (size_t)(line_end + 1 - single));
    const char *first = line_end + 1;
    table += 4 + (first - single);
    for (uint64_t i = 0; i < results; i++) {
        const char *at = first, *key = first;
        for (uint64_t v = 0; v < i * 7 % rows; v++) key = strchr(key, '\n') + 1;
        size_t key_bytes = (size_t)(strchr(key, '\t') + 1 - key);
        for (uint64_t v = 0; v < rows; v++) {
            size_t bytes = (size_t)(strchr(at, '\n') + 1 - at);
            if (memcmp(table, key, key_bytes) != 0 || memcmp(table + key_bytes, at, bytes) != 0)
                fail_msg("result %" PRIu64 ", row %" PRIu64 ": %.200s", i, v, table);
            table += key_bytes + bytes;
            at += bytes;
        }
    }
    assert_ptr_equal(table, table_end);
}

static void compare_arrays(const char *table, size_t table_bytes, const char *single, size_t single_bytes,
                           uint64_t rows, uint64_t results, size_t id_bytes) {
    size_t head = 10 + (unsigned char)single[8] + 256u * (unsigned char)single[9], width = (single_bytes - head) / rows;
    size_t table_head = 10 + (unsigned char)table[8] + 256u * (unsigned char)table[9];
    char shape[64];
    snprintf(shape, sizeof shape, "'shape': (%" PRIu64 ",)", rows * results);
    assert_non_null(memmem(table, table_head, shape, strlen(shape)));
    assert_int_equal(table_bytes, table_head + rows * results * (width + id_bytes));
    const char *at = table + table_head;
    for (uint64_t i = 0; i < results; i++)
        for (uint64_t v = 0; v < rows; v++, at += width + id_bytes)
            if (memcmp(at, single + head + i * 7 % rows * width, id_bytes) != 0 ||
                memcmp(at + id_bytes, single + head + v * width, width) != 0)
                fail_msg("result %" PRIu64 ", row %" PRIu64, i, v);
}

static void write_and_compare(const meguri_graph *g, uint64_t results, size_t id_bytes) {
    static const char *const suffixes[] = {"tsv", "npy", "tsv.gz"};
    meguri_result *result = hand_made(ctx, g->vertices, false);
    for (size_t i = 0; i < COUNT_OF(suffixes); i++) {
        char single[FOLDER_NAME + 32], table[FOLDER_NAME + 32];
        size_t count, table_count;
        snprintf(single, sizeof single, "%s/single.%.3s", folder, suffixes[i]);
        snprintf(table, sizeof table, "%s/table.%s", folder, suffixes[i]);
        assert_int_equal(meguri_result_write(ctx, result, g, to_file(single), NULL), MEGURI_OK);
        if (write_table(ctx, g, result, results, table) != MEGURI_OK) fail_msg("%s", meguri_ctx_error(ctx));
        char *one = decompressed(single, &count),
             *all = decompressed(table, &table_count); /* also what is not compressed */
        if (i == 1) compare_arrays(all, table_count, one, count, g->vertices, results, id_bytes);
        else compare_text(all, all + table_count, one, g->vertices, results);
        free(one);
        free(all);
    }
    meguri_result_free(result);
}

static void rows_are_those_of_the_results(void **state) {
    (void)state;
    static const uint64_t sizes[] = {1, 10, 1000, 40000};
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        meguri_graph *g = graph_of_numbers(ctx, sizes[i], 95, i % 2 ? MEGURI_ID_SIGNED : MEGURI_ID_UNSIGNED);
        write_and_compare(g, i == 3 ? 3 : 40, 8);
        meguri_graph_free(g);
    }
    meguri_graph *g = graph_of_names(ctx, 200);
    const void *offsets;
    uint64_t longest = 0;
    assert_int_equal(mg_graph_part(&offsets, ctx, g, MG_PART_NAME_OFFSETS), MEGURI_OK);
    for (uint64_t v = 0; v < 200; v++)
        longest = MG_MAX(longest, ((const uint64_t *)offsets)[v + 1] - ((const uint64_t *)offsets)[v]);
    write_and_compare(g, 30, longest);
    meguri_graph_free(g);
}

/* ---- what is refused -------------------------------------------------------------------------------------------- */

static void not_opened(const meguri_graph *g, const char *path, const meguri_result_table *table, meguri_status wanted,
                       const char *piece) {
    meguri_result_stream *stream = (meguri_result_stream *)1;
    assert_int_equal(meguri_result_stream_open(&stream, ctx, g, to_file(path), table), wanted);
    assert_null(stream);
    if (!strstr(meguri_ctx_error(ctx), piece)) fail_msg("%s", meguri_ctx_error(ctx));
    assert_int_equal(access(path, F_OK), -1);
}

static void tables_that_are_none(void **state) {
    (void)state;
    meguri_graph *g = graph_of_numbers(ctx, 2, 7, MEGURI_ID_UNSIGNED);
    meguri_result_table table = table_of(2);
    not_opened(g, in_folder("a.bin"), &table, MEGURI_BAD_ARGUMENT, "is written as .tsv or .csv (with");
    not_opened(g, in_folder("a.txt"), &table, MEGURI_BAD_ARGUMENT, "or .npy (NumPy); give one");
    not_opened(g, in_folder("a.npy.gz"), &table, MEGURI_BAD_ARGUMENT, "or .npy (NumPy); give one");
    not_opened(NULL, in_folder("a.tsv"), &table, MEGURI_BAD_ARGUMENT, "needs a graph");
    not_opened(g, in_folder("a.tsv"), NULL, MEGURI_BAD_ARGUMENT, "needs a graph");
    table.key = NULL;
    not_opened(g, in_folder("a.tsv"), &table, MEGURI_BAD_ARGUMENT, "needs a graph");
    table.key = "source";
    table.types = (const meguri_type[]){MEGURI_TYPE_U64, (meguri_type)77};
    not_opened(g, in_folder("a.tsv"), &table, MEGURI_BAD_ARGUMENT, "77 is no type of a column.");
    assert_int_equal(meguri_result_stream_open(NULL, ctx, g, to_file("a.tsv"), &table), MEGURI_BAD_ARGUMENT);
    meguri_graph_free(g);
}

static void results_that_do_not_fit(void **state) {
    (void)state;
    meguri_graph *g = graph_of_numbers(ctx, 2, 7, MEGURI_ID_UNSIGNED);
    meguri_result *result = search_of_two(0, 1), *other = hand_made(ctx, 2, false), *empty;
    meguri_result_table table = table_of(1);
    assert_int_equal(mg_result_new(&empty, ctx), MEGURI_OK);
    const struct {
        const meguri_result *result;
        uint64_t key;
        meguri_status status;
        const char *piece;
    } cases[] = {{result, 2, MEGURI_NOT_FOUND, "there is no vertex 2 in a graph of 2."},
                 {empty, 0, MEGURI_BAD_ARGUMENT, "the result has 0 columns and the table 2."},
                 {other, 0, MEGURI_BAD_ARGUMENT, "columns and the table 2."},
                 {NULL, 0, MEGURI_BAD_ARGUMENT, "needs a table and a result."}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        meguri_result_stream *stream;
        assert_int_equal(meguri_result_stream_open(&stream, ctx, g, to_file(in_folder("a.tsv")), &table), MEGURI_OK);
        assert_int_equal(meguri_result_stream_add(ctx, stream, cases[i].key, cases[i].result), cases[i].status);
        if (!strstr(meguri_ctx_error(ctx), cases[i].piece)) fail_msg("%s", meguri_ctx_error(ctx));
        assert_int_equal(meguri_result_stream_finish(ctx, stream), MEGURI_BAD_ARGUMENT);
        assert_non_null(strstr(meguri_ctx_error(ctx), "has only 0 of its 1 results."));
        meguri_result_stream_free(stream);
        assert_int_equal(access(in_folder("a.tsv"), F_OK), -1);
    }
    meguri_result_stream *stream;
    assert_int_equal(meguri_result_stream_open(&stream, ctx, g, to_file(in_folder("a.tsv")), &table), MEGURI_OK);
    assert_int_equal(meguri_result_stream_add(ctx, stream, 0, result), MEGURI_OK);
    assert_int_equal(meguri_result_stream_add(ctx, stream, 0, result), MEGURI_BAD_ARGUMENT);
    assert_non_null(strstr(meguri_ctx_error(ctx), "are there already."));
    assert_int_equal(meguri_result_stream_finish(ctx, stream), MEGURI_OK);
    meguri_result_stream_free(stream);
    assert_int_equal(meguri_result_stream_add(NULL, NULL, 0, result), MEGURI_BAD_ARGUMENT);
    assert_int_equal(meguri_result_stream_finish(ctx, NULL), MEGURI_BAD_ARGUMENT);
    meguri_result_stream_free(NULL);
    meguri_result_free(result);
    meguri_result_free(other);
    meguri_result_free(empty);
    meguri_graph_free(g);
}

/* Four digits of each id, a digit of the distance, an id or -1 for the parent, four ends. */
static void the_figure_is_right(void **state) {
    (void)state;
    meguri_graph *g = graph_of_numbers(ctx, 1000, 1000, MEGURI_ID_UNSIGNED);
    meguri_result_table table = table_of((uint64_t)1 << 40);
    char piece[64];
    const uint64_t head = strlen("source\tvertex\tdistance\tparent\n");
    snprintf(piece, sizeof piece, "(%" PRIu64 " bytes) at least",
             ((uint64_t)1 << 40) * 1000 * (4 + 4 + 1 + 1 + 4) + head);
    not_opened(g, in_folder("a.tsv"), &table, MEGURI_NO_DISK, piece);
    snprintf(piece, sizeof piece, "(%" PRIu64 " bytes) at least", ((uint64_t)1 << 40) * 1000 * 32 / 2 + 192);
    table.results /= 2;
    not_opened(g, in_folder("a.npy"), &table, MEGURI_NO_DISK, piece);
    table.results = UINT64_MAX;
    not_opened(g, in_folder("a.tsv"), &table, MEGURI_NO_DISK, "(18446744073709551615 bytes) at least");
    meguri_graph_free(g);
}

static void full_disks(void **state) {
    (void)state;
    meguri_graph *g = graph_of_numbers(ctx, 30000, 0, MEGURI_ID_UNSIGNED);
    meguri_result *result = hand_made(ctx, 30000, false);
    for (int i = 0; i < 3; i++) {
        const char *path = in_folder((const char *[]){"f.tsv", "f.npy", "f.tsv.gz"}[i]);
        assert_int_equal(symlink("/dev/full", path), 0);
        assert_int_equal(write_table(ctx, g, result, 3, path), MEGURI_NO_DISK);
        assert_non_null(strstr(meguri_ctx_error(ctx), "no room"));
    }
    meguri_result_free(result);
    meguri_graph_free(g);
}

/* ---- allocations, cancel ---------------------------------------------------------------------------------------- */

typedef struct table {
    const meguri_graph *graph;
    const meguri_result *result;
    const char *path;
} table;

static meguri_status write_five(meguri_ctx *with, void *what) {
    const table *t = what;
    meguri_status status = write_table(with, t->graph, t->result, 5, t->path);
    if (status != MEGURI_OK) assert_int_equal(access(t->path, F_OK), -1);
    return status;
}

static void every_allocation(void **state) {
    (void)state;
    static const char *const files[] = {"r.tsv", "r.csv", "r.npy", "r.tsv.gz", "r.tsv.zst", "r.csv.xz"};
    for (size_t i = 0; i < COUNT_OF(files); i++) {
        meguri_graph *g = i % 2 ? graph_of_names(ctx, 200) : graph_of_numbers(ctx, 3000, 3, MEGURI_ID_UNSIGNED);
        meguri_result *result = hand_made(ctx, g->vertices, false);
        table t = {g, result, in_folder(files[i])};
        assert_true(fail_each_allocation(ctx, write_five, &t, LEAVES_NOTHING) >= 10);
        meguri_result_free(result);
        meguri_graph_free(g);
    }
}

static void cancelled(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        impatient user = {0};
        meguri_ctx *mine = context_of(&user, 2);
        meguri_graph *g = graph_of_numbers(ctx, i ? 60000 : 10, 3, MEGURI_ID_UNSIGNED);
        meguri_result *result = hand_made(ctx, g->vertices, false);
        cancel_at(mine, &user, 1, NULL, write_five, &(table){g, result, in_folder("c.tsv")});
        context_done(mine);
        meguri_result_free(result);
        meguri_graph_free(g);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(to_the_byte),          TEST(rows_are_those_of_the_results),
        TEST(tables_that_are_none), TEST(results_that_do_not_fit),
        TEST(the_figure_is_right),  TEST(full_disks),
        TEST(every_allocation),     TEST(cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
