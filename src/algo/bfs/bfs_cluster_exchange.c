/* What goes from process to process in a level of a search on a cluster, and what becomes of it there. */
#include "algo/bfs/bfs_cluster.h"

static meguri_status strange(meguri_ctx *ctx, mg_bfs_grid *g) {
    g->shards->cluster->failed = true;
    return mg_fail(ctx, MEGURI_ENGINE_FAILED, "a message that came from another process is none of a search.");
}

/* ---- fold: what was found, to its owners ------------------------------------------------------------------------ */

meguri_status mg_bfs_grid_await_found(meguri_ctx *ctx, mg_bfs_grid *g) {
    const mg_group *members = &mg_bfs_window(g, g->own)->members;
    meguri_status status = MEGURI_OK;
    for (int k = 0; k < members->count && status == MEGURI_OK; k++)
        if (k != members->me)
            status = mg_exchange_receive(ctx, g->fold, members->ranks[k], g->folded + (uint64_t)k * mg_bfs_message(g),
                                         mg_set_capacity(g->words), &g->folded_bytes[k]);
    return status;
}

meguri_status mg_bfs_grid_send_found(meguri_ctx *ctx, mg_bfs_grid *g, mg_bfs_part *part, int block, const mg_set *set) {
    char *message = part->messages + (uint64_t)block * mg_bfs_message(g);
    uint64_t bytes = mg_set_write(message, set, g->packed);
    meguri_status status = mg_exchange_send(ctx, g->fold, part->tile->targets->owners.ranks[block], message, bytes,
                                            mg_set_capacity(g->words));
    bool done;
    return status == MEGURI_OK ? mg_exchange_poll(ctx, g->fold, &done) : status;
}

/* ---- merge ------------------------------------------------------------------------------------------------------ */

static bool all_lists(const mg_bfs_grid *g, uint64_t *count) {
    const mg_group *members = &mg_bfs_window(g, g->own)->members;
    bool lists = true;
    for (int k = 0; k < members->count; k++) {
        mg_set_form form;
        if (k == members->me) continue;
        *count += mg_set_count(g->folded + (uint64_t)k * mg_bfs_message(g), g->folded_bytes[k], &form);
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
    const mg_group *members = &mg_bfs_window(g, g->own)->members;
    const mg_bfs_part *part = &g->part[g->own_part];
    const uint64_t *visited = g->visited[g->own] + g->own_word;
    int block = mg_bfs_window(g, g->own)->owners.me;
    for (uint64_t i = part->begins[block]; i < part->begins[block + 1]; i++) add_fresh(g, part->sorted[i], arcs);
    for (int k = 0; k < members->count; k++) {
        if (k == members->me || !g->folded_bytes[k]) continue;
        const char *message = g->folded + (uint64_t)k * mg_bfs_message(g);
        mg_set_form form;
        uint64_t count = mg_set_count(message, g->folded_bytes[k], &form);
        const uint32_t *list = mg_set_list(message, g->folded_bytes[k], g->words);
        if (!list) return strange(ctx, g);
        uint64_t *asked = g->asked + (uint64_t)k * g->words;
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
    const mg_group *members = &mg_bfs_window(g, g->own)->members;
    const uint64_t *visited = g->visited[g->own] + g->own_word, *next = g->part[g->own_part].next + g->own_word;
    for (uint64_t w = 0; w < g->words; w++) g->fresh[w] = next[w] & ~visited[w];
    for (int k = 0; k < members->count; k++) {
        if (k == members->me || !g->folded_bytes[k]) continue;
        if (!mg_set_to_bits(g->scratch, g->folded + (uint64_t)k * mg_bfs_message(g), g->folded_bytes[k], visited,
                            g->words))
            return strange(ctx, g);
        uint64_t *asked = g->asked + (uint64_t)k * g->words;
        for (uint64_t w = 0; w < g->words; w++) {
            uint64_t only = g->scratch[w] & ~(visited[w] | g->fresh[w]);
            asked[w] |= only;
            g->fresh[w] |= only;
        }
    }
    return MEGURI_OK;
}

meguri_status mg_bfs_grid_merge(meguri_ctx *ctx, mg_bfs_grid *g, bool pulled, uint64_t *arcs) {
    meguri_status status = mg_exchange_wait(ctx, g->fold);
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

static mg_exchange *exchange_of(const mg_bfs_grid *g, const mg_window *w) { return w->source ? g->expand : g->settle; }

static meguri_status tell(meguri_ctx *ctx, mg_bfs_grid *g) {
    const mg_set set = {.words = g->words,
                        .count = g->fresh_count,
                        .list = g->fresh_listed ? g->fresh_list : NULL,
                        .bits = g->fresh,
                        .known = g->visited[g->own] + g->own_word};
    const mg_layout *l = &g->shards->layout;
    uint64_t capacity = mg_set_capacity(g->words), bytes = 0;
    meguri_status status = MEGURI_OK;
    bool written = false;
    for (int i = 0; i < l->windows && status == MEGURI_OK; i++) {
        const mg_window *w = &l->window[i];
        for (int b = 0; b < w->owners.count && status == MEGURI_OK; b++)
            if (b != w->owners.me)
                status =
                    mg_exchange_receive(ctx, exchange_of(g, w), w->owners.ranks[b],
                                        g->heard[i] + (uint64_t)b * mg_bfs_message(g), capacity, &g->heard_bytes[i][b]);
    }
    for (int i = 0; i < l->windows && status == MEGURI_OK; i++) {
        const mg_window *w = &l->window[i];
        if (w->owners.me < 0 || w->members.count == 1) continue;
        if (!written) bytes = mg_set_write(g->told, &set, g->packed);
        written = true;
        for (int k = 1; k < w->members.count && status == MEGURI_OK; k++)
            status = mg_exchange_send(ctx, exchange_of(g, w), w->members.ranks[(w->members.me + k) % w->members.count],
                                      g->told, bytes, capacity);
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

static meguri_status hear(meguri_ctx *ctx, mg_bfs_grid *g, int window, int block, mg_queue *to) {
    const char *message = g->heard[window] + (uint64_t)block * mg_bfs_message(g);
    uint64_t bytes = g->heard_bytes[window][block], word = (uint64_t)block * g->words;
    mg_set_form form;
    uint64_t count = mg_set_count(message, bytes, &form);
    if (form == MG_SET_LIST) {
        const uint32_t *list = mg_set_list(message, bytes, g->words);
        if (!list) return strange(ctx, g);
        settle_list(g, window, word, list, count, to);
        return MEGURI_OK;
    }
    if (!mg_set_to_bits(g->scratch, message, bytes, g->visited[window] + word, g->words)) return strange(ctx, g);
    settle_bits(g, window, word, g->scratch, to);
    return MEGURI_OK;
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
    if (status == MEGURI_OK) status = mg_exchange_wait(ctx, g->expand);
    if (status == MEGURI_OK) status = mg_exchange_wait(ctx, g->settle);
    for (int i = 0; i < l->windows && status == MEGURI_OK; i++)
        for (int b = 0; b < l->window[i].owners.count && status == MEGURI_OK; b++)
            if (b != l->window[i].owners.me) status = hear(ctx, g, i, b, to[i]);
    if (g->fresh_listed)
        for (uint64_t i = 0; i < g->fresh_count; i++) g->fresh[g->fresh_list[i] / 64] = 0;
    else memset(g->fresh, 0, g->words * sizeof *g->fresh);
    return status;
}

/* ---- parents ---------------------------------------------------------------------------------------------------- */

/* A position takes `reply_bits` bits; bits of a reply go from low to high through words of 32. */
static uint64_t reply_words(const mg_bfs_grid *g, uint64_t count) { return (count * g->reply_bits + 31) / 32; }

static void put_parent(const mg_bfs_grid *g, uint32_t *words, uint64_t i, uint32_t position) {
    uint64_t bit = i * g->reply_bits, value = (uint64_t)position << (bit % 32);
    words[bit / 32] |= (uint32_t)value;
    if (value >> 32) words[bit / 32 + 1] |= (uint32_t)(value >> 32);
}

static uint32_t get_parent(const mg_bfs_grid *g, const uint32_t *words, uint64_t i) {
    uint64_t bit = i * g->reply_bits, value = words[bit / 32];
    if (bit % 32 + g->reply_bits > 32) value |= (uint64_t)words[bit / 32 + 1] << 32;
    return (uint32_t)(value >> (bit % 32) & (((uint64_t)1 << g->reply_bits) - 1));
}

static uint64_t count_bits(const uint64_t *bits, uint64_t words) {
    uint64_t count = 0;
    for (uint64_t w = 0; w < words; w++) count += (uint64_t)__builtin_popcountll(bits[w]);
    return count;
}

/* Owners name the vertices whose parents they want from each of the others. */
static meguri_status ask(meguri_ctx *ctx, mg_bfs_grid *g) {
    const mg_window *own = mg_bfs_window(g, g->own);
    uint64_t capacity = mg_set_capacity(g->words);
    meguri_status status = MEGURI_OK;
    for (int p = 0; p < g->parts && status == MEGURI_OK; p++) {
        const mg_group *owners = &g->part[p].tile->targets->owners;
        for (int b = 0; b < owners->count && status == MEGURI_OK; b++)
            if (b != owners->me)
                status = mg_exchange_receive(ctx, g->parents, owners->ranks[b],
                                             g->part[p].messages + (uint64_t)b * mg_bfs_message(g), capacity,
                                             &g->part[p].message_bytes[b]);
    }
    memset(g->scratch, 0, g->words * sizeof *g->scratch);
    for (int k = 0; k < own->members.count && status == MEGURI_OK; k++) {
        if (k == own->members.me) continue;
        const uint64_t *asked = g->asked + (uint64_t)k * g->words;
        mg_set set = {.words = g->words, .count = count_bits(asked, g->words), .bits = asked, .known = g->scratch};
        char *message = g->folded + (uint64_t)k * mg_bfs_message(g);
        uint64_t bytes = mg_set_write(message, &set, g->packed);
        status = mg_exchange_send(ctx, g->parents, own->members.ranks[k], message, bytes, capacity);
    }
    return status == MEGURI_OK ? mg_exchange_wait(ctx, g->parents) : status;
}

/* Answers one request with the parents it asks for, in the order of the places; *to moves on. */
static meguri_status answer(meguri_ctx *ctx, mg_bfs_grid *g, const mg_bfs_part *part, int block, uint32_t **to) {
    const char *message = part->messages + (uint64_t)block * mg_bfs_message(g);
    uint64_t *wanted = g->scratch, *none = g->fresh; /* which is empty between levels */
    if (!mg_set_to_bits(wanted, message, part->message_bytes[block], none, g->words)) return strange(ctx, g);
    uint64_t count = count_bits(wanted, g->words), i = 0, length = reply_words(g, count);
    if (!count) return MEGURI_OK;
    memset(*to, 0, length * sizeof **to);
    const uint32_t *tree = part->tree + (uint64_t)block * 64 * g->words;
    for (uint64_t w = 0; w < g->words; w++)
        for (uint64_t x = wanted[w]; x; x &= x - 1)
            put_parent(g, *to, i++, tree[64 * w + (uint64_t)__builtin_ctzll(x)]);
    meguri_status status =
        mg_exchange_send(ctx, g->parents, part->tile->targets->owners.ranks[block], *to, 4 * length, 4 * length);
    *to += length;
    return status;
}

static void take_parents(mg_bfs_grid *g, const uint32_t *reply, int member) {
    uint32_t *tree = g->part[g->own_part].tree + 64 * g->own_word;
    const uint64_t *asked = g->asked + (uint64_t)member * g->words;
    uint64_t i = 0;
    for (uint64_t w = 0; w < g->words; w++)
        for (uint64_t x = asked[w]; x; x &= x - 1)
            tree[64 * w + (uint64_t)__builtin_ctzll(x)] = get_parent(g, reply, i++);
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
    for (int p = 0; p < g->parts && status == MEGURI_OK; p++)
        for (int b = 0; b < g->part[p].tile->targets->owners.count && status == MEGURI_OK; b++)
            if (b != g->part[p].tile->targets->owners.me) status = answer(ctx, g, &g->part[p], b, &out);
    if (status == MEGURI_OK) status = mg_exchange_wait(ctx, g->parents);
    in = g->replies;
    for (int k = 0; k < own->members.count && status == MEGURI_OK; k++) {
        if (k == own->members.me) continue;
        take_parents(g, in, k);
        in += reply_words(g, count_bits(g->asked + (uint64_t)k * g->words, g->words));
    }
    return status;
}
