/* What a search works with: its workspace, its list of vertices, its levels. */
#include "algo/betweenness/betweenness.h"

static const char *const what = "betweenness";

uint64_t mg_betweenness_workspace_bytes(uint64_t rows, uint32_t lanes, bool wide) {
    uint64_t numbers = sizeof(double) * (lanes > 1 ? 2 * lanes : 1) + (wide ? sizeof(int64_t) : 0) + sizeof(double);
    uint64_t list = (sizeof(uint32_t) + sizeof(uint8_t)) * (lanes > 1 ? 3 : 1);
    return rows * (numbers + list + 3 * sizeof(uint8_t));
}

meguri_status mg_betweenness_workspace(mg_betweenness *s, uint32_t lanes, bool wide) {
    uint64_t numbers = (uint64_t)s->rows * lanes;
    s->lanes = lanes;
    s->ways = mg_alloc_array_zero(s->ctx, numbers, sizeof *s->ways, what);
    s->wave = lanes == 1 ? s->ways : mg_alloc_array_zero(s->ctx, numbers, sizeof *s->wave, what);
    s->here = mg_alloc_array_zero(s->ctx, s->rows, sizeof *s->here, what);
    s->score = mg_alloc_array_zero(s->ctx, s->rows, sizeof *s->score, what);
    s->visited = mg_alloc_array(s->ctx, s->rows, sizeof *s->visited, what);
    s->found = mg_alloc_array_zero(s->ctx, s->rows, sizeof *s->found, what);
    if (!s->ways || !s->wave || !s->here || !s->score || !s->visited || !s->found) return MEGURI_NO_MEMORY;
    if (!wide) return MEGURI_OK;
    s->ways_scale = mg_alloc_array(s->ctx, s->rows, sizeof *s->ways_scale, what);
    return s->ways_scale ? MEGURI_OK : MEGURI_NO_MEMORY;
}

void mg_betweenness_free_workspace(mg_betweenness *s) {
    if (s->wave != s->ways) mg_free(s->wave);
    mg_free(s->ways);
    mg_free(s->ways_scale);
    mg_free(s->score);
    mg_free(s->here);
    mg_free(s->visited);
    mg_free(s->found);
    mg_free(s->list);
    mg_free(s->masks);
    mg_free(s->levels);
    *s = (mg_betweenness){.ctx = s->ctx,
                          .out = s->out,
                          .in = s->in,
                          .rows = s->rows,
                          .threads = s->threads,
                          .edges = s->edges,
                          .done = s->done,
                          .total = s->total};
}

meguri_status mg_betweenness_grow(mg_betweenness *s) {
    uint64_t needed = s->count + s->rows - s->finished;
    if (needed <= s->capacity) return MEGURI_OK;
    void *list = mg_resize(s->ctx, s->list, needed * sizeof *s->list, what);
    if (!list) return MEGURI_NO_MEMORY;
    s->list = list;
    void *masks = mg_resize(s->ctx, s->masks, needed * sizeof *s->masks, what);
    if (!masks) return MEGURI_NO_MEMORY;
    s->masks = masks;
    s->capacity = needed;
    return MEGURI_OK;
}

meguri_status mg_betweenness_add_level(mg_betweenness *s, uint64_t begin) {
    if (s->level_count == s->level_capacity) {
        uint64_t capacity = s->level_capacity ? 2 * s->level_capacity : 64;
        void *grown = mg_resize(s->ctx, s->levels, capacity * sizeof *s->levels, what);
        if (!grown) return MEGURI_NO_MEMORY;
        s->levels = grown;
        s->level_capacity = capacity;
    }
    s->levels[s->level_count++] = (mg_betweenness_level){.begin = begin, .end = s->count};
    return MEGURI_OK;
}

meguri_status mg_betweenness_start(mg_betweenness *s, const uint32_t *sources, uint32_t count) {
    s->count = s->finished = s->level_count = 0;
    s->unvisited_arcs = s->out.arcs;
    s->all = 0;
    s->too_large = false;
    meguri_status status = mg_betweenness_grow(s);
    if (status != MEGURI_OK) return status;
    memset(s->visited, 0, s->rows);
    for (uint32_t k = 0; k < count; k++) {
        uint32_t v = sources[k], i = 0;
        if (v >= s->rows) continue;
        uint8_t bit = (uint8_t)(1u << k);
        while (i < s->count && s->list[i] != v) i++; /* one that is named twice stands there once */
        if (i == s->count) s->masks[s->count++] = 0;
        s->list[i] = v;
        s->masks[i] |= bit;
        s->visited[v] |= bit;
        s->all |= bit;
        s->ways[(uint64_t)v * s->lanes + k] = 1;
        if (s->ways_scale) s->ways_scale[v] = 0;
    }
    return mg_betweenness_add_level(s, 0);
}
