/* CSV with a header line that names the columns (RFC 4180; commas, but also semicolons, tabs, bars or
 * blanks).
 *
 * The two columns of ids and the one of weights are found by their names, so their order and other columns do not
 * matter. Where no two names are known, a file of two or three columns is read by position; a wider one is refused:
 * a table of stations must not become a graph by accident. */
#include "io/read.h"

enum { SAMPLE_RECORDS = 1000, SAMPLE_BYTES = 64 << 10 };

typedef struct csv {
    char separator;
    unsigned columns;
    unsigned source, target, weight; /* columns, from 0; NO_COLUMN */
    bool weighted;                   /* the weights are stored */
    bool telling;                    /* the names of the ids are long enough to be no vertices */
} csv;

#define NO_COLUMN UINT32_MAX

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

static bool is_one_of(const char *name, const char *const *names) {
    for (; *names; names++)
        if (strcmp(name, *names) == 0) return true;
    return false;
}

/* Looks for known names. The line is changed where it has quotes. False if it is no list of fields. */
static bool parse_header(char *line, const char *end, csv *table) {
    *table = (csv){.source = NO_COLUMN, .target = NO_COLUMN, .weight = NO_COLUMN};
    table->separator = mg_header_separator(line, end);
    const char *p = line;
    do {
        mg_field field;
        char name[32];
        if (!mg_take_field(&p, end, table->separator, &field)) return false;
        plain_name(&field, name, sizeof name);
        unsigned column = table->columns++;
        if (table->source == NO_COLUMN && is_one_of(name, source_names)) table->source = column;
        else if (table->target == NO_COLUMN && is_one_of(name, target_names)) table->target = column;
        else if (table->weight == NO_COLUMN && is_one_of(name, weight_names)) table->weight = column;
        if (column == table->source || column == table->target) table->telling |= strlen(name) > 2;
    } while (*mg_skip_blanks(p) != '\n' && mg_skip_separator(&p, table->separator));
    return table->columns > 1;
}

bool mg_is_csv_header(char *line, const char *end) {
    csv table;
    return parse_header(line, end, &table) && table.source != NO_COLUMN && table.target != NO_COLUMN && table.telling;
}

/* ---- records ---------------------------------------------------------------------------------------------------- */

/* The fields of a record that matter, and its end. */
typedef struct record {
    mg_field source, target, weight;
} record;

static meguri_status take_record(mg_pass *pass, const mg_chunk *chunk, const char **p, record *out) {
    const csv *table = pass->format;
    const char *start = *p, *at = start;
    unsigned column = 0;
    do {
        mg_field field;
        if (!mg_take_field(&at, chunk->end, table->separator, &field))
            return mg_pass_fail(pass, chunk, start,
                                "a double quote is not where one may be: quotes go around a whole field, and are "
                                "doubled inside.");
        if (column == table->source) out->source = field;
        if (column == table->target) out->target = field;
        if (column == table->weight) out->weight = field;
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
                                "the id '%.*s' is not an integer of 64 bits; --ids string reads all ids as strings.",
                                (int)MG_MIN(ends[i]->length, (size_t)60), ends[i]->text);
    }
    if (*negative == was_negative && *huge == was_huge) return MEGURI_OK;
    return mg_note_ids(pass, chunk, fields->source.text, *negative, *huge);
}

static meguri_status take_weight(mg_pass *pass, const mg_chunk *chunk, const mg_field *field, double *weight) {
    if (!field->length) return mg_pass_fail(pass, chunk, field->text, "the weight is missing.");
    const char *p = field->text;
    mg_number_status status = mg_parse_number(&p, weight, pass->reader->c_locale);
    if (status == MG_NUMBER_OK && p == field->text + field->length) return MEGURI_OK;
    return mg_fail_weight(pass, chunk, field->text, ((const csv *)pass->format)->separator, status);
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
        record fields = {{0}, {0}, {0}};
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
    if (status == MEGURI_OK && reader->string_ids == MG_YES) status = mg_names_new(&names, reader->ctx);
    if (status == MEGURI_OK) status = parse_records(pass, chunk, &block, names);
    if (status == MEGURI_OK)
        status = names ? mg_block_add_named(pass, chunk, &block, names) : mg_block_add(pass, &block);
    mg_block_free(&block);
    mg_names_free(names);
    return status;
}

/* ---- the first look --------------------------------------------------------------------------------------------- */

/* Whether some id in the first records is no integer: on a copy, because taking quotes off changes the text. */
static meguri_status look_for_strings(mg_input *input, const csv *table, bool *strings) {
    meguri_status status = mg_input_peek(input, input->used + SAMPLE_BYTES);
    if (status != MEGURI_OK) return status;
    size_t bytes = MG_MIN(input->head_bytes - input->used, (size_t)SAMPLE_BYTES);
    char *copy = mg_alloc(input->ctx, bytes + 2 * MG_PAD, "a sample of a file");
    if (!copy) return MEGURI_NO_MEMORY;
    memset(copy, '\n', bytes + 2 * MG_PAD);
    memcpy(copy + MG_PAD, input->head + MG_PAD + input->used, bytes);
    const char *p = copy + MG_PAD, *end = p + bytes;
    bool whole = input->ended && input->head_bytes - input->used == bytes;
    *strings = false;
    for (int records = 0; records < SAMPLE_RECORDS && p < end; records++) {
        unsigned column = 0;
        bool other = false;
        do {
            mg_field field;
            uint64_t id;
            bool flag = false;
            if (!mg_take_field(&p, end, table->separator, &field)) break;
            if (column == table->source || column == table->target)
                other |= field.length && !parse_id_field(&field, &id, &flag, &flag);
            column++;
        } while (mg_skip_separator(&p, table->separator));
        p = mg_line_end(p, end) + 1;
        if (p < end || whole) *strings |= other; /* the last record may have been cut */
    }
    mg_free(copy);
    return MEGURI_OK;
}

/* Columns by position where the names say nothing. */
static meguri_status choose_columns(mg_input *input, csv *table) {
    if (table->source != NO_COLUMN && table->target != NO_COLUMN) return MEGURI_OK;
    if (table->columns != 2 && table->columns != 3)
        return mg_header_fail(input,
                              "no columns are named source and target among the %u of the header; rename the two "
                              "that hold the ends of the edges.",
                              table->columns);
    table->source = 0;
    table->target = 1;
    if (table->weight != 2) table->weight = NO_COLUMN;
    if (table->columns == 3 && table->weight == NO_COLUMN)
        mg_log(input->ctx, MEGURI_LOG_WARNING, "%s: the third column is not called weight and is not read.",
               input->name);
    return MEGURI_OK;
}

/* The header, which may be quoted but not broken over lines. */
static meguri_status read_header(mg_input *input, csv *table) {
    const char *line, *end;
    do {
        meguri_status status = mg_input_line(input, &line, &end);
        if (status != MEGURI_OK) return status;
        if (!line)
            return mg_fail(input->ctx, MEGURI_BAD_INPUT, "%s is empty, where a header line should name columns.",
                           input->name);
    } while (*mg_skip_blanks(line) == '\n' || *line == '#');
    if (!parse_header((char *)(uintptr_t)line, end, table)) /* the head is our own buffer */
        return mg_header_fail(input,
                              "this header does not name columns parted by commas, semicolons, tabs, bars or blanks.");
    return choose_columns(input, table);
}

meguri_status mg_read_csv(mg_reader *reader, mg_input *input) {
    csv table;
    bool strings = false;
    meguri_status status = mg_reader_direction(reader, input, MEGURI_DIRECTED);
    if (status == MEGURI_OK) status = read_header(input, &table);
    if (status == MEGURI_OK) status = look_for_strings(input, &table, &strings);
    if (status == MEGURI_OK) status = mg_reader_ids(reader, input, strings);
    if (status == MEGURI_OK) status = mg_reader_weights(reader, input, table.weight != NO_COLUMN, &table.weighted);
    if (status != MEGURI_OK) return status;
    mg_pass pass = {.reader = reader, .input = input, .format = &table, .parse = parse_chunk};
    status = mg_pass_run(&pass, (mg_plan){.cut = mg_has_quotes(table.separator) ? MG_CUT_QUOTED : MG_CUT_LINES});
    if (status == MEGURI_OK && !pass.edges) mg_log(reader->ctx, MEGURI_LOG_WARNING, "%s holds no edges.", input->name);
    return status;
}
