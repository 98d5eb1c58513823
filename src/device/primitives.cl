/* Primitives: prefix sums, sums, and bitmaps into lists. Items are dealt to groups in tiles of TILE. */

#define EACH 8 /* items of a work-item */
#define TILE (GROUP * EACH)

/* The sum of each tile. */
kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void mg_sum_tiles(global const uint *items, uint count,
                                                                          global uint *sums) {
    local uint scratch[GROUP];
    const uint first = get_group_id(0) * TILE, me = get_local_id(0);
    uint sum = 0;
    for (uint k = 0; k < EACH; k++) {
        uint i = first + k * GROUP + me;
        if (i < count) sum += items[i];
    }
    sum = group_sum(sum, scratch);
    if (me == 0) sums[get_group_id(0)] = sum;
}

/* Prefix sums by one group, tile after tile; *total is the sum of all. */
kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void mg_scan_sums(global uint *sums, uint count,
                                                                          global uint *total) {
    local uint scratch[GROUP];
    const uint me = get_local_id(0);
    uint before = 0;
    for (uint first = 0; first < count; first += TILE) {
        uint begin = min(first + me * EACH, count), end = min(begin + EACH, count), mine = 0, all;
        for (uint i = begin; i < end; i++) mine += sums[i];
        uint sum = before + group_exscan(mine, scratch, &all);
        for (uint i = begin; i < end; i++) {
            uint item = sums[i];
            sums[i] = sum;
            sum += item;
        }
        before += all;
    }
    if (me == 0) *total = before;
}

/* Prefix sums within each tile, which begin at those of the tiles. */
kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void mg_scan_tiles(global uint *items, uint count,
                                                                           global const uint *sums) {
    local uint scratch[GROUP];
    const uint me = get_local_id(0), first = get_group_id(0) * TILE;
    uint begin = min(first + me * EACH, count), end = min(begin + EACH, count), mine = 0, all;
    for (uint i = begin; i < end; i++) mine += items[i];
    uint sum = sums[get_group_id(0)] + group_exscan(mine, scratch, &all);
    for (uint i = begin; i < end; i++) {
        uint item = items[i];
        items[i] = sum;
        sum += item;
    }
}

/* How many bits are set in each tile of words. */
kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void mg_count_bits(global const uint *bits, uint words,
                                                                           global uint *sums) {
    local uint scratch[GROUP];
    const uint first = get_group_id(0) * TILE, me = get_local_id(0);
    uint sum = 0;
    for (uint k = 0; k < EACH; k++) {
        uint w = first + k * GROUP + me;
        if (w < words) sum += popcount(bits[w]);
    }
    sum = group_sum(sum, scratch);
    if (me == 0) sums[get_group_id(0)] = sum;
}

/* Their numbers, each tile from its place on. */
kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void mg_list_bits(global const uint *bits, uint words,
                                                                          global const uint *sums,
                                                                          global uint *list) {
    local uint scratch[GROUP];
    const uint me = get_local_id(0), first = get_group_id(0) * TILE;
    uint begin = min(first + me * EACH, words), end = min(begin + EACH, words), mine = 0, all;
    for (uint w = begin; w < end; w++) mine += popcount(bits[w]);
    uint at = sums[get_group_id(0)] + group_exscan(mine, scratch, &all);
    for (uint w = begin; w < end; w++)
        for (uint rest = bits[w]; rest; rest &= rest - 1) list[at++] = 32 * w + (31 - clz(rest & -rest));
}
