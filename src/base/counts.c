/* Counts as people read and write them: a number with its noun, and numbers with powers of ten and units. */
#include "base/base.h"

#include <inttypes.h>
#include <meguri/extra/words.h>
#include <string.h>

/* ---- a number with its noun -------------------------------------------------------------------------------------- */

static bool ends_with(const char *text, size_t length, const char *end) {
    size_t bytes = strlen(end);
    return length >= bytes && memcmp(text + length - bytes, end, bytes) == 0;
}

/* The plural of an English noun, of those that graphs and files have. */
static void put_plural(char *out, size_t room, const char *noun) {
    size_t length = strlen(noun);
    bool vowel = length > 1 && strchr("aeiou", noun[length - 2]);
    if (ends_with(noun, length, "ex")) snprintf(out, room, "%.*sices", (int)length - 2, noun);
    else if (ends_with(noun, length, "y") && !vowel) snprintf(out, room, "%.*sies", (int)length - 1, noun);
    else if (ends_with(noun, length, "s") || ends_with(noun, length, "x") || ends_with(noun, length, "ch"))
        snprintf(out, room, "%ses", noun);
    else snprintf(out, room, "%ss", noun);
}

const char *meguri_count_text(char buffer[MEGURI_COUNT_TEXT], uint64_t count, const char *noun) {
    char digits[24];
    size_t length = (size_t)snprintf(digits, sizeof digits, "%" PRIu64, count), at = 0;
    if (!buffer || !noun) return "";
    for (size_t i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0) buffer[at++] = ',';
        buffer[at++] = digits[i];
    }
    buffer[at++] = ' ';
    if (count == 1) snprintf(buffer + at, MEGURI_COUNT_TEXT - at, "%s", noun);
    else put_plural(buffer + at, MEGURI_COUNT_TEXT - at, noun);
    return buffer;
}

/* ---- numbers as they are typed ----------------------------------------------------------------------------------- */

/* What was typed: digits × 10^ten × 2^two, and whether there was a unit. */
typedef struct typed_number {
    uint64_t digits;
    int ten, two;
    bool has_unit;
} typed_number;

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* Digits, perhaps with a point between them. Zeros at the end are kept back: 1.000000000000000000000 is 1. */
static bool take_digits(typed_number *n, const char **text) {
    int zeros = 0, behind_point = 0;
    bool point = false, any = false;
    for (const char *p = *text;; p++) {
        if (*p == '.' && !point) {
            point = true;
            continue;
        }
        if (!is_digit(*p)) {
            *text = p;
            break;
        }
        any = true;
        behind_point += point;
        if (*p == '0') {
            zeros += zeros < 1000;
            continue;
        }
        for (; zeros > 0; zeros--)
            if (n->digits && __builtin_mul_overflow(n->digits, 10u, &n->digits)) return false;
        if (__builtin_mul_overflow(n->digits, 10u, &n->digits) ||
            __builtin_add_overflow(n->digits, (uint64_t)(*p - '0'), &n->digits))
            return false;
    }
    n->ten = zeros - behind_point;
    return any;
}

/* e6, E+3, e-2; an e without digits is none. */
static bool take_exponent(typed_number *n, const char **text) {
    const char *p = *text;
    if (*p != 'e' && *p != 'E') return true;
    bool minus = *++p == '-';
    if (*p == '+' || *p == '-') p++;
    if (!is_digit(*p)) return false;
    int exponent = 0;
    for (; is_digit(*p); p++)
        if (exponent < 1000) exponent = 10 * exponent + (*p - '0');
    n->ten += minus ? -exponent : exponent;
    *text = p;
    return true;
}

/* k, Mi and so on, after a blank or none, to the end of the text. */
static bool take_unit(typed_number *n, const char *text, bool bytes) {
    static const char letters[] = "kmgt";
    if (!*text) return true;
    if (*text == ' ') text++;
    const char *letter = *text ? strchr(letters, *text | 0x20) : NULL;
    int power = letter ? (int)(letter - letters) + 1 : 0;
    if (letter) text++;
    n->has_unit = letter || *text;
    bool binary = letter && (*text | 0x20) == 'i';
    if (binary) n->two += 10 * power;
    else n->ten += 3 * power;
    text += binary;
    if (bytes && (*text | 0x20) == 'b') text++;
    else if (!letter) return false;
    return !*text;
}

/* Exact: powers of ten below 0 are divided out last. False where it does not fit; *whole tells whether it is. */
static bool work_out(uint64_t *out, bool *whole, const typed_number *n) {
    unsigned __int128 value = n->digits;
    *whole = true;
    if (value == 0) {
        *out = 0;
        return true;
    }
    if (n->ten > 19) return false;
    for (int i = 0; i < n->ten; i++) value *= 10; /* below 2^64 · 10^19 < 2^128 */
    for (int i = 0; i < n->two; i++) {
        if (value >> 127) return false;
        value <<= 1;
    }
    for (int i = n->ten; i < 0 && value; i++) {
        *whole = *whole && value % 10 == 0;
        value /= 10;
    }
    *out = (uint64_t)value;
    return value <= UINT64_MAX;
}

static bool parse(uint64_t *out, const char *text, bool bytes) {
    typed_number n = {0};
    bool whole = false;
    uint64_t value = 0;
    if (!out || !text || !take_digits(&n, &text) || !take_exponent(&n, &text) || !take_unit(&n, text, bytes))
        return false;
    if (!work_out(&value, &whole, &n) || (!whole && !(bytes && n.has_unit))) return false;
    *out = value;
    return true;
}

int meguri_parse_count(uint64_t *out, const char *text) { return parse(out, text, false); }
int meguri_parse_size(uint64_t *out, const char *text) { return parse(out, text, true); }
