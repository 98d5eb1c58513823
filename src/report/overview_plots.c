/* The plots of an overview: degrees on logarithmic axes, sizes of groups in powers of two, bars of one width. */
#include "report/overview_page.h"

#include <math.h>
#include <string.h>

#define HEAD    40 /* pixels: above the panel, for its title */
#define PANEL   190
#define FOOT    24
#define OCTAVES 64
#define MARGIN  1.5 /* percent left and right of the points */

static void open_plot(mg_sink *page, const char *id, const char *title, const char *text) {
    mg_sink_put(page, "<div class=\"plot\">");
    mg_report_open_svg(page, "chart", HEAD + PANEL + FOOT, id, title, text);
}

static void put_below(mg_sink *page, double x, const char *text) {
    mg_sink_format(page, "<text class=\"number\" x=\"%.2f%%\" y=\"%d\">%s</text>", x, HEAD + PANEL + 16, text);
}

/* Labels of at most three digits that count; no more than six of `columns` have one. */
static void put_label(mg_sink *page, uint32_t column, uint32_t columns, double value) {
    char text[MG_REPORT_TEXT];
    double size = fabs(value);
    if (column % ((columns + 5) / 6) != 0) return;
    if (size < 999.5) snprintf(text, sizeof text, "%.3g", value);
    else {
        text[0] = '-';
        mg_report_si(text + (value < 0), size);
    }
    put_below(page, (column + 0.5) * 100 / columns, text);
}

static void open_hit(mg_sink *page, double x, double width) {
    mg_sink_format(page, "<rect class=\"hit\" x=\"%.2f%%\" y=\"0\" width=\"%.2f%%\" height=\"%d\"><title>", x, width,
                   HEAD + PANEL + FOOT);
}

static const char *range_text(char text[3 * MG_REPORT_TEXT], double from, double to) {
    char a[MG_REPORT_TEXT], b[MG_REPORT_TEXT];
    if (from == to) return strcpy(text, mg_overview_number(a, from));
    snprintf(text, 3 * MG_REPORT_TEXT, "%s to %s", mg_overview_number(a, from), mg_overview_number(b, to));
    return text;
}

/* ---- degrees ---------------------------------------------------------------------------------------------------- */

/* How many vertices have at least the degree that each bin begins with. */
typedef struct curve {
    const meguri_overview_numbers *numbers;
    const char *name;
    int paint;
} curve;

typedef struct degree_plot {
    mg_sink *page;
    curve curves[2];
    int count;
    double most; /* degree, on the axis */
    mg_report_axis axis;
} degree_plot;

static double place_of(const degree_plot *d, double degree) {
    return MARGIN + (100 - 2 * MARGIN) * log10(degree) / log10(d->most);
}

static uint64_t at_least(const meguri_overview_numbers *n, double degree) {
    uint64_t count = 0;
    for (uint32_t b = n->bin_count; b-- > 0 && n->bins[b].from >= degree;) count += n->bins[b].count;
    return count;
}

static uint64_t between(const meguri_overview_numbers *n, double from, double to) {
    return at_least(n, from) - at_least(n, to);
}

static void put_curve(const degree_plot *d, const curve *c) {
    const meguri_overview_numbers *n = c->numbers;
    mg_report_open_lines(d->page, &d->axis);
    mg_sink_format(d->page, "<polyline class=\"curve c%d\" points=\"", c->paint);
    for (uint32_t b = 0; b < n->bin_count; b++)
        if (n->bins[b].from >= 1)
            mg_sink_format(d->page, "%.1f,%.1f ", 10 * place_of(d, n->bins[b].from),
                           mg_report_y(&d->axis, (double)at_least(n, n->bins[b].from)) - d->axis.top);
    mg_sink_put(d->page, "\"/></svg>\n");
    for (uint32_t b = 0; b < n->bin_count; b++)
        if (n->bins[b].from >= 1)
            mg_sink_format(d->page, "<circle class=\"p%d\" cx=\"%.2f%%\" cy=\"%.1f\" r=\"2.4\"/>", c->paint,
                           place_of(d, n->bins[b].from), mg_report_y(&d->axis, (double)at_least(n, n->bins[b].from)));
    mg_sink_char(d->page, '\n');
}

static void put_degree_ticks(const degree_plot *d) {
    char text[MG_REPORT_TEXT];
    bool small = d->most < 10;
    for (double tick = 1; tick <= d->most; tick = small ? tick + 1 : 10 * tick)
        put_below(d->page, place_of(d, tick), mg_report_tick(text, MG_REPORT_COUNT, tick, tick));
    mg_sink_char(d->page, '\n');
}

static void put_degree_hits(const degree_plot *d) {
    char text[3 * MG_REPORT_TEXT];
    for (double from = 1; from <= d->most; from *= 2) {
        double x = place_of(d, from), end = fmin(place_of(d, 2 * from), 100);
        bool any = false;
        for (int c = 0; c < d->count; c++) any = any || at_least(d->curves[c].numbers, from);
        if (!any || end <= x) continue;
        open_hit(d->page, x, end - x);
        mg_sink_format(d->page, "Degree %s", range_text(text, from, 2 * from - 1));
        for (int c = 0; c < d->count; c++) {
            const curve *k = &d->curves[c];
            mg_sink_format(d->page, "\n%s\t%s", k->name, mg_thousands(text, between(k->numbers, from, 2 * from)));
            mg_sink_format(d->page, "\n… at least %.0f\t%s", from, mg_thousands(text, at_least(k->numbers, from)));
        }
        mg_sink_put(d->page, "</title></rect>\n");
    }
}

static void put_degree_legend(const degree_plot *d) {
    if (d->count < 2) return;
    mg_sink_put(d->page, "<ul class=\"legend\">");
    for (int c = 0; c < d->count; c++)
        mg_sink_format(d->page,
                       "<li><svg class=\"swatch\" width=\"22\" height=\"14\" aria-hidden=\"true\"><line class=\"curve "
                       "c%d\" x1=\"2\" x2=\"20\" y1=\"7\" y2=\"7\"/><circle class=\"p%d\" cx=\"11\" cy=\"7\" "
                       "r=\"3\"/></svg>%s</li>",
                       d->curves[c].paint, d->curves[c].paint, d->curves[c].name);
    mg_sink_put(d->page, "</ul>\n");
}

void mg_overview_put_degrees(const mg_overview_page *p) {
    const meguri_overview_info *i = p->info;
    degree_plot d = {.page = p->sink, .count = 1, .most = fmax(i->degrees.numbers.most, i->in_degrees.numbers.most)};
    if (d.most < 2) return;
    d.curves[0] = (curve){&i->degrees.numbers, p->two_degrees ? "Out-degree" : "Vertices", 0};
    if (p->two_degrees) d.curves[d.count++] = (curve){&i->in_degrees.numbers, "In-degree", 1};
    d.axis = (mg_report_axis){.log = true, .most = (double)p->facts.vertices, .top = HEAD, .height = PANEL};
    put_degree_legend(&d);
    open_plot(p->sink, "degrees", "Vertices with at least this degree",
              "The number of vertices whose degree is at least that on the axis below; both axes are logarithmic.");
    mg_report_put_axis(p->sink, &d.axis, "Vertices with at least this degree");
    put_degree_ticks(&d);
    for (int c = d.count; c-- > 0;) put_curve(&d, &d.curves[c]);
    put_degree_hits(&d);
    mg_sink_put(p->sink, "</svg></div>\n");
}

/* ---- bars ------------------------------------------------------------------------------------------------------- */

/* A bar and what is told about it. */
static void put_bar(const mg_overview_page *p, const mg_report_axis *axis, double x, double width, uint64_t count) {
    double height = mg_report_height(axis, (double)count);
    if (!count) return;
    mg_sink_format(p->sink, "<rect class=\"bar p0\" x=\"%.2f%%\" y=\"%.1f\" width=\"%.2f%%\" height=\"%.1f\"/>",
                   x + 0.1 * width, axis->top + axis->height - height, 0.8 * width, height);
}

void mg_overview_put_sizes(const mg_overview_page *p, const meguri_overview_numbers *sizes, const char *id,
                           const char *title, const char *noun) {
    uint64_t sums[OCTAVES] = {0}, most = 0;
    char text[3 * MG_REPORT_TEXT];
    int last = 0;
    if (sizes->count < 2) return;
    for (uint32_t b = 0; b < sizes->bin_count; b++) {
        int octave = ilogb(fmax(sizes->bins[b].from, 1));
        sums[octave] += sizes->bins[b].count;
        most = MG_MAX(most, sums[octave]);
        last = octave;
    }
    const mg_report_axis axis = {.log = true, .most = (double)most, .top = HEAD, .height = PANEL};
    double width = 100.0 / (last + 1);
    open_plot(p->sink, id, title, "A bar for each power of two of the size; the axis is logarithmic.");
    mg_report_put_axis(p->sink, &axis, title);
    for (int k = 0; k <= last; k++) {
        put_bar(p, &axis, k * width, width, sums[k]);
        put_label(p->sink, (uint32_t)k, (uint32_t)last + 1, ldexp(1, k));
        open_hit(p->sink, k * width, width);
        mg_sink_format(p->sink, "Size %s", range_text(text, ldexp(1, k), ldexp(2, k) - 1));
        mg_sink_format(p->sink, "\n%s\t%s</title></rect>\n", noun, mg_thousands(text, sums[k]));
    }
    mg_sink_put(p->sink, "</svg></div>\n");
}

void mg_overview_put_bars(const mg_overview_page *p, const meguri_overview_numbers *numbers, const char *id,
                          const char *title, const char *value, const char *things) {
    char text[3 * MG_REPORT_TEXT];
    uint64_t most = 0;
    if (numbers->bin_count < 2) return;
    for (uint32_t b = 0; b < numbers->bin_count; b++) most = MG_MAX(most, numbers->bins[b].count);
    const mg_report_axis axis = {.most = (double)most, .top = HEAD, .height = PANEL};
    double width = 100.0 / numbers->bin_count;
    open_plot(p->sink, id, title, "A bar for each range of values.");
    mg_report_put_axis(p->sink, &axis, title);
    for (uint32_t b = 0; b < numbers->bin_count; b++) {
        const meguri_overview_bin *bin = &numbers->bins[b];
        put_bar(p, &axis, b * width, width, bin->count);
        put_label(p->sink, b, numbers->bin_count, bin->from);
        open_hit(p->sink, b * width, width);
        mg_sink_format(p->sink, "%s %s", value, range_text(text, bin->from, bin->to));
        mg_sink_format(p->sink, "\n%s\t%s", things, mg_thousands(text, bin->count));
        mg_sink_format(p->sink, "\nShare\t%s</title></rect>\n",
                       mg_report_percent(text, (double)bin->count, (double)numbers->count));
    }
    mg_sink_put(p->sink, "</svg></div>\n");
}
