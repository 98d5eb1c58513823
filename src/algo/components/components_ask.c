/* Questions to the processes that know the answer, many at a time: labels go out, answers come back in the same order,
 * so that neither carries anything else.
 *
 * In batches: of all processes together no more than a few megabytes of questions are ever at one. With a batch, every
 * process tells every other how many questions come and whether it has more. */
#include "algo/components/components_cluster.h"

enum { BATCH = 1 << 18 }; /* questions that can be at a process */

typedef struct asking {
    const mg_components_keepers *keepers;
    uint64_t most;       /* questions of a batch to one process */
    uint32_t *sorted;    /* labels by keeper; as batches are through, answers in their place */
    uint32_t *from;      /* which of the labels it is */
    uint64_t *begins;    /* where those of a keeper begin; size + 1 of them */
    uint64_t *next;      /* … those that have not been asked */
    uint64_t *heads;     /* by process: what it is told, questions << 1 | more */
    uint64_t *arriving;  /* and tells */
    uint32_t *questions; /* of others: most for each */
    uint32_t *answers;   /* to them */
} asking;

static meguri_status prepare(asking *a, meguri_ctx *ctx, const uint32_t *labels, uint64_t count) {
    const char *what = "questions to other processes";
    uint64_t size = (uint64_t)a->keepers->cluster->size;
    a->most = MG_MAX(1, BATCH / size);
    a->sorted = mg_alloc_array(ctx, count, sizeof *a->sorted, what);
    a->from = mg_alloc_array(ctx, count, sizeof *a->from, what);
    a->begins = mg_alloc_array_zero(ctx, 4 * size + 1, sizeof *a->begins, what);
    a->questions = mg_alloc_array(ctx, a->most * size, sizeof *a->questions, what);
    a->answers = mg_alloc_array(ctx, a->most * size, sizeof *a->answers, what);
    if (!a->sorted || !a->from || !a->begins || !a->questions || !a->answers) return MEGURI_NO_MEMORY;
    a->next = a->begins + size + 1;
    a->heads = a->next + size;
    a->arriving = a->heads + size;
    for (uint64_t i = 0; i < count; i++) a->begins[a->keepers->keeper(a->keepers->user, labels[i]) + 1]++;
    for (uint64_t p = 0; p < size; p++) {
        a->begins[p + 1] += a->begins[p];
        a->next[p] = a->begins[p];
    }
    for (uint64_t i = 0; i < count; i++) {
        uint64_t place = a->next[a->keepers->keeper(a->keepers->user, labels[i])]++;
        a->sorted[place] = labels[i];
        a->from[place] = (uint32_t)i;
    }
    for (uint64_t p = 0; p < size; p++) a->next[p] = a->begins[p];
    return mg_progress(ctx, "components", 0, 0) ? mg_fail_cancelled(ctx) : MEGURI_OK;
}

/* How many go to each process now; *more if anybody has more than that. */
static meguri_status announce(meguri_ctx *ctx, asking *a, bool *more) {
    meguri_cluster *cluster = a->keepers->cluster;
    meguri_status status = MEGURI_OK;
    uint64_t left = 0;
    for (int p = 0; p < cluster->size; p++) left |= a->begins[p + 1] - a->next[p] > a->most;
    for (int p = 0; p < cluster->size; p++) a->heads[p] = MG_MIN(a->begins[p + 1] - a->next[p], a->most) << 1 | left;
    a->arriving[cluster->rank] = a->heads[cluster->rank];
    for (int k = 1; k < cluster->size && status == MEGURI_OK; k++) {
        int from = (cluster->rank + cluster->size - k) % cluster->size;
        status = mg_exchange_receive(ctx, cluster->control, from, &a->arriving[from], 8, NULL);
    }
    for (int k = 1; k < cluster->size && status == MEGURI_OK; k++) {
        int to = (cluster->rank + k) % cluster->size;
        status = mg_exchange_send(ctx, cluster->control, to, &a->heads[to], 8, 8);
    }
    if (status == MEGURI_OK) status = mg_exchange_wait(ctx, cluster->control);
    *more = false;
    for (int p = 0; p < cluster->size; p++) *more |= a->arriving[p] & 1;
    return status;
}

/* Labels of `a->sorted` to their keepers, or answers back into their place. */
static meguri_status move(meguri_ctx *ctx, asking *a, bool back) {
    meguri_cluster *cluster = a->keepers->cluster;
    uint32_t *there = back ? a->answers : a->questions;
    meguri_status status = MEGURI_OK;
    for (int k = 1; k < cluster->size && status == MEGURI_OK; k++) {
        int from = (cluster->rank + cluster->size - k) % cluster->size;
        uint64_t bytes = 4 * ((back ? a->heads : a->arriving)[from] >> 1);
        uint32_t *to = back ? a->sorted + a->next[from] : there + (uint64_t)from * a->most;
        if (bytes) status = mg_exchange_receive(ctx, cluster->bulk, from, to, bytes, NULL);
    }
    for (int k = 1; k < cluster->size && status == MEGURI_OK; k++) {
        int to = (cluster->rank + k) % cluster->size;
        uint64_t bytes = 4 * ((back ? a->arriving : a->heads)[to] >> 1);
        const uint32_t *from = back ? there + (uint64_t)to * a->most : a->sorted + a->next[to];
        if (bytes) status = mg_exchange_send(ctx, cluster->bulk, to, from, bytes, bytes);
    }
    return status == MEGURI_OK ? mg_exchange_wait(ctx, cluster->bulk) : status;
}

static meguri_status ask_batch(meguri_ctx *ctx, asking *a, bool *more) {
    const mg_components_keepers *k = a->keepers;
    int size = k->cluster->size, me = k->cluster->rank;
    meguri_status status = announce(ctx, a, more);
    if (status == MEGURI_OK) status = move(ctx, a, false);
    if (status != MEGURI_OK) return status;
    for (int p = 0; p < size; p++) {
        const uint32_t *questions = p == me ? a->sorted + a->next[p] : a->questions + (uint64_t)p * a->most;
        uint32_t *answers = p == me ? a->sorted + a->next[p] : a->answers + (uint64_t)p * a->most;
        for (uint64_t i = 0; i < a->arriving[p] >> 1; i++) answers[i] = k->answer(k->user, questions[i]);
    }
    status = move(ctx, a, true);
    for (int p = 0; p < size; p++) a->next[p] += a->heads[p] >> 1;
    return status;
}

meguri_status mg_components_ask(meguri_ctx *ctx, const mg_components_keepers *keepers, const uint32_t *labels,
                                uint32_t *answers, uint64_t count) {
    asking a = {.keepers = keepers};
    meguri_status status = mg_agree(ctx, keepers->cluster, prepare(&a, ctx, labels, count));
    for (bool more = true; more && status == MEGURI_OK;) status = ask_batch(ctx, &a, &more);
    if (status == MEGURI_OK)
        for (uint64_t i = 0; i < count; i++) answers[a.from[i]] = a.sorted[i];
    mg_free(a.sorted);
    mg_free(a.from);
    mg_free(a.begins);
    mg_free(a.questions);
    mg_free(a.answers);
    return status;
}

/* ---- sets ------------------------------------------------------------------------------------------------------- */

/* A set that grows: as a rule most values are the same few, so it is a hash table and not a sort. */
typedef struct growing_set {
    mg_components_set *set;
    uint32_t *slots; /* places of items + 1, 0 where there is none */
    uint32_t bits;   /* of their number; they are never more than half full */
} growing_set;

static uint64_t slot_of(const growing_set *g, uint32_t value) {
    uint64_t mask = ((uint64_t)1 << g->bits) - 1, slot = value * 0x9e3779b97f4a7c15u >> (64 - g->bits);
    while (g->slots[slot] && g->set->items[g->slots[slot] - 1] != value) slot = (slot + 1) & mask;
    return slot;
}

static meguri_status grow(growing_set *g, meguri_ctx *ctx, uint32_t bits) {
    const char *what = "labels of components";
    uint32_t *items = mg_resize(ctx, g->set->items, sizeof *items << (bits - 1), what);
    if (items) g->set->items = items;
    uint32_t *slots = mg_alloc_array_zero(ctx, (uint64_t)1 << bits, sizeof *slots, what);
    mg_free(g->slots);
    g->slots = slots;
    g->bits = bits;
    if (!items || !slots) return MEGURI_NO_MEMORY;
    for (uint64_t i = 0; i < g->set->count; i++) slots[slot_of(g, items[i])] = (uint32_t)(i + 1);
    return MEGURI_OK;
}

static meguri_status add_all(growing_set *g, meguri_ctx *ctx, const uint32_t *values, uint64_t count) {
    mg_components_set *set = g->set;
    for (uint64_t i = 0; i < count; i++) {
        if (i % MG_SWEEP_BLOCK == 0 && mg_progress(ctx, "components", 0, 0)) return mg_fail_cancelled(ctx);
        if (i && values[i] == values[i - 1]) {
            set->index[i] = set->index[i - 1];
            continue;
        }
        uint64_t slot = slot_of(g, values[i]);
        if (!g->slots[slot]) {
            set->items[set->count] = values[i];
            g->slots[slot] = (uint32_t)++set->count;
        }
        set->index[i] = g->slots[slot] - 1;
        if (2 * set->count < (uint64_t)1 << g->bits) continue;
        meguri_status status = grow(g, ctx, g->bits + 1);
        if (status != MEGURI_OK) return status;
    }
    return MEGURI_OK;
}

meguri_status mg_components_set_new(mg_components_set *out, meguri_ctx *ctx, const uint32_t *values, uint64_t count) {
    *out = (mg_components_set){0};
    if (count > UINT32_MAX)
        return mg_fail(ctx, MEGURI_NO_MEMORY,
                       "a process has %llu labels of components, too many; start more processes.",
                       (unsigned long long)count);
    growing_set g = {.set = out};
    out->index = mg_alloc_array(ctx, count, sizeof *out->index, "labels of components");
    meguri_status status = out->index ? grow(&g, ctx, 10) : MEGURI_NO_MEMORY;
    if (status == MEGURI_OK) status = add_all(&g, ctx, values, count);
    mg_free(g.slots);
    if (status == MEGURI_OK) mg_trim(out->items, out->count * sizeof *out->items);
    else mg_components_set_free(out);
    return status;
}

void mg_components_set_free(mg_components_set *set) {
    mg_free(set->items);
    mg_free(set->index);
    *set = (mg_components_set){0};
}
