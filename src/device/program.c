/* Programs and kernels: compiled once for each text and set of options, found on disk where an earlier process compiled
 * the same for the same device and driver, and launched. */
#include "device/internal.h"

#include <stdlib.h>

extern const char mg_device_cl[];

/* ---- compiling -------------------------------------------------------------------------------------------------- */

/* The first of the compiler's words as one line, all of them to the log. */
static meguri_status does_not_compile(meguri_ctx *ctx, const mg_device *device, cl_program program, const char *name) {
    const struct mg_driver *r = device->driver;
    size_t bytes = 0;
    r->cl->GetProgramBuildInfo(program, r->device, CL_PROGRAM_BUILD_LOG, 0, NULL, &bytes);
    char *log = calloc(bytes + 1, 1);
    if (log && bytes) r->cl->GetProgramBuildInfo(program, r->device, CL_PROGRAM_BUILD_LOG, bytes, log, NULL);
    if (log) mg_log(ctx, MEGURI_LOG_WARNING, "what the compiler of %s says about %s:\n%s", device->name, name, log);
    char first[400];
    snprintf(first, sizeof first, "%s", log && *log ? log : "it does not say why");
    for (char *at = first; *at; at++)
        if (*at == '\n' || *at == '\t') *at = ' ';
    free(log);
    return mg_fail(ctx, MEGURI_ENGINE_FAILED, "%s does not compile for the device %s: %s", name, device->name, first);
}

/* NULL where there is nothing on disk, or nothing that the driver takes. */
static cl_program from_disk(meguri_ctx *ctx, const mg_device *device, mg_cache_key key, const char *options) {
    const struct mg_driver *r = device->driver;
    size_t bytes = 0;
    void *binary = mg_cache_read(ctx, key, &bytes);
    const unsigned char *binaries[] = {binary};
    cl_int loaded = CL_SUCCESS, code = CL_SUCCESS;
    cl_program program =
        binary ? r->cl->CreateProgramWithBinary(r->context, 1, &r->device, &bytes, binaries, &loaded, &code) : NULL;
    if (program && (code != CL_SUCCESS || loaded != CL_SUCCESS ||
                    r->cl->BuildProgram(program, 1, &r->device, options, NULL, NULL) != CL_SUCCESS)) {
        r->cl->ReleaseProgram(program);
        program = NULL;
    }
    free(binary);
    return program;
}

static void to_disk(meguri_ctx *ctx, const mg_device *device, mg_cache_key key, cl_program program) {
    const struct mg_driver *r = device->driver;
    size_t bytes = 0;
    if (r->cl->GetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, NULL) != CL_SUCCESS || !bytes)
        return;
    unsigned char *binary = malloc(bytes), *binaries[] = {binary};
    if (binary && r->cl->GetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binaries, binaries, NULL) == CL_SUCCESS)
        mg_cache_write(ctx, key, binary, bytes);
    free(binary);
}

static meguri_status compile(cl_program *out, meguri_ctx *ctx, const mg_device *device, const mg_kernel_text *text,
                             const char *options) {
    const struct mg_driver *r = device->driver;
    const char *keys[] = {r->identity, options, mg_device_cl, text->text};
    const char *texts[] = {mg_device_cl, text->text};
    mg_cache_key key = mg_cache_key_of(keys, 4);
    cl_int code;
    *out = from_disk(ctx, device, key, options);
    if (*out) return MEGURI_OK;
    double since = mg_now();
    cl_program program = r->cl->CreateProgramWithSource(r->context, 2, texts, NULL, &code);
    if (!program) return mg_device_failed(ctx, device, code, "taking a program");
    code = r->cl->BuildProgram(program, 1, &r->device, options, NULL, NULL);
    if (code != CL_SUCCESS) {
        meguri_status status = code == CL_BUILD_PROGRAM_FAILURE ? does_not_compile(ctx, device, program, text->name)
                                                                : mg_device_failed(ctx, device, code, "compiling");
        r->cl->ReleaseProgram(program);
        return status;
    }
    mg_trace_phase(ctx, "device", "compile", -1, -1, since);
    to_disk(ctx, device, key, program);
    *out = program;
    return MEGURI_OK;
}

/* The program of a text, which the device keeps. */
static meguri_status get_program(cl_program *out, meguri_ctx *ctx, mg_device *device, const mg_kernel_text *text,
                                 const char *options) {
    struct mg_driver *r = device->driver;
    for (const mg_program *p = r->programs; p; p = p->next)
        if (p->text == text->text && strcmp(p->options, options) == 0) {
            *out = p->handle;
            return MEGURI_OK;
        }
    mg_program *made = calloc(1, sizeof *made);
    meguri_status status = MEGURI_OK;
    if (!made) status = mg_fail(ctx, MEGURI_NO_MEMORY, "the system has no memory for a program.");
    if (status == MEGURI_OK) status = compile(&made->handle, ctx, device, text, options);
    if (status != MEGURI_OK) {
        free(made);
        return status;
    }
    made->text = text->text;
    snprintf(made->options, sizeof made->options, "%s", options);
    made->next = r->programs;
    r->programs = made;
    *out = made->handle;
    return MEGURI_OK;
}

/* ---- kernels ---------------------------------------------------------------------------------------------------- */

meguri_status mg_kernel_new(mg_kernel *out, meguri_ctx *ctx, mg_device *device, const mg_kernel_text *text,
                            const char *options, const char *name) {
    char all[MG_PROGRAM_OPTIONS];
    cl_program program;
    cl_int code;
    *out = (mg_kernel){0};
    const char *more = getenv("MEGURI_KERNEL_OPTIONS"); /* for whoever looks for faults */
    int length = snprintf(all, sizeof all, "-cl-std=CL1.2 -D WIDTH=%u -D GROUP=%u%s %s %s", device->width,
                          device->group, device->in_turns ? " -D IN_TURNS" : "", options, more ? more : "");
    if (length < 0 || (size_t)length >= sizeof all)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "the options of %s are too long.", text->name);
    meguri_status status = get_program(&program, ctx, device, text, all);
    if (status != MEGURI_OK) return status;
    cl_kernel handle = device->driver->cl->CreateKernel(program, name, &code);
    if (!handle) return mg_device_failed(ctx, device, code, "making a kernel");
    *out = (mg_kernel){mg_device_hold(device), handle, name};
    return MEGURI_OK;
}

meguri_status mg_kernels_new(const mg_kernel_row *rows, size_t count, meguri_ctx *ctx, mg_device *device,
                             const mg_kernel_text *text, const char *options) {
    meguri_status status = MEGURI_OK;
    for (size_t i = 0; i < count && status == MEGURI_OK; i++)
        status = mg_kernel_new(rows[i].kernel, ctx, device, text, options, rows[i].name);
    return status;
}

void mg_kernel_free(mg_kernel *kernel) {
    if (kernel->device) {
        kernel->device->driver->cl->ReleaseKernel(kernel->handle);
        mg_device_drop(kernel->device);
    }
    *kernel = (mg_kernel){0};
}

meguri_status mg_launch(meguri_ctx *ctx, const mg_kernel *kernel, uint64_t items, uint32_t group,
                        const mg_argument *arguments, uint32_t count) {
    mg_device *device = kernel->device;
    struct mg_driver *r = device->driver;
    cl_int code = CL_SUCCESS;
    if (items == 0) return MEGURI_OK;
    for (uint32_t i = 0; i < count && code == CL_SUCCESS; i++)
        code = r->cl->SetKernelArg(kernel->handle, i, arguments[i].bytes, arguments[i].value);
    size_t local = group, global = (size_t)((items + group - 1) / group * group);
    if (code == CL_SUCCESS)
        code = r->cl->EnqueueNDRangeKernel(r->queue, kernel->handle, 1, NULL, &global, &local, 0, NULL,
                                           device->timed ? &r->timed[r->timed_count] : NULL);
    if (code != CL_SUCCESS) return mg_device_failed(ctx, device, code, kernel->name);
    device->launches++;
    if (device->timed && ++r->timed_count == MG_TIMED) mg_device_add_times(device);
    return MEGURI_OK;
}
