/* What a search along directed edges leaves unreached of the weakly connected components of its sources. Where edges of
 * a text file were taken for directed only because nobody said otherwise, that is often most of them, and the summary
 * says so. */
#include "cli.h"

#include <stdlib.h>

enum { AT_ONCE = 1024 }; /* numbers that processes reduce in one call */

static int by_number(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static uint64_t name_of(const meguri_column *names, uint64_t i) {
    const char *item = (const char *)names->data + i * names->stride;
    return names->item_bytes == 4 ? *(const uint32_t *)(const void *)item : *(const uint64_t *)(const void *)item;
}

/* In parts every process has some vertices: all of them together know all. */
static meguri_status reduce(uint64_t *values, size_t count, cli_run *run, meguri_ctx *ctx, meguri_reduction how) {
    meguri_status status = MEGURI_OK;
    for (size_t i = 0; i < count && run->cluster && status == MEGURI_OK; i += AT_ONCE) {
        size_t some = count - i < AT_ONCE ? count - i : AT_ONCE;
        status = meguri_cluster_reduce(values + i, ctx, run->cluster, (uint32_t)some, how);
    }
    return status;
}

/* Vertices of the components of all sources, a component as often as it has sources. `names` and `sizes` have room for
 * a number of each source. */
static meguri_status count_vertices(uint64_t *out, uint64_t *names, uint64_t *sizes, cli_algorithm *a, meguri_ctx *ctx,
                                    const cli_starts *starts, const meguri_column *components) {
    for (size_t i = 0; i < starts->count; i++) {
        uint64_t at = starts->vertices[i] - a->info.first;
        names[i] = at < a->info.count ? name_of(components, at) : 0;
    }
    meguri_status status = reduce(names, starts->count, a->run, ctx, MEGURI_MAXIMUM);
    if (status != MEGURI_OK) return status;
    qsort(names, starts->count, sizeof *names, by_number);
    for (uint64_t v = 0; v < a->info.count; v++) {
        uint64_t name = name_of(components, v);
        const uint64_t *found = bsearch(&name, names, starts->count, sizeof *names, by_number);
        if (found) sizes[found - names]++; /* always the same one of equal names */
    }
    status = reduce(sizes, starts->count, a->run, ctx, MEGURI_SUM);
    *out = 0;
    for (size_t i = 0, end; i < starts->count; i = end) {
        uint64_t vertices = 0;
        for (end = i; end < starts->count && names[end] == names[i]; end++) vertices += sizes[end];
        *out += vertices * (end - i);
    }
    return status;
}

static meguri_status look(uint64_t *out, cli_algorithm *a, meguri_ctx *ctx, const cli_starts *starts) {
    meguri_result *result = NULL;
    meguri_column components = {.size = sizeof components};
    uint64_t *names = calloc(2 * starts->count, sizeof *names);
    meguri_status status = cli_cluster_agree(a->run, names ? MEGURI_OK : MEGURI_NO_MEMORY);
    if (status == MEGURI_OK) status = meguri_components(&result, ctx, a->graph, NULL);
    if (status == MEGURI_OK) status = meguri_result_column(&components, result, "component");
    if (status == MEGURI_OK) status = count_vertices(out, names, names + starts->count, a, ctx, starts, &components);
    meguri_result_free(result);
    free(names);
    return status;
}

/* At least half of them. */
static bool is_most(uint64_t some, uint64_t all) { return some >= all || some >= all - some; }

/* Nothing depends on it: without memory for it, it is left out. It is no part of the run's trace. */
void cli_look_for_unreached(cli_algorithm *a, const cli_starts *starts) {
    cli_run *run = a->run;
    const cli_args *args = &run->args;
    uint64_t reached = cli_algorithm_fact(a, "reached"), vertices = 0;
    bool told = cli_given(args, "directed") || cli_given(args, "undirected");
    if (!run->read || told || !a->info.directed || !starts->count) return;
    if (cli_given(args, "quiet") && !cli_given(args, "json")) return;
    if (is_most(reached, a->info.vertices * starts->count)) return;
    meguri_ctx *ctx = NULL;
    meguri_ctx_options own = {.size = sizeof own,
                              .threads = meguri_ctx_threads(run->ctx),
                              .memory = meguri_ctx_memory_limit(run->ctx),
                              .progress = cli_stop_when_interrupted};
    meguri_status status = cli_cluster_agree(run, meguri_ctx_new(&ctx, &own));
    if (status == MEGURI_OK) status = look(&vertices, a, ctx, starts);
    if (status == MEGURI_OK && !is_most(reached, vertices)) a->component = vertices / starts->count;
    meguri_ctx_free(ctx);
}
