/* Which format an input has (docs/formats.md tells users the same).
 *
 * Content decides: a Matrix Market banner, a problem line, arcs with their letter, a header that names columns. What
 * is left are plain lines of two or three words, which are an edge list unless the name says METIS (.graph, .metis),
 * LDBC (.e with a .v beside it) or Matrix Market without its banner (.mtx), where content alone cannot tell. Only the
 * beginning is looked at (mg_sample), and a guess that could be another is told in a warning. */
#include "io/meg.h"
#include "io/read.h"

#include <strings.h>

bool mg_has_suffix(const char *name, const char *suffix) {
    static const char *const packings[] = {".gz", ".zst", ".xz"};
    size_t length = strlen(name), tail = strlen(suffix);
    for (size_t i = 0; i < 3; i++) {
        size_t packing = strlen(packings[i]);
        if (length > packing && strcasecmp(name + length - packing, packings[i]) == 0) {
            length -= packing;
            break;
        }
    }
    return length > tail && strncasecmp(name + length - tail, suffix, tail) == 0;
}

/* By its byte order mark, or by a line that has a zero for every other byte. */
static bool is_utf16(const char *text, size_t bytes) {
    if (bytes < 2) return false;
    if (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0) return true;
    size_t even = 0, odd = 0, looked = MG_MIN(bytes & ~(size_t)1, (size_t)64);
    for (size_t i = 0; i < looked; i += 2) {
        even += text[i] == 0 && text[i + 1] >= '\t';
        odd += text[i] >= '\t' && text[i + 1] == 0;
    }
    return looked >= 8 && (even == looked / 2 || odd == looked / 2);
}

meguri_status mg_refuse_foreign(mg_input *input) {
    static const struct {
        const char *magic;
        size_t bytes;
        const char *is;
    } foreign[] = {
        {MG_MEG_MAGIC, 8, "is a .meg file already; open it as it is"},
        {"BZh", 3, "is packed with bzip2; unpack it first"},
        {"PK\x03\x04", 4, "is a zip archive; unpack it first"},
        {"7z\xbc\xaf\x27\x1c", 6, "is a 7z archive; unpack it first"},
    };
    const char *text = input->head + MG_PAD;
    if (is_utf16(text, input->head_bytes))
        return mg_fail(input->ctx, MEGURI_BAD_INPUT,
                       "%s is UTF-16 text; convert it (for example with iconv -f utf-16 -t utf-8).", input->name);
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
        if (input->head_bytes >= foreign[i].bytes && memcmp(text, foreign[i].magic, foreign[i].bytes) == 0)
            return mg_fail(input->ctx, MEGURI_BAD_INPUT, "%s %s.", input->name, foreign[i].is);
    if (input->head_bytes && memchr(text, '\0', MG_MIN(input->head_bytes, (size_t)MG_FIRST_LOOK)))
        return mg_fail(input->ctx, MEGURI_BAD_INPUT,
                       "%s holds zero bytes, so it is no text; if it holds binary edges, the option format says which "
                       "(bin32, bin48 or bin64).",
                       input->name);
    return MEGURI_OK;
}

/* ---- DIMACS and its like ---------------------------------------------------------------------------------------- */

static meguri_status coordinates_file(const mg_input *input) {
    return mg_fail(input->ctx, MEGURI_BAD_INPUT,
                   "%s is a file of coordinates, not of edges; name it as the coordinates of a graph.", input->name);
}

/* Whether a line is a letter and whole numbers: at least `least` of them, and nothing else but one more word. */
static bool is_letter_line(const char *p, const char *letters, int least) {
    uint64_t number;
    p = mg_skip_blanks(p);
    if (!*p || !strchr(letters, *p) || !mg_is_blank(p[1])) return false;
    p = mg_skip_blanks(p + 1);
    for (int i = 0; i < least; i++, p = mg_skip_blanks(p))
        if (!mg_parse_u64(&p, &number) || (!mg_is_blank(*p) && *p != '\n')) return false;
    return *p == '\n' || *mg_skip_word(p) == '\n';
}

/* Arcs and edges with their letter, but without a problem line: two or three columns could be an edge list around a
 * vertex "a" or "e", unless all lines are so. Lines "v ID LABEL" and "e U V" together are a format that is not read. */
static meguri_status detect_bare_letters(meguri_format *out, mg_sample *sample, char *line, bool gr) {
    unsigned columns = mg_count_columns(line, MG_BLANKS);
    const char *p = mg_skip_blanks(line), *end;
    bool arcs = mg_is_word(p, "a") || mg_is_word(p, "e"), other = !arcs, edges = false;
    if (arcs && (columns == 4 || (gr && columns == 3))) {
        *out = MEGURI_FORMAT_DIMACS;
        return MEGURI_OK;
    }
    if (!arcs && !mg_is_word(p, "v") && !mg_is_word(p, "t")) return MEGURI_OK;
    if (arcs && !is_letter_line(p, "ae", 2)) return MEGURI_OK;
    for (meguri_status status = MEGURI_OK;;) {
        status = mg_sample_line(sample, &line, &end);
        if (status != MEGURI_OK) return status;
        if (!line) break;
        p = mg_skip_blanks(line);
        bool edge = is_letter_line(p, "ae", 2);
        if (!edge && !is_letter_line(p, "v", 1) && !mg_is_word(p, "t")) return MEGURI_OK;
        edges |= edge;
        other |= !edge;
    }
    if (arcs && !other) *out = MEGURI_FORMAT_DIMACS;
    if (!other || !edges) return MEGURI_OK;
    return mg_fail(sample->input->ctx, MEGURI_BAD_INPUT,
                   "%s has lines of vertices (v) and of edges (e), a format that is not read; keep the edges alone, or "
                   "name a format (with el the letters are ids).",
                   sample->input->name);
}

/* "p KIND N M" or "a U V W"; leaves *out alone if it is neither. */
static meguri_status detect_letters(meguri_format *out, mg_input *input, mg_sample *sample) {
    char *line;
    const char *end;
    uint64_t numbers[3];
    meguri_status status = mg_sample_line(sample, &line, &end);
    bool gr = mg_has_suffix(input->name, ".gr") || mg_has_suffix(input->name, ".col");
    if (status != MEGURI_OK) return status;
    if (sample->too_far && (gr || sample->has_c)) *out = MEGURI_FORMAT_DIMACS;
    if (!line) return MEGURI_OK;
    const char *p = mg_skip_blanks(line);
    if (mg_is_word(p, "v") && mg_count_columns(p, MG_BLANKS) == 4) return coordinates_file(input);
    if (!mg_is_word(p, "p")) return detect_bare_letters(out, sample, line, gr);
    const char *kind = mg_skip_blanks(p + 1);
    if (mg_is_word(kind, "aux")) return coordinates_file(input);
    if (!mg_header_numbers(mg_skip_word(kind), numbers, 2)) {
        if (gr) *out = MEGURI_FORMAT_DIMACS; /* whose reader says what is wrong */
        return MEGURI_OK;
    }
    *out = MEGURI_FORMAT_DIMACS;
    if (mg_is_word(kind, "sp") || mg_is_word(kind, "edge") || mg_is_word(kind, "col")) return MEGURI_OK;
    status = mg_sample_line(sample, &line, &end);
    if (status == MEGURI_OK && line) p = mg_skip_blanks(line);
    if (status == MEGURI_OK && (!line || (!mg_is_word(p, "a") && !mg_is_word(p, "e")))) *out = MEGURI_FORMAT_PACE;
    return status;
}

/* ---- headers ---------------------------------------------------------------------------------------------------- */

/* Whether a field is an integer, another number, or neither. */
typedef enum field_kind { INTEGER, NUMBER, WORD } field_kind;

static field_kind kind_of_field(const mg_reader *reader, const char *p, char separator) {
    uint64_t id;
    double value;
    bool flag = false;
    const char *at = p;
    if (mg_parse_field_id(&at, separator, &id, &flag, &flag) && mg_at_field_end(at, separator)) return INTEGER;
    at = p;
    mg_number_status status = mg_parse_number(&at, &value, reader->c_locale);
    return status != MG_NUMBER_NONE && mg_at_field_end(at, separator) ? NUMBER : WORD;
}

/* What the columns of a line hold: how many there are, whether all are words, whether the first two are integers. */
typedef struct line_shape {
    unsigned columns;
    bool all_words, integer_ids;
} line_shape;

static line_shape shape_of(const mg_reader *reader, const char *p, char separator) {
    line_shape shape = {0, true, true};
    p = mg_skip_blanks(p);
    do {
        if (separator == MG_TAB) p = mg_skip_blanks(p);
        field_kind kind = kind_of_field(reader, p, separator);
        if (kind != WORD) shape.all_words = false;
        if (shape.columns++ < 2 && kind != INTEGER) shape.integer_ids = false;
        while (*p != '\n' && !(separator == MG_BLANKS ? mg_is_blank(*p) : *p == separator)) p++;
    } while (*mg_skip_blanks(p) != '\n' && mg_skip_separator(&p, separator));
    return shape;
}

/* A first line of words is a header if it has names that only a header has, or if all lines behind it start with two
 * integers. Names as short as u and v could be vertices too. */
static meguri_status detect_header(meguri_format *out, const mg_reader *reader, mg_sample *sample) {
    const mg_input *input = sample->input;
    char *line;
    const char *end;
    meguri_status status = mg_sample_line(sample, &line, &end);
    if (status != MEGURI_OK || !line || sample->cut) return status;
    char separator = mg_header_separator(line, end);
    line_shape first = shape_of(reader, line, separator);
    if (first.columns < 2 || !first.all_words) return MEGURI_OK;
    bool short_names, named = mg_is_csv_header(line, end, &short_names);
    int lines = 0, integers = 0;
    for (;; lines++) {
        status = mg_sample_line(sample, &line, &end);
        if (status != MEGURI_OK) return status;
        if (!line) break;
        line_shape shape = shape_of(reader, line, separator);
        integers += shape.integer_ids && shape.columns == first.columns;
    }
    bool header = named || (lines && integers == lines);
    if (short_names) /* other names that are not known are told about by the reader */
        mg_warn(input->ctx, "%s: its first line is taken for %s.", input->name,
                header ? "a header; with format el it is data" : "an edge; with format csv it is a header");
    if (header) *out = MEGURI_FORMAT_CSV;
    return MEGURI_OK;
}

/* "N N ENTRIES" and then entries inside N by N, as SuiteSparse's tools accept without a banner. */
static meguri_status detect_bare_matrix(meguri_format *out, mg_sample *sample) {
    char *line;
    const char *end;
    uint64_t size[3], entry[2];
    meguri_status status = mg_sample_line(sample, &line, &end);
    if (status != MEGURI_OK || !line || !mg_header_numbers(line, size, 3)) return status;
    for (;;) {
        status = mg_sample_line(sample, &line, &end);
        if (status != MEGURI_OK) return status;
        if (!line) break;
        const char *p = mg_skip_blanks(line);
        for (int i = 0; i < 2; i++, p = mg_skip_blanks(p))
            if (!mg_parse_u64(&p, &entry[i]) || entry[i] < 1 || entry[i] > size[i]) return MEGURI_OK;
    }
    *out = MEGURI_FORMAT_MATRIX_MARKET;
    return MEGURI_OK;
}

/* ---- all together ----------------------------------------------------------------------------------------------- */

static meguri_status detect_by_name(meguri_format *out, mg_input *input, mg_sample *sample) {
    if (mg_has_suffix(input->name, ".graph") || mg_has_suffix(input->name, ".metis")) *out = MEGURI_FORMAT_METIS;
    if (mg_has_suffix(input->name, ".mtx")) return detect_bare_matrix(out, sample);
    if (!mg_has_suffix(input->name, ".e") || input->memory) return MEGURI_OK;
    char *vertices;
    meguri_status status = mg_ldbc_vertex_file(&vertices, input->ctx, input->name);
    if (vertices) *out = MEGURI_FORMAT_LDBC;
    mg_free(vertices);
    return status;
}

meguri_status mg_detect(meguri_format *out, const mg_reader *reader, mg_input *input) {
    const char *text = input->head + MG_PAD + input->used;
    *out = MEGURI_FORMAT_AUTO;
    if (input->head_bytes - input->used >= 14 && strncasecmp(text, "%%MatrixMarket", 14) == 0) {
        *out = MEGURI_FORMAT_MATRIX_MARKET;
        return MEGURI_OK;
    }
    mg_sample sample;
    bool nothing;
    mg_sample_start(&sample, input);
    sample.c_comments = true;
    meguri_status status = detect_letters(out, input, &sample);
    mg_sample_end(&sample);
    nothing = sample.too_far;
    mg_sample_start(&sample, input);
    if (status == MEGURI_OK && *out == MEGURI_FORMAT_AUTO) status = detect_by_name(out, input, &sample);
    mg_sample_end(&sample);
    mg_sample_start(&sample, input);
    if (status == MEGURI_OK && *out == MEGURI_FORMAT_AUTO) status = detect_header(out, reader, &sample);
    mg_sample_end(&sample);
    if (*out == MEGURI_FORMAT_AUTO) *out = MEGURI_FORMAT_EDGELIST;
    if (status == MEGURI_OK && nothing)
        mg_warn(
            reader->ctx,
            "%s: its first MiB holds only blanks and comments, so it is taken for %s; the option format says what it "
            "is.",
            input->name, *out == MEGURI_FORMAT_EDGELIST ? "an edge list" : meguri_format_name(*out));
    return status;
}
