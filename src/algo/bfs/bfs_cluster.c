/* Breadth-first search on a cluster: what a process does in each step of the loop, which all processes run. */
#include "algo/bfs/bfs_cluster.h"

#include "policy/policy.h"

void mg_bfs_traffic_since(mg_traffic out[MG_TRAFFIC_MOST], const mg_bfs_grid *g,
                          const mg_traffic before[MG_TRAFFIC_MOST]) {
    for (int k = 0; k < MG_TRAFFIC_MOST; k++) {
        const mg_traffic *now = &g->shards->cluster->traffic[k];
        out[k] = (mg_traffic){now->messages - before[k].messages, now->bytes - before[k].bytes,
                              now->waited - before[k].waited, now->under_way - before[k].under_way,
                              now->hidden - before[k].hidden};
    }
}

meguri_status mg_bfs_grid_sum(meguri_bfs_search *search, meguri_status status, mg_bfs_found *found) {
    mg_bfs_grid *g = (mg_bfs_grid *)search;
    mg_meeting all = {.sums = {found->reached, found->arcs, found->edges}};
    status = mg_steps_meet(&g->steps, status, &all);
    *found = (mg_bfs_found){.reached = all.sums[0], .arcs = all.sums[1], .edges = all.sums[2]};
    return status;
}

/* ---- the beginning ---------------------------------------------------------------------------------------------- */

/* Nothing is visited but what is no vertex. */
static void clear(mg_bfs_grid *g) {
    const mg_layout *l = &g->shards->layout;
    for (int i = 0; i < l->windows; i++) {
        const mg_window *w = &l->window[i];
        memset(g->visited[i], 0, (w->places / 64 + 1) * sizeof **g->visited);
        for (int b = 0; b < w->owners.count; b++) {
            for (uint64_t v = mg_layout_owned(l, w->owners.ranks[b]); v < w->stride; v++) {
                uint64_t place = (uint64_t)b * w->stride + v;
                g->visited[i][place / 64] |= (uint64_t)1 << (place % 64);
            }
        }
    }
    for (int p = 0; p < g->parts; p++)
        memcpy(g->part[p].next, g->visited[g->part[p].target],
               (mg_bfs_window(g, g->part[p].target)->places / 64 + 1) * sizeof(uint64_t));
    memset(g->asked, 0, (uint64_t)mg_bfs_window(g, g->own)->members.count * g->words * sizeof *g->asked);
    if (g->level) memset(g->level, 0xff, 64 * g->words * sizeof *g->level);
    g->edges = 0;
    g->fresh_count = 0;
    g->fresh_listed = true;
}

/* The source is new at its owner; returns the arcs that leave it. */
static uint64_t begin_at(mg_bfs_grid *g, uint64_t number, uint64_t position) {
    const mg_shards *s = g->shards;
    if (number % (uint64_t)s->cluster->size != (uint64_t)s->cluster->rank) return 0;
    uint32_t v = mg_local(number / (uint64_t)s->cluster->size);
    g->fresh[v / 64] = (uint64_t)1 << (v % 64);
    g->fresh_list[0] = v;
    g->fresh_count = 1;
    if (!s->wide) g->part[g->own_part].tree[64 * g->own_word + v] = (uint32_t)position; /* else its home says so */
    if (g->level) g->level[v] = 0;
    return s->degree[v];
}

static meguri_status start(meguri_ctx *ctx, meguri_bfs_search *search, uint64_t source) {
    mg_bfs_grid *g = (mg_bfs_grid *)search;
    const mg_shards *s = g->shards;
    uint64_t number;
    meguri_status status = mg_shards_number(&number, ctx, g->shards, source);
    if (status != MEGURI_OK) return status;
    memcpy(g->begun, s->cluster->traffic, sizeof g->begun);
    clear(g);
    g->alone = number >= s->active; /* nothing leaves it */
    mg_steps_open(&g->steps, ctx, s->cluster, "bfs");
    mg_meeting all = {.sums = {g->alone ? 0 : begin_at(g, number, source)}};
    status = mg_steps_meet(&g->steps, MEGURI_OK, &all);
    search->traced = g->steps.traced;
    search->frontier = !g->alone;
    search->frontier_arcs = search->visited_arcs = all.sums[0];
    search->visited_vertices = 1;
    search->unvisited = s->active - search->frontier;
    return status;
}

/* ---- steps ------------------------------------------------------------------------------------------------------ */

static meguri_status step(mg_bfs_found *found, meguri_ctx *ctx, meguri_bfs_search *search, bool pull) {
    mg_bfs_grid *g = (mg_bfs_grid *)search;
    uint64_t edges = g->edges;
    memcpy(g->stepped, g->shards->cluster->traffic, sizeof g->stepped);
    meguri_status status = mg_bfs_grid_expand(ctx, g, !pull);
    if (status == MEGURI_OK) status = pull ? mg_bfs_grid_pull(ctx, g) : mg_bfs_grid_push(ctx, g);
    if (status == MEGURI_OK) status = mg_bfs_grid_merge(ctx, g, pull, &found->arcs);
    found->reached = g->fresh_count;
    found->edges = g->edges - edges;
    return status;
}

/* ---- the end ---------------------------------------------------------------------------------------------------- */

/* The parents of the own vertices that were found here, in the user's order. Without a branch: no vertex has all bits
 * set. */
static void write_parents(void *what, uint64_t begin, uint64_t end) {
    const mg_bfs_grid *g = what;
    const mg_bfs_part *part = &g->part[g->own_part];
    const uint32_t *tree = part->tree + 64 * g->own_word, *slot = g->slot;
    const uint64_t *visited = g->visited[g->own] + g->own_word;
    uint64_t owned = g->shards->owned, *wide = g->parent.items;
    uint32_t *parent = g->parent.items;
    for (uint64_t w = begin; w < end; w++) {
        uint64_t bits = visited[w], last = MG_MIN(64 * w + 64, owned);
        for (uint64_t v = 64 * w; v < last && !g->parent.wide; v++, bits >>= 1)
            parent[slot[v]] = tree[v] | (uint32_t)((bits & 1) - 1);
        for (uint64_t v = 64 * w; v < last && g->parent.wide; v++, bits >>= 1)
            wide[slot[v]] = mg_bfs_parent_of(g, part, tree[v]) | ((bits & 1) - 1);
    }
}

static meguri_status finish(mg_bfs_found *found, meguri_ctx *ctx, meguri_bfs_search *search, bool limited) {
    (void)limited;
    mg_bfs_grid *g = (mg_bfs_grid *)search;
    uint64_t *visited = g->visited[g->own] + g->own_word;
    meguri_status status = MEGURI_OK;
    *found = (mg_bfs_found){0};
    memcpy(g->stepped, g->shards->cluster->traffic, sizeof g->stepped);
    for (uint64_t w = 0; w < g->words; w++) { /* what the last level found is visited, too, where its owner is asked */
        visited[w] |= g->fresh[w];
        g->fresh[w] = 0;
    }
    if (search->options.parents) {
        mg_for(ctx, mg_threads(ctx, g->shards->owned, 1 << 14), g->words, write_parents, g);
        if (!g->alone) status = mg_bfs_grid_fetch_parents(ctx, g);
    }
    mg_traffic moved[MG_TRAFFIC_MOST];
    mg_bfs_traffic_since(moved, g, g->begun);
    g->sent = (mg_traffic){0};
    for (int k = 0; k < MG_TRAFFIC_MOST; k++) {
        g->sent.messages += moved[k].messages;
        g->sent.bytes += moved[k].bytes;
    }
    return status;
}

mg_globals mg_bfs_owned_parents(const meguri_bfs_search *search) { return ((const mg_bfs_grid *)search)->parent; }
mg_traffic mg_bfs_sent(const meguri_bfs_search *search) { return ((const mg_bfs_grid *)search)->sent; }

/* ---- the result ------------------------------------------------------------------------------------------------- */

/* Sums over all processes become facts, and the time of the slowest. `moved` is what this one sent in the search. */
static meguri_status set_facts(meguri_ctx *ctx, mg_bfs_grid *g, const mg_traffic *moved) {
    meguri_cluster *cluster = g->shards->cluster;
    meguri_result *result = g->base.result;
    uint64_t sums[3 + MG_BFS_KINDS] = {g->sent.messages, g->sent.bytes};
    double seconds = g->base.seconds;
    for (int k = 0; k < MG_BFS_KINDS; k++) sums[2 + k] = moved[g->kind[k]].bytes;
    sums[2 + MG_BFS_KINDS] = mg_bfs_grid_predict(g, g->base.step_count - 1); /* the last is no level */
    meguri_status status = mg_reduce_u64(ctx, cluster, &cluster->all, sums, 3 + MG_BFS_KINDS, MG_SUM);
    if (status == MEGURI_OK) status = mg_reduce_f64(ctx, cluster, &cluster->all, &seconds, 1, MG_MAXIMUM);
    if (status == MEGURI_OK) status = mg_result_set_real(ctx, result, "seconds", seconds);
    if (status == MEGURI_OK) status = mg_result_set_number(ctx, result, "messages", sums[0]);
    if (status == MEGURI_OK) status = mg_result_set_number(ctx, result, "bytes", sums[1]);
    for (int k = 0; k < MG_BFS_KINDS && status == MEGURI_OK; k++)
        status = mg_result_set_number(ctx, result, mg_bfs_kinds[k].fact, sums[2 + k]);
    if (status == MEGURI_OK) status = mg_result_set_number(ctx, result, "predicted_bytes", sums[2 + MG_BFS_KINDS]);
    return status;
}

static const uint64_t none = UINT64_MAX; /* level -1, and no vertex */

/* What the source itself has, also where it is isolated. */
static void put_source(const mg_bfs_grid *g, mg_globals out, uint64_t source, uint64_t value) {
    const mg_range home = g->shards->home;
    if (source >= home.begin && source < home.end) mg_global_put(out, source - home.begin, value);
}

/* From the owners to the homes, where results are: levels by local number, parents in the user's order, as they are. */
meguri_status mg_bfs_grid_deliver(meguri_ctx *ctx, meguri_bfs_search *search, uint64_t source) {
    mg_bfs_grid *g = (mg_bfs_grid *)search;
    mg_traffic moved[MG_TRAFFIC_MOST];
    mg_globals level = {search->level, false}, parent = {search->parent, g->shards->wide};
    mg_bfs_traffic_since(moved, g, g->begun);
    meguri_status status = set_facts(ctx, g, moved);
    if (status == MEGURI_OK && level.items) {
        status = mg_shards_to_homes(ctx, g->shards, level.items, g->level, sizeof *g->level, &none);
        put_source(g, level, source, 0);
    }
    if (status == MEGURI_OK && parent.items) {
        status = mg_shards_in_order_to_homes(ctx, g->shards, parent.items, g->parent.items,
                                             mg_global_bytes(parent.wide), &none);
        put_source(g, parent, source, source);
    }
    return status;
}

/* Those of the host's steps: a process does the same on its part, and what is sent takes both ways alike. */
static const mg_bfs_costs costs = {.push_arc = 0.75,
                                   .push_reach_far = 7.0,
                                   .push_reach_near = 3.0,
                                   .push_reach_long = 2.0,
                                   .push_word = 3.0,
                                   .pull_word = 1.1,
                                   .pull_vertex = 0.7,
                                   .pull_look = 0.45,
                                   .near_vertices = 1 << 19,
                                   .long_row = 128};

const mg_bfs_engine mg_bfs_on_cluster = {.engine = MEGURI_ENGINE_CLUSTER,
                                         .bytes = sizeof(mg_bfs_grid),
                                         .costs = &costs,
                                         .open = mg_bfs_grid_open,
                                         .start = start,
                                         .step = step,
                                         .sum = mg_bfs_grid_sum,
                                         .finish = finish,
                                         .deliver = mg_bfs_grid_deliver,
                                         .trace = mg_bfs_grid_trace,
                                         .close = mg_bfs_grid_close,
                                         .check = mg_bfs_cluster_check};
