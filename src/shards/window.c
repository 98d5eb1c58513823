/* Between the owners and the members of windows: who sends to whom; and dense arrays out to all who look at a vertex,
 * and back to who owns it. All messages of all windows are under way at once: which process waits for which differs
 * from window to window, so one window after the other could wait in a circle. */
#include "shards/shards.h"

static char *block_at(const mg_window *w, void *all, int block, size_t item_bytes) {
    return (char *)all + (uint64_t)block * w->stride * item_bytes;
}

meguri_status mg_windows_gather(meguri_ctx *ctx, meguri_cluster *cluster, const mg_layout *l, const char *kind,
                                const void *mine, size_t item_bytes, void *const all[2]) {
    mg_exchange *x;
    meguri_status status = mg_exchange_new(&x, ctx, cluster, kind);
    if (status != MEGURI_OK) cluster->failed = status;
    for (int i = 0; i < l->windows && status == MEGURI_OK; i++) {
        const mg_window *w = &l->window[i];
        uint64_t bytes = w->stride * item_bytes;
        if (!all[i]) continue;
        for (int b = 0; b < w->owners.count && status == MEGURI_OK; b++)
            if (b != w->owners.me)
                status =
                    mg_exchange_receive(ctx, x, w->owners.ranks[b], block_at(w, all[i], b, item_bytes), bytes, NULL);
    }
    for (int i = 0; i < l->windows && status == MEGURI_OK; i++) {
        const mg_window *w = &l->window[i];
        uint64_t bytes = w->stride * item_bytes;
        if (!all[i] || w->owners.me < 0) continue;
        memcpy(block_at(w, all[i], w->owners.me, item_bytes), mine, bytes);
        for (int k = 1; k < w->members.count && status == MEGURI_OK; k++)
            status =
                mg_exchange_send(ctx, x, w->members.ranks[(w->members.me + k) % w->members.count], mine, bytes, bytes);
    }
    if (status == MEGURI_OK) status = mg_exchange_wait(ctx, x);
    mg_exchange_free(x);
    return status;
}

uint64_t mg_windows_fold_items(const mg_layout *l) {
    int most = 0;
    for (int i = 0; i < l->windows; i++)
        if (l->window[i].owners.me >= 0) most = MG_MAX(most, l->window[i].members.count);
    return (uint64_t)most * l->window[0].stride;
}

static meguri_status fold(meguri_ctx *ctx, meguri_cluster *cluster, const mg_layout *l, const char *kind, void *mine,
                          size_t item_bytes, void *const all[2], mg_combine_fn *combine, char *incoming) {
    mg_exchange *x = NULL;
    uint64_t stride = l->window[0].stride, bytes = stride * item_bytes;
    int own = -1, others = 0;
    for (int i = 0; i < l->windows; i++)
        if (all[i] && l->window[i].owners.me >= 0) own = i;
    if (own >= 0) others = l->window[own].members.count;
    meguri_status status = mg_exchange_new(&x, ctx, cluster, kind);
    if (status != MEGURI_OK) cluster->failed = status;
    for (int k = 0; k < others && status == MEGURI_OK; k++)
        if (k != l->window[own].members.me)
            status = mg_exchange_receive(ctx, x, l->window[own].members.ranks[k], incoming + (uint64_t)k * bytes, bytes,
                                         NULL);
    for (int i = 0; i < l->windows && status == MEGURI_OK; i++) {
        const mg_window *w = &l->window[i];
        for (int b = 0; all[i] && b < w->owners.count && status == MEGURI_OK; b++)
            if (b != w->owners.me)
                status = mg_exchange_send(ctx, x, w->owners.ranks[b], block_at(w, all[i], b, item_bytes), bytes, bytes);
    }
    if (status == MEGURI_OK) status = mg_exchange_wait(ctx, x);
    for (int k = 0; k < others && status == MEGURI_OK; k++) {
        const mg_window *w = &l->window[own];
        const char *from =
            k == w->members.me ? block_at(w, all[own], w->owners.me, item_bytes) : incoming + (uint64_t)k * bytes;
        if (k == 0) memcpy(mine, from, bytes);
        else combine(mine, from, stride);
    }
    mg_exchange_free(x);
    return status;
}

meguri_status mg_windows_fold(meguri_ctx *ctx, meguri_cluster *cluster, const mg_layout *l, const char *kind,
                              void *mine, size_t item_bytes, void *const all[2], mg_combine_fn *combine, void *room) {
    if (room) return fold(ctx, cluster, l, kind, mine, item_bytes, all, combine, room);
    room = mg_alloc_array(ctx, mg_windows_fold_items(l), item_bytes, "what others found");
    meguri_status status = mg_agree(ctx, cluster, room ? MEGURI_OK : MEGURI_NO_MEMORY);
    if (status == MEGURI_OK) status = fold(ctx, cluster, l, kind, mine, item_bytes, all, combine, room);
    mg_free(room);
    return status;
}

/* ---- sparse ----------------------------------------------------------------------------------------------------- */

/* Other members of the windows that the own vertices are in. */
static uint32_t list_members(mg_sparse_peer *peers, const mg_layout *l, const mg_windows_plan *plan) {
    uint32_t n = 0;
    for (int i = 0; i < l->windows; i++) {
        const mg_group *members = &l->window[i].members;
        if (!plan->chosen[i] || l->window[i].owners.me < 0) continue;
        for (int k = 1; k < members->count; k++) {
            int place = (members->me + k) % members->count;
            peers[n] = (mg_sparse_peer){.rank = members->ranks[place],
                                        .message = plan->each ? n : 0,
                                        .side = i,
                                        .block = place,
                                        .vertices = mg_layout_owned(l, l->rank)};
            n++;
        }
    }
    return n;
}

/* Other owners of the windows of this process. */
static uint32_t list_owners(mg_sparse_peer *peers, const mg_layout *l, const mg_windows_plan *plan) {
    uint32_t n = 0;
    for (int i = 0; i < l->windows; i++) {
        const mg_group *owners = &l->window[i].owners;
        for (int b = 0; b < owners->count && plan->chosen[i]; b++) {
            if (b == owners->me) continue;
            peers[n] = (mg_sparse_peer){.rank = owners->ranks[b],
                                        .message = n,
                                        .side = i,
                                        .block = b,
                                        .vertices = mg_layout_owned(l, owners->ranks[b])};
            n++;
        }
    }
    return n;
}

meguri_status mg_windows_sparse(mg_sparse **out, meguri_ctx *ctx, meguri_cluster *cluster, const mg_layout *l,
                                const mg_windows_plan *plan) {
    *out = NULL;
    mg_sparse_peer *members = mg_alloc_array(ctx, 4 * (uint64_t)l->size, sizeof *members, "messages between processes");
    if (!members) return MEGURI_NO_MEMORY;
    mg_sparse_peer *owners = members + 2 * l->size;
    uint32_t member_count = list_members(members, l, plan), owner_count = list_owners(owners, l, plan);
    const mg_sparse_spec spec = {.kind = plan->kind,
                                 .words = l->window[0].stride / 64,
                                 .item_bytes = plan->item_bytes,
                                 .packed = plan->packed,
                                 .in = plan->to_owners ? members : owners,
                                 .ins = plan->to_owners ? member_count : owner_count,
                                 .out = plan->to_owners ? owners : members,
                                 .outs = plan->to_owners ? owner_count : member_count};
    meguri_status status = mg_sparse_new(out, ctx, cluster, &spec);
    mg_free(members);
    return status;
}
