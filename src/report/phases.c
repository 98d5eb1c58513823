/* Runs by time: when each run worked, and what share of it each phase took. */
#include "report/page.h"

#include <math.h>

#define LANE  38 /* pixels: a label and a strip */
#define STRIP 16
#define FOOT  26
#define EXACT 300 /* up to so many steps a lane shows each of them; of more, what happened in each of CELLS slices */
#define CELLS 400
#define TICKS 5

/* ---- timeline --------------------------------------------------------------------------------------------------- */

typedef struct lane {
    mg_sink *page;
    const mg_report_trace *trace;
    const mg_report_kind *kind;
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
    char a[MG_REPORT_TEXT], b[MG_REPORT_TEXT];
    const mg_report_class *class = &l->kind->classes[p->class];
    mg_sink_format(l->page,
                   "<rect class=\"piece p%d busy%d\" x=\"%.2f%%\" y=\"%.0f\" width=\"%.2f%%\" height=\"%d\"><title>",
                   class->paint, p->busy, fmin(100 * p->start / l->length, 99.85), l->top + LANE - STRIP - 2,
                   fmax(100 * (p->end - p->start) / l->length, 0.15), STRIP);
    mg_report_put_kind(l->page, l->kind);
    if (class->name) {
        mg_sink_put(l->page, p->steps == 1 ? ", " : ", mostly ");
        mg_report_put(l->page, class->name);
    }
    if (p->steps != 1) mg_sink_format(l->page, "\nSteps\t%s", mg_thousands(a, p->steps));
    mg_sink_format(l->page, "\nFrom\t%s\nFor\t%s</title></rect>\n", mg_report_time(a, p->start),
                   mg_report_time(b, p->end - p->start));
}

static bool piece_of(piece *out, const lane *l, const mg_report_step *step) {
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
    double us[MG_REPORT_CLASSES];
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

static void put_time_axis(mg_sink *page, double length, double height) {
    char text[MG_REPORT_TEXT];
    double step = mg_report_round_step(length, TICKS);
    for (int i = 0; i * step <= length && i <= 2 * TICKS; i++) {
        double x = 100 * i * step / length;
        mg_sink_format(page, "<line class=\"grid\" x1=\"%.2f%%\" x2=\"%.2f%%\" y1=\"0\" y2=\"%.0f\"/>", x, x, height);
        mg_sink_format(page, "<text class=\"number\" x=\"%.2f%%\" y=\"%.0f\" style=\"text-anchor:%s\">%s</text>\n", x,
                       height + 16,
                       i == 0   ? "start"
                       : x > 96 ? "end"
                                : "middle",
                       mg_report_tick(text, MG_REPORT_TIME, i * step, length));
    }
}

void mg_report_put_timeline(mg_sink *page, const mg_report_trace *trace) {
    double height = trace->kind_count * (double)LANE + 8;
    lane l = {.page = page, .trace = trace, .length = (double)(trace->last_at - trace->first_at)};
    if (trace->last_at < 0 || l.length <= 0) return;
    mg_sink_put(page, "<section><h2>When</h2>\n<div class=\"card\"><div class=\"plot flat\">");
    mg_report_open_svg(page, "timeline", height + FOOT, "timeline", "When each run worked",
                       "A strip for each kind of run along the time of the trace; colours are ways and phases.");
    put_time_axis(page, l.length, height);
    for (int k = 0; k < trace->kind_count; k++, l.top += LANE) {
        l.kind = &trace->kinds[k];
        mg_sink_format(page, "<text class=\"head\" x=\"0\" y=\"%.0f\">", l.top + 15);
        mg_report_put_kind(page, l.kind);
        mg_sink_put(page, "</text>\n");
        (l.kind->order_count <= EXACT ? put_exact_lane : put_joined_lane)(&l);
    }
    mg_sink_put(page, "</svg></div></div></section>\n");
}

/* ---- phases ----------------------------------------------------------------------------------------------------- */

static void put_stack(mg_sink *page, const mg_report_trace *trace, const mg_report_kind *kind) {
    char id[64], text[MG_REPORT_TEXT];
    double at = 0, whole = (double)kind->sums.us;
    snprintf(id, sizeof id, "k%d-phases", (int)(kind - trace->kinds));
    mg_sink_put(page, "<div class=\"plot flat\">");
    mg_report_open_svg(page, "stack", 24, id, "Share of the time",
                       "One bar, divided by phase; the table below has the numbers.");
    for (int c = 0; c < kind->class_count; c++) {
        const mg_report_class *class = &kind->classes[c];
        double share = whole > 0 ? 100 * (double)class->sums.us / whole : 0;
        if (share <= 0) continue;
        mg_sink_format(page, "<rect class=\"bar p%d\" x=\"%.2f%%\" y=\"0\" width=\"%.2f%%\" height=\"24\"><title>",
                       class->paint, at, share);
        mg_report_put(page, mg_report_class_name(class));
        mg_sink_format(page, "\nTime\t%s", mg_report_time(text, (double)class->sums.us));
        mg_sink_format(page, "\nShare\t%s</title></rect>\n", mg_report_percent(text, share, 100));
        at += share;
    }
    mg_sink_put(page, "</svg></div>\n");
}

void mg_report_put_phases(mg_sink *page, const mg_report_trace *trace, const mg_report_kind *kind) {
    char text[MG_REPORT_TEXT];
    mg_sink_put(page, "<div class=\"card phases\"><h3>");
    mg_report_put(page, mg_report_kind_title(kind));
    mg_report_put_file(page, kind);
    if (kind->sums.has_us)
        mg_sink_format(page, " <span class=\"soft\">%s</span>", mg_report_time(text, (double)kind->sums.us));
    mg_sink_put(page, "</h3>\n");
    if (kind->sums.us > 0) put_stack(page, trace, kind);
    mg_report_put_ways(page, kind);
    mg_sink_put(page, "</div>\n");
}
