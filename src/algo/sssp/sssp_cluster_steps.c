/* The rounds of shortest paths on a cluster, and their order: as on one machine (sssp_host.c), steps first; where the
 * graph is dense, up to a horizon, then a pull by all that lie beyond, and the little that is left. All decisions are
 * made from sums over all processes, so all make the same. */
#include "algo/sssp/sssp_cluster.h"

#define ENOUGH    32768 /* work of a round, at the process that has most, so that messages cost little */
#define AGAIN     128   /* vertices expanded once more that cost as much as a round … */
#define WASTE     2     /* … and are too many when they are one in so many of all */
#define OWN_STEPS 4     /* in which a process goes through the bins of a round */
#define MAX_SPAN  512
#define VERTEX    4    /* a vertex costs as much as so many arcs */
#define IN_SIGHT  4096 /* a horizon is set when one in so many arcs was seen */
#define FEW_LEFT  6    /* a pull is worth it when less than one in so many arcs is left for it */

/* ---- a round ---------------------------------------------------------------------------------------------------- */

static void begin_round(mg_sssp_parts *s) {
    s->since = mg_now();
    s->before = mg_sssp_cluster_traffic(s->shards->cluster);
}

static void end_round(mg_sssp_parts *s, const char *phase, const char *way, uint64_t frontier,
                      uint64_t arcs_before) {
    s->last_work = s->arcs - arcs_before + VERTEX * frontier;
    if (!mg_trace_on(s->state.ctx)) return;
    mg_traffic now = mg_sssp_cluster_traffic(s->shards->cluster);
    mg_step step = MG_STEP_NONE;
    step.run = "sssp";
    step.step = s->state.step++;
    step.phase = phase;
    step.frontier = (int64_t)frontier;
    step.edges = (int64_t)(s->arcs - arcs_before);
    step.way = way;
    step.engine = "cluster";
    step.threads = s->state.worker_count;
    step.seconds = mg_now() - s->since;
    step.bytes = (int64_t)(now.bytes - s->before.bytes);
    step.messages = (int64_t)(now.messages - s->before.messages);
    mg_trace(s->state.ctx, &step);
}

/* Whose arcs are followed: those at a distance at which they were not yet. */
static inline void take(mg_sssp_parts *s, mg_sssp_side *side, uint32_t v) {
    uint64_t word = ((const mg_sssp_wide *)s->state.labels)[v].distance.number;
    if (word >= s->pushed[v]) return;
    s->pushed[v] = word;
    side->front[side->front_count] = side->own + v;
    side->front_far[side->front_count++] = word;
    if (mg_bitmap_get(&s->marked, v)) return;
    mg_bitmap_set(&s->marked, v);
    s->taken[s->taken_count++] = v;
}

/* Nobody is taken yet, and nobody is in a front. */
static mg_sssp_side *no_front(mg_sssp_parts *s) {
    s->side[0].front_count = s->side[1].front_count = 0;
    return &s->side[s->own_source];
}

static uint64_t first_bin(const mg_sssp_parts *s) {
    uint64_t first = MG_SSSP_NO_BIN;
    for (int i = 0; i < s->state.worker_count; i++) first = MG_MIN(first, mg_sssp_first_bin(s->state.workers[i]));
    return first;
}

/* The own vertices in the bins [bin, end) follow the arcs that are here, a few bins at a time, until nobody waits
 * there. The rings stay where they are: what others find may yet come into an earlier bin. */
static void push_own(mg_sssp_parts *s, uint64_t bin, uint64_t end) {
    uint64_t few = MG_MAX((end - bin) / OWN_STEPS, 1u);
    for (int i = 0; i < s->state.worker_count; i++) mg_sssp_move_ring(&s->state, s->state.workers[i], bin, end);
    for (uint64_t first; (first = first_bin(s)) < end && !mg_load(&s->state.stop);) {
        mg_sssp_side *side = no_front(s);
        for (int i = 0; i < s->state.worker_count; i++) {
            mg_sssp_worker *w = s->state.workers[i];
            mg_sssp_chunk *chunk = mg_sssp_take_bins(w, first, MG_MIN(first + few, end));
            for (mg_sssp_chunk *next; chunk; chunk = next) {
                next = chunk->next;
                for (uint32_t k = 0; k < chunk->count; k++) take(s, side, chunk->vertices[k]);
                mg_sssp_chunk_done(w, chunk);
            }
        }
        mg_sssp_cluster_push(s);
    }
}

/* Who was taken is expanded. */
static meguri_status go_round(meguri_ctx *ctx, mg_sssp_parts *s, const char *phase, uint64_t arcs) {
    meguri_status status = mg_sssp_cluster_expand(ctx, s);
    uint64_t frontier = s->taken_count;
    if (status == MEGURI_OK) {
        mg_sssp_cluster_push(s);
        status = mg_sssp_cluster_fold(ctx, s);
    }
    end_round(s, phase, "push", frontier, arcs);
    return status;
}

/* ---- meetings --------------------------------------------------------------------------------------------------- */

/* What all processes tell each other before a round: the largest of each counts. */
typedef struct report {
    uint64_t before_first; /* ~ the first bin that is not empty */
    uint64_t work;         /* of the last round */
    uint64_t taken, again; /* vertices that were expanded in it, and those that had been before */
    uint64_t arcs;         /* seen in all */
    uint64_t trouble;      /* somebody was stopped, or has no memory */
} report;

static meguri_status own_trouble(const mg_sssp_parts *s) {
    if (s->state.no_memory) return MEGURI_NO_MEMORY;
    return s->state.stop ? mg_fail_cancelled(s->state.ctx) : MEGURI_OK;
}

static meguri_status meet(meguri_ctx *ctx, mg_sssp_parts *s, report *w) {
    meguri_cluster *cluster = s->shards->cluster;
    if (mg_progress(ctx, "sssp", 0, 0)) s->state.stop = 1;
    *w = (report){.before_first = ~first_bin(s),
                  .work = s->last_work,
                  .taken = s->taken_count,
                  .again = s->again,
                  .arcs = s->arcs,
                  .trouble = s->state.stop};
    meguri_status status =
        mg_reduce_u64(ctx, cluster, &cluster->all, (uint64_t *)w, sizeof *w / sizeof(uint64_t), MG_MAXIMUM);
    if (status == MEGURI_OK && w->trouble) status = mg_agree(ctx, cluster, own_trouble(s));
    return status;
}

/* A round was too wide when much in it had to be done again, or when there is so much in it that a narrower one would
 * cost little more; it was too narrow when there was little in it. */
static void adapt_span(mg_sssp_state *s, const report *last) {
    bool wasteful = last->again > AGAIN && WASTE * last->again > last->taken;
    if (!s->adapt) s->span = 1;
    else if (wasteful || last->work > 4 * ENOUGH) s->span = MG_MAX(s->span / 2, 1u);
    else if (last->work < ENOUGH) s->span = MG_MIN(2 * s->span, MAX_SPAN);
}

/* Rounds until nothing waits in bins before `limit`, or so many arcs were seen. */
static meguri_status rounds(meguri_ctx *ctx, mg_sssp_parts *s, const char *phase, uint64_t limit,
                            uint64_t arcs_stop) {
    uint64_t processes = (uint64_t)s->shards->cluster->size;
    for (;;) {
        report w;
        begin_round(s);
        meguri_status status = meet(ctx, s, &w);
        s->state.next_bin = ~w.before_first;
        if (status != MEGURI_OK || s->state.next_bin >= limit || w.arcs * processes >= arcs_stop) return status;
        adapt_span(&s->state, &w);
        uint64_t arcs = s->arcs;
        s->taken_count = 0;
        push_own(s, s->state.next_bin, MG_MIN(s->state.next_bin + s->state.span, limit));
        status = go_round(ctx, s, phase, arcs);
        if (status != MEGURI_OK) return status;
    }
}

/* ---- horizons --------------------------------------------------------------------------------------------------- */

/* No arc that leads beyond bin `bin` is of interest. What is rounded is rounded up. */
static void set_horizon(mg_sssp_parts *s, uint64_t bin) {
    double distance = (double)bin / s->state.per_delta;
    s->state.horizon_bin = bin;
    if (s->real) s->state.horizon.real = distance * (1 + 1e-9);
    else s->state.horizon.number = (uint64_t)(distance * (1 + 1e-12)) + 1;
}

static uint64_t bins_of(const mg_sssp_parts *s, double distance) {
    double bins = distance * s->state.per_delta;
    return bins < 1 ? 1 : bins > 1e18 ? (uint64_t)1e18 : (uint64_t)bins;
}

/* Bins begin here; nobody waits in earlier ones. */
static void move_bins(mg_sssp_parts *s, uint64_t bin) {
    for (int i = 0; i < s->state.worker_count; i++) s->state.workers[i]->bin = s->state.workers[i]->step_end = bin;
}

/* Finds out who lies in bins from `settled` on; *few: their in-arcs are few enough for a pull. */
static meguri_status find_waiting(meguri_ctx *ctx, mg_sssp_parts *s, uint64_t settled, bool *few) {
    const mg_shards *g = s->shards;
    mg_sssp_side *own = &s->side[s->own_target];
    const mg_sssp_wide *labels = s->state.labels;
    uint64_t far = mg_sssp_far(s->real), arcs = 0;
    memset(own->waiting.words + own->own / 64, 0, own->window->stride / 8);
    for (uint32_t v = 0; v < g->owned; v++) {
        uint64_t at = labels[v].distance.number;
        if (at >= far || mg_sssp_bin_of_word(s, at) >= settled) mg_bitmap_set(&own->waiting, own->own + v);
    }
    meguri_status status = mg_sssp_cluster_tell_waiting(ctx, s);
    if (status != MEGURI_OK) return status;
    for (int t = 0; t < g->layout.tiles; t++) {
        const mg_rows *in = &g->tile[t].in;
        const mg_bitmap *waiting = &s->side[g->layout.tile_target[t]].waiting;
        for (uint64_t word = 0; word < in->rows / 64; word++)
            for (uint64_t bits = waiting->words[word]; bits; bits &= bits - 1) {
                uint64_t v = 64 * word + (uint64_t)__builtin_ctzll(bits);
                arcs += mg_row_offset(in, v + 1) - mg_row_offset(in, v);
            }
    }
    status = mg_reduce_u64(ctx, g->cluster, &g->cluster->all, &arcs, 1, MG_SUM);
    *few = arcs <= g->arcs / FEW_LEFT;
    return status;
}

/* Everybody in bins before `settled` is final, and has followed arcs only as far as that. The others look for
 * themselves, for which they need no messages: what is settled was expanded. Then they push, once, for they know
 * nothing of each other. */
static meguri_status pull_rest(meguri_ctx *ctx, mg_sssp_parts *s, uint64_t settled) {
    uint64_t arcs = s->arcs;
    begin_round(s);
    mg_sssp_cluster_pull(s);
    meguri_status status = mg_sssp_cluster_fold(ctx, s);
    end_round(s, "rest", "pull", 0, arcs);
    if (status != MEGURI_OK) return status;
    begin_round(s);
    s->state.horizon_bin = MG_SSSP_NO_BIN;
    for (int i = 0; i < s->state.worker_count; i++) mg_sssp_empty_bins(s->state.workers[i]);
    move_bins(s, settled);
    arcs = s->arcs;
    s->taken_count = 0;
    mg_sssp_side *side = no_front(s);
    for (uint32_t v = 0; v < s->core; v++) take(s, side, v);
    mg_sssp_cluster_push(s);
    status = go_round(ctx, s, "rest", arcs);
    s->state.adapt = true;
    return status == MEGURI_OK ? rounds(ctx, s, "last", MG_SSSP_NO_BIN, UINT64_MAX) : status;
}

/* Those in bins before `settled` followed arcs only as far as that; now they go on to where the horizon is. Everybody
 * remembers them: no messages. */
static meguri_status push_again(meguri_ctx *ctx, mg_sssp_parts *s, uint64_t settled) {
    uint64_t arcs = s->arcs;
    begin_round(s);
    move_bins(s, settled);
    mg_sssp_cluster_push_again(s, settled);
    meguri_status status = mg_sssp_cluster_fold(ctx, s);
    end_round(s, "again", "push", 0, arcs);
    return status;
}

/* To a horizon, and to another one twice as far away as long as too much lies beyond. */
static meguri_status push_to_horizons(meguri_ctx *ctx, mg_sssp_parts *s) {
    double light = s->light;
    uint64_t horizon = s->state.next_bin + bins_of(s, light), settled = 0;
    for (;;) {
        bool few = false;
        meguri_status status = MEGURI_OK;
        set_horizon(s, horizon);
        if (settled) status = push_again(ctx, s, settled);
        if (status == MEGURI_OK) status = rounds(ctx, s, "light", horizon, UINT64_MAX);
        if (status == MEGURI_OK) status = find_waiting(ctx, s, horizon, &few);
        if (status != MEGURI_OK) return status;
        if (few) return pull_rest(ctx, s, horizon);
        settled = horizon;
        light *= 2;
        horizon += bins_of(s, light);
        if (light <= s->heaviest && horizon <= MG_SSSP_NO_BIN / 4) continue;
        s->state.horizon_bin = MG_SSSP_NO_BIN; /* no arc leads beyond */
        status = push_again(ctx, s, settled);
        s->state.adapt = true;
        return status == MEGURI_OK ? rounds(ctx, s, "push", MG_SSSP_NO_BIN, UINT64_MAX) : status;
    }
}

/* ---- the search ------------------------------------------------------------------------------------------------- */

static void start(mg_sssp_parts *s) {
    uint64_t far = mg_sssp_far(s->real);
    for (int i = 0; i < s->shards->layout.windows; i++) {
        mg_sssp_side *side = &s->side[i];
        uint64_t places = side->window->places;
        for (uint64_t v = 0; v < places && side->sent; v++) side->sent[v] = far;
        for (uint64_t v = 0; v < places && side->labels; v++)
            side->labels[v] = (mg_sssp_wide){.distance.number = far, .parent = MG_NO_VERTEX};
        if (side->labels) {
            memset(side->noted.words, 0, places / 8);
            side->found.count = 0;
        }
    }
    for (uint64_t v = 0; v < s->scratch.bits; v++) s->pushed[v] = far;
    memset(s->marked.words, 0, s->marked.bits / 8);
    memset(s->scratch.words, 0, s->scratch.bits / 8);
    for (int i = 0; i < s->state.worker_count; i++) mg_sssp_worker_clear(s->state.workers[i]);
    s->state.per_delta = 1 / s->delta;
    s->state.span = 1;
    s->state.adapt = !s->fixed;
    s->state.horizon_bin = MG_SSSP_NO_BIN;
    s->state.step = 0;
    s->state.stop = s->state.no_memory = 0;
    s->arcs = s->last_work = 0;
    s->taken_count = s->again = 0;
}

meguri_status mg_sssp_cluster_search(meguri_ctx *ctx, mg_sssp_parts *s, uint32_t g) {
    const mg_shards *shards = s->shards;
    uint32_t size = (uint32_t)shards->cluster->size;
    s->state.ctx = ctx;
    start(s);
    if (g >= shards->active) return MEGURI_OK;
    if (g % size == (uint32_t)shards->cluster->rank) {
        mg_sssp_wide *label = (mg_sssp_wide *)s->state.labels + g / size;
        *label = (mg_sssp_wide){.distance.number = 0, .parent = shards->position[g / size]};
        mg_sssp_put(&s->state, s->state.workers[0], g / size, 0);
    }
    meguri_status status = rounds(ctx, s, "push", MG_SSSP_NO_BIN, s->light > 0 ? shards->arcs / IN_SIGHT : UINT64_MAX);
    if (status == MEGURI_OK && s->state.next_bin != MG_SSSP_NO_BIN) status = push_to_horizons(ctx, s);
    return status;
}
