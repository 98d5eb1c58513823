#define _GNU_SOURCE
#include "algo_bfs/searching.h"
#include "support/checks.h"

#include <meguri.h>
#include <string.h>

static void *room_for(uint64_t count, size_t size) {
    void *room = calloc(count + 1, size);
    if (!room) abort();
    return room;
}

/* ---- plain graphs and the textbook search ----------------------------------------------------------------------- */

plain plain_from_oracle(const oracle *o) {
    plain p = {.vertices = o->vertices, .arcs = o->arc_count};
    p.offsets = room_for(o->vertices + 1, sizeof *p.offsets);
    p.to = room_for(o->arc_count, sizeof *p.to);
    for (uint64_t i = 0; i < o->arc_count; i++) {
        p.offsets[o->arcs[i].row + 1]++;
        p.to[i] = (uint32_t)o->arcs[i].column; /* arcs are sorted by row */
    }
    for (uint64_t v = 0; v < p.vertices; v++) p.offsets[v + 1] += p.offsets[v];
    return p;
}

plain plain_from_edges(const zoo_graph *g, bool directed) {
    plain p = {.vertices = g->vertices, .arcs = directed ? g->count : 2 * g->count};
    p.offsets = room_for(g->vertices + 2, sizeof *p.offsets);
    p.to = room_for(p.arcs, sizeof *p.to);
    uint64_t *place = p.offsets + 1; /* first counts, then where the next arc of a row goes */
    for (uint64_t i = 0; i < g->count; i++) {
        place[g->pairs[2 * i] + 1]++;
        if (!directed) place[g->pairs[2 * i + 1] + 1]++;
    }
    for (uint64_t v = 0; v < p.vertices; v++) place[v + 1] += place[v];
    for (uint64_t i = 0; i < g->count; i++) {
        uint64_t from = g->pairs[2 * i], to = g->pairs[2 * i + 1];
        p.to[place[from]++] = (uint32_t)to;
        if (!directed) p.to[place[to]++] = (uint32_t)from;
    }
    return p;
}

void plain_free(plain *p) {
    free(p->offsets);
    free(p->to);
    *p = (plain){0};
}

answer plain_search(const plain *p, uint64_t source, uint32_t levels) {
    answer a = {.level = room_for(p->vertices, sizeof *a.level), .parent = room_for(p->vertices, sizeof *a.parent)};
    uint32_t *queue = room_for(p->vertices, sizeof *queue);
    for (uint64_t v = 0; v < p->vertices; v++) {
        a.level[v] = -1;
        a.parent[v] = UINT32_MAX;
    }
    a.level[source] = 0;
    a.parent[source] = (uint32_t)source;
    queue[a.reached++] = (uint32_t)source;
    for (uint64_t next = 0; next < a.reached; next++) {
        uint32_t u = queue[next];
        a.depth = a.level[u];
        if (levels && (uint32_t)a.level[u] + 1 >= levels) continue;
        for (uint64_t i = p->offsets[u]; i < p->offsets[u + 1]; i++) {
            uint32_t v = p->to[i];
            if (a.level[v] >= 0) continue;
            a.level[v] = a.level[u] + 1;
            a.parent[v] = u;
            queue[a.reached++] = v;
        }
    }
    free(queue);
    return a;
}

void answer_free(answer *a) {
    free(a->level);
    free(a->parent);
    *a = (answer){0};
}

const char *tree_fault(const plain *p, uint64_t source, const int32_t *level, const uint32_t *parent) {
    bool *joined = room_for(p->vertices, sizeof *joined);
    const char *wrong = parent[source] == source ? NULL : "the source is not its own parent";
    for (uint64_t u = 0; u < p->vertices; u++)
        for (uint64_t i = p->offsets[u]; i < p->offsets[u + 1]; i++) joined[p->to[i]] |= parent[p->to[i]] == u;
    for (uint64_t v = 0; v < p->vertices && !wrong; v++) {
        if (v == source) continue;
        if (level[v] < 0) wrong = parent[v] == UINT32_MAX ? NULL : "an unreached vertex has a parent";
        else if (parent[v] >= p->vertices) wrong = "a reached vertex has no parent";
        else if (level[parent[v]] + 1 != level[v]) wrong = "a parent is not one level nearer";
        else if (!joined[v]) wrong = "a parent is not joined to its child";
    }
    free(joined);
    return wrong;
}

uint32_t plain_isolated(const plain *p) {
    bool *entered = room_for(p->vertices, sizeof *entered);
    uint32_t found = UINT32_MAX;
    for (uint64_t i = 0; i < p->arcs; i++) entered[p->to[i]] = true;
    for (uint64_t v = 0; v < p->vertices && found == UINT32_MAX; v++)
        if (!entered[v] && p->offsets[v] == p->offsets[v + 1]) found = (uint32_t)v;
    free(entered);
    return found;
}

uint32_t plain_hub(const plain *p) {
    uint64_t most = 0;
    for (uint64_t v = 0; v < p->vertices; v++)
        if (p->offsets[v + 1] - p->offsets[v] > p->offsets[most + 1] - p->offsets[most]) most = v;
    return (uint32_t)most;
}

uint32_t plain_leaf(const plain *p) {
    for (uint64_t v = 0; v < p->vertices; v++)
        if (p->offsets[v + 1] - p->offsets[v] == 1) return (uint32_t)v;
    return UINT32_MAX;
}

/* ---- shapes ----------------------------------------------------------------------------------------------------- */

void shape_add(zoo_graph *g, uint64_t from, uint64_t to) {
    if ((g->count & (g->count - 1)) == 0) { /* room doubles */
        g->pairs = realloc(g->pairs, (g->count ? g->count : 1) * 4 * sizeof *g->pairs);
        if (!g->pairs) abort();
    }
    g->pairs[2 * g->count] = from;
    g->pairs[2 * g->count + 1] = to;
    g->count++;
}

uint64_t *shape_shuffle(zoo_graph *g, uint64_t seed) {
    uint64_t *map = room_for(g->vertices, sizeof *map);
    for (uint64_t v = 0; v < g->vertices; v++) {
        uint64_t at = zoo_random(&seed) % (v + 1);
        map[v] = map[at];
        map[at] = v;
    }
    for (uint64_t i = 0; i < 2 * g->count; i++) g->pairs[i] = map[g->pairs[i]];
    return map;
}

static void add_clique(zoo_graph *g, uint64_t first, uint64_t count) {
    for (uint64_t i = 0; i < count; i++)
        for (uint64_t j = i + 1; j < count; j++) shape_add(g, first + i, first + j);
}

static void add_path(zoo_graph *g, uint64_t first, uint64_t count) {
    for (uint64_t i = 0; i + 1 < count; i++) shape_add(g, first + i, first + i + 1);
}

/* Trees, and what hangs on them: the ends of searches. */
static const char *tree_shape(zoo_graph *g, int index, uint64_t n, uint64_t *seed) {
    switch (index) {
    case 0: add_path(g, 0, n); return "path";
    case 1:
        for (uint64_t i = 1; i < n; i++) shape_add(g, 0, i);
        return "star";
    case 2:
        for (uint64_t i = 1; i < n; i++) shape_add(g, (i - 1) / 2, i);
        return "binary tree";
    case 3:
        for (uint64_t i = 1; i < n; i++) shape_add(g, zoo_random(seed) % i, i);
        return "random tree";
    case 4:
        for (uint64_t i = 0; i + 1 < n; i += 2) shape_add(g, i, i + 1);
        return "pairs, each a component";
    case 5: /* the one deep leaf is the last level alone */
        add_clique(g, 0, 20);
        add_path(g, 19, n - 19);
        return "clique with a tail";
    case 6: /* a backbone with a leaf at every bone */
        add_path(g, 0, n / 2);
        for (uint64_t i = 0; i < n / 2; i++) shape_add(g, i, n / 2 + i);
        return "comb";
    case 7: /* all leaves at the deepest level, and nothing else there */
        for (uint64_t i = 1; i <= n / 10; i++) shape_add(g, 0, i);
        for (uint64_t i = n / 10 + 1; i < n; i++) shape_add(g, 1 + i % (n / 10), i);
        return "star of stars";
    case 8:
        for (uint64_t i = 0; i < n; i++)
            if (i % 7) shape_add(g, i - i % 7, i);
        return "many small stars";
    default: return NULL;
    }
}

static const char *other_shape(zoo_graph *g, int index, uint64_t n, uint64_t *seed) {
    uint64_t side = 1;
    while ((side + 1) * (side + 1) <= n) side++;
    switch (index) {
    case 0: add_clique(g, 0, n < 200 ? n : 200); return "clique and isolated vertices";
    case 1:
        add_clique(g, 0, 60);
        add_clique(g, 60, 60);
        add_path(g, 59, 2);
        return "two cliques joined";
    case 2:
        for (uint64_t i = 0; i < side * side; i++) {
            if (i % side + 1 < side) shape_add(g, i, i + 1);
            if (i + side < side * side) shape_add(g, i, i + side);
        }
        return "grid";
    case 3:
        for (uint64_t i = 0; i < 8 * n; i++) shape_add(g, zoo_random(seed) % n, zoo_random(seed) % n);
        return "uniform";
    case 4:
        for (uint64_t i = 0; i < n / 2; i++) shape_add(g, zoo_random(seed) % n, zoo_random(seed) % n);
        return "uniform and very sparse";
    case 5: /* degree one that leads nowhere; leaves that are none because of a loop or a second edge */
        for (uint64_t i = 1; i < n / 2; i++) {
            shape_add(g, 0, i);
            if (i % 3 == 0) shape_add(g, i, i);
            if (i % 3 == 1) shape_add(g, i, 0);
        }
        for (uint64_t i = n / 2; i < n; i++) shape_add(g, i, i);
        return "loops and parallel edges on leaves, loops alone";
    case 6: /* a dense middle with leaves, and leaves far away: pull in the middle, then the end */
        for (uint64_t i = 0; i < 4 * n; i++) shape_add(g, zoo_random(seed) % (n / 2), zoo_random(seed) % (n / 2));
        for (uint64_t i = n / 2; i < n - 100; i++) shape_add(g, zoo_random(seed) % (n / 2), i);
        add_path(g, n - 101, 100);
        return "dense middle, leaves, a tail";
    case 7:
        for (uint64_t i = 0; i < 4 * n; i++) {
            uint64_t a = zoo_random(seed) % n, b = zoo_random(seed) % n;
            shape_add(g, a * a / n * a / n, b * b / n);
        }
        return "skewed";
    case 8: /* rows so long that a push may be shared out by where they lead */
        for (uint64_t i = 0; i < (n < 10000 ? 40 * n : 400000); i++)
            shape_add(g, zoo_random(seed) % (n / 8), zoo_random(seed) % (n / 8 + n / 2));
        for (uint64_t i = n / 8 + n / 2; i < n; i++) shape_add(g, zoo_random(seed) % i, i);
        return "few long rows, and trees on them";
    default: return NULL;
    }
}

bool shape_get(zoo_graph *out, int index, uint64_t size) {
    enum { TREES = 9 };
    uint64_t seed = 4000 + (uint64_t)index;
    *out = (zoo_graph){.vertices = size};
    const char *name =
        index < TREES ? tree_shape(out, index, size, &seed) : other_shape(out, index - TREES, size, &seed);
    if (!name) return false;
    snprintf(out->name, sizeof out->name, "%s", name);
    free(shape_shuffle(out, seed));
    return true;
}

zoo_graph shape_random(uint64_t *seed, uint64_t most) {
    static const uint64_t sizes[] = {0, 1, 63, 64, 65, 127, 128, 129, 511, 512, 513, 1024, 2000};
    uint64_t n = sizes[zoo_random(seed) % COUNT_OF(sizes)];
    if (n == 0 || n > most) n = 1 + zoo_random(seed) % most;
    zoo_graph g = {.vertices = n};
    uint64_t edges = n * (1 + zoo_random(seed) % 16) / 8; /* from an eighth of the vertices to twice as many */
    uint64_t hubs = 1 + zoo_random(seed) % n;
    for (uint64_t i = 0; i < edges; i++)
        shape_add(&g, zoo_random(seed) % (zoo_random(seed) % 2 ? hubs : n), zoo_random(seed) % n);
    snprintf(g.name, sizeof g.name, "random, %d vertices, %d edges", (int)n, (int)edges);
    return g;
}

zoo_graph shape_kronecker(meguri_ctx *ctx, uint32_t scale, uint32_t edge_factor) {
    zoo_graph g = {.vertices = (uint64_t)1 << scale};
    meguri_kronecker_options options = {.size = sizeof options, .scale = scale, .edge_factor = edge_factor};
    uint32_t *pairs;
    assert_int_equal(meguri_gen_kronecker_pairs(&pairs, &g.count, ctx, &options), MEGURI_OK);
    g.pairs = room_for(2 * g.count, sizeof *g.pairs);
    for (uint64_t i = 0; i < 2 * g.count; i++) g.pairs[i] = pairs[i];
    meguri_pairs_free(pairs);
    snprintf(g.name, sizeof g.name, "kronecker %u, %u edges a vertex", scale, edge_factor);
    return g;
}

/* ---- searches --------------------------------------------------------------------------------------------------- */

meguri_bfs_options way_options(int way) {
    static const char *const forced[] = {"><", "<>", "><<>><><<<>", "<<>><>>><<"};
    meguri_bfs_options options = {.size = sizeof options,
                                  .max_depth = UINT32_MAX,
                                  .levels = 1,
                                  .parents = 1,
                                  .alpha = 10,
                                  .beta = 14,
                                  .policy = way < 4 ? (meguri_bfs_policy)way : MEGURI_BFS_FORCED};
    if (way >= 4) options.directions = forced[way - 4];
    return options;
}

subject subject_from_zoo(meguri_ctx *ctx, const zoo_graph *g, const meguri_build_options *options) {
    subject s = {.name = g->name};
    if (g->vertices) s.plain = plain_from_edges(g, options->direction == MEGURI_DIRECTED);
    else {
        oracle o = oracle_build(g, options);
        s.plain = plain_from_oracle(&o);
        oracle_free(&o);
    }
    if (zoo_build(&s.graph, ctx, g, options) != MEGURI_OK) fail_msg("%s: %s", g->name, meguri_ctx_error(ctx));
    s.order = options->order;
    return s;
}

void subject_free(subject *s) {
    plain_free(&s->plain);
    meguri_graph_free(s->graph);
    s->graph = NULL;
}

uint64_t fact_of(const meguri_result *result, const char *name) {
    meguri_fact fact = {.size = sizeof fact};
    if (meguri_result_fact(&fact, result, name) != MEGURI_OK) fail_msg("no fact %s", name);
    assert_int_equal(fact.type, MEGURI_TYPE_U64);
    return fact.number;
}

const void *column_of(const meguri_result *result, const char *name, meguri_type type, uint64_t count) {
    meguri_column column = {.size = sizeof column};
    if (meguri_result_column(&column, result, name) != MEGURI_OK) fail_msg("no column %s", name);
    assert_string_equal(column.name, name);
    assert_int_equal(column.type, type);
    assert_int_equal(column.count, count);
    assert_int_equal(column.stride, sizeof(uint32_t));
    return column.data;
}

/* What differs between a result and the textbook, or NULL. */
static const char *result_fault(meguri_ctx *ctx, const subject *s, uint64_t source, const meguri_bfs_options *options,
                                const meguri_result *result, const answer *right) {
    uint64_t n = s->plain.vertices;
    const int32_t *level = NULL;
    const uint32_t *parent = NULL;
    if (options->levels) level = column_of(result, "level", MEGURI_TYPE_I32, n);
    if (options->parents) parent = column_of(result, "parent", MEGURI_TYPE_VERTEX, n);
    if (fact_of(result, "reached") != right->reached) return "the number of reached vertices differs";
    if (fact_of(result, "depth") != (uint64_t)right->depth) return "the depth differs";
    fact_of(result, "edges");
    meguri_fact seconds = {.size = sizeof seconds};
    if (meguri_result_fact(&seconds, result, "seconds") != MEGURI_OK || seconds.type != MEGURI_TYPE_F64 ||
        !(seconds.real >= 0))
        return "there are no seconds";
    if (level && memcmp(level, right->level, n * sizeof *level) != 0) return "a level differs";
    const char *wrong = parent ? tree_fault(&s->plain, source, right->level, parent) : NULL;
    if (wrong || (!level && !parent)) return wrong;
    if (mg_bfs_check(ctx, s->graph, source, level, parent, mg_levels_within(options->max_depth)) != MEGURI_OK)
        return meguri_ctx_error(ctx);
    return NULL;
}

void check_result(meguri_ctx *ctx, const subject *s, uint64_t source, const meguri_bfs_options *options,
                  const meguri_result *result) {
    answer right = plain_search(&s->plain, source, mg_levels_within(options->max_depth));
    const char *wrong = result_fault(ctx, s, source, options, result, &right);
    if (wrong)
        fail_msg("%s, order %d, source %d, policy %d %s, levels %u, threads %u: %s", s->name, s->order, (int)source,
                 options->policy, options->directions ? options->directions : "", mg_levels_within(options->max_depth),
                 meguri_ctx_threads(ctx), wrong);
    answer_free(&right);
}

void check_search(meguri_ctx *ctx, const subject *s, uint64_t source, const meguri_bfs_options *options) {
    meguri_result *result;
    if (meguri_bfs(&result, ctx, s->graph, source, options) != MEGURI_OK)
        fail_msg("%s, source %d, policy %d: %s", s->name, (int)source, options->policy, meguri_ctx_error(ctx));
    check_result(ctx, s, source, options, result);
    meguri_result_free(result);
}
