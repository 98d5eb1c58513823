/* From a drawing to edges: blocks of about a million edges, drawn in parallel, each by one thread.
 *
 * Invariant: what a block holds depends on its number alone, so the graph does not depend on which thread was first. */
#include "gen/gen.h"

enum {
    BLOCK_UNITS = 1 << 20, /* of one edge each; fewer of larger ones */
    PIECE_UNITS = 1 << 16  /* between two looks at the progress: a few hundred microseconds */
};

/* ---- options ---------------------------------------------------------------------------------------------------- */

meguri_status mg_check_scale(meguri_ctx *ctx, uint32_t scale, bool in_parts) {
    uint32_t most = in_parts ? MG_DRAWN_SCALE_IN_PARTS : MG_DRAWN_SCALE;
    if (scale >= 1 && scale <= most) return MEGURI_OK;
    if (scale > most && scale <= MG_DRAWN_SCALE_IN_PARTS)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT,
                       "a scale of %u is not possible in one process: choose 1 to %u for 2^scale vertices, or give a "
                       "layout, with which they lie in parts on a cluster (up to %u).",
                       scale, most, MG_DRAWN_SCALE_IN_PARTS);
    return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "a scale of %u is not possible: choose 1 to %u for 2^scale vertices.",
                   scale, most);
}

meguri_status mg_count_drawn(uint64_t *edges, meguri_ctx *ctx, uint32_t scale, uint32_t edge_factor) {
    if (!edge_factor) edge_factor = 16;
    if (!__builtin_mul_overflow((uint64_t)1 << scale, (uint64_t)edge_factor, edges)) return MEGURI_OK;
    return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "%u edges for each of 2^%u vertices are more than there are numbers for.",
                   edge_factor, scale);
}

meguri_status mg_check_drawn_weights(meguri_ctx *ctx, meguri_type type) {
    if (type == MEGURI_TYPE_NONE || type == MEGURI_TYPE_U32 || type == MEGURI_TYPE_F32) return MEGURI_OK;
    return mg_fail(ctx, MEGURI_BAD_ARGUMENT,
                   "weights of type %d are not drawn: choose none, u32 (1 to 255) or f32 (0 to 1).", (int)type);
}

meguri_status mg_check_no_layout(meguri_ctx *ctx, const meguri_build_options *build) {
    if (!build->layout) return MEGURI_OK;
    return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "pairs of ids lie in the memory of one process: leave the layout out.");
}

/* ---- weights ---------------------------------------------------------------------------------------------------- */

void mg_draw_weights(void *weights, meguri_type type, uint64_t key, uint64_t begin, uint64_t end) {
    if (type == MEGURI_TYPE_U32)
        for (uint64_t i = begin; i < end; i++)
            ((uint32_t *)weights)[i - begin] = 1 + (uint32_t)mg_random_below(mg_random(key, i), 255);
    if (type == MEGURI_TYPE_F32)
        for (uint64_t i = begin; i < end; i++)
            ((float *)weights)[i - begin] = (float)(mg_random(key, i) >> 40) * 0x1p-24f;
}

/* ---- blocks ----------------------------------------------------------------------------------------------------- */

/* Draws the units [begin, end) to the given place, a piece at a time; *count edges. */
static meguri_status draw_range(meguri_ctx *ctx, const mg_drawing *d, uint32_t *ends, char *weights, uint64_t begin,
                                uint64_t end, uint64_t *done, uint64_t *count) {
    size_t weight_size = meguri_type_bytes(d->weights);
    *count = 0;
    for (uint64_t first = begin; first < end; first += PIECE_UNITS) {
        uint64_t past = MG_MIN(end, first + PIECE_UNITS);
        *count += d->draw(d, ends + 2 * *count, weights ? weights + weight_size * *count : NULL, first, past);
        uint64_t all_done = mg_fetch_add(done, past - first) + (past - first);
        if (mg_progress(ctx, "generating", all_done, d->units)) return mg_fail_cancelled(ctx);
    }
    return MEGURI_OK;
}

/* What the threads of a drawing share. */
typedef struct draw_job {
    const mg_drawing *d;
    mg_edges *edges; /* that blocks go to, */
    uint32_t *pairs; /* or an array of all of them */
    uint64_t place;  /* of the first block */
    uint64_t done;
} draw_job;

static meguri_status draw_block(meguri_ctx *ctx, draw_job *job, uint64_t begin, uint64_t end) {
    const mg_drawing *d = job->d;
    mg_edge_block block = {.place = job->place + begin, .id_bytes = 4, .weight_type = d->weights};
    uint64_t most = (end - begin) * d->edges_per_unit;
    meguri_status status = MEGURI_NO_MEMORY;
    block.ends = mg_alloc_array(ctx, most, 2 * sizeof(uint32_t), "generated edges");
    if (!block.ends) goto cleanup;
    if (d->weights != MEGURI_TYPE_NONE) {
        block.weights = mg_alloc_array(ctx, most, meguri_type_bytes(d->weights), "generated weights");
        if (!block.weights) goto cleanup;
    }
    status = draw_range(ctx, d, block.ends, block.weights, begin, end, &job->done, &block.count);
    if (status != MEGURI_OK) goto cleanup;
    mg_trim(block.ends, block.count * 2 * sizeof(uint32_t));
    if (block.weights) mg_trim(block.weights, block.count * meguri_type_bytes(d->weights));
    return mg_edges_add(ctx, job->edges, &block);

cleanup:
    mg_free(block.ends);
    mg_free(block.weights);
    return status;
}

static void draw_some_blocks(void *what, mg_worker *worker) {
    draw_job *job = what;
    for (mg_range units; mg_take(worker, &units);)
        mg_loop_fail(worker, draw_block(worker->loop->ctx, job, units.begin, units.end));
}

static meguri_status draw_blocks(meguri_ctx *ctx, mg_edges *edges, const mg_drawing *d, uint64_t place) {
    double since = mg_now();
    uint64_t before = mg_edges_count(edges);
    draw_job job = {.d = d, .edges = edges, .place = place};
    mg_loop loop = {.ctx = ctx,
                    .threads = mg_threads(ctx, d->units, PIECE_UNITS),
                    .items = d->units,
                    .chunk = BLOCK_UNITS / d->edges_per_unit,
                    .work = draw_some_blocks,
                    .what = &job};
    meguri_status status = mg_loop_run(&loop);
    uint64_t drawn = mg_edges_count(edges) - before;
    mg_trace_phase(ctx, "gen", "edges", (int64_t)drawn, (int64_t)(drawn * (8 + meguri_type_bytes(d->weights))), since);
    return status;
}

meguri_status mg_draw_graph(meguri_graph **out, meguri_ctx *ctx, const mg_drawing *const *drawings, int count,
                            uint64_t vertices, const meguri_build_options *build) {
    mg_edges *edges = NULL;
    uint64_t place = 0;
    double bytes = 0;
    for (int i = 0; i < count; i++)
        bytes += (double)drawings[i]->units * drawings[i]->edges_per_unit *
                 (double)(8 + meguri_type_bytes(drawings[i]->weights));
    meguri_status status = mg_edges_expect(ctx, bytes < 1e18 ? (uint64_t)bytes : (uint64_t)1000000000000000000);
    if (status == MEGURI_OK) status = mg_edges_new(&edges, ctx);
    if (status == MEGURI_OK) mg_edges_declare_weights(edges, drawings[0]->weights);
    if (status == MEGURI_OK) status = mg_edges_declare(ctx, edges, 0, vertices);
    for (int i = 0; i < count && status == MEGURI_OK; place += drawings[i++]->units)
        status = draw_blocks(ctx, edges, drawings[i], place);
    if (status == MEGURI_OK) status = mg_graph_build(out, ctx, edges, build);
    mg_edges_free(edges);
    return status;
}

static void draw_some_pairs(void *what, mg_worker *worker) {
    draw_job *job = what;
    uint64_t drawn;
    for (mg_range units; mg_take(worker, &units);)
        mg_loop_fail(worker, draw_range(worker->loop->ctx, job->d, job->pairs + 2 * units.begin, NULL, units.begin,
                                        units.end, &job->done, &drawn));
}

meguri_status mg_draw_pairs(uint32_t **out, meguri_ctx *ctx, const mg_drawing *d) {
    double since = mg_now();
    draw_job job = {.d = d, .pairs = mg_alloc_array(ctx, d->units, 2 * sizeof *job.pairs, "generated edges")};
    if (!job.pairs) return MEGURI_NO_MEMORY;
    mg_loop loop = {.ctx = ctx,
                    .threads = mg_threads(ctx, d->units, PIECE_UNITS),
                    .items = d->units,
                    .chunk = PIECE_UNITS,
                    .work = draw_some_pairs,
                    .what = &job};
    meguri_status status = mg_loop_run(&loop);
    mg_trace_phase(ctx, "gen", "edges", (int64_t)d->units, (int64_t)(d->units * 8), since);
    if (status == MEGURI_OK) *out = job.pairs;
    else mg_free(job.pairs);
    return status;
}

void mg_recipe_free(mg_recipe *recipe) {
    mg_free(recipe->owned[0]);
    mg_free(recipe->owned[1]);
    *recipe = (mg_recipe){0};
}

/* ---- edges without a graph -------------------------------------------------------------------------------------- */

struct meguri_drawing {
    mg_recipe recipe; /* of one drawing, with an edge in each unit */
};

/* Hands out what a recipe was made for, or takes it apart. */
static meguri_status hand_drawing(meguri_drawing **out, meguri_ctx *ctx, meguri_status status, mg_recipe *recipe) {
    if (status == MEGURI_OK) status = mg_check_no_layout(ctx, &recipe->build);
    meguri_drawing *drawing = status == MEGURI_OK ? mg_alloc(ctx, sizeof *drawing, "a generator") : NULL;
    if (status == MEGURI_OK && !drawing) status = MEGURI_NO_MEMORY;
    if (status != MEGURI_OK) {
        mg_recipe_free(recipe);
        return status;
    }
    drawing->recipe = *recipe;
    *out = drawing;
    return MEGURI_OK;
}

meguri_status meguri_draw_kronecker(meguri_drawing **out, meguri_ctx *ctx, const meguri_kronecker_options *options) {
    if (out) *out = NULL;
    if (!out || !ctx) return mg_missing(ctx, __func__);
    mg_begin(ctx);
    mg_recipe recipe;
    meguri_status status = mg_kronecker_recipe(&recipe, ctx, options);
    return hand_drawing(out, ctx, status, &recipe);
}

meguri_status meguri_draw_rmat(meguri_drawing **out, meguri_ctx *ctx, const meguri_rmat_options *options) {
    if (out) *out = NULL;
    if (!out || !ctx) return mg_missing(ctx, __func__);
    mg_begin(ctx);
    mg_recipe recipe;
    meguri_status status = mg_rmat_recipe(&recipe, ctx, options);
    return hand_drawing(out, ctx, status, &recipe);
}

meguri_status meguri_draw_uniform(meguri_drawing **out, meguri_ctx *ctx, const meguri_uniform_options *options) {
    if (out) *out = NULL;
    if (!out || !ctx) return mg_missing(ctx, __func__);
    mg_begin(ctx);
    mg_recipe recipe;
    meguri_status status = mg_uniform_recipe(&recipe, ctx, options);
    return hand_drawing(out, ctx, status, &recipe);
}

meguri_status meguri_drawing_get_info(meguri_drawing_info *out, const meguri_drawing *drawing) {
    if (!out || !drawing) return MEGURI_BAD_ARGUMENT;
    const mg_drawing *d = drawing->recipe.drawings[0];
    const meguri_drawing_info info = {
        .size = sizeof info, .vertices = drawing->recipe.vertices, .edges = d->units, .weights = d->weights};
    return mg_hand_out(NULL, out, sizeof info, &info, NULL);
}

meguri_status meguri_draw_edges(uint32_t *ends, void *weights, const meguri_drawing *drawing, uint64_t begin,
                                uint64_t end) {
    if (!ends || !drawing) return MEGURI_BAD_ARGUMENT;
    const mg_drawing *d = drawing->recipe.drawings[0];
    if (begin > end || end > d->units) return MEGURI_BAD_ARGUMENT;
    d->draw(d, ends, d->weights == MEGURI_TYPE_NONE ? NULL : weights, begin, end);
    return MEGURI_OK;
}

void meguri_drawing_free(meguri_drawing *drawing) {
    if (!drawing) return;
    mg_recipe_free(&drawing->recipe);
    mg_free(drawing);
}
