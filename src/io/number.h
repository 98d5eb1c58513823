/* Numbers out of text, whatever the locale.
 *
 * Ids are most of what a reader sees, so they go eight digits at a time: one load, a few multiplications
 * ("SWAR", digits as lanes of a 64-bit word). Weights are correctly rounded doubles: number.c says how.
 *
 * Everything here may look at MG_PAD bytes before and after the text it is given (read.h: chunks have them). */
#ifndef MG_IO_NUMBER_H
#define MG_IO_NUMBER_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the lanes of a word are read as little-endian"
#endif

static inline bool mg_is_digit(char c) { return (unsigned char)(c - '0') < 10; }
/* A carriage return counts as a blank, so that lines may end as they do on Windows. */
static inline bool mg_is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
static inline const char *mg_skip_blanks(const char *p) {
    while (mg_is_blank(*p)) p++;
    return p;
}

static inline uint64_t mg_load8(const char *p) {
    uint64_t word;
    memcpy(&word, p, 8);
    return word;
}

/* How many of the 8 characters of a word are digits before the first that is not. Adding 0x76 to a lane of value 10
 * or more sets its top bit; a carry only disturbs lanes behind the first such lane, which nobody looks at. */
static inline unsigned mg_digits_in(uint64_t word) {
    uint64_t lanes = word ^ UINT64_C(0x3030303030303030);
    uint64_t others = ((lanes + UINT64_C(0x7676767676767676)) | lanes) & UINT64_C(0x8080808080808080);
    return others ? (unsigned)__builtin_ctzll(others) / 8 : 8;
}

/* The number of eight digits whose first is in the lowest lane; lanes of value 0 may stand for missing ones. Pairs,
 * then fours, then eight: three multiplications. */
static inline uint32_t mg_eight_digits(uint64_t lanes) {
    lanes = lanes * 10 + (lanes >> 8);
    uint64_t even = (lanes & UINT64_C(0x000000FF000000FF)) * (100 + (UINT64_C(1000000) << 32));
    uint64_t odd = ((lanes >> 16) & UINT64_C(0x000000FF000000FF)) * (1 + (UINT64_C(10000) << 32));
    return (uint32_t)((even + odd) >> 32);
}

/* The number of the `count` (1 … 8) digits before `end`: bytes in front of them are cut off, whatever they are. */
static inline uint32_t mg_digits_before(const char *end, unsigned count) {
    uint64_t lanes = mg_load8(end - 8) ^ UINT64_C(0x3030303030303030);
    return mg_eight_digits(lanes & (~UINT64_C(0) << (8 * (8 - count))));
}

/* Digits at *p, at least one; false where there are none or where they exceed 2^64-1 (*p then stays). */
bool mg_parse_u64_long(const char **p, uint64_t *value);
static inline bool mg_parse_u64(const char **p, uint64_t *value) {
    uint64_t word = mg_load8(*p);
    unsigned count = mg_digits_in(word);
    if (count - 1 >= 7) return mg_parse_u64_long(p, value);
    *value = mg_eight_digits((word ^ UINT64_C(0x3030303030303030)) << (8 * (8 - count)));
    *p += count;
    return true;
}

/* A locale_t, which strict C11 does not know: the C locale, made once for a whole read. */
typedef void *mg_locale;
mg_locale mg_locale_new(void); /* NULL without memory */
void mg_locale_free(mg_locale locale);

typedef enum mg_number_status {
    MG_NUMBER_OK,
    MG_NUMBER_NONE,       /* there is no number here */
    MG_NUMBER_NOT_FINITE, /* inf or nan */
    MG_NUMBER_TOO_LARGE,  /* beyond the range of a double */
    MG_NUMBER_INEXACT     /* a whole number that a double cannot hold */
} mg_number_status;

/* A decimal number with optional sign, point and exponent, as the nearest double. */
mg_number_status mg_parse_number_any(const char **p, double *value, mg_locale c_locale);
static inline mg_number_status mg_parse_number(const char **p, double *value, mg_locale c_locale) {
    uint64_t word = mg_load8(*p);
    unsigned count = mg_digits_in(word);
    char next = (*p)[count];
    if (count - 1 >= 7 || next == '.' || next == 'e' || next == 'E') return mg_parse_number_any(p, value, c_locale);
    *value = mg_eight_digits((word ^ UINT64_C(0x3030303030303030)) << (8 * (8 - count)));
    *p += count;
    return MG_NUMBER_OK;
}

#endif
