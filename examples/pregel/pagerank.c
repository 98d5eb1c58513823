/* PageRank as a vertex program: everybody gives its rank to its neighbours, over and over.
 *
 *     meguri run pagerank.c web.meg -o rank.tsv              30 iterations
 *     meguri run pagerank.c web.meg -o rank.tsv -- 50        50 */
#include <meguri/pregel.h>
#include <stdlib.h>

enum { DANGLING }; /* the rank of those who have nobody to give it to: all share it */
static const meguri_aggregator totals[] = {{.name = "dangling", .kind = MEGURI_SUM_REAL}};

typedef struct globals {
    uint64_t iterations;
} globals;

MEGURI_VERTEX(pagerank, double, meguri_none, double); /* rank; edges have no value; a share of a rank */

static inline void pagerank_compute(pagerank_vertex *v, double *rank) {
    const globals *g = pagerank_globals(v);
    double vertices = (double)pagerank_vertices(v), sum = 0;
    if (pagerank_superstep(v) == 0) *rank = 1 / vertices;
    else {
        MEGURI_EACH_MESSAGE(pagerank, m, v) sum += m.value;
        *rank = (0.15 + 0.85 * pagerank_last_real(v, DANGLING)) / vertices + 0.85 * sum;
    }
    if (pagerank_superstep(v) == g->iterations) {
        pagerank_halt(v);
        return;
    }
    uint64_t degree = pagerank_out_degree(v);
    if (degree) pagerank_send_all(v, *rank / (double)degree);
    else pagerank_real(v, DANGLING, *rank);
}

/* With a combiner, what goes to one vertex may be added up on the way: before it computes, in the order of the graph
 * (any_order), which is that of the caches. */
static inline void pagerank_combine(double *into, const double *message) { *into += *message; }
MEGURI_COMBINES(pagerank);

static int begin(meguri_master *m, void *where, int argc, const char *const *argv) {
    globals *g = where;
    g->iterations = argc > 0 ? strtoull(argv[0], NULL, 10) : 30;
    if (g->iterations) return 0;
    strcpy(m->error, "give the number of iterations, at least 1.");
    return 1;
}

static const meguri_output columns[] = {MEGURI_OUTPUT("rank", double)};
MEGURI_PROGRAM(pagerank, .outputs = columns, .output_count = 1, .aggregators = totals, .aggregator_count = 1,
               .globals_bytes = sizeof(globals), .begin = begin, MEGURI_COMBINED(pagerank), .any_order = 1);
MEGURI_RUN(&pagerank_program);
