/* The report page inside: the trace as it was read, and who writes which part of the page.
 *
 * A trace is a list of steps. Steps of the same run name are a kind; a kind is repeated as often as its steps begin
 * anew; each step belongs to a class of its kind, which gives it colour and shape: the way that was chosen, or, where
 * none was, its phase. Nothing here knows the names of runs, ways or phases, but for a few that get a better title or a
 * fixed colour: what the trace learns to say appears on the page. */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include "report/map.h"

#define REPORT_KINDS    24 /* runs of further names are added up as others; so with the next three */
#define REPORT_CLASSES  16
#define REPORT_ENGINES  8
#define REPORT_PHASES   64
#define REPORT_PAINTS   10      /* colours and shapes */
#define REPORT_NO_PAINT 10      /* of steps with neither way nor phase, and of what comes after the last paint */
#define REPORT_KEPT     2000000 /* steps kept for plots; further ones count in sums alone */
#define REPORT_CHOSEN   64      /* searches that are drawn one by one, at most */
#define REPORT_COLUMNS  200     /* of a plot, at most */
#define REPORT_TEXT     64
#define REPORT_NBSP     "\xC2\xA0"

/* ---- the trace (report/trace.c, report/runs.c) ------------------------------------------------------------------ */

/* Sums over steps; they stop at the largest number. Rates are over those steps that have both amount and time. */
typedef struct report_sums {
    uint64_t steps, frontier, edges, us, bytes;
    uint64_t timed_edges, edges_us, timed_bytes, bytes_us;
    bool has_frontier, has_edges, has_us, has_bytes;
} report_sums;

/* One line of the trace as it was read; numbers are -1 and texts NULL where it does not say. */
typedef struct report_line {
    const char *run, *phase, *way, *engine;
    int64_t at, step, frontier, edges, threads, us, bytes;
} report_line;

/* One step as it is kept. */
typedef struct report_step {
    int64_t at, step, frontier, edges, us, bytes;
    int32_t threads;
    int8_t kind, class, phase, engine; /* places in lists; -1: none */
    bool begins;                       /* the first step of a repetition */
    bool outside;                      /* before a search, as it prepares: part of none */
} report_step;

typedef struct report_class {
    char *name;    /* NULL: steps with neither way nor phase */
    bool is_phase; /* named by its phase, for want of a way */
    int paint;
    bool in_searches; /* it occurs in them, not only outside */
    report_sums sums;
} report_class;

/* One repetition of a kind that goes by steps: a search. */
typedef struct report_search {
    uint32_t first, count; /* in `order` of its kind */
    uint64_t us, edges;
} report_search;

typedef struct report_kind {
    char *name;
    report_sums sums;
    uint64_t times;                      /* how often it ran */
    bool stepped;                        /* its steps are numbered or have frontiers: plotted step by step */
    int64_t least_threads, most_threads; /* -1: not said */
    uint32_t engines;                    /* a bit each */
    report_class classes[REPORT_CLASSES];
    int class_count;
    uint32_t *order; /* its kept steps */
    uint32_t order_count;
    report_search *searches; /* of a stepped kind, as they came */
    report_sums search_sums; /* over all of them */
    uint32_t search_count;
    uint32_t *by_time; /* the searches from the fastest to the slowest */
    /* while reading: */
    int64_t last_number; /* of the step before, in this repetition; -1: none yet */
    int first_phase, last_phase;
    bool proper;        /* it had steps that are more than phases */
    uint64_t preparing; /* phases that came before them, a bit each */
} report_kind;

typedef struct report_trace {
    const char *name; /* of the file, for people */
    report_kind kinds[REPORT_KINDS];
    int kind_count;
    char *engines[REPORT_ENGINES], *phases[REPORT_PHASES];
    int engine_count, phase_count;
    report_step *steps;
    size_t step_count, step_room;
    report_sums sums;
    int64_t first_at, last_at; /* from the start of the first step to the end of the last; -1: not said */
    int last_kind;
    bool cut_off;   /* the last line is not whole */
    report_map map; /* paths */
} report_trace;

/* Reads a trace from a file or, for "-", from standard input; to be freed also after a failure. */
meguri_status report_read(report_trace *out, cli_run *run, const char *path);
meguri_status report_read_stream(report_trace *out, cli_run *run, FILE *file, const char *name);
void report_free(report_trace *trace);

/* Takes one line in; false: no memory. */
bool report_add(report_trace *trace, const report_line *line);
/* After the last line: orders steps by kind, finds the searches and orders them; false: no memory. */
bool report_finish(report_trace *trace);
/* Time of the searches: 0 the fastest, 0.5 the median, 1 the slowest. */
double report_quantile(const report_kind *kind, double share);
void report_sums_add(report_sums *sums, const report_step *step);
/* What a kind is called ("Breadth-first search"), and one or several of its repetitions ("search", "runs"). */
const char *report_kind_title(const report_kind *kind);
const char *report_kind_noun(const report_kind *kind, uint64_t count);

/* ---- text (report/text.c) --------------------------------------------------------------------------------------- */

/* Text from outside: escaped, without control characters, cut where it is very long. */
void report_put(FILE *page, const char *text);
const char *report_time(char buffer[REPORT_TEXT], double us);
const char *report_count(char buffer[REPORT_TEXT], uint64_t count); /* 1,234,567 */
const char *report_si(char buffer[REPORT_TEXT], double number);     /* 1.23 M */
const char *report_bytes(char buffer[REPORT_TEXT], double bytes);
const char *report_percent(char buffer[REPORT_TEXT], double part, double whole);
typedef enum report_unit { REPORT_COUNT, REPORT_TIME, REPORT_SIZE } report_unit;
/* Amount per second; a dash where it is not known. */
const char *report_rate(char buffer[REPORT_TEXT], uint64_t amount, uint64_t us, report_unit unit);
/* A value in a unit, with three digits that count. */
const char *report_value(char buffer[REPORT_TEXT], report_unit unit, double value);
/* What tells the steps of a kind apart: "Way", or "Phase" where no way is named. */
const char *report_class_word(const report_kind *kind);
const char *report_class_name(const report_class *class);
/* "2", "1 to 4", or a dash; the names of engines. */
void report_put_threads(FILE *page, const report_kind *kind);
void report_put_engines(FILE *page, const report_trace *trace, uint32_t engines);

/* ---- plots (report/chart.c): SVG without a viewBox, x in percent, y in pixels, so that text never shrinks ---------
 */

typedef struct report_axis {
    report_unit unit;
    bool log;
    double most;
    double top, height; /* pixels */
} report_axis;

/* Pixels from the top of the drawing for a value, and above the axis. */
double report_y(const report_axis *axis, double value);
double report_height(const report_axis *axis, double value);
/* The distance of ticks, 1, 2 or 5 times a power of ten; and what is written there, in the unit that suits values of
 * the size of `like`, so that all ticks of an axis have one unit. */
double report_round_step(double most, int ticks);
const char *report_tick(char label[REPORT_TEXT], report_unit unit, double value, double like);
/* Grid lines with labels, and the title of the panel above them. */
void report_put_axis(FILE *page, const report_axis *axis, const char *title);
/* Every how many columns have a label below them, so that these never touch. */
uint32_t report_label_every(uint32_t columns);
void report_open_svg(FILE *page, const char *class, double height, const char *id, const char *title, const char *text);
/* The shape and colour of a class, in text. */
void report_put_swatch(FILE *page, int paint);
void report_put_legend(FILE *page, const report_kind *kind);
void report_put_shapes(FILE *page); /* once on the page, for reference */

/* ---- parts of the page ------------------------------------------------------------------------------------------ */

/* report.css and report.js, made into strings by the build. */
extern const char report_css[], report_js[];
/* report/page.c: all of it. */
void report_put_page(FILE *page, const report_trace *trace);
/* report/tables.c */
void report_put_summary(FILE *page, const report_trace *trace);
void report_put_ways(FILE *page, const report_kind *kind);
void report_put_all_steps(FILE *page, const report_trace *trace);
/* report/phases.c: when things happened, and what the phases of a kind took. */
void report_put_timeline(FILE *page, const report_trace *trace);
void report_put_phases(FILE *page, const report_trace *trace, const report_kind *kind);
/* report/search.c: one search step by step. At most `columns`; a column then stands for several steps. */
void report_put_search(FILE *page, const report_trace *trace, const report_kind *kind, uint32_t search,
                       uint32_t columns, bool shown);
/* report/spread.c: all searches beside each other; `chosen` of them are drawn, in the order of their time. */
void report_put_spread(FILE *page, const report_trace *trace, const report_kind *kind, const uint32_t *chosen,
                       uint32_t chosen_count);

#endif
