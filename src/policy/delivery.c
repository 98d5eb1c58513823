/* How the messages of vertex programs are delivered (paper P4, and what lies beyond it). */
#include "policy/policy.h"

#include <math.h>

bool mg_policy_sopt(uint64_t senders, uint64_t vertices) { return senders < vertices / 5.0; }

/* A vertex that waits looks at in-arcs until the first along which something came. If senders lie anywhere, that is one
 * of as many as the arcs of senders are of all; a row is looked at to its end otherwise. */
double mg_policy_wake_gain(const mg_delivery_facts *f, const mg_delivery_costs *c) {
    if (!f->sender_arcs || !f->arcs) return (double)f->waiting * c->look_vertex;
    double row = (double)f->arcs / (double)f->vertices;
    double until = (double)f->arcs / (double)f->sender_arcs;
    double looks = (double)f->waiting * (until < row ? until : row);
    return looks * c->look_arc + (double)f->waiting * c->look_vertex - (double)f->sender_arcs * c->wake_arc;
}

bool mg_policy_delivery_wakes(const mg_delivery_facts *f, const mg_delivery_costs *c) {
    double gain = mg_policy_wake_gain(f, c);
    return gain >= 0 && f->missed + gain >= (double)f->unlaid * c->lay_arc;
}

bool mg_policy_delivery_folds(uint64_t dense, uint64_t bytes) { return dense > 3 && bytes > (uint64_t)1 << 18; }

mg_set_form mg_policy_ghost_form(uint64_t sent, uint64_t readable) {
    if (sent == readable) return MG_SET_ALL;
    return sent * 32 < readable ? MG_SET_LIST : MG_SET_BITMAP;
}

uint64_t mg_policy_mirror_degree(uint64_t vertices, uint64_t arcs, uint64_t workers) {
    if (!vertices) return 1;
    double least = (double)workers * exp((double)arcs / (double)vertices / (double)workers);
    return least < 1 ? 1 : least > (double)UINT32_MAX ? UINT32_MAX : (uint64_t)least;
}
