#define _GNU_SOURCE
#include "device/c_opencl.h"
#include "device/work.h"

#include <dlfcn.h>
#include <sys/wait.h>
#include <ucontext.h>

#define MOST_ITEMS  256
#define MOST_ARGS   32
#define STACK       ((size_t)256 << 10)
#define MOST_BUILDS 256

struct _cl_mem {
    struct _cl_mem *next;
    char *data;
    size_t bytes;
};

struct _cl_program {
    char *text;
    void *library;
};

struct _cl_kernel {
    void (*call)(void **arguments);
    char name[64];
    uint64_t values[MOST_ARGS];
    struct work **work;
};

static struct {
    struct _cl_mem *buffers;
    char folder[FOLDER_TEXT];
    const char *clang;
    /* Programs by text and options: each is compiled once. */
    struct {
        char *text, *options;
        void *library;
    } builds[MOST_BUILDS];
    uint32_t build_count;
    const char *counting;
} all;

/* ---- work-items ------------------------------------------------------------------------------------------------- */

static struct {
    struct work work;
    ucontext_t home, items[MOST_ITEMS];
    char *stacks;
    bool ended[MOST_ITEMS];
    uint32_t width;
    const struct _cl_kernel *kernel;
    void *arguments[MOST_ARGS];
} running;

static void at_barrier(void) { swapcontext(&running.items[running.work.local_id], &running.home); }

static void run_item(void) {
    running.kernel->call(running.arguments);
    running.ended[running.work.local_id] = true;
}

/* ---- counting loads --------------------------------------------------------------------------------------------- */

#define MOST_LOADS ((uint32_t)1 << 16)

/* A load of a team between two barriers. */
typedef struct load {
    void *place;
    uint32_t turn, team;
    uint64_t lanes, segment_count;
    uintptr_t segments[64];
} load;

static struct {
    c_loads sum;
    load *loads; /* a hash table of MOST_LOADS */
    uint32_t used[MOST_LOADS], used_count;
    struct {
        void *place;
        uint32_t turn;
    } turns[MOST_ITEMS][64]; /* how often a work-item came to a load */
} counted;

static bool is_global(const void *from) {
    for (const struct _cl_mem *b = all.buffers; b; b = b->next)
        if ((const char *)from >= b->data && (const char *)from < b->data + b->bytes) return true;
    return false;
}

static uint32_t next_turn(void *place) {
    for (int i = 0; i < 64; i++) {
        if (!counted.turns[running.work.local_id][i].place) counted.turns[running.work.local_id][i].place = place;
        if (counted.turns[running.work.local_id][i].place == place)
            return counted.turns[running.work.local_id][i].turn++;
    }
    fail_msg("a kernel with more than 64 loads");
    return 0;
}

static void count_load(void *place, void *from) {
    if (!is_global(from)) return;
    uint32_t turn = next_turn(place), team = (uint32_t)running.work.local_id / running.width;
    uint32_t at = (uint32_t)(((uintptr_t)place * 31 + turn * 0x9e3779b1u + team) % MOST_LOADS);
    load *l;
    for (;; at = (at + 1) % MOST_LOADS) {
        l = &counted.loads[at];
        if (!l->place || (l->place == place && l->turn == turn && l->team == team)) break;
    }
    if (!l->place) {
        assert_true(counted.used_count < MOST_LOADS / 2);
        counted.used[counted.used_count++] = at;
        *l = (load){.place = place, .turn = turn, .team = team};
    }
    uintptr_t segment = (uintptr_t)from / 128;
    uint64_t i = 0;
    while (i < l->segment_count && l->segments[i] != segment) i++;
    if (i == l->segment_count) l->segments[l->segment_count++] = segment;
    l->lanes++;
}

/* At a barrier all loads before it are done. */
static void add_loads(void) {
    for (uint32_t i = 0; i < counted.used_count; i++) {
        load *l = &counted.loads[counted.used[i]];
        counted.sum.instructions++;
        counted.sum.lanes += l->lanes;
        counted.sum.transactions += l->segment_count;
        l->place = NULL;
    }
    counted.used_count = 0;
    memset(counted.turns, 0, sizeof counted.turns);
}

void c_opencl_count(const char *kernels) {
    all.counting = kernels;
    counted.sum = (c_loads){0};
    if (!counted.loads) counted.loads = calloc(MOST_LOADS, sizeof *counted.loads);
}

c_loads c_opencl_counted(void) { return counted.sum; }

/* ---- launches --------------------------------------------------------------------------------------------------- */

/* All work-items of a group, from barrier to barrier. */
static void run_group(uint64_t size) {
    for (uint64_t i = 0; i < size; i++) {
        running.ended[i] = false;
        getcontext(&running.items[i]);
        running.items[i].uc_stack.ss_sp = running.stacks + i * STACK;
        running.items[i].uc_stack.ss_size = STACK;
        running.items[i].uc_link = &running.home;
        makecontext(&running.items[i], run_item, 0);
    }
    for (uint64_t ended = 0; ended < size;) {
        ended = 0;
        for (uint64_t i = 0; i < size; i++) {
            running.work.local_id = i;
            swapcontext(&running.home, &running.items[i]);
            ended += running.ended[i];
        }
        if (ended && ended < size) fail_msg("%s: a barrier that not all reach", running.kernel->name);
        if (running.work.load) add_loads();
    }
}

static cl_int CL_API_CALL enqueue_kernel(cl_command_queue queue, cl_kernel k, cl_uint dimensions, const size_t *offset,
                                         const size_t *items, const size_t *group, cl_uint count, const cl_event *waits,
                                         cl_event *event) {
    (void)queue, (void)dimensions, (void)offset, (void)count, (void)waits;
    assert_true(*group <= MOST_ITEMS && *items % *group == 0);
    if (!running.stacks) running.stacks = malloc(MOST_ITEMS * STACK);
    running.kernel = k;
    for (int i = 0; i < MOST_ARGS; i++) running.arguments[i] = &k->values[i];
    *k->work = &running.work;
    running.work = (struct work){.size = *group, .groups = *items / *group, .barrier = at_barrier};
    if (all.counting && strncmp(k->name, all.counting, strlen(all.counting)) == 0) running.work.load = count_load;
    for (; running.work.group_id < running.work.groups; running.work.group_id++) run_group(*group);
    if (event) *event = (cl_event)&all;
    return CL_SUCCESS;
}

static cl_int CL_API_CALL set_argument(cl_kernel k, cl_uint i, size_t bytes, const void *value) {
    assert_true(i < MOST_ARGS && value && bytes <= sizeof *k->values);
    memcpy(&k->values[i], value, bytes);
    if (bytes != sizeof(cl_mem)) return CL_SUCCESS;
    for (const struct _cl_mem *b = all.buffers; b; b = b->next) /* a buffer is its address */
        if (k->values[i] == (uint64_t)(uintptr_t)b) memcpy(&k->values[i], &b->data, sizeof b->data);
    return CL_SUCCESS;
}

/* ---- programs --------------------------------------------------------------------------------------------------- */

static cl_program CL_API_CALL create_program(cl_context context, cl_uint count, const char **texts,
                                             const size_t *lengths, cl_int *code) {
    (void)context, (void)lengths;
    cl_program p = calloc(1, sizeof *p);
    size_t bytes = 1;
    for (cl_uint i = 0; i < count; i++) bytes += strlen(texts[i]);
    p->text = calloc(bytes, 1);
    for (cl_uint i = 0; i < count; i++) strcat(p->text, texts[i]);
    *code = CL_SUCCESS;
    return p;
}

static void *compile(const char *text, const char *options) {
    char source[FOLDER_TEXT + 32], library[FOLDER_TEXT + 32], command[4096];
    snprintf(source, sizeof source, "%s/%u.cl", all.folder, all.build_count);
    snprintf(library, sizeof library, "%s/%u.so", all.folder, all.build_count);
    FILE *file = fopen(source, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
    snprintf(command, sizeof command, "python3 -B %s %s %s %s %s %s", CL_AS_C, source, library, all.clang, options,
             all.counting ? "-fsanitize-coverage=edge,trace-loads" : SANITIZERS);
    assert_int_equal(system(command), 0);
    void *made = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!made) fail_msg("%s", dlerror());
    return made;
}

static cl_int CL_API_CALL build(cl_program p, cl_uint count, const cl_device_id *devices, const char *options,
                                void(CL_CALLBACK *done)(cl_program, void *), void *user) {
    char whole[1024];
    (void)count, (void)devices, (void)done, (void)user;
    snprintf(whole, sizeof whole, "%s%s", all.counting ? "counted " : "", options);
    for (uint32_t i = 0; i < all.build_count && !p->library; i++)
        if (strcmp(all.builds[i].text, p->text) == 0 && strcmp(all.builds[i].options, whole) == 0)
            p->library = all.builds[i].library;
    if (p->library) return CL_SUCCESS;
    assert_true(all.build_count < MOST_BUILDS);
    p->library = compile(p->text, options);
    all.builds[all.build_count].text = strdup(p->text);
    all.builds[all.build_count].options = strdup(whole);
    all.builds[all.build_count++].library = p->library;
    return CL_SUCCESS;
}

static cl_int CL_API_CALL release_program(cl_program p) {
    free(p->text);
    free(p);
    return CL_SUCCESS;
}

static cl_int CL_API_CALL program_info(cl_program p, cl_program_info what, size_t room, void *out, size_t *bytes) {
    (void)p, (void)what, (void)room, (void)out, (void)bytes;
    return CL_INVALID_VALUE; /* nothing to keep on disk */
}

static cl_kernel CL_API_CALL create_kernel(cl_program p, const char *name, cl_int *code) {
    char call[80];
    cl_kernel k = calloc(1, sizeof *k);
    snprintf(call, sizeof call, "call_%s", name);
    snprintf(k->name, sizeof k->name, "%s", name);
    void *found = dlsym(p->library, call);
    if (!found) fail_msg("there is no kernel %s", name);
    memcpy(&k->call, &found, sizeof found);
    k->work = dlsym(p->library, "work");
    *code = CL_SUCCESS;
    return k;
}

static cl_int CL_API_CALL release_kernel(cl_kernel k) {
    free(k);
    return CL_SUCCESS;
}

static cl_int CL_API_CALL kernel_info(cl_kernel k, cl_device_id device, cl_kernel_work_group_info what, size_t room,
                                      void *out, size_t *bytes) {
    (void)k, (void)device, (void)what, (void)bytes;
    assert_int_equal(room, sizeof(size_t));
    *(size_t *)out = 32;
    return CL_SUCCESS;
}

/* ---- memory ----------------------------------------------------------------------------------------------------- */

static cl_mem CL_API_CALL create_buffer(cl_context context, cl_mem_flags flags, size_t size, void *host, cl_int *code) {
    (void)context, (void)flags;
    assert_null(host);
    cl_mem b = malloc(sizeof *b);
    void *data = NULL;
    assert_int_equal(posix_memalign(&data, 128, size), 0); /* so that counted transactions are the same each time */
    *b = (struct _cl_mem){all.buffers, data, size};
    memset(b->data, 0xA5, size);
    all.buffers = b;
    *code = CL_SUCCESS;
    return b;
}

static cl_int CL_API_CALL release_buffer(cl_mem b) {
    struct _cl_mem **at = &all.buffers;
    while (*at != b) at = &(*at)->next;
    *at = b->next;
    free(b->data);
    free(b);
    return CL_SUCCESS;
}

static void check_range(cl_mem b, size_t offset, size_t size) {
    if (offset > b->bytes || size > b->bytes - offset) fail_msg("a copy beyond the end of a buffer");
}

static cl_int CL_API_CALL read_buffer(cl_command_queue queue, cl_mem b, cl_bool blocking, size_t offset, size_t size,
                                      void *data, cl_uint count, const cl_event *waits, cl_event *event) {
    (void)queue, (void)blocking, (void)count, (void)waits;
    check_range(b, offset, size);
    memcpy(data, b->data + offset, size);
    if (event) *event = (cl_event)&all;
    return CL_SUCCESS;
}

static cl_int CL_API_CALL write_buffer(cl_command_queue queue, cl_mem b, cl_bool blocking, size_t offset, size_t size,
                                       const void *data, cl_uint count, const cl_event *waits, cl_event *event) {
    (void)queue, (void)blocking, (void)count, (void)waits;
    check_range(b, offset, size);
    memcpy(b->data + offset, data, size);
    if (event) *event = (cl_event)&all;
    return CL_SUCCESS;
}

static cl_int CL_API_CALL fill_buffer(cl_command_queue queue, cl_mem b, const void *pattern, size_t length,
                                      size_t offset, size_t size, cl_uint count, const cl_event *waits,
                                      cl_event *event) {
    (void)queue, (void)count, (void)waits;
    check_range(b, offset, size);
    for (size_t i = 0; i + length <= size; i += length) memcpy(b->data + offset + i, pattern, length);
    if (event) *event = (cl_event)&all;
    return CL_SUCCESS;
}

static cl_int CL_API_CALL copy_buffer(cl_command_queue queue, cl_mem from, cl_mem to, size_t from_offset,
                                      size_t to_offset, size_t size, cl_uint count, const cl_event *waits,
                                      cl_event *event) {
    (void)queue, (void)count, (void)waits;
    check_range(from, from_offset, size);
    check_range(to, to_offset, size);
    memmove(to->data + to_offset, from->data + from_offset, size);
    if (event) *event = (cl_event)&all;
    return CL_SUCCESS;
}

/* ---- the rest --------------------------------------------------------------------------------------------------- */

static cl_int CL_API_CALL platforms(cl_uint room, cl_platform_id *out, cl_uint *count) {
    if (room && out) *out = (cl_platform_id)&all;
    if (count) *count = 1;
    return CL_SUCCESS;
}

static cl_int tell(const void *value, size_t size, size_t room, void *out, size_t *bytes) {
    if (bytes) *bytes = size;
    if (out) memcpy(out, value, MG_MIN(size, room));
    return CL_SUCCESS;
}

static cl_int CL_API_CALL platform_info(cl_platform_id id, cl_platform_info what, size_t room, void *out,
                                        size_t *bytes) {
    (void)id, (void)what;
    return tell("C", 2, room, out, bytes);
}

static cl_int CL_API_CALL devices(cl_platform_id id, cl_device_type type, cl_uint room, cl_device_id *out,
                                  cl_uint *count) {
    (void)id, (void)type;
    if (room && out) *out = (cl_device_id)&all;
    if (count) *count = 1;
    return CL_SUCCESS;
}

static cl_int CL_API_CALL device_info(cl_device_id id, cl_device_info what, size_t room, void *out, size_t *bytes) {
    static const char extensions[] = "cl_khr_fp64 cl_khr_int64_base_atomics cl_khr_int64_extended_atomics";
    (void)id;
    uint64_t number = 1;
    switch (what) {
    case CL_DEVICE_EXTENSIONS: return tell(extensions, sizeof extensions, room, out, bytes);
    case CL_DEVICE_VERSION: return tell("OpenCL 1.2", 11, room, out, bytes);
    case CL_DEVICE_NAME:
    case CL_DEVICE_VENDOR:
    case CL_DRIVER_VERSION: return tell("C", 2, room, out, bytes);
    case CL_DEVICE_TYPE: number = CL_DEVICE_TYPE_GPU; break;
    case CL_DEVICE_GLOBAL_MEM_SIZE:
    case CL_DEVICE_MAX_MEM_ALLOC_SIZE: number = (uint64_t)1 << 30; break;
    case CL_DEVICE_MAX_WORK_GROUP_SIZE: number = MOST_ITEMS; break;
    default: break; /* yes, or one */
    }
    return tell(&number, sizeof number, room, out, bytes);
}

static cl_context CL_API_CALL create_context(const cl_context_properties *properties, cl_uint count,
                                             const cl_device_id *ids,
                                             void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *),
                                             void *user, cl_int *code) {
    (void)properties, (void)count, (void)ids, (void)notify, (void)user;
    *code = CL_SUCCESS;
    return (cl_context)&all;
}

static cl_int CL_API_CALL release_context(cl_context context) { return context ? CL_SUCCESS : CL_INVALID_CONTEXT; }

static cl_command_queue CL_API_CALL create_queue(cl_context context, cl_device_id device,
                                                 cl_command_queue_properties properties, cl_int *code) {
    (void)context, (void)device, (void)properties;
    *code = CL_SUCCESS;
    return (cl_command_queue)&all;
}

static cl_int CL_API_CALL on_queue(cl_command_queue queue) { return queue ? CL_SUCCESS : CL_INVALID_COMMAND_QUEUE; }

static cl_int CL_API_CALL after(cl_command_queue queue, cl_uint count, const cl_event *waits, cl_event *event) {
    (void)queue, (void)count, (void)waits;
    if (event) *event = (cl_event)&all;
    return CL_SUCCESS;
}

static cl_int CL_API_CALL wait_for(cl_uint count, const cl_event *events) {
    return count && events ? CL_SUCCESS : CL_INVALID_VALUE;
}

static cl_int CL_API_CALL release_event(cl_event event) { return event ? CL_SUCCESS : CL_INVALID_EVENT; }

static cl_int CL_API_CALL profiling(cl_event event, cl_profiling_info what, size_t room, void *out, size_t *bytes) {
    (void)event, (void)what, (void)room, (void)out, (void)bytes;
    return CL_PROFILING_INFO_NOT_AVAILABLE;
}

static cl_program CL_API_CALL from_binary(cl_context context, cl_uint count, const cl_device_id *ids,
                                          const size_t *lengths, const unsigned char **binaries, cl_int *loaded,
                                          cl_int *code) {
    (void)context, (void)count, (void)ids, (void)lengths, (void)binaries, (void)loaded;
    *code = CL_INVALID_BINARY;
    return NULL;
}

static cl_int CL_API_CALL build_info(cl_program p, cl_device_id device, cl_program_build_info what, size_t room,
                                     void *out, size_t *bytes) {
    (void)p, (void)device, (void)what;
    return tell("", 1, room, out, bytes);
}

static const mg_opencl table = {.GetPlatformIDs = platforms,
                                .GetPlatformInfo = platform_info,
                                .GetDeviceIDs = devices,
                                .GetDeviceInfo = device_info,
                                .CreateContext = create_context,
                                .ReleaseContext = release_context,
                                .CreateCommandQueue = create_queue,
                                .ReleaseCommandQueue = on_queue,
                                .CreateBuffer = create_buffer,
                                .ReleaseMemObject = release_buffer,
                                .CreateProgramWithSource = create_program,
                                .CreateProgramWithBinary = from_binary,
                                .BuildProgram = build,
                                .GetProgramBuildInfo = build_info,
                                .GetProgramInfo = program_info,
                                .ReleaseProgram = release_program,
                                .CreateKernel = create_kernel,
                                .ReleaseKernel = release_kernel,
                                .GetKernelWorkGroupInfo = kernel_info,
                                .SetKernelArg = set_argument,
                                .EnqueueNDRangeKernel = enqueue_kernel,
                                .EnqueueReadBuffer = read_buffer,
                                .EnqueueWriteBuffer = write_buffer,
                                .EnqueueFillBuffer = fill_buffer,
                                .EnqueueCopyBuffer = copy_buffer,
                                .EnqueueMarkerWithWaitList = after,
                                .EnqueueBarrierWithWaitList = after,
                                .WaitForEvents = wait_for,
                                .GetEventProfilingInfo = profiling,
                                .ReleaseEvent = release_event,
                                .Flush = on_queue,
                                .Finish = on_queue};

/* ---- contexts --------------------------------------------------------------------------------------------------- */

static bool runs(const char *program) {
    char command[256];
    snprintf(command, sizeof command, "%s --version >/dev/null 2>&1", program);
    return system(command) == 0;
}

meguri_ctx *c_opencl_context(const char *devices, uint32_t width, uint32_t group, bool in_turns) {
    if (!all.clang) {
        static const char *const names[] = {"clang-14", "clang"};
        for (size_t i = 0; i < COUNT_OF(names) && !all.clang; i++)
            if (runs(names[i])) all.clang = names[i];
        if (!all.clang || !runs("python3")) skip_because("there is no clang, or no Python 3");
        folder_new(all.folder);
    }
    meguri_ctx *ctx = NULL;
    meguri_ctx_options options = {.size = sizeof options, .threads = 2, .memory = (uint64_t)1 << 30, .device = devices};
    mg_device *named[MG_DEVICES_MOST];
    uint32_t count;
    assert_int_equal(meguri_ctx_new(&ctx, &options), MEGURI_OK);
    assert_int_equal(mg_devices_use(ctx, &table), MEGURI_OK);
    assert_int_equal(mg_device_get_all(named, &count, ctx), MEGURI_OK);
    running.width = width;
    for (uint32_t i = 0; i < count; i++) {
        named[i]->width = width;
        named[i]->group = group;
        named[i]->in_turns = in_turns;
    }
    return ctx;
}

void c_opencl_done(void) {
    for (uint32_t i = 0; i < all.build_count; i++) {
        free(all.builds[i].text);
        free(all.builds[i].options);
    }
    free(running.stacks);
    free(counted.loads);
    if (*all.folder) folder_remove(all.folder);
}
