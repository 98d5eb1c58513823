/* What searches of one graph in parts share: memory, first neighbours, places in the user's order. */
#include "algo/bfs/bfs_cluster.h"

#define ROW_GRAIN 16384

typedef struct first_job {
    mg_bfs_part *part;
    const uint32_t *names; /* of sources; NULL: their own numbers */
} first_job;

static void fill_words(void *what, uint64_t begin, uint64_t end) {
    const first_job *job = what;
    mg_bfs_part *part = job->part;
    const mg_rows *in = &part->tile->in;
    for (uint64_t w = begin; w < end; w++) {
        uint64_t bits = 0;
        for (uint64_t v = 64 * w; v < 64 * w + 64; v++) {
            uint64_t place = mg_row_offset(in, v);
            bool some = place < mg_row_offset(in, v + 1);
            part->first[v] = some ? in->neighbors[place] : 0;
            part->first_position[v] = !some ? 0 : job->names ? job->names[part->first[v]] : part->first[v];
            bits |= (uint64_t)some << (v % 64);
        }
        part->has_in[w] = bits;
    }
}

/* First neighbours of targets in an array of their own, as on one machine (bfs_prepare.c). */
static void fill_first(meguri_ctx *ctx, const mg_bfs_grid *g, mg_bfs_part *part) {
    first_job job = {part, mg_bfs_source_names(g, part)};
    uint64_t rows = part->tile->in.rows;
    mg_for(ctx, mg_threads(ctx, rows, ROW_GRAIN), mg_bitmap_words(rows), fill_words, &job);
}

static meguri_status open_part(meguri_ctx *ctx, mg_bfs_grid *g, int p) {
    static const char what[] = "a search on a cluster";
    mg_bfs_part *part = &g->part[p];
    const mg_layout *l = &g->shards->layout;
    part->tile = &g->shards->tile[p];
    part->source = l->tile_source[p];
    part->target = l->tile_target[p];
    const mg_window *targets = part->tile->targets;
    uint64_t places = targets->places, owners = (uint64_t)targets->owners.count;
    part->first = mg_alloc_array(ctx, places + 16, sizeof *part->first, what);
    part->first_position = mg_alloc_array(ctx, places + 16, sizeof *part->first_position, what);
    part->has_in = mg_alloc_array(ctx, places / 64 + 1, sizeof *part->has_in, what);
    part->next = mg_alloc_array(ctx, places / 64 + 1, sizeof *part->next, what);
    part->tree = mg_alloc_array_zero(ctx, places, sizeof *part->tree, what);
    part->sorted = mg_alloc_array(ctx, places, sizeof *part->sorted, what);
    part->begins = mg_alloc_array_zero(ctx, 2 * owners + 1, sizeof *part->begins, what);
    meguri_status status = mg_queue_new(&part->found, ctx, places + 1, what); /* push_few of bfs_push.c */
    if (!part->first || !part->first_position || !part->has_in || !part->next || !part->tree || !part->sorted ||
        !part->begins)
        return MEGURI_NO_MEMORY;
    part->block_found = part->begins + owners + 1;
    if (status == MEGURI_OK) fill_first(ctx, g, part);
    return status;
}

static meguri_status open_windows(meguri_ctx *ctx, mg_bfs_grid *g) {
    static const char what[] = "a search on a cluster";
    const mg_layout *l = &g->shards->layout;
    meguri_status status = MEGURI_OK;
    for (int i = 0; i < l->windows && status == MEGURI_OK; i++) {
        const mg_window *w = &l->window[i];
        g->visited[i] = mg_alloc_array(ctx, w->places / 64 + 1, sizeof **g->visited, what);
        if (!g->visited[i]) return MEGURI_NO_MEMORY;
        if (w->source) status = mg_queue_new(&g->frontier[i], ctx, w->places, what);
        if (w->target && w->owners.me >= 0) g->own = i;
    }
    return status;
}

static meguri_status open_own(meguri_ctx *ctx, mg_bfs_grid *g) {
    static const char what[] = "a search on a cluster";
    const mg_window *own = mg_bfs_window(g, g->own);
    uint64_t members = (uint64_t)own->members.count, stride = own->stride, replies = stride + 2 * members + 2;
    for (int p = 0; p < g->parts; p++) {
        if (g->shards->layout.tile_target[p] == g->own) g->own_part = p;
        const mg_window *targets = mg_bfs_window(g, g->shards->layout.tile_target[p]);
        if (targets->members.count > 1) replies += targets->places + 2 * (uint64_t)targets->owners.count;
    }
    g->own_word = (uint64_t)own->owners.me * g->words;
    g->reply_bits = mg_bits_below(g->shards->vertices);
    replies *= (g->reply_bits + 31) / 32;
    g->fresh = mg_alloc_array_zero(ctx, g->words + 1, sizeof *g->fresh, what);
    g->scratch = mg_alloc_array_zero(ctx, g->words + 1, sizeof *g->scratch, what);
    g->fresh_list = mg_alloc_array(ctx, stride, sizeof *g->fresh_list, what);
    g->asked = mg_alloc_array_zero(ctx, members * g->words, sizeof *g->asked, what);
    g->chunk_arcs = mg_alloc_array_zero(ctx, g->words / 64 + 1, sizeof *g->chunk_arcs, what);
    g->replies = mg_alloc_array(ctx, replies, sizeof *g->replies, what);
    g->parent = mg_globals_new(ctx, stride, g->shards->wide, what);
    if (g->base.options.levels) g->level = mg_alloc_array(ctx, stride, sizeof *g->level, what);
    if (!g->fresh || !g->scratch || !g->fresh_list || !g->asked || !g->chunk_arcs || !g->replies || !g->parent.items ||
        (g->base.options.levels && !g->level))
        return MEGURI_NO_MEMORY;
    for (uint32_t v = 0; v < g->shards->owned; v++) g->chunk_arcs[v / 4096] += g->shards->degree[v];
    return MEGURI_OK;
}

/* Degrees of some vertices that stand for all, as long as the part of a row is that a process looks through. */
static meguri_status sample_rows(meguri_ctx *ctx, mg_bfs_grid *g) {
    mg_shards *s = g->shards;
    uint64_t sample[MG_BFS_SAMPLE] = {0}, size = (uint64_t)s->cluster->size;
    for (uint64_t i = 0; i < MG_BFS_SAMPLE && s->active; i++) {
        uint64_t rank = i * s->active / MG_BFS_SAMPLE;
        if (rank % size == (uint64_t)s->cluster->rank) sample[i] = s->degree[rank / size];
    }
    meguri_status status = mg_reduce_u64(ctx, s->cluster, &s->cluster->all, sample, MG_BFS_SAMPLE, MG_SUM);
    for (int i = 0; i < MG_BFS_SAMPLE; i++)
        g->base.row_sample[i] = (uint32_t)MG_MAX(1, sample[i] / (uint64_t)s->layout.columns);
    return status;
}

static meguri_status open_plans(meguri_ctx *ctx, mg_bfs_grid *g) {
    const mg_layout *l = &g->shards->layout;
    const bool source[2] = {l->window[0].source, l->windows > 1 && l->window[1].source};
    const bool target[2] = {l->window[0].target, l->windows > 1 && l->window[1].target};
    const mg_windows_plan expand = {.kind = "expand", .chosen = {source[0], source[1]}, .packed = g->packed};
    const mg_windows_plan settle = {
        .kind = "settle", .chosen = {!source[0], l->windows > 1 && !source[1]}, .packed = g->packed};
    const mg_windows_plan fold = {
        .kind = "fold", .to_owners = true, .chosen = {target[0], target[1]}, .packed = g->packed};
    const mg_windows_plan ask = {
        .kind = "parents", .each = true, .chosen = {target[0], target[1]}, .packed = g->packed};
    meguri_status status = mg_windows_sparse(&g->expand, ctx, g->shards->cluster, l, &expand);
    if (status == MEGURI_OK) status = mg_windows_sparse(&g->settle, ctx, g->shards->cluster, l, &settle);
    if (status == MEGURI_OK) status = mg_windows_sparse(&g->fold, ctx, g->shards->cluster, l, &fold);
    if (status == MEGURI_OK) status = mg_windows_sparse(&g->ask, ctx, g->shards->cluster, l, &ask);
    return status;
}

meguri_status mg_bfs_grid_open(meguri_ctx *ctx, meguri_bfs_search *search) {
    mg_bfs_grid *g = (mg_bfs_grid *)search;
    g->shards = mg_shards_of(search->graph);
    meguri_cluster *cluster = g->shards->cluster;
    g->packed = mg_policy_pack(search->options.exchange, cluster->machines);
    search->can_pull = true;
    search->vertices = search->total = g->shards->active;
    search->arcs = g->shards->arcs;
    g->parts = g->shards->layout.tiles;
    g->words = g->shards->layout.window[0].stride / 64;
    meguri_status status = mg_shards_both_ways(ctx, g->shards);
    if (status != MEGURI_OK) return status;
    status = open_windows(ctx, g);
    if (status == MEGURI_OK) status = open_own(ctx, g);
    for (int p = 0; p < g->parts && status == MEGURI_OK; p++) status = open_part(ctx, g, p);
    if (status == MEGURI_OK) status = open_plans(ctx, g);
    if (status == MEGURI_OK) status = mg_exchange_new(&g->parents, ctx, cluster, "parents");
    for (int k = 0; k < MG_BFS_KINDS; k++) g->kind[k] = mg_traffic_named(cluster, mg_bfs_kinds[k].name);
    if (status == MEGURI_OK) status = mg_shards_slots(&g->slot, ctx, g->shards);
    status = mg_agree(ctx, cluster, status);
    return status == MEGURI_OK ? sample_rows(ctx, g) : status;
}

void mg_bfs_grid_close(meguri_bfs_search *search) {
    mg_bfs_grid *g = (mg_bfs_grid *)search;
    for (int i = 0; i < 2; i++) {
        mg_bfs_part *part = &g->part[i];
        void *owned[] = {part->first, part->first_position, part->has_in, part->next,
                         part->tree,  part->sorted,         part->begins, g->visited[i]};
        for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) mg_free(owned[k]);
        mg_queue_free(&part->found);
        mg_queue_free(&g->frontier[i]);
    }
    void *owned[] = {g->fresh,   g->scratch, g->fresh_list,   g->asked, g->chunk_arcs,
                     g->replies, g->slot,    g->parent.items, g->level};
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) mg_free(owned[k]);
    mg_sparse_free(g->expand);
    mg_sparse_free(g->settle);
    mg_sparse_free(g->fold);
    mg_sparse_free(g->ask);
    mg_exchange_free(g->parents);
}
