/* The cheapest paths from one vertex to many: a search by Dijkstra's algorithm that is kept, and goes on from where it
 * ended when a target lies farther (path_hot.h says why it may).
 *
 * It is lazy rather than a whole tree at once: near targets cost little, a vertex is settled once whatever the order of
 * the targets, so that even the farthest come to no more than the whole tree; and what is found does not depend on what
 * was asked before, since the order in which vertices are settled does not. A whole tree on all threads (sssp) would be
 * sooner for one source, but takes them from the other questions. */
#include "algo/path/path_point.h"

#include "policy/policy.h"

typedef struct kept {
    mg_path_point point;
    uint32_t from;
    bool begun;
} kept;

static void free_kept(void *data) {
    kept *k = data;
    mg_path_point_free(&k->point);
}

static meguri_status begin(mg_path_question *q, kept *k) {
    if (k->begun && k->from == q->from) return MEGURI_OK;
    k->begun = false;
    meguri_status status = mg_path_point_begin(q->ctx, &k->point, q->finder->graph->vertices);
    if (status != MEGURI_OK) return status;
    mg_path_point_start(&k->point, q->from);
    k->from = q->from;
    k->begun = true;
    return MEGURI_OK;
}

meguri_status mg_path_from_tree(mg_path_question *q) {
    kept *k = mg_path_slot_get(q, MG_PATH_OF_ONE_SOURCE, sizeof *k, free_kept);
    meguri_status status = k ? begin(q, k) : MEGURI_NO_MEMORY;
    if (status != MEGURI_OK) return status;
    if (q->from == q->to) return mg_path_give(q, k->point.arcs, 0);
    /* Labels beyond the maximum cost of this question serve the next. */
    mg_path_task task = {.question = q,
                         .point = &k->point,
                         .met = MG_NO_VERTEX,
                         .bound = mg_path_bound(q),
                         .horizon = mg_path_no_bound(q->finder->real)};
    uint64_t hops = 0;
    status = mg_path_hot_loops(q->finder->graph->weight_type)->one(&task);
    if (status == MEGURI_OK && task.met != MG_NO_VERTEX && !q->over && mg_path_label_tells(q, false))
        return mg_path_give_cost(q, mg_path_label_cost(&task, false));
    if (status == MEGURI_OK && task.met != MG_NO_VERTEX) status = mg_path_collect(&hops, &task, false);
    if (status != MEGURI_OK || q->over || task.met == MG_NO_VERTEX) return status;
    if (q->query->max_hops && hops > q->query->max_hops) return mg_path_layers(q, false);
    return mg_path_give(q, k->point.arcs, hops);
}

/* ---- questions that share a tree -------------------------------------------------------------------------------- */

/* What one question costs, in vertices settled by Dijkstra's algorithm; and what it adds to the tree, if that is no
 * more than `most`. */
static meguri_status try(meguri_path_answer *answer, meguri_ctx *ctx, meguri_path_search *s,
                         const meguri_path_query *query, meguri_path_algorithm algorithm, uint64_t most) {
    meguri_path_query q = *query;
    q.algorithm = algorithm;
    meguri_status status = mg_path_ready(ctx, s, &q);
    if (status != MEGURI_OK) return status;
    mg_path_question question = {
        .ctx = ctx, .finder = s->finder, .search = s, .query = &q, .answer = answer, .most_settled = most};
    return mg_path_answer_one(&question);
}

/* Whether a tree is faster for `count` questions from one source, where a search by itself may take next to nothing: by
 * an index, or by hops. A few of them tell what each costs, and how far the tree has to go. Only settled vertices are
 * compared, so that the choice is the same every time. */
static meguri_status is_worth(bool *worth, meguri_ctx *ctx, meguri_path_search *s, const meguri_path_query *queries,
                              uint64_t count, uint64_t samples, uint32_t threads) {
    double sampled = 0, grown = 0;
    *worth = false;
    for (uint64_t i = 0; i < samples; i++) {
        meguri_path_answer answer;
        meguri_status status = try(&answer, ctx, s, &queries[i * count / samples], MEGURI_PATH_AUTO, 0);
        if (status != MEGURI_OK) return status;
        sampled += (double)answer.settled * mg_policy_path_single_price(answer.algorithm == MEGURI_PATH_INDEXED);
    }
    double single = mg_policy_path_single(sampled, samples, count, threads);
    for (uint64_t i = 0; i < samples && grown <= single; i++) {
        meguri_path_answer answer;
        const meguri_path_query *query = &queries[i * count / samples];
        meguri_status status = try(&answer, ctx, s, query, MEGURI_PATH_TREE, (uint64_t)single + 1);
        if (status != MEGURI_OK) return status;
        grown += (double)answer.settled;
    }
    *worth = mg_policy_path_tree(single, grown, s->finder->graph->vertices);
    return MEGURI_OK;
}

meguri_status mg_path_share(meguri_path_query *queries, meguri_ctx *ctx, meguri_path_search *search, uint64_t count) {
    const meguri_path_finder *f = search->finder;
    uint32_t threads = (uint32_t)mg_lasting_threads(ctx, count, 1);
    for (uint64_t first = 0, end; first < count; first = end) {
        bool worth = !f->indexed && f->weighted;
        meguri_status status = MEGURI_OK;
        for (end = first + 1; end < count && queries[end].from == queries[first].from; end++)
            if (queries[first].algorithm != queries[end].algorithm) break;
        uint64_t samples = mg_policy_path_samples(end - first, threads);
        if (queries[first].algorithm != MEGURI_PATH_AUTO || !samples) continue;
        if (!worth) status = is_worth(&worth, ctx, search, queries + first, end - first, samples, threads);
        if (status != MEGURI_OK) return status;
        for (uint64_t i = first; i < end && worth; i++) queries[i].algorithm = MEGURI_PATH_TREE;
    }
    return MEGURI_OK;
}
