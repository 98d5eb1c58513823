/* Label propagation on the threads of this machine: iteration by iteration, each with a line in the trace. */
#include "algo/communities/communities.h"

#include "policy/policy.h"

#include <inttypes.h>

#define BLOCK        8192  /* arcs and vertices taken at a time */
#define VERTEX_GRAIN 65536 /* vertices that pay for another thread where little is done with each */

/* ---- blocks of about equal work --------------------------------------------------------------------------------- */

/* Arcs and vertices before v. */
static uint64_t work_before(const mg_communities *c, uint64_t v) {
    return mg_row_begin(&c->out, v) + mg_row_begin(&c->in, v) + v;
}

/* The first vertex of a block. */
static uint32_t block_begin(const mg_communities *c, uint64_t block) {
    uint64_t target = block * BLOCK;
    uint32_t low = 0, high = c->rows;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (work_before(c, middle) < target) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* ---- before the first iteration --------------------------------------------------------------------------------- */

static meguri_status list_hubs(meguri_ctx *ctx, mg_communities *c) {
    c->hubs = mg_alloc_array(ctx, c->hub_count, sizeof *c->hubs, "the hubs of communities");
    c->counts = mg_alloc_array_zero(ctx, c->graph->vertices, sizeof *c->counts, "counting the labels around hubs");
    if (!c->hubs || !c->counts) return MEGURI_NO_MEMORY;
    c->hub_count = 0;
    for (uint32_t v = 0; v < c->rows; v++) {
        uint64_t degree = mg_communities_degree(c, v);
        if (degree > MG_COMMUNITIES_HUB) c->hubs[c->hub_count++] = v;
        if (degree > UINT32_MAX)
            return mg_fail(ctx, MEGURI_BAD_INPUT,
                           "a vertex has %" PRIu64 " edges, and communities count at most %" PRIu32
                           "; build the graph without parallel edges.",
                           degree, UINT32_MAX);
    }
    return MEGURI_OK;
}

static meguri_status make_workspace(meguri_ctx *ctx, mg_communities *c, uint64_t degree) {
    c->threads = mg_lasting_threads(ctx, c->work, BLOCK);
    size_t bytes = mg_communities_workspace_bytes(degree);
    c->scratch = mg_alloc_array(ctx, (uint64_t)c->threads, sizeof *c->scratch, "counting labels");
    c->memory = mg_alloc_array(ctx, (uint64_t)c->threads, bytes, "counting labels");
    if (!c->scratch || !c->memory) return MEGURI_NO_MEMORY;
    for (int t = 0; t < c->threads; t++)
        c->scratch[t] = mg_communities_workspace_at((char *)c->memory + (size_t)t * bytes, degree);
    return MEGURI_OK;
}

typedef struct degree_job {
    mg_communities *c;
    uint64_t hubs, largest; /* degree of the others */
} degree_job;

static void look_at_degrees(void *what, uint64_t begin, uint64_t end) {
    degree_job *job = what;
    mg_communities *c = job->c;
    uint64_t hubs = 0, largest = 0;
    for (uint64_t v = begin; v < end; v++) {
        uint64_t degree = mg_communities_degree(c, (uint32_t)v);
        if (degree > MG_COMMUNITIES_HUB) hubs++;
        else largest = MG_MAX(largest, degree);
        c->label[v] = c->other[v] = mg_to_user(&c->numbering, (uint32_t)v);
    }
    mg_fetch_add(&job->hubs, hubs);
    mg_atomic_max_u64(&job->largest, largest);
}

/* Labels, and what the degrees ask for. */
static meguri_status prepare(meguri_ctx *ctx, mg_communities *c) {
    c->label = mg_alloc_array(ctx, c->rows, sizeof *c->label, "labels of communities");
    c->other = mg_alloc_array(ctx, c->rows, sizeof *c->other, "labels of communities");
    if (!c->label || !c->other) return MEGURI_NO_MEMORY;
    meguri_status status = mg_bitmap_new(&c->awake, ctx, c->rows, "the vertices that labels may change at");
    if (status != MEGURI_OK) return status;
    degree_job job = {.c = c};
    mg_for(ctx, mg_threads(ctx, c->rows, VERTEX_GRAIN), c->rows, look_at_degrees, &job);
    c->hub_count = job.hubs;
    c->first = c->all = true;
    if (job.hubs) status = list_hubs(ctx, c);
    return status == MEGURI_OK ? make_workspace(ctx, c, job.largest) : status;
}

static meguri_status open_graph(meguri_ctx *ctx, mg_communities *c, const meguri_graph *graph) {
    meguri_status status = mg_graph_rows(&c->out, ctx, graph);
    if (status == MEGURI_OK) status = mg_graph_numbering(&c->numbering, ctx, graph);
    if (status == MEGURI_OK && graph->directed) status = mg_graph_in_rows(&c->in, ctx, graph);
    c->graph = graph;
    c->rows = (uint32_t)graph->rows;
    c->work = c->out.arcs + c->in.arcs;
    c->blocks = (c->work + c->rows) / BLOCK + 1;
    return status;
}

static void close_all(mg_communities *c) {
    mg_free(c->label);
    mg_free(c->other);
    mg_bitmap_free(&c->awake);
    mg_free(c->counts);
    mg_free(c->hubs);
    mg_free(c->scratch);
    mg_free(c->memory);
}

/* ---- one iteration ---------------------------------------------------------------------------------------------- */

static void add_step(mg_communities_step *sum, const mg_communities_step *share) {
    sum->looked += share->looked;
    sum->edges += share->edges;
    sum->changed += share->changed;
    sum->changed_arcs += share->changed_arcs;
    sum->moved += share->moved;
}

/* A loop over blocks or chunks of an iteration. */
static mg_loop block_loop(meguri_ctx *ctx, const mg_communities *c, int threads, mg_work_fn *work, void *what) {
    return (mg_loop){.ctx = ctx,
                     .threads = threads,
                     .items = c->blocks,
                     .chunk = 1,
                     .work = work,
                     .what = what,
                     .phase = "communities",
                     .done = c->done * c->blocks,
                     .total = c->iterations * c->blocks};
}

typedef struct iteration {
    mg_communities *c;
    mg_communities_step step;
} iteration;

static void iterate_blocks(void *what, mg_worker *worker) {
    iteration *i = what;
    mg_communities_step share = {0};
    for (mg_range block; mg_take(worker, &block);)
        mg_communities_block(i->c, &i->c->scratch[worker->number], block_begin(i->c, block.begin),
                             block_begin(i->c, block.end), &share);
    mg_loop_lock(worker);
    add_step(&i->step, &share);
    mg_loop_unlock(worker);
}

static mg_communities_step iterate(meguri_ctx *ctx, mg_communities *c) {
    iteration i = {.c = c};
    if (mg_communities_stopped(ctx, c, 0)) return i.step;
    for (uint64_t h = 0; h < c->hub_count; h++) mg_communities_hub(ctx, c, c->hubs[h], &i.step);
    mg_loop loop = block_loop(ctx, c, MG_MIN(c->threads, mg_threads(ctx, c->work, BLOCK)), iterate_blocks, &i);
    mg_loop_run(&loop);
    return i.step;
}

/* ---- who is looked at in the next one --------------------------------------------------------------------------- */

static void wake_row(mg_communities *c, const uint32_t *row, uint64_t count) {
    for (uint64_t i = 0; i < count; i++) mg_bitmap_claim(&c->awake, row[i]);
}

typedef struct hub_job {
    mg_communities *c;
    uint32_t v;
} hub_job;

static void wake_chunks(void *what, mg_worker *worker) {
    const hub_job *job = what;
    for (mg_range chunk; mg_take(worker, &chunk);) {
        uint64_t count;
        const uint32_t *row = mg_communities_chunk(job->c, job->v, chunk.begin, &count);
        wake_row(job->c, row, count);
    }
}

static void wake_by_hub(meguri_ctx *ctx, mg_communities *c, uint32_t v) {
    hub_job job = {c, v};
    uint64_t chunks = mg_communities_chunks(c, v);
    mg_loop loop = block_loop(ctx, c, mg_threads(ctx, chunks, 1), wake_chunks, &job);
    loop.items = chunks;
    loop.steady = true;
    mg_loop_run(&loop);
}

static void wake_by_block(mg_communities *c, uint32_t begin, uint32_t end) {
    for (uint32_t v = begin; v < end; v++) {
        if (c->label[v] == c->other[v] || mg_communities_degree(c, v) > MG_COMMUNITIES_HUB) continue;
        uint64_t from = mg_row_begin(&c->out, v);
        wake_row(c, c->out.neighbors + from, mg_row_end(&c->out, v) - from);
        if (!c->in.rows) continue;
        from = mg_row_begin(&c->in, v);
        wake_row(c, c->in.neighbors + from, mg_row_end(&c->in, v) - from);
    }
}

static void wake_blocks(void *what, mg_worker *worker) {
    mg_communities *c = what;
    for (mg_range blocks; mg_take(worker, &blocks);)
        wake_by_block(c, block_begin(c, blocks.begin), block_begin(c, blocks.end));
}

/* The neighbours of all that changed; simply everybody where these are many. */
static void wake(meguri_ctx *ctx, mg_communities *c, const mg_communities_step *step) {
    c->all = mg_policy_communities_all(step->changed_arcs, c->work);
    if (c->all) return;
    mg_bitmap_clear(ctx, &c->awake);
    for (uint64_t h = 0; h < c->hub_count; h++)
        if (c->label[c->hubs[h]] != c->other[c->hubs[h]]) wake_by_hub(ctx, c, c->hubs[h]);
    mg_loop loop = block_loop(ctx, c, mg_threads(ctx, c->rows / 16 + step->changed_arcs, BLOCK), wake_blocks, c);
    loop.chunk = 4;
    loop.steady = true;
    mg_loop_run(&loop);
}

/* ---- all iterations --------------------------------------------------------------------------------------------- */

static void note_step(meguri_ctx *ctx, const mg_communities *c, const mg_communities_step *step, double since) {
    if (!mg_trace_on(ctx)) return;
    mg_step line = MG_STEP_NONE;
    line.run = "communities";
    line.step = c->done;
    line.frontier = (int64_t)step->looked;
    line.edges = (int64_t)step->edges;
    line.way = c->all ? "all" : "changed";
    line.engine = "host";
    line.threads = (int64_t)meguri_ctx_threads(ctx);
    line.seconds = mg_now() - since;
    /* Neighbours, their labels once, places in rows, and both arrays of labels. */
    line.bytes = (int64_t)(4 * step->edges + 20 * (uint64_t)c->rows);
    mg_trace(ctx, &line);
}

static void swap_labels(mg_communities *c) {
    uint32_t *label = c->label;
    c->label = c->other;
    c->other = label;
}

static meguri_status propagate(meguri_ctx *ctx, mg_communities *c, mg_communities_step *last, uint64_t *edges) {
    while (c->done < c->iterations) {
        double since = mg_now();
        mg_communities_step step = iterate(ctx, c);
        if (mg_cancelled(ctx)) return mg_fail_cancelled(ctx);
        note_step(ctx, c, &step, since);
        swap_labels(c);
        c->done++;
        c->first = false;
        *last = step;
        *edges += step.edges;
        if (!step.changed) break;
        if (c->done > 1 && !step.moved) { /* they alternate from now on */
            if ((c->iterations - c->done) % 2) swap_labels(c);
            break;
        }
        if (c->done < c->iterations) wake(ctx, c, &step);
        if (mg_cancelled(ctx)) return mg_fail_cancelled(ctx);
    }
    return MEGURI_OK;
}

/* ---- the end ---------------------------------------------------------------------------------------------------- */

typedef struct finish_job {
    const mg_communities *c;
    uint32_t *label; /* by position */
    mg_bitmap seen;
} finish_job;

static void write_labels(void *what, uint64_t begin, uint64_t end) {
    finish_job *job = what;
    const mg_communities *c = job->c;
    for (uint64_t v = begin; v < end; v++) {
        uint32_t position = mg_to_user(&c->numbering, (uint32_t)v), own = v < c->rows ? c->label[v] : position;
        job->label[position] = own;
        mg_bitmap_claim(&job->seen, own);
    }
}

/* Labels into the user's order; returns how many different ones there are. */
static meguri_status finish(meguri_ctx *ctx, const mg_communities *c, uint32_t *label, uint64_t *different) {
    finish_job job = {.c = c, .label = label};
    uint64_t vertices = c->graph->vertices;
    meguri_status status = mg_bitmap_new(&job.seen, ctx, vertices, "the labels of communities");
    if (status != MEGURI_OK) return status;
    mg_for(ctx, mg_threads(ctx, vertices, VERTEX_GRAIN), vertices, write_labels, &job);
    *different = mg_bitmap_count(ctx, &job.seen);
    mg_bitmap_free(&job.seen);
    return MEGURI_OK;
}

meguri_status mg_communities_host(meguri_ctx *ctx, const meguri_graph *graph, uint32_t iterations, uint32_t *label,
                                  meguri_result *result) {
    mg_communities c = {.iterations = iterations};
    mg_communities_step last = {0};
    uint64_t edges = 0, different = 0;
    meguri_status status = open_graph(ctx, &c, graph);
    if (status == MEGURI_OK) status = prepare(ctx, &c);
    double begin = mg_now();
    if (status == MEGURI_OK) status = propagate(ctx, &c, &last, &edges);
    if (status == MEGURI_OK) status = finish(ctx, &c, label, &different);
    double seconds = mg_now() - begin;
    if (status == MEGURI_OK) status = mg_result_set_number(ctx, result, "iterations", c.done);
    if (status == MEGURI_OK) status = mg_result_set_number(ctx, result, "labels", different);
    if (status == MEGURI_OK) status = mg_result_set_number(ctx, result, "changed", last.changed);
    if (status == MEGURI_OK) status = mg_result_set_number(ctx, result, "edges", edges);
    if (status == MEGURI_OK) status = mg_result_set_real(ctx, result, "seconds", seconds);
    close_all(&c);
    return status;
}
