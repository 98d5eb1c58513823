/* A library for LD_PRELOAD that makes a rank of the command misbehave at a place of the caller's choice, not at a
 * random moment. The environment says where and what:
 *
 *   STOP_RANK      the rank that does; all others are as they were
 *   STOP_LINE      it is killed (SIGKILL) at its first line of the trace that has this text, such as "phase":"hop" …
 *   STOP_CALL      … or before its first call of this function of the C library (fsync, rename, pwrite, unlink)
 *   STOP_COUNT     … or at the n-th instead of the first
 *   STOP_TELL      a file, to which instead all lines and calls go that there are
 *   OTHER_VERSION  what its library says that its version is */
#define _GNU_SOURCE
#include <meguri.h>

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What a program declares for itself only where it defines such functions: they are the system's. */
#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static int is_the_rank(void) {
    const char *wanted = getenv("STOP_RANK"), *rank = getenv("OMPI_COMM_WORLD_RANK");
    return wanted && rank && strcmp(wanted, rank) == 0;
}

static void tell(const char *text, size_t length) {
    const char *path = getenv("STOP_TELL");
    FILE *file = path ? fopen(path, "ae") : NULL;
    if (!file) return;
    fprintf(file, "%.*s\n", (int)length, text);
    fclose(file);
}

static void stop(void) {
    static int seen;
    const char *count = getenv("STOP_COUNT");
    if (__atomic_add_fetch(&seen, 1, __ATOMIC_SEQ_CST) == (count ? atoi(count) : 1)) kill(getpid(), SIGKILL);
}

/* ---- lines of the trace ----------------------------------------------------------------------------------------- */

static void take(void *user, const char *line, size_t length) {
    const char *wanted = getenv("STOP_LINE");
    (void)user;
    tell(line, length);
    if (wanted && memmem(line, length, wanted, strlen(wanted))) stop();
}

meguri_status meguri_ctx_new(meguri_ctx **out, const meguri_ctx_options *options) {
    meguri_status status = REAL(meguri_ctx_new)(out, options);
    if (status == MEGURI_OK && is_the_rank()) meguri_ctx_trace_to(*out, take, NULL);
    return status;
}

const char *meguri_version(void) {
    const char *other = getenv("OTHER_VERSION");
    return other && is_the_rank() ? other : REAL(meguri_version)();
}

/* ---- calls ------------------------------------------------------------------------------------------------------ */

static void called(const char *name) {
    const char *wanted = getenv("STOP_CALL");
    if (!is_the_rank()) return;
    tell(name, strlen(name));
    if (wanted && strcmp(wanted, name) == 0) stop();
}

int fsync(int fd) {
    called("fsync");
    return REAL(fsync)(fd);
}

int rename(const char *from, const char *to) {
    called("rename");
    return REAL(rename)(from, to);
}

int unlink(const char *path) {
    called("unlink");
    return REAL(unlink)(path);
}

ssize_t pwrite(int fd, const void *data, size_t bytes, off_t at) {
    called("pwrite");
    return REAL(pwrite)(fd, data, bytes, at);
}

ssize_t pwrite64(int fd, const void *data, size_t bytes, off64_t at) {
    called("pwrite");
    return REAL(pwrite64)(fd, data, bytes, at);
}
