/* The fields of a line: ids and weights, for all formats alike. */
#include "io/write.h"

#include <inttypes.h>
#include <math.h>

void mg_write_csv_name(mg_text *text, const char *name, size_t length) {
    bool quote = length == 0; /* an empty field would read as none */
    for (size_t i = 0; i < length && !quote; i++)
        quote = name[i] == '"' || name[i] == ',' || name[i] == '\n' || name[i] == '\r' || name[i] == '\t';
    /* Blanks at the ends are part of a field (RFC 4180), but not every reader knows. */
    quote = quote || name[0] == ' ' || name[length - 1] == ' ' || name[0] == '#' || name[0] == '%' || name[0] == '/';
    if (!quote) {
        mg_text_add(text, name, length);
        return;
    }
    if (!mg_text_need(text, 2 * length + 2)) return;
    char *at = text->data + text->used;
    *at++ = '"';
    for (size_t i = 0; i < length; i++) {
        if (name[i] == '"') *at++ = '"';
        *at++ = name[i];
    }
    *at++ = '"';
    text->used = (size_t)(at - text->data);
}

static void put_name(const mg_write_job *job, mg_text *text, uint64_t position) {
    uint64_t begin = job->name_offsets[position];
    size_t length = (size_t)(job->name_offsets[position + 1] - begin);
    if (job->id_form == MG_ID_FORM_CSV) mg_write_csv_name(text, job->names + begin, length);
    else mg_text_add(text, job->names + begin, length);
}

/* Ids that are numbers; at most MG_INTEGER_TEXT bytes. */
static inline char *put_number(const mg_write_job *job, char *at, uint64_t position) {
    if (job->id_form == MG_ID_FORM_PLACE) return mg_put_u64(at, position + 1);
    uint64_t id = job->ids ? job->ids[position] : job->graph->id_base + position;
    return job->graph->id_kind == MEGURI_ID_SIGNED ? mg_put_i64(at, (int64_t)id) : mg_put_u64(at, id);
}

static bool ids_are_names(const mg_write_job *job) { return job->name_offsets && job->id_form != MG_ID_FORM_PLACE; }

static inline char *put_weight(const mg_write_job *job, char *at, uint64_t arc) {
    const void *w = job->rows.weights;
    switch (job->graph->weight_type) {
    case MEGURI_TYPE_U8: return mg_put_u64(at, ((const uint8_t *)w)[arc]);
    case MEGURI_TYPE_U16: return mg_put_u64(at, ((const uint16_t *)w)[arc]);
    case MEGURI_TYPE_U32: return mg_put_u64(at, ((const uint32_t *)w)[arc]);
    case MEGURI_TYPE_F32: return mg_put_double(at, job->powers, (double)((const float *)w)[arc]);
    case MEGURI_TYPE_F64: return mg_put_double(at, job->powers, ((const double *)w)[arc]);
    default: *at = '1'; return at + 1;
    }
}

void mg_write_id(const mg_write_job *job, mg_text *text, uint64_t position) {
    if (ids_are_names(job)) {
        put_name(job, text, position);
    } else if (mg_text_need(text, MG_INTEGER_TEXT)) {
        text->used = (size_t)(put_number(job, text->data + text->used, position) - text->data);
    }
}

void mg_write_weight(const mg_write_job *job, mg_text *text, uint64_t arc) {
    if (mg_text_need(text, MG_DOUBLE_TEXT))
        text->used = (size_t)(put_weight(job, text->data + text->used, arc) - text->data);
}

void mg_write_value(const mg_write_job *job, mg_text *text, uint32_t column, uint64_t arc) {
    const mg_column_view *c = &job->columns[column];
    meguri_type type = mg_code_type(c->what.code);
    if (!mg_column_has(c, arc)) return;
    if (c->what.labels) {
        const char *name = c->labels[mg_value_whole(c->values, meguri_type_bytes(type), arc)];
        mg_write_csv_name(text, name, strlen(name));
        return;
    }
    if (!mg_text_need(text, MG_DOUBLE_TEXT)) return;
    char *at = text->data + text->used;
    if (type == MEGURI_TYPE_F32 || type == MEGURI_TYPE_F64) {
        double value =
            type == MEGURI_TYPE_F32 ? (double)((const float *)c->values)[arc] : ((const double *)c->values)[arc];
        if (!isnan(value)) at = mg_put_double(at, job->powers, value);
    } else if (type == MEGURI_TYPE_BOOLEAN) {
        const char *word = ((const uint8_t *)c->values)[arc] ? "true" : "false";
        mg_text_add(text, word, strlen(word));
        return;
    } else if (mg_type_is_signed(type)) at = mg_put_i64(at, mg_value_signed(c->values, meguri_type_bytes(type), arc));
    else if (type != MEGURI_TYPE_VERTEX || ((const uint64_t *)c->values)[arc] != UINT64_MAX)
        at = mg_put_u64(at, mg_value_whole(c->values, meguri_type_bytes(type), arc));
    text->used = (size_t)(at - text->data);
}

/* Lines of numbers: the hot loop of most formats. The part before the neighbour is made once. */
static void number_lines(const mg_write_job *job, mg_text *text, const mg_write_row *row, const char *prefix,
                         uint64_t count) {
    char start[64];
    size_t length = strlen(prefix);
    memcpy(start, prefix, length);
    char *end = put_number(job, start + length, row->position);
    *end++ = job->separator;
    length = (size_t)(end - start);
    for (uint64_t i = 0; i < count; i++) {
        if (!mg_text_need(text, sizeof start + MG_INTEGER_TEXT + MG_DOUBLE_TEXT + 2)) return;
        char *at = text->data + text->used;
        memcpy(at, start, length);
        at = put_number(job, at + length, row->neighbors[i]);
        if (job->with_weights) {
            *at++ = job->separator;
            at = put_weight(job, at, mg_write_arc(row, i));
        }
        *at++ = '\n';
        text->used = (size_t)(at - text->data);
    }
}

void mg_write_lines(const mg_write_job *job, mg_text *text, const mg_write_row *row, const char *prefix,
                    uint64_t count) {
    if (!ids_are_names(job)) {
        number_lines(job, text, row, prefix, count);
        return;
    }
    for (uint64_t i = 0; i < count && !text->failed; i++) {
        mg_text_add(text, prefix, strlen(prefix));
        put_name(job, text, row->position);
        mg_text_add(text, &job->separator, 1);
        put_name(job, text, row->neighbors[i]);
        if (job->with_weights) {
            mg_text_add(text, &job->separator, 1);
            mg_write_weight(job, text, mg_write_arc(row, i));
        }
        mg_text_add(text, "\n", 1);
    }
}

uint64_t mg_write_lower(const mg_write_row *row) {
    uint64_t low = 0, high = row->degree;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (row->neighbors[middle] <= row->position) low = middle + 1;
        else high = middle;
    }
    return low;
}

typedef struct whole_job {
    const mg_write_job *job;
    double least;
} whole_job;

static uint64_t count_others(const void *what, uint64_t begin, uint64_t end) {
    const double largest = 9007199254740992.0; /* 2^53: whole numbers beyond are not exact */
    const whole_job *whole = what;
    uint64_t bad = 0;
    for (uint64_t i = begin; i < end; i++) {
        double w = mg_weight_at(whole->job->rows.weights, whole->job->graph->weight_type, i);
        bad += !(w >= whole->least && w >= -largest && w <= largest) || w != (double)(int64_t)w;
    }
    return bad;
}

bool mg_weights_whole(const mg_write_job *job, double least) {
    whole_job whole = {job, least};
    uint64_t arcs = job->graph->arcs;
    if (job->graph->weight_type == MEGURI_TYPE_NONE) return 1 >= least;
    return mg_sum_over(job->ctx, mg_threads(job->ctx, arcs, 1 << 16), arcs, count_others, &whole) == 0;
}

uint64_t mg_write_largest_id(const mg_write_job *job) {
    uint64_t vertices = job->graph->vertices;
    if (vertices == 0) return 0;
    return job->ids ? job->ids[vertices - 1] : job->graph->id_base + vertices - 1;
}

static uint64_t count_lower(const void *what, uint64_t begin, uint64_t end) {
    const mg_write_job *job = what;
    const mg_rows *r = &job->rows;
    uint64_t lower = 0;
    for (uint64_t v = begin; v < end; v++) {
        uint32_t position = mg_to_user(&job->numbering, (uint32_t)v);
        for (uint64_t i = mg_row_begin(r, v); i < mg_row_end(r, v); i++)
            lower += mg_to_user(&job->numbering, r->neighbors[i]) <= position;
    }
    return lower;
}

meguri_status mg_write_counted(mg_write_job *job) {
    const meguri_graph *g = job->graph;
    if (g->directed) return MEGURI_OK;
    int threads = mg_threads(job->ctx, g->arcs, 1 << 16);
    uint64_t lower = mg_sum_over(job->ctx, threads, job->rows.rows, count_lower, job);
    if (lower == g->edges) return MEGURI_OK;
    return mg_fail(job->ctx, MEGURI_BAD_INPUT,
                   "cannot write %s: the graph is damaged, it says that it has %" PRIu64 " edges and has %" PRIu64
                   "; build it again.",
                   job->path, g->edges, lower);
}
