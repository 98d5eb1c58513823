/* All searches beside each other: how long each took, and how their steps compare.
 *
 * Of very many searches an even choice is drawn, from the fastest to the slowest; the ways are counted over all. */
#include "report/page.h"

#include <stdlib.h>

#define HEAD  40 /* pixels: above a panel, for its title */
#define PANEL 120
#define TIMES 150
#define FOOT  22

typedef enum quantity { FRONTIER, EDGES, TIME, QUANTITIES } quantity;

static const struct {
    const char *title, *id;
    mg_report_unit unit;
} quantities[] = {
    [FRONTIER] = {"Frontier, vertices", "frontier", MG_REPORT_COUNT},
    [EDGES] = {"Edges looked at", "edges", MG_REPORT_COUNT},
    [TIME] = {"Time", "time", MG_REPORT_TIME},
};

typedef struct spread {
    mg_sink *page;
    const mg_report_trace *trace;
    const mg_report_kind *kind;
    const uint32_t *chosen;
    uint32_t chosen_count;
    uint32_t columns, group;                           /* of the plots by step; steps in each column */
    double value[MG_REPORT_CHOSEN][MG_REPORT_COLUMNS]; /* of one quantity; -1: the search was over */
} spread;

static const mg_report_step *step_of(const spread *s, const mg_report_search *search, uint32_t i) {
    return &s->trace->steps[s->kind->order[search->first + i]];
}

/* A step, not what comes before or after them. */
static bool is_step(const mg_report_step *step) { return step->frontier >= 0 || (step->step >= 0 && step->phase < 0); }

static double middle(const spread *s, uint32_t column) { return 100.0 * (column + 0.5) / s->columns; }

static void open_plot(const spread *s, const char *what, const char *class, double height, const char *title,
                      const char *text) {
    char id[64];
    snprintf(id, sizeof id, "k%d-%s", (int)(s->kind - s->trace->kinds), what);
    mg_sink_format(s->page, "<div class=\"plot\" style=\"--n:%u\">", s->chosen_count);
    mg_report_open_svg(s->page, class, height, id, title, text);
}

/* ---- time of each search ---------------------------------------------------------------------------------------- */

static void put_time_told(const spread *s, uint32_t place, const double us[MG_REPORT_CLASSES]) {
    char a[MG_REPORT_TEXT], b[MG_REPORT_TEXT];
    const mg_report_search *search = &s->kind->searches[s->chosen[place]];
    mg_sink_format(s->page, "%s %s\nTime\t%s", mg_report_kind_noun(s->kind, 1), mg_thousands(a, s->chosen[place] + 1),
                   mg_report_time(b, (double)search->us));
    for (int c = 0; c < s->kind->class_count; c++)
        if (us[c] > 0) {
            mg_sink_char(s->page, '\n');
            mg_report_put(s->page, mg_report_class_name(&s->kind->classes[c]));
            mg_sink_format(s->page, "\t%s", mg_report_time(a, us[c]));
        }
    mg_sink_format(s->page, "\nSteps\t%s", mg_thousands(a, search->count));
    if (s->kind->search_sums.has_edges)
        mg_sink_format(s->page, "\nEdges looked at\t%s\nEdges per second\t%s", mg_thousands(a, search->edges),
                       mg_report_rate(b, search->edges, search->us, MG_REPORT_COUNT));
}

static void put_time_bar(const spread *s, const mg_report_axis *axis, uint32_t place) {
    double us[MG_REPORT_CLASSES] = {0}, below = 0;
    const mg_report_search *search = &s->kind->searches[s->chosen[place]];
    double x = 100.0 * place / s->chosen_count, width = 100.0 / s->chosen_count, inset = width * 0.12;
    for (uint32_t i = 0; i < search->count; i++) {
        const mg_report_step *step = step_of(s, search, i);
        if (step->us > 0) us[step->class] += (double)step->us;
    }
    for (int c = 0; c < s->kind->class_count; c++) {
        if (us[c] <= 0) continue;
        mg_sink_format(s->page, "<rect class=\"bar p%d\" x=\"%.2f%%\" y=\"%.1f\" width=\"%.2f%%\" height=\"%.1f\"/>",
                       s->kind->classes[c].paint, x + inset, mg_report_y(axis, below + us[c]), width - 2 * inset,
                       mg_report_height(axis, us[c]));
        below += us[c];
    }
    mg_sink_format(
        s->page, "\n<rect class=\"hit pick\" data-s=\"%u\" x=\"%.2f%%\" y=\"0\" width=\"%.2f%%\" height=\"%d\"><title>",
        s->chosen[place], x, width, HEAD + TIMES + FOOT);
    put_time_told(s, place, us);
    mg_sink_put(s->page, "</title></rect>\n");
}

static void put_times(const spread *s) {
    char a[MG_REPORT_TEXT], b[MG_REPORT_TEXT], title[200];
    const mg_report_kind *kind = s->kind;
    const mg_report_search *slowest = &kind->searches[s->chosen[s->chosen_count - 1]];
    double median = mg_report_quantile(kind, 0.5);
    mg_report_axis axis = {.unit = MG_REPORT_TIME, .most = (double)slowest->us, .top = HEAD, .height = TIMES};
    snprintf(title, sizeof title, "Time of each %s", mg_report_kind_noun(kind, 1));
    open_plot(
        s, "times", "times", HEAD + TIMES + FOOT, title,
        "One bar for each from the fastest to the slowest, stacked by way; choosing a bar shows its steps below.");
    mg_report_put_axis(s->page, &axis, title);
    for (uint32_t i = 0; i < s->chosen_count; i++) put_time_bar(s, &axis, i);
    double y = mg_report_y(&axis, median);
    mg_sink_format(s->page, "<line class=\"middle\" x2=\"100%%\" y1=\"%.1f\" y2=\"%.1f\"/>", y, y);
    mg_sink_format(s->page, "<text class=\"middle\" x=\"4\" y=\"%.1f\">median %s</text>\n", y - 5,
                   mg_report_time(a, median));
    mg_sink_format(s->page, "<text class=\"number\" x=\"0\" y=\"%d\" style=\"text-anchor:start\">fastest</text>",
                   HEAD + TIMES + 16);
    mg_sink_format(s->page, "<text class=\"number\" x=\"100%%\" y=\"%d\" style=\"text-anchor:end\">slowest</text>\n",
                   HEAD + TIMES + 16);
    mg_sink_put(s->page, "</svg></div>\n");
    if (s->chosen_count < kind->search_count)
        mg_sink_format(s->page,
                       "<p class=\"note\">%s of %s %s are drawn, spread evenly from the fastest to the slowest.</p>",
                       mg_thousands(a, s->chosen_count), mg_thousands(b, kind->search_count),
                       mg_report_kind_noun(kind, kind->search_count));
}

/* ---- by step ---------------------------------------------------------------------------------------------------- */

static uint32_t count_steps(const spread *s, const mg_report_search *search) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < search->count; i++) count += is_step(step_of(s, search, i));
    return count;
}

static void find_columns(spread *s) {
    uint32_t most = 1;
    for (uint32_t i = 0; i < s->kind->search_count; i++) {
        uint32_t steps = count_steps(s, &s->kind->searches[i]);
        if (steps > most) most = steps;
    }
    s->group = (most + MG_REPORT_COLUMNS - 1) / MG_REPORT_COLUMNS;
    s->columns = (most + s->group - 1) / s->group;
}

/* The largest frontier in a column; the sums of the others. */
static double find_values(spread *s, quantity q) {
    double most = 0;
    for (uint32_t k = 0; k < s->chosen_count; k++) {
        const mg_report_search *search = &s->kind->searches[s->chosen[k]];
        double *value = s->value[k];
        for (uint32_t c = 0; c < s->columns; c++) value[c] = -1;
        for (uint32_t i = 0, at = 0; i < search->count; i++) {
            const mg_report_step *step = step_of(s, search, i);
            if (!is_step(step)) continue;
            double *place = &value[at++ / s->group];
            double here = (double)(q == FRONTIER ? step->frontier : q == EDGES ? step->edges : step->us);
            if (here < 0) continue;
            *place = *place < 0 ? here : q != FRONTIER ? *place + here : here > *place ? here : *place;
            if (*place > most) most = *place;
        }
    }
    return most;
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median of a column over those searches that got so far, with the least and the most; false: none did. */
static bool find_middle(const spread *s, uint32_t column, double out[3]) {
    double sorted[MG_REPORT_CHOSEN];
    uint32_t count = 0;
    for (uint32_t k = 0; k < s->chosen_count; k++)
        if (s->value[k][column] >= 0) sorted[count++] = s->value[k][column];
    if (count == 0) return false;
    qsort(sorted, count, sizeof *sorted, compare);
    out[0] = sorted[0];
    out[1] = (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
    out[2] = sorted[count - 1];
    return true;
}

static void put_line(const spread *s, const mg_report_axis *axis, const double *value, const char *attributes) {
    double x[MG_REPORT_COLUMNS];
    for (uint32_t c = 0; c < s->columns; c++) x[c] = 10 * middle(s, c);
    mg_report_put_line(s->page, axis, x, value, s->columns, attributes);
}

static void put_step_numbers(const spread *s, double top) {
    uint32_t all = s->columns * s->group, every = mg_report_label_every(all);
    for (uint32_t step = 0; step < all; step += every)
        mg_sink_format(s->page, "<text class=\"number\" x=\"%.2f%%\" y=\"%.1f\">%u</text>", middle(s, step / s->group),
                       top, step);
    mg_sink_format(s->page, "<text class=\"number soft\" x=\"-8\" y=\"%.1f\" style=\"text-anchor:end\">step</text>\n",
                   top);
}

static void open_hit(const spread *s, uint32_t column, double height) {
    char a[MG_REPORT_TEXT], b[MG_REPORT_TEXT];
    uint32_t first = column * s->group;
    mg_sink_format(s->page, "<rect class=\"hit\" x=\"%.2f%%\" y=\"0\" width=\"%.2f%%\" height=\"%.0f\"><title>",
                   100.0 * column / s->columns, 100.0 / s->columns, height);
    if (s->group == 1) mg_sink_format(s->page, "Step %s", mg_thousands(a, first));
    else mg_sink_format(s->page, "Steps %s to %s", mg_thousands(a, first), mg_thousands(b, first + s->group - 1));
}

static void put_quantity(spread *s, quantity q) {
    char title[200], attributes[64], text[MG_REPORT_TEXT];
    double middles[MG_REPORT_COLUMNS], m[3];
    mg_report_axis axis = {.unit = quantities[q].unit, .log = true, .top = HEAD, .height = PANEL};
    axis.most = find_values(s, q);
    snprintf(title, sizeof title, "%s, step by step, all %s", quantities[q].title, mg_report_kind_noun(s->kind, 2));
    open_plot(s, quantities[q].id, "small", HEAD + PANEL + FOOT, title,
              "A thin line for each, a thick one for the median of each step.");
    mg_report_put_axis(s->page, &axis, quantities[q].title);
    mg_report_open_lines(s->page, &axis);
    for (uint32_t k = 0; k < s->chosen_count; k++) {
        snprintf(attributes, sizeof attributes, "class=\"line\" data-s=\"%u\"", s->chosen[k]);
        put_line(s, &axis, s->value[k], attributes);
    }
    for (uint32_t c = 0; c < s->columns; c++) middles[c] = find_middle(s, c, m) ? m[1] : -1;
    put_line(s, &axis, middles, "class=\"median\"");
    mg_sink_put(s->page, "</svg>\n");
    put_step_numbers(s, HEAD + PANEL + 16);
    for (uint32_t c = 0; c < s->columns; c++) {
        if (!find_middle(s, c, m)) continue;
        open_hit(s, c, HEAD + PANEL + FOOT);
        mg_sink_format(s->page, "\nMost\t%s", mg_report_value(text, axis.unit, m[2]));
        mg_sink_format(s->page, "\nMedian\t%s", mg_report_value(text, axis.unit, m[1]));
        mg_sink_format(s->page, "\nLeast\t%s</title></rect>\n", mg_report_value(text, axis.unit, m[0]));
    }
    mg_sink_put(s->page, "</svg></div>\n");
}

/* ---- ways by step ----------------------------------------------------------------------------------------------- */

typedef struct votes {
    uint64_t count[MG_REPORT_COLUMNS][MG_REPORT_CLASSES];
} votes;

static double count_votes(const spread *s, votes *out) {
    uint64_t most = 0;
    *out = (votes){0};
    for (uint32_t k = 0; k < s->kind->search_count; k++) {
        const mg_report_search *search = &s->kind->searches[k];
        for (uint32_t i = 0, at = 0; i < search->count; i++) {
            const mg_report_step *step = step_of(s, search, i);
            if (is_step(step)) out->count[at++ / s->group][step->class]++;
        }
    }
    for (uint32_t c = 0; c < s->columns; c++) {
        uint64_t sum = 0;
        for (int k = 0; k < s->kind->class_count; k++) sum += out->count[c][k];
        if (sum > most) most = sum;
    }
    return (double)most;
}

static void put_ways(const spread *s) {
    votes v;
    char title[200], text[MG_REPORT_TEXT];
    double width = 100.0 / s->columns * (s->columns > 60 ? 1.02 : 0.62);
    mg_report_axis axis = {.unit = MG_REPORT_COUNT, .most = count_votes(s, &v), .top = HEAD, .height = PANEL};
    snprintf(title, sizeof title, "Way chosen, %s", s->group > 1 ? "steps" : mg_report_kind_noun(s->kind, 2));
    open_plot(s, "ways", s->columns > 60 ? "small dense" : "small", HEAD + PANEL + FOOT, title,
              "How often each way was chosen at each step, stacked.");
    mg_report_put_axis(s->page, &axis, title);
    for (uint32_t c = 0; c < s->columns; c++) {
        double below = 0;
        for (int k = 0; k < s->kind->class_count; k++) {
            double count = (double)v.count[c][k];
            if (count <= 0) continue;
            mg_sink_format(s->page,
                           "<rect class=\"bar p%d\" x=\"%.2f%%\" y=\"%.1f\" width=\"%.2f%%\" height=\"%.1f\"/>",
                           s->kind->classes[k].paint, middle(s, c) - width / 2, mg_report_y(&axis, below + count),
                           width, mg_report_height(&axis, count));
            below += count;
        }
        mg_sink_char(s->page, '\n');
    }
    put_step_numbers(s, HEAD + PANEL + 16);
    for (uint32_t c = 0; c < s->columns; c++) {
        open_hit(s, c, HEAD + PANEL + FOOT);
        for (int k = 0; k < s->kind->class_count; k++)
            if (v.count[c][k]) {
                mg_sink_char(s->page, '\n');
                mg_report_put(s->page, mg_report_class_name(&s->kind->classes[k]));
                mg_sink_format(s->page, "\t%s", mg_thousands(text, v.count[c][k]));
            }
        mg_sink_put(s->page, "</title></rect>\n");
    }
    mg_sink_put(s->page, "</svg></div>\n");
}

void mg_report_put_spread(mg_sink *page, const mg_report_trace *trace, const mg_report_kind *kind,
                          const uint32_t *chosen, uint32_t chosen_count) {
    spread s = {.page = page, .trace = trace, .kind = kind, .chosen = chosen, .chosen_count = chosen_count};
    if (kind->search_sums.has_us) put_times(&s);
    find_columns(&s);
    mg_sink_put(page, "<div class=\"grid\">\n");
    if (kind->search_sums.has_frontier) put_quantity(&s, FRONTIER);
    if (kind->search_sums.has_edges) put_quantity(&s, EDGES);
    if (kind->search_sums.has_us) put_quantity(&s, TIME);
    put_ways(&s);
    mg_sink_put(page, "</div>\n<p class=\"note\">Thin lines: one ");
    mg_sink_format(
        page, "%s each; thick: the median at each step of those that got so far; coloured: the one chosen below.</p>\n",
        mg_report_kind_noun(kind, 1));
}
