/* meguri_pull: nodes, then relationships, out of all databases at once, into one .meg file. */
#include "source/pulling.h"

#include <errno.h>
#include <inttypes.h>
#include <meguri/io.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- one share -------------------------------------------------------------------------------------------------- */

static meguri_status add_edges(mg_worker *w, size_t number, char error[MG_BOLT_ERROR]) {
    mg_pulling *p = w->crew->user;
    const mg_share *share = &p->relationship_shares.all[number];
    mg_pulled *e = &w->edges;
    meguri_status status = mg_pulled_decode(e, p->source, &p->nodes, share, p->crew.names[share->database]);
    if (status != MEGURI_OK) {
        snprintf(error, MG_BOLT_ERROR, "%s", e->error);
        return status;
    }
    const meguri_column_data columns[] = {
        {.size = sizeof *columns, .name = "id", .kind = MEGURI_COLUMN_IDS, .type = MEGURI_TYPE_U64, .values = e->ids},
        {.size = sizeof *columns,
         .name = "type",
         .kind = MEGURI_COLUMN_TYPES,
         .type = MEGURI_TYPE_U32,
         .values = e->types,
         .labels = mg_types_list(&e->names),
         .label_count = e->names.count},
        {.size = sizeof *columns, .name = MG_COLUMN_DATABASE, .type = MEGURI_TYPE_U16, .values = e->databases}};
    meguri_edge_arrays edges = {.size = sizeof edges,
                                .count = e->count,
                                .from = e->from,
                                .to = e->to,
                                .id_bytes = 8,
                                .weights = e->weights,
                                .weight_type = e->weights ? MEGURI_TYPE_F64 : MEGURI_TYPE_NONE,
                                .columns = columns,
                                .column_count = p->source->database_count > 1 ? 3 : 2};
    if (e->count) status = meguri_builder_add(w->ctx, p->builder, number, &edges);
    if (status != MEGURI_OK) snprintf(error, MG_BOLT_ERROR, "%s", meguri_ctx_error(w->ctx));
    return status;
}

static meguri_status fetch(mg_worker *w, mg_share *share, char error[MG_BOLT_ERROR]) {
    mg_pulling *p = w->crew->user;
    const mg_queries *queries = &p->queries[w->database];
    const mg_bytes *query = share->relationships ? &queries->relationships : &queries->nodes;
    mg_pulling_parameters(w, share);
    meguri_status status = mg_crew_ask(w, (const char *)query->data, false, error);
    if (status != MEGURI_OK) return status;
    share->records = w->records.data;
    share->bytes = w->records.length;
    return MEGURI_OK;
}

/* Notes a share that has come, so that it need not come again. */
static meguri_status keep(const mg_pulling *p, const mg_share *share, char error[MG_BOLT_ERROR]) {
    if (mg_spool_add(p->spool, share)) return MEGURI_OK;
    snprintf(error, MG_BOLT_ERROR, "%s.pull cannot be written: %s.", p->path, strerror(errno));
    return MEGURI_NO_DISK;
}

/* Nodes stay as they came, until all are there. */
static meguri_status take_nodes(uint64_t *done, mg_worker *w, size_t number, char error[MG_BOLT_ERROR]) {
    mg_pulling *p = w->crew->user;
    mg_share *share = &p->node_shares.all[number];
    *done = share->last - share->first + 1;
    if (share->done) return MEGURI_OK;
    meguri_status status = fetch(w, share, error);
    if (status == MEGURI_OK) status = keep(p, share, error);
    if (status != MEGURI_OK) return status;
    share->own = meguri_ctx_resize(w->ctx, NULL, share->bytes + 1, "the nodes of a share"); /* 1: it may be empty */
    if (!share->own) {
        snprintf(error, MG_BOLT_ERROR, "%s", meguri_ctx_error(w->ctx));
        return MEGURI_NO_MEMORY;
    }
    memcpy(share->own, share->records, share->bytes);
    share->records = share->own;
    return MEGURI_OK;
}

/* Relationships go on at once, and are kept if there is nothing wrong with them: who mends a weight in the database and
 * pulls again wants the new one. */
static meguri_status take_relationships(uint64_t *done, mg_worker *w, size_t number, char error[MG_BOLT_ERROR]) {
    mg_pulling *p = w->crew->user;
    mg_share *share = &p->relationship_shares.all[number];
    meguri_status status = share->done ? MEGURI_OK : fetch(w, share, error);
    if (status == MEGURI_OK) status = add_edges(w, number, error);
    if (status == MEGURI_OK && !share->done) status = keep(p, share, error);
    if (status != MEGURI_OK) return status;
    *done = w->edges.count + w->edges.outside;
    pthread_mutex_lock(&p->crew.lock);
    p->info.relationships += w->edges.count;
    p->info.outside += w->edges.outside;
    if (share->done) p->info.resumed += *done;
    pthread_mutex_unlock(&p->crew.lock);
    return MEGURI_OK;
}

/* ---- all of them ------------------------------------------------------------------------------------------------ */

static meguri_status run(mg_pulling *p, const char *phase, mg_crew_work *work, mg_shares *shares, uint64_t total) {
    for (size_t i = 0; i < shares->count; i++) mg_spool_find(p->spool, &shares->all[i]);
    return mg_crew_run(&p->crew, phase, work, shares, total);
}

/* Ids of a database go from 0 to the highest; what it says of that must not cost more memory than there is. */
static meguri_status check_plan(const mg_pulling *p, uint32_t database, uint64_t highest, uint64_t ids_of_share) {
    uint64_t limit = meguri_ctx_memory_limit(p->ctx) / sizeof(mg_share);
    if (highest == UINT64_MAX || highest / ids_of_share < limit) return MEGURI_OK;
    return mg_source_fail(p->ctx, MEGURI_NO_MEMORY,
                          "%s: its highest id is %" PRIu64 ", and the memory budget has no room for a list of so many "
                          "shares.",
                          p->crew.names[database], highest);
}

static meguri_status plan_nodes(mg_pulling *p, uint64_t *total) {
    for (uint32_t d = 0; d < p->source->database_count; d++) {
        meguri_status status = check_plan(p, d, p->highest[d], MG_SHARE_NODES);
        if (status != MEGURI_OK) return status;
        if (p->highest[d] == UINT64_MAX) continue;
        for (uint64_t first = 0; first <= p->highest[d]; first += MG_SHARE_NODES) {
            mg_share share = {.database = d, .first = first, .last = first + MG_SHARE_NODES - 1, .parts = 1};
            if (!mg_shares_add(&p->node_shares, p->ctx, &share)) return MEGURI_NO_MEMORY;
            *total += MG_SHARE_NODES;
        }
    }
    return MEGURI_OK;
}

/* By their ids; else mg_nodes_make has planned them. */
static meguri_status plan_relationships(mg_pulling *p) {
    for (uint32_t d = 0; d < p->source->database_count && !mg_source_filters(p->source); d++) {
        uint64_t last = p->highest_relationship[d];
        meguri_status status = check_plan(p, d, last, MG_SHARE_RELATIONSHIPS);
        if (status != MEGURI_OK) return status;
        for (uint64_t first = 0; last != UINT64_MAX && first <= last; first += MG_SHARE_RELATIONSHIPS) {
            mg_share share = {.database = d,
                              .relationships = true,
                              .first = first,
                              .last = MG_MIN(first + MG_SHARE_RELATIONSHIPS - 1, last),
                              .expected = MG_SHARE_RELATIONSHIPS};
            if (!mg_shares_add(&p->relationship_shares, p->ctx, &share)) return MEGURI_NO_MEMORY;
        }
    }
    return MEGURI_OK;
}

/* ---- the graph -------------------------------------------------------------------------------------------------- */

static meguri_status make_builder(mg_pulling *p) {
    const char *const *marks = (const char *const *)p->crew.marks;
    uint32_t databases = (uint32_t)p->source->database_count;
    const meguri_column_data edge_columns[] = {
        {.size = sizeof *edge_columns, .name = "id", .kind = MEGURI_COLUMN_IDS}, /* as short as they can be */
        {.size = sizeof *edge_columns, .name = "type", .kind = MEGURI_COLUMN_TYPES},
        {.size = sizeof *edge_columns, .name = MG_COLUMN_DATABASE, .labels = marks, .label_count = databases}};
    const meguri_column_data vertex_columns[] = {
        {.size = sizeof *vertex_columns, .name = MG_COLUMN_DATABASE, .labels = marks, .label_count = databases},
        {.size = sizeof *vertex_columns, .name = MG_COLUMN_NODE}};
    const meguri_build_options build = {.size = sizeof build,
                                        .direction = p->source->undirected ? MEGURI_UNDIRECTED : MEGURI_DIRECTED,
                                        .duplicates = MEGURI_DUPLICATES_KEEP,
                                        .keep_loops = 1,
                                        .in_rows = 1};
    const meguri_builder_options options = {.size = sizeof options,
                                            .ids = p->nodes.kind,
                                            .build = &build,
                                            .columns = edge_columns,
                                            .column_count = databases > 1 ? 3 : 2,
                                            .vertex_columns = vertex_columns,
                                            .vertex_column_count = mg_nodes_columns(p->source)};
    meguri_status status = meguri_builder_new(&p->builder, p->ctx, &options);
    return status == MEGURI_OK ? mg_nodes_give(&p->nodes, p->ctx, p->source, p->builder) : status;
}

static meguri_status finish(mg_pulling *p) {
    meguri_graph *graph = NULL;
    const meguri_sink sink = {.size = sizeof sink, .path = p->path};
    double start = mg_crew_now();
    meguri_status status = meguri_builder_finish(&graph, p->ctx, p->builder);
    double built = mg_crew_now();
    p->info.build_seconds = built - start;
    /* As old as the oldest share. */
    const meguri_generation generation = {
        .size = sizeof generation, .number = p->info.generation, .time = mg_spool_began(p->spool)};
    const meguri_save_options save = {.size = sizeof save, .generation = &generation};
    if (status == MEGURI_OK) status = meguri_save(p->ctx, graph, &sink, &save);
    p->info.save_seconds = mg_crew_now() - built;
    meguri_graph_free(graph);
    return status;
}

static void tell(const mg_pulling *p) {
    char text[300];
    if (!p->info.outside) return;
    snprintf(text, sizeof text,
             "%" PRIu64 " relationships were left out, because one of their nodes was: by a filter, or because the "
             "database changed while it was read.",
             p->info.outside);
    meguri_ctx_log(p->ctx, MEGURI_LOG_WARNING, text);
}

static meguri_status pull_all(mg_pulling *p) {
    uint64_t ids = 0, relationships = 0;
    double start = mg_crew_now();
    meguri_status status = plan_nodes(p, &ids);
    if (status == MEGURI_OK) status = mg_spool_open(&p->spool, p->ctx, p->path, ".pull", p->source->hash);
    if (status == MEGURI_OK) status = run(p, "pull nodes", take_nodes, &p->node_shares, ids);
    if (status == MEGURI_OK) {
        status = mg_nodes_make(&p->nodes, &p->relationship_shares, p->ctx, p->source, &p->node_shares, p->crew.names);
        if (status == MEGURI_OK) status = make_builder(p);
        p->forget = status == MEGURI_BAD_INPUT || status == MEGURI_ENGINE_FAILED;
    }
    if (status == MEGURI_OK) status = plan_relationships(p);
    for (size_t i = 0; i < p->relationship_shares.count; i++) relationships += p->relationship_shares.all[i].expected;
    double planned = mg_crew_now();
    p->info.node_seconds = planned - start;
    if (status == MEGURI_OK)
        status = run(p, "pull relationships", take_relationships, &p->relationship_shares, relationships);
    p->info.relationship_seconds = mg_crew_now() - planned;
    p->info.nodes = p->nodes.vertices;
    p->info.proxies = p->nodes.proxies;
    if (status == MEGURI_OK) status = finish(p);
    if (status == MEGURI_OK) tell(p);
    return status;
}

/* Of the cache that is to be refreshed: 0 where it does not say. */
static meguri_status old_generation(meguri_generation *out, meguri_ctx *ctx, const char *path) {
    meguri_graph *graph = NULL;
    if (access(path, F_OK) != 0) return mg_source_fail_open(ctx, path, errno);
    meguri_status status = meguri_open(&graph, ctx, path, NULL);
    if (status == MEGURI_OK) status = meguri_graph_generation(out, ctx, graph);
    meguri_graph_free(graph);
    return status;
}

meguri_status meguri_pull(meguri_pull_info *out, meguri_ctx *ctx, const meguri_source *source, const char *path,
                          const meguri_pull_options *options) {
    meguri_status status = mg_pulling_check(out, ctx, source, __func__);
    if (status == MEGURI_OK && (!path || !*path))
        status = mg_source_fail(ctx, MEGURI_BAD_ARGUMENT, "%s: there is no name of a file.", __func__);
    if (status == MEGURI_OK && options && options->size != sizeof *options)
        status = mg_source_fail(ctx, MEGURI_BAD_ARGUMENT, "%s: the size of the options is not that of this library.",
                                __func__);
    if (status != MEGURI_OK) return status;
    meguri_generation old = {.size = sizeof old};
    if (options && options->refresh && (status = old_generation(&old, ctx, path)) != MEGURI_OK) return status;
    mg_pulling p;
    double start = mg_crew_now();
    status = mg_pulling_begin(&p, ctx, source, NULL);
    p.path = path;
    p.info.generation = old.number + 1;
    p.info.connect_seconds = mg_crew_now() - start;
    if (status == MEGURI_OK) status = pull_all(&p);
    mg_pulling_end(&p, status == MEGURI_OK || p.forget);
    if (out && status == MEGURI_OK) *out = p.info;
    return status;
}
