/* Push or pull: the direction of a step of a breadth-first search. */
#include "policy/policy.h"

#include <math.h>

/* P1: to pull when m_f > |E|/alpha; back to push when n_f < |V|^2/(beta |E|). */
bool mg_policy_bfs_p1(const mg_bfs_facts *f, double alpha, double beta) {
    double vertices = (double)f->vertices, arcs = (double)f->arcs;
    if (f->pulling) return (double)f->frontier * beta * arcs >= vertices * vertices;
    return (double)f->frontier_arcs * alpha > arcs;
}

/* A push looks at every arc of the frontier. Those that lead to unvisited vertices fall on them as
 * balls into bins. */
static double push_cost(const mg_bfs_facts *f, const mg_bfs_costs *costs) {
    double arcs = (double)f->frontier_arcs, unvisited = (double)f->unvisited;
    double hits = arcs * (double)f->unvisited_arcs / (double)f->arcs;
    double reached = hits < unvisited / 64 ? hits : -unvisited * expm1(-hits / unvisited);
    double reach = f->vertices < costs->near_vertices ? costs->push_reach_near : costs->push_reach_far;
    if (f->frontier_arcs / costs->long_row >= f->frontier) reach = costs->push_reach_long;
    double words = (double)f->vertices / 64;
    return costs->push_arc * arcs + reach * reached + (arcs < words ? 0 : costs->push_word * words);
}

/* The neighbours that a pull looks at for one unvisited vertex until it hits, if each hits with this chance: rows are
 * geometric sequences that end with the row. */
static double expected_looks(const mg_bfs_facts *f, double chance) {
    double sum = 0, miss = log1p(-chance);
    for (uint32_t i = 0; i < f->row_count; i++) sum += -expm1((double)f->rows[i] * miss);
    return sum / chance / (double)f->row_count;
}

/* A pull looks at every unvisited vertex. */
static double pull_cost(const mg_bfs_facts *f, const mg_bfs_costs *costs) {
    return costs->pull_word * (double)f->vertices / 64 + costs->pull_vertex * (double)f->unvisited +
           costs->pull_arc * (double)f->unvisited_arcs;
}

/* … until it hits: an arc of one leads to the frontier with about the chance that an arc that is left is one of the
 * frontier's. */
static double look_cost(const mg_bfs_facts *f, const mg_bfs_costs *costs) {
    double chance = (double)f->frontier_arcs / ((double)f->unvisited_arcs + (double)f->frontier_arcs);
    return chance < 1 ? costs->pull_look * (double)f->unvisited * (expected_looks(f, chance) - 1) : 0;
}

bool mg_policy_bfs(const mg_bfs_facts *f, const mg_bfs_costs *costs) {
    double push = push_cost(f, costs), pull = pull_cost(f, costs);
    return pull < push && pull + look_cost(f, costs) < push;
}

double mg_policy_bfs_cost(const mg_bfs_facts *f, const mg_bfs_costs *costs, bool pull) {
    return pull ? pull_cost(f, costs) + look_cost(f, costs) : push_cost(f, costs);
}

/* A dense step of many searches looks at every vertex, mostly in the order of memory; a sparse one at the arcs of the
 * frontier, at random and with atomic operations. */
bool mg_policy_bfs_many(uint64_t frontier_arcs, uint64_t vertices) { return frontier_arcs > vertices / 8; }

bool mg_policy_bfs_many_pull(uint64_t frontier_arcs, uint64_t arcs) { return frontier_arcs >= arcs / 2; }

bool mg_policy_bfs_many_rare(uint64_t gained, uint64_t vertices) { return gained < vertices / 2048; }

bool mg_policy_bfs_few(uint64_t frontier_arcs, uint64_t targets) { return frontier_arcs < (targets + 63) / 64; }

mg_bfs_push_form mg_policy_bfs_push(uint64_t frontier, uint64_t frontier_arcs, uint64_t vertices, uint64_t room,
                                    uint32_t threads) {
    const uint64_t split_row = 16; /* arcs in a row, on average, up to which a level is split evenly by vertices */
    const uint64_t wide_row = 32;  /* arcs in a row, on average, that pay for each range of destinations */
    bool short_rows = frontier_arcs <= split_row * frontier;
    if (mg_policy_bfs_few(frontier_arcs, vertices))
        return threads > 1 && short_rows && frontier_arcs <= room / threads ? MG_BFS_PUSH_SPLIT : MG_BFS_PUSH_LISTED;
    uint64_t ranges = MG_BFS_PUSH_RANGES * (uint64_t)threads;
    return frontier_arcs / frontier >= wide_row * ranges ? MG_BFS_PUSH_WIDE : MG_BFS_PUSH_MARKED;
}
