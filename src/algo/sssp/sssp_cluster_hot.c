/* What a process does with its arcs in a round of shortest paths: pushes, light ones, pulls; on all its threads.
 *
 * As on one machine (sssp_hot.h), memory is asked for before it is needed, and what cannot be predicted is decided
 * without a branch. */
#include "algo/sssp/sssp_cluster.h"

#define ROUNDED_UP 1.000001 /* what a float can lose, and more */
#define ITEMS      64       /* sources that a thread takes at a time */
#define LONG_ROW   8192     /* a row that threads share … */
#define PIECE      4096     /* … in pieces of so many arcs */
#define LONG_ROWS  256      /* rows that are put off so */
#define ROWS       1024     /* rows that a thread takes at a time in a pull */
#define GRAIN      4096     /* arcs that are worth a thread */
#define PULL_AHEAD 64       /* arcs whose sources a pull asks for before it comes to them */

/* A tile that is worked on. */
typedef struct job {
    mg_sssp_parts *search;
    mg_sssp_side *sources, *targets;
    const mg_rows *rows;
    mg_globals position; /* of sources */
    bool alone;          /* one thread */
    struct long_rows *later;
    uint64_t settled; /* bins whose vertices push again */
    uint64_t arcs;    /* that a pull looked at */
} job;

/* What a pull found. */
typedef struct nearest {
    uint64_t word;
    uint32_t place;
} nearest;

/* ---- what is found ---------------------------------------------------------------------------------------------- */

static inline uint64_t word_of(const mg_sssp_wide *label) { return mg_load(&label->distance.number); }

static inline void write(mg_sssp_wide *label, uint64_t word, uint64_t parent) {
    mg_store(&label->distance.number, word);
    mg_sssp_set_parent(label, parent);
}

/* Lowers a label, whoever else is at it; true if this call did. */
static inline bool lower(mg_sssp_wide *label, uint64_t word, uint64_t parent, bool alone) {
    if (!(word < word_of(label))) return false;
    if (alone) {
        write(label, word, parent);
        return true;
    }
    mg_sssp_take_lock(&label->lock);
    bool nearer = word < word_of(label);
    if (nearer) write(label, word, parent);
    mg_sssp_drop_lock(&label->lock);
    return nearer;
}

/* One of others' vertices has come nearer: its owner will be told, once in a round. */
static inline void note(const job *j, uint32_t place) {
    if (!mg_bitmap_claim(&j->targets->noted, place)) return;
    uint64_t at = mg_fetch_add(&j->targets->found.count, 1);
    j->targets->found.items[at] = place;
}

/* Finds out where the collected arcs lead, and picks out those that lead to a shorter distance. */
static void follow(const job *j, mg_sssp_worker *w) {
    mg_sssp_parts *s = j->search;
    mg_sssp_wide *labels = j->targets->labels;
    const uint32_t *neighbors = j->rows->neighbors;
    mg_sssp_arc *buffer = w->buffer;
    uint32_t count = w->arc_count, picked = 0, own = j->targets->own;
    uint64_t stride = j->targets->window->stride;
    for (uint32_t i = 0; i < count; i++) {
        buffer[i].to = neighbors[w->places[i]];
        __builtin_prefetch(&labels[buffer[i].to], 1);
    }
    for (uint32_t i = 0; i < count; i++) {
        mg_sssp_arc arc = buffer[i];
        buffer[picked] = arc;
        picked += arc.distance.number < word_of(&labels[arc.to]);
    }
    for (uint32_t i = 0; i < picked; i++) {
        mg_sssp_arc arc = buffer[i];
        uint64_t parent = j->position.wide ? mg_global_at(j->position, arc.from) : arc.from;
        if (!lower(&labels[arc.to], arc.distance.number, parent, j->alone)) continue;
        if ((uint32_t)(arc.to - own) >= stride) note(j, arc.to);
        else if (arc.to - own < s->first_leaf) /* who leads nowhere need not wait for anything */
            mg_sssp_put(&s->state, w, arc.to - own, mg_sssp_bin_of_word(s, arc.distance.number));
    }
    w->arc_count = 0;
}

/* ---- loops ------------------------------------------------------------------------------------------------------ */

#define WEIGHT  uint8_t
#define UNIT    1
#define REAL    0
#define NAME(x) x##_unit
#include "algo/sssp/sssp_cluster_hot.h"

#define WEIGHT  uint32_t
#define UNIT    0
#define REAL    0
#define NAME(x) x##_u32
#include "algo/sssp/sssp_cluster_hot.h"

#define WEIGHT  float
#define UNIT    0
#define REAL    1
#define NAME(x) x##_f32
#include "algo/sssp/sssp_cluster_hot.h"

#define WEIGHT  double
#define UNIT    0
#define REAL    1
#define NAME(x) x##_f64
#include "algo/sssp/sssp_cluster_hot.h"

static void push(const job *j, mg_sssp_worker *w, uint64_t word, uint32_t place, uint64_t begin, uint64_t end) {
    /* Arcs note where they come from as a position where 32 bits hold it, else as a place. */
    uint32_t parent = j->position.wide ? place : (uint32_t)mg_global_at(j->position, place);
    switch (j->search->shards->weight_type) {
    case MEGURI_TYPE_U32: push_u32(j, w, word, parent, begin, end); break;
    case MEGURI_TYPE_F32: push_f32(j, w, word, parent, begin, end); break;
    case MEGURI_TYPE_F64: push_f64(j, w, word, parent, begin, end); break;
    default: push_unit(j, w, word, parent, begin, end); break;
    }
}

static nearest pull(const job *j, uint64_t best, uint64_t begin, uint64_t end) {
    switch (j->search->shards->weight_type) {
    case MEGURI_TYPE_U32: return pull_u32(j, best, begin, end);
    case MEGURI_TYPE_F32: return pull_f32(j, best, begin, end);
    case MEGURI_TYPE_F64: return pull_f64(j, best, begin, end);
    default: return pull_unit(j, best, begin, end);
    }
}

static job job_of(mg_sssp_parts *s, int tile, bool in) {
    const mg_shards *g = s->shards;
    int source = g->layout.tile_source[tile], target = g->layout.tile_target[tile];
    return (job){.search = s,
                 .sources = &s->side[source],
                 .targets = &s->side[target],
                 .rows = in ? &g->tile[tile].in : &g->tile[tile].out,
                 .position = g->window_position[source]};
}

static bool stopped(mg_sssp_state *s) {
    if (mg_progress(s->ctx, "sssp", 0, 0)) mg_store(&s->stop, 1);
    return mg_load(&s->stop);
}

static void count_up(mg_sssp_parts *s) {
    for (int i = 0; i < s->state.worker_count; i++) {
        mg_sssp_worker *w = s->state.workers[i];
        s->arcs += w->arcs;
        w->arcs = 0;
    }
}

/* ---- pushing ---------------------------------------------------------------------------------------------------- */

/* Rows that are put off until all threads work on them. */
typedef struct long_rows {
    uint32_t place[LONG_ROWS];
    uint64_t word[LONG_ROWS];
    uint32_t count;
} long_rows;

static bool put_off(long_rows *rows, uint32_t place, uint64_t word) {
    uint32_t at = mg_fetch_add(&rows->count, 1);
    if (at >= LONG_ROWS) return false;
    rows->place[at] = place;
    rows->word[at] = word;
    return true;
}

static void push_row(const job *j, mg_sssp_worker *w, long_rows *later, uint32_t place, uint64_t word) {
    uint64_t begin = mg_row_offset(j->rows, place), end = mg_row_offset(j->rows, place + 1);
    if (!j->alone && end - begin >= LONG_ROW && put_off(later, place, word)) return;
    push(j, w, word, place, begin, end);
}

static void ask_for_rows(const job *j, const uint32_t *places, uint64_t count) {
    const mg_rows *rows = j->rows;
    for (uint64_t i = 0; i < count; i++) {
        if (rows->offsets32) __builtin_prefetch(&rows->offsets32[places[i]]);
        else __builtin_prefetch(&rows->offsets64[places[i]]);
        __builtin_prefetch(mg_globals_from(j->position, places[i]).items);
    }
    size_t bytes = meguri_type_bytes(j->search->shards->weight_type);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t arc = mg_row_offset(rows, places[i]);
        __builtin_prefetch(&rows->neighbors[arc]);
        if (rows->weights) __builtin_prefetch((const char *)rows->weights + arc * bytes);
    }
}

/* One long row, in pieces. */
typedef struct piece_job {
    const job *j;
    uint32_t place;
    uint64_t word, begin;
} piece_job;

static void push_pieces(void *what, mg_worker *worker) {
    const piece_job *p = what;
    mg_sssp_worker *w = p->j->search->state.workers[worker->number];
    for (mg_range piece; !stopped(&p->j->search->state) && mg_take(worker, &piece);)
        push(p->j, w, p->word, p->place, p->begin + piece.begin, p->begin + piece.end);
    follow(p->j, w);
}

static void run_loop(const job *j, int threads, uint64_t items, uint64_t chunk, mg_work_fn *work, void *what) {
    mg_loop loop = {
        .ctx = j->search->state.ctx, .threads = threads, .items = items, .chunk = chunk, .work = work, .what = what};
    mg_loop_run(&loop);
}

static void push_long_rows(const job *j, int threads) {
    uint32_t count = MG_MIN(j->later->count, (uint32_t)LONG_ROWS);
    for (uint32_t i = 0; i < count; i++) {
        piece_job p = {j, j->later->place[i], j->later->word[i], mg_row_offset(j->rows, j->later->place[i])};
        run_loop(j, threads, mg_row_offset(j->rows, p.place + 1) - p.begin, PIECE, push_pieces, &p);
    }
}

static uint64_t arcs_of(const job *j) {
    uint64_t arcs = 0;
    for (uint64_t i = 0; i < j->sources->front_count && arcs < (uint64_t)GRAIN * MG_MAX_THREADS; i++)
        arcs += mg_row_offset(j->rows, j->sources->front[i] + 1) - mg_row_offset(j->rows, j->sources->front[i]);
    return arcs;
}

static int threads_for(const mg_sssp_parts *s, uint64_t work) {
    return MG_MIN(mg_threads(s->state.ctx, work, GRAIN), s->state.worker_count);
}

static void push_items(void *what, mg_worker *worker) {
    const job *j = what;
    const mg_sssp_side *side = j->sources;
    mg_sssp_worker *w = j->search->state.workers[worker->number];
    for (mg_range items; !stopped(&j->search->state) && mg_take(worker, &items);) {
        ask_for_rows(j, side->front + items.begin, items.end - items.begin);
        for (uint64_t i = items.begin; i < items.end; i++) push_row(j, w, j->later, side->front[i], side->front_far[i]);
    }
    follow(j, w);
}

static void push_tile(job *j) {
    int threads = j->search->state.worker_count > 1 ? threads_for(j->search, arcs_of(j)) : 1;
    long_rows later;
    later.count = 0;
    j->later = &later;
    j->alone = threads == 1;
    run_loop(j, threads, j->sources->front_count, ITEMS, push_items, j);
    push_long_rows(j, threads);
}

void mg_sssp_cluster_push(mg_sssp_parts *s) {
    for (int t = 0; t < s->shards->layout.tiles; t++) {
        job j = job_of(s, t, false);
        if (j.sources->front_count) push_tile(&j);
    }
    count_up(s);
}

static void push_settled(void *what, mg_worker *worker) {
    const job *j = what;
    mg_sssp_parts *s = j->search;
    mg_sssp_worker *w = s->state.workers[worker->number];
    uint64_t far = mg_sssp_far(s->real);
    for (mg_range rows; !stopped(&s->state) && mg_take(worker, &rows);)
        for (uint64_t u = rows.begin; u < rows.end; u++) {
            uint64_t word = j->sources->sent[u];
            if (word < far && mg_sssp_bin_of_word(s, word) < j->settled) push_row(j, w, j->later, (uint32_t)u, word);
        }
    follow(j, w);
}

void mg_sssp_cluster_push_again(mg_sssp_parts *s, uint64_t settled) {
    for (int t = 0; t < s->shards->layout.tiles; t++) {
        job j = job_of(s, t, false);
        long_rows later;
        later.count = 0;
        int threads = threads_for(s, j.rows->arcs);
        j.later = &later;
        j.settled = settled;
        j.alone = threads == 1;
        run_loop(&j, threads, j.rows->rows, ITEMS, push_settled, &j);
        push_long_rows(&j, threads);
    }
    count_up(s);
}

/* ---- pulling ---------------------------------------------------------------------------------------------------- */

/* The rows [begin, end); returns arcs. What is found of the own vertices comes into no bin: the next round is for all
 * of them. */
static uint64_t pull_rows(const job *j, uint64_t begin, uint64_t end) {
    const mg_rows *rows = j->rows;
    uint64_t arcs = 0, asked = mg_row_offset(rows, begin), last = mg_row_offset(rows, end);
    uint64_t stride = j->targets->window->stride;
    for (uint32_t v = (uint32_t)begin; v < end; v++) {
        if (!mg_bitmap_get(&j->targets->waiting, v)) continue;
        uint64_t from = mg_row_offset(rows, v), to = mg_row_offset(rows, v + 1);
        uint64_t ahead = MG_MIN(to + PULL_AHEAD, last);
        for (asked = MG_MAX(asked, from); asked < ahead; asked++)
            __builtin_prefetch(&j->sources->sent[rows->neighbors[asked]]);
        mg_sssp_wide *label = &j->targets->labels[v];
        uint64_t known = word_of(label);
        nearest found = pull(j, known, from, to);
        arcs += to - from;
        if (found.word >= known) continue;
        write(label, found.word, mg_global_at(j->position, found.place));
        if ((uint32_t)(v - j->targets->own) >= stride) note(j, v);
    }
    return arcs;
}

static void pull_some_rows(void *what, mg_worker *worker) {
    job *j = what;
    uint64_t arcs = 0;
    for (mg_range rows; !stopped(&j->search->state) && mg_take(worker, &rows);)
        arcs += pull_rows(j, rows.begin, rows.end);
    mg_fetch_add(&j->arcs, arcs);
}

void mg_sssp_cluster_pull(mg_sssp_parts *s) {
    for (int t = 0; t < s->shards->layout.tiles; t++) {
        job j = job_of(s, t, true);
        run_loop(&j, threads_for(s, j.rows->arcs), j.rows->rows, ROWS, pull_some_rows, &j);
        s->arcs += j.arcs;
    }
}
