/* Which vertices go into which part of a graph that is cut: equal parts, few edges between them.
 *
 * Vertices are put in a breadth-first order over edges in both directions, and ranges of it become parts: neighbours
 * are near each other there, as in Cuthill and McKee's order (1969). Then a few sweeps move each vertex to the part
 * that has most of its neighbours, as label propagation does, where that part has room: no part grows beyond 21/20 of
 * its share, and none shrinks below 19/20. Every move takes an edge out of the cut at least, so sweeps only improve it.
 */
#include "graph/graph.h"

enum { SWEEPS = 8 };

typedef struct cutting {
    mg_rows out, in;
    bool directed;
    uint32_t vertices, parts;
    uint32_t *part;
    uint32_t *size;  /* of each part */
    uint32_t *count; /* neighbours of a vertex in each part */
    uint32_t *touched;
} cutting;

/* Calls for each neighbour of a vertex, along edges and against them. */
#define EACH_NEIGHBOR(c, v, n, body)                                                                                   \
    for (int way = 0; way < ((c)->directed ? 2 : 1); way++) {                                                          \
        const mg_rows *rows = way ? &(c)->in : &(c)->out;                                                              \
        for (uint64_t at = mg_row_begin(rows, v), end = mg_row_end(rows, v); at < end; at++) {                         \
            uint32_t n = rows->neighbors[at];                                                                          \
            body                                                                                                       \
        }                                                                                                              \
    }

/* Looked for now and then, in loops over vertices. */
static bool is_cancelled(meguri_ctx *ctx, uint32_t step) { return step % 65536 == 0 && mg_progress(ctx, "cut", 0, 0); }

/* All vertices, each component from its first on. `seen` is zero at first. */
static meguri_status breadth_first(const cutting *c, meguri_ctx *ctx, uint32_t *order, uint8_t *seen) {
    uint32_t done = 0, count = 0;
    for (uint32_t start = 0; start < c->vertices; start++) {
        if (seen[start]) continue;
        seen[start] = 1;
        order[count++] = start;
        while (done < count) {
            if (is_cancelled(ctx, done)) return mg_fail_cancelled(ctx);
            uint32_t v = order[done++];
            EACH_NEIGHBOR(c, v, n, {
                if (!seen[n]) {
                    seen[n] = 1;
                    order[count++] = n;
                }
            })
        }
    }
    return MEGURI_OK;
}

/* Moves a vertex to where most of its neighbours are, if it may; whether it moved. */
static bool improve(cutting *c, uint32_t v, uint32_t least, uint32_t most) {
    uint32_t own = c->part[v], best = own, touched = 0;
    EACH_NEIGHBOR(c, v, n, {
        if (n != v && !c->count[c->part[n]]++) c->touched[touched++] = c->part[n];
    })
    for (uint32_t i = 0; i < touched; i++) {
        uint32_t p = c->touched[i];
        if (c->count[p] > c->count[best] && c->size[p] < most) best = p;
    }
    for (uint32_t i = 0; i < touched; i++) c->count[c->touched[i]] = 0;
    if (best == own || c->size[own] <= least) return false;
    c->size[own]--;
    c->size[best]++;
    c->part[v] = best;
    return true;
}

static meguri_status cut_by_locality(cutting *c, meguri_ctx *ctx) {
    uint32_t *order = mg_alloc_array(ctx, c->vertices, sizeof *order, "an order of vertices");
    uint8_t *seen = order ? mg_alloc_array_zero(ctx, c->vertices, 1, "marks of vertices") : NULL;
    meguri_status status = seen ? MEGURI_OK : MEGURI_NO_MEMORY;
    if (status == MEGURI_OK) status = breadth_first(c, ctx, order, seen);
    for (uint32_t i = 0; status == MEGURI_OK && i < c->vertices; i++) {
        if (is_cancelled(ctx, i)) status = mg_fail_cancelled(ctx);
        uint32_t part = (uint32_t)((uint64_t)i * c->parts / c->vertices);
        c->part[order[i]] = part;
        c->size[part]++;
    }
    uint64_t share = c->vertices / c->parts;
    uint32_t most = (uint32_t)(share + share / 20 + 1), least = (uint32_t)(share - share / 20);
    for (uint64_t sweep = 0, moved = 1; sweep < SWEEPS && moved && status == MEGURI_OK; sweep++) {
        moved = 0;
        for (uint32_t i = 0; i < c->vertices; i++) {
            moved += improve(c, order[i], least, most);
            if (i % 65536 == 0 && mg_progress(ctx, "cut", sweep * c->vertices + i, (uint64_t)SWEEPS * c->vertices)) {
                status = mg_fail_cancelled(ctx);
                break;
            }
        }
    }
    mg_free(seen);
    mg_free(order);
    return status;
}

/* splitmix64 of the place: the same whoever draws it. */
static uint64_t draw(uint64_t seed, uint64_t place) {
    uint64_t z = seed + (place + 1) * 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

/* A random order, of which the first go to part 0, and so on: sizes differ by one at most. */
static meguri_status cut_at_random(cutting *c, meguri_ctx *ctx, uint64_t seed) {
    for (uint32_t i = 0; i < c->vertices; i++) c->part[i] = (uint32_t)((uint64_t)i * c->parts / c->vertices);
    for (uint32_t i = c->vertices; i > 1; i--) {
        if (is_cancelled(ctx, i)) return mg_fail_cancelled(ctx);
        uint32_t j = (uint32_t)(draw(seed, i) % i), kept = c->part[i - 1];
        c->part[i - 1] = c->part[j];
        c->part[j] = kept;
    }
    return MEGURI_OK;
}

meguri_status mg_graph_cut(uint32_t *part, meguri_ctx *ctx, const meguri_graph *graph, uint32_t parts, bool at_random,
                           uint64_t seed) {
    cutting c = {.vertices = (uint32_t)graph->vertices, .parts = parts, .part = part, .directed = graph->directed};
    if (at_random) return cut_at_random(&c, ctx, seed);
    meguri_status status = mg_graph_rows(&c.out, ctx, graph);
    if (status == MEGURI_OK && c.directed) status = mg_graph_in_rows(&c.in, ctx, graph);
    if (status != MEGURI_OK) return status;
    c.size = mg_alloc_array_zero(ctx, (uint64_t)parts * 3, sizeof *c.size, "sizes of parts");
    if (!c.size) return MEGURI_NO_MEMORY;
    c.count = c.size + parts;
    c.touched = c.count + parts;
    status = cut_by_locality(&c, ctx);
    mg_free(c.size);
    return status;
}
