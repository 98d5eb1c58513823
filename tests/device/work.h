/* A work-item at work: what kernels that are compiled as C ask for, and what the test program sets. */
#ifndef WORK_H
#define WORK_H

#include <stdint.h>

struct work {
    uint64_t local_id, group_id, size, groups;
    void (*barrier)(void);
    void (*load)(void *place, void *from); /* NULL: nobody counts; `place` is that of the instruction */
};

#endif
