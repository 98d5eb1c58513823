/* A graph that lies in parts (shards.h): each process has the rows of its own vertices, and of nobody else's.
 *
 * Arcs lie in tiles, wherever the layout has put them. For each program they go to the owners of their sources, as
 * out-rows, and to those of their targets, as in-rows, with the value that the program reads; ends are positions. Rows
 * are in the order of the file that the graph was opened from, if there is one, else by position, and in-rows in the
 * order of messages: the same as those of the whole graph.
 *
 * Tables of all vertices, of 4 bytes each, are made where the number of a vertex is not its position (owners other than
 * by position), and where the file has an order of its own. */
#include "pregel/parts.h"

enum { CHUNK = 1024, GRAIN = 1 << 16 }; /* rows of a tile that a thread takes; items */

/* ---- tables of all vertices ------------------------------------------------------------------------------------- */

/* What the homes of positions know, at every process: `mine` has the items of this home. */
static meguri_status gather(uint32_t **out, meguri_ctx *ctx, const mg_shards *s, const uint32_t *mine) {
    int size = s->cluster->size;
    uint64_t most = (s->vertices + (uint64_t)size - 1) / (uint64_t)size, here = s->home.end - s->home.begin;
    uint32_t *padded = mg_alloc_array_zero(ctx, most, sizeof *padded, "numbers of vertices");
    uint32_t *all = mg_alloc_array(ctx, most * (uint64_t)size, sizeof *all, "numbers of vertices");
    meguri_status status = mg_agree(ctx, s->cluster, padded && all ? MEGURI_OK : MEGURI_NO_MEMORY);
    if (status == MEGURI_OK) {
        memcpy(padded, mine, here * sizeof *mine);
        status = mg_all_gather(ctx, s->cluster, &s->cluster->all, padded, most * sizeof *mine, all);
    }
    for (int p = 0; p < size && status == MEGURI_OK; p++) {
        mg_range home = mg_share(s->vertices, p, size);
        memmove(all + home.begin, all + (uint64_t)p * most, (home.end - home.begin) * sizeof *all);
    }
    mg_free(padded);
    if (status == MEGURI_OK) *out = all;
    else mg_free(all);
    return status;
}

/* The other way round; what came may be no numbering. */
static meguri_status invert(uint32_t **out, meguri_ctx *ctx, const mg_shards *s, const uint32_t *numbers) {
    uint32_t *back = mg_alloc_array(ctx, s->vertices, sizeof *back, "numbers of vertices");
    bool good = true;
    *out = back;
    if (!back) return MEGURI_NO_MEMORY;
    for (uint64_t i = 0; i < s->vertices; i++) back[i] = MG_NO_VERTEX;
    for (uint64_t i = 0; i < s->vertices && good; i++) {
        good = numbers[i] < s->vertices && back[numbers[i]] == MG_NO_VERTEX;
        if (good) back[numbers[i]] = (uint32_t)i;
    }
    return good ? MEGURI_OK : mg_strange(ctx, s->cluster, "numbers of vertices that are no numbering");
}

static meguri_status make_table(uint32_t **numbers, uint32_t **back, meguri_ctx *ctx, const mg_shards *s,
                                const uint32_t *mine) {
    meguri_status status = gather(numbers, ctx, s, mine);
    if (status == MEGURI_OK) status = mg_agree(ctx, s->cluster, invert(back, ctx, s, *numbers));
    return status;
}

/* ---- whose vertices are whose ----------------------------------------------------------------------------------- */

/* Vertices without arcs have an owner here, too: whoever their number says. */
static meguri_status own_all(mg_pregel_parts *p, meguri_ctx *ctx) {
    const mg_shards *s = p->shards;
    uint64_t size = (uint64_t)s->cluster->size, me = (uint64_t)s->cluster->rank;
    uint64_t count = s->vertices > me ? (s->vertices - me - 1) / size + 1 : 0, at = 0;
    p->everyone = *s;
    if (!p->numbers) return MEGURI_OK;
    p->own_positions = mg_alloc_array(ctx, count, sizeof *p->own_positions, "positions of vertices");
    p->own_in_order = mg_alloc_array(ctx, count, sizeof *p->own_in_order, "positions of vertices");
    if (!p->own_positions || !p->own_in_order) return MEGURI_NO_MEMORY;
    for (uint64_t i = 0; i < s->vertices; i++) {
        if (p->numbers[i] % size != me) continue;
        p->own_positions[p->numbers[i] / size] = (uint32_t)i;
        p->own_in_order[at++] = (uint32_t)(p->numbers[i] / size);
    }
    p->everyone.active = s->vertices;
    p->everyone.owned = (uint32_t)count;
    p->everyone.position.items = p->own_positions;
    p->everyone.in_order = p->own_in_order;
    return MEGURI_OK;
}

meguri_status mg_pregel_parts_open(mg_pregel_parts **out, meguri_ctx *ctx, mg_shards *s) {
    mg_pregel_parts *p = *out = mg_alloc_zero(ctx, sizeof *p, "a graph in parts");
    meguri_status status = p ? MEGURI_OK : MEGURI_NO_MEMORY;
    if (s->wide)
        status = mg_fail(ctx, MEGURI_BAD_ARGUMENT, "programs run on graphs of at most %llu vertices.",
                         (unsigned long long)MG_MAX_VERTICES);
    status = mg_agree(ctx, s->cluster, status);
    if (status != MEGURI_OK) return status;
    p->shards = s;
    if (s->owner != MEGURI_OWNER_POSITION && s->cluster->size > 1)
        status = make_table(&p->numbers, &p->position_of, ctx, s, s->number.items);
    else if (s->owner != MEGURI_OWNER_POSITION) /* of one process the place of a vertex is its position */
        status = invert(&p->position_of, ctx, s, s->number.items);
    if (status == MEGURI_OK && s->has_order) status = make_table(&p->to_internal, &p->to_user, ctx, s, s->internal);
    if (status == MEGURI_OK) status = own_all(p, ctx);
    return mg_agree(ctx, s->cluster, status);
}

void mg_pregel_parts_close(mg_pregel_parts *p) {
    if (!p) return;
    mg_free(p->numbers);
    mg_free(p->position_of);
    mg_free(p->to_internal);
    mg_free(p->to_user);
    mg_free(p->own_positions);
    mg_free(p->own_in_order);
    mg_free(p);
}

/* ---- arcs on their way ------------------------------------------------------------------------------------------ */

/* All arcs of this process's tiles. A key is the place of the vertex whose row it is, and the order of the other. */
typedef struct moving {
    const mg_pregel_parts *parts;
    uint32_t size;
    const mg_edge_values *edges;
    const mg_pregel_parts_values *columns;
    bool backwards, by_position;
    uint64_t chunks[3]; /* of the tiles: where those of each begin */
    uint64_t *places;   /* by chunk and process: counts, then where they go */
    uint64_t *keys;
    char *values;         /* of value_bytes each */
    uint32_t value_bytes; /* on the way: 0, 4 or 8 */
} moving;

static void move_chunk(const moving *m, uint64_t chunk, bool fill) {
    const mg_pregel_parts *p = m->parts;
    const mg_shards *s = p->shards;
    int t = chunk >= m->chunks[1];
    const mg_tile *tile = &s->tile[t];
    const uint32_t *order = m->by_position ? NULL : p->to_internal;
    uint64_t *next = m->places + chunk * m->size, first = (chunk - m->chunks[t]) * CHUNK;
    for (uint64_t row = first; row < MG_MIN(first + CHUNK, tile->in.rows); row++) {
        uint64_t begin = mg_row_begin(&tile->in, row), end = mg_row_end(&tile->in, row);
        if (begin == end) continue;
        uint64_t target = mg_window_number(tile->targets, m->size, (uint32_t)row);
        uint32_t target_position = mg_parts_position(p, tile->targets, m->size, (uint32_t)row);
        for (uint64_t arc = begin; arc < end; arc++) {
            uint64_t source = mg_window_number(tile->sources, m->size, tile->in.neighbors[arc]);
            uint64_t at = next[(m->backwards ? target : source) % m->size]++;
            if (!fill) continue;
            uint32_t position = mg_parts_position(p, tile->sources, m->size, tile->in.neighbors[arc]);
            uint32_t other = m->backwards ? position : target_position;
            uint64_t place = m->backwards ? target : source;
            if (m->size > 1) place /= m->size;
            else place = m->backwards ? target_position : position;
            m->keys[at] = place << 32 | (order ? order[other] : other);
            if (m->value_bytes) {
                uint64_t value = 0;
                mg_edge_value(&value, m->edges, m->edges->by_out_arc ? m->columns->of_tile[t] : tile->in.weights, arc);
                memcpy(m->values + at * m->value_bytes, &value, m->value_bytes);
            }
        }
    }
}
static void count_chunks(void *what, uint64_t begin, uint64_t end) {
    for (uint64_t chunk = begin; chunk < end; chunk++) move_chunk(what, chunk, false);
}
static void fill_chunks(void *what, uint64_t begin, uint64_t end) {
    for (uint64_t chunk = begin; chunk < end; chunk++) move_chunk(what, chunk, true);
}

/* By process, as they will be sent. */
static meguri_status pack(moving *m, meguri_ctx *ctx, uint64_t *begins) {
    const mg_shards *s = m->parts->shards;
    const char *what = "the edges of a worker";
    uint64_t arcs = 0, total = 0;
    for (int t = 0; t < s->layout.tiles; t++) arcs += s->tile[t].in.arcs;
    for (int t = 0; t < 2; t++) {
        uint64_t rows = t < s->layout.tiles ? s->tile[t].in.rows : 0;
        m->chunks[t + 1] = m->chunks[t] + (rows + CHUNK - 1) / CHUNK;
    }
    m->places = mg_alloc_array_zero(ctx, m->chunks[2] * m->size, sizeof *m->places, what);
    m->keys = mg_alloc_array(ctx, arcs, sizeof *m->keys, what);
    m->values = mg_alloc_array(ctx, arcs, MG_MAX(m->value_bytes, 1u), what);
    if (!m->places || !m->keys || !m->values) return MEGURI_NO_MEMORY;
    int threads = mg_threads(ctx, arcs, GRAIN);
    mg_for(ctx, threads, m->chunks[2], count_chunks, m);
    for (uint64_t k = 0; k < m->size; k++) {
        begins[k] = total;
        for (uint64_t chunk = 0; chunk < m->chunks[2]; chunk++) {
            uint64_t count = m->places[chunk * m->size + k];
            m->places[chunk * m->size + k] = total;
            total += count;
        }
    }
    begins[m->size] = total;
    mg_for(ctx, threads, m->chunks[2], fill_chunks, m);
    return MEGURI_OK;
}

/* To the owners; what comes is checked before it is used. */
static meguri_status exchange(moving *m, meguri_ctx *ctx, const uint64_t *begins, uint64_t count, uint64_t *arrived) {
    const mg_shards *s = m->parts->shards;
    uint64_t came[MG_PREGEL_WORKERS + 1], values_came[MG_PREGEL_WORKERS + 1];
    void *keys = NULL, *values = NULL;
    meguri_status status = mg_alltoallv_items(&keys, came, ctx, s->cluster, m->keys, begins, sizeof *m->keys, "edges");
    if (status == MEGURI_OK && m->value_bytes)
        status = mg_alltoallv_items(&values, values_came, ctx, s->cluster, m->values, begins, m->value_bytes, "edges");
    mg_free(m->keys);
    mg_free(m->values);
    m->keys = keys;
    m->values = values;
    if (status != MEGURI_OK) return status;
    if (m->value_bytes && memcmp(came, values_came, (m->size + 1) * sizeof *came) != 0)
        status = mg_strange(ctx, s->cluster, "it has not a value for each edge");
    for (uint64_t i = 0; i < came[m->size] && status == MEGURI_OK; i++)
        if (m->keys[i] >> 32 >= count || (uint32_t)m->keys[i] >= s->vertices)
            status = mg_strange(ctx, s->cluster, "edges of other vertices");
    *arrived = came[m->size];
    return mg_agree(ctx, s->cluster, status);
}

/* ---- columns ---------------------------------------------------------------------------------------------------- */

void mg_pregel_parts_values_free(mg_pregel_parts_values *values) {
    for (int t = 0; t < 2; t++) mg_free(values->of_tile[t]);
}

meguri_status mg_pregel_parts_values_new(mg_pregel_parts_values *out, meguri_ctx *ctx, const mg_pregel_parts *p,
                                         const char *column) {
    const mg_shards_column *found = column ? mg_shards_column_named(p->shards, column) : NULL;
    meguri_status status = MEGURI_OK;
    *out = (mg_pregel_parts_values){0};
    for (int t = 0; found && t < p->shards->layout.tiles && status == MEGURI_OK; t++)
        status = mg_shards_column_values(&out->of_tile[t], ctx, p->shards, found, t);
    if (status != MEGURI_OK) mg_pregel_parts_values_free(out);
    return status;
}

/* ---- rows ------------------------------------------------------------------------------------------------------- */

typedef struct closing {
    const moving *m;
    mg_pregel_parts_rows *rows;
    size_t bytes; /* of a value */
} closing;

static void close_rows(void *what, uint64_t begin, uint64_t end) {
    const closing *c = what;
    const mg_pregel_parts *p = c->m->parts;
    mg_pregel_parts_rows *r = c->rows;
    const uint32_t *back = c->m->by_position ? NULL : p->to_user;
    for (uint64_t i = begin; i < end; i++) {
        uint64_t place = c->m->keys[i] >> 32, next = i ? (c->m->keys[i - 1] >> 32) + 1 : 0;
        for (; next <= place; next++) r->offsets[next] = i;
        uint32_t key = (uint32_t)c->m->keys[i];
        r->ends[i] = back ? back[key] : key;
        if (c->bytes) memcpy(r->values + i * c->bytes, c->m->values + i * c->m->value_bytes, c->bytes);
    }
}

static meguri_status make_rows(mg_pregel_parts_rows *out, moving *m, meguri_ctx *ctx, uint64_t count, uint64_t arcs) {
    const char *what = "the edges of a worker";
    closing c = {.m = m, .rows = out, .bytes = m->value_bytes ? meguri_type_bytes(m->edges->to) : 0};
    uint32_t bits = 33;
    while (bits < 64 && count >> (bits - 32)) bits++;
    meguri_status status = mg_sort_u64(ctx, m->keys, m->value_bytes ? m->values : NULL, m->value_bytes, arcs, bits);
    if (status != MEGURI_OK) return status;
    *out = (mg_pregel_parts_rows){.rows = count, .arcs = arcs};
    out->offsets = mg_alloc_array(ctx, count + 1, sizeof *out->offsets, what);
    out->ends = mg_alloc_array(ctx, arcs, sizeof *out->ends, what);
    out->values = c.bytes ? mg_alloc_array(ctx, arcs, c.bytes, what) : NULL;
    out->bytes = (count + 1) * sizeof *out->offsets + arcs * (sizeof *out->ends + c.bytes);
    if (!out->offsets || !out->ends || (c.bytes && !out->values)) return MEGURI_NO_MEMORY;
    mg_for(ctx, mg_threads(ctx, arcs, GRAIN), arcs, close_rows, &c);
    for (uint64_t next = arcs ? (m->keys[arcs - 1] >> 32) + 1 : 0; next <= count; next++) out->offsets[next] = arcs;
    return MEGURI_OK;
}

void mg_pregel_parts_rows_free(mg_pregel_parts_rows *rows) {
    mg_free(rows->offsets);
    mg_free(rows->ends);
    mg_free(rows->values);
    *rows = (mg_pregel_parts_rows){0};
}

meguri_status mg_pregel_parts_rows_new(mg_pregel_parts_rows *out, meguri_ctx *ctx, const mg_pregel_parts *p,
                                       const mg_edge_values *edges, const mg_pregel_parts_values *columns,
                                       uint64_t count, bool backwards, bool by_position) {
    uint64_t begins[MG_PREGEL_WORKERS + 1], arcs = 0;
    size_t bytes = edges->to ? meguri_type_bytes(edges->to) : 0;
    moving m = {.parts = p,
                .size = (uint32_t)p->shards->cluster->size,
                .edges = edges,
                .columns = columns,
                .backwards = backwards,
                .by_position = by_position,
                .value_bytes = bytes > 4 ? 8
                               : bytes   ? 4
                                         : 0};
    *out = (mg_pregel_parts_rows){0};
    meguri_status status = mg_agree(ctx, p->shards->cluster, pack(&m, ctx, begins));
    if (status == MEGURI_OK) status = exchange(&m, ctx, begins, count, &arcs);
    if (status == MEGURI_OK) status = mg_agree(ctx, p->shards->cluster, make_rows(out, &m, ctx, count, arcs));
    mg_free(m.places);
    mg_free(m.keys);
    mg_free(m.values);
    if (status != MEGURI_OK) mg_pregel_parts_rows_free(out);
    return status;
}

/* ---- results ------------------------------------------------------------------------------------------------- */

meguri_status mg_pregel_parts_to_homes(meguri_ctx *ctx, mg_pregel_parts *p, void *out, const void *values,
                                       size_t bytes) {
    static const char nothing[1]; /* all have an owner */
    if (p->shards->cluster->size > 1) return mg_shards_to_homes(ctx, &p->everyone, out, values, bytes, nothing);
    memcpy(out, values, p->shards->vertices * bytes);
    return MEGURI_OK;
}
