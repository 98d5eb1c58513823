/* Pages that go from one block to the next.
 *
 * A large block that is freed while another will soon be asked for need not go back to the system: its pages are moved
 * into the new block (mremap moves whole tables of them, no byte is copied), and nobody has to clear fresh ones, which
 * takes half of a build on some machines. Only whole huge pages are moved, so that they stay huge.
 *
 * Invariant: used and kept bytes together stay within the budget; what is kept is dropped before an allocation fails.
 */
#define _GNU_SOURCE
#include "base/ctx.h"

#include <stdlib.h>
#include <sys/mman.h>

#define HUGE_PAGE ((size_t)2 << 20)

typedef struct piece {
    char *base;
    size_t bytes;
} piece;

struct mg_recycler {
    pthread_mutex_t lock;
    int depth; /* of mg_recycle_begin */
    piece *pieces;
    size_t count, capacity;
};

struct mg_recycler *mg_recycler_new(void) {
    struct mg_recycler *r = calloc(1, sizeof *r);
    if (r && pthread_mutex_init(&r->lock, NULL) != 0) {
        free(r);
        return NULL;
    }
    return r;
}

void mg_recycler_free(struct mg_recycler *r) {
    if (!r) return;
    pthread_mutex_destroy(&r->lock);
    free(r->pieces);
    free(r);
}

static void drop_all(mg_account *account, struct mg_recycler *r) {
    for (size_t i = 0; i < r->count; i++) {
        munmap(r->pieces[i].base, r->pieces[i].bytes);
        atomic_fetch_sub(&account->kept, r->pieces[i].bytes);
    }
    r->count = 0;
}

bool mg_recycler_drop(mg_account *account) {
    struct mg_recycler *r = account->recycler;
    pthread_mutex_lock(&r->lock);
    bool any = r->count != 0;
    drop_all(account, r);
    pthread_mutex_unlock(&r->lock);
    return any;
}

void mg_recycle_begin(meguri_ctx *ctx) {
    struct mg_recycler *r = ctx->account->root->recycler;
    pthread_mutex_lock(&r->lock);
    r->depth++;
    pthread_mutex_unlock(&r->lock);
}

void mg_recycle_end(meguri_ctx *ctx) {
    struct mg_recycler *r = ctx->account->root->recycler;
    pthread_mutex_lock(&r->lock);
    if (--r->depth == 0) drop_all(ctx->account->root, r);
    pthread_mutex_unlock(&r->lock);
}

static size_t up(uintptr_t address) { return (HUGE_PAGE - address % HUGE_PAGE) % HUGE_PAGE; }

static bool keep(struct mg_recycler *r, char *base, size_t bytes) {
    if (r->count == r->capacity) {
        size_t capacity = r->capacity ? 2 * r->capacity : 64;
        piece *grown = realloc(r->pieces, capacity * sizeof *grown);
        if (!grown) return false;
        r->pieces = grown;
        r->capacity = capacity;
    }
    r->pieces[r->count++] = (piece){base, bytes};
    return true;
}

void mg_recycler_give(mg_account *account, void *mapping, size_t mapped) {
    struct mg_recycler *r = account->recycler;
    char *begin = mapping, *end = begin + mapped, *first = begin + MG_MIN(up((uintptr_t)begin), mapped);
    size_t whole = (size_t)(end - first) / HUGE_PAGE * HUGE_PAGE;
    pthread_mutex_lock(&r->lock);
    bool kept = r->depth && whole && keep(r, first, whole);
    if (kept) atomic_fetch_add(&account->kept, whole);
    pthread_mutex_unlock(&r->lock);
    if (!kept) munmap(mapping, mapped);
    else {
        if (first > begin) munmap(begin, (size_t)(first - begin));
        if (first + whole < end) munmap(first + whole, (size_t)(end - first) - whole);
    }
}

size_t mg_recycler_take(mg_account *account, void *mapping, size_t mapped) {
    struct mg_recycler *r = account->recycler;
    char *begin = mapping, *at = begin + MG_MIN(up((uintptr_t)begin), mapped), *end = begin + mapped;
    size_t taken = 0;
    pthread_mutex_lock(&r->lock);
    while (r->count && (size_t)(end - at) >= HUGE_PAGE) {
        piece *last = &r->pieces[r->count - 1];
        size_t bytes = MG_MIN(last->bytes, (size_t)(end - at) / HUGE_PAGE * HUGE_PAGE);
        if (mremap(last->base + last->bytes - bytes, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, at) == MAP_FAILED)
            break;
        at += bytes;
        taken += bytes;
        last->bytes -= bytes;
        if (last->bytes == 0) r->count--;
    }
    atomic_fetch_sub(&account->kept, taken);
    pthread_mutex_unlock(&r->lock);
    return taken;
}
