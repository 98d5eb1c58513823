/* The step from the frontier to its neighbours (top-down), in three forms.
 *
 * Listed, while there is little to do: what is found goes into a list, with its arcs counted; on one thread without
 * unpredictable branches, on several with a part of the frontier for each to follow. A cluster always lists: what is
 * found is sent.
 *
 * Marked, for more: what is found stays a bitmap, from which the next push makes an increasing list; no list is written
 * and no arcs are looked up at random.
 *
 * Wide, for frontiers of long rows: rows are sorted, so each thread takes a range of destinations and looks up in every
 * row the part that leads there. It alone writes the bits of its range: nothing is atomic and no line of the bitmap
 * moves between processors. What is found stays a bitmap.
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

/* ---- following a frontier --------------------------------------------------------------------------------------- */

/* One thread's share of what is found. */
typedef struct push_share {
    mg_bfs_found found;
    mg_queue_buffer buffer;
} push_share;

static inline uint64_t arcs_of(const mg_rows *rows, uint32_t v) {
    return mg_row_offset(rows, (uint64_t)v + 1) - mg_row_offset(rows, v);
}

/* The arcs of what a list gained. */
static uint64_t count_arcs(const mg_rows *counting, const uint32_t *list, uint64_t count) {
    uint64_t arcs = 0;
    for (uint64_t k = 0; counting && k < count; k++) arcs += arcs_of(counting, list[k]);
    return arcs;
}

/* Sets the bit of v; false if it was set already. */
static inline bool claim(uint64_t *visited, uint32_t v, bool alone) {
    uint64_t *word = &visited[v / 64], bit = (uint64_t)1 << (v % 64);
    if (mg_load(word) & bit) return false;
    if (!alone) return !(mg_fetch_or(word, bit) & bit);
    *word |= bit;
    return true;
}

/* `listed` or marked, `alone` or one of several threads: constants where it is called. */
static inline void push_vertex(const mg_bfs_pushing *p, push_share *share, uint32_t u, bool listed, bool alone) {
    const uint32_t *neighbors = p->out.neighbors;
    uint64_t begin = mg_row_begin(&p->out, u), end = mg_row_end(&p->out, u), i = begin;
    uint32_t position = mg_bfs_push_position(p, u);
    for (; i < end && neighbors[i] < p->targets; i++) {
        uint32_t v = neighbors[i];
        if (!claim(p->visited, v, alone)) continue;
        mg_bfs_push_reach(p, v, position);
        if (!listed) continue;
        share->found.reached++;
        if (p->counting) share->found.arcs += arcs_of(p->counting, v);
        mg_queue_push(&share->buffer, v);
    }
    share->found.edges += i - begin;
}

/* Soon the k-th vertex of the frontier will need its number, its place, and then its row: each of these is a miss. */
static inline void fetch_ahead(const mg_bfs_pushing *p, uint64_t k) {
    if (k + 2 * AHEAD < p->frontier_count) {
        uint32_t later = p->frontier[k + 2 * AHEAD];
        if (p->source_position) __builtin_prefetch(&p->source_position[later]);
        if (p->out.offsets32) __builtin_prefetch(&p->out.offsets32[later]);
        else __builtin_prefetch(&p->out.offsets64[later]);
    }
    if (k + AHEAD < p->frontier_count)
        __builtin_prefetch(&p->out.neighbors[mg_row_begin(&p->out, p->frontier[k + AHEAD])]);
}

/* The vertices [from, to) of the frontier. */
static void push_some(const mg_bfs_pushing *p, push_share *share, mg_range some, bool listed, bool alone) {
    for (uint64_t k = some.begin; k < some.end; k++) {
        fetch_ahead(p, k);
        if (!listed) push_vertex(p, share, p->frontier[k], false, false);
        else if (!alone) push_vertex(p, share, p->frontier[k], true, false);
        else push_vertex(p, share, p->frontier[k], true, true);
    }
}

/* What one thread does on thousands of small levels, as roads have them: without a branch for whether a neighbour is
 * visited, which nobody could predict. The place of the next find is written in any case, and kept if it was one; so
 * `next` has a place more than there can be finds. */
static mg_bfs_found push_few(const mg_bfs_pushing *p, mg_queue *list) {
    mg_bfs_found found = {0};
    const uint32_t *neighbors = p->out.neighbors;
    uint32_t *next = list->items, nowhere, count = 0;
    int32_t no_level;
    for (uint64_t k = 0; k < p->frontier_count; k++) {
        uint32_t u = p->frontier[k], position = mg_bfs_push_position(p, u);
        if (k + AHEAD < p->frontier_count)
            __builtin_prefetch(&neighbors[mg_row_begin(&p->out, p->frontier[k + AHEAD])]);
        uint64_t begin = mg_row_begin(&p->out, u), end = mg_row_end(&p->out, u), i = begin;
        for (; i < end && neighbors[i] < p->targets; i++) {
            uint32_t v = neighbors[i];
            uint64_t word = p->visited[v / 64];
            bool fresh = !((word >> (v % 64)) & 1);
            p->visited[v / 64] = word | (uint64_t)1 << (v % 64);
            *(fresh && p->tree ? &p->tree[v] : &nowhere) = position;
            *(fresh && p->tree_level ? &p->tree_level[v] : &no_level) = p->level;
            next[count] = v;
            count += fresh;
        }
        found.edges += i - begin;
    }
    found.arcs = count_arcs(p->counting, next, count);
    found.reached = list->count = count;
    return found;
}

/* What the threads of a push share. */
typedef struct push_job {
    const mg_bfs_pushing *pushing;
    mg_queue *next; /* NULL: what is found stays a bitmap */
    mg_bfs_found found;
} push_job;

static void push_chunks(void *what, mg_worker *worker) {
    push_job *job = what;
    push_share share;
    share.found = (mg_bfs_found){0};
    share.buffer.queue = job->next;
    share.buffer.count = 0;
    for (mg_range chunk; mg_take(worker, &chunk);)
        push_some(job->pushing, &share, chunk, job->next != NULL, worker->loop->threads == 1);
    mg_queue_flush(&share.buffer);
    mg_bfs_add_shared(&job->found, &share.found);
}

static mg_bfs_found push_together(mg_loop loop, const mg_bfs_pushing *pushing, mg_queue *next) {
    push_job job = {.pushing = pushing, .next = next};
    loop.work = push_chunks;
    loop.what = &job;
    loop.items = pushing->frontier_count;
    loop.chunk = CHUNK;
    mg_loop_run(&loop);
    return job.found;
}

mg_bfs_found mg_bfs_push_list(mg_loop loop, const mg_bfs_pushing *pushing, mg_queue *next) {
    next->count = 0;
    bool few = loop.threads == 1 && mg_policy_bfs_few(pushing->frontier_arcs, pushing->targets);
    return few ? push_few(pushing, next) : push_together(loop, pushing, next);
}

/* ---- split ------------------------------------------------------------------------------------------------------ */

/* One thread's share of a split push: what it finds, in order, at `found_here`. */
static mg_bfs_found push_share_of_list(const mg_bfs_pushing *p, mg_range share, uint32_t *found_here) {
    mg_bfs_found found = {0};
    const uint32_t *neighbors = p->out.neighbors;
    for (uint64_t k = share.begin; k < share.end; k++) {
        uint32_t u = p->frontier[k], position = mg_bfs_push_position(p, u);
        fetch_ahead(p, k);
        uint64_t begin = mg_row_begin(&p->out, u), end = mg_row_end(&p->out, u), i = begin;
        for (; i < end && neighbors[i] < p->targets; i++) {
            uint32_t v = neighbors[i];
            if (!claim(p->visited, v, false)) continue;
            mg_bfs_push_reach(p, v, position);
            found_here[found.reached++] = v;
        }
        found.edges += i - begin;
    }
    found.arcs = count_arcs(p->counting, found_here, found.reached);
    return found;
}

/* What the parts of a split push share. */
typedef struct split_job {
    const mg_bfs_pushing *pushing;
    uint32_t *next;
    uint64_t room; /* for the finds of a part */
    mg_bfs_found *found;
} split_job;

static void push_parts(void *what, mg_worker *worker) {
    split_job *job = what;
    int parts = (int)worker->loop->items;
    for (mg_range chunk; mg_take(worker, &chunk);)
        for (uint64_t k = chunk.begin; k < chunk.end; k++)
            job->found[k] = push_share_of_list(job->pushing, mg_share(job->pushing->frontier_count, (int)k, parts),
                                               job->next + k * job->room);
}

/* Small levels of short rows, as roads have them, on several threads. Each takes a contiguous part of the list, and
 * what it finds stays together and in its place in the next one. So a thread mostly follows its own part of the
 * frontier from level to level, and the lines that it writes are in its own cache. */
static mg_bfs_found push_split(mg_loop loop, mg_bfs_host *s, const mg_bfs_pushing *pushing) {
    mg_bfs_found found = {0}, parts[MG_MAX_THREADS];
    split_job job = {pushing, s->next.items, s->base.frontier_arcs, parts};
    int threads = loop.threads;
    loop.work = push_parts;
    loop.what = &job;
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

/* ---- listed and marked ------------------------------------------------------------------------------------------ */

static mg_bfs_found push_listed(mg_loop loop, mg_bfs_host *s, const mg_bfs_pushing *pushing) {
    mg_bfs_found found = mg_bfs_push_list(loop, pushing, &s->next);
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

static mg_bfs_found push_marked(mg_loop loop, mg_bfs_host *s, const mg_bfs_pushing *pushing) {
    uint64_t words = mg_bitmap_words(s->first_leaf);
    memcpy(s->previous, s->visited, words * sizeof *s->visited);
    mg_bfs_found found = push_together(loop, pushing, NULL), marked = count_marked(s, 0, words);
    mg_bfs_add(&found, &marked);
    if (found.reached) s->has_list = false;
    return found;
}

/* ---- wide ------------------------------------------------------------------------------------------------------- */

/* Word w of the bitmap such that the words before it have part/parts of the arcs. */
static uint64_t range_begin(const mg_bfs_host *s, uint64_t part, uint64_t parts) {
    uint64_t words = mg_bitmap_words(s->first_leaf), low = 0, high = words;
    if (part == parts) return words;
    double wanted = (double)mg_row_offset(&s->out, s->first_leaf) * (double)part / (double)parts;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if ((double)mg_row_offset(&s->out, MG_MIN(64 * middle, s->first_leaf)) < wanted) low = middle + 1;
        else high = middle;
    }
    return low;
}

typedef struct wide_job {
    const mg_bfs_host *s;
    const mg_bfs_pushing *pushing;
    mg_bfs_found found;
} wide_job;

/* All arcs from the frontier to the words [begin, end). */
static mg_bfs_found push_to_words(meguri_ctx *ctx, const wide_job *job, const mg_bfs_hot *hot, uint64_t begin,
                                  uint64_t end) {
    mg_bfs_found found = {0};
    const mg_bfs_host *s = job->s;
    const mg_bfs_pushing *p = job->pushing;
    uint32_t first = (uint32_t)(64 * begin), limit = (uint32_t)MG_MIN(64 * end, p->targets);
    memcpy(s->previous + begin, p->visited + begin, (end - begin) * sizeof *p->visited);
    for (uint64_t k = 0; k < p->frontier_count; k++) {
        uint32_t u = p->frontier[k];
        uint64_t from = mg_row_begin(&p->out, u), to = mg_row_end(&p->out, u);
        if (first) from = mg_row_find(&p->out, from, to, first);
        found.edges += hot->push_arcs(p, u, from, to, limit);
        if (mg_progress(ctx, "bfs", s->base.visited_vertices, s->rows)) break;
    }
    mg_bfs_found marked = count_marked(s, begin, end);
    mg_bfs_add(&found, &marked);
    return found;
}

static void push_ranges(void *what, mg_worker *worker) {
    wide_job *job = what;
    const mg_bfs_hot *hot = mg_bfs_hot_loops();
    uint64_t ranges = worker->loop->items;
    mg_bfs_found share = {0};
    for (mg_range r; mg_take(worker, &r);) {
        uint64_t begin = range_begin(job->s, r.begin, ranges), end = range_begin(job->s, r.end, ranges);
        if (begin == end) continue;
        mg_bfs_found range = push_to_words(worker->loop->ctx, job, hot, begin, end);
        mg_bfs_add(&share, &range);
    }
    mg_bfs_add_shared(&job->found, &share);
}

static mg_bfs_found push_wide(mg_loop loop, mg_bfs_host *s, const mg_bfs_pushing *pushing) {
    wide_job job = {.s = s, .pushing = pushing};
    loop.work = push_ranges;
    loop.what = &job;
    loop.items = loop.threads == 1 ? 1 : MG_BFS_PUSH_RANGES * (uint64_t)loop.threads;
    loop.chunk = 1;
    mg_loop_run(&loop);
    if (job.found.reached) s->has_list = false;
    return job.found;
}

/* ---- a step ----------------------------------------------------------------------------------------------------- */

mg_bfs_found mg_bfs_push(meguri_ctx *ctx, mg_bfs_host *s) {
    mg_bfs_pushing pushing = {.out = s->out,
                              .source_position = s->numbering.to_user,
                              .frontier = s->list.items,
                              .frontier_count = s->list.count,
                              .frontier_arcs = s->base.frontier_arcs,
                              .targets = s->first_leaf,
                              .counting = &s->out,
                              .visited = s->visited,
                              .tree = s->tree,
                              .tree_level = s->tree_level,
                              .level = (int32_t)s->base.depth + 1};
    int threads = mg_threads(ctx, s->base.frontier_arcs + s->base.frontier, ARC_GRAIN);
    mg_loop loop = mg_bfs_loop(ctx, s, threads, NULL, NULL);
    switch (mg_policy_bfs_push(s->base.frontier, s->base.frontier_arcs, s->first_leaf, s->next.capacity,
                               (uint32_t)threads)) {
    case MG_BFS_PUSH_SPLIT: return push_split(loop, s, &pushing);
    case MG_BFS_PUSH_LISTED: return push_listed(loop, s, &pushing);
    case MG_BFS_PUSH_WIDE: return push_wide(loop, s, &pushing);
    case MG_BFS_PUSH_MARKED: break;
    }
    return push_marked(loop, s, &pushing);
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
    uint64_t words = mg_bitmap_words(s->first_leaf);
    s->list.count = 0;
    s->base.frontier_arcs = 0;
    mg_loop loop = {
        .ctx = ctx, .threads = mg_threads(ctx, words, WORD_GRAIN), .items = words, .work = list_words, .what = s};
    mg_loop_run(&loop);
    s->has_list = true;
}
