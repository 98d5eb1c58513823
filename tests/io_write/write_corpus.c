/* Writes the graphs of the zoo in every format into a folder, and beside them, as plain numbers, what they are; for
 * check_written.py, which reads the formats by itself. `write_corpus FOLDER THREADS` */
#include "support/oracle.h"

#include "graph/graph.h"
#include "support/sinks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const suffixes[] = {"el", "wel",   "csv",   "mtx",   "gr",   "graph", "adj",
                                       "e",  "bin32", "bin48", "bin64", "pace", "el.gz", "wel.xz"};

static void must(meguri_ctx *ctx, meguri_status status) {
    if (status == MEGURI_OK) return;
    fprintf(stderr, "%s\n", meguri_ctx_error(ctx));
    exit(1);
}

/* Vertices, arcs, edges, directed, signed ids, weight type; the ids; then every arc: positions and weight as bits. */
static void describe(const char *path, meguri_ctx *ctx, const meguri_graph *g) {
    FILE *out = fopen(path, "w");
    meguri_graph_info info = {.size = sizeof info};
    must(ctx, meguri_graph_get_info(&info, ctx, g));
    uint64_t *list = calloc(info.arcs + info.vertices + 1, 8);
    double *weights = calloc(info.arcs + 1, 8);
    if (!out || !list || !weights) abort();
    fprintf(out, "%" PRIu64 " %" PRIu64 " %" PRIu64 " %d %d %d\n", info.vertices, info.arcs, info.edges, info.directed,
            info.id_kind == MEGURI_ID_SIGNED, (int)info.weight_type);
    must(ctx, meguri_graph_ids(list, ctx, g, 0, info.vertices));
    for (uint64_t v = 0; v < info.vertices; v++) {
        if (info.id_kind == MEGURI_ID_SIGNED) fprintf(out, "%" PRId64 "\n", (int64_t)list[v]);
        else fprintf(out, "%" PRIu64 "\n", list[v]);
    }
    for (uint64_t v = 0; v < info.vertices; v++) {
        uint64_t count, bits;
        must(ctx, meguri_graph_neighbors(list, weights, NULL, info.arcs, &count, ctx, g, v));
        for (uint64_t i = 0; i < count; i++) {
            memcpy(&bits, &weights[i], 8);
            fprintf(out, "%" PRIu64 " %" PRIu64 " %016" PRIx64 "\n", v, list[i], bits);
        }
    }
    if (fclose(out) != 0) abort();
    free(list);
    free(weights);
}

static void write_all(const char *base, meguri_ctx *ctx, const meguri_graph *g) {
    char path[1024];
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        bool pace = strcmp(suffixes[i], "pace") == 0;
        snprintf(path, sizeof path, "%s.%s", base, suffixes[i]);
        meguri_status status =
            meguri_write(ctx, g, to_file(path), as_format(pace ? MEGURI_FORMAT_PACE : MEGURI_FORMAT_AUTO));
        if (status != MEGURI_OK && status != MEGURI_BAD_ARGUMENT) must(ctx, status);
        if (status == MEGURI_OK) continue;
        snprintf(path, sizeof path, "%s.%s.refused", base, suffixes[i]);
        FILE *out = fopen(path, "w");
        if (!out) abort();
        fprintf(out, "%s\n", meguri_ctx_error(ctx));
        fclose(out);
    }
}

int main(int argc, char **argv) {
    meguri_ctx *ctx;
    if (argc < 3) return 2;
    meguri_ctx_options options = {.size = sizeof options, .threads = (uint32_t)atoi(argv[2])};
    if (meguri_ctx_new(&ctx, &options) != MEGURI_OK) return 1;
    zoo_graph z;
    for (int index = 0; zoo_get(&z, index); index++) {
        for (int direction = MEGURI_DIRECTED; direction <= MEGURI_UNDIRECTED; direction++) {
            meguri_build_options o = {.size = sizeof o,
                                      .direction = direction,
                                      .order = (index + direction) % 4,
                                      .keep_loops = index % 3 == 0,
                                      .duplicates = index % 4 == 0 ? MEGURI_DUPLICATES_KEEP : MEGURI_DUPLICATES_MIN};
            meguri_graph *g;
            char base[512], path[1024];
            if (z.count > 50000 && (direction == MEGURI_DIRECTED) != (z.weights != NULL)) continue;
            must(ctx, zoo_build(&g, ctx, &z, &o));
            snprintf(base, sizeof base, "%s/%d-%c", argv[1], index, direction == MEGURI_DIRECTED ? 'd' : 'u');
            snprintf(path, sizeof path, "%s.txt", base);
            describe(path, ctx, g);
            write_all(base, ctx, g);
            meguri_graph_free(g);
        }
        zoo_free(&z);
    }
    meguri_ctx_free(ctx);
    return 0;
}
