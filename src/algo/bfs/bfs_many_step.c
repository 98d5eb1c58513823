/* The steps of many searches in one pass.
 *
 * Sparse, while few arcs leave the vertices with fresh bits: these are listed, and push.
 *
 * Dense: every vertex is looked at in the end. Sources that reached many vertices in the last step are pulled: a vertex
 * soon finds all of them among its first neighbours. Sources that reached few would make every vertex go through its
 * whole row in vain, so they are pushed. If all arcs of the frontier are few enough, all are pushed. A push takes the
 * destinations in blocks that fit the cache, one thread each, as the wide push of a single search does: nothing is
 * atomic. */
#include "algo/bfs/bfs_many.h"

#include <omp.h>

#define ARC_GRAIN   4096
#define LIST_CHUNK  64
#define CHUNK       2048
#define ROW_GRAIN   16384
#define SEARCH_ARCS 32                  /* looking up where a block begins in a row costs as much as so many arcs */
#define BLOCK       ((uint64_t)1 << 16) /* vertices whose bits are pushed to at a time: half a megabyte */

void mg_bfs_many_add(mg_bfs_many_found *sum, const mg_bfs_many_found *share) {
    sum->vertices += share->vertices;
    sum->arcs += share->arcs;
    sum->bits += share->bits;
    sum->sources |= share->sources;
    sum->edges += share->edges;
    for (int b = 0; b < MEGURI_BFS_MANY; b++) sum->gained[b] += share->gained[b];
}

void mg_bfs_many_clear(meguri_ctx *ctx, uint64_t *words, uint64_t count) {
    int threads = mg_threads(ctx, count, ROW_GRAIN);
#pragma omp parallel for num_threads(mg_team(threads)) schedule(static)
    for (uint64_t i = 0; i < count; i++) words[i] = 0;
}

static bool progress(meguri_ctx *ctx, const mg_bfs_many *m) {
    return mg_progress(ctx, "bfs", m->reached, (uint64_t)m->sources * m->rows);
}

/* The bits of `next` become the fresh ones. What was fresh is kept in the history, or makes room for the next. */
static void turn(mg_bfs_many *m, bool listed, bool old_is_zero) {
    uint64_t *old = m->fresh;
    m->fresh = m->next;
    m->fresh_is_listed = listed;
    m->next = m->direct ? old : NULL;
    m->next_is_zero = m->direct && old_is_zero;
}

/* ---- sparse ----------------------------------------------------------------------------------------------------- */

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

static void commit_vertex(mg_bfs_many *m, mg_bfs_many_found *found, uint32_t v) {
    uint64_t bits = m->next[v];
    m->seen[v] |= bits;
    if (m->direct) mg_bfs_many_reach(m, v, bits, (int32_t)m->depth + 1);
    found->vertices++;
    found->arcs += mg_row_end(&m->out, v) - mg_row_begin(&m->out, v);
    found->bits += (uint64_t)__builtin_popcountll(bits);
    found->sources |= bits;
}

/* The vertices with fresh bits among `wanted` and perhaps others, and the sum of their arcs. */
static uint64_t list_vertices(meguri_ctx *ctx, mg_bfs_many *m, uint64_t wanted) {
    if (m->fresh_is_listed) return m->frontier_arcs;
    int threads = mg_threads(ctx, m->core, ROW_GRAIN);
    uint64_t arcs = 0;
    m->list.count = 0;
#pragma omp parallel num_threads(mg_team(threads)) reduction(+ : arcs)
    {
        mg_queue_buffer buffer;
        buffer.queue = &m->list;
        buffer.count = 0;
#pragma omp for schedule(static)
        for (uint32_t v = 0; v < m->core; v++)
            if (m->fresh[v] & wanted) {
                mg_queue_push(&buffer, v);
                arcs += mg_row_offset(&m->out, (uint64_t)v + 1) - mg_row_offset(&m->out, v);
            }
        mg_queue_flush(&buffer);
    }
    return arcs;
}

mg_bfs_many_found mg_bfs_many_sparse(meguri_ctx *ctx, mg_bfs_many *m) {
    mg_bfs_many_found found = {0};
    bool was_listed = m->fresh_is_listed;
    list_vertices(ctx, m, m->active);
    int threads = mg_threads(ctx, m->frontier_arcs + m->frontier, ARC_GRAIN);
    m->next_list.count = 0;
    if (!m->next_is_zero) mg_bfs_many_clear(ctx, m->next, m->rows);
#pragma omp parallel num_threads(mg_team(threads))
    {
        mg_bfs_many_found share = {0};
        mg_queue_buffer buffer;
        buffer.queue = &m->next_list;
        buffer.count = 0;
#pragma omp for schedule(dynamic)
        for (uint64_t from = 0; from < m->list.count; from += LIST_CHUNK) {
            if (progress(ctx, m)) continue;
            for (uint64_t k = from; k < MG_MIN(from + LIST_CHUNK, m->list.count); k++)
                share.edges += push_vertex(m, &buffer, m->list.items[k]);
        }
        mg_queue_flush(&buffer);
#pragma omp barrier
        if (m->direct) {
#pragma omp for schedule(static) nowait
            for (uint64_t k = 0; k < m->list.count; k++) m->fresh[m->list.items[k]] = 0;
        }
#pragma omp for schedule(static)
        for (uint64_t k = 0; k < m->next_list.count; k++) commit_vertex(m, &share, m->next_list.items[k]);
#pragma omp critical(mg_bfs_many)
        mg_bfs_many_add(&found, &share);
    }
    mg_queue list = m->list;
    m->list = m->next_list;
    m->next_list = list;
    turn(m, true, was_listed);
    return found;
}

/* ---- dense ------------------------------------------------------------------------------------------------------ */

/* The bits of `wanted` from all listed vertices to the destinations [begin, end). */
static uint64_t push_to_block(meguri_ctx *ctx, const mg_bfs_many *m, uint64_t wanted, uint32_t begin, uint32_t end) {
    const uint32_t *neighbors = m->out.neighbors;
    uint64_t *next = m->next, looks = 0;
    for (uint64_t k = 0; k < m->list.count; k++) {
        uint32_t u = m->list.items[k];
        uint64_t bits = m->fresh[u] & wanted, i = mg_row_begin(&m->out, u), to = mg_row_end(&m->out, u);
        if (begin) i = mg_row_find(&m->out, i, to, begin);
        uint64_t from = i;
        for (; i < to && neighbors[i] < end; i++) next[neighbors[i]] |= bits;
        looks += i - from;
        if (k % 1024 == 0 && progress(ctx, m)) break;
    }
    return looks;
}

static uint64_t push_all(meguri_ctx *ctx, const mg_bfs_many *m, uint64_t wanted, int threads) {
    uint64_t looks = 0, blocks = (m->core + BLOCK - 1) / BLOCK;
#pragma omp parallel for num_threads(mg_team(threads)) schedule(dynamic) reduction(+ : looks)
    for (uint64_t b = 0; b < blocks; b++)
        looks += push_to_block(ctx, m, wanted, (uint32_t)(b * BLOCK), (uint32_t)MG_MIN((b + 1) * BLOCK, m->core));
    return looks;
}

mg_bfs_many_found mg_bfs_many_dense(meguri_ctx *ctx, mg_bfs_many *m) {
    const mg_bfs_many_hot *hot = mg_bfs_many_hot_loops();
    mg_bfs_many_found found = {0};
    uint64_t pushed = m->frontier_arcs < m->out.arcs / 2 ? m->active : m->rare;
    if (!m->next_is_zero) mg_bfs_many_clear(ctx, m->next, m->rows);
    int threads = mg_threads(ctx, m->core, CHUNK);
    if (pushed) {
        uint64_t blocks = (m->core + BLOCK - 1) / BLOCK, arcs = list_vertices(ctx, m, pushed);
        if (arcs + SEARCH_ARCS * blocks * m->list.count > m->out.arcs / 2) pushed = 0;
        else found.edges += push_all(ctx, m, pushed, threads);
    }
    m->pulled = m->active & ~pushed;
#pragma omp parallel num_threads(mg_team(threads))
    {
        mg_bfs_many_found share = {0};
        uint64_t looks = 0;
#pragma omp for schedule(dynamic)
        for (uint32_t from = 0; from < m->core; from += CHUNK)
            if (m->pulled && !progress(ctx, m)) looks += hot->pull(m, from, MG_MIN(from + CHUNK, m->core));
#pragma omp for schedule(dynamic) nowait
        for (uint32_t from = 0; from < m->core; from += CHUNK) {
            mg_bfs_many_found some = hot->commit(m, from, MG_MIN(from + CHUNK, m->core));
            mg_bfs_many_add(&share, &some);
        }
        share.edges += looks;
#pragma omp critical(mg_bfs_many)
        mg_bfs_many_add(&found, &share);
    }
    turn(m, false, false);
    return found;
}
