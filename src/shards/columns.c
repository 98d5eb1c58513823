/* Columns of the edges of a graph in parts, which vertex programs read.
 *
 * They stay in the order of the arcs of the graph that this one was made of, of which every process keeps a range. Arcs
 * travel to their tiles with their numbers instead of weights; when they are there, weights, and later the values of a
 * column, are asked of who keeps them. */
#include "shards/shards.h"

/* Questions: numbers of arcs. */
typedef struct kept {
    mg_range arcs;
    uint64_t all; /* arcs of the graph */
    int processes;
    const char *items;
    size_t bytes;
} kept;

static int keeper_of(const void *user, const void *question) {
    const kept *k = user;
    return mg_home(k->all, k->processes, *(const uint64_t *)question);
}

static bool answer(const void *user, void *answers, const void *questions, uint64_t count) {
    const kept *k = user;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t arc = ((const uint64_t *)questions)[i];
        if (arc < k->arcs.begin || arc >= k->arcs.end) return false;
        memcpy((char *)answers + i * k->bytes, k->items + (arc - k->arcs.begin) * k->bytes, k->bytes);
    }
    return true;
}

static uint64_t number_at(const void *numbers, meguri_type as, uint64_t i) {
    return as == MEGURI_TYPE_U32 ? ((const uint32_t *)numbers)[i] : (uint64_t)((const double *)numbers)[i];
}

/* items[i] becomes that of the arc numbers[i]. */
static meguri_status ask(void **items, meguri_ctx *ctx, mg_shards *s, const kept *k, const void *numbers,
                         uint64_t count) {
    const char *what = "values of edges";
    const mg_keepers keepers = {.cluster = s->cluster,
                                .question_bytes = sizeof(uint64_t),
                                .answer_bytes = k->bytes,
                                .keeper = keeper_of,
                                .answer = answer,
                                .user = k,
                                .what = what};
    uint64_t *questions = mg_alloc_array(ctx, count, sizeof *questions, what);
    bool known = true;
    *items = mg_alloc_array(ctx, count, k->bytes, what);
    meguri_status status = questions && *items ? MEGURI_OK : MEGURI_NO_MEMORY;
    for (uint64_t i = 0; i < count && status == MEGURI_OK; i++) {
        questions[i] = number_at(numbers, s->numbers_as, i);
        known &= questions[i] < k->all;
    }
    if (status == MEGURI_OK && !known) status = mg_strange(ctx, s->cluster, "arcs that the graph does not have");
    status = mg_agree(ctx, s->cluster, status);
    if (status == MEGURI_OK) status = mg_ask(ctx, &keepers, questions, *items, count);
    mg_free(questions);
    if (status == MEGURI_OK) return MEGURI_OK;
    mg_free(*items);
    *items = NULL;
    return status;
}

static kept kept_of(const mg_shards *s, const void *items, size_t bytes) {
    return (kept){mg_share(s->arcs, s->cluster->rank, s->cluster->size), s->arcs, s->cluster->size, items, bytes};
}

/* ---- keeping ---------------------------------------------------------------------------------------------------- */

bool mg_shards_keep_columns(const meguri_graph *graph, const meguri_layout *layout) {
    return layout->programs && mg_graph_column_count(graph) > 0;
}

meguri_type mg_shards_numbers_as(const meguri_graph *graph) {
    return graph->arcs > UINT32_MAX ? MEGURI_TYPE_F64 : MEGURI_TYPE_U32;
}

static meguri_status take_column(meguri_ctx *ctx, mg_shards *s, const meguri_graph *graph, uint32_t column) {
    mg_range mine = mg_share(graph->arcs, s->cluster->rank, s->cluster->size);
    mg_shards_column *to = &s->columns[column];
    mg_column_view view;
    const void *data = NULL;
    meguri_status status = mg_graph_column(&view, ctx, graph, column, false);
    if (status != MEGURI_OK) return status;
    size_t bytes = meguri_type_bytes(mg_code_type(view.what.code)), length = strlen(view.name) + 1;
    status = mg_graph_part_range(&data, ctx, graph, mg_column_part(graph, MG_OF_EDGES, column, MG_COLUMN_VALUES),
                                 mine.begin * bytes, mine.end * bytes);
    if (status != MEGURI_OK) return status;
    to->type = mg_code_type(view.what.code);
    to->nullable = graph->part[mg_column_part(graph, MG_OF_EDGES, column, MG_COLUMN_VALIDITY)].data != NULL;
    to->name = mg_alloc(ctx, length, "columns of edges");
    to->values = mg_alloc_array(ctx, mine.end - mine.begin, bytes, "columns of edges");
    if (!to->name || !to->values) return MEGURI_NO_MEMORY;
    memcpy(to->name, view.name, length);
    if (mine.begin < mine.end) memcpy(to->values, data, (mine.end - mine.begin) * bytes);
    return MEGURI_OK;
}

/* The range of weights that this process keeps, as tiles have them. */
static meguri_status take_weights(char **out, meguri_ctx *ctx, const mg_shards *s, const meguri_graph *graph) {
    mg_range mine = mg_share(graph->arcs, s->cluster->rank, s->cluster->size);
    size_t bytes = meguri_type_bytes(s->weight_type), from = meguri_type_bytes(graph->weight_type);
    const void *data = NULL;
    meguri_status status = mg_graph_part_range(&data, ctx, graph, MG_PART_WEIGHTS, mine.begin * from, mine.end * from);
    if (status != MEGURI_OK) return status;
    *out = mg_alloc_array(ctx, mine.end - mine.begin, bytes, "weights");
    for (uint64_t i = 0; *out && i < mine.end - mine.begin; i++) {
        if (s->weight_type == MEGURI_TYPE_U32)
            ((uint32_t *)*out)[i] = (uint32_t)mg_weight_at(data, graph->weight_type, i);
        else memcpy(*out + i * bytes, (const char *)data + i * bytes, bytes);
    }
    return *out ? MEGURI_OK : MEGURI_NO_MEMORY;
}

/* Weights in place of the numbers of arcs, which are kept beside the in-rows of a tile. */
static meguri_status put_weights(meguri_ctx *ctx, mg_shards *s, const char *weights) {
    const kept k = kept_of(s, weights, meguri_type_bytes(s->weight_type));
    meguri_status status = MEGURI_OK;
    for (int t = 0; t < s->layout.tiles && status == MEGURI_OK; t++) {
        mg_tile *tile = &s->tile[t];
        const uint64_t arcs[2] = {tile->in.arcs, tile->memory[1].neighbors ? tile->out.arcs : 0};
        tile->numbers = tile->memory[0].weights;
        tile->memory[0].weights = NULL;
        for (int side = 0; side < 2 && status == MEGURI_OK; side++) {
            const void *numbers = side ? tile->memory[1].weights : tile->numbers;
            void *asked = NULL;
            if (weights) status = ask(&asked, ctx, s, &k, numbers, numbers ? arcs[side] : 0);
            if (side) mg_free(tile->memory[1].weights);
            tile->memory[side].weights = asked;
        }
    }
    for (int t = 0; t < s->layout.tiles; t++) {
        mg_tile *tile = &s->tile[t], *other = &s->tile[1 - t];
        tile->in.weights = tile->memory[0].weights;
        if (tile->memory[1].neighbors) tile->out.weights = tile->memory[1].weights;
        else tile->out.weights = (tile->out.neighbors == tile->in.neighbors ? tile : other)->memory[0].weights;
    }
    return status;
}

meguri_status mg_shards_take_columns(meguri_ctx *ctx, mg_shards *s, const meguri_graph *graph,
                                     const meguri_layout *layout, meguri_type as) {
    char *weights = NULL;
    meguri_status status = MEGURI_OK;
    if (!mg_shards_keep_columns(graph, layout)) return MEGURI_OK;
    s->numbers_as = s->weight_type;
    s->weight_type = as;
    s->file_weights = graph->weight_type;
    s->columns = mg_alloc_array_zero(ctx, mg_graph_column_count(graph), sizeof *s->columns, "columns of edges");
    if (!s->columns) status = MEGURI_NO_MEMORY;
    else s->column_count = mg_graph_column_count(graph);
    for (uint32_t c = 0; c < s->column_count && status == MEGURI_OK; c++) status = take_column(ctx, s, graph, c);
    if (status == MEGURI_OK && as != MEGURI_TYPE_NONE) status = take_weights(&weights, ctx, s, graph);
    if (status == MEGURI_OK && s->arcs != graph->arcs)
        status = mg_strange(ctx, s->cluster, "another number of arcs than the graph has");
    status = mg_agree(ctx, s->cluster, status);
    if (status == MEGURI_OK) status = put_weights(ctx, s, weights);
    mg_free(weights);
    return status;
}

/* ---- asking ----------------------------------------------------------------------------------------------------- */

const mg_shards_column *mg_shards_column_named(const mg_shards *s, const char *name) {
    for (uint32_t c = 0; c < s->column_count; c++)
        if (strcmp(s->columns[c].name, name) == 0) return &s->columns[c];
    return NULL;
}

meguri_status mg_shards_column_values(void **out, meguri_ctx *ctx, mg_shards *s, const mg_shards_column *column,
                                      int tile) {
    const kept k = kept_of(s, column->values, meguri_type_bytes(column->type));
    return ask(out, ctx, s, &k, s->tile[tile].numbers, s->tile[tile].in.arcs);
}

void mg_shards_free_columns(mg_shards *s) {
    for (uint32_t c = 0; c < s->column_count; c++) {
        mg_free(s->columns[c].name);
        mg_free(s->columns[c].values);
    }
    mg_free(s->columns);
    for (int t = 0; t < 2; t++) mg_free(s->tile[t].numbers);
}
