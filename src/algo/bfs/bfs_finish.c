/* The end of a search: vertices of degree one get the parent that their only edge gives them, what is unreached is
 * marked so, and all parents and levels go from internal order into the user's.
 *
 * That is a permutation, and writing through it at random costs as much as all pulls together. In degree order the
 * positions increase inside each class of equal degree, so the internal numbers fall into stretches of increasing
 * positions: these are cut where the result's blocks end, and a thread writes one block, which fits its cache, from all
 * its stretches. Afterwards every entry of a vertex with edges has been written, so that a search need not clear the
 * result first. */
#include "algo/bfs/bfs.h"

/* Does a leaf hang on u, other than the source? Leaves come last in a row. */
static bool has_leaf(const mg_bfs_host *s, uint32_t u) {
    for (uint64_t i = mg_row_end(&s->out, u); i > mg_row_begin(&s->out, u) && s->out.neighbors[i - 1] >= s->first_leaf;
         i--)
        if (s->out.neighbors[i - 1] != s->source) return true;
    return false;
}

static bool frontier_has_leaf(const mg_bfs_host *s) {
    if (s->first_leaf == s->rows) return false;
    if (s->has_list) {
        for (uint64_t k = 0; k < s->list.count; k++)
            if (has_leaf(s, s->list.items[k])) return true;
        return false;
    }
    for (uint64_t w = 0; w < mg_bitmap_words(s->first_leaf); w++)
        for (uint64_t bits = s->visited[w] & ~s->previous[w]; bits; bits &= bits - 1)
            if (has_leaf(s, (uint32_t)(64 * w + (uint64_t)__builtin_ctzll(bits)))) return true;
    return false;
}

/* The visited vertices whose leaves are reached: where the depth is limited, all but the frontier. */
static const uint64_t *open_vertices(mg_bfs_host *s, bool limited) {
    if (!limited) return s->visited;
    if (!s->has_list) return s->previous;
    memcpy(s->spare, s->visited, mg_bitmap_words(s->rows) * sizeof *s->spare);
    for (uint64_t k = 0; k < s->list.count; k++) {
        uint32_t u = s->list.items[k];
        s->spare[u / 64] &= ~((uint64_t)1 << (u % 64));
    }
    return s->spare;
}

/* A block's entries come from all over its stretches: fetch its lines in sequence first, to be written. */
static void fetch_block(const mg_bfs_host *s, uint32_t block) {
    uint64_t begin = (uint64_t)block << MG_BFS_BLOCK,
             end = MG_MIN(begin + ((uint64_t)1 << MG_BFS_BLOCK), s->base.graph->vertices);
    for (uint64_t position = begin; position < end; position += 64 / sizeof *s->base.parent) {
        if (s->base.parent) __builtin_prefetch(&s->base.parent[position], 1);
        if (s->base.level) __builtin_prefetch(&s->base.level[position], 1);
    }
}

static uint64_t finish_block(const mg_bfs_host *s, const mg_bfs_hot *hot, const uint64_t *open, uint32_t block) {
    uint64_t reached = 0;
    if (s->numbering.to_user) fetch_block(s, block);
    for (uint32_t i = s->block_stretches[block]; i < s->block_stretches[block + 1]; i++) {
        const mg_bfs_stretch *stretch = &s->stretches[i];
        reached += stretch->begin < s->first_leaf ? hot->finish_inner(s, stretch->begin, stretch->end)
                                                  : hot->finish_leaves(s, open, stretch->begin, stretch->end);
    }
    return reached;
}

/* A source of degree one is not what its neighbour makes of it. */
static void finish_source(const mg_bfs_host *s) {
    uint32_t position = mg_to_user(&s->numbering, s->source);
    if (s->base.parent) s->base.parent[position] = position;
    if (s->base.level) s->base.level[position] = 0;
}

typedef struct finish_job {
    const mg_bfs_host *s;
    const uint64_t *open;
    uint64_t reached;
} finish_job;

static void finish_blocks(void *what, mg_worker *worker) {
    finish_job *job = what;
    const mg_bfs_hot *hot = mg_bfs_hot_loops();
    uint64_t reached = 0;
    for (mg_range chunk; mg_take(worker, &chunk);)
        for (uint64_t block = chunk.begin; block < chunk.end; block++)
            reached += finish_block(job->s, hot, job->open, (uint32_t)block);
    mg_fetch_add(&job->reached, reached);
}

mg_bfs_found mg_bfs_finish(meguri_ctx *ctx, mg_bfs_host *s, bool limited) {
    finish_job job = {.s = s, .open = open_vertices(s, limited)};
    if (!limited && frontier_has_leaf(s)) s->base.depth++;
    mg_loop loop = mg_bfs_loop(ctx, s, mg_threads(ctx, s->rows, 1 << 13), finish_blocks, &job);
    loop.items = s->blocks;
    loop.chunk = 1;
    mg_loop_run(&loop);
    uint64_t reached = job.reached;
    if (s->source >= s->first_leaf &&
        s->source < s->rows) { /* counted by the search, and perhaps through its neighbour */
        uint32_t only = s->out.neighbors[mg_row_begin(&s->out, s->source)];
        reached += 1 - (uint64_t)mg_bfs_visited(job.open, only);
        finish_source(s);
    }
    uint64_t leaves = reached - MG_MIN(reached, s->base.visited_vertices);
    return (mg_bfs_found){.reached = leaves, .edges = s->rows - s->first_leaf};
}
