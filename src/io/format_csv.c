/* CSV (RFC 4180): commas, but also semicolons, tabs, bars or blanks, with a header line that names the columns or
 * without one (csv_look.c, csv_columns.c). Of tables without a header those of two or three columns are edge lists,
 * unless the options, quotes over several lines or bars make them something that only this reader reads. */
#include "io/csv.h"
#include "io/format.h"

#include <inttypes.h>

bool mg_is_column_name(const char *text, size_t length) {
    char name[32];
    const mg_field field = {(char *)(uintptr_t)text, length};
    mg_csv_plain_name(&field, name, sizeof name);
    return mg_csv_find_name(name, mg_csv_source_names) != MG_NO_COLUMN ||
           mg_csv_find_name(name, mg_csv_target_names) != MG_NO_COLUMN;
}

/* Whether a line holds names of both ends of edges: then a comma in it is no decimal one. */
static bool names_ends(const char *line, char separator) {
    unsigned names = 0;
    const char *p = mg_skip_blanks(line);
    do {
        mg_word word = mg_word_at(p, separator);
        names += mg_is_column_name(word.text, (size_t)word.length);
        while (*p != '\n' && *p != separator) p++;
    } while (mg_skip_separator(&p, separator));
    return names > 1;
}

char mg_csv_separator(const mg_reader *reader, const char *line, const char *end) {
    if (reader->options.separator) return reader->options.separator;
    char separator = mg_header_separator(line, end);
    return separator == MG_BAR || names_ends(line, separator) ? separator : mg_choose_separator(line, end);
}

/* ---- reading ---------------------------------------------------------------------------------------------------- */

/* Columns by the first record, which is a header or is put back. */
static meguri_status settle(mg_csv *table, mg_csv_look *look, mg_reader *reader, mg_input *input) {
    mg_csv_room room;
    meguri_status status = mg_csv_make_room(&room, reader);
    if (status != MEGURI_OK) return status;
    mg_csv_start(table, &room);
    table->separator = look->separator;
    table->quotes = look->quotes;
    mg_csv_decision decision = mg_csv_has_header(look, reader);
    table->headless = decision <= MG_CSV_UNSURE;
    if (look->broken || (look->columns < 2 && !reader->options.source_column))
        return mg_header_fail(input,
                              "%s does not %s columns parted by commas, semicolons, tabs, bars or blanks; "
                              "--separator names what parts them.",
                              table->headless ? "this line" : "this header", table->headless ? "hold" : "name");
    if (!table->headless) input->used = MG_MIN(input->line_start + look->first_bytes, input->head_bytes);
    else mg_csv_see_first(look, reader);
    status = mg_csv_choose(table, look, reader, input);
    if (status != MEGURI_OK) return status;
    mg_csv_tell_header(look, decision, reader, input->name, mg_input_header_line(input));
    if (table->headless) mg_input_unread(input);
    return MEGURI_OK;
}

static meguri_status find_columns(mg_csv *table, mg_reader *reader, mg_input *input) {
    mg_csv_look look;
    char *line;
    const char *end;
    meguri_status status = mg_csv_header(input, &line, &end);
    if (status != MEGURI_OK) return status;
    char separator = mg_csv_separator(reader, line, end);
    status = mg_csv_look_at(&look, reader, input, input->line_start, (size_t)(end - line), separator);
    if (status == MEGURI_OK) status = settle(table, &look, reader, input);
    mg_csv_look_free(&look);
    return status;
}

static meguri_status read_csv(mg_reader *reader, mg_input *input) {
    mg_csv table;
    meguri_status status = find_columns(&table, reader, input);
    meguri_direction direction = status == MEGURI_OK && table.direction != MG_NO_COLUMN ? table.all : MEGURI_DIRECTED;
    if (status == MEGURI_OK) status = mg_reader_direction(reader, input, direction);
    return status == MEGURI_OK ? mg_csv_read_edges(reader, input, &table) : status;
}

/* ---- detection -------------------------------------------------------------------------------------------------- */

/* Options that the reader of edge lists does not know. */
bool mg_wants_table(const meguri_read_options *o) {
    return o->header == MEGURI_HEADER_YES || o->separator || o->source_column || o->target_column || o->weight_column ||
           o->use_default_weight || o->column_count;
}

/* Whether a table without a header is one that the reader of edge lists reads, or refuses in its own words. */
static bool is_edge_list(const mg_csv_look *look, const mg_reader *reader, unsigned columns) {
    if (look->separator == MG_BAR || look->broken || look->spans || columns > 3) return false;
    if (look->columns != 3 || look->room < 3 || mg_ignores_weights(&reader->build)) return true;
    const mg_csv_seen *third = &look->seen[2];
    const char *text = look->first[2].text;
    text += *text == '-' || *text == '+';
    if (third->integers + third->numbers || !third->words || mg_is_digit(*text)) return true;
    return reader->options.ids == MEGURI_IDS_INTEGER || (mg_csv_is_numeric(look, 0) && mg_csv_is_numeric(look, 1));
}

/* What the first record makes of it. */
static meguri_status decide(meguri_format *out, const mg_reader *reader, mg_sample *sample, const char *line,
                            const char *end) {
    mg_csv_look look;
    const mg_input *input = sample->input;
    char separator = mg_csv_separator(reader, line, end);
    unsigned columns = mg_count_columns(line, separator);
    size_t bytes = (size_t)(end - line);
    if (columns < 2) return MEGURI_OK;
    meguri_status status = mg_csv_look_at(&look, reader, sample->input, sample->at - bytes - 1, bytes, separator);
    if (status == MEGURI_OK) {
        mg_csv_decision decision = mg_csv_has_header(&look, reader);
        if (decision <= MG_CSV_UNSURE) mg_csv_see_first(&look, reader);
        /* Between numbers tabs and blanks are the same. */
        if (separator == MG_TAB && mg_csv_is_numeric(&look, 0)) columns = mg_count_columns(line, MG_BLANKS);
        if (decision > MG_CSV_UNSURE || !is_edge_list(&look, reader, columns)) *out = MEGURI_FORMAT_CSV;
        else mg_csv_tell_header(&look, decision, reader, input->name, sample->number);
    }
    mg_csv_look_free(&look);
    return status;
}

static meguri_status detect(meguri_format *out, const mg_reader *reader, mg_sample *sample) {
    char *line;
    const char *end;
    meguri_status status = mg_sample_line(sample, &line, &end);
    if (status != MEGURI_OK || !line || sample->cut) return status;
    if (mg_wants_table(&reader->options)) *out = MEGURI_FORMAT_CSV;
    else status = decide(out, reader, sample, line, end);
    return status;
}

/* ---- writing ---------------------------------------------------------------------------------------------------- */

static meguri_status prepare(mg_write_job *job) {
    job->separator = ',';
    mg_write_tell_csv_columns(job);
    return MEGURI_OK;
}

static void head(const mg_write_job *job, mg_text *text) {
    mg_text_format(text, "source,target%s", job->with_weights ? ",weight" : "");
    for (uint32_t c = 0; c < job->column_count; c++) {
        mg_text_add(text, ",", 1);
        mg_write_csv_column(job, text, c);
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

const mg_format mg_format_csv = {.names_columns = true,
                                 .declared = true,
                                 .clue = MG_CLUE_SHAPE,
                                 .detect = detect,
                                 .read = read_csv,
                                 .writers = {&writer}};
