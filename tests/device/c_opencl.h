/* An OpenCL whose one device is this process, and whose compiler is that of C (cl_as_c.py): kernels run under the
 * sanitizers that the tests run under, buffers are as long as was asked for and no byte longer, memory that nobody has
 * written holds rubbish, a barrier that some work-items of a group do not reach ends the test. Loads of global memory
 * can be counted as a device would serve them. */
#ifndef C_OPENCL_H
#define C_OPENCL_H

#include "support/device.h"

/* A context with this device, once or several times ("0,0"), whose teams and groups have these sizes; in_turns: as if
 * it were a CPU. Skips the test where there is no clang, or no Python. */
meguri_ctx *c_opencl_context(const char *devices, uint32_t width, uint32_t group, bool in_turns);
/* After the last context. */
void c_opencl_done(void);

/* Loads of global memory by teams of `width` work-items in step: the k-th time that work-items come to a load between
 * two barriers, they come together. */
typedef struct c_loads {
    uint64_t instructions; /* loads of a team */
    uint64_t lanes;        /* work-items that took part */
    uint64_t transactions; /* segments of 128 bytes, each load of a team on its own */
} c_loads;

/* From now on: programs that are built from now on count, while kernels run whose names begin with this. NULL: no
 * more. */
void c_opencl_count(const char *kernels);
c_loads c_opencl_counted(void);

#endif
