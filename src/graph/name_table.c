/* Names that come with blocks, each numbered by the block alone, joined in one table.
 *
 * Blocks come in any order, from any thread, and what has a name is numbered by its first appearance in the order of
 * their places all the same. While blocks come in that order, the next free number is the right one, and nothing else
 * is noted. From the first that does not, the table remembers of each name where it appeared first: in which merge, and
 * where in it. In the end names are sorted by that. */
#include "graph/internal.h"

#include <stdlib.h>

struct mg_name_merge {
    uint64_t place;
    uint64_t end; /* names in the table after it */
};

void mg_name_table_free(mg_name_table *table) {
    mg_names_free(table->names);
    mg_free(table->merges);
    mg_free(table->first);
    *table = (mg_name_table){0};
}

/* The merges come in the order of their places, those of one place as they were made. */
static bool is_before(const mg_name_table *table, uint64_t a, uint64_t b) {
    uint64_t x = table->merges[a >> 32].place, y = table->merges[b >> 32].place;
    return x != y ? x < y : a < b;
}

static meguri_status note_merge(meguri_ctx *ctx, mg_name_table *table, uint64_t place) {
    if (table->merge_count == UINT32_MAX)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "there are too many blocks of names: make them larger.");
    if (table->merge_count == table->merge_room) {
        uint64_t room = table->merge_room * 2 + 16;
        mg_name_merge *merges = mg_resize(ctx, table->merges, room * sizeof *merges, "the order of names");
        if (!merges) return MEGURI_NO_MEMORY;
        table->merges = merges;
        table->merge_room = room;
    }
    table->merges[table->merge_count++] = (mg_name_merge){place, mg_names_count(table->names)};
    return MEGURI_OK;
}

/* Room for where the names appeared first: those that are in the table have appeared where they were added. */
static meguri_status make_room(meguri_ctx *ctx, mg_name_table *table, uint64_t names) {
    if (names <= table->first_room) return MEGURI_OK;
    uint64_t room = MG_MAX(names, table->first_room * 2);
    bool begins = !table->first;
    uint64_t *first = mg_resize(ctx, table->first, room * sizeof *first, "the order of names");
    if (!first) return MEGURI_NO_MEMORY;
    table->first = first;
    table->first_room = room;
    uint64_t number = 0;
    for (uint64_t m = 0; begins && m < table->merge_count; m++)
        for (uint64_t rank = 0; number < table->merges[m].end; number++) first[number] = m << 32 | rank++;
    return MEGURI_OK;
}

meguri_status mg_name_table_merge(meguri_ctx *ctx, mg_name_table *table, uint64_t place, const mg_names *local,
                                  uint32_t *map) {
    bool late = table->merge_count && place < table->merges[table->merge_count - 1].place;
    uint64_t before = mg_names_count(table->names), merge = table->merge_count;
    meguri_status status = MEGURI_OK;
    if (table->first || late) status = make_room(ctx, table, before + mg_names_count(local));
    if (status == MEGURI_OK) status = note_merge(ctx, table, place);
    if (status == MEGURI_OK) status = mg_names_merge(ctx, table->names, local, map);
    if (status != MEGURI_OK) return status;
    table->merges[merge].end = mg_names_count(table->names);
    for (uint64_t i = 0; table->first && i < mg_names_count(local); i++) {
        uint64_t here = merge << 32 | i, *first = &table->first[map[i]];
        if (map[i] >= before || is_before(table, here, *first)) *first = here;
    }
    return MEGURI_OK;
}

/* ---- the order in the end --------------------------------------------------------------------------------------- */

typedef struct ranked_merge {
    uint64_t place, merge;
} ranked_merge;

static int by_place(const void *a, const void *b) {
    const ranked_merge *x = a, *y = b;
    if (x->place != y->place) return x->place < y->place ? -1 : 1;
    return x->merge < y->merge ? -1 : x->merge > y->merge;
}

/* The numbers of merges in `first` become their ranks. */
static meguri_status rank_merges(meguri_ctx *ctx, mg_name_table *table) {
    ranked_merge *ranked = mg_alloc_array(ctx, table->merge_count, sizeof *ranked, "the order of names");
    uint32_t *rank = mg_alloc_array(ctx, table->merge_count, sizeof *rank, "the order of names");
    if (ranked && rank) {
        for (uint64_t m = 0; m < table->merge_count; m++) ranked[m] = (ranked_merge){table->merges[m].place, m};
        qsort(ranked, table->merge_count, sizeof *ranked, by_place);
        for (uint64_t r = 0; r < table->merge_count; r++) rank[ranked[r].merge] = (uint32_t)r;
        for (uint64_t i = 0; i < mg_names_count(table->names); i++)
            table->first[i] = (uint64_t)rank[table->first[i] >> 32] << 32 | (uint32_t)table->first[i];
    }
    meguri_status status = ranked && rank ? MEGURI_OK : MEGURI_NO_MEMORY;
    mg_free(ranked);
    mg_free(rank);
    return status;
}

meguri_status mg_name_table_settle(uint32_t **positions, meguri_ctx *ctx, mg_name_table *table) {
    *positions = NULL;
    if (!table->first) return MEGURI_OK;
    uint64_t count = mg_names_count(table->names);
    uint32_t *order = mg_alloc_array(ctx, count, sizeof *order, "the order of names"), *where = NULL;
    meguri_status status = order ? rank_merges(ctx, table) : MEGURI_NO_MEMORY;
    for (uint64_t i = 0; i < count && status == MEGURI_OK; i++) order[i] = (uint32_t)i;
    if (status == MEGURI_OK) status = mg_sort_u64(ctx, table->first, order, sizeof *order, count, 64);
    if (status == MEGURI_OK) {
        where = mg_alloc_array(ctx, count, sizeof *where, "the order of names");
        status = where ? mg_names_reorder(ctx, table->names, order) : MEGURI_NO_MEMORY;
    }
    for (uint64_t i = 0; i < count && status == MEGURI_OK; i++) where[order[i]] = (uint32_t)i;
    mg_free(order);
    mg_free(table->first); /* it is in order now */
    table->first = NULL;
    table->first_room = 0;
    if (status == MEGURI_OK) *positions = where;
    else mg_free(where);
    return status;
}
