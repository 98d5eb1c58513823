/* The levels of many searches in one pass: a matrix with a row for each vertex and a column for each source, in the
 * user's order. One row is one cache line where there are 64 sources and levels fit a byte. */
#include "algo/bfs/bfs_many.h"

#include <omp.h>

#define CHUNK       2048
#define BLOCK_ITEMS ((uint64_t)1 << 16)

/* ---- the matrix ------------------------------------------------------------------------------------------------- */

static uint32_t deepest_in(uint32_t level_bytes) {
    return level_bytes == 1 ? INT8_MAX : level_bytes == 2 ? INT16_MAX : INT32_MAX;
}

/* The matrix in another width. */
static meguri_status change_width(meguri_ctx *ctx, mg_bfs_many *m, uint32_t bytes) {
    uint64_t items = m->graph->vertices * m->sources;
    mg_bfs_many other = {.levels = mg_alloc_array(ctx, items, bytes, "the levels of many searches"),
                         .level_bytes = bytes};
    if (!other.levels) return MEGURI_NO_MEMORY;
    int threads = mg_threads(ctx, items, BLOCK_ITEMS);
#pragma omp parallel for num_threads(mg_team(threads)) schedule(static)
    for (uint64_t i = 0; i < items; i++) mg_bfs_many_set(&other, i, mg_bfs_many_level(m, i));
    mg_free(m->levels);
    m->levels = other.levels;
    m->level_bytes = bytes;
    m->matrix_bytes = items * bytes;
    m->isolated_are_written = false;
    return MEGURI_OK;
}

/* ---- from the history ------------------------------------------------------------------------------------------- */

/* The rows of isolated vertices, which are reached from themselves alone; no run writes to those of other ones. */
static void write_isolated(meguri_ctx *ctx, mg_bfs_many *m) {
    uint64_t isolated = m->isolated_are_written ? 0 : m->graph->vertices - m->rows;
    int threads = mg_threads(ctx, isolated, CHUNK);
#pragma omp parallel for num_threads(mg_team(threads)) schedule(static)
    for (uint64_t i = 0; i < isolated; i++) {
        uint64_t position = mg_to_user(&m->numbering, (uint32_t)(m->rows + i));
        memset((int8_t *)m->levels + position * m->sources, 0xFF, m->sources);
    }
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

/* All rows from the history; those of leaves as of now. Returns how many pairs of source and vertex with edges there
 * are. */
static uint64_t write_all(meguri_ctx *ctx, mg_bfs_many *m) {
    const mg_bfs_many_hot *hot = mg_bfs_many_hot_loops();
    uint64_t reached = 0;
    int threads = mg_threads(ctx, m->rows, CHUNK);
    write_isolated(ctx, m);
    mark_isolated_sources(m, 0);
#pragma omp parallel for num_threads(mg_team(threads)) schedule(dynamic) reduction(+ : reached)
    for (uint32_t from = 0; from < m->rows; from += CHUNK) {
        uint32_t to = MG_MIN(from + CHUNK, m->rows), middle = MG_MIN(MG_MAX(from, m->core), to);
        reached += hot->write_levels(m, from, middle);
        reached += hot->write_levels(m, middle, to);
    }
    return reached;
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

static meguri_status fill_leaves(meguri_ctx *ctx, mg_bfs_many *m) {
    meguri_status status = m->depth < deepest_in(m->level_bytes) ? MEGURI_OK : change_width(ctx, m, 2 * m->level_bytes);
    if (status != MEGURI_OK) return status;
    uint64_t reached = 0;
    uint32_t deepest = m->depth;
    int threads = mg_threads(ctx, m->rows - m->core, CHUNK);
#pragma omp parallel for num_threads(mg_team(threads)) schedule(dynamic, CHUNK) reduction(+ : reached) reduction(max : deepest)
    for (uint32_t v = m->core; v < m->rows; v++) {
        uint32_t u = m->out.neighbors[mg_row_offset(&m->out, v)];
        if (u >= m->core && u < v) continue; /* two leaves that are joined are one thread's */
        reached += fill_leaf(m, v, u, &deepest);
        if (u > v) reached += fill_leaf(m, u, v, &deepest);
    }
    m->reached += reached;
    m->depth = deepest;
    return MEGURI_OK;
}

/* ---- the end ---------------------------------------------------------------------------------------------------- */

/* Does a leaf that is no source itself hang on a vertex of the last level? */
static bool leaves_are_deeper(const mg_bfs_many *m) {
    for (uint32_t v = m->core; v < m->rows && m->depth < m->limit; v++)
        if (m->history[m->depth][m->out.neighbors[mg_row_offset(&m->out, v)]] & ~m->history[0][v]) return true;
    return false;
}

meguri_status mg_bfs_many_finish(meguri_ctx *ctx, mg_bfs_many *m) {
    meguri_status status;
    m->edges += m->rows - m->core;
    if (!m->direct) {
        status = new_matrix(ctx, m);
        if (status != MEGURI_OK) return status;
        m->reached = write_all(ctx, m) + m->isolated_sources;
        m->depth += leaves_are_deeper(m);
        return MEGURI_OK;
    }
    status = m->core < m->rows ? fill_leaves(ctx, m) : MEGURI_OK;
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
        parents[row + b] = level == 0 ? position : MEGURI_NO_VERTEX;
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

meguri_status mg_bfs_many_parents(meguri_ctx *ctx, mg_bfs_many *m) {
    uint64_t vertices = m->graph->vertices;
    mg_free(m->parents);
    m->parents = mg_alloc_array(ctx, vertices * m->sources, sizeof *m->parents, "the parents of many searches");
    if (!m->parents) return MEGURI_NO_MEMORY;
    int threads = mg_threads(ctx, vertices, CHUNK);
#pragma omp parallel for num_threads(mg_team(threads)) schedule(dynamic)
    for (uint64_t from = 0; from < vertices; from += CHUNK) {
        if (mg_progress(ctx, "parents", from, vertices)) continue;
        for (uint64_t v = from; v < MG_MIN(from + CHUNK, vertices); v++) find_parents(m, m->parents, (uint32_t)v);
    }
    return mg_cancelled(ctx) ? mg_fail_cancelled(ctx) : MEGURI_OK;
}
