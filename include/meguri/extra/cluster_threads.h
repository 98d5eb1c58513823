/* Clusters whose ranks are threads of this process: for tests, and for experiments that count messages. */
#ifndef MEGURI_CLUSTER_THREADS_H
#define MEGURI_CLUSTER_THREADS_H

#include <meguri/cluster.h>

#ifdef __cplusplus
extern "C" {
#endif

/* `work` runs once for each rank,
 * with a context of its own that has `ctx`'s options and its share of the threads. Returns the first failure. */
typedef struct meguri_cluster_threads_options {
    size_t size; /* sizeof(meguri_cluster_threads_options) */
    uint32_t ranks;
    uint32_t threads_each;   /* 0: 1 */
    double latency;          /* seconds that a message takes, during which no processor is busy with it */
    double bytes_per_second; /* out of each rank; 0: no limit */
    uint64_t most_bytes;     /* of one message; longer ones are cut; 0: no limit */
} meguri_cluster_threads_options;
void meguri_cluster_threads_options_init(meguri_cluster_threads_options *options, size_t size);
typedef meguri_status (*meguri_cluster_work)(void *user, meguri_ctx *ctx, meguri_cluster *cluster);
meguri_status meguri_cluster_threads(meguri_ctx *ctx, const meguri_cluster_threads_options *options,
                                     meguri_cluster_work work, void *user);

#ifdef __cplusplus
}
#endif
#endif
