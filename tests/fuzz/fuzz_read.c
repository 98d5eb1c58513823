/* Fuzzing a reader (FUZZ_FORMAT): whatever the bytes, a clear failure or a graph; and the same one, or the same
 * failure, when it is read in small chunks by several threads. What else can vary (options, sizes of chunks, number
 * of threads) is taken from a hash of the input, so that seeds are plain files. */
#define _GNU_SOURCE
#include "io/read.h"

#include <meguri.h>
#include <stdlib.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count);

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "broken: %s\n", #condition);                                                               \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

static uint64_t mix(uint64_t hash, uint64_t value) {
    hash = (hash ^ value) * UINT64_C(0x9E3779B97F4A7C15);
    return hash ^ (hash >> 29);
}

/* A number for everything a graph consists of. */
static uint64_t digest(meguri_ctx *ctx, const meguri_graph *graph) {
    meguri_graph_info info = {.size = sizeof info};
    CHECK(meguri_graph_get_info(&info, ctx, graph) == MEGURI_OK);
    uint64_t hash = mix(info.vertices, info.arcs), *neighbors = malloc((info.arcs + 1) * sizeof *neighbors);
    double *weights = malloc((info.arcs + 1) * sizeof *weights);
    CHECK(neighbors && weights);
    hash = mix(mix(mix(hash, info.edges), info.input_edges), (uint64_t)info.weight_type << 8 | (uint64_t)info.id_kind);
    for (uint64_t v = 0; v < info.vertices && v < 5000; v++) {
        uint64_t id = 0, found;
        const char *name;
        size_t length;
        if (info.id_kind == MEGURI_ID_STRING) {
            CHECK(meguri_graph_names(&name, &length, ctx, graph, v, 1) == MEGURI_OK);
            CHECK(mg_is_name(name, length) && length);
            for (size_t i = 0; i < length; i++) id = mix(id, (uint64_t)(unsigned char)name[i]);
        } else {
            CHECK(meguri_graph_ids(&id, ctx, graph, v, 1) == MEGURI_OK);
        }
        hash = mix(hash, id);
        CHECK(meguri_graph_neighbors(neighbors, weights, NULL, info.arcs, &found, ctx, graph, v) == MEGURI_OK);
        for (uint64_t i = 0; i < found; i++) {
            uint64_t bits;
            memcpy(&bits, &weights[i], 8);
            hash = mix(mix(hash, neighbors[i]), bits);
        }
    }
    free(neighbors);
    free(weights);
    return hash;
}

#ifdef FUZZ_BESIDE
/* Of two files one is found by the other's name: the input up to its first zero byte is FUZZ_BESIDE, the rest
 * FUZZ_NAME. */
static char folder[200], edge_path[240], vertex_path[240];

static void remove_files(void) {
    unlink(edge_path);
    unlink(vertex_path);
    rmdir(folder);
}

static void make_files(void) {
    const char *place = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/meguri-fuzz-XXXXXX", place && *place ? place : "/tmp");
    CHECK(mkdtemp(folder));
    snprintf(edge_path, sizeof edge_path, "%s/" FUZZ_NAME, folder);
    snprintf(vertex_path, sizeof vertex_path, "%s/" FUZZ_BESIDE, folder);
    atexit(remove_files);
}

static void write_part(const char *path, const uint8_t *data, size_t count) {
    FILE *file = fopen(path, "wb");
    CHECK(file && fwrite(data, 1, count, file) == count);
    CHECK(fclose(file) == 0);
}
#endif

typedef struct outcome {
    meguri_status status;
    uint64_t digest;
    char error[1100];
} outcome;

static meguri_status read_it(meguri_graph **graph, meguri_ctx *ctx, const uint8_t *data, size_t count, size_t chunk,
                             const meguri_read_options *options) {
    *graph = NULL;
#ifdef FUZZ_COORDS
    mg_reader reader = {.ctx = ctx, .chunk_bytes = chunk, .c_locale = mg_locale_new()};
    mg_input input = {.fd = -1};
    (void)options;
    mg_begin(ctx);
    meguri_status status = mg_builder_new(&reader.builder, ctx);
    if (status == MEGURI_OK) status = mg_input_memory(&input, ctx, "fuzz", data, count);
    if (status == MEGURI_OK) status = mg_input_peek(&input, 100);
    if (status == MEGURI_OK) status = mg_read_coords(&reader, &input);
    mg_input_close(&input);
    meguri_builder_free(reader.builder);
    mg_locale_free(reader.c_locale);
    return status;
#elif defined(FUZZ_BESIDE)
    const uint8_t *zero = count ? memchr(data, 0, count) : NULL;
    size_t first = zero ? (size_t)(zero - data) : count;
    const char *path = edge_path;
    if (!*folder) make_files();
    write_part(vertex_path, data, first);
    write_part(edge_path, data + first + (zero != NULL), count - first - (zero != NULL));
    return mg_read_files(graph, ctx, &path, 1, chunk, options);
#else
    return mg_read_memory(graph, ctx, FUZZ_NAME, data, count, chunk, options);
#endif
}

static outcome try_it(uint32_t threads, const uint8_t *data, size_t count, size_t chunk,
                      const meguri_read_options *options) {
    meguri_ctx *ctx;
    meguri_graph *graph;
    outcome result;
    meguri_ctx_options context = {.size = sizeof context, .threads = threads, .memory = 8 << 20};
    CHECK(meguri_ctx_new(&ctx, &context) == MEGURI_OK);
    memset(&result, 0, sizeof result);
    result.status = read_it(&graph, ctx, data, count, chunk, options);
    snprintf(result.error, sizeof result.error, "%s", meguri_ctx_error(ctx));
    if (result.status == MEGURI_OK && graph) {
        CHECK(meguri_graph_verify(ctx, graph) == MEGURI_OK);
        result.digest = digest(ctx, graph);
    } else if (result.status != MEGURI_OK) {
        CHECK(!graph);
        CHECK(result.status == MEGURI_BAD_INPUT || result.status == MEGURI_NO_MEMORY);
        CHECK(strlen(result.error) > 10);
    }
    meguri_graph_free(graph);
    CHECK(meguri_ctx_memory_used(ctx) == 0);
    meguri_ctx_free(ctx);
    return result;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count) {
    uint64_t hash = count;
    for (size_t i = 0; i < count; i++) hash = mix(hash, data[i]);
    meguri_build_options build = {.size = sizeof build};
    meguri_read_options options = {.size = sizeof options, .format = FUZZ_FORMAT, .build = &build};
    if (hash >> 3 & 1) build.direction = hash >> 4 & 1 ? MEGURI_DIRECTED : MEGURI_UNDIRECTED;
    build.duplicates = (meguri_duplicates)((hash >> 24) % (MEGURI_DUPLICATES_KEEP + 1));
    build.keep_loops = hash >> 6 & 1;
    build.ignore_weights = (hash >> 7 & 3) == 0;
    if ((hash >> 9 & 3) == 0) options.ids = hash >> 11 & 1 ? MEGURI_IDS_STRING : MEGURI_IDS_INTEGER;

    outcome whole = try_it(1, data, count, 1 << 20, &options);
    outcome pieces = try_it((hash >> 12 & 7) == 0 ? 3 : 1, data, count, 1 + (hash >> 16) % 40, &options);
    if (whole.status == MEGURI_NO_MEMORY || pieces.status == MEGURI_NO_MEMORY) return 0;
    CHECK(whole.status == pieces.status);
    CHECK(whole.digest == pieces.digest);
    /* Which line is named when signs mix depends on what was read first. */
    if (!strstr(whole.error, "some ids are negative")) CHECK(strcmp(whole.error, pieces.error) == 0);
    return 0;
}
