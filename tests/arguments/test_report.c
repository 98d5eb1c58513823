/* Paths on their way out, JSON, reports. */
#include "arguments.h"

static meguri_status take_bytes(void *user, const void *data, size_t bytes) {
    (void)user, (void)data, (void)bytes;
    return MEGURI_OK;
}

static meguri_path_writer *writer_in_memory(void) {
    meguri_path_writer *writer;
    assert_int_equal(meguri_path_writer_new(&writer, w.ctx, w.graph, NULL, NULL), MEGURI_OK);
    return writer;
}

static const uint64_t vertices[] = {0, 1};
static const uint64_t edges[] = {0};
static const double costs[] = {0, 1};
static const meguri_path one = {.size = sizeof one, .hops = 1, .vertices = vertices, .edges = edges, .costs = costs};
static const meguri_path_query asked = {.size = sizeof asked, .to = 1};
static const meguri_path_answer answer = {.size = sizeof answer, .paths = 1};

CALLS(meguri_path_writer_new) {
    meguri_path_writer *writer;
    meguri_path_writer_options o = {.size = sizeof o};
    meguri_sink s = {.size = sizeof s};
    BAD(meguri_path_writer_new(NULL, w.ctx, w.graph, NULL, NULL));
    BAD(meguri_path_writer_new(&writer, NULL, w.graph, NULL, NULL));
    BAD(meguri_path_writer_new(&writer, w.ctx, NULL, NULL, NULL));
    BAD_SIZES(o, meguri_path_writer_new(&writer, w.ctx, w.graph, &s, &o));
    BAD_SIZES(s, meguri_path_writer_new(&writer, w.ctx, w.graph, &s, &o));
    BAD_ENUM(meguri_path_metric, o.metric, meguri_path_writer_new(&writer, w.ctx, w.graph, &s, &o));
    BAD_VALUES(const char *, s.form, meguri_path_writer_new(&writer, w.ctx, w.graph, &s, &o), "", "svg", "el", "tsvv",
               "a form that is far longer than any there is", "trace" /* whose? */);
    s.path = "paths.unknown";
    BAD(meguri_path_writer_new(&writer, w.ctx, w.graph, &s, &o));
    o.trace = w.ctx;
    s.form = "trace";
    s.path = "a.csv";
    BAD(meguri_path_writer_new(&writer, w.ctx, w.graph, &s, &o));
    s = (meguri_sink){.size = sizeof s, .path = "a.csv", .write = take_bytes}; /* which? */
    BAD(meguri_path_writer_new(&writer, w.ctx, w.graph, &s, NULL));
    s = (meguri_sink){.size = sizeof s, .form = "geojson"};
    assert_int_equal(meguri_path_writer_new(&writer, w.ctx, w.named, &s, NULL), MEGURI_BAD_INPUT); /* no coordinates */
}

CALLS(meguri_path_writer_path) {
    meguri_path_writer *writer = writer_in_memory();
    meguri_ctx *other = context_with(1);
    BAD(meguri_path_writer_path(NULL, writer, 0, &asked, &one));
    BAD(meguri_path_writer_path(w.ctx, NULL, 0, &asked, &one));
    BAD(meguri_path_writer_path(w.ctx, writer, 0, NULL, &one));
    BAD(meguri_path_writer_path(w.ctx, writer, 0, &asked, NULL));
    BAD(meguri_path_writer_path(other, writer, 0, &asked, &one));
    assert_int_equal(meguri_path_writer_finish(w.ctx, writer, MEGURI_OK), MEGURI_OK);
    BAD(meguri_path_writer_path(w.ctx, writer, 0, &asked, &one));
    meguri_path_writer_free(writer);
    context_done(other);
}

CALLS(meguri_path_writer_answer) {
    meguri_path_writer *writer = writer_in_memory();
    meguri_ctx *other = context_with(1);
    BAD(meguri_path_writer_answer(NULL, writer, 0, &asked, &answer));
    BAD(meguri_path_writer_answer(w.ctx, NULL, 0, &asked, &answer));
    BAD(meguri_path_writer_answer(w.ctx, writer, 0, NULL, &answer));
    BAD(meguri_path_writer_answer(w.ctx, writer, 0, &asked, NULL));
    BAD(meguri_path_writer_answer(other, writer, 0, &asked, &answer));
    assert_int_equal(meguri_path_writer_finish(w.ctx, writer, MEGURI_OK), MEGURI_OK);
    BAD(meguri_path_writer_answer(w.ctx, writer, 0, &asked, &answer));
    meguri_path_writer_free(writer);
    context_done(other);
}

CALLS(meguri_path_writer_finish) {
    meguri_path_writer *writer = writer_in_memory();
    meguri_ctx *other = context_with(1);
    BAD(meguri_path_writer_finish(NULL, writer, MEGURI_OK));
    BAD(meguri_path_writer_finish(w.ctx, NULL, MEGURI_OK));
    BAD(meguri_path_writer_finish(other, writer, MEGURI_OK));
    assert_int_equal(meguri_path_writer_finish(w.ctx, writer, MEGURI_OK), MEGURI_OK);
    BAD(meguri_path_writer_finish(w.ctx, writer, MEGURI_OK)); /* again */
    meguri_path_writer_free(writer);
    context_done(other);
}

CALLS(meguri_path_writer_text) {
    meguri_path_writer *writer = writer_in_memory();
    const char *text;
    size_t bytes;
    BAD(meguri_path_writer_text(NULL, &bytes, w.ctx, writer));
    BAD(meguri_path_writer_text(&text, NULL, w.ctx, writer));
    BAD(meguri_path_writer_text(&text, &bytes, NULL, writer));
    BAD(meguri_path_writer_text(&text, &bytes, w.ctx, NULL));
    meguri_path_writer_free(writer);
}
CALLS(meguri_path_writer_free) { meguri_path_writer_free(NULL); }

CALLS(meguri_path_writer_check_path) {
    BAD(meguri_path_writer_check_path(NULL, "a.csv"));
    BAD(meguri_path_writer_check_path(w.ctx, NULL));
    BAD(meguri_path_writer_check_path(w.ctx, ""));
    BAD(meguri_path_writer_check_path(w.ctx, ".csv")); /* a name, and no suffix */
    BAD(meguri_path_writer_check_path(w.ctx, "a.json"));
    assert_int_equal(meguri_path_writer_check_path(w.ctx, "-"), MEGURI_OK);
}

/* Where nothing is given to write to: a status, and nothing happens. */
#define NO_WRITER(...)                                                                                                 \
    do {                                                                                                               \
        meguri_json no_size = {.size = 0}, no_write = {.size = sizeof no_write}, *json = NULL;                         \
        __VA_ARGS__;                                                                                                   \
        json = &no_size;                                                                                               \
        __VA_ARGS__;                                                                                                   \
        assert_int_equal(no_size.status, MEGURI_BAD_ARGUMENT);                                                         \
        json = &no_write;                                                                                              \
        __VA_ARGS__;                                                                                                   \
        assert_int_equal(no_write.status, MEGURI_BAD_ARGUMENT);                                                        \
    } while (0)
CALLS(meguri_json_open) { NO_WRITER(meguri_json_open(json, NULL, '{')); }
CALLS(meguri_json_close) { NO_WRITER(meguri_json_close(json, '}')); }
CALLS(meguri_json_text) { NO_WRITER(meguri_json_text(json, NULL, NULL, 0)); }
CALLS(meguri_json_string) { NO_WRITER(meguri_json_string(json, NULL, NULL)); }
CALLS(meguri_json_number) { NO_WRITER(meguri_json_number(json, "a", 1)); }
CALLS(meguri_json_signed) { NO_WRITER(meguri_json_signed(json, "a", 1)); }
CALLS(meguri_json_real) { NO_WRITER(meguri_json_real(json, "a", NAN)); }
CALLS(meguri_json_bool) { NO_WRITER(meguri_json_bool(json, "a", 7)); }
CALLS(meguri_json_null) { NO_WRITER(meguri_json_null(json, "a")); }

CALLS(meguri_escape) {
    char out[4] = "abc";
    assert_null(meguri_escape(NULL, 0, "a", 1));
    meguri_escape(out, 0, "x", 1);
    assert_string_equal(out, "abc");
    assert_string_equal(meguri_escape(out, sizeof out, NULL, 7), "");
}

CALLS(meguri_escape_string) {
    char out[4] = "abc";
    assert_null(meguri_escape_string(NULL, 0, "a"));
    assert_string_equal(meguri_escape_string(out, sizeof out, NULL), "");
}

static meguri_status take_nothing(void *user, const void *data, size_t bytes) {
    (void)user, (void)data, (void)bytes;
    return MEGURI_OK;
}

#define NO_ESCAPER(call)                                                                                               \
    do {                                                                                                               \
        meguri_escaper no_size = {.write = take_nothing}, no_write = {.size = sizeof no_write}, *e = NULL;             \
        assert_int_equal(call, MEGURI_BAD_ARGUMENT);                                                                   \
        e = &no_size;                                                                                                  \
        assert_int_equal(call, MEGURI_BAD_ARGUMENT);                                                                   \
        e = &no_write;                                                                                                 \
        assert_int_equal(call, MEGURI_BAD_ARGUMENT);                                                                   \
    } while (0)
CALLS(meguri_escape_lines) {
    meguri_escaper good = {.size = sizeof good, .write = take_nothing};
    NO_ESCAPER(meguri_escape_lines(e, "a", 1));
    assert_int_equal(meguri_escape_lines(&good, NULL, 1), MEGURI_BAD_ARGUMENT);
    assert_int_equal(meguri_escape_lines(&good, NULL, 0), MEGURI_OK);
}
CALLS(meguri_escape_end) { NO_ESCAPER(meguri_escape_end(e)); }

static const char step[] = "{\"run\":\"bfs\",\"step\":0}\n";

static meguri_report *report_of_a_step(void) {
    meguri_report *report;
    const meguri_report_options o = {.size = sizeof o, .text = step, .text_bytes = sizeof step - 1};
    assert_int_equal(meguri_report_read(&report, w.ctx, "t.json", &o), MEGURI_OK);
    return report;
}

CALLS(meguri_report_check_path) {
    BAD(meguri_report_check_path(NULL, "page.html"));
    BAD(meguri_report_check_path(w.ctx, NULL));
    BAD(meguri_report_check_path(w.ctx, "page.png"));
    BAD(meguri_report_check_path(w.ctx, ""));
    assert_int_equal(meguri_report_check_path(w.ctx, "map.SVG"), MEGURI_OK);
    assert_int_equal(meguri_report_check_path(w.ctx, "/dev/null"), MEGURI_OK);
}

CALLS(meguri_report_read) {
    meguri_report *report;
    meguri_report_options o = {.size = sizeof o, .text = step, .text_bytes = sizeof step - 1};
    BAD(meguri_report_read(NULL, w.ctx, "t", &o));
    BAD(meguri_report_read(&report, NULL, "t", &o));
    BAD(meguri_report_read(&report, w.ctx, NULL, &o));
    BAD_SIZES(o, meguri_report_read(&report, w.ctx, "t", &o));
    BAD_ENUM(meguri_path_metric, o.metric, meguri_report_read(&report, w.ctx, "t", &o));
    BAD_VALUES(size_t, o.text_bytes, meguri_report_read(&report, w.ctx, "t", &o), SIZE_MAX, SIZE_MAX - 1);
    NOWHERE(meguri_report_read(&report, w.ctx, "/no/such/trace", NULL));
    o.text = "x\n", o.text_bytes = 2;
    assert_int_equal(meguri_report_read(&report, w.ctx, "t", &o), MEGURI_BAD_INPUT);
    assert_null(report);
}

CALLS(meguri_report_add_graph) {
    meguri_report *report = report_of_a_step();
    meguri_ctx *other = context_with(1);
    BAD(meguri_report_add_graph(NULL, report, w.graph));
    BAD(meguri_report_add_graph(w.ctx, NULL, w.graph));
    BAD(meguri_report_add_graph(w.ctx, report, NULL));
    BAD(meguri_report_add_graph(other, report, w.graph));
    assert_int_equal(meguri_report_add_graph(w.ctx, report, w.graph), MEGURI_BAD_INPUT); /* no paths */
    meguri_report_free(report);
    context_done(other);
}

CALLS(meguri_report_write) {
    meguri_report *report = report_of_a_step();
    uint64_t bytes;
    meguri_sink o = {.size = sizeof o, .write = take_bytes};
    BAD(meguri_report_write(&bytes, NULL, report, &o));
    BAD(meguri_report_write(&bytes, w.ctx, NULL, &o));
    BAD(meguri_report_write(&bytes, w.ctx, report, NULL)); /* where to? */
    BAD_SIZES(o, meguri_report_write(&bytes, w.ctx, report, &o));
    BAD_VALUES(const char *, o.form, meguri_report_write(&bytes, w.ctx, report, &o), "", "csv");
    o.form = "svg";
    assert_int_equal(meguri_report_write(&bytes, w.ctx, report, &o), MEGURI_BAD_INPUT);
    meguri_report_free(report);
}

CALLS(meguri_report_get_info) {
    meguri_report *report = report_of_a_step();
    meguri_report_info info = {.size = sizeof info};
    BAD(meguri_report_get_info(NULL, report));
    BAD(meguri_report_get_info(&info, NULL));
    BAD_SIZES(info, meguri_report_get_info(&info, report));
    meguri_report_free(report);
}

CALLS(meguri_report_run_at) {
    meguri_report *report = report_of_a_step();
    meguri_report_run run = {.size = sizeof run};
    BAD(meguri_report_run_at(NULL, report, 0));
    BAD(meguri_report_run_at(&run, NULL, 0));
    BAD_SIZES(run, meguri_report_run_at(&run, report, 0));
    NOWHERE(meguri_report_run_at(&run, report, UINT32_MAX));
    meguri_report_free(report);
}
CALLS(meguri_report_free) { meguri_report_free(NULL); }

CALLS(meguri_overview_new) {
    meguri_overview *overview;
    meguri_overview_options o = {.size = sizeof o};
    BAD(meguri_overview_new(NULL, w.ctx, w.graph, &o));
    BAD(meguri_overview_new(&overview, NULL, w.graph, &o));
    BAD(meguri_overview_new(&overview, w.ctx, NULL, &o));
    BAD_SIZES(o, meguri_overview_new(&overview, w.ctx, w.graph, &o));
    BAD_VALUES(uint32_t, o.top, meguri_overview_new(&overview, w.ctx, w.graph, &o), 1001, UINT32_MAX);
    assert_null(overview);
}

static meguri_overview *overview_of(const meguri_graph *graph) {
    meguri_overview *overview;
    assert_int_equal(meguri_overview_new(&overview, w.ctx, graph, NULL), MEGURI_OK);
    return overview;
}

CALLS(meguri_overview_get_info) {
    meguri_overview *overview = overview_of(w.graph);
    meguri_overview_info info = {.size = sizeof info};
    BAD(meguri_overview_get_info(NULL, overview));
    BAD(meguri_overview_get_info(&info, NULL));
    BAD_SIZES(info, meguri_overview_get_info(&info, overview));
    meguri_overview_free(overview);
}

CALLS(meguri_overview_write) {
    meguri_overview *overview = overview_of(w.graph);
    uint64_t bytes;
    meguri_sink o = {.size = sizeof o, .write = take_bytes};
    BAD(meguri_overview_write(&bytes, NULL, overview, "g", &o));
    BAD(meguri_overview_write(&bytes, w.ctx, NULL, "g", &o));
    BAD(meguri_overview_write(&bytes, w.ctx, overview, NULL, &o));
    BAD(meguri_overview_write(&bytes, w.ctx, overview, "g", NULL)); /* where to? */
    BAD_SIZES(o, meguri_overview_write(&bytes, w.ctx, overview, "g", &o));
    BAD_VALUES(const char *, o.form, meguri_overview_write(&bytes, w.ctx, overview, "g", &o), "svg", "");
    o.form = "html";
    assert_int_equal(meguri_overview_write(&bytes, w.ctx, overview, "g", &o), MEGURI_OK);
    meguri_overview_free(overview);
}
CALLS(meguri_overview_free) { meguri_overview_free(NULL); }
CALLS(meguri_overview_division_name) {
    assert_string_equal(meguri_overview_division_name((meguri_overview_division)77), "?");
    assert_string_equal(meguri_overview_division_name((meguri_overview_division)-1), "?");
}

int main(void) {
    static const row rows[] = {
        ROW(meguri_path_writer_new),
        ROW(meguri_path_writer_path),
        ROW(meguri_path_writer_answer),
        ROW(meguri_path_writer_finish),
        ROW(meguri_path_writer_text),
        ROW(meguri_path_writer_free),
        ROW(meguri_path_writer_check_path),
        ROW(meguri_json_open),
        ROW(meguri_json_close),
        ROW(meguri_json_text),
        ROW(meguri_json_string),
        ROW(meguri_json_number),
        ROW(meguri_json_signed),
        ROW(meguri_json_real),
        ROW(meguri_json_bool),
        ROW(meguri_json_null),
        ROW(meguri_escape),
        ROW(meguri_escape_string),
        ROW(meguri_escape_lines),
        ROW(meguri_escape_end),
        ROW(meguri_report_check_path),
        ROW(meguri_report_read),
        ROW(meguri_report_add_graph),
        ROW(meguri_report_write),
        ROW(meguri_report_get_info),
        ROW(meguri_report_run_at),
        ROW(meguri_report_free),
        ROW(meguri_overview_new),
        ROW(meguri_overview_get_info),
        ROW(meguri_overview_write),
        ROW(meguri_overview_free),
        ROW(meguri_overview_division_name),
    };
    return run_rows(rows, COUNT_OF(rows));
}
