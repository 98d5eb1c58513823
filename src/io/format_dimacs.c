/* DIMACS and PACE: comment lines "c …", a problem line "p KIND n m", then the edges of vertices 1 … n.
 *
 * DIMACS's edges start with a letter: "a u v w" are the arcs of shortest-path files (9th challenge, p sp), "e u v" the
 * edges of colouring files (p edge, p col), which are undirected. PACE's are plain "u v" (p tw and its like). Arcs
 * without a problem line are common enough to be read, with a warning: then vertices are the ids that occur. */
#include "io/format.h"

#include <inttypes.h>
#include <math.h>

typedef struct problem_line {
    bool letters; /* lines start with a or e */
    bool has_line;
    bool colouring;
    mg_numbers numbers;
    uint64_t promised; /* edges, as the problem line says */
    bool has_weights;
    bool weighted; /* and they are stored */
} problem_line;

static bool is_letter_line(const char *p, char letter) { return *p == letter && (mg_is_blank(p[1]) || p[1] == '\n'); }

static meguri_status parse_problem_line(mg_input *input, const char *line, problem_line *problem) {
    const char *kind = mg_skip_blanks(line + 1);
    uint64_t numbers[2];
    if (mg_is_word(kind, "aux"))
        return mg_header_fail(input, "this is a file of coordinates; name it as the coordinates of a graph.");
    if (!mg_header_numbers(mg_skip_word(kind), numbers, 2))
        return mg_header_fail(input, "the problem line must be 'p KIND VERTICES EDGES'.");
    if (numbers[0] > MG_MAX_VERTICES)
        return mg_header_fail(input, "%" PRIu64 " vertices are more than the %" PRIu64 " that fit.", numbers[0],
                              MG_MAX_VERTICES);
    problem->has_line = true;
    problem->colouring = mg_is_word(kind, "edge") || mg_is_word(kind, "col");
    problem->numbers = (mg_numbers){1, numbers[0]};
    problem->promised = numbers[1];
    return MEGURI_OK;
}

/* Reads up to the first edge, which is put back. */
static meguri_status read_header(mg_input *input, problem_line *problem) {
    problem->numbers = (mg_numbers){0, UINT64_MAX};
    for (;;) {
        const char *line, *end;
        meguri_status status = mg_input_line(input, &line, &end);
        if (status != MEGURI_OK || !line) return status;
        const char *p = mg_skip_blanks(line);
        if (*p == '\n' || *p == 'c') continue;
        if (is_letter_line(p, 'p') && !problem->has_line) {
            status = parse_problem_line(input, p, problem);
            if (status != MEGURI_OK) return status;
            continue;
        }
        unsigned columns = mg_count_columns(p, MG_BLANKS);
        problem->has_weights = problem->letters && columns == 4;
        if (!problem->has_line) problem->colouring = is_letter_line(p, 'e');
        mg_input_unread(input);
        return MEGURI_OK;
    }
}

static meguri_status parse_edge(mg_pass *pass, const mg_chunk *chunk, const char **p, mg_block *block) {
    const problem_line *problem = pass->format;
    const char *line = *p, *at = line;
    if (is_letter_line(at, 'p'))
        return mg_pass_fail(pass, chunk, at, "a problem line must be the first and the only one.");
    if (problem->letters) {
        if (!is_letter_line(at, 'a') && !is_letter_line(at, 'e'))
            return mg_pass_fail(pass, chunk, at, "a line must start with c, p, a or e, but this one with '%.*s'.",
                                mg_word_at(at, MG_BLANKS).length, at);
        at = mg_skip_blanks(at + 1);
    }
    uint64_t from, to;
    double weight = 1;
    meguri_status status = mg_take_vertex(pass, chunk, &at, problem->numbers, &from);
    if (status == MEGURI_OK) status = mg_take_vertex(pass, chunk, &at, problem->numbers, &to);
    if (status == MEGURI_OK && problem->has_weights) {
        if (*at == '\n') return mg_pass_fail(pass, chunk, line, "the weight is missing.");
        if (problem->weighted) status = mg_take_weight(pass, chunk, &at, &weight);
        else at = mg_skip_word(at);
    }
    if (status != MEGURI_OK) return status;
    if (*at != '\n')
        return mg_pass_fail(pass, chunk, line, "%u columns found, but %u expected.", mg_count_columns(line, MG_BLANKS),
                            2u + problem->letters + problem->has_weights);
    *p = at + 1;
    return mg_block_push(block, from, to, weight) ? MEGURI_OK : MEGURI_NO_MEMORY;
}

static meguri_status parse_chunk(mg_pass *pass, const mg_chunk *chunk) {
    const problem_line *problem = pass->format;
    uint64_t lines = 0;
    mg_block block;
    meguri_status status = mg_block_new(&block, pass->reader->ctx, mg_guess_lines(chunk), problem->weighted);
    if (status != MEGURI_OK) return status;
    for (const char *p = chunk->begin; p < chunk->end && status == MEGURI_OK;) {
        p = mg_skip_blanks(p);
        if (*p == '\n' || *p == 'c') {
            p = mg_line_end(p, chunk->end) + 1;
            continue;
        }
        status = parse_edge(pass, chunk, &p, &block);
        lines++;
    }
    mg_fetch_add(&pass->lines, lines);
    if (status == MEGURI_OK) status = mg_block_add(pass, chunk, &block);
    mg_block_free(&block);
    return status;
}

/* Colouring files count an edge once or twice, and list it once or twice. */
static bool is_promised(const problem_line *problem, uint64_t lines) {
    uint64_t promised = problem->promised;
    if (lines == promised) return true;
    return problem->colouring && (lines * 2 == promised || (promised <= UINT64_MAX / 2 && lines == promised * 2));
}

static meguri_status read_problem(mg_reader *reader, mg_input *input, problem_line *problem) {
    meguri_status status = mg_reader_numbered(reader, input);
    if (status == MEGURI_OK) status = read_header(input, problem);
    if (status != MEGURI_OK) return status;
    if (!problem->has_line && !problem->letters)
        return mg_header_fail(input, "the problem line ('p tw VERTICES EDGES') is missing.");
    if (!problem->has_line)
        mg_warn(reader->ctx,
                "%s has no 'p' line; it is read as DIMACS, %s, and its vertices are the ids that occur (with format el "
                "the letters are ids, too).",
                input->name, problem->colouring ? "undirected because of its lines 'e'" : "with arcs 'a'");
    bool undirected = !problem->letters || problem->colouring;
    status = mg_reader_direction(reader, input, undirected ? MEGURI_UNDIRECTED : MEGURI_DIRECTED);
    if (status == MEGURI_OK) status = mg_reader_weights(reader, input, problem->has_weights, &problem->weighted);
    if (status == MEGURI_OK && problem->has_line)
        status = mg_edges_declare(reader->ctx, reader->edges, 1, problem->numbers.last);
    if (status != MEGURI_OK) return status;

    mg_pass pass = {.reader = reader, .input = input, .format = problem, .parse = parse_chunk};
    status = mg_pass_run(&pass, (mg_plan){.cut = MG_CUT_LINES, .longest_line = MG_LONGEST_LINE});
    if (status == MEGURI_OK && problem->has_line && !is_promised(problem, pass.lines))
        return mg_fail(reader->ctx, MEGURI_BAD_INPUT,
                       "%s holds %" PRIu64 " edges, but its problem line says %" PRIu64 "; the file may be cut short.",
                       input->name, pass.lines, problem->promised);
    return status;
}

static meguri_status read_dimacs(mg_reader *reader, mg_input *input) {
    problem_line problem = {.letters = true};
    return read_problem(reader, input, &problem);
}

static meguri_status read_pace(mg_reader *reader, mg_input *input) {
    problem_line problem = {.letters = false};
    return read_problem(reader, input, &problem);
}

/* ---- detection -------------------------------------------------------------------------------------------------- */

static meguri_status coordinates_file(const mg_input *input) {
    return mg_fail(input->ctx, MEGURI_BAD_INPUT,
                   "%s is a file of coordinates, not of edges; name it as the coordinates of a graph.", input->name);
}

/* Whether a line is a letter and whole numbers: at least `least` of them, and nothing else but one more word. */
static bool has_letter_and_numbers(const char *p, const char *letters, int least) {
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
    if (arcs && !has_letter_and_numbers(p, "ae", 2)) return MEGURI_OK;
    for (meguri_status status = MEGURI_OK;;) {
        status = mg_sample_line(sample, &line, &end);
        if (status != MEGURI_OK) return status;
        if (!line) break;
        p = mg_skip_blanks(line);
        bool edge = has_letter_and_numbers(p, "ae", 2);
        if (!edge && !has_letter_and_numbers(p, "v", 1) && !mg_is_word(p, "t")) return MEGURI_OK;
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
static meguri_status detect(meguri_format *out, const mg_reader *reader, mg_sample *sample) {
    char *line;
    const char *end;
    uint64_t numbers[3];
    const mg_input *input = sample->input;
    (void)reader;
    sample->c_comments = true;
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

/* ---- writing ---------------------------------------------------------------------------------------------------- */

/* `p sp N M`, then `a U V W` for every stored arc. */
static meguri_status prepare_dimacs(mg_write_job *job) {
    if (!mg_weights_whole(job, -INFINITY))
        return mg_fail(job->ctx, MEGURI_BAD_ARGUMENT,
                       "cannot write %s: DIMACS knows whole weights only, and this graph has others; write .wel, .csv "
                       "or .mtx.",
                       job->path);
    return MEGURI_OK;
}

static void head_dimacs(const mg_write_job *job, mg_text *text) {
    mg_text_format(text, "p sp %" PRIu64 " %" PRIu64 "\n", job->graph->vertices, job->graph->arcs);
}

static void row_dimacs(const mg_write_job *job, mg_text *text, const mg_write_row *r) {
    mg_write_lines(job, text, r, "a ", r->degree);
}

/* It has no arcs without a weight: 1 where the graph has none. */
static const mg_writer writer_dimacs = {.suffix = ".gr",
                                        .beside = &mg_writer_coordinates,
                                        .id_form = MG_ID_FORM_PLACE,
                                        .weights = MG_WEIGHTS_ALWAYS,
                                        .prepare = prepare_dimacs,
                                        .head = head_dimacs,
                                        .row = row_dimacs};

/* `p tw N M`, then `U V` once for every undirected edge. */
static void head_pace(const mg_write_job *job, mg_text *text) {
    mg_text_format(text, "p tw %" PRIu64 " %" PRIu64 "\n", job->graph->vertices, job->graph->edges);
}

static void row_pace(const mg_write_job *job, mg_text *text, const mg_write_row *r) {
    mg_write_lines(job, text, r, "", mg_write_lower(r));
}

static const mg_writer writer_pace = {.id_form = MG_ID_FORM_PLACE,
                                      .weights = MG_WEIGHTS_NEVER,
                                      .undirected_only = true,
                                      .prepare = mg_write_counted,
                                      .head = head_pace,
                                      .row = row_pace};

/* The first of the two finds both. */
const mg_format mg_format_gr = {
    .clue = MG_CLUE_SIGN, .detect = detect, .read = read_dimacs, .writers = {&writer_dimacs, &mg_writer_coordinates}};
const mg_format mg_format_pace = {.read = read_pace, .writers = {&writer_pace}};
