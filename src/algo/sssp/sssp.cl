/* Shortest paths on a device: the phases of paper P3 (algorithms 1 to 6), near and far (Davidson et al., IPDPS 2014)
 * for one source or several side by side, and parents. OFFSET: type of places in rows. WEIGHT: type of weights; without
 * it edges count 1. WIDE: distances have 64 bits; REAL: they are doubles, whose bits compare as they do, because none is
 * negative. PIECE: arcs of a row that an entry of a list stands for, so that long rows are shared; a word has a bit for
 * each.
 *
 * Within a phase of the paper nobody reads what another work-item writes: `known` are distances at its beginning,
 * `lower` is where they are lowered, and at its end both are the same again. So whoever finds `lower` as it is in `known`
 * and lowers it is the first: that one alone appends the vertex to the list. */

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
enum { ENTRIES, CHANGED, FAR_ENTRIES, AGAIN, EDGES, EDGES_HIGH, ANY, TOO_FAR, LEAST, LEAST_HIGH, COUNTERS = 10 };

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
    if (i < COUNTERS) counters[i] = i >= LEAST ? NONE : 0;
}

/* The entries of a vertex, from a place on. */
inline uint append(global uint2 *list, uint at, uint vertex, uint pieces) {
    for (uint p = 0; p < pieces; p++) list[at++] = (uint2)(vertex, p);
    return at;
}

/* ---- paper P3: a work-item for every vertex --------------------------------------------------------------------- */

/* Where work-items take turns, each has the vertices of a stretch, which it looks at together: most have not changed. */
#ifdef IN_TURNS
#define STRETCH 16
#else
#define STRETCH 1
#endif

/* Algorithm 2. */
GROUPED void sssp_relax_all(uint rows, global const OFFSET *offsets, global const uint *neighbors, WEIGHTS weights,
                           global const distance_t *known, volatile global distance_t *lower, global uchar *flags,
                           global uint *times, ulong most, global uint *counters) {
    const uint first = get_global_id(0) * STRETCH, last = min(first + STRETCH, rows);
#ifdef IN_TURNS
    uint changed = first + STRETCH > rows;
    for (uint i = 0; i < STRETCH && first + STRETCH <= rows; i++) changed |= flags[first + i];
    if (!changed) return;
#endif
    for (uint v = first; v < last; v++) {
        if (!flags[v]) continue;
        flags[v] = 0;
        times[v]++;
        const distance_t from = known[v];
        if (from > (distance_t)most) counters[TOO_FAR] = 1;
        const OFFSET end = offsets[v + 1];
        for (OFFSET arc = offsets[v]; arc < end; arc++) {
            volatile global distance_t *to = &lower[neighbors[arc]];
            distance_t distance = further(from, weights, arc);
            if (SEE(to) > distance) make_lower(to, distance);
        }
    }
}

/* Algorithm 3. */
GROUPED void sssp_update_all(uint rows, global distance_t *known, global const distance_t *lower, global uchar *flags,
                            global uint *counters, global uint *next_counters) {
    const uint first = get_global_id(0) * STRETCH, last = min(first + STRETCH, rows);
    clear(next_counters);
#ifdef IN_TURNS
    uint changed = first + STRETCH > rows;
    for (uint i = 0; i < STRETCH && first + STRETCH <= rows; i++) changed |= known[first + i] > lower[first + i];
    if (!changed) return;
#endif
    for (uint v = first; v < last; v++) {
        distance_t now = lower[v];
        if (known[v] <= now) continue;
        known[v] = now;
        flags[v] = 1;
        counters[ANY] = 1;
    }
}

/* ---- paper P3: a work-item for every entry of the list ---------------------------------------------------------- */

/* Algorithm 5. Appends are added up by group and stay in the order of the list. */
GROUPED void sssp_relax_list(global const uint2 *list, uint count, global const OFFSET *offsets,
                             global const uint *neighbors, WEIGHTS weights, global const distance_t *known,
                             volatile global distance_t *lower, global uint *times, ulong most, global uint2 *next,
                             global uint *counters) {
    local uint2 scratch[GROUP];
    local uint place;
    const uint i = get_global_id(0);
    OFFSET begin = 0;
    uint won = 0;
    uint2 mine = (uint2)(0, 0), total; /* entries; vertices */
    if (i < count) {
        const uint2 entry = list[i];
        const distance_t from = known[entry.x];
        if (from > (distance_t)most) counters[TOO_FAR] = 1;
        if (entry.y == 0) times[entry.x]++;
        begin = offsets[entry.x] + (OFFSET)entry.y * PIECE;
        const uint arcs = (uint)min(offsets[entry.x + 1] - begin, (OFFSET)PIECE);
        for (uint k = 0; k < arcs; k++) {
            const uint n = neighbors[begin + k];
            distance_t distance = further(from, weights, begin + k);
            if (SEE(&lower[n]) <= distance) continue;
            distance_t old = make_lower(&lower[n], distance);
            if (old <= distance || old != known[n]) continue;
            won |= 1u << k;
            mine += (uint2)(pieces_of(offsets, n), 1);
        }
    }
    uint at = group_exscan2(mine, scratch, &total).x;
    if (get_local_id(0) == 0) {
        place = total.x ? atomic_add(&counters[ENTRIES], total.x) : 0;
        if (total.y) atomic_add(&counters[CHANGED], total.y);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    at += place;
    for (; won; won &= won - 1) {
        uint n = neighbors[begin + LOWEST(won)];
        at = append(next, at, n, pieces_of(offsets, n));
    }
}

/* Algorithm 6: of all that is in the list by now. */
GROUPED void sssp_update_list(global const uint2 *list, global const uint *counters, global distance_t *known,
                             global const distance_t *lower, global uint *next_counters) {
    const uint count = counters[ENTRIES];
    clear(next_counters);
    for (uint i = get_global_id(0); i < count; i += get_global_size(0))
        if (list[i].y == 0) known[list[i].x] = lower[list[i].x];
}

/* ---- paper P3: from one to the other ---------------------------------------------------------------------------- */

kernel void sssp_flag(global const uint2 *list, uint count, global uchar *flags) {
    const uint i = get_global_id(0);
    if (i < count && list[i].y == 0) flags[list[i].x] = 1;
}

#define EACH 8 /* vertices of a work-item */

/* Entries of the vertices that have flags, by group: sums of these become places (primitives.cl). Vertices are counted
 * as changed. */
GROUPED void sssp_count_flags(uint rows, global const OFFSET *offsets, global const uchar *flags, global uint *sums,
                              global uint *counters) {
    local uint2 scratch[GROUP];
    const uint first = get_global_id(0) * EACH;
    uint2 mine = (uint2)(0, 0), total;
    for (uint v = first; v < first + EACH && v < rows; v++)
        if (flags[v]) mine += (uint2)(pieces_of(offsets, v), 1);
    group_exscan2(mine, scratch, &total);
    if (get_local_id(0) != 0) return;
    sums[get_group_id(0)] = total.x;
    if (total.y) atomic_add(&counters[CHANGED], total.y);
}

/* The switch kernel of algorithm 4: the list, in order. No flags remain. */
GROUPED void sssp_list_flags(uint rows, global const OFFSET *offsets, global uchar *flags, global const uint *sums,
                             global uint2 *list) {
    local uint scratch[GROUP];
    const uint first = get_global_id(0) * EACH;
    uint mine = 0, total;
    for (uint v = first; v < first + EACH && v < rows; v++)
        if (flags[v]) mine += pieces_of(offsets, v);
    uint at = sums[get_group_id(0)] + group_exscan(mine, scratch, &total);
    for (uint v = first; v < first + EACH && v < rows; v++) {
        if (!flags[v]) continue;
        flags[v] = 0;
        at = append(list, at, v, pieces_of(offsets, v));
    }
}

/* One in `stride` vertices has changed, to a distance of 0; or the first alone. */
kernel void sssp_pretend(uint rows, uint stride, global distance_t *known, global distance_t *lower, global uchar *flags,
                         global uint *counters, global uint *next_counters) {
    const uint v = get_global_id(0);
    clear(counters);
    clear(next_counters);
    if (v >= rows || (stride ? v % stride : v)) return;
    known[v] = lower[v] = 0;
    flags[v] = 1;
}

/* Arcs that were looked at: those of every vertex, as many times as it was. */
GROUPED void sssp_sum_arcs(uint rows, global const OFFSET *offsets, global const uint *times, global uint *counters) {
    local uint scratch[GROUP];
    const uint v = get_global_id(0);
    ulong arcs = v < rows ? (ulong)(offsets[v + 1] - offsets[v]) * times[v] : 0;
    uint low = group_sum((uint)arcs & 0xffff, scratch), middle = group_sum((uint)(arcs >> 16) & 0xffff, scratch);
    if (arcs >> 32) atomic_add(&counters[EDGES_HIGH], (uint)(arcs >> 32));
    if (get_local_id(0) != 0) return;
    add_long(&counters[EDGES], low);
    add_long(&counters[EDGES], middle << 16);
    if (middle >> 16) atomic_add(&counters[EDGES_HIGH], middle >> 16);
}

/* ---- without atomic operations on 64 bits ----------------------------------------------------------------------- */

/* A phase in which every vertex looks for itself, along its in-arcs: `lower` are the distances at its end. */
kernel void sssp_pull_all(uint rows, global const OFFSET *in_offsets, global const uint *in_neighbors, WEIGHTS in_weights,
                          global const distance_t *known, global distance_t *lower, global uint *times,
                          global uint *counters, global uint *next_counters) {
    const uint v = get_global_id(0);
    clear(next_counters);
    if (v >= rows) return;
    const OFFSET end = in_offsets[v + 1];
    distance_t best = known[v];
    for (OFFSET arc = in_offsets[v]; arc < end; arc++) {
        distance_t from = known[in_neighbors[arc]];
        if (from != FAR) best = min(best, further(from, in_weights, arc));
    }
    lower[v] = best;
    times[v]++;
    if (best < known[v]) counters[ANY] = 1;
}

/* ---- near and far ----------------------------------------------------------------------------------------------- */

/* Several searches side by side, each a lane: vertex v of lane l has the number l * rows + v. `queued` is the phase in
 * whose near list a vertex was last (0: in none), and whether it lies in the far list (IN_FAR), perhaps in vain: who
 * comes near stays there until the next split. So every vertex is at most once in either. */
#define IN_FAR 0x80000000u

/* Puts a vertex into the near list of a phase, unless it is there; returns what it was before, or NONE. */
inline uint queue_near(volatile global uint *queued, uint phase) {
    uint old = PEEK(queued);
    while ((old & ~IN_FAR) != phase) {
        uint seen = atomic_cmpxchg(queued, old, (old & IN_FAR) | phase);
        if (seen == old) return old & ~IN_FAR;
        old = seen;
    }
    return NONE;
}

inline uint row_of(uint number, uint rows) {
#ifdef LANES
    return number % rows;
#else
    return number;
#endif
}

/* Every lane's source, as the list of phase 1; `phases`: those of the paper. */
kernel void sssp_start(global const uint *sources, uint lanes, uint rows, global const OFFSET *offsets, uint phases,
                       global distance_t *known, global distance_t *lower, global uint *queued, global uint2 *list,
                       global uint *counters) {
    const uint l = get_global_id(0);
    if (l >= lanes || sources[l] == NONE) return;
    const uint v = sources[l], number = l * rows + v, pieces = pieces_of(offsets, v);
    lower[number] = 0;
    if (phases) known[number] = 0;
    else queued[number] = 1;
    append(list, atomic_add(&counters[ENTRIES], pieces), number, pieces);
}

/* What a phase has found goes to the near list of the next one or to the far ones, which are those from `limit` on.
 * There are `far_count`
 * entries of these already. `first`: the phase that the step began with. */
GROUPED void sssp_relax_near(global const uint2 *list, uint count, uint rows, global const OFFSET *offsets,
                             global const uint *neighbors, WEIGHTS weights, volatile global distance_t *lower,
                             volatile global uint *queued, uint phase, uint first, ulong limit, ulong most,
                             global uint2 *near, global uint2 *far, uint far_count, global uint *counters,
                             global uint *next_counters) {
    local uint2 scratch[GROUP];
    local uint near_place, far_place;
    const uint i = get_global_id(0), me = get_local_id(0);
    OFFSET begin = 0;
    uint to_near = 0, to_far = 0, lane = 0;
    uint2 entries = (uint2)(0, 0), total, counts = (uint2)(0, 0); /* near, far; vertices << 16 | again, arcs */
    clear(next_counters);
    if (i < count) {
        const uint2 entry = list[i];
        const uint v = row_of(entry.x, rows);
        const distance_t from = SEE(&lower[entry.x]);
        if (from > (distance_t)most) counters[TOO_FAR] = 1;
        lane = entry.x - v;
        begin = offsets[v] + (OFFSET)entry.y * PIECE;
        const uint arcs = (uint)min(offsets[v + 1] - begin, (OFFSET)PIECE);
        counts = (uint2)(entry.y == 0 ? 1u << 16 : 0, arcs);
        for (uint k = 0; k < arcs; k++) {
            const uint n = neighbors[begin + k], number = lane + n;
            distance_t distance = further(from, weights, begin + k);
            if (SEE(&lower[number]) <= distance || make_lower(&lower[number], distance) <= distance) continue;
            if (distance < (distance_t)limit) {
                uint before = queue_near(&queued[number], phase + 1);
                if (before == NONE) continue;
                to_near |= 1u << k;
                counts.x += before >= first;
                entries.x += pieces_of(offsets, n);
            } else if (!(PEEK(&queued[number]) & IN_FAR) && !(atomic_or(&queued[number], IN_FAR) & IN_FAR)) {
                to_far |= 1u << k;
                entries.y += pieces_of(offsets, n);
            }
        }
    }
    uint2 at = group_exscan2(entries, scratch, &total);
    uint2 sum;
    group_exscan2(counts, scratch, &sum);
    if (me == 0) {
        near_place = total.x ? atomic_add(&counters[ENTRIES], total.x) : 0;
        far_place = far_count + (total.y ? atomic_add(&counters[FAR_ENTRIES], total.y) : 0);
        atomic_add(&counters[CHANGED], sum.x >> 16);
        if (sum.x & 0xffff) atomic_add(&counters[AGAIN], sum.x & 0xffff);
        add_long(&counters[EDGES], sum.y);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    at += (uint2)(near_place, far_place);
    for (uint rest = to_near; rest; rest &= rest - 1) {
        uint n = neighbors[begin + LOWEST(rest)];
        at.x = append(near, at.x, lane + n, pieces_of(offsets, n));
    }
    for (uint rest = to_far; rest; rest &= rest - 1) {
        uint n = neighbors[begin + LOWEST(rest)];
        at.y = append(far, at.y, lane + n, pieces_of(offsets, n));
    }
}

/* Entries that go to the near or to the far list, in order; `mine` says where this work-item's goes. */
inline void deal(uint2 entry, uint2 mine, local uint2 *scratch, local uint *places, global uint2 *near, global uint2 *far,
                 uint far_count, global uint *counters) {
    uint2 total, at = group_exscan2(mine, scratch, &total);
    if (get_local_id(0) == 0) {
        places[0] = total.x ? atomic_add(&counters[ENTRIES], total.x) : 0;
        places[1] = far_count + (total.y ? atomic_add(&counters[FAR_ENTRIES], total.y) : 0);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (mine.x) near[places[0] + at.x] = entry;
    if (mine.y) far[places[1] + at.y] = entry;
}

/* The far ones that are below `limit` become near, in phase `phase`; those that were below the last one, `old`, have been
 * and are left out; the others stay far. LEAST is the smallest distance of these. */
GROUPED void sssp_split(global const uint2 *list, uint count, global const distance_t *lower, global uint *queued,
                        uint phase, ulong old, ulong limit, global uint2 *near, global uint2 *far,
                        global uint *counters, global uint *next_counters) {
    local uint2 scratch[GROUP];
    local distance_t least[GROUP];
    local uint places[2];
    const uint i = get_global_id(0), me = get_local_id(0);
    uint2 mine = (uint2)(0, 0), entry = (uint2)(0, 0);
    clear(next_counters);
    least[me] = FAR;
    if (i < count) {
        entry = list[i];
        const distance_t distance = lower[entry.x];
        mine.x = distance >= (distance_t)old && distance < (distance_t)limit;
        mine.y = distance >= (distance_t)limit;
        if (mine.y) least[me] = distance;
        else if (entry.y == 0) queued[entry.x] = mine.x ? phase : queued[entry.x] & ~IN_FAR;
    }
    deal(entry, mine, scratch, places, near, far, 0, counters);
    if (me != 0) return;
    distance_t all = FAR;
    for (uint k = 0; k < GROUP; k++) all = min(all, least[k]);
    if (all != FAR) make_lower((volatile global distance_t *)&counters[LEAST], all);
}

/* The other way round: what is not below `limit`, which has fallen, goes from the near list of phase `phase` to the far
 * one, unless it lies there already. The first piece of a row changes `queued`; the others see what it was by what it
 * has become. */
GROUPED void sssp_cut(global const uint2 *list, uint count, global const distance_t *lower, volatile global uint *queued,
                      uint phase, ulong limit, global uint2 *near, global uint2 *far, uint far_count,
                      global uint *counters, global uint *next_counters) {
    local uint2 scratch[GROUP];
    local uint places[2];
    const uint i = get_global_id(0);
    uint2 mine = (uint2)(0, 0), entry = (uint2)(0, 0);
    clear(next_counters);
    if (i < count) {
        entry = list[i];
        mine.x = lower[entry.x] < (distance_t)limit;
        mine.y = !mine.x && PEEK(&queued[entry.x]) != (phase | IN_FAR);
        if (entry.y == 0 && mine.y) atomic_xchg(&queued[entry.x], IN_FAR);
    }
    deal(entry, mine, scratch, places, near, far, far_count, counters);
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

/* ---- paper P5: Dijkstra's search, many vertices at a time ------------------------------------------------------- */

/* The sum of a distance and a weight, as distances are; what 32 bits do not hold is above all that they do. */
inline distance_t plus(distance_t distance, distance_t weight) {
#ifdef REAL
    return as_ulong(as_double(distance) + as_double(weight));
#else
    return distance + weight < distance ? FAR - 1 : distance + weight;
#endif
}

/* Algorithm 2 with the reduction: the least distance that any arc of an unsettled vertex may lead to. */
GROUPED void sssp_delta(uint rows, global const distance_t *lower, global const distance_t *lightest,
                        global const uint *settled, volatile global distance_t *delta) {
    local distance_t scratch[GROUP];
    const uint v = get_global_id(0), me = get_local_id(0);
    const bool open = v < rows && !(settled[v / 32] >> v % 32 & 1) && lower[v] != FAR && lightest[v] != FAR;
    scratch[me] = open ? plus(lower[v], lightest[v]) : FAR;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint half_of = GROUP / 2; half_of > 0; half_of /= 2) {
        if (me < half_of) scratch[me] = min(scratch[me], scratch[me + half_of]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (me == 0 && scratch[0] != FAR) make_lower(delta, scratch[0]);
}

/* Algorithm 2 as the paper has it, along the rows of a batch: who has settled, or is not reached, looks at nothing. */
GROUPED void sssp_delta_batch(global const uint2 *entries, uint count, WEIGHTS weights, global const distance_t *lower,
                              global const uint *settled, volatile global distance_t *delta) {
    const uint i = get_global_id(0);
    const uint u = i < count ? entries[i].x : NONE;
    if (u == NONE || settled[u / 32] >> u % 32 & 1 || lower[u] == FAR) return;
    const distance_t from = lower[u];
    distance_t least = FAR;
    for (uint k = entries[i].y; k < entries[i + 1].y; k++) least = min(least, further(from, weights, k));
    if (SEE(delta) > least) make_lower(delta, least);
}

/* Whoever is no further settles: no way that is not yet known can be shorter. A word of bits for each work-item. */
GROUPED void sssp_settle(uint rows, uint words, global const distance_t *lower, global const distance_t *delta,
                         global uint *settled, global uint *bits, global uint *counters) {
    local uint scratch[GROUP];
    const uint w = get_global_id(0);
    const distance_t limit = *delta;
    uint found = 0;
    if (w < words) {
        for (uint i = 0; i < 32 && 32 * w + i < rows; i++)
            if (lower[32 * w + i] != FAR && lower[32 * w + i] <= limit) found |= 1u << i;
        found &= ~settled[w];
        settled[w] |= found;
        bits[w] = found;
    }
    uint count = group_sum(popcount(found), scratch);
    if (get_local_id(0) == 0 && count) atomic_add(&counters[CHANGED], count);
}

/* ---- rows of a batch (device/parts.c) --------------------------------------------------------------------------- */

/* Sets the bit of a vertex; whether it was not set. */
inline uint set_bit(volatile global uint *bits, uint v) {
    const uint bit = 1u << v % 32;
    return !(PEEK(&bits[v / 32]) & bit) && !(atomic_or(&bits[v / 32], bit) & bit);
}

/* What a batch is relaxed with. SETTLE: the rows of vertices that have settled; else of near ones: who becomes nearer is
 * near itself, or far, and has no parent any more. `won`: a bit for each arc of the batch that made somebody nearer. */
typedef struct relaxing {
    volatile global distance_t *lower;
    volatile global uint *near, *far, *parents, *won;
    distance_t limit;
    uint parents_wanted;
} relaxing;

/* Arc k of the batch, to v. Who has settled is never made nearer: its distance is the least. Returns whether v came to
 * the far ones. */
inline uint relax_arc(const relaxing *r, const bool settle, uint k, uint v, distance_t distance) {
    if (SEE(&r->lower[v]) <= distance || make_lower(&r->lower[v], distance) <= distance) return 0;
    if (r->parents_wanted) set_bit(r->won, k);
    if (settle) return 0;
    if (r->parents_wanted) atomic_xchg(&r->parents[v], NONE);
    if (distance >= r->limit) return set_bit(r->far, v);
    set_bit(r->near, v);
    return 0;
}

/* Algorithm 3 of P5, and phases of near and far. Where work-items do not take turns the arcs of a group are even shares:
 * `begins` to `froms` are what they look them up in. */
inline void relax_batch(const bool settle, const relaxing *r, global const uint2 *entries, uint count,
                        global const uint *neighbors, WEIGHTS weights, ulong most, global uint *counters,
                        local uint *scratch, local uint *begins, local uint *rows, local uint *firsts,
                        local distance_t *froms) {
    const uint i = get_global_id(0), me = get_local_id(0);
    uint2 entry = (uint2)(NONE, 0);
    if (i < count) entry = entries[i];
    const uint u = entry.x, arcs = u == NONE ? 0 : entries[i + 1].y - entry.y;
    const distance_t from = u == NONE ? 0 : SEE(&r->lower[u]);
    uint found = 0, total;
    if (u != NONE && from > (distance_t)most) counters[TOO_FAR] = 1;
#ifdef IN_TURNS
    total = group_sum(arcs, scratch);
    for (uint k = entry.y; k < entry.y + arcs; k++)
        found += relax_arc(r, settle, k, neighbors[k], further(from, weights, k));
#else
    begins[me] = group_exscan(arcs, scratch, &total);
    rows[me] = u;
    firsts[me] = entry.y;
    froms[me] = from;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint at = me, low = 0; at < total; at += GROUP) {
        uint high = GROUP;
        while (high - low > 1) {
            uint middle = (low + high) / 2;
            if (begins[middle] <= at) low = middle;
            else high = middle;
        }
        uint k = firsts[low] + (at - begins[low]);
        found += relax_arc(r, settle, k, neighbors[k], further(froms[low], weights, k));
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
    if (!settle) found = group_sum(found, scratch);
    if (me == 0) add_long(&counters[EDGES], total);
    if (me == 0 && !settle && found) atomic_add(&counters[FAR_ENTRIES], found);
}

GROUPED void sssp_settle_batch(global const uint2 *entries, uint count, global const uint *neighbors, WEIGHTS weights,
                               volatile global distance_t *lower, volatile global uint *won, uint wanted, ulong most,
                               global uint *counters) {
    local uint scratch[GROUP], begins[GROUP], rows[GROUP], firsts[GROUP];
    local distance_t froms[GROUP];
    const relaxing r = {lower, 0, 0, 0, won, 0, wanted};
    relax_batch(true, &r, entries, count, neighbors, weights, most, counters, scratch, begins, rows, firsts, froms);
}

GROUPED void sssp_near_batch(global const uint2 *entries, uint count, global const uint *neighbors, WEIGHTS weights,
                             volatile global distance_t *lower, volatile global uint *near, volatile global uint *far,
                             ulong limit, volatile global uint *parents, volatile global uint *won, uint wanted,
                             ulong most, global uint *counters) {
    local uint scratch[GROUP], begins[GROUP], rows[GROUP], firsts[GROUP];
    local distance_t froms[GROUP];
    const relaxing r = {lower, near, far, parents, won, (distance_t)limit, wanted};
    relax_batch(false, &r, entries, count, neighbors, weights, most, counters, scratch, begins, rows, firsts, froms);
}

/* Parents, when distances have been lowered by all of the batch: of those whose distance an arc gave that made them
 * nearer. One of near vertices that adds nothing makes no parent, as such arcs could lead in a circle; there is somebody
 * without a parent then (ANY). Should u have become nearer since, it is near again, and comes back. No bit remains. */
GROUPED void sssp_parent_batch(global const uint2 *entries, uint count, global const uint *neighbors, WEIGHTS weights,
                               global const distance_t *lower, volatile global uint *parents, volatile global uint *won,
                               uint settle, global uint *counters) {
    const uint i = get_global_id(0);
    if (i >= count || entries[i].x == NONE || entries[i].y == entries[i + 1].y) return;
    const uint u = entries[i].x, begin = entries[i].y, end = entries[i + 1].y;
    const distance_t from = lower[u];
    for (uint w = begin / 32; w <= (end - 1) / 32; w++) {
        uint mine = PEEK(&won[w]);
        if (w == begin / 32) mine &= NONE << begin % 32;
        if (w == end / 32) mine &= (1u << end % 32) - 1;
        if (mine) atomic_and(&won[w], ~mine);
        for (; mine; mine &= mine - 1) {
            const uint k = 32 * w + LOWEST(mine), v = neighbors[k];
            const distance_t distance = further(from, weights, k);
            if (lower[v] != distance || u == v) continue;
            if (distance == from && !settle) counters[ANY] = 1;
            else atomic_xchg(&parents[v], u);
        }
    }
}

/* ---- near and far in parts: a bit for each vertex instead of lists ---------------------------------------------- */

/* As sssp_split, a word of bits for each work-item. */
GROUPED void sssp_split_bits(uint words, global const distance_t *lower, ulong old, ulong limit, global uint *near,
                             global uint *far, global uint *counters) {
    local uint scratch[GROUP];
    const uint w = get_global_id(0);
    uint stay = 0, come = 0;
    distance_t least = FAR;
    for (uint rest = w < words ? far[w] : 0; rest; rest &= rest - 1) {
        const distance_t distance = lower[32 * w + LOWEST(rest)];
        const uint bit = rest & -rest;
        if (distance >= (distance_t)limit) {
            stay |= bit;
            least = min(least, distance);
        } else if (distance >= (distance_t)old) come |= bit;
    }
    if (w < words) far[w] = stay;
    if (come) near[w] |= come;
    if (least != FAR) make_lower((volatile global distance_t *)&counters[LEAST], least);
    uint left = group_sum(popcount(stay), scratch);
    if (get_local_id(0) == 0 && left) atomic_add(&counters[FAR_ENTRIES], left);
}

/* As sssp_cut, likewise. */
GROUPED void sssp_cut_bits(uint words, global const distance_t *lower, ulong limit, global uint *near, global uint *far,
                           global uint *counters) {
    local uint scratch[GROUP];
    const uint w = get_global_id(0);
    uint go = 0;
    for (uint rest = w < words ? near[w] : 0; rest; rest &= rest - 1)
        if (lower[32 * w + LOWEST(rest)] >= (distance_t)limit) go |= rest & -rest;
    if (go) {
        near[w] &= ~go;
        far[w] |= go;
    }
    uint gone = group_sum(popcount(go), scratch);
    if (get_local_id(0) == 0 && gone) atomic_add(&counters[FAR_ENTRIES], gone);
}
