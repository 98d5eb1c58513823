/* A small JSON writer: one object on one line, the same bytes in every locale.
 *
 * Strings leave as valid UTF-8 whatever they were: bytes that are not become U+FFFD. */
#include "cli.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of the UTF-8 character at the start of the text; 0 if it is not one (RFC 3629: no surrogates, no overlong
 * forms, nothing above U+10FFFF). */
static size_t utf8_length(const unsigned char *s, size_t left) {
    if (s[0] < 0x80) return 1;
    size_t length = s[0] >= 0xC2 && s[0] <= 0xDF   ? 2
                    : s[0] >= 0xE0 && s[0] <= 0xEF ? 3
                    : s[0] >= 0xF0 && s[0] <= 0xF4 ? 4
                                                   : 0;
    if (length == 0 || length > left) return 0;
    unsigned char least = s[0] == 0xE0 ? 0xA0 : s[0] == 0xF0 ? 0x90 : 0x80;
    unsigned char most = s[0] == 0xED ? 0x9F : s[0] == 0xF4 ? 0x8F : 0xBF;
    if (s[1] < least || s[1] > most) return 0;
    for (size_t i = 2; i < length; i++)
        if ((s[i] & 0xC0) != 0x80) return 0;
    return length;
}

static void put_string(FILE *file, const char *text, size_t length) {
    const unsigned char *s = (const unsigned char *)text, *end = s + length;
    fputc('"', file);
    while (s < end) {
        size_t bytes = utf8_length(s, (size_t)(end - s));
        if (bytes == 0) {
            fputs("\xEF\xBF\xBD", file);
            bytes = 1;
        } else if (*s == '"' || *s == '\\') {
            fputc('\\', file);
            fputc(*s, file);
        } else if (*s == '\n') fputs("\\n", file);
        else if (*s == '\t') fputs("\\t", file);
        else if (*s < 0x20 || *s == 0x7F) fprintf(file, "\\u%04x", *s);
        else fwrite(s, 1, bytes, file);
        s += bytes;
    }
    fputc('"', file);
}

static void begin_item(cli_json *json, const char *key) {
    if (json->comma) fputs(", ", json->file);
    if (key) {
        put_string(json->file, key, strlen(key));
        fputs(": ", json->file);
    }
    json->comma = true;
}

void cli_json_open(cli_json *json, const char *key, char bracket) {
    begin_item(json, key);
    fputc(bracket, json->file);
    json->comma = false;
}

void cli_json_close(cli_json *json, char bracket) {
    fputc(bracket, json->file);
    json->comma = true;
}

void cli_json_text(cli_json *json, const char *key, const char *text, size_t length) {
    begin_item(json, key);
    put_string(json->file, text, length);
}

void cli_json_string(cli_json *json, const char *key, const char *text) {
    cli_json_text(json, key, text, strlen(text));
}

void cli_json_number(cli_json *json, const char *key, uint64_t number) {
    begin_item(json, key);
    fprintf(json->file, "%" PRIu64, number);
}

void cli_json_signed(cli_json *json, const char *key, int64_t number) {
    begin_item(json, key);
    fprintf(json->file, "%" PRId64, number);
}

const char *cli_real_text(char buffer[CLI_NUMBER_TEXT], double number) {
    for (int digits = 15; digits <= 17; digits++) { /* the shortest that reads back the same */
        snprintf(buffer, CLI_NUMBER_TEXT, "%.*g", digits, number);
        if (strtod(buffer, NULL) == number) break;
    }
    return buffer;
}

void cli_json_real(cli_json *json, const char *key, double number) {
    char text[CLI_NUMBER_TEXT];
    begin_item(json, key);
    fputs(isfinite(number) ? cli_real_text(text, number) : "null", json->file);
}

void cli_json_bool(cli_json *json, const char *key, bool value) {
    begin_item(json, key);
    fputs(value ? "true" : "false", json->file);
}

void cli_json_null(cli_json *json, const char *key) {
    begin_item(json, key);
    fputs("null", json->file);
}
