/* What a program on a cluster needs besides the library's functions: to agree on its own failures, and to add up its
 * own numbers. */
#include "net/net.h"

meguri_status meguri_cluster_agree(meguri_ctx *ctx, meguri_cluster *cluster, meguri_status status,
                                   const char *sentence) {
    char text[1024];
    if (!ctx || !cluster) return mg_missing(ctx, __func__);
    if ((unsigned)status > MEGURI_BUSY) {
        sentence = "a status to agree on must be one of meguri_status.";
        status = MEGURI_BAD_ARGUMENT;
    }
    snprintf(text, sizeof text, "%s", sentence && *sentence ? sentence : meguri_status_text(status)); /* of ctx, say */
    mg_begin(ctx);
    if (status != MEGURI_OK) mg_fail_again(ctx, status, "%s", text);
    return mg_agree_call(ctx, cluster, status, &(mg_call){.name = "meguri_cluster_agree"});
}

meguri_status meguri_cluster_reduce(uint64_t *values, meguri_ctx *ctx, meguri_cluster *cluster, uint32_t count,
                                    meguri_reduction how) {
    static const mg_reduction ways[] = {MG_SUM, MG_MINIMUM, MG_MAXIMUM};
    if (!ctx) return MEGURI_BAD_ARGUMENT;
    mg_begin(ctx);
    if (!cluster || (!values && count) || (size_t)how >= sizeof ways / sizeof *ways || count > MG_REDUCE_MOST)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "meguri_cluster_reduce needs a cluster, and at most %d values.",
                       MG_REDUCE_MOST);
    mg_call call = {.name = "meguri_cluster_reduce"};
    mg_call_number(&call, "number of values", count);
    mg_call_number(&call, "kind of reduction", how);
    meguri_status status = mg_agree_call(ctx, cluster, MEGURI_OK, &call);
    return status == MEGURI_OK ? mg_reduce_u64(ctx, cluster, &cluster->all, values, count, ways[how]) : status;
}

void meguri_cluster_sent(uint64_t *messages, uint64_t *bytes, const meguri_cluster *cluster) {
    mg_traffic sum = cluster ? mg_traffic_sum(cluster) : (mg_traffic){0};
    if (messages) *messages = sum.messages;
    if (bytes) *bytes = sum.bytes;
}

int meguri_cluster_broken(const meguri_cluster *cluster) { return cluster && cluster->failed; }
