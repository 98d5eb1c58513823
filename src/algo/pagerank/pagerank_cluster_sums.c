/* The sums of the rows of a tile of the matrix, on the threads of one process.
 *
 * They are made as on one machine: the arcs cut into small tiles that fit the caches (pagerank_tiles.c). These want
 * columns that increase along each row. In a window the vertices lie owner by owner, and rows list them by rank by
 * degree; so columns are numbered in that order here, hubs of all owners first, and shares are dealt into it. */
#include "algo/pagerank/pagerank_cluster.h"

enum {
    TILES_PAY = 4, /* iterations from which on it pays to cut tiles */
    DEAL = 4096,   /* vertices of each owner that a thread deals at a time */
    LOOK = 1 << 14 /* arcs of a row between two looks at the progress */
};

/* ---- making tiles ----------------------------------------------------------------------------------------------- */

/* The places of a window in the order of the ranks by degree. */
static void deal_columns(meguri_ctx *ctx, uint32_t *to, const mg_rows *in, const mg_window *sources) {
    uint64_t owners = (uint64_t)sources->owners.count, stride = sources->stride;
    int threads = mg_threads(ctx, in->arcs, LOOK);
#pragma omp parallel for num_threads(mg_team(threads)) schedule(static)
    for (uint64_t i = 0; i < in->arcs; i++)
        to[i] = (uint32_t)(in->neighbors[i] % stride * owners + in->neighbors[i] / stride);
}

static meguri_status make_tiles(mg_pagerank_sums *out, meguri_ctx *ctx) {
    const mg_window *sources = out->tile->sources;
    mg_rows in = out->tile->in;
    if (sources->owners.count == 1)
        return mg_pagerank_tiles_new(&out->tiles, ctx, &in, sources->places, out->groups, out->group_count);
    if (in.arcs * sizeof(uint32_t) + sources->places * sizeof(double) > mg_memory_left(ctx)) return MEGURI_OK;
    uint32_t *columns = mg_alloc_array(ctx, in.arcs, sizeof *columns, "the tiles of PageRank");
    out->dealt = mg_alloc_array(ctx, sources->places, sizeof *out->dealt, "the shares of vertices");
    meguri_status status = MEGURI_NO_MEMORY;
    if (columns && out->dealt) {
        deal_columns(ctx, columns, &in, sources);
        in.neighbors = columns;
        status = mg_pagerank_tiles_new(&out->tiles, ctx, &in, sources->places, out->groups, out->group_count);
    }
    mg_free(columns);
    return status;
}

meguri_status mg_pagerank_sums_new(mg_pagerank_sums *out, meguri_ctx *ctx, const mg_tile *tile, uint64_t iterations) {
    *out = (mg_pagerank_sums){.tile = tile};
    meguri_status status = mg_pagerank_groups_new(&out->groups, &out->group_count, ctx, &tile->in);
    if (status != MEGURI_OK) return status;
    out->group_done = mg_alloc_array(ctx, out->group_count, sizeof *out->group_done, "the rows of PageRank");
    if (!out->group_done) return MEGURI_NO_MEMORY;
    return iterations < TILES_PAY || !tile->in.arcs ? MEGURI_OK : make_tiles(out, ctx);
}

void mg_pagerank_sums_free(mg_pagerank_sums *sums) {
    mg_pagerank_tiles_free(&sums->tiles);
    mg_free(sums->groups);
    mg_free(sums->group_done);
    mg_free(sums->dealt);
}

/* ---- summing ---------------------------------------------------------------------------------------------------- */

static void deal_shares(meguri_ctx *ctx, const mg_pagerank_sums *s, const double *shares) {
    uint64_t owners = (uint64_t)s->tile->sources->owners.count, stride = s->tile->sources->stride;
    int threads = mg_threads(ctx, stride * owners, DEAL);
#pragma omp parallel for num_threads(mg_team(threads)) schedule(static)
    for (uint64_t begin = 0; begin < stride; begin += DEAL)
        for (uint64_t b = 0; b < owners; b++)
            for (uint64_t i = begin; i < MG_MIN(stride, begin + DEAL); i++)
                s->dealt[i * owners + b] = shares[b * stride + i];
}

static void sum_tiles(meguri_ctx *ctx, mg_pagerank_sums *s, double *out, const double *shares) {
    uint64_t taken = 0;
    int threads = mg_threads(ctx, s->group_count, 2); /* hardly any tile has to wait then */
    memset(s->group_done, 0, s->group_count * sizeof *s->group_done);
#pragma omp parallel num_threads(mg_team(threads))
    for (uint64_t t; (t = mg_fetch_add(&taken, 1)) < s->tiles.count;) {
        const mg_pagerank_tile *tile = &s->tiles.tiles[t];
        mg_range rows = {s->groups[tile->group], s->groups[tile->group + 1]};
        mg_pagerank_tile_turn(out, rows, &s->tiles, tile, s->group_done, shares, mg_progress(ctx, "pagerank", 0, 0));
    }
}

/* Rows as they lie. */
static void sum_rows(meguri_ctx *ctx, mg_pagerank_sums *s, double *out, const double *shares) {
    const mg_rows *in = &s->tile->in;
    int threads = mg_threads(ctx, s->group_count, 1);
#pragma omp parallel for num_threads(mg_team(threads)) schedule(dynamic)
    for (uint64_t g = 0; g < s->group_count; g++) {
        if (mg_progress(ctx, "pagerank", 0, 0)) continue;
        for (uint64_t v = s->groups[g]; v < s->groups[g + 1]; v++) {
            double sum = 0;
            uint64_t begin = mg_row_offset(in, v), end = mg_row_offset(in, v + 1);
            for (uint64_t i = begin; i < end; i++) {
                sum += shares[in->neighbors[i]];
                if ((i - begin) % LOOK == LOOK - 1 && mg_progress(ctx, "pagerank", 0, 0)) break; /* a long row */
            }
            out[v] = sum;
        }
    }
}

void mg_pagerank_sums_make(meguri_ctx *ctx, mg_pagerank_sums *s, double *out, const double *shares) {
    if (!s->tiles.count) {
        sum_rows(ctx, s, out, shares);
        return;
    }
    if (s->dealt) deal_shares(ctx, s, shares);
    sum_tiles(ctx, s, out, s->dealt ? s->dealt : shares);
}
