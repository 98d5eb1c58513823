/* The step from the unvisited vertices to the frontier (bottom-up): shares the words of the bitmap out.
 *
 * The new bitmap is written to `spare`, complete: what is visited stays as it was while the step runs, so no vertex is
 * reached through one of its own level. */
#include "algo/bfs/bfs.h"

#include <omp.h>

#define CHUNK        64   /* words taken at a time: 4096 vertices */
#define VERTEX_GRAIN 4096 /* unvisited vertices that pay for another thread */

mg_bfs_found mg_bfs_pull(meguri_ctx *ctx, meguri_bfs_search *s) {
    const mg_bfs_hot *hot = mg_bfs_hot_loops();
    const mg_bfs_pulling pulling = {.in = s->in,
                                    .targets = s->core,
                                    .first = s->first,
                                    .first_position = s->first_position,
                                    .source_position = s->numbering.to_user,
                                    .has_in = s->has_in,
                                    .visited = s->visited,
                                    .sources = s->visited,
                                    .next = s->spare,
                                    .tree = s->tree,
                                    .tree_level = s->tree_level,
                                    .level = (int32_t)s->depth + 1};
    uint64_t words = mg_bitmap_words(s->core), next = 0;
    mg_bfs_found found = {0};
    /* The last pulls look at hardly anything: a word without unvisited vertices costs next to nothing. */
    int threads = mg_threads(ctx, words / 16 + s->unvisited, VERTEX_GRAIN);
#pragma omp parallel num_threads(mg_team(threads))
    {
        mg_bfs_found share = {0};
        for (;;) {
            uint64_t begin = mg_fetch_add(&next, CHUNK), end = MG_MIN(begin + CHUNK, words);
            if (begin >= words || mg_progress(ctx, "bfs", s->visited_vertices, s->rows)) break;
            mg_bfs_found chunk = hot->pull_words(&pulling, begin, end);
            chunk.arcs = mg_bfs_estimate_arcs(s, begin, end, chunk.reached);
            mg_bfs_add(&share, &chunk);
        }
#pragma omp critical(mg_bfs_pull)
        mg_bfs_add(&found, &share);
    }
    if (found.reached) {
        uint64_t *free = s->previous;
        s->previous = s->visited;
        s->visited = s->spare;
        s->spare = free;
        s->has_list = false;
    }
    return found;
}
