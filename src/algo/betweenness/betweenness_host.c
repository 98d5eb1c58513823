/* Betweenness on the threads of this machine: one source after another, each level by level forwards and back, with a
 * line in the trace for every source. */
#include "algo/betweenness/betweenness.h"

#include <math.h>

#define PIECE        65536    /* arcs summed between two looks for a cancel */
#define CHUNK        128      /* vertices of a list taken at a time */
#define WORDS        16       /* words of the bitmap taken at a time */
#define ARC_GRAIN    16384    /* arcs that pay for another thread */
#define VERTEX_GRAIN 65536    /* vertices, where little is done with each */
#define LARGE        0x1p900  /* ways; sums of 2^32 such are still finite */
#define SMALL        0x1p-960 /* … whose inverse is, times as many */

typedef struct level {
    uint64_t begin, end; /* its vertices in the list */
    uint64_t arcs;       /* that leave them */
    int shift;           /* its numbers of ways have been multiplied by 2^-shift */
} level;

typedef struct state {
    meguri_ctx *ctx;
    const meguri_graph *graph;
    mg_rows out, in;
    mg_numbering numbering;
    uint32_t rows;
    double *ways;  /* to a vertex; on the way back (1 + dependency) / ways */
    double *wave;  /* all 0 between two sources */
    double *score; /* by internal number */
    mg_bitmap visited;
    mg_queue list; /* visited vertices, level by level */
    level *levels;
    uint64_t level_count, level_capacity;
    uint64_t unvisited_arcs;
    uint64_t edges, depth;
    uint64_t done, total; /* sources */
} state;

static bool stopped(const state *s) { return mg_progress(s->ctx, "betweenness", s->done, s->total); }

static uint64_t out_degree(const state *s, uint32_t v) { return mg_row_end(&s->out, v) - mg_row_begin(&s->out, v); }

/* ---- sums ------------------------------------------------------------------------------------------------------- */

/* Four sums at a time, for their own sake; always in the same order. */
static double sum_piece(const double *wave, const uint32_t *row, uint64_t count) {
    double sum[4] = {0, 0, 0, 0};
    uint64_t i = 0;
    for (; i + 4 <= count; i += 4)
        for (int k = 0; k < 4; k++) sum[k] += wave[row[i + (uint64_t)k]];
    for (; i < count; i++) sum[0] += wave[row[i]];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

static double sum_row(const state *s, const mg_rows *rows, uint32_t v) {
    double sum = 0;
    uint64_t end = mg_row_end(rows, v);
    for (uint64_t at = mg_row_begin(rows, v); at < end; at += PIECE) {
        if (mg_cancelled(s->ctx)) break;
        sum += sum_piece(s->wave, rows->neighbors + at, MG_MIN(PIECE, end - at));
    }
    return sum;
}

/* ---- levels ----------------------------------------------------------------------------------------------------- */

/* What the list has from `begin` on. */
static meguri_status add_level(state *s, uint64_t begin) {
    if (s->level_count == s->level_capacity) {
        uint64_t capacity = s->level_capacity ? 2 * s->level_capacity : 64;
        void *grown = mg_resize(s->ctx, s->levels, capacity * sizeof *s->levels, "the levels of betweenness");
        if (!grown) return MEGURI_NO_MEMORY;
        s->levels = grown;
        s->level_capacity = capacity;
    }
    s->levels[s->level_count++] = (level){.begin = begin, .end = s->list.count};
    return MEGURI_OK;
}

static void clear_wave(const state *s, uint64_t l) {
    uint64_t begin = s->levels[l].begin, end = s->levels[l].end;
    int threads = mg_threads(s->ctx, end - begin, VERTEX_GRAIN);
#pragma omp parallel for num_threads(threads) schedule(static)
    for (uint64_t i = begin; i < end; i++) s->wave[s->list.items[i]] = 0;
}

/* The wave is `ways` of this level times 2^-shift; and so are they. */
static void set_wave(const state *s, uint64_t l, int shift) {
    uint64_t begin = s->levels[l].begin, end = s->levels[l].end;
    double factor = ldexp(1, -shift);
    int threads = mg_threads(s->ctx, end - begin, VERTEX_GRAIN);
#pragma omp parallel for num_threads(threads) schedule(static)
    for (uint64_t i = begin; i < end; i++) {
        uint32_t v = s->list.items[i];
        s->wave[v] = s->ways[v] *= factor;
    }
}

/* After the ways to the last level are known: their scale, and the arcs that leave it. */
static meguri_status close_level(state *s) {
    level *last = &s->levels[s->level_count - 1];
    uint64_t begin = last->begin, end = last->end, arcs = 0;
    double most = 0, least = INFINITY;
    int threads = mg_threads(s->ctx, end - begin, VERTEX_GRAIN);
#pragma omp parallel for num_threads(threads) schedule(static) reduction(+ : arcs) reduction(max : most)               \
    reduction(min : least)
    for (uint64_t i = begin; i < end; i++) {
        uint32_t v = s->list.items[i];
        arcs += out_degree(s, v);
        most = MG_MAX(most, s->ways[v]);
        least = MG_MIN(least, s->ways[v]);
    }
    last->arcs = arcs;
    s->unvisited_arcs -= arcs;
    if (most > LARGE) last->shift = ilogb(most) - ilogb(LARGE) + 32;
    if (ldexp(least, -last->shift) < SMALL)
        return mg_fail(s->ctx, MEGURI_BAD_INPUT,
                       "the numbers of shortest ways to vertices at the same distance differ by more than a factor of "
                       "2^1800, which betweenness cannot count.");
    set_wave(s, s->level_count - 1, last->shift);
    return MEGURI_OK;
}

/* ---- forwards --------------------------------------------------------------------------------------------------- */

/* The next level by a push from level l; their ways are summed afterwards. */
static void find_by_push(state *s, uint64_t l) {
    uint64_t end = s->levels[l].end, next = s->levels[l].begin;
    int threads = mg_threads(s->ctx, s->levels[l].arcs, ARC_GRAIN);
#pragma omp parallel num_threads(threads)
    {
        mg_queue_buffer buffer = {.queue = &s->list};
        for (;;) {
            uint64_t first = mg_fetch_add(&next, CHUNK);
            if (first >= end || stopped(s)) break;
            for (uint64_t i = first; i < MG_MIN(end, first + CHUNK); i++) {
                uint32_t u = s->list.items[i];
                for (uint64_t arc = mg_row_begin(&s->out, u); arc < mg_row_end(&s->out, u); arc++)
                    if (mg_bitmap_claim(&s->visited, s->out.neighbors[arc]))
                        mg_queue_push(&buffer, s->out.neighbors[arc]);
            }
        }
        mg_queue_flush(&buffer);
    }
    s->edges += s->levels[l].arcs;
}

static void sum_ways(state *s, uint64_t begin) {
    uint64_t end = s->list.count, next = begin, edges = 0;
    int threads = mg_threads(s->ctx, 8 * (end - begin), ARC_GRAIN);
#pragma omp parallel num_threads(threads) reduction(+ : edges)
    for (;;) {
        uint64_t first = mg_fetch_add(&next, CHUNK);
        if (first >= end || stopped(s)) break;
        for (uint64_t i = first; i < MG_MIN(end, first + CHUNK); i++) {
            uint32_t v = s->list.items[i];
            edges += mg_row_end(&s->in, v) - mg_row_begin(&s->in, v);
            s->ways[v] = sum_row(s, &s->in, v);
        }
    }
    s->edges += edges;
}

/* Every unvisited vertex looks for itself. Threads own whole words of the bitmap. */
static uint64_t pull_word(const state *s, uint64_t word, mg_queue_buffer *buffer) {
    uint64_t edges = 0, first = 64 * word;
    uint64_t bits = ~s->visited.words[word];
    if (s->rows - first < 64) bits &= ((uint64_t)1 << (s->rows - first)) - 1;
    for (; bits; bits &= bits - 1) {
        uint32_t v = (uint32_t)(first + (uint64_t)__builtin_ctzll(bits));
        edges += mg_row_end(&s->in, v) - mg_row_begin(&s->in, v);
        double sum = sum_row(s, &s->in, v);
        if (!(sum > 0)) continue;
        s->ways[v] = sum;
        s->visited.words[word] |= bits & -bits;
        mg_queue_push(buffer, v);
    }
    return edges;
}

static void find_by_pull(state *s) {
    uint64_t words = mg_bitmap_words(s->rows), next = 0, edges = 0;
    int threads = mg_threads(s->ctx, s->unvisited_arcs + s->rows / 16, ARC_GRAIN);
#pragma omp parallel num_threads(threads) reduction(+ : edges)
    {
        mg_queue_buffer buffer = {.queue = &s->list};
        for (;;) {
            uint64_t first = mg_fetch_add(&next, WORDS);
            if (first >= words || stopped(s)) break;
            for (uint64_t word = first; word < MG_MIN(words, first + WORDS); word++)
                edges += pull_word(s, word, &buffer);
        }
        mg_queue_flush(&buffer);
    }
    s->edges += edges;
}

static meguri_status forwards(state *s, uint32_t source) {
    mg_bitmap_clear(s->ctx, &s->visited);
    s->level_count = 0;
    s->unvisited_arcs = s->out.arcs;
    s->list.count = 1;
    s->list.items[0] = source;
    s->ways[source] = 1;
    mg_bitmap_set(&s->visited, source);
    meguri_status status = add_level(s, 0);
    if (status == MEGURI_OK) status = close_level(s);
    if (status != MEGURI_OK) return status;
    for (;;) {
        uint64_t l = s->level_count - 1, begin = s->list.count;
        if (stopped(s)) return mg_fail_cancelled(s->ctx);
        if (2 * s->levels[l].arcs > s->unvisited_arcs) find_by_pull(s);
        else {
            find_by_push(s, l);
            sum_ways(s, begin);
        }
        if (mg_cancelled(s->ctx)) return mg_fail_cancelled(s->ctx);
        clear_wave(s, l);
        if (s->list.count == begin) return MEGURI_OK;
        status = add_level(s, begin);
        if (status == MEGURI_OK) status = close_level(s);
        if (status != MEGURI_OK) return status;
    }
}

/* ---- and back --------------------------------------------------------------------------------------------------- */

static void depend(state *s, uint64_t l) {
    uint64_t end = s->levels[l].end, next = s->levels[l].begin;
    double factor = ldexp(1, -s->levels[l].shift);
    int threads = mg_threads(s->ctx, s->levels[l].arcs, ARC_GRAIN);
#pragma omp parallel num_threads(threads)
    for (;;) {
        uint64_t first = mg_fetch_add(&next, CHUNK);
        if (first >= end || stopped(s)) break;
        for (uint64_t i = first; i < MG_MIN(end, first + CHUNK); i++) {
            uint32_t v = s->list.items[i];
            double dependency = s->ways[v] * sum_row(s, &s->out, v);
            s->score[v] += dependency;
            s->ways[v] = (1 + dependency) / s->ways[v] * factor;
        }
    }
    s->edges += s->levels[l].arcs;
}

/* The source itself gets nothing. */
static meguri_status backwards(state *s) {
    for (uint64_t l = s->level_count - 1; l > 0; l--) {
        if (stopped(s)) return mg_fail_cancelled(s->ctx);
        depend(s, l);
        if (mg_cancelled(s->ctx)) return mg_fail_cancelled(s->ctx);
        if (l + 1 < s->level_count) clear_wave(s, l + 1);
        set_wave(s, l, 0);
    }
    if (s->level_count > 1) clear_wave(s, 1);
    s->depth = MG_MAX(s->depth, s->level_count - 1);
    return MEGURI_OK;
}

/* ---- all sources ------------------------------------------------------------------------------------------------ */

static meguri_status search(state *s, uint32_t source) {
    double since = mg_now();
    uint64_t edges = s->edges;
    meguri_status status = forwards(s, source);
    if (status == MEGURI_OK) status = backwards(s);
    if (status != MEGURI_OK || !mg_trace_on(s->ctx)) return status;
    mg_step step = MG_STEP_NONE;
    step.run = "betweenness";
    step.step = (int64_t)s->done;
    step.frontier = (int64_t)s->list.count;
    step.edges = (int64_t)(s->edges - edges);
    step.engine = "host";
    step.threads = (int64_t)meguri_ctx_threads(s->ctx);
    step.seconds = mg_now() - since;
    step.bytes = (int64_t)(4 * (s->edges - edges) + 40 * s->list.count);
    mg_trace(s->ctx, &step);
    return MEGURI_OK;
}

static meguri_status prepare(state *s, const meguri_graph *graph) {
    static const char *const what = "betweenness";
    meguri_status status = mg_graph_rows(&s->out, s->ctx, graph);
    if (status == MEGURI_OK) status = mg_graph_in_rows(&s->in, s->ctx, graph);
    if (status == MEGURI_OK) status = mg_graph_numbering(&s->numbering, s->ctx, graph);
    if (status != MEGURI_OK) return status;
    s->rows = (uint32_t)graph->rows;
    s->ways = mg_alloc_array(s->ctx, s->rows, sizeof *s->ways, what);
    s->wave = mg_alloc_array_zero(s->ctx, s->rows, sizeof *s->wave, what);
    s->score = mg_alloc_array_zero(s->ctx, s->rows, sizeof *s->score, what);
    if (!s->ways || !s->wave || !s->score) return MEGURI_NO_MEMORY;
    status = mg_bitmap_new(&s->visited, s->ctx, s->rows, what);
    return status == MEGURI_OK ? mg_queue_new(&s->list, s->ctx, s->rows, what) : status;
}

/* Into the user's order. */
static void finish(const state *s, double *score, double factor) {
    uint64_t vertices = s->graph->vertices;
    int threads = mg_threads(s->ctx, vertices, VERTEX_GRAIN);
#pragma omp parallel for num_threads(threads) schedule(static)
    for (uint64_t v = 0; v < vertices; v++)
        score[mg_to_user(&s->numbering, (uint32_t)v)] = v < s->rows ? factor * s->score[v] : 0;
}

meguri_status mg_betweenness_host(meguri_ctx *ctx, const meguri_graph *graph, const mg_betweenness_sources *sources,
                                  double *score, meguri_result *result) {
    state s = {.ctx = ctx, .graph = graph, .total = sources->count};
    meguri_status status = prepare(&s, graph);
    double begin = mg_now();
    for (; s.done < s.total && status == MEGURI_OK; s.done++) {
        uint32_t source = mg_to_internal(&s.numbering, sources->vertices[s.done]);
        if (source < s.rows) status = search(&s, source); /* nothing leaves an isolated vertex */
    }
    if (status == MEGURI_OK) finish(&s, score, sources->all && !graph->directed ? 0.5 : 1);
    if (status == MEGURI_OK) status = mg_result_set_number(ctx, result, "sources", s.total);
    if (status == MEGURI_OK) status = mg_result_set_number(ctx, result, "depth", s.depth);
    if (status == MEGURI_OK) status = mg_result_set_number(ctx, result, "edges", s.edges);
    if (status == MEGURI_OK) status = mg_result_set_real(ctx, result, "seconds", mg_now() - begin);
    mg_free(s.ways);
    mg_free(s.wave);
    mg_free(s.score);
    mg_free(s.levels);
    mg_bitmap_free(&s.visited);
    mg_queue_free(&s.list);
    return status;
}
