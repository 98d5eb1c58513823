/* What the files of Neo4j's CSV import format share (format_neo4j.c): what a header says, and reading nodes by it. */
#ifndef MG_IO_NEO4J_H
#define MG_IO_NEO4J_H

#include "io/csv.h"
#include "io/format.h"

#define MG_NEO4J_NODES         "nodes.csv"
#define MG_NEO4J_RELATIONSHIPS "relationships.csv"

enum { MG_NEO4J_MOST_IDS = 8 };

/* What a header says. */
typedef struct mg_neo4j_header {
    mg_csv table;                           /* of nodes, `source` is the id, or its first column */
    unsigned id_columns[MG_NEO4J_MOST_IDS]; /* of nodes */
    unsigned ids, starts, ends, types, points;
    unsigned names; /* columns that are no properties */
    unsigned x, y, point, type;
    mg_csv_found xs, ys, weights;
    mg_field spaces[2]; /* until they are settled */
    bool alone;         /* nothing stands behind it in its file: it is that of the files that follow */
} mg_neo4j_header;

extern const char *const mg_neo4j_x_names[];
extern const char *const mg_neo4j_y_names[];

static inline bool mg_neo4j_is_nodes(const mg_neo4j_header *h) { return h->ids && !h->starts && !h->ends; }
static inline bool mg_neo4j_is_relationships(const mg_neo4j_header *h) { return !h->ids && h->starts && h->ends; }

/* ---- headers (neo4j_header.c) ----------------------------------------------------------------------------------- */

/* Whether a field of a header names neither ids nor anything else that has a sign of its own. */
bool mg_neo4j_is_property(const mg_field *field);
/* False if the line is no list of fields. It is changed where it has quotes. No reader and no room: columns of edges
 * are not looked for. */
bool mg_neo4j_parse_header(mg_neo4j_header *out, const mg_reader *reader, const mg_csv_room *room, char *line,
                           const char *end);
/* The header that the input begins with. */
meguri_status mg_neo4j_read_header(mg_neo4j_header *out, mg_reader *reader, mg_input *input);
/* Whether nothing but blank lines stands behind the header; its fields are gone then. */
meguri_status mg_neo4j_find_alone(bool *out, mg_input *input);
/* What stands before ids of a space, empty where nothing does; refuses what spaces cannot be. */
meguri_status mg_neo4j_settle_space(mg_reader *reader, mg_input *input, const mg_field *space, char *before);
/* Whether an input has no header of its own, and goes on with the last one that there was. */
meguri_status mg_neo4j_goes_on(bool *out, const mg_reader *reader, mg_input *input);

/* ---- nodes (neo4j_nodes.c) -------------------------------------------------------------------------------------- */

/* Completes a header of nodes by what its reader wants of it. */
meguri_status mg_neo4j_settle_nodes(mg_reader *reader, mg_input *input, mg_neo4j_header *h);
/* The nodes behind a header that is settled. */
meguri_status mg_neo4j_read_nodes(mg_reader *reader, mg_input *input, mg_neo4j_header *h);

/* ---- writing (neo4j_write.c) ------------------------------------------------------------------------------------ */

extern const mg_writer mg_neo4j_writer;

#endif
