/* Components of a graph in parts, checked by the rules of components_check.c.
 *
 * The rules of vertices and edges say that no component was cut in two. That no two were put together is said by
 * another algorithm than the one that found them: every process keeps a spanning forest of its arcs, by a plain
 * union-find; then edges are contracted by random mates (Reif, 1985). Every label tosses a coin in every round, and one
 * with heads joins a neighbour with tails, which stays where it is, so that nothing has to be followed further.
 * Labels that go away are counted: as the rules hold, they are at most the vertices less the names, and if they are as
 * many every name is one component.
 *
 * The vertex that is named in a sentence is the first in the user's order that breaks the rule, in every layout. */
#include "algo/components/components_cluster.h"

#include <inttypes.h>

typedef struct checker {
    meguri_ctx *ctx;
    mg_shards *shards;
    meguri_cluster *cluster;
    mg_globals component; /* by position from home.begin on */
    uint64_t homes;       /* how many these are */
    mg_globals window[2]; /* by place: components, then positions */
    mg_components_labels labels;
    mg_components_edges edges;
} checker;

/* At all processes, the smallest of what they have. */
static meguri_status least(checker *c, uint64_t *value) {
    return mg_reduce_u64(c->ctx, c->cluster, &c->cluster->all, value, 1, MG_MINIMUM);
}

static int home_of(const void *user, const void *position) {
    const checker *c = user;
    return mg_home(c->shards->vertices, c->cluster->size, *(const uint64_t *)position);
}

static bool components_of(const void *user, void *answers, const void *positions, uint64_t count) {
    const checker *c = user;
    const mg_range home = c->shards->home;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t position = ((const uint64_t *)positions)[i];
        if (position < home.begin || position >= home.end) return false;
        ((uint64_t *)answers)[i] = mg_global_at(c->component, position - home.begin);
    }
    return true;
}

static mg_keepers homes(const checker *c) {
    return (mg_keepers){c->cluster, 8, 8, home_of, components_of, c, "components"};
}

/* The component of a vertex and the texts of both, at all processes. */
static meguri_status tell(checker *c, uint64_t position, uint64_t *name, char vertex[MG_ID_TEXT],
                          char other[MG_ID_TEXT]) {
    bool here = position >= c->shards->home.begin && position < c->shards->home.end;
    *name = here ? mg_global_at(c->component, position - c->shards->home.begin) : UINT64_MAX;
    meguri_status status = least(c, name);
    if (status == MEGURI_OK) status = mg_shards_id_text(vertex, c->ctx, c->shards, position);
    if (status == MEGURI_OK && *name < c->shards->vertices) status = mg_shards_id_text(other, c->ctx, c->shards, *name);
    return status;
}

/* ---- vertices --------------------------------------------------------------------------------------------------- */

static meguri_status fail_vertex(checker *c, uint64_t v) {
    char vertex[MG_ID_TEXT], other[MG_ID_TEXT];
    uint64_t name;
    meguri_status status = tell(c, v, &name, vertex, other), wrong = MEGURI_WRONG_ANSWER;
    if (status != MEGURI_OK) return status;
    if (name == mg_no_global(c->shards->wide)) return mg_fail(c->ctx, wrong, "vertex %s has no component.", vertex);
    if (name >= c->shards->vertices)
        return mg_fail(c->ctx, wrong,
                       "the component of vertex %s is number %" PRIu64 ", but the graph has %" PRIu64 " vertices.",
                       vertex, name, c->shards->vertices);
    if (name > v)
        return mg_fail(c->ctx, wrong,
                       "the component of vertex %s is %s, which comes later; a component has the name of its first "
                       "member.",
                       vertex, other);
    return mg_fail(c->ctx, wrong, "the component of vertex %s is %s, but %s itself is in another.", vertex, other,
                   other);
}

/* A name does not come after its vertex, and is its own name. *names is how many there are. */
static meguri_status check_vertices(checker *c, uint64_t *names) {
    uint64_t begin = c->shards->home.begin, broken = UINT64_MAX;
    mg_distinct set = {0};
    uint64_t *asked = mg_alloc_array(c->ctx, c->homes, sizeof *asked, "checking components");
    meguri_status status = asked ? MEGURI_OK : MEGURI_NO_MEMORY;
    *names = 0;
    for (uint64_t i = 0; i < c->homes && asked; i++) {
        uint64_t name = mg_global_at(c->component, i);
        if (name > begin + i) broken = MG_MIN(broken, begin + i);
        *names += name == begin + i;
        asked[i] = MG_MIN(name, begin + i); /* a vertex that there is */
    }
    if (status == MEGURI_OK) status = mg_distinct_new(&set, c->ctx, asked, c->homes, "components");
    status = mg_agree(c->ctx, c->cluster, status);
    const mg_keepers keepers = homes(c);
    if (status == MEGURI_OK) status = mg_ask(c->ctx, &keepers, set.items, set.items, set.count);
    for (uint64_t i = 0; i < c->homes && status == MEGURI_OK; i++)
        if (set.items[set.index[i]] != asked[i]) broken = MG_MIN(broken, begin + i);
    mg_distinct_free(&set);
    mg_free(asked);
    if (status == MEGURI_OK) status = least(c, &broken);
    if (status == MEGURI_OK) status = mg_reduce_u64(c->ctx, c->cluster, &c->cluster->all, names, 1, MG_SUM);
    if (status != MEGURI_OK) return status;
    return broken == UINT64_MAX ? MEGURI_OK : fail_vertex(c, broken);
}

/* ---- edges ------------------------------------------------------------------------------------------------------ */

typedef struct tile_job {
    checker *c;
    const mg_rows *out;
    mg_globals from, to, position;
    uint64_t broken;
} tile_job;

static void look_at_rows(void *what, mg_worker *worker) {
    tile_job *job = what;
    const mg_rows *out = job->out;
    for (mg_range chunk; mg_take(worker, &chunk);)
        for (uint64_t v = chunk.begin; v < chunk.end; v++) {
            uint64_t differ = 0, own = mg_global_at(job->from, v);
            for (uint64_t i = mg_row_offset(out, v); i < mg_row_offset(out, v + 1); i++) {
                differ |= own ^ mg_global_at(job->to, out->neighbors[i]);
                if (i % MG_SWEEP_BLOCK == 0 && mg_progress(job->c->ctx, "check", 0, 0)) break;
            }
            if (differ) mg_atomic_min_u64(&job->broken, mg_global_at(job->position, v));
        }
}

/* The first vertex that has an arc to another component. */
static uint64_t first_broken(checker *c, int t) {
    const mg_rows *out = &c->shards->tile[t].out;
    int source = c->shards->layout.tile_source[t], target = c->shards->layout.tile_target[t];
    tile_job job = {.c = c,
                    .out = out,
                    .from = c->window[source],
                    .to = c->window[target],
                    .position = c->shards->window_position[source],
                    .broken = UINT64_MAX};
    mg_loop loop = {.ctx = c->ctx,
                    .threads = mg_threads(c->ctx, out->rows + out->arcs, MG_SWEEP_BLOCK),
                    .items = out->rows,
                    .chunk = 256,
                    .work = look_at_rows,
                    .what = &job};
    mg_loop_run(&loop);
    return job.broken;
}

static meguri_status gather(checker *c, mg_globals mine) {
    return mg_windows_gather(c->ctx, c->cluster, &c->shards->layout, "bulk", mine.items, mg_global_bytes(mine.wide),
                             (void *const[]){c->window[0].items, c->window[1].items});
}

/* The first neighbour of `v` that is in another component; `mine` are the components of owned vertices. */
static meguri_status find_other(checker *c, uint64_t v, mg_globals mine, uint64_t *other) {
    mg_shards *s = c->shards;
    mg_globals positions[2] = {{NULL, false}, {NULL, false}};
    meguri_status status = MEGURI_OK;
    *other = UINT64_MAX;
    for (int w = 0; w < s->layout.windows; w++) {
        positions[w] = mg_globals_new(c->ctx, s->layout.window[w].places, s->wide, "checking components");
        if (!positions[w].items) status = MEGURI_NO_MEMORY;
    }
    status = mg_agree(c->ctx, c->cluster, status);
    if (status == MEGURI_OK) status = gather(c, mine);
    if (status == MEGURI_OK)
        status = mg_windows_gather(c->ctx, c->cluster, &s->layout, "bulk", s->position.items, mg_global_bytes(s->wide),
                                   (void *const[]){positions[0].items, positions[1].items});
    for (int t = 0; t < s->layout.tiles && status == MEGURI_OK; t++) {
        const mg_rows *out = &s->tile[t].out;
        int source = s->layout.tile_source[t], target = s->layout.tile_target[t];
        for (uint64_t p = 0; p < out->rows; p++)
            for (uint64_t i = mg_row_offset(out, p); i < mg_row_offset(out, p + 1); i++)
                if (mg_global_at(positions[source], p) == v &&
                    mg_global_at(c->window[source], p) != mg_global_at(c->window[target], out->neighbors[i]))
                    *other = MG_MIN(*other, mg_global_at(positions[target], out->neighbors[i]));
    }
    mg_free(positions[0].items);
    mg_free(positions[1].items);
    return status == MEGURI_OK ? least(c, other) : status;
}

static meguri_status fail_edge(checker *c, uint64_t v, mg_globals mine) {
    char from[MG_ID_TEXT], to[MG_ID_TEXT], name[MG_ID_TEXT], other_name[MG_ID_TEXT];
    uint64_t other, number;
    meguri_status status = find_other(c, v, mine, &other);
    if (status == MEGURI_OK) status = tell(c, v, &number, from, name);
    if (status == MEGURI_OK) status = tell(c, other, &number, to, other_name);
    if (status != MEGURI_OK) return status;
    return mg_fail(c->ctx, MEGURI_WRONG_ANSWER,
                   "an edge joins vertex %s of the component %s and vertex %s of the component %s.", from, name, to,
                   other_name);
}

static meguri_status check_edges(checker *c) {
    uint64_t broken = UINT64_MAX;
    bool wide = c->shards->wide;
    mg_globals mine = mg_globals_new(c->ctx, c->shards->layout.window[0].stride, wide, "checking components");
    meguri_status status = mg_agree(c->ctx, c->cluster, mine.items ? MEGURI_OK : MEGURI_NO_MEMORY);
    if (status == MEGURI_OK)
        status = mg_shards_from_homes(c->ctx, c->shards, mine.items, c->component.items, mg_global_bytes(wide));
    if (status == MEGURI_OK) status = gather(c, mine);
    for (int t = 0; t < c->shards->layout.tiles && status == MEGURI_OK; t++) {
        uint64_t here = first_broken(c, t);
        broken = MG_MIN(broken, here);
    }
    if (status == MEGURI_OK)
        status = mg_agree(c->ctx, c->cluster, mg_cancelled(c->ctx) ? mg_fail_cancelled(c->ctx) : MEGURI_OK);
    if (status == MEGURI_OK) status = least(c, &broken);
    if (status == MEGURI_OK && broken != UINT64_MAX) status = fail_edge(c, broken, mine);
    mg_free(mine.items);
    return status;
}

/* ---- contracting once more -------------------------------------------------------------------------------------- */

static uint32_t root_of(uint32_t *parent, uint32_t v) {
    while (parent[v] != v) v = parent[v] = parent[parent[v]];
    return v;
}

/* A spanning forest of this process's arcs, as edges between positions. */
static meguri_status span(checker *c, uint32_t *parent, const mg_components_nodes *nodes) {
    const mg_layout *l = &c->shards->layout;
    for (uint64_t v = 0; v < nodes->count; v++) parent[v] = (uint32_t)v;
    for (int t = 0; t < l->tiles; t++) {
        const mg_rows *in = &c->shards->tile[t].in;
        int source = l->tile_source[t], target = l->tile_target[t];
        for (uint64_t v = 0; v < in->rows; v++)
            for (uint64_t i = mg_row_offset(in, v); i < mg_row_offset(in, v + 1); i++) {
                uint32_t from = in->neighbors[i];
                uint32_t a = root_of(parent, mg_components_node(nodes, target, v));
                uint32_t b = root_of(parent, mg_components_node(nodes, source, from));
                if (i % MG_SWEEP_BLOCK == 0 && mg_progress(c->ctx, "check", 0, 0)) return mg_fail_cancelled(c->ctx);
                if (a == b) continue;
                parent[MG_MAX(a, b)] = MG_MIN(a, b);
                meguri_status status = mg_components_edges_add(c->ctx, &c->edges, mg_global_at(c->window[target], v),
                                                               mg_global_at(c->window[source], from));
                if (status != MEGURI_OK) return status;
            }
    }
    return MEGURI_OK;
}

static meguri_status find_edges(checker *c) {
    mg_components_nodes nodes = mg_components_nodes_of(&c->shards->layout);
    meguri_status status = gather(c, c->shards->position);
    if (status != MEGURI_OK) return status;
    uint32_t *parent = mg_alloc_array(c->ctx, nodes.count, sizeof *parent, "checking components");
    status = mg_agree(c->ctx, c->cluster, parent ? span(c, parent, &nodes) : MEGURI_NO_MEMORY);
    mg_free(parent);
    return status;
}

static bool tosses_heads(uint64_t label, uint64_t round) {
    uint64_t x = (label + (round << 48)) * 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 32) * 0xd6e8feb86659fd93u;
    return x >> 63;
}

/* Items are a label and the neighbour that it joins. */
typedef struct mate_reader {
    const checker *c;
    uint64_t place; /* two for each edge: either way */
} mate_reader;

static uint64_t next_mate(void *user, void *items, uint32_t *to, uint64_t capacity) {
    mate_reader *r = user;
    const checker *c = r->c;
    uint64_t n = 0;
    for (; r->place < 2 * c->edges.count && n < capacity; r->place++) {
        uint64_t a = c->edges.ends[r->place], b = c->edges.ends[r->place ^ 1];
        if (!tosses_heads(a, c->labels.rounds) || tosses_heads(b, c->labels.rounds)) continue;
        ((uint64_t *)items)[2 * n] = a;
        ((uint64_t *)items)[2 * n + 1] = b;
        to[n++] = (uint32_t)(a % (uint64_t)c->cluster->size);
    }
    return n;
}

/* One round; adds the labels that went away. */
static meguri_status contract(checker *c, uint64_t *joints) {
    mate_reader reader = {c, 0};
    const mg_route_source source = {next_mate, &reader, 16};
    const mg_keepers keepers = mg_components_parents(&c->labels);
    mg_distinct set = {0};
    void *items;
    uint64_t count, kept = 0;
    meguri_status status = mg_route(&items, &count, c->ctx, c->cluster, &source, "check");
    if (status != MEGURI_OK) return status;
    for (uint64_t i = 0; i < count && status == MEGURI_OK; i++) {
        const uint64_t *mate = (const uint64_t *)items + 2 * i;
        uint64_t place = mg_components_place(&c->labels, mate[0]);
        if (place == c->labels.kept || mate[1] >= c->shards->vertices) {
            status = mg_strange(c->ctx, c->cluster, "a label that is not for this process");
            break;
        }
        *joints += mg_components_above(&c->labels, place) == mate[0];
        c->labels.above[place] = mate[1] + 1; /* the last that comes will do */
    }
    mg_free(items);
    if (status == MEGURI_OK) status = mg_distinct_new(&set, c->ctx, c->edges.ends, 2 * c->edges.count, "components");
    status = mg_agree(c->ctx, c->cluster, status);
    if (status == MEGURI_OK) status = mg_ask(c->ctx, &keepers, set.items, set.items, set.count);
    for (uint64_t i = 0; i < c->edges.count && status == MEGURI_OK; i++) {
        uint64_t a = set.items[set.index[2 * i]], b = set.items[set.index[2 * i + 1]];
        if (a == b) continue;
        c->edges.ends[2 * kept] = a;
        c->edges.ends[2 * kept++ + 1] = b;
    }
    c->edges.count = kept;
    c->labels.rounds++;
    mg_distinct_free(&set);
    return status;
}

/* What vertices were joined to in the end: values, positions at first, become that. */
static meguri_status follow(checker *c, uint64_t *values) {
    const mg_keepers keepers = mg_components_parents(&c->labels);
    meguri_status status = MEGURI_OK;
    for (uint64_t round = 0; round < c->labels.rounds && status == MEGURI_OK; round++)
        status = mg_ask(c->ctx, &keepers, values, values, c->homes);
    return status;
}

/* Somebody is not joined to the first member of its component. */
static meguri_status fail_joint(checker *c) {
    char vertex[MG_ID_TEXT], name[MG_ID_TEXT];
    uint64_t begin = c->shards->home.begin, broken = UINT64_MAX, number;
    uint64_t *ends = mg_alloc_array(c->ctx, 2 * c->homes, sizeof *ends, "checking components");
    meguri_status status = mg_agree(c->ctx, c->cluster, ends ? MEGURI_OK : MEGURI_NO_MEMORY);
    for (uint64_t i = 0; i < c->homes && status == MEGURI_OK; i++) {
        ends[i] = begin + i;
        ends[c->homes + i] = mg_global_at(c->component, i);
    }
    if (status == MEGURI_OK) status = follow(c, ends);
    if (status == MEGURI_OK) status = follow(c, ends + c->homes);
    for (uint64_t i = 0; i < c->homes && status == MEGURI_OK; i++)
        if (ends[i] != ends[c->homes + i]) broken = MG_MIN(broken, begin + i);
    mg_free(ends);
    if (status == MEGURI_OK) status = least(c, &broken);
    if (status == MEGURI_OK) status = tell(c, broken, &number, vertex, name);
    if (status != MEGURI_OK) return status;
    return mg_fail(c->ctx, MEGURI_WRONG_ANSWER, "vertex %s is said to be in the component %s, but no edges join them.",
                   vertex, name);
}

static meguri_status check_joints(checker *c, uint64_t names) {
    uint64_t joints = 0, left = 1;
    meguri_status status = mg_agree(c->ctx, c->cluster, mg_components_labels_new(&c->labels, c->ctx, c->shards));
    if (status == MEGURI_OK) status = find_edges(c);
    while (status == MEGURI_OK && left) {
        left = c->edges.count;
        status = mg_reduce_u64(c->ctx, c->cluster, &c->cluster->all, &left, 1, MG_SUM);
        if (status == MEGURI_OK && left) status = contract(c, &joints);
    }
    if (status == MEGURI_OK) status = mg_reduce_u64(c->ctx, c->cluster, &c->cluster->all, &joints, 1, MG_SUM);
    if (status != MEGURI_OK || c->shards->vertices - joints == names) return status;
    return fail_joint(c);
}

/* ---- all together ----------------------------------------------------------------------------------------------- */

static meguri_status check(checker *c) {
    const mg_layout *l = &c->shards->layout;
    uint64_t names;
    meguri_status status = check_vertices(c, &names);
    if (status != MEGURI_OK) return status;
    for (int w = 0; w < l->windows && status == MEGURI_OK; w++) {
        c->window[w] = mg_globals_new(c->ctx, l->window[w].places, c->shards->wide, "checking components");
        if (!c->window[w].items) status = MEGURI_NO_MEMORY;
    }
    status = mg_agree(c->ctx, c->cluster, status);
    if (status == MEGURI_OK) status = check_edges(c);
    if (status == MEGURI_OK) status = check_joints(c, names);
    return status;
}

meguri_status mg_components_cluster_check(meguri_ctx *ctx, const meguri_graph *graph, const void *component) {
    mg_shards *shards = mg_shards_of(graph);
    double since = mg_now();
    checker c = {.ctx = ctx,
                 .shards = shards,
                 .cluster = shards->cluster,
                 .component = {(void *)(uintptr_t)component, shards->wide},
                 .homes = shards->home.end - shards->home.begin};
    meguri_status status = mg_shards_both_ways(ctx, shards);
    if (status == MEGURI_OK) status = check(&c);
    mg_trace_phase(ctx, "check", "components", (int64_t)shards->arcs, -1, since);
    mg_free(c.window[0].items);
    mg_free(c.window[1].items);
    mg_free(c.labels.above);
    mg_free(c.edges.ends);
    return status;
}
