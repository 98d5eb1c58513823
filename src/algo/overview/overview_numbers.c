/* Distributions of whole numbers, and lists of the highest. */
#include "algo/overview/overview.h"

#include <stdlib.h>

enum { SMALL = 1 << 16, EXACT = 16, OCTAVE = 8 };

/* ---- lists ------------------------------------------------------------------------------------------------------ */

meguri_overview_item *mg_overview_items(mg_overview_work *w, mg_overview_lists list) {
    return w->overview->items + (uint64_t)list * w->overview->options.top;
}

void mg_overview_list(meguri_overview_list *out, mg_overview_work *w, mg_overview_lists list, mg_top *top) {
    meguri_overview_item *items = mg_overview_items(w, list);
    mg_top_finish(top);
    for (uint64_t i = 0; i < top->count; i++) {
        mg_top_item item = top->items[i];
        items[i] = (meguri_overview_item){item.item, (double)item.key, item.item};
    }
    *out = (meguri_overview_list){items, (uint32_t)top->count};
    mg_top_free(top);
}

/* ---- counting by value ------------------------------------------------------------------------------------------ */

meguri_status mg_overview_tally_new(mg_overview_tally *out, meguri_ctx *ctx) {
    *out = (mg_overview_tally){0};
    out->small = mg_alloc_array_zero(ctx, SMALL, sizeof *out->small, "a distribution");
    return out->small ? MEGURI_OK : MEGURI_NO_MEMORY;
}

meguri_status mg_overview_tally_large(mg_overview_tally *tally, meguri_ctx *ctx, uint64_t value) {
    if (tally->large_count == tally->large_room) {
        uint64_t room = tally->large_room ? 2 * tally->large_room : 64;
        uint64_t *large = mg_resize(ctx, tally->large, room * sizeof *large, "a distribution");
        if (!large) return MEGURI_NO_MEMORY;
        tally->large = large;
        tally->large_room = room;
    }
    tally->large[tally->large_count++] = value;
    return MEGURI_OK;
}

static int by_value(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

meguri_status mg_overview_tally_counts(mg_overview_count **out, uint64_t *count, meguri_ctx *ctx,
                                       mg_overview_tally *tally) {
    uint64_t different = 0, at = 0;
    for (uint64_t value = 0; value < SMALL; value++) different += tally->small[value] > 0;
    if (tally->large_count) qsort(tally->large, tally->large_count, sizeof *tally->large, by_value);
    for (uint64_t i = 0; i < tally->large_count; i++) different += i == 0 || tally->large[i] != tally->large[i - 1];
    mg_overview_count *counts = mg_alloc_array(ctx, different, sizeof *counts, "a distribution");
    if (!counts) return MEGURI_NO_MEMORY;
    for (uint64_t value = 0; value < SMALL; value++)
        if (tally->small[value]) counts[at++] = (mg_overview_count){value, tally->small[value]};
    for (uint64_t i = 0; i < tally->large_count; i++) {
        if (i == 0 || tally->large[i] != tally->large[i - 1]) counts[at++] = (mg_overview_count){tally->large[i], 0};
        counts[at - 1].count++;
    }
    *out = counts;
    *count = different;
    return MEGURI_OK;
}

void mg_overview_tally_free(mg_overview_tally *tally) {
    mg_free(tally->small);
    mg_free(tally->large);
    *tally = (mg_overview_tally){0};
}

/* ---- distributions ---------------------------------------------------------------------------------------------- */

/* The bin of a value, as its first and its last value. */
static void bin_around(uint64_t value, uint64_t width, uint64_t least, uint64_t *from, uint64_t *to) {
    if (width) *from = least + (value - least) / width * width;
    else if (value < EXACT) *from = value, width = 1;
    else {
        width = ((uint64_t)1 << (63 - __builtin_clzll(value))) / OCTAVE;
        *from = value / width * width;
    }
    *to = *from + (width - 1);
}

/* The value at a place in the order of all; the first place is 0. */
static uint64_t value_at(const mg_overview_count *counts, uint64_t place) {
    uint64_t before = 0;
    for (;; counts++) {
        before += counts->count;
        if (place < before) return counts->value;
    }
}

void mg_overview_distribution(meguri_overview_numbers *out, mg_overview_work *w, mg_overview_bins which,
                              const mg_overview_count *counts, uint64_t count, bool even) {
    meguri_overview_bin *bins = w->overview->bins[which];
    unsigned __int128 sum = 0;
    uint64_t all = 0, width = 0;
    *out = (meguri_overview_numbers){.bins = bins};
    if (count == 0) return;
    uint64_t least = counts[0].value, most = counts[count - 1].value;
    if (even) width = (most - least) / MG_OVERVIEW_EVEN_BINS + 1;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t from, to;
        bin_around(counts[i].value, width, least, &from, &to);
        if (out->bin_count == 0 || bins[out->bin_count - 1].from != (double)from)
            bins[out->bin_count++] = (meguri_overview_bin){(double)from, (double)to, 0};
        bins[out->bin_count - 1].count += counts[i].count;
        all += counts[i].count;
        sum += (unsigned __int128)counts[i].value * counts[i].count;
    }
    out->count = all;
    out->least = (double)least;
    out->most = (double)most;
    out->mean = (double)sum / (double)all;
    out->median = ((double)value_at(counts, (all - 1) / 2) + (double)value_at(counts, all / 2)) / 2;
}
