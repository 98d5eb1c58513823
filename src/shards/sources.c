/* Where the edges of a graph in parts come from: a generator, of which each process draws its share, or a graph that
 * every process has. */
#include "shards/shards.h"

/* ---- a drawing -------------------------------------------------------------------------------------------------- */

/* Some drawings, one after another: this process's share of each. */
typedef struct drawn {
    const meguri_cluster *cluster;
    const mg_drawing *const *drawings;
    int count, current;
    uint64_t place, end;
    uint64_t given, last;         /* edges given, and how many of them before the last time … */
    uint64_t drawn_before, first; /* … when the first was this edge of all; those of drawings that are done */
    void *unwanted;               /* room for weights that nobody wants */
} drawn;

enum { UNWANTED = 65536 }; /* edges drawn at a time, where they are */

static void begin_drawing(drawn *d) {
    if (d->current == d->count) return;
    mg_range share = mg_share(d->drawings[d->current]->units, d->cluster->rank, d->cluster->size);
    d->place = share.begin;
    d->end = share.end;
}

static uint64_t next_drawn(void *user, mg_globals ends, void *weights, uint64_t capacity) {
    drawn *d = user;
    uint64_t edges = 0;
    if (d->unwanted) {
        weights = d->unwanted;
        capacity = MG_MIN(capacity, (uint64_t)UNWANTED);
    }
    while (!edges && d->current < d->count) { /* a unit may have no edge */
        const mg_drawing *drawing = d->drawings[d->current];
        uint64_t to = MG_MIN(d->end, d->place + capacity / drawing->edges_per_unit);
        void *wanted = drawing->weights == MEGURI_TYPE_NONE ? NULL : weights;
        d->first = d->drawn_before + d->place * drawing->edges_per_unit;
        if (d->place < to) edges = mg_globals_draw(ends, drawing, wanted, d->place, to);
        d->place = to;
        if (d->place < d->end) continue;
        d->drawn_before += drawing->units * drawing->edges_per_unit;
        d->current++;
        begin_drawing(d);
    }
    d->last = d->given;
    d->given += edges;
    return edges;
}

/* A unit may have fewer edges than it could: the order is the same. */
static uint64_t place_drawn(const void *user, uint64_t edge) {
    const drawn *d = user;
    return d->first + (edge - d->last);
}

static meguri_status draw_all(mg_shards **out, meguri_ctx *ctx, const mg_drawing *const *drawings, int count,
                              uint64_t vertices, const meguri_build_options *build) {
    meguri_cluster *cluster = build->layout->cluster;
    drawn d = {.cluster = cluster, .drawings = drawings, .count = count};
    bool unwanted = mg_ignores_weights(build) && drawings[0]->weights != MEGURI_TYPE_NONE;
    if (unwanted) d.unwanted = mg_alloc_array(ctx, UNWANTED, 8, "weights that are not kept");
    meguri_status status = mg_agree(ctx, cluster, !unwanted || d.unwanted ? MEGURI_OK : MEGURI_NO_MEMORY);
    if (status != MEGURI_OK) return status;
    begin_drawing(&d);
    const mg_edge_source source = {.next = next_drawn,
                                   .user = &d,
                                   .vertices = vertices,
                                   .directed = build->direction == MEGURI_DIRECTED,
                                   .keep_loops = build->keep_loops,
                                   .duplicates = build->duplicates,
                                   .weights = unwanted ? MEGURI_TYPE_NONE : drawings[0]->weights,
                                   .smallest_type = true,
                                   .place = place_drawn};
    status = mg_shards_build(out, ctx, &source, build->layout);
    if (status == MEGURI_OK) (*out)->declared_weights = mg_weights_declared(source.weights, build->duplicates);
    mg_free(d.unwanted);
    return status;
}

/* The layout is known to be one (mg_layout_makers). */
static meguri_status draw_recipe(meguri_graph **out, meguri_ctx *ctx, const meguri_layout *layout, mg_recipe *recipe,
                                 meguri_status status, mg_call *call) {
    mg_shards *shards = NULL;
    mg_call_layout(call, layout);
    status = mg_agree_call(ctx, layout->cluster, status, call);
    if (status == MEGURI_OK)
        status = draw_all(&shards, ctx, recipe->drawings, recipe->count, recipe->vertices, &recipe->build);
    mg_recipe_free(recipe);
    return mg_shards_graph(out, ctx, layout->cluster, shards, status);
}

meguri_status mg_shards_kronecker(meguri_graph **out, meguri_ctx *ctx, const meguri_kronecker_options *what) {
    mg_recipe recipe;
    meguri_status status = mg_kronecker_recipe(&recipe, ctx, what);
    mg_call call = {.name = "meguri_gen_kronecker"};
    mg_call_number(&call, "scale", (uint64_t)what->scale);
    mg_call_number(&call, "edge factor", (uint64_t)what->edge_factor);
    mg_call_number(&call, "seed", (uint64_t)what->seed);
    mg_call_number(&call, "type of weights", (uint64_t)what->weights);
    mg_call_build(&call, what->build);
    return draw_recipe(out, ctx, what->build->layout, &recipe, status, &call);
}

meguri_status mg_shards_rmat(meguri_graph **out, meguri_ctx *ctx, const meguri_rmat_options *what) {
    mg_recipe recipe;
    meguri_status status = mg_rmat_recipe(&recipe, ctx, what);
    mg_call call = {.name = "meguri_gen_rmat"};
    mg_call_number(&call, "scale", (uint64_t)what->scale);
    mg_call_number(&call, "edge factor", (uint64_t)what->edge_factor);
    mg_call_number(&call, "seed", (uint64_t)what->seed);
    mg_call_number(&call, "type of weights", (uint64_t)what->weights);
    mg_call_real(&call, "a", what->a);
    mg_call_real(&call, "b", what->b);
    mg_call_real(&call, "c", what->c);
    mg_call_real(&call, "noise", what->noise);
    mg_call_build(&call, what->build);
    return draw_recipe(out, ctx, what->build->layout, &recipe, status, &call);
}

meguri_status mg_shards_uniform(meguri_graph **out, meguri_ctx *ctx, const meguri_uniform_options *what) {
    mg_recipe recipe;
    meguri_status status = mg_uniform_recipe(&recipe, ctx, what);
    mg_call call = {.name = "meguri_gen_uniform"};
    mg_call_number(&call, "number of vertices", (uint64_t)what->vertices);
    mg_call_number(&call, "number of edges", (uint64_t)what->edges);
    mg_call_number(&call, "seed", (uint64_t)what->seed);
    mg_call_number(&call, "type of weights", (uint64_t)what->weights);
    mg_call_build(&call, what->build);
    return draw_recipe(out, ctx, what->build->layout, &recipe, status, &call);
}

meguri_status mg_shards_grid(meguri_graph **out, meguri_ctx *ctx, const meguri_grid_options *what) {
    mg_recipe recipe;
    meguri_status status = mg_grid_recipe(&recipe, ctx, what);
    mg_call call = {.name = "meguri_gen_grid"};
    mg_call_number(&call, "width", (uint64_t)what->width);
    mg_call_number(&call, "height", (uint64_t)what->height);
    mg_call_number(&call, "number of links", (uint64_t)what->links);
    mg_call_number(&call, "seed", (uint64_t)what->seed);
    mg_call_build(&call, what->build);
    return draw_recipe(out, ctx, what->build->layout, &recipe, status, &call);
}

/* ---- a graph that everybody has --------------------------------------------------------------------------------- */

typedef struct cut {
    mg_rows rows;
    mg_numbering numbering;
    meguri_type weight_type, as;
    bool with_numbers; /* arcs travel with these instead of weights */
    uint64_t arc, end, row;
} cut;

static uint64_t next_cut(void *user, mg_globals ends, void *weights, uint64_t capacity) {
    cut *c = user;
    uint64_t n = MG_MIN(capacity, c->end - c->arc);
    for (uint64_t i = 0; i < n; i++, c->arc++) {
        while (mg_row_offset(&c->rows, c->row + 1) <= c->arc) c->row++;
        mg_global_put(ends, 2 * i, mg_to_user(&c->numbering, (uint32_t)c->row));
        mg_global_put(ends, 2 * i + 1, mg_to_user(&c->numbering, c->rows.neighbors[c->arc]));
        double weight = c->with_numbers   ? (double)c->arc
                        : c->rows.weights ? mg_weight_at(c->rows.weights, c->weight_type, c->arc)
                                          : 1;
        if (c->as == MEGURI_TYPE_U32) ((uint32_t *)weights)[i] = (uint32_t)weight;
        if (c->as == MEGURI_TYPE_F32) ((float *)weights)[i] = (float)weight;
        if (c->as == MEGURI_TYPE_F64) ((double *)weights)[i] = weight;
    }
    return n;
}

static meguri_type wide_type(meguri_type type) {
    if (type == MEGURI_TYPE_U8 || type == MEGURI_TYPE_U16) return MEGURI_TYPE_U32;
    return type;
}

static meguri_status spread(mg_shards **out, meguri_ctx *ctx, const meguri_graph *graph, const meguri_layout *layout) {
    meguri_cluster *cluster = layout->cluster;
    cut c = {.weight_type = graph->weight_type,
             .as = wide_type(graph->weight_type),
             .with_numbers = mg_shards_keep_columns(graph, layout)};
    if (c.with_numbers) c.as = mg_shards_numbers_as(graph);
    meguri_status status = mg_graph_rows(&c.rows, ctx, graph);
    if (status == MEGURI_OK) status = mg_graph_numbering(&c.numbering, ctx, graph);
    mg_call call = {.name = "meguri_graph_spread"};
    if (status == MEGURI_OK && cluster->size > 1) mg_call_graph(&call, ctx, graph);
    mg_call_layout(&call, layout);
    status = mg_agree_call(ctx, cluster, status, &call);
    if (status != MEGURI_OK) return status;
    mg_range share = mg_share(c.rows.arcs, cluster->rank, cluster->size);
    c.arc = share.begin;
    c.end = share.end;
    c.row = share.begin < share.end ? mg_row_of_arc(&c.rows, share.begin) : 0;
    const mg_edge_source source = {.next = next_cut,
                                   .user = &c,
                                   .vertices = graph->vertices,
                                   .directed = graph->directed,
                                   .both_ways = true,
                                   .keep_loops = true,
                                   .duplicates = MEGURI_DUPLICATES_KEEP,
                                   .weights = c.as};
    status = mg_shards_build(out, ctx, &source, layout);
    if (status != MEGURI_OK) return status;
    (*out)->declared_weights = graph->declared_weights;
    (*out)->columns_left = mg_graph_column_count(graph);
    status = mg_agree(ctx, cluster, mg_shards_take_order(ctx, *out, graph, layout));
    if (status == MEGURI_OK) status = mg_shards_take_columns(ctx, *out, graph, layout, wide_type(graph->weight_type));
    return status;
}

meguri_status meguri_graph_spread(meguri_graph **out, meguri_ctx *ctx, const meguri_graph *graph,
                                  const meguri_layout *layout) {
    if (out) *out = NULL;
    if (!out || !ctx || !graph || !layout) return mg_missing(ctx, __func__);
    mg_begin(ctx);
    const mg_makers *makers;
    meguri_layout copy;
    mg_shards *shards = NULL;
    meguri_status status = mg_layout_makers(&makers, &copy, ctx, &layout);
    if (status != MEGURI_OK) return status;
    status = spread(&shards, ctx, graph, layout);
    return mg_shards_graph(out, ctx, layout->cluster, shards, status);
}
