/* What a search on a cluster moved: its lines in the trace, added up over all processes, and what theory predicts for
 * the layout. */
#include "algo/bfs/bfs_cluster.h"

enum { VALUES = 2 + 2 * MG_BFS_KINDS, ALL_BYTES = 0, ALL_MESSAGES = 1, BY_KIND = 2 };

/* ---- the trace -------------------------------------------------------------------------------------------------- */

/* What processes moved in a step: all together, and the one that sent most bytes, of several the first. */
typedef struct moving {
    uint64_t all[VALUES], most[VALUES];
    uint64_t who;
    double waited, under_way, hidden; /* the longest; sums */
} moving;

static void join(void *mine, const void *more, uint64_t count) {
    moving *a = mine;
    const moving *b = more;
    (void)count; /* one */
    uint64_t here = a->most[ALL_BYTES], there = b->most[ALL_BYTES];
    for (int i = 0; i < VALUES; i++) a->all[i] += b->all[i];
    if (there > here || (there == here && b->who < a->who)) {
        memcpy(a->most, b->most, sizeof a->most);
        a->who = b->who;
    }
    a->waited = MG_MAX(a->waited, b->waited);
    a->under_way += b->under_way;
    a->hidden += b->hidden;
}

static meguri_status add_up(meguri_ctx *ctx, mg_bfs_grid *g, moving *out) {
    meguri_cluster *cluster = g->shards->cluster;
    mg_traffic moved[MG_TRAFFIC_MOST];
    mg_bfs_traffic_since(moved, g, g->stepped);
    *out = (moving){.who = (uint64_t)cluster->rank};
    for (int k = 0; k < cluster->kinds; k++) {
        out->all[ALL_BYTES] += moved[k].bytes;
        out->all[ALL_MESSAGES] += moved[k].messages;
        out->waited += moved[k].waited;
    }
    for (int k = 0; k < MG_BFS_KINDS; k++) {
        const mg_traffic *of_kind = &moved[g->kind[k]];
        out->all[BY_KIND + 2 * k] = of_kind->messages;
        out->all[BY_KIND + 2 * k + 1] = of_kind->bytes;
        out->under_way += of_kind->under_way;
        out->hidden += of_kind->hidden;
    }
    memcpy(out->most, out->all, sizeof out->most);
    return mg_reduce(ctx, cluster, &cluster->all, out, 1, sizeof *out, join);
}

meguri_status mg_bfs_grid_trace(meguri_ctx *ctx, meguri_bfs_search *search, mg_step *line, meguri_bfs_direction way,
                                const mg_bfs_found *found) {
    (void)found;
    mg_bfs_grid *g = (mg_bfs_grid *)search;
    const mg_layout *l = &g->shards->layout;
    char grid[32] = "pairs";
    moving moved;
    mg_step_traffic traffic = {
        .grid = grid, .block = (int64_t)(64 * g->words), .packed = g->packed, .kinds = MG_BFS_KINDS};
    bool parents = way == MEGURI_BFS_DIRECTION_FILL;
    if (parents && (search->step_count == 1 || !search->options.parents)) return MEGURI_OK;
    if (!l->pairs) snprintf(grid, sizeof grid, "%dx%d", l->rows, l->columns);
    meguri_status status = add_up(ctx, g, &moved);
    if (status != MEGURI_OK || !mg_trace_on(ctx)) return status;
    traffic.waited = moved.waited;
    traffic.under_way = moved.under_way / l->size;
    traffic.hidden = moved.hidden / l->size;
    traffic.most_process = (int)moved.who;
    for (int k = 0; k < MG_BFS_KINDS; k++) {
        const uint64_t *all = moved.all + BY_KIND + 2 * k, *of_most = moved.most + BY_KIND + 2 * k;
        traffic.kind[k] = (mg_step_kind){mg_bfs_kinds[k].name, (int64_t)all[0], (int64_t)all[1], (int64_t)of_most[0],
                                         (int64_t)of_most[1]};
    }
    if (parents) { /* what was reached is told whose child it is */
        line->frontier = (int64_t)search->visited_vertices;
        line->phase = "parents";
        line->way = NULL;
        line->edges = -1;
    }
    line->bytes = (int64_t)moved.all[ALL_BYTES];
    line->messages = (int64_t)moved.all[ALL_MESSAGES];
    line->traffic = &traffic;
    mg_trace(ctx, line);
    return status;
}

/* ---- theory ----------------------------------------------------------------------------------------------------- */

/* Every set a bitmap. In each level a process tells what is new to the other members of the windows that its vertices
 * are in (of a grid: R - 1 that follow arcs, C - 1 that would look for it again) and what it has found to the other
 * owners of its targets (C - 1). At the end it asks those who look for its vertices, and is asked by as many; each is
 * as likely as any other to have found a vertex, and a parent takes the bits of a position. */
uint64_t mg_bfs_grid_predict(const mg_bfs_grid *g, uint64_t levels) {
    const mg_layout *l = &g->shards->layout;
    uint64_t blocks = 0;
    if (!levels) return 0;
    for (int w = 0; w < l->windows; w++)
        if (l->window[w].owners.me >= 0) blocks += (uint64_t)l->window[w].members.count - 1;
    for (int p = 0; p < g->parts; p++) {
        const mg_group *owners = &g->part[p].tile->targets->owners;
        blocks += (uint64_t)(owners->count - (owners->me >= 0));
    }
    blocks *= levels;
    uint64_t looking = (uint64_t)mg_bfs_window(g, g->own)->members.count;
    double parents = 0;
    if (g->base.options.parents) {
        blocks += looking - 1;
        parents = (double)g->base.visited_vertices / l->size * (double)(looking - 1) / (double)looking *
                  (double)g->reply_bits / 8;
    }
    return blocks * 8 * g->words + (uint64_t)parents;
}
