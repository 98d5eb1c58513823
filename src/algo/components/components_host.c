/* The forest on the threads of this machine: sample, compress, link (components.h says why that is enough). */
#include "algo/components/components.h"

enum {
    ROWS = 8192,     /* rows in a block: some 10 µs */
    WORDS = 32,      /* words of the bitmap in a block of rows that are linked */
    LONG_ROW = 8192, /* arcs from which on a row is shared between the threads */
    ARCS = 8192,     /* arcs in a block of such a row */
    AHEAD = 24       /* rows that are fetched ahead */
};

/* ---- sweeps ----------------------------------------------------------------------------------------------------- */

typedef struct sweep_job {
    mg_components *c;
    mg_components_look *look;
    uint64_t sum;
} sweep_job;

static void look_at_blocks(void *what, mg_worker *worker) {
    sweep_job *job = what;
    uint64_t sum = 0;
    for (mg_range block; mg_take(worker, &block);) sum += job->look(job->c, block.begin, block.end);
    mg_fetch_add(&job->sum, sum);
}

uint64_t mg_components_sweep(mg_components *c, mg_components_look *look, uint64_t items, uint64_t block) {
    sweep_job job = {c, look, 0};
    mg_loop loop = {.ctx = c->ctx,
                    .threads = mg_threads(c->ctx, items, block),
                    .items = items,
                    .chunk = block,
                    .work = look_at_blocks,
                    .what = &job,
                    .phase = c->phase,
                    .total = items};
    mg_loop_run(&loop);
    return job.sum;
}

/* ---- sample and compress ---------------------------------------------------------------------------------------- */

/* Nobody else writes here, so nothing needs to be atomic, and nothing needs to be there before. */
static uint64_t sample_first(mg_components *c, uint64_t begin, uint64_t end) {
    const mg_rows *out = &c->out;
    uint64_t edges = 0, at = mg_row_offset(out, begin);
    for (uint64_t v = begin; v < end; v++) {
        __builtin_prefetch(&out->neighbors[mg_row_offset(out, MG_MIN(v + AHEAD, out->rows))]);
        uint64_t next = mg_row_offset(out, v + 1);
        uint32_t first = at < next ? out->neighbors[at] : (uint32_t)v;
        edges += at < next;
        c->parent[v] = MG_MIN(first, (uint32_t)v);
        at = next;
    }
    return edges;
}

static uint64_t sample_further(mg_components *c, uint64_t begin, uint64_t end) {
    const mg_rows *out = &c->out;
    uint64_t edges = 0;
    for (uint64_t v = begin; v < end; v++) {
        uint64_t arc = mg_row_offset(out, v) + c->neighbor;
        __builtin_prefetch(&out->neighbors[mg_row_offset(out, MG_MIN(v + AHEAD, out->rows))]);
        if (arc >= mg_row_offset(out, v + 1)) continue;
        mg_components_unite(c->parent, (uint32_t)v, out->neighbors[arc]);
        edges++;
    }
    return edges;
}

/* Blocks come in increasing order and parents come first: nearly everyone finds its parent compressed. */
static uint64_t compress_rows(mg_components *c, uint64_t begin, uint64_t end) {
    for (uint64_t v = begin; v < end; v++) {
        uint32_t above = mg_load(&c->parent[v]), root = mg_load(&c->parent[above]);
        if (root == above) continue;
        mg_store(&c->parent[v], mg_components_root(c->parent, root));
    }
    return 0;
}

/* ---- the giant -------------------------------------------------------------------------------------------------- */

/* The most frequent root of evenly spaced vertices, the smallest if there are several. */
uint32_t mg_components_giant(const uint32_t *parent, uint64_t count) {
    uint32_t roots[MG_COMPONENTS_SAMPLES], best = 0, best_count = 0, same = 0;
    for (uint64_t i = 0; i < MG_COMPONENTS_SAMPLES; i++) roots[i] = parent[i * count / MG_COMPONENTS_SAMPLES];
    mg_sort_small_u32(roots, (uint32_t[MG_COMPONENTS_SAMPLES]){0}, NULL, NULL, 0, MG_COMPONENTS_SAMPLES, 32);
    for (uint32_t i = 0; i < MG_COMPONENTS_SAMPLES; i++) {
        same = i && roots[i] == roots[i - 1] ? same + 1 : 1;
        if (same <= best_count) continue;
        best = roots[i];
        best_count = same;
    }
    return best;
}

/* Marks the members among the rows of some words; how many. */
static uint64_t mark_giant(mg_components *c, uint64_t begin, uint64_t end) {
    uint64_t members = 0;
    for (uint64_t w = begin; w < end; w++) {
        uint64_t bits = 0, count = MG_MIN(64, c->rows - 64 * w);
        for (uint64_t i = 0; i < count; i++) bits |= (uint64_t)(c->parent[64 * w + i] == c->root) << i;
        c->giant.words[w] = bits;
        members += (uint64_t)__builtin_popcountll(bits);
    }
    return members;
}

static meguri_status sample(uint64_t *edges, mg_components *c) {
    *edges = mg_components_sweep(c, c->neighbor ? sample_further : sample_first, c->rows, ROWS);
    return MEGURI_OK;
}

static meguri_status compress(mg_components *c) {
    mg_components_sweep(c, compress_rows, c->rows, ROWS);
    if (mg_cancelled(c->ctx)) return MEGURI_OK;
    c->root = mg_components_giant(c->parent, c->rows);
    c->members = mg_components_sweep(c, mark_giant, mg_bitmap_words(c->rows), ROWS / 64);
    return MEGURI_OK;
}

/* ---- link ------------------------------------------------------------------------------------------------------- */

/* The arcs [begin, end) of row v. A member's arcs to members are left out. Who is reached from a member is marked, so
 * that others need not join it again; its own row counts as a member's then, and is right as such. */
static void link_arcs(mg_components *c, uint32_t v, uint64_t begin, uint64_t end) {
    const uint32_t *to = c->out.neighbors;
    if (!mg_bitmap_get(&c->giant, v)) {
        for (uint64_t arc = begin; arc < end; arc++) mg_components_unite(c->parent, v, to[arc]);
        return;
    }
    for (uint64_t arc = begin; arc < end; arc++)
        if (!mg_bitmap_get(&c->giant, to[arc]) && mg_bitmap_claim(&c->giant, to[arc]))
            mg_components_unite(c->parent, v, to[arc]);
}

/* The rows of some words: those outside the giant; in directed graphs all. Long ones are left for later. */
static uint64_t link_words(mg_components *c, mg_queue_buffer *later, uint64_t begin, uint64_t end) {
    uint64_t edges = 0;
    for (uint64_t w = begin; w < end; w++) {
        uint64_t left = c->rows - 64 * w, all = left < 64 ? ((uint64_t)1 << left) - 1 : UINT64_MAX;
        uint64_t bits = c->graph->directed ? all : mg_components_outside(c, w);
        for (; bits; bits &= bits - 1) {
            uint32_t v = (uint32_t)(64 * w + (uint64_t)__builtin_ctzll(bits));
            uint64_t from = mg_row_offset(&c->out, v), to = mg_row_offset(&c->out, v + (uint64_t)1);
            if (to - from >= LONG_ROW) mg_queue_push(later, v);
            else link_arcs(c, v, from, to);
            edges += to - from;
        }
    }
    return edges;
}

typedef struct link_job {
    mg_components *c;
    mg_queue *later;
    uint64_t edges;
    uint32_t v;    /* a long row, */
    uint64_t from; /* its first arc */
} link_job;

static void link_blocks(void *what, mg_worker *worker) {
    link_job *job = what;
    uint64_t edges = 0;
    mg_queue_buffer buffer = {.queue = job->later};
    for (mg_range words; mg_take(worker, &words);) edges += link_words(job->c, &buffer, words.begin, words.end);
    mg_queue_flush(&buffer);
    mg_fetch_add(&job->edges, edges);
}

static uint64_t link_short(mg_components *c, mg_queue *later) {
    link_job job = {.c = c, .later = later};
    uint64_t words = mg_bitmap_words(c->rows);
    mg_loop loop = {.ctx = c->ctx,
                    .threads = mg_threads(c->ctx, words, 4 * WORDS),
                    .items = words,
                    .chunk = WORDS,
                    .work = link_blocks,
                    .what = &job,
                    .phase = c->phase,
                    .total = words};
    mg_loop_run(&loop);
    return job.edges;
}

static void link_pieces(void *what, mg_worker *worker) {
    const link_job *job = what;
    for (mg_range arcs; mg_take(worker, &arcs);)
        link_arcs(job->c, job->v, job->from + arcs.begin, job->from + arcs.end);
}

static void link_long(mg_components *c, uint32_t v) {
    link_job job = {.c = c, .v = v, .from = mg_row_begin(&c->out, v)};
    uint64_t arcs = mg_row_end(&c->out, v) - job.from;
    mg_loop loop = {.ctx = c->ctx,
                    .threads = mg_threads(c->ctx, arcs, ARCS),
                    .items = arcs,
                    .chunk = ARCS,
                    .work = link_pieces,
                    .what = &job,
                    .phase = c->phase,
                    .total = arcs};
    mg_loop_run(&loop);
}

static meguri_status link_all(uint64_t *edges, mg_components *c) {
    mg_queue later;
    meguri_status status = mg_queue_new(&later, c->ctx, c->out.arcs / LONG_ROW + 1, "the long rows of a graph");
    if (status != MEGURI_OK) return status;
    *edges = link_short(c, &later);
    for (uint64_t i = 0; i < later.count; i++) link_long(c, later.items[i]);
    mg_queue_free(&later);
    return MEGURI_OK;
}

/* ---- the end of the forest -------------------------------------------------------------------------------------- */

/* Who is outside the giant gets its root, or is found to be in the giant by now; how many roots there are. A word is
 * this thread's alone. */
static uint64_t settle_words(mg_components *c, uint64_t begin, uint64_t end) {
    uint64_t roots = 0;
    for (uint64_t w = begin; w < end; w++) {
        uint64_t joined = 0;
        for (uint64_t bits = mg_components_outside(c, w); bits; bits &= bits - 1) {
            uint32_t v = (uint32_t)(64 * w + (uint64_t)__builtin_ctzll(bits));
            uint32_t root = mg_components_root(c->parent, v);
            mg_store(&c->parent[v], root);
            if (root == c->root) joined |= bits & -bits;
            else roots += root == v;
        }
        if (joined) c->giant.words[w] |= joined;
    }
    return roots;
}

static meguri_status settle(mg_components *c) {
    c->root = mg_components_root(c->parent, c->root);
    c->components += 1 + mg_components_sweep(c, settle_words, mg_bitmap_words(c->rows), ROWS / 64);
    c->members = mg_bitmap_count(c->ctx, &c->giant);
    return MEGURI_OK;
}

static uint64_t count_roots(mg_components *c, uint64_t begin, uint64_t end) {
    uint64_t roots = 0;
    for (uint64_t v = begin; v < end; v++) roots += c->parent[v] == v;
    return roots;
}

void mg_components_take(mg_components *c) {
    c->root = c->parent[c->root];
    c->components += mg_components_sweep(c, count_roots, c->rows, ROWS);
    c->members = mg_components_sweep(c, mark_giant, mg_bitmap_words(c->rows), ROWS / 64);
}

static meguri_status open(mg_components *c) {
    (void)c;
    return MEGURI_OK;
}

static void close(mg_components *c) { (void)c; }

const mg_components_engine mg_components_on_host = {.engine = MEGURI_ENGINE_HOST,
                                                    .bytes = sizeof(mg_components),
                                                    .open = open,
                                                    .sample = sample,
                                                    .compress = compress,
                                                    .link = link_all,
                                                    .settle = settle,
                                                    .close = close};
