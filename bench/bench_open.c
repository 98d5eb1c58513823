/* Opening a .meg file: time, and how much memory the process took for it before anything is read; then the time until
 * its rows have been used for the first time, which checks them, and until everything has been verified.
 *
 *     bench_open FILE */
#include <meguri.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void) {
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Resident memory of this process, in kB. */
static long resident(void) {
    FILE *file = fopen("/proc/self/status", "r");
    char line[256];
    long kilobytes = 0;
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, "VmRSS:", 6) == 0) kilobytes = atol(line + 6);
    if (file) fclose(file);
    return kilobytes;
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: bench_open FILE\n");
        return 2;
    }
    meguri_ctx *ctx;
    if (meguri_ctx_new(&ctx, NULL) != MEGURI_OK) return 4;
    meguri_graph *graph;
    long before = resident();
    double start = now();
    meguri_status status = meguri_open(&graph, ctx, argv[1], NULL);
    double opened = now();
    if (status != MEGURI_OK) {
        fprintf(stderr, "bench_open: %s\n", meguri_ctx_error(ctx));
        return meguri_status_exit_code(status);
    }
    printf("Open Time: %.6f\nResident Growth: %ld kB\n", opened - start, resident() - before);
    uint64_t degree;
    start = now();
    status = meguri_graph_degrees(&degree, ctx, graph, 0, 1);
    printf("First Use Time: %.4f\n", now() - start);
    start = now();
    if (status == MEGURI_OK) status = meguri_graph_verify(ctx, graph);
    printf("Verify Time: %.4f\nResident Growth After: %ld kB\n", now() - start, resident() - before);
    meguri_graph_info info = {.size = sizeof info};
    meguri_graph_get_info(&info, ctx, graph);
    if (info.arcs) printf("Bytes Per Arc: %.3f\n", (double)info.file_bytes / (double)info.arcs);
    meguri_graph_free(graph);
    meguri_ctx_free(ctx);
    return meguri_status_exit_code(status);
}
