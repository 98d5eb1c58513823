/* The rules of the specification for trees that are spread over the processes of a cluster; the same rules, in the same
 * words, as in validate.c and validate_sssp.c, and as independent of the search: parents at the homes of their
 * vertices, against an edge list that is drawn again.
 *
 *   rule 1        children tell the homes of their parents about themselves; levels then go down the tree from the
 * root, and who has a parent but gets no level does not hang on the root rules 2 … 5   one pass over the arcs of the
 * list, in which the level (or distance) of every source comes to the home of the target, which looks at its own end;
 * every edge is there both ways, so both ends are */
#include "graph500/cluster.h"

#include <float.h>
#include <inttypes.h>

#define OUTSIDE  UINT16_MAX
#define DEEPEST  (UINT16_MAX - 1)
#define NO_LEVEL (UINT16_MAX - 1)

typedef struct tree_check {
    meguri_ctx *ctx;
    const mg_arc_lists *lists;
    uint64_t root;
    mg_globals parent;
    uint64_t none; /* the parent of a vertex that is not in the tree */
    const double *distance;
    uint64_t count;                 /* positions of this home */
    uint16_t *level;                /* of these */
    uint8_t *seen;                  /* whether an edge to the parent was */
    mg_globals child, child_begins; /* by parent of this home, who may have more children than a process has vertices */
    uint64_t inside;                /* ends of arcs that lie in the tree */
    meguri_graph500_tree facts;
} tree_check;

static uint64_t parent_of(const tree_check *c, uint64_t i) { return mg_global_at(c->parent, i); }

static meguri_status broken(const tree_check *c, int rule, const char *format, ...) MG_PRINTF(3, 4);
static meguri_status broken(const tree_check *c, int rule, const char *format, ...) {
    char what[512];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    return mg_fail(c->ctx, MEGURI_WRONG_ANSWER, "the %s from %" PRIu64 " breaks rule %d: %s",
                   c->distance ? "tree of shortest paths" : "search tree", c->root, rule, what);
}

/* ---- rule 1 ----------------------------------------------------------------------------------------------------- */

static meguri_status check_parents(const tree_check *c) {
    for (uint64_t i = 0; i < c->count; i++) {
        uint64_t v = c->lists->home.begin + i;
        uint64_t p = parent_of(c, i);
        if (v == c->root && p != v) return broken(c, 1, "the root is not its own parent.");
        if (p == c->none) continue;
        if (p >= c->lists->vertices)
            return broken(c, 1, "the parent of vertex %" PRIu64 " is %" PRIu64 ", which is no vertex.", v, p);
        if (p == v && v != c->root) return broken(c, 1, "vertex %" PRIu64 " is its own parent.", v);
    }
    return MEGURI_OK;
}

typedef struct child_teller {
    const tree_check *check;
    uint64_t place;
} child_teller;

static uint64_t next_children(void *user, void *items, uint32_t *to, uint64_t capacity) {
    child_teller *t = user;
    const tree_check *c = t->check;
    const mg_globals pairs = {items, c->parent.wide};
    uint64_t n = 0;
    for (; n < capacity && t->place < c->count; t->place++) {
        uint64_t v = c->lists->home.begin + t->place, p = parent_of(c, t->place);
        if (p == c->none || v == c->root) continue;
        mg_global_put(pairs, 2 * n, p);
        mg_global_put(pairs, 2 * n + 1, v);
        to[n++] = (uint32_t)mg_home(c->lists->vertices, c->lists->cluster->size, p);
    }
    return n;
}

/* By parent; stable. */
static void sort_children(tree_check *c, mg_globals pairs, uint64_t count) {
    const mg_globals begins = c->child_begins, child = c->child;
    const uint64_t first = c->lists->home.begin;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t place = mg_global_at(pairs, 2 * i) - first + 1;
        mg_global_put(begins, place, mg_global_at(begins, place) + 1);
    }
    for (uint64_t i = 0; i < c->count; i++)
        mg_global_put(begins, i + 1, mg_global_at(begins, i + 1) + mg_global_at(begins, i));
    for (uint64_t i = 0; i < count; i++) {
        uint64_t place = mg_global_at(pairs, 2 * i) - first, at = mg_global_at(begins, place);
        mg_global_put(child, at, mg_global_at(pairs, 2 * i + 1));
        mg_global_put(begins, place, at + 1);
    }
    for (uint64_t i = c->count; i > 0; i--) mg_global_put(begins, i, mg_global_at(begins, i - 1));
    mg_global_put(begins, 0, 0);
}

static meguri_status find_children(tree_check *c) {
    child_teller teller = {c, 0};
    const bool wide = c->parent.wide;
    const mg_route_source source = {next_children, &teller, 2 * mg_global_bytes(wide)};
    uint64_t count, first = c->lists->home.begin;
    void *items = NULL;
    meguri_status status = mg_route(&items, &count, c->ctx, c->lists->cluster, &source, "validating");
    if (status != MEGURI_OK) return status;
    const mg_globals pairs = {items, wide};
    for (uint64_t i = 0; i < count && status == MEGURI_OK; i++)
        if (mg_global_at(pairs, 2 * i) - first >= c->count || mg_global_at(pairs, 2 * i + 1) >= c->lists->vertices)
            status = mg_strange(c->ctx, c->lists->cluster, "a vertex that is not at home here");
    c->child = (mg_globals){mg_alloc_array(c->ctx, count, mg_global_bytes(wide), "a tree"), wide};
    c->child_begins = mg_globals_new(c->ctx, c->count + 1, wide, "a tree");
    if (!c->child.items || !c->child_begins.items) status = MEGURI_NO_MEMORY;
    if (status == MEGURI_OK) sort_children(c, pairs, count);
    mg_free(items);
    return mg_agree(c->ctx, c->lists->cluster, status);
}

/* The children of some vertices of this home. */
typedef struct level_teller {
    const tree_check *check;
    mg_globals frontier;
    uint64_t count, place, child; /* which vertex, which of its children */
} level_teller;

static uint64_t next_levels(void *user, void *items, uint32_t *to, uint64_t capacity) {
    level_teller *t = user;
    const tree_check *c = t->check;
    const mg_globals out = {items, c->parent.wide};
    uint64_t n = 0;
    while (n < capacity && t->place < t->count) {
        uint64_t v = mg_global_at(t->frontier, t->place) - c->lists->home.begin;
        uint64_t at = mg_global_at(c->child_begins, v) + t->child;
        if (at >= mg_global_at(c->child_begins, v + 1)) {
            t->place++;
            t->child = 0;
            continue;
        }
        uint64_t child = mg_global_at(c->child, at);
        mg_global_put(out, n, child);
        to[n++] = (uint32_t)mg_home(c->lists->vertices, c->lists->cluster->size, child);
        t->child++;
    }
    return n;
}

/* From the root down; every vertex hears of its level once, from its one parent. */
static meguri_status find_levels(tree_check *c) {
    meguri_cluster *cluster = c->lists->cluster;
    bool here = mg_home(c->lists->vertices, cluster->size, c->root) == cluster->rank;
    mg_globals frontier = mg_globals_new(c->ctx, 1, c->parent.wide, "a tree");
    uint64_t count = here, in_all = 1, reached = 0, first = c->lists->home.begin;
    meguri_status status = mg_agree(c->ctx, cluster, frontier.items ? MEGURI_OK : MEGURI_NO_MEMORY);
    if (status == MEGURI_OK) mg_global_put(frontier, 0, c->root);
    for (uint32_t level = 0; status == MEGURI_OK && in_all; level++) {
        if (level >= DEEPEST)
            status = mg_fail(c->ctx, MEGURI_WRONG_ANSWER,
                             "the tree from %" PRIu64 " is deeper than %d, which cannot be checked.", c->root, DEEPEST);
        if (status != MEGURI_OK) break;
        for (uint64_t i = 0; i < count; i++) c->level[mg_global_at(frontier, i) - first] = (uint16_t)level;
        c->facts.depth = level;
        reached += count;
        level_teller teller = {c, frontier, count, 0, 0};
        const mg_route_source source = {next_levels, &teller, mg_global_bytes(frontier.wide)};
        void *next = NULL;
        status = mg_route(&next, &count, c->ctx, cluster, &source, "validating");
        mg_free(frontier.items);
        frontier.items = next;
        in_all = count;
        for (uint64_t i = 0; i < count && status == MEGURI_OK; i++)
            if (mg_global_at(frontier, i) - first >= c->count)
                status = mg_strange(c->ctx, cluster, "a vertex that is not at home here");
        if (status == MEGURI_OK) status = mg_reduce_u64(c->ctx, cluster, &cluster->all, &in_all, 1, MG_SUM);
    }
    mg_free(frontier.items);
    if (status == MEGURI_OK) status = mg_reduce_u64(c->ctx, cluster, &cluster->all, &reached, 1, MG_SUM);
    c->facts.reached = reached;
    return status;
}

static meguri_status check_hanging(const tree_check *c) {
    for (uint64_t i = 0; i < c->count; i++)
        if (c->level[i] == NO_LEVEL)
            return broken(c, 1,
                          "vertex %" PRIu64 " has the parent %" PRIu64 ", but its parents do not lead to the root.",
                          c->lists->home.begin + i, parent_of(c, i));
    return MEGURI_OK;
}

/* ---- rules 2 to 5 ----------------------------------------------------------------------------------------------- */

/* Whether arc i leads from the parent of its target. As a rule it does not, so this is asked first: what else is asked
 * could not be predicted. */
static inline bool is_from_parent(const tree_check *c, uint32_t v, uint64_t i) {
    const void *parent = c->parent.items, *from = c->lists->from.items;
    return c->parent.wide ? ((const uint64_t *)parent)[v] == ((const uint64_t *)from)[i]
                          : ((const uint32_t *)parent)[v] == ((const uint32_t *)from)[i];
}

static bool look_at_level(void *user, uint64_t i, const void *value) {
    tree_check *c = user;
    uint16_t from;
    memcpy(&from, value, sizeof from);
    uint32_t v = c->lists->to[i];
    uint16_t to = c->level[v];
    if ((from == OUTSIDE) != (to == OUTSIDE)) return false;
    if (to == OUTSIDE) return true;
    c->inside++;
    if (is_from_parent(c, v, i) && (uint32_t)from + 1 == to) c->seen[v] = 1;
    return from + 1u >= to && to + 1u >= from;
}

static bool look_at_distance(void *user, uint64_t i, const void *value) {
    tree_check *c = user;
    double from, w = (double)c->lists->weights[i];
    memcpy(&from, value, sizeof from);
    uint32_t v = c->lists->to[i];
    double to = c->distance[v];
    if ((from > DBL_MAX) != (to > DBL_MAX)) return false;
    if (to > DBL_MAX) return true;
    c->inside++;
    if (is_from_parent(c, v, i) && from + w == to) c->seen[v] = 1;
    return to <= from + w;
}

static meguri_status fail_arc(const tree_check *c, uint64_t i) {
    uint64_t at = c->lists->to[i], u = mg_global_at(c->lists->from, i), v = c->lists->home.begin + at;
    bool out = parent_of(c, at) == c->none;
    /* Which of the two rules it is, the other end decides: ask what this end would make of a tree that spans. */
    if (out)
        return broken(c, 4, "an edge joins vertex %" PRIu64 ", which is in it, and vertex %" PRIu64 ", which is not.",
                      u, v);
    if (c->distance)
        return broken(c, 3,
                      "an edge of weight %.9g joins vertex %" PRIu64 " and vertex %" PRIu64
                      ", which is at distance %.17g: too far, or the first is not in the tree.",
                      (double)c->lists->weights[i], u, v, c->distance[at]);
    return broken(c, 3,
                  "an edge joins vertex %" PRIu64 " and vertex %" PRIu64
                  " at level %u, and the levels differ by more than one, or the first is not in the tree.",
                  u, v, c->level[at]);
}

static meguri_status check_distances(const tree_check *c) {
    for (uint64_t i = 0; i < c->count; i++) {
        double d = c->distance[i];
        bool inside = parent_of(c, i) != c->none, root = c->lists->home.begin + i == c->root;
        if (inside ? !(d >= 0 && d <= DBL_MAX) || (root && d != 0) : !(d > DBL_MAX))
            return broken(c, 2, "the distance of vertex %" PRIu64 " is given as %.17g.", c->lists->home.begin + i, d);
    }
    return MEGURI_OK;
}

static meguri_status check_marks(const tree_check *c) {
    for (uint64_t i = 0; i < c->count; i++) {
        uint64_t v = c->lists->home.begin + i;
        if (parent_of(c, i) == c->none || v == c->root || c->seen[i]) continue;
        return broken(c, 5, "no edge of the list joins vertex %" PRIu64 " and its parent %" PRIu64 "%s.", v,
                      parent_of(c, i), c->distance ? " and adds up to its distance" : " one level above");
    }
    return MEGURI_OK;
}

static meguri_status check_arcs(tree_check *c) {
    meguri_cluster *cluster = c->lists->cluster;
    uint64_t bad;
    meguri_status status =
        c->distance ? mg_arc_lists_pass(&bad, c->ctx, c->lists, c->distance, sizeof *c->distance, look_at_distance, c)
                    : mg_arc_lists_pass(&bad, c->ctx, c->lists, c->level, sizeof *c->level, look_at_level, c);
    if (status != MEGURI_OK) return status;
    status = mg_agree(c->ctx, cluster, bad == UINT64_MAX ? MEGURI_OK : fail_arc(c, bad));
    if (status != MEGURI_OK) return status;
    status = mg_agree(c->ctx, cluster, check_marks(c));
    if (status != MEGURI_OK) return status;
    uint64_t ends = c->inside;
    status = mg_reduce_u64(c->ctx, cluster, &cluster->all, &ends, 1, MG_SUM);
    c->facts.edges = ends / 2; /* every edge was looked at from both ends, a loop twice */
    return status;
}

meguri_status mg_cluster_validate(meguri_graph500_tree *out, meguri_ctx *ctx, const mg_arc_lists *lists, uint64_t root,
                                  mg_globals parent, const double *distance) {
    tree_check c = {.ctx = ctx,
                    .lists = lists,
                    .root = root,
                    .parent = parent,
                    .none = mg_no_global(parent.wide),
                    .distance = distance,
                    .count = lists->home.end - lists->home.begin};
    c.level = mg_alloc_array(ctx, c.count, sizeof *c.level, "the levels of a tree");
    c.seen = mg_alloc_array_zero(ctx, c.count, sizeof *c.seen, "the marks of a tree");
    meguri_status status = c.level && c.seen ? MEGURI_OK : MEGURI_NO_MEMORY;
    for (uint64_t i = 0; i < c.count && status == MEGURI_OK; i++)
        c.level[i] = parent_of(&c, i) == c.none ? OUTSIDE : NO_LEVEL;
    if (status == MEGURI_OK) status = check_parents(&c);
    status = mg_agree(ctx, lists->cluster, status);
    if (status == MEGURI_OK) status = find_children(&c);
    if (status == MEGURI_OK) status = find_levels(&c);
    if (status == MEGURI_OK) status = mg_agree(ctx, lists->cluster, check_hanging(&c));
    if (status == MEGURI_OK && distance) status = mg_agree(ctx, lists->cluster, check_distances(&c));
    if (status == MEGURI_OK) status = check_arcs(&c);
    if (status == MEGURI_OK && distance) {
        double most = 0;
        for (uint64_t i = 0; i < c.count; i++)
            if (distance[i] <= DBL_MAX) most = MG_MAX(most, distance[i]);
        status = mg_reduce_f64(ctx, lists->cluster, &lists->cluster->all, &most, 1, MG_MAXIMUM);
        c.facts.farthest = most;
    }
    mg_free(c.level);
    mg_free(c.seen);
    mg_free(c.child.items);
    mg_free(c.child_begins.items);
    if (status == MEGURI_OK) *out = c.facts;
    return status;
}
