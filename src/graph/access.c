/* Asking a graph: degrees, neighbours, ids, coordinates — in positions, whatever order the rows lie in. */
#include "graph/internal.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <xxhash.h>

static meguri_status check_range(meguri_ctx *ctx, const meguri_graph *graph, const void *out, uint64_t first,
                                 uint64_t count, const char *function) {
    if (!graph || (!out && count)) return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "%s needs a graph and a place.", function);
    if (first > graph->vertices || count > graph->vertices - first)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT,
                       "%s: the vertices %" PRIu64 " … %" PRIu64 " + %" PRIu64 " are not all in a graph of %" PRIu64
                       ".",
                       function, first, first, count, graph->vertices);
    return MEGURI_OK;
}

typedef struct degree_job {
    uint64_t *out;
    uint64_t first;
    mg_rows rows;
    mg_numbering numbering;
} degree_job;

static void count_degrees(void *what, uint64_t begin, uint64_t end) {
    const degree_job *j = what;
    for (uint64_t i = begin; i < end; i++) {
        uint32_t v = mg_to_internal(&j->numbering, (uint32_t)(j->first + i));
        j->out[i] = mg_row_end(&j->rows, v) - mg_row_begin(&j->rows, v);
    }
}

static meguri_status degrees(uint64_t *out, meguri_ctx *ctx, const meguri_graph *graph, uint64_t first, uint64_t count,
                             mg_rows_fn *get_rows, const char *function) {
    if (!ctx) return MEGURI_BAD_ARGUMENT;
    mg_begin(ctx);
    degree_job job = {.out = out, .first = first};
    meguri_status status = check_range(ctx, graph, out, first, count, function);
    if (status == MEGURI_OK) status = get_rows(&job.rows, ctx, graph);
    if (status == MEGURI_OK) status = mg_graph_numbering(&job.numbering, ctx, graph);
    if (status == MEGURI_OK) mg_for(ctx, mg_threads(ctx, count, 1 << 16), count, count_degrees, &job);
    return status;
}

meguri_status meguri_graph_degrees(uint64_t *out, meguri_ctx *ctx, const meguri_graph *graph, uint64_t first,
                                   uint64_t count) {
    return degrees(out, ctx, graph, first, count, mg_graph_rows, "meguri_graph_degrees");
}

meguri_status meguri_graph_in_degrees(uint64_t *out, meguri_ctx *ctx, const meguri_graph *graph, uint64_t first,
                                      uint64_t count) {
    return degrees(out, ctx, graph, first, count, mg_graph_in_rows, "meguri_graph_in_degrees");
}

static int by_position(const void *a, const void *b) {
    const mg_row_neighbor *x = a, *y = b;
    if (x->position != y->position) return x->position < y->position ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

meguri_status mg_graph_row(mg_row_view *out, meguri_ctx *ctx, const meguri_graph *graph, uint64_t vertex,
                           mg_rows_fn *get_rows, bool neighbors, const char *function) {
    mg_numbering numbering;
    *out = (mg_row_view){0};
    meguri_status status = check_range(ctx, graph, out, vertex, 1, function);
    if (status == MEGURI_OK) status = get_rows(&out->rows, ctx, graph);
    if (status == MEGURI_OK) status = mg_graph_numbering(&numbering, ctx, graph);
    if (status != MEGURI_OK) return status;
    uint32_t v = mg_to_internal(&numbering, (uint32_t)vertex);
    out->begin = mg_row_begin(&out->rows, v);
    out->degree = mg_row_end(&out->rows, v) - out->begin;
    if (!neighbors) return MEGURI_OK;
    mg_row_neighbor *row = mg_alloc_array(ctx, out->degree, sizeof *row, "a row of neighbours");
    if (!row) return MEGURI_NO_MEMORY;
    for (uint64_t i = 0; i < out->degree; i++)
        row[i] = (mg_row_neighbor){mg_to_user(&numbering, out->rows.neighbors[out->begin + i]), (uint32_t)i};
    if (numbering.to_user) qsort(row, out->degree, sizeof *row, by_position);
    out->neighbors = row;
    return MEGURI_OK;
}

/* Where a vertex's neighbours go, as the caller gave it. */
typedef struct neighbor_places {
    uint64_t *neighbors;
    double *weights;
    uint64_t *edges;
    uint64_t capacity, *count;
} neighbor_places;

static meguri_status put_edges(const neighbor_places *to, meguri_ctx *ctx, const meguri_graph *graph,
                               const mg_row_view *row, uint32_t v, bool in) {
    mg_edge_numbers numbers;
    meguri_status status = mg_graph_edge_numbers(&numbers, ctx, graph);
    for (uint64_t i = 0; i < MG_MIN(row->degree, to->capacity) && status == MEGURI_OK; i++)
        if (!mg_edge_of_row_arc(&to->edges[i], &numbers, &row->rows, in, v, row->begin + row->neighbors[i].place))
            status = mg_fail(ctx, MEGURI_BAD_INPUT,
                             "the graph is damaged: its rows do not agree with each other; build it again.");
    return status;
}

static meguri_status neighbors(const neighbor_places *to, meguri_ctx *ctx, const meguri_graph *graph, uint64_t vertex,
                               bool in, const char *function) {
    if (!ctx) return MEGURI_BAD_ARGUMENT;
    mg_begin(ctx);
    mg_row_view row;
    mg_numbering numbering;
    if (!to->count || (!to->neighbors && to->capacity))
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "%s needs places.", function);
    meguri_status status =
        mg_graph_row(&row, ctx, graph, vertex, in ? mg_graph_in_rows : mg_graph_rows, to->capacity > 0, function);
    if (status == MEGURI_OK) status = mg_graph_numbering(&numbering, ctx, graph);
    if (status != MEGURI_OK) return status;
    *to->count = row.degree;
    for (uint64_t i = 0; i < MG_MIN(row.degree, to->capacity); i++) {
        to->neighbors[i] = row.neighbors[i].position;
        if (to->weights)
            to->weights[i] = mg_weight_at(row.rows.weights, graph->weight_type, row.begin + row.neighbors[i].place);
    }
    if (to->edges && to->capacity)
        status = put_edges(to, ctx, graph, &row, mg_to_internal(&numbering, (uint32_t)vertex), in && graph->directed);
    mg_free(row.neighbors);
    return status;
}

meguri_status meguri_graph_neighbors(uint64_t *out, double *weights, uint64_t *edges, uint64_t capacity,
                                     uint64_t *count, meguri_ctx *ctx, const meguri_graph *graph, uint64_t vertex) {
    return neighbors(&(neighbor_places){out, weights, edges, capacity, count}, ctx, graph, vertex, false, __func__);
}

meguri_status meguri_graph_in_neighbors(uint64_t *out, double *weights, uint64_t *edges, uint64_t capacity,
                                        uint64_t *count, meguri_ctx *ctx, const meguri_graph *graph, uint64_t vertex) {
    return neighbors(&(neighbor_places){out, weights, edges, capacity, count}, ctx, graph, vertex, true, __func__);
}

meguri_status meguri_graph_ids(uint64_t *out, meguri_ctx *ctx, const meguri_graph *graph, uint64_t first,
                               uint64_t count) {
    if (!ctx) return MEGURI_BAD_ARGUMENT;
    mg_begin(ctx);
    meguri_status status = check_range(ctx, graph, out, first, count, "meguri_graph_ids");
    if (status != MEGURI_OK) return status;
    if (graph->id_kind == MEGURI_ID_STRING)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "the ids of this graph are strings: use meguri_graph_names.");
    const void *ids;
    status = mg_graph_part_range(&ids, ctx, graph, MG_PART_IDS, first * 8, (first + count) * 8);
    if (status != MEGURI_OK) return status;
    if (ids) memcpy(out, ids, count * 8);
    else
        for (uint64_t i = 0; i < count; i++) out[i] = graph->id_base + first + i;
    return MEGURI_OK;
}

meguri_status meguri_graph_names(const char **out, size_t *length, meguri_ctx *ctx, const meguri_graph *graph,
                                 uint64_t first, uint64_t count) {
    if (!ctx) return MEGURI_BAD_ARGUMENT;
    mg_begin(ctx);
    meguri_status status =
        check_range(ctx, graph, out && length ? (const void *)out : NULL, first, count, "meguri_graph_names");
    if (status != MEGURI_OK || count == 0) return status;
    if (graph->id_kind != MEGURI_ID_STRING)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "the ids of this graph are integers: use meguri_graph_ids.");
    const void *data;
    status = mg_graph_part_range(&data, ctx, graph, MG_PART_NAME_OFFSETS, first * 8, (first + count + 1) * 8);
    if (status != MEGURI_OK) return status;
    const uint64_t *offsets = data;
    /* Only this range has been looked at, so its bounds are checked here. */
    for (uint64_t i = 0; i < count; i++)
        if (offsets[i] > offsets[i + 1] || offsets[i + 1] > graph->part[MG_PART_NAMES].bytes)
            return mg_fail(ctx, MEGURI_BAD_INPUT, "the names of the graph are damaged: build the file again.");
    const void *bytes = "";
    if (offsets[count] > offsets[0]) {
        status = mg_graph_part_range(&bytes, ctx, graph, MG_PART_NAMES, offsets[0], offsets[count]);
        if (status != MEGURI_OK) return status;
    }
    for (uint64_t i = 0; i < count; i++) {
        out[i] = (const char *)bytes + (offsets[i] - offsets[0]);
        length[i] = (size_t)(offsets[i + 1] - offsets[i]);
    }
    return MEGURI_OK;
}

/* Increasing 64-bit keys whichever way ids are signed. */
static uint64_t id_key(const meguri_graph *graph, uint64_t id) {
    return graph->id_kind == MEGURI_ID_SIGNED ? id ^ (uint64_t)1 << 63 : id;
}

static meguri_status no_such_id(meguri_ctx *ctx, const meguri_graph *graph, uint64_t id) {
    if (graph->id_kind == MEGURI_ID_SIGNED)
        return mg_fail(ctx, MEGURI_NOT_FOUND, "no vertex has the id %" PRId64 ".", (int64_t)id);
    return mg_fail(ctx, MEGURI_NOT_FOUND, "no vertex has the id %" PRIu64 ".", id);
}

meguri_status mg_graph_id_view(mg_id_view *out, meguri_ctx *ctx, const meguri_graph *graph) {
    const void *parts[4];
    static const mg_part wanted[] = {MG_PART_IDS, MG_PART_NAME_INDEX, MG_PART_NAME_OFFSETS, MG_PART_NAMES};
    meguri_status status = MEGURI_OK;
    for (int i = 0; i < 4 && status == MEGURI_OK; i++) status = mg_graph_part(&parts[i], ctx, graph, wanted[i]);
    if (status == MEGURI_OK)
        *out = (mg_id_view){.graph = graph,
                            .ids = parts[0],
                            .index = parts[1],
                            .mask = graph->part[MG_PART_NAME_INDEX].bytes / 4 - 1,
                            .offsets = parts[2],
                            .names = parts[3]};
    return status;
}

bool mg_look_up_id(uint64_t *vertex, const mg_id_view *view, uint64_t id) {
    const meguri_graph *graph = view->graph;
    const uint64_t *ids = view->ids;
    if (!ids) {
        *vertex = id - graph->id_base;
        return id_key(graph, id) >= id_key(graph, graph->id_base) && *vertex < graph->vertices;
    }
    uint64_t low = 0, high = graph->vertices, key = id_key(graph, id);
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (id_key(graph, ids[middle]) < key) low = middle + 1;
        else high = middle;
    }
    *vertex = low;
    return low < graph->vertices && ids[low] == id;
}

meguri_status mg_graph_find_id(uint64_t *vertex, meguri_ctx *ctx, const meguri_graph *graph, uint64_t id) {
    mg_id_view view;
    uint64_t found;
    if (graph->elsewhere) return graph->elsewhere->find_id(vertex, ctx, graph->parts, id);
    meguri_status status = mg_graph_id_view(&view, ctx, graph);
    if (status != MEGURI_OK) return status;
    if (!mg_look_up_id(&found, &view, id)) return no_such_id(ctx, graph, id);
    *vertex = found;
    return MEGURI_OK;
}

bool mg_look_up_name(uint64_t *vertex, const mg_id_view *t, const char *name, size_t length) {
    for (uint64_t slot = XXH3_64bits(name, length) & t->mask; t->index && t->index[slot] != MG_NO_VERTEX;
         slot = (slot + 1) & t->mask) {
        uint32_t v = t->index[slot];
        if (t->offsets[v + 1] - t->offsets[v] == length &&
            (length == 0 || memcmp(t->names + t->offsets[v], name, length) == 0)) {
            *vertex = v;
            return true;
        }
    }
    return false;
}

static meguri_status find_name(uint64_t *vertex, meguri_ctx *ctx, const meguri_graph *graph, const char *name,
                               size_t length) {
    mg_id_view view;
    if (graph->elsewhere) return graph->elsewhere->find_name(vertex, ctx, graph->parts, name, length);
    meguri_status status = mg_graph_id_view(&view, ctx, graph);
    if (status != MEGURI_OK || mg_look_up_name(vertex, &view, name, length)) return status;
    return mg_fail(ctx, MEGURI_NOT_FOUND, "no vertex has the id '%.*s'.", (int)MG_MIN(length, 200u), name);
}

meguri_status meguri_graph_find(uint64_t *vertex, meguri_ctx *ctx, const meguri_graph *graph, uint64_t id) {
    if (!ctx) return MEGURI_BAD_ARGUMENT;
    mg_begin(ctx);
    if (!vertex || !graph) return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "meguri_graph_find needs a place and a graph.");
    if (graph->id_kind == MEGURI_ID_STRING)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "the ids of this graph are strings: use meguri_graph_find_name.");
    return mg_graph_find_id(vertex, ctx, graph, id);
}

meguri_status meguri_graph_find_name(uint64_t *vertex, meguri_ctx *ctx, const meguri_graph *graph, const char *name,
                                     size_t length) {
    if (!ctx) return MEGURI_BAD_ARGUMENT;
    mg_begin(ctx);
    if (!vertex || !graph || !name)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "meguri_graph_find_name needs a place, a graph and a name.");
    if (graph->id_kind != MEGURI_ID_STRING)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "the ids of this graph are integers: use meguri_graph_find.");
    meguri_status status = mg_check_count(ctx, length, 1, "bytes of a name");
    if (status != MEGURI_OK) return status;
    return find_name(vertex, ctx, graph, name, length);
}

bool mg_id_from_text(uint64_t *id, const char *text, meguri_id_kind kind) {
    bool negative = *text == '-', negative_allowed = kind == MEGURI_ID_SIGNED;
    uint64_t value = 0;
    if (negative || *text == '+') text++;
    if (!*text || (negative && !negative_allowed)) return false;
    for (; *text; text++) {
        if (*text < '0' || *text > '9') return false;
        if (__builtin_mul_overflow(value, 10u, &value) ||
            __builtin_add_overflow(value, (uint64_t)(*text - '0'), &value))
            return false;
    }
    if (negative_allowed && value > (uint64_t)INT64_MAX + negative) return false;
    *id = negative ? 0 - value : value;
    return true;
}

meguri_status meguri_graph_find_text(uint64_t *vertex, meguri_ctx *ctx, const meguri_graph *graph, const char *text) {
    if (!ctx) return MEGURI_BAD_ARGUMENT;
    mg_begin(ctx);
    if (!vertex || !graph || !text)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "meguri_graph_find_text needs a place, a graph and a text.");
    if (graph->id_kind == MEGURI_ID_STRING) return find_name(vertex, ctx, graph, text, strlen(text));
    uint64_t id;
    if (!mg_id_from_text(&id, text, graph->id_kind))
        return mg_fail(ctx, MEGURI_NOT_FOUND, "no vertex has the id '%.200s': the ids of this graph are %s integers.",
                       text, meguri_id_kind_name(graph->id_kind));
    return mg_graph_find_id(vertex, ctx, graph, id);
}

meguri_status meguri_graph_coordinates(double *x, double *y, meguri_ctx *ctx, const meguri_graph *graph, uint64_t first,
                                       uint64_t count) {
    if (!ctx) return MEGURI_BAD_ARGUMENT;
    mg_begin(ctx);
    meguri_status status = check_range(ctx, graph, x && y ? x : NULL, first, count, "meguri_graph_coordinates");
    if (status != MEGURI_OK) return status;
    const void *data;
    status = mg_graph_part_range(&data, ctx, graph, MG_PART_COORDINATES, first * 16, (first + count) * 16);
    if (status != MEGURI_OK) return status;
    if (!data) return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "the graph has no coordinates: build it with a .co file.");
    const double *pairs = data;
    for (uint64_t i = 0; i < count; i++) {
        x[i] = pairs[2 * i];
        y[i] = pairs[2 * i + 1];
    }
    return MEGURI_OK;
}

const char *mg_graph_id_text(char text[MG_ID_TEXT], meguri_ctx *ctx, const meguri_graph *graph, uint32_t position) {
    uint64_t id;
    const char *name;
    size_t length;
    snprintf(text, MG_ID_TEXT, "at place %" PRIu32, position); /* where a file does not tell */
    if (graph->id_kind == MEGURI_ID_STRING) {
        if (meguri_graph_names(&name, &length, ctx, graph, position, 1) != MEGURI_OK) return text;
        size_t shown = MG_MIN(length, 200u);
        while (shown < length && shown > 0 && ((unsigned char)name[shown] & 0xc0) == 0x80) shown--;
        snprintf(text, MG_ID_TEXT, "\"%.*s%s\"", (int)shown, name, shown < length ? "..." : "");
    } else if (meguri_graph_ids(&id, ctx, graph, position, 1) == MEGURI_OK) {
        if (graph->id_kind == MEGURI_ID_SIGNED) snprintf(text, MG_ID_TEXT, "%" PRId64, (int64_t)id);
        else snprintf(text, MG_ID_TEXT, "%" PRIu64, id);
    }
    mg_begin(ctx); /* the sentence that is being made is the one that counts */
    return text;
}
