/* Breadth-first search with a device: what the files of this engine share with each other and nobody else.
 *
 * A search has two sides. The one here is a search on threads (bfs_host.c): it knows the numbering, ends every search,
 * and can do levels itself. The other one is on the device, with bitmaps, parents and levels of its own. What is
 * visited goes from side to side where the other one needs it; parents and levels stay with the side that found them
 * until the end, when the device's are read once.
 *
 * Invariant: at least one side knows all that is visited, and the last level that was found. */
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
    MG_BFS_COUNTERS = 8
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

typedef struct mg_bfs_device {
    meguri_bfs_search base;
    mg_bfs_host here;
    mg_device *device;
    uint32_t words; /* of 32 bits, in whole words of 64 */

    struct {
#define MG_BFS_KERNEL_FIELD(name) mg_kernel name;
        MG_BFS_KERNEL_LIST(MG_BFS_KERNEL_FIELD)
#undef MG_BFS_KERNEL_FIELD
    } kernels;
    mg_primitives primitives;
    bool in_parts;                        /* the rows do not fit: their offsets alone are on the device */
    mg_device_rows device_out, device_in; /* device_in: of directed graphs */
    mg_parts parts_out, parts_in;         /* likewise */
    mg_buffer visited, other;             /* after a pull `other` is what was visited before it */
    mg_buffer large, small;
    mg_buffer parents, levels;
    mg_buffer queue, next_queue;
    mg_buffer list, tails; /* arcs between the phases of a push */
    uint64_t list_arcs;    /* that it has room for */
    mg_buffer sums;
    mg_buffer counters[2]; /* of this step, and of the next */
    uint32_t turn;         /* of `tails` */
    uint64_t entries;      /* of the queue */
    bool has_queue;        /* else the frontier is visited & ~other */
    bool found_here;       /* the last levels were found here, and the device does not know */
    bool found_there;      /* … or there */

    /* Sharing of levels (bfs_device_split.c). */
    uint64_t *wanted;      /* bits of the vertices that a step begins with: of the frontier, or unvisited */
    uint64_t *old, *there; /* what was visited before a step of both; what the device has visited then */
    uint64_t cut;          /* words of 64 that the device has of this step: the first ones */
    uint64_t queue_arcs;   /* arcs of these, for a push */
    double share;          /* of the host in the last step */
    double host_pace[2], device_pace[2]; /* seconds for a unit of cost, by push and pull */
    double latency, exchange;            /* seconds */
    uint64_t host_edges;                 /* looked at by the host, of this search */

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

/* bfs_device_split.c: who does how much of a level, and what goes from side to side. */
void mg_bfs_split_start(meguri_ctx *ctx, mg_bfs_device *search);
meguri_status mg_bfs_split_step(mg_bfs_found *found, meguri_ctx *ctx, mg_bfs_device *search, bool pull);
/* The numbers of the loop, for what the host does. */
void mg_bfs_lend(mg_bfs_device *search);

/* bfs_device_steps.c: levels of a graph that is on the device, as far as `cut`. The device knows the frontier. */
meguri_status mg_bfs_device_push(meguri_ctx *ctx, mg_bfs_device *search);
meguri_status mg_bfs_device_pull(meguri_ctx *ctx, mg_bfs_device *search);

/* bfs_device_parts.c: levels of one that comes in parts, for the vertices in `wanted`. Both sides know what is visited.
 */
meguri_status mg_bfs_parts_open(meguri_ctx *ctx, mg_bfs_device *search);
meguri_status mg_bfs_parts_prepare_pull(meguri_ctx *ctx, mg_bfs_device *search);
meguri_status mg_bfs_parts_push(meguri_ctx *ctx, mg_bfs_device *search);
meguri_status mg_bfs_parts_pull(meguri_ctx *ctx, mg_bfs_device *search);
void mg_bfs_parts_close(mg_bfs_device *search);

#endif
