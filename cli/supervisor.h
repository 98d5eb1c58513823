/* What the process that runs vertex programs and its supervisor share: a mapping of both. */
#ifndef CLI_SUPERVISOR_H
#define CLI_SUPERVISOR_H

#include "cli.h"

#define CLI_WATCHED 256 /* programs that can be named */

/* How a program has ended the process, as far as the process itself can tell. */
typedef enum cli_cause {
    CLI_CAUSE_NONE,
    CLI_CAUSE_CRASH, /* a signal, which `detail` names */
    CLI_CAUSE_EXIT,
    CLI_CAUSE_QUICK_EXIT,
    CLI_CAUSE_FORK,
    CLI_CAUSE_THREAD,     /* pthread_exit */
    CLI_CAUSE_DESCRIPTORS /* close */
} cli_cause;
#define CLI_ENDED(cause, detail) ((int)(cause) | (detail) << 8)
#define CLI_CAUSE_OF(ended)      ((cli_cause)((ended)&0xff))
#define CLI_DETAIL_OF(ended)     ((ended) >> 8)

struct cli_watch {
    meguri_run_place place;
    int ended;       /* CLI_ENDED of the first cause that was noted; 0: none */
    int quiet;       /* the process ends as it should */
    uint32_t passed; /* signals that the supervisor has passed on, counted before they are sent */
    uint32_t count;
    struct {
        const char *program; /* as in place.program: an address in the other process */
        char name[120];
    } names[CLI_WATCHED];
};

#endif
