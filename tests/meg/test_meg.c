/* .meg files: whatever is saved is opened again as the same graph, at once, and as the same bytes. */
#define _GNU_SOURCE
#include "meg/graphs.h"
#include "support/oracle.h"
#include "support/sinks.h"

#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[FOLDER_NAME], path[FOLDER_NAME + 64], other[FOLDER_NAME + 64];

static int set_up(void **state) {
    (void)state;
    make_folder(folder);
    snprintf(path, sizeof path, "%s/g.meg", folder);
    snprintf(other, sizeof other, "%s/h.meg", folder);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    remove_folder(folder);
    return 0;
}

static void must(meguri_ctx *ctx, meguri_status status) {
    if (status != MEGURI_OK) fail_msg("%s", meguri_ctx_error(ctx));
}

static void assert_same_files(const char *a, const char *b) {
    size_t m, n;
    unsigned char *x = file_bytes(a, &m), *y = file_bytes(b, &n);
    assert_int_equal(m, n);
    assert_memory_equal(x, y, m);
    free(x);
    free(y);
}

static void every_kind_of_graph_comes_back(void **state) {
    (void)state;
    meguri_ctx *ctx = new_context(2);
    char name[GRAPH_NAME];
    int index = 0;
    for (meguri_graph *g; (g = make_graph(ctx, index, name)); index++) {
        meguri_graph *back;
        must(ctx, meguri_save(ctx, g, to_file(path), NULL));
        must(ctx, meguri_open(&back, ctx, path, NULL));
        must(ctx, meguri_graph_verify(ctx, back));
        const char *wrong = graphs_differ(ctx, g, back);
        if (wrong) fail_msg("%s: %s", name, wrong);
        answer a[ANSWERS], b[ANSWERS];
        ask_everything(a, ctx, g);
        ask_everything(b, ctx, back);
        for (int i = 0; i < ANSWERS; i++) {
            if (a[i].status != b[i].status || a[i].count != b[i].count ||
                (a[i].count && memcmp(a[i].bytes, b[i].bytes, a[i].count) != 0))
                fail_msg("%s: answer %d differs", name, i);
        }
        free_answers(a);
        free_answers(b);
        /* Saved again from the file, over the very file: the same bytes. */
        must(ctx, meguri_save(ctx, back, to_file(other), NULL));
        assert_same_files(path, other);
        must(ctx, meguri_save(ctx, back, to_file(path), NULL));
        assert_same_files(path, other);
        meguri_graph_free(back);
        meguri_graph_free(g);
    }
    assert_int_equal(index, NOT_INDEXED + INDEXED);
    assert_int_equal(meguri_ctx_memory_used(ctx), 0);
    meguri_ctx_free(ctx);
}

static void built_graphs_come_back(void **state) {
    (void)state;
    meguri_ctx *ctx = new_context(2);
    zoo_graph z;
    for (int index = 0; zoo_get(&z, index); index++) {
        for (int direction = MEGURI_DIRECTED; direction <= MEGURI_UNDIRECTED; direction++) {
            meguri_build_options o = {.size = sizeof o,
                                      .direction = direction,
                                      .order = index % 4,
                                      .keep_loops = index % 3 == 0,
                                      .duplicates = index % 5 == 0 ? MEGURI_DUPLICATES_KEEP : MEGURI_DUPLICATES_MIN};
            meguri_graph *g, *back;
            oracle expected = oracle_build(&z, &o);
            must(ctx, zoo_build(&g, ctx, &z, &o));
            must(ctx, meguri_save(ctx, g, to_file(path), NULL));
            meguri_graph_free(g);
            must(ctx, meguri_open(&back, ctx, path, NULL));
            if (z.count < 50000) {
                const char *wrong = oracle_compare(&expected, ctx, back, z.weights != NULL);
                if (wrong) fail_msg("%s: %s", z.name, wrong);
            }
            must(ctx, meguri_graph_verify(ctx, back));
            meguri_graph_free(back);
            oracle_free(&expected);
        }
        zoo_free(&z);
    }
    meguri_ctx_free(ctx);
}

static void same_bytes_at_any_number_of_threads(void **state) {
    (void)state;
    meguri_ctx *one = new_context(1), *five = new_context(5);
    meguri_graph *g = make_large_graph(one, 600000, 5), *back;
    must(one, meguri_save(one, g, to_file(path), NULL));
    must(five, meguri_save(five, g, to_file(other), NULL));
    assert_same_files(path, other);
    must(five, meguri_open(&back, five, path, NULL));
    must(five, meguri_graph_verify(five, back));
    assert_null(graphs_differ(five, g, back));
    meguri_graph_free(back);
    meguri_graph_free(g);
    meguri_ctx_free(one);
    meguri_ctx_free(five);
}

/* A pipe cannot be written at the front last; the bytes are the same. */
typedef struct pipe_reader {
    int from;
    const char *to;
} pipe_reader;

static void *copy_pipe(void *argument) {
    pipe_reader *r = argument;
    char buffer[65536];
    int fd = open(r->to, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    for (ssize_t n; (n = read(r->from, buffer, sizeof buffer)) > 0;)
        if (write(fd, buffer, (size_t)n) != n) break;
    close(fd);
    return NULL;
}

static void same_bytes_through_a_pipe(void **state) {
    (void)state;
    meguri_ctx *ctx = new_context(2);
    meguri_graph *graphs[2] = {make_full_graph(ctx), make_large_graph(ctx, 300000, 2)};
    for (int i = 0; i < 2; i++) {
        int ends[2];
        char name[32];
        pthread_t thread;
        assert_int_equal(pipe(ends), 0);
        pipe_reader reader = {ends[0], other};
        snprintf(name, sizeof name, "/dev/fd/%d", ends[1]);
        assert_int_equal(pthread_create(&thread, NULL, copy_pipe, &reader), 0);
        must(ctx, meguri_save(ctx, graphs[i], to_file(name), NULL));
        close(ends[1]);
        pthread_join(thread, NULL);
        close(ends[0]);
        must(ctx, meguri_save(ctx, graphs[i], to_file(path), NULL));
        assert_same_files(path, other);
        meguri_graph_free(graphs[i]);
    }
    meguri_ctx_free(ctx);
}

static void ranges_are_checked_by_themselves(void **state) {
    (void)state;
    meguri_ctx *ctx = new_context(2);
    meguri_graph *g = make_large_graph(ctx, 600000, 1), *back;
    must(ctx, meguri_save(ctx, g, to_file(path), NULL));
    meguri_graph_free(g);
    must(ctx, meguri_open(&back, ctx, path, NULL));
    /* Damage the fourth chunk of the ids, and no other. */
    int fd = open(path, O_RDWR);
    uint64_t at =
        (uint64_t)((const char *)back->part[MG_PART_IDS].data - (const char *)back->part[MG_PART_OFFSETS].data);
    unsigned char byte = 0xee;
    assert_int_equal(pwrite(fd, &byte, 1, (off_t)(4096 + at + (3 << 20) + 77)), 1);
    close(fd);
    uint64_t ids[4];
    const uint64_t chunk = (1 << 20) / 8;
    must(ctx, meguri_graph_ids(ids, ctx, back, 0, 4));
    assert_int_equal(ids[3], 18);
    must(ctx, meguri_graph_ids(ids, ctx, back, 3 * chunk - 4, 4));
    assert_int_equal(ids[0], 5 * (3 * chunk - 4) + 3);
    must(ctx, meguri_graph_ids(ids, ctx, back, 4 * chunk - 1 + 1, 4));
    assert_int_equal(meguri_graph_ids(ids, ctx, back, 3 * chunk - 1, 2), MEGURI_BAD_INPUT);
    assert_non_null(strstr(meguri_ctx_error(ctx), "damaged"));
    assert_non_null(strstr(meguri_ctx_error(ctx), path));
    assert_int_equal(meguri_graph_ids(ids, ctx, back, 4 * chunk - 2, 1), MEGURI_BAD_INPUT);
    assert_int_equal(meguri_graph_verify(ctx, back), MEGURI_BAD_INPUT);
    /* Damage must not be saved with fresh checksums. */
    assert_int_equal(meguri_save(ctx, back, to_file(other), NULL), MEGURI_BAD_INPUT);
    assert_int_equal(access(other, F_OK), -1);
    meguri_graph_free(back);
    meguri_ctx_free(ctx);
}

/* ---- what is no .meg file --------------------------------------------------------------------------------------- */

static void refused(meguri_ctx *ctx, const char *name, meguri_status expected, const char *piece) {
    meguri_graph *g = (meguri_graph *)ctx;
    meguri_status status = meguri_open(&g, ctx, name, NULL);
    assert_null(g);
    assert_int_equal(status, expected);
    const char *text = meguri_ctx_error(ctx);
    if (!strstr(text, piece) || !strstr(text, name) || !strchr(".?", text[strlen(text) - 1])) fail_msg("%s", text);
}

static void refused_content(meguri_ctx *ctx, const char *bytes, size_t count, const char *piece) {
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, count, f), count);
    fclose(f);
    refused(ctx, path, MEGURI_BAD_INPUT, piece);
}

static void foreign_files_are_named(void **state) {
    (void)state;
    meguri_ctx *ctx = new_context(2);
#define REFUSED(text, piece) refused_content(ctx, text, sizeof(text) - 1, piece)
    refused(ctx, other, MEGURI_NOT_FOUND, "no such file");
    refused(ctx, folder, MEGURI_BAD_INPUT, "is a folder");
    refused(ctx, "/dev/null", MEGURI_BAD_INPUT, "not a file on disk");
    REFUSED("", "is empty");
    REFUSED("0 1\n1 2\n", "is a text file");
    REFUSED("%%MatrixMarket matrix coordinate pattern general\n", " -o NAME.meg` makes one from it");
    REFUSED("\x1f\x8b\x08\0\0", "gzip");
    REFUSED("\x28\xb5\x2f\xfd\0", "zstd");
    REFUSED("\xfd"
            "7zXZ\0",
            "xz");
    REFUSED("\x89PNG\r\n\x1a\n\0\0\0\0", "not a .meg file");
    REFUSED("\x89MEG\n\x1a\n\0\0\0\0", "text mode");
    REFUSED("\x89MEG\r\r\n\x1a\r\n\0\0", "text mode");
    REFUSED("\x09MEG\r\n\x1a\n\0\0\0\0", "text mode");
    REFUSED("\x89MEG\r\n\x1a\n\1\0\0\0", "ends too early");
    REFUSED("\x89MEG\r\n", "ends too early (6 bytes of ");
    REFUSED("\x89M", "ends too early (2 bytes of ");
    REFUSED("<graphml xmlns='x'>", "is GraphML, not a .meg file, and is not read");
    REFUSED("SQLite format 3\0\0", "is an SQLite database, not a .meg file");
#undef REFUSED
    meguri_ctx_free(ctx);
}

/* Changes a good file, makes its checksums right, and expects a sentence. */
static void changed(meguri_ctx *ctx, size_t at, size_t size, uint64_t value, const char *piece) {
    meguri_graph *g = make_full_graph(ctx);
    size_t count;
    unsigned char *bytes = saved_bytes(ctx, g, &count);
    memcpy(bytes + at, &value, size);
    reseal(bytes, count);
    refused_content(ctx, (const char *)bytes, count, piece);
    free(bytes);
    meguri_graph_free(g);
}

static void files_of_the_future(void **state) {
    (void)state;
    meguri_ctx *ctx = new_context(2);
    changed(ctx, 8, 2, 2, "use a newer meguri");    /* major version */
    changed(ctx, 104, 4, 2, "use a newer meguri");  /* a flag */
    changed(ctx, 128 + 40 * 7, 4, 77, "damaged");   /* the name index becomes something optional, and is missed … */
    changed(ctx, 128, 4, 77, "use a newer meguri"); /* … and the offsets something that must be known */
    meguri_ctx_free(ctx);
}

/* An optional section that nobody knows yet is skipped, and a longer header and a longer table too. */
static void what_a_later_minor_version_adds_is_skipped(void **state) {
    (void)state;
    meguri_ctx *ctx = new_context(2);
    meguri_graph *g = make_full_graph(ctx), *back;
    size_t count;
    unsigned char *bytes = saved_bytes(ctx, g, &count);
    uint32_t number = 4000, minor = 7;
    memcpy(bytes + 10, &minor, 2);
    memcpy(bytes + 128 + 40 * 8, &number, 4); /* the coordinates, whose flag says optional */
    reseal(bytes, count);
    memory_file file = new_memory_file(bytes, count);
    must(ctx, meguri_open(&back, ctx, file.path, NULL));
    must(ctx, meguri_graph_verify(ctx, back));
    assert_null(back->part[MG_PART_COORDINATES].data);
    mg_graph_drop_part(g, MG_PART_COORDINATES);
    assert_null(graphs_differ(ctx, g, back));
    meguri_graph_free(back);
    close(file.fd);

    /* The same file with 64 more bytes of header and 16 more bytes in each entry. */
    unsigned char *longer = calloc(1, count);
    uint32_t header = 192, entry = 56, sections;
    memcpy(&sections, bytes + 112, 4);
    memcpy(longer, bytes, count);
    memset(longer + 128, 0x5a, 4096 - 128);
    for (uint32_t i = 0; i < sections; i++) memcpy(longer + 192 + 56 * i, bytes + 128 + 40 * i, 40);
    memcpy(longer + 12, &header, 4);
    memcpy(longer + 116, &entry, 4);
    reseal(longer, count);
    file = new_memory_file(longer, count);
    must(ctx, meguri_open(&back, ctx, file.path, NULL));
    must(ctx, meguri_graph_verify(ctx, back));
    assert_null(graphs_differ(ctx, g, back));
    meguri_graph_free(back);
    close(file.fd);
    free(longer);
    free(bytes);
    meguri_graph_free(g);
    meguri_ctx_free(ctx);
}

/* ---- opening a large file --------------------------------------------------------------------------------------- */

static long resident_kilobytes(void) {
    long pages = 0, resident = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    assert_non_null(f);
    assert_int_equal(fscanf(f, "%ld %ld", &pages, &resident), 2);
    fclose(f);
    return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

static void opening_does_not_read(void **state) {
    (void)state;
    meguri_ctx *ctx = new_context(2);
    meguri_graph *g = make_large_graph(ctx, 2000000, 12), *back; /* 200 MB */
    must(ctx, meguri_save(ctx, g, to_file(path), NULL));
    meguri_graph_free(g);
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    assert_true(st.st_size > 170000000);
    double best = 1;
    long grown = 0;
    for (int i = 0; i < 5; i++) {
        long earlier = resident_kilobytes();
        double start = mg_now();
        must(ctx, meguri_open(&back, ctx, path, NULL));
        double took = mg_now() - start;
        best = MG_MIN(best, took);
        grown = MG_MAX(grown, resident_kilobytes() - earlier);
        meguri_graph_free(back);
    }
    assert_true(best < 0.02);
    assert_true(grown < 4096);
    long before = resident_kilobytes();
    must(ctx, meguri_open(&back, ctx, path, NULL));
    assert_int_equal(back->file_bytes, st.st_size);
    uint64_t id;
    must(ctx, meguri_graph_ids(&id, ctx, back, 1999999, 1));
    assert_int_equal(id, 5 * 1999999 + 3);
    assert_true(resident_kilobytes() - before < 20000); /* one chunk was read, not the file */
    meguri_graph_free(back);
    meguri_ctx_free(ctx);
}

/* ---- first use by many at once ---------------------------------------------------------------------------------- */

typedef struct user {
    const meguri_graph *graph;
    meguri_status status;
    uint64_t sum;
} user;

static void *use(void *argument) {
    user *u = argument;
    meguri_ctx *ctx = new_context(2);
    uint64_t ids[3], list[8], count = 0, vertex = 0;
    double weights[8];
    for (uint64_t v = 0; v < u->graph->vertices && u->status == MEGURI_OK; v += 9973) {
        u->status = meguri_graph_ids(ids, ctx, u->graph, v, 1);
        if (!u->status) u->status = meguri_graph_find(&vertex, ctx, u->graph, ids[0]);
        if (!u->status) u->status = meguri_graph_neighbors(list, weights, NULL, 8, &count, ctx, u->graph, vertex);
        for (uint64_t i = 0; i < count; i++) u->sum += list[i] * (uint64_t)weights[i] + ids[0];
    }
    if (!u->status) u->status = meguri_graph_verify(ctx, u->graph);
    meguri_ctx_free(ctx);
    return NULL;
}

static void five_threads_use_it_first(void **state) {
    (void)state;
    meguri_ctx *ctx = new_context(2);
    meguri_graph *g = make_large_graph(ctx, 200000, 4), *back;
    must(ctx, meguri_save(ctx, g, to_file(path), NULL));
    user alone = {.graph = g};
    use(&alone);
    for (int round = 0; round < 3; round++) {
        user users[5];
        pthread_t threads[5];
        must(ctx, meguri_open(&back, ctx, path, NULL));
        for (int i = 0; i < 5; i++) {
            users[i] = (user){.graph = back};
            assert_int_equal(pthread_create(&threads[i], NULL, use, &users[i]), 0);
        }
        for (int i = 0; i < 5; i++) {
            pthread_join(threads[i], NULL);
            assert_int_equal(users[i].status, MEGURI_OK);
            assert_int_equal(users[i].sum, alone.sum);
        }
        meguri_graph_free(back);
    }
    meguri_graph_free(g);
    meguri_ctx_free(ctx);
}

/* ---- arguments and cancelling ----------------------------------------------------------------------------------- */

static void arguments_are_checked(void **state) {
    (void)state;
    meguri_ctx *ctx = new_context(1);
    meguri_graph *g = make_full_graph(ctx), *out;
    assert_int_equal(meguri_open(NULL, ctx, path, NULL), MEGURI_BAD_ARGUMENT);
    assert_int_equal(meguri_open(&out, NULL, path, NULL), MEGURI_BAD_ARGUMENT);
    assert_null(out);
    assert_int_equal(meguri_open(&out, ctx, NULL, NULL), MEGURI_BAD_ARGUMENT);
    assert_int_equal(meguri_save(NULL, g, to_file(path), NULL), MEGURI_BAD_ARGUMENT);
    assert_int_equal(meguri_save(ctx, NULL, to_file(path), NULL), MEGURI_BAD_ARGUMENT);
    assert_int_equal(meguri_save(ctx, g, to_file(NULL), NULL), MEGURI_BAD_ARGUMENT);
    /* Graphs that no file may hold are not written. */
    g->edges = 1000;
    assert_int_equal(meguri_save(ctx, g, to_file(path), NULL), MEGURI_BAD_ARGUMENT);
    g->edges = 4;
    mg_graph_drop_part(g, MG_PART_TO_USER);
    assert_int_equal(meguri_save(ctx, g, to_file(path), NULL), MEGURI_BAD_ARGUMENT);
    assert_int_equal(access(path, F_OK), -1);
    meguri_graph_free(g);
    meguri_ctx_free(ctx);
}

static int stop(void *user_data, const char *phase, uint64_t done, uint64_t total) {
    (void)user_data;
    (void)phase;
    assert_true(total == 0 || done <= total);
    return 1;
}

static void saving_can_be_cancelled(void **state) {
    (void)state;
    meguri_ctx *plain = new_context(2), *ctx;
    meguri_graph *g = make_large_graph(plain, 3000000, 8), *back;
    meguri_graph *old = make_full_graph(plain);
    meguri_ctx_options options = {.size = sizeof options, .threads = 2, .progress = stop};
    assert_int_equal(meguri_ctx_new(&ctx, &options), MEGURI_OK);
    must(plain, meguri_save(plain, old, to_file(path), NULL));
    assert_int_equal(meguri_save(ctx, g, to_file(path), NULL), MEGURI_CANCELLED);
    must(plain, meguri_open(&back, plain, path, NULL));
    assert_null(graphs_differ(plain, old, back));
    meguri_graph_free(back);
    meguri_graph_free(old);
    meguri_graph_free(g);
    meguri_ctx_free(ctx);
    meguri_ctx_free(plain);
}

int main(void) {
#define T(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        T(every_kind_of_graph_comes_back),
        T(built_graphs_come_back),
        T(same_bytes_at_any_number_of_threads),
        T(same_bytes_through_a_pipe),
        T(ranges_are_checked_by_themselves),
        T(foreign_files_are_named),
        T(files_of_the_future),
        T(what_a_later_minor_version_adds_is_skipped),
        T(opening_does_not_read),
        T(five_threads_use_it_first),
        T(arguments_are_checked),
        T(saving_can_be_cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
