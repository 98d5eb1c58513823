/* Personalised PageRank by random walks: walkers start at one vertex, go along random out-edges, and at each vertex end
 * there with a chance of 0.15. The share of walkers that end at a vertex is its rank, seen from the start. A message is
 * a number of walkers, to one vertex; numbers are random, and the same in every run.
 *
 *     meguri run walks.c g.meg -o ranks.tsv -- 42            a million walkers from the vertex 42
 *     meguri run walks.c g.meg -o ranks.tsv -- 42 5000       5000 walkers */
#include <meguri/pregel.h>
#include <stdlib.h>

typedef struct globals {
    uint64_t walkers;
    uint32_t source;
} globals;

MEGURI_VERTEX(walks, double, meguri_none, uint64_t);

static inline void walks_compute(walks_vertex *v, double *rank) {
    const globals *g = walks_globals(v);
    uint64_t here = 0, ended = 0, degree = walks_out_degree(v);
    if (walks_superstep(v) == 0 && walks_id(v) == g->source) here = g->walkers;
    MEGURI_EACH_MESSAGE(walks, m, v) here += m.value;
    walks_halt(v);
    if (!here) return;
    uint64_t *along = degree ? calloc(degree, sizeof *along) : NULL, edge = 0;
    if (degree && !along) {
        walks_fail(v, "there is no memory for its walkers.");
        return;
    }
    for (uint64_t i = 0; i < here; i++) {
        uint64_t r = meguri_random(walks_superstep(v), walks_id(v), i);
        if (!degree || (double)(r >> 11) * 0x1p-53 < 0.15) ended++;
        else along[meguri_random(r, 1, 0) % degree]++;
    }
    MEGURI_EACH_OUT_EDGE(walks, e, v) {
        if (along[edge]) walks_send(v, e.vertex, along[edge]);
        edge++;
    }
    free(along);
    *rank += (double)ended / (double)g->walkers;
}

static inline void walks_combine(uint64_t *into, const uint64_t *message) { *into += *message; }
MEGURI_COMBINES(walks);

static int begin(meguri_master *m, void *where, int argc, const char *const *argv) {
    globals *g = where;
    g->walkers = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000000;
    if (argc > 0 && g->walkers && m->find(m, argv[0], &g->source)) return 0;
    strcpy(m->error, "give a vertex to start from, and how many walkers.");
    return 1;
}

static const meguri_output columns[] = {MEGURI_OUTPUT("rank", double)};
MEGURI_PROGRAM(walks, .outputs = columns, .output_count = 1, .globals_bytes = sizeof(globals), .begin = begin,
               MEGURI_COMBINED(walks));
MEGURI_RUN(&walks_program);
