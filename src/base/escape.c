/* Text from outside before it reaches a terminal (meguri/extra/escape.h), and before it becomes a string of JSON. */
#include "base/base.h"

#include <string.h>

/* RFC 3629: no surrogates, no overlong forms, nothing above U+10FFFF. */
size_t mg_utf8_length(const char *text, size_t left) {
    const unsigned char *s = (const unsigned char *)text;
    if (left == 0) return 0;
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

/* The code point of a character; those of four bytes, none of which is a control, are all 0xFFFFFF. */
static uint32_t code_of(const unsigned char *s, size_t length) {
    if (length == 1) return s[0];
    if (length == 2) return (uint32_t)(s[0] & 0x1F) << 6 | (s[1] & 0x3F);
    if (length == 3) return (uint32_t)(s[0] & 0x0F) << 12 | (uint32_t)(s[1] & 0x3F) << 6 | (s[2] & 0x3F);
    return 0xFFFFFF;
}

uint32_t mg_control(const char *text, size_t length) {
    static const struct {
        uint32_t first, last;
    } controls[] = {{0, 0x1F},        {0x7F, 0x9F},     {0x061C, 0x061C}, {0x200E, 0x200F},
                    {0x2028, 0x202E}, {0x2066, 0x2069}, {0xFEFF, 0xFEFF}, {0xFFFE, 0xFFFF}};
    uint32_t code = code_of((const unsigned char *)text, length);
    for (size_t i = 0; i < sizeof controls / sizeof *controls; i++)
        if (code >= controls[i].first && code <= controls[i].last) return code;
    return MG_NO_CONTROL;
}

static char letter_of(uint32_t code) { return code == '\t' ? 't' : code == '\n' ? 'n' : code == '\r' ? 'r' : '\0'; }

size_t mg_escape_character(char out[MG_ESCAPED], size_t *bytes, const char *text, size_t left) {
    size_t length = mg_utf8_length(text, left);
    *bytes = length ? length : 1;
    uint32_t code = length ? mg_control(text, length) : (unsigned char)*text;
    if (code == MG_NO_CONTROL) {
        memcpy(out, text, length);
        return length;
    }
    if (letter_of(code)) return (size_t)snprintf(out, MG_ESCAPED, "\\%c", letter_of(code));
    bool byte = length < 2;
    return (size_t)snprintf(out, MG_ESCAPED, byte ? "\\x%02X" : "\\u%04X", (unsigned)code);
}

static bool is_gap(char c) { return c == '\n' || c == '\t'; }

const char *mg_escape(char *out, size_t room, const char *text, size_t length, bool lines) {
    static const char dots[] = "…";
    size_t used = 0, kept = 0, bytes; /* `kept`: as much as leaves room for the dots */
    for (size_t at = 0; at < length; at += bytes) {
        char escaped[MG_ESCAPED] = {text[at]};
        size_t more = bytes = 1;
        if (!lines || !is_gap(text[at])) more = mg_escape_character(escaped, &bytes, text + at, length - at);
        if (used + more >= room) {
            if (room >= sizeof dots) memcpy(out + kept, dots, sizeof dots);
            else out[used] = '\0';
            return out;
        }
        memcpy(out + used, escaped, more);
        used += more;
        if (used + sizeof dots <= room) kept = used;
    }
    out[used] = '\0';
    return out;
}

const char *meguri_escape(char *out, size_t room, const char *text, size_t length) {
    return out && room ? mg_escape(out, room, text, text ? length : 0, false) : out;
}

const char *meguri_escape_string(char *out, size_t room, const char *text) {
    return meguri_escape(out, room, text, text ? strlen(text) : 0);
}

/* ---- a stream --------------------------------------------------------------------------------------------------- */

/* Whether the end of a text may be the begin of a character. */
static bool is_cut_off(const unsigned char *s, size_t left) {
    size_t wanted = s[0] >= 0xF0 && s[0] <= 0xF4  ? 4
                    : s[0] >= 0xE0 && s[0] < 0xF0 ? 3
                    : s[0] >= 0xC2 && s[0] < 0xE0 ? 2
                                                  : 1;
    for (size_t i = 1; i < left; i++)
        if ((s[i] & 0xC0) != 0x80) return false;
    return left < wanted;
}

/* `end`: nothing will follow. Returns how much of the text was used up. */
static size_t escape_piece(meguri_status *status, const meguri_escaper *e, const char *text, size_t length, bool end) {
    char out[1024];
    size_t at = 0, used = 0, bytes;
    *status = MEGURI_OK;
    while (at < length && *status == MEGURI_OK) {
        if (!end && is_cut_off((const unsigned char *)text + at, length - at)) break;
        if (is_gap(text[at])) {
            out[used++] = text[at];
            bytes = 1;
        } else used += mg_escape_character(out + used, &bytes, text + at, length - at);
        at += bytes;
        if (used + MG_ESCAPED < sizeof out && at < length) continue;
        *status = e->write(e->user, out, used);
        used = 0;
    }
    if (used && *status == MEGURI_OK) *status = e->write(e->user, out, used);
    return at;
}

meguri_status meguri_escape_lines(meguri_escaper *e, const void *data, size_t bytes) {
    const char *text = data;
    meguri_status status = MEGURI_OK;
    if (!e || e->size < sizeof *e || !e->write || (!data && bytes)) return MEGURI_BAD_ARGUMENT;
    while (e->held_bytes && bytes && status == MEGURI_OK) {
        e->held[e->held_bytes++] = (unsigned char)*text++;
        bytes--;
        size_t used = escape_piece(&status, e, (char *)e->held, e->held_bytes, false);
        e->held_bytes -= used;
        memmove(e->held, e->held + used, e->held_bytes);
    }
    if (status != MEGURI_OK || !bytes) return status;
    size_t used = escape_piece(&status, e, text, bytes, false);
    if (status != MEGURI_OK) return status;
    e->held_bytes = bytes - used;
    memcpy(e->held, text + used, e->held_bytes);
    return MEGURI_OK;
}

meguri_status meguri_escape_end(meguri_escaper *e) {
    meguri_status status;
    if (!e || e->size < sizeof *e || !e->write) return MEGURI_BAD_ARGUMENT;
    escape_piece(&status, e, (char *)e->held, e->held_bytes, true);
    e->held_bytes = 0;
    return status;
}

/* ---- JSON ------------------------------------------------------------------------------------------------------- */

const char *mg_json_escape(char room[MG_ESCAPED], size_t *bytes, const char *text, size_t left) {
    unsigned char first = (unsigned char)*text;
    *bytes = 1;
    if (first >= ' ' && first < 0x7F && first != '"' && first != '\\') return NULL; /* the most by far */
    size_t length = mg_utf8_length(text, left);
    if (length == 0) return "\xEF\xBF\xBD";
    *bytes = length;
    if (*text == '"') return "\\\"";
    if (*text == '\\') return "\\\\";
    if (*text == '\n') return "\\n";
    if (*text == '\t') return "\\t";
    uint32_t code = mg_control(text, length);
    if (code == MG_NO_CONTROL) return NULL;
    snprintf(room, MG_ESCAPED, "\\u%04x", (unsigned)code);
    return room;
}
