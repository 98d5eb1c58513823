/* Columns of edges as a parser fills them: a value for each edge of a block, out of the fields of a line. */
#include "io/read.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>

static const uint64_t EXACT = (uint64_t)1 << 53; /* whole numbers up to this one are doubles, too */

static bool is_real(meguri_type type) { return type == MEGURI_TYPE_F32 || type == MEGURI_TYPE_F64; }

meguri_status mg_reader_columns(mg_reader *reader) {
    const meguri_read_options *o = &reader->options;
    if (o->column_count && (!o->columns || o->columns->size < offsetof(meguri_column_data, values)))
        return mg_fail(reader->ctx, MEGURI_BAD_ARGUMENT,
                       "%" PRIu32 " columns, but no array of them, or its size is not "
                       "set.",
                       o->column_count);
    for (uint32_t c = 0; c < o->column_count; c++) {
        const meguri_column_data *column = mg_reader_column(reader, c);
        bool types = column->kind == MEGURI_COLUMN_TYPES, text = column->type == MEGURI_TYPE_TEXT;
        bool whole = mg_type_is_unsigned(column->type) || mg_type_is_signed(column->type) || !column->type;
        if (!column->name) return mg_fail(reader->ctx, MEGURI_BAD_ARGUMENT, "a column of the edges has no name.");
        if ((column->type != MEGURI_TYPE_NONE && !mg_type_is_column(column->type)) ||
            column->type == MEGURI_TYPE_VERTEX || (unsigned)column->kind > MEGURI_COLUMN_TYPES ||
            (types && column->type) || (column->kind == MEGURI_COLUMN_IDS && !whole))
            return mg_fail(reader->ctx, MEGURI_BAD_ARGUMENT,
                           "the column \"%s\" has a type or a kind that is not known, or that do not go together.",
                           column->name);
        meguri_status status = mg_edges_declare_column(reader->ctx, reader->edges, column->name, column->kind,
                                                       column->type, types || text);
        if (status != MEGURI_OK) return status;
    }
    return MEGURI_OK;
}

/* ---- blocks ----------------------------------------------------------------------------------------------------- */

meguri_status mg_block_columns(mg_block *block, const mg_pass *pass) {
    mg_reader *reader = pass->reader;
    uint32_t count = mg_edges_columns(reader->edges);
    meguri_status status = MEGURI_OK;
    block->columns = mg_alloc_array_zero(block->ctx, count, sizeof *block->columns, "the columns of a block");
    block->labels = mg_alloc_array_zero(block->ctx, count, sizeof *block->labels, "the columns of a block");
    if (!block->columns || !block->labels) return MEGURI_NO_MEMORY;
    for (uint32_t c = 0; c < count && status == MEGURI_OK; c++) {
        meguri_type type = mg_reader_column(reader, c)->type;
        bool labelled = mg_edges_labels(reader->edges, c) != NULL;
        mg_block_column *column = &block->columns[c];
        column->type = labelled ? MEGURI_TYPE_U32 : type ? type : MEGURI_TYPE_U64; /* until something else comes */
        size_t size = meguri_type_bytes(column->type);
        column->values = mg_alloc_array(block->ctx, block->capacity, size, "a column of the edges");
        block->column_count = c + 1;
        if (!column->values) return MEGURI_NO_MEMORY;
        if (labelled) status = mg_names_new(&block->labels[c], block->ctx);
        block->labelled |= labelled;
    }
    return status;
}

void mg_block_free_columns(mg_block *block) {
    for (uint32_t c = 0; c < block->column_count; c++) {
        mg_free(block->columns[c].values);
        mg_free(block->columns[c].validity);
        mg_names_free(block->labels[c]);
    }
    mg_free(block->columns);
    mg_free(block->labels);
    block->columns = NULL;
    block->labels = NULL;
    block->column_count = 0;
}

bool mg_block_grow_columns(mg_block *block, uint64_t capacity) {
    for (uint32_t c = 0; c < block->column_count; c++) {
        mg_block_column *column = &block->columns[c];
        void *values =
            mg_resize(block->ctx, column->values, capacity * meguri_type_bytes(column->type), "a column of the edges");
        if (!values) return false;
        column->values = values;
        uint8_t *validity = column->validity ? mg_resize(block->ctx, column->validity, mg_bits_bytes(capacity),
                                                         "which values of a column there are")
                                             : NULL;
        if (column->validity && !validity) return false;
        column->validity = validity;
    }
    return true;
}

/* ---- values ----------------------------------------------------------------------------------------------------- */

/* What a field is taken for, and where it stands. */
typedef struct place {
    mg_pass *pass;
    const mg_chunk *chunk;
    const mg_field *field;
    const char *column;
} place;

static meguri_status wrong(const place *p, const char *what) {
    return mg_pass_bad(p->pass, p->chunk, p->field->text, "the value '%.*s' of the column \"%s\" %s.",
                       (int)mg_cut_text(p->field->text, p->field->length, 60), p->field->text, p->column, what);
}

static bool take_whole(const mg_field *field, uint64_t *value) {
    const char *p = field->text;
    return field->length && mg_is_digit(*p) && mg_parse_u64(&p, value) && p == field->text + field->length;
}

static meguri_status take_real(const place *p, double *value) {
    const char *at = p->field->text;
    *value = NAN; /* where there is none */
    if (!p->field->length) return MEGURI_OK;
    mg_number_status status = mg_parse_number(&at, value, p->pass->reader->c_locale);
    if (at != p->field->text + p->field->length || status == MG_NUMBER_NONE)
        return wrong(p, "is no number; give the column the type \"type\" if its values are names");
    if (status == MG_NUMBER_INEXACT)
        return wrong(p, "is a whole number that no double holds; give the column the type u64");
    return status == MG_NUMBER_OK ? MEGURI_OK : wrong(p, "is not finite, or too large for a double");
}

/* Whole numbers become doubles, because something else came. */
static meguri_status widen(const place *p, mg_block *block, uint32_t c) {
    double *wide = mg_alloc_array(block->ctx, block->capacity, sizeof *wide, "a column of the edges");
    if (!wide) return MEGURI_NO_MEMORY;
    const uint64_t *whole = block->columns[c].values;
    for (uint64_t i = 0; i < block->count; i++) {
        if (whole[i] > EXACT) {
            mg_free(wide);
            return wrong(p, "stands beside whole numbers above 2^53, and no type holds both; give the column a type");
        }
        wide[i] = (double)whole[i];
    }
    mg_free(block->columns[c].values);
    block->columns[c].values = wide;
    block->columns[c].type = MEGURI_TYPE_F64;
    return MEGURI_OK;
}

/* The value that is read next is there, or missing. Values up to it were there before there was a bitmap. */
static meguri_status note_validity(mg_block *block, uint32_t c, bool there) {
    mg_block_column *column = &block->columns[c];
    if (there && !column->validity) return MEGURI_OK;
    if (!column->validity) {
        column->validity = mg_alloc(block->ctx, mg_bits_bytes(block->capacity), "which values of a column there are");
        if (!column->validity) return MEGURI_NO_MEMORY;
        memset(column->validity, 0xff, mg_bits_bytes(block->capacity));
    }
    mg_bit_put(column->validity, block->count, there);
    return MEGURI_OK;
}

static bool take_boolean(const mg_field *field, uint64_t *value) {
    static const struct {
        const char *word;
        uint8_t value;
    } words[] = {{"true", 1}, {"false", 0}, {"True", 1}, {"False", 0}, {"TRUE", 1}, {"FALSE", 0}, {"1", 1}, {"0", 0}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i].word) == field->length && memcmp(field->text, words[i].word, field->length) == 0) {
            *value = words[i].value;
            return true;
        }
    return false;
}

/* As the bits that the type has. */
static bool take_signed(const mg_field *field, meguri_type type, uint64_t *value) {
    bool minus = field->length && *field->text == '-';
    const mg_field digits = {field->text + minus, field->length - minus};
    uint64_t limit = (UINT64_C(1) << (meguri_type_bytes(type) * 8 - 1)) - !minus;
    if (!take_whole(&digits, value) || *value > limit) return false;
    if (minus) *value = -*value;
    return true;
}

/* Whether the field is a whole number, or truth value, that the type holds. */
static bool take_exact(const mg_field *field, meguri_type type, uint64_t *value) {
    if (type == MEGURI_TYPE_BOOLEAN) return take_boolean(field, value);
    if (mg_type_is_signed(type)) return take_signed(field, type, value);
    size_t bits = meguri_type_bytes(type) * 8;
    return take_whole(field, value) && (bits == 64 || *value >> bits == 0);
}

/* `found`: the type is what values need. Floats have no missing values where they are declared, but such as are not
 * numbers. */
static meguri_status take_number(const place *p, mg_block *block, uint32_t c, bool found) {
    mg_block_column *column = &block->columns[c];
    uint64_t whole = 0, at = block->count;
    double real = NAN;
    bool there = p->field->length > 0, declared_real = !found && is_real(column->type);
    meguri_status status = note_validity(block, c, there || declared_real);
    if (status != MEGURI_OK) return status;
    bool exact = !is_real(column->type) && there && take_exact(p->field, column->type, &whole);
    if (there && found && !exact && !is_real(column->type)) {
        status = take_real(p, &real);
        if (status == MEGURI_OK) status = widen(p, block, c);
    } else if (there && is_real(column->type)) status = take_real(p, &real);
    else if (there && !exact)
        status = wrong(p, column->type == MEGURI_TYPE_BOOLEAN ? "is not true, false, 1 or 0"
                                                              : "is no whole number that its type can hold");
    if (status != MEGURI_OK) return status;
    if (column->type == MEGURI_TYPE_F32) ((float *)column->values)[at] = (float)real;
    else if (column->type == MEGURI_TYPE_F64) ((double *)column->values)[at] = real;
    else {
        size_t size = meguri_type_bytes(column->type);
        memcpy((char *)column->values + at * size, &whole, size); /* the low bytes are the first */
    }
    return MEGURI_OK;
}

static meguri_status take_label(const place *p, mg_block *block, uint32_t c, bool text) {
    const mg_field *field = p->field;
    uint32_t *value = (uint32_t *)block->columns[c].values + block->count;
    bool there = field->length > 0 || !text; /* the empty name stands for edges without a type */
    meguri_status status = note_validity(block, c, there);
    *value = 0;
    if (status != MEGURI_OK || !there) return status;
    if (field->length && !mg_is_name(field->text, field->length))
        return wrong(p, "is not UTF-8 text, or holds a line end, a tab or a zero byte");
    return mg_names_add(block->ctx, block->labels[c], field->text, field->length, value);
}

meguri_status mg_block_values(mg_block *block, mg_pass *pass, const mg_chunk *chunk, const mg_field *fields) {
    if (block->count == block->capacity && !mg_block_grow(block)) return MEGURI_NO_MEMORY;
    meguri_status status = MEGURI_OK;
    for (uint32_t c = 0; c < block->column_count && status == MEGURI_OK; c++) {
        const meguri_column_data *column = mg_reader_column(pass->reader, c);
        place p = {pass, chunk, &fields[c], column->name};
        status = block->labels[c] ? take_label(&p, block, c, column->type == MEGURI_TYPE_TEXT)
                                  : take_number(&p, block, c, column->type == MEGURI_TYPE_NONE);
    }
    return status;
}
