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

void mg_bitmap_clear(meguri_ctx *ctx, mg_bitmap *bitmap) {
    uint64_t *words = bitmap->words, count = mg_bitmap_words(bitmap->bits);
#pragma omp parallel for num_threads(mg_team(mg_threads(ctx, count, GRAIN))) schedule(static)
    for (uint64_t i = 0; i < count; i++) words[i] = 0;
}

uint64_t mg_bitmap_count(meguri_ctx *ctx, const mg_bitmap *bitmap) {
    const uint64_t *words = bitmap->words;
    uint64_t count = mg_bitmap_words(bitmap->bits), set = 0;
#pragma omp parallel for num_threads(mg_team(mg_threads(ctx, count, GRAIN))) schedule(static) reduction(+ : set)
    for (uint64_t i = 0; i < count; i++) set += (uint64_t)__builtin_popcountll(words[i]);
    return set;
}
