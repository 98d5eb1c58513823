/* A table of the vertices by their ids: open addressing, half empty at least. */
#include "source/source.h"

#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <xxhash.h>

uint64_t mg_source_seed(void) {
    uint64_t seed;
    struct timespec time;
    if (getrandom(&seed, sizeof seed, GRND_NONBLOCK) == (ssize_t)sizeof seed) return seed;
    clock_gettime(CLOCK_MONOTONIC, &time); /* before the system has any */
    return (uint64_t)time.tv_nsec << 32 ^ (uint64_t)time.tv_sec;
}

static uint64_t hash_of(const mg_keys *keys, uint64_t id, const meguri_text *text) {
    return text ? XXH3_64bits_withSeed(text->text, text->length, keys->seed)
                : XXH3_64bits_withSeed(&id, sizeof id, keys->seed);
}

static bool is(const mg_nodes *nodes, uint32_t vertex, uint64_t id, const meguri_text *text) {
    if (!text) return nodes->ids[vertex] == id;
    const meguri_text *other = &nodes->texts[vertex];
    return other->length == text->length && memcmp(other->text, text->text, text->length) == 0;
}

/* The place of an id, or the empty one where it belongs. */
static uint32_t *place_of(const mg_keys *keys, const mg_nodes *nodes, uint64_t id, const meguri_text *text) {
    uint64_t at = hash_of(keys, id, text) & keys->mask;
    while (keys->table[at] != MG_NO_VERTEX && !is(nodes, keys->table[at], id, text)) at = (at + 1) & keys->mask;
    return &keys->table[at];
}

static const meguri_text *text_of(const mg_nodes *nodes, uint32_t vertex) {
    return nodes->kind == MEGURI_ID_STRING ? &nodes->texts[vertex] : NULL;
}

/* Twice as many places, with the vertices before this one. */
static bool grow(mg_keys *keys, meguri_ctx *ctx, const mg_nodes *nodes, uint32_t vertices) {
    uint64_t places = keys->table ? 2 * (keys->mask + 1) : 1024;
    uint32_t *table = meguri_ctx_resize(ctx, NULL, places * sizeof *table, "the keys of nodes");
    if (!table) return false;
    memset(table, 0xFF, places * sizeof *table);
    uint64_t seed = keys->table ? keys->seed : mg_source_seed();
    meguri_ctx_release(keys->table);
    *keys = (mg_keys){table, places - 1, seed};
    for (uint32_t v = 0; v < vertices; v++) {
        const meguri_text *text = text_of(nodes, v);
        uint32_t *place = place_of(keys, nodes, text ? 0 : nodes->ids[v], text);
        if (*place == MG_NO_VERTEX) *place = v;
    }
    return true;
}

bool mg_keys_add(uint32_t *found, mg_keys *keys, meguri_ctx *ctx, const mg_nodes *nodes, uint32_t vertex) {
    if ((!keys->table || 2 * ((uint64_t)vertex + 1) > keys->mask) && !grow(keys, ctx, nodes, vertex)) return false;
    const meguri_text *text = text_of(nodes, vertex);
    uint32_t *place = place_of(keys, nodes, text ? 0 : nodes->ids[vertex], text);
    *found = *place;
    if (*place == MG_NO_VERTEX) *place = vertex;
    return true;
}

uint32_t mg_keys_find(const mg_keys *keys, const mg_nodes *nodes, uint64_t id, const meguri_text *text) {
    return keys->table ? *place_of(keys, nodes, id, text) : MG_NO_VERTEX;
}

void mg_keys_free(mg_keys *keys) { meguri_ctx_release(keys->table); }
