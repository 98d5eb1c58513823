/* meguri_pull_estimate: counts, and what a cache would need. */
#include "source/pulling.h"

#include <meguri/sssp.h>
#include <stdio.h>

/* Bytes of the smallest whole numbers that hold all up to this one. */
static uint64_t whole_bytes(uint64_t most) {
    return most <= UINT8_MAX ? 1 : most <= UINT16_MAX ? 2 : most <= UINT32_MAX ? 4 : 8;
}

static uint64_t weight_bytes(meguri_type type) { return meguri_type_bytes(type); }

/* As the builder would store it (docs/meg-format.md). */
static meguri_type type_of(double weight) {
    bool whole = weight >= 0 && weight <= UINT32_MAX && weight == (double)(uint32_t)weight;
    if (!whole) return (double)(float)weight == weight ? MEGURI_TYPE_F32 : MEGURI_TYPE_F64;
    return weight <= UINT8_MAX ? MEGURI_TYPE_U8 : weight <= UINT16_MAX ? MEGURI_TYPE_U16 : MEGURI_TYPE_U32;
}

/* The widest type of the first relationships of a database. */
static meguri_status sample_weights(mg_worker *w, char error[MG_BOLT_ERROR]) {
    mg_pulling *p = w->crew->user;
    mg_bytes query = {0};
    mg_cursor record;
    uint64_t fields, count;
    mg_value value;
    if (!p->source->weight) return MEGURI_OK;
    mg_query_sample(&query, p->source);
    meguri_status status = MEGURI_NO_MEMORY;
    if (query.failed) snprintf(error, MG_BOLT_ERROR, "the system has no memory for a query.");
    else if ((status = mg_bolt_ask(&record, w->bolt, (const char *)query.data, NULL)) != MEGURI_OK)
        mg_crew_no_answer(w, status, error);
    mg_bytes_free(&query);
    if (status != MEGURI_OK || !mg_unpack_list(&fields, &record) || !mg_unpack_list(&count, &record)) return status;
    meguri_type widest = MEGURI_TYPE_U8;
    for (uint64_t i = 0; i < count && mg_unpack(&value, &record); i++) {
        double weight = value.kind == MG_INTEGER ? (double)value.integer
                        : value.kind == MG_REAL  ? value.real
                                                 : p->source->default_weight;
        if (type_of(weight) > widest) widest = type_of(weight);
    }
    pthread_mutex_lock(&p->crew.lock);
    if (widest > p->widest) p->widest = widest;
    pthread_mutex_unlock(&p->crew.lock);
    return MEGURI_OK;
}

/* What all databases have together. */
typedef struct facts {
    uint64_t last_node, last_relationship; /* the highest ids */
    bool gaps;                             /* ids of nodes are not 0, 1, 2 … */
} facts;

static facts gather(const mg_pulling *p) {
    const meguri_source *s = p->source;
    facts out = {.gaps = s->key || s->database_count > 1};
    for (size_t d = 0; d < s->database_count; d++) {
        uint64_t last = p->highest_relationship[d];
        if (last != UINT64_MAX && last > out.last_relationship) out.last_relationship = last;
        if (p->highest[d] != UINT64_MAX && p->highest[d] > out.last_node) out.last_node = p->highest[d];
        out.gaps |= p->highest[d] != UINT64_MAX && p->highest[d] + 1 != p->info.nodes;
    }
    return out;
}

/* The sections of the file (docs/meg-format.md). Of an arc: its end and weight, and both once more with its number in
 * rows backwards, which undirected graphs do not have; id, type and database. Of a vertex: offsets of both rows, the
 * order in both directions, id, database and node, coordinates; "NUMBER:ID" is a name of some 10 bytes, with its offset
 * and its place in the index of names. */
static meguri_status estimate(mg_pulling *p) {
    const meguri_source *s = p->source;
    const facts f = gather(p);
    const uint64_t page = 4096, names = 10 + 8 + 8;
    bool named = !s->key && s->database_count > 1, backwards = !s->undirected;
    uint64_t row = 4 + weight_bytes(p->widest),
             columns = whole_bytes(f.last_relationship) + 1 + (s->database_count > 1);
    uint64_t arc = row + columns + (backwards ? row + 4 : 0);
    uint64_t vertex = 4 + (backwards ? 4 : 0) + 8 + 1 + whole_bytes(f.last_node) +
                      (named    ? names
                       : f.gaps ? 8
                                : 0) +
                      (s->point || s->x ? 16 : 0);
    uint64_t arcs = p->info.relationships * (s->undirected ? 2 : 1);
    p->info.estimated_file = page * 12 + arcs * arc + p->info.nodes * vertex;
    p->info.estimated_memory = p->info.estimated_file + arcs * (16 + row + columns) + p->info.nodes * 48;
    meguri_sssp_fit fit = {.size = sizeof fit};
    meguri_status status = meguri_sssp_device_fit(&fit, p->ctx, p->info.nodes, arcs, p->widest);
    p->info.device_memory = fit.memory;
    p->info.device_whole = fit.whole;
    p->info.device_parts = fit.parts;
    return status;
}

meguri_status meguri_pull_estimate(meguri_pull_info *out, meguri_ctx *ctx, const meguri_source *source) {
    meguri_status status = mg_pulling_check(out, ctx, source, __func__);
    if (status == MEGURI_OK && !out)
        status = mg_source_fail(ctx, MEGURI_BAD_ARGUMENT, "%s: there is no place for what is found.", __func__);
    if (status != MEGURI_OK) return status;
    mg_pulling p;
    status = mg_pulling_begin(&p, ctx, source, sample_weights);
    p.info.relationships = p.counted;
    if (status == MEGURI_OK) status = estimate(&p);
    mg_pulling_end(&p, false);
    if (status == MEGURI_OK) *out = p.info;
    return status;
}
