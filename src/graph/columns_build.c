/* Columns of edges, and of vertices, into a graph.
 *
 * While arcs are sorted, merged and rearranged they carry the number of their edge and nothing else; when all have
 * their places, the values are gathered by it, column by column, straight from the blocks of the input or from where
 * those were spilled. So a graph without columns pays nothing, and one with many no more sorting than one with one. */
#define _GNU_SOURCE
#include "graph/internal.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <sys/mman.h>

/* ---- types ------------------------------------------------------------------------------------------------------ */

static const uint64_t EXACT_F64 = (uint64_t)1 << 53, EXACT_F32 = (uint64_t)1 << 24; /* whole numbers up to these */

static bool is_real(meguri_type type) { return type == MEGURI_TYPE_F32 || type == MEGURI_TYPE_F64; }

mg_value_facts mg_value_facts_of(const mg_block_column *column, uint64_t count) {
    mg_value_facts facts = {0};
    meguri_type type = column->type;
    const void *values = column->values;
    size_t size = meguri_type_bytes(type);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t whole = 0;
        double real = 0;
        bool fraction = false;
        if (column->validity && !mg_bit_at(column->validity, i)) continue;
        if (is_real(type)) {
            real = type == MEGURI_TYPE_F32 ? (double)((const float *)values)[i] : ((const double *)values)[i];
            fraction = !(real >= 0 && real < 0x1p64 && real == (double)(uint64_t)real) || signbit(real);
            if (!fraction) whole = (uint64_t)real;
            else if (fabs(real) > 3.4028234e38 ? !isinf(real) : (double)(float)real != real && !isnan(real))
                facts.not_f32 = true;
        } else {
            whole = mg_value_whole(values, size, i);
            facts.not_f64 |= whole > EXACT_F64;
        }
        facts.not_f32 |= whole > EXACT_F32;
        facts.fractions |= fraction;
        facts.max = MG_MAX(facts.max, whole);
    }
    return facts;
}

static meguri_type smallest_whole(uint64_t max) {
    return max <= UINT8_MAX    ? MEGURI_TYPE_U8
           : max <= UINT16_MAX ? MEGURI_TYPE_U16
           : max <= UINT32_MAX ? MEGURI_TYPE_U32
                               : MEGURI_TYPE_U64;
}

static meguri_status choose_type(meguri_type *out, meguri_ctx *ctx, const mg_edges *edges, uint32_t c) {
    const mg_edge_values *column = &edges->columns[c];
    const mg_value_facts *f = &column->facts;
    *out = column->type;
    if (column->labelled) {
        uint64_t labels = mg_names_count(column->labels.names);
        *out = smallest_whole(labels ? labels - 1 : 0);
        if (edges->count && (f->fractions || f->max >= labels))
            return mg_fail(ctx, MEGURI_BAD_INPUT,
                           "a value of the column \"%s\" is not one of the %" PRIu64 " that have names.", column->name,
                           labels);
        return MEGURI_OK;
    }
    if (*out != MEGURI_TYPE_NONE) return MEGURI_OK;
    if (!f->fractions) *out = smallest_whole(f->max);
    else if (column->kind == MEGURI_COLUMN_IDS)
        return mg_fail(ctx, MEGURI_BAD_INPUT, "the column \"%s\" holds ids, and not all of them are whole numbers.",
                       column->name);
    else if (f->not_f64)
        return mg_fail(ctx, MEGURI_BAD_INPUT,
                       "the column \"%s\" has whole numbers above 2^53 beside others that are none: no type holds "
                       "both; say which one it is to have.",
                       column->name);
    else *out = f->not_f32 ? MEGURI_TYPE_F64 : MEGURI_TYPE_F32;
    return MEGURI_OK;
}

/* ---- values ----------------------------------------------------------------------------------------------------- */

enum { STRIDE_LOG2 = 12 }; /* edges between two entries of the directory */

typedef struct source {
    const char *values; /* of the first edge of the block; NULL where it has none */
    meguri_type type;
    const uint8_t *validity;
} source;

typedef struct gather {
    meguri_ctx *ctx;
    const mg_edges *edges;
    const uint32_t *directory; /* edge number >> STRIDE_LOG2: the block that it is in */
    source *sources;           /* of each block */
    const void *numbers;
    uint32_t number_bytes;
    meguri_type type;
    const uint32_t *labels; /* from values to values; NULL: they stay */
    bool same;              /* all blocks have the type of the column, and no value is missing */
    bool partly;            /* values of some block may be missing */
    uint8_t *validity;      /* of all items */
    char *to;               /* the value of arc `first`, and those behind it */
    uint64_t first;
} gather;

static uint64_t block_of(const gather *g, uint64_t edge) {
    uint64_t block = g->directory[edge >> STRIDE_LOG2];
    while (edge >= g->edges->blocks[block].first + g->edges->blocks[block].block.count) block++;
    return block;
}

/* From the type of a block to that of the column, which holds it. Spilled values lie anywhere. */
static void convert(char *to, meguri_type to_type, const char *from, meguri_type from_type) {
    uint64_t whole = 0;
    double real = 0;
    float narrow;
    if (from_type == MEGURI_TYPE_F32) {
        memcpy(&narrow, from, 4);
        real = (double)narrow;
    } else if (from_type == MEGURI_TYPE_F64) memcpy(&real, from, 8);
    else memcpy(&whole, from, meguri_type_bytes(from_type));
    if (is_real(from_type) && !is_real(to_type)) whole = (uint64_t)real;
    if (!is_real(from_type) && is_real(to_type)) real = (double)whole;
    narrow = (float)real;
    if (to_type == MEGURI_TYPE_F32) memcpy(to, &narrow, 4);
    else if (to_type == MEGURI_TYPE_F64) memcpy(to, &real, 8);
    else memcpy(to, &whole, meguri_type_bytes(to_type)); /* the low bytes are the first */
}

/* `size` is a constant where this is inlined. */
static inline __attribute__((always_inline)) void copy_values(const gather *g, uint64_t begin, uint64_t end,
                                                              size_t size) {
    for (uint64_t i = begin; i < end; i++) {
        uint64_t edge = g->number_bytes == 4 ? ((const uint32_t *)g->numbers)[g->first + i]
                                             : ((const uint64_t *)g->numbers)[g->first + i];
        uint64_t block = block_of(g, edge);
        memcpy(g->to + i * size, g->sources[block].values + (edge - g->edges->blocks[block].first) * size, size);
    }
}

/* Not a number where that can be, else 0. */
static void put_missing(char *to, meguri_type type) {
    if (type == MEGURI_TYPE_F32) memcpy(to, &(float){NAN}, 4);
    else if (type == MEGURI_TYPE_F64) memcpy(to, &(double){NAN}, 8);
    else memset(to, 0, meguri_type_bytes(type));
}

static void gather_some(void *what, uint64_t begin, uint64_t end) {
    const gather *g = what;
    size_t size = meguri_type_bytes(g->type);
    if (g->same && size == 1) copy_values(g, begin, end, 1);
    else if (g->same && size == 2) copy_values(g, begin, end, 2);
    else if (g->same && size == 4) copy_values(g, begin, end, 4);
    else if (g->same) copy_values(g, begin, end, 8);
    else
        for (uint64_t i = begin; i < end; i++) {
            uint64_t edge = g->number_bytes == 4 ? ((const uint32_t *)g->numbers)[g->first + i]
                                                 : ((const uint64_t *)g->numbers)[g->first + i];
            uint64_t block = block_of(g, edge);
            const source *s = &g->sources[block];
            uint64_t place = edge - g->edges->blocks[block].first, at = place * meguri_type_bytes(s->type);
            uint32_t label;
            if (s->validity && !mg_bit_at(s->validity, place)) put_missing(g->to + i * size, g->type);
            else if (g->labels) { /* values that have names come as 32 bits */
                memcpy(&label, s->values + at, sizeof label);
                memcpy(g->to + i * size, &g->labels[label], size);
            } else convert(g->to + i * size, g->type, s->values + at, s->type);
        }
}

/* Bytes of the bitmap. */
static void gather_bits(void *what, uint64_t begin, uint64_t end) {
    const gather *g = what;
    for (uint64_t byte = begin; byte < end; byte++) {
        unsigned bits = 0;
        for (uint64_t i = byte * 8; i < MG_MIN(byte * 8 + 8, g->first); i++) {
            uint64_t edge =
                g->number_bytes == 4 ? ((const uint32_t *)g->numbers)[i] : ((const uint64_t *)g->numbers)[i];
            uint64_t block = block_of(g, edge);
            const source *s = &g->sources[block];
            if (!s->validity || mg_bit_at(s->validity, edge - g->edges->blocks[block].first)) bits |= 1u << (i & 7);
        }
        g->validity[byte] = (uint8_t)bits;
    }
}

/* Which items have a value; no part where no block has a missing one. */
static meguri_status gather_validity(meguri_graph *graph, mg_part part, gather *g, uint64_t items) {
    if (!g->partly || !items) return MEGURI_OK;
    g->first = items;
    g->validity = mg_alloc(g->ctx, mg_bits_bytes(items), "which values of a column there are");
    if (!g->validity) return MEGURI_NO_MEMORY;
    mg_for(g->ctx, mg_threads(g->ctx, items, 1 << 14), mg_bits_bytes(items), gather_bits, g);
    mg_graph_own(graph, part, g->validity, mg_bits_bytes(items));
    return MEGURI_OK;
}

static meguri_status gather_range(gather *g, uint64_t first, uint64_t count, char *to) {
    g->first = first;
    g->to = to;
    mg_for(g->ctx, mg_threads(g->ctx, count, 1 << 14), count, gather_some, g);
    return mg_progress(g->ctx, "columns", first + count, first + count) ? mg_fail_cancelled(g->ctx) : MEGURI_OK;
}

/* All values of a column, in memory where there is room for them. */
static meguri_status gather_column(mg_part_data *out, gather *g, uint64_t arcs) {
    static const char what[] = "a column of the edges";
    size_t size = meguri_type_bytes(g->type);
    uint64_t left = mg_memory_left(g->ctx) / 8 * 7;
    bool fits = arcs * size <= left;
    uint64_t window = fits ? arcs : MG_MAX(left / 2 / size, (uint64_t)1 << 16);
    mg_store store = {.fd = -1};
    char *room = NULL;
    meguri_status status = mg_store_new(&store, g->ctx, arcs * size, !fits, what);
    if (status == MEGURI_OK && !fits) {
        room = mg_alloc_array(g->ctx, MG_MIN(window, arcs), size, what);
        if (!room) status = MEGURI_NO_MEMORY;
    }
    for (uint64_t first = 0; first < arcs && status == MEGURI_OK; first += window) {
        uint64_t count = MG_MIN(window, arcs - first);
        char *to = fits ? store.memory : room;
        status = gather_range(g, first, count, to);
        if (status == MEGURI_OK) status = mg_store_append(g->ctx, &store, to, count * size);
    }
    if (status == MEGURI_OK) status = mg_store_finish(out, g->ctx, &store);
    mg_store_free(&store);
    mg_free(room);
    return status;
}

/* ---- names ------------------------------------------------------------------------------------------------------ */

/* Where every text is missing there is one all the same, as the values need something to stand for. */
static meguri_status settle_names(uint32_t **positions, meguri_ctx *ctx, mg_edge_values *column) {
    uint32_t number;
    meguri_status status = mg_name_table_settle(positions, ctx, &column->labels);
    if (status == MEGURI_OK && column->text && !mg_names_count(column->labels.names))
        status = mg_names_add(ctx, column->labels.names, "", 0, &number);
    return status;
}

static meguri_status give_texts(meguri_graph *graph, meguri_ctx *ctx, mg_column_set set, const mg_edges *edges,
                                mg_column *columns) {
    uint64_t bytes = 0;
    size_t length;
    for (uint32_t c = 0; c < edges->column_count; c++) {
        const mg_names *labels = edges->columns[c].labels.names;
        bytes += strlen(edges->columns[c].name) + 1;
        for (uint64_t i = 0; labels && i < mg_names_count(labels); i++) {
            mg_names_get(labels, (uint32_t)i, &length);
            bytes += length + 1;
        }
    }
    char *texts = mg_alloc_zero(ctx, bytes, "the names of columns"), *to = texts;
    if (!texts) return MEGURI_NO_MEMORY;
    for (uint32_t c = 0; c < edges->column_count; c++) {
        const mg_names *labels = edges->columns[c].labels.names;
        to += strlen(strcpy(to, edges->columns[c].name)) + 1;
        columns[c].labels = labels ? (uint32_t)mg_names_count(labels) : 0;
        for (uint64_t i = 0; i < columns[c].labels; i++) {
            const char *text = mg_names_get(labels, (uint32_t)i, &length);
            memcpy(to, text, length);
            to += length + 1;
        }
    }
    mg_graph_own(graph, mg_columns_texts(set), texts, bytes);
    return MEGURI_OK;
}

typedef struct vertex_bounds {
    const uint64_t *values;
    uint64_t vertices;
} vertex_bounds;

static uint64_t count_beyond(const void *what, uint64_t begin, uint64_t end) {
    const vertex_bounds *b = what;
    uint64_t beyond = 0;
    for (uint64_t i = begin; i < end; i++) beyond += b->values[i] >= b->vertices && b->values[i] != UINT64_MAX;
    return beyond;
}

static meguri_status check_vertices(meguri_ctx *ctx, const meguri_graph *graph, mg_column_set set, uint32_t c,
                                    const mg_edges *edges) {
    uint64_t items = mg_columns_items(graph, set);
    vertex_bounds b = {graph->part[mg_column_part(graph, set, c, MG_COLUMN_VALUES)].data, graph->vertices};
    if (!mg_sum_over(ctx, mg_threads(ctx, items, 1 << 16), items, count_beyond, &b)) return MEGURI_OK;
    return mg_fail(ctx, MEGURI_BAD_INPUT,
                   "the column \"%s\" names a vertex that the graph of %" PRIu64 " does not have.",
                   edges->columns[c].name, graph->vertices);
}

/* ---- all of it -------------------------------------------------------------------------------------------------- */

static meguri_status map_spilled(const char **out, meguri_ctx *ctx, const mg_edges *edges) {
    *out = NULL;
    if (edges->spill_fd < 0 || !edges->spill_bytes) return MEGURI_OK;
    void *mapped = mmap(NULL, edges->spill_bytes, PROT_READ, MAP_SHARED, edges->spill_fd, 0);
    if (mapped == MAP_FAILED)
        return mg_fail(ctx, MEGURI_NO_MEMORY, "cannot map a temporary file of edges: %s.", strerror(errno));
    *out = mapped;
    return MEGURI_OK;
}

static void find_sources(gather *g, uint32_t column, const char *spilled) {
    const mg_edges *edges = g->edges;
    g->same = true;
    for (uint64_t i = 0; i < edges->block_count; i++) {
        const mg_stored_block *s = &edges->blocks[i];
        g->sources[i].type = s->block.columns[column].type;
        g->sources[i].values = s->spilled ? spilled + s->file_offset + mg_block_column_at(edges, &s->block, column)
                                          : s->block.columns[column].values;
        g->sources[i].validity = s->block.columns[column].validity;
        if (s->block.columns[column].spilled_validity)
            g->sources[i].validity =
                (const uint8_t *)g->sources[i].values + s->block.count * meguri_type_bytes(g->sources[i].type);
        g->partly |= g->sources[i].validity != NULL;
        g->same &= g->sources[i].type == g->type && !g->labels && !g->sources[i].validity;
    }
}

static void fill_directory(uint32_t *directory, const mg_edges *edges) {
    uint64_t block = 0;
    for (uint64_t edge = 0; edge < edges->count; edge += (uint64_t)1 << STRIDE_LOG2) {
        while (edge >= edges->blocks[block].first + edges->blocks[block].block.count) block++;
        directory[edge >> STRIDE_LOG2] = (uint32_t)block;
    }
}

meguri_status mg_columns_build(meguri_graph *graph, meguri_ctx *ctx, mg_column_set set, mg_edges *edges,
                               const void *numbers, uint32_t number_bytes) {
    double since = mg_now();
    uint32_t count = edges->column_count;
    const char *spilled = NULL;
    meguri_status status = MEGURI_NO_MEMORY;
    uint32_t **labels = mg_alloc_array_zero(ctx, count, sizeof *labels, "the columns of the edges");
    mg_column *columns = mg_alloc_array_zero(ctx, count, sizeof *columns, "the columns of the edges");
    source *sources = mg_alloc_array(ctx, edges->block_count, sizeof *sources, "the columns of the edges");
    uint32_t *directory = mg_alloc_array(ctx, (edges->count >> STRIDE_LOG2) + 1, 4, "the columns of the edges");
    if (!labels || !columns || !sources || !directory) goto cleanup;
    status = mg_graph_make_columns(ctx, graph, set, count);
    if (status == MEGURI_OK) status = map_spilled(&spilled, ctx, edges);
    for (uint32_t c = 0; c < count && status == MEGURI_OK; c++)
        if (edges->columns[c].labelled) status = settle_names(&labels[c], ctx, &edges->columns[c]);
    if (status == MEGURI_OK) status = give_texts(graph, ctx, set, edges, columns);
    if (status != MEGURI_OK) goto cleanup;
    fill_directory(directory, edges);
    for (uint32_t c = 0; c < count && status == MEGURI_OK; c++) {
        gather g = {.ctx = ctx,
                    .edges = edges,
                    .directory = directory,
                    .sources = sources,
                    .numbers = numbers,
                    .labels = labels[c],
                    .number_bytes = number_bytes};
        status = choose_type(&g.type, ctx, edges, c);
        columns[c].code = mg_type_code(g.type);
        columns[c].kind = (uint8_t)edges->columns[c].kind;
        columns[c].flags = edges->columns[c].text ? MG_COLUMN_TEXT : 0;
        if (status == MEGURI_OK) find_sources(&g, c, spilled);
        if (status == MEGURI_OK)
            status = gather_column(&graph->part[mg_column_part(graph, set, c, MG_COLUMN_VALUES)], &g,
                                   mg_columns_items(graph, set));
        if (status == MEGURI_OK)
            status = gather_validity(graph, mg_column_part(graph, set, c, MG_COLUMN_VALIDITY), &g,
                                     mg_columns_items(graph, set));
        if (status == MEGURI_OK && g.type == MEGURI_TYPE_VERTEX) status = check_vertices(ctx, graph, set, c, edges);
        mg_edges_column_done(edges, c);
    }
    if (status != MEGURI_OK) goto cleanup;
    mg_graph_own(graph, mg_columns_part(set), columns, count * sizeof *columns);
    columns = NULL;
    mg_trace_phase(ctx, "build", "columns", (int64_t)mg_columns_items(graph, set), -1, since);
cleanup:
    for (uint32_t c = 0; labels && c < count; c++) mg_free(labels[c]);
    mg_free(labels);
    if (spilled) munmap((void *)(uintptr_t)spilled, edges->spill_bytes);
    mg_free(columns);
    mg_free(sources);
    mg_free(directory);
    return status;
}
