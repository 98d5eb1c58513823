/* CSV with a header line that names the columns (RFC 4180; commas, but also semicolons, tabs, bars or
 * blanks).
 *
 * The two columns of ids and the one of weights are found by their names, so their order and other columns do not
 * matter. Where no two names are known, a file of two or three columns is read by position; a wider one is refused:
 * a table of stations must not become a graph by accident. */
#include "io/csv.h"
#include "io/format.h"

#include <inttypes.h>

typedef struct csv {
    mg_csv table;
    bool telling; /* the names of the ids are long enough to be no vertices */
    mg_csv_found sources, targets, weights;
} csv;

static const char *const source_names[] = {"source",     "src",        "from",         "start",   "tail",    "u",
                                           "sourceid",   "srcid",      "fromid",       "startid", "node1",   "id1",
                                           "sourcenode", "fromnode",   "startnode",    "nodeid1", "vertex1", "v1",
                                           "fromnodeid", "fromvertex", "sourcenodeid", NULL};
static const char *const target_names[] = {"target",     "dst",      "to",           "end",     "head",        "v",
                                           "targetid",   "dstid",    "toid",         "endid",   "node2",       "id2",
                                           "targetnode", "tonode",   "endnode",      "nodeid2", "vertex2",     "v2",
                                           "tonodeid",   "tovertex", "targetnodeid", "dest",    "destination", NULL};

bool mg_is_column_name(const char *text, size_t length) {
    char name[32];
    const mg_field field = {(char *)(uintptr_t)text, length};
    mg_csv_plain_name(&field, name, sizeof name);
    return mg_csv_find_name(name, source_names) != MG_NO_COLUMN || mg_csv_find_name(name, target_names) != MG_NO_COLUMN;
}

/* Looks for known names, and those of the columns that a reader wants. The line is changed where it has quotes. False
 * if it is no list of fields. */
static bool parse_header(char *line, const char *end, csv *found, const mg_reader *reader) {
    const mg_csv_found none = {.other = MG_NO_COLUMN};
    mg_csv *table = &found->table;
    *found = (csv){.sources = none, .targets = none, .weights = none};
    mg_csv_start(table);
    table->separator = mg_header_separator(line, end);
    table->quotes = mg_has_quotes(table->separator);
    const char *p = line, *last = end;
    while (last > line && mg_is_blank(last[-1])) last--;
    do {
        mg_field field;
        char name[32];
        if (!mg_csv_field(table, &p, end, &field)) return false;
        mg_csv_plain_name(&field, name, sizeof name);
        unsigned column = table->columns++;
        mg_csv_look(table, reader, column, &field);
        bool id = mg_csv_take_column(&table->source, &found->sources, column, name, source_names) ||
                  mg_csv_take_column(&table->target, &found->targets, column, name, target_names);
        if (id) found->telling |= strlen(name) > 2;
        else mg_csv_take_column(&table->weight, &found->weights, column, name, mg_csv_weight_names);
    } while (p < last && mg_skip_separator(&p, table->separator));
    return table->columns > 1;
}

/* ---- the first look --------------------------------------------------------------------------------------------- */

/* Columns by position where the names do not say it. */
static meguri_status choose_columns(mg_input *input, mg_csv *table) {
    if (table->source != MG_NO_COLUMN && table->target != MG_NO_COLUMN) return MEGURI_OK;
    bool one = table->source != MG_NO_COLUMN || table->target != MG_NO_COLUMN, weight = table->weight != MG_NO_COLUMN;
    if ((table->columns != 2 && table->columns != 3) || (one && table->columns == 3 && !weight))
        return mg_header_fail(input,
                              "no columns are named source and target among the %u of the header; rename the two "
                              "that hold the ends of the edges.",
                              table->columns);
    unsigned first = 0, second = 1;
    if (table->columns == 3 && weight) {
        first = table->weight == 0;
        second = table->weight == 2 ? 1 : 2;
    }
    if (table->columns == 2) table->weight = MG_NO_COLUMN;
    bool swap = table->source == second || table->target == first;
    table->source = swap ? second : first;
    table->target = swap ? first : second;
    mg_warn(input->ctx,
            "%s:%" PRIu64 ": this is taken for a header that names no %s; ids are read from columns %u and %u%s (with "
            "format el this line is data).",
            input->name, mg_input_header_line(input), one ? "other end of the edges" : "source and target",
            table->source + 1, table->target + 1,
            table->columns == 3 && !weight ? ", and the third is not called weight and not read" : "");
    return MEGURI_OK;
}

/* The header, which may be quoted but not broken over lines. */
static meguri_status read_header(mg_input *input, csv *found, const mg_reader *reader) {
    char *line;
    const char *end;
    const mg_csv *table = &found->table;
    meguri_status status = mg_csv_header(input, &line, &end);
    if (status != MEGURI_OK) return status;
    if (!parse_header(line, end, found, reader))
        return mg_header_fail(input,
                              "this header does not name columns parted by commas, semicolons, tabs, bars or blanks.");
    status = mg_csv_settle(input, &found->sources, table->source, "the ids that edges come from");
    if (status == MEGURI_OK) status = mg_csv_settle(input, &found->targets, table->target, "the ids that edges go to");
    if (status == MEGURI_OK) status = mg_csv_settle(input, &found->weights, table->weight, "the weights");
    if (status == MEGURI_OK) status = mg_csv_settle_columns(input, reader, &found->table);
    return status == MEGURI_OK ? choose_columns(input, &found->table) : status;
}

static meguri_status read_csv(mg_reader *reader, mg_input *input) {
    csv found;
    meguri_status status = mg_reader_direction(reader, input, MEGURI_DIRECTED);
    if (status == MEGURI_OK) status = read_header(input, &found, reader);
    return status == MEGURI_OK ? mg_csv_read_edges(reader, input, &found.table) : status;
}

/* ---- detection -------------------------------------------------------------------------------------------------- */

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
static meguri_status detect(meguri_format *out, const mg_reader *reader, mg_sample *sample) {
    const mg_input *input = sample->input;
    char *line;
    const char *end;
    meguri_status status = mg_sample_line(sample, &line, &end);
    if (status != MEGURI_OK || !line || sample->cut) return status;
    char separator = mg_header_separator(line, end);
    line_shape first = shape_of(reader, line, separator);
    if (first.columns < 2 || !first.all_words) return MEGURI_OK;
    csv found;
    const mg_csv *table = &found.table;
    bool ids = parse_header(line, end, &found, NULL) && table->source != MG_NO_COLUMN && table->target != MG_NO_COLUMN;
    bool named = ids && found.telling, short_names = ids && !named;
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

/* ---- writing ---------------------------------------------------------------------------------------------------- */

static meguri_status prepare(mg_write_job *job) {
    job->separator = ',';
    return MEGURI_OK;
}

static void head(const mg_write_job *job, mg_text *text) {
    mg_text_format(text, "source,target%s", job->with_weights ? ",weight" : "");
    for (uint32_t c = 0; c < job->column_count; c++) {
        mg_text_add(text, ",", 1);
        mg_write_csv_name(text, job->columns[c].name, strlen(job->columns[c].name));
    }
    mg_text_add(text, "\n", 1);
}

static void row(const mg_write_job *job, mg_text *text, const mg_write_row *r) {
    if (!job->column_count) mg_write_lines(job, text, r, "", r->degree);
    for (uint64_t i = 0; job->column_count && i < r->degree; i++) {
        mg_write_id(job, text, r->position);
        mg_text_add(text, ",", 1);
        mg_write_id(job, text, r->neighbors[i]);
        if (job->with_weights) {
            mg_text_add(text, ",", 1);
            mg_write_weight(job, text, mg_write_arc(r, i));
        }
        for (uint32_t c = 0; c < job->column_count; c++) {
            mg_text_add(text, ",", 1);
            mg_write_value(job, text, c, mg_write_arc(r, i));
        }
        mg_text_add(text, "\n", 1);
    }
}

static const mg_writer writer = {
    .id_form = MG_ID_FORM_CSV, .loses_isolated = true, .columns = true, .prepare = prepare, .head = head, .row = row};

const mg_format mg_format_csv = {
    .names_columns = true, .clue = MG_CLUE_SHAPE, .detect = detect, .read = read_csv, .writers = {&writer}};
