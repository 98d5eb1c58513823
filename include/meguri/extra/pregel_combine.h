/* Within a vertex program: messages to one vertex, combined by the program's function, on their way (runs of equal
 * keys) or where they lie (tiles of in-arcs). Messages are bytes here, as in pregel_vertex.h. */
#ifndef MEGURI_PREGEL_COMBINE_H
#define MEGURI_PREGEL_COMBINE_H

#include <meguri/extra/pregel_kernel.h>

#ifndef __cplusplus

/* Combines one message into another; a constant wherever it is inlined, as `bytes` is. */
typedef void meguri_combine_fn(void *into, const void *message);

MEGURI_INLINE void meguri_move(void *to, const void *from, size_t bytes) {
    if (bytes) memcpy(to, from, bytes);
}

/* What all pieces of a tile have in common. */
typedef struct meguri_folding {
    char *sums;
    uint8_t *begun; /* the sums that have a message */
    const char *messages;
    const void *slots; /* of the sources of all pieces */
    int wide;
    size_t bytes;
    meguri_combine_fn *combine;
} meguri_folding;

MEGURI_INLINE const void *meguri_folding_message(const meguri_folding *f, uint64_t at) {
    return f->messages + meguri_tile_column(f->slots, at, f->wide) * f->bytes;
}

/* One piece: the messages of `length` slots into the sum of a row. */
MEGURI_INLINE void meguri_fold_piece(const meguri_folding *f, uint32_t row, uint64_t at, uint32_t length) {
    char *sum = f->sums + row * f->bytes;
    if (f->begun[row]) f->combine(sum, meguri_folding_message(f, at));
    else meguri_move(sum, meguri_folding_message(f, at), f->bytes);
    for (uint32_t k = 1; k < length; k++) f->combine(sum, meguri_folding_message(f, at + k));
    f->begun[row] = 1;
}

/* Four pieces of one length side by side, in registers: what is combined need not wait for the one before. */
#define MEGURI_FOLD_BYTES 32
MEGURI_INLINE void meguri_fold_four(const meguri_folding *f, const uint16_t *rows, uint64_t at, uint32_t length) {
    _Alignas(16) char sum[4][MEGURI_FOLD_BYTES];
    if (f->wide)
        for (uint32_t k = 0; k < 4 * length; k++)
            __builtin_prefetch(meguri_folding_message(f, at + MEGURI_TILE_AHEAD + k));
    for (uint32_t j = 0; j < 4; j++) {
        const void *first = meguri_folding_message(f, at + j * length);
        if (f->begun[rows[j]]) {
            meguri_move(sum[j], f->sums + rows[j] * f->bytes, f->bytes);
            f->combine(sum[j], first);
        } else meguri_move(sum[j], first, f->bytes);
    }
    for (uint32_t k = 1; k < length; k++)
        for (uint32_t j = 0; j < 4; j++) f->combine(sum[j], meguri_folding_message(f, at + j * length + k));
    for (uint32_t j = 0; j < 4; j++) {
        meguri_move(f->sums + rows[j] * f->bytes, sum[j], f->bytes);
        f->begun[rows[j]] = 1;
    }
}

/* `count` pieces of one length. */
MEGURI_INLINE void meguri_fold_alike(const meguri_folding *f, const uint16_t *rows, uint64_t at, uint32_t count,
                                     uint32_t length) {
    uint32_t i = 0;
    if (f->bytes <= MEGURI_FOLD_BYTES)
        for (; i + 4 <= count; i += 4, at += 4 * (uint64_t)length) meguri_fold_four(f, rows + i, at, length);
    for (; i < count; i++, at += length) meguri_fold_piece(f, rows[i], at, length);
}

/* All pieces of a tile. Short lengths are constants, so that their loops are unrolled. */
#define MEGURI_FOLD_LENGTH(length)                                                                                     \
    case length: meguri_fold_alike(f, pieces + 2, at, count, length); break
MEGURI_INLINE void meguri_fold_tile(const meguri_folding *f, const uint16_t *pieces) {
    for (uint64_t at = 0; pieces[0]; pieces += 2 + pieces[1]) {
        const uint32_t length = pieces[0], count = pieces[1];
        switch (length) {
            MEGURI_FOLD_LENGTH(1);
            MEGURI_FOLD_LENGTH(2);
            MEGURI_FOLD_LENGTH(3);
            MEGURI_FOLD_LENGTH(4);
            MEGURI_FOLD_LENGTH(5);
            MEGURI_FOLD_LENGTH(6);
            MEGURI_FOLD_LENGTH(7);
            MEGURI_FOLD_LENGTH(8);
            MEGURI_FOLD_LENGTH(9);
            MEGURI_FOLD_LENGTH(10);
            MEGURI_FOLD_LENGTH(11);
            MEGURI_FOLD_LENGTH(12);
            MEGURI_FOLD_LENGTH(13);
            MEGURI_FOLD_LENGTH(14);
            MEGURI_FOLD_LENGTH(15);
            MEGURI_FOLD_LENGTH(16);
        default: meguri_fold_alike(f, pieces + 2, at, count, length);
        }
        at += (uint64_t)count * length;
    }
}
MEGURI_INLINE void meguri_fold_messages(void *sums, uint8_t *begun, const void *messages, const meguri_tile *t,
                                        size_t bytes, meguri_combine_fn *combine) {
    const char *from = (const char *)messages + t->first * bytes;
    if (t->wide) {
        const meguri_folding wide = {(char *)sums, begun, from, t->columns, 1, bytes, combine};
        meguri_fold_tile(&wide, t->pieces);
    } else {
        const meguri_folding narrow = {(char *)sums, begun, from, t->columns, 0, bytes, combine};
        meguri_fold_tile(&narrow, t->pieces);
    }
}

/* Messages on their way, sorted by key: those of one receiver become one. Returns how many are left. */
MEGURI_INLINE uint64_t meguri_combine_runs(uint64_t *keys, void *parcels, uint64_t count, uint32_t shift, size_t bytes,
                                           meguri_combine_fn *combine) {
    char *items = (char *)parcels;
    uint64_t last = 0;
    for (uint64_t i = 1; i < count; i++) {
        if (keys[i] >> shift == keys[last] >> shift) {
            combine(items + last * bytes, items + i * bytes);
            continue;
        }
        keys[++last] = keys[i];
        meguri_move(items + last * bytes, items + i * bytes, bytes);
    }
    return count ? last + 1 : 0;
}

#endif
#endif
