/* meguri_pull_estimate: counts, and what a cache would need. */
#include "source/pulling.h"

/* Relationships that leave the nodes that are wanted; their number is the database's own where nothing is filtered. */
static meguri_status count_relationships(mg_pulling *p) {
    meguri_status status = MEGURI_OK;
    for (size_t d = 0; d < p->source->database_count && status == MEGURI_OK; d++) {
        mg_worker *w = mg_crew_first(&p->crew, d);
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
        if (query.failed) status = mg_source_no_memory(p->ctx);
        else if ((status = mg_bolt_ask(&record, w->bolt, (const char *)query.data, NULL)) != MEGURI_OK)
            meguri_ctx_fail(p->ctx, status, mg_bolt_error(w->bolt));
        else if (mg_unpack_list(&fields, &record) && mg_unpack(&count, &record) && count.kind == MG_INTEGER)
            p->info.relationships += (uint64_t)count.integer;
        mg_bytes_free(&query);
    }
    return status;
}

/* Of an arc: its end, its weight, id and type, and in rows backwards once more; of a vertex: id, offsets, coordinates.
 */
static void estimate(mg_pulling *p) {
    const meguri_source *s = p->source;
    uint64_t arc = 4 + (s->weight ? 8 : 0) + 8 + 1 + (s->database_count > 1 ? 1 : 0);
    uint64_t vertex = 16 + (s->key ? 16 : 0) + (s->point || s->x ? 16 : 0);
    uint64_t arcs = p->info.relationships * (s->undirected ? 2 : 1);
    p->info.estimated_file = 4096 * 16 + arcs * arc + p->info.nodes * vertex;
    p->info.estimated_memory = p->info.estimated_file + arcs * (16 + arc) + p->info.nodes * 48;
}

meguri_status meguri_pull_estimate(meguri_pull_info *out, meguri_ctx *ctx, const meguri_source *source) {
    meguri_status status = mg_pulling_check(out, ctx, source, __func__);
    if (status == MEGURI_OK && !out)
        status = mg_source_fail(ctx, MEGURI_BAD_ARGUMENT, "%s: there is no place for what is found.", __func__);
    if (status != MEGURI_OK) return status;
    mg_pulling p;
    status = mg_pulling_begin(&p, ctx, source);
    if (status == MEGURI_OK) status = count_relationships(&p);
    if (status == MEGURI_OK) estimate(&p);
    mg_pulling_end(&p, false);
    if (status == MEGURI_OK) *out = p.info;
    return status;
}
