/* Neo4j's CSV import format (neo4j-admin database import): files of nodes and files of relationships, each with a
 * header whose fields are NAME:TYPE.
 *
 *     uid:ID(Space),:LABEL,x:double,y:double            nodes: ids, and coordinates by x and y, lon and lat, or a point
 *     :START_ID(Space),:END_ID(Space),:TYPE,km:double   relationships: ends, type, properties
 *
 * A header may be a file of its own: files that have none go on with the one before. Ids of different id spaces are
 * different nodes. Which spaces there are is only known when all files are: so ids stand as they are while there is one
 * space, and a second is refused, unless ids are asked for as strings, where that of a named space is SPACE:ID. Types
 * become the column of types; properties are columns where the options name them. */
#define _GNU_SOURCE /* PATH_MAX */
#include "io/neo4j.h"

#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- relationships ---------------------------------------------------------------------------------------------- */

static bool has_types(const mg_reader *reader) {
    for (uint32_t c = 0; c < reader->options.column_count; c++)
        if (mg_reader_column(reader, c)->kind == MEGURI_COLUMN_TYPES) return true;
    return false;
}

/* What the column of types is called where the options name none: type, or as its field is, where another one is called
 * so; NULL: neither is left. */
static const char *name_of_types(const mg_reader *reader) {
    static const char *const names[] = {"type", ":TYPE", NULL};
    const char *const *name = names;
    for (uint32_t c = 0; *name && c < reader->options.column_count; c++)
        if (strcmp(mg_reader_column(reader, c)->name, *name) == 0) {
            name++;
            c = UINT32_MAX; /* the next name, from the first column on */
        }
    return *name;
}

/* Types are a column of the edges, also where the options name none; not once there are edges without. */
static meguri_status want_types(mg_reader *reader, mg_input *input, const mg_neo4j_header *h) {
    meguri_read_options *o = &reader->options;
    if (h->type == MG_NO_COLUMN || has_types(reader) || reader->share) return MEGURI_OK; /* parts have no columns */
    const char *name = name_of_types(reader);
    if (!name || mg_edges_count(reader->edges)) {
        mg_warn(reader->ctx, "%s: its types are not read, because %s.", input->name,
                name ? "the edges before have none" : "other columns are called type and :TYPE");
        return MEGURI_OK;
    }
    meguri_column_data *columns =
        mg_alloc_array_zero(reader->ctx, o->column_count + 1, sizeof *columns, "columns of the edges");
    if (!columns) return MEGURI_NO_MEMORY;
    for (uint32_t c = 0; c < o->column_count; c++) {
        const meguri_column_data *from = mg_reader_column(reader, c);
        memcpy(&columns[c], from, MG_MIN(from->size, sizeof *columns));
        columns[c].size = sizeof *columns;
    }
    columns[o->column_count] = (meguri_column_data){.size = sizeof *columns, .name = name, .kind = MEGURI_COLUMN_TYPES};
    reader->own_columns = columns;
    o->columns = columns;
    o->column_count++;
    return mg_edges_declare_column(reader->ctx, reader->edges, name, MEGURI_COLUMN_TYPES, MEGURI_TYPE_NONE, true);
}

/* A column of types that no property has the name of is :TYPE; the one that was added is, in any case. */
static void find_types(const mg_reader *reader, mg_neo4j_header *h) {
    for (uint32_t c = 0; c < reader->options.column_count; c++) {
        const meguri_column_data *column = mg_reader_column(reader, c);
        bool added = reader->own_columns && c + 1 == reader->options.column_count;
        struct mg_csv_value *value = &h->table.columns_of_edges.value[c];
        if (column->kind == MEGURI_COLUMN_TYPES && (added || value->at == MG_NO_COLUMN)) value->at = h->type;
    }
}

struct mg_file_place {
    dev_t device;
    ino_t inode;
};
typedef struct mg_file_place mg_file_place;

static int by_place(const void *a, const void *b) {
    const mg_file_place *p = a, *q = b;
    if (p->device != q->device) return p->device < q->device ? -1 : 1;
    return p->inode < q->inode ? -1 : p->inode > q->inode;
}

/* Where the files that were named are, in order. */
static meguri_status find_places(mg_reader *reader) {
    struct stat facts;
    if (reader->places) return MEGURI_OK;
    reader->places = mg_alloc_array(reader->ctx, reader->path_count, sizeof *reader->places, "the inputs");
    if (!reader->places) return MEGURI_NO_MEMORY;
    for (size_t i = 0; i < reader->path_count; i++)
        if (stat(reader->paths[i], &facts) == 0)
            reader->places[reader->place_count++] = (mg_file_place){facts.st_dev, facts.st_ino};
    qsort(reader->places, reader->place_count, sizeof *reader->places, by_place);
    return MEGURI_OK;
}

/* Whether a file is one of those that were named. */
static meguri_status is_named(bool *out, mg_reader *reader, const char *path) {
    struct stat facts;
    *out = false;
    if (stat(path, &facts) != 0) return MEGURI_OK;
    meguri_status status = find_places(reader);
    const mg_file_place place = {facts.st_dev, facts.st_ino};
    if (status == MEGURI_OK && reader->place_count)
        *out = bsearch(&place, reader->places, reader->place_count, sizeof place, by_place) != NULL;
    return status;
}

static meguri_status settle_relationships(mg_reader *reader, mg_input *input, mg_neo4j_header *h) {
    meguri_status status = MEGURI_OK;
    for (int i = 0; i < 2 && status == MEGURI_OK; i++)
        status = mg_neo4j_settle_space(reader, input, &h->spaces[i], h->table.spaces[i]);
    if (status == MEGURI_OK) status = mg_csv_settle(input, &h->weights, h->table.weight, "the weights", NULL);
    if (status == MEGURI_OK) status = want_types(reader, input, h);
    if (status != MEGURI_OK) return status;
    find_types(reader, h);
    return mg_csv_settle_columns(input, reader, &h->table, NULL, 0);
}

/* ---- files ------------------------------------------------------------------------------------------------------ */

static meguri_status read_file_of_nodes(mg_reader *reader, const char *path) {
    mg_input input;
    mg_neo4j_header h;
    meguri_status status = mg_input_open(&input, reader->ctx, path);
    if (status == MEGURI_OK) status = mg_input_peek(&input, MG_FIRST_LOOK);
    if (status == MEGURI_OK) status = mg_refuse_foreign(&input, false);
    if (status == MEGURI_OK) status = mg_neo4j_read_header(&h, reader, &input);
    if (status == MEGURI_OK && !mg_neo4j_is_nodes(&h)) status = mg_header_fail(&input, "there is no column :ID.");
    if (status == MEGURI_OK) status = mg_neo4j_settle_nodes(reader, &input, &h);
    if (status == MEGURI_OK) status = mg_neo4j_read_nodes(reader, &input, &h);
    mg_input_close(&input);
    return status;
}

/* The nodes of relationships that are named alone. */
static meguri_status read_nodes_beside(mg_reader *reader, const mg_input *input) {
    char nodes[PATH_MAX + MG_LONGER_BESIDE];
    bool named;
    if (input->memory || !meguri_read_beside(nodes, sizeof nodes, input->name, MEGURI_FORMAT_NEO4J)) return MEGURI_OK;
    meguri_status status = is_named(&named, reader, nodes);
    return status == MEGURI_OK && !named ? read_file_of_nodes(reader, nodes) : status;
}

/* A header that files without one may go on with. */
static meguri_status begin_with_header(mg_reader *reader, mg_input *input) {
    if (!reader->neo4j) reader->neo4j = mg_alloc(reader->ctx, sizeof *reader->neo4j, "a header");
    mg_neo4j_header *h = reader->neo4j;
    if (!h) return MEGURI_NO_MEMORY;
    meguri_status status = mg_neo4j_read_header(h, reader, input);
    if (status != MEGURI_OK) return status;
    bool nodes = mg_neo4j_is_nodes(h);
    status = nodes ? mg_neo4j_settle_nodes(reader, input, h) : settle_relationships(reader, input, h);
    h->spaces[0] = h->spaces[1] = (mg_field){0};
    if (status == MEGURI_OK) status = mg_neo4j_find_alone(&h->alone, input);
    return status == MEGURI_OK && !nodes ? read_nodes_beside(reader, input) : status;
}

static bool is_last(const mg_reader *reader, const mg_input *input) {
    return !reader->path_count || strcmp(reader->paths[reader->path_count - 1], input->name) == 0;
}

static meguri_status read_neo4j(mg_reader *reader, mg_input *input) {
    bool goes_on;
    meguri_status status = mg_reader_direction(reader, input, MEGURI_DIRECTED);
    if (status == MEGURI_OK) status = mg_neo4j_goes_on(&goes_on, reader, input);
    if (status == MEGURI_OK && !goes_on) status = begin_with_header(reader, input);
    if (status != MEGURI_OK) return status;
    mg_neo4j_header h = *reader->neo4j;
    if (!goes_on && h.alone && !is_last(reader, input)) return MEGURI_OK; /* its data are elsewhere */
    return mg_neo4j_is_nodes(&h) ? mg_neo4j_read_nodes(reader, input, &h) : mg_csv_read_edges(reader, input, &h.table);
}

/* nodes.csv for relationships.csv, with the same words before it, whichever of both is compressed. */
static bool find_nodes(char *name, const char *path) {
    size_t length = mg_uncompressed_name(NULL, path), last = strlen(MG_NEO4J_RELATIONSHIPS);
    if (length < last || memcmp(path + length - last, MG_NEO4J_RELATIONSHIPS, last) != 0) return false;
    memcpy(name, path, length - last);
    for (int compression = MG_PLAIN; compression < MG_COMPRESSIONS; compression++) {
        snprintf(name + length - last, PATH_MAX + MG_LONGER_BESIDE - (length - last), MG_NEO4J_NODES "%s",
                 mg_compressions[compression].suffix);
        if (access(name, F_OK) == 0) return true;
    }
    return false;
}

static meguri_status detect(meguri_format *out, const mg_reader *reader, mg_sample *sample) {
    char *line;
    const char *end;
    mg_neo4j_header h;
    bool goes_on;
    meguri_status status = mg_neo4j_goes_on(&goes_on, reader, sample->input);
    if (goes_on) *out = MEGURI_FORMAT_NEO4J;
    if (status != MEGURI_OK || goes_on) return status;
    status = mg_sample_line(sample, &line, &end);
    if (status != MEGURI_OK || !line || sample->cut || !memchr(line, ':', (size_t)(end - line))) return status;
    if (mg_neo4j_parse_header(&h, NULL, NULL, line, end) && (mg_neo4j_is_nodes(&h) || mg_neo4j_is_relationships(&h)))
        *out = MEGURI_FORMAT_NEO4J;
    return MEGURI_OK;
}

const mg_format mg_format_neo4j = {.names_columns = true,
                                   .clue = MG_CLUE_SIGN,
                                   .detect = detect,
                                   .read = read_neo4j,
                                   .find_beside = find_nodes,
                                   .writers = {&mg_neo4j_writer}};
