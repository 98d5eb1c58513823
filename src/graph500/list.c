/* The edge list, drawn twice.
 *
 * Kernel 1 gets it as pairs of ids in blocks, whole in memory, and consumes it: blocks are given back as their arcs
 * find their rows, so that list and graph do not lie in memory side by side. The validation needs the list again, and
 * because an edge is a function of seed and number alone (gen/random.h) it can be drawn again: once, into as few bytes
 * an edge as its two ids take, if there is memory for that; else anew at every look, for twice the time. A weight is
 * a single random number, made as fast as it could be read: the validation draws weights at every look. */
#include "graph500/graph500.h"

enum {
    BLOCK_EDGES = 1 << 20,
    PIECE_EDGES = 1 << 15 /* between two looks at the progress */
};

/* ---- generation ------------------------------------------------------------------------------------------------- */

static uint64_t block_end(const mg_graph500_list *list, uint64_t block) {
    return MG_MIN(list->view.count, (block + 1) * BLOCK_EDGES);
}

static meguri_status draw_block(meguri_ctx *ctx, mg_graph500_list *list, uint64_t block, uint64_t *done) {
    uint64_t first = block * BLOCK_EDGES, end = block_end(list, block);
    uint32_t *pairs = mg_alloc_array(ctx, end - first, 2 * sizeof *pairs, "the edge list");
    list->blocks[block] = pairs;
    if (!pairs) return MEGURI_NO_MEMORY;
    float *weights = NULL;
    if (list->weights) {
        weights = list->weights[block] =
            mg_alloc_array(ctx, end - first, sizeof *weights, "the weights of the edge list");
        if (!weights) return MEGURI_NO_MEMORY;
    }
    for (uint64_t at = first; at < end; at += PIECE_EDGES) {
        uint64_t piece_end = MG_MIN(end, at + PIECE_EDGES);
        list->drawing->draw(list->drawing, pairs + 2 * (at - first), weights ? weights + (at - first) : NULL, at,
                            piece_end);
        if (mg_progress(ctx, "generating", mg_fetch_add(done, piece_end - at), list->view.count))
            return mg_fail_cancelled(ctx);
    }
    return MEGURI_OK;
}

/* Bytes of an edge in the blocks. */
static uint64_t edge_size(const mg_graph500_list *list) { return 8 + meguri_type_bytes(list->drawing->weights); }

typedef struct block_job {
    mg_graph500_list *list;
    mg_edges *edges; /* that blocks are given to */
    uint64_t done;
} block_job;

static void draw_some_blocks(void *what, mg_worker *worker) {
    block_job *job = what;
    for (mg_range block; mg_take(worker, &block);)
        mg_loop_fail(worker, draw_block(worker->loop->ctx, job->list, block.begin, &job->done));
}

static meguri_status draw_blocks(meguri_ctx *ctx, mg_graph500_list *list) {
    double since = mg_now();
    uint64_t edges = list->view.count;
    block_job job = {.list = list};
    mg_loop loop = {.ctx = ctx,
                    .threads = mg_threads(ctx, edges, PIECE_EDGES),
                    .items = list->block_count,
                    .chunk = 1,
                    .work = draw_some_blocks,
                    .what = &job};
    meguri_status status = mg_loop_run(&loop);
    mg_trace_phase(ctx, "gen", "edges", (int64_t)edges, (int64_t)(edges * edge_size(list)), since);
    return status;
}

static const uint32_t *look_drawn(const mg_edge_view *self, uint32_t room[2 * MG_LOOK], uint64_t begin, uint64_t end) {
    const mg_drawing *drawing = ((const mg_graph500_list *)self)->drawing;
    drawing->draw(drawing, room, NULL, begin, end);
    return room;
}

static const float *weigh_drawn(const mg_edge_view *self, float room[MG_LOOK], uint64_t begin, uint64_t end) {
    mg_kronecker_weights(((const mg_graph500_list *)self)->drawing, room, begin, end);
    return room;
}

/* Before any work, and about all of it: a block is never too large. */
static meguri_status check_memory(meguri_ctx *ctx, const mg_graph500_list *list) {
    char needed[MG_SIZE_TEXT], left[MG_SIZE_TEXT];
    uint64_t room = mg_memory_left(ctx), edges = list->view.count, size = edge_size(list);
    if (edges <= room / size) return MEGURI_OK;
    return mg_fail(
        ctx, MEGURI_NO_MEMORY,
        "not enough memory for the edge list: it takes %s, and %s of the budget is left; allow more memory or "
        "choose a smaller scale.",
        mg_size_text(needed, edges > UINT64_MAX / size ? UINT64_MAX : edges * size), mg_size_text(left, room));
}

meguri_status mg_graph500_list_new(mg_graph500_list *out, meguri_ctx *ctx, const meguri_graph500_options *options,
                                   bool weighted) {
    meguri_kronecker_options o = {.size = sizeof o,
                                  .scale = options->scale,
                                  .edge_factor = options->edge_factor,
                                  .seed = options->seed,
                                  .weights = weighted ? MEGURI_TYPE_F32 : MEGURI_TYPE_NONE};
    *out = (mg_graph500_list){.scale = options->scale, .view = {.look = look_drawn, .weigh = weigh_drawn}};
    meguri_status status = mg_kronecker_new(&out->drawing, ctx, &o);
    if (status != MEGURI_OK) return status;
    out->view.count = out->drawing->units;
    status = check_memory(ctx, out);
    if (status != MEGURI_OK) goto cleanup;
    out->block_count = (out->view.count + BLOCK_EDGES - 1) / BLOCK_EDGES;
    out->blocks = mg_alloc_array_zero(ctx, out->block_count, sizeof *out->blocks, "the blocks of the edge list");
    if (out->blocks && weighted)
        out->weights = mg_alloc_array_zero(ctx, out->block_count, sizeof *out->weights, "the blocks of the edge list");
    status = out->blocks && (out->weights || !weighted) ? draw_blocks(ctx, out) : MEGURI_NO_MEMORY;
cleanup:
    if (status != MEGURI_OK) mg_graph500_list_free(out);
    return status;
}

void mg_graph500_list_free(mg_graph500_list *list) {
    for (uint64_t k = 0; list->blocks && k < list->block_count; k++) mg_free(list->blocks[k]);
    for (uint64_t k = 0; list->weights && k < list->block_count; k++) mg_free(list->weights[k]);
    mg_free(list->blocks);
    mg_free(list->weights);
    mg_free(list->packed);
    mg_kronecker_free(list->drawing);
    *list = (mg_graph500_list){0};
}

/* ---- kernel 1 --------------------------------------------------------------------------------------------------- */

/* The blocks change hands. */
static void give_some_blocks(void *what, mg_worker *worker) {
    const block_job *job = what;
    mg_graph500_list *list = job->list;
    for (mg_range chunk; mg_take(worker, &chunk);) {
        uint64_t k = chunk.begin;
        mg_edge_block block = {.count = block_end(list, k) - k * BLOCK_EDGES, .id_bytes = 4, .ends = list->blocks[k]};
        list->blocks[k] = NULL;
        if (list->weights) {
            block.weights = list->weights[k];
            block.weight_type = MEGURI_TYPE_F32;
            list->weights[k] = NULL;
        }
        mg_loop_fail(worker, mg_edges_add(worker->loop->ctx, job->edges, &block));
    }
}

static meguri_status give_blocks(meguri_ctx *ctx, mg_edges *edges, mg_graph500_list *list) {
    block_job job = {.list = list, .edges = edges};
    mg_loop loop = {.ctx = ctx,
                    .threads = mg_threads(ctx, list->view.count, PIECE_EDGES),
                    .items = list->block_count,
                    .chunk = 1,
                    .work = give_some_blocks,
                    .what = &job,
                    .phase = "looking at edges",
                    .total = list->block_count};
    return mg_loop_run(&loop);
}

meguri_status mg_graph500_list_build(meguri_graph **out, meguri_ctx *ctx, mg_graph500_list *list) {
    meguri_build_options options = {
        .size = sizeof options, .direction = MEGURI_UNDIRECTED, .order = MEGURI_ORDER_DEGREE};
    mg_edges *edges = NULL;
    meguri_status status = mg_edges_new(&edges, ctx);
    if (status == MEGURI_OK) mg_edges_declare_weights(edges, list->drawing->weights);
    if (status == MEGURI_OK) status = give_blocks(ctx, edges, list);
    if (status == MEGURI_OK) status = mg_edges_declare(ctx, edges, 0, (uint64_t)1 << list->scale);
    if (status == MEGURI_OK) status = mg_graph_build(out, ctx, edges, &options);
    mg_edges_free(edges);
    /* Whole numbers would be stored as such; in [0, 1) there is but one. */
    if (status == MEGURI_OK && (*out)->weight_type != list->drawing->weights)
        status =
            mg_fail(ctx, MEGURI_BAD_INPUT, "all weights that were drawn are 0: choose another seed or a larger scale.");
    return status;
}

/* ---- packed ----------------------------------------------------------------------------------------------------- */

/* An edge is a number of 2 * scale bits, the first id in the lower half, in as many whole bytes as that takes. Words of
 * eight bytes are read and written at any byte; those that are read may reach beyond the last edge. */
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the bytes of an edge are the lower ones of a little-endian word"
#endif
enum { BEYOND = 8 };

static const uint32_t *look_packed(const mg_edge_view *self, uint32_t room[2 * MG_LOOK], uint64_t begin, uint64_t end) {
    const mg_graph500_list *list = (const mg_graph500_list *)self;
    const char *from = list->packed + begin * list->edge_bytes;
    const uint32_t scale = list->scale, bytes = list->edge_bytes, mask = ((uint32_t)1 << scale) - 1;
    for (uint64_t i = 0; i < end - begin; i++, from += bytes) {
        uint64_t edge;
        memcpy(&edge, from, sizeof edge);
        room[2 * i] = (uint32_t)edge & mask;
        room[2 * i + 1] = (uint32_t)(edge >> scale) & mask;
    }
    return room;
}

/* A word is written whole where the bytes behind the edge are overwritten by the next ones anyway. */
static void pack(mg_graph500_list *list, const uint32_t *ends, uint64_t begin, uint64_t end, const char *piece_end) {
    const uint32_t scale = list->scale, bytes = list->edge_bytes;
    char *to = list->packed + begin * bytes;
    for (uint64_t i = 0; i < end - begin; i++, to += bytes) {
        uint64_t edge = ends[2 * i] | (uint64_t)ends[2 * i + 1] << scale;
        memcpy(to, &edge, piece_end - to >= 8 ? 8 : bytes);
    }
}

static void draw_pieces(void *what, mg_worker *worker) {
    mg_graph500_list *list = what;
    for (mg_range piece; mg_take(worker, &piece);) {
        uint32_t room[2 * MG_LOOK];
        for (uint64_t at = piece.begin; at < piece.end; at += MG_LOOK) {
            uint64_t end = MG_MIN(piece.end, at + MG_LOOK);
            pack(list, look_drawn(&list->view, room, at, end), at, end, list->packed + piece.end * list->edge_bytes);
        }
    }
}

static meguri_status draw_packed(meguri_ctx *ctx, mg_graph500_list *list) {
    uint64_t count = list->view.count;
    mg_loop loop = {.ctx = ctx,
                    .threads = mg_threads(ctx, count, PIECE_EDGES),
                    .items = count,
                    .chunk = PIECE_EDGES,
                    .work = draw_pieces,
                    .what = list,
                    .phase = "drawing again",
                    .total = count};
    return mg_loop_run(&loop);
}

meguri_status mg_graph500_list_pack(meguri_ctx *ctx, mg_graph500_list *list) {
    double since = mg_now();
    list->edge_bytes = (2 * list->scale + 7) / 8;
    uint64_t bytes = list->view.count * list->edge_bytes + BEYOND;
    if (bytes > mg_memory_left(ctx) / 8 * 7) return MEGURI_OK;
    list->packed = mg_alloc(ctx, bytes, "the edge list for the validation");
    if (!list->packed) return MEGURI_NO_MEMORY;
    memset(list->packed + bytes - BEYOND, 0, BEYOND);
    meguri_status status = draw_packed(ctx, list);
    if (status == MEGURI_OK) list->view.look = look_packed;
    mg_trace_phase(ctx, "graph500", "pack", (int64_t)list->view.count, (int64_t)bytes, since);
    return status;
}
