/* The most frequent label among the neighbours of a vertex.
 *
 * A few labels are compared each with each, which vectors do in no time. More go into a small hash table, but first a
 * guess: the label of the first neighbour, which in degree order is the largest hub. If more than half of the
 * neighbours have it, that is the answer; labels soon agree, so it mostly is. The labels of a hub's neighbours are
 * counted by all threads together in an array with a place for every label. */
#include "algo/communities/communities.h"

#define FEW   24   /* labels compared each with each */
#define PAD   8    /* labels that a vector takes at a time */
#define CHUNK 8192 /* arcs of a hub taken at a time */

/* ---- scratch ---------------------------------------------------------------------------------------------------- */

static uint32_t table_bits(uint64_t degree) {
    uint32_t bits = 4;
    while ((uint64_t)1 << bits < 2 * degree) bits++;
    return bits;
}

static size_t labels_bytes(uint64_t degree) { return (degree + PAD + 15) / 16 * 64; } /* whole cache lines */

size_t mg_communities_workspace_bytes(uint64_t degree) {
    return ((size_t)1 << table_bits(degree)) * sizeof(mg_communities_entry) + 2 * labels_bytes(degree);
}

mg_communities_workspace mg_communities_workspace_at(void *memory, uint64_t degree) {
    char *at = memory;
    size_t table = ((size_t)1 << table_bits(degree)) * sizeof(mg_communities_entry), labels = labels_bytes(degree);
    memset(at, 0, table);
    return (mg_communities_workspace){
        .table = (void *)at, .labels = (void *)(at + table), .used = (void *)(at + table + labels)};
}

/* ---- the first iteration: labels are the neighbours themselves -------------------------------------------------- */

static uint32_t label_of_runs(const uint32_t *label, const uint32_t *row, uint64_t count) {
    uint64_t best = 0;
    uint32_t run = 0, last = MG_NO_VERTEX;
    for (uint64_t i = 0; i < count; i++) {
        run = row[i] == last ? run + 1 : 1;
        last = row[i];
        uint64_t key = mg_communities_key(run, label[last]);
        best = MG_MAX(best, key);
    }
    return mg_communities_label_of(best);
}

/* The same for two rows as if they were merged into one. */
static uint32_t label_of_merged_runs(const uint32_t *label, const uint32_t *a, uint64_t a_count, const uint32_t *b,
                                     uint64_t b_count) {
    const uint32_t *a_end = a + a_count, *b_end = b + b_count;
    uint64_t best = 0;
    while (a < a_end || b < b_end) {
        uint32_t next_a = a < a_end ? *a : MG_NO_VERTEX, next_b = b < b_end ? *b : MG_NO_VERTEX;
        uint32_t next = MG_MIN(next_a, next_b), run = 0;
        for (; a < a_end && *a == next; a++) run++;
        for (; b < b_end && *b == next; b++) run++;
        uint64_t key = mg_communities_key(run, label[next]);
        best = MG_MAX(best, key);
    }
    return mg_communities_label_of(best);
}

/* ---- all others ------------------------------------------------------------------------------------------------- */

typedef uint32_t vector __attribute__((vector_size(PAD * sizeof(uint32_t))));

/* How many labels are this one; up to the next whole vector there is nobody's label. */
static uint32_t count_equal(const uint32_t *labels, uint32_t count, uint32_t label) {
    vector same = {0}, wanted = label - (vector){0}, some;
    for (uint32_t i = 0; i < count; i += PAD) {
        memcpy(&some, labels + i, sizeof some);
        same -= (vector)(some == wanted); /* true is -1 */
    }
    uint32_t sum = 0;
    for (uint32_t k = 0; k < PAD; k++) sum += same[k];
    return sum;
}

static uint32_t label_of_few(const uint32_t *labels, uint32_t count) {
    uint64_t best = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t key = mg_communities_key(count_equal(labels, count, labels[i]), labels[i]);
        best = MG_MAX(best, key);
    }
    return mg_communities_label_of(best);
}

/* `guess` has been counted already. */
static uint32_t label_of_table(mg_communities_workspace *s, uint32_t count, uint32_t guess, uint32_t guessed) {
    mg_communities_entry *table = s->table;
    uint32_t bits = table_bits(count - guessed), mask = ((uint32_t)1 << bits) - 1, used = 0;
    uint64_t best = mg_communities_key(guessed, guess);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t label = s->labels[i];
        if (label == guess) continue;
        uint32_t place = (label * 0x9e3779b1u) >> (32 - bits);
        while (table[place].count && table[place].label != label) place = (place + 1) & mask;
        s->used[used] = place;
        used += table[place].count == 0;
        table[place].label = label;
        uint64_t key = mg_communities_key(++table[place].count, label);
        best = MG_MAX(best, key);
    }
    for (uint32_t i = 0; i < used; i++) table[s->used[i]].count = 0;
    return mg_communities_label_of(best);
}

static uint32_t label_of_many(mg_communities_workspace *s, uint32_t count) {
    for (uint32_t i = count; i % PAD; i++) s->labels[i] = MG_NO_VERTEX; /* fills the last vector */
    if (count <= PAD) return label_of_few(s->labels, count);
    uint32_t guess = s->labels[0], guessed = count_equal(s->labels, count, guess);
    if (2 * guessed > count) return guess;
    if (count <= FEW) return label_of_few(s->labels, count);
    return label_of_table(s, count, guess, guessed);
}

/* ---- blocks of vertices ----------------------------------------------------------------------------------------- */

static void gather(uint32_t *to, const uint32_t *label, const uint32_t *row, uint64_t count) {
    for (uint64_t i = 0; i < count; i++) to[i] = label[row[i]];
}

/* Of a vertex with at least one neighbour. */
static uint32_t new_label(const mg_communities *c, mg_communities_workspace *scratch, uint32_t v) {
    uint64_t begin = mg_row_begin(&c->out, v), in_begin = mg_row_begin(&c->in, v);
    uint64_t count = mg_row_end(&c->out, v) - begin, in_count = mg_row_end(&c->in, v) - in_begin;
    const uint32_t *row = c->out.neighbors + begin, *in_row = in_count ? c->in.neighbors + in_begin : NULL;
    if (c->first && !in_count) return label_of_runs(c->label, row, count);
    if (c->first) return label_of_merged_runs(c->label, row, count, in_row, in_count);
    if (!in_count && count == 1) return c->label[row[0]];
    gather(scratch->labels, c->label, row, count);
    if (in_count) gather(scratch->labels + count, c->label, in_row, in_count);
    return label_of_many(scratch, (uint32_t)(count + in_count));
}

void mg_communities_block(const mg_communities *c, mg_communities_workspace *scratch, uint32_t begin, uint32_t end,
                          mg_communities_step *step) {
    for (uint32_t v = begin; v < end; v++) {
        uint64_t degree = mg_communities_degree(c, v);
        if (degree > MG_COMMUNITIES_HUB) continue;
        uint32_t label = c->label[v];
        if (degree && !mg_communities_asleep(c, v)) {
            label = new_label(c, scratch, v);
            step->looked++;
            step->edges += degree;
        }
        mg_communities_settle(c, step, v, label);
    }
}

/* ---- hubs ------------------------------------------------------------------------------------------------------- */

uint64_t mg_communities_chunks(const mg_communities *c, uint32_t v) {
    uint64_t out = mg_row_end(&c->out, v) - mg_row_begin(&c->out, v);
    uint64_t in = mg_row_end(&c->in, v) - mg_row_begin(&c->in, v);
    return (out + CHUNK - 1) / CHUNK + (in + CHUNK - 1) / CHUNK;
}

const uint32_t *mg_communities_chunk(const mg_communities *c, uint32_t v, uint64_t chunk, uint64_t *count) {
    const mg_rows *rows = &c->out;
    uint64_t begin = mg_row_begin(rows, v), end = mg_row_end(rows, v), out_chunks = (end - begin + CHUNK - 1) / CHUNK;
    if (chunk >= out_chunks) {
        chunk -= out_chunks;
        rows = &c->in;
        begin = mg_row_begin(rows, v);
        end = mg_row_end(rows, v);
    }
    begin += chunk * CHUNK;
    *count = MG_MIN(CHUNK, end - begin);
    return rows->neighbors + begin;
}

/* What the threads that go through the row of a hub share. */
typedef struct hub_job {
    const mg_communities *c;
    uint32_t v, guess;
    uint64_t guessed, best;
} hub_job;

static void run_over_row(meguri_ctx *ctx, hub_job *job, mg_work_fn *work) {
    const mg_communities *c = job->c;
    uint64_t chunks = mg_communities_chunks(c, job->v);
    mg_loop loop = {.ctx = ctx,
                    .threads = mg_threads(ctx, chunks, 1),
                    .items = chunks,
                    .chunk = 1,
                    .work = work,
                    .what = job,
                    .phase = "communities",
                    .done = c->done * c->blocks,
                    .total = c->iterations * c->blocks,
                    .steady = true};
    mg_loop_run(&loop);
}

/* How many neighbours have the label `guess`. */
static void count_guess(void *what, mg_worker *worker) {
    hub_job *job = what;
    uint64_t same = 0;
    for (mg_range chunk; mg_take(worker, &chunk);) {
        uint64_t count;
        const uint32_t *row = mg_communities_chunk(job->c, job->v, chunk.begin, &count);
        for (uint64_t i = 0; i < count; i++) same += job->c->label[row[i]] == job->guess;
    }
    mg_fetch_add(&job->guessed, same);
}

static void count_others(void *what, mg_worker *worker) {
    const hub_job *job = what;
    const mg_communities *c = job->c;
    for (mg_range chunk; mg_take(worker, &chunk);) {
        uint64_t count;
        const uint32_t *row = mg_communities_chunk(c, job->v, chunk.begin, &count);
        for (uint64_t i = 0; i < count; i++) {
            uint32_t label = c->label[row[i]];
            if (label != job->guess) mg_fetch_add(&c->counts[label], 1);
        }
    }
}

/* Whoever comes to a count first takes it away, so that all are 0 at the end. */
static void take_best(void *what, mg_worker *worker) {
    hub_job *job = what;
    const mg_communities *c = job->c;
    uint64_t best = 0;
    for (mg_range chunk; mg_take(worker, &chunk);) {
        uint64_t count;
        const uint32_t *row = mg_communities_chunk(c, job->v, chunk.begin, &count);
        for (uint64_t i = 0; i < count; i++) {
            uint32_t label = c->label[row[i]];
            if (!mg_load(&c->counts[label])) continue;
            uint64_t key = mg_communities_key(__atomic_exchange_n(&c->counts[label], 0, __ATOMIC_RELAXED), label);
            best = MG_MAX(best, key);
        }
    }
    mg_atomic_max_u64(&job->best, best);
}

void mg_communities_hub(meguri_ctx *ctx, const mg_communities *c, uint32_t v, mg_communities_step *step) {
    uint32_t label = c->label[v];
    if (!mg_communities_asleep(c, v)) {
        uint64_t degree = mg_communities_degree(c, v), count;
        hub_job job = {.c = c, .v = v, .guess = c->label[*mg_communities_chunk(c, v, 0, &count)]};
        run_over_row(ctx, &job, count_guess);
        label = job.guess;
        if (2 * job.guessed <= degree) {
            run_over_row(ctx, &job, count_others);
            job.best = mg_communities_key((uint32_t)job.guessed, job.guess);
            run_over_row(ctx, &job, take_best);
            label = mg_communities_label_of(job.best);
        }
        step->looked++;
        step->edges += degree;
    }
    mg_communities_settle(c, step, v, label);
}
