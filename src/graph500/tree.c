/* Is it a tree? Rule 1 of the Graph500 specification, and what the validations of search trees and of shortest paths
 * share besides: passes over shares on all threads, and the validator.
 *
 *   parents  all but cycles: what one look at a vertex and its parent shows;
 *   levels   cycles: every vertex climbs towards the root until it meets one whose level is known, and writes the
 *            levels down on its way back. Whoever has not met one after as many steps as the tree has vertices is on
 *            a cycle. A vertex is climbed over once by each thread at the most, so this is linear for paths, too.
 *
 * The failure that is told is that of the first vertex or edge that breaks a rule in the first pass that finds any, at
 * any number of threads (but for cycles: of several, any may be told). */
#include "graph500/graph500.h"

#include <inttypes.h>

enum { PIECE = 1 << 15 }; /* vertices or edges between two looks at the progress */

meguri_status mg_tree_broken(const mg_tree_check *c, int rule, const char *format, ...) {
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return mg_fail(c->ctx, MEGURI_WRONG_ANSWER, "the %s from root %u breaks rule %d of Graph500: %s", c->what, c->root,
                   rule, text);
}

/* ---- passes over shares ----------------------------------------------------------------------------------------- */

typedef struct tree_pass {
    mg_tree_check *check;
    mg_piece_fn *look;
    mg_tally found;
} tree_pass;

static void pass_over_pieces(void *what, mg_worker *worker) {
    tree_pass *pass = what;
    mg_tally mine = {.bad = MG_NOBODY};
    for (mg_range piece; mg_take(worker, &piece);) {
        if (mg_load(&pass->found.bad) < piece.begin) continue;
        mg_tally found = pass->look(pass->check, piece.begin, piece.end);
        mine.sum += found.sum;
        mine.max = MG_MAX(mine.max, found.max);
        if (found.bad != MG_NOBODY) mg_atomic_min_u64(&pass->found.bad, found.bad);
        mg_fetch_add(&pass->check->shared->done, piece.end - piece.begin);
    }
    mg_fetch_add(&pass->found.sum, mine.sum);
    mg_atomic_max_u64(&pass->found.max, mine.max);
}

meguri_status mg_tree_pass(mg_tally *out, mg_tree_check *c, mg_piece_fn *look, uint64_t items) {
    tree_pass pass = {c, look, {.bad = MG_NOBODY}};
    mg_loop loop = {.ctx = c->ctx,
                    .threads = mg_threads(c->ctx, items, PIECE),
                    .items = items,
                    .chunk = PIECE,
                    .work = pass_over_pieces,
                    .what = &pass,
                    .phase = "validating",
                    .done = c->shared->done,
                    .total = c->shared->work};
    meguri_status status = mg_loop_run(&loop);
    *out = pass.found;
    return status;
}

/* ---- parents: rule 1 -------------------------------------------------------------------------------------------- */

static bool parent_is_bad(const mg_tree_check *c, uint64_t v) {
    uint32_t p = c->parent[v];
    if (p == MG_NO_VERTEX) return v == c->root;
    return p >= c->shared->vertices || (p == v) != (v == c->root) || c->parent[p] == MG_NO_VERTEX;
}

static mg_tally look_at_parents(mg_tree_check *c, uint64_t begin, uint64_t end) {
    mg_tally t = {.bad = MG_NOBODY};
    for (uint64_t v = begin; v < end; v++) {
        bool inside = c->parent[v] != MG_NO_VERTEX;
        if (parent_is_bad(c, v) && t.bad == MG_NOBODY) t.bad = v;
        c->shared->words[v] = inside ? MG_TREE_UNKNOWN : MG_TREE_OUTSIDE;
        t.sum += inside;
    }
    return t;
}

static meguri_status fail_parent(const mg_tree_check *c, uint64_t v) {
    uint32_t p = c->parent[v], root = c->root;
    if (v == root && p == MG_NO_VERTEX) return mg_tree_broken(c, 1, "the root is not in it.");
    if (p >= c->shared->vertices)
        return mg_tree_broken(c, 1, "the parent of vertex %" PRIu64 " is %u, and there is no such vertex.", v, p);
    if (v == root) return mg_tree_broken(c, 1, "the parent of the root is %u, not the root itself.", p);
    if (p == v) return mg_tree_broken(c, 1, "vertex %" PRIu64 " is its own parent, but not the root.", v);
    return mg_tree_broken(c, 1, "vertex %u, the parent of vertex %" PRIu64 ", is not in it.", p, v);
}

static meguri_status check_parents(mg_tree_check *c) {
    mg_tally t;
    meguri_status status = mg_tree_pass(&t, c, look_at_parents, c->shared->vertices);
    if (status != MEGURI_OK) return status;
    if (t.bad != MG_NOBODY) return fail_parent(c, t.bad);
    c->facts.reached = t.sum;
    return MEGURI_OK;
}

/* ---- levels: cycles, rule 2 ------------------------------------------------------------------------------------- */

static bool hopeless(const mg_tree_check *c) {
    return mg_load(&c->on_cycle) != MG_NOBODY || mg_load(&c->deep) || mg_cancelled(c->ctx);
}

/* Gives v and all on its way to the root their levels; returns that of v. */
static uint32_t climb(mg_tree_check *c, uint64_t v) {
    uint32_t *words = c->shared->words, word;
    uint64_t steps = 0;
    uint32_t at = (uint32_t)v;
    for (; (word = mg_load(&words[at])) == MG_TREE_UNKNOWN; at = c->parent[at]) {
        if (++steps > c->facts.reached) {
            mg_store(&c->on_cycle, v);
            return 0;
        }
        if (steps % PIECE == 0 &&
            (mg_progress(c->ctx, "validating", mg_load(&c->shared->done), c->shared->work) || hopeless(c)))
            return 0;
    }
    uint64_t level = word + steps;
    if (level >= MG_TREE_UNKNOWN) {
        mg_store(&c->deep, 1);
        return 0;
    }
    for (at = (uint32_t)v; steps > 0; steps--, at = c->parent[at]) mg_store(&words[at], (uint32_t)level--);
    return mg_load(&words[v]);
}

static mg_tally look_at_levels(mg_tree_check *c, uint64_t begin, uint64_t end) {
    mg_tally t = {.bad = MG_NOBODY};
    for (uint64_t v = begin; v < end && !hopeless(c); v++) {
        uint32_t word = mg_load(&c->shared->words[v]);
        if (word == MG_TREE_UNKNOWN) word = climb(c, v);
        if (word == MG_TREE_OUTSIDE) continue;
        t.max = MG_MAX(t.max, (uint64_t)word);
    }
    return t;
}

/* Any vertex that leads to a cycle leads into it within as many steps as there are vertices in the tree. */
static meguri_status fail_cycle(const mg_tree_check *c) {
    uint32_t at = (uint32_t)c->on_cycle, least;
    uint64_t length = 1;
    for (uint64_t i = 0; i < c->facts.reached; i++) at = c->parent[at];
    least = at;
    for (uint32_t v = c->parent[at]; v != at; v = c->parent[v], length++) least = MG_MIN(least, v);
    return mg_tree_broken(c, 1, "vertex %u is on a cycle of %" PRIu64 " vertices that are each other's parents.", least,
                          length);
}

meguri_status mg_tree_check_rule_1(mg_tree_check *c) {
    mg_tally t;
    meguri_status status = check_parents(c);
    if (status != MEGURI_OK) return status;
    c->shared->words[c->root] = 0;
    status = mg_tree_pass(&t, c, look_at_levels, c->shared->vertices);
    if (status != MEGURI_OK) return status;
    if (c->on_cycle != MG_NOBODY) return fail_cycle(c);
    if (c->deep)
        return mg_fail(c->ctx, MEGURI_BAD_ARGUMENT, "the tree has more than the %u levels that can be checked.",
                       MG_TREE_UNKNOWN);
    c->facts.depth = t.max;
    return MEGURI_OK;
}

/* ---- the validator ---------------------------------------------------------------------------------------------- */

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

/* ---- what the public functions share ---------------------------------------------------------------------------- */

meguri_status mg_tree_check_arguments(meguri_ctx *ctx, const meguri_graph500_tree *out, uint64_t count,
                                      uint64_t vertices, uint64_t root) {
    const uint64_t most = (uint64_t)1 << 31;
    if (out && (out->size < sizeof out->size || out->size > 4096))
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT,
                       "the size field of meguri_graph500_tree is not set: set it to sizeof(meguri_graph500_tree).");
    if (vertices > most || root >= vertices)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT,
                       "a tree from root %" PRIu64 " of %" PRIu64 " vertices cannot be checked: give up to %" PRIu64
                       " vertices, and a root among them.",
                       root, vertices, most);
    return mg_check_count(ctx, count, 2 * sizeof(uint32_t), "edges");
}

void mg_tree_give(meguri_graph500_tree *out, const meguri_graph500_tree *facts) {
    if (!out) return;
    size_t size = out->size;
    memcpy(out, facts, MG_MIN(size, sizeof *facts));
    out->size = size;
}
