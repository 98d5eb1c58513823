/* Small random graphs, all their paths by brute force, and the paths that the library gives. */
#define _GNU_SOURCE
#include "algo_path_all/walking.h"

/* ---- graphs ----------------------------------------------------------------------------------------------------- */

/* Few vertices and many edges give parallel ones and loops; few edges leave parts apart. */
small_graph small_random(uint64_t *random) {
    small_graph g = {.vertices = 1 + (uint32_t)(next_random(random) % MOST_VERTICES)};
    g.edges = (uint32_t)(next_random(random) % (MOST_EDGES + 1));
    g.weighted = next_random(random) % 4 != 0;
    g.directed = next_random(random) % 2 == 0;
    double unit = g.weighted && next_random(random) % 3 == 0 ? 0.25 : 1;
    uint64_t most = 1 + next_random(random) % 5;
    for (uint32_t i = 0; i < g.edges; i++) {
        g.from[i] = (uint32_t)(next_random(random) % g.vertices);
        g.to[i] = (uint32_t)(next_random(random) % g.vertices);
        g.weight[i] = g.weighted ? unit * (double)(next_random(random) % most) : 1;
    }
    return g;
}

meguri_graph *small_build(meguri_ctx *ctx, const small_graph *g, meguri_order order) {
    meguri_graph *graph = NULL;
    meguri_edge_arrays edges = {.size = sizeof edges,
                                .count = g->edges,
                                .from = g->from,
                                .to = g->to,
                                .id_bytes = 4,
                                .weights = g->weighted ? g->weight : NULL,
                                .weight_type = g->weighted ? MEGURI_TYPE_F64 : MEGURI_TYPE_NONE,
                                .vertices = g->vertices};
    meguri_build_options options = {.size = sizeof options,
                                    .direction = g->directed ? MEGURI_DIRECTED : MEGURI_UNDIRECTED,
                                    .order = order,
                                    .duplicates = MEGURI_DUPLICATES_KEEP,
                                    .keep_loops = 1};
    assert_int_equal(meguri_graph_from_edges(&graph, ctx, &edges, &options), MEGURI_OK);
    return graph;
}

/* ---- lists of paths --------------------------------------------------------------------------------------------- */

static kept_path *list_add(path_list *list) {
    if (list->count == list->room) {
        list->room = 2 * list->room + 64;
        list->paths = realloc(list->paths, list->room * sizeof *list->paths);
        assert_non_null(list->paths);
    }
    return &list->paths[list->count++];
}

void list_free(path_list *list) {
    free(list->paths);
    *list = (path_list){0};
}

bool same_path(const kept_path *a, const kept_path *b) {
    return a->hops == b->hops && memcmp(a->vertices, b->vertices, (a->hops + 1) * sizeof *a->vertices) == 0 &&
           memcmp(a->costs, b->costs, (a->hops + 1) * sizeof *a->costs) == 0;
}

int keep_path(void *user, const meguri_path *path) {
    path_list *list = user;
    assert_int_equal(path->size, sizeof *path);
    assert_int_equal(path->index, list->count);
    assert_true(path->hops <= MOST_EDGES);
    assert_true(path->cost == path->costs[path->hops] && path->costs[0] == 0);
    kept_path *kept = list_add(list);
    kept->hops = (uint32_t)path->hops;
    memcpy(kept->vertices, path->vertices, (path->hops + 1) * sizeof *kept->vertices);
    memcpy(kept->costs, path->costs, (path->hops + 1) * sizeof *kept->costs);
    if (path->hops) memcpy(kept->edges, path->edges, path->hops * sizeof *kept->edges);
    return list->stop_after != 0 && list->count == list->stop_after;
}

path_list ask(meguri_path_answer *answer, meguri_ctx *ctx, meguri_path_search *search, const meguri_path_query *query) {
    path_list list = {0};
    *answer = (meguri_path_answer){.size = sizeof *answer};
    meguri_status status = meguri_path_search_run(answer, ctx, search, query, keep_path, &list);
    if (status != MEGURI_OK) fail_msg("%s", meguri_ctx_error(ctx));
    assert_int_equal(answer->paths, list.count);
    return list;
}

meguri_path_search *search_of(meguri_ctx *ctx, const meguri_graph *graph, meguri_path_direction direction) {
    meguri_path_search *search = NULL;
    meguri_path_finder_options options = {.size = sizeof options, .direction = direction};
    assert_int_equal(search_new(&search, ctx, graph, &options), MEGURI_OK);
    return search;
}

/* ---- brute force ------------------------------------------------------------------------------------------------ */

typedef struct step {
    uint32_t edge, to;
} step;

typedef struct trying {
    const small_graph *graph;
    const meguri_path_query *query;
    path_list *list;
    step steps[MOST_VERTICES][2 * MOST_EDGES];
    uint32_t step_count[MOST_VERTICES];
    kept_path path;
    bool used[MOST_EDGES], visited[MOST_VERTICES];
    bool simple;
} trying;

static void add_step(trying *t, uint32_t from, uint32_t edge, uint32_t to) {
    step *steps = t->steps[from];
    uint32_t i = t->step_count[from]++;
    const double *weight = t->graph->weight;
    for (; i > 0 && (steps[i - 1].to > to || (steps[i - 1].to == to && weight[steps[i - 1].edge] > weight[edge])); i--)
        steps[i] = steps[i - 1];
    steps[i] = (step){edge, to};
}

static void try_all(trying *t) {
    uint32_t hops = t->path.hops, at = (uint32_t)t->path.vertices[hops];
    const meguri_path_query *q = t->query;
    if (at == q->to && (!q->has_max_cost || t->path.costs[hops] <= q->max_cost)) *list_add(t->list) = t->path;
    if (t->simple && at == q->to) return;
    if (q->max_hops && hops == q->max_hops) return;
    t->visited[at] = true;
    for (uint32_t i = 0; i < t->step_count[at]; i++) {
        step s = t->steps[at][i];
        if (t->simple ? t->visited[s.to] : t->used[s.edge]) continue;
        t->path.edges[hops] = s.edge;
        t->path.vertices[hops + 1] = s.to;
        t->path.costs[hops + 1] = t->path.costs[hops] + t->graph->weight[s.edge];
        t->path.hops = hops + 1;
        t->used[s.edge] = true;
        try_all(t);
        t->used[s.edge] = false;
        t->path.hops = hops;
    }
    t->visited[at] = false;
}

static int by_cost(const void *a, const void *b) {
    const kept_path *x = a, *y = b;
    return (x->costs[x->hops] > y->costs[y->hops]) - (x->costs[x->hops] < y->costs[y->hops]);
}

static void keep_shortest(path_list *list) {
    uint32_t least = UINT32_MAX;
    uint64_t kept = 0;
    for (uint64_t i = 0; i < list->count; i++) least = MG_MIN(least, list->paths[i].hops);
    for (uint64_t i = 0; i < list->count; i++)
        if (list->paths[i].hops == least) list->paths[kept++] = list->paths[i];
    list->count = kept;
}

/* Where neither hops nor cost have a limit: by hops, and among equal ones as they were. */
static void put_shortest_first(path_list *list) {
    path_list sorted = {.paths = calloc(list->count + 1, sizeof *sorted.paths)};
    assert_non_null(sorted.paths);
    for (uint32_t hops = 0; hops <= MOST_EDGES; hops++)
        for (uint64_t i = 0; i < list->count; i++)
            if (list->paths[i].hops == hops) sorted.paths[sorted.count++] = list->paths[i];
    assert_int_equal(sorted.count, list->count);
    free(list->paths);
    *list = sorted;
}

path_list brute_force(const small_graph *g, const meguri_path_query *query, meguri_path_direction direction) {
    path_list list = {0};
    trying t = {.graph = g, .query = query, .list = &list, .simple = query->algorithm != MEGURI_PATH_ALL};
    for (uint32_t i = 0; i < g->edges; i++) {
        bool both = !g->directed || direction == MEGURI_PATH_BOTH;
        if (both || direction == MEGURI_PATH_OUT) add_step(&t, g->from[i], i, g->to[i]);
        if ((both && g->from[i] != g->to[i]) || (!both && direction == MEGURI_PATH_IN))
            add_step(&t, g->to[i], i, g->from[i]);
    }
    t.path.vertices[0] = (uint32_t)query->from;
    try_all(&t);
    if (query->algorithm == MEGURI_PATH_ALL_SHORTEST) keep_shortest(&list);
    if (query->algorithm == MEGURI_PATH_YENS && list.count > 1)
        qsort(list.paths, list.count, sizeof *list.paths, by_cost);
    bool every = query->algorithm == MEGURI_PATH_ALL || query->algorithm == MEGURI_PATH_SIMPLE;
    if (every && !query->max_hops && !query->has_max_cost) put_shortest_first(&list);
    return list;
}
