/* The step from the unvisited vertices to the frontier (bottom-up): shares the words of the bitmap out.
 *
 * The new bitmap is written to `spare`, complete: what is visited stays as it was while the step runs, so no vertex is
 * reached through one of its own level. */
#include "algo/bfs/bfs.h"

#define CHUNK        64   /* words taken at a time: 4096 vertices */
#define VERTEX_GRAIN 4096 /* unvisited vertices that pay for another thread */

typedef struct pull_job {
    const mg_bfs_host *s;
    uint64_t first;
    mg_bfs_pulling pulling;
    mg_bfs_found found;
} pull_job;

static void pull_chunks(void *what, mg_worker *worker) {
    pull_job *job = what;
    const mg_bfs_hot *hot = mg_bfs_hot_loops();
    mg_bfs_found share = {0};
    for (mg_range words; mg_take(worker, &words);) {
        words.begin += job->first;
        words.end += job->first;
        mg_bfs_found chunk = hot->pull_words(&job->pulling, words.begin, words.end);
        chunk.arcs = mg_bfs_estimate_arcs(job->s, words.begin, words.end, chunk.reached);
        mg_bfs_add(&share, &chunk);
    }
    mg_bfs_add_shared(&job->found, &share);
}

mg_bfs_found mg_bfs_pull(meguri_ctx *ctx, mg_bfs_host *s, uint64_t first) {
    pull_job job = {.s = s,
                    .first = first,
                    .pulling = {.in = s->in,
                                .targets = s->first_leaf,
                                .first = s->first,
                                .first_position = s->first_position,
                                .source_position = s->numbering.to_user,
                                .has_in = s->has_in,
                                .visited = s->visited,
                                .sources = s->visited,
                                .next = s->spare,
                                .tree = s->tree,
                                .tree_level = s->tree_level,
                                .level = (int32_t)s->base.depth + 1}};
    uint64_t words = mg_bitmap_words(s->first_leaf) - first;
    /* The last pulls look at hardly anything: a word without unvisited vertices costs next to nothing. */
    mg_loop loop =
        mg_bfs_loop(ctx, s, mg_threads(ctx, words / 16 + s->base.unvisited, VERTEX_GRAIN), pull_chunks, &job);
    loop.items = words;
    loop.chunk = CHUNK;
    mg_loop_run(&loop);
    if (job.found.reached) {
        uint64_t *free = s->previous;
        s->previous = s->visited;
        s->visited = s->spare;
        s->spare = free;
        s->has_list = false;
    }
    return job.found;
}
