/* The configuration: a JSON object (docs/graph-databases.md), every member of which is checked. Passwords come from
 * files, from the environment, or from the object itself; no sentence and no hash has them, and what is parsed as JSON
 * is the text without them (passwords.h). */
#include "source/passwords.h"
#include "source/source.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <math.h>
#include <meguri/extra/words.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

enum { MOST_BYTES = 64 << 20, FIRST_ROOM = 4096 };

meguri_status mg_source_fail(meguri_ctx *ctx, meguri_status status, const char *format, ...) {
    char text[2048];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return meguri_ctx_fail(ctx, status, text);
}

meguri_status mg_source_fail_open(meguri_ctx *ctx, const char *path, int error) {
    char text[2048];
    meguri_status status = meguri_cannot_open(text, sizeof text, path, error);
    return meguri_ctx_fail(ctx, status, text);
}

meguri_status mg_source_no_memory(meguri_ctx *ctx) {
    return meguri_ctx_fail(ctx, MEGURI_NO_MEMORY, "the system has no memory for what comes from a database.");
}

bool mg_source_filters(const meguri_source *source) { return source->labels.count || source->node_properties.count; }

/* ---- members ---------------------------------------------------------------------------------------------------- */

typedef struct reading {
    meguri_ctx *ctx;
    const char *name; /* of the configuration */
    meguri_source *source;
    mg_passwords passwords;
    /* For all databases that have none of their own. */
    char *username, *ca_file;
    const char *password;
} reading;

static meguri_status wrong(const reading *r, const char *member, const char *what) {
    return mg_source_fail(r->ctx, MEGURI_BAD_ARGUMENT, "%s: \"%s\" must be %s; see docs/graph-databases.md.", r->name,
                          member, what);
}

static meguri_status no_such_member(const reading *r, const char *member) {
    static const char *const members[] = {
        "databases", "username", "password",    "password_file",  "ca_file",
        "key",       "proxy",    "weight",      "point",          "x",
        "y",         "labels",   "types",       "where",          "undirected",
        "timeout",   "deadline", "connections", "default_weight", "relationship_where",
    };
    char hint[512];
    if (!meguri_did_you_mean(hint, sizeof hint, member, members, sizeof members / sizeof *members, ""))
        snprintf(hint, sizeof hint, "; see docs/graph-databases.md.");
    return mg_source_fail(r->ctx, MEGURI_BAD_ARGUMENT, "%s: there is no member '%.200s'%s", r->name, member, hint);
}

static meguri_status take_string(char **out, const reading *r, const char *member, const json_t *value) {
    const char *text = json_string_value(value);
    if (!text || !*text || strlen(text) != json_string_length(value)) return wrong(r, member, "a text");
    free(*out);
    *out = strdup(text);
    return *out ? MEGURI_OK : mg_source_no_memory(r->ctx);
}

static meguri_status add_word(mg_words *out, meguri_ctx *ctx, const char *word) {
    char **grown = realloc(out->words, (out->count + 1) * sizeof *grown);
    if (grown) out->words = grown;
    char *copy = grown ? strdup(word) : NULL;
    if (!copy) return mg_source_no_memory(ctx);
    out->words[out->count++] = copy;
    return MEGURI_OK;
}

static meguri_status take_words(mg_words *out, const reading *r, const char *member, const json_t *value) {
    meguri_status status = json_is_array(value) ? MEGURI_OK : wrong(r, member, "a list of names");
    for (size_t i = 0; status == MEGURI_OK && i < json_array_size(value); i++) {
        const char *word = json_string_value(json_array_get(value, i));
        status = word && *word ? add_word(out, r->ctx, word) : wrong(r, member, "a list of names");
    }
    return status;
}

static meguri_status take_real(double *out, const reading *r, const char *member, const json_t *value, double least) {
    if (!json_is_number(value) || !isfinite(json_number_value(value)) || json_number_value(value) < least)
        return wrong(r, member, "a number that makes sense");
    *out = json_number_value(value);
    return MEGURI_OK;
}

/* Properties and the values that they must have. */
static meguri_status take_where(mg_bytes *out, mg_words *names, const reading *r, const char *member, json_t *value) {
    const char *key;
    json_t *item;
    if (!json_is_object(value)) return wrong(r, member, "an object of properties and their values");
    mg_pack_map(out, (uint32_t)json_object_size(value));
    json_object_foreach(value, key, item) {
        meguri_status status = add_word(names, r->ctx, key);
        if (status != MEGURI_OK) return status;
        mg_pack_string(out, key);
        if (json_is_string(item)) mg_pack_text(out, json_string_value(item), json_string_length(item));
        else if (json_is_integer(item)) mg_pack_integer(out, json_integer_value(item));
        else if (json_is_real(item)) mg_pack_real(out, json_real_value(item));
        else if (json_is_boolean(item)) mg_pack_bool(out, json_is_true(item));
        else return wrong(r, member, "an object whose values are texts, numbers, true or false");
    }
    return out->failed ? mg_source_no_memory(r->ctx) : MEGURI_OK;
}

/* ---- databases -------------------------------------------------------------------------------------------------- */

/* A descriptor, or -1 with errno: ECANCELED where the user has interrupted a wait for the other end of a pipe. */
static int open_file(meguri_ctx *ctx, const char *path) {
    int file;
    while ((file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)) < 0 && errno == EINTR)
        if (meguri_ctx_progress(ctx, "read", 0, 0) != MEGURI_OK) {
            errno = ECANCELED;
            return -1;
        }
    return file;
}

/* The rest of a file in memory for secrets, with a zero behind it; *out is to be released also after a failure. */
static meguri_status read_secret(char **out, size_t *length, meguri_ctx *ctx, int file, const char *name) {
    size_t room = FIRST_ROOM;
    ssize_t got = 1;
    *length = 0;
    *out = mg_secret_resize(NULL, room);
    while (*out && got != 0 && *length < MOST_BYTES) {
        if (*length + 1 == room) {
            char *grown = mg_secret_resize(*out, room *= 2);
            if (!grown) return mg_source_no_memory(ctx);
            *out = grown;
        }
        got = read(file, *out + *length, room - 1 - *length);
        if (got < 0 && errno != EINTR)
            return mg_source_fail(ctx, MEGURI_BAD_INPUT, "%s cannot be read: %s.", name, strerror(errno));
        if (meguri_ctx_progress(ctx, "read", *length, 0) != MEGURI_OK) return MEGURI_CANCELLED;
        *length += got > 0 ? (size_t)got : 0;
    }
    if (!*out) return mg_source_no_memory(ctx);
    if (got != 0) return mg_source_fail(ctx, MEGURI_BAD_INPUT, "%s has more than 64 MiB; is it the right file?", name);
    (*out)[*length] = '\0';
    return MEGURI_OK;
}

/* The first line of a file. */
static meguri_status read_password(const char **out, const reading *r, const char *path) {
    char *text = NULL;
    size_t length;
    int file = open_file(r->ctx, path);
    if (file < 0) return errno == ECANCELED ? MEGURI_CANCELLED : mg_source_fail_open(r->ctx, path, errno);
    meguri_status status = read_secret(&text, &length, r->ctx, file, path);
    close(file);
    if (status == MEGURI_OK) {
        text[strcspn(text, "\r\n")] = '\0';
        *out = *text ? mg_secrets_copy(&r->source->secrets, text) : NULL;
        if (!*text)
            status = mg_source_fail(r->ctx, MEGURI_BAD_INPUT, "the first line of the password file %s is empty.", path);
        else if (!*out) status = mg_source_no_memory(r->ctx);
    }
    mg_secret_release(text);
    return status;
}

/* A member that says how to log in; false: it is another one. */
static bool take_login(meguri_status *status, const reading *r, const char *member, const json_t *value,
                       char **username, const char **password, char **ca_file) {
    char *path = NULL;
    if (strcmp(member, "username") == 0) *status = take_string(username, r, member, value);
    else if (strcmp(member, "password") == 0) {
        const char *number = json_string_value(value);
        *password = number ? mg_passwords_find(&r->passwords, number) : NULL;
        *status = *password && **password ? MEGURI_OK : wrong(r, member, "a text");
    } else if (strcmp(member, "ca_file") == 0) *status = take_string(ca_file, r, member, value);
    else if (strcmp(member, "password_file") == 0) {
        *status = take_string(&path, r, member, value);
        if (*status == MEGURI_OK) *status = read_password(password, r, path);
        free(path);
    } else return false;
    return true;
}

static meguri_status take_database(mg_database *out, const reading *r, json_t *value) {
    const char *member;
    json_t *item;
    char error[MG_BOLT_ERROR];
    meguri_status status = MEGURI_OK;
    if (json_is_string(value)) status = take_string(&out->text, r, "databases", value);
    else if (!json_is_object(value)) status = wrong(r, "databases", "a list of URIs, or of objects with a \"uri\"");
    else json_object_foreach(value, member, item) {
            if (strcmp(member, "uri") == 0) status = take_string(&out->text, r, "uri", item);
            else if (!take_login(&status, r, member, item, &out->username, &out->password, &out->ca_file))
                status = wrong(r, member, "left out: a database has a uri, and how to log in");
            if (status != MEGURI_OK) return status;
        }
    if (status == MEGURI_OK && !out->text)
        status = wrong(r, "databases", "a list of URIs, or of objects with a \"uri\"");
    if (status != MEGURI_OK) return status;
    if (mg_bolt_parse_uri(&out->uri, out->text, error) != MEGURI_OK)
        return mg_source_fail(r->ctx, MEGURI_BAD_ARGUMENT, "%s", error);
    return MEGURI_OK;
}

static meguri_status take_databases(const reading *r, json_t *value) {
    size_t count = json_array_size(value);
    if (!count || count > UINT16_MAX) return wrong(r, "databases", "a list of one or more URIs");
    r->source->databases = calloc(count, sizeof *r->source->databases);
    if (!r->source->databases) return mg_source_no_memory(r->ctx);
    meguri_status status = MEGURI_OK;
    for (size_t i = 0; i < count && status == MEGURI_OK; i++) {
        r->source->database_count = i + 1;
        status = take_database(&r->source->databases[i], r, json_array_get(value, i));
    }
    return status;
}

/* ---- the object ------------------------------------------------------------------------------------------------- */

static meguri_status take_member(reading *r, const char *member, json_t *value) {
    meguri_source *s = r->source;
    const struct {
        const char *member;
        char **to;
    } texts[] = {{"key", &s->key},     {"proxy", &s->proxy}, {"weight", &s->weight},
                 {"point", &s->point}, {"x", &s->x},         {"y", &s->y}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (strcmp(member, texts[i].member) == 0) return take_string(texts[i].to, r, member, value);
    double number = 0;
    meguri_status status;
    if (take_login(&status, r, member, value, &r->username, &r->password, &r->ca_file)) return status;
    if (strcmp(member, "databases") == 0) return take_databases(r, value);
    if (strcmp(member, "labels") == 0) return take_words(&s->labels, r, member, value);
    if (strcmp(member, "types") == 0) return take_words(&s->types, r, member, value);
    if (strcmp(member, "where") == 0) return take_where(&s->where_node, &s->node_properties, r, member, value);
    if (strcmp(member, "relationship_where") == 0)
        return take_where(&s->where_relationship, &s->relationship_properties, r, member, value);
    if (strcmp(member, "default_weight") == 0) {
        s->has_default = true;
        return take_real(&s->default_weight, r, member, value, -HUGE_VAL);
    }
    if (strcmp(member, "timeout") == 0) return take_real(&s->timeout, r, member, value, 0.001);
    if (strcmp(member, "deadline") == 0) return take_real(&s->deadline, r, member, value, 0.001);
    if (strcmp(member, "connections") == 0) {
        status = take_real(&number, r, member, value, 1);
        if (status == MEGURI_OK && number > 64) status = wrong(r, member, "64 at most");
        if (status == MEGURI_OK) s->connections = (uint32_t)number;
        return status;
    }
    if (strcmp(member, "undirected") == 0) {
        s->undirected = json_is_true(value);
        return json_is_boolean(value) ? MEGURI_OK : wrong(r, member, "true or false");
    }
    return no_such_member(r, member);
}

static meguri_status check(const reading *r) {
    const meguri_source *s = r->source;
    if (!s->database_count) return wrong(r, "databases", "a list of one or more URIs");
    if (!s->x != !s->y || (s->x && s->point)) return wrong(r, "x", "given together with \"y\", and without \"point\"");
    if (s->proxy && !s->key) return wrong(r, "proxy", "given together with \"key\", by which proxies are found");
    if (s->has_default && !s->weight) return wrong(r, "default_weight", "given together with \"weight\"");
    return MEGURI_OK;
}

/* What a database has not of its own, the others share; what nobody says, the environment does. */
static meguri_status complete_logins(const reading *r) {
    const char *name = getenv("NEO4J_USERNAME"), *password = getenv("NEO4J_PASSWORD");
    if (password && !(password = mg_secrets_copy(&r->source->secrets, password))) return mg_source_no_memory(r->ctx);
    for (size_t i = 0; i < r->source->database_count; i++) {
        mg_database *d = &r->source->databases[i];
        const char *own = d->password ? d->password : r->password ? r->password : password;
        const char *user = d->username ? d->username : r->username ? r->username : name;
        if (own && *own && (!user || !*user)) user = "neo4j";
        bool known = own && *own;
        if (user && *user && !known)
            return mg_source_fail(
                r->ctx, MEGURI_BAD_ARGUMENT,
                "there is a name for %s, but no password; set NEO4J_PASSWORD or name a password file.", d->text);
        if (known && !d->username) d->username = strdup(user);
        if (known) d->password = own;
        if (r->ca_file && !d->ca_file) d->ca_file = strdup(r->ca_file);
        if ((known && !d->username) || (r->ca_file && !d->ca_file)) return mg_source_no_memory(r->ctx);
    }
    return MEGURI_OK;
}

/* Who names certificates to trust wants them checked. */
static meguri_status check_trust(const reading *r) {
    for (size_t i = 0; i < r->source->database_count; i++) {
        const mg_database *d = &r->source->databases[i];
        if (!d->ca_file || d->uri.tls == MG_TLS_VERIFIED) continue;
        return mg_source_fail(
            r->ctx, MEGURI_BAD_ARGUMENT,
            "%s: \"ca_file\" (--ca-file) and %.300s contradict each other: that scheme %s; write bolt+s:// or "
            "neo4j+s://, which check the certificate.",
            r->name, d->text,
            d->uri.tls == MG_TLS_NONE ? "sends everything, also the password, in the clear"
                                      : "takes any certificate, so that whoever answers gets the password");
    }
    return MEGURI_OK;
}

/* Without how to log in, and how fast: those may change between two runs. */
static uint64_t hash_of(json_t *config) {
    static const char *const left_out[] = {"username",    "password", "password_file", "ca_file",
                                           "connections", "timeout",  "deadline"};
    json_t *databases = json_object_get(config, "databases");
    for (size_t i = 0; i < json_array_size(databases); i++)
        for (size_t k = 0; k < sizeof left_out / sizeof *left_out; k++)
            json_object_del(json_array_get(databases, i), left_out[k]);
    for (size_t k = 0; k < sizeof left_out / sizeof *left_out; k++) json_object_del(config, left_out[k]);
    char *text = json_dumps(config, JSON_SORT_KEYS | JSON_COMPACT);
    uint64_t hash = text ? XXH3_64bits(text, strlen(text)) : 0;
    free(text);
    return hash;
}

/* In our words: those of the parser quote what it has read. */
static meguri_status not_json(const reading *r, const json_error_t *error) {
    enum json_error_code code = json_error_code(error);
    if (code == json_error_out_of_memory) return mg_source_no_memory(r->ctx);
    return mg_source_fail(r->ctx, MEGURI_BAD_INPUT, "%s:%d: this is no JSON: %s.", r->name, error->line,
                          code == json_error_premature_end_of_input  ? "it ends too early"
                          : code == json_error_end_of_input_expected ? "something follows the object"
                          : code == json_error_invalid_utf8          ? "it is not UTF-8"
                          : code == json_error_duplicate_key         ? "a member is there twice"
                          : code == json_error_numeric_overflow      ? "a number is too large"
                          : code == json_error_null_character        ? "a text has a zero byte in it"
                          : code == json_error_stack_overflow        ? "brackets are nested too deeply"
                                                                     : "something is wrong in this line or the one "
                                                                       "before");
}

static meguri_status parse(json_t **out, reading *r, const char *text, size_t length) {
    mg_bytes plain = {0};
    json_error_t error;
    r->passwords.secrets = &r->source->secrets;
    bool taken = mg_passwords_take(&r->passwords, &plain, text, length);
    if (taken) *out = json_loadb((const char *)plain.data, plain.length, JSON_REJECT_DUPLICATES, &error);
    mg_bytes_free(&plain);
    if (!taken) return mg_source_no_memory(r->ctx);
    if (!*out) return not_json(r, &error);
    return json_is_object(*out) ? MEGURI_OK
                                : wrong(r, "databases", "a member of a JSON object, which the configuration is");
}

/* `more` has members that go before those of the text; NULL: none. */
static meguri_status make(meguri_source **out, reading *r, const char *text, size_t length, const char *more) {
    json_t *object = NULL, *members = NULL, *value;
    const char *member;
    r->source = calloc(1, sizeof *r->source);
    if (!r->source) return mg_source_no_memory(r->ctx);
    r->source->connections = 2;
    r->source->timeout = 120;
    meguri_status status = parse(&object, r, text, length);
    if (status == MEGURI_OK && more) status = parse(&members, r, more, strlen(more));
    if (members && status == MEGURI_OK && json_object_update(object, members) != 0)
        status = mg_source_no_memory(r->ctx);
    if (status == MEGURI_OK)
        json_object_foreach(object, member, value) if (status == MEGURI_OK) status = take_member(r, member, value);
    if (status == MEGURI_OK) status = check(r);
    if (status == MEGURI_OK) status = complete_logins(r);
    if (status == MEGURI_OK) status = check_trust(r);
    if (status == MEGURI_OK) r->source->hash = hash_of(object);
    json_decref(object);
    json_decref(members);
    mg_passwords_free(&r->passwords);
    free(r->username), free(r->ca_file);
    if (status == MEGURI_OK) *out = r->source;
    else meguri_source_free(r->source);
    return status;
}

meguri_status meguri_source_new(meguri_source **out, meguri_ctx *ctx, const char *config, const char *name) {
    if (out) *out = NULL;
    if (!ctx) return MEGURI_BAD_ARGUMENT;
    if (!out || !config || !name)
        return mg_source_fail(ctx, MEGURI_BAD_ARGUMENT, "%s: an argument that it cannot do without is NULL.", __func__);
    reading r = {.ctx = ctx, .name = name};
    return make(out, &r, config, strlen(config), NULL);
}

meguri_status meguri_source_read(meguri_source **out, meguri_ctx *ctx, const char *path, const char *more) {
    char *text = NULL, shown[MG_BOLT_ERROR];
    size_t length;
    if (out) *out = NULL;
    if (!ctx) return MEGURI_BAD_ARGUMENT;
    if (!out || !path)
        return mg_source_fail(ctx, MEGURI_BAD_ARGUMENT, "%s: an argument that it cannot do without is NULL.", __func__);
    int file = open_file(ctx, path);
    if (file < 0 && errno == ECANCELED) return MEGURI_CANCELLED;
    if (file < 0 && !strpbrk(path, ":@")) return mg_source_fail_open(ctx, path, errno);
    if (file < 0) /* a URI that is not one may hold a password */
        return mg_source_fail(ctx, MEGURI_NOT_FOUND,
                              "%s is neither a file that can be read nor a URI such as neo4j://HOST:PORT/DATABASE.",
                              mg_bolt_show_uri(shown, path));
    meguri_status status = read_secret(&text, &length, ctx, file, path);
    close(file);
    reading r = {.ctx = ctx, .name = path};
    if (status == MEGURI_OK) status = make(out, &r, text, length, more);
    mg_secret_release(text);
    return status;
}

static void free_words(mg_words *words) {
    for (size_t i = 0; i < words->count; i++) free(words->words[i]);
    free(words->words);
}

void meguri_source_free(meguri_source *source) {
    if (!source) return;
    for (size_t i = 0; i < source->database_count; i++) {
        mg_database *d = &source->databases[i];
        free(d->text), free(d->username), free(d->ca_file);
    }
    free(source->databases);
    mg_secrets_free(&source->secrets);
    free_words(&source->labels);
    free_words(&source->types);
    free_words(&source->node_properties);
    free_words(&source->relationship_properties);
    mg_bytes_free(&source->where_node);
    mg_bytes_free(&source->where_relationship);
    free(source->key), free(source->proxy), free(source->weight);
    free(source->point), free(source->x), free(source->y);
    free(source);
}
