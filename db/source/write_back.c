/* meguri_write_back: a column of a result into the databases that its graph was pulled from, as a property.
 *
 * Every vertex is one node of one database, which the cache knows (mg_nodes_give): a proxy is no vertex, and gets
 * nothing. Nodes are written in batches, in the order of their ids, each in one batch; a batch is one transaction, and
 * what has been written is noted in a journal (spool.c), so that after an interruption only what is not known to be
 * written is written again, with the same values. */
#include "source/crew.h"
#include "source/values.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { BATCH = 8192, PIECE = 65536 }; /* nodes of a transaction; between two looks at a cancel */

/* A node to be written, and whose value. */
typedef struct place {
    uint64_t node;
    uint32_t vertex, database; /* of the source */
} place;

typedef struct writing {
    meguri_ctx *ctx;
    const meguri_source *source;
    const meguri_graph *graph;
    meguri_graph_info graph_info;
    const char *journal;
    mg_values values;
    mg_crew crew;
    mg_bytes query;
    uint32_t *databases; /* of the source, by the cache's numbers; UINT32_MAX: not there */
    uint32_t known;      /* databases of the cache */
    place *places;
    mg_shares shares;
    mg_spool *spool;
    meguri_write_back_info info;
} writing;

/* ---- which node is which vertex --------------------------------------------------------------------------------- */

/* All values of a column of the vertices, as 64 bits. */
static meguri_status column_of(uint64_t **out, uint32_t *column, const writing *w, const char *name) {
    *out = NULL;
    meguri_column_info info = {.size = sizeof info};
    uint64_t vertices = w->graph_info.vertices;
    meguri_status status = meguri_graph_find_vertex_column(column, w->ctx, w->graph, name);
    if (status == MEGURI_OK) status = meguri_graph_vertex_column(&info, w->ctx, w->graph, *column);
    if (status != MEGURI_OK) return status;
    uint64_t *wide = *out = meguri_ctx_resize(w->ctx, NULL, (vertices + 1) * sizeof *wide, "the nodes of vertices");
    if (!wide) return MEGURI_NO_MEMORY;
    status = meguri_graph_vertex_values(wide, NULL, w->ctx, w->graph, *column, 0, vertices);
    for (uint64_t v = vertices; status == MEGURI_OK && v-- > 0;) { /* from behind: they lie in the same place */
        if (v % PIECE == 0) status = meguri_ctx_progress(w->ctx, "match", vertices - v, vertices);
        uint64_t value = 0;
        memcpy(&value, (const char *)wide + v * info.item_bytes, info.item_bytes);
        wide[v] = value;
    }
    return status;
}

static meguri_status unknown_database(const writing *w, uint32_t database) {
    const char *mark = w->crew.marks[database];
    char shown[300];
    mg_secret_hide(shown, sizeof shown, mark, strlen(mark), w->source->databases[database].password);
    return mg_source_fail(w->ctx, MEGURI_BAD_ARGUMENT,
                          "%s is none of the databases that the cache was pulled from; it calls itself %s.",
                          w->crew.names[database], shown);
}

/* The databases of the cache are those of the source, by what they call themselves. */
static meguri_status match_databases(writing *w, uint32_t column) {
    meguri_column_info info = {.size = sizeof info};
    meguri_status status = meguri_graph_vertex_column(&info, w->ctx, w->graph, column);
    if (status != MEGURI_OK) return status;
    w->known = info.label_count;
    w->databases = calloc((size_t)w->known + 1, sizeof *w->databases);
    if (!w->databases) return mg_source_no_memory(w->ctx);
    size_t found = 0;
    bool *named = calloc(w->source->database_count, sizeof *named);
    if (!named) return mg_source_no_memory(w->ctx);
    for (uint32_t k = 0; k < w->known && status == MEGURI_OK; k++) {
        const char *mark;
        status = meguri_graph_vertex_label(&mark, w->ctx, w->graph, column, k);
        if (status != MEGURI_OK) break;
        w->databases[k] = mg_crew_find(&w->crew, mark);
        if (w->databases[k] == UINT32_MAX || named[w->databases[k]]) continue;
        named[w->databases[k]] = true;
        found++;
    }
    for (uint32_t d = 0; found < w->source->database_count && status == MEGURI_OK; d++)
        if (!named[d]) status = unknown_database(w, d);
    free(named);
    return status;
}

static meguri_status check_all_there(const writing *w, const uint64_t *database, uint32_t column) {
    for (uint64_t v = 0; v < w->graph_info.vertices; v++) {
        const char *mark = "";
        if (v % PIECE == 0 && meguri_ctx_progress(w->ctx, "match", v, w->graph_info.vertices) != MEGURI_OK)
            return MEGURI_CANCELLED;
        if (database[v] < w->known && w->databases[database[v]] != UINT32_MAX) continue;
        meguri_graph_vertex_label(&mark, w->ctx, w->graph, column, database[v]);
        return mg_source_fail(w->ctx, MEGURI_BAD_ARGUMENT,
                              "the cache has nodes of the database %s, which is not named: name all of them.", mark);
    }
    return MEGURI_OK;
}

static int by_node(const void *a, const void *b) {
    const place *p = a, *q = b;
    if (p->database != q->database) return p->database < q->database ? -1 : 1;
    return p->node < q->node ? -1 : p->node > q->node;
}

/* Pieces, and then twice as large ones out of two each: a sort of all of them at once could not be cancelled. */
static meguri_status sort_places(writing *w) {
    uint64_t count = w->graph_info.vertices;
    place *from = w->places, *to = meguri_ctx_resize(w->ctx, NULL, (count + 1) * sizeof *to, "the nodes of vertices");
    if (!to) return MEGURI_NO_MEMORY;
    meguri_status status = MEGURI_OK;
    for (uint64_t first = 0; first < count && status == MEGURI_OK; first += PIECE) {
        qsort(from + first, MG_MIN(count - first, (uint64_t)PIECE), sizeof *from, by_node);
        status = meguri_ctx_progress(w->ctx, "sort", first, count);
    }
    for (uint64_t run = PIECE; run < count && status == MEGURI_OK; run *= 2) {
        for (uint64_t first = 0; first < count && status == MEGURI_OK; first += 2 * run) {
            uint64_t middle = MG_MIN(first + run, count), end = MG_MIN(first + 2 * run, count), a = first, b = middle;
            for (uint64_t i = first; i < end && status == MEGURI_OK; i++) {
                bool left = b == end || (a < middle && by_node(&from[a], &from[b]) <= 0);
                to[i] = left ? from[a++] : from[b++];
                if (i % PIECE == 0) status = meguri_ctx_progress(w->ctx, "sort", i, count);
            }
        }
        place *other = from;
        from = to, to = other;
    }
    w->places = from;
    meguri_ctx_release(to);
    return status;
}

static meguri_status make_batches(writing *w) {
    uint64_t vertices = w->graph_info.vertices;
    for (uint64_t first = 0; first < vertices;) {
        uint64_t last = first;
        while (last + 1 < vertices && last + 1 - first < BATCH &&
               w->places[last + 1].database == w->places[first].database)
            last++;
        mg_share batch = {.database = w->places[first].database, .first = first, .last = last, .parts = 1};
        if (!mg_shares_add(&w->shares, w->ctx, &batch)) return MEGURI_NO_MEMORY;
        first = last + 1;
    }
    return MEGURI_OK;
}

/* Nodes are in the column of that name, or are the ids (one database, no key). */
static meguri_status find_places(writing *w) {
    static const char what[] = "the nodes of vertices";
    uint64_t *database = NULL, *node = NULL, vertices = w->graph_info.vertices;
    uint32_t column, other;
    meguri_status status = column_of(&database, &column, w, MG_COLUMN_DATABASE);
    if (status == MEGURI_OK) status = match_databases(w, column);
    if (status == MEGURI_OK) status = check_all_there(w, database, column);
    if (status == MEGURI_OK) {
        status = column_of(&node, &other, w, MG_COLUMN_NODE);
        if (status == MEGURI_NOT_FOUND) {
            node = meguri_ctx_resize(w->ctx, NULL, (vertices + 1) * sizeof *node, what);
            status = node ? meguri_graph_ids(node, w->ctx, w->graph, 0, vertices) : MEGURI_NO_MEMORY;
        }
    }
    if (status == MEGURI_OK) {
        w->places = meguri_ctx_resize(w->ctx, NULL, (vertices + 1) * sizeof *w->places, what);
        if (!w->places) status = MEGURI_NO_MEMORY;
    }
    for (uint64_t v = 0; v < vertices && status == MEGURI_OK; v++) {
        w->places[v] = (place){node[v], (uint32_t)v, w->databases[database[v]]};
        if (v % PIECE == 0) status = meguri_ctx_progress(w->ctx, "match", v, vertices);
    }
    meguri_ctx_release(database), meguri_ctx_release(node);
    if (status == MEGURI_OK) status = sort_places(w);
    return status == MEGURI_OK ? make_batches(w) : status;
}

/* ---- writing ---------------------------------------------------------------------------------------------------- */

/* Values are parameters; names of properties cannot be, and are quoted. */
static meguri_status make_query(writing *w, const char *property) {
    mg_query_add(&w->query, "UNWIND $rows AS r MATCH (n) WHERE id(n) = r[0]");
    if (w->source->key) {
        mg_query_add(&w->query, " AND n.");
        mg_query_name(&w->query, w->source->key);
        mg_query_add(&w->query, " = r[2]");
    }
    mg_query_add(&w->query, " SET n.");
    mg_query_name(&w->query, property);
    mg_query_add(&w->query, " = r[1] RETURN count(n)");
    mg_bytes_add(&w->query, "", 1);
    return w->query.failed ? mg_source_no_memory(w->ctx) : MEGURI_OK;
}

static meguri_status pack_batch(mg_worker *worker, const writing *w, const mg_share *batch, char error[MG_BOLT_ERROR]) {
    mg_bytes *out = &worker->parameters;
    meguri_status status = MEGURI_OK;
    out->length = 0;
    mg_pack_map(out, 1);
    mg_pack_string(out, "rows");
    mg_pack_list(out, (uint32_t)(batch->last - batch->first + 1));
    for (uint64_t i = batch->first; i <= batch->last && status == MEGURI_OK; i++) {
        mg_pack_list(out, w->source->key ? 3 : 2);
        mg_pack_integer(out, (int64_t)w->places[i].node);
        status = mg_values_pack(out, worker->ctx, &w->values, w->places[i].vertex);
        if (status == MEGURI_OK && w->source->key)
            status = mg_values_pack_id(out, worker->ctx, &w->values, w->places[i].vertex);
    }
    if (status != MEGURI_OK) snprintf(error, MG_BOLT_ERROR, "%s", meguri_ctx_error(worker->ctx));
    return status;
}

/* How many nodes of a batch were there, out of the answer. */
static bool count_of(uint64_t *count, const mg_worker *worker, uint64_t most) {
    const uint8_t *at = worker->records.data, *end = at + worker->records.length;
    mg_cursor record;
    mg_value value;
    uint64_t fields;
    if (!worker->records.length || !mg_share_next(&record, &at, end) || at != end) return false;
    if (!mg_unpack_list(&fields, &record) || fields != 1 || !mg_unpack(&value, &record)) return false;
    *count = (uint64_t)value.integer;
    return value.kind == MG_INTEGER && value.integer >= 0 && *count <= most;
}

static meguri_status write_batch(uint64_t *done, mg_worker *worker, size_t number, char error[MG_BOLT_ERROR]) {
    writing *w = worker->crew->user;
    mg_share *batch = &w->shares.all[number];
    uint64_t count = 0, missing;
    *done = batch->last - batch->first + 1;
    if (batch->done && batch->bytes == sizeof missing) memcpy(&missing, batch->records, sizeof missing);
    else {
        batch->done = false;
        meguri_status status = pack_batch(worker, w, batch, error);
        if (status == MEGURI_OK) status = mg_crew_ask(worker, (const char *)w->query.data, true, error);
        if (status != MEGURI_OK) return status;
        if (!count_of(&count, worker, *done)) {
            snprintf(error, MG_BOLT_ERROR, "%s does not say how many nodes it has written; look into its log.",
                     w->crew.names[worker->database]);
            return MEGURI_ENGINE_FAILED;
        }
        missing = *done - count;
        batch->records = (const uint8_t *)&missing;
        batch->bytes = sizeof missing;
        bool noted = !w->spool || mg_spool_add(w->spool, batch);
        batch->records = NULL;
        if (!noted) {
            snprintf(error, MG_BOLT_ERROR, "%s cannot be written: %s.", w->journal, strerror(errno));
            return MEGURI_NO_DISK;
        }
    }
    pthread_mutex_lock(&w->crew.lock);
    w->info.missing += missing;
    if (batch->done) w->info.resumed += *done - missing;
    else w->info.written += *done - missing;
    pthread_mutex_unlock(&w->crew.lock);
    return MEGURI_OK;
}

/* All that decides what is written where: another of these is another work. */
static meguri_status hash_of(uint64_t *out, const writing *w, const char *property) {
    const char *const texts[] = {property, w->values.name, w->source->key ? w->source->key : ""};
    uint64_t hash, vertices = w->graph_info.vertices;
    meguri_status status = mg_values_hash(&hash, w->ctx, &w->values);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        hash = XXH3_64bits_withSeed(texts[i], strlen(texts[i]) + 1, hash);
    for (size_t d = 0; d < w->source->database_count; d++)
        hash = XXH3_64bits_withSeed(w->crew.marks[d], strlen(w->crew.marks[d]) + 1, hash);
    for (uint64_t v = 0; v < vertices && status == MEGURI_OK; v += PIECE) {
        hash = XXH3_64bits_withSeed(w->places + v, MG_MIN(vertices - v, (uint64_t)PIECE) * sizeof *w->places, hash);
        status = meguri_ctx_progress(w->ctx, "match", v, vertices);
    }
    *out = hash;
    return status;
}

static meguri_status write_all(writing *w, const char *property) {
    double start = mg_crew_now();
    meguri_status status = mg_crew_meet(&w->crew, NULL);
    w->info.connect_seconds = mg_crew_now() - start;
    if (status == MEGURI_OK) status = find_places(w);
    if (status == MEGURI_OK) status = make_query(w, property);
    uint64_t hash = 0;
    if (status == MEGURI_OK && w->journal) status = hash_of(&hash, w, property);
    if (status == MEGURI_OK && w->journal) status = mg_spool_open(&w->spool, w->ctx, w->journal, "", hash);
    for (size_t i = 0; status == MEGURI_OK && w->spool && i < w->shares.count; i++)
        mg_spool_find(w->spool, &w->shares.all[i]);
    start = mg_crew_now();
    if (status == MEGURI_OK)
        status = mg_crew_run(&w->crew, "write back", write_batch, &w->shares, w->graph_info.vertices);
    w->info.write_seconds = mg_crew_now() - start;
    return status;
}

static void tell(const writing *w) {
    char text[300];
    if (!w->info.missing) return;
    snprintf(text, sizeof text,
             "%" PRIu64 " of %" PRIu64 " nodes are not there any more%s, and were not written; pull again.",
             w->info.missing, w->graph_info.vertices, w->source->key ? ", or have another key" : "");
    meguri_ctx_log(w->ctx, MEGURI_LOG_WARNING, text);
}

/* ---- the front -------------------------------------------------------------------------------------------------- */

static meguri_status check(const meguri_write_back_info *out, meguri_ctx *ctx, const meguri_source *source,
                           const meguri_graph *graph, const meguri_result *result,
                           const meguri_write_back_options *options) {
    if (!ctx) return MEGURI_BAD_ARGUMENT;
    if (!source || !graph || !result || !options)
        return mg_source_fail(ctx, MEGURI_BAD_ARGUMENT,
                              "meguri_write_back: an argument that it cannot do without is NULL.");
    if ((out && out->size != sizeof *out) || options->size != sizeof *options)
        return mg_source_fail(ctx, MEGURI_BAD_ARGUMENT,
                              "meguri_write_back: the size of the info or of the options is not that of this library.");
    if (!options->property || !*options->property)
        return mg_source_fail(ctx, MEGURI_BAD_ARGUMENT, "meguri_write_back: the property has no name.");
    if (source->key && strcmp(source->key, options->property) == 0)
        return mg_source_fail(ctx, MEGURI_BAD_ARGUMENT, "the property %s is the key, which is not to be overwritten.",
                              options->property);
    return MEGURI_OK;
}

meguri_status meguri_write_back(meguri_write_back_info *out, meguri_ctx *ctx, const meguri_source *source,
                                const meguri_graph *graph, const meguri_result *result,
                                const meguri_write_back_options *options) {
    meguri_status status = check(out, ctx, source, graph, result, options);
    if (status != MEGURI_OK) return status;
    writing w = {.ctx = ctx, .source = source, .graph = graph, .journal = options->journal};
    w.info = (meguri_write_back_info){.size = sizeof w.info, .databases = (uint32_t)source->database_count};
    w.graph_info.size = sizeof w.graph_info;
    uint32_t column;
    status = meguri_graph_find_vertex_column(&column, ctx, graph, MG_COLUMN_DATABASE);
    bool pulled = status != MEGURI_NOT_FOUND;
    if (status == MEGURI_OK || !pulled) status = meguri_graph_get_info(&w.graph_info, ctx, graph);
    if (status == MEGURI_OK) status = mg_values_take(&w.values, ctx, graph, result, options->column);
    if (status == MEGURI_OK && !pulled)
        status = mg_source_fail(ctx, MEGURI_BAD_INPUT,
                                "the graph does not say which nodes its vertices are: only what was pulled from a "
                                "database can be written back; pull it again.");
    if (status != MEGURI_OK) return status;
    status = mg_crew_new(&w.crew, ctx, source, &w);
    if (status == MEGURI_OK) status = write_all(&w, options->property);
    if (status == MEGURI_OK) tell(&w);
    mg_crew_free(&w.crew);
    mg_spool_close(w.spool, status == MEGURI_OK);
    mg_bytes_free(&w.query);
    meguri_ctx_release(w.places);
    free(w.databases);
    mg_shares_free(&w.shares);
    if (out && status == MEGURI_OK) *out = w.info;
    return status;
}
