/* What plots are made of: axes, labels, shapes.
 *
 * A drawing has no viewBox. Positions across are percentages, those down are pixels: it is as wide as there is room,
 * on a telephone as on a wall, and its text keeps its size. Colours are classes p0, p1 … that the style sheet fills in,
 * light or dark; each has a shape of its own, so that nobody depends on the colour. */
#include "report/page.h"

#include <math.h>

#define MOST_TICKS 5

/* ---- values to pixels ------------------------------------------------------------------------------------------- */

/* Where a logarithmic axis begins and ends. */
static double log_begin(const mg_report_axis *axis) { return axis->least > 1 ? log10(axis->least) : 0; }
static double log_end(const mg_report_axis *axis) { return log10(axis->most > 5 ? axis->most * 2 : 10); }

/* A little air above the largest value. On a logarithmic axis its beginning lies just above the ground, and 0 on it. */
static double share(const mg_report_axis *axis, double value) {
    const double begin = log_begin(axis);
    if (!axis->log) return axis->most > 0 ? value / (axis->most * 1.12) : 0;
    return value < 1 || log10(value) < begin ? 0 : 0.04 + 0.96 * (log10(value) - begin) / (log_end(axis) - begin);
}

double mg_report_height(const mg_report_axis *axis, double value) { return axis->height * share(axis, value); }

double mg_report_y(const mg_report_axis *axis, double value) {
    return axis->top + axis->height - mg_report_height(axis, value);
}

/* ---- axes ------------------------------------------------------------------------------------------------------- */

const char *mg_report_tick(char label[MG_REPORT_TEXT], mg_report_unit unit, double value, double like) {
    static const char *const units[][7] = {[MG_REPORT_COUNT] = {"", "k", "M", "G", "T", "P", "E"},
                                           [MG_REPORT_TIME] = {"µs", "ms", "s", NULL},
                                           [MG_REPORT_SIZE] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"},
                                           [MG_REPORT_PERCENT] = {"%", NULL}};
    int place = 0;
    for (; like >= 999.5 && place < 6 && units[unit][place + 1]; place++, like /= 1000) value /= 1000;
    if (value <= 0) snprintf(label, MG_REPORT_TEXT, "0");
    else
        snprintf(label, MG_REPORT_TEXT, "%g%s%s", value, *units[unit][place] ? MG_REPORT_NBSP : "", units[unit][place]);
    return label;
}

double mg_report_round_step(double most, int ticks) {
    double least = most / ticks, power = pow(10, floor(log10(least > 1 ? least : 1)));
    return least <= power ? power : least <= 2 * power ? 2 * power : least <= 5 * power ? 5 * power : 10 * power;
}

static void put_tick(mg_sink *page, const mg_report_axis *axis, double value, double like) {
    char label[MG_REPORT_TEXT];
    double y = mg_report_y(axis, value);
    mg_sink_format(page, "<line class=\"grid\" x2=\"100%%\" y1=\"%.1f\" y2=\"%.1f\"/>", y, y);
    mg_sink_format(page, "<text class=\"tick\" x=\"-8\" y=\"%.1f\">%s</text>\n", y,
                   mg_report_tick(label, axis->unit, value, like));
}

static void put_log_ticks(mg_sink *page, const mg_report_axis *axis) {
    int first = (int)log_begin(axis), last = (int)floor(log_end(axis)), every = (last - first) / (MOST_TICKS - 1) + 1;
    if (every == 2 && last - first >= 6) every = 3; /* 1, 1 k, 1 M */
    for (int d = first; d <= last; d += every) put_tick(page, axis, pow(10, d), pow(10, d));
}

static void put_even_ticks(mg_sink *page, const mg_report_axis *axis) {
    double step = mg_report_round_step(axis->most, MOST_TICKS);
    int last = 0;
    while ((last + 1) * step <= axis->most * 1.1 && last < 2 * MOST_TICKS) last++;
    for (int i = 0; i <= last; i++) put_tick(page, axis, i * step, last * step);
}

void mg_report_put_axis(mg_sink *page, const mg_report_axis *axis, const char *title) {
    mg_sink_format(page, "<text class=\"head\" x=\"0\" y=\"%.1f\">%s", axis->top - 20, title);
    if (axis->log) mg_sink_put(page, " <tspan class=\"soft\">log scale</tspan>");
    mg_sink_put(page, "</text>\n");
    if (axis->log) put_log_ticks(page, axis);
    else put_even_ticks(page, axis);
    double ground = axis->top + axis->height;
    mg_sink_format(page, "<line class=\"ground\" x2=\"100%%\" y1=\"%.1f\" y2=\"%.1f\"/>\n", ground, ground);
}

void mg_report_open_lines(mg_sink *page, const mg_report_axis *axis) {
    mg_sink_format(page,
                   "<svg y=\"%.1f\" width=\"100%%\" height=\"%.0f\" viewBox=\"0 0 1000 %.0f\" "
                   "preserveAspectRatio=\"none\" class=\"lines\">\n",
                   axis->top, axis->height, axis->height);
}

void mg_report_put_line(mg_sink *page, const mg_report_axis *axis, const double *x, const double *y, uint32_t count,
                        const char *attributes) {
    uint32_t points = 0;
    double last_x = 0, last_y = 0;
    mg_sink_format(page, "<polyline %s points=\"", attributes);
    for (uint32_t i = 0; i < count; i++) {
        if (y[i] < 0) continue;
        last_x = x[i];
        last_y = mg_report_y(axis, y[i]) - axis->top;
        mg_sink_format(page, "%.1f,%.1f ", last_x, last_y);
        points++;
    }
    if (points == 1) mg_sink_format(page, "%.1f,%.1f", last_x + 8, last_y); /* a point alone would not be seen */
    mg_sink_put(page, "\"/>\n");
}

uint32_t mg_report_label_every(uint32_t columns) {
    static const uint32_t round[] = {1, 2, 5};
    uint32_t power = 1;
    for (int i = 0;; i++, power *= i % 3 == 0 ? 10 : 1)
        if (columns / (round[i % 3] * power) <= 12) return round[i % 3] * power;
}

void mg_report_open_svg(mg_sink *page, const char *class, double height, const char *id, const char *title,
                        const char *text) {
    mg_sink_format(page,
                   "<svg class=\"%s\" role=\"img\" height=\"%.0f\" aria-labelledby=\"%s-t\" aria-describedby=\"%s-d\">",
                   class, height, id, id);
    mg_sink_format(page, "<title id=\"%s-t\">%s</title><desc id=\"%s-d\">%s</desc>\n", id, title, id, text);
}

/* ---- shapes ----------------------------------------------------------------------------------------------------- */

/* About as large as each other, around 0, 0. */
static const char *const shapes[MG_REPORT_PAINTS + 1] = {
    "M0-6 6 5H-6z",                        /* triangle */
    "M0 6 6-5H-6z",                        /* the same, head down */
    "M0-5.2a5.2 5.2 0 1 0 .01 0z",         /* disc */
    "M-4.7-4.7h9.4v9.4h-9.4z",             /* square */
    "M0-6.6 6.6 0 0 6.6-6.6 0z",           /* diamond */
    "M-2-6h4v4h4v4h-4v4h-4v-4h-4v-4h4z",   /* plus */
    "M0-6 5.7-1.9 3.5 4.9H-3.5L-5.7-1.9z", /* pentagon */
    "M-3-5.2h6L6 0 3 5.2h-6L-6 0z",        /* hexagon */
    "M-5.5-3.4-3.4-5.5 0-2.1 3.4-5.5 5.5-3.4 2.1 0 5.5 3.4 3.4 5.5 0 2.1-3.4 5.5-5.5 3.4-2.1 0z", /* cross */
    "M-6-3h12v6h-12z",                                                                            /* bar */
    "M0-3.6a3.6 3.6 0 1 0 .01 0z",                                                                /* small disc */
};

void mg_report_put_shapes(mg_sink *page) {
    mg_sink_put(page, "<svg class=\"shapes\" width=\"0\" height=\"0\" aria-hidden=\"true\"><defs>");
    for (int i = 0; i <= MG_REPORT_PAINTS; i++) mg_sink_format(page, "<path id=\"s%d\" d=\"%s\"/>", i, shapes[i]);
    mg_sink_put(page, "</defs></svg>\n");
}

void mg_report_put_swatch(mg_sink *page, int paint) {
    mg_sink_format(
        page,
        "<svg class=\"swatch\" width=\"14\" height=\"14\" aria-hidden=\"true\"><use href=\"#s%d\" class=\"p%d\" "
        "x=\"7\" "
        "y=\"7\"/></svg>",
        paint, paint);
}

void mg_report_put_legend(mg_sink *page, const mg_report_kind *kind) {
    mg_sink_put(page, "<ul class=\"legend\">");
    for (int i = 0; i < kind->class_count; i++) {
        if (!kind->classes[i].in_searches) continue;
        mg_sink_put(page, "<li>");
        mg_report_put_swatch(page, kind->classes[i].paint);
        mg_report_put(page, mg_report_class_name(&kind->classes[i]));
        mg_sink_put(page, "</li>");
    }
    mg_sink_put(page, "</ul>\n");
}
