/* Results out of binary files, as result_npy.c and result_bin.c write them: a structured array, or raw columns one
 * after another. */
#include "io/result_read.h"

#include <inttypes.h>

enum { BLOCK = 1 << 20, MOST_HEAD = 1 << 24 };

/* ---- bytes ------------------------------------------------------------------------------------------------------ */

/* Exactly so many bytes. */
static meguri_status take(mg_result_reader *r, void *to, size_t bytes) {
    size_t got = 0;
    meguri_status status = mg_input_decompress(r->input, to, bytes, &got);
    if (status != MEGURI_OK || got == bytes) return status;
    return mg_fail(r->ctx, MEGURI_BAD_INPUT, "%s ends before its last row; it is cut off, or another graph's.",
                   r->input->name);
}

static meguri_status take_end(mg_result_reader *r) {
    char more;
    size_t got = 0;
    meguri_status status = mg_input_decompress(r->input, &more, 1, &got);
    if (status != MEGURI_OK || !got) return status;
    return mg_fail(r->ctx, MEGURI_BAD_INPUT, "%s has bytes behind its last row; give the graph that it is about.",
                   r->input->name);
}

static const char *place_of(char out[MG_READ_PLACE], const mg_result_reader *r, uint64_t row) {
    snprintf(out, MG_READ_PLACE, "%.1000s: row %" PRIu64 " (the first is 0)", r->input->name, row);
    return out;
}

/* ---- items ------------------------------------------------------------------------------------------------------ */

/* The vertex of an id of 8 bytes; `none` is what stands for no vertex. */
static meguri_status put_id(const mg_result_reader *r, mg_read_column *column, uint64_t row, uint64_t id) {
    char place[MG_READ_PLACE];
    uint32_t *to = (uint32_t *)column->items + row;
    uint64_t none = r->graph->id_kind == MEGURI_ID_SIGNED ? (uint64_t)INT64_MIN : UINT64_MAX;
    if (mg_read_find_id(to, r, id)) return MEGURI_OK;
    *to = MG_NO_VERTEX;
    return id == none ? MEGURI_OK : mg_read_no_vertex(r, place_of(place, r, row), column);
}

static meguri_status put_name(const mg_result_reader *r, mg_read_column *column, uint64_t row, const char *name,
                              uint64_t length) {
    char place[MG_READ_PLACE];
    uint32_t *to = (uint32_t *)column->items + row;
    if (mg_read_find_name(to, r, name, length)) return MEGURI_OK;
    *to = MG_NO_VERTEX;
    return length == 0 ? MEGURI_OK : mg_read_no_vertex(r, place_of(place, r, row), column);
}

static uint64_t load8(const char *at) {
    uint64_t bits;
    memcpy(&bits, at, sizeof bits);
    return bits;
}

/* ---- .npy: the header ------------------------------------------------------------------------------------------- */

typedef struct literal {
    const char *at, *end;
} literal;

static void skip(literal *l) {
    while (l->at < l->end && strchr(" \n\t", *l->at) && *l->at) l->at++;
}

static bool is_next(literal *l, char c) {
    skip(l);
    if (l->at >= l->end || *l->at != c) return false;
    l->at++;
    return true;
}

/* 'text', without escapes. */
static bool take_text(const char **out, size_t *length, literal *l) {
    skip(l);
    if (l->at >= l->end || (*l->at != '\'' && *l->at != '"')) return false;
    char quote = *l->at++;
    const char *close = memchr(l->at, quote, (size_t)(l->end - l->at));
    if (!close || memchr(l->at, '\\', (size_t)(close - l->at))) return false;
    *out = l->at;
    *length = (size_t)(close - l->at);
    l->at = close + 1;
    return true;
}

static bool take_digits(uint64_t *out, literal *l) {
    skip(l);
    const char *begin = l->at;
    for (*out = 0; l->at < l->end && mg_is_digit(*l->at); l->at++)
        if (__builtin_mul_overflow(*out, 10u, out) || __builtin_add_overflow(*out, (uint64_t)(*l->at - '0'), out))
            return false;
    return l->at > begin;
}

/* What a type of NumPy is here: 0, where nothing here has it. */
static meguri_type type_of(size_t *width, bool *with_sign, const char *text, size_t length) {
    static const struct {
        const char *text;
        meguri_type type;
    } types[] = {{"|i1", MEGURI_TYPE_I8},  {"<i2", MEGURI_TYPE_I16}, {"<i4", MEGURI_TYPE_I32},
                 {"<u8", MEGURI_TYPE_U64}, {"<f8", MEGURI_TYPE_F64}, {"<i8", MEGURI_TYPE_VERTEX}};
    *with_sign = length == 3 && text[1] == 'i';
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (length == 3 && memcmp(text, types[i].text, 3) == 0) {
            *width = (size_t)(text[2] - '0');
            return types[i].type;
        }
    literal digits = {text + 2, text + length};
    uint64_t bytes;
    if (length < 3 || memcmp(text, "|S", 2) != 0 || !take_digits(&bytes, &digits) || digits.at != digits.end ||
        bytes > INT32_MAX)
        return (meguri_type)0;
    *width = (size_t)bytes;
    return MEGURI_TYPE_VERTEX;
}

typedef struct npy {
    mg_result_reader *r;
    size_t id_width, row_bytes;
    uint64_t rows;
} npy;

static meguri_status bad_head(const npy *n, const char *what) {
    return mg_fail(n->r->ctx, MEGURI_BAD_INPUT, "%s: %s; this is no array that a result was written as.",
                   n->r->input->name, what);
}

static meguri_status add_field(npy *n, const char *name, size_t name_length, const char *text, size_t length) {
    mg_result_reader *r = n->r;
    size_t width = 0;
    bool with_sign, names = mg_read_has_names(r), first = !n->row_bytes;
    meguri_type type = type_of(&width, &with_sign, text, length);
    bool is_name = type == MEGURI_TYPE_VERTEX && !with_sign;
    if (!type || !width) return bad_head(n, "a field has a type that no column has");
    if (first) {
        if (name_length != 6 || memcmp(name, "vertex", 6) != 0) return bad_head(n, "its first field is not vertex");
        if (names != is_name || (!names && type != MEGURI_TYPE_U64 && type != MEGURI_TYPE_VERTEX))
            return mg_fail(r->ctx, MEGURI_BAD_INPUT,
                           "%s has ids of another kind than the graph; give the graph that the result is about.",
                           r->input->name);
        n->id_width = width;
    } else {
        if (type == MEGURI_TYPE_VERTEX && is_name != names) return bad_head(n, "a field has ids of another kind");
        meguri_status status = mg_read_add_column(r, name, name_length, type);
        if (status != MEGURI_OK) return status;
        mg_read_column *column = &r->columns[r->column_count - 1];
        uint32_t c = r->column_count - 1;
        bool vertices = c < r->options->columns ? r->options->types[c] == MEGURI_TYPE_VERTEX
                                                : mg_read_known_type(column->name) == MEGURI_TYPE_VERTEX;
        if (type == MEGURI_TYPE_U64 && !names && vertices) column->type = MEGURI_TYPE_VERTEX; /* ids above 2^63 */
        if (c < r->options->columns && r->options->types[c] != column->type)
            return bad_head(n, "a field has another type than it is said to have");
        column->width = width;
        column->place = n->row_bytes;
    }
    n->row_bytes += width;
    return n->row_bytes > INT32_MAX ? bad_head(n, "its rows are longer than those of any array") : MEGURI_OK;
}

/* [('vertex', '<u8'), …] */
static meguri_status take_fields(npy *n, literal *l) {
    const char *name, *type;
    size_t name_length, length;
    meguri_status status = MEGURI_OK;
    if (!is_next(l, '[')) return bad_head(n, "its descr is no list of fields");
    while (status == MEGURI_OK && !is_next(l, ']')) {
        if (!is_next(l, '(') || !take_text(&name, &name_length, l) || !is_next(l, ',') ||
            !take_text(&type, &length, l) || !is_next(l, ')'))
            return bad_head(n, "its descr is no list of fields");
        status = add_field(n, name, name_length, type, length);
        if (!is_next(l, ',') && status == MEGURI_OK && (l->at >= l->end || *l->at != ']'))
            return bad_head(n, "its descr is no list of fields");
    }
    return status;
}

static meguri_status take_shape(npy *n, literal *l) {
    if (!is_next(l, '(') || !take_digits(&n->rows, l) || !is_next(l, ',') || !is_next(l, ')'))
        return bad_head(n, "it has more than one dimension");
    return MEGURI_OK;
}

static meguri_status take_order(const npy *n, literal *l) {
    static const char no[] = "False";
    skip(l);
    if ((size_t)(l->end - l->at) < sizeof no - 1 || memcmp(l->at, no, sizeof no - 1) != 0)
        return bad_head(n, "its order is Fortran's");
    l->at += sizeof no - 1;
    return MEGURI_OK;
}

static meguri_status take_literal(npy *n, literal l) {
    const char *key;
    size_t length;
    int seen = 0;
    meguri_status status = MEGURI_OK;
    if (!is_next(&l, '{')) return bad_head(n, "its header is no dictionary");
    while (status == MEGURI_OK && !is_next(&l, '}')) {
        if (!take_text(&key, &length, &l) || !is_next(&l, ':')) return bad_head(n, "its header is no dictionary");
        int member = length == 5 && memcmp(key, "descr", 5) == 0             ? 1
                     : length == 13 && memcmp(key, "fortran_order", 13) == 0 ? 2
                     : length == 5 && memcmp(key, "shape", 5) == 0           ? 4
                                                                             : 0;
        if (!member || seen & member) return bad_head(n, "its header has a member twice, or one that is not known");
        seen |= member;
        status = member == 1 ? take_fields(n, &l) : member == 2 ? take_order(n, &l) : take_shape(n, &l);
        is_next(&l, ',');
    }
    return status == MEGURI_OK && seen != 7 ? bad_head(n, "its header lacks a member") : status;
}

static meguri_status take_npy_head(npy *n) {
    mg_result_reader *r = n->r;
    unsigned char start[12];
    meguri_status status = take(r, start, 10);
    if (status != MEGURI_OK) return status;
    if (memcmp(start, "\x93NUMPY", 6) != 0 || start[6] < 1 || start[6] > 3)
        return bad_head(n, "it does not begin as an array of NumPy does");
    uint32_t length = start[8] | (uint32_t)start[9] << 8;
    if (start[6] > 1) {
        status = take(r, start + 10, 2);
        if (status != MEGURI_OK) return status;
        length |= (uint32_t)start[10] << 16 | (uint32_t)start[11] << 24;
    }
    if (length > MOST_HEAD) return bad_head(n, "its header is too long");
    if (!mg_read_scratch(r, length)) return MEGURI_NO_MEMORY;
    status = take(r, r->scratch, length);
    if (status == MEGURI_OK) status = take_literal(n, (literal){r->scratch, r->scratch + length});
    if (status == MEGURI_OK && n->rows != r->rows) status = mg_read_too_few(r, n->rows);
    return status == MEGURI_OK ? mg_read_columns_known(r) : status;
}

/* ---- .npy: rows ------------------------------------------------------------------------------------------------- */

/* Zeros behind a name are not of it. */
static uint64_t name_length(const char *name, size_t width) {
    while (width && !name[width - 1]) width--;
    return width;
}

static meguri_status take_row(const npy *n, const char *row, uint64_t number) {
    mg_result_reader *r = n->r;
    char place[MG_READ_PLACE];
    bool names = mg_read_has_names(r);
    if (!(names ? mg_read_is_name(r, number, row, name_length(row, n->id_width))
                : mg_read_is_id(r, number, load8(row))))
        return mg_read_other_graph(r, place_of(place, r, number));
    meguri_status status = MEGURI_OK;
    for (uint32_t c = 0; c < r->column_count && status == MEGURI_OK; c++) {
        mg_read_column *column = &r->columns[c];
        const char *item = row + column->place;
        if (column->type != MEGURI_TYPE_VERTEX)
            memcpy((char *)column->items + number * column->width, item, column->width);
        else if (names) status = put_name(r, column, number, item, name_length(item, column->width));
        else status = put_id(r, column, number, load8(item));
    }
    return status;
}

meguri_status mg_result_read_npy(mg_result_reader *r) {
    npy n = {.r = r};
    mg_input_take_as_it_is(r->input);
    meguri_status status = take_npy_head(&n);
    if (status != MEGURI_OK) return status;
    uint64_t block = MG_MAX((uint64_t)BLOCK / n.row_bytes, 1u);
    if (!mg_read_scratch(r, (size_t)MG_MIN(block, MG_MAX(n.rows, 1u)) * n.row_bytes)) return MEGURI_NO_MEMORY;
    for (uint64_t first = 0; first < n.rows && status == MEGURI_OK; first += block) {
        uint64_t count = MG_MIN(block, n.rows - first);
        status = take(r, r->scratch, (size_t)count * n.row_bytes);
        for (uint64_t i = 0; i < count && status == MEGURI_OK; i++)
            status = take_row(&n, r->scratch + i * n.row_bytes, first + i);
    }
    return status == MEGURI_OK ? take_end(r) : status;
}

/* ---- .bin ------------------------------------------------------------------------------------------------------- */

/* The ids of a column, or of the vertices themselves where that is NULL. */
static meguri_status take_numbers(mg_result_reader *r, mg_read_column *column) {
    char place[MG_READ_PLACE];
    const uint64_t block = BLOCK / 8;
    meguri_status status = mg_read_scratch(r, BLOCK) ? MEGURI_OK : MEGURI_NO_MEMORY;
    for (uint64_t first = 0; first < r->rows && status == MEGURI_OK; first += block) {
        uint64_t count = MG_MIN(block, r->rows - first);
        status = take(r, r->scratch, (size_t)count * 8);
        for (uint64_t i = 0; i < count && status == MEGURI_OK; i++) {
            uint64_t id = load8(r->scratch + 8 * i);
            if (column) status = put_id(r, column, first + i, id);
            else if (!mg_read_is_id(r, first + i, id)) status = mg_read_other_graph(r, place_of(place, r, first + i));
        }
    }
    return status;
}

static meguri_status take_names(mg_result_reader *r, mg_read_column *column) {
    char place[MG_READ_PLACE];
    uint64_t *places = mg_alloc_array(r->ctx, r->rows + 1, sizeof *places, "the places of names");
    if (!places) return MEGURI_NO_MEMORY;
    meguri_status status = take(r, places, (size_t)(r->rows + 1) * sizeof *places);
    for (uint64_t row = 0; row < r->rows && status == MEGURI_OK; row++) {
        if (places[row + 1] < places[row] || places[0])
            status = mg_fail(r->ctx, MEGURI_BAD_INPUT, "%s: its names do not lie one after another.",
                             place_of(place, r, row));
        else if (places[row + 1] - places[row] > r->longest_name)
            status = column ? mg_read_no_vertex(r, place_of(place, r, row), column)
                            : mg_read_other_graph(r, place_of(place, r, row));
    }
    if (status == MEGURI_OK && !mg_read_scratch(r, (size_t)r->longest_name)) status = MEGURI_NO_MEMORY;
    for (uint64_t row = 0; row < r->rows && status == MEGURI_OK; row++) {
        uint64_t length = places[row + 1] - places[row];
        status = take(r, r->scratch, (size_t)length);
        if (status != MEGURI_OK) break;
        if (column) status = put_name(r, column, row, r->scratch, length);
        else if (!mg_read_is_name(r, row, r->scratch, length)) status = mg_read_other_graph(r, place_of(place, r, row));
    }
    mg_free(places);
    return status;
}

static meguri_status take_ids(mg_result_reader *r, mg_read_column *column) {
    return mg_read_has_names(r) ? take_names(r, column) : take_numbers(r, column);
}

meguri_status mg_result_read_bin(mg_result_reader *r) {
    const meguri_result_read_options *o = r->options;
    if (!o->columns)
        return mg_fail(r->ctx, MEGURI_BAD_ARGUMENT,
                       "%s: raw columns do not say what they are; give their names and types.", r->input->name);
    mg_input_take_as_it_is(r->input);
    meguri_status status = MEGURI_OK;
    for (uint32_t c = 0; c < o->columns && status == MEGURI_OK; c++)
        status = mg_read_add_column(r, o->names[c], strlen(o->names[c]), o->types[c]);
    if (status == MEGURI_OK) status = mg_read_columns_known(r);
    if (status == MEGURI_OK) status = take_ids(r, NULL);
    for (uint32_t c = 0; c < r->column_count && status == MEGURI_OK; c++) {
        mg_read_column *column = &r->columns[c];
        if (column->type == MEGURI_TYPE_VERTEX) status = take_ids(r, column);
        else status = take(r, column->items, (size_t)r->rows * mg_column_size(column->type));
    }
    return status == MEGURI_OK ? take_end(r) : status;
}
