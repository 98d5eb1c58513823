/* The zoo: small graphs of every shape that has ever broken a graph program, made on the spot. */
#ifndef ZOO_H
#define ZOO_H

#include <meguri.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct zoo_graph {
    char name[64];
    uint64_t count;
    uint64_t *pairs; /* from, to, from, to … (signed ids in the same bits) */
    double *weights; /* NULL: none */
    bool signed_ids;
    uint64_t vertices; /* 0: the ids that occur */
} zoo_graph;

/* Fills one graph after the other: returns false when `index` is past the last. Free with zoo_free. */
bool zoo_get(zoo_graph *out, int index);
void zoo_free(zoo_graph *graph);

/* A random number from a state: splitmix64, the same on every machine. */
uint64_t zoo_random(uint64_t *state);

#endif
