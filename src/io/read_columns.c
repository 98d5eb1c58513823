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
        bool types = column->kind == MEGURI_COLUMN_TYPES, real = is_real(column->type);
        if (!column->name) return mg_fail(reader->ctx, MEGURI_BAD_ARGUMENT, "a column of the edges has no name.");
        if ((column->type != MEGURI_TYPE_NONE && !mg_type_is_value(column->type)) ||
            (unsigned)column->kind > MEGURI_COLUMN_TYPES || (types && column->type) ||
            (column->kind == MEGURI_COLUMN_IDS && real))
            return mg_fail(reader->ctx, MEGURI_BAD_ARGUMENT,
                           "the column \"%s\" has a type or a kind that is not known, or that do not go together.",
                           column->name);
        meguri_status status =
            mg_edges_declare_column(reader->ctx, reader->edges, column->name, column->kind, column->type, types);
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
    block->columns[c] = (mg_block_column){.values = wide, .type = MEGURI_TYPE_F64};
    return MEGURI_OK;
}

static meguri_status take_number(const place *p, mg_block *block, uint32_t c, bool found) {
    static const uint64_t most[] = {[MEGURI_TYPE_U8] = UINT8_MAX,
                                    [MEGURI_TYPE_U16] = UINT16_MAX,
                                    [MEGURI_TYPE_U32] = UINT32_MAX,
                                    [MEGURI_TYPE_U64] = UINT64_MAX};
    uint64_t whole = 0, at = block->count;
    double real = 0;
    meguri_status status = MEGURI_OK;
    bool is_whole = !is_real(block->columns[c].type) && take_whole(p->field, &whole);
    if (found && !is_whole && !is_real(block->columns[c].type)) {
        status = take_real(p, &real);
        if (status == MEGURI_OK) status = widen(p, block, c);
    } else if (is_real(block->columns[c].type)) status = take_real(p, &real);
    else if (!is_whole || whole > most[block->columns[c].type])
        status = wrong(p, p->field->length ? "is no whole number that its type can hold"
                                           : "is missing, and whole numbers "
                                             "cannot be");
    if (status != MEGURI_OK) return status;
    switch (block->columns[c].type) {
    case MEGURI_TYPE_U8: ((uint8_t *)block->columns[c].values)[at] = (uint8_t)whole; break;
    case MEGURI_TYPE_U16: ((uint16_t *)block->columns[c].values)[at] = (uint16_t)whole; break;
    case MEGURI_TYPE_U32: ((uint32_t *)block->columns[c].values)[at] = (uint32_t)whole; break;
    case MEGURI_TYPE_U64: ((uint64_t *)block->columns[c].values)[at] = whole; break;
    case MEGURI_TYPE_F32: ((float *)block->columns[c].values)[at] = (float)real; break;
    default: ((double *)block->columns[c].values)[at] = real; break;
    }
    return MEGURI_OK;
}

meguri_status mg_block_values(mg_block *block, mg_pass *pass, const mg_chunk *chunk, const mg_field *fields) {
    if (block->count == block->capacity && !mg_block_grow(block)) return MEGURI_NO_MEMORY;
    meguri_status status = MEGURI_OK;
    for (uint32_t c = 0; c < block->column_count && status == MEGURI_OK; c++) {
        const meguri_column_data *column = mg_reader_column(pass->reader, c);
        const mg_field *field = &fields[c];
        place p = {pass, chunk, field, column->name};
        if (!block->labels[c]) status = take_number(&p, block, c, column->type == MEGURI_TYPE_NONE);
        else if (field->length && !mg_is_name(field->text, field->length))
            status = wrong(&p, "is not UTF-8 text, or holds a line end, a tab or a zero byte");
        else
            status = mg_names_add(block->ctx, block->labels[c], field->text, field->length,
                                  (uint32_t *)block->columns[c].values + block->count);
    }
    return status;
}
