/* Items of columns as other types: exactly, or refused; and which of them stand for none. */
#include "base/base.h"

#include <math.h>
#include <string.h>

/* An item as what holds all of its type: a whole number, which may be below 0, or a real one. */
typedef struct value {
    bool none; /* no vertex, or an infinite number */
    bool real, negative;
    uint64_t whole; /* its bits, as int64_t where it is negative */
    double number;  /* where it is real */
} value;

int64_t mg_column_integer(const meguri_column *column, const void *item) {
    switch (column->item_bytes) {
    case 1: return *(const int8_t *)item;
    case 2: return *(const int16_t *)item;
    case 4: return *(const int32_t *)item;
    default: return *(const int64_t *)item;
    }
}

static uint64_t whole_of(const meguri_column *column, const void *item) {
    switch (column->item_bytes) {
    case 1: return *(const uint8_t *)item;
    case 2: return *(const uint16_t *)item;
    case 4: return *(const uint32_t *)item;
    default: return *(const uint64_t *)item;
    }
}

static value value_of(const meguri_column *column, uint64_t row) {
    const void *item = (const char *)column->data + row * column->stride;
    value v = {.real = mg_type_is_real(column->type)};
    if (v.real) {
        v.number = column->type == MEGURI_TYPE_F32 ? (double)*(const float *)item : *(const double *)item;
        v.none = isinf(v.number) && v.number > 0;
    } else if (mg_type_is_signed(column->type)) {
        int64_t number = mg_column_integer(column, item);
        v.negative = number < 0;
        v.whole = (uint64_t)number;
    } else {
        v.whole = whole_of(column, item);
        if (column->type == MEGURI_TYPE_VERTEX) v.none = v.whole == (column->item_bytes == 4 ? UINT32_MAX : UINT64_MAX);
        if (column->type == MEGURI_TYPE_U64) v.none = v.whole == UINT64_MAX;
    }
    return v;
}

int meguri_column_is_none(const meguri_column *column, uint64_t item) {
    if (!column || !column->data || item >= column->count) return 1;
    value v = value_of(column, item);
    return v.none || v.negative || (v.real && !isfinite(v.number));
}

/* ---- conversion ------------------------------------------------------------------------------------------------- */

static bool put_unsigned(void *to, meguri_type type, uint64_t whole) {
    switch (meguri_type_bytes(type)) {
    case 1: *(uint8_t *)to = (uint8_t)whole; return whole <= (type == MEGURI_TYPE_BOOLEAN ? 1 : UINT8_MAX);
    case 2: *(uint16_t *)to = (uint16_t)whole; return whole <= UINT16_MAX;
    case 4: *(uint32_t *)to = (uint32_t)whole; return whole <= UINT32_MAX;
    default: *(uint64_t *)to = whole; return true;
    }
}

static bool put_signed(void *to, meguri_type type, int64_t number) {
    switch (type) {
    case MEGURI_TYPE_I8: *(int8_t *)to = (int8_t)number; return number == (int8_t)number;
    case MEGURI_TYPE_I16: *(int16_t *)to = (int16_t)number; return number == (int16_t)number;
    case MEGURI_TYPE_I32: *(int32_t *)to = (int32_t)number; return number == (int32_t)number;
    default: *(int64_t *)to = number; return true;
    }
}

static bool put_real(void *to, meguri_type type, double number) {
    if (type == MEGURI_TYPE_F64) {
        *(double *)to = number;
        return true;
    }
    *(float *)to = (float)number;
    return isnan(number) || (double)*(float *)to == number;
}

/* A whole number that a double holds exactly. */
static bool to_real(double *out, const value *v) {
    if (v->negative) {
        *out = (double)(int64_t)v->whole;
        return (int64_t)*out == (int64_t)v->whole;
    }
    *out = (double)v->whole;
    return *out < 0x1p64 && (uint64_t)*out == v->whole;
}

/* A real number that is whole. */
static bool to_whole(value *v) {
    if (!(v->number > -0x1p63 && v->number < 0x1p64) || v->number != floor(v->number)) return false;
    v->negative = v->number < 0;
    v->whole = v->negative ? (uint64_t)(int64_t)v->number : (uint64_t)v->number;
    return true;
}

/* None is -1 as a vertex of a signed type, infinity as a real number, and all bits of a u64. */
static bool put_none(void *to, meguri_type as, meguri_type from) {
    if (mg_type_is_real(as)) return from != MEGURI_TYPE_VERTEX && put_real(to, as, INFINITY);
    if (mg_type_is_signed(as)) return from == MEGURI_TYPE_VERTEX && put_signed(to, as, -1);
    if (as != MEGURI_TYPE_U64 && as != MEGURI_TYPE_VERTEX) return false;
    return put_unsigned(to, as, UINT64_MAX);
}

static bool put(void *to, meguri_type as, meguri_type from, value v) {
    if (v.none) return put_none(to, as, from);
    if (mg_type_is_real(as)) return (v.real || to_real(&v.number, &v)) && put_real(to, as, v.number);
    if (v.real && !to_whole(&v)) return false;
    if (mg_type_is_signed(as)) return (v.negative || v.whole <= INT64_MAX) && put_signed(to, as, (int64_t)v.whole);
    return !v.negative && put_unsigned(to, as, v.whole);
}

meguri_status meguri_result_values(void *out, meguri_type as_type, const meguri_result *result, const char *column,
                                   uint64_t first, uint64_t count) {
    meguri_column c = {.size = sizeof c};
    size_t bytes = meguri_type_bytes(as_type);
    if (!result || !column || (!out && count) || !bytes) return MEGURI_BAD_ARGUMENT;
    meguri_status status = meguri_result_column(&c, result, column);
    if (status != MEGURI_OK) return status;
    if (first > c.count || count > c.count - first) return MEGURI_BAD_ARGUMENT;
    for (uint64_t i = 0; i < count; i++)
        if (!put((char *)out + i * bytes, as_type, c.type, value_of(&c, first + i))) return MEGURI_UNSUPPORTED;
    return MEGURI_OK;
}
