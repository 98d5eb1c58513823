/* What tests of the cluster share: runs on ranks that are threads, with assertions that end up in the test itself. */
#ifndef RANKS_H
#define RANKS_H

#include "shards/shards.h"
#include "support/oracle.h"
#include "support/sanitized.h"
#include "support/unit.h"
#include <meguri/extra/cluster_threads.h>

/* In work that runs on ranks, which must not leave by cmocka's way out: says what is wrong, and fails. */
#define RANK_CHECK(ctx, condition)                                                                                     \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            return mg_fail(ctx, MEGURI_WRONG_ANSWER, "%s:%d: not true: %s", __FILE__, __LINE__, #condition);           \
    } while (0)

static inline void run_on(uint32_t ranks, uint64_t most, meguri_cluster_work work, void *user) {
    meguri_ctx *ctx = context_with(1);
    const meguri_cluster_threads_options o = {.size = sizeof o, .ranks = ranks, .most_bytes = most};
    meguri_status status = meguri_cluster_threads(ctx, &o, work, user);
    if (status != MEGURI_OK) fail_msg("%u ranks: %s", ranks, meguri_ctx_error(ctx));
    context_done(ctx);
}

/* Layouts to try: ranks, and how they are arranged. */
typedef struct arrangement {
    uint32_t ranks, rows, columns;
    int pairs;
    meguri_owner owner;
} arrangement;
#define BY_DEGREE   MEGURI_OWNER_DEGREE
#define BY_POSITION MEGURI_OWNER_POSITION
#define BY_BLOCKS   MEGURI_OWNER_BLOCKS
static const arrangement arrangements[] = {
    {1, 0, 0, 0, 0},           {2, 0, 0, 0, BY_DEGREE}, {2, 1, 2, 0, BY_DEGREE},   {2, 0, 0, 1, 0},
    {3, 0, 0, 0, BY_DEGREE},   {4, 0, 0, 0, BY_DEGREE}, {4, 1, 4, 0, BY_DEGREE},   {4, 4, 1, 0, BY_DEGREE},
    {6, 0, 0, 0, BY_DEGREE},   {6, 2, 3, 0, BY_DEGREE}, {8, 0, 0, 0, 0},           {8, 0, 0, 1, BY_DEGREE},
    {9, 0, 0, 0, BY_DEGREE},   {18, 0, 0, 1, 0},        {1, 0, 0, 0, BY_BLOCKS},   {2, 0, 0, 0, BY_POSITION},
    {2, 0, 0, 1, BY_POSITION}, {3, 0, 0, 0, BY_BLOCKS}, {3, 3, 1, 0, BY_BLOCKS},   {4, 2, 2, 0, BY_BLOCKS},
    {6, 2, 3, 0, BY_POSITION}, {6, 3, 2, 0, BY_BLOCKS}, {9, 1, 9, 0, BY_POSITION},
};
static inline meguri_layout arranged(meguri_cluster *cluster, const arrangement *a) {
    return (meguri_layout){.size = sizeof(meguri_layout),
                           .cluster = cluster,
                           .rows = a->rows,
                           .columns = a->columns,
                           .pairs = a->pairs,
                           .owner = a->owner};
}
/* As square as their number allows. */
static inline meguri_layout square(meguri_cluster *cluster) {
    return (meguri_layout){.size = sizeof(meguri_layout), .cluster = cluster};
}

#endif
