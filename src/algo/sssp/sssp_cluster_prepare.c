/* What searches for shortest paths on a cluster share: that weights are lengths, a width for the bins, memory. */
#include "algo/sssp/sssp_cluster.h"

#include <inttypes.h>

#define SAMPLE       4096 /* weights, of all processes */
#define LEAST_SAMPLE 16   /* of each */
#define GRAIN        65536

/* ---- lengths ---------------------------------------------------------------------------------------------------- */

/* What a process says of its weights. */
typedef struct weight_facts {
    double heaviest;
    uint64_t position; /* the first vertex that a weight leaves which is no length; or UINT64_MAX */
    double bad;        /* such a weight of it */
} weight_facts;

static bool is_length(double weight) { return weight >= 0 && weight < INFINITY; }

/* The first position in the user's order that a weight in these rows leaves which is no length. */
static void find_bad(weight_facts *facts, const mg_shards *g, int tile) {
    const mg_rows *out = &g->tile[tile].out;
    const mg_globals position = g->window_position[g->layout.tile_source[tile]];
    for (uint64_t u = 0; u < out->rows; u++)
        for (uint64_t arc = mg_row_offset(out, u); arc < mg_row_offset(out, u + 1); arc++) {
            double weight = mg_weight_at(out->weights, g->weight_type, arc);
            if (is_length(weight) || mg_global_at(position, u) >= facts->position) continue;
            facts->position = mg_global_at(position, u);
            facts->bad = weight;
        }
}

typedef struct weight_job {
    const mg_rows *rows;
    meguri_type type;
    double heaviest;
    bool bad;
} weight_job;

static void look_at_arcs(void *what, mg_worker *worker) {
    weight_job *job = what;
    double heaviest = 0;
    bool bad = false;
    for (mg_range arcs; mg_take(worker, &arcs);)
        for (uint64_t arc = arcs.begin; arc < arcs.end; arc++) {
            double weight = mg_weight_at(job->rows->weights, job->type, arc);
            bad |= !is_length(weight);
            heaviest = weight > heaviest ? weight : heaviest;
        }
    mg_loop_lock(worker);
    job->heaviest = MG_MAX(job->heaviest, heaviest);
    job->bad |= bad;
    mg_loop_unlock(worker);
}

static weight_facts look_at_weights(meguri_ctx *ctx, const mg_shards *g) {
    weight_facts facts = {.position = UINT64_MAX};
    if (g->weight_type == MEGURI_TYPE_NONE) return (weight_facts){1, UINT64_MAX, 0};
    for (int t = 0; t < g->layout.tiles; t++) {
        const mg_rows *out = &g->tile[t].out;
        weight_job job = {.rows = out, .type = g->weight_type};
        mg_loop loop = {.ctx = ctx,
                        .threads = mg_threads(ctx, out->arcs, GRAIN),
                        .items = out->arcs,
                        .work = look_at_arcs,
                        .what = &job};
        mg_loop_run(&loop);
        if (job.bad) find_bad(&facts, g, t);
        facts.heaviest = MG_MAX(facts.heaviest, job.heaviest);
    }
    return facts;
}

void mg_sssp_cluster_id(char text[MG_ID_TEXT], const mg_shards *g, uint64_t position) {
    uint64_t i = position - g->home.begin, id = g->ids ? g->ids[i] : g->id_base + position;
    if (g->id_kind == MEGURI_ID_STRING) {
        const char *name = g->names + g->name_offsets[i];
        uint64_t length = g->name_offsets[i + 1] - g->name_offsets[i], shown = MG_MIN(length, 200u);
        while (shown < length && shown > 0 && ((unsigned char)name[shown] & 0xc0) == 0x80) shown--;
        snprintf(text, MG_ID_TEXT, "\"%.*s%s\"", (int)shown, name, shown < length ? "..." : "");
    } else if (g->id_kind == MEGURI_ID_SIGNED) snprintf(text, MG_ID_TEXT, "%" PRId64, (int64_t)id);
    else snprintf(text, MG_ID_TEXT, "%" PRIu64, id);
}

/* All give the same sentence, about the first vertex. Who is its home knows its name. */
static meguri_status refuse(meguri_ctx *ctx, const mg_shards *g, const weight_facts *facts, uint64_t position) {
    uint64_t word = UINT64_MAX;
    if (facts->position == position) memcpy(&word, &facts->bad, sizeof word);
    meguri_status status = mg_reduce_u64(ctx, g->cluster, &g->cluster->all, &word, 1, MG_MINIMUM);
    if (status != MEGURI_OK) return status;
    if (position >= g->home.begin && position < g->home.end) {
        char from[MG_ID_TEXT];
        mg_sssp_cluster_id(from, g, position);
        double weight = mg_sssp_real_of(word);
        status = isnan(weight)
                     ? mg_fail(ctx, MEGURI_BAD_INPUT,
                               "the weight of an edge from %s is not a number; shortest paths need weights of 0 or "
                               "more.",
                               from)
                     : mg_fail(ctx, MEGURI_BAD_INPUT,
                               "the weight of an edge from %s is %g; shortest paths need finite weights of 0 or more.",
                               from, weight);
    }
    return mg_agree(ctx, g->cluster, status);
}

meguri_status mg_sssp_cluster_lengths(double *heaviest, meguri_ctx *ctx, const mg_shards *g) {
    weight_facts facts = look_at_weights(ctx, g);
    uint64_t first = facts.position;
    bool real = g->weight_type == MEGURI_TYPE_F32 || g->weight_type == MEGURI_TYPE_F64;
    *heaviest = facts.heaviest;
    meguri_status status = mg_reduce_u64(ctx, g->cluster, &g->cluster->all, &first, 1, MG_MINIMUM);
    if (status == MEGURI_OK && first != UINT64_MAX) return refuse(ctx, g, &facts, first);
    if (status == MEGURI_OK) status = mg_reduce_f64(ctx, g->cluster, &g->cluster->all, heaviest, 1, MG_MAXIMUM);
    if (status == MEGURI_OK && real && *heaviest * (double)g->vertices > 1e300)
        return mg_fail(ctx, MEGURI_BAD_INPUT,
                       "an edge weighs %g: distances could become larger than numbers can be; give weights in a larger "
                       "unit.",
                       *heaviest);
    return status;
}

/* ---- the width -------------------------------------------------------------------------------------------------- */

/* Weights of arcs all over this process's part, as many as every process gives; NaN where it has too few. */
static void take_sample(double *sample, uint64_t count, const mg_shards *g) {
    uint64_t arcs = 0, taken = 0;
    for (int t = 0; t < g->layout.tiles; t++) arcs += g->tile[t].out.arcs;
    for (int t = 0; t < g->layout.tiles && arcs; t++) {
        const mg_rows *out = &g->tile[t].out;
        uint64_t share =
            t + 1 < g->layout.tiles ? (uint64_t)((unsigned __int128)count * out->arcs / arcs) : count - taken;
        share = MG_MIN(share, out->arcs);
        for (uint64_t i = 0; i < share; i++)
            sample[taken++] =
                mg_weight_at(out->weights, g->weight_type, (uint64_t)((unsigned __int128)out->arcs * i / share));
    }
    while (taken < count) sample[taken++] = NAN;
}

static meguri_status find_width(meguri_ctx *ctx, mg_sssp_parts *s) {
    const mg_shards *g = s->shards;
    uint64_t processes = (uint64_t)g->cluster->size, each = MG_MAX(SAMPLE / processes, (uint64_t)LEAST_SAMPLE);
    double *all = mg_alloc_array(ctx, each * (processes + 1), sizeof *all, "a sample of weights");
    meguri_status status = mg_agree(ctx, g->cluster, all ? MEGURI_OK : MEGURI_NO_MEMORY);
    if (status == MEGURI_OK) {
        double *mine = all + each * processes;
        take_sample(mine, each, g);
        status = mg_all_gather(ctx, g->cluster, &g->cluster->all, mine, each * sizeof *all, all);
    }
    uint64_t count = 0;
    for (uint64_t i = 0; i < each * processes && status == MEGURI_OK; i++)
        if (!isnan(all[i])) all[count++] = all[i];
    if (status == MEGURI_OK) {
        const mg_sssp_weights weights = {.vertices = g->active,
                                         .arcs = g->arcs,
                                         .real = s->real,
                                         .weighted = g->weight_type != MEGURI_TYPE_NONE,
                                         .heaviest = s->heaviest};
        mg_sssp_width width = mg_sssp_choose_width(&weights, all, count);
        s->delta = width.delta;
        s->light = width.light;
    }
    mg_free(all);
    return status;
}

meguri_status mg_sssp_cluster_plan(meguri_ctx *ctx, mg_sssp_parts *s) {
    meguri_type type = s->shards->weight_type;
    s->real = type == MEGURI_TYPE_F32 || type == MEGURI_TYPE_F64;
    meguri_status status = mg_sssp_cluster_lengths(&s->heaviest, ctx, s->shards);
    if (status == MEGURI_OK) status = find_width(ctx, s);
    if (type == MEGURI_TYPE_NONE) s->fixed = true; /* a bin is a level */
    if (s->base.options.delta > 0) {
        s->delta =
            s->real ? s->base.options.delta : MG_MAX(s->base.options.delta, 1.0); /* finer is the same for integers */
        s->fixed = true;
        s->light = 0;
    }
    return status;
}

/* ---- memory ----------------------------------------------------------------------------------------------------- */

static void *room(meguri_ctx *ctx, meguri_status *status, uint64_t count, size_t bytes, const char *what) {
    void *block = *status == MEGURI_OK ? mg_alloc_array(ctx, count, bytes, what) : NULL;
    if (!block) *status = MEGURI_NO_MEMORY;
    return block;
}

static meguri_status open_side(meguri_ctx *ctx, mg_sssp_parts *s, int i) {
    mg_sssp_side *side = &s->side[i];
    const mg_window *w = &s->shards->layout.window[i];
    uint64_t blocks = (uint64_t)w->owners.count, places = w->places;
    meguri_status status = MEGURI_OK;
    side->window = w;
    side->own = w->owners.me < 0 ? (uint32_t)places : (uint32_t)((uint64_t)w->owners.me * w->stride);
    if (w->source) {
        side->sent = room(ctx, &status, places, sizeof *side->sent, "distances of sources");
        side->front = room(ctx, &status, places, sizeof *side->front, "sources of a round");
        side->front_far = room(ctx, &status, places, sizeof *side->front_far, "sources of a round");
    }
    if (w->target) {
        side->labels = room(ctx, &status, places, sizeof *side->labels, "the distances of vertices");
        side->by_block = room(ctx, &status, places, sizeof *side->by_block, "what a round finds");
        side->block_ends = room(ctx, &status, blocks + 1, sizeof *side->block_ends, "what a round finds");
        if (status == MEGURI_OK) status = mg_queue_new(&side->found, ctx, places, "what a round finds");
        if (status == MEGURI_OK) status = mg_bitmap_new(&side->noted, ctx, places, "what a round finds");
        if (status == MEGURI_OK) status = mg_bitmap_new(&side->waiting, ctx, places, "targets of a pull");
    }
    return status;
}

static meguri_status open_state(meguri_ctx *ctx, mg_sssp_parts *s, int threads) {
    mg_sssp_state *state = &s->state;
    *state = (mg_sssp_state){.ctx = ctx, .threads = threads};
    state->hot = mg_sssp_hot_loops(s->real ? MEGURI_TYPE_F64 : MEGURI_TYPE_U32, false);
    state->workers = mg_alloc_array_zero(ctx, (uint64_t)threads, sizeof *state->workers, "the bins of shortest paths");
    if (!state->workers) return MEGURI_NO_MEMORY;
    state->worker_count = threads;
    meguri_status status = MEGURI_OK;
    for (int i = 0; i < threads && status == MEGURI_OK; i++) status = mg_sssp_worker_new(&state->workers[i], ctx);
    const mg_sssp_side *own = &s->side[s->own_target];
    state->labels = own->labels + own->own;
    return status;
}

/* Own vertices from here on lead nowhere but back. */
static uint32_t first_leaf_of(const mg_shards *g) {
    uint32_t first_leaf = g->owned, leaf = g->directed ? 0 : 1;
    while (first_leaf && g->degree[first_leaf - 1] <= leaf) first_leaf--;
    return first_leaf;
}

static meguri_status open(meguri_ctx *ctx, mg_sssp_parts *s) {
    const mg_layout *l = &s->shards->layout;
    meguri_cluster *cluster = s->shards->cluster;
    uint64_t stride = l->window[0].stride;
    meguri_status status = MEGURI_OK;
    for (int i = 0; i < l->windows; i++) {
        if (l->window[i].source && l->window[i].owners.me >= 0) s->own_source = i;
        if (l->window[i].target && l->window[i].owners.me >= 0) s->own_target = i;
    }
    for (int i = 0; i < l->windows && status == MEGURI_OK; i++) status = open_side(ctx, s, i);
    s->pushed = room(ctx, &status, stride, sizeof *s->pushed, "distances of sources");
    s->taken = room(ctx, &status, stride, sizeof *s->taken, "sources of a round");
    if (status == MEGURI_OK) status = mg_bitmap_new(&s->marked, ctx, stride, "sources of a round");
    const mg_windows_plan expand = {
        .kind = "expand", .chosen = {l->window[0].source, l->window[1].source}, .item_bytes = MG_SSSP_ITEM};
    const mg_windows_plan fold = {.kind = "fold",
                                  .to_owners = true,
                                  .chosen = {l->window[0].target, l->window[1].target},
                                  .item_bytes = MG_SSSP_ITEM + mg_global_bytes(s->shards->wide)};
    if (status == MEGURI_OK) status = mg_windows_sparse(&s->expand, ctx, cluster, l, &expand);
    if (status == MEGURI_OK) status = mg_windows_sparse(&s->fold, ctx, cluster, l, &fold);
    if (status == MEGURI_OK) status = mg_exchange_new(&s->settle, ctx, cluster, "settle");
    uint64_t arcs = 0;
    for (int t = 0; t < l->tiles; t++) arcs += s->shards->tile[t].out.arcs;
    s->first_leaf = first_leaf_of(s->shards);
    return status == MEGURI_OK ? open_state(ctx, s, mg_lasting_threads(ctx, arcs, GRAIN / 4)) : status;
}

meguri_status mg_sssp_cluster_open(meguri_ctx *ctx, mg_sssp_parts *s) {
    return mg_agree(ctx, s->shards->cluster, open(ctx, s));
}

void mg_sssp_cluster_close(meguri_sssp_search *base) {
    mg_sssp_parts *s = (mg_sssp_parts *)base;
    for (int i = 0; i < 2; i++) {
        mg_sssp_side *side = &s->side[i];
        mg_free(side->sent);
        mg_free(side->front);
        mg_free(side->front_far);
        mg_free(side->labels);
        mg_free(side->by_block);
        mg_free(side->block_ends);
        mg_queue_free(&side->found);
        mg_bitmap_free(&side->noted);
        mg_bitmap_free(&side->waiting);
    }
    mg_free(s->pushed);
    mg_free(s->taken);
    mg_bitmap_free(&s->marked);
    mg_sparse_free(s->expand);
    mg_sparse_free(s->fold);
    mg_exchange_free(s->settle);
    s->state.labels = NULL; /* the side's */
    mg_sssp_state_close(&s->state);
}
