/* Files of graphs in parts: a .meg file opened in shares is the graph that it holds; results written by all ranks are
 * the bytes that one process writes; ids are found; nothing remains of what fails. */
#define _GNU_SOURCE
#include "io/read.h"
#include "shards/gathered.h"
#include "support/sinks.h"

#include <dirent.h>
#include <sys/stat.h>

static const uint32_t rank_counts[] = {1, 2, 3, 4, 6, 9};

typedef struct job {
    gathered *all;
    const meguri_graph *graph;
    const char *path, *results, *saved;
    size_t turn; /* which forms of results are written: writing waits for the disk, so not all every time */
} job;

/* ---- results ---------------------------------------------------------------------------------------------------- */

/* Something of every type for the vertices [begin, end): the same wherever it is made. */
static meguri_status make_result(meguri_result **out, meguri_ctx *ctx, uint64_t vertices, uint64_t begin,
                                 uint64_t end) {
    static const char *const names[] = {"parent", "level", "small", "tiny", "distance", "rank", "other"};
    static const meguri_type types[] = {MEGURI_TYPE_VERTEX, MEGURI_TYPE_I32, MEGURI_TYPE_I16,   MEGURI_TYPE_I8,
                                        MEGURI_TYPE_U64,    MEGURI_TYPE_F64, MEGURI_TYPE_VERTEX};
    meguri_status status = mg_result_new(out, ctx);
    for (size_t i = 0; i < COUNT_OF(types) && status == MEGURI_OK; i++) {
        size_t bytes = mg_column_size(types[i]);
        char *data = mg_alloc(ctx, (end - begin) * bytes, "a column");
        if (!data) return MEGURI_NO_MEMORY;
        for (uint64_t v = begin; v < end; v++) {
            uint64_t state = v * 7 + i, random = next_random(&state);
            double real = (double)(random >> 11) / 1e9;
            if (types[i] == MEGURI_TYPE_VERTEX)
                random = random % 5 == 0 ? UINT32_MAX : random % 3 ? random % vertices : random % MG_MIN(vertices, 3);
            if (types[i] == MEGURI_TYPE_U64 && random % 7 == 0) random = UINT64_MAX;
            memcpy(data + (v - begin) * bytes, types[i] == MEGURI_TYPE_F64 ? (void *)&real : (void *)&random, bytes);
        }
        status = mg_result_own(ctx, *out, data);
        if (status == MEGURI_OK) status = mg_result_add_column(ctx, *out, names[i], types[i], data, end - begin, bytes);
    }
    return status;
}

static const char *const forms[] = {"r.tsv", "r.npy", "r.bin", "r.tsv.gz", "r.tsv.zst", "r.tsv.xz", "r.csv"};

static bool has_turn(size_t form, size_t turn) { return form == turn % COUNT_OF(forms) || form == (turn + 2) % 3; }

static meguri_status write_results(meguri_ctx *ctx, meguri_graph *s, const job *j) {
    meguri_result *result;
    meguri_status status = make_result(&result, ctx, s->vertices, s->of_results.begin, s->of_results.end);
    for (size_t i = 0; i < COUNT_OF(forms) && status == MEGURI_OK; i++) {
        char path[2 * FOLDER_TEXT];
        if (!has_turn(i, j->turn)) continue;
        snprintf(path, sizeof path, "%s/%s", j->results, forms[i]);
        status = meguri_result_write(ctx, result, s, to_file(path), NULL);
        if (status == MEGURI_OK && *meguri_cluster_unfinished(mg_shards_of(s)->cluster)) status = MEGURI_WRONG_ANSWER;
    }
    meguri_result_free(result);
    return status;
}

/* The bytes of a file, decompressed; to be freed. */
static char *bytes_of(meguri_ctx *ctx, const char *folder, const char *name, size_t *bytes) {
    char path[2 * FOLDER_TEXT];
    mg_input input;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_int_equal(mg_input_open(&input, ctx, path), MEGURI_OK);
    assert_int_equal(mg_input_peek(&input, 64 << 20), MEGURI_OK);
    assert_true(input.ended);
    char *copy = malloc(input.head_bytes + 1);
    memcpy(copy, input.head + MG_PAD, input.head_bytes);
    *bytes = input.head_bytes;
    mg_input_close(&input);
    return copy;
}

static void compare_results(meguri_ctx *ctx, const char *ours, const char *theirs, const char *name, uint32_t ranks,
                            size_t turn) {
    for (size_t i = 0; i < COUNT_OF(forms); i++) {
        size_t a_bytes, b_bytes;
        if (!has_turn(i, turn)) continue;
        char *a = bytes_of(ctx, ours, forms[i], &a_bytes), *b = bytes_of(ctx, theirs, forms[i], &b_bytes);
        if (a_bytes != b_bytes || memcmp(a, b, a_bytes) != 0)
            fail_msg("%s on %u: %s differs (%zu bytes of %zu)", name, ranks, forms[i], a_bytes, b_bytes);
        free(a);
        free(b);
    }
}

static int files_in(const char *folder) {
    int count = 0;
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    for (struct dirent *entry; (entry = readdir(dir));)
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(dir);
    return count;
}

/* ---- finding ---------------------------------------------------------------------------------------------------- */

static meguri_status find_some(meguri_ctx *ctx, meguri_graph *s, const meguri_graph *graph) {
    uint64_t step = s->vertices / 20 + 1, found;
    for (uint64_t v = 0; v < s->vertices; v += step) {
        char text[300];
        RANK_CHECK(ctx, meguri_graph_id_text(text, sizeof text, NULL, ctx, s, v) == MEGURI_OK);
        RANK_CHECK(ctx, meguri_graph_find_text(&found, ctx, graph, text) == MEGURI_OK && found == v);
        RANK_CHECK(ctx, meguri_graph_find_text(&found, ctx, s, text) == MEGURI_OK && found == v);
    }
    static const char *const unknown[] = {"77777777777", "-5555555", "no such", "99999999999999999999999"};
    for (size_t i = 0; i < COUNT_OF(unknown); i++) {
        char expected[256];
        meguri_status status = meguri_graph_find_text(&found, ctx, graph, unknown[i]);
        snprintf(expected, sizeof expected, "%s", meguri_ctx_error(ctx));
        RANK_CHECK(ctx, meguri_graph_find_text(&found, ctx, s, unknown[i]) == status);
        RANK_CHECK(ctx, strcmp(expected, meguri_ctx_error(ctx)) == 0);
    }
    char text[4];
    RANK_CHECK(ctx, meguri_graph_id_text(text, sizeof text, NULL, ctx, s, s->vertices) == MEGURI_NOT_FOUND);
    return MEGURI_OK;
}

/* ---- .meg files ------------------------------------------------------------------------------------------------- */

static meguri_status open_in_shares(void *user, meguri_ctx *ctx, meguri_cluster *c) {
    job *j = user;
    meguri_graph *s;
    meguri_layout layout = square(c);
    layout.owner = (meguri_owner)(j->turn % 4);
    meguri_status status = meguri_open(&s, ctx, j->path, in_layout(&layout));
    if (status != MEGURI_OK) return status;
    RANK_CHECK(ctx, layout.owner == MEGURI_OWNER_AUTO || mg_shards_of(s)->owner == layout.owner);
    status = gathered_add(j->all, ctx, s, true);
    if (status == MEGURI_OK) status = find_some(ctx, s, j->graph);
    if (status == MEGURI_OK && j->results) status = write_results(ctx, s, j);
    if (status == MEGURI_OK) status = meguri_save(ctx, s, to_file(j->saved), NULL);
    meguri_graph_free(s);
    return status;
}

static void check_file(meguri_ctx *ctx, const meguri_graph *graph, const char *name, size_t turn, bool sparing) {
    char folder[FOLDER_TEXT], whole[FOLDER_TEXT], path[2 * FOLDER_TEXT], saved[2 * FOLDER_TEXT];
    folder_new(folder);
    folder_new(whole);
    snprintf(saved, sizeof saved, "%s/saved.meg", folder);
    snprintf(path, sizeof path, "%s/graph.meg", folder);
    assert_int_equal(meguri_save(ctx, graph, to_file(path), NULL), MEGURI_OK);
    meguri_result *result;
    assert_int_equal(make_result(&result, ctx, graph->vertices, 0, graph->vertices), MEGURI_OK);
    for (size_t i = 0; i < COUNT_OF(forms); i++) {
        char to[2 * FOLDER_TEXT];
        snprintf(to, sizeof to, "%s/%s", whole, forms[i]);
        assert_int_equal(meguri_result_write(ctx, result, graph, to_file(to), NULL), MEGURI_OK);
    }
    meguri_result_free(result);
    for (size_t i = 0; i < COUNT_OF(rank_counts); i++) {
        gathered all;
        if (sparing && (i + turn) % 3) continue;
        gathered_begin(&all, graph);
        job j = {.all = &all, .graph = graph, .path = path, .results = folder, .saved = saved, .turn = turn + i};
        run_on(rank_counts[i], i == 1 ? 100 : 0, open_in_shares, &j);
        gathered_end(&all, ctx, name, rank_counts[i]);
        compare_results(ctx, folder, whole, name, rank_counts[i], turn + i);
        assert_true(files_in(folder) <= 2 + (int)COUNT_OF(forms));
        compare_saved(ctx, saved, graph, name);
    }
    folder_remove(folder);
    folder_remove(whole);
}

static void the_zoo(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(1);
    zoo_graph g;
    for (int index = 0; zoo_get(&g, index); index++) {
        for (int order = MEGURI_ORDER_DEGREE; order <= MEGURI_ORDER_NONE && g.count < 20000; order++) {
            if ((UNDER_ASAN || UNDER_TSAN) && index % 3 != order % 3) continue;
            meguri_build_options o = {.size = sizeof o,
                                      .direction = (index + order) & 1 ? MEGURI_DIRECTED : MEGURI_UNDIRECTED,
                                      .order = (meguri_order)order,
                                      .duplicates = index & 1 ? MEGURI_DUPLICATES_KEEP : MEGURI_DUPLICATES_MIN,
                                      .keep_loops = index >> 1 & 1};
            meguri_graph *graph;
            assert_int_equal(zoo_build(&graph, ctx, &g, &o), MEGURI_OK);
            check_file(ctx, graph, g.name, (size_t)(index + order), true);
            meguri_graph_free(graph);
        }
        zoo_free(&g);
    }
    context_done(ctx);
}

static void strings(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(1);
    meguri_graph *graph;
    const meguri_read_options o = {.size = sizeof o, .ids = MEGURI_IDS_STRING};
    char text[40000];
    size_t used = 0;
    uint64_t random = 5;
    for (int i = 0; i < 1500; i++) {
        uint64_t from = next_random(&random) % 400, to = next_random(&random) % 90;
        used += (size_t)snprintf(text + used, sizeof text - used, "Ort%lu\\%.*s\t%lu\n", from, (int)(from % 5 * 2),
                                 "ääää", to * to * to);
    }
    assert_int_equal(mg_read_memory(&graph, ctx, "text", text, used, 0, &o), MEGURI_OK);
    check_file(ctx, graph, "strings", 0, false);
    check_file(ctx, graph, "strings", 3, false);
    meguri_graph_free(graph);
    assert_int_equal(mg_read_memory(&graph, ctx, "text", "a b\n", 4, 0, &o), MEGURI_OK);
    check_file(ctx, graph, "two strings", 1, false);
    meguri_graph_free(graph);
    context_done(ctx);
}

/* ---- what goes wrong -------------------------------------------------------------------------------------------- */

static meguri_status open_damaged(void *user, meguri_ctx *ctx, meguri_cluster *c) {
    meguri_graph *s;
    const meguri_layout layout = square(c);
    meguri_status status = meguri_open(&s, ctx, user, in_layout(&layout));
    RANK_CHECK(ctx, status == MEGURI_BAD_INPUT && !s && strstr(meguri_ctx_error(ctx), "damaged"));
    return MEGURI_OK;
}

static void damage_is_found(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(1);
    char folder[FOLDER_TEXT], path[2 * FOLDER_TEXT];
    folder_new(folder);
    snprintf(path, sizeof path, "%s/graph.meg", folder);
    meguri_graph *graph;
    const meguri_kronecker_options k = {.size = sizeof k, .scale = 8};
    assert_int_equal(meguri_gen_kronecker(&graph, ctx, &k), MEGURI_OK);
    assert_int_equal(meguri_save(ctx, graph, to_file(path), NULL), MEGURI_OK);
    meguri_graph_free(graph);
    FILE *file = fopen(path, "r+");
    assert_non_null(file);
    fseek(file, 2 * 4096 + 1000, SEEK_SET); /* in the neighbours */
    fputc(fgetc(file) ^ 1, file);
    fclose(file);
    for (size_t i = 0; i < COUNT_OF(rank_counts); i++) run_on(rank_counts[i], 0, open_damaged, path);
    folder_remove(folder);
    context_done(ctx);
}

static meguri_status open_missing(void *user, meguri_ctx *ctx, meguri_cluster *c) {
    meguri_graph *s;
    const meguri_layout layout = square(c);
    RANK_CHECK(ctx, meguri_open(&s, ctx, user, in_layout(&layout)) == MEGURI_NOT_FOUND && !s);
    return MEGURI_OK;
}

typedef struct refusal {
    const char *path;
    meguri_status status;
} refusal;

static meguri_status write_badly(void *user, meguri_ctx *ctx, meguri_cluster *c) {
    const refusal *r = user;
    meguri_graph *s;
    meguri_result *result;
    const meguri_layout layout = square(c);
    const meguri_kronecker_options k = {
        .size = sizeof k,
        .scale = 5,
        .build = &(meguri_build_options){.size = sizeof(meguri_build_options), .layout = &layout}};
    RANK_CHECK(ctx, meguri_gen_kronecker(&s, ctx, &k) == MEGURI_OK);
    RANK_CHECK(ctx, make_result(&result, ctx, s->vertices, s->of_results.begin, s->of_results.end) == MEGURI_OK);
    meguri_status status = meguri_result_write(ctx, result, s, to_file(r->path), NULL);
    meguri_result_free(result);
    meguri_graph_free(s);
    RANK_CHECK(ctx, status == r->status);
    return MEGURI_OK;
}

/* A rank fails in the middle: the k-th allocation of rank 1 from here on. */
typedef struct failing {
    const char *path;
    uint64_t at;
} failing;

static meguri_status fail_at(void *user, meguri_ctx *ctx, meguri_cluster *c) {
    const failing *f = user;
    meguri_graph *s;
    meguri_result *result;
    const meguri_layout layout = square(c);
    const meguri_kronecker_options k = {
        .size = sizeof k,
        .scale = 5,
        .build = &(meguri_build_options){.size = sizeof(meguri_build_options), .layout = &layout}};
    RANK_CHECK(ctx, meguri_gen_kronecker(&s, ctx, &k) == MEGURI_OK);
    RANK_CHECK(ctx, make_result(&result, ctx, s->vertices, s->of_results.begin, s->of_results.end) == MEGURI_OK);
    if (c->rank == 1 % c->size) mg_memory_fail_at(ctx, f->at);
    meguri_status status = meguri_result_write(ctx, result, s, to_file(f->path), NULL);
    mg_memory_fail_at(ctx, 0);
    meguri_result_free(result);
    meguri_graph_free(s);
    RANK_CHECK(ctx, status == MEGURI_OK || status == MEGURI_NO_MEMORY || status == MEGURI_ENGINE_FAILED);
    RANK_CHECK(ctx, !*meguri_cluster_unfinished(c));
    return MEGURI_OK;
}

static void fail_everywhere(const char *folder, const char *form, uint32_t ranks) {
    char path[2 * FOLDER_TEXT];
    snprintf(path, sizeof path, "%s/%s", folder, form);
    for (uint64_t at = 1; at < 50; at += UNDER_ASAN || UNDER_TSAN ? 5 : 1) {
        failing f = {path, at};
        run_on(ranks, 0, fail_at, &f);
        unlink(path);
        assert_int_equal(files_in(folder), 0);
    }
}

/* The same while a file is opened and saved. */
static meguri_status fail_in_files(void *user, meguri_ctx *ctx, meguri_cluster *c) {
    const failing *f = user;
    meguri_graph *s;
    char saved[3 * FOLDER_TEXT];
    const meguri_layout layout = square(c);
    snprintf(saved, sizeof saved, "%s.saved.meg", f->path);
    if (c->rank == (int)(f->at % 3)) mg_memory_fail_at(ctx, f->at);
    meguri_status status = meguri_open(&s, ctx, f->path, in_layout(&layout));
    if (status == MEGURI_OK) status = meguri_save(ctx, s, to_file(saved), NULL);
    mg_memory_fail_at(ctx, 0);
    meguri_graph_free(s);
    RANK_CHECK(ctx, status == MEGURI_OK || status == MEGURI_NO_MEMORY || status == MEGURI_ENGINE_FAILED);
    return MEGURI_OK;
}

static void fail_in_all_files(const char *folder) {
    meguri_ctx *ctx = context_with(1);
    meguri_graph *graph;
    char path[2 * FOLDER_TEXT], saved[3 * FOLDER_TEXT];
    const meguri_read_options o = {.size = sizeof o, .ids = MEGURI_IDS_STRING};
    snprintf(path, sizeof path, "%s/g.meg", folder);
    snprintf(saved, sizeof saved, "%s.saved.meg", path);
    assert_int_equal(mg_read_memory(&graph, ctx, "text", "a b\nb c 1\n", 4, 0, &o), MEGURI_OK);
    assert_int_equal(meguri_save(ctx, graph, to_file(path), NULL), MEGURI_OK);
    meguri_graph_free(graph);
    context_done(ctx);
    for (uint64_t at = 1; at < 300; at += UNDER_ASAN || UNDER_TSAN ? 23 : 2) {
        failing f = {path, at};
        run_on(3, 0, fail_in_files, &f);
        unlink(saved);
        assert_int_equal(files_in(folder), 1);
    }
    unlink(path);
}

static void nothing_remains(void **state) {
    (void)state;
    char folder[FOLDER_TEXT], path[2 * FOLDER_TEXT];
    folder_new(folder);
    refusal refusals[] = {{"x.txt", MEGURI_BAD_ARGUMENT},
                          {"x.npy.gz", MEGURI_BAD_ARGUMENT},
                          {"/no/such/folder/x.tsv", MEGURI_BAD_ARGUMENT},
                          {path, MEGURI_BAD_ARGUMENT}};
    snprintf(path, sizeof path, "%s/fifo.tsv", folder);
    assert_int_equal(mkfifo(path, 0600), 0);
    for (size_t i = 0; i < COUNT_OF(refusals); i++) run_on(4, 0, write_badly, &refusals[i]);
    unlink(path);
    snprintf(path, sizeof path, "%s/missing.meg", folder);
    run_on(3, 0, open_missing, path);
    assert_int_equal(files_in(folder), 0);
    fail_everywhere(folder, "r.tsv", 3);
    fail_everywhere(folder, "r.bin", 1);
    fail_in_all_files(folder);
    folder_remove(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_zoo), cmocka_unit_test(strings),
                                       cmocka_unit_test(damage_is_found), cmocka_unit_test(nothing_remains)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
