/* The tables of the page: runs, ways or phases of a run, and all steps. On narrow screens a row of the first becomes a
 * card, for which each cell carries the name of its column. */
#include "report/report.h"

#define ROWS 2000 /* steps listed at most */

static void put_cell(FILE *page, const char *label, const char *text) {
    fprintf(page, "<td data-l=\"%s\">%s</td>", label, text);
}

static const char *known(bool is, const char *text) { return is ? text : "–"; }

/* A part of the whole as a small bar behind its number. */
static void put_share(FILE *page, const char *label, uint64_t part, uint64_t whole) {
    char text[REPORT_TEXT];
    double share = whole ? 100 * (double)part / (double)whole : 0;
    fprintf(page, "<td data-l=\"%s\" class=\"share\"><span style=\"--w:%.1f%%\">%s</span></td>", label, share,
            report_percent(text, share, 100));
}

/* ---- runs ------------------------------------------------------------------------------------------------------- */

static void put_summary_row(FILE *page, const report_trace *trace, const report_kind *kind) {
    char text[REPORT_TEXT];
    const report_sums *s = &kind->sums;
    fputs("<tr><th scope=\"row\">", page);
    report_put(page, kind->name);
    fputs("</th>", page);
    put_cell(page, "times", report_count(text, kind->times));
    put_cell(page, "steps", report_count(text, s->steps));
    put_cell(page, "edges", known(s->has_edges, report_count(text, s->edges)));
    put_cell(page, "time", known(s->has_us, report_time(text, (double)s->us)));
    put_share(page, "share", s->us, trace->sums.us);
    put_cell(page, "edges/s", report_rate(text, s->timed_edges, s->edges_us, REPORT_COUNT));
    put_cell(page, "bytes", known(s->has_bytes, report_bytes(text, (double)s->bytes)));
    put_cell(page, "bytes/s", report_rate(text, s->timed_bytes, s->bytes_us, REPORT_SIZE));
    fputs("<td data-l=\"threads\">", page);
    report_put_threads(page, kind);
    fputs("</td><td data-l=\"engine\">", page);
    report_put_engines(page, trace, kind->engines);
    fputs("</td></tr>\n", page);
}

void report_put_summary(FILE *page, const report_trace *trace) {
    fputs("<section><h2>Runs</h2>\n<div class=\"card\"><table class=\"runs\"><thead><tr><th scope=\"col\">Run</th>"
          "<th scope=\"col\">Times</th><th scope=\"col\">Steps</th><th scope=\"col\">Edges looked at</th>"
          "<th scope=\"col\">Time</th><th scope=\"col\">Share</th><th scope=\"col\">Edges/s</th>"
          "<th scope=\"col\">Bytes moved</th><th scope=\"col\">Bytes/s</th><th scope=\"col\">Threads</th>"
          "<th scope=\"col\">Engine</th></tr></thead>\n<tbody>\n",
          page);
    for (int k = 0; k < trace->kind_count; k++) put_summary_row(page, trace, &trace->kinds[k]);
    fputs("</tbody></table></div></section>\n", page);
}

/* ---- ways or phases of a run ------------------------------------------------------------------------------------ */

void report_put_ways(FILE *page, const report_kind *kind) {
    char text[REPORT_TEXT];
    const report_sums *all = &kind->sums;
    fprintf(page,
            "<table class=\"ways\"><thead><tr><th scope=\"col\">%s</th><th scope=\"col\">Steps</th>"
            "<th scope=\"col\">Time</th><th scope=\"col\">Share</th>",
            report_class_word(kind));
    if (all->has_edges && kind->stepped) fputs("<th scope=\"col\">Edges looked at</th>", page);
    if (all->has_edges) fputs("<th scope=\"col\">Edges/s</th>", page);
    if (all->has_bytes) fputs("<th scope=\"col\">Bytes/s</th>", page);
    fputs("</tr></thead>\n<tbody>\n", page);
    for (int c = 0; c < kind->class_count; c++) {
        const report_class *class = &kind->classes[c];
        const report_sums *s = &class->sums;
        fputs("<tr><th scope=\"row\">", page);
        report_put_swatch(page, class->paint);
        report_put(page, report_class_name(class));
        if (kind->stepped && !class->in_searches) fputs(" <span class=\"soft\">preparation</span>", page);
        fputs("</th>", page);
        put_cell(page, "steps", report_count(text, s->steps));
        put_cell(page, "time", known(s->has_us, report_time(text, (double)s->us)));
        put_share(page, "share", s->us, all->us);
        if (all->has_edges && kind->stepped) put_cell(page, "edges", known(s->has_edges, report_count(text, s->edges)));
        if (all->has_edges) put_cell(page, "edges/s", report_rate(text, s->timed_edges, s->edges_us, REPORT_COUNT));
        if (all->has_bytes) put_cell(page, "bytes/s", report_rate(text, s->timed_bytes, s->bytes_us, REPORT_SIZE));
        fputs("</tr>\n", page);
    }
    fputs("</tbody></table>\n", page);
}

/* ---- all steps -------------------------------------------------------------------------------------------------- */

static void put_number(FILE *page, int64_t number) {
    char text[REPORT_TEXT];
    fprintf(page, "<td>%s</td>", number < 0 ? "" : report_count(text, (uint64_t)number));
}

static void put_step_row(FILE *page, const report_trace *trace, const report_step *step, uint64_t search) {
    const report_kind *kind = &trace->kinds[step->kind];
    const report_class *class = &kind->classes[step->class];
    fputs("<tr><td>", page);
    report_put(page, kind->name);
    fputs("</td>", page);
    put_number(page, kind->stepped ? (int64_t)search : -1);
    put_number(page, step->step);
    fputs("<td>", page);
    if (step->phase >= 0) report_put(page, trace->phases[step->phase]);
    fputs("</td><td>", page);
    if (!class->is_phase && class->name) report_put(page, class->name);
    fputs("</td>", page);
    put_number(page, step->frontier);
    put_number(page, step->edges);
    put_number(page, step->us);
    put_number(page, step->bytes);
    put_number(page, step->threads);
    fputs("<td>", page);
    if (step->engine >= 0) report_put(page, trace->engines[step->engine]);
    fputs("</td>", page);
    put_number(page, step->at);
    fputs("</tr>\n", page);
}

void report_put_all_steps(FILE *page, const report_trace *trace) {
    char a[REPORT_TEXT], b[REPORT_TEXT];
    uint64_t search[REPORT_KINDS] = {0};
    size_t rows = trace->step_count < ROWS ? trace->step_count : ROWS;
    fprintf(page, "<section><details><summary><h2>All steps</h2> <span class=\"soft\">%s</span></summary>\n",
            report_count(a, trace->sums.steps));
    if (rows < trace->sums.steps)
        fprintf(page, "<p class=\"note\">The first %s of %s steps.</p>\n", report_count(a, rows),
                report_count(b, trace->sums.steps));
    fputs("<div class=\"card scroll\" tabindex=\"0\" role=\"region\" aria-label=\"All steps\"><table "
          "class=\"all\"><thead><tr>"
          "<th scope=\"col\">Run</th><th scope=\"col\">No.</th><th scope=\"col\">Step</th><th scope=\"col\">Phase</th>"
          "<th scope=\"col\">Way</th><th scope=\"col\">Frontier</th><th scope=\"col\">Edges</th>"
          "<th scope=\"col\">Time, µs</th><th scope=\"col\">Bytes</th><th scope=\"col\">Threads</th>"
          "<th scope=\"col\">Engine</th><th scope=\"col\">At, µs</th></tr></thead>\n<tbody>\n",
          page);
    for (size_t i = 0; i < rows; i++) {
        const report_step *step = &trace->steps[i];
        search[step->kind] += step->begins;
        put_step_row(page, trace, step, search[step->kind]);
    }
    fputs("</tbody></table></div></details></section>\n", page);
}
