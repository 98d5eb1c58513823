/* The lists: for every vertex its neighbours that come before it in an order of falling degree.
 *
 * Rows of undirected simple graphs that lie in such an order begin with these lists: nothing is copied, unless they lie
 * in the small pages of a file and are looked at so often that a copy on huge ones pays. Other graphs get lists of
 * their own. Directed graphs: out- and in-row merged. Duplicates or loops: left out. Another order than that of
 * degrees: kept if it costs little (a road has no hubs, and neighbours near each other are worth more), else the
 * vertices are numbered by degree here. */
#include "algo/triangles/triangles.h"

#include "policy/policy.h"

enum {
    PAUSE = 1 << 15,    /* neighbours between two looks at the progress: some 50 µs */
    AT_ONCE = 1 << 20,  /* neighbours of a row that is gone through without such a look: a millisecond */
    TOO_LONG = 1 << 30, /* for a list; in the order of degrees it has √(2 edges) members at most */
    WORTH = 32          /* steps for each edge at which another order than that of degrees is left as it is */
};

/* The neighbours of one vertex in the simple graph, increasing: one or two rows merged. */
typedef struct walk {
    const uint32_t *a, *a_end, *b, *b_end;
    uint32_t self;
} walk;

typedef struct maker {
    meguri_ctx *ctx;
    const char *run;
    mg_triangle_lists *lists;
    mg_rows out, in; /* `in` is empty where the graph is undirected */
    uint32_t vertices;
    bool simple;
    uint32_t *rank; /* internal number → number in the order of degrees; NULL: they are equal */
} maker;

static walk walk_from(const maker *m, uint32_t v) {
    return (walk){.a = m->out.neighbors + mg_row_begin(&m->out, v),
                  .a_end = m->out.neighbors + mg_row_end(&m->out, v),
                  .b = m->in.rows ? m->in.neighbors + mg_row_begin(&m->in, v) : NULL,
                  .b_end = m->in.rows ? m->in.neighbors + mg_row_end(&m->in, v) : NULL,
                  .self = v};
}

/* The next neighbour, and whether it is in both rows; MG_NO_VERTEX after the last. */
static inline uint32_t walk_next(walk *w, bool *both) {
    for (;;) {
        uint32_t a = w->a < w->a_end ? *w->a : MG_NO_VERTEX, b = w->b < w->b_end ? *w->b : MG_NO_VERTEX;
        uint32_t next = MG_MIN(a, b);
        if (next == MG_NO_VERTEX) return next;
        while (w->a < w->a_end && *w->a == next) w->a++;
        while (w->b < w->b_end && *w->b == next) w->b++;
        *both = a == b;
        if (next != w->self) return next;
    }
}

static inline uint32_t rank_of(const maker *m, uint32_t v) { return m->rank ? m->rank[v] : v; }

/* true: cancelled. Called for every neighbour, so that the rows of hubs do not keep anybody waiting. */
static inline bool pause_at(const maker *m, uint64_t step, uint32_t v) {
    return step % PAUSE == PAUSE - 1 && mg_progress(m->ctx, m->run, v, m->vertices);
}

/* ---- lengths ---------------------------------------------------------------------------------------------------- */

/* The same as `measure` for a row that is simple and in the order of lists, as nearly all are; else false. */
static bool measure_simple(const maker *m, uint32_t v, uint32_t *before, uint32_t *all) {
    uint64_t begin = mg_row_begin(&m->out, v), end = mg_row_end(&m->out, v);
    if (m->in.rows || m->rank || end - begin > AT_ONCE) return false;
    const uint32_t *row = m->out.neighbors + begin;
    uint32_t count = (uint32_t)(end - begin), below = 0, odd = 0;
    for (uint32_t i = 0; i < count; i++) {
        below += row[i] < v;
        odd |= row[i] == v;
    }
    for (uint32_t i = 1; i < count; i++) odd |= row[i] == row[i - 1];
    *before = below;
    *all = count;
    return !odd;
}

/* Degrees in the simple graph and lengths of lists; returns the neighbours seen before v times those after it: the
 * looks that counting would take in this order. */
static uint64_t measure(maker *m, uint32_t v, uint64_t *edges, bool *simple) {
    uint32_t before = 0, all = 0, own = rank_of(m, v), next;
    if (!measure_simple(m, v, &before, &all)) {
        walk w = walk_from(m, v);
        bool both;
        before = all = 0;
        while ((next = walk_next(&w, &both)) != MG_NO_VERTEX) {
            before += rank_of(m, next) < own;
            if (pause_at(m, all++, v)) break;
        }
    }
    *simple &= all == mg_row_end(&m->out, v) - mg_row_begin(&m->out, v);
    m->lists->length[own] = before;
    m->lists->degree[own] = all;
    *edges += before;
    return (uint64_t)before * (all - before);
}

typedef struct measuring {
    maker *m;
    uint64_t looks, edges;
    uint32_t longest, odd; /* vertices whose rows are not those of the simple graph */
} measuring;

static void measure_some(void *what, mg_worker *worker) {
    measuring *all = what;
    maker *m = all->m;
    measuring mine = {.m = m};
    for (mg_range chunk; mg_take(worker, &chunk);)
        for (uint64_t v = chunk.begin; v < chunk.end && !mg_cancelled(m->ctx); v++) {
            bool simple = true;
            mine.looks += measure(m, (uint32_t)v, &mine.edges, &simple);
            mine.odd += !simple;
            mine.longest = MG_MAX(mine.longest, m->lists->length[rank_of(m, (uint32_t)v)]);
        }
    mg_fetch_add(&all->looks, mine.looks);
    mg_fetch_add(&all->edges, mine.edges);
    mg_fetch_add(&all->odd, mine.odd);
    mg_atomic_max_u32(&all->longest, mine.longest);
}

/* A loop over the rows of all vertices. */
static mg_loop row_loop(const maker *m, mg_work_fn *work, void *what) {
    return (mg_loop){.ctx = m->ctx,
                     .threads = mg_threads(m->ctx, m->out.arcs + m->in.arcs, PAUSE),
                     .items = m->vertices,
                     .chunk = 64,
                     .work = work,
                     .what = what,
                     .phase = m->run,
                     .total = m->vertices};
}

static meguri_status measure_all(maker *m, uint64_t *work) {
    measuring all = {.m = m};
    mg_loop loop = row_loop(m, measure_some, &all);
    meguri_status status = mg_loop_run(&loop);
    m->simple = all.odd == 0;
    m->lists->longest = all.longest;
    m->lists->edges = all.edges;
    *work = all.looks;
    return status;
}

/* ---- another order ---------------------------------------------------------------------------------------------- */

/* What little is done with every vertex. */
typedef struct vertex_job {
    maker *m;
    uint32_t *keys;
} vertex_job;

static void for_vertices(maker *m, mg_range_fn *act, uint32_t *keys) {
    vertex_job job = {m, keys};
    mg_for(m->ctx, mg_threads(m->ctx, m->vertices, 1 << 16), m->vertices, act, &job);
}

static void complement_degrees(void *what, uint64_t begin, uint64_t end) {
    const vertex_job *job = what;
    for (uint64_t v = begin; v < end; v++) {
        job->keys[v] = ~job->m->lists->degree[v];
        job->m->lists->number[v] = (uint32_t)v;
    }
}

static void invert_order(void *what, uint64_t begin, uint64_t end) {
    const maker *m = ((const vertex_job *)what)->m;
    for (uint64_t r = begin; r < end; r++) m->rank[m->lists->number[r]] = (uint32_t)r;
}

static void copy_lengths(void *what, uint64_t begin, uint64_t end) {
    mg_triangle_lists *l = ((const vertex_job *)what)->m->lists;
    for (uint64_t v = begin; v < end; v++) l->begin[v] = l->length[v];
}

static void copy_offsets(void *what, uint64_t begin, uint64_t end) {
    const maker *m = ((const vertex_job *)what)->m;
    for (uint64_t v = begin; v < end; v++) m->lists->begin[v] = mg_row_offset(&m->out, v);
}

/* Numbers by falling degree; equal ones as they are. Lengths are to be measured again. */
static meguri_status rank_by_degree(maker *m) {
    meguri_ctx *ctx = m->ctx;
    mg_triangle_lists *l = m->lists;
    uint32_t *keys = mg_alloc_array(ctx, m->vertices, sizeof *keys, "degrees");
    l->number = mg_alloc_array(ctx, m->vertices, sizeof *l->number, "the order of triangles");
    meguri_status status = keys && l->number ? MEGURI_OK : MEGURI_NO_MEMORY;
    if (status != MEGURI_OK) goto cleanup;
    for_vertices(m, complement_degrees, keys);
    status = mg_sort_u32(ctx, keys, l->number, sizeof *l->number, m->vertices, 32);
    if (status != MEGURI_OK) goto cleanup;
    m->rank = keys;
    keys = NULL;
    for_vertices(m, invert_order, NULL);
cleanup:
    mg_free(keys);
    return status;
}

/* ---- lists of their own ----------------------------------------------------------------------------------------- */

static meguri_status room_for_lists(maker *m, bool both) {
    mg_triangle_lists *l = m->lists;
    for_vertices(m, copy_lengths, NULL);
    mg_scan_u64(m->ctx, l->begin, m->vertices);
    l->own_entries = mg_alloc_array(m->ctx, l->edges, sizeof *l->own_entries, "the edges of the simple graph");
    if (!l->own_entries) return MEGURI_NO_MEMORY;
    l->neighbors = l->own_entries;
    if (!both) return MEGURI_OK;
    l->both = mg_alloc_array(m->ctx, l->edges, sizeof *l->both, "the directions of edges");
    return l->both ? MEGURI_OK : MEGURI_NO_MEMORY;
}

/* Writes one list; `workspace` has room for twice the longest list where ranks make sorting necessary, and as much
 * again for directions. */
static void fill(const maker *m, uint32_t v, uint32_t *workspace) {
    mg_triangle_lists *l = m->lists;
    uint32_t own = rank_of(m, v), count = 0, next;
    uint32_t *entries = l->own_entries + l->begin[own],
             *ways = workspace ? workspace + 2 * (uint64_t)m->lists->longest : NULL;
    uint8_t *both_of = l->both ? l->both + l->begin[own] : NULL;
    walk w = walk_from(m, v);
    bool both;
    for (uint64_t step = 0; (next = walk_next(&w, &both)) != MG_NO_VERTEX; step++) {
        if (pause_at(m, step, v)) return;
        uint32_t rank = rank_of(m, next);
        if (rank >= own) {
            if (!m->rank) break; /* all others come after, too */
            continue;
        }
        if (both_of && !workspace) both_of[count] = both;
        if (both_of && workspace) ways[count] = both;
        entries[count++] = rank;
    }
    if (!workspace) return;
    mg_sort_small_u32(entries, workspace, both_of ? ways : NULL, both_of ? ways + m->lists->longest : NULL, 4, count,
                      32);
    for (uint32_t i = 0; both_of && i < count; i++) both_of[i] = (uint8_t)ways[i];
}

typedef struct fill_job {
    const maker *m;
    uint32_t *workspaces; /* room for each thread; NULL: nothing is sorted */
    uint64_t room;
} fill_job;

static void fill_some(void *what, mg_worker *worker) {
    const fill_job *job = what;
    uint32_t *workspace = job->workspaces ? job->workspaces + job->room * worker->number : NULL;
    for (mg_range chunk; mg_take(worker, &chunk);)
        for (uint64_t v = chunk.begin; v < chunk.end && !mg_cancelled(job->m->ctx); v++)
            fill(job->m, (uint32_t)v, workspace);
}

static meguri_status fill_all(maker *m) {
    fill_job job = {.m = m, .room = m->rank ? 4 * (uint64_t)m->lists->longest + 16 : 0};
    mg_loop loop = row_loop(m, fill_some, &job);
    if (job.room) {
        job.workspaces =
            mg_alloc_array(m->ctx, job.room * (uint64_t)loop.threads, sizeof *job.workspaces, "sorting neighbours");
        if (!job.workspaces) return MEGURI_NO_MEMORY;
    }
    meguri_status status = mg_loop_run(&loop);
    mg_free(job.workspaces);
    return status;
}

static void copy_some(void *what, mg_worker *worker) {
    const maker *m = what;
    const mg_triangle_lists *l = m->lists;
    for (mg_range chunk; mg_take(worker, &chunk);)
        for (uint64_t v = chunk.begin; v < chunk.end; v++)
            memcpy(l->own_entries + l->begin[v], m->out.neighbors + mg_row_begin(&m->out, v),
                   l->length[v] * sizeof *l->own_entries);
}

/* Rows that begin with the lists. */
static meguri_status copy_all(maker *m) {
    meguri_status status = room_for_lists(m, false);
    if (status != MEGURI_OK) return status;
    mg_loop loop = row_loop(m, copy_some, m);
    return mg_loop_run(&loop);
}

/* ---- all together ----------------------------------------------------------------------------------------------- */

static meguri_status make(maker *m, const meguri_graph *graph, bool both) {
    mg_triangle_lists *l = m->lists;
    uint64_t looks;
    meguri_status status = measure_all(m, &looks);
    if (status != MEGURI_OK) return status;
    /* Many duplicates may have made somebody look like a hub. Lists that are too long for 32-bit sums are not made. */
    bool by_degree = graph->order == MEGURI_ORDER_DEGREE && m->out.arcs <= 2 * l->edges;
    bool ordered = (by_degree || looks / WORTH <= l->edges) && m->lists->longest < TOO_LONG;
    bool lists_there = ordered && m->simple && !graph->directed;
    bool in_file = graph->backing || graph->part[MG_PART_NEIGHBORS].mapped;
    if (lists_there && in_file && mg_policy_triangles_copy(l->edges, looks, mg_memory_left(m->ctx))) return copy_all(m);
    if (lists_there) {
        l->neighbors = m->out.neighbors;
        for_vertices(m, copy_offsets, NULL);
        return MEGURI_OK;
    }
    if (!ordered) status = rank_by_degree(m);
    if (status == MEGURI_OK && !ordered) status = measure_all(m, &looks);
    if (status == MEGURI_OK) status = room_for_lists(m, both && graph->directed);
    return status == MEGURI_OK ? fill_all(m) : status;
}

meguri_status mg_triangle_lists_new(mg_triangle_lists *out, meguri_ctx *ctx, const meguri_graph *graph, bool both,
                                    const char *run) {
    double since = mg_now();
    *out = (mg_triangle_lists){.vertices = (uint32_t)graph->rows};
    maker m = {.ctx = ctx, .run = run, .lists = out, .vertices = (uint32_t)graph->rows};
    meguri_status status = mg_graph_rows(&m.out, ctx, graph);
    if (status == MEGURI_OK && graph->directed) status = mg_graph_in_rows(&m.in, ctx, graph);
    if (status != MEGURI_OK) return status;
    out->begin = mg_alloc_array(ctx, graph->rows + 1, sizeof *out->begin, "lists of neighbours");
    out->length = mg_alloc_array(ctx, graph->rows, sizeof *out->length, "lists of neighbours");
    out->degree = mg_alloc_array(ctx, graph->rows, sizeof *out->degree, "degrees");
    status = out->begin && out->length && out->degree ? make(&m, graph, both) : MEGURI_NO_MEMORY;
    mg_free(m.rank);
    if (status != MEGURI_OK) mg_triangle_lists_free(out);
    else mg_trace_phase(ctx, run, "lists", (int64_t)out->edges, -1, since);
    return status;
}

void mg_triangle_lists_free(mg_triangle_lists *lists) {
    mg_free(lists->begin);
    mg_free(lists->length);
    mg_free(lists->degree);
    mg_free(lists->both);
    mg_free(lists->number);
    mg_free(lists->hub_at);
    mg_free(lists->hub_bits);
    mg_free(lists->own_entries);
    *lists = (mg_triangle_lists){0};
}
