/* All that can be said against a graph: what its parts show when they are first used (a file is checked then), and what
 * takes longer than anyone who only wants to use it would wait for.
 *
 * An undirected graph has every edge in the rows of both ends, parallel ones as often and with the same weights. Of
 * each arc to a larger number the counterpart is looked for; where all have one and there are as many arcs to smaller
 * numbers, these have theirs, too. */
#include "graph/internal.h"

#include <inttypes.h>
#include <xxhash.h>

static const char run[] = "verify";

/* What is wrong, of a graph in a file or in memory. */
static meguri_status wrong(meguri_ctx *ctx, const meguri_graph *graph, const char *what) {
    const char *name = graph->backing ? graph->backing->name : "the graph";
    return mg_fail(ctx, MEGURI_BAD_INPUT, "%s is damaged: %s; copy it again from where it came, or build it again.",
                   name, what);
}

/* ---- rows ------------------------------------------------------------------------------------------------------- */

typedef struct rows_look {
    mg_sweep sweep;
    const meguri_graph *graph;
    mg_rows rows;
    mg_bitmap targets; /* directed graphs: vertices that arcs lead to */
    uint32_t columns;  /* of which counterparts have the same values, too: */
    struct column_look {
        const char *values;
        size_t size;
        mg_column_view view;
    } * column;
    bool down;                       /* counterparts of arcs to smaller numbers, this time */
    uint64_t loops, smaller, larger; /* arcs; atomic */
    uint64_t unsorted, bad, one_way; /* the first arc of which this is true; atomic */
} rows_look;

static void first_of(uint64_t *place, uint64_t arc) {
    uint64_t old = mg_load(place);
    while (arc < old && !__atomic_compare_exchange_n(place, &old, arc, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
}

static double weight_of(const rows_look *l, uint64_t arc) {
    return mg_weight_at(l->rows.weights, l->graph->weight_type, arc);
}

static bool same_values(const rows_look *l, uint64_t a, uint64_t b) {
    for (uint32_t c = 0; c < l->columns; c++) {
        size_t size = l->column[c].size;
        if (mg_column_has(&l->column[c].view, a) != mg_column_has(&l->column[c].view, b)) return false;
        if (memcmp(l->column[c].values + a * size, l->column[c].values + b * size, size) != 0) return false;
    }
    return true;
}

/* Whether the row of `to` has the arcs [first, end) to `to`, which are all that row v has, the other way round. */
static bool has_counterparts(const rows_look *l, uint32_t v, uint32_t to, uint64_t first, uint64_t end) {
    const mg_rows *r = &l->rows;
    uint64_t row_end = mg_row_end(r, to), other = mg_row_find(r, mg_row_begin(r, to), row_end, v);
    for (uint64_t arc = first; arc < end; arc++, other++)
        if (other >= row_end || r->neighbors[other] != v || weight_of(l, arc) != weight_of(l, other) ||
            !same_values(l, arc, other))
            return false;
    return other == row_end || r->neighbors[other] != v;
}

/* The arcs [*arc, end) of row v that lead to one vertex; *arc becomes where the next begin. */
static void look_at_run(rows_look *l, uint32_t v, uint64_t *arc, uint64_t row_end) {
    const uint32_t *neighbors = l->rows.neighbors;
    uint64_t first = *arc, end = first + 1;
    uint32_t to = neighbors[first];
    for (; end < row_end && neighbors[end] == to; end++)
        if (weight_of(l, end) < weight_of(l, end - 1)) first_of(&l->unsorted, end);
    *arc = end;
    if (l->graph->directed || v == to || (to < v) != l->down) return;
    if (!has_counterparts(l, v, to, first, end)) first_of(&l->one_way, first);
}

/* Counterparts lie anywhere: their rows are asked for before they are looked at, and the offsets of these before that.
 */
static void fetch_ahead(const rows_look *l, uint64_t row, uint64_t i, uint64_t end) {
    enum { AHEAD = 12 };
    const mg_rows *r = &l->rows;
    if (l->graph->directed || i + 2 * AHEAD >= end) return;
    uint32_t soon = r->neighbors[i + AHEAD], later = r->neighbors[i + 2 * AHEAD];
    if (r->offsets32) __builtin_prefetch(&r->offsets32[later]);
    else __builtin_prefetch(&r->offsets64[later]);
    if (soon > row && soon < r->rows) __builtin_prefetch(&r->neighbors[mg_row_offset(r, soon)]);
}

/* Runs that begin among these arcs. */
static void look_at_arcs(void *what, uint64_t begin, uint64_t end) {
    rows_look *l = what;
    const mg_rows *r = &l->rows;
    uint64_t loops = 0, smaller = 0, row = mg_row_of_arc(r, begin), arc = begin;
    while (mg_row_offset(r, row + 1) <= arc) row++; /* empty ones before it */
    for (uint64_t i = begin; i < end; i++) {
        while (mg_row_offset(r, row + 1) <= i) row++;
        uint32_t to = r->neighbors[i];
        bool first = i == mg_row_offset(r, row);
        fetch_ahead(l, row, i, end);
        if (to >= r->rows) first_of(&l->bad, i);
        if (!first && to < r->neighbors[i - 1]) first_of(&l->unsorted, i);
        loops += to == row;
        smaller += to < row;
        if (l->graph->directed && to < r->rows) mg_bitmap_claim(&l->targets, to);
        if (mg_load(&l->bad) != UINT64_MAX || i < arc || (!first && to == r->neighbors[i - 1])) continue;
        arc = i;
        look_at_run(l, (uint32_t)row, &arc, mg_row_offset(r, row + 1));
    }
    mg_fetch_add(&l->loops, loops);
    mg_fetch_add(&l->smaller, smaller);
    mg_fetch_add(&l->larger, end - begin - loops - smaller);
}

static meguri_status say_arc(meguri_ctx *ctx, const rows_look *l, uint64_t arc, const char *trouble) {
    char from[MG_ID_TEXT], to[MG_ID_TEXT], text[3 * MG_ID_TEXT];
    mg_numbering numbering;
    meguri_status status = mg_graph_numbering(&numbering, ctx, l->graph);
    if (status != MEGURI_OK) return status;
    mg_graph_id_text(from, ctx, l->graph, mg_to_user(&numbering, (uint32_t)mg_row_of_arc(&l->rows, arc)));
    mg_graph_id_text(to, ctx, l->graph, mg_to_user(&numbering, l->rows.neighbors[arc]));
    snprintf(text, sizeof text, "its edge from %s to %s %s", from, to, trouble);
    return wrong(ctx, l->graph, text);
}

static uint64_t count_isolated(const rows_look *l) {
    const mg_rows *r = &l->rows;
    uint64_t isolated = l->graph->vertices - r->rows;
    for (uint64_t v = 0; v < r->rows; v++)
        isolated += mg_row_begin(r, v) == mg_row_end(r, v) && !(l->graph->directed && mg_bitmap_get(&l->targets, v));
    return isolated;
}

/* What the header says about the rows. */
static meguri_status compare_counts(meguri_ctx *ctx, const rows_look *l) {
    const meguri_graph *g = l->graph;
    char text[200];
    uint64_t edges = g->directed ? g->arcs : (g->arcs + l->loops) / 2, isolated = count_isolated(l);
    if (edges == g->edges && isolated == g->isolated) return MEGURI_OK;
    snprintf(text, sizeof text,
             "it says that it has %" PRIu64 " edges and %" PRIu64 " vertices without any, and has %" PRIu64
             " and %" PRIu64,
             g->edges, g->isolated, edges, isolated);
    return wrong(ctx, g, text);
}

static meguri_status look_at_rows(meguri_ctx *ctx, rows_look *l) {
    static const char lonely[] = "is not there in the other direction, as often and with the same weight and columns, "
                                 "and the graph is undirected";
    l->loops = l->smaller = l->larger = 0;
    meguri_status status = mg_sweep_over(&l->sweep, look_at_arcs, l, l->rows.arcs);
    if (status != MEGURI_OK) return status;
    if (l->bad != UINT64_MAX) return wrong(ctx, l->graph, "its neighbours hold numbers that cannot be right");
    if (l->unsorted != UINT64_MAX) return wrong(ctx, l->graph, "its rows are out of order");
    if (l->one_way != UINT64_MAX) return say_arc(ctx, l, l->one_way, lonely);
    if (!l->graph->directed && l->larger != l->smaller && !l->down) {
        l->down = true;
        l->sweep.total += l->rows.arcs;
        return look_at_rows(ctx, l); /* which one has none */
    }
    return compare_counts(ctx, l);
}

static meguri_status take_columns(rows_look *l, meguri_ctx *ctx) {
    uint32_t count = mg_graph_column_count(l->graph);
    l->column = mg_alloc_array(ctx, count, sizeof *l->column, "the columns of the edges");
    if (!l->column) return MEGURI_NO_MEMORY;
    for (uint32_t c = 0; c < count; c++) {
        mg_column_view view;
        meguri_status status = mg_graph_column(&view, ctx, l->graph, c, true);
        if (status != MEGURI_OK) return status;
        l->column[c].view = view;
        l->column[c].values = view.values;
        l->column[c].size = meguri_type_bytes(mg_code_type(view.what.code));
    }
    l->columns = count;
    return MEGURI_OK;
}

static meguri_status verify_rows(meguri_ctx *ctx, const meguri_graph *graph, bool columns) {
    rows_look l = {.sweep = {.ctx = ctx, .phase = run, .total = graph->arcs},
                   .graph = graph,
                   .unsorted = UINT64_MAX,
                   .bad = UINT64_MAX,
                   .one_way = UINT64_MAX};
    meguri_status status = mg_graph_rows(&l.rows, ctx, graph);
    if (status == MEGURI_OK && columns) status = take_columns(&l, ctx);
    if (status == MEGURI_OK && graph->directed)
        status = mg_bitmap_new(&l.targets, ctx, graph->rows, "the vertices that arcs lead to");
    if (status == MEGURI_OK) status = look_at_rows(ctx, &l);
    mg_bitmap_free(&l.targets);
    mg_free(l.column);
    return status;
}

meguri_status mg_graph_verify_rows(meguri_ctx *ctx, const meguri_graph *graph) {
    return verify_rows(ctx, graph, false);
}

meguri_status mg_graph_symmetric(meguri_ctx *ctx, const meguri_graph *graph) {
    return graph->directed || !graph->backing ? MEGURI_OK : verify_rows(ctx, graph, false);
}

/* ---- string ids ------------------------------------------------------------------------------------------------- */

typedef struct names_look {
    mg_sweep sweep;
    const uint32_t *index;
    uint64_t mask;
    const uint64_t *offsets;
    const char *bytes;
    uint64_t steps;     /* atomic */
    bool lost, too_far; /* atomic */
} names_look;

/* A name must be found where it is: so it is in the table, and no other vertex has the same. A table of which a search
 * takes long is refused rather than searched for each name. */
static void look_at_names(void *what, uint64_t begin, uint64_t end) {
    enum { USUAL = 64 }; /* steps for each slot; a table that is half full takes one or two */
    names_look *l = what;
    for (uint64_t p = begin; p < end && !mg_load(&l->too_far); p++) {
        const char *name = l->bytes + l->offsets[p];
        uint64_t length = l->offsets[p + 1] - l->offsets[p], steps = 1;
        uint64_t slot = XXH3_64bits(name, length) & l->mask;
        for (; l->index[slot] != MG_NO_VERTEX; slot = (slot + 1) & l->mask, steps++) {
            uint64_t other = l->index[slot];
            if (other == p || (l->offsets[other + 1] - l->offsets[other] == length &&
                               memcmp(l->bytes + l->offsets[other], name, length) == 0))
                break;
            if (steps % MG_SWEEP_BLOCK == 0 && mg_sweep_cancelled(&l->sweep)) return;
        }
        if (l->index[slot] != p) mg_store(&l->lost, true);
        if (mg_fetch_add(&l->steps, steps) > USUAL * (l->mask + 1)) mg_store(&l->too_far, true);
    }
}

static meguri_status verify_names(meguri_ctx *ctx, const meguri_graph *graph) {
    const void *index, *offsets, *bytes;
    meguri_status status = mg_graph_part(&index, ctx, graph, MG_PART_NAME_INDEX);
    if (status == MEGURI_OK) status = mg_graph_part(&offsets, ctx, graph, MG_PART_NAME_OFFSETS);
    if (status == MEGURI_OK) status = mg_graph_part(&bytes, ctx, graph, MG_PART_NAMES);
    if (status != MEGURI_OK || !index || !offsets) return status;
    names_look l = {.sweep = {.ctx = ctx, .phase = run, .total = graph->vertices},
                    .index = index,
                    .mask = graph->part[MG_PART_NAME_INDEX].bytes / 4 - 1,
                    .offsets = offsets,
                    .bytes = bytes};
    status = mg_sweep_over(&l.sweep, look_at_names, &l, graph->vertices);
    if (status != MEGURI_OK) return status;
    if (l.too_far) return wrong(ctx, graph, "its name index has names far from where they are looked for");
    return l.lost ? wrong(ctx, graph, "two vertices have one name, or its name index does not find one") : MEGURI_OK;
}

/* ---- all of it -------------------------------------------------------------------------------------------------- */

static meguri_status verify_index(meguri_ctx *ctx, const meguri_graph *graph) {
    mg_index index;
    mg_rows rows;
    bool there;
    const char *trouble = NULL;
    meguri_status status = mg_graph_index(&index, &there, ctx, graph);
    if (status != MEGURI_OK || !there) return status;
    status = mg_graph_rows(&rows, ctx, graph);
    if (status == MEGURI_OK) status = mg_index_verify(&trouble, ctx, &index, &rows, graph->weight_type);
    return status == MEGURI_OK && trouble ? wrong(ctx, graph, trouble) : status;
}

static meguri_status verify_in_rows(meguri_ctx *ctx, const meguri_graph *graph) {
    mg_rows out, in;
    const char *trouble = NULL;
    if (!mg_graph_keeps_in_rows(graph)) return MEGURI_OK;
    meguri_status status = mg_graph_rows(&out, ctx, graph);
    if (status == MEGURI_OK) status = mg_graph_in_rows(&in, ctx, graph);
    if (status == MEGURI_OK) status = mg_in_rows_verify(&trouble, ctx, &out, &in, graph->weight_type);
    return status == MEGURI_OK && trouble ? wrong(ctx, graph, trouble) : status;
}

meguri_status meguri_graph_verify(meguri_ctx *ctx, const meguri_graph *graph) {
    if (!ctx) return MEGURI_BAD_ARGUMENT;
    mg_begin(ctx);
    if (!graph) return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "meguri_graph_verify needs a graph.");
    meguri_status status = MEGURI_OK;
    for (uint32_t part = 0; part < graph->part_count && status == MEGURI_OK; part++) {
        const void *data;
        status = mg_graph_part(&data, ctx, graph, (mg_part)part);
    }
    if (status == MEGURI_OK) status = verify_rows(ctx, graph, true);
    if (status == MEGURI_OK) status = verify_in_rows(ctx, graph);
    if (status == MEGURI_OK) status = verify_names(ctx, graph);
    return status == MEGURI_OK ? verify_index(ctx, graph) : status;
}
