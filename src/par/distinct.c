/* Distinct numbers: of values that repeat, each once, and for each value which of them it is. */
#include "par/par.h"

/* A set that grows: as a rule most values are the same few, so it is a hash table and not a sort. */
typedef struct growing_set {
    mg_distinct *set;
    uint32_t *slots; /* places of items + 1, 0 where there is none */
    uint32_t bits;   /* of their number; they are never more than half full */
    const char *what;
} growing_set;

static uint64_t slot_of(const growing_set *g, uint64_t value) {
    uint64_t mask = ((uint64_t)1 << g->bits) - 1, slot = value * 0x9e3779b97f4a7c15u >> (64 - g->bits);
    while (g->slots[slot] && g->set->items[g->slots[slot] - 1] != value) slot = (slot + 1) & mask;
    return slot;
}

static meguri_status grow(growing_set *g, meguri_ctx *ctx, uint32_t bits) {
    uint64_t *items = mg_resize(ctx, g->set->items, sizeof *items << (bits - 1), g->what);
    if (items) g->set->items = items;
    uint32_t *slots = mg_alloc_array_zero(ctx, (uint64_t)1 << bits, sizeof *slots, g->what);
    mg_free(g->slots);
    g->slots = slots;
    g->bits = bits;
    if (!items || !slots) return MEGURI_NO_MEMORY;
    for (uint64_t i = 0; i < g->set->count; i++) slots[slot_of(g, items[i])] = (uint32_t)(i + 1);
    return MEGURI_OK;
}

static meguri_status add_all(growing_set *g, meguri_ctx *ctx, const uint64_t *values, uint64_t count) {
    mg_distinct *set = g->set;
    for (uint64_t i = 0; i < count; i++) {
        if (i % MG_SWEEP_BLOCK == 0 && mg_progress(ctx, g->what, 0, 0)) return mg_fail_cancelled(ctx);
        if (i && values[i] == values[i - 1]) {
            set->index[i] = set->index[i - 1];
            continue;
        }
        uint64_t slot = slot_of(g, values[i]);
        if (!g->slots[slot]) {
            set->items[set->count] = values[i];
            g->slots[slot] = (uint32_t)++set->count;
        }
        set->index[i] = g->slots[slot] - 1;
        if (2 * set->count < (uint64_t)1 << g->bits) continue;
        meguri_status status = grow(g, ctx, g->bits + 1);
        if (status != MEGURI_OK) return status;
    }
    return MEGURI_OK;
}

meguri_status mg_distinct_new(mg_distinct *out, meguri_ctx *ctx, const uint64_t *values, uint64_t count,
                              const char *what) {
    *out = (mg_distinct){0};
    if (count > UINT32_MAX)
        return mg_fail(ctx, MEGURI_NO_MEMORY, "%s: %llu of them are too many for one process.", what,
                       (unsigned long long)count);
    growing_set g = {.set = out, .what = what};
    out->index = mg_alloc_array(ctx, count, sizeof *out->index, what);
    meguri_status status = out->index ? grow(&g, ctx, 10) : MEGURI_NO_MEMORY;
    if (status == MEGURI_OK) status = add_all(&g, ctx, values, count);
    mg_free(g.slots);
    if (status == MEGURI_OK) mg_trim(out->items, out->count * sizeof *out->items);
    else mg_distinct_free(out);
    return status;
}

void mg_distinct_free(mg_distinct *set) {
    mg_free(set->items);
    mg_free(set->index);
    *set = (mg_distinct){0};
}
