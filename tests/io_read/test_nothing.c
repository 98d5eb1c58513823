/* Megabytes of nothing: empty lines, blanks, comments, endless lines, in every format, before, after and without an
 * edge, compressed or not. Reading takes time in proportion to the bytes (compared, in processor time, with a plain
 * edge list of the same size), and asks often enough whether the user has had enough. */
#define _GNU_SOURCE
#include "reading.h"

#include <time.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SLOW 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SLOW 1
#endif
#endif
#ifndef SLOW
#define SLOW 0
#endif

/* More than the longest line, and than the look ahead. */
enum { BYTES_EACH = 5 << 18, BYTES_MANY = SLOW ? 5 << 20 : 50 << 20 };

/* A hundred times what linear readers need, and far below what a quadratic one does. */
static const double least_bound = 0.5, most_gap = SLOW ? 2 : 0.4; /* seconds of processor time */

static double processor_time(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- kinds of nothing ------------------------------------------------------------------------------------------- */

static const char *const kinds[] = {
    "\n", " \t \n", "\r\n", "# nothing\n", "% nothing\n", "c nothing\n", "//\n", "7",    "x", " ",
    "\t", ",",      ";",    "\"",          "7 ",          "x\t",         "1,",   "\"\n", "|", "-"};
enum { KINDS = sizeof kinds / sizeof *kinds };

static const struct {
    meguri_format format;
    const char *name, *head, *edge;
} formats[] = {
    {MEGURI_FORMAT_AUTO, "a.txt", "", "1 2\n"},
    {MEGURI_FORMAT_AUTO, "b.txt", "", "x\ty\n"},
    {MEGURI_FORMAT_EDGELIST, "a.el", "", "1\t2\t0.5\n"},
    {MEGURI_FORMAT_EDGELIST, "b.el", "", "x,y\n"},
    {MEGURI_FORMAT_CSV, "a.csv", "source,target\n", "1,2\n"},
    {MEGURI_FORMAT_CSV, "b.csv", "source\ttarget\n", "x\ty\n"},
    {MEGURI_FORMAT_NEO4J, "n.csv", "uid:ID,x:double,y:double\n", "1,2,3\n"},
    {MEGURI_FORMAT_NEO4J, "r.csv", ":START_ID,:END_ID,:TYPE\n", "1,2,R\n"},
    {MEGURI_FORMAT_MATRIX_MARKET, "a.mtx", "%%MatrixMarket matrix coordinate pattern general\n", "2 2 1\n1 2\n"},
    {MEGURI_FORMAT_DIMACS, "a.gr", "", "p sp 2 1\na 1 2 3\n"},
    {MEGURI_FORMAT_PACE, "b.gr", "", "p tw 2 1\n1 2\n"},
    {MEGURI_FORMAT_METIS, "a.graph", "", "2 1\n2\n1\n"},
    {MEGURI_FORMAT_ADJACENCY, "a.adj", "", "1 2\n"},
    {MEGURI_FORMAT_ADJACENCY, "b.adj", "", "x\ty\n"},
    {MEGURI_FORMAT_BIN64, "a.bin64", "", "12345678ABCDEFGH"},
};
enum { FORMATS = sizeof formats / sizeof *formats };

static bytes repeat(const char *kind, size_t want) {
    size_t length = strlen(kind), count = want / length;
    char *out = malloc(count * length);
    assert_non_null(out);
    memcpy(out, kind, length);
    for (size_t made = length, all = count * length; made < all; made *= 2)
        memcpy(out + made, out, made < all - made ? made : all - made);
    return (bytes){out, count * length};
}

typedef enum place { WITHOUT, BEFORE, AFTER, PLACES } place;

static bytes surround(const char *head, const char *edge, bytes nothing, place where) {
    const char *before = where == AFTER ? edge : "", *after = where == BEFORE ? edge : "";
    char *out = malloc(strlen(head) + strlen(edge) + nothing.length + 1), *at = out;
    assert_non_null(out);
    at = stpcpy(stpcpy(at, head), before);
    memcpy(at, nothing.data, nothing.length);
    at += nothing.length;
    memcpy(at, after, strlen(after));
    return (bytes){out, (size_t)(at - out) + strlen(after)};
}

static bytes compressed_as(bytes text, bool gzip) {
    size_t room = gzip ? compressBound(text.length) + 64 : ZSTD_compressBound(text.length), size;
    char *out = malloc(room);
    assert_non_null(out);
    if (!gzip) {
        size = ZSTD_compress(out, room, text.data, text.length, 1);
        assert_false(ZSTD_isError(size));
        return (bytes){out, size};
    }
    z_stream z = {0};
    assert_int_equal(deflateInit2(&z, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_in = (uint8_t *)(uintptr_t)text.data;
    z.avail_in = (uInt)text.length;
    z.next_out = (uint8_t *)out;
    z.avail_out = (uInt)room;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    size = z.total_out;
    deflateEnd(&z);
    return (bytes){out, size};
}

static void drop(bytes b) { free((char *)(uintptr_t)b.data); }

/* ---- reading ---------------------------------------------------------------------------------------------------- */

/* When the reader asked whether to go on. */
typedef struct asked {
    double last, gap;
    uint64_t calls, stop_at; /* the number of the call that says no; 0: none */
} asked;

static int on_progress(void *user, const char *phase, uint64_t done, uint64_t total) {
    asked *a = user;
    double now = processor_time();
    (void)done;
    (void)total;
    if (strcmp(phase, "reading") != 0) return 0;
    if (a->calls && now - a->last > a->gap) a->gap = now - a->last;
    a->last = now;
    a->calls++;
    return a->stop_at && a->calls >= a->stop_at;
}

static const char *const way_names[] = {"plain", "gzip", "zstd"};

typedef struct outcome {
    meguri_status status;
    double seconds, gap;
} outcome;

static outcome read_it(const char *name, meguri_format format, bytes text, uint64_t stop_at) {
    meguri_ctx *ctx;
    meguri_graph *graph;
    asked a = {.stop_at = stop_at};
    meguri_ctx_options context = {.size = sizeof context,
                                  .threads = 1,
                                  .memory = (uint64_t)2 << 30,
                                  .progress = on_progress,
                                  .progress_user = &a};
    meguri_read_options options = {.size = sizeof options, .format = format};
    assert_int_equal(meguri_ctx_new(&ctx, &context), MEGURI_OK);
    double since = processor_time();
    meguri_status status = mg_read_memory(&graph, ctx, name, text.data, text.length, 0, &options);
    double now = processor_time();
    if (status == MEGURI_CANCELLED && now - a.last > a.gap) a.gap = now - a.last;
    if (status != MEGURI_OK && status != MEGURI_BAD_INPUT && status != MEGURI_CANCELLED)
        fail_msg("%s: %s", name, meguri_ctx_error(ctx));
    if (status != MEGURI_OK) assert_true(strlen(meguri_ctx_error(ctx)) > 10);
    meguri_graph_free(graph);
    assert_int_equal(meguri_ctx_memory_used(ctx), 0);
    meguri_ctx_free(ctx);
    return (outcome){status, now - since, a.gap};
}

/* What a plain edge list of that size takes. */
static double plain_seconds(size_t size) {
    bytes text = repeat("123456 7890\n", size);
    double seconds = read_it("plain.el", MEGURI_FORMAT_EDGELIST, text, 0).seconds;
    drop(text);
    return seconds;
}

static double longest_gap;

static void check_time(outcome found, double bound, const char *name, const char *kind, int way, int where) {
    if (found.gap > longest_gap) longest_gap = found.gap;
    if (found.seconds > bound)
        fail_msg("%s, kind '%s', %s, place %d: %.2f s, more than %.2f", name, kind, way_names[way], where,
                 found.seconds, bound);
    if (found.gap > most_gap)
        fail_msg("%s, kind '%s', %s, place %d: %.2f s without asking whether to go on", name, kind, way_names[way],
                 where, found.gap);
}

/* Everything with everything; which compression is tried goes round. */
static void every_format(void **state) {
    (void)state;
    double bound = 20 * plain_seconds(BYTES_EACH) + least_bound;
    for (int k = 0; k < KINDS; k++) {
        bytes nothing = repeat(kinds[k], BYTES_EACH);
        for (int f = 0; f < FORMATS; f++) {
            for (int where = 0; where < PLACES; where++) {
                if (SLOW && (k + f + where) % 3) continue;
                bytes text = surround(formats[f].head, formats[f].edge, nothing, (place)where);
                check_time(read_it(formats[f].name, formats[f].format, text, 0), bound, formats[f].name, kinds[k], 0,
                           where);
                if ((k + f + where) % 3 == 0) {
                    bytes compressed = compressed_as(text, (f + where) % 2 == 0);
                    check_time(read_it(formats[f].name, formats[f].format, compressed, 0), bound, formats[f].name,
                               kinds[k], (f + where) % 2 == 0 ? 1 : 2, where);
                    drop(compressed);
                }
                drop(text);
            }
        }
        drop(nothing);
    }
}

/* More of it, where the format is looked for, too. */
static void much(void **state) {
    (void)state;
    double bound = 20 * plain_seconds(BYTES_MANY) + least_bound;
    for (int k = 0; k < KINDS; k++) {
        bytes nothing = repeat(kinds[k], BYTES_MANY);
        bytes text = surround("", "1 2\n", nothing, k % 2 ? AFTER : BEFORE);
        check_time(read_it("a.txt", MEGURI_FORMAT_AUTO, text, 0), bound, "auto", kinds[k], 0, k % 2);
        drop(nothing);
        bytes compressed = compressed_as(text, false);
        drop(text);
        check_time(read_it("a.txt", k % 3 ? MEGURI_FORMAT_AUTO : MEGURI_FORMAT_ADJACENCY, compressed, 0), bound,
                   "compressed", kinds[k], 2, k % 2);
        drop(compressed);
    }
}

/* A no stops it soon, whenever it comes. */
static void cancelled(void **state) {
    (void)state;
    for (int k = 0; k < KINDS; k++) {
        bytes nothing = repeat(kinds[k], 8 * BYTES_EACH);
        for (int f = k % 5; f < FORMATS; f += 5) {
            bytes text = surround(formats[f].head, formats[f].edge, nothing, (place)(k % PLACES));
            outcome found = read_it(formats[f].name, formats[f].format, text, 1 + (uint64_t)(k + f) % 2);
            if (found.gap > most_gap) fail_msg("%s, kind '%s': %.2f s to stop", formats[f].name, kinds[k], found.gap);
            drop(text);
        }
        drop(nothing);
    }
}

/* ---- files beside the graph ------------------------------------------------------------------------------------- */

static char folder[200], path_room[3][256];

static int make_folder(void **state) {
    (void)state;
    const char *above = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/meguri-nothing-XXXXXX", above && *above ? above : "/tmp");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
    (void)state;
    for (int i = 0; i < 3; i++) unlink(path_room[i]);
    return rmdir(folder);
}

static const char *write_file(int slot, const char *name, bytes text) {
    snprintf(path_room[slot], sizeof path_room[slot], "%s/%s", folder, name);
    FILE *file = fopen(path_room[slot], "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text.data, 1, text.length, file), text.length);
    assert_int_equal(fclose(file), 0);
    return path_room[slot];
}

/* Vertices of LDBC, and coordinates. */
static void second_files(void **state) {
    (void)state;
    double bound = 20 * plain_seconds(BYTES_EACH) + least_bound;
    const char *edges = write_file(0, "g.e", BYTES("1 2\n"));
    for (int k = 0; k < KINDS; k++) {
        bytes nothing = repeat(kinds[k], BYTES_EACH);
        for (int coordinates = 0; coordinates < 2; coordinates++) {
            bytes text = surround("", coordinates ? "v 1 2 3\n" : "1\n", nothing, k % 2 ? AFTER : BEFORE);
            write_file(1, "g.v", coordinates ? BYTES("1\n2\n") : text);
            meguri_read_options options = {.size = sizeof options};
            if (coordinates) options.coordinates = write_file(2, "g.co", text);
            reading r;
            meguri_graph *graph;
            reading_start(&r, 1);
            double since = processor_time();
            meguri_status status = meguri_read(&graph, r.ctx, &edges, 1, &options);
            check_time((outcome){status, processor_time() - since, 0}, bound, coordinates ? "g.co" : "g.v", kinds[k], 0,
                       k % 2);
            assert_true(status == MEGURI_OK || status == MEGURI_BAD_INPUT);
            meguri_graph_free(graph);
            reading_end(&r);
            drop(text);
        }
        drop(nothing);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_format),
        cmocka_unit_test(much),
        cmocka_unit_test(cancelled),
        cmocka_unit_test(second_files),
    };
    int failed = cmocka_run_group_tests(tests, make_folder, remove_folder);
    printf("longest time without asking whether to go on: %.0f ms\n", 1000 * longest_gap);
    return failed;
}
