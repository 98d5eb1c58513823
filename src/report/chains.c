/* Edges joined to long lines: from each crossing along the edges until the next, and at last round what has none.
 * Points that are very near to the one before them are left out on the way. */
#include "report/map.h"

#include <math.h>
#include <stdlib.h>

#define NEAR (0.7 * MG_REPORT_FINE)

/* Both ways of each edge, ordered by where they begin. */
typedef struct arc {
    uint32_t from, to, edge;
} arc;

typedef struct chains {
    arc *arcs;
    size_t count;
    bool *used; /* edges */
    mg_sink text;
    int at_x, at_y; /* the pen */
} chains;

static int by_from(const void *a, const void *b) {
    const arc *x = a, *y = b;
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    return (x->to > y->to) - (x->to < y->to);
}

/* The first arc that begins at a place, which has some. */
static size_t first_at(const chains *c, uint32_t place) {
    size_t low = 0, high = c->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (c->arcs[middle].from < place) low = middle + 1;
        else high = middle;
    }
    return low;
}

static int x_of(uint32_t place) { return (int)(place >> 16) - MG_REPORT_OFFSET; }
static int y_of(uint32_t place) { return (int)(place & 0xFFFF) - MG_REPORT_OFFSET; }

static void put_number(chains *c, int number, bool after_number) {
    mg_sink_format(&c->text, after_number && number >= 0 ? " %d" : "%d", number);
}

static void move_to(chains *c, uint32_t place) {
    c->at_x = x_of(place);
    c->at_y = y_of(place);
    mg_sink_char(&c->text, 'M');
    put_number(c, c->at_x, false);
    put_number(c, c->at_y, true);
}

static void line_to(chains *c, uint32_t place, bool first) {
    int x = x_of(place), y = y_of(place);
    if (first) mg_sink_char(&c->text, 'l');
    put_number(c, x - c->at_x, !first);
    put_number(c, y - c->at_y, true);
    c->at_x = x;
    c->at_y = y;
}

/* The only way on from a place that is no crossing and no end; count: none. */
static size_t way_on(const chains *c, uint32_t place) {
    size_t first = first_at(c, place), degree = 0, on = c->count;
    for (size_t i = first; i < c->count && c->arcs[i].from == place; i++, degree++)
        if (!c->used[c->arcs[i].edge]) on = i;
    return degree == 2 ? on : c->count;
}

static void follow(chains *c, size_t start) {
    bool first = true;
    move_to(c, c->arcs[start].from);
    for (size_t i = start, next; i < c->count; i = next) {
        uint32_t place = c->arcs[i].to;
        c->used[c->arcs[i].edge] = true;
        next = way_on(c, place);
        if (next < c->count && hypot(x_of(place) - c->at_x, y_of(place) - c->at_y) < NEAR) continue;
        line_to(c, place, first);
        first = false;
    }
}

static bool is_crossing(const chains *c, size_t i) {
    bool before = i > 0 && c->arcs[i - 1].from == c->arcs[i].from;
    bool after = i + 1 < c->count && c->arcs[i + 1].from == c->arcs[i].from;
    bool two_after = after && i + 2 < c->count && c->arcs[i + 2].from == c->arcs[i].from;
    bool two_before = before && i > 1 && c->arcs[i - 2].from == c->arcs[i].from;
    return before + after + two_after + two_before != 1;
}

char *mg_report_chains(meguri_ctx *ctx, const mg_report_edge *edges, size_t count) {
    chains c = {.count = 2 * count};
    char *text = NULL;
    c.arcs = mg_alloc_array(ctx, c.count, sizeof *c.arcs, "lines of the map");
    c.used = mg_alloc_array_zero(ctx, count, sizeof *c.used, "lines of the map");
    if (mg_sink_open(&c.text, ctx, NULL) == MEGURI_OK && c.arcs && c.used) {
        for (size_t i = 0; i < count; i++) {
            uint32_t a = (uint32_t)(edges[i].key >> 32), b = (uint32_t)edges[i].key;
            c.arcs[2 * i] = (arc){a, b, (uint32_t)i};
            c.arcs[2 * i + 1] = (arc){b, a, (uint32_t)i};
        }
        if (count > 0) qsort(c.arcs, c.count, sizeof *c.arcs, by_from);
        for (int round = 0; round < 2; round++) /* what is left then are circles */
            for (size_t i = 0; i < c.count; i++)
                if (!c.used[c.arcs[i].edge] && (round || is_crossing(&c, i))) follow(&c, i);
        mg_sink_char(&c.text, '\0');
        if (c.text.status == MEGURI_OK) text = mg_resize(ctx, c.text.text.data, c.text.text.used, "lines of the map");
        if (text) c.text.text.data = NULL;
    }
    mg_sink_free(&c.text);
    mg_free(c.arcs);
    mg_free(c.used);
    return text;
}
