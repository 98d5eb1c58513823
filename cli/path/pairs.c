/* What is asked: one vertex and one or more others of the command line, or many pairs of a file, each with its limits.
 * A pair has the settings of the command line, and its own before them. */
#include "path/path.h"

#include <stdlib.h>

/* The settings of the command line, which must agree with each other. */
static meguri_status make_base(meguri_path_query *q, cli_run *run) {
    cli_value algorithm = cli_value_of(&run->args, "algorithm"), k = cli_value_of(&run->args, "k");
    cli_value hops = cli_value_of(&run->args, "max-hops"), cost = cli_value_of(&run->args, "max-cost");
    cli_value limit = cli_value_of(&run->args, "limit"), timeout = cli_value_of(&run->args, "timeout");
    *q = (meguri_path_query){
        .size = sizeof *q,
        .algorithm =
            algorithm.given ? (meguri_path_algorithm)meguri_path_algorithm_from_name(algorithm.text) : MEGURI_PATH_AUTO,
        .k = k.given ? k.number : 0,
        .max_hops = hops.given ? hops.number : 0,
        .max_cost = cost.given ? cost.real : 0,
        .has_max_cost = cost.given,
        .limit = limit.given ? limit.number : 0,
        .timeout = timeout.given ? timeout.real : 0,
        .costs_only = cli_given(&run->args, "costs"),
    };
    if (k.given && !algorithm.given) q->algorithm = MEGURI_PATH_YENS;
    if (k.given && q->algorithm != MEGURI_PATH_YENS)
        return cli_fail(run, MEGURI_BAD_ARGUMENT,
                        "--k is for --algorithm yens; give that, or --limit for at most so many paths.");
    if (timeout.given && !(q->timeout > 0))
        return cli_fail(run, MEGURI_BAD_ARGUMENT, "--timeout 0: give a number of seconds above 0, or leave it out.");
    return MEGURI_OK;
}

meguri_status path_check_settings(cli_run *run) {
    meguri_path_query query;
    return make_base(&query, run);
}

meguri_status path_pairs_read(path_pairs *pairs, cli_run *run) {
    const cli_args *args = &run->args;
    bool file = cli_given(args, "pairs");
    pairs->many = file || cli_given(args, "to-file");
    if (!pairs->many) return MEGURI_OK;
    return cli_sources_read(&pairs->lines, run, cli_text(args, file ? "pairs" : "to-file"),
                            file ? MEGURI_LIST_PAIRS : MEGURI_LIST_VERTICES);
}

/* ---- a file of pairs -------------------------------------------------------------------------------------------- */

static meguri_status find_pairs(path_pairs *pairs, cli_run *run, const cli_algorithm *a,
                                const meguri_path_query *base) {
    meguri_status status = meguri_path_pairs_new(&pairs->file, run->ctx, a->graph, pairs->lines.path, base);
    if (status == MEGURI_OK) status = meguri_path_pairs_add_list(run->ctx, pairs->file, pairs->lines.list);
    if (status == MEGURI_OK) status = meguri_path_pairs_get(&pairs->queries, &pairs->count, pairs->file);
    if (status != MEGURI_OK || pairs->count) return status;
    return cli_fail(run, MEGURI_BAD_INPUT, "%s has no pairs below its header.", pairs->lines.path);
}

/* ---- targets ---------------------------------------------------------------------------------------------------- */

/* --from, then each --to and each line of --to-file. */
static meguri_status find_targets(path_pairs *pairs, cli_run *run, const cli_algorithm *a,
                                  const meguri_path_query *base) {
    uint64_t from, *listed = NULL;
    size_t typed;
    const char *const *texts = cli_texts(&run->args, "to", &typed);
    if (typed > 1) pairs->many = true;
    pairs->count = typed + pairs->lines.count;
    pairs->queries = pairs->targets = calloc(pairs->count, sizeof *pairs->targets);
    if (!pairs->targets) return cli_fail(run, MEGURI_NO_MEMORY, "the system has no memory for the questions.");
    meguri_status status = meguri_graph_find_like(&from, run->ctx, a->graph, cli_text(&run->args, "from"));
    if (status == MEGURI_OK && pairs->lines.count)
        status = cli_sources_find(&listed, &pairs->lines, run, a->graph, "target");
    for (size_t i = 0; i < pairs->count && status == MEGURI_OK; i++) {
        pairs->targets[i] = *base;
        pairs->targets[i].from = from;
        if (i < typed) status = meguri_graph_find_like(&pairs->targets[i].to, run->ctx, a->graph, texts[i]);
        else pairs->targets[i].to = listed[i - typed];
    }
    free(listed);
    return status;
}

/* ---- all of them ------------------------------------------------------------------------------------------------ */

meguri_status path_pairs_find(path_pairs *pairs, cli_run *run, const cli_algorithm *a) {
    meguri_path_query base;
    meguri_status status = make_base(&base, run);
    if (status != MEGURI_OK) return status;
    return cli_given(&run->args, "pairs") ? find_pairs(pairs, run, a, &base) : find_targets(pairs, run, a, &base);
}

void path_pairs_free(path_pairs *pairs) {
    cli_sources_free(&pairs->lines);
    meguri_path_pairs_free(pairs->file);
    free(pairs->targets);
    *pairs = (path_pairs){0};
}
