/* Shortest paths on a cluster: the same search as on one machine (sssp.h), cut in two dimensions.
 *
 * The owner of a vertex has its label and its place in a bin. In a round, all owners take what waits in the same few
 * bins, bin by bin, and follow the arcs that they have themselves, until nothing is left in them; then they send
 * (vertex, distance) to the others who have arcs that leave it (expand), these follow the arcs, and what comes nearer
 * goes to its owner (fold). One sum tells everybody where the next round begins and how wide it should be, so a
 * round is one meeting and two exchanges. There are no rounds within a bin: a round begins at the first bin in which
 * anybody has anything, and is as many bins wide as have enough work in them.
 *
 * What everybody remembers saves messages. Of every source in its window a process has the distance at which it was
 * last expanded (`sent`): so nobody is expanded twice at one distance, the next horizon needs no messages, and nor does
 * what a pull reads. Of every target in its window it has the nearest distance that it has sent to its owner: so
 * nothing is sent that is no news to the owner.
 *
 * Distances are 64-bit words that compare as numbers: integers, or the bits of a double that is not negative. */
#ifndef MG_SSSP_CLUSTER_H
#define MG_SSSP_CLUSTER_H

#include "algo/sssp/sssp.h"
#include "shards/shards.h"

#include <math.h>

#define MG_SSSP_ITEM                                                                                                   \
    8 /* bytes of a distance in a message at most; where parents go along, those of a position more                    \
       */

/* What a process has for one of its windows. */
typedef struct mg_sssp_side {
    const mg_window *window;
    uint32_t own; /* the place where the vertices of this process begin; `places` if there are none */

    /* Of a window of sources. */
    uint64_t *sent;      /* by place: the distance of the last expansion */
    uint32_t *front;     /* places that are expanded in this round … */
    uint64_t *front_far; /* … and their distances */
    uint64_t front_count;

    /* Of a window of targets. */
    mg_sssp_wide *labels; /* by place: those of the own vertices, and the nearest that was sent of the others */
    mg_bitmap noted;      /* others that came nearer in this round … */
    mg_queue found;       /* … in any order */
    mg_bitmap waiting;    /* targets of a pull */
    uint32_t *by_block;   /* found ones, by owner */
    uint64_t *block_ends;
} mg_sssp_side;

typedef struct mg_sssp_parts {
    meguri_sssp_search base;
    mg_shards *shards;

    /* The same at all processes. */
    bool real;       /* distances are doubles */
    double delta;    /* width of a bin */
    double heaviest; /* no weight is above */
    double light;    /* how far beyond the distance reached the horizon is; 0: there is none */
    bool fixed;      /* a round is a bin */

    mg_sssp_state state; /* bins of the own vertices; labels are those of the own block */
    mg_sssp_side side[2];
    int own_source, own_target; /* windows that the own vertices are in */
    uint32_t first_leaf;        /* own vertices from here on lead nowhere */
    uint64_t *pushed;           /* by own number: the distance at which its arcs here were last followed */
    uint32_t *taken;            /* own vertices of this round, each once … */
    uint64_t taken_count;
    mg_bitmap marked;         /* … by this */
    uint64_t again;           /* of them, those that had been expanded before */
    mg_sparse *expand, *fold; /* empty between rounds, as is */
    mg_exchange *settle;

    int strange;        /* a message was none of a search */
    uint64_t arcs;      /* looked at here */
    uint64_t last_work; /* of the last round */
    mg_steps steps;
} mg_sssp_parts;

static inline void mg_sssp_set_parent(mg_sssp_wide *label, uint64_t parent) {
    mg_store(&label->parent, (uint32_t)parent);
    mg_store(&label->above, (uint16_t)(parent >> 32));
}

static inline double mg_sssp_real_of(uint64_t word) {
    double real;
    memcpy(&real, &word, sizeof real);
    return real;
}

/* As hot->bin_of has it. */
#define MG_SSSP_LAST_BIN 9e18
static inline uint64_t mg_sssp_bin_of_word(const mg_sssp_parts *s, uint64_t word) {
    double bin = (s->real ? mg_sssp_real_of(word) : (double)word) * s->state.per_delta;
    return bin < MG_SSSP_LAST_BIN ? (uint64_t)bin : (uint64_t)MG_SSSP_LAST_BIN;
}

/* ---- sssp_cluster_prepare.c ------------------------------------------------------------------------------------- */

/* That all weights are lengths, and the largest; a sentence where one is not. */
meguri_status mg_sssp_cluster_lengths(double *heaviest, meguri_ctx *ctx, const mg_shards *shards);
/* That, and a width for the bins. */
meguri_status mg_sssp_cluster_plan(meguri_ctx *ctx, mg_sssp_parts *search);
/* Memory for searches. */
meguri_status mg_sssp_cluster_open(meguri_ctx *ctx, mg_sssp_parts *search);
void mg_sssp_cluster_close(meguri_sssp_search *base);

/* The user's id of a position that this process is home of, for sentences. */
void mg_sssp_cluster_id(char text[MG_ID_TEXT], const mg_shards *shards, uint64_t position);

/* ---- sssp_cluster_steps.c --------------------------------------------------------------------------------------- */

/* From the vertex of this number to final labels. */
meguri_status mg_sssp_cluster_search(meguri_ctx *ctx, mg_sssp_parts *search, uint64_t number);

/* ---- sssp_cluster_hot.c ----------------------------------------------------------------------------------------- */

/* Follows the arcs of what is expanded, of all tiles; as far as the horizon, if there is one. */
void mg_sssp_cluster_push(mg_sssp_parts *search);
/* The same for every source that was expanded at a distance in a bin before `settled`. */
void mg_sssp_cluster_push_again(mg_sssp_parts *search, uint64_t settled);
/* Gives those who wait the nearest distance that their in-arcs offer. */
void mg_sssp_cluster_pull(mg_sssp_parts *search);

/* ---- sssp_cluster_move.c ---------------------------------------------------------------------------------------- */

/* What was taken goes to all others who have arcs that leave it: theirs become the front. */
meguri_status mg_sssp_cluster_expand(meguri_ctx *ctx, mg_sssp_parts *search);
/* What was found goes to its owners; what is news to them comes into bins. */
meguri_status mg_sssp_cluster_fold(meguri_ctx *ctx, mg_sssp_parts *search);
/* Who waits: the own block of `waiting` goes to all who have arcs that lead there. */
meguri_status mg_sssp_cluster_tell_waiting(meguri_ctx *ctx, mg_sssp_parts *search);

#endif
