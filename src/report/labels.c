/* The ends of paths on the map: a ring where they start, a disc where they end, and the ids beside them, placed so that
 * they hide neither each other nor, if it can be helped, the paths. */
#include "report/page.h"

#include <math.h>
#include <string.h>

#define MOST_ENDS   (2 * MG_REPORT_ROUTES)
#define LONGEST     30 /* characters of an id */
#define TEXT_ROOM   (4 * LONGEST + 8)
#define NARROW      7.6 /* width of a letter */
#define BROAD       13.5
#define ROW         17.0
#define NARROW_ZOOM 2.6
#define MARK        9.0 /* half a mark with the air around it */
#define NEAR        4.0 /* ends that are nearer than that are one */

typedef struct box {
    double left, top, right, bottom;
} box;

typedef struct end {
    double x, y;
    bool starts, ends;
    char text[TEXT_ROOM];
    double width;
    bool labelled;
    int place; /* in `places` */
    box label;
} end;

typedef struct labels {
    const mg_report_map *map;
    end ends[MOST_ENDS];
    size_t count;
    box scale, north;
} labels;

/* Where a label may be, the best first: distance of its anchor from the mark, and which part of it is there. */
static const struct {
    double right, down;
    int anchor; /* 0: its start is there, 1: its middle, 2: its end */
} places[] = {{0, -14, 1},  {0, 25, 1},    {14, 4.5, 0}, {-14, 4.5, 2},
              {11, -10, 0}, {-11, -10, 2}, {11, 21, 0},  {-11, 21, 2}};
#define PLACES (int)(sizeof places / sizeof *places)

/* ---- text ------------------------------------------------------------------------------------------------------- */

/* A copy cut between characters, and about how wide it is; letters of Asia are broad. */
static double set_text(char out[TEXT_ROOM], const char *text) {
    size_t length = 0;
    int shown = 0;
    double width = 0;
    for (const unsigned char *s = (const unsigned char *)text; *s;) {
        size_t bytes = *s < 0x80 ? 1 : *s < 0xE0 ? 2 : *s < 0xF0 ? 3 : 4;
        if (shown++ == LONGEST) {
            memcpy(out + length, "…", strlen("…") + 1);
            return width + NARROW;
        }
        width += *s >= 0xE3 && *s != 0xEF ? BROAD : NARROW;
        for (size_t i = 0; i < bytes && *s; i++) out[length++] = (char)*s++;
    }
    out[length] = '\0';
    return width;
}

/* ---- ends ------------------------------------------------------------------------------------------------------- */

static void add_end(labels *l, const mg_report_route *route, size_t point, const char *text, bool starts) {
    double x, y;
    mg_report_project(l->map, route->x[point], route->y[point], &x, &y);
    end *e = NULL;
    for (size_t i = 0; i < l->count && !e; i++)
        if (hypot(l->ends[i].x - x, l->ends[i].y - y) < NEAR) e = &l->ends[i];
    if (!e) {
        e = &l->ends[l->count++];
        *e = (end){.x = x, .y = y};
    }
    e->starts |= starts;
    e->ends |= !starts;
    if (text && !*e->text) e->width = set_text(e->text, text);
}

/* ---- where labels go -------------------------------------------------------------------------------------------- */

static double shared(const box *a, const box *b) {
    double wide = fmin(a->right, b->right) - fmax(a->left, b->left);
    double high = fmin(a->bottom, b->bottom) - fmax(a->top, b->top);
    return wide > 0 && high > 0 ? wide * high : 0;
}

/* On a narrow screen labels are larger, measured by the map: `zoom` times. */
static box box_at(const end *e, int place, double zoom) {
    double x = e->x + zoom * (places[place].right - e->width * places[place].anchor / 2);
    double y = e->y + zoom * places[place].down;
    return (box){x, y - 0.78 * ROW * zoom, x + zoom * e->width, y + 0.27 * ROW * zoom};
}

/* How much of the paths a label would hide. */
static double hidden(const mg_report_map *map, const box *b) {
    double points = 0;
    for (size_t r = 0; r < map->count; r++) {
        const mg_report_route *route = &map->routes[r];
        double x, y, last_x = NAN, last_y = NAN;
        for (size_t i = 0; i < route->count; i++, last_x = x, last_y = y) {
            mg_report_project(map, route->x[i], route->y[i], &x, &y);
            int parts = isnan(last_x) ? 1 : 1 + (int)fmin(hypot(x - last_x, y - last_y) / 4, 400);
            for (int k = 0; k < parts; k++) {
                double share = isnan(last_x) ? 0 : (double)k / parts;
                double at_x = share > 0 ? x + share * (last_x - x) : x, at_y = share > 0 ? y + share * (last_y - y) : y;
                points += at_x > b->left && at_x < b->right && at_y > b->top && at_y < b->bottom;
            }
        }
    }
    return points;
}

/* What a label must not lie on; 0: it lies on nothing. */
static double trouble(const labels *l, const end *e, const box *b) {
    double area = shared(b, &l->scale) + shared(b, &l->north);
    box frame = {6, 6, MG_REPORT_MAP_WIDTH - 6, l->map->height - 6};
    area += (b->right - b->left) * (b->bottom - b->top) - shared(b, &frame);
    for (size_t i = 0; i < l->count; i++) {
        const end *other = &l->ends[i];
        box mark = {other->x - MARK, other->y - MARK, other->x + MARK, other->y + MARK};
        if (other != e) area += shared(b, &mark);
        if (other != e && other->labelled) area += shared(b, &other->label);
    }
    return area < 1e-6 ? 0 : area;
}

/* The first ones always get a place; of many that are near to each other some do without. */
static void place_labels(labels *l) {
    for (size_t i = 0; i < l->count; i++) {
        end *e = &l->ends[i];
        double least = INFINITY;
        if (!*e->text) continue;
        for (int place = 0; place < PLACES; place++) {
            box b = box_at(e, place, 1), narrow = box_at(e, place, NARROW_ZOOM);
            double bad = 1000 * trouble(l, e, &b) + hidden(l->map, &b) + 0.03 * trouble(l, e, &narrow) +
                         0.3 * hidden(l->map, &narrow) + 0.25 * place;
            if (bad >= least) continue;
            least = bad;
            e->place = place;
        }
        box b = box_at(e, e->place, 1);
        if (i >= 2 && trouble(l, e, &b) > 0) continue;
        e->label = b;
        e->labelled = true;
    }
}

/* ---- drawing ---------------------------------------------------------------------------------------------------- */

static void put_place(mg_sink *file, const labels *l, const end *e, bool alone, const char *x, const char *y) {
    if (alone) mg_sink_format(file, " %s=\"%.1f\" %s=\"%.1f\"", x, e->x, y, e->y);
    else
        mg_sink_format(file, " %s=\"%.2f%%\" %s=\"%.2f%%\"", x, 100 * e->x / MG_REPORT_MAP_WIDTH, y,
                       100 * e->y / l->map->height);
}

static void put_mark(mg_sink *file, const labels *l, const end *e, bool alone) {
    if (e->starts) {
        mg_sink_put(file, "<circle class=\"start\" r=\"6.5\" fill=\"#ffffff\" stroke=\"#1c1e23\" stroke-width=\"3\"");
        put_place(file, l, e, alone, "cx", "cy");
        mg_sink_put(file, "/>");
    }
    if (e->ends) {
        mg_sink_format(file, "<circle class=\"end\" r=\"%s\" fill=\"#1c1e23\" stroke=\"#ffffff\" stroke-width=\"%s\"",
                       e->starts ? "2.5" : "7", e->starts ? "0" : "2");
        put_place(file, l, e, alone, "cx", "cy");
        mg_sink_put(file, "/>");
    }
    mg_sink_char(file, '\n');
}

static void put_label(mg_sink *file, const labels *l, const end *e, bool alone) {
    static const char *const anchors[] = {"start", "middle", "end"};
    mg_sink_format(file, "<text class=\"name\" font-size=\"14\" font-weight=\"600\" text-anchor=\"%s\"",
                   anchors[places[e->place].anchor]);
    put_place(file, l, e, alone, "x", "y");
    mg_sink_format(file, " dx=\"%g\" dy=\"%g\">", places[e->place].right, places[e->place].down);
    mg_report_put(file, e->text);
    mg_sink_put(file, "</text>\n");
}

bool mg_report_scale_on_right(const mg_report_map *map) {
    double wide = 240 * NARROW_ZOOM / 2, high = 52 * NARROW_ZOOM;
    box left = {0, map->height - high, wide, map->height}, right = left;
    right.left = MG_REPORT_MAP_WIDTH - wide;
    right.right = MG_REPORT_MAP_WIDTH;
    return hidden(map, &left) > 0 && hidden(map, &right) == 0;
}

void mg_report_put_labels(mg_sink *file, const mg_report_map *map, bool alone) {
    labels l = {.map = map, .scale = {0, map->height - 52, 240, map->height}};
    if (mg_report_scale_on_right(map)) {
        l.scale.left = MG_REPORT_MAP_WIDTH - 240;
        l.scale.right = MG_REPORT_MAP_WIDTH;
    }
    l.north = (box){MG_REPORT_MAP_WIDTH - 48, 0, MG_REPORT_MAP_WIDTH, 52};
    for (size_t r = 0; r < map->count; r++) {
        const mg_report_route *route = &map->routes[r];
        if (route->count == 0) continue;
        add_end(&l, route, 0, route->from, true);
        add_end(&l, route, route->count - 1, route->to, false);
    }
    place_labels(&l);
    for (size_t i = l.count; i-- > 0;) put_mark(file, &l, &l.ends[i], alone);
    for (size_t i = l.count; i-- > 0;)
        if (l.ends[i].labelled) put_label(file, &l, &l.ends[i], alone);
}
