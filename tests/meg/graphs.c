#define _GNU_SOURCE
#include "meg/graphs.h"

#include "graph/internal.h"
#include "io/meg.h"
#include "support/path_index.h"
#include "support/sinks.h"

#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#define MUST(condition)                                                                                                \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: %s is not so\n", __FILE__, __LINE__, #condition);                                  \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

meguri_ctx *new_context(uint32_t threads) {
    meguri_ctx *ctx;
    meguri_ctx_options options = {.size = sizeof options, .threads = threads};
    MUST(meguri_ctx_new(&ctx, &options) == MEGURI_OK);
    return ctx;
}

/* ---- making ----------------------------------------------------------------------------------------------------- */

static void give(meguri_ctx *ctx, meguri_graph *g, mg_part part, const void *bytes, size_t count) {
    void *copy = mg_alloc(ctx, count, "a part of a test");
    MUST(copy);
    if (count) memcpy(copy, bytes, count);
    mg_graph_own(g, part, copy, count);
}

/* 0-1, 0-2, 3-4 and a loop at 4, both ways; or as arcs. Vertex 5 is isolated. */
static const uint32_t neighbors[7] = {1, 2, 0, 0, 4, 3, 4};
static const uint64_t offsets[6] = {0, 2, 3, 4, 5, 7};

static void give_rows(meguri_ctx *ctx, meguri_graph *g, uint32_t offset_bytes, bool directed) {
    uint32_t narrow[6];
    for (int i = 0; i < 6; i++) narrow[i] = (uint32_t)offsets[i];
    g->vertices = 6;
    g->rows = 5;
    g->isolated = 1;
    g->arcs = 7;
    g->directed = directed;
    g->edges = directed ? 7 : 4;
    g->input_edges = g->edges + 5;
    g->dropped_duplicates = 3;
    g->dropped_loops = 2;
    g->offset_bytes = offset_bytes;
    if (offset_bytes == 4) give(ctx, g, MG_PART_OFFSETS, narrow, sizeof narrow);
    else give(ctx, g, MG_PART_OFFSETS, offsets, sizeof offsets);
    give(ctx, g, MG_PART_NEIGHBORS, neighbors, sizeof neighbors);
}

static void give_weights(meguri_ctx *ctx, meguri_graph *g, meguri_type type) {
    static const uint8_t u8[7] = {0, 1, 2, 3, 200, 255, 7};
    static const uint16_t u16[7] = {0, 1, 256, 3, 4, 65535, 9};
    static const uint32_t u32[7] = {0, 1, 65536, 3, UINT32_MAX, 5, 10};
    static const float f32[7] = {0, 1.5f, -2.25f, INFINITY, 1e-40f, 3.4e38f, 0.1f};
    static const double f64[7] = {0, 0.1, -1e300, INFINITY, 5e-324, 3, 1.0 / 3};
    static const void *const all[] = {NULL, u8, u16, u32, f32, f64};
    static const int twin[7] = {0, 1, 0, 1, 4, 4, 6}; /* undirected: an edge weighs the same from both its ends */
    size_t size = meguri_type_bytes(type);
    unsigned char weights[7 * 8];
    g->weight_type = type;
    if (type == MEGURI_TYPE_NONE) return;
    for (int i = 0; i < 7; i++)
        memcpy(weights + (size_t)i * size,
               (const char *)all[mg_type_code(type)] + (size_t)(g->directed ? i : twin[i]) * size, size);
    give(ctx, g, MG_PART_WEIGHTS, weights, 7 * size);
}

static void give_numbering(meguri_ctx *ctx, meguri_graph *g) {
    static const uint32_t to_user[6] = {4, 2, 0, 5, 1, 3}, to_internal[6] = {2, 4, 1, 5, 0, 3};
    give(ctx, g, MG_PART_TO_USER, to_user, sizeof to_user);
    give(ctx, g, MG_PART_TO_INTERNAL, to_internal, sizeof to_internal);
    g->order = MEGURI_ORDER_BFS;
}

static void give_names(meguri_ctx *ctx, meguri_graph *g, uint64_t count) {
    static const char *const texts[6] = {"Tokyo", "", "a b", "\xe6\x9d\xb1\xe4\xba\xac", "x,\"y\"\n\tz", "12"};
    mg_names *names;
    uint32_t number;
    MUST(mg_names_new(&names, ctx) == MEGURI_OK);
    for (uint64_t i = 0; i < count; i++)
        MUST(mg_names_add(ctx, names, texts[i], strlen(texts[i]), &number) == MEGURI_OK);
    MUST(mg_names_into_graph(ctx, names, g) == MEGURI_OK);
    mg_names_free(names);
    g->id_kind = MEGURI_ID_STRING;
}

enum { IDS_FROM_ZERO, IDS_UP_TO_MAX, IDS_LISTED, IDS_NEGATIVE_BASE, IDS_SIGNED_LISTED, IDS_NAMES, ID_STYLES };

static void give_ids(meguri_ctx *ctx, meguri_graph *g, int style) {
    static const uint64_t listed[6] = {0, 7, 8, 1000, UINT64_C(1) << 63, UINT64_MAX};
    static const int64_t with_sign[6] = {INT64_MIN, -7, -1, 0, 5, INT64_MAX};
    switch (style) {
    case IDS_UP_TO_MAX: g->id_base = UINT64_MAX - 5; break;
    case IDS_LISTED: give(ctx, g, MG_PART_IDS, listed, 8 * g->vertices); break;
    case IDS_NEGATIVE_BASE:
        g->id_kind = MEGURI_ID_SIGNED;
        g->id_base = (uint64_t)-3;
        break;
    case IDS_SIGNED_LISTED:
        g->id_kind = MEGURI_ID_SIGNED;
        give(ctx, g, MG_PART_IDS, with_sign, 8 * g->vertices);
        break;
    case IDS_NAMES: give_names(ctx, g, g->vertices); break;
    default: break;
    }
}

static void give_coordinates(meguri_ctx *ctx, meguri_graph *g) {
    static const double pairs[12] = {1, 2, NAN, NAN, -3.5, 1e9, 0, 0, 139.767125, 35.681236, INFINITY, -0.0};
    give(ctx, g, MG_PART_COORDINATES, pairs, 16 * g->vertices);
}

/* An id, a type of which three have names, and numbers; an undirected edge has the same in both directions. */
static void give_columns(meguri_ctx *ctx, meguri_graph *g) {
    const mg_column columns[3] = {{.code = mg_type_code(MEGURI_TYPE_U64), .kind = MEGURI_COLUMN_IDS},
                                  {.code = mg_type_code(MEGURI_TYPE_U8), .kind = MEGURI_COLUMN_TYPES, .labels = 3},
                                  {.code = mg_type_code(MEGURI_TYPE_F32)}};
    static const char texts[] = "id\0type\0ROAD\0\0\xe6\x9d\xb1\0share"; /* and the zero that ends it */
    static const uint64_t ids[7] = {UINT64_MAX, 7, UINT64_MAX, 7, 9, 9, 0};
    static const uint8_t types[7] = {2, 0, 2, 0, 1, 1, 2};
    static const float shares[7] = {0.5f, NAN, 0.5f, NAN, -0.0f, -0.0f, 1e30f};
    MUST(mg_graph_make_columns(ctx, g, MG_OF_EDGES, 3) == MEGURI_OK);
    give(ctx, g, MG_PART_COLUMNS, columns, sizeof columns);
    give(ctx, g, MG_PART_COLUMN_TEXTS, texts, sizeof texts);
    give(ctx, g, mg_column_part(g, MG_OF_EDGES, 0, MG_COLUMN_VALUES), ids, sizeof ids);
    give(ctx, g, mg_column_part(g, MG_OF_EDGES, 1, MG_COLUMN_VALUES), types, sizeof types);
    give(ctx, g, mg_column_part(g, MG_OF_EDGES, 2, MG_COLUMN_VALUES), shares, sizeof shares);
}

/* Where vertices lie in a database: one of two, and a number. */
static void give_vertex_columns(meguri_ctx *ctx, meguri_graph *g) {
    const mg_column columns[2] = {{.code = mg_type_code(MEGURI_TYPE_U8), .labels = 2},
                                  {.code = mg_type_code(MEGURI_TYPE_U64), .kind = MEGURI_COLUMN_IDS}};
    static const char texts[] = "database\0north\0south\0node"; /* and the zero that ends it */
    static const uint8_t databases[6] = {0, 1, 1, 0, 1, 0};
    static const uint64_t nodes[6] = {5, UINT64_MAX, 0, 7, 7, 9};
    MUST(mg_graph_make_columns(ctx, g, MG_OF_VERTICES, 2) == MEGURI_OK);
    give(ctx, g, MG_PART_VERTEX_COLUMNS, columns, sizeof columns);
    give(ctx, g, MG_PART_VERTEX_TEXTS, texts, sizeof texts);
    give(ctx, g, mg_column_part(g, MG_OF_VERTICES, 0, MG_COLUMN_VALUES), databases, sizeof databases);
    give(ctx, g, mg_column_part(g, MG_OF_VERTICES, 1, MG_COLUMN_VALUES), nodes, sizeof nodes);
}

static void give_generation(meguri_ctx *ctx, meguri_graph *g) {
    static const mg_generation generation = {.number = 3, .time = 1700000000};
    give(ctx, g, MG_PART_GENERATION, &generation, sizeof generation);
}

/* No vertex or one, which has no edge. */
static meguri_graph *make_tiny(meguri_ctx *ctx, uint64_t vertices, int ids, bool sparse) {
    static const uint32_t zero[2] = {0, 0};
    meguri_graph *g = mg_graph_shell(ctx);
    MUST(g);
    g->vertices = g->isolated = vertices;
    g->directed = true;
    give_ids(ctx, g, ids);
    if (sparse) return g; /* not even offsets: no row has any */
    g->rows = vertices;
    give(ctx, g, MG_PART_OFFSETS, zero, 4 * (vertices + 1));
    give(ctx, g, MG_PART_NEIGHBORS, NULL, 0);
    if (ids % 2) {
        g->weight_type = MEGURI_TYPE_F64;
        give(ctx, g, MG_PART_WEIGHTS, NULL, 0);
        give_coordinates(ctx, g);
    }
    return g;
}

meguri_graph *make_graph(meguri_ctx *ctx, int index, char name[GRAPH_NAME]) {
    const int tiny = 2 * 2 * ID_STYLES, weights = 6;
    if (index < tiny) {
        snprintf(name, GRAPH_NAME, "tiny-%d", index);
        return make_tiny(ctx, (uint64_t)(index & 1), index / 4, index & 2);
    }
    index -= tiny;
    int type = index % weights, ids = index / weights % ID_STYLES, bits = index / weights / ID_STYLES;
    if (bits >= 16) {
        index -= 16 * ID_STYLES * weights;
        snprintf(name, GRAPH_NAME, "index-%d", index);
        return index < INDEXED ? make_indexed_graph(ctx, index) : NULL;
    }
    snprintf(name, GRAPH_NAME, "weights-%d-ids-%d-bits-%d", type, ids, bits);
    meguri_graph *g = mg_graph_shell(ctx);
    MUST(g);
    give_rows(ctx, g, bits & 1 ? 8 : 4, bits & 2);
    give_weights(ctx, g, mg_code_type((uint8_t)type));
    give_ids(ctx, g, ids);
    if (bits & 4) give_numbering(ctx, g);
    if (bits & 8) give_coordinates(ctx, g);
    return g;
}

/* A ring of streets with some across; the last one a crowd in which everybody knows everybody. */
meguri_graph *make_indexed_graph(meguri_ctx *ctx, int index) {
    enum { RING = 24, ACROSS = 16, CROWD = 72 };
    static uint32_t from[CROWD * CROWD], to[CROWD * CROWD];
    static double weights[CROWD * CROWD];
    bool crowd = index == INDEXED - 1;
    uint64_t count = 0, random = (uint64_t)index + 1;
    for (uint32_t i = 0; i < (crowd ? CROWD * CROWD : RING + ACROSS); i++, count++) {
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
        from[i] = crowd ? i / CROWD : i < RING ? i : (uint32_t)(random >> 33) % RING;
        to[i] = crowd ? i % CROWD : i < RING ? (i + 1) % RING : (uint32_t)(random >> 40) % RING;
        weights[i] = (double)(random >> 56);
        if (index / 2 == 2) weights[i] *= 200;                   /* u16 */
        if (index / 2 == 3) weights[i] *= 60000;                 /* u32 */
        if (index / 2 == 4) weights[i] += 0.5;                   /* f32 */
        if (index / 2 == 5) weights[i] += 0.1;                   /* f64 */
        if (index / 2 == 6) weights[i] = 4e9 + weights[i] * 1e5; /* u32, and the sum of two is not */
    }
    meguri_edge_arrays arrays = {.size = sizeof arrays,
                                 .count = count,
                                 .from = from,
                                 .to = to,
                                 .id_bytes = 4,
                                 .weights = index / 2 ? weights : NULL,
                                 .weight_type = index / 2 ? MEGURI_TYPE_F64 : MEGURI_TYPE_NONE};
    meguri_build_options build = {.size = sizeof build, .direction = index % 2 ? MEGURI_DIRECTED : MEGURI_UNDIRECTED};
    meguri_graph *g;
    MUST(meguri_graph_from_edges(&g, ctx, &arrays, &build) == MEGURI_OK);
    MUST(give_index(ctx, g) == MEGURI_OK);
    return g;
}

meguri_graph *make_full_graph(meguri_ctx *ctx) {
    meguri_graph *g = mg_graph_shell(ctx);
    MUST(g);
    give_rows(ctx, g, 4, false);
    give_weights(ctx, g, MEGURI_TYPE_F32);
    give_ids(ctx, g, IDS_NAMES);
    give_numbering(ctx, g);
    give_coordinates(ctx, g);
    give_columns(ctx, g);
    give_vertex_columns(ctx, g);
    give_generation(ctx, g);
    return g;
}

meguri_graph *make_large_graph(meguri_ctx *ctx, uint64_t vertices, uint64_t degree) {
    meguri_graph *g = mg_graph_shell(ctx);
    MUST(g);
    g->vertices = g->rows = vertices;
    g->arcs = g->edges = g->input_edges = vertices * degree;
    g->directed = true;
    g->weight_type = MEGURI_TYPE_U16;
    uint32_t *o = mg_alloc_array(ctx, vertices + 1, 4, "test"), *n = mg_alloc_array(ctx, g->arcs, 4, "test");
    uint32_t *to_user = mg_alloc_array(ctx, vertices, 4, "test"), *back = mg_alloc_array(ctx, vertices, 4, "test");
    uint16_t *w = mg_alloc_array(ctx, g->arcs, 2, "test");
    uint64_t *ids = mg_alloc_array(ctx, vertices, 8, "test");
    MUST(o && n && to_user && back && w && ids);
    for (uint64_t v = 0; v < vertices; v++) {
        o[v] = (uint32_t)(v * degree);
        to_user[v] = (uint32_t)((v + vertices / 3) % vertices);
        back[to_user[v]] = (uint32_t)v;
        ids[v] = 5 * v + 3;
        for (uint64_t i = 0; i < degree; i++) {
            n[v * degree + i] = (uint32_t)((v * 7919 % vertices + i * vertices) / degree); /* increasing */
            w[v * degree + i] = (uint16_t)(v * 31 + i);
        }
    }
    o[vertices] = (uint32_t)g->arcs;
    mg_graph_own(g, MG_PART_OFFSETS, o, 4 * (vertices + 1));
    mg_graph_own(g, MG_PART_NEIGHBORS, n, 4 * g->arcs);
    mg_graph_own(g, MG_PART_WEIGHTS, w, 2 * g->arcs);
    mg_graph_own(g, MG_PART_TO_USER, to_user, 4 * vertices);
    mg_graph_own(g, MG_PART_TO_INTERNAL, back, 4 * vertices);
    mg_graph_own(g, MG_PART_IDS, ids, 8 * vertices);
    return g;
}

/* ---- comparing -------------------------------------------------------------------------------------------------- */

const char *graphs_differ(meguri_ctx *ctx, const meguri_graph *a, const meguri_graph *b) {
#define SAME(field)                                                                                                    \
    if (a->field != b->field) return #field
    SAME(vertices);
    SAME(rows);
    SAME(arcs);
    SAME(edges);
    SAME(isolated);
    SAME(directed);
    SAME(weight_type);
    SAME(id_kind);
    SAME(order);
    SAME(offset_bytes);
    SAME(id_base);
    SAME(input_edges);
    SAME(dropped_duplicates);
    SAME(dropped_loops);
#undef SAME
    if (a->part_count != b->part_count) return "the number of parts";
    for (uint32_t part = 0; part < a->part_count; part++) {
        const void *x, *y;
        if (mg_graph_part(&x, ctx, a, (mg_part)part) || mg_graph_part(&y, ctx, b, (mg_part)part)) return "part failed";
        if (!x != !y) return "a part is missing";
        if (x && a->part[part].bytes != b->part[part].bytes) return "the size of a part";
        if (x && a->part[part].bytes && memcmp(x, y, a->part[part].bytes) != 0) return "the bytes of a part";
    }
    return NULL;
}

typedef struct sink {
    answer *to;
    size_t room;
} sink;

static void add(sink *s, const void *bytes, size_t count) {
    if (s->to->count + count > s->room) {
        s->room = 2 * s->room + count + 64;
        s->to->bytes = realloc(s->to->bytes, s->room);
        MUST(s->to->bytes);
    }
    if (count) memcpy((char *)s->to->bytes + s->to->count, bytes, count);
    s->to->count += count;
}

static meguri_status ask_neighbors(sink *s, meguri_ctx *ctx, const meguri_graph *g, bool in) {
    meguri_status status = MEGURI_OK;
    uint64_t *list = malloc((g->arcs + 1) * 8);
    double *weights = malloc((g->arcs + 1) * 8);
    MUST(list && weights);
    for (uint64_t v = 0; v < g->vertices && status == MEGURI_OK; v++) {
        uint64_t count = 0;
        status =
            (in ? meguri_graph_in_neighbors : meguri_graph_neighbors)(list, weights, NULL, g->arcs, &count, ctx, g, v);
        if (status != MEGURI_OK) break;
        MUST(count <= g->arcs);
        add(s, list, count * 8);
        add(s, weights, count * 8);
    }
    free(list);
    free(weights);
    return status;
}

static meguri_status ask_columns(sink *s, meguri_ctx *ctx, const meguri_graph *g) {
    meguri_status status = MEGURI_OK;
    uint64_t *values = malloc((g->arcs + 1) * 8);
    MUST(values);
    for (uint32_t c = 0; c < mg_graph_column_count(g) && status == MEGURI_OK; c++) {
        meguri_column_info info = {.size = sizeof info};
        status = meguri_graph_edge_column(&info, ctx, g, c);
        if (status != MEGURI_OK) break;
        add(s, info.name, strlen(info.name) + 1);
        add(s, &info.type, sizeof info.type);
        for (uint32_t i = 0; i < info.label_count && status == MEGURI_OK; i++) {
            const char *label = "";
            status = meguri_graph_edge_label(&label, ctx, g, c, i);
            add(s, label, strlen(label) + 1);
        }
        for (uint64_t v = 0; v < 2 * g->vertices && status == MEGURI_OK; v++) {
            uint64_t count = 0;
            status = (v % 2 ? meguri_graph_in_neighbor_values : meguri_graph_neighbor_values)(values, NULL, g->arcs,
                                                                                              &count, ctx, g, v / 2, c);
            if (status == MEGURI_OK) add(s, values, count * info.item_bytes);
        }
    }
    free(values);
    return status;
}

static meguri_status ask_ids(sink *s, meguri_ctx *ctx, const meguri_graph *g, bool find) {
    meguri_status status = MEGURI_OK;
    for (uint64_t v = 0; v < g->vertices && status == MEGURI_OK; v++) {
        const char *name = NULL;
        size_t length = 0;
        uint64_t id = 0, found = 0;
        bool named = g->id_kind == MEGURI_ID_STRING;
        status = named ? meguri_graph_names(&name, &length, ctx, g, v, 1) : meguri_graph_ids(&id, ctx, g, v, 1);
        if (status != MEGURI_OK) break;
        if (!find) add(s, named ? (const void *)name : &id, named ? length : sizeof id);
        else if (named) status = meguri_graph_find_name(&found, ctx, g, name, length);
        else status = meguri_graph_find(&found, ctx, g, id);
        if (find) add(s, &found, sizeof found);
    }
    return status;
}

static meguri_status ask_coordinates(sink *s, meguri_ctx *ctx, const meguri_graph *g) {
    meguri_status status = MEGURI_OK;
    for (uint64_t v = 0; v < g->vertices && status == MEGURI_OK; v++) {
        double place[2] = {0, 0};
        status = meguri_graph_coordinates(&place[0], &place[1], ctx, g, v, 1);
        if (status == MEGURI_OK) add(s, place, sizeof place);
    }
    return status;
}

static meguri_status ask_degrees(sink *s, meguri_ctx *ctx, const meguri_graph *g) {
    uint64_t *degrees = calloc(g->vertices + 1, 8);
    MUST(degrees);
    meguri_status status = meguri_graph_degrees(degrees, ctx, g, 0, g->vertices);
    if (status == MEGURI_OK) add(s, degrees, g->vertices * 8);
    free(degrees);
    return status;
}

static meguri_status ask_info(sink *s, meguri_ctx *ctx, const meguri_graph *g) {
    meguri_graph_info info = {.size = sizeof info};
    meguri_status status = meguri_graph_get_info(&info, ctx, g);
    /* Field by field: a struct has gaps. */
    uint64_t fields[] = {info.vertices,
                         info.arcs,
                         info.edges,
                         info.isolated,
                         info.input_edges,
                         info.dropped_duplicates,
                         info.dropped_loops,
                         (uint64_t)info.directed,
                         (uint64_t)info.has_coordinates,
                         info.weight_type,
                         info.id_kind,
                         info.order};
    add(s, fields, sizeof fields);
    return status;
}

static int note_path(void *user, const meguri_path *path) {
    add(user, &path->cost, sizeof path->cost);
    MUST(path->vertices[path->hops] < UINT32_MAX);
    return 0;
}

/* Paths by the index, between some vertices, both ways. */
static meguri_status ask_paths(sink *s, meguri_ctx *ctx, const meguri_graph *g) {
    enum { SOME = 8 };
    meguri_status status = MEGURI_OK;
    meguri_path_index_info info = {.size = sizeof info};
    meguri_path_index *index = NULL;
    if (!g->part[MG_PART_INDEX_FACTS].data) return MEGURI_OK;
    status = meguri_path_index_of(&index, ctx, g);
    if (status == MEGURI_OK) status = meguri_path_index_get_info(&info, ctx, index);
    meguri_path_index_free(index);
    uint64_t facts[] = {info.edges, info.shortcuts, info.uncontracted, info.bytes};
    if (status == MEGURI_OK) add(s, facts, sizeof facts);
    for (int in = 0; in < 2 && status == MEGURI_OK; in++) {
        meguri_path_finder *finder;
        meguri_path_finder_options o = {.size = sizeof o, .direction = in ? MEGURI_PATH_IN : MEGURI_PATH_OUT};
        status = meguri_path_finder_new(&finder, ctx, g, &o);
        if (status != MEGURI_OK) break;
        for (uint64_t i = 0; i < SOME * SOME && status == MEGURI_OK; i++) {
            meguri_path_query q = {
                .size = sizeof q, .algorithm = MEGURI_PATH_INDEXED, .from = i / SOME * 3, .to = i % SOME * 3};
            meguri_path_answer a = {.size = sizeof a};
            if (q.from >= g->vertices || q.to >= g->vertices) continue;
            status = meguri_path_find(&a, ctx, finder, &q, note_path, s);
        }
        meguri_path_finder_free(finder);
    }
    return status;
}

void ask_everything(answer out[ANSWERS], meguri_ctx *ctx, const meguri_graph *g) {
    for (int i = 0; i < ANSWERS; i++) {
        out[i] = (answer){0};
        sink s = {&out[i], 0};
        switch (i) {
        case 0: out[i].status = ask_info(&s, ctx, g); break;
        case 1: out[i].status = ask_degrees(&s, ctx, g); break;
        case 2: out[i].status = ask_neighbors(&s, ctx, g, false); break;
        case 3: out[i].status = ask_neighbors(&s, ctx, g, true); break;
        case 4: out[i].status = ask_ids(&s, ctx, g, false); break;
        case 5: out[i].status = ask_ids(&s, ctx, g, true); break;
        case 6: out[i].status = ask_coordinates(&s, ctx, g); break;
        case 7: out[i].status = ask_paths(&s, ctx, g); break;
        case 8: out[i].status = meguri_graph_verify(ctx, g); break;
        case 9: out[i].status = ask_columns(&s, ctx, g); break;
        default: out[i].status = ask_neighbors(&s, ctx, g, false); break; /* once more, after the verdict */
        }
    }
}

void free_answers(answer answers[ANSWERS]) {
    for (int i = 0; i < ANSWERS; i++) free(answers[i].bytes);
}

/* ---- files ------------------------------------------------------------------------------------------------------ */

memory_file new_memory_file(const void *bytes, size_t count) {
    memory_file file;
    file.fd = memfd_create("meg-test", 0);
    MUST(file.fd >= 0);
    MUST(pwrite(file.fd, bytes, count, 0) == (ssize_t)count);
    snprintf(file.path, sizeof file.path, "/proc/%d/fd/%d", (int)getpid(), file.fd);
    return file;
}

unsigned char *file_bytes(const char *path, size_t *count) {
    int fd = open(path, O_RDONLY);
    struct stat st;
    MUST(fd >= 0 && fstat(fd, &st) == 0);
    *count = (size_t)st.st_size;
    unsigned char *bytes = malloc(*count + 1);
    MUST(bytes && pread(fd, bytes, *count, 0) == st.st_size);
    close(fd);
    return bytes;
}

unsigned char *saved_bytes(meguri_ctx *ctx, const meguri_graph *graph, size_t *count) {
    char folder[FOLDER_NAME], path[FOLDER_NAME + 64];
    make_folder(folder);
    snprintf(path, sizeof path, "%s/g.meg", folder);
    if (meguri_save(ctx, graph, to_file(path), NULL) != MEGURI_OK) {
        fprintf(stderr, "%s\n", meguri_ctx_error(ctx));
        abort();
    }
    unsigned char *bytes = file_bytes(path, count);
    remove_folder(folder);
    return bytes;
}

static uint64_t get(const unsigned char *bytes, size_t at, size_t size) {
    uint64_t value = 0;
    memcpy(&value, bytes + at, size);
    return value;
}

/* These two by the numbers of docs/meg-format.md, not by the structs of the library. */
uint64_t section_of(const unsigned char *bytes, uint32_t number, uint64_t *size) {
    uint64_t entry = get(bytes, 12, 4), left = get(bytes, 112, 4);
    for (; left && get(bytes, entry, 4) != number; left--) entry += get(bytes, 116, 4);
    MUST(left);
    *size = get(bytes, entry + 24, 8);
    return get(bytes, entry + 16, 8);
}

void reseal(unsigned char *bytes, size_t count) {
    if (count < 128) return;
    uint64_t header = get(bytes, 12, 4), sections = get(bytes, 112, 4), entry = get(bytes, 116, 4);
    unsigned log2 = bytes[120];
    uint64_t table_end = header + sections * entry;
    if (header < 128 || entry < 40 || table_end > count || sections > 1000 || log2 < 12 || log2 > 30) return;
    for (uint64_t i = 0; i < sections; i++) {
        unsigned char *e = bytes + header + i * entry;
        uint64_t offset = get(e, 16, 8), size = get(e, 24, 8), chunk = (uint64_t)1 << log2;
        if (offset < table_end || offset > count || size > count - offset) continue;
        uint64_t list = offset + (size + 7) / 8 * 8, chunks = (size + chunk - 1) / chunk;
        if (list > count || chunks * 8 > count - list) continue;
        for (uint64_t c = 0; c < chunks; c++) {
            uint64_t at = c * chunk;
            uint64_t hash = XXH3_64bits(bytes + offset + at, MG_MIN(chunk, size - at));
            memcpy(bytes + list + c * 8, &hash, 8);
        }
        uint64_t hash = XXH3_64bits(bytes + list, chunks * 8);
        memcpy(e + 32, &hash, 8);
    }
    memset(bytes + 16, 0, 8);
    uint64_t hash = XXH3_64bits(bytes, table_end);
    memcpy(bytes + 16, &hash, 8);
}

void make_folder_on_disk(char path[FOLDER_NAME]) {
    const char *base = getenv("TMPDIR");
    snprintf(path, FOLDER_NAME, "%.400s/meguri-test-XXXXXX", base && *base ? base : "/tmp");
    MUST(mkdtemp(path));
}

void make_folder(char path[FOLDER_NAME]) {
    strcpy(path, "/dev/shm/meguri-test-XXXXXX");
    if (!mkdtemp(path)) make_folder_on_disk(path);
}

void remove_folder(const char *path) {
    DIR *folder = opendir(path);
    if (folder) {
        for (struct dirent *e = readdir(folder); e; e = readdir(folder)) {
            char name[FOLDER_NAME + 300];
            if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) continue;
            snprintf(name, sizeof name, "%s/%s", path, e->d_name);
            if (unlink(name) != 0) remove_folder(name);
        }
        closedir(folder);
    }
    rmdir(path);
}
