/* What travels in a search for shortest paths on a cluster: (vertex, distance) to those who have arcs, (vertex,
 * distance, parent) to owners. Integer distances that fit take 32 bits. */
#include "algo/sssp/sssp_cluster.h"

/* ---- items ------------------------------------------------------------------------------------------------------ */

/* A distance of 4 or 8 bytes, and in a fold a parent. */
static size_t parent_bytes(const mg_sssp_parts *s, bool fold) { return fold ? mg_global_bytes(s->shards->wide) : 0; }

static size_t item_bytes(const mg_sssp_parts *s, const mg_sssp_wide *labels, const uint32_t *numbers, uint64_t count,
                         bool fold) {
    bool narrow = !s->real;
    for (uint64_t i = 0; i < count && narrow; i++) narrow = labels[numbers[i]].distance.number <= UINT32_MAX;
    return (narrow ? sizeof(uint32_t) : sizeof(uint64_t)) + parent_bytes(s, fold);
}

/* Writes a message about `count` vertices of a block of `vertices`, whose labels these are. */
static void write_message(const mg_sssp_parts *s, mg_sparse *x, uint32_t message, const mg_sssp_wide *labels,
                          const uint32_t *numbers, uint64_t count, uint64_t vertices, bool fold) {
    size_t bytes = item_bytes(s, labels, numbers, count, fold), far = bytes - parent_bytes(s, fold);
    const uint32_t *order;
    char *at = mg_sparse_write(x, message, numbers, count, vertices, bytes, &order);
    for (uint64_t i = 0; i < count; i++, at += bytes) {
        const mg_sssp_wide *label = &labels[order[i]];
        uint32_t narrow = (uint32_t)label->distance.number;
        if (far == sizeof narrow) memcpy(at, &narrow, sizeof narrow);
        else memcpy(at, &label->distance.number, sizeof label->distance.number);
        uint64_t parent = mg_sssp_parent_of(label, s->shards->wide);
        if (fold) memcpy(at + far, &parent, bytes - far); /* the lower bytes come first */
    }
}

/* That items are of one of the two lengths. */
static bool item_is(const mg_sssp_parts *s, const mg_sparse_items *items, bool fold) {
    size_t far = items->item_bytes - parent_bytes(s, fold);
    return !items->count || far == sizeof(uint32_t) || far == sizeof(uint64_t);
}

static inline uint64_t distance_at(const char *item, size_t far) {
    uint32_t narrow;
    uint64_t wide;
    if (far == sizeof narrow) {
        memcpy(&narrow, item, sizeof narrow);
        return narrow;
    }
    memcpy(&wide, item, sizeof wide);
    return wide;
}

/* ---- expand ----------------------------------------------------------------------------------------------------- */

/* Of what was taken, those whose distance the others do not know. */
static void keep_news(mg_sssp_parts *s) {
    mg_sssp_side *side = &s->side[s->own_source];
    const mg_sssp_wide *labels = s->state.labels;
    uint64_t kept = 0, far = mg_sssp_far(s->real);
    s->again = 0;
    for (uint64_t i = 0; i < s->taken_count; i++) {
        uint32_t v = s->taken[i];
        uint64_t word = labels[v].distance.number, *sent = &side->sent[side->own + v];
        s->marked.words[v / 64] = 0;
        if (word >= *sent) continue;
        s->again += *sent < far;
        *sent = word;
        s->taken[kept++] = v;
    }
    s->taken_count = kept;
}

static meguri_status read_expanded(meguri_ctx *ctx, mg_sssp_parts *s, uint32_t in) {
    const mg_sparse_peer *from = mg_sparse_from(s->expand, in);
    mg_sssp_side *side = &s->side[from->side];
    uint32_t *front = side->front + side->front_count;
    uint64_t *far = side->front_far + side->front_count;
    mg_sparse_items got;
    meguri_status status =
        mg_sparse_read(&got, front, ctx, s->expand, in, (uint32_t)((uint64_t)from->block * side->window->stride));
    if (status != MEGURI_OK) return status;
    if (!item_is(s, &got, false)) return mg_strange(ctx, s->shards->cluster, "its items are no distances");
    uint64_t nowhere = mg_sssp_far(s->real);
    bool distances = true;
    for (uint64_t i = 0; i < got.count; i++) {
        side->sent[front[i]] = far[i] = distance_at(got.items + i * got.item_bytes, got.item_bytes);
        distances &= far[i] < nowhere;
    }
    side->front_count += got.count;
    return distances ? MEGURI_OK : mg_strange(ctx, s->shards->cluster, "its items are no distances");
}

meguri_status mg_sssp_cluster_expand(meguri_ctx *ctx, mg_sssp_parts *s) {
    meguri_status status = mg_sparse_begin(ctx, s->expand);
    for (int i = 0; i < s->shards->layout.windows; i++) s->side[i].front_count = 0;
    keep_news(s);
    if (s->shards->layout.window[s->own_source].members.count > 1) {
        write_message(s, s->expand, 0, s->state.labels, s->taken, s->taken_count, s->shards->owned, false);
        if (status == MEGURI_OK) status = mg_sparse_send(ctx, s->expand, 0);
    }
    if (status == MEGURI_OK) status = mg_sparse_wait(ctx, s->expand);
    for (uint32_t i = 0; i < mg_sparse_ins(s->expand) && status == MEGURI_OK; i++) status = read_expanded(ctx, s, i);
    return status;
}

/* ---- fold ------------------------------------------------------------------------------------------------------- */

/* What was found, by owner, in numbers of the block. */
static void sort_found(mg_sssp_side *side) {
    uint64_t stride = side->window->stride, *ends = side->block_ends;
    int blocks = side->window->owners.count;
    memset(ends, 0, ((uint64_t)blocks + 1) * sizeof *ends);
    for (uint64_t i = 0; i < side->found.count; i++) ends[side->found.items[i] / stride + 1]++;
    for (int b = 0; b < blocks; b++) ends[b + 1] += ends[b];
    for (uint64_t i = 0; i < side->found.count; i++) {
        uint32_t place = side->found.items[i];
        uint64_t block = place / stride;
        side->by_block[ends[block]++] = (uint32_t)(place - block * stride);
        side->noted.words[place / 64] = 0;
    }
    side->found.count = 0;
}

static meguri_status send_found(meguri_ctx *ctx, mg_sssp_parts *s, int i) {
    mg_sssp_side *side = &s->side[i];
    const mg_window *w = side->window;
    meguri_status status = MEGURI_OK;
    sort_found(side);
    for (int b = 0; b < w->owners.count && status == MEGURI_OK; b++) {
        if (b == w->owners.me) continue;
        uint64_t begin = b ? side->block_ends[b - 1] : 0, count = side->block_ends[b] - begin;
        const mg_sparse_peer *to = mg_sparse_to(s->fold, i, b);
        write_message(s, s->fold, to->message, side->labels + (uint64_t)b * w->stride, side->by_block + begin, count,
                      to->vertices, true);
        status = mg_sparse_send(ctx, s->fold, to->message);
    }
    return status;
}

static void lower_labels(void *user, uint32_t worker, const uint32_t *numbers, const mg_sparse_items *items) {
    mg_sssp_parts *s = user;
    mg_sssp_wide *labels = s->state.labels;
    const char *item = items->items;
    size_t far = items->item_bytes - parent_bytes(s, true);
    if (!item_is(s, items, true)) {
        mg_store(&s->strange, 1);
        return;
    }
    for (uint64_t i = 0; i < items->count; i++, item += items->item_bytes) {
        uint32_t v = numbers[i];
        uint64_t word = distance_at(item, far);
        if (word >= labels[v].distance.number) continue;
        labels[v].distance.number = word;
        uint64_t parent = 0;
        memcpy(&parent, item + far, items->item_bytes - far);
        mg_sssp_set_parent(&labels[v], parent);
        if (v < s->first_leaf) mg_sssp_put(&s->state, s->state.workers[worker], v, mg_sssp_bin_of_word(s, word));
    }
}

meguri_status mg_sssp_cluster_fold(meguri_ctx *ctx, mg_sssp_parts *s) {
    const mg_layout *l = &s->shards->layout;
    meguri_status status = mg_sparse_begin(ctx, s->fold);
    for (int i = 0; i < l->windows && status == MEGURI_OK; i++)
        if (l->window[i].target) status = send_found(ctx, s, i);
    if (status == MEGURI_OK) status = mg_sparse_wait(ctx, s->fold);
    if (status == MEGURI_OK) status = mg_sparse_combine(ctx, s->fold, s->state.worker_count, lower_labels, s);
    if (s->strange) status = mg_strange(ctx, s->shards->cluster, "its items are no labels");
    return status;
}

/* ---- who waits -------------------------------------------------------------------------------------------------- */

meguri_status mg_sssp_cluster_tell_waiting(meguri_ctx *ctx, mg_sssp_parts *s) {
    const mg_layout *l = &s->shards->layout;
    meguri_status status = MEGURI_OK;
    for (int i = 0; i < l->windows; i++) {
        const mg_window *w = &l->window[i];
        for (int b = 0; w->target && b < w->owners.count && status == MEGURI_OK; b++)
            if (b != w->owners.me)
                status =
                    mg_exchange_receive(ctx, s->settle, w->owners.ranks[b],
                                        s->side[i].waiting.words + (uint64_t)b * w->stride / 64, w->stride / 8, NULL);
    }
    const mg_sssp_side *side = &s->side[s->own_target];
    const mg_group *members = &side->window->members;
    for (int k = 1; k < members->count && status == MEGURI_OK; k++)
        status =
            mg_exchange_send(ctx, s->settle, members->ranks[(members->me + k) % members->count],
                             side->waiting.words + side->own / 64, side->window->stride / 8, side->window->stride / 8);
    return status == MEGURI_OK ? mg_exchange_wait(ctx, s->settle) : status;
}
