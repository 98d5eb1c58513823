/* What the tests of components share: a textbook union-find of plain arrays, and the comparison of a result with it. */
#ifndef PARTING_H
#define PARTING_H

#include "algo_bfs/searching.h"

typedef struct parts {
    uint32_t *component; /* by position: the first member */
    uint64_t count, largest;
} parts;

/* Edges one after another, in no hurry. */
parts parts_of(const plain *p);
void parts_free(parts *p);

/* Finds the components, compares them and the facts with the textbook and has them checked; ends the test where
 * they differ. How many edges were looked at. */
uint64_t check_parts(meguri_ctx *ctx, const subject *s, const parts *right);
/* The same for a result that is there already. */
void check_parts_result(meguri_ctx *ctx, const subject *s, const parts *right, const meguri_result *result);

#endif
