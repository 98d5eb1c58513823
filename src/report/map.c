/* The map as SVG: network, paths, ends with their names, scale, north.
 *
 * As part of a page its lines lie in a drawing that is stretched to the width there is, while strokes, marks and text
 * keep their size; a picture of its own is scaled as a whole, and carries its colours and a legend. */
#include "report/page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEGEND_ROWS 12 /* of a picture */
#define ROW_HEIGHT  22.0
#define MANY_ROUTES 12 /* from then on all are thin */

typedef struct painter {
    mg_sink *file;
    const mg_report_map *map;
    bool alone; /* a file of its own */
} painter;

/* For programs that do not know variables of style sheets. */
static const char *const paints[MG_REPORT_PAINTS] = {"#0b6cbd", "#d9660a", "#0c8870", "#8450bd", "#9b7d05",
                                                     "#c43f74", "#3a94bd", "#7a5a3c", "#5d8a1f", "#525c9e"};

/* ---- what is known about a path --------------------------------------------------------------------------------- */

static bool same_text(const char *a, const char *b) { return a && b ? strcmp(a, b) == 0 : a == b; }

/* All paths go from the same vertex to the same. */
static bool same_ends(const mg_report_map *map) {
    for (size_t i = 1; i < map->count; i++)
        if (!same_text(map->routes[i].from, map->routes[0].from) || !same_text(map->routes[i].to, map->routes[0].to))
            return false;
    return map->count > 0 && map->routes[0].from && map->routes[0].to;
}

static void put_ends(mg_sink *file, const mg_report_route *route, const char *join) {
    mg_report_put(file, route->from ? route->from : "?");
    mg_sink_put(file, join);
    mg_report_put(file, route->to ? route->to : "?");
}

static void put_length(mg_sink *file, const mg_report_map *map, double length) {
    char text[MG_REPORT_TEXT];
    if (map->metric != MEGURI_PATH_GREAT_CIRCLE && length >= 100 && length < 1e15)
        mg_sink_format(file, "length %s", mg_thousands(text, (uint64_t)(length + 0.5)));
    else if (map->metric != MEGURI_PATH_GREAT_CIRCLE) mg_sink_format(file, "length %.3g", length);
    else if (length < 999.5) mg_sink_format(file, "%.0f" MG_REPORT_NBSP "m", length);
    else mg_sink_format(file, length < 99950 ? "%.1f" MG_REPORT_NBSP "km" : "%.0f" MG_REPORT_NBSP "km", length / 1000);
}

static void put_facts(mg_sink *file, const mg_report_map *map, const mg_report_route *route) {
    char text[MG_REPORT_TEXT];
    const char *join = "";
    if (route->has_cost) {
        mg_sink_format(file, "cost %s", mg_real_text(text, route->cost));
        join = ", ";
    }
    if (route->has_hops) {
        mg_sink_format(file, "%s%s hop%s", join, mg_thousands(text, route->hops), route->hops == 1 ? "" : "s");
        join = ", ";
    }
    if (!route->has_length || route->count < 2) return;
    mg_sink_put(file, join);
    put_length(file, map, route->length);
}

/* "Path 2" where ends are said above, else both ends. */
static void put_name(mg_sink *file, const mg_report_map *map, size_t r) {
    if (same_ends(map)) mg_sink_format(file, map->count > 1 ? "Path %zu" : "Path", r + 1);
    else if (map->routes[r].from || map->routes[r].to) put_ends(file, &map->routes[r], " → ");
    else mg_sink_format(file, "Line %zu", r + 1);
}

/* ---- lines ------------------------------------------------------------------------------------------------------ */

/* Strokes of a page keep their width however lines are stretched; in a picture they are in fine units like all else. */
static void put_stroke(const painter *p, const char *class, const char *color, double width) {
    mg_sink_format(p->file, "<path class=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"%g\"%s d=\"", class, color,
                   p->alone ? width * MG_REPORT_FINE : width, p->alone ? "" : " vector-effect=\"non-scaling-stroke\"");
}

static void put_network(const painter *p) {
    static const char *const classes[MG_REPORT_NET] = {"net side", "net middling", "net main"};
    static const char *const colors[MG_REPORT_NET] = {"#d9d6cf", "#c4c0b7", "#a9a59b"};
    static const double widths[MG_REPORT_NET] = {0.7, 1, 1.6};
    for (int i = 0; i < MG_REPORT_NET; i++) {
        if (!p->map->network[i] || !*p->map->network[i]) continue;
        put_stroke(p, classes[i], colors[i], widths[i]);
        mg_sink_format(p->file, "%s\"/>\n", p->map->network[i]);
    }
}

static void put_line(const painter *p, const mg_report_route *route) {
    long at_x = 0, at_y = 0;
    for (size_t i = 0; i < route->count; i++) {
        double across, down;
        mg_report_project(p->map, route->x[i], route->y[i], &across, &down);
        long x = lround(across * MG_REPORT_FINE), y = lround(down * MG_REPORT_FINE);
        if (i == 0) mg_sink_format(p->file, "M%ld %ldl0 0", x, y);
        else if (labs(x - at_x) + labs(y - at_y) < MG_REPORT_FINE / 3 && i + 1 < route->count) continue;
        else
            mg_sink_format(p->file, x >= at_x ? " %ld" : "%ld", x - at_x),
                mg_sink_format(p->file, y >= at_y ? " %ld" : "%ld", y - at_y);
        at_x = x;
        at_y = y;
    }
}

/* Alternatives are thin. The best paths of several questions may share streets: those that lie above are a little
 * thinner, so that the others show on both sides. */
static double width_of(const mg_report_map *map, size_t r) {
    if (map->routes[r].index > 0) return 2.4;
    if (map->count > MANY_ROUTES) return 2.8;
    return same_ends(map) ? 4.2 : 3.6 + 3.4 * (double)r / (double)map->count;
}

static void put_route(const painter *p, size_t r) {
    char class[MG_REPORT_TEXT];
    mg_sink_put(p->file, "<g class=\"route\"><title>");
    put_name(p->file, p->map, r);
    mg_sink_put(p->file, ": ");
    put_facts(p->file, p->map, &p->map->routes[r]);
    mg_sink_put(p->file, "</title>");
    snprintf(class, sizeof class, "way r%d", (int)(r % MG_REPORT_PAINTS));
    put_stroke(p, class, paints[r % MG_REPORT_PAINTS], width_of(p->map, r));
    put_line(p, &p->map->routes[r]);
    mg_sink_put(p->file, "\"/></g>\n");
}

/* The last first, so that the best of each question lies above its alternatives; and under all of them the air that
 * lifts them off the network. */
static void put_routes(const painter *p) {
    const mg_report_map *map = p->map;
    for (size_t r = 0; r < map->count; r++) {
        if (map->routes[r].count < 2) continue;
        put_stroke(p, "case", "#ffffff", width_of(map, r) + 2.6);
        put_line(p, &map->routes[r]);
        mg_sink_put(p->file, "\"/>\n");
    }
    for (int best = 0; best < 2; best++)
        for (size_t r = map->count; r-- > 0;)
            if (map->routes[r].count >= 2 && (map->routes[r].index == 0) == best) put_route(p, r);
}

/* ---- scale and north -------------------------------------------------------------------------------------------- */

static double round_down(double value) {
    double power = pow(10, floor(log10(value)));
    return value >= 5 * power ? 5 * power : value >= 2 * power ? 2 * power : power;
}

static void put_across(const painter *p, const char *key, double value) {
    if (p->alone) mg_sink_format(p->file, " %s=\"%.1f\"", key, value);
    else mg_sink_format(p->file, " %s=\"%.2f%%\"", key, 100 * value / MG_REPORT_MAP_WIDTH);
}

static void put_down(const painter *p, const char *key, double value) {
    if (p->alone) mg_sink_format(p->file, " %s=\"%.1f\"", key, value);
    else mg_sink_format(p->file, " %s=\"%.2f%%\"", key, 100 * value / p->map->height);
}

static void put_scale(const painter *p) {
    const double metres = acos(-1) * 6371008.8 / 180;
    bool degrees = p->map->metric == MEGURI_PATH_GREAT_CIRCLE;
    double unit = (degrees ? metres : 1) / p->map->per_y, value = round_down(190 * unit);
    double bar = value / unit, from = mg_report_scale_on_right(p->map) ? MG_REPORT_MAP_WIDTH - 18 - bar : 18;
    char text[MG_REPORT_TEXT];
    if (!degrees && value >= 1) {
        mg_thousands(text, (uint64_t)value);
        strcat(text, value == 1 ? MG_REPORT_NBSP "unit" : MG_REPORT_NBSP "units");
    } else if (!degrees) snprintf(text, sizeof text, "%g" MG_REPORT_NBSP "units", value);
    else if (value < 1000) snprintf(text, sizeof text, "%g" MG_REPORT_NBSP "m", value);
    else snprintf(text, sizeof text, "%g" MG_REPORT_NBSP "km", value / 1000);
    mg_sink_put(p->file, "<svg class=\"scale\" overflow=\"visible\"");
    put_down(p, "y", p->map->height);
    mg_sink_put(p->file, ">");
    for (int i = 0; i < 2; i++) {
        mg_sink_format(p->file, "<line class=\"%s\" stroke=\"%s\" stroke-width=\"%d\" y1=\"-18\" y2=\"-18\"",
                       i ? "bar-line" : "halo", i ? "#1c1e23" : "#ffffff", i ? 3 : 7);
        put_across(p, "x1", from);
        put_across(p, "x2", from + bar);
        mg_sink_put(p->file, "/>");
    }
    mg_sink_format(p->file, "<text class=\"name small\" font-size=\"12\" text-anchor=\"%s\" y=\"-27\"",
                   from > MG_REPORT_MAP_WIDTH / 2 ? "end" : "start");
    put_across(p, "x", from > MG_REPORT_MAP_WIDTH / 2 ? from + bar : from);
    mg_sink_format(p->file, ">%s</text></svg>\n", text);
    if (!degrees) return;
    mg_sink_put(p->file, "<svg class=\"north\" overflow=\"visible\"");
    put_across(p, "x", MG_REPORT_MAP_WIDTH);
    mg_sink_put(p->file,
                "><path class=\"needle\" fill=\"#5c626c\" d=\"M-24 14l6 15-6-4-6 4z\"/><text class=\"name small\" "
                "font-size=\"12\" "
                "text-anchor=\"middle\" x=\"-24\" y=\"43\">N</text></svg>\n");
}

/* ---- the whole picture ------------------------------------------------------------------------------------------ */

static void put_drawing(const painter *p) {
    const mg_report_map *map = p->map;
    mg_sink_format(p->file, "<rect class=\"sheet\" fill=\"#fbfaf8\" width=\"100%%\"%s",
                   p->alone ? "" : " height=\"100%\"");
    if (p->alone) mg_sink_format(p->file, " height=\"%.0f\"", map->height);
    mg_sink_put(p->file, "/>\n<svg class=\"lines\" width=\"100%\"");
    put_down(p, "height", map->height);
    mg_sink_format(p->file,
                   " viewBox=\"0 0 %.0f %.0f\" preserveAspectRatio=\"none\" stroke-linecap=\"round\" "
                   "stroke-linejoin=\"round\">\n",
                   MG_REPORT_MAP_WIDTH * MG_REPORT_FINE, map->height * MG_REPORT_FINE);
    put_network(p);
    put_routes(p);
    mg_sink_put(p->file, "</svg>\n");
    put_scale(p);
    mg_report_put_labels(p->file, map, p->alone);
}

static const char *why_nothing(const mg_report_map *map) {
    if (map->count == 0) return map->others ? "There are no paths in this file." : "No path was found.";
    return "There is no map of these paths, because their vertices have no coordinates.";
}

/* ---- a part of a page ------------------------------------------------------------------------------------------- */

static void put_lead(mg_sink *page, const mg_report_map *map) {
    char text[MG_REPORT_TEXT];
    mg_sink_put(page, "<p class=\"lead\">");
    if (map->count == 0) mg_sink_put(page, why_nothing(map));
    else {
        mg_sink_format(page, "%s path%s", mg_thousands(text, map->count + map->left_out),
                       map->count + map->left_out == 1 ? "" : "s");
        if (same_ends(map)) {
            mg_sink_put(page, " from ");
            put_ends(page, &map->routes[0], " to ");
        }
        mg_sink_put(page, ".");
    }
    mg_sink_put(page, "</p>\n");
}

static void put_item(mg_sink *page, const mg_report_map *map, size_t r) {
    mg_sink_format(page,
                   "<li><svg class=\"swatch\" width=\"22\" height=\"14\" aria-hidden=\"true\"><line class=\"way r%d\" "
                   "x1=\"2\" x2=\"20\" y1=\"7\" y2=\"7\" stroke-width=\"%s\"/></svg><b>",
                   (int)(r % MG_REPORT_PAINTS), map->routes[r].index ? "2.4" : "4.2");
    put_name(page, map, r);
    mg_sink_put(page, "</b> <span class=\"soft\">");
    put_facts(page, map, &map->routes[r]);
    mg_sink_put(page, "</span></li>\n");
}

static void put_legend(mg_sink *page, const mg_report_map *map) {
    bool folded = map->count > LEGEND_ROWS + 3;
    mg_sink_put(page, "<ul class=\"routes\">\n");
    for (size_t r = 0; r < map->count; r++) {
        if (folded && r == LEGEND_ROWS)
            mg_sink_format(page, "</ul>\n<details><summary>%zu more</summary>\n<ul class=\"routes\">\n",
                           map->count - r);
        put_item(page, map, r);
    }
    mg_sink_put(page, folded ? "</ul></details>\n" : "</ul>\n");
}

static void put_notes(mg_sink *page, const mg_report_map *map) {
    char a[MG_REPORT_TEXT], b[MG_REPORT_TEXT];
    if (map->left_out)
        mg_sink_format(page, "<p class=\"note\">These are the first %s of %s paths.</p>\n", mg_thousands(a, map->count),
                       mg_thousands(b, map->count + map->left_out));
    if (map->others)
        mg_sink_format(page, "<p class=\"note\">The file has %s more thing%s, neither line nor point.</p>\n",
                       mg_thousands(a, map->others), map->others == 1 ? "" : "s");
    if (map->count > 0 && !map->drawn) mg_sink_format(page, "<p class=\"note\">%s</p>\n", why_nothing(map));
    if (map->drawn && map->network_without_places)
        mg_sink_put(page, "<p class=\"note\">The graph has no coordinates, so that its network is not shown.</p>\n");
    if (map->edges_shown < map->edges_inside)
        mg_sink_format(
            page,
            "<p class=\"note\">Behind the paths: the %s edges of %s in this frame that shortest paths use most.</p>\n",
            mg_thousands(a, map->edges_shown), mg_thousands(b, map->edges_inside));
}

void mg_report_put_drawing(mg_sink *page, const mg_report_map *map, const char *text) {
    painter p = {page, map, false};
    mg_sink_format(page,
                   "<svg class=\"map\" role=\"img\" style=\"aspect-ratio:%.0f/%.0f\" aria-labelledby=\"map-t\" "
                   "aria-describedby=\"map-d\"><title id=\"map-t\">Map</title><desc id=\"map-d\">%s</desc>\n",
                   MG_REPORT_MAP_WIDTH, map->height, text);
    put_drawing(&p);
    mg_sink_put(page, "</svg>\n");
}

void mg_report_put_map(mg_sink *page, const mg_report_map *map) {
    if (!map->searched) return;
    mg_sink_put(page, "<section id=\"map\"><h2>Map</h2>\n");
    put_lead(page, map);
    if (map->count > 0) {
        mg_sink_put(page, "<div class=\"card\">\n");
        if (map->drawn) mg_report_put_drawing(page, map, "The paths as lines on a map, north up.");
        put_legend(page, map);
        put_notes(page, map);
        mg_sink_put(page, "</div>\n");
    }
    mg_sink_put(page, "</section>\n");
}

/* ---- a file of its own ------------------------------------------------------------------------------------------ */

static void put_row(mg_sink *file, double y, const mg_report_map *map, size_t r) {
    mg_sink_format(
        file,
        "<line class=\"way r%d\" stroke=\"%s\" stroke-width=\"%s\" stroke-linecap=\"round\" x1=\"18\" x2=\"40\" "
        "y1=\"%.0f\" y2=\"%.0f\"/>",
        (int)(r % MG_REPORT_PAINTS), paints[r % MG_REPORT_PAINTS], map->routes[r].index ? "2.4" : "4.2", y - 4, y - 4);
    mg_sink_format(file, "<text class=\"name\" font-size=\"13\" x=\"50\" y=\"%.0f\">", y);
    if (same_ends(map) && map->count == 1) put_ends(file, &map->routes[0], " → ");
    else put_name(file, map, r);
    mg_sink_put(file, " <tspan class=\"soft\" fill=\"#5c626c\">");
    put_facts(file, map, &map->routes[r]);
    mg_sink_put(file, "</tspan></text>\n");
}

void mg_report_put_picture(mg_sink *file, const mg_report_map *map) {
    painter p = {file, map, true};
    char text[MG_REPORT_TEXT];
    size_t rows = !map->drawn ? 0 : map->count < LEGEND_ROWS ? map->count : LEGEND_ROWS;
    uint64_t more = map->drawn ? map->count - rows + map->left_out : 0;
    double top = map->drawn ? map->height : 0;
    double height = top + (map->drawn ? 18 : 60) + ROW_HEIGHT * (double)(rows + (more > 0));
    mg_sink_format(
        file,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"map alone\" role=\"img\" width=\"%.0f\" height=\"%.0f\" "
        "viewBox=\"0 0 %.0f %.0f\" font-family=\"system-ui, 'Segoe UI', Roboto, 'Noto Sans', 'DejaVu Sans', "
        "sans-serif\">\n<title>Paths on a map</title>\n<style>\n%s%s</style>\n"
        "<rect class=\"paper\" fill=\"#ffffff\" width=\"100%%\" height=\"100%%\"/>\n",
        MG_REPORT_MAP_WIDTH, height, MG_REPORT_MAP_WIDTH, height, mg_report_colors_css, mg_report_map_css);
    if (!map->drawn)
        mg_sink_format(file, "<text class=\"name\" font-size=\"15\" x=\"24\" y=\"35\">%s</text>\n", why_nothing(map));
    else put_drawing(&p);
    for (size_t r = 0; r < rows; r++) put_row(file, top + 26 + ROW_HEIGHT * (double)r, map, r);
    if (more)
        mg_sink_format(
            file,
            "<text class=\"name soft\" font-size=\"13\" fill=\"#5c626c\" x=\"50\" y=\"%.0f\">and %s more</text>\n",
            top + 26 + ROW_HEIGHT * (double)rows, mg_thousands(text, more));
    mg_sink_put(file, "</svg>\n");
}
