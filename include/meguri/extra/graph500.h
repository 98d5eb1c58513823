/* The Graph500 benchmark (graph500.org), on one machine or on a cluster: a Kronecker edge list, kernel 1 that makes a
 * graph of it, kernel 2 that searches it breadth-first from random vertices one after another, kernel 3 that finds the
 * shortest paths from the same vertices, and a validation of every tree. */
#ifndef MEGURI_GRAPH500_H
#define MEGURI_GRAPH500_H

#include <meguri/gen.h>
#include <meguri/result.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum meguri_graph500_kernels {
    MEGURI_GRAPH500_BFS = 1, /* kernel 2 */
    MEGURI_GRAPH500_SSSP = 2 /* kernel 3: every edge has a weight, a float in [0, 1) */
} meguri_graph500_kernels;

typedef struct meguri_graph500_options {
    size_t size;                 /* sizeof(meguri_graph500_options) */
    uint32_t scale;              /* 2^scale vertices, 1 … 31; with a layout to 47 */
    uint32_t edge_factor;        /* edges per vertex; 0: 16 */
    uint32_t roots;              /* searches; 0: 64; fewer where the graph has fewer vertices with a neighbour */
    uint64_t seed;               /* of the edges and of the roots; 0: 1 */
    int validate;                /* the trees are checked; default 1. 0: no official result */
    uint32_t kernels;            /* of meguri_graph500_kernels, one or both (by |); 0: MEGURI_GRAPH500_BFS */
    const meguri_layout *layout; /* NULL: on this machine alone. On a cluster no process has more than its share of the
                                    edges, the graph and the trees; the same seed gives the same edges and roots. A
                                    search ends when every process has the parents of its vertices, as ids of the edge
                                    list, in their order; its time is that of the slowest */
} meguri_graph500_options;
void meguri_graph500_options_init(meguri_graph500_options *options, size_t size);

/* Statistics as the reference code has them: the quartiles are means of the two nearest values, the deviation is that
 * of a sample (0 where there is one value). */
typedef struct meguri_graph500_statistics {
    double min, first_quartile, median, third_quartile, max, mean, stddev;
} meguri_graph500_statistics;

typedef struct meguri_graph500_search {
    uint64_t root;
    double seconds;            /* of the kernel */
    uint64_t edges;            /* of the input in the root's component, duplicates and loops included */
    double teps;               /* edges / seconds */
    uint64_t reached;          /* vertices of the tree */
    uint64_t depth;            /* kernel 2: its largest level; else 0 */
    double farthest;           /* kernel 3: its largest distance; else 0 */
    double validation_seconds; /* 0 where it was not validated */
} meguri_graph500_search;

/* Kernel 2 or 3. All is 0 and NULL where it was not asked for. */
typedef struct meguri_graph500_kernel {
    meguri_graph500_statistics time, edges;
    meguri_graph500_statistics teps;       /* `mean` and `stddev` are the harmonic ones */
    meguri_graph500_statistics validation; /* seconds; all 0 without validation */
    meguri_graph500_search *searches;      /* searches_run of them, in the order they ran */
} meguri_graph500_kernel;

/* Filled by the library. */
typedef struct meguri_graph500_report {
    size_t size;
    uint32_t scale, edge_factor;
    uint64_t seed;
    uint32_t threads;
    uint32_t roots_wanted, searches_run; /* of a kernel; fewer where the graph has fewer vertices with a neighbour */
    int validated;                       /* every tree was checked by all rules, and is right */
    uint64_t vertices, input_edges;
    uint64_t graph_edges; /* without duplicates and loops */
    double generation_seconds;
    double construction_seconds; /* kernel 1 */
    double sampling_seconds;     /* of the roots */
    meguri_graph500_kernel bfs, sssp;
    uint32_t processes; /* 1, or those of a cluster, which have `threads` each */
    uint32_t grid_rows, grid_columns;
    uint64_t bytes, messages; /* sent by all of these in the searches of kernel 2 */
} meguri_graph500_report;

/* Runs the benchmark. A tree that breaks a rule gives MEGURI_WRONG_ANSWER, a sentence, and no report. The same seed
 * gives the same edges and roots at any number of threads. */
meguri_status meguri_graph500(meguri_graph500_report **out, meguri_ctx *ctx, const meguri_graph500_options *options);
void meguri_graph500_report_free(meguri_graph500_report *report);

/* ---- checking trees --------------------------------------------------------------------------------------------- */

typedef struct meguri_graph500_tree {
    size_t size;      /* set by the caller to sizeof(meguri_graph500_tree) */
    uint64_t reached; /* vertices of the tree */
    uint64_t depth;   /* its largest level */
    uint64_t edges;   /* of the list between its vertices, duplicates and loops included: what TEPS counts */
    double farthest;  /* of shortest paths: the largest distance; else 0 */
} meguri_graph500_tree;

/* Checks a search tree against an undirected edge list (`count` pairs of ids below `vertices`, at most 2^31) by the
 * rules of the specification:
 *   1. it is a tree: the root is its own parent and nobody else is, parents are vertices of the tree, no cycles;
 *   2. the levels of a vertex and its parent differ by one (`level` may be NULL: then parents alone define levels);
 *   3. the levels of the two ends of every edge of the list differ by at most one;
 *   4. it spans the whole component of the root: no edge of the list leads out of it;
 *   5. every vertex and its parent are joined by an edge of the list.
 * `parent[v]` is MEGURI_NO_VERTEX32, and `level[v]` -1, where v is not in the tree. MEGURI_WRONG_ANSWER, and a sentence
 * that names root, rule, and vertex or edge, where a rule is broken. `out` may be NULL. Searches nothing; O(vertices +
 * count) time, 5 bytes a vertex. */
meguri_status meguri_graph500_validate(meguri_graph500_tree *out, meguri_ctx *ctx, const uint32_t *pairs,
                                       uint64_t count, uint64_t vertices, uint64_t root, const uint32_t *parent,
                                       const int32_t *level);

/* Checks shortest paths against an undirected edge list whose edges weigh `weights` (from 0 on) by the same rules, in
 * which the distances now take the place of the levels:
 *   2. the root is at distance 0; the distance of every other vertex of the tree is that of its parent and the weight
 *      of an edge between them added up, exactly, in f64;
 *   3. over no edge of the list is a vertex nearer than its distance says.
 * Together they say that the distances are the smallest there are. `parent[v]` is MEGURI_NO_VERTEX32 and `distance[v]`
 * infinite where v is not in the tree. Where a vertex and its parent are joined by edges that do not add up, that is
 * rule 2; where by none, rule 5. Searches nothing; O(vertices + count) time, 5 bytes a vertex. */
meguri_status meguri_graph500_validate_sssp(meguri_graph500_tree *out, meguri_ctx *ctx, const uint32_t *pairs,
                                            const float *weights, uint64_t count, uint64_t vertices, uint64_t root,
                                            const uint32_t *parent, const double *distance);

#ifdef __cplusplus
}
#endif
#endif
