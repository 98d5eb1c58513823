/* The phases of paper P3 (algorithms 1 to 6).
 *
 * Within a phase nobody reads what another work-item writes: `known` are distances at its beginning, `lower` is where
 * they are lowered, and at its end both are the same again. */

/* ---- a work-item for every vertex --------------------------------------------------------------------- */

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

/* ---- work-items for the entries of a list ----------------------------------------------------------------------- */

/* Algorithm 5. Whoever is lowered gets a bit; the list that is made of these is in order, so that what lies side by side
 * in memory is looked at together, however many phases have gone by. */
GROUPED void sssp_relax_list(global const uint2 *list, uint count, global const OFFSET *offsets,
                             global const uint *neighbors, WEIGHTS weights, global distance_t *known,
                             volatile global distance_t *lower, ulong most, volatile global uint *changed,
                             global uint *counters) {
    local uint scratch[GROUP];
    const uint first = get_global_id(0) * TAKE, taken = first < count ? min(count - first, (uint)TAKE) : 0;
    taken_entry t[TAKE];
    uint bits[TAKE], arcs = 0;
    for (uint i = 0; i < taken; i++) t[i] = take_entry(list[first + i], list[first + i].x, offsets, known);
    for (uint i = 0; i < taken; i++) {
        bits[i] = nearer_along(&t[i], neighbors, weights, lower);
        if (t[i].from > (distance_t)most) counters[TOO_FAR] = 1;
        arcs += t[i].arcs;
    }
    for (uint i = 0; i < taken; i++)
        for (uint rest = bits[i]; rest; rest &= rest - 1) {
            const OFFSET arc = t[i].begin + LOWEST(rest);
            const uint n = neighbors[arc];
            const distance_t distance = further(t[i].from, weights, arc);
            if (make_lower(&lower[n], distance) > distance) set_bit(changed, n);
        }
    arcs = group_sum(arcs, scratch);
    if (get_local_id(0) == 0) add_long(&counters[EDGES], arcs);
}

/* Algorithm 6, and the list of the next phase. */
GROUPED void sssp_list_changed(uint words, uint rows, global const OFFSET *offsets, global uint *changed,
                               global distance_t *known, global const distance_t *lower, global uint2 *list,
                               global uint *counters, global uint *next_counters) {
    local uint2 scratch[GROUP];
    local uint place;
    clear(next_counters);
    list_bits(true, words, rows, offsets, changed, changed, known, lower, list, scratch, &place, counters);
}

/* ---- from one to the other ---------------------------------------------------------------------------- */

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

