/* The forest on a device: the kernels are in components.cl.
 *
 * Rows and forest stay on the device; after each phase the host reads how many edges were looked at, or who a sample
 * takes for the giant. At the end it reads the forest, and writes the answer as it does its own. */
#include "algo/components/components.h"
#include "device/device.h"

extern const char mg_components_cl[];

enum { MEMBERS, EDGES, EDGES_HIGH, COUNTERS = 4 }; /* as in components.cl */

/* X(kernel): of components.cl, with components_ before their names. */
#define KERNEL_LIST(X)                                                                                                 \
    X(sample)                                                                                                          \
    X(compress)                                                                                                        \
    X(pick)                                                                                                            \
    X(mark)                                                                                                            \
    X(link)

typedef struct device_forest {
    mg_components base;
    mg_device *device;
    mg_device_rows rows;
    mg_device_units units;
    mg_buffer parent, giant, picked, counters;
    struct {
#define FIELD(name) mg_kernel name;
        KERNEL_LIST(FIELD)
#undef FIELD
    } kernels;
} device_forest;

/* ---- before and after ------------------------------------------------------------------------------------------- */

static meguri_status make_kernels(meguri_ctx *ctx, device_forest *f) {
    static const mg_kernel_text text = {"components.cl", mg_components_cl};
    char options[64];
    snprintf(options, sizeof options, "-D OFFSET=%s " MG_UNIT_OPTIONS, f->rows.wide ? "ulong" : "uint");
    const mg_kernel_row all[] = {
#define ROW(name) {&f->kernels.name, "components_" #name},
        KERNEL_LIST(ROW)
#undef ROW
    };
    return mg_kernels_new(all, sizeof all / sizeof *all, ctx, f->device, &text, options);
}

static meguri_status open(mg_components *c) {
    device_forest *f = (device_forest *)c;
    meguri_ctx *ctx = c->ctx;
    const char *what = "the components of a graph";
    meguri_status status = mg_device_get(&f->device, ctx);
    if (status == MEGURI_OK) status = mg_device_rows_new(&f->rows, ctx, f->device, &c->out, 0);
    if (status == MEGURI_OK) status = mg_device_units_new(&f->units, ctx, f->device, &c->out);
    if (status == MEGURI_OK) status = mg_buffer_new(&f->parent, ctx, f->device, c->rows, 4, what);
    if (status == MEGURI_OK) status = mg_buffer_new(&f->giant, ctx, f->device, (c->rows + 31) / 32, 4, what);
    if (status == MEGURI_OK) status = mg_buffer_new(&f->picked, ctx, f->device, MG_COMPONENTS_SAMPLES, 4, what);
    if (status == MEGURI_OK) status = mg_buffer_new(&f->counters, ctx, f->device, COUNTERS, 4, what);
    return status == MEGURI_OK ? make_kernels(ctx, f) : status;
}

static void close(mg_components *c) {
    device_forest *f = (device_forest *)c;
    mg_buffer *buffers[] = {&f->parent, &f->giant, &f->picked, &f->counters};
    mg_kernel *kernels[] = {
#define POINT(name) &f->kernels.name,
        KERNEL_LIST(POINT)
#undef POINT
    };
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) mg_buffer_free(buffers[i]);
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) mg_kernel_free(kernels[i]);
    mg_device_units_free(&f->units);
    mg_device_rows_free(&f->rows);
}

/* What was counted since they were set to zero. */
static meguri_status read_counters(uint32_t counters[COUNTERS], device_forest *f) {
    return mg_buffer_read(f->base.ctx, &f->counters, 0, counters, COUNTERS * sizeof *counters);
}

static meguri_status read_edges(uint64_t *edges, device_forest *f) {
    uint32_t counters[COUNTERS];
    meguri_status status = read_counters(counters, f);
    if (status == MEGURI_OK) *edges = counters[EDGES] + ((uint64_t)counters[EDGES_HIGH] << 32);
    return status;
}

/* ---- the phases ------------------------------------------------------------------------------------------------- */

static meguri_status sample(uint64_t *edges, mg_components *c) {
    device_forest *f = (device_forest *)c;
    meguri_status status = mg_buffer_fill(c->ctx, &f->counters, 0);
    if (status == MEGURI_OK)
        status = MG_LAUNCH(c->ctx, &f->kernels.sample, c->rows, f->device->group, MG_BUFFER(&f->rows.offsets),
                           MG_BUFFER(&f->rows.neighbors), MG_VALUE(uint32_t, c->rows), MG_VALUE(uint32_t, c->neighbor),
                           MG_BUFFER(&f->parent), MG_BUFFER(&f->counters));
    return status == MEGURI_OK ? read_edges(edges, f) : status;
}

static meguri_status launch_compress(device_forest *f) {
    return MG_LAUNCH(f->base.ctx, &f->kernels.compress, f->base.rows, f->device->group,
                     MG_VALUE(uint32_t, f->base.rows), MG_BUFFER(&f->parent));
}

static meguri_status compress(mg_components *c) {
    device_forest *f = (device_forest *)c;
    uint32_t picked[MG_COMPONENTS_SAMPLES], counters[COUNTERS] = {0}, group = f->device->group;
    meguri_status status = launch_compress(f);
    if (status == MEGURI_OK)
        status = MG_LAUNCH(c->ctx, &f->kernels.pick, MG_COMPONENTS_SAMPLES, group, MG_VALUE(uint32_t, c->rows),
                           MG_BUFFER(&f->parent), MG_VALUE(uint32_t, MG_COMPONENTS_SAMPLES), MG_BUFFER(&f->picked));
    if (status == MEGURI_OK) status = mg_buffer_read(c->ctx, &f->picked, 0, picked, sizeof picked);
    if (status == MEGURI_OK) status = mg_buffer_fill(c->ctx, &f->counters, 0);
    if (status != MEGURI_OK) return status;
    c->root = mg_components_giant(picked, MG_COMPONENTS_SAMPLES);
    status =
        MG_LAUNCH(c->ctx, &f->kernels.mark, (c->rows + 31) / 32, group, MG_VALUE(uint32_t, c->rows),
                  MG_BUFFER(&f->parent), MG_VALUE(uint32_t, c->root), MG_BUFFER(&f->giant), MG_BUFFER(&f->counters));
    if (status == MEGURI_OK) status = read_counters(counters, f);
    c->members = counters[MEMBERS];
    return status;
}

static meguri_status link(uint64_t *edges, mg_components *c) {
    device_forest *f = (device_forest *)c;
    meguri_status status = mg_buffer_fill(c->ctx, &f->counters, 0);
    if (status == MEGURI_OK)
        status = MG_LAUNCH(c->ctx, &f->kernels.link, mg_device_units_items(&f->units, f->device), f->device->group,
                           MG_BUFFER(&f->units.units), MG_VALUE(uint32_t, (uint32_t)f->units.count),
                           MG_BUFFER(&f->rows.offsets), MG_BUFFER(&f->rows.neighbors), MG_BUFFER(&f->giant),
                           MG_VALUE(uint32_t, c->graph->directed), MG_BUFFER(&f->parent), MG_BUFFER(&f->counters));
    return status == MEGURI_OK ? read_edges(edges, f) : status;
}

static meguri_status settle(mg_components *c) {
    device_forest *f = (device_forest *)c;
    meguri_status status = launch_compress(f);
    if (status == MEGURI_OK) status = mg_buffer_read(c->ctx, &f->parent, 0, c->parent, c->rows * sizeof *c->parent);
    if (status == MEGURI_OK) mg_components_take(c);
    return status;
}

static uint64_t moved(const mg_components *c) {
    const device_forest *f = (const device_forest *)c;
    return f->device->sent + f->device->received;
}

const mg_components_engine mg_components_on_device = {.engine = MEGURI_ENGINE_DEVICE,
                                                      .bytes = sizeof(device_forest),
                                                      .open = open,
                                                      .sample = sample,
                                                      .compress = compress,
                                                      .link = link,
                                                      .settle = settle,
                                                      .moved = moved,
                                                      .close = close};
