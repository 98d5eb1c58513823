/* PageRank on devices: the kernels are in pagerank.cl.
 *
 * In-rows, places of out-rows and shares stay on the device. In-rows are cut into units of work once, here. An
 * iteration is two launches, three where there are rows that are summed in pieces; then the host reads what changed and
 * what hangs, 16 bytes. At the end it reads the shares. Iterations of several devices are in
 * pagerank_device_several.c.
 *
 * In-rows that do not fit come in parts, all of them in every iteration (device/parts.c), and their sums gather on the
 * device, batch after batch, in the order of the rows. */
#include "algo/pagerank/pagerank_device.h"

extern const char mg_pagerank_cl[];

/* ---- before the first iteration --------------------------------------------------------------------------------- */

/* Places of out-rows are needed beside those of in-rows. */
static bool has_out_offsets(const mg_pagerank_device *r) { return r->whole.base.graph->directed && r->count == 1; }

/* Whether its in-rows and what goes with them fit the device. */
static bool fits(const mg_pagerank_device *r, const mg_pagerank_there *d) {
    const mg_rows *in = &d->rows, *out = &r->whole.out;
    const uint64_t units = in->rows / MG_UNIT_ROWS + 3 * (in->arcs / MG_UNIT_ARCS) + 4;
    uint64_t sum = (in->rows + 1) * (in->offsets32 ? 4 : 8) + in->arcs * sizeof *in->neighbors;
    if (has_out_offsets(r)) sum += (out->rows + 1) * (out->offsets32 ? 4 : 8);
    sum += units * (12 + sizeof(mg_pagerank_found)) + (r->whole.base.active + in->rows) * sizeof(double) + 1024;
    return sum <= d->device->memory - d->device->used && in->arcs <= d->device->largest / sizeof *in->neighbors;
}

static meguri_status open_parts(meguri_ctx *ctx, mg_pagerank_there *d) {
    const uint64_t rows = d->rows.rows, words = MG_MAX(mg_bitmap_words(rows), 1u);
    d->all = mg_alloc_array(ctx, words, sizeof *d->all, "the rows of the graph");
    if (!d->all) return MEGURI_NO_MEMORY;
    memset(d->all, 0xff, words * sizeof *d->all);
    meguri_status status = mg_buffer_new(&d->sums, ctx, d->device, rows, sizeof(double), "the sums of vertices");
    if (status == MEGURI_OK) status = mg_parts_open(&d->parts, ctx, d->device, &d->rows, 0, 0.6);
    if (status != MEGURI_OK) return status;
    return mg_buffer_new(&d->partial, ctx, d->device, d->parts.entries_room, sizeof(double), "the sums of rows");
}

static meguri_status send_rows(meguri_ctx *ctx, const mg_pagerank_device *r, mg_pagerank_there *d) {
    const mg_rows *out = &r->whole.out;
    mg_rows in = d->rows;
    if (d->in_parts) in.arcs = 0; /* offsets alone */
    meguri_status status = mg_device_rows_new(&d->in, ctx, d->device, &in, 0);
    if (status != MEGURI_OK || !has_out_offsets(r)) return status;
    return mg_buffer_from(&d->out_offsets, ctx, d->device,
                          out->offsets32 ? (const void *)out->offsets32 : out->offsets64, out->rows + 1,
                          out->offsets32 ? 4 : 8, "the rows of the graph");
}

static meguri_status make_buffers(meguri_ctx *ctx, const mg_pagerank_device *r, mg_pagerank_there *d) {
    const char *what = "the shares of vertices";
    const uint64_t rows = d->rows.rows;
    meguri_status status = mg_buffer_new(&d->share, ctx, d->device, r->whole.base.active, sizeof(double), what);
    if (status == MEGURI_OK && !(d->in_parts && r->count > 1))
        status = mg_buffer_new(&d->next, ctx, d->device, rows, sizeof(double), what);
    if (status == MEGURI_OK)
        status = mg_buffer_new(&d->found, ctx, d->device, d->in_parts ? rows / d->device->group + 1 : d->units.count,
                               sizeof(mg_pagerank_found), what);
    return status == MEGURI_OK ? mg_buffer_new(&d->total, ctx, d->device, 1, sizeof(mg_pagerank_found), what) : status;
}

static meguri_status make_kernels(meguri_ctx *ctx, const mg_pagerank_device *r, mg_pagerank_there *d) {
    static const mg_kernel_text text = {"pagerank.cl", mg_pagerank_cl};
    char options[128];
    const bool out_is_wide = has_out_offsets(r) ? !r->whole.out.offsets32 : d->in.wide;
    snprintf(options, sizeof options, "-D OFFSET=%s -D OUT_OFFSET=%s %s" MG_UNIT_OPTIONS, d->in.wide ? "ulong" : "uint",
             out_is_wide ? "ulong" : "uint", r->count > 1 ? "-D SUMS " : "");
    const mg_kernel_row all[] = {{&d->sum, "pagerank_sum"},       {&d->join, "pagerank_join"},
                                 {&d->batch, "pagerank_batch"},   {&d->gather, "pagerank_gather"},
                                 {&d->settle, "pagerank_settle"}, {&d->add_up, "pagerank_total"}};
    return mg_kernels_new(all, sizeof all / sizeof *all, ctx, d->device, &text, options);
}

/* Its rows are all, or a share of them. */
static meguri_status open_there(meguri_ctx *ctx, mg_pagerank_device *r, uint32_t i) {
    mg_pagerank_there *d = &r->there[i];
    meguri_status status = MEGURI_OK;
    d->rows = r->whole.in;
    if (r->count > 1) {
        status = mg_rows_share_new(&d->share_of_rows, ctx, &r->whole.in, 0, i, r->count);
        if (status != MEGURI_OK) return status;
        d->first = mg_rows_share_trim(&d->share_of_rows);
        d->rows = d->share_of_rows.rows;
    }
    d->in_parts = !fits(r, d);
    status = send_rows(ctx, r, d);
    if (status == MEGURI_OK && !d->in_parts) status = mg_device_units_new(&d->units, ctx, d->device, &d->rows);
    if (status == MEGURI_OK) status = make_buffers(ctx, r, d);
    if (status == MEGURI_OK) status = make_kernels(ctx, r, d);
    return status == MEGURI_OK && d->in_parts ? open_parts(ctx, d) : status;
}

static meguri_status find_devices(meguri_ctx *ctx, mg_pagerank_device *r) {
    mg_device *devices[MG_DEVICES_MOST];
    meguri_status status = mg_device_get_all(devices, &r->count, ctx);
    for (uint32_t i = 0; i < r->count && status == MEGURI_OK; i++) {
        r->there[i].device = devices[i];
        if (!devices[i]->doubles)
            status = mg_fail(ctx, MEGURI_ENGINE_FAILED,
                             "the device %s has no numbers of 64 bits (cl_khr_fp64), which PageRank needs; use another "
                             "device or the host.",
                             devices[i]->name);
    }
    return status;
}

static meguri_status prepare(meguri_ctx *ctx, mg_pagerank *base) {
    mg_pagerank_device *r = (mg_pagerank_device *)base;
    meguri_status status = find_devices(ctx, r);
    if (status == MEGURI_OK) status = mg_pagerank_whole_prepare(ctx, &r->whole);
    for (uint32_t i = 0; i < r->count && status == MEGURI_OK; i++) status = open_there(ctx, r, i);
    return status == MEGURI_OK && r->count > 1 ? mg_pagerank_several_open(ctx, r) : status;
}

static void close_there(mg_pagerank_there *d) {
    mg_buffer *buffers[] = {&d->out_offsets, &d->share, &d->next, &d->found, &d->total, &d->sums, &d->partial};
    mg_kernel *kernels[] = {&d->sum, &d->join, &d->add_up, &d->batch, &d->gather, &d->settle};
    mg_parts_close(&d->parts);
    mg_free(d->all);
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) mg_buffer_free(buffers[i]);
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) mg_kernel_free(kernels[i]);
    mg_device_units_free(&d->units);
    mg_device_rows_free(&d->in);
    mg_rows_share_free(&d->share_of_rows);
}

static void close(mg_pagerank *base) {
    mg_pagerank_device *r = (mg_pagerank_device *)base;
    for (uint32_t i = 0; i < r->count; i++) close_there(&r->there[i]);
    mg_free(r->whole.share);
    mg_free(r->next);
    mg_free(r->heard);
    mg_free(r->found);
}

/* Several devices get them before each iteration. */
static meguri_status start(uint64_t *dangling, meguri_ctx *ctx, mg_pagerank *base) {
    mg_pagerank_device *r = (mg_pagerank_device *)base;
    meguri_status status = mg_pagerank_whole_start(dangling, ctx, base);
    if (status != MEGURI_OK || r->count > 1) return status;
    return mg_buffer_write(ctx, &r->there[0].share, 0, r->whole.share, base->active * sizeof(double));
}

/* ---- iterations, and the end ------------------------------------------------------------------------------------ */

static const mg_buffer *out_offsets_of(const mg_pagerank_device *r, const mg_pagerank_there *d) {
    return has_out_offsets(r) ? &d->out_offsets : &d->in.offsets;
}

/* From shares to next ones, or to sums. */
static meguri_status sum_whole(meguri_ctx *ctx, const mg_pagerank_device *r, mg_pagerank_there *d, double least) {
    const double damping = r->whole.base.options.damping;
    const uint32_t group = d->device->group;
    const mg_buffer *out_offsets = out_offsets_of(r, d);
    meguri_status status =
        MG_LAUNCH(ctx, &d->sum, mg_device_units_items(&d->units, d->device), group, MG_BUFFER(&d->units.units),
                  MG_VALUE(uint32_t, (uint32_t)d->units.count), MG_BUFFER(&d->in.offsets), MG_BUFFER(&d->in.neighbors),
                  MG_BUFFER(out_offsets), MG_BUFFER(&d->share), MG_VALUE(double, least), MG_VALUE(double, damping),
                  MG_BUFFER(&d->next), MG_BUFFER(&d->found));
    if (status != MEGURI_OK) return status;
    return MG_LAUNCH(ctx, &d->join, d->units.long_rows, group, MG_BUFFER(&d->units.units), MG_BUFFER(&d->units.firsts),
                     MG_VALUE(uint32_t, (uint32_t)d->units.long_rows), MG_BUFFER(&d->in.offsets),
                     MG_BUFFER(out_offsets), MG_BUFFER(&d->share), MG_VALUE(double, least), MG_VALUE(double, damping),
                     MG_BUFFER(&d->next), MG_BUFFER(&d->found));
}

static meguri_status sum_batch(void *what, meguri_ctx *ctx, const mg_batch *b) {
    const mg_pagerank_there *d = what;
    const uint32_t group = d->device->group;
    meguri_status status =
        MG_LAUNCH(ctx, &d->batch, b->count, group, MG_BUFFER(&b->entries), MG_VALUE(uint32_t, b->count),
                  MG_BUFFER(&b->neighbors), MG_BUFFER(&d->share), MG_BUFFER(&d->partial));
    if (status != MEGURI_OK) return status;
    return MG_LAUNCH(ctx, &d->gather, b->count, group, MG_BUFFER(&b->entries), MG_VALUE(uint32_t, b->count),
                     MG_BUFFER(&d->partial), MG_BUFFER(&d->sums));
}

static meguri_status sum_parts(meguri_ctx *ctx, const mg_pagerank_device *r, mg_pagerank_there *d, double least) {
    const uint32_t rows = (uint32_t)d->rows.rows;
    meguri_status status = mg_buffer_fill(ctx, &d->sums, 0);
    if (status == MEGURI_OK) status = mg_parts_each(ctx, &d->parts, d->all, sum_batch, d);
    if (status != MEGURI_OK || r->count > 1) return status;
    return MG_LAUNCH(ctx, &d->settle, rows, d->device->group, MG_VALUE(uint32_t, rows), MG_BUFFER(&d->sums),
                     MG_BUFFER(out_offsets_of(r, d)), MG_BUFFER(&d->share), MG_VALUE(double, least),
                     MG_VALUE(double, r->whole.base.options.damping), MG_BUFFER(&d->next), MG_BUFFER(&d->found));
}

meguri_status mg_pagerank_there_sum(meguri_ctx *ctx, const mg_pagerank_device *r, mg_pagerank_there *d, double least) {
    return d->in_parts ? sum_parts(ctx, r, d, least) : sum_whole(ctx, r, d, least);
}

/* On one device. */
static meguri_status iterate_there(mg_pagerank_found *found, meguri_ctx *ctx, mg_pagerank_device *r, double least) {
    mg_pagerank_there *d = &r->there[0];
    const uint32_t group = d->device->group;
    const uint64_t places = d->in_parts ? (d->rows.rows + group - 1) / group : d->units.count;
    meguri_status status = mg_pagerank_there_sum(ctx, r, d, least);
    if (status == MEGURI_OK)
        status = MG_LAUNCH(ctx, &d->add_up, group, group, MG_BUFFER(&d->found), MG_VALUE(uint32_t, (uint32_t)places),
                           MG_BUFFER(&d->total));
    if (status == MEGURI_OK) status = mg_buffer_read(ctx, &d->total, 0, found, sizeof *found);
    mg_buffer shares = d->share;
    d->share = d->next;
    d->next = shares;
    return status;
}

static uint64_t bytes_moved(const mg_pagerank_device *r) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < r->count; i++) sum += r->there[i].device->sent + r->there[i].device->received;
    return sum;
}

static meguri_status iterate(mg_pagerank_found *found, meguri_ctx *ctx, mg_pagerank *base, double least) {
    mg_pagerank_device *r = (mg_pagerank_device *)base;
    r->moved = bytes_moved(r);
    if (!base->active) return MEGURI_OK;
    return r->count > 1 ? mg_pagerank_several_iterate(found, ctx, r, least) : iterate_there(found, ctx, r, least);
}

/* Bytes that went between host and devices. */
static void trace(meguri_ctx *ctx, mg_pagerank *base, mg_step *line) {
    const mg_pagerank_device *r = (const mg_pagerank_device *)base;
    line->bytes = (int64_t)(bytes_moved(r) - r->moved);
    line->threads = -1;
    mg_trace(ctx, line);
}

static meguri_status finish(meguri_ctx *ctx, mg_pagerank *base, double *rank) {
    mg_pagerank_device *r = (mg_pagerank_device *)base;
    meguri_status status = MEGURI_OK;
    if (r->count == 1)
        status = mg_buffer_read(ctx, &r->there[0].share, 0, r->whole.share, base->active * sizeof(double));
    return status == MEGURI_OK ? mg_pagerank_whole_finish(ctx, base, rank) : status;
}

static meguri_status facts(meguri_ctx *ctx, const mg_pagerank *base, meguri_result *result) {
    const mg_pagerank_device *r = (const mg_pagerank_device *)base;
    uint64_t most = 0, parts = 0;
    for (uint32_t i = 0; i < r->count; i++) {
        most = MG_MAX(most, r->there[i].rows.arcs);
        parts += r->there[i].parts.count;
    }
    meguri_status status = mg_result_set_number(ctx, result, "parts", parts);
    return status == MEGURI_OK ? mg_devices_tell(ctx, result, r->count, most) : status;
}

const mg_pagerank_engine mg_pagerank_on_device = {.engine = MEGURI_ENGINE_DEVICE,
                                                  .bytes = sizeof(mg_pagerank_device),
                                                  .prepare = prepare,
                                                  .start = start,
                                                  .iterate = iterate,
                                                  .trace = trace,
                                                  .finish = finish,
                                                  .facts = facts,
                                                  .close = close,
                                                  .check = mg_pagerank_host_check};
