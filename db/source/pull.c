/* meguri_pull: nodes, then relationships, out of all databases at once, into one .meg file.
 *
 * Every connection has a thread, which takes shares of its database one after another. The thread that called only
 * waits, reports progress, and tells the others to stop. What is lost with a connection is asked for again, over a new
 * one, a few times; then the first failure ends the pull. */
#define _GNU_SOURCE /* memrchr */
#include "source/source.h"

#include <errno.h>
#include <inttypes.h>
#include <meguri/io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { TRIES = 3, NAME = 600 };

typedef struct pulling pulling;

typedef struct worker {
    pulling *pull;
    uint32_t database;
    mg_bolt *bolt; /* under the lock of the pull where others may look at it */
    mg_bytes records, parameters;
    mg_pulled edges;
    meguri_ctx *ctx; /* for the builder */
    pthread_t thread;
    bool started;
    uint64_t received; /* by connections that are closed */
} worker;

struct pulling {
    meguri_ctx *ctx;
    const meguri_source *source;
    const char *path;
    meguri_pull_info info;
    char **names; /* of the databases: HOST:PORT/DATABASE */
    char **marks; /* what they call themselves: the middle of their element ids */
    mg_queries *queries;
    uint64_t *highest; /* id of a node; UINT64_MAX: there is none */
    worker *workers;
    size_t worker_count;
    mg_spool *spool;
    mg_shares node_shares, relationship_shares;
    mg_nodes nodes;
    meguri_builder *builder;

    pthread_mutex_t lock; /* for what follows */
    pthread_cond_t changed;
    const char *phase;
    mg_shares *shares; /* those of the phase */
    size_t next;       /* the first that may not be taken yet */
    size_t working;    /* threads */
    uint64_t done, total;
    bool stop;
    meguri_status status;
    char error[MG_BOLT_ERROR];
};

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* ---- threads ---------------------------------------------------------------------------------------------------- */

/* The first failure counts, and ends the work of all. */
static void fail(pulling *p, meguri_status status, const char *sentence) {
    pthread_mutex_lock(&p->lock);
    if (p->status == MEGURI_OK) {
        p->status = status;
        snprintf(p->error, sizeof p->error, "%s", sentence);
    }
    p->stop = true;
    for (size_t i = 0; i < p->worker_count; i++) mg_bolt_stop(p->workers[i].bolt);
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
}

static bool stopped(pulling *p) {
    pthread_mutex_lock(&p->lock);
    bool stop = p->stop;
    pthread_mutex_unlock(&p->lock);
    return stop;
}

static void set_bolt(worker *w, mg_bolt *bolt) {
    pthread_mutex_lock(&w->pull->lock);
    mg_bolt *old = w->bolt;
    if (old) w->received += mg_bolt_received(old);
    w->bolt = bolt;
    pthread_mutex_unlock(&w->pull->lock);
    mg_bolt_close(old);
}

static meguri_status connect_worker(worker *w, char error[MG_BOLT_ERROR]) {
    const meguri_source *source = w->pull->source;
    const mg_database *d = &source->databases[w->database];
    mg_bolt_options options = {
        .stream = {.connect_timeout = MG_MIN(source->timeout, 15), .timeout = source->timeout, .ca_file = d->ca_file},
        .username = d->username,
        .password = d->password};
    mg_bolt *bolt;
    meguri_status status = mg_bolt_open(&bolt, &d->uri, &options, error);
    if (status == MEGURI_OK) set_bolt(w, bolt);
    return status;
}

/* ---- one share -------------------------------------------------------------------------------------------------- */

static void pack_number(mg_bytes *out, const char *name, uint64_t number) {
    mg_pack_string(out, name);
    mg_pack_integer(out, (int64_t)number);
}

static void pack_where(mg_bytes *out, const char *name, const mg_bytes *map) {
    mg_pack_string(out, name);
    if (map->length) mg_bytes_add(out, map->data, map->length);
    else mg_pack_map(out, 0);
}

static void pack_parameters(worker *w, const mg_share *share) {
    const meguri_source *source = w->pull->source;
    mg_bytes *out = &w->parameters;
    out->length = 0;
    mg_pack_map(out, 7);
    pack_number(out, "a", share->first);
    pack_number(out, "b", share->last);
    pack_number(out, "parts", share->parts);
    pack_number(out, "part", share->part);
    pack_number(out, "groups", share->expected / MG_RECORD_ITEMS + 1);
    pack_where(out, "nodes", &source->where_node);
    pack_where(out, "relationships", &source->where_relationship);
}

/* All records of a share, each with its length before it. */
static meguri_status receive_share(worker *w, const mg_share *share) {
    const mg_queries *queries = &w->pull->queries[w->database];
    const mg_bytes *query = share->relationships ? &queries->relationships : &queries->nodes;
    bool more = true;
    mg_cursor record;
    w->records.length = 0;
    pack_parameters(w, share);
    meguri_status status = mg_bolt_run(w->bolt, (const char *)query->data, &w->parameters, false);
    while (status == MEGURI_OK && (status = mg_bolt_next(&more, &record, w->bolt)) == MEGURI_OK && more) {
        uint32_t length = (uint32_t)(record.end - record.at);
        mg_bytes_add(&w->records, &length, sizeof length);
        mg_bytes_add(&w->records, record.at, length);
    }
    return status;
}

/* Over a new connection where the old one is gone; a failure has its sentence in `error`. */
static meguri_status fetch_share(worker *w, const mg_share *share, char error[MG_BOLT_ERROR]) {
    meguri_status status = MEGURI_OK;
    for (int try = 0; try < TRIES && !stopped(w->pull); try++) {
        bool again = true;
        if (try) nanosleep(&(struct timespec){.tv_nsec = 300000000}, NULL);
        status = w->bolt ? MEGURI_OK : connect_worker(w, error);
        if (status == MEGURI_OK) {
            status = receive_share(w, share);
            if (status == MEGURI_OK) return status;
            snprintf(error, MG_BOLT_ERROR, "%s", mg_bolt_error(w->bolt));
            again = mg_bolt_may_pass(w->bolt);
            set_bolt(w, NULL);
        }
        if (!again) break;
    }
    return status;
}

static meguri_status add_edges(worker *w, size_t number, char error[MG_BOLT_ERROR]) {
    pulling *p = w->pull;
    const mg_share *share = &p->relationship_shares.all[number];
    mg_pulled *e = &w->edges;
    meguri_status status = mg_pulled_decode(e, p->source, &p->nodes, share, p->names[share->database]);
    if (status != MEGURI_OK) {
        snprintf(error, MG_BOLT_ERROR, "%s", e->error);
        return status;
    }
    const meguri_edge_column columns[] = {
        {.size = sizeof *columns, .name = "id", .kind = MEGURI_EDGE_IDS, .type = MEGURI_VALUE_U64, .values = e->ids},
        {.size = sizeof *columns,
         .name = "type",
         .kind = MEGURI_EDGE_TYPES,
         .type = MEGURI_VALUE_U32,
         .values = e->types,
         .labels = (const char *const *)e->type_names,
         .label_count = e->type_count},
        {.size = sizeof *columns, .name = MG_COLUMN_DATABASE, .type = MEGURI_VALUE_U16, .values = e->databases}};
    meguri_edge_arrays edges = {.size = sizeof edges,
                                .count = e->count,
                                .from = e->from,
                                .to = e->to,
                                .id_bytes = 8,
                                .weights = e->weights,
                                .weight_type = e->weights ? MEGURI_WEIGHT_F64 : MEGURI_WEIGHT_NONE,
                                .columns = columns,
                                .column_count = p->source->database_count > 1 ? 3 : 2};
    if (e->count) status = meguri_builder_add(w->ctx, p->builder, number, &edges);
    if (status != MEGURI_OK) snprintf(error, MG_BOLT_ERROR, "%s", meguri_ctx_error(w->ctx));
    return status;
}

/* Nodes stay as they came, until all are there; relationships go on at once. */
static meguri_status take_share(worker *w, size_t number, char error[MG_BOLT_ERROR]) {
    pulling *p = w->pull;
    mg_share *share = &p->shares->all[number];
    meguri_status status = MEGURI_OK;
    if (!share->done) {
        status = fetch_share(w, share, error);
        if (status != MEGURI_OK) return status;
        if (w->records.failed) {
            snprintf(error, MG_BOLT_ERROR, "the system has no memory for the records of a share.");
            return MEGURI_NO_MEMORY;
        }
        share->records = w->records.data;
        share->bytes = w->records.length;
        if (!mg_spool_add(p->spool, share)) {
            snprintf(error, MG_BOLT_ERROR, "%s.pull cannot be written: %s.", p->path, strerror(errno));
            return MEGURI_NO_DISK;
        }
        if (!share->relationships) {
            share->own = w->records.data;
            w->records = (mg_bytes){0};
        }
    }
    return share->relationships ? add_edges(w, number, error) : MEGURI_OK;
}

/* ---- a phase ---------------------------------------------------------------------------------------------------- */

/* The next share of a worker's database; false where there are none left. */
static bool next_share(size_t *out, worker *w) {
    pulling *p = w->pull;
    pthread_mutex_lock(&p->lock);
    size_t *next = &p->next;
    bool found = false;
    /* Shares lie in the order of their databases. */
    for (size_t i = *next; !p->stop && i < p->shares->count; i++) {
        mg_share *share = &p->shares->all[i];
        if (share->taken || share->database != w->database) continue;
        share->taken = found = true;
        *out = i;
        break;
    }
    while (*next < p->shares->count && p->shares->all[*next].taken) ++*next;
    pthread_mutex_unlock(&p->lock);
    return found;
}

static void *work(void *user) {
    worker *w = user;
    pulling *p = w->pull;
    char error[MG_BOLT_ERROR];
    size_t number;
    while (next_share(&number, w)) {
        meguri_status status = take_share(w, number, error);
        if (status != MEGURI_OK) {
            fail(p, status, error);
            break;
        }
        const mg_share *share = &p->shares->all[number];
        pthread_mutex_lock(&p->lock);
        p->done += share->relationships ? w->edges.count + w->edges.outside : share->last - share->first + 1;
        if (share->relationships) {
            p->info.relationships += w->edges.count;
            p->info.outside += w->edges.outside;
            if (share->done) p->info.resumed += w->edges.count + w->edges.outside;
        }
        pthread_mutex_unlock(&p->lock);
    }
    pthread_mutex_lock(&p->lock);
    p->working--;
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

/* Waits for all threads, and tells how far they are. */
static void wait_for_all(pulling *p) {
    pthread_mutex_lock(&p->lock);
    while (p->working) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 50000000;
        if (until.tv_nsec >= 1000000000) until.tv_sec++, until.tv_nsec -= 1000000000;
        pthread_cond_timedwait(&p->changed, &p->lock, &until);
        uint64_t done = p->done;
        bool stop = p->stop;
        pthread_mutex_unlock(&p->lock);
        if (!stop && meguri_ctx_progress(p->ctx, p->phase, done, p->total) != MEGURI_OK)
            fail(p, MEGURI_CANCELLED, "interrupted.");
        pthread_mutex_lock(&p->lock);
    }
    pthread_mutex_unlock(&p->lock);
}

static meguri_status run_phase(pulling *p, const char *phase, mg_shares *shares, uint64_t total) {
    p->phase = phase;
    p->shares = shares;
    p->next = 0;
    p->done = 0;
    p->total = total;
    for (size_t i = 0; i < shares->count; i++) mg_spool_find(p->spool, &shares->all[i]);
    for (size_t i = 0; i < p->worker_count; i++) {
        pthread_mutex_lock(&p->lock);
        p->working++;
        pthread_mutex_unlock(&p->lock);
        p->workers[i].started = pthread_create(&p->workers[i].thread, NULL, work, &p->workers[i]) == 0;
        if (p->workers[i].started) continue;
        fail(p, MEGURI_NO_MEMORY, "the system gives no thread for a connection; ask for fewer connections.");
        pthread_mutex_lock(&p->lock);
        p->working--;
        pthread_mutex_unlock(&p->lock);
    }
    wait_for_all(p);
    for (size_t i = 0; i < p->worker_count; i++)
        if (p->workers[i].started) pthread_join(p->workers[i].thread, NULL);
    return p->status == MEGURI_OK ? MEGURI_OK : meguri_ctx_fail(p->ctx, p->status, p->error);
}

/* ---- what there is ---------------------------------------------------------------------------------------------- */

/* The middle of an element id, "4:MIDDLE:17", which tells a database from all others; its name where it has none. */
static meguri_status ask_mark(char **out, pulling *p, worker *w) {
    mg_cursor record;
    mg_value id = {.kind = MG_NULL};
    uint64_t fields, items = 0;
    const mg_database *d = &p->source->databases[w->database];
    if (mg_bolt_version(w->bolt) >= 500) {
        meguri_status status =
            mg_bolt_ask(&record, w->bolt, "MATCH (n) WITH elementId(n) AS e LIMIT 1 RETURN collect(e)", NULL);
        if (status != MEGURI_OK) return meguri_ctx_fail(p->ctx, status, mg_bolt_error(w->bolt));
        if (mg_unpack_list(&fields, &record) && mg_unpack_list(&items, &record) && items) mg_unpack(&id, &record);
    }
    const char *first = id.kind == MG_TEXT ? memchr(id.text, ':', id.length) : NULL;
    const char *last = id.kind == MG_TEXT ? memrchr(id.text, ':', id.length) : NULL;
    *out = first && last > first + 1 ? strndup(first + 1, (size_t)(last - first) - 1)
                                     : strdup(*d->uri.database ? d->uri.database : p->names[w->database]);
    return *out ? MEGURI_OK : mg_source_no_memory(p->ctx);
}

static meguri_status ask_counts(pulling *p, worker *w, uint64_t *nodes) {
    mg_cursor record;
    mg_value count, highest;
    uint64_t fields;
    mg_share everything = {.parts = 1};
    meguri_status status = mg_queries_make(&p->queries[w->database], p->ctx, p->source, mg_bolt_version(w->bolt));
    if (status != MEGURI_OK) return status;
    pack_parameters(w, &everything);
    status = mg_bolt_ask(&record, w->bolt, (const char *)p->queries[w->database].count.data, &w->parameters);
    if (status != MEGURI_OK) return meguri_ctx_fail(p->ctx, status, mg_bolt_error(w->bolt));
    if (!mg_unpack_list(&fields, &record) || !mg_unpack(&count, &record) || !mg_unpack(&highest, &record) ||
        count.kind != MG_INTEGER || count.integer < 0)
        return mg_source_fail(p->ctx, MEGURI_ENGINE_FAILED, "%s: the number of nodes is none.", p->names[w->database]);
    *nodes += (uint64_t)count.integer;
    p->highest[w->database] = highest.kind == MG_INTEGER ? (uint64_t)highest.integer : UINT64_MAX;
    return MEGURI_OK;
}

/* The first worker of each database asks it. */
static meguri_status meet_databases(pulling *p) {
    char error[MG_BOLT_ERROR];
    meguri_status status = MEGURI_OK;
    for (size_t d = 0; d < p->source->database_count && status == MEGURI_OK; d++) {
        worker *w = &p->workers[d * p->source->connections];
        status = meguri_ctx_progress(p->ctx, "connect", d, p->source->database_count);
        if (status == MEGURI_OK && (status = connect_worker(w, error)) != MEGURI_OK)
            status = meguri_ctx_fail(p->ctx, status, error);
        if (status == MEGURI_OK) status = ask_counts(p, w, &p->info.nodes);
        if (status == MEGURI_OK) status = ask_mark(&p->marks[d], p, w);
        for (size_t other = 0; other < d && status == MEGURI_OK; other++)
            if (strcmp(p->marks[d], p->marks[other]) == 0)
                status = mg_source_fail(p->ctx, MEGURI_BAD_ARGUMENT, "%s and %s are the same database; name it once.",
                                        p->names[other], p->names[d]);
    }
    return status;
}

static meguri_status plan_nodes(pulling *p, uint64_t *total) {
    for (uint32_t d = 0; d < p->source->database_count; d++) {
        if (p->highest[d] == UINT64_MAX) continue;
        for (uint64_t first = 0; first <= p->highest[d]; first += MG_SHARE_NODES) {
            mg_share share = {.database = d, .first = first, .last = first + MG_SHARE_NODES - 1, .parts = 1};
            if (!mg_shares_add(&p->node_shares, &share)) return mg_source_no_memory(p->ctx);
            *total += MG_SHARE_NODES;
        }
    }
    return MEGURI_OK;
}

/* ---- the graph -------------------------------------------------------------------------------------------------- */

static meguri_status make_builder(pulling *p) {
    const char *const *marks = (const char *const *)p->marks;
    uint32_t databases = (uint32_t)p->source->database_count;
    const meguri_edge_column edge_columns[] = {
        {.size = sizeof *edge_columns, .name = "id", .kind = MEGURI_EDGE_IDS, .type = MEGURI_VALUE_U64},
        {.size = sizeof *edge_columns, .name = "type", .kind = MEGURI_EDGE_TYPES},
        {.size = sizeof *edge_columns, .name = MG_COLUMN_DATABASE, .labels = marks, .label_count = databases}};
    const meguri_builder_options options = {
        .size = sizeof options,
        .ids = p->nodes.kind,
        .build = {.direction = p->source->undirected ? MEGURI_UNDIRECTED : MEGURI_DIRECTED,
                  .keep_duplicates = 1,
                  .keep_loops = 1,
                  .in_rows = 1},
        .columns = edge_columns,
        .column_count = databases > 1 ? 3 : 2};
    meguri_status status = meguri_builder_new(&p->builder, p->ctx, &options);
    return status == MEGURI_OK ? mg_nodes_give(&p->nodes, p->ctx, p->builder) : status;
}

static meguri_status finish(pulling *p) {
    meguri_graph *graph = NULL;
    double start = now();
    meguri_status status = meguri_builder_finish(&graph, p->ctx, p->builder);
    double built = now();
    p->info.build_seconds = built - start;
    if (status == MEGURI_OK) status = meguri_save(p->ctx, graph, p->path);
    p->info.save_seconds = now() - built;
    meguri_graph_free(graph);
    return status;
}

static void tell(const pulling *p) {
    char text[300];
    if (!p->info.outside) return;
    snprintf(text, sizeof text,
             "%" PRIu64 " relationships were left out, because one of their nodes was: by a filter, or because the "
             "database changed while it was read.",
             p->info.outside);
    meguri_ctx_log(p->ctx, MEGURI_LOG_WARNING, text);
}

static meguri_status pull_all(pulling *p) {
    uint64_t ids = 0, relationships = 0;
    double start = now();
    meguri_status status = meet_databases(p);
    double connected = now();
    p->info.connect_seconds = connected - start;
    if (status == MEGURI_OK) status = plan_nodes(p, &ids);
    if (status == MEGURI_OK) status = mg_spool_open(&p->spool, p->ctx, p->path, p->source->hash);
    if (status == MEGURI_OK) status = run_phase(p, "pull nodes", &p->node_shares, ids);
    if (status == MEGURI_OK)
        status = mg_nodes_make(&p->nodes, &p->relationship_shares, p->ctx, p->source, &p->node_shares, p->names);
    if (status == MEGURI_OK) status = make_builder(p);
    for (size_t i = 0; i < p->relationship_shares.count; i++) relationships += p->relationship_shares.all[i].expected;
    double planned = now();
    p->info.node_seconds = planned - connected;
    if (status == MEGURI_OK) status = run_phase(p, "pull relationships", &p->relationship_shares, relationships);
    p->info.relationship_seconds = now() - planned;
    p->info.nodes = p->nodes.vertices;
    p->info.proxies = p->nodes.proxies;
    if (status == MEGURI_OK) status = finish(p);
    if (status == MEGURI_OK) tell(p);
    return status;
}

/* ---- the front -------------------------------------------------------------------------------------------------- */

static meguri_status prepare(pulling *p) {
    size_t databases = p->source->database_count;
    p->info.databases = (uint32_t)databases;
    p->names = calloc(databases, sizeof *p->names);
    p->marks = calloc(databases, sizeof *p->marks);
    p->queries = calloc(databases, sizeof *p->queries);
    p->highest = calloc(databases, sizeof *p->highest);
    p->workers = calloc(databases * p->source->connections, sizeof *p->workers);
    if (!p->names || !p->marks || !p->queries || !p->highest || !p->workers) return mg_source_no_memory(p->ctx);
    for (size_t d = 0; d < databases; d++) {
        const mg_bolt_uri *uri = &p->source->databases[d].uri;
        p->names[d] = malloc(NAME);
        if (!p->names[d]) return mg_source_no_memory(p->ctx);
        snprintf(p->names[d], NAME, "%s:%s%s%s", uri->host, uri->port, *uri->database ? "/" : "", uri->database);
    }
    const meguri_ctx_options options = {
        .size = sizeof options, .threads = 1, .memory = meguri_ctx_memory_limit(p->ctx)};
    for (size_t i = 0; i < databases * p->source->connections; i++) {
        p->workers[i] = (worker){.pull = p, .database = (uint32_t)(i / p->source->connections)};
        p->worker_count++;
        if (meguri_ctx_new(&p->workers[i].ctx, &options) != MEGURI_OK) return mg_source_no_memory(p->ctx);
    }
    return MEGURI_OK;
}

static void clean_up(pulling *p, bool whole) {
    for (size_t i = 0; i < p->worker_count; i++) {
        worker *w = &p->workers[i];
        set_bolt(w, NULL);
        p->info.received += w->received;
        mg_bytes_free(&w->records);
        mg_bytes_free(&w->parameters);
        mg_pulled_free(&w->edges);
    }
    meguri_builder_free(p->builder);
    for (size_t i = 0; i < p->worker_count; i++) meguri_ctx_free(p->workers[i].ctx);
    mg_nodes_free(&p->nodes);
    for (size_t i = 0; i < p->node_shares.count; i++) free(p->node_shares.all[i].own);
    free(p->node_shares.all), free(p->relationship_shares.all);
    mg_spool_close(p->spool, whole);
    for (size_t d = 0; d < p->info.databases; d++) {
        if (p->names) free(p->names[d]);
        if (p->marks) free(p->marks[d]);
        if (p->queries) mg_queries_free(&p->queries[d]);
    }
    free(p->names), free(p->marks), free(p->queries), free(p->highest), free(p->workers);
    pthread_mutex_destroy(&p->lock);
    pthread_cond_destroy(&p->changed);
}

static meguri_status check(meguri_pull_info *out, meguri_ctx *ctx, const meguri_source *source, const char *function) {
    if (!ctx) return MEGURI_BAD_ARGUMENT;
    if (!source)
        return mg_source_fail(ctx, MEGURI_BAD_ARGUMENT, "%s: an argument that it cannot do without is NULL.", function);
    if (out && out->size != sizeof *out)
        return mg_source_fail(ctx, MEGURI_BAD_ARGUMENT, "%s: the size of the info is not that of this library.",
                              function);
    return MEGURI_OK;
}

meguri_status meguri_pull(meguri_pull_info *out, meguri_ctx *ctx, const meguri_source *source, const char *path,
                          const meguri_pull_options *options) {
    meguri_status status = check(out, ctx, source, __func__);
    if (status == MEGURI_OK && (!path || !*path))
        status = mg_source_fail(ctx, MEGURI_BAD_ARGUMENT, "%s: there is no name of a file.", __func__);
    if (status == MEGURI_OK && options && options->size != sizeof *options)
        status = mg_source_fail(ctx, MEGURI_BAD_ARGUMENT, "%s: the size of the options is not that of this library.",
                                __func__);
    if (status != MEGURI_OK) return status;
    if (options && options->refresh && access(path, F_OK) != 0)
        return mg_source_fail(ctx, MEGURI_NOT_FOUND, "%s is not there, and cannot be refreshed: %s.", path,
                              strerror(errno));
    pulling p = {.ctx = ctx, .source = source, .path = path};
    pthread_mutex_init(&p.lock, NULL);
    pthread_cond_init(&p.changed, NULL);
    status = prepare(&p);
    if (status == MEGURI_OK) status = pull_all(&p);
    clean_up(&p, status == MEGURI_OK);
    p.info.size = sizeof p.info;
    if (out && status == MEGURI_OK) *out = p.info;
    return status;
}

/* Relationships that leave the nodes that are wanted; their number is the database's own where nothing is filtered. */
static meguri_status count_relationships(pulling *p) {
    meguri_status status = MEGURI_OK;
    for (size_t d = 0; d < p->source->database_count && status == MEGURI_OK; d++) {
        worker *w = &p->workers[d * p->source->connections];
        mg_cursor record;
        mg_value count;
        uint64_t fields;
        mg_bytes query = {0};
        mg_query_add(&query, "MATCH ()-[r");
        for (size_t i = 0; i < p->source->types.count; i++) {
            mg_query_add(&query, i ? "|" : ":");
            mg_query_name(&query, p->source->types.words[i]);
        }
        mg_query_add(&query, "]->() RETURN count(r)");
        mg_bytes_add(&query, "", 1);
        status =
            query.failed ? mg_source_no_memory(p->ctx) : mg_bolt_ask(&record, w->bolt, (const char *)query.data, NULL);
        mg_bytes_free(&query);
        if (status != MEGURI_OK) return meguri_ctx_fail(p->ctx, status, mg_bolt_error(w->bolt));
        if (mg_unpack_list(&fields, &record) && mg_unpack(&count, &record) && count.kind == MG_INTEGER)
            p->info.relationships += (uint64_t)count.integer;
    }
    return status;
}

/* Of an arc: its end, its weight, id and type, and in rows backwards once more; of a vertex: id, offsets, coordinates.
 */
static void estimate(pulling *p) {
    const meguri_source *s = p->source;
    uint64_t arc = 4 + (s->weight ? 8 : 0) + 8 + 1 + (s->database_count > 1 ? 1 : 0);
    uint64_t vertex = 16 + (s->key ? 16 : 0) + (s->point || s->x ? 16 : 0);
    uint64_t arcs = p->info.relationships * (s->undirected ? 2 : 1);
    p->info.estimated_file = 4096 * 16 + arcs * arc + p->info.nodes * vertex;
    p->info.estimated_memory = p->info.estimated_file + arcs * (16 + arc) + p->info.nodes * 48;
}

meguri_status meguri_pull_estimate(meguri_pull_info *out, meguri_ctx *ctx, const meguri_source *source) {
    meguri_status status = check(out, ctx, source, __func__);
    if (status == MEGURI_OK && !out)
        status = mg_source_fail(ctx, MEGURI_BAD_ARGUMENT, "%s: there is no place for what is found.", __func__);
    if (status != MEGURI_OK) return status;
    pulling p = {.ctx = ctx, .source = source};
    pthread_mutex_init(&p.lock, NULL);
    pthread_cond_init(&p.changed, NULL);
    status = prepare(&p);
    if (status == MEGURI_OK) status = meet_databases(&p);
    if (status == MEGURI_OK) status = count_relationships(&p);
    if (status == MEGURI_OK) estimate(&p);
    clean_up(&p, false);
    p.info.size = sizeof p.info;
    if (status == MEGURI_OK) *out = p.info;
    return status;
}
