/* Shortest paths on a device: a search as a row of the table of engines, from rows on the device to distances and
 * parents in the user's order. How distances are found is a strategy's (sssp_device_phases.c, sssp_device_near.c); here
 * is what all have. */
#include "algo/sssp/sssp_device.h"

extern const char mg_sssp_cl[];

static const mg_sssp_strategy *const strategies[] = {[MEGURI_SSSP_ALL] = &mg_sssp_all,
                                                     [MEGURI_SSSP_SELECTED] = &mg_sssp_selected,
                                                     [MEGURI_SSSP_ADAPTIVE] = &mg_sssp_adaptive,
                                                     [MEGURI_SSSP_NEAR_FAR] = &mg_sssp_near_far,
                                                     [MEGURI_SSSP_SETTLE] = &mg_sssp_settle};

/* ---- kernels and memory ----------------------------------------------------------------------------------------- */

static void close_kernels(mg_sssp_device *s) {
    mg_kernel *kernels[] = {
#define POINT(name) &s->kernels.name,
        MG_SSSP_KERNEL_LIST(POINT)
#undef POINT
    };
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) mg_kernel_free(kernels[i]);
}

static meguri_status make_kernels(meguri_ctx *ctx, mg_sssp_device *s) {
    static const mg_kernel_text text = {"sssp.cl", mg_sssp_cl};
    static const char *const weights[] = {[MEGURI_TYPE_NONE] = "",
                                          [MEGURI_TYPE_U8] = " -D WEIGHT=uchar",
                                          [MEGURI_TYPE_U16] = " -D WEIGHT=ushort",
                                          [MEGURI_TYPE_U32] = " -D WEIGHT=uint",
                                          [MEGURI_TYPE_F32] = " -D WEIGHT=float",
                                          [MEGURI_TYPE_F64] = " -D WEIGHT=double"};
    char options[128];
    snprintf(options, sizeof options, "-D OFFSET=%s -D PIECE=%d -D TAKE=%u%s%s%s%s", s->out.wide ? "ulong" : "uint",
             MG_SSSP_ROW_PIECE, mg_sssp_take(s), weights[s->weights], s->wide ? " -D WIDE" : "",
             s->plan.real ? " -D REAL" : "", s->lanes > 1 ? " -D LANES" : "");
    const mg_kernel_row all[] = {
#define ROW(name) {&s->kernels.name, "sssp_" #name},
        MG_SSSP_KERNEL_LIST(ROW)
#undef ROW
    };
    return mg_kernels_new(all, sizeof all / sizeof *all, ctx, s->device, &text, options);
}

static uint32_t pieces_of(const mg_sssp_device *s, uint32_t v) {
    uint64_t degree = mg_row_end(&s->plan.out, v) - mg_row_begin(&s->plan.out, v);
    return (uint32_t)((degree + MG_SSSP_ROW_PIECE - 1) / MG_SSSP_ROW_PIECE);
}

/* The one that tells several what to do has nothing on a device. */
static meguri_status width_of_several(meguri_ctx *ctx, mg_sssp_device *s) {
    meguri_status status = MEGURI_OK;
    for (uint32_t i = 0; i < s->devices && status == MEGURI_OK; i++)
        status = mg_sssp_device_width(ctx, &s->workers[i], s->wide);
    mg_sssp_here_close(s);
    if (status == MEGURI_OK) status = mg_sssp_here_open(ctx, s);
    return status == MEGURI_OK && s->strategy->settles ? mg_sssp_settle_open(ctx, s) : status;
}

meguri_status mg_sssp_device_width(meguri_ctx *ctx, mg_sssp_device *s, bool wide) {
    size_t bytes = wide ? 8 : 4;
    s->wide = wide;
    mg_free(s->lower_here);
    s->lower_here = mg_alloc_array(ctx, s->rows, bytes, "the result of a search");
    if (!s->lower_here) return MEGURI_NO_MEMORY;
    if (s->devices > 1) return width_of_several(ctx, s);
    s->by_pull = wide && !s->device->long_atomics;
    if (s->by_pull && !s->strategy->phases)
        return mg_fail(ctx, MEGURI_ENGINE_FAILED,
                       "distances of 64 bits need atomic operations on them for the strategy %s, and the device %s has "
                       "none; use %sanother device or the host.",
                       s->strategy->name, s->device->name, s->base.engine ? "the strategy all, " : "");
    close_kernels(s);
    mg_sssp_parts_close(s);
    mg_buffer_free(&s->lower);
    mg_buffer_free(&s->known);
    uint64_t known = s->strategy->phases ? s->rows : 1;
    meguri_status status = mg_buffer_new(&s->known, ctx, s->device, known, bytes, "the distances of vertices");
    if (status == MEGURI_OK)
        status =
            mg_buffer_new(&s->lower, ctx, s->device, (uint64_t)s->rows * s->lanes, bytes, "the distances of vertices");
    if (status == MEGURI_OK && s->by_pull && s->base.graph->directed && !s->in.offsets.device) {
        mg_rows in;
        status = mg_graph_in_rows(&in, ctx, s->base.graph);
        if (status == MEGURI_OK)
            status = mg_device_rows_new(&s->in, ctx, s->device, &in, meguri_type_bytes(s->weights));
    }
    if (status == MEGURI_OK) status = make_kernels(ctx, s);
    return status == MEGURI_OK && s->in_parts ? mg_sssp_parts_open(ctx, s) : status;
}

/* Where all of the graph is there: a graph in parts has its own. */
static meguri_status make_bits(meguri_ctx *ctx, mg_sssp_device *s) {
    const bool phases = s->strategy->phases;
    const uint64_t words = mg_sssp_words(s);
    static const char what[] = "the vertices that a search goes on from";
    meguri_status status = mg_buffer_new(&s->bits, ctx, s->device, words, 4, what);
    if (status == MEGURI_OK) status = mg_buffer_new(&s->marks, ctx, s->device, phases ? 0 : words, 4, what);
    return status == MEGURI_OK ? mg_buffer_new(&s->seen, ctx, s->device, phases ? 0 : words, 4, what) : status;
}

static meguri_status make_buffers(meguri_ctx *ctx, mg_sssp_device *s) {
    const bool phases = s->strategy->phases, parents = s->parents_wanted;
    const uint64_t numbers = (uint64_t)s->rows * s->lanes,
                   pieces = numbers + s->plan.out.arcs / MG_SSSP_ROW_PIECE * s->lanes,
                   entries = s->in_parts ? 0 : pieces;
    if (numbers >= MG_NO_VERTEX || entries > UINT32_MAX)
        return mg_fail(ctx, MEGURI_NO_MEMORY, "the graph is too large for a search on a device; use the host.");
    const struct {
        mg_buffer *buffer;
        uint64_t count;
        size_t size;
        const char *what;
    } all[] = {{&s->times, phases ? s->rows : 0, 4, "the counters of a search"},
               {&s->list, entries, 8, "the changed vertices of a search"},
               {&s->next, entries, 8, "the changed vertices of a search"},
               {&s->flags, phases ? s->rows / 4 + 1 : 0, 4, "the changed vertices of a search"},
               {&s->sums, phases ? s->rows / s->device->group + 1 : 0, 4, "the counters of a search"},
               {&s->parents, parents ? numbers : 0, 4, "the parents of a search"},
               {&s->sources, s->lanes, 4, "the sources of a search"},
               {&s->counters[0], MG_SSSP_COUNTERS, 4, "the counters of a search"},
               {&s->counters[1], MG_SSSP_COUNTERS, 4, "the counters of a search"}};
    meguri_status status = MEGURI_OK;
    for (size_t i = 0; i < sizeof all / sizeof *all && status == MEGURI_OK; i++)
        status = mg_buffer_new(all[i].buffer, ctx, s->device, all[i].count, all[i].size, all[i].what);
    return status == MEGURI_OK && !s->in_parts ? make_bits(ctx, s) : status;
}

/* Of the lanes that were asked for, so many as there is room for: one at least is tried. */
static uint32_t lanes_that_fit(const mg_sssp_device *s, int lanes) {
    const mg_device *d = s->device;
    const uint64_t entries = s->rows + s->plan.out.arcs / MG_SSSP_ROW_PIECE;
    const uint64_t each = MG_MAX(s->rows * (uint64_t)13 + entries * 8 * 2, 1u), largest = MG_MAX(entries * 8, 1u);
    uint64_t fit = MG_MIN((d->memory - d->used) / each, d->largest / largest);
    fit = MG_MIN(fit, UINT32_MAX / MG_MAX(entries, 1u));
    if (s->strategy->phases || lanes < 1 || fit < 1) return 1;
    return (uint32_t)MG_MIN(fit, (uint64_t)MG_MIN(lanes, MG_SSSP_MOST_LANES));
}

static meguri_status too_large(meguri_ctx *ctx, const mg_sssp_device *s) {
    char limit[MG_SIZE_TEXT];
    return mg_fail(ctx, MEGURI_NO_MEMORY,
                   "not enough memory on the device %s for the strategy %s, which needs all of the graph there: %s are "
                   "left; near-far and settle take it in parts.",
                   s->device->name, s->strategy->name, mg_size_text(limit, s->device->memory - s->device->used));
}

/* What is on the device, but for what depends on the width of distances. */
static meguri_status open_there(meguri_ctx *ctx, mg_sssp_device *s, int lanes) {
    mg_rows there = s->share.offsets ? s->share.rows : s->plan.out;
    if (s->plan.real && !s->device->doubles)
        return mg_fail(ctx, MEGURI_ENGINE_FAILED,
                       "sums of fractional weights need double precision, and the device %s has none; use another "
                       "device or the host.",
                       s->device->name);
    if (s->parents_wanted) {
        s->parents_here = mg_alloc_array(ctx, s->rows, sizeof *s->parents_here, "the result of a search");
        if (!s->parents_here) return MEGURI_NO_MEMORY;
    }
    s->in_parts = !s->devices || s->strategy->settles || !mg_sssp_device_fits(s);
    if (s->in_parts && s->strategy->phases) return too_large(ctx, s);
    if (s->in_parts) there.arcs = 0; /* offsets alone: the rest comes in parts */
    meguri_status status = mg_device_rows_new(&s->out, ctx, s->device, &there, meguri_type_bytes(s->weights));
    s->lanes = s->in_parts ? 1 : lanes_that_fit(s, lanes);
    if (status == MEGURI_OK) status = make_buffers(ctx, s);
    return status == MEGURI_OK ? mg_primitives_open(&s->primitives, ctx, s->device, s->rows) : status;
}

/* Each device has a search of its own, along its share of the arcs. */
static meguri_status open_several(meguri_ctx *ctx, mg_sssp_device *s, mg_device *const *devices) {
    const uint32_t count = s->devices;
    if (s->strategy->phases)
        return mg_fail(ctx, MEGURI_ENGINE_FAILED,
                       "the strategy %s needs all of the graph on one device; near-far and settle share it among "
                       "several.",
                       s->strategy->name);
    s->in_parts = true;
    s->lanes = 1;
    s->workers = mg_alloc_zero(ctx, count * sizeof *s->workers, "the searches of several devices");
    if (!s->workers) return MEGURI_NO_MEMORY;
    meguri_status status = MEGURI_OK;
    for (uint32_t i = 0; i < count && status == MEGURI_OK; i++) {
        mg_sssp_device *w = &s->workers[i];
        w->base.graph = s->base.graph;
        w->base.engine = s->base.engine;
        w->plan = s->plan;
        w->strategy = s->strategy;
        w->device = devices[i];
        w->weights = s->weights;
        w->parents_wanted = s->parents_wanted;
        w->rows = s->rows;
        status = mg_rows_share_new(&w->share, ctx, &s->plan.out, meguri_type_bytes(s->weights), i, count);
        if (status == MEGURI_OK) status = open_there(ctx, w, 1);
    }
    if (status != MEGURI_OK || !s->parents_wanted) return status;
    s->parents_here = mg_alloc_array(ctx, s->rows, sizeof *s->parents_here, "the result of a search");
    return s->parents_here ? MEGURI_OK : MEGURI_NO_MEMORY;
}

meguri_status mg_sssp_device_open(meguri_ctx *ctx, mg_sssp_device *s, const mg_sssp_strategy *strategy, int lanes) {
    mg_device *devices[MG_DEVICES_MOST];
    meguri_status status = mg_device_get_all(devices, &s->devices, ctx);
    if (status != MEGURI_OK) return status;
    s->device = devices[0];
    s->strategy = strategy;
    s->rows = s->plan.rows;
    status = s->devices > 1 ? open_several(ctx, s, devices) : open_there(ctx, s, lanes);
    if (status == MEGURI_OK) status = mg_sssp_device_width(ctx, s, !s->plan.narrow);
    return status == MEGURI_OK && strategy == &mg_sssp_adaptive ? mg_sssp_calibrate(ctx, s) : status;
}

static meguri_status open(meguri_ctx *ctx, meguri_sssp_search *search, const meguri_sssp_search *like, bool often,
                          int lanes) {
    mg_sssp_device *s = (mg_sssp_device *)search;
    (void)like, (void)often;
    meguri_status status = mg_sssp_plan_make(&s->plan, ctx, search->graph, &search->options, false);
    if (status != MEGURI_OK) return status;
    meguri_sssp_strategy asked = search->options.strategy;
    s->weights = search->graph->weight_type;
    s->parents_wanted = search->parent != NULL;
    return mg_sssp_device_open(ctx, s, strategies[asked ? asked : mg_policy_sssp_strategy()], lanes);
}

void mg_sssp_device_close(mg_sssp_device *s) {
    mg_buffer *buffers[] = {&s->known,   &s->lower,   &s->times,       &s->flags,      &s->sums,
                            &s->list,    &s->next,    &s->bits,        &s->marks,      &s->seen,
                            &s->parents, &s->sources, &s->counters[0], &s->counters[1]};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) mg_buffer_free(buffers[i]);
    for (uint32_t i = 0; s->workers && i < s->devices; i++) mg_sssp_device_close(&s->workers[i]);
    mg_free(s->workers);
    mg_rows_share_free(&s->share);
    mg_sssp_parts_close(s);
    close_kernels(s);
    mg_primitives_close(&s->primitives);
    mg_device_rows_free(&s->out);
    mg_device_rows_free(&s->in);
    mg_free(s->lower_here);
    mg_free(s->parents_here);
}

static void close(meguri_sssp_search *search) { mg_sssp_device_close((mg_sssp_device *)search); }

/* ---- what strategies share -------------------------------------------------------------------------------------- */

void mg_sssp_swap(mg_buffer *a, mg_buffer *b) {
    mg_buffer other = *a;
    *a = *b;
    *b = other;
}

meguri_status mg_sssp_device_count(uint32_t words[MG_SSSP_COUNTERS], meguri_ctx *ctx, mg_sssp_device *s) {
    meguri_status status = mg_buffer_read(ctx, &s->counters[0], 0, words, MG_SSSP_COUNTERS * sizeof *words);
    mg_sssp_swap(&s->counters[0], &s->counters[1]);
    return status;
}

meguri_status mg_sssp_device_clear(meguri_ctx *ctx, const mg_sssp_device *s) {
    static const uint32_t words[MG_SSSP_COUNTERS] = {[MG_SSSP_LEAST] = UINT32_MAX, [MG_SSSP_LEAST_HIGH] = UINT32_MAX};
    meguri_status status = mg_buffer_write(ctx, &s->counters[0], 0, words, sizeof words);
    return status == MEGURI_OK ? mg_buffer_write(ctx, &s->counters[1], 0, words, sizeof words) : status;
}

uint64_t mg_sssp_device_moved(const mg_sssp_device *s) {
    uint64_t sum = s->workers ? 0 : s->device->sent + s->device->received;
    for (uint32_t i = 0; s->workers && i < s->devices; i++) sum += mg_sssp_device_moved(&s->workers[i]);
    return sum;
}

void mg_sssp_device_trace(meguri_ctx *ctx, mg_sssp_device *s, const char *phase, const char *way, uint64_t vertices,
                          int64_t edges, double seconds) {
    if (!mg_trace_on(ctx)) return;
    uint64_t moved = mg_sssp_device_moved(s);
    const meguri_sssp_options *o = &s->base.options;
    const mg_step_search first = {.strategy = s->strategy->name,
                                  .vertices = (int64_t)s->base.graph->vertices,
                                  .source = s->base.result && s->first != MG_NO_VERTEX
                                                ? (int64_t)mg_to_user(&s->plan.numbering, s->first)
                                                : -1, /* a search for a path says its own */
                                  .searches = s->running,
                                  .thresholds = s->strategy == &mg_sssp_adaptive,
                                  .measured = !(o->all_above_us > 0) && !(o->selected_below_us > 0),
                                  .above = s->thresholds.above,
                                  .below = s->thresholds.below};
    mg_step step = MG_STEP_NONE;
    if (s->steps == 0) step.search = &first;
    step.run = "sssp";
    step.step = (int64_t)s->steps++;
    step.phase = phase;
    step.frontier = (int64_t)vertices;
    step.edges = edges;
    step.way = way;
    step.engine = meguri_engine_name(s->in_parts && s->here.round ? MEGURI_ENGINE_HOST : MEGURI_ENGINE_DEVICE);
    step.seconds = seconds;
    step.bytes = (int64_t)(moved - s->moved);
    s->moved = moved;
    mg_trace(ctx, &step);
}

/* Bytes of parts and seconds of kernels are those of a search. */
static void start_counting(mg_sssp_device *s) {
    s->vertices = s->edges = s->phases = s->steps = 0;
    for (uint32_t i = 0; s->workers && i < s->devices; i++) start_counting(&s->workers[i]);
    if (s->workers || !s->in_parts) return;
    mg_parts_start(&s->parts);
    s->device->timed = true;
    s->device->kernel_seconds = 0;
}

meguri_status mg_sssp_device_start(meguri_ctx *ctx, mg_sssp_device *s, const uint32_t *sources) {
    start_counting(s);
    if (s->in_parts) return mg_sssp_parts_start(ctx, s, sources[0]);
    const struct {
        mg_buffer *buffer;
        uint32_t word;
    } fill[] = {{&s->known, UINT32_MAX}, {&s->lower, UINT32_MAX}, {&s->times, 0},
                {&s->flags, 0},          {&s->bits, 0},           {&s->marks, 0},
                {&s->seen, 0},           {&s->counters[0], 0},    {&s->counters[1], 0}};
    meguri_status status = MEGURI_OK;
    for (size_t i = 0; i < sizeof fill / sizeof *fill && status == MEGURI_OK; i++)
        status = mg_buffer_fill(ctx, fill[i].buffer, fill[i].word);
    if (status == MEGURI_OK) status = mg_buffer_write(ctx, &s->sources, 0, sources, s->running * sizeof *sources);
    if (status != MEGURI_OK) return status;
    s->entries = 0;
    for (uint32_t l = 0; l < s->running; l++)
        if (sources[l] != MG_NO_VERTEX) s->entries += pieces_of(s, sources[l]);
    return MG_LAUNCH(ctx, &s->kernels.start, s->running, s->device->group, MG_BUFFER(&s->sources),
                     MG_VALUE(uint32_t, s->running), MG_VALUE(uint32_t, s->rows), MG_BUFFER(&s->out.offsets),
                     MG_VALUE(uint32_t, s->strategy->phases), MG_BUFFER(&s->known), MG_BUFFER(&s->lower),
                     MG_BUFFER(&s->seen), MG_BUFFER(&s->list), MG_BUFFER(&s->counters[1]));
}

/* ---- results ---------------------------------------------------------------------------------------------------- */

typedef struct finish_job {
    mg_sssp_device *s;
    uint32_t source; /* position */
    uint64_t reached, farthest;
} finish_job;

static void finish_positions(void *what, uint64_t begin, uint64_t end) {
    finish_job *job = what;
    const mg_sssp_device *s = job->s;
    const uint64_t unreached = mg_sssp_far(s->plan.real);
    uint64_t reached = 0, farthest = 0, *distances = s->base.distance;
    for (uint64_t p = begin; p < end; p++) {
        uint32_t v = mg_to_internal(&s->plan.numbering, (uint32_t)p);
        uint64_t distance = p == job->source ? 0 : UINT64_MAX;
        uint32_t parent = p == job->source ? (uint32_t)p : MG_NO_VERTEX;
        if (v < s->rows) {
            uint32_t narrow = s->wide ? 0 : ((const uint32_t *)s->lower_here)[v];
            distance = s->wide ? ((const uint64_t *)s->lower_here)[v] : narrow == UINT32_MAX ? UINT64_MAX : narrow;
            if (distance > s->base.most.number) distance = UINT64_MAX; /* doubles are in the order of their bits */
            if (s->base.parent && distance != UINT64_MAX) parent = mg_to_user(&s->plan.numbering, s->parents_here[v]);
        }
        reached += distance != UINT64_MAX;
        if (distance != UINT64_MAX) farthest = MG_MAX(farthest, distance);
        distances[p] = distance == UINT64_MAX ? unreached : distance;
        if (s->base.parent) s->base.parent[p] = distance == UINT64_MAX ? MG_NO_VERTEX : parent;
    }
    mg_fetch_add(&job->reached, reached);
    mg_atomic_max_u64(&job->farthest, farthest);
}

/* A lane into the user's order. */
static meguri_status finish(mg_sssp_told *told, meguri_ctx *ctx, mg_sssp_device *s, uint32_t lane, uint64_t source) {
    uint64_t vertices = s->base.graph->vertices, bytes = (uint64_t)s->rows * (s->wide ? 8 : 4);
    finish_job job = {.s = s, .source = (uint32_t)source};
    meguri_status status =
        s->in_parts ? mg_sssp_bring(ctx, s) : mg_buffer_read(ctx, &s->lower, lane * bytes, s->lower_here, bytes);
    if (status == MEGURI_OK && s->base.parent && !s->in_parts)
        status = mg_buffer_read(ctx, &s->parents, (uint64_t)lane * s->rows * 4, s->parents_here, (uint64_t)s->rows * 4);
    if (status != MEGURI_OK) return status;
    mg_sweep sweep = {.ctx = ctx, .phase = "sssp", .total = vertices};
    status = mg_sweep_over(&sweep, finish_positions, &job, vertices);
    *told = (mg_sssp_told){.reached = job.reached, .farthest.number = job.farthest};
    return status;
}

/* ---- a run ------------------------------------------------------------------------------------------------------ */

meguri_status mg_sssp_device_search(meguri_ctx *ctx, mg_sssp_device *s, const uint32_t *sources) {
    bool beyond = false;
    s->first = sources[0];
    meguri_status status = mg_sssp_device_start(ctx, s, sources);
    if (status == MEGURI_OK) status = s->strategy->search(&beyond, ctx, s);
    if (status == MEGURI_OK && beyond) { /* from here on distances have 64 bits, also in the searches to come */
        beyond = false;
        status = mg_sssp_device_width(ctx, s, true);
        if (status == MEGURI_OK) status = mg_sssp_device_start(ctx, s, sources);
        if (status == MEGURI_OK) status = s->strategy->search(&beyond, ctx, s);
    }
    if (status != MEGURI_OK || !s->parents_wanted || s->given_up) return status;
    return mg_sssp_device_parents(ctx, s, sources);
}

/* From positions. */
static meguri_status search(meguri_ctx *ctx, mg_sssp_device *s, const uint64_t *positions, uint32_t count) {
    uint32_t sources[MG_SSSP_MOST_LANES];
    s->running = count;
    for (uint32_t l = 0; l < count; l++) {
        sources[l] = mg_to_internal(&s->plan.numbering, (uint32_t)positions[l]);
        if (sources[l] >= s->rows) sources[l] = MG_NO_VERTEX;
    }
    return mg_sssp_device_search(ctx, s, sources);
}

static meguri_status tell_parts(meguri_ctx *ctx, mg_sssp_device *s) {
    meguri_result *r = s->base.result;
    mg_parts_sum sum = {0};
    uint64_t most = 0;
    meguri_status status = MEGURI_OK;
    for (uint32_t i = 0; i < s->devices && status == MEGURI_OK; i++) {
        mg_sssp_device *one = s->workers ? &s->workers[i] : s;
        status = mg_device_finish(ctx, one->device);
        if (status == MEGURI_OK) status = mg_parts_add(&sum, ctx, &one->parts);
        sum.parts += one->parts.count;
        sum.kernel_seconds += one->device->kernel_seconds;
        most = MG_MAX(most, one->parts.rows.arcs);
    }
    if (status == MEGURI_OK) status = mg_parts_tell(ctx, r, &sum);
    if (status == MEGURI_OK) status = mg_result_set_number(ctx, r, "host_edges", s->here.edges);
    if (status == MEGURI_OK) status = mg_result_set_number(ctx, r, "devices", s->devices);
    return status == MEGURI_OK ? mg_result_set_number(ctx, r, "device_arcs", most) : status;
}

/* Facts that only this engine has. */
static meguri_status tell(meguri_ctx *ctx, mg_sssp_device *s) {
    meguri_result *r = s->base.result;
    meguri_status status = mg_result_set_text(ctx, r, "strategy", s->strategy->name);
    if (status == MEGURI_OK) status = mg_result_set_number(ctx, r, "phases", s->phases);
    if (status == MEGURI_OK && s->in_parts) status = tell_parts(ctx, s);
    if (status != MEGURI_OK || s->strategy != &mg_sssp_adaptive) return status;
    status = mg_result_set_real(ctx, r, "all_above_us", s->thresholds.above * 1e6);
    return status == MEGURI_OK ? mg_result_set_real(ctx, r, "selected_below_us", s->thresholds.below * 1e6) : status;
}

/* Searches side by side; each is told its share of their time and edges. */
static meguri_status run_batch(mg_sssp_told *share, meguri_ctx *ctx, mg_sssp_device *s, const uint64_t *sources,
                               uint32_t count) {
    double since = mg_now();
    s->moved = mg_sssp_device_moved(s);
    meguri_status status = search(ctx, s, sources, count);
    if (status == MEGURI_OK) status = tell(ctx, s);
    *share = (mg_sssp_told){.edges = s->edges / count,
                            .delta = s->strategy == &mg_sssp_near_far ? s->plan.delta : 0,
                            .seconds = (mg_now() - since) / count};
    return status;
}

static meguri_status finish_lane(mg_sssp_told *told, meguri_ctx *ctx, mg_sssp_device *s, uint32_t lane, uint64_t source,
                                 const mg_sssp_told *share) {
    double since = mg_now();
    meguri_status status = finish(told, ctx, s, lane, source);
    told->edges = share->edges;
    told->delta = share->delta;
    told->seconds = share->seconds + mg_now() - since;
    return status;
}

static meguri_status run(mg_sssp_told *told, meguri_ctx *ctx, meguri_sssp_search *base, uint64_t source) {
    mg_sssp_device *s = (mg_sssp_device *)base;
    mg_sssp_told share;
    meguri_status status = run_batch(&share, ctx, s, &source, 1);
    return status == MEGURI_OK ? finish_lane(told, ctx, s, 0, source, &share) : status;
}

static meguri_status many(meguri_ctx *ctx, meguri_sssp_search *base, const uint64_t *sources, uint64_t count,
                          meguri_result_take take, void *user) {
    mg_sssp_device *s = (mg_sssp_device *)base;
    meguri_status status = MEGURI_OK;
    for (uint64_t first = 0; first < count && status == MEGURI_OK; first += s->lanes) {
        mg_sssp_told share, told;
        uint32_t lanes = (uint32_t)MG_MIN(s->lanes, count - first);
        status = run_batch(&share, ctx, s, sources + first, lanes);
        for (uint32_t l = 0; l < lanes && status == MEGURI_OK; l++) {
            status = finish_lane(&told, ctx, s, l, sources[first + l], &share);
            if (status == MEGURI_OK) status = mg_sssp_search_tell(ctx, base, sources[first + l], &told);
            if (status == MEGURI_OK) status = mg_sssp_hand_over(ctx, base->result, first + l, take, user);
        }
    }
    return status;
}

const mg_sssp_engine mg_sssp_on_device = {.engine = MEGURI_ENGINE_DEVICE,
                                          .bytes = sizeof(mg_sssp_device),
                                          .open = open,
                                          .run = run,
                                          .close = close,
                                          .many = many,
                                          .check = mg_sssp_host_check};
