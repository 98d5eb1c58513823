/* Is it a breadth-first search tree? The five rules of the Graph500 specification (section "Validation"), checked
 * against the edge list alone: nothing here has seen the graph that was searched, nor the search.
 *
 * Passes, each over shares on all threads:
 *   parents, levels  rule 1 (tree.c);
 *   edges            rules 3 and 4; and for each vertex that has an edge to its parent, a mark that it was seen;
 *   marks            rule 5: every vertex but the root has the mark.
 * Levels come from parents, so rule 2 can only be broken by levels that the caller gives; those are compared. */
#include "graph500/graph500.h"

#include <inttypes.h>

/* ---- levels: rule 2 --------------------------------------------------------------------------------------------- */

static int64_t level_of(const mg_tree_check *c, uint64_t v) {
    uint32_t level = c->shared->words[v] & ~MG_TREE_SEEN;
    return level == MG_TREE_OUTSIDE ? -1 : (int64_t)level;
}

static mg_tally compare_levels(mg_tree_check *c, uint64_t begin, uint64_t end) {
    for (uint64_t v = begin; v < end; v++)
        if (c->level[v] != level_of(c, v)) return (mg_tally){.bad = v};
    return (mg_tally){.bad = MG_NOBODY};
}

static meguri_status fail_level(const mg_tree_check *c, uint64_t v) {
    uint32_t p = c->parent[v];
    if (p == MG_NO_VERTEX || v == c->root)
        return mg_tree_broken(c, 2, "the level of vertex %" PRIu64 ", which is %s, is given as %d.", v,
                              v == c->root ? "the root" : "not in it", (int)c->level[v]);
    return mg_tree_broken(c, 2,
                          "the level of vertex %" PRIu64 " is given as %d, but by its parent %u it is %" PRId64 ".", v,
                          (int)c->level[v], p, level_of(c, v));
}

static meguri_status check_levels(mg_tree_check *c) {
    mg_tally t;
    if (!c->level) return MEGURI_OK;
    meguri_status status = mg_tree_pass(&t, c, compare_levels, c->shared->vertices);
    if (status == MEGURI_OK && t.bad != MG_NOBODY) status = fail_level(c, t.bad);
    return status;
}

/* ---- edges: rules 3 and 4, and marks for rule 5 ----------------------------------------------------------------- */

/* This pass is nearly all of the time: two looks at random vertices for each edge. So the words of a tree that is not
 * deep become bytes, which fit the cache; and there is no branch that can be guessed wrong. An edge from one level to
 * the next may be that of a vertex and its parent: those are set aside, unless such an edge of the vertex has been
 * seen, and compared with the parents after each look. */
#define BYTE_SEEN    0x80u
#define BYTE_OUTSIDE 0x7fu
enum { BYTE_LEVELS = 0x7e }; /* two levels more would be OUTSIDE: too near to be told from it */

typedef struct candidate {
    uint32_t child, parent;
} candidate;

/* Looks at `count` edges; the first that breaks a rule, or `count`. The same text for both sizes of words. */
static inline __attribute__((always_inline)) uint64_t look_closely(const mg_tree_check *c, const uint32_t *ends,
                                                                   uint64_t count, bool in_bytes, uint64_t *inside) {
    uint8_t *bytes = c->shared->bytes;
    uint32_t *words = c->shared->words;
    const uint32_t seen = in_bytes ? BYTE_SEEN : MG_TREE_SEEN, outside = in_bytes ? BYTE_OUTSIDE : MG_TREE_OUTSIDE;
    candidate aside[MG_LOOK];
    uint64_t candidates = 0, broken = 0;
    for (uint64_t i = 0; i < count; i++) {
        uint32_t u = ends[2 * i], v = ends[2 * i + 1];
        uint32_t word_u = in_bytes ? mg_load(&bytes[u]) : mg_load(&words[u]);
        uint32_t word_v = in_bytes ? mg_load(&bytes[v]) : mg_load(&words[v]);
        int32_t level_u = (int32_t)(word_u & ~seen), level_v = (int32_t)(word_v & ~seen), above = level_u - level_v;
        *inside += level_u != (int32_t)outside;
        broken += (above > 1) | (above < -1);
        bool u_is_child = above > 0;
        aside[candidates] = (candidate){u_is_child ? u : v, u_is_child ? v : u};
        candidates += (above != 0) & !((u_is_child ? word_u : word_v) & seen);
    }
    if (broken)
        for (uint64_t i = 0; i < count; i++) {
            int64_t above = level_of(c, ends[2 * i]) - level_of(c, ends[2 * i + 1]);
            bool one_outside = (level_of(c, ends[2 * i]) < 0) != (level_of(c, ends[2 * i + 1]) < 0);
            if (above > 1 || above < -1 || one_outside) return i;
        }
    for (uint64_t i = 0; i < candidates; i++) {
        uint32_t child = aside[i].child;
        if (c->parent[child] != aside[i].parent) continue;
        /* Several threads may mark one vertex, all with the same value. */
        if (in_bytes) mg_store(&bytes[child], (uint8_t)(mg_load(&bytes[child]) | BYTE_SEEN));
        else mg_store(&words[child], mg_load(&words[child]) | MG_TREE_SEEN);
    }
    return count;
}

static inline __attribute__((always_inline)) mg_tally look_at_edges(const mg_tree_check *c, uint64_t begin,
                                                                    uint64_t end, bool in_bytes) {
    const mg_edge_view *edges = c->shared->edges;
    uint64_t inside = 0;
    for (uint64_t at = begin; at < end; at += MG_LOOK) {
        uint32_t room[2 * MG_LOOK], largest = 0;
        uint64_t count = MG_MIN(end - at, (uint64_t)MG_LOOK), bad = 0;
        const uint32_t *ends = edges->look(edges, room, at, at + count);
        for (uint64_t i = 0; i < 2 * count; i++) largest = MG_MAX(largest, ends[i]);
        if (largest < c->shared->vertices) bad = look_closely(c, ends, count, in_bytes, &inside);
        else
            while (ends[2 * bad] < c->shared->vertices && ends[2 * bad + 1] < c->shared->vertices) bad++;
        if (bad < count) return (mg_tally){.bad = at + bad};
    }
    return (mg_tally){.bad = MG_NOBODY, .sum = inside};
}

static mg_tally look_by_words(mg_tree_check *c, uint64_t begin, uint64_t end) {
    return look_at_edges(c, begin, end, false);
}
static mg_tally look_by_bytes(mg_tree_check *c, uint64_t begin, uint64_t end) {
    return look_at_edges(c, begin, end, true);
}

static mg_tally make_bytes(mg_tree_check *c, uint64_t begin, uint64_t end) {
    for (uint64_t v = begin; v < end; v++) c->shared->bytes[v] = (uint8_t)MG_MIN(c->shared->words[v], BYTE_OUTSIDE);
    return (mg_tally){.bad = MG_NOBODY};
}

static meguri_status fail_edge(const mg_tree_check *c, uint64_t i) {
    uint32_t room[2 * MG_LOOK];
    const uint32_t *ends = c->shared->edges->look(c->shared->edges, room, i, i + 1);
    uint32_t u = ends[0], v = ends[1];
    uint64_t vertices = c->shared->vertices;
    if (u >= vertices || v >= vertices)
        return mg_fail(c->ctx, MEGURI_BAD_ARGUMENT,
                       "edge %" PRIu64 " of the list joins %u and %u, but the vertices are 0 to %" PRIu64 ".", i, u, v,
                       vertices - 1);
    int64_t level_u = level_of(c, u), level_v = level_of(c, v);
    if (level_u < 0 || level_v < 0)
        return mg_tree_broken(c, 4, "edge %" PRIu64 " joins vertex %u, which is in it, and vertex %u, which is not.", i,
                              level_u < 0 ? v : u, level_u < 0 ? u : v);
    return mg_tree_broken(c, 3,
                          "edge %" PRIu64 " joins vertex %u at level %" PRId64 " and vertex %u at level %" PRId64 ".",
                          i, u, level_u, v, level_v);
}

static meguri_status check_edges(mg_tree_check *c) {
    mg_tally t;
    meguri_status status = MEGURI_OK;
    c->in_bytes = c->facts.depth < BYTE_LEVELS;
    if (c->in_bytes) status = mg_tree_pass(&t, c, make_bytes, c->shared->vertices);
    if (status == MEGURI_OK)
        status = mg_tree_pass(&t, c, c->in_bytes ? look_by_bytes : look_by_words, c->shared->edges->count);
    if (status == MEGURI_OK && t.bad != MG_NOBODY) status = fail_edge(c, t.bad);
    if (status == MEGURI_OK) c->facts.edges = t.sum;
    return status;
}

/* ---- marks: rule 5 ---------------------------------------------------------------------------------------------- */

static mg_tally look_at_marks(mg_tree_check *c, uint64_t begin, uint64_t end) {
    for (uint64_t v = begin; v < end; v++) {
        bool seen = c->in_bytes ? c->shared->bytes[v] & BYTE_SEEN : c->shared->words[v] & MG_TREE_SEEN;
        if (!seen && c->shared->words[v] != MG_TREE_OUTSIDE && v != c->root) return (mg_tally){.bad = v};
    }
    return (mg_tally){.bad = MG_NOBODY};
}

static meguri_status check_marks(mg_tree_check *c) {
    mg_tally t;
    meguri_status status = mg_tree_pass(&t, c, look_at_marks, c->shared->vertices);
    if (status != MEGURI_OK || t.bad == MG_NOBODY) return status;
    return mg_tree_broken(c, 5, "no edge of the list joins vertex %" PRIu64 " and its parent %u.", t.bad,
                          c->parent[t.bad]);
}

/* ---- the whole -------------------------------------------------------------------------------------------------- */

meguri_status mg_graph500_validate_tree(meguri_graph500_tree *out, meguri_ctx *ctx, mg_graph500_validator *validator,
                                        uint32_t root, const uint32_t *parent, const int32_t *level) {
    mg_tree_check c = {.ctx = ctx,
                       .shared = validator,
                       .what = "search tree",
                       .root = root,
                       .parent = parent,
                       .level = level,
                       .on_cycle = MG_NOBODY};
    meguri_status status = mg_tree_check_rule_1(&c);
    if (status == MEGURI_OK) status = check_levels(&c);
    if (status == MEGURI_OK) status = check_edges(&c);
    if (status == MEGURI_OK) status = check_marks(&c);
    if (status != MEGURI_OK) return status;
    *out = c.facts;
    return MEGURI_OK;
}

typedef struct pairs_view {
    mg_edge_view base;
    const uint32_t *pairs;
} pairs_view;

static const uint32_t *look_at_pairs(const mg_edge_view *self, uint32_t room[2 * MG_LOOK], uint64_t begin,
                                     uint64_t end) {
    (void)room, (void)end;
    return ((const pairs_view *)self)->pairs + 2 * begin;
}

meguri_status meguri_graph500_validate(meguri_graph500_tree *out, meguri_ctx *ctx, const uint32_t *pairs,
                                       uint64_t count, uint64_t vertices, uint64_t root, const uint32_t *parent,
                                       const int32_t *level) {
    meguri_graph500_tree facts;
    mg_graph500_validator validator;
    pairs_view view = {{.look = look_at_pairs, .count = count}, pairs};
    if (!ctx) return MEGURI_BAD_ARGUMENT;
    mg_begin(ctx);
    if ((!pairs && count) || !parent)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "meguri_graph500_validate needs an edge list and a tree.");
    meguri_status status = mg_tree_check_arguments(ctx, out, count, vertices, root);
    if (status != MEGURI_OK) return status;
    status = mg_graph500_validator_new(&validator, ctx, &view.base, vertices, 1);
    if (level) validator.work += vertices;
    if (status == MEGURI_OK) status = mg_graph500_validate_tree(&facts, ctx, &validator, (uint32_t)root, parent, level);
    mg_graph500_validator_free(&validator);
    if (status == MEGURI_OK) mg_tree_give(out, &facts);
    return status;
}
