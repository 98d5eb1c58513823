/* What a search works with: its workspace, its list of vertices, its levels. */
#include "algo/betweenness/betweenness.h"

static const char *const what = "betweenness";

uint64_t mg_betweenness_workspace_bytes(mg_betweenness_form form, uint64_t rows, uint32_t lanes) {
    if (form == MG_BETWEENNESS_NARROW) return rows * (2 * sizeof(double) + 2 * sizeof(uint32_t));
    uint64_t wide = form == MG_BETWEENNESS_WIDE ? sizeof(int64_t) : 0;
    uint64_t numbers = sizeof(double) * (lanes > 1 ? 2 * lanes : 1) + wide + sizeof(double);
    uint64_t list = (sizeof(uint32_t) + sizeof(uint8_t)) * (lanes > 1 ? 3 : 1);
    return rows * (numbers + list + 3 * sizeof(uint8_t));
}

/* Numbers are read before they are written. A page of fresh memory that is read first is one of zeros that all share,
 * and has to be replaced when it is written: every other processor is interrupted for that. So all are written here. */
static meguri_status narrow_workspace(mg_betweenness *s) {
    s->ways = mg_alloc_array(s->ctx, s->rows, sizeof *s->ways, what);
    s->score = mg_alloc_array(s->ctx, s->rows, sizeof *s->score, what);
    s->level_of = mg_alloc_array(s->ctx, s->rows, sizeof *s->level_of, what);
    s->capacity = (uint64_t)s->rows + 1; /* a vertex is written behind the list before it is known whether it is new */
    s->list = mg_alloc_array(s->ctx, s->capacity, sizeof *s->list, what);
    if (!s->ways || !s->score || !s->level_of || !s->list) return MEGURI_NO_MEMORY;
    memset(s->ways, 0, s->rows * sizeof *s->ways);
    memset(s->score, 0, s->rows * sizeof *s->score);
    return MEGURI_OK;
}

static meguri_status wave_workspace(mg_betweenness *s, bool wide) {
    uint64_t numbers = (uint64_t)s->rows * s->lanes;
    s->ways = mg_alloc_array_zero(s->ctx, numbers, sizeof *s->ways, what);
    s->wave = s->lanes == 1 ? s->ways : mg_alloc_array_zero(s->ctx, numbers, sizeof *s->wave, what);
    s->here = mg_alloc_array_zero(s->ctx, s->rows, sizeof *s->here, what);
    s->score = mg_alloc_array_zero(s->ctx, s->rows, sizeof *s->score, what);
    s->visited = mg_alloc_array(s->ctx, s->rows, sizeof *s->visited, what);
    s->found = mg_alloc_array_zero(s->ctx, s->rows, sizeof *s->found, what);
    if (!s->ways || !s->wave || !s->here || !s->score || !s->visited || !s->found) return MEGURI_NO_MEMORY;
    if (!wide) return MEGURI_OK;
    s->ways_scale = mg_alloc_array(s->ctx, s->rows, sizeof *s->ways_scale, what);
    return s->ways_scale ? MEGURI_OK : MEGURI_NO_MEMORY;
}

meguri_status mg_betweenness_workspace(mg_betweenness *s, mg_betweenness_form form, uint32_t lanes) {
    if (s->form == form && s->lanes == lanes) return MEGURI_OK;
    mg_betweenness_free_workspace(s);
    s->lanes = lanes;
    meguri_status status =
        form == MG_BETWEENNESS_NARROW ? narrow_workspace(s) : wave_workspace(s, form == MG_BETWEENNESS_WIDE);
    if (status == MEGURI_OK) s->form = form;
    return status;
}

void mg_betweenness_free_workspace(mg_betweenness *s) {
    if (s->lanes > 1) mg_free(s->wave);
    mg_free(s->ways);
    mg_free(s->ways_scale);
    mg_free(s->level_of);
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

static void start_in_lanes(mg_betweenness *s, const uint32_t *sources, uint32_t count) {
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
}

static void start_narrow(mg_betweenness *s, uint32_t source) {
    memset(s->level_of, 0xFF, s->rows * sizeof *s->level_of);
    if (source >= s->rows) return;
    s->list[s->count++] = source;
    s->level_of[source] = 0;
    s->ways[source] = 1;
    s->all = 1;
}

meguri_status mg_betweenness_start(mg_betweenness *s, const uint32_t *sources, uint32_t count) {
    s->count = s->finished = s->level_count = 0;
    s->unvisited_arcs = s->out.arcs;
    s->all = 0;
    s->too_large = s->abandoned = false;
    if (s->form == MG_BETWEENNESS_NARROW) {
        start_narrow(s, sources[0]);
    } else {
        meguri_status status = mg_betweenness_grow(s);
        if (status != MEGURI_OK) return status;
        start_in_lanes(s, sources, count);
    }
    return mg_betweenness_add_level(s, 0);
}
