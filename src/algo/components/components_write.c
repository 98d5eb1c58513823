/* The answer in the user's order, every component named by its first member.
 *
 * Positions are gone through in sequence, and all that is read at random is the bitmap of the giant, which fits a cache
 * near the processor. Everyone else is given itself at first, which is right for isolated vertices; the entry of a root
 * then sinks to the first position of its members, and they copy it from there. */
#include "algo/components/components.h"

enum {
    POSITIONS = 8192, /* in a block: some 10 µs */
    WORDS = 128       /* of the bitmap in a block */
};

/* ---- the giant and the isolated --------------------------------------------------------------------------------- */

static bool in_giant(const mg_components *c, uint32_t position) {
    uint32_t v = mg_to_internal(&c->numbering, position);
    return mg_bitmap_get(&c->giant, MG_MIN(v, c->rows));
}

/* The first member of the giant. Blocks come in increasing order, and those behind what is found are left out. */
static uint64_t find_first(mg_components *c, uint64_t begin, uint64_t end) {
    for (uint64_t p = begin; p < end && p < mg_load(&c->first); p++)
        if (in_giant(c, (uint32_t)p)) mg_atomic_min_u32(&c->first, (uint32_t)p);
    return 0;
}

static uint64_t write_giant(mg_components *c, uint64_t begin, uint64_t end) {
    const uint32_t *to_internal = c->numbering.to_internal;
    const uint64_t *giant = c->giant.words;
    uint32_t *component = c->component, rows = c->rows, first = c->first;
    for (uint32_t p = (uint32_t)begin; p < end; p++) {
        uint32_t v = to_internal ? to_internal[p] : p;
        v = MG_MIN(v, rows); /* the bit behind the rows is 0 */
        uint32_t mask = 0 - (uint32_t)((giant[v / 64] >> (v % 64)) & 1);
        component[p] = (first & mask) | (p & ~mask); /* no branch: whether a vertex is isolated is hard to guess */
    }
    return 0;
}

/* ---- the others ------------------------------------------------------------------------------------------------- */

static uint64_t sink_roots(mg_components *c, uint64_t begin, uint64_t end) {
    for (uint64_t w = begin; w < end; w++)
        for (uint64_t bits = mg_components_outside(c, w); bits; bits &= bits - 1) {
            uint32_t v = (uint32_t)(64 * w + (uint64_t)__builtin_ctzll(bits)), root = c->parent[v];
            if (root != v)
                mg_atomic_min_u32(&c->component[mg_to_user(&c->numbering, root)], mg_to_user(&c->numbering, v));
        }
    return 0;
}

static uint64_t copy_from_roots(mg_components *c, uint64_t begin, uint64_t end) {
    for (uint64_t w = begin; w < end; w++)
        for (uint64_t bits = mg_components_outside(c, w); bits; bits &= bits - 1) {
            uint32_t v = (uint32_t)(64 * w + (uint64_t)__builtin_ctzll(bits)), root = c->parent[v];
            if (root != v) c->component[mg_to_user(&c->numbering, v)] = c->component[mg_to_user(&c->numbering, root)];
        }
    return 0;
}

/* Members of one component often follow each other: these are added up before. */
static uint64_t count_members(mg_components *c, uint64_t begin, uint64_t end) {
    uint32_t root = MG_NO_VERTEX, count = 0;
    for (uint64_t w = begin; w < end; w++)
        for (uint64_t bits = mg_components_outside(c, w); bits; bits &= bits - 1) {
            uint32_t next = c->parent[64 * w + (uint64_t)__builtin_ctzll(bits)];
            if (next != root) {
                if (count) mg_fetch_add(&c->sizes[root], count);
                root = next;
                count = 0;
            }
            count++;
        }
    if (count) mg_fetch_add(&c->sizes[root], count);
    return 0;
}

/* ---- the largest, and all together ------------------------------------------------------------------------------ */

static uint64_t raise_largest(mg_components *c, uint64_t begin, uint64_t end) {
    uint32_t largest = 0;
    for (uint64_t v = begin; v < end; v++) largest = MG_MAX(largest, c->sizes[v]);
    mg_atomic_max_u64(&c->largest, largest);
    return 0;
}

/* The giant was the largest in a sample; unless all others together are no larger, they are counted. */
static meguri_status find_largest(mg_components *c) {
    uint64_t words = mg_bitmap_words(c->rows);
    c->largest = c->rows ? c->members : c->graph->vertices > 0;
    if (c->members < c->rows - c->members) {
        c->sizes = mg_alloc_array_zero(c->ctx, c->rows, sizeof *c->sizes, "the sizes of components");
        if (!c->sizes) return MEGURI_NO_MEMORY;
        mg_components_sweep(c, count_members, words, WORDS);
        mg_components_sweep(c, raise_largest, c->rows, POSITIONS);
    }
    return MEGURI_OK;
}

meguri_status mg_components_write(mg_components *c) {
    double since = mg_components_begin(c, "write");
    uint64_t words = mg_bitmap_words(c->rows), vertices = c->graph->vertices;
    c->first = MG_NO_VERTEX;
    if (c->rows) mg_components_sweep(c, find_first, vertices, POSITIONS);
    mg_components_sweep(c, write_giant, vertices, POSITIONS);
    if (c->members < c->rows) {
        mg_components_sweep(c, sink_roots, words, WORDS);
        mg_components_sweep(c, copy_from_roots, words, WORDS);
    }
    meguri_status status = find_largest(c);
    return status == MEGURI_OK ? mg_components_end(c, NULL, vertices, 0, 8 * vertices, since) : status;
}
