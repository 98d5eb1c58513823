/* Searches from up to 64 sources in one pass, a bit each (bfs_many.c), on a device. Words of 64 bits are pairs of 32, for
 * which OpenCL 1.2 has atomic operations. OFFSET: type of places in rows.
 *
 * Within a step `seen` is what was reached before it, and nobody writes it; what the step finds gathers in `next`, which
 * is zero but for the vertices whose bits are set in `mark`. */

enum { ARCS, ARCS_HIGH, BITS, BITS_HIGH, EDGES, EDGES_HIGH, SOURCES, SOURCES_HIGH };

#define GROUPED kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
#ifdef IN_TURNS
#define TEAM 1
#else
#define TEAM WIDTH /* work-items for each vertex of the frontier */
#endif

inline void set_mark(volatile global uint *mark, uint v) {
    const uint bit = 1u << v % 32;
    if (!(PEEK(&mark[v / 32]) & bit)) atomic_or(&mark[v / 32], bit);
}

/* The bits of the frontier to their neighbours; vertices of degree one lie at the end of rows and are left out. */
GROUPED void bfs_many_push(global const uint *list, global const uint2 *bits, uint count, global const OFFSET *offsets,
                           global const uint *neighbors, uint first_leaf, global const uint2 *seen,
                           volatile global uint *next, volatile global uint *mark, global uint *counters) {
    local uint scratch[GROUP];
    const uint i = get_global_id(0) / TEAM, lane = get_global_id(0) % TEAM;
    uint edges = 0;
    if (i < count) {
        const uint u = list[i];
        const uint2 mine = bits[i];
        const OFFSET end = offsets[u + 1];
        for (OFFSET arc = offsets[u] + lane; arc < end; arc += TEAM) {
            const uint v = neighbors[arc];
            if (v >= first_leaf) break;
            edges++;
            const uint2 known = seen[v];
            const uint low = mine.x & ~known.x, high = mine.y & ~known.y;
            if (!(low | high)) continue;
            if (low & ~PEEK(&next[2 * v])) atomic_or(&next[2 * v], low);
            if (high & ~PEEK(&next[2 * v + 1])) atomic_or(&next[2 * v + 1], high);
            set_mark(mark, v);
        }
    }
    edges = group_sum(edges, scratch);
    if (get_local_id(0) == 0) add_long(&counters[EDGES], edges);
}

/* Every vertex gathers what its in-neighbours have seen, until it has all that it lacks of the sources that go on: a
 * neighbour that was reached earlier has passed it on already. */
GROUPED void bfs_many_pull(uint first_leaf, global const OFFSET *in_offsets, global const uint *in_neighbors, uint low,
                           uint high, global const uint2 *seen, global uint2 *next, volatile global uint *mark,
                           global uint *counters) {
    local uint scratch[GROUP];
    const uint v = get_global_id(0);
    uint edges = 0;
    if (v < first_leaf) {
        const uint2 known = seen[v];
        uint need_low = low & ~known.x, need_high = high & ~known.y, got_low = 0, got_high = 0;
        const OFFSET begin = in_offsets[v], end = in_offsets[v + 1];
        OFFSET arc = begin;
        while (arc < end && ((need_low & ~got_low) | (need_high & ~got_high))) {
            const uint2 theirs = seen[in_neighbors[arc++]];
            got_low |= theirs.x;
            got_high |= theirs.y;
        }
        edges = (uint)(arc - begin);
        got_low &= ~known.x;
        got_high &= ~known.y;
        if (got_low | got_high) {
            next[v] = (uint2)(got_low, got_high);
            set_mark(mark, v);
        }
    }
    edges = group_sum(edges, scratch);
    if (get_local_id(0) == 0) add_long(&counters[EDGES], edges);
}

/* What was found is seen, and the next frontier. */
GROUPED void bfs_many_commit(global const uint *list, uint count, global const OFFSET *offsets, global uint2 *seen,
                             global uint2 *next, global uint2 *bits, volatile global uint *counters) {
    local uint scratch[GROUP];
    local uint sources[2];
    const uint i = get_global_id(0), me = get_local_id(0);
    uint arcs = 0, found = 0;
    if (me < 2) sources[me] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < count) {
        const uint v = list[i];
        const uint2 mine = next[v];
        next[v] = (uint2)(0, 0);
        seen[v] |= mine;
        bits[i] = mine;
        arcs = (uint)(offsets[v + 1] - offsets[v]);
        found = popcount(mine.x) + popcount(mine.y);
        if (mine.x) atomic_or(&sources[0], mine.x);
        if (mine.y) atomic_or(&sources[1], mine.y);
    }
    /* Sums of a group may not fit 32 bits where rows are long: by halves. */
    const uint lower = group_sum(arcs & 0xffff, scratch), upper = group_sum(arcs >> 16, scratch);
    found = group_sum(found, scratch);
    if (me != 0) return;
    add_long(&counters[ARCS], lower);
    add_long(&counters[ARCS], upper << 16);
    if (upper >> 16) atomic_add(&counters[ARCS_HIGH], upper >> 16);
    add_long(&counters[BITS], found);
    if (sources[0] & ~PEEK(&counters[SOURCES])) atomic_or(&counters[SOURCES], sources[0]);
    if (sources[1] & ~PEEK(&counters[SOURCES_HIGH])) atomic_or(&counters[SOURCES_HIGH], sources[1]);
}

/* What several devices have found together: a vertex is in the list once. */
GROUPED void bfs_many_hear(global const uint *list, uint count, global const uint2 *bits, global uint2 *seen) {
    const uint i = get_global_id(0);
    if (i < count) seen[list[i]] |= bits[i];
}
