/* The loops of shortest paths on a cluster, for one type of weights. sssp_cluster_hot.c includes this text once for
 * each with
 *
 *   NAME(x)   x with an ending of its own
 *   WEIGHT    uint32_t, float or double; uint8_t where there are none
 *   UNIT      1: there are no weights, each edge counts 1
 *   REAL      1: distances are doubles */

#if UNIT
#define WEIGHT_AT(arc) ((void)weights, (WEIGHT)1)
#else
#define WEIGHT_AT(arc) (weights[arc])
#endif

static inline uint64_t NAME(plus)(uint64_t word, WEIGHT weight) {
#if REAL
    double sum = mg_sssp_real_of(word) + weight;
    memcpy(&word, &sum, sizeof word);
    return word;
#else
    return word == UINT64_MAX ? word : word + weight;
#endif
}

#if !UNIT
/* The weight that leads from here to the horizon. */
static inline WEIGHT NAME(light_limit)(const mg_sssp_state *s, uint64_t word) {
#if REAL
    double left = s->horizon.real - mg_sssp_real_of(word);
    return left > 0 ? (WEIGHT)(left * ROUNDED_UP) : 0;
#else
    uint64_t left = word < s->horizon.number ? s->horizon.number - word : 0;
    return (WEIGHT)MG_MIN(left, (WEIGHT)-1);
#endif
}

/* Those of up to 64 arcs that weigh no more than `limit`, as bits. `whole`: 64 weights can be read. */
static inline uint64_t NAME(light_arcs)(const WEIGHT *weights, uint64_t count, bool whole, WEIGHT limit) {
    uint64_t light = 0;
    if (count < 16 || !whole) {
        for (uint64_t i = 0; i < count; i++) light |= (uint64_t)(weights[i] <= limit) << i;
        return light;
    }
    uint8_t bytes[64];
    for (int i = 0; i < 64; i++) bytes[i] = weights[i] <= limit;
    for (int i = 0; i < 8; i++) { /* eight bytes of 0 or 1 become eight bits */
        uint64_t eight;
        memcpy(&eight, bytes + 8 * i, 8);
        light |= (eight * 0x0102040810204080u >> 56) << (8 * i);
    }
    return count < 64 ? light & (((uint64_t)1 << count) - 1) : light;
}

/* Arcs as far as the horizon. Only their weights are read here. */
static void NAME(push_light)(const job *j, mg_sssp_worker *w, uint64_t word, uint32_t parent, uint64_t begin,
                             uint64_t end) {
    const WEIGHT *weights = j->rows->weights;
    WEIGHT limit = NAME(light_limit)(&j->search->state, word);
    for (uint64_t first = begin; first < end; first += 64) {
        uint64_t light =
            NAME(light_arcs)(weights + first, MG_MIN(end - first, 64u), first + 64 <= j->rows->arcs, limit);
        uint32_t count = w->arc_count;
        for (; light; light &= light - 1, count++) {
            uint64_t arc = first + (uint64_t)__builtin_ctzll(light);
            __builtin_prefetch(&j->rows->neighbors[arc]);
            w->places[count] = arc;
            w->buffer[count].from = parent;
            w->buffer[count].distance.number = NAME(plus)(word, WEIGHT_AT(arc));
        }
        w->arc_count = count;
        if (count > MG_SSSP_BUFFER - 64) follow(j, w);
    }
}
#endif

static void NAME(push)(const job *j, mg_sssp_worker *w, uint64_t word, uint32_t parent, uint64_t begin, uint64_t end) {
    const WEIGHT *weights = j->rows->weights;
    w->arcs += end - begin;
#if !UNIT
    if (j->search->state.horizon_bin != MG_SSSP_NO_BIN) {
        NAME(push_light)(j, w, word, parent, begin, end);
        return;
    }
#endif
    while (begin < end) {
        uint64_t stop = MG_MIN(end, begin + (MG_SSSP_BUFFER - w->arc_count));
        uint32_t count = w->arc_count;
        for (; begin < stop; begin++, count++) {
            w->places[count] = begin;
            w->buffer[count].from = parent;
            w->buffer[count].distance.number = NAME(plus)(word, WEIGHT_AT(begin));
        }
        w->arc_count = count;
        if (count > MG_SSSP_BUFFER - 64) follow(j, w);
    }
}

/* The nearest that the arcs [begin, end) of an in-row offer, if it is nearer than `best`. */
static nearest NAME(pull)(const job *j, uint64_t best, uint64_t begin, uint64_t end) {
    const WEIGHT *weights = j->rows->weights;
    const uint64_t *sent = j->sources->sent;
    nearest found = {best, MG_NO_VERTEX};
    for (uint64_t arc = begin; arc < end; arc++) {
        uint32_t u = j->rows->neighbors[arc];
        uint64_t word = NAME(plus)(sent[u], WEIGHT_AT(arc));
        bool nearer = word < found.word; /* no branch: it could not be predicted */
        found.word = nearer ? word : found.word;
        found.place = nearer ? u : found.place;
    }
    return found;
}

#undef WEIGHT_AT
#undef NAME
#undef WEIGHT
#undef UNIT
#undef REAL
