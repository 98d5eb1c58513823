/* All paths of a question. Where hops or cost have a limit, one walk gives them, depth first.
 *
 * Where they have none, a walk would go as deep as the graph is large before it came upon the first path, and whoever
 * wants ten paths does not mean ten of those. So paths are given in rounds: those with the fewest hops, then those with
 * one more, and so on; each round is a walk with a limit that passes over what the rounds before it have given. That is
 * seldom much beside what is new, because longer paths are more. Where a round finds nothing, the next one only looks
 * how many hops the next path has, in a range eight times as wide each time; the walk becomes shorter with every path
 * it finds. Memory does not grow with the number of paths. */
#include "algo/path/path_reach.h"
#include "algo/path/path_world.h"

#define WIDER 8

/* ---- one walk --------------------------------------------------------------------------------------------------- */

/* Paths of at most `most` hops (0: as the question says) that are wanted. *arcs: the size of their world. */
static meguri_status walk_once(mg_path_question *q, mg_path_kind kind, uint64_t most, mg_path_wanted *wanted,
                               uint64_t *arcs) {
    const meguri_path_query *asked = q->query;
    meguri_path_query query = *asked;
    mg_path_world world;
    if (most) query.max_hops = most;
    q->query = &query;
    meguri_status status = mg_path_world_new(&world, q, kind);
    *arcs = status == MEGURI_OK && world.count > 0 ? world.rows[world.count] : 0;
    if (status == MEGURI_OK && world.count > 0) status = mg_path_walk(q, &world, kind, wanted);
    mg_path_world_free(&world);
    q->query = asked;
    return status;
}

/* ---- rounds ----------------------------------------------------------------------------------------------------- */

/* The fewest hops of a path; UINT32_MAX: there is none. */
static meguri_status count_fewest(uint32_t *hops, mg_path_question *q) {
    mg_path_reach reach;
    uint32_t most = (uint32_t)MG_MIN(q->finder->graph->vertices - 1, UINT32_MAX - 2);
    meguri_status status = mg_path_reach_new(&reach, q, most, true);
    *hops = status == MEGURI_OK && mg_path_reached(&reach, 0) ? reach.most : UINT32_MAX;
    mg_path_reach_free(&reach);
    return status;
}

/* Hops that no path is longer than. */
static uint64_t longest(const mg_path_question *q, mg_path_kind kind) {
    uint64_t most = kind == MG_PATH_TRAILS ? q->finder->forward.arcs : q->finder->graph->vertices - 1;
    return MG_MIN(most, UINT32_MAX - 2);
}

static meguri_status give_in_rounds(mg_path_question *q, mg_path_kind kind) {
    uint32_t fewest;
    meguri_status status = count_fewest(&fewest, q);
    if (status != MEGURI_OK || q->over || fewest == UINT32_MAX) return status;
    uint64_t end = longest(q, kind), least = 0, most = MG_MAX(fewest, 1u), wider = 1, arcs = 0, arcs_before;
    while (status == MEGURI_OK && !q->over && least <= end) {
        /* The first round has several numbers of hops only from a vertex to itself. */
        mg_path_wanted wanted = {.least = (uint32_t)least, .looks = wider > 1, .found = UINT32_MAX};
        arcs_before = arcs;
        status = walk_once(q, kind, most, &wanted, &arcs);
        if (wanted.looks && wanted.found != UINT32_MAX) { /* these come next */
            least = most = wanted.found;
            wider = 1;
            continue;
        }
        if (wanted.found != UINT32_MAX) wider = 1;
        else wider = wider > 1 && arcs == arcs_before ? end : WIDER * wider; /* a whole graph becomes no larger */
        least = most + 1;
        most = MG_MIN(most + MG_MIN(wider, end), end);
    }
    return status;
}

meguri_status mg_path_every(mg_path_question *q) {
    mg_path_kind kind = q->query->algorithm == MEGURI_PATH_ALL ? MG_PATH_TRAILS : MG_PATH_SIMPLE;
    if (!q->query->max_hops && !q->query->has_max_cost) return give_in_rounds(q, kind);
    mg_path_wanted wanted = MG_PATH_ALL_WANTED;
    uint64_t arcs;
    return walk_once(q, kind, 0, &wanted, &arcs);
}
