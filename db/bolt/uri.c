/* URIs of graph databases: SCHEME://HOST[:PORT][/DATABASE]. */
#include "bolt/bolt.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *text;
    mg_tls tls;
} schemes[] = {
    {"bolt://", MG_TLS_NONE},        {"neo4j://", MG_TLS_NONE},   {"bolt+s://", MG_TLS_VERIFIED},
    {"neo4j+s://", MG_TLS_VERIFIED}, {"bolt+ssc://", MG_TLS_ANY}, {"neo4j+ssc://", MG_TLS_ANY},
};
enum { SCHEMES = sizeof schemes / sizeof *schemes };

static const char *behind_scheme(const char *text, mg_tls *tls) {
    for (size_t i = 0; i < SCHEMES; i++) {
        size_t length = strlen(schemes[i].text);
        if (strncmp(text, schemes[i].text, length) != 0) continue;
        *tls = schemes[i].tls;
        return text + length;
    }
    return NULL;
}

/* A password may stand before an @, behind a ? or #, and, where the @ was forgotten, behind a colon. */
const char *mg_bolt_show_uri(char out[MG_BOLT_ERROR], const char *text) {
    const char *scheme = strstr(text, "://"), *rest = scheme ? scheme + 3 : text, *at = strrchr(rest, '@');
    int scheme_length = scheme && !memchr(text, '@', (size_t)(scheme - text)) ? (int)(rest - text) : 0;
    if (at) rest = at + 1;
    size_t length = strcspn(rest, "?#"), host = strcspn(rest, "/?#");
    const char *bracket = memchr(rest, ']', host), *from = bracket ? bracket : rest;
    const char *colon = scheme || at ? memchr(from, ':', host - (size_t)(from - rest)) : NULL;
    bool port = colon && strspn(colon + 1, "0123456789") == host - (size_t)(colon + 1 - rest);
    if (colon && !port) length = (size_t)(colon + 1 - rest);
    snprintf(out, MG_BOLT_ERROR, "%.*s%s%.*s%s", scheme_length > 40 ? 40 : scheme_length, text, at ? "…@" : "",
             length > 200 ? 200 : (int)length, rest, rest[length] ? "…" : "");
    return out;
}

static meguri_status refuse(char error[MG_BOLT_ERROR], const char *text, const char *why) {
    char shown[MG_BOLT_ERROR];
    snprintf(error, MG_BOLT_ERROR, "the URI %.400s %s", mg_bolt_show_uri(shown, text), why);
    return MEGURI_BAD_ARGUMENT;
}

static bool copy(char *out, size_t room, const char *text, size_t length) {
    if (length >= room) return false;
    memcpy(out, text, length);
    out[length] = '\0';
    return true;
}

static bool is_port(const char *text) {
    size_t digits = strspn(text, "0123456789");
    unsigned number = 0;
    if (!digits || text[digits] || digits > 5) return false;
    for (size_t i = 0; i < digits; i++) number = 10 * number + (unsigned)(text[i] - '0');
    return number > 0 && number < 65536;
}

meguri_status mg_bolt_parse_uri(mg_bolt_uri *out, const char *text, char error[MG_BOLT_ERROR]) {
    *out = (mg_bolt_uri){.port = "7687"};
    const char *host = behind_scheme(text, &out->tls);
    if (!host)
        return refuse(error, text,
                      "has none of the schemes bolt, neo4j, bolt+s, neo4j+s, bolt+ssc and neo4j+ssc; write "
                      "neo4j://HOST:PORT/DATABASE, or name one configuration alone.");
    if (strchr(host, '@'))
        return refuse(error, text,
                      "has a name or a password in it, which everybody on this machine can see; set NEO4J_USERNAME "
                      "and NEO4J_PASSWORD instead.");
    size_t length = strcspn(host, "/");
    const char *database = host + length;
    const char *bracket = *host == '[' ? memchr(host, ']', length) : NULL;
    const char *colon = memchr(bracket ? bracket : host, ':', length - (size_t)((bracket ? bracket : host) - host));
    size_t name = colon ? (size_t)(colon - host) : length;
    bool good = bracket ? copy(out->host, sizeof out->host, host + 1, (size_t)(bracket - host) - 1)
                        : copy(out->host, sizeof out->host, host, name);
    if (!good || !*out->host) return refuse(error, text, "has no name of a host that can be one.");
    if (colon &&
        (!copy(out->port, sizeof out->port, colon + 1, (size_t)(host + length - colon) - 1) || !is_port(out->port)))
        return refuse(error, text, "has a port that is no number from 1 to 65535.");
    if (*database) database++;
    if (strpbrk(database, "/?#") || !copy(out->database, sizeof out->database, database, strlen(database)))
        return refuse(error, text, "must end with the name of a database, and nothing behind it.");
    return MEGURI_OK;
}
