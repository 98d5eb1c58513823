/* Escaping: text from files, servers and users before it reaches a terminal.
 *
 * Control characters (C0, DEL and C1), line and paragraph separators, controls of bidirectional text (U+061C, U+200E,
 * U+200F, U+202A to U+202E, U+2066 to U+2069), U+FEFF, U+FFFE, U+FFFF and bytes that are not UTF-8 are written as \n,
 * \r, \t, \xHH or \uHHHH; everything else stays. Backslashes are not escaped, so that escaping twice is the same as
 * escaping once. */
#ifndef MEGURI_ESCAPE_H
#define MEGURI_ESCAPE_H

#include <meguri/context.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Writes a text into `out`, which has `room` bytes and ends with a zero; a text that does not fit is cut after a whole
 * character and ends with "…". Returns `out`. NULL as a text is empty. */
const char *meguri_escape(char *out, size_t room, const char *text, size_t length);
const char *meguri_escape_string(char *out, size_t room, const char *text);

/* A stream of lines on its way to a terminal: tabs and line ends stay. */
typedef struct meguri_escaper {
    size_t size; /* sizeof(meguri_escaper) */
    meguri_write_fn write;
    void *user;
    unsigned char held[4]; /* the begin of a character whose rest has not come yet */
    size_t held_bytes;
} meguri_escaper;
meguri_status meguri_escape_lines(meguri_escaper *escaper, const void *data, size_t bytes);
/* Writes what was held back. */
meguri_status meguri_escape_end(meguri_escaper *escaper);

#ifdef __cplusplus
}
#endif
#endif
