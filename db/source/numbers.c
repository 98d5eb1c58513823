/* Values of a database as those of a cache. Numbers are doubles: what becomes another number by that is refused, with
 * the reason. Texts are decimal
 * numbers as files of edges have them (docs/formats.md): no blanks, no hexadecimal digits, no words. */
#define _GNU_SOURCE /* strtod_l */
#include "source/source.h"

#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <meguri/extra/escape.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char none[] = "which is no number", too_large[] = "which is beyond the range of 64-bit floating point",
                  rounded[] = "a whole number that 64-bit floating point cannot hold exactly",
                  endless[] = "which is not finite";

enum { MOST_SHOWN = 40, MOST_DIGITS = 63 }; /* of a text that is looked at */

/* Passes over digits; whether one of them is not zero. */
static const char *digits(const char *at, bool *any, bool *nonzero) {
    for (; *at >= '0' && *at <= '9'; at++) {
        *any = true;
        *nonzero |= *at != '0';
    }
    return at;
}

/* [+-]1.5e[+-]7: false where it is anything else. */
static bool is_decimal(const char *at, bool *whole, bool *nonzero) {
    bool any = false, exponent = false, ignored = false;
    *whole = true;
    *nonzero = false;
    at += *at == '-' || *at == '+';
    at = digits(at, &any, nonzero);
    if (*at == '.') {
        *whole = false;
        at = digits(at + 1, &any, nonzero);
    }
    if (!any) return false;
    if (*at != 'e' && *at != 'E') return *at == '\0';
    *whole = false;
    at++;
    at += *at == '-' || *at == '+';
    at = digits(at, &exponent, &ignored);
    return exponent && *at == '\0';
}

/* Whether a double is the whole number of a text. */
static bool is_same(double number, const char *text) {
    char back[MOST_DIGITS + 3];
    bool negative = *text == '-';
    text += *text == '-' || *text == '+';
    while (text[0] == '0' && text[1]) text++;
    snprintf(back, sizeof back, "%.0f", fabs(number));
    return strcmp(back, text) == 0 && (number == 0 || signbit(number) == negative);
}

static const char *text_trouble(double *out, const char *text, size_t length) {
    char copy[MOST_DIGITS + 1];
    bool whole, nonzero;
    if (!length || length >= sizeof copy || memchr(text, 0, length)) return none;
    memcpy(copy, text, length);
    copy[length] = '\0';
    if (!is_decimal(copy, &whole, &nonzero)) return none;
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!c) return "and the system has no memory to read it";
    *out = strtod_l(copy, NULL, c);
    freelocale(c);
    if (isinf(*out) || (*out == 0 && nonzero)) return too_large;
    return whole && !is_same(*out, copy) ? rounded : NULL;
}

const char *mg_number_trouble(double *out, const mg_value *value) {
    switch (value->kind) {
    case MG_REAL: *out = value->real; return isfinite(*out) ? NULL : endless;
    case MG_INTEGER:
        *out = (double)value->integer;
        /* 2^63 is a double, and no integer. */
        return *out < 0x1p63 && (int64_t)*out == value->integer ? NULL : rounded;
    case MG_TEXT: return text_trouble(out, value->text, value->length);
    default: return none;
    }
}

/* The beginning, escaped. A server may repeat what it was sent. */
static void show_text(char out[MG_VALUE_TEXT], const mg_value *value, const char *password) {
    char plain[MG_VALUE_TEXT], shown[MOST_SHOWN + sizeof "…"];
    size_t length = mg_secret_hide(plain, sizeof plain, value->text, value->length, password);
    snprintf(out, MG_VALUE_TEXT, "'%s'", meguri_escape(shown, sizeof shown, plain, length));
}

const char *mg_value_text(char out[MG_VALUE_TEXT], const mg_value *value, const mg_database *database) {
    static const char *const kinds[] = {[MG_NULL] = "null",
                                        [MG_BYTES] = "bytes",
                                        [MG_LIST] = "a list",
                                        [MG_MAP] = "a map",
                                        [MG_STRUCT] = "a structure"};
    switch (value->kind) {
    case MG_INTEGER: snprintf(out, MG_VALUE_TEXT, "%" PRId64, value->integer); break;
    case MG_REAL: snprintf(out, MG_VALUE_TEXT, "%.17g", value->real); break;
    case MG_BOOL: snprintf(out, MG_VALUE_TEXT, "%s", value->integer ? "true" : "false"); break;
    case MG_TEXT: show_text(out, value, database->password); break;
    default: snprintf(out, MG_VALUE_TEXT, "%s", kinds[value->kind]);
    }
    return out;
}

static bool is_utf8(const char *text, size_t length) {
    const unsigned char *at = (const unsigned char *)text, *end = at + length;
    while (at < end) {
        unsigned more = *at < 0x80 ? 0 : *at >= 0xC2 && *at < 0xE0 ? 1 : (*at & 0xF0) == 0xE0 ? 2 : *at < 0xF5 ? 3 : 4;
        if ((*at >= 0x80 && *at < 0xC2) || more > 3 || (size_t)(end - at) <= more) return false;
        /* No longer forms, no halves of pairs, nothing above U+10FFFF. */
        if ((*at == 0xE0 && at[1] < 0xA0) || (*at == 0xED && at[1] > 0x9F) || (*at == 0xF0 && at[1] < 0x90) ||
            (*at == 0xF4 && at[1] > 0x8F))
            return false;
        for (unsigned i = 1; i <= more; i++)
            if ((at[i] & 0xC0) != 0x80) return false;
        at += 1 + more;
    }
    return true;
}

bool mg_is_text_name(const char *text, size_t length) {
    for (size_t i = 0; i < length; i++)
        if (!text[i] || strchr("\t\n\r", text[i])) return false;
    return length > 0 && is_utf8(text, length);
}
