/* What goes from process to process in a level of a search on a cluster, and what becomes of it there. */
#include "algo/bfs/bfs_cluster.h"

static meguri_status strange(meguri_ctx *ctx, mg_bfs_grid *g) {
    return mg_strange(ctx, g->shards->cluster, "it is none of a search");
}

/* ---- fold: what was found, to its owners ------------------------------------------------------------------------ */

meguri_status mg_bfs_grid_send_found(meguri_ctx *ctx, mg_bfs_grid *g, const mg_bfs_part *part, int block,
                                     const mg_set *set) {
    uint32_t message = mg_sparse_to(g->fold, part->target, block)->message;
    mg_sparse_write_set(g->fold, message, set);
    return mg_sparse_send(ctx, g->fold, message);
}

/* ---- merge ------------------------------------------------------------------------------------------------------ */

static bool all_lists(const mg_bfs_grid *g, uint64_t *count) {
    bool lists = true;
    for (uint32_t i = 0; i < mg_sparse_ins(g->fold); i++) {
        mg_set_form form;
        uint64_t bytes;
        const void *message = mg_sparse_set(g->fold, i, &bytes);
        *count += mg_set_count(message, bytes, &form);
        lists &= form == MG_SET_LIST;
    }
    return lists;
}

static void add_fresh(mg_bfs_grid *g, uint32_t v, uint64_t *arcs) {
    g->fresh[v / 64] |= (uint64_t)1 << (v % 64);
    g->fresh_list[g->fresh_count++] = v;
    *arcs += g->shards->degree[v];
    if (g->level) g->level[v] = (int32_t)g->base.depth + 1;
}

/* Few: one by one. */
static meguri_status merge_lists(meguri_ctx *ctx, mg_bfs_grid *g, uint64_t *arcs) {
    const mg_bfs_part *part = &g->part[g->own_part];
    const uint64_t *visited = g->visited[g->own] + g->own_word;
    int block = mg_bfs_window(g, g->own)->owners.me;
    for (uint64_t i = part->begins[block]; i < part->begins[block + 1]; i++) add_fresh(g, part->sorted[i], arcs);
    for (uint32_t k = 0; k < mg_sparse_ins(g->fold); k++) {
        mg_set_form form;
        uint64_t bytes;
        const void *message = mg_sparse_set(g->fold, k, &bytes);
        if (!bytes) continue;
        uint64_t count = mg_set_count(message, bytes, &form);
        const uint32_t *list = mg_set_list(message, bytes, g->words);
        if (!list) return strange(ctx, g);
        uint64_t *asked = g->asked + (uint64_t)mg_sparse_from(g->fold, k)->block * g->words;
        for (uint64_t i = 0; i < count; i++) {
            uint32_t v = list[i];
            uint64_t bit = (uint64_t)1 << (v % 64);
            if ((visited[v / 64] | g->fresh[v / 64]) & bit) continue;
            asked[v / 64] |= bit;
            add_fresh(g, v, arcs);
        }
    }
    return MEGURI_OK;
}

/* Levels, and how much there is; arcs as if what is new were an average sample of the 4096 vertices around it. */
static void count_fresh(mg_bfs_grid *g, uint64_t *arcs) {
    uint32_t owned = g->shards->owned;
    for (uint64_t chunk = 0; 64 * chunk < g->words; chunk++) {
        uint64_t count = 0, end = MG_MIN(64 * (chunk + 1), g->words);
        for (uint64_t w = 64 * chunk; w < end; w++) {
            count += (uint64_t)__builtin_popcountll(g->fresh[w]);
            if (!g->level) continue;
            for (uint64_t x = g->fresh[w]; x; x &= x - 1)
                g->level[64 * w + (uint64_t)__builtin_ctzll(x)] = (int32_t)g->base.depth + 1;
        }
        uint64_t vertices = MG_MIN(64 * end, owned) - MG_MIN(4096 * chunk, owned);
        g->fresh_count += count;
        if (count) *arcs += (uint64_t)((double)g->chunk_arcs[chunk] * (double)count / (double)vertices);
    }
}

static meguri_status merge_bits(meguri_ctx *ctx, mg_bfs_grid *g) {
    const uint64_t *visited = g->visited[g->own] + g->own_word, *next = g->part[g->own_part].next + g->own_word;
    for (uint64_t w = 0; w < g->words; w++) g->fresh[w] = next[w] & ~visited[w];
    for (uint32_t k = 0; k < mg_sparse_ins(g->fold); k++) {
        uint64_t bytes;
        const void *message = mg_sparse_set(g->fold, k, &bytes);
        if (!bytes) continue;
        if (!mg_set_to_bits(g->scratch, message, bytes, visited, g->words)) return strange(ctx, g);
        uint64_t *asked = g->asked + (uint64_t)mg_sparse_from(g->fold, k)->block * g->words;
        for (uint64_t w = 0; w < g->words; w++) {
            uint64_t only = g->scratch[w] & ~(visited[w] | g->fresh[w]);
            asked[w] |= only;
            g->fresh[w] |= only;
        }
    }
    return MEGURI_OK;
}

meguri_status mg_bfs_grid_merge(meguri_ctx *ctx, mg_bfs_grid *g, bool pulled, uint64_t *arcs) {
    meguri_status status = mg_sparse_wait(ctx, g->fold);
    if (status != MEGURI_OK) return status;
    const mg_bfs_part *part = &g->part[g->own_part];
    int block = mg_bfs_window(g, g->own)->owners.me;
    uint64_t count = pulled ? part->block_found[block] : part->begins[block + 1] - part->begins[block];
    bool lists = all_lists(g, &count);
    *arcs = g->fresh_count = 0;
    g->fresh_listed = !pulled && lists && count < g->words;
    if (g->fresh_listed) return merge_lists(ctx, g, arcs);
    status = merge_bits(ctx, g);
    if (pulled && !g->level && mg_bfs_window(g, g->own)->members.count == 1) { /* nobody else: all is known */
        g->fresh_count = count;
        *arcs = g->own_arcs;
    } else if (status == MEGURI_OK) count_fresh(g, arcs);
    return status;
}

/* ---- expand and settle: what is new, to all who look at it ------------------------------------------------------ */

static meguri_status tell(meguri_ctx *ctx, mg_bfs_grid *g) {
    const mg_set set = {.words = g->words,
                        .count = g->fresh_count,
                        .list = g->fresh_listed ? g->fresh_list : NULL,
                        .bits = g->fresh,
                        .known = g->visited[g->own] + g->own_word};
    const mg_layout *l = &g->shards->layout;
    meguri_status status = mg_sparse_begin(ctx, g->expand);
    if (status == MEGURI_OK) status = mg_sparse_begin(ctx, g->settle);
    mg_sparse *written = NULL;
    for (int i = 0; i < l->windows && status == MEGURI_OK; i++) {
        const mg_window *w = &l->window[i];
        mg_sparse *x = w->source ? g->expand : g->settle;
        if (w->owners.me < 0 || w->members.count == 1) continue;
        if (written) mg_sparse_repeat(x, 0, written, 0);
        else mg_sparse_write_set(x, 0, &set);
        written = x;
        status = mg_sparse_send(ctx, x, 0);
    }
    return status;
}

/* The tile whose targets are in a window, or NULL. */
static mg_bfs_part *part_of(mg_bfs_grid *g, int window) {
    for (int p = 0; p < g->parts; p++)
        if (g->part[p].target == window) return &g->part[p];
    return NULL;
}

/* Places [64·word, …) of a window are visited from now on. */
static void settle_list(mg_bfs_grid *g, int window, uint64_t word, const uint32_t *list, uint64_t count, mg_queue *to) {
    mg_bfs_part *part = mg_bfs_window(g, window)->target ? part_of(g, window) : NULL;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t w = word + list[i] / 64, bit = (uint64_t)1 << (list[i] % 64);
        g->visited[window][w] |= bit;
        if (part) part->next[w] |= bit;
        if (to) to->items[to->count++] = (uint32_t)(64 * word + list[i]);
    }
}

static void settle_bits(mg_bfs_grid *g, int window, uint64_t word, const uint64_t *bits, mg_queue *to) {
    mg_bfs_part *part = mg_bfs_window(g, window)->target ? part_of(g, window) : NULL;
    uint64_t *visited = g->visited[window] + word;
    for (uint64_t w = 0; w < g->words; w++) visited[w] |= bits[w];
    if (part)
        for (uint64_t w = 0; w < g->words; w++) part->next[word + w] |= bits[w];
    if (!to) return;
    for (uint64_t w = 0; w < g->words; w++)
        for (uint64_t x = bits[w]; x; x &= x - 1)
            to->items[to->count++] = (uint32_t)(64 * (word + w)) + (uint32_t)__builtin_ctzll(x);
}

static meguri_status hear(meguri_ctx *ctx, mg_bfs_grid *g, const mg_sparse *x, uint32_t in, mg_queue *const to[2]) {
    int window = mg_sparse_from(x, in)->side;
    uint64_t bytes, word = (uint64_t)mg_sparse_from(x, in)->block * g->words;
    const void *message = mg_sparse_set(x, in, &bytes);
    mg_set_form form;
    uint64_t count = mg_set_count(message, bytes, &form);
    if (form == MG_SET_LIST) {
        const uint32_t *list = mg_set_list(message, bytes, g->words);
        if (!list) return strange(ctx, g);
        settle_list(g, window, word, list, count, to[window]);
        return MEGURI_OK;
    }
    if (!mg_set_to_bits(g->scratch, message, bytes, g->visited[window] + word, g->words)) return strange(ctx, g);
    settle_bits(g, window, word, g->scratch, to[window]);
    return MEGURI_OK;
}

static meguri_status hear_all(meguri_ctx *ctx, mg_bfs_grid *g, mg_sparse *x, mg_queue *const to[2]) {
    meguri_status status = MEGURI_OK;
    for (uint32_t i = 0; i < mg_sparse_ins(x) && status == MEGURI_OK; i++) status = hear(ctx, g, x, i, to);
    return status;
}

meguri_status mg_bfs_grid_expand(meguri_ctx *ctx, mg_bfs_grid *g, bool push_next) {
    const mg_layout *l = &g->shards->layout;
    meguri_status status = tell(ctx, g);
    mg_queue *to[2] = {NULL, NULL};
    /* What is known here is taken up while messages are under way. */
    for (int i = 0; i < l->windows && status == MEGURI_OK; i++) {
        const mg_window *w = &l->window[i];
        if (push_next && w->source) to[i] = &g->frontier[i];
        if (to[i]) to[i]->count = 0;
        if (w->owners.me < 0) continue;
        uint64_t word = (uint64_t)w->owners.me * g->words;
        if (g->fresh_listed) settle_list(g, i, word, g->fresh_list, g->fresh_count, to[i]);
        else settle_bits(g, i, word, g->fresh, to[i]);
    }
    if (status == MEGURI_OK) status = mg_sparse_wait(ctx, g->expand);
    if (status == MEGURI_OK) status = mg_sparse_wait(ctx, g->settle);
    if (status == MEGURI_OK) status = hear_all(ctx, g, g->expand, to);
    if (status == MEGURI_OK) status = hear_all(ctx, g, g->settle, to);
    if (g->fresh_listed)
        for (uint64_t i = 0; i < g->fresh_count; i++) g->fresh[g->fresh_list[i] / 64] = 0;
    else memset(g->fresh, 0, g->words * sizeof *g->fresh);
    return status;
}

/* ---- parents ---------------------------------------------------------------------------------------------------- */

/* A position takes `reply_bits` bits; bits of a reply go from low to high through words of 32. */
static uint64_t reply_words(const mg_bfs_grid *g, uint64_t count) { return (count * g->reply_bits + 31) / 32; }

static void put_parent(const mg_bfs_grid *g, uint32_t *words, uint64_t i, uint64_t position) {
    uint64_t bit = i * g->reply_bits, value = position << (bit % 32);
    words += bit / 32;
    words[0] |= (uint32_t)value;
    if (value >> 32) words[1] |= (uint32_t)(value >> 32);
    if (bit % 32 + g->reply_bits > 64) words[2] |= (uint32_t)(position >> (64 - bit % 32));
}

static uint64_t get_parent(const mg_bfs_grid *g, const uint32_t *words, uint64_t i) {
    uint64_t bit = i * g->reply_bits;
    words += bit / 32;
    uint64_t value = words[0];
    if (bit % 32 + g->reply_bits > 32) value |= (uint64_t)words[1] << 32;
    value >>= bit % 32;
    if (bit % 32 + g->reply_bits > 64) value |= (uint64_t)words[2] << (64 - bit % 32);
    return value & (((uint64_t)1 << g->reply_bits) - 1);
}

static uint64_t count_bits(const uint64_t *bits, uint64_t words) {
    uint64_t count = 0;
    for (uint64_t w = 0; w < words; w++) count += (uint64_t)__builtin_popcountll(bits[w]);
    return count;
}

/* Owners name the vertices whose parents they want from each of the others. */
static meguri_status ask(meguri_ctx *ctx, mg_bfs_grid *g) {
    const mg_group *members = &mg_bfs_window(g, g->own)->members;
    meguri_status status = mg_sparse_begin(ctx, g->ask);
    memset(g->scratch, 0, g->words * sizeof *g->scratch);
    for (int k = 0; k < members->count && status == MEGURI_OK; k++) {
        if (k == members->me) continue;
        const uint64_t *asked = g->asked + (uint64_t)k * g->words;
        mg_set set = {.words = g->words, .count = count_bits(asked, g->words), .bits = asked, .known = g->scratch};
        uint32_t message = mg_sparse_to(g->ask, g->own, k)->message;
        mg_sparse_write_set(g->ask, message, &set);
        status = mg_sparse_send(ctx, g->ask, message);
    }
    return status == MEGURI_OK ? mg_sparse_wait(ctx, g->ask) : status;
}

/* Answers one request with the parents it asks for, in the order of the places; *to moves on. */
static meguri_status answer(meguri_ctx *ctx, mg_bfs_grid *g, uint32_t in, uint32_t **to) {
    const mg_sparse_peer *from = mg_sparse_from(g->ask, in);
    uint64_t bytes, *wanted = g->scratch, *none = g->fresh; /* which is empty between levels */
    const void *message = mg_sparse_set(g->ask, in, &bytes);
    if (!mg_set_to_bits(wanted, message, bytes, none, g->words)) return strange(ctx, g);
    uint64_t count = count_bits(wanted, g->words), i = 0, length = reply_words(g, count);
    if (!count) return MEGURI_OK;
    memset(*to, 0, length * sizeof **to);
    const mg_bfs_part *part = part_of(g, from->side);
    const uint32_t *tree = part->tree + (uint64_t)from->block * 64 * g->words;
    for (uint64_t w = 0; w < g->words; w++)
        for (uint64_t x = wanted[w]; x; x &= x - 1)
            put_parent(g, *to, i++, mg_bfs_parent_of(g, part, tree[64 * w + (uint64_t)__builtin_ctzll(x)]));
    meguri_status status = mg_exchange_send(ctx, g->parents, from->rank, *to, 4 * length, 4 * length);
    *to += length;
    return status;
}

/* Whether they are positions. */
static bool take_parents(mg_bfs_grid *g, const uint32_t *reply, int member) {
    const uint64_t *asked = g->asked + (uint64_t)member * g->words;
    uint64_t i = 0, most = 0;
    for (uint64_t w = 0; w < g->words; w++)
        for (uint64_t x = asked[w]; x; x &= x - 1) {
            uint64_t parent = get_parent(g, reply, i++);
            mg_global_put(g->parent, g->slot[64 * w + (uint64_t)__builtin_ctzll(x)], parent);
            most = MG_MAX(most, parent);
        }
    return most < g->shards->vertices;
}

meguri_status mg_bfs_grid_fetch_parents(meguri_ctx *ctx, mg_bfs_grid *g) {
    const mg_window *own = mg_bfs_window(g, g->own);
    uint64_t largest = 0;
    for (int p = 0; p < g->parts; p++) largest = MG_MAX(largest, (uint64_t)g->part[p].tile->targets->members.count);
    if (largest == 1) return MEGURI_OK; /* at every process: nobody looks for vertices of others */
    meguri_status status = ask(ctx, g);
    uint32_t *in = g->replies, *out;
    for (int k = 0; k < own->members.count && status == MEGURI_OK; k++) {
        if (k == own->members.me) continue;
        uint64_t length = reply_words(g, count_bits(g->asked + (uint64_t)k * g->words, g->words));
        if (length) status = mg_exchange_receive(ctx, g->parents, own->members.ranks[k], in, 4 * length, NULL);
        in += length;
    }
    out = in;
    for (uint32_t i = 0; i < mg_sparse_ins(g->ask) && status == MEGURI_OK; i++) status = answer(ctx, g, i, &out);
    if (status == MEGURI_OK) status = mg_exchange_wait(ctx, g->parents);
    in = g->replies;
    for (int k = 0; k < own->members.count && status == MEGURI_OK; k++) {
        if (k == own->members.me) continue;
        if (!take_parents(g, in, k)) return strange(ctx, g);
        in += reply_words(g, count_bits(g->asked + (uint64_t)k * g->words, g->words));
    }
    return status;
}
