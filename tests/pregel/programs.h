/* Lists of programs for tests. */
#ifndef PREGEL_PROGRAMS_H
#define PREGEL_PROGRAMS_H

#include <meguri/run.h>

#define LIST(...)                                                                                                      \
    (&(const meguri_program_list){MEGURI_PREGEL_ABI, sizeof(meguri_program_list),                                      \
                                  sizeof((const meguri_program *[]){__VA_ARGS__}) / sizeof(void *),                    \
                                  (const meguri_program *[]){__VA_ARGS__}})

#endif
