/* graph500: the benchmark: edge list, roots, timing, validation, statistics in the official form. */
#ifndef MG_GRAPH500_H
#define MG_GRAPH500_H

#include "gen/gen.h"
#include "graph/graph.h"

#include <meguri/extra/graph500.h>

/* ---- edges to look at ------------------------------------------------------------------------------------------- */

enum { MG_LOOK = 256 }; /* edges looked at together: their ends stay in the first-level cache */

/* An edge list in whatever form, read a few edges at a time. */
typedef struct mg_edge_view mg_edge_view;
struct mg_edge_view {
    /* The ends of the edges [begin, end), at most MG_LOOK of them: where they lie, or in `room`. */
    const uint32_t *(*look)(const mg_edge_view *self, uint32_t room[2 * MG_LOOK], uint64_t begin, uint64_t end);
    /* Their weights, in the same way. Only of a list that has weights. */
    const float *(*weigh)(const mg_edge_view *self, float room[MG_LOOK], uint64_t begin, uint64_t end);
    uint64_t count;
};

/* ---- the edge list (list.c) ------------------------------------------------------------------------------------- */

typedef struct mg_graph500_list {
    mg_edge_view view; /* after kernel 1 */
    uint32_t scale;
    mg_drawing *drawing; /* the rule that makes the edges */
    uint32_t **blocks;   /* the list for kernel 1, which consumes it */
    float **weights;     /* the weights of each block; NULL where there are none */
    uint64_t block_count;
    char *packed;        /* the list for the validation; NULL: drawn anew at every look */
    uint32_t edge_bytes; /* of an edge in it */
} mg_graph500_list;

meguri_status mg_graph500_list_new(mg_graph500_list *out, meguri_ctx *ctx, const meguri_graph500_options *options,
                                   bool weighted);
void mg_graph500_list_free(mg_graph500_list *list);
/* The graph, undirected, in the order of falling degree; ids of the list are its positions, weights are f32. */
meguri_status mg_graph500_list_build(meguri_graph **out, meguri_ctx *ctx, mg_graph500_list *list);
/* Makes looks fast if there is memory for it; they are right without it. */
meguri_status mg_graph500_list_pack(meguri_ctx *ctx, mg_graph500_list *list);

/* ---- the run (run.c) -------------------------------------------------------------------------------------------- */

/* Options with the defaults filled in, and a report with what they say; freed with meguri_graph500_report_free. */
meguri_status mg_graph500_begin(meguri_graph500_options *out, meguri_graph500_report **report, meguri_ctx *ctx,
                                const meguri_graph500_options *options);
/* Rows for the searches of the kernels that are wanted, once it is known how many there are. */
meguri_status mg_graph500_make_rows(meguri_ctx *ctx, meguri_graph500_report *report, uint32_t kernels);
/* Statistics of a kernel from its rows. */
meguri_status mg_graph500_summarize(meguri_ctx *ctx, const meguri_graph500_report *report,
                                    meguri_graph500_kernel *kernel);
/* That there are fewer roots than asked for, or none at all. */
meguri_status mg_graph500_check_roots(meguri_ctx *ctx, const meguri_graph500_report *report, uint32_t count);

/* ---- roots (roots.c) -------------------------------------------------------------------------------------------- */

/* Up to *count distinct vertices with a neighbour other than themselves, each choice as probable as any other; *count
 * becomes how many there are. The graph has no loops. Depends on graph and seed alone. */
meguri_status mg_graph500_roots(uint32_t *out, uint32_t *count, meguri_ctx *ctx, const meguri_graph *graph,
                                uint64_t seed);

/* A vertex and its random number, which no other has. */
typedef struct mg_ticket {
    uint64_t number, vertex;
} mg_ticket;
/* The same among some vertices: those of the *count smallest numbers that qualify, in the order of these. */
typedef bool mg_qualifies_fn(const void *user, uint64_t vertex);
meguri_status mg_graph500_sample(mg_ticket *out, uint32_t *count, meguri_ctx *ctx, mg_range vertices,
                                 mg_qualifies_fn *qualifies, const void *user, uint64_t seed);

/* ---- validation: what search trees and shortest paths share (tree.c) -------------------------------------------- */

/* What the validations of several trees share. */
typedef struct mg_graph500_validator {
    const mg_edge_view *edges;
    uint64_t vertices;
    uint32_t *words;     /* of each vertex: its level, and whether an edge to its parent was seen */
    uint8_t *bytes;      /* for the pass over the edges, which looks at vertices at random */
    uint64_t done, work; /* for the progress line: edges looked at in this and earlier trees, and in all of them */
} mg_graph500_validator;

meguri_status mg_graph500_validator_new(mg_graph500_validator *out, meguri_ctx *ctx, const mg_edge_view *edges,
                                        uint64_t vertices, uint64_t trees);
void mg_graph500_validator_free(mg_graph500_validator *validator);

/* The word of a vertex: its level, SEEN if an edge to its parent was; or one of two values that are no levels. */
#define MG_TREE_SEEN    ((uint32_t)1 << 31)
#define MG_TREE_OUTSIDE (MG_TREE_SEEN - 1) /* not in the tree */
#define MG_TREE_UNKNOWN (MG_TREE_SEEN - 2) /* in the tree, level not known yet */
#define MG_NOBODY       UINT64_MAX

/* One tree on its way through the rules. */
typedef struct mg_tree_check {
    meguri_ctx *ctx;
    mg_graph500_validator *shared;
    const char *what; /* the tree in sentences */
    uint32_t root;
    const uint32_t *parent;
    const int32_t *level;   /* of a search tree; or NULL */
    const double *distance; /* of shortest paths */
    uint64_t on_cycle;      /* a vertex that leads to a cycle, or MG_NOBODY */
    int deep;               /* some level has no room in a word */
    uint32_t suspect;       /* a vertex whose edge to its parent is looked for again */
    bool in_bytes;          /* edges are looked at by bytes */
    meguri_graph500_tree facts;
} mg_tree_check;

/* What a pass found in a piece. */
typedef struct mg_tally {
    uint64_t bad; /* the first in it that breaks a rule, or MG_NOBODY */
    uint64_t sum, max;
} mg_tally;

typedef mg_tally mg_piece_fn(mg_tree_check *c, uint64_t begin, uint64_t end);

/* Runs a piece after the other on all threads, up to the first that holds a culprit. */
meguri_status mg_tree_pass(mg_tally *out, mg_tree_check *c, mg_piece_fn *look, uint64_t items);
/* Rule 1: it is a tree. Afterwards the words are levels, and `reached` and `depth` are known. */
meguri_status mg_tree_check_rule_1(mg_tree_check *c);
/* The sentence of a broken rule. */
meguri_status mg_tree_broken(const mg_tree_check *c, int rule, const char *format, ...) MG_PRINTF(3, 4);
/* For the two public functions: looks at what both take, and hands the facts to a caller that wants them. */
meguri_status mg_tree_check_arguments(meguri_ctx *ctx, const meguri_graph500_tree *out, uint64_t count,
                                      uint64_t vertices, uint64_t root);
void mg_tree_give(meguri_graph500_tree *out, const meguri_graph500_tree *facts);

/* ---- validation of search trees (validate.c) -------------------------------------------------------------------- */

/* As meguri_graph500_validate. */
meguri_status mg_graph500_validate_tree(meguri_graph500_tree *out, meguri_ctx *ctx, mg_graph500_validator *validator,
                                        uint32_t root, const uint32_t *parent, const int32_t *level);

/* ---- validation of shortest paths (validate_sssp.c) ------------------------------------------------------------- */

/* As meguri_graph500_validate_sssp. The list has weights. */
meguri_status mg_graph500_validate_paths(meguri_graph500_tree *out, meguri_ctx *ctx, mg_graph500_validator *validator,
                                         uint32_t root, const uint32_t *parent, const double *distance);

/* ---- statistics (statistics.c) ---------------------------------------------------------------------------------- */

/* Of `count` values, at least one; sorts them. */
meguri_graph500_statistics mg_graph500_statistics(double *values, uint32_t count);
/* Of rates, from their inverses: mean and deviation are harmonic. */
meguri_graph500_statistics mg_graph500_rate_statistics(double *inverses, uint32_t count);

/* cluster_run.c: the benchmark in the layout of the options, by all processes. */
meguri_status mg_graph500_cluster(meguri_graph500_report **out, meguri_ctx *ctx,
                                  const meguri_graph500_options *options);

#endif
