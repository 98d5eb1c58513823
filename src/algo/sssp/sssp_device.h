/* Shortest paths on a device: what the files of this engine share (kernels in sssp.cl).
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
#define MG_SSSP_MOST_LANES 64 /* searches side by side */

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
    MG_SSSP_COUNTERS
};

/* X(kernel): of sssp.cl, with sssp_ before their names. */
#define MG_SSSP_KERNEL_LIST(X)                                                                                         \
    X(relax_all)                                                                                                       \
    X(update_all)                                                                                                      \
    X(relax_list)                                                                                                      \
    X(update_list)                                                                                                     \
    X(flag)                                                                                                            \
    X(count_flags)                                                                                                     \
    X(list_flags)                                                                                                      \
    X(pretend)                                                                                                         \
    X(sum_arcs)                                                                                                        \
    X(pull_all)                                                                                                        \
    X(start)                                                                                                           \
    X(relax_near)                                                                                                      \
    X(split)                                                                                                           \
    X(cut)                                                                                                             \
    X(parents)                                                                                                         \
    X(tie_all)                                                                                                         \
    X(tie)                                                                                                             \
    X(delta)                                                                                                           \
    X(settle)                                                                                                          \
    X(relax_batch)

typedef struct mg_sssp_device mg_sssp_device;

/* Near and far: a step, as it goes. */
typedef struct mg_sssp_near {
    uint32_t phase, first; /* numbers of phases, from 1 on; the first of the step */
    uint32_t far;          /* entries of the far list */
    uint64_t begin, limit; /* of the step, as the device has distances */
    uint64_t span;         /* bins of the step */
    mg_sssp_work work;
    mg_sssp_costs costs;
} mg_sssp_near;

typedef struct mg_sssp_strategy {
    const char *name;
    /* From the sources, which lie in the list, to final distances in `lower`; or as far as 32 bits are enough. */
    meguri_status (*search)(bool *beyond, meguri_ctx *ctx, mg_sssp_device *s);
    bool phases;  /* those of paper P3: one lane, no buckets */
    bool settles; /* that of P5: one lane, rows in parts, parents as it goes */
} mg_sssp_strategy;

extern const mg_sssp_strategy mg_sssp_all, mg_sssp_selected, mg_sssp_adaptive, mg_sssp_near_far, mg_sssp_settle;

struct mg_sssp_device {
    meguri_sssp_search base;
    mg_sssp_plan plan;
    const mg_sssp_strategy *strategy;
    mg_device *device;
    meguri_weight_type weights; /* of the rows, as they count */
    bool parents_wanted;
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
    mg_buffer queued;       /* of near and far; of the phases of P3, how many times a vertex was looked at */
    mg_buffer flags, sums;  /* of P3 */
    mg_buffer list, next;   /* entries (vertex, piece) */
    mg_buffer far, far_next;
    mg_buffer parents, sources;
    mg_buffer counters[2]; /* of this launch, and of the next */
    mg_parts parts;        /* of P5 */
    mg_buffer lightest;    /* … the least weight of each vertex's arcs */
    mg_buffer delta, bits; /* … what settles */
    uint64_t *bits_here;
    void *lower_here; /* read back: a lane */
    uint32_t *parents_here;

    /* The search that is under way. */
    uint32_t running; /* lanes */
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
/* From sources (internal numbers; one that has no edges is MG_NO_VERTEX), as many as are running, to distances and
 * parents on the device. */
meguri_status mg_sssp_device_search(meguri_ctx *ctx, mg_sssp_device *s, const uint32_t *sources);
meguri_status mg_sssp_device_parents(meguri_ctx *ctx, mg_sssp_device *s, const uint32_t *sources);

/* What the last launches counted; the next ones have counters that were cleared meanwhile. */
meguri_status mg_sssp_device_count(uint32_t words[MG_SSSP_COUNTERS], meguri_ctx *ctx, mg_sssp_device *s);
static inline uint64_t mg_sssp_long(const uint32_t *words) { return words[0] + ((uint64_t)words[1] << 32); }
void mg_sssp_swap(mg_buffer *a, mg_buffer *b);
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

/* ---- sssp_device_near.c ----------------------------------------------------------------------------------------- */

/* Goes on from where a search with a goal ended. */
meguri_status mg_sssp_near_go_on(bool *beyond, meguri_ctx *ctx, mg_sssp_device *s);

/* ---- sssp_device_settle.c --------------------------------------------------------------------------------------- */

/* What it needs beside the rest, for distances of this width; and the source, an internal number or MG_NO_VERTEX. */
meguri_status mg_sssp_settle_open(meguri_ctx *ctx, mg_sssp_device *s);
void mg_sssp_settle_close(mg_sssp_device *s);
meguri_status mg_sssp_settle_start(meguri_ctx *ctx, mg_sssp_device *s, uint32_t source);

/* ---- sssp_device_phases.c --------------------------------------------------------------------------------------- */

/* How long phases of each kind take here, with few changed vertices and with many, into thresholds. */
meguri_status mg_sssp_calibrate(meguri_ctx *ctx, mg_sssp_device *s);

#endif
