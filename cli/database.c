/* libmeguri_db, which is loaded when a verb needs it: a machine without OpenSSL has everything else. And the
 * configuration of a source: a file, or what the command line says. */
#define _GNU_SOURCE /* dladdr */
#include "database.h"

#include <dlfcn.h>
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LIBRARY "libmeguri_db.so"

/* ---- loading ---------------------------------------------------------------------------------------------------- */

/* Beside libmeguri, where it was built or installed; else where the system looks. It stays loaded: OpenSSL leaves
 * threads' ends behind. */
static void *load(void) {
    const char *named = getenv("MEGURI_DB_LIBRARY");
    const int how = RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE;
    Dl_info here;
    char path[4096];
    void *library = NULL;
    if (named && *named) return dlopen(named, how);
    if (dladdr((void *)(uintptr_t)&meguri_version, &here) && here.dli_fname) {
        const char *base = cli_base_name(here.dli_fname);
        int folder = (int)(base - here.dli_fname);
        if (snprintf(path, sizeof path, "%.*s" LIBRARY, folder, here.dli_fname) < (int)sizeof path)
            library = dlopen(path, how);
    }
    return library ? library : dlopen(LIBRARY, how);
}

meguri_status cli_database_load(cli_database *out, cli_run *run) {
    void *library = load();
    if (!library) {
        const char *why = dlerror();
        return cli_fail(run, MEGURI_ENGINE_FAILED,
                        "graph databases cannot be reached: the library " LIBRARY
                        " cannot be loaded (%s); build meguri "
                        "where OpenSSL is installed.",
                        why ? why : "it is not there");
    }
#define FIND(name) *(void **)&out->name = dlsym(library, "meguri_" #name)
    FIND(source_new);
    FIND(source_read);
    FIND(source_free);
    FIND(pull);
    FIND(pull_estimate);
    FIND(write_back);
#undef FIND
    if (out->source_new && out->source_read && out->source_free && out->pull && out->pull_estimate && out->write_back)
        return MEGURI_OK;
    return cli_fail(run, MEGURI_ENGINE_FAILED, "the library " LIBRARY " is not of this version of meguri.");
}

/* ---- the configuration ------------------------------------------------------------------------------------------ */

const cli_option cli_login_options[] = {
    {.name = "username", .kind = CLI_STRING, .argument = "NAME"},
    {.name = "password-file",
     .kind = CLI_INPUT,
     .argument = "FILE",
     .help = "log in as; its first line is the password"},
    {.name = "ca-file", .kind = CLI_INPUT, .argument = "FILE", .help = "certificates to trust for TLS"},
    {.name = "connections", .kind = CLI_NUMBER, .argument = "N", .least = 1, .most = 64},
    {.name = "timeout", .kind = CLI_REAL, .argument = "T"},
    {.name = "deadline", .kind = CLI_REAL, .argument = "T", .help = "to each (2); seconds a record (120), and all"},
    {0},
};

/* How options become members of the configuration. */
typedef enum member_kind {
    MEMBER_TEXT,
    MEMBER_LIST,
    MEMBER_REAL,
    MEMBER_NUMBER,
    MEMBER_FLAG,
    MEMBER_PAIRS
} member_kind;
static const struct {
    const char *option, *member;
    member_kind kind;
} members[] = {
    {"username", "username", MEMBER_TEXT},
    {"password-file", "password_file", MEMBER_TEXT},
    {"ca-file", "ca_file", MEMBER_TEXT},
    {"connections", "connections", MEMBER_NUMBER},
    {"timeout", "timeout", MEMBER_REAL},
    {"deadline", "deadline", MEMBER_REAL},
    {"key", "key", MEMBER_TEXT},
    {"proxy", "proxy", MEMBER_TEXT},
    {"labels", "labels", MEMBER_LIST},
    {"types", "types", MEMBER_LIST},
    {"where", "where", MEMBER_PAIRS},
    {"weight", "weight", MEMBER_TEXT},
    {"default-weight", "default_weight", MEMBER_REAL},
    {"point", "point", MEMBER_TEXT},
    {"x", "x", MEMBER_TEXT},
    {"y", "y", MEMBER_TEXT},
    {"undirected", "undirected", MEMBER_FLAG},
};

/* "A,B" */
static json_t *list_of(const char *text) {
    json_t *list = json_array();
    for (const char *at = text; list && at;) {
        const char *comma = strchr(at, ',');
        json_array_append_new(list, json_stringn(at, comma ? (size_t)(comma - at) : strlen(at)));
        at = comma ? comma + 1 : NULL;
    }
    return list;
}

/* NAME=VALUE, of which the value may be JSON, and else is a text. */
static json_t *pairs_of(const char *const *texts, size_t count) {
    json_t *object = json_object();
    for (size_t i = 0; object && i < count; i++) {
        const char *equals = strchr(texts[i], '=');
        if (!equals) {
            json_decref(object);
            return NULL;
        }
        char *name = strndup(texts[i], (size_t)(equals - texts[i]));
        json_t *value = json_loads(equals + 1, JSON_DECODE_ANY, NULL);
        if (!value) value = json_string(equals + 1);
        if (name) json_object_set_new(object, name, value);
        free(name);
    }
    return object;
}

static meguri_status add_options(json_t *config, cli_run *run) {
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        const char *option = members[i].option;
        json_t *value = NULL;
        size_t count;
        if (!cli_has(&run->args, option) || !cli_given(&run->args, option)) continue;
        switch (members[i].kind) {
        case MEMBER_TEXT: value = json_string(cli_text(&run->args, option)); break;
        case MEMBER_LIST: value = list_of(cli_text(&run->args, option)); break;
        case MEMBER_REAL: value = json_real(cli_real(&run->args, option, 0)); break;
        case MEMBER_NUMBER: value = json_integer((json_int_t)cli_number(&run->args, option, 0)); break;
        case MEMBER_FLAG: value = json_true(); break;
        case MEMBER_PAIRS: {
            const char *const *texts = cli_texts(&run->args, option, &count);
            value = pairs_of(texts, count);
            break;
        }
        }
        if (!value || json_object_set_new(config, members[i].member, value) != 0)
            return cli_fail(run, MEGURI_BAD_ARGUMENT, "--%s %s cannot be understood; see meguri help %s.", option,
                            cli_text(&run->args, option), run->args.verb->name);
    }
    return MEGURI_OK;
}

static bool is_uri(const char *text) { return strstr(text, "://") != NULL; }

/* URIs as a list. */
static json_t *list_of_uris(const char *const *places, size_t count) {
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) json_array_append_new(list, json_string(places[i]));
    return list;
}

/* From now on neither this process nor a core dump of it has it; others see it in /proc/PID/environ until then. Byte by
 * byte: functions for strings load it into registers, which the loader saves on the stack when it resolves a symbol. */
static void forget_password(void) {
    for (volatile char *at = getenv("NEO4J_PASSWORD"); at && *at; at++) *at = '\0';
    unsetenv("NEO4J_PASSWORD");
}

/* The file of a configuration is read by the library alone, because it may hold passwords. */
meguri_status cli_database_source(meguri_source **out, const cli_database *database, cli_run *run,
                                  const char *const *places, size_t count) {
    bool file = count == 1 && !is_uri(places[0]);
    json_t *config = json_object();
    *out = NULL;
    meguri_status status = MEGURI_OK;
    if (!file && json_object_set_new(config, "databases", list_of_uris(places, count)) != 0)
        status = cli_fail(run, MEGURI_NO_MEMORY, "the system has no memory for a configuration.");
    if (status == MEGURI_OK) status = add_options(config, run);
    char *text = status == MEGURI_OK ? json_dumps(config, 0) : NULL;
    if (status == MEGURI_OK && !text)
        status = cli_fail(run, MEGURI_NO_MEMORY, "the system has no memory for a configuration.");
    if (status == MEGURI_OK)
        status = file ? database->source_read(out, run->ctx, places[0], text)
                      : database->source_new(out, run->ctx, text, "the command line");
    forget_password();
    free(text);
    json_decref(config);
    return status;
}
