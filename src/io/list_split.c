/* Lines of lists, taken apart in place. Quotes are taken off between blanks and tabs, too, unlike in tables of edges:
 * whoever writes a list by hand quotes a name with blanks in it. */
#include "io/csv.h"
#include "io/list.h"

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

static bool ends(char c, char separator) {
    return !c || (separator == MG_BLANKS ? is_blank(c) : separator != MG_LIST_WHOLE && c == separator);
}

bool mg_list_is_remark(const char *at) {
    if (*at == '#') return true;
    if (!mg_is_comment(at)) return false;
    at += *at == '/' ? 2 : 1;
    return mg_is_blank(*at) || *at == '\n' || *at == '%' || *at == '/';
}

char mg_list_separator(const char *line, const char *end) {
    char separator = mg_header_separator(line, end);
    return separator == MG_BAR ? separator : mg_choose_separator(line, end);
}

/* Behind the blanks at `at`, which may be what parts fields. */
static char *skip(char *at, char separator) {
    while (is_blank(*at) && (*at != separator || separator == MG_BLANKS)) at++;
    return at;
}

/* Behind the end of a field: the next one begins there, if there is a separator. */
static mg_list_taken move_on(char **rest, char *at, char separator) {
    at = skip(at, separator);
    bool more = separator == MG_BLANKS ? *at != '\0' : *at == separator && *at;
    *rest = at + (more && separator != MG_BLANKS);
    return more ? MG_LIST_TAKEN : MG_LIST_LAST;
}

/* Where the double quote at `at` ends; NULL: nowhere. */
static char *closing(char *at) {
    for (at++; *at && (*at != '"' || at[1] == '"'); at++) at += *at == '"';
    return *at ? at : NULL;
}

static mg_list_taken take_quoted(char **rest, char *at, char *end, char separator, char **field) {
    char *to = at + 1;
    *field = to;
    for (char *from = at + 1; from < end; from++) {
        from += *from == '"';
        *to++ = *from;
    }
    mg_list_taken taken = move_on(rest, end + 1, separator);
    *to = '\0';
    return taken;
}

/* Whether a field ends behind its double quote; between blanks at once. */
static bool ends_behind(char *at, char separator) {
    return ends(separator == MG_BLANKS ? *at : *skip(at, separator), separator);
}

mg_list_taken mg_list_take(char **rest, char separator, char **field) {
    char *at = skip(*rest, separator), *end = *at == '"' ? closing(at) : NULL;
    if (end && ends_behind(end + 1, separator)) return take_quoted(rest, at, end, separator, field);
    /* Where tables have no quotes either, this one is part of a name. */
    if (*at == '"' && separator != MG_LIST_WHOLE && mg_has_quotes(separator)) return end ? MG_LIST_WRONG : MG_LIST_OPEN;
    *field = end = at;
    while (!ends(*end, separator)) end++;
    char *last = end;
    while (last > at && is_blank(last[-1])) last--;
    mg_list_taken taken = move_on(rest, end, separator);
    *last = '\0';
    return taken;
}

/* ---- names of columns ------------------------------------------------------------------------------------------- */

static bool is_one_of(const char *name, const char *const *names) {
    char plain[32];
    mg_csv_plain_name(&(mg_field){(char *)(uintptr_t)name, strlen(name)}, plain, sizeof plain);
    return mg_csv_find_name(plain, names) != MG_NO_COLUMN;
}

/* The first column whose name is in a list, by the order of the list. */
static bool find(uint32_t *column, const char *const *names, uint32_t count, const char *const *list) {
    unsigned best = MG_NO_COLUMN;
    for (uint32_t c = 0; c < count; c++) {
        char plain[32];
        mg_csv_plain_name(&(mg_field){(char *)(uintptr_t)names[c], strlen(names[c])}, plain, sizeof plain);
        unsigned place = mg_csv_find_name(plain, list);
        if (place >= best) continue;
        best = place;
        *column = c;
    }
    return best != MG_NO_COLUMN;
}

bool mg_list_find_pair(uint32_t *from, uint32_t *to, const char *const *names, uint32_t count) {
    return find(from, names, count, mg_csv_source_names) && find(to, names, count, mg_csv_target_names);
}

bool mg_list_find_vertex(uint32_t *column, const char *const *names, uint32_t count, const char *prefer) {
    static const char *const vertices[] = {"vertex", "vertexid", "node", "nodeid", "id", NULL};
    static const char *const sources[] = {"source", "src", "from", NULL},
                             *const targets[] = {"target", "dst", "to", NULL}, *const none[] = {NULL};
    bool target = prefer && is_one_of(prefer, targets);
    const char *const *first = target ? targets : prefer ? sources : none;
    const char *const *third = target ? mg_csv_target_names : mg_csv_source_names;
    const char *const *last = target ? mg_csv_source_names : mg_csv_target_names;
    return find(column, names, count, first) || find(column, names, count, vertices) ||
           find(column, names, count, third) || find(column, names, count, last);
}

bool mg_list_is_index(const char *name) {
    static const char *const names[] = {"", "index", "unnamed", "id", NULL};
    return is_one_of(name, names);
}
