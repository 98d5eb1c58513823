/* A supervisor for verbs that run vertex programs. A program is code of the user's: it may overflow its stack, call
 * _exit, or kill the process, and then nothing in that process can tell. So the verb runs in a child, and this process
 * waits for it, says in which program and superstep it ended, and ends in the same way: with its exit code, or by its
 * signal.
 *
 * Both are in one process group, so a terminal treats them as one. Signals that ask for an end are passed on, and the
 * child counts what was passed on, not what arrives: one that was sent to the group, and so arrives twice, or, where
 * both are still pending, once, counts once. The child is killed when this process is; what a program has started and
 * left running ends with it, since orphans of the child become children of this process. */
#define _GNU_SOURCE
#include "supervisor.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const int passed_on[] = {SIGINT, SIGTERM, SIGHUP};
enum { PASSED = sizeof passed_on / sizeof *passed_on, ROUNDS = 1000 };

static struct cli_watch *watch;
static volatile pid_t worker;
static volatile sig_atomic_t asked; /* how often somebody has asked for an end */

struct cli_watch *cli_supervised(void) {
    return watch;
}

uint32_t cli_signals_passed(void) { return __atomic_load_n(&watch->passed, __ATOMIC_SEQ_CST); }

void cli_supervisor_quiet(void) {
    if (watch) __atomic_store_n(&watch->quiet, 1, __ATOMIC_RELEASE);
}

/* ---- what is said ----------------------------------------------------------------------------------------------- */

static const char *name_of(const char *program) {
    for (uint32_t i = 0; i < watch->count && i < CLI_WATCHED; i++)
        if (watch->names[i].program == program) return watch->names[i].name;
    return "(unknown)";
}

static const char *why_crashed(int number) {
    switch (number) {
    case SIGFPE: return "a division by zero, or the like";
    case SIGABRT: return "it has called abort";
    case SIGILL: return "illegal instruction";
    default: return "it used memory that is not its own";
    }
}

/* What was noted in the child; 0: nothing. */
static int tell_cause(char *text, size_t room, const char *name, uint64_t step) {
    static const char end[] = "a vertex program ends by halting";
    switch (CLI_CAUSE_OF(watch->ended)) {
    case CLI_CAUSE_CRASH:
        return snprintf(text, room, "the program %s crashed in superstep %" PRIu64 ": %s.", name, step,
                        why_crashed(CLI_DETAIL_OF(watch->ended)));
    case CLI_CAUSE_EXIT:
        return snprintf(text, room, "the program %s has called exit in superstep %" PRIu64 ": %s.", name, step, end);
    case CLI_CAUSE_QUICK_EXIT:
        return snprintf(text, room, "the program %s has called quick_exit in superstep %" PRIu64 ": %s.", name, step,
                        end);
    case CLI_CAUSE_FORK:
        return snprintf(text, room,
                        "the program %s has called fork in superstep %" PRIu64
                        ": a vertex program must not start processes.",
                        name, step);
    case CLI_CAUSE_THREAD:
        return snprintf(text, room, "the program %s has ended a thread (pthread_exit) in superstep %" PRIu64 ": %s.",
                        name, step, end);
    case CLI_CAUSE_DESCRIPTORS:
        return snprintf(text, room,
                        "the program %s has closed file descriptors that are not its own, in superstep %" PRIu64 ".",
                        name, step);
    default: return 0;
    }
}

/* What nobody could note. */
static int tell_state(char *text, size_t room, const char *name, uint64_t step, int state) {
    if (WIFEXITED(state))
        return snprintf(text, room,
                        "the program %s has ended the process (_exit, with code %d) in superstep %" PRIu64
                        ": a vertex program ends by halting.",
                        name, WEXITSTATUS(state), step);
    int number = WTERMSIG(state);
    if (number == SIGSEGV || number == SIGBUS)
        return snprintf(text, room,
                        "the program %s crashed in superstep %" PRIu64
                        ": its stack overflowed; it calls itself too deeply, or has large local arrays.",
                        name, step);
    return snprintf(text, room, "the program %s was ended in superstep %" PRIu64 " by signal %d (%s)%s.", name, step,
                    number, strsignal(number), number == SIGKILL ? ", which is also sent where memory runs out" : "");
}

/* One write, so that lines of several processes do not mix; a progress line is written over. */
static void say(const char *sentence) {
    char line[640], shown[600];
    int length = snprintf(line, sizeof line, "%smeguri: %s\n", isatty(STDERR_FILENO) ? "\r" : "",
                          meguri_escape_string(shown, sizeof shown, sentence));
    ssize_t ignored = write(STDERR_FILENO, line, (size_t)length);
    (void)ignored; /* there is nobody else to tell */
}

/* ---- how it ends ------------------------------------------------------------------------------------------------ */

/* Children of this process in its group: those of the child that have outlived it. A process that made a session of its
 * own is not ours to end. The number of those that were killed. */
static int end_children(void) {
    DIR *folder = opendir("/proc");
    int count = 0;
    for (const struct dirent *entry; folder && (entry = readdir(folder));) {
        char path[300], text[512];
        int parent, group;
        char state;
        if (entry->d_name[0] < '0' || entry->d_name[0] > '9') continue;
        snprintf(path, sizeof path, "/proc/%s/stat", entry->d_name);
        FILE *file = fopen(path, "re");
        size_t length = file ? fread(text, 1, sizeof text - 1, file) : 0;
        if (file) fclose(file);
        text[length] = '\0';
        const char *name_end = strrchr(text, ')'); /* a name may have blanks and brackets */
        if (!name_end || sscanf(name_end + 1, " %c %d %d", &state, &parent, &group) != 3) continue;
        if (parent != getpid() || group != getpgrp() || state == 'Z') continue;
        count += kill((pid_t)strtol(entry->d_name, NULL, 10), SIGKILL) == 0;
    }
    if (folder) closedir(folder);
    return count;
}

static int end_leftovers(void) {
    static const struct timespec moment = {.tv_nsec = 1000000};
    int ended = 0;
    for (int round = 0; round < ROUNDS; round++) {
        pid_t child;
        while ((child = waitpid(-1, NULL, WNOHANG)) > 0) continue;
        if (child < 0) return ended;
        int now = end_children();
        if (!now) return ended;
        ended += now;
        nanosleep(&moment, NULL);
    }
    return ended;
}

/* By the signal that has ended the child, of which there is a dump already, if any is wanted. */
_Noreturn static void end_by_signal(int number) {
    sigset_t one;
    prctl(PR_SET_DUMPABLE, 0);
    signal(number, SIG_DFL);
    sigemptyset(&one);
    sigaddset(&one, number);
    raise(number);
    sigprocmask(SIG_UNBLOCK, &one, NULL);
    _exit(128 + number);
}

_Noreturn static void end_like(int state) {
    char text[600];
    const char *program = watch->place.program, *name = name_of(program);
    uint64_t step = watch->place.superstep;
    int failed = meguri_status_exit_code(MEGURI_ENGINE_FAILED), number = WIFSIGNALED(state) ? WTERMSIG(state) : 0;
    int left = end_leftovers();
    if (tell_cause(text, sizeof text, name, step)) {
        say(text);
        _exit(failed);
    }
    if (WIFEXITED(state) && watch->quiet) {
        if (WEXITSTATUS(state) == 0 && left) {
            snprintf(text, sizeof text, "the program %s has started processes that did not end; they were killed.",
                     watch->count ? watch->names[0].name : "(unknown)");
            say(text);
            _exit(failed);
        }
        _exit(WEXITSTATUS(state));
    }
    if (number && asked && (number == SIGINT || number == SIGTERM || number == SIGHUP)) {
        snprintf(text, sizeof text, "the program %s was still in superstep %" PRIu64 ".", name, step);
        if (program) say(text);
        end_by_signal(number);
    }
    if (program) {
        tell_state(text, sizeof text, name, step, state);
        say(text);
        _exit(failed);
    }
    if (number) end_by_signal(number);
    if (WEXITSTATUS(state)) _exit(WEXITSTATUS(state)); /* whoever has ended it has told why: a launcher, a sanitizer */
    say("the process ended before its work was done; did a vertex program call _exit while it was loaded?");
    _exit(failed);
}

/* ---- the two processes ------------------------------------------------------------------------------------------ */

static void pass_on(int number) {
    int error = errno;
    asked = 1;
    __atomic_add_fetch(&watch->passed, 1, __ATOMIC_SEQ_CST);
    kill(worker, number);
    errno = error;
}

/* Waits until the child is dead, and blocks signals before its number may be another's. */
static int wait_for_worker(const sigset_t *signals) {
    siginfo_t about;
    int state = 0;
    while (waitid(P_PID, (id_t)worker, &about, WEXITED | WNOWAIT) != 0 && errno == EINTR) continue;
    sigprocmask(SIG_BLOCK, signals, NULL);
    waitpid(worker, &state, 0);
    return state;
}

meguri_status cli_supervise(cli_run *run) {
    sigset_t signals, before;
    pid_t self = getpid();
    void *page = mmap(NULL, sizeof *watch, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        return cli_fail(run, MEGURI_NO_MEMORY, "there is no memory for a supervisor: %s.", strerror(errno));
    watch = page;
    sigemptyset(&signals);
    for (size_t i = 0; i < PASSED; i++) sigaddset(&signals, passed_on[i]);
    signal(SIGCHLD, SIG_DFL); /* where it is ignored nobody can be waited for */
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    sigprocmask(SIG_BLOCK, &signals, &before);
    worker = fork();
    if (worker == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != self) _exit(meguri_status_exit_code(MEGURI_ENGINE_FAILED));
        cli_signals_are_passed();
        sigprocmask(SIG_SETMASK, &before, NULL);
        return MEGURI_OK;
    }
    if (worker < 0) {
        sigprocmask(SIG_SETMASK, &before, NULL);
        return cli_fail(run, MEGURI_NO_MEMORY, "a process for the program cannot be started: %s.", strerror(errno));
    }
    for (size_t i = 0; i < PASSED; i++) {
        struct sigaction old, action = {.sa_handler = pass_on, .sa_flags = SA_RESTART};
        sigemptyset(&action.sa_mask);
        if (sigaction(passed_on[i], NULL, &old) == 0 && old.sa_handler == SIG_IGN) continue; /* nohup, say */
        sigaction(passed_on[i], &action, NULL);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    end_like(wait_for_worker(&signals));
}
