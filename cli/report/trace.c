/* Reading a trace: one JSON object a line (docs/trace.md), whatever its length.
 *
 * Fields that are not known are skipped. A line that is not a step is an error with its number, so that another kind
 * of file is never shown as if it were a trace; only a last line without its end is forgiven, because that is what a
 * program leaves that was stopped while it wrote. */
#include "report/report.h"

#include <errno.h>
#include <jansson.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LONGEST_LINE 262144
#define LOOK_EVERY   4096 /* lines between looks at Ctrl-C */
#define WAIT_MS      100  /* for more of a pipe, between looks at Ctrl-C */

typedef struct reader {
    cli_run *run;
    FILE *file;
    const char *name; /* for messages */
    uint64_t number;  /* of the line, from 1 */
    uint64_t done, bytes;
    char buffer[65536];
    size_t at, filled;
    int error; /* errno of a failed read */
    char line[LONGEST_LINE + 1];
    size_t length;
    bool ended; /* the line has its end */
} reader;

/* What comes from the file must not steer the terminal. */
static void make_printable(char *text) {
    for (; *text; text++)
        if ((unsigned char)*text < 0x20 || (unsigned char)*text >= 0x7F) *text = '?';
}

/* More into the buffer; false at the end, after an error, or when the user wants no more. A Ctrl-C that comes just
 * before a read would not end it, so nobody waits in one. */
static bool refill(reader *r) {
    struct pollfd input = {.fd = fileno(r->file), .events = POLLIN};
    while (input.fd >= 0 && poll(&input, 1, WAIT_MS) <= 0)
        if (cli_interrupted()) return false;
    ssize_t got = input.fd >= 0 ? read(input.fd, r->buffer, sizeof r->buffer)
                                : (ssize_t)fread(r->buffer, 1, sizeof r->buffer, r->file);
    if (got < 0) r->error = errno;
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

/* NULL, or the name of the field that is not what it should be. */
static const char *get_fields(report_line *out, const json_t *object) {
    const struct {
        const char *key, **place;
    } texts[] = {{"run", &out->run}, {"phase", &out->phase}, {"way", &out->way}, {"engine", &out->engine}};
    const struct {
        const char *key;
        int64_t *place;
    } numbers[] = {{"at_us", &out->at},    {"step", &out->step},       {"frontier", &out->frontier},
                   {"edges", &out->edges}, {"threads", &out->threads}, {"us", &out->us},
                   {"bytes", &out->bytes}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (!get_text(object, texts[i].key, texts[i].place)) return texts[i].key;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (!get_number(object, numbers[i].key, numbers[i].place)) return numbers[i].key;
    return out->run ? NULL : "run";
}

static meguri_status not_a_step(reader *r, const char *why) {
    return cli_fail(r->run, MEGURI_BAD_INPUT,
                    "%s:%llu: this is not a step of a trace: %s; give a file that --trace wrote.", r->name,
                    (unsigned long long)r->number, why);
}

static meguri_status take_line(report_trace *trace, reader *r) {
    json_error_t error;
    char why[200];
    report_line line;
    meguri_status status = MEGURI_OK;
    if (r->length == LONGEST_LINE) return not_a_step(r, "the line is too long");
    json_t *object = json_loadb(r->line, r->length, 0, &error);
    if (!object && json_error_code(&error) == json_error_out_of_memory) status = MEGURI_NO_MEMORY;
    else if (!object && !r->ended && (trace->sums.steps || trace->map.searched)) trace->cut_off = true;
    else if (!object) {
        snprintf(why, sizeof why, "%s", error.text);
        make_printable(why);
        status = not_a_step(r, why);
    } else if (!json_is_object(object)) status = not_a_step(r, "it is not a JSON object");
    else {
        const char *field = get_fields(&line, object);
        if (!field && report_is_route(object)) field = report_take_route(&trace->map, object);
        if (field && !*field) status = MEGURI_NO_MEMORY;
        else if (field) {
            snprintf(why, sizeof why, "its field \"%s\" is %s", field,
                     json_object_get(object, field) ? "of another kind" : "missing");
            status = not_a_step(r, why);
        } else if (!report_is_route(object) && !report_add(trace, &line)) status = MEGURI_NO_MEMORY;
    }
    json_decref(object);
    if (status == MEGURI_NO_MEMORY) cli_fail(r->run, status, "the system has no memory for the trace %s.", r->name);
    return status;
}

/* ---- all lines -------------------------------------------------------------------------------------------------- */

static meguri_status take_lines(report_trace *trace, reader *r) {
    meguri_status status = MEGURI_OK;
    while (status == MEGURI_OK && next_line(r)) {
        if (r->number % LOOK_EVERY == 0 && cli_on_progress(r->run, "trace", r->done, r->bytes)) break;
        if (!is_blank(r)) status = take_line(trace, r);
    }
    if (cli_interrupted()) return cli_fail(r->run, MEGURI_CANCELLED, "interrupted.");
    if (status == MEGURI_OK && r->error)
        return cli_fail(r->run, MEGURI_BAD_INPUT, "cannot read %s: %s.", r->name, strerror(r->error));
    return status;
}

meguri_status report_read_stream(report_trace *out, cli_run *run, FILE *file, const char *name) {
    struct stat facts;
    reader *r = calloc(1, sizeof *r);
    *out = (report_trace){.name = name, .first_at = -1, .last_at = -1, .last_kind = -1};
    if (!r) return cli_fail(run, MEGURI_NO_MEMORY, "the system has no memory to read a trace.");
    r->run = run;
    r->name = name;
    r->file = file;
    if (fstat(fileno(file), &facts) == 0 && S_ISREG(facts.st_mode)) r->bytes = (uint64_t)facts.st_size;
    meguri_status status = take_lines(out, r);
    if (status == MEGURI_OK && out->sums.steps == 0 && !out->map.searched)
        status =
            cli_fail(run, MEGURI_BAD_INPUT, "%s is empty: no step was traced; give a file that --trace wrote.", name);
    if (status == MEGURI_OK && !report_finish(out))
        status = cli_fail(run, MEGURI_NO_MEMORY, "the system has no memory for the trace %s.", name);
    free(r);
    return status;
}

meguri_status report_read(report_trace *out, cli_run *run, const char *path) {
    *out = (report_trace){0};
    if (strcmp(path, "-") == 0) return report_read_stream(out, run, stdin, "standard input");
    FILE *file = fopen(path, "rbe");
    if (!file)
        return cli_fail(run, errno == ENOENT ? MEGURI_NOT_FOUND : MEGURI_BAD_INPUT, "cannot read %s: %s.", path,
                        strerror(errno));
    meguri_status status = report_read_stream(out, run, file, path);
    fclose(file);
    return status;
}
