/* A small writer of JSON: each item goes out as it comes, nothing is kept. */
#include "io/io.h"

#include <math.h>
#include <meguri/extra/json.h>
#include <stdlib.h>
#include <string.h>

static void put(meguri_json *json, const char *bytes, size_t count) {
    if (json->status == MEGURI_OK && (json->size < sizeof *json || !json->write)) json->status = MEGURI_BAD_ARGUMENT;
    if (json->status == MEGURI_OK && count) json->status = json->write(json->user, bytes, count);
}

static void put_string(meguri_json *json, const char *text, size_t length) {
    const char *s = text, *end = s + length, *plain = s;
    char room[MG_ESCAPED];
    put(json, "\"", 1);
    while (s < end) {
        size_t bytes;
        const char *instead = mg_json_escape(room, &bytes, s, (size_t)(end - s));
        if (instead) {
            put(json, plain, (size_t)(s - plain));
            put(json, instead, strlen(instead));
        }
        s += bytes;
        if (instead) plain = s;
    }
    put(json, plain, (size_t)(s - plain));
    put(json, "\"", 1);
}

/* False: there is nothing to write to. */
static bool begin_item(meguri_json *json, const char *key) {
    if (!json) return false;
    if (json->comma) put(json, ", ", 2);
    if (key) {
        put_string(json, key, strlen(key));
        put(json, ": ", 2);
    }
    json->comma = 1;
    return true;
}

static void put_item(meguri_json *json, const char *key, const char *text) {
    if (begin_item(json, key)) put(json, text, strlen(text));
}

void meguri_json_open(meguri_json *json, const char *key, char bracket) {
    if (!begin_item(json, key)) return;
    put(json, &bracket, 1);
    json->comma = 0;
}

void meguri_json_close(meguri_json *json, char bracket) {
    if (!json) return;
    put(json, &bracket, 1);
    json->comma = 1;
}

void meguri_json_text(meguri_json *json, const char *key, const char *text, size_t length) {
    if (!text) put_item(json, key, "null");
    else if (begin_item(json, key)) put_string(json, text, length);
}

void meguri_json_string(meguri_json *json, const char *key, const char *text) {
    meguri_json_text(json, key, text, text ? strlen(text) : 0);
}

void meguri_json_number(meguri_json *json, const char *key, uint64_t number) {
    char text[MG_INTEGER_TEXT + 1];
    *mg_put_u64(text, number) = '\0';
    put_item(json, key, text);
}

void meguri_json_signed(meguri_json *json, const char *key, int64_t number) {
    char text[MG_INTEGER_TEXT + 1];
    *mg_put_i64(text, number) = '\0';
    put_item(json, key, text);
}

const char *mg_real_text(char buffer[MG_REAL_TEXT], double number) {
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(buffer, MG_REAL_TEXT, "%.*g", digits, number);
        if (strtod(buffer, NULL) == number) break;
    }
    if (!isfinite(number)) return buffer;
    char *to = buffer + strspn(buffer, "-0123456789"), *rest = to;
    while (*rest && !strchr("0123456789e", *rest)) rest++; /* the decimal point of the locale, of one byte or more */
    if (rest > to) *to++ = '.';
    memmove(to, rest, strlen(rest) + 1);
    return buffer;
}

void meguri_json_real(meguri_json *json, const char *key, double number) {
    char text[MG_REAL_TEXT];
    put_item(json, key, isfinite(number) ? mg_real_text(text, number) : "null");
}

void meguri_json_bool(meguri_json *json, const char *key, int value) { put_item(json, key, value ? "true" : "false"); }

void meguri_json_null(meguri_json *json, const char *key) { put_item(json, key, "null"); }
