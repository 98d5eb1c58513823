/* The forest of labels over all processes: joined along edges in rounds, as many as the logarithm of their number.
 *
 * In each round but the first every root has a priority, a random number that is a different one in every round. It
 * hooks itself below the neighbour with the smallest, if that is smaller than its own. As priorities fall along hooks
 * there are no circles; and as they are random, a root that has neighbours stays one with a chance of a half at most
 * (one over its neighbours and itself): the number of roots that have edges is halved in every round, on average.
 * Hooking by the labels themselves, as FastSV does (Zhang, Azad and Hu, 2020), has no such bound. Chains of hooks are
 * short for the same reason; they are shortened by pointer jumping (Shiloach and Vishkin, 1982) until all hang below
 * roots. Then edges are renamed by the roots of their ends, and those inside a component are gone.
 *
 * Each process keeps of its edges a spanning forest: fewer than it has different labels. */
#include "algo/components/components_cluster.h"

/* ---- labels and their keepers ----------------------------------------------------------------------------------- */

static int keeper_of(const void *user, const void *label) {
    const mg_components_labels *l = user;
    return (int)(*(const uint64_t *)label % (uint64_t)l->shards->cluster->size);
}

uint64_t mg_components_place(const mg_components_labels *l, uint64_t label) {
    uint64_t size = (uint64_t)l->shards->cluster->size, place = label / size;
    return label % size == (uint64_t)l->shards->cluster->rank && place < l->kept ? place : l->kept;
}

static uint64_t label_at(const mg_components_labels *l, uint64_t place) {
    return place * (uint64_t)l->shards->cluster->size + (uint64_t)l->shards->cluster->rank;
}

uint64_t mg_components_above(const mg_components_labels *l, uint64_t place) {
    return l->above[place] ? l->above[place] - 1 : label_at(l, place);
}

static bool parents_of(const void *user, void *answers, const void *labels, uint64_t count) {
    const mg_components_labels *l = user;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t place = mg_components_place(l, ((const uint64_t *)labels)[i]);
        if (place == l->kept) return false;
        ((uint64_t *)answers)[i] = mg_components_above(l, place);
    }
    return true;
}

mg_keepers mg_components_parents(const mg_components_labels *l) {
    return (mg_keepers){l->shards->cluster, 8, 8, keeper_of, parents_of, l, "components"};
}

meguri_status mg_components_labels_new(mg_components_labels *out, meguri_ctx *ctx, mg_shards *s) {
    uint64_t size = (uint64_t)s->cluster->size, rank = (uint64_t)s->cluster->rank;
    *out = (mg_components_labels){.shards = s};
    mg_steps_open(&out->steps, ctx, s->cluster, "components");
    out->kept = s->vertices > rank ? (s->vertices - rank - 1) / size + 1 : 0;
    out->above = mg_alloc_array_zero(ctx, out->kept, sizeof *out->above, "labels of components");
    return out->above ? MEGURI_OK : MEGURI_NO_MEMORY;
}

meguri_status mg_components_step(mg_components_labels *l, const char *phase, uint64_t frontier, uint64_t edges) {
    mg_meeting all = {.sums = {frontier, edges}};
    meguri_status status = mg_steps_meet(&l->steps, MEGURI_OK, &all);
    if (status == MEGURI_OK) mg_steps_end(&l->steps, phase, NULL, all.sums[0], all.sums[1]);
    mg_steps_begin(&l->steps);
    return status;
}

/* ---- the edges of a process ------------------------------------------------------------------------------------- */

meguri_status mg_components_edges_add(meguri_ctx *ctx, mg_components_edges *e, uint64_t a, uint64_t b) {
    if (e->count == e->capacity) {
        uint64_t capacity = MG_MAX(1024, e->capacity + e->capacity / 2);
        uint64_t *grown = mg_resize(ctx, e->ends, 2 * capacity * sizeof *grown, "edges between labels");
        if (!grown) return MEGURI_NO_MEMORY;
        e->ends = grown;
        e->capacity = capacity;
    }
    e->ends[2 * e->count] = a;
    e->ends[2 * e->count++ + 1] = b;
    return MEGURI_OK;
}

static uint32_t root_of(uint32_t *parent, uint32_t v) {
    while (parent[v] != v) v = parent[v] = parent[parent[v]];
    return v;
}

/* Of the edges, a spanning forest; their ends are then places in `labels`. */
static meguri_status thin(mg_distinct *labels, meguri_ctx *ctx, mg_components_edges *e) {
    meguri_status status = mg_distinct_new(labels, ctx, e->ends, 2 * e->count, "components");
    if (status != MEGURI_OK) return status;
    uint32_t *parent = mg_alloc_array(ctx, labels->count, sizeof *parent, "labels of components");
    if (!parent) return MEGURI_NO_MEMORY;
    for (uint64_t i = 0; i < labels->count; i++) parent[i] = (uint32_t)i;
    uint64_t kept = 0;
    for (uint64_t i = 0; i < e->count; i++) {
        uint32_t a = root_of(parent, labels->index[2 * i]), b = root_of(parent, labels->index[2 * i + 1]);
        if (a == b) continue;
        parent[MG_MAX(a, b)] = MG_MIN(a, b);
        e->ends[2 * kept] = labels->index[2 * i];
        e->ends[2 * kept++ + 1] = labels->index[2 * i + 1];
    }
    e->count = kept;
    mg_free(parent);
    mg_free(labels->index);
    labels->index = NULL;
    return MEGURI_OK;
}

/* ---- a round ---------------------------------------------------------------------------------------------------- */

/* Mixes 64 bits so that different labels have different priorities. In the first round the smaller label comes first:
 * that of a giant is, and most have an edge to it. */
static uint64_t priority(uint64_t label, uint64_t round) {
    if (!round) return label;
    uint64_t x = label + round * 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* Items are a label and the neighbour that it might hang itself below. */
typedef struct hook_reader {
    const mg_components_labels *labels;
    const mg_distinct *set;
    const uint64_t *best; /* by place in the set; the label itself: none */
    uint64_t place;
} hook_reader;

static uint64_t next_hook(void *user, void *items, uint32_t *to, uint64_t capacity) {
    hook_reader *r = user;
    uint64_t n = 0;
    for (; r->place < r->set->count && n < capacity; r->place++) {
        uint64_t label = r->set->items[r->place];
        if (r->best[r->place] == label) continue;
        ((uint64_t *)items)[2 * n] = label;
        ((uint64_t *)items)[2 * n + 1] = r->best[r->place];
        to[n++] = (uint32_t)keeper_of(r->labels, &label);
    }
    return n;
}

static void better(uint64_t *best, uint64_t label, uint64_t round) {
    if (priority(label, round) < priority(*best, round)) *best = label;
}

/* Every label hears of its best neighbour from all processes. *hooked (mg_alloc) are places of kept labels that now
 * hang below another. */
static meguri_status hook(uint32_t **hooked, uint64_t *count, meguri_ctx *ctx, mg_components_labels *l,
                          const mg_distinct *set, const mg_components_edges *e) {
    uint64_t *best = mg_alloc_array(ctx, set->count, sizeof *best, "labels of components");
    hook_reader reader = {l, set, best, 0};
    const mg_route_source source = {next_hook, &reader, 16};
    uint64_t arrived = 0;
    void *items = NULL;
    *hooked = NULL;
    *count = 0;
    if (best) {
        memcpy(best, set->items, set->count * sizeof *best);
        for (uint64_t i = 0; i < e->count; i++) {
            uint64_t a = e->ends[2 * i], b = e->ends[2 * i + 1];
            better(&best[a], set->items[b], l->rounds);
            better(&best[b], set->items[a], l->rounds);
        }
    }
    meguri_status status = mg_agree(ctx, l->shards->cluster, best ? MEGURI_OK : MEGURI_NO_MEMORY);
    if (status == MEGURI_OK) status = mg_route(&items, &arrived, ctx, l->shards->cluster, &source, "components");
    mg_free(best);
    if (status != MEGURI_OK) return status;
    *hooked = mg_alloc_array(ctx, MG_MIN(arrived, l->kept), sizeof **hooked, "labels of components");
    for (uint64_t i = 0; i < arrived && *hooked; i++) {
        const uint64_t *item = (const uint64_t *)items + 2 * i;
        uint64_t place = mg_components_place(l, item[0]);
        if (place == l->kept || item[1] >= l->shards->vertices) {
            status = mg_strange(ctx, l->shards->cluster, "a label that is not for this process");
            break;
        }
        uint64_t above = mg_components_above(l, place);
        if (above == item[0]) (*hooked)[(*count)++] = (uint32_t)place;
        better(&above, item[1], l->rounds);
        l->above[place] = above + 1;
    }
    mg_free(items);
    return mg_agree(ctx, l->shards->cluster, *hooked ? status : MEGURI_NO_MEMORY);
}

/* Those that may not hang below a root, places of kept labels, do so at the end. Each step halves their distance. */
static meguri_status jump(meguri_ctx *ctx, mg_components_labels *l, uint32_t *places, uint64_t count) {
    meguri_cluster *cluster = l->shards->cluster;
    const mg_keepers keepers = mg_components_parents(l);
    uint64_t *above = mg_alloc_array(ctx, count, sizeof *above, "labels of components");
    uint64_t left = 1, steps = 0;
    meguri_status status = mg_agree(ctx, cluster, above ? MEGURI_OK : MEGURI_NO_MEMORY);
    while (status == MEGURI_OK && left) {
        if (++steps > 64) { /* a chain of 2^48 would be through by now */
            status = mg_strange(ctx, cluster, "labels hang below each other in a circle");
            break;
        }
        mg_distinct set;
        for (uint64_t i = 0; i < count; i++) above[i] = mg_components_above(l, places[i]);
        status = mg_agree(ctx, cluster, mg_distinct_new(&set, ctx, above, count, "components"));
        if (status == MEGURI_OK) status = mg_ask(ctx, &keepers, set.items, set.items, set.count);
        uint64_t kept = 0;
        for (uint64_t i = 0; i < count && status == MEGURI_OK; i++) {
            uint64_t higher = set.items[set.index[i]];
            if (higher == above[i]) continue;
            l->above[places[i]] = higher + 1;
            places[kept++] = places[i];
        }
        mg_distinct_free(&set);
        left = count = kept;
        if (status == MEGURI_OK) status = mg_reduce_u64(ctx, cluster, &cluster->all, &left, 1, MG_SUM);
    }
    mg_free(above);
    return status;
}

/* Edges between places of the set become edges between the roots of these labels. */
static meguri_status rename_edges(meguri_ctx *ctx, mg_components_labels *l, mg_distinct *set, mg_components_edges *e) {
    const mg_keepers keepers = mg_components_parents(l);
    meguri_status status = mg_ask(ctx, &keepers, set->items, set->items, set->count);
    uint64_t kept = 0;
    for (uint64_t i = 0; i < e->count && status == MEGURI_OK; i++) {
        uint64_t a = set->items[e->ends[2 * i]], b = set->items[e->ends[2 * i + 1]];
        if (a == b) continue;
        e->ends[2 * kept] = a;
        e->ends[2 * kept++ + 1] = b;
    }
    e->count = kept;
    return status;
}

static meguri_status do_round(meguri_ctx *ctx, mg_components_labels *l, mg_components_edges *e) {
    mg_distinct set = {0};
    uint32_t *hooked = NULL;
    uint64_t count;
    meguri_status status = mg_agree(ctx, l->shards->cluster, thin(&set, ctx, e));
    uint64_t frontier = set.count, edges = e->count;
    if (status == MEGURI_OK) status = hook(&hooked, &count, ctx, l, &set, e);
    if (status == MEGURI_OK) status = jump(ctx, l, hooked, count);
    if (status == MEGURI_OK) status = rename_edges(ctx, l, &set, e);
    mg_free(hooked);
    mg_distinct_free(&set);
    l->rounds++;
    return status == MEGURI_OK ? mg_components_step(l, "round", frontier, edges) : status;
}

/* Labels that hang below a root of an earlier round, which hangs below another by now. */
static meguri_status flatten(meguri_ctx *ctx, mg_components_labels *l) {
    uint64_t count = 0;
    for (uint64_t i = 0; i < l->kept; i++) count += mg_components_above(l, i) != label_at(l, i);
    uint32_t *places = mg_alloc_array(ctx, count, sizeof *places, "labels of components");
    meguri_status status = mg_agree(ctx, l->shards->cluster, places ? MEGURI_OK : MEGURI_NO_MEMORY);
    count = 0;
    for (uint64_t i = 0; i < l->kept && status == MEGURI_OK; i++)
        if (mg_components_above(l, i) != label_at(l, i)) places[count++] = (uint32_t)i;
    if (status == MEGURI_OK) status = jump(ctx, l, places, count);
    mg_free(places);
    return status;
}

meguri_status mg_components_join(meguri_ctx *ctx, mg_components_labels *l, mg_components_edges *e) {
    meguri_cluster *cluster = l->shards->cluster;
    for (;;) {
        uint64_t left = e->count;
        meguri_status status = mg_reduce_u64(ctx, cluster, &cluster->all, &left, 1, MG_SUM);
        if (status == MEGURI_OK && !left) break;
        if (status == MEGURI_OK) status = do_round(ctx, l, e);
        if (status != MEGURI_OK) return status;
    }
    return l->rounds > 1 ? flatten(ctx, l) : MEGURI_OK;
}
