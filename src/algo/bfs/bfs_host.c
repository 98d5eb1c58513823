/* A search on the threads of this machine: step by step, each by the way that the policy picks, each with a line in the
 * trace. */
#include "algo/bfs/bfs.h"

#include "policy/policy.h"

#include <inttypes.h>

static const char *const way_names[] = {"push", "pull", "fill"};

/* ---- steps and trace -------------------------------------------------------------------------------------------- */

/* What a step has to move if every byte is moved once: neighbours, places in rows, bitmaps, what is written. */
static uint64_t step_bytes(const meguri_bfs_search *s, meguri_bfs_way way, uint64_t frontier,
                           const mg_bfs_found *found) {
    uint64_t bitmap = mg_bitmap_words(s->core) * sizeof(uint64_t);
    uint64_t written = (s->tree ? sizeof *s->tree : 0) + (s->tree_level ? sizeof *s->tree_level : 0);
    switch (way) {
    case MEGURI_BFS_WAY_PUSH: return 4 * found->edges + 12 * frontier + written * found->reached;
    case MEGURI_BFS_WAY_PULL: return 2 * bitmap + 4 * found->edges + (written + 4) * found->reached;
    case MEGURI_BFS_WAY_FILL: return bitmap + (4 + 2 * written) * s->rows;
    }
    return 0;
}

static meguri_status note_step(meguri_ctx *ctx, meguri_bfs_search *s, meguri_bfs_way way, uint64_t frontier,
                               const mg_bfs_found *found, double seconds) {
    if (s->step_count == s->step_capacity) {
        uint64_t capacity = s->step_capacity ? 2 * s->step_capacity : 64;
        void *grown = mg_resize(ctx, s->steps, capacity * sizeof *s->steps, "the steps of a search");
        if (!grown) return MEGURI_NO_MEMORY;
        s->steps = grown;
        s->step_capacity = capacity;
    }
    s->steps[s->step_count] = (meguri_bfs_step){frontier, found->edges, found->reached, way, seconds};
    if (mg_trace_on(ctx)) {
        mg_step step = MG_STEP_NONE;
        step.run = "bfs";
        step.step = (int64_t)s->step_count;
        step.frontier = (int64_t)frontier;
        step.edges = (int64_t)found->edges;
        step.way = way_names[way];
        step.engine = "host";
        step.threads = (int64_t)meguri_ctx_threads(ctx);
        step.seconds = seconds;
        step.bytes = (int64_t)step_bytes(s, way, frontier, found);
        mg_trace(ctx, &step);
    }
    s->step_count++;
    return MEGURI_OK;
}

/* ---- which way -------------------------------------------------------------------------------------------------- */

static bool choose_pull(const meguri_bfs_search *s, bool pulling) {
    mg_bfs_facts facts = {.vertices = s->core,
                          .arcs = s->out.arcs,
                          .frontier = s->frontier,
                          .frontier_arcs = s->frontier_arcs,
                          .unvisited = s->unvisited,
                          .unvisited_arcs = s->out.arcs - MG_MIN(s->visited_arcs, s->out.arcs),
                          .rows = s->row_sample,
                          .row_count = MG_BFS_SAMPLE,
                          .pulling = pulling};
    switch (s->options.policy) {
    case MEGURI_BFS_PUSH: return false;
    case MEGURI_BFS_PULL: return true;
    case MEGURI_BFS_FORCED: {
        size_t length = strlen(s->options.ways);
        return s->options.ways[MG_MIN(s->step_count, length - 1)] == '<';
    }
    case MEGURI_BFS_P1: return mg_policy_bfs_p1(&facts, s->options.alpha, s->options.beta);
    case MEGURI_BFS_AUTO: break;
    }
    return (s->can_pull || !s->graph->directed) && mg_policy_bfs(&facts);
}

/* ---- the search ------------------------------------------------------------------------------------------------- */

static void start(meguri_bfs_search *s, uint32_t source) {
    uint64_t words = mg_bitmap_words(s->rows);
    memset(s->visited, 0, words * sizeof *s->visited);
    memset(s->previous, 0, words * sizeof *s->previous);
    memset(s->spare, 0, words * sizeof *s->spare);
    s->source = source;
    s->depth = 0;
    s->step_count = 0;
    s->visited_vertices = 1;
    s->unvisited = s->candidates;
    if (source < s->core && !(s->has_in && !mg_bfs_visited(s->has_in, source))) s->unvisited--;
    s->frontier = s->list.count = source < s->rows; /* nothing leaves an isolated vertex */
    s->frontier_arcs = s->visited_arcs = mg_row_end(&s->out, source) - mg_row_begin(&s->out, source);
    s->has_list = true;
    if (!s->frontier) return;
    s->list.items[0] = source;
    /* In all three: a source of degree one lies beyond the words that a pull writes. */
    s->visited[source / 64] = s->previous[source / 64] = s->spare[source / 64] = (uint64_t)1 << (source % 64);
    if (s->tree) s->tree[source] = mg_to_user(&s->numbering, source);
    if (s->tree_level) s->tree_level[source] = 0;
}

static meguri_status step(meguri_ctx *ctx, meguri_bfs_search *s, bool pull) {
    double begin = mg_now();
    mg_bfs_found found;
    meguri_status status = MEGURI_OK;
    if (pull) {
        status = mg_bfs_prepare_pull(ctx, s);
        if (status != MEGURI_OK) return status;
        found = mg_bfs_pull(ctx, s);
    } else {
        mg_bfs_need_list(ctx, s);
        found = mg_bfs_push(ctx, s);
    }
    if (mg_cancelled(ctx)) return mg_fail_cancelled(ctx);
    status = note_step(ctx, s, pull ? MEGURI_BFS_WAY_PULL : MEGURI_BFS_WAY_PUSH, s->frontier, &found, mg_now() - begin);
    if (status != MEGURI_OK || !found.reached) { /* the frontier stays what it is: the last level */
        s->frontier = 0;
        return status;
    }
    s->frontier = found.reached;
    s->frontier_arcs = found.arcs;
    s->visited_vertices += found.reached;
    s->unvisited -= found.reached;
    s->visited_arcs += found.arcs;
    s->depth++;
    return MEGURI_OK;
}

static meguri_status search(meguri_ctx *ctx, meguri_bfs_search *s) {
    meguri_status status = MEGURI_OK;
    uint32_t limit = s->options.levels ? s->options.levels - 1 : UINT32_MAX;
    for (bool pull = false; s->frontier && s->unvisited && s->depth < limit && status == MEGURI_OK;) {
        if (mg_progress(ctx, "bfs", s->visited_vertices, s->rows)) return mg_fail_cancelled(ctx);
        pull = choose_pull(s, pull);
        status = step(ctx, s, pull);
    }
    if (status != MEGURI_OK) return status;
    double begin = mg_now();
    mg_bfs_found found = mg_bfs_finish(ctx, s, s->frontier && s->depth == limit);
    if (mg_cancelled(ctx)) return mg_fail_cancelled(ctx);
    s->visited_vertices += found.reached;
    return note_step(ctx, s, MEGURI_BFS_WAY_FILL, s->rows - s->core, &found, mg_now() - begin);
}

/* The entries of an isolated vertex, which no search but its own reaches. */
static void mark_isolated(const meguri_bfs_search *s, uint32_t v, bool reached) {
    uint32_t position = mg_to_user(&s->numbering, v);
    if (s->parent) s->parent[position] = reached ? position : MEGURI_NO_VERTEX;
    if (s->level) s->level[position] = reached ? 0 : -1;
}

meguri_status mg_bfs_host(meguri_ctx *ctx, meguri_bfs_search *s, uint32_t source) {
    double begin = mg_now();
    if (s->source != MG_NO_VERTEX && s->source >= s->rows) mark_isolated(s, s->source, false); /* an earlier one */
    start(s, mg_to_internal(&s->numbering, source));
    if (s->source >= s->rows) mark_isolated(s, s->source, true);
    meguri_status status = search(ctx, s);
    if (status != MEGURI_OK) return status;
    uint64_t edges = 0;
    for (uint64_t i = 0; i < s->step_count; i++) edges += s->steps[i].edges;
    status = mg_result_set_number(ctx, s->result, "reached", s->visited_vertices);
    if (status == MEGURI_OK) status = mg_result_set_number(ctx, s->result, "depth", s->depth);
    if (status == MEGURI_OK) status = mg_result_set_number(ctx, s->result, "edges", edges);
    if (status == MEGURI_OK) status = mg_result_set_real(ctx, s->result, "seconds", mg_now() - begin);
    return status;
}
