/* Values of columns as a caller has them: which of them are missing, and texts. */
#include "graph/internal.h"

#include <inttypes.h>

meguri_status mg_validity_slice(uint8_t **out, meguri_ctx *ctx, const uint8_t *validity, uint64_t first,
                                uint64_t count) {
    bool all = true;
    *out = NULL;
    for (uint64_t i = 0; validity && i < count && all; i++) all = mg_bit_at(validity, first + i);
    if (!validity || all) return MEGURI_OK;
    uint8_t *bits = *out = mg_alloc_zero(ctx, mg_bits_bytes(count), "which values of a column there are");
    if (!bits) return MEGURI_NO_MEMORY;
    for (uint64_t i = 0; i < count; i++) mg_bit_put(bits, i, mg_bit_at(validity, first + i));
    return MEGURI_OK;
}

/* The text of an item; false: its offsets fall. */
static bool text_at(meguri_text *out, const meguri_column_data *column, uint64_t i) {
    if (!column->offsets) {
        *out = ((const meguri_text *)column->values)[i];
        return out->text || !out->length;
    }
    uint64_t begin = column->offsets[i], end = column->offsets[i + 1];
    *out = (meguri_text){(const char *)column->values + begin, end - begin};
    return begin <= end;
}

meguri_status mg_texts_take(mg_block_column *out, mg_names **names, meguri_ctx *ctx, const meguri_column_data *column,
                            uint64_t first, uint64_t count) {
    uint32_t *values = out->values = mg_alloc_array(ctx, count, sizeof *values, "texts");
    meguri_status status = values ? mg_names_new(names, ctx) : MEGURI_NO_MEMORY;
    out->type = MEGURI_TYPE_U32;
    if (status == MEGURI_OK) status = mg_validity_slice(&out->validity, ctx, column->validity, first, count);
    for (uint64_t i = 0; i < count && status == MEGURI_OK; i++) {
        meguri_text text;
        values[i] = 0;
        if (out->validity && !mg_bit_at(out->validity, i)) continue;
        if (!text_at(&text, column, first + i) || !mg_is_name(text.text, text.length))
            return mg_fail(ctx, MEGURI_BAD_INPUT,
                           "the text %" PRIu64
                           " of the column \"%.200s\" has offsets that fall, is not UTF-8, or holds "
                           "a line end, a tab or a zero byte.",
                           first + i, column->name ? column->name : "");
        status = mg_names_add(ctx, *names, text.text ? text.text : "", text.length, &values[i]);
    }
    return status;
}
