/* How fast this machine copies memory: the roof over everything that moves bytes.
 *
 *     bench_copy [MEGABYTES [THREADS]]
 *
 * Bytes read and bytes written both count. Best of ten. */
#define _GNU_SOURCE
#include "graphs.h"

#include <omp.h>
#include <sys/mman.h>

static char *fresh(size_t bytes) {
    char *base = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED) return NULL;
    madvise(base, bytes, MADV_HUGEPAGE);
    return base;
}

int main(int argc, char **argv) {
    size_t bytes = (argc > 1 ? (size_t)atol(argv[1]) : 512) << 20;
    int threads = argc > 2 ? atoi(argv[2]) : omp_get_max_threads();
    char *from = fresh(bytes), *to = fresh(bytes);
    if (!from || !to) {
        fputs("bench_copy: not enough memory.\n", stderr);
        return 4;
    }
    double best = 1e9;
    memset(from, 1, bytes);
    for (int run = 0; run < 10; run++) {
        double start = now();
#pragma omp parallel num_threads(threads)
        {
            size_t share = bytes / (size_t)omp_get_num_threads(), first = share * (size_t)omp_get_thread_num();
            memcpy(to + first, from + first, share);
        }
        double seconds = now() - start;
        if (seconds < best) best = seconds;
    }
    printf("Copy: %.2f GB/s\n", 2e-9 * (double)bytes / best);
    return 0;
}
