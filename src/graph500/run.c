/* The benchmark as the specification has it (https://graph500.org, version 3), the order of events:
 *
 *   generation   the edge list, in memory; with weights if kernel 3 is asked for; timed, but not part of the score
 *   kernel 1     from the edge list to rows and everything else that searches share; timed
 *   roots        sampled when kernel 1 is over: nothing before has seen them. One more vertex than asked for is drawn,
 *                and a search from that one comes first, so that memory touched for the first time counts for nobody.
 *                It is no root, so no tuning sees a root that is scored
 *   kernel 2     for each root a search, until a plain array of parents in the ids of the edge list is in memory:
 *                timed; and before the next one its tree is validated (validate.c)
 *   kernel 3     the same with shortest paths, when kernel 2 is over: until arrays of distances and parents are in
 *                memory; validated in validate_sssp.c
 *
 * Without validation, the edges of a component are counted by the degrees that its vertices have in the list. */
#include "graph500/graph500.h"

#include <inttypes.h>
#include <meguri/bfs.h>
#include <meguri/extra/graph500.h>
#include <meguri/sssp.h>

typedef struct run {
    meguri_ctx *ctx;
    meguri_graph500_options options; /* with the defaults filled in */
    meguri_graph500_report *report;
    uint64_t vertices;
    mg_graph500_list list;
    meguri_graph *graph;
    meguri_bfs_search *bfs;
    meguri_sssp_search *sssp;
    uint32_t searched; /* by both kernels */
    uint32_t *roots;   /* and one more, for the first search, if `warm_up` */
    bool warm_up;
    mg_graph500_validator validator; /* or, without validation: */
    uint64_t *degrees;               /* ends of edges of the list at each vertex */
} run;

/* What is said of either kernel. */
typedef meguri_graph500_kernels kernel;

static bool is_wanted(const run *r, kernel k) { return r->options.kernels & (uint32_t)k; }
static uint32_t wanted_kernels(const run *r) {
    return (uint32_t)is_wanted(r, MEGURI_GRAPH500_BFS) + (uint32_t)is_wanted(r, MEGURI_GRAPH500_SSSP);
}
static meguri_graph500_kernel *report_of(const run *r, kernel k) {
    return k == MEGURI_GRAPH500_BFS ? &r->report->bfs : &r->report->sssp;
}

/* ---- edge list and kernel 1 ------------------------------------------------------------------------------------- */

static meguri_status generate(run *r) {
    double since = mg_now();
    meguri_status status = mg_graph500_list_new(&r->list, r->ctx, &r->options, is_wanted(r, MEGURI_GRAPH500_SSSP));
    r->report->generation_seconds = mg_now() - since;
    return status;
}

static meguri_status construct(run *r) {
    meguri_bfs_options bfs = {.size = sizeof bfs, .max_depth = UINT32_MAX, .parents = 1, .levels = 0};
    double since = mg_now();
    meguri_status status = mg_graph500_list_build(&r->graph, r->ctx, &r->list);
    if (status == MEGURI_OK && is_wanted(r, MEGURI_GRAPH500_BFS))
        status = meguri_bfs_search_new(&r->bfs, r->ctx, r->graph, &bfs);
    if (status == MEGURI_OK && is_wanted(r, MEGURI_GRAPH500_SSSP))
        status = meguri_sssp_search_new(&r->sssp, r->ctx, r->graph, NULL);
    r->report->construction_seconds = mg_now() - since;
    mg_trace_phase(r->ctx, "graph500", "kernel1", (int64_t)r->list.view.count, -1, since);
    if (status == MEGURI_OK) r->report->graph_edges = r->graph->edges;
    return status;
}

/* ---- roots ------------------------------------------------------------------------------------------------------ */

meguri_status mg_graph500_check_roots(meguri_ctx *ctx, const meguri_graph500_report *report, uint32_t count) {
    if (count == 0)
        return mg_fail(
            ctx, MEGURI_BAD_INPUT,
            "no vertex of the graph has a neighbour, so there is nothing to search: choose another seed or a "
            "larger scale.");
    if (count < report->roots_wanted)
        mg_log(ctx, MEGURI_LOG_WARNING, "only %u vertices have a neighbour, so %u searches run instead of %u.", count,
               count, report->roots_wanted);
    return MEGURI_OK;
}

meguri_status mg_graph500_make_rows(meguri_ctx *ctx, meguri_graph500_report *report, uint32_t wanted) {
    for (kernel k = MEGURI_GRAPH500_BFS; k <= MEGURI_GRAPH500_SSSP; k++) {
        if (!(wanted & (uint32_t)k)) continue;
        meguri_graph500_search *rows =
            mg_alloc_array_zero(ctx, report->searches_run, sizeof *rows, "the report of the searches");
        if (k == MEGURI_GRAPH500_BFS) report->bfs.searches = rows;
        else report->sssp.searches = rows;
        if (!rows) return MEGURI_NO_MEMORY;
    }
    return MEGURI_OK;
}

static meguri_status sample(run *r) {
    meguri_graph500_report *report = r->report;
    double since = mg_now();
    uint32_t count = (uint32_t)MG_MIN((uint64_t)report->roots_wanted, r->vertices) + 1;
    r->roots = mg_alloc_array(r->ctx, count, sizeof *r->roots, "the roots");
    if (!r->roots) return MEGURI_NO_MEMORY;
    mg_begin(r->ctx); /* the next report is not held back */
    meguri_status status = mg_graph500_roots(r->roots, &count, r->ctx, r->graph, r->options.seed);
    if (status != MEGURI_OK) return status;
    r->warm_up = count > report->roots_wanted;
    report->searches_run = MG_MIN(count, report->roots_wanted);
    report->sampling_seconds = mg_now() - since;
    status = mg_graph500_check_roots(r->ctx, report, count);
    return status == MEGURI_OK ? mg_graph500_make_rows(r->ctx, report, r->options.kernels) : status;
}

/* ---- edges of a component, where no validation counts them ------------------------------------------------------ */

enum { PIECE = 1 << 16 }; /* edges between two looks at the progress */

static void count_pieces(void *what, mg_worker *worker) {
    const run *r = what;
    const mg_edge_view *edges = &r->list.view;
    for (mg_range piece; mg_take(worker, &piece);)
        for (uint64_t at = piece.begin; at < piece.end; at += MG_LOOK) {
            uint32_t room[2 * MG_LOOK];
            uint64_t end = MG_MIN(piece.end, at + MG_LOOK);
            const uint32_t *ends = edges->look(edges, room, at, end);
            for (uint64_t i = 0; i < 2 * (end - at); i++) mg_fetch_add(&r->degrees[ends[i]], 1);
        }
}

static meguri_status count_degrees(run *r) {
    r->degrees = mg_alloc_array_zero(r->ctx, r->vertices, sizeof *r->degrees, "the degrees in the edge list");
    if (!r->degrees) return MEGURI_NO_MEMORY;
    uint64_t edges = r->list.view.count;
    mg_loop loop = {.ctx = r->ctx,
                    .threads = mg_threads(r->ctx, edges, PIECE),
                    .items = edges,
                    .chunk = PIECE,
                    .work = count_pieces,
                    .what = r,
                    .phase = "counting degrees",
                    .total = edges};
    return mg_loop_run(&loop);
}

typedef struct end_job {
    const run *r;
    const uint32_t *parent;
    uint64_t ends;
} end_job;

static void count_ends(void *what, uint64_t begin, uint64_t end) {
    end_job *job = what;
    uint64_t ends = 0;
    for (uint64_t v = begin; v < end; v++)
        if (job->parent[v] != MG_NO_VERTEX) ends += job->r->degrees[v];
    mg_fetch_add(&job->ends, ends);
}

/* Every edge of a component, loops too, has two ends in it. */
static uint64_t count_edges(const run *r, const uint32_t *parent) {
    end_job job = {r, parent, 0};
    mg_for(r->ctx, mg_threads(r->ctx, r->vertices, PIECE), r->vertices, count_ends, &job);
    return job.ends / 2;
}

static meguri_status prepare_checks(run *r) {
    if (!r->options.validate) return count_degrees(r);
    uint64_t trees = (uint64_t)r->report->searches_run * wanted_kernels(r);
    meguri_status status = mg_graph500_validator_new(&r->validator, r->ctx, &r->list.view, r->vertices, trees);
    return status == MEGURI_OK ? mg_graph500_list_pack(r->ctx, &r->list) : status;
}

/* ---- kernels 2 and 3 -------------------------------------------------------------------------------------------- */

/* The progress line is drawn before the clock starts, and then not again for a while. */
static bool report_progress(run *r) {
    if (mg_cancelled(r->ctx)) return true;
    mg_begin(r->ctx); /* the next report is not held back */
    if (r->options.validate) return mg_progress(r->ctx, "validating", r->validator.done, r->validator.work);
    return mg_progress(r->ctx, "searching", r->searched, (uint64_t)r->report->searches_run * wanted_kernels(r));
}

static meguri_status search_from(run *r, kernel k, const meguri_result **result, uint32_t root, double *seconds) {
    double since = mg_now();
    meguri_status status = k == MEGURI_GRAPH500_BFS ? meguri_bfs_search_run(result, r->ctx, r->bfs, root)
                                                    : meguri_sssp_search_run(result, r->ctx, r->sssp, root);
    *seconds = MG_MAX(mg_now() - since, 1e-9); /* never 0: rates divide by it */
    return status;
}

static void trace(const run *r, uint32_t number, const char *phase, uint64_t edges, double seconds) {
    mg_step step = MG_STEP_NONE;
    step.run = "graph500";
    step.step = number;
    step.phase = phase;
    step.engine = "host";
    step.threads = (int64_t)meguri_ctx_threads(r->ctx);
    step.edges = (int64_t)edges;
    step.seconds = seconds;
    mg_trace(r->ctx, &step);
}

/* What the search says about itself, where nobody checks. */
static meguri_status believe(run *r, kernel k, meguri_graph500_tree *tree, const meguri_result *result,
                             const uint32_t *parent) {
    meguri_fact reached = {.size = sizeof reached}, most = {.size = sizeof most};
    meguri_status status = meguri_result_fact(&reached, result, "reached");
    if (status == MEGURI_OK)
        status = meguri_result_fact(&most, result, k == MEGURI_GRAPH500_BFS ? "depth" : "farthest");
    *tree = (meguri_graph500_tree){
        .reached = reached.number, .depth = most.number, .edges = count_edges(r, parent), .farthest = most.real};
    return status;
}

static meguri_status check_result(run *r, kernel k, meguri_graph500_tree *tree, const meguri_result *result,
                                  meguri_graph500_search *s) {
    meguri_column parent = {.size = sizeof parent}, distance = {.size = sizeof distance};
    meguri_status status = meguri_result_column(&parent, result, "parent");
    if (status == MEGURI_OK && k == MEGURI_GRAPH500_SSSP) status = meguri_result_column(&distance, result, "distance");
    if (status != MEGURI_OK) return status;
    if (!r->options.validate) return believe(r, k, tree, result, parent.data);
    double since = mg_now();
    uint32_t root = (uint32_t)s->root;
    if (k == MEGURI_GRAPH500_BFS)
        status = mg_graph500_validate_tree(tree, r->ctx, &r->validator, root, parent.data, NULL);
    else status = mg_graph500_validate_paths(tree, r->ctx, &r->validator, root, parent.data, distance.data);
    s->validation_seconds = mg_now() - since;
    return status;
}

static meguri_status run_one(run *r, kernel k, uint32_t number) {
    meguri_graph500_search *s = &report_of(r, k)->searches[number];
    const meguri_result *result;
    meguri_graph500_tree tree;
    s->root = r->roots[number];
    if (report_progress(r)) return mg_fail_cancelled(r->ctx);
    meguri_status status = search_from(r, k, &result, r->roots[number], &s->seconds);
    if (status == MEGURI_OK) status = check_result(r, k, &tree, result, s);
    if (status != MEGURI_OK) return status;
    uint32_t step = r->searched++;
    s->edges = tree.edges;
    s->reached = tree.reached;
    if (k == MEGURI_GRAPH500_BFS) s->depth = tree.depth;
    else s->farthest = tree.farthest;
    s->teps = (double)s->edges / s->seconds;
    trace(r, step, k == MEGURI_GRAPH500_BFS ? "kernel2" : "kernel3", s->edges, s->seconds);
    if (r->options.validate) trace(r, step, "validate", r->list.view.count, s->validation_seconds);
    return MEGURI_OK;
}

static meguri_status run_all(run *r, kernel k) {
    const meguri_result *result;
    double seconds;
    meguri_status status = MEGURI_OK;
    if (r->warm_up) status = search_from(r, k, &result, r->roots[r->report->roots_wanted], &seconds);
    for (uint32_t i = 0; i < r->report->searches_run && status == MEGURI_OK; i++) status = run_one(r, k, i);
    return status;
}

/* ---- the report ------------------------------------------------------------------------------------------------- */

meguri_status mg_graph500_summarize(meguri_ctx *ctx, const meguri_graph500_report *report, meguri_graph500_kernel *k) {
    const meguri_graph500_search *s = k->searches;
    uint32_t count = report->searches_run;
    double *values = mg_alloc_array(ctx, count, sizeof *values, "the statistics");
    if (!values) return MEGURI_NO_MEMORY;
    for (uint32_t i = 0; i < count; i++) values[i] = s[i].seconds;
    k->time = mg_graph500_statistics(values, count);
    for (uint32_t i = 0; i < count; i++) values[i] = (double)s[i].edges;
    k->edges = mg_graph500_statistics(values, count);
    for (uint32_t i = 0; i < count; i++) values[i] = s[i].seconds / (double)s[i].edges;
    k->teps = mg_graph500_rate_statistics(values, count);
    for (uint32_t i = 0; i < count; i++) values[i] = s[i].validation_seconds;
    k->validation = mg_graph500_statistics(values, count);
    mg_free(values);
    return MEGURI_OK;
}

static meguri_status run_kernel(run *r, kernel k) {
    meguri_status status = run_all(r, k);
    r->report->validated = r->options.validate;
    return status == MEGURI_OK ? mg_graph500_summarize(r->ctx, r->report, report_of(r, k)) : status;
}

meguri_status mg_graph500_begin(meguri_graph500_options *o, meguri_graph500_report **report, meguri_ctx *ctx,
                                const meguri_graph500_options *options) {
    meguri_status status = MG_OPTIONS(ctx, o, options, meguri_graph500_options);
    uint64_t edges = 0;
    if (status == MEGURI_OK) status = mg_check_scale(ctx, o->scale, o->layout);
    if (status == MEGURI_OK) status = mg_count_drawn(&edges, ctx, o->scale, o->edge_factor);
    if (status != MEGURI_OK) return status;
    if (!o->edge_factor) o->edge_factor = 16;
    if (!o->roots) o->roots = 64;
    if (!o->seed) o->seed = 1;
    if (!o->kernels) o->kernels = MEGURI_GRAPH500_BFS;
    if (o->kernels > (MEGURI_GRAPH500_BFS | MEGURI_GRAPH500_SSSP))
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT,
                       "there are no kernels %u: choose MEGURI_GRAPH500_BFS, MEGURI_GRAPH500_SSSP or both.",
                       o->kernels);
    *report = mg_alloc_zero(ctx, sizeof **report, "the report");
    if (!*report) return MEGURI_NO_MEMORY;
    **report = (meguri_graph500_report){.size = sizeof **report,
                                        .scale = o->scale,
                                        .edge_factor = o->edge_factor,
                                        .seed = o->seed,
                                        .threads = meguri_ctx_threads(ctx),
                                        .roots_wanted = o->roots,
                                        .vertices = (uint64_t)1 << o->scale,
                                        .input_edges = edges,
                                        .processes = 1};
    return MEGURI_OK;
}

meguri_status meguri_graph500(meguri_graph500_report **out, meguri_ctx *ctx, const meguri_graph500_options *options) {
    if (out) *out = NULL;
    if (!out || !ctx) return mg_missing(ctx, __func__);
    mg_begin(ctx);
    run r = {.ctx = ctx};
    meguri_graph500_options o;
    const mg_makers *makers;
    meguri_layout layout;
    meguri_status status = MG_OPTIONS(ctx, &o, options, meguri_graph500_options);
    if (status == MEGURI_OK) status = mg_layout_makers(&makers, &layout, ctx, &o.layout);
    if (status != MEGURI_OK) return status;
    if (o.layout) return mg_graph500_cluster(out, ctx, &o);
    status = mg_graph500_begin(&r.options, &r.report, ctx, options);
    if (status == MEGURI_OK) r.vertices = r.report->vertices;
    mg_recycle_begin(ctx); /* the pages of the list become those of the rows, and so on */
    if (status == MEGURI_OK) status = generate(&r);
    if (status == MEGURI_OK) status = construct(&r);
    if (status == MEGURI_OK) status = sample(&r);
    if (status == MEGURI_OK) status = prepare_checks(&r);
    mg_recycle_end(ctx);
    if (status == MEGURI_OK && r.bfs) status = run_kernel(&r, MEGURI_GRAPH500_BFS);
    meguri_bfs_search_free(r.bfs); /* before kernel 3 needs memory */
    if (status == MEGURI_OK && r.sssp) status = run_kernel(&r, MEGURI_GRAPH500_SSSP);
    if (status == MEGURI_OK) *out = r.report;
    else meguri_graph500_report_free(r.report);
    mg_graph500_validator_free(&r.validator);
    mg_free(r.degrees);
    mg_free(r.roots);
    meguri_sssp_search_free(r.sssp);
    meguri_graph_free(r.graph);
    mg_graph500_list_free(&r.list);
    return status;
}

void meguri_graph500_report_free(meguri_graph500_report *report) {
    if (!report) return;
    mg_free(report->bfs.searches);
    mg_free(report->sssp.searches);
    mg_free(report);
}
