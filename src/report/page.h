/* The report page inside: the trace as it was read, and who writes which part of the page.
 *
 * A trace is a list of steps. Steps of the same run name are a kind; a kind is repeated as often as its steps begin
 * anew; each step belongs to a class of its kind, which gives it colour and shape: the way that was chosen, or, where
 * none was, its phase. Nothing here knows the names of runs, ways or phases, but for a few that get a better title or a
 * fixed colour: what the trace learns to say appears on the page. */
#ifndef MG_REPORT_PAGE_H
#define MG_REPORT_PAGE_H

#include "report/map.h"

#define MG_REPORT_KINDS    64 /* runs of further names are added up as others; so with the next three */
#define MG_REPORT_CLASSES  16
#define MG_REPORT_ENGINES  8
#define MG_REPORT_PHASES   64
#define MG_REPORT_PAINTS   10      /* colours and shapes */
#define MG_REPORT_NO_PAINT 10      /* of steps with neither way nor phase, and of what comes after the last paint */
#define MG_REPORT_KEPT     2000000 /* steps kept for plots; further ones count in sums alone */
#define MG_REPORT_CHOSEN   64      /* searches that are drawn one by one, at most */
#define MG_REPORT_COLUMNS  200     /* of a plot, at most */
#define MG_REPORT_WHOLES   3       /* objects of numbers in a line, and of how many parts each */
#define MG_REPORT_PARTS    9
#define MG_REPORT_SETTINGS 64 /* strategies, with their thresholds and the sizes of graphs, that are compared */
#define MG_REPORT_DECADE   16 /* bins of a distribution for each power of ten … */
#define MG_REPORT_BINS     (20 * MG_REPORT_DECADE) /* … of all numbers of 64 bits */
#define MG_REPORT_TEXT     64
#define MG_REPORT_NBSP     "\xC2\xA0"

/* ---- the trace (report/trace.c, report/runs.c) ------------------------------------------------------------------ */

/* Sums over steps; they stop at the largest number. Rates are over those steps that have both amount and time. */
typedef struct mg_report_sums {
    uint64_t steps, frontier, edges, us, bytes;
    uint64_t timed_edges, edges_us, timed_bytes, bytes_us;
    bool has_frontier, has_edges, has_us, has_bytes;
} mg_report_sums;

/* One line of the trace as it was read; numbers are -1 and texts NULL where it does not say. */
typedef struct mg_report_line {
    const char *run, *phase, *way, *engine, *strategy, *thresholds;
    int64_t at, step, frontier, edges, threads, us, bytes;
    const json_t *parts[MG_REPORT_WHOLES];
    int64_t vertices, source, searches, above, below; /* of the search that begins here */
} mg_report_line;

/* A part of a whole, added up. */
typedef struct mg_report_part {
    char name[32]; /* "": none */
    uint64_t sum;
} mg_report_part;

/* One step as it is kept. */
typedef struct mg_report_step {
    int64_t at, step, frontier, edges, us, bytes;
    int64_t source; /* of the search that begins here */
    int32_t threads;
    int8_t kind, class, phase, engine, setting; /* places in lists; -1: none */
    bool begins;                                /* the first step of a repetition */
    bool outside;                               /* before a search, as it prepares: part of none */
} mg_report_step;

typedef struct mg_report_class {
    char *name;    /* NULL: steps with neither way nor phase */
    bool is_phase; /* named by its phase, for want of a way */
    int paint;
    bool in_searches; /* it occurs in them, not only outside */
    mg_report_sums sums;
} mg_report_class;

/* One repetition of a kind that goes by steps: a search. */
typedef struct mg_report_search {
    uint32_t first, count; /* in `order` of its kind */
    uint64_t us, edges;
    int64_t source; /* -1: not said */
    int setting;    /* place in the list of settings; -1: none */
} mg_report_search;

/* How searches went about it: a strategy, on graphs of one size, with thresholds. Sums are over all of them, also those
 * whose steps are not kept. A phase is a step of the kind that the search began with. */
typedef struct mg_report_setting {
    int kind, paint;
    char *strategy;
    int64_t vertices;                  /* -1: not said */
    bool given, measured;              /* its thresholds were; neither: it has none */
    int64_t above, below;              /* microseconds, of the first search; -1: never */
    uint64_t times;                    /* runs … */
    uint64_t searches;                 /* … of one search or of several side by side */
    uint64_t us, phases;               /* of all runs */
    uint64_t most;                     /* largest frontier of a phase */
    uint64_t bins[MG_REPORT_BINS + 1]; /* phases by frontier; the first: those without */
} mg_report_setting;

typedef struct mg_report_kind {
    char *name;
    const char *file; /* of several, the one that it is from: one of `files`; NULL: they are compared as one kind */
    bool compared;    /* some search of it names a strategy */
    mg_report_sums sums;
    uint64_t times;                      /* how often it ran */
    bool stepped;                        /* its steps are numbered or have frontiers: plotted step by step */
    int64_t least_threads, most_threads; /* -1: not said */
    uint32_t engines;                    /* a bit each */
    mg_report_class classes[MG_REPORT_CLASSES];
    int class_count;
    uint32_t *order; /* its kept steps */
    uint32_t order_count;
    mg_report_search *searches; /* of a stepped kind, as they came */
    mg_report_sums search_sums; /* over all of them */
    uint32_t search_count;
    mg_report_part parts[MG_REPORT_WHOLES][MG_REPORT_PARTS];
    uint32_t *by_time; /* the searches from the fastest to the slowest */
    /* while reading: */
    int setting;         /* of the search under way; -1: none */
    int64_t last_number; /* of the step before, in this repetition; -1: none yet */
    int first_phase, last_phase;
    bool proper;        /* it had steps that are more than phases */
    uint64_t preparing; /* phases that came before them, a bit each */
} mg_report_kind;

typedef struct mg_report_trace {
    meguri_ctx *ctx;
    const char *name; /* of the file, for people */
    char **files;     /* what each of several files is called; NULL: there is one */
    size_t file_count;
    const char *file; /* the one that is being read */
    mg_report_kind kinds[MG_REPORT_KINDS];
    int kind_count;
    char *engines[MG_REPORT_ENGINES], *phases[MG_REPORT_PHASES];
    int engine_count, phase_count;
    mg_report_setting *settings;
    int setting_count;
    uint64_t unsettled; /* searches of further settings */
    mg_report_step *steps;
    size_t step_count, step_room;
    mg_report_sums sums;
    int64_t first_at, last_at; /* from the start of the first step to the end of the last; -1: not said */
    int64_t shift;             /* of the times of a further trace, so that it follows those before */
    int last_kind;
    bool cut_off;      /* the last line is not whole */
    mg_report_map map; /* paths */
} mg_report_trace;

/* Where the bytes of a trace or of GeoJSON come from: a file, which may be a pipe, or memory. */
typedef struct mg_report_input {
    const char *name;
    int fd; /* -1: memory */
    const char *text;
    size_t bytes;
} mg_report_input;

#define MG_REPORT_CANCELLED (-2)
/* Takes bytes from the input: how many; 0 at its end, -1 after an error (errno), or the above. */
int64_t mg_report_more(meguri_ctx *ctx, mg_report_input *input, void *buffer, size_t room);

/* Reads a trace, or a further one; to be freed also after a failure. */
meguri_status mg_report_read(mg_report_trace *out, meguri_ctx *ctx, const mg_report_input *input);
/* After the last of them: orders steps by kind, finds the searches and orders them; false: no memory. */
bool mg_report_finish(mg_report_trace *trace);
void mg_report_free(mg_report_trace *trace);

/* Another file begins: its times follow those before, and its runs begin anew; they are kinds of their own unless their
 * searches name strategies, which are compared across files. */
void mg_report_next_trace(mg_report_trace *trace);
/* Takes one line in; false: no memory. */
bool mg_report_add(mg_report_trace *trace, const mg_report_line *line);
/* A copy for mg_free, cut between characters where it is very long. */
char *mg_report_copy_name(meguri_ctx *ctx, const char *name);
/* Time of the searches: 0 the fastest, 0.5 the median, 1 the slowest. */
double mg_report_quantile(const mg_report_kind *kind, double share);
void mg_report_sums_add(mg_report_sums *sums, const mg_report_step *step);
/* What a kind is called ("Breadth-first search"), and one or several of its repetitions ("search", "runs"). */
const char *mg_report_kind_title(const mg_report_kind *kind);
const char *mg_report_kind_noun(const mg_report_kind *kind, uint64_t count);
/* The name of a kind; of several files, " · " and the one that it is from. */
void mg_report_put_kind(mg_sink *page, const mg_report_kind *kind);
void mg_report_put_file(mg_sink *page, const mg_report_kind *kind);

/* ---- strategies beside each other (report/strategies.c) ---------------------------------------------------------- */

/* Where a line that begins a search belongs; -1: it names no strategy; -2: no memory. */
int mg_report_setting_of(mg_report_trace *trace, int kind, const mg_report_line *line);
void mg_report_setting_add(mg_report_setting *setting, const mg_report_line *line, bool begins, bool phase);
/* Microseconds of a search, in the mean. */
double mg_report_setting_mean(const mg_report_setting *setting);
/* Others of its strategy have thresholds that were given, too: it is one point of a sweep. */
bool mg_report_is_swept(const mg_report_trace *trace, const mg_report_setting *setting);
/* How many phases had a frontier below ten to the power of `decade`, of one of these settings. */
uint64_t mg_report_setting_below(const mg_report_setting *setting, int decade);

/* ---- text (report/text.c) --------------------------------------------------------------------------------------- */

/* Text from outside: escaped, without control characters, cut where it is very long. */
void mg_report_put(mg_sink *page, const char *text);
const char *mg_report_time(char buffer[MG_REPORT_TEXT], double us);
const char *mg_report_si(char buffer[MG_REPORT_TEXT], double number); /* 1.23 M */
const char *mg_report_bytes(char buffer[MG_REPORT_TEXT], double bytes);
const char *mg_report_percent(char buffer[MG_REPORT_TEXT], double part, double whole);
typedef enum mg_report_unit { MG_REPORT_COUNT, MG_REPORT_TIME, MG_REPORT_SIZE, MG_REPORT_PERCENT } mg_report_unit;
/* Amount per second; a dash where it is not known. */
const char *mg_report_rate(char buffer[MG_REPORT_TEXT], uint64_t amount, uint64_t us, mg_report_unit unit);
/* A value in a unit, with three digits that count. */
const char *mg_report_value(char buffer[MG_REPORT_TEXT], mg_report_unit unit, double value);
/* What tells the steps of a kind apart: "Way", or "Phase" where no way is named. */
const char *mg_report_class_word(const mg_report_kind *kind);
const char *mg_report_class_name(const mg_report_class *class);
/* "2", "1 to 4", or a dash; the names of engines. */
void mg_report_put_threads(mg_sink *page, const mg_report_kind *kind);
void mg_report_put_engines(mg_sink *page, const mg_report_trace *trace, uint32_t engines);

/* ---- plots (report/chart.c): SVG without a viewBox, x in percent, y in pixels, so that text never shrinks ---------
 */

typedef struct mg_report_axis {
    mg_report_unit unit;
    bool log;
    double most;
    double least;       /* where a logarithmic axis begins, a power of ten; 0: at 1 */
    double top, height; /* pixels */
} mg_report_axis;

/* Pixels from the top of the drawing for a value, and above the axis. */
double mg_report_y(const mg_report_axis *axis, double value);
double mg_report_height(const mg_report_axis *axis, double value);
/* The distance of ticks, 1, 2 or 5 times a power of ten; and what is written there, in the unit that suits values of
 * the size of `like`, so that all ticks of an axis have one unit. */
double mg_report_round_step(double most, int ticks);
const char *mg_report_tick(char label[MG_REPORT_TEXT], mg_report_unit unit, double value, double like);
/* Grid lines with labels, and the title of the panel above them. */
void mg_report_put_axis(mg_sink *page, const mg_report_axis *axis, const char *title);
/* A line through points, x in thousandths of the width; those whose y is negative are not there. */
void mg_report_open_lines(mg_sink *page, const mg_report_axis *axis);
void mg_report_put_line(mg_sink *page, const mg_report_axis *axis, const double *x, const double *y, uint32_t count,
                        const char *attributes);
/* Every how many columns have a label below them, so that these never touch. */
uint32_t mg_report_label_every(uint32_t columns);
void mg_report_open_svg(mg_sink *page, const char *class, double height, const char *id, const char *title,
                        const char *text);
/* The shape and colour of a class, in text. */
void mg_report_put_swatch(mg_sink *page, int paint);
void mg_report_put_legend(mg_sink *page, const mg_report_kind *kind);
void mg_report_put_shapes(mg_sink *page); /* once on the page, for reference */

/* ---- parts of the page ------------------------------------------------------------------------------------------ */

/* report.css and report.js, made into strings by the build. */
extern const char mg_report_css[], mg_report_js[];
/* report/page.c: the head of a page of some kind ("report") about these names, up to the beginning of its lead; its
 * end. */
void mg_report_open_page(mg_sink *page, const char *const *names, size_t count, const char *kind);
void mg_report_close_page(mg_sink *page, const char *note);
/* One figure of a list of them. */
void mg_report_put_tile(mg_sink *page, const char *name, const char *value);
/* All of it. */
void mg_report_put_page(mg_sink *page, const mg_report_trace *trace);
/* report/tables.c */
void mg_report_put_summary(mg_sink *page, const mg_report_trace *trace);
void mg_report_put_ways(mg_sink *page, const mg_report_kind *kind);
void mg_report_put_all_steps(mg_sink *page, const mg_report_trace *trace);
void mg_report_put_cell(mg_sink *page, const char *label, const char *text);
/* A part of the whole as a small bar behind its number. */
void mg_report_put_share(mg_sink *page, const char *label, double part, double whole);
/* report/parts.c: the objects of a line, or the name of one that has something else than numbers; their sums. */
const char *mg_report_get_parts(mg_report_line *line, const json_t *object);
void mg_report_add_parts(mg_report_kind *kind, const mg_report_line *line);
void mg_report_put_parts(mg_sink *page, const mg_report_kind *kind);
/* report/phases.c: when things happened, and what the phases of a kind took. */
void mg_report_put_timeline(mg_sink *page, const mg_report_trace *trace);
void mg_report_put_phases(mg_sink *page, const mg_report_trace *trace, const mg_report_kind *kind);
/* report/search.c: one search step by step. At most `columns`; a column then stands for several steps. */
void mg_report_put_search(mg_sink *page, const mg_report_trace *trace, const mg_report_kind *kind, uint32_t search,
                          uint32_t columns, bool shown);
/* report/spread.c: all searches beside each other; `chosen` of them are drawn, in the order of their time. */
void mg_report_put_spread(mg_sink *page, const mg_report_trace *trace, const mg_report_kind *kind,
                          const uint32_t *chosen, uint32_t chosen_count);
/* report/strategy_plots.c, report/strategy_phases.c: figures 4 to 8 of paper P3, where searches say their strategies.
 */
void mg_report_put_strategies(mg_sink *page, const mg_report_trace *trace, const mg_report_kind *kind);

#endif
