/* Peeling on the threads of this machine: level by level, each with a line in the trace. */
#include "algo/cores/cores.h"

#include <inttypes.h>

#define VERTEX_GRAIN 8192  /* vertices that pay for another thread where little is done with each */
#define ARC_GRAIN    8192  /* … and arcs that are followed */
#define TURN         65536 /* arcs that a thread follows before it shares what it found with the others */
#define SPARE        8     /* supporters beyond the level, so that levels go by before more are looked for; and … */
#define SPARE_PART   4     /* … a part of the level */
#define STRIDE       8

/* ---- supporters -------------------------------------------------------------------------------------------------- */

/* What is left of the rows of a vertex, for two rows as if they were one: increasing. */
typedef struct tail {
    const uint32_t *at[2], *end[2];
} tail;

static inline tail tail_of(const mg_cores *c, uint32_t v, bool two_rows) {
    tail t = {{NULL, NULL}, {NULL, NULL}};
    for (int r = 0; r < 1 + two_rows; r++) {
        t.at[r] = c->rows[r].neighbors + mg_row_begin(&c->rows[r], v) + (c->places[r] ? c->places[r][v] : 0);
        t.end[r] = c->rows[r].neighbors + mg_row_end(&c->rows[r], v);
    }
    return t;
}

/* The next neighbour, or MG_NO_VERTEX; *row is where it stands. */
static inline uint32_t tail_next(const tail *t, bool two_rows, int *row) {
    uint32_t a = t->at[0] < t->end[0] ? *t->at[0] : MG_NO_VERTEX;
    *row = 0;
    if (!two_rows) return a;
    uint32_t b = t->at[1] < t->end[1] ? *t->at[1] : MG_NO_VERTEX;
    *row = b < a;
    return MG_MIN(a, b);
}

/* Neighbours of one row, STRIDE at a time, without looking at each whether it is the last that is needed. */
static inline uint32_t stride(const mg_cores *c, uint32_t v, uint32_t enough, uint32_t count, tail *t) {
    for (; t->end[0] - t->at[0] >= STRIDE && count + STRIDE <= enough; t->at[0] += STRIDE)
        for (int i = 0; i < STRIDE; i++) count += t->at[0][i] != v && mg_bitmap_get(&c->left, t->at[0][i]);
    return count;
}

/* Looks for more supporters of v until there are `enough`, or no more neighbours. Parallel edges are taken together, so
 * that a neighbour is a supporter with all of them or with none. */
static inline uint32_t find_supporters(mg_cores *c, uint32_t v, uint32_t enough, bool two_rows) {
    tail t = tail_of(c, v, two_rows);
    const uint32_t *begin[2] = {t.at[0], t.at[1]};
    uint32_t count = c->count[v], last = MG_NO_VERTEX, u;
    int row;
    if (!two_rows) {
        count = stride(c, v, enough, count, &t);
        if (t.at[0] > begin[0]) last = t.at[0][-1];
    }
    while ((u = tail_next(&t, two_rows, &row)) != MG_NO_VERTEX && (count < enough || u == last)) {
        count += u != v && mg_bitmap_get(&c->left, u);
        last = u;
        t.at[row]++;
    }
    for (int r = 0; r <= two_rows; r++) c->places[r][v] += (uint32_t)(t.at[r] - begin[r]);
    c->count[v] = count;
    c->reach[v] = u == MG_NO_VERTEX ? MG_CORES_ALL : last + 1;
    return count;
}

static uint32_t enough_at(uint32_t level) { return level + level / SPARE_PART + SPARE; }

/* Whether v survives the level, perhaps with more supporters than before; *count of them. */
static inline bool survives(mg_cores *c, uint32_t v, uint32_t *count) {
    *count = c->count[v];
    if (*count > c->level) return true;
    if (c->reach[v] == MG_CORES_ALL) return false;
    uint32_t enough = enough_at(c->level);
    *count = c->places[1] ? find_supporters(c, v, enough, true) : find_supporters(c, v, enough, false);
    return *count > c->level;
}

/* ---- who is removed --------------------------------------------------------------------------------------------- */

static mg_loop cores_loop(mg_cores *c, mg_work_fn *work, void *what, uint64_t items, uint64_t chunk, int threads) {
    return (mg_loop){.ctx = c->ctx,
                     .threads = threads,
                     .items = items,
                     .chunk = chunk,
                     .work = work,
                     .what = what,
                     .phase = "cores",
                     .done = c->removed,
                     .total = c->row_count,
                     .steady = true};
}

/* Everybody who is left, at the beginning of a level. */
static void sift_remaining(void *what, mg_worker *worker) {
    mg_cores *c = what;
    mg_queue_buffer kept = {.queue = &c->kept}, frontier = {.queue = &c->frontier};
    uint32_t least = UINT32_MAX, bound = 0, count;
    for (mg_range chunk; mg_take(worker, &chunk);)
        for (uint64_t i = chunk.begin; i < chunk.end; i++) {
            uint32_t v = c->remaining.items[i];
            if (!c->reach[v]) continue;
            bound = MG_MAX(bound, v + 1);
            if (survives(c, v, &count)) {
                mg_queue_push(&kept, v);
                least = MG_MIN(least, count);
            } else mg_queue_push(&frontier, v);
        }
    mg_queue_flush(&kept);
    mg_queue_flush(&frontier);
    mg_atomic_min_u32(&c->least, least);
    mg_atomic_max_u32(&c->bound, bound);
}

/* Those who lost supporters, after a round. */
static void sift_doubtful(void *what, mg_worker *worker) {
    mg_cores *c = what;
    mg_queue_buffer frontier = {.queue = &c->frontier};
    uint32_t least = UINT32_MAX, count;
    for (mg_range chunk; mg_take(worker, &chunk);)
        for (uint64_t i = chunk.begin; i < chunk.end; i++) {
            uint32_t v = c->doubtful.items[i];
            if (survives(c, v, &count)) least = MG_MIN(least, count);
            else mg_queue_push(&frontier, v);
        }
    mg_queue_flush(&frontier);
    mg_atomic_min_u32(&c->least, least);
}

/* ---- removing them ---------------------------------------------------------------------------------------------- */

typedef struct remover {
    mg_cores *c;
    mg_queue_buffer next, doubtful;
    uint32_t least;
    uint64_t removed, arcs;
} remover;

/* v loses a supporter. Counters pass the level once: only a search for supporters raises them. */
static inline void lose_supporter(remover *r, uint32_t v, bool alone) {
    mg_cores *c = r->c;
    uint32_t count;
    if (alone) count = --c->count[v];
    else count = mg_fetch_add(&c->count[v], UINT32_MAX) - 1;
    if (count > c->level) r->least = MG_MIN(r->least, count);
    else if (count == c->level) mg_queue_push(mg_load(&c->reach[v]) == MG_CORES_ALL ? &r->next : &r->doubtful, v);
}

static inline void remove_vertex(remover *r, uint32_t u, bool alone) {
    mg_cores *c = r->c;
    c->core[mg_to_user(&c->numbering, u)] = (int32_t)c->level;
    mg_store(&c->reach[u], 0);
    __atomic_fetch_and(&c->left.words[u / 64], ~((uint64_t)1 << (u % 64)), __ATOMIC_RELAXED);
    r->removed++;
    for (int side = 0; side < 2; side++) {
        const uint32_t *row = c->rows[side].neighbors;
        uint64_t begin = mg_row_begin(&c->rows[side], u), end = mg_row_end(&c->rows[side], u), i = begin;
        for (; i < end && row[i] < c->bound; i++)
            if (u < mg_load(&c->reach[row[i]])) lose_supporter(r, row[i], alone);
        r->arcs += i - begin;
    }
}

/* Removes one after another, and those who go because of them at once as long as the turn lasts. */
static inline void remove_chunks(mg_cores *c, mg_worker *worker, bool alone) {
    remover r = {.c = c, .next.queue = &c->next, .doubtful.queue = &c->doubtful, .least = UINT32_MAX};
    for (mg_range chunk; mg_take(worker, &chunk);) {
        for (uint64_t i = chunk.begin; i < chunk.end; i++) remove_vertex(&r, c->frontier.items[i], alone);
        while (r.next.count && r.arcs < TURN) remove_vertex(&r, r.next.items[--r.next.count], alone);
    }
    mg_queue_flush(&r.next);
    mg_queue_flush(&r.doubtful);
    mg_atomic_min_u32(&c->least, r.least);
    mg_fetch_add(&c->removed, r.removed);
    mg_fetch_add(&c->arcs, r.arcs);
}

static void remove_alone(void *what, mg_worker *worker) { remove_chunks(what, worker, true); }
static void remove_together(void *what, mg_worker *worker) { remove_chunks(what, worker, false); }

static meguri_status remove_frontier(mg_cores *c) {
    uint64_t each = (uint64_t)c->level + 4; /* arcs, at least */
    int threads = mg_threads(c->ctx, c->frontier.count * each, ARC_GRAIN);
    mg_loop loop = cores_loop(c, threads == 1 ? remove_alone : remove_together, c, c->frontier.count,
                              MG_MAX(1, MG_MIN(256, 4096 / each)), threads);
    return mg_loop_run(&loop);
}

/* ---- levels ----------------------------------------------------------------------------------------------------- */

static void swap(mg_queue *a, mg_queue *b) {
    mg_queue kept = *a;
    *a = *b;
    *b = kept;
    b->count = 0;
}

static void note_level(const mg_cores *c, uint64_t removed, uint64_t arcs, double since) {
    if (!mg_trace_on(c->ctx)) return;
    mg_step line = MG_STEP_NONE;
    line.run = "cores";
    line.step = c->level;
    line.frontier = (int64_t)(c->removed - removed);
    line.edges = (int64_t)(c->arcs - arcs);
    line.engine = "host";
    line.threads = (int64_t)meguri_ctx_threads(c->ctx);
    line.seconds = mg_now() - since;
    mg_trace(c->ctx, &line);
}

/* All who have the level as their core number. */
static meguri_status peel_level(mg_cores *c) {
    c->least = UINT32_MAX;
    c->bound = 0;
    mg_loop sift = cores_loop(c, sift_remaining, c, c->remaining.count, VERTEX_GRAIN / 4,
                              mg_threads(c->ctx, c->remaining.count, VERTEX_GRAIN));
    meguri_status status = mg_loop_run(&sift);
    swap(&c->remaining, &c->kept);
    while (c->frontier.count && status == MEGURI_OK) {
        status = remove_frontier(c);
        swap(&c->frontier, &c->next);
        if (c->frontier.count || !c->doubtful.count || status != MEGURI_OK) continue;
        sift = cores_loop(c, sift_doubtful, c, c->doubtful.count, VERTEX_GRAIN / 32,
                          mg_threads(c->ctx, c->doubtful.count, VERTEX_GRAIN / 8));
        status = mg_loop_run(&sift);
        c->doubtful.count = 0;
    }
    return status;
}

static meguri_status peel(mg_cores *c) {
    while (c->removed < c->row_count) {
        uint64_t removed = c->removed, arcs = c->arcs;
        double since = mg_now();
        meguri_status status = peel_level(c);
        if (status != MEGURI_OK) return status;
        note_level(c, removed, arcs, since);
        if (c->removed < c->row_count) c->level = MG_MAX(c->level + 1, c->least);
    }
    return MEGURI_OK;
}

/* ---- before the first ------------------------------------------------------------------------------------------- */

static void first_supporters(void *what, uint64_t begin, uint64_t end) {
    mg_cores *c = what;
    for (uint64_t i = begin; i < end; i++) {
        uint32_t v = (uint32_t)i;
        c->remaining.items[v] = v;
        c->count[v] = c->places[0][v] = 0;
        if (!c->places[1]) find_supporters(c, v, enough_at(0), false);
        else {
            c->places[1][v] = 0;
            find_supporters(c, v, enough_at(0), true);
        }
    }
}

static void all_left(void *what, uint64_t begin, uint64_t end) {
    mg_cores *c = what;
    for (uint64_t word = begin; word < end; word++)
        c->left.words[word] = 64 * (word + 1) <= c->row_count ? UINT64_MAX : ((uint64_t)1 << c->row_count % 64) - 1;
}

static void isolated(void *what, uint64_t begin, uint64_t end) {
    mg_cores *c = what;
    for (uint64_t v = begin; v < end; v++) c->core[mg_to_user(&c->numbering, (uint32_t)(v + c->row_count))] = 0;
}

static uint64_t too_long(const void *what, uint64_t begin, uint64_t end) {
    const mg_cores *c = what;
    uint64_t found = 0;
    for (uint64_t v = begin; v < end; v++)
        found += mg_row_end(&c->rows[0], v) - mg_row_begin(&c->rows[0], v) + mg_row_end(&c->rows[1], v) -
                     mg_row_begin(&c->rows[1], v) >
                 INT32_MAX;
    return found;
}

static meguri_status allocate(mg_cores *c) {
    mg_queue *lists[] = {&c->remaining, &c->kept, &c->frontier, &c->next, &c->doubtful};
    static const char what[] = "the core numbers";
    meguri_status status = mg_bitmap_new(&c->left, c->ctx, c->row_count, what);
    for (int i = 0; i < 5 && status == MEGURI_OK; i++) status = mg_queue_new(lists[i], c->ctx, c->row_count, what);
    if (status != MEGURI_OK) return status;
    c->count = mg_alloc_array(c->ctx, c->row_count, sizeof *c->count, what);
    c->reach = mg_alloc_array(c->ctx, c->row_count, sizeof *c->reach, what);
    c->places[0] = mg_alloc_array(c->ctx, c->row_count, sizeof *c->places[0], what);
    if (c->rows[1].rows) c->places[1] = mg_alloc_array(c->ctx, c->row_count, sizeof *c->places[1], what);
    return c->count && c->reach && c->places[0] && (c->places[1] || !c->rows[1].rows) ? MEGURI_OK : MEGURI_NO_MEMORY;
}

static meguri_status prepare(mg_cores *c, uint64_t vertices) {
    int threads = mg_threads(c->ctx, c->row_count, VERTEX_GRAIN);
    if (mg_sum_over(c->ctx, threads, c->row_count, too_long, c))
        return mg_fail(c->ctx, MEGURI_BAD_INPUT,
                       "a vertex has more than %d edges, and core numbers are no larger than that; build the graph "
                       "without parallel edges.",
                       INT32_MAX);
    meguri_status status = allocate(c);
    if (status != MEGURI_OK) return status;
    mg_for(c->ctx, threads, mg_bitmap_words(c->row_count), all_left, c);
    mg_for(c->ctx, threads, c->row_count, first_supporters, c);
    c->remaining.count = c->row_count;
    mg_for(c->ctx, mg_threads(c->ctx, vertices - c->row_count, VERTEX_GRAIN), vertices - c->row_count, isolated, c);
    return MEGURI_OK;
}

static void close_all(mg_cores *c) {
    mg_queue *lists[] = {&c->remaining, &c->kept, &c->frontier, &c->next, &c->doubtful};
    for (int i = 0; i < 5; i++) mg_queue_free(lists[i]);
    mg_bitmap_free(&c->left);
    mg_free(c->count);
    mg_free(c->reach);
    mg_free(c->places[0]);
    mg_free(c->places[1]);
}

/* ---- the answer ------------------------------------------------------------------------------------------------- */

typedef struct count_job {
    const int32_t *core;
    int32_t level;
} count_job;

static uint64_t count_level(const void *what, uint64_t begin, uint64_t end) {
    const count_job *job = what;
    uint64_t found = 0;
    for (uint64_t v = begin; v < end; v++) found += job->core[v] == job->level;
    return found;
}

meguri_status mg_cores_host(int32_t *core, meguri_ctx *ctx, const meguri_graph *graph, meguri_result *result) {
    mg_cores c = {.ctx = ctx, .core = core, .row_count = (uint32_t)graph->rows};
    meguri_status status = mg_graph_rows(&c.rows[0], ctx, graph);
    if (status == MEGURI_OK && graph->directed) status = mg_graph_in_rows(&c.rows[1], ctx, graph);
    if (status == MEGURI_OK) status = mg_graph_numbering(&c.numbering, ctx, graph);
    double begin = mg_now();
    if (status == MEGURI_OK) status = prepare(&c, graph->vertices);
    if (status == MEGURI_OK) status = peel(&c);
    count_job job = {core, (int32_t)c.level};
    if (status == MEGURI_OK) status = mg_result_set_number(ctx, result, "degeneracy", c.level);
    if (status == MEGURI_OK)
        status = mg_result_set_number(
            ctx, result, "innermost",
            mg_sum_over(ctx, mg_threads(ctx, graph->vertices, VERTEX_GRAIN), graph->vertices, count_level, &job));
    if (status == MEGURI_OK) status = mg_result_set_number(ctx, result, "edges", c.arcs);
    if (status == MEGURI_OK) status = mg_result_set_real(ctx, result, "seconds", mg_now() - begin);
    close_all(&c);
    return status;
}
