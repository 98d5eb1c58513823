/* What a search on a cluster moved: its lines in the trace, added up over all processes, and what theory predicts for
 * the layout. */
#include "algo/bfs/bfs_cluster.h"

enum { VALUES = 2 + 2 * MG_BFS_KINDS, ALL_BYTES = 0, ALL_MESSAGES = 1, BY_KIND = 2 };

/* ---- the trace -------------------------------------------------------------------------------------------------- */

/* Values of this process; sums become those of all, `most` those of the process that sent most bytes. */
static meguri_status add_up(meguri_ctx *ctx, mg_bfs_grid *g, const mg_traffic *moved, uint64_t sums[2 * VALUES],
                            int *most) {
    meguri_cluster *cluster = g->shards->cluster;
    uint64_t mine[VALUES] = {0}, size = (uint64_t)cluster->size;
    for (int k = 0; k < MG_TRAFFIC_MOST; k++) {
        mine[ALL_BYTES] += moved[k].bytes;
        mine[ALL_MESSAGES] += moved[k].messages;
    }
    for (int k = 0; k < MG_BFS_KINDS; k++) {
        mine[BY_KIND + 2 * k] = moved[g->kind[k]].messages;
        mine[BY_KIND + 2 * k + 1] = moved[g->kind[k]].bytes;
    }
    /* Of several that sent most, the first: its number counts from the end. */
    uint64_t who = mine[ALL_BYTES] * size + (size - 1 - (uint64_t)cluster->rank);
    meguri_status status = mg_reduce_u64(ctx, cluster, &cluster->all, &who, 1, MG_MAXIMUM);
    *most = (int)(size - 1 - who % size);
    for (int i = 0; i < VALUES; i++) {
        sums[i] = mine[i];
        sums[VALUES + i] = *most == cluster->rank ? mine[i] : 0;
    }
    if (status == MEGURI_OK) status = mg_reduce_u64(ctx, cluster, &cluster->all, sums, 2 * VALUES, MG_SUM);
    return status;
}

/* Seconds: waited becomes the largest, under_way and hidden the mean. */
static meguri_status add_up_times(meguri_ctx *ctx, mg_bfs_grid *g, const mg_traffic *moved, mg_step_traffic *to) {
    meguri_cluster *cluster = g->shards->cluster;
    double times[2] = {0, 0};
    to->waited = 0;
    for (int k = 0; k < MG_TRAFFIC_MOST; k++) to->waited += moved[k].waited;
    for (int k = 0; k < MG_BFS_KINDS; k++) {
        times[0] += moved[g->kind[k]].under_way;
        times[1] += moved[g->kind[k]].hidden;
    }
    meguri_status status = mg_reduce_f64(ctx, cluster, &cluster->all, &to->waited, 1, MG_MAXIMUM);
    if (status == MEGURI_OK) status = mg_reduce_f64(ctx, cluster, &cluster->all, times, 2, MG_SUM);
    to->under_way = times[0] / cluster->size;
    to->hidden = times[1] / cluster->size;
    return status;
}

meguri_status mg_bfs_grid_trace(meguri_ctx *ctx, meguri_bfs_search *search, mg_step *line, meguri_bfs_way way,
                                const mg_bfs_found *found) {
    (void)found;
    mg_bfs_grid *g = (mg_bfs_grid *)search;
    const mg_layout *l = &g->shards->layout;
    char grid[32] = "pairs";
    uint64_t sums[2 * VALUES];
    int most = 0;
    mg_traffic moved[MG_TRAFFIC_MOST];
    mg_step_traffic traffic = {
        .grid = grid, .block = (int64_t)(64 * g->words), .packed = g->packed, .kinds = MG_BFS_KINDS};
    bool parents = way == MEGURI_BFS_WAY_FILL;
    if (parents && (search->step_count == 1 || search->options.no_parents)) return MEGURI_OK;
    if (!l->pairs) snprintf(grid, sizeof grid, "%dx%d", l->rows, l->columns);
    mg_bfs_traffic_since(moved, g, g->stepped);
    meguri_status status = add_up(ctx, g, moved, sums, &most);
    if (status == MEGURI_OK) status = add_up_times(ctx, g, moved, &traffic);
    if (status != MEGURI_OK || !mg_trace_on(ctx)) return status;
    traffic.most_process = most;
    for (int k = 0; k < MG_BFS_KINDS; k++) {
        const uint64_t *all = sums + BY_KIND + 2 * k, *of_most = all + VALUES;
        traffic.kind[k] = (mg_step_kind){mg_bfs_kinds[k].name, (int64_t)all[0], (int64_t)all[1], (int64_t)of_most[0],
                                         (int64_t)of_most[1]};
    }
    if (parents) { /* what was reached is told whose child it is */
        line->frontier = (int64_t)search->visited_vertices;
        line->phase = "parents";
        line->way = NULL;
        line->edges = -1;
    }
    line->bytes = (int64_t)sums[ALL_BYTES];
    line->messages = (int64_t)sums[ALL_MESSAGES];
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
    if (!g->base.options.no_parents) {
        blocks += looking - 1;
        parents = (double)g->base.visited_vertices / l->size * (double)(looking - 1) / (double)looking *
                  (double)g->reply_bits / 8;
    }
    return blocks * 8 * g->words + (uint64_t)parents;
}
