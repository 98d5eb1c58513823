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

#include "policy/policy.h"

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

static void clear_words(void *what, uint64_t begin, uint64_t end) {
    memset((uint64_t *)what + begin, 0, (end - begin) * sizeof(uint64_t));
}

void mg_bfs_many_clear(meguri_ctx *ctx, uint64_t *words, uint64_t count) {
    mg_for(ctx, mg_threads(ctx, count, ROW_GRAIN), count, clear_words, words);
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
        if (v >= m->first_leaf) break;
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

/* What the threads of a step share. */
typedef struct step_job {
    mg_bfs_many *m;
    uint64_t wanted; /* sources */
    uint64_t arcs;
    mg_bfs_many_found found;
} step_job;

static mg_loop step_loop(meguri_ctx *ctx, step_job *job, mg_work_fn *work, uint64_t items, uint64_t chunk,
                         int threads) {
    return (mg_loop){.ctx = ctx, .threads = threads, .items = items, .chunk = chunk, .work = work, .what = job};
}

/* A loop that reports how far the search has come, and may be cancelled. */
static void run_reporting(mg_loop *loop, const mg_bfs_many *m) {
    loop->phase = "bfs";
    loop->done = m->reached;
    loop->total = (uint64_t)m->sources * m->rows;
    loop->steady = true;
    mg_loop_run(loop);
}

static void add_share(step_job *job, mg_worker *worker, const mg_bfs_many_found *share) {
    mg_loop_lock(worker);
    mg_bfs_many_add(&job->found, share);
    mg_loop_unlock(worker);
}

static void list_chunks(void *what, mg_worker *worker) {
    step_job *job = what;
    mg_bfs_many *m = job->m;
    uint64_t arcs = 0;
    mg_queue_buffer buffer;
    buffer.queue = &m->list;
    buffer.count = 0;
    for (mg_range chunk; mg_take(worker, &chunk);)
        for (uint64_t v = chunk.begin; v < chunk.end; v++)
            if (m->fresh[v] & job->wanted) {
                mg_queue_push(&buffer, (uint32_t)v);
                arcs += mg_row_offset(&m->out, v + 1) - mg_row_offset(&m->out, v);
            }
    mg_queue_flush(&buffer);
    mg_fetch_add(&job->arcs, arcs);
}

/* The vertices with fresh bits among `wanted` and perhaps others, and the sum of their arcs. */
static uint64_t list_vertices(meguri_ctx *ctx, mg_bfs_many *m, uint64_t wanted) {
    if (m->fresh_is_listed) return m->frontier_arcs;
    step_job job = {.m = m, .wanted = wanted};
    m->list.count = 0;
    mg_loop loop = step_loop(ctx, &job, list_chunks, m->first_leaf, 0, mg_threads(ctx, m->first_leaf, ROW_GRAIN));
    mg_loop_run(&loop);
    return job.arcs;
}

static void push_listed(void *what, mg_worker *worker) {
    step_job *job = what;
    mg_bfs_many *m = job->m;
    uint64_t edges = 0;
    mg_queue_buffer buffer;
    buffer.queue = &m->next_list;
    buffer.count = 0;
    for (mg_range chunk; mg_take(worker, &chunk);)
        for (uint64_t k = chunk.begin; k < chunk.end; k++) edges += push_vertex(m, &buffer, m->list.items[k]);
    mg_queue_flush(&buffer);
    mg_fetch_add(&job->found.edges, edges);
}

static void clear_listed(void *what, uint64_t begin, uint64_t end) {
    mg_bfs_many *m = what;
    for (uint64_t k = begin; k < end; k++) m->fresh[m->list.items[k]] = 0;
}

static void commit_listed(void *what, mg_worker *worker) {
    step_job *job = what;
    mg_bfs_many_found share = {0};
    for (mg_range chunk; mg_take(worker, &chunk);)
        for (uint64_t k = chunk.begin; k < chunk.end; k++) commit_vertex(job->m, &share, job->m->next_list.items[k]);
    add_share(job, worker, &share);
}

mg_bfs_many_found mg_bfs_many_sparse(meguri_ctx *ctx, mg_bfs_many *m) {
    step_job job = {.m = m};
    bool was_listed = m->fresh_is_listed;
    list_vertices(ctx, m, m->active);
    int threads = mg_threads(ctx, m->frontier_arcs + m->frontier, ARC_GRAIN);
    m->next_list.count = 0;
    if (!m->next_is_zero) mg_bfs_many_clear(ctx, m->next, m->rows);
    mg_loop pushing = step_loop(ctx, &job, push_listed, m->list.count, LIST_CHUNK, threads);
    run_reporting(&pushing, m);
    if (m->direct) mg_for(ctx, threads, m->list.count, clear_listed, m);
    mg_loop committing = step_loop(ctx, &job, commit_listed, m->next_list.count, 0, threads);
    mg_loop_run(&committing);
    mg_queue list = m->list;
    m->list = m->next_list;
    m->next_list = list;
    turn(m, true, was_listed);
    return job.found;
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

static void push_to_blocks(void *what, mg_worker *worker) {
    step_job *job = what;
    uint64_t looks = 0;
    for (mg_range block; mg_take(worker, &block);)
        looks += push_to_block(worker->loop->ctx, job->m, job->wanted, (uint32_t)block.begin, (uint32_t)block.end);
    mg_fetch_add(&job->found.edges, looks);
}

static void pull_chunks(void *what, mg_worker *worker) {
    step_job *job = what;
    const mg_bfs_many_hot *hot = mg_bfs_many_hot_loops();
    uint64_t looks = 0;
    for (mg_range chunk; mg_take(worker, &chunk);)
        looks += hot->pull(job->m, (uint32_t)chunk.begin, (uint32_t)chunk.end);
    mg_fetch_add(&job->found.edges, looks);
}

static void commit_chunks(void *what, mg_worker *worker) {
    step_job *job = what;
    const mg_bfs_many_hot *hot = mg_bfs_many_hot_loops();
    mg_bfs_many_found share = {0};
    for (mg_range chunk; mg_take(worker, &chunk);) {
        mg_bfs_many_found some = hot->commit(job->m, (uint32_t)chunk.begin, (uint32_t)chunk.end);
        mg_bfs_many_add(&share, &some);
    }
    add_share(job, worker, &share);
}

mg_bfs_many_found mg_bfs_many_dense(meguri_ctx *ctx, mg_bfs_many *m) {
    step_job job = {.m = m};
    uint64_t pushed = mg_policy_bfs_many_pull(m->frontier_arcs, m->out.arcs) ? m->rare : m->active;
    if (!m->next_is_zero) mg_bfs_many_clear(ctx, m->next, m->rows);
    int threads = mg_threads(ctx, m->first_leaf, CHUNK);
    if (pushed) {
        uint64_t blocks = (m->first_leaf + BLOCK - 1) / BLOCK, arcs = list_vertices(ctx, m, pushed);
        if (arcs + SEARCH_ARCS * blocks * m->list.count > m->out.arcs / 2) pushed = 0;
    }
    if (pushed) {
        job.wanted = pushed;
        mg_loop pushing = step_loop(ctx, &job, push_to_blocks, m->first_leaf, BLOCK, threads);
        mg_loop_run(&pushing);
    }
    m->pulled = m->active & ~pushed;
    if (m->pulled) {
        mg_loop pulling = step_loop(ctx, &job, pull_chunks, m->first_leaf, CHUNK, threads);
        run_reporting(&pulling, m);
    }
    mg_loop committing = step_loop(ctx, &job, commit_chunks, m->first_leaf, CHUNK, threads);
    mg_loop_run(&committing);
    turn(m, false, false);
    return job.found;
}
