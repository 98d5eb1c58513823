/* Relationships: the records of a share straight into arrays, their ends turned into what the builder calls vertices.
 * This is the hot part of a pull. */
#include "source/source.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define EXACT ((int64_t)1 << 53) /* whole numbers up to this one are doubles */

typedef struct decoding {
    mg_pulled *edges;
    const meguri_source *source;
    const mg_nodes *nodes;
    const mg_share *share;
    const char *name; /* of the database */
} decoding;

static meguri_status wrong(const decoding *d, meguri_status status, const char *format, ...) MG_PRINTF(3, 4);
static meguri_status wrong(const decoding *d, meguri_status status, const char *format, ...) {
    char text[600];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    snprintf(d->edges->error, sizeof d->edges->error, "%.90s: %s", d->name, text);
    return status;
}

static meguri_status malformed(const decoding *d) {
    return wrong(d, MEGURI_ENGINE_FAILED,
                 "lists of a record do not fit together; does the database change while it is read? Pull again.");
}

static bool make_room(mg_pulled *edges, uint64_t more, bool weighted) {
    if (more <= edges->room - edges->count) return true;
    uint64_t room = edges->room ? edges->room : MG_SHARE_RELATIONSHIPS;
    while (room - edges->count < more) room *= 2;
    struct {
        void **array;
        size_t size;
    } arrays[] = {{(void **)&edges->from, sizeof *edges->from},
                  {(void **)&edges->to, sizeof *edges->to},
                  {(void **)&edges->ids, sizeof *edges->ids},
                  {(void **)&edges->types, sizeof *edges->types},
                  {(void **)&edges->databases, sizeof *edges->databases},
                  {(void **)&edges->weights, weighted ? sizeof *edges->weights : 0}};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        if (!arrays[i].size) continue;
        void *grown = meguri_ctx_resize(edges->ctx, *arrays[i].array, room * arrays[i].size, "relationships");
        if (!grown) {
            snprintf(edges->error, sizeof edges->error, "%s", meguri_ctx_error(edges->ctx));
            return false;
        }
        *arrays[i].array = grown;
    }
    edges->room = room;
    return true;
}

/* ---- types ------------------------------------------------------------------------------------------------------ */

/* A name that a cache could only have cut off, or as something else. */
static meguri_status bad_type(const decoding *d, const mg_value *value) {
    char shown[MG_VALUE_TEXT];
    return wrong(d, MEGURI_BAD_INPUT,
                 "a type of relationships is called %s, which is empty, is not UTF-8, or holds a zero byte, a tab or a "
                 "line end, as no name in a cache may; name the types that are wanted.",
                 mg_value_text(shown, value, &d->source->databases[d->share->database]));
}

static meguri_status take_type(uint32_t *out, const decoding *d, mg_cursor *record) {
    mg_value value = {.kind = MG_TEXT};
    if (d->source->types.count == 1) {
        value.text = d->source->types.words[0];
        value.length = strlen(value.text);
    } else if (!mg_unpack(&value, record) || value.kind != MG_TEXT) return malformed(d);
    if (!mg_is_text_name(value.text, value.length)) return bad_type(d, &value);
    *out = mg_types_add(&d->edges->names, d->edges->ctx, value.text, value.length);
    if (*out == MG_NO_TYPE) return wrong(d, MEGURI_NO_MEMORY, "%s", meguri_ctx_error(d->edges->ctx));
    return MEGURI_OK;
}

/* ---- weights ---------------------------------------------------------------------------------------------------- */

/* What is no number, or none that a weight can be. */
static meguri_status odd_weight(double *out, const decoding *d, const mg_value *value, uint64_t id) {
    const char *property = d->source->weight, *trouble = mg_number_trouble(out, value);
    char shown[MG_VALUE_TEXT];
    if (!trouble) return MEGURI_OK;
    if (value->kind != MG_BOOL || value->integer)
        return wrong(d, MEGURI_BAD_INPUT,
                     "the relationship %" PRIu64 " has %s as %.60s, %s; mend it, or name another property.", id,
                     mg_value_text(shown, value, &d->source->databases[d->share->database]), property, trouble);
    *out = d->source->default_weight;
    if (d->source->has_default) return MEGURI_OK;
    return wrong(d, MEGURI_BAD_INPUT,
                 "the relationship %" PRIu64
                 " has no property %.60s, which is to be the weight; say what it weighs then (default weight).",
                 id, property);
}

static meguri_status take_weights(const decoding *d, uint64_t first, uint64_t count, mg_cursor *record) {
    uint64_t other;
    double *out = d->edges->weights + first;
    if (!mg_unpack_list(&other, record) || other != count) return malformed(d);
    for (uint64_t i = 0; i < count; i++) {
        mg_value value;
        if (!mg_unpack(&value, record)) return malformed(d);
        if (value.kind == MG_REAL && isfinite(value.real)) out[i] = value.real;
        else if (value.kind == MG_INTEGER && value.integer >= -EXACT && value.integer <= EXACT)
            out[i] = (double)value.integer;
        else { /* of a list or a map only the head is passed over, which is refused anyway */
            meguri_status status = odd_weight(&out[i], d, &value, d->edges->ids[first + i]);
            if (status != MEGURI_OK) return status;
        }
    }
    return MEGURI_OK;
}

/* ---- ends ------------------------------------------------------------------------------------------------------- */

/* From ids of the database to those of the builder; edges without an end are left out. */
static void map_ends(const decoding *d, uint64_t first, uint64_t count) {
    mg_pulled *e = d->edges;
    const mg_lookup *lookup = &d->nodes->lookups[d->share->database];
    const uint64_t *ids = d->nodes->ids;
    uint64_t to = first;
    for (uint64_t i = first; i < first + count; i++) {
        uint32_t source = mg_lookup_get(lookup, (int64_t)e->from[i]), target = mg_lookup_get(lookup, (int64_t)e->to[i]);
        if (source == MG_NO_VERTEX || target == MG_NO_VERTEX) continue;
        e->from[to] = ids[source];
        e->to[to] = ids[target];
        if (to != i) {
            e->ids[to] = e->ids[i];
            if (d->source->weight) e->weights[to] = e->weights[i];
        }
        to++;
    }
    e->outside += first + count - to;
    e->count = to;
}

/* Ids of relationships are those that were asked for: whole records of them (make_by_id in query.c). */
static bool ids_fit(const decoding *d, uint64_t first, uint64_t count) {
    bool by_id = !mg_source_filters(d->source);
    uint64_t records = (d->share->last - d->share->first) / MG_RECORD_ITEMS + 1;
    uint64_t least = by_id ? d->share->first : 0;
    uint64_t most = by_id ? least + records * MG_RECORD_ITEMS - 1 : INT64_MAX;
    for (uint64_t i = first; i < first + count; i++)
        if (d->edges->ids[i] < least || d->edges->ids[i] > most) return false;
    return true;
}

static meguri_status decode_record(const decoding *d, mg_cursor record) {
    mg_pulled *e = d->edges;
    uint64_t fields, count, other, first = e->count;
    uint32_t type = 0;
    if (!mg_unpack_list(&fields, &record)) return malformed(d);
    meguri_status status = take_type(&type, d, &record);
    if (status != MEGURI_OK) return status;
    mg_cursor look = record;
    if (!mg_unpack_list(&count, &look)) return malformed(d);
    if (!make_room(e, count, d->source->weight != NULL)) return MEGURI_NO_MEMORY;
    uint64_t *const lists[] = {e->from, e->to, e->ids};
    for (int i = 0; i < 3; i++)
        if (!mg_unpack_integers((int64_t *)lists[i] + first, count, &other, &record) || other != count)
            return malformed(d);
    if (!ids_fit(d, first, count)) return malformed(d);
    if (d->source->weight) status = take_weights(d, first, count, &record);
    if (status != MEGURI_OK) return status;
    map_ends(d, first, count);
    for (uint64_t i = first; i < e->count; i++) e->types[i] = type;
    for (uint64_t i = first; i < e->count; i++) e->databases[i] = (uint16_t)d->share->database;
    return MEGURI_OK;
}

meguri_status mg_pulled_decode(mg_pulled *edges, const meguri_source *source, const mg_nodes *nodes,
                               const mg_share *share, const char *name) {
    const decoding d = {edges, source, nodes, share, name};
    const uint8_t *at = share->records, *end = at + share->bytes;
    mg_cursor record;
    meguri_status status = MEGURI_OK;
    edges->count = edges->outside = 0;
    mg_types_clear(&edges->names);
    while (status == MEGURI_OK && mg_share_next(&record, &at, end)) status = decode_record(&d, record);
    return status == MEGURI_OK && at != end ? malformed(&d) : status;
}

void mg_pulled_free(mg_pulled *edges) {
    mg_types_free(&edges->names);
    void *const blocks[] = {edges->from, edges->to, edges->ids, edges->weights, edges->types, edges->databases};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) meguri_ctx_release(blocks[i]);
    *edges = (mg_pulled){0};
}
