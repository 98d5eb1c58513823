/* From everyone to everyone: a number each, or bytes of any length, in one go: lists that are asked for and answered in
 * the same order, strings, the edges of chunks. What arrives lies by sender, so an answer needs no address. */
#include "net/net.h"

meguri_status mg_alltoall_u64(meguri_ctx *ctx, meguri_cluster *c, const uint64_t *tell, uint64_t *told) {
    meguri_status status = MEGURI_OK;
    told[c->rank] = tell[c->rank];
    for (int k = 1; k < c->size && status == MEGURI_OK; k++) {
        int from = (c->rank + c->size - k) % c->size;
        status = mg_exchange_receive(ctx, c->control, from, &told[from], 8, NULL);
    }
    for (int k = 1; k < c->size && status == MEGURI_OK; k++) {
        int to = (c->rank + k) % c->size;
        status = mg_exchange_send(ctx, c->control, to, &tell[to], 8, 8);
    }
    return status == MEGURI_OK ? mg_exchange_wait(ctx, c->control) : status;
}

meguri_status mg_announce(meguri_ctx *ctx, meguri_cluster *c, uint64_t *heads, uint64_t *arriving, uint64_t most,
                          bool *more) {
    meguri_status status = mg_alltoall_u64(ctx, c, heads, arriving);
    *more = false;
    for (int p = 0; p < c->size && status == MEGURI_OK; p++) {
        *more |= arriving[p] & 1;
        arriving[p] >>= 1;
        heads[p] >>= 1;
        if (arriving[p] > most) status = mg_strange(ctx, c, "more items than a round has");
    }
    return status;
}

static meguri_status move(meguri_ctx *ctx, meguri_cluster *c, const char *data, const uint64_t *begins, char *arrived,
                          const uint64_t *arrived_begins, size_t bytes) {
    meguri_status status = MEGURI_OK;
    for (int from = 0; from < c->size && status == MEGURI_OK; from++) {
        uint64_t length = (arrived_begins[from + 1] - arrived_begins[from]) * bytes;
        char *to = arrived + arrived_begins[from] * bytes;
        if (from == c->rank && length) memcpy(to, data + begins[from] * bytes, length);
        else if (length) status = mg_exchange_receive(ctx, c->bulk, from, to, length, NULL);
    }
    for (int k = 1; k < c->size && status == MEGURI_OK; k++) {
        int to = (c->rank + k) % c->size;
        uint64_t length = (begins[to + 1] - begins[to]) * bytes;
        if (length) status = mg_exchange_send(ctx, c->bulk, to, data + begins[to] * bytes, length, length);
    }
    return status == MEGURI_OK ? mg_exchange_wait(ctx, c->bulk) : status;
}

meguri_status mg_alltoallv_items(void **out, uint64_t *out_begins, meguri_ctx *ctx, meguri_cluster *cluster,
                                 const void *data, const uint64_t *begins, size_t item_bytes, const char *what) {
    uint64_t size = (uint64_t)cluster->size, all;
    *out = NULL;
    uint64_t *lengths = mg_alloc_array(ctx, 2 * size, sizeof *lengths, what);
    meguri_status status = mg_agree(ctx, cluster, lengths ? MEGURI_OK : MEGURI_NO_MEMORY);
    if (status != MEGURI_OK) goto cleanup;
    for (uint64_t p = 0; p < size; p++) lengths[p] = begins[p + 1] - begins[p];
    status = mg_alltoall_u64(ctx, cluster, lengths, lengths + size);
    if (status != MEGURI_OK) goto cleanup;
    out_begins[0] = 0;
    for (uint64_t p = 0; p < size && status == MEGURI_OK; p++)
        if (__builtin_add_overflow(out_begins[p], lengths[size + p], &out_begins[p + 1]) ||
            __builtin_mul_overflow(out_begins[p + 1], item_bytes, &all))
            status = mg_fail(ctx, MEGURI_NO_MEMORY, "%s: more bytes would come than there are numbers for.", what);
    *out = status == MEGURI_OK ? mg_alloc_array(ctx, out_begins[size], item_bytes, what) : NULL;
    if (!*out) status = MEGURI_NO_MEMORY;
    if (mg_progress(ctx, what, 0, 0)) status = mg_fail_cancelled(ctx);
    status = mg_agree(ctx, cluster, status);
    if (status == MEGURI_OK) status = move(ctx, cluster, data, begins, *out, out_begins, item_bytes);
cleanup:
    mg_free(lengths);
    if (status != MEGURI_OK) {
        mg_free(*out);
        *out = NULL;
    }
    return status;
}

meguri_status mg_alltoallv(void **out, uint64_t *out_begins, meguri_ctx *ctx, meguri_cluster *cluster, const void *data,
                           const uint64_t *begins, const char *what) {
    return mg_alltoallv_items(out, out_begins, ctx, cluster, data, begins, 1, what);
}

meguri_status mg_alltoallv_answers(void *answers, meguri_ctx *ctx, meguri_cluster *cluster, const void *data,
                                   const uint64_t *begins, const uint64_t *asked, size_t item_bytes, const char *what) {
    uint64_t size = (uint64_t)cluster->size;
    void *arrived = NULL;
    uint64_t *came = mg_alloc_array(ctx, size + 1, sizeof *came, what);
    meguri_status status = mg_agree(ctx, cluster, came ? MEGURI_OK : MEGURI_NO_MEMORY);
    if (status == MEGURI_OK) status = mg_alltoallv_items(&arrived, came, ctx, cluster, data, begins, item_bytes, what);
    if (status == MEGURI_OK && memcmp(came, asked, (size + 1) * sizeof *came) != 0)
        status = mg_strange(ctx, cluster, "it has not an answer for each question");
    if (status == MEGURI_OK && asked[size]) memcpy(answers, arrived, asked[size] * item_bytes);
    mg_free(arrived);
    mg_free(came);
    return status;
}
