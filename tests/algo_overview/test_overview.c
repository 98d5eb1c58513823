/* Overviews of the zoo and of random graphs, on 1, 2 and 5 threads, against plain counting: loops, pairs, degrees,
 * weights, components, communities, distances, triangles. */
#define _GNU_SOURCE
#include "algo_bfs/searching.h"

#include <math.h>
#include <meguri.h>
#include <meguri/extra/overview.h>
#include <string.h>

static meguri_ctx *ctx[THREAD_COUNTS];

static int make_contexts(void **state) {
    (void)state;
    for (size_t t = 0; t < THREAD_COUNTS; t++) ctx[t] = context_with(thread_counts[t]);
    return 0;
}

static int free_contexts(void **state) {
    (void)state;
    for (size_t t = 0; t < THREAD_COUNTS; t++) context_done(ctx[t]);
    return 0;
}

static void *room_for(uint64_t count, size_t size) {
    void *room = calloc(count + 1, size);
    if (!room) abort();
    return room;
}

/* ---- a graph in both forms -------------------------------------------------------------------------------------- */

typedef struct subject_of {
    const char *name;
    oracle o;
    bool directed, weighted;
    meguri_graph *graph;
    meguri_graph_info facts;
    meguri_overview *overview;
    meguri_overview_info info;
} subject_of;

static bool is_edge(const subject_of *s, const oracle_arc *arc) { return s->directed || arc->row <= arc->column; }

/* Whether an arc leads from one vertex to another. */
static bool joined(const oracle *o, uint64_t from, uint64_t to) {
    uint64_t low = 0, high = o->arc_count;
    while (low < high) {
        uint64_t middle = (low + high) / 2;
        const oracle_arc *a = &o->arcs[middle];
        if (a->row < from || (a->row == from && a->column < to)) low = middle + 1;
        else high = middle;
    }
    return low < o->arc_count && o->arcs[low].row == from && o->arcs[low].column == to;
}

static void near(const subject_of *s, const char *what, double got, double want) {
    if (got == want || fabs(got - want) <= 1e-9 * fabs(want)) return;
    fail_msg("%s: %s is %.17g instead of %.17g", s->name, what, got, want);
}

static void same(const subject_of *s, const char *what, uint64_t got, uint64_t want) {
    if (got != want) fail_msg("%s: %s is %llu instead of %llu", s->name, what, (long long)got, (long long)want);
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Consumes the values. */
static void check_numbers(const subject_of *s, const char *what, const meguri_overview_numbers *n, double *values,
                          uint64_t count) {
    double sum = 0, size = fmax(fabs(n->least), fabs(n->most));
    uint64_t in_bins = 0;
    same(s, what, n->count, count);
    qsort(values, count, sizeof *values, by_size);
    for (uint64_t i = 0; i < count; i++) sum += values[i];
    if (count) {
        assert_true(n->least == values[0] && n->most == values[count - 1]);
        near(s, what, n->median, (values[(count - 1) / 2] + values[count / 2]) / 2);
        if (size < 1e300) assert_true(fabs(n->mean - sum / (double)count) <= 1e-9 * size); /* else the sum overflows */
    }
    for (uint32_t b = 0; b < n->bin_count; b++) {
        const meguri_overview_bin *bin = &n->bins[b];
        bool last = b + 1 == n->bin_count, closed = bin->from == bin->to || n != &s->info.weights || last;
        uint64_t inside = 0;
        for (uint64_t i = 0; i < count; i++)
            inside += values[i] >= bin->from && (closed ? values[i] <= bin->to : values[i] < bin->to);
        if (n != &s->info.weights) same(s, what, bin->count, inside); /* the edges of real bins are rounded */
        assert_true(bin->from <= bin->to && (b == 0 || bin->from >= n->bins[b - 1].to));
        in_bins += bin->count;
    }
    same(s, what, in_bins, count);
    free(values);
}

/* The highest of these by value, equal ones by their number; 0 does not count. */
static void check_list(const subject_of *s, const char *what, const meguri_overview_list *list, const uint64_t *values,
                       uint32_t most) {
    uint64_t count = 0, last = UINT64_MAX, at = 0;
    for (uint64_t v = 0; v < s->o.vertices; v++) count += values[v] > 0;
    same(s, what, list->count, MG_MIN(count, most));
    for (uint32_t i = 0; i < list->count; i++) { /* the next below the one before */
        uint64_t best = 0, vertex = 0;
        for (uint64_t v = 0; v < s->o.vertices; v++)
            if (values[v] > best && (values[v] < last || (values[v] == last && v > at))) best = values[v], vertex = v;
        same(s, what, list->items[i].vertex, vertex);
        near(s, what, list->items[i].value, (double)best);
        last = best, at = vertex;
    }
}

/* ---- edges, degrees, weights ------------------------------------------------------------------------------------ */

static void check_edges(const subject_of *s) {
    uint64_t loops = 0, parallel = 0, distinct = 0, mutual = 0, ascending = 0, arcs = 0;
    for (uint64_t i = 0; i < s->o.arc_count; i++) {
        const oracle_arc *a = &s->o.arcs[i];
        bool again = i && a[-1].row == a->row && a[-1].column == a->column;
        if (!is_edge(s, a)) continue;
        loops += a->row == a->column;
        parallel += again;
        if (again || a->row == a->column) continue;
        distinct++;
        mutual += s->directed && joined(&s->o, a->column, a->row);
        ascending += a->row < a->column;
        arcs++;
    }
    same(s, "loops", s->info.loops, loops);
    same(s, "parallel", s->info.parallel, parallel);
    same(s, "pairs", s->info.pairs, distinct - mutual / 2);
    near(s, "reciprocity", s->info.reciprocity, mutual ? (double)mutual / (double)distinct : 0);
    same(s, "seems_undirected", s->info.seems_undirected,
         s->directed && arcs && (mutual == arcs || (!mutual && ascending == arcs)));
}

static void check_degrees(const subject_of *s, uint32_t most) {
    uint64_t *degrees[2], only[2] = {0};
    for (int d = 0; d < 2; d++) degrees[d] = room_for(s->o.vertices, sizeof **degrees);
    for (uint64_t i = 0; i < s->o.arc_count; i++) {
        degrees[0][s->o.arcs[i].row]++;
        degrees[1][s->o.arcs[i].column]++;
    }
    for (int d = 0; d < 1 + s->directed; d++) {
        const meguri_overview_degrees *got = d ? &s->info.in_degrees : &s->info.degrees;
        double *values = room_for(s->o.vertices, sizeof *values);
        check_list(s, "degrees", &got->top, degrees[d], most);
        uint64_t sum = 0, first = s->o.vertices - (s->o.vertices + 99) / 100;
        for (uint64_t v = 0; v < s->o.vertices; v++) values[v] = (double)degrees[d][v];
        qsort(values, s->o.vertices, sizeof *values, by_size);
        for (uint64_t v = first; v < s->o.vertices; v++) sum += (uint64_t)values[v];
        near(s, "top share", got->top_share, s->o.arc_count ? (double)sum / (double)s->o.arc_count : 0);
        check_numbers(s, "degrees", &got->numbers, values, s->o.vertices);
    }
    for (uint64_t v = 0; v < s->o.vertices; v++)
        for (int d = 0; d < 2; d++) only[d] += s->directed && degrees[d][v] && !degrees[!d][v];
    same(s, "only sources", s->info.sources, only[0]);
    same(s, "only targets", s->info.sinks, only[1]);
    for (int d = 0; d < 2; d++) free(degrees[d]);
}

static void check_weights(const subject_of *s) {
    uint64_t count = 0, negative = 0, zero = 0;
    double *values = room_for(s->o.arc_count, sizeof *values);
    for (uint64_t i = 0; i < s->o.arc_count && s->weighted; i++) {
        double weight = s->o.arcs[i].weight;
        if (!is_edge(s, &s->o.arcs[i]) || !isfinite(weight)) continue;
        values[count++] = weight;
        negative += weight < 0;
        zero += weight == 0;
    }
    same(s, "negative weights", s->info.negative_weights, negative);
    same(s, "zero weights", s->info.zero_weights, zero);
    check_numbers(s, "weights", &s->info.weights, values, count);
}

/* ---- groups ----------------------------------------------------------------------------------------------------- */

static uint64_t *sizes_of(const subject_of *s, const uint32_t *group) {
    uint64_t *sizes = room_for(s->o.vertices, sizeof *sizes);
    for (uint64_t v = 0; v < s->o.vertices; v++) sizes[group[v]]++;
    return sizes;
}

/* Consumes the sizes. */
static void check_groups(const subject_of *s, const char *what, const meguri_overview_numbers *numbers,
                         const meguri_overview_list *list, uint64_t *sizes, uint32_t most) {
    uint64_t count = 0;
    double *values = room_for(s->o.vertices, sizeof *values);
    for (uint64_t v = 0; v < s->o.vertices; v++)
        if (sizes[v]) values[count++] = (double)sizes[v];
    check_list(s, what, list, sizes, most);
    check_numbers(s, what, numbers, values, count);
    free(sizes);
}

/* The first member of each component: labels go along arcs until nothing changes. */
static uint32_t *components_of(const subject_of *s) {
    uint32_t *label = room_for(s->o.vertices, sizeof *label);
    for (uint64_t v = 0; v < s->o.vertices; v++) label[v] = (uint32_t)v;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint64_t i = 0; i < s->o.arc_count; i++) {
            uint32_t *a = &label[s->o.arcs[i].row], *b = &label[s->o.arcs[i].column];
            changed = changed || *a != *b;
            *a = *b = MG_MIN(*a, *b);
        }
    }
    return label;
}

static void check_components(const subject_of *s, uint32_t most) {
    uint32_t *label = components_of(s);
    check_groups(s, "components", &s->info.components, &s->info.largest_components, sizes_of(s, label), most);
    same(s, "is_forest", s->info.is_forest, s->info.pairs + s->info.components.count == s->o.vertices);
    free(label);
}

/* Of a partition, as the textbook has it: each undirected edge between a and b is an entry in A(a,b) and A(b,a), a loop
 * two in A(a,a). */
static double modularity_of(const subject_of *s, const uint32_t *label, double *inside) {
    double *out = room_for(s->o.vertices, sizeof *out), *in = room_for(s->o.vertices, sizeof *in), all = 0, kept = 0;
    for (uint64_t i = 0; i < s->o.arc_count; i++) {
        const oracle_arc *a = &s->o.arcs[i];
        double entry = !s->directed && a->row == a->column ? 2 : 1;
        out[label[a->row]] += entry;
        in[label[a->column]] += entry;
        all += entry;
        kept += label[a->row] == label[a->column] ? entry : 0;
    }
    double expected = 0;
    for (uint64_t l = 0; l < s->o.vertices && all > 0; l++) expected += out[l] * in[l] / (all * all);
    free(out);
    free(in);
    *inside = all > 0 ? kept / all : 0;
    return *inside - expected;
}

static void check_leaders(const subject_of *s, const uint32_t *label, const meguri_result *ranks) {
    meguri_column column = {.size = sizeof column};
    assert_int_equal(meguri_result_column(&column, ranks, "rank"), MEGURI_OK);
    const double *rank = column.data;
    for (uint32_t i = 0; i < s->info.largest_communities.count; i++) {
        const meguri_overview_item *item = &s->info.largest_communities.items[i];
        uint64_t best = UINT64_MAX;
        for (uint64_t v = 0; v < s->o.vertices; v++)
            if (label[v] == item->vertex && (best == UINT64_MAX || rank[v] > rank[best])) best = v;
        same(s, "leader", item->leader, best);
    }
}

static void check_communities(const subject_of *s, uint32_t most) {
    meguri_result *result, *ranks;
    double inside, modularity;
    uint64_t vertices[1000], count;
    double values[1000];
    assert_int_equal(meguri_communities(&result, ctx[0], s->graph, NULL), MEGURI_OK);
    assert_int_equal(meguri_pagerank(&ranks, ctx[0], s->graph, NULL), MEGURI_OK);
    const uint32_t *label = column_of(result, "label", MEGURI_TYPE_VERTEX, s->o.vertices);
    uint64_t *sizes = sizes_of(s, label), *degree = room_for(s->o.vertices, sizeof *degree);
    for (uint64_t i = 0; i < s->o.arc_count; i++) degree[s->o.arcs[i].row]++, degree[s->o.arcs[i].column]++;
    for (uint64_t v = 0; v < s->o.vertices; v++) sizes[label[v]] -= !degree[v];
    check_groups(s, "communities", &s->info.communities, &s->info.largest_communities, sizes, most);
    modularity = modularity_of(s, label, &inside);
    near(s, "inside", s->info.inside, inside);
    assert_true(fabs(s->info.modularity - modularity) < 1e-9);
    uint64_t linked = s->o.vertices - s->facts.isolated;
    near(s, "unsettled", s->info.unsettled, linked ? (double)fact_of(result, "changed") / (double)linked : 0);
    check_leaders(s, label, ranks);
    assert_int_equal(meguri_result_top(vertices, values, &count, ctx[0], s->graph, ranks, "rank", most), MEGURI_OK);
    same(s, "ranked", s->info.by_pagerank.count, count);
    for (uint64_t i = 0; i < count; i++) {
        same(s, "highest rank", s->info.by_pagerank.items[i].vertex, vertices[i]);
        near(s, "highest rank", s->info.by_pagerank.items[i].value, values[i]);
    }
    free(degree);
    meguri_result_free(result);
    meguri_result_free(ranks);
}

/* ---- distances and triangles ------------------------------------------------------------------------------------ */

static uint64_t first_farthest(const answer *a, uint64_t vertices) {
    uint64_t v = 0;
    while (v < vertices && a->level[v] != a->depth) v++;
    return v;
}

static void check_distances(const subject_of *s) {
    plain p = plain_from_oracle(&s->o);
    uint32_t *label = components_of(s);
    uint64_t source = UINT64_MAX, best = 0, largest = s->info.largest_components.items[0].vertex, count = 0;
    for (uint64_t v = 0; v < s->o.vertices; v++) {
        uint64_t degree = p.offsets[v + 1] - p.offsets[v];
        if (label[v] == largest && (source == UINT64_MAX || degree > best)) best = degree, source = v;
    }
    same(s, "source", s->info.source, source);
    answer first = plain_search(&p, source, 0);
    uint64_t farthest = first_farthest(&first, s->o.vertices);
    same(s, "farthest", s->info.farthest, farthest);
    same(s, "reached", s->info.reached, first.reached);
    answer second = plain_search(&p, farthest, 0);
    same(s, "longest", s->info.longest, (uint64_t)MG_MAX(first.depth, second.depth));
    same(s, "diameter_at_most", s->info.diameter_at_most,
         s->directed ? 0 : 2 * (uint64_t)MG_MIN(first.depth, second.depth));
    double *values = room_for(s->o.vertices, sizeof *values);
    for (uint64_t v = 0; v < s->o.vertices; v++)
        if (first.level[v] > 0) values[count++] = first.level[v];
    check_numbers(s, "levels", &s->info.levels, values, count);
    free(label);
    answer_free(&first);
    answer_free(&second);
    plain_free(&p);
}

static void check_triangles(const subject_of *s) {
    uint64_t n = s->o.vertices, closed = 0, paths = 0;
    uint8_t *matrix = room_for(n * n, 1);
    double mean = 0;
    for (uint64_t i = 0; i < s->o.arc_count; i++) {
        const oracle_arc *a = &s->o.arcs[i];
        if (a->row != a->column) matrix[a->row * n + a->column] = matrix[a->column * n + a->row] = 1;
    }
    for (uint64_t v = 0; v < n; v++) {
        uint64_t degree = 0, around = 0;
        for (uint64_t a = 0; a < n; a++) {
            if (!matrix[v * n + a]) continue;
            degree++;
            for (uint64_t b = a + 1; b < n; b++) around += matrix[v * n + b] && matrix[a * n + b];
        }
        if (degree < 2) continue;
        closed += around;
        paths += degree * (degree - 1) / 2;
        mean += (double)around / (double)(degree * (degree - 1) / 2);
    }
    same(s, "triangles skipped", s->info.triangles_skipped, 0);
    same(s, "triangles", s->info.triangles, closed / 3);
    near(s, "transitivity", s->info.transitivity, paths ? (double)closed / (double)paths : 0);
    near(s, "mean clustering", s->info.mean_clustering, n ? mean / (double)n : 0);
    free(matrix);
}

/* ---- all of it -------------------------------------------------------------------------------------------------- */

static void same_lists(const subject_of *s, const meguri_overview_list *a, const meguri_overview_list *b) {
    same(s, "length of a list", a->count, b->count);
    for (uint32_t i = 0; i < a->count; i++) assert_memory_equal(&a->items[i], &b->items[i], sizeof a->items[i]);
}

static void same_numbers(const subject_of *s, const meguri_overview_numbers *a, const meguri_overview_numbers *b) {
    assert_memory_equal(&a->count, &b->count, offsetof(meguri_overview_numbers, bins));
    same(s, "number of bins", a->bin_count, b->bin_count);
    assert_memory_equal(a->bins ? (const void *)a->bins : "", b->bins ? (const void *)b->bins : "",
                        a->bin_count * sizeof *a->bins);
}

/* Every bit that was measured on some threads is that of one thread. */
static void check_threads(const subject_of *s, const meguri_overview_options *options) {
    for (size_t t = 1; t < THREAD_COUNTS; t++) {
        meguri_overview *overview;
        meguri_overview_info i = {.size = sizeof i};
        const meguri_overview_info *one = &s->info;
        assert_int_equal(meguri_overview_new(&overview, ctx[t], s->graph, options), MEGURI_OK);
        assert_int_equal(meguri_overview_get_info(&i, overview), MEGURI_OK);
        meguri_overview_numbers *numbers[2][6];
        meguri_overview_list *lists[2][5];
        meguri_overview_info both[2] = {*one, i};
        for (int k = 0; k < 2; k++) {
            meguri_overview_info *b = &both[k];
            memcpy(numbers[k],
                   (meguri_overview_numbers *[]){&b->weights, &b->degrees.numbers, &b->in_degrees.numbers,
                                                 &b->components, &b->communities, &b->levels},
                   sizeof numbers[k]);
            memcpy(lists[k],
                   (meguri_overview_list *[]){&b->degrees.top, &b->in_degrees.top, &b->by_pagerank,
                                              &b->largest_components, &b->largest_communities},
                   sizeof lists[k]);
        }
        for (size_t k = 0; k < COUNT_OF(numbers[0]); k++) same_numbers(s, numbers[0][k], numbers[1][k]);
        for (size_t k = 0; k < COUNT_OF(lists[0]); k++) same_lists(s, lists[0][k], lists[1][k]);
        for (int b = 0; b < 2; b++) { /* what is left are numbers */
            for (size_t k = 0; k < COUNT_OF(numbers[0]); k++) memset(numbers[b][k], 0, sizeof *numbers[b][k]);
            for (size_t k = 0; k < COUNT_OF(lists[0]); k++) memset(lists[b][k], 0, sizeof *lists[b][k]);
        }
        assert_memory_equal(&both[0], &both[1], sizeof both[0]);
        meguri_overview_free(overview);
    }
}

static void check_all(const zoo_graph *g, const meguri_build_options *build, uint32_t top) {
    const meguri_overview_options options = {
        .size = sizeof options, .top = top ? top : 10, .triangle_steps = 5000000000u};
    uint32_t most = top ? top : 10;
    subject_of s = {.name = g->name,
                    .o = oracle_build(g, build),
                    .directed = build->direction == MEGURI_DIRECTED,
                    .weighted = g->weights && !build->ignore_weights,
                    .facts.size = sizeof s.facts,
                    .info.size = sizeof s.info};
    if (zoo_build(&s.graph, ctx[1], g, build) != MEGURI_OK) fail_msg("%s: %s", g->name, meguri_ctx_error(ctx[1]));
    assert_int_equal(meguri_graph_get_info(&s.facts, ctx[0], s.graph), MEGURI_OK);
    if (meguri_overview_new(&s.overview, ctx[0], s.graph, &options) != MEGURI_OK)
        fail_msg("%s: %s", g->name, meguri_ctx_error(ctx[0]));
    assert_int_equal(meguri_overview_get_info(&s.info, s.overview), MEGURI_OK);
    check_edges(&s);
    check_degrees(&s, most);
    check_weights(&s);
    check_components(&s, most);
    if (s.o.vertices) {
        check_communities(&s, most);
        check_distances(&s);
    }
    if (s.o.vertices <= 700) check_triangles(&s);
    check_threads(&s, &options);
    meguri_overview_free(s.overview);
    meguri_graph_free(s.graph);
    oracle_free(&s.o);
}

static void the_zoo(void **state) {
    (void)state;
    zoo_graph g;
    for (int index = 0; zoo_get(&g, index); index++) {
        for (int way = 0; way < 8; way++) {
            const meguri_build_options o = {.size = sizeof o,
                                            .direction = 1 + way % 2,
                                            .order = 1 + (way + index) % 3,
                                            .duplicates = way >> 1 & 1 ? MEGURI_DUPLICATES_KEEP : MEGURI_DUPLICATES_MIN,
                                            .keep_loops = way >> 2};
            bool large = g.count > 20000;
            if (large ? way == index % 8 && !UNDER_TSAN : ONE_OF(4, way + index)) check_all(&g, &o, way * 7);
        }
        zoo_free(&g);
    }
}

static void shapes_and_random_graphs(void **state) {
    (void)state;
    zoo_graph g;
    uint64_t seed = 91;
    for (int index = 0; shape_get(&g, index, 400); index++) {
        const meguri_build_options o = {.size = sizeof o, .direction = 1 + index % 2, .order = 1 + index % 3};
        check_all(&g, &o, 0);
        zoo_free(&g);
    }
    for (int turn = 0; turn < (UNDER_TSAN || UNDER_ASAN ? 20 : 200); turn++) {
        g = shape_random(&seed, 300);
        const meguri_build_options o = {.size = sizeof o,
                                        .direction = 1 + zoo_random(&seed) % 2,
                                        .order = 1 + zoo_random(&seed) % 3,
                                        .duplicates =
                                            zoo_random(&seed) % 2 ? MEGURI_DUPLICATES_KEEP : MEGURI_DUPLICATES_MIN,
                                        .keep_loops = zoo_random(&seed) % 2};
        check_all(&g, &o, 1 + (uint32_t)(zoo_random(&seed) % 20));
        zoo_free(&g);
    }
}

/* Weights of every kind of scale: a value each, logarithmic, even, negative, infinite ones among them. */
static void weights_of_all_kinds(void **state) {
    (void)state;
    static const double kinds[][4] = {
        {1, 2, 3, 7},     {5, 5, 5, 5},          {0.25, 0.25, 0.25, 0.25}, {1, 1e9, 30, 4},       {-5, 0, 3.5, 1000},
        {0, 0, 0, 1e300}, {-1e308, 1e308, 0, 1}, {1e-300, 1, 2, 1e300},    {0.1, 0.2, 0.3, 1e-3}, {1, 65536, 70000, 2}};
    uint64_t seed = 5;
    for (size_t k = 0; k < COUNT_OF(kinds); k++)
        for (uint64_t count = 1; count < 300; count += 1 + count / 3) {
            zoo_graph g = {.name = "weights", .vertices = 60, .weights = room_for(count, sizeof(double))};
            for (uint64_t i = 0; i < count; i++) {
                shape_add(&g, zoo_random(&seed) % 60, zoo_random(&seed) % 60);
                g.weights[i] = kinds[k][zoo_random(&seed) % 4];
            }
            const meguri_build_options o = {.size = sizeof o,
                                            .direction = 1 + (count + k) % 2,
                                            .duplicates = MEGURI_DUPLICATES_KEEP,
                                            .keep_loops = 1};
            check_all(&g, &o, 3);
            zoo_free(&g);
        }
}

/* A path, longer than there are bins, and a star, whose degree is above all that are counted in an array. */
static void long_and_wide(void **state) {
    (void)state;
    zoo_graph g = {.name = "a path", .vertices = 5000};
    for (uint64_t v = 0; v + 1 < g.vertices; v++) shape_add(&g, v, v + 1);
    for (int direction = MEGURI_DIRECTED; direction <= MEGURI_UNDIRECTED; direction++) {
        const meguri_build_options o = {.size = sizeof o, .direction = direction};
        check_all(&g, &o, 0);
    }
    zoo_free(&g);
    g = (zoo_graph){.name = "a star", .vertices = 70000};
    for (uint64_t v = 1; v < g.vertices; v++) shape_add(&g, v, 0);
    const meguri_build_options o = {.size = sizeof o, .direction = MEGURI_DIRECTED};
    check_all(&g, &o, 2);
    zoo_free(&g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_zoo),
        cmocka_unit_test(shapes_and_random_graphs),
        cmocka_unit_test(weights_of_all_kinds),
        cmocka_unit_test(long_and_wide),

    };
    return cmocka_run_group_tests(tests, make_contexts, free_contexts);
}
