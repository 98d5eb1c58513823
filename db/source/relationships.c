/* Relationships: the records of a share straight into arrays, their ends turned into what the builder calls vertices.
 * This is the hot part of a pull. */
#define _GNU_SOURCE /* strtod_l */
#include "source/source.h"

#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct decoding {
    mg_pulled *edges;
    const meguri_source *source;
    const mg_nodes *nodes;
    const mg_share *share;
    const char *name; /* of the database */
} decoding;

static meguri_status wrong(const decoding *d, meguri_status status, const char *format, ...) MG_PRINTF(3, 4);
static meguri_status wrong(const decoding *d, meguri_status status, const char *format, ...) {
    char text[400];
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
        if (!mg_memory_resize(edges->memory, arrays[i].array, room * arrays[i].size, "relationships", edges->error))
            return false;
    }
    edges->room = room;
    return true;
}

/* ---- types ------------------------------------------------------------------------------------------------------ */

static bool find_type(uint32_t *out, mg_pulled *edges, const char *text, size_t length) {
    for (uint32_t t = 0; t < edges->type_count; t++)
        if (strlen(edges->type_names[t]) == length && memcmp(edges->type_names[t], text, length) == 0) {
            *out = t;
            return true;
        }
    char **grown = realloc(edges->type_names, (edges->type_count + 1) * sizeof *grown);
    if (grown) edges->type_names = grown;
    char *copy = grown ? strndup(text, length) : NULL;
    if (!copy) return false;
    edges->type_names[edges->type_count] = copy;
    *out = edges->type_count++;
    return true;
}

static meguri_status take_type(uint32_t *out, const decoding *d, mg_cursor *record) {
    mg_value value = {.kind = MG_TEXT};
    if (d->source->types.count == 1) {
        value.text = d->source->types.words[0];
        value.length = strlen(value.text);
    } else if (!mg_unpack(&value, record) || value.kind != MG_TEXT) return malformed(d);
    if (find_type(out, d->edges, value.text, value.length)) return MEGURI_OK;
    return wrong(d, MEGURI_NO_MEMORY, "the system has no memory for the names of types.");
}

/* ---- weights ---------------------------------------------------------------------------------------------------- */

bool mg_text_number(double *out, const char *text, size_t length) {
    char copy[64], *end;
    if (!length || length >= sizeof copy) return false;
    memcpy(copy, text, length);
    copy[length] = '\0';
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!c) return false;
    *out = strtod_l(copy, &end, c);
    freelocale(c);
    return end == copy + length;
}

/* What is neither an integer nor a real number. */
static meguri_status odd_weight(double *out, const decoding *d, const mg_value *value, uint64_t id) {
    const char *property = d->source->weight;
    if (value->kind == MG_BOOL && !value->integer) {
        *out = d->source->default_weight;
        if (d->source->has_default) return MEGURI_OK;
        return wrong(d, MEGURI_BAD_INPUT,
                     "the relationship %" PRIu64
                     " has no property %.60s, which is to be the weight; say what it weighs "
                     "then (default weight).",
                     id, property);
    }
    if (value->kind == MG_TEXT && mg_text_number(out, value->text, value->length)) return MEGURI_OK;
    if (value->kind == MG_TEXT)
        return wrong(d, MEGURI_BAD_INPUT, "the relationship %" PRIu64 " has '%.*s' as %.60s, which is no number.", id,
                     (int)MG_MIN(value->length, (size_t)40), value->text, property);
    return wrong(d, MEGURI_BAD_INPUT, "the relationship %" PRIu64 " has a %.60s that is no number.", id, property);
}

static meguri_status take_weights(const decoding *d, uint64_t first, uint64_t count, mg_cursor *record) {
    uint64_t other;
    double *out = d->edges->weights + first;
    if (!mg_unpack_list(&other, record) || other != count) return malformed(d);
    for (uint64_t i = 0; i < count; i++) {
        mg_value value;
        mg_cursor at = *record;
        if (!mg_unpack(&value, record)) return malformed(d);
        if (value.kind == MG_REAL) out[i] = value.real;
        else if (value.kind == MG_INTEGER) out[i] = (double)value.integer;
        else {
            meguri_status status = odd_weight(&out[i], d, &value, d->edges->ids[first + i]);
            if (status != MEGURI_OK) return status;
            if (!mg_unpack_skip(&at)) return malformed(d);
            *record = at;
        }
        if (isnan(out[i]))
            return wrong(d, MEGURI_BAD_INPUT, "the relationship %" PRIu64 " weighs NaN.", d->edges->ids[first + i]);
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
    if (d->source->weight) status = take_weights(d, first, count, &record);
    if (status != MEGURI_OK) return status;
    map_ends(d, first, count);
    for (uint64_t i = first; i < e->count; i++) e->types[i] = type;
    for (uint64_t i = first; i < e->count; i++) e->databases[i] = (uint16_t)d->share->database;
    return MEGURI_OK;
}

static void forget_types(mg_pulled *edges) {
    for (uint32_t t = 0; t < edges->type_count; t++) free(edges->type_names[t]);
    edges->type_count = 0;
}

meguri_status mg_pulled_decode(mg_pulled *edges, const meguri_source *source, const mg_nodes *nodes,
                               const mg_share *share, const char *name) {
    const decoding d = {edges, source, nodes, share, name};
    const uint8_t *at = share->records, *end = at + share->bytes;
    mg_cursor record;
    meguri_status status = MEGURI_OK;
    edges->count = edges->outside = 0;
    forget_types(edges);
    while (status == MEGURI_OK && mg_share_next(&record, &at, end)) status = decode_record(&d, record);
    return status == MEGURI_OK && at != end ? malformed(&d) : status;
}

void mg_pulled_free(mg_pulled *edges) {
    forget_types(edges);
    void *const blocks[] = {edges->from, edges->to, edges->ids, edges->weights, edges->types, edges->databases};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) meguri_ctx_release(blocks[i]);
    free(edges->type_names);
    *edges = (mg_pulled){0};
}
