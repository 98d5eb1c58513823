/* Degrees: their distribution, the highest, and how many arcs the highest have. */
#include "algo/overview/overview.h"

/* All degrees of one direction. */
typedef struct degree_count {
    const mg_rows *rows;
    mg_overview_tally tally;
    mg_top top;
} degree_count;

static meguri_status count_new(degree_count *c, mg_overview_work *w, const mg_rows *rows) {
    *c = (degree_count){.rows = rows};
    meguri_status status = mg_overview_tally_new(&c->tally, w->ctx);
    if (status == MEGURI_OK) status = mg_top_new(&c->top, w->ctx, w->overview->options.top, w->graph->vertices);
    return status;
}

static meguri_status count_one(degree_count *c, mg_overview_work *w, uint64_t v, uint64_t *degree) {
    *degree = mg_row_end(c->rows, v) - mg_row_begin(c->rows, v);
    if (*degree) mg_top_add(&c->top, (mg_top_item){*degree, mg_to_user(&w->numbering, (uint32_t)v)});
    return mg_overview_tally_add(&c->tally, w->ctx, *degree);
}

static meguri_status count_all(degree_count c[2], mg_overview_work *w) {
    uint64_t vertices = w->graph->vertices, degree[2] = {0};
    int directions = w->graph->directed ? 2 : 1;
    meguri_status status = MEGURI_OK;
    for (uint64_t v = 0; v < vertices && status == MEGURI_OK; v++) {
        if (mg_overview_stops(w, "degrees", v)) return mg_fail_cancelled(w->ctx);
        for (int d = 0; d < directions && status == MEGURI_OK; d++) status = count_one(&c[d], w, v, &degree[d]);
        w->info->sources += directions == 2 && degree[0] && !degree[1];
        w->info->sinks += directions == 2 && !degree[0] && degree[1];
    }
    return status;
}

/* The share of all arcs at the 1 % of vertices of highest degree, rounded up. */
static double top_share(const mg_overview_count *counts, uint64_t count, uint64_t vertices, uint64_t arcs) {
    uint64_t left = (vertices + 99) / 100, sum = 0;
    for (uint64_t i = count; i-- > 0 && left;) {
        uint64_t taken = MG_MIN(left, counts[i].count);
        sum += taken * counts[i].value;
        left -= taken;
    }
    return arcs ? (double)sum / (double)arcs : 0;
}

static meguri_status finish(meguri_overview_degrees *out, degree_count *c, mg_overview_work *w, bool in) {
    mg_overview_count *counts = NULL;
    uint64_t count = 0;
    meguri_status status = mg_overview_tally_counts(&counts, &count, w->ctx, &c->tally);
    if (status != MEGURI_OK) return status;
    mg_overview_distribution(&out->numbers, w, in ? MG_OVERVIEW_IN_DEGREES : MG_OVERVIEW_DEGREES, counts, count, false);
    out->top_share = top_share(counts, count, w->graph->vertices, w->out.arcs);
    mg_overview_list(&out->top, w, in ? MG_OVERVIEW_BY_IN_DEGREE : MG_OVERVIEW_BY_DEGREE, &c->top);
    mg_free(counts);
    return MEGURI_OK;
}

meguri_status mg_overview_degrees(mg_overview_work *w) {
    degree_count c[2] = {0};
    meguri_status status = count_new(&c[0], w, &w->out);
    if (status == MEGURI_OK && w->graph->directed) status = count_new(&c[1], w, &w->in);
    if (status == MEGURI_OK) status = count_all(c, w);
    if (status == MEGURI_OK) status = finish(&w->info->degrees, &c[0], w, false);
    if (status == MEGURI_OK && w->graph->directed) status = finish(&w->info->in_degrees, &c[1], w, true);
    for (int d = 0; d < 2; d++) {
        mg_overview_tally_free(&c[d].tally);
        mg_top_free(&c[d].top);
    }
    return status;
}
