/* Shortest paths on a cluster: a search as a row of the table of engines, and results on their way home. */
#include "algo/sssp/sssp_cluster.h"

static meguri_status open(meguri_ctx *ctx, meguri_sssp_search *base, const meguri_sssp_search *like, bool often,
                          int threads) {
    (void)like, (void)often, (void)threads;
    mg_sssp_parts *s = (mg_sssp_parts *)base;
    s->shards = mg_shards_of(base->graph);
    meguri_status status = mg_shards_both_ways(ctx, s->shards);
    if (status == MEGURI_OK) status = mg_sssp_cluster_plan(ctx, s);
    return status == MEGURI_OK ? mg_sssp_cluster_open(ctx, s) : status;
}

/* ---- a run ------------------------------------------------------------------------------------------------------ */

/* Distances are words that compare as numbers. */
static bool is_reached(const mg_sssp_parts *s, uint64_t word) {
    return word < mg_sssp_far(s->real) && word <= s->base.most.number;
}

/* What all processes have found and sent. */
static meguri_status add_up(mg_sssp_told *told, mg_traffic *sent, meguri_ctx *ctx, mg_sssp_parts *s,
                            const mg_traffic *before, double seconds) {
    const mg_shards *g = s->shards;
    uint64_t reached = 0, farthest = 0;
    mg_traffic now = mg_traffic_sum(g->cluster);
    const mg_sssp_wide *labels = s->state.labels;
    for (uint32_t v = 0; v < g->owned; v++) {
        uint64_t word = labels[v].distance.number;
        bool counts = is_reached(s, word);
        reached += counts;
        farthest = counts && word > farthest ? word : farthest;
    }
    uint64_t sums[] = {reached, s->arcs, now.messages - before->messages, now.bytes - before->bytes};
    meguri_status status = mg_reduce_u64(ctx, g->cluster, &g->cluster->all, sums, 4, MG_SUM);
    if (status == MEGURI_OK) status = mg_reduce_u64(ctx, g->cluster, &g->cluster->all, &farthest, 1, MG_MAXIMUM);
    if (status == MEGURI_OK) status = mg_reduce_f64(ctx, g->cluster, &g->cluster->all, &seconds, 1, MG_MAXIMUM);
    if (status != MEGURI_OK) return status;
    *sent = (mg_traffic){.messages = sums[2], .bytes = sums[3]};
    *told = (mg_sssp_told){.reached = MG_MAX(sums[0], 1u), /* a vertex without edges reaches itself */
                           .farthest.number = farthest,
                           .edges = sums[1],
                           .delta = s->delta,
                           .seconds = seconds};
    return MEGURI_OK;
}

static meguri_status search(mg_sssp_told *told, mg_traffic *sent, meguri_ctx *ctx, mg_sssp_parts *s, uint64_t source) {
    mg_traffic before = mg_traffic_sum(s->shards->cluster);
    uint64_t number;
    double since = mg_now();
    meguri_status status = mg_shards_number(&number, ctx, s->shards, source);
    if (status == MEGURI_OK) status = mg_sssp_cluster_search(ctx, s, number);
    return status == MEGURI_OK ? add_up(told, sent, ctx, s, &before, mg_now() - since) : status;
}

meguri_status mg_sssp_owned_labels(const mg_sssp_wide **out, mg_sssp_told *told, meguri_ctx *ctx,
                                   meguri_sssp_search *base, uint64_t source) {
    mg_sssp_parts *s = (mg_sssp_parts *)base;
    mg_traffic sent;
    meguri_status status = search(told, &sent, ctx, s, source);
    *out = s->state.labels;
    return status;
}

/* Distance and parent travel together. */

static meguri_status go_home(meguri_ctx *ctx, mg_sssp_parts *s, uint64_t source) {
    mg_shards *g = s->shards;
    const mg_sssp_wide *labels = s->state.labels;
    const size_t global = mg_global_bytes(g->wide), item = 8 + global;
    const uint64_t isolated[] = {mg_sssp_far(s->real), UINT64_MAX};
    uint64_t count = g->home.end - g->home.begin;
    char *mine = mg_alloc_array(ctx, g->owned, item, "results on their way");
    char *home = mg_alloc_array(ctx, count, item, "results on their way");
    meguri_status status = mg_agree(ctx, g->cluster, mine && home ? MEGURI_OK : MEGURI_NO_MEMORY);
    for (uint32_t v = 0; v < g->owned && status == MEGURI_OK; v++) {
        bool reached = is_reached(s, labels[v].distance.number);
        uint64_t parent = reached ? mg_sssp_parent_of(&labels[v], g->wide) : UINT64_MAX;
        memcpy(mine + v * item, reached ? &labels[v].distance.number : isolated, 8);
        memcpy(mine + v * item + 8, &parent, global); /* the lower bytes come first */
    }
    if (status == MEGURI_OK) status = mg_shards_to_homes(ctx, g, home, mine, item, isolated);
    for (uint64_t i = 0; i < count && status == MEGURI_OK; i++) {
        memcpy((uint64_t *)s->base.distance + i, home + i * item, 8);
        if (s->base.parent) memcpy((char *)s->base.parent + i * global, home + i * item + 8, global);
    }
    if (status == MEGURI_OK && source >= g->home.begin && source < g->home.end) { /* it may have no edges */
        ((uint64_t *)s->base.distance)[source - g->home.begin] = 0;
        if (s->base.parent) mg_global_put((mg_globals){s->base.parent, g->wide}, source - g->home.begin, source);
    }
    mg_free(mine);
    mg_free(home);
    return status;
}

static meguri_status run(mg_sssp_told *told, meguri_ctx *ctx, meguri_sssp_search *base, uint64_t source) {
    mg_sssp_parts *s = (mg_sssp_parts *)base;
    mg_traffic sent;
    meguri_status status = search(told, &sent, ctx, s, source);
    if (status == MEGURI_OK) status = go_home(ctx, s, source);
    if (status == MEGURI_OK) status = mg_result_set_number(ctx, s->base.result, "messages", sent.messages);
    if (status == MEGURI_OK) status = mg_result_set_number(ctx, s->base.result, "bytes", sent.bytes);
    return status;
}

const mg_sssp_engine mg_sssp_on_cluster = {.engine = MEGURI_ENGINE_CLUSTER,
                                           .bytes = sizeof(mg_sssp_parts),
                                           .open = open,
                                           .run = run,
                                           .close = mg_sssp_cluster_close,
                                           .check = mg_sssp_cluster_check};
