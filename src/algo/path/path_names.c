/* What algorithms and ends of questions are called, in options, files and answers. */
#include "algo/path/path.h"

#include <string.h>

static const char *const algorithms[] = {"auto", "dijkstra", "astar", "bidirectional", "shortest", "all-shortest",
                                         "all",  "simple",   "yens",  "indexed",       "tree"};
enum { ALGORITHMS = sizeof algorithms / sizeof *algorithms };

const char *meguri_path_algorithm_name(meguri_path_algorithm algorithm) {
    return (size_t)algorithm < ALGORITHMS ? algorithms[algorithm] : "";
}

int meguri_path_algorithm_from_name(const char *name) {
    for (int i = 0; name && i < ALGORITHMS; i++)
        if (strcmp(algorithms[i], name) == 0) return i;
    return -1;
}

const char *meguri_path_end_name(meguri_path_end end) {
    static const char *const names[] = {"complete", "limit", "timeout", "stopped"};
    return (size_t)end < sizeof names / sizeof *names ? names[end] : "";
}
