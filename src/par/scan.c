/* Exclusive prefix sums.
 *
 * Two sweeps: each thread sums its share, the sums of the shares are scanned, each thread scans its share from where
 * the ones before it end. Sums of integers do not depend on how they are grouped, so neither does the result. */
#include "par/par.h"

#include <omp.h>

#define GRAIN 32768 /* below this many items a second thread costs more than it saves */

static uint64_t scan_share_u64(uint64_t *a, mg_range share, uint64_t sum) {
    for (uint64_t i = share.begin; i < share.end; i++) {
        uint64_t item = a[i];
        a[i] = sum;
        sum += item;
    }
    return sum;
}

static uint32_t scan_share_u32(uint32_t *a, mg_range share, uint32_t sum) {
    for (uint64_t i = share.begin; i < share.end; i++) {
        uint32_t item = a[i];
        a[i] = sum;
        sum += item;
    }
    return sum;
}

uint64_t mg_scan_u64(meguri_ctx *ctx, uint64_t *a, uint64_t count) {
    int threads = mg_threads(ctx, count, GRAIN);
    if (threads == 1) return scan_share_u64(a, (mg_range){0, count}, 0);
    uint64_t starts[MG_MAX_THREADS], total = 0;
#pragma omp parallel num_threads(mg_team(threads))
    {
        int me = omp_get_thread_num(), team = omp_get_num_threads();
        mg_range share = mg_share(count, me, team);
        uint64_t sum = 0;
        for (uint64_t i = share.begin; i < share.end; i++) sum += a[i];
        starts[me] = sum;
#pragma omp barrier
#pragma omp single
        total = scan_share_u64(starts, (mg_range){0, (uint64_t)team}, 0);
        scan_share_u64(a, share, starts[me]);
    }
    return total;
}

uint64_t mg_scan_u32(meguri_ctx *ctx, uint32_t *a, uint64_t count) {
    int threads = mg_threads(ctx, count, GRAIN);
    if (threads == 1) return scan_share_u32(a, (mg_range){0, count}, 0);
    uint32_t starts[MG_MAX_THREADS], total = 0;
#pragma omp parallel num_threads(mg_team(threads))
    {
        int me = omp_get_thread_num(), team = omp_get_num_threads();
        mg_range share = mg_share(count, me, team);
        uint32_t sum = 0;
        for (uint64_t i = share.begin; i < share.end; i++) sum += a[i];
        starts[me] = sum;
#pragma omp barrier
#pragma omp single
        total = scan_share_u32(starts, (mg_range){0, (uint64_t)team}, 0);
        scan_share_u32(a, share, starts[me]);
    }
    return total;
}
