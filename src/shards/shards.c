/* A graph in parts: the handle, and making one out of edges that are already spread over the processes. */
#include "shards/build.h"

/* ---- the handle ------------------------------------------------------------------------------------------------- */

void mg_shards_free(mg_shards *s) {
    if (!s) return;
    for (int t = 0; t < 2; t++) {
        for (int i = 0; i < 2; i++) mg_turned_free(&s->tile[t].memory[i]);
        mg_free(s->window_position[t].items);
    }
    mg_free(s->position.items);
    mg_free(s->degree);
    mg_free(s->in_order);
    mg_free(s->number.items);
    mg_free(s->internal);
    mg_shards_free_columns(s);
    mg_free(s->ids);
    mg_free(s->name_offsets);
    mg_free(s->names);
    mg_layout_free(&s->layout);
    mg_free(s);
}

static uint64_t rows_bytes(const mg_rows *r, meguri_type weights) {
    return (r->rows + 1) * (r->offsets32 ? 4 : 8) + r->arcs * (4 + (r->weights ? meguri_type_bytes(weights) : 0));
}

meguri_status meguri_graph_get_layout(meguri_layout_info *out, meguri_ctx *ctx, const meguri_graph *graph) {
    if (!out || !ctx || !graph) return mg_missing(ctx, __func__);
    mg_begin(ctx);
    if (!graph->elsewhere) return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "the graph is whole: it has no layout.");
    const mg_shards *s = mg_shards_of(graph);
    uint64_t arcs = 0, global = mg_global_bytes(s->wide);
    uint64_t bytes =
        (global + sizeof *s->degree + sizeof *s->in_order) * s->owned + global * (s->home.end - s->home.begin);
    for (int t = 0; t < s->layout.tiles; t++) {
        const mg_tile *tile = &s->tile[t];
        arcs += tile->in.arcs;
        bytes += rows_bytes(&tile->in, s->weight_type);
        if (tile->memory[1].arcs || tile->memory[1].offsets) bytes += rows_bytes(&tile->out, s->weight_type);
    }
    for (int w = 0; w < s->layout.windows; w++)
        if (s->window_position[w].items) bytes += global * s->layout.window[w].places;
    if (s->ids || s->name_offsets) bytes += 8 * (s->home.end - s->home.begin);
    if (s->name_offsets) bytes += s->name_offsets[s->home.end - s->home.begin];
    uint64_t most = arcs;
    meguri_status status = mg_agree_call(ctx, s->cluster, MEGURI_OK, &(mg_call){.name = "meguri_graph_get_layout"});
    if (status == MEGURI_OK) status = mg_reduce_u64(ctx, s->cluster, &s->cluster->all, &most, 1, MG_MAXIMUM);
    if (status != MEGURI_OK) return status;
    meguri_layout_info info = {.size = out->size,
                               .processes = (uint32_t)s->cluster->size,
                               .rows = (uint32_t)s->layout.rows,
                               .columns = (uint32_t)s->layout.columns,
                               .pairs = s->layout.pairs,
                               .owner = s->owner,
                               .arcs = s->arcs,
                               .arcs_here = arcs,
                               .most_arcs_here = most,
                               .bytes_here = bytes};
    return mg_hand_out(ctx, out, sizeof info, &info, "meguri_layout_info");
}

static void free_parts(void *parts) { mg_shards_free(parts); }

static const mg_elsewhere in_parts = {.where = "in parts on a cluster",
                                      .engine = MEGURI_ENGINE_CLUSTER,
                                      .free = free_parts,
                                      .find_id = mg_shards_find_id,
                                      .find_name = mg_shards_find_name,
                                      .id_text = mg_shards_id,
                                      .save = mg_shards_save,
                                      .write = mg_shards_write,
                                      .top = mg_shards_top,
                                      .groups = mg_shards_groups};

meguri_status mg_shards_graph(meguri_graph **out, meguri_ctx *ctx, meguri_cluster *cluster, mg_shards *s,
                              meguri_status status) {
    *out = NULL;
    if (status == MEGURI_OK) status = mg_shards_check_sums(ctx, s);
    meguri_graph *g = status == MEGURI_OK ? mg_graph_shell(ctx) : NULL;
    if (status == MEGURI_OK) status = mg_agree(ctx, cluster, g ? MEGURI_OK : MEGURI_NO_MEMORY);
    if (status != MEGURI_OK) {
        meguri_graph_free(g);
        mg_shards_free(s);
        return status;
    }
    g->elsewhere = &in_parts;
    g->parts = s;
    g->processes = (uint32_t)cluster->size;
    g->of_results = s->home;
    g->vertices = s->vertices;
    g->arcs = s->arcs;
    g->edges = s->edges;
    g->isolated = s->isolated;
    g->directed = s->directed;
    g->weight_type = s->file_weights;
    g->declared_weights = s->declared_weights;
    g->id_kind = s->id_kind;
    g->id_base = s->id_base;
    g->order = MEGURI_ORDER_DEGREE;
    g->input_edges = s->input_edges;
    g->dropped_duplicates = s->dropped_duplicates;
    g->dropped_loops = s->dropped_loops;
    *out = g;
    return MEGURI_OK;
}

/* ---- building --------------------------------------------------------------------------------------------------- */

/* Who owns what: every home tells the owners of its vertices where these are in the user's order. */
typedef struct owner_reader {
    const mg_shards *shards;
    uint64_t place;
} owner_reader;

static uint64_t next_owned(void *user, void *items, uint32_t *to, uint64_t capacity) {
    owner_reader *r = user;
    const mg_shards *s = r->shards;
    const mg_globals pairs = {items, s->wide};
    uint64_t count = s->home.end - s->home.begin, n = 0;
    for (; r->place < count && n < capacity; r->place++) {
        uint64_t g = mg_global_at(s->number, r->place);
        if (g >= s->active) continue;
        mg_global_put(pairs, 2 * n, g);
        mg_global_put(pairs, 2 * n + 1, s->home.begin + r->place);
        to[n++] = (uint32_t)(g % (uint64_t)s->cluster->size);
    }
    return n;
}

enum { GRAIN = 1 << 15 }; /* vertices, or arcs, that a thread is worth */

/* Numbers and positions of own vertices, as they came. */
typedef struct taking {
    mg_shards *shards;
    mg_globals pairs;
    mg_splitter by_size;
    uint32_t wrong; /* some are not those of all own vertices */
} taking;

static void forget_positions(void *what, uint64_t begin, uint64_t end) {
    const mg_shards *s = ((const taking *)what)->shards;
    for (uint64_t i = begin; i < end; i++) mg_global_put(s->position, i, mg_no_global(s->wide));
}

/* Sets a place that nobody has set yet; false: somebody has. */
static bool claim(mg_globals a, uint64_t i, uint64_t number) {
    return a.wide ? mg_compare_swap((uint64_t *)a.items + i, UINT64_MAX, number)
                  : mg_compare_swap((uint32_t *)a.items + i, UINT32_MAX, (uint32_t)number);
}

static void take_pairs(void *what, uint64_t begin, uint64_t end) {
    taking *t = what;
    const mg_shards *s = t->shards;
    bool right = true;
    for (uint64_t i = begin; i < end && right; i++) {
        uint64_t local = mg_split_whole(&t->by_size, mg_global_at(t->pairs, 2 * i));
        uint64_t position = mg_global_at(t->pairs, 2 * i + 1);
        right = local < s->owned && position < s->vertices && claim(s->position, local, position);
    }
    if (!right) mg_store(&t->wrong, 1);
}

/* A file can lie about positions: then two vertices have one number, and another has none. */
static meguri_status take_positions(meguri_ctx *ctx, mg_shards *s, mg_globals pairs, uint64_t count) {
    taking t = {.shards = s, .pairs = pairs, .by_size = mg_splitter_of((uint32_t)s->cluster->size)};
    int threads = mg_threads(ctx, s->owned, GRAIN);
    if (count != s->owned) t.wrong = 1;
    mg_for(ctx, threads, s->owned, forget_positions, &t);
    if (!t.wrong) mg_for(ctx, threads, count, take_pairs, &t);
    return !t.wrong
               ? MEGURI_OK
               : mg_fail(ctx, MEGURI_BAD_INPUT,
                         "the .meg file is damaged: its user-to-internal map names a vertex twice; copy it again from "
                         "where it came, or build it again.");
}

static meguri_status put_in_order(meguri_ctx *ctx, mg_shards *s) {
    mg_globals keys = mg_globals_new(ctx, s->owned, s->wide, "positions of vertices");
    s->in_order = mg_alloc_array(ctx, s->owned, sizeof *s->in_order, "the user's order");
    meguri_status status = keys.items && s->in_order ? MEGURI_OK : MEGURI_NO_MEMORY;
    if (status == MEGURI_OK) {
        memcpy(keys.items, s->position.items, s->owned * mg_global_bytes(s->wide));
        for (uint32_t v = 0; v < s->owned; v++) s->in_order[v] = v;
        status = mg_sort_globals(ctx, keys, s->in_order, sizeof *s->in_order, s->owned);
    }
    mg_free(keys.items);
    return status;
}

static meguri_status tell_owners(meguri_ctx *ctx, mg_shards *s) {
    owner_reader reader = {s, 0};
    const mg_route_source source = {next_owned, &reader, 2 * mg_global_bytes(s->wide)};
    uint64_t stride = s->layout.window[0].stride, count;
    void *items = NULL;
    s->owned = s->active > (uint64_t)s->cluster->rank
                   ? mg_local((s->active - (uint64_t)s->cluster->rank - 1) / (uint64_t)s->cluster->size + 1)
                   : 0;
    s->position = mg_globals_new(ctx, stride, s->wide, "positions of vertices");
    meguri_status status = mg_agree(ctx, s->cluster, s->position.items ? MEGURI_OK : MEGURI_NO_MEMORY);
    if (status == MEGURI_OK) status = mg_route(&items, &count, ctx, s->cluster, &source, "positions of vertices");
    if (status == MEGURI_OK) {
        status = take_positions(ctx, s, (mg_globals){items, s->wide}, count);
        status = mg_agree(ctx, s->cluster, status == MEGURI_OK ? put_in_order(ctx, s) : status);
    }
    mg_free(items);
    return status;
}

static meguri_status gather_positions(meguri_ctx *ctx, mg_shards *s) {
    meguri_status status = MEGURI_OK;
    for (int w = 0; w < s->layout.windows; w++) {
        if (!s->layout.window[w].source) continue;
        s->window_position[w] = mg_globals_new(ctx, s->layout.window[w].places, s->wide, "positions of vertices");
        if (!s->window_position[w].items) status = MEGURI_NO_MEMORY;
    }
    status = mg_agree(ctx, s->cluster, status);
    if (status != MEGURI_OK) return status;
    return mg_windows_gather(ctx, s->cluster, &s->layout, "bulk", s->position.items, mg_global_bytes(s->wide),
                             (void *const[]){s->window_position[0].items, s->window_position[1].items});
}

static void add_u32(void *mine, const void *more, uint64_t count) {
    for (uint64_t i = 0; i < count; i++) ((uint32_t *)mine)[i] += ((const uint32_t *)more)[i];
}

typedef struct degree_count {
    const mg_rows *rows;
    uint32_t *degree;
} degree_count;

static void count_lengths(void *what, uint64_t begin, uint64_t end) {
    const degree_count *c = what;
    for (uint64_t v = begin; v < end; v++)
        c->degree[v] += (uint32_t)(mg_row_offset(c->rows, v + 1) - mg_row_offset(c->rows, v));
}

static void count_neighbors(void *what, uint64_t begin, uint64_t end) {
    const degree_count *c = what;
    for (uint64_t i = begin; i < end; i++) mg_fetch_add(&c->degree[c->rows->neighbors[i]], 1);
}

/* The arcs that leave a vertex, or lead to it, lie at all members of its window. */
meguri_status mg_shards_count_degrees(uint32_t *degree, meguri_ctx *ctx, mg_shards *s, bool in) {
    uint32_t *rows[2] = {NULL, NULL};
    meguri_status status = MEGURI_OK;
    if (!s->directed) in = true; /* they are the same, and these rows are always there */
    for (int w = 0; w < s->layout.windows; w++) {
        if (in ? !s->layout.window[w].target : !s->layout.window[w].source) continue;
        rows[w] = mg_alloc_array_zero(ctx, s->layout.window[w].places, sizeof **rows, "degrees");
        if (!rows[w]) status = MEGURI_NO_MEMORY;
    }
    for (int t = 0; t < s->layout.tiles && status == MEGURI_OK; t++) {
        const mg_rows *r = &s->tile[t].in;
        degree_count count = {r, rows[in ? s->layout.tile_target[t] : s->layout.tile_source[t]]};
        if (in) mg_for(ctx, mg_threads(ctx, r->rows, GRAIN), r->rows, count_lengths, &count);
        else mg_for(ctx, mg_threads(ctx, r->arcs, GRAIN), r->arcs, count_neighbors, &count);
    }
    status = mg_agree(ctx, s->cluster, status);
    if (status == MEGURI_OK)
        status = mg_windows_fold(ctx, s->cluster, &s->layout, "bulk", degree, sizeof *degree,
                                 (void *const[]){rows[0], rows[1]}, add_u32, NULL);
    mg_free(rows[0]);
    mg_free(rows[1]);
    return status;
}

/* Vertices that are owned and have no arcs, here. */
static meguri_status count_isolated(uint64_t *out, meguri_ctx *ctx, mg_shards *s) {
    uint32_t *in = s->degree;
    uint64_t isolated = 0;
    meguri_status status = MEGURI_OK;
    if (s->owner != MEGURI_OWNER_DEGREE && s->directed) {
        in = mg_alloc_array_zero(ctx, s->layout.window[0].stride, sizeof *in, "degrees");
        status = mg_agree(ctx, s->cluster, in ? MEGURI_OK : MEGURI_NO_MEMORY);
        if (status == MEGURI_OK) status = mg_shards_count_degrees(in, ctx, s, true);
    }
    for (uint32_t v = 0; v < s->owned && status == MEGURI_OK && s->owner != MEGURI_OWNER_DEGREE; v++)
        isolated += !s->degree[v] && !in[v];
    if (in != s->degree) mg_free(in);
    *out = isolated;
    return status;
}

/* Sums over all processes. */
static meguri_status count_all(meguri_ctx *ctx, mg_shards *s, mg_shards_builder *b) {
    uint64_t sums[6] = {b->input_edges, b->loops, b->duplicates, 0, b->kept_loops, 0};
    for (int t = 0; t < s->layout.tiles; t++) sums[3] += s->tile[t].in.arcs;
    meguri_status status = count_isolated(&sums[5], ctx, s);
    if (status == MEGURI_OK) status = mg_reduce_u64(ctx, s->cluster, &s->cluster->all, sums, 6, MG_SUM);
    if (status != MEGURI_OK) return status;
    bool halves = !s->directed; /* edges are stored both ways, but for loops */
    uint64_t duplicate_loops = b->source->keep_loops ? sums[1] - sums[4] : 0;
    s->input_edges = sums[0];
    s->dropped_loops = b->source->keep_loops ? 0 : sums[1];
    s->dropped_duplicates = halves ? (sums[2] - duplicate_loops) / 2 + duplicate_loops : sums[2];
    s->arcs = sums[3];
    s->edges = halves ? (s->arcs - sums[4]) / 2 + sums[4] : s->arcs;
    s->isolated = s->vertices - s->active + sums[5];
    return MEGURI_OK;
}

/* Numbers that the source knows. */
static meguri_status take_numbers(meguri_ctx *ctx, mg_shards *s, const mg_edge_source *source) {
    s->number = mg_globals_new(ctx, s->home.end - s->home.begin, s->wide, "numbers of vertices");
    s->active = source->active;
    s->owner = source->owner;
    return s->number.items ? source->number(source->user, ctx, s->number, s->home) : MEGURI_NO_MEMORY;
}

/* What a process looks at has local numbers. */
static meguri_status check_windows(meguri_ctx *ctx, const mg_layout *l) {
    uint64_t most = l->pairs ? MG_MAX_PLACES / 2 : MG_MAX_PLACES;
    uint64_t both = l->window[0].places + (l->windows > 1 ? l->window[1].places : 0); /* which components number */
    for (int w = 0; w < l->windows; w++)
        if (l->window[w].places > most || both > UINT32_MAX)
            return mg_fail(ctx, MEGURI_BAD_ARGUMENT,
                           "each process would look at %llu vertices, and at most %llu have numbers there: start more "
                           "processes, or choose a grid that is nearer to a square.",
                           (unsigned long long)l->window[w].places, (unsigned long long)most);
    return MEGURI_OK;
}

/* Edges are read, and their ends numbered. */
static meguri_status read_and_number(meguri_ctx *ctx, mg_shards *s, mg_shards_builder *b) {
    double since = mg_now();
    meguri_status status = mg_shards_read_edges(ctx, b);
    mg_trace_phase(ctx, "shards", "read", (int64_t)b->count, -1, since);
    since = mg_now();
    if (status == MEGURI_OK && !b->source->number) status = mg_shards_number_ends(ctx, b, &s->owner);
    mg_trace_phase(ctx, "shards", "number", (int64_t)b->count, -1, since);
    return status;
}

/* Numbered edges go to their tiles. */
static meguri_status send_edges(meguri_ctx *ctx, mg_shards *s, mg_shards_builder *b) {
    double since = mg_now();
    meguri_status status = mg_shards_hop(ctx, b);
    mg_trace_phase(ctx, "shards", "hop", (int64_t)b->streams.count, -1, since);
    since = mg_now();
    if (status == MEGURI_OK) status = mg_shards_rows(ctx, b);
    mg_trace_phase(ctx, "shards", "rows", (int64_t)s->tile[0].in.arcs, -1, since);
    return status;
}

static meguri_status lay_out(meguri_ctx *ctx, mg_shards *s, mg_shards_builder *b, const meguri_layout *options) {
    const mg_edge_source *source = b->source;
    meguri_status status = MEGURI_OK;
    s->owner = options->owner == MEGURI_OWNER_AUTO && options->pairs ? MEGURI_OWNER_DEGREE : options->owner;
    if (source->number) status = mg_agree(ctx, s->cluster, take_numbers(ctx, s, source));
    else status = read_and_number(ctx, s, b);
    if (status == MEGURI_OK)
        status = mg_agree(ctx, s->cluster, mg_layout_new(&s->layout, ctx, s->cluster, options, s->owner));
    if (status != MEGURI_OK) return status;
    mg_layout_measure(&s->layout, s->active);
    status = mg_agree(ctx, s->cluster, check_windows(ctx, &s->layout));
    if (status != MEGURI_OK) return status;
    if (source->take && source->takes(source->user, &s->layout)) return source->take(source->user, ctx, s);
    if (source->number) status = read_and_number(ctx, s, b);
    return status == MEGURI_OK ? send_edges(ctx, s, b) : status;
}

static meguri_status build(meguri_ctx *ctx, mg_shards *s, mg_shards_builder *b, const meguri_layout *options) {
    meguri_status status = mg_agree(ctx, s->cluster, mg_layout_check(ctx, s->cluster, options));
    if (status == MEGURI_OK) status = lay_out(ctx, s, b, options);
    if (status != MEGURI_OK) return status;
    double since = mg_now();
    status = tell_owners(ctx, s);
    if (status == MEGURI_OK) status = gather_positions(ctx, s);
    if (status == MEGURI_OK) {
        s->degree = mg_alloc_array_zero(ctx, s->layout.window[0].stride, sizeof *s->degree, "degrees");
        status = mg_agree(ctx, s->cluster, s->degree ? MEGURI_OK : MEGURI_NO_MEMORY);
    }
    if (status == MEGURI_OK) status = mg_shards_count_degrees(s->degree, ctx, s, false);
    if (status == MEGURI_OK) status = count_all(ctx, s, b);
    mg_trace_phase(ctx, "shards", "close", (int64_t)s->owned, -1, since);
    return status;
}

meguri_status mg_shards_build(mg_shards **out, meguri_ctx *ctx, const mg_edge_source *source,
                              const meguri_layout *layout) {
    meguri_cluster *cluster = layout->cluster;
    *out = NULL;
    mg_shards *s = NULL;
    meguri_status status = MEGURI_OK;
    if (source->vertices > MG_MAX_GLOBAL)
        status = mg_fail(ctx, MEGURI_BAD_ARGUMENT, "%llu vertices are too many: at most %llu.",
                         (unsigned long long)source->vertices, (unsigned long long)MG_MAX_GLOBAL);
    if (status == MEGURI_OK && !(s = mg_alloc_zero(ctx, sizeof *s, "a graph in parts"))) status = MEGURI_NO_MEMORY;
    status = mg_agree(ctx, cluster, status);
    if (status != MEGURI_OK) {
        mg_free(s);
        mg_free(source->ends);
        mg_free(source->end_weights);
        return status;
    }
    s->cluster = cluster;
    s->vertices = source->vertices;
    s->wide = mg_is_wide(s->vertices);
    s->directed = source->directed;
    s->home = mg_share(s->vertices, cluster->rank, cluster->size);
    s->id_kind = MEGURI_ID_UNSIGNED;
    mg_shards_builder b = {
        .shards = s, .source = source, .ends = {source->ends, s->wide}, .carried = source->end_weights};
    mg_shards_merge_start(&b);
    mg_recycle_begin(ctx);
    status = build(ctx, s, &b, layout);
    mg_free(b.ends.items);
    mg_free(b.carried);
    mg_streams_free(&b.streams);
    mg_recycle_end(ctx);
    if (status == MEGURI_OK) status = mg_shards_choose_type(ctx, s, source->smallest_type);
    if (status == MEGURI_OK) *out = s;
    else mg_shards_free(s);
    return status;
}
