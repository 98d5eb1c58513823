/* PageRank on a device, after CSR-Adaptive (Greathouse and Daga, SC 2014). OFFSET: type of places in in-rows;
 * OUT_OFFSET: in out-rows. UNIT: arcs of a unit (device/units.c) at most.
 *
 * A group reads the shares of all arcs of its unit side by side into local memory and sums the rows from there, as many
 * work-items to a row as there are; where work-items take turns, each has a unit of its own instead. Units of rows make
 * new shares at once; pieces of a row leave their sums, which are joined afterwards.
 *
 * Invariant: every sum is made in one order, whatever order groups run in. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

/* What new shares are made with and of. */
typedef struct settling {
    global const OUT_OFFSET *out_offsets;
    global const double *share;
    global double *next;
    double base, damping;
} settling;

/* The new share of v. Adds what it changes, and the rank of a vertex that no arc leaves. SUMS: of several devices each
 * has some of the arcs; then this is the sum of these alone, and the rest is the host's. */
inline void settle(const settling *s, uint v, double sum, private double2 *found) {
#ifdef SUMS
    s->next[v] = sum;
#else
    double degree = (double)(s->out_offsets[v + 1] - s->out_offsets[v]);
    double rank = s->base + s->damping * sum, old = s->share[v];
    if (degree > 0) {
        found->x += fabs(rank - old * degree);
        s->next[v] = rank / degree;
    } else {
        found->x += fabs(rank - old);
        found->y += rank;
        s->next[v] = rank;
    }
#endif
}

/* The sum of the values of each `lanes` work-items that follow each other, a power of two, for the first of them.
 * `scratch` has GROUP items; it may be used again at once. All work-items call it. */
inline double sum_lanes(double value, local double *scratch, const uint lanes) {
    const uint me = get_local_id(0);
    scratch[me] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint half_of = lanes / 2; half_of > 0; half_of /= 2) {
        if (me % lanes < half_of) scratch[me] += scratch[me + half_of];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    double sum = scratch[me];
    barrier(CLK_LOCAL_MEM_FENCE);
    return sum;
}

/* ---- sums ------------------------------------------------------------------------------------------------------- */

#ifdef IN_TURNS

/* Four sums, so that an addition need not wait for the one before. */
inline double sum_arcs(global const uint *neighbors, global const double *share, OFFSET begin, OFFSET end) {
    double a = 0, b = 0, c = 0, d = 0;
    OFFSET k = begin;
    for (; k + 4 <= end; k += 4) {
        a += share[neighbors[k]];
        b += share[neighbors[k + 1]];
        c += share[neighbors[k + 2]];
        d += share[neighbors[k + 3]];
    }
    for (; k < end; k++) a += share[neighbors[k]];
    return (a + b) + (c + d);
}

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
pagerank_sum(global const uint2 *units, uint count, global const OFFSET *offsets, global const uint *neighbors,
             global const OUT_OFFSET *out_offsets, global const double *share, double base, double damping,
             global double *next, global double2 *found) {
    const settling s = {out_offsets, share, next, base, damping};
    const uint i = get_global_id(0);
    if (i >= count) return;
    const uint2 mine = units[i];
    double2 all = 0;
    if (mine.y != NONE) {
        OFFSET begin = offsets[mine.x] + (OFFSET)mine.y * UNIT;
        all.x = sum_arcs(neighbors, share, begin, min(begin + UNIT, offsets[mine.x + 1]));
    } else
        for (uint v = mine.x; v < units[i + 1].x; v++)
            settle(&s, v, sum_arcs(neighbors, share, offsets[v], offsets[v + 1]), &all);
    found[i] = all;
}

#else

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
pagerank_sum(global const uint2 *units, uint count, global const OFFSET *offsets, global const uint *neighbors,
             global const OUT_OFFSET *out_offsets, global const double *share, double base, double damping,
             global double *next, global double2 *found) {
    const settling s = {out_offsets, share, next, base, damping};
    local double items[UNIT], scratch[GROUP];
    const uint me = get_local_id(0), i = get_group_id(0);
    const uint2 mine = units[i];
    const bool whole = mine.y == NONE;
    const uint rows = whole ? units[i + 1].x - mine.x : 1;
    const OFFSET begin = offsets[mine.x] + (whole ? 0 : (OFFSET)mine.y * UNIT);
    const uint arcs = (uint)min(offsets[mine.x + rows] - begin, (OFFSET)UNIT);
    double2 all = 0;
    for (uint k = me; k < arcs; k += GROUP) items[k] = share[neighbors[begin + k]];
    barrier(CLK_LOCAL_MEM_FENCE);
    uint lanes = 1;
    while (2 * lanes * rows <= GROUP) lanes *= 2;
    for (uint first = 0; first < rows; first += GROUP / lanes) {
        const uint row = first + me / lanes, v = mine.x + row;
        double sum = 0;
        if (row < rows) {
            uint end = whole ? (uint)(offsets[v + 1] - begin) : arcs;
            for (uint k = (whole ? (uint)(offsets[v] - begin) : 0) + me % lanes; k < end; k += lanes) sum += items[k];
        }
        sum = sum_lanes(sum, scratch, lanes);
        if (row < rows && me % lanes == 0) {
            if (whole) settle(&s, v, sum, &all);
            else all.x = sum;
        }
    }
    all.x = sum_lanes(all.x, scratch, GROUP);
    all.y = sum_lanes(all.y, scratch, GROUP);
    if (me == 0) found[i] = all;
}

#endif

/* Rows that were summed in pieces: `firsts` are the units of their first ones. */
kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
pagerank_join(global const uint2 *units, global const uint *firsts, uint count, global const OFFSET *offsets,
              global const OUT_OFFSET *out_offsets, global const double *share, double base, double damping,
              global double *next, global double2 *found) {
    const settling s = {out_offsets, share, next, base, damping};
    if (get_global_id(0) >= count) return;
    const uint first = firsts[get_global_id(0)], v = units[first].x;
    const uint pieces = (uint)((offsets[v + 1] - offsets[v] + UNIT - 1) / UNIT);
    double2 all = 0;
    double sum = 0;
    for (uint k = 0; k < pieces; k++) {
        sum += found[first + k].x;
        found[first + k] = 0;
    }
    settle(&s, v, sum, &all);
    found[first] = all;
}

/* What all units found, by one group. */
kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void pagerank_total(global const double2 *found, uint count,
                                                                            global double2 *total) {
    local double scratch[GROUP];
    double2 all = 0;
    for (uint i = get_local_id(0); i < count; i += GROUP) all += found[i];
    all.x = sum_lanes(all.x, scratch, GROUP);
    all.y = sum_lanes(all.y, scratch, GROUP);
    if (get_local_id(0) == 0) *total = all;
}

/* ---- graphs larger than the device (device/parts.c) ------------------------------------------------------------- */

/* The sum of each entry of a batch. */
kernel void pagerank_batch(global const uint2 *entries, uint count, global const uint *neighbors,
                           global const double *share, global double *partial) {
    const uint i = get_global_id(0);
    if (i >= count || entries[i].x == NONE) return;
    double sum = 0;
    for (uint k = entries[i].y; k < entries[i + 1].y; k++) sum += share[neighbors[k]];
    partial[i] = sum;
}

/* Entries of a row follow each other: whoever has the first adds all of them, so that the order is always the same. */
kernel void pagerank_gather(global const uint2 *entries, uint count, global const double *partial, global double *sums) {
    const uint i = get_global_id(0);
    if (i >= count || entries[i].x == NONE || (i && entries[i - 1].x == entries[i].x)) return;
    const uint v = entries[i].x;
    double sum = sums[v];
    for (uint k = i; k < count && entries[k].x == v; k++) sum += partial[k];
    sums[v] = sum;
}

/* New shares of the sums of all. */
kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
pagerank_settle(uint rows, global const double *sums, global const OUT_OFFSET *out_offsets, global const double *share,
                double base, double damping, global double *next, global double2 *found) {
    const settling s = {out_offsets, share, next, base, damping};
    local double scratch[GROUP];
    const uint v = get_global_id(0);
    double2 all = 0;
    if (v < rows) settle(&s, v, sums[v], &all);
    all.x = sum_lanes(all.x, scratch, GROUP);
    all.y = sum_lanes(all.y, scratch, GROUP);
    if (get_local_id(0) == 0) found[get_group_id(0)] = all;
}
