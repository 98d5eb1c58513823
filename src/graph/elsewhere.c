/* Graphs that lie elsewhere: what is asked of a graph wherever it lies, and which engine works on it. */
#include "graph/internal.h"

#include <meguri/cluster.h>

#include <inttypes.h>

const char *meguri_engine_name(meguri_engine engine) {
    static const char *const names[] = {"auto", "host", "cluster", "device"};
    return (unsigned)engine < sizeof names / sizeof *names ? names[engine] : "unknown";
}

/* ---- engines ---------------------------------------------------------------------------------------------------- */

meguri_engine mg_graph_engine(const meguri_graph *graph) {
    return graph->elsewhere ? graph->elsewhere->engine : MEGURI_ENGINE_HOST;
}

meguri_status mg_pick_engine(meguri_engine *out, meguri_ctx *ctx, const meguri_graph *graph, meguri_engine asked,
                             const char *what, unsigned rows) {
    meguri_engine here = mg_graph_engine(graph);
    const char *where = graph->elsewhere ? graph->elsewhere->where : "whole in the memory of this process";
    *out = MEGURI_ENGINE_HOST;
    if ((unsigned)asked > MEGURI_ENGINE_DEVICE)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "%d is no engine.", (int)asked);
    if (asked == MEGURI_ENGINE_DEVICE && !(rows & 1u << asked))
        return mg_fail(ctx, MEGURI_ENGINE_FAILED, "%s does not run on a device.", what);
    if (asked == MEGURI_ENGINE_DEVICE && here == MEGURI_ENGINE_HOST) here = asked; /* it gets a copy */
    if (asked != MEGURI_ENGINE_AUTO && asked != here)
        return mg_fail(ctx, MEGURI_ENGINE_FAILED, "the engine %s cannot work on a graph that lies %s.",
                       meguri_engine_name(asked), where);
    if (!(rows & 1u << here))
        return mg_fail(ctx, MEGURI_ENGINE_FAILED, "%s has no engine for a graph that lies %s.", what, where);
    *out = here;
    return MEGURI_OK;
}

meguri_status mg_graph_whole(meguri_ctx *ctx, const meguri_graph *graph) {
    if (!graph->elsewhere) return MEGURI_OK;
    return mg_fail(ctx, MEGURI_ENGINE_FAILED, "this needs a graph as a whole, and this one lies %s.",
                   graph->elsewhere->where);
}

/* ---- layouts ---------------------------------------------------------------------------------------------------- */

meguri_status mg_layout_makers(const mg_makers **out, meguri_layout *copy, meguri_ctx *ctx,
                               const meguri_layout **layout) {
    *out = NULL;
    if (!*layout) return MEGURI_OK;
    meguri_status status = mg_options(ctx, copy, sizeof *copy, *layout, "meguri_layout");
    if (status != MEGURI_OK) return status;
    if (copy->programs && copy->owner == MEGURI_OWNER_AUTO && !copy->pairs) copy->owner = MEGURI_OWNER_POSITION;
    if (!copy->cluster) return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "a layout needs a cluster.");
    *layout = copy;
    *out = *(const mg_makers *const *)copy->cluster;
    return MEGURI_OK;
}

/* ---- the highest of a result ------------------------------------------------------------------------------------ */

static meguri_status check_about(meguri_ctx *ctx, const meguri_graph *graph, const meguri_result *result,
                                 const char *column) {
    meguri_column c = {.size = sizeof c};
    if (meguri_result_column(&c, result, column) != MEGURI_OK || c.count == graph->vertices) return MEGURI_OK;
    return mg_fail(ctx, MEGURI_BAD_ARGUMENT,
                   "the column %s has %" PRIu64 " items and the graph %" PRIu64
                   " vertices: give the graph that the result is about.",
                   column, c.count, graph->vertices);
}

meguri_status meguri_result_top(uint64_t *vertices, double *values, uint64_t *count, meguri_ctx *ctx,
                                const meguri_graph *graph, const meguri_result *result, const char *column,
                                uint64_t most) {
    if (count) *count = 0;
    if (!ctx) return MEGURI_BAD_ARGUMENT;
    mg_begin(ctx);
    if (!vertices || !count || !graph || !result || !column)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT,
                       "meguri_result_top needs places for the answer, a graph, a result and the name of a column.");
    if (graph->elsewhere)
        return graph->elsewhere->top(vertices, values, count, ctx, graph->parts, result, column, most);
    meguri_status status = check_about(ctx, graph, result, column);
    return status == MEGURI_OK ? mg_result_top(vertices, values, count, ctx, result, column, most) : status;
}

meguri_status meguri_result_groups(uint64_t *groups, uint64_t *sizes, uint64_t *count, meguri_ctx *ctx,
                                   const meguri_graph *graph, const meguri_result *result, const char *column,
                                   uint64_t most) {
    if (count) *count = 0;
    if (!ctx) return MEGURI_BAD_ARGUMENT;
    mg_begin(ctx);
    if (!groups || !sizes || !count || !graph || !result || !column)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT,
                       "meguri_result_groups needs places for the answer, a graph, a result and the name of a column.");
    if (graph->elsewhere)
        return graph->elsewhere->groups(groups, sizes, count, ctx, graph->parts, result, column, most);
    meguri_status status = check_about(ctx, graph, result, column);
    return status == MEGURI_OK ? mg_result_groups(groups, sizes, count, ctx, result, column, most) : status;
}

/* ---- ids as text ------------------------------------------------------------------------------------------------ */

size_t mg_id_to_text(char *out, size_t room, meguri_id_kind kind, uint64_t id, const char *name, size_t length) {
    if (kind == MEGURI_ID_SIGNED) return (size_t)snprintf(out, room, "%" PRId64, (int64_t)id);
    if (kind == MEGURI_ID_UNSIGNED) return (size_t)snprintf(out, room, "%" PRIu64, id);
    size_t shown = MG_MIN(length, room - 1);
    while (shown < length && shown > 0 && ((unsigned char)name[shown] & 0xc0) == 0x80) shown--; /* a whole character */
    if (shown) memcpy(out, name, shown);
    out[shown] = '\0';
    return length;
}

static meguri_status own_id_text(char *out, size_t room, size_t *length, meguri_ctx *ctx, const meguri_graph *graph,
                                 uint64_t vertex) {
    uint64_t id = 0;
    const char *name = NULL;
    meguri_status status = graph->id_kind == MEGURI_ID_STRING ? meguri_graph_names(&name, length, ctx, graph, vertex, 1)
                                                              : meguri_graph_ids(&id, ctx, graph, vertex, 1);
    if (status == MEGURI_OK) *length = mg_id_to_text(out, room, graph->id_kind, id, name, *length);
    return status;
}

meguri_status meguri_graph_id_text(char *out, size_t room, size_t *length, meguri_ctx *ctx, const meguri_graph *graph,
                                   uint64_t vertex) {
    if (out && room) *out = '\0';
    if (length) *length = 0;
    if (!ctx) return MEGURI_BAD_ARGUMENT;
    mg_begin(ctx);
    size_t whole = 0;
    if (!out || !room || !graph)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "meguri_graph_id_text needs a place and a graph.");
    if (vertex >= graph->vertices)
        return mg_fail(ctx, MEGURI_NOT_FOUND, "there is no vertex %" PRIu64 " in a graph of %" PRIu64 ".", vertex,
                       graph->vertices);
    meguri_status status = graph->elsewhere ? graph->elsewhere->id_text(out, room, &whole, ctx, graph->parts, vertex)
                                            : own_id_text(out, room, &whole, ctx, graph, vertex);
    if (length) *length = whole;
    return status;
}
