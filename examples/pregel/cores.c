/* Core numbers as a vertex program: for undirected graphs without parallel edges (Montresor, De Pellegrini, Miorandi,
 * 2013). Everybody begins with its degree as an estimate and tells its neighbours; the estimate falls to the largest k
 * such that k neighbours have at least k.
 *
 *     meguri run cores.c g.meg -o cores.tsv */
#include <meguri/pregel.h>

MEGURI_VERTEX(cores, int32_t, meguri_none, meguri_none);
MEGURI_ASKS(cores, int32_t);

static inline int32_t cores_respond(const int32_t *core) { return *core; }

/* Whether `k` neighbours have at least k. */
static inline int has(cores_vertex *v, int32_t k) {
    int32_t found = 0;
    MEGURI_EACH_OUT_EDGE(cores, e, v) {
        const int32_t *core = cores_answer(v, e.vertex);
        found += e.vertex != cores_id(v) && core && *core >= k;
        if (found == k) return 1;
    }
    return k == 0;
}

static inline void cores_compute(cores_vertex *v, int32_t *core) {
    if (cores_superstep(v) == 0) {
        *core = 0;
        MEGURI_EACH_OUT_EDGE(cores, e, v) *core += e.vertex != cores_id(v);
    } else {
        int32_t low = 0, high = *core; /* low will do, and nothing above high */
        while (low < high) {
            int32_t middle = low + (high - low + 1) / 2;
            if (has(v, middle)) low = middle;
            else high = middle - 1;
        }
        cores_whole(v, 0, *core != low);
        *core = low;
    }
    MEGURI_EACH_OUT_EDGE(cores, e, v) cores_ask(v, e.vertex);
}

/* It is over when nobody has changed. */
static void between(meguri_master *master, void *globals) {
    (void)globals;
    if (master->superstep > 1 && master->whole(master, 0) == 0) master->stop = 1;
}

static const meguri_aggregator totals[] = {{.name = "changed", .kind = MEGURI_SUM_WHOLE}};
static const meguri_output columns[] = {MEGURI_OUTPUT("core", int32_t)};
MEGURI_PROGRAM(cores, .outputs = columns, .output_count = 1, .aggregators = totals, .aggregator_count = 1,
               .between = between, MEGURI_ANSWERS(cores));
MEGURI_RUN(&cores_program);
