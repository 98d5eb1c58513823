/* One cheapest path, or one with the fewest edges, on a device: near and far that ends at the target (algo/sssp), where
 * for the fewest edges each counts 1. The host follows parents back from the target. A search keeps what the device
 * had, so that questions from the same vertex that follow each other cost one search as far as their farthest target.
 */
#include "algo/path/path.h"

#include "algo/sssp/sssp.h"
#include "device/device.h"

#include <math.h>

typedef struct on_device {
    mg_sssp_to *searches[2]; /* by weights, by edges; NULL: not yet */
    uint64_t *arcs;
    uint64_t arc_room;
} on_device;

static void free_on_device(void *data) {
    on_device *d = data;
    mg_sssp_to_free(d->searches[0]);
    mg_sssp_to_free(d->searches[1]);
    mg_free(d->arcs);
}

meguri_status mg_path_device_takes(meguri_path_query *query, meguri_ctx *ctx, const meguri_path_finder *f) {
    if (query->algorithm == MEGURI_PATH_AUTO)
        query->algorithm = f->weighted ? MEGURI_PATH_DIJKSTRA : MEGURI_PATH_SHORTEST;
    if (query->algorithm != MEGURI_PATH_DIJKSTRA && query->algorithm != MEGURI_PATH_SHORTEST)
        return mg_fail(ctx, MEGURI_ENGINE_FAILED,
                       "the path algorithm %s does not run on a device: dijkstra and shortest do.",
                       meguri_path_algorithm_name(query->algorithm));
    if (query->algorithm == MEGURI_PATH_DIJKSTRA && query->max_hops && f->weighted)
        return mg_fail(ctx, MEGURI_ENGINE_FAILED,
                       "a maximum of edges for the path algorithm dijkstra does not run on a device; use the host.");
    if (query->algorithm == MEGURI_PATH_SHORTEST && query->has_max_cost && f->weighted)
        return mg_fail(ctx, MEGURI_ENGINE_FAILED,
                       "a maximum cost for the path algorithm shortest does not run on a device where edges have "
                       "weights; use the host.");
    return MEGURI_OK;
}

static bool is_over(void *what) {
    mg_path_question *q = what;
    return q->over || mg_path_look(q);
}

/* No distance beyond is asked for; where edges count 1 each, they are what is limited. */
static double most(const mg_path_question *q, bool by_edges) {
    const meguri_path_query *query = q->query;
    double most = query->has_max_cost ? query->max_cost : INFINITY;
    return by_edges && query->max_hops ? MG_MIN(most, (double)query->max_hops) : most;
}

static meguri_status get_search(mg_sssp_to **out, mg_path_question *q, on_device *d, bool by_edges) {
    const meguri_path_finder *f = q->finder;
    meguri_status status = MEGURI_OK;
    if (!d->searches[by_edges])
        status = mg_sssp_to_new(&d->searches[by_edges], q->ctx, f->graph, &f->forward,
                                by_edges ? MEGURI_TYPE_NONE : f->graph->weight_type, by_edges ? 1 : f->heaviest);
    *out = d->searches[by_edges];
    return status;
}

/* Of parallel arcs the cheapest comes first. */
static meguri_status give(mg_path_question *q, on_device *d, const uint32_t *parents) {
    uint64_t hops = 0;
    for (uint32_t v = q->to; v != q->from && !mg_path_time_over(q); v = parents[v]) hops++;
    if (hops > d->arc_room) {
        uint64_t *arcs = mg_resize(q->ctx, d->arcs, 2 * hops * sizeof *arcs, "a path");
        if (!arcs) return MEGURI_NO_MEMORY;
        d->arcs = arcs;
        d->arc_room = 2 * hops;
    }
    uint64_t at = hops;
    for (uint32_t v = q->to; v != q->from && !mg_path_time_over(q); v = parents[v])
        d->arcs[--at] = mg_path_arc(q->finder, parents[v], v);
    return mg_path_give(q, d->arcs, hops);
}

meguri_status mg_path_on_device(mg_path_question *q) {
    on_device *d = mg_path_slot_get(q, MG_PATH_ON_DEVICE, sizeof *d, free_on_device);
    bool by_edges = q->query->algorithm == MEGURI_PATH_SHORTEST || !q->finder->weighted;
    mg_sssp_to *search = NULL;
    mg_sssp_got got;
    MG_ENTERED(entered);
    meguri_status status = mg_device_enter(&entered, q->ctx, true);
    if (status == MEGURI_OK) status = d ? get_search(&search, q, d, by_edges) : MEGURI_NO_MEMORY;
    if (status != MEGURI_OK) return status;
    if (q->from == q->to) {
        mg_gate_leave(&entered);
        return mg_path_give(q, d->arcs, 0);
    }
    const mg_sssp_goal goal = {
        .source = q->from, .target = q->to, .most = most(q, by_edges), .over = is_over, .what = q};
    status = mg_sssp_to_run(&got, q->ctx, search, &goal);
    q->answer->settled += got.vertices;
    q->answer->edges += got.arcs;
    mg_gate_leave(&entered); /* paths are taken without it; what was got is the search's */
    return status == MEGURI_OK && got.there && !q->over ? give(q, d, got.parents) : status;
}
