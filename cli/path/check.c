/* --check of meguri path: that every path is one, keeps the limits and repeats nothing it must not, and that the best
 * one is as good as another algorithm says: shortest paths or breadth-first search from one end to all vertices. That
 * nothing is better is looked at where limits on hops do not come into it and edges are followed one way.
 *
 * Real weights are added up from the start of a path on, in doubles, and that sum is compared to the last bit. So is
 * the best of them with that of shortest paths, where both searches add in that order: a rounded sum never becomes
 * smaller along a path, and of two sums the smaller one stays so, so that both find the least rounded sum. A search
 * that also adds from the other end may take a path that is dearer by as much as rounding can do, and no more. */
#include "path/path.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static void wrong(path_checker *c, uint64_t question, const char *what) {
    if (c->status == MEGURI_OK)
        c->status =
            cli_fail(c->run, MEGURI_WRONG_ANSWER, "the answer is wrong: question %" PRIu64 ", path %" PRIu64 ": %s.",
                     question, c->index, what);
}

#define EXACT 0x1p53 /* whole numbers below are doubles, too */

static bool is_real(const path_checker *c) {
    return c->base->info.weight_type == MEGURI_WEIGHT_F32 || c->base->info.weight_type == MEGURI_WEIGHT_F64;
}

/* How far two costs can lie apart by rounding alone. A sum of n doubles that are not negative is wrong by n - 1 halves
 * of a unit in the last place at most, in whatever order they are added (Higham, Accuracy and Stability of Numerical
 * Algorithms, 4.2); two orders for each of two paths make it 4 times that, and the keys of A* a little more. To make
 * an index a way is replaced by one that is no dearer by such sums, again and again: once for a vertex, at most. */
static double rounding(const path_checker *c, double cost, uint64_t hops, meguri_path_algorithm algorithm) {
    double times = algorithm == MEGURI_PATH_INDEXED ? (double)c->base->info.vertices : 1;
    return is_real(c) || cost >= EXACT ? cost * 4 * ((double)hops + 8) * times * 0x1p-53 : 0;
}

/* Whether a cost grows by a weight as the search adds it: integers are added as such, and become doubles afterwards. */
static bool adds_up(const path_checker *c, double before, double weight, double after) {
    double sum = before + weight;
    return sum == after || (!is_real(c) && after >= EXACT && fabs(sum - after) <= 4 * after * 0x1p-53);
}

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

/* Whether an edge that costs the difference leads from one vertex to the other. */
static bool is_edge(path_checker *c, uint64_t from, uint64_t to, double before, double after) {
    for (int in = c->direction == MEGURI_PATH_IN; in <= (c->direction != MEGURI_PATH_OUT); in++) {
        uint64_t count = 0;
        if (get_neighbors(c, in, from, &count) != MEGURI_OK) {
            c->status = cli_fail(c->run, MEGURI_NO_MEMORY, "there is no memory to check the answer.");
            return true;
        }
        for (uint64_t i = 0; i < count; i++)
            if (c->neighbors[i] == to && adds_up(c, before, c->weights[i], after)) return true;
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
    if (path->costs[0] != 0 || path->cost != path->costs[path->hops])
        wrong(c, question, "its cost is not that of its edges");
    for (uint64_t i = 0; i < path->hops && c->status == MEGURI_OK; i++) {
        if (i % 1024 == 0 && cli_interrupted()) return;
        if (!is_edge(c, path->vertices[i], path->vertices[i + 1], path->costs[i], path->costs[i + 1]))
            wrong(c, question, "there is no such edge, or it has another weight");
    }
    if (repeats(c, path, query->algorithm == MEGURI_PATH_ALL)) wrong(c, question, "something comes twice in it");
    if ((query->max_hops && path->hops > query->max_hops) || (query->has_max_cost && path->cost > query->max_cost))
        wrong(c, question, "it does not keep the limits");
    if (path->index > 0 && query->algorithm == MEGURI_PATH_YENS &&
        c->cost - path->cost > rounding(c, c->cost, path->hops > c->hops ? path->hops : c->hops, query->algorithm))
        wrong(c, question, "it is cheaper than the one before it");
    if (path->index > 0 && query->algorithm == MEGURI_PATH_ALL_SHORTEST && path->hops != c->hops)
        wrong(c, question, "it has not as many edges as the one before it");
    c->cost = path->cost;
    c->hops = path->hops;
    if (path->index > 0) return;
    c->first_cost = path->cost;
    c->first_hops = path->hops;
}

/* ---- the best of them ------------------------------------------------------------------------------------------- */

/* What another algorithm says about the two ends of a question. */
typedef struct reference {
    double far;    /* infinity: there is no way */
    uint64_t hops; /* of the way that costs so much */
} reference;

static meguri_status get_column(meguri_column *column, const meguri_result *result, const char *name) {
    *column = (meguri_column){.size = sizeof *column};
    return meguri_result_column(column, result, name);
}

static const void *item(const meguri_column *column, uint64_t vertex) {
    return (const char *)column->data + vertex * column->stride;
}

static meguri_status measure_hops(reference *r, path_checker *c, uint64_t from, uint64_t to) {
    meguri_result *result = NULL;
    meguri_column level;
    meguri_status status = meguri_bfs(&result, c->ctx, c->base->graph, from, NULL);
    if (status == MEGURI_OK) status = get_column(&level, result, "level");
    if (status == MEGURI_OK) {
        int32_t hops = *(const int32_t *)item(&level, to);
        *r = (reference){.far = hops < 0 ? INFINITY : hops};
    }
    meguri_result_free(result);
    return status;
}

static meguri_status measure_cost(reference *r, path_checker *c, uint64_t from, uint64_t to) {
    meguri_result *result = NULL;
    meguri_column distance, parent;
    meguri_status status = meguri_sssp(&result, c->ctx, c->base->graph, from, NULL);
    if (status == MEGURI_OK) status = get_column(&distance, result, "distance");
    if (status == MEGURI_OK) status = get_column(&parent, result, "parent");
    if (status == MEGURI_OK) {
        *r = (reference){.far = INFINITY};
        if (distance.type == MEGURI_COLUMN_F64) r->far = *(const double *)item(&distance, to);
        else if (*(const uint64_t *)item(&distance, to) != UINT64_MAX)
            r->far = (double)*(const uint64_t *)item(&distance, to);
        for (uint64_t v = to; r->far < INFINITY && v != from && r->hops < c->base->info.vertices; r->hops++)
            v = *(const uint32_t *)item(&parent, v);
    }
    meguri_result_free(result);
    return status;
}

/* What is wrong with an answer beside what a path may cost at least; NULL: nothing. `back`: the reference was added up
 * from the other end. */
static const char *compare(const path_checker *c, const meguri_path_query *query, const meguri_path_answer *answer,
                           const reference *r, bool fewest, bool back) {
    meguri_path_algorithm a = query->algorithm == MEGURI_PATH_AUTO ? answer->algorithm : query->algorithm;
    bool any = a == MEGURI_PATH_ALL || a == MEGURI_PATH_SIMPLE;
    double most = query->has_max_cost ? query->max_cost : INFINITY;
    uint64_t hops = answer->paths && c->first_hops > r->hops ? c->first_hops : r->hops;
    double room = r->far < INFINITY ? rounding(c, r->far, hops, a) : 0;
    bool decided = (!back && a != MEGURI_PATH_YENS) || fabs(r->far - most) > room; /* by which side of the limit */
    if (answer->paths && r->far == INFINITY) return "there is no way";
    if (answer->paths && r->far > most && decided) return "there is no way that costs so little";
    if (!answer->paths && r->far < INFINITY && r->far <= most && decided) return "there is a way that was not found";
    if (!answer->paths || any) return NULL;
    if (fewest) return (double)c->hops != r->far ? "there is a better one" : NULL;
    if (!back && (a == MEGURI_PATH_DIJKSTRA || a == MEGURI_PATH_TREE)) room = 0;
    if (c->first_cost - r->far > room) return "there is a better one";
    return r->far - c->first_cost > (back ? room : 0) ? "no way costs so little" : NULL;
}

void path_check_answer(path_checker *c, uint64_t question, const meguri_path_answer *answer) {
    const meguri_path_query *query = &c->queries[question];
    meguri_path_algorithm a = query->algorithm;
    bool fewest = a == MEGURI_PATH_SHORTEST || a == MEGURI_PATH_ALL_SHORTEST;
    bool any = a == MEGURI_PATH_ALL || a == MEGURI_PATH_SIMPLE;
    bool limited = query->max_hops || (fewest && query->has_max_cost) || answer->end == MEGURI_PATH_TIMEOUT;
    bool either_way = c->base->info.directed && c->direction == MEGURI_PATH_BOTH;
    if (limited || either_way) c->partly = true;
    if (c->status != MEGURI_OK || limited || either_way) return;
    bool back = c->base->info.directed && c->direction == MEGURI_PATH_IN;
    uint64_t from = back ? query->to : query->from, to = back ? query->from : query->to;
    reference r;
    bool by_hops = fewest || (any && !query->has_max_cost); /* such sums may be infinite, and there is a way */
    meguri_status status = by_hops ? measure_hops(&r, c, from, to) : measure_cost(&r, c, from, to);
    const char *what = status == MEGURI_OK ? compare(c, query, answer, &r, fewest, back) : NULL;
    c->index = 0;
    if (status != MEGURI_OK) c->status = cli_fail(c->run, status, "%s", meguri_ctx_error(c->ctx));
    else if (what) wrong(c, question, what);
}

meguri_status path_checker_new(path_checker *c, const cli_algorithm *a, const meguri_path_query *queries,
                               meguri_path_direction direction) {
    *c = (path_checker){.run = a->run, .base = a, .queries = queries, .direction = direction};
    if (!a->info.directed) c->direction = MEGURI_PATH_OUT;
    meguri_ctx_options options = {
        .size = sizeof options, .threads = meguri_ctx_threads(a->run->ctx), .progress = cli_stop_when_interrupted};
    meguri_status status = meguri_ctx_new(&c->ctx, &options);
    return status == MEGURI_OK ? status : cli_fail(a->run, status, "there is no memory to check the answer.");
}

void path_checker_free(path_checker *c) {
    meguri_ctx_free(c->ctx);
    free(c->neighbors);
    free(c->weights);
    *c = (path_checker){.status = c->status, .partly = c->partly};
}
