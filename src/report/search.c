/* One search, step by step: frontier, edges looked at, bytes moved, time and way above each other, one column a step.
 *
 * Sizes of frontiers span many powers of ten, so they are marks over a logarithmic axis; time is bars over an even one,
 * because bars are compared by their length. A search of very many steps has columns that stand for several. */
#include "report/page.h"

#define HEAD    46 /* pixels: above a panel, for its title */
#define PANEL   84
#define WAYS    30 /* the row of ways, and that of numbers */
#define NUMBERS 22
#define WORDS   16 /* up to so many columns have the name of their way and their values written out */
#define MARKS   60 /* up to so many have shapes */

typedef struct column {
    uint32_t steps;
    int64_t first, last; /* numbers of its steps; -1: it has none */
    int class;           /* of most of its time */
    mg_report_sums sums;
    uint64_t most_frontier;
    const mg_report_step *step; /* its only one, or one of them */
} column;

typedef struct figure {
    mg_sink *page;
    const mg_report_trace *trace;
    const mg_report_kind *kind;
    uint32_t count, group; /* columns, and steps in each */
    column columns[MG_REPORT_COLUMNS];
} figure;

typedef enum quantity { FRONTIER, EDGES, BYTES, TIME, QUANTITIES } quantity;

static const struct {
    const char *title;
    mg_report_unit unit;
    bool log;
} quantities[] = {
    [FRONTIER] = {"Frontier, vertices", MG_REPORT_COUNT, true},
    [EDGES] = {"Edges looked at", MG_REPORT_COUNT, true},
    [BYTES] = {"Bytes moved", MG_REPORT_SIZE, true},
    [TIME] = {"Time", MG_REPORT_TIME, false},
};

static bool has(const mg_report_sums *sums, quantity q) {
    return q == FRONTIER ? sums->has_frontier
           : q == EDGES  ? sums->has_edges
           : q == BYTES  ? sums->has_bytes
                         : sums->has_us;
}

static double amount(const column *c, quantity q) {
    return (double)(q == FRONTIER ? c->most_frontier
                    : q == EDGES  ? c->sums.edges
                    : q == BYTES  ? c->sums.bytes
                                  : c->sums.us);
}

/* ---- columns ---------------------------------------------------------------------------------------------------- */

static void fill_column(column *out, const figure *f, const uint32_t *order, uint32_t count) {
    uint64_t weight[MG_REPORT_CLASSES] = {0};
    *out = (column){.steps = count, .first = -1, .last = -1};
    for (uint32_t i = 0; i < count; i++) {
        const mg_report_step *step = &f->trace->steps[order[i]];
        mg_report_sums_add(&out->sums, step);
        weight[step->class] += 1 + (uint64_t)(step->us > 0 ? step->us : 0);
        if (step->frontier > 0 && (uint64_t)step->frontier > out->most_frontier)
            out->most_frontier = (uint64_t)step->frontier;
        if (out->first < 0) out->first = step->step;
        if (step->step >= 0) out->last = step->step;
        out->step = step;
    }
    for (int c = 1; c < f->kind->class_count; c++)
        if (weight[c] > weight[out->class]) out->class = c;
}

static void make_columns(figure *f, const mg_report_search *search, uint32_t most) {
    f->group = (search->count + most - 1) / most;
    f->count = (search->count + f->group - 1) / f->group;
    for (uint32_t i = 0; i < f->count; i++) {
        uint32_t from = i * f->group, left = search->count - from;
        fill_column(&f->columns[i], f, f->kind->order + search->first + from, left < f->group ? left : f->group);
    }
}

static double middle(const figure *f, uint32_t i) { return 100.0 * (i + 0.5) / f->count; }
static int paint(const figure *f, const column *c) { return f->kind->classes[c->class].paint; }

/* ---- panels ----------------------------------------------------------------------------------------------------- */

/* Marks on stems: what counts is where the mark is. */
static void put_mark(const figure *f, const mg_report_axis *axis, uint32_t i, double value) {
    const column *c = &f->columns[i];
    double x = middle(f, i), y = mg_report_y(axis, value), width = 100.0 / f->count * (f->count > MARKS ? 1.02 : 0.5);
    mg_sink_format(f->page, "<rect class=\"%s p%d\" x=\"%.2f%%\" y=\"%.1f\" width=\"%.2f%%\" height=\"%.1f\"/>",
                   f->count > MARKS ? "bar" : "stem", paint(f, c), x - width / 2, y, width,
                   axis->top + axis->height - y);
    if (f->count <= MARKS)
        mg_sink_format(f->page, "<use href=\"#s%d\" class=\"p%d\" x=\"%.2f%%\" y=\"%.1f\"/>", paint(f, c), paint(f, c),
                       x, y);
    mg_sink_char(f->page, '\n');
}

static void put_bar(const figure *f, const mg_report_axis *axis, uint32_t i, double value) {
    double x = middle(f, i), width = 100.0 / f->count * (f->count > MARKS ? 1.02 : 0.62);
    double height = mg_report_height(axis, value) > 1 ? mg_report_height(axis, value) : 1;
    mg_sink_format(f->page, "<rect class=\"bar p%d\" x=\"%.2f%%\" y=\"%.1f\" width=\"%.2f%%\" height=\"%.1f\"/>\n",
                   paint(f, &f->columns[i]), x - width / 2, axis->top + axis->height - height, width, height);
}

static void put_panel(const figure *f, quantity q, double top) {
    char text[MG_REPORT_TEXT];
    mg_report_axis axis = {.unit = quantities[q].unit, .log = quantities[q].log, .top = top + HEAD, .height = PANEL};
    for (uint32_t i = 0; i < f->count; i++)
        if (amount(&f->columns[i], q) > axis.most) axis.most = amount(&f->columns[i], q);
    mg_report_put_axis(f->page, &axis, quantities[q].title);
    for (uint32_t i = 0; i < f->count; i++) {
        const column *c = &f->columns[i];
        if (!has(&c->sums, q)) continue;
        (axis.log ? put_mark : put_bar)(f, &axis, i, amount(c, q));
        if (f->count <= WORDS)
            mg_sink_format(f->page, "<text class=\"value\" x=\"%.2f%%\" y=\"%.1f\">%s</text>\n", middle(f, i),
                           mg_report_y(&axis, amount(c, q)) - (axis.log ? 11 : 5),
                           mg_report_value(text, axis.unit, amount(c, q)));
    }
}

/* The row of ways: named where there is room, else a ribbon of colours. */
static void put_ways(const figure *f, double top) {
    mg_sink_format(f->page, "<g class=\"ways\">");
    for (uint32_t i = 0; i < f->count; i++) {
        const column *c = &f->columns[i];
        if (f->count <= WORDS) {
            mg_sink_format(f->page, "<use href=\"#s%d\" class=\"p%d mini\" x=\"%.2f%%\" y=\"%.1f\"/>", paint(f, c),
                           paint(f, c), middle(f, i), top + 13);
            mg_sink_format(f->page, "<text class=\"word\" x=\"%.2f%%\" y=\"%.1f\">", middle(f, i), top + 34);
            mg_report_put(f->page, mg_report_class_name(&f->kind->classes[c->class]));
            mg_sink_put(f->page, "</text>\n");
        } else
            mg_sink_format(f->page, "<rect class=\"p%d\" x=\"%.2f%%\" y=\"%.1f\" width=\"%.2f%%\" height=\"8\"/>\n",
                           paint(f, c), 100.0 * i / f->count, top + 10, 100.0 / f->count + 0.05);
    }
    mg_sink_put(f->page, "</g>\n");
}

/* Round numbers of steps below the columns that hold them. */
static void put_numbers(const figure *f, double top) {
    uint64_t most = 0, next = 0; /* `next` is the least number that is still to come */
    for (uint32_t i = 0; i < f->count; i++)
        if (f->columns[i].last > (int64_t)most) most = (uint64_t)f->columns[i].last;
    uint64_t every = mg_report_label_every(most < UINT32_MAX ? (uint32_t)most + 1 : UINT32_MAX);
    for (uint32_t i = 0; i < f->count; i++) {
        if (f->columns[i].first < 0) continue;
        uint64_t first = (uint64_t)f->columns[i].first, last = (uint64_t)f->columns[i].last;
        if (last < next) continue;
        next = (first + every - 1) / every * every;
        if (next > last) continue;
        mg_sink_format(f->page, "<text class=\"number\" x=\"%.2f%%\" y=\"%.1f\">%llu</text>\n", middle(f, i), top + 12,
                       (unsigned long long)next);
        next = last / every * every + every;
    }
    mg_sink_format(f->page, "<text class=\"number soft\" x=\"-8\" y=\"%.1f\" style=\"text-anchor:end\">step</text>\n",
                   top + 12);
}

/* ---- what is told of a column under the pointer ----------------------------------------------------------------- */

static void put_told(const figure *f, const column *c) {
    char a[MG_REPORT_TEXT], b[MG_REPORT_TEXT];
    const mg_report_sums *s = &c->sums;
    if (c->steps > 1)
        mg_sink_format(f->page, "Steps %s to %s, ", mg_thousands(a, (uint64_t)(c->first > 0 ? c->first : 0)),
                       mg_thousands(b, (uint64_t)(c->last > 0 ? c->last : 0)));
    else if (c->first >= 0) mg_sink_format(f->page, "Step %s, ", mg_thousands(a, (uint64_t)c->first));
    if (c->steps > 1) mg_sink_put(f->page, "mostly ");
    mg_report_put(f->page, mg_report_class_name(&f->kind->classes[c->class]));
    if (c->steps == 1 && c->step->phase >= 0 && !f->kind->classes[c->class].is_phase) {
        mg_sink_put(f->page, ", ");
        mg_report_put(f->page, f->trace->phases[c->step->phase]);
    }
    if (s->has_frontier)
        mg_sink_format(f->page, "\n%s\t%s vertices", c->steps > 1 ? "Largest frontier" : "Frontier",
                       mg_thousands(a, c->most_frontier));
    if (s->has_edges) mg_sink_format(f->page, "\nEdges looked at\t%s", mg_thousands(a, s->edges));
    if (s->has_us) mg_sink_format(f->page, "\nTime\t%s", mg_report_time(a, (double)s->us));
    if (s->has_edges && s->edges_us)
        mg_sink_format(f->page, "\nEdges per second\t%s",
                       mg_report_rate(a, s->timed_edges, s->edges_us, MG_REPORT_COUNT));
    if (s->has_bytes) mg_sink_format(f->page, "\nBytes moved\t%s", mg_report_bytes(a, (double)s->bytes));
    if (s->has_bytes && s->bytes_us)
        mg_sink_format(f->page, ", %s", mg_report_rate(a, s->timed_bytes, s->bytes_us, MG_REPORT_SIZE));
}

static void put_hits(const figure *f, double height) {
    for (uint32_t i = 0; i < f->count; i++) {
        mg_sink_format(f->page, "<rect class=\"hit\" x=\"%.2f%%\" y=\"0\" width=\"%.2f%%\" height=\"%.0f\"><title>",
                       100.0 * i / f->count, 100.0 / f->count, height);
        put_told(f, &f->columns[i]);
        mg_sink_put(f->page, "</title></rect>\n");
    }
}

/* ---- the figure ------------------------------------------------------------------------------------------------- */

static void put_fact(mg_sink *page, const char *name, const char *value) {
    mg_sink_format(page, "<div><dt>%s</dt><dd>%s</dd></div>", name, value);
}

static void put_facts(const figure *f, const mg_report_search *search) {
    char text[MG_REPORT_TEXT];
    mg_report_sums sums = {0};
    for (uint32_t i = 0; i < search->count; i++)
        mg_report_sums_add(&sums, &f->trace->steps[f->kind->order[search->first + i]]);
    mg_sink_put(f->page, "<dl class=\"facts\">");
    if (sums.has_us) put_fact(f->page, "Time", mg_report_time(text, (double)sums.us));
    put_fact(f->page, "Steps", mg_thousands(text, sums.steps));
    if (sums.has_frontier) put_fact(f->page, "Vertices in frontiers", mg_thousands(text, sums.frontier));
    if (sums.has_edges) put_fact(f->page, "Edges looked at", mg_thousands(text, sums.edges));
    if (sums.edges_us)
        put_fact(f->page, "Edges per second", mg_report_rate(text, sums.timed_edges, sums.edges_us, MG_REPORT_COUNT));
    if (sums.has_bytes) put_fact(f->page, "Bytes moved", mg_report_bytes(text, (double)sums.bytes));
    if (sums.bytes_us)
        put_fact(f->page, "Bytes per second", mg_report_rate(text, sums.timed_bytes, sums.bytes_us, MG_REPORT_SIZE));
    mg_sink_put(f->page, "</dl>\n");
}

static void put_drawing(const figure *f, uint32_t search) {
    char id[64], title[200], text[400], group[MG_REPORT_TEXT];
    double height = 0, top = 0;
    snprintf(id, sizeof id, "k%d-s%u", (int)(f->kind - f->trace->kinds), search);
    snprintf(title, sizeof title, "%s %u, step by step", mg_report_kind_noun(f->kind, 1), search + 1);
    snprintf(text, sizeof text,
             "Plots above each other, one column for each %s%s: frontier, edges looked at and time where they are "
             "known, and "
             "the way chosen as colour and shape. The numbers are in the table of all steps.",
             f->group > 1 ? mg_thousands(group, f->group) : "step", f->group > 1 ? " steps" : "");
    for (int q = 0; q < QUANTITIES; q++) height += has(&f->kind->search_sums, (quantity)q) ? HEAD + PANEL : 0;
    double whole = height + NUMBERS + WAYS + (f->count <= WORDS ? 12 : 0);
    mg_sink_format(f->page, "<div class=\"plot\" style=\"--n:%u\">", f->count);
    mg_report_open_svg(f->page, f->count > MARKS ? "steps dense" : "steps", whole, id, title, text);
    for (int q = 0; q < QUANTITIES; q++)
        if (has(&f->kind->search_sums, (quantity)q)) {
            put_panel(f, (quantity)q, top);
            top += HEAD + PANEL;
        }
    put_numbers(f, height + 4);
    put_ways(f, height + NUMBERS);
    put_hits(f, whole);
    mg_sink_put(f->page, "</svg></div>\n");
}

void mg_report_put_search(mg_sink *page, const mg_report_trace *trace, const mg_report_kind *kind, uint32_t search,
                          uint32_t columns, bool shown) {
    char text[MG_REPORT_TEXT];
    figure f = {.page = page, .trace = trace, .kind = kind};
    make_columns(&f, &kind->searches[search], columns);
    mg_sink_format(page, "<div class=\"search\" data-s=\"%u\"%s>\n", search, shown ? "" : " hidden");
    put_facts(&f, &kind->searches[search]);
    if (f.group > 1)
        mg_sink_format(
            page,
            "<p class=\"note\">Each column stands for %s steps: the largest frontier, the sums of edges and time, the "
            "way of most of the time.</p>",
            mg_thousands(text, f.group));
    put_drawing(&f, search);
    mg_sink_put(page, "</div>\n");
}
