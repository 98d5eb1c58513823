/* A superstep's computing: threads take words of vertices, and collect what these send, ask and add up; what a program
 * did wrong gets its sentence. */
#include "pregel/pregel.h"

#include <inttypes.h>

/* Words of vertices that a thread takes: rows may be long where all look along them, and most words have nothing to do
 * where few look, or only those compute whom a message woke. Room for messages at first. */
enum { CHUNK = 8, SPARSE_CHUNK = 64, LEAST_PARCELS = 4096 };

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

meguri_status mg_pregel_tallies_new(mg_pregel_worker *w) {
    w->threads = (int)meguri_ctx_threads(w->ctx);
    w->tallies =
        mg_alloc_array_zero(w->ctx, (uint64_t)w->threads, sizeof *w->tallies, "what threads collect of a program");
    if (!w->tallies) return MEGURI_NO_MEMORY;
    for (int i = 0; i < w->threads; i++) {
        w->tallies[i].library = w;
        w->tallies[i].more_parcels = more_parcels;
        w->tallies[i].more_questions = more_questions;
    }
    return MEGURI_OK;
}

void mg_pregel_tallies_free(mg_pregel_worker *w) {
    for (int i = 0; i < w->threads && w->tallies; i++) {
        mg_free(w->tallies[i].keys);
        mg_free(w->tallies[i].parcels);
        mg_free(w->tallies[i].questions);
    }
    mg_free(w->tallies);
    w->tallies = NULL;
}

static void compute_words(void *what, mg_worker *worker) {
    mg_pregel_worker *w = what;
    meguri_tally *t = &w->tallies[worker->number];
    meguri_kernel *kernel = w->program->kernels[w->way];
    mg_pregel_thread_enters(w);
    for (mg_range r; mg_take(worker, &r);) {
        kernel(&w->span, t, r.begin, r.end);
        mg_totals_carry(t->totals, t->total_count);
        /* The sentence comes from mg_pregel_explain, or was said where memory was missing. */
        if (t->fault) mg_loop_fail(worker, t->fault == MEGURI_FAULT_MEMORY ? MEGURI_NO_MEMORY : MEGURI_ENGINE_FAILED);
    }
    mg_pregel_thread_leaves(w);
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
                       "the program %s failed in superstep %" PRIu64
                       ": the vertex %s sends to or asks vertex number %" PRIu64 ", but there are only %" PRIu64 ".",
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

/* In parts only the home of a vertex knows its id. */
meguri_status mg_pregel_explain(mg_pregel_worker *w, meguri_status status) {
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

/* Time for each in-edge of those that have read along them, for the policy: less where they stop at the first. */
static void measure(mg_pregel_worker *w, double seconds) {
    uint64_t rows = 0;
    for (int i = 0; i < w->threads; i++) rows += w->tallies[i].rows;
    if (w->way != MEGURI_READ_FOLDED && rows > 100 * MG_PREGEL_MEASURED)
        w->costs.read_arc = seconds * 1e9 * (double)w->workers / (double)rows;
}

meguri_status mg_pregel_compute(mg_pregel_worker *w) {
    double since = mg_now();
    for (int i = 0; i < w->threads; i++) {
        meguri_tally *t = &w->tallies[i];
        t->ran = t->active = t->senders = t->arcs = t->singles = t->rows = t->parcel_count = t->question_count = 0;
    }
    w->span.sent = w->sent;
    w->span.send = w->send;
    bool sparse = w->active + (w->span.probe ? w->waiting : 0) < w->words * w->workers;
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
    measure(w, mg_now() - since);
    mg_pregel_spent(w, MG_SPLIT_COMPUTE, &since);
    return status;
}
