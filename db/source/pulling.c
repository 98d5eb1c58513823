/* What a pull has in hand: its crew, the queries, how many nodes there are. */
#include "source/pulling.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- parameters ------------------------------------------------------------------------------------------------- */

static void pack_number(mg_bytes *out, const char *name, uint64_t number) {
    mg_pack_string(out, name);
    mg_pack_integer(out, (int64_t)number);
}

static void pack_where(mg_bytes *out, const char *name, const mg_bytes *map) {
    mg_pack_string(out, name);
    if (map->length) mg_bytes_add(out, map->data, map->length);
    else mg_pack_map(out, 0);
}

void mg_pulling_parameters(mg_worker *w, const mg_share *share) {
    const meguri_source *source = w->crew->source;
    mg_bytes *out = &w->parameters;
    out->length = 0;
    mg_pack_map(out, 8);
    pack_number(out, "a", share->first);
    pack_number(out, "b", share->last);
    pack_number(out, "parts", share->parts);
    pack_number(out, "part", share->part);
    pack_number(out, "items", MG_RECORD_ITEMS);
    pack_number(out, "groups", share->expected / MG_RECORD_ITEMS + 1);
    pack_where(out, "nodes", &source->where_node);
    pack_where(out, "relationships", &source->where_relationship);
}

/* ---- what there is ---------------------------------------------------------------------------------------------- */

/* A number of nodes or relationships, and the highest id of one; UINT64_MAX: there is none. */
static meguri_status ask_count(mg_worker *w, const mg_bytes *query, uint64_t *sum, uint64_t *highest,
                               char error[MG_BOLT_ERROR]) {
    mg_crew *crew = w->crew;
    mg_cursor record;
    mg_value count, last;
    uint64_t fields;
    meguri_status status = mg_bolt_ask(&record, w->bolt, (const char *)query->data, &w->parameters);
    if (status != MEGURI_OK) {
        mg_crew_no_answer(w, status, error);
        return status;
    }
    if (!mg_unpack_list(&fields, &record) || !mg_unpack(&count, &record) || !mg_unpack(&last, &record) ||
        count.kind != MG_INTEGER || count.integer < 0 ||
        (last.kind == MG_INTEGER ? last.integer < 0 : last.kind != MG_NULL)) {
        snprintf(error, MG_BOLT_ERROR, "%s: the number of nodes or relationships, or the highest id of one, is none.",
                 crew->names[w->database]);
        return MEGURI_ENGINE_FAILED;
    }
    pthread_mutex_lock(&crew->lock);
    *sum += (uint64_t)count.integer;
    pthread_mutex_unlock(&crew->lock);
    *highest = last.kind == MG_INTEGER ? (uint64_t)last.integer : UINT64_MAX;
    return MEGURI_OK;
}

static meguri_status ask_counts(mg_worker *w, char error[MG_BOLT_ERROR]) {
    mg_pulling *p = w->crew->user;
    mg_queries *queries = &p->queries[w->database];
    const mg_share everything = {.parts = 1};
    meguri_status status = mg_queries_make(queries, w->ctx, p->source, mg_bolt_version(w->bolt));
    if (status != MEGURI_OK) {
        snprintf(error, MG_BOLT_ERROR, "%s", meguri_ctx_error(w->ctx));
        return status;
    }
    mg_pulling_parameters(w, &everything);
    status = ask_count(w, &queries->count, &p->info.nodes, &p->highest[w->database], error);
    if (status == MEGURI_OK)
        status = ask_count(w, &queries->count_relationships, &p->counted, &p->highest_relationship[w->database], error);
    return status == MEGURI_OK && p->also ? p->also(w, error) : status;
}

meguri_status mg_pulling_check(const meguri_pull_info *out, meguri_ctx *ctx, const meguri_source *source,
                               const char *function) {
    if (!ctx) return MEGURI_BAD_ARGUMENT;
    if (!source)
        return mg_source_fail(ctx, MEGURI_BAD_ARGUMENT, "%s: an argument that it cannot do without is NULL.", function);
    if (out && out->size != sizeof *out)
        return mg_source_fail(ctx, MEGURI_BAD_ARGUMENT, "%s: the size of the info is not that of this library.",
                              function);
    return MEGURI_OK;
}

meguri_status mg_pulling_begin(mg_pulling *p, meguri_ctx *ctx, const meguri_source *source, mg_crew_ask_first *also) {
    size_t databases = source->database_count;
    *p = (mg_pulling){.ctx = ctx, .source = source, .also = also};
    p->info = (meguri_pull_info){.size = sizeof p->info, .databases = (uint32_t)databases};
    meguri_status status = mg_crew_new(&p->crew, ctx, source, p);
    p->queries = calloc(databases, sizeof *p->queries);
    p->highest = calloc(databases, sizeof *p->highest);
    p->highest_relationship = calloc(databases, sizeof *p->highest_relationship);
    if (status == MEGURI_OK && (!p->queries || !p->highest || !p->highest_relationship))
        status = mg_source_no_memory(ctx);
    return status == MEGURI_OK ? mg_crew_meet(&p->crew, ask_counts) : status;
}

void mg_pulling_end(mg_pulling *p, bool forget) {
    meguri_builder_free(p->builder);
    p->info.received = mg_crew_received(&p->crew);
    mg_crew_free(&p->crew);
    mg_nodes_free(&p->nodes);
    mg_shares_free(&p->node_shares);
    mg_shares_free(&p->relationship_shares);
    mg_spool_close(p->spool, forget);
    for (size_t d = 0; p->queries && d < p->source->database_count; d++) mg_queries_free(&p->queries[d]);
    free(p->queries), free(p->highest), free(p->highest_relationship);
}
