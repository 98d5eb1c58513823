/* How fast normal delivery sorts messages by receiver, beside the library's radix sort on the same records.
 *
 *     bench_sort SCALE|FILE.meg PROGRAM.c [THREADS [RUNS [ARGUMENT…]]]
 *
 * PROGRAM.c is examples/pregel/pagerank.c with the argument 1: one superstep in which everybody sends 8 bytes along
 * all out-edges. The records are such messages, in the order in which they are collected: a key of receiver and source,
 * and 8 bytes. The time of normal delivery is `seconds_after`, which is that of sorting and of waking receivers. Both
 * in turns; asked (issue of paper P4): no less than half the speed. */
#include "graphs.h"
#include "par/par.h"

#include <meguri/run.h>

typedef struct records {
    uint64_t count, *keys, *payload, *fresh_keys;
    uint32_t bits;
} records;

static meguri_status make_records(records *r, meguri_ctx *ctx, const meguri_graph *graph) {
    meguri_graph_info info = {.size = sizeof info};
    meguri_status status = meguri_graph_get_info(&info, ctx, graph);
    uint32_t shift = 1;
    while ((info.vertices - 1) >> shift) shift++;
    r->count = info.arcs;
    r->bits = 2 * shift;
    r->keys = malloc((r->count + 1) * sizeof *r->keys);
    r->fresh_keys = malloc((r->count + 1) * sizeof *r->keys);
    r->payload = malloc((r->count + 1) * sizeof *r->payload);
    if (!r->keys || !r->fresh_keys || !r->payload) return MEGURI_NO_MEMORY;
    for (uint64_t v = 0, at = 0; v < info.vertices && status == MEGURI_OK; v++) {
        uint64_t count;
        status = meguri_graph_neighbors(r->fresh_keys + at, NULL, NULL, r->count - at, &count, ctx, graph, v);
        for (uint64_t i = 0; i < count && status == MEGURI_OK; i++, at++)
            r->fresh_keys[at] = r->fresh_keys[at] << shift | v;
    }
    return status;
}

static meguri_status sort_once(double *seconds, records *r, meguri_ctx *ctx) {
    memcpy(r->keys, r->fresh_keys, r->count * sizeof *r->keys);
    memset(r->payload, 1, r->count * sizeof *r->payload);
    double start = now();
    meguri_status status = mg_sort_u64(ctx, r->keys, r->payload, sizeof *r->payload, r->count, r->bits);
    *seconds = now() - start;
    return status;
}

static meguri_status deliver_once(double *seconds, meguri_ctx *ctx, const meguri_graph *graph,
                                  const meguri_program_file *program, const meguri_run_options *options) {
    meguri_result *result = NULL;
    meguri_fact after = {.size = sizeof after};
    meguri_status status = meguri_run(&result, ctx, graph, meguri_program_file_list(program), options);
    if (status == MEGURI_OK) status = meguri_result_fact(&after, result, "seconds_after");
    *seconds = after.real;
    meguri_result_free(result);
    return status;
}

static meguri_status run(meguri_ctx *ctx, const meguri_graph *graph, const meguri_program_file *program, unsigned runs,
                         const meguri_run_options *options) {
    records r = {0};
    double sorted = 0, delivered = 0;
    meguri_status status = make_records(&r, ctx, graph);
    for (unsigned i = 0; i < runs && status == MEGURI_OK; i++) {
        double a = 0, b = 0;
        status = sort_once(&a, &r, ctx);
        if (status == MEGURI_OK) status = deliver_once(&b, ctx, graph, program, options);
        if (!i || a < sorted) sorted = a;
        if (!i || b < delivered) delivered = b;
    }
    if (status == MEGURI_OK)
        printf("Records: %.1f M\nRadix sort: %.4f s, %.1f M/s\nNormal delivery: %.4f s, %.1f M/s, %.2f of the sort\n",
               1e-6 * (double)r.count, sorted, 1e-6 * (double)r.count / sorted, delivered,
               1e-6 * (double)r.count / delivered, sorted / delivered);
    free(r.keys);
    free(r.fresh_keys);
    free(r.payload);
    return status;
}

int main(int argc, char **argv) {
    unsigned threads = argc > 3 ? (unsigned)atoi(argv[3]) : 0, runs = argc > 4 ? (unsigned)atoi(argv[4]) : 3;
    if (argc < 3 || !runs) {
        fputs("usage: bench_sort SCALE|FILE.meg PROGRAM.c [THREADS [RUNS [ARGUMENT…]]]\n", stderr);
        return 2;
    }
    meguri_ctx *ctx;
    meguri_ctx_options ctx_options = {.size = sizeof ctx_options, .threads = threads};
    if (meguri_ctx_new(&ctx, &ctx_options) != MEGURI_OK) return 4;
    meguri_run_options options = {.size = sizeof options,
                                  .delivery = MEGURI_DELIVERY_NORMAL,
                                  .argc = argc > 5 ? argc - 5 : 0,
                                  .argv = (const char *const *)argv + 5};
    meguri_graph *graph = NULL;
    meguri_program_file *program = NULL;
    uint64_t edges;
    meguri_status status = get_graph(&graph, &edges, ctx, argv[1]);
    if (status == MEGURI_OK) status = meguri_program_open(&program, ctx, argv[2], NULL);
    if (status == MEGURI_OK) status = run(ctx, graph, program, runs, &options);
    if (status != MEGURI_OK) fprintf(stderr, "bench_sort: %s\n", meguri_ctx_error(ctx));
    meguri_program_close(program);
    meguri_graph_free(graph);
    meguri_ctx_free(ctx);
    return meguri_status_exit_code(status);
}
