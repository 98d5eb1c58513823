/* Searches from many sources in one pass, a bit each (after Then et al., "The more the merrier", VLDB 2014).
 *
 * A word for each vertex says which sources have reached it. Level by level, either the vertices with fresh bits push
 * them to their neighbours, or every vertex that lacks some pulls from its own; both for all sources at once, so an
 * edge that 64 searches share is looked at once. Vertices of degree one are filled in at the end, as in a single
 * search. */
#include "algo/bfs/bfs_many.h"

#include "policy/policy.h"

#include <inttypes.h>
#include <omp.h>

#define ARC_GRAIN   4096
#define LIST_CHUNK  64
#define PULL_CHUNK  2048
#define ROW_GRAIN   16384
#define LEAF_CHUNK  2048
#define BLOCK_ITEMS ((uint64_t)1 << 16)

/* ---- push ------------------------------------------------------------------------------------------------------- */

static uint64_t push_vertex(const mg_bfs_many *m, mg_queue_buffer *buffer, uint32_t u) {
    uint64_t fresh = m->fresh[u], i = mg_row_begin(&m->out, u), begin = i, end = mg_row_end(&m->out, u);
    for (; i < end; i++) {
        uint32_t v = m->out.neighbors[i];
        if (v >= m->core) break;
        uint64_t bits = fresh & ~m->seen[v];
        if (!bits || (mg_load(&m->next[v]) & bits) == bits) continue;
        if (mg_fetch_or(&m->next[v], bits) == 0) mg_queue_push(buffer, v);
    }
    return i - begin;
}

static mg_bfs_many_found commit_vertex(mg_bfs_many *m, uint32_t v) {
    uint64_t bits = m->next[v];
    m->seen[v] |= bits;
    mg_bfs_many_reach(m, v, bits, (int32_t)m->depth + 1);
    return (mg_bfs_many_found){.vertices = 1,
                               .arcs = mg_row_end(&m->out, v) - mg_row_begin(&m->out, v),
                               .bits = (uint64_t)__builtin_popcountll(bits),
                               .sources = bits};
}

/* All of `words`, which has one for each row. */
static void clear(meguri_ctx *ctx, uint64_t *words, uint64_t count) {
    int threads = mg_threads(ctx, count, BLOCK_ITEMS);
#pragma omp parallel for num_threads(threads) schedule(static)
    for (uint64_t i = 0; i < count; i++) words[i] = 0;
}

static mg_bfs_many_found push(meguri_ctx *ctx, mg_bfs_many *m) {
    mg_bfs_many_found found = {0};
    int threads = mg_threads(ctx, m->frontier_arcs + m->frontier, ARC_GRAIN);
    m->next_list.count = 0;
    if (!m->next_is_zero) clear(ctx, m->next, m->rows);
    m->next_is_zero = true;
#pragma omp parallel num_threads(threads)
    {
        mg_bfs_many_found share = {0};
        mg_queue_buffer buffer;
        buffer.queue = &m->next_list;
        buffer.count = 0;
#pragma omp for schedule(dynamic)
        for (uint64_t from = 0; from < m->list.count; from += LIST_CHUNK) {
            if (mg_progress(ctx, "bfs", m->reached, (uint64_t)m->sources * m->rows)) continue;
            for (uint64_t k = from; k < MG_MIN(from + LIST_CHUNK, m->list.count); k++)
                share.edges += push_vertex(m, &buffer, m->list.items[k]);
        }
        mg_queue_flush(&buffer);
#pragma omp barrier
#pragma omp for schedule(static) nowait
        for (uint64_t k = 0; k < m->list.count; k++) m->fresh[m->list.items[k]] = 0;
#pragma omp for schedule(static)
        for (uint64_t k = 0; k < m->next_list.count; k++) {
            mg_bfs_many_found one = commit_vertex(m, m->next_list.items[k]);
            mg_bfs_many_add(&share, &one);
        }
#pragma omp critical(mg_bfs_many_push)
        mg_bfs_many_add(&found, &share);
    }
    mg_queue list = m->list;
    m->list = m->next_list;
    m->next_list = list;
    uint64_t *fresh = m->fresh;
    m->next_is_zero = m->fresh_is_listed; /* what was listed has been cleared */
    m->fresh = m->next;
    m->next = fresh;
    m->fresh_is_listed = true;
    return found;
}

/* After a pull: which vertices have fresh bits. */
static void need_list(meguri_ctx *ctx, mg_bfs_many *m) {
    if (m->fresh_is_listed) return;
    int threads = mg_threads(ctx, m->core, ROW_GRAIN);
    m->list.count = 0;
#pragma omp parallel num_threads(threads)
    {
        mg_queue_buffer buffer;
        buffer.queue = &m->list;
        buffer.count = 0;
#pragma omp for schedule(static)
        for (uint32_t v = 0; v < m->core; v++)
            if (m->fresh[v]) mg_queue_push(&buffer, v);
        mg_queue_flush(&buffer);
    }
    m->fresh_is_listed = true;
}

/* ---- pull ------------------------------------------------------------------------------------------------------- */

static mg_bfs_many_pull_fn *hot_loop(void) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")) return mg_bfs_many_pull_avx512;
#endif
    return mg_bfs_many_pull_base;
}

/* A frontier that is a small part of the vertices as a bitmap. */
static void mark_frontier(mg_bfs_many *m) {
    m->in_frontier = NULL;
    if (!m->fresh_is_listed || m->frontier > m->core / 16) return;
    memset(m->bitmap, 0, mg_bitmap_words(m->rows) * sizeof *m->bitmap);
    for (uint64_t k = 0; k < m->list.count; k++) {
        uint32_t u = m->list.items[k];
        m->bitmap[u / 64] |= (uint64_t)1 << (u % 64);
    }
    m->in_frontier = m->bitmap;
}

static mg_bfs_many_found pull(meguri_ctx *ctx, mg_bfs_many *m) {
    mg_bfs_many_found found = {0};
    mg_bfs_many_pull_fn *pull_some = hot_loop();
    int threads = mg_threads(ctx, m->core, PULL_CHUNK);
    mark_frontier(m);
#pragma omp parallel num_threads(threads)
    {
        mg_bfs_many_found share = {0};
#pragma omp for schedule(dynamic)
        for (uint32_t from = 0; from < m->core; from += PULL_CHUNK) {
            if (mg_progress(ctx, "bfs", m->reached, (uint64_t)m->sources * m->rows)) continue;
            mg_bfs_many_found one = pull_some(m, from, MG_MIN(from + PULL_CHUNK, m->core));
            mg_bfs_many_add(&share, &one);
        }
#pragma omp for schedule(static)
        for (uint32_t v = 0; v < m->core; v++) m->seen[v] |= m->next[v];
#pragma omp critical(mg_bfs_many_pull)
        mg_bfs_many_add(&found, &share);
    }
    uint64_t *fresh = m->fresh;
    m->fresh = m->next;
    m->next = fresh;
    m->next_is_zero = m->fresh_is_listed = false;
    return found;
}

/* ---- levels ----------------------------------------------------------------------------------------------------- */

static meguri_status new_levels(meguri_ctx *ctx, mg_bfs_many *m, uint32_t bytes) {
    uint64_t items = m->graph->vertices * m->sources;
    uint8_t *levels = mg_alloc_array(ctx, items, bytes, "the levels of many searches");
    if (!levels) return MEGURI_NO_MEMORY;
    int threads = mg_threads(ctx, items, BLOCK_ITEMS);
    mg_bfs_many wide = {.levels = levels, .level_bytes = bytes};
#pragma omp parallel for num_threads(threads) schedule(static)
    for (uint64_t from = 0; from < items; from += BLOCK_ITEMS) {
        uint64_t to = MG_MIN(from + BLOCK_ITEMS, items);
        if (!m->levels) memset(levels + from * bytes, 0xFF, (to - from) * bytes); /* -1 in any width */
        else
            for (uint64_t i = from; i < to; i++) mg_bfs_many_set(&wide, i, mg_bfs_many_level(m, i));
    }
    mg_free(m->levels);
    m->levels = levels;
    m->level_bytes = bytes;
    return MEGURI_OK;
}

static uint32_t deepest_in(uint32_t level_bytes) {
    return level_bytes == 1 ? INT8_MAX : level_bytes == 2 ? INT16_MAX : INT32_MAX;
}

/* One level more fits. */
static meguri_status make_room(meguri_ctx *ctx, mg_bfs_many *m) {
    return m->depth < deepest_in(m->level_bytes) ? MEGURI_OK : new_levels(ctx, m, 2 * m->level_bytes);
}

/* There was no level more. */
static meguri_status give_room_back(meguri_ctx *ctx, mg_bfs_many *m) {
    bool narrower = m->level_bytes > 1 && m->depth <= deepest_in(m->level_bytes / 2);
    return narrower ? new_levels(ctx, m, m->level_bytes / 2) : MEGURI_OK;
}

/* ---- leaves ----------------------------------------------------------------------------------------------------- */

/* v has no other neighbour than u. Returns how many sources reach it through u, and the deepest of these. */
static uint32_t fill_leaf(const mg_bfs_many *m, uint32_t v, uint32_t u, int32_t *deepest) {
    uint64_t row = (uint64_t)mg_to_user(&m->numbering, v) * m->sources;
    uint64_t from = (uint64_t)mg_to_user(&m->numbering, u) * m->sources;
    uint32_t reached = 0;
    for (uint32_t b = 0; b < m->sources; b++) {
        int32_t level = mg_bfs_many_level(m, from + b);
        if (level < 0 || (uint32_t)level >= m->limit || mg_bfs_many_level(m, row + b) >= 0) continue;
        mg_bfs_many_set(m, row + b, level + 1);
        *deepest = MG_MAX(*deepest, level + 1);
        reached++;
    }
    return reached;
}

static meguri_status fill(meguri_ctx *ctx, mg_bfs_many *m) {
    meguri_status status = m->core < m->rows ? make_room(ctx, m) : MEGURI_OK;
    if (status != MEGURI_OK || m->core == m->rows) return status;
    const uint32_t *only = m->out.neighbors + mg_row_offset(&m->out, m->core);
    uint64_t reached = 0;
    int32_t deepest = (int32_t)m->depth;
    int threads = mg_threads(ctx, m->rows - m->core, LEAF_CHUNK);
#pragma omp parallel for num_threads(threads) schedule(dynamic, LEAF_CHUNK) reduction(+ : reached) reduction(max : deepest)
    for (uint32_t v = m->core; v < m->rows; v++) {
        uint32_t u = only[v - m->core];
        if (u >= m->core && u < v) continue; /* two leaves that are joined are one thread's */
        reached += fill_leaf(m, v, u, &deepest);
        if (u > v) reached += fill_leaf(m, u, v, &deepest);
    }
    m->edges += m->rows - m->core;
    m->reached += reached;
    m->depth = (uint32_t)deepest;
    return MEGURI_OK;
}

/* ---- parents ---------------------------------------------------------------------------------------------------- */

/* For every source that reached v: the first in-neighbour that is one level nearer. */
static void find_parents(const mg_bfs_many *m, uint32_t *parents, uint32_t v) {
    uint32_t position = mg_to_user(&m->numbering, v);
    uint64_t row = (uint64_t)position * m->sources, lacking = 0;
    for (uint32_t b = 0; b < m->sources; b++) {
        int32_t level = mg_bfs_many_level(m, row + b);
        parents[row + b] = level == 0 ? position : MEGURI_NO_VERTEX;
        if (level > 0) lacking |= (uint64_t)1 << b;
    }
    for (uint64_t i = mg_row_begin(&m->in, v); lacking && i < mg_row_end(&m->in, v); i++) {
        uint32_t parent = mg_to_user(&m->numbering, m->in.neighbors[i]);
        uint64_t from = (uint64_t)parent * m->sources;
        for (uint64_t bits = lacking; bits; bits &= bits - 1) {
            uint32_t b = (uint32_t)__builtin_ctzll(bits);
            if (mg_bfs_many_level(m, from + b) + 1 != mg_bfs_many_level(m, row + b)) continue;
            if (mg_bfs_many_level(m, from + b) < 0) continue;
            parents[row + b] = parent;
            lacking &= ~((uint64_t)1 << b);
        }
    }
}

static meguri_status all_parents(uint32_t **out, meguri_ctx *ctx, mg_bfs_many *m) {
    meguri_status status = mg_graph_in_rows(&m->in, ctx, m->graph);
    if (status != MEGURI_OK) return status;
    uint64_t vertices = m->graph->vertices;
    uint32_t *parents = mg_alloc_array(ctx, vertices * m->sources, sizeof *parents, "the parents of many searches");
    if (!parents) return MEGURI_NO_MEMORY;
    int threads = mg_threads(ctx, vertices, LEAF_CHUNK);
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (uint64_t from = 0; from < vertices; from += LEAF_CHUNK) {
        if (mg_progress(ctx, "parents", from, vertices)) continue;
        for (uint64_t v = from; v < MG_MIN(from + LEAF_CHUNK, vertices); v++) find_parents(m, parents, (uint32_t)v);
    }
    *out = parents;
    return mg_cancelled(ctx) ? mg_fail_cancelled(ctx) : MEGURI_OK;
}

/* ---- the search ------------------------------------------------------------------------------------------------- */

static meguri_status open_many(meguri_ctx *ctx, mg_bfs_many *m) {
    meguri_status status = mg_graph_rows(&m->out, ctx, m->graph);
    if (status == MEGURI_OK) status = mg_graph_in_rows(&m->in, ctx, m->graph);
    if (status == MEGURI_OK) status = mg_graph_numbering(&m->numbering, ctx, m->graph);
    if (status != MEGURI_OK) return status;
    m->rows = (uint32_t)m->out.rows;
    m->core = mg_bfs_core(m->graph, &m->out);
    uint64_t **arrays[] = {&m->seen, &m->fresh, &m->next};
    for (int i = 0; i < 3; i++) {
        *arrays[i] = mg_alloc_array(ctx, m->rows, sizeof **arrays[i], "the bits of many searches");
        if (!*arrays[i]) return MEGURI_NO_MEMORY;
        clear(ctx, *arrays[i], m->rows);
    }
    m->bitmap = mg_alloc_array(ctx, mg_bitmap_words(m->rows), sizeof *m->bitmap, "the frontier of many searches");
    if (!m->bitmap) return MEGURI_NO_MEMORY;
    status = mg_queue_new(&m->list, ctx, m->rows, "the frontier of many searches");
    if (status == MEGURI_OK) status = mg_queue_new(&m->next_list, ctx, m->rows, "the frontier of many searches");
    return status != MEGURI_OK ? status : new_levels(ctx, m, 1);
}

static void close_many(mg_bfs_many *m) {
    mg_free(m->seen);
    mg_free(m->fresh);
    mg_free(m->next);
    mg_free(m->bitmap);
    mg_free(m->levels);
    mg_queue_free(&m->list);
    mg_queue_free(&m->next_list);
}

static void start(mg_bfs_many *m, const uint64_t *sources) {
    m->fresh_is_listed = m->next_is_zero = true;
    m->reached = m->sources;
    for (uint32_t b = 0; b < m->sources; b++) {
        uint32_t v = mg_to_internal(&m->numbering, (uint32_t)sources[b]);
        uint64_t bit = (uint64_t)1 << b;
        mg_bfs_many_reach(m, v, bit, 0);
        if (v >= m->rows) continue; /* isolated */
        if (!m->fresh[v]) {
            m->list.items[m->list.count++] = v;
            m->frontier_arcs += mg_row_end(&m->out, v) - mg_row_begin(&m->out, v);
        }
        m->seen[v] |= bit;
        m->fresh[v] |= bit;
        m->active |= bit;
    }
    m->frontier = m->list.count;
}

static void trace_step(meguri_ctx *ctx, const mg_bfs_many *m, int64_t step, const char *way, uint64_t frontier,
                       uint64_t edges, double since) {
    if (!mg_trace_on(ctx)) return;
    mg_step line = MG_STEP_NONE;
    line.run = "bfs_many";
    line.step = step;
    line.frontier = (int64_t)frontier;
    line.edges = (int64_t)edges;
    line.way = way;
    line.engine = "host";
    line.threads = (int64_t)meguri_ctx_threads(ctx);
    line.seconds = mg_now() - since;
    (void)m;
    mg_trace(ctx, &line);
}

static meguri_status search(meguri_ctx *ctx, mg_bfs_many *m) {
    for (int64_t step = 0; m->frontier && m->depth < m->limit; step++) {
        double begin = mg_now();
        meguri_status status = make_room(ctx, m);
        if (status != MEGURI_OK) return status;
        uint64_t frontier = m->frontier;
        bool pulls = mg_policy_bfs_many(m->frontier_arcs, m->out.arcs);
        if (!pulls) need_list(ctx, m);
        mg_bfs_many_found found = pulls ? pull(ctx, m) : push(ctx, m);
        if (mg_progress(ctx, "bfs", m->reached, (uint64_t)m->sources * m->rows)) return mg_fail_cancelled(ctx);
        m->edges += found.edges;
        m->reached += found.bits;
        m->frontier = found.vertices;
        m->frontier_arcs = found.arcs;
        m->active = found.sources;
        m->depth += found.vertices != 0;
        trace_step(ctx, m, step, pulls ? "pull" : "push", frontier, found.edges, begin);
    }
    meguri_status status = fill(ctx, m);
    return status == MEGURI_OK ? give_room_back(ctx, m) : status;
}

static meguri_status add_columns(meguri_ctx *ctx, meguri_result *result, const mg_bfs_many *m, const char *name,
                                 meguri_column_type type, char *data) {
    meguri_status status = MEGURI_OK;
    size_t size = mg_column_size(type);
    for (uint32_t b = 0; b < m->sources && status == MEGURI_OK; b++) {
        char text[32];
        snprintf(text, sizeof text, "%s_%" PRIu32, name, b);
        status = mg_result_add_column(ctx, result, text, type, data + b * size, m->graph->vertices, m->sources * size);
    }
    return status;
}

static meguri_status make_result(meguri_result **out, meguri_ctx *ctx, mg_bfs_many *m, bool with_parents,
                                 double since) {
    meguri_result *result = NULL;
    uint32_t *parents = NULL;
    meguri_status status = mg_result_new(&result, ctx);
    if (status == MEGURI_OK && with_parents) {
        status = all_parents(&parents, ctx, m);
        if (parents && status != MEGURI_OK) mg_free(parents);
        else if (status == MEGURI_OK) status = mg_result_own(ctx, result, parents);
    }
    char *levels = m->levels;
    if (status == MEGURI_OK) {
        status = mg_result_own(ctx, result, m->levels);
        m->levels = NULL;
    }
    meguri_column_type type = m->level_bytes == 1   ? MEGURI_COLUMN_I8
                              : m->level_bytes == 2 ? MEGURI_COLUMN_I16
                                                    : MEGURI_COLUMN_I32;
    if (status == MEGURI_OK) status = add_columns(ctx, result, m, "level", type, levels);
    if (status == MEGURI_OK && parents)
        status = add_columns(ctx, result, m, "parent", MEGURI_COLUMN_VERTEX, (char *)parents);
    if (status == MEGURI_OK) status = mg_result_set_number(ctx, result, "sources", m->sources);
    if (status == MEGURI_OK) status = mg_result_set_number(ctx, result, "reached", m->reached);
    if (status == MEGURI_OK) status = mg_result_set_number(ctx, result, "depth", m->depth);
    if (status == MEGURI_OK) status = mg_result_set_number(ctx, result, "edges", m->edges);
    if (status == MEGURI_OK) status = mg_result_set_real(ctx, result, "seconds", mg_now() - since);
    if (status == MEGURI_OK) *out = result;
    else meguri_result_free(result);
    return status;
}

meguri_status meguri_bfs_many(meguri_result **out, meguri_ctx *ctx, const meguri_graph *graph, const uint64_t *sources,
                              uint32_t count, const meguri_bfs_many_options *options) {
    meguri_bfs_many_options o;
    if (!out || !ctx) return MEGURI_BAD_ARGUMENT;
    mg_begin(ctx);
    *out = NULL;
    meguri_status status = mg_options(ctx, &o, sizeof o, options, "meguri_bfs_many_options");
    if (status != MEGURI_OK) return status;
    if (!graph || !sources) return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "meguri_bfs_many needs a graph and sources.");
    if (count < 1 || count > MEGURI_BFS_MANY)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "one pass takes 1 to %d sources, not %" PRIu32 ".", MEGURI_BFS_MANY,
                       count);
    for (uint32_t b = 0; b < count; b++)
        if (sources[b] >= graph->vertices)
            return mg_fail(ctx, MEGURI_NOT_FOUND, "there is no vertex %" PRIu64 " in a graph of %" PRIu64 ".",
                           sources[b], graph->vertices);
    double begin = mg_now();
    mg_bfs_many many = {.graph = graph, .sources = count, .limit = o.levels ? o.levels - 1 : UINT32_MAX};
    status = open_many(ctx, &many);
    if (status == MEGURI_OK) {
        start(&many, sources);
        status = search(ctx, &many);
    }
    if (status == MEGURI_OK) status = make_result(out, ctx, &many, o.parents, begin);
    close_many(&many);
    return status;
}
