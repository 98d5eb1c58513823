/* Weights: the smallest type that loses nothing, and the form in which arcs carry them while they are sorted.
 *
 * A payload is the weight itself for whole numbers, and for floats their bits arranged so that unsigned order is the
 * order of the values: a duplicate's smallest weight is then the smallest payload, whatever the type. Where edges have
 * columns, their numbers are carried below that: of equal weights the one that comes first in the input is smallest. */
#include "graph/internal.h"

#include <math.h>

uint32_t mg_payload_bytes(meguri_type type) { return type == MEGURI_TYPE_NONE ? 0 : type == MEGURI_TYPE_F64 ? 8 : 4; }

uint32_t mg_carried_bytes(meguri_type type, uint32_t number_bytes) {
    uint32_t bytes = mg_payload_bytes(type) + number_bytes;
    return bytes <= 8 ? bytes : 16;
}

/* Of 16 bytes the upper half is the payload; of 8, where there are weights, the upper half of the word. */
void mg_carry_numbers(void *carried, const void *payload, meguri_type type, uint32_t number_bytes, uint64_t first,
                      uint64_t count) {
    uint32_t payload_bytes = mg_payload_bytes(type);
    uint64_t *wide = carried;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t weight = payload_bytes == 4   ? ((const uint32_t *)payload)[i]
                          : payload_bytes == 8 ? ((const uint64_t *)payload)[i]
                                               : 0;
        if (payload_bytes + number_bytes == 4) ((uint32_t *)carried)[i] = (uint32_t)(first + i);
        else if (payload_bytes + number_bytes == 8) wide[i] = weight << 32 | (first + i);
        else {
            wide[2 * i] = first + i;
            wide[2 * i + 1] = weight;
        }
    }
}

void mg_carried_numbers(void *numbers, const void *carried, meguri_type type, uint32_t number_bytes, uint64_t count) {
    uint32_t stride = mg_carried_bytes(type, number_bytes);
    for (uint64_t i = 0; i < count; i++) /* the low bytes of a number are its first */
        memcpy((char *)numbers + i * number_bytes, (const char *)carried + i * stride, number_bytes);
}

void mg_carried_payload(void *payload, const void *carried, meguri_type type, uint32_t number_bytes, uint64_t count) {
    uint32_t stride = mg_carried_bytes(type, number_bytes), bytes = mg_payload_bytes(type);
    for (uint64_t i = 0; i < count; i++)
        memmove((char *)payload + i * bytes, (const char *)carried + i * stride + stride / 2, bytes);
}

static inline uint32_t sortable32(float value) {
    uint32_t bits;
    value += 0.0f; /* -0 and +0 are the same weight */
    memcpy(&bits, &value, sizeof bits);
    return bits >> 31 ? ~bits : bits | UINT32_C(1) << 31;
}

static inline float from_sortable32(uint32_t bits) {
    float value;
    bits = bits >> 31 ? bits & ~(UINT32_C(1) << 31) : ~bits;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint64_t sortable64(double value) {
    uint64_t bits;
    value += 0.0;
    memcpy(&bits, &value, sizeof bits);
    return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

static inline double from_sortable64(uint64_t bits) {
    double value;
    bits = bits >> 63 ? bits & ~(UINT64_C(1) << 63) : ~bits;
    memcpy(&value, &bits, sizeof value);
    return value;
}

void mg_weights_to_payload(void *payload, meguri_type to, const void *weights, meguri_type from, uint64_t count) {
    if (to == MEGURI_TYPE_NONE) return;
    if (to == MEGURI_TYPE_F64) {
        for (uint64_t i = 0; i < count; i++) ((uint64_t *)payload)[i] = sortable64(mg_weight_at(weights, from, i));
    } else if (to == MEGURI_TYPE_F32) {
        for (uint64_t i = 0; i < count; i++)
            ((uint32_t *)payload)[i] = sortable32((float)mg_weight_at(weights, from, i));
    } else if (from == MEGURI_TYPE_U32) {
        memcpy(payload, weights, count * 4);
    } else {
        for (uint64_t i = 0; i < count; i++) ((uint32_t *)payload)[i] = (uint32_t)mg_weight_at(weights, from, i);
    }
}

void mg_payload_to_weights(void *weights, meguri_type type, const void *payload, uint64_t count) {
    /* memcpy in both directions: the two may be the same memory, read ahead of being written. */
    for (uint64_t i = 0; i < count; i++) {
        uint32_t bits32;
        uint64_t bits64;
        if (type == MEGURI_TYPE_F64) memcpy(&bits64, (const char *)payload + i * 8, 8);
        else memcpy(&bits32, (const char *)payload + i * 4, 4);
        switch (type) {
        case MEGURI_TYPE_U8: ((uint8_t *)weights)[i] = (uint8_t)bits32; break;
        case MEGURI_TYPE_U16: memcpy((char *)weights + i * 2, &(uint16_t){(uint16_t)bits32}, 2); break;
        case MEGURI_TYPE_U32: memcpy((char *)weights + i * 4, &bits32, 4); break;
        case MEGURI_TYPE_F32: memcpy((char *)weights + i * 4, &(float){from_sortable32(bits32)}, 4); break;
        case MEGURI_TYPE_F64: memcpy((char *)weights + i * 8, &(double){from_sortable64(bits64)}, 8); break;
        default: break;
        }
    }
}

void mg_payload_of_ones(void *payload, meguri_type type, uint64_t count) {
    const uint32_t one = 1;
    uint64_t bits = 0;
    mg_weights_to_payload(&bits, type, &one, MEGURI_TYPE_U32, 1);
    if (mg_payload_bytes(type) == 8)
        for (uint64_t i = 0; i < count; i++) ((uint64_t *)payload)[i] = bits;
    else
        for (uint64_t i = 0; i < count; i++) ((uint32_t *)payload)[i] = (uint32_t)bits;
}

mg_weight_facts mg_weight_facts_of(const void *weights, meguri_type type, uint64_t count) {
    mg_weight_facts facts = {.whole = true, .f32_exact = true};
    if (type == MEGURI_TYPE_NONE) return facts;
    if (type == MEGURI_TYPE_U32) {
        const uint32_t *whole = weights;
        for (uint64_t i = 0; i < count; i++) {
            facts.max = MG_MAX(facts.max, whole[i]);
            facts.f32_exact &= (double)(float)whole[i] == (double)whole[i];
        }
        return facts;
    }
    for (uint64_t i = 0; i < count; i++) {
        double value = mg_weight_at(weights, type, i);
        if (value >= 0 && value <= UINT32_MAX && value == (double)(uint32_t)value)
            facts.max = MG_MAX(facts.max, (uint32_t)value);
        else facts.whole = false;
        facts.nan |= isnan(value);
        /* Too large for a float is an overflow that C leaves undefined: look first. */
        if (fabs(value) > 3.4028234e38 ? !isinf(value) : (double)(float)value != value) facts.f32_exact = false;
    }
    return facts;
}

mg_weight_facts mg_weight_facts_join(mg_weight_facts a, mg_weight_facts b) {
    return (mg_weight_facts){a.whole && b.whole, a.f32_exact && b.f32_exact, a.nan || b.nan, MG_MAX(a.max, b.max)};
}

meguri_type mg_weight_type_for(mg_weight_facts facts) {
    if (!facts.whole) return facts.f32_exact ? MEGURI_TYPE_F32 : MEGURI_TYPE_F64;
    return facts.max <= UINT8_MAX ? MEGURI_TYPE_U8 : facts.max <= UINT16_MAX ? MEGURI_TYPE_U16 : MEGURI_TYPE_U32;
}
