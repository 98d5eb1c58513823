/* Breadth-first search with a device (papers P1 and P5): what searches share, and the end.
 *
 * The graph, bitmaps, parents and levels stay on the device; after each step the host reads the eight words that the
 * step has counted in, and at the end parents and levels. Where the graph does not fit, its offsets are there, and rows
 * come as steps need them. Vertices of degree one are left out, as on the host (bfs_prepare.c), and filled in there. */
#include "algo/bfs/bfs_device.h"

#include "policy/policy.h"

extern const char mg_bfs_cl[];

/* ---- what searches share ---------------------------------------------------------------------------------------- */

static meguri_status make_kernels(meguri_ctx *ctx, mg_bfs_device *s) {
    static const mg_kernel_text text = {"bfs.cl", mg_bfs_cl};
    char options[64];
    snprintf(options, sizeof options, "-D OFFSET=%s -D PIECE=%d", s->device_out.wide ? "ulong" : "uint", MG_BFS_PIECE);
    const struct {
        mg_kernel *kernel;
        const char *name;
    } all[] = {
#define ROW(name) {&s->kernels.name, "bfs_" #name},
        MG_BFS_KERNEL_LIST(ROW)
#undef ROW
    };
    meguri_status status = MEGURI_OK;
    for (size_t i = 0; i < sizeof all / sizeof *all && status == MEGURI_OK; i++)
        status = mg_kernel_new(all[i].kernel, ctx, s->device, &text, options, all[i].name);
    return status;
}

/* X(buffer, items, bytes of one, whether it is for whole graphs alone, what) */
#define BUFFER_LIST(X)                                                                                                 \
    X(visited, words, 4, false, "the bitmaps of a search")                                                             \
    X(other, words, 4, false, "the bitmaps of a search")                                                               \
    X(parents, rows, 4, false, "the parents of a search")                                                              \
    X(levels, rows, 4, false, "the levels of a search")                                                                \
    X(counters[0], MG_BFS_COUNTERS, 4, false, "the counters of a search")                                              \
    X(counters[1], MG_BFS_COUNTERS, 4, false, "the counters of a search")                                              \
    X(queue, entries, 8, true, "the frontier of a search")                                                             \
    X(next_queue, entries, 8, true, "the frontier of a search")                                                        \
    X(tails, 2, 4, true, "the counters of a search")                                                                   \
    X(sums, words / s->device->group + 1, 4, true, "the counters of a search")

static meguri_status make_buffers(meguri_ctx *ctx, mg_bfs_device *s) {
    uint64_t words = s->words, rows = s->here.rows, entries = rows + s->here.out.arcs / MG_BFS_PIECE;
    const struct {
        mg_buffer *buffer;
        uint64_t count;
        size_t size;
        bool whole;
        const char *what;
    } all[] = {
#define ROW(name, count, size, whole, what) {&s->name, count, size, whole, what},
        BUFFER_LIST(ROW)
#undef ROW
    };
    meguri_status status = MEGURI_OK;
    for (size_t i = 0; i < sizeof all / sizeof *all && status == MEGURI_OK; i++)
        if (!all[i].whole || !s->in_parts)
            status = mg_buffer_new(all[i].buffer, ctx, s->device, all[i].count, all[i].size, all[i].what);
    return status;
}

/* Whether the graph and what a search needs beside it fit the device. */
static bool fits(const mg_bfs_device *s) {
    const mg_rows *out = &s->here.out;
    uint64_t words = s->words, rows = s->here.rows, entries = rows + out->arcs / MG_BFS_PIECE, sum = 1 << 12;
    sum += (rows + 1) * (out->offsets32 ? 4 : 8) + out->arcs * sizeof *out->neighbors;
#define ADD(name, count, size, whole, what) sum += (uint64_t)(count) * (size);
    BUFFER_LIST(ADD)
#undef ADD
    sum +=
        2 * words * 4 + (uint64_t)s->device->group * MG_BFS_PIECE * 8; /* masks of a pull, the least list of a push */
    return sum <= s->device->memory - s->device->used && out->arcs <= s->device->largest / sizeof *out->neighbors;
}

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
    uint64_t **bitmaps[] = {&s->wanted, &s->old, &s->there};
    for (int i = 0; i < 3 && s->levels_here; i++) {
        *bitmaps[i] = mg_alloc_array_zero(ctx, s->words / 2, sizeof(uint64_t), "the bitmaps of a search");
        if (!*bitmaps[i]) return MEGURI_NO_MEMORY;
    }
    return s->levels_here ? MEGURI_OK : MEGURI_NO_MEMORY;
}

static meguri_status open(meguri_ctx *ctx, meguri_bfs_search *search) {
    mg_bfs_device *s = (mg_bfs_device *)search;
    meguri_status status = mg_device_get(&s->device, ctx);
    if (status == MEGURI_OK) status = open_here(ctx, s);
    if (status != MEGURI_OK) return status;
    s->in_parts = !fits(s);
    mg_rows there = s->here.out;
    if (s->in_parts) there.arcs = 0; /* their offsets alone */
    status = mg_device_rows_new(&s->device_out, ctx, s->device, &there, 0);
    if (status == MEGURI_OK) status = make_buffers(ctx, s);
    if (status == MEGURI_OK) status = make_kernels(ctx, s);
    if (status == MEGURI_OK) status = mg_primitives_open(&s->primitives, ctx, s->device, s->words);
    mg_bfs_split_start(ctx, s);
    return status == MEGURI_OK && s->in_parts ? mg_bfs_parts_open(ctx, s) : status;
}

static void close(meguri_bfs_search *search) {
    mg_bfs_device *s = (mg_bfs_device *)search;
    mg_buffer *buffers[] = {&s->visited,    &s->other, &s->large, &s->small, &s->parents,     &s->levels,     &s->queue,
                            &s->next_queue, &s->list,  &s->tails, &s->sums,  &s->counters[0], &s->counters[1]};
    mg_kernel *kernels[] = {
#define POINT(name) &s->kernels.name,
        MG_BFS_KERNEL_LIST(POINT)
#undef POINT
    };
    mg_bfs_parts_close(s);
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) mg_buffer_free(buffers[i]);
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) mg_kernel_free(kernels[i]);
    mg_primitives_close(&s->primitives);
    mg_device_rows_free(&s->device_out);
    mg_device_rows_free(&s->device_in);
    mg_bfs_host_close(&s->here.base);
    mg_free(s->parents_here);
    mg_free(s->levels_here);
    mg_free(s->wanted);
    mg_free(s->old);
    mg_free(s->there);
}

/* The masks that say by whom each vertex is looked at. */
static meguri_status make_masks(meguri_ctx *ctx, mg_bfs_device *s) {
    const mg_device_rows *in = s->base.graph->directed ? &s->device_in : &s->device_out;
    meguri_status status = MEGURI_OK;
    if (!s->large.device) status = mg_buffer_new(&s->large, ctx, s->device, s->words, 4, "the masks of a search");
    if (status == MEGURI_OK && !s->small.device)
        status = mg_buffer_new(&s->small, ctx, s->device, s->words, 4, "the masks of a search");
    if (status != MEGURI_OK) return status;
    return MG_LAUNCH(ctx, &s->kernels.masks, s->words, s->device->group, MG_BUFFER(&in->offsets),
                     MG_VALUE(uint32_t, s->here.first_leaf), MG_VALUE(uint32_t, s->words), MG_BUFFER(&s->large),
                     MG_BUFFER(&s->small));
}

/* In-arcs, on both sides. */
static meguri_status prepare_pull(meguri_ctx *ctx, meguri_bfs_search *search) {
    mg_bfs_device *s = (mg_bfs_device *)search;
    if (search->can_pull) return MEGURI_OK;
    meguri_status status = mg_bfs_prepare_pull(ctx, &s->here.base);
    if (status == MEGURI_OK && s->in_parts) status = mg_bfs_parts_prepare_pull(ctx, s);
    if (status == MEGURI_OK && !s->in_parts && search->graph->directed && !s->device_in.offsets.device)
        status = mg_device_rows_new(&s->device_in, ctx, s->device, &s->here.in, 0);
    if (status == MEGURI_OK && !s->in_parts) status = make_masks(ctx, s);
    if (status != MEGURI_OK) return status;
    memcpy(search->row_sample, s->here.base.row_sample, sizeof search->row_sample);
    search->can_pull = true;
    return MEGURI_OK;
}

/* ---- a search --------------------------------------------------------------------------------------------------- */

static meguri_status clear(meguri_ctx *ctx, mg_bfs_device *s) {
    mg_buffer *zero[] = {&s->visited, &s->other, &s->tails, &s->counters[0], &s->counters[1]};
    meguri_status status = mg_buffer_fill(ctx, &s->levels, UINT32_MAX);
    for (size_t i = 0; i < sizeof zero / sizeof *zero && status == MEGURI_OK; i++)
        if (zero[i]->device) status = mg_buffer_fill(ctx, zero[i], 0);
    return status;
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
    s->entries = mg_bfs_pieces(search->frontier_arcs);
    s->queue_arcs = search->frontier_arcs;
    s->host_edges = 0;
    s->has_queue = true;
    s->turn = 0;
    s->found_there = false;
    s->found_here = s->in_parts; /* the source */
    s->moved = s->device->sent + s->device->received;
    if (status == MEGURI_OK) status = clear(ctx, s);
    if (status != MEGURI_OK || !search->frontier || s->in_parts) return status;
    return MG_LAUNCH(ctx, &s->kernels.start, MG_MAX(s->entries, 1u), s->device->group,
                     MG_VALUE(uint32_t, s->here.source), MG_BUFFER(&s->device_out.offsets), MG_BUFFER(&s->visited),
                     MG_BUFFER(&s->other), MG_BUFFER(&s->parents), MG_BUFFER(&s->levels), MG_BUFFER(&s->queue));
}

static meguri_status step(mg_bfs_found *found, meguri_ctx *ctx, meguri_bfs_search *search, bool pull) {
    mg_bfs_device *s = (mg_bfs_device *)search;
    s->moved = s->device->sent + s->device->received;
    meguri_status status = pull ? prepare_pull(ctx, search) : MEGURI_OK;
    return status == MEGURI_OK ? mg_bfs_split_step(found, ctx, s, pull) : status;
}

/* ---- the end ---------------------------------------------------------------------------------------------------- */

/* What the device found is as if it had been found here: vertices [64 begin, 64 end). */
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
    s->moved = s->device->sent + s->device->received;
    meguri_status status = mg_buffer_read(ctx, &s->levels, 0, s->levels_here, rows * sizeof *s->levels_here);
    if (status == MEGURI_OK && search->parent)
        status = mg_buffer_read(ctx, &s->parents, 0, s->parents_here, rows * sizeof *s->parents_here);
    if (status == MEGURI_OK && s->found_there)
        status = mg_buffer_read(ctx, &s->visited, 0, here->visited, words * sizeof *here->visited);
    if (status != MEGURI_OK) return status;
    mg_sweep sweep = {.ctx = ctx, .phase = "bfs", .total = words};
    status = mg_sweep_over(&sweep, take_over, s, words);
    if (status != MEGURI_OK) return status;
    if (s->found_there) here->has_list = false; /* the last level is what is visited and was not before */
    s->found_there = false;
    mg_bfs_lend(s);
    status = mg_bfs_on_host.finish(found, ctx, &here->base, limited);
    search->depth = here->base.depth;
    return status;
}

/* Bytes that went between host and device. */
static meguri_status trace(meguri_ctx *ctx, meguri_bfs_search *search, mg_step *line, meguri_bfs_way way,
                           const mg_bfs_found *found) {
    mg_bfs_device *s = (mg_bfs_device *)search;
    (void)way, (void)found;
    line->bytes = (int64_t)(s->device->sent + s->device->received - s->moved);
    if (way != MEGURI_BFS_WAY_FILL && s->share == 1) line->engine = meguri_engine_name(MEGURI_ENGINE_HOST);
    if (way == MEGURI_BFS_WAY_FILL || s->share == 0) line->threads = -1;
    mg_trace(ctx, line);
    return MEGURI_OK;
}

/* How much the host did. */
static meguri_status facts(meguri_ctx *ctx, meguri_bfs_search *search) {
    mg_bfs_device *s = (mg_bfs_device *)search;
    meguri_status status = mg_result_set_number(ctx, search->result, "host_edges", s->host_edges);
    return status == MEGURI_OK ? mg_result_set_number(ctx, search->result, "parts", s->parts_out.count) : status;
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
