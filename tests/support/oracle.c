/* The slow builder and searches that results are compared with. */
#include "support/oracle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool ids_are_signed;

static int by_id(const void *a, const void *b) {
    uint64_t flip = ids_are_signed ? UINT64_C(1) << 63 : 0;
    uint64_t x = *(const uint64_t *)a ^ flip, y = *(const uint64_t *)b ^ flip;
    return x < y ? -1 : x > y;
}

static int by_arc(const void *a, const void *b) {
    const oracle_arc *x = a, *y = b;
    if (x->row != y->row) return x->row < y->row ? -1 : 1;
    if (x->column != y->column) return x->column < y->column ? -1 : 1;
    if (x->weight != y->weight) return x->weight < y->weight ? -1 : 1;
    return x->edge < y->edge ? -1 : x->edge > y->edge;
}

/* Of arcs that are equal but for weight and edge, by these, what is left. */
static oracle_arc merge_equal(const oracle_arc *arcs, uint64_t count, meguri_duplicates how) {
    oracle_arc first = arcs[0], largest = arcs[0];
    long double sum = 0;
    for (uint64_t i = 0; i < count; i++) {
        sum += arcs[i].weight;
        if (arcs[i].edge < first.edge) first = arcs[i];
        if (arcs[i].weight > largest.weight) largest = arcs[i];
    }
    if (how == MEGURI_DUPLICATES_MIN) return arcs[0];
    if (how == MEGURI_DUPLICATES_MAX) return largest;
    if (how == MEGURI_DUPLICATES_SUM) first.weight = (double)sum;
    if (how == MEGURI_DUPLICATES_COUNT) first.weight = (double)count;
    return first;
}

uint64_t oracle_merge(oracle_arc *arcs, uint64_t count, meguri_duplicates how) {
    uint64_t kept = 0;
    if (how == MEGURI_DUPLICATES_KEEP) return count;
    for (uint64_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && arcs[end].row == arcs[i].row && arcs[end].column == arcs[i].column;) end++;
        arcs[kept++] = merge_equal(arcs + i, end - i, how);
    }
    return kept;
}

bool oracle_weighted(bool weighted, const meguri_build_options *o) {
    return o->duplicates == MEGURI_DUPLICATES_COUNT || (weighted && !o->ignore_weights);
}

meguri_type oracle_weight_type(const oracle *o) {
    bool whole = true, is_float = true;
    double most = 0;
    for (uint64_t i = 0; i < o->arc_count; i++) {
        double weight = o->arcs[i].weight;
        whole &= weight >= 0 && weight <= UINT32_MAX && weight == floor(weight);
        is_float &= weight == (double)(float)weight;
        most = fmax(most, weight);
    }
    if (!whole) return is_float ? MEGURI_TYPE_F32 : MEGURI_TYPE_F64;
    return most <= UINT8_MAX ? MEGURI_TYPE_U8 : most <= UINT16_MAX ? MEGURI_TYPE_U16 : MEGURI_TYPE_U32;
}

static uint64_t position(const oracle *o, uint64_t id) {
    const uint64_t *found = bsearch(&id, o->ids, o->vertices, sizeof id, by_id);
    return (uint64_t)(found - o->ids);
}

static void find_ids(oracle *o, const zoo_graph *g) {
    uint64_t all = g->vertices ? g->vertices : 2 * g->count;
    o->ids = malloc((all + 1) * sizeof *o->ids);
    if (!o->ids) abort();
    for (uint64_t i = 0; i < all; i++) o->ids[i] = g->vertices ? i : g->pairs[i];
    qsort(o->ids, all, sizeof *o->ids, by_id);
    for (uint64_t i = 0; i < all; i++)
        if (i == 0 || o->ids[i] != o->ids[i - 1]) o->ids[o->vertices++] = o->ids[i];
}

oracle oracle_build(const zoo_graph *g, const meguri_build_options *options) {
    oracle o = {0};
    bool undirected = options->direction == MEGURI_UNDIRECTED;
    ids_are_signed = g->signed_ids && !g->vertices;
    find_ids(&o, g);
    o.arcs = malloc((2 * g->count + 1) * sizeof *o.arcs);
    bool *touched = calloc(o.vertices + 1, 1);
    if (!o.arcs || !touched) abort();
    for (uint64_t i = 0; i < g->count; i++) {
        uint64_t from = position(&o, g->pairs[2 * i]), to = position(&o, g->pairs[2 * i + 1]);
        double weight = g->weights && !options->ignore_weights ? g->weights[i] : 1;
        if (from == to && !options->keep_loops) {
            o.dropped_loops++;
            continue;
        }
        touched[from] = touched[to] = true;
        o.arcs[o.arc_count++] = (oracle_arc){from, to, weight, i};
        if (undirected && from != to) o.arcs[o.arc_count++] = (oracle_arc){to, from, weight, i};
    }
    qsort(o.arcs, o.arc_count, sizeof *o.arcs, by_arc);
    for (uint64_t i = 0; i < o.arc_count; i++) o.dropped_duplicates += !undirected || o.arcs[i].row <= o.arcs[i].column;
    o.arc_count = oracle_merge(o.arcs, o.arc_count, options->duplicates);
    for (uint64_t i = 0; i < o.arc_count; i++) o.edges += !undirected || o.arcs[i].row <= o.arcs[i].column;
    o.dropped_duplicates -= o.edges;
    for (uint64_t v = 0; v < o.vertices; v++) o.isolated += !touched[v];
    free(touched);
    return o;
}

void oracle_free(oracle *o) {
    free(o->ids);
    free(o->arcs);
    *o = (oracle){0};
}

meguri_status zoo_build(meguri_graph **out, meguri_ctx *ctx, const zoo_graph *g, const meguri_build_options *options) {
    meguri_edge_arrays e = {.size = sizeof e,
                            .count = g->count,
                            .from = g->pairs,
                            .to = g->pairs ? g->pairs + 1 : NULL,
                            .id_bytes = 8,
                            .stride = 16,
                            .signed_ids = g->signed_ids,
                            .weights = g->weights,
                            .weight_type = g->weights ? MEGURI_TYPE_F64 : MEGURI_TYPE_NONE,
                            .vertices = g->vertices};
    return meguri_graph_from_edges(out, ctx, &e, options);
}

static const char *compare_rows(const oracle *o, meguri_ctx *ctx, const meguri_graph *graph, bool weighted,
                                uint64_t *neighbors, double *weights, uint64_t room) {
    uint64_t at = 0;
    for (uint64_t v = 0; v < o->vertices; v++) {
        uint64_t count, degree;
        if (meguri_graph_neighbors(neighbors, weights, NULL, room, &count, ctx, graph, v)) return "neighbours failed";
        if (meguri_graph_degrees(&degree, ctx, graph, v, 1)) return "degrees failed";
        if (degree != count) return "degree differs from the number of neighbours";
        for (uint64_t i = 0; i < count; i++, at++) {
            if (at >= o->arc_count || o->arcs[at].row != v) return "too many neighbours";
            if (o->arcs[at].column != neighbors[i]) return "a neighbour differs";
            if ((weighted ? o->arcs[at].weight : 1) != weights[i]) return "a weight differs";
        }
    }
    return at == o->arc_count ? NULL : "too few neighbours";
}

static const char *compare_in_rows(const oracle *o, meguri_ctx *ctx, const meguri_graph *graph, bool weighted,
                                   uint64_t *neighbors, double *weights, uint64_t room) {
    oracle_arc *back = malloc((o->arc_count + 1) * sizeof *back);
    if (!back) abort();
    for (uint64_t i = 0; i < o->arc_count; i++)
        back[i] = (oracle_arc){o->arcs[i].column, o->arcs[i].row, o->arcs[i].weight, o->arcs[i].edge};
    qsort(back, o->arc_count, sizeof *back, by_arc);
    const char *wrong = NULL;
    uint64_t at = 0;
    for (uint64_t v = 0; v < o->vertices && !wrong; v++) {
        uint64_t count, degree;
        if (meguri_graph_in_neighbors(neighbors, weights, NULL, room, &count, ctx, graph, v))
            wrong = "in-neighbours failed";
        else if (meguri_graph_in_degrees(&degree, ctx, graph, v, 1) || degree != count) wrong = "in-degree differs";
        for (uint64_t i = 0; i < count && !wrong; i++, at++)
            if (at >= o->arc_count || back[at].row != v || back[at].column != neighbors[i] ||
                (weighted ? back[at].weight : 1) != weights[i])
                wrong = "an in-neighbour differs";
    }
    if (!wrong && at != o->arc_count) wrong = "too few in-neighbours";
    free(back);
    return wrong;
}

static const char *compare_ids(const oracle *o, meguri_ctx *ctx, const meguri_graph *graph) {
    uint64_t *ids = malloc((o->vertices + 1) * sizeof *ids), vertex;
    const char *wrong = NULL;
    if (!ids) abort();
    if (meguri_graph_ids(ids, ctx, graph, 0, o->vertices)) wrong = "ids failed";
    else if (memcmp(ids, o->ids, o->vertices * sizeof *ids) != 0) wrong = "ids differ";
    for (uint64_t v = 0; v < o->vertices && !wrong; v++)
        if (meguri_graph_find(&vertex, ctx, graph, o->ids[v]) || vertex != v) wrong = "an id is not found";
    free(ids);
    return wrong;
}

const char *oracle_compare(const oracle *o, meguri_ctx *ctx, const meguri_graph *graph, bool weighted) {
    meguri_graph_info info = {.size = sizeof info};
    if (meguri_graph_get_info(&info, ctx, graph)) return "info failed";
    if (info.vertices != o->vertices) return "number of vertices differs";
    if (info.arcs != o->arc_count) return "number of arcs differs";
    if (info.edges != o->edges) return "number of edges differs";
    if (info.isolated != o->isolated) return "number of isolated vertices differs";
    if (info.dropped_loops != o->dropped_loops) return "dropped loops differ";
    if (info.dropped_duplicates != o->dropped_duplicates) return "dropped duplicates differ";
    if (o->arc_count && weighted != (info.weight_type != MEGURI_TYPE_NONE)) return "it has weights, or has none";
    if (o->arc_count && weighted && info.weight_storage != oracle_weight_type(o))
        return "the type of weights is not the smallest";
    uint64_t *neighbors = malloc((o->arc_count + 1) * sizeof *neighbors);
    double *weights = malloc((o->arc_count + 1) * sizeof *weights);
    if (!neighbors || !weights) abort();
    const char *wrong = compare_ids(o, ctx, graph);
    if (!wrong) wrong = compare_rows(o, ctx, graph, weighted, neighbors, weights, o->arc_count + 1);
    if (!wrong) wrong = compare_in_rows(o, ctx, graph, weighted, neighbors, weights, o->arc_count + 1);
    free(neighbors);
    free(weights);
    return wrong;
}
