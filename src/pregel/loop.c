/* The supersteps of a vertex program, the same for any number of workers.
 *
 * All vertices that are awake compute; then the workers meet, with what their vertices have sent and added up; then the
 * hook of the program may stop it; then messages are delivered. It ends when all have halted and nothing was sent. */
#include "pregel/checkpoint.h"

#include <inttypes.h>

enum { PAGE = 4096 };

/* ---- meeting ---------------------------------------------------------------------------------------------------- */

static uint64_t count_waiting(const void *what, uint64_t begin, uint64_t end) {
    const mg_pregel_worker *w = what;
    uint64_t count = 0;
    for (uint64_t word = begin; word < end; word++)
        count += (uint64_t)__builtin_popcountll(w->listeners[word] & ~w->done[word]);
    return count;
}

static meguri_status add_up(mg_pregel_worker *w) {
    uint64_t sums[12] = {0};
    for (int i = 0; i < w->threads; i++) {
        const meguri_tally *t = &w->tallies[i];
        sums[0] += t->ran;
        sums[1] += t->active;
        sums[2] += t->senders;
        sums[3] += t->arcs;
        sums[4] += t->singles;
        sums[5] += t->question_count;
    }
    sums[6] = mg_sum_over(w->ctx, mg_threads(w->ctx, w->words, 1 << 14), w->words, count_waiting, w);
    /* Ranks that are threads have contexts of their own: the first asks for all whether the user has had enough. */
    if (w->run->shared && w->me == 0) sums[7] = mg_progress(w->run->ctx, "run", w->span.superstep, 0);
    sums[8] = w->me == 0 && mg_trace_on(w->run->ctx);
    /* In picoseconds: all choose by the same. */
    sums[9] = (uint64_t)(w->costs.wake_arc * 1000);
    sums[10] = (uint64_t)(w->costs.each_arc * 1000);
    sums[11] = (uint64_t)(w->costs.read_arc * 1000);
    meguri_status status = MEGURI_OK;
    if (w->cluster) status = mg_reduce_u64(w->ctx, w->cluster, &w->cluster->all, sums, 12, MG_SUM);
    w->step.computed = sums[0];
    w->active = sums[1];
    w->senders = sums[2];
    w->sent_arcs = sums[3];
    w->singles = sums[4];
    w->questions = sums[5];
    w->waiting = sums[6];
    w->step.messages = w->sent_arcs + w->singles;
    w->traced = sums[8] != 0;
    w->costs.wake_arc = (double)sums[9] / 1000 / (double)w->workers;
    w->costs.each_arc = (double)sums[10] / 1000 / (double)w->workers;
    w->costs.read_arc = (double)sums[11] / 1000 / (double)w->workers;
    return status == MEGURI_OK && sums[7] ? mg_fail_cancelled(w->ctx) : status;
}

static meguri_status meet(mg_pregel_worker *w) {
    meguri_status status = add_up(w);
    return status == MEGURI_OK ? mg_totals_collect(w) : status;
}

/* ---- one superstep after another -------------------------------------------------------------------------------- */

const char *const mg_split_names[MG_SPLIT_COUNT] = {"compute", "before", "communication", "after"};
const char *const mg_model_names[MG_MODEL_COUNT] = {"ids", "values", "bits", "questions"};
const char *const mg_wire_names[MG_WIRE_COUNT] = {"messages", "sendall", "questions", "control"};

static void put_member(mg_step_group *group, const char *name, uint64_t number) {
    group->member[group->count].name = name;
    group->member[group->count++].number = (int64_t)number;
}

static void trace(mg_pregel_worker *w, double since) {
    if (w->me != 0 || !mg_trace_on(w->run->ctx)) return;
    mg_step line = MG_STEP_NONE;
    mg_step_group groups[] = {{.name = "split_us"}, {.name = "model_bytes"}, {.name = "sent_bytes"}};
    for (int i = 0; i < MG_SPLIT_COUNT; i++)
        put_member(&groups[0], mg_split_names[i], (uint64_t)(w->step.split[i] * 1e6 + 0.5));
    for (int i = 0; i < MG_MODEL_COUNT; i++) put_member(&groups[1], mg_model_names[i], (w->step.model_bits[i] + 7) / 8);
    for (int i = 0; i < MG_WIRE_COUNT; i++) put_member(&groups[2], mg_wire_names[i], w->step.bytes[i]);
    line.active = (int64_t)w->active;
    line.groups = groups;
    line.group_count = w->cluster ? 3 : 2;
    line.run = "run";
    line.step = (int64_t)w->span.superstep;
    line.phase = w->program->name;
    line.frontier = (int64_t)w->step.computed;
    line.edges = (int64_t)w->step.messages;
    line.way = w->sent_arcs || w->singles ? w->folded ? "tiles" : meguri_delivery_name(w->delivery) : NULL;
    line.engine = w->cluster ? "cluster" : "host";
    line.threads = w->threads;
    line.seconds = mg_now() - since;
    line.bytes = w->cluster ? 0 : -1;
    for (int i = 0; i < MG_WIRE_COUNT && w->cluster; i++) line.bytes += (int64_t)w->step.bytes[i];
    line.messages = (int64_t)w->step.delivered;
    mg_trace(w->run->ctx, &line);
}

/* What all workers have delivered, where somebody wants to know now. */
static meguri_status note(mg_pregel_worker *w, double since, const mg_traffic *before) {
    mg_pregel_counts *step = &w->step, *all = &w->all;
    for (int i = 0; i < MG_SPLIT_COUNT; i++) all->split[i] += step->split[i];
    if (w->cluster) {
        uint64_t sums[1 + MG_MODEL_COUNT + MG_WIRE_COUNT] = {step->delivered}, *bytes = sums + 1 + MG_MODEL_COUNT;
        step->bytes[MG_WIRE_CONTROL] = mg_traffic_sum(w->cluster).bytes - before->bytes;
        for (int i = 0; i < MG_WIRE_CONTROL; i++) step->bytes[MG_WIRE_CONTROL] -= step->bytes[i];
        memcpy(sums + 1, step->model_bits, sizeof step->model_bits);
        memcpy(bytes, step->bytes, sizeof step->bytes);
        meguri_status status =
            mg_reduce_u64(w->ctx, w->cluster, &w->cluster->all, sums, 1 + MG_MODEL_COUNT + MG_WIRE_COUNT, MG_SUM);
        if (status == MEGURI_OK && w->traced)
            status = mg_reduce_f64(w->ctx, w->cluster, &w->cluster->all, step->split, MG_SPLIT_COUNT, MG_MAXIMUM);
        if (status != MEGURI_OK) return status;
        step->delivered = sums[0];
        memcpy(step->model_bits, sums + 1, sizeof step->model_bits);
        memcpy(step->bytes, bytes, sizeof step->bytes);
    }
    trace(w, since);
    step->seconds = mg_now() - since;
    all->supersteps++;
    all->computed += step->computed;
    all->messages += step->messages;
    all->delivered += step->delivered;
    for (int i = 0; i < MG_MODEL_COUNT; i++) all->model_bits[i] += step->model_bits[i];
    for (int i = 0; i < MG_WIRE_COUNT; i++) all->bytes[i] += step->bytes[i];
    all->seconds += step->seconds;
    return MEGURI_OK;
}

static meguri_status superstep(mg_pregel_worker *w, bool *stop) {
    const meguri_run_options *o = &w->run->options;
    double since = mg_now();
    mg_traffic before = w->cluster ? mg_traffic_sum(w->cluster) : (mg_traffic){0};
    w->step = (mg_pregel_counts){0};
    meguri_status status = mg_pregel_compute(w);
    double computed = mg_now();
    status = mg_pregel_agree(w, status);
    if (status == MEGURI_ENGINE_FAILED) return mg_pregel_explain(w, status);
    if (status == MEGURI_OK) status = meet(w);
    if (status == MEGURI_OK) status = mg_pregel_hook(w, false, stop);
    mg_pregel_spent(w, w->cluster ? MG_SPLIT_COMMUNICATION : MG_SPLIT_BEFORE, &computed);
    if (status != MEGURI_OK) return status;
    if (!w->active && !w->sent_arcs && !w->singles && !w->questions) *stop = true;
    uint64_t own = w->program->max_supersteps;
    if (own && w->span.superstep + 1 >= own) *stop = true;
    if (!*stop && o->max_supersteps && w->span.superstep + 1 >= o->max_supersteps)
        return mg_fail(w->ctx, MEGURI_ENGINE_FAILED,
                       "the program %s has not ended after %" PRIu64
                       " supersteps, which is the most that max_supersteps "
                       "allows: %" PRIu64 " vertices are active, and %" PRIu64 " messages were sent last.",
                       w->program->name, o->max_supersteps, w->active, w->step.messages);
    if (!*stop && o->checkpoint && (w->all.supersteps + 1) % (o->every ? o->every : 10) == 0)
        status = mg_checkpoint_write(w, false);
    if (status == MEGURI_OK && !*stop) status = mg_pregel_deliver(w);
    if (status == MEGURI_OK) status = note(w, since, &before);
    w->span.superstep++;
    return status;
}

/* ---- what a program needs --------------------------------------------------------------------------------------- */

/* The first write to a page costs more than what is written: all threads share it, before any superstep. */
static void touch_pages(void *block, uint64_t begin, uint64_t end) {
    for (uint64_t page = begin; page < end; page++) ((volatile char *)block)[page * PAGE] = 0;
}

static void touch(meguri_ctx *ctx, void *block, uint64_t bytes) {
    uint64_t pages = (bytes + PAGE - 1) / PAGE;
    mg_for(ctx, mg_threads(ctx, pages, 64), pages, touch_pages, block);
}

static meguri_status prepare(mg_pregel_worker *w) {
    const meguri_program *p = w->program;
    uint64_t slots = w->count + w->ghosts, words = MG_MAX(mg_bitmap_words(slots), 1);
    const char *what = "the vertices of a program";
    w->values = mg_alloc_array_zero(w->ctx, MG_MAX(w->count, 1), p->value_bytes, what);
    w->send = mg_alloc_array(w->ctx, slots, MG_MAX(p->message_bytes, 1u), what);
    w->read = mg_alloc_array(w->ctx, slots, MG_MAX(p->message_bytes, 1u), what);
    uint64_t **const bits[] = {&w->halted, &w->done, &w->awake, &w->sent, &w->seen};
    bool good = w->values && w->send && w->read;
    for (size_t i = 0; i < sizeof bits / sizeof *bits; i++) {
        *bits[i] = mg_alloc_array_zero(w->ctx, words, sizeof(uint64_t), what);
        good = good && *bits[i];
    }
    w->globals = mg_alloc_zero(w->ctx, MG_MAX(p->globals_bytes, 1u), what);
    if (!good || !w->globals) return MEGURI_NO_MEMORY;
    touch(w->ctx, w->values, w->count * p->value_bytes);
    touch(w->ctx, w->send, slots * p->message_bytes);
    touch(w->ctx, w->read, slots * p->message_bytes);
    w->memory[MG_MEMORY_GHOSTS] += 2 * w->ghosts * p->message_bytes;
    meguri_status status = mg_pregel_tallies_new(w);
    return status == MEGURI_OK ? mg_totals_new(w) : status;
}

static void release(mg_pregel_worker *w) {
    mg_totals_free(w);
    mg_pregel_tallies_free(w);
    mg_pregel_inbox_free(w);
    mg_pregel_fold_free(&w->fold);
    mg_free(w->globals);
    mg_free(w->send);
    mg_free(w->read);
    mg_free(w->packed_bits);
    mg_free(w->packed_ranks);
    mg_free(w->packed);
    mg_free(w->asked);
    mg_free(w->answers);
    uint64_t **const bits[] = {&w->halted, &w->done, &w->awake, &w->sent, &w->seen};
    for (size_t i = 0; i < sizeof bits / sizeof *bits; i++) {
        mg_free(*bits[i]);
        *bits[i] = NULL;
    }
    mg_pregel_rows_free(w);
    w->globals = NULL;
    w->send = w->read = w->packed = w->answers = NULL;
    w->packed_bits = NULL;
    w->packed_ranks = w->asked = NULL;
    w->asked_count = 0;
}

static void point_span(mg_pregel_worker *w) {
    meguri_span *s = &w->span;
    s->values = w->values;
    s->left = w->left;
    s->left_bytes = w->left_bytes;
    s->globals = w->globals;
    s->reals = w->reals;
    s->wholes = w->wholes;
    s->owns = (const void *const *)w->owns;
    s->halted = w->halted;
    s->done = w->done;
}

/* From where a checkpoint was written: what was sent is delivered now. */
static meguri_status resume(mg_pregel_worker *w) {
    double since = mg_now();
    mg_traffic before = w->cluster ? mg_traffic_sum(w->cluster) : (mg_traffic){0};
    meguri_status status = mg_checkpoint_read(w);
    w->step = (mg_pregel_counts){0};
    if (status == MEGURI_OK) status = add_up(w);
    if (status == MEGURI_OK) status = mg_pregel_deliver(w);
    if (status == MEGURI_OK) status = note(w, since, &before);
    w->span.superstep++;
    return status;
}

meguri_status mg_pregel_loop(mg_pregel_worker *w) {
    meguri_delivery how = w->run->options.delivery;
    bool packed = w->workers > 1 && (how == MEGURI_DELIVERY_SENDALL || how == MEGURI_DELIVERY_SENDALL_SOPT),
         stop = false;
    w->costs = (mg_delivery_costs)MG_DELIVERY_COSTS;
    w->missed = 0;
    w->way = MEGURI_READ_NOTHING;
    w->active = w->run->graph->vertices;
    meguri_status status = mg_pregel_rows(w, packed);
    if (status == MEGURI_OK) status = mg_pregel_agree(w, prepare(w));
    if (status == MEGURI_OK) point_span(w);
    if (status == MEGURI_OK) status = w->manifest ? resume(w) : mg_pregel_hook(w, true, &stop);
    while (status == MEGURI_OK && !stop) status = superstep(w, &stop);
    release(w);
    mg_free(w->left);
    w->left = w->values;
    w->left_bytes = w->program->value_bytes;
    w->values = NULL;
    return status;
}
