/* What the files of the device room share with each other and nobody else. */
#ifndef MG_DEVICE_INTERNAL_H
#define MG_DEVICE_INTERNAL_H

#include "device/device.h"
#include "device/opencl.h"

#include <stddef.h>

/* ---- opencl.c --------------------------------------------------------------------------------------------------- */

/* False, and the reason, where OpenCL is not there. */
bool mg_opencl_load(mg_opencl *out, char *why, size_t room);
const char *mg_opencl_error(cl_int code);

/* ---- device.c --------------------------------------------------------------------------------------------------- */

#define MG_PROGRAM_OPTIONS 512
typedef struct mg_program {
    struct mg_program *next;
    const char *text;
    char options[MG_PROGRAM_OPTIONS];
    cl_program handle;
} mg_program;

#define MG_TIMED 64 /* launches whose seconds are not yet added up, at most */

struct mg_driver {
    mg_opencl functions; /* a copy: the device may outlive the context, and with it the list of devices */
    const mg_opencl *cl;
    uint64_t holders; /* the context, and every buffer and kernel */
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_command_queue copies; /* beside it: what is on its way while kernels run (parts.c); NULL: not yet */
    cl_event timed[MG_TIMED];
    uint32_t timed_count;
    char *name;
    char *identity; /* of device and driver, for the cache: whatever a compiled program depends on */
    mg_program *programs;
};

/* What devices.c found. */
typedef struct mg_device_entry {
    meguri_device_info info;
    cl_platform_id platform;
    cl_device_id device;
    char *identity;
    bool doubles, long_atomics;
    size_t most_group;
} mg_device_entry;

meguri_status mg_device_open(mg_device **out, meguri_ctx *ctx, const mg_opencl *cl, const mg_device_entry *entry);
/* Seconds that a command took; 0 where nobody knows. */
double mg_event_seconds(const mg_opencl *cl, cl_event event);
/* A holder more, and one less: the last one closes it. */
mg_device *mg_device_hold(mg_device *device);
void mg_device_drop(mg_device *device);
/* The status that goes with a code of OpenCL, and a sentence: what was being done. */
meguri_status mg_device_failed(meguri_ctx *ctx, const mg_device *device, cl_int code, const char *doing);

/* ---- cache.c ---------------------------------------------------------------------------------------------------- */

/* Compiled programs on disk, by a key. Nothing there fails: what cannot be read is not there, and what cannot be
 * written is compiled again next time. */
typedef struct mg_cache_key {
    uint64_t half[2];
} mg_cache_key;
mg_cache_key mg_cache_key_of(const char *const *texts, size_t count);
/* NULL: it is not there. For free(): a search does not fail for want of it. */
void *mg_cache_read(meguri_ctx *ctx, mg_cache_key key, size_t *bytes);
void mg_cache_write(meguri_ctx *ctx, mg_cache_key key, const void *data, size_t bytes);

#endif
