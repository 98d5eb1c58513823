/* Numbers that do not fit the short paths of number.h.
 *
 * Doubles are correctly rounded, in three steps from fast to slow. (1) Clinger, "How to read floating point numbers
 * accurately" (1990): a whole number up to 2^53 times or divided by a power of ten up to 10^22 are two exact doubles
 * and one rounding. (2) The same with the 64-bit significands of the x87 (up to 10^27), rounded a second time to 53
 * bits; two roundings differ from one only if the first lands exactly halfway between two doubles, which its low
 * eleven bits show. (3) strtod_l in the C locale. */
#define _GNU_SOURCE
#include "io/number.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

mg_locale mg_locale_new(void) { return newlocale(LC_ALL_MASK, "C", (locale_t)0); }
void mg_locale_free(mg_locale locale) {
    if (locale) freelocale(locale);
}

bool mg_parse_u64_long(const char **p, uint64_t *value) {
    const char *at = *p;
    if (!mg_is_digit(*at)) return false;
    uint64_t number = 0;
    for (; mg_is_digit(*at); at++)
        if (__builtin_mul_overflow(number, 10, &number) ||
            __builtin_add_overflow(number, (uint64_t)(*at - '0'), &number))
            return false;
    *p = at;
    *value = number;
    return true;
}

/* What the text of a decimal number says: digits × 10^exponent, as far as 19 digits hold it. */
typedef struct decimal {
    uint64_t digits;
    int64_t exponent;
    bool negative;
    bool whole;   /* written without point and exponent */
    bool dropped; /* there were more digits than fit */
    const char *first_digit;
} decimal;

static bool starts_with_word(const char *p, const char *word) {
    for (; *word; p++, word++)
        if ((*p | 0x20) != *word) return false;
    return true;
}

static void take_digit(decimal *d, char c, bool after_point) {
    if (d->digits < UINT64_C(1000000000000000000)) {
        d->digits = d->digits * 10 + (uint64_t)(c - '0');
        d->exponent -= after_point;
    } else {
        d->dropped |= c != '0';
        d->exponent += !after_point;
    }
}

static mg_number_status scan(const char **p, decimal *d) {
    const char *at = *p;
    *d = (decimal){.whole = true};
    d->negative = *at == '-';
    if (*at == '-' || *at == '+') at++;
    d->first_digit = at;
    int count = 0;
    for (; mg_is_digit(*at); at++, count = 1) take_digit(d, *at, false);
    if (*at == '.') {
        d->whole = false;
        for (at++; mg_is_digit(*at); at++, count = 1) take_digit(d, *at, true);
    }
    if (!count) {
        bool word = starts_with_word(d->first_digit, "inf") || starts_with_word(d->first_digit, "nan");
        return word ? MG_NUMBER_NOT_FINITE : MG_NUMBER_NONE;
    }
    if (*at == 'e' || *at == 'E') {
        const char *e = at + 1;
        bool negative = *e == '-';
        if (*e == '-' || *e == '+') e++;
        if (!mg_is_digit(*e)) return MG_NUMBER_NONE;
        int64_t exponent = 0;
        for (; mg_is_digit(*e); e++)
            if (exponent < 100000000) exponent = exponent * 10 + (*e - '0');
        d->exponent += negative ? -exponent : exponent;
        d->whole = false;
        at = e;
    }
    *p = at;
    return MG_NUMBER_OK;
}

static bool exact_by_clinger(const decimal *d, double *value) {
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (d->dropped || d->digits > (UINT64_C(1) << 53) || d->exponent < -22 || d->exponent > 22) return false;
    double digits = (double)d->digits;
    *value = d->exponent < 0 ? digits / powers[-d->exponent] : digits * powers[d->exponent];
    return true;
}

static bool exact_by_long_double(const decimal *d, double *value) {
#if LDBL_MANT_DIG == 64
    static const long double powers[] = {1e0L,  1e1L,  1e2L,  1e3L,  1e4L,  1e5L,  1e6L,  1e7L,  1e8L,  1e9L,
                                         1e10L, 1e11L, 1e12L, 1e13L, 1e14L, 1e15L, 1e16L, 1e17L, 1e18L, 1e19L,
                                         1e20L, 1e21L, 1e22L, 1e23L, 1e24L, 1e25L, 1e26L, 1e27L};
    if (d->dropped || d->exponent < -27 || d->exponent > 27) return false;
    long double digits = (long double)d->digits;
    long double result = d->exponent < 0 ? digits / powers[-d->exponent] : digits * powers[d->exponent];
    uint64_t significand;
    memcpy(&significand, &result, 8);
    if ((significand & 0x7ff) == 0x400) return false;
    *value = (double)result;
    return true;
#else
    (void)d;
    (void)value;
    return false;
#endif
}

/* Whole numbers are given back exactly or not at all. */
static bool is_exact(const decimal *d, double value) {
    if (value < 9007199254740992.0) return true;
    char text[400];
    snprintf(text, sizeof text, "%.0f", value);
    const char *at = d->first_digit;
    while (*at == '0') at++;
    size_t length = strlen(text);
    return strncmp(at, text, length) == 0 && !mg_is_digit(at[length]);
}

mg_number_status mg_parse_number_any(const char **p, double *value, mg_locale c_locale) {
    decimal d;
    mg_number_status status = scan(p, &d);
    if (status != MG_NUMBER_OK) return status;
    double result;
    if (!exact_by_clinger(&d, &result) && !exact_by_long_double(&d, &result))
        result = strtod_l(d.first_digit, NULL, c_locale);
    if (isinf(result)) return MG_NUMBER_TOO_LARGE;
    if (d.whole && !is_exact(&d, result)) return MG_NUMBER_INEXACT;
    *value = d.negative ? -result : result;
    return MG_NUMBER_OK;
}
