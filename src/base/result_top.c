/* The highest items of a column, and the largest groups: selection, not sorting.
 *
 * What may be among the highest is collected in a buffer of twice as many; when that is full, the lower half is thrown
 * away, and only what is above the lowest of the rest comes in from then on. So each item costs a comparison, and those
 * that come in a constant number of them on average, in whatever order they come. Keys are numbers whose order as
 * unsigned integers is that of the items; of equal ones the first vertex in the user's order is the higher. */
#include "base/base.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- selection -------------------------------------------------------------------------------------------------- */

static bool is_higher(mg_top_item a, mg_top_item b) { return a.key != b.key ? a.key > b.key : a.item < b.item; }

/* Moves the `keep` highest to the front (Hoare's FIND). The pivot is drawn, so that no order of items is a bad one. */
static void select_highest(mg_top_item *items, uint64_t count, uint64_t keep) {
    uint64_t first = 0, last = count, random = count;
    while (last - first > 1) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        mg_top_item pivot = items[first + (random >> 33) % (last - first)];
        uint64_t i = first, j = last - 1;
        for (;;) {
            while (is_higher(items[i], pivot)) i++;
            while (is_higher(pivot, items[j])) j--;
            if (i >= j) break;
            mg_top_item moved = items[i];
            items[i++] = items[j];
            items[j--] = moved;
        }
        uint64_t middle = j + 1; /* all before it are no lower than all from it on */
        if (keep == middle) return;
        if (keep < middle) last = middle;
        else first = middle;
    }
}

meguri_status mg_top_new(mg_top *out, meguri_ctx *ctx, uint64_t most, uint64_t items) {
    *out = (mg_top){.most = MG_MIN(most, items)};
    out->room = MG_MAX(MG_MIN(2 * out->most, items), 1);
    out->items = mg_alloc_array(ctx, out->room, sizeof *out->items, "the highest of a result");
    return out->items ? MEGURI_OK : MEGURI_NO_MEMORY;
}

void mg_top_put(mg_top *top, mg_top_item item) {
    if (top->count == top->room) {
        select_highest(top->items, top->count, top->most);
        top->count = top->most;
        top->lowest = top->items[0];
        for (uint64_t i = 1; i < top->most; i++)
            if (is_higher(top->lowest, top->items[i])) top->lowest = top->items[i];
        top->full = true;
        if (!is_higher(item, top->lowest)) return;
    }
    top->items[top->count++] = item;
}

static int highest_first(const void *a, const void *b) {
    mg_top_item x = *(const mg_top_item *)a, y = *(const mg_top_item *)b;
    return is_higher(x, y) ? -1 : is_higher(y, x);
}

void mg_top_finish(mg_top *top) {
    if (top->count > top->most) {
        select_highest(top->items, top->count, top->most);
        top->count = top->most;
    }
    if (top->count > 1) qsort(top->items, top->count, sizeof *top->items, highest_first);
}

void mg_top_free(mg_top *top) {
    mg_free(top->items);
    *top = (mg_top){0};
}

/* ---- columns ---------------------------------------------------------------------------------------------------- */

#define SIGN ((uint64_t)1 << 63)

static bool key_of_real(uint64_t *key, double real) {
    if (!isfinite(real)) return false;
    real += 0.0; /* minus zero is zero */
    memcpy(key, &real, sizeof *key);
    *key = *key & SIGN ? ~*key : *key | SIGN;
    return true;
}

static bool key_of_integer(uint64_t *key, int64_t number) {
    *key = (uint64_t)number ^ SIGN;
    return number >= 0;
}

/* False for an item that stands for none. */
static bool key_of(uint64_t *key, const meguri_column *column, uint64_t place) {
    const char *item = (const char *)column->data + place * column->stride;
    switch (column->type) {
    case MEGURI_TYPE_I8:
    case MEGURI_TYPE_I16:
    case MEGURI_TYPE_I32: return key_of_integer(key, mg_column_integer(column, item));
    case MEGURI_TYPE_U64: *key = *(const uint64_t *)item; return *key != UINT64_MAX;
    case MEGURI_TYPE_F64: return key_of_real(key, *(const double *)item);
    default: break;
    }
    return false;
}

double mg_top_value(uint64_t key, meguri_type type) {
    double real;
    if (type == MEGURI_TYPE_U64) return (double)key;
    if (type != MEGURI_TYPE_F64) return (double)(int64_t)(key ^ SIGN);
    key = key & SIGN ? key ^ SIGN : ~key;
    memcpy(&real, &key, sizeof real);
    return real;
}

meguri_status mg_top_of_column(mg_top *out, meguri_ctx *ctx, const meguri_column *column, uint64_t first,
                               uint64_t most) {
    meguri_status status = mg_top_new(out, ctx, most, column->count);
    if (status != MEGURI_OK || !out->most) return status;
    for (uint64_t v = 0; v < column->count; v++) {
        mg_top_item item = {.item = first + v};
        if (key_of(&item.key, column, v)) mg_top_add(out, item);
    }
    mg_top_finish(out);
    return MEGURI_OK;
}

meguri_status mg_top_column(meguri_column *column, meguri_ctx *ctx, const meguri_result *result, const char *name,
                            bool groups) {
    *column = (meguri_column){.size = sizeof *column};
    if (meguri_result_column(column, result, name) != MEGURI_OK)
        return mg_fail(ctx, MEGURI_NOT_FOUND, "the result has no column named %s.", name);
    bool vertices = column->type == MEGURI_TYPE_VERTEX;
    if (vertices == groups) return MEGURI_OK;
    return mg_fail(ctx, MEGURI_BAD_ARGUMENT,
                   groups ? "the column %s has no vertices, and so makes no groups."
                          : "the column %s has vertices: none of them is the highest.",
                   name);
}

/* ---- the answers ------------------------------------------------------------------------------------------------ */

meguri_status mg_result_top(uint64_t *vertices, double *values, uint64_t *count, meguri_ctx *ctx,
                            const meguri_result *result, const char *column, uint64_t most) {
    meguri_column c;
    mg_top top = {0};
    meguri_status status = mg_top_column(&c, ctx, result, column, false);
    if (status == MEGURI_OK) status = mg_top_of_column(&top, ctx, &c, 0, most);
    for (uint64_t i = 0; i < top.count && status == MEGURI_OK; i++) {
        vertices[i] = top.items[i].item;
        if (values) values[i] = mg_top_value(top.items[i].key, c.type);
        *count = i + 1;
    }
    mg_top_free(&top);
    return status;
}

meguri_status mg_result_groups(uint64_t *groups, uint64_t *sizes, uint64_t *count, meguri_ctx *ctx,
                               const meguri_result *result, const char *column, uint64_t most) {
    meguri_column c;
    mg_top top = {0};
    meguri_status status = mg_top_column(&c, ctx, result, column, true);
    if (status != MEGURI_OK || !c.count) return status;
    uint32_t *members = mg_alloc_array_zero(ctx, c.count, sizeof *members, "the sizes of groups");
    status = members ? mg_top_new(&top, ctx, most, c.count) : MEGURI_NO_MEMORY;
    for (uint64_t v = 0; v < c.count && status == MEGURI_OK; v++) {
        uint32_t group = *(const uint32_t *)((const char *)c.data + v * c.stride);
        if (group < c.count) members[group]++; /* and not none */
    }
    for (uint64_t v = 0; v < c.count && status == MEGURI_OK && top.most; v++)
        if (members[v]) mg_top_add(&top, (mg_top_item){.key = members[v], .item = v});
    mg_top_finish(&top);
    for (uint64_t i = 0; i < top.count && status == MEGURI_OK; i++) {
        groups[i] = top.items[i].item;
        sizes[i] = top.items[i].key;
        *count = i + 1;
    }
    mg_free(members);
    mg_top_free(&top);
    return status;
}
