/* The internal order of the vertices.
 *
 * Falling degree (the hot bits of a search then share a few cache lines, and bottom-up hits at its
 * first look) keeps the user's order inside a degree class; breadth-first order puts neighbours near each other. Both
 * put isolated vertices last, and both are the same at any number of threads. */
#include "graph/internal.h"
#include "policy/policy.h"

#include <omp.h>

static uint32_t bits_for(uint64_t value) { return value ? 64 - (uint32_t)__builtin_clzll(value) : 1; }

/* ---- degrees ---------------------------------------------------------------------------------------------------- */

/* Arcs at each vertex, out and (if directed) in, up to 2^32-1. */
static meguri_status count_degrees(uint32_t **out, meguri_ctx *ctx, const mg_rows *rows, bool directed,
                                   uint64_t vertices) {
    uint32_t *degree = mg_alloc_array(ctx, vertices, sizeof *degree, "degrees");
    *out = degree;
    if (!degree) return MEGURI_NO_MEMORY;
    int threads = mg_threads(ctx, vertices + rows->arcs, 1 << 16);
#pragma omp parallel num_threads(mg_team(threads))
    {
#pragma omp for schedule(static)
        for (uint64_t v = 0; v < vertices; v++)
            degree[v] = (uint32_t)MG_MIN(mg_row_offset(rows, v + 1) - mg_row_offset(rows, v), (uint64_t)UINT32_MAX);
        if (directed) {
#pragma omp for schedule(static)
            for (uint64_t arc = 0; arc < rows->arcs; arc++) {
                uint32_t *d = &degree[rows->neighbors[arc]];
                if (mg_load(d) < UINT32_MAX - 1024) mg_fetch_add(d, 1); /* threads may pass the mark by one each */
            }
        }
    }
    return MEGURI_OK;
}

/* Vertices by falling degree; a stable sort keeps the user's order among equals. */
static meguri_status sort_by_degree(uint32_t **out, uint64_t *rows, mg_degree_facts *facts, meguri_ctx *ctx,
                                    const uint32_t *degree, uint64_t vertices) {
    uint32_t *keys = mg_alloc_array(ctx, vertices, 4, "degrees to sort");
    uint32_t *by_degree = mg_alloc_array(ctx, vertices, 4, "the order of the vertices");
    meguri_status status = MEGURI_NO_MEMORY;
    if (!keys || !by_degree) goto cleanup;

    uint32_t largest = 0;
    uint64_t active = 0;
    int threads = mg_threads(ctx, vertices, 1 << 16);
#pragma omp parallel for num_threads(mg_team(threads)) schedule(static) reduction(max : largest) reduction(+ : active)
    for (uint64_t v = 0; v < vertices; v++) {
        largest = MG_MAX(largest, degree[v]);
        active += degree[v] != 0;
    }
#pragma omp parallel for num_threads(mg_team(threads)) schedule(static)
    for (uint64_t v = 0; v < vertices; v++) {
        keys[v] = largest - degree[v];
        by_degree[v] = (uint32_t)v;
    }
    status = mg_sort_u32(ctx, keys, by_degree, 4, vertices, bits_for(largest));
    if (status != MEGURI_OK) goto cleanup;

    *facts = (mg_degree_facts){.vertices = active};
    for (uint64_t i = 0; i < active; i++) {
        facts->arcs += largest - keys[i];
        if (i == 0 || i < active / 100) facts->top_arcs = facts->arcs;
    }
    *rows = active;
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
    uint32_t **found; /* per thread: what its share of the level places */
    uint64_t *found_count, *found_room;
    int max_threads;
} search;

static void claim_row(search *s, const mg_rows *rows, uint32_t v, uint32_t claim) {
    for (uint64_t arc = mg_row_offset(rows, v), end = mg_row_offset(rows, v + 1); arc < end; arc++)
        mg_atomic_min_u32(&s->claim[rows->neighbors[arc]], claim);
}

static meguri_status place_row(search *s, const mg_rows *rows, uint32_t v, uint32_t claim, int thread) {
    for (uint64_t arc = mg_row_offset(rows, v), end = mg_row_offset(rows, v + 1); arc < end; arc++) {
        uint32_t to = rows->neighbors[arc];
        if (mg_load(&s->claim[to]) != claim) continue;
        mg_store(&s->claim[to], PLACED);
        if (s->found_count[thread] == s->found_room[thread]) {
            uint64_t room = s->found_room[thread] * 2 + 4096;
            uint32_t *bigger = mg_resize(s->ctx, s->found[thread], room * 4, "a level of the order");
            if (!bigger) return MEGURI_NO_MEMORY;
            s->found[thread] = bigger;
            s->found_room[thread] = room;
        }
        s->found[thread][s->found_count[thread]++] = to;
    }
    return MEGURI_OK;
}

/* Places the level after order[begin … end) behind it; *next is where it ends. */
static meguri_status expand_level(search *s, uint64_t begin, uint64_t end, uint64_t *next) {
    meguri_status result = MEGURI_OK;
    int threads = MG_MIN(mg_threads(s->ctx, end - begin, 4096), s->max_threads);
    for (int t = 0; t < threads; t++) s->found_count[t] = 0;
#pragma omp parallel num_threads(mg_team(threads))
    {
        int thread = omp_get_thread_num();
        mg_range share = mg_share(end - begin, thread, omp_get_num_threads());
        for (uint64_t i = begin + share.begin; i < begin + share.end; i++) {
            claim_row(s, s->out, s->order[i], (uint32_t)i + 1);
            if (s->in) claim_row(s, s->in, s->order[i], (uint32_t)i + 1);
        }
#pragma omp barrier
        meguri_status status = MEGURI_OK;
        for (uint64_t i = begin + share.begin; i < begin + share.end && status == MEGURI_OK; i++) {
            status = place_row(s, s->out, s->order[i], (uint32_t)i + 1, thread);
            if (status == MEGURI_OK && s->in) status = place_row(s, s->in, s->order[i], (uint32_t)i + 1, thread);
        }
        if (status != MEGURI_OK) {
#pragma omp critical(mg_order_result)
            result = status;
        }
    }
    *next = end;
    for (int t = 0; t < threads && result == MEGURI_OK; t++) {
        if (s->found_count[t]) memcpy(s->order + *next, s->found[t], s->found_count[t] * 4);
        *next += s->found_count[t];
    }
    return result;
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
    search s = {.ctx = ctx, .out = rows, .max_threads = threads};
    s.order = mg_alloc_array(ctx, vertices, 4, "the order of the vertices");
    s.claim = mg_alloc_array(ctx, vertices, 4, "claims");
    s.found = mg_alloc_array_zero(ctx, (uint64_t)threads, sizeof *s.found, "levels of the order");
    s.found_count = mg_alloc_array_zero(ctx, 2 * (uint64_t)threads, 8, "levels of the order");
    if (!s.order || !s.claim || !s.found || !s.found_count) goto cleanup;
    s.found_room = s.found_count + threads;
    memset(s.claim, 0xff, vertices * 4);
    if (directed) {
        status = mg_transpose(&backwards, ctx, rows, vertices, MEGURI_WEIGHT_NONE);
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

/* Vertices without any arc, where no degrees are needed otherwise: a bit for each target is enough. */
static meguri_status count_isolated(uint64_t *out, meguri_ctx *ctx, const mg_rows *rows, bool directed,
                                    uint64_t vertices) {
    mg_bitmap targets = {0};
    if (directed) {
        meguri_status status = mg_bitmap_new(&targets, ctx, vertices, "the vertices that arcs lead to");
        if (status != MEGURI_OK) return status;
        int threads = mg_threads(ctx, rows->arcs, 1 << 16);
#pragma omp parallel for num_threads(mg_team(threads)) schedule(static)
        for (uint64_t arc = 0; arc < rows->arcs; arc++) mg_bitmap_claim(&targets, rows->neighbors[arc]);
    }
    uint64_t isolated = 0;
    for (uint64_t v = 0; v < vertices; v++)
        isolated += mg_row_offset(rows, v + 1) == mg_row_offset(rows, v) && !(directed && mg_bitmap_get(&targets, v));
    mg_bitmap_free(&targets);
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
