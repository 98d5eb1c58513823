/* What the tests of triangles and clustering coefficients share: a count by a matrix of bits, and the comparison of
 * results with it. */
#ifndef COUNTING_H
#define COUNTING_H

#include "algo_bfs/searching.h"

/* Which vertices, by position, are joined by an arc from the first to the second. */
typedef struct matrix {
    uint64_t vertices, words;
    uint64_t *bits;
} matrix;

matrix matrix_new(uint64_t vertices);
void matrix_set(matrix *m, uint64_t from, uint64_t to);
bool matrix_get(const matrix *m, uint64_t from, uint64_t to);
void matrix_free(matrix *m);

/* What is right, straight from the definitions. */
typedef struct truth {
    uint64_t vertices, edges, triangles;
    double *coefficient;
    double mean;
} truth;
truth truth_of(const matrix *m);
/* Of the graph that these options make of the edges, as the slow builder makes it. */
truth truth_of_zoo(const zoo_graph *g, const meguri_build_options *options);
void truth_free(truth *t);

/* Counts with the library, compares everything with what is right, and lets the checkers look at it if they are wanted;
 * ends the test where anything differs. */
void check_counts(meguri_ctx *ctx, const char *name, const meguri_graph *graph, const truth *right, bool checkers);

/* The column `coefficient`. */
const double *coefficients_of(const meguri_result *result, uint64_t vertices);

#endif
