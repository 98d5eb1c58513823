/* The trace: every line is JSON (read by a small reader of its own here), with the fields it should have. */
#define _GNU_SOURCE
#include "support/at_once.h"
#include "support/decimal_comma.h"

#include <ctype.h>
#include <math.h>

/* ---- a reader of one flat JSON object: strings and whole numbers, as RFC 8259 writes them ----------------------- */

typedef struct field {
    char key[64], text[128];
    bool is_text;
    int64_t number;
} field;

typedef struct object {
    field fields[16];
    size_t count;
} object;

static const char *read_string(const char *at, char *to, size_t room) {
    size_t length = 0;
    if (*at++ != '"') return NULL;
    for (; *at && *at != '"'; at++) {
        char c = *at;
        if ((unsigned char)c < ' ') return NULL;
        if (c == '\\') {
            at++;
            if (*at == '"' || *at == '\\') c = *at;
            else if (*at == 'n' || *at == 't') c = *at == 'n' ? '\n' : '\t';
            else if (*at == 'u') {
                char digits[5] = {0};
                for (int i = 0; i < 4; i++) {
                    if (!isxdigit((unsigned char)at[1 + i])) return NULL;
                    digits[i] = at[1 + i];
                }
                c = (char)strtol(digits, NULL, 16);
                at += 4;
            } else return NULL;
        }
        if (length + 1 >= room) return NULL;
        to[length++] = c;
    }
    to[length] = '\0';
    return *at == '"' ? at + 1 : NULL;
}

static const char *read_number(const char *at, int64_t *to) {
    const char *start = at;
    if (*at == '-') at++;
    if (!isdigit((unsigned char)*at) || (*at == '0' && isdigit((unsigned char)at[1]))) return NULL;
    while (isdigit((unsigned char)*at)) at++;
    *to = strtoll(start, NULL, 10);
    return at;
}

static bool read_object(object *out, const char *line) {
    *out = (object){.count = 0};
    if (*line++ != '{') return false;
    for (;;) {
        if (out->count == COUNT_OF(out->fields)) return false;
        field *f = &out->fields[out->count++];
        line = read_string(line, f->key, sizeof f->key);
        if (!line || *line++ != ':') return false;
        f->is_text = *line == '"';
        line = f->is_text ? read_string(line, f->text, sizeof f->text) : read_number(line, &f->number);
        if (!line) return false;
        if (*line == '}') return strcmp(line, "}\n") == 0;
        if (*line++ != ',') return false;
    }
}

static const field *find(const object *o, const char *key) {
    const field *found = NULL;
    for (size_t i = 0; i < o->count; i++)
        if (strcmp(o->fields[i].key, key) == 0) {
            assert_null(found); /* no key twice */
            found = &o->fields[i];
        }
    return found;
}

static int64_t number_of(const object *o, const char *key) {
    const field *f = find(o, key);
    return f && !f->is_text ? f->number : INT64_MIN;
}

static const char *text_of(const object *o, const char *key) {
    const field *f = find(o, key);
    return f && f->is_text ? f->text : "(none)";
}

static void reader_knows_json(void **state) {
    (void)state;
    object o;
    assert_true(read_object(&o, "{\"a\":1,\"b\":\"x\\\"y\"}\n"));
    assert_int_equal(o.count, 2);
    const char *const bad[] = {"",
                               "{}x\n",
                               "{\"a\":1,5}\n",
                               "{\"a\":01}\n",
                               "{\"a\":1}",
                               "{a:1}\n",
                               "{\"a\":1.5}\n",
                               "{\"a\":\"\t\"}\n",
                               "{\"a\":1,}\n",
                               "{\"a\":}\n",
                               "{\"a\" 1}\n",
                               "{\"a\":\"x}\n",
                               "{\"a\":1 000}\n",
                               "{\"a\":1.000}\n"};
    for (size_t i = 0; i < COUNT_OF(bad); i++) assert_false(read_object(&o, bad[i]));
}

/* ---- the trace -------------------------------------------------------------------------------------------------- */

static void trace_path(char path[2 * FOLDER_TEXT], const char *folder) {
    snprintf(path, 2 * FOLDER_TEXT, "%s/trace.jsonl", folder);
}

/* Reads all lines; returns their number and leaves the last object that was read. */
static size_t read_trace(const char *path, object *last) {
    char line[1024];
    size_t lines = 0;
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        if (!read_object(last, line)) fail_msg("not JSON: %s", line);
        assert_true(number_of(last, "at_us") >= 0);
        lines++;
    }
    fclose(file);
    return lines;
}

static void check_fields(const char *folder) {
    char path[2 * FOLDER_TEXT];
    trace_path(path, folder);
    meguri_ctx *ctx = context_with(3);
    object o;
    assert_int_equal(meguri_ctx_trace(ctx, path), MEGURI_OK);
    assert_true(mg_trace_on(ctx));
    mg_step step = {.run = "bfs",
                    .step = 3,
                    .phase = "say \"hi\"\\\n\x01",
                    .frontier = 1234567,
                    .edges = INT64_MAX,
                    .way = "push",
                    .engine = "host",
                    .threads = 2,
                    .seconds = 1234.5678915,
                    .bytes = 0,
                    .messages = 17,
                    .active = 5};
    mg_trace(ctx, &step);
    assert_int_equal(meguri_ctx_trace(ctx, NULL), MEGURI_OK); /* the last bytes are on disk now */
    assert_false(mg_trace_on(ctx));
    assert_int_equal(read_trace(path, &o), 1);
    assert_string_equal(text_of(&o, "run"), "bfs");
    assert_int_equal(number_of(&o, "step"), 3);
    assert_string_equal(text_of(&o, "phase"), "say \"hi\"\\\n\x01");
    assert_int_equal(number_of(&o, "frontier"), 1234567);
    assert_true(number_of(&o, "edges") == INT64_MAX);
    assert_string_equal(text_of(&o, "way"), "push");
    assert_string_equal(text_of(&o, "engine"), "host");
    assert_int_equal(number_of(&o, "threads"), 2);
    assert_int_equal(number_of(&o, "us"), 1234567892);
    assert_int_equal(number_of(&o, "bytes"), 0);
    assert_int_equal(number_of(&o, "messages"), 17);
    assert_int_equal(number_of(&o, "active"), 5);
    assert_int_equal(number_of(&o, "lane"), 0);
    assert_int_equal(number_of(&o, "start_us"), 0); /* it began before the trace */
    assert_int_equal(o.count, 15);

    assert_int_equal(meguri_ctx_trace(ctx, path), MEGURI_OK); /* begins anew */
    mg_step nothing = MG_STEP_NONE;
    mg_trace(ctx, &nothing);
    mg_trace_phase(ctx, "read", "parse", 77, -1, mg_now() - 0.25);
    assert_int_equal(meguri_ctx_trace(ctx, NULL), MEGURI_OK);
    mg_trace(ctx, &nothing); /* to nobody */
    mg_trace_phase(ctx, "read", "parse", 77, -1, mg_now());
    assert_int_equal(read_trace(path, &o), 2);
    assert_string_equal(text_of(&o, "run"), "read");
    assert_string_equal(text_of(&o, "phase"), "parse");
    assert_int_equal(number_of(&o, "edges"), 77);
    assert_null(find(&o, "bytes"));
    assert_null(find(&o, "step"));
    assert_int_equal(number_of(&o, "threads"), 3);
    assert_in_range(number_of(&o, "us"), 250000, 60000000);
    context_done(ctx);
}

typedef struct audience {
    char last[4096];
    int lines;
} audience;

static void listen(void *user, const char *line, size_t length) {
    audience *a = user;
    a->lines++;
    assert_int_equal(strlen(line), length);
    snprintf(a->last, sizeof a->last, "%s", line);
}

/* A function gets the lines that a file would, with or without one. */
static void trace_goes_to_a_function(void **state) {
    (void)state;
    char folder[FOLDER_TEXT], path[2 * FOLDER_TEXT], text[4096] = "";
    audience a = {0};
    folder_new(folder);
    trace_path(path, folder);
    meguri_ctx *ctx = context_with(1);
    mg_step step = MG_STEP_NONE;
    step.run = "alone";
    step.lane = 3;
    assert_int_equal(meguri_ctx_trace_to(ctx, listen, &a), MEGURI_OK);
    assert_true(mg_trace_on(ctx));
    mg_trace(ctx, &step);
    assert_int_equal(a.lines, 1);
    assert_non_null(strstr(a.last, "\"run\":\"alone\",\"lane\":3}"));
    mg_step_search first = {.strategy = "adaptive",
                            .vertices = 9,
                            .source = 4,
                            .searches = 1,
                            .thresholds = true,
                            .above = 0.0005,
                            .below = INFINITY};
    step.search = &first;
    mg_trace(ctx, &step);
    assert_non_null(strstr(a.last, "\"lane\":3,\"strategy\":\"adaptive\",\"vertices\":9,\"source\":4,\"searches\":1,"
                                   "\"thresholds\":\"given\",\"all_above_us\":500,\"selected_below_us\":null}"));
    first = (mg_step_search){.strategy = "all", .vertices = 9, .source = -1, .searches = 8};
    mg_trace(ctx, &step);
    assert_non_null(strstr(a.last, "\"lane\":3,\"strategy\":\"all\",\"vertices\":9,\"searches\":8}"));
    step.search = NULL;
    a.lines -= 2;
    assert_int_equal(meguri_ctx_trace(ctx, path), MEGURI_OK);
    step.run = "both";
    step.seconds = 0;
    mg_trace(ctx, &step);
    assert_int_equal(meguri_ctx_trace_add(ctx, "mine", "\"hops\":1"), MEGURI_OK);
    assert_int_equal(a.lines, 3);
    assert_int_equal(meguri_ctx_trace_to(ctx, NULL, NULL), MEGURI_OK);
    mg_trace(ctx, &step);
    assert_int_equal(a.lines, 3);
    assert_int_equal(meguri_ctx_trace(ctx, NULL), MEGURI_OK);
    assert_false(mg_trace_on(ctx));
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_non_null(fgets(text, sizeof text, file));
    assert_non_null(strstr(text, "\"start_us\":"));
    assert_non_null(fgets(text, sizeof text, file));
    text[strcspn(text, "\n")] = '\0';
    assert_string_equal(text, a.last); /* the same line */
    fclose(file);
    assert_int_equal(meguri_ctx_trace_to(NULL, listen, &a), MEGURI_BAD_ARGUMENT);
    folder_remove(folder);
    context_done(ctx);
}

/* Lines of the caller's own; only members that are text of one line. */
static void check_own_lines(const char *folder) {
    char path[2 * FOLDER_TEXT];
    trace_path(path, folder);
    meguri_ctx *ctx = context_with(1);
    object o;
    assert_int_equal(meguri_ctx_trace_add(ctx, "mine", "\"hops\":1"), MEGURI_OK); /* to nobody */
    assert_int_equal(meguri_ctx_trace(ctx, path), MEGURI_OK);
    assert_int_equal(meguri_ctx_trace_add(ctx, "mine", ""), MEGURI_OK);
    assert_int_equal(meguri_ctx_trace_add(ctx, "min\"e", "\"hops\":3"), MEGURI_OK);
    assert_int_equal(meguri_ctx_trace_add(ctx, "mine", "\"hops\":\n3"), MEGURI_BAD_ARGUMENT);
    assert_non_null(strstr(meguri_ctx_error(ctx), "control character"));
    assert_int_equal(meguri_ctx_trace_add(ctx, NULL, ""), MEGURI_BAD_ARGUMENT);
    assert_int_equal(meguri_ctx_trace_add(ctx, "mine", NULL), MEGURI_BAD_ARGUMENT);
    assert_int_equal(meguri_ctx_trace_add(NULL, "mine", ""), MEGURI_BAD_ARGUMENT);
    assert_int_equal(meguri_ctx_trace(ctx, NULL), MEGURI_OK);
    assert_int_equal(read_trace(path, &o), 2);
    assert_string_equal(text_of(&o, "run"), "min\"e");
    assert_int_equal(number_of(&o, "hops"), 3);
    assert_int_equal(o.count, 3);
    context_done(ctx);
}

static void lines_have_their_fields(void **state) {
    (void)state;
    char folder[FOLDER_TEXT];
    folder_new(folder);
    check_fields(folder);
    check_own_lines(folder);
    folder_remove(folder);
}

static void no_decimal_comma(void **state) {
    (void)state;
    char folder[FOLDER_TEXT];
    folder_new(folder);
    bool there = decimal_comma_use(folder);
    if (there) check_fields(folder);
    setlocale(LC_ALL, "C");
    folder_remove(folder);
    if (!there) skip_because("no locale with a decimal comma, and localedef could not make one");
}

static void trace_steps(void *ctx, int thread) {
    for (int i = thread; i < 3000; i += 5) {
        mg_step step = MG_STEP_NONE;
        step.run = "a rather long name of a run, so that lines meet the end of buffers";
        step.step = i;
        mg_trace(ctx, &step);
    }
}

static void threads_write_whole_lines(void **state) {
    (void)state;
    char folder[FOLDER_TEXT], path[2 * FOLDER_TEXT];
    folder_new(folder);
    trace_path(path, folder);
    meguri_ctx *ctx = context_with(5);
    object o;
    assert_int_equal(meguri_ctx_trace(ctx, path), MEGURI_OK);
    at_once(5, trace_steps, ctx);
    assert_int_equal(meguri_ctx_trace(ctx, NULL), MEGURI_OK);
    assert_int_equal(read_trace(path, &o), 3000);
    folder_remove(folder);
    context_done(ctx);
}

/* A context that goes while tracing leaves a whole file. */
static void trace_ends_with_its_context(void **state) {
    (void)state;
    char folder[FOLDER_TEXT], path[2 * FOLDER_TEXT];
    folder_new(folder);
    trace_path(path, folder);
    meguri_ctx *ctx = context_with(1);
    object o;
    assert_int_equal(meguri_ctx_trace(ctx, path), MEGURI_OK);
    mg_trace_phase(ctx, "build", "sort", 1, 2, mg_now());
    meguri_ctx_free(ctx);
    assert_int_equal(read_trace(path, &o), 1);
    folder_remove(folder);
}

static void unwritable_trace_is_reported(void **state) {
    (void)state;
    char folder[FOLDER_TEXT], path[2 * FOLDER_TEXT];
    folder_new(folder);
    meguri_ctx *ctx = context_with(1);
    snprintf(path, sizeof path, "%s/missing/trace.jsonl", folder);
    assert_int_equal(meguri_ctx_trace(ctx, path), MEGURI_NO_DISK);
    assert_non_null(strstr(meguri_ctx_error(ctx), path));
    assert_non_null(strstr(meguri_ctx_error(ctx), "No such file"));
    assert_false(mg_trace_on(ctx));
    assert_int_equal(meguri_ctx_trace(ctx, folder), MEGURI_BAD_ARGUMENT); /* a folder, as after -o */
    assert_int_equal(meguri_ctx_trace(ctx, NULL), MEGURI_OK);
    assert_string_equal(meguri_ctx_error(ctx), "");
    folder_remove(folder);
    context_done(ctx);
}

/* A full disk is found out at the end of a short trace, and in the middle of a long one. */
static void full_disk_is_reported(void **state) {
    (void)state;
    if (access("/dev/full", W_OK) != 0) skip_because("no /dev/full here");
    for (int lines = 1; lines <= 10000; lines *= 10000) {
        meguri_ctx *ctx = context_with(1);
        assert_int_equal(meguri_ctx_trace(ctx, "/dev/full"), MEGURI_OK);
        for (int i = 0; i < lines; i++) mg_trace_phase(ctx, "build", "sort", 1, 2, mg_now());
        assert_int_equal(meguri_ctx_trace(ctx, NULL), MEGURI_NO_DISK);
        const char *error = meguri_ctx_error(ctx);
        assert_non_null(strstr(error, "no room to write the trace /dev/full whole (No space left on device):"));
        assert_null(strstr(error, "Success"));
        assert_int_equal(error[strlen(error) - 1], '.');
        assert_false(mg_trace_on(ctx));
        context_done(ctx);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trace_goes_to_a_function),     cmocka_unit_test(reader_knows_json),
        cmocka_unit_test(lines_have_their_fields),      cmocka_unit_test(no_decimal_comma),
        cmocka_unit_test(threads_write_whole_lines),    cmocka_unit_test(trace_ends_with_its_context),
        cmocka_unit_test(unwritable_trace_is_reported), cmocka_unit_test(full_disk_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
