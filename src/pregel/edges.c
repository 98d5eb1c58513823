/* Values of edges in the type that a program wants them in: a column of the graph, or the weight. */
#include "pregel/pregel.h"

#include "pregel/edges.h"

static bool is_real(meguri_type type) { return type == MEGURI_TYPE_F32 || type == MEGURI_TYPE_F64; }

/* Whether no value of one type is lost in the other. */
static bool fits(meguri_type from, meguri_type to) {
    if (from == to) return true;
    if (from == MEGURI_TYPE_BOOLEAN) from = MEGURI_TYPE_U8;
    if (mg_type_is_signed(from) || from == MEGURI_TYPE_VERTEX) return false;
    if (is_real(from)) return from == MEGURI_TYPE_F32 && to == MEGURI_TYPE_F64;
    size_t size = meguri_type_bytes(from);
    if (to == MEGURI_TYPE_F64) return size <= 4;
    if (to == MEGURI_TYPE_F32) return size <= 2;
    return size <= meguri_type_bytes(to);
}

meguri_status mg_edge_values_of(mg_edge_values *out, meguri_ctx *ctx, const meguri_graph *graph,
                                const meguri_program *program) {
    const char *name = program->edge_column;
    *out = (mg_edge_values){.to = (meguri_type)program->edge_type};
    if (!program->edge_type) return MEGURI_OK;
    const mg_shards_column *in_parts =
        graph->elsewhere && name ? mg_shards_column_named(mg_shards_of(graph), name) : NULL;
    uint32_t column = 0, columns = mg_graph_column_count(graph);
    mg_column_view view = {0};
    meguri_status status = MEGURI_OK;
    for (; name && column < columns && status == MEGURI_OK; column++) {
        status = mg_graph_column(&view, ctx, graph, column, false);
        if (status == MEGURI_OK && strcmp(view.name, name) == 0) break;
    }
    if (status != MEGURI_OK) return status;
    if (name && column < columns) {
        status = mg_graph_column(&view, ctx, graph, column, true);
        out->values = view.values;
        out->from = mg_code_type(view.what.code);
        out->by_out_arc = true;
    } else if (in_parts) {
        out->from = in_parts->type;
        out->by_out_arc = true;
    } else if (name && strcmp(name, "weight") != 0) {
        return mg_fail(ctx, MEGURI_BAD_INPUT,
                       "the program %s reads the edge column \"%.200s\", which this graph does not have; build it with "
                       "that column.",
                       program->name, name);
    } else out->from = (meguri_type)graph->weight_type; /* their numbers are the same */
    if (status == MEGURI_OK && (in_parts ? in_parts->nullable : view.validity != NULL))
        return mg_fail(ctx, MEGURI_BAD_INPUT,
                       "the program %s reads the edge column \"%.200s\", of which values are missing.", program->name,
                       name);
    if (status == MEGURI_OK && out->from && !fits(out->from, out->to))
        return mg_fail(ctx, MEGURI_BAD_INPUT,
                       "the program %s reads %s of edges as %s, but this graph has %s, which would lose digits; give "
                       "the edges of the program that type.",
                       program->name, name ? name : "weights", meguri_type_name(out->to), meguri_type_name(out->from));
    if (graph->elsewhere && !out->by_out_arc) out->from = (meguri_type)mg_shards_of(graph)->weight_type;
    return status;
}

void mg_edge_value(void *to, const mg_edge_values *e, const void *values, uint64_t arc) {
    double real = 1;
    uint64_t whole = 1;
    switch (e->from) {
    case MEGURI_TYPE_NONE: break; /* no weights: all are 1 */
    case MEGURI_TYPE_F32: real = (double)((const float *)values)[arc]; break;
    case MEGURI_TYPE_F64: real = ((const double *)values)[arc]; break;
    default:
        whole = mg_value_whole(values, meguri_type_bytes(e->from), arc);
        real = (double)whole;
        break;
    }
    switch (e->to) {
    case MEGURI_TYPE_U8: *(uint8_t *)to = (uint8_t)whole; break;
    case MEGURI_TYPE_U16: *(uint16_t *)to = (uint16_t)whole; break;
    case MEGURI_TYPE_U32: *(uint32_t *)to = (uint32_t)whole; break;
    case MEGURI_TYPE_U64: *(uint64_t *)to = whole; break;
    case MEGURI_TYPE_F32: *(float *)to = (float)real; break;
    default: *(double *)to = real; break;
    }
}

typedef struct conversion {
    const mg_edge_values *e;
    const void *from;
    char *to;
    size_t bytes;
} conversion;

static void convert(void *what, uint64_t begin, uint64_t end) {
    const conversion *c = what;
    for (uint64_t arc = begin; arc < end; arc++) mg_edge_value(c->to + arc * c->bytes, c->e, c->from, arc);
}

meguri_status mg_edge_values_of_rows(const void **out, void **owned, meguri_ctx *ctx, const mg_edge_values *e,
                                     const mg_rows *rows) {
    const void *values = e->by_out_arc ? e->values : rows->weights;
    *owned = NULL;
    *out = values;
    if (!e->to || e->from == e->to) return MEGURI_OK;
    conversion c = {.e = e, .from = values, .bytes = meguri_type_bytes(e->to)};
    *out = *owned = c.to = mg_alloc_array(ctx, rows->arcs, c.bytes, "the values of edges");
    if (!c.to) return MEGURI_NO_MEMORY;
    mg_for(ctx, mg_threads(ctx, rows->arcs, 1 << 16), rows->arcs, convert, &c);
    return MEGURI_OK;
}
