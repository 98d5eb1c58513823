/* The front of components on a cluster, and what the phases share: from trees to labels, from labels to names
 * (components_cluster.h tells all of it). */
#include "algo/components/components_cluster.h"

enum {
    BLOCK = 8192,  /* vertices of a block */
    SEEN = 1 << 8, /* edges that a block remembers, not to note them twice: a power of two */
};

typedef struct finding {
    meguri_ctx *ctx;
    mg_shards *shards;
    mg_components_nodes nodes;
    uint32_t *tree;       /* by node: the root of its tree */
    mg_globals name;      /* by root: the smallest label of the tree that is known */
    mg_globals window[2]; /* by place: labels on their way */
    mg_globals label;     /* by local number: of the vertices that this process owns */
    mg_components_edges edges;
    mg_components_labels labels;
    uint64_t looked_at;           /* arcs, of this process */
    uint64_t components, largest; /* of all */
    mg_globals component;         /* the result, by position from home.begin on */
} finding;

/* ---- spread: trees tell their vertices, and hear from them ------------------------------------------------------- */

/* What goes between the trees and the places of a window. */
typedef struct window_job {
    finding *f;
    int window;
    mg_globals values; /* by place */
} window_job;

static void lower_name(const finding *f, uint32_t tree, uint64_t label) {
    if (f->name.wide) mg_atomic_min_u64((uint64_t *)f->name.items + tree, label);
    else mg_atomic_min_u32((uint32_t *)f->name.items + tree, (uint32_t)label);
}

static void lower_names(void *what, uint64_t begin, uint64_t end) {
    const window_job *job = what;
    finding *f = job->f;
    uint32_t last = MG_NO_VERTEX; /* most are in one tree, and so need not be told one by one */
    uint64_t least = UINT64_MAX;
    for (uint64_t p = begin; p < end; p++) {
        uint32_t tree = f->tree[mg_components_node(&f->nodes, job->window, p)];
        uint64_t value = mg_global_at(job->values, p);
        if (tree != last && last != MG_NO_VERTEX) lower_name(f, last, least);
        least = tree == last ? MG_MIN(least, value) : value;
        last = tree;
    }
    if (last != MG_NO_VERTEX) lower_name(f, last, least);
}

static void copy_names(void *what, uint64_t begin, uint64_t end) {
    const window_job *job = what;
    const finding *f = job->f;
    for (uint64_t p = begin; p < end; p++)
        mg_global_put(job->values, p, mg_global_at(f->name, f->tree[mg_components_node(&f->nodes, job->window, p)]));
}

static void for_places(finding *f, int window, mg_globals values, mg_range_fn *act) {
    window_job job = {f, window, values};
    uint64_t places = f->shards->layout.window[window].places;
    mg_for(f->ctx, mg_threads(f->ctx, places, BLOCK), places, act, &job);
}

/* name[root] = the smallest value of the tree, by window and place; windows that have none do not count. */
static void name_trees(finding *f, const mg_globals values[2]) {
    memset(f->name.items, 0xff, f->nodes.count * mg_global_bytes(f->name.wide));
    for (int w = 0; w < f->shards->layout.windows; w++)
        if (values[w].items) for_places(f, w, values[w], lower_names);
}

/* The names of trees to all places of the windows. */
static void fill_windows(finding *f) {
    for (int w = 0; w < f->shards->layout.windows; w++) for_places(f, w, f->window[w], copy_names);
}

static void least_u32(void *mine, const void *more, uint64_t count) {
    uint32_t *a = mine;
    const uint32_t *b = more;
    for (uint64_t i = 0; i < count; i++) a[i] = MG_MIN(a[i], b[i]);
}

static void least_u64(void *mine, const void *more, uint64_t count) {
    uint64_t *a = mine;
    const uint64_t *b = more;
    for (uint64_t i = 0; i < count; i++) a[i] = MG_MIN(a[i], b[i]);
}

/* The label of a vertex is the smallest of its own position and what the trees say that it is in: on both sides of the
 * arcs, which in a grid are windows of different owners. */
static meguri_status fold_labels(finding *f) {
    mg_shards *s = f->shards;
    uint64_t stride = s->layout.window[0].stride;
    bool both = s->layout.windows == 2 && !s->layout.pairs;
    mg_combine_fn *least = s->wide ? least_u64 : least_u32;
    size_t bytes = mg_global_bytes(s->wide);
    void *more = mg_alloc_array(f->ctx, stride, bytes, "labels of components");
    meguri_status status = mg_agree(f->ctx, s->cluster, more ? MEGURI_OK : MEGURI_NO_MEMORY);
    memcpy(f->label.items, s->position.items, stride * bytes);
    for (int turn = 0; turn <= both && status == MEGURI_OK; turn++) {
        void *const all[2] = {both && turn ? NULL : f->window[0].items, both && !turn ? NULL : f->window[1].items};
        status = mg_windows_fold(f->ctx, s->cluster, &s->layout, "fold", more, bytes, all, least, NULL);
        if (status == MEGURI_OK) least(f->label.items, more, stride);
    }
    mg_free(more);
    return status;
}

/* Labels of a tree that differ are one: an edge from each to the smallest. Most are the same few edges, so that blocks
 * of places remember what they have noted; they are counted first, so that each has a place for its edges. */
typedef struct edge_job {
    finding *f;
    uint64_t blocks[2]; /* of each window */
    uint64_t *begins;   /* by block: how many edges, then where they go */
    bool counting;
} edge_job;

static uint64_t edges_of(const edge_job *job, int window, uint64_t block, uint64_t *out) {
    const finding *f = job->f;
    struct {
        uint64_t a, b;
    } seen[SEEN] = {0}; /* zeros are no edge: it would join a label to itself */
    uint64_t count = 0, end = MG_MIN((block + 1) * BLOCK, f->shards->layout.window[window].places);
    for (uint64_t p = block * BLOCK; p < end; p++) {
        uint64_t a = mg_global_at(f->window[window], p),
                 b = mg_global_at(f->name, f->tree[mg_components_node(&f->nodes, window, p)]);
        if (a == b) continue;
        uint64_t slot = (a * 0x9e3779b97f4a7c15u ^ b * 0xbf58476d1ce4e5b9u) >> 40 & (SEEN - 1);
        if (seen[slot].a == a && seen[slot].b == b) continue;
        seen[slot].a = a;
        seen[slot].b = b;
        if (out) {
            out[2 * count] = a;
            out[2 * count + 1] = b;
        }
        count++;
    }
    return count;
}

static void find_some(void *what, mg_worker *worker) {
    const edge_job *job = what;
    for (mg_range r; mg_take(worker, &r);)
        for (uint64_t k = r.begin; k < r.end; k++) {
            int window = k >= job->blocks[0];
            uint64_t block = window ? k - job->blocks[0] : k;
            if (job->counting) job->begins[k] = edges_of(job, window, block, NULL);
            else edges_of(job, window, block, job->f->edges.ends + 2 * job->begins[k]);
        }
}

static meguri_status find_edges(finding *f) {
    const mg_layout *l = &f->shards->layout;
    edge_job job = {.f = f, .counting = true};
    for (int w = 0; w < l->windows; w++) job.blocks[w] = (l->window[w].places + BLOCK - 1) / BLOCK;
    uint64_t blocks = job.blocks[0] + job.blocks[1];
    job.begins = mg_alloc_array(f->ctx, blocks, sizeof *job.begins, "edges between labels");
    meguri_status status = job.begins ? MEGURI_OK : MEGURI_NO_MEMORY;
    for (int turn = 0; turn < 2 && status == MEGURI_OK; turn++) {
        mg_loop loop = {.ctx = f->ctx,
                        .threads = mg_threads(f->ctx, blocks * BLOCK, BLOCK),
                        .items = blocks,
                        .chunk = 1,
                        .work = find_some,
                        .what = &job,
                        .phase = "components"};
        status = mg_loop_run(&loop);
        if (status != MEGURI_OK || turn) break;
        job.counting = false;
        f->edges.count = f->edges.capacity = mg_scan_u64(f->ctx, job.begins, blocks);
        f->edges.ends = mg_alloc_array(f->ctx, f->edges.count, 2 * sizeof *f->edges.ends, "edges between labels");
        if (!f->edges.ends) status = MEGURI_NO_MEMORY;
    }
    mg_free(job.begins);
    return status;
}

static meguri_status spread(finding *f) {
    mg_shards *s = f->shards;
    /* A tree with arcs has vertices in a window of sources, whose positions are at hand. */
    name_trees(f, s->window_position);
    fill_windows(f);
    meguri_status status = fold_labels(f);
    if (status == MEGURI_OK)
        status = mg_windows_gather(f->ctx, s->cluster, &s->layout, "expand", f->label.items, mg_global_bytes(s->wide),
                                   (void *const[]){f->window[0].items, f->window[1].items});
    if (status != MEGURI_OK) return status;
    name_trees(f, f->window);
    return mg_agree(f->ctx, s->cluster, find_edges(f));
}

static void free_windows(finding *f) {
    mg_free(f->tree);
    mg_free(f->name.items);
    mg_free(f->window[0].items);
    mg_free(f->window[1].items);
    f->tree = NULL;
    f->name.items = NULL;
    f->window[0].items = f->window[1].items = NULL;
}

static meguri_status find_forest(finding *f) {
    const char *what = "the components of a graph";
    mg_shards *s = f->shards;
    meguri_status status = mg_components_labels_new(&f->labels, f->ctx, s);
    if (status == MEGURI_OK) {
        f->nodes = mg_components_nodes_of(&s->layout);
        f->label = mg_globals_new(f->ctx, s->layout.window[0].stride, s->wide, what);
        f->tree = mg_alloc_array(f->ctx, f->nodes.count, sizeof *f->tree, what);
        if (!f->label.items || !f->tree) status = MEGURI_NO_MEMORY;
    }
    if (status == MEGURI_OK) status = mg_components_forest(f->ctx, f->tree, &f->nodes, s, &f->looked_at);
    status = mg_agree(f->ctx, s->cluster, status);
    if (status != MEGURI_OK) return status;
    return mg_components_step(&f->labels, "forest", s->owned, f->looked_at);
}

static meguri_status find_labels(finding *f) {
    const char *what = "the components of a graph";
    const mg_layout *l = &f->shards->layout;
    f->name = mg_globals_new(f->ctx, f->nodes.count, f->shards->wide, what);
    meguri_status status = f->name.items ? MEGURI_OK : MEGURI_NO_MEMORY;
    for (int w = 0; w < l->windows && status == MEGURI_OK; w++) {
        f->window[w] = mg_globals_new(f->ctx, l->window[w].places, f->shards->wide, what);
        if (!f->window[w].items) status = MEGURI_NO_MEMORY;
    }
    status = mg_agree(f->ctx, f->shards->cluster, status);
    if (status == MEGURI_OK) status = spread(f);
    free_windows(f);
    if (status != MEGURI_OK) return status;
    return mg_components_step(&f->labels, "spread", f->shards->owned, 0);
}

/* ---- name: from labels to first members -------------------------------------------------------------------------- */

/* What is known of the component with this root. */
typedef struct member_count {
    uint64_t root, first, size;
} member_count;

typedef struct count_reader {
    const mg_keepers *keepers;
    const member_count *counts;
    uint64_t count, place;
} count_reader;

static uint64_t next_count(void *user, void *items, uint32_t *to, uint64_t capacity) {
    count_reader *r = user;
    uint64_t n = MG_MIN(capacity, r->count - r->place);
    memcpy(items, r->counts + r->place, n * sizeof *r->counts);
    for (uint64_t i = 0; i < n; i++)
        to[i] = (uint32_t)r->keepers->keeper(r->keepers->user, &r->counts[r->place + i].root);
    r->place += n;
    return n;
}

/* Keepers of roots add up what they are told: `parent` of a root becomes the first member. */
static meguri_status count_members(finding *f, const member_count *arrived, uint64_t count) {
    mg_components_labels *l = &f->labels;
    uint64_t *members = mg_alloc_array_zero(f->ctx, l->kept, sizeof *members, "sizes of components");
    meguri_status status = members ? MEGURI_OK : MEGURI_NO_MEMORY;
    uint64_t sum = 0, most = 0;
    for (uint64_t i = 0; i < count && status == MEGURI_OK; i++) {
        uint64_t place = mg_components_place(l, arrived[i].root);
        if (place == l->kept) {
            status = mg_strange(f->ctx, f->shards->cluster, "a label that is not for this process");
            break;
        }
        if (!members[place] || arrived[i].first + 1 < l->above[place]) l->above[place] = arrived[i].first + 1;
        sum += !members[place];
        members[place] += arrived[i].size;
        most = MG_MAX(most, members[place]);
    }
    status = mg_agree(f->ctx, f->shards->cluster, status);
    mg_free(members);
    mg_group *all = &f->shards->cluster->all;
    if (status == MEGURI_OK) status = mg_reduce_u64(f->ctx, f->shards->cluster, all, &sum, 1, MG_SUM);
    if (status == MEGURI_OK) status = mg_reduce_u64(f->ctx, f->shards->cluster, all, &most, 1, MG_MAXIMUM);
    f->components = sum + f->shards->vertices - f->shards->active;
    f->largest = MG_MAX(most, f->shards->vertices > 0);
    return status;
}

/* By place in a set of labels: its root, which is there already, the first vertex that bears it, how many do. */
static void count_labels(const finding *f, const mg_distinct *set, member_count *counts) {
    for (uint64_t i = 0; i < set->count; i++) counts[i] = (member_count){set->items[i], UINT64_MAX, 0};
    for (uint32_t v = 0; v < f->shards->owned; v++) {
        member_count *c = &counts[set->index[v]];
        c->first = MG_MIN(c->first, mg_global_at(f->shards->position, v));
        c->size++;
    }
}

/* f->label becomes the first member of the component. */
static meguri_status name_labels(finding *f, mg_distinct *set) {
    mg_shards *s = f->shards;
    const mg_keepers keepers = mg_components_parents(&f->labels);
    mg_distinct roots = {0};
    void *arrived = NULL;
    uint64_t count;
    meguri_status status = mg_ask(f->ctx, &keepers, set->items, set->items, set->count);
    if (status != MEGURI_OK) return status;
    member_count *counts = mg_alloc_array(f->ctx, set->count, sizeof *counts, "sizes of components");
    status = mg_agree(f->ctx, s->cluster, counts ? MEGURI_OK : MEGURI_NO_MEMORY);
    if (status == MEGURI_OK) {
        count_labels(f, set, counts);
        count_reader reader = {&keepers, counts, set->count, 0};
        const mg_route_source source = {next_count, &reader, sizeof *counts};
        status = mg_route(&arrived, &count, f->ctx, s->cluster, &source, "components");
    }
    mg_free(counts);
    if (status == MEGURI_OK) status = count_members(f, arrived, count);
    mg_free(arrived);
    if (status == MEGURI_OK)
        status = mg_agree(f->ctx, s->cluster, mg_distinct_new(&roots, f->ctx, set->items, set->count, "components"));
    if (status == MEGURI_OK) status = mg_ask(f->ctx, &keepers, roots.items, roots.items, roots.count);
    for (uint32_t v = 0; v < s->owned && status == MEGURI_OK; v++)
        mg_global_put(f->label, v, roots.items[roots.index[set->index[v]]]);
    mg_distinct_free(&roots);
    return status;
}

static void name_isolated(void *what, uint64_t begin, uint64_t end) {
    const finding *f = what;
    const mg_shards *s = f->shards;
    for (uint64_t i = begin; i < end; i++)
        if (mg_global_at(s->number, i) >= s->active) mg_global_put(f->component, i, s->home.begin + i);
}

static meguri_status name_components(finding *f) {
    mg_shards *s = f->shards;
    mg_distinct set = {0};
    uint64_t *labels = mg_alloc_array(f->ctx, s->owned, sizeof *labels, "labels of components");
    for (uint32_t v = 0; v < s->owned && labels; v++) labels[v] = mg_global_at(f->label, v);
    meguri_status status = labels ? mg_distinct_new(&set, f->ctx, labels, s->owned, "components") : MEGURI_NO_MEMORY;
    mg_free(labels);
    status = mg_agree(f->ctx, s->cluster, status);
    if (status == MEGURI_OK) status = name_labels(f, &set);
    mg_distinct_free(&set);
    if (status == MEGURI_OK)
        status =
            mg_shards_to_homes(f->ctx, s, f->component.items, f->label.items, mg_global_bytes(s->wide), &(uint64_t){0});
    if (status != MEGURI_OK) return status;
    uint64_t here = s->home.end - s->home.begin;
    mg_for(f->ctx, mg_threads(f->ctx, here, BLOCK), here, name_isolated, f);
    return mg_components_step(&f->labels, "name", s->owned, 0);
}

/* ---- all of it -------------------------------------------------------------------------------------------------- */

static meguri_status find(finding *f) {
    meguri_status status = find_forest(f);
    if (status == MEGURI_OK) status = find_labels(f);
    if (status == MEGURI_OK) status = mg_components_join(f->ctx, &f->labels, &f->edges);
    if (status == MEGURI_OK) status = name_components(f);
    mg_group *all = &f->shards->cluster->all;
    if (status == MEGURI_OK) status = mg_reduce_u64(f->ctx, f->shards->cluster, all, &f->looked_at, 1, MG_SUM);
    return status;
}

static meguri_status set_facts(const finding *f, meguri_result *result, double seconds) {
    meguri_status status = mg_result_set_number(f->ctx, result, "components", f->components);
    if (status == MEGURI_OK) status = mg_result_set_number(f->ctx, result, "largest", f->largest);
    if (status == MEGURI_OK) status = mg_result_set_number(f->ctx, result, "edges", f->looked_at);
    if (status == MEGURI_OK) status = mg_result_set_number(f->ctx, result, "rounds", f->labels.rounds);
    if (status == MEGURI_OK) status = mg_result_set_real(f->ctx, result, "seconds", seconds);
    if (status == MEGURI_OK) status = mg_result_set_number(f->ctx, result, "messages", f->labels.steps.messages);
    if (status == MEGURI_OK) status = mg_result_set_number(f->ctx, result, "bytes", f->labels.steps.bytes);
    return status;
}

meguri_status mg_components_cluster(meguri_ctx *ctx, meguri_result *result, void *component,
                                    const meguri_graph *graph) {
    mg_shards *shards = mg_shards_of(graph);
    finding f = {.ctx = ctx, .shards = shards, .component = {component, shards->wide}};
    double since = mg_now();
    mg_recycle_begin(ctx);
    meguri_status status = mg_shards_both_ways(ctx, shards);
    if (status == MEGURI_OK) status = find(&f);
    if (status == MEGURI_OK) status = mg_agree(ctx, f.shards->cluster, set_facts(&f, result, mg_now() - since));
    mg_free(f.label.items);
    mg_free(f.edges.ends);
    mg_free(f.labels.above);
    free_windows(&f);
    mg_recycle_end(ctx);
    return status;
}
