/* In the process that runs vertex programs: what ends it while their functions run is noted for the supervisor, which
 * says it. What cannot be noted (a stack that overflows, _exit, SIGKILL) the supervisor sees by itself. */
#define _GNU_SOURCE
#include "supervisor.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The descriptors that must stay open: the standard ones, and one that is there for this alone, among those of the
 * library and the launcher. */
enum { STREAMS = 3, KEPT };
static struct pollfd kept[KEPT];
static struct stat streams[STREAMS];

/* Several threads may end it at once: the first one notes, the others wait for the end that it makes. */
_Noreturn static void end_by_program(cli_cause cause, int detail) {
    struct cli_watch *watch = cli_supervised();
    int none = 0;
    if (!__atomic_compare_exchange_n(&watch->ended, &none, CLI_ENDED(cause, detail), false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE))
        for (;;) pause();
    _exit(meguri_status_exit_code(MEGURI_ENGINE_FAILED));
}

static bool is_inside(void) { return cli_supervised()->place.program != NULL; }

static void on_crash(int number) {
    if (is_inside()) end_by_program(CLI_CAUSE_CRASH, number);
    signal(number, SIG_DFL); /* not the program's fault; the default does what it does */
    raise(number);
}

/* Threads that call exit at the same time take a function each from the list of atexit, and end the process when it is
 * empty: so this is there once for each of them. */
static void on_exit_inside(void) {
    if (is_inside()) end_by_program(CLI_CAUSE_EXIT, 0);
}

static void on_quick_exit(void) {
    if (is_inside()) end_by_program(CLI_CAUSE_QUICK_EXIT, 0);
}

static void before_fork(void) {
    if (is_inside()) end_by_program(CLI_CAUSE_FORK, 0);
}

static void on_thread_end(const meguri_run_place *place) {
    (void)place;
    end_by_program(CLI_CAUSE_THREAD, 0);
}

static void look_at_descriptors(const meguri_run_place *place) {
    (void)place;
    if (poll(kept, KEPT, 0) <= 0) return;
    for (int i = 0; i < KEPT; i++)
        if (kept[i].revents & POLLNVAL) end_by_program(CLI_CAUSE_DESCRIPTORS, 0);
}

static void note_descriptors(void) {
    for (int i = 0; i < STREAMS; i++) {
        kept[i].fd = i;
        if (fstat(i, &streams[i]) != 0) memset(&streams[i], 0, sizeof streams[i]);
    }
    kept[STREAMS].fd = open("/dev/null", O_RDONLY | O_CLOEXEC); /* -1 is left out by poll */
}

void cli_watch_programs(const meguri_program_list *programs, uint64_t threads) {
    static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    struct cli_watch *watch = cli_supervised();
    for (uint32_t i = 0; i < programs->count && i < CLI_WATCHED; i++) {
        const meguri_program *p = programs->programs[i];
        if (!p || !p->name) continue; /* meguri_run refuses it */
        watch->names[i].program = p->name;
        snprintf(watch->names[i].name, sizeof watch->names[i].name, "%s", p->name);
        watch->count = i + 1;
    }
    note_descriptors();
    watch->place.returned = look_at_descriptors;
    watch->place.thread_ended = on_thread_end;
    pthread_atfork(before_fork, NULL, NULL);
    for (uint64_t i = 0; i < threads; i++) {
        atexit(on_exit_inside);
        at_quick_exit(on_quick_exit);
    }
    struct sigaction action = {.sa_handler = on_crash};
    for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++) sigaddset(&action.sa_mask, crashes[i]);
    for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++) sigaction(crashes[i], &action, NULL);
}

meguri_run_place *cli_watched_place(void) { return &cli_supervised()->place; }

meguri_status cli_check_descriptors(cli_run *run) {
    static const char *const names[STREAMS] = {"input", "output", "error"};
    for (int i = 0; i < STREAMS; i++) {
        struct stat now;
        if (fstat(i, &now) == 0 && now.st_dev == streams[i].st_dev && now.st_ino == streams[i].st_ino) continue;
        return cli_fail(run, MEGURI_ENGINE_FAILED,
                        "a vertex program has closed standard %s and opened something else in its place.", names[i]);
    }
    return MEGURI_OK;
}
