/* Shortest paths on a device to one target at a time, for questions about paths (algo/path).
 *
 * Near and far ends as soon as the target lies below the limit and nothing is near: whatever is found later is beyond
 * it. The device keeps what it had then, so that the next question from the same source finds its target there or goes
 * on. Parents of all that is final are found at the end of each search; those of others nobody reads. */
#include "algo/sssp/sssp_device.h"

struct mg_sssp_to {
    mg_sssp_device device;
    uint32_t source; /* of what the device has; MG_NO_VERTEX: nothing that can be gone on from */
};

meguri_status mg_sssp_to_new(mg_sssp_to **out, meguri_ctx *ctx, const meguri_graph *graph, const mg_rows *rows,
                             meguri_type type, double heaviest) {
    *out = mg_alloc_zero(ctx, sizeof **out, "a search");
    if (!*out) return MEGURI_NO_MEMORY;
    mg_sssp_device *s = &(*out)->device;
    (*out)->source = MG_NO_VERTEX;
    s->base.graph = graph;
    s->plan.graph = graph;
    s->weights = type;
    s->parents_wanted = true;
    s->running = 1;
    meguri_status status = mg_sssp_plan_rows(&s->plan, ctx, rows, type, heaviest);
    if (status == MEGURI_OK) status = mg_sssp_device_open(ctx, s, &mg_sssp_near_far, 1);
    if (status == MEGURI_OK) return status;
    mg_sssp_to_free(*out);
    *out = NULL;
    return status;
}

void mg_sssp_to_free(mg_sssp_to *t) {
    if (!t) return;
    mg_sssp_device_close(&t->device);
    mg_free(t);
}

/* On the same way, as far as this target. */
static meguri_status go_on(meguri_ctx *ctx, mg_sssp_to *t, uint32_t source) {
    mg_sssp_device *s = &t->device;
    bool beyond = false;
    meguri_status status = mg_sssp_device_clear(ctx, s);
    if (status == MEGURI_OK) status = mg_sssp_near_go_on(&beyond, ctx, s);
    if (status == MEGURI_OK && beyond) return mg_sssp_device_search(ctx, s, &source);
    if (status == MEGURI_OK && !s->given_up) status = mg_sssp_device_parents(ctx, s, &source);
    return status;
}

/* The distance of the target, and whether the search has gone as far as it asks for. */
static meguri_status look(uint64_t *word, bool *final, meguri_ctx *ctx, const mg_sssp_to *t, const mg_sssp_goal *goal) {
    const mg_sssp_device *s = &t->device;
    meguri_status status = mg_sssp_look(word, ctx, s, goal->target);
    *final = s->near.limit == UINT64_MAX || *word < s->near.limit || mg_sssp_device_real(s, s->near.limit) > goal->most;
    return status;
}

meguri_status mg_sssp_to_run(mg_sssp_got *got, meguri_ctx *ctx, mg_sssp_to *t, const mg_sssp_goal *goal) {
    mg_sssp_device *s = &t->device;
    meguri_status status = MEGURI_OK;
    uint64_t word = UINT64_MAX;
    const uint32_t source = goal->source;
    bool again = t->source == source, final = false;
    *got = (mg_sssp_got){.parents = s->parents_here};
    if (source >= s->rows || goal->target >= s->rows) return MEGURI_OK; /* no edges */
    t->source = MG_NO_VERTEX;
    s->goal = goal;
    const uint64_t vertices = again ? s->vertices : 0, edges = again ? s->edges : 0;
    if (again) status = look(&word, &final, ctx, t, goal);
    if (status == MEGURI_OK && !final) {
        status = again ? go_on(ctx, t, source) : mg_sssp_device_search(ctx, s, &source);
        if (status == MEGURI_OK && !s->given_up) status = look(&word, &final, ctx, t, goal);
        if (status == MEGURI_OK && !s->given_up && !s->in_parts) /* else they are here */
            status = mg_buffer_read(ctx, &s->parents, 0, s->parents_here, (uint64_t)s->rows * 4);
    }
    s->goal = NULL;
    got->vertices = s->vertices - MG_MIN(vertices, s->vertices);
    got->arcs = s->edges - MG_MIN(edges, s->edges);
    if (status != MEGURI_OK || (s->given_up && !final)) return status;
    t->source = source;
    got->there = word != UINT64_MAX && mg_sssp_device_real(s, word) <= goal->most;
    return MEGURI_OK;
}
