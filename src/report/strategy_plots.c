/* Strategies beside each other as figures: what paper P3 shows of its searches, from searches whose traces say their
 * strategy. The mean time of each (figure 7); and for each size of graph, with those of strategy_phases.c, how phases
 * are distributed by changed vertices (5), and the mean time by threshold (8). */
#include "report/strategy.h"

#include <math.h>
#include <string.h>

#define HEAD  MG_STRATEGY_HEAD
#define PANEL MG_STRATEGY_PANEL
#define FOOT  MG_STRATEGY_FOOT
#define SIZES 4 /* of graphs that have figures of their own, at most */
#define MARKS 6 /* shapes on a curve */

bool mg_strategy_is_of(const mg_strategy_group *g, const mg_report_setting *s) {
    return s->kind == (int)(g->kind - g->trace->kinds) && s->vertices == g->vertices;
}

static void find_settings(mg_strategy_group *g) {
    g->count = 0;
    for (int i = 0; i < g->trace->setting_count; i++)
        if (mg_strategy_is_of(g, &g->trace->settings[i])) g->settings[g->count++] = &g->trace->settings[i];
}

/* The sizes, the largest first; returns how many there are. */
static int find_sizes(int64_t sizes[MG_REPORT_SETTINGS], const mg_report_trace *trace, int kind) {
    int count = 0;
    for (int i = 0; i < trace->setting_count; i++) {
        int64_t vertices = trace->settings[i].vertices;
        int at = 0;
        if (trace->settings[i].kind != kind) continue;
        while (at < count && sizes[at] > vertices) at++;
        if (at < count && sizes[at] == vertices) continue;
        memmove(&sizes[at + 1], &sizes[at], (size_t)(count - at) * sizeof *sizes);
        sizes[at] = vertices;
        count++;
    }
    return count;
}

/* ---- what figures are made of ------------------------------------------------------------------------------------ */

void mg_strategy_open(const mg_strategy_group *g, const char *what, const char *class, double height, const char *title,
                      const char *text) {
    char id[96];
    snprintf(id, sizeof id, "k%d-%s-%d", (int)(g->kind - g->trace->kinds), what, g->place);
    mg_sink_put(g->page, "<div class=\"plot\">");
    mg_report_open_svg(g->page, class, height, id, title, text);
}

void mg_strategy_put_axis_name(mg_sink *page, double y, const char *name) {
    mg_sink_format(page, "<text class=\"number soft\" x=\"-8\" y=\"%.1f\" style=\"text-anchor:end\">%s</text>\n", y,
                   name);
}

void mg_strategy_put_curve(mg_sink *page, const mg_report_axis *axis, int paint, const double *x, const double *y,
                           uint32_t count, uint32_t number) {
    char attributes[64];
    snprintf(attributes, sizeof attributes, "class=\"curve c%d\"", paint);
    mg_report_open_lines(page, axis);
    mg_report_put_line(page, axis, x, y, count, attributes);
    mg_sink_put(page, "</svg>");
    uint32_t every = count / MARKS ? count / MARKS : 1;
    for (uint32_t i = number * every / MG_STRATEGY_CURVES; i < count; i += every)
        if (y[i] >= 0)
            mg_sink_format(page, "<use href=\"#s%d\" class=\"p%d\" x=\"%.2f%%\" y=\"%.1f\"/>", paint, paint, x[i] / 10,
                           mg_report_y(axis, y[i]));
    mg_sink_char(page, '\n');
}

static void put_size(mg_sink *page, int64_t vertices) {
    char text[MG_REPORT_TEXT];
    if (vertices < 0) mg_sink_put(page, "a graph of unknown size");
    else mg_sink_format(page, "%s vertices", mg_thousands(text, (uint64_t)vertices));
}

/* ---- figure 5: phases by changed vertices ----------------------------------------------------------------------- */

static void put_log_numbers(mg_sink *page, double decades, double y) {
    char label[MG_REPORT_TEXT];
    for (int d = 0; d <= decades; d++)
        mg_sink_format(page,
                       "<line class=\"grid\" x1=\"%.2f%%\" x2=\"%.2f%%\" y1=\"%d\" y2=\"%d\"/>"
                       "<text class=\"number\" x=\"%.2f%%\" y=\"%.1f\">%s</text>\n",
                       100 * d / decades, 100 * d / decades, HEAD, HEAD + PANEL, 100 * d / decades, y,
                       mg_report_tick(label, MG_REPORT_COUNT, pow(10, d), pow(10, d)));
}

/* Below which number each share of the phases is: how they are distributed. */
static void put_distribution(const mg_strategy_group *g) {
    char a[MG_REPORT_TEXT], b[MG_REPORT_TEXT];
    double x[MG_REPORT_BINS + 1], y[MG_REPORT_BINS + 1];
    uint64_t most = 10;
    for (int i = 0; i < g->count; i++) most = MG_MAX(most, g->settings[i]->most);
    const double decades = log10((double)most) + 0.1;
    const int bins = (int)MG_MIN(decades * MG_REPORT_DECADE + 1, (double)MG_REPORT_BINS);
    mg_report_axis axis = {.unit = MG_REPORT_PERCENT, .most = 100, .top = HEAD, .height = PANEL};
    mg_sink_put(g->page, "<div>");
    mg_strategy_open(g, "distribution", "small", HEAD + PANEL + FOOT, "Phases with fewer changed vertices",
                     "For each number of vertices, the share of the phases in which fewer had changed.");
    mg_report_put_axis(g->page, &axis, "Phases with fewer changed vertices");
    put_log_numbers(g->page, decades, HEAD + PANEL + 16);
    mg_strategy_put_axis_name(g->page, HEAD + PANEL + 16, "vertices");
    for (int i = 0; i < g->count; i++) {
        const mg_report_setting *s = g->settings[i];
        uint64_t sum = 0;
        if (mg_report_is_swept(g->trace, s) || !s->phases) continue;
        for (int bin = 0; bin < bins; bin++) {
            sum += s->bins[bin];
            x[bin] = 1000 * (double)bin / MG_REPORT_DECADE / decades;
            y[bin] = 100 * (double)sum / (double)s->phases;
        }
        mg_strategy_put_curve(g->page, &axis, s->paint, x, y, (uint32_t)bins, (uint32_t)i);
    }
    mg_sink_put(g->page, "</svg></div>\n");
    const mg_report_setting *first = g->settings[0];
    int decade = (int)log10((double)MG_MAX(first->most, 1)) - 1;
    if (decade >= 1 && first->phases)
        mg_sink_format(g->page, "<p class=\"note\">In %s of the phases fewer than %s vertices had changed; ",
                       mg_report_percent(a, (double)mg_report_setting_below(first, decade), (double)first->phases),
                       mg_thousands(b, (uint64_t)pow(10, decade)));
    else mg_sink_put(g->page, "<p class=\"note\">");
    mg_sink_format(g->page, "the most were %s (", mg_thousands(a, first->most));
    mg_report_put(g->page, first->strategy);
    mg_sink_format(g->page, ", %s phases of %s searches).</p></div>\n", mg_thousands(a, first->phases),
                   mg_thousands(b, first->searches));
}

/* ---- figure 7: mean times --------------------------------------------------------------------------------------- */

static void put_mean_bar(const mg_strategy_group *g, const mg_report_axis *axis, const mg_report_setting *s, double x,
                         double width) {
    char text[MG_REPORT_TEXT];
    double mean = mg_report_setting_mean(s), y = mg_report_y(axis, mean);
    mg_sink_format(g->page, "<rect class=\"bar p%d\" x=\"%.2f%%\" y=\"%.1f\" width=\"%.2f%%\" height=\"%.1f\"/>",
                   s->paint, x + width * 0.12, y, width * 0.76, mg_report_height(axis, mean));
    mg_sink_format(g->page, "<text class=\"value\" x=\"%.2f%%\" y=\"%.1f\">%s</text>", x + width / 2, y - 5,
                   mg_report_time(text, mean));
    mg_sink_format(g->page, "<rect class=\"hit\" x=\"%.2f%%\" y=\"0\" width=\"%.2f%%\" height=\"%d\"><title>", x, width,
                   HEAD + PANEL);
    mg_report_put(g->page, s->strategy);
    mg_sink_format(g->page, "\nMean time\t%s", mg_report_time(text, mean));
    mg_sink_format(g->page, "\nSearches\t%s</title></rect>\n", mg_thousands(text, s->searches));
}

/* Points of a sweep have a figure of their own. */
static int count_bars(const mg_strategy_group *g) {
    int bars = 0;
    for (int i = 0; i < g->count; i++) bars += !mg_report_is_swept(g->trace, g->settings[i]);
    return bars;
}

/* What is drawn for one size, from a place on; returns the place after it. */
static int put_means_of(const mg_strategy_group *g, const mg_report_axis *axis, int at, int places) {
    int bars = count_bars(g);
    if (!bars) return at;
    mg_sink_format(g->page, "<text class=\"number\" x=\"%.2f%%\" y=\"%d\">", 100 * (at + bars / 2.0) / places,
                   HEAD + PANEL + 16);
    put_size(g->page, g->vertices);
    mg_sink_put(g->page, "</text>\n");
    for (int i = 0; i < g->count; i++)
        if (!mg_report_is_swept(g->trace, g->settings[i]))
            put_mean_bar(g, axis, g->settings[i], 100.0 * at++ / places, 100.0 / places);
    return at + 1; /* one is left free between sizes */
}

static void put_means(mg_strategy_group *g, const int64_t *sizes, int size_count) {
    mg_report_axis axis = {.unit = MG_REPORT_TIME, .most = 1, .top = HEAD, .height = PANEL};
    int places = -1;
    for (int size = 0; size < size_count; size++) {
        g->vertices = sizes[size];
        find_settings(g);
        int bars = count_bars(g);
        if (bars) places += bars + 1;
        for (int i = 0; i < g->count; i++) axis.most = fmax(axis.most, mg_report_setting_mean(g->settings[i]));
    }
    if (places < 1) return;
    mg_strategy_open(g, "means", "wide", HEAD + PANEL + FOOT, "Mean time of a search",
                     "A bar for each strategy, for each size of graph.");
    mg_report_put_axis(g->page, &axis, "Mean time of a search");
    for (int size = size_count, at = 0; size-- > 0;) { /* small ones first */
        g->vertices = sizes[size];
        find_settings(g);
        at = put_means_of(g, &axis, at, places);
    }
    mg_sink_put(g->page, "</svg></div>\n");
}

/* ---- figure 8: mean time by threshold --------------------------------------------------------------------------- */

typedef struct sweep {
    const mg_report_setting *point[MG_REPORT_SETTINGS]; /* by threshold */
    int count;
    double low, high; /* logarithms of the axis */
} sweep;

static double place_of(const sweep *w, double us) { return 100 * (log10(us) - w->low) / (w->high - w->low); }

static bool has_place(const mg_report_setting *s) { return (s->given || s->measured) && s->above > 0; }

static void find_sweep(sweep *w, const mg_strategy_group *g) {
    *w = (sweep){.low = 1e9, .high = -1e9};
    for (int i = 0; i < g->count; i++) {
        const mg_report_setting *s = g->settings[i];
        if (!has_place(s)) continue;
        w->low = fmin(w->low, log10((double)s->above) - 0.15);
        w->high = fmax(w->high, log10((double)s->above) + 0.15);
        if (!mg_report_is_swept(g->trace, s)) continue;
        int at = w->count++;
        for (; at > 0 && w->point[at - 1]->above > s->above; at--) w->point[at] = w->point[at - 1];
        w->point[at] = s;
    }
}

static void put_threshold_numbers(mg_sink *page, const sweep *w) {
    static const int steps[] = {1, 2, 5};
    char label[MG_REPORT_TEXT];
    bool few = w->high - w->low < 3;
    for (int d = (int)floor(w->low); d <= (int)w->high; d++)
        for (int i = 0; i < (few ? 3 : 1); i++) {
            double us = steps[i] * pow(10, d), x = place_of(w, us);
            if (us < 1 || x < 0 || x > 100) continue;
            mg_sink_format(page,
                           "<line class=\"grid\" x1=\"%.2f%%\" x2=\"%.2f%%\" y1=\"%d\" y2=\"%d\"/>"
                           "<text class=\"number\" x=\"%.2f%%\" y=\"%d\">%s</text>\n",
                           x, x, HEAD, HEAD + PANEL, x, HEAD + PANEL + 16,
                           mg_report_tick(label, MG_REPORT_TIME, us, us));
        }
}

static void put_point(const mg_strategy_group *g, const mg_report_axis *axis, const sweep *w,
                      const mg_report_setting *s) {
    char text[MG_REPORT_TEXT];
    double x = place_of(w, (double)s->above), mean = mg_report_setting_mean(s), y = mg_report_y(axis, mean);
    mg_sink_format(g->page, "<use href=\"#s%d\" class=\"p%d\" x=\"%.2f%%\" y=\"%.1f\"/>", s->paint, s->paint, x, y);
    if (s->measured) mg_sink_format(g->page, "<text class=\"word\" x=\"%.2f%%\" y=\"%.1f\">measured</text>", x, y + 20);
    mg_sink_format(g->page, "<rect class=\"hit\" x=\"%.2f%%\" y=\"0\" width=\"2%%\" height=\"%d\"><title>", x - 1,
                   HEAD + PANEL);
    mg_report_put(g->page, s->strategy);
    mg_sink_format(g->page, ", %s threshold\nUp\t%s", s->measured ? "measured" : "given",
                   mg_report_time(text, (double)s->above));
    if (s->below >= 0) mg_sink_format(g->page, "\nDown\t%s", mg_report_time(text, (double)s->below));
    mg_sink_format(g->page, "\nMean time\t%s", mg_report_time(text, mean));
    mg_sink_format(g->page, "\nSearches\t%s</title></rect>\n", mg_thousands(text, s->searches));
}

static void put_sweep(const mg_strategy_group *g) {
    sweep w;
    double x[MG_REPORT_SETTINGS], y[MG_REPORT_SETTINGS];
    mg_report_axis axis = {.unit = MG_REPORT_TIME, .most = 1, .top = HEAD, .height = PANEL};
    find_sweep(&w, g);
    if (w.count < 2) return;
    for (int i = 0; i < g->count; i++) axis.most = fmax(axis.most, mg_report_setting_mean(g->settings[i]));
    for (int i = 0; i < w.count; i++) {
        x[i] = 10 * place_of(&w, (double)w.point[i]->above);
        y[i] = mg_report_setting_mean(w.point[i]);
    }
    mg_sink_put(g->page, "<div class=\"apart\">");
    mg_strategy_open(g, "sweep", "wide", HEAD + PANEL + FOOT, "Mean time of a search, by threshold",
                     "A point for each threshold; a dashed line for each strategy without.");
    mg_report_put_axis(g->page, &axis, "Mean time of a search, by the threshold upwards");
    put_threshold_numbers(g->page, &w);
    mg_strategy_put_axis_name(g->page, HEAD + PANEL + 16, "threshold");
    for (int i = 0; i < g->count; i++) {
        const mg_report_setting *s = g->settings[i];
        double level = mg_report_y(&axis, mg_report_setting_mean(s));
        if (s->given || s->measured) continue;
        mg_sink_format(g->page, "<line class=\"rule c%d\" x2=\"100%%\" y1=\"%.1f\" y2=\"%.1f\"/>", s->paint, level,
                       level);
        mg_sink_format(g->page, "<use href=\"#s%d\" class=\"p%d\" x=\"100%%\" y=\"%.1f\"/>\n", s->paint, s->paint,
                       level);
    }
    mg_report_open_lines(g->page, &axis);
    char attributes[64];
    snprintf(attributes, sizeof attributes, "class=\"curve c%d\"", w.point[0]->paint);
    mg_report_put_line(g->page, &axis, x, y, (uint32_t)w.count, attributes);
    mg_sink_put(g->page, "</svg>\n");
    for (int i = 0; i < g->count; i++)
        if (has_place(g->settings[i])) put_point(g, &axis, &w, g->settings[i]);
    mg_sink_put(g->page, "</svg></div></div>\n");
}

/* ---- the table -------------------------------------------------------------------------------------------------- */

static void put_threshold(mg_sink *page, const mg_report_setting *s) {
    char text[MG_REPORT_TEXT];
    mg_sink_put(page, "<td data-l=\"thresholds\">");
    if (!s->given && !s->measured) mg_sink_put(page, "–");
    else {
        mg_sink_put(page, s->above < 0 ? "never" : mg_report_time(text, (double)s->above));
        mg_sink_format(page, ", %s", s->below < 0 ? "always" : mg_report_time(text, (double)s->below));
        if (s->measured) mg_sink_put(page, " <span class=\"soft\">measured</span>");
    }
    mg_sink_put(page, "</td>");
}

static void put_rows(const mg_strategy_group *g) {
    char text[MG_REPORT_TEXT];
    for (int i = 0; i < g->count; i++) {
        const mg_report_setting *s = g->settings[i];
        mg_sink_put(g->page, "<tr><th scope=\"row\">");
        mg_report_put_swatch(g->page, s->paint);
        mg_report_put(g->page, s->strategy);
        mg_sink_put(g->page, "</th><td data-l=\"vertices\">");
        mg_sink_put(g->page, s->vertices < 0 ? "–" : mg_thousands(text, (uint64_t)s->vertices));
        mg_sink_put(g->page, "</td>");
        put_threshold(g->page, s);
        mg_sink_format(g->page, "<td data-l=\"searches\">%s</td>", mg_thousands(text, s->searches));
        mg_sink_format(g->page, "<td data-l=\"phases\">%s</td>",
                       mg_report_si(text, round((double)s->phases / (double)s->times)));
        mg_sink_format(g->page, "<td data-l=\"mean time\">%s</td>", mg_report_time(text, mg_report_setting_mean(s)));
        double mean = mg_report_setting_mean(s), first = mg_report_setting_mean(g->settings[0]);
        if (mean > 0) mg_sink_format(g->page, "<td data-l=\"speed\">%.2f×</td></tr>\n", first / mean);
        else mg_sink_put(g->page, "<td data-l=\"speed\">–</td></tr>\n");
    }
}

static void put_table(mg_strategy_group *g, const int64_t *sizes, int size_count) {
    mg_sink_put(g->page,
                "<table class=\"ways\"><thead><tr><th scope=\"col\">Strategy</th><th scope=\"col\">Vertices</th>"
                "<th scope=\"col\">Thresholds</th><th scope=\"col\">Searches</th><th scope=\"col\">Phases</th>"
                "<th scope=\"col\">Mean time</th><th scope=\"col\">Speed</th></tr></thead>\n<tbody>\n");
    for (int size = size_count; size-- > 0;) {
        g->vertices = sizes[size];
        find_settings(g);
        put_rows(g);
    }
    mg_sink_put(g->page, "</tbody></table>\n<p class=\"note\">Phases of a search and its time in phases, in the mean; "
                         "speed beside the first strategy on a graph of that size.");
    if (g->trace->unsettled) {
        char text[MG_REPORT_TEXT];
        mg_sink_format(g->page, " %s searches with further strategies or thresholds are left out.",
                       mg_thousands(text, g->trace->unsettled));
    }
    mg_sink_put(g->page, "</p>\n");
}

static void put_strategy_legend(const mg_strategy_group *g) {
    bool told[MG_REPORT_NO_PAINT + 1] = {0};
    mg_sink_put(g->page, "<ul class=\"legend\">");
    for (int i = 0; i < g->trace->setting_count; i++) {
        const mg_report_setting *s = &g->trace->settings[i];
        if (s->kind != (int)(g->kind - g->trace->kinds) || told[s->paint]) continue;
        told[s->paint] = true;
        mg_sink_put(g->page, "<li>");
        mg_report_put_swatch(g->page, s->paint);
        mg_report_put(g->page, s->paint == MG_REPORT_NO_PAINT ? "others" : s->strategy);
        mg_sink_put(g->page, "</li>");
    }
    mg_sink_put(g->page, "</ul>\n");
}

void mg_report_put_strategies(mg_sink *page, const mg_report_trace *trace, const mg_report_kind *kind) {
    int64_t sizes[MG_REPORT_SETTINGS];
    const int place = (int)(kind - trace->kinds), count = find_sizes(sizes, trace, place);
    uint64_t times = 0;
    mg_strategy_group g = {.page = page, .trace = trace, .kind = kind};
    for (int i = 0; i < trace->setting_count; i++)
        if (trace->settings[i].kind == place) times += trace->settings[i].times;
    if (times < 2) return; /* nothing to compare */
    mg_sink_put(page, "<div class=\"card\"><h3>Strategies</h3>\n");
    put_table(&g, sizes, count);
    put_strategy_legend(&g);
    put_means(&g, sizes, count);
    mg_sink_put(page, "</div>\n");
    for (g.place = 0; g.place < count && g.place < SIZES; g.place++) {
        g.vertices = sizes[g.place];
        find_settings(&g);
        mg_sink_put(page, "<div class=\"card\"><h3>Phases and thresholds, ");
        put_size(page, g.vertices);
        mg_sink_put(page, "</h3>\n");
        mg_strategy_put_phase_times(&g);
        mg_sink_put(page, "<div class=\"grid apart\">\n");
        mg_strategy_put_changed(&g);
        put_distribution(&g);
        mg_sink_put(page, "</div>\n");
        put_sweep(&g);
        mg_sink_put(page, "</div>\n");
    }
}
