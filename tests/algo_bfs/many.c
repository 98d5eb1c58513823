/* Searches from many sources in one pass: columns against textbook searches. */
#define _GNU_SOURCE
#include "algo_bfs/many.h"

#include "support/checks.h"

#include <meguri.h>

/* ---- columns ---------------------------------------------------------------------------------------------------- */

static meguri_column column_at(const meguri_result *result, const char *name, uint32_t b) {
    char text[32];
    meguri_column column = {.size = sizeof column};
    snprintf(text, sizeof text, b == ALONE ? "%s" : "%s_%u", name, b);
    if (meguri_result_column(&column, result, text) != MEGURI_OK) fail_msg("no column %s", text);
    assert_string_equal(column.name, text);
    return column;
}

static int32_t item(const meguri_column *column, uint64_t v) {
    const char *at = (const char *)column->data + v * column->stride;
    int8_t i8;
    int16_t i16;
    int32_t i32;
    switch (column->item_bytes) {
    case 1: memcpy(&i8, at, sizeof i8); return i8;
    case 2: memcpy(&i16, at, sizeof i16); return i16;
    default: memcpy(&i32, at, sizeof i32); return i32;
    }
}

const char *column_fault(meguri_ctx *c, const subject *s, const meguri_result *result, uint32_t b, uint64_t source,
                         const answer *right, const meguri_bfs_many_options *options) {
    uint64_t n = s->plain.vertices;
    meguri_column level = column_at(result, "level", b);
    if (level.count != n) return "a column has a wrong length";
    for (uint64_t v = 0; v < n; v++)
        if (item(&level, v) != right->level[v]) return "a level differs";
    if (!options->parents) return NULL;
    meguri_column parent = column_at(result, "parent", b);
    if (parent.type != MEGURI_TYPE_VERTEX || parent.count != n) return "parents are of a wrong kind";
    uint32_t *parents = malloc((n + 1) * sizeof *parents);
    assert_non_null(parents);
    for (uint64_t v = 0; v < n; v++) parents[v] = (uint32_t)item(&parent, v);
    const char *wrong = tree_fault(&s->plain, source, right->level, parents);
    if (!wrong && mg_bfs_check(c, s->graph, source, NULL, parents, mg_levels_within(options->max_depth)) != MEGURI_OK)
        wrong = meguri_ctx_error(c);
    free(parents);
    return wrong;
}

/* The smallest that holds the depth. */
static uint32_t bytes_for(int32_t depth) { return depth <= INT8_MAX ? 1 : depth <= INT16_MAX ? 2 : 4; }

void check_result_of_many(meguri_ctx *c, const subject *s, const uint64_t *sources, uint32_t count,
                          const meguri_bfs_many_options *options, const meguri_result *result) {
    uint64_t reached = 0;
    int32_t depth = 0;
    assert_int_equal(meguri_result_column_count(result), options->parents ? 2 * count : count);
    for (uint32_t b = 0; b < count; b++) {
        answer right = plain_search(&s->plain, sources[b], mg_levels_within(options->max_depth));
        const char *wrong = column_fault(c, s, result, b, sources[b], &right, options);
        if (wrong)
            fail_msg("%s, order %d, source %u of %u (%d), levels %u, threads %u: %s", s->name, s->order, b, count,
                     (int)sources[b], mg_levels_within(options->max_depth), meguri_ctx_threads(c), wrong);
        reached += right.reached;
        if (right.depth > depth) depth = right.depth;
        answer_free(&right);
    }
    assert_int_equal(fact_of(result, "sources"), count);
    assert_int_equal(fact_of(result, "reached"), reached);
    assert_int_equal(fact_of(result, "depth"), depth);
    fact_of(result, "edges");
    for (uint32_t b = 0; b < count; b++) {
        const meguri_column level = column_at(result, "level", b);
        if (level.type != MEGURI_TYPE_I32 || level.item_bytes != bytes_for(depth))
            fail_msg("%s: levels up to %d have the type %d of %u bytes", s->name, depth, level.type, level.item_bytes);
    }
}

void check_many(meguri_ctx *c, const subject *s, const uint64_t *sources, uint32_t count,
                const meguri_bfs_many_options *options) {
    meguri_bfs_many_search *search;
    const meguri_result *result;
    if (meguri_bfs_many_search_new(&search, c, s->graph, options) != MEGURI_OK ||
        meguri_bfs_many_search_run(&result, c, search, sources, count) != MEGURI_OK)
        fail_msg("%s, %u sources: %s", s->name, count, meguri_ctx_error(c));
    check_result_of_many(c, s, sources, count, options, result);
    meguri_bfs_many_search_free(search);
}

void choose_sources(uint64_t sources[MEGURI_BFS_MANY], const subject *s, uint64_t *seed) {
    uint32_t isolated = plain_isolated(&s->plain), leaf = plain_leaf(&s->plain);
    for (int b = 0; b < MEGURI_BFS_MANY; b++) {
        sources[b] = zoo_random(seed) % s->plain.vertices;
        uint64_t kind = zoo_random(seed) % 12;
        if (kind == 0 && isolated != UINT32_MAX) sources[b] = isolated;
        if (kind == 1 && leaf != UINT32_MAX) sources[b] = leaf;
        if (kind == 2 && b) sources[b] = sources[zoo_random(seed) % (uint64_t)b];
    }
}
