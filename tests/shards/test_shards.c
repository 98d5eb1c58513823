/* Graphs in parts, for every layout: every arc of the graph is in exactly one tile, both ways, in the right order;
 * vertices are dealt evenly, hubs to all; positions, degrees and counts are right. */
#define _GNU_SOURCE
#include "net/ranks.h"

typedef struct arc {
    uint32_t from, to;
    double weight;
} arc;

/* What all ranks tell about their parts. */
typedef struct report {
    const arrangement *arrangement;
    const meguri_graph *graph;
    pthread_mutex_t lock;
    arc *arcs[2]; /* out, in */
    uint64_t count[2];
    uint32_t *owners; /* how often each position is owned */
} report;

static int compare_arcs(const void *pa, const void *pb) {
    const arc *a = pa, *b = pb;
    if (a->from != b->from) return a->from < b->from ? -1 : 1;
    if (a->to != b->to) return a->to < b->to ? -1 : 1;
    return (a->weight > b->weight) - (a->weight < b->weight);
}

static uint32_t rank_at(const mg_window *w, int size, uint32_t place) {
    return (uint32_t)(place % w->stride) * (uint32_t)size + (uint32_t)w->owners.ranks[place / w->stride];
}

/* Rows list hubs first. */
static bool rows_ascend(const mg_rows *r, const mg_window *other, int size, meguri_type type) {
    for (uint64_t v = 0; v < r->rows; v++)
        for (uint64_t i = mg_row_offset(r, v) + 1; i < mg_row_offset(r, v + 1); i++) {
            uint32_t a = rank_at(other, size, r->neighbors[i - 1]), b = rank_at(other, size, r->neighbors[i]);
            if (a > b) return false;
            if (a == b && r->weights && mg_weight_at(r->weights, type, i - 1) > mg_weight_at(r->weights, type, i))
                return false;
        }
    return true;
}

/* Positions of all vertices of a window that is not one of sources are not kept: ask the owners. */
static meguri_status positions_of(uint32_t *all[2], meguri_ctx *ctx, mg_shards *s) {
    for (int w = 0; w < 2; w++) all[w] = NULL;
    for (int w = 0; w < s->layout.windows; w++)
        all[w] = mg_alloc_array(ctx, s->layout.window[w].places, 4, "positions");
    return mg_windows_gather(ctx, s->cluster, &s->layout, "bulk", s->position.items, 4,
                             (void *const[]){all[0], all[1]});
}

static void tell(report *r, const mg_shards *s, const mg_rows *rows, uint32_t *const from, uint32_t *const to,
                 int way) {
    pthread_mutex_lock(&r->lock);
    for (uint64_t v = 0; v < rows->rows; v++)
        for (uint64_t i = mg_row_offset(rows, v); i < mg_row_offset(rows, v + 1); i++) {
            uint32_t here = from[v], there = to[rows->neighbors[i]];
            double weight = rows->weights ? mg_weight_at(rows->weights, s->weight_type, i) : 1;
            r->arcs[way][r->count[way]++] = (arc){way ? there : here, way ? here : there, weight};
        }
    pthread_mutex_unlock(&r->lock);
}

static meguri_status cut(void *user, meguri_ctx *ctx, meguri_cluster *c) {
    report *r = user;
    meguri_graph *parts;
    const meguri_layout o = arranged(c, r->arrangement);
    meguri_status status = meguri_graph_spread(&parts, ctx, r->graph, &o);
    if (status != MEGURI_OK) return status;
    mg_shards *s = mg_shards_of(parts);
    uint32_t *positions[2];
    status = positions_of(positions, ctx, s);
    RANK_CHECK(ctx, status == MEGURI_OK);
    RANK_CHECK(ctx, mg_shards_both_ways(ctx, s) == MEGURI_OK);
    RANK_CHECK(ctx, mg_shards_both_ways(ctx, s) == MEGURI_OK); /* nothing more to do */
    RANK_CHECK(ctx, s->vertices == r->graph->vertices && s->arcs == r->graph->arcs && s->edges == r->graph->edges);
    RANK_CHECK(ctx, s->isolated == r->graph->isolated);
    for (int t = 0; t < s->layout.tiles; t++) {
        const mg_tile *tile = &s->tile[t];
        int source = s->layout.tile_source[t], target = s->layout.tile_target[t];
        RANK_CHECK(ctx, rows_ascend(&tile->out, tile->targets, c->size, s->weight_type));
        RANK_CHECK(ctx, rows_ascend(&tile->in, tile->sources, c->size, s->weight_type));
        tell(r, s, &tile->out, positions[source], positions[target], 0);
        tell(r, s, &tile->in, positions[target], positions[source], 1);
        RANK_CHECK(ctx, memcmp(positions[source], s->window_position[source].items, tile->sources->places * 4) == 0);
    }
    pthread_mutex_lock(&r->lock);
    for (uint32_t v = 0; v < s->owned; v++) r->owners[mg_global_at(s->position, v)]++;
    pthread_mutex_unlock(&r->lock);
    for (uint32_t v = 0; v < s->owned; v++) {
        uint64_t degree;
        meguri_graph_degrees(&degree, ctx, r->graph, mg_global_at(s->position, v), 1);
        RANK_CHECK(ctx, s->degree[v] == degree);
    }
    for (uint64_t p = s->home.begin; p < s->home.end; p++) RANK_CHECK(ctx, mg_home(s->vertices, c->size, p) == c->rank);
    mg_free(positions[0]);
    mg_free(positions[1]);
    meguri_graph_free(parts);
    return MEGURI_OK;
}

static arc *arcs_of(meguri_ctx *ctx, const meguri_graph *graph) {
    mg_rows rows;
    mg_numbering numbering;
    assert_int_equal(mg_graph_rows(&rows, ctx, graph), MEGURI_OK);
    assert_int_equal(mg_graph_numbering(&numbering, ctx, graph), MEGURI_OK);
    arc *arcs = calloc(rows.arcs + 1, sizeof *arcs);
    for (uint64_t v = 0; v < rows.rows; v++)
        for (uint64_t i = mg_row_offset(&rows, v); i < mg_row_offset(&rows, v + 1); i++)
            arcs[i] = (arc){mg_to_user(&numbering, (uint32_t)v), mg_to_user(&numbering, rows.neighbors[i]),
                            rows.weights ? mg_weight_at(rows.weights, graph->weight_type, i) : 1};
    qsort(arcs, rows.arcs, sizeof *arcs, compare_arcs);
    return arcs;
}

static void check_parts(meguri_ctx *ctx, const meguri_graph *graph, const char *name) {
    arc *expected = arcs_of(ctx, graph);
    for (size_t k = 0; k < COUNT_OF(arrangements); k++) {
        if (!ONE_OF(4, k + graph->arcs)) continue;
        report r = {.arrangement = &arrangements[k], .graph = graph, .lock = PTHREAD_MUTEX_INITIALIZER};
        for (int way = 0; way < 2; way++) r.arcs[way] = calloc(graph->arcs + 1, sizeof(arc));
        r.owners = calloc(graph->vertices + 1, sizeof *r.owners);
        run_on(arrangements[k].ranks, 0, cut, &r);
        for (int way = 0; way < 2; way++) {
            if (r.count[way] != graph->arcs) fail_msg("%s: %lu arcs of %lu", name, r.count[way], graph->arcs);
            qsort(r.arcs[way], r.count[way], sizeof(arc), compare_arcs);
            for (uint64_t i = 0; i < graph->arcs; i++)
                if (compare_arcs(&r.arcs[way][i], &expected[i])) fail_msg("%s: arc %lu differs", name, i);
            free(r.arcs[way]);
        }
        for (uint64_t v = 0; v < graph->vertices; v++) assert_true(r.owners[v] <= 1);
        free(r.owners);
    }
    free(expected);
}

static void the_zoo(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(1);
    zoo_graph g;
    for (int index = 0; zoo_get(&g, index); index++) {
        for (int direction = MEGURI_DIRECTED; direction <= MEGURI_UNDIRECTED && g.count < 50000; direction++) {
            meguri_build_options o = {.size = sizeof o,
                                      .direction = (meguri_direction)direction,
                                      .duplicates = index & 1 ? MEGURI_DUPLICATES_KEEP : MEGURI_DUPLICATES_MIN,
                                      .keep_loops = index >> 1 & 1};
            meguri_graph *graph;
            assert_int_equal(zoo_build(&graph, ctx, &g, &o), MEGURI_OK);
            check_parts(ctx, graph, g.name);
            meguri_graph_free(graph);
        }
        zoo_free(&g);
    }
    context_done(ctx);
}

/* Drawn in shares, it is the graph that one process draws. */
static meguri_status draw(void *user, meguri_ctx *ctx, meguri_cluster *c) {
    const meguri_graph *graph = ((report *)user)->graph;
    const meguri_layout o = arranged(c, ((report *)user)->arrangement);
    const meguri_kronecker_options k = {
        .size = sizeof k,
        .scale = 10,
        .weights = MEGURI_TYPE_U32,
        .build = &(meguri_build_options){.size = sizeof(meguri_build_options), .layout = &o}};
    meguri_graph *s;
    meguri_graph_info info = {.size = sizeof info};
    meguri_layout_info lies = {.size = sizeof lies};
    meguri_status status = meguri_gen_kronecker(&s, ctx, &k);
    if (status != MEGURI_OK) return status;
    if (meguri_graph_get_info(&info, ctx, s) != MEGURI_OK) return MEGURI_ENGINE_FAILED;
    if (meguri_graph_get_layout(&lies, ctx, s) != MEGURI_OK) return MEGURI_ENGINE_FAILED;
    RANK_CHECK(ctx, info.vertices == graph->vertices && info.arcs == graph->arcs && info.edges == graph->edges);
    RANK_CHECK(ctx, info.isolated == graph->isolated && info.input_edges == graph->input_edges);
    RANK_CHECK(ctx, info.dropped_loops == graph->dropped_loops);
    RANK_CHECK(ctx, info.dropped_duplicates == graph->dropped_duplicates);
    /* Hubs are dealt to all: nobody has more than half again its share. */
    RANK_CHECK(ctx, lies.most_arcs_here * (uint64_t)c->size <= info.arcs + info.arcs / 2 || c->size > 9);
    meguri_graph_free(s);
    return MEGURI_OK;
}

static void drawn_in_shares(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(1);
    const meguri_kronecker_options k = {.size = sizeof k, .scale = 10, .weights = MEGURI_TYPE_U32};
    meguri_graph *graph;
    assert_int_equal(meguri_gen_kronecker(&graph, ctx, &k), MEGURI_OK);
    for (size_t i = 0; i < COUNT_OF(arrangements); i++) {
        report r = {.arrangement = &arrangements[i], .graph = graph};
        run_on(arrangements[i].ranks, 0, draw, &r);
    }
    meguri_graph_free(graph);
    context_done(ctx);
}

static meguri_status refuse(void *user, meguri_ctx *ctx, meguri_cluster *c) {
    meguri_layout layout = *(const meguri_layout *)user;
    layout.cluster = c;
    const meguri_kronecker_options k = {
        .size = sizeof k,
        .scale = 4,
        .build = &(meguri_build_options){.size = sizeof(meguri_build_options), .layout = &layout}};
    meguri_graph *s;
    meguri_status status = meguri_gen_kronecker(&s, ctx, &k);
    return status == MEGURI_BAD_ARGUMENT && !s ? MEGURI_OK : MEGURI_WRONG_ANSWER;
}

static void wrong_grids_are_refused(void **state) {
    (void)state;
    meguri_layout options[] = {{.size = sizeof *options, .rows = 2, .columns = 2},
                               {.size = sizeof *options, .rows = 5},
                               {.size = sizeof *options, .pairs = 1},
                               {.size = sizeof *options, .owner = (meguri_owner)4}};
    for (size_t i = 0; i < COUNT_OF(options); i++) run_on(6, 0, refuse, &options[i]);
    meguri_layout torn = {.size = sizeof torn, .pairs = 1, .owner = MEGURI_OWNER_BLOCKS};
    run_on(2, 0, refuse, &torn);
}

/* Every vertex has a number of its own, and its owner is that of most of its neighbours on the line. */
static void blocks_are_contiguous(void **state) {
    (void)state;
    for (int processes = 1; processes <= 20; processes++)
        for (uint64_t count = 0; count < 300; count += 1 + count / 40) {
            const mg_blocks blocks = mg_blocks_of(count, processes);
            bool seen[300] = {false};
            uint64_t changes = 0;
            for (uint64_t place = 0; place < count; place++) {
                uint32_t number = mg_blocks_number(&blocks, place);
                assert_true(number < count && !seen[number]);
                seen[number] = true;
                if (!place) continue;
                uint32_t before = mg_blocks_number(&blocks, place - 1), size = (uint32_t)processes;
                changes += number % size != before % size;
                assert_true(number % size != before % size || number == before + size);
            }
            assert_true(changes < (uint64_t)processes * MG_BLOCK_TURNS);
        }
}

/* What `auto` becomes, and the grid that goes with it. */
typedef struct decision {
    bool kronecker, strewn;
    int pairs;
    meguri_owner owner;
    uint32_t rows;
} decision;

static meguri_status decide(void *user, meguri_ctx *ctx, meguri_cluster *c) {
    const decision *d = user;
    const meguri_layout o = {.size = sizeof o, .cluster = c, .pairs = d->pairs};
    const meguri_kronecker_options k = {
        .size = sizeof k,
        .scale = 10,
        .build = &(meguri_build_options){.size = sizeof(meguri_build_options), .layout = &o}};
    meguri_grid_options r = {.size = sizeof r,
                             .width = 40,
                             .height = 40,
                             .build = &(meguri_build_options){.size = sizeof(meguri_build_options), .layout = &o}};
    if (d->strewn) r.links = 1600;
    meguri_layout_info lies = {.size = sizeof lies};
    meguri_graph *s;
    meguri_status status = d->kronecker ? meguri_gen_kronecker(&s, ctx, &k) : meguri_gen_grid(&s, ctx, &r);
    if (status == MEGURI_OK) status = meguri_graph_get_layout(&lies, ctx, s);
    if (status != MEGURI_OK) return status;
    RANK_CHECK(ctx, lies.owner == d->owner && lies.rows == d->rows);
    meguri_graph_free(s);
    return MEGURI_OK;
}

static void degrees_decide(void **state) {
    (void)state;
    decision decisions[] = {{.kronecker = true, .owner = MEGURI_OWNER_DEGREE, .rows = 2},
                            {.owner = MEGURI_OWNER_BLOCKS, .rows = 1},
                            {.strewn = true, .owner = MEGURI_OWNER_DEGREE, .rows = 2}, /* links lead anywhere */
                            {.pairs = 1, .owner = MEGURI_OWNER_DEGREE, .rows = 2}};
    for (size_t i = 0; i < COUNT_OF(decisions); i++) run_on(2, 0, decide, &decisions[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_zoo), cmocka_unit_test(drawn_in_shares),
                                       cmocka_unit_test(wrong_grids_are_refused),
                                       cmocka_unit_test(blocks_are_contiguous), cmocka_unit_test(degrees_decide)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
