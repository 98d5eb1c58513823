/* betweenness: Brandes' algorithm (A faster algorithm for betweenness centrality, 2001) on rows, level by level, for
 * several sources at once: each has a lane, a number of its own for every vertex.
 *
 * Invariant: `wave` has a number for each vertex of one level and zero for all others, in every lane. So what a vertex
 * gets from that level is the plain sum of `wave` along its row, without any question which neighbours belong to it,
 * and lanes whose levels differ do not disturb each other:
 *
 *   forward    wave = the numbers of shortest paths to the frontier; the sum is the number of paths to a new vertex
 *   backward   wave = (1 + dependency) / ways of the level below; ways · sum is the dependency of a vertex
 *
 * Every sum runs along a row in a fixed order, and the scores of one search after another are added up in the order of
 * the sources, so the bits do not depend on threads. Who is in the next level is found by a push from the frontier
 * while that is small; else every vertex that some lane has not visited sums its row, and those with more than zero are
 * it.
 *
 * Searches of narrow levels, as roads have them, are done by one thread each, in Brandes' own way
 * (betweenness_narrow.c): a row is read twice, not three times, and no step waits for another thread.
 *
 * Numbers of ways double with every diamond on the way and soon exceed a double. Only quotients of neighbouring levels
 * count, so a level with a number beyond LARGE is scaled down by a power of two, which is kept. Where that would lose
 * its small numbers, a search is done again in wide ones, each with an exponent of its own. */
#ifndef MG_BETWEENNESS_H
#define MG_BETWEENNESS_H

#include "graph/graph.h"

#include <meguri/betweenness.h>

#define MG_BETWEENNESS_MOST_LANES 8
#define MG_BETWEENNESS_LARGE      0x1p900  /* ways: sums of 2^64 such are still finite */
#define MG_BETWEENNESS_SMALL      0x1p-900 /* … and of the inverses of such */

/* The vertices to search from, by position. */
typedef struct mg_betweenness_sources {
    uint32_t *vertices;
    uint64_t count;
    bool all; /* of the graph, but for those that no edge leaves */
} mg_betweenness_sources;

/* How a search is done; each has a workspace of its own. */
typedef enum mg_betweenness_form {
    MG_BETWEENNESS_NONE, /* there is no workspace yet */
    MG_BETWEENNESS_WAVES,
    MG_BETWEENNESS_WIDE, /* in wide numbers */
    MG_BETWEENNESS_NARROW
} mg_betweenness_form;

typedef struct mg_betweenness_level {
    uint64_t begin, end; /* its vertices in the list */
    uint64_t arcs;       /* that leave them */
    int shift;           /* its numbers of ways have been divided by 2 to this */
} mg_betweenness_level;

/* One search: what it works with, and what it has found. By internal number; `lanes` numbers a vertex. */
typedef struct mg_betweenness {
    meguri_ctx *ctx;
    mg_rows out, in;
    mg_betweenness_form form;
    uint32_t rows;            /* vertices with edges; internal numbers from here on are isolated */
    uint32_t lanes;           /* 1, 4 or 8 */
    int threads;              /* at most */
    double *ways;             /* to a vertex; on the way back (1 + dependency) / ways */
    uint32_t *level_of;       /* narrow searches: the level of a vertex, UINT32_MAX where it has none */
    double *wave;             /* where `here` is not 0 */
    uint8_t *here;            /* lanes in which a vertex stands in the wave; all 0 between two searches */
    int64_t *ways_scale;      /* wide numbers: times 2 to this; else NULL */
    double *score;            /* dependencies, of all lanes together */
    uint8_t all;              /* a bit for each lane in use */
    uint8_t *visited;         /* lanes that have visited a vertex */
    uint8_t *found;           /* lanes in which a push has found it; all 0 between two steps */
    uint32_t *list;           /* visited vertices, level by level; */
    uint8_t *masks;           /* in which lanes. One vertex may stand in several levels */
    uint64_t count, capacity; /* of the list */
    mg_betweenness_level *levels;
    uint64_t level_count, level_capacity;
    uint64_t finished;       /* vertices that all lanes have visited, */
    uint64_t unvisited_arcs; /* and arcs that leave the others */
    bool too_large;          /* numbers of ways: the search must be done again in wide ones */
    bool abandoned;          /* a narrow search met a level that threads should share: it must be done again in waves */
    uint64_t edges;          /* looked at */
    const uint64_t *done;    /* sources, for the progress */
    uint64_t total;
} mg_betweenness;

/* Tells how far the work is; true if it has been cancelled. */
static inline bool mg_betweenness_stopped(const mg_betweenness *s) {
    return mg_progress(s->ctx, "betweenness", mg_load(s->done), s->total);
}

/* ---- betweenness_sources.c -------------------------------------------------------------------------------------- */

/* Reads the options; what it finds is freed with mg_free(out->vertices). `phase` is for the progress. */
meguri_status mg_betweenness_sources_new(mg_betweenness_sources *out, meguri_ctx *ctx, const meguri_graph *graph,
                                         const meguri_betweenness_options *options, const char *phase);

/* ---- betweenness_host.c ----------------------------------------------------------------------------------------- */

/* Scores by position, and facts of the result. */
meguri_status mg_betweenness_host(meguri_ctx *ctx, const meguri_graph *graph, const mg_betweenness_sources *sources,
                                  double *score, meguri_result *result);

/* ---- betweenness_state.c ---------------------------------------------------------------------------------------- */

/* Room for searches of `lanes` sources in this form, unless it is there already; `s` has its context and rows. Only
 * waves have more than one lane. */
meguri_status mg_betweenness_workspace(mg_betweenness *s, mg_betweenness_form form, uint32_t lanes);
uint64_t mg_betweenness_workspace_bytes(mg_betweenness_form form, uint64_t rows, uint32_t lanes);
void mg_betweenness_free_workspace(mg_betweenness *s);
/* The list can take all vertices that are not finished. */
meguri_status mg_betweenness_grow(mg_betweenness *s);
/* What the list has from `begin` on becomes a level. */
meguri_status mg_betweenness_add_level(mg_betweenness *s, uint64_t begin);
/* The list has the sources (at most one for each lane; isolated ones are left out), nothing else is visited. */
meguri_status mg_betweenness_start(mg_betweenness *s, const uint32_t *sources, uint32_t count);

/* ---- betweenness_one.c, betweenness_four.c, betweenness_eight.c ------------------------------------------------- */

/* From the sources that have been started: forwards, and back unless a number was too large. */
meguri_status mg_betweenness_one(mg_betweenness *s);
meguri_status mg_betweenness_four(mg_betweenness *s);
meguri_status mg_betweenness_eight(mg_betweenness *s);

/* ---- betweenness_narrow.c --------------------------------------------------------------------------------------- */

/* Whether searches are narrow, by the levels around one source, which has been started in a narrow workspace. */
meguri_status mg_betweenness_is_narrow(bool *out, mg_betweenness *s);
/* From the source that has been started: forwards, and back unless a number was too large or a level too wide. */
meguri_status mg_betweenness_narrow(mg_betweenness *s);

/* The checker, of arrays as a result has them; meguri_betweenness_check looks here. */
meguri_status mg_betweenness_check(meguri_ctx *ctx, const meguri_graph *graph, const double *score,
                                   const meguri_betweenness_options *options);

#endif
