/* Shortest paths: how much a step takes on, and when the rest is pulled. */
#include "policy/policy.h"

#define VERTEX   4    /* a vertex costs as much as so many arcs */
#define AGAIN    128  /* vertices processed once more that cost as much as a step … */
#define WASTE    2    /* … and are too many when they are one in so many of all */
#define TWO      2048 /* arcs of a step from which two threads are faster than one */
#define IN_SIGHT 4096 /* a horizon is set when one in so many arcs was seen */
#define FEW_LEFT 6    /* a pull is worth it when less than one in so many arcs is left for it */

uint64_t mg_policy_sssp_work(uint64_t vertices, uint64_t arcs) { return arcs + VERTEX * vertices; }

/* A step was too wide when much in it had to be done again, or when there was so much in it that a narrower one would
 * cost little more; it was too narrow when there was little in it. */
uint64_t mg_policy_sssp_span(uint64_t span, const mg_sssp_work *last, const mg_sssp_costs *costs) {
    bool wasteful = last->again > AGAIN && WASTE * last->again > last->vertices;
    if (wasteful || last->work > 4 * costs->enough) return span > 1 ? span / 2 : 1;
    if (last->work >= costs->enough) return span;
    return 2 * span < costs->most_span ? 2 * span : costs->most_span;
}

bool mg_policy_sssp_alone(uint64_t work) { return work < TWO; }
uint64_t mg_policy_sssp_in_sight(uint64_t arcs) { return arcs / IN_SIGHT; }
bool mg_policy_sssp_pull(uint64_t left, uint64_t arcs) { return left <= arcs / FEW_LEFT; }
