/* Binary edges whose first id has the bits of a magic number: read as what they are, by whatever name, written by
 * meguri or not; compressed ones are still read, and damaged compressed ones are never taken for edges. */
#define _GNU_SOURCE
#include "reading.h"

#include <inttypes.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

enum { MOST = 64 };

static const struct {
    meguri_format format;
    const char *name;
    size_t bytes; /* of an id */
} formats[] = {
    {MEGURI_FORMAT_BIN32, "a.bin32", 4}, {MEGURI_FORMAT_BIN48, "a.bin48", 6}, {MEGURI_FORMAT_BIN64, "a.bin64", 8}};
enum { FORMATS = sizeof formats / sizeof *formats };

static uint64_t state_of_random = 20260726;
static uint64_t draw(void) {
    state_of_random ^= state_of_random << 13;
    state_of_random ^= state_of_random >> 7;
    state_of_random ^= state_of_random << 17;
    return state_of_random;
}

/* Edges as a file has them. */
static size_t encode(char *to, int format, const uint64_t *ids, size_t edges) {
    char *at = to;
    for (size_t e = 0; e < edges; e++) {
        uint64_t from = ids[2 * e], target = ids[2 * e + 1];
        if (formats[format].bytes == 6) {
            uint32_t words[3] = {(uint32_t)from, (uint32_t)target, (uint32_t)(from >> 32 | target >> 32 << 16)};
            memcpy(at, words, 12);
        } else {
            memcpy(at, &from, formats[format].bytes);
            memcpy(at + formats[format].bytes, &target, formats[format].bytes);
        }
        at += 2 * formats[format].bytes;
    }
    return (size_t)(at - to);
}

/* 'r': read with these edges, 'd': refused as damaged or cut short, anything else fails the test. */
static char read_it(const char *name, int format, bytes data, uint64_t edges, int *warnings) {
    reading r;
    meguri_graph *graph;
    meguri_graph_info info = {.size = sizeof info};
    meguri_read_options options = {.size = sizeof options,
                                   .format = formats[format].format,
                                   .build = &(meguri_build_options){.size = sizeof(meguri_build_options),
                                                                    .duplicates = MEGURI_DUPLICATES_KEEP,
                                                                    .keep_loops = 1}};
    reading_start(&r, 1);
    meguri_status status = mg_read_memory(&graph, r.ctx, name, data.data, data.length, 0, &options);
    char result = 'r';
    if (status == MEGURI_OK) {
        assert_int_equal(meguri_graph_get_info(&info, r.ctx, graph), MEGURI_OK);
        assert_int_equal(info.edges, edges);
    } else {
        const char *error = meguri_ctx_error(r.ctx);
        if (!strstr(error, "is damaged") && !strstr(error, "ends too early")) fail_msg("%s: '%s'", name, error);
        result = 'd';
    }
    if (warnings) *warnings = r.warnings;
    meguri_graph_free(graph);
    reading_end(&r);
    return result;
}

/* Whatever stands behind the magic number: by the name of its format the file is read; by another name it is read
 * too, with a warning, or refused where its beginning could be that of a broken download. */
static void any_bytes_behind(void **state) {
    (void)state;
    static const struct {
        uint64_t bits;
        unsigned fixed; /* of the first id */
    } magics[] = {{0x8b1f, 16}, {0x088b1f, 24}, {0xfd2fb528, 32}, {0x587a37fd, 32}};
    uint64_t refused = 0, all = 0;
    for (int format = 0; format < FORMATS; format++)
        for (size_t m = 0; m < sizeof magics / sizeof *magics; m++)
            for (int n = 0; n < 600; n++) {
                char data[16 * MOST];
                uint64_t ids[2 * MOST], edges = 1 + draw() % (n % 8 ? 6 : MOST);
                uint64_t most = n % 3 ? 5000 : UINT64_MAX >> (64 - 8 * formats[format].bytes);
                for (uint64_t i = 0; i < 2 * edges; i++) ids[i] = most + 1 ? draw() % (most + 1) : draw();
                ids[0] = (n % 2 ? (uint64_t)(n / 2 % 256) : ids[0]) << magics[m].fixed | magics[m].bits;
                ids[0] &= UINT64_MAX >> (64 - 8 * formats[format].bytes);
                const bytes text = {data, encode(data, format, ids, edges)};
                int warnings;
                assert_int_equal(read_it(formats[format].name, format, text, edges, &warnings), 'r');
                assert_int_equal(warnings, 0);
                bool here = read_it("a", format, text, edges, &warnings) == 'r';
                if (here && mg_compression_of(text.data, text.length) != MG_PLAIN) assert_int_equal(warnings, 1);
                refused += !here;
                all++;
            }
    assert_true(refused * 4 < all); /* a trial that says "compressed" to everything would fail above, and here */
}

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

static bytes (*const compress_by[])(bytes) = {gzip, zstd, xz};
static const char *const suffixes[] = {".gz", ".zst", ".xz"};

static void compressed_edges(void **state) {
    (void)state;
    static const uint64_t sizes[] = {0, 1, 3, 1000, 60000};
    for (int format = 0; format < FORMATS; format++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            uint64_t edges = sizes[s], *ids = malloc((2 * edges + 1) * sizeof *ids);
            char *data = malloc(16 * edges + 16), name[32];
            for (uint64_t i = 0; i < 2 * edges; i++) ids[i] = draw() % 100000;
            size_t length = encode(data, format, ids, edges);
            for (int c = 0; c < 3; c++) {
                bytes packed = compress_by[c]((bytes){data, length});
                snprintf(name, sizeof name, "%s%s", formats[format].name, suffixes[c]);
                assert_int_equal(read_it(name, format, packed, edges, NULL), 'r');
                assert_int_equal(read_it("a", format, packed, edges, NULL), 'r');
                assert_int_equal(read_it(formats[format].name, format, packed, edges, NULL), 'r');
                free((char *)(uintptr_t)packed.data);
            }
            free(ids);
            free(data);
        }
}

/* A part of a download, and a byte that is wrong in the middle. */
static void damaged_edges(void **state) {
    (void)state;
    enum { EDGES = 60000 };
    static uint64_t ids[2 * EDGES];
    static char data[16 * EDGES];
    for (int format = 0; format < FORMATS; format++) {
        for (uint64_t i = 0; i < 2 * EDGES; i++) ids[i] = draw() % 100000;
        size_t length = encode(data, format, ids, EDGES);
        for (int c = 0; c < 3; c++) {
            char name[32];
            bytes packed = compress_by[c]((bytes){data, length});
            snprintf(name, sizeof name, "%s%s", formats[format].name, suffixes[c]);
            for (size_t part = 24; part < packed.length; part = part * 2 + draw() % 100) {
                const bytes cut = {packed.data, part - part % 48};
                if (cut.length < 48) continue;
                assert_int_equal(read_it(name, format, cut, 0, NULL), 'd');
                assert_int_equal(read_it("a", format, cut, 0, NULL), 'd');
            }
            ((char *)(uintptr_t)packed.data)[packed.length / 2] ^= 0x55;
            if (c == 1) packed.length -= 48; /* without a checksum zstd may not notice */
            assert_int_equal(read_it(name, format, packed, 0, NULL), 'd');
            assert_int_equal(read_it("a", format, packed, 0, NULL), 'd');
            if (c != 1) assert_int_equal(read_it(formats[format].name, format, packed, 0, NULL), 'd');
            free((char *)(uintptr_t)packed.data);
        }
    }
}

/* A suffix of a compression says so: what is not compressed is damaged then. */
static void names_decide(void **state) {
    (void)state;
    const bytes plain = BYTES("\x1f\x8b\0\0\1\0\0\0");
    assert_int_equal(read_it("a.bin32", 0, plain, 1, NULL), 'r');
    assert_int_equal(read_it("a.bin32.gz", 0, plain, 1, NULL), 'd');
    assert_int_equal(read_it("a.gz", 0, plain, 1, NULL), 'd');
    assert_int_equal(read_it("a.BIN32", 0, plain, 1, NULL), 'r');
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_bytes_behind),
        cmocka_unit_test(compressed_edges),
        cmocka_unit_test(damaged_edges),
        cmocka_unit_test(names_decide),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
