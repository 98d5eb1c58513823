/* Escaping: nothing that steers a terminal comes out, whatever goes in; what is plain stays; twice is once; a stream
 * that is cut anywhere has the same bytes. */
#define _GNU_SOURCE
#include "support/unit.h"

#include <meguri/extra/escape.h>

/* Independent of the code: what no terminal must get, by bytes. */
static bool is_harmless(const char *text, bool lines) {
    const unsigned char *s = (const unsigned char *)text;
    size_t left = strlen(text);
    for (size_t bytes; left; s += bytes, left -= bytes) {
        bytes = mg_utf8_length((const char *)s, left);
        if (!bytes || (*s < ' ' && !(lines && (*s == '\n' || *s == '\t'))) || *s == 0x7F) return false;
        if (*s == 0xC2 && s[1] < 0xA0) return false;                                    /* C1 */
        if (*s == 0xD8 && s[1] == 0x9C) return false;                                   /* U+061C */
        if (*s == 0xE2 && s[1] == 0x80 && (s[2] == 0x8E || s[2] == 0x8F)) return false; /* U+200E, U+200F */
        if (*s == 0xE2 && s[1] == 0x80 && s[2] >= 0xAA && s[2] <= 0xAE) return false;   /* U+202A to U+202E */
        if (*s == 0xE2 && s[1] == 0x81 && s[2] >= 0xA6 && s[2] <= 0xA9) return false;   /* U+2066 to U+2069 */
    }
    return true;
}

static void known_texts(void **state) {
    (void)state;
    static const struct {
        const char *text;
        size_t length;
        const char *escaped;
    } rows[] = {
        {"", 0, ""},
        {"plain \\ é \xF0\x9F\x98\x80", 15, "plain \\ é \xF0\x9F\x98\x80"},
        {"a\tb\nc\rd", 7, "a\\tb\\nc\\rd"},
        {"\x1B[31m\x7F\0", 7, "\\x1B[31m\\x7F\\x00"},
        {"\xC2\x85\xC2\x9B", 4, "\\u0085\\u009B"},
        {"\xC2\xA0", 2, "\xC2\xA0"}, /* the first behind C1 */
        {"\xE2\x80\xAE\xE2\x81\xA6\xE2\x80\x8F\xD8\x9C", 11, "\\u202E\\u2066\\u200F\\u061C"},
        {"\xE2\x80\xAF\xE2\x81\xAA\xE2\x80\x90", 9, "\xE2\x80\xAF\xE2\x81\xAA\xE2\x80\x90"}, /* their neighbours */
        {"\xFF\xC0\x80\xED\xA0\x80\xE2\x82", 8, "\\xFF\\xC0\\x80\\xED\\xA0\\x80\\xE2\\x82"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char out[100];
        assert_string_equal(meguri_escape(out, sizeof out, rows[i].text, rows[i].length), rows[i].escaped);
    }
    char out[8];
    assert_string_equal(meguri_escape_string(out, sizeof out, NULL), "");
    assert_null(meguri_escape(NULL, 0, "a", 1));
}

static void texts_are_cut_after_a_whole_character(void **state) {
    (void)state;
    char out[32];
    assert_string_equal(meguri_escape(out, 6, "abcde", 5), "abcde");
    assert_string_equal(meguri_escape(out, 6, "abcdef", 6), "ab…");
    assert_string_equal(meguri_escape(out, 7, "ab\x1B\x1B", 4), "ab…");
    assert_string_equal(meguri_escape(out, 6, "aéééé", 9), "a…");  /* an é would leave no room for the dots */
    assert_string_equal(meguri_escape(out, 3, "abcdef", 6), "ab"); /* there is no room for the dots */
    assert_string_equal(meguri_escape(out, 1, "abcdef", 6), "");
}

typedef struct collected {
    char text[4096];
    size_t length;
} collected;

static meguri_status collect(void *user, const void *data, size_t bytes) {
    collected *c = user;
    assert_true(c->length + bytes < sizeof c->text);
    memcpy(c->text + c->length, data, bytes);
    c->length += bytes;
    c->text[c->length] = '\0';
    return MEGURI_OK;
}

static void whatever_goes_in(void **state) {
    (void)state;
    uint32_t draw = 1;
    static const char *const pieces[] = {"a",
                                         "\\",
                                         "\n",
                                         "\t",
                                         "\x1B",
                                         "\xC2",
                                         "\x85",
                                         "\xE2",
                                         "\x80",
                                         "\xAE",
                                         "\xF0",
                                         "\x9F",
                                         "\x98",
                                         "\xC2\x9B",
                                         "\xE2\x81\xA9",
                                         "é",
                                         "\xF0\x9F\x98\x80",
                                         "\xD8\x9C"};
    for (int round = 0; round < 3000; round++) {
        char text[200] = "", once[2048], twice[2048];
        size_t length = 0, count = round % 17;
        for (size_t i = 0; i < count; i++) {
            draw = draw * 1664525 + 1013904223;
            const char *piece = pieces[(draw >> 8) % (sizeof pieces / sizeof *pieces)];
            memcpy(text + length, piece, strlen(piece));
            length += strlen(piece);
        }
        meguri_escape(once, sizeof once, text, length);
        assert_true(is_harmless(once, false));
        assert_string_equal(meguri_escape_string(twice, sizeof twice, once), once);
        collected whole = {.length = 0}, cut = {.length = 0};
        meguri_escaper all = {.size = sizeof all, .write = collect, .user = &whole};
        assert_int_equal(meguri_escape_lines(&all, text, length), MEGURI_OK);
        assert_int_equal(meguri_escape_end(&all), MEGURI_OK);
        assert_true(is_harmless(whole.text, true));
        meguri_escaper each = {.size = sizeof each, .write = collect, .user = &cut};
        for (size_t at = 0, step; at < length; at += step) {
            step = 1 + at % 3 < length - at ? 1 + at % 3 : length - at;
            assert_int_equal(meguri_escape_lines(&each, text + at, step), MEGURI_OK);
        }
        assert_int_equal(meguri_escape_end(&each), MEGURI_OK);
        assert_string_equal(cut.text, whole.text);
        assert_string_equal(mg_escape(once, sizeof once, text, length, true), whole.text);
    }
}

static meguri_status refuse(void *user, const void *data, size_t bytes) {
    (void)user, (void)data, (void)bytes;
    return MEGURI_NO_DISK;
}

static void a_write_that_fails(void **state) {
    (void)state;
    meguri_escaper e = {.size = sizeof e, .write = refuse};
    assert_int_equal(meguri_escape_lines(&e, "a", 1), MEGURI_NO_DISK);
    assert_int_equal(meguri_escape_lines(&e, "\xE2", 1), MEGURI_OK); /* it is held back */
    assert_int_equal(meguri_escape_end(&e), MEGURI_NO_DISK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_texts),
        cmocka_unit_test(texts_are_cut_after_a_whole_character),
        cmocka_unit_test(whatever_goes_in),
        cmocka_unit_test(a_write_that_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
