/* The loop of breadth-first search, the same on every engine: choose a way, step, note what it did, go on until nothing
 * is left or the limit is reached; each step with a line in the trace. What a step is, an engine knows (bfs.h).
 *
 * On a cluster every process runs this loop, and all take the same turns: what decides is a sum over all of them. */
#include "algo/bfs/bfs.h"

#include "policy/policy.h"

/* ---- notes ------------------------------------------------------------------------------------------------------ */

meguri_status mg_bfs_make_room(meguri_ctx *ctx, meguri_bfs_search *s) {
    if (s->step_count + 2 <= s->step_capacity) return MEGURI_OK;
    uint64_t capacity = s->step_capacity ? 2 * s->step_capacity : 64;
    void *grown = mg_resize(ctx, s->steps, capacity * sizeof *s->steps, "the steps of a search");
    if (!grown) return MEGURI_NO_MEMORY;
    s->steps = grown;
    s->step_capacity = capacity;
    return MEGURI_OK;
}

static meguri_status note(meguri_ctx *ctx, meguri_bfs_search *s, meguri_bfs_direction way, uint64_t frontier,
                          const mg_bfs_found *found, double seconds) {
    static const char *const names[] = {"push", "pull", "fill"};
    s->steps[s->step_count++] =
        (meguri_bfs_step){sizeof(meguri_bfs_step), frontier, found->edges, found->reached, way, seconds};
    if (!s->traced) return MEGURI_OK;
    mg_step line = MG_STEP_NONE;
    line.run = "bfs";
    line.step = (int64_t)s->step_count - 1;
    line.frontier = (int64_t)frontier;
    line.edges = (int64_t)found->edges;
    line.way = names[way];
    line.engine = meguri_engine_name(s->engine->engine);
    line.threads = (int64_t)meguri_ctx_threads(ctx);
    line.seconds = seconds;
    return s->engine->trace(ctx, s, &line, way, found);
}

/* ---- which way -------------------------------------------------------------------------------------------------- */

mg_bfs_facts mg_bfs_facts_of(const meguri_bfs_search *s, bool pulling) {
    return (mg_bfs_facts){.vertices = s->vertices,
                          .arcs = s->arcs,
                          .frontier = s->frontier,
                          .frontier_arcs = s->frontier_arcs,
                          .unvisited = s->unvisited,
                          .unvisited_arcs = s->arcs - MG_MIN(s->visited_arcs, s->arcs),
                          .rows = s->row_sample,
                          .row_count = MG_BFS_SAMPLE,
                          .pulling = pulling};
}

static bool choose_pull(const meguri_bfs_search *s, bool pulling) {
    mg_bfs_facts facts = mg_bfs_facts_of(s, pulling);
    switch (s->options.policy) {
    case MEGURI_BFS_PUSH: return false;
    case MEGURI_BFS_PULL: return true;
    case MEGURI_BFS_FORCED: {
        size_t length = strlen(s->options.directions);
        return s->options.directions[MG_MIN(s->step_count, length - 1)] == '<';
    }
    case MEGURI_BFS_P1: return mg_policy_bfs_p1(&facts, s->options.alpha, s->options.beta);
    case MEGURI_BFS_AUTO: break;
    }
    return (s->can_pull || !s->graph->directed) && mg_policy_bfs(&facts, s->costs);
}

/* ---- the search ------------------------------------------------------------------------------------------------- */

/* What all processes have found, and whether one of them wants to stop. */
static meguri_status add_up(meguri_ctx *ctx, meguri_bfs_search *s, mg_bfs_found *found) {
    meguri_status status = mg_bfs_make_room(ctx, s);
    if (mg_progress(ctx, "bfs", s->visited_vertices, s->total)) status = mg_fail_cancelled(ctx);
    return s->engine->sum ? s->engine->sum(s, status, found) : status;
}

static meguri_status step(meguri_ctx *ctx, meguri_bfs_search *s, bool pull) {
    double begin = mg_now();
    mg_bfs_found found = {0};
    uint64_t frontier = s->frontier;
    meguri_status status = s->engine->step(&found, ctx, s, pull);
    if (status == MEGURI_OK) status = add_up(ctx, s, &found);
    if (status != MEGURI_OK) return status;
    s->frontier = found.reached;
    if (found.reached) { /* else the frontier stays what it is: the last level */
        s->frontier_arcs = found.arcs;
        s->visited_vertices += found.reached;
        s->unvisited -= found.reached;
        s->visited_arcs += found.arcs;
        s->depth++;
    }
    return note(ctx, s, pull ? MEGURI_BFS_DIRECTION_PULL : MEGURI_BFS_DIRECTION_PUSH, frontier, &found,
                mg_now() - begin);
}

static meguri_status search(meguri_ctx *ctx, meguri_bfs_search *s) {
    meguri_status status = MEGURI_OK;
    uint32_t limit = s->options.max_depth;
    for (bool pull = false; s->frontier && s->unvisited && s->depth < limit && status == MEGURI_OK;) {
        pull = choose_pull(s, pull);
        status = step(ctx, s, pull);
    }
    if (status != MEGURI_OK) return status;
    double begin = mg_now();
    mg_bfs_found found = {0};
    uint64_t frontier = s->total - s->vertices; /* those that no step looks for */
    status = s->engine->finish(&found, ctx, s, s->frontier && s->depth == limit);
    if (status != MEGURI_OK) return status;
    s->visited_vertices += found.reached;
    return note(ctx, s, MEGURI_BFS_DIRECTION_FILL, frontier, &found, mg_now() - begin);
}

meguri_status mg_bfs_run(meguri_ctx *ctx, meguri_bfs_search *s, uint64_t source) {
    double begin = mg_now();
    s->from = source;
    s->depth = 0;
    s->step_count = 0;
    meguri_status status = s->engine->start(ctx, s, source);
    if (status == MEGURI_OK) status = search(ctx, s);
    s->seconds = mg_now() - begin;
    return status;
}

meguri_status mg_bfs_set_facts(meguri_ctx *ctx, meguri_bfs_search *s) {
    uint64_t edges = 0;
    for (uint64_t i = 0; i < s->step_count; i++) edges += s->steps[i].edges;
    meguri_status status = mg_result_set_number(ctx, s->result, "source", s->from);
    if (status == MEGURI_OK) status = mg_result_set_number(ctx, s->result, "reached", s->visited_vertices);
    if (status == MEGURI_OK) status = mg_result_set_number(ctx, s->result, "depth", s->depth);
    if (status == MEGURI_OK) status = mg_result_set_number(ctx, s->result, "edges", edges);
    if (status == MEGURI_OK) status = mg_result_set_real(ctx, s->result, "seconds", s->seconds);
    if (status == MEGURI_OK)
        status = mg_result_set_text(ctx, s->result, "engine", meguri_engine_name(s->engine->engine));
    return status == MEGURI_OK && s->engine->facts ? s->engine->facts(ctx, s) : status;
}
