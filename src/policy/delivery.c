/* How the messages of vertex programs are delivered (paper P4, and what lies beyond it). */
#include "policy/policy.h"

#include <math.h>

bool mg_policy_sopt(uint64_t senders, uint64_t vertices) { return senders < vertices / 5.0; }

/* A vertex that waits looks at in-arcs until the first along which something came. If senders lie anywhere, that is one
 * of as many as the arcs of senders are of all; a row is looked at to its end otherwise. Whoever has messages then
 * reads its row, unless they were brought one by one: as arcs lead to hubs more often than to others, these rows are
 * longer than most, but no more than all rows of those who wait. */
mg_delivery_times mg_policy_delivery_times(const mg_delivery_facts *f, const mg_delivery_costs *c) {
    mg_delivery_times t = {.pull = (double)f->waiting * c->look_vertex};
    if (!f->sender_arcs || !f->arcs || !f->vertices) return t;
    double row = (double)f->arcs / (double)f->vertices, sent = (double)f->sender_arcs;
    double until = fmin((double)f->arcs / sent, row), waiting = (double)f->waiting;
    double reading = fmin(sent * f->reading_row, waiting * row) * c->read_arc;
    t.pull += waiting * until * c->look_arc + reading;
    t.wake = sent * c->wake_arc + reading;
    t.push = sent * c->each_arc;
    return t;
}

double mg_policy_wake_gain(const mg_delivery_facts *f, const mg_delivery_costs *c) {
    mg_delivery_times t = mg_policy_delivery_times(f, c);
    return fmin(t.pull, t.push) - t.wake;
}

mg_delivery_way mg_policy_delivery(const mg_delivery_facts *f, const mg_delivery_costs *c) {
    mg_delivery_times t = mg_policy_delivery_times(f, c);
    double gain = mg_policy_wake_gain(f, c);
    if (gain >= 0 && f->missed + gain >= (double)f->unlaid * c->lay_arc) return MG_DELIVERY_WAKE;
    return t.push < t.pull ? MG_DELIVERY_PUSH : MG_DELIVERY_PULL;
}

bool mg_policy_delivery_folds(uint64_t dense, uint64_t bytes, bool ordered) {
    return dense > (ordered ? 24 : 3) && bytes > (uint64_t)1 << 18;
}

mg_set_form mg_policy_ghost_form(uint64_t sent, uint64_t readable) {
    if (sent == readable) return MG_SET_ALL;
    return sent * 32 < readable ? MG_SET_LIST : MG_SET_BITMAP;
}

uint64_t mg_policy_mirror_degree(uint64_t vertices, uint64_t arcs, uint64_t workers) {
    if (!vertices) return 1;
    double least = (double)workers * exp((double)arcs / (double)vertices / (double)workers);
    return least < 1 ? 1 : least > (double)UINT32_MAX ? UINT32_MAX : (uint64_t)least;
}
