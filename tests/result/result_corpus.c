/* Writes hand-made results for graphs of every kind of ids into a folder, in every format, and beside them the ids; for
 * check_results.py, which reads the formats by itself. `result_corpus FOLDER THREADS` */
#include "meg/graphs.h"
#include "result/hand_made.h"
#include "support/oracle.h"
#include "support/sinks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const suffixes[] = {"tsv", "npy", "bin", "tsv.gz", "tsv.xz", "csv", "csv.gz"};

static void must(meguri_ctx *ctx, meguri_status status) {
    if (status == MEGURI_OK) return;
    fprintf(stderr, "%s\n", meguri_ctx_error(ctx));
    exit(1);
}

/* The kind of ids and their number, then each on a line; strings in hexadecimal. */
static void describe(const char *path, meguri_ctx *ctx, const meguri_graph *g) {
    FILE *out = fopen(path, "w");
    if (!out) abort();
    fprintf(out, "%s %" PRIu64 "\n", meguri_id_kind_name(g->id_kind), g->vertices);
    for (uint64_t v = 0; v < g->vertices; v++) {
        const char *name;
        size_t length;
        uint64_t id;
        if (g->id_kind == MEGURI_ID_STRING) {
            must(ctx, meguri_graph_names(&name, &length, ctx, g, v, 1));
            for (size_t i = 0; i < length; i++) fprintf(out, "%02x", (unsigned char)name[i]);
            fputc('\n', out);
            continue;
        }
        must(ctx, meguri_graph_ids(&id, ctx, g, v, 1));
        if (g->id_kind == MEGURI_ID_SIGNED) fprintf(out, "%" PRId64 "\n", (int64_t)id);
        else fprintf(out, "%" PRIu64 "\n", id);
    }
    if (fclose(out) != 0) abort();
}

/* Takes the graph over. */
static void write_all(meguri_ctx *ctx, meguri_graph *g, const char *folder, const char *name) {
    char path[1024];
    meguri_result *result = hand_made(ctx, g->vertices, false);
    snprintf(path, sizeof path, "%s/%s.txt", folder, name);
    describe(path, ctx, g);
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        snprintf(path, sizeof path, "%s/%s.%s", folder, name, suffixes[i]);
        must(ctx, meguri_result_write(ctx, result, g, to_file(path), NULL));
    }
    meguri_result_free(result);
    meguri_graph_free(g);
}

/* Graphs of the zoo in several orders: what is arranged inside must not show. */
static void write_zoo(meguri_ctx *ctx, const char *folder) {
    zoo_graph z;
    for (int index = 0; zoo_get(&z, index); index++) {
        meguri_build_options o = {
            .size = sizeof o, .direction = index % 2 ? MEGURI_DIRECTED : MEGURI_UNDIRECTED, .order = index % 4};
        meguri_graph *g;
        char name[64];
        must(ctx, zoo_build(&g, ctx, &z, &o));
        snprintf(name, sizeof name, "zoo-%d", index);
        write_all(ctx, g, folder, name);
        zoo_free(&z);
    }
}

int main(int argc, char **argv) {
    meguri_ctx *ctx;
    char name[GRAPH_NAME];
    if (argc < 3) return 2;
    meguri_ctx_options options = {.size = sizeof options, .threads = (uint32_t)atoi(argv[2])};
    if (meguri_ctx_new(&ctx, &options) != MEGURI_OK) return 1;
    for (int index = 0; index < 60; index++) { /* all kinds of ids, with no vertex, one, and six */
        meguri_graph *g = make_graph(ctx, index, name);
        if (g) write_all(ctx, g, argv[1], name);
    }
    write_all(ctx, graph_of_names(ctx, 0), argv[1], "no-names");
    write_all(ctx, graph_of_names(ctx, 15000), argv[1], "many-names");
    write_all(ctx, graph_of_numbers(ctx, 50000, 1, MEGURI_ID_UNSIGNED), argv[1], "many-numbers");
    write_all(ctx, graph_of_numbers(ctx, 3000, (uint64_t)-1000, MEGURI_ID_SIGNED), argv[1], "many-signed");
    write_zoo(ctx, argv[1]);
    meguri_ctx_free(ctx);
    return 0;
}
