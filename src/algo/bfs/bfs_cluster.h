/* Breadth-first search on a cluster: what its files share.
 *
 * A level is five things, of which a process does its part (papers P1 and P2, in the notions of cluster.h):
 *
 *   expand   owners tell the members of their window of sources which of their vertices are new; where these are also
 *            looked for, in a window of targets, they are told too (settle), so that nobody looks for them again
 *   search   every process follows the arcs of its tile: from the frontier to unvisited targets (push), or back from
 *            unvisited targets to anything visited (pull)
 *   fold     it tells the owners of targets what it has found: places alone, no parents
 *   merge    owners join what comes, and note for each new vertex who found it: themselves, if they did, else the first
 *            of the others
 *   agree    all add up how much is new, and so choose the same way for the next level
 *
 * Parents stay with who found them. At the end the owner asks each process for the parents that it noted for it: so a
 * parent crosses the network once, and only if it must (P1; P2 sent one with everything that was found).
 *
 * Invariant: between levels `visited` is exact in every window, and `next` of a tile is the same as `visited` of its
 * targets. A place that is found is not visited, so it is new, and comes back by settle. Places beyond the vertices of
 * a block count as visited from the start. */
#ifndef MG_BFS_CLUSTER_H
#define MG_BFS_CLUSTER_H

#include "algo/bfs/bfs.h"
#include "shards/shards.h"

#define MG_BFS_CHUNK 64 /* words of a bitmap that are looked at together */

/* Kinds of messages, and the facts that have their bytes. */
enum { MG_BFS_KINDS = 4 };
static const struct {
    const char *name, *fact;
} mg_bfs_kinds[MG_BFS_KINDS] = {
    {"expand", "expand_bytes"}, {"fold", "fold_bytes"}, {"settle", "settle_bytes"}, {"parents", "parent_bytes"}};

/* A tile, and what searching it needs. */
typedef struct mg_bfs_part {
    const mg_tile *tile;
    int source, target; /* windows */
    uint32_t *first, *first_position;
    uint64_t *has_in;
    uint64_t *next;        /* of targets: visited, or found here in this step */
    uint32_t *tree;        /* by target: the parent that was found here (mg_bfs_parent_of) */
    mg_queue found;        /* of a push: places, in any order */
    uint32_t *sorted;      /* … by block */
    uint64_t *begins;      /* owners + 1 places in it */
    uint64_t *block_found; /* of a pull: by block, how many */
} mg_bfs_part;

typedef struct mg_bfs_grid {
    meguri_bfs_search base;
    mg_shards *shards;
    bool packed; /* sets go over the network packed */
    int parts;
    mg_bfs_part part[2];
    uint64_t *visited[2]; /* by window */
    mg_queue frontier[2]; /* of windows of sources, where the next step is a push */
    uint64_t words;       /* of a block */

    /* The vertices of this process. */
    int own;              /* their window of targets */
    int own_part;         /* … and the tile that looks for them */
    uint64_t own_word;    /* where they begin in its bitmaps */
    uint64_t *fresh;      /* what is new in this step */
    uint32_t *fresh_list; /* the same, where fresh_listed */
    uint64_t fresh_count;
    bool fresh_listed;
    uint64_t *asked;      /* by member of the own window: whose parents it has; `words` each */
    uint64_t *chunk_arcs; /* arcs that leave the vertices of MG_BFS_CHUNK words each */
    uint64_t own_arcs;    /* of a pull: an estimate of those that leave what it found of the own vertices */
    int32_t *level;       /* by local number; NULL: not wanted */
    uint32_t *slot;       /* by local number: its place among the own vertices in the user's order */
    mg_globals parent;    /* by slot: positions */

    /* Messages. */
    mg_sparse *expand, *settle; /* what is new here, to the members of windows of sources, and of others */
    mg_sparse *fold, *ask;      /* what was found, to the owners; whose parents they want, to who found them … */
    mg_exchange *parents;       /* … and these */
    uint64_t *scratch;          /* a block */
    uint32_t *replies;          /* parents, packed: to others, and from others */
    uint64_t reply_bits;        /* of one parent */

    mg_steps steps;
    struct mg_bfs_tiles *there; /* what a device has of the tiles (bfs_cluster_device.c); NULL: threads search */

    /* Of this process. */
    bool alone;                          /* the source has no edges */
    uint64_t edges;                      /* looked at in the search that runs */
    mg_traffic_kind kind[MG_BFS_KINDS];  /* as in mg_bfs_kinds */
    mg_traffic begun[MG_TRAFFIC_MOST];   /* sent before that search */
    mg_traffic stepped[MG_TRAFFIC_MOST]; /* … before its last step */
    mg_traffic sent;                     /* in the last search, all kinds */
} mg_bfs_grid;

/* Loops note parents as positions where 32 bits hold these, else as places of the window of sources. */
static inline const uint32_t *mg_bfs_source_names(const mg_bfs_grid *g, const mg_bfs_part *part) {
    return g->shards->wide ? NULL : g->shards->window_position[part->source].items;
}
static inline uint64_t mg_bfs_parent_of(const mg_bfs_grid *g, const mg_bfs_part *part, uint32_t noted) {
    return g->shards->wide ? mg_global_at(g->shards->window_position[part->source], noted) : noted;
}

static inline const mg_window *mg_bfs_window(const mg_bfs_grid *g, int w) { return &g->shards->layout.window[w]; }

/* bfs_cluster_prepare.c */
meguri_status mg_bfs_grid_open(meguri_ctx *ctx, meguri_bfs_search *search);
void mg_bfs_grid_close(meguri_bfs_search *search);
/* bfs_cluster_step.c: searches, and starts to send what it finds while it goes on. */
meguri_status mg_bfs_grid_push(meguri_ctx *ctx, mg_bfs_grid *grid);
meguri_status mg_bfs_grid_pull(meguri_ctx *ctx, mg_bfs_grid *grid);
/* The k-th block that a pull looks for, from 1 on: the own one last, where there is one. */
static inline int mg_bfs_block_in_turn(const mg_bfs_part *part, int k) {
    const mg_group *owners = &part->tile->targets->owners;
    return (owners->me + k + owners->count) % owners->count;
}
/* bfs_cluster_device.c: the same searches on a device. A push of a tile leaves what it found where threads do; a pull
 * of all tiles is launched, and its blocks waited for one after another. */
meguri_status mg_bfs_tiles_push(meguri_ctx *ctx, mg_bfs_grid *grid, int part);
meguri_status mg_bfs_tiles_pull(meguri_ctx *ctx, mg_bfs_grid *grid);
meguri_status mg_bfs_tiles_wait(meguri_ctx *ctx, mg_bfs_grid *grid, int part, int block);
meguri_status mg_bfs_tiles_pulled(meguri_ctx *ctx, mg_bfs_grid *grid);
/* bfs_cluster.c, of its engine, for others on a cluster. */
meguri_status mg_bfs_grid_sum(meguri_bfs_search *search, meguri_status status, mg_bfs_found *found);
meguri_status mg_bfs_grid_deliver(meguri_ctx *ctx, meguri_bfs_search *search, uint64_t source);
/* bfs_cluster_exchange.c */
meguri_status mg_bfs_grid_expand(meguri_ctx *ctx, mg_bfs_grid *grid, bool push_next);
/* What goes to owner `block` of the targets of a part; has been counted. */
meguri_status mg_bfs_grid_send_found(meguri_ctx *ctx, mg_bfs_grid *grid, const mg_bfs_part *part, int block,
                                     const mg_set *set);
/* Joins what comes from others with what was found here. */
meguri_status mg_bfs_grid_merge(meguri_ctx *ctx, mg_bfs_grid *grid, bool pulled, uint64_t *arcs);
meguri_status mg_bfs_grid_fetch_parents(meguri_ctx *ctx, mg_bfs_grid *grid);
/* What was sent since `before`. */
void mg_bfs_traffic_since(mg_traffic out[MG_TRAFFIC_MOST], const mg_bfs_grid *grid,
                          const mg_traffic before[MG_TRAFFIC_MOST]);
/* bfs_cluster_trace.c: the line of a step, by all processes together. */
meguri_status mg_bfs_grid_trace(meguri_ctx *ctx, meguri_bfs_search *search, mg_step *line, meguri_bfs_direction way,
                                const mg_bfs_found *found);
/* The bytes that theory says this process sends in a search of so many levels. */
uint64_t mg_bfs_grid_predict(const mg_bfs_grid *grid, uint64_t levels);

#endif
