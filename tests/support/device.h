/* A device for tests, and an OpenCL in between that counts calls and makes one of them fail: a device that is lost, or
 * has no memory left. */
#ifndef TEST_DEVICE_H
#define TEST_DEVICE_H

#include "device/internal.h"
#include "support/faults.h"
#include "support/unit.h"

#include <stdlib.h>

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

static inline cl_int CL_API_CALL faulty_copy(cl_command_queue queue, cl_mem from, cl_mem to, size_t from_offset,
                                             size_t to_offset, size_t size, cl_uint events, const cl_event *waits,
                                             cl_event *event) {
    if (call_fails()) return faulty.code;
    return true_opencl.EnqueueCopyBuffer(queue, from, to, from_offset, to_offset, size, events, waits, event);
}

static inline cl_int CL_API_CALL faulty_marker(cl_command_queue queue, cl_uint events, const cl_event *waits,
                                               cl_event *event) {
    if (call_fails()) return faulty.code;
    return true_opencl.EnqueueMarkerWithWaitList(queue, events, waits, event);
}

static inline cl_int CL_API_CALL faulty_barrier(cl_command_queue queue, cl_uint events, const cl_event *waits,
                                                cl_event *event) {
    if (call_fails()) return faulty.code;
    return true_opencl.EnqueueBarrierWithWaitList(queue, events, waits, event);
}

static inline cl_int CL_API_CALL faulty_wait(cl_uint events, const cl_event *waits) {
    if (call_fails()) return faulty.code;
    return true_opencl.WaitForEvents(events, waits);
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

/* Before any context: PoCL makes as many devices as this names. */
static inline void make_two_devices(void) { assert_int_equal(setenv("POCL_DEVICES", "pthread pthread", 0), 0); }

/* Two devices where PoCL makes them, else one twice; three, of which one is there twice. */
static inline meguri_ctx *context_of_two(uint64_t memory) {
    meguri_ctx *ctx = device_context("0", 0);
    uint32_t count = 0;
    assert_int_equal(meguri_devices(&count, NULL, ctx), MEGURI_OK);
    meguri_ctx_free(ctx);
    return device_context(count > 1 ? "0,1" : "0,0", memory);
}

static inline meguri_ctx *context_of_several(int turn) {
    return turn % 2 ? device_context("0,0,0", 0) : context_of_two(0);
}

/* Of a result: two devices, each with half of these arcs, to a tenth. */
static inline void expect_halves(const meguri_result *result, uint64_t arcs) {
    meguri_fact count = {.size = sizeof count}, most = {.size = sizeof most};
    assert_int_equal(meguri_result_fact(&count, result, "devices"), MEGURI_OK);
    assert_int_equal(meguri_result_fact(&most, result, "device_arcs"), MEGURI_OK);
    assert_int_equal(count.number, 2);
    assert_true((double)most.number <= 1.1 * (double)arcs / 2 && (double)most.number >= 0.9 * (double)arcs / 2);
}

/* Widths of teams and sizes of groups; 0: as the device has them, else its work-items run in step. */
static const struct { uint32_t width, group; } device_sizes[] = {{0, 0}, {8, 64}, {32, 32}, {64, 128}};

static inline meguri_ctx *context_of_size(size_t i) {
    meguri_ctx *ctx = device_context(NULL, 0);
    mg_device *device;
    assert_int_equal(mg_device_get(&device, ctx), MEGURI_OK);
    if (!device_sizes[i].width) return ctx;
    device->in_turns = false;
    device->width = device_sizes[i].width;
    device->group = device_sizes[i].group;
    return ctx;
}

/* Calls that can fail, which `faulty` steers. */
static inline mg_opencl faulty_table(void) {
    mg_opencl table;
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
    table.EnqueueCopyBuffer = faulty_copy;
    table.EnqueueMarkerWithWaitList = faulty_marker;
    table.EnqueueBarrierWithWaitList = faulty_barrier;
    table.WaitForEvents = faulty_wait;
    table.CreateKernel = faulty_kernel;
    memset(&faulty, 0, sizeof faulty);
    return table;
}

/* A context with these, and this option `device`. */
static inline meguri_ctx *faulty_context_of(const char *device) {
    static mg_opencl table;
    table = faulty_table();
    meguri_ctx *ctx = NULL;
    meguri_ctx_options options = {.size = sizeof options, .threads = 2, .memory = (uint64_t)1 << 30, .device = device};
    assert_int_equal(meguri_ctx_new(&ctx, &options), MEGURI_OK);
    assert_int_equal(mg_devices_use(ctx, &table), MEGURI_OK);
    return ctx;
}

static inline meguri_ctx *faulty_context(void) { return faulty_context_of(NULL); }

/* Attempts in such a context with each call of OpenCL failing in turn, once or from then on, until there is none to
 * fail. Each failure is told with the name of the device, and nothing is left on it. */
static inline void fail_each_call(meguri_ctx *ctx, attempt_fn *attempt, void *what) {
    mg_device *d, *all[MG_DEVICES_MOST];
    uint32_t count;
    assert_int_equal(mg_device_get_all(all, &count, ctx), MEGURI_OK);
    d = all[count - 1];
    assert_int_equal(attempt(ctx, what), MEGURI_OK);
    for (int turn = 0; turn < 3; turn++) {
        meguri_status status = MEGURI_ENGINE_FAILED;
        for (uint64_t k = 1; status != MEGURI_OK; k++) {
            faulty.calls = 0;
            faulty.fail_at = k;
            faulty.for_good = turn == 1;
            faulty.code = turn == 2 ? CL_MEM_OBJECT_ALLOCATION_FAILURE : CL_DEVICE_NOT_AVAILABLE;
            status = attempt(ctx, what);
            faulty.fail_at = 0;
            assert_int_equal(faulty.buffers, 0);
            assert_int_equal(d->used, 0);
            if (status == MEGURI_OK) continue;
            assert_int_equal(status, turn == 2 ? MEGURI_NO_MEMORY : MEGURI_ENGINE_FAILED);
            assert_non_null(strstr(meguri_ctx_error(ctx), d->name));
        }
    }
    assert_int_equal(attempt(ctx, what), MEGURI_OK); /* it is there again */
}

#endif
