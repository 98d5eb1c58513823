/* triangles: counting the triangles of the simple undirected graph behind a graph, in all or for each vertex.
 *
 * Every vertex has a list of its neighbours that come before it, in an order in which vertices of high degree come
 * first. So lists are short (at most √(2 edges)), however long the rows of hubs are, and a triangle w < u < v is found
 * once: w is in the lists of both v and u, and u in that of v (Schank and Wagner 2005, "forward"; Latapy 2008). For
 * each v and each u in its list, the common members are counted by one of four ways, the cheapest:
 *
 *   and      lists of the first vertices, the hubs, lie there as rows of bits as well; the bits of u's row are combined
 *            with v's list marked in bits, 512 at a time; good where v has many neighbours among hubs
 *   look     each member of v's list before u is looked up in u's row of bits; good where v has few
 *   scan     u is no hub: each member of its list is looked up in v's marks
 *   search   … or, where u's list is far longer than v's, each member of v's list is searched for in it
 *
 * Where each vertex wants its own count, it must be known which members they share, and another way replaces the first
 * two:
 *
 *   see      of u's row of bits those that v's list has are moved together (pext), 64 members at a time, and counters
 *            in the order of v's list are added to under this mask
 *
 * Rows of bits for hubs are the idea of LOTUS (Koohi Esfahani, Kilpatrick and Vandierendonck, PPoPP 2022). */
#ifndef MG_TRIANGLES_H
#define MG_TRIANGLES_H

#include "graph/graph.h"

#include <meguri/triangles.h>

/* The lists of all vertices. Numbers are places in the order of the lists: internal numbers, unless `number` says
 * which one each is. */
typedef struct mg_triangle_lists {
    uint32_t vertices; /* those with edges */
    uint64_t edges;    /* entries of all lists: edges of the simple graph */
    const uint32_t *neighbors;
    uint64_t *begin;  /* the list of v is neighbors[begin[v] … begin[v] + length[v]), increasing */
    uint32_t *length; /* … */
    uint32_t longest; /* of these */
    uint8_t *both;    /* beside neighbors: 1 where arcs lead both ways; NULL if not wanted, or where they all do */
    uint32_t *degree; /* in the simple graph */
    uint32_t *number; /* NULL, or: number of the list → internal number */

    uint32_t hubs;         /* vertices below this have their list as bits, too */
    uint64_t *hub_at;      /* place of a row of bits: words, a multiple of 8, as long as is needed for bits below u */
    uint64_t *hub_bits;    /* u's list; where there is `both`, each word is followed by one of those where it is set */
    uint32_t *own_entries; /* what `neighbors` is, where it is not the graph's */
} mg_triangle_lists;

static inline uint64_t mg_triangle_row_words(uint32_t u) { return ((uint64_t)u + 511) / 512 * 8; }

/* Makes them, with `both` if wanted. `run` is for progress and trace. */
meguri_status mg_triangle_lists_new(mg_triangle_lists *out, meguri_ctx *ctx, const meguri_graph *graph, bool both,
                                    const char *run);
void mg_triangle_lists_free(mg_triangle_lists *lists);
/* triangles_hubs.c: the rows of bits, as many as pay. */
meguri_status mg_triangle_hubs(meguri_ctx *ctx, mg_triangle_lists *lists, const char *run);

/* ---- loops over all lists (triangles_host.c) -------------------------------------------------------------------- */

/* The number of triangles. */
meguri_status mg_triangles_count(uint64_t *out, meguri_ctx *ctx, const mg_triangle_lists *lists);
/* For each vertex the triangles it is in; each counts as many times as arcs join the other two where lists have
 * `both`. `sums` is zero before. */
meguri_status mg_triangles_each(uint64_t *sums, meguri_ctx *ctx, const mg_triangle_lists *lists, const char *run);

/* ---- the hot loops, compiled for several targets (triangles_hot.h) ---------------------------------------------- */

/* Hubs in v's list whose bits lie in one word of a row. */
typedef struct mg_triangle_word {
    uint64_t mask;
    uint32_t word;
    uint32_t place; /* in the list: of the first of them */
} mg_triangle_word;

/* What a thread has of its own. Marks and what members get are all zero between two vertices; the rest is there for
 * mg_triangles_each alone, and about v. */
typedef struct mg_triangle_workspace {
    uint64_t *marks;         /* a bit for each vertex: the list of v */
    uint64_t *both_marks;    /* of these, those where `both` is set */
    uint32_t *by_place;      /* what members of v's list get, by their place in it … */
    uint32_t *by_vertex;     /* … and by their number */
    uint64_t *hub_sums;      /* what hubs got in all: so threads do not meet at the hubs */
    mg_triangle_word *words; /* the hubs in v's list */
    uint32_t *first_word;    /* for every 64 places the first word that begins there; and the end */
    uint64_t *own_both;      /* `both` of v's list, by place */
} mg_triangle_workspace;

typedef struct mg_triangle_hot {
    /* The triangles of v and all members of its list, which are few and not marked. */
    uint64_t (*few)(const mg_triangle_lists *lists, uint32_t v);
    /* The triangles of v and the members [from, to) of its list, which is marked. */
    uint64_t (*count)(const mg_triangle_lists *lists, const mg_triangle_workspace *workspace, uint32_t v, uint32_t from,
                      uint32_t to);
    /* The same for each vertex: returns v's part; the others' is added on the workspace. */
    uint64_t (*each)(const mg_triangle_lists *lists, const mg_triangle_workspace *workspace, uint32_t v, uint32_t from,
                     uint32_t to);
} mg_triangle_hot;

extern const mg_triangle_hot mg_triangle_hot_base, mg_triangle_hot_avx2, mg_triangle_hot_avx512;
/* The one for this processor. */
const mg_triangle_hot *mg_triangle_hot_loops(void);

/* The checker, of arrays as a result has them; meguri_triangles_check looks here. */
meguri_status mg_triangles_check(meguri_ctx *ctx, const meguri_graph *graph, uint64_t triangles);

#endif
