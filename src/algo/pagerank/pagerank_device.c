/* PageRank on a device: the kernels are in pagerank.cl.
 *
 * In-rows, places of out-rows and shares stay on the device. In-rows are cut into units of work once, here. An
 * iteration is two launches, three where there are rows that are summed in pieces; then the host reads what changed and
 * what hangs, 16 bytes. At the end it reads the shares. */
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
    mg_kernel sum, join, add_up;
    uint64_t moved; /* bytes, before the iteration */
} ranking;

/* ---- before the first iteration --------------------------------------------------------------------------------- */

static meguri_status send_rows(meguri_ctx *ctx, ranking *r) {
    const mg_rows *out = &r->whole.out;
    meguri_status status = mg_device_rows_new(&r->in, ctx, r->device, &r->whole.in, 0);
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
        status = mg_buffer_new(&r->found, ctx, r->device, r->units.count, sizeof(mg_pagerank_found), what);
    return status == MEGURI_OK ? mg_buffer_new(&r->total, ctx, r->device, 1, sizeof(mg_pagerank_found), what) : status;
}

static meguri_status make_kernels(meguri_ctx *ctx, ranking *r) {
    static const mg_kernel_text text = {"pagerank.cl", mg_pagerank_cl};
    char options[128];
    snprintf(options, sizeof options, "-D OFFSET=%s -D OUT_OFFSET=%s " MG_UNIT_OPTIONS, r->in.wide ? "ulong" : "uint",
             r->whole.out.offsets32 ? "uint" : "ulong");
    meguri_status status = mg_kernel_new(&r->sum, ctx, r->device, &text, options, "pagerank_sum");
    if (status == MEGURI_OK) status = mg_kernel_new(&r->join, ctx, r->device, &text, options, "pagerank_join");
    return status == MEGURI_OK ? mg_kernel_new(&r->add_up, ctx, r->device, &text, options, "pagerank_total") : status;
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
    if (status == MEGURI_OK) status = send_rows(ctx, r);
    if (status == MEGURI_OK) status = mg_device_units_new(&r->units, ctx, r->device, &r->whole.in);
    if (status == MEGURI_OK) status = make_buffers(ctx, r);
    return status == MEGURI_OK ? make_kernels(ctx, r) : status;
}

static void close(mg_pagerank *base) {
    ranking *r = (ranking *)base;
    mg_buffer *buffers[] = {&r->out_offsets, &r->share, &r->next, &r->found, &r->total};
    mg_kernel *kernels[] = {&r->sum, &r->join, &r->add_up};
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

static meguri_status iterate(mg_pagerank_found *found, meguri_ctx *ctx, mg_pagerank *base, double least) {
    ranking *r = (ranking *)base;
    const uint32_t group = r->device->group;
    const mg_buffer *out_offsets = base->graph->directed ? &r->out_offsets : &r->in.offsets;
    r->moved = r->device->sent + r->device->received;
    if (!base->active) return MEGURI_OK;
    meguri_status status =
        MG_LAUNCH(ctx, &r->sum, mg_device_units_items(&r->units, r->device), group, MG_BUFFER(&r->units.units),
                  MG_VALUE(uint32_t, (uint32_t)r->units.count), MG_BUFFER(&r->in.offsets), MG_BUFFER(&r->in.neighbors),
                  MG_BUFFER(out_offsets), MG_BUFFER(&r->share), MG_VALUE(double, least),
                  MG_VALUE(double, base->options.damping), MG_BUFFER(&r->next), MG_BUFFER(&r->found));
    if (status == MEGURI_OK)
        status =
            MG_LAUNCH(ctx, &r->join, r->units.long_rows, group, MG_BUFFER(&r->units.units), MG_BUFFER(&r->units.firsts),
                      MG_VALUE(uint32_t, (uint32_t)r->units.long_rows), MG_BUFFER(&r->in.offsets),
                      MG_BUFFER(out_offsets), MG_BUFFER(&r->share), MG_VALUE(double, least),
                      MG_VALUE(double, base->options.damping), MG_BUFFER(&r->next), MG_BUFFER(&r->found));
    if (status == MEGURI_OK)
        status = MG_LAUNCH(ctx, &r->add_up, group, group, MG_BUFFER(&r->found),
                           MG_VALUE(uint32_t, (uint32_t)r->units.count), MG_BUFFER(&r->total));
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
