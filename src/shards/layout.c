/* Which process has which arcs (papers P1 and P2).
 *
 * A grid of R × C processes deals the vertices to all, and looks at the adjacency matrix as R × C blocks: column j has
 * the arcs that leave the vertices of its R processes, row i those that arrive at the vertices of its C processes.
 *
 * Pairs: N × N blocks, N even, on N²/2 processes. The vertices of block b are dealt to N/2 of the N processes that have
 * a part of row and column b. Which of the two blocks {a, b} of a process its vertices are in: going round a circle of
 * N, the one from which the other is less than half the circle ahead; of opposite ones, the first. The processes on the
 * diagonal have the blocks (b, b) and (b + N/2, b + N/2), and vertices of the latter, which makes N/2 for each. */
#include "shards/shards.h"

/* ---- pairs ------------------------------------------------------------------------------------------------------ */

/* Processes come in the order of their pairs: the diagonal ones, then (0, 1), (0, 2) … (0, N-1), (1, 2) … */
static int rank_of_pair(int n, int a, int b) {
    if (a == b) return a % (n / 2);
    if (a > b) {
        int c = a;
        a = b;
        b = c;
    }
    return n / 2 + a * n - a * (a + 1) / 2 + (b - a - 1);
}

static void pair_of_rank(int n, int rank, int *a, int *b) {
    if (rank < n / 2) {
        *a = rank;
        *b = rank + n / 2;
        return;
    }
    rank -= n / 2;
    for (*a = 0; rank >= n - 1 - *a; (*a)++) rank -= n - 1 - *a;
    *b = *a + 1 + rank;
}

static int side_of_pair(int n, int rank) {
    int a, b;
    pair_of_rank(n, rank, &a, &b);
    if (rank < n / 2) return b;
    return b - a <= n / 2 ? a : b;
}

/* ---- who is in which window ------------------------------------------------------------------------------------- */

static bool is_member(const mg_layout *l, int rank, int side, bool target) {
    if (!l->pairs) return (target ? rank % l->rows : rank / l->rows) == side;
    int a, b;
    pair_of_rank(l->rows, rank, &a, &b);
    return side == a || side == b;
}

mg_place mg_layout_place(const mg_layout *l, int from, int to) {
    int source = l->source_side[from], target = l->target_side[to];
    if (!l->pairs) return (mg_place){source * l->rows + target, 0};
    int tile = source == target ? source >= l->rows / 2 : source > target;
    return (mg_place){rank_of_pair(l->rows, source, target), tile};
}

static meguri_status make_window(mg_window *w, meguri_ctx *ctx, const mg_layout *l, int side, bool target) {
    const int *sides = target ? l->target_side : l->source_side;
    bool both = l->pairs || l->size == 1;
    *w = (mg_window){.owners.me = -1,
                     .members.me = -1,
                     .block = target ? l->target_block : l->source_block,
                     .source = both || !target,
                     .target = both || target};
    w->owners.ranks = mg_alloc_array(ctx, 2 * (uint64_t)l->size, sizeof(int), "a group of processes");
    if (!w->owners.ranks) return MEGURI_NO_MEMORY;
    w->members.ranks = w->owners.ranks + l->size;
    for (int r = 0; r < l->size; r++) {
        if (sides[r] == side) {
            if (r == l->rank) w->owners.me = w->owners.count;
            w->owners.ranks[w->owners.count++] = r;
        }
        if (is_member(l, r, side, target)) {
            if (r == l->rank) w->members.me = w->members.count;
            w->members.ranks[w->members.count++] = r;
        }
    }
    return MEGURI_OK;
}

/* ---- making one ------------------------------------------------------------------------------------------------- */

static int square_root(int n) {
    int root = 0;
    while ((root + 1) * (root + 1) <= n) root++;
    return root;
}

static meguri_status refuse_grid(meguri_ctx *ctx, const meguri_layout *o, int size) {
    return mg_fail(ctx, MEGURI_BAD_ARGUMENT,
                   "a grid of %u × %u does not fit %d process%s: rows times columns must be the number of processes.",
                   o->rows, o->columns, size, size == 1 ? "" : "es");
}

static meguri_status choose(mg_layout *l, meguri_ctx *ctx, const meguri_layout *o, meguri_owner owner) {
    int size = l->size;
    if (o->pairs && owner == MEGURI_OWNER_BLOCKS)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT,
                       "symmetric pairs of blocks of the matrix deal vertices to all: owners by blocks need a grid; "
                       "leave the pairs out, or choose owners by degree or position.");
    if (o->pairs) {
        int n = square_root(2 * size);
        if (n * n != 2 * size || n % 2)
            return mg_fail(ctx, MEGURI_BAD_ARGUMENT,
                           "symmetric pairs of blocks need 2, 8, 18, 32 … processes (half the square of an even "
                           "number), not %d; leave the pairs out, or start another number.",
                           size);
        l->pairs = true;
        l->tiles = 2;
        l->rows = l->columns = n;
        return MEGURI_OK;
    }
    l->tiles = 1;
    if (o->rows > (uint32_t)size || o->columns > (uint32_t)size) return refuse_grid(ctx, o, size);
    l->rows = (int)o->rows;
    l->columns = (int)o->columns;
    if (!l->rows && !l->columns && owner == MEGURI_OWNER_BLOCKS) l->rows = 1;
    if (!l->rows && !l->columns) { /* as square as can be; rather more rows, where pull is at its best */
        for (l->columns = square_root(size); size % l->columns; l->columns--) continue;
        l->rows = size / l->columns;
    } else if (!l->rows) l->rows = size / l->columns;
    else if (!l->columns) l->columns = size / l->rows;
    return (uint64_t)l->rows * (uint64_t)l->columns == (uint64_t)size ? MEGURI_OK : refuse_grid(ctx, o, size);
}

/* By process: the window of its vertices on either side, and the block in it. */
static void set_sides(mg_layout *l) {
    for (int r = 0; r < l->size; r++) {
        l->source_side[r] = l->pairs ? side_of_pair(l->rows, r) : r / l->rows;
        l->target_side[r] = l->pairs ? l->source_side[r] : r % l->rows;
        l->source_block[r] = l->target_block[r] = 0;
        for (int q = 0; q < r; q++) {
            l->source_block[r] += l->source_side[q] == l->source_side[r];
            l->target_block[r] += l->target_side[q] == l->target_side[r];
        }
    }
}

/* The windows of this process, and which of them its tiles join. */
static meguri_status set_windows(mg_layout *l, meguri_ctx *ctx) {
    meguri_status status;
    l->windows = 1;
    if (l->size == 1) return make_window(&l->window[0], ctx, l, 0, false);
    l->windows = 2;
    if (!l->pairs) {
        l->tile_target[0] = 1;
        status = make_window(&l->window[0], ctx, l, l->rank / l->rows, false);
        return status == MEGURI_OK ? make_window(&l->window[1], ctx, l, l->rank % l->rows, true) : status;
    }
    int a, b;
    bool diagonal = l->rank < l->rows / 2;
    pair_of_rank(l->rows, l->rank, &a, &b);
    l->tile_source[1] = 1;
    l->tile_target[diagonal ? 1 : 0] = 1;
    status = make_window(&l->window[0], ctx, l, a, false);
    return status == MEGURI_OK ? make_window(&l->window[1], ctx, l, b, false) : status;
}

meguri_status mg_layout_new(mg_layout *out, meguri_ctx *ctx, const meguri_cluster *cluster,
                            const meguri_layout *options, meguri_owner owner) {
    mg_layout *l = out;
    *l = (mg_layout){.size = cluster->size, .rank = cluster->rank};
    meguri_status status = choose(l, ctx, options, owner);
    if (status != MEGURI_OK) return status;
    l->source_side = mg_alloc_array(ctx, 4 * (uint64_t)l->size, sizeof(int), "the layout of a cluster");
    if (!l->source_side) return MEGURI_NO_MEMORY;
    l->target_side = l->source_side + l->size;
    l->source_block = l->target_side + l->size;
    l->target_block = l->source_block + l->size;
    set_sides(l);
    status = set_windows(l, ctx);
    l->source_owners = (uint32_t)l->window[0].owners.count;
    return status;
}

meguri_status mg_layout_check(meguri_ctx *ctx, const meguri_cluster *cluster, const meguri_layout *options) {
    mg_layout l = {.size = cluster->size, .rank = cluster->rank};
    if ((unsigned)options->owner > MEGURI_OWNER_BLOCKS)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "there is no choice of owners with number %d.", (int)options->owner);
    return choose(&l, ctx, options, options->owner);
}

void mg_layout_free(mg_layout *l) {
    for (int w = 0; w < 2; w++) mg_free(l->window[w].owners.ranks);
    mg_free(l->source_side);
}

void mg_layout_measure(mg_layout *l, uint64_t active) {
    uint64_t share = (active + (uint64_t)l->size - 1) / (uint64_t)l->size, stride = (share + 63) / 64 * 64;
    l->active = active;
    for (int w = 0; w < l->windows; w++) {
        l->window[w].stride = stride;
        l->window[w].places = stride * (uint64_t)l->window[w].owners.count;
    }
}
