/* Bitmaps: one bit a vertex. Invariant: the bits of the last word beyond `bits` are zero, so that whole words can be
 * counted and walked. */
#include "par/par.h"

#define GRAIN 65536 /* words a thread should have at least */

meguri_status mg_bitmap_new(mg_bitmap *out, meguri_ctx *ctx, uint64_t bits, const char *what) {
    *out = (mg_bitmap){0};
    uint64_t *words = mg_alloc_array_zero(ctx, bits / 64 + (bits % 64 != 0), sizeof *words, what);
    if (!words) return MEGURI_NO_MEMORY;
    *out = (mg_bitmap){.words = words, .bits = bits};
    return MEGURI_OK;
}

void mg_bitmap_free(mg_bitmap *bitmap) {
    mg_free(bitmap->words);
    *bitmap = (mg_bitmap){0};
}

static void clear_words(void *what, uint64_t begin, uint64_t end) {
    memset((uint64_t *)what + begin, 0, (end - begin) * sizeof(uint64_t));
}

void mg_bitmap_clear(meguri_ctx *ctx, mg_bitmap *bitmap) {
    uint64_t count = mg_bitmap_words(bitmap->bits);
    mg_for(ctx, mg_threads(ctx, count, GRAIN), count, clear_words, bitmap->words);
}

typedef struct counting {
    const uint64_t *words;
    uint64_t set;
} counting;

static void count_words(void *what, uint64_t begin, uint64_t end) {
    counting *c = what;
    uint64_t set = 0;
    for (uint64_t i = begin; i < end; i++) set += (uint64_t)__builtin_popcountll(c->words[i]);
    mg_fetch_add(&c->set, set);
}

uint64_t mg_bitmap_count(meguri_ctx *ctx, const mg_bitmap *bitmap) {
    counting c = {bitmap->words, 0};
    uint64_t count = mg_bitmap_words(bitmap->bits);
    mg_for(ctx, mg_threads(ctx, count, GRAIN), count, count_words, &c);
    return c.set;
}
