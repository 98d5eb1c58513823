/* Near and far (Davidson et al., IPDPS 2014), for one source or several side by side: what is near in the next phase, and
 * what is far, have a bit each; the list of a phase is made of the near ones, in order. */

GROUPED void sssp_relax_near(global const uint2 *list, uint count, uint rows, global const OFFSET *offsets,
                             global const uint *neighbors, WEIGHTS weights, volatile global distance_t *lower,
                             ulong limit, ulong most, volatile global uint *near, volatile global uint *far,
                             global uint *counters) {
    local uint2 scratch[GROUP];
    local uint words[GROUP];
    const uint first = get_global_id(0) * TAKE, taken = first < count ? min(count - first, (uint)TAKE) : 0;
    taken_entry t[TAKE];
    uint bits[TAKE], gone = 0;
    uint2 counts = (uint2)(0, 0), total; /* vertices, arcs */
    for (uint i = 0; i < taken; i++) {
        const uint2 entry = list[first + i];
        t[i] = take_entry(entry, row_of(entry.x, rows), offsets, lower);
        counts += (uint2)(entry.y == 0, t[i].arcs);
    }
    for (uint i = 0; i < taken; i++) {
        bits[i] = nearer_along(&t[i], neighbors, weights, lower);
        if (t[i].from > (distance_t)most) counters[TOO_FAR] = 1;
    }
    for (uint i = 0; i < taken; i++)
        for (uint rest = bits[i]; rest; rest &= rest - 1) {
            const OFFSET arc = t[i].begin + LOWEST(rest);
            const uint number = t[i].lane + neighbors[arc];
            const distance_t distance = further(t[i].from, weights, arc);
            if (make_lower(&lower[number], distance) <= distance) continue;
            if (distance < (distance_t)limit) set_bit(near, number);
            else gone += set_bit(far, number);
        }
    group_exscan2(counts, scratch, &total);
    gone = group_sum(gone, words);
    if (get_local_id(0) != 0) return;
    atomic_add(&counters[CHANGED], total.x);
    add_long(&counters[EDGES], total.y);
    if (gone) atomic_add(&counters[FAR_ENTRIES], gone);
}

/* The list of the next phase. `seen`: who was near in this step. */
GROUPED void sssp_list_near(uint words, uint rows, global const OFFSET *offsets, global uint *near, global uint *seen,
                            global distance_t *lower, global uint2 *list, global uint *counters,
                            global uint *next_counters) {
    local uint2 scratch[GROUP];
    local uint place;
    clear(next_counters);
    list_bits(false, words, rows, offsets, near, seen, lower, lower, list, scratch, &place, counters);
}

/* The far ones that are below `limit` become near; those that were below the last one, `old`, have been and are left out;
 * the others stay far. LEAST is the smallest distance of these. A work-item takes TAKE words. */
GROUPED void sssp_split_bits(uint words, global const distance_t *lower, ulong old, ulong limit, global uint *near,
                             global uint *far, global uint *counters) {
    local uint scratch[GROUP];
    const uint first = get_global_id(0) * TAKE, last = min(first + TAKE, words);
    distance_t least = FAR;
    uint left = 0;
    for (uint w = first; w < last; w++) {
        uint stay = 0, come = 0;
        if (!far[w]) continue;
        for (uint rest = far[w]; rest; rest &= rest - 1) {
            const distance_t distance = lower[32 * w + LOWEST(rest)];
            const uint bit = rest & -rest;
            if (distance >= (distance_t)limit) {
                stay |= bit;
                least = min(least, distance);
            } else if (distance >= (distance_t)old) come |= bit;
        }
        far[w] = stay;
        if (come) near[w] |= come;
        left += popcount(stay);
    }
    if (least != FAR) make_lower((volatile global distance_t *)&counters[LEAST], least);
    left = group_sum(left, scratch);
    if (get_local_id(0) == 0 && left) atomic_add(&counters[FAR_ENTRIES], left);
}

/* The other way round: the limit has fallen, and what is in the list and not below it goes to the far ones. */
GROUPED void sssp_cut(global const uint2 *list, uint count, global const distance_t *lower, ulong limit,
                      volatile global uint *near, volatile global uint *far, global uint *counters) {
    local uint scratch[GROUP];
    const uint first = get_global_id(0) * TAKE, taken = first < count ? min(count - first, (uint)TAKE) : 0;
    uint gone = 0;
    for (uint i = 0; i < taken; i++) {
        const uint2 entry = list[first + i];
        if (entry.y != 0) continue; /* its first piece speaks for a vertex */
        if (lower[entry.x] < (distance_t)limit) set_bit(near, entry.x);
        else gone += set_bit(far, entry.x);
    }
    gone = group_sum(gone, scratch);
    if (get_local_id(0) == 0 && gone) atomic_add(&counters[FAR_ENTRIES], gone);
}

/* Several phases of one group, while the list is so short that launches would take longer than phases: `most_entries` and
 * `most_phases` at the most. It appends to the other list itself; near bits are of those that are in there, once.
 * PHASES are counted: after an odd number of them what is near lies in `other`. */
kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void sssp_near_few(global uint2 *list, global uint2 *other, uint count, uint most_entries, uint most_phases, uint rows,
                   global const OFFSET *offsets, global const uint *neighbors, WEIGHTS weights,
                   volatile global distance_t *lower, ulong limit, ulong most, volatile global uint *near,
                   volatile global uint *far, volatile global uint *seen, global uint *counters,
                   global uint *next_counters) {
    local uint scratch[GROUP], found[2];
    const uint me = get_local_id(0);
    uint gone = 0, again = 0, vertices = 0, arcs = 0, phase = 0;
    clear(next_counters);
    if (me < 2) found[me] = me == 0 ? count : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (; phase < most_phases && found[phase % 2] > 0 && found[phase % 2] <= most_entries; phase++) {
        global const uint2 *now = phase % 2 ? other : list;
        global uint2 *next = phase % 2 ? list : other;
        const uint entries = found[phase % 2];
        for (uint i = me; i < entries; i += GROUP) {
            const uint2 entry = now[i];
            const taken_entry t = take_entry(entry, row_of(entry.x, rows), offsets, lower);
            if (t.from > (distance_t)most) counters[TOO_FAR] = 1;
            vertices += entry.y == 0;
            arcs += t.arcs;
            for (uint rest = nearer_along(&t, neighbors, weights, lower); rest; rest &= rest - 1) {
                const OFFSET arc = t.begin + LOWEST(rest);
                const uint v = neighbors[arc], number = t.lane + v;
                const distance_t distance = further(t.from, weights, arc);
                if (make_lower(&lower[number], distance) <= distance) continue;
                if (distance >= (distance_t)limit) gone += set_bit(far, number);
                else if (set_bit(near, number)) {
                    const uint pieces = pieces_of(offsets, v);
                    append(next, atomic_add(&found[1 - phase % 2], pieces), number, pieces);
                }
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        for (uint i = me; i < found[1 - phase % 2]; i += GROUP) {
            const uint number = next[i].x;
            if (next[i].y != 0) continue;
            atomic_and(&near[number / 32], ~(1u << number % 32));
            again += !set_bit(seen, number);
        }
        if (me == 0) found[phase % 2] = 0;
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    }
    vertices = group_sum(vertices, scratch);
    arcs = group_sum(arcs, scratch);
    again = group_sum(again, scratch);
    gone = group_sum(gone, scratch);
    if (me != 0) return;
    counters[ENTRIES] = found[phase % 2];
    counters[PHASES] = phase;
    counters[CHANGED] = vertices;
    counters[EDGES] = arcs;
    counters[AGAIN] = again;
    counters[FAR_ENTRIES] = gone;
}
