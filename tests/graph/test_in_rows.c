/* Rows backwards that are kept in a graph: the same as those that are made when they are needed, also through a file;
 * what they should not be is seen. */
#define _GNU_SOURCE
#include "support/faults.h"
#include "support/oracle.h"
#include "support/sanitized.h"

#include "graph/internal.h"
#include "support/sinks.h"

static void same_rows(meguri_ctx *ctx, const meguri_graph *a, const meguri_graph *b) {
    mg_rows x, y;
    if (mg_graph_in_rows(&x, ctx, a) != MEGURI_OK || mg_graph_in_rows(&y, ctx, b) != MEGURI_OK)
        fail_msg("%s", meguri_ctx_error(ctx));
    assert_true(x.rows == y.rows && x.arcs == y.arcs && !x.out_arcs == !y.out_arcs && !x.weights == !y.weights);
    for (uint64_t v = 0; v < x.rows; v++) assert_true(mg_row_end(&x, v) == mg_row_end(&y, v));
    for (uint64_t i = 0; i < x.arcs; i++)
        assert_true(x.neighbors[i] == y.neighbors[i] && mg_row_out_arc(&x, i) == mg_row_out_arc(&y, i) &&
                    mg_weight_at(x.weights, a->weight_type, i) == mg_weight_at(y.weights, b->weight_type, i));
}

static void kept_or_made(void **state) {
    meguri_ctx *ctx = context_with(2);
    zoo_graph z;
    char path[2 * FOLDER_TEXT];
    snprintf(path, sizeof path, "%s/graph.meg", (char *)*state);
    for (int index = 0; zoo_get(&z, index); index++) {
        meguri_build_options o = {.size = sizeof o, .direction = 1 + index % 4 / 3, .order = 1 + index % 3};
        meguri_graph *made, *kept, *back = NULL;
        meguri_graph_info info = {.size = sizeof info};
        if (z.count < 50000 && ONE_OF(3, index)) {
            assert_int_equal(zoo_build(&made, ctx, &z, &o), MEGURI_OK);
            o.in_rows = 1;
            assert_int_equal(zoo_build(&kept, ctx, &z, &o), MEGURI_OK);
            assert_int_equal(meguri_graph_get_info(&info, ctx, kept), MEGURI_OK);
            assert_int_equal(info.in_rows, info.directed && info.arcs);
            same_rows(ctx, made, kept);
            if (meguri_save(ctx, kept, to_file(path), NULL) != MEGURI_OK ||
                meguri_open(&back, ctx, path, NULL) != MEGURI_OK)
                fail_msg("%s", meguri_ctx_error(ctx));
            same_rows(ctx, made, back);
            assert_false(back->has_in_rows && back->arcs); /* nobody made them */
            if (meguri_graph_verify(ctx, back) != MEGURI_OK) fail_msg("%s", meguri_ctx_error(ctx));
            meguri_graph_free(made);
            meguri_graph_free(kept);
            meguri_graph_free(back);
        }
        zoo_free(&z);
    }
    context_done(ctx);
}

/* Two parallel arcs, and columns. */
static meguri_status build_small(meguri_graph **out, meguri_ctx *ctx) {
    static const uint32_t from[] = {0, 0, 1, 2, 2}, to[] = {1, 1, 2, 0, 1};
    static const uint32_t weights[] = {5, 3, 1, 1, 2};
    static const uint64_t ids[] = {10, 11, 12, 13, 14};
    const meguri_column_data column = {
        .size = sizeof column, .name = "id", .kind = MEGURI_COLUMN_IDS, .type = MEGURI_TYPE_U64, .values = ids};
    const meguri_edge_arrays e = {.size = sizeof e,
                                  .count = 5,
                                  .from = from,
                                  .to = to,
                                  .id_bytes = 4,
                                  .weights = weights,
                                  .weight_type = MEGURI_TYPE_U32,
                                  .columns = &column,
                                  .column_count = 1};
    const meguri_build_options o = {
        .size = sizeof o, .order = MEGURI_ORDER_NONE, .in_rows = 1, .duplicates = MEGURI_DUPLICATES_KEEP};
    return meguri_graph_from_edges(out, ctx, &e, &o);
}

static void what_they_are_not(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(1);
    for (int what = 0; what < 5; what++) {
        meguri_graph *g;
        assert_int_equal(build_small(&g, ctx), MEGURI_OK);
        uint32_t *neighbors = g->part[MG_PART_IN_NEIGHBORS].owned, *arcs = g->part[MG_PART_IN_ARCS].owned;
        uint8_t *weights = g->part[MG_PART_IN_WEIGHTS].owned;
        uint32_t *offsets = g->part[MG_PART_IN_OFFSETS].owned;
        assert_int_equal(meguri_graph_verify(ctx, g), MEGURI_OK); /* in-rows: 0 ← 2; 1 ← 0, 0, 2; 2 ← 1 */
        if (what == 0) neighbors[0] = 1;
        if (what == 1) weights[3]++;
        if (what == 2) arcs[1] = arcs[2];
        if (what == 3) offsets[1] = 0;
        if (what == 4) neighbors[2] = 2; /* one arc less from 0, and one more from 2 */
        expect_failure(ctx, meguri_graph_verify(ctx, g), MEGURI_BAD_INPUT, "rows backwards are not its rows");
        meguri_graph_free(g);
    }
    context_done(ctx);
}

/* Other programs may write offsets of 8 bytes where 4 would do; in-rows that are made are as narrow as can be. */
static void wide_offsets(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(1);
    meguri_graph *narrow, *wide;
    mg_rows rows;
    assert_int_equal(build_small(&narrow, ctx), MEGURI_OK);
    assert_int_equal(build_small(&wide, ctx), MEGURI_OK);
    assert_int_equal(mg_graph_rows(&rows, ctx, wide), MEGURI_OK);
    uint64_t *offsets = mg_alloc_array(ctx, wide->rows + 1, sizeof *offsets, "the offsets of a test");
    assert_non_null(offsets);
    for (uint64_t v = 0; v <= wide->rows; v++) offsets[v] = mg_row_offset(&rows, v);
    for (int part = MG_PART_IN_OFFSETS; part < MG_PART_IN_OFFSETS + 4; part++) {
        mg_part_data_free(&wide->part[part]);
        wide->part[part] = (mg_part_data){0};
    }
    mg_part_data_free(&wide->part[MG_PART_OFFSETS]);
    mg_graph_own(wide, MG_PART_OFFSETS, offsets, (wide->rows + 1) * sizeof *offsets);
    wide->offset_bytes = sizeof *offsets;
    same_rows(ctx, narrow, wide);
    meguri_graph_free(narrow);
    meguri_graph_free(wide);
    context_done(ctx);
}

static meguri_status attempt(meguri_ctx *ctx, void *what) {
    (void)what;
    meguri_graph *g;
    meguri_status status = build_small(&g, ctx);
    meguri_graph_free(g);
    return status;
}

static void every_allocation(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(2);
    assert_true(fail_each_allocation(ctx, attempt, NULL, LEAVES_NOTHING) >= 10);
    context_done(ctx);
}

static int make_folder(void **state) {
    static char folder[FOLDER_TEXT];
    folder_new(folder);
    *state = folder;
    return 0;
}
static int remove_folder(void **state) {
    folder_remove(*state);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(kept_or_made), cmocka_unit_test(what_they_are_not),
                                       cmocka_unit_test(wide_offsets), cmocka_unit_test(every_allocation)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
