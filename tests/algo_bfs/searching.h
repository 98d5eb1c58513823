/* What the tests of breadth-first search share: shapes of graphs, a textbook search of plain arrays, and the
 * comparison of a result with it. */
#ifndef SEARCHING_H
#define SEARCHING_H

#include "support/oracle.h"
#include "support/sanitized.h"
#include "support/unit.h"

/* ---- plain graphs and the textbook search ----------------------------------------------------------------------- */

/* Arcs forwards, by position: plain adjacency arrays. */
typedef struct plain {
    uint64_t vertices, arcs;
    uint64_t *offsets; /* vertices+1 */
    uint32_t *to;
} plain;

plain plain_from_oracle(const oracle *o);
/* Of a graph whose vertices are declared: ids are positions. Straight from its edges. */
plain plain_from_edges(const zoo_graph *g, bool directed);
void plain_free(plain *p);

/* One queue, one loop; `levels` as in meguri_bfs_options. */
typedef struct answer {
    int32_t *level;
    uint32_t *parent; /* one of the right ones */
    uint64_t reached;
    int32_t depth;
} answer;
answer plain_search(const plain *p, uint64_t source, uint32_t levels);
void answer_free(answer *a);

/* NULL if the parents make a tree of shortest ways for these levels; else what is wrong. */
const char *tree_fault(const plain *p, uint64_t source, const int32_t *level, const uint32_t *parent);

/* A vertex without any arc in or out, with one arc out; UINT32_MAX where there is none. */
uint32_t plain_isolated(const plain *p);
uint32_t plain_leaf(const plain *p);
/* The one with most arcs out. */
uint32_t plain_hub(const plain *p);

/* ---- shapes ----------------------------------------------------------------------------------------------------- */

/* Graphs that searches go wrong on, ids shuffled, about `size` vertices; false when `index` is past the last. */
bool shape_get(zoo_graph *out, int index, uint64_t size);
void shape_add(zoo_graph *g, uint64_t from, uint64_t to);
/* Another numbering of the same graph: map[old] = new. Malloc'd. */
uint64_t *shape_shuffle(zoo_graph *g, uint64_t seed);
/* A random graph, sparse as a rule, with a number of vertices around the sizes of words and blocks. */
zoo_graph shape_random(uint64_t *seed, uint64_t most);
/* The edges of meguri_gen_kronecker with the same options. */
zoo_graph shape_kronecker(meguri_ctx *ctx, uint32_t scale, uint32_t edge_factor);

/* ---- searches --------------------------------------------------------------------------------------------------- */

/* One way to search; the last ones are forced ways made of a fixed seed. */
enum { WAYS = 8 };
meguri_bfs_options way_options(int way);

/* A graph in both forms. */
typedef struct subject {
    const char *name;
    plain plain;
    meguri_graph *graph;
    meguri_order order;
} subject;

subject subject_from_zoo(meguri_ctx *ctx, const zoo_graph *g, const meguri_build_options *options);
void subject_free(subject *s);

/* Searches and compares levels, parents and facts with the textbook and with the checker; ends the test where they
 * differ. */
void check_search(meguri_ctx *ctx, const subject *s, uint64_t source, const meguri_bfs_options *options);
/* The same for a result that is there already. */
void check_result(meguri_ctx *ctx, const subject *s, uint64_t source, const meguri_bfs_options *options,
                  const meguri_result *result);

uint64_t fact_of(const meguri_result *result, const char *name);
/* Of a column that must be there, with this type of four bytes. */
const void *column_of(const meguri_result *result, const char *name, meguri_type type, uint64_t count);

#endif
