/* Reading a trace: one JSON object a line (docs/trace.md), whatever its length.
 *
 * Fields that are not known are skipped. A line that is not a step is an error with its number, so that another kind
 * of file is never shown as if it were a trace; only a last line without its end is forgiven, because that is what a
 * program leaves that was stopped while it wrote. */
#define _GNU_SOURCE
#include "report/page.h"

#include <errno.h>
#include <jansson.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LONGEST_LINE 262144
#define LOOK_EVERY   4096 /* lines between looks at Ctrl-C */
#define WAIT_MS      100  /* for more of a pipe, between looks at Ctrl-C */

typedef struct reader {
    meguri_ctx *ctx;
    mg_report_input input;
    uint64_t number; /* of the line, from 1 */
    uint64_t done, bytes;
    char buffer[65536];
    size_t at, filled;
    int error;      /* errno of a failed read */
    bool cancelled; /* somebody has had enough */
    bool taken;     /* a line was */
    char line[LONGEST_LINE + 1];
    size_t length;
    bool ended; /* the line has its end */
} reader;

/* A cancel that comes just before a read would not end it, so nobody waits in one. */
int64_t mg_report_more(meguri_ctx *ctx, mg_report_input *input, void *buffer, size_t room) {
    struct pollfd file = {.fd = input->fd, .events = POLLIN};
    if (input->fd < 0) {
        size_t bytes = MG_MIN(room, input->bytes);
        memcpy(buffer, input->text, bytes);
        input->text += bytes;
        input->bytes -= bytes;
        return (int64_t)bytes;
    }
    while (poll(&file, 1, WAIT_MS) <= 0)
        if (mg_progress(ctx, "trace", 0, 0)) return MG_REPORT_CANCELLED;
    return read(input->fd, buffer, room);
}

/* More into the buffer; false at the end, after an error or a cancel. */
static bool refill(reader *r) {
    int64_t got = mg_report_more(r->ctx, &r->input, r->buffer, sizeof r->buffer);
    if (got == MG_REPORT_CANCELLED) r->cancelled = true;
    else if (got < 0) r->error = errno;
    r->at = 0;
    r->filled = got > 0 ? (size_t)got : 0;
    return got > 0;
}

static int next_byte(reader *r) {
    if (r->at == r->filled && !refill(r)) return EOF;
    return (unsigned char)r->buffer[r->at++];
}

/* The next line without its end; false at the end of the file. */
static bool next_line(reader *r) {
    int c = EOF;
    r->length = 0;
    while (r->length < LONGEST_LINE && (c = next_byte(r)) != EOF && c != '\n') r->line[r->length++] = (char)c;
    r->line[r->length] = '\0';
    r->ended = c == '\n';
    r->done += r->length + r->ended;
    r->number++;
    return r->length > 0 || r->ended;
}

static bool is_blank(const reader *r) {
    for (size_t i = 0; i < r->length; i++)
        if (!strchr(" \t\r", r->line[i]) || r->line[i] == '\0') return false;
    return true;
}

/* ---- one line --------------------------------------------------------------------------------------------------- */

static bool get_text(const json_t *object, const char *key, const char **out) {
    const json_t *value = json_object_get(object, key);
    *out = value ? json_string_value(value) : NULL;
    return !value || *out || json_is_null(value);
}

/* Whole numbers; what another program made with a point is rounded down. */
static bool get_number(const json_t *object, const char *key, int64_t *out) {
    const json_t *value = json_object_get(object, key);
    *out = -1;
    if (!value || json_is_null(value)) return true;
    if (json_is_integer(value)) *out = json_integer_value(value);
    else if (json_is_real(value) && json_real_value(value) >= 0 && json_real_value(value) < 9e18)
        *out = (int64_t)json_real_value(value);
    return *out >= 0;
}

/* A field, and where it goes. */
typedef struct text_field {
    const char *key, **place;
} text_field;
typedef struct number_field {
    const char *key;
    int64_t *place;
} number_field;

/* NULL, or the name of the field that is not what it should be. */
static const char *get_list(const json_t *object, const text_field *texts, size_t text_count,
                            const number_field *numbers, size_t number_count) {
    for (size_t i = 0; i < text_count; i++)
        if (!get_text(object, texts[i].key, texts[i].place)) return texts[i].key;
    for (size_t i = 0; i < number_count; i++)
        if (!get_number(object, numbers[i].key, numbers[i].place)) return numbers[i].key;
    return NULL;
}

/* What the first step of a search says about it. */
static const char *get_search(mg_report_line *out, const json_t *object) {
    const text_field texts[] = {{"strategy", &out->strategy}, {"thresholds", &out->thresholds}};
    const number_field numbers[] = {{"vertices", &out->vertices},
                                    {"source", &out->source},
                                    {"searches", &out->searches},
                                    {"all_above_us", &out->above},
                                    {"selected_below_us", &out->below}};
    return get_list(object, texts, sizeof texts / sizeof *texts, numbers, sizeof numbers / sizeof *numbers);
}

static const char *get_fields(mg_report_line *out, const json_t *object) {
    const text_field texts[] = {
        {"run", &out->run}, {"phase", &out->phase}, {"way", &out->way}, {"engine", &out->engine}};
    const number_field numbers[] = {{"at_us", &out->at},    {"step", &out->step},       {"frontier", &out->frontier},
                                    {"edges", &out->edges}, {"threads", &out->threads}, {"us", &out->us},
                                    {"bytes", &out->bytes}};
    *out = (mg_report_line){.source = -1};
    const char *field =
        get_list(object, texts, sizeof texts / sizeof *texts, numbers, sizeof numbers / sizeof *numbers);
    if (!field && json_object_get(object, "strategy")) field = get_search(out, object);
    if (field) return field;
    return out->run ? mg_report_get_parts(out, object) : "run";
}

static meguri_status not_a_step(reader *r, const char *why) {
    return mg_fail(r->ctx, MEGURI_BAD_INPUT,
                   "%s:%llu: this is not a step of a trace: %s; give a file that a trace was written to.",
                   r->input.name, (unsigned long long)r->number, why);
}

static meguri_status take_line(mg_report_trace *trace, reader *r) {
    json_error_t error;
    char why[200];
    mg_report_line line;
    meguri_status status = MEGURI_OK;
    if (r->length == LONGEST_LINE) return not_a_step(r, "the line is too long");
    json_t *object = json_loadb(r->line, r->length, 0, &error);
    if (!object && json_error_code(&error) == json_error_out_of_memory) status = MEGURI_NO_MEMORY;
    else if (!object && !r->ended && r->taken) trace->cut_off = true;
    else if (!object) {
        status = not_a_step(r, error.text);
    } else if (!json_is_object(object)) status = not_a_step(r, "it is not a JSON object");
    else {
        const char *field = get_fields(&line, object);
        if (!field && mg_report_is_route(object)) field = mg_report_take_route(&trace->map, object);
        if (field && !*field) status = MEGURI_NO_MEMORY;
        else if (field) {
            snprintf(why, sizeof why, "its field \"%s\" is %s", field,
                     json_object_get(object, field) ? "of another kind" : "missing");
            status = not_a_step(r, why);
        } else if (!mg_report_is_route(object) && !mg_report_add(trace, &line)) status = MEGURI_NO_MEMORY;
        r->taken |= status == MEGURI_OK;
    }
    json_decref(object);
    if (status == MEGURI_NO_MEMORY)
        mg_fail(r->ctx, status, "the system has no memory for the trace %s.", r->input.name);
    return status;
}

/* ---- all lines -------------------------------------------------------------------------------------------------- */

static meguri_status take_lines(mg_report_trace *trace, reader *r) {
    meguri_status status = MEGURI_OK;
    while (status == MEGURI_OK && next_line(r)) {
        if (r->number % LOOK_EVERY == 0) r->cancelled = mg_progress(r->ctx, "trace", r->done, r->bytes);
        if (r->cancelled) break;
        if (!is_blank(r)) status = take_line(trace, r);
    }
    if (r->cancelled) return mg_fail_cancelled(r->ctx);
    if (status == MEGURI_OK && r->error)
        return mg_fail(r->ctx, MEGURI_BAD_INPUT, "cannot read %s: %s.", r->input.name, strerror(r->error));
    return status;
}

meguri_status mg_report_read(mg_report_trace *out, meguri_ctx *ctx, const mg_report_input *input) {
    struct stat facts;
    reader *r = mg_alloc_zero(ctx, sizeof *r, "reading a trace");
    if (!r) return MEGURI_NO_MEMORY;
    r->ctx = ctx;
    r->input = *input;
    if (input->fd >= 0 && fstat(input->fd, &facts) == 0 && S_ISREG(facts.st_mode)) r->bytes = (uint64_t)facts.st_size;
    mg_report_next_trace(out);
    meguri_status status = take_lines(out, r);
    if (status == MEGURI_OK && !r->taken)
        status = mg_fail(ctx, MEGURI_BAD_INPUT,
                         "%s is empty: no step was traced; give a file that a trace was written to.", input->name);
    mg_free(r);
    return status;
}
