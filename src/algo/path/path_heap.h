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

static inline void NAME(drop_first)(mg_path_heap *h) {
    mg_path_waiting *items = h->items;
    mg_path_waiting last = items[--h->count];
    uint64_t at = 0, count = h->count;
    for (;;) {
        uint64_t first = 4 * at + 1, least = first, end = first + 4 < count ? first + 4 : count;
        if (first >= count) break;
        for (uint64_t i = first + 1; i < end; i++)
            if (items[i].key.PART < items[least].key.PART) least = i;
        if (items[least].key.PART >= last.key.PART) break;
        items[at] = items[least];
        at = least;
    }
    items[at] = last;
}
