/* All paths of a question, depth first: those without an edge twice, and those without a vertex twice.
 *
 * The walk stays in the world of the question, so that every arc it sees lies on some way that is short enough; a step
 * is taken only if the hops (and the cost) from there to the target still fit into the limits. What is kept is one path
 * and the place in each row on it: memory does not depend on the number of paths.
 *
 * More is needed than that: a branch may be cut off from the target by the path itself, and be searched in vain again
 * and again. A bar for each vertex, a lower bound on its hops to the target around the path as it is, prevents that
 * (after Peng et al., Towards Bridging Theory and Practice: Hop-Constrained s-t Simple Path Enumeration, VLDB 2020). A
 * vertex left in vain with r hops to spare gets the bar r + 1. That holds as long as the path before it stays. When a
 * vertex leaves the path after success, the bars of those that reach the target through it are lowered: they may have
 * been raised because it was in the way. (When it leaves in vain, it is farther from the target than any bar that was
 * raised meanwhile says.) The same holds for edges in place of vertices, if they are followed one way only. A limit on
 * cost can be why a branch fails, which says nothing about hops; there bars are not used. */
#include "algo/path/path_world.h"

#include <math.h>

#define NO_HOPS UINT32_MAX

/* A vertex of the path. */
typedef struct frame {
    uint64_t next; /* the place in its row */
    double cost;   /* up to here */
    uint32_t vertex;
    uint32_t best; /* the fewest hops from here to the target that were found; NO_HOPS: none */
} frame;

typedef struct walk {
    mg_path_question *question;
    const mg_path_world *world;
    mg_path_wanted *wanted;
    uint32_t most;  /* hops of a path; becomes fewer where only the shortest is looked for */
    frame *frames;  /* frames[0] is `from` */
    uint64_t *arcs; /* arcs[i] leads to frames[i + 1] */
    uint64_t depth, room;
    double most_cost;       /* with what rounding may add */
    uint32_t *bars, *queue; /* NULL where they are not used */
    uint64_t *on_path;      /* simple paths: a bit a vertex */
    /* trails: a table of the edges on the path. The last that went in is the first to go, so a place that becomes free
     * never breaks a chain. */
    uint64_t *used;
    uint64_t used_mask;
} walk;

#define NO_EDGE UINT64_MAX

/* ---- vertices on the path, and bars ----------------------------------------------------------------------------- */

static bool is_on_path(const walk *w, uint32_t vertex) { return w->on_path[vertex / 64] >> (vertex % 64) & 1; }
static void turn_on_path(walk *w, uint32_t vertex) { w->on_path[vertex / 64] ^= (uint64_t)1 << (vertex % 64); }

/* A vertex that is `hops` from the target leaves the path: lowers the bars of all that can be nearer now. */
static void lower_bars(walk *w, uint32_t vertex, uint32_t hops) {
    const mg_path_world *world = w->world;
    uint64_t first = 0, last = 0;
    w->bars[vertex] = hops;
    w->queue[last++] = vertex;
    while (first < last && !mg_path_time_over(w->question)) { /* nearest first: each comes once */
        uint32_t head = w->queue[first++];
        w->question->steps += world->in_rows[head + 1] - world->in_rows[head];
        for (uint64_t i = world->in_rows[head]; i < world->in_rows[head + 1]; i++) {
            uint32_t tail = world->tails[i];
            if (w->bars[tail] <= w->bars[head] + 1 || (w->on_path && is_on_path(w, tail))) continue;
            w->bars[tail] = w->bars[head] + 1;
            w->queue[last++] = tail;
        }
    }
}

/* ---- trails: edges on the path ---------------------------------------------------------------------------------- */

static uint64_t used_place(const walk *w, uint64_t edge) {
    uint64_t place = (edge * 0x9e3779b97f4a7c15u >> 32) & w->used_mask;
    while (w->used[place] != NO_EDGE && w->used[place] != edge) place = (place + 1) & w->used_mask;
    return place;
}

/* A larger table, filled in the order of the path. */
static meguri_status make_used_room(walk *w) {
    uint64_t size = 2 * w->room;
    uint64_t *used = mg_alloc_array(w->question->ctx, size, sizeof *used, "the edges of a path");
    if (!used) return MEGURI_NO_MEMORY;
    mg_free(w->used);
    w->used = used;
    w->used_mask = size - 1;
    memset(used, 0xff, size * sizeof *used);
    for (uint64_t i = 0; i < w->depth; i++) {
        uint64_t edge = w->world->edges[w->frames[i].next - 1];
        used[used_place(w, edge)] = edge;
    }
    return MEGURI_OK;
}

/* ---- the walk --------------------------------------------------------------------------------------------------- */

static meguri_status make_room(walk *w) {
    uint64_t room = w->room ? 2 * w->room : 64;
    frame *frames = mg_resize(w->question->ctx, w->frames, (room + 1) * sizeof *frames, "a path");
    if (!frames) return MEGURI_NO_MEMORY;
    w->frames = frames;
    uint64_t *arcs = mg_resize(w->question->ctx, w->arcs, room * sizeof *arcs, "a path");
    if (!arcs) return MEGURI_NO_MEMORY;
    w->arcs = arcs;
    w->room = room;
    return w->world->edges ? make_used_room(w) : MEGURI_OK;
}

/* Whether the arc at `place` may come next. */
static bool fits(const walk *w, uint64_t place) {
    const mg_path_world *world = w->world;
    uint32_t head = world->heads[place];
    uint32_t hops = w->bars ? w->bars[head] : world->hops[head];
    if (w->depth + 1 + hops > w->most) return false;
    if (w->on_path && is_on_path(w, head)) return false;
    if (world->edges && w->used[used_place(w, world->edges[place])] != NO_EDGE) return false;
    return !world->rest || w->frames[w->depth].cost + world->weights[place] + world->rest[head] <= w->most_cost;
}

static meguri_status give(walk *w) {
    mg_path_wanted *wanted = w->wanted;
    if (w->depth < wanted->least) return MEGURI_OK;
    wanted->found = MG_MIN(wanted->found, (uint32_t)w->depth);
    if (wanted->looks) {
        w->most = wanted->found > wanted->least ? wanted->found - 1 : 0;
        return MEGURI_OK;
    }
    const meguri_path_query *query = w->question->query;
    /* Where there are weights, the world has them if there is a limit. */
    double cost = w->world->rest ? w->frames[w->depth].cost : (double)w->depth;
    if (query->has_max_cost && cost > query->max_cost) return MEGURI_OK;
    return mg_path_give(w->question, w->arcs, w->depth);
}

/* Takes the step that the frame's `next` just passed. */
static meguri_status enter(walk *w, uint64_t place) {
    const mg_path_world *world = w->world;
    double cost = w->frames[w->depth].cost + (world->weights ? world->weights[place] : 0);
    uint32_t head = world->heads[place];
    w->arcs[w->depth] = world->arcs[place];
    if (world->edges) {
        uint64_t edge = world->edges[place];
        w->used[used_place(w, edge)] = edge;
    } else turn_on_path(w, head);
    w->depth++;
    w->frames[w->depth] = (frame){.next = world->rows[head], .cost = cost, .vertex = head, .best = NO_HOPS};
    w->question->answer->settled++;
    if (head != world->to) return MEGURI_OK;
    w->frames[w->depth].best = 0;
    return give(w);
}

/* One step back; false at the start. */
static bool leave(walk *w) {
    const mg_path_world *world = w->world;
    const frame *top = &w->frames[w->depth];
    if (w->depth == 0) return false;
    w->depth--;
    frame *before = &w->frames[w->depth];
    if (world->edges) w->used[used_place(w, world->edges[before->next - 1])] = NO_EDGE;
    else turn_on_path(w, top->vertex);
    if (!w->bars) return true;
    if (top->best == NO_HOPS) {
        w->bars[top->vertex] = w->most - (uint32_t)w->depth; /* what was to spare one deeper, and 1 */
        return true;
    }
    lower_bars(w, top->vertex, top->best);
    before->best = MG_MIN(before->best, top->best + 1);
    return true;
}

/* Edges that can be followed either way come back into the way in the other direction, which bars do not foresee. */
static bool has_bars(const walk *w, mg_path_kind kind) {
    const meguri_path_finder *finder = w->question->finder;
    if (kind == MG_PATH_FEWEST || w->world->rest) return false;
    return kind == MG_PATH_SIMPLE || (finder->graph->directed && finder->options.direction != MEGURI_PATH_BOTH);
}

static meguri_status start(walk *w, mg_path_kind kind) {
    const mg_path_world *world = w->world;
    meguri_ctx *ctx = w->question->ctx;
    meguri_status status = make_room(w);
    if (status != MEGURI_OK) return status;
    w->frames[0] = (frame){.next = world->rows[world->from], .vertex = world->from, .best = NO_HOPS};
    if (kind != MG_PATH_TRAILS) {
        w->on_path = mg_alloc_array_zero(ctx, mg_bitmap_words(world->count), sizeof *w->on_path, "a path");
        if (!w->on_path) return MEGURI_NO_MEMORY;
        turn_on_path(w, world->from);
    }
    if (!has_bars(w, kind)) return MEGURI_OK;
    w->bars = mg_alloc_array(ctx, world->count, sizeof *w->bars, "the bars of a path question");
    w->queue = mg_alloc_array(ctx, world->count, sizeof *w->queue, "the bars of a path question");
    if (!w->bars || !w->queue) return MEGURI_NO_MEMORY;
    memcpy(w->bars, world->hops, world->count * sizeof *w->bars);
    return MEGURI_OK;
}

meguri_status mg_path_walk(mg_path_question *question, const mg_path_world *world, mg_path_kind kind,
                           mg_path_wanted *wanted) {
    walk w = {.question = question,
              .world = world,
              .wanted = wanted,
              .most = world->most,
              .most_cost = mg_path_rounded_up(question->finder, question->query->max_cost)};
    meguri_status status = start(&w, kind);
    if (status == MEGURI_OK && world->from == world->to) status = give(&w); /* the path without an edge */
    while (status == MEGURI_OK && !mg_path_time_over(question)) {
        frame *top = &w.frames[w.depth];
        if (top->next == world->rows[top->vertex + 1]) {
            if (!leave(&w)) break;
            continue;
        }
        uint64_t place = top->next++;
        question->answer->edges++;
        if (!fits(&w, place)) continue;
        if (w.depth == w.room) status = make_room(&w);
        if (status == MEGURI_OK) status = enter(&w, place);
    }
    mg_free(w.frames);
    mg_free(w.arcs);
    mg_free(w.on_path);
    mg_free(w.bars);
    mg_free(w.queue);
    mg_free(w.used);
    return status;
}
