/* How to sort arcs into rows: buckets that fit the cache, keys as short as they can be, rounds that fit the budget. */
#include "policy/policy.h"

static uint32_t bits_for(uint64_t count) { return count <= 2 ? 1 : 64 - (uint32_t)__builtin_clzll(count - 1); }

/* A bucket of 2^15 arcs and its scratch stay in a level-2 cache while they are sorted; the write buffers of 2^12
 * buckets (64 bytes each) do so while they are filled. Up to 2^14 buckets are worth a 4-byte key instead of an 8-byte
 * one: half the memory and half the traffic. */
enum { BUCKET_ARCS_BITS = 15, USUAL_BUCKET_BITS = 12, MOST_BUCKET_BITS = 14, LEAST_ROUND_ARCS = 1 << 20 };

mg_sort_plan mg_policy_sort(uint64_t vertices, uint64_t arcs, uint32_t payload_bytes, uint32_t result_bytes,
                            uint64_t memory) {
    mg_sort_plan plan = {.vertex_bits = bits_for(vertices), .key_bytes = 4, .round_arcs = UINT64_MAX};
    uint32_t wanted = bits_for(arcs) > BUCKET_ARCS_BITS ? bits_for(arcs) - BUCKET_ARCS_BITS : 0;
    if (wanted > USUAL_BUCKET_BITS) wanted = USUAL_BUCKET_BITS;
    uint32_t for_short_keys = 2 * plan.vertex_bits > 32 ? 2 * plan.vertex_bits - 32 : 0;
    plan.bucket_bits = wanted > for_short_keys ? wanted : for_short_keys;
    if (plan.bucket_bits > MOST_BUCKET_BITS) {
        plan.bucket_bits = wanted;
        plan.key_bytes = 8;
    }
    if (plan.bucket_bits > plan.vertex_bits) plan.bucket_bits = plan.vertex_bits;

    /* All at once, sorted in place, if that leaves an eighth for scratch; else in rounds beside the result; else in
     * rounds with the result on disk. */
    uint64_t arc_bytes = plan.key_bytes + payload_bytes, result = arcs * result_bytes;
    if (arcs <= memory / 8 * 7 / arc_bytes) return plan;
    plan.result_on_disk = memory <= result || (memory - result) / 2 / arc_bytes < arcs / 64 + LEAST_ROUND_ARCS;
    plan.round_arcs = (plan.result_on_disk ? memory : memory - result) / 2 / arc_bytes;
    if (plan.round_arcs < LEAST_ROUND_ARCS) plan.round_arcs = LEAST_ROUND_ARCS;
    return plan;
}
