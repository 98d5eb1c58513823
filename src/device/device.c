/* An open device: its context and queue, its widths, and what its failures mean. */
#include "device/internal.h"

#include <stdlib.h>

#define LEAST_WIDTH 8
#define MOST_WIDTH  64
#define GROUP       64 /* work-items of a group: local memory of any device holds what they compact */

extern const char mg_primitives_cl[];

meguri_status mg_device_failed(meguri_ctx *ctx, const mg_device *device, cl_int code, const char *doing) {
    if (code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_HOST_MEMORY)
        return mg_fail(ctx, MEGURI_NO_MEMORY, "the device %s has no memory left, %s (%s, %d); give it less to do.",
                       device->name, doing, mg_opencl_error(code), (int)code);
    return mg_fail(ctx, MEGURI_ENGINE_FAILED,
                   "the device %s failed, %s (%s, %d); try again, or use another device or the host.", device->name,
                   doing, mg_opencl_error(code), (int)code);
}

/* The largest power of two up to x. */
static uint32_t power_below(uint64_t x) {
    uint32_t power = 1;
    while (power <= x / 2 && power < 1u << 30) power *= 2;
    return power;
}

/* The width is that of compiled kernels: OpenCL 1.2 tells it of those alone. */
static meguri_status find_widths(meguri_ctx *ctx, mg_device *device, const mg_device_entry *entry) {
    static const mg_kernel_text text = {"primitives.cl", mg_primitives_cl};
    const struct mg_driver *r = device->driver;
    mg_kernel kernel = {0};
    size_t multiple = 0;
    uint32_t most = power_below(MG_MAX(entry->most_group, 1u));
    device->group = MG_MIN((uint32_t)GROUP, most);
    device->width = MG_MIN((uint32_t)LEAST_WIDTH, device->group);
    meguri_status status = mg_kernel_new(&kernel, ctx, device, &text, "", "mg_scan_sums");
    if (status == MEGURI_OK &&
        r->cl->GetKernelWorkGroupInfo(kernel.handle, r->device, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE,
                                      sizeof multiple, &multiple, NULL) == CL_SUCCESS)
        device->width = MG_MIN(MG_MAX(power_below(multiple), device->width), MG_MIN((uint32_t)MOST_WIDTH, most));
    mg_kernel_free(&kernel);
    device->group = MG_MAX(device->group, device->width);
    return status;
}

/* Releasing a queue does not wait for what is in it, and a process that ends below kernels at work takes the driver's
 * compiler away under them: a step whose finds nobody needed may still be one. */
static void close_queue(const mg_opencl *cl, cl_command_queue queue) {
    if (!queue) return;
    cl->Finish(queue);
    cl->ReleaseCommandQueue(queue);
}

static void close(mg_device *device) {
    struct mg_driver *r = device->driver;
    for (uint32_t i = 0; i < r->timed_count; i++) r->cl->ReleaseEvent(r->timed[i]);
    for (mg_program *p = r->programs, *next; p; p = next) {
        next = p->next;
        r->cl->ReleaseProgram(p->handle);
        free(p);
    }
    close_queue(r->cl, r->copies);
    close_queue(r->cl, r->queue);
    if (r->context) r->cl->ReleaseContext(r->context);
    free(r->name);
    free(r->identity);
    free(r);
    free(device);
}

mg_device *mg_device_hold(mg_device *device) {
    mg_fetch_add(&device->driver->holders, 1);
    return device;
}

void mg_device_drop(mg_device *device) {
    if (device && __atomic_sub_fetch(&device->driver->holders, 1, __ATOMIC_ACQ_REL) == 0) close(device);
}

static char *copy_of(const char *text) {
    size_t bytes = strlen(text) + 1;
    char *copy = malloc(bytes);
    return copy ? memcpy(copy, text, bytes) : NULL;
}

/* Without anything of OpenCL yet; NULL: no memory. */
static mg_device *make(const mg_opencl *cl, const mg_device_entry *entry) {
    mg_device *device = calloc(1, sizeof *device);
    struct mg_driver *driver = device ? calloc(1, sizeof *driver) : NULL;
    if (!driver) {
        free(device);
        return NULL;
    }
    device->driver = driver;
    *driver = (struct mg_driver){.functions = *cl,
                                 .cl = &driver->functions,
                                 .holders = 1,
                                 .device = entry->device,
                                 .name = copy_of(entry->info.name),
                                 .identity = copy_of(entry->identity)};
    device->name = driver->name;
    if (driver->name && driver->identity) return device;
    close(device);
    return NULL;
}

meguri_status mg_device_open(mg_device **out, meguri_ctx *ctx, const mg_opencl *cl, const mg_device_entry *entry) {
    cl_int code = CL_OUT_OF_HOST_MEMORY;
    uint64_t budget = mg_ctx_device_memory(ctx), own = entry->info.memory / 10 * 9;
    mg_device *device = make(cl, entry);
    *out = NULL;
    if (!device) return mg_fail(ctx, MEGURI_NO_MEMORY, "the system has no memory for a device.");
    struct mg_driver *driver = device->driver;
    device->units = entry->info.units;
    device->in_turns = entry->info.kind == MEGURI_DEVICE_CPU;
    device->doubles = entry->doubles;
    device->long_atomics = entry->long_atomics;
    device->memory = budget && budget < own ? budget : own;
    device->largest = entry->info.largest;
    const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)entry->platform, 0};
    driver->context = cl->CreateContext(properties, 1, &driver->device, NULL, NULL, &code);
    if (driver->context)
        driver->queue = cl->CreateCommandQueue(driver->context, driver->device, CL_QUEUE_PROFILING_ENABLE, &code);
    meguri_status status =
        driver->queue ? find_widths(ctx, device, entry) : mg_device_failed(ctx, device, code, "being opened");
    if (status == MEGURI_OK) *out = device;
    else mg_device_drop(device);
    return status;
}

double mg_event_seconds(const mg_opencl *cl, cl_event event) {
    cl_ulong begin = 0, end = 0;
    bool told =
        cl->GetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof begin, &begin, NULL) == CL_SUCCESS &&
        cl->GetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL) == CL_SUCCESS;
    return told && end > begin ? (double)(end - begin) * 1e-9 : 0;
}

void mg_device_add_times(mg_device *device) {
    struct mg_driver *r = device->driver;
    for (uint32_t i = 0; i < r->timed_count; i++) {
        if (r->cl->WaitForEvents(1, &r->timed[i]) == CL_SUCCESS)
            device->kernel_seconds += mg_event_seconds(r->cl, r->timed[i]);
        r->cl->ReleaseEvent(r->timed[i]);
    }
    r->timed_count = 0;
}

meguri_status mg_device_flush(meguri_ctx *ctx, mg_device *device) {
    cl_int code = device->driver->cl->Flush(device->driver->queue);
    return code == CL_SUCCESS ? MEGURI_OK : mg_device_failed(ctx, device, code, "at work");
}

meguri_status mg_device_finish(meguri_ctx *ctx, mg_device *device) {
    cl_int code = device->driver->cl->Finish(device->driver->queue);
    mg_device_add_times(device);
    return code == CL_SUCCESS ? MEGURI_OK : mg_device_failed(ctx, device, code, "at work");
}
