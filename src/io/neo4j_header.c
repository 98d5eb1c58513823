/* Headers of Neo4j's CSV import format: fields that are NAME:TYPE, and the id spaces that they name.
 *
 * A header may also be a file of its own, whose data are the files that follow; with several columns :ID the id of a
 * node is what they hold, one behind another, which relationships write as one text. */
#define _GNU_SOURCE /* memrchr */
#include "io/neo4j.h"

#include <strings.h>

/* ---- fields ----------------------------------------------------------------------------------------------------- */

typedef enum field_kind { PROPERTY, ID, START_ID, END_ID, TYPE, LABEL, IGNORED } field_kind;

static const struct {
    const char *word;
    field_kind kind;
} kinds[] = {{"ID", ID},     {"START_ID", START_ID}, {"END_ID", END_ID},
             {"TYPE", TYPE}, {"LABEL", LABEL},       {"IGNORE", IGNORED}};

const char *const mg_neo4j_x_names[] = {"x", "lon", "longitude", "lng", NULL};
const char *const mg_neo4j_y_names[] = {"y", "lat", "latitude", NULL};

/* A field of a header: its name is what stands before the colon. */
typedef struct title {
    field_kind kind;
    bool numeric, point, array;
    bool colons;    /* the name itself has some */
    mg_field space; /* of ids */
} title;

/* The bracket that the last character of a text closes; NULL: it closes none. */
static const char *opening(const char *text, const char *end) {
    static const char open[] = "([{", close[] = ")]}";
    const char *found = end > text ? memchr(close, end[-1], 3) : NULL;
    size_t depth = 0;
    for (const char *at = end; found && at-- > text;) {
        depth += *at == *found;
        if (*at == open[found - close] && !--depth) return at;
    }
    return NULL;
}

/* Where NAME:TYPE(space){options}[] has what stands behind the type; names may have colons and brackets, too. */
static const char *behind_type(const mg_field *field) {
    const char *end = field->text + field->length;
    for (const char *bracket; (bracket = opening(field->text, end));) end = bracket;
    return end;
}

/* Capitals do not matter in what stands behind the colon. */
static bool is_word(const char *text, size_t length, const char *word) {
    return length == strlen(word) && strncasecmp(text, word, length) == 0;
}

static title read_title(const mg_field *field) {
    static const char *const numbers[] = {"int", "long", "float", "double", "byte", "short"};
    title t = {.kind = PROPERTY};
    const char *end = field->text + field->length, *behind = behind_type(field);
    const char *colon = memrchr(field->text, ':', (size_t)(behind - field->text));
    if (!colon) return t;
    const char *type = colon + 1;
    t.colons = memchr(field->text, ':', (size_t)(colon - field->text)) != NULL;
    size_t length = (size_t)(behind - type);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (is_word(type, length, kinds[i].word)) t.kind = kinds[i].kind;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) t.numeric |= is_word(type, length, numbers[i]);
    t.point = is_word(type, length, "point");
    t.array = memchr(behind, '[', (size_t)(end - behind)) != NULL;
    if (behind < end && *behind == '(') {
        const char *close = memchr(behind, ')', (size_t)(end - behind));
        t.space = (mg_field){(char *)(uintptr_t)behind + 1, (size_t)((close ? close : end) - behind - 1)};
    }
    return t;
}

/* ---- lines ------------------------------------------------------------------------------------------------------ */

bool mg_neo4j_is_property(const mg_field *field) { return read_title(field).kind == PROPERTY; }

static void take_property(mg_neo4j_header *h, unsigned column, const mg_field *field, const title *t) {
    char name[32];
    if (t->point && !t->array && !h->points++) h->point = column;
    if (t->array || t->point || t->colons) return;
    mg_csv_plain_name(field, name, sizeof name);
    if (t->numeric && (mg_csv_take_column(&h->x, &h->xs, column, name, mg_neo4j_x_names) ||
                       mg_csv_take_column(&h->y, &h->ys, column, name, mg_neo4j_y_names)))
        return;
    mg_csv_take_column(&h->table.weight, &h->weights, column, name, mg_csv_weight_names);
}

static void take_title(mg_neo4j_header *h, unsigned column, const mg_field *field) {
    const title t = read_title(field);
    h->names += t.kind != PROPERTY;
    switch (t.kind) {
    case ID:
        if (h->ids < MG_NEO4J_MOST_IDS) h->id_columns[h->ids] = column;
        if (h->ids++ && !t.space.length) break; /* the first says which space it is */
        h->spaces[0] = t.space;
        h->table.source = h->id_columns[0];
        break;
    case START_ID:
        h->table.source = column;
        h->spaces[0] = t.space;
        h->starts++;
        break;
    case END_ID:
        h->table.target = column;
        h->spaces[1] = t.space;
        h->ends++;
        break;
    case TYPE:
        h->type = column;
        h->types++;
        break;
    case LABEL:
    case IGNORED: break;
    case PROPERTY: take_property(h, column, field, &t); break;
    }
}

bool mg_neo4j_parse_header(mg_neo4j_header *h, const mg_reader *reader, const mg_csv_room *room, char *line,
                           const char *end) {
    const mg_csv_found none = {.other = MG_NO_COLUMN};
    *h = (mg_neo4j_header){.x = MG_NO_COLUMN,
                           .y = MG_NO_COLUMN,
                           .point = MG_NO_COLUMN,
                           .type = MG_NO_COLUMN,
                           .xs = none,
                           .ys = none,
                           .weights = none};
    mg_csv_start(&h->table, room);
    h->table.quotes = h->table.short_rows = true; /* as neo4j-admin takes them, whatever the separator */
    char separator = mg_header_separator(line, end);
    h->table.separator = separator == MG_BLANKS ? MG_COMMA : separator; /* a single column */
    const char *p = line;
    do {
        mg_field field;
        if (!mg_csv_field(&h->table, &p, end, &field)) return false;
        mg_csv_look_for(&h->table, reader, h->table.columns, &field,
                        mg_neo4j_is_property(&field) ? MG_CSV_NAME_AND_TYPE : MG_CSV_SIGN);
        take_title(h, h->table.columns++, &field);
    } while (mg_skip_separator(&p, h->table.separator));
    return true;
}

static meguri_status check_columns(mg_input *input, const mg_neo4j_header *h) {
    if (!mg_neo4j_is_nodes(h) && !mg_neo4j_is_relationships(h))
        return mg_header_fail(input,
                              "this is no header of Neo4j's import format: nodes need a column :ID, relationships "
                              ":START_ID and :END_ID.");
    if (h->starts > 1 || h->ends > 1 || h->types > 1)
        return mg_header_fail(input, "two columns are %s.",
                              h->starts > 1 ? ":START_ID"
                              : h->ends > 1 ? ":END_ID"
                                            : ":TYPE");
    if (h->ids > MG_NEO4J_MOST_IDS)
        return mg_header_fail(input, "%u columns are :ID; ids of more than %d are not read.", h->ids,
                              MG_NEO4J_MOST_IDS);
    return MEGURI_OK;
}

meguri_status mg_neo4j_find_alone(bool *out, mg_input *input) {
    const char *line, *end;
    do {
        meguri_status status = mg_input_line(input, &line, &end);
        if (status != MEGURI_OK) return status;
    } while (line && *mg_skip_blanks(line) == '\n');
    *out = !line;
    if (line) mg_input_unread(input);
    return MEGURI_OK;
}

meguri_status mg_neo4j_read_header(mg_neo4j_header *h, mg_reader *reader, mg_input *input) {
    char *line;
    const char *end;
    mg_csv_room room;
    meguri_status status = mg_csv_header(input, &line, &end);
    if (status == MEGURI_OK) status = mg_csv_make_room(&room, reader);
    if (status != MEGURI_OK) return status;
    if (!mg_neo4j_parse_header(h, reader, &room, line, end)) h->ids = h->starts = 0; /* as one that names nothing */
    return check_columns(input, h);
}

/* Files may go on with a header wherever the format is given; where it is found, behind one that has nothing else. What
 * names columns, if wrong ones, is meant to be a header. */
meguri_status mg_neo4j_goes_on(bool *out, const mg_reader *reader, mg_input *input) {
    mg_sample sample;
    mg_neo4j_header h;
    char *line;
    const char *end;
    *out = false;
    if (!reader->neo4j || (!reader->neo4j->alone && reader->options.format != MEGURI_FORMAT_NEO4J)) return MEGURI_OK;
    mg_sample_start(&sample, input);
    meguri_status status = mg_sample_line(&sample, &line, &end);
    *out =
        status == MEGURI_OK && (!line || sample.cut || !mg_neo4j_parse_header(&h, NULL, NULL, line, end) || !h.names);
    mg_sample_end(&sample);
    return status;
}

/* ---- id spaces -------------------------------------------------------------------------------------------------- */

meguri_status mg_neo4j_settle_space(mg_reader *reader, mg_input *input, const mg_field *space, char *before) {
    if (space->length > MG_LONGEST_SPACE)
        return mg_header_fail(input, "the name of an id space is longer than %d bytes.", MG_LONGEST_SPACE);
    const char *name = space->length ? space->text : "";
    if (memchr(name, '\0', space->length) || (space->length && !mg_is_name(name, space->length)))
        return mg_header_fail(input, "the name of an id space is not UTF-8 text, or holds a line end or a tab.");
    if (reader->options.ids == MEGURI_IDS_STRING) {
        memcpy(before, name, space->length);
        before[space->length] = '\0';
        return MEGURI_OK;
    }
    if (!reader->space) {
        reader->space = mg_alloc(reader->ctx, space->length + 1, "the name of an id space");
        if (!reader->space) return MEGURI_NO_MEMORY;
        memcpy(reader->space, name, space->length);
        reader->space[space->length] = '\0';
    }
    if (strlen(reader->space) == space->length && memcmp(name, reader->space, space->length) == 0) return MEGURI_OK;
    return mg_header_fail(input,
                          "there are ids of the id space '%.*s' here and of '%s' elsewhere, in which the same id is "
                          "another node; with the option ids (string) ids are SPACE:ID.",
                          (int)space->length, name, reader->space);
}
