/* PageRank on a device: the kernels are in pagerank.cl.
 *
 * In-rows, places of out-rows and shares stay on the device. In-rows are cut into units of work once, here. An
 * iteration is two launches, three where there are rows that are summed in pieces; then the host reads what changed and
 * what hangs, 16 bytes. At the end it reads the shares.
 *
 * In-rows that do not fit come in parts, all of them in every iteration (device/parts.c), and their sums gather on the
 * device, batch after batch, in the order of the rows. */
#include "algo/pagerank/pagerank.h"
#include "device/device.h"

extern const char mg_pagerank_cl[];

typedef struct ranking {
    mg_pagerank_whole whole;
    mg_device *device;
    mg_device_rows in;
    mg_buffer out_offsets; /* directed graphs */
    mg_device_units units;
    mg_buffer share, next, found, total;
    mg_kernel sum, join, add_up, batch, gather, settle;
    bool in_parts;
    mg_parts parts;          /* of the in-rows */
    mg_buffer sums, partial; /* … of rows, of entries */
    uint64_t *all;           /* … a bit for each row */
    uint64_t moved;          /* bytes, before the iteration */
} ranking;

/* ---- before the first iteration --------------------------------------------------------------------------------- */

/* Whether the in-rows and what goes with them fit the device. */
static bool fits(const ranking *r) {
    const mg_rows *in = &r->whole.in, *out = &r->whole.out;
    const mg_device *d = r->device;
    uint64_t units = in->rows / MG_UNIT_ROWS + 3 * (in->arcs / MG_UNIT_ARCS) + 4;
    uint64_t sum = (in->rows + 1) * (in->offsets32 ? 4 : 8) + in->arcs * sizeof *in->neighbors;
    if (r->whole.base.graph->directed) sum += (out->rows + 1) * (out->offsets32 ? 4 : 8);
    sum += units * (12 + sizeof(mg_pagerank_found)) + 2 * r->whole.base.active * sizeof(double) + 1024;
    return sum <= d->memory - d->used && in->arcs <= d->largest / sizeof *in->neighbors;
}

static meguri_status open_parts(meguri_ctx *ctx, ranking *r) {
    const uint64_t rows = r->whole.in.rows, words = MG_MAX(mg_bitmap_words(rows), 1u);
    r->all = mg_alloc_array(ctx, words, sizeof *r->all, "the rows of the graph");
    if (!r->all) return MEGURI_NO_MEMORY;
    memset(r->all, 0xff, words * sizeof *r->all);
    meguri_status status = mg_buffer_new(&r->sums, ctx, r->device, rows, sizeof(double), "the sums of vertices");
    if (status == MEGURI_OK) status = mg_parts_open(&r->parts, ctx, r->device, &r->whole.in, 0, 0.6);
    if (status != MEGURI_OK) return status;
    return mg_buffer_new(&r->partial, ctx, r->device, r->parts.entries_room, sizeof(double), "the sums of rows");
}

static meguri_status send_rows(meguri_ctx *ctx, ranking *r) {
    const mg_rows *out = &r->whole.out;
    mg_rows in = r->whole.in;
    if (r->in_parts) in.arcs = 0; /* offsets alone */
    meguri_status status = mg_device_rows_new(&r->in, ctx, r->device, &in, 0);
    if (status != MEGURI_OK || !r->whole.base.graph->directed) return status;
    return mg_buffer_from(&r->out_offsets, ctx, r->device,
                          out->offsets32 ? (const void *)out->offsets32 : out->offsets64, out->rows + 1,
                          out->offsets32 ? 4 : 8, "the rows of the graph");
}

static meguri_status make_buffers(meguri_ctx *ctx, ranking *r) {
    const char *what = "the shares of vertices";
    uint64_t rows = r->whole.base.active;
    meguri_status status = mg_buffer_new(&r->share, ctx, r->device, rows, sizeof(double), what);
    if (status == MEGURI_OK) status = mg_buffer_new(&r->next, ctx, r->device, rows, sizeof(double), what);
    if (status == MEGURI_OK)
        status = mg_buffer_new(&r->found, ctx, r->device, r->in_parts ? rows / r->device->group + 1 : r->units.count,
                               sizeof(mg_pagerank_found), what);
    return status == MEGURI_OK ? mg_buffer_new(&r->total, ctx, r->device, 1, sizeof(mg_pagerank_found), what) : status;
}

static meguri_status make_kernels(meguri_ctx *ctx, ranking *r) {
    static const mg_kernel_text text = {"pagerank.cl", mg_pagerank_cl};
    char options[128];
    snprintf(options, sizeof options, "-D OFFSET=%s -D OUT_OFFSET=%s " MG_UNIT_OPTIONS, r->in.wide ? "ulong" : "uint",
             r->whole.out.offsets32 ? "uint" : "ulong");
    const mg_kernel_row all[] = {{&r->sum, "pagerank_sum"},       {&r->join, "pagerank_join"},
                                 {&r->batch, "pagerank_batch"},   {&r->gather, "pagerank_gather"},
                                 {&r->settle, "pagerank_settle"}, {&r->add_up, "pagerank_total"}};
    return mg_kernels_new(all, sizeof all / sizeof *all, ctx, r->device, &text, options);
}

static meguri_status prepare(meguri_ctx *ctx, mg_pagerank *base) {
    ranking *r = (ranking *)base;
    meguri_status status = mg_device_get(&r->device, ctx);
    if (status != MEGURI_OK) return status;
    if (!r->device->doubles)
        return mg_fail(
            ctx, MEGURI_ENGINE_FAILED,
            "the device %s has no numbers of 64 bits (cl_khr_fp64), which PageRank needs; use another device "
            "or the host.",
            r->device->name);
    status = mg_pagerank_whole_prepare(ctx, &r->whole);
    r->in_parts = status == MEGURI_OK && !fits(r);
    if (status == MEGURI_OK) status = send_rows(ctx, r);
    if (status == MEGURI_OK && !r->in_parts) status = mg_device_units_new(&r->units, ctx, r->device, &r->whole.in);
    if (status == MEGURI_OK) status = make_buffers(ctx, r);
    if (status == MEGURI_OK) status = make_kernels(ctx, r);
    return status == MEGURI_OK && r->in_parts ? open_parts(ctx, r) : status;
}

static void close(mg_pagerank *base) {
    ranking *r = (ranking *)base;
    mg_buffer *buffers[] = {&r->out_offsets, &r->share, &r->next, &r->found, &r->total, &r->sums, &r->partial};
    mg_kernel *kernels[] = {&r->sum, &r->join, &r->add_up, &r->batch, &r->gather, &r->settle};
    mg_parts_close(&r->parts);
    mg_free(r->all);
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) mg_buffer_free(buffers[i]);
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) mg_kernel_free(kernels[i]);
    mg_device_units_free(&r->units);
    mg_device_rows_free(&r->in);
    mg_free(r->whole.share);
}

static meguri_status start(uint64_t *dangling, meguri_ctx *ctx, mg_pagerank *base) {
    ranking *r = (ranking *)base;
    meguri_status status = mg_pagerank_whole_start(dangling, ctx, base);
    return status == MEGURI_OK ? mg_buffer_write(ctx, &r->share, 0, r->whole.share, base->active * sizeof(double))
                               : status;
}

/* ---- iterations, and the end ------------------------------------------------------------------------------------ */

/* From shares to next ones; in how many places there is what was found. */
static meguri_status sum_whole(uint32_t *places, meguri_ctx *ctx, ranking *r, double least) {
    const mg_pagerank *base = &r->whole.base;
    const uint32_t group = r->device->group;
    const mg_buffer *out_offsets = base->graph->directed ? &r->out_offsets : &r->in.offsets;
    *places = (uint32_t)r->units.count;
    meguri_status status =
        MG_LAUNCH(ctx, &r->sum, mg_device_units_items(&r->units, r->device), group, MG_BUFFER(&r->units.units),
                  MG_VALUE(uint32_t, (uint32_t)r->units.count), MG_BUFFER(&r->in.offsets), MG_BUFFER(&r->in.neighbors),
                  MG_BUFFER(out_offsets), MG_BUFFER(&r->share), MG_VALUE(double, least),
                  MG_VALUE(double, base->options.damping), MG_BUFFER(&r->next), MG_BUFFER(&r->found));
    if (status != MEGURI_OK) return status;
    return MG_LAUNCH(ctx, &r->join, r->units.long_rows, group, MG_BUFFER(&r->units.units), MG_BUFFER(&r->units.firsts),
                     MG_VALUE(uint32_t, (uint32_t)r->units.long_rows), MG_BUFFER(&r->in.offsets),
                     MG_BUFFER(out_offsets), MG_BUFFER(&r->share), MG_VALUE(double, least),
                     MG_VALUE(double, base->options.damping), MG_BUFFER(&r->next), MG_BUFFER(&r->found));
}

static meguri_status sum_batch(void *what, meguri_ctx *ctx, const mg_batch *b) {
    ranking *r = what;
    const uint32_t group = r->device->group;
    meguri_status status =
        MG_LAUNCH(ctx, &r->batch, b->count, group, MG_BUFFER(&b->entries), MG_VALUE(uint32_t, b->count),
                  MG_BUFFER(&b->neighbors), MG_BUFFER(&r->share), MG_BUFFER(&r->partial));
    if (status != MEGURI_OK) return status;
    return MG_LAUNCH(ctx, &r->gather, b->count, group, MG_BUFFER(&b->entries), MG_VALUE(uint32_t, b->count),
                     MG_BUFFER(&r->partial), MG_BUFFER(&r->sums));
}

static meguri_status sum_parts(uint32_t *places, meguri_ctx *ctx, ranking *r, double least) {
    const mg_pagerank *base = &r->whole.base;
    const uint32_t group = r->device->group, rows = (uint32_t)base->active;
    const mg_buffer *out_offsets = base->graph->directed ? &r->out_offsets : &r->in.offsets;
    *places = (rows + group - 1) / group;
    meguri_status status = mg_buffer_fill(ctx, &r->sums, 0);
    if (status == MEGURI_OK) status = mg_parts_each(ctx, &r->parts, r->all, sum_batch, r);
    if (status != MEGURI_OK) return status;
    return MG_LAUNCH(ctx, &r->settle, rows, group, MG_VALUE(uint32_t, rows), MG_BUFFER(&r->sums),
                     MG_BUFFER(out_offsets), MG_BUFFER(&r->share), MG_VALUE(double, least),
                     MG_VALUE(double, base->options.damping), MG_BUFFER(&r->next), MG_BUFFER(&r->found));
}

static meguri_status iterate(mg_pagerank_found *found, meguri_ctx *ctx, mg_pagerank *base, double least) {
    ranking *r = (ranking *)base;
    const uint32_t group = r->device->group;
    uint32_t places = 0;
    r->moved = r->device->sent + r->device->received;
    if (!base->active) return MEGURI_OK;
    meguri_status status = r->in_parts ? sum_parts(&places, ctx, r, least) : sum_whole(&places, ctx, r, least);
    if (status == MEGURI_OK)
        status = MG_LAUNCH(ctx, &r->add_up, group, group, MG_BUFFER(&r->found), MG_VALUE(uint32_t, places),
                           MG_BUFFER(&r->total));
    if (status == MEGURI_OK) status = mg_buffer_read(ctx, &r->total, 0, found, sizeof *found);
    mg_buffer shares = r->share;
    r->share = r->next;
    r->next = shares;
    return status;
}

/* Bytes that went between host and device. */
static void trace(meguri_ctx *ctx, mg_pagerank *base, mg_step *line) {
    const ranking *r = (const ranking *)base;
    line->bytes = (int64_t)(r->device->sent + r->device->received - r->moved);
    line->threads = -1;
    mg_trace(ctx, line);
}

static meguri_status finish(meguri_ctx *ctx, mg_pagerank *base, double *rank) {
    ranking *r = (ranking *)base;
    meguri_status status = mg_buffer_read(ctx, &r->share, 0, r->whole.share, base->active * sizeof(double));
    return status == MEGURI_OK ? mg_pagerank_whole_finish(ctx, base, rank) : status;
}

const mg_pagerank_engine mg_pagerank_on_device = {.engine = MEGURI_ENGINE_DEVICE,
                                                  .bytes = sizeof(ranking),
                                                  .prepare = prepare,
                                                  .start = start,
                                                  .iterate = iterate,
                                                  .trace = trace,
                                                  .finish = finish,
                                                  .close = close,
                                                  .check = mg_pagerank_host_check};
