/* The frontier: a set of vertices that is a list, a bitmap, or both.
 *
 * Invariant: at least one form is there, and what is there is right. A form that is not there keeps its memory (and
 * old content), so that changing the form in the middle of a search allocates nothing and cannot fail. */
#include "par/par.h"

#define WORD_GRAIN 8192 /* words of the bitmap, and members of the list, that a thread should have at least */
#define ITEM_GRAIN 16384

meguri_status mg_frontier_new(mg_frontier *out, meguri_ctx *ctx, uint64_t vertices) {
    *out = (mg_frontier){0};
    meguri_status status = mg_queue_new(&out->list, ctx, vertices, "the list of a frontier");
    if (status == MEGURI_OK) status = mg_bitmap_new(&out->bitmap, ctx, vertices, "the bitmap of a frontier");
    if (status != MEGURI_OK) {
        mg_frontier_free(out);
        return status;
    }
    out->vertices = vertices;
    out->has_list = out->has_bitmap = true;
    return MEGURI_OK;
}

void mg_frontier_free(mg_frontier *frontier) {
    mg_queue_free(&frontier->list);
    mg_bitmap_free(&frontier->bitmap);
    *frontier = (mg_frontier){0};
}

void mg_frontier_clear(meguri_ctx *ctx, mg_frontier *frontier) {
    frontier->list.count = 0;
    mg_bitmap_clear(ctx, &frontier->bitmap);
    frontier->count = 0;
    frontier->has_list = frontier->has_bitmap = true;
}

/* Two loops as in scan.c: where the members of each share start, then the members. */
typedef struct listing {
    mg_frontier *frontier;
    uint64_t words;
    int shares;
    uint64_t starts[MG_MAX_THREADS];
} listing;

static void count_shares(void *what, uint64_t begin, uint64_t end) {
    listing *l = what;
    for (uint64_t s = begin; s < end; s++) {
        mg_range share = mg_share(l->words, (int)s, l->shares);
        uint64_t members = 0;
        for (uint64_t i = share.begin; i < share.end; i++)
            members += (uint64_t)__builtin_popcountll(l->frontier->bitmap.words[i]);
        l->starts[s] = members;
    }
}

static void list_shares(void *what, uint64_t begin, uint64_t end) {
    listing *l = what;
    for (uint64_t s = begin; s < end; s++) {
        mg_range share = mg_share(l->words, (int)s, l->shares);
        uint32_t *item = l->frontier->list.items + l->starts[s];
        for (uint64_t i = share.begin; i < share.end; i++)
            for (uint64_t word = l->frontier->bitmap.words[i]; word; word &= word - 1)
                *item++ = (uint32_t)(i * 64 + (uint64_t)__builtin_ctzll(word));
    }
}

void mg_frontier_need_list(meguri_ctx *ctx, mg_frontier *frontier) {
    if (frontier->has_list) return;
    listing l = {.frontier = frontier, .words = mg_bitmap_words(frontier->vertices)};
    l.shares = mg_threads(ctx, l.words, WORD_GRAIN);
    mg_for(ctx, l.shares, (uint64_t)l.shares, count_shares, &l);
    frontier->list.count = frontier->count = mg_scan_u64(ctx, l.starts, (uint64_t)l.shares);
    mg_for(ctx, l.shares, (uint64_t)l.shares, list_shares, &l);
    frontier->has_list = true;
}

static void mark_members(void *what, uint64_t begin, uint64_t end) {
    mg_frontier *f = what;
    for (uint64_t i = begin; i < end; i++)
        mg_fetch_or(&f->bitmap.words[f->list.items[i] / 64], (uint64_t)1 << (f->list.items[i] % 64));
}

void mg_frontier_need_bitmap(meguri_ctx *ctx, mg_frontier *frontier) {
    if (frontier->has_bitmap) return;
    mg_bitmap_clear(ctx, &frontier->bitmap);
    uint64_t count = frontier->list.count;
    int threads = mg_threads(ctx, count, ITEM_GRAIN);
    if (threads == 1) {
        for (uint64_t i = 0; i < count; i++) mg_bitmap_set(&frontier->bitmap, frontier->list.items[i]);
    } else {
        mg_for(ctx, threads, count, mark_members, frontier);
    }
    frontier->has_bitmap = true;
}

void mg_frontier_from_list(mg_frontier *frontier) {
    frontier->count = frontier->list.count;
    frontier->has_list = true;
    frontier->has_bitmap = false;
}

void mg_frontier_from_bitmap(meguri_ctx *ctx, mg_frontier *frontier) {
    frontier->count = mg_bitmap_count(ctx, &frontier->bitmap);
    frontier->has_bitmap = true;
    frontier->has_list = false;
}
