/* components: connected components by Afforest (Sutton, Ben-Nun and Barak, IPDPS 2018).
 *
 *   sample    every vertex hangs itself below its first neighbour if that comes before it. Rows are sorted and hubs
 * have the first numbers, so this alone joins nearly all of a skewed graph; in breadth-first order it joins all. Even
 * graphs in no order link a second and a third neighbour, too. compress  every vertex hangs directly below its root.
 * What is largest then, as a sample sees it, is the giant. link      the remaining edges, but not those inside the
 * giant: there lie nearly all. write     into the user's order, named by the first member.
 *
 * Invariant of the forest: parent[v] <= v, and equal for roots alone. So there are no circles whatever threads do at
 * the same time, and the root of a finished component is its smallest internal number: the result does not depend on
 * who was first.
 *
 * Which edges may be left out? Those between two members of the giant. In an undirected graph an edge from the giant to
 * a vertex outside is also in the row of that vertex, so rows of members are skipped altogether. A directed graph
 * has it in one row only; turning all arcs round would take longer than everything else, so there the rows of members
 * are filtered: a look at the bitmap for every arc, and work for those that lead out. */
#ifndef MG_COMPONENTS_H
#define MG_COMPONENTS_H

#include "graph/graph.h"

#include <meguri/components.h>

struct mg_components_engine;

/* What the loop knows of a run; an engine may have more behind it. */
typedef struct mg_components {
    const struct mg_components_engine *engine;
    meguri_ctx *ctx;
    const meguri_graph *graph;
    mg_rows out;
    mg_numbering numbering;
    uint32_t rows;     /* internal numbers from here on are isolated: each a component of its own */
    uint32_t *parent;  /* the forest, by internal number below rows; of members of the giant it may be out of date */
    mg_bitmap giant;   /* one bit for each row: is in the giant; one bit more, which stays 0 */
    uint32_t root;     /* of the giant */
    uint64_t members;  /* of the giant */
    uint64_t edges;    /* looked at so far */
    uint32_t neighbor; /* which one of each row a round of samples links */
    uint32_t first;    /* position of the first member of the giant */
    uint32_t *sizes;   /* by root, where the giant may not be the largest; else NULL */
    uint64_t components, largest;
    uint32_t *component; /* the result, by position */
    const char *phase;   /* what is being done, for progress and trace */
    int64_t step;        /* phases that were done before */
    uint64_t moved;      /* bytes between host and device when the phase began */
} mg_components;

/* Where the forest is made. The phases are those above; the loop is in components_loop.c. */
typedef struct mg_components_engine {
    meguri_engine engine;
    size_t bytes; /* of what begins with a mg_components */
    meguri_status (*open)(mg_components *c);
    /* Joins every vertex with `neighbor` of its row. */
    meguri_status (*sample)(uint64_t *edges, mg_components *c);
    /* Everybody below its root, and the giant marked: `root` and `members`. */
    meguri_status (*compress)(mg_components *c);
    meguri_status (*link)(uint64_t *edges, mg_components *c);
    /* Forest and giant, both final, are here; the roots are counted as components. */
    meguri_status (*settle)(mg_components *c);
    uint64_t (*moved)(const mg_components *c); /* bytes between host and device so far; NULL: all is here */
    meguri_status (*facts)(const mg_components *c, meguri_result *result); /* of its own, or NULL */
    void (*close)(mg_components *c);
} mg_components_engine;

extern const mg_components_engine mg_components_on_host, mg_components_on_device;

/* Looks at the items [begin, end) of a sweep; the returned numbers are summed up. */
typedef uint64_t mg_components_look(mg_components *c, uint64_t begin, uint64_t end);

/* Blocks of items to all threads, in increasing order. */
uint64_t mg_components_sweep(mg_components *c, mg_components_look *look, uint64_t items, uint64_t block);
/* A phase begins, at the time that is returned; it ends, with a line in the trace, or as the work is cancelled.
 * `bytes`: that are moved if all is here. */
double mg_components_begin(mg_components *c, const char *phase);
meguri_status mg_components_end(mg_components *c, const char *way, uint64_t frontier, uint64_t edges, uint64_t bytes,
                                double since);

/* The tree that a sample of a forest takes for the largest (components_host.c). */
#define MG_COMPONENTS_SAMPLES 1024
uint32_t mg_components_giant(const uint32_t *parent, uint64_t count);
/* `settle`, where everybody in the forest is below its root already. */
void mg_components_take(mg_components *c);

/* The root of v. Hangs those on the way below their grandparents, unless another thread was there before: it may have
 * put a root there, which must not be taken back. */
static inline uint32_t mg_components_root(uint32_t *parent, uint32_t v) {
    for (;;) {
        uint32_t above = mg_load(&parent[v]), higher = mg_load(&parent[above]);
        if (higher == above) return above;
        mg_compare_swap(&parent[v], above, higher);
        v = higher;
    }
}

/* Joins the trees of a and b: the larger root comes below the smaller one. */
static inline void mg_components_unite(uint32_t *parent, uint32_t a, uint32_t b) {
    if (mg_load(&parent[a]) == mg_load(&parent[b])) return;
    for (;;) {
        a = mg_components_root(parent, a);
        b = mg_components_root(parent, b);
        if (a == b) return;
        uint32_t low = MG_MIN(a, b), high = MG_MAX(a, b);
        if (mg_compare_swap(&parent[high], high, low)) return;
    }
}

/* The rows of a word of the bitmap that are outside the giant. */
static inline uint64_t mg_components_outside(const mg_components *c, uint64_t word) {
    uint64_t left = c->rows - 64 * word;
    return ~mg_load(&c->giant.words[word]) & (left < 64 ? ((uint64_t)1 << left) - 1 : UINT64_MAX);
}

meguri_status mg_components_host_check(meguri_ctx *ctx, const meguri_graph *graph, const void *component);
/* components_loop.c: the forest and the giant, both final; how many components there are. */
meguri_status mg_components_find(mg_components *c);
/* components_write.c: the column in the user's order; the size of the largest component. */
meguri_status mg_components_write(mg_components *c);

/* The checker, of arrays as a result has them; meguri_components_check looks here. */
meguri_status mg_components_check(meguri_ctx *ctx, const meguri_graph *graph, const void *component);

#endif
