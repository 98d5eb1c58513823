/* Breadth-first search on a cluster whose processes have a device each (paper P1, section 3.4): the device follows the
 * arcs of the process's tiles, and all else is as on a cluster (bfs_cluster.c), whose exchange this is.
 *
 * What the paper does in a level, by its numbers, and where that is here: (1) the level's input goes to the device,
 * for a push its part of the frontier and what is visited, for a pull bitmaps; (2) the device searches; (3) what it
 * reached comes back; (4) owners merge it with what the others found; (7) and all who look at a vertex hear of it. The
 * paper then moves the parents of the level, (5) to (12); here they stay on the device until the end, when they are
 * copied once (9) and go to their owners (11), for which it was noted who found a vertex (6).
 *
 * A pull is launched owner by owner, and what it has found for one comes back and goes over the network while the
 * device looks for those of the next. */
#include "algo/bfs/bfs_cluster.h"
#include "algo/bfs/bfs_device.h"

typedef struct tile_there {
    mg_bfs_there there;
    uint64_t words;    /* of 64 bits: of the bitmap of targets */
    uint64_t sources;  /* … and of sources */
    void **events;     /* of a pull: by block, that what it found is here */
    uint32_t *entries; /* of a push: its queue, and then what it found */
} tile_there;

struct mg_bfs_tiles {
    mg_device *device;
    tile_there tile[2];
    uint32_t *parents; /* read back */

    /* Of the step that ran, for the trace. */
    double into, search, back; /* seconds by events of the device: copies, kernels */
    uint64_t sent, received;   /* bytes before it */
};

/* ---- what searches share ---------------------------------------------------------------------------------------- */

static uint64_t most_entries(const mg_bfs_part *part) {
    uint64_t pieces = part->tile->sources->places + part->tile->out.arcs / MG_BFS_PIECE;
    return MG_MAX(pieces, part->tile->targets->places) + 1;
}

static meguri_status open_tile(meguri_ctx *ctx, mg_bfs_grid *g, int p) {
    static const char what[] = "a search with a device";
    struct mg_bfs_tiles *t = g->there;
    tile_there *x = &t->tile[p];
    const mg_tile *tile = g->part[p].tile;
    uint64_t places = MG_MAX(tile->sources->places, tile->targets->places);
    x->there = (mg_bfs_there){.device = t->device,
                              .tile = true,
                              .out = tile->out,
                              .in = tile->in,
                              .words = (uint32_t)(places / 32 + 2),
                              .first_leaf = (uint32_t)tile->targets->places};
    x->words = tile->targets->places / 64;
    x->sources = tile->sources->places / 64;
    x->events = mg_alloc_array_zero(ctx, (uint64_t)tile->targets->owners.count, sizeof *x->events, what);
    x->entries = mg_alloc_array(ctx, 2 * most_entries(&g->part[p]), sizeof *x->entries, what);
    if (!x->events || !x->entries) return MEGURI_NO_MEMORY;
    meguri_status status = mg_bfs_there_open(ctx, &x->there, (uint32_t)places);
    if (status == MEGURI_OK)
        status = mg_buffer_new(&x->there.sources, ctx, t->device, x->there.words, 4, "the bitmaps of a search");
    return status == MEGURI_OK ? mg_bfs_there_prepare_pull(ctx, &x->there) : status;
}

static meguri_status open_tiles(meguri_ctx *ctx, mg_bfs_grid *g, uint32_t place) {
    uint64_t most = 1;
    struct mg_bfs_tiles *t = g->there = mg_alloc_zero(ctx, sizeof *t, "a search with a device");
    meguri_status status = t ? mg_device_deal(&t->device, ctx, place) : MEGURI_NO_MEMORY;
    for (int p = 0; p < g->parts && status == MEGURI_OK; p++) {
        most = MG_MAX(most, g->part[p].tile->targets->places);
        status = open_tile(ctx, g, p);
    }
    if (status != MEGURI_OK) return status;
    t->parents = mg_alloc_array(ctx, most, sizeof *t->parents, "the parents of a search");
    return t->parents ? MEGURI_OK : MEGURI_NO_MEMORY;
}

static meguri_status open(meguri_ctx *ctx, meguri_bfs_search *search) {
    mg_bfs_grid *g = (mg_bfs_grid *)search;
    uint32_t place;
    meguri_status status = mg_bfs_on_cluster.open(ctx, search);
    search->costs = mg_bfs_on_device.costs;
    /* Devices are dealt in turn to the processes of a machine. */
    if (status == MEGURI_OK) status = mg_place_on_machine(&place, ctx, g->shards->cluster);
    return status == MEGURI_OK ? mg_agree(ctx, g->shards->cluster, open_tiles(ctx, g, place)) : status;
}

static void close(meguri_bfs_search *search) {
    struct mg_bfs_tiles *t = ((mg_bfs_grid *)search)->there;
    for (int p = 0; p < 2 && t; p++) {
        mg_bfs_there_close(&t->tile[p].there);
        mg_free(t->tile[p].events);
        mg_free(t->tile[p].entries);
    }
    if (t) mg_free(t->parents);
    mg_free(t);
    mg_bfs_on_cluster.close(search);
}

/* A failure here alone: the others must not wait for what does not come, nor may copies be under way any more. */
static meguri_status failing(mg_bfs_grid *g, meguri_status status) {
    struct mg_bfs_tiles *t = g->there;
    if (status == MEGURI_OK) return status;
    for (int p = 0; p < g->parts; p++)
        for (int b = 0; b < g->part[p].tile->targets->owners.count; b++)
            mg_device_leave(t->device, &t->tile[p].events[b]);
    mg_graph_give_up(g->base.graph);
    return status;
}

/* ---- a search --------------------------------------------------------------------------------------------------- */

static meguri_status start(meguri_ctx *ctx, meguri_bfs_search *search, uint64_t source) {
    mg_bfs_grid *g = (mg_bfs_grid *)search;
    struct mg_bfs_tiles *t = g->there;
    meguri_status status = mg_bfs_on_cluster.start(ctx, search, source);
    if (status != MEGURI_OK) return status;
    t->device->timed = search->traced;
    for (int p = 0; p < g->parts && status == MEGURI_OK; p++) {
        mg_bfs_there *d = &t->tile[p].there;
        d->turn = 0;
        status = mg_bfs_there_clear(ctx, d);
        if (status == MEGURI_OK) status = mg_buffer_fill(ctx, &d->parents, UINT32_MAX);
    }
    return failing(g, status);
}

static meguri_status step(mg_bfs_found *found, meguri_ctx *ctx, meguri_bfs_search *search, bool pull) {
    struct mg_bfs_tiles *t = ((mg_bfs_grid *)search)->there;
    t->into = t->search = t->back = 0;
    t->sent = t->device->sent;
    t->received = t->device->received;
    t->device->kernel_seconds = t->device->copy_seconds = 0;
    return mg_bfs_on_cluster.step(found, ctx, search, pull);
}

/* What copies took since the last look goes to one of the sums. */
static void note_copies(struct mg_bfs_tiles *t, double *sum) {
    *sum += t->device->copy_seconds;
    t->device->copy_seconds = 0;
}

static int32_t next_level(const mg_bfs_grid *g) { return (int32_t)g->base.depth + 1; }

/* The frontier of a tile as a queue; long rows have several entries. */
static uint64_t list_frontier(const mg_bfs_grid *g, int p, uint64_t *arcs) {
    const mg_bfs_part *part = &g->part[p];
    const mg_queue *frontier = &g->frontier[part->source];
    uint32_t *entries = g->there->tile[p].entries;
    uint64_t count = 0;
    for (uint64_t i = 0; i < frontier->count; i++) {
        uint32_t u = frontier->items[i];
        uint64_t degree = mg_row_end(&part->tile->out, u) - mg_row_begin(&part->tile->out, u);
        *arcs += degree;
        for (uint32_t piece = 0; piece < mg_bfs_pieces(degree); piece++) {
            entries[2 * count] = u;
            entries[2 * count++ + 1] = piece;
        }
    }
    return count;
}

static meguri_status read_edges(uint32_t words[MG_BFS_COUNTERS], meguri_ctx *ctx, mg_bfs_grid *g, int p) {
    const mg_bfs_there *d = &g->there->tile[p].there;
    meguri_status status = mg_buffer_read(ctx, &d->counters[0], 0, words, MG_BFS_COUNTERS * sizeof *words);
    if (status == MEGURI_OK) g->edges += words[MG_BFS_EDGES] + ((uint64_t)words[MG_BFS_EDGES_HIGH] << 32);
    return status;
}

static meguri_status push_tile(meguri_ctx *ctx, mg_bfs_grid *g, int p) {
    struct mg_bfs_tiles *t = g->there;
    tile_there *x = &t->tile[p];
    mg_bfs_there *d = &x->there;
    mg_bfs_part *part = &g->part[p];
    uint32_t words[MG_BFS_COUNTERS];
    d->queue_arcs = 0;
    d->entries = list_frontier(g, p, &d->queue_arcs);
    d->has_queue = true;
    part->found.count = 0;
    if (!d->entries) return MEGURI_OK;
    meguri_status status = mg_buffer_write(ctx, &d->queue, 0, x->entries, d->entries * 2 * sizeof *x->entries);
    if (status == MEGURI_OK) status = mg_buffer_write(ctx, &d->visited, 0, part->next, x->words * sizeof *part->next);
    if (status == MEGURI_OK) status = mg_buffer_fill(ctx, &d->counters[0], 0);
    note_copies(t, &t->into);
    if (status == MEGURI_OK) status = mg_bfs_there_push(ctx, d, d->words, next_level(g));
    if (status == MEGURI_OK) status = read_edges(words, ctx, g, p);
    if (status != MEGURI_OK) return status;
    uint64_t reached = words[MG_BFS_ENTRIES];
    status = mg_buffer_read(ctx, &d->queue, 0, x->entries, reached * 2 * sizeof *x->entries);
    for (uint64_t i = 0; i < reached && status == MEGURI_OK; i++) {
        uint32_t v = x->entries[2 * i];
        part->found.items[part->found.count++] = v;
        part->next[v / 64] |= (uint64_t)1 << v % 64;
    }
    note_copies(t, &t->back);
    return status;
}

meguri_status mg_bfs_tiles_push(meguri_ctx *ctx, mg_bfs_grid *g, int p) { return failing(g, push_tile(ctx, g, p)); }

/* All blocks of a tile, in the order in which they are asked for. */
static meguri_status begin_tile(meguri_ctx *ctx, mg_bfs_grid *g, int p) {
    struct mg_bfs_tiles *t = g->there;
    tile_there *x = &t->tile[p];
    mg_bfs_there *d = &x->there;
    const mg_bfs_part *part = &g->part[p];
    int owners = part->tile->targets->owners.count;
    meguri_status status = mg_buffer_write(ctx, &d->visited, 0, g->visited[part->target], x->words * sizeof(uint64_t));
    if (status == MEGURI_OK)
        status = mg_buffer_write(ctx, &d->sources, 0, g->visited[part->source], x->sources * sizeof(uint64_t));
    if (status == MEGURI_OK) status = mg_buffer_fill(ctx, &d->counters[0], 0);
    for (int k = 1; k <= owners && status == MEGURI_OK; k++) {
        int b = mg_bfs_block_in_turn(part, k);
        uint64_t word = (uint64_t)b * g->words;
        status =
            mg_bfs_there_pull_words(ctx, d, (uint32_t)(2 * word), (uint32_t)(2 * (word + g->words)), next_level(g));
        if (status == MEGURI_OK)
            status = mg_buffer_read_later(&x->events[b], ctx, &d->other, word * sizeof(uint64_t), part->next + word,
                                          g->words * sizeof(uint64_t));
    }
    return status == MEGURI_OK ? mg_device_flush(ctx, t->device) : status;
}

meguri_status mg_bfs_tiles_pull(meguri_ctx *ctx, mg_bfs_grid *g) {
    meguri_status status = MEGURI_OK;
    for (int p = 0; p < g->parts && status == MEGURI_OK; p++) status = begin_tile(ctx, g, p);
    note_copies(g->there, &g->there->into);
    return failing(g, status);
}

meguri_status mg_bfs_tiles_wait(meguri_ctx *ctx, mg_bfs_grid *g, int p, int block) {
    struct mg_bfs_tiles *t = g->there;
    return failing(g, mg_device_wait(ctx, t->device, &t->tile[p].events[block]));
}

meguri_status mg_bfs_tiles_pulled(meguri_ctx *ctx, mg_bfs_grid *g) {
    uint32_t words[MG_BFS_COUNTERS];
    meguri_status status = MEGURI_OK;
    for (int p = 0; p < g->parts && status == MEGURI_OK; p++) status = read_edges(words, ctx, g, p);
    note_copies(g->there, &g->there->back);
    return failing(g, status);
}

/* ---- the end ---------------------------------------------------------------------------------------------------- */

/* Where the device found a vertex, the parent that it noted. */
static meguri_status read_parents(meguri_ctx *ctx, mg_bfs_grid *g, int p) {
    struct mg_bfs_tiles *t = g->there;
    mg_bfs_part *part = &g->part[p];
    const uint32_t *names = mg_bfs_source_names(g, part);
    uint64_t places = part->tile->targets->places;
    meguri_status status = mg_buffer_read(ctx, &t->tile[p].there.parents, 0, t->parents, places * sizeof *t->parents);
    for (uint64_t v = 0; v < places && status == MEGURI_OK; v++)
        if (t->parents[v] != MG_NO_VERTEX) part->tree[v] = names ? names[t->parents[v]] : t->parents[v];
    return status;
}

static meguri_status finish(mg_bfs_found *found, meguri_ctx *ctx, meguri_bfs_search *search, bool limited) {
    mg_bfs_grid *g = (mg_bfs_grid *)search;
    struct mg_bfs_tiles *t = g->there;
    meguri_status status = MEGURI_OK;
    t->into = t->search = t->back = 0;
    t->sent = t->device->sent;
    t->received = t->device->received;
    for (int p = 0; p < g->parts && status == MEGURI_OK && search->options.parents; p++)
        status = read_parents(ctx, g, p);
    note_copies(t, &t->back);
    if (failing(g, status) != MEGURI_OK) return status;
    return mg_bfs_on_cluster.finish(found, ctx, search, limited);
}

/* ---- the trace -------------------------------------------------------------------------------------------------- */

enum { LANE_DEVICE = 1, LANE_COPY, LANE_NETWORK };

static void trace_lane(meguri_ctx *ctx, const mg_step *level, const char *phase, int64_t lane, double seconds,
                       int64_t bytes) {
    mg_step line = MG_STEP_NONE;
    if (!(seconds > 0)) return;
    line.run = level->run;
    line.step = level->step;
    line.phase = phase;
    line.engine = level->engine;
    line.lane = lane;
    line.seconds = seconds;
    line.bytes = bytes;
    mg_trace(ctx, &line);
}

/* The level as on any cluster, and what this process had in its lanes, by the numbers of the paper's steps. */
static meguri_status trace(meguri_ctx *ctx, meguri_bfs_search *search, mg_step *line, meguri_bfs_direction way,
                           const mg_bfs_found *found) {
    mg_bfs_grid *g = (mg_bfs_grid *)search;
    struct mg_bfs_tiles *t = g->there;
    const bool parents = way == MEGURI_BFS_DIRECTION_FILL;
    mg_traffic moved[MG_TRAFFIC_MOST];
    double under_way = 0;
    uint64_t bytes = 0;
    mg_bfs_traffic_since(moved, g, g->stepped); /* before sums of the trace itself */
    for (int k = 0; k < MG_BFS_KINDS; k++) {
        under_way += moved[g->kind[k]].under_way;
        bytes += moved[g->kind[k]].bytes;
    }
    meguri_status status = mg_bfs_on_cluster.trace(ctx, search, line, way, found);
    if (status != MEGURI_OK || !mg_trace_on(ctx)) return status;
    mg_device_add_times(t->device);
    trace_lane(ctx, line, "input (1)", LANE_COPY, t->into, (int64_t)(t->device->sent - t->sent));
    if (!parents) trace_lane(ctx, line, "search (2)", LANE_DEVICE, t->device->kernel_seconds, -1);
    trace_lane(ctx, line, parents ? "parents (9)" : "reached (3)", LANE_COPY, t->back,
               (int64_t)(t->device->received - t->received));
    trace_lane(ctx, line, parents ? "parents (11)" : "states (7)", LANE_NETWORK, under_way, (int64_t)bytes);
    return status;
}

const mg_bfs_engine mg_bfs_on_devices = {.engine = MEGURI_ENGINE_DEVICE,
                                         .bytes = sizeof(mg_bfs_grid),
                                         .open = open,
                                         .start = start,
                                         .step = step,
                                         .sum = mg_bfs_grid_sum,
                                         .finish = finish,
                                         .deliver = mg_bfs_grid_deliver,
                                         .trace = trace,
                                         .close = close,
                                         .check = mg_bfs_cluster_check};
