/* The honest baseline of shortest paths: Dijkstra's search with a heap of four children a node, on plain rows.
 *
 * The rows are copied out of a graph through the public interface and numbered as the graph arranges them inside
 * (falling degree, or breadth-first), so that neither has the better memory. The heap knows the place of each vertex,
 * and one that comes nearer moves up; putting it in once more, and dropping what is out of date when it comes up, took
 * 1.6 times as long on Kronecker graphs and 1.3 times on streets. */
#ifndef BENCH_DIJKSTRA_H
#define BENCH_DIJKSTRA_H

#include "graphs.h"

#include <math.h>

/* Where a distance is a double, its bits: they are in the same order. */
typedef struct heap_entry {
    uint64_t key;
    uint32_t vertex;
} heap_entry;

typedef struct dijkstra {
    uint64_t vertices, arcs;
    bool real;
    uint64_t *offsets;
    uint32_t *neighbors;
    void *weights;      /* uint32_t or double */
    uint32_t *position; /* of each vertex, in the user's order */
    uint32_t *number;   /* the other way round */
    uint64_t *distance;
    uint32_t *parent;
    heap_entry *heap;
    uint32_t *place; /* of each vertex in the heap, once it is reached */
    uint64_t heap_count;
} dijkstra;

/* ---- rows ------------------------------------------------------------------------------------------------------- */

typedef struct by_degree {
    uint64_t degree;
    uint32_t vertex;
} by_degree;

static int falling(const void *a, const void *b) {
    const by_degree *x = a, *y = b;
    if (x->degree != y->degree) return x->degree > y->degree ? -1 : 1;
    return x->vertex < y->vertex ? -1 : 1;
}

static void order_by_degree(dijkstra *d, const uint64_t *degrees) {
    by_degree *all = calloc(d->vertices + 1, sizeof *all);
    for (uint64_t v = 0; v < d->vertices; v++) all[v] = (by_degree){degrees[v], (uint32_t)v};
    qsort(all, d->vertices, sizeof *all, falling);
    for (uint64_t i = 0; i < d->vertices; i++) d->position[i] = all[i].vertex;
    free(all);
}

/* From rows in the user's order. */
static void order_by_search(dijkstra *d) {
    uint64_t count = 0, next = 0;
    bool *seen = calloc(d->vertices + 1, sizeof *seen);
    for (uint64_t first = 0; first < d->vertices; first++) {
        if (seen[first]) continue;
        seen[first] = true;
        for (d->position[count++] = (uint32_t)first; next < count; next++) {
            uint32_t u = d->position[next];
            for (uint64_t i = d->offsets[u]; i < d->offsets[u + 1]; i++) {
                uint32_t v = d->neighbors[i];
                if (!seen[v]) d->position[count++] = v;
                seen[v] = true;
            }
        }
    }
    free(seen);
}

static meguri_status copy_row(dijkstra *d, meguri_ctx *ctx, const meguri_graph *graph, uint64_t v, uint64_t *row,
                              double *weights, uint64_t room) {
    uint64_t count;
    meguri_status status = meguri_graph_neighbors(row, weights, NULL, room, &count, ctx, graph, v);
    for (uint64_t i = 0; i < count && status == MEGURI_OK; i++) {
        uint64_t at = d->offsets[v] + i;
        d->neighbors[at] = (uint32_t)row[i];
        if (d->real) ((double *)d->weights)[at] = weights[i];
        else ((uint32_t *)d->weights)[at] = (uint32_t)weights[i];
    }
    return status;
}

/* The same rows in another numbering. */
static void renumber(dijkstra *d) {
    uint64_t *offsets = calloc(d->vertices + 1, sizeof *offsets);
    uint32_t *neighbors = calloc(d->arcs + 1, sizeof *neighbors);
    size_t size = d->real ? 8 : 4;
    char *weights = calloc(d->arcs + 1, size);
    for (uint64_t i = 0; i < d->vertices; i++) d->number[d->position[i]] = (uint32_t)i;
    for (uint64_t i = 0, at = 0; i < d->vertices; i++) {
        uint64_t begin = d->offsets[d->position[i]], end = d->offsets[d->position[i] + 1];
        memcpy(weights + at * size, (char *)d->weights + begin * size, (end - begin) * size);
        for (uint64_t k = begin; k < end; k++) neighbors[at++] = d->number[d->neighbors[k]];
        offsets[i + 1] = at;
    }
    free(d->offsets);
    free(d->neighbors);
    free(d->weights);
    d->offsets = offsets;
    d->neighbors = neighbors;
    d->weights = weights;
}

static inline meguri_status dijkstra_new(dijkstra *d, meguri_ctx *ctx, const meguri_graph *graph) {
    meguri_graph_info info = {.size = sizeof info};
    meguri_status status = meguri_graph_get_info(&info, ctx, graph);
    if (status != MEGURI_OK) return status;
    *d = (dijkstra){.vertices = info.vertices,
                    .arcs = info.arcs,
                    .real = info.weight_type == MEGURI_TYPE_F32 || info.weight_type == MEGURI_TYPE_F64};
    uint64_t n = d->vertices, longest = 0, *degrees = calloc(n + 1, 8);
    d->offsets = calloc(n + 1, 8);
    d->neighbors = calloc(d->arcs + 1, 4);
    d->weights = calloc(d->arcs + 1, d->real ? 8 : 4);
    d->position = calloc(n + 1, 4);
    d->number = calloc(n + 1, 4);
    d->distance = calloc(n + 1, 8);
    d->parent = calloc(n + 1, 4);
    d->heap = calloc(n + 1, sizeof *d->heap);
    d->place = calloc(n + 1, 4);
    status = meguri_graph_degrees(degrees, ctx, graph, 0, n);
    for (uint64_t v = 0; v < n; v++) {
        d->offsets[v + 1] = d->offsets[v] + degrees[v];
        if (degrees[v] > longest) longest = degrees[v];
    }
    uint64_t *row = calloc(longest + 1, 8);
    double *weights = calloc(longest + 1, 8);
    for (uint64_t v = 0; v < n && status == MEGURI_OK; v++) status = copy_row(d, ctx, graph, v, row, weights, longest);
    for (uint64_t v = 0; v < n; v++) d->position[v] = (uint32_t)v;
    if (info.order == MEGURI_ORDER_DEGREE) order_by_degree(d, degrees);
    if (info.order == MEGURI_ORDER_BFS) order_by_search(d);
    if (status == MEGURI_OK) renumber(d);
    free(degrees);
    free(row);
    free(weights);
    return status;
}

static inline void dijkstra_free(dijkstra *d) {
    void *blocks[] = {d->offsets,  d->neighbors, d->weights, d->position, d->number,
                      d->distance, d->parent,    d->heap,    d->place};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) free(blocks[i]);
}

/* ---- the search ------------------------------------------------------------------------------------------------- */

/* Puts an entry at this place, or further up. */
static inline void heap_raise(dijkstra *d, uint64_t at, heap_entry entry) {
    for (; at; at = (at - 1) / 4) {
        heap_entry above = d->heap[(at - 1) / 4];
        if (above.key <= entry.key) break;
        d->heap[at] = above;
        d->place[above.vertex] = (uint32_t)at;
    }
    d->heap[at] = entry;
    d->place[entry.vertex] = (uint32_t)at;
}

static inline heap_entry heap_pop(dijkstra *d) {
    heap_entry first = d->heap[0], last = d->heap[--d->heap_count];
    uint64_t at = 0, count = d->heap_count;
    for (uint64_t child; (child = 4 * at + 1) < count;) {
        uint64_t end = child + 4 < count ? child + 4 : count, least = child;
        for (uint64_t c = child + 1; c < end; c++)
            if (d->heap[c].key < d->heap[least].key) least = c;
        if (last.key <= d->heap[least].key) break;
        d->heap[at] = d->heap[least];
        d->place[d->heap[at].vertex] = (uint32_t)at;
        at = least;
    }
    d->heap[at] = last;
    d->place[last.vertex] = (uint32_t)at;
    return first;
}

static inline __attribute__((always_inline)) void dijkstra_loop(dijkstra *d, bool real) {
    while (d->heap_count) {
        heap_entry top = heap_pop(d);
        double far;
        memcpy(&far, &top.key, sizeof far);
        for (uint64_t i = d->offsets[top.vertex]; i < d->offsets[top.vertex + 1]; i++) {
            uint32_t v = d->neighbors[i];
            uint64_t key;
            if (real) {
                double sum = far + ((const double *)d->weights)[i];
                memcpy(&key, &sum, sizeof key);
            } else key = top.key + ((const uint32_t *)d->weights)[i];
            if (key >= d->distance[v]) continue;
            bool inside = d->parent[v] != UINT32_MAX;
            d->distance[v] = key;
            d->parent[v] = top.vertex;
            heap_raise(d, inside ? d->place[v] : d->heap_count++, (heap_entry){key, v});
        }
    }
}

/* From a vertex in the user's order; distances and parents are in the order of the rows. */
static inline void dijkstra_run(dijkstra *d, uint64_t source) {
    double infinite = INFINITY;
    uint64_t far = UINT64_MAX;
    if (d->real) memcpy(&far, &infinite, sizeof far);
    for (uint64_t v = 0; v < d->vertices; v++) d->distance[v] = far;
    memset(d->parent, 0xff, d->vertices * sizeof *d->parent);
    uint32_t v = d->number[source];
    d->distance[v] = 0;
    d->parent[v] = v;
    d->heap_count = 1;
    heap_raise(d, 0, (heap_entry){0, v});
    if (d->real) dijkstra_loop(d, true);
    else dijkstra_loop(d, false);
}

/* Whether these distances, in the user's order, are the same. */
static inline bool dijkstra_agrees(const dijkstra *d, const void *distance) {
    for (uint64_t v = 0; v < d->vertices; v++)
        if (memcmp((const char *)distance + 8 * (uint64_t)d->position[v], &d->distance[v], 8) != 0) return false;
    return true;
}

#endif
