/* Passwords of a configuration: see passwords.h.
 *
 * A parser of JSON copies what it reads, keeps pieces of it in freed memory, and quotes it where it finds an error. So
 * it gets a text without passwords. Only strings and nesting are looked at here; whether it is JSON the parser says. */
#include "source/passwords.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct scan {
    const char *at, *end;
    mg_passwords *passwords;
    mg_bytes *out;
    int depth;         /* of brackets */
    bool in_databases; /* the last member of the object itself was this */
    bool failed;       /* no memory */
} scan;

/* A string, from its first quote on: the place of the last one, or the end of the text. */
static const char *end_of_string(const char *at, const char *end) {
    for (at++; at < end && *at != '"'; at++)
        if (*at == '\\' && at + 1 < end) at++;
    return at;
}

static const char *behind_blanks(const char *at, const char *end) {
    while (at < end && strchr(" \t\r\n", *at) && *at) at++;
    return at;
}

/* Four hexadecimal digits; -1: others. */
static long digits_of(const char *at, const char *end) {
    long code = 0;
    for (int i = 0; i < 4; i++, at++) {
        const char *digit = at < end && *at ? strchr("0123456789abcdefABCDEF", *at) : NULL;
        if (!digit) return -1;
        long value = digit - "0123456789abcdefABCDEF";
        code = 16 * code + (value < 16 ? value : value - 6);
    }
    return code;
}

static char *put_code(char *to, unsigned long code) {
    if (code < 0x80) *to++ = (char)code;
    else if (code < 0x800) *to++ = (char)(0xC0 | code >> 6), *to++ = (char)(0x80 | (code & 0x3F));
    else {
        if (code < 0x10000) *to++ = (char)(0xE0 | code >> 12);
        else *to++ = (char)(0xF0 | code >> 18), *to++ = (char)(0x80 | (code >> 12 & 0x3F));
        *to++ = (char)(0x80 | (code >> 6 & 0x3F));
        *to++ = (char)(0x80 | (code & 0x3F));
    }
    return to;
}

/* One escape, behind its backslash; NULL: none of JSON, or a zero or half a pair. */
static char *unescape(char *to, const char **at, const char *end) {
    static const char letters[] = "\"\"\\\\//b\bf\fn\nr\rt\t";
    if (*at == end) return NULL;
    for (size_t i = 0; i < sizeof letters - 1; i += 2)
        if (letters[i] == **at) {
            ++*at;
            *to++ = letters[i + 1];
            return to;
        }
    if (**at != 'u') return NULL;
    long code = digits_of(*at + 1, end), low;
    *at += 5;
    if (code <= 0 || (code >= 0xDC00 && code < 0xE000)) return NULL;
    if (code < 0xD800 || code >= 0xE000) return put_code(to, (unsigned long)code);
    low = end - *at >= 6 && (*at)[0] == '\\' && (*at)[1] == 'u' ? digits_of(*at + 2, end) : -1;
    if (low < 0xDC00 || low >= 0xE000) return NULL;
    *at += 6;
    return put_code(to, 0x10000 + ((unsigned long)(code - 0xD800) << 10) + (unsigned long)(low - 0xDC00));
}

/* What is between two quotes; its length, or SIZE_MAX where it is no string of JSON. */
static size_t decode(char *to, const char *at, const char *end) {
    char *start = to;
    while (at < end) {
        if ((unsigned char)*at < ' ') return SIZE_MAX;
        if (*at != '\\') *to++ = *at++;
        else {
            at++;
            to = unescape(to, &at, end);
            if (!to) return SIZE_MAX;
        }
    }
    *to = '\0';
    return (size_t)(to - start);
}

static bool is_word(const char *at, const char *end, const char *word) {
    char plain[64];
    if ((size_t)(end - at) >= sizeof plain) return false;
    size_t length = decode(plain, at, end);
    return length == strlen(word) && memcmp(plain, word, length) == 0;
}

/* The string at the scan's place, which is a password; its number goes out. */
static void keep(scan *s) {
    mg_passwords *p = s->passwords;
    const char *end = end_of_string(s->at, s->end);
    bool full = (p->count & (p->count - 1)) == 0; /* 0, 1, 2, 4, 8 … */
    char **grown = full ? realloc(p->words, (2 * p->count + 1) * sizeof *grown) : p->words;
    if (grown) p->words = grown;
    char *word = grown ? mg_secrets_new(p->secrets, (size_t)(end - s->at)) : NULL;
    char number[32];
    s->failed = !word;
    if (!word) return;
    p->words[p->count] = word;
    bool good = end < s->end && decode(word, s->at + 1, end) != SIZE_MAX;
    /* The parser finds what is wrong with `?`. */
    int length = good ? snprintf(number, sizeof number, "\"%zu\"", p->count++) : snprintf(number, sizeof number, "?");
    mg_bytes_add(s->out, number, (size_t)length);
    s->at = end < s->end ? end + 1 : end;
}

/* A string, and where it is the name of a member that is a password, that one, too. */
static void take_string(scan *s) {
    const char *first = s->at + 1, *last = end_of_string(s->at, s->end), *behind = last < s->end ? last + 1 : last;
    const char *colon = behind_blanks(behind, s->end);
    bool member = colon < s->end && *colon == ':', ours = s->depth == 1 || (s->depth == 3 && s->in_databases);
    if (member && s->depth == 1) s->in_databases = is_word(first, last, "databases");
    const char *value = member ? behind_blanks(colon + 1, s->end) : behind;
    bool password = member && ours && is_word(first, last, "password") && value < s->end;
    mg_bytes_add(s->out, s->at, (size_t)((password ? value : behind) - s->at));
    s->at = password ? value : behind;
    if (password && *value == '"') keep(s);
    else if (password && !strchr("[{", *value)) { /* a password without quotes, maybe */
        mg_bytes_add(s->out, "null", 4);
        while (s->at < s->end && !strchr(",}\n", *s->at)) s->at++;
    }
}

bool mg_passwords_take(mg_passwords *passwords, mg_bytes *out, const char *text, size_t length) {
    scan s = {.at = text, .end = text + length, .passwords = passwords, .out = out};
    while (s.at < s.end && !s.failed) {
        if (*s.at == '"') {
            take_string(&s);
            continue;
        }
        if (*s.at == '{' || *s.at == '[') s.depth++;
        if (*s.at == '}' || *s.at == ']') s.depth--;
        mg_bytes_add(out, s.at++, 1);
    }
    return !s.failed && !out->failed;
}

const char *mg_passwords_find(const mg_passwords *passwords, const char *number) {
    char *end;
    unsigned long at = strtoul(number, &end, 10);
    return *number && !*end && at < passwords->count ? passwords->words[at] : NULL;
}

void mg_passwords_free(mg_passwords *passwords) {
    free(passwords->words);
    *passwords = (mg_passwords){0};
}
