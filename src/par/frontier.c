/* The frontier: a set of vertices that is a list, a bitmap, or both.
 *
 * Invariant: at least one form is there, and what is there is right. A form that is not there keeps its memory (and
 * old content), so that changing the form in the middle of a search allocates nothing and cannot fail. */
#include "par/par.h"

#include <omp.h>

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

/* Two sweeps as in scan.c: where each thread's members start, then the members. */
void mg_frontier_need_list(meguri_ctx *ctx, mg_frontier *frontier) {
    if (frontier->has_list) return;
    const uint64_t *words = frontier->bitmap.words;
    uint64_t count = mg_bitmap_words(frontier->vertices), starts[MG_MAX_THREADS + 1];
    uint32_t *items = frontier->list.items;
    starts[0] = 0;
#pragma omp parallel num_threads(mg_team(mg_threads(ctx, count, WORD_GRAIN)))
    {
        int me = omp_get_thread_num(), team = omp_get_num_threads();
        mg_range share = mg_share(count, me, team);
        uint64_t members = 0;
        for (uint64_t i = share.begin; i < share.end; i++) members += (uint64_t)__builtin_popcountll(words[i]);
        starts[me + 1] = members;
#pragma omp barrier
#pragma omp single
        {
            for (int i = 0; i < team; i++) starts[i + 1] += starts[i];
            frontier->list.count = frontier->count = starts[team];
        }
        uint64_t place = starts[me];
        for (uint64_t i = share.begin; i < share.end; i++)
            for (uint64_t word = words[i]; word; word &= word - 1)
                items[place++] = (uint32_t)(i * 64 + (uint64_t)__builtin_ctzll(word));
    }
    frontier->has_list = true;
}

void mg_frontier_need_bitmap(meguri_ctx *ctx, mg_frontier *frontier) {
    if (frontier->has_bitmap) return;
    mg_bitmap_clear(ctx, &frontier->bitmap);
    uint64_t *words = frontier->bitmap.words, count = frontier->list.count;
    const uint32_t *items = frontier->list.items;
    int threads = mg_threads(ctx, count, ITEM_GRAIN);
    if (threads == 1) {
        for (uint64_t i = 0; i < count; i++) mg_bitmap_set(&frontier->bitmap, items[i]);
    } else {
#pragma omp parallel for num_threads(mg_team(threads)) schedule(static)
        for (uint64_t i = 0; i < count; i++) mg_fetch_or(&words[items[i] / 64], (uint64_t)1 << (items[i] % 64));
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
