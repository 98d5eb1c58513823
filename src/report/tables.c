/* The tables of the page: runs, ways or phases of a run, and all steps. On narrow screens a row of the first becomes a
 * card, for which each cell carries the name of its column. */
#include "report/page.h"

#define ROWS 2000 /* steps listed at most */

void mg_report_put_cell(mg_sink *page, const char *label, const char *text) {
    mg_sink_format(page, "<td data-l=\"%s\">%s</td>", label, text);
}

static const char *known(bool is, const char *text) { return is ? text : "–"; }

void mg_report_put_share(mg_sink *page, const char *label, double part, double whole) {
    char text[MG_REPORT_TEXT];
    double share = whole > 0 ? 100 * part / whole : 0;
    mg_sink_format(page, "<td data-l=\"%s\" class=\"share\"><span style=\"--w:%.1f%%\">%s</span></td>", label, share,
                   mg_report_percent(text, share, 100));
}

/* ---- runs ------------------------------------------------------------------------------------------------------- */

static void put_summary_row(mg_sink *page, const mg_report_trace *trace, const mg_report_kind *kind) {
    char text[MG_REPORT_TEXT];
    const mg_report_sums *s = &kind->sums;
    mg_sink_put(page, "<tr><th scope=\"row\">");
    mg_report_put_kind(page, kind);
    mg_sink_put(page, "</th>");
    mg_report_put_cell(page, "times", mg_thousands(text, kind->times));
    mg_report_put_cell(page, "steps", mg_thousands(text, s->steps));
    mg_report_put_cell(page, "edges", known(s->has_edges, mg_thousands(text, s->edges)));
    mg_report_put_cell(page, "time", known(s->has_us, mg_report_time(text, (double)s->us)));
    mg_report_put_share(page, "share", (double)s->us, (double)trace->sums.us);
    mg_report_put_cell(page, "edges/s", mg_report_rate(text, s->timed_edges, s->edges_us, MG_REPORT_COUNT));
    mg_report_put_cell(page, "bytes", known(s->has_bytes, mg_report_bytes(text, (double)s->bytes)));
    mg_report_put_cell(page, "bytes/s", mg_report_rate(text, s->timed_bytes, s->bytes_us, MG_REPORT_SIZE));
    mg_sink_put(page, "<td data-l=\"threads\">");
    mg_report_put_threads(page, kind);
    mg_sink_put(page, "</td><td data-l=\"engine\">");
    mg_report_put_engines(page, trace, kind->engines);
    mg_sink_put(page, "</td></tr>\n");
}

void mg_report_put_summary(mg_sink *page, const mg_report_trace *trace) {
    mg_sink_put(
        page, "<section><h2>Runs</h2>\n<div class=\"card\"><table class=\"runs\"><thead><tr><th scope=\"col\">Run</th>"
              "<th scope=\"col\">Times</th><th scope=\"col\">Steps</th><th scope=\"col\">Edges looked at</th>"
              "<th scope=\"col\">Time</th><th scope=\"col\">Share</th><th scope=\"col\">Edges/s</th>"
              "<th scope=\"col\">Bytes moved</th><th scope=\"col\">Bytes/s</th><th scope=\"col\">Threads</th>"
              "<th scope=\"col\">Engine</th></tr></thead>\n<tbody>\n");
    for (int k = 0; k < trace->kind_count; k++) put_summary_row(page, trace, &trace->kinds[k]);
    mg_sink_put(page, "</tbody></table></div></section>\n");
}

/* ---- ways or phases of a run ------------------------------------------------------------------------------------ */

void mg_report_put_ways(mg_sink *page, const mg_report_kind *kind) {
    char text[MG_REPORT_TEXT];
    const mg_report_sums *all = &kind->sums;
    mg_sink_format(page,
                   "<table class=\"ways\"><thead><tr><th scope=\"col\">%s</th><th scope=\"col\">Steps</th>"
                   "<th scope=\"col\">Time</th><th scope=\"col\">Share</th>",
                   mg_report_class_word(kind));
    if (all->has_edges && kind->stepped) mg_sink_put(page, "<th scope=\"col\">Edges looked at</th>");
    if (all->has_edges) mg_sink_put(page, "<th scope=\"col\">Edges/s</th>");
    if (all->has_bytes) mg_sink_put(page, "<th scope=\"col\">Bytes/s</th>");
    mg_sink_put(page, "</tr></thead>\n<tbody>\n");
    for (int c = 0; c < kind->class_count; c++) {
        const mg_report_class *class = &kind->classes[c];
        const mg_report_sums *s = &class->sums;
        mg_sink_put(page, "<tr><th scope=\"row\">");
        mg_report_put_swatch(page, class->paint);
        mg_report_put(page, mg_report_class_name(class));
        if (kind->stepped && !class->in_searches) mg_sink_put(page, " <span class=\"soft\">preparation</span>");
        mg_sink_put(page, "</th>");
        mg_report_put_cell(page, "steps", mg_thousands(text, s->steps));
        mg_report_put_cell(page, "time", known(s->has_us, mg_report_time(text, (double)s->us)));
        mg_report_put_share(page, "share", (double)s->us, (double)all->us);
        if (all->has_edges && kind->stepped)
            mg_report_put_cell(page, "edges", known(s->has_edges, mg_thousands(text, s->edges)));
        if (all->has_edges)
            mg_report_put_cell(page, "edges/s", mg_report_rate(text, s->timed_edges, s->edges_us, MG_REPORT_COUNT));
        if (all->has_bytes)
            mg_report_put_cell(page, "bytes/s", mg_report_rate(text, s->timed_bytes, s->bytes_us, MG_REPORT_SIZE));
        mg_sink_put(page, "</tr>\n");
    }
    mg_sink_put(page, "</tbody></table>\n");
}

/* ---- all steps -------------------------------------------------------------------------------------------------- */

static void put_number(mg_sink *page, int64_t number) {
    char text[MG_REPORT_TEXT];
    mg_sink_format(page, "<td>%s</td>", number < 0 ? "" : mg_thousands(text, (uint64_t)number));
}

static void put_step_row(mg_sink *page, const mg_report_trace *trace, const mg_report_step *step, uint64_t search) {
    const mg_report_kind *kind = &trace->kinds[step->kind];
    const mg_report_class *class = &kind->classes[step->class];
    mg_sink_put(page, "<tr><td>");
    mg_report_put_kind(page, kind);
    mg_sink_put(page, "</td>");
    put_number(page, kind->stepped ? (int64_t)search : -1);
    put_number(page, step->step);
    mg_sink_put(page, "<td>");
    if (step->phase >= 0) mg_report_put(page, trace->phases[step->phase]);
    mg_sink_put(page, "</td><td>");
    if (!class->is_phase && class->name) mg_report_put(page, class->name);
    mg_sink_put(page, "</td>");
    put_number(page, step->frontier);
    put_number(page, step->edges);
    put_number(page, step->us);
    put_number(page, step->bytes);
    put_number(page, step->threads);
    mg_sink_put(page, "<td>");
    if (step->engine >= 0) mg_report_put(page, trace->engines[step->engine]);
    mg_sink_put(page, "</td>");
    put_number(page, step->at);
    mg_sink_put(page, "</tr>\n");
}

void mg_report_put_all_steps(mg_sink *page, const mg_report_trace *trace) {
    char a[MG_REPORT_TEXT], b[MG_REPORT_TEXT];
    uint64_t search[MG_REPORT_KINDS] = {0};
    size_t rows = trace->step_count < ROWS ? trace->step_count : ROWS;
    mg_sink_format(page, "<section><details><summary><h2>All steps</h2> <span class=\"soft\">%s</span></summary>\n",
                   mg_thousands(a, trace->sums.steps));
    if (rows < trace->sums.steps)
        mg_sink_format(page, "<p class=\"note\">The first %s of %s steps.</p>\n", mg_thousands(a, rows),
                       mg_thousands(b, trace->sums.steps));
    mg_sink_put(
        page,
        "<div class=\"card scroll\" tabindex=\"0\" role=\"region\" aria-label=\"All steps\"><table "
        "class=\"all\"><thead><tr>"
        "<th scope=\"col\">Run</th><th scope=\"col\">No.</th><th scope=\"col\">Step</th><th scope=\"col\">Phase</th>"
        "<th scope=\"col\">Way</th><th scope=\"col\">Frontier</th><th scope=\"col\">Edges</th>"
        "<th scope=\"col\">Time, µs</th><th scope=\"col\">Bytes</th><th scope=\"col\">Threads</th>"
        "<th scope=\"col\">Engine</th><th scope=\"col\">At, µs</th></tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < rows; i++) {
        const mg_report_step *step = &trace->steps[i];
        search[step->kind] += step->begins;
        put_step_row(page, trace, step, search[step->kind]);
    }
    mg_sink_put(page, "</tbody></table></div></details></section>\n");
}
