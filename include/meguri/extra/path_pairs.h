/* Questions about paths out of lines of text: two ids each, and limits of their own (docs/path.md). */
#ifndef MEGURI_PATH_PAIRS_H
#define MEGURI_PATH_PAIRS_H

#include <meguri/extra/list.h>
#include <meguri/path.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Lines are of one of three forms, and the first says which: a header `from,to,…` with rows below it, JSON objects, or
 * two ids and then NAME=VALUE; tabs, commas, semicolons, bars or blanks between. */
typedef struct meguri_path_pairs meguri_path_pairs;

/* `name` is what lines are called in sentences, such as that of their file; `base` what a question has where its line
 * says nothing (NULL: all defaults). They hold their graph. */
meguri_status meguri_path_pairs_new(meguri_path_pairs **out, meguri_ctx *ctx, const meguri_graph *graph,
                                    const char *name, const meguri_path_query *base);
/* Takes a line, without its end; `number` is for sentences. No question comes of a header, of blanks, and of what
 * begins with #. */
meguri_status meguri_path_pairs_add(meguri_ctx *ctx, meguri_path_pairs *pairs, const char *line, size_t bytes,
                                    uint64_t number);
/* Takes all lines of a file, whose name they are called by. */
meguri_status meguri_path_pairs_add_list(meguri_ctx *ctx, meguri_path_pairs *pairs, const meguri_list *list);
/* The questions so far, until the next line. Changes nothing. */
meguri_status meguri_path_pairs_get(const meguri_path_query **queries, uint64_t *count, const meguri_path_pairs *pairs);
void meguri_path_pairs_free(meguri_path_pairs *pairs);

#ifdef __cplusplus
}
#endif
#endif
