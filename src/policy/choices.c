/* Small choices: how many threads a loop gets, and in which form a frontier is read. */
#include "policy/policy.h"

uint32_t mg_policy_threads(uint32_t available, uint64_t work, uint64_t grain) {
    uint64_t useful = grain ? work / grain : work;
    if (useful >= available) useful = available;
    return useful ? (uint32_t)useful : 1;
}

/* A list costs four bytes a member, a bitmap one word for every 64 vertices, members or not. */
bool mg_policy_frontier_as_bitmap(uint64_t members, uint64_t vertices) {
    uint64_t words = vertices / 64 + (vertices % 64 != 0);
    return members > 2 * words;
}
