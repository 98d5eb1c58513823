/* Arcs into compressed rows, sorted, without duplicates where asked.
 *
 * A most-significant-digit radix sort whose first digit is the top bits of the row: (1) count the arcs of every
 * bucket; (2) scatter arcs to their buckets through small write buffers, a cache line at a time, as keys that hold
 * the row within the bucket and the column — 4 bytes for graphs of up to 2^23 vertices, so all arcs of a symmetric
 * graph take no more room than its edges did; (3) sort each bucket inside the cache, drop duplicates, keep the columns;
 * (4) close the gaps. All steps but the last run on all threads. Beyond the memory budget the buckets are done
 * in rounds, each with its own pass over the source, and the result goes to a file (policy/sort.c decides).
 *
 * Invariant: within a bucket the arcs stand in any order until step 3 and in order of (row, column, weight) after it,
 * so the result does not depend on the threads. */
#include "graph/carried.h"
#include "graph/internal.h"
#include "policy/policy.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum { LINE = 16 }; /* arcs in a write buffer: one cache line of 4-byte keys */

/* Columns are written over the keys they came from, which may be of another type. */
typedef uint32_t __attribute__((may_alias)) column_t;

typedef struct build {
    meguri_ctx *ctx;
    const mg_csr_request *request;
    mg_sort_plan plan;
    uint32_t payload_bytes; /* what arcs carry: a weight, the number of an edge, both, or nothing */
    uint32_t row_shift;     /* bucket = row >> row_shift */
    uint64_t buckets;
    uint64_t *bucket_arcs;             /* arcs of each bucket */
    uint64_t *bucket_start;            /* place of each bucket in the arrays of this round */
    uint64_t *bucket_fill;             /* arcs scattered so far, then arcs kept */
    uint64_t first_bucket, end_bucket; /* of this round */
    char *keys, *payload;              /* of this round */
    uint64_t *offsets;                 /* vertices+1: row lengths until they are summed */
    uint64_t loops, duplicates, edges;
    uint64_t no_sum; /* row << 32 | column of the first arcs whose weights no weight holds the sum of; MG_NO_ARC */
} build;

#define MG_NO_ARC UINT64_MAX

/* ---- step 1: count ---------------------------------------------------------------------------------------------- */

static inline bool keeps(const build *b, uint32_t row, uint32_t column) {
    return row != column || b->request->keep_loops;
}

static void count_batch(const build *b, const mg_arc_batch *batch, uint64_t *counts, uint64_t *loops) {
    bool symmetric = b->request->symmetric;
    for (uint64_t i = 0; i < batch->count; i++) {
        uint32_t row = batch->pairs[2 * i], column = batch->pairs[2 * i + 1];
        if (row == column) {
            (*loops)++;
            if (!b->request->keep_loops) continue;
        }
        counts[(uint64_t)row >> b->row_shift]++;
        if (symmetric && row != column) counts[(uint64_t)column >> b->row_shift]++;
    }
}

/* What a pass over the source does with every batch. */
typedef void batch_fn(build *b, const mg_arc_batch *batch, void *local);

typedef struct pass {
    build *b;
    batch_fn *visit;
    void **local; /* one for each thread */
    bool last;
} pass;

static meguri_status pass_over_piece(const pass *p, uint64_t piece, void *local, void *scratch) {
    const mg_arc_source *source = p->b->request->source;
    mg_arc_batch batch;
    for (uint64_t cursor = 0;;) {
        meguri_status status = source->next(source, p->b->ctx, piece, &cursor, &batch, scratch);
        if (status != MEGURI_OK) return status;
        if (batch.count == 0) break;
        p->visit(p->b, &batch, local);
    }
    if (p->last && source->done) source->done(source, piece);
    return MEGURI_OK;
}

static void pass_over_pieces(void *what, mg_worker *worker) {
    const pass *p = what;
    size_t scratch_bytes = p->b->request->source->scratch_bytes;
    void *scratch = scratch_bytes ? mg_alloc(p->b->ctx, scratch_bytes, "a batch of arcs") : NULL;
    if (scratch_bytes && !scratch) mg_loop_fail(worker, MEGURI_NO_MEMORY);
    for (mg_range piece; mg_take(worker, &piece);)
        mg_loop_fail(worker, pass_over_piece(p, piece.begin, p->local[worker->number], scratch));
    mg_free(scratch);
}

static meguri_status pass_over_source(build *b, const char *phase, batch_fn *visit, void **local, int threads,
                                      bool last) {
    pass p = {b, visit, local, last};
    uint64_t pieces = b->request->source->pieces;
    mg_loop loop = {.ctx = b->ctx,
                    .threads = threads,
                    .items = pieces,
                    .chunk = 1,
                    .work = pass_over_pieces,
                    .what = &p,
                    .phase = phase,
                    .total = pieces};
    return mg_loop_run(&loop);
}

typedef struct counter {
    uint64_t loops;
    uint64_t counts[];
} counter;

static void count_visit(build *b, const mg_arc_batch *batch, void *local) {
    counter *c = local;
    count_batch(b, batch, c->counts, &c->loops);
}

static meguri_status count_buckets(build *b, int threads, void **local) {
    double since = mg_now();
    for (int t = 0; t < threads; t++) {
        local[t] = mg_alloc_zero(b->ctx, sizeof(counter) + b->buckets * 8, "bucket counts");
        if (!local[t]) return MEGURI_NO_MEMORY;
    }
    meguri_status status = pass_over_source(b, "counting", count_visit, local, threads, false);
    if (status != MEGURI_OK) return status;
    uint64_t arcs = 0;
    for (int t = 0; t < threads; t++) {
        const counter *c = local[t];
        b->loops += c->loops;
        for (uint64_t k = 0; k < b->buckets; k++) b->bucket_arcs[k] += c->counts[k];
    }
    for (uint64_t k = 0; k < b->buckets; k++) arcs += b->bucket_arcs[k];
    mg_trace_phase(b->ctx, b->request->run, "count", (int64_t)arcs, -1, since);
    return MEGURI_OK;
}

/* ---- step 2: scatter -------------------------------------------------------------------------------------------- */

/* A thread's write buffers: for every bucket of the round LINE keys, and LINE payloads. */
typedef struct writer {
    char *keys, *payload; /* 64-byte aligned */
    uint8_t *fill;
} writer;

/* A full line goes past the caches: nothing reads it before the whole pass is over, and the memory it replaces need
 * not be read first. Both ends are aligned to lines (place_round). */
static inline void write_line(char *to, const char *from, size_t bytes) {
#ifdef __SSE2__
    for (size_t i = 0; i < bytes / 16; i++)
        _mm_stream_si128((__m128i *)to + i, _mm_load_si128((const __m128i *)from + i));
#else
    memcpy(to, from, bytes);
#endif
}

static void flush_rest(build *b, writer *w, uint64_t bucket, uint32_t count, uint32_t key_bytes,
                       uint32_t payload_bytes) {
    uint64_t slot = bucket - b->first_bucket;
    uint64_t at = b->bucket_start[bucket] + mg_fetch_add(&b->bucket_fill[bucket], count);
    memcpy(b->keys + at * key_bytes, w->keys + slot * LINE * key_bytes, (size_t)count * key_bytes);
    if (payload_bytes)
        memcpy(b->payload + at * payload_bytes, w->payload + slot * LINE * payload_bytes,
               (size_t)count * payload_bytes);
    w->fill[slot] = 0;
}

static inline void put(build *b, writer *w, uint32_t row, uint32_t column, const void *payload, uint64_t i,
                       uint32_t key_bytes, uint32_t payload_bytes) {
    uint64_t bucket = (uint64_t)row >> b->row_shift;
    uint64_t slot = bucket - b->first_bucket;
    if (slot >= b->end_bucket - b->first_bucket) return; /* another round's */
    uint64_t row_in_bucket = row & (((uint64_t)1 << b->row_shift) - 1);
    uint64_t key = row_in_bucket << b->plan.vertex_bits | column;
    uint32_t at = w->fill[slot]++;
    if (key_bytes == 4) ((uint32_t *)w->keys)[slot * LINE + at] = (uint32_t)key;
    else ((uint64_t *)w->keys)[slot * LINE + at] = key;
    if (payload_bytes == 4) ((uint32_t *)w->payload)[slot * LINE + at] = ((const uint32_t *)payload)[i];
    if (payload_bytes == 8) ((uint64_t *)w->payload)[slot * LINE + at] = ((const uint64_t *)payload)[i];
    if (payload_bytes == 16) ((mg_carried16 *)w->payload)[slot * LINE + at] = ((const mg_carried16 *)payload)[i];
    if (at + 1 < LINE) return;
    uint64_t to = b->bucket_start[bucket] + mg_fetch_add(&b->bucket_fill[bucket], LINE);
    write_line(b->keys + to * key_bytes, w->keys + slot * LINE * key_bytes, (size_t)LINE * key_bytes);
    if (payload_bytes)
        write_line(b->payload + to * payload_bytes, w->payload + slot * LINE * payload_bytes,
                   (size_t)LINE * payload_bytes);
    w->fill[slot] = 0;
}

/* The same loop compiled for each width of key and payload. */
static inline void scatter_batch(build *b, const mg_arc_batch *batch, writer *w, uint32_t key_bytes,
                                 uint32_t payload_bytes) {
    bool symmetric = b->request->symmetric;
    for (uint64_t i = 0; i < batch->count; i++) {
        uint32_t row = batch->pairs[2 * i], column = batch->pairs[2 * i + 1];
        if (!keeps(b, row, column)) continue;
        put(b, w, row, column, batch->payload, i, key_bytes, payload_bytes);
        if (symmetric && row != column) put(b, w, column, row, batch->payload, i, key_bytes, payload_bytes);
    }
}

#define SCATTER(k, p)                                                                                                  \
    static void scatter_##k##_##p(build *b, const mg_arc_batch *batch, void *w) { scatter_batch(b, batch, w, k, p); }
SCATTER(4, 0)
SCATTER(4, 4)
SCATTER(4, 8)
SCATTER(4, 16)
SCATTER(8, 0)
SCATTER(8, 4)
SCATTER(8, 8)
SCATTER(8, 16)

static batch_fn *scatter_for(const build *b) {
    static batch_fn *const table[2][4] = {{scatter_4_0, scatter_4_4, scatter_4_8, scatter_4_16},
                                          {scatter_8_0, scatter_8_4, scatter_8_8, scatter_8_16}};
    return table[b->plan.key_bytes == 8][b->payload_bytes == 16 ? 3 : b->payload_bytes / 4];
}

static meguri_status scatter(build *b, int threads, void **local, bool last_round) {
    double since = mg_now();
    uint64_t slots = b->end_bucket - b->first_bucket;
    uint32_t k = b->plan.key_bytes, p = b->payload_bytes;
    for (int t = 0; t < threads; t++) {
        writer *w = mg_alloc(b->ctx, 64 + slots * LINE * (k + p) + slots, "write buffers");
        mg_free(local[t]);
        local[t] = w;
        if (!w) return MEGURI_NO_MEMORY;
        w->keys = (char *)w + 64;
        w->payload = w->keys + slots * LINE * k;
        w->fill = (uint8_t *)w->payload + slots * LINE * p;
        memset(w->fill, 0, slots);
    }
    meguri_status status = pass_over_source(b, "scattering", scatter_for(b), local, threads, last_round);
    if (status != MEGURI_OK) return status;
    uint64_t arcs = 0;
    for (uint64_t bucket = b->first_bucket; bucket < b->end_bucket; bucket++) {
        for (int t = 0; t < threads; t++) {
            writer *w = local[t];
            flush_rest(b, w, bucket, w->fill[bucket - b->first_bucket], k, p);
        }
        arcs += b->bucket_arcs[bucket];
    }
    mg_trace_phase(b->ctx, b->request->run, "scatter", (int64_t)arcs, (int64_t)(arcs * (k + p)), since);
    return MEGURI_OK;
}

/* ---- step 3: sort inside the buckets ---------------------------------------------------------------------------- */

typedef struct tally {
    uint64_t edges, duplicates;
} tally;

static inline uint64_t key_at(const char *keys, uint64_t i, uint32_t key_bytes) {
    return key_bytes == 4 ? ((const uint32_t *)keys)[i] : ((const uint64_t *)keys)[i];
}

/* Keeps the columns of a sorted bucket at its front, counts row lengths, merges duplicates. Returns how many stay. */
static inline uint64_t keep_columns(build *b, uint64_t bucket, tally *t, uint32_t key_bytes, uint32_t payload_bytes) {
    const char *keys = b->keys + b->bucket_start[bucket] * key_bytes;
    char *payload = payload_bytes ? b->payload + b->bucket_start[bucket] * payload_bytes : NULL;
    column_t *columns = (column_t *)(b->keys + b->bucket_start[bucket] * key_bytes);
    uint64_t count = b->bucket_arcs[bucket], kept = 0;
    uint64_t column_mask = ((uint64_t)1 << b->plan.vertex_bits) - 1;
    uint64_t first_row = bucket << b->row_shift;
    bool symmetric = b->request->symmetric, keep_all = b->request->duplicates == MEGURI_DUPLICATES_KEEP;
    bool smallest = b->request->duplicates == MEGURI_DUPLICATES_MIN;
    const mg_merge merge = {b->request->duplicates, b->request->weight_type, b->request->number_bytes};
    for (uint64_t i = 0; i < count;) {
        uint64_t key = key_at(keys, i, key_bytes), end = i + 1;
        uint64_t row = first_row + (key >> b->plan.vertex_bits), column = key & column_mask;
        while (end < count && key_at(keys, end, key_bytes) == key) end++;
        if (payload_bytes && end - i > 1) {
            if (keep_all) mg_carried_sort(payload, i, end, payload_bytes);
            else if (smallest) mg_carried_smallest_first(payload, i, end, payload_bytes);
            else if (!mg_merge_carried(&merge, payload, i, end)) mg_atomic_min_u64(&b->no_sum, row << 32 | column);
        }
        uint64_t copies = keep_all ? end - i : 1;
        bool counted = !symmetric || row <= column;
        t->edges += counted ? copies : 0;
        t->duplicates += counted ? end - i - copies : 0;
        b->offsets[row] += copies;
        for (uint64_t c = 0; c < copies; c++, kept++) {
            columns[kept] = (column_t)column;
            if (payload_bytes)
                mg_put_carried(payload, kept, mg_carried_at(payload, i + c, payload_bytes), payload_bytes);
        }
        i = end;
    }
    return kept;
}

/* The commonest case — short keys, nothing to carry, duplicates merged — without a branch that can be guessed wrong:
 * the column is always written, and the place moves on only if the key is new. */
static uint64_t keep_columns_plain(build *b, uint64_t bucket, tally *t) {
    uint32_t *keys = (uint32_t *)b->keys + b->bucket_start[bucket];
    uint64_t count = b->bucket_arcs[bucket], kept = 0, edges = 0, duplicates = 0;
    uint32_t bits = b->plan.vertex_bits, mask = (uint32_t)(((uint64_t)1 << bits) - 1);
    uint64_t first_row = bucket << b->row_shift;
    bool symmetric = b->request->symmetric;
    uint32_t last = count ? ~keys[0] : 0;
    for (uint64_t i = 0; i < count; i++) {
        uint32_t key = keys[i], column = key & mask;
        uint64_t row = first_row + (uint64_t)((uint64_t)key >> bits), fresh = key != last;
        uint64_t counted = !symmetric | (row <= column);
        last = key;
        keys[kept] = column;
        kept += fresh;
        b->offsets[row] += fresh;
        edges += fresh & counted;
        duplicates += (fresh ^ 1) & counted;
    }
    t->edges += edges;
    t->duplicates += duplicates;
    return kept;
}

static uint64_t keep_bucket(build *b, uint64_t bucket, tally *t) {
    uint32_t k = b->plan.key_bytes, p = b->payload_bytes;
    if (k == 4 && p == 0 && b->request->duplicates != MEGURI_DUPLICATES_KEEP) return keep_columns_plain(b, bucket, t);
    if (k == 4)
        return p == 0   ? keep_columns(b, bucket, t, 4, 0)
               : p == 4 ? keep_columns(b, bucket, t, 4, 4)
               : p == 8 ? keep_columns(b, bucket, t, 4, 8)
                        : keep_columns(b, bucket, t, 4, 16);
    return p == 0   ? keep_columns(b, bucket, t, 8, 0)
           : p == 4 ? keep_columns(b, bucket, t, 8, 4)
           : p == 8 ? keep_columns(b, bucket, t, 8, 8)
                    : keep_columns(b, bucket, t, 8, 16);
}

static void sort_bucket(build *b, uint64_t bucket, char *scratch) {
    uint64_t start = b->bucket_start[bucket], count = b->bucket_arcs[bucket];
    uint32_t p = b->payload_bytes, bits = b->row_shift + b->plan.vertex_bits;
    void *payload = p ? b->payload + start * p : NULL;
    char *payload_scratch = p ? scratch + count * b->plan.key_bytes : NULL;
    if (b->plan.key_bytes == 4)
        mg_sort_small_u32((uint32_t *)b->keys + start, (uint32_t *)scratch, payload, payload_scratch, p, count, bits);
    else mg_sort_small_u64((uint64_t *)b->keys + start, (uint64_t *)scratch, payload, payload_scratch, p, count, bits);
}

/* A bucket that a hub makes far larger than the others is sorted by all threads together. */
static meguri_status sort_large_bucket(build *b, uint64_t bucket) {
    uint64_t start = b->bucket_start[bucket], count = b->bucket_arcs[bucket];
    uint32_t p = b->payload_bytes, bits = b->row_shift + b->plan.vertex_bits;
    void *payload = p ? b->payload + start * p : NULL;
    if (b->plan.key_bytes == 4) return mg_sort_u32(b->ctx, (uint32_t *)b->keys + start, payload, p, count, bits);
    return mg_sort_u64(b->ctx, (uint64_t *)b->keys + start, payload, p, count, bits);
}

static const uint64_t LARGE_BUCKET = (uint64_t)1 << 21;

typedef struct bucket_job {
    build *b;
    uint64_t most; /* arcs of a bucket that a thread sorts alone */
} bucket_job;

static void sort_some_buckets(void *what, mg_worker *worker) {
    const bucket_job *job = what;
    build *b = job->b;
    tally mine = {0};
    char *scratch = mg_alloc(b->ctx, job->most * (b->plan.key_bytes + b->payload_bytes), "sorting a bucket");
    if (!scratch) mg_loop_fail(worker, MEGURI_NO_MEMORY);
    for (mg_range chunk; mg_take(worker, &chunk);) {
        uint64_t k = b->first_bucket + chunk.begin;
        if (b->bucket_arcs[k] < LARGE_BUCKET) sort_bucket(b, k, scratch);
        b->bucket_fill[k] = keep_bucket(b, k, &mine);
    }
    mg_free(scratch);
    mg_fetch_add(&b->edges, mine.edges);
    mg_fetch_add(&b->duplicates, mine.duplicates);
}

static meguri_status refuse_sum(const build *b) {
    char row[MG_ID_TEXT], column[MG_ID_TEXT];
    return mg_fail(b->ctx, MEGURI_BAD_INPUT, MG_NO_SUM,
                   mg_graph_id_text(row, b->ctx, b->request->graph, (uint32_t)(b->no_sum >> 32)),
                   mg_graph_id_text(column, b->ctx, b->request->graph, (uint32_t)b->no_sum));
}

static meguri_status sort_buckets(build *b) {
    double since = mg_now();
    bucket_job job = {.b = b};
    uint64_t arcs = 0, buckets = b->end_bucket - b->first_bucket;
    for (uint64_t k = b->first_bucket; k < b->end_bucket; k++) {
        meguri_status status = MEGURI_OK;
        arcs += b->bucket_arcs[k];
        if (b->bucket_arcs[k] < LARGE_BUCKET) job.most = MG_MAX(job.most, b->bucket_arcs[k]);
        else status = sort_large_bucket(b, k);
        if (status != MEGURI_OK) return status;
    }
    mg_loop loop = {.ctx = b->ctx,
                    .threads = mg_threads(b->ctx, arcs, 1 << 15),
                    .items = buckets,
                    .chunk = 1,
                    .work = sort_some_buckets,
                    .what = &job,
                    .phase = "sorting",
                    .total = buckets};
    meguri_status status = mg_loop_run(&loop);
    mg_trace_phase(b->ctx, b->request->run, "sort", (int64_t)arcs, -1, since);
    return status == MEGURI_OK && b->no_sum != MG_NO_ARC ? refuse_sum(b) : status;
}

/* ---- step 4: close the gaps, round by round --------------------------------------------------------------------- */

/* What the rounds make. */
typedef struct stores {
    mg_store neighbors, weights, numbers;
} stores;

/* Whether arcs have numbers that stay. */
static bool has_numbers(const build *b) { return b->request->number_bytes && !b->request->drop_numbers; }

/* The numbers of the edges that `kept` arcs are, a buffer at a time. */
static meguri_status append_numbers(build *b, mg_store *numbers, const char *carried, uint64_t kept) {
    enum { SOME = 1024 };
    uint64_t buffer[SOME];
    uint32_t bytes = b->request->number_bytes;
    meguri_status status = MEGURI_OK;
    for (uint64_t i = 0; i < kept && status == MEGURI_OK; i += SOME) {
        uint64_t count = MG_MIN(kept - i, (uint64_t)SOME);
        mg_carried_numbers(buffer, carried + i * b->payload_bytes, b->request->weight_type, bytes, count);
        status = mg_store_append(b->ctx, numbers, buffer, count * bytes);
    }
    return status;
}

static meguri_status append_round(build *b, stores *s) {
    double since = mg_now();
    meguri_type type = b->request->weight_type;
    uint64_t arcs = 0;
    for (uint64_t k = b->first_bucket; k < b->end_bucket; k++) {
        uint64_t kept = b->bucket_fill[k];
        meguri_status status =
            mg_store_append(b->ctx, &s->neighbors, b->keys + b->bucket_start[k] * b->plan.key_bytes, kept * 4);
        char *payload = b->payload ? b->payload + b->bucket_start[k] * b->payload_bytes : NULL;
        if (status == MEGURI_OK && has_numbers(b)) status = append_numbers(b, &s->numbers, payload, kept);
        if (status == MEGURI_OK && type) {
            if (b->request->number_bytes) mg_carried_payload(payload, payload, type, b->request->number_bytes, kept);
            mg_payload_to_weights(payload, type, payload, kept);
            status = mg_store_append(b->ctx, &s->weights, payload, kept * meguri_type_bytes(type));
        }
        if (status != MEGURI_OK) return status;
        arcs += kept;
    }
    mg_trace_phase(b->ctx, b->request->run, "close", (int64_t)arcs, (int64_t)(arcs * 4), since);
    return MEGURI_OK;
}

/* The buckets of the next round: as many as the plan lets in, at least one. */
static uint64_t place_round(build *b, uint64_t first) {
    uint64_t arcs = 0, k = first;
    for (; k < b->buckets; k++) {
        if (k > first && b->bucket_arcs[k] > b->plan.round_arcs - MG_MIN(arcs, b->plan.round_arcs)) break;
        b->bucket_start[k] = arcs;
        arcs += (b->bucket_arcs[k] + LINE - 1) / LINE * LINE; /* full lines stay aligned */
    }
    b->first_bucket = first;
    b->end_bucket = k;
    return arcs;
}

/* Room for the results: what is sorted all at once stays where it is, but for the numbers. */
static meguri_status new_stores(stores *s, build *b, uint64_t total, bool in_place) {
    meguri_type type = b->request->weight_type;
    bool disk = b->plan.result_on_disk && !in_place;
    meguri_status status = MEGURI_OK;
    if (!in_place) status = mg_store_new(&s->neighbors, b->ctx, total * 4, disk, "the neighbours");
    if (status == MEGURI_OK && type && !in_place)
        status = mg_store_new(&s->weights, b->ctx, total * meguri_type_bytes(type), disk, "the weights");
    if (status == MEGURI_OK && has_numbers(b))
        status = mg_store_new(&s->numbers, b->ctx, total * b->request->number_bytes, disk, "the numbers of edges");
    return status;
}

static meguri_status run_rounds(build *b, int threads, void **local, stores *s) {
    bool in_place = false;
    uint64_t total = 0;
    meguri_status status = MEGURI_OK;
    for (uint64_t k = 0; k < b->buckets; k++) total += b->bucket_arcs[k];
    for (uint64_t first = 0; first < b->buckets && status == MEGURI_OK; first = b->end_bucket) {
        uint64_t room = place_round(b, first);
        bool last = b->end_bucket == b->buckets;
        b->keys = mg_alloc_array(b->ctx, room, b->plan.key_bytes, "arcs to sort");
        if (!b->keys) return MEGURI_NO_MEMORY;
        if (b->payload_bytes) {
            b->payload = mg_alloc_array(b->ctx, room, b->payload_bytes, "weights to sort");
            if (!b->payload) return MEGURI_NO_MEMORY;
        }
        if (first == 0) {
            in_place = last;
            status = new_stores(s, b, total, in_place);
            if (status != MEGURI_OK) return status;
        }
        status = scatter(b, threads, local, last);
        if (status == MEGURI_OK) status = sort_buckets(b);
        if (status == MEGURI_OK && in_place) {
            mg_store_take(&s->neighbors, b->keys);
            if (b->request->weight_type) mg_store_take(&s->weights, b->payload);
        }
        if (status == MEGURI_OK) status = append_round(b, s);
        if (!s->neighbors.memory || s->neighbors.memory != b->keys) mg_free(b->keys);
        if (!s->weights.memory || s->weights.memory != b->payload) mg_free(b->payload);
        b->keys = b->payload = NULL;
    }
    return status;
}

static meguri_status finish(mg_csr *out, build *b, stores *s) {
    out->arcs = s->neighbors.bytes / 4;
    mg_scan_u64(b->ctx, b->offsets, b->request->vertices + 1);
    mg_offsets_narrow(b->offsets, b->request->vertices + 1, out->arcs, &out->offset_bytes);
    out->offsets = b->offsets;
    b->offsets = NULL;
    out->edges = b->edges;
    out->dropped_loops = b->request->keep_loops ? 0 : b->loops;
    out->dropped_duplicates = b->duplicates;
    meguri_status status = mg_store_finish(&out->neighbors, b->ctx, &s->neighbors);
    if (status == MEGURI_OK && b->request->weight_type) status = mg_store_finish(&out->weights, b->ctx, &s->weights);
    if (status == MEGURI_OK && has_numbers(b)) status = mg_store_finish(&out->numbers, b->ctx, &s->numbers);
    return status;
}

void mg_offsets_narrow(uint64_t *offsets, uint64_t entries, uint64_t arcs, uint32_t *offset_bytes) {
    *offset_bytes = arcs <= UINT32_MAX ? 4 : 8;
    if (*offset_bytes == 8) return;
    column_t *narrow = (column_t *)offsets;
    for (uint64_t i = 0; i < entries; i++) narrow[i] = (column_t)offsets[i];
    mg_trim(offsets, entries * 4);
}

meguri_status mg_csr_build(mg_csr *out, meguri_ctx *ctx, const mg_csr_request *request) {
    *out = (mg_csr){0};
    uint32_t number_bytes = request->number_bytes;
    build b = {.ctx = ctx,
               .request = request,
               .payload_bytes = mg_carried_bytes(request->weight_type, number_bytes),
               .no_sum = MG_NO_ARC};
    stores made = {{.fd = -1}, {.fd = -1}, {.fd = -1}};
    uint64_t arcs_at_most = request->arcs_at_most * (request->symmetric ? 2 : 1);
    int threads = mg_threads(ctx, request->arcs_at_most, 1 << 16);
    meguri_status status = MEGURI_NO_MEMORY;

    void **local = mg_alloc_array_zero(ctx, (uint64_t)threads, sizeof *local, "thread buffers");
    b.offsets = mg_alloc_array_zero(ctx, request->vertices + 1, 8, "the offsets of the rows");
    if (!local || !b.offsets) goto cleanup;
    uint64_t left = mg_memory_left(ctx);
    b.plan = mg_policy_sort(request->vertices, arcs_at_most, b.payload_bytes + number_bytes,
                            4 + (uint32_t)meguri_type_bytes(request->weight_type) + number_bytes,
                            left - MG_MIN(left, request->reserve));
    b.row_shift = b.plan.vertex_bits - b.plan.bucket_bits;
    b.buckets = request->vertices ? ((request->vertices - 1) >> b.row_shift) + 1 : 1;
    b.bucket_arcs = mg_alloc_array_zero(ctx, b.buckets, 3 * 8, "buckets");
    if (!b.bucket_arcs) goto cleanup;
    b.bucket_start = b.bucket_arcs + b.buckets;
    b.bucket_fill = b.bucket_start + b.buckets;

    status = count_buckets(&b, threads, local);
    if (status == MEGURI_OK) status = run_rounds(&b, threads, local, &made);
    if (status == MEGURI_OK) status = finish(out, &b, &made);

cleanup:
    if (local)
        for (int t = 0; t < threads; t++) mg_free(local[t]);
    if (b.keys != made.neighbors.memory) mg_free(b.keys);
    if (b.payload != made.weights.memory) mg_free(b.payload);
    mg_store_free(&made.neighbors);
    mg_store_free(&made.weights);
    mg_store_free(&made.numbers);
    mg_free(local);
    mg_free(b.offsets);
    mg_free(b.bucket_arcs);
    if (status != MEGURI_OK) mg_csr_free(out);
    return status;
}

void mg_csr_free(mg_csr *csr) {
    mg_free(csr->offsets);
    mg_part_data_free(&csr->neighbors);
    mg_part_data_free(&csr->weights);
    mg_part_data_free(&csr->numbers);
    *csr = (mg_csr){0};
}
