/* Checking paths: that every path is one, keeps the limits and repeats nothing it must not, and that the best
 * one is as good as another algorithm says: shortest paths or breadth-first search from one end to all vertices. That
 * nothing is better is looked at where limits on hops do not come into it and edges are followed one way.
 *
 * Real weights are added up from the start of a path on, in doubles, and that sum is compared to the last bit. So is
 * the best of them with that of shortest paths, where both searches add in that order: a rounded sum never becomes
 * smaller along a path, and of two sums the smaller one stays so, so that both find the least rounded sum. A search
 * that also adds from the other end may take a path that is dearer by as much as rounding can do, and no more. */
#include "algo/path/path.h"

#include <inttypes.h>
#include <math.h>
#include <meguri/bfs.h>
#include <meguri/sssp.h>

struct meguri_path_checker {
    mg_claim claim;
    meguri_ctx *ctx;           /* of the call */
    const meguri_graph *graph; /* the one that was asked, or `chosen` */
    const meguri_graph *held;  /* the one that was asked */
    meguri_graph_info info;    /* of the one that was asked */
    meguri_path_direction direction;
    mg_path_types types;
    mg_edge_numbers numbers;
    mg_numbering numbering;
    meguri_graph *chosen; /* its edges of these types, with the same vertices; NULL: all count */
    uint64_t index, hops; /* of the last path */
    double cost;
    uint64_t first_hops; /* of the first */
    double first_cost;
    bool partly; /* of some question it was not looked at whether there is something better */
    meguri_status status;
};

static void wrong(meguri_path_checker *c, uint64_t question, const char *what) {
    if (c->status == MEGURI_OK)
        c->status =
            mg_fail(c->ctx, MEGURI_WRONG_ANSWER, "the answer is wrong: question %" PRIu64 ", path %" PRIu64 ": %s.",
                    question, c->index, what);
}

#define EXACT 0x1p53 /* whole numbers below are doubles, too */

static bool is_real(const meguri_path_checker *c) { return mg_type_is_real(c->info.weight_storage); }

/* How far two costs can lie apart by rounding alone. A sum of n doubles that are not negative is wrong by n - 1 halves
 * of a unit in the last place at most, in whatever order they are added (Higham, Accuracy and Stability of Numerical
 * Algorithms, 4.2); two orders for each of two paths make it 4 times that, and the keys of A* a little more. To make
 * an index a way is replaced by one that is no dearer by such sums, again and again: once for a vertex, at most. */
static double rounding(const meguri_path_checker *c, double cost, uint64_t hops, meguri_path_algorithm algorithm) {
    double times = algorithm == MEGURI_PATH_INDEXED ? (double)c->info.vertices : 1;
    return is_real(c) || cost >= EXACT ? cost * 4 * ((double)hops + 8) * times * 0x1p-53 : 0;
}

/* Whether a cost grows by a weight as the search adds it: integers are added as such, and become doubles afterwards. */
static bool adds_up(const meguri_path_checker *c, double before, double weight, double after) {
    double sum = before + weight;
    return sum == after || (!is_real(c) && after >= EXACT && fabs(sum - after) <= 4 * after * 0x1p-53);
}

/* ---- one path --------------------------------------------------------------------------------------------------- */

/* Whether this edge joins the two as the finder follows edges, and costs the difference. */
static bool is_edge(const meguri_path_checker *c, uint64_t edge, uint64_t from, uint64_t to, double before,
                    double after) {
    uint32_t row;
    if (edge >= c->info.edges || from >= c->info.vertices || to >= c->info.vertices) return false;
    uint64_t arc = mg_arc_of_edge(&c->numbers, edge, &row);
    uint64_t tail = mg_to_user(&c->numbering, row), head = mg_to_user(&c->numbering, c->numbers.rows.neighbors[arc]);
    bool along = tail == from && head == to, against = tail == to && head == from;
    bool follows = c->info.directed
                       ? (along && c->direction != MEGURI_PATH_IN) || (against && c->direction != MEGURI_PATH_OUT)
                       : along || against;
    return follows && adds_up(c, before, mg_weight_at(c->numbers.rows.weights, c->info.weight_storage, arc), after);
}

/* Whether a vertex, or an edge, comes twice: a table of those that have come, never more than half full. */
static bool repeats(meguri_path_checker *c, const meguri_path *path, bool edges) {
    uint64_t count = edges ? path->hops : path->hops + 1, room = 4;
    while (room < 2 * count) room *= 2;
    uint64_t *table = mg_alloc_array_zero(c->ctx, room, sizeof *table, "checking a path");
    bool twice = false;
    if (!table) {
        c->status = MEGURI_NO_MEMORY;
        return false;
    }
    for (uint64_t i = 0; i < count && !twice; i++) {
        uint64_t item = 1 + (edges ? path->edges[i] : path->vertices[i]);
        uint64_t place = (item * 0x9e3779b97f4a7c15u >> 20) & (room - 1);
        if (i % 1024 == 0 && mg_progress(c->ctx, "check", i, count)) break;
        while (table[place] && table[place] != item) place = (place + 1) & (room - 1);
        twice = table[place] == item;
        table[place] = item;
    }
    mg_free(table);
    return twice;
}

static bool is_wanted(const meguri_path_checker *c, uint64_t edge) {
    if (!c->chosen) return true;
    return edge < c->info.edges && mg_path_type_wanted(&c->types, mg_arc_of_edge(&c->numbers, edge, NULL));
}

static void check_path(meguri_path_checker *c, uint64_t question, const meguri_path_query *query,
                       const meguri_path *path) {
    c->index = path->index;
    if (path->vertices[0] != query->from || path->vertices[path->hops] != query->to)
        wrong(c, question, "it does not lead from the one vertex to the other");
    if (path->costs[0] != 0 || path->cost != path->costs[path->hops])
        wrong(c, question, "its cost is not that of its edges");
    for (uint64_t i = 0; i < path->hops && c->status == MEGURI_OK; i++) {
        if (i % 1024 == 0 && mg_progress(c->ctx, "check", i, path->hops)) return;
        if (!is_wanted(c, path->edges[i])) wrong(c, question, "it has an edge of another type");
        else if (!is_edge(c, path->edges[i], path->vertices[i], path->vertices[i + 1], path->costs[i],
                          path->costs[i + 1]))
            wrong(c, question, "there is no such edge, or it has another weight");
    }
    if (c->status == MEGURI_OK && repeats(c, path, query->algorithm == MEGURI_PATH_ALL))
        wrong(c, question, "something comes twice in it");
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

static meguri_status measure_hops(reference *r, meguri_path_checker *c, uint64_t from, uint64_t to) {
    meguri_result *result = NULL;
    meguri_column level;
    meguri_status status = meguri_bfs(&result, c->ctx, c->graph, from, NULL);
    if (status == MEGURI_OK) status = get_column(&level, result, "level");
    if (status == MEGURI_OK) {
        int32_t hops = *(const int32_t *)item(&level, to);
        *r = (reference){.far = hops < 0 ? INFINITY : hops};
    }
    meguri_result_free(result);
    return status;
}

static meguri_status measure_cost(reference *r, meguri_path_checker *c, uint64_t from, uint64_t to) {
    meguri_result *result = NULL;
    meguri_column distance, parent;
    meguri_status status = meguri_sssp(&result, c->ctx, c->graph, from, NULL);
    if (status == MEGURI_OK) status = get_column(&distance, result, "distance");
    if (status == MEGURI_OK) status = get_column(&parent, result, "parent");
    if (status == MEGURI_OK) {
        *r = (reference){.far = INFINITY};
        if (distance.type == MEGURI_TYPE_F64) r->far = *(const double *)item(&distance, to);
        else if (*(const uint64_t *)item(&distance, to) != UINT64_MAX)
            r->far = (double)*(const uint64_t *)item(&distance, to);
        for (uint64_t v = to; r->far < INFINITY && v != from && r->hops < c->info.vertices; r->hops++)
            v = *(const uint32_t *)item(&parent, v);
    }
    meguri_result_free(result);
    return status;
}

/* What is wrong with an answer beside what a path may cost at least; NULL: nothing. `back`: the reference was added up
 * from the other end. */
static const char *compare(const meguri_path_checker *c, const meguri_path_query *query,
                           const meguri_path_answer *answer, const reference *r, bool fewest, bool back) {
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

static void check_answer(meguri_path_checker *c, uint64_t question, const meguri_path_query *query,
                         const meguri_path_answer *answer) {
    meguri_path_algorithm a = query->algorithm;
    bool fewest = a == MEGURI_PATH_SHORTEST || a == MEGURI_PATH_ALL_SHORTEST;
    bool any = a == MEGURI_PATH_ALL || a == MEGURI_PATH_SIMPLE;
    bool limited = query->max_hops || (fewest && query->has_max_cost) || answer->end == MEGURI_PATH_TIMEOUT;
    bool either_way = c->info.directed && c->direction == MEGURI_PATH_BOTH;
    if (limited || either_way) c->partly = true;
    if (limited || either_way) return;
    bool back = c->info.directed && c->direction == MEGURI_PATH_IN;
    uint64_t from = back ? query->to : query->from, to = back ? query->from : query->to;
    reference r;
    bool by_hops = fewest || (any && !query->has_max_cost); /* such sums may be infinite, and there is a way */
    meguri_status status = by_hops ? measure_hops(&r, c, from, to) : measure_cost(&r, c, from, to);
    if (query->costs_only) { /* of a path of any number of edges */
        c->first_cost = answer->cost;
        c->first_hops = c->info.vertices;
    }
    const char *what = status == MEGURI_OK ? compare(c, query, answer, &r, fewest, back) : NULL;
    c->index = 0;
    if (status != MEGURI_OK) c->status = status;
    else if (what) wrong(c, question, what);
}

/* ---- edges of some types ---------------------------------------------------------------------------------------- */

/* Arcs as they are stored; of undirected ones only one of the two. */
static meguri_status collect(meguri_path_checker *c, const mg_rows *rows, const mg_numbering *numbering, uint32_t *ends,
                             double *weights, uint64_t *count) {
    for (uint32_t v = 0; v < rows->rows; v++) {
        if (v % 1024 == 0 && mg_progress(c->ctx, "check", v, rows->rows)) return mg_fail_cancelled(c->ctx);
        for (uint64_t arc = mg_row_begin(rows, v); arc < mg_row_end(rows, v); arc++) {
            uint32_t to = rows->neighbors[arc];
            if ((!c->info.directed && to < v) || !mg_path_type_wanted(&c->types, mg_row_out_arc(rows, arc))) continue;
            ends[2 * *count] = mg_to_user(numbering, v);
            ends[2 * *count + 1] = mg_to_user(numbering, to);
            weights[(*count)++] = mg_weight_at(rows->weights, c->info.weight_storage, arc);
        }
    }
    return MEGURI_OK;
}

/* The edges of these types as a graph of their own, whose ids are the vertices of the other. */
static meguri_status choose(meguri_path_checker *c) {
    mg_rows rows;
    mg_numbering numbering;
    uint64_t count = 0;
    uint32_t *ends = mg_alloc_array(c->ctx, 2 * c->info.edges, sizeof *ends, "checking a path");
    double *weights = mg_alloc_array(c->ctx, c->info.edges, sizeof *weights, "checking a path");
    meguri_status status = ends && weights ? mg_graph_rows(&rows, c->ctx, c->graph) : MEGURI_NO_MEMORY;
    if (status == MEGURI_OK) status = mg_graph_numbering(&numbering, c->ctx, c->graph);
    if (status == MEGURI_OK) status = collect(c, &rows, &numbering, ends, weights, &count);
    const meguri_edge_arrays edges = {.size = sizeof edges,
                                      .count = count,
                                      .from = ends,
                                      .to = ends ? ends + 1 : NULL,
                                      .id_bytes = 4,
                                      .stride = 8,
                                      .weights = c->info.weight_type ? weights : NULL,
                                      .weight_type = c->info.weight_type ? MEGURI_TYPE_F64 : MEGURI_TYPE_NONE,
                                      .vertices = c->info.vertices};
    const meguri_build_options options = {.size = sizeof options,
                                          .direction = c->info.directed ? MEGURI_DIRECTED : MEGURI_UNDIRECTED,
                                          .duplicates = MEGURI_DUPLICATES_KEEP,
                                          .keep_loops = 1};
    if (status == MEGURI_OK) status = meguri_graph_from_edges(&c->chosen, c->ctx, &edges, &options);
    if (status == MEGURI_OK) c->graph = c->chosen;
    mg_free(ends);
    mg_free(weights);
    return status;
}

/* ---- the checker ------------------------------------------------------------------------------------------------ */

meguri_status meguri_path_checker_new(meguri_path_checker **out, meguri_ctx *ctx, const meguri_graph *graph,
                                      const meguri_path_finder_options *options) {
    if (out) *out = NULL;
    if (!out || !ctx || !graph) return mg_missing(ctx, __func__);
    mg_begin(ctx);
    meguri_path_finder_options o;
    meguri_status status = MG_OPTIONS(ctx, &o, options, meguri_path_finder_options);
    if (status == MEGURI_OK && (unsigned)o.direction > MEGURI_PATH_BOTH)
        status =
            mg_fail(ctx, MEGURI_BAD_ARGUMENT, "direction %d is none; see meguri_path_direction.", (int)o.direction);
    if (status == MEGURI_OK) status = mg_graph_whole(ctx, graph);
    if (status != MEGURI_OK) return status;
    meguri_path_checker *c = mg_alloc_zero(ctx, sizeof *c, "a checker of paths");
    if (!c) return MEGURI_NO_MEMORY;
    c->ctx = ctx;
    status = mg_graph_weighted(&c->held, ctx, graph, o.weight);
    c->graph = c->held;
    c->info.size = sizeof c->info;
    if (status == MEGURI_OK) status = meguri_graph_get_info(&c->info, ctx, c->graph);
    c->direction = c->info.directed ? o.direction : MEGURI_PATH_OUT;
    if (status == MEGURI_OK) status = mg_path_types_find(&c->types, ctx, c->graph, o.types, o.type_count);
    if (status == MEGURI_OK) status = mg_graph_edge_numbers(&c->numbers, ctx, c->graph);
    if (status == MEGURI_OK) status = mg_graph_numbering(&c->numbering, ctx, c->graph);
    if (status == MEGURI_OK && c->types.wanted) status = choose(c);
    if (status == MEGURI_OK) *out = c;
    else meguri_path_checker_free(c);
    return status;
}

static meguri_status begin(meguri_ctx *ctx, meguri_path_checker *c, const void *query, const void *what,
                           const char *function) {
    if (!ctx || !c || !query || !what) return mg_missing(ctx, function);
    mg_begin(ctx);
    c->ctx = ctx;
    c->status = MEGURI_OK;
    return MEGURI_OK;
}

static meguri_status judge_path(meguri_ctx *ctx, meguri_path_checker *c, uint64_t question,
                                const meguri_path_query *query, const meguri_path *path) {
    meguri_status status = begin(ctx, c, query, path, "meguri_path_checker_path");
    if (status != MEGURI_OK) return status;
    check_path(c, question, query, path);
    return c->status == MEGURI_OK && mg_cancelled(ctx) ? mg_fail_cancelled(ctx) : c->status;
}

meguri_status meguri_path_checker_path(meguri_ctx *ctx, meguri_path_checker *c, uint64_t question,
                                       const meguri_path_query *query, const meguri_path *path) {
    if (!ctx || !c) return judge_path(ctx, c, question, query, path); /* which says what is missing */
    meguri_status status = mg_claim_for(ctx, &c->claim, "checker of paths");
    if (status != MEGURI_OK) return status;
    status = judge_path(ctx, c, question, query, path);
    mg_claim_end(&c->claim);
    return status;
}

static meguri_status judge_answer(meguri_ctx *ctx, meguri_path_checker *c, uint64_t question,
                                  const meguri_path_query *query, const meguri_path_answer *answer) {
    meguri_status status = begin(ctx, c, query, answer, "meguri_path_checker_answer");
    if (status != MEGURI_OK) return status;
    if (query->from >= c->info.vertices || query->to >= c->info.vertices)
        return mg_fail(ctx, MEGURI_NOT_FOUND, "from, to: the graph has no such vertex; it has %" PRIu64 ".",
                       c->info.vertices);
    check_answer(c, question, query, answer);
    return c->status;
}

meguri_status meguri_path_checker_answer(meguri_ctx *ctx, meguri_path_checker *c, uint64_t question,
                                         const meguri_path_query *query, const meguri_path_answer *answer) {
    if (!ctx || !c) return judge_answer(ctx, c, question, query, answer); /* which says what is missing */
    meguri_status status = mg_claim_for(ctx, &c->claim, "checker of paths");
    if (status != MEGURI_OK) return status;
    status = judge_answer(ctx, c, question, query, answer);
    mg_claim_end(&c->claim);
    return status;
}

int meguri_path_checker_saw_all(const meguri_path_checker *c) { return c && !c->partly; }

void meguri_path_checker_free(meguri_path_checker *c) {
    if (!c) return;
    mg_path_types_free(&c->types);
    meguri_graph_free(c->chosen);
    mg_graph_let_go(c->held);
    mg_free(c);
}
