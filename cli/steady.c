/* Standard output that a signal does not cut.
 *
 * Signals interrupt system calls here, so that a wait for input ends at Ctrl-C. A write that waits for a reader would
 * be cut in the middle, too, and stdio forgets what it could not write: so standard output is a stream of our own,
 * whose writes go on after a signal, as long as somebody takes them. */
#define _GNU_SOURCE /* fopencookie */
#include "cli.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

#define PATIENCE_MS 30 /* for a reader, once the work is interrupted: nobody waits for one who has stopped reading */

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
        if (some < 0 && errno != EINTR) return 0;
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
