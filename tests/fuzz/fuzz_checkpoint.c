/* Fuzzing the reader of checkpoints: whatever the bytes of a part, a run goes on from there and ends, or there is one
 * sentence. The manifest is mended to have the size and the hash of the part, which would refuse it otherwise. The
 * first byte says how many workers resume it. */
#define _GNU_SOURCE /* mkdtemp */
#include "pregel/checkpoint.h"

#include <meguri.h>
#include <meguri/run.h>
#include <stdlib.h>
#include <unistd.h>
#include <xxhash.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count);

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "broken: %s\n", #condition);                                                               \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

/* ---- a program that has everything: values, messages of both kinds, questions, aggregators, globals -------------- */

MEGURI_VERTEX(all, uint64_t, uint32_t, uint64_t);
MEGURI_ASKS(all, uint64_t);
static inline uint64_t all_respond(const uint64_t *value) { return *value; }
static inline void all_compute(all_vertex *v, uint64_t *x) {
    const uint64_t *answer = all_answer(v, (all_id(v) + 1) % (uint32_t)all_vertices(v));
    const uint64_t *left = all_left(v);
    MEGURI_EACH_MESSAGE(all, m, v) *x += m.value + m.edge + m.source;
    *x += (answer ? *answer : 0) + (left ? *left : 0) + *(const uint64_t *)all_globals(v);
    all_whole(v, 0, (int64_t)(*x % 1000));
    if (all_superstep(v) > 3) {
        all_halt(v);
        return;
    }
    all_ask(v, (all_id(v) + 1) % (uint32_t)all_vertices(v));
    all_send(v, (all_id(v) + 2) % (uint32_t)all_vertices(v), *x);
    if (all_id(v) % 2) all_send_all(v, *x);
}
static void fold_own(void *mine, const void *more, uint64_t count) {
    for (uint64_t i = 0; i < count; i++) ((uint64_t *)mine)[i] ^= ((const uint64_t *)more)[i];
}
static const meguri_aggregator totals[] = {{.name = "sum", .kind = MEGURI_SUM_WHOLE},
                                           {.name = "own", .kind = MEGURI_OWN, .bytes = 8, .fold = fold_own}};
static const meguri_output columns[] = {MEGURI_OUTPUT("x", uint64_t)};
MEGURI_PROGRAM(all, .outputs = columns, .output_count = 1, .aggregators = totals, .aggregator_count = 2,
               .globals_bytes = 8, MEGURI_ANSWERS(all), .max_supersteps = 6);
static meguri_program again; /* the same without columns: names of columns are there once */
static const meguri_program *const programs[] = {&all_program, &again};
static const meguri_program_list list = {MEGURI_PREGEL_ABI, sizeof list, 2, programs};

/* ---- checkpoints ------------------------------------------------------------------------------------------------- */

static struct {
    meguri_ctx *ctx;
    meguri_graph *graph;
    char folder[256], manifest_path[300], part_path[300];
    mg_manifest manifest;
} here;

static void forget(void) {
    unlink(here.manifest_path);
    unlink(here.part_path);
    rmdir(here.folder);
    meguri_graph_free(here.graph);
    meguri_ctx_free(here.ctx);
}

static void write_file(const char *path, const void *data, size_t bytes) {
    FILE *file = fopen(path, "wb");
    CHECK(file && fwrite(data, 1, bytes, file) == bytes);
    fclose(file);
}

/* A run that stops in its second program leaves one. */
static void begin(void) {
    static const uint64_t from[] = {0, 1, 2, 3, 0}, to[] = {1, 2, 3, 0, 2};
    const char *temporary = getenv("TMPDIR");
    const meguri_ctx_options options = {.size = sizeof options, .threads = 1};
    const meguri_edge_arrays edges = {.size = sizeof edges, .count = 5, .from = from, .to = to};
    CHECK(meguri_ctx_new(&here.ctx, &options) == MEGURI_OK);
    CHECK(meguri_graph_from_edges(&here.graph, here.ctx, &edges, NULL) == MEGURI_OK);
    snprintf(here.folder, sizeof here.folder, "%.200s/meguri-fuzz-XXXXXX", temporary ? temporary : "/tmp");
    CHECK(mkdtemp(here.folder));
    again = all_program;
    again.output_count = 0;
    meguri_run_options o = {.size = sizeof o, .checkpoint = here.folder, .every = 8};
    meguri_result *result;
    CHECK(meguri_run(&result, here.ctx, here.graph, &list, &o) == MEGURI_OK);
    meguri_result_free(result);
    snprintf(here.manifest_path, sizeof here.manifest_path, "%s/checkpoint", here.folder);
    FILE *file = fopen(here.manifest_path, "rb");
    CHECK(file && fread(&here.manifest, 1, sizeof here.manifest, file) == sizeof here.manifest);
    fclose(file);
    CHECK(here.manifest.workers == 1);
    snprintf(here.part_path, sizeof here.part_path, "%s/part-%u-0", here.folder, (unsigned)here.manifest.generation);
    const char *seed = getenv("MEGURI_FUZZ_SEED"); /* where to put a part that is whole: how the corpus was made */
    char part[65536] = {1};
    file = fopen(here.part_path, "rb");
    size_t bytes = file ? fread(part + 1, 1, sizeof part - 1, file) : 0;
    CHECK(bytes == here.manifest.part_bytes[0]);
    fclose(file);
    if (seed) write_file(seed, part, bytes + 1);
    atexit(forget);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count) {
    if (!here.ctx) begin();
    if (!count) return 0;
    write_file(here.part_path, data + 1, count - 1);
    here.manifest.part_bytes[0] = count - 1;
    here.manifest.part_hash[0] = XXH64(data + 1, count - 1, 0);
    here.manifest.hash = XXH64(&here.manifest, offsetof(mg_manifest, hash), 0);
    write_file(here.manifest_path, &here.manifest, sizeof here.manifest);
    meguri_run_options o = {.size = sizeof o, .resume = here.folder, .workers = 1 + data[0] % 3};
    meguri_result *result = NULL;
    meguri_status status = meguri_run(&result, here.ctx, here.graph, &list, &o);
    CHECK(status == MEGURI_OK || (status == MEGURI_BAD_INPUT && *meguri_ctx_error(here.ctx)));
    CHECK((status == MEGURI_OK) == (result != NULL));
    meguri_result_free(result);
    return 0;
}
