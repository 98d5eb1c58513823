/* The benchmark on a cluster: the order of events of run.c, with the list, the graph and the trees in parts.
 *
 * Times are those of the slowest process: every timed part begins when all are there, and its time is the largest. */
#include "graph500/cluster.h"

#include "algo/bfs/bfs.h"
#include "algo/sssp/sssp.h"

#include <math.h>
#include <stdlib.h>

typedef struct run {
    meguri_ctx *ctx;
    meguri_cluster *cluster;
    meguri_graph500_options options;
    const meguri_layout *layout;
    meguri_graph500_report *report;
    mg_drawing *drawing;
    mg_globals pairs; /* this process's share of the list, for kernel 1 */
    float *weights;
    uint64_t first; /* edge of it in the whole list */
    uint64_t share; /* edges of it */
    meguri_graph *graph;
    mg_shards *shards; /* the graph's */
    meguri_bfs_search *bfs;
    meguri_sssp_search *sssp;
    uint32_t *slot;       /* by local number: the place in the user's order of the own vertices */
    double *own_distance; /* by slot: what kernel 3 gives */
    mg_globals own_parent;
    uint64_t *roots;
    bool warm_up;
    mg_arc_lists lists;
    mg_globals parent; /* of the positions of this home */
    double *distance;
    uint64_t *degrees; /* without validation: ends of edges of the list at each position of this home */
} run;

/* ---- time ------------------------------------------------------------------------------------------------------- */

/* When all are here. */
static meguri_status begin(run *r, double *since) {
    uint64_t nothing = 0;
    meguri_status status = mg_reduce_u64(r->ctx, r->cluster, &r->cluster->all, &nothing, 1, MG_SUM);
    *since = mg_now();
    return status;
}

static meguri_status slowest(run *r, double *seconds) {
    return mg_reduce_f64(r->ctx, r->cluster, &r->cluster->all, seconds, 1, MG_MAXIMUM);
}

/* ---- edge list and kernel 1 ------------------------------------------------------------------------------------- */

static void draw_range(void *what, uint64_t begin, uint64_t end) {
    const run *r = what;
    mg_globals_draw(mg_globals_from(r->pairs, 2 * begin), r->drawing, r->weights ? r->weights + begin : NULL,
                    r->first + begin, r->first + end);
}

static meguri_status generate(run *r) {
    bool weighted = r->options.kernels & MEGURI_GRAPH500_SSSP;
    const meguri_build_options build = {.size = sizeof build, .layout = r->layout};
    meguri_kronecker_options o = {.size = sizeof o,
                                  .scale = r->options.scale,
                                  .edge_factor = r->options.edge_factor,
                                  .seed = r->options.seed,
                                  .weights = weighted ? MEGURI_TYPE_F32 : MEGURI_TYPE_NONE,
                                  .build = &build};
    double since;
    meguri_status status = begin(r, &since);
    if (status != MEGURI_OK) return status;
    status = mg_kronecker_new(&r->drawing, r->ctx, &o);
    if (status == MEGURI_OK) {
        mg_range share = mg_share(r->drawing->units, r->cluster->rank, r->cluster->size);
        r->share = share.end - share.begin;
        r->pairs.items = mg_alloc_array(r->ctx, r->share, 2 * mg_global_bytes(r->pairs.wide), "the edge list");
        if (weighted) r->weights = mg_alloc_array(r->ctx, r->share, 4, "the edge list");
        if (!r->pairs.items || (weighted && !r->weights)) status = MEGURI_NO_MEMORY;
        r->first = share.begin;
        if (status == MEGURI_OK) mg_for(r->ctx, mg_threads(r->ctx, r->share, 1 << 16), r->share, draw_range, r);
    }
    status = mg_agree(r->ctx, r->cluster, status);
    r->report->generation_seconds = mg_now() - since;
    return status == MEGURI_OK ? slowest(r, &r->report->generation_seconds) : status;
}

static mg_globals parents_new(const run *r, uint64_t count) {
    bool wide = r->shards->wide;
    return (mg_globals){mg_alloc_array(r->ctx, count, mg_global_bytes(wide), "the parents of a tree"), wide};
}

static meguri_status prepare_sssp(run *r) {
    meguri_status status = MEGURI_OK;
    r->own_distance = mg_alloc_array(r->ctx, r->shards->owned, sizeof *r->own_distance, "distances");
    r->own_parent = parents_new(r, r->shards->owned);
    if (!r->own_distance || !r->own_parent.items) status = MEGURI_NO_MEMORY;
    status = mg_agree(r->ctx, r->cluster, status);
    if (status != MEGURI_OK) return status;
    return mg_sssp_search_new(&r->sssp, r->ctx, r->graph, NULL, NULL, true, 0);
}

static meguri_status construct(run *r) {
    const mg_edge_source source = {.ends = r->pairs.items,
                                   .end_weights = r->weights,
                                   .count = r->share,
                                   .vertices = r->report->vertices,
                                   .weights = r->weights ? MEGURI_TYPE_F32 : MEGURI_TYPE_NONE};
    const meguri_bfs_options bfs = {.size = sizeof bfs, .max_depth = UINT32_MAX, .parents = 1, .levels = 0};
    double since;
    meguri_status status = begin(r, &since);
    mg_recycle_begin(r->ctx); /* what edges took, for what searches need */
    if (status == MEGURI_OK) {
        r->pairs.items = NULL;
        r->weights = NULL;
        status = mg_shards_build(&r->shards, r->ctx, &source, r->layout);
    }
    if (status == MEGURI_OK) status = mg_shards_graph(&r->graph, r->ctx, r->cluster, r->shards, status);
    if (status == MEGURI_OK) status = mg_agree(r->ctx, r->cluster, mg_shards_slots(&r->slot, r->ctx, r->shards));
    if (status == MEGURI_OK && r->options.kernels & MEGURI_GRAPH500_BFS)
        status = mg_bfs_new(&r->bfs, r->ctx, r->graph, &bfs, false);
    if (status == MEGURI_OK && r->options.kernels & MEGURI_GRAPH500_SSSP) status = prepare_sssp(r);
    mg_recycle_end(r->ctx);
    r->report->construction_seconds = mg_now() - since;
    mg_trace_phase(r->ctx, "graph500", "kernel1", (int64_t)r->share, -1, since);
    if (status != MEGURI_OK) return status;
    r->report->graph_edges = r->shards->edges;
    r->report->grid_rows = (uint32_t)r->shards->layout.rows;
    r->report->grid_columns = (uint32_t)r->shards->layout.columns;
    return slowest(r, &r->report->construction_seconds);
}

/* ---- roots ------------------------------------------------------------------------------------------------------ */

/* Degrees of the positions of this home. */
typedef struct home_degrees {
    uint64_t first;
    uint32_t *degree;
} home_degrees;

static bool has_neighbor(const void *user, uint64_t v) {
    const home_degrees *homes = user;
    return homes->degree[v - homes->first] > 0;
}

static meguri_status find_degrees(home_degrees *out, run *r) {
    mg_shards *s = r->shards;
    *out = (home_degrees){s->home.begin,
                          mg_alloc_array(r->ctx, s->home.end - s->home.begin, sizeof *out->degree, "degrees")};
    meguri_status status = mg_agree(r->ctx, r->cluster, out->degree ? MEGURI_OK : MEGURI_NO_MEMORY);
    if (status != MEGURI_OK) return status;
    return mg_shards_to_homes(r->ctx, s, out->degree, s->degree, sizeof *s->degree, &(uint32_t){0});
}

static int by_number(const void *a, const void *b) {
    uint64_t x = ((const mg_ticket *)a)->number, y = ((const mg_ticket *)b)->number;
    return (x > y) - (x < y);
}

/* Every process draws among its positions; the smallest numbers of all are the roots. */
static meguri_status draw_roots(run *r, uint32_t *count) {
    uint64_t each = *count, all = each * (uint64_t)r->cluster->size;
    mg_ticket *mine = mg_alloc_array(r->ctx, each, sizeof *mine, "the roots");
    mg_ticket *tickets = mg_alloc_array(r->ctx, all, sizeof *tickets, "the roots");
    meguri_status status = mine && tickets ? MEGURI_OK : MEGURI_NO_MEMORY;
    uint32_t here = *count, found = 0;
    home_degrees homes = {0};
    status = mg_agree(r->ctx, r->cluster, status);
    if (status == MEGURI_OK) status = find_degrees(&homes, r);
    if (status == MEGURI_OK)
        status = mg_graph500_sample(mine, &here, r->ctx, r->shards->home, has_neighbor, &homes, r->options.seed);
    mg_free(homes.degree);
    status = mg_agree(r->ctx, r->cluster, status);
    if (status == MEGURI_OK) {
        for (uint64_t i = here; i < each; i++) mine[i] = (mg_ticket){UINT64_MAX, UINT64_MAX};
        status = mg_all_gather(r->ctx, r->cluster, &r->cluster->all, mine, each * sizeof *mine, tickets);
    }
    if (status == MEGURI_OK) {
        qsort(tickets, all, sizeof *tickets, by_number);
        for (; found < each && tickets[found].vertex != UINT64_MAX; found++) r->roots[found] = tickets[found].vertex;
    }
    *count = found;
    mg_free(mine);
    mg_free(tickets);
    return status;
}

static meguri_status sample(run *r) {
    meguri_graph500_report *report = r->report;
    uint32_t count = (uint32_t)MG_MIN((uint64_t)report->roots_wanted, report->vertices) + 1;
    double since = mg_now();
    r->roots = mg_alloc_array(r->ctx, count, sizeof *r->roots, "the roots");
    meguri_status status = mg_agree(r->ctx, r->cluster, r->roots ? MEGURI_OK : MEGURI_NO_MEMORY);
    if (status == MEGURI_OK) status = draw_roots(r, &count);
    if (status != MEGURI_OK) return status;
    r->warm_up = count > report->roots_wanted;
    report->searches_run = MG_MIN(count, report->roots_wanted);
    report->sampling_seconds = mg_now() - since;
    status = mg_graph500_check_roots(r->ctx, report, count);
    if (status == MEGURI_OK) status = mg_graph500_make_rows(r->ctx, report, r->options.kernels);
    return mg_agree(r->ctx, r->cluster, status);
}

/* ---- kernels 2 and 3 -------------------------------------------------------------------------------------------- */

/* What a search of either kernel gives: at the owners, by slot. */
typedef struct found {
    mg_globals parent;
    const double *distance; /* of kernel 3 */
    uint64_t reached, depth;
    double farthest;
    uint64_t bytes, messages; /* sent by this process, in kernel 2 */
} found;

static meguri_status search_bfs(run *r, found *out, uint64_t root) {
    meguri_status status = mg_bfs_run(r->ctx, r->bfs, root);
    if (status != MEGURI_OK) return status;
    mg_traffic sent = mg_bfs_sent(r->bfs);
    *out = (found){.parent = mg_bfs_owned_parents(r->bfs),
                   .reached = r->bfs->visited_vertices,
                   .depth = r->bfs->depth,
                   .bytes = sent.bytes,
                   .messages = sent.messages};
    return MEGURI_OK;
}

typedef struct label_job {
    const run *r;
    const mg_sssp_wide *labels;
} label_job;

static void unpack_labels(void *what, uint64_t begin, uint64_t end) {
    const label_job *job = what;
    const run *r = job->r;
    const mg_globals parent = r->own_parent;
    for (uint64_t v = begin; v < end; v++) {
        memcpy(&r->own_distance[r->slot[v]], &job->labels[v].distance, sizeof *r->own_distance);
        mg_global_put(parent, r->slot[v], mg_sssp_parent_of(&job->labels[v], parent.wide));
    }
}

/* Until distances and parents are plain arrays in the user's order of the own vertices. */
static meguri_status search_sssp(run *r, found *out, uint64_t root) {
    mg_sssp_told told;
    label_job job = {.r = r};
    meguri_status status = mg_sssp_owned_labels(&job.labels, &told, r->ctx, r->sssp, root);
    if (status != MEGURI_OK) return status;
    mg_for(r->ctx, mg_threads(r->ctx, r->shards->owned, 1 << 14), r->shards->owned, unpack_labels, &job);
    *out = (found){.parent = r->own_parent, .distance = r->own_distance, .reached = told.reached};
    out->farthest = told.farthest.real;
    return MEGURI_OK;
}

/* Parents and distances to the homes of their vertices, where they are validated: not part of the search. */
static meguri_status bring_home(run *r, const found *f, uint64_t root) {
    static const uint64_t none = UINT64_MAX; /* of 32 bits, too */
    static const double far = INFINITY, nothing = 0;
    mg_shards *s = r->shards;
    meguri_status status =
        mg_shards_in_order_to_homes(r->ctx, s, r->parent.items, f->parent.items, mg_global_bytes(s->wide), &none);
    if (f->distance && status == MEGURI_OK)
        status = mg_shards_in_order_to_homes(r->ctx, s, r->distance, f->distance, sizeof *f->distance, &far);
    if (status == MEGURI_OK && root >= s->home.begin && root < s->home.end) {
        mg_global_put(r->parent, root - s->home.begin, root);
        if (f->distance) r->distance[root - s->home.begin] = nothing;
    }
    return status;
}

/* Without validation: every edge of a component has two ends in it. */
static meguri_status believe(run *r, meguri_graph500_tree *tree, const found *f) {
    uint64_t ends = 0, none = mg_no_global(r->parent.wide);
    for (uint64_t i = 0; i < r->shards->home.end - r->shards->home.begin; i++)
        if (mg_global_at(r->parent, i) != none) ends += r->degrees[i];
    *tree = (meguri_graph500_tree){.reached = f->reached, .depth = f->depth, .farthest = f->farthest};
    meguri_status status = mg_reduce_u64(r->ctx, r->cluster, &r->cluster->all, &ends, 1, MG_SUM);
    tree->edges = ends / 2;
    return status;
}

typedef meguri_graph500_kernels kernel;

static meguri_status search_from(run *r, kernel k, found *f, uint64_t root, double *seconds) {
    double since;
    meguri_status status = begin(r, &since);
    if (status == MEGURI_OK) status = k == MEGURI_GRAPH500_BFS ? search_bfs(r, f, root) : search_sssp(r, f, root);
    *seconds = MG_MAX(mg_now() - since, 1e-9);
    return status == MEGURI_OK ? slowest(r, seconds) : status;
}

static void trace(run *r, kernel k, uint32_t number, const meguri_graph500_search *s) {
    mg_step step = MG_STEP_NONE;
    step.run = "graph500";
    step.step = number;
    step.phase = k == MEGURI_GRAPH500_BFS ? "kernel2" : "kernel3";
    step.engine = "cluster";
    step.edges = (int64_t)s->edges;
    step.threads = (int64_t)meguri_ctx_threads(r->ctx);
    step.seconds = s->seconds;
    mg_trace(r->ctx, &step);
}

static meguri_status run_one(run *r, kernel k, uint32_t number) {
    bool bfs = k == MEGURI_GRAPH500_BFS;
    meguri_graph500_search *s = bfs ? &r->report->bfs.searches[number] : &r->report->sssp.searches[number];
    found f;
    meguri_graph500_tree tree;
    s->root = r->roots[number];
    meguri_status status = search_from(r, k, &f, r->roots[number], &s->seconds);
    if (status == MEGURI_OK) status = bring_home(r, &f, r->roots[number]);
    double since = mg_now();
    if (status == MEGURI_OK)
        status = !r->options.validate ? believe(r, &tree, &f)
                                      : mg_cluster_validate(&tree, r->ctx, &r->lists, r->roots[number], r->parent,
                                                            bfs ? NULL : r->distance);
    if (status != MEGURI_OK) return status;
    if (r->options.validate) s->validation_seconds = mg_now() - since;
    s->edges = tree.edges;
    s->reached = tree.reached;
    if (bfs) s->depth = tree.depth;
    else s->farthest = tree.farthest;
    s->teps = (double)s->edges / s->seconds;
    r->report->bytes += f.bytes;
    r->report->messages += f.messages;
    trace(r, k, number, s);
    bool stop =
        mg_progress(r->ctx, !r->options.validate ? "searching" : "validating", number + 1, r->report->searches_run);
    return mg_agree(r->ctx, r->cluster, stop ? mg_fail_cancelled(r->ctx) : MEGURI_OK);
}

static meguri_status run_kernel(run *r, kernel k) {
    found f;
    double seconds;
    meguri_status status = MEGURI_OK;
    if (r->warm_up) status = search_from(r, k, &f, r->roots[r->report->roots_wanted], &seconds);
    for (uint32_t i = 0; i < r->report->searches_run && status == MEGURI_OK; i++) status = run_one(r, k, i);
    if (status != MEGURI_OK) return status;
    r->report->validated = r->options.validate;
    meguri_graph500_kernel *report = k == MEGURI_GRAPH500_BFS ? &r->report->bfs : &r->report->sssp;
    return mg_agree(r->ctx, r->cluster, mg_graph500_summarize(r->ctx, r->report, report));
}

/* What all have sent. */
static meguri_status add_traffic(run *r) {
    uint64_t sums[2] = {r->report->bytes, r->report->messages};
    meguri_status status = mg_reduce_u64(r->ctx, r->cluster, &r->cluster->all, sums, 2, MG_SUM);
    r->report->bytes = sums[0];
    r->report->messages = sums[1];
    return status;
}

/* ---- checks ----------------------------------------------------------------------------------------------------- */

typedef struct end_drawer {
    const run *run;
    uint64_t place, end;
} end_drawer;

static uint64_t next_ends(void *user, void *items, uint32_t *to, uint64_t capacity) {
    end_drawer *d = user;
    uint64_t n = MG_MIN(capacity / 2, d->end - d->place);
    const mg_globals ends = {items, d->run->shards->wide};
    if (n) mg_globals_draw(ends, d->run->drawing, NULL, d->place, d->place + n);
    d->place += n;
    for (uint64_t i = 0; i < 2 * n; i++)
        to[i] = (uint32_t)mg_home(d->run->report->vertices, d->run->cluster->size, mg_global_at(ends, i));
    return 2 * n;
}

static meguri_status count_degrees(run *r) {
    mg_range share = mg_share(r->drawing->units, r->cluster->rank, r->cluster->size);
    end_drawer drawer = {r, share.begin, share.end};
    mg_globals ends = {NULL, r->shards->wide};
    const mg_route_source source = {next_ends, &drawer, mg_global_bytes(ends.wide)};
    uint64_t count, homes = r->shards->home.end - r->shards->home.begin;
    r->degrees = mg_alloc_array_zero(r->ctx, homes, sizeof *r->degrees, "the degrees in the edge list");
    meguri_status status = mg_agree(r->ctx, r->cluster, r->degrees ? MEGURI_OK : MEGURI_NO_MEMORY);
    if (status == MEGURI_OK)
        status = mg_route(&ends.items, &count, r->ctx, r->cluster, &source, "degrees in the edge list");
    if (status != MEGURI_OK) return status;
    for (uint64_t i = 0; i < count && status == MEGURI_OK; i++) {
        uint64_t place = mg_global_at(ends, i) - r->shards->home.begin;
        if (place < homes) r->degrees[place]++;
        else status = mg_strange(r->ctx, r->cluster, "a vertex that is not at home here");
    }
    mg_free(ends.items);
    return status;
}

static meguri_status prepare_checks(run *r) {
    uint64_t homes = r->shards->home.end - r->shards->home.begin;
    r->parent = parents_new(r, homes);
    if (r->sssp) r->distance = mg_alloc_array(r->ctx, homes, sizeof *r->distance, "distances");
    bool good = r->parent.items && (!r->sssp || r->distance);
    meguri_status status = mg_agree(r->ctx, r->cluster, good ? MEGURI_OK : MEGURI_NO_MEMORY);
    if (status != MEGURI_OK) return status;
    if (!r->options.validate) return count_degrees(r);
    return mg_arc_lists_new(&r->lists, r->ctx, r->cluster, r->drawing, r->report->vertices);
}

/* ---- the whole -------------------------------------------------------------------------------------------------- */

static void describe(mg_call *call, const meguri_graph500_options *o) {
    mg_call_number(call, "scale", o->scale);
    mg_call_number(call, "edge factor", o->edge_factor);
    mg_call_number(call, "number of roots", o->roots);
    mg_call_number(call, "seed", o->seed);
    mg_call_number(call, "choice of validation", o->validate != 0);
    mg_call_number(call, "choice of kernels", o->kernels);
}

meguri_status mg_graph500_cluster(meguri_graph500_report **out, meguri_ctx *ctx,
                                  const meguri_graph500_options *options) {
    const meguri_layout *layout = options->layout;
    meguri_cluster *cluster = layout->cluster;
    run r = {.ctx = ctx, .cluster = cluster, .layout = layout};
    meguri_status status = mg_graph500_begin(&r.options, &r.report, ctx, options);
    if (status == MEGURI_OK) {
        r.report->processes = (uint32_t)cluster->size;
        r.pairs.wide = mg_is_wide(r.report->vertices);
    }
    mg_call call = {.name = "meguri_graph500"};
    mg_call_layout(&call, layout);
    if (status == MEGURI_OK) describe(&call, &r.options);
    status = mg_agree_call(ctx, cluster, status, &call);
    if (status == MEGURI_OK) status = generate(&r);
    if (status == MEGURI_OK) status = construct(&r);
    if (status == MEGURI_OK) status = sample(&r);
    if (status == MEGURI_OK) status = prepare_checks(&r);
    if (status == MEGURI_OK && r.bfs) status = run_kernel(&r, MEGURI_GRAPH500_BFS);
    meguri_bfs_search_free(r.bfs); /* before kernel 3 needs memory */
    if (status == MEGURI_OK && r.sssp) status = run_kernel(&r, MEGURI_GRAPH500_SSSP);
    if (status == MEGURI_OK) status = add_traffic(&r);
    if (status == MEGURI_OK) *out = r.report;
    else meguri_graph500_report_free(r.report);
    meguri_sssp_search_free(r.sssp);
    mg_arc_lists_free(&r.lists);
    mg_free(r.parent.items);
    mg_free(r.distance);
    mg_free(r.own_distance);
    mg_free(r.own_parent.items);
    mg_free(r.slot);
    mg_free(r.degrees);
    mg_free(r.roots);
    mg_free(r.pairs.items);
    mg_free(r.weights);
    meguri_graph_free(r.graph);
    mg_kronecker_free(r.drawing);
    return status;
}
