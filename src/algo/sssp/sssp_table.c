/* Distances from many sources to some targets, a row for each source. As in sssp_many.c every thread searches alone,
 * and rows are handed over in the order of the sources; but a search ends as soon as the distances of all targets are
 * final (goals_met in sssp_steps.c), and of its labels only those of the targets are read. */
#include "algo/sssp/sssp.h"

/* What a thread searches with. */
typedef struct seeker {
    mg_sssp_state state;
    meguri_result *result;
    void *distance; /* of each target; the result's */
} seeker;

/* Threads take the next source, and hand over their rows in turn. */
typedef struct table {
    meguri_ctx *ctx;
    const meguri_graph *graph;
    const uint64_t *sources, *targets;
    uint64_t source_count, target_count;
    mg_sssp_plan plan;
    uint32_t *goals; /* internal numbers of the targets that have edges */
    uint64_t goal_count;
    seeker *seekers; /* one for each thread */
    int threads;
    meguri_result_take take;
    void *user;
    mg_turns turns;
    meguri_status status;
} table;

/* ---- a row ------------------------------------------------------------------------------------------------------ */

/* A vertex without edges reaches itself, and nothing reaches it. */
static mg_sssp_distance distance_of(const table *t, const seeker *s, uint64_t source, uint64_t target) {
    uint32_t v = mg_to_internal(&t->plan.numbering, (uint32_t)target);
    if (source == target) return (mg_sssp_distance){.number = 0}; /* and the double 0 */
    if (v < t->plan.rows && mg_to_internal(&t->plan.numbering, (uint32_t)source) < t->plan.rows)
        return s->state.hot->distance_of(&t->plan, s->state.labels, v);
    return (mg_sssp_distance){.number = mg_sssp_far(t->plan.real)};
}

static meguri_status tell(const table *t, seeker *s, uint64_t source, uint64_t edges, double seconds) {
    meguri_result *r = s->result;
    uint64_t reached = 0;
    mg_sssp_distance farthest = {.number = 0};
    for (uint64_t i = 0; i < t->target_count; i++) {
        mg_sssp_distance d = distance_of(t, s, source, t->targets[i]);
        ((uint64_t *)s->distance)[i] = d.number;
        if (d.number == mg_sssp_far(t->plan.real)) continue;
        reached++;
        farthest.number = MG_MAX(farthest.number, d.number); /* doubles are in the order of their bits */
    }
    meguri_status status = mg_sssp_declare(t->ctx, t->graph, s->distance, t->target_count, &farthest);
    if (status == MEGURI_OK) status = mg_result_set_number(t->ctx, r, "source", source);
    if (status == MEGURI_OK) status = mg_result_set_number(t->ctx, r, "reached", reached);
    if (status == MEGURI_OK)
        status = mg_sssp_type(t->graph) == MEGURI_TYPE_F64
                     ? mg_result_set_real(t->ctx, r, "farthest", farthest.real)
                     : mg_result_set_number(t->ctx, r, "farthest", farthest.number);
    if (status == MEGURI_OK) status = mg_result_set_number(t->ctx, r, "edges", edges);
    if (status == MEGURI_OK) status = mg_result_set_real(t->ctx, r, "delta", t->plan.delta);
    if (status == MEGURI_OK) status = mg_result_set_real(t->ctx, r, "seconds", seconds);
    if (status == MEGURI_OK) status = mg_result_set_text(t->ctx, r, "engine", meguri_engine_name(MEGURI_ENGINE_HOST));
    return status;
}

static meguri_status make_row(const table *t, seeker *s, uint64_t source) {
    double since = mg_now();
    uint32_t v = mg_to_internal(&t->plan.numbering, (uint32_t)source);
    bool alone = v >= t->plan.rows;
    meguri_status status = alone ? MEGURI_OK : mg_sssp_host(t->ctx, &s->state, v);
    if (status == MEGURI_OK && mg_cancelled(t->ctx)) status = mg_fail_cancelled(t->ctx);
    return status == MEGURI_OK ? tell(t, s, source, alone ? 0 : s->state.arcs, mg_now() - since) : status;
}

/* A row that a thread has made, for the one that called to hand over. */
typedef struct made {
    table *table;
    uint64_t index;
    const seeker *seeker;
    meguri_status status;
} made;

static void hand_over(void *what) {
    const made *m = what;
    table *t = m->table;
    meguri_status status = m->status;
    if (status == MEGURI_OK) status = mg_load(&t->status);
    if (status == MEGURI_OK) status = mg_sssp_hand_over(t->ctx, m->seeker->result, m->index, t->take, t->user);
    if (status != MEGURI_OK) mg_compare_swap(&t->status, MEGURI_OK, status);
}

static void work(void *what, mg_worker *self) {
    table *t = what;
    seeker *s = &t->seekers[self->number];
    MG_TURNING(turning, &t->turns, self, "sssp", t->source_count);
    for (uint64_t i; (i = mg_turns_take(&t->turns)) < t->source_count;) {
        meguri_status status = mg_load(&t->status);
        if (status == MEGURI_OK && mg_progress(t->ctx, "sssp", i, t->source_count)) status = mg_fail_cancelled(t->ctx);
        if (status == MEGURI_OK) status = make_row(t, s, t->sources[i]);
        made m = {t, i, s, status};
        if (!mg_turning_hand(&turning, i, hand_over, &m)) break;
    }
    mg_turning_end(&turning);
}

/* ---- all of them ------------------------------------------------------------------------------------------------ */

static meguri_status find_goals(table *t) {
    t->goals = mg_alloc_array(t->ctx, t->target_count, sizeof *t->goals, "the targets of a table");
    if (!t->goals) return MEGURI_NO_MEMORY;
    for (uint64_t i = 0; i < t->target_count; i++) {
        uint32_t v = mg_to_internal(&t->plan.numbering, (uint32_t)t->targets[i]);
        if (v < t->plan.rows) t->goals[t->goal_count++] = v;
    }
    return MEGURI_OK;
}

static meguri_status open_seeker(table *t, seeker *s) {
    meguri_type type = mg_sssp_type(t->graph);
    meguri_status status = mg_sssp_state_open(&s->state, t->ctx, &t->plan, 1);
    s->state.goals = t->goals;
    s->state.goal_count = t->goal_count;
    if (status == MEGURI_OK) status = mg_result_new(&s->result, t->ctx);
    if (status != MEGURI_OK) return status;
    mg_result_set_kind(s->result, MEGURI_TABLE_ROWS);
    s->distance = mg_alloc_array(t->ctx, t->target_count, sizeof(uint64_t), "a row of distances");
    if (!s->distance) return MEGURI_NO_MEMORY;
    status = mg_result_own(t->ctx, s->result, s->distance);
    if (status != MEGURI_OK) return status;
    return mg_result_add_column(t->ctx, s->result, "distance", type, s->distance, t->target_count, sizeof(uint64_t));
}

static meguri_status run(table *t, const meguri_graph *graph, const meguri_sssp_options *options) {
    meguri_status status = mg_sssp_plan_make(&t->plan, t->ctx, graph, options, t->source_count > 1);
    if (status == MEGURI_OK) status = find_goals(t);
    if (status != MEGURI_OK) return status;
    int threads = mg_sssp_threads_that_fit(t->ctx, graph, t->source_count);
    t->seekers = mg_alloc_array_zero(t->ctx, (uint64_t)threads, sizeof *t->seekers, "searches");
    if (!t->seekers) return MEGURI_NO_MEMORY;
    for (; t->threads < threads && status == MEGURI_OK; t->threads++) status = open_seeker(t, &t->seekers[t->threads]);
    if (status != MEGURI_OK) return status;
    mg_run_together(t->ctx, threads, work, t);
    return t->status;
}

meguri_status meguri_sssp_table(meguri_ctx *ctx, const meguri_graph *graph, const uint64_t *sources,
                                uint64_t source_count, const uint64_t *targets, uint64_t target_count,
                                const meguri_sssp_options *options, meguri_result_take take, void *user) {
    if (!ctx) return MEGURI_BAD_ARGUMENT;
    mg_begin(ctx);
    if (!graph || !take || (!sources && source_count) || (!targets && target_count))
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT,
                       "meguri_sssp_table: `graph`, `sources`, `targets` and `take` must not be NULL.");
    meguri_sssp_options chosen;
    const meguri_graph *weighted = NULL;
    meguri_engine engine;
    meguri_status status = mg_sssp_read_options(&chosen, ctx, options);
    if (status == MEGURI_OK)
        status = mg_pick_engine(&engine, ctx, graph, chosen.engine, "a table of sources and targets",
                                1u << MEGURI_ENGINE_HOST);
    if (status == MEGURI_OK) status = mg_sssp_check_list(ctx, graph, sources, source_count, "sources");
    if (status == MEGURI_OK) status = mg_sssp_check_list(ctx, graph, targets, target_count, "targets");
    if (status == MEGURI_OK) status = mg_graph_weighted(&weighted, ctx, graph, chosen.weight);
    if (status != MEGURI_OK || !source_count) {
        mg_graph_let_go(weighted);
        return status;
    }
    table t = {.ctx = ctx,
               .graph = weighted,
               .sources = sources,
               .source_count = source_count,
               .targets = targets,
               .target_count = target_count,
               .take = take,
               .user = user,
               .turns = MG_TURNS_NEW};
    status = run(&t, weighted, &chosen);
    for (int i = t.threads; i-- > 0;) {
        meguri_result_free(t.seekers[i].result);
        mg_sssp_state_close(&t.seekers[i].state);
    }
    mg_free(t.seekers);
    mg_free(t.goals);
    mg_graph_let_go(weighted);
    return status;
}
