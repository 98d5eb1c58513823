/* The page: one HTML file that needs nothing else. Style and script (report.css, report.js) are built into the command.
 *
 * Its size has a limit whatever the trace: plots have so many columns at most over all, tables so many rows, and the
 * page says where it leaves something out. */
#include "report/report.h"

#include <string.h>

#define ALL_COLUMNS   6000 /* of the plots of searches, over the whole page */
#define LEAST_COLUMNS 24   /* of one of them */

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

static void put_head(FILE *page, const report_trace *trace) {
    fputs("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta name=\"color-scheme\" content=\"light dark\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
          "script-src 'unsafe-inline'; img-src data:\">\n<link rel=\"icon\" href=\"data:,\">\n<title>",
          page);
    report_put(page, base_name(trace->name));
    fprintf(
        page,
        " – meguri report</title>\n<meta name=\"generator\" content=\"meguri %s\">\n<style>\n%s%s%s</style>\n</head>\n",
        meguri_version(), report_colors_css, report_css, report_map_css);
}

static void put_tile(FILE *page, const char *name, const char *value) {
    fprintf(page, "<div><dt>%s</dt><dd>%s</dd></div>\n", name, value);
}

/* ---- the head of the page --------------------------------------------------------------------------------------- */

static void put_tiles(FILE *page, const report_trace *trace) {
    char text[REPORT_TEXT];
    const report_sums *s = &trace->sums;
    uint64_t runs = 0;
    fputs("<dl class=\"tiles\">\n", page);
    if (trace->last_at >= 0)
        put_tile(page, "Trace lasts", report_time(text, (double)(trace->last_at - trace->first_at)));
    if (s->has_us) put_tile(page, "Time in steps", report_time(text, (double)s->us));
    for (int k = 0; k < trace->kind_count; k++) runs += trace->kinds[k].times;
    put_tile(page, "Runs", report_count(text, runs));
    put_tile(page, "Steps", report_count(text, s->steps));
    if (trace->kind_count == 1 && s->has_edges) /* edges read and edges searched do not add up */
        put_tile(page, "Edges looked at", report_si(text, (double)s->edges));
    if (trace->kind_count == 1 && s->edges_us)
        put_tile(page, "Edges per second", report_rate(text, s->timed_edges, s->edges_us, REPORT_COUNT));
    if (s->has_bytes) put_tile(page, "Bytes moved", report_bytes(text, (double)s->bytes));
    fputs("</dl>\n", page);
}

static void put_notes(FILE *page, const report_trace *trace) {
    char a[REPORT_TEXT], b[REPORT_TEXT];
    if (trace->cut_off)
        fputs("<p class=\"note\">The last line of the trace is cut off, as if its program had been stopped; this page "
              "shows "
              "the steps before it.</p>\n",
              page);
    if (trace->step_count < trace->sums.steps)
        fprintf(page, "<p class=\"note\">The plots show the first %s of %s steps; sums are over all.</p>\n",
                report_count(a, trace->step_count), report_count(b, trace->sums.steps));
}

static void put_all_threads(FILE *page, const report_trace *trace) {
    report_kind all = {.least_threads = -1, .most_threads = -1};
    for (int k = 0; k < trace->kind_count; k++) {
        const report_kind *kind = &trace->kinds[k];
        if (kind->least_threads < 0) continue;
        if (all.least_threads < 0 || kind->least_threads < all.least_threads) all.least_threads = kind->least_threads;
        if (kind->most_threads > all.most_threads) all.most_threads = kind->most_threads;
    }
    if (all.least_threads < 0) return;
    fputs(" · ", page);
    report_put_threads(page, &all);
    fputs(all.most_threads == 1 ? " thread" : " threads", page);
}

static void put_header(FILE *page, const report_trace *trace) {
    uint32_t engines = 0;
    const char *join = "";
    fputs("<header><p class=\"mark\">meguri report</p>\n<h1>", page);
    report_put(page, base_name(trace->name));
    fputs("</h1>\n<p class=\"lead\">", page);
    for (int k = 0; k < trace->kind_count; k++) {
        char text[REPORT_TEXT];
        const report_kind *kind = &trace->kinds[k];
        fputs(join, page);
        report_put(page, kind->name);
        if (kind->times > 1) fprintf(page, "&nbsp;%s×", report_count(text, kind->times));
        engines |= kind->engines;
        join = ", ";
    }
    if (engines) {
        fputs(" · on ", page);
        report_put_engines(page, trace, engines);
    }
    put_all_threads(page, trace);
    fputs("</p>\n", page);
    if (trace->sums.steps > 0) put_tiles(page, trace);
    put_notes(page, trace);
    fputs("</header>\n", page);
}

/* ---- a kind that goes by steps ---------------------------------------------------------------------------------- */

static void put_lead(FILE *page, const report_kind *kind) {
    char a[REPORT_TEXT], b[REPORT_TEXT], c[REPORT_TEXT];
    uint32_t least = UINT32_MAX, most = 0;
    for (uint32_t i = 0; i < kind->search_count; i++) {
        uint32_t count = kind->searches[i].count;
        if (count < least) least = count;
        if (count > most) most = count;
    }
    fprintf(page, "<p class=\"lead\">%s %s of ", report_count(a, kind->search_count),
            report_kind_noun(kind, kind->search_count));
    if (least < most) fprintf(page, "%s to ", report_count(a, least));
    fprintf(page, "%s step%s", report_count(a, most), most == 1 ? "" : "s");
    if (kind->search_sums.has_us && kind->search_count > 1)
        fprintf(page, ". Half of them took between %s and %s, the slowest %s",
                report_time(a, report_quantile(kind, 0.25)), report_time(b, report_quantile(kind, 0.75)),
                report_time(c, report_quantile(kind, 1)));
    fputs(".</p>\n", page);
}

static void put_kind_tiles(FILE *page, const report_kind *kind) {
    char text[REPORT_TEXT];
    const report_sums *s = &kind->search_sums;
    fputs("<dl class=\"tiles\">\n", page);
    if (s->has_us) {
        put_tile(page, "Fastest", report_time(text, report_quantile(kind, 0)));
        put_tile(page, "Median", report_time(text, report_quantile(kind, 0.5)));
        put_tile(page, "Slowest", report_time(text, report_quantile(kind, 1)));
        put_tile(page, "All together", report_time(text, (double)s->us));
    }
    if (s->has_edges) put_tile(page, "Edges looked at", report_si(text, (double)s->edges));
    if (s->edges_us) put_tile(page, "Edges per second", report_rate(text, s->timed_edges, s->edges_us, REPORT_COUNT));
    if (s->bytes_us) put_tile(page, "Bytes per second", report_rate(text, s->timed_bytes, s->bytes_us, REPORT_SIZE));
    fputs("</dl>\n", page);
}

/* An even choice from the fastest to the slowest, both included. */
static uint32_t choose(uint32_t chosen[REPORT_CHOSEN], const report_kind *kind, uint32_t most) {
    uint32_t all = kind->search_count, count = all < most ? all : most;
    for (uint32_t i = 0; i < count; i++)
        chosen[i] = kind->by_time[count == 1 ? 0 : (uint32_t)((uint64_t)i * (all - 1) / (count - 1))];
    return count;
}

static void put_chooser(FILE *page, const report_kind *kind, const uint32_t *chosen, uint32_t count, uint32_t shown) {
    char a[REPORT_TEXT], b[REPORT_TEXT];
    const char *noun = report_kind_noun(kind, 1);
    fprintf(page,
            "<div class=\"chooser\" hidden><button type=\"button\" data-go=\"-1\" aria-label=\"Faster %s\">‹</button>"
            "<select aria-label=\"The %s that is shown\">\n",
            noun, noun);
    for (uint32_t i = 0; i < count; i++)
        fprintf(page, "<option value=\"%u\"%s>%s %s%s%s%s</option>\n", chosen[i], chosen[i] == shown ? " selected" : "",
                noun, report_count(a, chosen[i] + 1), kind->search_sums.has_us ? " · " : "",
                kind->search_sums.has_us ? report_time(b, (double)kind->searches[chosen[i]].us) : "",
                i == 0               ? " · fastest"
                : i == count - 1     ? " · slowest"
                : chosen[i] == shown ? " · median"
                                     : "");
    fprintf(page,
            "</select><button type=\"button\" data-go=\"1\" aria-label=\"Slower %s\">›</button></div>\n"
            "<noscript><p class=\"note\">Without JavaScript only the median %s is shown.</p></noscript>\n",
            noun, noun);
}

static void put_stepped_kind(FILE *page, const report_trace *trace, const report_kind *kind, uint32_t columns) {
    uint32_t chosen[REPORT_CHOSEN];
    uint32_t most = columns / LEAST_COLUMNS < REPORT_CHOSEN ? columns / LEAST_COLUMNS : REPORT_CHOSEN;
    uint32_t count = choose(chosen, kind, most ? most : 1), each = columns / count;
    uint32_t shown = chosen[(count - 1) / 2];
    bool many = kind->search_count > 1;
    fputs("<section class=\"kind\"><h2>", page);
    report_put(page, report_kind_title(kind));
    fputs(" <code>", page);
    report_put(page, kind->name);
    fputs("</code></h2>\n", page);
    put_lead(page, kind);
    if (many) put_kind_tiles(page, kind);
    fprintf(page, "<div class=\"card\"><h3>%ss</h3>\n", report_class_word(kind));
    report_put_ways(page, kind);
    fputs("</div>\n", page);
    if (many) {
        fprintf(page, "<div class=\"card\"><h3>All %s</h3>\n", report_kind_noun(kind, 2));
        report_put_legend(page, kind);
        report_put_spread(page, trace, kind, chosen, count);
        fputs("</div>\n", page);
    }
    fprintf(page, "<div class=\"card\"><h3>%s</h3>\n", many ? "One of them, step by step" : "Step by step");
    if (many) put_chooser(page, kind, chosen, count, shown);
    report_put_legend(page, kind);
    for (uint32_t i = 0; i < count; i++)
        report_put_search(page, trace, kind, chosen[i], each < REPORT_COLUMNS ? each : REPORT_COLUMNS,
                          chosen[i] == shown);
    fputs("</div></section>\n", page);
}

/* ---- all of it -------------------------------------------------------------------------------------------------- */

static void put_kinds(FILE *page, const report_trace *trace) {
    uint32_t stepped = 0, phased = 0;
    for (int k = 0; k < trace->kind_count; k++) {
        const report_kind *kind = &trace->kinds[k];
        if (kind->stepped) stepped += kind->search_count > 0;
        else phased++;
    }
    for (int k = 0; k < trace->kind_count; k++)
        if (trace->kinds[k].stepped && trace->kinds[k].search_count)
            put_stepped_kind(page, trace, &trace->kinds[k], ALL_COLUMNS / stepped);
    if (phased == 0) return;
    fputs("<section><h2>Phases</h2>\n<div class=\"cards\">\n", page);
    for (int k = 0; k < trace->kind_count; k++)
        if (!trace->kinds[k].stepped) report_put_phases(page, trace, &trace->kinds[k]);
    fputs("</div></section>\n", page);
}

void report_put_page(FILE *page, const report_trace *trace) {
    put_head(page, trace);
    fputs("<body>\n", page);
    report_put_shapes(page);
    fputs("<main>\n", page);
    put_header(page, trace);
    report_put_map(page, &trace->map);
    if (trace->sums.steps > 0) {
        report_put_summary(page, trace);
        report_put_timeline(page, trace);
        put_kinds(page, trace);
        report_put_all_steps(page, trace);
    }
    fprintf(page,
            "</main>\n<footer>Made by meguri %s.%s</footer>\n<div id=\"tip\" role=\"status\" "
            "hidden></div>\n<script>\n%s</script>\n</body>\n</html>\n",
            meguri_version(),
            trace->sums.steps > 0 ? " Times are those of the steps; edges are counted as often as they were looked at."
                                  : "",
            report_js);
}
