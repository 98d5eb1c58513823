/* What all searches of one graph share.
 *
 * In a graph ordered by falling degree the vertices of degree one come last, and in every row they come last too. A
 * search leaves them out: each has the parent that its only edge gives it, whatever the search does, so they are filled
 * in at the end by one sweep (the leaves of the trees that RIKEN's Graph500 code prunes; in a Kronecker graph a fifth
 * of the vertices, and those that a pull would look at in vain most often).
 *
 * First neighbours lie in an array of their own (Ueno et al.): most looks of a pull end there, and then the row is
 * never touched. */
#include "algo/bfs/bfs.h"

#define ROW_GRAIN 16384

/* The first internal number of degree one, in an undirected graph ordered by degree: binary search. */
uint32_t mg_bfs_core(const meguri_graph *graph, const mg_rows *rows) {
    if (graph->directed || graph->order != MEGURI_ORDER_DEGREE) return (uint32_t)rows->rows;
    uint64_t low = 0, high = rows->rows;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (mg_row_offset(rows, middle + 1) - mg_row_offset(rows, middle) > 1) low = middle + 1;
        else high = middle;
    }
    return (uint32_t)low;
}

meguri_status mg_bfs_open(meguri_ctx *ctx, meguri_bfs_search *s) {
    meguri_status status = mg_graph_rows(&s->out, ctx, s->graph);
    if (status == MEGURI_OK) status = mg_graph_numbering(&s->numbering, ctx, s->graph);
    if (status != MEGURI_OK) return status;
    s->rows = (uint32_t)s->out.rows;
    s->core = mg_bfs_core(s->graph, &s->out);
    uint64_t words = mg_bitmap_words(s->rows);
    s->visited = mg_alloc_array(ctx, words, sizeof *s->visited, "the visited vertices of a search");
    s->previous = mg_alloc_array(ctx, words, sizeof *s->previous, "the visited vertices of a search");
    s->spare = mg_alloc_array(ctx, words, sizeof *s->spare, "the visited vertices of a search");
    if (!s->visited || !s->previous || !s->spare) return MEGURI_NO_MEMORY;
    status = mg_queue_new(&s->list, ctx, s->rows, "the frontier of a search");
    if (status == MEGURI_OK) status = mg_queue_new(&s->next, ctx, s->rows, "the frontier of a search");
    return status;
}

meguri_status mg_bfs_prepare(meguri_ctx *ctx, meguri_bfs_search *s) {
    if (s->prepared) return MEGURI_OK;
    meguri_status status = mg_graph_in_rows(&s->in, ctx, s->graph);
    if (status != MEGURI_OK) return status;
    /* Whole words, so that vector code may read beyond the last vertex. */
    uint64_t padded = 64 * mg_bitmap_words(s->core);
    s->first = mg_alloc_array(ctx, padded, sizeof *s->first, "the first neighbours of a search");
    if (!s->first) return MEGURI_NO_MEMORY;
    double start = mg_now();
    int threads = mg_threads(ctx, padded, ROW_GRAIN);
#pragma omp parallel for num_threads(threads) schedule(static)
    for (uint64_t v = 0; v < padded; v++) {
        uint64_t begin = mg_row_begin(&s->in, v);
        s->first[v] = begin < mg_row_end(&s->in, v) ? s->in.neighbors[begin] : (uint32_t)v;
    }
    mg_trace_phase(ctx, "bfs", "prepare", s->core, (int64_t)(padded * sizeof *s->first), start);
    s->prepared = true;
    return MEGURI_OK;
}
