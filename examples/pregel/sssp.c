/* Shortest paths as a vertex program: the message is a distance, and whoever reads it adds the weight of the edge along
 * which it came.
 *
 *     meguri run sssp.c roads.meg -o distances.tsv -- 42     from the vertex 42 */
#include <math.h>
#include <meguri/pregel.h>

typedef struct place {
    double distance;
    uint32_t parent;
} place;

MEGURI_VERTEX(sssp, place, double, double); /* edges: the weight, 1 where there is none */

static inline void sssp_compute(sssp_vertex *v, place *p) {
    const uint32_t *source = sssp_globals(v);
    place best = {INFINITY, MEGURI_NO_VERTEX32};
    if (sssp_superstep(v) == 0) {
        *p = best;
        if (sssp_id(v) == *source) best = (place){0, *source};
    }
    MEGURI_EACH_MESSAGE(sssp, m, v)
    if (m.value + m.edge < best.distance) best = (place){m.value + m.edge, m.source};
    if (best.distance < p->distance) {
        *p = best;
        sssp_send_all(v, best.distance);
    }
    sssp_halt(v);
}

static int begin(meguri_master *m, void *source, int argc, const char *const *argv) {
    if (argc == 1 && m->find(m, argv[0], source)) return 0;
    strcpy(m->error, argc == 1 ? "the graph has no such vertex." : "give the vertex to start from.");
    return 1;
}

static const meguri_output columns[] = {MEGURI_OUTPUT_FIELD("distance", place, distance),
                                        MEGURI_OUTPUT_FIELD("parent", place, parent)};
MEGURI_PROGRAM(sssp, .outputs = columns, .output_count = 2, .globals_bytes = sizeof(uint32_t), .begin = begin,
               .any_order = 1); /* of several shortest paths one is found, always the same */
MEGURI_RUN(&sssp_program);
