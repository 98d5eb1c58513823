/* Primitives on a device: prefix sums, sums, bitmaps into lists. The order is that of the input, whatever order groups
 * run in: sums of tiles first, then prefix sums of these by one group, then each tile by itself. */
#include "device/internal.h"

extern const char mg_primitives_cl[];

#define EACH 8 /* as in primitives.cl */

static uint64_t tiles(const mg_primitives *p, uint64_t items) {
    uint64_t tile = (uint64_t)p->device->group * EACH;
    return (items + tile - 1) / tile;
}

meguri_status mg_primitives_open(mg_primitives *out, meguri_ctx *ctx, mg_device *device, uint64_t most) {
    static const mg_kernel_text text = {"primitives.cl", mg_primitives_cl};
    mg_primitives p = {.device = device};
    const struct {
        mg_kernel *kernel;
        const char *name;
    } kernels[] = {{&p.sum_tiles, "mg_sum_tiles"},
                   {&p.scan_sums, "mg_scan_sums"},
                   {&p.scan_tiles, "mg_scan_tiles"},
                   {&p.count_bits, "mg_count_bits"},
                   {&p.list_bits, "mg_list_bits"}};
    meguri_status status = mg_buffer_new(&p.total, ctx, device, 1, sizeof(uint32_t), "sums");
    if (status == MEGURI_OK) status = mg_buffer_new(&p.sums, ctx, device, tiles(&p, most), sizeof(uint32_t), "sums");
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels && status == MEGURI_OK; i++)
        status = mg_kernel_new(kernels[i].kernel, ctx, device, &text, "", kernels[i].name);
    *out = p;
    if (status != MEGURI_OK) mg_primitives_close(out);
    return status;
}

void mg_primitives_close(mg_primitives *p) {
    mg_kernel *kernels[] = {&p->sum_tiles, &p->scan_sums, &p->scan_tiles, &p->count_bits, &p->list_bits};
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) mg_kernel_free(kernels[i]);
    mg_buffer_free(&p->sums);
    mg_buffer_free(&p->total);
}

static meguri_status scan_alone(meguri_ctx *ctx, mg_primitives *p, const mg_buffer *items, uint64_t count) {
    return MG_LAUNCH(ctx, &p->scan_sums, p->device->group, p->device->group, MG_BUFFER(items),
                     MG_VALUE(uint32_t, (uint32_t)count), MG_BUFFER(&p->total));
}

/* A launch over tiles of `items`, whose sums it reads or writes. */
static meguri_status over_tiles(meguri_ctx *ctx, const mg_primitives *p, const mg_kernel *kernel,
                                const mg_buffer *items, uint64_t count) {
    uint32_t group = p->device->group;
    return MG_LAUNCH(ctx, kernel, tiles(p, count) * group, group, MG_BUFFER(items), MG_VALUE(uint32_t, (uint32_t)count),
                     MG_BUFFER(&p->sums));
}

meguri_status mg_device_exscan(meguri_ctx *ctx, mg_primitives *p, const mg_buffer *items, uint64_t count) {
    if (count <= MG_SCAN_ALONE) return scan_alone(ctx, p, items, count);
    meguri_status status = over_tiles(ctx, p, &p->sum_tiles, items, count);
    if (status == MEGURI_OK) status = scan_alone(ctx, p, &p->sums, tiles(p, count));
    return status == MEGURI_OK ? over_tiles(ctx, p, &p->scan_tiles, items, count) : status;
}

meguri_status mg_device_sum(meguri_ctx *ctx, mg_primitives *p, const mg_buffer *items, uint64_t count) {
    meguri_status status = over_tiles(ctx, p, &p->sum_tiles, items, count);
    return status == MEGURI_OK ? scan_alone(ctx, p, &p->sums, tiles(p, count)) : status;
}

meguri_status mg_device_list_bits(meguri_ctx *ctx, mg_primitives *p, const mg_buffer *list, const mg_buffer *bits,
                                  uint64_t words) {
    uint32_t group = p->device->group;
    meguri_status status = over_tiles(ctx, p, &p->count_bits, bits, words);
    if (status == MEGURI_OK) status = scan_alone(ctx, p, &p->sums, tiles(p, words));
    if (status != MEGURI_OK) return status;
    return MG_LAUNCH(ctx, &p->list_bits, tiles(p, words) * group, group, MG_BUFFER(bits),
                     MG_VALUE(uint32_t, (uint32_t)words), MG_BUFFER(&p->sums), MG_BUFFER(list));
}

meguri_status mg_device_total(uint32_t *out, meguri_ctx *ctx, const mg_primitives *p) {
    *out = 0;
    return mg_buffer_read(ctx, &p->total, 0, out, sizeof *out);
}
