/* OpenCL as a table of its functions: loaded at run time, so that nothing is missing where there is none, and
 * replaceable, so that a test can lose a device or run out of its memory. Nobody calls OpenCL but through it. */
#ifndef MG_OPENCL_H
#define MG_OPENCL_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

/* X(name without its cl): all that we call. */
#define MG_OPENCL_LIST(X)                                                                                              \
    X(GetPlatformIDs)                                                                                                  \
    X(GetPlatformInfo)                                                                                                 \
    X(GetDeviceIDs)                                                                                                    \
    X(GetDeviceInfo)                                                                                                   \
    X(CreateContext)                                                                                                   \
    X(ReleaseContext)                                                                                                  \
    X(CreateCommandQueue)                                                                                              \
    X(ReleaseCommandQueue)                                                                                             \
    X(CreateBuffer)                                                                                                    \
    X(ReleaseMemObject)                                                                                                \
    X(CreateProgramWithSource)                                                                                         \
    X(CreateProgramWithBinary)                                                                                         \
    X(BuildProgram)                                                                                                    \
    X(GetProgramBuildInfo)                                                                                             \
    X(GetProgramInfo)                                                                                                  \
    X(ReleaseProgram)                                                                                                  \
    X(CreateKernel)                                                                                                    \
    X(ReleaseKernel)                                                                                                   \
    X(GetKernelWorkGroupInfo)                                                                                          \
    X(SetKernelArg)                                                                                                    \
    X(EnqueueNDRangeKernel)                                                                                            \
    X(EnqueueReadBuffer)                                                                                               \
    X(EnqueueWriteBuffer)                                                                                              \
    X(EnqueueFillBuffer)                                                                                               \
    X(EnqueueCopyBuffer)                                                                                               \
    X(EnqueueMarkerWithWaitList)                                                                                       \
    X(EnqueueBarrierWithWaitList)                                                                                      \
    X(WaitForEvents)                                                                                                   \
    X(GetEventProfilingInfo)                                                                                           \
    X(ReleaseEvent)                                                                                                    \
    X(Flush)                                                                                                           \
    X(Finish)

typedef struct mg_opencl {
#define MG_OPENCL_FIELD(name) __typeof__(cl##name) *name;
    MG_OPENCL_LIST(MG_OPENCL_FIELD)
#undef MG_OPENCL_FIELD
} mg_opencl;

#endif
