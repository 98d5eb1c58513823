/* Standard output that a signal does not cut, and that does not steer a terminal.
 *
 * Signals interrupt system calls here, so that a wait for input ends at Ctrl-C. A write that waits for a reader would
 * be cut in the middle, too, and stdio forgets what it could not write: so standard output is a stream of our own,
 * whose writes go on after a signal, as long as somebody takes them.
 *
 * Where it is a terminal all that is printed is escaped (meguri/extra/escape.h), whoever prints it. Texts from outside
 * are escaped on their own as well (cli_print_text), because the stream cannot know whether a line end is one of
 * theirs. */
#define _GNU_SOURCE /* fopencookie */
#include "cli.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#define PATIENCE_MS 30 /* for a reader, once the work is interrupted: nobody waits for one who has stopped reading */

static int failure; /* errno of a write that failed, which may have been long ago when somebody asks */

static meguri_escaper terminal;

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

static meguri_status write_escaped(void *user, const void *data, size_t bytes) {
    (void)user;
    return write_on(NULL, data, bytes) == (ssize_t)bytes ? MEGURI_OK : MEGURI_NO_DISK;
}

static ssize_t write_to_terminal(void *cookie, const char *data, size_t bytes) {
    (void)cookie;
    return meguri_escape_lines(&terminal, data, bytes) == MEGURI_OK ? (ssize_t)bytes : 0;
}

void cli_steady_output(void) {
    bool to_terminal = isatty(STDOUT_FILENO);
    const cookie_io_functions_t functions = {.write = to_terminal ? write_to_terminal : write_on};
    FILE *steady = fopencookie(NULL, "w", functions);
    if (!steady) return; /* then it is as it was */
    terminal = (meguri_escaper){.size = sizeof terminal, .write = write_escaped};
    if (to_terminal) setvbuf(steady, NULL, _IOLBF, BUFSIZ);
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
