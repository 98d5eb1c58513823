/* The zoo of the self-test: small graphs of every shape that has ever been trouble, made through the public interface,
 * and the same arcs as plain arrays. */
#include "selftest/selftest.h"

#include <stdlib.h>
#include <string.h>

typedef struct edge_list {
    uint32_t *from, *to;
    uint64_t count, room;
    bool full; /* there was no memory for an edge */
} edge_list;

static void add(edge_list *l, uint32_t from, uint32_t to) {
    if (l->count == l->room) {
        uint64_t room = 2 * l->room + 64;
        uint32_t *grown = realloc(l->from, room * sizeof *grown), *other = NULL;
        if (grown) l->from = grown, other = realloc(l->to, room * sizeof *other);
        if (other) l->to = other;
        l->full |= !grown || !other;
        if (l->full) return;
        l->room = room;
    }
    l->from[l->count] = from;
    l->to[l->count++] = to;
}

static uint32_t next_random(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

/* ---- shapes: each fills a list and says how many vertices there are --------------------------------------------- */

static uint32_t nothing(edge_list *l) {
    (void)l;
    return 1;
}

static uint32_t isolated(edge_list *l) {
    add(l, 3, 5);
    return 40;
}

static uint32_t path(edge_list *l) {
    for (uint32_t v = 0; v + 1 < 120; v++) add(l, v, v + 1);
    return 120;
}

static uint32_t circle(edge_list *l) {
    for (uint32_t v = 0; v < 101; v++) add(l, v * 5 % 101, (v + 1) * 5 % 101);
    return 101;
}

static uint32_t star(edge_list *l) {
    for (uint32_t v = 1; v < 5000; v++) add(l, v % 2 ? 0 : v, v % 2 ? v : 0);
    return 5000;
}

static uint32_t complete(edge_list *l) {
    for (uint32_t v = 0; v < 70; v++)
        for (uint32_t u = 0; u < v; u++) add(l, u, v);
    return 70;
}

static uint32_t tree(edge_list *l) {
    for (uint32_t v = 1; v < 2047; v++) add(l, (v - 1) / 2, v);
    return 2047;
}

static uint32_t grid(edge_list *l) {
    for (uint32_t v = 0; v < 40 * 50; v++) {
        if (v % 40 < 39) add(l, v, v + 1);
        if (v / 40 < 49) add(l, v, v + 40);
    }
    return 40 * 50;
}

static uint32_t loops_and_parallels(edge_list *l) {
    uint64_t state = 3;
    for (int k = 0; k < 600; k++) add(l, next_random(&state) % 50, next_random(&state) % 50);
    for (uint32_t v = 0; v < 50; v += 3) add(l, v, v);
    return 53;
}

static uint32_t crumbs(edge_list *l) {
    uint64_t state = 5;
    for (int k = 0; k < 1500; k++) add(l, next_random(&state) % 3000, next_random(&state) % 3000);
    return 3000;
}

static uint32_t even(edge_list *l) {
    uint64_t state = 7;
    for (int k = 0; k < 20000; k++) add(l, next_random(&state) % 2000, next_random(&state) % 2000);
    return 2000;
}

/* Hubs: rows of every length up to thousands. */
static uint32_t skewed(edge_list *l) {
    uint64_t state = 11;
    for (int k = 0; k < 60000; k++) {
        uint32_t a = next_random(&state) % 4000, b = next_random(&state) % 4000;
        add(l, a * (uint64_t)a / 4000 * a / 4000, b * (uint64_t)b / 4000);
    }
    return 4096;
}

static const struct {
    const char *name;
    uint32_t (*fill)(edge_list *l);
} shapes[] = {{"one vertex", nothing}, {"one edge", isolated},   {"a path", path},
              {"a circle", circle},    {"a star", star},         {"a complete graph", complete},
              {"a tree", tree},        {"a grid", grid},         {"loops and parallel edges", loops_and_parallels},
              {"crumbs", crumbs},      {"a random graph", even}, {"a graph with hubs", skewed}};
#define SHAPES ((unsigned)(sizeof shapes / sizeof *shapes))

/* ---- both forms ------------------------------------------------------------------------------------------------- */

/* The weight of an edge: whole, with zeros among them, or not. */
static double weight_of(uint64_t edge, int kind) {
    uint64_t state = edge + 17;
    uint32_t random = next_random(&state);
    return kind == 0 ? 1 : kind == 1 ? random % 100 : (float)(random % 1000) / 8;
}

/* Rows by counting; an undirected loop is one arc. */
static bool make_plain(zoo_graph *g, const edge_list *l, bool directed, int weights) {
    uint64_t arcs = directed ? l->count : 2 * l->count;
    g->first = calloc((size_t)g->vertices + 2, sizeof *g->first);
    g->to = calloc(arcs + 1, sizeof *g->to);
    g->weight = calloc(arcs + 1, sizeof *g->weight);
    if (!g->first || !g->to || !g->weight) return false;
    for (uint64_t k = 0; k < l->count; k++) {
        g->first[l->from[k] + 2]++;
        if (!directed && l->from[k] != l->to[k]) g->first[l->to[k] + 2]++;
    }
    for (uint32_t v = 0; v < g->vertices; v++) g->first[v + 1] += g->first[v];
    for (uint64_t k = 0; k < l->count; k++)
        for (int way = 0; way < (directed || l->from[k] == l->to[k] ? 1 : 2); way++) {
            uint64_t at = g->first[(way ? l->to : l->from)[k] + 1]++;
            g->to[at] = (way ? l->from : l->to)[k];
            g->weight[at] = weight_of(k, weights);
        }
    return true;
}

/* A float for each edge: small whole numbers are kept as integers, as all weights are in the smallest type. */
static float *make_weights(const edge_list *l, int kind) {
    float *weights = calloc(l->count + 1, sizeof *weights);
    for (uint64_t k = 0; weights && k < l->count; k++) weights[k] = (float)weight_of(k, kind);
    return weights;
}

static meguri_status make_graph(zoo_graph *g, cli_run *run, const edge_list *l, const meguri_build_options *build,
                                int kind) {
    float *weights = kind ? make_weights(l, kind) : NULL;
    if (kind && !weights) return cli_fail(run, MEGURI_NO_MEMORY, "the system has no memory for a small graph.");
    meguri_edge_arrays edges = {.size = sizeof edges,
                                .count = l->count,
                                .from = l->from,
                                .to = l->to,
                                .id_bytes = 4,
                                .weights = weights,
                                .weight_type = kind ? MEGURI_TYPE_F32 : MEGURI_TYPE_NONE,
                                .vertices = g->vertices};
    meguri_status status = meguri_graph_from_edges(&g->graph, run->ctx, &edges, build);
    free(weights);
    return status;
}

/* Every shape directed and undirected; orders inside and weights take turns. */
meguri_status zoo_make(zoo_graph *out, bool *there, cli_run *run, unsigned index) {
    *out = (zoo_graph){0};
    *there = index < 2 * SHAPES;
    if (!*there) return MEGURI_OK;
    unsigned shape = index / 2;
    int weights = (int)(index % 3);
    bool directed = index % 2;
    meguri_build_options build = {.size = sizeof build,
                                  .direction = directed ? MEGURI_DIRECTED : MEGURI_UNDIRECTED,
                                  .order = (meguri_order)(1 + (shape + index) % 3),
                                  .duplicates = MEGURI_DUPLICATES_KEEP,
                                  .keep_loops = 1};
    edge_list l = {0};
    out->vertices = shapes[shape].fill(&l);
    snprintf(out->name, sizeof out->name, "%s, %s", shapes[shape].name, directed ? "directed" : "undirected");
    meguri_status status = MEGURI_OK;
    if (l.full || !make_plain(out, &l, directed, weights))
        status = cli_fail(run, MEGURI_NO_MEMORY, "the system has no memory for a small graph.");
    if (status == MEGURI_OK) status = make_graph(out, run, &l, &build, weights);
    meguri_graph_info info = {.size = sizeof info};
    if (status == MEGURI_OK) status = meguri_graph_get_info(&info, run->ctx, out->graph);
    out->integers = info.weight_type < MEGURI_TYPE_F32;
    free(l.from);
    free(l.to);
    if (status != MEGURI_OK) zoo_free(out);
    return status;
}

void zoo_free(zoo_graph *g) {
    meguri_graph_free(g->graph);
    free(g->first);
    free(g->to);
    free(g->weight);
    *g = (zoo_graph){0};
}
