/* The front of shortest paths on a cluster: arguments, the handle that several searches share, results on their way
 * home. */
#include "algo/sssp/sssp_cluster.h"

#include <inttypes.h>

/* ---- the handle ------------------------------------------------------------------------------------------------- */

static meguri_status add_column(meguri_ctx *ctx, meguri_result *result, const char *name, meguri_column_type type,
                                void *out, uint64_t count) {
    void *data = mg_alloc_array(ctx, count, mg_column_size(type), "the result of a search");
    if (!data) return MEGURI_NO_MEMORY;
    meguri_status status = mg_result_own(ctx, result, data);
    if (status == MEGURI_OK) status = mg_result_add_column(ctx, result, name, type, data, count, mg_column_size(type));
    if (status == MEGURI_OK) *(void **)out = data;
    return status;
}

static meguri_status make_result(meguri_ctx *ctx, meguri_shards_sssp_search *s) {
    uint64_t count = s->shards->home.end - s->shards->home.begin;
    meguri_status status = mg_result_new(&s->result, ctx);
    if (status == MEGURI_OK)
        status = add_column(ctx, s->result, "distance", s->real ? MEGURI_COLUMN_F64 : MEGURI_COLUMN_U64, &s->distance,
                            count);
    if (status == MEGURI_OK && !s->options.no_parents)
        status = add_column(ctx, s->result, "parent", MEGURI_COLUMN_VERTEX, &s->parent, count);
    return mg_agree(ctx, s->shards->cluster, status);
}

static meguri_status search_new(meguri_shards_sssp_search **out, meguri_ctx *ctx, meguri_shards *shards,
                                const meguri_sssp_options *options, mg_call *call) {
    *out = NULL;
    meguri_shards_sssp_search *s = mg_alloc_zero(ctx, sizeof *s, "a search");
    meguri_status status = s ? mg_sssp_read_options(ctx, &s->options, options) : MEGURI_NO_MEMORY;
    if (status == MEGURI_OK) {
        mg_call_real(call, "delta", s->options.delta);
        mg_call_number(call, "choice of parents", s->options.no_parents != 0);
    }
    status = mg_agree_call(ctx, shards->cluster, status, call);
    if (s) s->shards = shards;
    if (status == MEGURI_OK) status = mg_sssp_cluster_plan(ctx, s);
    if (status == MEGURI_OK) status = mg_sssp_cluster_open(ctx, s);
    if (status == MEGURI_OK) status = make_result(ctx, s);
    if (status == MEGURI_OK) *out = s;
    else meguri_shards_sssp_search_free(s);
    return status;
}

void meguri_shards_sssp_search_free(meguri_shards_sssp_search *s) {
    if (!s) return;
    meguri_result_free(s->result);
    mg_sssp_cluster_close(s);
    mg_free(s);
}

/* ---- a run ------------------------------------------------------------------------------------------------------ */

/* What all processes have found and sent. */
static meguri_status add_up(mg_sssp_owned *found, meguri_ctx *ctx, meguri_shards_sssp_search *s,
                            const mg_traffic *before, double seconds) {
    const meguri_shards *g = s->shards;
    uint64_t far = mg_sssp_far(s->real), reached = 0, farthest = 0;
    mg_traffic now = mg_sssp_cluster_traffic(g->cluster);
    found->labels = s->state.labels;
    for (uint32_t v = 0; v < g->owned; v++) {
        uint64_t word = found->labels[v].distance.number;
        reached += word < far;
        farthest = word < far && word > farthest ? word : farthest;
    }
    uint64_t sums[] = {reached, s->arcs, now.messages - before->messages, now.bytes - before->bytes};
    meguri_status status = mg_reduce_u64(ctx, g->cluster, &g->cluster->all, sums, 4, MG_SUM);
    if (status == MEGURI_OK) status = mg_reduce_u64(ctx, g->cluster, &g->cluster->all, &farthest, 1, MG_MAXIMUM);
    if (status == MEGURI_OK) status = mg_reduce_f64(ctx, g->cluster, &g->cluster->all, &seconds, 1, MG_MAXIMUM);
    if (status != MEGURI_OK) return status;
    found->reached = MG_MAX(sums[0], 1u); /* a vertex without edges reaches itself */
    found->edges = sums[1];
    found->messages = sums[2];
    found->bytes = sums[3];
    found->farthest = farthest;
    found->seconds = seconds;
    return MEGURI_OK;
}

meguri_status mg_sssp_cluster_run(mg_sssp_owned *out, meguri_ctx *ctx, meguri_shards_sssp_search *s, uint64_t source) {
    if (source >= s->shards->vertices)
        return mg_fail(ctx, MEGURI_NOT_FOUND, "there is no vertex %" PRIu64 " in a graph of %" PRIu64 ".", source,
                       s->shards->vertices);
    mg_traffic before = mg_sssp_cluster_traffic(s->shards->cluster);
    uint32_t rank_by_degree;
    double since = mg_now();
    meguri_status status = mg_shards_rank(&rank_by_degree, ctx, s->shards, source);
    if (status == MEGURI_OK) status = mg_sssp_cluster_search(ctx, s, rank_by_degree);
    return status == MEGURI_OK ? add_up(out, ctx, s, &before, mg_now() - since) : status;
}

/* Distance and parent travel together. */
#define HOME_BYTES 12

static meguri_status go_home(meguri_ctx *ctx, meguri_shards_sssp_search *s, uint64_t source) {
    meguri_shards *g = s->shards;
    const mg_sssp_wide *labels = s->state.labels;
    uint64_t far = mg_sssp_far(s->real), count = g->home.end - g->home.begin;
    uint32_t none = MEGURI_NO_VERTEX;
    char isolated[HOME_BYTES], *mine, *home;
    memcpy(isolated, &far, 8);
    memcpy(isolated + 8, &none, 4);
    mine = mg_alloc_array(ctx, g->owned, HOME_BYTES, "results on their way");
    home = mg_alloc_array(ctx, count, HOME_BYTES, "results on their way");
    meguri_status status = mg_agree(ctx, g->cluster, mine && home ? MEGURI_OK : MEGURI_NO_MEMORY);
    for (uint32_t v = 0; v < g->owned && status == MEGURI_OK; v++) {
        memcpy(mine + (uint64_t)v * HOME_BYTES, &labels[v].distance.number, 8);
        memcpy(mine + (uint64_t)v * HOME_BYTES + 8, &labels[v].parent, 4);
    }
    if (status == MEGURI_OK) status = mg_shards_to_homes(ctx, g, home, mine, HOME_BYTES, isolated);
    for (uint64_t i = 0; i < count && status == MEGURI_OK; i++) {
        memcpy((uint64_t *)s->distance + i, home + i * HOME_BYTES, 8);
        if (s->parent) memcpy(s->parent + i, home + i * HOME_BYTES + 8, 4);
    }
    if (status == MEGURI_OK && source >= g->home.begin && source < g->home.end) { /* it may have no edges */
        ((uint64_t *)s->distance)[source - g->home.begin] = 0;
        if (s->parent) s->parent[source - g->home.begin] = (uint32_t)source;
    }
    mg_free(mine);
    mg_free(home);
    return status;
}

static meguri_status set_facts(meguri_ctx *ctx, meguri_shards_sssp_search *s, const mg_sssp_owned *found) {
    meguri_result *r = s->result;
    meguri_status status = mg_result_set_number(ctx, r, "reached", found->reached);
    if (status == MEGURI_OK)
        status = s->real ? mg_result_set_real(ctx, r, "farthest", mg_sssp_real_of(found->farthest))
                         : mg_result_set_number(ctx, r, "farthest", found->farthest);
    if (status == MEGURI_OK) status = mg_result_set_number(ctx, r, "edges", found->edges);
    if (status == MEGURI_OK) status = mg_result_set_real(ctx, r, "delta", s->delta);
    if (status == MEGURI_OK) status = mg_result_set_real(ctx, r, "seconds", found->seconds);
    if (status == MEGURI_OK) status = mg_result_set_number(ctx, r, "messages", found->messages);
    if (status == MEGURI_OK) status = mg_result_set_number(ctx, r, "bytes", found->bytes);
    return mg_agree(ctx, s->shards->cluster, status);
}

static meguri_status search_run(meguri_ctx *ctx, meguri_shards_sssp_search *s, uint64_t source) {
    mg_sssp_owned found;
    meguri_status status = mg_sssp_cluster_run(&found, ctx, s, source);
    if (status == MEGURI_OK) status = go_home(ctx, s, source);
    return status == MEGURI_OK ? set_facts(ctx, s, &found) : status;
}

/* ---- the public functions --------------------------------------------------------------------------------------- */

meguri_status meguri_shards_sssp_search_new(meguri_shards_sssp_search **out, meguri_ctx *ctx, meguri_shards *shards,
                                            const meguri_sssp_options *options) {
    if (out) *out = NULL;
    if (!out || !ctx) return mg_missing(ctx, __func__);
    mg_begin(ctx);
    if (!shards) return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "shortest paths need a graph.");
    mg_call call = {.name = "meguri_shards_sssp_search_new"};
    return search_new(out, ctx, shards, options, &call);
}

meguri_status meguri_shards_sssp_search_run(const meguri_result **out, meguri_ctx *ctx,
                                            meguri_shards_sssp_search *search, uint64_t source) {
    if (out) *out = NULL;
    if (!out || !ctx) return mg_missing(ctx, __func__);
    mg_begin(ctx);
    if (!search) return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "meguri_shards_sssp_search_run needs a search.");
    mg_call call = {.name = "meguri_shards_sssp_search_run"};
    mg_call_number(&call, "source", source);
    meguri_status status = mg_agree_call(ctx, search->shards->cluster, MEGURI_OK, &call);
    if (status == MEGURI_OK) status = search_run(ctx, search, source);
    if (status == MEGURI_OK) *out = search->result;
    return status;
}

meguri_status meguri_shards_sssp(meguri_result **out, meguri_ctx *ctx, meguri_shards *shards, uint64_t source,
                                 const meguri_sssp_options *options) {
    if (out) *out = NULL;
    if (!out || !ctx) return mg_missing(ctx, __func__);
    mg_begin(ctx);
    if (!shards) return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "shortest paths need a graph.");
    meguri_shards_sssp_search *search;
    mg_call call = {.name = "meguri_shards_sssp"};
    mg_call_number(&call, "source", source);
    meguri_status status = search_new(&search, ctx, shards, options, &call);
    if (status == MEGURI_OK) status = search_run(ctx, search, source);
    if (status == MEGURI_OK) {
        *out = search->result;
        search->result = NULL;
    }
    meguri_shards_sssp_search_free(search);
    return status;
}
