/* Records of fields (csv.h; RFC 4180): quotes around a field that has the separator or a line end in it, doubled quotes
 * inside. Chunks end where a line does that is in no quotes, so a record is never parted. */
#include "io/csv.h"

#include <inttypes.h>
#include <stdlib.h>

/* ---- names of columns ------------------------------------------------------------------------------------------- */

const char *const mg_csv_weight_names[] = {"weight", "w",     "cost", "distance", "dist",
                                           "length", "value", "len",  "weights",  NULL};

meguri_status mg_csv_make_room(mg_csv_room *out, mg_reader *reader) {
    uint64_t most = reader->options.column_count + (uint64_t)MG_CSV_MORE_WANTED;
    out->value = mg_reader_keep(reader, most * sizeof *out->value);
    out->wanted = mg_reader_keep(reader, most * sizeof *out->wanted);
    if (!out->value || !out->wanted) return MEGURI_NO_MEMORY;
    for (uint64_t c = 0; c < most; c++) out->value[c].at = MG_NO_COLUMN;
    return MEGURI_OK;
}

void mg_csv_start(mg_csv *table, const mg_csv_room *room) {
    *table =
        (mg_csv){.source = MG_NO_COLUMN, .target = MG_NO_COLUMN, .weight = MG_NO_COLUMN, .direction = MG_NO_COLUMN};
    if (room) table->columns_of_edges = *room;
}

bool mg_csv_field(const mg_csv *table, const char **p, const char *end, mg_field *field) {
    return mg_take_field(p, end, table->separator, table->quotes, field);
}

meguri_status mg_csv_header(mg_input *input, char **line, const char **end) {
    const char *found;
    do {
        meguri_status status = mg_input_line(input, &found, end);
        if (status != MEGURI_OK) return status;
        if (!found)
            return mg_fail(input->ctx, MEGURI_BAD_INPUT, "%s is empty, where a header line should name columns.",
                           input->name);
    } while (*mg_skip_blanks(found) == '\n' || mg_is_comment(mg_skip_blanks(found)));
    *line = (char *)(uintptr_t)found; /* the head is our own buffer */
    return MEGURI_OK;
}

void mg_csv_plain_name(const mg_field *field, char *out, size_t room) {
    size_t used = 0;
    for (size_t i = 0; i < field->length && used + 1 < room; i++) {
        unsigned char c = (unsigned char)field->text[i];
        if (c == '(' || (c == ':' && used)) break;
        if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z')) out[used++] = (char)c;
        if (c >= 'A' && c <= 'Z') out[used++] = (char)(c | 0x20);
    }
    out[used] = '\0';
}

unsigned mg_csv_find_name(const char *name, const char *const *names) {
    for (unsigned i = 0; names[i]; i++)
        if (strcmp(name, names[i]) == 0) return i;
    return MG_NO_COLUMN;
}

bool mg_csv_take_column(unsigned *column, mg_csv_found *found, unsigned number, const char *name,
                        const char *const *names) {
    unsigned place = mg_csv_find_name(name, names);
    if (place == MG_NO_COLUMN) return false;
    if (*column == MG_NO_COLUMN) {
        *column = number;
        found->name = place;
        return true;
    }
    if (place == found->name) found->twice = true;
    if (place <= found->name || found->other == MG_NO_COLUMN) found->other = place < found->name ? *column : number;
    if (place < found->name) {
        *column = number;
        found->name = place;
        found->twice = false;
    }
    return true;
}

meguri_status mg_csv_settle(mg_input *input, const mg_csv_found *found, unsigned column, const char *what,
                            const char *option) {
    if (found->twice)
        return mg_header_fail(input, "columns %u and %u have the same name, and both could hold %s; rename one%s%s.",
                              MG_MIN(column, found->other) + 1, MG_MAX(column, found->other) + 1, what,
                              option ? ", or number the right one by " : "", option ? option : "");
    /* The first of its list is what everybody calls it. */
    if (column != MG_NO_COLUMN && found->other != MG_NO_COLUMN && found->name != 0)
        mg_warn(input->ctx, "%s:%" PRIu64 ": columns %u and %u could both hold %s; column %u is read (%s settle%s it).",
                input->name, mg_input_header_line(input), MG_MIN(column, found->other) + 1,
                MG_MAX(column, found->other) + 1, what, column + 1, option ? option : "other names", option ? "s" : "");
    return MEGURI_OK;
}

/* ---- columns of the edges --------------------------------------------------------------------------------------- */

bool mg_csv_is_only_column(const mg_field *name) {
    const size_t length = sizeof MG_CSV_COLUMN - 1;
    return name->length > length && memcmp(name->text + name->length - length, MG_CSV_COLUMN, length) == 0;
}

/* How well a name fits a field: 4 it is what the field calls a column of the edges; 3 a column; 2 it could be; 1 as a
 * last resort; 0 no. */
static uint8_t fits(const mg_field *field, const char *name, mg_csv_title title) {
    size_t length = strlen(name);
    if (field->length < length || memcmp(field->text, name, length) != 0) return 0;
    bool whole = field->length == length;
    if (title == MG_CSV_SIGN) return whole;
    if (whole) return title == MG_CSV_NAME ? 3 : 2;
    if (field->text[length] != ':') return 0;
    if (memchr(field->text + length + 1, ':', field->length - length - 1)) return 1;
    if (title == MG_CSV_NAME_AND_TYPE) return 3;
    return mg_csv_is_only_column(field) && field->length == length + sizeof MG_CSV_COLUMN - 1 ? 4 : 2;
}

void mg_csv_look_for(mg_csv *table, const mg_reader *reader, unsigned column, const mg_field *field,
                     mg_csv_title title) {
    for (uint32_t c = 0; reader && c < reader->options.column_count; c++) {
        uint8_t now = fits(field, mg_reader_column(reader, c)->name, title);
        struct mg_csv_value *value = &table->columns_of_edges.value[c];
        if (!now || now < value->fits) continue;
        value->at = now == value->fits ? MG_TWO_COLUMN : column;
        value->fits = now;
    }
}

static int from_left_to_right(const void *a, const void *b) {
    const struct mg_csv_wanted *x = a, *y = b;
    return x->at < y->at ? -1 : x->at > y->at;
}

void mg_csv_sort_wanted(mg_csv *table) {
    struct mg_csv_wanted *wanted = table->columns_of_edges.wanted;
    if (table->wanted_count) qsort(wanted, table->wanted_count, sizeof *wanted, from_left_to_right);
}

size_t mg_csv_suggest(char out[MG_SIMILAR_TEXT], const char *given, const mg_field *names, unsigned name_count) {
    mg_similar s;
    mg_similar_start(&s, given, true);
    for (unsigned i = 0; i < name_count; i++) mg_similar_see(&s, names[i].text, names[i].length);
    return mg_similar_text(out, MG_SIMILAR_TEXT, &s, "");
}

void mg_csv_want(mg_csv *table, unsigned at, uint32_t column) {
    table->columns_of_edges.wanted[table->wanted_count++] = (struct mg_csv_wanted){at, column};
}

meguri_status mg_csv_settle_columns(mg_input *input, const mg_reader *reader, mg_csv *table, const mg_field *names,
                                    unsigned name_count) {
    char hint[MG_SIMILAR_TEXT];
    for (uint32_t c = 0; c < reader->options.column_count; c++) {
        const char *name = mg_reader_column(reader, c)->name;
        unsigned at = table->columns_of_edges.value[c].at;
        if (at == MG_NO_COLUMN) {
            mg_csv_suggest(hint, name, names, name_count);
            return mg_header_fail(input, "there is no column '%.200s' among the %u of the header%s", name,
                                  table->columns, hint);
        }
        if (at == MG_TWO_COLUMN)
            return mg_header_fail(input, "two columns have the name \"%.200s\"; rename one.", name);
        mg_csv_want(table, at, c);
    }
    mg_csv_sort_wanted(table);
    return MEGURI_OK;
}

/* ---- records ---------------------------------------------------------------------------------------------------- */

meguri_status mg_csv_record_at(mg_pass *pass, const mg_chunk *chunk, const mg_csv *table, const char **p,
                               mg_csv_record *out) {
    const char *start = *p, *at = start;
    const struct mg_csv_wanted *wanted = table->columns_of_edges.wanted;
    const mg_field nothing = {(char *)(uintptr_t)start, 0};
    out->source = out->target = out->weight = out->direction = nothing;
    unsigned column = 0;
    uint32_t next = 0;
    do {
        mg_field field;
        if (!mg_csv_field(table, &at, chunk->end, &field))
            return mg_pass_bad(pass, chunk, start,
                               "a double quote is not where one may be: quotes go around a whole field, and are "
                               "doubled inside.");
        if (column == table->source) out->source = field;
        if (column == table->target) out->target = field;
        if (column == table->weight) out->weight = field;
        if (column == table->direction) out->direction = field;
        for (; next < table->wanted_count && wanted[next].at == column; next++)
            out->values[wanted[next].column] = field;
        column++;
    } while (mg_skip_separator(&at, table->separator));
    for (; table->short_rows && next < table->wanted_count; next++) out->values[wanted[next].column] = nothing;
    if (table->short_rows ? column > table->columns : column != table->columns)
        return mg_pass_bad(pass, chunk, start, "%u column%s found, but the %s %u.", column, column == 1 ? "" : "s",
                           table->headless ? "first line has" : "header names", table->columns);
    *p = mg_line_end(at, chunk->end) + 1; /* blanks may stand before it */
    return MEGURI_OK;
}

bool mg_csv_skip_empty(const mg_csv *table, const char **p, const char *end) {
    const char *at = mg_skip_blanks(*p);
    if (*at == '\n') *p = at + 1;
    else if (table->headless && mg_is_comment(at)) *p = mg_line_end(at, end) + 1;
    else return false;
    return true;
}

/* The same without telling the reader. */
static meguri_status parse_integer(mg_pass *pass, const mg_chunk *chunk, const mg_field *field, mg_csv_signs *signs,
                                   uint64_t *id) {
    const char *p = field->text;
    if (!field->length) return mg_pass_bad(pass, chunk, field->text, "an id is missing.");
    if (mg_parse_id(&p, id, &signs->negative, &signs->huge) && p == field->text + field->length) return MEGURI_OK;
    return mg_pass_bad(pass, chunk, field->text,
                       "the id '%.*s' is not an integer of 64 bits; with the option ids (string) all are read as "
                       "strings.",
                       (int)mg_cut_text(field->text, field->length, 60), field->text);
}

static meguri_status note_signs(mg_pass *pass, const mg_chunk *chunk, const char *where, const mg_csv_signs *seen,
                                mg_csv_signs *signs) {
    if (seen->negative <= signs->negative && seen->huge <= signs->huge) return MEGURI_OK;
    signs->negative |= seen->negative;
    signs->huge |= seen->huge;
    return mg_note_ids(pass, chunk, where, signs->negative, signs->huge);
}

meguri_status mg_csv_integer(mg_pass *pass, const mg_chunk *chunk, const mg_field *field, mg_csv_signs *signs,
                             uint64_t *id) {
    mg_csv_signs seen = {0};
    meguri_status status = parse_integer(pass, chunk, field, &seen, id);
    return status == MEGURI_OK ? note_signs(pass, chunk, field->text, &seen, signs) : status;
}

meguri_status mg_csv_name(mg_pass *pass, const mg_chunk *chunk, mg_names *names, const char *space, mg_text *scratch,
                          const mg_field *field, uint32_t *number) {
    if (!*space || !mg_is_name(field->text, field->length)) return mg_take_name(pass, chunk, names, field, number);
    scratch->used = 0;
    mg_text_add(scratch, space, strlen(space));
    mg_text_add(scratch, ":", 1);
    mg_text_add(scratch, field->text, field->length);
    if (scratch->failed) return MEGURI_NO_MEMORY;
    return mg_names_add(pass->reader->ctx, names, scratch->data, scratch->used, number);
}

/* The weight of an edge; that of the options where it is missing, if they have one. */
static meguri_status take_weight(mg_pass *pass, const mg_chunk *chunk, const mg_csv *table, const mg_field *field,
                                 double *weight) {
    const meguri_read_options *o = &pass->reader->options;
    const char *p = field->text;
    if (o->use_default_weight && (table->weight == MG_NO_COLUMN || mg_is_missing(field))) {
        *weight = o->default_weight;
        return MEGURI_OK;
    }
    mg_number_status status = field->length ? mg_parse_number(&p, weight, pass->reader->c_locale) : MG_NUMBER_NONE;
    if (status == MG_NUMBER_OK && p == field->text + field->length) return MEGURI_OK;
    return mg_fail_weight_field(pass, chunk, field, status);
}

/* That Gephi's edge is directed, or not, as all others are. */
static meguri_status check_direction(mg_pass *pass, const mg_chunk *chunk, const mg_csv *table, const mg_field *field) {
    if (table->direction == MG_NO_COLUMN || pass->reader->build.direction != MEGURI_DIRECTION_DEFAULT ||
        mg_csv_direction(field) == table->all)
        return MEGURI_OK;
    return mg_pass_fail(pass, chunk, field->text,
                        "the type of this edge is '%.*s', that of the first is %s: graphs that are both are not read; "
                        "--directed or --undirected says what all edges are.",
                        (int)mg_cut_text(field->text, field->length, 40), field->text,
                        table->all == MEGURI_DIRECTED ? "Directed" : "Undirected");
}

/* What parses a chunk. */
typedef struct edges_of_chunk {
    mg_block block;
    mg_names *names;  /* NULL: ids are integers */
    mg_field *values; /* of a record */
    mg_text scratch;
    mg_csv_signs signs;
} edges_of_chunk;

/* Whatever is wrong with a record is found before anything of it is kept: it may be one that is skipped. */
static meguri_status parse_record(mg_pass *pass, const mg_chunk *chunk, edges_of_chunk *e, const char **p) {
    const mg_csv *table = pass->format;
    mg_csv_record fields = {.values = e->values};
    const mg_field *ends[2] = {&fields.source, &fields.target};
    mg_csv_signs seen = {0};
    uint64_t ids[2] = {0, 0};
    double weight = 1;
    meguri_status status = mg_csv_record_at(pass, chunk, table, p, &fields);
    for (int i = 0; i < 2 && status == MEGURI_OK; i++)
        status = e->names ? mg_check_name(pass, chunk, ends[i]) : parse_integer(pass, chunk, ends[i], &seen, &ids[i]);
    if (status == MEGURI_OK && table->weighted) status = take_weight(pass, chunk, table, &fields.weight, &weight);
    if (status == MEGURI_OK) status = check_direction(pass, chunk, table, &fields.direction);
    if (status == MEGURI_OK && table->wanted_count) status = mg_block_values(&e->block, pass, chunk, fields.values);
    if (status == MEGURI_OK) status = note_signs(pass, chunk, fields.source.text, &seen, &e->signs);
    for (int i = 0; i < 2 && status == MEGURI_OK && e->names; i++) {
        uint32_t number = 0;
        status = mg_csv_name(pass, chunk, e->names, table->spaces[i], &e->scratch, ends[i], &number);
        ids[i] = number;
    }
    if (status == MEGURI_OK && !mg_block_push(&e->block, ids[0], ids[1], weight)) status = MEGURI_NO_MEMORY;
    return status;
}

static meguri_status parse_records(mg_pass *pass, const mg_chunk *chunk, edges_of_chunk *e) {
    const mg_csv *table = pass->format;
    meguri_status status = MEGURI_OK;
    for (const char *p = chunk->begin; p < chunk->end && status == MEGURI_OK;) {
        if (mg_csv_skip_empty(table, &p, chunk->end)) continue;
        const char *start = p;
        status = parse_record(pass, chunk, e, &p);
        if (status != MEGURI_BAD_INPUT || !mg_pass_skips(pass, chunk)) continue;
        if (p == start) p = mg_line_end(p, chunk->end) + 1;
        status = MEGURI_OK;
    }
    return status;
}

static meguri_status parse_chunk(mg_pass *pass, const mg_chunk *chunk) {
    const mg_csv *table = pass->format;
    mg_reader *reader = pass->reader;
    edges_of_chunk e = {.scratch.ctx = reader->ctx};
    meguri_status status = mg_block_new(&e.block, reader->ctx, mg_guess_lines(chunk), table->weighted);
    if (status == MEGURI_OK && table->wanted_count) {
        status = mg_block_columns(&e.block, pass);
        e.values = mg_alloc_array(reader->ctx, table->wanted_count, sizeof *e.values, "the fields of a record");
        if (!e.values) status = MEGURI_NO_MEMORY;
    }
    if (status == MEGURI_OK && reader->string_ids == MG_YES) status = mg_names_new(&e.names, reader->ctx);
    if (status == MEGURI_OK) status = parse_records(pass, chunk, &e);
    if (status == MEGURI_OK)
        status = e.names || e.block.labelled ? mg_block_add_named(pass, chunk, &e.block, e.names)
                                             : mg_block_add(pass, chunk, &e.block);
    mg_block_free(&e.block);
    mg_names_free(e.names);
    mg_free(e.values);
    mg_text_free(&e.scratch);
    return status;
}

/* ---- a pass ----------------------------------------------------------------------------------------------------- */

/* The ids in the first records: on a copy, because taking quotes off changes the text. */
static meguri_status see_ids(mg_input *input, const mg_csv *table, mg_ids_seen *seen) {
    meguri_status status = mg_input_peek(input, input->used + MG_SAMPLE_BYTES);
    if (status != MEGURI_OK) return status;
    size_t bytes = MG_MIN(input->head_bytes - input->used, (size_t)MG_SAMPLE_BYTES);
    char *copy = mg_alloc(input->ctx, bytes + 2 * MG_PAD, "a sample of a file");
    if (!copy) return MEGURI_NO_MEMORY;
    memset(copy, '\n', bytes + 2 * MG_PAD);
    memcpy(copy + MG_PAD, input->head + MG_PAD + input->used, bytes);
    const char *p = copy + MG_PAD, *end = p + bytes;
    bool whole = input->ended && input->head_bytes - input->used == bytes;
    uint64_t line = input->dropped_lines + 1;
    if (input->used) line += mg_count_lines(input->head + MG_PAD, input->head + MG_PAD + input->used);
    for (int records = 0; records < MG_SAMPLE_LINES && p < end; records++) {
        const char *start = p;
        if (mg_csv_skip_empty(table, &p, end)) {
            line++;
            continue;
        }
        mg_field ids[2] = {{0}};
        unsigned column = 0;
        do {
            mg_field field;
            if (!mg_csv_field(table, &p, end, &field)) break;
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

meguri_status mg_csv_look_at_ids(mg_reader *reader, mg_input *input, const mg_csv *table) {
    mg_ids_seen seen = {0};
    meguri_status status = see_ids(input, table, &seen);
    return status == MEGURI_OK ? mg_reader_ids(reader, input, &seen) : status;
}

meguri_status mg_csv_run(mg_pass *pass, const mg_csv *table) {
    const mg_cut cut = table->quotes ? MG_CUT_QUOTED : MG_CUT_LINES;
    return mg_pass_run(pass, (mg_plan){.cut = cut, .longest_line = MG_LONGEST_LINE});
}

meguri_status mg_csv_read_edges(mg_reader *reader, mg_input *input, mg_csv *table) {
    meguri_status status = mg_csv_look_at_ids(reader, input, table);
    bool weighted = table->weight != MG_NO_COLUMN || reader->options.use_default_weight;
    if (status == MEGURI_OK) status = mg_reader_weights(reader, input, weighted, &table->weighted);
    table->short_rows |= reader->options.use_default_weight != 0;
    if (status != MEGURI_OK) return status;
    mg_pass pass = {.reader = reader, .input = input, .format = table, .parse = parse_chunk, .is_table = true};
    status = mg_csv_run(&pass, table);
    if (status == MEGURI_OK && !pass.edges) mg_warn(reader->ctx, "%s holds no edges.", input->name);
    return status;
}
