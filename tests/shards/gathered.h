/* A graph in parts, put together again from what all ranks tell: ids, arcs, counts, for a comparison with the whole. */
#ifndef GATHERED_H
#define GATHERED_H

#include "net/ranks.h"

typedef struct gathered_arc {
    uint32_t from, to;
    double weight;
} gathered_arc;

typedef struct gathered {
    const meguri_graph *graph; /* what it should be */
    pthread_mutex_t lock;
    gathered_arc *arcs;
    uint64_t count, room;
} gathered;

static inline int gathered_compare(const void *pa, const void *pb) {
    const gathered_arc *a = pa, *b = pb;
    if (a->from != b->from) return a->from < b->from ? -1 : 1;
    if (a->to != b->to) return a->to < b->to ? -1 : 1;
    return (a->weight > b->weight) - (a->weight < b->weight);
}

static inline void gathered_begin(gathered *all, const meguri_graph *graph) {
    *all = (gathered){.graph = graph, .lock = PTHREAD_MUTEX_INITIALIZER, .room = graph->arcs};
    all->arcs = calloc(graph->arcs + 1, sizeof *all->arcs);
}

/* Ids at homes are those of the graph. */
static inline meguri_status gathered_ids(meguri_ctx *ctx, const meguri_graph *graph, const mg_shards *s) {
    RANK_CHECK(ctx, s->id_kind == graph->id_kind);
    for (uint64_t p = s->home.begin; p < s->home.end; p++) {
        uint64_t i = p - s->home.begin, id;
        if (s->id_kind == MEGURI_ID_STRING) {
            const char *name;
            size_t length;
            RANK_CHECK(ctx, meguri_graph_names(&name, &length, ctx, graph, p, 1) == MEGURI_OK);
            RANK_CHECK(ctx, s->name_offsets[i + 1] - s->name_offsets[i] == length);
            RANK_CHECK(ctx, memcmp(s->names + s->name_offsets[i], name, length) == 0);
        } else {
            RANK_CHECK(ctx, meguri_graph_ids(&id, ctx, graph, p, 1) == MEGURI_OK);
            RANK_CHECK(ctx, id == (s->ids ? s->ids[i] : s->id_base + p));
        }
    }
    return MEGURI_OK;
}

/* On each rank: what it has. `counts`: also how many edges were read and dropped. */
static inline meguri_status gathered_add(gathered *all, meguri_ctx *ctx, const meguri_graph *parts, bool counts) {
    const meguri_graph *g = all->graph;
    mg_shards *s = mg_shards_of(parts);
    RANK_CHECK(ctx, s->vertices == g->vertices && s->arcs == g->arcs && s->edges == g->edges);
    RANK_CHECK(ctx, s->isolated == g->isolated && s->directed == g->directed);
    RANK_CHECK(ctx, s->file_weights == g->weight_type);
    RANK_CHECK(ctx, s->weight_type ==
                        (g->weight_type && g->weight_type < MEGURI_TYPE_U32 ? MEGURI_TYPE_U32 : g->weight_type));
    if (counts) {
        RANK_CHECK(ctx, s->input_edges == g->input_edges && s->dropped_loops == g->dropped_loops);
        RANK_CHECK(ctx, s->dropped_duplicates == g->dropped_duplicates);
    }
    RANK_CHECK(ctx, mg_shards_both_ways(ctx, s) == MEGURI_OK);
    uint32_t *position[2] = {NULL, NULL};
    for (int w = 0; w < s->layout.windows; w++)
        position[w] = mg_alloc_array(ctx, s->layout.window[w].places, 4, "positions");
    RANK_CHECK(ctx, mg_windows_gather(ctx, s->cluster, &s->layout, "bulk", s->position.items, 4,
                                      (void *const[]){position[0], position[1]}) == MEGURI_OK);
    pthread_mutex_lock(&all->lock);
    for (int t = 0; t < s->layout.tiles; t++) {
        const mg_rows *rows = &s->tile[t].out;
        for (uint64_t v = 0; v < rows->rows; v++)
            for (uint64_t i = mg_row_offset(rows, v); i < mg_row_offset(rows, v + 1) && all->count < all->room; i++)
                all->arcs[all->count++] = (gathered_arc){
                    position[s->layout.tile_source[t]][v], position[s->layout.tile_target[t]][rows->neighbors[i]],
                    rows->weights ? mg_weight_at(rows->weights, s->weight_type, i) : 1};
    }
    pthread_mutex_unlock(&all->lock);
    mg_free(position[0]);
    mg_free(position[1]);
    return gathered_ids(ctx, g, s);
}

static inline gathered_arc *gathered_expect(meguri_ctx *ctx, const meguri_graph *graph) {
    mg_rows rows;
    mg_numbering numbering;
    assert_int_equal(mg_graph_rows(&rows, ctx, graph), MEGURI_OK);
    assert_int_equal(mg_graph_numbering(&numbering, ctx, graph), MEGURI_OK);
    gathered_arc *arcs = calloc(rows.arcs + 1, sizeof *arcs);
    for (uint64_t v = 0; v < rows.rows; v++)
        for (uint64_t i = mg_row_offset(&rows, v); i < mg_row_offset(&rows, v + 1); i++)
            arcs[i] = (gathered_arc){mg_to_user(&numbering, (uint32_t)v), mg_to_user(&numbering, rows.neighbors[i]),
                                     rows.weights ? mg_weight_at(rows.weights, graph->weight_type, i) : 1};
    qsort(arcs, rows.arcs, sizeof *arcs, gathered_compare);
    return arcs;
}

static inline void gathered_end(gathered *all, meguri_ctx *ctx, const char *name, uint32_t ranks) {
    gathered_arc *expected = gathered_expect(ctx, all->graph);
    if (all->count != all->graph->arcs)
        fail_msg("%s on %u: %lu arcs of %lu", name, ranks, all->count, all->graph->arcs);
    qsort(all->arcs, all->count, sizeof *all->arcs, gathered_compare);
    for (uint64_t i = 0; i < all->count; i++)
        if (gathered_compare(&all->arcs[i], &expected[i])) fail_msg("%s on %u: arc %lu differs", name, ranks, i);
    free(expected);
    free(all->arcs);
}

/* What was saved in shares is the same graph, for one process. */
static inline void compare_saved(meguri_ctx *ctx, const char *path, const meguri_graph *graph, const char *name) {
    meguri_graph *saved;
    meguri_graph_info a = {.size = sizeof a}, b = {.size = sizeof b};
    if (meguri_open(&saved, ctx, path, NULL) != MEGURI_OK || meguri_graph_verify(ctx, saved) != MEGURI_OK)
        fail_msg("%s: %s", name, meguri_ctx_error(ctx));
    assert_int_equal(meguri_graph_get_info(&a, ctx, graph), MEGURI_OK);
    assert_int_equal(meguri_graph_get_info(&b, ctx, saved), MEGURI_OK);
    assert_int_equal(b.order, MEGURI_ORDER_DEGREE);
    const uint64_t numbers[][2] = {{a.vertices, b.vertices},
                                   {a.arcs, b.arcs},
                                   {a.edges, b.edges},
                                   {a.isolated, b.isolated},
                                   {(uint64_t)a.directed, (uint64_t)b.directed},
                                   {a.weight_type, b.weight_type},
                                   {a.id_kind, b.id_kind},
                                   {a.input_edges, b.input_edges},
                                   {a.dropped_duplicates, b.dropped_duplicates},
                                   {a.dropped_loops, b.dropped_loops},
                                   {a.processes, b.processes},
                                   {a.first, b.first},
                                   {a.count, b.count},
                                   {a.edge_columns, b.edge_columns}};
    for (size_t i = 0; i < COUNT_OF(numbers); i++)
        if (numbers[i][0] != numbers[i][1])
            fail_msg("%s: number %zu differs: %lu, saved %lu", name, i, (unsigned long)numbers[i][0],
                     (unsigned long)numbers[i][1]);
    gathered_arc *ours = gathered_expect(ctx, saved), *theirs = gathered_expect(ctx, graph);
    for (uint64_t i = 0; i < graph->arcs; i++)
        if (gathered_compare(&ours[i], &theirs[i])) fail_msg("%s: arc %lu differs", name, i);
    free(ours);
    free(theirs);
    mg_rows rows; /* what searches rely on: falling degrees, rows that increase */
    assert_int_equal(mg_graph_rows(&rows, ctx, saved), MEGURI_OK);
    for (uint64_t v = 0; v < rows.rows; v++) {
        uint64_t begin = mg_row_offset(&rows, v), end = mg_row_offset(&rows, v + 1);
        if (!graph->directed) assert_true(end > begin);
        if (!graph->directed && v && end - begin < 1024)
            assert_true(begin - mg_row_offset(&rows, v - 1) >= end - begin);
        for (uint64_t i = begin + 1; i < end; i++) assert_true(rows.neighbors[i - 1] <= rows.neighbors[i]);
    }
    for (uint64_t v = 0; v < graph->vertices; v++) {
        char text[MG_ID_TEXT], other[MG_ID_TEXT];
        uint64_t found;
        mg_graph_id_text(text, ctx, graph, (uint32_t)v);
        mg_graph_id_text(other, ctx, saved, (uint32_t)v);
        if (strcmp(text, other) != 0) fail_msg("%s: vertex %lu is %s, not %s", name, v, other, text);
        if (graph->id_kind != MEGURI_ID_STRING) continue;
        text[strlen(text) - 1] = '\0';
        assert_int_equal(meguri_graph_find_text(&found, ctx, saved, text + 1), MEGURI_OK);
        assert_int_equal(found, v);
    }
    meguri_graph_free(saved);
}

#endif
