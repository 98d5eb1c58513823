/* Which format an input has (docs/formats.md tells users the same).
 *
 * Content decides: a Matrix Market banner, a problem line, arcs with their letter, a header that names columns. What
 * is left are plain lines of two or three words, which are an edge list unless the name says METIS (.graph, .metis),
 * LDBC (.e with a .v beside it) or Matrix Market without its banner (.mtx), where content alone cannot tell. */
#include "io/meg.h"
#include "io/read.h"

#include <strings.h>

enum { SAMPLE_LINES = 1000, SAMPLE_BYTES = 64 << 10 };

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
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
        if (input->head_bytes >= foreign[i].bytes && memcmp(text, foreign[i].magic, foreign[i].bytes) == 0)
            return mg_fail(input->ctx, MEGURI_BAD_INPUT, "%s %s.", input->name, foreign[i].is);
    if (input->head_bytes && memchr(text, '\0', input->head_bytes))
        return mg_fail(input->ctx, MEGURI_BAD_INPUT,
                       "%s holds zero bytes, so it is no text; if it holds binary edges, say which (--format bin32, "
                       "bin48 or bin64).",
                       input->name);
    return MEGURI_OK;
}

/* ---- DIMACS and its like ---------------------------------------------------------------------------------------- */

static bool is_word(const char *p, const char *word) {
    size_t length = strlen(word);
    return strncmp(p, word, length) == 0 && (mg_is_blank(p[length]) || p[length] == '\n');
}

/* The next line that is neither blank nor a comment of DIMACS or anyone. */
static meguri_status next_line_but_c(mg_input *input, const char **line) {
    const char *end;
    do {
        meguri_status status = mg_next_data_line(input, line, &end);
        if (status != MEGURI_OK || !*line) return status;
        *line = mg_skip_blanks(*line);
    } while (is_word(*line, "c"));
    return MEGURI_OK;
}

static meguri_status coordinates_file(const mg_input *input) {
    return mg_fail(input->ctx, MEGURI_BAD_INPUT,
                   "%s is a file of coordinates, not of edges; give it with --coords beside the graph.", input->name);
}

/* "p KIND N M" or "a U V W"; leaves *out alone if it is neither. */
static meguri_status detect_letters(meguri_format *out, mg_input *input) {
    const char *p;
    uint64_t numbers[3];
    meguri_status status = next_line_but_c(input, &p);
    if (status != MEGURI_OK || !p) return status;
    bool gr = mg_has_suffix(input->name, ".gr") || mg_has_suffix(input->name, ".col");
    if (is_word(p, "p")) {
        const char *kind = mg_skip_blanks(p + 1);
        if (is_word(kind, "aux")) return coordinates_file(input);
        if (!mg_header_numbers(mg_skip_word(kind), numbers, 2)) {
            if (gr) *out = MEGURI_FORMAT_DIMACS; /* whose reader says what is wrong */
            return MEGURI_OK;
        }
        *out = MEGURI_FORMAT_DIMACS;
        if (is_word(kind, "sp") || is_word(kind, "edge") || is_word(kind, "col")) return MEGURI_OK;
        status = next_line_but_c(input, &p);
        if (status == MEGURI_OK && (!p || (!is_word(p, "a") && !is_word(p, "e")))) *out = MEGURI_FORMAT_PACE;
    } else if (is_word(p, "a") || (gr && is_word(p, "e"))) {
        unsigned columns = mg_count_columns(p, MG_BLANKS);
        if (columns == 4 || (gr && columns == 3)) *out = MEGURI_FORMAT_DIMACS;
    } else if (is_word(p, "v") && mg_count_columns(p, MG_BLANKS) == 4) {
        return coordinates_file(input);
    }
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
 * integers. Names as
 * short as u and v could be vertices too. */
static meguri_status detect_header(meguri_format *out, const mg_reader *reader, mg_input *input) {
    const char *line, *end;
    meguri_status status = mg_next_data_line(input, &line, &end);
    if (status != MEGURI_OK || !line) return status;
    char separator = mg_header_separator(line, end);
    line_shape first = shape_of(reader, line, separator);
    if (first.columns < 2 || !first.all_words) return MEGURI_OK;
    size_t length = (size_t)(end - line);
    char *copy = mg_alloc(input->ctx, length + 2 * MG_PAD, "a header line");
    if (!copy) return MEGURI_NO_MEMORY;
    memset(copy, '\n', length + 2 * MG_PAD);
    memcpy(copy + MG_PAD, line, length);
    bool named = mg_is_csv_header(copy + MG_PAD, copy + MG_PAD + length);
    mg_free(copy);

    int lines = 0, integers = 0;
    for (; lines < SAMPLE_LINES && input->used < SAMPLE_BYTES; lines++) {
        status = mg_next_data_line(input, &line, &end);
        if (status != MEGURI_OK) return status;
        if (!line) break;
        line_shape shape = shape_of(reader, line, separator);
        integers += shape.integer_ids && shape.columns == first.columns;
    }
    bool header = named || (lines && integers == lines);
    if (header && !named)
        mg_log(input->ctx, MEGURI_LOG_WARNING,
               "%s: its first line is taken for a header; --format el reads it as data.", input->name);
    if (header) *out = MEGURI_FORMAT_CSV;
    return MEGURI_OK;
}

/* "N N ENTRIES" and then entries inside N by N, as SuiteSparse's tools accept without a banner. */
static meguri_status detect_bare_matrix(meguri_format *out, mg_input *input) {
    const char *line, *end;
    uint64_t size[3], entry[2];
    meguri_status status = mg_next_data_line(input, &line, &end);
    if (status != MEGURI_OK || !line || !mg_header_numbers(line, size, 3)) return status;
    for (int lines = 0; lines < SAMPLE_LINES && input->used < SAMPLE_BYTES; lines++) {
        status = mg_next_data_line(input, &line, &end);
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

static meguri_status detect_by_name(meguri_format *out, mg_input *input) {
    if (mg_has_suffix(input->name, ".graph") || mg_has_suffix(input->name, ".metis")) *out = MEGURI_FORMAT_METIS;
    if (mg_has_suffix(input->name, ".mtx")) return detect_bare_matrix(out, input);
    if (!mg_has_suffix(input->name, ".e") || input->memory) return MEGURI_OK;
    char *vertices;
    meguri_status status = mg_ldbc_vertex_file(&vertices, input->ctx, input->name);
    if (vertices) *out = MEGURI_FORMAT_LDBC;
    mg_free(vertices);
    return status;
}

meguri_status mg_detect(meguri_format *out, const mg_reader *reader, mg_input *input) {
    size_t start = input->used;
    const char *text = input->head + MG_PAD + start;
    *out = MEGURI_FORMAT_AUTO;
    if (input->head_bytes - start >= 14 && strncasecmp(text, "%%MatrixMarket", 14) == 0) {
        *out = MEGURI_FORMAT_MATRIX_MARKET;
        return MEGURI_OK;
    }
    meguri_status status = detect_letters(out, input);
    input->used = start;
    if (status == MEGURI_OK && *out == MEGURI_FORMAT_AUTO) status = detect_by_name(out, input);
    input->used = start;
    if (status == MEGURI_OK && *out == MEGURI_FORMAT_AUTO) status = detect_header(out, reader, input);
    input->used = start;
    if (*out == MEGURI_FORMAT_AUTO) *out = MEGURI_FORMAT_EDGELIST;
    return status;
}
