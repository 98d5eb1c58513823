/* Breadth-first search on a device (paper P1, sections 3.1 to 3.3): the kernels are in bfs.cl.
 *
 * The graph, the bitmaps, parents and levels stay on the device; after each step the host reads the eight words that
 * the step has counted in, and at the end parents and levels. Vertices of degree one are left out, as on the host
 * (bfs_prepare.c), and filled in there. A push takes two launches (more, in slices, where the arcs of the frontier
 * exceed their list), a pull two, and a push after a pull three more, which make the queue from the bitmap. */
#include "algo/bfs/bfs.h"
#include "device/device.h"
#include "policy/policy.h"

extern const char mg_bfs_cl[];

#define PIECE 512 /* arcs that an entry of the queue stands for, at most */

enum { ENTRIES, REACHED, ARCS, ARCS_HIGH, EDGES, EDGES_HIGH, COUNTERS = 8 }; /* as in bfs.cl */

/* X(kernel): of bfs.cl, with bfs_ before their names. */
#define KERNEL_LIST(X)                                                                                                 \
    X(masks)                                                                                                           \
    X(start)                                                                                                           \
    X(expand)                                                                                                          \
    X(contract)                                                                                                        \
    X(pull_large)                                                                                                      \
    X(pull_small)                                                                                                      \
    X(count_entries)                                                                                                   \
    X(list_entries)

typedef struct device_search {
    meguri_bfs_search base;
    mg_device *device;
    mg_rows out, in; /* as the host has them */
    mg_numbering numbering;
    uint32_t rows, first_leaf, words;
    uint32_t source; /* internal number */
    uint32_t candidates;

    struct {
#define FIELD(name) mg_kernel name;
        KERNEL_LIST(FIELD)
#undef FIELD
    } kernels;
    mg_primitives primitives;
    mg_device_rows device_out, device_in; /* device_in: of directed graphs */
    mg_buffer visited, other;             /* after a pull `other` is what was visited before it */
    mg_buffer large, small;
    mg_buffer parents, levels;
    mg_buffer queue, next_queue;
    mg_buffer list, tails; /* arcs between the phases of a push */
    uint64_t list_arcs;    /* that it has room for */
    mg_buffer sums;
    mg_buffer counters[2];  /* of this step, and of the next */
    uint32_t turn;          /* of `tails` */
    uint64_t entries;       /* of the queue */
    bool has_queue;         /* else the frontier is visited & ~other */
    uint64_t moved;         /* bytes, before the step */
    uint32_t *parents_here; /* read back */
    int32_t *levels_here;
} device_search;

/* ---- what searches share ---------------------------------------------------------------------------------------- */

static meguri_status make_kernels(meguri_ctx *ctx, device_search *s) {
    static const mg_kernel_text text = {"bfs.cl", mg_bfs_cl};
    char options[64];
    snprintf(options, sizeof options, "-D OFFSET=%s -D PIECE=%d", s->device_out.wide ? "ulong" : "uint", PIECE);
    const struct {
        mg_kernel *kernel;
        const char *name;
    } all[] = {
#define ROW(name) {&s->kernels.name, "bfs_" #name},
        KERNEL_LIST(ROW)
#undef ROW
    };
    meguri_status status = MEGURI_OK;
    for (size_t i = 0; i < sizeof all / sizeof *all && status == MEGURI_OK; i++)
        status = mg_kernel_new(all[i].kernel, ctx, s->device, &text, options, all[i].name);
    return status;
}

/* The list of arcs takes what is left, up to all arcs; slices of the frontier are as long as it has room for. */
static uint64_t list_room(const device_search *s) {
    uint64_t left = MG_MIN((s->device->memory - s->device->used) / 2, s->device->largest) / sizeof(uint64_t);
    return MG_MAX(MG_MIN(s->out.arcs, left), (uint64_t)s->device->group * PIECE);
}

static meguri_status make_buffers(meguri_ctx *ctx, device_search *s) {
    uint64_t words = MG_MAX(s->words, 1u), entries = s->rows + s->out.arcs / PIECE;
    const struct {
        mg_buffer *buffer;
        uint64_t count;
        size_t size;
        const char *what;
    } all[] = {{&s->visited, words, 4, "the bitmaps of a search"},
               {&s->other, words, 4, "the bitmaps of a search"},
               {&s->parents, s->rows, 4, "the parents of a search"},
               {&s->levels, s->rows, 4, "the levels of a search"},
               {&s->queue, entries, 8, "the frontier of a search"},
               {&s->next_queue, entries, 8, "the frontier of a search"},
               {&s->tails, 2, 4, "the counters of a search"},
               {&s->sums, words / s->device->group + 1, 4, "the counters of a search"},
               {&s->counters[0], COUNTERS, 4, "the counters of a search"},
               {&s->counters[1], COUNTERS, 4, "the counters of a search"}};
    meguri_status status = MEGURI_OK;
    for (size_t i = 0; i < sizeof all / sizeof *all && status == MEGURI_OK; i++)
        status = mg_buffer_new(all[i].buffer, ctx, s->device, all[i].count, all[i].size, all[i].what);
    return status;
}

static meguri_status open(meguri_ctx *ctx, meguri_bfs_search *search) {
    device_search *s = (device_search *)search;
    meguri_status status = mg_device_get(&s->device, ctx);
    if (status == MEGURI_OK) status = mg_graph_rows(&s->out, ctx, search->graph);
    if (status == MEGURI_OK) status = mg_graph_numbering(&s->numbering, ctx, search->graph);
    if (status != MEGURI_OK) return status;
    s->rows = (uint32_t)s->out.rows;
    s->first_leaf = s->candidates = mg_graph_first_leaf(search->graph, &s->out);
    s->words = (s->rows + 31) / 32;
    search->vertices = s->first_leaf;
    search->arcs = s->out.arcs;
    search->total = s->rows;
    s->parents_here = mg_alloc_array(ctx, s->rows, sizeof *s->parents_here, "the result of a search");
    if (s->parents_here)
        s->levels_here = mg_alloc_array(ctx, s->rows, sizeof *s->levels_here, "the result of a search");
    if (!s->levels_here) return MEGURI_NO_MEMORY;
    status = mg_device_rows_new(&s->device_out, ctx, s->device, &s->out, 0);
    if (status == MEGURI_OK) status = make_buffers(ctx, s);
    if (status == MEGURI_OK) status = make_kernels(ctx, s);
    return status == MEGURI_OK ? mg_primitives_open(&s->primitives, ctx, s->device, s->words) : status;
}

static void close(meguri_bfs_search *search) {
    device_search *s = (device_search *)search;
    mg_buffer *buffers[] = {&s->visited,    &s->other, &s->large, &s->small, &s->parents,     &s->levels,     &s->queue,
                            &s->next_queue, &s->list,  &s->tails, &s->sums,  &s->counters[0], &s->counters[1]};
    mg_kernel *kernels[] = {
#define POINT(name) &s->kernels.name,
        KERNEL_LIST(POINT)
#undef POINT
    };
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) mg_buffer_free(buffers[i]);
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) mg_kernel_free(kernels[i]);
    mg_primitives_close(&s->primitives);
    mg_device_rows_free(&s->device_out);
    mg_device_rows_free(&s->device_in);
    mg_free(s->parents_here);
    mg_free(s->levels_here);
}

static const mg_device_rows *in_rows(const device_search *s) {
    return s->base.graph->directed ? &s->device_in : &s->device_out;
}

/* In-arcs, and the masks that say by whom each vertex is looked at. */
static meguri_status prepare_pull(meguri_ctx *ctx, meguri_bfs_search *search) {
    device_search *s = (device_search *)search;
    if (search->can_pull) return MEGURI_OK;
    meguri_status status = mg_graph_in_rows(&s->in, ctx, search->graph);
    if (status == MEGURI_OK && search->graph->directed && !s->device_in.offsets.device)
        status = mg_device_rows_new(&s->device_in, ctx, s->device, &s->in, 0);
    if (status == MEGURI_OK && !s->large.device)
        status = mg_buffer_new(&s->large, ctx, s->device, MG_MAX(s->words, 1u), 4, "the masks of a search");
    if (status == MEGURI_OK && !s->small.device)
        status = mg_buffer_new(&s->small, ctx, s->device, MG_MAX(s->words, 1u), 4, "the masks of a search");
    if (status == MEGURI_OK) status = mg_buffer_fill(ctx, &s->counters[0], 0);
    if (status == MEGURI_OK)
        status = MG_LAUNCH(ctx, &s->kernels.masks, s->words, s->device->group, MG_BUFFER(&in_rows(s)->offsets),
                           MG_VALUE(uint32_t, s->first_leaf), MG_VALUE(uint32_t, s->words), MG_BUFFER(&s->large),
                           MG_BUFFER(&s->small), MG_BUFFER(&s->counters[0]));
    uint32_t counters[COUNTERS] = {0};
    if (status == MEGURI_OK) status = mg_buffer_read(ctx, &s->counters[0], 0, counters, sizeof counters);
    if (status == MEGURI_OK) status = mg_buffer_fill(ctx, &s->counters[0], 0);
    if (status != MEGURI_OK) return status;
    s->candidates = counters[REACHED];
    for (uint64_t i = 0; i < MG_BFS_SAMPLE; i++) {
        uint64_t v = i * s->first_leaf / MG_BFS_SAMPLE;
        search->row_sample[i] = (uint32_t)(mg_row_end(&s->in, v) - mg_row_begin(&s->in, v));
    }
    search->can_pull = true;
    return MEGURI_OK;
}

/* ---- a search --------------------------------------------------------------------------------------------------- */

static uint64_t pieces(uint64_t degree) { return (degree + PIECE - 1) / PIECE; }

static bool has_in(const device_search *s, uint32_t v) {
    return !s->base.can_pull || mg_row_end(&s->in, v) > mg_row_begin(&s->in, v);
}

static meguri_status clear(meguri_ctx *ctx, device_search *s) {
    mg_buffer *zero[] = {&s->visited, &s->other, &s->tails, &s->counters[0], &s->counters[1]};
    meguri_status status = mg_buffer_fill(ctx, &s->levels, UINT32_MAX);
    for (size_t i = 0; i < sizeof zero / sizeof *zero && status == MEGURI_OK; i++)
        status = mg_buffer_fill(ctx, zero[i], 0);
    return status;
}

static meguri_status start(meguri_ctx *ctx, meguri_bfs_search *search, uint64_t position) {
    device_search *s = (device_search *)search;
    uint32_t source = s->source = mg_to_internal(&s->numbering, (uint32_t)position);
    uint64_t degree = mg_row_end(&s->out, source) - mg_row_begin(&s->out, source);
    search->traced = mg_trace_on(ctx);
    search->visited_vertices = 1;
    search->unvisited = s->candidates;
    if (source < s->first_leaf && has_in(s, source)) search->unvisited--;
    search->frontier = source < s->rows; /* nothing leaves an isolated vertex */
    search->frontier_arcs = search->visited_arcs = degree;
    s->entries = pieces(degree);
    s->has_queue = true;
    s->turn = 0;
    s->moved = s->device->sent + s->device->received;
    meguri_status status = clear(ctx, s);
    if (status != MEGURI_OK || !search->frontier) return status;
    return MG_LAUNCH(ctx, &s->kernels.start, MG_MAX(s->entries, 1u), s->device->group, MG_VALUE(uint32_t, source),
                     MG_BUFFER(&s->device_out.offsets), MG_BUFFER(&s->visited), MG_BUFFER(&s->other),
                     MG_BUFFER(&s->parents), MG_BUFFER(&s->levels), MG_BUFFER(&s->queue));
}

static void swap(mg_buffer *a, mg_buffer *b) {
    mg_buffer other = *a;
    *a = *b;
    *b = other;
}

/* What the step counted; the next one has counters that were set to zero meanwhile. */
static meguri_status read_counters(mg_bfs_found *found, meguri_ctx *ctx, device_search *s) {
    uint32_t words[COUNTERS];
    meguri_status status = mg_buffer_read(ctx, &s->counters[0], 0, words, sizeof words);
    if (status != MEGURI_OK) return status;
    *found = (mg_bfs_found){.reached = words[REACHED],
                            .arcs = words[ARCS] + ((uint64_t)words[ARCS_HIGH] << 32),
                            .edges = words[EDGES] + ((uint64_t)words[EDGES_HIGH] << 32)};
    if (found->reached) s->entries = words[ENTRIES];
    swap(&s->counters[0], &s->counters[1]);
    return MEGURI_OK;
}

/* ---- push ------------------------------------------------------------------------------------------------------- */

static meguri_status need_queue(meguri_ctx *ctx, device_search *s) {
    uint32_t group = s->device->group;
    if (s->has_queue) return MEGURI_OK;
    meguri_status status =
        MG_LAUNCH(ctx, &s->kernels.count_entries, s->words, group, MG_BUFFER(&s->visited), MG_BUFFER(&s->other),
                  MG_VALUE(uint32_t, s->words), MG_BUFFER(&s->device_out.offsets), MG_BUFFER(&s->sums));
    if (status == MEGURI_OK)
        status = mg_device_exscan(ctx, &s->primitives, &s->sums, (s->words + (uint64_t)group - 1) / group);
    if (status == MEGURI_OK)
        status = MG_LAUNCH(ctx, &s->kernels.list_entries, s->words, group, MG_BUFFER(&s->visited), MG_BUFFER(&s->other),
                           MG_VALUE(uint32_t, s->words), MG_BUFFER(&s->device_out.offsets), MG_BUFFER(&s->sums),
                           MG_BUFFER(&s->queue));
    s->has_queue = status == MEGURI_OK;
    return status;
}

/* Entries [first, last) of the queue, of which the list holds all arcs: at most `arcs`. */
static meguri_status push_slice(meguri_ctx *ctx, device_search *s, uint64_t first, uint64_t last, uint64_t arcs) {
    const uint32_t group = s->device->group, each = 8; /* as in bfs.cl */
    meguri_status status = MG_LAUNCH(ctx, &s->kernels.expand, last - first, group, MG_BUFFER(&s->queue),
                                     MG_VALUE(uint32_t, (uint32_t)first), MG_VALUE(uint32_t, (uint32_t)last),
                                     MG_BUFFER(&s->device_out.offsets), MG_BUFFER(&s->device_out.neighbors),
                                     MG_BUFFER(&s->list), MG_BUFFER(&s->tails), MG_VALUE(uint32_t, s->turn));
    if (status == MEGURI_OK)
        status = MG_LAUNCH(ctx, &s->kernels.contract, (arcs + each - 1) / each, group, MG_BUFFER(&s->list),
                           MG_BUFFER(&s->tails), MG_VALUE(uint32_t, s->turn), MG_VALUE(uint32_t, s->first_leaf),
                           MG_BUFFER(&s->device_out.offsets), MG_BUFFER(&s->visited), MG_BUFFER(&s->parents),
                           MG_BUFFER(&s->levels), MG_VALUE(int32_t, (int32_t)s->base.depth + 1),
                           MG_BUFFER(&s->next_queue), MG_BUFFER(&s->counters[0]), MG_BUFFER(&s->counters[1]));
    s->turn = 1 - s->turn;
    return status;
}

static meguri_status push(meguri_ctx *ctx, device_search *s) {
    meguri_status status = MEGURI_OK;
    if (!s->list.device) {
        s->list_arcs = list_room(s);
        status = mg_buffer_new(&s->list, ctx, s->device, s->list_arcs, 8, "the arcs of a step");
    }
    if (status == MEGURI_OK) status = need_queue(ctx, s);
    bool whole = !s->device_out.wide && s->base.frontier_arcs <= s->list_arcs; /* sums of 32 bits are exact then */
    uint64_t slice = whole ? s->entries : s->list_arcs / PIECE;
    for (uint64_t first = 0; first < s->entries && status == MEGURI_OK; first += slice) {
        uint64_t last = MG_MIN(first + slice, s->entries);
        status = push_slice(ctx, s, first, last, whole ? s->base.frontier_arcs : (last - first) * PIECE);
    }
    swap(&s->queue, &s->next_queue);
    return status;
}

/* ---- pull ------------------------------------------------------------------------------------------------------- */

static meguri_status pull(meguri_ctx *ctx, device_search *s) {
    const mg_device_rows *in = in_rows(s);
    const int32_t level = (int32_t)s->base.depth + 1;
    meguri_status status = prepare_pull(ctx, &s->base);
    if (status == MEGURI_OK)
        status = MG_LAUNCH(ctx, &s->kernels.pull_large, s->words, s->device->width, MG_BUFFER(&s->visited),
                           MG_BUFFER(&s->large), MG_VALUE(uint32_t, s->words), MG_BUFFER(&in->offsets),
                           MG_BUFFER(&in->neighbors), MG_BUFFER(&s->device_out.offsets), MG_BUFFER(&s->other),
                           MG_BUFFER(&s->parents), MG_BUFFER(&s->levels), MG_VALUE(int32_t, level),
                           MG_BUFFER(&s->counters[0]), MG_BUFFER(&s->counters[1]));
    if (status == MEGURI_OK)
        status = MG_LAUNCH(ctx, &s->kernels.pull_small, s->words, s->device->group, MG_BUFFER(&s->visited),
                           MG_BUFFER(&s->small), MG_VALUE(uint32_t, s->words), MG_BUFFER(&in->offsets),
                           MG_BUFFER(&in->neighbors), MG_BUFFER(&s->device_out.offsets), MG_BUFFER(&s->other),
                           MG_BUFFER(&s->parents), MG_BUFFER(&s->levels), MG_VALUE(int32_t, level),
                           MG_BUFFER(&s->counters[0]));
    swap(&s->visited, &s->other);
    s->has_queue = false;
    return status;
}

static meguri_status step(mg_bfs_found *found, meguri_ctx *ctx, meguri_bfs_search *search, bool by_pull) {
    device_search *s = (device_search *)search;
    s->moved = s->device->sent + s->device->received;
    meguri_status status = by_pull ? pull(ctx, s) : push(ctx, s);
    return status == MEGURI_OK ? read_counters(found, ctx, s) : status;
}

/* ---- the end ---------------------------------------------------------------------------------------------------- */

typedef struct finish_job {
    device_search *s;
    int32_t deepest; /* a leaf of whose neighbour counts */
    uint64_t leaves; /* reached */
    int32_t depth;   /* of the deepest vertex */
} finish_job;

/* The level of v, and its parent: a leaf has those that its only neighbour gives it. */
static int32_t level_of(const finish_job *job, uint32_t v, uint32_t *parent) {
    const device_search *s = job->s;
    if (v < s->first_leaf || v == s->source) {
        *parent = s->parents_here[v];
        return s->levels_here[v];
    }
    uint32_t only = s->out.neighbors[mg_row_begin(&s->out, v)];
    int32_t level = only < s->first_leaf || only == s->source ? s->levels_here[only] : -1;
    *parent = only;
    return level >= 0 && level <= job->deepest ? level + 1 : -1;
}

static void finish_positions(void *what, uint64_t begin, uint64_t end) {
    finish_job *job = what;
    const device_search *s = job->s;
    uint64_t leaves = 0;
    int32_t depth = 0;
    for (uint64_t p = begin; p < end; p++) {
        uint32_t v = mg_to_internal(&s->numbering, (uint32_t)p), parent = v;
        int32_t level = v < s->rows ? level_of(job, v, &parent) : v == s->source ? 0 : -1;
        if (s->base.level) s->base.level[p] = level;
        if (s->base.parent) s->base.parent[p] = level < 0 ? MEGURI_NO_VERTEX : mg_to_user(&s->numbering, parent);
        leaves += level >= 0 && v >= s->first_leaf && v < s->rows && v != s->source;
        depth = MG_MAX(depth, level);
    }
    mg_fetch_add(&job->leaves, leaves);
    mg_atomic_max_u32((uint32_t *)&job->depth, (uint32_t)depth);
}

static meguri_status finish(mg_bfs_found *found, meguri_ctx *ctx, meguri_bfs_search *search, bool limited) {
    device_search *s = (device_search *)search;
    uint64_t vertices = search->graph->vertices;
    finish_job job = {.s = s, .deepest = limited ? (int32_t)search->depth - 1 : INT32_MAX - 1};
    s->moved = s->device->sent + s->device->received;
    meguri_status status = mg_buffer_read(ctx, &s->levels, 0, s->levels_here, s->rows * sizeof *s->levels_here);
    if (status == MEGURI_OK && search->parent)
        status = mg_buffer_read(ctx, &s->parents, 0, s->parents_here, s->rows * sizeof *s->parents_here);
    if (status != MEGURI_OK) return status;
    mg_sweep sweep = {.ctx = ctx, .phase = "bfs", .total = vertices};
    status = mg_sweep_over(&sweep, finish_positions, &job, vertices);
    if (status != MEGURI_OK) return status;
    search->depth = MG_MAX(search->depth, (uint32_t)job.depth);
    *found = (mg_bfs_found){.reached = job.leaves, .edges = s->rows - s->first_leaf};
    return MEGURI_OK;
}

/* Bytes that went between host and device. */
static meguri_status trace(meguri_ctx *ctx, meguri_bfs_search *search, mg_step *line, meguri_bfs_way way,
                           const mg_bfs_found *found) {
    device_search *s = (device_search *)search;
    (void)way, (void)found;
    line->bytes = (int64_t)(s->device->sent + s->device->received - s->moved);
    line->threads = -1;
    mg_trace(ctx, line);
    return MEGURI_OK;
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
                                        .bytes = sizeof(device_search),
                                        .costs = &costs,
                                        .open = open,
                                        .prepare = prepare_pull,
                                        .start = start,
                                        .step = step,
                                        .finish = finish,
                                        .trace = trace,
                                        .close = close,
                                        .check = mg_bfs_host_check};
