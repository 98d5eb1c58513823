/* Breadth-first search on a device (paper P1, sections 3.1 and 3.2). OFFSET: type of places in rows. PIECE: arcs of a
 * row that an entry of the queue stands for. TILE: arcs lead from one set of vertices to another, as on a cluster, and
 * nothing is known here of the arcs of what is reached: it is listed once.
 *
 * The frontier of a push is a queue of entries (vertex, piece): long rows have several, so that no work-item, and no
 * group, gets more than its share. A push has two phases: expand lists the neighbours of the frontier with where they
 * are reached from, contract keeps those that were not visited. Who sets the bit of a vertex has reached it: the bitmap
 * is exact, because a pull relies on it.
 *
 * A pull looks at `visited` alone and writes another bitmap, which holds the visited afterwards. Vertices with many
 * in-arcs are each looked at by a team, neighbours side by side; of the others every work-item has its own, after those
 * that are left were brought together. Each half leaves the bits of the other as they are. */

/* Words that a step counts in; the host reads them. */
enum { ENTRIES, REACHED, ARCS, ARCS_HIGH, EDGES, EDGES_HIGH, QUEUE_ENTRIES, QUEUE_ARCS, COUNTERS };

/* In-arcs from which on a vertex is a team's. */
#ifndef LARGE
#define LARGE WIDTH
#endif

#define GROUPED  kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
#define IS_SET(bits, v) ((bits)[(v) / 32] >> ((v) % 32) & 1)
#define LOWEST(bits)    (31 - clz((bits) & -(bits))) /* the number of the lowest bit that is set */

inline uint pieces_of(OFFSET degree) { return (uint)((degree + PIECE - 1) / PIECE); }

/* Of what is reached. */
inline OFFSET degree_of(global const OFFSET *offsets, uint v) {
#ifdef TILE
    return 1;
#else
    return offsets[v + 1] - offsets[v];
#endif
}

/* What a work-item of a step has found; added up by group, of `size`. */
typedef struct tally {
    uint entries, reached, edges, arcs;
} tally;

inline void add_tally(const tally *t, global uint *counters, local uint *scratch, const uint size) {
    uint entries = sum_of(t->entries, scratch, size), reached = sum_of(t->reached, scratch, size),
         arcs = sum_of(t->arcs, scratch, size), edges = sum_of(t->edges, scratch, size);
    if (get_local_id(0) != 0) return;
    if (entries) atomic_add(&counters[ENTRIES], entries);
    if (reached) atomic_add(&counters[REACHED], reached);
    add_long(&counters[ARCS], arcs);
    add_long(&counters[EDGES], edges);
}

/* ---- before ----------------------------------------------------------------------------------------------------- */

/* Which vertices a team looks at, and which a work-item; those without in-arcs, and those from `first_leaf` on, nobody. */
kernel void bfs_masks(global const OFFSET *in_offsets, uint first_leaf, uint words, global uint *large,
                      global uint *small) {
    const uint w = get_global_id(0);
    uint many = 0, few = 0;
    for (uint i = 0; w < words && i < 32 && 32 * w + i < first_leaf; i++) {
        OFFSET degree = in_offsets[32 * w + i + 1] - in_offsets[32 * w + i];
        if (degree >= LARGE) many |= 1u << i;
        else if (degree) few |= 1u << i;
    }
    if (w >= words) return;
    large[w] = many;
    small[w] = few;
}

/* The source is visited, and the frontier. */
GROUPED void bfs_start(uint source, global const OFFSET *offsets, global uint *visited, global uint *next,
                       global uint *parents, global int *levels, global uint2 *queue) {
    const uint i = get_global_id(0);
    if (i == 0) {
        visited[source / 32] = next[source / 32] = 1u << source % 32;
        parents[source] = source;
        levels[source] = 0;
    }
    if (i < pieces_of(offsets[source + 1] - offsets[source])) queue[i] = (uint2)(source, i);
}

/* ---- push ------------------------------------------------------------------------------------------------------- */

/* Entries [first, last) of the queue into arcs (to, from). tails[turn] counts them; the other one is for the next time.
 */
GROUPED void bfs_expand(global const uint2 *queue, uint first, uint last, global const OFFSET *offsets,
                        global const uint *neighbors, global uint2 *arcs, global uint *tails, uint turn) {
    local uint scratch[GROUP], begins[GROUP + 1], vertices[GROUP], place;
    local OFFSET rows[GROUP];
    const uint me = get_local_id(0), i = first + get_global_id(0);
    uint count = 0, total;
    if (get_global_id(0) == 0) tails[1 - turn] = 0;
    if (i < last) {
        uint2 entry = queue[i];
        OFFSET begin = offsets[entry.x] + (OFFSET)entry.y * PIECE, end = offsets[entry.x + 1];
        count = (uint)min(end - begin, (OFFSET)PIECE);
        rows[me] = begin;
        vertices[me] = entry.x;
    }
    begins[me] = group_exscan(count, scratch, &total);
    if (me == 0) {
        begins[GROUP] = total;
        place = atomic_add(&tails[turn], total);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    /* Neighbours side by side: each work-item looks up whose row its own is in. */
    for (uint at = me, low = 0; at < total; at += GROUP) {
        uint high = GROUP;
        while (high - low > 1) {
            uint middle = (low + high) / 2;
            if (begins[middle] <= at) low = middle;
            else high = middle;
        }
        arcs[place + at] = (uint2)(neighbors[rows[low] + (at - begins[low])], vertices[low]);
    }
}

#define EACH 8 /* arcs of a work-item */

/* The ends of these arcs that were not visited: the next frontier. */
GROUPED void bfs_contract(global const uint2 *arcs, global const uint *tails, uint turn, uint first_leaf,
                          global const OFFSET *offsets, volatile global uint *visited, global uint *parents,
                          global int *levels, int level, global uint2 *queue, global uint *counters,
                          global uint *next_counters) {
    local uint scratch[GROUP], place;
    const uint me = get_local_id(0), count = tails[turn];
    tally t = {0, 0, 0, 0};
    if (get_global_id(0) < COUNTERS) next_counters[get_global_id(0)] = 0;
    for (uint first = get_group_id(0) * GROUP * EACH; first < count; first += get_num_groups(0) * GROUP * EACH) {
        uint won = 0, entries = 0, total;
        for (uint k = 0; k < EACH; k++) {
            uint i = first + k * GROUP + me;
            if (i >= count) break;
            uint2 arc = arcs[i];
            uint v = arc.x, bit = 1u << v % 32;
            if (v >= first_leaf || (PEEK(&visited[v / 32]) & bit)) continue;
            if (atomic_or(&visited[v / 32], bit) & bit) continue;
            OFFSET degree = degree_of(offsets, v);
            parents[v] = arc.y;
            levels[v] = level;
            won |= 1u << k;
            entries += pieces_of(degree);
            t.reached++;
            t.arcs += (uint)degree;
        }
        uint at = group_exscan(entries, scratch, &total);
        if (me == 0 && total) place = atomic_add(&counters[ENTRIES], total);
        barrier(CLK_LOCAL_MEM_FENCE);
        at += place;
        for (; won; won &= won - 1) {
            uint v = arcs[first + LOWEST(won) * GROUP + me].x;
            uint pieces = pieces_of(degree_of(offsets, v));
            for (uint p = 0; p < pieces; p++) queue[at++] = (uint2)(v, p);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (get_global_id(0) == 0) add_long(&counters[EDGES], count);
    add_tally(&t, counters, scratch, GROUP); /* entries are counted already */
}

/* ---- pull ------------------------------------------------------------------------------------------------------- */

/* What a pull reads and writes. */
typedef struct pulling {
    global const uint *sources; /* those that are visited */
    global const OFFSET *in_offsets;
    global const uint *in_neighbors;
    global const OFFSET *offsets;
    global uint *parents;
    global int *levels;
    int level;
} pulling;

inline void reach(const pulling *p, uint v, uint parent, tally *t) {
    OFFSET degree = degree_of(p->offsets, v);
    p->parents[v] = parent;
    p->levels[v] = p->level;
    t->reached++;
    t->arcs += (uint)degree;
    t->entries += pieces_of(degree);
}

/* One work-item looks for a way to v, until it has one. */
inline bool look(const pulling *p, uint v, tally *t) {
    OFFSET begin = p->in_offsets[v], end = p->in_offsets[v + 1];
    for (OFFSET k = begin; k < end; k++) {
        uint u = p->in_neighbors[k];
        if (!IS_SET(p->sources, u)) continue;
        t->edges += (uint)(k + 1 - begin);
        reach(p, v, u, t);
        return true;
    }
    t->edges += (uint)(end - begin);
    return false;
}

/* Vertices with many in-arcs, of the words [begin, words): the team of a group has WIDTH words, and goes through the
 * vertices of all of them. Where work-items take turns, each goes through those of its own word. */
kernel __attribute__((reqd_work_group_size(WIDTH, 1, 1))) void
bfs_pull_large(global const uint *visited, global const uint *sources, global const uint *large, uint begin, uint words,
               global const OFFSET *in_offsets, global const uint *in_neighbors, global const OFFSET *offsets,
               global uint *next, global uint *parents, global int *levels, int level, global uint *counters,
               global uint *next_counters) {
    const pulling p = {sources, in_offsets, in_neighbors, offsets, parents, levels, level};
    local uint scratch[WIDTH];
    const uint me = get_local_id(0), mine = begin + get_global_id(0);
    uint old = mine < words ? visited[mine] : 0, found = 0, all = mine < words ? ~old & large[mine] : 0;
    tally t = {0, 0, 0, 0};
    if (get_global_id(0) < COUNTERS) next_counters[get_global_id(0)] = 0;
#ifdef IN_TURNS
    for (; all; all &= all - 1)
        if (look(&p, 32 * mine + LOWEST(all), &t)) found |= all & -all;
#else
    local uint left[WIDTH], hit[3];
    const uint first = begin + get_group_id(0) * WIDTH;
    uint turn = 0;
    left[me] = all;
    if (me < 3) hit[me] = NONE;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint w = 0; w < WIDTH; w++)
        for (uint rest = left[w]; rest; rest &= rest - 1) {
            uint v = 32 * (first + w) + LOWEST(rest);
            OFFSET end = in_offsets[v + 1];
            for (OFFSET at = in_offsets[v]; at < end; at += WIDTH) {
                uint u = at + me < end ? in_neighbors[at + me] : 0;
                if (at + me < end && IS_SET(sources, u)) atomic_min(&hit[turn], me);
                barrier(CLK_LOCAL_MEM_FENCE);
                uint who = hit[turn];
                /* The one before was read by all before the barrier, and is needed again after the next one. */
                if (me == 0) hit[(turn + 2) % 3] = NONE;
                turn = (turn + 1) % 3;
                if (me == 0) t.edges += who == NONE ? (uint)min(end - at, (OFFSET)WIDTH) : who + 1;
                if (who == NONE) continue;
                if (me == who) reach(&p, v, u, &t);
                if (me == w) found |= rest & -rest;
                break;
            }
        }
#endif
    if (mine < words) next[mine] = old | found;
    add_tally(&t, counters, scratch, WIDTH);
}

/* The others: a group has GROUP words. Its vertices are brought together first, so that all work-items have some. */
GROUPED void bfs_pull_small(global const uint *visited, global const uint *sources, global const uint *small, uint begin,
                            uint words, global const OFFSET *in_offsets, global const uint *in_neighbors,
                            global const OFFSET *offsets, global uint *next, global uint *parents, global int *levels,
                            int level, global uint *counters) {
    const pulling p = {sources, in_offsets, in_neighbors, offsets, parents, levels, level};
    local uint scratch[GROUP];
    const uint me = get_local_id(0), mine = begin + get_global_id(0);
    uint bits = mine < words ? ~visited[mine] & small[mine] : 0, fresh = 0;
    tally t = {0, 0, 0, 0};
#ifdef IN_TURNS
    for (; bits; bits &= bits - 1)
        if (look(&p, 32 * mine + LOWEST(bits), &t)) fresh |= bits & -bits;
#else
    local uint found[GROUP];
    local ushort list[32 * GROUP];
    uint total;
    found[me] = 0;
    uint at = group_exscan(popcount(bits), scratch, &total);
    for (; bits; bits &= bits - 1) list[at++] = (ushort)(32 * me + LOWEST(bits));
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = me; i < total; i += GROUP) {
        uint place = list[i];
        if (look(&p, 32 * (begin + get_group_id(0) * GROUP) + place, &t)) atomic_or(&found[place / 32], 1u << place % 32);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    fresh = found[me];
#endif
    if (mine < words && fresh) next[mine] |= fresh;
    add_tally(&t, counters, scratch, GROUP);
}

/* ---- batches: rows of a graph that is larger than the device (device/parts.c) ----------------------------------- */

/* An entry is a row, or NONE, and where its arcs begin; they end where those of the next one begin. */
inline uint2 entry_of(global const uint2 *entries, uint count, uint i) {
    uint2 none = (uint2)(NONE, 0);
    return i < count ? entries[i] : none;
}

inline uint arcs_of(global const uint2 *entries, uint2 entry, uint i) {
    return entry.x == NONE ? 0 : entries[i + 1].y - entry.y;
}

/* The arcs of a group's entries side by side: each work-item looks up whose its own is. `low` only grows. */
inline uint whose(local const uint *begins, uint at, uint low) {
    uint high = GROUP;
    while (high - low > 1) {
        uint middle = (low + high) / 2;
        if (begins[middle] <= at) low = middle;
        else high = middle;
    }
    return low;
}

/* One arc of a push: from u to v. */
inline void push_arc(const pulling *p, volatile global uint *visited, uint u, uint v, tally *t) {
    uint bit = 1u << v % 32;
    if ((PEEK(&visited[v / 32]) & bit) || (atomic_or(&visited[v / 32], bit) & bit)) return;
    reach(p, v, u, t);
}

/* A push of these rows: both phases at once, as the frontier is not a queue here. */
GROUPED void bfs_push_batch(global const uint2 *entries, uint count, global const uint *neighbors, uint first_leaf,
                             global const OFFSET *offsets, volatile global uint *visited, global uint *parents,
                             global int *levels, int level, global uint *counters) {
    const pulling p = {0, 0, 0, offsets, parents, levels, level};
    local uint scratch[GROUP];
    const uint me = get_local_id(0), i = get_global_id(0);
    uint2 entry = entry_of(entries, count, i);
    uint arcs = arcs_of(entries, entry, i);
    tally t = {0, 0, arcs, 0};
#ifdef IN_TURNS
    for (uint k = 0; k < arcs; k++) {
        uint v = neighbors[entry.y + k];
        if (v >= first_leaf) break; /* they are last in a row */
        push_arc(&p, visited, entry.x, v, &t);
    }
#else
    local uint begins[GROUP], rows[GROUP], firsts[GROUP];
    uint total;
    begins[me] = group_exscan(arcs, scratch, &total);
    rows[me] = entry.x;
    firsts[me] = entry.y;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint at = me, low = 0; at < total; at += GROUP) {
        low = whose(begins, at, low);
        uint v = neighbors[firsts[low] + (at - begins[low])];
        if (v < first_leaf) push_arc(&p, visited, rows[low], v, &t);
    }
#endif
    add_tally(&t, counters, scratch, GROUP);
}

/* A pull of these rows, none of which is visited: `next` begins as a copy of `visited`. Several entries may belong to
 * one row; whoever sets its bit has reached it. */
GROUPED void bfs_pull_batch(global const uint2 *entries, uint count, global const uint *neighbors,
                             global const OFFSET *offsets, global const uint *visited, volatile global uint *next,
                             global uint *parents, global int *levels, int level, global uint *counters) {
    const pulling p = {0, 0, 0, offsets, parents, levels, level};
    local uint scratch[GROUP];
    const uint me = get_local_id(0), i = get_global_id(0);
    uint2 entry = entry_of(entries, count, i);
    uint arcs = arcs_of(entries, entry, i);
    tally t = {0, 0, 0, 0};
#ifdef IN_TURNS
    for (uint k = 0; k < arcs; k++) {
        uint u = neighbors[entry.y + k];
        t.edges++;
        if (!IS_SET(visited, u)) continue;
        push_arc(&p, next, u, entry.x, &t);
        break;
    }
#else
    local uint begins[GROUP], rows[GROUP], firsts[GROUP];
    uint total;
    begins[me] = group_exscan(arcs, scratch, &total);
    rows[me] = entry.x;
    firsts[me] = entry.y;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint at = me, low = 0; at < total; at += GROUP) {
        low = whose(begins, at, low);
        uint u = neighbors[firsts[low] + (at - begins[low])];
        t.edges++;
        if (IS_SET(visited, u)) push_arc(&p, next, u, rows[low], &t);
    }
#endif
    add_tally(&t, counters, scratch, GROUP);
}

/* ---- from a pull to a push -------------------------------------------------------------------------------------- */

/* Entries of the vertices that the last step found, by group: sums of these become places (primitives.cl). All of them
 * are counted, and their arcs modulo 2^32, for a host that does not know. */
GROUPED void bfs_count_entries(global const uint *visited, global const uint *previous, uint words,
                               global const OFFSET *offsets, global uint *sums, global uint *counters) {
    local uint scratch[GROUP];
    const uint w = get_global_id(0);
    uint entries = 0, arcs = 0;
    for (uint bits = w < words ? visited[w] & ~previous[w] : 0; bits; bits &= bits - 1) {
        uint v = 32 * w + LOWEST(bits);
        OFFSET degree = offsets[v + 1] - offsets[v];
        entries += pieces_of(degree);
        arcs += (uint)degree;
    }
    entries = group_sum(entries, scratch);
    arcs = group_sum(arcs, scratch);
    if (get_local_id(0) != 0) return;
    sums[get_group_id(0)] = entries;
    if (!entries) return;
    atomic_add(&counters[QUEUE_ENTRIES], entries);
    atomic_add(&counters[QUEUE_ARCS], arcs);
}

GROUPED void bfs_list_entries(global const uint *visited, global const uint *previous, uint words,
                              global const OFFSET *offsets, global const uint *sums, global uint2 *queue) {
    local uint scratch[GROUP];
    const uint w = get_global_id(0), fresh = w < words ? visited[w] & ~previous[w] : 0;
    uint entries = 0, total;
    for (uint bits = fresh; bits; bits &= bits - 1) {
        uint v = 32 * w + LOWEST(bits);
        entries += pieces_of(offsets[v + 1] - offsets[v]);
    }
    uint at = sums[get_group_id(0)] + group_exscan(entries, scratch, &total);
    for (uint bits = fresh; bits; bits &= bits - 1) {
        uint v = 32 * w + LOWEST(bits), pieces = pieces_of(offsets[v + 1] - offsets[v]);
        for (uint p = 0; p < pieces; p++) queue[at++] = (uint2)(v, p);
    }
}
