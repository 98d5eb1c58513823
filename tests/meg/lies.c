#include "meg/lies.h"
#include "support/path_index.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint64_t next_random(uint64_t *random) {
    *random = *random * UINT64_C(6364136223846793005) + 1442695040888963407u;
    uint64_t x = *random ^ *random >> 33;
    x *= UINT64_C(0xff51afd7ed558ccd);
    return x ^ x >> 32;
}

static uint64_t below(uint64_t *random, uint64_t limit) { return limit ? next_random(random) % limit : 0; }

static uint64_t get(const unsigned char *bytes, size_t size) {
    uint64_t value = 0;
    memcpy(&value, bytes, size);
    return value;
}

/* ---- changes ---------------------------------------------------------------------------------------------------- */

/* Numbers that are just inside or just outside of something. */
static uint64_t some_limit(const unsigned char *bytes, uint64_t *random) {
    uint64_t vertices = get(bytes + 32, 8), rows = get(bytes + 40, 8), arcs = get(bytes + 48, 8);
    uint64_t limits[] = {0, 1, rows, vertices, arcs, UINT32_MAX, UINT64_MAX, UINT64_C(1) << 31, UINT64_C(1) << 62};
    return limits[below(random, sizeof limits / sizeof *limits)] + below(random, 3) - 1;
}

/* One change to `items` of `size` bytes each: what a number becomes is often one that occurs, so that it is in bounds.
 */
static void change_items(const unsigned char *file, unsigned char *data, uint64_t items, size_t size,
                         uint64_t *random) {
    if (!items) return;
    unsigned char *at = data + below(random, items) * size, *other = data + below(random, items) * size, kept[16];
    uint64_t value = get(at, size < 8 ? size : 8);
    switch (below(random, 7)) {
    case 0: memcpy(at, other, size); return;
    case 1: /* exchanged: rows are not sorted, maps still permutations */
        memcpy(kept, at, size);
        memcpy(at, other, size);
        memcpy(other, kept, size);
        return;
    case 2: value = some_limit(file, random); break;
    case 3: value += 1; break;
    case 4: value -= 1; break;
    case 5: value ^= (uint64_t)1 << below(random, 8 * (size < 8 ? size : 8)); break;
    default: value = below(random, get(file + 32, 8) + 1); break;
    }
    memcpy(at, &value, size < 8 ? size : 8);
}

/* Numbers of the header that a graph has; sizes of sections follow them only now and then. */
static void change_header(unsigned char *bytes, uint64_t *random) {
    static const struct {
        uint8_t at, size;
    } fields[] = {{32, 8}, {40, 8},  {48, 8},  {56, 8},  {64, 8},  {72, 8},  {80, 8},  {88, 8},
                  {96, 8}, {104, 1}, {104, 1}, {104, 1}, {108, 1}, {109, 1}, {110, 1}, {110, 1}};
    uint64_t which = below(random, sizeof fields / sizeof *fields), value = get(bytes + fields[which].at, 8);
    if (fields[which].at == 104) { /* directed, or not: edges are as many as arcs, or half of them */
        uint64_t arcs = get(bytes + 48, 8), edges = bytes[104] & 1 ? arcs - arcs / 2 : arcs;
        bytes[104] ^= 1;
        memcpy(bytes + 56, &edges, 8);
        return;
    }
    if (fields[which].at >= 108) value = below(random, 6);
    else if (below(random, 2)) value += below(random, 3) - 1;
    else value = some_limit(bytes, random);
    memcpy(bytes + fields[which].at, &value, fields[which].size);
}

void change_something(unsigned char *bytes, size_t count, uint64_t *random) {
    if (count < 128) return;
    uint64_t header = get(bytes + 12, 4), sections = get(bytes + 112, 4), entry = get(bytes + 116, 4);
    if (header < 128 || entry < 40 || sections > 1000 || header + sections * entry > count) return;
    uint64_t which = below(random, sections + 1);
    if (which == sections) {
        change_header(bytes, random);
        return;
    }
    unsigned char *e = bytes + header + which * entry;
    uint64_t number = get(e, 4), size = get(e + 8, 4), offset = get(e + 16, 8), length = get(e + 24, 8);
    if (offset > count || length > count - offset) return;
    if (number == 14 || number == 10 || size == 0 || size > 16) size = number == 14 ? 4 : 8;
    if (below(random, 40) == 0) change_items(bytes, e, 5, 8, random); /* of the table itself */
    else change_items(bytes, bytes + offset, length / size, size, random);
}

/* ---- graphs ----------------------------------------------------------------------------------------------------- */

enum { KINDS = 48, MOST = 4000 };

static void give_coordinates(meguri_ctx *ctx, meguri_graph *g) {
    double *pairs = mg_alloc_array(ctx, g->vertices, 16, "test");
    if (!pairs) abort();
    for (uint64_t i = 0; i < 2 * g->vertices; i++) pairs[i] = (double)(i * 7 % 31);
    mg_graph_own(g, MG_PART_COORDINATES, pairs, g->vertices * 16);
}

meguri_graph *make_honest_graph(meguri_ctx *ctx, int index) {
    static uint32_t from[MOST], to[MOST];
    static double weights[MOST];
    static const uint32_t sizes[] = {12, 30, 60, 150};
    if (index >= KINDS) return NULL;
    uint64_t random = (uint64_t)index + 1, vertices = sizes[index % 4], count = vertices * 5;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t hub = below(&random, vertices); /* some have many edges, and the last tenth has none */
        from[i] = (uint32_t)(below(&random, hub + 1) * 9 / 10);
        to[i] = (uint32_t)(below(&random, vertices) * 9 / 10);
        weights[i] = (double)below(&random, 200) + (index % 3 == 2 ? 0.5 : 0);
    }
    meguri_edge_arrays arrays = {.size = sizeof arrays,
                                 .count = count,
                                 .from = from,
                                 .to = to,
                                 .id_bytes = 4,
                                 .vertices = vertices,
                                 .weights = index % 3 ? weights : NULL,
                                 .weight_type = index % 3 ? MEGURI_TYPE_F64 : MEGURI_TYPE_NONE};
    static uint64_t ids[MOST];
    static uint8_t types[MOST];
    static double shares[MOST];
    static const char *const names[] = {"A", "B", "C"};
    const meguri_column_data columns[] = {
        {.size = sizeof *columns, .name = "id", .kind = MEGURI_COLUMN_IDS, .type = MEGURI_TYPE_U64, .values = ids},
        {.size = sizeof *columns,
         .name = "type",
         .kind = MEGURI_COLUMN_TYPES,
         .type = MEGURI_TYPE_U8,
         .values = types,
         .labels = names,
         .label_count = 3},
        {.size = sizeof *columns, .name = "share", .values = shares}};
    for (uint64_t i = 0; i < count; i++) {
        ids[i] = i << 40;
        types[i] = (uint8_t)(i % 3);
        shares[i] = (double)i / 3;
    }
    arrays.columns = columns;
    arrays.column_count = index / 2 % 2 ? 3 : 0;
    meguri_build_options build = {.size = sizeof build,
                                  .direction = index % 2 ? MEGURI_DIRECTED : MEGURI_UNDIRECTED,
                                  .order = (meguri_order)(1 + index / 4 % 3),
                                  .duplicates = index / 12 % 2 ? MEGURI_DUPLICATES_KEEP : MEGURI_DUPLICATES_MIN,
                                  .keep_loops = index / 12 % 2,
                                  .in_rows = index % 8 == 1 || index % 8 == 7};
    meguri_graph *g;
    if (meguri_graph_from_edges(&g, ctx, &arrays, &build) != MEGURI_OK) abort();
    if (index / 24) give_coordinates(ctx, g);
    if (index / 24 && give_index(ctx, g) != MEGURI_OK) abort();
    return g;
}
