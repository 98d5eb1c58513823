/* Connected components on a device: Afforest, as on threads (components.h). OFFSET: type of places in rows; UNIT: arcs
 * of a unit (device/units.c) at most.
 *
 * Invariant of the forest: parent[v] <= v, and equal for roots alone. An entry only ever becomes smaller, and is an
 * ancestor at all times: so an old value that a work-item reads is right, too, and nobody waits for anybody. */

/* Words that a launch counts in; the host reads them. */
enum { MEMBERS, EDGES, EDGES_HIGH, COUNTERS = 4 };

#define GROUPED         kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
#define IS_SET(bits, v) ((bits)[(v) / 32] >> ((v) % 32) & 1)

/* Joins the trees of a and b: the larger root comes below the smaller one. */
inline void join(volatile global uint *parent, uint a, uint b) {
    a = PEEK(&parent[a]);
    b = PEEK(&parent[b]);
    while (a != b) {
        uint high = max(a, b), low = min(a, b), above = PEEK(&parent[high]);
        if (above == high) above = atomic_cmpxchg(&parent[high], high, low);
        if (above == high || above == low) return;
        a = PEEK(&parent[above]); /* above < high: who is higher comes down in each turn */
        b = PEEK(&parent[low]);
    }
}

/* Every vertex is joined with neighbour `which` of its row; the first of them needs nothing to be there before. */
GROUPED void components_sample(global const OFFSET *offsets, global const uint *neighbors, uint rows, uint which,
                               volatile global uint *parent, global uint *counters) {
    local uint scratch[GROUP];
    const uint v = get_global_id(0);
    uint edges = 0;
    if (v < rows) {
        OFFSET arc = offsets[v] + which;
        edges = arc < offsets[v + 1];
        if (which == 0) parent[v] = edges ? min(v, neighbors[arc]) : v;
        else if (edges) join(parent, v, neighbors[arc]);
    }
    edges = group_sum(edges, scratch);
    if (get_local_id(0) == 0) add_long(&counters[EDGES], edges);
}

/* The same where rows stay with the host, which has sent that neighbour of each; NONE: there is none. */
GROUPED void components_hook(global const uint *hooks, uint rows, uint which, volatile global uint *parent,
                             global uint *counters) {
    local uint scratch[GROUP];
    const uint v = get_global_id(0), hook = v < rows ? hooks[v] : NONE;
    if (v < rows) {
        if (which == 0) parent[v] = min(v, hook);
        else if (hook != NONE) join(parent, v, hook);
    }
    const uint edges = group_sum(hook != NONE, scratch);
    if (get_local_id(0) == 0) add_long(&counters[EDGES], edges);
}

/* Every vertex directly below its root. Those on the way come below their grandparents, so that all work-items together
 * halve a long way in each turn. */
GROUPED void components_compress(uint rows, volatile global uint *parent) {
    const uint mine = get_global_id(0);
    if (mine >= rows) return;
    uint v = mine, above = PEEK(&parent[v]), higher = PEEK(&parent[above]);
    while (higher != above) {
        atomic_min(&parent[v], higher);
        v = higher;
        above = PEEK(&parent[v]);
        higher = PEEK(&parent[above]);
    }
    if (PEEK(&parent[mine]) != above) atomic_min(&parent[mine], above);
}

/* The parents of `count` evenly spaced vertices. */
GROUPED void components_pick(uint rows, global const uint *parent, uint count, global uint *picked) {
    const uint i = get_global_id(0);
    if (i < count) picked[i] = parent[(ulong)i * rows / count];
}

/* A bit for each member of the giant; how many they are. */
GROUPED void components_mark(uint rows, global const uint *parent, uint root, global uint *giant,
                             global uint *counters) {
    local uint scratch[GROUP];
    const uint w = get_global_id(0);
    uint bits = 0;
    for (uint i = 0; i < 32 && 32 * w + i < rows; i++) bits |= (uint)(parent[32 * w + i] == root) << i;
    if (32 * w < rows) giant[w] = bits;
    bits = group_sum(popcount(bits), scratch);
    if (get_local_id(0) == 0 && bits) atomic_add(&counters[MEMBERS], bits);
}

/* ---- link ------------------------------------------------------------------------------------------------------- */

/* What a work-item links with. */
typedef struct linking {
    global const uint *neighbors, *giant;
    volatile global uint *parent;
    uint directed;
} linking;

/* Every `step`th of the arcs [begin, end) of row v. A member's arcs to members are left out, and where an edge is in
 * the rows of both its ends, all of a member's. */
inline uint link_arcs(const linking *l, uint v, OFFSET begin, OFFSET end, uint step) {
    const bool member = IS_SET(l->giant, v);
    uint edges = 0;
    if (member && !l->directed) return 0;
    for (OFFSET k = begin; k < end; k += step, edges++) {
        uint to = l->neighbors[k];
        if (!member || !IS_SET(l->giant, to)) join(l->parent, v, to);
    }
    return edges;
}

GROUPED void components_link(global const uint2 *units, uint count, global const OFFSET *offsets,
                             global const uint *neighbors, global const uint *giant, uint directed,
                             volatile global uint *parent, global uint *counters) {
    const linking l = {neighbors, giant, parent, directed};
    local uint scratch[GROUP];
#ifdef IN_TURNS
    const uint i = get_global_id(0), first = 0, lanes = 1, each = 1;
#else
    const uint i = get_group_id(0), first = get_local_id(0);
#endif
    uint edges = 0;
    if (i < count) {
        const uint2 mine = units[i];
        const bool whole = mine.y == NONE;
        const uint rows = whole ? units[i + 1].x - mine.x : 1;
#ifndef IN_TURNS
        uint lanes = 1;
        while (2 * lanes * rows <= GROUP) lanes *= 2;
        const uint each = GROUP / lanes;
#endif
        for (uint row = first / lanes; row < rows; row += each) {
            const uint v = mine.x + row;
            OFFSET begin = offsets[v] + (whole ? 0 : (OFFSET)mine.y * UNIT), end = min(offsets[v + 1], begin + UNIT);
            edges += link_arcs(&l, v, begin + first % lanes, end, lanes);
        }
    }
    edges = group_sum(edges, scratch);
    if (get_local_id(0) == 0) add_long(&counters[EDGES], edges);
}

/* Rows that come in parts (device/parts.c): an entry for each work-item. */
GROUPED void components_link_batch(global const uint2 *entries, uint count, global const uint *neighbors,
                                   global const uint *giant, uint directed, volatile global uint *parent,
                                   global uint *counters) {
    const linking l = {neighbors, giant, parent, directed};
    local uint scratch[GROUP];
    const uint i = get_global_id(0);
    uint edges = 0;
    if (i < count && entries[i].x != NONE) edges = link_arcs(&l, entries[i].x, entries[i].y, entries[i + 1].y, 1);
    edges = group_sum(edges, scratch);
    if (get_local_id(0) == 0) add_long(&counters[EDGES], edges);
}
