/* Breadth-first search on a cluster: the loop over levels, and the front. */
#include "algo/bfs/bfs_cluster.h"

#include "policy/policy.h"

#include <inttypes.h>

/* ---- levels ----------------------------------------------------------------------------------------------------- */

static meguri_status note_level(meguri_ctx *ctx, mg_bfs_grid *g, const mg_bfs_level *level) {
    if (g->level_count == g->level_capacity) {
        uint64_t capacity = g->level_capacity ? 2 * g->level_capacity : 64;
        void *grown = mg_resize(ctx, g->levels, capacity * sizeof *g->levels, "the levels of a search");
        if (!grown) return MEGURI_NO_MEMORY;
        g->levels = grown;
        g->level_capacity = capacity;
    }
    g->levels[g->level_count++] = *level;
    return MEGURI_OK;
}

/* What was sent since `before`. */
static void traffic_since(mg_traffic out[MG_TRAFFIC_KINDS], const mg_bfs_grid *g,
                          const mg_traffic before[MG_TRAFFIC_KINDS]) {
    for (int k = 0; k < MG_TRAFFIC_KINDS; k++) {
        const mg_traffic *now = &g->shards->cluster->traffic[k];
        out[k] = (mg_traffic){now->messages - before[k].messages, now->bytes - before[k].bytes,
                              now->waited - before[k].waited, now->under_way - before[k].under_way,
                              now->hidden - before[k].hidden};
    }
}

static bool choose_pull(const mg_bfs_grid *g, bool pulling) {
    const meguri_shards *s = g->shards;
    mg_bfs_facts facts = {.vertices = s->active,
                          .arcs = s->arcs,
                          .frontier = g->frontier_count,
                          .frontier_arcs = g->frontier_arcs,
                          .unvisited = MG_MAX(1, s->active - g->reached),
                          .unvisited_arcs = s->arcs - MG_MIN(g->visited_arcs, s->arcs),
                          .rows = g->row_sample,
                          .row_count = MG_BFS_SAMPLE,
                          .pulling = pulling};
    switch (g->options.policy) {
    case MEGURI_BFS_PUSH: return false;
    case MEGURI_BFS_PULL: return true;
    case MEGURI_BFS_FORCED: {
        size_t length = strlen(g->ways);
        return g->ways[MG_MIN(g->level_count, length - 1)] == '<';
    }
    case MEGURI_BFS_P1: return mg_policy_bfs_p1(&facts, g->options.alpha, g->options.beta);
    case MEGURI_BFS_AUTO: break;
    }
    return mg_policy_bfs(&facts);
}

/* All processes add up what is new, and whether one wants to stop. */
static meguri_status agree(meguri_ctx *ctx, mg_bfs_grid *g, uint64_t arcs, meguri_status status) {
    meguri_cluster *cluster = g->shards->cluster;
    uint64_t sums[4] = {g->fresh_count, arcs, mg_progress(ctx, "bfs", g->reached, g->shards->active),
                        status != MEGURI_OK};
    meguri_status talk = mg_reduce_u64(ctx, cluster, &cluster->all, sums, 4, MG_SUM);
    if (talk != MEGURI_OK) return talk;
    if (sums[3]) return mg_agree(ctx, cluster, status);
    if (sums[2]) return mg_fail_cancelled(ctx);
    g->frontier_count = sums[0];
    g->frontier_arcs = sums[1];
    g->reached += sums[0];
    g->visited_arcs += sums[1];
    return MEGURI_OK;
}

/* Nothing is visited but what is no vertex. */
static void clear(mg_bfs_grid *g) {
    const mg_layout *l = &g->shards->layout;
    uint64_t active = g->shards->active, size = (uint64_t)l->size;
    for (int i = 0; i < l->windows; i++) {
        const mg_window *w = &l->window[i];
        memset(g->visited[i], 0, (w->places / 64 + 1) * sizeof **g->visited);
        for (int b = 0; b < w->owners.count; b++) {
            uint64_t rank = (uint64_t)w->owners.ranks[b], owned = active > rank ? (active - rank - 1) / size + 1 : 0;
            for (uint64_t v = owned; v < w->stride; v++) {
                uint64_t place = (uint64_t)b * w->stride + v;
                g->visited[i][place / 64] |= (uint64_t)1 << (place % 64);
            }
        }
    }
    for (int p = 0; p < g->parts; p++)
        memcpy(g->part[p].next, g->visited[g->part[p].target],
               (mg_bfs_window(g, g->part[p].target)->places / 64 + 1) * sizeof(uint64_t));
    memset(g->asked, 0, (uint64_t)mg_bfs_window(g, g->own)->members.count * g->words * sizeof *g->asked);
    if (g->level) memset(g->level, 0xff, 64 * g->words * sizeof *g->level);
    g->level_count = g->depth = 0;
    g->edges = g->reached = g->visited_arcs = 0;
    g->fresh_count = 0;
    g->fresh_listed = true;
}

static uint64_t start(mg_bfs_grid *g, uint32_t rank, uint32_t position) {
    const meguri_shards *s = g->shards;
    clear(g);
    if (rank % (uint32_t)s->cluster->size != (uint32_t)s->cluster->rank) return 0;
    uint32_t v = rank / (uint32_t)s->cluster->size;
    g->fresh[v / 64] = (uint64_t)1 << (v % 64);
    g->fresh_list[0] = v;
    g->fresh_count = 1;
    g->part[g->own_part].tree[64 * g->own_word + v] = position;
    if (g->level) g->level[v] = 0;
    return s->degree[v];
}

/* The parents of the own vertices, in the user's order. Without a branch: MEGURI_NO_VERTEX has all bits set. */
static void write_parents(meguri_ctx *ctx, mg_bfs_grid *g) {
    const uint32_t *tree = g->part[g->own_part].tree + 64 * g->own_word, *slot = g->slot;
    const uint64_t *visited = g->visited[g->own] + g->own_word;
    uint32_t *parent = g->parent;
    uint64_t owned = g->shards->owned;
    int threads = mg_threads(ctx, owned, 1 << 14);
#pragma omp parallel for num_threads(mg_team(threads)) schedule(static)
    for (uint64_t w = 0; w < g->words; w++) {
        uint64_t bits = visited[w], end = MG_MIN(64 * w + 64, owned);
        for (uint64_t v = 64 * w; v < end; v++, bits >>= 1) parent[slot[v]] = tree[v] | (uint32_t)((bits & 1) - 1);
    }
}

static meguri_status search(meguri_ctx *ctx, mg_bfs_grid *g, uint64_t arcs) {
    uint32_t limit = g->options.levels ? g->options.levels - 1 : UINT32_MAX;
    meguri_status status = agree(ctx, g, arcs, MEGURI_OK);
    bool pull = false;
    while (status == MEGURI_OK && g->frontier_count && g->depth < limit && g->reached < g->shards->active) {
        mg_traffic before[MG_TRAFFIC_KINDS];
        memcpy(before, g->shards->cluster->traffic, sizeof before);
        mg_bfs_level level = {.frontier = g->frontier_count, .seconds = mg_now()};
        uint64_t edges = g->edges, frontier_arcs = 0;
        pull = choose_pull(g, pull);
        status = mg_bfs_grid_expand(ctx, g, !pull);
        if (status == MEGURI_OK) status = pull ? mg_bfs_grid_pull(ctx, g) : mg_bfs_grid_push(ctx, g);
        if (status == MEGURI_OK) status = mg_bfs_grid_merge(ctx, g, pull, &frontier_arcs);
        if (status != MEGURI_OK) return status;
        status = agree(ctx, g, frontier_arcs, MEGURI_OK);
        if (status != MEGURI_OK) return status;
        if (g->frontier_count) g->depth++;
        level.way = pull ? MEGURI_BFS_WAY_PULL : MEGURI_BFS_WAY_PUSH;
        level.edges = g->edges - edges;
        level.reached = g->frontier_count;
        level.seconds = mg_now() - level.seconds;
        traffic_since(level.traffic, g, before);
        status = note_level(ctx, g, &level);
        if (status != MEGURI_OK) g->shards->cluster->failed = true;
    }
    /* What the last level found is visited, too, where its owner is asked. */
    if (status == MEGURI_OK) {
        uint64_t *visited = g->visited[g->own] + g->own_word;
        for (uint64_t w = 0; w < g->words; w++) {
            visited[w] |= g->fresh[w];
            g->fresh[w] = 0;
        }
    }
    return status;
}

/* The parents, and what that moved and took. */
static meguri_status fetch_parents(meguri_ctx *ctx, mg_bfs_grid *g) {
    mg_traffic before[MG_TRAFFIC_KINDS];
    memcpy(before, g->shards->cluster->traffic, sizeof before);
    mg_bfs_level level = {.frontier = g->reached, .seconds = mg_now()};
    meguri_status status = mg_bfs_grid_fetch_parents(ctx, g);
    level.seconds = mg_now() - level.seconds;
    traffic_since(level.traffic, g, before);
    g->parents_level = level;
    return status;
}

/* ---- the front -------------------------------------------------------------------------------------------------- */

meguri_status mg_bfs_grid_new(mg_bfs_grid **out, meguri_ctx *ctx, meguri_shards *shards,
                              const meguri_bfs_options *options, bool packed) {
    *out = NULL;
    mg_bfs_grid *g = mg_alloc_zero(ctx, sizeof *g, "a search on a cluster");
    meguri_status status = g ? MEGURI_OK : MEGURI_NO_MEMORY;
    if (status == MEGURI_OK) {
        g->shards = shards;
        g->packed = packed;
        status = mg_bfs_options(ctx, &g->options, options);
    }
    if (status == MEGURI_OK && g->options.policy == MEGURI_BFS_FORCED) {
        g->ways = mg_strdup(ctx, g->options.ways, "the ways of a search");
        if (!g->ways) status = MEGURI_NO_MEMORY;
    }
    status = mg_agree(ctx, shards->cluster, status);
    if (status == MEGURI_OK) status = mg_bfs_grid_open(ctx, g);
    if (status == MEGURI_OK) *out = g;
    else mg_bfs_grid_free(g);
    return status;
}

void mg_bfs_grid_free(mg_bfs_grid *g) {
    if (!g) return;
    mg_bfs_grid_close(g);
    mg_free(g);
}

meguri_status mg_bfs_grid_run(mg_bfs_grid_answer *out, meguri_ctx *ctx, mg_bfs_grid *g, uint64_t source) {
    meguri_shards *s = g->shards;
    uint32_t rank;
    if (source >= s->vertices)
        return mg_fail(ctx, MEGURI_NOT_FOUND, "there is no vertex %" PRIu64 " in a graph of %" PRIu64 ".", source,
                       s->vertices);
    meguri_status status = mg_shards_rank(&rank, ctx, s, source);
    if (status != MEGURI_OK) return status;
    mg_traffic before[MG_TRAFFIC_KINDS];
    memcpy(before, s->cluster->traffic, sizeof before);
    double begin = mg_now();
    if (rank >= s->active) clear(g); /* nothing leaves an isolated vertex */
    else {
        status = search(ctx, g, start(g, rank, (uint32_t)source));
        if (status == MEGURI_OK && !g->options.no_parents) status = fetch_parents(ctx, g);
    }
    if (status != MEGURI_OK) return status;
    if (!g->options.no_parents) write_parents(ctx, g);
    *out = (mg_bfs_grid_answer){.reached = rank >= s->active ? 1 : g->reached,
                                .depth = g->depth,
                                .edges = g->edges,
                                .seconds = mg_now() - begin,
                                .parent = g->parent,
                                .slot = g->slot,
                                .level = g->level};
    traffic_since(out->traffic, g, before);
    return g->traced ? mg_bfs_grid_trace(ctx, g) : MEGURI_OK;
}

/* Sums over all processes become facts. */
static meguri_status set_facts(meguri_ctx *ctx, mg_bfs_grid *g, meguri_result *result, const mg_bfs_grid_answer *a) {
    static const struct {
        const char *name;
        mg_traffic_kind kind;
    } kinds[] = {{"expand_bytes", MG_TRAFFIC_EXPAND},
                 {"fold_bytes", MG_TRAFFIC_FOLD},
                 {"settle_bytes", MG_TRAFFIC_SETTLE},
                 {"parent_bytes", MG_TRAFFIC_PARENTS}};
    meguri_cluster *cluster = g->shards->cluster;
    uint64_t sums[4 + 4] = {a->edges};
    double seconds = a->seconds;
    for (int k = 0; k < MG_TRAFFIC_KINDS; k++) {
        sums[1] += a->traffic[k].messages;
        sums[2] += a->traffic[k].bytes;
    }
    for (int k = 0; k < 4; k++) sums[3 + k] = a->traffic[kinds[k].kind].bytes;
    sums[7] = mg_bfs_grid_predict(g, a);
    meguri_status status = mg_reduce_u64(ctx, cluster, &cluster->all, sums, 8, MG_SUM);
    if (status == MEGURI_OK) status = mg_reduce_f64(ctx, cluster, &cluster->all, &seconds, 1, MG_MAXIMUM);
    if (status == MEGURI_OK) status = mg_result_set_number(ctx, result, "reached", a->reached);
    if (status == MEGURI_OK) status = mg_result_set_number(ctx, result, "depth", a->depth);
    if (status == MEGURI_OK) status = mg_result_set_number(ctx, result, "edges", sums[0]);
    if (status == MEGURI_OK) status = mg_result_set_real(ctx, result, "seconds", seconds);
    if (status == MEGURI_OK) status = mg_result_set_number(ctx, result, "messages", sums[1]);
    if (status == MEGURI_OK) status = mg_result_set_number(ctx, result, "bytes", sums[2]);
    for (int k = 0; k < 4 && status == MEGURI_OK; k++)
        status = mg_result_set_number(ctx, result, kinds[k].name, sums[3 + k]);
    if (status == MEGURI_OK) status = mg_result_set_number(ctx, result, "predicted_bytes", sums[7]);
    return status;
}

/* A column of 32-bit items for the home range, made from the owners' items by local number. */
static meguri_status add_column(meguri_ctx *ctx, meguri_shards *s, meguri_result *result, const char *name,
                                meguri_column_type type, const uint32_t *mine, uint64_t source, uint32_t of_source) {
    static const uint32_t none = UINT32_MAX; /* level -1, and no vertex */
    uint64_t count = s->home.end - s->home.begin;
    uint32_t *data = mg_alloc_array(ctx, count, sizeof *data, "the result of a search");
    meguri_status status = data ? mg_result_own(ctx, result, data) : MEGURI_NO_MEMORY;
    if (status == MEGURI_OK) status = mg_result_add_column(ctx, result, name, type, data, count, sizeof *data);
    status = mg_agree(ctx, s->cluster, status);
    if (status == MEGURI_OK) status = mg_shards_to_homes(ctx, s, data, mine, sizeof *data, &none);
    if (status == MEGURI_OK && source >= s->home.begin && source < s->home.end)
        data[source - s->home.begin] = of_source; /* also where it is isolated */
    return status;
}

static meguri_status make_result(meguri_ctx *ctx, mg_bfs_grid *g, meguri_result *result, uint64_t source,
                                 const mg_bfs_grid_answer *a) {
    meguri_shards *s = g->shards;
    meguri_status status = MEGURI_OK;
    if (a->level)
        status = add_column(ctx, s, result, "level", MEGURI_COLUMN_I32, (const uint32_t *)a->level, source, 0);
    if (status == MEGURI_OK && !g->options.no_parents) {
        /* By local number again: the tree has them. */
        uint32_t *parent = mg_alloc_array(ctx, s->owned, sizeof *parent, "the result of a search");
        status = mg_agree(ctx, s->cluster, parent ? MEGURI_OK : MEGURI_NO_MEMORY);
        for (uint32_t v = 0; v < s->owned && status == MEGURI_OK; v++) parent[v] = a->parent[a->slot[v]];
        if (status == MEGURI_OK)
            status = add_column(ctx, s, result, "parent", MEGURI_COLUMN_VERTEX, parent, source, (uint32_t)source);
        mg_free(parent);
    }
    return status == MEGURI_OK ? set_facts(ctx, g, result, a) : status;
}

/* What all processes must be given alike. */
static mg_call describe(uint64_t source, const meguri_shards_bfs_options *o) {
    mg_call call = {.name = "meguri_shards_bfs"};
    const meguri_bfs_options *search = o->search && o->search->size >= sizeof *search ? o->search : NULL;
    mg_call_number(&call, "source", source);
    mg_call_number(&call, "choice of packing", o->packed != 0);
    mg_call_number(&call, "policy", search ? (uint64_t)search->policy : 0);
    mg_call_real(&call, "alpha", search ? search->alpha : 0);
    mg_call_real(&call, "beta", search ? search->beta : 0);
    mg_call_text(&call, "list of ways", search ? search->ways : NULL);
    mg_call_number(&call, "number of levels", search ? search->levels : 0);
    mg_call_number(&call, "choice of levels", search && search->no_levels);
    mg_call_number(&call, "choice of parents", search && search->no_parents);
    return call;
}

meguri_status meguri_shards_bfs(meguri_result **out, meguri_ctx *ctx, meguri_shards *shards, uint64_t source,
                                const meguri_shards_bfs_options *options) {
    if (out) *out = NULL;
    if (!out || !ctx || !shards) return mg_missing(ctx, __func__);
    mg_begin(ctx);
    meguri_shards_bfs_options o;
    meguri_result *result = NULL;
    mg_bfs_grid *g = NULL;
    mg_bfs_grid_answer answer;
    meguri_status status = mg_options(ctx, &o, sizeof o, options, "meguri_shards_bfs_options");
    mg_call call = status == MEGURI_OK ? describe(source, &o) : (mg_call){.name = "meguri_shards_bfs"};
    if (status == MEGURI_OK) status = mg_result_new(&result, ctx);
    status = mg_agree_call(ctx, shards->cluster, status, &call);
    if (status == MEGURI_OK) status = mg_bfs_grid_new(&g, ctx, shards, o.search, o.packed);
    if (status == MEGURI_OK) status = mg_bfs_grid_run(&answer, ctx, g, source);
    if (status == MEGURI_OK) status = make_result(ctx, g, result, source, &answer);
    mg_bfs_grid_free(g);
    if (status == MEGURI_OK) *out = result;
    else meguri_result_free(result);
    return status;
}
