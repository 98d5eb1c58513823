/* PackStream, framing and URIs, against byte vectors recorded between Neo4j 5.26 and its own drivers, and against
 * hostile bytes. */
#define _GNU_SOURCE
#include "support/unit.h"

#include "bolt/bolt.h"

/* ---- values ----------------------------------------------------------------------------------------------------- */

static void expect_bytes(mg_bytes *got, const char *hex) {
    char text[2048] = "";
    assert_false(got->failed);
    assert_true(2 * got->length < sizeof text);
    for (size_t i = 0; i < got->length; i++) snprintf(text + 2 * i, 3, "%02X", got->data[i]);
    assert_string_equal(text, hex);
    mg_bytes_free(got);
}

static mg_cursor whole(const mg_bytes *bytes) { return (mg_cursor){bytes->data, bytes->data + bytes->length}; }

static const struct {
    int64_t number;
    const char *hex;
} integers[] = {
    {0, "00"},
    {-16, "F0"},
    {127, "7F"},
    {-17, "C8EF"},
    {-128, "C880"},
    {128, "C90080"},
    {-129, "C9FF7F"},
    {-32768, "C98000"},
    {32768, "CA00008000"},
    {-2147483648LL, "CA80000000"},
    {2147483648LL, "CB0000000080000000"},
    {INT64_MIN, "CB8000000000000000"},
    {INT64_MAX, "CB7FFFFFFFFFFFFFFF"},
};

static void integers_have_five_widths(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(integers); i++) {
        mg_bytes out = {0};
        mg_value value;
        mg_pack_integer(&out, integers[i].number);
        mg_cursor cursor = whole(&out);
        assert_true(mg_unpack(&value, &cursor) && value.kind == MG_INTEGER && cursor.at == cursor.end);
        assert_true(value.integer == integers[i].number);
        expect_bytes(&out, integers[i].hex);
    }
}

static void texts_and_containers_have_sizes(void **state) {
    (void)state;
    static const struct {
        uint32_t count;
        const char *text, *list, *map;
    } rows[] = {{3, "83", "93", "A3"},
                {15, "8F", "9F", "AF"},
                {16, "D010", "D410", "D810"},
                {255, "D0FF", "D4FF", "D8FF"},
                {256, "D10100", "D50100", "D90100"},
                {65536, "D200010000", "D600010000", "DA00010000"}};
    static char long_text[65536];
    memset(long_text, 'x', sizeof long_text);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        mg_bytes out = {0};
        mg_value value;
        mg_pack_text(&out, long_text, rows[i].count);
        mg_cursor cursor = whole(&out);
        assert_true(mg_unpack(&value, &cursor) && value.kind == MG_TEXT && value.length == rows[i].count);
        assert_memory_equal(value.text, long_text, rows[i].count);
        out.length -= rows[i].count;
        expect_bytes(&out, rows[i].text);
        mg_pack_list(&out, rows[i].count);
        expect_bytes(&out, rows[i].list);
        mg_pack_map(&out, rows[i].count);
        expect_bytes(&out, rows[i].map);
    }
}

static void the_rest(void **state) {
    (void)state;
    mg_bytes out = {0};
    mg_value value;
    mg_pack_real(&out, 6.283185307179586);
    mg_pack_null(&out);
    mg_pack_bool(&out, true);
    mg_pack_struct(&out, 0x71, 1);
    mg_pack_list(&out, 0);
    mg_cursor cursor = whole(&out);
    assert_true(mg_unpack(&value, &cursor) && value.kind == MG_REAL && value.real == 6.283185307179586);
    assert_true(mg_unpack(&value, &cursor) && value.kind == MG_NULL);
    assert_true(mg_unpack(&value, &cursor) && value.kind == MG_BOOL && value.integer == 1);
    assert_true(mg_unpack(&value, &cursor) && value.kind == MG_STRUCT && value.tag == 0x71 && value.count == 1);
    assert_true(mg_unpack_skip(&cursor) && cursor.at == cursor.end);
    assert_false(mg_unpack(&value, &cursor));
    expect_bytes(&out, "C1401921FB54442D18C0C3B17190");
}

/* A record of Neo4j, as it came: [[0, 300], [1, 2], [2.5, 7]], and the SUCCESS behind it. */
static const uint8_t record[] = {0xB1, 0x71, 0x93, 0x92, 0x00, 0xC9, 0x01, 0x2C, 0x92, 0x01, 0x02,
                                 0x92, 0xC1, 0x40, 0x04, 0,    0,    0,    0,    0,    0,    0x07};
static const uint8_t success[] = "\xB1\x70\xA3\x84type\x81r\x88t_last\x00\x00\x01\x88has_more\xC3";

static void a_record_is_read(void **state) {
    (void)state;
    mg_cursor cursor = {record, record + sizeof record};
    mg_value value;
    int64_t numbers[2];
    uint64_t count;
    assert_true(mg_unpack(&value, &cursor) && value.tag == 0x71);
    assert_true(mg_unpack_list(&count, &cursor) && count == 3);
    assert_true(mg_unpack_integers(numbers, 2, &count, &cursor) && count == 2 && numbers[1] == 300);
    mg_cursor again = cursor;
    assert_false(mg_unpack_integers(numbers, 1, &count, &again)); /* no room */
    assert_true(mg_unpack_skip(&cursor));
    assert_false(mg_unpack_integers(numbers, 2, &count, &cursor)); /* a real one is among them */
}

static void keys_are_found(void **state) {
    (void)state;
    mg_bytes out = {0};
    mg_value value;
    bool found;
    mg_pack_map(&out, 3);
    mg_pack_string(&out, "deep");
    mg_pack_list(&out, 2);
    mg_pack_map(&out, 1);
    mg_pack_string(&out, "has_more");
    mg_pack_bool(&out, false);
    mg_pack_null(&out);
    mg_pack_string(&out, "has_more");
    mg_pack_bool(&out, true);
    mg_pack_string(&out, "t");
    mg_pack_integer(&out, 3);
    mg_cursor cursor = whole(&out);
    assert_true(mg_unpack_find(&found, &cursor, "has_more") && found);
    assert_true(mg_unpack(&value, &cursor) && value.kind == MG_BOOL && value.integer);
    cursor = whole(&out);
    assert_true(mg_unpack_find(&found, &cursor, "has") && !found && cursor.at == cursor.end);
    mg_bytes_free(&out);
}

/* Every prefix, and every byte changed in every way that matters: no report of a sanitizer, and no claim of more items
 * than there are bytes. */
static void hostile_bytes(void **state) {
    (void)state;
    uint8_t bytes[sizeof success];
    for (size_t length = 0; length < sizeof success - 1; length++) {
        memcpy(bytes, success, length);
        uint8_t *alone = malloc(length ? length : 1);
        assert_non_null(alone);
        for (size_t i = 0; i <= length; i++)
            for (int marker = 0x80; marker < 0x100; marker++) {
                memcpy(alone, bytes, length);
                if (i < length) alone[i] = (uint8_t)marker;
                mg_cursor cursor = {alone, alone + length}, other = cursor;
                bool found;
                (void)mg_unpack_skip(&cursor);
                (void)mg_unpack_find(&found, &other, "has_more");
                assert_true(cursor.at <= cursor.end && other.at <= other.end);
                if (i == length) break;
            }
        free(alone);
    }
    static const uint8_t greedy[] = {0xD6, 0xFF, 0xFF, 0xFF, 0xFF, 0x00};
    mg_cursor cursor = {greedy, greedy + sizeof greedy};
    assert_false(mg_unpack_skip(&cursor));
}

/* ---- framing ---------------------------------------------------------------------------------------------------- */

/* Feeds bytes in pieces of that size, and collects the messages, each followed by a bar. */
static mg_frame_state feed(mg_bytes *out, size_t most, const uint8_t *data, size_t length, size_t piece) {
    mg_frames frames;
    mg_cursor message;
    mg_frame_state state;
    assert_true(mg_frames_new(&frames, most, NULL));
    for (size_t at = 0;;) {
        while ((state = mg_frames_next(&message, &frames)) == MG_FRAME_READY) {
            mg_bytes_add(out, message.at, (size_t)(message.end - message.at));
            mg_bytes_add(out, "|", 1);
        }
        if (state == MG_FRAME_TOO_LARGE || at == length) break;
        uint8_t *to;
        size_t room, part = length - at < piece ? length - at : piece;
        assert_true(mg_frames_room(&to, &room, &frames) && room);
        if (part > room) part = room;
        memcpy(to, data + at, part);
        mg_frames_arrived(&frames, part);
        at += part;
    }
    mg_frames_free(&frames);
    return state;
}

static void chunks_become_messages(void **state) {
    (void)state;
    /* signs of life before, between and behind; a message of three chunks */
    static const uint8_t bytes[] = "\0\0\0\1a\0\0\0\0\0\0\0\2bc\0\1d\0\3efg\0\0\0\0\0\1h\0\0\0\0";
    for (size_t piece = 1; piece < sizeof bytes; piece++) {
        mg_bytes out = {0};
        assert_int_equal(feed(&out, 100, bytes, sizeof bytes - 1, piece), MG_FRAME_MORE);
        assert_int_equal(out.length, 11);
        assert_memory_equal(out.data, "a|bcdefg|h|", 11);
        mg_bytes_free(&out);
    }
}

static void long_messages_come_back(void **state) {
    (void)state;
    static const size_t lengths[] = {0xFFFF, 0x10000, 3 * 0xFFFF, 5000000};
    for (size_t i = 0; i < COUNT_OF(lengths); i++) {
        mg_bytes message = {0}, sent = {0}, got = {0};
        for (size_t k = 0; k < lengths[i]; k++) mg_bytes_add(&message, &(uint8_t){(uint8_t)(k * 7 + (k >> 11))}, 1);
        for (int k = 0; k < 3; k++) mg_frames_put(&sent, &message);
        assert_int_equal(feed(&got, lengths[i], sent.data, sent.length, 100003), MG_FRAME_MORE);
        assert_int_equal(got.length, 3 * (lengths[i] + 1));
        for (int k = 0; k < 3; k++)
            assert_memory_equal(got.data + (size_t)k * (lengths[i] + 1), message.data, lengths[i]);
        got.length = 0;
        assert_int_equal(feed(&got, lengths[i] - 1, sent.data, sent.length, 100003), MG_FRAME_TOO_LARGE);
        mg_bytes_free(&message);
        mg_bytes_free(&sent);
        mg_bytes_free(&got);
    }
}

/* ---- URIs ------------------------------------------------------------------------------------------------------- */

static void uris(void **state) {
    (void)state;
    static const struct {
        const char *text;
        mg_tls tls;
        const char *host, *port, *database;
    } good[] = {
        {"bolt://localhost", MG_TLS_NONE, "localhost", "7687", ""},
        {"neo4j://h:1/d", MG_TLS_NONE, "h", "1", "d"},
        {"neo4j+s://a.b.c:65535/part-0", MG_TLS_VERIFIED, "a.b.c", "65535", "part-0"},
        {"bolt+ssc://[::1]:77/", MG_TLS_ANY, "::1", "77", ""},
        {"bolt://[fe80::1]", MG_TLS_NONE, "fe80::1", "7687", ""},
    };
    static const char *const bad[] = {"http://h",       "bolt:/h",        "bolt://",     "bolt://:7687",
                                      "bolt://h:0",     "bolt://h:",      "bolt://h:7x", "bolt://h/a/b",
                                      "bolt://h:65536", "bolt://h/d?x=1", "neo4j:h:1",   "bolt://u:secret@h"};
    mg_bolt_uri uri;
    char error[MG_BOLT_ERROR];
    for (size_t i = 0; i < COUNT_OF(good); i++) {
        assert_int_equal(mg_bolt_parse_uri(&uri, good[i].text, error), MEGURI_OK);
        assert_int_equal(uri.tls, good[i].tls);
        assert_string_equal(uri.host, good[i].host);
        assert_string_equal(uri.port, good[i].port);
        assert_string_equal(uri.database, good[i].database);
    }
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        assert_int_equal(mg_bolt_parse_uri(&uri, bad[i], error), MEGURI_BAD_ARGUMENT);
        assert_null(strstr(error, "secret"));
        assert_int_equal(error[strlen(error) - 1], '.');
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_have_five_widths),
        cmocka_unit_test(texts_and_containers_have_sizes),
        cmocka_unit_test(the_rest),
        cmocka_unit_test(a_record_is_read),
        cmocka_unit_test(keys_are_found),
        cmocka_unit_test(hostile_bytes),
        cmocka_unit_test(chunks_become_messages),
        cmocka_unit_test(long_messages_come_back),
        cmocka_unit_test(uris),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
