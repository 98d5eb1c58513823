/* Is it a breadth-first search tree? The five rules of the Graph500 specification (section "Validation"), checked
 * against the edge list alone: nothing here has seen the graph that was searched, nor the search.
 *
 * Four passes, each over shares on all threads:
 *   parents  rule 1, but for cycles: what one look at a vertex and its parent shows;
 *   levels   rule 1, cycles: every vertex climbs towards the root until it meets one whose level is known, and writes
 *            the levels down on its way back. Whoever has not met one after as many steps as the tree has vertices is
 *            on a cycle. A vertex is climbed over once by each thread at the most, so this is linear for paths, too;
 *   edges    rules 3 and 4; and for each vertex that has an edge to its parent, a mark that it was seen;
 *   marks    rule 5: every vertex but the root has the mark.
 * Levels come from parents, so rule 2 can only be broken by levels that the caller gives; those are compared.
 *
 * The failure that is told is that of the first vertex or edge that breaks a rule in the first pass that finds any, at
 * any number of threads (but for cycles: of several, any may be told). */
#include "graph500/graph500.h"

#include <inttypes.h>

enum { PIECE = 1 << 15 }; /* vertices or edges between two looks at the progress */
static const uint64_t NOBODY = UINT64_MAX;

/* The word of a vertex: its level, SEEN if an edge to its parent was; or one of two values that are no levels. */
#define SEEN    ((uint32_t)1 << 31)
#define OUTSIDE (SEEN - 1) /* not in the tree */
#define UNKNOWN (SEEN - 2) /* in the tree, level not known yet */

typedef struct check {
    meguri_ctx *ctx;
    mg_graph500_validator *shared;
    uint32_t root;
    const uint32_t *parent;
    const int32_t *level; /* or NULL */
    uint64_t on_cycle;    /* a vertex that leads to a cycle, or NOBODY */
    int deep;             /* some level has no room in a word */
    bool in_bytes;        /* edges are looked at by bytes */
    meguri_graph500_tree facts;
} check;

static void lower(uint64_t *p, uint64_t value) {
    uint64_t old = mg_load(p);
    while (value < old && !__atomic_compare_exchange_n(p, &old, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
}

/* ---- passes over shares ----------------------------------------------------------------------------------------- */

/* What a pass found in a piece. */
typedef struct tally {
    uint64_t bad; /* the first in it that breaks a rule, or NOBODY */
    uint64_t sum, max;
} tally;

typedef tally piece_fn(check *c, uint64_t begin, uint64_t end);

/* Runs a piece after the other on all threads, up to the first that holds a culprit. */
static meguri_status pass(tally *out, check *c, piece_fn *look, uint64_t items) {
    uint64_t pieces = (items + PIECE - 1) / PIECE, sum = 0, max = 0, bad = NOBODY;
    int threads = (int)MG_MAX(1u, MG_MIN((uint64_t)mg_threads(c->ctx, items, PIECE), pieces));
    int cancelled = 0;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 4) reduction(+ : sum) reduction(max : max)
    for (uint64_t k = 0; k < pieces; k++) {
        if (mg_load(&cancelled) || mg_load(&bad) < k * PIECE) continue;
        uint64_t end = MG_MIN(items, (k + 1) * PIECE);
        tally found = look(c, k * PIECE, end);
        sum += found.sum;
        max = MG_MAX(max, found.max);
        if (found.bad != NOBODY) lower(&bad, found.bad);
        uint64_t done = mg_fetch_add(&c->shared->done, end - k * PIECE);
        if (mg_progress(c->ctx, "validating", done, c->shared->work)) mg_store(&cancelled, 1);
    }
    *out = (tally){bad, sum, max};
    return cancelled ? mg_fail_cancelled(c->ctx) : MEGURI_OK;
}

/* ---- parents: rule 1 -------------------------------------------------------------------------------------------- */

static bool parent_is_bad(const check *c, uint64_t v) {
    uint32_t p = c->parent[v];
    if (p == MEGURI_NO_VERTEX) return v == c->root;
    return p >= c->shared->vertices || (p == v) != (v == c->root) || c->parent[p] == MEGURI_NO_VERTEX;
}

static tally look_at_parents(check *c, uint64_t begin, uint64_t end) {
    tally t = {.bad = NOBODY};
    for (uint64_t v = begin; v < end; v++) {
        bool inside = c->parent[v] != MEGURI_NO_VERTEX;
        if (parent_is_bad(c, v) && t.bad == NOBODY) t.bad = v;
        c->shared->words[v] = inside ? UNKNOWN : OUTSIDE;
        t.sum += inside;
    }
    return t;
}

static meguri_status fail_parent(const check *c, uint64_t v) {
    uint32_t p = c->parent[v], root = c->root;
    if (v == root && p == MEGURI_NO_VERTEX)
        return mg_fail(c->ctx, MEGURI_WRONG_ANSWER,
                       "the search tree from root %u breaks rule 1 of Graph500: the root is not in it.", root);
    if (p >= c->shared->vertices)
        return mg_fail(c->ctx, MEGURI_WRONG_ANSWER,
                       "the search tree from root %u breaks rule 1 of Graph500: the parent of vertex %" PRIu64
                       " is %u, and there is no such vertex.",
                       root, v, p);
    if (v == root)
        return mg_fail(c->ctx, MEGURI_WRONG_ANSWER,
                       "the search tree from root %u breaks rule 1 of Graph500: the parent of the root is %u, not the "
                       "root itself.",
                       root, p);
    if (p == v)
        return mg_fail(c->ctx, MEGURI_WRONG_ANSWER,
                       "the search tree from root %u breaks rule 1 of Graph500: vertex %" PRIu64
                       " is its own parent, but not the root.",
                       root, v);
    return mg_fail(c->ctx, MEGURI_WRONG_ANSWER,
                   "the search tree from root %u breaks rule 1 of Graph500: vertex %u, the parent of vertex %" PRIu64
                   ", is not in it.",
                   root, p, v);
}

static meguri_status check_parents(check *c) {
    tally t;
    meguri_status status = pass(&t, c, look_at_parents, c->shared->vertices);
    if (status != MEGURI_OK) return status;
    if (t.bad != NOBODY) return fail_parent(c, t.bad);
    c->facts.reached = t.sum;
    return MEGURI_OK;
}

/* ---- levels: cycles, rule 2 ------------------------------------------------------------------------------------- */

static bool hopeless(const check *c) {
    return mg_load(&c->on_cycle) != NOBODY || mg_load(&c->deep) || mg_cancelled(c->ctx);
}

/* Gives v and all on its way to the root their levels; returns that of v. */
static uint32_t climb(check *c, uint64_t v) {
    uint32_t *words = c->shared->words, word;
    uint64_t steps = 0;
    uint32_t at = (uint32_t)v;
    for (; (word = mg_load(&words[at])) == UNKNOWN; at = c->parent[at]) {
        if (++steps > c->facts.reached) {
            mg_store(&c->on_cycle, v);
            return 0;
        }
        if (steps % PIECE == 0 &&
            (mg_progress(c->ctx, "validating", mg_load(&c->shared->done), c->shared->work) || hopeless(c)))
            return 0;
    }
    uint64_t level = word + steps;
    if (level >= UNKNOWN) {
        mg_store(&c->deep, 1);
        return 0;
    }
    for (at = (uint32_t)v; steps > 0; steps--, at = c->parent[at]) mg_store(&words[at], (uint32_t)level--);
    return mg_load(&words[v]);
}

static tally look_at_levels(check *c, uint64_t begin, uint64_t end) {
    tally t = {.bad = NOBODY};
    for (uint64_t v = begin; v < end && !hopeless(c); v++) {
        uint32_t word = mg_load(&c->shared->words[v]);
        if (word == UNKNOWN) word = climb(c, v);
        if (word == OUTSIDE) continue;
        t.max = MG_MAX(t.max, (uint64_t)word);
    }
    return t;
}

/* Any vertex that leads to a cycle leads into it within as many steps as there are vertices in the tree. */
static meguri_status fail_cycle(const check *c) {
    uint32_t at = (uint32_t)c->on_cycle, least;
    uint64_t length = 1;
    for (uint64_t i = 0; i < c->facts.reached; i++) at = c->parent[at];
    least = at;
    for (uint32_t v = c->parent[at]; v != at; v = c->parent[v], length++) least = MG_MIN(least, v);
    return mg_fail(c->ctx, MEGURI_WRONG_ANSWER,
                   "the search tree from root %u breaks rule 1 of Graph500: vertex %u is on a cycle of %" PRIu64
                   " vertices that are each other's parents.",
                   c->root, least, length);
}

static int64_t level_of(const check *c, uint64_t v) {
    uint32_t level = c->shared->words[v] & ~SEEN;
    return level == OUTSIDE ? -1 : (int64_t)level;
}

static tally compare_levels(check *c, uint64_t begin, uint64_t end) {
    for (uint64_t v = begin; v < end; v++)
        if (c->level[v] != level_of(c, v)) return (tally){.bad = v};
    return (tally){.bad = NOBODY};
}

static meguri_status fail_level(const check *c, uint64_t v) {
    uint32_t p = c->parent[v];
    if (p == MEGURI_NO_VERTEX || v == c->root)
        return mg_fail(c->ctx, MEGURI_WRONG_ANSWER,
                       "the search tree from root %u breaks rule 2 of Graph500: the level of vertex %" PRIu64
                       ", which is %s, is given as %d.",
                       c->root, v, v == c->root ? "the root" : "not in it", (int)c->level[v]);
    return mg_fail(c->ctx, MEGURI_WRONG_ANSWER,
                   "the search tree from root %u breaks rule 2 of Graph500: the level of vertex %" PRIu64
                   " is given as %d, but by its parent %u it is %" PRId64 ".",
                   c->root, v, (int)c->level[v], p, level_of(c, v));
}

static meguri_status check_levels(check *c) {
    tally t;
    c->shared->words[c->root] = 0;
    meguri_status status = pass(&t, c, look_at_levels, c->shared->vertices);
    if (status != MEGURI_OK) return status;
    if (c->on_cycle != NOBODY) return fail_cycle(c);
    if (c->deep)
        return mg_fail(c->ctx, MEGURI_BAD_ARGUMENT, "the tree has more than the %u levels that can be checked.",
                       UNKNOWN);
    c->facts.depth = t.max;
    if (!c->level) return MEGURI_OK;
    status = pass(&t, c, compare_levels, c->shared->vertices);
    if (status == MEGURI_OK && t.bad != NOBODY) status = fail_level(c, t.bad);
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
static inline __attribute__((always_inline)) uint64_t look_closely(const check *c, const uint32_t *ends, uint64_t count,
                                                                   bool in_bytes, uint64_t *inside) {
    uint8_t *bytes = c->shared->bytes;
    uint32_t *words = c->shared->words;
    const uint32_t seen = in_bytes ? BYTE_SEEN : SEEN, outside = in_bytes ? BYTE_OUTSIDE : OUTSIDE;
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
        else mg_store(&words[child], mg_load(&words[child]) | SEEN);
    }
    return count;
}

static inline __attribute__((always_inline)) tally look_at_edges(const check *c, uint64_t begin, uint64_t end,
                                                                 bool in_bytes) {
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
        if (bad < count) return (tally){.bad = at + bad};
    }
    return (tally){.bad = NOBODY, .sum = inside};
}

static tally look_by_words(check *c, uint64_t begin, uint64_t end) { return look_at_edges(c, begin, end, false); }
static tally look_by_bytes(check *c, uint64_t begin, uint64_t end) { return look_at_edges(c, begin, end, true); }

static tally make_bytes(check *c, uint64_t begin, uint64_t end) {
    for (uint64_t v = begin; v < end; v++) c->shared->bytes[v] = (uint8_t)MG_MIN(c->shared->words[v], BYTE_OUTSIDE);
    return (tally){.bad = NOBODY};
}

static meguri_status fail_edge(const check *c, uint64_t i) {
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
        return mg_fail(c->ctx, MEGURI_WRONG_ANSWER,
                       "the search tree from root %u breaks rule 4 of Graph500: edge %" PRIu64
                       " joins vertex %u, which is in it, and vertex %u, which is not.",
                       c->root, i, level_u < 0 ? v : u, level_u < 0 ? u : v);
    return mg_fail(c->ctx, MEGURI_WRONG_ANSWER,
                   "the search tree from root %u breaks rule 3 of Graph500: edge %" PRIu64
                   " joins vertex %u at level %" PRId64 " and vertex %u at level %" PRId64 ".",
                   c->root, i, u, level_u, v, level_v);
}

static meguri_status check_edges(check *c) {
    tally t;
    meguri_status status = MEGURI_OK;
    c->in_bytes = c->facts.depth < BYTE_LEVELS;
    if (c->in_bytes) status = pass(&t, c, make_bytes, c->shared->vertices);
    if (status == MEGURI_OK) status = pass(&t, c, c->in_bytes ? look_by_bytes : look_by_words, c->shared->edges->count);
    if (status == MEGURI_OK && t.bad != NOBODY) status = fail_edge(c, t.bad);
    if (status == MEGURI_OK) c->facts.edges = t.sum;
    return status;
}

/* ---- marks: rule 5 ---------------------------------------------------------------------------------------------- */

static tally look_at_marks(check *c, uint64_t begin, uint64_t end) {
    for (uint64_t v = begin; v < end; v++) {
        bool seen = c->in_bytes ? c->shared->bytes[v] & BYTE_SEEN : c->shared->words[v] & SEEN;
        if (!seen && c->shared->words[v] != OUTSIDE && v != c->root) return (tally){.bad = v};
    }
    return (tally){.bad = NOBODY};
}

static meguri_status check_marks(check *c) {
    tally t;
    meguri_status status = pass(&t, c, look_at_marks, c->shared->vertices);
    if (status != MEGURI_OK || t.bad == NOBODY) return status;
    return mg_fail(c->ctx, MEGURI_WRONG_ANSWER,
                   "the search tree from root %u breaks rule 5 of Graph500: no edge of the list joins vertex %" PRIu64
                   " and its parent %u.",
                   c->root, t.bad, c->parent[t.bad]);
}

/* ---- the whole -------------------------------------------------------------------------------------------------- */

meguri_status mg_graph500_validator_new(mg_graph500_validator *out, meguri_ctx *ctx, const mg_edge_view *edges,
                                        uint64_t vertices, uint64_t trees) {
    *out = (mg_graph500_validator){.edges = edges, .vertices = vertices, .work = trees * (edges->count + 4 * vertices)};
    out->words = mg_alloc_array(ctx, vertices, sizeof *out->words, "the levels of a tree to validate");
    out->bytes = out->words ? mg_alloc(ctx, vertices, "the levels of a tree to validate") : NULL;
    return out->bytes ? MEGURI_OK : MEGURI_NO_MEMORY;
}

void mg_graph500_validator_free(mg_graph500_validator *validator) {
    mg_free(validator->words);
    mg_free(validator->bytes);
    *validator = (mg_graph500_validator){0};
}

meguri_status mg_graph500_validate_tree(meguri_graph500_tree *out, meguri_ctx *ctx, mg_graph500_validator *validator,
                                        uint32_t root, const uint32_t *parent, const int32_t *level) {
    check c = {.ctx = ctx, .shared = validator, .root = root, .parent = parent, .level = level, .on_cycle = NOBODY};
    meguri_status status = check_parents(&c);
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
    const uint64_t most = (uint64_t)1 << 31;
    meguri_graph500_tree facts;
    mg_graph500_validator validator;
    pairs_view view = {{look_at_pairs, count}, pairs};
    if (!ctx) return MEGURI_BAD_ARGUMENT;
    mg_begin(ctx);
    if (out && (out->size < sizeof out->size || out->size > 4096))
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT,
                       "the size field of meguri_graph500_tree is not set: set it to sizeof(meguri_graph500_tree).");
    if ((!pairs && count) || !parent)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "meguri_graph500_validate needs an edge list and a tree.");
    if (vertices > most || root >= vertices)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT,
                       "a tree from root %" PRIu64 " of %" PRIu64 " vertices cannot be checked: give up to %" PRIu64
                       " vertices, and a root among them.",
                       root, vertices, most);
    meguri_status status = mg_graph500_validator_new(&validator, ctx, &view.base, vertices, 1);
    if (level) validator.work += vertices;
    if (status == MEGURI_OK) status = mg_graph500_validate_tree(&facts, ctx, &validator, (uint32_t)root, parent, level);
    mg_graph500_validator_free(&validator);
    if (status != MEGURI_OK || !out) return status;
    facts.size = out->size;
    memcpy(out, &facts, MG_MIN(out->size, sizeof facts));
    return MEGURI_OK;
}
