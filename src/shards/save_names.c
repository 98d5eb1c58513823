/* String ids of a graph in parts in a file, and the hash table that finds them.
 *
 * The table is cut into ranges of slots. A name goes to the process that has the slot of its hash; if all slots from
 * there to the end of the range are taken, it goes on to the beginning of the next range, and so on. So a search that
 * looks at one slot after another finds it, as in a table that one process fills. */
#include "shards/save.h"

#include <xxhash.h>

uint64_t mg_name_slots(uint64_t vertices) {
    uint64_t slots = 128;
    while (slots <= 2 * vertices) slots *= 2;
    return slots;
}

/* ---- the index -------------------------------------------------------------------------------------------------- */

typedef struct entry {
    uint64_t slot, position;
} entry;

/* Entries on their way: those of the names at home at first, then those that found no room. */
typedef struct entry_reader {
    const mg_saving *saving;
    uint64_t place;
    const entry *waiting; /* NULL: the names at home */
    uint64_t count;
} entry_reader;

static uint64_t next_entry(void *user, void *items, uint32_t *to, uint64_t capacity) {
    entry_reader *r = user;
    const mg_shards *s = r->saving->shards;
    uint64_t n = 0;
    for (; r->place < r->count && n < capacity; r->place++, n++) {
        entry *e = (entry *)items + n;
        if (r->waiting) *e = r->waiting[r->place];
        else {
            uint64_t begin = s->name_offsets[r->place], length = s->name_offsets[r->place + 1] - begin;
            *e = (entry){XXH3_64bits(s->names + begin, length) & (r->saving->slots - 1), s->home.begin + r->place};
        }
        to[n] = (uint32_t)mg_home(r->saving->slots, s->cluster->size, e->slot);
    }
    return n;
}

/* Fills slots; entries without room stay at the front, for the beginning of the next range: their number. */
static uint64_t insert(uint32_t *table, mg_range range, uint64_t slots, entry *entries, uint64_t count) {
    uint64_t left = 0;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t slot = entries[i].slot - range.begin, length = range.end - range.begin;
        while (slot < length && table[slot] != MG_NO_VERTEX) slot++;
        if (slot < length) table[slot] = (uint32_t)entries[i].position;
        else entries[left++] = (entry){range.end == slots ? 0 : range.end, entries[i].position};
    }
    return left;
}

static meguri_status fill_table(mg_saving *s, uint32_t *table, mg_range range) {
    meguri_cluster *c = s->shards->cluster;
    entry *waiting = NULL;
    uint64_t left = s->shards->home.end - s->shards->home.begin, all = 1;
    meguri_status status = MEGURI_OK;
    while (all && status == MEGURI_OK) {
        entry_reader reader = {s, 0, waiting, left};
        const mg_route_source source = {next_entry, &reader, sizeof(entry)};
        void *arrived;
        uint64_t count;
        status = mg_route(&arrived, &count, s->ctx, c, &source, "the index of string ids");
        mg_free(waiting);
        waiting = arrived;
        if (status != MEGURI_OK) break;
        for (uint64_t i = 0; i < count && status == MEGURI_OK; i++)
            if (waiting[i].slot - range.begin >= range.end - range.begin)
                status = mg_strange(s->ctx, c, "a string that is not for this process");
        if (status != MEGURI_OK) break;
        all = left = insert(table, range, s->slots, waiting, count);
        status = mg_reduce_u64(s->ctx, c, &c->all, &all, 1, MG_SUM);
    }
    mg_free(waiting);
    return status;
}

static meguri_status save_index(mg_saving *s) {
    meguri_cluster *c = s->shards->cluster;
    mg_range range = mg_share(s->slots, c->rank, c->size);
    uint64_t count = range.end - range.begin;
    uint32_t *table = mg_alloc_array(s->ctx, count, sizeof *table, "the index of string ids");
    meguri_status status = mg_agree(s->ctx, c, table ? MEGURI_OK : MEGURI_NO_MEMORY);
    if (status == MEGURI_OK) {
        memset(table, 0xff, count * sizeof *table);
        status = fill_table(s, table, range);
    }
    if (status == MEGURI_OK) status = mg_save_section(s, MG_PART_NAME_INDEX, table, range.begin * 4, count * 4);
    mg_free(table);
    return status;
}

/* ---- names ------------------------------------------------------------------------------------------------------ */

meguri_status mg_save_names(mg_saving *s) {
    const mg_shards *shards = s->shards;
    meguri_cluster *c = shards->cluster;
    uint64_t here = shards->home.end - shards->home.begin, bytes = shards->name_offsets[here], before = bytes;
    uint64_t count = here + (c->rank == c->size - 1);
    uint64_t *offsets = mg_alloc_array(s->ctx, here + 1, sizeof *offsets, "string ids");
    meguri_status status = mg_agree(s->ctx, c, offsets ? MEGURI_OK : MEGURI_NO_MEMORY);
    if (status == MEGURI_OK) status = mg_exscan_u64(s->ctx, c, &c->all, &before, 1);
    if (status == MEGURI_OK) {
        for (uint64_t i = 0; i <= here; i++) offsets[i] = before + shards->name_offsets[i];
        status = mg_save_section(s, MG_PART_NAME_OFFSETS, offsets, shards->home.begin * 8, count * 8);
    }
    mg_free(offsets);
    if (status == MEGURI_OK) status = mg_save_section(s, MG_PART_NAMES, shards->names, before, bytes);
    return status == MEGURI_OK ? save_index(s) : status;
}
