/* The page: one HTML file that needs nothing else. Style and script (report.css, report.js) are built into the library.
 *
 * Its size has a limit whatever the trace: plots have so many columns at most over all, tables so many rows, and the
 * page says where it leaves something out. */
#include "report/page.h"

#include <meguri/version.h>
#include <string.h>

#define ALL_COLUMNS   6000 /* of the plots of searches, over the whole page */
#define LEAST_COLUMNS 24   /* of one of them */

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

static void put_names(mg_sink *page, const char *const *names, size_t count) {
    enum { NAMED = 4 };
    size_t shown = MG_MIN(count, (size_t)NAMED);
    for (size_t i = 0; i < shown; i++) {
        if (i) mg_sink_put(page, i + 1 == count ? " and " : ", ");
        mg_report_put(page, names[i]);
    }
    if (shown < count) mg_sink_format(page, " and %zu more", count - shown);
}

void mg_report_open_page(mg_sink *page, const char *const *names, size_t count, const char *kind) {
    mg_sink_put(page,
                "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                "<meta name=\"color-scheme\" content=\"light dark\">\n"
                "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
                "script-src 'unsafe-inline'; img-src data:\">\n<link rel=\"icon\" href=\"data:,\">\n<title>");
    put_names(page, names, count);
    mg_sink_format(page,
                   " – meguri %s</title>\n<meta name=\"generator\" content=\"meguri %s\">\n<style>\n%s%s%s</style>\n"
                   "</head>\n<body>\n",
                   kind, meguri_version(), mg_report_colors_css, mg_report_css, mg_report_map_css);
    mg_report_put_shapes(page);
    mg_sink_format(page, "<main>\n<header><p class=\"mark\">meguri %s</p>\n<h1>", kind);
    put_names(page, names, count);
    mg_sink_put(page, "</h1>\n<p class=\"lead\">");
}

void mg_report_close_page(mg_sink *page, const char *note) {
    mg_sink_format(page,
                   "</main>\n<footer>Made by meguri %s.%s</footer>\n<div id=\"tip\" role=\"status\" "
                   "hidden></div>\n<script>\n%s</script>\n</body>\n</html>\n",
                   meguri_version(), note, mg_report_js);
}

void mg_report_put_tile(mg_sink *page, const char *name, const char *value) {
    mg_sink_format(page, "<div><dt>%s</dt><dd>%s</dd></div>\n", name, value);
}

/* ---- the head of the page --------------------------------------------------------------------------------------- */

static void put_tiles(mg_sink *page, const mg_report_trace *trace) {
    char text[MG_REPORT_TEXT];
    const mg_report_sums *s = &trace->sums;
    uint64_t runs = 0;
    mg_sink_put(page, "<dl class=\"tiles\">\n");
    if (trace->last_at >= 0)
        mg_report_put_tile(page, "Trace lasts", mg_report_time(text, (double)(trace->last_at - trace->first_at)));
    if (s->has_us) mg_report_put_tile(page, "Time in steps", mg_report_time(text, (double)s->us));
    for (int k = 0; k < trace->kind_count; k++) runs += trace->kinds[k].times;
    mg_report_put_tile(page, "Runs", mg_thousands(text, runs));
    mg_report_put_tile(page, "Steps", mg_thousands(text, s->steps));
    if (trace->kind_count == 1 && s->has_edges) /* edges read and edges searched do not add up */
        mg_report_put_tile(page, "Edges looked at", mg_report_si(text, (double)s->edges));
    if (trace->kind_count == 1 && s->edges_us)
        mg_report_put_tile(page, "Edges per second",
                           mg_report_rate(text, s->timed_edges, s->edges_us, MG_REPORT_COUNT));
    if (s->has_bytes) mg_report_put_tile(page, "Bytes moved", mg_report_bytes(text, (double)s->bytes));
    mg_sink_put(page, "</dl>\n");
}

static void put_notes(mg_sink *page, const mg_report_trace *trace) {
    char a[MG_REPORT_TEXT], b[MG_REPORT_TEXT];
    if (trace->cut_off)
        mg_sink_put(
            page,
            "<p class=\"note\">The last line of the trace is cut off, as if its program had been stopped; this page "
            "shows "
            "the steps before it.</p>\n");
    if (trace->step_count < trace->sums.steps)
        mg_sink_format(page, "<p class=\"note\">The plots show the first %s of %s steps; sums are over all.</p>\n",
                       mg_thousands(a, trace->step_count), mg_thousands(b, trace->sums.steps));
}

static void put_all_threads(mg_sink *page, const mg_report_trace *trace) {
    mg_report_kind all = {.least_threads = -1, .most_threads = -1};
    for (int k = 0; k < trace->kind_count; k++) {
        const mg_report_kind *kind = &trace->kinds[k];
        if (kind->least_threads < 0) continue;
        if (all.least_threads < 0 || kind->least_threads < all.least_threads) all.least_threads = kind->least_threads;
        if (kind->most_threads > all.most_threads) all.most_threads = kind->most_threads;
    }
    if (all.least_threads < 0) return;
    mg_sink_put(page, " · ");
    mg_report_put_threads(page, &all);
    mg_sink_put(page, all.most_threads == 1 ? " thread" : " threads");
}

static void put_header(mg_sink *page, const mg_report_trace *trace) {
    uint32_t engines = 0;
    const char *join = "";
    for (int k = 0; k < trace->kind_count; k++) {
        char text[MG_REPORT_TEXT];
        const mg_report_kind *kind = &trace->kinds[k];
        mg_sink_put(page, join);
        mg_report_put_kind(page, kind);
        if (kind->times > 1) mg_sink_format(page, "&nbsp;%s×", mg_thousands(text, kind->times));
        engines |= kind->engines;
        join = ", ";
    }
    if (engines) {
        mg_sink_put(page, " · on ");
        mg_report_put_engines(page, trace, engines);
    }
    put_all_threads(page, trace);
    mg_sink_put(page, "</p>\n");
    if (trace->sums.steps > 0) put_tiles(page, trace);
    put_notes(page, trace);
    mg_sink_put(page, "</header>\n");
}

/* ---- a kind that goes by steps ---------------------------------------------------------------------------------- */

static void put_lead(mg_sink *page, const mg_report_kind *kind) {
    char a[MG_REPORT_TEXT], b[MG_REPORT_TEXT], c[MG_REPORT_TEXT];
    uint32_t least = UINT32_MAX, most = 0;
    for (uint32_t i = 0; i < kind->search_count; i++) {
        uint32_t count = kind->searches[i].count;
        if (count < least) least = count;
        if (count > most) most = count;
    }
    mg_sink_format(page, "<p class=\"lead\">%s %s of ", mg_thousands(a, kind->search_count),
                   mg_report_kind_noun(kind, kind->search_count));
    if (least < most) mg_sink_format(page, "%s to ", mg_thousands(a, least));
    mg_sink_format(page, "%s step%s", mg_thousands(a, most), most == 1 ? "" : "s");
    if (kind->search_sums.has_us && kind->search_count > 1)
        mg_sink_format(page, ". Half of them took between %s and %s, the slowest %s",
                       mg_report_time(a, mg_report_quantile(kind, 0.25)),
                       mg_report_time(b, mg_report_quantile(kind, 0.75)),
                       mg_report_time(c, mg_report_quantile(kind, 1)));
    mg_sink_put(page, ".</p>\n");
}

static void put_kind_tiles(mg_sink *page, const mg_report_kind *kind) {
    char text[MG_REPORT_TEXT];
    const mg_report_sums *s = &kind->search_sums;
    mg_sink_put(page, "<dl class=\"tiles\">\n");
    if (s->has_us) {
        mg_report_put_tile(page, "Fastest", mg_report_time(text, mg_report_quantile(kind, 0)));
        mg_report_put_tile(page, "Median", mg_report_time(text, mg_report_quantile(kind, 0.5)));
        mg_report_put_tile(page, "Slowest", mg_report_time(text, mg_report_quantile(kind, 1)));
        mg_report_put_tile(page, "All together", mg_report_time(text, (double)s->us));
    }
    if (s->has_edges) mg_report_put_tile(page, "Edges looked at", mg_report_si(text, (double)s->edges));
    if (s->edges_us)
        mg_report_put_tile(page, "Edges per second",
                           mg_report_rate(text, s->timed_edges, s->edges_us, MG_REPORT_COUNT));
    if (s->bytes_us)
        mg_report_put_tile(page, "Bytes per second", mg_report_rate(text, s->timed_bytes, s->bytes_us, MG_REPORT_SIZE));
    mg_sink_put(page, "</dl>\n");
}

/* An even choice from the fastest to the slowest, both included. */
static uint32_t choose(uint32_t chosen[MG_REPORT_CHOSEN], const mg_report_kind *kind, uint32_t most) {
    uint32_t all = kind->search_count, count = all < most ? all : most;
    for (uint32_t i = 0; i < count; i++)
        chosen[i] = kind->by_time[count == 1 ? 0 : (uint32_t)((uint64_t)i * (all - 1) / (count - 1))];
    return count;
}

static void put_chooser(mg_sink *page, const mg_report_kind *kind, const uint32_t *chosen, uint32_t count,
                        uint32_t shown) {
    char a[MG_REPORT_TEXT], b[MG_REPORT_TEXT];
    const char *noun = mg_report_kind_noun(kind, 1);
    mg_sink_format(
        page,
        "<div class=\"chooser\" hidden><button type=\"button\" data-go=\"-1\" aria-label=\"Faster %s\">‹</button>"
        "<select aria-label=\"The %s that is shown\">\n",
        noun, noun);
    for (uint32_t i = 0; i < count; i++)
        mg_sink_format(page, "<option value=\"%u\"%s>%s %s%s%s%s</option>\n", chosen[i],
                       chosen[i] == shown ? " selected" : "", noun, mg_thousands(a, chosen[i] + 1),
                       kind->search_sums.has_us ? " · " : "",
                       kind->search_sums.has_us ? mg_report_time(b, (double)kind->searches[chosen[i]].us) : "",
                       i == 0               ? " · fastest"
                       : i == count - 1     ? " · slowest"
                       : chosen[i] == shown ? " · median"
                                            : "");
    mg_sink_format(page,
                   "</select><button type=\"button\" data-go=\"1\" aria-label=\"Slower %s\">›</button></div>\n"
                   "<noscript><p class=\"note\">Without JavaScript only the median %s is shown.</p></noscript>\n",
                   noun, noun);
}

static void put_stepped_kind(mg_sink *page, const mg_report_trace *trace, const mg_report_kind *kind,
                             uint32_t columns) {
    uint32_t chosen[MG_REPORT_CHOSEN];
    uint32_t most = columns / LEAST_COLUMNS < MG_REPORT_CHOSEN ? columns / LEAST_COLUMNS : MG_REPORT_CHOSEN;
    uint32_t count = choose(chosen, kind, most ? most : 1), each = columns / count;
    uint32_t shown = chosen[(count - 1) / 2];
    bool many = kind->search_count > 1;
    mg_sink_put(page, "<section class=\"kind\"><h2>");
    mg_report_put(page, mg_report_kind_title(kind));
    mg_sink_put(page, " <code>");
    mg_report_put(page, kind->name);
    mg_sink_put(page, "</code>");
    mg_report_put_file(page, kind);
    mg_sink_put(page, "</h2>\n");
    put_lead(page, kind);
    if (many) put_kind_tiles(page, kind);
    mg_sink_format(page, "<div class=\"card\"><h3>%ss</h3>\n", mg_report_class_word(kind));
    mg_report_put_ways(page, kind);
    mg_sink_put(page, "</div>\n");
    mg_report_put_parts(page, kind);
    mg_report_put_strategies(page, trace, kind);
    if (many) {
        mg_sink_format(page, "<div class=\"card\"><h3>All %s</h3>\n", mg_report_kind_noun(kind, 2));
        mg_report_put_legend(page, kind);
        mg_report_put_spread(page, trace, kind, chosen, count);
        mg_sink_put(page, "</div>\n");
    }
    mg_sink_format(page, "<div class=\"card\"><h3>%s</h3>\n", many ? "One of them, step by step" : "Step by step");
    if (many) put_chooser(page, kind, chosen, count, shown);
    mg_report_put_legend(page, kind);
    for (uint32_t i = 0; i < count; i++)
        mg_report_put_search(page, trace, kind, chosen[i], each < MG_REPORT_COLUMNS ? each : MG_REPORT_COLUMNS,
                             chosen[i] == shown);
    mg_sink_put(page, "</div></section>\n");
}

/* ---- all of it -------------------------------------------------------------------------------------------------- */

static void put_kinds(mg_sink *page, const mg_report_trace *trace) {
    uint32_t stepped = 0, phased = 0;
    for (int k = 0; k < trace->kind_count; k++) {
        const mg_report_kind *kind = &trace->kinds[k];
        if (kind->stepped) stepped += kind->search_count > 0;
        else phased++;
    }
    for (int k = 0; k < trace->kind_count; k++)
        if (trace->kinds[k].stepped && trace->kinds[k].search_count)
            put_stepped_kind(page, trace, &trace->kinds[k], ALL_COLUMNS / stepped);
    if (phased == 0) return;
    mg_sink_put(page, "<section><h2>Phases</h2>\n<div class=\"cards\">\n");
    for (int k = 0; k < trace->kind_count; k++)
        if (!trace->kinds[k].stepped) mg_report_put_phases(page, trace, &trace->kinds[k]);
    mg_sink_put(page, "</div></section>\n");
}

void mg_report_put_page(mg_sink *page, const mg_report_trace *trace) {
    const char *name = base_name(trace->name);
    bool several = trace->file_count > 0;
    mg_report_open_page(page, several ? (const char *const *)trace->files : &name, several ? trace->file_count : 1,
                        "report");
    put_header(page, trace);
    mg_report_put_map(page, &trace->map);
    if (trace->sums.steps > 0) {
        mg_report_put_summary(page, trace);
        mg_report_put_timeline(page, trace);
        put_kinds(page, trace);
        mg_report_put_all_steps(page, trace);
    }
    mg_report_close_page(page, trace->sums.steps > 0
                                   ? " Times are those of the steps; edges are counted as often as they were looked at."
                                   : "");
}
