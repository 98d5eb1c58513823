/* --check of meguri path: that every path is one, keeps the limits and repeats nothing it must not, and that the best
 * one is as good as another algorithm says: shortest paths or breadth-first search from one end to all vertices. That
 * nothing is better is looked at where limits on hops and cost do not come into it and edges are followed one way. */
#include "path.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static void wrong(path_checker *c, uint64_t question, const char *what) {
    if (c->status == MEGURI_OK)
        c->status =
            cli_fail(c->run, MEGURI_WRONG_ANSWER, "the answer is wrong: question %" PRIu64 ", path %" PRIu64 ": %s.",
                     question, c->index, what);
}

/* Also where weights are no whole numbers, and another order of adding them gives other last digits. */
static bool about(double a, double b) { return fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b)); }

/* ---- one path --------------------------------------------------------------------------------------------------- */

static meguri_status get_neighbors(path_checker *c, bool in, uint64_t vertex, uint64_t *count) {
    for (;;) {
        meguri_status status = (in ? meguri_graph_in_neighbors : meguri_graph_neighbors)(
            c->neighbors, c->weights, c->room, count, c->ctx, c->base->graph, vertex);
        if (status != MEGURI_OK || *count <= c->room) return status;
        free(c->neighbors);
        free(c->weights);
        c->room = 2 * *count;
        c->neighbors = malloc(c->room * sizeof *c->neighbors);
        c->weights = malloc(c->room * sizeof *c->weights);
        if (!c->neighbors || !c->weights) {
            c->room = 0;
            return MEGURI_NO_MEMORY;
        }
    }
}

/* Whether an edge of that weight leads from one vertex to the other. */
static bool is_edge(path_checker *c, uint64_t from, uint64_t to, double weight) {
    for (int in = c->direction == MEGURI_PATH_IN; in <= (c->direction != MEGURI_PATH_OUT); in++) {
        uint64_t count = 0;
        if (get_neighbors(c, in, from, &count) != MEGURI_OK) {
            c->status = cli_fail(c->run, MEGURI_NO_MEMORY, "there is no memory to check the answer.");
            return true;
        }
        for (uint64_t i = 0; i < count; i++)
            if (c->neighbors[i] == to && about(c->weights[i], weight)) return true;
    }
    return false;
}

/* Whether a vertex, or an edge, comes twice: a table of those that have come, never more than half full. */
static bool repeats(path_checker *c, const meguri_path *path, bool edges) {
    uint64_t count = edges ? path->hops : path->hops + 1, room = 4;
    while (room < 2 * count) room *= 2;
    uint64_t *table = calloc(room, sizeof *table);
    bool twice = false;
    if (!table) {
        c->status = cli_fail(c->run, MEGURI_NO_MEMORY, "there is no memory to check the answer.");
        return false;
    }
    for (uint64_t i = 0; i < count && !twice; i++) {
        uint64_t item = 1 + (edges ? path->edges[i] : path->vertices[i]);
        uint64_t place = (item * 0x9e3779b97f4a7c15u >> 20) & (room - 1);
        if (i % 1024 == 0 && cli_interrupted()) break;
        while (table[place] && table[place] != item) place = (place + 1) & (room - 1);
        twice = table[place] == item;
        table[place] = item;
    }
    free(table);
    return twice;
}

void path_check_path(path_checker *c, uint64_t question, const meguri_path *path) {
    const meguri_path_query *query = &c->queries[question];
    c->index = path->index;
    if (path->vertices[0] != query->from || path->vertices[path->hops] != query->to)
        wrong(c, question, "it does not lead from the one vertex to the other");
    for (uint64_t i = 0; i < path->hops && c->status == MEGURI_OK; i++) {
        if (i % 1024 == 0 && cli_interrupted()) return;
        if (!is_edge(c, path->vertices[i], path->vertices[i + 1], path->costs[i + 1] - path->costs[i]))
            wrong(c, question, "there is no such edge, or it has another weight");
    }
    if (repeats(c, path, query->algorithm == MEGURI_PATH_ALL)) wrong(c, question, "something comes twice in it");
    if ((query->max_hops && path->hops > query->max_hops) || (query->has_max_cost && path->cost > query->max_cost))
        wrong(c, question, "it does not keep the limits");
    if (path->index > 0 && query->algorithm == MEGURI_PATH_YENS && path->cost < c->cost && !about(path->cost, c->cost))
        wrong(c, question, "it is cheaper than the one before it");
    if (path->index > 0 && query->algorithm == MEGURI_PATH_ALL_SHORTEST && path->hops != c->hops)
        wrong(c, question, "it has not as many edges as the one before it");
    c->cost = path->cost;
    c->hops = path->hops;
    if (path->index == 0) c->first_cost = path->cost;
}

/* ---- the best of them ------------------------------------------------------------------------------------------- */

/* How far it is, by shortest paths or by breadth-first search; infinity: there is no way. */
static meguri_status measure(path_checker *c, bool hops, uint64_t from, uint64_t to, double *far) {
    meguri_result *result = NULL;
    meguri_column column = {.size = sizeof column};
    meguri_status status = hops ? meguri_bfs(&result, c->ctx, c->base->graph, from, NULL)
                                : meguri_sssp(&result, c->ctx, c->base->graph, from, NULL);
    if (status == MEGURI_OK) status = meguri_result_column(&column, c->ctx, result, hops ? "level" : "distance");
    if (status == MEGURI_OK) {
        const char *item = (const char *)column.data + to * column.stride;
        if (hops) *far = *(const int32_t *)item < 0 ? INFINITY : *(const int32_t *)item;
        else if (column.type == MEGURI_COLUMN_F64) *far = *(const double *)item;
        else *far = *(const uint64_t *)item == UINT64_MAX ? INFINITY : (double)*(const uint64_t *)item;
    }
    meguri_result_free(result);
    return status;
}

void path_check_answer(path_checker *c, uint64_t question, const meguri_path_answer *answer) {
    const meguri_path_query *query = &c->queries[question];
    meguri_path_algorithm a = query->algorithm;
    bool fewest = a == MEGURI_PATH_SHORTEST || a == MEGURI_PATH_ALL_SHORTEST;
    bool any = a == MEGURI_PATH_ALL || a == MEGURI_PATH_SIMPLE;
    bool limited = query->max_hops || query->has_max_cost || answer->end == MEGURI_PATH_TIMEOUT;
    bool either_way = c->base->info.directed && c->direction == MEGURI_PATH_BOTH;
    if (limited || either_way) c->partly = true;
    if (c->status != MEGURI_OK || limited || either_way) return;
    bool back = c->base->info.directed && c->direction == MEGURI_PATH_IN;
    double far = 0;
    meguri_status status = measure(c, fewest, back ? query->to : query->from, back ? query->from : query->to, &far);
    c->index = 0;
    if (status != MEGURI_OK) c->status = cli_fail(c->run, status, "%s", meguri_ctx_error(c->ctx));
    else if ((answer->paths == 0) != (far == INFINITY))
        wrong(c, question, answer->paths ? "there is no way" : "there is a way that was not found");
    else if (answer->paths > 0 && !any && !about(fewest ? (double)c->hops : c->first_cost, far))
        wrong(c, question, "there is a better one");
}

static int on_progress(void *user, const char *phase, uint64_t done, uint64_t total) {
    (void)user, (void)phase, (void)done, (void)total;
    return cli_interrupted();
}

meguri_status path_checker_new(path_checker *c, const cli_algorithm *a, const meguri_path_query *queries,
                               meguri_path_direction direction) {
    *c = (path_checker){.run = a->run, .base = a, .queries = queries, .direction = direction};
    if (!a->info.directed) c->direction = MEGURI_PATH_OUT;
    meguri_ctx_options options = {
        .size = sizeof options, .threads = meguri_ctx_threads(a->run->ctx), .progress = on_progress};
    meguri_status status = meguri_ctx_new(&c->ctx, &options);
    return status == MEGURI_OK ? status : cli_fail(a->run, status, "there is no memory to check the answer.");
}

void path_checker_free(path_checker *c) {
    meguri_ctx_free(c->ctx);
    free(c->neighbors);
    free(c->weights);
    *c = (path_checker){.status = c->status, .partly = c->partly};
}
