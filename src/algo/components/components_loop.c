/* The loop of components, the same on threads and on a device: sample until the giant is large enough, link the rest,
 * compress; each phase with a line in the trace (components.h says why that is enough). What a phase is, an engine
 * knows. */
#include "algo/components/components.h"

#include "policy/policy.h"

#define NEIGHBORS 3 /* of each row that are sampled at most */

double mg_components_begin(mg_components *c, const char *phase) {
    c->phase = phase;
    if (c->engine->moved) c->moved = c->engine->moved(c);
    mg_progress(c->ctx, phase, 0, c->rows);
    return mg_now();
}

meguri_status mg_components_end(mg_components *c, const char *way, uint64_t frontier, uint64_t edges, uint64_t bytes,
                                double since) {
    if (mg_cancelled(c->ctx)) return mg_fail_cancelled(c->ctx);
    mg_step step = MG_STEP_NONE;
    step.run = "components";
    step.step = c->step++;
    step.phase = c->phase;
    step.frontier = (int64_t)frontier;
    step.edges = (int64_t)edges;
    step.way = way;
    step.engine = meguri_engine_name(c->engine->engine);
    step.seconds = mg_now() - since;
    if (c->engine->moved) step.bytes = (int64_t)(c->engine->moved(c) - c->moved);
    else {
        step.bytes = (int64_t)bytes;
        step.threads = (int64_t)meguri_ctx_threads(c->ctx);
    }
    if (mg_trace_on(c->ctx)) mg_trace(c->ctx, &step);
    return MEGURI_OK;
}

static meguri_status compress(mg_components *c) {
    double since = mg_components_begin(c, "compress");
    meguri_status status = c->engine->compress(c);
    if (status != MEGURI_OK) return status;
    return mg_components_end(c, NULL, c->rows, 0, 12 * (uint64_t)c->rows, since);
}

static meguri_status sample_one(mg_components *c) {
    double since = mg_components_begin(c, "sample");
    uint64_t edges = 0;
    meguri_status status = c->engine->sample(&edges, c);
    if (status != MEGURI_OK) return status;
    c->edges += edges;
    return mg_components_end(c, c->neighbor ? "join" : "first", c->rows, edges,
                             4 * edges + (c->out.offsets32 ? 8 : 12) * (uint64_t)c->rows, since);
}

static meguri_status sample(mg_components *c) {
    meguri_status status = MEGURI_OK;
    for (c->neighbor = 0; c->neighbor < NEIGHBORS && status == MEGURI_OK; c->neighbor++) {
        status = sample_one(c);
        if (status == MEGURI_OK) status = compress(c);
        if (status == MEGURI_OK && !mg_policy_components_sample(c->rows, c->members, c->out.arcs)) break;
    }
    return status;
}

static meguri_status link_rest(mg_components *c) {
    double since = mg_components_begin(c, "link");
    uint64_t edges = 0, outside = c->rows - c->members;
    meguri_status status = c->engine->link(&edges, c);
    if (status != MEGURI_OK) return status;
    c->edges += edges;
    return mg_components_end(c, c->graph->directed ? "filter" : "skip", outside, edges, 4 * edges, since);
}

static meguri_status settle(mg_components *c) {
    double since = mg_components_begin(c, "compress");
    uint64_t outside = c->rows - c->members;
    meguri_status status = c->engine->settle(c);
    if (status != MEGURI_OK) return status;
    return mg_components_end(c, NULL, outside, 0, 8 * outside + c->rows / 8, since);
}

meguri_status mg_components_find(mg_components *c) {
    c->components = c->graph->vertices - c->rows;
    if (!c->rows) return MEGURI_OK;
    meguri_status status = sample(c);
    /* Among the rows of an undirected graph, none outside means that nothing is left to do. */
    if (status == MEGURI_OK && (c->graph->directed || c->members < c->rows)) status = link_rest(c);
    return status == MEGURI_OK ? settle(c) : status;
}
