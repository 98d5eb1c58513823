/* Loading OpenCL: the loader of the system (libOpenCL.so.1), which finds the drivers. Once loaded it stays: drivers
 * have threads and destructors of their own that outlive a context. */
#include "device/internal.h"

#include <dlfcn.h>
#include <string.h>

#define LIBRARY "libOpenCL.so.1"

bool mg_opencl_load(mg_opencl *out, char *why, size_t room) {
    static const char *const names[] = {
#define NAME(name) "cl" #name,
        MG_OPENCL_LIST(NAME)
#undef NAME
    };
    memset(out, 0, sizeof *out);
    void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!library) {
        const char *error = dlerror();
        snprintf(why, room, "OpenCL cannot be loaded (%s); install a loader (ocl-icd) and the driver of the device",
                 error ? error : LIBRARY " is not there");
        return false;
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        void *function = dlsym(library, names[i]);
        if (!function) {
            snprintf(why, room, "the OpenCL of this machine is too old (" LIBRARY " has no %s); version 1.2 is needed",
                     names[i]);
            return false;
        }
        memcpy((char *)out + i * sizeof function, &function, sizeof function); /* the table has nothing else */
    }
    return true;
}

const char *mg_opencl_error(cl_int code) {
    static const struct {
        cl_int code;
        const char *text;
    } known[] = {
        {CL_DEVICE_NOT_FOUND, "no device found"},
        {CL_DEVICE_NOT_AVAILABLE, "the device is not available"},
        {CL_COMPILER_NOT_AVAILABLE, "no compiler available"},
        {CL_MEM_OBJECT_ALLOCATION_FAILURE, "no memory for an object"},
        {CL_OUT_OF_RESOURCES, "out of resources"},
        {CL_OUT_OF_HOST_MEMORY, "out of host memory"},
        {CL_BUILD_PROGRAM_FAILURE, "the program does not compile"},
        {CL_INVALID_DEVICE, "invalid device"},
        {CL_INVALID_COMMAND_QUEUE, "invalid command queue"},
        {CL_INVALID_MEM_OBJECT, "invalid memory object"},
        {CL_INVALID_BINARY, "invalid binary"},
        {CL_INVALID_KERNEL_NAME, "no such kernel"},
        {CL_INVALID_ARG_SIZE, "an argument of the wrong size"},
        {CL_INVALID_KERNEL_ARGS, "an argument is missing"},
        {CL_INVALID_WORK_GROUP_SIZE, "invalid size of a work-group"},
        {CL_INVALID_BUFFER_SIZE, "invalid size of a buffer"},
        {-1001, "no platform is installed"}, /* CL_PLATFORM_NOT_FOUND_KHR */
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].code == code) return known[i].text;
    return "an error of OpenCL";
}
