/* Neo4j's CSV import format (neo4j-admin database import): files of nodes and files of relationships, each with a
 * header whose fields are NAME:TYPE.
 *
 *     uid:ID(Space),:LABEL,x:double,y:double            nodes: ids, and coordinates by x and y, lon and lat, or a point
 *     :START_ID(Space),:END_ID(Space),:TYPE,km:double   relationships: ends, type, properties
 *
 * Ids of different id spaces are different nodes. Which spaces there are is only known when all files are: so ids stand
 * as they are while there is one space, and a second is refused, unless ids are asked for as strings, where that of a
 * named space is SPACE:ID. Types become the column of types; properties are columns where the options name them. */
#define _GNU_SOURCE /* PATH_MAX */
#include "io/csv.h"
#include "io/format.h"

#include <limits.h>
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#define NODES         "nodes.csv"
#define RELATIONSHIPS "relationships.csv"
#define TYPE_COLUMN   "type"

/* ---- headers ---------------------------------------------------------------------------------------------------- */

typedef enum field_kind { PROPERTY, ID, START_ID, END_ID, TYPE, LABEL, IGNORED } field_kind;

static const struct {
    const char *word;
    field_kind kind;
} kinds[] = {{"ID", ID},     {"START_ID", START_ID}, {"END_ID", END_ID},
             {"TYPE", TYPE}, {"LABEL", LABEL},       {"IGNORE", IGNORED}};

static const char *const x_names[] = {"x", "lon", "longitude", "lng", NULL};
static const char *const y_names[] = {"y", "lat", "latitude", NULL};

/* A field of a header: its name is what stands before the colon. */
typedef struct title {
    field_kind kind;
    bool numeric, point, array;
    mg_field space; /* of ids */
} title;

static bool is_text(const char *text, size_t length, const char *word) {
    return length == strlen(word) && memcmp(text, word, length) == 0;
}

static title read_title(const mg_field *field) {
    static const char *const numbers[] = {"int", "long", "float", "double", "byte", "short"};
    title t = {.kind = PROPERTY};
    const char *end = field->text + field->length, *colon = memchr(field->text, ':', field->length);
    if (!colon) return t;
    const char *type = colon + 1, *behind = type;
    while (behind < end && *behind != '(' && *behind != '{' && *behind != '[') behind++;
    size_t length = (size_t)(behind - type);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (is_text(type, length, kinds[i].word)) t.kind = kinds[i].kind;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) t.numeric |= is_text(type, length, numbers[i]);
    t.point = is_text(type, length, "point");
    t.array = memchr(behind, '[', (size_t)(end - behind)) != NULL;
    if (behind < end && *behind == '(') {
        const char *close = memchr(behind, ')', (size_t)(end - behind));
        t.space = (mg_field){(char *)(uintptr_t)behind + 1, (size_t)((close ? close : end) - behind - 1)};
    }
    return t;
}

/* What a header says. */
typedef struct heading {
    mg_csv table; /* of nodes, `source` is the id */
    unsigned ids, starts, ends, types, points;
    unsigned x, y, point, type;
    mg_csv_found xs, ys, weights;
    mg_field spaces[2];
} heading;

static void take_property(heading *h, unsigned column, const mg_field *field, const title *t) {
    char name[32];
    if (t->point && !t->array && !h->points++) h->point = column;
    if (t->array || t->point) return;
    mg_csv_plain_name(field, name, sizeof name);
    if (t->numeric && (mg_csv_take_column(&h->x, &h->xs, column, name, x_names) ||
                       mg_csv_take_column(&h->y, &h->ys, column, name, y_names)))
        return;
    mg_csv_take_column(&h->table.weight, &h->weights, column, name, mg_csv_weight_names);
}

static void take_title(heading *h, unsigned column, const mg_field *field) {
    const title t = read_title(field);
    switch (t.kind) {
    case ID:
    case START_ID:
        h->table.source = column;
        h->spaces[0] = t.space;
        if (t.kind == ID) h->ids++;
        else h->starts++;
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

/* False if the line is no list of fields. It is changed where it has quotes. */
static bool parse_header(heading *h, const mg_reader *reader, char *line, const char *end) {
    const mg_csv_found none = {.other = MG_NO_COLUMN};
    *h = (heading){.x = MG_NO_COLUMN,
                   .y = MG_NO_COLUMN,
                   .point = MG_NO_COLUMN,
                   .type = MG_NO_COLUMN,
                   .xs = none,
                   .ys = none,
                   .weights = none};
    mg_csv_start(&h->table);
    char separator = mg_header_separator(line, end);
    h->table.separator = separator == MG_BLANKS ? MG_COMMA : separator; /* a single column */
    const char *p = line;
    do {
        mg_field field;
        if (!mg_take_field(&p, end, h->table.separator, &field)) return false;
        mg_csv_look(&h->table, reader, h->table.columns, &field);
        take_title(h, h->table.columns++, &field);
    } while (mg_skip_separator(&p, h->table.separator));
    return true;
}

static bool is_nodes(const heading *h) { return h->ids && !h->starts && !h->ends; }
static bool is_relationships(const heading *h) { return !h->ids && h->starts && h->ends; }

static meguri_status read_header(heading *h, mg_reader *reader, mg_input *input) {
    char *line;
    const char *end;
    meguri_status status = mg_csv_header(input, &line, &end);
    if (status != MEGURI_OK) return status;
    if (!parse_header(h, reader, line, end) || (!is_nodes(h) && !is_relationships(h)))
        return mg_header_fail(input,
                              "this is no header of Neo4j's import format: nodes need a column :ID, relationships "
                              ":START_ID and :END_ID.");
    if (h->ids > 1 || h->starts > 1 || h->ends > 1 || h->types > 1)
        return mg_header_fail(input, "two columns are %s; ids of several columns are not read.",
                              h->ids > 1      ? ":ID"
                              : h->starts > 1 ? ":START_ID"
                              : h->ends > 1   ? ":END_ID"
                                              : ":TYPE");
    return MEGURI_OK;
}

/* ---- id spaces -------------------------------------------------------------------------------------------------- */

static meguri_status settle_space(mg_reader *reader, mg_input *input, const mg_field *space, char *before) {
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
    if (is_text(name, space->length, reader->space)) return MEGURI_OK;
    return mg_header_fail(input,
                          "there are ids of the id space '%.*s' here and of '%s' elsewhere, in which the same id is "
                          "another node; with the option ids (string) ids are SPACE:ID.",
                          (int)space->length, name, reader->space);
}

/* ---- nodes ------------------------------------------------------------------------------------------------------ */

/* Which values of a record are coordinates: x and y, or one point. */
enum { AT_X, AT_Y, AT_POINT };

static meguri_status fail_coordinate(mg_pass *pass, const mg_chunk *chunk, const mg_field *field, const char *what) {
    return mg_pass_fail(pass, chunk, field->text, "the %s '%.*s' is not a number%s.", what,
                        (int)mg_cut_text(field->text, field->length, 60), field->text,
                        *what == 'p' ? " each for x and y, or longitude and latitude" : "");
}

static bool take_number(const mg_pass *pass, const char **p, const char *end, double *out) {
    return *p < end && mg_parse_number(p, out, pass->reader->c_locale) == MG_NUMBER_OK && *p <= end;
}

static const char *skip_spaces(const char *p, const char *end) {
    while (p < end && *p == ' ') p++;
    return p;
}

/* {x: 1, y: 2.5, …} or {latitude: …, longitude: …}; other keys are passed over. */
static bool take_point(const mg_pass *pass, const mg_field *field, double xy[2]) {
    const char *p = skip_spaces(field->text, field->text + field->length), *end = field->text + field->length;
    bool found[2] = {false, false};
    if (p == end || *p++ != '{') return false;
    while (p < end && *p != '}') {
        p = skip_spaces(p, end);
        const char *colon = memchr(p, ':', (size_t)(end - p));
        if (!colon) return false;
        char name[32];
        mg_csv_plain_name(&(mg_field){(char *)(uintptr_t)p, (size_t)(colon - p)}, name, sizeof name);
        int which = mg_csv_find_name(name, x_names) != MG_NO_COLUMN   ? 0
                    : mg_csv_find_name(name, y_names) != MG_NO_COLUMN ? 1
                                                                      : 2;
        p = skip_spaces(colon + 1, end);
        if (which < 2 && (found[which] || !take_number(pass, &p, end, &xy[which]))) return false;
        if (which < 2) found[which] = true;
        p = skip_spaces(p, end);
        while (which == 2 && p < end && *p != ',' && *p != '}') p++;
        if (p < end && *p == ',') p++;
        else if (p == end || *p != '}') return false;
    }
    return p < end && found[0] && found[1] && skip_spaces(p + 1, end) == end;
}

static meguri_status take_place(mg_pass *pass, const mg_chunk *chunk, const mg_csv *table, const mg_csv_record *fields,
                                double xy[2]) {
    xy[0] = xy[1] = NAN; /* where there is none */
    if (table->wanted_count == 1) {
        const mg_field *point = &fields->values[AT_POINT];
        return !point->length || take_point(pass, point, xy) ? MEGURI_OK : fail_coordinate(pass, chunk, point, "point");
    }
    for (int i = 0; i < 2; i++) {
        const mg_field *field = &fields->values[i];
        const char *p = field->text;
        if (field->length && (!take_number(pass, &p, p + field->length, &xy[i]) || p != field->text + field->length))
            return fail_coordinate(pass, chunk, field, "coordinate");
    }
    return MEGURI_OK;
}

/* What one chunk of nodes becomes. */
typedef struct nodes_of_chunk {
    mg_vertex_rows placed, bare; /* with coordinates, and without */
    mg_names *names;             /* NULL: ids are integers */
    mg_text scratch;
    mg_csv_signs signs;
} nodes_of_chunk;

static meguri_status parse_node(mg_pass *pass, const mg_chunk *chunk, nodes_of_chunk *n, const char **p) {
    const mg_csv *table = pass->format;
    mg_csv_record fields;
    uint64_t id = 0;
    double xy[2] = {NAN, NAN};
    meguri_status status = mg_csv_record_at(pass, chunk, table, p, &fields);
    if (status == MEGURI_OK && n->names) {
        uint32_t number = 0;
        status = mg_csv_name(pass, chunk, n->names, table->spaces[0], &n->scratch, &fields.source, &number);
        id = number;
    } else if (status == MEGURI_OK) status = mg_csv_integer(pass, chunk, &fields.source, &n->signs, &id);
    if (status == MEGURI_OK && table->wanted_count) status = take_place(pass, chunk, table, &fields, xy);
    bool place = !isnan(xy[0]) && !isnan(xy[1]);
    mg_vertex_rows *rows = place ? &n->placed : &n->bare;
    if (place) rows->x[rows->count] = xy[0], rows->y[rows->count] = xy[1];
    rows->ids[rows->count++] = id;
    return status;
}

/* String ids come in the order of the chunks, and get their numbers of all. */
static meguri_status merge_names(mg_pass *pass, const mg_chunk *chunk, nodes_of_chunk *n) {
    mg_reader *reader = pass->reader;
    mg_name_maps maps = {0};
    if (!mg_pass_wait_turn(pass, chunk)) return MEGURI_BAD_INPUT;
    meguri_status status =
        mg_edges_merge_names(&maps, reader->ctx, reader->edges, pass->place + chunk->sequence, n->names, NULL);
    if (status != MEGURI_OK) return status;
    mg_pass_end_turn(pass, chunk);
    for (uint64_t i = 0; i < n->placed.count; i++) n->placed.ids[i] = maps.ids[n->placed.ids[i]];
    for (uint64_t i = 0; i < n->bare.count; i++) n->bare.ids[i] = maps.ids[n->bare.ids[i]];
    mg_name_maps_free(&maps);
    return MEGURI_OK;
}

/* Room for so many nodes, each with its place or without. */
static meguri_status reserve(meguri_ctx *ctx, nodes_of_chunk *n, uint64_t most, bool places) {
    n->bare.ids = mg_alloc_array(ctx, most, sizeof *n->bare.ids, "nodes");
    if (!n->bare.ids) return MEGURI_NO_MEMORY;
    if (!places) return MEGURI_OK;
    n->placed.ids = mg_alloc_array(ctx, most, sizeof *n->placed.ids, "nodes");
    n->placed.x = mg_alloc_array(ctx, most, sizeof *n->placed.x, "coordinates");
    n->placed.y = mg_alloc_array(ctx, most, sizeof *n->placed.y, "coordinates");
    return n->placed.ids && n->placed.x && n->placed.y ? MEGURI_OK : MEGURI_NO_MEMORY;
}

static void trim(mg_vertex_rows *rows) {
    mg_trim(rows->ids, rows->count * sizeof *rows->ids);
    if (!rows->x) return;
    mg_trim(rows->x, rows->count * sizeof *rows->x);
    mg_trim(rows->y, rows->count * sizeof *rows->y);
}

static meguri_status parse_nodes(mg_pass *pass, const mg_chunk *chunk) {
    const mg_csv *table = pass->format;
    mg_reader *reader = pass->reader;
    meguri_ctx *ctx = reader->ctx;
    nodes_of_chunk n = {.scratch.ctx = ctx};
    meguri_status status = reserve(ctx, &n, mg_count_lines(chunk->begin, chunk->end), table->wanted_count > 0);
    if (status == MEGURI_OK && reader->string_ids == MG_YES) status = mg_names_new(&n.names, ctx);
    for (const char *p = chunk->begin; p < chunk->end && status == MEGURI_OK;)
        if (!mg_csv_skip_empty(&p)) status = parse_node(pass, chunk, &n, &p);
    if (status == MEGURI_OK && n.names) status = merge_names(pass, chunk, &n);
    if (status == MEGURI_OK) {
        mg_fetch_add(&pass->lines, n.placed.count + n.bare.count);
        trim(&n.bare);
        if (table->wanted_count) trim(&n.placed);
        status = mg_builder_rows(ctx, reader->builder, &n.bare);
        if (status == MEGURI_OK) status = mg_builder_rows(ctx, reader->builder, &n.placed);
    }
    mg_vertex_rows_free(&n.bare);
    mg_vertex_rows_free(&n.placed);
    mg_names_free(n.names);
    mg_text_free(&n.scratch);
    return status;
}

static void want_place(mg_csv *table, const heading *h) {
    if (h->x != MG_NO_COLUMN && h->y != MG_NO_COLUMN) {
        table->wanted[table->wanted_count++] = (struct mg_csv_wanted){h->x, AT_X};
        table->wanted[table->wanted_count++] = (struct mg_csv_wanted){h->y, AT_Y};
    } else if (h->point != MG_NO_COLUMN)
        table->wanted[table->wanted_count++] = (struct mg_csv_wanted){h->point, AT_POINT};
    mg_csv_sort_wanted(table);
}

static meguri_status read_nodes(mg_reader *reader, mg_input *input, heading *h) {
    mg_csv *table = &h->table;
    table->weight = MG_NO_COLUMN;
    meguri_status status = settle_space(reader, input, &h->spaces[0], table->spaces[0]);
    if (status == MEGURI_OK) status = mg_csv_settle(input, &h->xs, h->x, "the first coordinate");
    if (status == MEGURI_OK) status = mg_csv_settle(input, &h->ys, h->y, "the second coordinate");
    if (status == MEGURI_OK && h->points > 1)
        mg_warn(reader->ctx, "%s: of its %u columns of points the first is read.", input->name, h->points);
    if (status == MEGURI_OK) status = mg_csv_look_at_ids(reader, input, table);
    if (status != MEGURI_OK) return status;
    if (!reader->share) want_place(table, h); /* graphs in parts have no coordinates */
    mg_pass pass = {.reader = reader, .input = input, .format = table, .parse = parse_nodes};
    status = mg_csv_run(&pass, table);
    if (status == MEGURI_OK && !pass.lines) mg_warn(reader->ctx, "%s holds no nodes.", input->name);
    return status;
}

/* ---- relationships ---------------------------------------------------------------------------------------------- */

static bool has_types(const mg_reader *reader) {
    for (uint32_t c = 0; c < reader->options.column_count; c++)
        if (mg_reader_column(reader, c)->kind == MEGURI_EDGE_TYPES) return true;
    return false;
}

/* Types are a column of the edges, also where the options name none; not once there are edges without. */
static meguri_status want_types(mg_reader *reader, mg_input *input, const heading *h) {
    meguri_read_options *o = &reader->options;
    if (h->type == MG_NO_COLUMN || has_types(reader) || reader->share) return MEGURI_OK; /* parts have no columns */
    if (mg_edges_count(reader->edges) || o->column_count == MEGURI_MOST_COLUMNS) {
        mg_warn(reader->ctx, "%s: its types are not read, because %s.", input->name,
                o->column_count == MEGURI_MOST_COLUMNS ? "there is no room for another column"
                                                       : "the edges before have none");
        return MEGURI_OK;
    }
    meguri_edge_column *columns =
        mg_alloc_array_zero(reader->ctx, o->column_count + 1, sizeof *columns, "columns of the edges");
    if (!columns) return MEGURI_NO_MEMORY;
    for (uint32_t c = 0; c < o->column_count; c++) {
        const meguri_edge_column *from = mg_reader_column(reader, c);
        memcpy(&columns[c], from, MG_MIN(from->size, sizeof *columns));
        columns[c].size = sizeof *columns;
    }
    columns[o->column_count] =
        (meguri_edge_column){.size = sizeof *columns, .name = TYPE_COLUMN, .kind = MEGURI_EDGE_TYPES};
    reader->own_columns = columns;
    o->columns = columns;
    o->column_count++;
    return mg_edges_declare_column(reader->ctx, reader->edges, TYPE_COLUMN, MEGURI_EDGE_TYPES, MEGURI_VALUE_AUTO, true);
}

/* A column of types that no property has the name of is :TYPE; the one that was added is, in any case. */
static void find_types(const mg_reader *reader, heading *h) {
    for (uint32_t c = 0; c < reader->options.column_count; c++) {
        const meguri_edge_column *column = mg_reader_column(reader, c);
        bool added = reader->own_columns && c + 1 == reader->options.column_count;
        if (column->kind == MEGURI_EDGE_TYPES && (added || h->table.value_at[c] == MG_NO_COLUMN))
            h->table.value_at[c] = h->type;
    }
}

/* Whether a file is one of those that were named. */
static bool is_named(const mg_reader *reader, const char *path) {
    struct stat one, other;
    if (stat(path, &one) != 0) return false;
    for (size_t i = 0; i < reader->path_count; i++)
        if (stat(reader->paths[i], &other) == 0 && one.st_dev == other.st_dev && one.st_ino == other.st_ino)
            return true;
    return false;
}

static meguri_status read_file_of_nodes(mg_reader *reader, const char *path) {
    mg_input input;
    heading h;
    meguri_status status = mg_input_open(&input, reader->ctx, path);
    if (status == MEGURI_OK) status = mg_input_peek(&input, MG_FIRST_LOOK);
    if (status == MEGURI_OK) status = mg_refuse_foreign(&input);
    if (status == MEGURI_OK) status = read_header(&h, reader, &input);
    if (status == MEGURI_OK && !is_nodes(&h)) status = mg_header_fail(&input, "there is no column :ID.");
    if (status == MEGURI_OK) status = read_nodes(reader, &input, &h);
    mg_input_close(&input);
    return status;
}

static meguri_status read_relationships(mg_reader *reader, mg_input *input, heading *h) {
    char nodes[PATH_MAX + MG_LONGER_BESIDE];
    meguri_status status = MEGURI_OK;
    for (int i = 0; i < 2 && status == MEGURI_OK; i++)
        status = settle_space(reader, input, &h->spaces[i], h->table.spaces[i]);
    if (status == MEGURI_OK) status = mg_csv_settle(input, &h->weights, h->table.weight, "the weights");
    if (status == MEGURI_OK) status = want_types(reader, input, h);
    if (status != MEGURI_OK) return status;
    find_types(reader, h);
    status = mg_csv_settle_columns(input, reader, &h->table);
    if (status == MEGURI_OK && !input->memory &&
        meguri_read_beside(nodes, sizeof nodes, input->name, MEGURI_FORMAT_NEO4J) && !is_named(reader, nodes))
        status = read_file_of_nodes(reader, nodes);
    return status == MEGURI_OK ? mg_csv_read_edges(reader, input, &h->table) : status;
}

static meguri_status read_neo4j(mg_reader *reader, mg_input *input) {
    heading h;
    meguri_status status = mg_reader_direction(reader, input, MEGURI_DIRECTED);
    if (status == MEGURI_OK) status = read_header(&h, reader, input);
    if (status != MEGURI_OK) return status;
    return is_nodes(&h) ? read_nodes(reader, input, &h) : read_relationships(reader, input, &h);
}

/* nodes.csv for relationships.csv, with the same words before it, whichever of both is compressed. */
static bool find_nodes(char *name, const char *path) {
    size_t length = mg_uncompressed_name(NULL, path), last = strlen(RELATIONSHIPS);
    if (length < last || memcmp(path + length - last, RELATIONSHIPS, last) != 0) return false;
    memcpy(name, path, length - last);
    for (int compression = MG_PLAIN; compression < MG_COMPRESSIONS; compression++) {
        snprintf(name + length - last, PATH_MAX + MG_LONGER_BESIDE - (length - last), NODES "%s",
                 mg_compressions[compression].suffix);
        if (access(name, F_OK) == 0) return true;
    }
    return false;
}

static meguri_status detect(meguri_format *out, const mg_reader *reader, mg_sample *sample) {
    char *line;
    const char *end;
    heading h;
    (void)reader;
    meguri_status status = mg_sample_line(sample, &line, &end);
    if (status != MEGURI_OK || !line || sample->cut || !memchr(line, ':', (size_t)(end - line))) return status;
    if (parse_header(&h, NULL, line, end) && (is_nodes(&h) || is_relationships(&h))) *out = MEGURI_FORMAT_NEO4J;
    return MEGURI_OK;
}

/* ---- writing ---------------------------------------------------------------------------------------------------- */

static void put(mg_text *text, const char *words) { mg_text_add(text, words, strlen(words)); }

void mg_neo4j_node_head(const mg_write_job *job, mg_text *text) {
    put(text, job->coordinates ? "uid:ID,:LABEL,x:double,y:double\n" : "uid:ID,:LABEL\n");
}

void mg_neo4j_relationship_head(const mg_write_job *job, mg_text *text) {
    put(text, ":START_ID,:END_ID,:TYPE");
    bool whole = job->graph->weight_type >= MEGURI_WEIGHT_U8 && job->graph->weight_type <= MEGURI_WEIGHT_U32;
    if (job->with_weights) put(text, whole ? ",weight:long" : ",weight:double");
    for (uint32_t c = 0; c < job->column_count; c++) {
        const mg_column_view *column = &job->columns[c];
        if (c == job->type_column) continue;
        put(text, ",");
        mg_write_csv_name(text, column->name, strlen(column->name));
        bool real = column->what.type == MEGURI_VALUE_F32 || column->what.type == MEGURI_VALUE_F64;
        if (!column->what.labels) put(text, real ? ":double" : ":long");
    }
    put(text, "\n");
}

void mg_neo4j_node(const mg_write_job *job, mg_text *text, uint64_t position, const char *label, bool place) {
    mg_write_id(job, text, position);
    put(text, ",");
    put(text, label);
    for (uint64_t i = 0; job->coordinates && i < 2; i++) {
        char number[MG_DOUBLE_TEXT];
        double value = job->coordinates[2 * position + i];
        put(text, ",");
        if (place && !isnan(value))
            mg_text_add(text, number, (size_t)(mg_put_double(number, job->powers, value) - number));
    }
    put(text, "\n");
}

void mg_neo4j_relationship(const mg_write_job *job, mg_text *text, uint64_t from, uint64_t to, uint64_t arc) {
    mg_write_id(job, text, from);
    put(text, ",");
    mg_write_id(job, text, to);
    put(text, ",");
    if (job->type_column == UINT32_MAX) put(text, "EDGE");
    else mg_write_value(job, text, job->type_column, arc);
    if (job->with_weights) {
        put(text, ",");
        mg_write_weight(job, text, arc);
    }
    for (uint32_t c = 0; c < job->column_count; c++) {
        if (c == job->type_column) continue;
        put(text, ",");
        mg_write_value(job, text, c, arc);
    }
    put(text, "\n");
}

static void row(const mg_write_job *job, mg_text *text, const mg_write_row *r) {
    for (uint64_t i = 0; i < r->degree; i++)
        mg_neo4j_relationship(job, text, r->position, r->neighbors[i], mg_write_arc(r, i));
}

static void row_of_node(const mg_write_job *job, mg_text *text, const mg_write_row *r) {
    mg_neo4j_node(job, text, r->position, MG_NEO4J_VERTEX, true);
}

static const mg_writer writer_nodes = {
    .suffix = NODES, .id_form = MG_ID_FORM_CSV, .without_arcs = true, .head = mg_neo4j_node_head, .row = row_of_node};
static const mg_writer writer = {.suffix = RELATIONSHIPS,
                                 .beside = &writer_nodes,
                                 .id_form = MG_ID_FORM_CSV,
                                 .columns = true,
                                 .head = mg_neo4j_relationship_head,
                                 .row = row};

const mg_format mg_format_neo4j = {.names_columns = true,
                                   .clue = MG_CLUE_SIGN,
                                   .detect = detect,
                                   .read = read_neo4j,
                                   .find_beside = find_nodes,
                                   .writers = {&writer}};
