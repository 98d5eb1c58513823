/* Label propagation as LDBC Graphalytics defines it (CDLP), for undirected graphs: everybody takes the label that is
 * most frequent among its neighbours, of several the smallest.
 *
 *     meguri run labels.c g.meg -o labels.tsv                10 iterations
 *     meguri run labels.c g.meg -o labels.tsv -- 5           5 */
#include <meguri/pregel.h>
#include <stdlib.h>

MEGURI_VERTEX(labels, uint32_t, meguri_none, uint32_t);

static inline int by_size(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static inline void labels_compute(labels_vertex *v, uint32_t *label) {
    const uint64_t *iterations = labels_globals(v);
    if (labels_superstep(v) == 0) *label = labels_id(v);
    else if (labels_in_degree(v)) {
        uint64_t count = 0, most = 0;
        uint32_t *heard = malloc(labels_in_degree(v) * sizeof *heard);
        if (!heard) {
            labels_fail(v, "there is no memory for the labels of its neighbours.");
            return;
        }
        MEGURI_EACH_MESSAGE(labels, m, v) heard[count++] = m.value;
        qsort(heard, count, sizeof *heard, by_size);
        for (uint64_t i = 0, same = 0; i < count; i++) {
            same = i && heard[i] == heard[i - 1] ? same + 1 : 1;
            if (same <= most) continue;
            most = same;
            *label = heard[i];
        }
        free(heard);
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
