/* A minimum spanning forest of an undirected graph with weights (Borůvka, 1926), by questions to vertices. In rounds:
 *
 *   spread   everybody tells its neighbours which tree it is in: the vertex that is the root of it
 *   choose   everybody tells its root the lightest edge that leaves the tree
 *   hook     a root takes the lightest of all, and points at the root of the tree at its other end
 *   settle   two roots that point at each other have taken the same edge: one of them stays a root, and gives it back
 *   jump     everybody asks the vertex it points at where that points, until all point at roots
 *
 * An edge is lighter than another of the same weight if its ends come first, so that no circle of hooks is longer than
 * two. A vertex hooks once and for all: the edge of the forest that it took is its row of the result, and roots, one
 * for each component, have none.
 *
 *     meguri run forest.c g.meg -o forest.tsv */
#include <meguri/pregel.h>

enum { SPREAD, CHOOSE, HOOK, SETTLE, JUMP };
enum { HOOKED, MOVED };

typedef struct tree {
    double weight; /* of the edge that it took */
    uint32_t root, from, to;
} tree;
typedef struct word { /* SPREAD: root alone */
    double weight;
    uint32_t root, from, to;
} word;

MEGURI_VERTEX(forest, tree, double, word);
MEGURI_ASKS(forest, uint32_t);

static inline uint32_t forest_respond(const tree *t) { return t->root; }

static inline int lighter(const word *a, const word *b) {
    if (b->root == MEGURI_NO_VERTEX32 || a->weight != b->weight)
        return b->root == MEGURI_NO_VERTEX32 || a->weight < b->weight;
    uint32_t a_first = a->from < a->to ? a->from : a->to, b_first = b->from < b->to ? b->from : b->to;
    return a_first != b_first ? a_first < b_first : a->from + a->to - a_first < b->from + b->to - b_first;
}

static inline void choose(forest_vertex *v, const tree *t) {
    word best = {.root = MEGURI_NO_VERTEX32};
    MEGURI_EACH_MESSAGE(forest, m, v) {
        word edge = {m.edge, m.value.root, forest_id(v), m.source};
        if (edge.root != t->root && lighter(&edge, &best)) best = edge;
    }
    if (best.root != MEGURI_NO_VERTEX32) forest_send(v, t->root, best);
}

static inline void hook(forest_vertex *v, tree *t) {
    word best = {.root = MEGURI_NO_VERTEX32};
    MEGURI_EACH_MESSAGE(forest, m, v) {
        if (lighter(&m.value, &best)) best = m.value;
    }
    if (best.root == MEGURI_NO_VERTEX32) return;
    *t = (tree){best.weight, best.root, best.from, best.to};
    forest_whole(v, HOOKED, 1);
    forest_ask(v, t->root);
}

static inline void settle(forest_vertex *v, tree *t) {
    const uint32_t *back = forest_answer(v, t->root), me = forest_id(v);
    if (t->root != me && back && *back == me && me < t->root)
        *t = (tree){0, me, MEGURI_NO_VERTEX32, MEGURI_NO_VERTEX32};
    forest_ask(v, t->root);
}

static inline void jump(forest_vertex *v, tree *t) {
    uint32_t next = *forest_answer(v, t->root);
    forest_whole(v, MOVED, next != t->root);
    t->root = next;
    forest_ask(v, next);
}

static inline void forest_compute(forest_vertex *v, tree *t) {
    const int *phase = forest_globals(v);
    if (forest_superstep(v) == 0) *t = (tree){0, forest_id(v), MEGURI_NO_VERTEX32, MEGURI_NO_VERTEX32};
    switch (*phase) {
    case SPREAD: forest_send_all(v, (word){.root = t->root}); break;
    case CHOOSE: choose(v, t); break;
    case HOOK: hook(v, t); break;
    case SETTLE: settle(v, t); break;
    default: jump(v, t); break;
    }
}

static void between(meguri_master *master, void *globals) {
    int *phase = globals;
    if (*phase == HOOK && master->whole(master, HOOKED) == 0) master->stop = 1; /* no edge leaves any tree */
    if (*phase != JUMP) (*phase)++;
    else if (master->whole(master, MOVED) == 0) *phase = SPREAD;
}

static const meguri_aggregator totals[] = {
    [HOOKED] = {.name = "hooked", .kind = MEGURI_SUM_WHOLE}, [MOVED] = {.name = "moved", .kind = MEGURI_SUM_WHOLE}};
static const meguri_output columns[] = {MEGURI_OUTPUT_FIELD("root", tree, root),
                                        MEGURI_OUTPUT_FIELD("from", tree, from), MEGURI_OUTPUT_FIELD("to", tree, to),
                                        MEGURI_OUTPUT_FIELD("weight", tree, weight)};
MEGURI_PROGRAM(forest, .outputs = columns, .output_count = 4, .aggregators = totals, .aggregator_count = 2,
               .globals_bytes = sizeof(int), .between = between, MEGURI_ANSWERS(forest));
MEGURI_RUN(&forest_program);
