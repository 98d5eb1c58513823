/* The supersteps of a vertex program, the same for any number of workers.
 *
 * All vertices that are awake compute; then the workers meet, with what their vertices have sent and added up; then the
 * hook of the program may stop it; then messages are delivered. It ends when all have halted and nothing was sent. */
#include "pregel/checkpoint.h"

#include <inttypes.h>

/* Words of vertices that a thread takes: rows may be long where all look along them, and most words have nothing to do
 * where only those compute whom a message woke. Room for messages at first. */
enum { CHUNK = 8, SPARSE_CHUNK = 64, LEAST_PARCELS = 4096 };

/* ---- threads and what they collect ------------------------------------------------------------------------------ */

static int more_parcels(meguri_tally *t) {
    mg_pregel_worker *w = t->library;
    uint64_t room = MG_MAX(2 * t->parcel_room, LEAST_PARCELS);
    uint64_t *keys = mg_resize(w->ctx, t->keys, room * sizeof *keys, "messages to vertices");
    if (keys) t->keys = keys;
    char *parcels =
        keys ? mg_resize(w->ctx, t->parcels, room * MG_MAX(w->program->parcel_bytes, 1), "messages to vertices") : NULL;
    if (parcels) t->parcels = parcels;
    if (!parcels) return 0;
    t->parcel_room = room;
    return 1;
}

static int more_questions(meguri_tally *t) {
    mg_pregel_worker *w = t->library;
    uint64_t room = MG_MAX(2 * t->question_room, LEAST_PARCELS);
    uint32_t *questions = mg_resize(w->ctx, t->questions, room * sizeof *questions, "questions to vertices");
    if (!questions) return 0;
    t->questions = questions;
    t->question_room = room;
    return 1;
}

static void compute_words(void *what, mg_worker *worker) {
    mg_pregel_worker *w = what;
    meguri_tally *t = &w->tallies[worker->number];
    meguri_kernel *kernel = w->program->kernels[w->way];
    for (mg_range r; mg_take(worker, &r);) {
        kernel(&w->span, t, r.begin, r.end);
        mg_totals_carry(t->totals, t->total_count);
        /* The sentence comes from explain, or was said where memory was missing. */
        if (t->fault) mg_loop_fail(worker, t->fault == MEGURI_FAULT_MEMORY ? MEGURI_NO_MEMORY : MEGURI_ENGINE_FAILED);
    }
}

/* What a program did wrong; 0: nothing that needs a sentence. */
typedef struct fault {
    uint64_t kind, vertex, number;
    char text[256];
} fault;

/* The first of this worker, by vertex, so that it is the same at any number of threads where one vertex is at fault. */
static fault first_fault(const mg_pregel_worker *w) {
    fault first = {.vertex = UINT64_MAX};
    for (int i = 0; i < w->threads; i++) {
        const meguri_tally *t = &w->tallies[i];
        if (!t->fault || t->fault == MEGURI_FAULT_MEMORY || t->fault_vertex >= first.vertex) continue;
        first = (fault){.kind = (uint64_t)t->fault, .vertex = t->fault_vertex, .number = t->fault_number};
        memcpy(first.text, t->fault_text, sizeof first.text);
    }
    return first;
}

static meguri_status say_fault(mg_pregel_worker *w, const fault *f, const char *id) {
    const char *name = w->program->name;
    uint64_t step = w->span.superstep;
    mg_begin(w->ctx); /* all have agreed on a failure without a sentence */
    switch (f->kind) {
    case MEGURI_FAULT_MISSING:
        return mg_fail(w->ctx, MEGURI_ENGINE_FAILED,
                       "the program %s failed in superstep %" PRIu64 ": the vertex %s sends to vertex number %" PRIu64
                       ", but there are only %" PRIu64 ".",
                       name, step, id, f->number, w->run->graph->vertices);
    case MEGURI_FAULT_TOTAL:
        return mg_fail(w->ctx, MEGURI_ENGINE_FAILED,
                       "the program %s failed in superstep %" PRIu64 ": it has no aggregator %" PRIu64
                       " of the kind that it adds to.",
                       name, step, f->number);
    default:
        return mg_fail(w->ctx, MEGURI_ENGINE_FAILED,
                       "the program %s failed in superstep %" PRIu64 " at vertex %s: %.255s", name, step, id, f->text);
    }
}

/* All workers have agreed that this superstep failed: the first fault of all of them gets its sentence. In parts only
 * the home of a vertex knows its id. */
static meguri_status explain(mg_pregel_worker *w, meguri_status status) {
    fault f = first_fault(w);
    char id[MG_ID_TEXT];
    if (w->cluster) {
        uint64_t least = f.vertex, who = w->me;
        meguri_status met = mg_reduce_u64(w->ctx, w->cluster, &w->cluster->all, &least, 1, MG_MINIMUM);
        if (met == MEGURI_OK && f.vertex != least) who = UINT64_MAX;
        if (met == MEGURI_OK) met = mg_reduce_u64(w->ctx, w->cluster, &w->cluster->all, &who, 1, MG_MINIMUM);
        if (met == MEGURI_OK) met = mg_broadcast(w->ctx, w->cluster, &w->cluster->all, (int)who, &f, sizeof f);
        if (met != MEGURI_OK) return met;
    }
    if (!f.kind || f.vertex >= w->run->graph->vertices) return status;
    if (w->run->graph->elsewhere) {
        meguri_status met = mg_shards_id_text(id, w->ctx, mg_shards_of(w->run->graph), f.vertex);
        if (met != MEGURI_OK) return met;
    } else mg_graph_id_text(id, w->ctx, w->run->graph, (uint32_t)f.vertex);
    return say_fault(w, &f, id);
}

static meguri_status compute(mg_pregel_worker *w) {
    double since = mg_now();
    for (int i = 0; i < w->threads; i++) {
        meguri_tally *t = &w->tallies[i];
        t->ran = t->active = t->senders = t->arcs = t->singles = t->parcel_count = t->question_count = 0;
    }
    w->span.sent = w->sent;
    w->span.send = w->send;
    bool sparse = w->span.awake && !w->span.probe && w->span.superstep && !w->active;
    mg_loop loop = {.ctx = w->ctx,
                    .threads = MG_MIN(mg_threads(w->ctx, w->words, CHUNK), w->threads),
                    .items = w->words,
                    .chunk = sparse ? SPARSE_CHUNK : CHUNK,
                    .work = compute_words,
                    .what = w,
                    .phase = "run",
                    .done = w->span.superstep,
                    .steady = true};
    mg_pregel_enter(w);
    meguri_status status = mg_loop_run(&loop);
    mg_pregel_leave(w);
    mg_pregel_spent(w, MG_SPLIT_COMPUTE, &since);
    return status;
}

/* ---- meeting ---------------------------------------------------------------------------------------------------- */

static uint64_t count_done(const void *what, uint64_t begin, uint64_t end) {
    const mg_pregel_worker *w = what;
    uint64_t count = 0;
    for (uint64_t word = begin; word < end; word++) count += (uint64_t)__builtin_popcountll(w->done[word]);
    return count;
}

static meguri_status add_up(mg_pregel_worker *w) {
    uint64_t sums[9] = {0};
    for (int i = 0; i < w->threads; i++) {
        const meguri_tally *t = &w->tallies[i];
        sums[0] += t->ran;
        sums[1] += t->active;
        sums[2] += t->senders;
        sums[3] += t->arcs;
        sums[4] += t->singles;
        sums[5] += t->question_count;
    }
    sums[6] = mg_sum_over(w->ctx, 1, w->words, count_done, w);
    /* Ranks that are threads have contexts of their own: the first asks for all whether the user has had enough. */
    if (w->run->shared && w->me == 0) sums[7] = mg_progress(w->run->ctx, "run", w->span.superstep, 0);
    sums[8] = w->me == 0 && mg_trace_on(w->run->ctx);
    meguri_status status = MEGURI_OK;
    if (w->cluster) status = mg_reduce_u64(w->ctx, w->cluster, &w->cluster->all, sums, 9, MG_SUM);
    w->step.computed = sums[0];
    w->active = sums[1];
    w->senders = sums[2];
    w->sent_arcs = sums[3];
    w->singles = sums[4];
    w->questions = sums[5];
    w->waiting = w->run->graph->vertices - sums[6];
    w->step.messages = w->sent_arcs + w->singles;
    w->traced = sums[8] != 0;
    return status == MEGURI_OK && sums[7] ? mg_fail_cancelled(w->ctx) : status;
}

static meguri_status meet(mg_pregel_worker *w) {
    meguri_status status = add_up(w);
    return status == MEGURI_OK ? mg_totals_collect(w) : status;
}

/* ---- hooks: the first worker runs them, and all have what it says ------------------------------------------------ */

typedef struct verdict {
    int stop, failed;
    uint32_t looked_up; /* bytes of an id that the hook asks for, and goes on; 0: it has ended */
    char error[256];
} verdict;

/* In parts all look a vertex up together: the first has sent its verdict, and now what it is called. */
static meguri_status look_up(mg_pregel_worker *w, const char *id, uint32_t bytes, uint64_t *found) {
    char *text = NULL;
    meguri_status status = MEGURI_OK;
    if (bytes) {
        text = mg_alloc(w->ctx, bytes, "the id of a vertex");
        status = mg_agree(w->ctx, w->cluster, text ? MEGURI_OK : MEGURI_NO_MEMORY);
        if (status == MEGURI_OK && id) memcpy(text, id, bytes);
        if (status == MEGURI_OK) status = mg_broadcast(w->ctx, w->cluster, &w->cluster->all, 0, text, bytes);
        if (status == MEGURI_OK && text[bytes - 1]) status = mg_strange(w->ctx, w->cluster, "an id without an end");
    }
    if (status == MEGURI_OK) status = meguri_graph_find_text(found, w->ctx, w->run->graph, bytes ? text : id);
    mg_free(text);
    return status;
}

static int find(meguri_master *m, const char *id, uint32_t *vertex) {
    mg_pregel_worker *w = m->library;
    verdict v = {0};
    uint64_t found = 0;
    if (!id || !vertex || strlen(id) >= UINT32_MAX) return 0;
    if (w->run->parts && w->cluster) {
        v.looked_up = (uint32_t)strlen(id) + 1;
        if (mg_broadcast(w->ctx, w->cluster, &w->cluster->all, 0, &v, sizeof v) != MEGURI_OK) return 0;
    }
    meguri_status status = look_up(w, id, v.looked_up, &found);
    mg_begin(w->ctx); /* what that has said is the hook's business */
    if (status == MEGURI_OK) *vertex = (uint32_t)found;
    return status == MEGURI_OK;
}
static double real(const meguri_master *m, uint32_t i) {
    const mg_pregel_worker *w = m->library;
    return i < w->program->aggregator_count ? w->reals[i] : 0;
}
static int64_t whole(const meguri_master *m, uint32_t i) {
    const mg_pregel_worker *w = m->library;
    return i < w->program->aggregator_count ? w->wholes[i] : 0;
}
static const void *own(const meguri_master *m, uint32_t i) {
    const mg_pregel_worker *w = m->library;
    return i < w->program->aggregator_count ? w->owns[i] : NULL;
}

/* What the first worker says, once its hook has ended; until then the others help it to look up vertices. */
static meguri_status hear_verdict(mg_pregel_worker *w, verdict *v) {
    for (;;) {
        uint64_t ignored;
        meguri_status status = mg_broadcast(w->ctx, w->cluster, &w->cluster->all, 0, v, sizeof *v);
        if (status != MEGURI_OK || w->me == 0 || !v->looked_up) return status;
        look_up(w, NULL, v->looked_up, &ignored);
        if (w->cluster->failed) return MEGURI_ENGINE_FAILED;
        mg_begin(w->ctx);
    }
}

static meguri_status call_hook(mg_pregel_worker *w, bool first, bool *stop) {
    const meguri_program *p = w->program;
    const meguri_run_options *o = &w->run->options;
    if (first ? !p->begin : !p->between) return MEGURI_OK;
    verdict v = {0};
    meguri_status status = MEGURI_OK;
    if (w->me == 0) {
        meguri_master m = {.superstep = first ? 0 : w->span.superstep + 1,
                           .vertices = w->run->graph->vertices,
                           .edges = w->run->graph->arcs,
                           .active = w->active,
                           .messages = first ? 0 : w->step.messages,
                           .library = w,
                           .find = find,
                           .real = real,
                           .whole = whole,
                           .own = own};
        mg_pregel_enter(w);
        if (first) v.failed = p->begin(&m, w->globals, o->argc, o->argv);
        else p->between(&m, w->globals);
        mg_pregel_leave(w);
        v.stop = m.stop;
        memcpy(v.error, m.error, sizeof v.error - 1);
    }
    if (w->cluster) status = hear_verdict(w, &v);
    if (status == MEGURI_OK && w->cluster && p->globals_bytes)
        status = mg_broadcast(w->ctx, w->cluster, &w->cluster->all, 0, w->globals, p->globals_bytes);
    v.error[sizeof v.error - 1] = '\0';
    *stop = v.stop != 0;
    if (status == MEGURI_OK && (v.failed || v.error[0]))
        return mg_fail(w->ctx, first ? MEGURI_BAD_ARGUMENT : MEGURI_ENGINE_FAILED, "the program %s: %s", p->name,
                       v.error[0] ? v.error : "it cannot begin, and does not say why.");
    return status;
}

/* ---- delivery --------------------------------------------------------------------------------------------------- */

/* Hubs as ghosts, all others each message on its own. */
static meguri_status deliver_mirrors(mg_pregel_worker *w) {
    const meguri_graph *graph = w->run->graph;
    uint64_t least = mg_policy_mirror_degree(graph->vertices, graph->arcs, w->workers), hubs = 0;
    uint64_t *others = mg_alloc_array_zero(w->ctx, w->words, sizeof *others, "senders without mirrors");
    meguri_status status = mg_pregel_agree(w, others ? MEGURI_OK : MEGURI_NO_MEMORY);
    for (uint64_t word = 0; word < w->words && status == MEGURI_OK; word++) {
        for (uint64_t bits = w->sent[word]; bits; bits &= bits - 1) {
            uint32_t row = mg_pregel_row(w, word * 64 + (uint64_t)__builtin_ctzll(bits));
            if (mg_row_end(&w->out, row) - mg_row_begin(&w->out, row) < least) others[word] |= bits & (0 - bits);
            else hubs++;
        }
        w->sent[word] &= ~others[word];
    }
    w->senders = hubs;
    if (status == MEGURI_OK) status = mg_pregel_inbox(w, others, false);
    if (status == MEGURI_OK) status = mg_pregel_pull(w, MEGURI_DELIVERY_MIRROR);
    mg_free(others);
    w->way = MEGURI_READ_BOTH;
    return status;
}

static meguri_status deliver(mg_pregel_worker *w) {
    meguri_delivery how = w->run->options.delivery;
    if (how == MEGURI_DELIVERY_SENDALL_SOPT && mg_policy_sopt(w->senders, w->run->graph->vertices))
        how = MEGURI_DELIVERY_NORMAL;
    bool each = how == MEGURI_DELIVERY_NORMAL || how == MEGURI_DELIVERY_COMBINE;
    meguri_status status = MEGURI_OK;
    mg_pregel_inbox_free(w);
    w->way = MEGURI_READ_NOTHING;
    w->woke = w->folded = false;
    w->span.awake = NULL;
    w->span.probe = 0;
    if (w->program->respond) status = mg_pregel_ask(w);
    if (status != MEGURI_OK || !(w->sent_arcs || w->singles)) return status;
    memset(w->awake, 0, w->words * sizeof *w->awake);
    if (w->sent_arcs && how == MEGURI_DELIVERY_MIRROR) status = deliver_mirrors(w);
    else {
        if (w->singles || each) status = mg_pregel_inbox(w, each ? w->sent : NULL, how == MEGURI_DELIVERY_COMBINE);
        if (status == MEGURI_OK && w->sent_arcs && !each) {
            status = mg_pregel_pull(w, how);
            if (w->singles) w->way = MEGURI_READ_BOTH;
        }
    }
    if (how == MEGURI_DELIVERY_AUTO)
        how = !w->sent_arcs ? MEGURI_DELIVERY_NORMAL : w->woke ? MEGURI_DELIVERY_LIST : MEGURI_DELIVERY_GHOST;
    w->delivery = how;
    return status;
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
    meguri_status status = compute(w);
    double computed = mg_now();
    status = mg_pregel_agree(w, status);
    if (status == MEGURI_ENGINE_FAILED) return explain(w, status);
    if (status == MEGURI_OK) status = meet(w);
    if (status == MEGURI_OK) status = call_hook(w, false, stop);
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
    if (status == MEGURI_OK && !*stop) status = deliver(w);
    if (status == MEGURI_OK) status = note(w, since, &before);
    w->span.superstep++;
    return status;
}

/* ---- what a program needs --------------------------------------------------------------------------------------- */

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
    w->threads = (int)meguri_ctx_threads(w->ctx);
    w->tallies = mg_alloc_array_zero(w->ctx, (uint64_t)w->threads, sizeof *w->tallies, what);
    w->globals = mg_alloc_zero(w->ctx, MG_MAX(p->globals_bytes, 1u), what);
    if (!good || !w->tallies || !w->globals) return MEGURI_NO_MEMORY;
    w->memory[MG_MEMORY_GHOSTS] += 2 * w->ghosts * p->message_bytes;
    for (int i = 0; i < w->threads; i++) {
        w->tallies[i].library = w;
        w->tallies[i].more_parcels = more_parcels;
        w->tallies[i].more_questions = more_questions;
    }
    return mg_totals_new(w);
}

static void release(mg_pregel_worker *w) {
    mg_totals_free(w);
    for (int i = 0; i < w->threads && w->tallies; i++) {
        mg_free(w->tallies[i].keys);
        mg_free(w->tallies[i].parcels);
        mg_free(w->tallies[i].questions);
    }
    mg_pregel_inbox_free(w);
    mg_pregel_fold_free(&w->fold);
    mg_free(w->tallies);
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
    w->tallies = NULL;
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
    if (status == MEGURI_OK) status = deliver(w);
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
    if (status == MEGURI_OK) status = w->manifest ? resume(w) : call_hook(w, true, &stop);
    while (status == MEGURI_OK && !stop) status = superstep(w, &stop);
    release(w);
    mg_free(w->left);
    w->left = w->values;
    w->left_bytes = w->program->value_bytes;
    w->values = NULL;
    return status;
}
