/* The forest on devices: the kernels are in components.cl.
 *
 * Rows and forest stay on a device; after each phase the host reads how many edges were looked at, or who a sample
 * takes for the giant. At the end it reads the forest, and writes the answer as it does its own.
 *
 * The forests of several are read after they were compressed, and joined here. Nobody needs those of the others: only
 * who is in the giant of all is told to each, before it links. */
#include "algo/components/components_device.h"

#define CHUNK ((uint64_t)1 << 14) /* vertices that a thread looks at one after another */

static uint64_t giant_bytes(const mg_components *c) { return (c->rows + (uint64_t)31) / 32 * 4; }

/* ---- on one device ---------------------------------------------------------------------------------------------- */

/* What was counted since they were set to zero. */
static meguri_status read_counters(uint32_t counters[MG_COMPONENTS_COUNTERS], meguri_ctx *ctx,
                                   const mg_components_there *d) {
    return mg_buffer_read(ctx, &d->counters, 0, counters, MG_COMPONENTS_COUNTERS * sizeof *counters);
}

/* Of all of them. */
static meguri_status read_edges(uint64_t *edges, mg_components_device *f) {
    meguri_status status = MEGURI_OK;
    for (uint32_t i = 0; i < f->count && status == MEGURI_OK; i++) {
        uint32_t counters[MG_COMPONENTS_COUNTERS] = {0};
        status = read_counters(counters, f->base.ctx, &f->there[i]);
        *edges += counters[MG_COMPONENTS_EDGES] + ((uint64_t)counters[MG_COMPONENTS_EDGES_HIGH] << 32);
    }
    return status;
}

static meguri_status launch_compress(meguri_ctx *ctx, const mg_components_there *d) {
    const uint32_t rows = (uint32_t)d->rows.rows;
    return MG_LAUNCH(ctx, &d->kernels.compress, rows, d->device->group, MG_VALUE(uint32_t, rows),
                     MG_BUFFER(&d->parent));
}

/* The giant of the only device, as it sees it. */
static meguri_status find_giant(mg_components *c, mg_components_there *d) {
    uint32_t picked[MG_COMPONENTS_SAMPLES], counters[MG_COMPONENTS_COUNTERS] = {0}, group = d->device->group;
    meguri_status status =
        MG_LAUNCH(c->ctx, &d->kernels.pick, MG_COMPONENTS_SAMPLES, group, MG_VALUE(uint32_t, c->rows),
                  MG_BUFFER(&d->parent), MG_VALUE(uint32_t, MG_COMPONENTS_SAMPLES), MG_BUFFER(&d->picked));
    if (status == MEGURI_OK) status = mg_buffer_read(c->ctx, &d->picked, 0, picked, sizeof picked);
    if (status == MEGURI_OK) status = mg_buffer_fill(c->ctx, &d->counters, 0);
    if (status != MEGURI_OK) return status;
    c->root = mg_components_giant(picked, MG_COMPONENTS_SAMPLES);
    status =
        MG_LAUNCH(c->ctx, &d->kernels.mark, (c->rows + 31) / 32, group, MG_VALUE(uint32_t, c->rows),
                  MG_BUFFER(&d->parent), MG_VALUE(uint32_t, c->root), MG_BUFFER(&d->giant), MG_BUFFER(&d->counters));
    if (status == MEGURI_OK) status = read_counters(counters, c->ctx, d);
    c->members = counters[MG_COMPONENTS_MEMBERS];
    return status;
}

/* ---- forests of several ----------------------------------------------------------------------------------------- */

/* What one of them has joined, here, too. */
static uint64_t join_rows(mg_components *c, uint64_t begin, uint64_t end) {
    const mg_components_device *f = (const mg_components_device *)c;
    for (uint64_t v = begin; v < end; v++) mg_components_unite(c->parent, (uint32_t)v, f->heard[v]);
    return 0;
}

/* Everything that they have joined; the first forest of the first of them is where the host's begins. */
static meguri_status join_forests(mg_components_device *f, bool first) {
    mg_components *c = &f->base;
    meguri_status status = MEGURI_OK;
    for (uint32_t i = 0; i < f->count && status == MEGURI_OK; i++) {
        status = launch_compress(c->ctx, &f->there[i]);
        if (status == MEGURI_OK) status = mg_device_flush(c->ctx, f->there[i].device);
    }
    for (uint32_t i = 0; i < f->count && status == MEGURI_OK; i++) {
        const bool begins = first && i == 0;
        status =
            mg_buffer_read(c->ctx, &f->there[i].parent, 0, begins ? c->parent : f->heard, c->rows * sizeof *f->heard);
        if (status == MEGURI_OK && !begins) mg_components_sweep(c, join_rows, c->rows, CHUNK);
    }
    return status;
}

/* ---- the phases ------------------------------------------------------------------------------------------------- */

typedef struct hook_job {
    mg_components_device *f;
    const mg_rows *rows;
} hook_job;

static void find_hooks(void *what, uint64_t begin, uint64_t end) {
    const hook_job *job = what;
    for (uint64_t v = begin; v < end; v++) {
        const uint64_t arc = mg_row_begin(job->rows, v) + job->f->base.neighbor;
        job->f->hooks[v] = arc < mg_row_end(job->rows, v) ? job->rows->neighbors[arc] : MG_NO_VERTEX;
    }
}

static meguri_status sample_there(mg_components_device *f, mg_components_there *d) {
    mg_components *c = &f->base;
    const uint32_t group = d->device->group;
    meguri_status status = mg_buffer_fill(c->ctx, &d->counters, 0);
    if (status != MEGURI_OK) return status;
    if (!d->in_parts)
        return MG_LAUNCH(c->ctx, &d->kernels.sample, c->rows, group, MG_BUFFER(&d->rows_there.offsets),
                         MG_BUFFER(&d->rows_there.neighbors), MG_VALUE(uint32_t, c->rows),
                         MG_VALUE(uint32_t, c->neighbor), MG_BUFFER(&d->parent), MG_BUFFER(&d->counters));
    hook_job job = {f, &d->rows};
    mg_for(c->ctx, mg_threads(c->ctx, c->rows, CHUNK), c->rows, find_hooks, &job);
    status = mg_buffer_write(c->ctx, &d->hooks, 0, f->hooks, c->rows * sizeof *f->hooks);
    if (status != MEGURI_OK) return status;
    return MG_LAUNCH(c->ctx, &d->kernels.hook, c->rows, group, MG_BUFFER(&d->hooks), MG_VALUE(uint32_t, c->rows),
                     MG_VALUE(uint32_t, c->neighbor), MG_BUFFER(&d->parent), MG_BUFFER(&d->counters));
}

static meguri_status sample(uint64_t *edges, mg_components *c) {
    mg_components_device *f = (mg_components_device *)c;
    meguri_status status = MEGURI_OK;
    for (uint32_t i = 0; i < f->count && status == MEGURI_OK; i++) {
        status = sample_there(f, &f->there[i]);
        if (status == MEGURI_OK) status = mg_device_flush(c->ctx, f->there[i].device);
    }
    return status == MEGURI_OK ? read_edges(edges, f) : status;
}

static meguri_status compress(mg_components *c) {
    mg_components_device *f = (mg_components_device *)c;
    mg_components_there *d = &f->there[0];
    if (f->count > 1) {
        meguri_status status = join_forests(f, c->neighbor == 0);
        return status == MEGURI_OK ? mg_components_on_host.compress(c) : status;
    }
    meguri_status status = launch_compress(c->ctx, d);
    if (status == MEGURI_OK) status = find_giant(c, d);
    if (status != MEGURI_OK || !d->in_parts) return status;
    return mg_buffer_read(c->ctx, &d->giant, 0, c->giant.words, giant_bytes(c)); /* it says which rows are sent */
}

typedef struct link_job {
    mg_components *c;
    const mg_components_there *there;
} link_job;

static meguri_status link_batch(void *what, meguri_ctx *ctx, const mg_batch *b) {
    const link_job *job = what;
    const mg_components_there *d = job->there;
    return MG_LAUNCH(ctx, &d->kernels.link_batch, b->count, d->device->group, MG_BUFFER(&b->entries),
                     MG_VALUE(uint32_t, b->count), MG_BUFFER(&b->neighbors), MG_BUFFER(&d->giant),
                     MG_VALUE(uint32_t, job->c->graph->directed), MG_BUFFER(&d->parent), MG_BUFFER(&d->counters));
}

static meguri_status link_there(mg_components_device *f, mg_components_there *d) {
    mg_components *c = &f->base;
    meguri_status status = mg_buffer_fill(c->ctx, &d->counters, 0);
    if (status == MEGURI_OK && f->count > 1)
        status = mg_buffer_write(c->ctx, &d->giant, 0, c->giant.words, giant_bytes(c));
    if (status != MEGURI_OK) return status;
    if (d->in_parts) return mg_parts_each(c->ctx, &d->parts, f->wanted, link_batch, &(link_job){c, d});
    return MG_LAUNCH(c->ctx, &d->kernels.link, mg_device_units_items(&d->units, d->device), d->device->group,
                     MG_BUFFER(&d->units.units), MG_VALUE(uint32_t, (uint32_t)d->units.count),
                     MG_BUFFER(&d->rows_there.offsets), MG_BUFFER(&d->rows_there.neighbors), MG_BUFFER(&d->giant),
                     MG_VALUE(uint32_t, c->graph->directed), MG_BUFFER(&d->parent), MG_BUFFER(&d->counters));
}

/* The rows that may lead out of the giant, or are outside. */
static void find_wanted(mg_components_device *f) {
    for (uint64_t w = 0; f->wanted && w < mg_bitmap_words(f->base.rows); w++)
        f->wanted[w] = f->base.graph->directed ? UINT64_MAX : mg_components_outside(&f->base, w);
}

static meguri_status link(uint64_t *edges, mg_components *c) {
    mg_components_device *f = (mg_components_device *)c;
    meguri_status status = MEGURI_OK;
    find_wanted(f);
    f->linked = true;
    for (uint32_t i = 0; i < f->count && status == MEGURI_OK; i++) {
        status = link_there(f, &f->there[i]);
        if (status == MEGURI_OK) status = mg_device_flush(c->ctx, f->there[i].device);
    }
    return status == MEGURI_OK ? read_edges(edges, f) : status;
}

static meguri_status settle(mg_components *c) {
    mg_components_device *f = (mg_components_device *)c;
    const mg_components_there *d = &f->there[0];
    if (f->count > 1) {
        meguri_status status = f->linked ? join_forests(f, false) : MEGURI_OK;
        return status == MEGURI_OK ? mg_components_on_host.settle(c) : status;
    }
    meguri_status status = launch_compress(c->ctx, d);
    if (status == MEGURI_OK) status = mg_buffer_read(c->ctx, &d->parent, 0, c->parent, c->rows * sizeof *c->parent);
    if (status == MEGURI_OK) mg_components_take(c);
    return status;
}

/* ---- what came of it -------------------------------------------------------------------------------------------- */

static uint64_t moved(const mg_components *c) {
    const mg_components_device *f = (const mg_components_device *)c;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < f->count; i++) sum += f->there[i].device->sent + f->there[i].device->received;
    return sum;
}

static meguri_status facts(const mg_components *c, meguri_result *result) {
    const mg_components_device *f = (const mg_components_device *)c;
    uint64_t most = 0, parts = 0;
    for (uint32_t i = 0; i < f->count; i++) {
        most = MG_MAX(most, f->there[i].rows.arcs);
        parts += f->there[i].parts.count;
    }
    meguri_status status = mg_result_set_number(c->ctx, result, "parts", parts);
    return status == MEGURI_OK ? mg_devices_tell(c->ctx, result, f->count, most) : status;
}

const mg_components_engine mg_components_on_device = {.engine = MEGURI_ENGINE_DEVICE,
                                                      .bytes = sizeof(mg_components_device),
                                                      .open = mg_components_device_open,
                                                      .sample = sample,
                                                      .compress = compress,
                                                      .link = link,
                                                      .settle = settle,
                                                      .moved = moved,
                                                      .facts = facts,
                                                      .close = mg_components_device_close};
