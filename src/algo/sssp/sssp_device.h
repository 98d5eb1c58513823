/* Shortest paths on a device: what the files of this engine share (kernels in sssp*.cl).
 *
 * Strategies differ in what they do from the sources to final distances; the rows on the device, distances, parents and
 * results are the same for all. Distances are tried in 32 bits where weights are integers; a search in which one could
 * grow beyond ends with MG_SSSP_TOO_FAR in the counters and is done again in 64. */
#ifndef MG_SSSP_DEVICE_H
#define MG_SSSP_DEVICE_H

#include "algo/sssp/sssp.h"
#include "device/device.h"
#include "policy/policy.h"

#define MG_SSSP_ROW_PIECE  32 /* arcs that an entry of a list stands for, at most */
#define MG_SSSP_TAKE       16 /* entries, or words of bits, that a work-item takes, where these take turns; else one */
#define MG_SSSP_MOST_LANES 64 /* searches side by side */

/* Arrays of weights, for kernels; of a graph that has none, something that nobody reads. */
static inline const mg_buffer *mg_sssp_row_weights(const mg_device_rows *rows) {
    return rows->weights.device ? &rows->weights : &rows->neighbors;
}

/* Words that a phase counts in, as in sssp.cl. */
enum {
    MG_SSSP_ENTRIES,
    MG_SSSP_CHANGED,
    MG_SSSP_FAR_ENTRIES,
    MG_SSSP_AGAIN,
    MG_SSSP_EDGES,
    MG_SSSP_EDGES_HIGH,
    MG_SSSP_ANY,
    MG_SSSP_TOO_FAR,
    MG_SSSP_LEAST,
    MG_SSSP_LEAST_HIGH,
    MG_SSSP_PHASES,
    MG_SSSP_COUNTERS = 12
};

/* X(kernel): of sssp*.cl, with sssp_ before their names. */
#define MG_SSSP_KERNEL_LIST(X)                                                                                         \
    X(relax_all)                                                                                                       \
    X(update_all)                                                                                                      \
    X(relax_list)                                                                                                      \
    X(list_changed)                                                                                                    \
    X(flag)                                                                                                            \
    X(count_flags)                                                                                                     \
    X(list_flags)                                                                                                      \
    X(sum_arcs)                                                                                                        \
    X(pull_all)                                                                                                        \
    X(start)                                                                                                           \
    X(relax_near)                                                                                                      \
    X(list_near)                                                                                                       \
    X(near_few)                                                                                                        \
    X(cut)                                                                                                             \
    X(parents)                                                                                                         \
    X(tie_all)                                                                                                         \
    X(tie)                                                                                                             \
    X(delta)                                                                                                           \
    X(delta_batch)                                                                                                     \
    X(settle)                                                                                                          \
    X(settle_batch)                                                                                                    \
    X(near_batch)                                                                                                      \
    X(parent_batch)                                                                                                    \
    X(split_bits)                                                                                                      \
    X(cut_bits)

typedef struct mg_sssp_device mg_sssp_device;

/* Near and far: a step, as it goes. */
typedef struct mg_sssp_near {
    uint32_t phase, first; /* numbers of phases, from 1 on; the first of the step */
    uint32_t far;          /* vertices that are far */
    uint64_t begin, limit; /* of the step, as the device has distances */
    uint64_t span;         /* bins of the step */
    mg_sssp_work work;
    mg_sssp_costs costs;
} mg_sssp_near;

/* How what is near lies: as bits and a list of these, where the whole graph is on the device; as bits, where it comes
 * in parts. */
typedef struct mg_sssp_near_moves {
    /* A phase: relaxes what is near. */
    meguri_status (*relax)(uint32_t words[MG_SSSP_COUNTERS], meguri_ctx *ctx, mg_sssp_device *s);
    /* The far ones below the limit become near; those below the `old` one have been. */
    meguri_status (*split)(uint32_t words[MG_SSSP_COUNTERS], meguri_ctx *ctx, mg_sssp_device *s, uint64_t old);
    /* The limit has fallen: what is beyond goes to the far ones. */
    meguri_status (*cut)(uint32_t words[MG_SSSP_COUNTERS], meguri_ctx *ctx, mg_sssp_device *s);
} mg_sssp_near_moves;
extern const mg_sssp_near_moves mg_sssp_near_whole, mg_sssp_near_in_parts, mg_sssp_near_here, mg_sssp_near_several;

/* Rounds of the host, of a graph in parts (sssp_device_here.c). What a search knows is here or on the device. */
typedef struct mg_sssp_here {
    bool here;      /* … it is here */
    bool round;     /* the next round is the host's; of one device always the same */
    uint64_t *bits; /* what settles or is near */
    uint64_t *next; /* … after the phase that runs */
    uint64_t *seen; /* … was in this step */
    uint64_t *marks;
    void *lightest; /* of settle, as distances are */
    uint32_t *open; /* … reached, not settled; behind it those that settle now */
    uint32_t open_count;
    double lost;     /* seconds, by rounds on this side (policy.h) */
    double paces[2]; /* seconds for a unit of cost (policy.h), of devices and of the host */
    uint64_t edges;  /* that the host looked at in this search */
} mg_sssp_here;

typedef struct mg_sssp_strategy {
    const char *name;
    /* From the sources, which lie in the list, to final distances in `lower`; or as far as 32 bits are enough. */
    meguri_status (*search)(bool *beyond, meguri_ctx *ctx, mg_sssp_device *s);
    bool phases;  /* those of paper P3: one lane, no buckets */
    bool settles; /* that of P5: one lane, parents as it goes */
} mg_sssp_strategy;

extern const mg_sssp_strategy mg_sssp_all, mg_sssp_selected, mg_sssp_adaptive, mg_sssp_near_far, mg_sssp_settle;

struct mg_sssp_device {
    meguri_sssp_search base;
    mg_sssp_plan plan;
    const mg_sssp_strategy *strategy;
    mg_device *device;
    meguri_type weights; /* of the rows, as they count */
    bool parents_wanted;
    bool in_parts;        /* one lane; of the rows only offsets are on the device */
    uint32_t rows, lanes; /* lanes: room for so many searches side by side */
    bool wide;            /* distances have 64 bits now */
    bool by_pull;         /* they do, and the device has no atomic operations for them */

    struct {
#define MG_SSSP_FIELD(name) mg_kernel name;
        MG_SSSP_KERNEL_LIST(MG_SSSP_FIELD)
#undef MG_SSSP_FIELD
    } kernels;
    mg_primitives primitives;
    mg_device_rows out, in;
    mg_buffer known, lower; /* distances; `known` has one lane */
    mg_buffer times;        /* of P3: how many times a vertex was looked at while all had work-items */
    mg_buffer flags, sums;  /* of P3 */
    mg_buffer list, next;   /* entries (vertex, piece); the next ones are of parents */
    mg_buffer parents, sources;
    mg_buffer counters[2]; /* of this launch, and of the next */
    mg_parts parts;
    mg_buffer bits;     /* what has changed, is near, or settles */
    mg_buffer marks;    /* who is far, or has settled */
    mg_buffer seen;     /* of near and far: who was near in this step */
    mg_buffer won;      /* … a bit for each arc of a batch */
    bool tied;          /* … some vertices may get parents by edges that add nothing */
    mg_buffer lightest; /* of P5: the least weight of each vertex's arcs */
    mg_buffer delta;
    void *lower_here; /* a lane, read back or the host's own */
    uint32_t *parents_here;
    mg_sssp_here here; /* in parts */

    uint32_t devices;        /* 1; or so many share the graph, each with a search of its own, whose number is 0 */
    mg_sssp_device *workers; /* … these */
    mg_rows_share share;     /* … the rows that one of them has */

    /* The search that is under way. */
    uint32_t running; /* lanes */
    uint32_t first;   /* the source of the first one */
    uint32_t entries; /* of the list */
    uint64_t vertices, edges, phases, steps;
    mg_sssp_near near;
    const mg_sssp_goal *goal;      /* NULL: all distances are wanted */
    bool given_up;                 /* that one is over before its time */
    mg_sssp_thresholds thresholds; /* of adaptive; 0: not yet found */
    uint64_t moved;                /* bytes, before the phase */
};

/* ---- sssp_device.c ---------------------------------------------------------------------------------------------- */

/* What a search with this plan and these weights needs, by a strategy, for so many lanes at most. */
meguri_status mg_sssp_device_open(meguri_ctx *ctx, mg_sssp_device *s, const mg_sssp_strategy *strategy, int lanes);
void mg_sssp_device_close(mg_sssp_device *s);
/* For distances of this width. */
meguri_status mg_sssp_device_width(meguri_ctx *ctx, mg_sssp_device *s, bool wide);
/* Bytes that went between host and devices so far. */
uint64_t mg_sssp_device_moved(const mg_sssp_device *s);
/* What is on the device as it is before the first phase, from sources (internal numbers; one that has no edges is
 * MG_NO_VERTEX), as many as are running. */
meguri_status mg_sssp_device_start(meguri_ctx *ctx, mg_sssp_device *s, const uint32_t *sources);
/* From there to distances and parents on the device. */
meguri_status mg_sssp_device_search(meguri_ctx *ctx, mg_sssp_device *s, const uint32_t *sources);

/* What the last launches counted; the next ones have counters that were cleared meanwhile. */
meguri_status mg_sssp_device_count(uint32_t words[MG_SSSP_COUNTERS], meguri_ctx *ctx, mg_sssp_device *s);
static inline uint64_t mg_sssp_long(const uint32_t *words) { return words[0] + ((uint64_t)words[1] << 32); }
/* Counters as a launch expects them, where others than the launches before it have used them. */
meguri_status mg_sssp_device_clear(meguri_ctx *ctx, const mg_sssp_device *s);
void mg_sssp_swap(mg_buffer *a, mg_buffer *b);
/* Entries of a list, or words of bits, that a work-item takes, and work-items for so many of them. */
static inline uint32_t mg_sssp_take(const mg_sssp_device *s) { return s->device->in_turns ? MG_SSSP_TAKE : 1; }
static inline uint32_t mg_sssp_takers(const mg_sssp_device *s, uint32_t count) {
    return count / mg_sssp_take(s) + (count % mg_sssp_take(s) != 0);
}
/* Words of 32 bits, one for each vertex of each lane. */
static inline uint32_t mg_sssp_words(const mg_sssp_device *s) {
    return (uint32_t)(((uint64_t)s->rows * s->lanes + 31) / 32);
}
/* A line of the trace, about a phase that began at `since`. */
void mg_sssp_device_trace(meguri_ctx *ctx, mg_sssp_device *s, const char *phase, const char *way, uint64_t vertices,
                          int64_t edges, double seconds);
/* No distance beyond may be relaxed in 32 bits. */
static inline uint64_t mg_sssp_device_most(const mg_sssp_device *s) {
    return s->wide ? UINT64_MAX : s->plan.narrow_end;
}

/* A distance of the device as a number. */
static inline double mg_sssp_device_real(const mg_sssp_device *s, uint64_t word) {
    return s->plan.real ? (mg_sssp_distance){.number = word}.real : (double)word;
}

/* ---- sssp_device_parents.c -------------------------------------------------------------------------------------- */

/* Of final distances, from the same sources. */
meguri_status mg_sssp_device_parents(meguri_ctx *ctx, mg_sssp_device *s, const uint32_t *sources);

/* ---- sssp_device_near.c ----------------------------------------------------------------------------------------- */

/* Goes on from where a search with a goal ended. */
meguri_status mg_sssp_near_go_on(bool *beyond, meguri_ctx *ctx, mg_sssp_device *s);

/* ---- sssp_device_parts.c ---------------------------------------------------------------------------------------- */

/* Whether the graph is to come in parts, and what that needs beside the rest, for distances of this width. */
bool mg_sssp_device_fits(const mg_sssp_device *s);
meguri_status mg_sssp_parts_open(meguri_ctx *ctx, mg_sssp_device *s);
void mg_sssp_parts_close(mg_sssp_device *s);
/* The source, an internal number or MG_NO_VERTEX. */
meguri_status mg_sssp_parts_start(meguri_ctx *ctx, mg_sssp_device *s, uint32_t source);
/* Relaxes the rows of a batch (`what` is the search), of vertices that settle or are near. */
meguri_status mg_sssp_settle_rows(void *what, meguri_ctx *ctx, const mg_batch *batch);
meguri_status mg_sssp_near_rows(void *what, meguri_ctx *ctx, const mg_batch *batch);

/* ---- sssp_device_here.c ----------------------------------------------------------------------------------------- */

meguri_status mg_sssp_here_open(meguri_ctx *ctx, mg_sssp_device *s);
void mg_sssp_here_close(mg_sssp_device *s);
/* Who does the next round, of about so many vertices; what the search knows is there then. */
meguri_status mg_sssp_choose(meguri_ctx *ctx, mg_sssp_device *s, uint64_t vertices);
/* What a search knows is here from now on. */
meguri_status mg_sssp_bring(meguri_ctx *ctx, mg_sssp_device *s);
/* A distance that it knows. */
meguri_status mg_sssp_look(uint64_t *word, meguri_ctx *ctx, const mg_sssp_device *s, uint64_t vertex);
/* Lists who is reached and has not settled. */
void mg_sssp_here_find_open(mg_sssp_device *s);
/* Here: who settles next, also as bits, and their rows; how many, and edges, into the counters. */
void mg_sssp_here_settle(uint32_t words[MG_SSSP_COUNTERS], mg_sssp_device *s);
void mg_sssp_here_relax_settled(uint32_t words[MG_SSSP_COUNTERS], mg_sssp_device *s, uint32_t count);
/* What is near is counted, as of this phase. */
void mg_sssp_here_count(uint32_t words[MG_SSSP_COUNTERS], mg_sssp_device *s);
/* At the end: parents along edges that add nothing, once what is known is here. */
meguri_status mg_sssp_here_tie(meguri_ctx *ctx, mg_sssp_device *s);

/* ---- sssp_device_several.c -------------------------------------------------------------------------------------- */

/* Devices relax the rows of here.bits, each its share of their arcs; what they found is here then, also who is near
 * next (in here.bits). */
meguri_status mg_sssp_several(uint32_t words[MG_SSSP_COUNTERS], meguri_ctx *ctx, mg_sssp_device *s);

/* ---- sssp_device_settle.c --------------------------------------------------------------------------------------- */

/* What it needs beside parts, for distances of this width. */
meguri_status mg_sssp_settle_open(meguri_ctx *ctx, mg_sssp_device *s);
void mg_sssp_settle_close(mg_sssp_device *s);

/* ---- sssp_device_phases.c --------------------------------------------------------------------------------------- */

/* How long phases of each kind take here, with few changed vertices and with many, into thresholds. */
meguri_status mg_sssp_calibrate(meguri_ctx *ctx, mg_sssp_device *s);

#endif
