/* Walking paths (walk.c); base alone looks inside. */
#ifndef MG_BASE_WALK_H
#define MG_BASE_WALK_H

#include "base/base.h"

#include <sys/stat.h>

#define MG_NAME 256 /* bytes of a name in a folder */

typedef struct mg_walk {
    int folder;         /* where the path has led to, as O_PATH; -1 after a failure */
    char name[MG_NAME]; /* mg_walk_to: the last name */
    char real[MG_PATH]; /* mg_walk_private: the path of `folder`, without links; "" is / */
    int error;          /* errno of the failure; EPERM where another user could interfere */
    char why[MG_WHY];   /* the failure as part of a sentence */
} mg_walk;

/* To the folder of a file, which need not be there. */
bool mg_walk_to(mg_walk *out, const char *path);
/* Into a folder. */
bool mg_walk_into(mg_walk *out, const char *path);
/* The same along folders that other users cannot change; those that are missing are made, with mode 0700. */
bool mg_walk_private(mg_walk *out, const char *path);
void mg_walk_end(mg_walk *walk);
/* Whether a link in w->folder may be followed; if not, w->why says why. */
bool mg_walk_owns_link(mg_walk *walk, const char *name, const struct stat *link);

#endif
