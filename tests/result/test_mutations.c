/* Damaged results: ten thousand seeded mutations of each form of a file, for graphs of every kind of ids. Whatever the
 * bytes are, reading gives a result of the graph or one sentence, and keeps no memory; and so for files of graphs in
 * binary numbers, which nothing tells from damaged ones. */
#define _GNU_SOURCE
#include "io/result_read.h"
#include "meg/graphs.h"
#include "result/hand_made.h"
#include "support/faults.h"
#include "support/sanitized.h"
#include "support/sinks.h"

#include <stdlib.h>

#define CASES (UNDER_ASAN || UNDER_TSAN ? 1000u : 10000u)

enum { MOST_BYTES = 1 << 16, VERTICES = 23 };

static const char *const names[] = {"small", "middle", "level", "distance", "rank", "parent", "side_0", "side_1"};
static const meguri_type types[] = {MEGURI_TYPE_I8,  MEGURI_TYPE_I16,    MEGURI_TYPE_I32, MEGURI_TYPE_U64,
                                    MEGURI_TYPE_F64, MEGURI_TYPE_VERTEX, MEGURI_TYPE_I8,  MEGURI_TYPE_I8};
static const meguri_result_read_options described = {
    .size = sizeof described, .columns = COUNT_OF(names), .names = names, .types = types};

typedef struct damaged {
    unsigned char bytes[MOST_BYTES];
    size_t count;
    uint64_t state;
} damaged;

static uint64_t next(damaged *d) { /* splitmix64 */
    uint64_t z = d->state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* What numbers of files like to be when they are wrong. */
static uint64_t hostile(damaged *d) {
    static const uint64_t values[] = {0,
                                      1,
                                      0x7f,
                                      0xff,
                                      0x7fff,
                                      0xffff,
                                      INT32_MAX,
                                      UINT32_MAX,
                                      INT64_MAX,
                                      UINT64_MAX,
                                      UINT64_MAX - 1,
                                      1ull << 63,
                                      1ull << 40,
                                      0x2c5d5b29273a7b22u,
                                      0x0a0d22225c2c0900u};
    return values[next(d) % COUNT_OF(values)];
}

static void damage(damaged *d) {
    size_t at = d->count ? next(d) % d->count : 0, length = 1 + next(d) % 16;
    length = at + length > d->count ? d->count - at : length;
    uint64_t value = hostile(d);
    switch (next(d) % 6) {
    case 0: d->count = at; break; /* cut off */
    case 1:
        for (size_t i = 0; i < length; i++)
            d->bytes[at + i] ^= (unsigned char)(next(d) % 5 ? 1u << next(d) % 8 : next(d));
        break;
    case 2: memcpy(d->bytes + at, &value, length > 8 ? 8 : length); break;
    case 3: /* taken out */
        memmove(d->bytes + at, d->bytes + at + length, d->count - at - length);
        d->count -= length;
        break;
    case 4: /* twice */
        if (d->count + length > MOST_BYTES) break;
        memmove(d->bytes + at + length, d->bytes + at, d->count - at);
        d->count += length;
        break;
    default: /* digits, as headers have them */
        for (size_t i = at; i < d->count && i < at + 200; i++)
            if (d->bytes[i] >= '0' && d->bytes[i] <= '9' && next(d) % 4 == 0)
                d->bytes[i] = "0123456789-'"[next(d) % 12];
    }
}

static void check_result(const meguri_result *result) {
    for (uint32_t c = 0; c < meguri_result_column_count(result); c++) {
        meguri_column column = {.size = sizeof column};
        assert_int_equal(meguri_result_column_at(&column, result, c), MEGURI_OK);
        assert_int_equal(column.count, VERTICES);
        for (int row = 0; column.type == MEGURI_TYPE_VERTEX && row < VERTICES; row++) {
            uint32_t vertex = ((const uint32_t *)column.data)[row];
            assert_true(vertex < VERTICES || vertex == UINT32_MAX);
        }
    }
}

/* Whatever comes of it, one sentence or a result, and no memory that is kept. */
static void read_one(meguri_ctx *ctx, const meguri_graph *graph, const char *name, const damaged *d, bool describe) {
    const meguri_result_read_options nothing = {.size = sizeof nothing};
    uint64_t before = meguri_ctx_memory_used(ctx);
    meguri_result *result = NULL;
    mg_compression compression;
    mg_input input;
    mg_begin(ctx);
    meguri_status status = mg_input_memory(&input, ctx, name, d->bytes, d->count);
    if (status == MEGURI_OK)
        status = mg_result_read_input(&result, ctx, graph, &input, mg_result_find_format(name, &compression),
                                      describe ? &described : &nothing);
    if (status == MEGURI_OK) check_result(result);
    else if (status != MEGURI_BAD_INPUT) fail_msg("%s: %d, %s", name, (int)status, meguri_ctx_error(ctx));
    else assert_true(!result && strstr(meguri_ctx_error(ctx), name));
    meguri_result_free(result);
    mg_input_close(&input);
    assert_int_equal(meguri_ctx_memory_used(ctx), before);
}

static size_t load(damaged *to, const char *path) {
    size_t count;
    unsigned char *bytes = file_bytes(path, &count);
    assert_true(count < MOST_BYTES - 64);
    memcpy(to->bytes, bytes, to->count = count);
    free(bytes);
    return count;
}

static void results(void **state) {
    (void)state;
    static const char *const files[] = {"r.npy", "r.bin", "r.csv", "r.tsv"};
    static damaged whole, one;
    char folder[FOLDER_NAME], path[FOLDER_NAME + 16];
    meguri_ctx *ctx = context_with(1);
    make_folder(folder);
    for (size_t f = 0; f < COUNT_OF(files); f++)
        for (int kind = 0; kind < 3; kind++) {
            meguri_graph *graph = kind == 2 ? graph_of_names(ctx, VERTICES)
                                            : graph_of_numbers(ctx, VERTICES, kind ? (uint64_t)-7 : 5,
                                                               kind ? MEGURI_ID_SIGNED : MEGURI_ID_UNSIGNED);
            meguri_result *result = hand_made(ctx, VERTICES, false);
            snprintf(path, sizeof path, "%s/%s", folder, files[f]);
            assert_int_equal(meguri_result_write(ctx, result, graph, to_file(path), NULL), MEGURI_OK);
            meguri_result_free(result);
            load(&whole, path);
            whole.state = 1000 * f + (uint64_t)kind;
            for (uint64_t i = 0; i < CASES / 3 + 1; i++) {
                memcpy(one.bytes, whole.bytes, one.count = whole.count);
                one.state = next(&whole);
                for (uint64_t times = 1 + next(&one) % 3; times; times--) damage(&one);
                read_one(ctx, graph, files[f], &one, f == 1 || i % 2 == 0);
            }
            meguri_graph_free(graph);
        }
    remove_folder(folder);
    context_done(ctx);
}

/* Edges as binary numbers: every multiple of a size is a graph, but for ids that do not fit together. */
static void binary_graphs(void **state) {
    (void)state;
    static const char *const files[] = {"g.bin32", "g.bin48", "g.bin64"};
    static damaged one = {.state = 4711};
    meguri_ctx *ctx = context_with(1);
    const uint64_t before = meguri_ctx_memory_used(ctx);
    for (size_t f = 0; f < COUNT_OF(files); f++)
        for (uint64_t i = 0; i < CASES; i++) {
            meguri_graph *graph = NULL;
            one.count = next(&one) % 200;
            for (size_t k = 0; k < one.count; k++) one.bytes[k] = next(&one) % 3 ? 0 : (unsigned char)next(&one);
            for (uint64_t times = next(&one) % 4; times; times--) damage(&one);
            meguri_status status = mg_read_memory(&graph, ctx, files[f], one.bytes, one.count, 64, NULL);
            if (status == MEGURI_OK) assert_int_equal(meguri_graph_verify(ctx, graph), MEGURI_OK);
            else assert_true(!graph && strstr(meguri_ctx_error(ctx), files[f]));
            meguri_graph_free(graph);
            assert_int_equal(meguri_ctx_memory_used(ctx), before);
        }
    context_done(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(results), cmocka_unit_test(binary_graphs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
