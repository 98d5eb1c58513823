/* Components and communities: how many, how large, and what they say; PageRank, which also gives communities their
 * leaders. */
#include "algo/overview/overview.h"

#include <meguri/communities.h>
#include <meguri/components.h>
#include <meguri/extra/overview.h>
#include <meguri/pagerank.h>

/* ---- groups of vertices ----------------------------------------------------------------------------------------- */

static meguri_status count_members(uint32_t *sizes, const mg_overview_work *w, const uint32_t *group) {
    for (uint64_t v = 0; v < w->graph->vertices; v++) {
        if (mg_overview_stops(w, "components", v)) return mg_fail_cancelled(w->ctx);
        sizes[group[v]]++;
    }
    return MEGURI_OK;
}

typedef struct group_lists {
    meguri_overview_numbers *numbers;
    mg_overview_bins bins;
    meguri_overview_list *largest;
    mg_overview_lists list;
} group_lists;

/* Sizes by the vertex that names the group, 0 for other vertices. */
static meguri_status describe_groups(mg_overview_work *w, const uint32_t *sizes, const group_lists *lists) {
    mg_overview_tally tally = {0};
    mg_overview_count *counts = NULL;
    uint64_t count = 0;
    mg_top top = {0};
    meguri_status status = mg_overview_tally_new(&tally, w->ctx);
    if (status == MEGURI_OK) status = mg_top_new(&top, w->ctx, w->overview->options.top, w->graph->vertices);
    for (uint64_t v = 0; v < w->graph->vertices && status == MEGURI_OK; v++) {
        if (mg_overview_stops(w, "groups", v)) status = mg_fail_cancelled(w->ctx);
        if (!sizes[v] || status != MEGURI_OK) continue;
        mg_top_add(&top, (mg_top_item){sizes[v], v});
        status = mg_overview_tally_add(&tally, w->ctx, sizes[v]);
    }
    if (status == MEGURI_OK) status = mg_overview_tally_counts(&counts, &count, w->ctx, &tally);
    if (status == MEGURI_OK) {
        mg_overview_distribution(lists->numbers, w, lists->bins, counts, count, false);
        mg_overview_list(lists->largest, w, lists->list, &top);
    }
    mg_top_free(&top);
    mg_free(counts);
    mg_overview_tally_free(&tally);
    return status;
}

/* ---- components ------------------------------------------------------------------------------------------------- */

meguri_status mg_overview_components(mg_overview_work *w) {
    const group_lists lists = {&w->info->components, MG_OVERVIEW_COMPONENTS, &w->info->largest_components,
                               MG_OVERVIEW_LARGEST_COMPONENTS};
    meguri_column component = {.size = sizeof component};
    uint64_t vertices = w->graph->vertices;
    meguri_status status = meguri_components(&w->components, w->ctx, w->graph, NULL);
    if (status == MEGURI_OK) status = meguri_result_column(&component, w->components, "component");
    if (status != MEGURI_OK) return status;
    uint32_t *sizes = mg_alloc_array_zero(w->ctx, vertices, sizeof *sizes, "the sizes of components");
    if (!sizes) return MEGURI_NO_MEMORY;
    status = count_members(sizes, w, component.data);
    if (status == MEGURI_OK) status = describe_groups(w, sizes, &lists);
    mg_free(sizes);
    w->info->is_forest = w->info->pairs + w->info->components.count == vertices;
    return status;
}

/* ---- PageRank --------------------------------------------------------------------------------------------------- */

meguri_status mg_overview_pagerank(mg_overview_work *w) {
    uint64_t *vertices = mg_alloc_array(w->ctx, w->overview->options.top, sizeof *vertices, "the highest ranks");
    double *ranks = mg_alloc_array(w->ctx, w->overview->options.top, sizeof *ranks, "the highest ranks");
    uint64_t count = 0;
    meguri_status status = vertices && ranks ? MEGURI_OK : MEGURI_NO_MEMORY;
    if (status == MEGURI_OK) status = meguri_pagerank(&w->ranks, w->ctx, w->graph, NULL);
    if (status == MEGURI_OK)
        status =
            meguri_result_top(vertices, ranks, &count, w->ctx, w->graph, w->ranks, "rank", w->overview->options.top);
    meguri_overview_item *items = mg_overview_items(w, MG_OVERVIEW_BY_PAGERANK);
    for (uint64_t i = 0; i < count; i++) items[i] = (meguri_overview_item){vertices[i], ranks[i], vertices[i]};
    w->info->by_pagerank = (meguri_overview_list){items, (uint32_t)count};
    mg_free(vertices);
    mg_free(ranks);
    return status;
}

/* ---- communities ------------------------------------------------------------------------------------------------ */

typedef struct community_job {
    mg_overview_work *w;
    const uint32_t *label; /* by position */
    uint32_t *sizes, *own; /* by label; by internal number */
    uint64_t *out, *in;    /* arcs that leave the vertices of a label, and that lead to them */
} community_job;

static bool is_isolated(const mg_overview_work *w, uint64_t v) {
    const mg_rows *in = w->graph->directed ? &w->in : &w->out;
    return mg_row_begin(&w->out, v) == mg_row_end(&w->out, v) && mg_row_begin(in, v) == mg_row_end(in, v);
}

/* Labels by internal number, sizes without isolated vertices, ends of arcs. */
static meguri_status count_labels(community_job *job) {
    mg_overview_work *w = job->w;
    for (uint64_t v = 0; v < w->graph->vertices; v++) {
        if (mg_overview_stops(w, "communities", v)) return mg_fail_cancelled(w->ctx);
        uint32_t label = job->label[mg_to_user(&w->numbering, (uint32_t)v)];
        job->own[v] = label;
        job->sizes[label] += !is_isolated(w, v);
        job->out[label] += mg_row_end(&w->out, v) - mg_row_begin(&w->out, v);
        if (w->graph->directed) job->in[label] += mg_row_end(&w->in, v) - mg_row_begin(&w->in, v);
    }
    return MEGURI_OK;
}

/* Arcs of one row that stay inside a community, and loops among them. */
typedef struct inside_counts {
    uint64_t arcs, loops;
} inside_counts;

typedef struct inside_job {
    const community_job *c;
    inside_counts sums;
} inside_job;

static void count_inside(void *what, mg_worker *worker) {
    inside_job *job = what;
    const mg_rows *rows = &job->c->w->out;
    const uint32_t *own = job->c->own;
    inside_counts sums = {0};
    for (mg_range chunk; mg_take(worker, &chunk);)
        for (uint64_t v = chunk.begin; v < chunk.end; v++)
            for (uint64_t arc = mg_row_begin(rows, v); arc < mg_row_end(rows, v); arc++) {
                sums.arcs += own[rows->neighbors[arc]] == own[v];
                sums.loops += rows->neighbors[arc] == v;
            }
    mg_loop_lock(worker);
    job->sums.arcs += sums.arcs;
    job->sums.loops += sums.loops;
    mg_loop_unlock(worker);
}

/* Newman's modularity (2004; of directed graphs Leicht and Newman 2008), every arc counting 1. An undirected loop is
 * stored once and has two ends. */
static meguri_status measure_division(community_job *job) {
    mg_overview_work *w = job->w;
    bool directed = w->graph->directed;
    inside_job inside = {.c = job};
    mg_loop loop = {.ctx = w->ctx,
                    .threads = mg_threads(w->ctx, w->out.arcs, MG_OVERVIEW_BLOCK_ARCS),
                    .items = w->out.rows,
                    .work = count_inside,
                    .what = &inside,
                    .phase = "modularity",
                    .total = w->out.rows};
    meguri_status status = mg_loop_run(&loop);
    if (status != MEGURI_OK || w->out.arcs == 0) return status;
    uint64_t loops = directed ? 0 : inside.sums.loops;
    double all = (double)(w->out.arcs + loops), expected = 0;
    if (loops)
        for (uint64_t v = 0; v < w->out.rows; v++)
            for (uint64_t arc = mg_row_begin(&w->out, v); arc < mg_row_end(&w->out, v); arc++)
                job->out[job->own[v]] += w->out.neighbors[arc] == v;
    for (uint64_t label = 0; label < w->graph->vertices; label++) {
        double out = (double)job->out[label], in = directed ? (double)job->in[label] : out;
        expected += out / all * (in / all);
    }
    w->info->inside = (double)(inside.sums.arcs + loops) / all;
    w->info->modularity = w->info->inside - expected;
    return MEGURI_OK;
}

/* The member of highest rank, of each of the largest communities. */
static meguri_status find_leaders(community_job *job) {
    mg_overview_work *w = job->w;
    meguri_overview_item *items = mg_overview_items(w, MG_OVERVIEW_LARGEST_COMMUNITIES);
    uint32_t count = w->info->largest_communities.count;
    meguri_column ranks = {.size = sizeof ranks};
    double best[MG_OVERVIEW_TOP_MOST] = {0};
    meguri_status status = meguri_result_column(&ranks, w->ranks, "rank");
    if (status != MEGURI_OK) return status;
    const double *rank = ranks.data;
    uint32_t *place = job->sizes; /* no longer needed: of a label in the list, from 1 on */
    for (uint64_t v = 0; v < w->graph->vertices; v++) place[v] = 0;
    for (uint32_t i = 0; i < count; i++) place[items[i].vertex] = i + 1;
    for (uint64_t v = 0; v < w->graph->vertices; v++) {
        if (mg_overview_stops(w, "communities", v)) return mg_fail_cancelled(w->ctx);
        uint32_t i = place[job->label[v]];
        if (!i-- || rank[v] <= best[i]) continue;
        best[i] = rank[v];
        items[i].leader = v;
    }
    return MEGURI_OK;
}

static meguri_overview_division division_of(const mg_overview_work *w) {
    const meguri_overview_info *info = w->info;
    uint64_t joined = w->graph->vertices - w->graph->isolated, count = info->communities.count;
    uint64_t components = info->components.count - w->graph->isolated;
    if (info->communities.most > 0.75 * (double)joined) return MEGURI_OVERVIEW_ONE;
    bool small = info->communities.mean < 10 && count >= 100;
    return small && count >= 5 * components ? MEGURI_OVERVIEW_FRAGMENTS : MEGURI_OVERVIEW_DIVIDED;
}

static meguri_status describe_communities(community_job *job, const meguri_result *result) {
    mg_overview_work *w = job->w;
    const group_lists lists = {&w->info->communities, MG_OVERVIEW_COMMUNITIES, &w->info->largest_communities,
                               MG_OVERVIEW_LARGEST_COMMUNITIES};
    meguri_fact changed = {.size = sizeof changed};
    uint64_t joined = w->graph->vertices - w->graph->isolated;
    meguri_status status = meguri_result_fact(&changed, result, "changed");
    if (status == MEGURI_OK) status = count_labels(job);
    if (status == MEGURI_OK) status = describe_groups(w, job->sizes, &lists);
    if (status == MEGURI_OK) status = measure_division(job);
    if (status == MEGURI_OK) status = find_leaders(job);
    w->info->unsettled = joined ? (double)changed.number / (double)joined : 0;
    w->info->division = division_of(w);
    return status;
}

meguri_status mg_overview_communities(mg_overview_work *w) {
    meguri_result *result = NULL;
    uint64_t vertices = w->graph->vertices;
    community_job job = {.w = w};
    meguri_column label = {.size = sizeof label};
    meguri_status status = meguri_communities(&result, w->ctx, w->graph, NULL);
    if (status == MEGURI_OK) status = meguri_result_column(&label, result, "label");
    if (status == MEGURI_OK) {
        job.label = label.data;
        job.sizes = mg_alloc_array_zero(w->ctx, vertices, sizeof *job.sizes, "the sizes of communities");
        job.own = mg_alloc_array(w->ctx, vertices, sizeof *job.own, "the labels of communities");
        job.out = mg_alloc_array_zero(w->ctx, vertices, sizeof *job.out, "the ends of arcs");
        job.in = mg_alloc_array_zero(w->ctx, w->graph->directed ? vertices : 0, sizeof *job.in, "the ends of arcs");
        status = job.sizes && job.own && job.out && job.in ? describe_communities(&job, result) : MEGURI_NO_MEMORY;
    }
    mg_free(job.sizes);
    mg_free(job.own);
    mg_free(job.out);
    mg_free(job.in);
    meguri_result_free(result);
    return status;
}
