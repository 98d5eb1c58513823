/* Numbers: against strtod and strtoull of the C library, in the C locale and in one with a decimal comma. */
#define _GNU_SOURCE
#include "reading.h"

#include <float.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>

static mg_locale c_locale;

static uint64_t next_random(uint64_t *state) {
    uint64_t z = (*state += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

/* A text with readable bytes around it, as chunks have them. */
typedef struct padded {
    char bytes[MG_PAD + 2000 + MG_PAD];
} padded;

static const char *pad(padded *buffer, const char *text, char behind) {
    memset(buffer->bytes, '9', MG_PAD); /* digits in front must not be taken for part of the number */
    size_t length = strlen(text);
    memcpy(buffer->bytes + MG_PAD, text, length);
    memset(buffer->bytes + MG_PAD + length, '\n', MG_PAD);
    buffer->bytes[MG_PAD + length] = behind;
    return buffer->bytes + MG_PAD;
}

static void check_double(const char *text) {
    padded buffer;
    const char *begin = pad(&buffer, text, ' '), *p = begin;
    double value = -1, want = strtod_l(text, NULL, (locale_t)c_locale);
    mg_number_status status = mg_parse_number(&p, &value, c_locale);
    bool whole = !strpbrk(text, ".eE");
    if (isinf(want)) {
        assert_int_equal(status, MG_NUMBER_TOO_LARGE);
        return;
    }
    if (whole && fabs(want) >= 9007199254740992.0) {
        char exact[400];
        snprintf(exact, sizeof exact, "%.0f", fabs(want));
        const char *digits = text + strspn(text, "+-0");
        if (strcmp(exact, digits) != 0) {
            assert_int_equal(status, MG_NUMBER_INEXACT);
            return;
        }
    }
    if (status != MG_NUMBER_OK || memcmp(&value, &want, 8) != 0)
        fail_msg("'%s' is %.17g instead of %.17g (status %d)", text, value, want, (int)status);
    assert_ptr_equal(p, begin + strlen(text));
}

static void doubles(void **state) {
    (void)state;
    static const char *const texts[] = {
        "0",
        "-0",
        "1",
        "+1",
        "1.0",
        ".5",
        "5.",
        "-.25",
        "1e0",
        "1e22",
        "1e23",
        "1E-22",
        "123456789012345678",
        "0.1",
        "0.30000000000000004",
        "2.2250738585072014e-308",
        "2.2250738585072011e-308",
        "4.9e-324",
        "2.4e-324",
        "2.5e-324",
        "1e-400",
        "1.7976931348623157e308",
        "1.7976931348623159e308",
        "1e309",
        "9007199254740992",
        "9007199254740993",
        "9007199254740994",
        "9007199254740993.0",
        "18446744073709551615",
        "18446744073709551616",
        "1180591620717411303424",
        "1180591620717411303425",
        "00000000000000000000000000000000000001",
        "0.000000000000000000000000000000000000000000000000000001",
        "100000000000000000000000000000000000000000e-41",
        "8.5",
        "7205759403792793200001e-20",
        "0.009802252263062083",
        "1.00000000000000011102230246251565404236316680908203125",
        "1.00000000000000011102230246251565404236316680908203124",
        "1.00000000000000011102230246251565404236316680908203126",
        "12345678",
        "1234567",
        "99999999",
        "100000000.5",
        "1e00000000000000000000000000000000000000005",
        "1e-00000000000000000000000000000000000000005",
        "0e999999999999999999999",
        "179769313486231580793728971405301199e272",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) check_double(texts[i]);
    char text[200];
    uint64_t seed = 1;
    for (int i = 0; i < 200000; i++) {
        uint64_t a = next_random(&seed), b = next_random(&seed);
        int digits = (int)(b % 20), exponent = (int)(b >> 8) % 60 - 30;
        switch (i % 4) {
        case 0: snprintf(text, sizeof text, "%" PRIu64 "e%d", a >> (b % 64), exponent); break;
        case 1: snprintf(text, sizeof text, "%" PRIu64 ".%0*" PRIu64, a >> 44, digits + 1, b >> 20); break;
        case 2: {
            double value;
            memcpy(&value, &a, 8);
            if (!isfinite(value)) continue;
            snprintf(text, sizeof text, "%.*e", 15 + (int)(b % 4), value);
            break;
        }
        default: snprintf(text, sizeof text, "%s%" PRIu64, i % 3 ? "" : "-", a >> (b % 64));
        }
        check_double(text);
    }
}

/* Digits of a double's exact halfway point to the next: the hardest there are. */
static void halfway(void **state) {
    (void)state;
    uint64_t seed = 7;
    for (int i = 0; i < 20000; i++) {
        uint64_t significand = (UINT64_C(1) << 52) | (next_random(&seed) >> 12);
        int shift = (int)(next_random(&seed) % 10);
        char text[64];
        /* (2s+1)/2 · 2^shift is exact in decimal for small shifts. */
        unsigned __int128 twice = ((unsigned __int128)significand * 2 + 1) << shift;
        uint64_t high = (uint64_t)(twice / 2 / UINT64_C(1000000000000)),
                 low = (uint64_t)(twice / 2 % UINT64_C(1000000000000));
        snprintf(text, sizeof text, "%" PRIu64 "%012" PRIu64 ".%s", high, low, twice & 1 ? "5" : "0");
        check_double(text);
        snprintf(text, sizeof text, "%" PRIu64 "%012" PRIu64 ".%s1", high, low, twice & 1 ? "5" : "0");
        check_double(text);
    }
}

static void no_numbers(void **state) {
    (void)state;
    static const char *const none[] = {"", "x", "-", "+", ".", "e5", "-.e5", "1e", "1e+", "--1", "i", "n", "na"};
    static const char *const not_finite[] = {"inf", "-inf", "+INF", "Infinity", "nan", "-NaN", "nan(7)"};
    padded buffer;
    double value;
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        const char *p = pad(&buffer, none[i], '\n');
        assert_int_equal(mg_parse_number(&p, &value, c_locale), MG_NUMBER_NONE);
    }
    for (size_t i = 0; i < sizeof not_finite / sizeof *not_finite; i++) {
        const char *p = pad(&buffer, not_finite[i], '\n');
        assert_int_equal(mg_parse_number(&p, &value, c_locale), MG_NUMBER_NOT_FINITE);
    }
}

static void integers(void **state) {
    (void)state;
    padded buffer;
    uint64_t seed = 3, value;
    for (int i = 0; i < 100000; i++) {
        char text[32];
        uint64_t want = next_random(&seed) >> (next_random(&seed) % 64);
        snprintf(text, sizeof text, "%" PRIu64, want);
        const char *begin = pad(&buffer, text, "\n \t,;.ax/:\xff"[i % 11]), *p = begin;
        assert_true(mg_parse_u64(&p, &value));
        assert_int_equal(value, want);
        assert_ptr_equal(p, begin + strlen(text));
        if (strlen(text) <= 8) assert_int_equal(mg_digits_before(p, (unsigned)strlen(text)), want);
    }
    static const char *const bad[] = {"", "-1", "x", "18446744073709551616", "99999999999999999999", "/", ":"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const char *begin = pad(&buffer, bad[i], '\n'), *p = begin;
        assert_false(mg_parse_u64(&p, &value));
        assert_ptr_equal(p, begin);
    }
    const char *p = pad(&buffer, "000000000000000000000000018446744073709551615", '\n');
    assert_true(mg_parse_u64(&p, &value));
    assert_true(value == UINT64_MAX);
}

static void every_byte_ends_a_number(void **state) {
    (void)state;
    padded buffer;
    for (int c = 0; c < 256; c++) {
        uint64_t value;
        for (int length = 1; length <= 12; length++) {
            char text[16] = "123456789012";
            text[length] = '\0';
            const char *begin = pad(&buffer, text, (char)c), *p = begin;
            if (c >= '0' && c <= '9') continue;
            assert_true(mg_parse_u64(&p, &value));
            assert_ptr_equal(p, begin + length);
            assert_int_equal(value, strtoull(text, NULL, 10));
        }
    }
}

/* With a locale that writes decimal commas, where the system has one; else with one made up of none. */
static void decimal_comma(void **state) {
    (void)state;
    static const char *const locales[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE", "fr_FR"};
    char *old = strdup(setlocale(LC_ALL, NULL));
    const char *found = NULL;
    for (size_t i = 0; i < sizeof locales / sizeof *locales && !found; i++) found = setlocale(LC_ALL, locales[i]);
    if (!found) fprintf(stderr, "no locale with a decimal comma is installed: tested in the present one\n");
    else assert_string_equal(localeconv()->decimal_point, ",");
    check_double("0.009802252263062083123456789");
    check_double("1.5");
    expect("a", BYTES("1 2 0.009802252263062083123456789\n1 3 1.5\n"), NULL,
           found ? "directed f64 unsigned 2 of 2\n1: 2(0.0098022522630620834) 3(1,5)\n2:\n3:\n"
                 : "directed f64 unsigned 2 of 2\n1: 2(0.0098022522630620834) 3(1.5)\n2:\n3:\n");
    setlocale(LC_ALL, old);
    free(old);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(doubles),
        cmocka_unit_test(halfway),
        cmocka_unit_test(no_numbers),
        cmocka_unit_test(integers),
        cmocka_unit_test(every_byte_ends_a_number),
        cmocka_unit_test(decimal_comma),
    };
    c_locale = mg_locale_new();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    mg_locale_free(c_locale);
    return failed;
}
