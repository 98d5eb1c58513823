/* Paths between two vertices. */
#include "arguments.h"

static meguri_path_finder *finder;

static int take_path(void *user, const meguri_path *path) {
    (void)user, (void)path;
    return 0;
}

static void make_finder(void) { assert_int_equal(meguri_path_finder_new(&finder, w.ctx, w.graph, NULL), MEGURI_OK); }

CALLS(meguri_path_finder_new) {
    meguri_path_finder *f;
    meguri_path_finder_options o = {.size = sizeof o};
    BAD(meguri_path_finder_new(NULL, w.ctx, w.graph, NULL));
    BAD(meguri_path_finder_new(&f, NULL, w.graph, NULL));
    BAD(meguri_path_finder_new(&f, w.ctx, NULL, NULL));
    BAD_SIZES(o, meguri_path_finder_new(&f, w.ctx, w.graph, &o));
    BAD_ENUM(meguri_path_direction, o.direction, meguri_path_finder_new(&f, w.ctx, w.graph, &o));
    BAD_ENUM(meguri_path_metric, o.metric, meguri_path_finder_new(&f, w.ctx, w.graph, &o));
    BAD_ENUM(meguri_path_index_use, o.index_use, meguri_path_finder_new(&f, w.ctx, w.graph, &o));
    BAD_VALUES(uint32_t, o.type_count, meguri_path_finder_new(&f, w.ctx, w.graph, &o), 1, UINT32_MAX); /* no names */
}
CALLS(meguri_path_finder_free) { meguri_path_finder_free(NULL); }

#define BAD_QUERY(q, call)                                                                                             \
    do {                                                                                                               \
        BAD_SIZES(q, call);                                                                                            \
        BAD_VALUES(double, (q).timeout, call, NAN, -1.0, -INFINITY);                                                   \
        (q).has_max_cost = 1;                                                                                          \
        BAD_VALUES(double, (q).max_cost, call, NAN, -1.0, -INFINITY);                                                  \
        (q).has_max_cost = 0;                                                                                          \
    } while (0)

#define BAD_QUESTION(function, handle)                                                                                 \
    do {                                                                                                               \
        meguri_path_answer a = {.size = sizeof a};                                                                     \
        meguri_path_query q = {.size = sizeof q, .from = 0, .to = 5};                                                  \
        BAD(function(NULL, w.ctx, handle, &q, take_path, NULL));                                                       \
        BAD(function(&a, NULL, handle, &q, take_path, NULL));                                                          \
        BAD(function(&a, w.ctx, NULL, &q, take_path, NULL));                                                           \
        BAD(function(&a, w.ctx, handle, NULL, take_path, NULL));                                                       \
        BAD_SIZES(a, function(&a, w.ctx, handle, &q, take_path, NULL));                                                \
        BAD_QUERY(q, function(&a, w.ctx, handle, &q, take_path, NULL));                                                \
        BAD_ENUM(meguri_path_algorithm, q.algorithm, function(&a, w.ctx, handle, &q, take_path, NULL));                \
        q.to = UINT64_MAX;                                                                                             \
        NOWHERE(function(&a, w.ctx, handle, &q, take_path, NULL));                                                     \
        q.to = 0;                                                                                                      \
        q.from = (uint64_t)1 << 32;                                                                                    \
        NOWHERE(function(&a, w.ctx, handle, &q, take_path, NULL));                                                     \
        q.from = 0, q.to = 5;                                                                                          \
        q.algorithm = MEGURI_PATH_ALL;                                                                                 \
        BAD(function(&a, w.ctx, handle, &q, take_path, NULL)); /* no limit of any kind */                              \
        q.algorithm = MEGURI_PATH_YENS;                                                                                \
        q.k = q.limit = q.max_hops = UINT64_MAX; /* as many as there are */                                            \
        assert_int_equal(function(&a, w.ctx, handle, &q, take_path, NULL), MEGURI_OK);                                 \
        assert_true(a.paths > 0);                                                                                      \
        q.algorithm = MEGURI_PATH_ALL;                                                                                 \
        q.limit = 3;                                                                                                   \
        assert_int_equal(function(&a, w.ctx, handle, &q, take_path, NULL), MEGURI_OK);                                 \
        assert_int_equal(a.paths, 3);                                                                                  \
    } while (0)

CALLS(meguri_path_find) {
    make_finder();
    BAD_QUESTION(meguri_path_find, finder);
    meguri_path_finder_free(finder);
}

CALLS(meguri_path_search_new) {
    make_finder();
    meguri_path_search *search;
    BAD(meguri_path_search_new(NULL, w.ctx, finder));
    BAD(meguri_path_search_new(&search, NULL, finder));
    BAD(meguri_path_search_new(&search, w.ctx, NULL));
    meguri_path_finder_free(finder);
}
CALLS(meguri_path_search_free) { meguri_path_search_free(NULL); }

CALLS(meguri_path_search_run) {
    make_finder();
    meguri_path_search *search;
    assert_int_equal(meguri_path_search_new(&search, w.ctx, finder), MEGURI_OK);
    BAD_QUESTION(meguri_path_search_run, search);
    meguri_path_search_free(search);
    meguri_path_finder_free(finder);
}

static int take_one(void *user, uint64_t question, const meguri_path *path) {
    (void)user, (void)question, (void)path;
    return 0;
}
static meguri_status take_answer(void *user, uint64_t question, const meguri_path_answer *answer) {
    (void)user, (void)question, (void)answer;
    return MEGURI_OK;
}

CALLS(meguri_path_many) {
    make_finder();
    meguri_path_search *search;
    assert_int_equal(meguri_path_search_new(&search, w.ctx, finder), MEGURI_OK);
    meguri_path_query q[2] = {{.size = sizeof q[0], .to = 5}, {.size = sizeof q[0], .to = 6}};
    uint64_t count = 2;
    BAD(meguri_path_many(NULL, search, q, 2, take_one, take_answer, NULL));
    BAD(meguri_path_many(w.ctx, NULL, q, 2, take_one, take_answer, NULL));
    BAD(meguri_path_many(w.ctx, search, NULL, 2, take_one, take_answer, NULL));
    BAD(meguri_path_many(w.ctx, search, q, 2, take_one, NULL, NULL));
    BAD_QUERY(q[1], meguri_path_many(w.ctx, search, q, 2, take_one, take_answer, NULL));
    BAD_ENUM(meguri_path_algorithm, q[1].algorithm, meguri_path_many(w.ctx, search, q, 2, take_one, take_answer, NULL));
    BAD_VALUES(uint64_t, count, meguri_path_many(w.ctx, search, q, count, take_one, take_answer, NULL), NEAR_THE_TOP);
    q[1].to = UINT64_MAX;
    NOWHERE(meguri_path_many(w.ctx, search, q, 2, take_one, take_answer, NULL));
    meguri_path_search_free(search);
    meguri_path_finder_free(finder);
}

CALLS(meguri_path_index_new) {
    meguri_path_index *index;
    meguri_path_index_options o = {.size = sizeof o};
    BAD(meguri_path_index_new(NULL, w.ctx, w.graph, &o));
    BAD(meguri_path_index_new(&index, NULL, w.graph, &o));
    BAD(meguri_path_index_new(&index, w.ctx, NULL, &o));
    BAD_SIZES(o, meguri_path_index_new(&index, w.ctx, w.graph, &o));
    o.weight = "weight";
    assert_int_equal(meguri_path_index_new(&index, w.ctx, w.graph, &o), MEGURI_NOT_FOUND);
    assert_null(index);
}

CALLS(meguri_path_index_of) {
    meguri_path_index *index;
    BAD(meguri_path_index_of(NULL, w.ctx, w.graph));
    BAD(meguri_path_index_of(&index, NULL, w.graph));
    BAD(meguri_path_index_of(&index, w.ctx, NULL));
    NOWHERE(meguri_path_index_of(&index, w.ctx, w.graph));
    assert_null(index);
}

CALLS(meguri_path_index_get_info) {
    meguri_path_index_info info = {.size = sizeof info};
    meguri_path_index *index;
    assert_int_equal(meguri_path_index_new(&index, w.ctx, w.graph, NULL), MEGURI_OK);
    BAD(meguri_path_index_get_info(NULL, w.ctx, index));
    BAD(meguri_path_index_get_info(&info, NULL, index));
    BAD(meguri_path_index_get_info(&info, w.ctx, NULL));
    BAD_SIZES(info, meguri_path_index_get_info(&info, w.ctx, index));
    meguri_path_index_free(index);
}

CALLS(meguri_path_index_free) { meguri_path_index_free(NULL); }

CALLS(meguri_path_pairs_new) {
    meguri_path_pairs *pairs;
    meguri_path_query base = {.size = sizeof base};
    BAD(meguri_path_pairs_new(NULL, w.ctx, w.graph, "a", NULL));
    BAD(meguri_path_pairs_new(&pairs, NULL, w.graph, "a", NULL));
    BAD(meguri_path_pairs_new(&pairs, w.ctx, NULL, "a", NULL));
    BAD(meguri_path_pairs_new(&pairs, w.ctx, w.graph, NULL, NULL));
    BAD_SIZES(base, meguri_path_pairs_new(&pairs, w.ctx, w.graph, "a", &base));
}
CALLS(meguri_path_pairs_add) {
    meguri_path_pairs *pairs;
    assert_int_equal(meguri_path_pairs_new(&pairs, w.ctx, w.graph, "a", NULL), MEGURI_OK);
    BAD(meguri_path_pairs_add(NULL, pairs, "0 5", 3, 1));
    BAD(meguri_path_pairs_add(w.ctx, NULL, "0 5", 3, 1));
    BAD(meguri_path_pairs_add(w.ctx, pairs, NULL, 3, 1));
    assert_int_equal(meguri_path_pairs_add(w.ctx, pairs, "0 5", SIZE_MAX, 1), MEGURI_BAD_INPUT); /* too long */
    assert_int_equal(meguri_path_pairs_add(w.ctx, pairs, "0", 1, 1), MEGURI_BAD_INPUT);
    meguri_path_pairs_free(pairs);
}
/* A file with a line. */
static void write_list(char folder[FOLDER_TEXT], char path[FOLDER_TEXT + 8]) {
    folder_new(folder);
    snprintf(path, FOLDER_TEXT + 8, "%s/list", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs("0 5\n", file) >= 0 && fclose(file) == 0);
}

static meguri_list *new_list(meguri_list_kind kind) {
    char folder[FOLDER_TEXT], path[FOLDER_TEXT + 8];
    meguri_list *list;
    write_list(folder, path);
    assert_int_equal(meguri_list_read(&list, w.ctx, path, kind), MEGURI_OK);
    folder_remove(folder);
    return list;
}

CALLS(meguri_path_pairs_add_list) {
    meguri_path_pairs *pairs;
    meguri_list *list = new_list(MEGURI_LIST_PAIRS), *vertices = new_list(MEGURI_LIST_VERTICES);
    assert_int_equal(meguri_path_pairs_new(&pairs, w.ctx, w.graph, "a", NULL), MEGURI_OK);
    BAD(meguri_path_pairs_add_list(NULL, pairs, list));
    BAD(meguri_path_pairs_add_list(w.ctx, NULL, list));
    BAD(meguri_path_pairs_add_list(w.ctx, pairs, NULL));
    BAD(meguri_path_pairs_add_list(w.ctx, pairs, vertices));
    meguri_path_pairs_free(pairs);
    meguri_list_free(list);
    meguri_list_free(vertices);
}

CALLS(meguri_list_read) {
    char folder[FOLDER_TEXT], path[FOLDER_TEXT + 8];
    meguri_list *list;
    write_list(folder, path);
    BAD(meguri_list_read(NULL, w.ctx, path, MEGURI_LIST_PAIRS));
    BAD(meguri_list_read(&list, NULL, path, MEGURI_LIST_PAIRS));
    BAD(meguri_list_read(&list, w.ctx, NULL, MEGURI_LIST_PAIRS));
    meguri_list_kind kind = MEGURI_LIST_PAIRS;
    BAD_ENUM(meguri_list_kind, kind, meguri_list_read(&list, w.ctx, path, kind));
    NOWHERE(meguri_list_read(&list, w.ctx, "nowhere", MEGURI_LIST_PAIRS));
    assert_null(list);
    folder_remove(folder);
}
CALLS(meguri_list_free) { meguri_list_free(NULL); }
CALLS(meguri_list_name) { assert_null(meguri_list_name(NULL)); }
CALLS(meguri_list_column) {
    meguri_list *list = new_list(MEGURI_LIST_PAIRS);
    assert_null(meguri_list_column(NULL, 0));
    assert_null(meguri_list_column(list, 0));
    assert_null(meguri_list_column(list, UINT32_MAX));
    meguri_list_free(list);
}
CALLS(meguri_list_rows) { assert_int_equal(meguri_list_rows(NULL), 0); }
CALLS(meguri_list_line) {
    meguri_list *list = new_list(MEGURI_LIST_PAIRS);
    assert_int_equal(meguri_list_line(NULL, 0), 0);
    assert_int_equal(meguri_list_line(list, 0), 1);
    assert_int_equal(meguri_list_line(list, 1), 0);
    assert_int_equal(meguri_list_line(list, UINT64_MAX), 0);
    meguri_list_free(list);
}
CALLS(meguri_list_field) {
    meguri_list *list = new_list(MEGURI_LIST_PAIRS);
    assert_null(meguri_list_field(NULL, 0, 0));
    assert_string_equal(meguri_list_field(list, 0, 1), "5");
    assert_null(meguri_list_field(list, 0, 2));
    assert_null(meguri_list_field(list, 0, UINT32_MAX));
    assert_null(meguri_list_field(list, UINT64_MAX, 0));
    meguri_list_free(list);
}
CALLS(meguri_list_vertices) {
    uint64_t vertices[1];
    meguri_list *list = new_list(MEGURI_LIST_VERTICES), *pairs = new_list(MEGURI_LIST_PAIRS);
    BAD(meguri_list_vertices(NULL, NULL, w.ctx, list, w.graph, NULL));
    BAD(meguri_list_vertices(vertices, NULL, NULL, list, w.graph, NULL));
    BAD(meguri_list_vertices(vertices, NULL, w.ctx, NULL, w.graph, NULL));
    BAD(meguri_list_vertices(vertices, NULL, w.ctx, list, NULL, NULL));
    BAD(meguri_list_vertices(vertices, NULL, w.ctx, pairs, w.graph, NULL));
    assert_int_equal(meguri_list_vertices(vertices, NULL, w.ctx, list, w.graph, "nobody"), MEGURI_OK);
    assert_int_equal(vertices[0], 0);
    meguri_list_free(list);
    meguri_list_free(pairs);
}

CALLS(meguri_path_pairs_get) {
    meguri_path_pairs *pairs;
    const meguri_path_query *queries;
    uint64_t count = 7;
    assert_int_equal(meguri_path_pairs_new(&pairs, w.ctx, w.graph, "a", NULL), MEGURI_OK);
    BAD(meguri_path_pairs_get(NULL, &count, pairs));
    BAD(meguri_path_pairs_get(&queries, NULL, pairs));
    BAD(meguri_path_pairs_get(&queries, &count, NULL));
    assert_int_equal(meguri_path_pairs_get(&queries, &count, pairs), MEGURI_OK);
    assert_int_equal(count, 0);
    meguri_path_pairs_free(pairs);
}
CALLS(meguri_path_pairs_free) { meguri_path_pairs_free(NULL); }

static meguri_path_checker *new_checker(void) {
    meguri_path_checker *checker;
    assert_int_equal(meguri_path_checker_new(&checker, w.ctx, w.graph, NULL), MEGURI_OK);
    return checker;
}

CALLS(meguri_path_checker_new) {
    meguri_path_checker *checker;
    meguri_path_finder_options o = {.size = sizeof o};
    BAD(meguri_path_checker_new(NULL, w.ctx, w.graph, &o));
    BAD(meguri_path_checker_new(&checker, NULL, w.graph, &o));
    BAD(meguri_path_checker_new(&checker, w.ctx, NULL, &o));
    BAD_SIZES(o, meguri_path_checker_new(&checker, w.ctx, w.graph, &o));
    BAD_ENUM(meguri_path_direction, o.direction, meguri_path_checker_new(&checker, w.ctx, w.graph, &o));
    o.type_count = 1; /* and no names */
    BAD(meguri_path_checker_new(&checker, w.ctx, w.graph, &o));
}
CALLS(meguri_path_checker_path) {
    static const uint64_t nowhere[] = {0, UINT64_MAX};
    static const uint64_t edges[] = {0};
    static const double costs[] = {0, 1};
    const meguri_path_query q = {.size = sizeof q, .to = UINT32_MAX};
    const meguri_path path = {
        .size = sizeof path, .hops = 1, .vertices = nowhere, .edges = edges, .costs = costs, .cost = 1};
    meguri_path_checker *checker = new_checker();
    BAD(meguri_path_checker_path(NULL, checker, 0, &q, &path));
    BAD(meguri_path_checker_path(w.ctx, NULL, 0, &q, &path));
    BAD(meguri_path_checker_path(w.ctx, checker, 0, NULL, &path));
    BAD(meguri_path_checker_path(w.ctx, checker, 0, &q, NULL));
    assert_int_equal(meguri_path_checker_path(w.ctx, checker, 0, &q, &path), MEGURI_WRONG_ANSWER);
    meguri_path_checker_free(checker);
}
CALLS(meguri_path_checker_answer) {
    meguri_path_query q = {.size = sizeof q, .to = 5};
    const meguri_path_answer answer = {.size = sizeof answer};
    meguri_path_checker *checker = new_checker();
    BAD(meguri_path_checker_answer(NULL, checker, 0, &q, &answer));
    BAD(meguri_path_checker_answer(w.ctx, NULL, 0, &q, &answer));
    BAD(meguri_path_checker_answer(w.ctx, checker, 0, NULL, &answer));
    BAD(meguri_path_checker_answer(w.ctx, checker, 0, &q, NULL));
    q.to = UINT64_MAX;
    NOWHERE(meguri_path_checker_answer(w.ctx, checker, 0, &q, &answer));
    q.to = 0, q.from = UINT64_MAX;
    NOWHERE(meguri_path_checker_answer(w.ctx, checker, 0, &q, &answer));
    meguri_path_checker_free(checker);
}
CALLS(meguri_path_checker_saw_all) { assert_int_equal(meguri_path_checker_saw_all(NULL), 0); }
CALLS(meguri_path_checker_free) { meguri_path_checker_free(NULL); }

CALLS(meguri_path_algorithm_name) {
    assert_string_equal(meguri_path_algorithm_name((meguri_path_algorithm)77), "");
    assert_string_equal(meguri_path_algorithm_name((meguri_path_algorithm)-1), "");
}
CALLS(meguri_path_algorithm_from_name) {
    assert_int_equal(meguri_path_algorithm_from_name(NULL), -1);
    assert_int_equal(meguri_path_algorithm_from_name("A-star"), -1);
    for (int i = MEGURI_PATH_AUTO; i <= MEGURI_PATH_TREE; i++)
        assert_int_equal(meguri_path_algorithm_from_name(meguri_path_algorithm_name((meguri_path_algorithm)i)), i);
}
CALLS(meguri_path_end_name) { assert_string_equal(meguri_path_end_name((meguri_path_end)77), ""); }

int main(void) {
    static const row rows[] = {
        ROW(meguri_path_finder_new),
        ROW(meguri_path_finder_free),
        ROW(meguri_path_find),
        ROW(meguri_path_search_new),
        ROW(meguri_path_search_free),
        ROW(meguri_path_search_run),
        ROW(meguri_path_many),
        ROW(meguri_path_index_new),
        ROW(meguri_path_index_of),
        ROW(meguri_path_index_free),
        ROW(meguri_path_index_get_info),
        ROW(meguri_path_algorithm_name),
        ROW(meguri_path_algorithm_from_name),
        ROW(meguri_path_end_name),
        ROW(meguri_path_pairs_new),
        ROW(meguri_path_checker_new),
        ROW(meguri_path_checker_path),
        ROW(meguri_path_checker_answer),
        ROW(meguri_path_checker_saw_all),
        ROW(meguri_path_checker_free),
        ROW(meguri_path_pairs_add),
        ROW(meguri_path_pairs_get),
        ROW(meguri_path_pairs_free),
        ROW(meguri_path_pairs_add_list),
        ROW(meguri_list_read),
        ROW(meguri_list_free),
        ROW(meguri_list_name),
        ROW(meguri_list_column),
        ROW(meguri_list_rows),
        ROW(meguri_list_line),
        ROW(meguri_list_field),
        ROW(meguri_list_vertices),
    };
    return run_rows(rows, COUNT_OF(rows));
}
