/* What the tests of breadth-first search on a device share: random searches of a graph, and one that may fail. */
#ifndef ON_DEVICE_H
#define ON_DEVICE_H

#include "algo_bfs/searching.h"
#include "support/device.h"

static inline void search(meguri_ctx *ctx, const subject *s, int way, uint64_t *seed) {
    meguri_bfs_options options = way_options(way);
    uint64_t n = s->plain.vertices, source = zoo_random(seed) % 3 ? zoo_random(seed) % n : plain_hub(&s->plain);
    if (zoo_random(seed) % 8 == 0 && plain_leaf(&s->plain) != UINT32_MAX) source = plain_leaf(&s->plain);
    if (zoo_random(seed) % 8 == 0 && plain_isolated(&s->plain) != UINT32_MAX) source = plain_isolated(&s->plain);
    options.engine = MEGURI_ENGINE_DEVICE;
    options.max_depth = (uint32_t)(zoo_random(seed) % 4 ? 0 : 1 + (uint32_t)(zoo_random(seed) % 4)) - 1;
    options.parents = !(zoo_random(seed) % 8 == 0);
    options.levels = !(options.parents && zoo_random(seed) % 8 == 0);
    options.split_device = 1; /* alone; or shared, or as is expected to be fastest */
    if (zoo_random(seed) % 2) options.split_device = zoo_random(seed) % 4, options.split_host = zoo_random(seed) % 3;
    check_search(ctx, s, source, &options);
}

/* `before`, if it is given, sees each graph first. */
static inline void search_both_ways(meguri_ctx *ctx, const zoo_graph *g, uint64_t *seed, int ways,
                                    void (*before)(meguri_ctx *ctx, const subject *s)) {
    for (int direction = MEGURI_DIRECTED; direction <= MEGURI_UNDIRECTED; direction++) {
        meguri_build_options o = {.size = sizeof o,
                                  .direction = (meguri_direction)direction,
                                  .order = 1 + zoo_random(seed) % 3,
                                  .duplicates = zoo_random(seed) % 2 ? MEGURI_DUPLICATES_KEEP : MEGURI_DUPLICATES_MIN,
                                  .keep_loops = zoo_random(seed) % 2};
        subject s = subject_from_zoo(ctx, g, &o);
        if (before && s.plain.vertices) before(ctx, &s);
        for (int i = 0; i < ways && s.plain.vertices; i++)
            search(ctx, &s, ways == WAYS ? i : (int)(zoo_random(seed) % WAYS), seed);
        subject_free(&s);
    }
}

/* A search that may fail (support/faults.h). */
typedef struct forced {
    subject s;
    meguri_bfs_options options;
} forced;

static inline meguri_status search_once(meguri_ctx *ctx, void *what) {
    const forced *f = what;
    meguri_result *result;
    meguri_status status = meguri_bfs(&result, ctx, f->s.graph, 1, &f->options);
    if (status != MEGURI_OK) assert_null(result);
    else check_result(ctx, &f->s, 1, &f->options, result);
    meguri_result_free(result);
    return status;
}

#endif
