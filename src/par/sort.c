/* Radix sort.
 *
 * In the cache: least significant digit first. One sweep over the keys counts all digits, then each digit is one sweep
 * that moves every record to its place; digits that all keys share are skipped. The width of the digits follows from
 * the number of keys: wide digits need fewer sweeps, but longer tables.
 *
 * Beyond the cache: most significant digit first, once. Every thread counts the top digit of a contiguous share of the
 * records and moves them to the bucket of their digit; then the buckets, which fit the cache, are sorted one by one
 * as above, so memory is read and written twice however long the keys are. A bucket that holds so much that one thread
 * alone would be busy with it (skewed keys) is split again by all of them.
 *
 * Invariant of both: records with equal keys never pass each other (shares lie in the order of the threads), so the
 * result is stable and the same at any number of threads. Bits above `bits` are carried along and not looked at.
 *
 * Each loop over records is written once, for key and payload sizes that are constants where it is inlined. */
#include "par/par.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define INLINE static inline __attribute__((always_inline))

#define MAX_WIDTH      11    /* bits of a digit: 2048 places to write to are what caches and their page tables stand */
#define MAX_PASSES     8     /* digits of a key: 64 bits in digits of at least 8 */
#define INSERTION      12    /* up to this many records for each 8 bits of the keys are sorted by insertion */
#define SMALL_RECORDS  65536 /* up to this many records are left to one thread */
#define LARGE_BUCKET   (1 << 20)            /* a bucket with more records is far from fitting the cache */
#define LINE_RECORDS   16                   /* records that are gathered before they are written to a bucket far away */
#define FAR_BYTES      ((uint64_t)16 << 20) /* what is larger does not stay in the caches between two sweeps */
#define BUCKET_RECORDS 16384 /* records a bucket should have: both copies lie in the second-level cache */

/* Where some records lie: keys and, of the same number, payloads. */
typedef struct lane {
    void *keys, *payload;
} lane;

typedef struct record_shape {
    uint32_t key_bytes, payload_bytes;
} record_shape;

static lane lane_at(lane l, uint64_t i, record_shape shape) {
    return (lane){(char *)l.keys + i * shape.key_bytes, l.payload ? (char *)l.payload + i * shape.payload_bytes : NULL};
}

static uint64_t low_bits(uint32_t bits) { return bits >= 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1; }

/* ---- loops over records, for constant sizes --------------------------------------------------------------------- */

INLINE uint64_t key_at(const void *keys, uint64_t i, uint32_t key_bytes) {
    return key_bytes == 4 ? ((const uint32_t *)keys)[i] : ((const uint64_t *)keys)[i];
}

INLINE void put_key(void *keys, uint64_t i, uint64_t key, uint32_t key_bytes) {
    if (key_bytes == 4) ((uint32_t *)keys)[i] = (uint32_t)key;
    else ((uint64_t *)keys)[i] = key;
}

INLINE void move_payload(lane to, uint64_t place, lane from, uint64_t i, uint32_t bytes) {
    if (bytes) memcpy((char *)to.payload + place * bytes, (const char *)from.payload + i * bytes, bytes);
}

INLINE void insertion_as(lane l, uint64_t count, uint64_t mask, uint32_t key_bytes, uint32_t payload_bytes) {
    for (uint64_t i = 1; i < count; i++) {
        uint64_t key = key_at(l.keys, i, key_bytes), payload[2], place = i;
        move_payload((lane){NULL, payload}, 0, l, i, payload_bytes);
        for (; place > 0; place--) {
            uint64_t before = key_at(l.keys, place - 1, key_bytes);
            if ((before & mask) <= (key & mask)) break;
            put_key(l.keys, place, before, key_bytes);
            move_payload(l, place, l, place - 1, payload_bytes);
        }
        put_key(l.keys, place, key, key_bytes);
        move_payload(l, place, (lane){NULL, payload}, 0, payload_bytes);
    }
}

/* counts[p] of digit p; `passes` is a constant where this is inlined. */
INLINE void count_digits_as(uint32_t (*counts)[1 << MAX_WIDTH], const void *keys, uint64_t count, uint32_t width,
                            uint64_t key_mask, uint32_t passes, uint32_t key_bytes) {
    uint64_t mask = low_bits(width);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t key = key_at(keys, i, key_bytes) & key_mask;
        for (uint32_t p = 0; p < passes; p++) counts[p][(key >> (p * width)) & mask]++;
    }
}

INLINE void scatter_near_as(lane to, lane from, uint64_t count, uint32_t *places, uint32_t shift, uint64_t mask,
                            uint32_t key_bytes, uint32_t payload_bytes) {
    for (uint64_t i = 0; i < count; i++) {
        uint64_t key = key_at(from.keys, i, key_bytes);
        uint64_t place = places[(key >> shift) & mask]++;
        put_key(to.keys, place, key, key_bytes);
        move_payload(to, place, from, i, payload_bytes);
    }
}

/* The lines a thread gathers for each bucket, so that far away whole lines are written: two thousand open lines do not
 * fit the first cache, and a whole line can go past the caches, which saves reading what will be overwritten. A record
 * waits at the index that its place has in its line of the destination. */
typedef struct far_table {
    uint64_t *places; /* where the next record of each bucket goes */
    uint64_t *firsts; /* where the first one went: what lies before in its line belongs to others */
    lane lines;       /* LINE_RECORDS for each bucket */
    bool stream;      /* write past the caches; the destination is aligned to lines */
} far_table;

INLINE void write_line(void *to, const void *line, uint32_t bytes, bool stream) {
#ifdef __SSE2__
    if (stream) {
        for (uint32_t i = 0; i < bytes / 16; i++)
            _mm_stream_si128((__m128i *)to + i, _mm_load_si128((const __m128i *)line + i));
        return;
    }
#else
    (void)stream;
#endif
    memcpy(to, line, bytes);
}

/* Writes the records of the places [first, end) of one line. */
INLINE void write_part(lane to, lane lines, uint64_t bucket, uint64_t first, uint64_t end, uint32_t key_bytes,
                       uint32_t payload_bytes) {
    for (uint64_t place = first; place < end; place++) {
        uint64_t waiting = bucket * LINE_RECORDS + place % LINE_RECORDS;
        put_key(to.keys, place, key_at(lines.keys, waiting, key_bytes), key_bytes);
        move_payload(to, place, lines, waiting, payload_bytes);
    }
}

INLINE void scatter_far_as(lane to, lane from, mg_range share, far_table table, uint32_t shift, uint64_t mask,
                           uint32_t key_bytes, uint32_t payload_bytes) {
    for (uint64_t i = share.begin; i < share.end; i++) {
        uint64_t key = key_at(from.keys, i, key_bytes), bucket = (key >> shift) & mask;
        uint64_t place = table.places[bucket]++, start = bucket * LINE_RECORDS;
        put_key(table.lines.keys, start + place % LINE_RECORDS, key, key_bytes);
        move_payload(table.lines, start + place % LINE_RECORDS, from, i, payload_bytes);
        if (place % LINE_RECORDS != LINE_RECORDS - 1) continue;
        uint64_t line = place - (LINE_RECORDS - 1);
        if (line < table.firsts[bucket]) {
            write_part(to, table.lines, bucket, table.firsts[bucket], place + 1, key_bytes, payload_bytes);
            continue;
        }
        write_line((char *)to.keys + line * key_bytes, (char *)table.lines.keys + start * key_bytes,
                   LINE_RECORDS * key_bytes, table.stream);
        if (payload_bytes)
            write_line((char *)to.payload + line * payload_bytes, (char *)table.lines.payload + start * payload_bytes,
                       LINE_RECORDS * payload_bytes, table.stream);
    }
    for (uint64_t bucket = 0; bucket <= mask; bucket++) {
        uint64_t end = table.places[bucket], line = end / LINE_RECORDS * LINE_RECORDS;
        write_part(to, table.lines, bucket, MG_MAX(line, table.firsts[bucket]), end, key_bytes, payload_bytes);
    }
#ifdef __SSE2__
    _mm_sfence(); /* such writes are ordered by nothing else, not even by the barrier that follows */
#endif
}

/* Calls loop(…, key bytes, payload bytes) with constants for the last two. */
#define FOR_SHAPE(shape, loop, ...)                                                                                    \
    do {                                                                                                               \
        if ((shape).key_bytes == 4 && (shape).payload_bytes == 0) loop(__VA_ARGS__, 4, 0);                             \
        else if ((shape).key_bytes == 4 && (shape).payload_bytes == 4) loop(__VA_ARGS__, 4, 4);                        \
        else if ((shape).key_bytes == 4 && (shape).payload_bytes == 8) loop(__VA_ARGS__, 4, 8);                        \
        else if ((shape).key_bytes == 4) loop(__VA_ARGS__, 4, 16);                                                     \
        else if ((shape).payload_bytes == 0) loop(__VA_ARGS__, 8, 0);                                                  \
        else if ((shape).payload_bytes == 4) loop(__VA_ARGS__, 8, 4);                                                  \
        else if ((shape).payload_bytes == 8) loop(__VA_ARGS__, 8, 8);                                                  \
        else loop(__VA_ARGS__, 8, 16);                                                                                 \
    } while (0)

static void insertion(lane l, uint64_t count, uint64_t mask, record_shape shape) {
    FOR_SHAPE(shape, insertion_as, l, count, mask);
}

static void scatter_near(lane to, lane from, uint64_t count, uint32_t *places, uint32_t shift, uint64_t mask,
                         record_shape shape) {
    FOR_SHAPE(shape, scatter_near_as, to, from, count, places, shift, mask);
}

static void scatter_far(lane to, lane from, mg_range share, far_table table, uint32_t shift, uint64_t mask,
                        record_shape shape) {
    FOR_SHAPE(shape, scatter_far_as, to, from, share, table, shift, mask);
}

static void count_digits(uint32_t (*counts)[1 << MAX_WIDTH], const void *keys, uint64_t count, uint32_t width,
                         uint64_t key_mask, uint32_t passes, uint32_t key_bytes) {
#define CASE(constant)                                                                                                 \
    case constant:                                                                                                     \
        if (key_bytes == 4) count_digits_as(counts, keys, count, width, key_mask, constant, 4);                        \
        else count_digits_as(counts, keys, count, width, key_mask, constant, 8);                                       \
        break;
    switch (passes) { CASE(1) CASE(2) CASE(3) CASE(4) CASE(5) CASE(6) CASE(7) CASE(8) }
#undef CASE
}

static void count_top(uint64_t *counts, const void *keys, mg_range share, uint32_t shift, uint64_t mask,
                      uint32_t key_bytes) {
    if (key_bytes == 4)
        for (uint64_t i = share.begin; i < share.end; i++) counts[(key_at(keys, i, 4) >> shift) & mask]++;
    else
        for (uint64_t i = share.begin; i < share.end; i++) counts[(key_at(keys, i, 8) >> shift) & mask]++;
}

static void copy(lane to, lane from, mg_range share, record_shape shape) {
    uint64_t count = share.end - share.begin;
    if (count == 0) return;
    to = lane_at(to, share.begin, shape);
    from = lane_at(from, share.begin, shape);
    memcpy(to.keys, from.keys, count * shape.key_bytes);
    if (shape.payload_bytes) memcpy(to.payload, from.payload, count * shape.payload_bytes);
}

/* ---- in the cache ----------------------------------------------------------------------------------------------- */

/* The number of digits that costs least: each is a sweep over the records and one over its table. */
static uint32_t cheapest_passes(uint64_t count, uint32_t bits) {
    uint32_t best = 0;
    uint64_t best_cost = UINT64_MAX;
    for (uint32_t passes = (bits + MAX_WIDTH - 1) / MAX_WIDTH; passes <= (bits + 7) / 8; passes++) {
        uint64_t cost = passes * (count + ((uint64_t)1 << ((bits + passes - 1) / passes)));
        if (cost < best_cost) {
            best_cost = cost;
            best = passes;
        }
    }
    return best;
}

/* Sorts `count` (below 2^32) records of `from`; the result is in `result`, which is `from` or `other`. */
static void sort_near(lane from, lane other, lane result, uint64_t count, uint32_t bits, record_shape shape) {
    if (count <= INSERTION * ((bits + 7) / 8) || bits == 0) {
        if (bits > 0) insertion(from, count, low_bits(bits), shape);
        if (result.keys != from.keys) copy(result, from, (mg_range){0, count}, shape);
        return;
    }
    uint32_t counts[MAX_PASSES][1 << MAX_WIDTH];
    uint32_t passes = cheapest_passes(count, bits), width = (bits + passes - 1) / passes;
    uint64_t mask = low_bits(width), key_mask = low_bits(bits);
    for (uint32_t p = 0; p < passes; p++) memset(counts[p], 0, sizeof(uint32_t) << width);
    count_digits(counts, from.keys, count, width, key_mask, passes, shape.key_bytes);
    uint64_t first = key_at(from.keys, 0, shape.key_bytes) & key_mask; /* any key will do */
    for (uint32_t p = 0; p < passes; p++) {
        uint32_t shift = p * width, sum = 0;
        if (counts[p][(first >> shift) & mask] == count) continue;
        for (uint64_t digit = 0; digit <= mask; digit++) {
            uint32_t here = counts[p][digit];
            counts[p][digit] = sum;
            sum += here;
        }
        scatter_near(other, from, count, counts[p], shift, MG_MIN(mask, key_mask >> shift), shape);
        lane swap = from;
        from = other;
        other = swap;
    }
    if (result.keys != from.keys) copy(result, from, (mg_range){0, count}, shape);
}

void mg_sort_small_u32(uint32_t *keys, uint32_t *scratch, void *payload, void *payload_scratch, uint32_t payload_bytes,
                       uint64_t count, uint32_t bits) {
    lane from = {keys, payload}, other = {scratch, payload_scratch};
    sort_near(from, other, from, count, bits, (record_shape){4, payload ? payload_bytes : 0});
}

void mg_sort_small_u64(uint64_t *keys, uint64_t *scratch, void *payload, void *payload_scratch, uint32_t payload_bytes,
                       uint64_t count, uint32_t bits) {
    lane from = {keys, payload}, other = {scratch, payload_scratch};
    sort_near(from, other, from, count, bits, (record_shape){8, payload ? payload_bytes : 0});
}

/* ---- beyond the cache ------------------------------------------------------------------------------------------- */

/* Bits of the top digit: enough that an average bucket fits the cache. */
static uint32_t top_width(uint64_t count, uint32_t bits) {
    uint32_t width = 1;
    while (width < MAX_WIDTH && width < bits && (count >> width) > BUCKET_RECORDS) width++;
    return width;
}

/* The tables of a partition into buckets by one digit. */
typedef struct partition_room {
    uint64_t buckets;
    uint64_t *starts; /* where each bucket starts, and the end; then the places and the firsts of each thread */
    char *lines;      /* of each thread: the lines of the keys, then those of the payloads */
} partition_room;

static void room_free(partition_room *room) {
    mg_free(room->starts);
    mg_free(room->lines);
}

static meguri_status room_new(partition_room *out, meguri_ctx *ctx, uint32_t width, int threads, record_shape shape) {
    uint64_t buckets = (uint64_t)1 << width, tables = buckets * (uint64_t)threads;
    *out = (partition_room){.buckets = buckets};
    out->starts = mg_alloc_array(ctx, buckets + 1 + 2 * tables, sizeof *out->starts, "sorting");
    out->lines = mg_alloc_array(ctx, tables * LINE_RECORDS, shape.key_bytes + shape.payload_bytes, "sorting");
    if (out->starts && out->lines) return MEGURI_OK;
    room_free(out);
    return MEGURI_NO_MEMORY;
}

static far_table table_of(const partition_room *room, int thread, record_shape shape, bool stream) {
    uint64_t *tables = room->starts + room->buckets + 1, records = room->buckets * LINE_RECORDS;
    char *lines = room->lines + (uint64_t)thread * records * (shape.key_bytes + shape.payload_bytes);
    return (far_table){.places = tables + 2 * (uint64_t)thread * room->buckets,
                       .firsts = tables + (2 * (uint64_t)thread + 1) * room->buckets,
                       .lines = {lines, lines + records * shape.key_bytes},
                       .stream = stream};
}

static bool aligned(lane l) { return (((uintptr_t)l.keys | (uintptr_t)l.payload) & 63) == 0; }

/* Turns the counts that the shares left in `places` into starts of buckets and places of shares, in the order
 * bucket by bucket, share by share. False if one bucket has all. */
static bool place_buckets(partition_room *room, int team, record_shape shape) {
    uint64_t sum = 0, largest = 0;
    for (uint64_t bucket = 0; bucket < room->buckets; bucket++) {
        room->starts[bucket] = sum;
        for (int t = 0; t < team; t++) {
            far_table table = table_of(room, t, shape, false);
            uint64_t here = table.places[bucket];
            table.places[bucket] = table.firsts[bucket] = sum;
            sum += here;
        }
        largest = MG_MAX(largest, sum - room->starts[bucket]);
    }
    room->starts[room->buckets] = sum;
    return largest < sum;
}

/* A partition that runs: shares of the records, in their order, with a table each. */
typedef struct partitioning {
    lane to, from;
    uint64_t count;
    uint32_t shift;
    record_shape shape;
    const partition_room *room;
    int shares;
    bool stream;
} partitioning;

static void count_shares(void *what, uint64_t begin, uint64_t end) {
    const partitioning *p = what;
    for (uint64_t i = begin; i < end; i++) {
        far_table table = table_of(p->room, (int)i, p->shape, p->stream);
        memset(table.places, 0, p->room->buckets * sizeof *table.places);
        count_top(table.places, p->from.keys, mg_share(p->count, (int)i, p->shares), p->shift, p->room->buckets - 1,
                  p->shape.key_bytes);
    }
}

static void scatter_shares(void *what, uint64_t begin, uint64_t end) {
    const partitioning *p = what;
    for (uint64_t i = begin; i < end; i++)
        scatter_far(p->to, p->from, mg_share(p->count, (int)i, p->shares),
                    table_of(p->room, (int)i, p->shape, p->stream), p->shift, p->room->buckets - 1, p->shape);
}

/* Moves the records of `from` to `to`, into the buckets of the digit at `shift`, in their order. Returns false, and
 * moves nothing, if all are in one bucket. */
static bool partition(meguri_ctx *ctx, lane to, lane from, uint64_t count, uint32_t shift, record_shape shape,
                      partition_room *room, int threads) {
    partitioning p = {.to = to,
                      .from = from,
                      .count = count,
                      .shift = shift,
                      .shape = shape,
                      .room = room,
                      .shares = threads,
                      .stream = aligned(to) && count * (shape.key_bytes + shape.payload_bytes) > FAR_BYTES};
    mg_for(ctx, threads, (uint64_t)threads, count_shares, &p);
    if (!place_buckets(room, threads, shape)) return false;
    mg_for(ctx, threads, (uint64_t)threads, scatter_shares, &p);
    return true;
}

static meguri_status sort_far(meguri_ctx *ctx, lane from, lane other, lane result, uint64_t count, uint32_t bits,
                              record_shape shape);

/* Buckets that are sorted one by one. */
typedef struct bucket_sort {
    meguri_ctx *ctx;
    lane from, other, result;
    const uint64_t *starts;
    uint64_t heavy; /* buckets with more records are sorted already */
    uint32_t bits;
    record_shape shape;
} bucket_sort;

static void sort_some_buckets(void *what, mg_worker *worker) {
    const bucket_sort *s = what;
    for (mg_range b; mg_take(worker, &b);) {
        uint64_t at = s->starts[b.begin], count = s->starts[b.end] - at;
        if (count == 0 || count > s->heavy || mg_cancelled(s->ctx)) continue;
        sort_near(lane_at(s->from, at, s->shape), lane_at(s->other, at, s->shape), lane_at(s->result, at, s->shape),
                  count, s->bits, s->shape);
    }
}

/* Sorts the buckets that lie in `from`. One that would keep a thread busy while the others are done is split again by
 * all of them; then each thread takes one bucket after the other. */
static meguri_status sort_buckets(meguri_ctx *ctx, lane from, lane other, lane result, const partition_room *room,
                                  uint32_t bits, record_shape shape, int threads) {
    const uint64_t *starts = room->starts, buckets = room->buckets;
    uint64_t fair = starts[buckets] / (4 * (uint64_t)threads);
    uint64_t heavy = MG_MIN(MG_MAX(fair, (uint64_t)SMALL_RECORDS), (uint64_t)LARGE_BUCKET);
    for (uint64_t b = 0; b < buckets; b++) {
        uint64_t at = starts[b], count = starts[b + 1] - at;
        if (count <= heavy) continue;
        meguri_status status = sort_far(ctx, lane_at(from, at, shape), lane_at(other, at, shape),
                                        lane_at(result, at, shape), count, bits, shape);
        if (status != MEGURI_OK) return status;
    }
    bucket_sort s = {ctx, from, other, result, starts, heavy, bits, shape};
    mg_loop loop = {
        .ctx = ctx, .threads = threads, .items = buckets, .chunk = 1, .work = sort_some_buckets, .what = &s};
    mg_loop_run(&loop);
    return mg_cancelled(ctx) ? mg_fail_cancelled(ctx) : MEGURI_OK;
}

typedef struct copying {
    lane to, from;
    record_shape shape;
} copying;

static void copy_range(void *what, uint64_t begin, uint64_t end) {
    const copying *c = what;
    copy(c->to, c->from, (mg_range){begin, end}, c->shape);
}

/* Sorts `count` records of `from` by their low `bits` bits; the result is in `result`, which is `from` or `other`. */
static meguri_status sort_far(meguri_ctx *ctx, lane from, lane other, lane result, uint64_t count, uint32_t bits,
                              record_shape shape) {
    if (mg_cancelled(ctx)) return mg_fail_cancelled(ctx);
    if (count <= SMALL_RECORDS) {
        sort_near(from, other, result, count, bits, shape);
        return MEGURI_OK;
    }
    int threads = mg_threads(ctx, count, SMALL_RECORDS / 2);
    if (bits == 0) {
        if (result.keys == from.keys) return MEGURI_OK;
        copying c = {result, from, shape};
        mg_for(ctx, threads, count, copy_range, &c);
        return MEGURI_OK;
    }
    uint32_t width = top_width(count, bits), below = bits - width;
    partition_room room;
    meguri_status status = room_new(&room, ctx, width, threads, shape);
    if (status != MEGURI_OK) return status;
    if (partition(ctx, other, from, count, below, shape, &room, threads))
        status = sort_buckets(ctx, other, from, result, &room, below, shape, threads);
    else status = sort_far(ctx, from, other, result, count, below, shape);
    room_free(&room);
    return status;
}

static meguri_status sort_any(meguri_ctx *ctx, lane from, uint64_t count, uint32_t bits, record_shape shape) {
    if (count < 2 || bits == 0) return MEGURI_OK;
    lane other = {mg_alloc_array(ctx, count, shape.key_bytes, "sorting"), NULL};
    if (!other.keys) return MEGURI_NO_MEMORY;
    meguri_status status = MEGURI_NO_MEMORY;
    if (shape.payload_bytes) {
        other.payload = mg_alloc_array(ctx, count, shape.payload_bytes, "sorting");
        if (!other.payload) goto cleanup;
    }
    status = sort_far(ctx, from, other, from, count, bits, shape);
cleanup:
    mg_free(other.keys);
    mg_free(other.payload);
    return status;
}

meguri_status mg_sort_u32(meguri_ctx *ctx, uint32_t *keys, void *payload, uint32_t payload_bytes, uint64_t count,
                          uint32_t bits) {
    return sort_any(ctx, (lane){keys, payload}, count, bits, (record_shape){4, payload ? payload_bytes : 0});
}

meguri_status mg_sort_u64(meguri_ctx *ctx, uint64_t *keys, void *payload, uint32_t payload_bytes, uint64_t count,
                          uint32_t bits) {
    return sort_any(ctx, (lane){keys, payload}, count, bits, (record_shape){8, payload ? payload_bytes : 0});
}
