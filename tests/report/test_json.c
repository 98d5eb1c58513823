/* The writer of JSON: byte for byte, whatever the strings and numbers are, in every locale. */
#define _GNU_SOURCE
#include "support/decimal_comma.h"

#include <math.h>
#include <meguri/extra/json.h>
#include <string.h>

typedef struct page {
    char text[4096];
    size_t used;
    int calls_left; /* then it fails */
} page;

static meguri_status take(void *user, const void *data, size_t bytes) {
    page *p = user;
    if (p->calls_left-- == 0) return MEGURI_NO_DISK;
    assert_true(p->used + bytes < sizeof p->text);
    memcpy(p->text + p->used, data, bytes);
    p->used += bytes;
    return MEGURI_OK;
}

static meguri_json json_to(page *p) {
    *p = (page){.calls_left = 1000};
    return (meguri_json){.size = sizeof(meguri_json), .write = take, .user = p};
}

static void everything(void **state) {
    (void)state;
    page p;
    meguri_json json = json_to(&p);
    meguri_json_open(&json, NULL, '{');
    meguri_json_string(&json, "text", "a \"b\" \\ \n\t\x01\x7F");
    meguri_json_text(&json, "cut", "abcdef", 3);
    meguri_json_string(&json, "none", NULL);
    meguri_json_open(&json, "list", '[');
    meguri_json_number(&json, NULL, UINT64_MAX);
    meguri_json_signed(&json, NULL, INT64_MIN);
    meguri_json_bool(&json, NULL, 1);
    meguri_json_bool(&json, NULL, 0);
    meguri_json_null(&json, NULL);
    meguri_json_open(&json, NULL, '{');
    meguri_json_close(&json, '}');
    meguri_json_close(&json, ']');
    meguri_json_number(&json, "key \"", 7);
    meguri_json_close(&json, '}');
    assert_int_equal(json.status, MEGURI_OK);
    assert_string_equal(p.text,
                        "{\"text\": \"a \\\"b\\\" \\\\ \\n\\t\\u0001\\u007f\", \"cut\": \"abc\", \"none\": null, "
                        "\"list\": [18446744073709551615, -9223372036854775808, true, false, null, {}], "
                        "\"key \\\"\": 7}");
}

/* Overlong forms, surrogates, bytes above U+10FFFF, cut characters: each wrong byte is U+FFFD. */
static void not_utf8(void **state) {
    (void)state;
    static const struct {
        const char *in, *out;
    } rows[] = {
        {"\xC3\xA4\xE2\x86\x92\xF0\x9F\x98\x80", "\"\xC3\xA4\xE2\x86\x92\xF0\x9F\x98\x80\""},
        {"\xFF", "\"\xEF\xBF\xBD\""},
        {"a\xC3", "\"a\xEF\xBF\xBD\""},
        {"\xC0\x80", "\"\xEF\xBF\xBD\xEF\xBF\xBD\""},
        {"\xED\xA0\x80", "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\""},
        {"\xF4\x90\x80\x80", "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\""},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        page p;
        meguri_json json = json_to(&p);
        meguri_json_string(&json, NULL, rows[i].in);
        assert_string_equal(p.text, rows[i].out);
    }
}

static void put_reals(page *p) {
    static const double numbers[] = {0, 1.5, -0.1, 1e300, 5e-324, 1e15, 123456789012345680.0, 1.0 / 3, NAN, INFINITY};
    meguri_json json = json_to(p);
    meguri_json_open(&json, NULL, '[');
    for (size_t i = 0; i < COUNT_OF(numbers); i++) meguri_json_real(&json, NULL, numbers[i]);
    meguri_json_close(&json, ']');
}

static void reals_in_any_locale(void **state) {
    (void)state;
    page plain, comma;
    char folder[FOLDER_TEXT];
    put_reals(&plain);
    assert_string_equal(plain.text, "[0, 1.5, -0.1, 1e+300, 4.94065645841247e-324, 1e+15, 1.2345678901234568e+17, "
                                    "0.3333333333333333, null, null]");
    folder_new(folder);
    bool there = decimal_comma_use(folder);
    folder_remove(folder);
    if (!there) skip_because("there is no locale with a decimal comma");
    put_reals(&comma);
    setlocale(LC_ALL, "C");
    assert_string_equal(comma.text, plain.text);
}

/* After the first failure nothing is asked for any more, and the status stays. */
static void failing_write(void **state) {
    (void)state;
    for (int k = 0; k < 8; k++) {
        page p;
        meguri_json json = json_to(&p);
        p.calls_left = k;
        meguri_json_open(&json, NULL, '{');
        meguri_json_string(&json, "a", "b");
        meguri_json_close(&json, '}');
        assert_int_equal(json.status, MEGURI_NO_DISK);
        assert_int_equal(p.calls_left, -1);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything),
        cmocka_unit_test(not_utf8),
        cmocka_unit_test(reals_in_any_locale),
        cmocka_unit_test(failing_write),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
