/* The arcs of a graph in tiles: an idea of Cagra (Zhang, Kiriansky, Mendis, Amarasinghe and Zaharia, 2017), with tiles
 * of many shapes and with pieces sorted by length.
 *
 * A row read from end to end drags shares from everywhere through the cache for one sum. So rows, some thousands
 * together, are cut where ranges of columns end, and all pieces of a range are summed while its shares are in the
 * cache. A piece costs as much as an arc or two. So where a group has many arcs to a row its columns are cut fine,
 * for the first cache; where it has some, into strips for the second; and where it has few, not at all: a wide tile
 * fetches shares ahead. Cuts are found from a sample of the columns.
 *
 * Within a tile pieces are sorted by their length (the idea of SELL-C-sigma, Kreutzer, Hager, Wellein, Fehske and
 * Bishop, 2014, without its padding): the end of a piece is then no surprise, which costs more than ten arcs.
 *
 * Tiles of one strip are taken up together, wide tiles at the end. Where a tile lies in the memory depends on the
 * threads; what it holds and when its turn is does not. */
#include "graph/graph.h"

#include <math.h>

enum {
    FINE = 1 << 12,        /* columns: 32 KB of shares */
    FINE_PIECE = 16,       /* arcs of a piece on average, from which on it pays to cut fine */
    STRIP_PIECE = 1,       /* and to cut strips */
    GROUP_ROWS = 1 << 15,  /* at most */
    GROUP_ARCS = 1 << 20,  /* about: 4 MB of columns that are cut while in the cache */
    GROUPS_WANTED = 64,    /* of a small graph, for all threads to have some */
    LEAST_GROUP = 1 << 13, /* arcs, for it to be worth the while */
    SAMPLE = 1024,         /* columns that tell where to cut */
    PIECE_MOST = 1 << 12,  /* arcs of a piece; longer ones are several */
    LENGTH_WORDS = PIECE_MOST / 64,
    AHEAD = 8, /* rows between fetching a piece and looking at it */
    ORDERING = sizeof(mg_row_tile) + 2 * (sizeof(uint64_t) + sizeof(uint32_t)), /* bytes for a tile, by sorting */
};

static uint64_t row_length(const mg_rows *rows, uint64_t v) { return mg_row_end(rows, v) - mg_row_begin(rows, v); }

/* ---- groups ----------------------------------------------------------------------------------------------------- */

meguri_status mg_row_groups_new(uint64_t **groups, uint64_t *count, meguri_ctx *ctx, const mg_rows *rows,
                                const char *phase) {
    uint64_t most = MG_MIN((uint64_t)GROUP_ARCS, MG_MAX((uint64_t)LEAST_GROUP, rows->arcs / GROUPS_WANTED));
    uint64_t bound = rows->arcs / most + rows->rows / GROUP_ROWS + 2, arcs = 0;
    *count = 0;
    *groups = mg_alloc_array(ctx, bound, sizeof **groups, "groups of rows");
    if (!*groups) return MEGURI_NO_MEMORY;
    uint64_t begin = 0;
    for (uint64_t v = 0; v < rows->rows; v++) {
        arcs += row_length(rows, v);
        if (arcs < most && v + 1 - begin < GROUP_ROWS && v + 1 < rows->rows) continue;
        if (mg_progress(ctx, phase, 0, 0)) return mg_fail_cancelled(ctx);
        (*groups)[(*count)++] = begin;
        begin = v + 1;
        arcs = 0;
    }
    (*groups)[*count] = begin;
    return MEGURI_OK;
}

/* ---- where to cut ----------------------------------------------------------------------------------------------- */

typedef struct maker {
    meguri_ctx *ctx;
    const mg_rows *rows;
    uint64_t columns;
    const uint64_t *groups;
    uint64_t group_count;
    uint64_t *first_tile; /* of each group, while tiles lie in the order of groups */
    const mg_row_tiles_use *use;
    mg_row_tiles *out;
} maker;

/* What a thread needs for a group. */
typedef struct workbench {
    uint32_t sample[SAMPLE], sorted[SAMPLE];
    uint64_t at[GROUP_ROWS];        /* where the next piece of the row begins */
    uint64_t length[GROUP_ROWS];    /* of that piece */
    uint32_t following[GROUP_ROWS]; /* the next row whose piece has the same length */
    uint32_t leading[PIECE_MOST];   /* the first row whose piece has this length, */
    uint64_t lengths[LENGTH_WORDS]; /* if there is one */
} workbench;

static uint64_t group_arcs(const maker *m, uint64_t g) {
    return mg_row_begin(m->rows, m->groups[g + 1]) - mg_row_begin(m->rows, m->groups[g]);
}

static uint64_t draw_sample(const maker *m, workbench *b, uint64_t g) {
    uint64_t arcs = group_arcs(m, g), count = MG_MIN(arcs, (uint64_t)SAMPLE);
    const uint32_t *from = m->rows->neighbors + mg_row_begin(m->rows, m->groups[g]);
    for (uint64_t i = 0; i < count; i++) b->sample[i] = from[i * arcs / count];
    mg_sort_small_u32(b->sample, b->sorted, NULL, NULL, 0, count, 32);
    return count;
}

/* How many of the sorted sample from `i` on are below `end`. */
static uint64_t sample_below(const workbench *b, uint64_t i, uint64_t count, uint64_t end) {
    uint64_t k = i;
    while (k < count && b->sample[k] < end) k++;
    return k - i;
}

/* How many tiles the group has; their columns go to `tiles`, unless that is NULL. */
static uint64_t plan_group(const maker *m, workbench *b, uint64_t g, mg_row_tile *tiles) {
    uint64_t count = draw_sample(m, b, g), rows = m->groups[g + 1] - m->groups[g], i = 0, planned = 0;
    /* Of the sample, for one arc a row. */
    double one = (double)count * (double)rows / (double)MG_MAX((uint64_t)1, group_arcs(m, g));
    for (uint64_t first = 0, end; first < m->columns; first = end) {
        uint64_t strip_end = (first / MG_TILE_STRIP + 1) * MG_TILE_STRIP;
        uint64_t fine = sample_below(b, i, count, first + FINE), strip = sample_below(b, i, count, strip_end), taken;
        if (count && (double)fine >= FINE_PIECE * one) {
            end = first + FINE;
            taken = fine;
        } else {
            end = strip_end;
            taken = strip;
            bool sparse = !count || (double)strip < STRIP_PIECE * one;
            while (sparse && end < m->columns) { /* together with what follows, as long as that is sparse too */
                if (i + taken == count) {
                    end = m->columns;
                    break;
                }
                end = MG_MAX(end, b->sample[i + taken] / MG_TILE_STRIP * MG_TILE_STRIP);
                strip = sample_below(b, i + taken, count, end + MG_TILE_STRIP);
                if ((double)strip >= STRIP_PIECE * one) break;
                end += MG_TILE_STRIP;
                taken += strip;
            }
        }
        end = MG_MIN(end, m->columns);
        if (tiles) tiles[planned] = (mg_row_tile){.first = first, .end = end, .group = (uint32_t)g};
        planned++;
        i += taken;
    }
    return planned;
}

/* ---- cutting ---------------------------------------------------------------------------------------------------- */

/* The first place in [begin, end) of an increasing row where a column is not below `limit`; near ones are found soon.
 */
static uint64_t find_column(const uint32_t *columns, uint64_t begin, uint64_t end, uint64_t limit) {
    uint64_t step = 1;
    while (begin + step < end && columns[begin + step] < limit) {
        begin += step;
        step *= 2;
    }
    uint64_t low = begin, high = MG_MIN(begin + step, end);
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (columns[middle] < limit) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* Where the piece of a row that begins here ends. */
static uint64_t piece_end(const maker *m, uint64_t at, uint64_t row_end, uint64_t limit) {
    if (limit == m->columns) return row_end;
    if (at == row_end || m->rows->neighbors[at] >= limit) return at;
    return find_column(m->rows->neighbors, at, row_end, limit);
}

/* How many cells the tile takes, and how many of its pieces are very long. */
typedef struct extent {
    uint64_t pieces, columns, very_long;
} extent;

/* Finds the pieces of a tile, and lists those that are not very long by their length, rows increasing. */
static extent find_pieces(const maker *m, workbench *b, const mg_row_tile *tile) {
    extent cells = {.pieces = 1};
    uint64_t begin = m->groups[tile->group], arcs = 0;
    memset(b->lengths, 0, sizeof b->lengths);
    for (uint64_t i = m->groups[tile->group + 1] - begin; i-- > 0;) {
        uint64_t row_end = mg_row_end(m->rows, begin + i);
        if (i >= AHEAD) __builtin_prefetch(&m->rows->neighbors[b->at[i - AHEAD]]);
        uint64_t length = piece_end(m, b->at[i], row_end, tile->end) - b->at[i];
        b->length[i] = length;
        arcs += length;
        cells.very_long += length / PIECE_MOST;
        length %= PIECE_MOST;
        if (!length) continue;
        uint64_t bit = (uint64_t)1 << length % 64, *word = &b->lengths[length / 64];
        cells.pieces += *word & bit ? 1 : 3;
        b->following[i] = *word & bit ? b->leading[length] : UINT32_MAX;
        b->leading[length] = (uint32_t)i;
        *word |= bit;
    }
    cells.pieces += 3 * cells.very_long;
    cells.columns = mg_row_tile_is_wide(tile) ? 2 * (arcs + MG_TILE_AHEAD) : arcs;
    return cells;
}

/* Where pieces are written. */
typedef struct pen {
    uint16_t *pieces, *narrow;
    uint32_t *wide; /* NULL: the other */
    uint32_t base;
} pen;

static void write_columns(pen *p, const uint32_t *from, uint64_t length) {
    if (p->wide) {
        memcpy(p->wide, from, length * sizeof *from);
        p->wide += length;
    } else {
        for (uint64_t k = 0; k < length; k++) p->narrow[k] = (uint16_t)(from[k] - p->base);
        p->narrow += length;
    }
}

static void write_very_long(const maker *m, workbench *b, pen *p, uint64_t rows) {
    for (uint64_t i = 0; i < rows; i++)
        for (; b->length[i] >= PIECE_MOST; b->length[i] -= PIECE_MOST, b->at[i] += PIECE_MOST) {
            *p->pieces++ = PIECE_MOST;
            *p->pieces++ = 1;
            *p->pieces++ = (uint16_t)i;
            write_columns(p, m->rows->neighbors + b->at[i], PIECE_MOST);
        }
}

static void write_pieces(const maker *m, workbench *b, const mg_row_tile *tile, bool very_long) {
    uint16_t *cells = m->out->cells;
    pen p = {.pieces = cells + tile->pieces, .narrow = cells + tile->columns, .base = (uint32_t)tile->first};
    if (mg_row_tile_is_wide(tile)) p.wide = (uint32_t *)p.narrow;
    if (very_long) write_very_long(m, b, &p, m->groups[tile->group + 1] - m->groups[tile->group]);
    for (uint32_t w = 0; w < LENGTH_WORDS; w++)
        for (uint64_t left = b->lengths[w]; left; left &= left - 1) {
            uint32_t length = w * 64 + (uint32_t)__builtin_ctzll(left), count = 0;
            uint16_t *head = p.pieces;
            p.pieces += 2;
            for (uint32_t i = b->leading[length], next; i != UINT32_MAX; i = next, count++) {
                next = b->following[i];
                if (next != UINT32_MAX) __builtin_prefetch(m->rows->neighbors + b->at[next]);
                *p.pieces++ = (uint16_t)i;
                write_columns(&p, m->rows->neighbors + b->at[i], length);
                b->at[i] += length;
            }
            head[0] = (uint16_t)length;
            head[1] = (uint16_t)count;
        }
    *p.pieces = 0;
    if (p.wide) memset(p.wide, 0, MG_TILE_AHEAD * sizeof *p.wide);
}

/* All tiles of a group. */
static void cut_group(const maker *m, workbench *b, uint64_t g) {
    uint64_t begin = m->groups[g];
    for (uint64_t v = begin; v < m->groups[g + 1]; v++) b->at[v - begin] = mg_row_begin(m->rows, v);
    for (uint64_t t = m->first_tile[g]; t < m->first_tile[g + 1]; t++) {
        mg_row_tile *tile = &m->out->tiles[t];
        if (mg_progress(m->ctx, m->use->phase, 0, 0)) return;
        extent cells = find_pieces(m, b, tile);
        cells.pieces += cells.pieces % 2; /* columns are aligned, in case that they are wide */
        cells.columns += cells.columns % 2;
        tile->pieces = mg_fetch_add(&m->out->cell_count, cells.pieces + cells.columns);
        tile->columns = tile->pieces + cells.pieces;
        write_pieces(m, b, tile, cells.very_long);
    }
}

/* ---- all of it -------------------------------------------------------------------------------------------------- */

/* No more cells than these: k pieces of different lengths have k(k + 1)/2 arcs at least. */
static uint64_t cells_at_most(const maker *m, uint64_t g, const mg_row_tile *tiles, uint64_t count) {
    uint64_t arcs = group_arcs(m, g), rows = m->groups[g + 1] - m->groups[g], wide = 0;
    for (uint64_t t = 0; t < count; t++) wide += mg_row_tile_is_wide(&tiles[t]);
    uint64_t lengths = (uint64_t)sqrt(2.0 * (double)arcs * (double)count) + count;
    return (wide ? 2 : 1) * arcs + MG_MIN(arcs, rows * count) + 3 * (arcs / PIECE_MOST) + 2 * lengths + 3 * count +
           2 * MG_TILE_AHEAD * wide;
}

typedef void group_fn(const maker *m, workbench *b, uint64_t g);

static void count_tiles(const maker *m, workbench *b, uint64_t g) { m->first_tile[g] = plan_group(m, b, g, NULL); }

static void plan_tiles(const maker *m, workbench *b, uint64_t g) {
    plan_group(m, b, g, m->out->tiles + m->first_tile[g]);
}

typedef struct group_job {
    const maker *m;
    workbench *workbenches; /* one for each thread */
    group_fn *act;
} group_job;

static void act_on_groups(void *what, mg_worker *worker) {
    const group_job *job = what;
    for (mg_range g; mg_take(worker, &g);) job->act(job->m, &job->workbenches[worker->number], g.begin);
}

static meguri_status each_group(const maker *m, workbench *workbenches, int threads, group_fn *act) {
    group_job job = {m, workbenches, act};
    mg_loop loop = {.ctx = m->ctx,
                    .threads = threads,
                    .items = m->group_count,
                    .chunk = 1,
                    .work = act_on_groups,
                    .what = &job,
                    .phase = m->use->phase};
    return mg_loop_run(&loop);
}

/* Into the order in which they are taken up: by strips, so that shares stay in the cache; wide tiles last, or those
 * alone that have the last columns anyway. */
static meguri_status order_tiles(const maker *m) {
    mg_row_tiles *out = m->out;
    mg_row_tile *old = out->tiles, *ordered = NULL;
    uint64_t *keys = mg_alloc_array(m->ctx, out->count, sizeof *keys, "the tiles of a graph");
    uint32_t *places = mg_alloc_array(m->ctx, out->count, sizeof *places, "the tiles of a graph");
    meguri_status status = MEGURI_NO_MEMORY;
    if (keys && places) ordered = mg_alloc_array(m->ctx, out->count, sizeof *ordered, "the tiles of a graph");
    if (!ordered) goto cleanup;
    for (uint64_t t = 0; t < out->count; t++) {
        bool late = mg_row_tile_is_wide(&old[t]) && (!m->use->in_order || old[t].end == m->columns);
        keys[t] = old[t].first | (uint64_t)late << 32;
        places[t] = (uint32_t)t;
    }
    status = mg_sort_u64(m->ctx, keys, places, sizeof *places, out->count, 33);
    if (status != MEGURI_OK) goto cleanup;
    for (uint64_t t = 0; t < out->count; t++) {
        ordered[t] = old[places[t]];
        ordered[t].turn = out->of_group[ordered[t].group]++;
    }
    out->tiles = ordered;
    ordered = old;
cleanup:
    mg_free(ordered);
    mg_free(places);
    mg_free(keys);
    return status;
}

static meguri_status make_tiles(maker *m, workbench *workbenches, int threads) {
    const char *what = "the tiles of a graph";
    mg_row_tiles *out = m->out;
    meguri_status status = each_group(m, workbenches, threads, count_tiles);
    if (status != MEGURI_OK) return status;
    m->first_tile[m->group_count] = 0;
    out->count = mg_scan_u64(m->ctx, m->first_tile, m->group_count + 1);
    uint64_t tables = out->count * ORDERING + m->group_count * sizeof *out->of_group;
    if (tables > mg_memory_left(m->ctx)) {
        out->count = 0;
        return MEGURI_OK;
    }
    out->tiles = mg_alloc_array(m->ctx, out->count, sizeof *out->tiles, what);
    out->of_group = mg_alloc_array_zero(m->ctx, m->group_count, sizeof *out->of_group, what);
    if (!out->tiles || !out->of_group) return MEGURI_NO_MEMORY;
    status = each_group(m, workbenches, threads, plan_tiles);
    if (status != MEGURI_OK) return status;
    uint64_t cells = 0;
    for (uint64_t g = 0; g < m->group_count; g++)
        cells += cells_at_most(m, g, out->tiles + m->first_tile[g], m->first_tile[g + 1] - m->first_tile[g]);
    if (cells * sizeof *out->cells + out->count * ORDERING > mg_memory_left(m->ctx)) {
        mg_row_tiles_free(out);
        return MEGURI_OK;
    }
    out->cells = mg_alloc_array(m->ctx, cells, sizeof *out->cells, what);
    if (!out->cells) return MEGURI_NO_MEMORY;
    status = each_group(m, workbenches, threads, cut_group);
    if (status != MEGURI_OK) return status;
    mg_trim(out->cells, out->cell_count * sizeof *out->cells);
    return order_tiles(m);
}

meguri_status mg_row_tiles_new(mg_row_tiles *out, meguri_ctx *ctx, const mg_rows *rows, uint64_t columns,
                               const uint64_t *groups, uint64_t group_count, const mg_row_tiles_use *use) {
    *out = (mg_row_tiles){0};
    maker m = {.ctx = ctx,
               .rows = rows,
               .columns = columns,
               .groups = groups,
               .group_count = group_count,
               .use = use,
               .out = out};
    int threads = mg_threads(ctx, group_count, 1);
    uint64_t needed = (uint64_t)threads * sizeof(workbench) + (group_count + 1) * sizeof *m.first_tile;
    if (!rows->arcs || needed > mg_memory_left(ctx)) return MEGURI_OK;
    workbench *workbenches = mg_alloc_array(ctx, (uint64_t)threads, sizeof *workbenches, "cutting tiles");
    m.first_tile = mg_alloc_array(ctx, group_count + 1, sizeof *m.first_tile, "cutting tiles");
    meguri_status status = MEGURI_NO_MEMORY;
    if (workbenches && m.first_tile) status = make_tiles(&m, workbenches, threads);
    mg_free(m.first_tile);
    mg_free(workbenches);
    return status;
}

void mg_row_tiles_free(mg_row_tiles *tiles) {
    mg_free(tiles->tiles);
    mg_free(tiles->of_group);
    mg_free(tiles->cells);
    *tiles = (mg_row_tiles){0};
}
