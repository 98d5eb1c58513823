/* What travels in a search for shortest paths on a cluster.
 *
 * A message is about vertices of one block, its owner's or its sender's: which ones, their distances, and in a fold
 * their parents. Which ones is a list of numbers or a bitmap, whichever is smaller; integer distances that fit take 32
 * bits.
 *
 *   head       64 bits: the count, and the form
 *   bitmap     a bit for each vertex of the block            } one of
 *   numbers    32 bits for each vertex, at the end           } these two
 *   distances  64 bits or 32 for each
 *   parents    32 bits for each, in a fold */
#include "algo/sssp/sssp_cluster.h"

#define BITMAP (1ull << 32)
#define NARROW (1ull << 33)
#define COUNT  0xffffffffull

#define THREAD_ITEMS 16384 /* vertices of a message that are worth a thread */

/* ---- messages --------------------------------------------------------------------------------------------------- */

/* Where the parts of a message are. */
typedef struct parts {
    uint64_t count;
    bool narrow;
    uint64_t *bits;    /* NULL: numbers */
    uint32_t *numbers; /* NULL: bits */
    void *distances;
    uint32_t *parents; /* of a fold */
    uint64_t bytes;    /* of the whole message */
} parts;

static parts parts_of(char *message, uint64_t head, uint64_t stride, bool fold) {
    parts p = {.count = head & COUNT, .narrow = head & NARROW};
    char *at = message + sizeof head;
    if (head & BITMAP) {
        p.bits = (uint64_t *)at;
        at += stride / 8;
    }
    p.distances = at;
    at += p.count * (p.narrow ? 4 : 8);
    if (fold) {
        p.parents = (uint32_t *)at;
        at += p.count * 4;
    }
    if (!p.bits) {
        p.numbers = (uint32_t *)at;
        at += p.count * 4;
    }
    p.bytes = (uint64_t)(at - message);
    return p;
}

static inline void write_item(const parts *p, uint64_t i, const mg_sssp_wide *label) {
    if (p->narrow) ((uint32_t *)p->distances)[i] = (uint32_t)label->distance.number;
    else ((uint64_t *)p->distances)[i] = label->distance.number;
    if (p->parents) p->parents[i] = label->parent;
}

static inline uint64_t distance_at(const parts *p, uint64_t i) {
    return p->narrow ? ((const uint32_t *)p->distances)[i] : ((const uint64_t *)p->distances)[i];
}

/* Writes a message about `count` vertices of a block, whose labels these are; returns its length. */
static uint64_t encode(mg_sssp_parts *s, char *message, const mg_sssp_wide *labels, const uint32_t *numbers,
                       uint64_t count, bool fold) {
    uint64_t stride = s->scratch.bits, head = count;
    bool narrow = !s->real;
    for (uint64_t i = 0; i < count && narrow; i++) narrow = labels[numbers[i]].distance.number <= UINT32_MAX;
    if (narrow) head |= NARROW;
    if (4 * count > stride / 8) head |= BITMAP;
    memcpy(message, &head, sizeof head);
    parts p = parts_of(message, head, stride, fold);
    if (p.numbers) {
        memcpy(p.numbers, numbers, count * sizeof *numbers);
        for (uint64_t i = 0; i < count; i++) write_item(&p, i, &labels[numbers[i]]);
        return p.bytes;
    }
    for (uint64_t i = 0; i < count; i++) mg_bitmap_set(&s->scratch, numbers[i]);
    uint64_t item = 0;
    for (uint64_t word = 0; word < stride / 64; word++) {
        uint64_t bits = s->scratch.words[word];
        p.bits[word] = bits;
        s->scratch.words[word] = 0;
        for (; bits; bits &= bits - 1) write_item(&p, item++, &labels[64 * word + (uint64_t)__builtin_ctzll(bits)]);
    }
    return p.bytes;
}

/* Reads which vertices a message is about, into numbers that begin at `first`. */
static parts decode(char *message, uint32_t *numbers, uint32_t first, uint64_t stride, bool fold) {
    uint64_t head;
    memcpy(&head, message, sizeof head);
    parts p = parts_of(message, head, stride, fold);
    for (uint64_t i = 0; p.numbers && i < p.count; i++) numbers[i] = first + p.numbers[i];
    uint64_t item = 0;
    for (uint64_t word = 0; p.bits && word < stride / 64; word++)
        for (uint64_t bits = p.bits[word]; bits; bits &= bits - 1)
            numbers[item++] = first + (uint32_t)(64 * word + (uint64_t)__builtin_ctzll(bits));
    return p;
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

static void read_expanded(mg_sssp_side *side, const mg_sssp_parts *s) {
    for (int b = 0; b < side->window->owners.count; b++) {
        if (b == side->window->owners.me) continue;
        char *message = side->expand_in + (uint64_t)b * s->expand_most;
        uint32_t first = (uint32_t)((uint64_t)b * side->window->stride), *front = side->front + side->front_count;
        uint64_t *far = side->front_far + side->front_count;
        parts p = decode(message, front, first, side->window->stride, false);
        for (uint64_t i = 0; i < p.count; i++) side->sent[front[i]] = far[i] = distance_at(&p, i);
        side->front_count += p.count;
    }
}

meguri_status mg_sssp_cluster_expand(meguri_ctx *ctx, mg_sssp_parts *s) {
    uint64_t ignored;
    const mg_layout *l = &s->shards->layout;
    meguri_status status = MEGURI_OK;
    for (int i = 0; i < l->windows; i++) {
        const mg_window *w = &l->window[i];
        s->side[i].front_count = 0;
        for (int b = 0; w->source && b < w->owners.count && status == MEGURI_OK; b++)
            if (b != w->owners.me)
                status =
                    mg_exchange_receive(ctx, s->expand, w->owners.ranks[b],
                                        s->side[i].expand_in + (uint64_t)b * s->expand_most, s->expand_most, &ignored);
    }
    const mg_group *members = &l->window[s->own_source].members;
    uint64_t bytes = 0;
    keep_news(s);
    if (members->count > 1) bytes = encode(s, s->expand_out, s->state.labels, s->taken, s->taken_count, false);
    for (int k = 1; k < members->count && status == MEGURI_OK; k++)
        status = mg_exchange_send(ctx, s->expand, members->ranks[(members->me + k) % members->count], s->expand_out,
                                  bytes, s->expand_most);
    if (status == MEGURI_OK) status = mg_exchange_wait(ctx, s->expand);
    for (int i = 0; i < l->windows && status == MEGURI_OK; i++)
        if (l->window[i].source) read_expanded(&s->side[i], s);
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

static meguri_status send_found(meguri_ctx *ctx, mg_sssp_parts *s, mg_sssp_side *side) {
    const mg_window *w = side->window;
    meguri_status status = MEGURI_OK;
    sort_found(side);
    for (int b = 0; b < w->owners.count && status == MEGURI_OK; b++) {
        if (b == w->owners.me) continue;
        uint64_t begin = b ? side->block_ends[b - 1] : 0, count = side->block_ends[b] - begin;
        char *message = side->fold_out + (uint64_t)b * s->fold_most;
        uint64_t bytes =
            encode(s, message, side->labels + (uint64_t)b * w->stride, side->by_block + begin, count, true);
        status = mg_exchange_send(ctx, s->fold, w->owners.ranks[b], message, bytes, s->fold_most);
    }
    return status;
}

/* What a message says of so many vertices. */
typedef struct fold_job {
    mg_sssp_parts *s;
    const uint32_t *numbers;
    parts p;
} fold_job;

/* The vertices of one message are different ones, so threads do not meet at a label. */
static void lower_labels(void *what, mg_worker *worker) {
    const fold_job *job = what;
    mg_sssp_parts *s = job->s;
    mg_sssp_wide *labels = s->state.labels;
    for (mg_range chunk; mg_take(worker, &chunk);)
        for (uint64_t i = chunk.begin; i < chunk.end; i++) {
            uint32_t v = job->numbers[i];
            uint64_t word = distance_at(&job->p, i);
            if (word >= labels[v].distance.number) continue;
            labels[v].distance.number = word;
            labels[v].parent = job->p.parents[i];
            if (v < s->first_leaf)
                mg_sssp_put(&s->state, s->state.workers[worker->number], v, mg_sssp_bin_of_word(s, word));
        }
}

static void read_folded(mg_sssp_parts *s, char *message) {
    uint32_t *numbers = s->taken; /* the round is over: free */
    parts p = decode(message, numbers, 0, s->scratch.bits, true);
    fold_job job = {s, numbers, p};
    mg_loop loop = {.ctx = s->state.ctx,
                    .threads = MG_MIN(mg_threads(s->state.ctx, p.count, THREAD_ITEMS), s->state.worker_count),
                    .items = p.count,
                    .work = lower_labels,
                    .what = &job};
    mg_loop_run(&loop);
}

meguri_status mg_sssp_cluster_fold(meguri_ctx *ctx, mg_sssp_parts *s) {
    uint64_t ignored;
    const mg_layout *l = &s->shards->layout;
    const mg_group *members = &l->window[s->own_target].members;
    meguri_status status = MEGURI_OK;
    for (int k = 0; k < members->count && status == MEGURI_OK; k++)
        if (k != members->me)
            status = mg_exchange_receive(ctx, s->fold, members->ranks[k], s->fold_in + (uint64_t)k * s->fold_most,
                                         s->fold_most, &ignored);
    for (int i = 0; i < l->windows && status == MEGURI_OK; i++)
        if (l->window[i].target) status = send_found(ctx, s, &s->side[i]);
    if (status == MEGURI_OK) status = mg_exchange_wait(ctx, s->fold);
    for (int k = 0; k < members->count && status == MEGURI_OK; k++)
        if (k != members->me) read_folded(s, s->fold_in + (uint64_t)k * s->fold_most);
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
