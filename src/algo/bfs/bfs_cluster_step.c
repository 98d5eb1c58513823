/* The two ways of a level on a cluster, within a process: its threads share the frontier, or the words of the bitmap.
 *
 * A pull goes through the targets owner by owner, others first, and what it has found for one is on its way while it
 * looks for those of the next (the two tasks of paper P2). A push knows what it has found only at its end. */
#include "algo/bfs/bfs_cluster.h"

#define CHUNK        MG_BFS_CHUNK /* words, or vertices of the frontier, taken at a time */
#define VERTEX_GRAIN 4096
#define ARC_GRAIN    4096
#define AHEAD        8

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
                                .source_position = g->shards->window_position[part->source],
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

meguri_status mg_bfs_grid_pull(meguri_ctx *ctx, mg_bfs_grid *g) {
    meguri_status status = mg_bfs_grid_await_found(ctx, g);
    for (int p = 0; p < g->parts && status == MEGURI_OK; p++) {
        mg_bfs_part *part = &g->part[p];
        const mg_window *targets = part->tile->targets;
        int owners = targets->owners.count, me = targets->owners.me;
        for (int k = 1; k <= owners && status == MEGURI_OK; k++) {
            int b = (me + k + owners) % owners; /* the own block last, where there is one */
            mg_bfs_found found = pull_block(ctx, g, part, b);
            part->block_found[b] = found.reached;
            if (b == me) g->own_arcs = found.arcs;
            g->edges += found.edges;
            uint64_t word = (uint64_t)b * g->words;
            mg_set set = {.words = g->words,
                          .count = found.reached,
                          .bits = part->next + word,
                          .known = g->visited[part->target] + word};
            if (b != me) status = mg_bfs_grid_send_found(ctx, g, part, b, &set);
        }
    }
    return status;
}

/* ---- push ------------------------------------------------------------------------------------------------------- */

static uint64_t push_alone(const mg_bfs_part *part, const mg_queue *frontier, const uint32_t *position,
                           mg_queue *found) {
    const mg_rows *out = &part->tile->out;
    uint64_t edges = 0;
    uint32_t count = 0;
    for (uint64_t k = 0; k < frontier->count; k++) {
        uint32_t u = frontier->items[k], from = position[u];
        if (k + AHEAD < frontier->count)
            __builtin_prefetch(&out->neighbors[mg_row_offset(out, frontier->items[k + AHEAD])]);
        uint64_t begin = mg_row_offset(out, u), end = mg_row_offset(out, (uint64_t)u + 1);
        for (uint64_t i = begin; i < end; i++) {
            uint32_t v = out->neighbors[i];
            uint64_t *word = &part->next[v / 64], bit = (uint64_t)1 << (v % 64);
            if (*word & bit) continue;
            *word |= bit;
            part->tree[v] = from;
            found->items[count++] = v;
        }
        edges += end - begin;
    }
    found->count = count;
    return edges;
}

typedef struct push_job {
    const mg_bfs_part *part;
    const mg_queue *frontier;
    const uint32_t *position;
    mg_queue *found;
    uint64_t edges;
} push_job;

/* Vertices are claimed by their bit. */
static void push_vertex(const push_job *job, mg_queue_buffer *buffer, uint32_t u) {
    const mg_bfs_part *part = job->part;
    const mg_rows *out = &part->tile->out;
    for (uint64_t i = mg_row_offset(out, u), end = mg_row_offset(out, (uint64_t)u + 1); i < end; i++) {
        uint32_t v = out->neighbors[i];
        uint64_t *word = &part->next[v / 64], bit = (uint64_t)1 << (v % 64);
        if (mg_load(word) & bit || mg_fetch_or(word, bit) & bit) continue;
        part->tree[v] = job->position[u];
        mg_queue_push(buffer, v);
    }
}

static void push_chunks(void *what, mg_worker *worker) {
    push_job *job = what;
    const mg_rows *out = &job->part->tile->out;
    uint64_t edges = 0;
    mg_queue_buffer buffer;
    buffer.queue = job->found;
    buffer.count = 0;
    for (mg_range chunk; mg_take(worker, &chunk);)
        for (uint64_t k = chunk.begin; k < chunk.end; k++) {
            uint32_t u = job->frontier->items[k];
            push_vertex(job, &buffer, u);
            edges += mg_row_offset(out, (uint64_t)u + 1) - mg_row_offset(out, u);
        }
    mg_queue_flush(&buffer);
    mg_fetch_add(&job->edges, edges);
}

static uint64_t push_together(meguri_ctx *ctx, const mg_bfs_part *part, const mg_queue *frontier,
                              const uint32_t *position, mg_queue *found, int threads) {
    push_job job = {part, frontier, position, found, 0};
    found->count = 0;
    mg_loop loop = {
        .ctx = ctx, .threads = threads, .items = frontier->count, .chunk = CHUNK, .work = push_chunks, .what = &job};
    mg_loop_run(&loop);
    return job.edges;
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
    meguri_status status = mg_bfs_grid_await_found(ctx, g);
    for (int p = 0; p < g->parts && status == MEGURI_OK; p++) {
        mg_bfs_part *part = &g->part[p];
        const mg_window *targets = part->tile->targets;
        const mg_queue *frontier = &g->frontier[part->source];
        const uint32_t *position = g->shards->window_position[part->source];
        uint64_t arcs = g->base.frontier_arcs / (uint64_t)g->shards->cluster->size;
        int threads = frontier->count ? mg_threads(ctx, arcs + frontier->count, ARC_GRAIN) : 1;
        g->edges += threads == 1 ? push_alone(part, frontier, position, &part->found)
                                 : push_together(ctx, part, frontier, position, &part->found, threads);
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
