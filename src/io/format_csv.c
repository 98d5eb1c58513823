/* CSV with a header line that names the columns (RFC 4180; commas, but also semicolons, tabs, bars or
 * blanks).
 *
 * The two columns of ids and the one of weights are found by their names, so their order and other columns do not
 * matter. Where no two names are known, a file of two or three columns is read by position; a wider one is refused:
 * a table of stations must not become a graph by accident. */
#include "io/format.h"

#include <inttypes.h>
#include <stdlib.h>

typedef struct csv {
    char separator;
    unsigned columns;
    unsigned source, target, weight; /* columns, from 0; NO_COLUMN */
    bool weighted;                   /* the weights are stored */
    bool telling;                    /* the names of the ids are long enough to be no vertices */
    struct found {
        unsigned name;  /* its place in the list of names: lower ones are preferred */
        unsigned other; /* another column that has a name of the list; NO_COLUMN */
        bool twice;     /* and it is the same name */
    } sources, targets, weights;
    unsigned value_at[MEGURI_MOST_COLUMNS]; /* where the columns of the edges are */
    struct wanted {
        unsigned at;
        uint32_t column;
    } wanted[MEGURI_MOST_COLUMNS]; /* the same, from left to right */
    uint32_t wanted_count;
} csv;

#define NO_COLUMN UINT32_MAX
#define TWICE     (UINT32_MAX - 1)

static const char *const source_names[] = {"source",     "src",        "from",         "start",   "tail",    "u",
                                           "sourceid",   "srcid",      "fromid",       "startid", "node1",   "id1",
                                           "sourcenode", "fromnode",   "startnode",    "nodeid1", "vertex1", "v1",
                                           "fromnodeid", "fromvertex", "sourcenodeid", NULL};
static const char *const target_names[] = {"target",     "dst",      "to",           "end",     "head",        "v",
                                           "targetid",   "dstid",    "toid",         "endid",   "node2",       "id2",
                                           "targetnode", "tonode",   "endnode",      "nodeid2", "vertex2",     "v2",
                                           "tonodeid",   "tovertex", "targetnodeid", "dest",    "destination", NULL};
static const char *const weight_names[] = {"weight", "w",     "cost", "distance", "dist",
                                           "length", "value", "len",  "weights",  NULL};

/* Letters and digits in lower case, without what follows a bracket or, as in "weight:double", a colon. */
static void plain_name(const mg_field *field, char *out, size_t room) {
    size_t used = 0;
    for (size_t i = 0; i < field->length && used + 1 < room; i++) {
        unsigned char c = (unsigned char)field->text[i];
        if (c == '(' || (c == ':' && used)) break;
        if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z')) out[used++] = (char)c;
        if (c >= 'A' && c <= 'Z') out[used++] = (char)(c | 0x20);
    }
    out[used] = '\0';
}

/* The place of a name in a list; NO_COLUMN if it is not there. */
static unsigned find_name(const char *name, const char *const *names) {
    for (unsigned i = 0; names[i]; i++)
        if (strcmp(name, names[i]) == 0) return i;
    return NO_COLUMN;
}

bool mg_is_column_name(const char *text, size_t length) {
    char name[32];
    const mg_field field = {(char *)(uintptr_t)text, length};
    plain_name(&field, name, sizeof name);
    return find_name(name, source_names) != NO_COLUMN || find_name(name, target_names) != NO_COLUMN;
}

/* Takes a column whose name is in a list, unless an earlier one has a name that stands further in front: source and
 * target are the ends of an edge also where start and end are there, too. */
static bool take_column(unsigned *column, struct found *found, unsigned this, const char *name,
                        const char *const *names) {
    unsigned place = find_name(name, names);
    if (place == NO_COLUMN) return false;
    if (*column == NO_COLUMN) {
        *column = this;
        found->name = place;
        return true;
    }
    if (place == found->name) found->twice = true;
    if (place <= found->name || found->other == NO_COLUMN) found->other = place < found->name ? *column : this;
    if (place < found->name) {
        *column = this;
        found->name = place;
        found->twice = false;
    }
    return true;
}

/* A column of the edges has the name of a field, without regard to what follows a colon where the name has none. */
static bool has_name(const mg_field *field, const char *name) {
    size_t length = strlen(name);
    if (field->length == length && memcmp(field->text, name, length) == 0) return true;
    return field->length > length && field->text[length] == ':' && memcmp(field->text, name, length) == 0;
}

static void look_for_columns(csv *table, const mg_reader *reader, unsigned at, const mg_field *field) {
    for (uint32_t c = 0; reader && c < reader->options.column_count; c++)
        if (has_name(field, mg_reader_column(reader, c)->name))
            table->value_at[c] = table->value_at[c] == NO_COLUMN ? at : TWICE;
}

/* Looks for known names, and those of the columns that a reader wants. The line is changed where it has quotes. False
 * if it is no list of fields. */
static bool parse_header(char *line, const char *end, csv *table, const mg_reader *reader) {
    const struct found none = {.other = NO_COLUMN};
    *table = (csv){.source = NO_COLUMN, .target = NO_COLUMN, .weight = NO_COLUMN};
    table->sources = table->targets = table->weights = none;
    for (int c = 0; c < MEGURI_MOST_COLUMNS; c++) table->value_at[c] = NO_COLUMN;
    table->separator = mg_header_separator(line, end);
    const char *p = line, *last = end;
    while (last > line && mg_is_blank(last[-1])) last--;
    do {
        mg_field field;
        char name[32];
        if (!mg_take_field(&p, end, table->separator, &field)) return false;
        plain_name(&field, name, sizeof name);
        unsigned column = table->columns++;
        look_for_columns(table, reader, column, &field);
        bool id = take_column(&table->source, &table->sources, column, name, source_names) ||
                  take_column(&table->target, &table->targets, column, name, target_names);
        if (id) table->telling |= strlen(name) > 2;
        else take_column(&table->weight, &table->weights, column, name, weight_names);
    } while (p < last && mg_skip_separator(&p, table->separator));
    return table->columns > 1;
}

/* ---- records ---------------------------------------------------------------------------------------------------- */

/* The fields of a record that matter, and its end. */
typedef struct record {
    mg_field source, target, weight;
    mg_field values[MEGURI_MOST_COLUMNS]; /* of which those are set that are wanted */
} record;

static meguri_status take_record(mg_pass *pass, const mg_chunk *chunk, const char **p, record *out) {
    const csv *table = pass->format;
    const char *start = *p, *at = start;
    unsigned column = 0;
    uint32_t next = 0;
    do {
        mg_field field;
        if (!mg_take_field(&at, chunk->end, table->separator, &field))
            return mg_pass_fail(pass, chunk, start,
                                "a double quote is not where one may be: quotes go around a whole field, and are "
                                "doubled inside.");
        if (column == table->source) out->source = field;
        if (column == table->target) out->target = field;
        if (column == table->weight) out->weight = field;
        for (; next < table->wanted_count && table->wanted[next].at == column; next++)
            out->values[table->wanted[next].column] = field;
        column++;
    } while (mg_skip_separator(&at, table->separator));
    if (column != table->columns)
        return mg_pass_fail(pass, chunk, start, "%u column%s found, but the header names %u.", column,
                            column == 1 ? "" : "s", table->columns);
    *p = mg_line_end(at, chunk->end) + 1; /* blanks may stand before it */
    return MEGURI_OK;
}

static bool parse_id_field(const mg_field *field, uint64_t *id, bool *negative, bool *huge) {
    const char *p = field->text;
    return field->length && mg_parse_id(&p, id, negative, huge) && p == field->text + field->length;
}

static meguri_status take_integers(mg_pass *pass, const mg_chunk *chunk, const record *fields, uint64_t ids[2],
                                   bool *negative, bool *huge) {
    const mg_field *ends[2] = {&fields->source, &fields->target};
    bool was_negative = *negative, was_huge = *huge;
    for (int i = 0; i < 2; i++) {
        if (!ends[i]->length) return mg_pass_fail(pass, chunk, ends[i]->text, "an id is missing.");
        if (!parse_id_field(ends[i], &ids[i], negative, huge))
            return mg_pass_fail(pass, chunk, ends[i]->text,
                                "the id '%.*s' is not an integer of 64 bits; with the option ids (string) all are read "
                                "as strings.",
                                (int)mg_cut_text(ends[i]->text, ends[i]->length, 60), ends[i]->text);
    }
    if (*negative == was_negative && *huge == was_huge) return MEGURI_OK;
    return mg_note_ids(pass, chunk, fields->source.text, *negative, *huge);
}

static meguri_status take_weight(mg_pass *pass, const mg_chunk *chunk, const mg_field *field, double *weight) {
    const char *p = field->text;
    mg_number_status status = field->length ? mg_parse_number(&p, weight, pass->reader->c_locale) : MG_NUMBER_NONE;
    if (status == MG_NUMBER_OK && p == field->text + field->length) return MEGURI_OK;
    return mg_fail_weight_field(pass, chunk, field, status);
}

static meguri_status parse_records(mg_pass *pass, const mg_chunk *chunk, mg_block *block, mg_names *names) {
    const csv *table = pass->format;
    meguri_status status = MEGURI_OK;
    bool negative = false, huge = false;
    for (const char *p = chunk->begin; p < chunk->end && status == MEGURI_OK;) {
        const char *at = mg_skip_blanks(p);
        if (*at == '\n') {
            p = at + 1;
            continue;
        }
        record fields;
        fields.source = fields.target = fields.weight = (mg_field){0};
        uint64_t ids[2];
        double weight = 1;
        status = take_record(pass, chunk, &p, &fields);
        if (status == MEGURI_OK && names) {
            uint32_t numbers[2];
            status = mg_take_name(pass, chunk, names, &fields.source, &numbers[0]);
            if (status == MEGURI_OK) status = mg_take_name(pass, chunk, names, &fields.target, &numbers[1]);
            if (status == MEGURI_OK) ids[0] = numbers[0], ids[1] = numbers[1];
        } else if (status == MEGURI_OK) {
            status = take_integers(pass, chunk, &fields, ids, &negative, &huge);
        }
        if (status == MEGURI_OK && table->weighted) status = take_weight(pass, chunk, &fields.weight, &weight);
        if (status == MEGURI_OK && table->wanted_count) status = mg_block_values(block, pass, chunk, fields.values);
        if (status == MEGURI_OK && !mg_block_push(block, ids[0], ids[1], weight)) status = MEGURI_NO_MEMORY;
    }
    return status;
}

static meguri_status parse_chunk(mg_pass *pass, const mg_chunk *chunk) {
    const csv *table = pass->format;
    mg_reader *reader = pass->reader;
    mg_names *names = NULL;
    mg_block block = {0};
    meguri_status status = mg_block_new(&block, reader->ctx, mg_guess_lines(chunk), table->weighted);
    if (status == MEGURI_OK && table->wanted_count) status = mg_block_columns(&block, pass, chunk);
    if (status == MEGURI_OK && reader->string_ids == MG_YES) status = mg_names_new(&names, reader->ctx);
    if (status == MEGURI_OK) status = parse_records(pass, chunk, &block, names);
    if (status == MEGURI_OK)
        status = names || block.labelled ? mg_block_add_named(pass, chunk, &block, names) : mg_block_add(pass, &block);
    mg_block_free(&block);
    mg_names_free(names);
    return status;
}

/* ---- the first look --------------------------------------------------------------------------------------------- */

/* The ids in the first records: on a copy, because taking quotes off changes the text. */
static meguri_status look_at_ids(mg_input *input, const csv *table, mg_ids_seen *seen) {
    meguri_status status = mg_input_peek(input, input->used + MG_SAMPLE_BYTES);
    if (status != MEGURI_OK) return status;
    size_t bytes = MG_MIN(input->head_bytes - input->used, (size_t)MG_SAMPLE_BYTES);
    char *copy = mg_alloc(input->ctx, bytes + 2 * MG_PAD, "a sample of a file");
    if (!copy) return MEGURI_NO_MEMORY;
    memset(copy, '\n', bytes + 2 * MG_PAD);
    memcpy(copy + MG_PAD, input->head + MG_PAD + input->used, bytes);
    const char *p = copy + MG_PAD, *end = p + bytes;
    bool whole = input->ended && input->head_bytes - input->used == bytes;
    uint64_t line = mg_input_header_line(input) + 1;
    for (int records = 0; records < MG_SAMPLE_LINES && p < end; records++) {
        const char *start = p;
        mg_field ids[2] = {{0}};
        unsigned column = 0;
        do {
            mg_field field;
            if (!mg_take_field(&p, end, table->separator, &field)) break;
            if (column == table->source) ids[0] = field;
            if (column == table->target) ids[1] = field;
            column++;
        } while (mg_skip_separator(&p, table->separator));
        p = mg_line_end(p, end) + 1;
        if (p >= end && !whole) break; /* the last record may have been cut */
        for (int i = 0; i < 2; i++) mg_see_id(seen, line, ids[i].text, ids[i].length, false);
        line += mg_count_lines(start, MG_MIN(p, end));
    }
    mg_free(copy);
    return MEGURI_OK;
}

/* Two columns with the same name are an error; of two that could be meant, the one taken is named. */
static meguri_status settle(mg_input *input, const struct found *found, unsigned column, const char *what) {
    if (found->twice)
        return mg_header_fail(input, "columns %u and %u have the same name, and both could hold %s; rename one.",
                              MG_MIN(column, found->other) + 1, MG_MAX(column, found->other) + 1, what);
    /* The first of its list is what everybody calls it. */
    if (column != NO_COLUMN && found->other != NO_COLUMN && found->name != 0)
        mg_warn(input->ctx,
                "%s:%" PRIu64
                ": columns %u and %u could both hold %s; column %u is read (rename the others to settle it).",
                input->name, mg_input_header_line(input), MG_MIN(column, found->other) + 1,
                MG_MAX(column, found->other) + 1, what, column + 1);
    return MEGURI_OK;
}

/* Columns by position where the names do not say it. */
static meguri_status choose_columns(mg_input *input, csv *table) {
    if (table->source != NO_COLUMN && table->target != NO_COLUMN) return MEGURI_OK;
    bool one = table->source != NO_COLUMN || table->target != NO_COLUMN, weight = table->weight != NO_COLUMN;
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
    if (table->columns == 2) table->weight = NO_COLUMN;
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

static int from_left_to_right(const void *a, const void *b) {
    const struct wanted *x = a, *y = b;
    return x->at < y->at ? -1 : x->at > y->at;
}

/* That the columns which the edges are to have are there, each once. */
static meguri_status settle_columns(mg_input *input, const mg_reader *reader, csv *table) {
    for (uint32_t c = 0; c < reader->options.column_count; c++) {
        const char *name = mg_reader_column(reader, c)->name;
        if (table->value_at[c] == NO_COLUMN)
            return mg_header_fail(input, "there is no column \"%.200s\" among the %u of the header.", name,
                                  table->columns);
        if (table->value_at[c] == TWICE)
            return mg_header_fail(input, "two columns have the name \"%.200s\"; rename one.", name);
        table->wanted[table->wanted_count++] = (struct wanted){table->value_at[c], c};
    }
    if (table->wanted_count) qsort(table->wanted, table->wanted_count, sizeof *table->wanted, from_left_to_right);
    return MEGURI_OK;
}

/* The header, which may be quoted but not broken over lines. */
static meguri_status read_header(mg_input *input, csv *table, const mg_reader *reader) {
    const char *line, *end;
    do {
        meguri_status status = mg_input_line(input, &line, &end);
        if (status != MEGURI_OK) return status;
        if (!line)
            return mg_fail(input->ctx, MEGURI_BAD_INPUT, "%s is empty, where a header line should name columns.",
                           input->name);
    } while (*mg_skip_blanks(line) == '\n' || *line == '#');
    if (!parse_header((char *)(uintptr_t)line, end, table, reader)) /* the head is our own buffer */
        return mg_header_fail(input,
                              "this header does not name columns parted by commas, semicolons, tabs, bars or blanks.");
    meguri_status status = settle(input, &table->sources, table->source, "the ids that edges come from");
    if (status == MEGURI_OK) status = settle(input, &table->targets, table->target, "the ids that edges go to");
    if (status == MEGURI_OK) status = settle(input, &table->weights, table->weight, "the weights");
    if (status == MEGURI_OK) status = settle_columns(input, reader, table);
    return status == MEGURI_OK ? choose_columns(input, table) : status;
}

static meguri_status read_csv(mg_reader *reader, mg_input *input) {
    csv table;
    mg_ids_seen seen = {0};
    meguri_status status = mg_reader_direction(reader, input, MEGURI_DIRECTED);
    if (status == MEGURI_OK) status = read_header(input, &table, reader);
    if (status == MEGURI_OK) status = look_at_ids(input, &table, &seen);
    if (status == MEGURI_OK) status = mg_reader_ids(reader, input, &seen);
    if (status == MEGURI_OK) status = mg_reader_weights(reader, input, table.weight != NO_COLUMN, &table.weighted);
    if (status != MEGURI_OK) return status;
    mg_pass pass = {.reader = reader, .input = input, .format = &table, .parse = parse_chunk};
    const mg_cut cut = mg_has_quotes(table.separator) ? MG_CUT_QUOTED : MG_CUT_LINES;
    status = mg_pass_run(&pass, (mg_plan){.cut = cut, .longest_line = MG_LONGEST_LINE});
    if (status == MEGURI_OK && !pass.edges) mg_warn(reader->ctx, "%s holds no edges.", input->name);
    return status;
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
    csv table;
    bool ids = parse_header(line, end, &table, NULL) && table.source != NO_COLUMN && table.target != NO_COLUMN;
    bool named = ids && table.telling, short_names = ids && !named;
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
