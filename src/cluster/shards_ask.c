/* Between positions in the user's order and owners: where a vertex is, and results on their way home. */
#include "cluster/cluster.h"

meguri_status mg_shards_rank(uint32_t *out, meguri_ctx *ctx, meguri_shards *s, uint64_t position) {
    uint64_t rank = UINT64_MAX;
    if (position >= s->home.begin && position < s->home.end) rank = s->rank_by_degree[position - s->home.begin];
    meguri_status status = mg_reduce_u64(ctx, s->cluster, &s->cluster->all, &rank, 1, MG_MINIMUM);
    *out = (uint32_t)rank;
    return status;
}

/* Items are a position and what belongs there. */
typedef struct result_reader {
    const meguri_shards *shards;
    const char *mine;
    size_t bytes;
    uint32_t place;
} result_reader;

static uint64_t next_result(void *user, void *items, uint32_t *to, uint64_t capacity) {
    result_reader *r = user;
    const meguri_shards *s = r->shards;
    uint64_t n = 0;
    for (; n < capacity && r->place < s->owned; n++, r->place++) {
        char *item = (char *)items + n * (4 + r->bytes);
        memcpy(item, &s->position[r->place], 4);
        memcpy(item + 4, r->mine + r->place * r->bytes, r->bytes);
        to[n] = (uint32_t)mg_home(s->vertices, s->cluster->size, s->position[r->place]);
    }
    return n;
}

meguri_status mg_shards_to_homes(meguri_ctx *ctx, meguri_shards *s, void *out, const void *mine, size_t item_bytes,
                                 const void *isolated) {
    result_reader reader = {s, mine, item_bytes, 0};
    const mg_route_source source = {next_result, &reader, 4 + item_bytes};
    void *items;
    uint64_t count;
    meguri_status status = mg_route(&items, &count, ctx, s->cluster, &source, "results");
    if (status != MEGURI_OK) return status;
    for (uint64_t i = 0; i < s->home.end - s->home.begin; i++)
        if (s->rank_by_degree[i] >= s->active) memcpy((char *)out + i * item_bytes, isolated, item_bytes);
    for (uint64_t i = 0; i < count; i++) {
        const char *item = (const char *)items + i * (4 + item_bytes);
        uint32_t position;
        memcpy(&position, item, 4);
        memcpy((char *)out + (position - s->home.begin) * item_bytes, item + 4, item_bytes);
    }
    mg_free(items);
    return MEGURI_OK;
}
