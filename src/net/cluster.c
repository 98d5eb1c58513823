/* The handle of a cluster: one rank over its transport, whichever that is. */
#include "net/net.h"

/* One machine, or two for any other number: several if the largest number and the smallest are not the same. */
static meguri_status count_machines(meguri_ctx *ctx, meguri_cluster *c) {
    uint64_t most[2] = {c->transport->machine, ~c->transport->machine};
    meguri_status status = mg_reduce_u64(ctx, c, &c->all, most, 2, MG_MAXIMUM);
    c->machines = most[0] == ~most[1] ? 1 : 2;
    return status;
}

meguri_status mg_cluster_new(meguri_cluster **out, meguri_ctx *ctx, mg_transport *transport,
                             const struct mg_makers *makers) {
    *out = NULL;
    meguri_cluster *c = mg_alloc_zero(ctx, sizeof *c, "a cluster");
    if (!c) {
        transport->close(transport, true);
        return MEGURI_NO_MEMORY;
    }
    c->makers = makers;
    c->transport = transport;
    c->rank = c->all.me = transport->rank;
    c->size = c->all.count = transport->size;
    c->most = transport->most;
    mg_traffic_named(c, "control"); /* MG_TRAFFIC_CONTROL … */
    mg_traffic_named(c, "bulk");
    c->all.ranks = mg_alloc_array(ctx, (uint64_t)c->size, sizeof *c->all.ranks, "a cluster");
    for (int r = 0; r < c->size && c->all.ranks; r++) c->all.ranks[r] = r;
    meguri_status status = c->all.ranks ? MEGURI_OK : MEGURI_NO_MEMORY;
    if (status == MEGURI_OK) status = mg_exchange_new(&c->control, ctx, c, "control");
    if (status == MEGURI_OK) status = mg_exchange_new(&c->bulk, ctx, c, "bulk");
    if (status == MEGURI_OK) status = count_machines(ctx, c);
    if (status == MEGURI_OK) *out = c;
    else {
        c->failed = true;
        meguri_cluster_free(c);
    }
    return status;
}

void meguri_cluster_free(meguri_cluster *c) {
    if (!c) return;
    mg_exchange_free(c->control);
    mg_exchange_free(c->bulk);
    mg_free(c->all.ranks);
    c->transport->close(c->transport, c->failed);
    mg_free(c);
}

uint32_t meguri_cluster_rank(const meguri_cluster *c) { return c ? (uint32_t)c->rank : 0; }
uint32_t meguri_cluster_size(const meguri_cluster *c) { return c ? (uint32_t)c->size : 0; }
