/* The configuration: a JSON object (docs/graph-databases.md), every member of which is checked. Passwords come from
 * files, from the environment, or from the object itself; no sentence and no hash has them. */
#include "source/source.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

meguri_status mg_source_fail(meguri_ctx *ctx, meguri_status status, const char *format, ...) {
    char text[2048];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
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
    /* For all databases that have none of their own. */
    char *username, *password, *ca_file;
} reading;

static meguri_status wrong(const reading *r, const char *member, const char *what) {
    return mg_source_fail(r->ctx, MEGURI_BAD_ARGUMENT, "%s: \"%s\" must be %s; see docs/graph-databases.md.", r->name,
                          member, what);
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

static meguri_status read_password(char **out, const reading *r, const char *path) {
    char line[4096];
    FILE *file = fopen(path, "r");
    if (!file)
        return mg_source_fail(r->ctx, MEGURI_NOT_FOUND, "the password file %s cannot be read: %s.", path,
                              strerror(errno));
    bool got = fgets(line, sizeof line, file) != NULL;
    fclose(file);
    if (got) line[strcspn(line, "\r\n")] = '\0';
    if (!got || !*line)
        return mg_source_fail(r->ctx, MEGURI_BAD_INPUT, "the first line of the password file %s is empty.", path);
    free(*out);
    *out = strdup(line);
    memset(line, 0, sizeof line);
    return *out ? MEGURI_OK : mg_source_no_memory(r->ctx);
}

/* A member that says how to log in; false: it is another one. */
static bool take_login(meguri_status *status, const reading *r, const char *member, const json_t *value,
                       char **username, char **password, char **ca_file) {
    char *path = NULL;
    if (strcmp(member, "username") == 0) *status = take_string(username, r, member, value);
    else if (strcmp(member, "password") == 0) *status = take_string(password, r, member, value);
    else if (strcmp(member, "ca_file") == 0) *status = take_string(ca_file, r, member, value);
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
    return wrong(r, member, "left out: there is no such member");
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
        if (known && !d->password) d->password = strdup(own);
        if (r->ca_file && !d->ca_file) d->ca_file = strdup(r->ca_file);
        if ((known && (!d->username || !d->password)) || (r->ca_file && !d->ca_file))
            return mg_source_no_memory(r->ctx);
    }
    return MEGURI_OK;
}

/* Without how to log in, and how fast: those may change between two runs. */
static uint64_t hash_of(json_t *config) {
    static const char *const left_out[] = {"username", "password",    "password_file",
                                           "ca_file",  "connections", "timeout"};
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

meguri_status meguri_source_new(meguri_source **out, meguri_ctx *ctx, const char *config, const char *name) {
    if (out) *out = NULL;
    if (!ctx) return MEGURI_BAD_ARGUMENT;
    if (!out || !config || !name)
        return mg_source_fail(ctx, MEGURI_BAD_ARGUMENT, "%s: an argument that it cannot do without is NULL.", __func__);
    reading r = {.ctx = ctx, .name = name, .source = calloc(1, sizeof *r.source)};
    if (!r.source) return mg_source_no_memory(ctx);
    r.source->connections = 2;
    r.source->timeout = 120;
    json_error_t error;
    json_t *object = json_loads(config, JSON_REJECT_DUPLICATES, &error);
    meguri_status status = MEGURI_OK;
    const char *member;
    json_t *value;
    if (!json_is_object(object))
        status =
            object ? wrong(&r, "databases", "a member of a JSON object, which the configuration is")
                   : mg_source_fail(ctx, MEGURI_BAD_INPUT, "%s:%d: this is no JSON: %s.", name, error.line, error.text);
    else json_object_foreach(object, member, value) if (status == MEGURI_OK) status = take_member(&r, member, value);
    if (status == MEGURI_OK) status = check(&r);
    if (status == MEGURI_OK) status = complete_logins(&r);
    if (status == MEGURI_OK) r.source->hash = hash_of(object);
    json_decref(object);
    free(r.username), free(r.password), free(r.ca_file);
    if (status == MEGURI_OK) *out = r.source;
    else meguri_source_free(r.source);
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
        free(d->text), free(d->username), free(d->password), free(d->ca_file);
    }
    free(source->databases);
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
