/* Items to the process they belong to: edges to the home of their ends, arcs to their tile, results to their readers.
 *
 * In rounds, so that only what has arrived is ever held whole: in each, a process reads a number of items, sorts them
 * by destination, tells every other how many it gets and whether more will come, and sends them. It ends with the round
 * in which nobody had more. */
#include "net/net.h"

#define ROUND 32768 /* items read at a time: what is on the way stays in the cache */

typedef struct router {
    meguri_cluster *cluster;
    const mg_route_source *source;
    const char *what;
    char *items, *sorted; /* of this round: as read, and by destination */
    uint32_t *to;
    uint64_t *begins;           /* where the items for each process begin in sorted */
    uint64_t *heads, *arriving; /* items for each process, and from each */
    char *arrived;
    uint64_t count, capacity; /* items that arrived */
} router;

static void sort_by_destination(router *r, uint64_t count) {
    size_t bytes = r->source->item_bytes;
    int size = r->cluster->size;
    uint64_t *begins = r->begins;
    memset(begins, 0, ((uint64_t)size + 1) * sizeof *begins);
    for (uint64_t i = 0; i < count; i++) begins[r->to[i] + 1]++;
    for (int p = 0; p < size; p++) begins[p + 1] += begins[p];
    for (uint64_t i = 0; i < count; i++) memcpy(r->sorted + begins[r->to[i]]++ * bytes, r->items + i * bytes, bytes);
    for (int p = size; p > 0; p--) begins[p] = begins[p - 1];
    begins[0] = 0;
}

static meguri_status make_room(meguri_ctx *ctx, router *r, uint64_t items) {
    if (r->count + items <= r->capacity) return MEGURI_OK;
    uint64_t capacity = MG_MAX(r->count + items, r->capacity + r->capacity / 2);
    void *grown = mg_resize(ctx, r->arrived, capacity * r->source->item_bytes, r->what);
    if (!grown) return MEGURI_NO_MEMORY;
    r->arrived = grown;
    r->capacity = capacity;
    return MEGURI_OK;
}

static meguri_status send_round(meguri_ctx *ctx, router *r) {
    meguri_cluster *cluster = r->cluster;
    size_t bytes = r->source->item_bytes;
    meguri_status status = MEGURI_OK;
    char *to_place = r->arrived + r->count * bytes;
    for (int from = 0; from < cluster->size && status == MEGURI_OK; from++) {
        uint64_t length = r->arriving[from] * bytes;
        if (from == cluster->rank) memcpy(to_place, r->sorted + r->begins[from] * bytes, length);
        else if (length) status = mg_exchange_receive(ctx, cluster->bulk, from, to_place, length, NULL);
        to_place += length;
    }
    for (int k = 1; k < cluster->size && status == MEGURI_OK; k++) {
        int to = (cluster->rank + k) % cluster->size;
        uint64_t length = r->heads[to] * bytes;
        if (length)
            status = mg_exchange_send(ctx, cluster->bulk, to, r->sorted + r->begins[to] * bytes, length, length);
    }
    return status == MEGURI_OK ? mg_exchange_wait(ctx, cluster->bulk) : status;
}

static meguri_status round_trip(meguri_ctx *ctx, router *r, bool *more) {
    uint64_t total = 0, count = r->source->next(r->source->user, r->items, r->to, ROUND);
    int size = r->cluster->size;
    sort_by_destination(r, count);
    for (int p = 0; p < size; p++) r->heads[p] = (r->begins[p + 1] - r->begins[p]) << 1 | (count > 0);
    meguri_status status = mg_announce(ctx, r->cluster, r->heads, r->arriving, ROUND, more);
    if (status != MEGURI_OK) return status;
    for (int p = 0; p < size; p++) total += r->arriving[p];
    status = make_room(ctx, r, total);
    if (mg_progress(ctx, r->what, r->count, 0)) status = mg_fail_cancelled(ctx);
    /* Who has no room, or is stopped, can take nothing: all end here, before anything is sent to it. */
    status = mg_agree(ctx, r->cluster, status);
    if (status != MEGURI_OK) return status;
    status = send_round(ctx, r);
    r->count += total;
    return status;
}

static meguri_status prepare(meguri_ctx *ctx, router *r) {
    uint64_t size = (uint64_t)r->cluster->size;
    r->items = mg_alloc_array(ctx, ROUND, r->source->item_bytes, r->what);
    r->sorted = mg_alloc_array(ctx, ROUND, r->source->item_bytes, r->what);
    r->to = mg_alloc_array(ctx, ROUND, sizeof *r->to, r->what);
    r->begins = mg_alloc_array(ctx, 3 * size + 1, sizeof *r->begins, r->what);
    r->arrived = mg_alloc(ctx, 0, r->what); /* also where nothing comes */
    if (!r->items || !r->sorted || !r->to || !r->begins || !r->arrived) return MEGURI_NO_MEMORY;
    r->heads = r->begins + size + 1;
    r->arriving = r->heads + size;
    return MEGURI_OK;
}

meguri_status mg_route(void **out, uint64_t *count, meguri_ctx *ctx, meguri_cluster *cluster,
                       const mg_route_source *source, const char *what) {
    router r = {.cluster = cluster, .source = source, .what = what};
    *out = NULL;
    *count = 0;
    meguri_status status = mg_agree(ctx, cluster, prepare(ctx, &r));
    for (bool more = true; more && status == MEGURI_OK;) status = round_trip(ctx, &r, &more);
    mg_free(r.items);
    mg_free(r.sorted);
    mg_free(r.to);
    mg_free(r.begins);
    if (status == MEGURI_OK) {
        mg_trim(r.arrived, r.count * source->item_bytes);
        *out = r.arrived;
        *count = r.count;
    } else mg_free(r.arrived);
    return status;
}
