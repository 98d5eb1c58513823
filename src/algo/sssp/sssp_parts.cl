/* Graphs in parts: paper P5's search by settling, and near and far, along the rows of a batch. */

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

/* ---- near and far in parts -------------------------------------------------------------------------------------- */

/* The limit has fallen: what is near and not below goes to the far ones. */
GROUPED void sssp_cut_bits(uint words, global const distance_t *lower, ulong limit, global uint *near, global uint *far,
                           global uint *counters) {
    local uint scratch[GROUP];
    const uint first = get_global_id(0) * TAKE, last = min(first + TAKE, words);
    uint gone = 0;
    for (uint w = first; w < last; w++) {
        uint go = 0;
        for (uint rest = near[w]; rest; rest &= rest - 1)
            if (lower[32 * w + LOWEST(rest)] >= (distance_t)limit) go |= rest & -rest;
        if (!go) continue;
        near[w] &= ~go;
        far[w] |= go;
        gone += popcount(go);
    }
    gone = group_sum(gone, scratch);
    if (get_local_id(0) == 0 && gone) atomic_add(&counters[FAR_ENTRIES], gone);
}
