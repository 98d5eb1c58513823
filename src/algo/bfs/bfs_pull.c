/* The step from the unvisited vertices to the frontier (bottom-up): shares the words of the bitmap out, for the hot
 * loop of the target that this processor is.
 *
 * The new bitmap is written to `spare`, complete: what is visited stays as it was while the step runs, so no vertex is
 * reached through one of its own level. */
#include "algo/bfs/bfs.h"

#include <omp.h>

#define CHUNK 64 /* words taken at a time: 4096 vertices */

static mg_bfs_pull_fn *hot_loop(void) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512dq"))
        return mg_bfs_pull_avx512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2")) return mg_bfs_pull_avx2;
#endif
    return mg_bfs_pull_base;
}

/* Out-arcs of what was found in a chunk of words, as if it were an average sample of it. In degree order the vertices
 * of a chunk have nearly the same degree. */
static uint64_t estimate_arcs(const meguri_bfs_search *s, uint64_t begin, uint64_t end, uint64_t reached) {
    uint64_t from = 64 * begin, to = MG_MIN(64 * end, s->core);
    double arcs = (double)(mg_row_offset(&s->out, to) - mg_row_offset(&s->out, from));
    return (uint64_t)(arcs * (double)reached / (double)(to - from));
}

mg_bfs_found mg_bfs_pull(meguri_ctx *ctx, meguri_bfs_search *s) {
    uint64_t words = mg_bitmap_words(s->core), next = 0;
    mg_bfs_pull_fn *pull = hot_loop();
    mg_bfs_found found = {0};
    int threads = mg_threads(ctx, words, 2 * CHUNK);
#pragma omp parallel num_threads(threads)
    {
        mg_bfs_found share = {0};
        for (;;) {
            uint64_t begin = mg_fetch_add(&next, CHUNK), end = MG_MIN(begin + CHUNK, words);
            if (begin >= words || mg_progress(ctx, "bfs", s->visited_vertices, s->rows)) break;
            mg_bfs_found chunk = pull(s, begin, end);
            share.reached += chunk.reached;
            share.edges += chunk.edges;
            share.arcs += estimate_arcs(s, begin, end, chunk.reached);
        }
#pragma omp critical(mg_bfs_pull)
        {
            found.reached += share.reached;
            found.edges += share.edges;
            found.arcs += share.arcs;
        }
    }
    if (found.reached) {
        uint64_t *free = s->previous;
        s->previous = s->visited;
        s->visited = s->spare;
        s->spare = free;
    }
    return found;
}
