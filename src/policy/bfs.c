/* Push or pull: the direction of a step of a breadth-first search. */
#include "policy/policy.h"

/* P1: to pull when m_f > |E|/alpha; back to push when n_f < |V|^2/(beta |E|). */
bool mg_policy_bfs_p1(const mg_bfs_facts *f, double alpha, double beta) {
    double vertices = (double)f->vertices, arcs = (double)f->arcs;
    if (f->pulling) return (double)f->frontier * beta * arcs >= vertices * vertices;
    return (double)f->frontier_arcs * alpha > arcs;
}

/* A push looks at every arc of the frontier. A pull looks at the unvisited vertices, at each until it hits: an arc of
 * an unvisited vertex leads to the frontier with a chance of about frontier_arcs in all arcs that are left, so it takes
 * the inverse of that many looks, or the whole row. */
bool mg_policy_bfs(const mg_bfs_facts *f) {
    if (!f->unvisited) return true; /* nothing to look at */
    double left = (double)f->unvisited_arcs + (double)f->frontier_arcs;
    double chance = (double)f->frontier_arcs / left, row = (double)f->unvisited_arcs / (double)f->unvisited;
    double looks = chance * row > 1 ? 1 / chance : row;
    double push = 1.5 * (double)f->frontier_arcs;
    double pull = (double)f->vertices / 64 + (double)f->unvisited * looks;
    return pull < push;
}

/* A pull of many sources looks at most arcs of the graph, but without atomic operations and in the order of memory. */
bool mg_policy_bfs_many(uint64_t frontier_arcs, uint64_t arcs) { return frontier_arcs > arcs / 8; }
