/* meguri_list_read: a file as rows of fields. Lists are small beside the graphs that they are about: they are kept
 * whole, so that what parts their columns, and whether they have a header, is decided by all of their lines. */
#include "io/list.h"

#include "io/csv.h"
#include "io/format.h"

#include <inttypes.h>

enum { BETWEEN_LOOKS = 1 << 12 }; /* lines, at whether the user has had enough */

/* ---- lines ------------------------------------------------------------------------------------------------------ */

/* A file while it is read. */
typedef struct reading {
    meguri_list *list;
    mg_input *input;
    uint64_t line; /* of the next one */
} reading;

static meguri_status fail_at(const reading *r, const char *what) {
    return mg_fail(r->input->ctx, MEGURI_BAD_INPUT, "%s:%" PRIu64 ": %s", r->list->name, r->line, what);
}

/* Keeps a line without the blanks at its ends, as a row or as more of the last one. */
static meguri_status keep(reading *r, const char *begin, const char *end, bool more) {
    meguri_list *list = r->list;
    if (memchr(begin, '\0', (size_t)(end - begin)))
        return fail_at(r, list->kind == MEGURI_LIST_PAIRS ? "there is a zero byte in it; give two ids a line, as text."
                                                          : "there is a zero byte in it; give one id a line, as text.");
    if (list->count == list->room && !more) {
        uint64_t room = 2 * list->room + 64;
        mg_list_row *rows = mg_resize(r->input->ctx, list->rows, room * sizeof *rows, "the lines of a list");
        if (!rows) return MEGURI_NO_MEMORY;
        list->rows = rows;
        list->room = room;
    }
    if (more) {
        list->text.used--; /* the end of what there is */
        mg_text_add(&list->text, "\n", 1);
        if (list->text.used - list->rows[list->count - 1].text + (uint64_t)(end - begin) > MG_LONGEST_LINE)
            return fail_at(r, MG_OVERLONG_TEXT);
    } else list->rows[list->count++] = (mg_list_row){.line = r->line, .text = list->text.used};
    mg_text_add(&list->text, begin, (size_t)(end - begin));
    mg_text_add(&list->text, "", 1);
    return list->text.failed ? MEGURI_NO_MEMORY : MEGURI_OK;
}

/* Whether the last row ends inside of double quotes. On a copy, because fields are cut off in place. */
static meguri_status is_open(bool *out, const reading *r) {
    const meguri_list *list = r->list;
    const char *text = mg_list_text(list, list->rows[list->count - 1].text);
    *out = false;
    if (list->objects || !mg_has_quotes(list->separator) || list->separator == MG_LIST_WHOLE || !strchr(text, '"'))
        return MEGURI_OK;
    char *copy = mg_strdup(r->input->ctx, text, "a line of a list"), *rest = copy, *field;
    if (!copy) return MEGURI_NO_MEMORY;
    mg_list_taken taken;
    do taken = mg_list_take(&rest, list->separator, &field);
    while (taken == MG_LIST_TAKEN);
    *out = taken == MG_LIST_OPEN;
    mg_free(copy);
    return MEGURI_OK;
}

/* The first line says what parts the fields of all. */
static void look_at_first(meguri_list *list, const char *begin, const char *end) {
    list->separator = mg_list_separator(begin, end);
    list->objects = list->kind == MEGURI_LIST_PAIRS && *begin == '{';
}

static meguri_status read_lines(reading *r) {
    meguri_list *list = r->list;
    bool open = false;
    const char *begin, *end;
    for (r->line = 1;; r->line++) {
        if (r->line % BETWEEN_LOOKS == 0 && mg_input_cancelled(r->input)) return mg_fail_cancelled(r->input->ctx);
        meguri_status status = mg_input_line(r->input, &begin, &end);
        if (status != MEGURI_OK || !begin) return status;
        while (!open && begin < end && mg_is_blank(*begin)) begin++;
        while (begin < end && mg_is_blank(end[-1])) end--;
        if (!open && (begin == end || mg_list_is_remark(begin))) continue;
        if (!list->count) look_at_first(list, begin, end);
        status = keep(r, begin, end, open);
        if (status == MEGURI_OK) status = is_open(&open, r);
        if (status != MEGURI_OK) return status;
    }
}

/* ---- fields ----------------------------------------------------------------------------------------------------- */

static bool is_integer(const char *text) {
    text += *text == '-' || *text == '+';
    return *text && !text[strspn(text, "0123456789")];
}

/* Whether the first word of every line is a number; of the first, which may be a header, only where there are no
 * others.
 */
static bool begins_with_integers(const meguri_list *list) {
    for (uint64_t i = list->count > 1; i < list->count; i++) {
        const char *text = mg_list_text(list, list->rows[i].text);
        size_t length = strcspn(text, " \t\r"), sign = *text == '-';
        if (length == sign || strspn(text + sign, "0123456789") != length - sign) return false;
    }
    return true;
}

/* A field at a place of the text. */
static meguri_status add_field(meguri_list *list, mg_list_row *row, uint64_t place) {
    if (list->field_count == list->field_room) {
        uint64_t room = 2 * list->field_room + 64;
        uint64_t *fields = mg_resize(list->text.ctx, list->fields, room * sizeof *fields, "the fields of a list");
        if (!fields) return MEGURI_NO_MEMORY;
        list->fields = fields;
        list->field_room = room;
    }
    list->fields[list->field_count++] = place;
    row->count++;
    return MEGURI_OK;
}

static meguri_status split_row(meguri_list *list, mg_list_row *row) {
    meguri_ctx *ctx = list->text.ctx;
    char separator = list->separator;
    const char *text = mg_list_text(list, row->text);
    if (separator == MG_TAB && list->kind == MEGURI_LIST_PAIRS && !strchr(text, MG_TAB)) separator = MG_BLANKS;
    char *copy = mg_strdup(ctx, text, "a line of a list"), *rest = copy, *field;
    meguri_status status = copy ? MEGURI_OK : MEGURI_NO_MEMORY;
    mg_list_taken taken = MG_LIST_TAKEN;
    while (taken == MG_LIST_TAKEN && status == MEGURI_OK) {
        taken = mg_list_take(&rest, separator, &field);
        if (taken > MG_LIST_LAST)
            status = mg_fail(ctx, MEGURI_BAD_INPUT,
                             "%s:%" PRIu64 ": a quoted field does not end as it should; close the quote.", list->name,
                             row->line);
        else status = add_field(list, row, list->text.used);
        if (status == MEGURI_OK) mg_text_add(&list->text, field, strlen(field) + 1);
        if (list->text.failed) status = MEGURI_NO_MEMORY;
    }
    mg_free(copy);
    return status;
}

static meguri_status split(meguri_list *list) {
    if (list->kind == MEGURI_LIST_VERTICES && list->separator == MG_BLANKS && !begins_with_integers(list))
        list->separator = MG_LIST_WHOLE;
    for (uint64_t i = 0; i < list->count; i++) {
        mg_list_row *row = &list->rows[i];
        row->first = list->field_count;
        meguri_status status = list->objects ? add_field(list, row, row->text) : split_row(list, row);
        if (status != MEGURI_OK) return status;
    }
    return MEGURI_OK;
}

/* ---- the header ------------------------------------------------------------------------------------------------- */

/* Whether a column holds numbers below the first row. */
static bool is_numeric(const meguri_list *list, uint32_t column) {
    for (uint64_t i = 1; i < list->count; i++)
        if (column >= list->rows[i].count || !is_integer(mg_list_field(list, &list->rows[i], column))) return false;
    return list->count > 1;
}

/* Whether a field of the first row comes again in a column, as ids do. */
static bool comes_again(const meguri_list *list, const char *name, uint32_t column) {
    for (uint64_t i = 1; i < list->count; i++)
        if (column < list->rows[i].count && strcmp(name, mg_list_field(list, &list->rows[i], column)) == 0) return true;
    return false;
}

/* As of tables of edges: names of ends or of vertices, or words over numbers. Names of one or two letters could be ids,
 * and so could a word with digits over numbers. */
static meguri_status find_header(meguri_list *list, meguri_ctx *ctx) {
    const mg_list_row *row = &list->rows[0];
    uint32_t at[2] = {0, 1}, ends = list->kind == MEGURI_LIST_PAIRS ? 2 : 1;
    const char **names = mg_alloc_array(ctx, row->count, sizeof *names, "the header of a list");
    if (!names) return MEGURI_NO_MEMORY;
    bool words = row->count >= ends, numbers = words && list->count > 2;
    for (uint32_t c = 0; c < row->count; c++) {
        names[c] = mg_list_field(list, row, c);
        words &= !strchr(names[c], '='); /* a setting */
    }
    bool usual = ends == 2 ? mg_list_find_pair(&at[0], &at[1], names, row->count)
                           : mg_list_find_vertex(&at[0], names, row->count, NULL);
    mg_free((void *)names);
    bool again = false, telling = false;
    for (uint32_t i = 0; i < ends && words; i++) {
        const char *name = mg_list_field(list, row, at[i]);
        words = *name && !is_integer(name);
        numbers &= is_numeric(list, at[i]) && !strpbrk(name, "0123456789");
        again |= comes_again(list, name, at[0]) || comes_again(list, name, at[ends - 1]);
        telling |= strlen(name) > 2;
    }
    list->has_header = words && (numbers || (usual && (telling || !again)));
    if (list->has_header && !numbers && !telling)
        mg_warn(ctx, "%s:%" PRIu64 ": '%s' is taken for a header; write it in another line to have it as an id.",
                list->name, row->line, mg_list_text(list, row->text));
    if (list->has_header && !usual)
        mg_warn(ctx,
                "%s:%" PRIu64 ": '%s' is taken for a header that names no %s; ids are read from the first column%s.",
                list->name, row->line, mg_list_text(list, row->text), ends == 2 ? "from and to" : "vertex",
                ends == 2 ? "s" : "");
    return MEGURI_OK;
}

/* ---- the whole -------------------------------------------------------------------------------------------------- */

/* Zero bytes are told with their line. */
static meguri_status refuse_foreign(reading *r) {
    const char *head = r->input->head + MG_PAD;
    size_t bytes = r->input->head_bytes;
    bool zeros = memchr(head, '\0', bytes) != NULL;
    return zeros && !mg_is_utf16(head, bytes) ? MEGURI_OK : mg_refuse_foreign(r->input, false);
}

static meguri_status read_list(reading *r) {
    meguri_list *list = r->list;
    meguri_ctx *ctx = r->input->ctx;
    meguri_status status = mg_input_peek(r->input, MG_FIRST_LOOK);
    if (status == MEGURI_OK) status = refuse_foreign(r);
    if (status == MEGURI_OK) status = read_lines(r);
    if (status != MEGURI_OK) return status;
    if (!list->count)
        return mg_fail(ctx, MEGURI_BAD_INPUT, "%s has no ids; give %s a line.", list->name,
                       list->kind == MEGURI_LIST_PAIRS ? "two" : "one");
    status = split(list);
    return status == MEGURI_OK && !list->objects ? find_header(list, ctx) : status;
}

meguri_status mg_list_read_input(meguri_list **out, mg_input *input, meguri_list_kind kind) {
    meguri_ctx *ctx = input->ctx;
    meguri_list *list = mg_alloc_zero(ctx, sizeof *list, "a list");
    if (!list) return MEGURI_NO_MEMORY;
    reading r = {.list = list, .input = input};
    list->kind = kind;
    list->text.ctx = ctx;
    list->name = mg_strdup(ctx, input->name, "a name");
    meguri_status status = list->name ? read_list(&r) : MEGURI_NO_MEMORY;
    if (status == MEGURI_OK) *out = list;
    else meguri_list_free(list);
    return status;
}

meguri_status meguri_list_read(meguri_list **out, meguri_ctx *ctx, const char *path, meguri_list_kind kind) {
    mg_input input;
    if (out) *out = NULL;
    if (!out || !ctx || !path) return mg_missing(ctx, __func__);
    mg_begin(ctx);
    if ((unsigned)kind > MEGURI_LIST_PAIRS)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "there is no kind of lists with the number %d.", (int)kind);
    meguri_status status = mg_input_open(&input, ctx, path);
    if (status == MEGURI_OK) status = mg_list_read_input(out, &input, kind);
    mg_input_close(&input);
    return status;
}

void meguri_list_free(meguri_list *list) {
    if (!list) return;
    mg_free(list->name);
    mg_free(list->rows);
    mg_free(list->fields);
    mg_text_free(&list->text);
    mg_free(list);
}

/* ---- asking ----------------------------------------------------------------------------------------------------- */

const char *meguri_list_name(const meguri_list *list) { return list ? list->name : NULL; }

bool mg_list_has_pairs(const meguri_list *list) { return list->kind == MEGURI_LIST_PAIRS; }

uint64_t mg_list_header_line(const meguri_list *list) { return list->has_header ? list->rows[0].line : 0; }

const char *meguri_list_column(const meguri_list *list, uint32_t column) {
    if (!list || !list->has_header || column >= list->rows[0].count) return NULL;
    return mg_list_field(list, &list->rows[0], column);
}

uint64_t meguri_list_rows(const meguri_list *list) { return list ? list->count - list->has_header : 0; }

static const mg_list_row *row_of(const meguri_list *list, uint64_t row) {
    return row < meguri_list_rows(list) ? &list->rows[row + list->has_header] : NULL;
}

uint64_t meguri_list_line(const meguri_list *list, uint64_t row) {
    const mg_list_row *found = row_of(list, row);
    return found ? found->line : 0;
}

const char *meguri_list_field(const meguri_list *list, uint64_t row, uint32_t column) {
    const mg_list_row *found = row_of(list, row);
    return found && column < found->count ? mg_list_field(list, found, column) : NULL;
}
