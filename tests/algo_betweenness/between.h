/* What the tests of betweenness share: scores by the definition, from all distances and numbers of ways, and the
 * comparison of a result with them. */
#ifndef BETWEEN_H
#define BETWEEN_H

#include "algo_bfs/searching.h"

/* A graph in both forms; the plain one has the same arcs, by position. */
subject between_subject(meguri_ctx *ctx, const zoo_graph *g, const meguri_build_options *options);

/* For every s of the sources, t and v, all different: ways(s, v) · ways(v, t) / ways(s, t) where v lies between. Takes
 * vertices^3 steps. */
double *between_by_definition(const plain *p, const uint64_t *sources, uint64_t count);

/* All sources, halved where it is due. */
double *between_all(const plain *p, bool directed);

/* Runs it and compares; ends the test where a score differs, or where the checker, if it is asked, does not agree. */
void check_scores(meguri_ctx *ctx, const subject *s, const meguri_betweenness_options *options, const double *right,
                  bool checked);

/* The column of a result. */
const double *scores_of(const meguri_result *result, uint64_t vertices);

#endif
