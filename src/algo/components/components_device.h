/* Connected components on devices: what the files of this engine share with each other and nobody else.
 *
 * Every device has a forest of all vertices. Of several each has an equal part of the arcs (mg_rows_share) and joins
 * along these alone; the forest of the host is what all of them have joined.
 *
 * Rows that do not fit stay with the host: of a round of samples it sends one neighbour for each vertex, and to be
 * linked only rows outside the giant (in directed graphs all), in parts. */
#ifndef MG_COMPONENTS_DEVICE_H
#define MG_COMPONENTS_DEVICE_H

#include "algo/components/components.h"
#include "device/device.h"

enum {
    MG_COMPONENTS_MEMBERS,
    MG_COMPONENTS_EDGES,
    MG_COMPONENTS_EDGES_HIGH,
    MG_COMPONENTS_COUNTERS = 4
}; /* as in .cl */

/* X(kernel): of components.cl, with components_ before their names. */
#define MG_COMPONENTS_KERNEL_LIST(X)                                                                                   \
    X(sample)                                                                                                          \
    X(hook)                                                                                                            \
    X(compress)                                                                                                        \
    X(pick)                                                                                                            \
    X(mark)                                                                                                            \
    X(link)                                                                                                            \
    X(link_batch)

/* What one device has. */
typedef struct mg_components_there {
    mg_device *device;
    mg_rows_share share;
    mg_rows rows; /* as they are here: all, or its share */
    bool in_parts;
    mg_device_rows rows_there;
    mg_device_units units;
    mg_parts parts;
    mg_buffer hooks; /* in parts: what each vertex is joined with */
    mg_buffer parent, giant, picked, counters;
    struct {
#define MG_COMPONENTS_KERNEL_FIELD(name) mg_kernel name;
        MG_COMPONENTS_KERNEL_LIST(MG_COMPONENTS_KERNEL_FIELD)
#undef MG_COMPONENTS_KERNEL_FIELD
    } kernels;
} mg_components_there;

typedef struct mg_components_device {
    mg_components base;
    uint32_t count; /* devices */
    mg_components_there there[MG_DEVICES_MOST];
    uint32_t *hooks;  /* on their way to a device */
    uint64_t *wanted; /* rows that are linked in parts, a bit each */
    uint32_t *heard;  /* the forest of one of several */
    bool linked;      /* what these have linked is not in the host's forest yet */
} mg_components_device;

/* components_device_open.c */
meguri_status mg_components_device_open(mg_components *c);
void mg_components_device_close(mg_components *c);

#endif
