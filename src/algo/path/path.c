/* The front: what questions about one graph share, what one thread asks with, a question from its arguments to its
 * answer, and the way of a path to its taker. */
#include "algo/path/path_index.h"

#include <inttypes.h>
#include <math.h>

/* ---- the finder ------------------------------------------------------------------------------------------------- */

/* The index of the graph is for edges as they point, or against that, and for all of them; for either way or some types
 * one has to be made. */
static meguri_status find_index(meguri_ctx *ctx, meguri_path_finder *f) {
    bool either_way = f->graph->directed && f->options.direction == MEGURI_PATH_BOTH;
    if (f->given) {
        meguri_status status = mg_path_index_arrays(&f->index, ctx, f->given);
        f->indexed = status == MEGURI_OK;
        return status;
    }
    if (f->options.index_use == MEGURI_PATH_INDEX_NONE || either_way || f->on_device) return MEGURI_OK;
    if (f->types.wanted && mg_graph_index_bytes(f->graph))
        mg_warn(ctx, "the path index of the graph is for edges of all types, so it is not used.");
    if (f->types.wanted) return MEGURI_OK;
    return mg_graph_index(&f->index, &f->indexed, ctx, f->graph);
}

static meguri_status make_index(meguri_ctx *ctx, meguri_path_finder *f) {
    const meguri_graph *graph = f->graph;
    mg_path_ground ground = {.out = f->against ? f->backward : f->forward,
                             .in = f->against ? f->forward : f->backward,
                             .vertices = graph->vertices,
                             .weight_type = graph->weight_type,
                             .real = f->real,
                             .symmetric = !graph->directed || f->options.direction == MEGURI_PATH_BOTH};
    meguri_status status = mg_graph_symmetric(ctx, graph);
    if (status == MEGURI_OK) status = mg_path_contract(&f->index, ctx, &ground);
    f->indexed = f->index_owned = status == MEGURI_OK;
    return status;
}

/* Rows in both directions. Where the forward ones are there already, others may be reading them. */
static meguri_status make_rows(meguri_ctx *ctx, meguri_path_finder *f) {
    mg_rows out, in;
    double since = mg_now();
    meguri_status status = mg_graph_rows(&out, ctx, f->graph);
    if (status == MEGURI_OK) status = mg_graph_in_rows(&in, ctx, f->graph);
    if (status == MEGURI_OK && f->types.wanted) status = mg_path_rows_of_types(&out, ctx, f, f->chosen[0]);
    if (status == MEGURI_OK && f->types.wanted && !f->graph->directed) in = out;
    else if (status == MEGURI_OK && f->types.wanted) status = mg_path_rows_of_types(&in, ctx, f, f->chosen[1]);
    if (status != MEGURI_OK) return status;
    switch (f->graph->directed ? f->options.direction : MEGURI_PATH_OUT) {
    case MEGURI_PATH_OUT: {
        if (f->types.wanted) f->forward = out;
        f->backward = in;
        break;
    }
    case MEGURI_PATH_IN: f->forward = in, f->backward = out; break;
    case MEGURI_PATH_BOTH: status = mg_path_both_ways(ctx, f, &out, &in); break;
    }
    f->half = false;
    if (f->graph->directed) mg_trace_phase(ctx, "path", "prepare", (int64_t)f->graph->arcs, -1, since);
    return status;
}

/* With an index that is there already nothing has to be made: rows backwards wait until somebody needs them. */
static meguri_status prepare(meguri_ctx *ctx, meguri_path_finder *f) {
    const meguri_graph *graph = f->graph;
    f->weighted = graph->weight_type != MEGURI_TYPE_NONE;
    f->real = graph->weight_type == MEGURI_TYPE_F32 || graph->weight_type == MEGURI_TYPE_F64;
    f->against = graph->directed && f->options.direction == MEGURI_PATH_IN;
    mg_lengths lengths;
    if (mg_progress(ctx, "path", 0, graph->arcs)) return mg_fail_cancelled(ctx);
    meguri_status status = mg_graph_rows(&f->forward, ctx, graph);
    if (status == MEGURI_OK) status = mg_graph_numbering(&f->numbering, ctx, graph);
    if (status == MEGURI_OK) status = mg_graph_lengths(&lengths, ctx, graph, "path");
    if (status == MEGURI_OK)
        status = mg_path_types_find(&f->types, ctx, graph, f->options.types, f->options.type_count);
    if (status == MEGURI_OK) status = find_index(ctx, f);
    if (status != MEGURI_OK) return status;
    f->lightest = lengths.lightest;
    f->heaviest = lengths.heaviest;
    f->half = f->indexed && graph->directed && !f->against;
    if (!f->half) status = make_rows(ctx, f);
    bool make = f->options.index_use == MEGURI_PATH_INDEX_MAKE && !f->indexed;
    return status == MEGURI_OK && make ? make_index(ctx, f) : status;
}

static meguri_status check_index(meguri_ctx *ctx, const meguri_graph *graph, const meguri_path_finder_options *o) {
    const char *why = NULL;
    if (o->index->graph != graph) why = "is that of another graph";
    else if (o->index_use != MEGURI_PATH_INDEX_STORED) why = "is given, and index_use says to make one or to have none";
    else if (!o->weight != !o->index->weight || (o->weight && strcmp(o->weight, o->index->weight) != 0))
        why = "is for another weight";
    else if (o->type_count) why = "is for edges of all types, and the finder follows only some";
    else if (graph->directed && o->direction == MEGURI_PATH_BOTH)
        why = "is for edges in one direction, and the finder follows them either way";
    if (!why) return MEGURI_OK;
    return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "the index of a path finder %s.", why);
}

meguri_status meguri_path_finder_new(meguri_path_finder **out, meguri_ctx *ctx, const meguri_graph *graph,
                                     const meguri_path_finder_options *options) {
    if (!out || !ctx) return mg_missing(ctx, __func__);
    mg_begin(ctx);
    *out = NULL;
    if (!graph) return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "meguri_path_finder_new needs a graph.");
    meguri_path_finder_options o;
    meguri_status status = MG_OPTIONS(ctx, &o, options, meguri_path_finder_options);
    if (status != MEGURI_OK) return status;
    if ((unsigned)o.direction > MEGURI_PATH_BOTH || (unsigned)o.metric > MEGURI_PATH_GREAT_CIRCLE)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "a path finder has no direction %d with the metric %d.",
                       (int)o.direction, (int)o.metric);
    if ((unsigned)o.index_use > MEGURI_PATH_INDEX_NONE)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT,
                       "a path finder cannot use an index in the way %d: it is stored (0), made (1) or none (2).",
                       (int)o.index_use);
    meguri_engine engine;
    status = mg_pick_engine(&engine, ctx, graph, o.engine, "the search for paths",
                            1u << MEGURI_ENGINE_HOST | 1u << MEGURI_ENGINE_DEVICE);
    if (status != MEGURI_OK) return status;
    if (engine == MEGURI_ENGINE_DEVICE && (o.index || o.index_use == MEGURI_PATH_INDEX_MAKE))
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "a path finder with the engine device has no index.");
    if (o.index) status = check_index(ctx, graph, &o);
    if (status != MEGURI_OK) return status;
    meguri_path_finder *f = mg_alloc_zero(ctx, sizeof *f, "a path finder");
    if (!f) return MEGURI_NO_MEMORY;
    f->holders = 1;
    f->options = o;
    f->given = o.index ? mg_path_index_hold(o.index) : NULL;
    f->options.weight = NULL; /* the caller's text; the graph has these weights */
    f->on_device = engine == MEGURI_ENGINE_DEVICE;
    status = mg_graph_weighted(&f->graph, ctx, graph, o.weight);
    if (status == MEGURI_OK) status = prepare(ctx, f);
    if (status == MEGURI_OK) *out = f;
    else meguri_path_finder_free(f);
    return status;
}

void meguri_path_finder_free(meguri_path_finder *f) {
    if (!f || __atomic_sub_fetch(&f->holders, 1, __ATOMIC_ACQ_REL) > 0) return;
    for (int i = 0; i < MG_PATH_MERGED; i++) mg_free(f->merged[i]);
    mg_free(f->stored);
    mg_path_types_free(&f->types);
    for (int i = 0; i < MG_PATH_CHOSEN; i++) mg_free(f->chosen[0][i]), mg_free(f->chosen[1][i]);
    mg_free(f->guide.points);
    if (f->index_owned) mg_index_free(&f->index);
    meguri_path_index_free((meguri_path_index *)f->given);
    mg_graph_let_go(f->graph);
    mg_free(f);
}

/* ---- the search ------------------------------------------------------------------------------------------------- */

meguri_path_search *mg_path_search_new(meguri_ctx *ctx, const meguri_path_finder *finder) {
    meguri_path_search *s = mg_alloc_zero(ctx, sizeof *s, "a path search");
    if (!s) return NULL;
    mg_fetch_add(&((meguri_path_finder *)finder)->holders, 1);
    s->finder = finder;
    return s;
}

meguri_status meguri_path_search_new(meguri_path_search **out, meguri_ctx *ctx, const meguri_path_finder *finder) {
    if (!out || !ctx) return mg_missing(ctx, __func__);
    mg_begin(ctx);
    *out = NULL;
    if (!finder) return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "meguri_path_search_new needs a finder.");
    *out = mg_path_search_new(ctx, finder);
    return *out ? MEGURI_OK : MEGURI_NO_MEMORY;
}

void meguri_path_search_free(meguri_path_search *s) {
    if (!s) return;
    for (int i = 0; i < s->other_count; i++) meguri_path_search_free(s->others[i]);
    mg_free(s->others);
    for (int i = 0; i < MG_PATH_SLOTS; i++) {
        if (s->data[i] && s->free_data[i]) s->free_data[i](s->data[i]);
        mg_free(s->data[i]);
    }
    mg_free(s->vertices);
    mg_free(s->edges);
    mg_free(s->costs);
    meguri_path_finder_free((meguri_path_finder *)s->finder);
    mg_free(s);
}

void *mg_path_slot_get(mg_path_question *question, mg_path_slot slot, size_t bytes, void (*free_data)(void *data)) {
    meguri_path_search *s = question->search;
    if (!s->data[slot]) {
        s->data[slot] = mg_alloc_zero(question->ctx, bytes, "the workspace of a path search");
        s->free_data[slot] = free_data;
    }
    return s->data[slot];
}

/* ---- arcs ------------------------------------------------------------------------------------------------------- */

uint64_t mg_path_edge(const meguri_path_finder *f, const mg_edge_numbers *numbers, uint32_t from, uint64_t arc) {
    uint32_t to = f->forward.neighbors[arc];
    if (numbers->before) { /* undirected: the forward arc is the one in the row of the smaller end */
        uint64_t forward = to < from ? mg_path_twin(&f->forward, &f->backward, from, arc) : arc;
        const mg_rows *rows = to < from ? &f->backward : &f->forward;
        return mg_edge_of_forward_arc(numbers, MG_MIN(from, to), mg_row_out_arc(rows, forward));
    }
    if (f->stored) return f->stored[arc];
    if (f->options.direction == MEGURI_PATH_OUT || f->forward.out_arcs) return mg_row_out_arc(&f->forward, arc);
    return mg_path_twin(&f->forward, &f->backward, from, arc);
}

double mg_path_weight(const meguri_path_finder *f, uint64_t arc) {
    return mg_weight_at(f->forward.weights, f->graph->weight_type, arc);
}

/* ---- a question ------------------------------------------------------------------------------------------------- */

static bool make_room(mg_path_question *q, uint64_t hops) {
    meguri_path_search *s = q->search;
    if (s->vertices && hops <= s->room) return true;
    uint64_t room = MG_MAX(hops + hops / 2, 62u);
    uint64_t *vertices = mg_resize(q->ctx, s->vertices, (room + 1) * sizeof *vertices, "a path");
    if (vertices) s->vertices = vertices;
    uint64_t *edges = vertices ? mg_resize(q->ctx, s->edges, (room + 1) * sizeof *edges, "a path") : NULL;
    if (edges) s->edges = edges;
    double *costs = edges ? mg_resize(q->ctx, s->costs, (room + 1) * sizeof *costs, "a path") : NULL;
    if (costs) s->costs = costs;
    if (!costs) return false;
    s->room = room;
    return true;
}

meguri_status mg_path_one_way(const mg_path_question *q) {
    return mg_fail(q->ctx, MEGURI_BAD_INPUT,
                   "the graph is damaged: it is undirected, and has an edge in one direction only; build it again.");
}

/* A path has been given, whose taker says whether to go on. */
static void count_path(mg_path_question *q, double cost, int stop) {
    if (!q->answer->paths++) q->answer->cost = cost;
    if (stop) {
        q->over = true;
        q->answer->end = MEGURI_PATH_STOPPED;
    } else if (q->query->limit && q->answer->paths >= q->query->limit) {
        q->over = true;
        q->answer->end = MEGURI_PATH_LIMIT;
    }
}

meguri_status mg_path_give_cost(mg_path_question *q, double cost) {
    if (!q->over) count_path(q, cost, 0);
    return MEGURI_OK;
}

/* Added up from the start on, as the costs of a path are. */
static meguri_status give_sum(mg_path_question *q, const uint64_t *arcs, uint64_t hops) {
    const meguri_path_finder *f = q->finder;
    uint64_t whole = 0;
    double real = 0;
    for (uint64_t i = 0; i < hops; i++) {
        if (mg_path_time_over(q)) return MEGURI_OK;
        double weight = mg_path_weight(f, arcs[i]);
        if (f->real) real += weight;
        else whole += (uint64_t)weight;
    }
    return mg_path_give_cost(q, f->real ? real : (double)whole);
}

/* Every arc is looked at before it is followed: searches from both ends find edges from their other end, and nobody has
 * checked that a file has them in both rows. */
meguri_status mg_path_give(mg_path_question *q, const uint64_t *arcs, uint64_t hops) {
    if (q->over) return MEGURI_OK;
    if (q->query->costs_only) return give_sum(q, arcs, hops);
    const meguri_path_finder *f = q->finder;
    if (!make_room(q, hops)) return MEGURI_NO_MEMORY;
    mg_edge_numbers numbers;
    meguri_status status = mg_graph_edge_numbers(&numbers, q->ctx, f->graph);
    if (status != MEGURI_OK) return status;
    meguri_path_search *s = q->search;
    uint32_t v = q->from;
    uint64_t whole = 0;
    double real = 0;
    for (uint64_t i = 0; i <= hops; i++) {
        if (mg_path_time_over(q)) return MEGURI_OK; /* not in time */
        s->vertices[i] = mg_to_user(&f->numbering, v);
        s->costs[i] = f->real ? real : (double)whole;
        if (i == hops) break;
        if (arcs[i] < mg_row_begin(&f->forward, v) || arcs[i] >= mg_row_end(&f->forward, v)) return mg_path_one_way(q);
        double weight = mg_path_weight(f, arcs[i]);
        if (f->real) real += weight;
        else whole += (uint64_t)weight;
        s->edges[i] = mg_path_edge(f, &numbers, v, arcs[i]);
        v = f->forward.neighbors[arcs[i]];
    }
    if (v != q->to) return mg_path_one_way(q);
    meguri_path path = {.size = sizeof path,
                        .index = q->answer->paths,
                        .hops = hops,
                        .vertices = s->vertices,
                        .edges = s->edges,
                        .costs = s->costs,
                        .cost = s->costs[hops]};
    count_path(q, path.cost, q->take && q->take(q->user, &path) != 0);
    return MEGURI_OK;
}

static meguri_status no_vertex(meguri_ctx *ctx, const meguri_path_finder *finder, uint64_t vertex) {
    return mg_fail(ctx, MEGURI_NOT_FOUND, "there is no vertex %" PRIu64 " in a graph of %" PRIu64 ".", vertex,
                   finder->graph->vertices);
}

meguri_status mg_path_check_query(meguri_path_query *to, meguri_ctx *ctx, const meguri_path_finder *finder,
                                  const meguri_path_query *query) {
    meguri_status status = mg_options(ctx, to, sizeof *to, query, "meguri_path_query");
    if (status != MEGURI_OK) return status;
    if ((unsigned)to->algorithm > MEGURI_PATH_TREE)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "there is no path algorithm %d.", (int)to->algorithm);
    if (to->algorithm == MEGURI_PATH_INDEXED && !finder->indexed)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT,
                       "this path finder has no index: make it with one, or take another "
                       "algorithm.");
    if (to->from >= finder->graph->vertices) return no_vertex(ctx, finder, to->from);
    if (to->to >= finder->graph->vertices) return no_vertex(ctx, finder, to->to);
    if (to->has_max_cost && !(to->max_cost >= 0))
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "the maximum cost of a path is %g: it must be 0 or more.",
                       to->max_cost);
    if (!(to->timeout >= 0))
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "the time-out of a path query is %g seconds: it must be 0 or more.",
                       to->timeout);
    if ((to->algorithm == MEGURI_PATH_ALL || to->algorithm == MEGURI_PATH_SIMPLE) && !to->max_hops && !to->limit &&
        !to->has_max_cost && !(to->timeout > 0))
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT,
                       "all paths can be more than anyone can wait for: give a maximum of edges, a maximum cost, a "
                       "limit or a time-out.");
    if (to->costs_only && !mg_path_one_cheapest(to->algorithm))
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "costs alone are for one cheapest path, not for the algorithm %s.",
                       meguri_path_algorithm_name(to->algorithm));
    if (!to->k) to->k = 1;
    return finder->on_device ? mg_path_device_takes(to, ctx, finder) : MEGURI_OK;
}

static meguri_status search(mg_path_question *q) {
    if (q->finder->on_device) return mg_path_on_device(q);
    switch (q->query->algorithm) {
    case MEGURI_PATH_AUTO:
    case MEGURI_PATH_DIJKSTRA:
    case MEGURI_PATH_ASTAR:
    case MEGURI_PATH_BIDIRECTIONAL:
    case MEGURI_PATH_INDEXED: return mg_path_cheapest(q);
    case MEGURI_PATH_SHORTEST:
        return q->query->has_max_cost && q->finder->weighted ? mg_path_layers(q, true) : mg_path_meet(q);
    case MEGURI_PATH_ALL_SHORTEST: return mg_path_fewest(q);
    case MEGURI_PATH_ALL:
    case MEGURI_PATH_SIMPLE: return mg_path_every(q);
    case MEGURI_PATH_YENS: return mg_path_yens(q);
    case MEGURI_PATH_TREE: return mg_path_from_tree(q);
    }
    return MEGURI_BAD_ARGUMENT;
}

/* More than one is never asked for. */
static bool one_path(meguri_path_algorithm algorithm) {
    return algorithm <= MEGURI_PATH_SHORTEST || algorithm >= MEGURI_PATH_INDEXED;
}

meguri_status mg_path_answer_one(mg_path_question *q) {
    double since = mg_now();
    *q->answer = (meguri_path_answer){.size = sizeof *q->answer, .algorithm = q->query->algorithm, .cost = INFINITY};
    q->from = mg_to_internal(&q->finder->numbering, (uint32_t)q->query->from);
    q->to = mg_to_internal(&q->finder->numbering, (uint32_t)q->query->to);
    q->deadline = q->query->timeout > 0 ? since + q->query->timeout : INFINITY;
    q->over = false;
    q->steps = MG_PATH_LOOK; /* the first look comes at once */
    meguri_status status = search(q);
    if (q->answer->end == MEGURI_PATH_LIMIT && one_path(q->query->algorithm)) q->answer->end = MEGURI_PATH_COMPLETE;
    if (status == MEGURI_OK && mg_cancelled(q->ctx)) status = mg_fail_cancelled(q->ctx);
    q->answer->seconds = mg_now() - since;
    return status;
}

/* Whether a question is answered without rows backwards. */
static bool goes_forward(const meguri_path_finder *f, const meguri_path_query *query) {
    bool indexed = query->algorithm == MEGURI_PATH_INDEXED || (query->algorithm == MEGURI_PATH_AUTO && f->indexed);
    if (f->on_device) return true;
    return !query->max_hops &&
           (indexed || query->algorithm == MEGURI_PATH_DIJKSTRA || query->algorithm == MEGURI_PATH_TREE);
}

/* What is made at its first use, by whoever comes first. The finder is not changed for anyone who reads it. */
static meguri_status make_rest(meguri_ctx *ctx, meguri_path_search *s, bool backward, bool guide, bool optional) {
    meguri_path_finder *f = (meguri_path_finder *)s->finder;
    mg_path_known *k = &s->known;
    meguri_status status = MEGURI_OK;
    backward = backward && !k->backward;
    guide = guide && !k->guide && !(optional && k->no_guide);
    if (mg_gate_is_held(&f->gate)) { /* a callback of the making asks: it does with what there is, if it can */
        k->backward = k->backward || (backward && !f->half);
        backward = backward && f->half;
        guide = guide && !optional;
    }
    if (!backward && !guide) return MEGURI_OK;
    MG_ENTERED(entered);
    status = mg_gate_enter(&entered, ctx, &f->gate, "the path finder");
    if (status != MEGURI_OK) return status;
    if (backward && f->half) status = make_rows(ctx, f);
    k->backward = k->backward || (backward && status == MEGURI_OK);
    if (guide && status == MEGURI_OK) {
        status = mg_path_guide_make(ctx, f, optional);
        k->guide = status == MEGURI_OK && f->guide.points ? &f->guide : NULL;
        k->no_guide = status == MEGURI_OK && !k->guide;
    }
    return status;
}

/* A* needs points. They cost as much as a question or two, so where nobody asked for them the second question of a
 * search gets them; it and a few after it say whether they pay. */
meguri_status mg_path_ready(meguri_ctx *ctx, meguri_path_search *s, const meguri_path_query *query) {
    const meguri_path_finder *f = s->finder;
    bool named = query->algorithm == MEGURI_PATH_ASTAR;
    bool chosen = query->algorithm == MEGURI_PATH_AUTO && f->weighted && !f->indexed, again = chosen && s->known.asked;
    meguri_status status = make_rest(ctx, s, !goes_forward(f, query), named || again, !named);
    s->known.asked = s->known.asked || chosen;
    return status == MEGURI_OK && again ? mg_path_guide_try(ctx, s, query) : status;
}

/* Fills as much of the answer as the caller knows. */
static meguri_status ask(meguri_path_answer *answer, mg_path_question *q) {
    size_t size = answer->size;
    if (size < sizeof size || size > 4096)
        return mg_fail(q->ctx, MEGURI_BAD_ARGUMENT,
                       "the size field of meguri_path_answer is not set: set it to sizeof(meguri_path_answer).");
    meguri_path_answer whole;
    q->answer = &whole;
    meguri_status status = mg_path_answer_one(q);
    memcpy(answer, &whole, MG_MIN(size, sizeof whole));
    answer->size = size;
    if (mg_trace_on(q->ctx)) {
        mg_step step = MG_STEP_NONE;
        step.run = "path", step.phase = "question", step.engine = q->finder->on_device ? "device" : "host",
        step.threads = 1;
        step.frontier = (int64_t)whole.settled, step.edges = (int64_t)whole.edges, step.seconds = whole.seconds;
        mg_trace(q->ctx, &step);
    }
    return status;
}

/* The function of the user, and with what it is called. */
typedef struct taker {
    meguri_ctx *ctx;
    meguri_path_take take;
    void *user;
} taker;

static int take_outside(void *user, const meguri_path *path) {
    const taker *t = user;
    MG_OUTSIDE(outside, t->ctx);
    int stop = t->take(t->user, path);
    mg_inside(&outside, MEGURI_OK);
    return stop;
}

meguri_status meguri_path_search_run(meguri_path_answer *answer, meguri_ctx *ctx, meguri_path_search *search,
                                     const meguri_path_query *query, meguri_path_take take, void *user) {
    if (!ctx) return MEGURI_BAD_ARGUMENT;
    mg_begin(ctx);
    if (!answer || !search || !query)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "a path search needs a handle, a query and a place for the answer.");
    meguri_path_query checked;
    meguri_status status = mg_claim_for(ctx, &search->claim, "path search");
    if (status != MEGURI_OK) return status;
    status = mg_path_check_query(&checked, ctx, search->finder, query);
    if (status == MEGURI_OK) status = mg_path_ready(ctx, search, &checked);
    taker outside = {ctx, take, user};
    mg_path_question question = {.ctx = ctx,
                                 .finder = search->finder,
                                 .search = search,
                                 .query = &checked,
                                 .take = take ? take_outside : NULL,
                                 .user = &outside};
    if (status == MEGURI_OK) status = ask(answer, &question);
    mg_claim_end(&search->claim);
    return status;
}

meguri_status meguri_path_find(meguri_path_answer *answer, meguri_ctx *ctx, const meguri_path_finder *finder,
                               const meguri_path_query *query, meguri_path_take take, void *user) {
    meguri_path_search *search;
    meguri_status status = meguri_path_search_new(&search, ctx, finder);
    if (status != MEGURI_OK) return status;
    status = meguri_path_search_run(answer, ctx, search, query, take, user);
    meguri_path_search_free(search);
    return status;
}
