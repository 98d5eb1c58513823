/* What the content of formats that are not read begins with: XML, other text, archives. */
#include "io/foreign.h"
#include "io/io.h"

/* ---- pieces of text ---------------------------------------------------------------------------------------------- */

static bool begins(const char *text, const char *end, const char *with) {
    size_t bytes = strlen(with);
    return (size_t)(end - text) >= bytes && memcmp(text, with, bytes) == 0;
}

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c; }
static bool is_letter(char c) { return lower(c) >= 'a' && lower(c) <= 'z'; }
static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

static const char *skip_space(const char *p, const char *end) {
    while (p < end && is_space(*p)) p++;
    return p;
}

/* Behind the byte order mark of UTF-8, if there is one, and blanks. */
static const char *start_of(const char *text, const char *end) {
    return skip_space(begins(text, end, "\xef\xbb\xbf") ? text + 3 : text, end);
}

/* Behind the next place of a text; the end where there is none. */
static const char *behind(const char *p, const char *end, const char *what) {
    size_t bytes = strlen(what);
    for (; p + bytes <= end; p++)
        if (memcmp(p, what, bytes) == 0) return p + bytes;
    return end;
}

/* Whether a word stands there, capitals or not; *p moves behind it. */
static bool take_word(const char **p, const char *end, const char *word) {
    const char *at = *p;
    for (; *word; word++, at++)
        if (at == end || lower(*at) != *word) return false;
    if (at < end && (is_letter(*at) || (*at >= '0' && *at <= '9') || *at == '_')) return false;
    *p = at;
    return true;
}

/* ---- XML --------------------------------------------------------------------------------------------------------- */

/* Letters of a name, without what stands before its colon. */
static void take_name(char root[MG_ROOT_TEXT], const char *p, const char *end) {
    size_t length = 0;
    for (; p < end && (is_letter(*p) || *p == ':' || *p == '-' || *p == '_'); p++) {
        if (*p == ':') length = 0;
        else if (length + 1 < MG_ROOT_TEXT) root[length++] = *p;
    }
    root[length] = '\0';
}

bool mg_xml_root(char root[MG_ROOT_TEXT], const char *text, const char *end) {
    const char *p = start_of(text, end);
    bool xml = false;
    root[0] = '\0';
    while (p + 1 < end && *p == '<') {
        const char *word = p + 2;
        bool type = p[1] == '!' && take_word(&word, end, "doctype");
        if (type) word = skip_space(word, end);
        if (type && take_word(&word, end, "html")) {
            strcpy(root, "!html");
            return false;
        }
        if (begins(p, end, "<!--")) p = behind(p, end, "-->");
        else if (p[1] == '?' || p[1] == '!') p = behind(p, end, ">");
        else {
            take_name(root, p + 1, end);
            break;
        }
        xml |= word[-1] == '?' || type;
        p = skip_space(p, end);
    }
    return xml;
}

/* ---- other text -------------------------------------------------------------------------------------------------- */

/* Comments and what other keys of GML have as values, up to the end of a line. */
bool mg_looks_like_gml(const char *text, const char *end) {
    static const char *const before[] = {"creator", "version", "comment", "date", "label", "name"};
    const char *p = start_of(text, end);
    while (p < end) {
        const char *word = p;
        bool known = *p == '#';
        if (take_word(&word, end, "graph")) {
            word = skip_space(word, end);
            return word < end && *word == '[';
        }
        for (size_t i = 0; i < sizeof before / sizeof *before && !known; i++) known = take_word(&word, end, before[i]);
        if (!known) return false;
        p = skip_space(behind(p, end, "\n"), end);
    }
    return false;
}

/* Behind lines that are comments. */
static const char *skip_lines(const char *p, const char *end, char sign) {
    while (p < end && *p == sign) p = skip_space(behind(p, end, "\n"), end);
    return p;
}

bool mg_looks_like_pajek(const char *text, const char *end) {
    static const char *const words[] = {"vertices", "network",   "arcs",   "edges",
                                        "arcslist", "edgeslist", "matrix", "partition"};
    const char *p = skip_lines(start_of(text, end), end, '%') + 1;
    if (p >= end || p[-1] != '*') return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (take_word(&p, end, words[i])) return true;
    return false;
}

bool mg_looks_like_dot(const char *text, const char *end) {
    const char *p = start_of(text, end);
    while (p < end && (begins(p, end, "//") || begins(p, end, "/*") || *p == '#'))
        p = skip_space(behind(p, end, begins(p, end, "/*") ? "*/" : "\n"), end);
    if (take_word(&p, end, "strict")) p = skip_space(p, end);
    if (!take_word(&p, end, "graph") && !take_word(&p, end, "digraph")) return false;
    p = skip_space(p, end);
    if (p < end && *p == '"') p = behind(p + 1, end, "\"");
    while (p < end && !is_space(*p) && *p != '{') p++; /* its name */
    p = skip_space(p, end);
    return p < end && *p == '{';
}

bool mg_looks_like_json(const char *text, const char *end) {
    const char *p = start_of(text, end);
    if (p >= end || (*p != '{' && *p != '[')) return false;
    p = skip_space(p + 1, end);
    return p >= end || strchr("{}[]\"-0123456789ntf", *p);
}

bool mg_looks_like_rdf(const char *text, const char *end) {
    const char *p = skip_lines(start_of(text, end), end, '#');
    if (begins(p, end, "@prefix ") || begins(p, end, "@base ")) return true;
    const char *line = behind(p, end, "\n");
    if (!begins(p, end, "<http") && !begins(p, end, "_:")) return false;
    while (line > p && is_space(line[-1])) line--;
    return line > p && line[-1] == '.';
}

/* "dl n = 5" and the like; "*node data" of VNA. */
bool mg_looks_like_ucinet(const char *text, const char *end) {
    const char *p = start_of(text, end);
    if (p < end && *p == '*') {
        p++;
        return (take_word(&p, end, "node") || take_word(&p, end, "tie")) &&
               (p = skip_space(p, end), take_word(&p, end, "data"));
    }
    if (!take_word(&p, end, "dl")) return false;
    p = skip_space(p, end);
    if (!take_word(&p, end, "n") && !take_word(&p, end, "nr") && !take_word(&p, end, "nm")) return false;
    p = skip_space(p, end);
    return p < end && *p == '=';
}

bool mg_looks_like_gdf(const char *text, const char *end) {
    const char *p = start_of(text, end);
    return begins(p, end, "nodedef>") || begins(p, end, "nodedef >") || begins(p, end, "edgedef>");
}

/* ---- archives and other binary files ----------------------------------------------------------------------------- */

enum { ZIP_NAME_LENGTH = 26, ZIP_NAME = 30 }; /* bytes of a member's head: the length of its name; the name */

bool mg_is_zip(const char *text, const char *end) {
    return begins(text, end, "PK\x03\x04") || begins(text, end, "PK\x05\x06") || begins(text, end, "PK\x07\x08");
}

/* The name of the first member; its content, where it is stored as it is, follows. */
static size_t first_member(const char **name, const char *text, const char *end) {
    if (!begins(text, end, "PK\x03\x04") || end - text < ZIP_NAME) return 0;
    size_t length = (unsigned char)text[ZIP_NAME_LENGTH] | (size_t)(unsigned char)text[ZIP_NAME_LENGTH + 1] << 8;
    *name = text + ZIP_NAME;
    return MG_MIN(length, (size_t)(end - *name));
}

bool mg_is_zip_of_excel(const char *text, const char *end) {
    const char *name;
    size_t length = first_member(&name, text, end);
    if (!length) return false;
    /* What every document of Office begins with; that it is a workbook, a later name says. */
    bool office = begins(name, name + length, "[Content_Types].xml") || begins(name, name + length, "_rels/") ||
                  begins(name, name + length, "docProps/") || begins(name, name + length, "xl/");
    return office && (begins(name, name + length, "xl/") || behind(text, end, "xl/workbook") < end ||
                      behind(text, end, "xl/_rels") < end);
}

bool mg_is_zip_of_opendocument(const char *text, const char *end) {
    const char *name;
    size_t length = first_member(&name, text, end);
    return length >= 8 && memcmp(name, "mimetype", 8) == 0 &&
           begins(name + length, end, "application/vnd.oasis.opendocument.spreadsheet");
}

bool mg_is_zip_of_numpy(const char *text, const char *end) {
    const char *name;
    size_t length = first_member(&name, text, end);
    return length > 4 && memcmp(name + length - 4, ".npy", 4) == 0;
}

bool mg_is_bzip2(const char *text, const char *end) {
    return begins(text, end, "BZh") && end - text >= 10 &&
           (memcmp(text + 4, "1AY&SY", 6) == 0 || !memcmp(text + 4, "\x17\x72\x45\x38\x50\x90", 6));
}

/* Of an input that has been decompressed already. */
bool mg_is_compressed(const char *text, const char *end) {
    return mg_compression_of(text, (size_t)(end - text)) != MG_PLAIN;
}

/* Protocol 2 and later: the protocol, then a frame or what most objects begin with. */
bool mg_is_pickle(const char *text, const char *end) {
    return end - text > 3 && text[0] == '\x80' && text[1] >= 2 && text[1] <= 5 && memchr("\x95}](c\x8c", text[2], 6);
}

bool mg_is_r(const char *text, const char *end) {
    return begins(text, end, "RDX2\n") || begins(text, end, "RDX3\n") ||
           (end - text > 4 && memcmp(text, "X\n\0\0\0", 5) == 0);
}
