/* Makes .meg files of all kinds in a folder, each with what is in it as text beside it: for the reader in Python that
 * proves docs/meg-format.md, and for the fuzzer to start from. `meg_corpus FOLDER [EVERY]` makes every EVERY-th, and
 * then every fourth of those with a path index; and the graphs that liars start from. */
#include "meg/lies.h"
#include "support/sinks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fail(meguri_ctx *ctx, meguri_status status) {
    if (status == MEGURI_OK) return;
    fprintf(stderr, "%s\n", meguri_ctx_error(ctx));
    exit(1);
}

static void tell_id(FILE *out, meguri_ctx *ctx, const meguri_graph *g, uint64_t v) {
    if (g->id_kind == MEGURI_ID_STRING) {
        const char *name;
        size_t length;
        fail(ctx, meguri_graph_names(&name, &length, ctx, g, v, 1));
        for (size_t i = 0; i < length; i++) fprintf(out, "%02x", (unsigned char)name[i]);
        fprintf(out, "h");
        return;
    }
    uint64_t id;
    fail(ctx, meguri_graph_ids(&id, ctx, g, v, 1));
    if (g->id_kind == MEGURI_ID_SIGNED) fprintf(out, "%" PRId64, (int64_t)id);
    else fprintf(out, "%" PRIu64, id);
}

static uint64_t bits_of(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* A line for each column: its name, type, kind and the names of its values; and for each vertex the bytes of what its
 * edges have there. */
static void tell_columns(FILE *out, meguri_ctx *ctx, const meguri_graph *g, uint32_t columns) {
    unsigned char *values = calloc(g->arcs + 1, 8);
    if (!values) abort();
    for (uint32_t c = 0; c < columns; c++) {
        meguri_column_info info = {.size = sizeof info};
        fail(ctx, meguri_graph_edge_column(&info, ctx, g, c));
        fprintf(out, "%s %d %d", info.name, (int)mg_type_code(info.type), (int)info.kind);
        for (uint64_t i = 0; i < info.label_count; i++) {
            const char *label;
            fail(ctx, meguri_graph_edge_label(&label, ctx, g, c, i));
            fprintf(out, " %s", label);
        }
        for (uint64_t v = 0; v < g->vertices; v++) {
            uint64_t count;
            fail(ctx, meguri_graph_neighbor_values(values, NULL, g->arcs, &count, ctx, g, v, c));
            fprintf(out, " ");
            for (uint64_t i = 0; i < count * info.item_bytes; i++) fprintf(out, "%02x", values[i]);
        }
        fprintf(out, "\n");
    }
    free(values);
}

/* A line of numbers, then one for each vertex: id, place as bits, neighbours with the bits of their weights. */
static void tell(FILE *out, meguri_ctx *ctx, const meguri_graph *g) {
    meguri_graph_info info = {.size = sizeof info};
    fail(ctx, meguri_graph_get_info(&info, ctx, g));
    fprintf(out, "%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %d %d %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
            info.vertices, info.arcs, info.edges, info.isolated, info.directed, (int)info.order, info.input_edges,
            info.dropped_duplicates, info.dropped_loops);
    uint64_t *list = calloc(g->arcs + 1, 8);
    double *weights = calloc(g->arcs + 1, 8);
    if (!list || !weights) abort();
    for (uint64_t v = 0; v < g->vertices; v++) {
        uint64_t count;
        double x, y;
        tell_id(out, ctx, g, v);
        if (info.has_coordinates) {
            fail(ctx, meguri_graph_coordinates(&x, &y, ctx, g, v, 1));
            fprintf(out, " @%016" PRIx64 ",%016" PRIx64, bits_of(x), bits_of(y));
        }
        fail(ctx, meguri_graph_neighbors(list, weights, NULL, g->arcs, &count, ctx, g, v));
        for (uint64_t i = 0; i < count; i++) fprintf(out, " %" PRIu64 ":%016" PRIx64, list[i], bits_of(weights[i]));
        fprintf(out, "\n");
    }
    tell_columns(out, ctx, g, info.edge_columns);
    free(list);
    free(weights);
}

static void put(meguri_ctx *ctx, const char *folder, const char *name, meguri_graph *g) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s.meg", folder, name);
    fail(ctx, meguri_save(ctx, g, to_file(path), NULL));
    snprintf(path, sizeof path, "%s/%s.txt", folder, name);
    FILE *out = fopen(path, "w");
    if (!out) exit(1);
    tell(out, ctx, g);
    if (fclose(out) != 0) exit(1);
    meguri_graph_free(g);
}

int main(int argc, char **argv) {
    char name[GRAPH_NAME];
    int every = argc > 2 ? atoi(argv[2]) : 1;
    meguri_ctx *ctx = new_context(2);
    meguri_graph *g;
    if (argc < 2 || every < 1) return 2;
    for (int index = 0;; index++) {
        if (index % (index < NOT_INDEXED ? every : MG_MIN(every, 4)) != 0) continue;
        g = make_graph(ctx, index, name);
        if (!g) break;
        put(ctx, argv[1], name, g);
    }
    for (int index = 0; (g = make_honest_graph(ctx, index)); index++) {
        if (every > 1 && index % 4 > 1) { /* a fuzzer wants small ones */
            meguri_graph_free(g);
            continue;
        }
        snprintf(name, sizeof name, "honest-%d", index);
        put(ctx, argv[1], name, g);
    }
    meguri_ctx_free(ctx);
    return 0;
}
