/* What all members of a group do together, made of messages: the numbers of steps grow with the logarithm of the
 * group. All of it is traffic of the kind `control` but for gathering, which is bulk. */
#include "net/net.h"

/* One message out, one in, at the same time; either may be missing (-1). */
static meguri_status swap(meguri_ctx *ctx, mg_exchange *x, int to, const void *out, int from, void *in,
                          uint64_t bytes) {
    meguri_status status = MEGURI_OK;
    if (from >= 0) status = mg_exchange_receive(ctx, x, from, in, bytes, NULL);
    if (status == MEGURI_OK && to >= 0) status = mg_exchange_send(ctx, x, to, out, bytes, bytes);
    return status == MEGURI_OK ? mg_exchange_wait(ctx, x) : status;
}

/* ---- sums ------------------------------------------------------------------------------------------------------- */

/* What is reduced. */
typedef struct reduction {
    uint64_t count, bytes; /* of all */
    mg_combine_fn *combine;
} reduction;

#define COMBINE(name, type, expression)                                                                                \
    static void name(void *mine, const void *more, uint64_t count) {                                                   \
        type *a = mine;                                                                                                \
        const type *b = more;                                                                                          \
        for (uint64_t i = 0; i < count; i++) a[i] = expression;                                                        \
    }
COMBINE(sum_u64, uint64_t, a[i] + b[i])
COMBINE(least_u64, uint64_t, MG_MIN(a[i], b[i]))
COMBINE(most_u64, uint64_t, MG_MAX(a[i], b[i]))
COMBINE(sum_f64, double, a[i] + b[i])
COMBINE(least_f64, double, MG_MIN(a[i], b[i]))
COMBINE(most_f64, double, MG_MAX(a[i], b[i]))

/* Recursive doubling among the largest power of two; the members beyond it give theirs to a partner first and get the
 * result last. Sums of two are the same bits either way round, so all members have the same. */
static meguri_status reduce(meguri_ctx *ctx, const mg_group *group, mg_exchange *x, const reduction *r, void *values,
                            void *others) {
    int power = 1, me = group->me;
    uint64_t bytes = r->bytes;
    while (2 * power <= group->count) power *= 2;
    if (me >= power) { /* one of those beyond */
        int partner = group->ranks[me - power];
        meguri_status status = swap(ctx, x, partner, values, -1, NULL, bytes);
        return status == MEGURI_OK ? swap(ctx, x, -1, NULL, partner, values, bytes) : status;
    }
    int beyond = me + power < group->count ? group->ranks[me + power] : -1;
    meguri_status status = MEGURI_OK;
    if (beyond >= 0) {
        status = swap(ctx, x, -1, NULL, beyond, others, bytes);
        if (status == MEGURI_OK) r->combine(values, others, r->count);
    }
    for (int step = 1; step < power && status == MEGURI_OK; step *= 2) {
        int partner = group->ranks[me ^ step];
        status = swap(ctx, x, partner, values, partner, others, bytes);
        if (status == MEGURI_OK) r->combine(values, others, r->count);
    }
    if (status == MEGURI_OK && beyond >= 0) status = swap(ctx, x, beyond, values, -1, NULL, bytes);
    return status;
}

meguri_status mg_reduce(meguri_ctx *ctx, meguri_cluster *cluster, const mg_group *group, void *values, uint32_t count,
                        size_t item_bytes, mg_combine_fn *combine) {
    const reduction r = {count, count * (uint64_t)item_bytes, combine};
    if (group->count <= 1) return MEGURI_OK;
    uint64_t small[64];
    void *others = small;
    if (r.bytes > sizeof small && !(others = mg_alloc_essential(ctx, count, item_bytes, "values of a sum"))) {
        cluster->failed = MEGURI_NO_MEMORY;
        return MEGURI_NO_MEMORY;
    }
    meguri_status status = reduce(ctx, group, cluster->control, &r, values, others);
    if (others != small) mg_free(others);
    return status;
}

meguri_status mg_reduce_u64(meguri_ctx *ctx, meguri_cluster *cluster, const mg_group *group, uint64_t *values,
                            uint32_t count, mg_reduction how) {
    static mg_combine_fn *const ways[] = {sum_u64, least_u64, most_u64};
    return mg_reduce(ctx, cluster, group, values, count, sizeof *values, ways[how]);
}

meguri_status mg_reduce_f64(meguri_ctx *ctx, meguri_cluster *cluster, const mg_group *group, double *values,
                            uint32_t count, mg_reduction how) {
    static mg_combine_fn *const ways[] = {sum_f64, least_f64, most_f64};
    return mg_reduce(ctx, cluster, group, values, count, sizeof *values, ways[how]);
}

/* In step k every member gives what it has to the one 2^k places further, and so knows the sum of 2^(k+1) of them. */
meguri_status mg_exscan_u64(meguri_ctx *ctx, meguri_cluster *cluster, const mg_group *group, uint64_t *values,
                            uint32_t count) {
    uint64_t bytes = 8ull * count;
    uint64_t *room = mg_alloc_essential(ctx, 3ull * count, sizeof *room, "values of a sum");
    if (!room) {
        cluster->failed = MEGURI_NO_MEMORY;
        return MEGURI_NO_MEMORY;
    }
    uint64_t *known = room, *others = room + count, *before = room + 2ull * count;
    memcpy(known, values, bytes);
    memset(before, 0, bytes);
    meguri_status status = MEGURI_OK;
    for (int step = 1; step < group->count && status == MEGURI_OK; step *= 2) {
        int to = group->me + step < group->count ? group->ranks[group->me + step] : -1;
        int from = group->me >= step ? group->ranks[group->me - step] : -1;
        status = swap(ctx, cluster->control, to, known, from, others, bytes);
        if (status != MEGURI_OK || from < 0) continue;
        sum_u64(known, others, count);
        sum_u64(before, others, count);
    }
    memcpy(values, before, bytes);
    mg_free(room);
    return status;
}

/* ---- data ------------------------------------------------------------------------------------------------------- */

/* A binomial tree: who has it gives it to the one half the remaining distance further. */
meguri_status mg_broadcast(meguri_ctx *ctx, meguri_cluster *cluster, const mg_group *group, int root, void *data,
                           uint64_t bytes) {
    int count = group->count, me = (group->me - root + count) % count, top = 1;
    meguri_status status = MEGURI_OK;
    while (top < count) top *= 2;
    for (int step = top / 2; step >= 1 && status == MEGURI_OK; step /= 2) {
        if (me % (2 * step) == 0 && me + step < count)
            status = swap(ctx, cluster->control, group->ranks[(me + step + root) % count], data, -1, NULL, bytes);
        else if (me % (2 * step) == step)
            status = swap(ctx, cluster->control, -1, NULL, group->ranks[(me - step + root) % count], data, bytes);
    }
    return status;
}

meguri_status mg_all_gather(meguri_ctx *ctx, meguri_cluster *cluster, const mg_group *group, const void *mine,
                            uint64_t bytes, void *all) {
    mg_exchange *x = cluster->bulk;
    char *to = all;
    meguri_status status = MEGURI_OK;
    for (int k = 1; k < group->count && status == MEGURI_OK; k++) {
        int from = (group->me + group->count - k) % group->count;
        status = mg_exchange_receive(ctx, x, group->ranks[from], to + (uint64_t)from * bytes, bytes, NULL);
    }
    for (int k = 1; k < group->count && status == MEGURI_OK; k++)
        status = mg_exchange_send(ctx, x, group->ranks[(group->me + k) % group->count], mine, bytes, bytes);
    memmove(to + (uint64_t)group->me * bytes, mine, bytes);
    return status == MEGURI_OK ? mg_exchange_wait(ctx, x) : status;
}

meguri_status mg_place_on_machine(uint32_t *out, meguri_ctx *ctx, meguri_cluster *c) {
    const uint64_t mine = c->transport->machine;
    uint64_t *machines = mg_alloc_array(ctx, (uint64_t)c->size, sizeof *machines, "the machines of a cluster");
    meguri_status status = mg_agree(ctx, c, machines ? MEGURI_OK : MEGURI_NO_MEMORY);
    *out = 0;
    if (status == MEGURI_OK) status = mg_all_gather(ctx, c, &c->all, &mine, sizeof mine, machines);
    for (int r = 0; r < c->rank && status == MEGURI_OK; r++) *out += machines[r] == mine;
    mg_free(machines);
    return status;
}
