/* The step from the frontier to its neighbours (top-down), in three forms.
 *
 * Listed, while there is little to do: what is found goes into a list, with its arcs counted; on one thread without
 * unpredictable branches, on several with a part of the frontier for each to follow.
 *
 * Marked, for more: what is found stays a bitmap, from which the next push makes an increasing list; no list is written
 * and no arcs are looked up at random.
 *
 * Wide, for frontiers of long rows: rows are sorted, so each thread takes a range of destinations and looks up in every
 * row the part that leads there. It alone writes the bits of its range: nothing is atomic and no line of the bitmap
 * moves between cores. What is found stays a bitmap.
 *
 * In the first two, threads take vertices of the frontier, and a vertex is claimed by setting its bit, atomically where
 * several threads work, because pull needs the bitmap exact (P1). Rows are cut where the vertices of degree one begin:
 * they come last in every row and are filled in at the end. */
#include "algo/bfs/bfs.h"

#include "policy/policy.h"

#define ARC_GRAIN  512 /* arcs that pay for another thread */
#define CHUNK      64  /* vertices of the frontier taken at a time */
#define WORD_GRAIN 8192
#define AHEAD      8 /* vertices of the frontier whose rows are fetched ahead */

/* ---- listed and marked ------------------------------------------------------------------------------------------ */

/* One thread's share of what is found. */
typedef struct push_share {
    mg_bfs_found found;
    mg_queue_buffer buffer;
} push_share;

/* `listed` or marked: a constant where it is called. */
static inline void push_vertex(const mg_bfs_host *s, push_share *share, uint32_t u, bool listed) {
    const uint32_t *neighbors = s->out.neighbors;
    uint64_t begin = mg_row_begin(&s->out, u), end = mg_row_end(&s->out, u), i = begin;
    uint32_t position = mg_to_user(&s->numbering, u);
    for (; i < end && neighbors[i] < s->core; i++) {
        uint32_t v = neighbors[i];
        uint64_t *word = &s->visited[v / 64], bit = (uint64_t)1 << (v % 64);
        if (mg_load(word) & bit || mg_fetch_or(word, bit) & bit) continue;
        mg_bfs_reach(s, v, position);
        if (!listed) continue;
        share->found.reached++;
        share->found.arcs += mg_row_offset(&s->out, (uint64_t)v + 1) - mg_row_offset(&s->out, v);
        mg_queue_push(&share->buffer, v);
    }
    share->found.edges += i - begin;
}

/* Soon the k-th vertex of the list will need its number, its place, and then its row: each of these is a miss. */
static inline void fetch_ahead(const mg_bfs_host *s, uint64_t k) {
    if (k + 2 * AHEAD < s->list.count) {
        uint32_t later = s->list.items[k + 2 * AHEAD];
        if (s->numbering.to_user) __builtin_prefetch(&s->numbering.to_user[later]);
        if (s->out.offsets32) __builtin_prefetch(&s->out.offsets32[later]);
        else __builtin_prefetch(&s->out.offsets64[later]);
    }
    if (k + AHEAD < s->list.count)
        __builtin_prefetch(&s->out.neighbors[mg_row_begin(&s->out, s->list.items[k + AHEAD])]);
}

/* The vertices [from, to) of the list. */
static void push_some(const mg_bfs_host *s, push_share *share, uint64_t from, uint64_t to, bool listed) {
    for (uint64_t k = from; k < to; k++) {
        fetch_ahead(s, k);
        if (listed) push_vertex(s, share, s->list.items[k], true);
        else push_vertex(s, share, s->list.items[k], false);
    }
}

/* What one thread does on thousands of small levels, as roads have them: without a branch for whether a neighbour is
 * visited, which nobody could predict. The place of the next find is written in any case, and kept if it was one. */
static mg_bfs_found push_alone(mg_bfs_host *s) {
    mg_bfs_found found = {0};
    const uint32_t *neighbors = s->out.neighbors;
    uint32_t *next = s->next.items, nowhere, count = 0;
    int32_t no_level, level = (int32_t)s->base.depth + 1;
    for (uint64_t k = 0; k < s->list.count; k++) {
        uint32_t u = s->list.items[k], position = mg_to_user(&s->numbering, u);
        if (k + AHEAD < s->list.count) __builtin_prefetch(&neighbors[mg_row_begin(&s->out, s->list.items[k + AHEAD])]);
        uint64_t begin = mg_row_begin(&s->out, u), end = mg_row_end(&s->out, u), i = begin;
        for (; i < end && neighbors[i] < s->core; i++) {
            uint32_t v = neighbors[i];
            uint64_t word = s->visited[v / 64];
            bool fresh = !((word >> (v % 64)) & 1);
            s->visited[v / 64] = word | (uint64_t)1 << (v % 64);
            *(fresh && s->tree ? &s->tree[v] : &nowhere) = position;
            *(fresh && s->tree_level ? &s->tree_level[v] : &no_level) = level;
            next[count] = v;
            count += fresh;
        }
        found.edges += i - begin;
    }
    for (uint32_t k = 0; k < count; k++)
        found.arcs += mg_row_offset(&s->out, (uint64_t)next[k] + 1) - mg_row_offset(&s->out, next[k]);
    found.reached = s->next.count = count;
    return found;
}

/* What the threads of a push share. */
typedef struct push_job {
    mg_bfs_host *s;
    bool listed;
    mg_bfs_found found;
} push_job;

static void push_chunks(void *what, mg_worker *worker) {
    push_job *job = what;
    push_share share;
    share.found = (mg_bfs_found){0};
    share.buffer.queue = &job->s->next;
    share.buffer.count = 0;
    for (mg_range chunk; mg_take(worker, &chunk);) push_some(job->s, &share, chunk.begin, chunk.end, job->listed);
    mg_queue_flush(&share.buffer);
    mg_bfs_add_shared(&job->found, &share.found);
}

static mg_bfs_found push_together(meguri_ctx *ctx, mg_bfs_host *s, int threads, bool listed) {
    push_job job = {.s = s, .listed = listed};
    mg_loop loop = mg_bfs_loop(ctx, s, threads, push_chunks, &job);
    loop.items = s->list.count;
    loop.chunk = CHUNK;
    mg_loop_run(&loop);
    return job.found;
}

/* One thread's share of a split push: what it finds, in order, at `found_here`. */
static mg_bfs_found push_share_of_list(const mg_bfs_host *s, mg_range share, uint32_t *found_here) {
    mg_bfs_found found = {0};
    const uint32_t *neighbors = s->out.neighbors;
    for (uint64_t k = share.begin; k < share.end; k++) {
        uint32_t u = s->list.items[k], position = mg_to_user(&s->numbering, u);
        fetch_ahead(s, k);
        uint64_t begin = mg_row_begin(&s->out, u), end = mg_row_end(&s->out, u), i = begin;
        for (; i < end && neighbors[i] < s->core; i++) {
            uint32_t v = neighbors[i];
            uint64_t *word = &s->visited[v / 64], bit = (uint64_t)1 << (v % 64);
            if (mg_load(word) & bit || mg_fetch_or(word, bit) & bit) continue;
            mg_bfs_reach(s, v, position);
            found_here[found.reached++] = v;
        }
        found.edges += i - begin;
    }
    for (uint64_t k = 0; k < found.reached; k++)
        found.arcs += mg_row_offset(&s->out, (uint64_t)found_here[k] + 1) - mg_row_offset(&s->out, found_here[k]);
    return found;
}

/* What the parts of a split push share. */
typedef struct split_job {
    mg_bfs_host *s;
    int parts;
    uint64_t room; /* for the finds of a part */
    mg_bfs_found *found;
} split_job;

static void push_parts(void *what, mg_worker *worker) {
    split_job *job = what;
    for (mg_range chunk; mg_take(worker, &chunk);)
        for (uint64_t p = chunk.begin; p < chunk.end; p++)
            job->found[p] = push_share_of_list(job->s, mg_share(job->s->list.count, (int)p, job->parts),
                                               job->s->next.items + p * job->room);
}

/* Small levels of short rows, as roads have them, on several threads. Each takes a contiguous part of the list, and
 * what it finds stays together and in its place in the next one. So a thread mostly follows its own part of the
 * frontier from level to level, and the lines that it writes are in its own cache. */
static mg_bfs_found push_split(meguri_ctx *ctx, mg_bfs_host *s, int threads) {
    mg_bfs_found found = {0}, parts[MG_MAX_THREADS];
    split_job job = {s, threads, s->base.frontier_arcs, parts};
    mg_loop loop = mg_bfs_loop(ctx, s, threads, push_parts, &job);
    loop.items = (uint64_t)threads;
    loop.chunk = 1;
    if (mg_loop_run(&loop) != MEGURI_OK) return found;
    for (int p = 0; p < threads; p++) mg_bfs_add(&found, &parts[p]);
    if (!found.reached) return found;
    s->list.count = 0;
    for (int p = 0; p < threads; p++) {
        memcpy(s->list.items + s->list.count, s->next.items + (uint64_t)p * job.room,
               parts[p].reached * sizeof *s->list.items);
        s->list.count += parts[p].reached;
    }
    return found;
}

static mg_bfs_found push_listed(meguri_ctx *ctx, mg_bfs_host *s, int threads) {
    s->next.count = 0;
    mg_bfs_found found = threads == 1 ? push_alone(s) : push_together(ctx, s, threads, true);
    if (found.reached) {
        mg_queue list = s->list;
        s->list = s->next;
        s->next = list;
    }
    return found;
}

/* What the words [begin, end) of the bitmap gained. */
static mg_bfs_found count_marked(const mg_bfs_host *s, uint64_t begin, uint64_t end) {
    mg_bfs_found found = {0};
    for (uint64_t chunk = begin; chunk < end; chunk += CHUNK) {
        uint64_t reached = 0, stop = MG_MIN(chunk + CHUNK, end);
        for (uint64_t w = chunk; w < stop; w++)
            reached += (uint64_t)__builtin_popcountll(s->visited[w] & ~s->previous[w]);
        found.reached += reached;
        found.arcs += mg_bfs_estimate_arcs(s, chunk, stop, reached);
    }
    return found;
}

static mg_bfs_found push_marked(meguri_ctx *ctx, mg_bfs_host *s, int threads) {
    uint64_t words = mg_bitmap_words(s->core);
    memcpy(s->previous, s->visited, words * sizeof *s->visited);
    mg_bfs_found found = push_together(ctx, s, threads, false), marked = count_marked(s, 0, words);
    mg_bfs_add(&found, &marked);
    if (found.reached) s->has_list = false;
    return found;
}

/* ---- wide ------------------------------------------------------------------------------------------------------- */

/* Word w of the bitmap such that the words before it have part/parts of the arcs. */
static uint64_t range_begin(const mg_bfs_host *s, uint64_t part, uint64_t parts) {
    uint64_t words = mg_bitmap_words(s->core), low = 0, high = words;
    if (part == parts) return words;
    double wanted = (double)mg_row_offset(&s->out, s->core) * (double)part / (double)parts;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if ((double)mg_row_offset(&s->out, MG_MIN(64 * middle, s->core)) < wanted) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* All arcs from the frontier to the words [begin, end). */
static mg_bfs_found push_to_words(meguri_ctx *ctx, const mg_bfs_host *s, const mg_bfs_hot *hot, uint64_t begin,
                                  uint64_t end) {
    mg_bfs_found found = {0};
    uint32_t first = (uint32_t)(64 * begin), limit = (uint32_t)MG_MIN(64 * end, s->core);
    memcpy(s->previous + begin, s->visited + begin, (end - begin) * sizeof *s->visited);
    for (uint64_t k = 0; k < s->list.count; k++) {
        uint32_t u = s->list.items[k];
        uint64_t from = mg_row_begin(&s->out, u), to = mg_row_end(&s->out, u);
        if (first) from = mg_row_find(&s->out, from, to, first);
        found.edges += hot->push_arcs(s, u, from, to, limit);
        if (mg_progress(ctx, "bfs", s->base.visited_vertices, s->rows)) break;
    }
    mg_bfs_found marked = count_marked(s, begin, end);
    mg_bfs_add(&found, &marked);
    return found;
}

static void push_ranges(void *what, mg_worker *worker) {
    push_job *job = what;
    const mg_bfs_hot *hot = mg_bfs_hot_loops();
    uint64_t ranges = worker->loop->items;
    mg_bfs_found share = {0};
    for (mg_range r; mg_take(worker, &r);) {
        uint64_t begin = range_begin(job->s, r.begin, ranges), end = range_begin(job->s, r.end, ranges);
        if (begin == end) continue;
        mg_bfs_found range = push_to_words(worker->loop->ctx, job->s, hot, begin, end);
        mg_bfs_add(&share, &range);
    }
    mg_bfs_add_shared(&job->found, &share);
}

static mg_bfs_found push_wide(meguri_ctx *ctx, mg_bfs_host *s, int threads) {
    push_job job = {.s = s};
    mg_loop loop = mg_bfs_loop(ctx, s, threads, push_ranges, &job);
    loop.items = threads == 1 ? 1 : MG_BFS_PUSH_RANGES * (uint64_t)threads;
    loop.chunk = 1;
    mg_loop_run(&loop);
    if (job.found.reached) s->has_list = false;
    return job.found;
}

mg_bfs_found mg_bfs_push(meguri_ctx *ctx, mg_bfs_host *s) {
    int threads = mg_threads(ctx, s->base.frontier_arcs + s->base.frontier, ARC_GRAIN);
    switch (mg_policy_bfs_push(s->base.frontier, s->base.frontier_arcs, s->core, s->next.capacity, (uint32_t)threads)) {
    case MG_BFS_PUSH_SPLIT: return push_split(ctx, s, threads);
    case MG_BFS_PUSH_LISTED: return push_listed(ctx, s, threads);
    case MG_BFS_PUSH_WIDE: return push_wide(ctx, s, threads);
    case MG_BFS_PUSH_MARKED: break;
    }
    return push_marked(ctx, s, threads);
}

/* ---- the frontier as a list ------------------------------------------------------------------------------------- */

static void list_words(void *what, mg_worker *worker) {
    mg_bfs_host *s = what;
    uint64_t arcs = 0;
    mg_queue_buffer buffer;
    buffer.queue = &s->list;
    buffer.count = 0;
    for (mg_range chunk; mg_take(worker, &chunk);)
        for (uint64_t w = chunk.begin; w < chunk.end; w++)
            for (uint64_t bits = s->visited[w] & ~s->previous[w]; bits; bits &= bits - 1) {
                uint32_t v = (uint32_t)(64 * w + (uint64_t)__builtin_ctzll(bits));
                arcs += mg_row_offset(&s->out, (uint64_t)v + 1) - mg_row_offset(&s->out, v);
                mg_queue_push(&buffer, v);
            }
    mg_queue_flush(&buffer);
    mg_fetch_add(&s->base.frontier_arcs, arcs);
}

void mg_bfs_need_list(meguri_ctx *ctx, mg_bfs_host *s) {
    if (s->has_list) return;
    uint64_t words = mg_bitmap_words(s->core);
    s->list.count = 0;
    s->base.frontier_arcs = 0;
    mg_loop loop = {
        .ctx = ctx, .threads = mg_threads(ctx, words, WORD_GRAIN), .items = words, .work = list_words, .what = s};
    mg_loop_run(&loop);
    s->has_list = true;
}
