/* Sets of places as they go over the network: a bitmap, a list, or packed; whichever the policy expects to be shortest.
 *
 * A message is 8 bytes (the form, and the number of members) and the set; one without members is empty. */
#include "net/net.h"

#include "policy/policy.h"

extern const mg_sets_hot mg_sets_base;
#if defined(__x86_64__)
extern const mg_sets_hot mg_sets_bmi2;
#endif

const mg_sets_hot *mg_sets_loops(void) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt")) return &mg_sets_bmi2;
#endif
    return &mg_sets_base;
}

enum { HEAD = 8 };

static uint64_t head_of(mg_set_form form, uint64_t count) { return (uint64_t)form << 56 | count; }

uint64_t mg_set_write(void *out, const mg_set *set, bool packed) {
    if (!set->count) return 0;
    uint64_t bitmap = set->words * 8, bytes = 0;
    uint8_t *body = (uint8_t *)out + HEAD;
    mg_set_form form = mg_policy_set_form(set->count, set->words * 64, packed);
    if (form == MG_SET_PACKED && set->bits) {
        /* Worth it only if it is shorter than what it replaces. */
        uint64_t room = MG_MIN(bitmap, 4 * set->count);
        bytes = mg_sets_loops()->pack(body, room - 1, set->bits, set->known, set->words);
        if (bytes == UINT64_MAX) form = mg_policy_set_form(set->count, set->words * 64, false);
    } else if (form == MG_SET_PACKED) form = mg_policy_set_form(set->count, set->words * 64, false);
    if (form == MG_SET_BITMAP) {
        bytes = bitmap;
        if (set->list) {
            memset(body, 0, bytes);
            for (uint64_t i = 0; i < set->count; i++) body[set->list[i] / 8] |= (uint8_t)(1 << (set->list[i] % 8));
        } else
            for (uint64_t w = 0; w < set->words; w++) {
                uint64_t word = set->bits[w] & ~set->known[w];
                memcpy(body + 8 * w, &word, 8);
            }
    }
    if (form == MG_SET_LIST) {
        bytes = 4 * set->count;
        uint32_t place, k = 0;
        if (set->list) memcpy(body, set->list, bytes);
        else
            for (uint64_t w = 0; w < set->words; w++)
                for (uint64_t x = set->bits[w] & ~set->known[w]; x; x &= x - 1, k++) {
                    place = (uint32_t)(64 * w) + (uint32_t)__builtin_ctzll(x);
                    memcpy(body + 4ull * k, &place, 4);
                }
    }
    uint64_t head = head_of(form, set->count);
    memcpy(out, &head, HEAD);
    return HEAD + bytes;
}

uint64_t mg_set_count(const void *in, uint64_t bytes, mg_set_form *form) {
    uint64_t head = 0;
    *form = MG_SET_LIST;
    if (bytes < HEAD) return 0;
    memcpy(&head, in, HEAD);
    *form = (mg_set_form)(head >> 56);
    return head << 8 >> 8;
}

static uint64_t count_bits(const uint64_t *bits, uint64_t words) {
    uint64_t count = 0;
    for (uint64_t w = 0; w < words; w++) count += (uint64_t)__builtin_popcountll(bits[w]);
    return count;
}

bool mg_set_to_bits(uint64_t *out, const void *in, uint64_t bytes, const uint64_t *known, uint64_t words) {
    mg_set_form form;
    uint64_t count = mg_set_count(in, bytes, &form);
    const uint8_t *body = (const uint8_t *)in + HEAD;
    if (count && form == MG_SET_PACKED)
        return mg_sets_loops()->unpack(out, body, bytes - HEAD, known, words) && count_bits(out, words) == count;
    if (count && form == MG_SET_BITMAP) {
        if (bytes != HEAD + 8 * words) return false;
        memcpy(out, body, 8 * words);
        return true;
    }
    memset(out, 0, 8 * words);
    if (!count) return !bytes;
    if (form != MG_SET_LIST || bytes != HEAD + 4 * count) return false;
    for (uint64_t i = 0; i < count; i++) {
        uint32_t place;
        memcpy(&place, body + 4 * i, 4);
        if (place >= 64 * words) return false;
        out[place / 64] |= (uint64_t)1 << (place % 64);
    }
    return true;
}

const uint32_t *mg_set_list(const void *in, uint64_t bytes, uint64_t words) {
    mg_set_form form;
    uint64_t count = mg_set_count(in, bytes, &form);
    const uint32_t *list = (const uint32_t *)(const void *)((const uint8_t *)in + HEAD);
    if (form != MG_SET_LIST || bytes != (count ? HEAD + 4 * count : 0)) return NULL;
    for (uint64_t i = 0; i < count; i++)
        if (list[i] >= 64 * words) return NULL;
    return list;
}
