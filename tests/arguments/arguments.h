/* Wrong arguments for every public function. A file has a room's functions: CALLS(function) tries what is wrong with
 * one, and complete.py sees that none of the headers is without. */
#ifndef TEST_ARGUMENTS_H
#define TEST_ARGUMENTS_H

#define _GNU_SOURCE /* what unit.h uses */

#include "support/unit.h"

#include <math.h>
#include <meguri.h>
#include <meguri/extra/cluster_threads.h>
#include <meguri/extra/escape.h>
#include <meguri/extra/graph500.h>
#include <meguri/extra/json.h>
#include <meguri/extra/list.h>
#include <meguri/extra/overview.h>
#include <meguri/extra/path_pairs.h>
#include <meguri/extra/path_writer.h>
#include <meguri/extra/report.h>
#include <meguri/extra/table.h>
#include <meguri/extra/words.h>
#include <meguri/run.h>
#include <stdint.h>
#include <string.h>

/* What calls that are right but for one thing use. */
typedef struct world {
    meguri_ctx *ctx;
    meguri_graph *graph; /* undirected, weighted, with coordinates */
    meguri_graph *named; /* directed, string ids, no weights */
    meguri_result *result;
    meguri_cluster *cluster;           /* alone */
    meguri_layout layout;              /* on it */
    meguri_graph *parts, *named_parts; /* the same in parts */
} world;
extern world w;

#define CALLS(function) static void try_##function(void)
typedef struct row {
    const char *function;
    void (*calls)(void);
} row;
#define ROW(function)                                                                                                  \
    { #function, try_##function }
/* The same for a graph in parts: whatever takes a graph has calls of its own with one (test_parts.c). */
#define IN_PARTS(function) static void part_##function(void)
#define PART_ROW(function)                                                                                             \
    { #function, part_##function }
int run_rows(const row *rows, size_t count);

/* MEGURI_BAD_ARGUMENT; and a sentence of this very call, unless it has no context. */
#define BAD(call) (forget(), expect_bad((call), #call, __FILE__, __LINE__))
void forget(void);
void expect_bad(meguri_status status, const char *call, const char *file, int line);

/* A vertex that is not there: MEGURI_NOT_FOUND will do, too. */
#define NOWHERE(call) (forget(), expect_nowhere((call), #call, __FILE__, __LINE__))
void expect_nowhere(meguri_status status, const char *call, const char *file, int line);

/* What needs a whole graph, of one in parts: MEGURI_ENGINE_FAILED, and a sentence that says so. */
#define ELSEWHERE(call) (forget(), expect_elsewhere((call), #call, __FILE__, __LINE__))
void expect_elsewhere(meguri_status status, const char *call, const char *file, int line);

/* `call` has options in `o`, whose size is wrong in several ways. */
#define BAD_SIZES(o, call)                                                                                             \
    do {                                                                                                               \
        static const size_t sizes[] = {0, 1, sizeof(size_t) - 1, 4097, SIZE_MAX};                                      \
        const size_t right_size = (o).size;                                                                            \
        for (size_t size_ = 0; size_ < COUNT_OF(sizes); size_++) {                                                     \
            (o).size = sizes[size_];                                                                                   \
            BAD(call);                                                                                                 \
        }                                                                                                              \
        (o).size = right_size;                                                                                         \
    } while (0)

/* `call` has the number `place` (of options, say), which takes each of the values in turn. */
#define BAD_VALUES(type, place, call, ...)                                                                             \
    do {                                                                                                               \
        type values_[] = {__VA_ARGS__};                                                                                \
        __typeof__(place) right_value = (place);                                                                       \
        for (size_t value_ = 0; value_ < COUNT_OF(values_); value_++) {                                                \
            (place) = values_[value_];                                                                                 \
            BAD(call);                                                                                                 \
        }                                                                                                              \
        (place) = right_value;                                                                                         \
    } while (0)
#define BAD_ENUM(type, place, call) BAD_VALUES(type, place, call, (type)77, (type)-1, (type)INT32_MAX, (type)INT32_MIN)
#define BAD_REAL(place, call)       BAD_VALUES(double, place, call, NAN, INFINITY, -INFINITY, -1.0)
#define NEAR_THE_TOP                UINT64_MAX, UINT64_MAX - 1, UINT64_MAX / 2, UINT64_MAX / 4 + 3, UINT64_MAX / 8 + 1, UINT64_MAX / 16

/* A struct of a later version is longer, one of an earlier version shorter: never is more written than its size. */
#define CHECK_INIT(type)                                                                                               \
    do {                                                                                                               \
        type##_init(NULL, sizeof(type));                                                                               \
        enum { LATER = sizeof(type) + 24 };                                                                            \
        _Alignas(16) unsigned char room[LATER + 1], whole[LATER + 1];                                                  \
        memset(whole, 0x5a, sizeof whole);                                                                             \
        type##_init((type *)(void *)whole, sizeof(type));                                                              \
        for (size_t size = 0; size <= LATER; size++) {                                                                 \
            memset(room, 0x5a, sizeof room);                                                                           \
            type##_init((type *)(void *)room, size);                                                                   \
            for (size_t i = size; i <= LATER; i++) assert_int_equal(room[i], 0x5a);                                    \
            if (size < sizeof size) assert_int_equal(room[0], 0x5a);                                                   \
            else assert_int_equal(*(size_t *)(void *)room, size);                                                      \
            for (size_t i = sizeof size; size >= sizeof size && i < size; i++)                                         \
                assert_int_equal(room[i], i < sizeof(type) ? whole[i] : 0);                                            \
        }                                                                                                              \
    } while (0)

/* function(items, values, count, context, what…, column, most), where `right` is the name of a column that will do, and
 * `wrong` of one that will not; the number of items may be anything: there are as many as there are. */
#define BAD_HIGHEST(function, value, right, wrong, ...)                                                                \
    do {                                                                                                               \
        static const uint64_t top_[] = {NEAR_THE_TOP};                                                                 \
        uint64_t items_[12], count_ = 7;                                                                               \
        value values_[12];                                                                                             \
        BAD(function(NULL, values_, &count_, w.ctx, __VA_ARGS__, right, 4));                                           \
        BAD(function(items_, values_, NULL, w.ctx, __VA_ARGS__, right, 4));                                            \
        BAD(function(items_, values_, &count_, NULL, __VA_ARGS__, right, 4));                                          \
        BAD(function(items_, values_, &count_, w.ctx, __VA_ARGS__, NULL, 4));                                          \
        BAD(function(items_, values_, &count_, w.ctx, __VA_ARGS__, wrong, 4));                                         \
        NOWHERE(function(items_, values_, &count_, w.ctx, __VA_ARGS__, "nothing", 4));                                 \
        assert_int_equal(count_, 0);                                                                                   \
        for (size_t i_ = 0; i_ < COUNT_OF(top_); i_++) {                                                               \
            assert_int_equal(function(items_, values_, &count_, w.ctx, __VA_ARGS__, right, top_[i_]), MEGURI_OK);      \
            assert_in_range(count_, 1, 12);                                                                            \
        }                                                                                                              \
        assert_int_equal(function(items_, values_, &count_, w.ctx, __VA_ARGS__, right, 0), MEGURI_OK);                 \
        assert_int_equal(count_, 0);                                                                                   \
    } while (0)

#endif
