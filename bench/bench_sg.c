/* Not a benchmark: writes a graph as GAPBS reads it fastest, for comparisons on the same graph.
 *
 *     bench_sg SCALE|GRAPH.meg OUT.sg|OUT.wsg [relabel]
 *
 * OUT.wsg has the weights, which must be whole. relabel: vertices of an undirected graph in order of falling degree, as
 * ours lie inside, those without edges left out. The file: one byte (directed), arcs and vertices as 64-bit numbers,
 * offsets of 64 and targets of 32 bits (in a .wsg file each with a weight of 32), and once more for arcs turned round
 * where the graph is directed. */
#include "graphs.h"

typedef struct exporting {
    meguri_ctx *ctx;
    const meguri_graph *graph;
    meguri_graph_info info;
    FILE *file;
    bool weighted;
    uint64_t rows;   /* vertices that are written */
    uint32_t *order; /* of the vertices in the file */
    uint32_t *number;
    uint64_t *neighbors;
    double *weights;
} exporting;

typedef struct target {
    int32_t vertex, weight;
} target;

static int by_vertex(const void *a, const void *b) {
    int32_t x = ((const target *)a)->vertex, y = ((const target *)b)->vertex;
    return x < y ? -1 : x > y;
}

/* Counting keeps the order of the input among equals. */
static void relabel(exporting *e, const uint64_t *degrees) {
    uint64_t most = 0, n = e->info.vertices;
    for (uint64_t v = 0; v < n; v++) most = degrees[v] > most ? degrees[v] : most;
    uint64_t *begins = calloc(most + 2, sizeof *begins);
    for (uint64_t v = 0; v < n; v++) begins[most - degrees[v] + 1]++;
    for (uint64_t d = 0; d <= most; d++) begins[d + 1] += begins[d];
    e->rows = begins[most];
    for (uint64_t v = 0; v < n; v++) e->order[begins[most - degrees[v]]++] = (uint32_t)v;
    free(begins);
}

static meguri_status write_row(const exporting *e, uint32_t vertex, bool in) {
    uint64_t count, capacity = e->info.arcs;
    meguri_status status =
        in ? meguri_graph_in_neighbors(e->neighbors, e->weights, NULL, capacity, &count, e->ctx, e->graph, vertex)
           : meguri_graph_neighbors(e->neighbors, e->weights, NULL, capacity, &count, e->ctx, e->graph, vertex);
    if (status != MEGURI_OK) return status;
    target *row = calloc(count + 1, sizeof *row);
    for (uint64_t i = 0; i < count; i++) row[i] = (target){(int32_t)e->number[e->neighbors[i]], (int32_t)e->weights[i]};
    qsort(row, count, sizeof *row, by_vertex);
    for (uint64_t i = 0; i < count; i++) fwrite(&row[i], e->weighted ? sizeof *row : sizeof row->vertex, 1, e->file);
    free(row);
    return MEGURI_OK;
}

static meguri_status write_rows(const exporting *e, const uint64_t *degrees, bool in) {
    uint64_t offset = 0;
    fwrite(&offset, sizeof offset, 1, e->file);
    for (uint64_t i = 0; i < e->rows; i++) {
        offset += degrees[e->order[i]];
        fwrite(&offset, sizeof offset, 1, e->file);
    }
    meguri_status status = MEGURI_OK;
    for (uint64_t i = 0; i < e->rows && status == MEGURI_OK; i++) status = write_row(e, e->order[i], in);
    return status;
}

static meguri_status write_graph(exporting *e, bool relabelled) {
    uint64_t n = e->info.vertices, *degrees = calloc(n + 1, sizeof *degrees);
    uint8_t directed = e->info.directed != 0;
    e->order = calloc(n + 1, sizeof *e->order);
    e->number = calloc(n + 1, sizeof *e->number);
    e->neighbors = calloc(e->info.arcs + 1, sizeof *e->neighbors);
    e->weights = calloc(e->info.arcs + 1, sizeof *e->weights);
    e->rows = n;
    meguri_status status = meguri_graph_degrees(degrees, e->ctx, e->graph, 0, n);
    for (uint64_t v = 0; v < n; v++) e->order[v] = (uint32_t)v;
    if (relabelled) relabel(e, degrees);
    for (uint64_t i = 0; i < n; i++) e->number[e->order[i]] = (uint32_t)i;
    fwrite(&directed, 1, 1, e->file);
    fwrite(&e->info.arcs, 8, 1, e->file);
    fwrite(&e->rows, 8, 1, e->file);
    if (status == MEGURI_OK) status = write_rows(e, degrees, false);
    if (status == MEGURI_OK && directed) {
        status = meguri_graph_in_degrees(degrees, e->ctx, e->graph, 0, n);
        if (status == MEGURI_OK) status = write_rows(e, degrees, true);
    }
    free(degrees);
    free(e->order);
    free(e->number);
    free(e->neighbors);
    free(e->weights);
    return status;
}

int main(int argc, char **argv) {
    if (argc < 3) {
        fputs("usage: bench_sg SCALE|GRAPH.meg OUT.sg|OUT.wsg [relabel]\n", stderr);
        return 2;
    }
    exporting e = {.info.size = sizeof e.info};
    e.weighted = strlen(argv[2]) > 4 && strcmp(argv[2] + strlen(argv[2]) - 4, ".wsg") == 0;
    e.file = fopen(argv[2], "wb");
    if (!e.file) {
        perror(argv[2]);
        return 4;
    }
    if (meguri_ctx_new(&e.ctx, NULL) != MEGURI_OK) return 4;
    meguri_graph *graph = NULL;
    uint64_t edges;
    meguri_status status = get_graph(&graph, &edges, e.ctx, argv[1]);
    if (status == MEGURI_OK) status = meguri_graph_get_info(&e.info, e.ctx, graph);
    e.graph = graph;
    if (status == MEGURI_OK) status = write_graph(&e, argc > 3 && !e.info.directed);
    if (status != MEGURI_OK) fprintf(stderr, "bench_sg: %s\n", meguri_ctx_error(e.ctx));
    bool written = !ferror(e.file);
    if (fclose(e.file) != 0 || !written) {
        perror(argv[2]);
        return 4;
    }
    meguri_graph_free(graph);
    meguri_ctx_free(e.ctx);
    return meguri_status_exit_code(status);
}
