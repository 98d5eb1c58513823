/* Breadth-first search as paper P4 has it (figure 7), for figures 12 and 13: a message is the id of its sender, in 8
 * bytes, so that messages can be combined. examples/pregel/bfs.c is the faster way to search. */
#include <meguri/pregel.h>

MEGURI_VERTEX(search, int64_t, meguri_none, int64_t);

static inline void search_compute(search_vertex *v, int64_t *parent) {
    const uint32_t *source = search_globals(v);
    search_halt(v);
    if (search_superstep(v) == 0) {
        *parent = -1;
        if (search_id(v) != *source) return;
        *parent = *source;
    } else if (*parent != -1) return;
    MEGURI_EACH_MESSAGE(search, m, v) {
        *parent = m.value;
        break;
    }
    search_send_all(v, search_id(v));
}

static inline void search_combine(int64_t *into, const int64_t *message) {
    if (*message < *into) *into = *message;
}
MEGURI_COMBINES(search);

static int begin(meguri_master *m, void *source, int argc, const char *const *argv) {
    if (argc == 1 && m->find(m, argv[0], source)) return 0;
    strcpy(m->error, "give the vertex to start from.");
    return 1;
}

static const meguri_output columns[] = {MEGURI_OUTPUT("parent", uint64_t)};
MEGURI_PROGRAM(search, .outputs = columns, .output_count = 1, .globals_bytes = sizeof(uint32_t), .begin = begin,
               MEGURI_COMBINED(search));
MEGURI_RUN(&search_program);
