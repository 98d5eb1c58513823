/* Names of columns in headers that are written: read back, each must be that of its column and nothing else.
 *
 * A name may be one that readers look for, such as weight. In CSV it then gets the ending :column, which says what it
 * is; in Neo4j's format, where what follows a colon is a type that Neo4j knows, it begins with edge_. */
#include "io/csv.h"
#include "io/neo4j.h"

#define SHOWN  60 /* bytes of a name in a sentence */
#define PREFIX "edge_"

static mg_field name_of(const mg_write_job *job, uint32_t column) {
    const char *name = job->columns[column].name;
    return (mg_field){(char *)(uintptr_t)name, strlen(name)};
}

static int shown(const mg_field *name) { return (int)mg_cut_text(name->text, name->length, SHOWN); }

static bool is_one_of(const mg_field *name, const char *const *names) {
    char plain[32];
    mg_csv_plain_name(name, plain, sizeof plain);
    return mg_csv_find_name(plain, names) != MG_NO_COLUMN;
}

/* ---- CSV -------------------------------------------------------------------------------------------------------- */

/* Whether all values of a column could be numbers, or Gephi's directions. */
static bool has_numbers(const mg_column_view *column) {
    for (uint32_t i = 0; i < column->what.labels; i++)
        if (column->labels[i][strspn(column->labels[i], "+-.0123456789eE")]) return false;
    return true;
}

static bool has_directions(const mg_column_view *column) {
    for (uint32_t i = 0; i < column->what.labels; i++) {
        const char *label = column->labels[i];
        if (mg_csv_direction(&(mg_field){(char *)(uintptr_t)label, strlen(label)})) return true;
    }
    return false;
}

/* Whether a reader could take the column for another one. One whose name has the ending gets it again, so that no two
 * names become the same. */
static bool is_mistaken(const mg_write_job *job, uint32_t column) {
    static const char *const ends[] = {"source", "target", NULL}, *const weight[] = {"weight", NULL},
                             *const type[] = {"type", NULL};
    const mg_field name = name_of(job, column);
    if (mg_csv_is_only_column(&name) || is_one_of(&name, ends) || !mg_neo4j_is_property(&name)) return true;
    if (is_one_of(&name, job->with_weights ? weight : mg_csv_weight_names)) return true;
    if (is_one_of(&name, type) && has_directions(&job->columns[column])) return true;
    return !job->with_weights && job->column_count == 1 && has_numbers(&job->columns[column]); /* the third of three */
}

/* For both kinds of header. */
static void put_name(mg_text *text, uint32_t prefixes, const mg_field *name, const char *ending) {
    mg_text whole = {.ctx = text->ctx};
    while (prefixes--) mg_text_add(&whole, PREFIX, strlen(PREFIX));
    mg_text_add(&whole, name->text, name->length);
    mg_text_add(&whole, ending, strlen(ending));
    if (!whole.failed) mg_write_csv_name(text, whole.data, whole.used);
    text->failed |= whole.failed;
    mg_text_free(&whole);
}

void mg_write_csv_column(const mg_write_job *job, mg_text *text, uint32_t column) {
    const mg_field name = name_of(job, column);
    put_name(text, 0, &name, is_mistaken(job, column) ? MG_CSV_COLUMN : "");
}

void mg_write_tell_csv_columns(const mg_write_job *job) {
    for (uint32_t c = 0; c < job->column_count; c++) {
        const mg_field name = name_of(job, c);
        if (is_mistaken(job, c))
            mg_warn(job->ctx,
                    "%s: the column \"%.*s\" is called \"%.*s" MG_CSV_COLUMN
                    "\" there, so that it is not taken for another one; --columns finds it by its name.",
                    job->path, shown(&name), name.text, shown(&name), name.text);
    }
}

/* ---- Neo4j ------------------------------------------------------------------------------------------------------ */

/* The place of a name in the list of those of weights; MG_NO_COLUMN: it is none. Names with colons are not looked at.
 */
static unsigned place_of(const mg_field *name) {
    char plain[32];
    if (memchr(name->text, ':', name->length)) return MG_NO_COLUMN;
    mg_csv_plain_name(name, plain, sizeof plain);
    return mg_csv_find_name(plain, mg_csv_weight_names);
}

/* Whether a reader would refuse the file for a name: because it is that of the weights, which are another column, or
 * are no numbers, or could be two. The first of the list is weight. */
static bool is_refused(const mg_write_job *job, uint32_t column) {
    mg_field name = name_of(job, column);
    unsigned place = place_of(&name);
    if (place == MG_NO_COLUMN) return false;
    bool twice = false;
    for (uint32_t c = 0; c < column; c++) {
        const mg_field other = name_of(job, c);
        twice |= c != job->type_column && place_of(&other) == place;
    }
    return twice || (job->with_weights ? place == 0 : job->columns[column].what.labels > 0);
}

/* Whether a column is called like a name with so many prefixes. */
static bool is_taken(const mg_write_job *job, const mg_field *name, uint32_t prefixes) {
    const size_t more = strlen(PREFIX) * prefixes;
    for (uint32_t c = 0; c < job->column_count; c++) {
        const mg_field other = name_of(job, c);
        size_t same = 0;
        while (same < more && same < other.length && other.text[same] == PREFIX[same % strlen(PREFIX)]) same++;
        if (same == more && other.length == more + name->length &&
            memcmp(other.text + more, name->text, name->length) == 0)
            return true;
    }
    return false;
}

/* How often the prefix stands before the name of a property: not at all, where a reader makes no mistake. */
static uint32_t prefixes_of(const mg_write_job *job, uint32_t column) {
    const mg_field name = name_of(job, column);
    uint32_t prefixes = is_refused(job, column);
    while (prefixes && is_taken(job, &name, prefixes)) prefixes++;
    return prefixes;
}

/* Text has no type, where the name alone says that it is a property. */
static const char *type_of(const mg_write_job *job, uint32_t column) {
    const mg_column *what = &job->columns[column].what;
    const mg_field name = name_of(job, column);
    if (what->labels) return memchr(name.text, ':', name.length) ? ":string" : "";
    if (mg_code_type(what->code) == MEGURI_TYPE_BOOLEAN) return ":boolean";
    return mg_type_is_real(mg_code_type(what->code)) ? ":double" : ":long";
}

void mg_write_neo4j_column(const mg_write_job *job, mg_text *text, uint32_t column) {
    const mg_field name = name_of(job, column);
    put_name(text, prefixes_of(job, column), &name, type_of(job, column));
}

meguri_status mg_write_check_neo4j_columns(const mg_write_job *job) {
    for (uint32_t c = 0; c < job->column_count; c++) {
        const mg_field name = name_of(job, c);
        if (c == job->type_column) continue;
        if (memchr(name.text, '\n', name.length) || memchr(name.text, '\r', name.length))
            return mg_fail(
                job->ctx, MEGURI_BAD_ARGUMENT,
                "cannot write %s: the name of the column \"%.*s\" holds a line end, which no header of Neo4j "
                "can hold; write .csv.",
                job->path, shown(&name), name.text);
        if (prefixes_of(job, c))
            mg_warn(job->ctx,
                    "%s: the column \"%.*s\" is called \"" PREFIX
                    "%.*s\" there, so that it is not taken for the weights.",
                    job->path, shown(&name), name.text, shown(&name), name.text);
        else if (!job->with_weights && place_of(&name) != MG_NO_COLUMN)
            mg_warn(job->ctx,
                    "%s: read again, the column \"%.*s\" is also taken for the weights, which the graph has not; "
                    "--weights none reads none.",
                    job->path, shown(&name), name.text);
    }
    return MEGURI_OK;
}
