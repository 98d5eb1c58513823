/* Strategies beside each other, phase by phase: how many vertices had changed (figure 4 of paper P3), and what each
 * phase took (figure 6). */
#include "report/strategy.h"

#include <math.h>

#define SOURCES 5  /* searches of figure 4, as many as the paper's */
#define LOOKED  64 /* searches among which that of figure 6 is looked for */
#define CURVES  MG_STRATEGY_CURVES

/* ---- curves over phases ----------------------------------------------------------------------------------------- */

typedef enum quantity { FRONTIER, TIME } quantity;

typedef struct curves {
    const mg_strategy_group *group;
    uint32_t count, columns, each; /* curves; columns, and phases in each */
    const mg_report_search *search[CURVES];
    int paint[CURVES];
    char name[CURVES][MG_REPORT_TEXT];
    double value[2][CURVES][MG_REPORT_COLUMNS]; /* -1: the search was over */
} curves;

/* The phases of a search are the steps of the kind that it began with. */
static const mg_report_step *phase_of(const curves *c, const mg_report_search *search, uint32_t i) {
    const mg_report_trace *trace = c->group->trace;
    const uint32_t *order = c->group->kind->order + search->first;
    const mg_report_step *step = &trace->steps[order[i]];
    return step->phase == trace->steps[order[0]].phase && step->frontier >= 0 ? step : NULL;
}

static uint32_t count_phases(const curves *c, const mg_report_search *search) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < search->count; i++) count += phase_of(c, search, i) != NULL;
    return count;
}

static const mg_report_setting *setting_of(const curves *c, uint32_t k) {
    return &c->group->trace->settings[c->search[k]->setting];
}

/* The largest frontier in a column, and the mean time of a phase. */
static void fill_curve(curves *c, uint32_t k) {
    uint32_t at = 0, phases[MG_REPORT_COLUMNS] = {0};
    double *frontier = c->value[FRONTIER][k], *time = c->value[TIME][k];
    for (uint32_t i = 0; i < c->columns; i++) frontier[i] = time[i] = -1;
    for (uint32_t i = 0; i < c->search[k]->count; i++) {
        const mg_report_step *step = phase_of(c, c->search[k], i);
        if (!step) continue;
        uint32_t column = at++ / c->each;
        frontier[column] = fmax(frontier[column], (double)step->frontier);
        if (step->us >= 0) time[column] = fmax(time[column], 0) + (double)step->us;
        phases[column]++;
    }
    for (uint32_t i = 0; i < c->columns; i++)
        if (time[i] >= 0) time[i] /= phases[i];
}

static void fill_curves(curves *c) {
    uint32_t most = 1;
    for (uint32_t k = 0; k < c->count; k++) {
        uint32_t phases = count_phases(c, c->search[k]);
        if (phases > most) most = phases;
    }
    c->each = (most + MG_REPORT_COLUMNS - 1) / MG_REPORT_COLUMNS;
    c->columns = (most + c->each - 1) / c->each;
    for (uint32_t k = 0; k < c->count; k++) fill_curve(c, k);
}

static double most_of(const curves *c, quantity q) {
    double most = 1;
    for (uint32_t k = 0; k < c->count; k++)
        for (uint32_t i = 0; i < c->columns; i++) most = fmax(most, c->value[q][k][i]);
    return most;
}

/* A power of ten that none of the times is below. */
static double least_time(const curves *c) {
    double least = INFINITY;
    for (uint32_t k = 0; k < c->count; k++)
        for (uint32_t i = 0; i < c->columns; i++)
            if (c->value[TIME][k][i] >= 1) least = fmin(least, c->value[TIME][k][i]);
    return isinf(least) ? 1 : pow(10, floor(log10(least)));
}

static void put_panel(const curves *c, const mg_report_axis *axis, quantity q, uint32_t count, const char *title) {
    double x[MG_REPORT_COLUMNS];
    mg_report_put_axis(c->group->page, axis, title);
    for (uint32_t i = 0; i < c->columns; i++) x[i] = 1000 * (i + 0.5) / c->columns;
    for (uint32_t k = 0; k < count; k++)
        mg_strategy_put_curve(c->group->page, axis, c->paint[k], x, c->value[q][k], c->columns, k);
}

static void put_phase_numbers(const curves *c, double y) {
    uint32_t all = c->columns * c->each, every = mg_report_label_every(all);
    for (uint32_t phase = 0; phase < all; phase += every)
        mg_sink_format(c->group->page, "<text class=\"number\" x=\"%.2f%%\" y=\"%.1f\">%u</text>",
                       100 * (phase / c->each + 0.5) / c->columns, y, phase);
    mg_strategy_put_axis_name(c->group->page, y, "phase");
}

static void put_told(const curves *c, double height, bool times) {
    char a[MG_REPORT_TEXT], b[MG_REPORT_TEXT];
    mg_sink *page = c->group->page;
    for (uint32_t i = 0; i < c->columns; i++) {
        uint32_t first = i * c->each;
        mg_sink_format(page, "<rect class=\"hit\" x=\"%.2f%%\" y=\"0\" width=\"%.2f%%\" height=\"%.0f\"><title>",
                       100.0 * i / c->columns, 100.0 / c->columns, height);
        if (c->each == 1) mg_sink_format(page, "Phase %s", mg_thousands(a, first));
        else mg_sink_format(page, "Phases %s to %s", mg_thousands(a, first), mg_thousands(b, first + c->each - 1));
        for (uint32_t k = 0; k < c->count; k++) {
            if (c->value[FRONTIER][k][i] < 0) continue;
            mg_sink_char(page, '\n');
            mg_report_put(page, c->name[k]);
            if (times) mg_sink_format(page, "\t%s", mg_report_time(a, c->value[TIME][k][i]));
            else mg_sink_format(page, "\t%s", mg_thousands(a, (uint64_t)c->value[FRONTIER][k][i]));
        }
        if (times && c->value[FRONTIER][0][i] >= 0)
            mg_sink_format(page, "\nChanged\t%s vertices", mg_thousands(a, (uint64_t)c->value[FRONTIER][0][i]));
        mg_sink_put(page, "</title></rect>\n");
    }
}

static void put_curve_legend(const curves *c) {
    mg_sink_put(c->group->page, "<ul class=\"legend\">");
    for (uint32_t k = 0; k < c->count; k++) {
        mg_sink_put(c->group->page, "<li>");
        mg_report_put_swatch(c->group->page, c->paint[k]);
        mg_report_put(c->group->page, c->name[k]);
        mg_sink_put(c->group->page, "</li>");
    }
    mg_sink_put(c->group->page, "</ul>\n");
}

/* ---- figure 4: vertices that had changed, some searches --------------------------------------------------------- */

void mg_strategy_put_changed(const mg_strategy_group *g) {
    char text[MG_REPORT_TEXT];
    curves made = {.group = g}, *c = &made;
    for (uint32_t i = 0; i < g->kind->search_count && c->count < SOURCES; i++) {
        const mg_report_search *search = &g->kind->searches[i];
        if (search->setting < 0 || &g->trace->settings[search->setting] != g->settings[0]) continue;
        c->search[c->count] = search;
        c->paint[c->count] = (int)c->count;
        if (search->source < 0) snprintf(c->name[c->count], MG_REPORT_TEXT, "search %s", mg_thousands(text, i + 1));
        else snprintf(c->name[c->count], MG_REPORT_TEXT, "from %s", mg_thousands(text, (uint64_t)search->source));
        c->count++;
    }
    if (!c->count) return; /* none was kept */
    fill_curves(c);
    mg_report_axis axis = {.most = most_of(c, FRONTIER), .top = MG_STRATEGY_HEAD, .height = MG_STRATEGY_PANEL};
    mg_sink_put(g->page, "<div>");
    mg_strategy_open(g, "changed", "small", MG_STRATEGY_HEAD + MG_STRATEGY_PANEL + MG_STRATEGY_FOOT,
                     "Changed vertices in each phase", "A curve for each of a few searches.");
    put_panel(c, &axis, FRONTIER, c->count, "Changed vertices in each phase");
    put_phase_numbers(c, MG_STRATEGY_HEAD + MG_STRATEGY_PANEL + 16);
    put_told(c, MG_STRATEGY_HEAD + MG_STRATEGY_PANEL + MG_STRATEGY_FOOT, false);
    mg_sink_put(g->page, "</svg></div>\n");
    put_curve_legend(c);
    mg_sink_put(g->page, "</div>\n");
}

/* ---- figure 6: time of each phase ------------------------------------------------------------------------------- */

/* Searches from one source, of as many settings as there are, one each. */
static void choose_searches(curves *c, int64_t source) {
    bool taken[MG_REPORT_SETTINGS] = {0};
    const mg_strategy_group *g = c->group;
    c->count = 0;
    for (uint32_t i = 0; i < g->kind->search_count && c->count < CURVES; i++) {
        const mg_report_search *search = &g->kind->searches[i];
        if (search->setting < 0 || search->source != source || taken[search->setting]) continue;
        const mg_report_setting *s = &g->trace->settings[search->setting];
        if (!mg_strategy_is_of(g, s) || mg_report_is_swept(g->trace, s)) continue;
        taken[search->setting] = true;
        c->search[c->count++] = search;
    }
}

static void choose_source(curves *c) {
    const mg_strategy_group *g = c->group;
    int64_t best = -1;
    uint32_t most = 0, looked = 0;
    for (uint32_t i = 0; i < g->kind->search_count && looked < LOOKED; i++) {
        const mg_report_search *search = &g->kind->searches[i];
        if (search->setting < 0 || !mg_strategy_is_of(g, &g->trace->settings[search->setting])) continue;
        looked++;
        choose_searches(c, search->source);
        if (c->count > most) {
            most = c->count;
            best = search->source;
        }
    }
    choose_searches(c, best);
}

/* Phases of other strategies are other phases: only those that have as many as the first are drawn over each other. */
static void keep_alike(curves *c) {
    uint32_t kept = 0, phases = c->count ? count_phases(c, c->search[0]) : 0;
    char text[MG_REPORT_TEXT];
    for (uint32_t k = 0; k < c->count; k++) {
        uint32_t own = count_phases(c, c->search[k]);
        const mg_report_setting *s = setting_of(c, k);
        if (own == phases) {
            c->search[kept] = c->search[k];
            c->paint[kept] = s->paint;
            snprintf(c->name[kept++], MG_REPORT_TEXT, "%.60s", s->strategy);
            continue;
        }
        mg_sink_put(c->group->page, "<p class=\"note\">");
        mg_report_put(c->group->page, s->strategy);
        mg_sink_format(c->group->page, " has %s phases of another kind, and is not drawn here.</p>\n",
                       mg_thousands(text, own));
    }
    c->count = kept;
}

void mg_strategy_put_phase_times(const mg_strategy_group *g) {
    char text[MG_REPORT_TEXT];
    curves made = {.group = g}, *c = &made;
    choose_source(c);
    if (!c->count) return;
    const int64_t source = c->search[0]->source;
    keep_alike(c);
    fill_curves(c);
    mg_report_axis times = {.unit = MG_REPORT_TIME,
                            .log = true,
                            .least = least_time(c),
                            .most = most_of(c, TIME),
                            .top = MG_STRATEGY_HEAD,
                            .height = MG_STRATEGY_PANEL},
                   changed = {.log = true,
                              .most = most_of(c, FRONTIER),
                              .top = 2 * MG_STRATEGY_HEAD + MG_STRATEGY_PANEL,
                              .height = MG_STRATEGY_PANEL / 2};
    const double end = changed.top + changed.height;
    put_curve_legend(c);
    mg_strategy_open(g, "phases", "wide", end + MG_STRATEGY_FOOT, "Time of each phase",
                     "A curve for each strategy, from one source; below, the vertices that had changed.");
    put_panel(c, &times, TIME, c->count, "Time of each phase");
    c->paint[0] = MG_REPORT_NO_PAINT; /* the same for all */
    put_panel(c, &changed, FRONTIER, 1, "Changed vertices");
    put_phase_numbers(c, end + 16);
    put_told(c, end + MG_STRATEGY_FOOT, true);
    mg_sink_put(g->page, "</svg></div>\n");
    if (source >= 0)
        mg_sink_format(g->page, "<p class=\"note\">All from vertex %s (by its position).</p>\n",
                       mg_thousands(text, (uint64_t)source));
}
