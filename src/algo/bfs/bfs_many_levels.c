/* The levels of many searches in one pass: a matrix with a row for each vertex and a column for each source, in the
 * user's order. One row is one cache line where there are 64 sources and levels fit a byte. */
#include "algo/bfs/bfs_many.h"

#define CHUNK       2048
#define BLOCK_ITEMS ((uint64_t)1 << 16)

/* ---- the matrix ------------------------------------------------------------------------------------------------- */

static uint32_t deepest_in(uint32_t level_bytes) {
    return level_bytes == 1 ? INT8_MAX : level_bytes == 2 ? INT16_MAX : INT32_MAX;
}

typedef struct width_job {
    const mg_bfs_many *from, *to;
} width_job;

static void copy_levels(void *what, uint64_t begin, uint64_t end) {
    const width_job *job = what;
    for (uint64_t i = begin; i < end; i++) mg_bfs_many_set(job->to, i, mg_bfs_many_level(job->from, i));
}

/* The matrix in another width. */
static meguri_status change_width(meguri_ctx *ctx, mg_bfs_many *m, uint32_t bytes) {
    uint64_t items = m->graph->vertices * m->sources;
    mg_bfs_many other = {.levels = mg_alloc_array(ctx, items, bytes, "the levels of many searches"),
                         .level_bytes = bytes};
    if (!other.levels) return MEGURI_NO_MEMORY;
    width_job job = {m, &other};
    mg_for(ctx, mg_threads(ctx, items, BLOCK_ITEMS), items, copy_levels, &job);
    mg_free(m->levels);
    m->levels = other.levels;
    m->level_bytes = bytes;
    m->matrix_bytes = items * bytes;
    m->isolated_are_written = false;
    return MEGURI_OK;
}

/* ---- from the history ------------------------------------------------------------------------------------------- */

static void clear_isolated(void *what, uint64_t begin, uint64_t end) {
    const mg_bfs_many *m = what;
    for (uint64_t i = begin; i < end; i++) {
        uint64_t position = mg_to_user(&m->numbering, (uint32_t)(m->rows + i));
        memset((int8_t *)m->levels + position * m->sources, 0xFF, m->sources);
    }
}

/* The rows of isolated vertices, which are reached from themselves alone; no run writes to those of other ones. */
static void write_isolated(meguri_ctx *ctx, mg_bfs_many *m) {
    uint64_t isolated = m->isolated_are_written ? 0 : m->graph->vertices - m->rows;
    mg_for(ctx, mg_threads(ctx, isolated, CHUNK), isolated, clear_isolated, m);
    m->isolated_are_written = true;
}

/* Isolated sources; `level` 0, or -1 to take that back. */
static void mark_isolated_sources(const mg_bfs_many *m, int8_t level) {
    for (uint32_t b = 0; b < m->sources; b++)
        if (mg_to_internal(&m->numbering, (uint32_t)m->source_positions[b]) >= m->rows)
            ((int8_t *)m->levels)[m->source_positions[b] * m->sources + b] = level;
}

/* Before a run: a matrix of another one is as if there had been none. */
void mg_bfs_many_reuse(mg_bfs_many *m) {
    if (m->levels && m->level_bytes == 1 && m->isolated_are_written) mark_isolated_sources(m, -1);
}

/* What the threads that write rows found. */
typedef struct row_job {
    const mg_bfs_many *m;
    uint64_t reached;
    uint32_t deepest;
} row_job;

static void write_rows(void *what, mg_worker *worker) {
    row_job *job = what;
    const mg_bfs_many *m = job->m;
    const mg_bfs_many_hot *hot = mg_bfs_many_hot_loops();
    uint64_t reached = 0;
    for (mg_range chunk; mg_take(worker, &chunk);) {
        uint32_t from = (uint32_t)chunk.begin, to = (uint32_t)chunk.end,
                 middle = MG_MIN(MG_MAX(from, m->first_leaf), to);
        reached += hot->write_levels(m, from, middle);
        reached += hot->write_levels(m, middle, to);
    }
    mg_fetch_add(&job->reached, reached);
}

/* All rows from the history; those of leaves as of now. Returns how many pairs of source and vertex with edges there
 * are. */
static uint64_t write_all(meguri_ctx *ctx, mg_bfs_many *m) {
    row_job job = {.m = m};
    write_isolated(ctx, m);
    mark_isolated_sources(m, 0);
    mg_loop loop = {.ctx = ctx,
                    .threads = mg_threads(ctx, m->rows, CHUNK),
                    .items = m->rows,
                    .chunk = CHUNK,
                    .work = write_rows,
                    .what = &job};
    mg_loop_run(&loop);
    return job.reached;
}

/* The matrix in bytes; that of an earlier run if it fits. */
static meguri_status new_matrix(meguri_ctx *ctx, mg_bfs_many *m) {
    uint64_t bytes = m->graph->vertices * m->sources;
    m->level_bytes = 1;
    if (m->levels && m->matrix_bytes == bytes) return MEGURI_OK;
    mg_free(m->levels);
    m->matrix_bytes = bytes;
    m->isolated_are_written = false;
    m->levels = mg_alloc_array(ctx, bytes, 1, "the levels of many searches");
    return m->levels ? MEGURI_OK : MEGURI_NO_MEMORY;
}

/* The next level's bits, all zero. Fresh memory is; what an earlier run left is not. */
static meguri_status keep_level(meguri_ctx *ctx, mg_bfs_many *m) {
    uint64_t **level = &m->history[m->depth + 1];
    m->next_is_zero = !*level;
    if (!*level) *level = mg_alloc_array_zero(ctx, m->rows, sizeof **level, "the bits of many searches");
    m->next = *level;
    return m->next ? MEGURI_OK : MEGURI_NO_MEMORY;
}

meguri_status mg_bfs_many_make_room(meguri_ctx *ctx, mg_bfs_many *m) {
    if (!m->direct && m->depth + 1 < MG_BFS_HISTORY) return keep_level(ctx, m);
    if (!m->direct) {
        meguri_status status = new_matrix(ctx, m);
        if (status != MEGURI_OK) return status;
        write_all(ctx, m);
        m->direct = true;
        m->next = m->history[m->depth - 1];
        m->next_is_zero = false;
    }
    return m->depth < deepest_in(m->level_bytes) ? MEGURI_OK : change_width(ctx, m, 2 * m->level_bytes);
}

/* ---- leaves of deep searches ------------------------------------------------------------------------------------ */

/* v has no other neighbour than u. Returns how many more sources reach it through u, and the deepest of these. */
static uint32_t fill_leaf(const mg_bfs_many *m, uint32_t v, uint32_t u, uint32_t *deepest) {
    uint64_t row = (uint64_t)mg_to_user(&m->numbering, v) * m->sources;
    uint64_t from = (uint64_t)mg_to_user(&m->numbering, u) * m->sources;
    uint32_t reached = 0;
    for (uint32_t b = 0; b < m->sources; b++) {
        int32_t level = mg_bfs_many_level(m, from + b);
        if (level < 0 || (uint32_t)level >= m->limit || mg_bfs_many_level(m, row + b) == 0) continue;
        mg_bfs_many_set(m, row + b, level + 1);
        *deepest = MG_MAX(*deepest, (uint32_t)level + 1);
        reached++;
    }
    return reached;
}

static void fill_some_leaves(void *what, mg_worker *worker) {
    row_job *job = what;
    const mg_bfs_many *m = job->m;
    uint64_t reached = 0;
    uint32_t deepest = 0;
    for (mg_range chunk; mg_take(worker, &chunk);)
        for (uint64_t leaf = chunk.begin; leaf < chunk.end; leaf++) {
            uint32_t v = m->first_leaf + (uint32_t)leaf, u = m->out.neighbors[mg_row_offset(&m->out, v)];
            if (u >= m->first_leaf && u < v) continue; /* two leaves that are joined are one thread's */
            reached += fill_leaf(m, v, u, &deepest);
            if (u > v) reached += fill_leaf(m, u, v, &deepest);
        }
    mg_fetch_add(&job->reached, reached);
    mg_atomic_max_u32(&job->deepest, deepest);
}

static meguri_status fill_leaves(meguri_ctx *ctx, mg_bfs_many *m) {
    meguri_status status = m->depth < deepest_in(m->level_bytes) ? MEGURI_OK : change_width(ctx, m, 2 * m->level_bytes);
    if (status != MEGURI_OK) return status;
    row_job job = {.m = m, .deepest = m->depth};
    uint32_t leaves = m->rows - m->first_leaf;
    mg_loop loop = {.ctx = ctx,
                    .threads = mg_threads(ctx, leaves, CHUNK),
                    .items = leaves,
                    .chunk = CHUNK,
                    .work = fill_some_leaves,
                    .what = &job};
    mg_loop_run(&loop);
    m->reached += job.reached;
    m->depth = job.deepest;
    return MEGURI_OK;
}

/* ---- the end ---------------------------------------------------------------------------------------------------- */

/* Does a leaf that is no source itself hang on a vertex of the last level? */
static bool leaves_are_deeper(const mg_bfs_many *m) {
    for (uint32_t v = m->first_leaf; v < m->rows && m->depth < m->limit; v++)
        if (m->history[m->depth][m->out.neighbors[mg_row_offset(&m->out, v)]] & ~m->history[0][v]) return true;
    return false;
}

meguri_status mg_bfs_many_finish(meguri_ctx *ctx, mg_bfs_many *m) {
    meguri_status status;
    m->edges += m->rows - m->first_leaf;
    if (!m->direct) {
        status = new_matrix(ctx, m);
        if (status != MEGURI_OK) return status;
        m->reached = write_all(ctx, m) + m->isolated_sources;
        m->depth += leaves_are_deeper(m);
        return MEGURI_OK;
    }
    status = m->first_leaf < m->rows ? fill_leaves(ctx, m) : MEGURI_OK;
    if (status != MEGURI_OK) return status;
    bool narrower = m->level_bytes > 1 && m->depth <= deepest_in(m->level_bytes / 2);
    return narrower ? change_width(ctx, m, m->level_bytes / 2) : MEGURI_OK;
}

/* ---- parents ---------------------------------------------------------------------------------------------------- */

/* For every source that reached v: the first in-neighbour that is one level nearer. */
static void find_parents(const mg_bfs_many *m, uint32_t *parents, uint32_t v) {
    uint32_t position = mg_to_user(&m->numbering, v);
    uint64_t row = (uint64_t)position * m->sources, lacking = 0;
    for (uint32_t b = 0; b < m->sources; b++) {
        int32_t level = mg_bfs_many_level(m, row + b);
        parents[row + b] = level == 0 ? position : MG_NO_VERTEX;
        if (level > 0) lacking |= (uint64_t)1 << b;
    }
    for (uint64_t i = mg_row_begin(&m->in, v); lacking && i < mg_row_end(&m->in, v); i++) {
        uint32_t parent = mg_to_user(&m->numbering, m->in.neighbors[i]);
        uint64_t from = (uint64_t)parent * m->sources;
        for (uint64_t bits = lacking; bits; bits &= bits - 1) {
            uint32_t b = (uint32_t)__builtin_ctzll(bits);
            int32_t level = mg_bfs_many_level(m, from + b);
            if (level < 0 || level + 1 != mg_bfs_many_level(m, row + b)) continue;
            parents[row + b] = parent;
            lacking &= ~((uint64_t)1 << b);
        }
    }
}

static void find_some_parents(void *what, uint64_t begin, uint64_t end) {
    mg_bfs_many *m = what;
    for (uint64_t v = begin; v < end; v++) find_parents(m, m->parents, (uint32_t)v);
}

meguri_status mg_bfs_many_parents(meguri_ctx *ctx, mg_bfs_many *m) {
    uint64_t vertices = m->graph->vertices;
    mg_free(m->parents);
    m->parents = mg_alloc_array(ctx, vertices * m->sources, sizeof *m->parents, "the parents of many searches");
    if (!m->parents) return MEGURI_NO_MEMORY;
    mg_sweep sweep = {.ctx = ctx, .phase = "parents", .total = vertices};
    return mg_sweep_over(&sweep, find_some_parents, m, vertices);
}
