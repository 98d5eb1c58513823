/* Standard output that a signal does not cut.
 *
 * Signals interrupt system calls here, so that a wait for input ends at Ctrl-C. A write that waits for a reader would
 * be cut in the middle, too, and stdio forgets what it could not write: so standard output is a stream of our own,
 * whose writes go on after a signal, as long as somebody takes them. */
#define _GNU_SOURCE /* fopencookie */
#include "cli.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#define PATIENCE_MS 30 /* for a reader, once the work is interrupted: nobody waits for one who has stopped reading */

static int failure; /* errno of a write that failed, which may have been long ago when somebody asks */

static ssize_t write_on(void *cookie, const char *data, size_t bytes) {
    size_t written = 0;
    (void)cookie;
    while (written < bytes) {
        struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
        if (cli_interrupted() && poll(&out, 1, PATIENCE_MS) == 0) {
            errno = EINTR;
            return 0;
        }
        ssize_t some = write(STDOUT_FILENO, data + written, bytes - written);
        if (some < 0 && errno != EINTR) {
            failure = errno;
            return 0;
        }
        if (some > 0) written += (size_t)some;
    }
    return (ssize_t)written;
}

void cli_steady_output(void) {
    const cookie_io_functions_t functions = {.write = write_on};
    FILE *steady = fopencookie(NULL, "w", functions);
    if (!steady) return; /* then it is as it was */
    if (isatty(STDOUT_FILENO)) setvbuf(steady, NULL, _IOLBF, BUFSIZ);
    stdout = steady;
}

/* A full disk behind standard output is an error like any other. Where it is standard error, nobody could be told. */
meguri_status cli_finish_output(cli_run *run) {
    errno = 0;
    if ((fflush(stdout) == 0 && !ferror(stdout)) || stdout == stderr) return MEGURI_OK;
    if (cli_interrupted()) return MEGURI_CANCELLED;
    int error = failure ? failure : errno;
    if (error == EFBIG)
        return cli_fail(run, MEGURI_NO_DISK,
                        "cannot write to standard output: a limit of this process on the size of files is reached; "
                        "raise it (ulimit -f).");
    return cli_fail(run, MEGURI_NO_DISK, "cannot write to standard output: %s.", error ? strerror(error) : "it failed");
}
