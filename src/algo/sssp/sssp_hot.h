/* The loops of shortest paths, for one type of weights and one kind of labels. sssp_hot.c includes this text once for
 * each pair with
 *
 *   NAME(x)   x with an ending of its own
 *   WEIGHT    uint8_t, uint16_t, uint32_t, float or double
 *   UNIT      1: there are no weights, each edge counts 1
 *   REAL      1: distances are doubles
 *   NARROW    1: labels are mg_sssp_narrow
 *
 * Memory is slow, and a processor waits for one miss after another if it is let. So the rows of a whole chunk are asked
 * for (prefetch) before the first is read, and what depends on a label that is not here yet is decided without a branch
 * or put off. */

#if REAL
#define DISTANCE   double
#define FIELD      real
#define FAR        INFINITY
#define UNREACHED  INFINITY
#define ROUNDED_UP 1.000001 /* what a float can lose, and more */
#elif NARROW
#define DISTANCE  uint64_t
#define FIELD     number
#define FAR       MG_SSSP_FAR_NARROW
#define UNREACHED UINT64_MAX
#else
#define DISTANCE  uint64_t
#define FIELD     number
#define FAR       UINT64_MAX
#define UNREACHED UINT64_MAX
#endif

#if UNIT
#define WEIGHT_AT(arc) ((void)weights, (WEIGHT)1)
#else
#define WEIGHT_AT(arc) (weights[arc])
#endif

#if NARROW
typedef mg_sssp_narrow NAME(label);
#else
typedef mg_sssp_wide NAME(label);
#endif

/* ---- labels ----------------------------------------------------------------------------------------------------- */

static inline DISTANCE NAME(distance)(const NAME(label) * label) {
#if NARROW
    return mg_load(label) >> 32;
#else
    DISTANCE d;
    __atomic_load(&label->distance.FIELD, &d, __ATOMIC_RELAXED);
    return d;
#endif
}

/* By the only thread that writes it. */
static inline void NAME(write)(NAME(label) * label, DISTANCE distance, uint32_t parent) {
#if NARROW
    mg_store(label, distance << 32 | parent);
#else
    __atomic_store(&label->distance.FIELD, &distance, __ATOMIC_RELAXED);
    mg_store(&label->parent, parent);
#endif
}

/* Lowers a label, whoever else is at it; true if this call did. */
static inline bool NAME(lower)(NAME(label) * label, DISTANCE distance, uint32_t parent, bool alone) {
    if (alone) {
        if (!(distance < NAME(distance)(label))) return false;
        NAME(write)(label, distance, parent);
        return true;
    }
#if NARROW
    mg_sssp_narrow old = mg_load(label), lower = distance << 32 | parent;
    while (distance < old >> 32)
        if (__atomic_compare_exchange_n(label, &old, lower, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) return true;
    return false;
#else
    if (!(distance < NAME(distance)(label))) return false;
    mg_sssp_take_lock(&label->lock);
    bool lower = distance < NAME(distance)(label);
    if (lower) NAME(write)(label, distance, parent);
    mg_sssp_drop_lock(&label->lock);
    return lower;
#endif
}

/* The bin of a finite distance. Never falls where the distance rises; that is all that is asked of it. */
static inline uint64_t NAME(bin)(const mg_sssp_state *s, DISTANCE distance) {
#if NARROW
    return (uint64_t)(int64_t)((double)(int64_t)distance * s->per_delta); /* bins are at least 1 wide */
#else
    double bin = (double)distance * s->per_delta;
    return bin < LAST_BIN ? (uint64_t)bin : (uint64_t)LAST_BIN;
#endif
}

static uint64_t NAME(bin_of)(const mg_sssp_state *s, uint32_t v) {
    DISTANCE distance = NAME(distance)((const NAME(label) *)s->labels + v);
    return distance < FAR ? NAME(bin)(s, distance) : MG_SSSP_NO_BIN;
}

static void NAME(fill)(void *labels, uint64_t begin, uint64_t end) {
    NAME(label) *label = labels;
#if NARROW
    for (uint64_t v = begin; v < end; v++) label[v] = (uint64_t)MG_SSSP_FAR_NARROW << 32 | MG_NO_VERTEX;
#else
    for (uint64_t v = begin; v < end; v++) label[v] = (mg_sssp_wide){.distance.FIELD = FAR, .parent = MG_NO_VERTEX};
#endif
}

static void NAME(set)(void *labels, uint32_t v, uint32_t parent) { NAME(write)((NAME(label) *)labels + v, 0, parent); }

/* ---- pushing ---------------------------------------------------------------------------------------------------- */

/* Picks out the collected arcs that lead to a shorter distance, and lowers it. Whether one does cannot be predicted, so
 * that is decided without a branch; of those that are left most do, unless somebody was faster. */
static void NAME(pick)(mg_sssp_state *s, mg_sssp_worker *w, uint32_t count) {
    NAME(label) *labels = s->labels;
    mg_sssp_arc *buffer = w->buffer;
    uint32_t picked = 0, leaves = s->leaves;
    bool alone = s->threads == 1;
    for (uint32_t i = 0; i < count; i++) {
        mg_sssp_arc arc = buffer[i];
        buffer[picked] = arc;
        picked += (arc.distance.FIELD < NAME(distance)(&labels[arc.to])) & (arc.to < leaves);
    }
    for (uint32_t i = 0; i < picked; i++) {
        mg_sssp_arc arc = buffer[i];
        if (NAME(lower)(&labels[arc.to], arc.distance.FIELD, arc.from, alone))
            mg_sssp_put(s, w, arc.to, NAME(bin)(s, arc.distance.FIELD));
    }
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

/* Finds out where the collected arcs of push_light lead. */
static void NAME(follow)(mg_sssp_state *s, mg_sssp_worker *w) {
    const NAME(label) *labels = s->labels;
    const uint32_t *neighbors = s->plan->out.neighbors;
    uint32_t count = w->arc_count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t to = neighbors[w->places[i]];
        w->buffer[i].to = to;
        __builtin_prefetch(&labels[to]);
    }
    w->arc_count = 0;
    NAME(pick)(s, w, count);
}

/* Arcs as far as the horizon: their weights are read, and where they lead is asked for. */
static void NAME(push_light)(mg_sssp_state *s, mg_sssp_worker *w, uint32_t from, DISTANCE distance, uint64_t begin,
                             uint64_t end, WEIGHT limit) {
    const mg_rows *rows = &s->plan->out;
    const WEIGHT *weights = rows->weights;
    for (uint64_t first = begin; first < end; first += 64) {
        uint64_t light = NAME(light_arcs)(weights + first, MG_MIN(end - first, 64u), first + 64 <= rows->arcs, limit);
        uint32_t count = w->arc_count;
        for (; light; light &= light - 1, count++) {
            uint64_t arc = first + (uint64_t)__builtin_ctzll(light);
            __builtin_prefetch(&rows->neighbors[arc]);
            w->places[count] = arc;
            w->buffer[count].from = from;
            w->buffer[count].distance.FIELD = distance + WEIGHT_AT(arc);
        }
        w->arc_count = count;
        if (count > MG_SSSP_BUFFER - 64) NAME(follow)(s, w);
    }
}

/* The weight that leads from here to the horizon. */
static inline WEIGHT NAME(light_limit)(const mg_sssp_state *s, DISTANCE distance) {
    DISTANCE left = distance < s->horizon.FIELD ? s->horizon.FIELD - distance : 0;
#if REAL
    return (WEIGHT)(left * ROUNDED_UP);
#else
    return (WEIGHT)MG_MIN(left, (WEIGHT)-1);
#endif
}

/* Of a long row few arcs lead to a shorter distance, so a branch is right nearly always. */
static void NAME(push_row)(mg_sssp_state *s, mg_sssp_worker *w, uint32_t from, DISTANCE distance, uint64_t begin,
                           uint64_t end) {
    NAME(label) *labels = s->labels;
    const uint32_t *neighbors = s->plan->out.neighbors;
    const WEIGHT *weights = s->plan->out.weights;
    bool alone = s->threads == 1;
    for (uint64_t arc = begin; arc < end; arc++) {
        DISTANCE by_it = distance + WEIGHT_AT(arc);
        uint32_t to = neighbors[arc];
        if (by_it < NAME(distance)(&labels[to]) && NAME(lower)(&labels[to], by_it, from, alone))
            mg_sssp_put(s, w, to, NAME(bin)(s, by_it));
    }
}

/* From here on an edge could lead out of 32 bits. */
static inline bool NAME(too_far)(mg_sssp_state *s, DISTANCE distance) {
#if NARROW
    if (distance <= s->plan->narrow_end) return false;
    mg_store(&s->overflow, 1);
    mg_store(&s->stop, 1);
    return true;
#else
    (void)s, (void)distance;
    return false;
#endif
}

/* Arcs of a vertex, one after another; those to the horizon stay in the buffer. */
static void NAME(push_arcs)(mg_sssp_state *s, mg_sssp_worker *w, uint32_t from, uint64_t begin, uint64_t end) {
    DISTANCE distance = NAME(distance)((const NAME(label) *)s->labels + from);
    if (NAME(too_far)(s, distance)) return;
    w->arcs += end - begin;
    if (s->horizon_bin == MG_SSSP_NO_BIN) NAME(push_row)(s, w, from, distance, begin, end);
    else NAME(push_light)(s, w, from, distance, begin, end, NAME(light_limit)(s, distance));
}

static void NAME(push_piece)(mg_sssp_state *s, mg_sssp_worker *w, uint32_t row, uint64_t begin, uint64_t end) {
    NAME(push_arcs)(s, w, row, begin, end);
    NAME(follow)(s, w);
}

static inline void NAME(ask_for_rows)(const mg_sssp_state *s, const mg_sssp_chunk *chunk) {
    const mg_rows *rows = &s->plan->out;
    const NAME(label) *labels = s->labels;
    for (uint32_t i = 0; i < chunk->count; i++) {
        uint32_t v = chunk->vertices[i];
        __builtin_prefetch(&labels[v]);
        if (rows->offsets32) __builtin_prefetch(&rows->offsets32[v]);
        else __builtin_prefetch(&rows->offsets64[v]);
    }
    for (uint32_t i = 0; i < chunk->count; i++) {
        uint64_t arc = mg_row_offset(rows, chunk->vertices[i]);
        if (s->horizon_bin == MG_SSSP_NO_BIN) __builtin_prefetch(&rows->neighbors[arc]);
#if !UNIT
        const WEIGHT *weight = (const WEIGHT *)rows->weights + arc;
        __builtin_prefetch(weight);
        if (s->horizon_bin != MG_SSSP_NO_BIN) __builtin_prefetch((const char *)weight + 64);
#endif
    }
}

static inline bool NAME(is_late)(const mg_sssp_state *s, const mg_sssp_worker *w, uint32_t v) {
    return NAME(bin_of)(s, v) < w->bins.bin; /* it came nearer after it was put here, and had its turn */
}

/* Long rows are shared, or followed at once; what is light stays in the buffer. */
static void NAME(push_long)(mg_sssp_state *s, mg_sssp_worker *w, uint32_t v, uint64_t begin, uint64_t end) {
    if (end - begin > 2 * MG_SSSP_PIECE && s->threads > 1) mg_sssp_share_row(s, w, v, begin, end);
    else NAME(push_arcs)(s, w, v, begin, end);
}

static void NAME(push_chunk_light)(mg_sssp_state *s, mg_sssp_worker *w, const mg_sssp_chunk *chunk) {
    const mg_rows *rows = &s->plan->out;
    for (uint32_t i = 0; i < chunk->count; i++) {
        uint32_t v = chunk->vertices[i];
        if (NAME(is_late)(s, w, v)) continue;
        w->vertices++;
        NAME(push_long)(s, w, v, mg_row_offset(rows, v), mg_row_offset(rows, v + 1));
    }
    NAME(follow)(s, w);
}

/* The arcs of short rows are collected, and the labels they lead to are asked for, before the first is looked at. */
static void NAME(push_chunk)(mg_sssp_state *s, mg_sssp_worker *w, const mg_sssp_chunk *chunk) {
    const NAME(label) *labels = s->labels;
    const mg_rows *rows = &s->plan->out;
    const uint32_t *neighbors = rows->neighbors;
    const WEIGHT *weights = rows->weights;
    uint32_t count = 0;
    uint64_t arcs = 0;
    NAME(ask_for_rows)(s, chunk);
    if (s->horizon_bin != MG_SSSP_NO_BIN) {
        NAME(push_chunk_light)(s, w, chunk);
        return;
    }
    for (uint32_t i = 0; i < chunk->count; i++) {
        uint32_t v = chunk->vertices[i];
        if (NAME(is_late)(s, w, v)) continue;
        uint64_t begin = mg_row_offset(rows, v), end = mg_row_offset(rows, v + 1);
        DISTANCE distance = NAME(distance)(&labels[v]);
        w->vertices++;
        if (end - begin >= LONG_ROW) {
            NAME(push_long)(s, w, v, begin, end);
            continue;
        }
        if (NAME(too_far)(s, distance)) return;
        arcs += end - begin;
        for (uint64_t arc = begin; arc < end; arc++, count++) {
            uint32_t to = neighbors[arc];
            __builtin_prefetch(&labels[to], 1); /* likely to be written */
            w->buffer[count].to = to;
            w->buffer[count].from = v;
            w->buffer[count].distance.FIELD = distance + WEIGHT_AT(arc);
        }
    }
    w->arcs += arcs;
    NAME(pick)(s, w, count);
}

static uint64_t NAME(push_rows)(mg_sssp_state *s, mg_sssp_worker *w, uint64_t begin, uint64_t end, uint64_t first,
                                uint64_t last) {
    const mg_rows *rows = &s->plan->out;
    uint64_t before = w->arcs;
    for (uint32_t v = (uint32_t)begin; v < end; v++) {
        uint64_t bin = NAME(bin_of)(s, v);
        if (bin >= first && bin < last) NAME(push_arcs)(s, w, v, mg_row_offset(rows, v), mg_row_offset(rows, v + 1));
    }
    NAME(follow)(s, w);
    return w->arcs - before;
}

/* ---- pulling ---------------------------------------------------------------------------------------------------- */

/* Far and something is far. */
static inline DISTANCE NAME(plus)(DISTANCE distance, WEIGHT weight) {
#if REAL || NARROW
    return distance + weight; /* narrow ones have 64 bits here */
#else
    return distance == FAR ? FAR : distance + weight;
#endif
}

static inline bool NAME(waits)(const mg_sssp_state *s, uint32_t v, uint64_t first) {
    return v >= s->leaves || NAME(bin_of)(s, v) >= first;
}

static uint64_t NAME(pull_rows)(mg_sssp_state *s, uint64_t begin, uint64_t end, uint64_t first) {
    const mg_rows *rows = &s->plan->in;
    const WEIGHT *weights = rows->weights;
    NAME(label) *labels = s->labels;
    uint64_t arcs = 0, asked = mg_row_offset(rows, begin), last = mg_row_offset(rows, end);
    for (uint32_t v = (uint32_t)begin; v < end; v++) {
        if (!NAME(waits)(s, v, first)) continue;
        uint64_t from = mg_row_offset(rows, v), to = mg_row_offset(rows, v + 1);
        uint64_t ahead = MG_MIN(to + PULL_AHEAD, last);
        for (asked = MG_MAX(asked, from); asked < ahead; asked++) __builtin_prefetch(&labels[rows->neighbors[asked]]);
        DISTANCE known = NAME(distance)(&labels[v]), best = known;
        uint32_t parent = MG_NO_VERTEX;
        for (uint64_t arc = from; arc < to; arc++) {
            uint32_t u = rows->neighbors[arc];
            DISTANCE distance = NAME(plus)(NAME(distance)(&labels[u]), WEIGHT_AT(arc));
            bool nearer = distance < best; /* no branch: it could not be predicted */
            best = nearer ? distance : best;
            parent = nearer ? u : parent;
        }
        arcs += to - from;
        if (best < known) NAME(write)(&labels[v], best, parent);
    }
    return arcs;
}

static uint64_t NAME(count_arcs)(const mg_sssp_state *s, uint64_t begin, uint64_t end, uint64_t first) {
    const mg_rows *rows = &s->plan->in;
    uint64_t arcs = 0;
    for (uint32_t v = (uint32_t)begin; v < end; v++)
        if (NAME(waits)(s, v, first)) arcs += mg_row_offset(rows, v + 1) - mg_row_offset(rows, v);
    return arcs;
}

/* ---- the result ------------------------------------------------------------------------------------------------- */

static inline uint32_t NAME(parent)(const NAME(label) * label) {
#if NARROW
    return (uint32_t)*label;
#else
    return label->parent;
#endif
}

static inline bool NAME(counts)(const mg_sssp_plan *plan, DISTANCE distance) {
    return distance < FAR && distance <= plan->most.FIELD;
}

static mg_sssp_distance NAME(distance_of)(const mg_sssp_plan *plan, const void *labels, uint32_t v) {
    DISTANCE distance = NAME(distance)((const NAME(label) *)labels + v);
    return (mg_sssp_distance){.FIELD = NAME(counts)(plan, distance) ? distance : UNREACHED};
}

/* In blocks, so that labels and the numbers of parents come from memory side by side. */
static mg_sssp_found NAME(finish)(const mg_sssp_plan *plan, const void *from, uint64_t begin, uint64_t end, void *to,
                                  uint32_t *parents) {
    const NAME(label) *labels = from;
    const mg_numbering *numbering = &plan->numbering;
    DISTANCE *distances = to, farthest = 0;
    mg_sssp_found found = {0};
    uint32_t block[FINISH_BLOCK];
    for (uint64_t first = begin; first < end; first += FINISH_BLOCK) {
        uint32_t count = (uint32_t)MG_MIN(end - first, (uint64_t)FINISH_BLOCK);
        for (uint32_t i = 0; i < count; i++) {
            block[i] = mg_to_internal(numbering, (uint32_t)first + i);
            if (block[i] < plan->rows) __builtin_prefetch(&labels[block[i]]);
        }
        for (uint32_t i = 0; i < count; i++) {
            uint32_t v = block[i];
            DISTANCE distance = v < plan->rows ? NAME(distance)(&labels[v]) : FAR;
            bool reached = NAME(counts)(plan, distance);
            found.reached += reached;
            farthest = reached && distance > farthest ? distance : farthest;
            distances[first + i] = reached ? distance : UNREACHED;
            block[i] = reached ? NAME(parent)(&labels[v]) : MG_NO_VERTEX;
            if (reached && parents && numbering->to_user) __builtin_prefetch(&numbering->to_user[block[i]]);
        }
        for (uint32_t i = 0; i < count && parents; i++)
            parents[first + i] = block[i] == MG_NO_VERTEX ? MG_NO_VERTEX : mg_to_user(numbering, block[i]);
    }
    found.farthest.FIELD = farthest;
    return found;
}

static const mg_sssp_hot NAME(hot) = {
    .fill = NAME(fill),
    .set = NAME(set),
    .push_chunk = NAME(push_chunk),
    .push_piece = NAME(push_piece),
    .push_rows = NAME(push_rows),
    .pull_rows = NAME(pull_rows),
    .count_arcs = NAME(count_arcs),
    .bin_of = NAME(bin_of),
    .distance_of = NAME(distance_of),
    .finish = NAME(finish),
    .label_bytes = sizeof(NAME(label)),
};

#undef DISTANCE
#undef FIELD
#undef FAR
#undef UNREACHED
#undef WEIGHT_AT
#undef ROUNDED_UP
#undef NAME
#undef WEIGHT
#undef UNIT
#undef REAL
#undef NARROW
