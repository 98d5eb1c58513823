/* A small writer of JSON: valid UTF-8 whatever the strings were (bytes that are none become U+FFFD), the same bytes in
 * every locale, no memory of its own. */
#ifndef MEGURI_JSON_H
#define MEGURI_JSON_H

#include <meguri/context.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where it goes, and how far it is:
 *
 *     meguri_json json = {.size = sizeof json, .write = send, .user = client};
 *     meguri_json_open(&json, NULL, '{');
 *     meguri_json_string(&json, "name", "roads");
 *     meguri_json_close(&json, '}');
 *     if (json.status != MEGURI_OK) …
 *
 * After a call of `write` that failed nothing is written any more. */
typedef struct meguri_json {
    size_t size;           /* sizeof(meguri_json) */
    meguri_write_fn write; /* called for every piece: collect them, as stdio does */
    void *user;
    int comma;            /* the next item needs one before it; 0 begins anew */
    meguri_status status; /* of the first write that failed */
} meguri_json;

/* `key` is NULL inside an array, and for the outermost value. Brackets are { and }, or [ and ]. */
void meguri_json_open(meguri_json *json, const char *key, char bracket);
void meguri_json_close(meguri_json *json, char bracket);
/* NULL as a text is null. */
void meguri_json_text(meguri_json *json, const char *key, const char *text, size_t length);
void meguri_json_string(meguri_json *json, const char *key, const char *text);
void meguri_json_number(meguri_json *json, const char *key, uint64_t number);
void meguri_json_signed(meguri_json *json, const char *key, int64_t number);
void meguri_json_real(meguri_json *json, const char *key, double number); /* null where it is not finite */
void meguri_json_bool(meguri_json *json, const char *key, int value);
void meguri_json_null(meguri_json *json, const char *key);

#ifdef __cplusplus
}
#endif
#endif
