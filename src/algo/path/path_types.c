/* Only edges of some types: rows that have these alone, made once for a finder.
 *
 * The algorithms follow rows and know nothing of types; each arc of such rows remembers its place in those of the graph
 * (mg_rows.out_arcs), by which an edge is known in answers. Parallel edges keep their order, which is the same in the
 * rows of both ends, so those of a type still lie alike there. */
#include "algo/path/path.h"

#include <inttypes.h>
#include <meguri/extra/words.h>
#include <stdlib.h>

#define GRAIN 4096

/* ---- names ------------------------------------------------------------------------------------------------------ */

static meguri_status no_such_type(meguri_ctx *ctx, const mg_column_view *column, const char *name) {
    enum { SHOWN = 20, ROOM = 600 };
    char known[ROOM] = "", hint[MG_SIMILAR_TEXT];
    size_t used = 0;
    uint32_t i = 0;
    for (; i < column->what.labels && i < SHOWN && used + strlen(column->labels[i]) + 40 < ROOM; i++)
        used += (size_t)snprintf(known + used, ROOM - used, "%s'%s'", i ? ", " : "", column->labels[i]);
    if (i < column->what.labels)
        snprintf(known + used, ROOM - used, "%s%" PRIu32 " more", i ? " and " : "", column->what.labels - i);
    meguri_did_you_mean(hint, sizeof hint, name, column->labels, column->what.labels, "");
    return mg_fail(ctx, MEGURI_NOT_FOUND, "no edge of this graph has the type '%.200s'; its types are %s%s", name,
                   column->what.labels ? known : "none at all", hint);
}

typedef struct asked {
    const char *name;
    uint32_t number; /* in the caller's list */
    bool found;
} asked;

static int by_name(const void *a, const void *b) {
    const asked *p = a, *q = b;
    int order = strcmp(p->name, q->name);
    return order ? order : p->number < q->number ? -1 : p->number > q->number;
}

/* Marks the types that are asked for. There may be many of either: names are sorted, and each type is sought once. */
static meguri_status mark_wanted(bool *wanted, meguri_ctx *ctx, const mg_column_view *column, asked *names,
                                 uint32_t count) {
    qsort(names, count, sizeof *names, by_name);
    for (uint32_t label = 0; label < column->what.labels; label++) {
        uint32_t low = 0, high = count;
        while (low < high) {
            uint32_t middle = low + (high - low) / 2;
            if (strcmp(names[middle].name, column->labels[label]) < 0) low = middle + 1;
            else high = middle;
        }
        for (; low < count && strcmp(names[low].name, column->labels[label]) == 0; low++)
            wanted[label] = names[low].found = true;
    }
    const asked *missing = NULL;
    for (uint32_t i = 0; i < count; i++)
        if (!names[i].found && (!missing || names[i].number < missing->number)) missing = &names[i];
    return missing ? no_such_type(ctx, column, missing->name) : MEGURI_OK;
}

meguri_status mg_path_types_find(mg_path_types *out, meguri_ctx *ctx, const meguri_graph *graph,
                                 const char *const *names, uint32_t count) {
    uint32_t number;
    mg_column_view column;
    *out = (mg_path_types){0};
    if (!count) return MEGURI_OK;
    if (!names) return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "%" PRIu32 " types, but no array of their names.", count);
    meguri_status status = mg_graph_column_of_kind(&number, ctx, graph, MEGURI_COLUMN_TYPES);
    if (status == MEGURI_OK && number == MG_NO_SUCH_COLUMN)
        status = mg_fail(ctx, MEGURI_BAD_INPUT,
                         "the edges of this graph have no types, so that none can be chosen; build it with a column of "
                         "types.");
    if (status == MEGURI_OK) status = mg_graph_column(&column, ctx, graph, number, true);
    if (status != MEGURI_OK) return status;
    bool *wanted = mg_alloc_zero(ctx, column.what.labels + 1, "types of edges");
    asked *list = wanted ? mg_alloc_array(ctx, count, sizeof *list, "types of edges") : NULL;
    if (!list) status = MEGURI_NO_MEMORY;
    for (uint32_t i = 0; i < count && status == MEGURI_OK; i++) {
        list[i] = (asked){.name = names[i], .number = i};
        if (!names[i]) status = mg_fail(ctx, MEGURI_BAD_ARGUMENT, "a type of edges has no name.");
    }
    if (status == MEGURI_OK) status = mark_wanted(wanted, ctx, &column, list, count);
    mg_free(list);
    if (status != MEGURI_OK) mg_free(wanted);
    else
        *out = (mg_path_types){.wanted = wanted,
                               .values = column.values,
                               .size = meguri_type_bytes(mg_code_type(column.what.code)),
                               .validity = column.validity};
    return status;
}

void mg_path_types_free(mg_path_types *types) {
    mg_free(types->wanted);
    *types = (mg_path_types){0};
}

/* ---- rows ------------------------------------------------------------------------------------------------------- */

typedef struct choosing {
    const mg_rows *rows;
    const mg_path_types *types;
    size_t weight_bytes;
    uint64_t *offsets, *out_arcs;
    uint32_t *neighbors;
    char *weights;
} choosing;

static bool is_wanted(const choosing *c, uint64_t arc) {
    return mg_path_type_wanted(c->types, mg_row_out_arc(c->rows, arc));
}

static void measure_rows(void *what, uint64_t begin, uint64_t end) {
    const choosing *c = what;
    for (uint64_t v = begin; v < end; v++) {
        c->offsets[v] = 0;
        for (uint64_t arc = mg_row_begin(c->rows, v); arc < mg_row_end(c->rows, v); arc++)
            c->offsets[v] += is_wanted(c, arc);
    }
}

static void fill_rows(void *what, uint64_t begin, uint64_t end) {
    const choosing *c = what;
    for (uint64_t v = begin; v < end; v++) {
        uint64_t at = c->offsets[v];
        for (uint64_t arc = mg_row_begin(c->rows, v); arc < mg_row_end(c->rows, v); arc++) {
            if (!is_wanted(c, arc)) continue;
            c->neighbors[at] = c->rows->neighbors[arc];
            c->out_arcs[at] = mg_row_out_arc(c->rows, arc);
            if (c->weight_bytes)
                memcpy(c->weights + at * c->weight_bytes, (const char *)c->rows->weights + arc * c->weight_bytes,
                       c->weight_bytes);
            at++;
        }
    }
}

meguri_status mg_path_rows_of_types(mg_rows *rows, meguri_ctx *ctx, const meguri_path_finder *f, void **arrays) {
    static const char name[] = "rows of some types of edges";
    choosing c = {.rows = rows, .types = &f->types, .weight_bytes = meguri_type_bytes(f->graph->weight_type)};
    c.offsets = arrays[0] = mg_alloc_array(ctx, rows->rows + 1, sizeof *c.offsets, name);
    if (!c.offsets) return MEGURI_NO_MEMORY;
    mg_for(ctx, mg_threads(ctx, rows->arcs, GRAIN), rows->rows, measure_rows, &c);
    c.offsets[rows->rows] = 0;
    uint64_t arcs = mg_scan_u64(ctx, c.offsets, rows->rows + 1);
    c.neighbors = arrays[1] = mg_alloc_array(ctx, arcs, sizeof *c.neighbors, name);
    c.out_arcs = arrays[2] = mg_alloc_array(ctx, arcs, sizeof *c.out_arcs, name);
    c.weights = arrays[3] = mg_alloc_array(ctx, arcs, c.weight_bytes, name);
    if (!c.neighbors || !c.out_arcs || !c.weights) return MEGURI_NO_MEMORY;
    mg_sweep sweep = {.ctx = ctx, .phase = "path", .total = rows->rows};
    meguri_status status = mg_sweep_over(&sweep, fill_rows, &c, rows->rows);
    *rows = (mg_rows){.rows = rows->rows,
                      .arcs = arcs,
                      .offsets64 = c.offsets,
                      .neighbors = c.neighbors,
                      .weights = c.weight_bytes ? c.weights : NULL,
                      .out_arcs = c.out_arcs};
    return status;
}
