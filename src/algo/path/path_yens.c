/* The k cheapest paths without a vertex twice, cheapest first (Yen 1971, with the improvement of Lawler 1972).
 *
 * The paths given so far are a tree of beginnings: each node is a path from the start, and its children are the arcs by
 * which given paths go on. Each path not given yet leaves the tree at exactly one node. So each node has one candidate:
 * the cheapest path that begins like it and goes on by an arc that is not a child. The cheapest of all candidates is
 * the next path; what it adds to the tree gets candidates of its own, and the node where it left gets another. No path
 * comes up twice, and parallel arcs are different paths, since arcs and not vertices are banned.
 *
 * A candidate enters the queue with a lower bound, the cheapest first arc and the cost from there if nothing were in
 * the way, and is searched for only when it comes up: most never do. A search that goes on for long gives up when
 * others have become cheaper, and has twice the effort the next time. Of a candidate only its cost is kept; its path is
 * searched for again when its turn has come. So memory grows with what the given paths do not share, and not with the
 * candidates. */
#include "algo/path/path_spur.h"

#include <math.h>
#include <stdlib.h>

#define FIRST_EFFORT 64
#define NO_NODE      UINT32_MAX

typedef struct node {
    uint64_t arc; /* the last */
    double cost;
    uint32_t vertex, hops;
    uint32_t before, child, sibling; /* NO_NODE: none */
    uint32_t efforts;                /* searches that were given up */
} node;

typedef struct yen {
    mg_path_question *question;
    mg_path_spur spur;
    node *nodes;
    uint32_t node_count, node_room;
    mg_path_queue candidates; /* items are nodes */
    /* The path up to a node, and on from there. */
    uint32_t *vertices;
    uint64_t *arcs;
    uint64_t path_room;
    uint64_t *banned;
    uint32_t banned_count, banned_room;
    mg_path_map on_path; /* its vertices */
} yen;

/* ---- the tree --------------------------------------------------------------------------------------------------- */

static meguri_status add_node(yen *y, uint32_t before, node added) {
    meguri_ctx *ctx = y->question->ctx;
    if (y->node_count == y->node_room) {
        if (y->node_room > UINT32_MAX / 4)
            return mg_fail(ctx, MEGURI_NO_MEMORY, "the paths of a question have more than %u vertices; limit them.",
                           y->node_room);
        uint32_t room = y->node_room ? 2 * y->node_room : 256;
        node *nodes = mg_resize(ctx, y->nodes, room * sizeof *nodes, "the tree of paths");
        if (!nodes) return MEGURI_NO_MEMORY;
        y->nodes = nodes;
        y->node_room = room;
    }
    added.before = before;
    added.child = NO_NODE;
    added.sibling = before == NO_NODE ? NO_NODE : y->nodes[before].child;
    if (before != NO_NODE) y->nodes[before].child = y->node_count;
    y->nodes[y->node_count++] = added;
    return MEGURI_OK;
}

static meguri_status make_path_room(yen *y, uint64_t hops) {
    if (y->vertices && hops <= y->path_room) return MEGURI_OK;
    meguri_ctx *ctx = y->question->ctx;
    uint64_t room = 2 * hops + 64;
    uint32_t *vertices = mg_resize(ctx, y->vertices, (room + 1) * sizeof *vertices, "a path");
    if (!vertices) return MEGURI_NO_MEMORY;
    y->vertices = vertices;
    uint64_t *arcs = mg_resize(ctx, y->arcs, room * sizeof *arcs, "a path");
    if (!arcs) return MEGURI_NO_MEMORY;
    y->arcs = arcs;
    y->path_room = room;
    return MEGURI_OK;
}

/* Writes the path up to a node. */
static meguri_status unroll(yen *y, uint32_t number) {
    meguri_status status = make_path_room(y, y->nodes[number].hops);
    if (status != MEGURI_OK) return status;
    for (uint32_t n = number; n != NO_NODE && !mg_path_time_over(y->question); n = y->nodes[n].before) {
        y->vertices[y->nodes[n].hops] = y->nodes[n].vertex;
        if (y->nodes[n].hops > 0) y->arcs[y->nodes[n].hops - 1] = y->nodes[n].arc;
    }
    return MEGURI_OK;
}

static int compare_arcs(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* The arcs by which given paths go on from a node, increasing. */
static meguri_status list_banned(yen *y, uint32_t number) {
    y->banned_count = 0;
    for (uint32_t n = y->nodes[number].child; n != NO_NODE; n = y->nodes[n].sibling) {
        if (y->banned_count == y->banned_room) {
            uint32_t room = 2 * y->banned_room + 16;
            uint64_t *banned = mg_resize(y->question->ctx, y->banned, room * sizeof *banned, "the tree of paths");
            if (!banned) return MEGURI_NO_MEMORY;
            y->banned = banned;
            y->banned_room = room;
        }
        y->banned[y->banned_count++] = y->nodes[n].arc;
    }
    if (y->banned_count > 1) qsort(y->banned, y->banned_count, sizeof *y->banned, compare_arcs);
    return MEGURI_OK;
}

/* ---- candidates ------------------------------------------------------------------------------------------------- */

/* What the candidate of a node costs at least; the vertices before it are on_path, banned are its children. */
static double bound_of(yen *y, uint32_t number) {
    const meguri_path_finder *f = y->question->finder;
    const node *n = &y->nodes[number];
    double least = INFINITY;
    uint32_t banned = 0;
    uint64_t end = mg_row_end(&f->forward, n->vertex);
    for (uint64_t arc = mg_row_begin(&f->forward, n->vertex); arc < end && !mg_path_time_over(y->question); arc++) {
        if (banned < y->banned_count && y->banned[banned] == arc) {
            banned++;
            continue;
        }
        uint32_t head = f->forward.neighbors[arc];
        double cost = mg_path_weight(f, arc) + mg_path_spur_rest(&y->spur, head, n->hops + 1);
        if (cost < least && mg_path_map_find(&y->on_path, head) == MG_NO_VERTEX) least = cost;
    }
    y->question->answer->edges += end - mg_row_begin(&f->forward, n->vertex);
    return n->cost + least;
}

static meguri_status add_candidate(yen *y, uint32_t number, double cost) {
    if (cost == INFINITY || cost > y->spur.most_cost) return MEGURI_OK;
    return mg_path_queue_push(&y->candidates, y->question->ctx,
                              (mg_path_entry){.cost = cost, .tie = number, .item = number});
}

/* The candidate of a node, whose path has been unrolled and is on_path up to the node. */
static meguri_status consider(yen *y, uint32_t number) {
    meguri_status status = list_banned(y, number);
    return status == MEGURI_OK ? add_candidate(y, number, bound_of(y, number)) : status;
}

static meguri_status put_on_path(yen *y, uint32_t vertex) {
    bool added;
    meguri_status status = MEGURI_OK;
    if (y->on_path.count == y->on_path.room) status = mg_path_map_grow(&y->on_path, y->question);
    if (status == MEGURI_OK) mg_path_map_add(&y->on_path, vertex, &added);
    return status;
}

/* ---- a path ----------------------------------------------------------------------------------------------------- */

/* Adds the way that a search has found to the unrolled path of a node; *hops is that of the whole. */
static meguri_status append(yen *y, uint32_t number, uint32_t label, uint32_t *hops) {
    const mg_path_label *labels = y->spur.labels;
    const node *n = &y->nodes[number];
    uint32_t more = 0;
    for (uint32_t l = label; labels[l].before != UINT32_MAX; l = labels[l].before) more++;
    y->question->steps += 2 * (uint64_t)more;
    meguri_status status = make_path_room(y, (uint64_t)n->hops + more);
    if (status != MEGURI_OK) return status;
    *hops = n->hops + more;
    for (uint32_t l = label, i = *hops; labels[l].before != UINT32_MAX; l = labels[l].before, i--) {
        y->arcs[i - 1] = labels[l].arc;
        y->vertices[i] = y->spur.met.vertices[labels[l].local];
    }
    return MEGURI_OK;
}

/* Gives the path that leaves the tree at a node, and adds it to the tree. */
static meguri_status accept(yen *y, uint32_t number, uint32_t hops) {
    meguri_status status = mg_path_give(y->question, y->arcs, hops);
    if (status != MEGURI_OK || y->question->over || y->question->answer->paths >= y->question->query->k) return status;
    uint32_t first = y->nodes[number].hops;
    mg_path_map_clear(&y->on_path);
    for (uint32_t i = 0; i <= first && status == MEGURI_OK && !mg_path_time_over(y->question); i++)
        status = put_on_path(y, y->vertices[i]);
    uint32_t at = number;
    for (uint32_t i = first; i < hops && status == MEGURI_OK && !mg_path_time_over(y->question); i++) {
        node next = {.arc = y->arcs[i], .vertex = y->vertices[i + 1], .hops = i + 1};
        next.cost = y->nodes[at].cost + mg_path_weight(y->question->finder, next.arc);
        status = add_node(y, at, next);
        if (status == MEGURI_OK) status = consider(y, at);
        if (status == MEGURI_OK) status = put_on_path(y, next.vertex);
        at = y->node_count - 1;
    }
    return status;
}

/* The candidate that is cheapest so far comes up. */
static meguri_status take_up(yen *y, uint32_t number) {
    meguri_status status = unroll(y, number);
    if (status == MEGURI_OK) status = list_banned(y, number);
    if (status != MEGURI_OK || y->question->over) return status;
    node *n = &y->nodes[number];
    mg_path_beginning beginning = {.vertices = y->vertices,
                                   .hops = n->hops,
                                   .cost = n->cost,
                                   .banned = y->banned,
                                   .banned_count = y->banned_count};
    double other = y->candidates.count > 0 ? y->candidates.entries[0].cost : INFINITY;
    uint64_t effort = (uint64_t)FIRST_EFFORT << MG_MIN(n->efforts, 40u);
    mg_path_end end;
    status = mg_path_spur_search(&end, &y->spur, &beginning, other, effort);
    if (status != MEGURI_OK || y->question->over) return status;
    if (end.given_up) {
        n->efforts++;
        return add_candidate(y, number, end.cost);
    }
    const meguri_path_query *query = y->question->query;
    if (end.cost == INFINITY || (query->has_max_cost && end.cost > query->max_cost)) return MEGURI_OK;
    if (end.cost > other) return add_candidate(y, number, end.cost);
    uint32_t hops;
    status = append(y, number, end.label, &hops);
    return status == MEGURI_OK ? accept(y, number, hops) : status;
}

static meguri_status find_paths(yen *y) {
    mg_path_question *q = y->question;
    meguri_status status = mg_path_map_new(&y->on_path, q);
    if (status == MEGURI_OK) status = add_node(y, NO_NODE, (node){.vertex = q->from});
    if (status == MEGURI_OK) status = add_candidate(y, 0, mg_path_spur_rest(&y->spur, q->from, 0));
    while (status == MEGURI_OK && y->candidates.count > 0 && q->answer->paths < q->query->k && !mg_path_time_over(q))
        status = take_up(y, mg_path_queue_pop(&y->candidates).item);
    return status;
}

meguri_status mg_path_yens(mg_path_question *question) {
    yen y = {.question = question};
    if (question->from == question->to) return mg_path_give(question, NULL, 0);
    meguri_status status = mg_path_spur_new(&y.spur, question);
    if (status == MEGURI_OK && !question->over && !y.spur.apart) status = find_paths(&y);
    mg_path_spur_free(&y.spur);
    mg_free(y.nodes);
    mg_free(y.candidates.entries);
    mg_free(y.vertices);
    mg_free(y.arcs);
    mg_free(y.banned);
    mg_path_map_free(&y.on_path);
    return status;
}
