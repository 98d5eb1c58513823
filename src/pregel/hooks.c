/* Hooks of a program, before the first superstep and between supersteps: the first worker runs them, and all have what
 * it says. */
#include "pregel/pregel.h"

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

meguri_status mg_pregel_hook(mg_pregel_worker *w, bool first, bool *stop) {
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
