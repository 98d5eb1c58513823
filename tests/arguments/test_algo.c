/* Results, and the algorithms but for paths. */
#include "arguments.h"

#include "support/algorithms.h"
#include "support/sinks.h"
#include <math.h>

/* ---- results ---------------------------------------------------------------------------------------------------- */

CALLS(meguri_result_column_count) { assert_int_equal(meguri_result_column_count(NULL), 0); }
CALLS(meguri_result_fact_count) { assert_int_equal(meguri_result_fact_count(NULL), 0); }
CALLS(meguri_result_free) { meguri_result_free(NULL); }

CALLS(meguri_result_column_at) {
    meguri_column column = {.size = sizeof column};
    BAD(meguri_result_column_at(NULL, w.result, 0));
    BAD(meguri_result_column_at(&column, NULL, 0));
    BAD_SIZES(column, meguri_result_column_at(&column, w.result, 0));
    NOWHERE(meguri_result_column_at(&column, w.result, UINT32_MAX));
}

CALLS(meguri_result_column) {
    meguri_column column = {.size = sizeof column};
    BAD(meguri_result_column(NULL, w.result, "level"));
    NOWHERE(meguri_result_column(&column, w.result, "leve"));
    BAD(meguri_result_column(&column, NULL, "level"));
    BAD(meguri_result_column(&column, w.result, NULL));
    BAD_SIZES(column, meguri_result_column(&column, w.result, "level"));
}

CALLS(meguri_result_fact_at) {
    meguri_fact fact = {.size = sizeof fact};
    BAD(meguri_result_fact_at(NULL, w.result, 0));
    BAD(meguri_result_fact_at(&fact, NULL, 0));
    BAD_SIZES(fact, meguri_result_fact_at(&fact, w.result, 0));
    NOWHERE(meguri_result_fact_at(&fact, w.result, UINT32_MAX));
}

CALLS(meguri_result_fact) {
    meguri_fact fact = {.size = sizeof fact};
    BAD(meguri_result_fact(NULL, w.result, "reached"));
    NOWHERE(meguri_result_fact(&fact, w.result, ""));
    BAD(meguri_result_fact(&fact, NULL, "reached"));
    BAD(meguri_result_fact(&fact, w.result, NULL));
    BAD_SIZES(fact, meguri_result_fact(&fact, w.result, "reached"));
}

CALLS(meguri_result_table_count) { assert_int_equal(meguri_result_table_count(NULL), 0); }
CALLS(meguri_result_table_at) {
    meguri_result_table_info info = {.size = sizeof info};
    BAD(meguri_result_table_at(NULL, w.result, 0));
    BAD(meguri_result_table_at(&info, NULL, 0));
    NOWHERE(meguri_result_table_at(&info, w.result, 1));
    BAD_SIZES(info, meguri_result_table_at(&info, w.result, 0));
}
CALLS(meguri_table_kind_name) {
    assert_string_equal(meguri_table_kind_name((meguri_table_kind)0), "unknown");
    assert_string_equal(meguri_table_kind_name((meguri_table_kind)7), "unknown");
    assert_string_equal(meguri_table_kind_name(MEGURI_TABLE_GRAPH), "graph");
}
CALLS(meguri_column_is_none) {
    const meguri_column nothing = {.size = sizeof nothing};
    assert_int_equal(meguri_column_is_none(NULL, 0), 1);
    assert_int_equal(meguri_column_is_none(&nothing, 0), 1);
}
CALLS(meguri_result_values) {
    uint64_t room[12];
    BAD(meguri_result_values(NULL, MEGURI_TYPE_I64, w.result, "level", 0, 1));
    BAD(meguri_result_values(room, MEGURI_TYPE_I64, NULL, "level", 0, 1));
    BAD(meguri_result_values(room, MEGURI_TYPE_I64, w.result, NULL, 0, 1));
    BAD(meguri_result_values(room, (meguri_type)99, w.result, "level", 0, 1));
    BAD(meguri_result_values(room, MEGURI_TYPE_I64, w.result, "level", 0, UINT64_MAX));
    NOWHERE(meguri_result_values(room, MEGURI_TYPE_I64, w.result, "", 0, 1));
}

CALLS(meguri_result_check_path) {
    BAD(meguri_result_check_path(NULL, "nowhere.tsv"));
    BAD(meguri_result_check_path(w.ctx, NULL));
    BAD(meguri_result_check_path(w.ctx, ""));
    BAD(meguri_result_check_path(w.ctx, "nowhere.xyz"));
    BAD(meguri_result_check_path(w.ctx, "nowhere.npy.gz"));
    assert_int_equal(meguri_result_check_path(w.ctx, "-"), MEGURI_OK);
    assert_int_equal(meguri_result_check_path(w.ctx, "nowhere.tsv.gz"), MEGURI_OK);
}

CALLS(meguri_result_stream_check_path) {
    BAD(meguri_result_stream_check_path(NULL, "nowhere.tsv"));
    BAD(meguri_result_stream_check_path(w.ctx, NULL));
    BAD(meguri_result_stream_check_path(w.ctx, "nowhere.bin"));
    BAD(meguri_result_stream_check_path(w.ctx, "nowhere.npy.gz"));
    assert_int_equal(meguri_result_stream_check_path(w.ctx, "nowhere.csv.gz"), MEGURI_OK);
}

CALLS(meguri_result_read) {
    meguri_result *result;
    static const char *const names[] = {"a", ""};
    static const meguri_type types[] = {MEGURI_TYPE_I32, MEGURI_TYPE_I32};
    meguri_result_read_options o = {.size = sizeof o, .columns = 1, .names = names, .types = types};
    BAD(meguri_result_read(NULL, w.ctx, w.graph, "nowhere.tsv", NULL));
    BAD(meguri_result_read(&result, NULL, w.graph, "nowhere.tsv", NULL));
    BAD(meguri_result_read(&result, w.ctx, NULL, "nowhere.tsv", NULL));
    BAD(meguri_result_read(&result, w.ctx, w.graph, NULL, NULL));
    BAD(meguri_result_read(&result, w.ctx, w.graph, "", NULL));
    BAD(meguri_result_read(&result, w.ctx, w.graph, "nowhere.xyz", NULL));
    BAD_VALUES(uint32_t, o.columns, meguri_result_read(&result, w.ctx, w.graph, "nowhere.tsv", &o), 2);
    BAD_VALUES(const char *const *, o.names, meguri_result_read(&result, w.ctx, w.graph, "nowhere.tsv", &o), NULL);
    BAD_VALUES(const meguri_type *, o.types, meguri_result_read(&result, w.ctx, w.graph, "nowhere.tsv", &o), NULL);
}

CALLS(meguri_result_write) {
    BAD(meguri_result_write(NULL, w.result, w.graph, to_file("nowhere.tsv"), NULL));
    BAD(meguri_result_write(w.ctx, NULL, w.graph, to_file("nowhere.tsv"), NULL));
    BAD(meguri_result_write(w.ctx, w.result, NULL, to_file("nowhere.tsv"), NULL));
    BAD(meguri_result_write(w.ctx, w.result, w.graph, to_file(NULL), NULL));
    BAD(meguri_result_write(w.ctx, w.result, w.graph, to_file(""), NULL));
    BAD(meguri_result_write(w.ctx, w.result, w.graph, to_file("nowhere.xyz"), NULL));
    BAD(meguri_result_write(w.ctx, w.result, w.named, to_file("nowhere.tsv"), NULL)); /* of another graph */
}

CALLS(meguri_result_top) {
    uint64_t vertices[12], count;
    BAD_HIGHEST(meguri_result_top, double, "level", "parent", w.graph, w.result);
    BAD(meguri_result_top(vertices, NULL, &count, w.ctx, NULL, w.result, "level", 4));
    BAD(meguri_result_top(vertices, NULL, &count, w.ctx, w.graph, NULL, "level", 4));
    BAD(meguri_result_top(vertices, NULL, &count, w.ctx, w.named, w.result, "level", 4)); /* another graph */
}

CALLS(meguri_result_groups) {
    uint64_t groups[12], sizes[12], count;
    BAD_HIGHEST(meguri_result_groups, uint64_t, "parent", "level", w.graph, w.result);
    BAD(meguri_result_groups(groups, NULL, &count, w.ctx, w.graph, w.result, "parent", 4));
    BAD(meguri_result_groups(groups, sizes, &count, w.ctx, NULL, w.result, "parent", 4));
    BAD(meguri_result_groups(groups, sizes, &count, w.ctx, w.graph, NULL, "parent", 4));
    BAD(meguri_result_groups(groups, sizes, &count, w.ctx, w.named, w.result, "parent", 4)); /* another graph */
}

static const char *const names[] = {"level", "parent"};
static const meguri_type types[] = {MEGURI_TYPE_I32, MEGURI_TYPE_VERTEX};

CALLS(meguri_result_stream_open) {
    meguri_result_stream *stream;
    meguri_type wrong[] = {MEGURI_TYPE_I32, MEGURI_TYPE_VERTEX};
    meguri_result_table t = {
        .size = sizeof t, .results = 1, .key = "source", .columns = 2, .names = names, .types = types};
    BAD(meguri_result_stream_open(NULL, w.ctx, w.graph, to_file("nowhere.tsv"), &t));
    BAD(meguri_result_stream_open(&stream, NULL, w.graph, to_file("nowhere.tsv"), &t));
    BAD(meguri_result_stream_open(&stream, w.ctx, NULL, to_file("nowhere.tsv"), &t));
    BAD(meguri_result_stream_open(&stream, w.ctx, w.graph, to_file(NULL), &t));
    BAD(meguri_result_stream_open(&stream, w.ctx, w.graph, to_file(""), &t));
    BAD(meguri_result_stream_open(&stream, w.ctx, w.graph, to_file("nowhere.xyz"), &t));
    BAD(meguri_result_stream_open(&stream, w.ctx, w.graph, to_file("nowhere.tsv"), NULL));
    BAD_SIZES(t, meguri_result_stream_open(&stream, w.ctx, w.graph, to_file("nowhere.tsv"), &t));
    BAD_VALUES(uint32_t, t.columns, meguri_result_stream_open(&stream, w.ctx, w.graph, to_file("nowhere.tsv"), &t),
               UINT32_MAX, (uint32_t)1 << 31);
    BAD_VALUES(const char *, t.key, meguri_result_stream_open(&stream, w.ctx, w.graph, to_file("nowhere.tsv"), &t),
               NULL);
    BAD_VALUES(const char *const *, t.names,
               meguri_result_stream_open(&stream, w.ctx, w.graph, to_file("nowhere.tsv"), &t), NULL,
               (const char *const[]){"level", NULL});
    BAD_VALUES(const meguri_type *, t.types,
               meguri_result_stream_open(&stream, w.ctx, w.graph, to_file("nowhere.tsv"), &t), NULL);
    t.types = wrong;
    BAD_ENUM(meguri_type, wrong[1], meguri_result_stream_open(&stream, w.ctx, w.graph, to_file("nowhere.tsv"), &t));
    assert_null(stream);
}

CALLS(meguri_result_stream_add) {
    char path[FOLDER_TEXT], file[FOLDER_TEXT + 8];
    folder_new(path);
    snprintf(file, sizeof file, "%s/t.tsv", path);
    meguri_result_stream *stream;
    meguri_result_table t = {
        .size = sizeof t, .results = 1, .key = "source", .columns = 2, .names = names, .types = types};
    assert_int_equal(meguri_result_stream_open(&stream, w.ctx, w.graph, to_file(file), &t), MEGURI_OK);
    BAD(meguri_result_stream_add(NULL, stream, 0, w.result));
    BAD(meguri_result_stream_add(w.ctx, NULL, 0, w.result));
    BAD(meguri_result_stream_add(w.ctx, stream, 0, NULL));
    BAD(meguri_result_stream_finish(w.ctx, stream)); /* before its result */
    NOWHERE(meguri_result_stream_add(w.ctx, stream, UINT64_MAX, w.result));
    meguri_result_stream_free(stream);
    assert_int_equal(rmdir(path), 0);
}

CALLS(meguri_result_stream_finish) {
    BAD(meguri_result_stream_finish(NULL, NULL));
    BAD(meguri_result_stream_finish(w.ctx, NULL));
}
CALLS(meguri_table_check_path) {
    BAD(meguri_table_check_path(NULL, "nowhere.tsv", 0));
    BAD(meguri_table_check_path(w.ctx, NULL, 0));
    BAD(meguri_table_check_path(w.ctx, "", 1));
    BAD(meguri_table_check_path(w.ctx, "nowhere.xyz", 1));
    BAD(meguri_table_check_path(w.ctx, "nowhere.npy.gz", 1));
    BAD(meguri_table_check_path(w.ctx, "nowhere.bin", 0));
    assert_int_equal(meguri_table_check_path(w.ctx, "nowhere.bin", 1), MEGURI_OK);
    assert_int_equal(meguri_table_check_path(w.ctx, "nowhere.csv.xz", 0), MEGURI_OK);
}

static const meguri_type pair_types[] = {MEGURI_TYPE_VERTEX, MEGURI_TYPE_F64};

CALLS(meguri_table_open) {
    meguri_table *table;
    meguri_type wrong[] = {MEGURI_TYPE_F64, MEGURI_TYPE_VERTEX};
    static const uint64_t beyond[] = {0, UINT64_MAX};
    meguri_table_options t = {
        .size = sizeof t, .rows = 1, .key = "from", .columns = 2, .names = names, .types = pair_types};
    BAD(meguri_table_open(NULL, w.ctx, w.graph, to_file("nowhere.tsv"), &t));
    BAD(meguri_table_open(&table, NULL, w.graph, to_file("nowhere.tsv"), &t));
    BAD(meguri_table_open(&table, w.ctx, NULL, to_file("nowhere.tsv"), &t));
    BAD(meguri_table_open(&table, w.ctx, w.graph, to_file(NULL), &t));
    BAD(meguri_table_open(&table, w.ctx, w.graph, to_file("nowhere.bin"), &t));
    BAD(meguri_table_open(&table, w.ctx, w.graph, to_file("nowhere.tsv"), NULL));
    BAD_SIZES(t, meguri_table_open(&table, w.ctx, w.graph, to_file("nowhere.tsv"), &t));
    BAD_VALUES(uint64_t, t.columns, meguri_table_open(&table, w.ctx, w.graph, to_file("nowhere.tsv"), &t), UINT64_MAX,
               (uint64_t)1 << 32);
    BAD_VALUES(const char *, t.key, meguri_table_open(&table, w.ctx, w.graph, to_file("nowhere.tsv"), &t), NULL);
    BAD_VALUES(const char *const *, t.names, meguri_table_open(&table, w.ctx, w.graph, to_file("nowhere.tsv"), &t),
               NULL, (const char *const[]){"level", NULL});
    BAD_VALUES(const meguri_type *, t.types, meguri_table_open(&table, w.ctx, w.graph, to_file("nowhere.tsv"), &t),
               NULL);
    t.types = wrong;
    BAD_VALUES(meguri_type, wrong[0], meguri_table_open(&table, w.ctx, w.graph, to_file("nowhere.tsv"), &t),
               MEGURI_TYPE_I8, MEGURI_TYPE_TEXT, (meguri_type)0, (meguri_type)99);
    t.vertices = beyond;
    BAD(meguri_table_open(&table, w.ctx, w.graph, to_file("nowhere.tsv"), &t)); /* no type */
    t.type = MEGURI_TYPE_U64;
    NOWHERE(meguri_table_open(&table, w.ctx, w.graph, to_file("nowhere.tsv"), &t));
    assert_null(table);
}

CALLS(meguri_table_add) {
    char path[FOLDER_TEXT], file[FOLDER_TEXT + 8];
    folder_new(path);
    snprintf(file, sizeof file, "%s/t.tsv", path);
    meguri_table *table;
    const uint64_t items[] = {0, 0}, beyond[] = {UINT64_MAX, 0};
    meguri_table_options t = {
        .size = sizeof t, .rows = 1, .key = "from", .columns = 2, .names = names, .types = pair_types};
    assert_int_equal(meguri_table_open(&table, w.ctx, w.graph, to_file(file), &t), MEGURI_OK);
    BAD(meguri_table_add(NULL, table, 0, items));
    BAD(meguri_table_add(w.ctx, NULL, 0, items));
    BAD(meguri_table_add(w.ctx, table, 0, NULL));
    BAD(meguri_table_finish(w.ctx, table)); /* before its row */
    NOWHERE(meguri_table_add(w.ctx, table, UINT64_MAX, items));
    NOWHERE(meguri_table_add(w.ctx, table, 0, beyond));
    assert_int_equal(meguri_table_add(w.ctx, table, 0, items), MEGURI_OK);
    BAD(meguri_table_add(w.ctx, table, 0, items)); /* one too many */
    meguri_table_free(table);
    assert_int_equal(rmdir(path), 0);
}

CALLS(meguri_table_finish) {
    BAD(meguri_table_finish(NULL, NULL));
    BAD(meguri_table_finish(w.ctx, NULL));
}
CALLS(meguri_table_free) { meguri_table_free(NULL); }

CALLS(meguri_result_stream_free) { meguri_result_stream_free(NULL); }

/* ---- breadth-first search --------------------------------------------------------------------------------------- */

static const uint64_t outside[] = {12, (uint64_t)1 << 32, UINT64_MAX - 1, UINT64_MAX};

#define BAD_SEARCH(o, call)                                                                                            \
    do {                                                                                                               \
        BAD_SIZES(o, call);                                                                                            \
        BAD_ENUM(meguri_bfs_policy, (o).policy, call);                                                                 \
        BAD_ENUM(meguri_engine, (o).engine, call);                                                                     \
        BAD_ENUM(meguri_exchange, (o).exchange, call);                                                                 \
        BAD_REAL((o).alpha, call);                                                                                     \
        BAD_REAL((o).beta, call);                                                                                      \
        (o).policy = MEGURI_BFS_FORCED;                                                                                \
        BAD_VALUES(const char *, (o).directions, call, NULL, "", "<x");                                                \
        (o).policy = MEGURI_BFS_AUTO;                                                                                  \
    } while (0)

CALLS(meguri_bfs) {
    meguri_result *r;
    meguri_bfs_options o = {.size = sizeof o, .max_depth = UINT32_MAX, .levels = 1, .parents = 1};
    BAD(meguri_bfs(NULL, w.ctx, w.graph, 0, NULL));
    BAD(meguri_bfs(&r, NULL, w.graph, 0, NULL));
    BAD(meguri_bfs(&r, w.ctx, NULL, 0, NULL));
    BAD_SEARCH(o, meguri_bfs(&r, w.ctx, w.graph, 0, &o));
    for (size_t i = 0; i < COUNT_OF(outside); i++) NOWHERE(meguri_bfs(&r, w.ctx, w.graph, outside[i], NULL));
    assert_null(r);
}

CALLS(meguri_bfs_search_new) {
    meguri_bfs_search *s;
    meguri_bfs_options o = {.size = sizeof o, .max_depth = UINT32_MAX, .levels = 1, .parents = 1};
    BAD(meguri_bfs_search_new(NULL, w.ctx, w.graph, NULL));
    BAD(meguri_bfs_search_new(&s, NULL, w.graph, NULL));
    BAD(meguri_bfs_search_new(&s, w.ctx, NULL, NULL));
    BAD_SEARCH(o, meguri_bfs_search_new(&s, w.ctx, w.graph, &o));
}

CALLS(meguri_bfs_search_run) {
    const meguri_result *r;
    meguri_bfs_search *s;
    assert_int_equal(meguri_bfs_search_new(&s, w.ctx, w.graph, NULL), MEGURI_OK);
    BAD(meguri_bfs_search_run(NULL, w.ctx, s, 0));
    BAD(meguri_bfs_search_run(&r, NULL, s, 0));
    BAD(meguri_bfs_search_run(&r, w.ctx, NULL, 0));
    for (size_t i = 0; i < COUNT_OF(outside); i++) NOWHERE(meguri_bfs_search_run(&r, w.ctx, s, outside[i]));
    meguri_bfs_search_free(s);
}
CALLS(meguri_bfs_search_free) { meguri_bfs_search_free(NULL); }
CALLS(meguri_bfs_search_step_count) { assert_int_equal(meguri_bfs_search_step_count(NULL), 0); }
CALLS(meguri_bfs_search_step_at) {
    meguri_bfs_search *s;
    const meguri_result *r;
    meguri_bfs_step step = {.size = sizeof step};
    assert_int_equal(meguri_bfs_search_new(&s, w.ctx, w.graph, NULL), MEGURI_OK);
    NOWHERE(meguri_bfs_search_step_at(&step, s, 0)); /* it has not run */
    assert_int_equal(meguri_bfs_search_run(&r, w.ctx, s, 0), MEGURI_OK);
    BAD(meguri_bfs_search_step_at(NULL, s, 0));
    BAD(meguri_bfs_search_step_at(&step, NULL, 0));
    BAD_SIZES(step, meguri_bfs_search_step_at(&step, s, 0));
    NOWHERE(meguri_bfs_search_step_at(&step, s, meguri_bfs_search_step_count(s)));
    meguri_bfs_search_free(s);
}

static meguri_status take_result(void *user, uint64_t index, const meguri_result *result) {
    (void)user, (void)index, (void)result;
    return MEGURI_OK;
}

CALLS(meguri_bfs_many) {
    static const uint64_t sources[1] = {0};
    meguri_bfs_many_options o = {.size = sizeof o, .max_depth = UINT32_MAX};
    uint64_t count = 1;
    BAD(meguri_bfs_many(NULL, w.graph, sources, 1, NULL, take_result, NULL));
    BAD(meguri_bfs_many(w.ctx, NULL, sources, 1, NULL, take_result, NULL));
    BAD(meguri_bfs_many(w.ctx, w.graph, NULL, 1, NULL, take_result, NULL));
    BAD(meguri_bfs_many(w.ctx, w.graph, NULL, UINT64_MAX, NULL, take_result, NULL));
    BAD(meguri_bfs_many(w.ctx, w.graph, sources, 1, NULL, NULL, NULL));
    BAD_VALUES(uint64_t, count, meguri_bfs_many(w.ctx, w.graph, sources, count, NULL, take_result, NULL), NEAR_THE_TOP);
    BAD_SIZES(o, meguri_bfs_many(w.ctx, w.graph, sources, 1, &o, take_result, NULL));
    NOWHERE(meguri_bfs_many(w.ctx, w.graph, outside, 4, NULL, take_result, NULL));
}

CALLS(meguri_bfs_many_search_new) {
    meguri_bfs_many_search *s;
    meguri_bfs_many_options o = {.size = sizeof o, .max_depth = UINT32_MAX};
    BAD(meguri_bfs_many_search_new(NULL, w.ctx, w.graph, NULL));
    BAD(meguri_bfs_many_search_new(&s, NULL, w.graph, NULL));
    BAD(meguri_bfs_many_search_new(&s, w.ctx, NULL, NULL));
    BAD_SIZES(o, meguri_bfs_many_search_new(&s, w.ctx, w.graph, &o));
}

CALLS(meguri_bfs_many_search_run) {
    const meguri_result *r;
    meguri_bfs_many_search *s;
    assert_int_equal(meguri_bfs_many_search_new(&s, w.ctx, w.graph, NULL), MEGURI_OK);
    BAD(meguri_bfs_many_search_run(NULL, w.ctx, s, outside, 1));
    BAD(meguri_bfs_many_search_run(&r, NULL, s, outside, 1));
    BAD(meguri_bfs_many_search_run(&r, w.ctx, NULL, outside, 1));
    BAD(meguri_bfs_many_search_run(&r, w.ctx, s, NULL, 1));
    BAD(meguri_bfs_many_search_run(&r, w.ctx, s, outside, 0));
    BAD(meguri_bfs_many_search_run(&r, w.ctx, s, outside, UINT32_MAX));
    NOWHERE(meguri_bfs_many_search_run(&r, w.ctx, s, outside, 4));
    meguri_bfs_many_search_free(s);
}
CALLS(meguri_bfs_many_search_free) { meguri_bfs_many_search_free(NULL); }

/* check(ctx, graph, result, options); `make` is the right result, and `other` that of another algorithm. */
#define BAD_CHECKS(check, type, make, other)                                                                           \
    meguri_result *r, *foreign;                                                                                        \
    type o;                                                                                                            \
    type##_init(&o, sizeof o);                                                                                         \
    assert_int_equal(make, MEGURI_OK);                                                                                 \
    assert_int_equal(other, MEGURI_OK);                                                                                \
    assert_int_equal(check(w.ctx, w.graph, r, &o), MEGURI_OK);                                                         \
    BAD(check(NULL, w.graph, r, NULL));                                                                                \
    BAD(check(w.ctx, NULL, r, NULL));                                                                                  \
    BAD(check(w.ctx, w.graph, NULL, NULL));                                                                            \
    BAD(check(w.ctx, w.graph, foreign, NULL));                                                                         \
    BAD_SIZES(o, check(w.ctx, w.graph, r, &o));                                                                        \
    meguri_result_free(r);                                                                                             \
    meguri_result_free(foreign)
#define RANKS  meguri_pagerank(&foreign, w.ctx, w.graph, NULL)
#define GROUPS meguri_components(&foreign, w.ctx, w.graph, NULL)

CALLS(meguri_bfs_check) {
    BAD_CHECKS(meguri_bfs_check, meguri_bfs_options, meguri_bfs(&r, w.ctx, w.graph, 0, NULL), RANKS);
}
CALLS(meguri_bfs_many_search_each) {
    meguri_bfs_many_search *s;
    assert_int_equal(meguri_bfs_many_search_new(&s, w.ctx, w.graph, NULL), MEGURI_OK);
    BAD(meguri_bfs_many_search_each(NULL, s, take_result, NULL));
    BAD(meguri_bfs_many_search_each(w.ctx, NULL, take_result, NULL));
    BAD(meguri_bfs_many_search_each(w.ctx, s, NULL, NULL));
    assert_int_equal(meguri_bfs_many_search_each(w.ctx, s, take_result, NULL), MEGURI_OK); /* of no pass */
    meguri_bfs_many_search_free(s);
}

/* ---- shortest paths from one vertex ----------------------------------------------------------------------------- */

CALLS(meguri_sssp) {
    meguri_result *r;
    meguri_sssp_options o = {.size = sizeof o, .parents = 1, .max_cost = (double)INFINITY};
    BAD(meguri_sssp(NULL, w.ctx, w.graph, 0, NULL));
    BAD(meguri_sssp(&r, NULL, w.graph, 0, NULL));
    BAD(meguri_sssp(&r, w.ctx, NULL, 0, NULL));
    BAD_SIZES(o, meguri_sssp(&r, w.ctx, w.graph, 0, &o));
    BAD_REAL(o.delta, meguri_sssp(&r, w.ctx, w.graph, 0, &o));
    BAD_ENUM(meguri_engine, o.engine, meguri_sssp(&r, w.ctx, w.graph, 0, &o));
    for (size_t i = 0; i < COUNT_OF(outside); i++) NOWHERE(meguri_sssp(&r, w.ctx, w.graph, outside[i], NULL));
}

CALLS(meguri_sssp_search_new) {
    meguri_sssp_search *s;
    meguri_sssp_options o = {.size = sizeof o, .parents = 1, .max_cost = (double)INFINITY};
    BAD(meguri_sssp_search_new(NULL, w.ctx, w.graph, NULL));
    BAD(meguri_sssp_search_new(&s, NULL, w.graph, NULL));
    BAD(meguri_sssp_search_new(&s, w.ctx, NULL, NULL));
    BAD_SIZES(o, meguri_sssp_search_new(&s, w.ctx, w.graph, &o));
    BAD_REAL(o.delta, meguri_sssp_search_new(&s, w.ctx, w.graph, &o));
    BAD_ENUM(meguri_engine, o.engine, meguri_sssp_search_new(&s, w.ctx, w.graph, &o));
}

CALLS(meguri_sssp_search_run) {
    const meguri_result *r;
    meguri_sssp_search *s;
    assert_int_equal(meguri_sssp_search_new(&s, w.ctx, w.graph, NULL), MEGURI_OK);
    BAD(meguri_sssp_search_run(NULL, w.ctx, s, 0));
    BAD(meguri_sssp_search_run(&r, NULL, s, 0));
    BAD(meguri_sssp_search_run(&r, w.ctx, NULL, 0));
    for (size_t i = 0; i < COUNT_OF(outside); i++) NOWHERE(meguri_sssp_search_run(&r, w.ctx, s, outside[i]));
    meguri_sssp_search_free(s);
}
CALLS(meguri_sssp_search_free) { meguri_sssp_search_free(NULL); }

CALLS(meguri_sssp_many) {
    static const uint64_t sources[1] = {0};
    meguri_sssp_options o = {.size = sizeof o, .parents = 1, .max_cost = (double)INFINITY};
    BAD(meguri_sssp_many(NULL, w.graph, sources, 1, NULL, take_result, NULL));
    BAD(meguri_sssp_many(w.ctx, NULL, sources, 1, NULL, take_result, NULL));
    BAD(meguri_sssp_many(w.ctx, w.graph, NULL, 1, NULL, take_result, NULL));
    BAD(meguri_sssp_many(w.ctx, w.graph, NULL, UINT64_MAX, NULL, take_result, NULL));
    BAD(meguri_sssp_many(w.ctx, w.graph, sources, 1, NULL, NULL, NULL));
    uint64_t count = 1;
    BAD_VALUES(uint64_t, count, meguri_sssp_many(w.ctx, w.graph, sources, count, NULL, take_result, NULL),
               NEAR_THE_TOP);
    BAD_SIZES(o, meguri_sssp_many(w.ctx, w.graph, sources, 1, &o, take_result, NULL));
    BAD_REAL(o.delta, meguri_sssp_many(w.ctx, w.graph, sources, 1, &o, take_result, NULL));
    BAD_ENUM(meguri_engine, o.engine, meguri_sssp_many(w.ctx, w.graph, sources, 1, &o, take_result, NULL));
    NOWHERE(meguri_sssp_many(w.ctx, w.graph, outside, 4, NULL, take_result, NULL));
}

CALLS(meguri_sssp_table) {
    static const uint64_t some[1] = {0};
    meguri_sssp_options o = {.size = sizeof o, .parents = 1, .max_cost = (double)INFINITY};
    BAD(meguri_sssp_table(NULL, w.graph, some, 1, some, 1, NULL, take_result, NULL));
    BAD(meguri_sssp_table(w.ctx, NULL, some, 1, some, 1, NULL, take_result, NULL));
    BAD(meguri_sssp_table(w.ctx, w.graph, NULL, 1, some, 1, NULL, take_result, NULL));
    BAD(meguri_sssp_table(w.ctx, w.graph, some, 1, NULL, 1, NULL, take_result, NULL));
    BAD(meguri_sssp_table(w.ctx, w.graph, some, 1, some, 1, NULL, NULL, NULL));
    uint64_t count = 1;
    BAD_VALUES(uint64_t, count, meguri_sssp_table(w.ctx, w.graph, some, count, some, 1, NULL, take_result, NULL),
               NEAR_THE_TOP);
    BAD_VALUES(uint64_t, count, meguri_sssp_table(w.ctx, w.graph, some, 1, some, count, NULL, take_result, NULL),
               NEAR_THE_TOP);
    BAD_SIZES(o, meguri_sssp_table(w.ctx, w.graph, some, 1, some, 1, &o, take_result, NULL));
    BAD_REAL(o.delta, meguri_sssp_table(w.ctx, w.graph, some, 1, some, 1, &o, take_result, NULL));
    BAD_VALUES(double, o.max_cost, meguri_sssp_table(w.ctx, w.graph, some, 1, some, 1, &o, take_result, NULL), -1, NAN);
    NOWHERE(meguri_sssp_table(w.ctx, w.graph, outside, 4, some, 1, NULL, take_result, NULL));
    NOWHERE(meguri_sssp_table(w.ctx, w.graph, some, 1, outside, 4, NULL, take_result, NULL));
}

CALLS(meguri_sssp_check) {
    BAD_CHECKS(meguri_sssp_check, meguri_sssp_options, meguri_sssp(&r, w.ctx, w.graph, 0, NULL), RANKS);
}

CALLS(meguri_sssp_device_fit) {
    meguri_sssp_fit fit = {.size = sizeof fit};
    BAD(meguri_sssp_device_fit(NULL, w.ctx, 1, 1, MEGURI_TYPE_U8));
    BAD(meguri_sssp_device_fit(&fit, NULL, 1, 1, MEGURI_TYPE_U8));
    BAD(meguri_sssp_device_fit(&fit, w.ctx, 1, 1, MEGURI_TYPE_U64));
    BAD(meguri_sssp_device_fit(&fit, w.ctx, 1, 1, (meguri_type)-1));
    BAD(meguri_sssp_device_fit(&fit, w.ctx, UINT64_MAX, 1, MEGURI_TYPE_U8));
    BAD(meguri_sssp_device_fit(&fit, w.ctx, 1, UINT64_MAX, MEGURI_TYPE_U8));
    BAD_SIZES(fit, meguri_sssp_device_fit(&fit, w.ctx, 1, 1, MEGURI_TYPE_U8));
}

/* ---- the whole graph -------------------------------------------------------------------------------------------- */

/* function(out, ctx, graph, options) */
#define BAD_WHOLE(function, type)                                                                                      \
    meguri_result *r;                                                                                                  \
    type o = {.size = sizeof o};                                                                                       \
    BAD(function(NULL, w.ctx, w.graph, NULL));                                                                         \
    BAD(function(&r, NULL, w.graph, NULL));                                                                            \
    BAD(function(&r, w.ctx, NULL, NULL));                                                                              \
    BAD_SIZES(o, function(&r, w.ctx, w.graph, &o))

CALLS(meguri_components) {
    BAD_WHOLE(meguri_components, meguri_components_options);
    BAD_ENUM(meguri_engine, o.engine, meguri_components(&r, w.ctx, w.graph, &o));
}
#define TRY_WHOLE(name)                                                                                                \
    CALLS(meguri_##name) {                                                                                             \
        BAD_WHOLE(meguri_##name, meguri_##name##_options);                                                             \
        BAD_ENUM(meguri_engine, o.engine, meguri_##name(&r, w.ctx, w.graph, &o));                                      \
    }                                                                                                                  \
    CALLS(meguri_##name##_check) {                                                                                     \
        BAD_CHECKS(meguri_##name##_check, meguri_##name##_options, meguri_##name(&r, w.ctx, w.graph, NULL), RANKS);    \
    }
WHOLE_ALGORITHMS(TRY_WHOLE)

CALLS(meguri_pagerank) {
    BAD_WHOLE(meguri_pagerank, meguri_pagerank_options);
    BAD_REAL(o.damping, meguri_pagerank(&r, w.ctx, w.graph, &o));
    BAD_VALUES(double, o.damping, meguri_pagerank(&r, w.ctx, w.graph, &o), 1.0, 1.5);
    BAD_REAL(o.tolerance, meguri_pagerank(&r, w.ctx, w.graph, &o));
    BAD_ENUM(meguri_engine, o.engine, meguri_pagerank(&r, w.ctx, w.graph, &o));
}
CALLS(meguri_betweenness) {
    BAD_WHOLE(meguri_betweenness, meguri_betweenness_options);
    o.sources = outside;
    o.count = 4;
    NOWHERE(meguri_betweenness(&r, w.ctx, w.graph, &o));
    BAD_VALUES(uint64_t, o.count, meguri_betweenness(&r, w.ctx, w.graph, &o), NEAR_THE_TOP);
}

CALLS(meguri_components_check) {
    BAD_CHECKS(meguri_components_check, meguri_components_options, meguri_components(&r, w.ctx, w.graph, NULL), RANKS);
}
CALLS(meguri_pagerank_check) {
    BAD_CHECKS(meguri_pagerank_check, meguri_pagerank_options, meguri_pagerank(&r, w.ctx, w.graph, NULL), GROUPS);
}
CALLS(meguri_betweenness_check) {
    BAD_CHECKS(meguri_betweenness_check, meguri_betweenness_options, meguri_betweenness(&r, w.ctx, w.graph, NULL),
               RANKS);
}

/* ---- the benchmark ---------------------------------------------------------------------------------------------- */

CALLS(meguri_graph500) {
    meguri_graph500_report *report;
    meguri_graph500_options o = {.size = sizeof o, .validate = 1, .scale = 4};
    BAD(meguri_graph500(NULL, w.ctx, &o));
    BAD(meguri_graph500(&report, NULL, &o));
    BAD(meguri_graph500(&report, w.ctx, NULL));
    BAD_SIZES(o, meguri_graph500(&report, w.ctx, &o));
    BAD_VALUES(uint32_t, o.scale, meguri_graph500(&report, w.ctx, &o), 0, 32, UINT32_MAX);
    BAD_VALUES(uint32_t, o.kernels, meguri_graph500(&report, w.ctx, &o), 4, UINT32_MAX);
    assert_null(report);
}
CALLS(meguri_graph500_report_free) { meguri_graph500_report_free(NULL); }

static const uint32_t pairs[2] = {0, 1}, tree[2] = {0, 0};

CALLS(meguri_graph500_validate) {
    meguri_graph500_tree t = {.size = sizeof t};
    uint64_t count = 1, vertices = 2;
    BAD(meguri_graph500_validate(&t, NULL, pairs, 1, 2, 0, tree, NULL));
    BAD(meguri_graph500_validate(&t, w.ctx, NULL, 1, 2, 0, tree, NULL));
    BAD(meguri_graph500_validate(&t, w.ctx, pairs, 1, 2, 0, NULL, NULL));
    BAD_SIZES(t, meguri_graph500_validate(&t, w.ctx, pairs, 1, 2, 0, tree, NULL));
    NOWHERE(meguri_graph500_validate(&t, w.ctx, pairs, 1, 2, 2, tree, NULL));
    NOWHERE(meguri_graph500_validate(&t, w.ctx, pairs, 1, 2, UINT64_MAX, tree, NULL));
    BAD_VALUES(uint64_t, vertices, meguri_graph500_validate(&t, w.ctx, pairs, 1, vertices, 0, tree, NULL), 0,
               NEAR_THE_TOP);
    BAD_VALUES(uint64_t, count, meguri_graph500_validate(&t, w.ctx, pairs, count, 2, 0, tree, NULL), NEAR_THE_TOP);
}

CALLS(meguri_graph500_validate_sssp) {
    static const float weights[1] = {1};
    static const double distance[2] = {0, 1};
    meguri_graph500_tree t = {.size = sizeof t};
    uint64_t count = 1, vertices = 2;
    BAD(meguri_graph500_validate_sssp(&t, NULL, pairs, weights, 1, 2, 0, tree, distance));
    BAD(meguri_graph500_validate_sssp(&t, w.ctx, NULL, weights, 1, 2, 0, tree, distance));
    BAD(meguri_graph500_validate_sssp(&t, w.ctx, pairs, NULL, 1, 2, 0, tree, distance));
    BAD(meguri_graph500_validate_sssp(&t, w.ctx, pairs, weights, 1, 2, 0, NULL, distance));
    BAD(meguri_graph500_validate_sssp(&t, w.ctx, pairs, weights, 1, 2, 0, tree, NULL));
    BAD_SIZES(t, meguri_graph500_validate_sssp(&t, w.ctx, pairs, weights, 1, 2, 0, tree, distance));
    NOWHERE(meguri_graph500_validate_sssp(&t, w.ctx, pairs, weights, 1, 2, UINT64_MAX, tree, distance));
    BAD_VALUES(uint64_t, vertices,
               meguri_graph500_validate_sssp(&t, w.ctx, pairs, weights, 1, vertices, 0, tree, distance), 0,
               NEAR_THE_TOP);
    BAD_VALUES(uint64_t, count, meguri_graph500_validate_sssp(&t, w.ctx, pairs, weights, count, 2, 0, tree, distance),
               NEAR_THE_TOP);
}

#define WHOLE_ROWS(name) ROW(meguri_##name), ROW(meguri_##name##_check),

int main(void) {
    static const row rows[] = {
        WHOLE_ALGORITHMS(WHOLE_ROWS) ROW(meguri_result_column_count),
        ROW(meguri_result_fact_count),
        ROW(meguri_result_free),
        ROW(meguri_result_table_count),
        ROW(meguri_result_table_at),
        ROW(meguri_table_kind_name),
        ROW(meguri_column_is_none),
        ROW(meguri_result_values),
        ROW(meguri_result_column_at),
        ROW(meguri_result_column),
        ROW(meguri_result_fact_at),
        ROW(meguri_result_fact),
        ROW(meguri_result_check_path),
        ROW(meguri_result_stream_check_path),
        ROW(meguri_result_read),
        ROW(meguri_result_write),
        ROW(meguri_result_top),
        ROW(meguri_result_groups),
        ROW(meguri_result_stream_open),
        ROW(meguri_result_stream_add),
        ROW(meguri_result_stream_finish),
        ROW(meguri_result_stream_free),
        ROW(meguri_table_check_path),
        ROW(meguri_table_open),
        ROW(meguri_table_add),
        ROW(meguri_table_finish),
        ROW(meguri_table_free),
        ROW(meguri_bfs),
        ROW(meguri_bfs_search_new),
        ROW(meguri_bfs_search_run),
        ROW(meguri_bfs_search_free),
        ROW(meguri_bfs_search_step_count),
        ROW(meguri_bfs_search_step_at),
        ROW(meguri_bfs_many),
        ROW(meguri_bfs_many_search_new),
        ROW(meguri_bfs_many_search_run),
        ROW(meguri_bfs_many_search_free),
        ROW(meguri_bfs_check),
        ROW(meguri_bfs_many_search_each),
        ROW(meguri_sssp),
        ROW(meguri_sssp_search_new),
        ROW(meguri_sssp_search_run),
        ROW(meguri_sssp_search_free),
        ROW(meguri_sssp_many),
        ROW(meguri_sssp_table),
        ROW(meguri_sssp_check),
        ROW(meguri_sssp_device_fit),
        ROW(meguri_components),
        ROW(meguri_pagerank),
        ROW(meguri_betweenness),
        ROW(meguri_components_check),
        ROW(meguri_pagerank_check),
        ROW(meguri_betweenness_check),
        ROW(meguri_graph500),
        ROW(meguri_graph500_report_free),
        ROW(meguri_graph500_validate),
        ROW(meguri_graph500_validate_sssp),
    };
    return run_rows(rows, COUNT_OF(rows));
}
