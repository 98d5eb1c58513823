/* The order of things in a search for shortest paths, the same on every engine; sssp.h says why it is so. Steps first;
 * where the graph is dense, up to a horizon and perhaps others beyond, then a pull by all that lie beyond, and the
 * little that is left. On a cluster every process runs this, and all decide alike: by sums over all of them. */
#include "algo/sssp/sssp.h"

#include "policy/policy.h"

#define LAST_BIN 1e18 /* beyond, distances may share bins (sssp_hot.c), and the search goes to its end */

/* No arc that leads beyond bin `bin` is of interest. What is rounded is rounded up. */
static void set_horizon(const mg_sssp_schedule *c, uint64_t bin) {
    mg_sssp_state *s = c->state;
    double distance = (double)bin / s->per_delta;
    s->horizon_bin = bin;
    s->leaves = c->first_leaf;
    if (c->real) s->horizon.real = distance * (1 + 1e-9);
    else s->horizon.number = (uint64_t)(distance * (1 + 1e-12)) + 1;
}

uint64_t mg_sssp_most_bin(mg_sssp_distance most, bool real, double per_delta) {
    double bin = (real ? most.real : (double)most.number) * per_delta;
    return bin < LAST_BIN ? (uint64_t)bin + 1 : MG_SSSP_NO_BIN;
}

static void no_horizon(const mg_sssp_schedule *c) {
    c->state->horizon_bin = MG_SSSP_NO_BIN;
    c->state->leaves = c->rows;
}

static uint64_t bins_of(const mg_sssp_schedule *c, double distance) {
    double bins = distance * c->state->per_delta;
    return bins < 1 ? 1 : bins > 1e18 ? (uint64_t)1e18 : (uint64_t)bins;
}

/* To the end, with steps as wide as they like. */
static meguri_status push_on(const mg_sssp_schedule *c, const char *phase) {
    c->state->adapt = true;
    return c->moves->steps(c, phase, c->state->most_bin, UINT64_MAX);
}

/* Everybody in bins before `settled` is final, and has followed arcs only as far as that. The others look for
 * themselves; then they push, once, for they know of each other only what they happened to see. */
static meguri_status pull_rest(const mg_sssp_schedule *c, uint64_t settled) {
    meguri_status status = c->moves->pull(c, settled);
    no_horizon(c);
    if (status == MEGURI_OK) status = c->moves->push_rest(c, settled);
    return status == MEGURI_OK ? push_on(c, "last") : status;
}

/* To a horizon, and to another one twice as far away as long as too much lies beyond. */
static meguri_status push_to_horizons(const mg_sssp_schedule *c) {
    double light = c->light;
    uint64_t horizon = c->state->next_bin + bins_of(c, light), settled = 0;
    for (;;) {
        uint64_t left = 0;
        meguri_status status = MEGURI_OK;
        set_horizon(c, horizon);
        if (settled) status = c->moves->push_again(c, settled);
        if (status == MEGURI_OK) status = c->moves->steps(c, "light", horizon, UINT64_MAX);
        if (status == MEGURI_OK) status = c->moves->count_left(c, horizon, &left);
        if (status != MEGURI_OK) return status;
        if (mg_policy_sssp_pull(left, c->in_arcs)) return pull_rest(c, horizon);
        settled = horizon;
        light *= 2;
        horizon += bins_of(c, light);
        if (light <= c->heaviest && horizon <= MG_SSSP_NO_BIN / 4) continue;
        no_horizon(c); /* no arc leads beyond */
        status = c->moves->push_again(c, settled);
        return status == MEGURI_OK ? push_on(c, "push") : status;
    }
}

meguri_status mg_sssp_follow(const mg_sssp_schedule *c) {
    bool horizons = c->light > 0;
    mg_sssp_state *s = c->state;
    s->span = 1;
    s->adapt = !c->fixed && !(horizons && c->narrow_first);
    no_horizon(c);
    meguri_status status =
        c->moves->steps(c, "push", s->most_bin, horizons ? mg_policy_sssp_in_sight(c->out_arcs) : UINT64_MAX);
    return status == MEGURI_OK && s->next_bin < s->most_bin ? push_to_horizons(c) : status;
}
