/* Shortest paths: how much a step takes on, and when the rest is pulled. */
#include "policy/policy.h"

#include <math.h>

#define VERTEX   4    /* a vertex costs as much as so many arcs */
#define AGAIN    128  /* vertices processed once more that cost as much as a step … */
#define WASTE    2    /* … and are too many when they are one in so many of all */
#define TWO      2048 /* arcs of a step from which two threads are faster than one */
#define SMALL    64   /* steps in a row with too little work, after which one goes on alone */
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

/* By the same measure, before it has happened. */
bool mg_policy_sssp_cut(uint64_t vertices, const mg_sssp_costs *costs) {
    return mg_policy_sssp_work(vertices, 0) > 4 * costs->enough;
}

bool mg_policy_sssp_alone(uint64_t work) { return work < TWO; }
bool mg_policy_sssp_gather(uint32_t small_steps) { return small_steps >= SMALL; }

uint64_t mg_policy_sssp_in_sight(uint64_t arcs) { return arcs / IN_SIGHT; }
bool mg_policy_sssp_pull(uint64_t left, uint64_t arcs) { return left <= arcs / FEW_LEFT; }

/* ---- the width of bins ------------------------------------------------------------------------------------------ */

#define LIGHT_EDGES 2.0    /* of a mean vertex, that lie within the horizon */
#define SPARSE      12.0   /* edges of a mean vertex below which a horizon saves nothing */
#define MANY_ARCS   262144 /* with fewer all of it is near, and every arc may be looked at */
#define LIGHT_BINS  256    /* bins up to the horizon: hubs are near, and fine bins keep them from being seen twice */
#define USUAL_BINS  16     /* bins of the median edge */
#define FINEST      1e-290 /* one divided by it is a number */

/* The weight that a share of the sample does not pass; of nothing but zeros, any weight there is. */
static double quantile(const double *sample, uint64_t count, double share) {
    uint64_t at = (uint64_t)(share * (double)count);
    while (at < count && sample[at] == 0) at++;
    return at < count ? sample[at] : 0;
}

/* Where a graph is sparse, as roads are, every bin finer than its usual edge will do, because steps take as many bins
 * as they need; where it is dense, the horizon comes first: so far that a vertex has a few edges within it, and the
 * bins are a fraction of that. */
mg_sssp_width mg_policy_sssp_width(const mg_sssp_weights *w, const double *sample, uint64_t count) {
    mg_sssp_width width = {0, 0};
    double edges = (double)w->arcs / (double)(w->vertices ? w->vertices : 1);
    if (w->weighted && edges >= SPARSE && w->arcs >= MANY_ARCS)
        width.light = quantile(sample, count, LIGHT_EDGES / edges);
    width.delta = !w->weighted      ? 1
                  : width.light > 0 ? width.light / LIGHT_BINS
                                    : quantile(sample, count, 0.5) / USUAL_BINS;
    if (!(width.delta > 0)) width.delta = w->heaviest > 0 ? w->heaviest : 1;
    double finest = w->real ? FINEST : 1;
    if (width.delta < finest) width.delta = finest;
    return width;
}

/* ---- on a device ------------------------------------------------------------------------------------------------ */

#define WORTH 0.95 /* of its time: thresholds that save less of a search are not worth the risk that they do not */

#define LANES 8
#define FEW   8

/* Near and far was as fast as phases over all that changed, or faster, on every graph that was measured
 * (docs/device.md). */
meguri_sssp_strategy mg_policy_sssp_strategy(void) { return MEGURI_SSSP_NEAR_FAR; }

/* Phases of searches side by side share their launches, and have more work for the device; but they go on until the
 * last of them is done, and take memory that is not in its cache then. */
uint32_t mg_policy_sssp_lanes(uint64_t searches) { return searches < LANES ? (uint32_t)searches : LANES; }

/* A launch takes as long as a group needs for some entries of each work-item. */
uint32_t mg_policy_sssp_few(uint32_t group) { return FEW * group; }

/* Seconds of the phases by thresholds. A change takes about as long as a phase of all in which nothing has changed:
 * each looks at every vertex once. */
static double replay(const mg_sssp_phase_times *t, mg_sssp_thresholds by, double change) {
    bool all = false;
    double sum = 0, last = -1;
    for (uint32_t i = 0; i < t->count; i++) {
        const double seconds = all ? t->all[i] : t->selected[i];
        const bool next = mg_policy_sssp_all(all, seconds, last, &by);
        sum += seconds + (next != all ? change : 0);
        last = seconds;
        all = next;
    }
    return sum;
}

/* All pairs of times that there were are tried: a threshold in between does what the next one does. Of those that are
 * equal the one is taken that goes back to the list first: phases that were not tried are small ones. */
mg_sssp_thresholds mg_policy_sssp_thresholds(const mg_sssp_phase_times *t) {
    const mg_sssp_thresholds always = {0, 0}, never = {INFINITY, INFINITY};
    double change = INFINITY;
    for (uint32_t i = 0; i < t->count; i++) change = t->all[i] < change ? t->all[i] : change;
    mg_sssp_thresholds best = never;
    double least = replay(t, never, change) * WORTH;
    const double by_all = replay(t, always, 0);
    if (by_all < least) {
        best = always;
        least = by_all;
    }
    for (uint32_t i = 0; i < t->count; i++)
        for (uint32_t k = 0; k < t->count; k++) {
            const mg_sssp_thresholds by = {t->selected[i], t->all[k]};
            const double seconds = replay(t, by, change);
            if (seconds > least || (seconds == least && by.below <= best.below)) continue;
            best = by;
            least = seconds;
        }
    return best;
}

bool mg_policy_sssp_all(bool all, double seconds, double last, const mg_sssp_thresholds *thresholds) {
    double mean = last < 0 ? seconds : (seconds + last) / 2;
    return all ? mean >= thresholds->below : mean > thresholds->above;
}

mg_round_choice mg_policy_round(const mg_round_facts *f) {
    const double mine = f->here ? f->host : f->device, other = f->here ? f->device : f->host;
    double lost = f->lost + mine - other;
    if (lost > f->move) return (mg_round_choice){!f->here, 0};
    return (mg_round_choice){f->here, lost > 0 ? lost : 0};
}

double mg_policy_round_host(uint64_t arcs, uint64_t looked) { return 6.0 * (double)arcs + 2.0 * (double)looked; }

/* Before the first arc: launches, and a copy back. */
double mg_policy_round_device(uint64_t arcs, uint64_t vertices) {
    return 3.0 * (double)arcs + 0.5 * (double)vertices + 200e3;
}

double mg_policy_round_move(uint64_t bytes) { return 0.3e-9 * (double)bytes; }
