/* Compute devices: GPUs and other accelerators, through OpenCL 1.2. */
#ifndef MEGURI_DEVICE_H
#define MEGURI_DEVICE_H

#include <meguri/context.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum meguri_device_kind {
    MEGURI_DEVICE_GPU = 1,
    MEGURI_DEVICE_ACCELERATOR = 2,
    MEGURI_DEVICE_CPU = 3 /* the processor of this machine, which works as the engine host as well */
} meguri_device_kind;

typedef struct meguri_device_info {
    size_t size;          /* sizeof(meguri_device_info) */
    const char *name;     /* texts hold as long as the context */
    const char *platform; /* whose implementation of OpenCL it is */
    const char *version;  /* of OpenCL, as the device says it */
    const char *driver;   /* its version */
    meguri_device_kind kind;
    uint32_t units;      /* compute units */
    uint64_t memory;     /* bytes */
    uint64_t largest;    /* bytes that it gives at once */
    const char *trouble; /* why it cannot be used; NULL: it can */
    int chosen;          /* the one that the context's option `device` names */
} meguri_device_info;

/* How many devices there are; they have the numbers from 0 on. Where there are none, *why (which may be NULL) says why:
 * that is no failure. OpenCL is loaded at the first call. */
meguri_status meguri_devices(uint32_t *count, const char **why, meguri_ctx *ctx);
meguri_status meguri_device_get_info(meguri_device_info *out, meguri_ctx *ctx, uint32_t number);

#ifdef __cplusplus
}
#endif
#endif
