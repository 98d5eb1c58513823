/* How fast this machine copies memory: the roof over everything that moves bytes.
 *
 *     bench_copy [MEGABYTES [THREADS]]
 *
 * Bytes read and bytes written both count. Best of ten. */
#define _GNU_SOURCE
#include "graphs.h"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#define RUNS         10
#define MOST_THREADS 1024

static char *fresh(size_t bytes) {
    char *base = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED) return NULL;
    madvise(base, bytes, MADV_HUGEPAGE);
    return base;
}

typedef struct share {
    char *to;
    const char *from;
    size_t bytes;
    pthread_barrier_t *begin, *end;
} share;

static void *copy(void *argument) {
    share *s = argument;
    for (int run = 0; run < RUNS; run++) {
        pthread_barrier_wait(s->begin);
        memcpy(s->to, s->from, s->bytes);
        pthread_barrier_wait(s->end);
    }
    return NULL;
}

int main(int argc, char **argv) {
    size_t bytes = (argc > 1 ? (size_t)atol(argv[1]) : 512) << 20;
    int threads = argc > 2 ? atoi(argv[2]) : (int)sysconf(_SC_NPROCESSORS_ONLN);
    if (threads < 1 || threads > MOST_THREADS) {
        fprintf(stderr, "bench_copy: from 1 to %d threads.\n", MOST_THREADS);
        return 2;
    }
    share shares[MOST_THREADS];
    char *from = fresh(bytes), *to = fresh(bytes);
    if (!from || !to) {
        fputs("bench_copy: not enough memory.\n", stderr);
        return 4;
    }
    double best = 1e9;
    memset(from, 1, bytes);
    pthread_barrier_t begin, end;
    pthread_barrier_init(&begin, NULL, (unsigned)threads + 1);
    pthread_barrier_init(&end, NULL, (unsigned)threads + 1);
    for (int t = 0; t < threads; t++) {
        size_t each = bytes / (size_t)threads, first = each * (size_t)t;
        pthread_t thread;
        shares[t] = (share){to + first, from + first, each, &begin, &end};
        if (pthread_create(&thread, NULL, copy, &shares[t]) != 0) {
            fputs("bench_copy: no more threads.\n", stderr);
            return 4;
        }
        pthread_detach(thread);
    }
    for (int run = 0; run < RUNS; run++) {
        pthread_barrier_wait(&begin);
        double start = now();
        pthread_barrier_wait(&end);
        double seconds = now() - start;
        if (seconds < best) best = seconds;
    }
    printf("Copy: %.2f GB/s\n", 2e-9 * (double)bytes / best);
    return 0;
}
