/* Label propagation as LDBC Graphalytics defines it (CDLP), for undirected graphs: everybody takes the label that is
 * most frequent among its neighbours, of several the smallest.
 *
 *     meguri run labels.c g.meg -o labels.tsv                10 iterations
 *     meguri run labels.c g.meg -o labels.tsv -- 5           5 */
#include <meguri/pregel.h>
#include <stdlib.h>
#include <string.h>

MEGURI_VERTEX(labels, uint32_t, meguri_none, uint32_t);

/* How often a label was heard: of a table with room for twice as many as there are neighbours. */
typedef struct heard {
    uint32_t label, times;
} heard;

enum { SMALL = 7 }; /* bits of a table that needs no memory of its own */

static inline uint32_t hear(heard *table, uint32_t bits, uint32_t label) {
    uint32_t slot = (uint32_t)(label * UINT64_C(0x9e3779b97f4a7c15) >> (64 - bits));
    while (table[slot].times && table[slot].label != label) slot = (slot + 1) & ((UINT32_C(1) << bits) - 1);
    table[slot].label = label;
    return ++table[slot].times;
}

static inline void labels_compute(labels_vertex *v, uint32_t *label) {
    const uint64_t *iterations = labels_globals(v);
    if (labels_superstep(v) == 0) *label = labels_id(v);
    else if (labels_in_degree(v)) {
        heard small[1 << SMALL], *table = small;
        uint32_t bits = SMALL, most = 0;
        while (UINT64_C(1) << bits < 2 * labels_in_degree(v)) bits++;
        if (bits > SMALL) table = calloc(UINT64_C(1) << bits, sizeof *table);
        else memset(small, 0, sizeof small);
        if (!table) {
            labels_fail(v, "there is no memory for the labels of its neighbours.");
            return;
        }
        MEGURI_EACH_MESSAGE(labels, m, v) {
            uint32_t times = hear(table, bits, m.value);
            if (times < most || (times == most && m.value > *label)) continue;
            most = times;
            *label = m.value;
        }
        if (table != small) free(table);
    }
    if (labels_superstep(v) < *iterations) labels_send_all(v, *label);
    else labels_halt(v);
}

static int begin(meguri_master *m, void *iterations, int argc, const char *const *argv) {
    (void)m;
    *(uint64_t *)iterations = argc > 0 ? strtoull(argv[0], NULL, 10) : 10;
    return 0;
}

static const meguri_output columns[] = {MEGURI_OUTPUT("label", uint32_t)};
MEGURI_PROGRAM(labels, .outputs = columns, .output_count = 1, .globals_bytes = sizeof(uint64_t), .begin = begin,
               .any_order = 1);
MEGURI_RUN(&labels_program);
