/* Files of nodes of Neo4j's CSV import format: ids, and coordinates by x and y, lon and lat, or a point. Labels and
 * other properties are not read. */
#include "io/neo4j.h"

#include <math.h>

/* ---- coordinates ------------------------------------------------------------------------------------------------ */

/* Which values of a record are wanted: x and y, or one point, and the columns of the id behind its first. */
enum { AT_X, AT_Y, AT_POINT, AT_IDS };

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
        int which = mg_csv_find_name(name, mg_neo4j_x_names) != MG_NO_COLUMN   ? 0
                    : mg_csv_find_name(name, mg_neo4j_y_names) != MG_NO_COLUMN ? 1
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

/* Where it is, or NAN twice. */
static meguri_status take_place(mg_pass *pass, const mg_chunk *chunk, const mg_neo4j_header *h,
                                const mg_csv_record *fields, double xy[2]) {
    if (h->point != MG_NO_COLUMN) {
        const mg_field *point = &fields->values[AT_POINT];
        return !point->length || take_point(pass, point, xy) ? MEGURI_OK : fail_coordinate(pass, chunk, point, "point");
    }
    for (int i = 0; i < 2 && h->x != MG_NO_COLUMN; i++) {
        const mg_field *field = &fields->values[i];
        const char *p = field->text;
        if (field->length && (!take_number(pass, &p, p + field->length, &xy[i]) || p != field->text + field->length))
            return fail_coordinate(pass, chunk, field, "coordinate");
    }
    return MEGURI_OK;
}

/* ---- chunks ----------------------------------------------------------------------------------------------------- */

/* What one chunk of nodes becomes. */
typedef struct nodes_of_chunk {
    mg_vertex_rows placed, bare; /* with coordinates, and without */
    mg_names *names;             /* NULL: ids are integers */
    mg_text scratch, joined;
    mg_csv_signs signs;
} nodes_of_chunk;

/* The id of a node, which may be what stands in several columns. */
static meguri_status take_id(mg_pass *pass, const mg_chunk *chunk, nodes_of_chunk *n, const mg_csv_record *fields,
                             uint64_t *id) {
    const mg_neo4j_header *h = pass->format;
    mg_field field = fields->source;
    if (!n->names) return mg_csv_integer(pass, chunk, &field, &n->signs, id);
    if (h->ids > 1) {
        n->joined.used = 0;
        for (unsigned i = 0; i < h->ids; i++) {
            const mg_field *part = i ? &fields->values[AT_IDS + i - 1] : &fields->source;
            /* A part that cannot be in an id is told here, where its place in the file is known. */
            if (part->length && !mg_is_name(part->text, part->length)) return mg_check_name(pass, chunk, part);
            mg_text_add(&n->joined, part->text, part->length);
        }
        if (n->joined.failed) return MEGURI_NO_MEMORY;
        if (n->joined.used) field = (mg_field){n->joined.data, n->joined.used};
    }
    uint32_t number = 0;
    meguri_status status = mg_csv_name(pass, chunk, n->names, h->table.spaces[0], &n->scratch, &field, &number);
    *id = number;
    return status;
}

static meguri_status parse_node(mg_pass *pass, const mg_chunk *chunk, nodes_of_chunk *n, const char **p) {
    const mg_neo4j_header *h = pass->format;
    mg_field values[MG_CSV_MORE_WANTED];
    mg_csv_record fields = {.values = values};
    uint64_t id = 0;
    double xy[2] = {NAN, NAN};
    meguri_status status = mg_csv_record_at(pass, chunk, &h->table, p, &fields);
    if (status == MEGURI_OK) status = take_id(pass, chunk, n, &fields, &id);
    if (status == MEGURI_OK) status = take_place(pass, chunk, h, &fields, xy);
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
        mg_edges_merge_names(&maps, reader->ctx, reader->edges, mg_chunk_place(pass, chunk), n->names, NULL);
    if (status != MEGURI_OK) return status;
    mg_pass_end_turn(pass, chunk);
    for (uint64_t i = 0; i < n->placed.count; i++) n->placed.ids[i] = maps.ids[n->placed.ids[i]];
    for (uint64_t i = 0; i < n->bare.count; i++) n->bare.ids[i] = maps.ids[n->bare.ids[i]];
    mg_name_maps_free(&maps);
    return MEGURI_OK;
}

static bool has_places(const mg_neo4j_header *h) { return h->x != MG_NO_COLUMN || h->point != MG_NO_COLUMN; }

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
    mg_reader *reader = pass->reader;
    meguri_ctx *ctx = reader->ctx;
    nodes_of_chunk n = {.scratch.ctx = ctx, .joined.ctx = ctx};
    bool places = has_places(pass->format);
    meguri_status status = reserve(ctx, &n, mg_count_lines(chunk->begin, chunk->end), places);
    if (status == MEGURI_OK && reader->string_ids == MG_YES) status = mg_names_new(&n.names, ctx);
    for (const char *p = chunk->begin; p < chunk->end && status == MEGURI_OK;)
        if (!mg_csv_skip_empty(&((const mg_neo4j_header *)pass->format)->table, &p, chunk->end))
            status = parse_node(pass, chunk, &n, &p);
    if (status == MEGURI_OK && n.names) status = merge_names(pass, chunk, &n);
    if (status == MEGURI_OK) {
        mg_fetch_add(&pass->lines, n.placed.count + n.bare.count);
        trim(&n.bare);
        if (places) trim(&n.placed);
        status = mg_builder_rows(ctx, reader->builder, &n.bare);
        if (status == MEGURI_OK) status = mg_builder_rows(ctx, reader->builder, &n.placed);
    }
    mg_vertex_rows_free(&n.bare);
    mg_vertex_rows_free(&n.placed);
    mg_names_free(n.names);
    mg_text_free(&n.scratch);
    mg_text_free(&n.joined);
    return status;
}

/* ---- the file --------------------------------------------------------------------------------------------------- */

/* Two numbers go before a point. */
static void want_places_and_ids(const mg_reader *reader, mg_neo4j_header *h) {
    bool both = h->x != MG_NO_COLUMN && h->y != MG_NO_COLUMN && !reader->share; /* parts have no coordinates */
    if (both) mg_csv_want(&h->table, h->x, AT_X), mg_csv_want(&h->table, h->y, AT_Y);
    else h->x = h->y = MG_NO_COLUMN;
    if (both || reader->share) h->point = MG_NO_COLUMN;
    if (h->point != MG_NO_COLUMN) mg_csv_want(&h->table, h->point, AT_POINT);
    for (unsigned i = 1; i < h->ids; i++) mg_csv_want(&h->table, h->id_columns[i], AT_IDS + i - 1);
    mg_csv_sort_wanted(&h->table);
}

/* Ids of several columns are texts, whatever they hold. */
static meguri_status join_ids(mg_reader *reader, mg_input *input, const mg_neo4j_header *h) {
    if (h->ids < 2) return MEGURI_OK;
    if (reader->string_ids == MG_NO || reader->options.ids == MEGURI_IDS_INTEGER)
        return mg_header_fail(input, "ids of several columns are texts, but those of the graph are integers; with the "
                                     "option ids (string) all are texts.");
    reader->string_ids = MG_YES;
    return mg_reader_ids(reader, input, &(mg_ids_seen){0});
}

meguri_status mg_neo4j_settle_nodes(mg_reader *reader, mg_input *input, mg_neo4j_header *h) {
    h->table.weight = MG_NO_COLUMN;
    meguri_status status = mg_neo4j_settle_space(reader, input, &h->spaces[0], h->table.spaces[0]);
    if (status == MEGURI_OK) status = join_ids(reader, input, h);
    if (status == MEGURI_OK) status = mg_csv_settle(input, &h->xs, h->x, "the first coordinate", NULL);
    if (status == MEGURI_OK) status = mg_csv_settle(input, &h->ys, h->y, "the second coordinate", NULL);
    if (status == MEGURI_OK && h->points > 1)
        mg_warn(reader->ctx, "%s: of its %u columns of points the first is read.", input->name, h->points);
    if (status == MEGURI_OK) want_places_and_ids(reader, h);
    return status;
}

meguri_status mg_neo4j_read_nodes(mg_reader *reader, mg_input *input, mg_neo4j_header *h) {
    meguri_status status = h->ids > 1 ? MEGURI_OK : mg_csv_look_at_ids(reader, input, &h->table);
    if (status != MEGURI_OK) return status;
    mg_pass pass = {.reader = reader, .input = input, .format = h, .parse = parse_nodes};
    status = mg_csv_run(&pass, &h->table);
    if (status == MEGURI_OK && !pass.lines) mg_warn(reader->ctx, "%s holds no nodes.", input->name);
    return status;
}
