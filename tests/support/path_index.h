/* A graph with an index of paths as if it had been opened from a file that has one. */
#ifndef PATH_INDEX_H
#define PATH_INDEX_H

#include "graph/graph.h"

#include <meguri/path.h>

/* The graph is used by nothing else. */
static inline meguri_status give_index(meguri_ctx *ctx, meguri_graph *graph) {
    mg_part_data parts[MG_INDEX_PARTS];
    meguri_path_index *index;
    meguri_status status = meguri_path_index_new(&index, ctx, graph, NULL);
    if (status != MEGURI_OK) return status;
    mg_path_index_parts(parts, index);
    for (int i = 0; i < MG_INDEX_PARTS && status == MEGURI_OK; i++) {
        void *copy = mg_alloc(ctx, parts[i].bytes, "a test");
        if (copy) memcpy(copy, parts[i].data, parts[i].bytes);
        else status = MEGURI_NO_MEMORY;
        if (copy) mg_graph_own(graph, (mg_part)(MG_PART_INDEX_FACTS + i), copy, parts[i].bytes);
    }
    meguri_path_index_free(index);
    return status;
}

#endif
