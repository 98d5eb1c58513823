/* Makes the index of path_index.h: takes vertices out in rounds (Vetter, Parallel Time-Dependent Contraction
 * Hierarchies, 2009).
 *
 * Each vertex has a price: the shortcuts it adds for the edges it removes, and how high it lies. A round takes out
 * every vertex that is cheaper than all its neighbours, so no two of them are neighbours, and all threads look for
 * their shortcuts at once; then the links around them change, and the prices there. Nothing depends on which thread did
 * what: the shortcuts of a round are put in order before they are used. */
#include "algo/path/path_contract.h"

#include <math.h>
#include <stdlib.h>

#define GRAIN 16 /* vertices that a thread takes at a time */

static const char what[] = "an index of paths";

static void fail(mg_path_contraction *c) {
    mg_store(&c->status, mg_cancelled(c->ctx) ? mg_fail_cancelled(c->ctx) : MEGURI_NO_MEMORY);
}

static bool going_on(mg_path_contraction *c) {
    if (mg_load(&c->status) != MEGURI_OK) return false;
    if (!mg_progress(c->ctx, "index", c->vertices - c->left_count, c->vertices)) return true;
    fail(c);
    return false;
}

/* The last rounds are small. */
static int threads_for(const mg_path_contraction *c, uint64_t count, uint64_t grain) {
    int threads = mg_threads(c->ctx, count, grain);
    return MG_MIN(threads, c->threads);
}

/* A failure is noted in the contraction, not in the loop. */
static void run_loop(mg_path_contraction *c, mg_work_fn *work, uint64_t items, uint64_t chunk, int threads) {
    mg_loop loop = {.ctx = c->ctx, .threads = threads, .items = items, .chunk = chunk, .work = work, .what = c};
    mg_loop_run(&loop);
}

/* ---- the graph as it is ----------------------------------------------------------------------------------------- */

static bool pool_space(mg_path_contraction *c, uint64_t need) {
    if (c->pool && c->pool_count + need <= c->pool_room) return true;
    uint64_t room = c->pool_count + need + c->pool_room / 2 + 1024;
    mg_path_link *pool = mg_resize(c->ctx, c->pool, room * sizeof *pool, what);
    if (!pool) return false;
    c->pool = pool;
    c->pool_room = room;
    return true;
}

/* Out-row and in-row of a vertex merged; of parallel arcs the cheapest, which comes first; no loops. */
static uint32_t fill_row(mg_path_contraction *c, mg_path_link *links, uint32_t v, bool *free_arcs) {
    const mg_path_ground *g = c->ground;
    uint64_t at[2] = {mg_row_begin(&g->out, v), mg_row_begin(&g->in, v)};
    uint64_t end[2] = {mg_row_end(&g->out, v), mg_row_end(&g->in, v)};
    const mg_rows *rows[2] = {&g->out, &g->in};
    uint32_t count = 0;
    while (at[0] < end[0] || at[1] < end[1]) {
        uint32_t next[2];
        for (int s = 0; s < 2; s++) next[s] = at[s] < end[s] ? rows[s]->neighbors[at[s]] : MG_NO_VERTEX;
        uint32_t to = MG_MIN(next[0], next[1]);
        mg_path_link link = {.cost = {c->absent, c->absent}, .middle = {MG_NO_VERTEX, MG_NO_VERTEX}, .to = to};
        for (int s = 0; s < 2; s++) {
            if (next[s] != to) continue;
            double weight = mg_weight_at(rows[s]->weights, g->weight_type, at[s]);
            if (g->real) link.cost[s].real = weight;
            else link.cost[s].whole = (uint64_t)weight;
            *free_arcs |= weight == 0;
            while (at[s] < end[s] && rows[s]->neighbors[at[s]] == to) at[s]++;
        }
        if (to != v) links[count++] = link;
    }
    return count;
}

static void fill_rows(void *user, mg_worker *worker) {
    mg_path_contraction *c = user;
    bool free_arcs = false;
    for (mg_range chunk; mg_take(worker, &chunk) && going_on(c);)
        for (uint64_t v = chunk.begin; v < chunk.end; v++)
            c->lists[v].count = fill_row(c, c->pool + c->lists[v].begin, (uint32_t)v, &free_arcs);
    if (free_arcs) mg_store(&c->free_arcs, true);
}

static meguri_status fill(mg_path_contraction *c) {
    const mg_path_ground *g = c->ground;
    for (uint64_t v = 0; v < c->vertices; v++) {
        uint64_t room = mg_row_end(&g->out, v) - mg_row_begin(&g->out, v);
        if (!g->symmetric) room += mg_row_end(&g->in, v) - mg_row_begin(&g->in, v);
        if (room > UINT32_MAX / 2)
            return mg_fail(c->ctx, MEGURI_BAD_INPUT,
                           "the graph is too large for an index of paths: a vertex has more than 2^31 edges.");
        c->lists[v] = (mg_path_links){.begin = c->pool_count, .room = (uint32_t)room};
        c->pool_count += room;
    }
    uint64_t count = c->pool_count;
    c->pool_count = 0;
    if (!pool_space(c, count)) return MEGURI_NO_MEMORY;
    c->pool_count = count;
    run_loop(c, fill_rows, c->vertices, 1024, c->threads);
    return c->status;
}

/* ---- which vertices --------------------------------------------------------------------------------------------- */

static void price_some(void *user, mg_worker *worker) {
    mg_path_contraction *c = user;
    for (mg_range chunk; mg_take(worker, &chunk);)
        for (uint64_t i = chunk.begin; i < chunk.end; i++) {
            uint32_t v = c->around[i];
            if (going_on(c) && !mg_path_price(&c->price[v], c, &c->witnesses[worker->number], v)) fail(c);
        }
}

static void compute_prices(mg_path_contraction *c) {
    run_loop(c, price_some, c->around_count, GRAIN, threads_for(c, c->around_count, GRAIN));
}

static uint32_t scramble(uint32_t v) {
    v = (v ^ (v >> 16)) * UINT32_C(0x7feb352d);
    v = (v ^ (v >> 15)) * UINT32_C(0x846ca68b);
    return v ^ (v >> 16);
}

/* Equal prices are common; which of two neighbours comes first must then not follow a line of them through the graph.
 * The numbers do not repeat, so one of any two comes first. */
static bool is_cheaper(const mg_path_contraction *c, uint32_t a, uint32_t b) {
    return c->price[a] != c->price[b] ? c->price[a] < c->price[b] : scramble(a) < scramble(b);
}

static bool is_cheapest(const mg_path_contraction *c, uint32_t v) {
    const mg_path_links *l = &c->lists[v];
    if (c->price[v] == MG_PATH_TOO_DEAR) return false;
    for (uint32_t i = 0; i < l->count; i++)
        if (!is_cheaper(c, v, c->pool[l->begin + i].to)) return false;
    return true;
}

static void choose_some(void *user, mg_worker *worker) {
    mg_path_contraction *c = user;
    for (mg_range chunk; mg_take(worker, &chunk);)
        for (uint64_t i = chunk.begin; i < chunk.end; i++) c->chosen[c->left[i]] = is_cheapest(c, c->left[i]);
}

static void choose(mg_path_contraction *c) {
    run_loop(c, choose_some, c->left_count, 1024, threads_for(c, c->left_count, 1024));
    uint64_t left = 0;
    c->set_count = 0;
    for (uint64_t i = 0; i < c->left_count; i++) {
        uint32_t v = c->left[i];
        if (c->chosen[v]) c->set[c->set_count++] = v;
        else c->left[left++] = v;
    }
    c->left_count = left;
}

/* ---- taking them out -------------------------------------------------------------------------------------------- */

static void find_some_shortcuts(void *user, mg_worker *worker) {
    mg_path_contraction *c = user;
    for (mg_range chunk; mg_take(worker, &chunk);)
        for (uint64_t i = chunk.begin; i < chunk.end; i++)
            if (going_on(c) && !mg_path_find_shortcuts(c, &c->witnesses[worker->number], c->set[i])) fail(c);
}

static void find_shortcuts(mg_path_contraction *c) {
    for (int t = 0; t < c->threads; t++) c->witnesses[t].count = 0;
    run_loop(c, find_some_shortcuts, c->set_count, GRAIN, threads_for(c, c->set_count, GRAIN));
}

/* The neighbours of what is taken out, each once. */
static void look_around(mg_path_contraction *c) {
    c->around_count = 0;
    for (uint64_t i = 0; i < c->set_count; i++) {
        uint32_t v = c->set[i];
        const mg_path_links *l = &c->lists[v];
        for (uint32_t j = 0; j < l->count; j++) {
            uint32_t u = c->pool[l->begin + j].to;
            if (c->level[u] <= c->level[v]) c->level[u] = c->level[v] + 1;
            if (c->more[u] == MG_NO_VERTEX) c->around[c->around_count++] = u;
            c->more[u] = 0;
        }
    }
}

/* An array with room for `count` items, in place of a smaller one; NULL where there is no memory. */
static void *grow(meguri_ctx *ctx, void *array, uint64_t *room, uint64_t count, size_t size) {
    if (array && count <= *room) return array;
    uint64_t bigger = 2 * count + 16;
    void *moved = mg_resize(ctx, array, bigger * size, what);
    if (moved) *room = bigger;
    return moved;
}

/* Brings the shortcuts of all threads together by owner: more[u] becomes where those of u end. */
static bool gather(mg_path_contraction *c) {
    uint64_t count = 0;
    for (int t = 0; t < c->threads; t++) count += c->witnesses[t].count;
    if (count >= MG_NO_VERTEX) {
        mg_fail(c->ctx, MEGURI_NO_MEMORY,
                "the graph is too large for an index of paths: it needs more than 2^32 shortcuts.");
        return false;
    }
    mg_path_shortcut *shortcuts = grow(c->ctx, c->shortcuts, &c->shortcut_room, count, sizeof *shortcuts);
    if (!shortcuts) return false;
    c->shortcuts = shortcuts;
    for (int t = 0; t < c->threads; t++)
        for (uint64_t i = 0; i < c->witnesses[t].count; i++) c->more[c->witnesses[t].found[i].owner]++;
    uint32_t place = 0;
    for (uint64_t i = 0; i < c->around_count; i++) {
        uint32_t here = c->more[c->around[i]];
        c->more[c->around[i]] = place;
        place += here;
    }
    for (int t = 0; t < c->threads; t++)
        for (uint64_t i = 0; i < c->witnesses[t].count; i++) {
            const mg_path_shortcut *s = &c->witnesses[t].found[i];
            c->shortcuts[c->more[s->owner]++] = *s;
        }
    return true;
}

static int in_order(const void *a, const void *b) {
    const mg_path_shortcut *x = a, *y = b;
    if (x->to != y->to) return x->to < y->to ? -1 : 1;
    if (x->cost.whole != y->cost.whole) return x->cost.whole < y->cost.whole ? -1 : 1;
    if (x->middle != y->middle) return x->middle < y->middle ? -1 : 1;
    return (x->sides > y->sides) - (x->sides < y->sides);
}

static void make_cheaper(mg_path_link *link, int side, mg_path_number cost, uint32_t middle) {
    if (link->cost[side].whole <= cost.whole) return;
    link->cost[side] = cost;
    link->middle[side] = middle;
}

/* The shortcuts of one owner as links, by neighbour. */
static uint64_t make_links(mg_path_contraction *c, mg_path_shortcut *s, uint64_t count) {
    uint64_t made = 0;
    qsort(s, count, sizeof *s, in_order);
    for (uint64_t i = 0; i < count; i++) {
        if (i == 0 || s[i].to != s[i - 1].to)
            c->fresh[made++] =
                (mg_path_link){.cost = {c->absent, c->absent}, .middle = {MG_NO_VERTEX, MG_NO_VERTEX}, .to = s[i].to};
        for (int side = 0; side < 2; side++)
            if (s[i].sides >> side & 1) make_cheaper(&c->fresh[made - 1], side, s[i].cost, s[i].middle);
    }
    return made;
}

/* Drops the links to what is taken out, and makes those cheaper that are there; what is left of c->fresh is new. */
static uint64_t refresh(mg_path_contraction *c, mg_path_links *l, uint64_t made) {
    mg_path_link *links = c->pool + l->begin, *fresh = c->fresh;
    uint32_t count = 0;
    uint64_t at = 0, new = 0;
    for (uint32_t i = 0; i < l->count; i++) {
        if (c->chosen[links[i].to]) continue;
        mg_path_link *link = &links[count++];
        *link = links[i];
        while (at < made && fresh[at].to < link->to) fresh[new ++] = fresh[at++];
        if (at == made || fresh[at].to != link->to) continue;
        for (int side = 0; side < 2; side++) make_cheaper(link, side, fresh[at].cost[side], fresh[at].middle[side]);
        at++;
    }
    while (at < made) fresh[new ++] = fresh[at++];
    l->count = count;
    return new;
}

static bool change_links(mg_path_contraction *c, uint32_t u, mg_path_shortcut *s, uint64_t count) {
    mg_path_links *l = &c->lists[u];
    mg_path_link *fresh = grow(c->ctx, c->fresh, &c->fresh_room, count, sizeof *fresh);
    if (!fresh) return false;
    c->fresh = fresh;
    uint64_t new = refresh(c, l, make_links(c, s, count));
    if (l->count + new > l->room) {
        uint64_t room = l->count + new + (l->count + new) / 2;
        if (!pool_space(c, room)) return false;
        memcpy(c->pool + c->pool_count, c->pool + l->begin, l->count * sizeof *c->pool);
        l->begin = c->pool_count;
        l->room = (uint32_t)room;
        c->pool_count += room;
    }
    mg_path_link *links = c->pool + l->begin;
    uint64_t old = l->count, end = l->count + new;
    l->count = (uint32_t)end;
    while (new) { /* from the end on, so that nothing is overwritten */
        bool later = old && links[old - 1].to > c->fresh[new - 1].to;
        links[--end] = later ? links[--old] : c->fresh[--new];
    }
    return true;
}

static void change_all_links(mg_path_contraction *c) {
    uint32_t begin = 0;
    for (uint64_t i = 0; i < c->around_count; i++) {
        uint32_t u = c->around[i], end = c->more[u];
        if (i % 256 == 0 && !going_on(c)) return;
        if (!change_links(c, u, c->shortcuts + begin, end - begin)) {
            fail(c);
            return;
        }
        c->more[u] = MG_NO_VERTEX;
        begin = end;
    }
}

/* How many vertices were taken out. */
static uint64_t take_out(mg_path_contraction *c) {
    uint32_t taken = 0;
    for (uint64_t i = 0; i < c->vertices; i++) c->left[i] = c->around[i] = (uint32_t)i;
    c->left_count = c->around_count = c->vertices;
    while (c->left_count && c->status == MEGURI_OK) {
        compute_prices(c);
        if (c->status != MEGURI_OK) break;
        choose(c);
        if (!c->set_count) break;
        find_shortcuts(c);
        look_around(c);
        if (c->status == MEGURI_OK && !gather(c)) fail(c);
        if (c->status == MEGURI_OK) change_all_links(c);
        for (uint64_t i = 0; i < c->set_count; i++) {
            c->chosen[c->set[i]] = 0;
            c->rank[c->set[i]] = taken++;
        }
    }
    return taken;
}

/* ---- all of it -------------------------------------------------------------------------------------------------- */

static bool allocate(mg_path_contraction *c) {
    meguri_ctx *ctx = c->ctx;
    uint64_t n = c->vertices;
    c->lists = mg_alloc_array_zero(ctx, n, sizeof *c->lists, what);
    c->level = c->lists ? mg_alloc_array_zero(ctx, n, sizeof *c->level, what) : NULL;
    c->rank = c->level ? mg_alloc_array(ctx, n, sizeof *c->rank, what) : NULL;
    c->price = c->rank ? mg_alloc_array(ctx, n, sizeof *c->price, what) : NULL;
    c->chosen = c->price ? mg_alloc_array_zero(ctx, n, sizeof *c->chosen, what) : NULL;
    c->left = c->chosen ? mg_alloc_array(ctx, n, sizeof *c->left, what) : NULL;
    c->set = c->left ? mg_alloc_array(ctx, n, sizeof *c->set, what) : NULL;
    c->around = c->set ? mg_alloc_array(ctx, n, sizeof *c->around, what) : NULL;
    c->more = c->around ? mg_alloc_array(ctx, n, sizeof *c->more, what) : NULL;
    if (!c->more) return false;
    memset(c->rank, 0xff, n * sizeof *c->rank);
    memset(c->more, 0xff, n * sizeof *c->more);
    c->witnesses = mg_alloc_array_zero(c->ctx, (uint64_t)c->threads, sizeof *c->witnesses, what);
    for (int t = 0; t < c->threads && c->witnesses; t++) {
        mg_path_witness *w = &c->witnesses[t];
        w->labels = mg_alloc_array_zero(c->ctx, n, sizeof *w->labels, what);
        if (!w->labels || !mg_path_heap_grow(c->ctx, &w->heap, 0)) return false;
    }
    return c->witnesses;
}

static void release(mg_path_contraction *c) {
    for (int t = 0; t < c->threads && c->witnesses; t++) {
        mg_free(c->witnesses[t].labels);
        mg_free(c->witnesses[t].heap.items);
        mg_free(c->witnesses[t].found);
    }
    void *arrays[] = {c->lists,  c->level, c->rank, c->price,     c->chosen, c->left,     c->set,
                      c->around, c->more,  c->pool, c->shortcuts, c->fresh,  c->witnesses};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) mg_free(arrays[i]);
}

/* Threads for which there is memory, beside the one that is always tried. */
static int threads_that_fit(meguri_ctx *ctx, uint64_t vertices) {
    int threads = mg_lasting_threads(ctx, vertices, 4 * GRAIN);
    uint64_t fit = 1 + mg_memory_left(ctx) / (64 * vertices + ((uint64_t)1 << 20));
    return fit < (uint64_t)threads ? (int)fit : threads;
}

meguri_status mg_path_contract(mg_index *out, meguri_ctx *ctx, const mg_path_ground *ground) {
    double since = mg_now();
    mg_path_contraction c = {.ctx = ctx, .ground = ground, .vertices = ground->vertices};
    if (ground->real) c.absent.real = INFINITY;
    else c.absent.whole = MG_INDEX_ABSENT;
    c.threads = threads_that_fit(ctx, ground->vertices);
    meguri_status status = allocate(&c) ? fill(&c) : MEGURI_NO_MEMORY;
    if (status == MEGURI_OK) {
        uint64_t taken = take_out(&c);
        status = c.status == MEGURI_OK ? mg_path_arrange(out, &c, taken) : c.status;
    }
    mg_trace_phase(ctx, "path", "index", (int64_t)ground->out.arcs, -1, since);
    release(&c);
    return status;
}
