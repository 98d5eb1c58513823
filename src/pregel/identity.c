/* What a checkpoint is of: a hash for each thing that a program can see. Where one of them differs, values of the
 * checkpoint and values of the run that goes on from it would belong to different inputs.
 *
 * Hashes of the graph are sums over arcs and vertices, by positions, so they are the same for any number of workers,
 * wherever arcs and vertices lie, and whether the graph is whole or in parts. Parallel arcs are told apart by their
 * place among each other, which is the same everywhere: they are in order of weight, or, where there are columns, in
 * that of the file.
 *
 * 0 is an item that is not known: columns and order of a text file that several processes have read, which keep none;
 * the text of programs that are part of the caller's own. Such an item is not compared. */
#include "pregel/identity.h"
#include "pregel/parts.h"

#include <inttypes.h>
#include <xxhash.h>

enum { GRAIN = 1 << 16 };

/* The sums, in the order in which workers add them up. */
enum { ARCS, WEIGHTS, EDGE_COLUMNS, VERTEX_COLUMNS, IDS, ORDER, SUMS };

static const char *const differences[MG_IDENTITY_COUNT] = {
    [MG_IDENTITY_SHAPE] = "graph: the number of its vertices or arcs differs, or whether it is directed",
    [MG_IDENTITY_ARCS] = "graph: its arcs differ",
    [MG_IDENTITY_WEIGHTS] = "graph: its weights differ",
    [MG_IDENTITY_EDGE_COLUMNS] = "graph: the columns of its edges differ",
    [MG_IDENTITY_VERTEX_COLUMNS] = "graph: the columns of its vertices differ",
    [MG_IDENTITY_IDS] = "graph: the ids of its vertices differ",
    [MG_IDENTITY_ORDER] = "graph: its vertices are stored in another order, in which this program reads messages",
    [MG_IDENTITY_ABI] = "program: it was compiled for another version of meguri/pregel.h",
    [MG_IDENTITY_PROGRAMS] = "program: names, types, columns or aggregators differ",
    [MG_IDENTITY_TEXT] = "program: its text, or that of a header that it includes, differs",
    [MG_IDENTITY_COMPILER] = "program: the compiler or its options differ",
    [MG_IDENTITY_ARGUMENTS] = "list of arguments",
};

const char *mg_identity_difference(const mg_identity *kept, const mg_identity *now) {
    for (int i = 0; i < MG_IDENTITY_COUNT; i++)
        if (kept->item[i] && now->item[i] && kept->item[i] != now->item[i]) return differences[i];
    return NULL;
}

/* ---- arcs ------------------------------------------------------------------------------------------------------- */

/* Rows of the whole graph, of which each worker takes a share, or the in-rows of a tile. */
typedef struct arcs_of {
    const mg_pregel_worker *w;
    const mg_tile *tile; /* NULL: rows of the whole graph */
    const mg_rows *rows;
    uint64_t first; /* row */
    meguri_type weight_type;
    const void *values; /* of a column, of so many bytes each */
    size_t bytes;
    uint64_t seed;
    uint64_t sums[SUMS]; /* atomic */
} arcs_of;

static inline uint32_t position_of(const arcs_of *a, const mg_window *window, uint32_t v) {
    if (!a->tile) return mg_to_user(&a->w->numbering, v);
    return mg_parts_position(a->w->run->parts, window, (uint32_t)a->w->workers, v);
}

/* Calls `each` with the hash of each arc. */
static inline void for_arcs(arcs_of *a, uint64_t begin, uint64_t end,
                            void (*each)(const arcs_of *a, uint64_t *sums, uint64_t arc, uint64_t hash)) {
    const mg_rows *r = a->rows;
    uint64_t sums[SUMS] = {0};
    for (uint64_t row = a->first + begin; row < a->first + end; row++) {
        uint64_t parallel = 0, from = mg_row_begin(r, row), to = mg_row_end(r, row);
        if (from == to) continue;
        uint64_t mine = position_of(a, a->tile ? a->tile->targets : NULL, (uint32_t)row);
        for (uint64_t arc = from; arc < to; arc++) {
            uint64_t other = position_of(a, a->tile ? a->tile->sources : NULL, r->neighbors[arc]);
            parallel = arc > from && r->neighbors[arc] == r->neighbors[arc - 1] ? parallel + 1 : 0;
            each(a, sums, arc, mg_mix(a->tile ? other << 32 | mine : mine << 32 | other, parallel));
        }
    }
    for (int i = 0; i < SUMS; i++) __atomic_fetch_add(&a->sums[i], sums[i], __ATOMIC_RELAXED);
}

static inline void add_arc(const arcs_of *a, uint64_t *sums, uint64_t arc, uint64_t hash) {
    double weight = mg_weight_at(a->rows->weights, a->weight_type, arc);
    uint64_t bits;
    memcpy(&bits, &weight, sizeof bits);
    sums[ARCS] += hash;
    sums[WEIGHTS] += mg_mix(hash, bits);
}
static void add_arcs(void *what, uint64_t begin, uint64_t end) { for_arcs(what, begin, end, add_arc); }

static inline void add_value(const arcs_of *a, uint64_t *sums, uint64_t arc, uint64_t hash) {
    sums[EDGE_COLUMNS] += mg_mix(a->seed ^ hash, mg_value_whole(a->values, a->bytes, arc));
}
static void add_values(void *what, uint64_t begin, uint64_t end) { for_arcs(what, begin, end, add_value); }

static void sum_rows(uint64_t sums[SUMS], arcs_of *a, mg_range rows, mg_range_fn *add) {
    uint64_t count = rows.end - rows.begin;
    a->first = rows.begin;
    memset(a->sums, 0, sizeof a->sums);
    mg_for(a->w->ctx, mg_threads(a->w->ctx, a->rows->arcs, GRAIN), count, add, a);
    for (int i = 0; i < SUMS; i++) sums[i] += a->sums[i];
}

static mg_range share_of(const mg_pregel_worker *w, uint64_t count) {
    return mg_share(count, (int)w->me, (int)w->workers);
}

static meguri_status sum_whole_arcs(uint64_t sums[SUMS], mg_pregel_worker *w) {
    const meguri_graph *g = w->run->graph;
    arcs_of a = {.w = w, .rows = &w->out, .weight_type = g->weight_type};
    mg_range rows = share_of(w, w->out.rows);
    meguri_status status = MEGURI_OK;
    sum_rows(sums, &a, rows, add_arcs);
    for (uint32_t c = 0; c < mg_graph_column_count(g) && status == MEGURI_OK; c++) {
        mg_column_view view;
        status = mg_graph_column(&view, w->ctx, g, c, true);
        if (status != MEGURI_OK) break;
        a.values = view.values;
        a.bytes = meguri_type_bytes(mg_code_type(view.what.code));
        a.seed = mg_column_seed(view.name, mg_code_type(view.what.code));
        sum_rows(sums, &a, rows, add_values);
    }
    return status;
}

/* All processes ask for the values of a column together. */
static meguri_status sum_arcs_in_parts(uint64_t sums[SUMS], mg_pregel_worker *w) {
    mg_shards *s = w->run->parts->shards;
    meguri_status status = MEGURI_OK;
    for (int t = 0; t < s->layout.tiles; t++) {
        const mg_tile *tile = &s->tile[t];
        arcs_of a = {.w = w, .tile = tile, .rows = &tile->in, .weight_type = s->weight_type};
        const mg_range rows = {0, tile->in.rows};
        sum_rows(sums, &a, rows, add_arcs);
        for (uint32_t c = 0; c < s->column_count && status == MEGURI_OK; c++) {
            void *values;
            status = mg_shards_column_values(&values, w->ctx, s, &s->columns[c], t);
            if (status != MEGURI_OK) break;
            a.values = values;
            a.bytes = meguri_type_bytes(s->columns[c].type);
            a.seed = mg_column_seed(s->columns[c].name, s->columns[c].type);
            sum_rows(sums, &a, rows, add_values);
            mg_free(values);
        }
    }
    return status;
}

/* ---- vertices --------------------------------------------------------------------------------------------------- */

static uint64_t sum_order(const uint32_t *internal, mg_range positions) {
    uint64_t sum = 0;
    for (uint64_t p = positions.begin; p < positions.end; p++)
        sum += mg_mix(p, internal ? internal[p - positions.begin] : p);
    return sum;
}

static meguri_status sum_whole_vertices(uint64_t sums[SUMS], mg_pregel_worker *w) {
    const meguri_graph *g = w->run->graph;
    mg_ids_of ids = {.positions = share_of(w, g->vertices), .kind = g->id_kind, .id_base = g->id_base};
    const void *numbers = NULL, *offsets = NULL, *names = NULL;
    meguri_status status = mg_graph_part(&numbers, w->ctx, g, MG_PART_IDS);
    if (status == MEGURI_OK) status = mg_graph_part(&offsets, w->ctx, g, MG_PART_NAME_OFFSETS);
    if (status == MEGURI_OK) status = mg_graph_part(&names, w->ctx, g, MG_PART_NAMES);
    if (status == MEGURI_OK) status = mg_vertex_columns_sum(&sums[VERTEX_COLUMNS], w->ctx, g, ids.positions);
    if (status != MEGURI_OK) return status;
    uint64_t first = ids.positions.begin;
    if (numbers) ids.ids = (const uint64_t *)numbers + first;
    if (g->id_kind == MEGURI_ID_STRING && offsets) {
        ids.name_offsets = (const uint64_t *)offsets + first;
        ids.names = (const char *)names + ids.name_offsets[0];
    }
    const uint32_t *internal = w->numbering.to_internal;
    sums[IDS] = mg_ids_sum(w->ctx, &ids);
    sums[ORDER] = sum_order(internal ? internal + first : NULL, ids.positions);
    return MEGURI_OK;
}

static void sum_vertices_in_parts(uint64_t sums[SUMS], mg_pregel_worker *w) {
    const mg_shards *s = w->run->parts->shards;
    const mg_ids_of ids = {.positions = s->home,
                           .kind = s->id_kind,
                           .ids = s->ids,
                           .id_base = s->id_base,
                           .name_offsets = s->name_offsets,
                           .names = s->names};
    sums[IDS] = mg_ids_sum(w->ctx, &ids);
    sums[VERTEX_COLUMNS] = s->vertex_sum;
    sums[ORDER] = sum_order(s->has_order ? s->internal : NULL, s->home);
}

/* ---- the program ------------------------------------------------------------------------------------------------ */

static uint64_t hash_text(const char *text, uint64_t hash) {
    return text ? XXH64(text, strlen(text) + 1, hash) : hash + 1;
}

/* As checkpoints have numbered the types of outputs from the first one on. */
static uint64_t output_code(meguri_type type) {
    static const uint8_t codes[] = {[MEGURI_TYPE_I8] = 1,  [MEGURI_TYPE_I16] = 2, [MEGURI_TYPE_I32] = 3,
                                    [MEGURI_TYPE_U64] = 4, [MEGURI_TYPE_F64] = 5, [MEGURI_TYPE_VERTEX] = 6};
    return codes[type];
}

static uint64_t hash_programs(const mg_run *run) {
    uint64_t hash = run->programs->count;
    for (uint32_t i = 0; i < run->programs->count; i++) {
        const meguri_program *p = run->programs->programs[i];
        const uint64_t facts[] = {p->value_bytes,   p->message_bytes,    mg_type_code((meguri_type)p->edge_type),
                                  p->parcel_bytes,  p->globals_bytes,    p->answer_bytes,
                                  p->output_count,  p->aggregator_count, (uint64_t)p->any_order,
                                  p->max_supersteps};
        hash = XXH64(facts, sizeof facts, hash_text(p->edge_column, hash_text(p->name, hash)));
        for (uint32_t k = 0; k < p->output_count; k++) {
            const uint64_t column[] = {output_code(p->outputs[k].type), p->outputs[k].offset};
            hash = XXH64(column, sizeof column, hash_text(p->outputs[k].name, hash));
        }
        for (uint32_t k = 0; k < p->aggregator_count; k++) {
            const uint64_t total[] = {(uint64_t)p->aggregators[k].kind, p->aggregators[k].bytes};
            hash = XXH64(total, sizeof total, hash);
        }
    }
    return hash;
}

static uint64_t hash_arguments(const mg_run *run) {
    uint64_t hash = (uint64_t)run->options.argc;
    for (int i = 0; i < run->options.argc; i++) hash = hash_text(run->options.argv[i], hash);
    return hash;
}

/* ---- all of it -------------------------------------------------------------------------------------------------- */

static bool reads_in_order(const mg_run *run) {
    for (uint32_t i = 0; i < run->programs->count; i++)
        if (run->programs->programs[i]->any_order) return true;
    return false;
}

static uint64_t known(uint64_t hash) { return hash ? hash : 1; }

meguri_status mg_identity_of(mg_identity *out, mg_pregel_worker *w) {
    const mg_run *run = w->run;
    const meguri_graph *g = run->graph;
    uint64_t sums[SUMS] = {0}, *item = out->item;
    meguri_status status = run->parts ? sum_arcs_in_parts(sums, w) : sum_whole_arcs(sums, w);
    if (run->parts) sum_vertices_in_parts(sums, w);
    else if (status == MEGURI_OK) status = sum_whole_vertices(sums, w);
    status = mg_pregel_agree(w, status);
    if (status == MEGURI_OK && w->cluster)
        status = mg_reduce_u64(w->ctx, w->cluster, &w->cluster->all, sums, SUMS, MG_SUM);
    if (status != MEGURI_OK) return status;
    const uint64_t shape[] = {g->vertices, g->arcs, g->directed};
    bool all = !run->parts || run->parts->shards->of_programs;
    *out = (mg_identity){{0}};
    item[MG_IDENTITY_SHAPE] = known(XXH64(shape, sizeof shape, 0));
    item[MG_IDENTITY_ARCS] = known(sums[ARCS]);
    item[MG_IDENTITY_WEIGHTS] = known(sums[WEIGHTS]);
    item[MG_IDENTITY_IDS] = known(sums[IDS]);
    if (all) item[MG_IDENTITY_EDGE_COLUMNS] = known(sums[EDGE_COLUMNS]);
    if (all) item[MG_IDENTITY_VERTEX_COLUMNS] = known(sums[VERTEX_COLUMNS]);
    if (all && reads_in_order(run)) item[MG_IDENTITY_ORDER] = known(sums[ORDER]);
    item[MG_IDENTITY_ABI] = MEGURI_PREGEL_ABI;
    item[MG_IDENTITY_PROGRAMS] = known(hash_programs(run));
    item[MG_IDENTITY_TEXT] = run->options.file ? known(run->options.file->text) : 0;
    item[MG_IDENTITY_COMPILER] = run->options.file ? run->options.file->compiler : 0;
    item[MG_IDENTITY_ARGUMENTS] = known(hash_arguments(run));
    return MEGURI_OK;
}
