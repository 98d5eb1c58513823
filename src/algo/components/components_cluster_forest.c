/* The forest of a process: the vertices of its windows, joined along its own arcs on all its threads.
 *
 * Afforest (components.h): every vertex is joined to its greatest hub first, which makes most of a giant; then the
 * edges of those who are still outside. A process has its arcs both by target and by source, so an arc with an end
 * outside the giant is in the row of that end, also where the graph is directed, and rows inside can be skipped.
 *
 * In a grid of one row or one column a process has whole rows of its own vertices, and all processes have all vertices
 * in a window. There, of an undirected graph, the own rows will do, if all mean the same giant: the tree of vertex 0.
 * An edge that is skipped at both its ends has both in a tree with that vertex. */
#include "algo/components/components.h"
#include "algo/components/components_cluster.h"

enum {
    ROWS = 1024, /* rows that a thread takes at a time */
    AHEAD = 24,  /* rows that are fetched ahead */
    LOOK = 8192  /* arcs of a row between two looks at the progress */
};

typedef struct planting {
    meguri_ctx *ctx;
    uint32_t *parent;
    const mg_components_nodes *nodes;
    uint32_t giant; /* a root; or MG_NO_VERTEX: only first arcs are looked at */
} planting;

mg_components_nodes mg_components_nodes_of(const mg_layout *l) {
    const mg_window *first = &l->window[0], *second = &l->window[1];
    mg_components_nodes n = {.count = first->places, .second = first->places, .own_begin = UINT64_MAX};
    n.own_end = n.own_begin;
    if (l->windows == 1) return n;
    n.count += second->places;
    if (first->owners.me < 0 || second->owners.me < 0) return n;
    n.own_first = (uint64_t)first->owners.me * first->stride;
    n.own_begin = (uint64_t)second->owners.me * second->stride;
    n.own_end = n.own_begin + second->stride;
    n.count -= second->stride;
    return n;
}

/* Rows of vertices of one window, whose neighbours are in another. */
typedef struct plant_job {
    planting *p;
    const mg_rows *rows;
    int window, other;
    bool first; /* the first arc of every row, else all arcs of who is not in the giant */
    uint64_t edges;
} plant_job;

static uint64_t plant_row(const plant_job *job, uint64_t v) {
    planting *p = job->p;
    const mg_rows *rows = job->rows;
    uint64_t begin = mg_row_offset(rows, v), end = mg_row_offset(rows, v + 1);
    if (job->first) __builtin_prefetch(&rows->neighbors[mg_row_offset(rows, MG_MIN(v + AHEAD, rows->rows))]);
    if (begin == end) return 0;
    uint32_t node = mg_components_node(p->nodes, job->window, v);
    if (job->first) end = begin + 1;
    else if (mg_load(&p->parent[node]) == p->giant) return 0;
    for (uint64_t i = begin; i < end; i++) {
        mg_components_unite(p->parent, node, mg_components_node(p->nodes, job->other, rows->neighbors[i]));
        if ((i - begin) % LOOK == LOOK - 1 && mg_progress(p->ctx, "components", 0, 0)) break;
    }
    return end - begin;
}

static void plant_rows(void *what, mg_worker *worker) {
    plant_job *job = what;
    uint64_t edges = 0;
    for (mg_range chunk; mg_take(worker, &chunk);)
        for (uint64_t v = chunk.begin; v < chunk.end; v++) edges += plant_row(job, v);
    mg_fetch_add(&job->edges, edges);
}

/* How many arcs were looked at. */
static uint64_t plant(planting *p, const mg_rows *rows, int window, int other) {
    plant_job job = {p, rows, window, other, p->giant == MG_NO_VERTEX, 0};
    mg_loop loop = {.ctx = p->ctx,
                    .threads = mg_threads(p->ctx, rows->rows + (job.first ? 0 : rows->arcs), ROWS),
                    .items = rows->rows,
                    .chunk = ROWS,
                    .work = plant_rows,
                    .what = &job,
                    .phase = "components"};
    mg_loop_run(&loop);
    return job.edges;
}

/* Everybody directly below its root. */
static void compress_some(void *what, mg_worker *worker) {
    planting *p = what;
    for (mg_range chunk; mg_take(worker, &chunk);)
        for (uint64_t v = chunk.begin; v < chunk.end; v++) {
            uint32_t above = mg_load(&p->parent[v]), root = mg_load(&p->parent[above]);
            if (root != above) mg_store(&p->parent[v], mg_components_root(p->parent, root));
        }
}

static void compress(planting *p) {
    mg_loop loop = {.ctx = p->ctx,
                    .threads = mg_threads(p->ctx, p->nodes->count, LOOK),
                    .items = p->nodes->count,
                    .chunk = LOOK,
                    .work = compress_some,
                    .what = p,
                    .phase = "components"};
    mg_loop_run(&loop);
}

/* The window that has all vertices, where own rows will do; or -1. */
static int common_window(const mg_shards *s) {
    const mg_layout *l = &s->layout;
    if (s->directed || l->pairs || l->windows < 2 || (l->rows > 1 && l->columns > 1)) return -1;
    return l->columns == 1 ? 0 : 1;
}

static uint64_t plant_all(planting *p, const mg_shards *s) {
    uint64_t edges = 0;
    int common = common_window(s);
    if (common >= 0) return plant(p, common ? &s->tile[0].out : &s->tile[0].in, 1 - common, common);
    for (int t = 0; t < s->layout.tiles; t++) {
        const mg_tile *tile = &s->tile[t];
        int source = s->layout.tile_source[t], target = s->layout.tile_target[t];
        edges += plant(p, &tile->in, target, source);
        /* Of a symmetric matrix these are the rows of this tile, or of the other, once more. */
        if (s->directed || !(s->layout.pairs || source == target)) edges += plant(p, &tile->out, source, target);
    }
    return edges;
}

meguri_status mg_components_forest(meguri_ctx *ctx, uint32_t *parent, const mg_components_nodes *nodes,
                                   const mg_shards *s, uint64_t *edges) {
    planting p = {.ctx = ctx, .parent = parent, .nodes = nodes, .giant = MG_NO_VERTEX};
    *edges = 0;
    for (uint64_t v = 0; v < nodes->count; v++) parent[v] = (uint32_t)v;
    if (!nodes->count) return MEGURI_OK;
    *edges += plant_all(&p, s);
    compress(&p);
    if (mg_cancelled(ctx)) return mg_fail_cancelled(ctx);
    int common = common_window(s);
    uint32_t first = common < 0 ? 0 : mg_window_place(&s->layout.window[common], (uint32_t)s->cluster->size, 0);
    p.giant = common < 0 ? mg_components_giant(parent, nodes->count) : parent[mg_components_node(nodes, common, first)];
    *edges += plant_all(&p, s);
    compress(&p);
    return mg_cancelled(ctx) ? mg_fail_cancelled(ctx) : MEGURI_OK;
}
