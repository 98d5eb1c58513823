/* The cheapest paths from one vertex to many: a search by Dijkstra's algorithm that is kept, and goes on from where it
 * ended when a target lies farther (path_hot.h says why it may).
 *
 * It is lazy rather than a whole tree at once: near targets cost little, a vertex is settled once whatever the order of
 * the targets, so that even the farthest come to no more than the whole tree; and what is found does not depend on what
 * was asked before, since the order in which vertices are settled does not. A whole tree on all threads (sssp) would be
 * sooner for one source, but takes them from the other questions. */
#include "algo/path/path_point.h"

#define FEW                                                                                                            \
    4 /* questions of a thread, below which a tree does not pay: it costs about as many searches from both ends */
#define SAMPLES 4  /* questions of a run that are tried */
#define EACH    16 /* questions for which one is tried, at least */

typedef struct kept {
    mg_path_point point;
    uint32_t from;
    bool begun;
} kept;

/* The scratch has the search, and the room in which paths are given. */
struct meguri_path_tree {
    const meguri_path_finder *finder;
    mg_path_scratch *scratch;
    uint64_t from;
};

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
    if (status == MEGURI_OK && task.met != MG_NO_VERTEX) status = mg_path_collect(&hops, &task, false);
    if (status != MEGURI_OK || q->over || task.met == MG_NO_VERTEX) return status;
    if (q->query->max_hops && hops > q->query->max_hops) return mg_path_layers(q, false);
    return mg_path_give(q, k->point.arcs, hops);
}

/* ---- the handle ------------------------------------------------------------------------------------------------- */

meguri_status meguri_path_tree_new(meguri_path_tree **out, meguri_ctx *ctx, meguri_path_finder *finder, uint64_t from) {
    if (!out || !ctx) return mg_missing(ctx, __func__);
    mg_begin(ctx);
    *out = NULL;
    if (!finder) return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "meguri_path_tree_new needs a finder.");
    meguri_path_query checked, query = {.size = sizeof query, .algorithm = MEGURI_PATH_TREE, .from = from, .to = from};
    query.max_hops = 1; /* targets may have that limit, and a tree changes nothing of the finder */
    meguri_status status = mg_path_check_query(&checked, ctx, finder, &query);
    if (status == MEGURI_OK) status = mg_path_ready(ctx, finder, &checked);
    if (status != MEGURI_OK) return status;
    meguri_path_tree *tree = mg_alloc_zero(ctx, sizeof *tree, "a tree of paths");
    if (!tree) return MEGURI_NO_MEMORY;
    tree->finder = finder;
    tree->from = from;
    tree->scratch = mg_path_scratch_new(ctx);
    if (!tree->scratch) {
        mg_free(tree);
        return MEGURI_NO_MEMORY;
    }
    *out = tree;
    return MEGURI_OK;
}

meguri_status meguri_path_tree_to(meguri_path_answer *answer, meguri_ctx *ctx, meguri_path_tree *tree, uint64_t to,
                                  const meguri_path_query *limits, meguri_path_take take, void *user) {
    if (!ctx) return MEGURI_BAD_ARGUMENT;
    mg_begin(ctx);
    if (!answer || !tree)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "meguri_path_tree_to needs a tree and a place for the answer.");
    meguri_path_query checked, query;
    meguri_status status = mg_options(ctx, &query, sizeof query, limits, "meguri_path_query");
    if (status != MEGURI_OK) return status;
    query.algorithm = MEGURI_PATH_TREE;
    query.from = tree->from;
    query.to = to;
    query.limit = 0;
    status = mg_path_check_query(&checked, ctx, tree->finder, &query);
    if (status != MEGURI_OK) return status;
    mg_path_question question = {
        .ctx = ctx, .finder = tree->finder, .scratch = tree->scratch, .query = &checked, .take = take, .user = user};
    return mg_path_ask(answer, &question);
}

void meguri_path_tree_free(meguri_path_tree *tree) {
    if (!tree) return;
    mg_path_scratch_free(tree->scratch);
    mg_free(tree);
}

/* ---- questions that share a tree -------------------------------------------------------------------------------- */

/* What a vertex settled costs, beside one of Dijkstra's: measured on roads. An index also resolves shortcuts; the
 * search by hops has no queue. */
static double price(meguri_path_algorithm algorithm) { return algorithm == MEGURI_PATH_INDEXED ? 7 : 0.6; }

/* What one question costs, in vertices settled by Dijkstra's algorithm; and what it adds to the tree, if that is no
 * more than `most`. */
static meguri_status try(meguri_path_answer *answer, meguri_ctx *ctx, meguri_path_finder *f,
                         const meguri_path_query *query, meguri_path_algorithm algorithm, uint64_t most) {
    meguri_path_query q = *query;
    q.algorithm = algorithm;
    meguri_status status = mg_path_ready(ctx, f, &q);
    if (status != MEGURI_OK) return status;
    mg_path_question question = {
        .ctx = ctx, .finder = f, .scratch = f->scratch, .query = &q, .answer = answer, .most_settled = most};
    return mg_path_answer_one(&question);
}

/* Whether a tree is faster for `count` questions from one source, where a search by itself may take next to nothing: by
 * an index, or by hops. A few of them tell what each costs, and how far the tree has to go. Only settled vertices are
 * compared, so that the choice is the same every time. */
static meguri_status is_worth(bool *worth, meguri_ctx *ctx, meguri_path_finder *f, const meguri_path_query *queries,
                              uint64_t count) {
    uint64_t samples = MG_MIN(1 + count / EACH, SAMPLES);
    double each = 0, tree = 0;
    *worth = false;
    for (uint64_t i = 0; i < samples; i++) {
        meguri_path_answer answer;
        meguri_status status = try(&answer, ctx, f, &queries[i * count / samples], MEGURI_PATH_AUTO, 0);
        if (status != MEGURI_OK) return status;
        each += (double)answer.settled * price(answer.algorithm);
    }
    /* Every thread grows a tree of its own, but has only its share of the questions. */
    double all = each / (double)samples * (double)count / mg_threads(ctx, count, 1);
    for (uint64_t i = 0; i < samples; i++) {
        meguri_path_answer answer;
        const meguri_path_query *query = &queries[i * count / samples];
        meguri_status status = try(&answer, ctx, f, query, MEGURI_PATH_TREE, (uint64_t)all + 1);
        if (status != MEGURI_OK) return status;
        tree += (double)answer.settled;
        if (tree > all) return MEGURI_OK;
    }
    /* The farthest of all is farther than the farthest of a few. */
    *worth = MG_MIN(1.5 * tree, (double)f->graph->vertices) <= all;
    return MEGURI_OK;
}

meguri_status meguri_path_share(meguri_path_query *queries, meguri_ctx *ctx, meguri_path_finder *finder,
                                uint64_t count) {
    if (!ctx) return MEGURI_BAD_ARGUMENT;
    mg_begin(ctx);
    if (!finder || (!queries && count))
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "meguri_path_share needs a finder and questions.");
    meguri_status status = mg_check_count(ctx, count, sizeof *queries, "questions");
    if (status != MEGURI_OK) return status;
    for (uint64_t i = 0; i < count; i++)
        if (queries[i].size != sizeof *queries)
            return mg_fail(ctx, MEGURI_BAD_ARGUMENT,
                           "the size field of meguri_path_query is not set: set it to sizeof(meguri_path_query).");
    uint64_t few = FEW * (uint64_t)mg_threads(ctx, count, 1);
    for (uint64_t first = 0, end; first < count && status == MEGURI_OK; first = end) {
        bool worth = !finder->indexed && finder->weighted;
        for (end = first + 1; end < count && queries[end].from == queries[first].from; end++)
            if (queries[first].algorithm != queries[end].algorithm) break;
        if (queries[first].algorithm != MEGURI_PATH_AUTO || end - first < few) continue;
        for (uint64_t i = first; i < end && status == MEGURI_OK; i++) {
            meguri_path_query checked;
            status = mg_path_check_query(&checked, ctx, finder, &queries[i]);
        }
        if (status == MEGURI_OK && !worth) status = is_worth(&worth, ctx, finder, queries + first, end - first);
        for (uint64_t i = first; i < end && worth; i++) queries[i].algorithm = MEGURI_PATH_TREE;
    }
    return status;
}
