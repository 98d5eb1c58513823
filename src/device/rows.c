/* Rows of a graph on a device: sent once, and the same for all searches. */
#include "device/device.h"

meguri_status mg_device_rows_new(mg_device_rows *out, meguri_ctx *ctx, mg_device *device, const mg_rows *rows,
                                 size_t weight_bytes) {
    *out = (mg_device_rows){.rows = rows->rows, .arcs = rows->arcs, .wide = !rows->offsets32};
    double since = mg_now();
    const void *offsets = out->wide ? (const void *)rows->offsets64 : rows->offsets32;
    meguri_status status =
        mg_buffer_from(&out->offsets, ctx, device, offsets, rows->rows + 1, out->wide ? 8 : 4, "the rows of the graph");
    if (status == MEGURI_OK)
        status = mg_buffer_from(&out->neighbors, ctx, device, rows->neighbors, rows->arcs, sizeof *rows->neighbors,
                                "the edges of the graph");
    if (status == MEGURI_OK && weight_bytes)
        status = mg_buffer_from(&out->weights, ctx, device, rows->weights, rows->arcs, weight_bytes,
                                "the weights of the graph");
    if (status == MEGURI_OK)
        mg_trace_phase(ctx, "device", "send", (int64_t)rows->arcs,
                       (int64_t)((rows->rows + 1) * (out->wide ? 8 : 4) + rows->arcs * (4 + weight_bytes)), since);
    else mg_device_rows_free(out);
    return status;
}

void mg_device_rows_free(mg_device_rows *rows) {
    mg_buffer_free(&rows->offsets);
    mg_buffer_free(&rows->neighbors);
    mg_buffer_free(&rows->weights);
}
