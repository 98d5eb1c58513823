/* What places of vertices are: degrees, millionths of degrees, or the units of a plane; and lines of them. */
#include "report/report.h"

#include <math.h>

#define BLOCK        4096
#define EARTH_RADIUS 6371008.8 /* metres, the mean */

/* Millionths of degrees: some are above a million, and all are what degrees can be. Degrees: all are what degrees can
 * be, and not all are whole, as the places of a grid often are. Anything else is planar. */
meguri_status mg_places_look(mg_places *out, meguri_ctx *ctx, const meguri_graph *graph) {
    double x[BLOCK], y[BLOCK], far_x = 0, far_y = 0;
    meguri_graph_info info = {.size = sizeof info};
    meguri_status status = meguri_graph_get_info(&info, ctx, graph);
    bool whole = true;
    for (uint64_t first = 0; status == MEGURI_OK && first < info.vertices; first += BLOCK) {
        uint64_t count = info.vertices - first < BLOCK ? info.vertices - first : BLOCK;
        status = meguri_graph_coordinates(x, y, ctx, graph, first, count);
        for (uint64_t i = 0; status == MEGURI_OK && i < count; i++) {
            if (!isfinite(x[i]) || !isfinite(y[i])) continue;
            if (fabs(x[i]) > far_x) far_x = fabs(x[i]);
            if (fabs(y[i]) > far_y) far_y = fabs(y[i]);
            whole = whole && x[i] == floor(x[i]) && y[i] == floor(y[i]);
        }
    }
    if (status != MEGURI_OK) return status;
    out->millionths = (far_x > 1e6 || far_y > 1e6) && far_x <= 180e6 && far_y <= 90e6;
    out->degrees = out->millionths || (far_x <= 180 && far_y <= 90 && !whole);
    return MEGURI_OK;
}

meguri_status mg_places_get(const mg_places *places, double *x, double *y, meguri_ctx *ctx, const meguri_graph *graph,
                            uint64_t first, uint64_t count) {
    meguri_status status = meguri_graph_coordinates(x, y, ctx, graph, first, count);
    for (uint64_t i = 0; status == MEGURI_OK && places->millionths && i < count; i++) {
        x[i] /= 1e6; /* and not times 1e-6, which is no double */
        y[i] /= 1e6;
    }
    return status;
}

/* ---- lines ------------------------------------------------------------------------------------------------------ */

void mg_unwrap_line(double *x, size_t count) {
    for (size_t i = 1; i < count; i++) x[i] -= 360 * round((x[i] - x[i - 1]) / 360);
}

size_t mg_thin_line(double *x, double *y, size_t count, double least) {
    size_t kept = 1;
    if (count < 3) return count;
    for (size_t i = 1; i < count; i++) {
        if (i + 1 < count && hypot(x[i] - x[kept - 1], y[i] - y[kept - 1]) < least) continue;
        x[kept] = x[i];
        y[kept++] = y[i];
    }
    return kept;
}

double mg_line_length(const double *x, const double *y, size_t count, bool degrees) {
    const double radians = acos(-1) / 180;
    double length = 0;
    for (size_t i = 1; i < count; i++) {
        double dx = x[i] - x[i - 1], dy = y[i] - y[i - 1];
        if (!degrees) {
            length += hypot(dx, dy);
            continue;
        }
        double up = sin(dy * radians / 2), across = sin(dx * radians / 2);
        double h = up * up + cos(y[i] * radians) * cos(y[i - 1] * radians) * across * across;
        length += 2 * EARTH_RADIUS * asin(h < 1 ? sqrt(h) : 1);
    }
    return length;
}
