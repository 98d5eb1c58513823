/* communities: label propagation as LDBC Graphalytics defines it (CDLP; Raghavan, Albert and Kumara 2007, made
 * synchronous and deterministic).
 *
 * Invariant: between two iterations `label` has the labels of iteration t and `other` those of t-1, both by internal
 * number; a label is a position in the user's order, so that ties compare rightly. Three facts save work, and each is
 * exact:
 *
 *   - A vertex none of whose neighbours changed in iteration t keeps in t+1 what it got in t.
 *   - Before the first iteration all labels differ: what repeats among the neighbours' labels are the neighbours
 *     themselves, and these stand sorted in the rows. Nothing has to be counted.
 *   - Where iteration t+1 gives everywhere what t-1 had, the labels alternate from then on for ever.
 *
 * Rows longer than MG_COMMUNITIES_HUB are shared between all threads; the others go in blocks of about equal arcs. */
#ifndef MG_COMMUNITIES_H
#define MG_COMMUNITIES_H

#include "graph/graph.h"

#include <meguri/communities.h>

#define MG_COMMUNITIES_HUB 32768 /* neighbours: the table of a thread takes up to half a megabyte */

/* One place of an open-addressing table. */
typedef struct mg_communities_entry {
    uint32_t label;
    uint32_t count; /* 0: free */
} mg_communities_entry;

/* What one thread counts with. */
typedef struct mg_communities_workspace {
    mg_communities_entry *table; /* all free between two vertices */
    uint32_t *labels;            /* of the neighbours of one vertex */
    uint32_t *used;              /* places of the table that are taken */
} mg_communities_workspace;

/* What an iteration did. */
typedef struct mg_communities_step {
    uint64_t looked;       /* vertices whose neighbours were looked at */
    uint64_t edges;        /* arcs looked at */
    uint64_t changed;      /* vertices with another label than one iteration earlier */
    uint64_t changed_arcs; /* arcs of these */
    uint64_t moved;        /* vertices with another label than two iterations earlier */
} mg_communities_step;

typedef struct mg_communities {
    const meguri_graph *graph;
    mg_rows out, in; /* `in` has no rows in undirected graphs */
    mg_numbering numbering;
    uint32_t rows;   /* vertices with edges; internal numbers from here on are isolated */
    uint64_t work;   /* arcs of both kinds */
    uint64_t blocks; /* of about equal work */
    uint32_t *label, *other;
    uint32_t iterations; /* to do at most */
    uint32_t done;
    bool first;       /* labels are still the vertices themselves */
    bool all;         /* every vertex is looked at; else those in `awake` */
    mg_bitmap awake;  /* a neighbour has changed */
    uint32_t *counts; /* by label, all 0 between two hubs; NULL without hubs */
    uint32_t *hubs;   /* internal numbers */
    uint64_t hub_count;
    mg_communities_workspace *scratch; /* of each thread */
    int threads;
    void *memory; /* behind the scratch */
} mg_communities;

static inline uint64_t mg_communities_degree(const mg_communities *c, uint64_t v) {
    uint64_t degree = mg_row_end(&c->out, v) - mg_row_begin(&c->out, v);
    return degree + mg_row_end(&c->in, v) - mg_row_begin(&c->in, v);
}

static inline bool mg_communities_asleep(const mg_communities *c, uint32_t v) {
    return !c->all && !mg_bitmap_get(&c->awake, v);
}

/* Tells how far the work is; true if it has been cancelled. */
static inline bool mg_communities_stopped(meguri_ctx *ctx, const mg_communities *c, uint64_t block) {
    return mg_progress(ctx, "communities", c->done * c->blocks + block, c->iterations * c->blocks);
}

/* More is better, of equals the smaller label. */
static inline uint64_t mg_communities_key(uint32_t count, uint32_t label) {
    return (uint64_t)count << 32 | (UINT32_MAX - label);
}
static inline uint32_t mg_communities_label_of(uint64_t key) { return UINT32_MAX - (uint32_t)key; }

/* Writes the label that v gets to `other`, whose old content is the label before the last, and adds to the step. */
static inline void mg_communities_settle(const mg_communities *c, mg_communities_step *step, uint32_t v,
                                         uint32_t label) {
    step->moved += c->other[v] != label;
    c->other[v] = label;
    if (c->label[v] == label) return;
    step->changed++;
    step->changed_arcs += mg_communities_degree(c, v);
}

/* ---- communities_host.c ----------------------------------------------------------------------------------------- */

/* Labels by position, and facts of the result. */
meguri_status mg_communities_host(meguri_ctx *ctx, const meguri_graph *graph, uint32_t iterations, uint32_t *label,
                                  meguri_result *result);

/* ---- communities_count.c ---------------------------------------------------------------------------------------- */

/* Bytes of the scratch for vertices of at most so many neighbours, and its parts laid out in such a block. */
size_t mg_communities_workspace_bytes(uint64_t degree);
mg_communities_workspace mg_communities_workspace_at(void *memory, uint64_t degree);
/* One iteration of the vertices [begin, end) but for hubs. */
void mg_communities_block(const mg_communities *c, mg_communities_workspace *scratch, uint32_t begin, uint32_t end,
                          mg_communities_step *step);
/* The neighbours of a hub in pieces, for several threads or looks at the progress. */
uint64_t mg_communities_chunks(const mg_communities *c, uint32_t v);
const uint32_t *mg_communities_chunk(const mg_communities *c, uint32_t v, uint64_t chunk, uint64_t *count);
/* One iteration of a hub, on all threads. */
void mg_communities_hub(meguri_ctx *ctx, const mg_communities *c, uint32_t v, mg_communities_step *step);

/* The checker, of arrays as a result has them; meguri_communities_check looks here. */
meguri_status mg_communities_check(meguri_ctx *ctx, const meguri_graph *graph, const uint32_t *label,
                                   uint32_t iterations);

#endif
