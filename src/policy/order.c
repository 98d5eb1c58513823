/* Which internal order suits a graph, and which owners on a cluster. */
#include "policy/policy.h"

/* Where a hundredth of the vertices holds far more than a hundredth of the arcs, falling degree packs what every
 * search touches into the cache (4–5x for a breadth-first search). Measured shares: Kronecker and social graphs 0.1 to
 * 0.6, uniform random 0.015, roads and meshes 0.02. Of the others, roads and meshes (few arcs at a vertex) gain from
 * neighbours lying near each other; in a dense even graph nothing lies near anything, or the user's order has it. */
meguri_order mg_policy_order(const mg_degree_facts *facts) {
    const uint64_t sparse = 16; /* arcs at a vertex, in and out */
    if (facts->top_arcs * 16 > facts->arcs) return MEGURI_ORDER_DEGREE;
    return facts->arcs && facts->arcs <= sparse * facts->vertices ? MEGURI_ORDER_BFS : MEGURI_ORDER_NONE;
}

/* Hubs belong to all. Of the others those gain from blocks whose neighbours lie near each other already: with most
 * edges inside, messages are about the few that leave. */
meguri_owner mg_policy_owner(const mg_owner_facts *facts) {
    bool local = facts->processes > 1 && facts->inside >= facts->edges - facts->edges / 8;
    return local && mg_policy_order(&facts->degrees) == MEGURI_ORDER_BFS ? MEGURI_OWNER_BLOCKS : MEGURI_OWNER_DEGREE;
}

/* A process reads 1 of R and 1 of C arcs of the file, at about a nanosecond each; its share, 1 of R·C, takes some 30 to
 * be sent and sorted. Where processes are on several machines each of these would have to read most of the file. */
bool mg_policy_take_rows(uint32_t machines, uint32_t rows, uint32_t columns) {
    return machines == 1 && (uint64_t)rows + columns <= 32;
}

/* As long as it is no longer than what the process has anyway. */
bool mg_policy_table_of_all(uint64_t vertices, uint64_t ends) { return vertices <= ends; }
