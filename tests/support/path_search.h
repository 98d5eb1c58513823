/* A finder of paths and a search that asks it, as one: what a test with one thread needs. */
#ifndef PATH_SEARCH_H
#define PATH_SEARCH_H

#include "algo/path/path.h"

static inline meguri_status search_new(meguri_path_search **out, meguri_ctx *ctx, const meguri_graph *graph,
                                       const meguri_path_finder_options *options) {
    meguri_path_finder *finder;
    *out = NULL;
    meguri_status status = meguri_path_finder_new(&finder, ctx, graph, options);
    if (status == MEGURI_OK) status = meguri_path_search_new(out, ctx, finder);
    if (status != MEGURI_OK) meguri_path_finder_free(finder);
    return status;
}

static inline void search_free(meguri_path_search *search) {
    meguri_path_finder *finder = search ? (meguri_path_finder *)search->finder : NULL;
    meguri_path_search_free(search);
    meguri_path_finder_free(finder);
}

#endif
