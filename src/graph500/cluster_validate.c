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
    uint32_t root;
    const uint32_t *parent;
    const double *distance;
    uint64_t count;                 /* positions of this home */
    uint16_t *level;                /* of these */
    uint8_t *seen;                  /* whether an edge to the parent was */
    uint32_t *child, *child_begins; /* by parent of this home */
    uint64_t inside;                /* ends of arcs that lie in the tree */
    meguri_graph500_tree facts;
} tree_check;

static meguri_status broken(const tree_check *c, int rule, const char *format, ...) MG_PRINTF(3, 4);
static meguri_status broken(const tree_check *c, int rule, const char *format, ...) {
    char what[512];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    return mg_fail(c->ctx, MEGURI_WRONG_ANSWER, "the %s from %u breaks rule %d: %s",
                   c->distance ? "tree of shortest paths" : "search tree", c->root, rule, what);
}

/* ---- rule 1 ----------------------------------------------------------------------------------------------------- */

static meguri_status check_parents(const tree_check *c) {
    for (uint64_t i = 0; i < c->count; i++) {
        uint64_t v = c->lists->home.begin + i;
        uint32_t p = c->parent[i];
        if (v == c->root && p != v) return broken(c, 1, "the root is not its own parent.");
        if (p == MEGURI_NO_VERTEX) continue;
        if (p >= c->lists->vertices)
            return broken(c, 1, "the parent of vertex %" PRIu64 " is %u, which is no vertex.", v, p);
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
    uint64_t n = 0;
    for (; n < capacity && t->place < c->count; t->place++) {
        uint64_t v = c->lists->home.begin + t->place;
        uint32_t p = c->parent[t->place];
        if (p == MEGURI_NO_VERTEX || v == c->root) continue;
        ((uint32_t *)items)[2 * n] = p;
        ((uint32_t *)items)[2 * n + 1] = (uint32_t)v;
        to[n++] = (uint32_t)mg_home(c->lists->vertices, c->lists->cluster->size, p);
    }
    return n;
}

static meguri_status find_children(tree_check *c) {
    child_teller teller = {c, 0};
    const mg_route_source source = {next_children, &teller, 8};
    uint64_t count, first = c->lists->home.begin;
    void *items = NULL;
    meguri_status status = mg_route(&items, &count, c->ctx, c->lists->cluster, &source, "validating");
    if (status != MEGURI_OK) return status;
    const uint32_t *pairs = items;
    for (uint64_t i = 0; i < count && status == MEGURI_OK; i++)
        if (pairs[2 * i] - first >= c->count || pairs[2 * i + 1] >= c->lists->vertices)
            status = mg_strange(c->ctx, c->lists->cluster, "a vertex that is not at home here");
    c->child = mg_alloc_array(c->ctx, count, sizeof *c->child, "a tree");
    c->child_begins = mg_alloc_array_zero(c->ctx, c->count + 1, sizeof *c->child_begins, "a tree");
    if (!c->child || !c->child_begins) status = MEGURI_NO_MEMORY;
    if (status == MEGURI_OK) {
        for (uint64_t i = 0; i < count; i++) c->child_begins[pairs[2 * i] - first + 1]++;
        for (uint64_t i = 0; i < c->count; i++) c->child_begins[i + 1] += c->child_begins[i];
        for (uint64_t i = 0; i < count; i++) c->child[c->child_begins[pairs[2 * i] - first]++] = pairs[2 * i + 1];
        for (uint64_t i = c->count; i > 0; i--) c->child_begins[i] = c->child_begins[i - 1];
        c->child_begins[0] = 0;
    }
    mg_free(items);
    return mg_agree(c->ctx, c->lists->cluster, status);
}

/* The children of some vertices of this home. */
typedef struct level_teller {
    const tree_check *check;
    const uint32_t *frontier;
    uint64_t count, place, child; /* which vertex, which of its children */
} level_teller;

static uint64_t next_levels(void *user, void *items, uint32_t *to, uint64_t capacity) {
    level_teller *t = user;
    const tree_check *c = t->check;
    uint64_t n = 0;
    while (n < capacity && t->place < t->count) {
        uint64_t v = t->frontier[t->place] - c->lists->home.begin;
        uint64_t at = c->child_begins[v] + t->child;
        if (at >= c->child_begins[v + 1]) {
            t->place++;
            t->child = 0;
            continue;
        }
        ((uint32_t *)items)[n] = c->child[at];
        to[n++] = (uint32_t)mg_home(c->lists->vertices, c->lists->cluster->size, c->child[at]);
        t->child++;
    }
    return n;
}

/* From the root down; every vertex hears of its level once, from its one parent. */
static meguri_status find_levels(tree_check *c) {
    meguri_cluster *cluster = c->lists->cluster;
    bool here = mg_home(c->lists->vertices, cluster->size, c->root) == cluster->rank;
    void *frontier = mg_alloc(c->ctx, sizeof c->root, "a tree");
    uint64_t count = here, in_all = 1, reached = 0;
    meguri_status status = mg_agree(c->ctx, cluster, frontier ? MEGURI_OK : MEGURI_NO_MEMORY);
    if (status == MEGURI_OK) *(uint32_t *)frontier = c->root;
    for (uint32_t level = 0; status == MEGURI_OK && in_all; level++) {
        if (level >= DEEPEST)
            status = mg_fail(c->ctx, MEGURI_WRONG_ANSWER,
                             "the tree from %u is deeper than %d, which cannot be checked.", c->root, DEEPEST);
        if (status != MEGURI_OK) break;
        for (uint64_t i = 0; i < count; i++)
            c->level[((uint32_t *)frontier)[i] - c->lists->home.begin] = (uint16_t)level;
        c->facts.depth = level;
        reached += count;
        level_teller teller = {c, frontier, count, 0, 0};
        const mg_route_source source = {next_levels, &teller, 4};
        void *next = NULL;
        status = mg_route(&next, &count, c->ctx, cluster, &source, "validating");
        mg_free(frontier);
        frontier = next;
        in_all = count;
        for (uint64_t i = 0; i < count && status == MEGURI_OK; i++)
            if (((uint32_t *)frontier)[i] - c->lists->home.begin >= c->count)
                status = mg_strange(c->ctx, cluster, "a vertex that is not at home here");
        if (status == MEGURI_OK) status = mg_reduce_u64(c->ctx, cluster, &cluster->all, &in_all, 1, MG_SUM);
    }
    mg_free(frontier);
    if (status == MEGURI_OK) status = mg_reduce_u64(c->ctx, cluster, &cluster->all, &reached, 1, MG_SUM);
    c->facts.reached = reached;
    return status;
}

static meguri_status check_hanging(const tree_check *c) {
    for (uint64_t i = 0; i < c->count; i++)
        if (c->level[i] == NO_LEVEL)
            return broken(c, 1, "vertex %" PRIu64 " has the parent %u, but its parents do not lead to the root.",
                          c->lists->home.begin + i, c->parent[i]);
    return MEGURI_OK;
}

/* ---- rules 2 to 5 ----------------------------------------------------------------------------------------------- */

static bool look_at_level(void *user, uint64_t i, const void *value) {
    tree_check *c = user;
    uint16_t from;
    memcpy(&from, value, sizeof from);
    uint32_t u = c->lists->arcs[2 * i];
    uint64_t v = c->lists->arcs[2 * i + 1] - c->lists->home.begin;
    uint16_t to = c->level[v];
    if ((from == OUTSIDE) != (to == OUTSIDE)) return false;
    if (to == OUTSIDE) return true;
    c->inside++;
    if (c->parent[v] == u && (uint32_t)from + 1 == to) c->seen[v] = 1;
    return from + 1u >= to && to + 1u >= from;
}

static bool look_at_distance(void *user, uint64_t i, const void *value) {
    tree_check *c = user;
    double from, w = (double)c->lists->weights[i];
    memcpy(&from, value, sizeof from);
    uint64_t v = c->lists->arcs[2 * i + 1] - c->lists->home.begin;
    double to = c->distance[v];
    if ((from > DBL_MAX) != (to > DBL_MAX)) return false;
    if (to > DBL_MAX) return true;
    c->inside++;
    if (c->parent[v] == c->lists->arcs[2 * i] && from + w == to) c->seen[v] = 1;
    return to <= from + w;
}

static meguri_status fail_arc(const tree_check *c, uint64_t i) {
    uint32_t u = c->lists->arcs[2 * i], v = c->lists->arcs[2 * i + 1];
    uint64_t at = v - c->lists->home.begin;
    bool out = c->parent[at] == MEGURI_NO_VERTEX;
    /* Which of the two rules it is, the other end decides: ask what this end would make of a tree that spans. */
    if (out) return broken(c, 4, "an edge joins vertex %u, which is in it, and vertex %u, which is not.", u, v);
    if (c->distance)
        return broken(c, 3,
                      "an edge of weight %.9g joins vertex %u and vertex %u, which is at distance %.17g: too far, "
                      "or the first is not in the tree.",
                      (double)c->lists->weights[i], u, v, c->distance[at]);
    return broken(c, 3,
                  "an edge joins vertex %u and vertex %u at level %u, and the levels differ by more than one, or "
                  "the first is not in the tree.",
                  u, v, c->level[at]);
}

static meguri_status check_distances(const tree_check *c) {
    for (uint64_t i = 0; i < c->count; i++) {
        double d = c->distance[i];
        bool inside = c->parent[i] != MEGURI_NO_VERTEX, root = c->lists->home.begin + i == c->root;
        if (inside ? !(d >= 0 && d <= DBL_MAX) || (root && d != 0) : !(d > DBL_MAX))
            return broken(c, 2, "the distance of vertex %" PRIu64 " is given as %.17g.", c->lists->home.begin + i, d);
    }
    return MEGURI_OK;
}

static meguri_status check_marks(const tree_check *c) {
    for (uint64_t i = 0; i < c->count; i++) {
        uint64_t v = c->lists->home.begin + i;
        if (c->parent[i] == MEGURI_NO_VERTEX || v == c->root || c->seen[i]) continue;
        return broken(c, 5, "no edge of the list joins vertex %" PRIu64 " and its parent %u%s.", v, c->parent[i],
                      c->distance ? " and adds up to its distance" : " one level above");
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

meguri_status mg_cluster_validate(meguri_graph500_tree *out, meguri_ctx *ctx, const mg_arc_lists *lists, uint32_t root,
                                  const uint32_t *parent, const double *distance) {
    tree_check c = {.ctx = ctx,
                    .lists = lists,
                    .root = root,
                    .parent = parent,
                    .distance = distance,
                    .count = lists->home.end - lists->home.begin};
    c.level = mg_alloc_array(ctx, c.count, sizeof *c.level, "the levels of a tree");
    c.seen = mg_alloc_array_zero(ctx, c.count, sizeof *c.seen, "the marks of a tree");
    meguri_status status = c.level && c.seen ? MEGURI_OK : MEGURI_NO_MEMORY;
    for (uint64_t i = 0; i < c.count && status == MEGURI_OK; i++)
        c.level[i] = parent[i] == MEGURI_NO_VERTEX ? OUTSIDE : NO_LEVEL;
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
    mg_free(c.child);
    mg_free(c.child_begins);
    if (status == MEGURI_OK) *out = c.facts;
    return status;
}
