/* Checks the answer of a search on a cluster by its rules, without searching again: those of bfs_check.c, which says
 * why they are enough.
 *
 * Homes look at what is theirs alone. Levels and parents then go to the owners of the vertices, and from these to all
 * who have arcs from or to them; these look at every arc, and tell the owner of its target whether it leads there from
 * the parent, and whether it is a way that is shorter than the level says. The first vertex in the user's order that
 * breaks a rule is named, by the same sentence at all processes. */
#include "algo/bfs/bfs_cluster.h"

#include <inttypes.h>

/* What is said about a vertex. */
enum { JOINED = 1, TOO_FAR = 2 };

typedef enum fault {
    NO_FAULT,
    SOURCE_ROW,   /* the source is not at level 0, or not its own parent */
    HALF_REACHED, /* a level without a parent, or the other way round */
    NO_LEVEL,     /* below -1, 0, or beyond the last */
    NO_PARENT,    /* a parent that is no vertex, or the vertex itself */
    UNJOINED,     /* no edge from its parent, one level nearer */
    ALONE,        /* the same where there are no parents: none from anybody there */
    SHORTER_WAY   /* an edge from a vertex that is more than one level nearer */
} fault;

typedef struct checker {
    meguri_ctx *ctx;
    mg_shards *shards;
    uint64_t source;
    const int32_t *home_level; /* by position - home.begin */
    mg_globals home_parent;    /* without items: anybody who is one level nearer will do */
    int32_t last;              /* level that is not left */
    int32_t *level;            /* by local number */
    mg_globals parent;
    uint8_t *said;
    int32_t *window_level[2]; /* by place */
    mg_globals window_parent[2];
    uint8_t *window_said[2]; /* of targets */
} checker;

/* All give the first position that breaks a rule here, UINT64_MAX if none does. */
static meguri_status blame(const checker *c, fault found, uint64_t position) {
    static const char *const rules[] = {
        [SOURCE_ROW] = "is the source, but not at level 0, or not its own parent",
        [HALF_REACHED] = "has a level without a parent, or a parent without a level",
        [NO_LEVEL] = "has a level that it cannot have",
        [NO_PARENT] = "has a parent that is no other vertex",
        [UNJOINED] = "is not joined by an edge to its parent, or that is not one level nearer",
        [ALONE] = "is joined by no edge to a vertex that is one level nearer",
        [SHORTER_WAY] = "can be reached by an edge from a vertex that is more than one level nearer",
    };
    meguri_cluster *cluster = c->shards->cluster;
    uint64_t first = position == UINT64_MAX ? UINT64_MAX : position << 8 | (uint64_t)found;
    meguri_status status = mg_reduce_u64(c->ctx, cluster, &cluster->all, &first, 1, MG_MINIMUM);
    if (status != MEGURI_OK || first == UINT64_MAX) return status;
    char vertex[MG_ID_TEXT];
    status = mg_shards_id_text(vertex, c->ctx, c->shards, first >> 8);
    if (status != MEGURI_OK) return status;
    return mg_fail(c->ctx, MEGURI_WRONG_ANSWER, "vertex %s %s.", vertex, rules[first & 0xff]);
}

/* ---- a vertex alone --------------------------------------------------------------------------------------------- */

static fault home_fault(const checker *c, uint64_t position) {
    uint64_t i = position - c->shards->home.begin;
    int32_t level = c->home_level[i];
    bool parents = c->home_parent.items;
    uint64_t none = mg_no_global(c->shards->wide), parent = parents ? mg_global_at(c->home_parent, i) : none;
    if (position == c->source) return level == 0 && (!parents || parent == position) ? NO_FAULT : SOURCE_ROW;
    if (parents && (level == -1) != (parent == none)) return HALF_REACHED;
    if (level == -1) return NO_FAULT;
    if (level < 1 || level > c->last) return NO_LEVEL;
    if (parents && (parent >= c->shards->vertices || parent == position)) return NO_PARENT;
    if (mg_global_at(c->shards->number, i) < c->shards->active) return NO_FAULT;
    return parents ? UNJOINED : ALONE;
}

static meguri_status look_at_homes(const checker *c) {
    for (uint64_t p = c->shards->home.begin; p < c->shards->home.end; p++) {
        fault found = home_fault(c, p);
        if (found != NO_FAULT) return blame(c, found, p);
    }
    return blame(c, NO_FAULT, UINT64_MAX);
}

/* ---- arcs ------------------------------------------------------------------------------------------------------- */

typedef struct tile_job {
    const checker *c;
    const mg_rows *in;
    const int32_t *from, *to; /* levels */
    mg_globals position, parent;
    uint8_t *said;
} tile_job;

static void look_at_rows(void *what, uint64_t begin, uint64_t end) {
    const tile_job *j = what;
    for (uint64_t v = begin; v < end; v++) {
        for (uint64_t i = mg_row_offset(j->in, v); i < mg_row_offset(j->in, v + 1); i++) {
            uint32_t u = j->in->neighbors[i];
            if (j->from[u] < 0) continue;
            bool too_far = j->from[u] < j->c->last && (j->to[v] < 0 || j->to[v] > j->from[u] + 1);
            bool joined = j->to[v] == j->from[u] + 1 &&
                          (!j->parent.items || mg_global_at(j->parent, v) == mg_global_at(j->position, u));
            j->said[v] |= (uint8_t)((joined ? JOINED : 0) | (too_far ? TOO_FAR : 0));
        }
    }
}

static void look_at_tile(const checker *c, int t) {
    const mg_layout *l = &c->shards->layout;
    const mg_rows *in = &c->shards->tile[t].in;
    int source = l->tile_source[t], target = l->tile_target[t];
    tile_job job = {.c = c,
                    .in = in,
                    .from = c->window_level[source],
                    .to = c->window_level[target],
                    .position = c->shards->window_position[source],
                    .parent = c->window_parent[target],
                    .said = c->window_said[target]};
    mg_for(c->ctx, mg_threads(c->ctx, in->rows + in->arcs, 1 << 14), in->rows, look_at_rows, &job);
}

static void join(void *mine, const void *more, uint64_t count) {
    for (uint64_t i = 0; i < count; i++) ((uint8_t *)mine)[i] |= ((const uint8_t *)more)[i];
}

static meguri_status look_at_arcs(const checker *c) {
    const mg_layout *l = &c->shards->layout;
    meguri_cluster *cluster = c->shards->cluster;
    meguri_status status = mg_windows_gather(c->ctx, cluster, l, "bulk", c->level, sizeof *c->level,
                                             (void *const[]){c->window_level[0], c->window_level[1]});
    if (status == MEGURI_OK && c->parent.items)
        status = mg_windows_gather(c->ctx, cluster, l, "bulk", c->parent.items, mg_global_bytes(c->parent.wide),
                                   (void *const[]){c->window_parent[0].items, c->window_parent[1].items});
    if (status != MEGURI_OK) return status;
    for (int t = 0; t < l->tiles; t++) look_at_tile(c, t);
    status = mg_windows_fold(c->ctx, cluster, l, "bulk", c->said, sizeof *c->said,
                             (void *const[]){c->window_said[0], c->window_said[1]}, join, NULL);
    if (status != MEGURI_OK) return status;
    uint64_t first = UINT64_MAX;
    fault found = NO_FAULT;
    for (uint32_t v = 0; v < c->shards->owned; v++) {
        uint64_t position = mg_global_at(c->shards->position, v);
        bool unjoined = c->level[v] > 0 && !(c->said[v] & JOINED), too_far = c->said[v] & TOO_FAR;
        if (position >= first || !(unjoined || too_far)) continue;
        first = position;
        found = !unjoined ? SHORTER_WAY : c->parent.items ? UNJOINED : ALONE;
    }
    return blame(c, found, first);
}

/* ---- the whole -------------------------------------------------------------------------------------------------- */

static meguri_status make_room(checker *c) {
    static const char what[] = "the check of a search";
    const mg_layout *l = &c->shards->layout;
    uint64_t stride = l->window[0].stride;
    bool good = true, parents = c->home_parent.items, wide = c->shards->wide;
    c->level = mg_alloc_array_zero(c->ctx, stride, sizeof *c->level, what);
    if (parents) good &= (c->parent = mg_globals_new(c->ctx, stride, wide, what)).items != NULL;
    c->said = mg_alloc_array_zero(c->ctx, stride, sizeof *c->said, what);
    for (int w = 0; w < l->windows; w++) {
        uint64_t places = l->window[w].places;
        c->window_level[w] = mg_alloc_array(c->ctx, places, sizeof **c->window_level, what);
        good &= c->window_level[w] != NULL;
        if (!l->window[w].target) continue;
        if (parents) good &= (c->window_parent[w] = mg_globals_new(c->ctx, places, wide, what)).items != NULL;
        c->window_said[w] = mg_alloc_array_zero(c->ctx, places, sizeof **c->window_said, what);
        good &= c->window_said[w] != NULL;
    }
    return good && c->level && c->said ? MEGURI_OK : MEGURI_NO_MEMORY;
}

meguri_status mg_bfs_cluster_check(meguri_ctx *ctx, const meguri_graph *graph, uint64_t source, const int32_t *level,
                                   const void *parent, uint32_t levels) {
    mg_shards *shards = mg_shards_of(graph);
    checker c = {.ctx = ctx,
                 .shards = shards,
                 .source = source,
                 .home_level = level,
                 .last = levels && levels - 1 < INT32_MAX ? (int32_t)(levels - 1) : INT32_MAX};
    uint64_t homes = shards->home.end - shards->home.begin;
    meguri_status status = MEGURI_OK;
    if (homes && !level)
        status = mg_fail(ctx, MEGURI_BAD_ARGUMENT, "meguri_bfs_check needs the levels of a graph in parts.");
    else if (source >= shards->vertices)
        status = mg_fail(ctx, MEGURI_NOT_FOUND, "there is no vertex %" PRIu64 " in a graph of %" PRIu64 ".", source,
                         shards->vertices);
    mg_call call = {.name = "meguri_bfs_check"};
    mg_call_number(&call, "source", source);
    mg_call_number(&call, "number of levels", levels);
    status = mg_agree_call(ctx, shards->cluster, status, &call);
    uint64_t with = parent || !homes; /* all have parents, or none counts */
    if (status == MEGURI_OK) status = mg_reduce_u64(ctx, shards->cluster, &shards->cluster->all, &with, 1, MG_MINIMUM);
    if (status != MEGURI_OK) return status;
    static const uint64_t nothing[1];
    if (with) c.home_parent = (mg_globals){(void *)(uintptr_t)(parent ? parent : nothing), shards->wide};
    status = mg_agree(ctx, shards->cluster, make_room(&c));
    if (status == MEGURI_OK) status = look_at_homes(&c);
    if (status == MEGURI_OK) status = mg_shards_from_homes(ctx, shards, c.level, level, sizeof *level);
    if (status == MEGURI_OK && with)
        status = mg_shards_from_homes(ctx, shards, c.parent.items, c.home_parent.items, mg_global_bytes(shards->wide));
    if (status == MEGURI_OK) status = look_at_arcs(&c);
    for (int w = 0; w < 2; w++) {
        mg_free(c.window_level[w]);
        mg_free(c.window_parent[w].items);
        mg_free(c.window_said[w]);
    }
    mg_free(c.level);
    mg_free(c.parent.items);
    mg_free(c.said);
    return status;
}
