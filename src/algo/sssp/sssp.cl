/* Shortest paths on a device: what the kernels of all strategies share, how a search starts, and parents. Those of the
 * phases of paper P3 (sssp_phases.cl), of near and far (sssp_near.cl), and of graphs in parts (sssp_parts.cl) follow in
 * the same text. OFFSET: type of places in rows. WEIGHT: type of weights; without it edges count 1. WIDE: distances have
 * 64 bits; REAL: they are doubles, whose bits compare as they do, because none is negative. PIECE: arcs of a row that an
 * entry of a list stands for, so that long rows are shared; a word has a bit for each. TAKE: entries of a list that a
 * work-item takes, one after another. LANES: several searches run side by side. */

#ifdef WIDE
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#ifdef cl_khr_int64_extended_atomics
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
#endif
typedef ulong distance_t;
#else
typedef uint distance_t;
#endif
#ifdef REAL
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#define FAR ((distance_t)-1) /* not reached: above every distance */

#ifdef WEIGHT
#define WEIGHTS global const WEIGHT *
#else
#define WEIGHTS global const uchar * /* there are none */
#endif

/* Words that a phase counts in; the host reads them. ANY: something changed. TOO_FAR: 32 bits may not be enough. */
enum { ENTRIES, CHANGED, FAR_ENTRIES, AGAIN, EDGES, EDGES_HIGH, ANY, TOO_FAR, LEAST, LEAST_HIGH, PHASES, COUNTERS = 12 };

#define GROUPED   kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
#define LOWEST(b) (31 - clz((b) & -(b))) /* the number of the lowest bit that is set */

/* Entries of a vertex. */
inline uint pieces_of(global const OFFSET *offsets, uint v) {
    return (uint)((offsets[v + 1] - offsets[v] + PIECE - 1) / PIECE);
}

/* Along an arc. */
inline distance_t further(distance_t from, WEIGHTS weights, OFFSET arc) {
#ifndef WEIGHT
    return from + 1;
#elif defined(REAL)
    return as_ulong(as_double(from) + (double)weights[arc]);
#else
    return from + weights[arc];
#endif
}

/* Makes *p the smaller of the two; returns what it was. */
inline distance_t make_lower(volatile global distance_t *p, distance_t distance) {
#ifndef WIDE
    return atomic_min(p, distance);
#elif defined(cl_khr_int64_extended_atomics)
    return atom_min(p, distance);
#else
    distance_t old = *p;
    while (distance < old) {
        distance_t seen = atom_cmpxchg(p, old, distance);
        if (seen == old) break;
        old = seen;
    }
    return old;
#endif
}

/* A distance that others may be lowering. */
#if defined(WIDE) && defined(EXACT_READS)
#define SEE(p) atom_add((p), 0)
#else
#define SEE(p) PEEK(p)
#endif

/* The sums of pairs of words, as group_exscan has it. */
inline uint2 group_exscan2(uint2 value, local uint2 *scratch, private uint2 *total) {
    const uint me = get_local_id(0);
    scratch[me] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
#ifdef IN_TURNS
    if (me == 0)
        for (uint i = 1; i < GROUP; i++) scratch[i] += scratch[i - 1];
    barrier(CLK_LOCAL_MEM_FENCE);
#else
    for (uint reach = 1; reach < GROUP; reach *= 2) {
        uint2 before = me >= reach ? scratch[me - reach] : (uint2)(0, 0);
        barrier(CLK_LOCAL_MEM_FENCE);
        scratch[me] += before;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
#endif
    uint2 sum = scratch[me];
    *total = scratch[GROUP - 1];
    barrier(CLK_LOCAL_MEM_FENCE);
    return sum - value;
}

/* Counters for whatever is launched next. */
inline void clear(global uint *counters) {
    const uint i = get_global_id(0);
    if (i < COUNTERS) counters[i] = i == LEAST || i == LEAST_HIGH ? NONE : 0;
}

/* The entries of a vertex, from a place on. */
inline uint append(global uint2 *list, uint at, uint vertex, uint pieces) {
    for (uint p = 0; p < pieces; p++) list[at++] = (uint2)(vertex, p);
    return at;
}

/* An entry that a work-item has taken: its distance and its arcs. Where it takes several, the same is done for all before
 * the next thing is: what one reads does not wait for what another has read, nor for a branch or an atomic operation. */
typedef struct taken_entry {
    OFFSET begin;
    uint arcs, lane;
    distance_t from;
} taken_entry;

/* v: the row of its vertex. */
inline taken_entry take_entry(uint2 entry, uint v, global const OFFSET *offsets,
                              volatile global distance_t *distances) {
    const OFFSET begin = offsets[v] + (OFFSET)entry.y * PIECE;
    return (taken_entry){begin, (uint)min(offsets[v + 1] - begin, (OFFSET)PIECE), entry.x - v,
                         SEE(&distances[entry.x])};
}

/* Has what is there brought to where reads are fast, for all entries at a time, where one work-item takes several. */
#ifdef IN_TURNS
#define FETCH(p) ((void)*(volatile global const uchar *)(p))
#else
#define FETCH(p)
#endif

/* A bit for each of its arcs along which somebody is nearer than was known. */
inline uint nearer_along(private const taken_entry *t, global const uint *neighbors, WEIGHTS weights,
                         volatile global distance_t *lower) {
    uint bits = 0;
    for (uint k = 0; k < t->arcs; k++) {
        volatile global distance_t *to = &lower[t->lane + neighbors[t->begin + k]];
        bits |= (uint)(SEE(to) > further(t->from, weights, t->begin + k)) << k;
    }
    return bits;
}

/* Several searches side by side are lanes: vertex v of lane l has the number l * rows + v. */
inline uint row_of(uint number, uint rows) {
#ifdef LANES
    return number % rows;
#else
    return number;
#endif
}

/* Sets the bit of a vertex; whether it was not set. */
inline uint set_bit(volatile global uint *bits, uint v) {
    const uint bit = 1u << v % 32;
    return !(PEEK(&bits[v / 32]) & bit) && !(atomic_or(&bits[v / 32], bit) & bit);
}

/* The entries of the vertices that have bits, in order within a group; none of these remain. A work-item takes TAKE words.
 * For phases their number is counted, and their distances become known; else how many of them were `seen` before. */
inline void list_bits(const bool phases, uint words, uint rows, global const OFFSET *offsets, global uint *bits,
                      global uint *seen, global distance_t *known, global const distance_t *lower, global uint2 *list,
                      local uint2 *scratch, local uint *place, global uint *counters) {
    const uint first = get_global_id(0) * TAKE, last = min(first + TAKE, words);
    uint2 mine = (uint2)(0, 0), total; /* entries; vertices that are counted */
    for (uint w = first; w < last; w++) {
        const uint set = bits[w];
        if (!set) continue;
        for (uint rest = set; rest; rest &= rest - 1)
            mine.x += pieces_of(offsets, row_of(32 * w + LOWEST(rest), rows));
        mine.y += popcount(phases ? set : set & seen[w]);
        if (!phases) seen[w] |= set;
    }
    uint at = group_exscan2(mine, scratch, &total).x;
    if (get_local_id(0) == 0) {
        *place = total.x ? atomic_add(&counters[ENTRIES], total.x) : 0;
        if (total.y) atomic_add(&counters[phases ? CHANGED : AGAIN], total.y);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    at += *place;
    for (uint w = first; w < last; w++) {
        const uint set = bits[w];
        if (!set) continue;
        bits[w] = 0;
        for (uint rest = set; rest; rest &= rest - 1) {
            const uint number = 32 * w + LOWEST(rest);
            at = append(list, at, number, pieces_of(offsets, row_of(number, rows)));
            if (phases) known[number] = lower[number];
        }
    }
}

/* Every lane's source, as the first list; `phases`: those of the paper. */
kernel void sssp_start(global const uint *sources, uint lanes, uint rows, global const OFFSET *offsets, uint phases,
                       global distance_t *known, global distance_t *lower, volatile global uint *seen,
                       global uint2 *list, global uint *counters) {
    const uint l = get_global_id(0);
    if (l >= lanes || sources[l] == NONE) return;
    const uint v = sources[l], number = l * rows + v, pieces = pieces_of(offsets, v);
    lower[number] = 0;
    if (phases) known[number] = 0;
    else set_bit(seen, number);
    append(list, atomic_add(&counters[ENTRIES], pieces), number, pieces);
}

/* ---- parents ---------------------------------------------------------------------------------------------------- */

/* Of every vertex the first of those from which an arc adds up to its distance. Where such an arc leads to no larger a
 * distance (it weighs nothing, or is lost in rounding), arcs could lead in a circle, and sssp_tie goes on. */
kernel void sssp_parents(uint numbers, uint rows, global const OFFSET *offsets, global const uint *neighbors,
                         WEIGHTS weights, global const distance_t *lower, volatile global uint *parents,
                         global uint *counters) {
    const uint number = get_global_id(0);
    if (number >= numbers || lower[number] == FAR) return;
    const uint v = row_of(number, rows), lane = number - v;
    const distance_t from = lower[number];
    const OFFSET end = offsets[v + 1];
    for (OFFSET arc = offsets[v]; arc < end; arc++) {
        uint n = neighbors[arc];
        distance_t distance = further(from, weights, arc);
        if (lower[lane + n] != distance || n == v) continue;
        if (distance == from) counters[ANY] = 1;
        else if (PEEK(&parents[lane + n]) > v) atomic_min(&parents[lane + n], v);
    }
}

/* Whoever has a parent becomes that of neighbours at the same distance that have none; these go on. */
inline void tie(uint number, uint v, OFFSET begin, OFFSET end, global const OFFSET *offsets,
                global const uint *neighbors, WEIGHTS weights, global const distance_t *lower,
                volatile global uint *parents, global uint2 *next, global uint *counters) {
    const uint lane = number - v;
    const distance_t from = lower[number];
    for (OFFSET arc = begin; arc < end; arc++) {
        uint n = neighbors[arc];
        if (lower[lane + n] != from || further(from, weights, arc) != from) continue;
        if (PEEK(&parents[lane + n]) != NONE || atomic_cmpxchg(&parents[lane + n], NONE, v) != NONE) continue;
        uint pieces = pieces_of(offsets, n);
        append(next, atomic_add(&counters[ENTRIES], pieces), lane + n, pieces);
    }
}

kernel void sssp_tie_all(uint numbers, uint rows, global const OFFSET *offsets, global const uint *neighbors,
                         WEIGHTS weights, global const distance_t *lower, volatile global uint *parents,
                         global uint2 *next, global uint *counters) {
    const uint number = get_global_id(0);
    if (number >= numbers || PEEK(&parents[number]) == NONE) return;
    const uint v = row_of(number, rows);
    tie(number, v, offsets[v], offsets[v + 1], offsets, neighbors, weights, lower, parents, next, counters);
}

kernel void sssp_tie(global const uint2 *list, uint count, uint rows, global const OFFSET *offsets,
                     global const uint *neighbors, WEIGHTS weights, global const distance_t *lower,
                     volatile global uint *parents, global uint2 *next, global uint *counters) {
    const uint i = get_global_id(0);
    if (i >= count) return;
    const uint v = row_of(list[i].x, rows);
    const OFFSET begin = offsets[v] + (OFFSET)list[i].y * PIECE, end = min(begin + PIECE, offsets[v + 1]);
    tie(list[i].x, v, begin, end, offsets, neighbors, weights, lower, parents, next, counters);
}
