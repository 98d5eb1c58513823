/* Parallel arcs into one, and the smallest type for the weights that are left.
 *
 * Which edge is kept depends on weights and on places in the input alone; sums add whole numbers exactly and others in
 * increasing order, with compensation (Neumaier 1974). So neither the order in which arcs arrive nor the number of
 * threads or processes shows, and both arcs of an undirected edge get the same weight. */
#include "graph/carried.h"
#include "graph/internal.h"

#include <math.h>

#define LAST_EXACT ((double)(UINT64_C(1) << 53)) /* whole numbers up to here are exact as doubles */

/* ---- equal arcs ------------------------------------------------------------------------------------------------- */

/* What an arc carries. */
typedef struct item {
    uint64_t payload, number;
} item;

static item item_at(const mg_merge *m, const void *carried, uint64_t i) {
    uint32_t bytes = mg_carried_bytes(m->type, m->number_bytes), payload_bytes = mg_payload_bytes(m->type);
    const mg_carried16 value = mg_carried_at(carried, i, bytes);
    if (bytes == 16) return (item){value.high, value.low};
    if (!m->number_bytes) return (item){value.low, 0};
    if (!payload_bytes) return (item){0, value.low};
    return (item){value.low >> 32, (uint32_t)value.low};
}

static void put_item(const mg_merge *m, void *carried, uint64_t i, item it) {
    uint32_t bytes = mg_carried_bytes(m->type, m->number_bytes), payload_bytes = mg_payload_bytes(m->type);
    mg_carried16 value = {.low = it.number, .high = it.payload};
    if (bytes < 16 && payload_bytes) value.low = m->number_bytes ? it.payload << 32 | it.number : it.payload;
    mg_put_carried(carried, i, value, bytes);
}

static bool is_better(meguri_duplicates how, item a, item b) {
    if (how == MEGURI_DUPLICATES_MIN && a.payload != b.payload) return a.payload < b.payload;
    if (how == MEGURI_DUPLICATES_MAX && a.payload != b.payload) return a.payload > b.payload;
    return a.number < b.number;
}

/* A sum in the making. */
typedef struct total {
    double sum, lost; /* lost: what rounding took from the sum */
    int64_t whole;
    bool fractions, overflow, infinite; /* some are not whole; they are, and have no sum; some are infinite */
} total;

static void add(total *t, double value) {
    bool whole = fabs(value) <= LAST_EXACT && value == (double)(int64_t)value;
    if (!whole) t->fractions = true;
    else if (__builtin_add_overflow(t->whole, (int64_t)value, &t->whole)) t->overflow = true;
    t->infinite |= isinf(value) != 0;
    double sum = t->sum + value;
    t->lost += fabs(t->sum) >= fabs(value) ? (t->sum - sum) + value : (value - sum) + t->sum;
    t->sum = sum;
}

/* False where no weight holds the sum. */
static bool finish(const total *t, double *sum) {
    if (!t->fractions) {
        *sum = (double)t->whole;
        return !t->overflow && fabs(*sum) <= LAST_EXACT && (int64_t)*sum == t->whole;
    }
    *sum = t->infinite ? t->sum : t->sum + t->lost; /* infinite weights lose no bits, but NaN */
    return !isnan(*sum) && (t->infinite || !isinf(*sum));
}

static bool add_up(const mg_merge *m, void *carried, uint64_t begin, uint64_t end, uint64_t *payload) {
    uint64_t whole = 0;
    total t = {0};
    double value;
    if (m->type == MEGURI_TYPE_U32) {
        for (uint64_t i = begin; i < end; i++) whole += item_at(m, carried, i).payload;
        *payload = whole;
        return whole <= UINT32_MAX;
    }
    mg_carried_sort(carried, begin, end, mg_carried_bytes(m->type, m->number_bytes));
    for (uint64_t i = begin; i < end; i++) {
        uint64_t bits = item_at(m, carried, i).payload;
        mg_payload_to_weights(&value, MEGURI_TYPE_F64, &bits, 1);
        add(&t, value);
    }
    bool held = finish(&t, &value);
    if (held) mg_weights_to_payload(payload, MEGURI_TYPE_F64, &value, MEGURI_TYPE_F64, 1);
    return held;
}

bool mg_merge_carried(const mg_merge *m, void *carried, uint64_t begin, uint64_t end) {
    if (m->how == MEGURI_DUPLICATES_KEEP) {
        mg_carried_sort(carried, begin, end, mg_carried_bytes(m->type, m->number_bytes));
        return true;
    }
    item best = item_at(m, carried, begin);
    for (uint64_t i = begin + 1; i < end; i++) {
        item other = item_at(m, carried, i);
        if (is_better(m->how, other, best)) best = other;
    }
    if (mg_merge_adds(m->how) && m->type && !add_up(m, carried, begin, end, &best.payload)) return false;
    put_item(m, carried, begin, best);
    return true;
}

meguri_type mg_merge_type(meguri_duplicates how, mg_weight_facts facts, uint64_t edges) {
    if (how == MEGURI_DUPLICATES_COUNT) facts = (mg_weight_facts){.whole = true, .max = 1};
    if (!mg_merge_adds(how)) return mg_weight_type_for(facts);
    bool fits = !edges || facts.max <= UINT32_MAX / edges; /* all edges are parallel at worst */
    return facts.whole && fits ? MEGURI_TYPE_U32 : MEGURI_TYPE_F64;
}

/* ---- the smallest type ------------------------------------------------------------------------------------------ */

enum { BLOCK = 4096, GRAIN = 1 << 16, SOME = 1024 };

/* All threads look; they stop when it is clear that there is none smaller. */
typedef struct looking {
    const char *weights;
    meguri_type type;
    uint64_t count;
    uint32_t max;                       /* atomic, as are the others */
    uint32_t fractions, not_f32, ended; /* flags */
} looking;

static bool may_narrow(const looking *l, mg_weight_facts facts) {
    return meguri_type_bytes(mg_weight_type_for(facts)) < meguri_type_bytes(l->type) ||
           (facts.whole && l->type == MEGURI_TYPE_F32);
}

static void look_at_blocks(void *what, uint64_t begin, uint64_t end) {
    looking *l = what;
    size_t bytes = meguri_type_bytes(l->type);
    for (uint64_t block = begin; block < end && !mg_load(&l->ended); block++) {
        uint64_t first = block * BLOCK, count = MG_MIN(l->count - first, (uint64_t)BLOCK);
        mg_weight_facts facts = mg_weight_facts_of(l->weights + first * bytes, l->type, count);
        mg_atomic_max_u32(&l->max, facts.max);
        if (!facts.whole) mg_store(&l->fractions, 1);
        if (!facts.f32_exact) mg_store(&l->not_f32, 1);
        if (!may_narrow(l, facts)) mg_store(&l->ended, 1);
    }
}

mg_weight_facts mg_weight_facts_all(meguri_ctx *ctx, const void *weights, meguri_type type, uint64_t count) {
    looking l = {.weights = weights, .type = type, .count = count};
    mg_for(ctx, mg_threads(ctx, count, GRAIN), (count + BLOCK - 1) / BLOCK, look_at_blocks, &l);
    return (mg_weight_facts){.whole = !l.fractions, .f32_exact = !l.not_f32, .max = l.max};
}

void mg_weights_convert(void *to, meguri_type to_type, const void *from, meguri_type from_type, uint64_t count) {
    char *place = to;
    for (uint64_t i = 0; i < count; i++) {
        double value = mg_weight_at(from, from_type, i);
        switch (to_type) {
        case MEGURI_TYPE_U8: ((uint8_t *)to)[i] = (uint8_t)value; break;
        case MEGURI_TYPE_U16: memcpy(place + 2 * i, &(uint16_t){(uint16_t)value}, 2); break;
        case MEGURI_TYPE_U32: memcpy(place + 4 * i, &(uint32_t){(uint32_t)value}, 4); break;
        case MEGURI_TYPE_F32: memcpy(place + 4 * i, &(float){(float)value}, 4); break;
        case MEGURI_TYPE_F64: memcpy(place + 8 * i, &value, 8); break;
        default: break;
        }
    }
}

/* Weights that lie in a file go to another one. */
static meguri_status convert_mapped(meguri_ctx *ctx, mg_part_data *weights, meguri_type to, meguri_type from,
                                    uint64_t count) {
    char some[SOME * 8];
    size_t to_bytes = meguri_type_bytes(to), from_bytes = meguri_type_bytes(from);
    mg_part_data made = {0};
    mg_store store;
    meguri_status status = mg_store_new(&store, ctx, 0, true, "the weights");
    for (uint64_t i = 0; i < count && status == MEGURI_OK; i += SOME) {
        uint64_t n = MG_MIN(count - i, (uint64_t)SOME);
        mg_weights_convert(some, to, (const char *)weights->data + i * from_bytes, from, n);
        status = mg_store_append(ctx, &store, some, n * to_bytes);
    }
    if (status == MEGURI_OK) status = mg_store_finish(&made, ctx, &store);
    else mg_store_free(&store);
    if (status != MEGURI_OK) return status;
    mg_part_data_free(weights);
    *weights = made;
    return MEGURI_OK;
}

meguri_status mg_weights_narrow(meguri_ctx *ctx, mg_part_data *weights, meguri_type *type, uint64_t count) {
    if (*type <= MEGURI_TYPE_U8) return MEGURI_OK;
    looking l = {.type = *type};
    mg_weight_facts facts = mg_weight_facts_all(ctx, weights->data, *type, count);
    meguri_type to = mg_weight_type_for(facts), from = *type;
    if (!may_narrow(&l, facts)) return MEGURI_OK;
    *type = to;
    if (!weights->owned) return convert_mapped(ctx, weights, to, from, count);
    mg_weights_convert(weights->owned, to, weights->owned, from, count);
    weights->bytes = count * meguri_type_bytes(to);
    mg_trim(weights->owned, weights->bytes);
    return MEGURI_OK;
}
