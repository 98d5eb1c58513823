/* The rounds of shortest paths on a cluster: what the schedule has its processes do. All decisions are made from sums
 * over all of them, so all make the same. */
#include "algo/sssp/sssp_cluster.h"

#include "policy/policy.h"

#define ENOUGH    32768 /* work of a round, at the process that has most, so that messages cost little */
#define OWN_STEPS 4     /* in which a process goes through the bins of a round */
#define MAX_SPAN  512

/* ---- a round ---------------------------------------------------------------------------------------------------- */

/* A line of the trace has the sums of all processes, which meet for it where somebody writes one. */
static meguri_status end_round(const mg_sssp_schedule *c, const char *phase, const char *way, uint64_t frontier,
                               uint64_t arcs_before, meguri_status status) {
    mg_sssp_parts *s = c->search;
    s->last_work = mg_policy_sssp_work(frontier, s->arcs - arcs_before);
    if (status != MEGURI_OK || !s->steps.traced) return status;
    mg_meeting all = {.sums = {frontier, s->arcs - arcs_before}};
    status = mg_steps_meet(&s->steps, MEGURI_OK, &all);
    if (status == MEGURI_OK) mg_steps_end(&s->steps, phase, way, all.sums[0], all.sums[1]);
    return status;
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
    for (int i = 0; i < s->state.worker_count; i++)
        first = MG_MIN(first, mg_sssp_bins_first(&s->state.workers[i]->bins));
    return first;
}

/* The own vertices in the bins [bin, end) follow the arcs that are here, a few bins at a time, until nobody waits
 * there. The rings stay where they are: what others find may yet come into an earlier bin. */
static void push_own(mg_sssp_parts *s, uint64_t bin, uint64_t end) {
    uint64_t few = MG_MAX((end - bin) / OWN_STEPS, 1u);
    const mg_sssp_sorting sorting = mg_sssp_sorting_of(&s->state);
    for (int i = 0; i < s->state.worker_count; i++)
        if (!mg_sssp_bins_move(&s->state.workers[i]->bins, &sorting, bin, end)) mg_sssp_no_memory(&s->state);
    for (uint64_t first; (first = first_bin(s)) < end && !mg_load(&s->state.stop);) {
        mg_sssp_side *side = no_front(s);
        for (int i = 0; i < s->state.worker_count; i++) {
            mg_sssp_worker *w = s->state.workers[i];
            mg_sssp_chunk *chunk = mg_sssp_bins_take(&w->bins, first, MG_MIN(first + few, end));
            for (mg_sssp_chunk *next; chunk; chunk = next) {
                next = chunk->next;
                for (uint32_t k = 0; k < chunk->count; k++) take(s, side, chunk->vertices[k]);
                mg_sssp_chunk_done(&w->bins, chunk);
            }
        }
        mg_sssp_cluster_push(s);
    }
}

/* Who was taken is expanded. */
static meguri_status go_round(const mg_sssp_schedule *c, const char *phase, uint64_t arcs) {
    meguri_ctx *ctx = c->ctx;
    mg_sssp_parts *s = c->search;
    meguri_status status = mg_sssp_cluster_expand(ctx, s);
    uint64_t frontier = s->taken_count;
    if (status == MEGURI_OK) {
        mg_sssp_cluster_push(s);
        status = mg_sssp_cluster_fold(ctx, s);
    }
    return end_round(c, phase, "push", frontier, arcs, status);
}

/* ---- meetings --------------------------------------------------------------------------------------------------- */

/* What all processes tell each other before a round: the largest of each counts. */
enum {
    BEFORE_FIRST, /* ~ the first bin that is not empty */
    WORK,         /* of the last round */
    TAKEN,        /* vertices that were expanded in it … */
    AGAIN,        /* … and those that had been before */
    ARCS          /* seen in all */
};

static meguri_status own_trouble(const mg_sssp_parts *s) {
    if (s->state.no_memory) return MEGURI_NO_MEMORY;
    return s->state.stop ? mg_fail_cancelled(s->state.ctx) : MEGURI_OK;
}

static meguri_status meet(meguri_ctx *ctx, mg_sssp_parts *s, mg_meeting *w) {
    if (mg_progress(ctx, "sssp", 0, 0)) s->state.stop = 1;
    *w = (mg_meeting){.most = {[BEFORE_FIRST] = ~first_bin(s),
                               [WORK] = s->last_work,
                               [TAKEN] = s->taken_count,
                               [AGAIN] = s->again,
                               [ARCS] = s->arcs}};
    return mg_steps_meet(&s->steps, own_trouble(s), w);
}

static void adapt_span(mg_sssp_state *s, const mg_meeting *last) {
    static const mg_sssp_costs costs = {.enough = ENOUGH, .most_span = MAX_SPAN};
    const mg_sssp_work work = {.vertices = last->most[TAKEN], .again = last->most[AGAIN], .work = last->most[WORK]};
    s->span = s->adapt ? mg_policy_sssp_span(s->span, &work, &costs) : 1;
}

/* Rounds until nothing waits in bins before `limit`, or so many arcs were seen. */
static meguri_status rounds(const mg_sssp_schedule *c, const char *phase, uint64_t limit, uint64_t arcs_stop) {
    meguri_ctx *ctx = c->ctx;
    mg_sssp_parts *s = c->search;
    uint64_t processes = (uint64_t)s->shards->cluster->size;
    for (;;) {
        mg_meeting w;
        mg_steps_begin(&s->steps);
        meguri_status status = meet(ctx, s, &w);
        s->state.next_bin = ~w.most[BEFORE_FIRST];
        if (status != MEGURI_OK || s->state.next_bin >= limit || w.most[ARCS] * processes >= arcs_stop) return status;
        adapt_span(&s->state, &w);
        uint64_t arcs = s->arcs;
        s->taken_count = 0;
        push_own(s, s->state.next_bin, MG_MIN(s->state.next_bin + s->state.span, limit));
        status = go_round(c, phase, arcs);
        if (status != MEGURI_OK) return status;
    }
}

/* ---- horizons --------------------------------------------------------------------------------------------------- */

/* Bins begin here; nobody waits in earlier ones. */
static void move_bins(mg_sssp_parts *s, uint64_t bin) {
    for (int i = 0; i < s->state.worker_count; i++) mg_sssp_bins_begin_at(&s->state.workers[i]->bins, bin);
}

static meguri_status count_left(const mg_sssp_schedule *c, uint64_t settled, uint64_t *left) {
    meguri_ctx *ctx = c->ctx;
    mg_sssp_parts *s = c->search;
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
    *left = arcs;
    return status;
}

/* They need no messages for it: what is settled was expanded. */
static meguri_status pull(const mg_sssp_schedule *c, uint64_t settled) {
    (void)settled;
    mg_sssp_parts *s = c->search;
    uint64_t arcs = s->arcs;
    mg_steps_begin(&s->steps);
    mg_sssp_cluster_pull(s);
    meguri_status status = mg_sssp_cluster_fold(c->ctx, s);
    return end_round(c, "rest", "pull", 0, arcs, status);
}

static meguri_status push_rest(const mg_sssp_schedule *c, uint64_t settled) {
    mg_sssp_parts *s = c->search;
    uint64_t arcs = s->arcs;
    mg_steps_begin(&s->steps);
    for (int i = 0; i < s->state.worker_count; i++) mg_sssp_bins_empty(&s->state.workers[i]->bins);
    move_bins(s, settled);
    s->taken_count = 0;
    mg_sssp_side *side = no_front(s);
    for (uint32_t v = 0; v < s->first_leaf; v++) take(s, side, v);
    mg_sssp_cluster_push(s);
    return go_round(c, "rest", arcs);
}

/* Everybody remembers them: no messages. */
static meguri_status push_again(const mg_sssp_schedule *c, uint64_t settled) {
    mg_sssp_parts *s = c->search;
    uint64_t arcs = s->arcs;
    mg_steps_begin(&s->steps);
    move_bins(s, settled);
    mg_sssp_cluster_push_again(s, settled);
    meguri_status status = mg_sssp_cluster_fold(c->ctx, s);
    return end_round(c, "again", "push", 0, arcs, status);
}

static const mg_sssp_moves moves = {
    .steps = rounds, .push_again = push_again, .count_left = count_left, .pull = pull, .push_rest = push_rest};

/* ---- the search ------------------------------------------------------------------------------------------------- */

static void start(mg_sssp_parts *s) {
    uint64_t far = mg_sssp_far(s->real);
    for (int i = 0; i < s->shards->layout.windows; i++) {
        mg_sssp_side *side = &s->side[i];
        uint64_t places = side->window->places;
        for (uint64_t v = 0; v < places && side->sent; v++) side->sent[v] = far;
        for (uint64_t v = 0; v < places && side->labels; v++)
            side->labels[v] = (mg_sssp_wide){.distance.number = far, .parent = UINT32_MAX, .above = UINT16_MAX};
        if (side->labels) {
            memset(side->noted.words, 0, places / 8);
            side->found.count = 0;
        }
    }
    for (uint64_t v = 0; v < s->marked.bits; v++) s->pushed[v] = far;
    memset(s->marked.words, 0, s->marked.bits / 8);
    for (int i = 0; i < s->state.worker_count; i++) mg_sssp_worker_clear(s->state.workers[i]);
    s->state.per_delta = 1 / s->delta;
    s->state.most_bin = mg_sssp_most_bin(s->base.most, s->real, s->state.per_delta);
    s->state.stop = s->state.no_memory = 0;
    s->arcs = s->last_work = 0;
    s->taken_count = s->again = 0;
}

meguri_status mg_sssp_cluster_search(meguri_ctx *ctx, mg_sssp_parts *s, uint64_t g) {
    const mg_shards *shards = s->shards;
    uint64_t size = (uint64_t)shards->cluster->size;
    s->state.ctx = ctx;
    mg_steps_open(&s->steps, ctx, shards->cluster, "sssp");
    start(s);
    if (g >= shards->active) return MEGURI_OK;
    if (g % size == (uint64_t)shards->cluster->rank) {
        uint32_t v = mg_local(g / size);
        mg_sssp_wide *label = (mg_sssp_wide *)s->state.labels + v;
        label->distance.number = 0;
        mg_sssp_set_parent(label, mg_global_at(shards->position, v));
        mg_sssp_put(&s->state, s->state.workers[0], v, 0);
    }
    const mg_sssp_schedule schedule = {.moves = &moves,
                                       .ctx = ctx,
                                       .search = s,
                                       .state = &s->state,
                                       .light = s->light,
                                       .heaviest = s->heaviest,
                                       .real = s->real,
                                       .fixed = s->fixed,
                                       .out_arcs = shards->arcs,
                                       .in_arcs = shards->arcs};
    return mg_sssp_follow(&schedule);
}
