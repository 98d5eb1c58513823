/* Directed graphs followed either way: out-rows and in-rows merged into one, each arc with its place in the out-rows,
 * by which an edge is known whichever way it is followed. A loop is there once. */
#include "algo/path/path.h"

#define GRAIN 4096

uint64_t mg_path_twin(const mg_rows *rows, const mg_rows *others, uint32_t from, uint64_t arc) {
    uint32_t to = rows->neighbors[arc];
    uint64_t first = mg_row_find(rows, mg_row_begin(rows, from), arc, to);
    return mg_row_find(others, mg_row_begin(others, to), mg_row_end(others, to), from) + (arc - first);
}

typedef struct merging {
    const mg_rows *out, *in;
    meguri_type type;
    uint64_t *offsets, *stored;
    uint32_t *neighbors;
    char *weights;
    size_t weight_bytes;
} merging;

static uint64_t loops(const mg_rows *rows, uint32_t v) {
    uint64_t begin = mg_row_begin(rows, v), end = mg_row_end(rows, v);
    uint64_t first = mg_row_find(rows, begin, end, v);
    uint64_t last = first;
    while (last < end && rows->neighbors[last] == v) last++;
    return last - first;
}

static void copy_arc(merging *m, uint64_t at, const mg_rows *from, uint64_t arc, uint64_t stored) {
    m->neighbors[at] = from->neighbors[arc];
    m->stored[at] = stored;
    if (m->weight_bytes)
        memcpy(m->weights + at * m->weight_bytes, (const char *)from->weights + arc * m->weight_bytes, m->weight_bytes);
}

/* By neighbour, then weight, then stored place: so that parallel arcs lie alike in the rows of both their ends. */
static bool out_comes_first(const merging *m, uint64_t o, uint64_t i, uint64_t i_stored) {
    uint32_t a = m->out->neighbors[o], b = m->in->neighbors[i];
    if (a != b) return a < b;
    double x = mg_weight_at(m->out->weights, m->type, o), y = mg_weight_at(m->in->weights, m->type, i);
    return x != y ? x < y : mg_row_out_arc(m->out, o) < i_stored;
}

static void merge_row(merging *m, uint32_t v) {
    uint64_t o = mg_row_begin(m->out, v), o_end = mg_row_end(m->out, v);
    uint64_t i = mg_row_begin(m->in, v), i_end = mg_row_end(m->in, v), at = m->offsets[v];
    while (o < o_end || i < i_end) {
        if (i < i_end && m->in->neighbors[i] == v) {
            i++;
            continue;
        }
        uint64_t i_stored = i == i_end        ? 0
                            : m->in->out_arcs ? mg_row_out_arc(m->in, i)
                                              : mg_path_twin(m->in, m->out, v, i);
        if (i == i_end || (o < o_end && out_comes_first(m, o, i, i_stored))) {
            copy_arc(m, at++, m->out, o, mg_row_out_arc(m->out, o));
            o++;
        } else {
            copy_arc(m, at++, m->in, i, i_stored);
            i++;
        }
    }
}

static void measure_rows(void *what, uint64_t begin, uint64_t end) {
    const merging *m = what;
    for (uint64_t v = begin; v < end; v++)
        m->offsets[v] = mg_row_end(m->out, v) - mg_row_begin(m->out, v) + mg_row_end(m->in, v) -
                        mg_row_begin(m->in, v) - loops(m->in, (uint32_t)v);
}

static void merge_rows(void *what, uint64_t begin, uint64_t end) {
    for (uint64_t v = begin; v < end; v++) merge_row(what, (uint32_t)v);
}

meguri_status mg_path_both_ways(meguri_ctx *ctx, meguri_path_finder *f, const mg_rows *out, const mg_rows *in) {
    uint64_t rows = MG_MAX(out->rows, in->rows);
    merging m = {
        .out = out, .in = in, .type = f->graph->weight_type, .weight_bytes = meguri_type_bytes(f->graph->weight_type)};
    m.offsets = f->merged[0] = mg_alloc_array(ctx, rows + 1, sizeof *m.offsets, "rows that go both ways");
    if (!m.offsets) return MEGURI_NO_MEMORY;
    mg_for(ctx, mg_threads(ctx, rows, GRAIN), rows, measure_rows, &m);
    m.offsets[rows] = 0;
    uint64_t arcs = mg_scan_u64(ctx, m.offsets, rows + 1);
    m.neighbors = f->merged[1] = mg_alloc_array(ctx, arcs, sizeof *m.neighbors, "rows that go both ways");
    m.stored = f->stored = m.neighbors ? mg_alloc_array(ctx, arcs, sizeof *m.stored, "rows that go both ways") : NULL;
    if (!m.stored) return MEGURI_NO_MEMORY;
    if (m.weight_bytes) {
        m.weights = f->merged[2] = mg_alloc_array(ctx, arcs, m.weight_bytes, "rows that go both ways");
        if (!m.weights) return MEGURI_NO_MEMORY;
    }
    mg_sweep sweep = {.ctx = ctx, .phase = "path", .total = rows};
    meguri_status status = mg_sweep_over(&sweep, merge_rows, &m, rows);
    if (status != MEGURI_OK) return status;
    f->forward =
        (mg_rows){.rows = rows, .arcs = arcs, .offsets64 = m.offsets, .neighbors = m.neighbors, .weights = m.weights};
    f->backward = f->forward;
    return MEGURI_OK;
}
