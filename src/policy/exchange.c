/* What goes over the network, in which form. */
#include "policy/policy.h"

#define WORTH_PACKING 512 /* members below which a list is short whatever one does */

mg_set_form mg_policy_set_form(uint64_t members, uint64_t places, bool packed) {
    if (packed && members >= WORTH_PACKING) return MG_SET_PACKED;
    return mg_policy_frontier_as_bitmap(members, places) ? MG_SET_BITMAP : MG_SET_LIST;
}

mg_set_form mg_policy_sparse_form(uint64_t members, uint64_t vertices, uint64_t places) {
    return members == vertices ? MG_SET_ALL : mg_policy_set_form(members, places, false);
}

bool mg_policy_pack(meguri_exchange asked, uint32_t machines) {
    return asked == MEGURI_EXCHANGE_PACKED || (asked == MEGURI_EXCHANGE_AUTO && machines > 1);
}
