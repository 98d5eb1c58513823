/* Rows of a graph on a device: sent once, and the same for all searches; all of them, or a share. */
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

typedef struct share_job {
    const mg_rows *rows;
    mg_rows_share *share;
    uint64_t begin, end;
} share_job;

static void clamp_offsets(void *what, uint64_t first, uint64_t last) {
    const share_job *job = what;
    uint32_t *narrow = job->share->offsets;
    uint64_t *wide = job->share->offsets;
    for (uint64_t v = first; v < last; v++) {
        uint64_t place = MG_MIN(MG_MAX(mg_row_offset(job->rows, v), job->begin), job->end) - job->begin;
        if (job->rows->offsets32) narrow[v] = (uint32_t)place;
        else wide[v] = place;
    }
}

meguri_status mg_rows_share_new(mg_rows_share *out, meguri_ctx *ctx, const mg_rows *rows, size_t weight_bytes,
                                uint32_t part, uint32_t parts) {
    const bool wide = !rows->offsets32;
    const uint64_t each = rows->arcs / parts, rest = rows->arcs % parts;
    share_job job = {.rows = rows, .share = out, .begin = part * each + MG_MIN(part, rest)};
    job.end = job.begin + each + (part < rest);
    *out = (mg_rows_share){.rows = {.rows = rows->rows, .arcs = job.end - job.begin}};
    out->offsets = mg_alloc_array(ctx, rows->rows + 1, wide ? 8 : 4, "a share of the rows of the graph");
    if (!out->offsets) return MEGURI_NO_MEMORY;
    mg_for(ctx, mg_threads(ctx, rows->rows, 1 << 16), rows->rows + 1, clamp_offsets, &job);
    out->rows.offsets32 = wide ? NULL : out->offsets;
    out->rows.offsets64 = wide ? out->offsets : NULL;
    out->rows.neighbors = rows->neighbors ? rows->neighbors + job.begin : NULL;
    if (weight_bytes && rows->weights) out->rows.weights = (const char *)rows->weights + job.begin * weight_bytes;
    return MEGURI_OK;
}

void mg_rows_share_free(mg_rows_share *share) {
    mg_free(share->offsets);
    *share = (mg_rows_share){0};
}

uint64_t mg_rows_share_trim(mg_rows_share *share) {
    mg_rows *rows = &share->rows;
    if (!rows->arcs) {
        rows->rows = 0;
        return 0;
    }
    const uint64_t first = mg_row_of_arc(rows, 0), last = mg_row_of_arc(rows, rows->arcs - 1);
    if (rows->offsets32) rows->offsets32 += first;
    else rows->offsets64 += first;
    rows->rows = last - first + 1;
    return first;
}

meguri_status mg_devices_tell(meguri_ctx *ctx, meguri_result *result, uint32_t count, uint64_t most_arcs) {
    meguri_status status = mg_result_set_number(ctx, result, "devices", count);
    return status == MEGURI_OK ? mg_result_set_number(ctx, result, "device_arcs", most_arcs) : status;
}
