/* Searches from up to 64 sources in one pass on devices: what the files of this engine share with each other and nobody
 * else.
 *
 * Every device knows what was seen, and the frontier. Of several each has an equal part of the arcs (mg_rows_share) and
 * follows these alone; what they have found is OR-ed on the host, and told to all of them. */
#ifndef MG_BFS_MANY_DEVICE_H
#define MG_BFS_MANY_DEVICE_H

#include "algo/bfs/bfs_many.h"
#include "device/device.h"

/* Words that a step counts in, as in bfs_many.cl. */
enum {
    MG_BFS_MANY_ARCS,
    MG_BFS_MANY_BITS = 2,
    MG_BFS_MANY_EDGES = 4,
    MG_BFS_MANY_SOURCES = 6,
    MG_BFS_MANY_COUNTERS = 8
};

/* What one device has, and does of a step. */
typedef struct mg_bfs_many_there {
    mg_device *device;
    uint32_t words; /* of marks, in whole words of 64 */
    mg_kernel push, pull, commit, hear;
    mg_primitives primitives;
    mg_rows_share shares[2]; /* of out-rows and in-rows, where it is one of several */
    mg_device_rows out, in;  /* in: of directed graphs, once they are pulled */
    mg_buffer seen, next, mark, list, next_list, bits, counters;
    uint32_t count; /* of the list */
} mg_bfs_many_there;

struct mg_bfs_many_device {
    uint32_t count; /* devices */
    mg_bfs_many_there there[MG_DEVICES_MOST];
    uint32_t *list_here; /* what a step found */
    uint64_t *bits_here;
    uint64_t *merged; /* of several, while a step is put together: bits of each vertex, else zero */
};

/* bfs_many_device.c: a push or a pull is launched, and a list of who is marked; then this is the frontier, and what was
 * found on the way here. */
meguri_status mg_bfs_many_there_look(meguri_ctx *ctx, const mg_bfs_many *many, uint32_t device);
meguri_status mg_bfs_many_there_commit(uint32_t words[MG_BFS_MANY_COUNTERS], meguri_ctx *ctx, const mg_bfs_many *many,
                                       uint32_t device);

/* bfs_many_device_several.c: a step of several devices, the same as of one. */
meguri_status mg_bfs_many_several(mg_bfs_many_found *found, meguri_ctx *ctx, mg_bfs_many *many);

#endif
