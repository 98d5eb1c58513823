/* Breadth-first search as a vertex program: a message has no value, it only says that its source was reached.
 *
 *     meguri run bfs.c g.meg -o levels.tsv -- 42             from the vertex 42
 *
 * A vertex that was reached is done: no message wakes it again, so where many have been reached the others look for
 * one neighbour that was, and no further (a bottom-up step). */
#include <meguri/pregel.h>

typedef struct reached {
    int32_t level;
    uint32_t parent;
} reached;

MEGURI_VERTEX(bfs, reached, meguri_none, meguri_none);

static inline void bfs_compute(bfs_vertex *v, reached *r) {
    const uint32_t *source = bfs_globals(v);
    uint32_t parent = MEGURI_NO_VERTEX32;
    if (bfs_superstep(v) == 0) {
        *r = (reached){-1, MEGURI_NO_VERTEX32};
        if (bfs_id(v) == *source) parent = *source;
    }
    MEGURI_EACH_MESSAGE(bfs, m, v) {
        parent = m.source;
        break; /* one will do */
    }
    bfs_halt(v);
    if (parent == MEGURI_NO_VERTEX32) return;
    *r = (reached){(int32_t)bfs_superstep(v), parent};
    bfs_done(v);
    bfs_send_all(v, (meguri_none){0});
}

static int begin(meguri_master *m, void *source, int argc, const char *const *argv) {
    if (argc == 1 && m->find(m, argv[0], source)) return 0;
    strcpy(m->error, argc == 1 ? "the graph has no such vertex." : "give the vertex to start from.");
    return 1;
}

static const meguri_output columns[] = {MEGURI_OUTPUT_FIELD("level", reached, level),
                                        MEGURI_OUTPUT_FIELD("parent", reached, parent)};
MEGURI_PROGRAM(bfs, .outputs = columns, .output_count = 2, .globals_bytes = sizeof(uint32_t), .begin = begin,
               .any_order = 1);
MEGURI_RUN(&bfs_program);
