/* What the tests of PageRank share: a graph in two forms, a serial PageRank of plain arrays, and the comparison. */
#ifndef RANKING_H
#define RANKING_H

#include "algo_bfs/searching.h"

/* As subject_from_zoo, but with parallel edges and loops exactly as the options say. */
subject ranked_from_zoo(meguri_ctx *ctx, const zoo_graph *g, const meguri_build_options *options);

/* `iterations` steps from 1/n, in higher precision where the machine has it: a plain sum of a very long row in doubles
 * is further off than ours. *change is the sum of what the last one changed. Malloc'd. */
double *plain_ranks(const plain *p, double damping, uint64_t iterations, double *change);

/* The column; ends the test where there is none. */
const double *ranks_of(const meguri_result *result, uint64_t count);
double real_of(const meguri_result *result, const char *name);

/* Ranks and compares ranks and facts with the plain way and with the checker; ends the test where they differ. Returns
 * the result where the caller wants it, else frees it. */
void check_ranking(meguri_result **out, meguri_ctx *ctx, const subject *s, const meguri_pagerank_options *options);

/* Hubs whose rows are long, over more columns than a strip has. */
zoo_graph shape_of_strips(uint64_t vertices, uint64_t hubs, uint64_t seed);

#endif
