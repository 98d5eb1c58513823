/* Reading a text in every way there is, and graphs as text. */
#define _GNU_SOURCE
#include "reading.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

static void keep_warning(void *user, meguri_log_level level, const char *text) {
    reading *r = user;
    if (level != MEGURI_LOG_WARNING) return;
    snprintf(r->warning, sizeof r->warning, "%s", text);
    r->warnings++;
}

void reading_start(reading *r, uint32_t threads) {
    memset(r, 0, sizeof *r);
    meguri_ctx_options options = {.size = sizeof options,
                                  .threads = threads,
                                  .memory = (uint64_t)256 << 20,
                                  .log = keep_warning,
                                  .log_user = r,
                                  .log_level = MEGURI_LOG_WARNING};
    assert_int_equal(meguri_ctx_new(&r->ctx, &options), MEGURI_OK);
}

void reading_end(reading *r) {
    assert_int_equal(meguri_ctx_memory_used(r->ctx), 0);
    meguri_ctx_free(r->ctx);
}

static void print_id(FILE *file, meguri_ctx *ctx, const meguri_graph *graph, meguri_id_kind kind, uint64_t vertex) {
    uint64_t id;
    const char *name;
    size_t length;
    if (kind == MEGURI_ID_STRING) {
        assert_int_equal(meguri_graph_names(&name, &length, ctx, graph, vertex, 1), MEGURI_OK);
        fprintf(file, "%.*s", (int)length, name);
        return;
    }
    assert_int_equal(meguri_graph_ids(&id, ctx, graph, vertex, 1), MEGURI_OK);
    if (kind == MEGURI_ID_SIGNED) fprintf(file, "%" PRId64, (int64_t)id);
    else fprintf(file, "%" PRIu64, id);
}

char *graph_text(meguri_ctx *ctx, const meguri_graph *graph) {
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    meguri_graph_info info = {.size = sizeof info};
    assert_non_null(file);
    assert_int_equal(meguri_graph_get_info(&info, ctx, graph), MEGURI_OK);
    fprintf(file, "%s %s %s %" PRIu64 " of %" PRIu64 "\n", info.directed ? "directed" : "undirected",
            meguri_type_name(info.weight_storage), meguri_id_kind_name(info.id_kind), info.edges, info.input_edges);
    uint64_t *neighbors = malloc((info.arcs + 1) * sizeof *neighbors);
    double *weights = malloc((info.arcs + 1) * sizeof *weights);
    for (uint64_t v = 0; v < info.vertices; v++) {
        uint64_t count;
        assert_int_equal(meguri_graph_neighbors(neighbors, weights, NULL, info.arcs, &count, ctx, graph, v), MEGURI_OK);
        print_id(file, ctx, graph, info.id_kind, v);
        fputc(':', file);
        for (uint64_t i = 0; i < count; i++) {
            fputc(' ', file);
            print_id(file, ctx, graph, info.id_kind, neighbors[i]);
            if (info.weight_type != MEGURI_TYPE_NONE) fprintf(file, "(%.17g)", weights[i]);
        }
        if (info.has_coordinates) {
            double x, y;
            assert_int_equal(meguri_graph_coordinates(&x, &y, ctx, graph, v, 1), MEGURI_OK);
            fprintf(file, " @%g,%g", x, y);
        }
        fputc('\n', file);
    }
    free(neighbors);
    free(weights);
    fclose(file);
    return text;
}

static const uint32_t thread_counts[] = {1, 2, 5};
static const size_t chunk_sizes[] = {0, 1, 7, 16, 61};

/* Reads a text in every way; `check` sees each result. */
static void read_all_ways(const char *name, bytes text, const meguri_read_options *options,
                          void (*check)(reading *r, meguri_status status, const meguri_graph *graph,
                                        const char *expected),
                          const char *expected) {
    for (size_t t = 0; t < sizeof thread_counts / sizeof *thread_counts; t++) {
        for (size_t c = 0; c < sizeof chunk_sizes / sizeof *chunk_sizes; c++) {
            reading r;
            meguri_graph *graph;
            reading_start(&r, thread_counts[t]);
            /* Out of a block of its own, so that a sanitizer sees every byte read beyond. */
            char *copy = malloc(text.length + 1);
            memcpy(copy, text.data, text.length);
            meguri_status status = mg_read_memory(&graph, r.ctx, name, copy, text.length, chunk_sizes[c], options);
            check(&r, status, graph, expected);
            meguri_graph_free(graph);
            free(copy);
            reading_end(&r);
        }
    }
}

static void check_graph(reading *r, meguri_status status, const meguri_graph *graph, const char *expected) {
    if (status != MEGURI_OK) fail_msg("refused: %s", meguri_ctx_error(r->ctx));
    char *text = graph_text(r->ctx, graph);
    assert_string_equal(text, expected);
    free(text);
    assert_int_equal(meguri_graph_verify(r->ctx, graph), MEGURI_OK);
}

static void check_failure(reading *r, meguri_status status, const meguri_graph *graph, const char *expected) {
    const char *error = meguri_ctx_error(r->ctx);
    assert_null(graph);
    if (status != MEGURI_BAD_INPUT) fail_msg("status %d instead of bad input: %s", (int)status, error);
    if (!strstr(error, expected)) fail_msg("'%s' does not contain '%s'", error, expected);
    assert_int_equal(error[strlen(error) - 1], '.');
    if (r->warnings) fail_msg("besides the failure, the warning '%s'", r->warning);
}

void expect(const char *name, bytes text, const meguri_read_options *options, const char *want) {
    read_all_ways(name, text, options, check_graph, want);
}

void refuse(const char *name, bytes text, const meguri_read_options *options, const char *part) {
    read_all_ways(name, text, options, check_failure, part);
}

void expect_warning(const char *name, bytes text, const meguri_read_options *options, const char *part) {
    reading r;
    meguri_graph *graph;
    reading_start(&r, 2);
    meguri_status status = mg_read_memory(&graph, r.ctx, name, text.data, text.length, 0, options);
    if (status != MEGURI_OK) fail_msg("refused: %s", meguri_ctx_error(r.ctx));
    if (!strstr(r.warning, part)) fail_msg("warning '%s' does not contain '%s'", r.warning, part);
    assert_int_equal(r.warnings, 1);
    meguri_graph_free(graph);
    reading_end(&r);
}

const char *data_folder(void) {
    const char *folder = getenv("MEGURI_DATA"), *required = getenv("MEGURI_REQUIRE_ALL");
    if (!folder || !*folder) folder = SOURCE_FOLDER "/../shared/data";
    if (access(folder, R_OK) == 0) return folder;
    if (required && strcmp(required, "1") == 0) fail_msg("%s is missing, and MEGURI_REQUIRE_ALL is set", folder);
    fprintf(stderr, "skipped: the folder of real graphs (%s) is missing\n", folder);
    return NULL;
}
