/* The search, compiled for several numbers of lanes: a file defines LANES and SEARCH, the name of the function, and
 * includes this. A line of the cache is read once for all lanes. */
#include "algo/betweenness/betweenness.h"
#include "policy/policy.h"

#include <math.h>

#define PIECE        16384 /* arcs summed between two looks for a cancel */
#define CHUNK        128   /* vertices of a list taken at a time */
#define VERTICES     256   /* vertices of all taken at a time */
#define ARC_GRAIN    16384 /* arcs that pay for another thread */
#define VERTEX_GRAIN 65536 /* vertices, where little is done with each */
#define BUFFER       1024
#define FILTER       256 /* neighbours looked at before those that count are added up */

/* Pairs of numbers where there are several lanes: every processor has vectors of that size. */
#if LANES == 1
typedef double pack;
enum { PACKS = 1, CHAINS = 4 };
#else
typedef double pack __attribute__((vector_size(16), may_alias));
enum { PACKS = LANES / 2, CHAINS = 1 };
#endif

/* A number for each lane. */
typedef union numbers {
    pack at[PACKS];
    double lane[LANES];
} numbers;

static int threads_for(const mg_betweenness *s, uint64_t work, uint64_t grain) {
    return MG_MIN(s->threads, mg_threads(s->ctx, work, grain));
}

static uint64_t out_degree(const mg_betweenness *s, uint32_t v) {
    return mg_row_end(&s->out, v) - mg_row_begin(&s->out, v);
}

static uint64_t in_degree(const mg_betweenness *s, uint32_t v) {
    return mg_row_end(&s->in, v) - mg_row_begin(&s->in, v);
}

/* ---- the list --------------------------------------------------------------------------------------------------- */

/* What one thread adds to the list, copied in bulk. */
typedef struct buffer {
    mg_betweenness *search;
    uint32_t count;
    uint32_t list[BUFFER];
    uint8_t masks[BUFFER];
} buffer;

static void flush(buffer *b) {
    uint64_t at = mg_fetch_add(&b->search->count, b->count);
    memcpy(b->search->list + at, b->list, b->count * sizeof *b->list);
    memcpy(b->search->masks + at, b->masks, b->count * sizeof *b->masks);
    b->count = 0;
}

static inline void append(buffer *b, uint32_t v, uint8_t mask) {
    if (b->count == BUFFER) flush(b);
    b->list[b->count] = v;
    b->masks[b->count++] = mask;
}

/* ---- sums ------------------------------------------------------------------------------------------------------- */

/* Those of up to FILTER neighbours that stand in the wave in one of these lanes. */
static inline uint32_t filter(const uint8_t *here, uint8_t lanes, const uint32_t *row, uint64_t count, uint32_t *kept) {
    uint32_t n = 0;
    for (uint64_t i = 0; i < count; i++) {
        kept[n] = row[i];
        n += (here[row[i]] & lanes) != 0;
    }
    return n;
}

/* Always in the same order; in several chains where one would wait for itself. */
static inline void add_up(numbers *sum, const double *wave, const uint32_t *kept, uint32_t count) {
    uint32_t i = 0;
    for (; i + CHAINS <= count; i += CHAINS)
        for (uint32_t c = 0; c < CHAINS; c++) {
            const pack *from = (const pack *)(wave + (uint64_t)kept[i + c] * LANES);
            for (int p = 0; p < PACKS; p++) sum[c].at[p] += from[p];
        }
    for (; i < count; i++)
        for (int p = 0; p < PACKS; p++) sum[0].at[p] += ((const pack *)(wave + (uint64_t)kept[i] * LANES))[p];
}

/* Numbers of other lanes than these are of no use. */
static inline numbers sum_row(const mg_betweenness *s, const mg_rows *rows, uint32_t v, uint8_t lanes) {
    uint64_t at = mg_row_begin(rows, v), end = mg_row_end(rows, v);
    uint32_t kept[FILTER];
    numbers sum[CHAINS] = {0};
    for (; at < end; at += FILTER) {
        uint32_t count = filter(s->here, lanes, rows->neighbors + at, MG_MIN(FILTER, end - at), kept);
        add_up(sum, s->wave, kept, count);
        if (at % PIECE == 0 && mg_cancelled(s->ctx)) break;
    }
    for (int c = 1; c < CHAINS; c++)
        for (int p = 0; p < PACKS; p++) sum[0].at[p] += sum[c].at[p];
    return sum[0];
}

static inline uint8_t lanes_above_zero(const numbers *n) {
    unsigned mask = 0;
    for (unsigned k = 0; k < LANES; k++) mask |= (unsigned)(n->lane[k] > 0) << k;
    return (uint8_t)mask;
}

/* A power of two, from 2^-1000 to 2^1000. */
static inline double power_of_two(int64_t exponent) {
    uint64_t bits = (uint64_t)(exponent + 1023) << 52;
    double power;
    memcpy(&power, &bits, sizeof power);
    return power;
}

/* A wide sum is the returned number times 2^*scale, where that of the largest item stands. Items too small to count
 * beside it are left out. */
static double sum_row_wide(const mg_betweenness *s, const mg_rows *rows, uint32_t v, int64_t *scale) {
    double sum = 0;
    uint64_t begin = mg_row_begin(rows, v), end = mg_row_end(rows, v);
    *scale = INT64_MIN;
    for (uint64_t arc = begin; arc < end; arc++) {
        uint32_t w = rows->neighbors[arc];
        if (s->here[w]) *scale = MG_MAX(*scale, s->ways_scale[w]);
        if (arc % PIECE == 0 && mg_cancelled(s->ctx)) return 0;
    }
    for (uint64_t arc = begin; arc < end; arc++) {
        uint32_t w = rows->neighbors[arc];
        if (s->here[w] && s->ways_scale[w] > *scale - 1000) sum += s->ways[w] * power_of_two(s->ways_scale[w] - *scale);
        if (arc % PIECE == 0 && mg_cancelled(s->ctx)) return 0;
    }
    return sum;
}

/* Notes a wide number as what is kept of v: between a half and one, and its scale. */
static void keep_wide(const mg_betweenness *s, uint32_t v, double number, int64_t scale) {
    int exponent;
    s->ways[v] = frexp(number, &exponent);
    s->ways_scale[v] = scale + exponent;
}

/* ---- waves ------------------------------------------------------------------------------------------------------ */

/* What the threads of a loop over a level, or over all vertices, share. */
typedef struct level_job {
    mg_betweenness *s;
    uint64_t first; /* item of the list */
    bool found_only, last;
    double factor, most;
    uint64_t edges, arcs, finished, finished_arcs;
} level_job;

/* A loop that is always completed. */
static void run_whole(level_job *job, mg_work_fn *work, uint64_t items, int threads) {
    mg_loop loop = {.ctx = job->s->ctx, .threads = threads, .items = items, .work = work, .what = job};
    mg_loop_run(&loop);
}

/* One that may be cancelled. */
static void run_reporting(level_job *job, mg_work_fn *work, uint64_t items, uint64_t chunk, int threads) {
    mg_loop loop = {.ctx = job->s->ctx,
                    .threads = threads,
                    .items = items,
                    .chunk = chunk,
                    .work = work,
                    .what = job,
                    .phase = "betweenness",
                    .done = mg_load(job->s->done),
                    .total = job->s->total,
                    .steady = true};
    mg_loop_run(&loop);
}

static uint64_t level_size(const mg_betweenness *s, uint64_t l) { return s->levels[l].end - s->levels[l].begin; }

static void clear_items(void *what, mg_worker *worker) {
    const level_job *job = what;
    for (mg_range chunk; mg_take(worker, &chunk);)
        for (uint64_t i = chunk.begin; i < chunk.end; i++) job->s->here[job->s->list[job->first + i]] = 0;
}

static void clear_wave(mg_betweenness *s, uint64_t l) {
    level_job job = {.s = s, .first = s->levels[l].begin};
    run_whole(&job, clear_items, level_size(s, l), threads_for(s, level_size(s, l), VERTEX_GRAIN));
}

/* A single lane has its wave where it keeps its numbers. */
static inline void set_line(const mg_betweenness *s, uint32_t v, uint8_t mask) {
    s->here[v] = mask;
    const double *ways = s->ways + (uint64_t)v * LANES;
    double *wave = s->wave + (uint64_t)v * LANES;
    for (unsigned k = 0; k < LANES && LANES > 1; k++) wave[k] = mask >> k & 1 ? ways[k] : 0;
}

static void set_items(void *what, mg_worker *worker) {
    const level_job *job = what;
    const mg_betweenness *s = job->s;
    for (mg_range chunk; mg_take(worker, &chunk);)
        for (uint64_t i = job->first + chunk.begin; i < job->first + chunk.end; i++)
            set_line(s, s->list[i], s->masks[i]);
}

/* The wave is what is kept of this level. */
static void set_wave(mg_betweenness *s, uint64_t l) {
    level_job job = {.s = s, .first = s->levels[l].begin};
    run_whole(&job, set_items, level_size(s, l), threads_for(s, level_size(s, l) * LANES, VERTEX_GRAIN));
}

/* Makes the numbers of the last level, of which the largest is too large, smaller by a power of two, which is noted.
 * Only quotients of neighbouring levels count. */
static void scale_level(mg_betweenness *s, double most) {
    mg_betweenness_level *last = &s->levels[s->level_count - 1];
    double least = INFINITY;
    last->shift = ilogb(most) - ilogb(MG_BETWEENNESS_LARGE) + 64;
    for (uint64_t i = last->begin; i < last->end; i++) {
        double *ways = s->ways + (uint64_t)s->list[i] * LANES;
        for (unsigned k = 0; k < LANES; k++) {
            if (!(s->masks[i] >> k & 1)) continue;
            ways[k] = ldexp(ways[k], -last->shift);
            least = MG_MIN(least, ways[k]);
        }
        set_line(s, s->list[i], s->masks[i]);
    }
    s->too_large = least < MG_BETWEENNESS_SMALL;
}

static void close_items(void *what, mg_worker *worker) {
    level_job *job = what;
    const mg_betweenness *s = job->s;
    level_job mine = {0};
    for (mg_range chunk; mg_take(worker, &chunk);)
        for (uint64_t i = job->first + chunk.begin; i < job->first + chunk.end; i++) {
            uint32_t v = s->list[i];
            uint64_t degree = out_degree(s, v);
            set_line(s, v, s->masks[i]);
            mine.arcs += degree;
            for (unsigned k = 0; k < LANES; k++) mine.most = MG_MAX(mine.most, s->wave[(uint64_t)v * LANES + k]);
            if (s->visited[v] != s->all) continue;
            mine.finished++;
            mine.finished_arcs += degree;
        }
    mg_loop_lock(worker);
    job->arcs += mine.arcs;
    job->most = MG_MAX(job->most, mine.most);
    job->finished += mine.finished;
    job->finished_arcs += mine.finished_arcs;
    mg_loop_unlock(worker);
}

/* The last level is complete: counts its arcs and makes its wave. */
static void close_level(mg_betweenness *s) {
    mg_betweenness_level *last = &s->levels[s->level_count - 1];
    uint64_t size = last->end - last->begin;
    level_job job = {.s = s, .first = last->begin};
    run_whole(&job, close_items, size, threads_for(s, size * LANES, VERTEX_GRAIN));
    last->arcs = job.arcs;
    s->finished += job.finished;
    s->unvisited_arcs -= job.finished_arcs;
    if (job.most > MG_BETWEENNESS_LARGE) scale_level(s, job.most);
}

/* ---- forwards --------------------------------------------------------------------------------------------------- */

/* Sums the ways to v, and visits it in the needed lanes that have some; these are returned. */
static inline uint8_t visit(const mg_betweenness *s, uint32_t v, uint8_t need) {
    if (LANES == 1 && s->ways_scale) {
        int64_t scale;
        double sum = sum_row_wide(s, &s->in, v, &scale);
        if (!(sum > 0)) return 0;
        keep_wide(s, v, sum, scale);
        s->visited[v] = 1;
        return 1;
    }
    numbers sum = sum_row(s, &s->in, v, need);
    uint8_t fresh = lanes_above_zero(&sum) & need;
    double *ways = s->ways + (uint64_t)v * LANES;
    for (unsigned k = 0; k < LANES; k++)
        if (fresh >> k & 1) ways[k] = sum.lane[k];
    s->visited[v] |= fresh;
    return fresh;
}

static void push_items(void *what, mg_worker *worker) {
    const level_job *job = what;
    mg_betweenness *s = job->s;
    buffer b = {.search = s};
    for (mg_range chunk; mg_take(worker, &chunk);)
        for (uint64_t i = job->first + chunk.begin; i < job->first + chunk.end; i++) {
            uint32_t u = s->list[i];
            for (uint64_t arc = mg_row_begin(&s->out, u); arc < mg_row_end(&s->out, u); arc++) {
                uint32_t w = s->out.neighbors[arc];
                uint8_t lanes = (uint8_t)(s->masks[i] & ~s->visited[w]);
                if ((mg_load(&s->found[w]) & lanes) == lanes) continue;
                if (mg_fetch_or(&s->found[w], lanes) == 0) append(&b, w, 0);
            }
        }
    flush(&b);
}

/* Vertices that level l finds are listed; their lanes are in `found`. */
static void find_by_push(mg_betweenness *s, uint64_t l) {
    level_job job = {.s = s, .first = s->levels[l].begin};
    run_reporting(&job, push_items, level_size(s, l), CHUNK, threads_for(s, s->levels[l].arcs, ARC_GRAIN));
    s->edges += s->levels[l].arcs;
}

static void visit_items(void *what, mg_worker *worker) {
    level_job *job = what;
    const mg_betweenness *s = job->s;
    uint64_t edges = 0;
    for (mg_range chunk; mg_take(worker, &chunk);)
        for (uint64_t i = job->first + chunk.begin; i < job->first + chunk.end; i++) {
            uint32_t v = s->list[i];
            edges += in_degree(s, v);
            s->masks[i] = visit(s, v, s->found[v]);
            s->found[v] = 0;
        }
    mg_fetch_add(&job->edges, edges);
}

static void visit_found(mg_betweenness *s, uint64_t begin) {
    level_job job = {.s = s, .first = begin};
    uint64_t count = s->count - begin;
    run_reporting(&job, visit_items, count, CHUNK, threads_for(s, 8 * count, ARC_GRAIN));
    s->edges += job.edges;
}

static void visit_vertices(void *what, mg_worker *worker) {
    level_job *job = what;
    mg_betweenness *s = job->s;
    uint64_t edges = 0;
    buffer b = {.search = s};
    for (mg_range chunk; mg_take(worker, &chunk);)
        for (uint64_t v = chunk.begin; v < chunk.end; v++) {
            uint8_t need = job->found_only ? s->found[v] : (uint8_t)(s->all & ~s->visited[v]);
            if (!need) continue;
            edges += in_degree(s, (uint32_t)v);
            uint8_t fresh = visit(s, (uint32_t)v, need);
            s->found[v] = 0;
            if (fresh) append(&b, (uint32_t)v, fresh);
        }
    flush(&b);
    mg_fetch_add(&job->edges, edges);
}

/* All vertices in their order, so that rows are read as they lie: those that a push has found, or else every one that
 * some lane has not visited looks for itself. */
static void visit_in_order(mg_betweenness *s, bool found_only) {
    level_job job = {.s = s, .found_only = found_only};
    run_reporting(&job, visit_vertices, s->rows, VERTICES, threads_for(s, s->unvisited_arcs + s->rows / 16, ARC_GRAIN));
    s->edges += job.edges;
}

/* The next level, from level l. */
static void visit_next(mg_betweenness *s, uint64_t l) {
    uint64_t begin = s->count;
    if (2 * s->levels[l].arcs > s->unvisited_arcs) {
        visit_in_order(s, false);
        return;
    }
    find_by_push(s, l);
    if (!mg_policy_betweenness_in_order(s->count - begin, s->rows)) {
        visit_found(s, begin);
        return;
    }
    s->count = begin;
    visit_in_order(s, true);
}

static meguri_status forwards(mg_betweenness *s) {
    close_level(s);
    while (!s->too_large || s->ways_scale) {
        uint64_t l = s->level_count - 1, begin = s->count;
        if (mg_betweenness_stopped(s)) return mg_fail_cancelled(s->ctx);
        meguri_status status = mg_betweenness_grow(s);
        if (status != MEGURI_OK) return status;
        visit_next(s, l);
        if (mg_cancelled(s->ctx)) return mg_fail_cancelled(s->ctx);
        clear_wave(s, l);
        if (s->count == begin) return MEGURI_OK;
        status = mg_betweenness_add_level(s, begin);
        if (status != MEGURI_OK) return status;
        close_level(s);
    }
    clear_wave(s, s->level_count - 1);
    return MEGURI_OK;
}

/* ---- and back --------------------------------------------------------------------------------------------------- */

/* The dependency of v in these lanes; what is kept of it becomes (1 + dependency) / ways, in the scale of the level
 * before. */
static inline void depend(const mg_betweenness *s, uint32_t v, uint8_t mask, bool last, double factor) {
    if (LANES == 1 && s->ways_scale) {
        int64_t scale;
        double sum = last ? 0 : sum_row_wide(s, &s->out, v, &scale);
        double dependency = sum > 0 ? ldexp(s->ways[v] * sum, (int)(s->ways_scale[v] + scale)) : 0;
        s->score[v] += dependency;
        keep_wide(s, v, (1 + dependency) / s->ways[v], -s->ways_scale[v]);
        return;
    }
    numbers sum = {0};
    if (!last) sum = sum_row(s, &s->out, v, mask);
    double *ways = s->ways + (uint64_t)v * LANES, score = 0;
    for (unsigned k = 0; k < LANES; k++) {
        if (!(mask >> k & 1)) continue;
        double dependency = ways[k] * sum.lane[k];
        score += dependency;
        ways[k] = (1 + dependency) / ways[k] * factor;
    }
    s->score[v] += score;
}

static void depend_items(void *what, mg_worker *worker) {
    const level_job *job = what;
    const mg_betweenness *s = job->s;
    for (mg_range chunk; mg_take(worker, &chunk);)
        for (uint64_t i = job->first + chunk.begin; i < job->first + chunk.end; i++)
            depend(s, s->list[i], s->masks[i], job->last, job->factor);
}

static void depend_on_next(mg_betweenness *s, uint64_t l) {
    level_job job = {
        .s = s, .first = s->levels[l].begin, .last = l + 1 == s->level_count, .factor = ldexp(1, -s->levels[l].shift)};
    run_reporting(&job, depend_items, level_size(s, l), CHUNK, threads_for(s, s->levels[l].arcs, ARC_GRAIN));
    if (!job.last) s->edges += s->levels[l].arcs;
}

/* The sources themselves get nothing. */
static meguri_status backwards(mg_betweenness *s) {
    for (uint64_t l = s->level_count - 1; l > 0; l--) {
        if (mg_betweenness_stopped(s)) return mg_fail_cancelled(s->ctx);
        depend_on_next(s, l);
        if (mg_cancelled(s->ctx)) return mg_fail_cancelled(s->ctx);
        if (l + 1 < s->level_count) clear_wave(s, l + 1);
        set_wave(s, l);
    }
    if (s->level_count > 1) clear_wave(s, 1);
    return MEGURI_OK;
}

meguri_status SEARCH(mg_betweenness *s) {
    meguri_status status = forwards(s);
    return status != MEGURI_OK || (s->too_large && !s->ways_scale) ? status : backwards(s);
}
