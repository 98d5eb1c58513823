/* Where the text comes from: files, pipes, standard input, compressed and damaged ones, several at once, LDBC's pairs
 * of files, coordinates; progress and cancelling. */
#define _GNU_SOURCE
#include "reading.h"

#include <fcntl.h>
#include <lzma.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

/* ---- a folder of files ------------------------------------------------------------------------------------------ */

static char folder[200], path_room[8][256];

static int make_folder(void **state) {
    (void)state;
    const char *place = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/meguri-inputs-XXXXXX", place && *place ? place : "/tmp");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
    (void)state;
    char command[256];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

static const char *path(int slot, const char *name) {
    snprintf(path_room[slot], sizeof path_room[slot], "%s/%s", folder, name);
    return path_room[slot];
}

static const char *write_file(int slot, const char *name, bytes content) {
    FILE *file = fopen(path(slot, name), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(content.data, 1, content.length, file), content.length);
    assert_int_equal(fclose(file), 0);
    return path_room[slot];
}

/* Reads files with 1, 2 and 5 threads and small and large chunks. */
static void expect_files(const char *const *paths, size_t count, const meguri_read_options *options, const char *want) {
    for (uint32_t threads = 1; threads <= 5; threads += threads == 1 ? 1 : 3) {
        for (size_t chunk = 0; chunk < 100; chunk = chunk * 5 + 3) {
            reading r;
            meguri_graph *graph;
            reading_start(&r, threads);
            meguri_status status = mg_read_files(&graph, r.ctx, paths, count, chunk, options);
            if (status != MEGURI_OK) fail_msg("refused: %s", meguri_ctx_error(r.ctx));
            char *text = graph_text(r.ctx, graph);
            assert_string_equal(text, want);
            free(text);
            meguri_graph_free(graph);
            reading_end(&r);
        }
    }
}

static void refuse_files(const char *const *paths, size_t count, const meguri_read_options *options,
                         meguri_status expected, const char *part) {
    for (uint32_t threads = 1; threads <= 4; threads += 3) {
        reading r;
        meguri_graph *graph;
        reading_start(&r, threads);
        meguri_status status = mg_read_files(&graph, r.ctx, paths, count, 16, options);
        const char *error = meguri_ctx_error(r.ctx);
        assert_null(graph);
        if (status != expected || !strstr(error, part))
            fail_msg("status %d, '%s' instead of '%s'", (int)status, error, part);
        reading_end(&r);
    }
}

/* ---- compression ----------------------------------------------------------------------------------------------------
 */

static bytes gzip(bytes text) {
    size_t room = text.length + 1000;
    uint8_t *out = malloc(room);
    z_stream z = {0};
    assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_in = (uint8_t *)(uintptr_t)text.data;
    z.avail_in = (uInt)text.length;
    z.next_out = out;
    z.avail_out = (uInt)room;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    deflateEnd(&z);
    return (bytes){(char *)out, room - z.avail_out};
}

static bytes zstd(bytes text) {
    size_t room = ZSTD_compressBound(text.length);
    char *out = malloc(room);
    size_t size = ZSTD_compress(out, room, text.data, text.length, 3);
    assert_false(ZSTD_isError(size));
    return (bytes){out, size};
}

static bytes xz(bytes text) {
    size_t room = text.length + 10000, size = 0;
    uint8_t *out = malloc(room);
    assert_int_equal(
        lzma_easy_buffer_encode(1, LZMA_CHECK_CRC64, NULL, (const uint8_t *)text.data, text.length, out, &size, room),
        LZMA_OK);
    return (bytes){(char *)out, size};
}

static bytes join(bytes a, bytes b) {
    char *out = malloc(a.length + b.length);
    memcpy(out, a.data, a.length);
    memcpy(out + a.length, b.data, b.length);
    return (bytes){out, a.length + b.length};
}

typedef bytes (*compressor)(bytes);
static const struct {
    compressor compress;
    const char *name, *suffix;
} compressors[] = {{gzip, "gzip", ".gz"}, {zstd, "zstd", ".zst"}, {xz, "xz", ".xz"}};

static void drop(bytes b) { free((char *)(uintptr_t)b.data); }

static void compressed_text(void **state) {
    (void)state;
    for (int i = 0; i < 3; i++) {
        bytes one = compressors[i].compress(BYTES("1 2\n3")), two = compressors[i].compress(BYTES(" 4\n5 6")),
              both = join(one, two);
        bytes none = compressors[i].compress(BYTES(""));
        expect("a.el", both, NULL, "directed none unsigned 3 of 3\n1: 2\n2:\n3: 4\n4:\n5: 6\n6:\n");
        expect("a.el", none, NULL, "directed none unsigned 0 of 0\n");
        /* The suffix in front of the compression's counts. */
        bytes graph = compressors[i].compress(BYTES("2 1\n2\n1\n"));
        char name[32];
        snprintf(name, sizeof name, "a.graph%s", compressors[i].suffix);
        expect(name, graph, NULL, "undirected none unsigned 1 of 1\n1: 2\n2: 1\n");
        bytes words = compressors[i].compress(BYTES("1 2\n3 4\n5 x 7\n"));
        refuse("a.el", words, NULL, "a.el:3: 3 columns found");
        drop(one), drop(two), drop(both), drop(none), drop(graph), drop(words);
    }
    bytes member = gzip(BYTES("1 2\n"));
    bytes padded = join(member, BYTES("\0\0\0\0\0\0\0\0"));
    expect("a.el", padded, NULL, "directed none unsigned 1 of 1\n1: 2\n2:\n");
    bytes strange = join(member, BYTES("hello"));
    refuse("a.el", strange, NULL, "its gzip data is damaged (something else follows it)");
    drop(member), drop(padded), drop(strange);
}

/* Every truncation and every flipped byte of a small compressed file: refused, or the true graph. */
static void damaged(void **state) {
    (void)state;
    bytes text = BYTES("1 2\n3 4\n5 6\n7 8\n");
    const char *want = "directed none unsigned 4 of 4\n1: 2\n2:\n3: 4\n4:\n5: 6\n6:\n7: 8\n8:\n";
    for (int i = 0; i < 3; i++) {
        bytes compressed = compressors[i].compress(text);
        for (size_t cut = 7; cut < compressed.length; cut++) {
            reading r;
            meguri_graph *graph;
            reading_start(&r, 2);
            assert_int_equal(mg_read_memory(&graph, r.ctx, "a", compressed.data, cut, 0, NULL), MEGURI_BAD_INPUT);
            assert_non_null(strstr(meguri_ctx_error(r.ctx), compressors[i].name));
            assert_null(graph);
            reading_end(&r);
        }
        char *copy = malloc(compressed.length);
        for (size_t at = 0; at < compressed.length; at++) {
            reading r;
            meguri_graph *graph;
            reading_start(&r, 1);
            memcpy(copy, compressed.data, compressed.length);
            copy[at] ^= 0x11;
            meguri_status status = mg_read_memory(&graph, r.ctx, "a", copy, compressed.length, 0, NULL);
            if (status == MEGURI_OK) {
                char *found = graph_text(r.ctx, graph);
                /* zstd's fast mode has no checksum, and gzip's header fields do not matter. */
                if (i != 1) assert_string_equal(found, want);
                free(found);
            } else {
                assert_true(status == MEGURI_BAD_INPUT || status == MEGURI_NO_MEMORY);
                assert_true(strlen(meguri_ctx_error(r.ctx)) > 10);
            }
            meguri_graph_free(graph);
            reading_end(&r);
        }
        free(copy);
        drop(compressed);
    }
}

/* ---- files and pipes -------------------------------------------------------------------------------------------- */

static const char pairs[] = "1 2\n3 4\n5 6\n";
static const char pairs_graph[] = "directed none unsigned 3 of 3\n1: 2\n2:\n3: 4\n4:\n5: 6\n6:\n";

static void plain_files(void **state) {
    (void)state;
    const char *file = write_file(0, "a.el", BYTES("1 2\n3 4\n5 6\n"));
    expect_files(&file, 1, NULL, pairs_graph);
    const char *compressed[3];
    for (int i = 0; i < 3; i++) {
        bytes b = compressors[i].compress((bytes){pairs, sizeof pairs - 1});
        compressed[i] = write_file(i + 1, compressors[i].suffix, b);
        drop(b);
        expect_files(&compressed[i], 1, NULL, pairs_graph);
    }
    const char *empty = write_file(0, "empty", BYTES(""));
    expect_files(&empty, 1, NULL, "directed none unsigned 0 of 0\n");
}

static void missing_files(void **state) {
    (void)state;
    const char *file = path(0, "nowhere");
    refuse_files(&file, 1, NULL, MEGURI_NOT_FOUND, "cannot open ");
    file = folder;
    refuse_files(&file, 1, NULL, MEGURI_BAD_INPUT, "is a folder; name the files in it.");
    file = write_file(0, "locked", BYTES("1 2\n"));
    assert_int_equal(chmod(file, 0), 0);
    if (geteuid() != 0) refuse_files(&file, 1, NULL, MEGURI_BAD_INPUT, "cannot open ");
    const char *inside = path(1, "locked/x");
    refuse_files(&inside, 1, NULL, MEGURI_NOT_FOUND, "cannot open ");
}

typedef struct feeder {
    int fd;
    bytes text;
} feeder;

/* In small pieces, so that lines are cut everywhere. */
static void *feed(void *argument) {
    feeder *f = argument;
    for (size_t at = 0; at < f->text.length; at += 3) {
        size_t count = f->text.length - at < 3 ? f->text.length - at : 3;
        if (write(f->fd, f->text.data + at, count) != (ssize_t)count) break;
    }
    close(f->fd);
    return NULL;
}

static void expect_from_stdin(bytes text, const char *want) {
    reading r;
    meguri_graph *graph;
    int ends[2], old = dup(STDIN_FILENO);
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
    close(ends[0]);
    pthread_t thread;
    feeder f = {ends[1], text};
    assert_int_equal(pthread_create(&thread, NULL, feed, &f), 0);
    reading_start(&r, 3);
    const char *dash = "-";
    meguri_status status = mg_read_files(&graph, r.ctx, &dash, 1, 16, NULL);
    pthread_join(thread, NULL);
    dup2(old, STDIN_FILENO);
    close(old);
    if (status != MEGURI_OK) fail_msg("refused: %s", meguri_ctx_error(r.ctx));
    char *found = graph_text(r.ctx, graph);
    assert_string_equal(found, want);
    free(found);
    meguri_graph_free(graph);
    reading_end(&r);
}

static void standard_input(void **state) {
    (void)state;
    expect_from_stdin((bytes){pairs, sizeof pairs - 1}, pairs_graph);
    expect_from_stdin(BYTES(""), "directed none unsigned 0 of 0\n");
    for (int i = 0; i < 3; i++) {
        bytes b = compressors[i].compress((bytes){pairs, sizeof pairs - 1});
        expect_from_stdin(b, pairs_graph);
        drop(b);
    }
    /* A file that is standard input, and already read in part. */
    reading r;
    meguri_graph *graph;
    int old = dup(STDIN_FILENO), fd = open(write_file(0, "in", BYTES("no graph\n1 2\n3 4\n5 6\n")), O_RDONLY);
    assert_int_equal(lseek(fd, 9, SEEK_SET), 9);
    dup2(fd, STDIN_FILENO);
    close(fd);
    reading_start(&r, 2);
    const char *dash = "-";
    assert_int_equal(mg_read_files(&graph, r.ctx, &dash, 1, 5, NULL), MEGURI_OK);
    dup2(old, STDIN_FILENO);
    close(old);
    char *found = graph_text(r.ctx, graph);
    assert_string_equal(found, pairs_graph);
    free(found);
    meguri_graph_free(graph);
    reading_end(&r);
    const char *twice[] = {"-", "-"};
    refuse_files(twice, 2, NULL, MEGURI_BAD_ARGUMENT, "standard input can be read only once");
}

/* ---- several inputs --------------------------------------------------------------------------------------------- */

static void several(void **state) {
    (void)state;
    meguri_read_options directed = {
        .size = sizeof directed,
        .build = &(meguri_build_options){.size = sizeof(meguri_build_options), .direction = MEGURI_DIRECTED}};
    meguri_read_options no_weights = {
        .size = sizeof no_weights,
        .build = &(meguri_build_options){.size = sizeof(meguri_build_options), .ignore_weights = 1}};
    meguri_read_options strings = {.size = sizeof strings, .ids = MEGURI_IDS_STRING};
    const char *el = write_file(0, "a.el", BYTES("1 2\n9 3\n"));
    const char *wel = write_file(1, "b.wel", BYTES("1 7 5\n"));
    const char *gr = write_file(2, "c.gr", BYTES("p sp 4 1\na 1 4 6\n"));
    const char *names = write_file(3, "d.txt", BYTES("x y\n1 x\n"));
    const char *tw = write_file(4, "e.gr", BYTES("p tw 2 1\n1 2\n"));
    const char *nothing = write_file(5, "f.el", BYTES("# none\n"));

    const char *weighted[] = {wel, gr};
    expect_files(weighted, 2, NULL, "directed u8 unsigned 2 of 2\n1: 4(6) 7(5)\n2:\n3:\n4:\n7:\n");
    const char *mixed[] = {el, nothing, wel};
    refuse_files(mixed, 3, NULL, MEGURI_BAD_INPUT, "b.wel has weights, but the input before it has none");
    expect_files(mixed, 3, &no_weights, "directed none unsigned 3 of 3\n1: 2 7\n2:\n3:\n7:\n9: 3\n");
    const char *other[] = {wel, el};
    refuse_files(other, 2, NULL, MEGURI_BAD_INPUT, "a.el has no weights, but the input before it has some");
    const char *kinds[] = {el, names};
    refuse_files(kinds, 2, NULL, MEGURI_BAD_INPUT,
                 "d.txt:1: the id 'x' is not an integer of 64 bits, but those read before are");
    expect_files(kinds, 2, &strings, "directed none string 4 of 4\n1: 2 x\n2:\n9: 3\n3:\nx: y\ny:\n");
    const char *numbered[] = {names, tw};
    refuse_files(numbered, 2, NULL, MEGURI_BAD_INPUT, "e.gr numbers its vertices");
    const char *reversed[] = {names, el};
    expect_files(reversed, 2, NULL, "directed none string 4 of 4\nx: y\ny:\n1: x 2\n2:\n9: 3\n3:\n");
    const char *directions[] = {tw, el};
    refuse_files(directions, 2, NULL, MEGURI_BAD_INPUT,
                 "a.el is directed by its format, but the input before it is not");
    expect_files(directions, 2, &directed, "directed none unsigned 2 of 3\n1: 2\n2:\n3:\n9: 3\n");
    const char *same[] = {el, el, el};
    expect_files(same, 3, NULL, "directed none unsigned 2 of 6\n1: 2\n2:\n3:\n9: 3\n");
}

static void arguments(void **state) {
    (void)state;
    reading r;
    meguri_graph *graph = (meguri_graph *)&r;
    const char *file = "a", *nothing = NULL;
    reading_start(&r, 1);
    assert_int_equal(meguri_read(NULL, r.ctx, &file, 1, NULL), MEGURI_BAD_ARGUMENT);
    assert_int_equal(meguri_read(&graph, NULL, &file, 1, NULL), MEGURI_BAD_ARGUMENT);
    assert_null(graph);
    assert_int_equal(meguri_read(&graph, r.ctx, NULL, 1, NULL), MEGURI_BAD_ARGUMENT);
    assert_int_equal(meguri_read(&graph, r.ctx, &file, 0, NULL), MEGURI_BAD_ARGUMENT);
    assert_int_equal(meguri_read(&graph, r.ctx, &nothing, 1, NULL), MEGURI_BAD_ARGUMENT);
    meguri_read_options o = {.size = 0};
    assert_int_equal(meguri_read(&graph, r.ctx, &file, 1, &o), MEGURI_BAD_ARGUMENT);
    o = (meguri_read_options){.size = sizeof o, .format = (meguri_format)77};
    assert_int_equal(meguri_read(&graph, r.ctx, &file, 1, &o), MEGURI_BAD_ARGUMENT);
    o = (meguri_read_options){.size = sizeof o, .ids = (meguri_ids)7};
    assert_int_equal(meguri_read(&graph, r.ctx, &file, 1, &o), MEGURI_BAD_ARGUMENT);
    o = (meguri_read_options){
        .size = sizeof o,
        .build = &(meguri_build_options){.size = sizeof(meguri_build_options), .direction = (meguri_direction)7}};
    assert_int_equal(meguri_read(&graph, r.ctx, &file, 1, &o), MEGURI_BAD_ARGUMENT);
    reading_end(&r);
}

/* ---- LDBC and coordinates --------------------------------------------------------------------------------------- */

static void ldbc(void **state) {
    (void)state;
    meguri_read_options forced = {.size = sizeof forced, .format = MEGURI_FORMAT_LDBC};
    const char *e = write_file(0, "g.e", BYTES("2 3 0.5\n3 9 1.5\n"));
    expect_files(&e, 1, NULL, "directed f32 unsigned 2 of 2\n2: 3(0.5)\n3: 9(1.5)\n9:\n"); /* no .v: an edge list */
    refuse_files(&e, 1, &forced, MEGURI_NOT_FOUND, "g.e is not an .e file with a .v file beside it");
    const char *v = write_file(1, "g.v", BYTES("1\n2\n3\n9\n-4\n"));
    const char *want = "directed f32 signed 2 of 2\n-4:\n1:\n2: 3(0.5)\n3: 9(1.5)\n9:\n";
    expect_files(&e, 1, NULL, want);
    expect_files(&e, 1, &forced, want);
    bytes compressed = gzip(BYTES("7\n2\n3\n9"));
    write_file(2, "h.v.gz", compressed);
    drop(compressed);
    compressed = zstd(BYTES("2 3\n3 9\n"));
    const char *h = write_file(3, "h.e.zst", compressed);
    drop(compressed);
    expect_files(&h, 1, NULL, "directed none unsigned 2 of 2\n2: 3\n3: 9\n7:\n9:\n");
    write_file(4, "s.v", BYTES("lonely\"one\n b \na\r\n"));
    const char *s = write_file(5, "s.e", BYTES("a b\n"));
    expect_files(&s, 1, NULL, "directed none string 1 of 1\nlonely\"one:\nb:\na: b\n");
    write_file(1, "g.v", BYTES("1\n2\n3 4\n"));
    meguri_read_options integers = {.size = sizeof integers, .ids = MEGURI_IDS_INTEGER};
    expect_files(&e, 1, &integers, "directed f32 unsigned 2 of 2\n1:\n2: 3(0.5)\n3: 9(1.5)\n9:\n");
    (void)v;
}

static void coordinates(void **state) {
    (void)state;
    const char *gr = write_file(0, "g.gr", BYTES("p sp 3 1\na 1 2 6\n"));
    meguri_read_options o = {.size = sizeof o};
    o.coordinates = write_file(1, "g.co", BYTES("c lon lat\np aux sp co 3\nv 1 10 -20\nv 3 1.5 2e1\nv 2 0 0\n"));
    expect_files(&gr, 1, &o, "directed u8 unsigned 1 of 1\n1: 2(6) @10,-20\n2: @0,0\n3: @1.5,20\n");
    bytes compressed = xz(BYTES("v 1 10 -20\nv 7 1 2\n"));
    o.coordinates = write_file(1, "g.co.xz", compressed);
    drop(compressed);
    expect_files(&gr, 1, &o, "directed u8 unsigned 1 of 1\n1: 2(6) @10,-20\n2: @nan,nan\n3: @nan,nan\n7: @1,2\n");
    o.coordinates = write_file(1, "bad.co", BYTES("p aux sp co 2\nv 1 10 -20\n"));
    refuse_files(&gr, 1, &o, MEGURI_BAD_INPUT, "bad.co holds 1 vertices, but its problem line says 2");
    o.coordinates = write_file(1, "bad.co", BYTES("v 1 10 -20\nv 2 1\n"));
    refuse_files(&gr, 1, &o, MEGURI_BAD_INPUT, "bad.co:2: the coordinate '' is not a number");
    o.coordinates = write_file(1, "bad.co", BYTES("v 1 10 -20\nw 2 1 1\n"));
    refuse_files(&gr, 1, &o, MEGURI_BAD_INPUT, "bad.co:2: a line of coordinates must be 'v ID X Y'");
    o.coordinates = write_file(1, "bad.co", BYTES("v 1 10 -20\nv 2 1 1 1\n"));
    refuse_files(&gr, 1, &o, MEGURI_BAD_INPUT, "bad.co:2: more than two coordinates follow the id");
    o.coordinates = write_file(1, "bad.co", BYTES("v 1 10 x\n"));
    refuse_files(&gr, 1, &o, MEGURI_BAD_INPUT, "bad.co:1: the coordinate 'x' is not a number");
    o.coordinates = write_file(1, "bad.co", BYTES("v 1 10 1\nv 2 3 4\nv 1 10 1\n"));
    refuse_files(&gr, 1, &o, MEGURI_BAD_INPUT, "bad.co gives vertex 1 coordinates twice");
    o.coordinates = write_file(1, "bad.co", BYTES("p aux sp co x\nv 1 10 1\n"));
    refuse_files(&gr, 1, &o, MEGURI_BAD_INPUT, "bad.co:1: the problem line must be 'p aux sp co VERTICES'");
    o.coordinates = path(1, "none.co");
    refuse_files(&gr, 1, &o, MEGURI_NOT_FOUND, "none.co");
    const char *names = write_file(2, "n.txt", BYTES("x y\n"));
    o.coordinates = write_file(1, "g.co", BYTES("v 1 10 -20\n"));
    refuse_files(&names, 1, &o, MEGURI_BAD_INPUT, "but the ids of the graph are strings");
}

/* ---- long lines, long comments, progress ------------------------------------------------------------------------ */

/* A hub whose line is longer than many chunks, and comments longer than the first look. */
static void long_lines(void **state) {
    (void)state;
    enum { LEAVES = 60000 };
    size_t room = 2000000, used = 0;
    char *text = malloc(room);
    memset(text, '%', 100000);
    used = 100000;
    used += (size_t)snprintf(text + used, room - used, "\n%d %d\n", LEAVES + 1, LEAVES);
    for (int i = 2; i <= LEAVES + 1; i++) used += (size_t)snprintf(text + used, room - used, "%d ", i);
    text[used++] = '\n';
    for (int i = 2; i <= LEAVES + 1; i++) used += (size_t)snprintf(text + used, room - used, "1\n");
    const char *file = write_file(0, "star.graph", (bytes){text, used});
    for (uint32_t threads = 1; threads <= 3; threads++) {
        reading r;
        meguri_graph *graph;
        meguri_graph_info info = {.size = sizeof info};
        reading_start(&r, threads);
        assert_int_equal(mg_read_files(&graph, r.ctx, &file, 1, 1000, NULL), MEGURI_OK);
        assert_int_equal(meguri_graph_get_info(&info, r.ctx, graph), MEGURI_OK);
        assert_int_equal(info.vertices, LEAVES + 1);
        assert_int_equal(info.edges, LEAVES);
        assert_int_equal(info.input_edges, LEAVES);
        meguri_graph_free(graph);
        reading_end(&r);
    }
    free(text);
}

typedef struct watch {
    uint64_t calls, last, total, stop_at;
} watch;

static int watching(void *user, const char *phase, uint64_t done, uint64_t total) {
    watch *w = user;
    if (strcmp(phase, "reading") != 0) return 0;
    assert_true(done >= w->last);
    w->last = done;
    w->total = total;
    return ++w->calls >= w->stop_at;
}

static void cancelled(void **state) {
    (void)state;
    size_t room = 8 << 20, used = 0;
    char *text = malloc(room);
    while (used + 32 < room) used += (size_t)snprintf(text + used, room - used, "%zu %zu\n", used, used + 1);
    const char *file = write_file(0, "long.el", (bytes){text, used});
    free(text);
    for (uint32_t threads = 1; threads <= 3; threads++) {
        watch w = {.stop_at = 1};
        meguri_ctx *ctx;
        meguri_graph *graph;
        meguri_ctx_options options = {
            .size = sizeof options, .threads = threads, .progress = watching, .progress_user = &w};
        assert_int_equal(meguri_ctx_new(&ctx, &options), MEGURI_OK);
        assert_int_equal(mg_read_files(&graph, ctx, &file, 1, 200, NULL), MEGURI_CANCELLED);
        assert_null(graph);
        assert_int_equal(w.calls, 1);
        assert_int_equal(w.total, used);
        assert_int_equal(meguri_ctx_memory_used(ctx), 0);
        meguri_ctx_free(ctx);
    }
}

/* Far less memory than the edges take: they spill, and the graph is the same. */
static void small_budget(void **state) {
    (void)state;
    enum { LINES = 400000 };
    size_t room = (size_t)LINES * 20, used = 0;
    char *text = malloc(room);
    for (int i = 0; i < LINES; i++)
        used += (size_t)snprintf(text + used, room - used, "%d %d\n", i % 1000, (i * 31) % 997);
    const char *file = write_file(0, "many.el", (bytes){text, used});
    free(text);
    meguri_graph_info want = {.size = sizeof want}, info = want;
    for (int small = 0; small < 2; small++) {
        meguri_ctx *ctx;
        meguri_graph *graph;
        meguri_ctx_options options = {
            .size = sizeof options, .threads = 2, .memory = small ? 6 << 20 : 0, .temp_dir = folder};
        assert_int_equal(meguri_ctx_new(&ctx, &options), MEGURI_OK);
        meguri_status status = meguri_read(&graph, ctx, &file, 1, NULL);
        if (status != MEGURI_OK) fail_msg("refused: %s", meguri_ctx_error(ctx));
        assert_int_equal(meguri_graph_get_info(small ? &info : &want, ctx, graph), MEGURI_OK);
        meguri_graph_free(graph);
        meguri_ctx_free(ctx);
    }
    assert_int_equal(info.vertices, want.vertices);
    assert_int_equal(info.arcs, want.arcs);
    assert_int_equal(info.input_edges, LINES);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compressed_text), cmocka_unit_test(damaged),   cmocka_unit_test(plain_files),
        cmocka_unit_test(missing_files),   cmocka_unit_test(several),   cmocka_unit_test(standard_input),
        cmocka_unit_test(arguments),       cmocka_unit_test(ldbc),      cmocka_unit_test(coordinates),
        cmocka_unit_test(long_lines),      cmocka_unit_test(cancelled), cmocka_unit_test(small_budget),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
