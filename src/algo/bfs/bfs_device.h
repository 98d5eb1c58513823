/* Breadth-first search with devices: what the files of this engine share with each other and nobody else.
 *
 * A search has two sides. The one here is a search on threads (bfs_host.c): it knows the numbering, ends every search,
 * and can do levels itself. The other one is on devices, each with bitmaps, parents and levels of its own. What is
 * visited goes from side to side where the other one needs it; parents and levels stay with who found them until the
 * end, when those of devices are read once.
 *
 * Several devices share the arcs: each has an equal part of them, one after another, and of rows elsewhere nothing
 * (mg_rows_share). All do every level, each along its own arcs, and what they have found is OR-ed here.
 *
 * Invariant: at least one side knows all that is visited, and the last level that was found; of several devices none
 * does, so that it is the one here. */
#ifndef MG_BFS_DEVICE_H
#define MG_BFS_DEVICE_H

#include "algo/bfs/bfs.h"
#include "device/device.h"

#define MG_BFS_PIECE 512 /* arcs that an entry of the queue stands for, at most */

/* Words that a step counts in, as in bfs.cl. */
enum {
    MG_BFS_ENTRIES,
    MG_BFS_REACHED,
    MG_BFS_ARCS,
    MG_BFS_ARCS_HIGH,
    MG_BFS_EDGES,
    MG_BFS_EDGES_HIGH,
    MG_BFS_QUEUE_ENTRIES, /* of a queue that was made from a bitmap … */
    MG_BFS_QUEUE_ARCS,    /* … and their arcs */
    MG_BFS_COUNTERS
};

/* X(kernel): of bfs.cl, with bfs_ before their names. */
#define MG_BFS_KERNEL_LIST(X)                                                                                          \
    X(masks)                                                                                                           \
    X(start)                                                                                                           \
    X(expand)                                                                                                          \
    X(contract)                                                                                                        \
    X(pull_large)                                                                                                      \
    X(pull_small)                                                                                                      \
    X(count_entries)                                                                                                   \
    X(list_entries)                                                                                                    \
    X(push_batch)                                                                                                      \
    X(pull_batch)

#define MG_BFS_UNCOUNTED UINT64_MAX /* entries of a queue that is not made yet, and nobody has counted */

/* What one device has, and does of a level. */
typedef struct mg_bfs_there {
    mg_device *device;
    uint32_t words;          /* of a bitmap: of 32 bits, in whole words of 64 */
    uint32_t first_leaf;     /* what may be reached has smaller numbers */
    bool tile;               /* arcs lead from one set of vertices to another (bfs_cluster_device.c) */
    bool in_parts;           /* its rows do not fit: their offsets alone are on the device */
    mg_rows out, in;         /* its rows, as they are here; in: of directed graphs */
    mg_rows_share shares[2]; /* … where it has a share of them */
    struct {
#define MG_BFS_KERNEL_FIELD(name) mg_kernel name;
        MG_BFS_KERNEL_LIST(MG_BFS_KERNEL_FIELD)
#undef MG_BFS_KERNEL_FIELD
    } kernels;
    mg_primitives primitives;
    mg_device_rows rows_out, rows_in; /* rows_in: of directed graphs */
    mg_parts parts_out, parts_in;     /* likewise */
    mg_buffer visited, other;         /* after a pull `other` is what was visited before it */
    mg_buffer sources;                /* of a tile: what is visited of these */
    mg_buffer large, small;
    mg_buffer parents, levels;
    mg_buffer queue, next_queue;
    mg_buffer list, tails; /* arcs between the phases of a push */
    uint64_t list_arcs;    /* that it has room for */
    mg_buffer sums;
    mg_buffer counters[2]; /* of this step, and of the next */
    uint32_t turn;         /* of `tails` */
    uint64_t entries;      /* of the queue */
    uint64_t queue_arcs;   /* arcs of these */
    bool has_queue;        /* else the frontier is visited & ~other */
} mg_bfs_there;

/* Seconds for a unit of cost, as the model has it: of the host alone, of devices, of all together (0: unknown). What
 * the model is wrong about is much the same at the same level of another search, so that each has its own. */
#define MG_BFS_PACES 8
typedef struct mg_bfs_paces {
    double host, device, both;
} mg_bfs_paces;

typedef struct mg_bfs_device {
    meguri_bfs_search base;
    mg_bfs_host here;
    uint32_t count; /* devices */
    mg_bfs_there there[MG_DEVICES_MOST];
    uint32_t words;   /* of 32 bits, in whole words of 64 */
    bool in_parts;    /* so are the rows of all devices */
    bool found_here;  /* the last levels were found here, and devices do not know */
    bool found_there; /* … or there, by one device */
    bool used;        /* devices have a part in the search that runs: until then nothing is done there */

    /* Sharing of levels (bfs_device_split.c). */
    uint64_t *wanted;     /* bits of the vertices that a step begins with: of the frontier, or unvisited */
    uint64_t *old, *last; /* what was visited before a step of several; what was the frontier then */
    uint64_t *heard;      /* what a device has visited */
    uint64_t cut;         /* words of 64 that devices have of this step: the first ones */
    double share;         /* of the host in the last step */
    mg_bfs_paces paces[2][MG_BFS_PACES]; /* by push and pull, and by level: the last one stands for all beyond it */
    double latency, exchange;            /* seconds */
    uint64_t host_edges;                 /* looked at by the host, of this search */
    double kernel_seconds;               /* of devices, likewise, where they are timed */

    uint64_t moved;         /* bytes, before the step */
    uint32_t *parents_here; /* read back */
    int32_t *levels_here;
} mg_bfs_device;

static inline void mg_bfs_swap(mg_buffer *a, mg_buffer *b) {
    mg_buffer other = *a;
    *a = *b;
    *b = other;
}

static inline uint64_t mg_bfs_pieces(uint64_t degree) { return (degree + MG_BFS_PIECE - 1) / MG_BFS_PIECE; }

/* bfs_device_there.c: what searches share on a device, and how one begins there. */
meguri_status mg_bfs_there_open(meguri_ctx *ctx, mg_bfs_there *there, uint32_t rows);
/* Whether all of its rows fit the device, with what a search needs beside them. */
bool mg_bfs_there_fits(const mg_bfs_there *there, uint32_t rows);
/* What a pull needs, once `in` is there. */
meguri_status mg_bfs_there_prepare_pull(meguri_ctx *ctx, mg_bfs_there *there);
meguri_status mg_bfs_there_clear(meguri_ctx *ctx, mg_bfs_there *there);
void mg_bfs_there_close(mg_bfs_there *there);

/* bfs_device.c: devices take part from now on. */
meguri_status mg_bfs_device_begin(meguri_ctx *ctx, mg_bfs_device *search);

/* bfs_device_split.c: who does how much of a level, and what goes from side to side. */
void mg_bfs_split_start(meguri_ctx *ctx, mg_bfs_device *search);
meguri_status mg_bfs_split_step(mg_bfs_found *found, meguri_ctx *ctx, mg_bfs_device *search, bool pull);
/* The numbers of the loop, for what the host does. */
void mg_bfs_lend(mg_bfs_device *search);

/* bfs_device_steps.c: levels along the rows that a device has, as far as `words` of its bitmap. It knows the frontier.
 */
meguri_status mg_bfs_there_push(meguri_ctx *ctx, mg_bfs_there *there, uint32_t words, int32_t level);
meguri_status mg_bfs_there_pull(meguri_ctx *ctx, mg_bfs_there *there, uint32_t words, int32_t level);
/* The words [begin, words) of a pull: `visited` stays as it is, and `other` is what is visited then. */
meguri_status mg_bfs_there_pull_words(meguri_ctx *ctx, mg_bfs_there *there, uint32_t begin, uint32_t words,
                                      int32_t level);

/* bfs_device_parts.c: levels along rows that come in parts, for the vertices in `wanted`. Both sides know what is
 * visited. */
extern const struct mg_bfs_costs mg_bfs_parts_costs;
meguri_status mg_bfs_parts_push(meguri_ctx *ctx, mg_bfs_there *there, const uint64_t *wanted, int32_t level);
meguri_status mg_bfs_parts_pull(meguri_ctx *ctx, mg_bfs_there *there, const uint64_t *wanted, int32_t level);

#endif
