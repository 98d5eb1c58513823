/* Memory of a device within its budget, and copies to and from it. */
#include "device/internal.h"

#define PIECE ((uint64_t)64 << 20) /* bytes copied between two looks whether the work is cancelled */
#define LEAST 16                   /* bytes of a buffer: OpenCL has none without */

static meguri_status no_room(meguri_ctx *ctx, const mg_device *device, uint64_t bytes, const char *what) {
    char asked[MG_SIZE_TEXT], used[MG_SIZE_TEXT], limit[MG_SIZE_TEXT];
    mg_size_text(asked, bytes);
    if (bytes > device->largest)
        return mg_fail(ctx, MEGURI_NO_MEMORY,
                       "%s take %s, and the device %s gives %s at once; use the host, or a smaller graph.", what, asked,
                       device->name, mg_size_text(limit, device->largest));
    return mg_fail(
        ctx, MEGURI_NO_MEMORY,
        "not enough memory on the device %s for %s: %s asked, %s of %s in use; allow it more memory, use the "
        "host, or a smaller graph.",
        device->name, what, asked, mg_size_text(used, device->used), mg_size_text(limit, device->memory));
}

meguri_status mg_buffer_new(mg_buffer *out, meguri_ctx *ctx, mg_device *device, uint64_t count, size_t size,
                            const char *what) {
    uint64_t bytes;
    cl_int code;
    *out = (mg_buffer){0};
    if (__builtin_mul_overflow(count, size, &bytes)) bytes = UINT64_MAX;
    if (bytes < LEAST) bytes = LEAST;
    if (bytes > device->largest || bytes > device->memory || device->used > device->memory - bytes)
        return no_room(ctx, device, bytes, what);
    const struct mg_driver *r = device->driver;
    cl_mem handle = r->cl->CreateBuffer(r->context, CL_MEM_READ_WRITE, (size_t)bytes, NULL, &code);
    if (!handle) return mg_device_failed(ctx, device, code, "asked for memory");
    uint64_t used = mg_fetch_add(&device->used, bytes) + bytes;
    device->peak = MG_MAX(device->peak, used);
    *out = (mg_buffer){mg_device_hold(device), handle, bytes};
    return MEGURI_OK;
}

void mg_buffer_free(mg_buffer *buffer) {
    if (!buffer->device) return;
    buffer->device->driver->cl->ReleaseMemObject(buffer->handle);
    mg_fetch_add(&buffer->device->used, 0 - buffer->bytes); /* maybe while another call works there */
    mg_device_drop(buffer->device);
    *buffer = (mg_buffer){0};
}

/* The seconds of a copy that is done. */
static void add_time(mg_device *device, cl_event event) {
    if (!event) return;
    device->copy_seconds += mg_event_seconds(device->driver->cl, event);
    device->driver->cl->ReleaseEvent(event);
}

meguri_status mg_buffer_write(meguri_ctx *ctx, const mg_buffer *buffer, uint64_t offset, const void *data,
                              uint64_t bytes) {
    mg_device *device = buffer->device;
    const struct mg_driver *r = device->driver;
    for (uint64_t done = 0, piece; done < bytes; done += piece) {
        piece = MG_MIN(PIECE, bytes - done);
        if (done && mg_progress(ctx, "copy", done, bytes)) return mg_fail_cancelled(ctx);
        cl_event event = NULL;
        cl_int code =
            r->cl->EnqueueWriteBuffer(r->queue, buffer->handle, CL_TRUE, (size_t)(offset + done), (size_t)piece,
                                      (const char *)data + done, 0, NULL, device->timed ? &event : NULL);
        add_time(device, event);
        if (code != CL_SUCCESS) return mg_device_failed(ctx, device, code, "taking data");
        device->sent += piece;
    }
    return MEGURI_OK;
}

meguri_status mg_buffer_from(mg_buffer *out, meguri_ctx *ctx, mg_device *device, const void *data, uint64_t count,
                             size_t size, const char *what) {
    meguri_status status = mg_buffer_new(out, ctx, device, count, size, what);
    return status == MEGURI_OK ? mg_buffer_write(ctx, out, 0, data, count * size) : status;
}

meguri_status mg_buffer_read(meguri_ctx *ctx, const mg_buffer *buffer, uint64_t offset, void *data, uint64_t bytes) {
    mg_device *device = buffer->device;
    const struct mg_driver *r = device->driver;
    for (uint64_t done = 0, piece; done < bytes; done += piece) {
        piece = MG_MIN(PIECE, bytes - done);
        if (done && mg_progress(ctx, "copy", done, bytes)) return mg_fail_cancelled(ctx);
        cl_event event = NULL;
        cl_int code =
            r->cl->EnqueueReadBuffer(r->queue, buffer->handle, CL_TRUE, (size_t)(offset + done), (size_t)piece,
                                     (char *)data + done, 0, NULL, device->timed ? &event : NULL);
        add_time(device, event);
        if (code != CL_SUCCESS) return mg_device_failed(ctx, device, code, "giving data");
        device->received += piece;
    }
    return MEGURI_OK;
}

meguri_status mg_buffer_read_later(void **event, meguri_ctx *ctx, const mg_buffer *buffer, uint64_t offset, void *data,
                                   uint64_t bytes) {
    mg_device *device = buffer->device;
    const struct mg_driver *r = device->driver;
    cl_event made = NULL;
    cl_int code = r->cl->EnqueueReadBuffer(r->queue, buffer->handle, CL_FALSE, (size_t)offset, (size_t)bytes, data, 0,
                                           NULL, &made);
    *event = made;
    if (code != CL_SUCCESS) return mg_device_failed(ctx, device, code, "giving data");
    device->received += bytes;
    return MEGURI_OK;
}

/* The code of waiting for it. */
static cl_int end_event(mg_device *device, void **event) {
    cl_event made = *event;
    *event = NULL;
    if (!made) return CL_SUCCESS;
    cl_int code = device->driver->cl->WaitForEvents(1, &made);
    if (device->timed && code == CL_SUCCESS) add_time(device, made);
    else device->driver->cl->ReleaseEvent(made);
    return code;
}

meguri_status mg_device_wait(meguri_ctx *ctx, mg_device *device, void **event) {
    cl_int code = end_event(device, event);
    return code == CL_SUCCESS ? MEGURI_OK : mg_device_failed(ctx, device, code, "giving data");
}

void mg_device_leave(mg_device *device, void **event) { end_event(device, event); }

meguri_status mg_buffer_fill(meguri_ctx *ctx, const mg_buffer *buffer, uint32_t word) {
    mg_device *device = buffer->device;
    const struct mg_driver *r = device->driver;
    cl_int code = r->cl->EnqueueFillBuffer(r->queue, buffer->handle, &word, sizeof word, 0,
                                           (size_t)(buffer->bytes / sizeof word * sizeof word), 0, NULL, NULL);
    return code == CL_SUCCESS ? MEGURI_OK : mg_device_failed(ctx, device, code, "filling memory");
}

meguri_status mg_buffer_copy(meguri_ctx *ctx, const mg_buffer *to, const mg_buffer *from) {
    mg_device *device = to->device;
    const struct mg_driver *r = device->driver;
    cl_int code =
        r->cl->EnqueueCopyBuffer(r->queue, from->handle, to->handle, 0, 0, (size_t)from->bytes, 0, NULL, NULL);
    return code == CL_SUCCESS ? MEGURI_OK : mg_device_failed(ctx, device, code, "copying memory");
}
