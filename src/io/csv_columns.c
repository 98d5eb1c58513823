/* Which column of a table is what: source, target, weight, Gephi's direction.
 *
 * Options name or number columns. Where they do not, usual names decide, wherever the columns stand; where there are no
 * such names, two columns are the ids in their order, and the third of three is the weight if it holds numbers. A wider
 * table without such names is refused: one of stations must not become a graph by accident. */
#include "io/csv.h"

#include <inttypes.h>

const char *const mg_csv_source_names[] = {
    "source",     "src",        "from",         "start",      "tail",     "u",         "sourceid", "srcid",   "fromid",
    "startid",    "node1",      "id1",          "sourcenode", "fromnode", "startnode", "nodeid1",  "vertex1", "v1",
    "fromnodeid", "fromvertex", "sourcenodeid", "parent",     "subject",  "origin",    NULL};
const char *const mg_csv_target_names[] = {
    "target",   "dst",      "to",           "end",        "head",        "v",       "targetid", "dstid",   "toid",
    "endid",    "node2",    "id2",          "targetnode", "tonode",      "endnode", "nodeid2",  "vertex2", "v2",
    "tonodeid", "tovertex", "targetnodeid", "dest",       "destination", "child",   "object",   NULL};

#define OPTIONS_TEXT "--source-column, --target-column and --weight-column name columns of the header, or number them"

typedef struct choice {
    mg_csv *table;
    const mg_csv_look *look;
    const mg_reader *reader;
    mg_input *input;
    mg_csv_found sources, targets, weights;
    bool header, by_name;
    unsigned index; /* the column of row numbers that pandas and R write */
} choice;

/* ---- options ---------------------------------------------------------------------------------------------------- */

static bool is_called(const mg_field *field, const char *name, bool plain) {
    if (!plain) return field->length == strlen(name) && memcmp(field->text, name, field->length) == 0;
    char a[64], b[64];
    mg_csv_plain_name(field, a, sizeof a);
    mg_csv_plain_name(&(mg_field){(char *)(uintptr_t)name, strlen(name)}, b, sizeof b);
    return *a && strcmp(a, b) == 0;
}

/* A name as it stands, else without regard to capitals and signs, else a number from 1. */
static meguri_status take_option(choice *c, unsigned *column, const char *option, const char *flag) {
    if (!option) return MEGURI_OK;
    for (int plain = 0; plain < 2 && c->header; plain++)
        for (unsigned i = 0; i < c->look->room; i++)
            if (is_called(&c->look->first[i], option, plain)) {
                *column = i;
                return MEGURI_OK;
            }
    const char *p = option;
    uint64_t number;
    if (mg_parse_u64(&p, &number) && !*p && number >= 1 && number <= c->table->columns) {
        *column = (unsigned)number - 1;
        return MEGURI_OK;
    }
    char names[200] = "";
    size_t used = 0;
    for (unsigned i = 0; c->header && i < c->look->room && used + 60 < sizeof names; i++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s'%.*s'", i ? ", " : ": ",
                                 (int)mg_cut_text(c->look->first[i].text, c->look->first[i].length, 40),
                                 c->look->first[i].text);
    char hint[MG_SIMILAR_TEXT];
    if (!mg_csv_suggest(hint, option, c->look->first, c->header ? c->look->room : 0))
        snprintf(hint, sizeof hint, "; give a name of the header, or a number from 1.");
    return mg_header_fail(c->input, "there is no column '%.60s' (%s) among the %u %s%s%s", option, flag,
                          c->table->columns, c->header ? "of the header" : "columns of the first line", names, hint);
}

static meguri_status take_options(choice *c) {
    const meguri_read_options *o = &c->reader->options;
    mg_csv *t = c->table;
    meguri_status status = take_option(c, &t->source, o->source_column, "--source-column");
    if (status == MEGURI_OK) status = take_option(c, &t->target, o->target_column, "--target-column");
    if (status == MEGURI_OK) status = take_option(c, &t->weight, o->weight_column, "--weight-column");
    if (status == MEGURI_OK && t->source != MG_NO_COLUMN && t->source == t->target)
        return mg_header_fail(c->input, "--source-column and --target-column name the same column.");
    return status;
}

/* ---- names ------------------------------------------------------------------------------------------------------ */

static void take_names(choice *c) {
    mg_csv *t = c->table;
    const bool open[3] = {t->source == MG_NO_COLUMN, t->target == MG_NO_COLUMN, t->weight == MG_NO_COLUMN};
    for (unsigned i = 0; i < c->look->room; i++) {
        char name[32];
        const mg_field *field = &c->look->first[i];
        mg_csv_look_for(t, c->reader, i, field, MG_CSV_NAME);
        if (mg_csv_is_only_column(field)) continue;
        mg_csv_plain_name(field, name, sizeof name);
        if (strcmp(name, "type") == 0 && t->direction == MG_NO_COLUMN && c->look->seen[i].direction) t->direction = i;
        bool taken = (!open[0] && i == t->source) || (!open[1] && i == t->target) || (!open[2] && i == t->weight);
        bool id = !taken && ((open[0] && mg_csv_take_column(&t->source, &c->sources, i, name, mg_csv_source_names)) ||
                             (open[1] && mg_csv_take_column(&t->target, &c->targets, i, name, mg_csv_target_names)));
        if (!id && !taken && open[2]) mg_csv_take_column(&t->weight, &c->weights, i, name, mg_csv_weight_names);
    }
}

static meguri_status settle_names(choice *c) {
    mg_csv *t = c->table;
    meguri_status status =
        mg_csv_settle(c->input, &c->sources, t->source, "the ids that edges come from", "--source-column");
    if (status == MEGURI_OK)
        status = mg_csv_settle(c->input, &c->targets, t->target, "the ids that edges go to", "--target-column");
    if (status == MEGURI_OK) status = mg_csv_settle(c->input, &c->weights, t->weight, "the weights", "--weight-column");
    c->by_name = t->source != MG_NO_COLUMN && t->target != MG_NO_COLUMN;
    /* Elsewhere a type is whatever it is. */
    if (!c->by_name) t->direction = MG_NO_COLUMN;
    else if (t->direction != MG_NO_COLUMN) t->all = c->look->seen[t->direction].direction;
    return status;
}

/* ---- place and content ------------------------------------------------------------------------------------------ */

/* Names of columns that number edges or rows, and weigh nothing. */
static bool is_number_of_row(const mg_field *field) {
    static const char *const names[] = {"id", "edgeid", "index", NULL};
    char name[32];
    mg_csv_plain_name(field, name, sizeof name);
    return mg_csv_find_name(name, names) != MG_NO_COLUMN;
}

/* The first column, where it has no name, or that of an index, and numbers rows. */
static void find_index(choice *c) {
    char name[32] = "";
    c->index = MG_NO_COLUMN;
    if (!c->header || c->table->columns < 3 || !c->look->room) return;
    mg_csv_plain_name(&c->look->first[0], name, sizeof name);
    if (*name && strcmp(name, "unnamed") != 0 && strcmp(name, "index") != 0) return;
    if (c->table->source != 0 && c->table->target != 0 && c->table->weight != 0) c->index = 0;
}

/* A column that is kept with the edges, or that its name says is nothing else. */
static bool is_wanted(const choice *c, unsigned column) {
    if (c->header && column < c->look->room && mg_csv_is_only_column(&c->look->first[column])) return true;
    for (uint32_t i = 0; i < c->reader->options.column_count; i++)
        if (c->table->columns_of_edges.value[i].at == column) return true;
    return false;
}

/* Columns that are nothing yet, from left to right, at most `room`; how many there are. */
static unsigned find_free(const choice *c, unsigned *out, unsigned room) {
    const mg_csv *t = c->table;
    unsigned found = 0;
    for (unsigned i = 0; i < t->columns; i++) {
        if (i == t->source || i == t->target || i == t->weight || i == t->direction || i == c->index) continue;
        if (found < room) out[found] = i;
        found++;
    }
    return found;
}

static meguri_status refuse_columns(choice *c) {
    char name[32];
    bool id = false, label = false;
    for (unsigned i = 0; c->header && i < c->look->room; i++) {
        mg_csv_plain_name(&c->look->first[i], name, sizeof name);
        id |= strcmp(name, "id") == 0;
        label |= strcmp(name, "label") == 0 || strcmp(name, "name") == 0;
    }
    if (id && label)
        return mg_header_fail(c->input,
                              "no columns are named source and target among the %u of the header, which looks "
                              "like that of a table of vertices; give the table of edges (" OPTIONS_TEXT ").",
                              c->table->columns);
    if (c->header)
        return mg_header_fail(c->input,
                              "no columns are named source and target among the %u of the header; " OPTIONS_TEXT ".",
                              c->table->columns);
    if (c->table->columns == 3)
        return mg_header_fail(
            c->input, "3 columns of words found, and nothing says which two hold the ends of the edges; " OPTIONS_TEXT
                      ", and --header says that this line has their names.");
    return mg_header_fail(c->input,
                          "%u columns found, but an edge list has 2 or 3 (from, to, weight); " OPTIONS_TEXT
                          ", and --header says that this line has their names.",
                          c->table->columns);
}

/* The ids where names do not say them: all columns that are left, of which the third of three may be the weight. */
static meguri_status take_places(choice *c) {
    mg_csv *t = c->table;
    unsigned free[3], missing = (t->source == MG_NO_COLUMN) + (t->target == MG_NO_COLUMN), left;
    if (!missing) return MEGURI_OK;
    /* Of two columns both are ids, whatever they are called. */
    if (t->columns == 2 && !c->reader->options.weight_column) t->weight = MG_NO_COLUMN;
    left = find_free(c, free, 3);
    bool third = left == 3 && missing == 2 && t->weight == MG_NO_COLUMN &&
                 (mg_csv_has_numbers(c->look, free[2]) || (!c->header && mg_ignores_weights(&c->reader->build)));
    if (left != missing && !third) return refuse_columns(c);
    if (c->header && t->columns == 2 && missing == 2) {
        char names[2][32];
        for (int i = 0; i < 2; i++) mg_csv_plain_name(&c->look->first[i], names[i], sizeof names[i]);
        if (strcmp(names[0], "id") == 0 && (strcmp(names[1], "label") == 0 || strcmp(names[1], "name") == 0))
            return refuse_columns(c);
    }
    unsigned next = 0;
    if (t->source == MG_NO_COLUMN) t->source = free[next++];
    if (t->target == MG_NO_COLUMN) t->target = free[next];
    if (c->header)
        mg_warn(c->input->ctx,
                "%s:%" PRIu64 ": this is taken for a header that names no %s; ids are read from columns %u and %u "
                "(--source-column and --target-column name others; with --no-header this line is data).",
                c->input->name, mg_input_header_line(c->input),
                missing == 1 ? "other end of the edges" : "source and target", t->source + 1, t->target + 1);
    return MEGURI_OK;
}

/* Whether a name is one of ids, of which another was taken. */
static bool is_end(const choice *c, unsigned column) {
    const mg_field *name = &c->look->first[column];
    return c->header && column < c->look->room && mg_is_column_name(name->text, name->length);
}

/* A third column of numbers is the weight, whatever it is called. */
static void take_third(choice *c) {
    mg_csv *t = c->table;
    unsigned free[1] = {0}, left = find_free(c, free, 1);
    if (t->weight != MG_NO_COLUMN || left != 1 || mg_ignores_weights(&c->reader->build)) return;
    if (t->columns - (c->index != MG_NO_COLUMN) != 3 || is_wanted(c, free[0]) || is_end(c, free[0])) return;
    if (!c->header) { /* as in an edge list; what is no number is refused by its line */
        t->weight = free[0];
        return;
    }
    if (!mg_csv_has_numbers(c->look, free[0]) || is_number_of_row(&c->look->first[free[0]])) return;
    t->weight = free[0];
    mg_warn(c->input->ctx,
            "%s:%" PRIu64
            ": the column '%.*s' holds numbers and is read as the weights; --weight-column names another, "
            "--weights none reads none.",
            c->input->name, mg_input_header_line(c->input),
            (int)mg_cut_text(c->look->first[free[0]].text, c->look->first[free[0]].length, 60),
            c->look->first[free[0]].text);
}

meguri_status mg_csv_choose(mg_csv *table, const mg_csv_look *look, const mg_reader *reader, mg_input *input) {
    const mg_csv_found none = {.other = MG_NO_COLUMN};
    choice c = {.table = table,
                .look = look,
                .reader = reader,
                .input = input,
                .sources = none,
                .targets = none,
                .weights = none,
                .header = !table->headless};
    table->columns = look->columns;
    meguri_status status = take_options(&c);
    if (status == MEGURI_OK && c.header) {
        take_names(&c);
        status = settle_names(&c);
    }
    if (status == MEGURI_OK)
        status = mg_csv_settle_columns(input, reader, table, look->first, c.header ? look->room : 0);
    if (status != MEGURI_OK) return status;
    find_index(&c);
    status = take_places(&c);
    if (status == MEGURI_OK) take_third(&c);
    return status;
}
