/* The map as SVG: network, paths, ends with their names, scale, north.
 *
 * As part of a page its lines lie in a drawing that is stretched to the width there is, while strokes, marks and text
 * keep their size; a picture of its own is scaled as a whole, and carries its colours and a legend. */
#include "report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEGEND_ROWS 12 /* of a picture */
#define ROW_HEIGHT  22.0
#define MANY_ROUTES 12 /* from then on all are thin */

typedef struct painter {
    FILE *file;
    const report_map *map;
    bool alone; /* a file of its own */
} painter;

/* For programs that do not know variables of style sheets. */
static const char *const paints[REPORT_PAINTS] = {"#0b6cbd", "#d9660a", "#0c8870", "#8450bd", "#9b7d05",
                                                  "#c43f74", "#3a94bd", "#7a5a3c", "#5d8a1f", "#525c9e"};

/* ---- what is known about a path --------------------------------------------------------------------------------- */

static bool same_text(const char *a, const char *b) { return a && b ? strcmp(a, b) == 0 : a == b; }

/* All paths go from the same vertex to the same. */
static bool same_ends(const report_map *map) {
    for (size_t i = 1; i < map->count; i++)
        if (!same_text(map->routes[i].from, map->routes[0].from) || !same_text(map->routes[i].to, map->routes[0].to))
            return false;
    return map->count > 0 && map->routes[0].from && map->routes[0].to;
}

static void put_ends(FILE *file, const report_route *route, const char *join) {
    report_put(file, route->from ? route->from : "?");
    fputs(join, file);
    report_put(file, route->to ? route->to : "?");
}

static void put_length(FILE *file, const report_map *map, double length) {
    char text[REPORT_TEXT];
    if (map->metric != REPORT_DEGREES && length >= 100 && length < 1e15)
        fprintf(file, "length %s", report_count(text, (uint64_t)(length + 0.5)));
    else if (map->metric != REPORT_DEGREES) fprintf(file, "length %.3g", length);
    else if (length < 999.5) fprintf(file, "%.0f" REPORT_NBSP "m", length);
    else fprintf(file, length < 99950 ? "%.1f" REPORT_NBSP "km" : "%.0f" REPORT_NBSP "km", length / 1000);
}

static void put_facts(FILE *file, const report_map *map, const report_route *route) {
    char text[REPORT_TEXT];
    const char *join = "";
    if (route->has_cost) {
        fprintf(file, "cost %s", cli_real_text(text, route->cost));
        join = ", ";
    }
    if (route->has_hops) {
        fprintf(file, "%s%s hop%s", join, report_count(text, route->hops), route->hops == 1 ? "" : "s");
        join = ", ";
    }
    if (!route->has_length || route->count < 2) return;
    fputs(join, file);
    put_length(file, map, route->length);
}

/* "Path 2" where ends are said above, else both ends. */
static void put_name(FILE *file, const report_map *map, size_t r) {
    if (same_ends(map)) fprintf(file, map->count > 1 ? "Path %zu" : "Path", r + 1);
    else if (map->routes[r].from || map->routes[r].to) put_ends(file, &map->routes[r], " → ");
    else fprintf(file, "Line %zu", r + 1);
}

/* ---- lines ------------------------------------------------------------------------------------------------------ */

/* Strokes of a page keep their width however lines are stretched; in a picture they are in fine units like all else. */
static void put_stroke(const painter *p, const char *class, const char *color, double width) {
    fprintf(p->file, "<path class=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"%g\"%s d=\"", class, color,
            p->alone ? width * REPORT_FINE : width, p->alone ? "" : " vector-effect=\"non-scaling-stroke\"");
}

static void put_network(const painter *p) {
    static const char *const classes[REPORT_NET] = {"net side", "net middling", "net main"};
    static const char *const colors[REPORT_NET] = {"#d9d6cf", "#c4c0b7", "#a9a59b"};
    static const double widths[REPORT_NET] = {0.7, 1, 1.6};
    for (int i = 0; i < REPORT_NET; i++) {
        if (!p->map->network[i] || !*p->map->network[i]) continue;
        put_stroke(p, classes[i], colors[i], widths[i]);
        fprintf(p->file, "%s\"/>\n", p->map->network[i]);
    }
}

static void put_line(const painter *p, const report_route *route) {
    long at_x = 0, at_y = 0;
    for (size_t i = 0; i < route->count; i++) {
        double across, down;
        report_project(p->map, route->x[i], route->y[i], &across, &down);
        long x = lround(across * REPORT_FINE), y = lround(down * REPORT_FINE);
        if (i == 0) fprintf(p->file, "M%ld %ldl0 0", x, y);
        else if (labs(x - at_x) + labs(y - at_y) < REPORT_FINE / 3 && i + 1 < route->count) continue;
        else
            fprintf(p->file, x >= at_x ? " %ld" : "%ld", x - at_x),
                fprintf(p->file, y >= at_y ? " %ld" : "%ld", y - at_y);
        at_x = x;
        at_y = y;
    }
}

/* Alternatives are thin. The best paths of several questions may share streets: those that lie above are a little
 * thinner, so that the others show on both sides. */
static double width_of(const report_map *map, size_t r) {
    if (map->routes[r].index > 0) return 2.4;
    if (map->count > MANY_ROUTES) return 2.8;
    return same_ends(map) ? 4.2 : 3.6 + 3.4 * (double)r / (double)map->count;
}

static void put_route(const painter *p, size_t r) {
    char class[REPORT_TEXT];
    fputs("<g class=\"route\"><title>", p->file);
    put_name(p->file, p->map, r);
    fputs(": ", p->file);
    put_facts(p->file, p->map, &p->map->routes[r]);
    fputs("</title>", p->file);
    snprintf(class, sizeof class, "way r%d", (int)(r % REPORT_PAINTS));
    put_stroke(p, class, paints[r % REPORT_PAINTS], width_of(p->map, r));
    put_line(p, &p->map->routes[r]);
    fputs("\"/></g>\n", p->file);
}

/* The last first, so that the best of each question lies above its alternatives; and under all of them the air that
 * lifts them off the network. */
static void put_routes(const painter *p) {
    const report_map *map = p->map;
    for (size_t r = 0; r < map->count; r++) {
        if (map->routes[r].count < 2) continue;
        put_stroke(p, "case", "#ffffff", width_of(map, r) + 2.6);
        put_line(p, &map->routes[r]);
        fputs("\"/>\n", p->file);
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
    if (p->alone) fprintf(p->file, " %s=\"%.1f\"", key, value);
    else fprintf(p->file, " %s=\"%.2f%%\"", key, 100 * value / REPORT_MAP_WIDTH);
}

static void put_down(const painter *p, const char *key, double value) {
    if (p->alone) fprintf(p->file, " %s=\"%.1f\"", key, value);
    else fprintf(p->file, " %s=\"%.2f%%\"", key, 100 * value / p->map->height);
}

static void put_scale(const painter *p) {
    const double metres = acos(-1) * 6371008.8 / 180;
    bool degrees = p->map->metric == REPORT_DEGREES;
    double unit = (degrees ? metres : 1) / p->map->per_y, value = round_down(190 * unit);
    double bar = value / unit, from = report_scale_on_right(p->map) ? REPORT_MAP_WIDTH - 18 - bar : 18;
    char text[REPORT_TEXT];
    if (!degrees && value >= 1) {
        report_count(text, (uint64_t)value);
        strcat(text, value == 1 ? REPORT_NBSP "unit" : REPORT_NBSP "units");
    } else if (!degrees) snprintf(text, sizeof text, "%g" REPORT_NBSP "units", value);
    else if (value < 1000) snprintf(text, sizeof text, "%g" REPORT_NBSP "m", value);
    else snprintf(text, sizeof text, "%g" REPORT_NBSP "km", value / 1000);
    fputs("<svg class=\"scale\" overflow=\"visible\"", p->file);
    put_down(p, "y", p->map->height);
    fputs(">", p->file);
    for (int i = 0; i < 2; i++) {
        fprintf(p->file, "<line class=\"%s\" stroke=\"%s\" stroke-width=\"%d\" y1=\"-18\" y2=\"-18\"",
                i ? "bar-line" : "halo", i ? "#1c1e23" : "#ffffff", i ? 3 : 7);
        put_across(p, "x1", from);
        put_across(p, "x2", from + bar);
        fputs("/>", p->file);
    }
    fprintf(p->file, "<text class=\"name small\" font-size=\"12\" text-anchor=\"%s\" y=\"-27\"",
            from > REPORT_MAP_WIDTH / 2 ? "end" : "start");
    put_across(p, "x", from > REPORT_MAP_WIDTH / 2 ? from + bar : from);
    fprintf(p->file, ">%s</text></svg>\n", text);
    if (!degrees) return;
    fputs("<svg class=\"north\" overflow=\"visible\"", p->file);
    put_across(p, "x", REPORT_MAP_WIDTH);
    fputs("><path class=\"needle\" fill=\"#5c626c\" d=\"M-24 14l6 15-6-4-6 4z\"/><text class=\"name small\" "
          "font-size=\"12\" "
          "text-anchor=\"middle\" x=\"-24\" y=\"43\">N</text></svg>\n",
          p->file);
}

/* ---- the whole picture ------------------------------------------------------------------------------------------ */

static void put_drawing(const painter *p) {
    const report_map *map = p->map;
    fprintf(p->file, "<rect class=\"sheet\" fill=\"#fbfaf8\" width=\"100%%\"%s", p->alone ? "" : " height=\"100%\"");
    if (p->alone) fprintf(p->file, " height=\"%.0f\"", map->height);
    fputs("/>\n<svg class=\"lines\" width=\"100%\"", p->file);
    put_down(p, "height", map->height);
    fprintf(p->file,
            " viewBox=\"0 0 %.0f %.0f\" preserveAspectRatio=\"none\" stroke-linecap=\"round\" "
            "stroke-linejoin=\"round\">\n",
            REPORT_MAP_WIDTH * REPORT_FINE, map->height * REPORT_FINE);
    put_network(p);
    put_routes(p);
    fputs("</svg>\n", p->file);
    put_scale(p);
    report_put_labels(p->file, map, p->alone);
}

static const char *why_nothing(const report_map *map) {
    if (map->count == 0) return map->others ? "There are no paths in this file." : "No path was found.";
    return "There is no map of these paths, because their vertices have no coordinates.";
}

/* ---- a part of a page ------------------------------------------------------------------------------------------- */

static void put_lead(FILE *page, const report_map *map) {
    char text[REPORT_TEXT];
    fputs("<p class=\"lead\">", page);
    if (map->count == 0) fputs(why_nothing(map), page);
    else {
        fprintf(page, "%s path%s", report_count(text, map->count + map->left_out),
                map->count + map->left_out == 1 ? "" : "s");
        if (same_ends(map)) {
            fputs(" from ", page);
            put_ends(page, &map->routes[0], " to ");
        }
        fputs(".", page);
    }
    fputs("</p>\n", page);
}

static void put_item(FILE *page, const report_map *map, size_t r) {
    fprintf(page,
            "<li><svg class=\"swatch\" width=\"22\" height=\"14\" aria-hidden=\"true\"><line class=\"way r%d\" "
            "x1=\"2\" x2=\"20\" y1=\"7\" y2=\"7\" stroke-width=\"%s\"/></svg><b>",
            (int)(r % REPORT_PAINTS), map->routes[r].index ? "2.4" : "4.2");
    put_name(page, map, r);
    fputs("</b> <span class=\"soft\">", page);
    put_facts(page, map, &map->routes[r]);
    fputs("</span></li>\n", page);
}

static void put_legend(FILE *page, const report_map *map) {
    bool folded = map->count > LEGEND_ROWS + 3;
    fputs("<ul class=\"routes\">\n", page);
    for (size_t r = 0; r < map->count; r++) {
        if (folded && r == LEGEND_ROWS)
            fprintf(page, "</ul>\n<details><summary>%zu more</summary>\n<ul class=\"routes\">\n", map->count - r);
        put_item(page, map, r);
    }
    fputs(folded ? "</ul></details>\n" : "</ul>\n", page);
}

static void put_notes(FILE *page, const report_map *map) {
    char a[REPORT_TEXT], b[REPORT_TEXT];
    if (map->left_out)
        fprintf(page, "<p class=\"note\">These are the first %s of %s paths.</p>\n", report_count(a, map->count),
                report_count(b, map->count + map->left_out));
    if (map->others)
        fprintf(page, "<p class=\"note\">The file has %s more thing%s, neither line nor point.</p>\n",
                report_count(a, map->others), map->others == 1 ? "" : "s");
    if (map->count > 0 && !map->drawn) fprintf(page, "<p class=\"note\">%s</p>\n", why_nothing(map));
    if (map->drawn && map->network_without_places)
        fputs("<p class=\"note\">The graph has no coordinates, so that its network is not shown.</p>\n", page);
    if (map->edges_shown < map->edges_inside)
        fprintf(
            page,
            "<p class=\"note\">Behind the paths: the %s edges of %s in this frame that shortest paths use most.</p>\n",
            report_count(a, map->edges_shown), report_count(b, map->edges_inside));
}

void report_put_map(FILE *page, const report_map *map) {
    painter p = {page, map, false};
    if (!map->searched) return;
    fputs("<section id=\"map\"><h2>Map</h2>\n", page);
    put_lead(page, map);
    if (map->count > 0) {
        fputs("<div class=\"card\">\n", page);
        if (map->drawn) {
            fprintf(
                page,
                "<svg class=\"map\" role=\"img\" style=\"aspect-ratio:%.0f/%.0f\" aria-labelledby=\"map-t\" "
                "aria-describedby=\"map-d\"><title id=\"map-t\">Map</title><desc id=\"map-d\">The paths as lines on a "
                "map, north up.</desc>\n",
                REPORT_MAP_WIDTH, map->height);
            put_drawing(&p);
            fputs("</svg>\n", page);
        }
        put_legend(page, map);
        put_notes(page, map);
        fputs("</div>\n", page);
    }
    fputs("</section>\n", page);
}

/* ---- a file of its own ------------------------------------------------------------------------------------------ */

static void put_row(FILE *file, double y, const report_map *map, size_t r) {
    fprintf(file,
            "<line class=\"way r%d\" stroke=\"%s\" stroke-width=\"%s\" stroke-linecap=\"round\" x1=\"18\" x2=\"40\" "
            "y1=\"%.0f\" y2=\"%.0f\"/>",
            (int)(r % REPORT_PAINTS), paints[r % REPORT_PAINTS], map->routes[r].index ? "2.4" : "4.2", y - 4, y - 4);
    fprintf(file, "<text class=\"name\" font-size=\"13\" x=\"50\" y=\"%.0f\">", y);
    if (same_ends(map) && map->count == 1) put_ends(file, &map->routes[0], " → ");
    else put_name(file, map, r);
    fputs(" <tspan class=\"soft\" fill=\"#5c626c\">", file);
    put_facts(file, map, &map->routes[r]);
    fputs("</tspan></text>\n", file);
}

void report_put_picture(FILE *file, const report_map *map) {
    painter p = {file, map, true};
    char text[REPORT_TEXT];
    size_t rows = !map->drawn ? 0 : map->count < LEGEND_ROWS ? map->count : LEGEND_ROWS;
    uint64_t more = map->drawn ? map->count - rows + map->left_out : 0;
    double top = map->drawn ? map->height : 0;
    double height = top + (map->drawn ? 18 : 60) + ROW_HEIGHT * (double)(rows + (more > 0));
    fprintf(file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"map alone\" role=\"img\" width=\"%.0f\" height=\"%.0f\" "
            "viewBox=\"0 0 %.0f %.0f\" font-family=\"system-ui, 'Segoe UI', Roboto, 'Noto Sans', 'DejaVu Sans', "
            "sans-serif\">\n<title>Paths on a map</title>\n<style>\n%s%s</style>\n"
            "<rect class=\"paper\" fill=\"#ffffff\" width=\"100%%\" height=\"100%%\"/>\n",
            REPORT_MAP_WIDTH, height, REPORT_MAP_WIDTH, height, report_colors_css, report_map_css);
    if (!map->drawn)
        fprintf(file, "<text class=\"name\" font-size=\"15\" x=\"24\" y=\"35\">%s</text>\n", why_nothing(map));
    else put_drawing(&p);
    for (size_t r = 0; r < rows; r++) put_row(file, top + 26 + ROW_HEIGHT * (double)r, map, r);
    if (more)
        fprintf(file,
                "<text class=\"name soft\" font-size=\"13\" fill=\"#5c626c\" x=\"50\" y=\"%.0f\">and %s more</text>\n",
                top + 26 + ROW_HEIGHT * (double)rows, report_count(text, more));
    fputs("</svg>\n", file);
}
