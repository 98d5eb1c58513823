/* What tests of algorithms on a cluster share: a graph cut for an arrangement of ranks, each rank's part of an answer
 * put in its place. */
#ifndef ANSWERS_H
#define ANSWERS_H

#include "algo_bfs/searching.h"
#include "net/ranks.h"

#include <meguri.h>
#include <meguri/extra/cluster_threads.h>

static inline void run_on_threads(const arrangement *a, uint32_t threads, const char *name, meguri_cluster_work work,
                                  void *user) {
    meguri_ctx *ctx = context_with(1);
    const meguri_cluster_threads_options o = {.size = sizeof o, .ranks = a->ranks, .threads_each = threads};
    meguri_status status = meguri_cluster_threads(ctx, &o, work, user);
    if (status != MEGURI_OK)
        fail_msg("%s on %u ranks, %u × %u, pairs %d, %u threads each: %s", name, a->ranks, a->rows, a->columns,
                 a->pairs, threads, meguri_ctx_error(ctx));
    context_done(ctx);
}

/* With the argument `all` every graph is tried in every layout; else each in some, so that every layout has many. Ranks
 * that are threads of two processors spend their time on changing places. */
static bool everything;
static inline void read_arguments(int argc, char **argv) { everything = argc > 1 && strcmp(argv[1], "all") == 0; }
static inline bool is_tried(size_t layout, size_t turn) {
    return everything || (layout + turn) % (UNDER_TSAN || UNDER_ASAN ? 7 : 4) == 0;
}

/* This rank's part of a column of items of `bytes` into `all`, by position. */
static inline meguri_status take_part(void *all, meguri_ctx *ctx, const meguri_graph *graph,
                                      const meguri_result *result, const char *name, size_t bytes) {
    meguri_column column = {.size = sizeof column};
    meguri_status status = meguri_result_column(&column, result, name);
    if (status != MEGURI_OK) return status;
    meguri_graph_info info = {.size = sizeof info};
    status = meguri_graph_get_info(&info, ctx, graph);
    if (status != MEGURI_OK) return status;
    RANK_CHECK(ctx, column.count == info.count);
    memcpy((char *)all + info.first * bytes, column.data, column.count * bytes);
    return MEGURI_OK;
}

static inline uint64_t fact_number(const meguri_result *result, const char *name) {
    meguri_fact fact = {.size = sizeof fact};
    return meguri_result_fact(&fact, result, name) == MEGURI_OK ? fact.number : UINT64_MAX;
}

static inline double fact_real(const meguri_result *result, const char *name) {
    meguri_fact fact = {.size = sizeof fact};
    return meguri_result_fact(&fact, result, name) == MEGURI_OK ? fact.real : -1;
}

/* Whether the result says that this engine made it. */
static inline bool done_by(const meguri_result *result, const char *engine) {
    meguri_fact fact = {.size = sizeof fact};
    return meguri_result_fact(&fact, result, "engine") == MEGURI_OK && fact.text && strcmp(fact.text, engine) == 0;
}

/* All graphs of the zoo that are not too large, both ways; loops and parallel edges are kept in turns. */
static inline void each_of_the_zoo(meguri_ctx *ctx,
                                   void (*act)(meguri_ctx *, const meguri_graph *, const char *, size_t turn)) {
    zoo_graph g;
    size_t turn = 0;
    for (int index = 0; zoo_get(&g, index); index++) {
        for (int direction = MEGURI_DIRECTED; direction <= MEGURI_UNDIRECTED && g.count < 50000; direction++) {
            if ((UNDER_TSAN || UNDER_ASAN) && (index + direction) % 3) continue;
            meguri_build_options o = {.size = sizeof o,
                                      .direction = (meguri_direction)direction,
                                      .duplicates = index & 1 ? MEGURI_DUPLICATES_KEEP : MEGURI_DUPLICATES_MIN,
                                      .keep_loops = index >> 1 & 1};
            meguri_graph *graph;
            assert_int_equal(zoo_build(&graph, ctx, &g, &o), MEGURI_OK);
            act(ctx, graph, g.name, turn++);
            meguri_graph_free(graph);
        }
        zoo_free(&g);
    }
}

#endif
