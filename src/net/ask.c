/* Questions to the processes that know the answer, many at a time: questions go out, answers come back in the same
 * order, so that neither carries anything else.
 *
 * In batches: of all processes together no more than a few megabytes of questions are ever at one. With a batch, every
 * process tells every other how many questions come and whether it has more. */
#include "net/net.h"

enum { BATCH = 1 << 18 }; /* questions that can be at a process */

typedef struct asking {
    const mg_keepers *keepers;
    uint64_t most;      /* questions of a batch to one process */
    char *sorted;       /* questions by keeper … */
    char *replies;      /* … and what comes back for them */
    uint32_t *from;     /* which of the questions it is */
    uint64_t *begins;   /* where those of a keeper begin; size + 1 of them */
    uint64_t *next;     /* … those that have not been asked */
    uint64_t *heads;    /* by process: questions for it, in this batch */
    uint64_t *arriving; /* … and from it */
    char *questions;    /* of others: most for each */
    char *answers;      /* to them */
} asking;

static void sort_by_keeper(asking *a, const char *questions, uint64_t count) {
    const mg_keepers *k = a->keepers;
    uint64_t size = (uint64_t)k->cluster->size, bytes = k->question_bytes;
    for (uint64_t i = 0; i < count; i++) a->begins[k->keeper(k->user, questions + i * bytes) + 1]++;
    for (uint64_t p = 0; p < size; p++) {
        a->begins[p + 1] += a->begins[p];
        a->next[p] = a->begins[p];
    }
    for (uint64_t i = 0; i < count; i++) {
        uint64_t place = a->next[k->keeper(k->user, questions + i * bytes)]++;
        memcpy(a->sorted + place * bytes, questions + i * bytes, bytes);
        a->from[place] = (uint32_t)i;
    }
    for (uint64_t p = 0; p < size; p++) a->next[p] = a->begins[p];
}

static meguri_status prepare(asking *a, meguri_ctx *ctx, const void *questions, uint64_t count) {
    const mg_keepers *k = a->keepers;
    uint64_t size = (uint64_t)k->cluster->size;
    if (count > UINT32_MAX)
        return mg_fail(ctx, MEGURI_NO_MEMORY, "%s: %llu questions at once are too many for one process.", k->what,
                       (unsigned long long)count);
    a->most = MG_MAX(1, BATCH / size);
    a->sorted = mg_alloc_array(ctx, count, k->question_bytes, k->what);
    a->replies = mg_alloc_array(ctx, count, k->answer_bytes, k->what);
    a->from = mg_alloc_array(ctx, count, sizeof *a->from, k->what);
    a->begins = mg_alloc_array_zero(ctx, 4 * size + 1, sizeof *a->begins, k->what);
    a->questions = mg_alloc_array(ctx, a->most * size, k->question_bytes, k->what);
    a->answers = mg_alloc_array(ctx, a->most * size, k->answer_bytes, k->what);
    if (!a->sorted || !a->replies || !a->from || !a->begins || !a->questions || !a->answers) return MEGURI_NO_MEMORY;
    a->next = a->begins + size + 1;
    a->heads = a->next + size;
    a->arriving = a->heads + size;
    sort_by_keeper(a, questions, count);
    return mg_progress(ctx, k->what, 0, 0) ? mg_fail_cancelled(ctx) : MEGURI_OK;
}

/* How many go to each process now; *more if anybody has more than that. */
static meguri_status begin_batch(meguri_ctx *ctx, asking *a, bool *more) {
    meguri_cluster *cluster = a->keepers->cluster;
    uint64_t left = 0;
    for (int p = 0; p < cluster->size; p++) left |= a->begins[p + 1] - a->next[p] > a->most;
    for (int p = 0; p < cluster->size; p++) a->heads[p] = MG_MIN(a->begins[p + 1] - a->next[p], a->most) << 1 | left;
    return mg_announce(ctx, cluster, a->heads, a->arriving, a->most, more);
}

/* Questions to their keepers, or answers back. */
static meguri_status move(meguri_ctx *ctx, asking *a, bool back) {
    meguri_cluster *cluster = a->keepers->cluster;
    uint64_t bytes = back ? a->keepers->answer_bytes : a->keepers->question_bytes;
    char *here = back ? a->replies : a->sorted, *there = back ? a->answers : a->questions;
    const uint64_t *in = back ? a->heads : a->arriving, *out = back ? a->arriving : a->heads;
    meguri_status status = MEGURI_OK;
    for (int k = 1; k < cluster->size && status == MEGURI_OK; k++) {
        int from = (cluster->rank + cluster->size - k) % cluster->size;
        char *to = back ? here + a->next[from] * bytes : there + (uint64_t)from * a->most * bytes;
        uint64_t length = in[from] * bytes;
        if (length) status = mg_exchange_receive(ctx, cluster->bulk, from, to, length, NULL);
    }
    for (int k = 1; k < cluster->size && status == MEGURI_OK; k++) {
        int to = (cluster->rank + k) % cluster->size;
        const char *from = back ? there + (uint64_t)to * a->most * bytes : here + a->next[to] * bytes;
        uint64_t length = out[to] * bytes;
        if (length) status = mg_exchange_send(ctx, cluster->bulk, to, from, length, length);
    }
    return status == MEGURI_OK ? mg_exchange_wait(ctx, cluster->bulk) : status;
}

static meguri_status ask_batch(meguri_ctx *ctx, asking *a, bool *more) {
    const mg_keepers *k = a->keepers;
    int size = k->cluster->size, me = k->cluster->rank;
    meguri_status status = begin_batch(ctx, a, more);
    if (status == MEGURI_OK) status = move(ctx, a, false);
    for (int p = 0; p < size && status == MEGURI_OK; p++) {
        const char *questions = a->questions + (uint64_t)p * a->most * k->question_bytes;
        char *answers = a->answers + (uint64_t)p * a->most * k->answer_bytes;
        if (p == me) {
            questions = a->sorted + a->next[p] * k->question_bytes;
            answers = a->replies + a->next[p] * k->answer_bytes;
        }
        if (!k->answer(k->user, answers, questions, a->arriving[p]))
            status = mg_strange(ctx, k->cluster, "a question that is not for this process");
    }
    if (status == MEGURI_OK) status = move(ctx, a, true);
    for (int p = 0; p < size; p++) a->next[p] += a->heads[p];
    return status;
}

meguri_status mg_ask(meguri_ctx *ctx, const mg_keepers *keepers, const void *questions, void *answers, uint64_t count) {
    asking a = {.keepers = keepers};
    uint64_t bytes = keepers->answer_bytes;
    meguri_status status = mg_agree(ctx, keepers->cluster, prepare(&a, ctx, questions, count));
    for (bool more = true; more && status == MEGURI_OK;) status = ask_batch(ctx, &a, &more);
    if (status == MEGURI_OK)
        for (uint64_t i = 0; i < count; i++) memcpy((char *)answers + a.from[i] * bytes, a.replies + i * bytes, bytes);
    mg_free(a.sorted);
    mg_free(a.replies);
    mg_free(a.from);
    mg_free(a.begins);
    mg_free(a.questions);
    mg_free(a.answers);
    return status;
}
