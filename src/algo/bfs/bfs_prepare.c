/* What all searches of one graph share.
 *
 * In a graph ordered by falling degree the vertices of degree one come last, and in every row they come last too. A
 * search leaves them out: each has the parent that its only edge gives it, whatever the search does, so they are filled
 * in at the end by one sweep (the leaves of the trees that RIKEN's Graph500 code prunes; in a Kronecker graph a fifth
 * of the vertices, and those that a pull would look at in vain most often).
 *
 * First neighbours lie in an array of their own (Ueno et al.): most looks of a pull end there, and then the row is
 * never touched. */
#include "algo/bfs/bfs.h"

#define ROW_GRAIN     16384
#define PIECE         4096 /* internal numbers whose stretches are found together */
#define SHORT_STRETCH 16   /* a piece whose stretches are shorter is written as it comes */

/* ---- stretches and blocks --------------------------------------------------------------------------------------- */

static uint32_t block_of(const mg_bfs_host *s, uint32_t v) { return mg_to_user(&s->numbering, v) >> MG_BFS_BLOCK; }

/* The end of the stretch that begins at v, at most `end`. */
static uint32_t stretch_end(const mg_bfs_host *s, uint32_t v, uint32_t end) {
    if (v < s->first_leaf) end = MG_MIN(end, s->first_leaf);
    uint32_t block = block_of(s, v);
    for (v++; v < end; v++)
        if (block_of(s, v) != block || mg_to_user(&s->numbering, v) < mg_to_user(&s->numbering, v - 1)) break;
    return v;
}

/* Cuts pieces into stretches and hands each to its block. A wild piece, whose stretches are too short, is a block of
 * its own with one stretch, or two where the leaves begin in it. */
typedef struct cutter {
    const mg_bfs_host *search;
    uint32_t *counts;          /* stretches of each block; then the place of its next one */
    mg_bfs_stretch *stretches; /* NULL while they are counted */
    uint32_t wild;             /* the next block of a wild piece */
} cutter;

static void put_stretch(cutter *c, uint32_t block, uint32_t begin, uint32_t end) {
    uint32_t place = c->counts[block]++;
    if (c->stretches) c->stretches[place] = (mg_bfs_stretch){begin, end};
}

static void cut_piece(cutter *c, uint32_t begin, uint32_t end) {
    const mg_bfs_host *s = c->search;
    uint32_t pieces = 0;
    for (uint32_t v = begin; v < end; v = stretch_end(s, v, end)) pieces++;
    if (pieces > PIECE / SHORT_STRETCH) {
        uint32_t middle = MG_MIN(MG_MAX(begin, s->first_leaf), end);
        if (begin < middle) put_stretch(c, c->wild, begin, middle);
        if (middle < end) put_stretch(c, c->wild, middle, end);
        c->wild++;
        return;
    }
    for (uint32_t v = begin; v < end;) {
        uint32_t stop = stretch_end(s, v, end);
        put_stretch(c, block_of(s, v), v, stop);
        v = stop;
    }
}

static meguri_status cut_rows(cutter *c, meguri_ctx *ctx) {
    uint64_t rows = c->search->rows;
    for (uint64_t v = 0; v < rows; v += PIECE) {
        if (mg_progress(ctx, "bfs", v, rows)) return mg_fail_cancelled(ctx);
        cut_piece(c, (uint32_t)v, (uint32_t)MG_MIN(v + PIECE, rows));
    }
    return MEGURI_OK;
}

static meguri_status cut_into_blocks(meguri_ctx *ctx, mg_bfs_host *s) {
    uint32_t ordered = (uint32_t)((s->base.graph->vertices + ((uint64_t)1 << MG_BFS_BLOCK) - 1) >> MG_BFS_BLOCK);
    uint64_t at_most = ordered + (uint64_t)s->rows / PIECE + 1;
    double start = mg_now();
    s->block_stretches = mg_alloc_array_zero(ctx, at_most + 1, sizeof *s->block_stretches, "the blocks of a search");
    if (!s->block_stretches) return MEGURI_NO_MEMORY;
    cutter c = {.search = s, .counts = s->block_stretches + 1, .wild = ordered};
    meguri_status status = cut_rows(&c, ctx);
    if (status != MEGURI_OK) return status;
    s->blocks = c.wild;
    /* Counts become places: block b begins where counts[b - 1] ends, which is block_stretches[b]. */
    uint32_t sum = 0;
    for (uint32_t b = 0; b < s->blocks; b++) {
        uint32_t count = c.counts[b];
        c.counts[b] = sum;
        sum += count;
    }
    s->stretches = mg_alloc_array(ctx, sum, sizeof *s->stretches, "the blocks of a search");
    if (!s->stretches) return MEGURI_NO_MEMORY;
    c.stretches = s->stretches;
    c.wild = ordered;
    status = cut_rows(&c, ctx);
    mg_trace_phase(ctx, "bfs", "blocks", -1, (int64_t)(sum * sizeof *s->stretches), start);
    return status;
}

/* ---- memory ----------------------------------------------------------------------------------------------------- */

meguri_status mg_bfs_host_open(meguri_ctx *ctx, meguri_bfs_search *search) {
    mg_bfs_host *s = (mg_bfs_host *)search;
    s->source = MG_NO_VERTEX;
    meguri_status status = mg_graph_rows(&s->out, ctx, s->base.graph);
    if (status == MEGURI_OK) status = mg_graph_numbering(&s->numbering, ctx, s->base.graph);
    if (status != MEGURI_OK) return status;
    s->rows = (uint32_t)s->out.rows;
    s->first_leaf = s->candidates = mg_graph_first_leaf(s->base.graph, &s->out);
    s->base.vertices = s->first_leaf;
    s->base.arcs = s->out.arcs;
    s->base.total = s->rows;
    uint64_t **bitmaps[] = {&s->visited, &s->previous, &s->spare};
    for (int i = 0; i < 3; i++) {
        /* One word more, so that 16 bits may be read from anywhere. */
        *bitmaps[i] = mg_alloc_array(ctx, mg_bitmap_words(s->rows) + 1, sizeof(uint64_t), "the bitmaps of a search");
        if (!*bitmaps[i]) return MEGURI_NO_MEMORY;
    }
    if (s->base.parent) {
        s->tree = mg_alloc_array(ctx, s->rows, sizeof *s->tree, "the parents of a search");
        if (!s->tree) return MEGURI_NO_MEMORY;
    }
    if (s->base.level) {
        s->tree_level = mg_alloc_array(ctx, s->rows, sizeof *s->tree_level, "the levels of a search");
        if (!s->tree_level) return MEGURI_NO_MEMORY;
    }
    status = mg_queue_new(&s->list, ctx, s->rows, "the frontier of a search");
    if (status == MEGURI_OK) status = mg_queue_new(&s->next, ctx, s->rows, "the frontier of a search");
    if (status == MEGURI_OK) status = cut_into_blocks(ctx, s);
    /* Leaves need their first neighbour in any case. */
    return status == MEGURI_OK && s->first_leaf < s->rows ? mg_bfs_prepare_pull(ctx, search) : status;
}

void mg_bfs_host_close(meguri_bfs_search *search) {
    mg_bfs_host *s = (mg_bfs_host *)search;
    mg_free(s->first);
    mg_free(s->first_position);
    mg_free(s->has_in);
    mg_free(s->stretches);
    mg_free(s->block_stretches);
    mg_free(s->tree);
    mg_free(s->tree_level);
    mg_free(s->visited);
    mg_free(s->previous);
    mg_free(s->spare);
    mg_queue_free(&s->list);
    mg_queue_free(&s->next);
}

/* Whole words, so that vectors may read beyond the last vertex. */
static uint64_t padded_inner(const mg_bfs_host *s) { return 64 * mg_bitmap_words(s->first_leaf); }

static void mark_candidates(void *what, uint64_t begin, uint64_t end) {
    mg_bfs_host *s = what;
    uint32_t count = 0;
    for (uint64_t w = begin; w < end; w++) {
        uint64_t bits = 0, last = MG_MIN(64 * (w + 1), s->first_leaf);
        for (uint64_t v = 64 * w; v < last; v++)
            bits |= (uint64_t)(mg_row_offset(&s->in, v + 1) > mg_row_offset(&s->in, v)) << (v % 64);
        s->has_in[w] = bits;
        count += (uint32_t)__builtin_popcountll(bits);
    }
    mg_fetch_add(&s->candidates, count);
}

/* Vertices of a directed graph that no arc leads to would be looked at in every pull. */
static meguri_status find_candidates(meguri_ctx *ctx, mg_bfs_host *s) {
    if (!s->base.graph->directed) return MEGURI_OK;
    uint64_t words = mg_bitmap_words(s->first_leaf);
    if (!s->has_in) s->has_in = mg_alloc_array(ctx, words, sizeof *s->has_in, "the bitmaps of a search");
    if (!s->has_in) return MEGURI_NO_MEMORY;
    s->candidates = 0;
    mg_for(ctx, mg_threads(ctx, s->first_leaf, ROW_GRAIN), words, mark_candidates, s);
    return MEGURI_OK;
}

static void fill_first(void *what, uint64_t from, uint64_t to) {
    mg_bfs_host *s = what;
    uint64_t padded = padded_inner(s);
    for (uint64_t v = from; v < to; v++) {
        uint64_t begin = mg_row_begin(&s->in, v);
        uint32_t first = begin < mg_row_end(&s->in, v) ? s->in.neighbors[begin] : (uint32_t)v;
        if (v < padded) s->first[v] = first;
        s->first_position[v] = v < s->rows ? mg_to_user(&s->numbering, first) : 0;
    }
}

meguri_status mg_bfs_prepare_pull(meguri_ctx *ctx, meguri_bfs_search *search) {
    mg_bfs_host *s = (mg_bfs_host *)search;
    if (s->base.can_pull) return MEGURI_OK;
    meguri_status status = mg_graph_in_rows(&s->in, ctx, s->base.graph);
    if (status != MEGURI_OK) return status;
    uint64_t padded = padded_inner(s), all = MG_MAX(padded, s->rows);
    if (!s->first) s->first = mg_alloc_array(ctx, padded, sizeof *s->first, "the first neighbours of a search");
    if (s->first && !s->first_position)
        s->first_position = mg_alloc_array(ctx, all, sizeof *s->first_position, "the first neighbours of a search");
    if (!s->first || !s->first_position) return MEGURI_NO_MEMORY;
    status = find_candidates(ctx, s);
    if (status != MEGURI_OK) return status;
    double start = mg_now();
    mg_sweep sweep = {.ctx = ctx, .phase = "bfs", .total = all};
    status = mg_sweep_over(&sweep, fill_first, s, all);
    if (status != MEGURI_OK) return status; /* what was filled is filled again next time */
    mg_trace_phase(ctx, "bfs", "first", s->rows, (int64_t)((padded + all) * sizeof *s->first), start);
    for (uint64_t i = 0; i < MG_BFS_SAMPLE; i++) {
        uint64_t v = i * s->first_leaf / MG_BFS_SAMPLE;
        s->base.row_sample[i] = (uint32_t)(mg_row_end(&s->in, v) - mg_row_begin(&s->in, v));
    }
    s->base.can_pull = true;
    return MEGURI_OK;
}
