/* The two ways of a level on a cluster, within a process: its threads share the frontier, or the words of the bitmap.
 *
 * A pull goes through the targets owner by owner, others first, and what it has found for one is on its way while it
 * looks for those of the next (the two tasks of paper P2). A push knows what it has found only at its end. */
#include "algo/bfs/bfs_cluster.h"

#define CHUNK        MG_BFS_CHUNK /* words, or vertices of the frontier, taken at a time */
#define VERTEX_GRAIN 4096
#define ARC_GRAIN    4096

/* ---- pull ------------------------------------------------------------------------------------------------------- */

/* Arcs that leave `reached` vertices of a chunk of words, as if they were an average sample of these. */
static uint64_t estimate_arcs(const mg_bfs_grid *g, uint64_t first_word, uint64_t reached) {
    uint64_t begin = MG_MIN(64 * first_word, g->shards->owned), end = MG_MIN(begin + 64 * CHUNK, g->shards->owned);
    if (!reached || begin == end) return 0;
    return (uint64_t)((double)g->chunk_arcs[first_word / CHUNK] * (double)reached / (double)(end - begin));
}

typedef struct pull_job {
    const mg_bfs_grid *g;
    mg_bfs_pulling pulling;
    uint64_t first; /* word of the block */
    bool own;       /* the block is that of the own vertices */
    mg_bfs_found found;
} pull_job;

static void pull_chunks(void *what, mg_worker *worker) {
    pull_job *job = what;
    const mg_bfs_hot *hot = mg_bfs_hot_loops();
    mg_bfs_found share = {0};
    for (mg_range words; mg_take(worker, &words);) {
        mg_bfs_found chunk = hot->pull_words(&job->pulling, job->first + words.begin, job->first + words.end);
        if (job->own) chunk.arcs = estimate_arcs(job->g, words.begin, chunk.reached);
        mg_bfs_add(&share, &chunk);
    }
    mg_bfs_add_shared(&job->found, &share);
}

static mg_bfs_found pull_block(meguri_ctx *ctx, const mg_bfs_grid *g, const mg_bfs_part *part, int block) {
    pull_job job = {.g = g,
                    .pulling = {.in = part->tile->in,
                                .targets = (uint32_t)part->tile->targets->places,
                                .first = part->first,
                                .first_position = part->first_position,
                                .source_position = mg_bfs_source_names(g, part),
                                .has_in = part->has_in,
                                .visited = g->visited[part->target],
                                .sources = g->visited[part->source],
                                .next = part->next,
                                .tree = part->tree},
                    .first = (uint64_t)block * g->words};
    job.own = part == &g->part[g->own_part] && job.first == g->own_word;
    mg_loop loop = {.ctx = ctx,
                    .threads = mg_threads(ctx, 64 * g->words, VERTEX_GRAIN),
                    .items = g->words,
                    .chunk = CHUNK,
                    .work = pull_chunks,
                    .what = &job};
    mg_loop_run(&loop);
    return job.found;
}

/* What a device has found of a block, which is here now. */
static mg_bfs_found count_block(const mg_bfs_grid *g, const mg_bfs_part *part, int block) {
    uint64_t word = (uint64_t)block * g->words;
    const uint64_t *next = part->next + word, *visited = g->visited[part->target] + word;
    mg_bfs_found found = {0};
    for (uint64_t first = 0; first < g->words; first += CHUNK) {
        uint64_t reached = 0, end = MG_MIN(first + CHUNK, g->words);
        for (uint64_t w = first; w < end; w++) reached += (uint64_t)__builtin_popcountll(next[w] & ~visited[w]);
        found.reached += reached;
        if (word == g->own_word && part == &g->part[g->own_part]) found.arcs += estimate_arcs(g, first, reached);
    }
    return found;
}

static meguri_status search_block(mg_bfs_found *found, meguri_ctx *ctx, mg_bfs_grid *g, int p, int block) {
    if (!g->there) {
        *found = pull_block(ctx, g, &g->part[p], block);
        return MEGURI_OK;
    }
    meguri_status status = mg_bfs_tiles_wait(ctx, g, p, block);
    if (status == MEGURI_OK) *found = count_block(g, &g->part[p], block);
    return status;
}

meguri_status mg_bfs_grid_pull(meguri_ctx *ctx, mg_bfs_grid *g) {
    meguri_status status = mg_sparse_begin(ctx, g->fold);
    if (status == MEGURI_OK && g->there) status = mg_bfs_tiles_pull(ctx, g);
    for (int p = 0; p < g->parts && status == MEGURI_OK; p++) {
        mg_bfs_part *part = &g->part[p];
        const mg_window *targets = part->tile->targets;
        int owners = targets->owners.count, me = targets->owners.me;
        for (int k = 1; k <= owners && status == MEGURI_OK; k++) {
            int b = mg_bfs_block_in_turn(part, k);
            mg_bfs_found found = {0};
            status = search_block(&found, ctx, g, p, b);
            part->block_found[b] = found.reached;
            if (b == me) g->own_arcs = found.arcs;
            g->edges += found.edges;
            uint64_t word = (uint64_t)b * g->words;
            mg_set set = {.words = g->words,
                          .count = found.reached,
                          .bits = part->next + word,
                          .known = g->visited[part->target] + word};
            if (b != me && status == MEGURI_OK) status = mg_bfs_grid_send_found(ctx, g, part, b, &set);
        }
    }
    return status == MEGURI_OK && g->there ? mg_bfs_tiles_pulled(ctx, g) : status;
}

/* ---- push ------------------------------------------------------------------------------------------------------- */

/* The finds of this process in its tile. */
static uint64_t push_part(meguri_ctx *ctx, const mg_bfs_grid *g, mg_bfs_part *part) {
    const mg_queue *frontier = &g->frontier[part->source];
    uint64_t arcs = g->base.frontier_arcs / (uint64_t)g->shards->cluster->size;
    mg_bfs_pushing pushing = {.out = part->tile->out,
                              .source_position = mg_bfs_source_names(g, part),
                              .frontier = frontier->items,
                              .frontier_count = frontier->count,
                              .frontier_arcs = arcs,
                              .targets = (uint32_t)part->tile->targets->places,
                              .visited = part->next,
                              .tree = part->tree};
    int threads = frontier->count ? mg_threads(ctx, arcs + frontier->count, ARC_GRAIN) : 1;
    return mg_bfs_push_list((mg_loop){.ctx = ctx, .threads = threads}, &pushing, &part->found).edges;
}

/* found → sorted: by block, as places within it. */
static void sort_by_block(const mg_bfs_grid *g, mg_bfs_part *part) {
    int owners = part->tile->targets->owners.count;
    uint64_t *begins = part->begins, stride = 64 * g->words;
    memset(begins, 0, ((uint64_t)owners + 1) * sizeof *begins);
    for (uint64_t i = 0; i < part->found.count; i++) begins[part->found.items[i] / stride + 1]++;
    for (int b = 0; b < owners; b++) begins[b + 1] += begins[b];
    for (uint64_t i = 0; i < part->found.count; i++) {
        uint32_t v = part->found.items[i];
        part->sorted[begins[v / stride]++] = (uint32_t)(v % stride);
    }
    for (int b = owners; b > 0; b--) begins[b] = begins[b - 1];
    begins[0] = 0;
}

meguri_status mg_bfs_grid_push(meguri_ctx *ctx, mg_bfs_grid *g) {
    meguri_status status = mg_sparse_begin(ctx, g->fold);
    for (int p = 0; p < g->parts && status == MEGURI_OK; p++) {
        mg_bfs_part *part = &g->part[p];
        const mg_window *targets = part->tile->targets;
        if (g->there) status = mg_bfs_tiles_push(ctx, g, p);
        else g->edges += push_part(ctx, g, part);
        sort_by_block(g, part);
        for (int b = 0; b < targets->owners.count && status == MEGURI_OK; b++) {
            if (b == targets->owners.me) continue;
            uint64_t word = (uint64_t)b * g->words;
            mg_set set = {.words = g->words,
                          .count = part->begins[b + 1] - part->begins[b],
                          .list = part->sorted + part->begins[b],
                          .bits = part->next + word,
                          .known = g->visited[part->target] + word};
            status = mg_bfs_grid_send_found(ctx, g, part, b, &set);
        }
    }
    return status;
}
