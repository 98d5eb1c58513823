/* Shortest paths of a graph in parts: rounds of the host.
 *
 * Paper P5 leaves it undone to do small rounds on the CPU: a launch, and bits that go there and back, cost more than
 * they do. What a search knows (distances, parents, a bit for each vertex) is on one side at a time, and moves when
 * rounds on the other one would have saved as much (mg_policy_round): searches begin here, and many end here, where the
 * answer has to come anyway. With several devices it always is here, and rounds are theirs by what they are expected to
 * take.
 *
 * One thread does these rounds: what would keep two busy is the device's. */
#include "algo/sssp/sssp_device.h"

/* ---- what it needs ---------------------------------------------------------------------------------------------- */

meguri_status mg_sssp_here_open(meguri_ctx *ctx, mg_sssp_device *s) {
    mg_sssp_here *h = &s->here;
    const uint64_t words = MG_MAX(mg_bitmap_words(s->rows), 1u);
    static const char what[] = "the vertices that a search goes on from";
    uint64_t **bitmaps[] = {&h->bits, &h->next, &h->seen, &h->marks};
    for (size_t i = 0; i < sizeof bitmaps / sizeof *bitmaps; i++) {
        *bitmaps[i] = mg_alloc_array_zero(ctx, words, sizeof(uint64_t), what);
        if (!*bitmaps[i]) return MEGURI_NO_MEMORY;
    }
    h->open = mg_alloc_array(ctx, s->strategy->settles ? 2 * (uint64_t)s->rows : 1, sizeof *h->open, what);
    h->paces[0] = h->paces[1] = 1e-9;
    return h->open ? MEGURI_OK : MEGURI_NO_MEMORY;
}

void mg_sssp_here_close(mg_sssp_device *s) {
    mg_sssp_here *h = &s->here;
    void *owned[] = {h->bits, h->next, h->seen, h->marks, h->open, h->lightest};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) mg_free(owned[i]);
    s->here = (mg_sssp_here){0};
}

static inline uint64_t get(const mg_sssp_device *s, const void *words, uint64_t v) {
    if (s->wide) return ((const uint64_t *)words)[v];
    const uint32_t word = ((const uint32_t *)words)[v];
    return word == UINT32_MAX ? UINT64_MAX : word;
}

static inline void put(mg_sssp_device *s, uint64_t v, uint64_t word) {
    if (s->wide) ((uint64_t *)s->lower_here)[v] = word;
    else ((uint32_t *)s->lower_here)[v] = (uint32_t)word;
}

static inline uint64_t plus(const mg_sssp_device *s, uint64_t distance, uint64_t word) {
    if (!s->plan.real) return distance + word;
    mg_sssp_distance a = {.number = distance}, b = {.number = word};
    return (mg_sssp_distance){.real = a.real + b.real}.number;
}

static inline uint64_t weight_of(const mg_sssp_device *s, uint64_t arc) {
    const double weight = mg_weight_at(s->plan.out.weights, s->weights, arc);
    return s->plan.real ? (mg_sssp_distance){.real = weight}.number : (uint64_t)weight;
}

static inline bool is_set(const uint64_t *bits, uint64_t v) { return bits[v / 64] >> v % 64 & 1; }

/* Whether it was not set. */
static inline bool set(uint64_t *bits, uint64_t v) {
    const uint64_t bit = (uint64_t)1 << v % 64;
    const bool was = bits[v / 64] & bit;
    bits[v / 64] |= bit;
    return !was;
}

/* ---- from side to side ------------------------------------------------------------------------------------------ */

static uint64_t state_bytes(const mg_sssp_device *s) {
    return (uint64_t)s->rows * ((s->wide ? 8 : 4) + (s->parents_wanted ? 4 : 0)) +
           2 * mg_bitmap_words(s->rows) * sizeof(uint64_t);
}

void mg_sssp_here_find_open(mg_sssp_device *s) {
    mg_sssp_here *h = &s->here;
    h->open_count = 0;
    for (uint32_t v = 0; v < s->rows; v++)
        if (!is_set(h->marks, v) && get(s, s->lower_here, v) != UINT64_MAX) h->open[h->open_count++] = v;
}

meguri_status mg_sssp_bring(meguri_ctx *ctx, mg_sssp_device *s) {
    mg_sssp_here *h = &s->here;
    if (h->here) return MEGURI_OK;
    meguri_status status = mg_buffer_read(ctx, &s->lower, 0, s->lower_here, (uint64_t)s->rows * (s->wide ? 8 : 4));
    if (status == MEGURI_OK && s->parents_wanted)
        status = mg_buffer_read(ctx, &s->parents, 0, s->parents_here, (uint64_t)s->rows * sizeof *s->parents_here);
    if (status == MEGURI_OK)
        status = mg_buffer_read(ctx, &s->marks, 0, h->marks, mg_bitmap_words(s->rows) * sizeof *h->marks);
    if (status != MEGURI_OK) return status;
    if (s->strategy->settles && s->devices) mg_sssp_here_find_open(s);
    h->here = true;
    return MEGURI_OK;
}

static meguri_status send(meguri_ctx *ctx, mg_sssp_device *s) {
    mg_sssp_here *h = &s->here;
    const uint64_t bytes = mg_bitmap_words(s->rows) * sizeof(uint64_t);
    if (!h->here) return MEGURI_OK;
    meguri_status status = mg_buffer_write(ctx, &s->lower, 0, s->lower_here, (uint64_t)s->rows * (s->wide ? 8 : 4));
    if (status == MEGURI_OK && s->parents_wanted)
        status = mg_buffer_write(ctx, &s->parents, 0, s->parents_here, (uint64_t)s->rows * sizeof *s->parents_here);
    if (status == MEGURI_OK) status = mg_buffer_write(ctx, &s->marks, 0, h->marks, bytes);
    if (status == MEGURI_OK) status = mg_buffer_write(ctx, &s->bits, 0, h->bits, bytes);
    h->here = status != MEGURI_OK;
    return status;
}

meguri_status mg_sssp_look(uint64_t *word, meguri_ctx *ctx, const mg_sssp_device *s, uint64_t vertex) {
    const size_t bytes = s->wide ? 8 : 4;
    meguri_status status = MEGURI_OK;
    *word = 0;
    if (s->in_parts && s->here.here) memcpy(word, (const char *)s->lower_here + vertex * bytes, bytes);
    else status = mg_buffer_read(ctx, &s->lower, vertex * bytes, word, bytes);
    if (!s->wide && *word == UINT32_MAX) *word = UINT64_MAX;
    return status;
}

/* ---- who does a round ------------------------------------------------------------------------------------------- */

static double cost_of(const mg_sssp_device *s, bool host, uint64_t edges) {
    const uint64_t looked = s->strategy->settles ? s->here.open_count : mg_bitmap_words(s->rows);
    return host ? mg_policy_round_host(edges, looked) : mg_policy_round_device(edges, s->rows);
}

meguri_status mg_sssp_choose(meguri_ctx *ctx, mg_sssp_device *s, uint64_t vertices) {
    mg_sssp_here *h = &s->here;
    if (!s->in_parts || s->base.options.split_device) {
        h->round = false;
        return MEGURI_OK;
    }
    const uint64_t arcs = (uint64_t)((double)vertices * (double)s->plan.out.arcs / (double)MG_MAX(s->rows, 1u));
    mg_round_facts facts = {.here = h->round,
                            .host = h->paces[1] * cost_of(s, true, arcs),
                            .device = h->paces[0] * cost_of(s, false, arcs),
                            .move = mg_policy_round_move(state_bytes(s)),
                            .lost = h->lost};
    if (s->devices > 1) { /* all of it goes there and back in every round of theirs */
        facts.device += 2 * s->devices * facts.move;
        facts.move = 0;
    }
    const mg_round_choice choice = mg_policy_round(&facts);
    h->round = choice.here;
    h->lost = choice.lost;
    if (s->devices > 1) return MEGURI_OK;
    return h->round ? mg_sssp_bring(ctx, s) : send(ctx, s);
}

/* ---- along rows ------------------------------------------------------------------------------------------------- */

static void add_edges(uint32_t *words, uint64_t edges) {
    edges += mg_sssp_long(&words[MG_SSSP_EDGES]);
    words[MG_SSSP_EDGES] = (uint32_t)edges;
    words[MG_SSSP_EDGES_HIGH] = (uint32_t)(edges >> 32);
}

/* Of a vertex that has settled, or is near: the invariants of parents are those of sssp.cl. */
static void relax_row(uint32_t *words, mg_sssp_device *s, uint32_t u, bool settle) {
    mg_sssp_here *h = &s->here;
    const mg_rows *out = &s->plan.out;
    const uint64_t from = get(s, s->lower_here, u), begin = mg_row_offset(out, u), end = mg_row_offset(out, u + 1);
    if (from > mg_sssp_device_most(s)) words[MG_SSSP_TOO_FAR] = 1;
    for (uint64_t arc = begin; arc < end; arc++) {
        const uint32_t v = out->neighbors[arc];
        const uint64_t distance = plus(s, from, weight_of(s, arc)), old = get(s, s->lower_here, v);
        if (old <= distance) continue;
        put(s, v, distance);
        const bool tied = distance == from && !settle;
        if (s->parents_wanted) s->parents_here[v] = tied ? MG_NO_VERTEX : u;
        s->tied = s->tied || tied;
        if (settle && old == UINT64_MAX) h->open[h->open_count++] = v;
        if (settle) continue;
        if (distance < s->near.limit) set(h->next, v);
        else words[MG_SSSP_FAR_ENTRIES] += set(h->marks, v);
    }
    add_edges(words, end - begin);
}

/* ---- settle ----------------------------------------------------------------------------------------------------- */

void mg_sssp_here_settle(uint32_t words[MG_SSSP_COUNTERS], mg_sssp_device *s) {
    mg_sssp_here *h = &s->here;
    uint64_t delta = UINT64_MAX;
    uint32_t left = 0, count = 0, *settling = h->open + s->rows;
    for (uint32_t i = 0; i < h->open_count; i++) {
        const uint64_t lightest = get(s, h->lightest, h->open[i]);
        if (lightest != UINT64_MAX) delta = MG_MIN(delta, plus(s, get(s, s->lower_here, h->open[i]), lightest));
    }
    memset(h->bits, 0, mg_bitmap_words(s->rows) * sizeof *h->bits);
    for (uint32_t i = 0; i < h->open_count; i++) {
        const uint32_t v = h->open[i];
        if (get(s, s->lower_here, v) > delta) {
            h->open[left++] = v;
            continue;
        }
        settling[count++] = v;
        set(h->marks, v);
        set(h->bits, v);
    }
    h->open_count = left;
    words[MG_SSSP_CHANGED] = count;
}

void mg_sssp_here_relax_settled(uint32_t words[MG_SSSP_COUNTERS], mg_sssp_device *s, uint32_t count) {
    const uint32_t *settling = s->here.open + s->rows;
    for (uint32_t i = 0; i < count; i++) relax_row(words, s, settling[i], true);
    s->here.edges += mg_sssp_long(&words[MG_SSSP_EDGES]);
}

/* ---- near and far ----------------------------------------------------------------------------------------------- */

void mg_sssp_here_count(uint32_t words[MG_SSSP_COUNTERS], mg_sssp_device *s) {
    mg_sssp_here *h = &s->here;
    const uint64_t count = mg_bitmap_words(s->rows);
    if (s->near.phase == s->near.first) memset(h->seen, 0, count * sizeof *h->seen);
    words[MG_SSSP_CHANGED] = s->entries;
    for (uint64_t w = 0; w < count; w++) {
        words[MG_SSSP_AGAIN] += (uint32_t)__builtin_popcountll(h->bits[w] & h->seen[w]);
        h->seen[w] |= h->bits[w];
    }
}

/* What was found near is next. */
static void count_near(uint32_t *words, mg_sssp_device *s) {
    words[MG_SSSP_ENTRIES] = 0;
    for (uint64_t w = 0; w < mg_bitmap_words(s->rows); w++)
        words[MG_SSSP_ENTRIES] += (uint32_t)__builtin_popcountll(s->here.bits[w]);
}

static meguri_status relax(uint32_t *words, meguri_ctx *ctx, mg_sssp_device *s) {
    mg_sssp_here *h = &s->here;
    const uint64_t count = mg_bitmap_words(s->rows);
    (void)ctx;
    memset(words, 0, MG_SSSP_COUNTERS * sizeof *words);
    mg_sssp_here_count(words, s);
    memset(h->next, 0, count * sizeof *h->next);
    for (uint64_t w = 0; w < count; w++)
        for (uint64_t rest = h->bits[w]; rest; rest &= rest - 1) {
            h->next[w] &= ~(rest & -rest); /* it goes on from its distance as it is now */
            relax_row(words, s, (uint32_t)(64 * w + (uint64_t)__builtin_ctzll(rest)), false);
        }
    uint64_t *bits = h->bits;
    h->bits = h->next;
    h->next = bits;
    count_near(words, s);
    h->edges += mg_sssp_long(&words[MG_SSSP_EDGES]);
    return MEGURI_OK;
}

static meguri_status split(uint32_t *words, meguri_ctx *ctx, mg_sssp_device *s, uint64_t old) {
    mg_sssp_here *h = &s->here;
    uint64_t least = UINT64_MAX;
    (void)ctx;
    memset(words, 0, MG_SSSP_COUNTERS * sizeof *words);
    for (uint64_t w = 0; w < mg_bitmap_words(s->rows); w++) {
        uint64_t stay = 0;
        for (uint64_t rest = h->marks[w]; rest; rest &= rest - 1) {
            const uint64_t bit = rest & -rest,
                           distance = get(s, s->lower_here, 64 * w + (uint64_t)__builtin_ctzll(rest));
            if (distance >= s->near.limit) {
                stay |= bit;
                least = MG_MIN(least, distance);
            } else if (distance >= old) h->bits[w] |= bit;
        }
        h->marks[w] = stay;
        words[MG_SSSP_FAR_ENTRIES] += (uint32_t)__builtin_popcountll(stay);
    }
    words[MG_SSSP_LEAST] = (uint32_t)least;
    words[MG_SSSP_LEAST_HIGH] = (uint32_t)(least >> 32);
    count_near(words, s);
    return MEGURI_OK;
}

static meguri_status cut(uint32_t *words, meguri_ctx *ctx, mg_sssp_device *s) {
    mg_sssp_here *h = &s->here;
    (void)ctx;
    memset(words, 0, MG_SSSP_COUNTERS * sizeof *words);
    for (uint64_t w = 0; w < mg_bitmap_words(s->rows); w++)
        for (uint64_t rest = h->bits[w]; rest; rest &= rest - 1) {
            const uint64_t v = 64 * w + (uint64_t)__builtin_ctzll(rest);
            if (get(s, s->lower_here, v) < s->near.limit) continue;
            h->bits[w] &= ~(rest & -rest);
            words[MG_SSSP_FAR_ENTRIES] += set(h->marks, v);
        }
    count_near(words, s);
    return MEGURI_OK;
}

const mg_sssp_near_moves mg_sssp_near_here = {.relax = relax, .split = split, .cut = cut};

static meguri_status relax_several(uint32_t *words, meguri_ctx *ctx, mg_sssp_device *s) {
    memset(words, 0, MG_SSSP_COUNTERS * sizeof *words);
    mg_sssp_here_count(words, s);
    meguri_status status = mg_sssp_several(words, ctx, s);
    count_near(words, s);
    return status;
}

const mg_sssp_near_moves mg_sssp_near_several = {.relax = relax_several, .split = split, .cut = cut};

/* ---- the end ---------------------------------------------------------------------------------------------------- */

/* Whoever has a parent becomes that of neighbours at the same distance that have none; those that were passed already
 * go on at once. */
static void tie_row(mg_sssp_device *s, uint32_t u, uint32_t passed, uint32_t *stack, uint32_t *count) {
    const mg_rows *out = &s->plan.out;
    const uint64_t from = get(s, s->lower_here, u);
    for (uint64_t arc = mg_row_offset(out, u); arc < mg_row_offset(out, u + 1); arc++) {
        const uint32_t v = out->neighbors[arc];
        if (s->parents_here[v] != MG_NO_VERTEX || get(s, s->lower_here, v) != from) continue;
        if (plus(s, from, weight_of(s, arc)) != from) continue;
        s->parents_here[v] = u;
        if (v <= passed) stack[(*count)++] = v;
    }
}

meguri_status mg_sssp_here_tie(meguri_ctx *ctx, mg_sssp_device *s) {
    uint32_t count = 0, *stack = mg_alloc_array(ctx, s->rows, sizeof *stack, "the parents of a search");
    meguri_status status = stack ? MEGURI_OK : MEGURI_NO_MEMORY;
    for (uint32_t v = 0; v < s->rows && status == MEGURI_OK; v++) {
        if (v % (1 << 16) == 0 && mg_progress(ctx, "sssp", v, s->rows)) status = mg_fail_cancelled(ctx);
        if (s->parents_here[v] != MG_NO_VERTEX) tie_row(s, v, v, stack, &count);
        while (count) tie_row(s, stack[--count], v, stack, &count);
    }
    mg_free(stack);
    return status;
}
