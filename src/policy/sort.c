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

/* Rows of a stream are at least 2^8. 2^10 streams are written to side by side without leaving the caches; twice as many
 * are worth a 4-byte key. Everybody tells everybody how much goes into each stream: all these numbers are at most 2^22.
 */
enum { LEAST_ROW_BITS = 8, USUAL_STREAM_BITS = 10, MOST_STREAM_BITS = 11, TOLD_BITS = 22 };

static uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }

mg_stream_plan mg_policy_streams(uint64_t rows, uint64_t columns, uint32_t processes) {
    uint32_t row_bits = bits_for(rows), told = bits_for(processes), most = told < TOLD_BITS ? TOLD_BITS - told : 0;
    mg_stream_plan plan = {.column_bits = bits_for(columns), .key_bytes = 4};
    uint32_t wanted = row_bits > LEAST_ROW_BITS ? row_bits - LEAST_ROW_BITS : 0;
    wanted = least(wanted, least(USUAL_STREAM_BITS, most));
    uint32_t for_short_keys = row_bits + plan.column_bits > 32 ? row_bits + plan.column_bits - 32 : 0;
    uint32_t bits = wanted > for_short_keys ? wanted : for_short_keys;
    if (bits > least(MOST_STREAM_BITS, most)) {
        bits = wanted;
        plan.key_bytes = 8;
    }
    plan.row_bits = row_bits - bits;
    return plan;
}
