/* Distances: a breadth-first search from the vertex of highest degree in the largest component, and one from a vertex
 * that is farthest from it (the double sweep of Magnien, Latapy and Habib 2009): the longest distance found is a lower
 * bound of the diameter, twice the shorter of the two an upper bound in undirected graphs. */
#include "algo/overview/overview.h"

#include <meguri/bfs.h>
#include <meguri/extra/overview.h>

static uint64_t find_source(const mg_overview_work *w, const uint32_t *component) {
    uint64_t largest = w->info->largest_components.items[0].vertex, most = 0, source = MG_NO_VERTEX;
    for (uint64_t v = 0; v < w->graph->vertices; v++) {
        uint64_t position = mg_to_user(&w->numbering, (uint32_t)v);
        uint64_t degree = mg_row_end(&w->out, v) - mg_row_begin(&w->out, v);
        if (component[position] != largest || degree < most || (degree == most && position > source)) continue;
        most = degree;
        source = position;
    }
    return source;
}

typedef struct sweep {
    const int32_t *level;
    uint64_t depth, reached, farthest;
} sweep;

static meguri_status run_search(sweep *out, mg_overview_work *w, meguri_bfs_search *search, uint64_t source) {
    const meguri_result *result;
    meguri_column levels = {.size = sizeof levels};
    meguri_fact depth = {.size = sizeof depth}, reached = {.size = sizeof reached};
    meguri_status status = meguri_bfs_search_run(&result, w->ctx, search, source);
    if (status == MEGURI_OK) status = meguri_result_column(&levels, result, "level");
    if (status == MEGURI_OK) status = meguri_result_fact(&depth, result, "depth");
    if (status == MEGURI_OK) status = meguri_result_fact(&reached, result, "reached");
    if (status != MEGURI_OK) return status;
    *out = (sweep){levels.data, depth.number, reached.number, source};
    for (uint64_t v = 0; v < w->graph->vertices; v++)
        if (out->level[v] == (int64_t)depth.number) {
            out->farthest = v;
            break;
        }
    return MEGURI_OK;
}

/* How many vertices are at each distance; the source itself does not count. */
static meguri_status describe_levels(mg_overview_work *w, const sweep *s) {
    mg_overview_count *counts = mg_alloc_array(w->ctx, s->depth + 1, sizeof *counts, "the levels of a search");
    if (!counts) return MEGURI_NO_MEMORY;
    for (uint64_t level = 0; level <= s->depth; level++) counts[level] = (mg_overview_count){level, 0};
    for (uint64_t v = 0; v < w->graph->vertices; v++)
        if (s->level[v] >= 0) counts[s->level[v]].count++;
    mg_overview_distribution(&w->info->levels, w, MG_OVERVIEW_LEVELS, counts + 1, s->depth, true);
    mg_free(counts);
    return MEGURI_OK;
}

static meguri_status sweep_twice(mg_overview_work *w, meguri_bfs_search *search) {
    meguri_overview_info *info = w->info;
    sweep first, second;
    meguri_status status = run_search(&first, w, search, info->source);
    if (status == MEGURI_OK) status = describe_levels(w, &first);
    if (status != MEGURI_OK) return status;
    info->reached = first.reached;
    info->farthest = first.farthest;
    status = run_search(&second, w, search, first.farthest);
    if (status != MEGURI_OK) return status;
    info->longest = MG_MAX(first.depth, second.depth);
    if (!w->graph->directed) info->diameter_at_most = 2 * MG_MIN(first.depth, second.depth);
    return MEGURI_OK;
}

meguri_status mg_overview_distances(mg_overview_work *w) {
    meguri_bfs_search *search = NULL;
    const meguri_bfs_options options = {.size = sizeof options, .max_depth = UINT32_MAX, .levels = 1, .parents = 0};
    meguri_column component = {.size = sizeof component};
    if (!w->graph->vertices) return MEGURI_OK;
    meguri_status status = meguri_result_column(&component, w->components, "component");
    if (status != MEGURI_OK) return status;
    w->info->source = find_source(w, component.data);
    meguri_result_free(w->components);
    w->components = NULL;
    status = meguri_bfs_search_new(&search, w->ctx, w->graph, &options);
    if (status == MEGURI_OK) status = sweep_twice(w, search);
    meguri_bfs_search_free(search);
    return status;
}
