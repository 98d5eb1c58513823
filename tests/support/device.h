/* A device for tests, and an OpenCL in between that counts calls and makes one of them fail: a device that is lost, or
 * has no memory left. */
#ifndef TEST_DEVICE_H
#define TEST_DEVICE_H

#include "device/internal.h"
#include "support/unit.h"

/* ---- an OpenCL that fails --------------------------------------------------------------------------------------- */

static mg_opencl true_opencl;
static struct {
    uint64_t calls, fail_at; /* of those below; 0: none fails */
    bool for_good;           /* … and all after it */
    cl_int code;
    uint64_t buffers; /* that are there */
} faulty;

static inline bool call_fails(void) {
    faulty.calls++;
    return faulty.fail_at && (faulty.for_good ? faulty.calls >= faulty.fail_at : faulty.calls == faulty.fail_at);
}

static inline cl_mem CL_API_CALL faulty_create_buffer(cl_context context, cl_mem_flags flags, size_t size, void *host,
                                                      cl_int *code) {
    if (call_fails()) {
        *code = faulty.code;
        return NULL;
    }
    assert_null(host); /* memory of the host cannot pass for that of the device */
    cl_mem made = true_opencl.CreateBuffer(context, flags, size, host, code);
    faulty.buffers += made != NULL;
    return made;
}

static inline cl_int CL_API_CALL faulty_release(cl_mem memory) {
    faulty.buffers--;
    return true_opencl.ReleaseMemObject(memory);
}

static inline cl_int CL_API_CALL faulty_launch(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                                               const size_t *offset, const size_t *global, const size_t *local,
                                               cl_uint events, const cl_event *waits, cl_event *event) {
    if (call_fails()) return faulty.code;
    return true_opencl.EnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local, events, waits, event);
}

static inline cl_int CL_API_CALL faulty_read(cl_command_queue queue, cl_mem memory, cl_bool blocking, size_t offset,
                                             size_t size, void *data, cl_uint events, const cl_event *waits,
                                             cl_event *event) {
    if (call_fails()) return faulty.code;
    return true_opencl.EnqueueReadBuffer(queue, memory, blocking, offset, size, data, events, waits, event);
}

static inline cl_int CL_API_CALL faulty_write(cl_command_queue queue, cl_mem memory, cl_bool blocking, size_t offset,
                                              size_t size, const void *data, cl_uint events, const cl_event *waits,
                                              cl_event *event) {
    if (call_fails()) return faulty.code;
    return true_opencl.EnqueueWriteBuffer(queue, memory, blocking, offset, size, data, events, waits, event);
}

static inline cl_int CL_API_CALL faulty_fill(cl_command_queue queue, cl_mem memory, const void *pattern,
                                             size_t pattern_size, size_t offset, size_t size, cl_uint events,
                                             const cl_event *waits, cl_event *event) {
    if (call_fails()) return faulty.code;
    return true_opencl.EnqueueFillBuffer(queue, memory, pattern, pattern_size, offset, size, events, waits, event);
}

static inline cl_kernel CL_API_CALL faulty_kernel(cl_program program, const char *name, cl_int *code) {
    if (call_fails()) {
        *code = faulty.code;
        return NULL;
    }
    return true_opencl.CreateKernel(program, name, code);
}

/* ---- contexts --------------------------------------------------------------------------------------------------- */

/* A context with this option `device`, and a budget; skips the test where there is no device at all. */
static inline meguri_ctx *device_context(const char *device, uint64_t memory) {
    meguri_ctx *ctx = NULL;
    uint32_t count = 0;
    const char *why = "";
    meguri_ctx_options options = {
        .size = sizeof options, .threads = 2, .memory = (uint64_t)1 << 30, .device = device, .device_memory = memory};
    assert_int_equal(meguri_ctx_new(&ctx, &options), MEGURI_OK);
    assert_int_equal(meguri_devices(&count, &why, ctx), MEGURI_OK);
    if (count) return ctx;
    meguri_ctx_free(ctx);
    skip_because(why);
    return NULL;
}

/* The same with calls that can fail, which `faulty` steers. */
static inline meguri_ctx *faulty_context(void) {
    static mg_opencl table;
    char why[256];
    meguri_ctx_free(device_context(NULL, 0)); /* skips */
    assert_true(mg_opencl_load(&true_opencl, why, sizeof why));
    table = true_opencl;
    table.CreateBuffer = faulty_create_buffer;
    table.ReleaseMemObject = faulty_release;
    table.EnqueueNDRangeKernel = faulty_launch;
    table.EnqueueReadBuffer = faulty_read;
    table.EnqueueWriteBuffer = faulty_write;
    table.EnqueueFillBuffer = faulty_fill;
    table.CreateKernel = faulty_kernel;
    memset(&faulty, 0, sizeof faulty);
    meguri_ctx *ctx = context_with(2);
    assert_int_equal(mg_devices_use(ctx, &table), MEGURI_OK);
    return ctx;
}

#endif
