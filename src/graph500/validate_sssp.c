/* Are these the shortest paths? The five rules of the Graph500 specification for kernel 3, checked against the edge
 * list alone: nothing here has seen the graph that was searched, nor the search.
 *
 * The specification allows for rounding; here there is none to allow for. A distance is a sum of f32 weights, added up
 * in f64 from the root on, and rounding keeps order: of two paths to a neighbour the one that is not longer stays so
 * with the edge added. So the smallest of these sums is reached by extending smallest sums, and
 *
 *   distance(root) = 0,
 *   distance(v) = distance(parent(v)) + weight, exactly, for an edge that joins the two,
 *   distance(v) <= distance(u) + weight for every edge
 *
 * say together that every distance is that of a path (the one through the tree) and of no path that is longer than
 * another. Among parallel edges the third line leaves the lightest for the second. Edges may weigh 0, so distances do
 * not rule out that parents form a cycle: levels do (tree.c), which are found from the parents as for search trees.
 *
 * Passes, each over shares on all threads:
 *   parents, levels  rule 1 (tree.c);
 *   distances        rule 2, but for edges: who is in the tree has a distance, the root 0, and nobody else has one;
 *   edges            rules 3 and 4; and for each vertex whose edge to its parent adds up, a mark that it was seen;
 *   marks            rules 2 and 5: every vertex but the root has the mark. */
#include "graph500/graph500.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>

/* ---- distances: rule 2 ------------------------------------------------------------------------------------------ */

/* The order of numbers that are not negative is that of their bits. */
static uint64_t bits_of(double distance) {
    uint64_t bits;
    distance += 0.0; /* -0 becomes 0 */
    memcpy(&bits, &distance, sizeof bits);
    return bits;
}

static mg_tally look_at_distances(mg_tree_check *c, uint64_t begin, uint64_t end) {
    mg_tally t = {.bad = MG_NOBODY};
    for (uint64_t v = begin; v < end; v++) {
        double d = c->distance[v];
        bool inside = c->parent[v] != MG_NO_VERTEX;
        c->shared->bytes[v] = 0;
        if (inside ? !(d >= 0 && d <= DBL_MAX) || (v == c->root && d != 0) : !(d > DBL_MAX))
            return (mg_tally){.bad = v};
        if (inside) t.max = MG_MAX(t.max, bits_of(d));
    }
    return t;
}

static meguri_status fail_distance(const mg_tree_check *c, uint64_t v) {
    const char *which = v == c->root ? ", which is the root," : ", which is not in it,";
    bool inside = c->parent[v] != MG_NO_VERTEX;
    return mg_tree_broken(c, 2, "the distance of vertex %" PRIu64 "%s is given as %.17g.", v,
                          inside && v != c->root ? "" : which, c->distance[v]);
}

static meguri_status check_distances(mg_tree_check *c) {
    mg_tally t;
    meguri_status status = mg_tree_pass(&t, c, look_at_distances, c->shared->vertices);
    if (status == MEGURI_OK && t.bad != MG_NOBODY) status = fail_distance(c, t.bad);
    memcpy(&c->facts.farthest, &t.max, sizeof t.max);
    return status;
}

/* ---- edges: rules 3 and 4, and marks for the rest --------------------------------------------------------------- */

static bool is_weight(float w) { return w >= 0 && w <= FLT_MAX; }

/* What is not reached is infinitely far, so an edge that leads out of the tree is too short for the step. */
static bool edge_is_good(double from, double to, float w) {
    return (from <= to + (double)w) & (to <= from + (double)w) & is_weight(w);
}

/* Looks at `count` edges; the first that breaks a rule, or `count`. This pass is nearly all of the time, and most of
 * that goes into two looks at random vertices for each edge: the distances are fetched first, by a loop that does
 * nothing else, so that as many of them as possible are on their way at once. Edges that add up in either direction are
 * set aside and compared with the parents afterwards; not many more than those of the tree do. */
static uint64_t look_closely(const mg_tree_check *c, const uint32_t *ends, const float *weights, uint64_t count,
                             uint64_t *inside) {
    const double *distance = c->distance;
    double at[2 * MG_LOOK];
    uint32_t aside[MG_LOOK];
    uint64_t candidates = 0, broken = 0;
    for (uint64_t i = 0; i < 2 * count; i++) at[i] = distance[ends[i]];
    for (uint64_t i = 0; i < count; i++) {
        double from = at[2 * i], to = at[2 * i + 1], w = (double)weights[i];
        *inside += from <= DBL_MAX;
        broken += !edge_is_good(from, to, weights[i]);
        aside[candidates] = (uint32_t)i;
        candidates += (from + w == to) | (to + w == from);
    }
    if (broken) {
        uint64_t i = 0;
        while (edge_is_good(distance[ends[2 * i]], distance[ends[2 * i + 1]], weights[i])) i++;
        return i;
    }
    for (uint64_t k = 0; k < candidates; k++) {
        uint32_t u = ends[2 * aside[k]], v = ends[2 * aside[k] + 1];
        double w = (double)weights[aside[k]];
        /* Several threads may mark one vertex. */
        if (c->parent[v] == u && distance[u] + w == distance[v]) mg_store(&c->shared->bytes[v], 1);
        if (c->parent[u] == v && distance[v] + w == distance[u]) mg_store(&c->shared->bytes[u], 1);
    }
    return count;
}

static mg_tally look_at_edges(mg_tree_check *c, uint64_t begin, uint64_t end) {
    const mg_edge_view *edges = c->shared->edges;
    uint64_t inside = 0;
    for (uint64_t at = begin; at < end; at += MG_LOOK) {
        uint32_t room[2 * MG_LOOK], largest = 0;
        float weights_room[MG_LOOK];
        uint64_t count = MG_MIN(end - at, (uint64_t)MG_LOOK), bad = 0;
        const uint32_t *ends = edges->look(edges, room, at, at + count);
        const float *weights = edges->weigh(edges, weights_room, at, at + count);
        for (uint64_t i = 0; i < 2 * count; i++) largest = MG_MAX(largest, ends[i]);
        if (largest < c->shared->vertices) bad = look_closely(c, ends, weights, count, &inside);
        else
            while (ends[2 * bad] < c->shared->vertices && ends[2 * bad + 1] < c->shared->vertices) bad++;
        if (bad < count) return (mg_tally){.bad = at + bad};
    }
    return (mg_tally){.bad = MG_NOBODY, .sum = inside};
}

static meguri_status fail_edge(const mg_tree_check *c, uint64_t i) {
    const mg_edge_view *edges = c->shared->edges;
    uint32_t room[2 * MG_LOOK];
    float weight_room[MG_LOOK];
    const uint32_t *ends = edges->look(edges, room, i, i + 1);
    double w = (double)*edges->weigh(edges, weight_room, i, i + 1);
    uint32_t u = ends[0], v = ends[1];
    uint64_t vertices = c->shared->vertices;
    if (u >= vertices || v >= vertices)
        return mg_fail(c->ctx, MEGURI_BAD_ARGUMENT,
                       "edge %" PRIu64 " of the list joins %u and %u, but the vertices are 0 to %" PRIu64 ".", i, u, v,
                       vertices - 1);
    if (!is_weight((float)w))
        return mg_fail(c->ctx, MEGURI_BAD_ARGUMENT,
                       "edge %" PRIu64 " of the list weighs %.9g, and only numbers from 0 on can be checked.", i, w);
    double from = c->distance[u], to = c->distance[v];
    if (isinf(from) || isinf(to))
        return mg_tree_broken(c, 4, "edge %" PRIu64 " joins vertex %u, which is in it, and vertex %u, which is not.", i,
                              isinf(from) ? v : u, isinf(from) ? u : v);
    return mg_tree_broken(
        c, 3, "edge %" PRIu64 " of weight %.9g joins vertex %u at distance %.17g and vertex %u at distance %.17g.", i,
        w, u, from, v, to);
}

static meguri_status check_edges(mg_tree_check *c) {
    mg_tally t;
    meguri_status status = mg_tree_pass(&t, c, look_at_edges, c->shared->edges->count);
    if (status == MEGURI_OK && t.bad != MG_NOBODY) status = fail_edge(c, t.bad);
    c->facts.edges = t.sum;
    return status;
}

/* ---- marks: rules 2 and 5 --------------------------------------------------------------------------------------- */

static mg_tally look_at_marks(mg_tree_check *c, uint64_t begin, uint64_t end) {
    for (uint64_t v = begin; v < end; v++)
        if (!c->shared->bytes[v] && c->parent[v] != MG_NO_VERTEX && v != c->root) return (mg_tally){.bad = v};
    return (mg_tally){.bad = MG_NOBODY};
}

/* The edges that join the suspect and its parent: how many, and the lightest, of which `max` has all bits turned. */
static mg_tally look_for_suspect(mg_tree_check *c, uint64_t begin, uint64_t end) {
    const mg_edge_view *edges = c->shared->edges;
    uint32_t suspect = c->suspect, parent = c->parent[suspect];
    mg_tally t = {.bad = MG_NOBODY};
    for (uint64_t at = begin; at < end; at += MG_LOOK) {
        uint32_t room[2 * MG_LOOK];
        float weights_room[MG_LOOK];
        uint64_t count = MG_MIN(end - at, (uint64_t)MG_LOOK);
        const uint32_t *ends = edges->look(edges, room, at, at + count);
        const float *weights = edges->weigh(edges, weights_room, at, at + count);
        for (uint64_t i = 0; i < count; i++) {
            uint32_t u = ends[2 * i], v = ends[2 * i + 1];
            if ((u != suspect || v != parent) && (v != suspect || u != parent)) continue;
            t.sum++;
            t.max = MG_MAX(t.max, ~bits_of((double)weights[i]));
        }
    }
    return t;
}

static meguri_status fail_mark(mg_tree_check *c, uint32_t v) {
    mg_tally t;
    uint32_t p = c->parent[v];
    double lightest;
    c->suspect = v;
    c->shared->work += c->shared->edges->count;
    meguri_status status = mg_tree_pass(&t, c, look_for_suspect, c->shared->edges->count);
    if (status != MEGURI_OK) return status;
    if (t.sum == 0) return mg_tree_broken(c, 5, "no edge of the list joins vertex %u and its parent %u.", v, p);
    memcpy(&lightest, &(uint64_t){~t.max}, sizeof lightest);
    return mg_tree_broken(c, 2,
                          "vertex %u is at distance %.17g, but its parent %u at %.17g, and the lightest edge that "
                          "joins them weighs %.9g.",
                          v, c->distance[v], p, c->distance[p], lightest);
}

static meguri_status check_marks(mg_tree_check *c) {
    mg_tally t;
    meguri_status status = mg_tree_pass(&t, c, look_at_marks, c->shared->vertices);
    if (status != MEGURI_OK || t.bad == MG_NOBODY) return status;
    return fail_mark(c, (uint32_t)t.bad);
}

/* ---- the whole -------------------------------------------------------------------------------------------------- */

meguri_status mg_graph500_validate_paths(meguri_graph500_tree *out, meguri_ctx *ctx, mg_graph500_validator *validator,
                                         uint32_t root, const uint32_t *parent, const double *distance) {
    mg_tree_check c = {.ctx = ctx,
                       .shared = validator,
                       .what = "tree of shortest paths",
                       .root = root,
                       .parent = parent,
                       .distance = distance,
                       .on_cycle = MG_NOBODY};
    meguri_status status = mg_tree_check_rule_1(&c);
    if (status == MEGURI_OK) status = check_distances(&c);
    if (status == MEGURI_OK) status = check_edges(&c);
    if (status == MEGURI_OK) status = check_marks(&c);
    if (status == MEGURI_OK) *out = c.facts;
    return status;
}

typedef struct weighted_view {
    mg_edge_view base;
    const uint32_t *pairs;
    const float *weights;
} weighted_view;

static const uint32_t *look_at_pairs(const mg_edge_view *self, uint32_t room[2 * MG_LOOK], uint64_t begin,
                                     uint64_t end) {
    (void)room, (void)end;
    return ((const weighted_view *)self)->pairs + 2 * begin;
}

static const float *look_at_weights(const mg_edge_view *self, float room[MG_LOOK], uint64_t begin, uint64_t end) {
    (void)room, (void)end;
    return ((const weighted_view *)self)->weights + begin;
}

meguri_status meguri_graph500_validate_sssp(meguri_graph500_tree *out, meguri_ctx *ctx, const uint32_t *pairs,
                                            const float *weights, uint64_t count, uint64_t vertices, uint64_t root,
                                            const uint32_t *parent, const double *distance) {
    meguri_graph500_tree facts;
    mg_graph500_validator validator;
    weighted_view view = {{.look = look_at_pairs, .weigh = look_at_weights, .count = count}, pairs, weights};
    if (!ctx) return MEGURI_BAD_ARGUMENT;
    mg_begin(ctx);
    if (((!pairs || !weights) && count) || !parent || !distance)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT,
                       "meguri_graph500_validate_sssp needs an edge list with weights, a tree and distances.");
    meguri_status status = mg_tree_check_arguments(ctx, out, count, vertices, root);
    if (status != MEGURI_OK) return status;
    status = mg_graph500_validator_new(&validator, ctx, &view.base, vertices, 1);
    if (status == MEGURI_OK)
        status = mg_graph500_validate_paths(&facts, ctx, &validator, (uint32_t)root, parent, distance);
    mg_graph500_validator_free(&validator);
    if (status == MEGURI_OK) mg_tree_give(out, &facts);
    return status;
}
