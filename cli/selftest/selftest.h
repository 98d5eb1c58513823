/* What the files of the self-test share: graphs with their plain forms, and what must come out on any engine. */
#ifndef CLI_SELFTEST_H
#define CLI_SELFTEST_H

#include "cli.h"

/* ---- zoo.c: the graphs ------------------------------------------------------------------------------------------ */

/* A graph, and its arcs as plain arrays: those of vertex v are [first[v], first[v + 1]). Weights of graphs that have
 * none are 1. */
typedef struct zoo_graph {
    char name[64];
    meguri_graph *graph;
    uint32_t vertices;
    uint64_t *first;
    uint32_t *to;
    double *weight;
    bool integers; /* distances are whole numbers */
} zoo_graph;

/* Graph number `index`, and whether there is one: *there is false behind the last. */
meguri_status zoo_make(zoo_graph *out, bool *there, cli_run *run, unsigned index);
void zoo_free(zoo_graph *g);

/* ---- cases.c: the algorithms ------------------------------------------------------------------------------------ */

/* Where an algorithm runs. */
typedef struct place {
    meguri_ctx *ctx;
    meguri_engine engine;
    const zoo_graph *zoo;
    const meguri_graph *graph; /* that of the zoo, or what it lies in parts as */
    meguri_cluster *cluster;   /* NULL: the graph is whole */
    uint64_t begin, end;       /* vertices whose results are here */
} place;

#define CASE_TEXT 512

/* An algorithm: all that it is to be tried with on this graph, compared with a plain answer where there is one, and by
 * its checker. The sentence of what went wrong goes to `why`. */
typedef struct self_case {
    const char *name;
    bool on_device, on_cluster;
    meguri_status (*run)(char why[CASE_TEXT], const place *p);
} self_case;

extern const self_case self_cases[];
#define SELF_CASES 11

#endif
