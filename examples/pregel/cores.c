/* Core numbers as a vertex program: for undirected graphs without parallel edges (Montresor, De Pellegrini, Miorandi,
 * 2013). Everybody begins with its degree as an estimate and tells its neighbours; the estimate falls to the largest k
 * such that k neighbours have at least k.
 *
 *     meguri run cores.c g.meg -o cores.tsv */
#include <meguri/pregel.h>
#include <stdlib.h>
#include <string.h>

MEGURI_VERTEX(cores, int32_t, meguri_none, int32_t);

enum { SMALL = 256 }; /* estimates that need no memory of their own */

/* The largest k up to `most` such that k neighbours have at least k. with[k]: neighbours that have k, and at `most`
 * those that have more, too. */
static inline int32_t largest(const int32_t *with, int32_t most) {
    int32_t k = most, neighbours = with[k];
    while (neighbours < k) neighbours += with[--k];
    return k;
}

static inline void cores_compute(cores_vertex *v, int32_t *core) {
    if (cores_superstep(v) == 0) {
        *core = 0;
        MEGURI_EACH_OUT_EDGE(cores, e, v) *core += e.vertex != cores_id(v);
    } else {
        int32_t small[SMALL], *with = *core < SMALL ? small : malloc(((size_t)*core + 1) * sizeof *with);
        if (!with) {
            cores_fail(v, "there is no memory for the estimates of its neighbours.");
            return;
        }
        memset(with, 0, ((size_t)*core + 1) * sizeof *with);
        MEGURI_EACH_MESSAGE(cores, m, v)
        if (m.source != cores_id(v)) with[m.value < *core ? m.value : *core]++;
        int32_t fallen = largest(with, *core);
        if (with != small) free(with);
        cores_whole(v, 0, *core != fallen);
        *core = fallen;
    }
    cores_send_all(v, *core);
}

/* It is over when nobody has changed. */
static void between(meguri_master *master, void *globals) {
    (void)globals;
    if (master->superstep > 1 && master->whole(master, 0) == 0) master->stop = 1;
}

static const meguri_aggregator totals[] = {{.name = "changed", .kind = MEGURI_SUM_WHOLE}};
static const meguri_output columns[] = {MEGURI_OUTPUT("core", int32_t)};
MEGURI_PROGRAM(cores, .outputs = columns, .output_count = 1, .aggregators = totals, .aggregator_count = 1,
               .between = between, .any_order = 1);
MEGURI_RUN(&cores_program);
