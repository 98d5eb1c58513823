/* Breadth-first search with devices (papers P1 and P5): the side on threads, how a search begins, and the end.
 *
 * After each step the host reads the eight words that the step has counted in, and at the end parents and levels.
 * Vertices of degree one are left out, as on the host (bfs_prepare.c), and filled in there. */
#include "algo/bfs/bfs_device.h"

#include "policy/policy.h"

/* ---- what searches share ---------------------------------------------------------------------------------------- */

/* The side on threads: a search of its own, with the columns of this one. */
static meguri_status open_here(meguri_ctx *ctx, mg_bfs_device *s) {
    meguri_bfs_search *here = &s->here.base;
    here->engine = &mg_bfs_on_host;
    here->costs = mg_bfs_on_host.costs;
    here->graph = s->base.graph;
    here->options = s->base.options;
    here->parent = s->base.parent;
    here->level = s->base.level;
    meguri_status status = mg_bfs_host_open(ctx, here);
    if (status != MEGURI_OK) return status;
    s->base.vertices = here->vertices;
    s->base.arcs = here->arcs;
    s->base.total = here->total;
    s->words = 2 * (uint32_t)MG_MAX(mg_bitmap_words(s->here.rows), 1u);
    s->parents_here = mg_alloc_array(ctx, s->here.rows, sizeof *s->parents_here, "the result of a search");
    if (s->parents_here)
        s->levels_here = mg_alloc_array(ctx, s->here.rows, sizeof *s->levels_here, "the result of a search");
    uint64_t **bitmaps[] = {&s->wanted, &s->old, &s->last, &s->heard};
    for (int i = 0; i < 4 && s->levels_here; i++) {
        *bitmaps[i] = mg_alloc_array_zero(ctx, s->words / 2, sizeof(uint64_t), "the bitmaps of a search");
        if (!*bitmaps[i]) return MEGURI_NO_MEMORY;
    }
    return s->levels_here ? MEGURI_OK : MEGURI_NO_MEMORY;
}

/* The rows of a device: all, or a share of them. */
static meguri_status deal_rows(mg_rows *out, meguri_ctx *ctx, const mg_bfs_device *s, mg_rows_share *share,
                               const mg_rows *rows, uint32_t device) {
    *out = *rows;
    if (s->count == 1) return MEGURI_OK;
    mg_rows_share_free(share);
    meguri_status status = mg_rows_share_new(share, ctx, rows, 0, device, s->count);
    *out = share->rows;
    return status;
}

static meguri_status open_there(meguri_ctx *ctx, mg_bfs_device *s) {
    meguri_status status = MEGURI_OK;
    for (uint32_t i = 0; i < s->count && status == MEGURI_OK; i++) {
        mg_bfs_there *d = &s->there[i];
        d->words = s->words;
        d->first_leaf = s->here.first_leaf;
        status = deal_rows(&d->out, ctx, s, &d->shares[0], &s->here.out, i);
        if (status == MEGURI_OK) s->in_parts |= !mg_bfs_there_fits(d, s->here.rows);
    }
    if (s->in_parts) s->base.costs = &mg_bfs_parts_costs;
    for (uint32_t i = 0; i < s->count && status == MEGURI_OK; i++) {
        mg_bfs_there *d = &s->there[i];
        d->in_parts = s->in_parts;
        status = mg_bfs_there_open(ctx, d, s->here.rows);
        /* Where a graph has rows both ways, each has half of the memory that is left. */
        if (status == MEGURI_OK && s->in_parts)
            status = mg_parts_open(&d->parts_out, ctx, d->device, &d->out, 0, s->base.graph->directed ? 0.5 : 1);
    }
    return status;
}

static meguri_status open(meguri_ctx *ctx, meguri_bfs_search *search) {
    mg_bfs_device *s = (mg_bfs_device *)search;
    mg_device *devices[MG_DEVICES_MOST];
    meguri_status status = mg_device_get_all(devices, &s->count, ctx);
    for (uint32_t i = 0; i < s->count && status == MEGURI_OK; i++) s->there[i].device = devices[i];
    if (status == MEGURI_OK) status = open_here(ctx, s);
    if (status == MEGURI_OK) mg_bfs_split_start(ctx, s);
    return status == MEGURI_OK ? open_there(ctx, s) : status;
}

static void close(meguri_bfs_search *search) {
    mg_bfs_device *s = (mg_bfs_device *)search;
    for (uint32_t i = 0; i < s->count; i++) mg_bfs_there_close(&s->there[i]);
    mg_bfs_host_close(&s->here.base);
    void *owned[] = {s->parents_here, s->levels_here, s->wanted, s->old, s->last, s->heard};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) mg_free(owned[i]);
}

/* In-arcs, on both sides. */
static meguri_status prepare_pull(meguri_ctx *ctx, meguri_bfs_search *search) {
    mg_bfs_device *s = (mg_bfs_device *)search;
    if (search->can_pull) return MEGURI_OK;
    meguri_status status = mg_bfs_prepare_pull(ctx, &s->here.base);
    for (uint32_t i = 0; i < s->count && status == MEGURI_OK; i++) {
        mg_bfs_there *d = &s->there[i];
        if (search->graph->directed && !d->in.rows) status = deal_rows(&d->in, ctx, s, &d->shares[1], &s->here.in, i);
        if (status == MEGURI_OK) status = mg_bfs_there_prepare_pull(ctx, d);
    }
    if (status != MEGURI_OK) return status;
    memcpy(search->row_sample, s->here.base.row_sample, sizeof search->row_sample);
    search->can_pull = true;
    return MEGURI_OK;
}

/* ---- a search --------------------------------------------------------------------------------------------------- */

static uint64_t bytes_moved(const mg_bfs_device *s) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < s->count; i++) sum += s->there[i].device->sent + s->there[i].device->received;
    return sum;
}

/* One device that has all rows begins by itself. */
static meguri_status start_there(meguri_ctx *ctx, mg_bfs_device *s) {
    mg_bfs_there *d = &s->there[0];
    d->entries = mg_bfs_pieces(s->base.frontier_arcs);
    d->queue_arcs = s->base.frontier_arcs;
    d->has_queue = true;
    return MG_LAUNCH(ctx, &d->kernels.start, MG_MAX(d->entries, 1u), d->device->group,
                     MG_VALUE(uint32_t, s->here.source), MG_BUFFER(&d->rows_out.offsets), MG_BUFFER(&d->visited),
                     MG_BUFFER(&d->other), MG_BUFFER(&d->parents), MG_BUFFER(&d->levels), MG_BUFFER(&d->queue));
}

/* Where the host has done all levels so far, devices hear of them as of any that it did. */
meguri_status mg_bfs_device_begin(meguri_ctx *ctx, mg_bfs_device *s) {
    meguri_status status = MEGURI_OK;
    if (s->used) return MEGURI_OK;
    s->used = true;
    for (uint32_t i = 0; i < s->count && status == MEGURI_OK; i++) status = mg_bfs_there_clear(ctx, &s->there[i]);
    if (status != MEGURI_OK || s->count > 1 || s->in_parts || s->base.step_count) return status;
    s->found_here = false;
    return start_there(ctx, s);
}

static meguri_status start(meguri_ctx *ctx, meguri_bfs_search *search, uint64_t position) {
    mg_bfs_device *s = (mg_bfs_device *)search;
    meguri_bfs_search *here = &s->here.base;
    meguri_status status = mg_bfs_on_host.start(ctx, here, position);
    search->traced = here->traced;
    search->visited_vertices = here->visited_vertices;
    search->unvisited = here->unvisited;
    search->frontier = here->frontier;
    search->frontier_arcs = here->frontier_arcs;
    search->visited_arcs = here->visited_arcs;
    s->host_edges = 0;
    s->kernel_seconds = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        mg_parts_start(&s->there[i].parts_out);
        mg_parts_start(&s->there[i].parts_in);
    }
    s->found_there = false;
    s->found_here = true; /* the source */
    s->used = false;
    s->moved = bytes_moved(s);
    return status;
}

static meguri_status step(mg_bfs_found *found, meguri_ctx *ctx, meguri_bfs_search *search, bool pull) {
    mg_bfs_device *s = (mg_bfs_device *)search;
    s->moved = bytes_moved(s);
    meguri_status status = pull ? prepare_pull(ctx, search) : MEGURI_OK;
    return status == MEGURI_OK ? mg_bfs_split_step(found, ctx, s, pull) : status;
}

/* ---- the end ---------------------------------------------------------------------------------------------------- */

/* What a device found is as if it had been found here: vertices [64 begin, 64 end). */
static void take_over(void *what, uint64_t begin, uint64_t end) {
    mg_bfs_device *s = what;
    mg_bfs_host *here = &s->here;
    for (uint64_t w = begin; w < end; w++) {
        uint64_t last = 0;
        for (uint32_t i = 0; i < 64 && 64 * w + i < here->rows; i++) {
            uint64_t v = 64 * w + i;
            int32_t level = s->levels_here[v];
            if (level < 0) continue;
            if (here->tree) here->tree[v] = mg_to_user(&here->numbering, s->parents_here[v]);
            if (here->tree_level) here->tree_level[v] = level;
            last |= (uint64_t)(level == (int32_t)s->base.depth) << i;
        }
        if (s->found_there) here->previous[w] = here->visited[w] & ~last;
    }
}

static meguri_status finish(mg_bfs_found *found, meguri_ctx *ctx, meguri_bfs_search *search, bool limited) {
    mg_bfs_device *s = (mg_bfs_device *)search;
    mg_bfs_host *here = &s->here;
    uint64_t rows = here->rows, words = mg_bitmap_words(rows);
    meguri_status status = MEGURI_OK;
    s->moved = bytes_moved(s);
    if (s->found_there)
        status = mg_buffer_read(ctx, &s->there[0].visited, 0, here->visited, words * sizeof *here->visited);
    for (uint32_t i = 0; i < s->count && s->used && status == MEGURI_OK; i++) {
        const mg_bfs_there *d = &s->there[i];
        status = mg_buffer_read(ctx, &d->levels, 0, s->levels_here, rows * sizeof *s->levels_here);
        if (status == MEGURI_OK && search->parent)
            status = mg_buffer_read(ctx, &d->parents, 0, s->parents_here, rows * sizeof *s->parents_here);
        mg_sweep sweep = {.ctx = ctx, .phase = "bfs", .total = words};
        if (status == MEGURI_OK) status = mg_sweep_over(&sweep, take_over, s, words);
    }
    if (status != MEGURI_OK) return status;
    if (s->found_there) here->has_list = false; /* the last level is what is visited and was not before */
    s->found_there = false;
    mg_bfs_lend(s);
    status = mg_bfs_on_host.finish(found, ctx, &here->base, limited);
    search->depth = here->base.depth;
    return status;
}

/* Bytes that went between host and device. */
static meguri_status trace(meguri_ctx *ctx, meguri_bfs_search *search, mg_step *line, meguri_bfs_direction way,
                           const mg_bfs_found *found) {
    mg_bfs_device *s = (mg_bfs_device *)search;
    (void)found;
    line->bytes = (int64_t)(bytes_moved(s) - s->moved);
    if (way != MEGURI_BFS_DIRECTION_FILL && s->share == 1) line->engine = meguri_engine_name(MEGURI_ENGINE_HOST);
    if (way == MEGURI_BFS_DIRECTION_FILL || s->share == 0) line->threads = -1;
    mg_trace(ctx, line);
    return MEGURI_OK;
}

/* How much the host did, and what devices have: the most arcs of one of them. */
static meguri_status facts(meguri_ctx *ctx, meguri_bfs_search *search) {
    mg_bfs_device *s = (mg_bfs_device *)search;
    mg_parts_sum sum = {.kernel_seconds = s->kernel_seconds};
    uint64_t most = 0;
    meguri_status status = mg_result_set_number(ctx, search->result, "host_edges", s->host_edges);
    for (uint32_t i = 0; i < s->count && status == MEGURI_OK; i++) {
        status = mg_parts_add(&sum, ctx, &s->there[i].parts_in);
        if (status == MEGURI_OK) status = mg_parts_add(&sum, ctx, &s->there[i].parts_out);
        sum.parts += s->there[i].parts_out.count;
        most = MG_MAX(most, s->there[i].out.arcs);
    }
    if (status == MEGURI_OK && s->in_parts) status = mg_parts_tell(ctx, search->result, &sum);
    else if (status == MEGURI_OK) status = mg_result_set_number(ctx, search->result, "parts", 0);
    return status == MEGURI_OK ? mg_devices_tell(ctx, search->result, s->count, most) : status;
}

/* Measured with PoCL; of no GPU. A vertex of a pull is brought together with others first, an arc of a push goes
 * through memory twice. */
static const mg_bfs_costs costs = {.push_arc = 6.0,
                                   .push_reach_far = 10.0,
                                   .push_reach_near = 6.0,
                                   .push_reach_long = 6.0,
                                   .push_word = 0,
                                   .pull_word = 20.0,
                                   .pull_vertex = 4.0,
                                   .pull_look = 1.5,
                                   .near_vertices = 1 << 19,
                                   .long_row = 128};

const mg_bfs_engine mg_bfs_on_device = {.engine = MEGURI_ENGINE_DEVICE,
                                        .bytes = sizeof(mg_bfs_device),
                                        .costs = &costs,
                                        .open = open,
                                        .prepare = prepare_pull,
                                        .start = start,
                                        .step = step,
                                        .finish = finish,
                                        .facts = facts,
                                        .trace = trace,
                                        .close = close,
                                        .check = mg_bfs_host_check};
