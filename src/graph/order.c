/* The internal order of the vertices.
 *
 * Falling degree (the hot bits of a search then share a few cache lines, and bottom-up hits at its
 * first look) keeps the user's order inside a degree class; breadth-first order puts neighbours near each other. Both
 * put isolated vertices last, and both are the same at any number of threads. */
#include "graph/internal.h"
#include "policy/policy.h"

static uint32_t bits_for(uint64_t value) { return value ? 64 - (uint32_t)__builtin_clzll(value) : 1; }

/* ---- degrees ---------------------------------------------------------------------------------------------------- */

typedef struct degree_job {
    const mg_rows *rows;
    uint32_t *degree;
} degree_job;

static void count_out(void *what, uint64_t begin, uint64_t end) {
    const degree_job *job = what;
    for (uint64_t v = begin; v < end; v++) {
        uint64_t degree = mg_row_offset(job->rows, v + 1) - mg_row_offset(job->rows, v);
        job->degree[v] = (uint32_t)MG_MIN(degree, (uint64_t)UINT32_MAX);
    }
}

static void count_in(void *what, uint64_t begin, uint64_t end) {
    const degree_job *job = what;
    for (uint64_t arc = begin; arc < end; arc++) {
        uint32_t *d = &job->degree[job->rows->neighbors[arc]];
        if (mg_load(d) < UINT32_MAX - 1024) mg_fetch_add(d, 1); /* threads may pass the mark by one each */
    }
}

/* Arcs at each vertex, out and (if directed) in, up to 2^32-1. */
static meguri_status count_degrees(uint32_t **out, meguri_ctx *ctx, const mg_rows *rows, bool directed,
                                   uint64_t vertices) {
    degree_job job = {rows, mg_alloc_array(ctx, vertices, sizeof *job.degree, "degrees")};
    *out = job.degree;
    if (!job.degree) return MEGURI_NO_MEMORY;
    int threads = mg_threads(ctx, vertices + rows->arcs, 1 << 16);
    mg_for(ctx, threads, vertices, count_out, &job);
    if (directed) mg_for(ctx, threads, rows->arcs, count_in, &job);
    return MEGURI_OK;
}

/* What is sorted: degrees so that the largest comes first, and whose they are. */
typedef struct falling {
    const uint32_t *degree;
    uint32_t *keys, *vertices;
    uint32_t largest;
    uint64_t active; /* vertices with edges */
} falling;

static void find_largest(void *what, uint64_t begin, uint64_t end) {
    falling *f = what;
    uint32_t largest = 0;
    uint64_t active = 0;
    for (uint64_t v = begin; v < end; v++) {
        largest = MG_MAX(largest, f->degree[v]);
        active += f->degree[v] != 0;
    }
    mg_atomic_max_u32(&f->largest, largest);
    mg_fetch_add(&f->active, active);
}

static void make_keys(void *what, uint64_t begin, uint64_t end) {
    const falling *f = what;
    for (uint64_t v = begin; v < end; v++) {
        f->keys[v] = f->largest - f->degree[v];
        f->vertices[v] = (uint32_t)v;
    }
}

/* Vertices by falling degree; a stable sort keeps the user's order among equals. */
static meguri_status sort_by_degree(uint32_t **out, uint64_t *rows, mg_degree_facts *facts, meguri_ctx *ctx,
                                    const uint32_t *degree, uint64_t vertices) {
    uint32_t *keys = mg_alloc_array(ctx, vertices, 4, "degrees to sort");
    uint32_t *by_degree = mg_alloc_array(ctx, vertices, 4, "the order of the vertices");
    meguri_status status = MEGURI_NO_MEMORY;
    if (!keys || !by_degree) goto cleanup;

    falling f = {.degree = degree, .keys = keys, .vertices = by_degree};
    int threads = mg_threads(ctx, vertices, 1 << 16);
    mg_for(ctx, threads, vertices, find_largest, &f);
    mg_for(ctx, threads, vertices, make_keys, &f);
    status = mg_sort_u32(ctx, keys, by_degree, 4, vertices, bits_for(f.largest));
    if (status != MEGURI_OK) goto cleanup;

    *facts = (mg_degree_facts){.vertices = f.active};
    for (uint64_t i = 0; i < f.active; i++) {
        facts->arcs += f.largest - keys[i];
        if (i == 0 || i < f.active / 100) facts->top_arcs = facts->arcs;
    }
    *rows = f.active;
    *out = by_degree;
    by_degree = NULL;
cleanup:
    mg_free(keys);
    mg_free(by_degree);
    return status;
}

/* ---- breadth first ---------------------------------------------------------------------------------------------- */

/* A vertex's claim: UNSEEN, or one more than the smallest place in the order of a vertex that leads to it, or PLACED.
 * Each level is two passes: all vertices of the level lower the claims of their neighbours, then each of them places,
 * in the order of its rows, those whose claim it won. The outcome is that of a serial search. */
enum { PLACED = 0 };
#define UNSEEN UINT32_MAX

typedef struct search {
    meguri_ctx *ctx;
    const mg_rows *out, *in; /* in is NULL for undirected graphs */
    uint32_t *order;
    uint32_t *claim;
    uint64_t begin, end; /* the level that is expanded: places in the order */
    int shares;          /* that it is cut into */
    int max_shares;
    uint32_t **found; /* what each share places */
    uint64_t *found_count, *found_room;
} search;

static void claim_row(search *s, const mg_rows *rows, uint32_t v, uint32_t claim) {
    for (uint64_t arc = mg_row_offset(rows, v), end = mg_row_offset(rows, v + 1); arc < end; arc++)
        mg_atomic_min_u32(&s->claim[rows->neighbors[arc]], claim);
}

static meguri_status place_row(search *s, const mg_rows *rows, uint32_t v, uint32_t claim, uint64_t share) {
    for (uint64_t arc = mg_row_offset(rows, v), end = mg_row_offset(rows, v + 1); arc < end; arc++) {
        uint32_t to = rows->neighbors[arc];
        if (mg_load(&s->claim[to]) != claim) continue;
        mg_store(&s->claim[to], PLACED);
        if (s->found_count[share] == s->found_room[share]) {
            uint64_t room = s->found_room[share] * 2 + 4096;
            uint32_t *bigger = mg_resize(s->ctx, s->found[share], room * 4, "a level of the order");
            if (!bigger) return MEGURI_NO_MEMORY;
            s->found[share] = bigger;
            s->found_room[share] = room;
        }
        s->found[share][s->found_count[share]++] = to;
    }
    return MEGURI_OK;
}

static mg_range share_of_level(const search *s, uint64_t share) {
    mg_range part = mg_share(s->end - s->begin, (int)share, s->shares);
    return (mg_range){s->begin + part.begin, s->begin + part.end};
}

static void claim_shares(void *what, mg_worker *worker) {
    search *s = what;
    for (mg_range chunk; mg_take(worker, &chunk);) {
        mg_range share = share_of_level(s, chunk.begin);
        for (uint64_t i = share.begin; i < share.end; i++) {
            claim_row(s, s->out, s->order[i], (uint32_t)i + 1);
            if (s->in) claim_row(s, s->in, s->order[i], (uint32_t)i + 1);
        }
    }
}

static void place_shares(void *what, mg_worker *worker) {
    search *s = what;
    for (mg_range chunk; mg_take(worker, &chunk);) {
        mg_range share = share_of_level(s, chunk.begin);
        meguri_status status = MEGURI_OK;
        s->found_count[chunk.begin] = 0;
        for (uint64_t i = share.begin; i < share.end && status == MEGURI_OK; i++) {
            status = place_row(s, s->out, s->order[i], (uint32_t)i + 1, chunk.begin);
            if (status == MEGURI_OK && s->in) status = place_row(s, s->in, s->order[i], (uint32_t)i + 1, chunk.begin);
        }
        mg_loop_fail(worker, status);
    }
}

/* Places the level after order[begin … end) behind it; *next is where it ends. */
static meguri_status expand_level(search *s, uint64_t begin, uint64_t end, uint64_t *next) {
    s->begin = begin;
    s->end = *next = end;
    s->shares = MG_MIN(mg_threads(s->ctx, end - begin, 4096), s->max_shares);
    mg_loop loop = {.ctx = s->ctx, .threads = s->shares, .items = (uint64_t)s->shares, .chunk = 1, .what = s};
    loop.work = claim_shares;
    mg_loop_run(&loop);
    loop.work = place_shares;
    meguri_status status = mg_loop_run(&loop);
    for (int i = 0; i < s->shares && status == MEGURI_OK; i++) {
        if (s->found_count[i]) memcpy(s->order + *next, s->found[i], s->found_count[i] * 4);
        *next += s->found_count[i];
    }
    return status;
}

static meguri_status search_all(search *s, const uint32_t *degree, uint64_t vertices, uint64_t *rows) {
    uint64_t placed = 0;
    for (uint64_t root = 0; root < vertices; root++) {
        if (degree[root] == 0 || s->claim[root] == PLACED) continue;
        s->claim[root] = PLACED;
        uint64_t begin = placed, end = placed + 1;
        s->order[placed] = (uint32_t)root;
        while (begin < end) {
            uint64_t next;
            meguri_status status = expand_level(s, begin, end, &next);
            if (status == MEGURI_OK && mg_progress(s->ctx, "ordering", end, vertices))
                status = mg_fail_cancelled(s->ctx);
            if (status != MEGURI_OK) return status;
            begin = end;
            end = next;
        }
        placed = end;
    }
    *rows = placed;
    for (uint64_t v = 0; v < vertices; v++)
        if (degree[v] == 0) s->order[placed++] = (uint32_t)v;
    return MEGURI_OK;
}

static meguri_status order_breadth_first(uint32_t **out, uint64_t *row_count, meguri_ctx *ctx, const mg_rows *rows,
                                         bool directed, const uint32_t *degree, uint64_t vertices) {
    meguri_status status = MEGURI_NO_MEMORY;
    mg_csr backwards = {0};
    mg_rows in;
    int threads = (int)meguri_ctx_threads(ctx);
    search s = {.ctx = ctx, .out = rows, .max_shares = threads};
    s.order = mg_alloc_array(ctx, vertices, 4, "the order of the vertices");
    s.claim = mg_alloc_array(ctx, vertices, 4, "claims");
    s.found = mg_alloc_array_zero(ctx, (uint64_t)threads, sizeof *s.found, "levels of the order");
    s.found_count = mg_alloc_array_zero(ctx, 2 * (uint64_t)threads, 8, "levels of the order");
    if (!s.order || !s.claim || !s.found || !s.found_count) goto cleanup;
    s.found_room = s.found_count + threads;
    memset(s.claim, 0xff, vertices * 4);
    if (directed) {
        status = mg_transpose(&backwards, ctx, rows, vertices, MEGURI_TYPE_NONE, false);
        if (status != MEGURI_OK) goto cleanup;
        in = (mg_rows){.rows = vertices,
                       .arcs = backwards.arcs,
                       .offsets32 = backwards.offset_bytes == 4 ? backwards.offsets : NULL,
                       .offsets64 = backwards.offset_bytes == 8 ? backwards.offsets : NULL,
                       .neighbors = backwards.neighbors.data};
        s.in = &in;
    }
    status = search_all(&s, degree, vertices, row_count);
    if (status == MEGURI_OK) {
        *out = s.order;
        s.order = NULL;
    }
cleanup:
    if (s.found)
        for (int t = 0; t < threads; t++) mg_free(s.found[t]);
    mg_free(s.found);
    mg_free(s.found_count);
    mg_free(s.claim);
    mg_free(s.order);
    mg_csr_free(&backwards);
    return status;
}

/* ---- the choice ------------------------------------------------------------------------------------------------- */

static bool is_identity(const uint32_t *order, uint64_t vertices) {
    for (uint64_t v = 0; v < vertices; v++)
        if (order[v] != v) return false;
    return true;
}

typedef struct target_job {
    const mg_rows *rows;
    mg_bitmap targets;
} target_job;

static void mark_targets(void *what, uint64_t begin, uint64_t end) {
    target_job *job = what;
    for (uint64_t arc = begin; arc < end; arc++) mg_bitmap_claim(&job->targets, job->rows->neighbors[arc]);
}

/* Vertices without any arc, where no degrees are needed otherwise: a bit for each target is enough. */
static meguri_status count_isolated(uint64_t *out, meguri_ctx *ctx, const mg_rows *rows, bool directed,
                                    uint64_t vertices) {
    target_job job = {.rows = rows};
    if (directed) {
        meguri_status status = mg_bitmap_new(&job.targets, ctx, vertices, "the vertices that arcs lead to");
        if (status != MEGURI_OK) return status;
        mg_for(ctx, mg_threads(ctx, rows->arcs, 1 << 16), rows->arcs, mark_targets, &job);
    }
    uint64_t isolated = 0;
    for (uint64_t v = 0; v < vertices; v++)
        isolated +=
            mg_row_offset(rows, v + 1) == mg_row_offset(rows, v) && !(directed && mg_bitmap_get(&job.targets, v));
    mg_bitmap_free(&job.targets);
    *out = isolated;
    return MEGURI_OK;
}

static meguri_status make_order(uint32_t **to_user, uint64_t *rows, meguri_order *order, meguri_ctx *ctx,
                                meguri_graph *graph, const mg_rows *user_rows) {
    uint32_t *degree = NULL, *by_degree = NULL;
    mg_degree_facts facts;
    uint64_t vertices = graph->vertices;
    meguri_status status = count_degrees(&degree, ctx, user_rows, graph->directed, vertices);
    if (status != MEGURI_OK) goto cleanup;
    graph->isolated = 0;
    for (uint64_t v = 0; v < vertices; v++) graph->isolated += degree[v] == 0;
    if (*order != MEGURI_ORDER_BFS) {
        status = sort_by_degree(&by_degree, rows, &facts, ctx, degree, vertices);
        if (status != MEGURI_OK) goto cleanup;
        if (*order == MEGURI_ORDER_AUTO) *order = mg_policy_order(&facts);
    }
    if (*order == MEGURI_ORDER_DEGREE) {
        *to_user = by_degree;
        by_degree = NULL;
    } else if (*order == MEGURI_ORDER_BFS) {
        mg_free(by_degree);
        by_degree = NULL;
        status = order_breadth_first(to_user, rows, ctx, user_rows, graph->directed, degree, vertices);
    }
cleanup:
    mg_free(degree);
    mg_free(by_degree);
    return status;
}

uint64_t mg_order_bytes(const meguri_graph *graph) {
    /* Degrees, order and keys, and the scratch of sorting both; later the two maps and the new offsets. */
    return graph->vertices * (4 + 2 * 4 + 2 * 4 + 8) + ((uint64_t)1 << 20);
}

meguri_status mg_order_make(uint32_t **to_user, uint64_t *rows, meguri_order *order, meguri_ctx *ctx,
                            meguri_graph *graph, bool all_touched) {
    mg_rows user_rows;
    *to_user = NULL;
    *rows = graph->vertices;
    meguri_status status = mg_graph_rows(&user_rows, ctx, graph);
    if (status != MEGURI_OK) return status;
    if (*order == MEGURI_ORDER_AUTO && mg_order_bytes(graph) > mg_memory_left(ctx)) {
        mg_log(ctx, MEGURI_LOG_INFO, "the memory budget leaves no room for an order: the vertices stay as they are.");
        *order = MEGURI_ORDER_NONE;
    }
    if (*order != MEGURI_ORDER_NONE) status = make_order(to_user, rows, order, ctx, graph, &user_rows);
    else if (all_touched) graph->isolated = 0;
    else status = count_isolated(&graph->isolated, ctx, &user_rows, graph->directed, graph->vertices);
    if (*to_user && *rows == graph->vertices && is_identity(*to_user, graph->vertices)) { /* nothing to rearrange */
        mg_free(*to_user);
        *to_user = NULL;
    }
    if (!*to_user) *rows = graph->vertices;
    return status;
}
