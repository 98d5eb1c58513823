/* Searches from many sources in one pass: what their tests share. */
#ifndef MANY_H
#define MANY_H

#include "algo_bfs/searching.h"

/* Instead of a number: the result is that of one source. */
#define ALONE UINT32_MAX

/* What is wrong with the columns of a source; NULL: nothing. */
const char *column_fault(meguri_ctx *c, const subject *s, const meguri_result *result, uint32_t b, uint64_t source,
                         const answer *right, const meguri_bfs_many_options *options);
/* A result of a pass against a textbook search from each source. */
void check_result_of_many(meguri_ctx *c, const subject *s, const uint64_t *sources, uint32_t count,
                          const meguri_bfs_many_options *options, const meguri_result *result);
/* A pass, and its result likewise. */
void check_many(meguri_ctx *c, const subject *s, const uint64_t *sources, uint32_t count,
                const meguri_bfs_many_options *options);
/* Anywhere, some twice, isolated ones and leaves among them. */
void choose_sources(uint64_t sources[MEGURI_BFS_MANY], const subject *s, uint64_t *seed);

#endif
