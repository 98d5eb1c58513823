/* Rows of a graph in units: shares of work that are even, whatever the lengths of rows (after CSR-Adaptive, Greathouse
 * and Daga, SC 2014). */
#include "device/device.h"

typedef struct unit {
    uint32_t row, piece;
} unit;

#define WHOLE UINT32_MAX /* no piece: NONE in device.cl */

typedef struct cutting {
    const mg_rows *rows;
    unit *units;      /* NULL: they are counted alone */
    uint32_t *firsts; /* units that are the first piece of a row */
    uint64_t count, long_rows;
} cutting;

static void add_unit(cutting *c, uint64_t row, uint32_t piece) {
    if (c->units) c->units[c->count] = (unit){(uint32_t)row, piece};
    if (c->units && piece == 0) c->firsts[c->long_rows] = (uint32_t)c->count;
    c->long_rows += piece == 0;
    c->count++;
}

/* The rows from `open` on have no unit yet. */
static void cut(cutting *c) {
    const mg_rows *rows = c->rows;
    uint64_t open = 0;
    for (uint64_t v = 0; v < rows->rows; v++) {
        uint64_t begin = mg_row_offset(rows, v), end = mg_row_offset(rows, v + 1);
        bool is_long = end - begin > MG_UNIT_ARCS;
        if (open < v && (is_long || v - open == MG_UNIT_ROWS || end - mg_row_offset(rows, open) > MG_UNIT_ARCS)) {
            add_unit(c, open, WHOLE);
            open = v;
        }
        if (!is_long) continue;
        for (uint64_t piece = 0; piece * MG_UNIT_ARCS < end - begin; piece++) add_unit(c, v, (uint32_t)piece);
        open = v + 1;
    }
    if (open < rows->rows) add_unit(c, open, WHOLE);
}

/* One more lies where the rows end. */
meguri_status mg_device_units_new(mg_device_units *out, meguri_ctx *ctx, mg_device *device, const mg_rows *rows) {
    const char *what = "the units of rows";
    cutting c = {.rows = rows};
    meguri_status status = MEGURI_NO_MEMORY;
    *out = (mg_device_units){0};
    cut(&c);
    unit *units = mg_alloc_array(ctx, c.count + 1, sizeof *units, what);
    uint32_t *firsts = mg_alloc_array(ctx, c.long_rows, sizeof *firsts, what);
    if (!units || !firsts) goto cleanup;
    c = (cutting){.rows = rows, .units = units, .firsts = firsts};
    cut(&c);
    units[c.count] = (unit){(uint32_t)rows->rows, WHOLE};
    status = mg_buffer_from(&out->units, ctx, device, units, c.count + 1, sizeof *units, what);
    if (status == MEGURI_OK) status = mg_buffer_from(&out->firsts, ctx, device, firsts, c.long_rows, 4, what);
    out->count = c.count;
    out->long_rows = c.long_rows;
cleanup:
    if (status != MEGURI_OK) mg_device_units_free(out);
    mg_free(units);
    mg_free(firsts);
    return status;
}

void mg_device_units_free(mg_device_units *units) {
    mg_buffer_free(&units->units);
    mg_buffer_free(&units->firsts);
}

uint64_t mg_device_units_items(const mg_device_units *units, const mg_device *device) {
    return device->in_turns ? units->count : units->count * device->group;
}
