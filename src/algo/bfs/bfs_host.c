/* Breadth-first search on the threads of this process. */
#include "algo/bfs/bfs.h"

#include "policy/policy.h"

/* What a step has to move if every byte is moved once: neighbours, places in rows, bitmaps, what is written. */
static uint64_t step_bytes(const mg_bfs_host *s, meguri_bfs_direction way, uint64_t frontier,
                           const mg_bfs_found *found) {
    uint64_t bitmap = mg_bitmap_words(s->first_leaf) * sizeof(uint64_t);
    uint64_t written = (s->tree ? sizeof *s->tree : 0) + (s->tree_level ? sizeof *s->tree_level : 0);
    switch (way) {
    case MEGURI_BFS_DIRECTION_PUSH: return 4 * found->edges + 12 * frontier + written * found->reached;
    case MEGURI_BFS_DIRECTION_PULL: return 2 * bitmap + 4 * found->edges + (written + 4) * found->reached;
    case MEGURI_BFS_DIRECTION_FILL: return bitmap + (4 + 2 * written) * s->rows;
    }
    return 0;
}

static meguri_status trace(meguri_ctx *ctx, meguri_bfs_search *search, mg_step *line, meguri_bfs_direction way,
                           const mg_bfs_found *found) {
    line->bytes = (int64_t)step_bytes((mg_bfs_host *)search, way, (uint64_t)line->frontier, found);
    mg_trace(ctx, line);
    return MEGURI_OK;
}

/* The entries of an isolated vertex, which no search but its own reaches. */
static void mark_isolated(const mg_bfs_host *s, bool reached) {
    uint32_t position = mg_to_user(&s->numbering, s->source);
    if (s->source < s->rows) return;
    if (s->base.parent) s->base.parent[position] = reached ? position : MG_NO_VERTEX;
    if (s->base.level) s->base.level[position] = reached ? 0 : -1;
}

static meguri_status start(meguri_ctx *ctx, meguri_bfs_search *search, uint64_t position) {
    mg_bfs_host *s = (mg_bfs_host *)search;
    uint64_t words = mg_bitmap_words(s->rows);
    if (s->source != MG_NO_VERTEX) mark_isolated(s, false); /* that of an earlier search */
    uint32_t source = s->source = mg_to_internal(&s->numbering, (uint32_t)position);
    mark_isolated(s, true);
    memset(s->visited, 0, words * sizeof *s->visited);
    memset(s->previous, 0, words * sizeof *s->previous);
    memset(s->spare, 0, words * sizeof *s->spare);
    search->traced = mg_trace_on(ctx);
    search->visited_vertices = 1;
    search->unvisited = s->candidates;
    if (source < s->first_leaf && !(s->has_in && !mg_bfs_visited(s->has_in, source))) search->unvisited--;
    search->frontier = s->list.count = source < s->rows; /* nothing leaves an isolated vertex */
    search->frontier_arcs = search->visited_arcs = mg_row_end(&s->out, source) - mg_row_begin(&s->out, source);
    s->has_list = true;
    if (!search->frontier) return MEGURI_OK;
    s->list.items[0] = source;
    /* In all three: a source of degree one lies beyond the words that a pull writes. */
    s->visited[source / 64] = s->previous[source / 64] = s->spare[source / 64] = (uint64_t)1 << (source % 64);
    if (s->tree) s->tree[source] = (uint32_t)position;
    if (s->tree_level) s->tree_level[source] = 0;
    return MEGURI_OK;
}

static meguri_status step(mg_bfs_found *found, meguri_ctx *ctx, meguri_bfs_search *search, bool pull) {
    mg_bfs_host *s = (mg_bfs_host *)search;
    if (pull) {
        meguri_status status = mg_bfs_prepare_pull(ctx, search);
        if (status != MEGURI_OK) return status;
        *found = mg_bfs_pull(ctx, s, 0);
    } else {
        mg_bfs_need_list(ctx, s);
        *found = mg_bfs_push(ctx, s);
    }
    return MEGURI_OK;
}

static meguri_status finish(mg_bfs_found *found, meguri_ctx *ctx, meguri_bfs_search *search, bool limited) {
    *found = mg_bfs_finish(ctx, (mg_bfs_host *)search, limited);
    return mg_cancelled(ctx) ? mg_fail_cancelled(ctx) : MEGURI_OK;
}

/* On one thread; two divide all of it alike. */
static const mg_bfs_costs costs = {.push_arc = 0.75,
                                   .push_reach_far = 7.0,
                                   .push_reach_near = 3.0,
                                   .push_reach_long = 2.0,
                                   .push_word = 3.0,
                                   .pull_word = 1.1,
                                   .pull_vertex = 0.7,
                                   .pull_look = 0.45,
                                   .near_vertices = 1 << 19,
                                   .long_row = 128};

const mg_bfs_engine mg_bfs_on_host = {.engine = MEGURI_ENGINE_HOST,
                                      .bytes = sizeof(mg_bfs_host),
                                      .costs = &costs,
                                      .open = mg_bfs_host_open,
                                      .prepare = mg_bfs_prepare_pull,
                                      .start = start,
                                      .step = step,
                                      .finish = finish,
                                      .trace = trace,
                                      .close = mg_bfs_host_close,
                                      .check = mg_bfs_host_check};
