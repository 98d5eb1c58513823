/* What programs on a cluster ask for themselves: agreement on failures of their own, sums, a cluster of one. */
#define _GNU_SOURCE
#include "net/ranks.h"
#include <math.h>

static meguri_status agree(void *user, meguri_ctx *ctx, meguri_cluster *c) {
    (void)user;
    char sentence[32];
    uint32_t rank = meguri_cluster_rank(c), size = meguri_cluster_size(c);
    RANK_CHECK(ctx, meguri_cluster_agree(ctx, c, MEGURI_OK, NULL) == MEGURI_OK);
    RANK_CHECK(ctx, !*meguri_ctx_error(ctx));
    for (uint32_t first = 0; first < size; first++) { /* that one and all behind it fail, each in its way */
        snprintf(sentence, sizeof sentence, "rank %u failed.", rank);
        meguri_status mine = rank < first ? MEGURI_OK : rank == first ? MEGURI_NO_DISK : MEGURI_BAD_INPUT;
        RANK_CHECK(ctx, meguri_cluster_agree(ctx, c, mine, mine == MEGURI_OK ? NULL : sentence) == MEGURI_NO_DISK);
        snprintf(sentence, sizeof sentence, "rank %u failed.", first);
        RANK_CHECK(ctx, strcmp(meguri_ctx_error(ctx), sentence) == 0);
        RANK_CHECK(ctx, !meguri_cluster_broken(c)); /* all know of it, so all can go on */
    }
    RANK_CHECK(ctx, meguri_cluster_agree(ctx, c, MEGURI_NO_MEMORY, NULL) == MEGURI_NO_MEMORY);
    RANK_CHECK(ctx, strcmp(meguri_ctx_error(ctx), meguri_status_text(MEGURI_NO_MEMORY)) == 0);
    return MEGURI_OK;
}

static meguri_status reduce(void *user, meguri_ctx *ctx, meguri_cluster *c) {
    (void)user;
    uint64_t rank = meguri_cluster_rank(c), size = meguri_cluster_size(c), messages, bytes;
    uint64_t sums[] = {rank, 1, UINT64_MAX}, least[] = {rank + 7}, most[] = {rank + 7};
    RANK_CHECK(ctx, meguri_cluster_reduce(sums, ctx, c, 3, MEGURI_SUM) == MEGURI_OK);
    RANK_CHECK(ctx, sums[0] == size * (size - 1) / 2 && sums[1] == size && sums[2] == 0 - size);
    RANK_CHECK(ctx, meguri_cluster_reduce(least, ctx, c, 1, MEGURI_MINIMUM) == MEGURI_OK && least[0] == 7);
    RANK_CHECK(ctx, meguri_cluster_reduce(most, ctx, c, 1, MEGURI_MAXIMUM) == MEGURI_OK && most[0] == size + 6);
    meguri_cluster_sent(&messages, &bytes, c);
    RANK_CHECK(ctx, size == 1 ? !messages && !bytes : messages > 0 && bytes >= 8 * messages);
    RANK_CHECK(ctx, meguri_cluster_reduce(sums, ctx, c, 3, (meguri_reduction)9) == MEGURI_BAD_ARGUMENT);
    RANK_CHECK(ctx, meguri_cluster_reduce(NULL, ctx, c, 1, MEGURI_SUM) == MEGURI_BAD_ARGUMENT);
    RANK_CHECK(ctx, meguri_cluster_reduce(sums, ctx, NULL, 1, MEGURI_SUM) == MEGURI_BAD_ARGUMENT);
    RANK_CHECK(ctx, meguri_cluster_reduce(sums, NULL, c, 1, MEGURI_SUM) == MEGURI_BAD_ARGUMENT);
    return MEGURI_OK;
}

/* ---- processes that do not do the same -------------------------------------------------------------------------- */

static bool says(meguri_ctx *ctx, const char *piece) { return strstr(meguri_ctx_error(ctx), piece) != NULL; }

static meguri_status different_calls(void *user, meguri_ctx *ctx, meguri_cluster *c) {
    (void)user;
    uint64_t rank = meguri_cluster_rank(c), sums[3] = {0};
    bool odd = rank == meguri_cluster_size(c) - 1;
    meguri_status status =
        odd ? meguri_cluster_agree(ctx, c, MEGURI_OK, NULL) : meguri_cluster_reduce(sums, ctx, c, 3, MEGURI_SUM);
    RANK_CHECK(ctx, status == MEGURI_BAD_ARGUMENT && says(ctx, "process 0 is calling meguri_cluster_reduce, and"));
    status = meguri_cluster_reduce(sums, ctx, c, odd ? 2 : 3, MEGURI_SUM);
    RANK_CHECK(ctx, status == MEGURI_BAD_ARGUMENT && says(ctx, "meguri_cluster_reduce was given another number of "));
    RANK_CHECK(ctx, !meguri_cluster_broken(c)); /* all know of it, so all can go on */
    RANK_CHECK(ctx, meguri_cluster_reduce(sums, ctx, c, 3, MEGURI_SUM) == MEGURI_OK);
    return MEGURI_OK;
}

static meguri_status different_arguments(void *user, meguri_ctx *ctx, meguri_cluster *c) {
    (void)user;
    uint64_t vertex;
    uint32_t odd = meguri_cluster_rank(c) == 1;
    char text[64];
    const meguri_layout layout = square(c);
    meguri_graph *shards = NULL;
    meguri_result *result = NULL;
    meguri_kronecker_options k = {.size = sizeof k,
                                  .scale = 6 + odd,
                                  .build =
                                      &(meguri_build_options){.size = sizeof(meguri_build_options), .layout = &layout}};
    meguri_pagerank_options p = {.size = sizeof p, .tiles = 1, .iterations = 3 + odd, .damping = 0.85};
    meguri_sssp_options s = {.size = sizeof s, .parents = 1, .max_cost = (double)INFINITY, .delta = 1 + odd};
    RANK_CHECK(ctx, meguri_gen_kronecker(&shards, ctx, &k) == MEGURI_BAD_ARGUMENT);
    RANK_CHECK(ctx, says(ctx, "meguri_gen_kronecker was given another scale by one process of the cluster"));
    k.scale = 6;
    RANK_CHECK(ctx, meguri_gen_kronecker(&shards, ctx, &k) == MEGURI_OK);
    RANK_CHECK(ctx, meguri_bfs(&result, ctx, shards, odd, NULL) == MEGURI_BAD_ARGUMENT && says(ctx, "source"));
    RANK_CHECK(ctx, meguri_sssp(&result, ctx, shards, 0, &s) == MEGURI_BAD_ARGUMENT && says(ctx, "delta"));
    RANK_CHECK(ctx, meguri_pagerank(&result, ctx, shards, &p) == MEGURI_BAD_ARGUMENT && says(ctx, "iterations"));
    RANK_CHECK(ctx, meguri_graph_find(&vertex, ctx, shards, odd) == MEGURI_BAD_ARGUMENT && says(ctx, " id "));
    RANK_CHECK(ctx,
               meguri_graph_id_text(text, 32 + odd, NULL, ctx, shards, 0) == MEGURI_BAD_ARGUMENT && says(ctx, "room"));
    meguri_status status =
        odd ? meguri_components(&result, ctx, shards, NULL) : meguri_pagerank(&result, ctx, shards, NULL);
    RANK_CHECK(ctx, status == MEGURI_BAD_ARGUMENT && says(ctx, "process 0 is calling meguri_pagerank"));
    RANK_CHECK(ctx, !result);
    RANK_CHECK(ctx, meguri_components(&result, ctx, shards, NULL) == MEGURI_OK);
    meguri_result_free(result);
    meguri_graph_free(shards);
    return MEGURI_OK;
}

static void not_the_same(void **state) {
    (void)state;
    for (uint32_t ranks = 2; ranks <= 5; ranks++) {
        run_on(ranks, 0, different_calls, NULL);
        run_on(ranks, 0, different_arguments, NULL);
    }
}

static void on_ranks(void **state) {
    (void)state;
    for (uint32_t ranks = 1; ranks <= 6; ranks++) {
        run_on(ranks, 0, agree, NULL);
        run_on(ranks, 0, reduce, NULL);
    }
}

static void alone(void **state) {
    (void)state;
    meguri_ctx *ctx = context_with(2);
    meguri_cluster *c = NULL;
    assert_int_equal(meguri_cluster_alone(NULL, ctx), MEGURI_BAD_ARGUMENT);
    assert_int_equal(meguri_cluster_alone(&c, NULL), MEGURI_BAD_ARGUMENT);
    assert_int_equal(meguri_cluster_alone(&c, ctx), MEGURI_OK);
    assert_int_equal(meguri_cluster_size(c), 1);
    assert_int_equal(agree(NULL, ctx, c), MEGURI_OK);
    assert_int_equal(reduce(NULL, ctx, c), MEGURI_OK);
    meguri_cluster_free(c);
    context_done(ctx);
}

/* What launchers tell, and what is none of their business. */
static void launched(void **state) {
    (void)state;
    static const char *const names[] = {
        "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE", "PMIX_SIZE", "PMIX_RANK", "SLURM_STEP_NUM_TASKS"};
    for (size_t i = 0; i < COUNT_OF(names); i++) unsetenv(names[i]);
    assert_int_equal(meguri_cluster_launched(), 0);
    setenv("SLURM_STEP_NUM_TASKS", "3", 1); /* srun without MPI */
    assert_int_equal(meguri_cluster_launched(), 0);
    setenv("PMIX_RANK", "2", 1);
    assert_int_equal(meguri_cluster_launched(), 3);
    setenv("PMI_SIZE", "7x", 1);
    assert_int_equal(meguri_cluster_launched(), 3);
    setenv("PMI_SIZE", "7", 1);
    assert_int_equal(meguri_cluster_launched(), 7);
    setenv("OMPI_COMM_WORLD_SIZE", "1", 1);
    assert_int_equal(meguri_cluster_launched(), 1);
    for (size_t i = 0; i < COUNT_OF(names); i++) unsetenv(names[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(on_ranks), cmocka_unit_test(not_the_same),
                                       cmocka_unit_test(alone), cmocka_unit_test(launched)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
