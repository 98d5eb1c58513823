#define _GNU_SOURCE
#include "algo_sssp/routing.h"
#include "support/checks.h"

#include <math.h>
#include <meguri.h>

static void *room_for(uint64_t count, size_t size) {
    void *room = calloc(count + 1, size);
    if (!room) abort();
    return room;
}

/* ---- weights ---------------------------------------------------------------------------------------------------- */

static double weight_of(weighing kind, uint64_t r) {
    switch (kind) {
    case WEIGH_NONE:
    case WEIGHINGS:
    case WEIGH_ONES: return 1;
    case WEIGH_ZERO: return 0;
    case WEIGH_FEW: return (double)(r % 4);
    case WEIGH_BYTES: return (double)(r % 256);
    case WEIGH_SHORTS: return (double)(r % 65536);
    case WEIGH_WORDS: return (double)(UINT32_MAX - r % 1000000);
    case WEIGH_WIDE: return (double)((uint32_t)(r >> 32) >> r % 32);
    case WEIGH_QUARTERS: return (double)(r % 64) / 4;
    case WEIGH_FRACTION: return (double)(float)((double)(r >> 40) * 0x1p-24);
    case WEIGH_TENTHS: return (double)(r % 1000) / 10;
    case WEIGH_SPREAD: return ldexp(1 + (double)(r >> 32) * 0x1p-32, (int)(r % 120) - 60);
    case WEIGH_DENORMAL: return (double)(r % 1000) * 0x1p-1074;
    case WEIGH_HUGE: return r % 3 ? (double)(r % 1000) * 0x1p930 : 0x1p960;
    }
    return 1;
}

void weigh(zoo_graph *g, weighing kind, uint64_t seed) {
    free(g->weights);
    g->weights = NULL;
    if (kind == WEIGH_NONE) return;
    g->weights = room_for(g->count, sizeof *g->weights);
    for (uint64_t i = 0; i < g->count; i++) g->weights[i] = weight_of(kind, zoo_random(&seed));
}

/* ---- graphs ----------------------------------------------------------------------------------------------------- */

roads roads_from_zoo(meguri_ctx *ctx, const zoo_graph *g, const meguri_build_options *options) {
    roads r = {.subject = {.name = g->name, .order = options->order}};
    oracle o = oracle_build(g, options);
    r.subject.plain = plain_from_oracle(&o);
    r.weight = room_for(o.arc_count, sizeof *r.weight);
    for (uint64_t i = 0; i < o.arc_count; i++) r.weight[i] = o.arcs[i].weight;
    r.known = room_for(1, sizeof *r.known);
    oracle_free(&o);
    if (zoo_build(&r.subject.graph, ctx, g, options) != MEGURI_OK) fail_msg("%s: %s", g->name, meguri_ctx_error(ctx));
    meguri_graph_info info = {.size = sizeof info};
    assert_int_equal(meguri_graph_get_info(&info, ctx, r.subject.graph), MEGURI_OK);
    r.real = info.weight_type == MEGURI_TYPE_F32 || info.weight_type == MEGURI_TYPE_F64;
    return r;
}

void roads_free(roads *r) {
    subject_free(&r->subject);
    free(r->weight);
    route_free(&r->known->answer);
    free(r->known);
    *r = (roads){0};
}

/* ---- the textbook search ---------------------------------------------------------------------------------------- */

/* Integers below 2^63 and doubles that are not negative: their bits are in the order of the numbers. */
typedef uint64_t key;

static key key_of_sum(const roads *r, key distance, double weight) {
    if (!r->real) return distance + (uint64_t)weight;
    double sum;
    memcpy(&sum, &distance, sizeof sum);
    sum += weight;
    memcpy(&distance, &sum, sizeof distance);
    return distance;
}

static key far_of(const roads *r) {
    key far = UINT64_MAX;
    double infinite = INFINITY;
    if (r->real) memcpy(&far, &infinite, sizeof far);
    return far;
}

typedef struct entry {
    key key;
    uint32_t vertex;
} entry;

static void push(entry *heap, uint64_t *count, entry new) {
    uint64_t at = (*count)++;
    for (; at && new.key < heap[(at - 1) / 2].key; at = (at - 1) / 2) heap[at] = heap[(at - 1) / 2];
    heap[at] = new;
}

static entry pop(entry *heap, uint64_t *count) {
    entry first = heap[0], last = heap[--*count];
    uint64_t at = 0;
    for (uint64_t child; (child = 2 * at + 1) < *count; at = child) {
        if (child + 1 < *count && heap[child + 1].key < heap[child].key) child++;
        if (last.key <= heap[child].key) break;
        heap[at] = heap[child];
    }
    heap[at] = last;
    return first;
}

route plain_route(const roads *r, uint64_t source) {
    const plain *p = &r->subject.plain;
    key *distance = room_for(p->vertices, sizeof *distance);
    entry *heap = room_for(p->arcs + 1, sizeof *heap);
    bool *settled = room_for(p->vertices, sizeof *settled);
    route a = {.distance = distance, .parent = room_for(p->vertices, sizeof *a.parent)};
    uint64_t count = 0;
    for (uint64_t v = 0; v < p->vertices; v++) {
        distance[v] = far_of(r);
        a.parent[v] = UINT32_MAX;
    }
    distance[source] = 0;
    a.parent[source] = (uint32_t)source;
    push(heap, &count, (entry){0, (uint32_t)source});
    while (count) {
        uint32_t u = pop(heap, &count).vertex;
        if (settled[u]) continue;
        settled[u] = true;
        a.reached++;
        if (r->real) memcpy(&a.farthest, &distance[u], sizeof a.farthest);
        else a.farthest = (double)distance[u];
        for (uint64_t i = p->offsets[u]; i < p->offsets[u + 1]; i++) {
            key sum = key_of_sum(r, distance[u], r->weight[i]);
            if (sum >= distance[p->to[i]]) continue;
            distance[p->to[i]] = sum;
            a.parent[p->to[i]] = u;
            push(heap, &count, (entry){sum, p->to[i]});
        }
    }
    free(heap);
    free(settled);
    return a;
}

void route_free(route *a) {
    free(a->distance);
    free(a->parent);
    *a = (route){0};
}

bool route_reached(const roads *r, const route *a, uint64_t v) { return ((const key *)a->distance)[v] != far_of(r); }

bool same_distances(const roads *r, const void *a, const void *b) {
    for (uint64_t v = 0; v < r->subject.plain.vertices; v++)
        if (r->real ? ((const double *)a)[v] != ((const double *)b)[v]
                    : ((const uint64_t *)a)[v] != ((const uint64_t *)b)[v])
            return false;
    return true;
}

/* Follows parents with a mark on everybody who was seen to end at the source. */
static bool parents_end(uint64_t vertices, uint64_t source, const uint32_t *parent) {
    char *mark = room_for(vertices, 1); /* 1: on the way now, 2: ends at the source */
    bool good = true;
    mark[source] = 2;
    for (uint64_t v = 0; v < vertices && good; v++) {
        if (parent[v] == UINT32_MAX) continue;
        uint64_t u = v;
        for (; !mark[u]; u = parent[u]) mark[u] = 1;
        good = mark[u] == 2;
        for (u = v; mark[u] == 1; u = parent[u]) mark[u] = 2;
    }
    free(mark);
    return good;
}

const char *route_fault(const roads *r, uint64_t source, const void *distance, const uint32_t *parent) {
    const plain *p = &r->subject.plain;
    const key *keys = distance;
    if (parent[source] != source) return "the source is not its own parent";
    for (uint64_t v = 0; v < p->vertices; v++) {
        if (v == source) continue;
        if ((keys[v] == far_of(r)) != (parent[v] == UINT32_MAX)) return "parent or distance without the other";
        if (parent[v] == UINT32_MAX) continue;
        if (parent[v] >= p->vertices || parent[v] == v || keys[parent[v]] == far_of(r)) return "a parent is none";
    }
    bool *joined = room_for(p->vertices, sizeof *joined);
    for (uint64_t u = 0; u < p->vertices; u++)
        for (uint64_t i = p->offsets[u]; i < p->offsets[u + 1]; i++)
            if (parent[p->to[i]] == u && key_of_sum(r, keys[u], r->weight[i]) == keys[p->to[i]])
                joined[p->to[i]] = true;
    const char *wrong = NULL;
    for (uint64_t v = 0; v < p->vertices && !wrong; v++)
        if (v != source && parent[v] != UINT32_MAX && !joined[v]) wrong = "no edge from a parent adds up";
    free(joined);
    if (!wrong && !parents_end(p->vertices, source, parent)) wrong = "parents lead in a circle";
    return wrong;
}

/* ---- comparing -------------------------------------------------------------------------------------------------- */

static const void *items_of(const meguri_result *result, const char *name, meguri_type type, uint64_t count) {
    meguri_column column = {.size = sizeof column};
    if (meguri_result_column(&column, result, name) != MEGURI_OK) fail_msg("no column %s", name);
    assert_int_equal(column.type, type);
    assert_int_equal(column.count, count);
    assert_int_equal(column.stride, type == MEGURI_TYPE_VERTEX ? 4 : 8);
    return column.data;
}

static double number_of(const meguri_result *result, const char *name, bool real) {
    meguri_fact fact = {.size = sizeof fact};
    if (meguri_result_fact(&fact, result, name) != MEGURI_OK) fail_msg("no fact %s", name);
    if ((fact.type == MEGURI_TYPE_F64) != real) fail_msg("%s is of the other kind", name);
    return fact.real;
}

static const char *result_fault(meguri_ctx *ctx, const roads *r, uint64_t source, const meguri_sssp_options *options,
                                const meguri_result *result, const route *right) {
    uint64_t n = r->subject.plain.vertices;
    const void *distance = items_of(result, "distance", r->real ? MEGURI_TYPE_F64 : MEGURI_TYPE_U64, n);
    const uint32_t *parent = NULL;
    if (options->parents) parent = items_of(result, "parent", MEGURI_TYPE_VERTEX, n);
    if (number_of(result, "reached", false) != (double)right->reached) return "the number of reached ones differs";
    if (number_of(result, "farthest", r->real) != right->farthest) return "the largest distance differs";
    number_of(result, "edges", false);
    bool buckets = !options->strategy || options->strategy == MEGURI_SSSP_NEAR_FAR;
    if (buckets && !(number_of(result, "delta", true) > 0)) return "there is no width";
    if (!(number_of(result, "seconds", true) >= 0)) return "there are no seconds";
    if (!same_distances(r, distance, right->distance)) return "a distance differs";
    const char *wrong = parent ? route_fault(r, source, right->distance, parent) : NULL;
    if (wrong) return wrong;
    if (mg_sssp_check(ctx, r->subject.graph, source, distance, parent) != MEGURI_OK) return meguri_ctx_error(ctx);
    return NULL;
}

void check_route(meguri_ctx *ctx, const roads *r, uint64_t source, const meguri_sssp_options *options,
                 const meguri_result *result) {
    static const meguri_sssp_options none = {.size = sizeof none, .parents = 1, .max_cost = (double)INFINITY};
    known *right = r->known;
    if (!right->there || right->source != source) {
        route_free(&right->answer);
        *right = (known){true, source, plain_route(r, source)};
    }
    const char *wrong = result_fault(ctx, r, source, options ? options : &none, result, &right->answer);
    if (wrong)
        fail_msg("%s, order %d, source %d, delta %g, threads %u: %s", r->subject.name, r->subject.order, (int)source,
                 options ? options->delta : 0, meguri_ctx_threads(ctx), wrong);
}

void check_sssp(meguri_ctx *ctx, const roads *r, uint64_t source, const meguri_sssp_options *options) {
    meguri_result *result;
    if (meguri_sssp(&result, ctx, r->subject.graph, source, options) != MEGURI_OK)
        fail_msg("%s, source %d: %s", r->subject.name, (int)source, meguri_ctx_error(ctx));
    check_route(ctx, r, source, options, result);
    meguri_result_free(result);
}
