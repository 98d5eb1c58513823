/* The progress line, warnings, and Ctrl-C.
 *
 * The line is for people only: drawn when standard error is a terminal, at most ten times a second, and not before
 * the work has taken long enough for anyone to wonder. The first Ctrl-C makes the library stop at its next report;
 * the second ends the process at once. One process of many ends at once: the others, on which its next report may
 * depend, are being ended, too. */
#include "cli.h"

#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static const double first_drawn_after = 0.2, drawn_every = 0.1; /* seconds */

/* The keyboard, whoever ends processes, and a terminal that is closed. */
static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
enum { SIGNALS = sizeof signals / sizeof *signals };

static volatile sig_atomic_t interrupted; /* what a signal handler may write, and the only such thing */
/* What it reads, in one process of many: the name of a file that is not finished, or an empty text; and whether this
 * process says what happens. */
static const char *volatile unfinished;
static volatile sig_atomic_t speaks;
static volatile sig_atomic_t supervised; /* another process passes signals on to this one */

static void leave(int number) {
    static const char sentence[] = "meguri: stopped by a signal, from the keyboard or from the launcher.\n";
    if (*unfinished) unlink(unfinished);
    bool alone = speaks && !supervised; /* else another process tells why: the launcher ends all if a program fails */
    ssize_t written = alone ? write(STDERR_FILENO, sentence, sizeof sentence - 1) : 0;
    (void)written;
    cli_supervisor_quiet();
    _exit(128 + number);
}

/* Signals that were passed on since the last one that counted. A signal for the whole group comes twice where there is
 * a supervisor, from where it was sent and passed on; and once, if it is still pending when it is passed on: so it does
 * not matter which of them has arrived. */
static uint32_t newly_passed(void) {
    static volatile sig_atomic_t counted;
    uint32_t passed = cli_signals_passed(), more = passed - (uint32_t)counted;
    counted = (sig_atomic_t)passed;
    return more;
}

static void on_signal(int number) {
    uint32_t times = supervised ? newly_passed() : 1;
    if (!times) return;
    if (unfinished) leave(number);
    bool again = interrupted != 0 || times > 1;
    interrupted = number;
    if (supervised && !again) return; /* so the second one comes here, too */
    for (size_t i = 0; i < SIGNALS; i++) signal(signals[i], SIG_DFL);
    if (again) raise(number);
}

void cli_signals_are_passed(void) { supervised = 1; }

void cli_catch_signals(void) {
    for (size_t i = 0; i < SIGNALS; i++) {
        struct sigaction old, action = {.sa_handler = on_signal}; /* no SA_RESTART: a wait for input must end */
        sigemptyset(&action.sa_mask);
        if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler == SIG_IGN) continue; /* nohup, say */
        sigaction(signals[i], &action, NULL);
    }
}

void cli_signals_leave_at_once(const char *name, bool speak) {
    speaks = speak;
    unfinished = name;
    if (name && interrupted) leave(interrupted); /* it came while the processes were joining */
}

bool cli_interrupted(void) { return interrupted != 0; }

int cli_stop_when_interrupted(void *user, const char *phase, uint64_t done, uint64_t total) {
    (void)user, (void)phase, (void)done, (void)total;
    return cli_interrupted();
}

void cli_progress_start(cli_run *run) {
    bool mixed = stdout == stderr && isatty(STDOUT_FILENO); /* rows of a result on the same screen */
    run->progress.enabled = isatty(STDERR_FILENO) && !mixed && !cli_given(&run->args, "quiet") && cli_is_first(run);
    run->progress.started = cli_now();
}

/* With stderr locked. Spaces instead of an escape sequence: right on every terminal. */
static void clear_locked(cli_progress *p) {
    if (p->width == 0) return;
    fprintf(stderr, "\r%*s\r", p->width, "");
    fflush(stderr);
    p->width = 0;
}

void cli_progress_clear(cli_run *run) {
    flockfile(stderr);
    clear_locked(&run->progress);
    funlockfile(stderr);
}

static int terminal_width(void) {
    struct winsize size;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
    return 80;
}

static void draw(cli_progress *p, double now, uint64_t done, uint64_t total) {
    char line[160], rate[CLI_NUMBER_TEXT] = "", percent[16] = "";
    double lasted = now - p->phase_started;
    if (lasted > 0.05 && done > p->phase_first) cli_rate_text(rate, (double)(done - p->phase_first) / lasted);
    if (total)
        snprintf(percent, sizeof percent, "%3.0f %%", 100.0 * (double)(done < total ? done : total) / (double)total);
    int width = snprintf(line, sizeof line, "%-24s %5s  %9s  %6.1f s", p->phase, percent, rate, now - p->started);
    if (p->advice && done >= p->advice_from && !total)
        width = snprintf(line, sizeof line, "%s: %s %s  %.1f s", p->phase, cli_thousands(rate, done), p->advice,
                         now - p->started);
    int room = terminal_width() - 1;
    if (width > room) width = room;
    flockfile(stderr);
    fprintf(stderr, "\r%.*s", width, line);
    if (p->width > width) fprintf(stderr, "%*s", p->width - width, "");
    fflush(stderr);
    if (p->width < width) p->width = width;
    funlockfile(stderr);
}

int cli_on_progress(void *user, const char *phase, uint64_t done, uint64_t total) {
    cli_run *run = user;
    cli_progress *p = &run->progress;
    if (interrupted) return 1;
    if (!p->enabled) return 0;
    double now = cli_now();
    char shown[sizeof p->phase];
    meguri_escape_string(shown, sizeof shown, phase);
    if (strcmp(p->phase, shown) != 0 || done < p->phase_first) {
        memcpy(p->phase, shown, sizeof shown);
        p->phase_started = now;
        p->phase_first = done;
    }
    if (now - p->started < first_drawn_after || now - p->drawn < drawn_every) return 0;
    p->drawn = now;
    draw(p, now, done, total);
    return 0;
}

void cli_on_log(void *user, meguri_log_level level, const char *text) {
    cli_run *run = user;
    flockfile(stderr);
    clear_locked(&run->progress);
    if (cli_is_first(run)) fprintf(stderr, "meguri: %s%s\n", level == MEGURI_LOG_WARNING ? "warning: " : "", text);
    funlockfile(stderr);
}
