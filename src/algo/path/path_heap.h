/* A queue of vertices by key: a heap in which each entry has four below it. Included as text, with NAME (of functions),
 * NUMBER and PART (of keys). */

static inline void NAME(push)(mg_path_heap *h, NUMBER key, uint32_t vertex) {
    mg_path_waiting *items = h->items;
    uint64_t at = h->count++;
    while (at) {
        uint64_t up = (at - 1) / 4;
        if (items[up].key.PART <= key) break;
        items[at] = items[up];
        at = up;
    }
    items[at].key.PART = key;
    items[at].vertex = vertex;
}

/* The hole goes down to the end, always to the least of four, which is found without a branch that could be guessed
 * wrong; the last entry fills it, and seldom has to rise. */
static inline void NAME(drop_first)(mg_path_heap *h) {
    mg_path_waiting *items = h->items;
    mg_path_waiting last = items[--h->count];
    uint64_t at = 0, count = h->count, below = 1;
    for (; below + 4 <= count; below = 4 * at + 1) {
        const mg_path_waiting *four = items + below;
        uint64_t left = four[1].key.PART < four[0].key.PART, right = 2 + (four[3].key.PART < four[2].key.PART);
        uint64_t least = four[right].key.PART < four[left].key.PART ? right : left;
        items[at] = four[least];
        at = below + least;
    }
    if (below < count) {
        uint64_t least = below;
        for (uint64_t i = below + 1; i < count; i++) least = items[i].key.PART < items[least].key.PART ? i : least;
        items[at] = items[least];
        at = least;
    }
    while (at) {
        uint64_t up = (at - 1) / 4;
        if (items[up].key.PART <= last.key.PART) break;
        items[at] = items[up];
        at = up;
    }
    items[at] = last;
}
