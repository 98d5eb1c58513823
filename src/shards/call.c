/* Calls about graphs: what all processes must give alike, and agreement where the graph may be whole. */
#include "shards/shards.h"

void mg_call_layout(mg_call *call, const meguri_layout *options) {
    bool known = options && options->size >= sizeof *options;
    mg_call_number(call, "number of rows", known ? options->rows : 0);
    mg_call_number(call, "number of columns", known ? options->columns : 0);
    mg_call_number(call, "choice of pairs", known && options->pairs);
    mg_call_number(call, "choice of owners", known ? (uint64_t)options->owner << 1 | (options->programs != 0) : 0);
}

void mg_call_build(mg_call *call, const meguri_build_options *o) {
    uint64_t choices = (uint64_t)o->direction << 8 | (uint64_t)(o->keep_duplicates != 0) << 2 |
                       (uint64_t)(o->keep_loops != 0) << 1 | (uint64_t)(o->ignore_weights != 0);
    mg_call_number(call, "choice of how edges become a graph", choices);
}

void mg_graph_give_up(const meguri_graph *graph) {
    if (graph->elsewhere) mg_shards_of(graph)->cluster->failed = true;
}

meguri_status mg_graph_agree(meguri_ctx *ctx, const meguri_graph *graph, meguri_status status, const mg_call *call) {
    return graph->elsewhere ? mg_agree_call(ctx, mg_shards_of(graph)->cluster, status, call) : status;
}
