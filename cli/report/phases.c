/* Runs by time: when each run worked, and what share of it each phase took. */
#include "report/report.h"

#include <math.h>

#define LANE  38 /* pixels: a label and a strip */
#define STRIP 16
#define FOOT  26
#define EXACT 300 /* up to so many steps a lane shows each of them; of more, what happened in each of CELLS slices */
#define CELLS 400
#define TICKS 5

/* ---- timeline --------------------------------------------------------------------------------------------------- */

typedef struct lane {
    FILE *page;
    const report_trace *trace;
    const report_kind *kind;
    double top;    /* pixels */
    double length; /* microseconds of the whole timeline */
} lane;

/* A stretch of a lane, in microseconds from the start of the timeline. */
typedef struct piece {
    double start, end;
    int class;
    uint64_t steps;
    int busy; /* how much of it was work, from 1 to 3 */
} piece;

static void put_piece(const lane *l, const piece *p) {
    char a[REPORT_TEXT], b[REPORT_TEXT];
    const report_class *class = &l->kind->classes[p->class];
    fprintf(l->page, "<rect class=\"piece p%d busy%d\" x=\"%.2f%%\" y=\"%.0f\" width=\"%.2f%%\" height=\"%d\"><title>",
            class->paint, p->busy, fmin(100 * p->start / l->length, 99.85), l->top + LANE - STRIP - 2,
            fmax(100 * (p->end - p->start) / l->length, 0.15), STRIP);
    report_put(l->page, l->kind->name);
    if (class->name) {
        fputs(p->steps == 1 ? ", " : ", mostly ", l->page);
        report_put(l->page, class->name);
    }
    if (p->steps != 1) fprintf(l->page, "\nSteps\t%s", report_count(a, p->steps));
    fprintf(l->page, "\nFrom\t%s\nFor\t%s</title></rect>\n", report_time(a, p->start),
            report_time(b, p->end - p->start));
}

static bool piece_of(piece *out, const lane *l, const report_step *step) {
    if (step->at < 0) return false;
    double end = (double)(step->at - l->trace->first_at), start = end - (double)(step->us > 0 ? step->us : 0);
    *out = (piece){.start = fmax(start, 0), .end = end, .class = step->class, .steps = 1, .busy = 3};
    return true;
}

static void put_exact_lane(const lane *l) {
    piece p;
    for (uint32_t i = 0; i < l->kind->order_count; i++)
        if (piece_of(&p, l, &l->trace->steps[l->kind->order[i]])) put_piece(l, &p);
}

/* What happened in one slice of the timeline. */
typedef struct cell {
    double us[REPORT_CLASSES];
    uint64_t steps; /* that begin in it */
} cell;

static void fill_cells(cell cells[CELLS], const lane *l) {
    double width = l->length / CELLS;
    piece p;
    for (int i = 0; i < CELLS; i++) cells[i] = (cell){0};
    for (uint32_t i = 0; i < l->kind->order_count; i++) {
        if (!piece_of(&p, l, &l->trace->steps[l->kind->order[i]])) continue;
        int first = (int)fmin(p.start / width, CELLS - 1), last = (int)fmin(p.end / width, CELLS - 1);
        cells[first].steps++;
        for (int c = first; c <= last; c++)
            cells[c].us[p.class] += fmax(fmin(p.end, (c + 1) * width) - fmax(p.start, c * width), 0);
    }
}

static void put_joined_lane(const lane *l) {
    cell cells[CELLS];
    double width = l->length / CELLS;
    piece growing = {0};
    fill_cells(cells, l);
    for (int i = 0; i < CELLS; i++) {
        double sum = 0;
        int class = 0;
        for (int c = 0; c < l->kind->class_count; c++) {
            sum += cells[i].us[c];
            if (cells[i].us[c] > cells[i].us[class]) class = c;
        }
        int busy = sum <= 0 && !cells[i].steps ? 0 : sum < 0.34 * width ? 1 : sum < 0.8 * width ? 2 : 3;
        if (growing.busy && (busy != growing.busy || class != growing.class)) {
            put_piece(l, &growing);
            growing.busy = 0;
        }
        if (busy && !growing.busy) growing = (piece){.start = i * width, .class = class, .busy = busy};
        growing.end = (i + 1) * width;
        growing.steps += cells[i].steps;
    }
    if (growing.busy) put_piece(l, &growing);
}

static void put_time_axis(FILE *page, double length, double height) {
    char text[REPORT_TEXT];
    double step = report_round_step(length, TICKS);
    for (int i = 0; i * step <= length && i <= 2 * TICKS; i++) {
        double x = 100 * i * step / length;
        fprintf(page, "<line class=\"grid\" x1=\"%.2f%%\" x2=\"%.2f%%\" y1=\"0\" y2=\"%.0f\"/>", x, x, height);
        fprintf(page, "<text class=\"number\" x=\"%.2f%%\" y=\"%.0f\" style=\"text-anchor:%s\">%s</text>\n", x,
                height + 16,
                i == 0   ? "start"
                : x > 96 ? "end"
                         : "middle",
                report_tick(text, REPORT_TIME, i * step, length));
    }
}

void report_put_timeline(FILE *page, const report_trace *trace) {
    double height = trace->kind_count * (double)LANE + 8;
    lane l = {.page = page, .trace = trace, .length = (double)(trace->last_at - trace->first_at)};
    if (trace->last_at < 0 || l.length <= 0) return;
    fputs("<section><h2>When</h2>\n<div class=\"card\"><div class=\"plot flat\">", page);
    report_open_svg(page, "timeline", height + FOOT, "timeline", "When each run worked",
                    "A strip for each kind of run along the time of the trace; colours are ways and phases.");
    put_time_axis(page, l.length, height);
    for (int k = 0; k < trace->kind_count; k++, l.top += LANE) {
        l.kind = &trace->kinds[k];
        fprintf(page, "<text class=\"head\" x=\"0\" y=\"%.0f\">", l.top + 15);
        report_put(page, l.kind->name);
        fputs("</text>\n", page);
        (l.kind->order_count <= EXACT ? put_exact_lane : put_joined_lane)(&l);
    }
    fputs("</svg></div></div></section>\n", page);
}

/* ---- phases ----------------------------------------------------------------------------------------------------- */

static void put_stack(FILE *page, const report_trace *trace, const report_kind *kind) {
    char id[64], text[REPORT_TEXT];
    double at = 0, whole = (double)kind->sums.us;
    snprintf(id, sizeof id, "k%d-phases", (int)(kind - trace->kinds));
    fputs("<div class=\"plot flat\">", page);
    report_open_svg(page, "stack", 24, id, "Share of the time",
                    "One bar, divided by phase; the table below has the numbers.");
    for (int c = 0; c < kind->class_count; c++) {
        const report_class *class = &kind->classes[c];
        double share = whole > 0 ? 100 * (double)class->sums.us / whole : 0;
        if (share <= 0) continue;
        fprintf(page, "<rect class=\"bar p%d\" x=\"%.2f%%\" y=\"0\" width=\"%.2f%%\" height=\"24\"><title>",
                class->paint, at, share);
        report_put(page, report_class_name(class));
        fprintf(page, "\nTime\t%s", report_time(text, (double)class->sums.us));
        fprintf(page, "\nShare\t%s</title></rect>\n", report_percent(text, share, 100));
        at += share;
    }
    fputs("</svg></div>\n", page);
}

void report_put_phases(FILE *page, const report_trace *trace, const report_kind *kind) {
    char text[REPORT_TEXT];
    fputs("<div class=\"card phases\"><h3>", page);
    report_put(page, report_kind_title(kind));
    if (kind->sums.has_us) fprintf(page, " <span class=\"soft\">%s</span>", report_time(text, (double)kind->sums.us));
    fputs("</h3>\n", page);
    if (kind->sums.us > 0) put_stack(page, trace, kind);
    report_put_ways(page, kind);
    fputs("</div>\n", page);
}
