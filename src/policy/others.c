/* Choices of the algorithms that have few. */
#include "policy/policy.h"

/* A further neighbour of every row costs a look at each; leaving it costs the arcs of all who are outside, and a look
 * into a row that is there anyway is cheaper. */
bool mg_policy_components_sample(uint64_t rows, uint64_t members, uint64_t arcs) {
    const double look = 4;
    double outside = (double)(rows - members), mean = (double)arcs / (double)rows;
    return outside * mean > look * (double)rows;
}

bool mg_policy_pagerank_tiles(uint64_t iterations) { return iterations >= 4; } /* cutting takes time, too */

/* Waking singly takes a random write for each arc. */
bool mg_policy_communities_all(uint64_t changed_arcs, uint64_t all_arcs) { return changed_arcs >= all_arcs / 4; }

bool mg_policy_triangles_copy(uint64_t edges, uint64_t looks, uint64_t memory) {
    const uint64_t known = 1 << 20; /* neighbours in pages whose places a processor remembers: 4 MB */
    const uint64_t pays = 16;       /* looks at each, from which on */
    return edges >= known && looks / pays >= edges && 2 * sizeof(uint32_t) * edges <= memory;
}

uint32_t mg_policy_betweenness_lanes(uint64_t sources, uint64_t bytes, uint64_t memory) {
    uint32_t lanes = sources > 4 ? 8 : sources > 1 ? 4 : 1;
    return lanes * bytes > memory ? 1 : lanes;
}

bool mg_policy_betweenness_dense(uint64_t rows, uint64_t arcs) { return arcs >= 8 * rows; }
bool mg_policy_betweenness_together(double agreement) { return agreement > 0.3; }

uint32_t mg_policy_betweenness_side_by_side(uint32_t threads, uint64_t searches, uint64_t edges, uint64_t steps) {
    const uint64_t step_work = 65536;   /* edges of a step, for each thread, from which on they share one */
    const uint64_t search_work = 16384; /* edges of a search below which threads would only wait for their turn */
    uint32_t most = searches < threads ? (uint32_t)searches : threads;
    return edges < search_work || edges / (steps ? steps : 1) > step_work * most ? 1 : most;
}

/* A disc of 1/64 of a road graph has an eighth of its radius; random graphs are as large within some six levels. */
uint64_t mg_policy_betweenness_look(uint64_t rows) { return rows / 64 > 256 ? rows / 64 : 256; }
bool mg_policy_betweenness_narrow(uint64_t levels) { return levels >= 16; }
bool mg_policy_betweenness_narrow_level(uint64_t arcs) { return arcs <= 1 << 18; }

bool mg_policy_betweenness_in_order(uint64_t found, uint64_t rows) { return found >= rows / 64; }

double mg_policy_path_price(void) { return 1.6; } /* 1.5 to 1.8 on roads */

bool mg_policy_path_guided(uint32_t lost, uint32_t won, double tells) {
    return lost == won ? tells > 0.9 : won > lost; /* with less, no road graph was faster by A*, but for the largest */
}

uint64_t mg_policy_path_samples(uint64_t count, uint32_t threads) {
    const uint64_t few = 4; /* questions of a thread: a tree costs about as many searches from both ends */
    const uint64_t each = 16, most = 4;
    if (count < few * threads) return 0;
    return 1 + count / each < most ? 1 + count / each : most;
}

double mg_policy_path_single_price(bool indexed) { return indexed ? 7 : 0.6; } /* shortcuts to resolve; no queue */

/* Every thread grows a tree of its own, but has only its share of the questions. */
double mg_policy_path_single(double sampled, uint64_t samples, uint64_t count, uint32_t threads) {
    return sampled / (double)samples * (double)count / threads;
}

/* The farthest of all is farther than the farthest of a few. */
bool mg_policy_path_tree(double single, double grown, uint64_t vertices) {
    const double farther = 1.5;
    double tree = farther * grown < (double)vertices ? farther * grown : (double)vertices;
    return grown <= single && tree <= single;
}
