/* Matrix Market, coordinate format (https://math.nist.gov/MatrixMarket/formats.html): entry (i, j) of a square matrix
 * is the edge from i to j, its value the weight; vertices are 1 … n.
 *
 * A symmetric matrix holds each pair once, which is what an undirected graph wants; read as directed it is expanded,
 * with the opposite sign where it is skew-symmetric. A line "%%GraphBLAS type T" (as LAGraph writes it) names the type
 * of the values: any value but 0 of a bool is 1, floats are rounded to 32 bits. A value outside the range of an integer
 * type breaks that promise but is a legal entry: it is kept as written, with a warning. */
#include "io/format.h"

#include <inttypes.h>
#include <math.h>
#include <strings.h>

typedef enum symmetry { GENERAL, SYMMETRIC, SKEW } symmetry;

/* The types of a %%GraphBLAS line. */
typedef struct value_type {
    const char *name;
    bool is_signed, is_bool, is_float, is_double;
    double min, max; /* of the integer types */
} value_type;

static const value_type types[] = {
    {"bool", false, true, false, false, 0, 1},
    {"int8_t", true, false, false, false, INT8_MIN, INT8_MAX},
    {"int16_t", true, false, false, false, INT16_MIN, INT16_MAX},
    {"int32_t", true, false, false, false, INT32_MIN, INT32_MAX},
    {"int64_t", true, false, false, false, -0x1p63, 0x1p63},
    {"uint8_t", false, false, false, false, 0, UINT8_MAX},
    {"uint16_t", false, false, false, false, 0, UINT16_MAX},
    {"uint32_t", false, false, false, false, 0, UINT32_MAX},
    {"uint64_t", false, false, false, false, 0, 0x1p64},
    {"float", true, false, true, false, 0, 0},
    {"double", true, false, false, true, 0, 0},
};

typedef struct matrix {
    bool pattern;
    bool real; /* its weights are, whatever their values */
    symmetry symmetry;
    const value_type *type; /* NULL: no such line */
    uint64_t size, entries;
    bool weighted; /* values are stored */
    bool expand;   /* both directions of a symmetric matrix */
} matrix;

/* ---- header ----------------------------------------------------------------------------------------------------- */

static bool next_word_is(const char **p, const char *word) {
    const char *at = mg_skip_blanks(*p);
    size_t length = strlen(word);
    if (strncasecmp(at, word, length) != 0 || (!mg_is_blank(at[length]) && at[length] != '\n')) return false;
    *p = at + length;
    return true;
}

static meguri_status parse_banner(mg_input *input, const char *p, matrix *m) {
    p += strlen("%%MatrixMarket");
    if (!next_word_is(&p, "matrix")) return mg_header_fail(input, "only Matrix Market's 'matrix' can be read.");
    if (next_word_is(&p, "array"))
        return mg_header_fail(input, "an array is a full matrix, not a graph; only 'coordinate' can be read.");
    if (!next_word_is(&p, "coordinate"))
        return mg_header_fail(input, "after 'matrix' there must be 'coordinate' in a Matrix Market header.");
    if (next_word_is(&p, "complex"))
        return mg_header_fail(input, "complex values cannot be weights; only real, integer and pattern can be read.");
    m->pattern = next_word_is(&p, "pattern");
    m->real = !m->pattern && (next_word_is(&p, "real") || next_word_is(&p, "double"));
    if (!m->pattern && !m->real && !next_word_is(&p, "integer"))
        return mg_header_fail(input, "the kind of values must be real, integer or pattern in a Matrix Market header.");
    if (next_word_is(&p, "general")) m->symmetry = GENERAL;
    else if (next_word_is(&p, "symmetric")) m->symmetry = SYMMETRIC;
    else if (next_word_is(&p, "skew-symmetric")) m->symmetry = SKEW;
    else if (next_word_is(&p, "hermitian"))
        return mg_header_fail(input, "a hermitian matrix has complex values, which cannot be weights.");
    else
        return mg_header_fail(input,
                              "the symmetry must be general, symmetric or skew-symmetric in a Matrix Market header.");
    if (m->pattern && m->symmetry == SKEW)
        return mg_header_fail(input, "a pattern has no values and cannot be skew-symmetric.");
    return MEGURI_OK;
}

static meguri_status parse_type_line(mg_input *input, const char *p, matrix *m) {
    p += strlen("%%GraphBLAS");
    if (!next_word_is(&p, "type")) return MEGURI_OK; /* some other remark */
    m->type = NULL;
    for (size_t i = 0; i < sizeof types / sizeof *types && !m->type; i++)
        if (next_word_is(&p, types[i].name)) m->type = &types[i];
    if (next_word_is(&p, "complex"))
        return mg_header_fail(input, "complex values cannot be weights; only real types can be read.");
    if (!m->type) return mg_header_fail(input, "the %%%%GraphBLAS line names a type that is not known.");
    if (m->symmetry == SKEW && !m->type->is_signed)
        return mg_header_fail(input, "a skew-symmetric matrix has negative values, which %s does not hold.",
                              m->type->name);
    return MEGURI_OK;
}

static meguri_status parse_size(mg_input *input, const char *p, matrix *m) {
    uint64_t numbers[3];
    if (!mg_header_numbers(p, numbers, 3))
        return mg_header_fail(input, "the size line must hold three whole numbers: rows, columns, entries.");
    if (numbers[0] != numbers[1])
        return mg_header_fail(input, "a matrix of %" PRIu64 " by %" PRIu64 " is not square, so it is no graph.",
                              numbers[0], numbers[1]);
    if (numbers[0] > MG_MAX_VERTICES)
        return mg_header_fail(input, "%" PRIu64 " vertices are more than the %" PRIu64 " that fit.", numbers[0],
                              MG_MAX_VERTICES);
    m->size = numbers[0];
    m->entries = numbers[2];
    return MEGURI_OK;
}

/* Without a banner, what SuiteSparse takes it for: real if the first entry has a value, and general. */
static meguri_status guess_banner(mg_input *input, matrix *m) {
    const char *line, *end;
    meguri_status status = mg_input_line(input, &line, &end);
    if (status == MEGURI_OK && line) {
        m->pattern = mg_count_columns(line, MG_BLANKS) == 2;
        mg_input_unread(input);
    }
    mg_warn(input->ctx, "%s has no %%%%MatrixMarket line; it is read as 'matrix coordinate %s general'.", input->name,
            m->pattern ? "pattern" : "real");
    return status;
}

static meguri_status read_header(mg_input *input, matrix *m) {
    bool has_banner = false;
    for (bool first = true;; first = false) {
        const char *line, *end;
        meguri_status status = mg_input_line(input, &line, &end);
        if (status != MEGURI_OK) return status;
        if (!line) return mg_header_fail(input, "the size line (rows, columns, entries) is missing.");
        if (first && strncasecmp(line, "%%MatrixMarket", 14) == 0) {
            has_banner = true;
            status = parse_banner(input, line, m);
        } else if (has_banner && strncasecmp(line, "%%GraphBLAS", 11) == 0) {
            status = parse_type_line(input, line, m);
        } else if (*line != '%' && *mg_skip_blanks(line) != '\n') {
            status = parse_size(input, line, m);
            return status == MEGURI_OK && !has_banner ? guess_banner(input, m) : status;
        }
        if (status != MEGURI_OK) return status;
    }
}

/* ---- entries ---------------------------------------------------------------------------------------------------- */

static inline double as_type(const matrix *m, double value, bool *misfit) {
    const value_type *type = m->type;
    if (!type || type->is_double) return value;
    if (type->is_float) return (double)(float)value;
    if (type->is_bool) return value != 0;
    if ((value < type->min) | (value > type->max) | (value != floor(value))) *misfit = true;
    return value;
}

static meguri_status parse_entry(mg_pass *pass, const mg_chunk *chunk, const char **p, mg_block *block, bool *misfit) {
    const matrix *m = pass->format;
    const mg_numbers numbers = {1, m->size};
    const char *at = *p;
    uint64_t row, column;
    double value = 1;
    meguri_status status = mg_take_vertex(pass, chunk, &at, numbers, &row);
    if (status == MEGURI_OK) status = mg_take_vertex(pass, chunk, &at, numbers, &column);
    if (status != MEGURI_OK) return status;
    if (m->weighted) {
        const char *word = at;
        status = mg_take_weight(pass, chunk, &at, &value);
        if (status != MEGURI_OK) return status;
        value = as_type(m, value, misfit);
        if (isinf(value)) return mg_fail_weight(pass, chunk, word, MG_BLANKS, MG_NUMBER_TOO_LARGE);
    } else if (!m->pattern) {
        if (*at == '\n') return mg_pass_fail(pass, chunk, *p, "the value of the entry is missing.");
        at = mg_skip_word(at);
    }
    if (*at != '\n')
        return mg_pass_fail(pass, chunk, *p, "%u columns found, but the header says %d.",
                            mg_count_columns(*p, MG_BLANKS), m->pattern ? 2 : 3);
    if (m->symmetry == SKEW && row == column)
        return mg_pass_fail(pass, chunk, *p, "a skew-symmetric matrix has no entries on its diagonal.");
    *p = at + 1;
    if (!mg_block_push(block, row, column, value)) return MEGURI_NO_MEMORY;
    if (!m->expand || row == column) return MEGURI_OK;
    return mg_block_push(block, column, row, m->symmetry == SKEW ? -value : value) ? MEGURI_OK : MEGURI_NO_MEMORY;
}

static meguri_status parse_chunk(mg_pass *pass, const mg_chunk *chunk) {
    const matrix *m = pass->format;
    uint64_t lines = 0, misfits = 0;
    const char *first_misfit = NULL;
    mg_block block;
    meguri_status status = mg_block_new(&block, pass->reader->ctx, mg_guess_lines(chunk) << m->expand, m->weighted);
    if (status != MEGURI_OK) return status;
    for (const char *p = chunk->begin; p < chunk->end && status == MEGURI_OK;) {
        const char *at = mg_skip_blanks(p);
        if (*at == '\n' || *at == '%') {
            p = mg_line_end(at, chunk->end) + 1;
            continue;
        }
        p = at;
        bool misfit = false;
        status = parse_entry(pass, chunk, &p, &block, &misfit);
        lines++;
        if (misfit && !misfits++) first_misfit = at;
    }
    mg_pass_remark(pass, chunk, first_misfit, MG_MISFITS, misfits);
    mg_fetch_add(&pass->lines, lines);
    if (status == MEGURI_OK) status = mg_block_add(pass, chunk, &block);
    mg_block_free(&block);
    return status;
}

static meguri_status read_mtx(mg_reader *reader, mg_input *input) {
    matrix m = {0};
    meguri_status status = mg_reader_numbered(reader, input);
    if (status == MEGURI_OK) status = read_header(input, &m);
    if (status == MEGURI_OK)
        status = mg_reader_direction(reader, input, m.symmetry == GENERAL ? MEGURI_DIRECTED : MEGURI_UNDIRECTED);
    if (status == MEGURI_OK) status = mg_reader_weights(reader, input, !m.pattern, &m.weighted);
    if (status == MEGURI_OK && m.weighted && m.real) mg_edges_declare_weights(reader->edges, MEGURI_TYPE_F64);
    if (status == MEGURI_OK) status = mg_edges_declare(reader->ctx, reader->edges, 1, m.size);
    if (status != MEGURI_OK) return status;
    m.expand = m.symmetry != GENERAL && reader->direction == MEGURI_DIRECTED;

    mg_pass pass = {.reader = reader, .input = input, .format = &m, .parse = parse_chunk};
    status = mg_pass_run(&pass, (mg_plan){.cut = MG_CUT_LINES, .longest_line = MG_LONGEST_LINE});
    if (status != MEGURI_OK) return status;
    if (pass.lines != m.entries)
        return mg_fail(reader->ctx, MEGURI_BAD_INPUT,
                       "%s holds %" PRIu64 " entries, but its header says %" PRIu64 "; the file may be cut short.",
                       input->name, pass.lines, m.entries);
    const mg_noted *misfits = &pass.noted[MG_MISFITS];
    if (misfits->count)
        mg_warn(reader->ctx,
                "%s:%" PRIu64 ": some values (%" PRIu64 ", of which this is the first) do not fit %s; they are kept as "
                "written.",
                input->name, misfits->inside, misfits->count, m.type->name);
    return MEGURI_OK;
}

/* ---- detection -------------------------------------------------------------------------------------------------- */

/* The banner; or, where the name says it, what SuiteSparse's tools accept without one: "N N ENTRIES" and then entries
 * inside N by N. */
static meguri_status detect(meguri_format *out, const mg_reader *reader, mg_sample *sample) {
    const mg_input *input = sample->input;
    const char *end, *text = input->head + MG_PAD + input->used;
    char *line;
    uint64_t size[3], entry[2];
    bool banner = input->head_bytes - input->used >= 14 && strncasecmp(text, "%%MatrixMarket", 14) == 0;
    (void)reader;
    if (banner) *out = MEGURI_FORMAT_MATRIX_MARKET;
    if (banner || meguri_format_of_path(input->name) != MEGURI_FORMAT_MATRIX_MARKET) return MEGURI_OK;
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

/* ---- writing ---------------------------------------------------------------------------------------------------- */

static void head(const mg_write_job *job, mg_text *text) {
    const meguri_graph *g = job->graph;
    const char *field = g->weight_type == MEGURI_TYPE_NONE       ? "pattern"
                        : !mg_type_is_real(mg_graph_declared(g)) ? "integer"
                                                                 : "real";
    mg_text_format(text, "%%%%MatrixMarket matrix coordinate %s %s\n", field, g->directed ? "general" : "symmetric");
    mg_text_format(text, "%" PRIu64 " %" PRIu64 " %" PRIu64 "\n", g->vertices, g->vertices, g->edges);
}

static void row(const mg_write_job *job, mg_text *text, const mg_write_row *r) {
    mg_write_lines(job, text, r, "", job->graph->directed ? r->degree : mg_write_lower(r));
}

static const mg_writer writer = {.id_form = MG_ID_FORM_PLACE, .prepare = mg_write_counted, .head = head, .row = row};

const mg_format mg_format_mtx = {.clue = MG_CLUE_SIGN, .detect = detect, .read = read_mtx, .writers = {&writer}};
