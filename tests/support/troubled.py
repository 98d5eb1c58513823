"""A vertex program that gets into trouble in superstep 2, at one vertex: how is its argument."""
import os

PROGRAM = """
#define _GNU_SOURCE
#include <meguri/pregel.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
MEGURI_VERTEX(small, uint64_t, meguri_none, uint64_t);
static __attribute__((noinline)) uint64_t deep(uint64_t n) {
    volatile char room[4096];
    room[n % sizeof room] = 1;
    return deep(n + 1) + (uint64_t)room[n * 7 % sizeof room];
}
static void end(const char *how) {
    if (strcmp(how, "overflow") == 0) deep(0);
    if (strcmp(how, "_exit") == 0) _exit(0);
    if (strcmp(how, "quick_exit") == 0) quick_exit(0);
    if (strcmp(how, "pthread_exit") == 0) pthread_exit(NULL);
    if (strcmp(how, "fork") == 0) fork();
    for (int i = 0; i < 1024 && strcmp(how, "close") == 0; i++) close(i);
    if (strcmp(how, "abort") == 0) abort();
    if (strcmp(how, "kill") == 0) kill(getpid(), SIGKILL);
    if (strcmp(how, "leave") == 0 && system("sleep 60 &") != 0) abort();
    while (strcmp(how, "wait") == 0) pause();
}
static int begin(meguri_master *m, void *how, int argc, const char *const *argv) {
    (void)m;
    if (argc == 1) strncpy(how, argv[0], 31);
    return argc != 1;
}
static inline void small_compute(small_vertex *v, uint64_t *x) {
    *x = 1;
    if (small_superstep(v) == 2 && small_id(v) == 3) end(small_globals(v));
    if (small_superstep(v) < 4) small_send_all(v, 1);
    small_halt(v);
}
static const meguri_output columns[] = {MEGURI_OUTPUT("x", uint64_t)};
MEGURI_PROGRAM(small, .begin = begin, .globals_bytes = 32, .outputs = columns, .output_count = 1);
MEGURI_RUN(&small_program);
"""

# What is said of each.
WAYS = {
    "overflow": "the program small crashed in superstep 2: its stack overflowed",
    "_exit": "the program small has ended the process (_exit, with code 0) in superstep 2",
    "quick_exit": "the program small has called quick_exit in superstep 2",
    "pthread_exit": "the program small has ended a thread (pthread_exit) in superstep 2",
    "fork": "the program small has called fork in superstep 2",
    "close": "the program small has closed file descriptors that are not its own, in superstep 2",
    "abort": "the program small crashed in superstep 2: it has called abort",
    "kill": "the program small was ended in superstep 2 by signal 9",
}


def processes_in(folder):
    """Those that work in a folder: of this command, and what it has started."""
    found = []
    for name in os.listdir("/proc"):
        try:
            if name.isdigit() and os.path.realpath(os.readlink(f"/proc/{name}/cwd")) == os.path.realpath(folder):
                found.append(int(name))
        except OSError:
            pass
    return found
