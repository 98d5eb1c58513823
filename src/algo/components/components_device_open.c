/* Connected components on devices: what is there before the first phase, and goes after the last. */
#include "algo/components/components_device.h"

extern const char mg_components_cl[];

static const char what[] = "the components of a graph";

static meguri_status make_kernels(meguri_ctx *ctx, mg_components_there *d) {
    static const mg_kernel_text text = {"components.cl", mg_components_cl};
    char options[64];
    snprintf(options, sizeof options, "-D OFFSET=%s " MG_UNIT_OPTIONS, d->rows.offsets32 ? "uint" : "ulong");
    const mg_kernel_row all[] = {
#define ROW(name) {&d->kernels.name, "components_" #name},
        MG_COMPONENTS_KERNEL_LIST(ROW)
#undef ROW
    };
    return mg_kernels_new(all, sizeof all / sizeof *all, ctx, d->device, &text, options);
}

static uint64_t giant_words(uint64_t rows) { return (rows + 31) / 32; }

/* Whether its rows fit the device, with the forest and what goes with it. */
static bool fits(const mg_components_there *d) {
    const mg_rows *rows = &d->rows;
    const uint64_t units = rows->rows / MG_UNIT_ROWS + 3 * (rows->arcs / MG_UNIT_ARCS) + 4;
    const uint64_t sum = (rows->rows + 1) * (rows->offsets32 ? 4 : 8) + rows->arcs * sizeof *rows->neighbors +
                         12 * units + 4 * (rows->rows + giant_words(rows->rows) + MG_COMPONENTS_SAMPLES) + 1024;
    return sum <= d->device->memory - d->device->used && rows->arcs <= d->device->largest / sizeof *rows->neighbors;
}

static meguri_status make_buffers(meguri_ctx *ctx, mg_components_there *d) {
    const uint64_t rows = d->rows.rows;
    meguri_status status = mg_buffer_new(&d->parent, ctx, d->device, rows, 4, what);
    if (status == MEGURI_OK) status = mg_buffer_new(&d->giant, ctx, d->device, giant_words(rows), 4, what);
    if (status == MEGURI_OK) status = mg_buffer_new(&d->picked, ctx, d->device, MG_COMPONENTS_SAMPLES, 4, what);
    return status == MEGURI_OK ? mg_buffer_new(&d->counters, ctx, d->device, MG_COMPONENTS_COUNTERS, 4, what) : status;
}

static meguri_status send_rows(meguri_ctx *ctx, mg_components_there *d) {
    meguri_status status = mg_device_rows_new(&d->rows_there, ctx, d->device, &d->rows, 0);
    return status == MEGURI_OK ? mg_device_units_new(&d->units, ctx, d->device, &d->rows) : status;
}

static meguri_status open_parts(meguri_ctx *ctx, mg_components_there *d) {
    meguri_status status = mg_buffer_new(&d->hooks, ctx, d->device, d->rows.rows, 4, what);
    return status == MEGURI_OK ? mg_parts_open(&d->parts, ctx, d->device, &d->rows, 0, 1) : status;
}

static meguri_status open_there(mg_components_device *f, uint32_t i) {
    meguri_ctx *ctx = f->base.ctx;
    mg_components_there *d = &f->there[i];
    d->rows = f->base.out;
    if (f->count > 1) {
        meguri_status status = mg_rows_share_new(&d->share, ctx, &f->base.out, 0, i, f->count);
        if (status != MEGURI_OK) return status;
        d->rows = d->share.rows;
    }
    d->in_parts = !fits(d);
    meguri_status status = make_buffers(ctx, d);
    if (status == MEGURI_OK) status = d->in_parts ? open_parts(ctx, d) : send_rows(ctx, d);
    return status == MEGURI_OK ? make_kernels(ctx, d) : status;
}

/* What the host needs for these. */
static meguri_status open_here(mg_components_device *f) {
    const mg_components *c = &f->base;
    bool in_parts = false;
    for (uint32_t i = 0; i < f->count; i++) in_parts |= f->there[i].in_parts;
    if (f->count > 1 && !(f->heard = mg_alloc_array(c->ctx, c->rows, sizeof *f->heard, what))) return MEGURI_NO_MEMORY;
    if (!in_parts) return MEGURI_OK;
    f->hooks = mg_alloc_array(c->ctx, c->rows, sizeof *f->hooks, what);
    if (f->hooks) f->wanted = mg_alloc_array(c->ctx, mg_bitmap_words(c->rows), sizeof *f->wanted, what);
    return f->wanted ? MEGURI_OK : MEGURI_NO_MEMORY;
}

meguri_status mg_components_device_open(mg_components *c) {
    mg_components_device *f = (mg_components_device *)c;
    mg_device *devices[MG_DEVICES_MOST];
    meguri_status status = mg_device_get_all(devices, &f->count, c->ctx);
    for (uint32_t i = 0; i < f->count && status == MEGURI_OK; i++) {
        f->there[i].device = devices[i];
        status = open_there(f, i);
    }
    return status == MEGURI_OK ? open_here(f) : status;
}

static void close_there(mg_components_there *d) {
    mg_buffer *buffers[] = {&d->parent, &d->giant, &d->picked, &d->counters, &d->hooks};
    mg_kernel *kernels[] = {
#define POINT(name) &d->kernels.name,
        MG_COMPONENTS_KERNEL_LIST(POINT)
#undef POINT
    };
    mg_parts_close(&d->parts);
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) mg_buffer_free(buffers[i]);
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) mg_kernel_free(kernels[i]);
    mg_device_units_free(&d->units);
    mg_device_rows_free(&d->rows_there);
    mg_rows_share_free(&d->share);
}

void mg_components_device_close(mg_components *c) {
    mg_components_device *f = (mg_components_device *)c;
    for (uint32_t i = 0; i < f->count; i++) close_there(&f->there[i]);
    mg_free(f->hooks);
    mg_free(f->wanted);
    mg_free(f->heard);
}
