/* The devices of a context: which there are, and those that it names.
 *
 * A CPU that poses as a device is listed last among equals and taken only by the engine `device` itself: `auto` never
 * gets here. */
#include "device/internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <strings.h>

#define MAX_PLATFORMS 16
#define MAX_DEVICES   64 /* of a platform */
#define REASON        512

struct mg_devices {
    mg_opencl loaded;
    const mg_opencl *cl; /* NULL: there is no OpenCL */
    mg_device_entry *entries;
    uint32_t count;
    mg_device *named[MG_DEVICES_MOST]; /* in the order of the option `device`, opened when they were first asked for */
    uint32_t named_count;
    char why[REASON]; /* there are none */
};

/* ---- asking OpenCL ---------------------------------------------------------------------------------------------- */

/* The memory of all this lives as long as the context, and is not of its budget. NULL: no memory. */
static char *platform_text(const mg_opencl *cl, cl_platform_id platform, cl_platform_info what) {
    size_t bytes = 0;
    if (cl->GetPlatformInfo(platform, what, 0, NULL, &bytes) != CL_SUCCESS) bytes = 0;
    char *text = calloc(bytes + 1, 1);
    if (text && bytes && cl->GetPlatformInfo(platform, what, bytes, text, NULL) != CL_SUCCESS) *text = '\0';
    return text;
}

static char *device_text(const mg_opencl *cl, cl_device_id device, cl_device_info what) {
    size_t bytes = 0;
    if (cl->GetDeviceInfo(device, what, 0, NULL, &bytes) != CL_SUCCESS) bytes = 0;
    char *text = calloc(bytes + 1, 1);
    if (text && bytes && cl->GetDeviceInfo(device, what, bytes, text, NULL) != CL_SUCCESS) *text = '\0';
    if (!text) return NULL;
    size_t blanks = strspn(text, " "); /* some drivers centre their names */
    memmove(text, text + blanks, strlen(text + blanks) + 1);
    for (size_t end = strlen(text); end && text[end - 1] == ' ';) text[--end] = '\0';
    return text;
}

/* A number of `bytes` bytes; 0 where the driver does not tell. */
static uint64_t device_number(const mg_opencl *cl, cl_device_id device, cl_device_info what, size_t bytes) {
    uint64_t number = 0; /* little-endian, as all that is supported */
    return cl->GetDeviceInfo(device, what, bytes, &number, NULL) == CL_SUCCESS ? number : 0;
}

static meguri_device_kind kind_of(cl_device_type type) {
    return type & CL_DEVICE_TYPE_GPU   ? MEGURI_DEVICE_GPU
           : type & CL_DEVICE_TYPE_CPU ? MEGURI_DEVICE_CPU
                                       : MEGURI_DEVICE_ACCELERATOR;
}

/* Why a device cannot be used; NULL: it can. */
static const char *trouble_with(const mg_opencl *cl, cl_device_id device, const char *version) {
    unsigned major = 0, minor = 0;
    if (!device_number(cl, device, CL_DEVICE_AVAILABLE, sizeof(cl_bool))) return "it is not available";
    if (!device_number(cl, device, CL_DEVICE_COMPILER_AVAILABLE, sizeof(cl_bool))) return "it has no compiler";
    if (!device_number(cl, device, CL_DEVICE_ENDIAN_LITTLE, sizeof(cl_bool))) return "it is big-endian";
    if (sscanf(version, "OpenCL %u.%u", &major, &minor) == 2 && (major > 1 || minor >= 2)) return NULL;
    return "it has an OpenCL older than 1.2";
}

static bool has_extension(const char *all, const char *name) {
    size_t length = strlen(name);
    for (const char *at = strstr(all, name); at; at = strstr(at + length, name))
        if ((at == all || at[-1] == ' ') && (at[length] == ' ' || !at[length])) return true;
    return false;
}

/* All that a compiled program depends on. */
static char *identity_of(const mg_opencl *cl, const mg_device_entry *e) {
    char *vendor = device_text(cl, e->device, CL_DEVICE_VENDOR);
    char *platform = platform_text(cl, e->platform, CL_PLATFORM_VERSION);
    int bytes = vendor && platform ? snprintf(NULL, 0, "%s\n%s\n%s\n%s\n%s\n%s", e->info.platform, platform, vendor,
                                              e->info.name, e->info.version, e->info.driver)
                                   : -1;
    char *identity = bytes >= 0 ? malloc((size_t)bytes + 1) : NULL;
    if (identity)
        snprintf(identity, (size_t)bytes + 1, "%s\n%s\n%s\n%s\n%s\n%s", e->info.platform, platform, vendor,
                 e->info.name, e->info.version, e->info.driver);
    free(vendor);
    free(platform);
    return identity;
}

static void forget_entry(mg_device_entry *e) {
    free((char *)e->info.name);
    free((char *)e->info.platform);
    free((char *)e->info.version);
    free((char *)e->info.driver);
    free(e->identity);
}

static bool ask_device(mg_device_entry *out, const mg_opencl *cl, cl_platform_id platform, cl_device_id device) {
    mg_device_entry e = {.platform = platform, .device = device};
    meguri_device_info *i = &e.info;
    char *extensions = device_text(cl, device, CL_DEVICE_EXTENSIONS);
    i->size = sizeof *i;
    i->name = device_text(cl, device, CL_DEVICE_NAME);
    i->platform = platform_text(cl, platform, CL_PLATFORM_NAME);
    i->version = device_text(cl, device, CL_DEVICE_VERSION);
    i->driver = device_text(cl, device, CL_DRIVER_VERSION);
    if (i->name && i->platform && i->version && i->driver) e.identity = identity_of(cl, &e);
    if (!extensions || !e.identity) {
        free(extensions);
        forget_entry(&e);
        return false;
    }
    i->kind = kind_of(device_number(cl, device, CL_DEVICE_TYPE, sizeof(cl_device_type)));
    i->units = (uint32_t)device_number(cl, device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof(cl_uint));
    i->memory = device_number(cl, device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof(cl_ulong));
    i->largest = device_number(cl, device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof(cl_ulong));
    i->trouble = trouble_with(cl, device, i->version);
    e.most_group = device_number(cl, device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof(size_t));
    e.doubles = device_number(cl, device, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof(cl_device_fp_config)) != 0;
    e.long_atomics = has_extension(extensions, "cl_khr_int64_base_atomics");
    free(extensions);
    *out = e;
    return true;
}

static meguri_status ask_platform(mg_devices *d, meguri_ctx *ctx, cl_platform_id platform) {
    cl_device_id devices[MAX_DEVICES];
    cl_uint count = 0;
    if (d->cl->GetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, MAX_DEVICES, devices, &count) != CL_SUCCESS) return MEGURI_OK;
    for (cl_uint i = 0; i < MG_MIN(count, (cl_uint)MAX_DEVICES); i++) {
        mg_device_entry *grown = realloc(d->entries, (d->count + 1) * sizeof *grown);
        if (grown) d->entries = grown;
        if (!grown || !ask_device(&d->entries[d->count], d->cl, platform, devices[i]))
            return mg_fail(ctx, MEGURI_NO_MEMORY, "the system has no memory for the list of devices.");
        d->count++;
    }
    return MEGURI_OK;
}

static meguri_status ask_all(mg_devices *d, meguri_ctx *ctx) {
    cl_platform_id platforms[MAX_PLATFORMS];
    cl_uint count = 0;
    cl_int code = d->cl->GetPlatformIDs(MAX_PLATFORMS, platforms, &count);
    meguri_status status = MEGURI_OK;
    if (code != CL_SUCCESS) count = 0;
    for (cl_uint i = 0; i < MG_MIN(count, (cl_uint)MAX_PLATFORMS) && status == MEGURI_OK; i++)
        status = ask_platform(d, ctx, platforms[i]);
    if (status == MEGURI_OK && d->count == 0)
        snprintf(d->why, sizeof d->why, "OpenCL knows no device (%s); install the driver of the device",
                 code == CL_SUCCESS ? "no platform has one" : mg_opencl_error(code));
    return status;
}

/* ---- the list of a context -------------------------------------------------------------------------------------- */

static void end_devices(mg_devices *d) {
    for (uint32_t i = 0; i < d->named_count; i++) mg_device_drop(d->named[i]);
    for (uint32_t i = 0; i < d->count; i++) forget_entry(&d->entries[i]);
    free(d->entries);
    free(d);
}

/* With the functions of the system, or others. */
static meguri_status list_devices(mg_devices **out, meguri_ctx *ctx, const mg_opencl *functions) {
    mg_devices *d = calloc(1, sizeof *d);
    *out = NULL;
    if (!d) return mg_fail(ctx, MEGURI_NO_MEMORY, "the system has no memory for the list of devices.");
    if (functions) d->cl = functions;
    else if (mg_opencl_load(&d->loaded, d->why, sizeof d->why)) d->cl = &d->loaded;
    meguri_status status = d->cl ? ask_all(d, ctx) : MEGURI_OK;
    if (status != MEGURI_OK || !mg_ctx_keep_devices(ctx, d, end_devices)) end_devices(d);
    if (status == MEGURI_OK) *out = mg_ctx_devices(ctx); /* of two threads that asked first, one has made the list */
    return status;
}

static meguri_status devices_of(mg_devices **out, meguri_ctx *ctx) {
    *out = mg_ctx_devices(ctx);
    return *out ? MEGURI_OK : list_devices(out, ctx, NULL);
}

meguri_status mg_devices_use(meguri_ctx *ctx, const mg_opencl *functions) {
    mg_devices *d;
    return list_devices(&d, ctx, functions);
}

/* ---- those that are named --------------------------------------------------------------------------------------- */

static const mg_device_entry *best_of(const mg_devices *d, meguri_device_kind from, meguri_device_kind to) {
    for (int kind = (int)from; kind <= (int)to; kind++)
        for (uint32_t i = 0; i < d->count; i++)
            if ((int)d->entries[i].info.kind == kind && !d->entries[i].info.trouble) return &d->entries[i];
    return NULL;
}

static bool contains(const char *text, const char *part) {
    size_t length = strlen(part);
    for (; *text; text++)
        if (strncasecmp(text, part, length) == 0) return true;
    return false;
}

/* The device of that name, or with that in its name; one name of several devices means the first of them. */
static meguri_status find_name(const mg_device_entry **out, meguri_ctx *ctx, const mg_devices *d, const char *wanted) {
    *out = NULL;
    for (uint32_t i = 0; i < d->count; i++) {
        const mg_device_entry *e = &d->entries[i];
        if (strcasecmp(e->info.name, wanted) == 0) {
            *out = e;
            return MEGURI_OK;
        }
        if (!contains(e->info.name, wanted)) continue;
        if (*out && strcmp((*out)->info.name, e->info.name) != 0)
            return mg_fail(ctx, MEGURI_ENGINE_FAILED,
                           "\"%s\" may be the device \"%s\" or \"%s\"; give more of its name, or its number.", wanted,
                           (*out)->info.name, e->info.name);
        if (!*out) *out = e;
    }
    return MEGURI_OK;
}

/* *out is NULL where there is no such device. */
static meguri_status find_wanted(const mg_device_entry **out, meguri_ctx *ctx, const mg_devices *d,
                                 const char *wanted) {
    *out = NULL;
    if (!*wanted) *out = best_of(d, MEGURI_DEVICE_GPU, MEGURI_DEVICE_CPU);
    else if (strcasecmp(wanted, "gpu") == 0) *out = best_of(d, MEGURI_DEVICE_GPU, MEGURI_DEVICE_GPU);
    else if (strcasecmp(wanted, "cpu") == 0) *out = best_of(d, MEGURI_DEVICE_CPU, MEGURI_DEVICE_CPU);
    else if (strspn(wanted, "0123456789") == strlen(wanted)) {
        unsigned long number = strlen(wanted) < 9 ? strtoul(wanted, NULL, 10) : UINT32_MAX;
        if (number < d->count) *out = &d->entries[number];
    } else return find_name(out, ctx, d, wanted);
    return MEGURI_OK;
}

#define NAME_ROOM 256

/* The next name of a list, up to a comma, without blanks around it; false at the end of the list. Of an empty list
 * there is one, which is empty: any. */
static bool next_name(char name[NAME_ROOM], const char **list) {
    if (!*list) return false;
    size_t length = strcspn(*list, ","), blanks = strspn(*list, " "), used = length - blanks;
    while (used && (*list)[blanks + used - 1] == ' ') used--;
    snprintf(name, NAME_ROOM, "%.*s", (int)MG_MIN(used, (size_t)NAME_ROOM - 1), *list + blanks);
    *list = (*list)[length] ? *list + length + 1 : NULL;
    return true;
}

/* "0 NAME, 1 NAME", as far as there is room. */
static void list_names(char *text, size_t room, const mg_devices *d) {
    size_t used = 0;
    for (uint32_t i = 0; i < d->count && used < room; i++) {
        int more = snprintf(text + used, room - used, "%s%" PRIu32 " %s%s%s", i ? ", " : "", i, d->entries[i].info.name,
                            d->entries[i].info.trouble ? ", which cannot be used: " : "",
                            d->entries[i].info.trouble ? d->entries[i].info.trouble : "");
        used += more > 0 ? (size_t)more : 0;
    }
}

static meguri_status find_usable(const mg_device_entry **out, meguri_ctx *ctx, const mg_devices *d, const char *name) {
    meguri_status status = find_wanted(out, ctx, d, name);
    if (status != MEGURI_OK) return status;
    if (!*out) {
        char names[REASON] = "";
        list_names(names, sizeof names, d);
        return mg_fail(ctx, MEGURI_ENGINE_FAILED, "there is no device \"%s\" here; there is %s.",
                       *name ? name : "gpu, accelerator or cpu", names);
    }
    if ((*out)->info.trouble)
        return mg_fail(ctx, MEGURI_ENGINE_FAILED, "the device %s cannot be used: %s; name another one.",
                       (*out)->info.name, (*out)->info.trouble);
    return MEGURI_OK;
}

/* What the names of the context mean; a device that is named twice is there twice. */
static meguri_status find_named(const mg_device_entry *out[MG_DEVICES_MOST], uint32_t *count, meguri_ctx *ctx,
                                const mg_devices *d) {
    const char *all = mg_ctx_device_wanted(ctx) ? mg_ctx_device_wanted(ctx) : "", *list = all;
    char name[NAME_ROOM];
    *count = 0;
    if (d->count == 0) return mg_fail(ctx, MEGURI_ENGINE_FAILED, "there is no device: %s.", d->why);
    while (next_name(name, &list)) {
        if (!*name && *all) return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "a device in the list \"%s\" has no name.", all);
        if (*count == MG_DEVICES_MOST)
            return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "the list \"%s\" has more than %d devices.", all, MG_DEVICES_MOST);
        meguri_status status = find_usable(&out[*count], ctx, d, name);
        if (status != MEGURI_OK) return status;
        ++*count;
    }
    return MEGURI_OK;
}

/* The n-th of those that are named, opened now if it is not. */
static meguri_status open_named(mg_device **out, meguri_ctx *ctx, mg_devices *d, const mg_device_entry *entry,
                                uint32_t n) {
    meguri_status status = MEGURI_OK;
    if (!d->named[n]) status = mg_device_open(&d->named[n], ctx, d->cl, entry);
    d->named_count = MG_MAX(d->named_count, n + 1);
    *out = d->named[n];
    return status;
}

meguri_status mg_device_enter(mg_gate **entered, meguri_ctx *ctx, bool uses) {
    *entered = NULL;
    return uses ? mg_gate_enter(entered, ctx, mg_ctx_device_gate(ctx), "the device") : MEGURI_OK;
}

meguri_status mg_device_get_all(mg_device *out[MG_DEVICES_MOST], uint32_t *count, meguri_ctx *ctx) {
    mg_devices *d;
    const mg_device_entry *found[MG_DEVICES_MOST];
    *count = 0;
    meguri_status status = devices_of(&d, ctx);
    if (status == MEGURI_OK) status = find_named(found, count, ctx, d);
    for (uint32_t i = 0; i < *count && status == MEGURI_OK; i++) status = open_named(&out[i], ctx, d, found[i], i);
    return status;
}

meguri_status mg_device_get(mg_device **out, meguri_ctx *ctx) {
    mg_devices *d;
    const mg_device_entry *found[MG_DEVICES_MOST];
    uint32_t count = 0;
    *out = NULL;
    meguri_status status = devices_of(&d, ctx);
    if (status == MEGURI_OK) status = find_named(found, &count, ctx, d);
    if (status != MEGURI_OK) return status;
    if (count > 1)
        return mg_fail(ctx, MEGURI_ENGINE_FAILED,
                       "this does not share a graph among several devices; name one instead of \"%s\".",
                       mg_ctx_device_wanted(ctx));
    return open_named(out, ctx, d, found[0], 0);
}

meguri_status mg_device_deal(mg_device **out, meguri_ctx *ctx, uint32_t n) {
    mg_devices *d;
    const mg_device_entry *found[MG_DEVICES_MOST];
    uint32_t count = 0;
    *out = NULL;
    meguri_status status = devices_of(&d, ctx);
    if (status == MEGURI_OK) status = find_named(found, &count, ctx, d);
    return status == MEGURI_OK ? open_named(out, ctx, d, found[n % count], n % count) : status;
}

/* ---- the public functions --------------------------------------------------------------------------------------- */

meguri_status meguri_devices(uint32_t *count, const char **why, meguri_ctx *ctx) {
    if (count) *count = 0;
    if (why) *why = "";
    if (!count || !ctx) return mg_missing(ctx, __func__);
    mg_begin(ctx);
    mg_devices *d;
    meguri_status status = devices_of(&d, ctx);
    if (status != MEGURI_OK) return status;
    *count = d->count;
    if (why) *why = d->why;
    return MEGURI_OK;
}

meguri_status meguri_device_get_info(meguri_device_info *out, meguri_ctx *ctx, uint32_t number) {
    if (!out || !ctx) return mg_missing(ctx, __func__);
    mg_begin(ctx);
    mg_devices *d;
    const mg_device_entry *named[MG_DEVICES_MOST];
    uint32_t count = 0;
    meguri_status status = mg_hand_out(ctx, out, sizeof *out, &(meguri_device_info){0}, "meguri_device_info");
    if (status == MEGURI_OK) status = devices_of(&d, ctx);
    if (status != MEGURI_OK) return status;
    if (number >= d->count)
        return mg_fail(ctx, MEGURI_NOT_FOUND, "there is no device %" PRIu32 " among %" PRIu32 ".", number, d->count);
    meguri_device_info info = d->entries[number].info;
    find_named(named, &count, ctx, d);
    for (uint32_t i = 0; i < count; i++) info.chosen |= named[i] == &d->entries[number];
    mg_begin(ctx); /* a name that fits several devices is none's here */
    return mg_hand_out(ctx, out, sizeof info, &info, "meguri_device_info");
}
