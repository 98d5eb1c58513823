/* The network behind the paths: the edges of a graph within the frame of the map.
 *
 * A picture shows some ten thousands of lines. Which of the edges matter, where there are more, and which are drawn a
 * little stronger? Graphs do not say what is a highway, but shortest paths do: from a few vertices in the picture trees
 * of shortest paths are grown, and an edge is worth as much as the vertices that are reached through it. The most used
 * edges hang together, as main roads do, and the last ones are dead ends. Edges that fall on the same places of the
 * picture are one. */
#include "report/map.h"

#include <math.h>
#include <meguri/sssp.h>
#include <stdlib.h>
#include <string.h>

#define MOST_SHOWN   80000
#define MOST_TREES   16
#define TREE_ROOM    8000000 /* vertices of all trees together, but for one tree */
#define MANY_ARCS    600000  /* of a graph: from then on places are whole units of the picture */
#define FIRST_ROOM   4096
#define MERGE_FROM   4000000 /* edges in the list, before it is merged for the first time */
#define BEYOND       60.0    /* units around the frame in which edges are kept */
#define BLOCK        4096
#define MAIN_SHARE   0.04 /* of the edges shown */
#define MIDDLE_SHARE 0.25

typedef struct tree {
    uint32_t *parent; /* MG_NO_VERTEX: none */
    uint32_t *below;  /* vertices that are reached through it, with itself */
} tree;

typedef struct network {
    mg_report_map *map;
    meguri_ctx *ctx;
    const meguri_graph *graph;
    meguri_graph_info info;
    float *x, *y; /* on the picture; NaN where a vertex has no place */
    tree trees[MOST_TREES];
    int tree_count;
    int grain; /* fine units that become one */
    mg_report_edge *edges;
    size_t count, room, merge_at;
    uint64_t *neighbors;
    uint64_t neighbor_room;
} network;

/* ---- places ----------------------------------------------------------------------------------------------------- */

static meguri_status get_places(network *n) {
    double x[BLOCK], y[BLOCK];
    mg_places places;
    meguri_status status = mg_places_look(&places, n->ctx, n->graph);
    n->x = mg_alloc_array(n->ctx, n->info.vertices, sizeof *n->x, "the network of the map");
    n->y = mg_alloc_array(n->ctx, n->info.vertices, sizeof *n->y, "the network of the map");
    if (status == MEGURI_OK && (!n->x || !n->y)) return MEGURI_NO_MEMORY;
    for (uint64_t first = 0; status == MEGURI_OK && first < n->info.vertices; first += BLOCK) {
        uint64_t count = n->info.vertices - first < BLOCK ? n->info.vertices - first : BLOCK;
        status = mg_places_get(&places, x, y, n->ctx, n->graph, first, count);
        for (uint64_t i = 0; status == MEGURI_OK && i < count; i++) {
            double across, down;
            if (n->map->metric == MEGURI_PATH_GREAT_CIRCLE) x[i] -= 360 * round((x[i] - n->map->middle_x) / 360);
            mg_report_project(n->map, x[i], y[i], &across, &down);
            n->x[first + i] = mg_report_is_place(across, down) ? (float)across : NAN;
            n->y[first + i] = mg_report_is_place(across, down) ? (float)down : NAN;
        }
    }
    return status;
}

static bool is_inside(const network *n, uint64_t v) {
    return n->x[v] >= 0 && n->x[v] <= MG_REPORT_MAP_WIDTH && n->y[v] >= 0 && n->y[v] <= n->map->height;
}

/* ---- trees ------------------------------------------------------------------------------------------------------ */

/* From the leaves to the root: a vertex is done when all that hang on it are. */
static meguri_status count_below(network *n, tree *t) {
    uint32_t vertices = (uint32_t)n->info.vertices,
             *children = mg_alloc_array_zero(n->ctx, vertices, sizeof *children, "the network of the map");
    if (!children) return MEGURI_NO_MEMORY;
    for (uint32_t v = 0; v < vertices; v++) {
        t->below[v] = 1;
        if (t->parent[v] == v) t->parent[v] = MG_NO_VERTEX; /* the root */
        else if (t->parent[v] != MG_NO_VERTEX) children[t->parent[v]]++;
    }
    for (uint32_t leaf = 0; leaf < vertices; leaf++) {
        uint32_t v = leaf;
        while (children[v] == 0 && t->parent[v] != MG_NO_VERTEX) {
            uint32_t parent = t->parent[v];
            t->below[parent] += t->below[v];
            children[v] = UINT32_MAX;                           /* done */
            if (--children[parent] > 0 || parent > leaf) break; /* its turn comes */
            v = parent;
        }
    }
    mg_free(children);
    return MEGURI_OK;
}

static meguri_status grow_tree(network *n, meguri_ctx *alone, meguri_sssp_search *search, uint64_t root) {
    const meguri_result *result;
    meguri_column parents = {.size = sizeof parents};
    uint64_t vertices = n->info.vertices;
    meguri_status status = meguri_sssp_search_run(&result, alone, search, root);
    if (status == MEGURI_OK) status = meguri_result_column(&parents, result, "parent");
    if (status != MEGURI_OK) return status;
    tree *t = &n->trees[n->tree_count++];
    t->parent = mg_alloc_array(n->ctx, vertices, sizeof *t->parent, "the network of the map");
    t->below = mg_alloc_array(n->ctx, vertices, sizeof *t->below, "the network of the map");
    if (!t->parent || !t->below) return MEGURI_NO_MEMORY;
    for (uint64_t v = 0; v < vertices; v++)
        memcpy(&t->parent[v], (const char *)parents.data + v * parents.stride, sizeof *t->parent);
    return count_below(n, t);
}

/* From vertices spread evenly over those in the frame. */
static meguri_status grow_from_roots(network *n, meguri_ctx *alone) {
    uint64_t inside = 0, seen = 0;
    meguri_sssp_search *search = NULL;
    for (uint64_t v = 0; v < n->info.vertices; v++) inside += is_inside(n, v);
    uint64_t most = TREE_ROOM / (n->info.vertices + 1) + 1;
    uint64_t trees = inside < MOST_TREES ? inside : MOST_TREES;
    if (trees > most) trees = most;
    meguri_status status = trees ? meguri_sssp_search_new(&search, alone, n->graph, NULL) : MEGURI_OK;
    for (uint64_t v = 0; status == MEGURI_OK && v < n->info.vertices && (uint64_t)n->tree_count < trees; v++)
        if (is_inside(n, v) && seen++ == (2 * (uint64_t)n->tree_count + 1) * inside / (2 * trees))
            status = grow_tree(n, alone, search, v);
    meguri_sssp_search_free(search);
    return status;
}

static int pass_on(void *user, const char *phase, uint64_t done, uint64_t total) {
    return mg_progress(user, phase, done, total);
}

/* On one thread, in the same budget: which of several shortest paths is found depends on the number of threads, and the
 * picture must not. Where weights are not lengths there are no trees, and the order of edges is a fixed random one. */
static meguri_status grow_trees(network *n) {
    const meguri_ctx_child_options options = {
        .size = sizeof options, .threads = 1, .progress = pass_on, .progress_user = n->ctx};
    meguri_ctx *alone = NULL;
    meguri_status status = meguri_ctx_child(&alone, n->ctx, &options);
    if (status != MEGURI_OK) return status;
    status = grow_from_roots(n, alone);
    if (status == MEGURI_BAD_INPUT) status = MEGURI_OK;
    const char *sentence = meguri_ctx_error(alone); /* or that of the other context */
    if (status != MEGURI_OK && *sentence) mg_fail_again(n->ctx, status, "%s", sentence);
    meguri_ctx_free(alone);
    return status;
}

static double use_of(const network *n, uint64_t from, uint64_t to) {
    double use = 0;
    for (int i = 0; i < n->tree_count; i++) {
        const tree *t = &n->trees[i];
        if (t->parent[to] == from) use += t->below[to];
        if (t->parent[from] == to) use += t->below[from];
    }
    return use;
}

/* ---- edges ------------------------------------------------------------------------------------------------------ */

static int by_key(const void *a, const void *b) {
    uint64_t x = ((const mg_report_edge *)a)->key, y = ((const mg_report_edge *)b)->key;
    return (x > y) - (x < y);
}

static uint64_t scramble(uint64_t x) {
    x = (x ^ x >> 31) * 0x9E3779B97F4A7C15u;
    return x ^ x >> 29;
}

/* The most used first; chance, but always the same, decides between equals. */
static int by_use(const void *a, const void *b) {
    const mg_report_edge *x = a, *y = b;
    if (x->use != y->use) return x->use < y->use ? 1 : -1;
    uint64_t p = scramble(x->key), q = scramble(y->key);
    return (p > q) - (p < q);
}

/* Edges between the same places become one. */
static void merge_edges(network *n) {
    size_t kept = 0;
    if (n->count > 0) qsort(n->edges, n->count, sizeof *n->edges, by_key);
    for (size_t i = 0; i < n->count; i++) {
        if (kept > 0 && n->edges[kept - 1].key == n->edges[i].key)
            n->edges[kept - 1].use = fmax(n->edges[kept - 1].use, n->edges[i].use);
        else n->edges[kept++] = n->edges[i];
    }
    n->count = kept;
}

static meguri_status add_edge(network *n, uint64_t key, double use) {
    if (n->count == n->room) {
        size_t room = n->room ? 2 * n->room : FIRST_ROOM;
        mg_report_edge *larger = mg_resize(n->ctx, n->edges, room * sizeof *larger, "the network of the map");
        if (!larger) return MEGURI_NO_MEMORY;
        n->edges = larger;
        n->room = room;
    }
    n->edges[n->count++] = (mg_report_edge){key, use};
    if (n->count < n->merge_at) return MEGURI_OK;
    merge_edges(n);
    if (n->merge_at < 2 * n->count) n->merge_at = 2 * n->count;
    return MEGURI_OK;
}

/* One condition p * t <= q of Liang and Barsky on the part of the line from *in to *out. */
static bool cut(double p, double q, double *in, double *out) {
    if (p == 0) return q >= 0;
    if (p < 0) *in = fmax(*in, q / p);
    else *out = fmin(*out, q / p);
    return *in <= *out;
}

static uint64_t place_at(const network *n, double x, double y) {
    double step = (double)n->grain / MG_REPORT_FINE;
    uint64_t across = (uint64_t)(lround(x / step) * n->grain + MG_REPORT_OFFSET);
    uint64_t down = (uint64_t)(lround(y / step) * n->grain + MG_REPORT_OFFSET);
    return across << 16 | down;
}

/* The part of an edge that is within the frame, or a little beyond. */
static meguri_status add_arc(network *n, uint64_t from, uint64_t to) {
    double x = n->x[from], y = n->y[from], dx = n->x[to] - x, dy = n->y[to] - y, in = 0, out = 1;
    double round_the_earth = n->map->metric == MEGURI_PATH_GREAT_CIRCLE ? 180 * n->map->per_x : INFINITY;
    if (isnan(dx) || isnan(dy) || isnan(x) || fabs(dx) > round_the_earth) return MEGURI_OK;
    if (!cut(-dx, x + BEYOND, &in, &out) || !cut(dx, MG_REPORT_MAP_WIDTH + BEYOND - x, &in, &out) ||
        !cut(-dy, y + BEYOND, &in, &out) || !cut(dy, n->map->height + BEYOND - y, &in, &out))
        return MEGURI_OK;
    uint64_t a = place_at(n, x + in * dx, y + in * dy), b = place_at(n, x + out * dx, y + out * dy);
    if (a == b) return MEGURI_OK;
    return add_edge(n, a < b ? a << 32 | b : b << 32 | a, use_of(n, from, to));
}

static meguri_status add_arcs(network *n, uint64_t v, uint64_t degree) {
    uint64_t count = 0;
    if (degree > n->neighbor_room) {
        mg_free(n->neighbors);
        n->neighbor_room = 2 * degree;
        n->neighbors = mg_alloc_array(n->ctx, n->neighbor_room, sizeof *n->neighbors, "the network of the map");
        if (!n->neighbors) return MEGURI_NO_MEMORY;
    }
    meguri_status status =
        meguri_graph_neighbors(n->neighbors, NULL, NULL, n->neighbor_room, &count, n->ctx, n->graph, v);
    for (uint64_t i = 0; status == MEGURI_OK && i < count; i++) status = add_arc(n, v, n->neighbors[i]);
    return status;
}

static meguri_status get_edges(network *n) {
    uint64_t degrees[BLOCK], vertices = n->info.vertices;
    meguri_status status = MEGURI_OK;
    n->grain = n->info.arcs > MANY_ARCS ? MG_REPORT_FINE : 1;
    n->merge_at = MERGE_FROM;
    for (uint64_t first = 0; status == MEGURI_OK && first < vertices; first += BLOCK) {
        uint64_t count = vertices - first < BLOCK ? vertices - first : BLOCK;
        if (mg_progress(n->ctx, "map", first, vertices)) return mg_fail_cancelled(n->ctx);
        status = meguri_graph_degrees(degrees, n->ctx, n->graph, first, count);
        for (uint64_t i = 0; status == MEGURI_OK && i < count; i++)
            if (degrees[i] > 0 && !isnan(n->x[first + i])) status = add_arcs(n, first + i, degrees[i]);
    }
    merge_edges(n);
    return status;
}

/* ---- what is drawn ---------------------------------------------------------------------------------------------- */

static meguri_status draw(network *n) {
    mg_report_map *map = n->map;
    map->edges_inside = n->count;
    if (n->count == 0) return MEGURI_OK;
    qsort(n->edges, n->count, sizeof *n->edges, by_use);
    size_t shown = n->count < MOST_SHOWN ? n->count : MOST_SHOWN;
    size_t main_ones = (size_t)(MAIN_SHARE * (double)shown), middle = (size_t)(MIDDLE_SHARE * (double)shown);
    size_t ends[MG_REPORT_NET + 1] = {shown, middle, main_ones, 0};
    map->edges_shown = shown;
    for (int class = 0; class < MG_REPORT_NET; class ++) {
        map->network[class] = mg_report_chains(n->ctx, n->edges + ends[class + 1], ends[class] - ends[class + 1]);
        if (!map->network[class]) return MEGURI_NO_MEMORY;
    }
    return MEGURI_OK;
}

meguri_status mg_report_add_network(mg_report_map *map, const meguri_graph *graph) {
    network n = {.map = map, .ctx = map->ctx, .graph = graph, .info.size = sizeof n.info};
    meguri_status status = meguri_graph_get_info(&n.info, n.ctx, graph);
    map->network_without_places = status == MEGURI_OK && !n.info.has_coordinates;
    if (status == MEGURI_OK && map->drawn && n.info.has_coordinates) {
        status = get_places(&n);
        if (status == MEGURI_OK) status = grow_trees(&n);
        if (status == MEGURI_OK) status = get_edges(&n);
        if (status == MEGURI_OK) status = draw(&n);
    }
    for (int i = 0; i < n.tree_count; i++) {
        mg_free(n.trees[i].parent);
        mg_free(n.trees[i].below);
    }
    mg_free(n.x);
    mg_free(n.y);
    mg_free(n.edges);
    mg_free(n.neighbors);
    return status;
}
