/* meguri_report: from a trace or GeoJSON to a page or a map. */
#define _GNU_SOURCE
#include "report/page.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <meguri/extra/path_writer.h>
#include <meguri/extra/report.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct meguri_report {
    char *name;
    mg_report_trace trace;
};

/* While a page is read or made, this thread knows no other locale: numbers are the same everywhere. */
typedef struct plain_locale {
    locale_t own, before;
} plain_locale;

static meguri_status plain_begin(plain_locale *plain, meguri_ctx *ctx) {
    plain->own = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!plain->own) return mg_fail(ctx, MEGURI_NO_MEMORY, "the system has no memory for a locale.");
    plain->before = uselocale(plain->own);
    return MEGURI_OK;
}

static void plain_end(plain_locale *plain) {
    uselocale(plain->before);
    freelocale(plain->own);
}

/* ---- reading ---------------------------------------------------------------------------------------------------- */

/* By its suffix or, of what can be read twice, by how it begins. */
static bool is_geojson(const char *path, const mg_report_input *input) {
    struct stat facts;
    char head[512] = "";
    if (strcmp(path, "-") == 0) return false;
    if (mg_ends_with(path, strlen(path), ".geojson")) return true;
    if (input->fd < 0) memcpy(head, input->text, MG_MIN(input->bytes, sizeof head - 1));
    else if (fstat(input->fd, &facts) != 0 || !S_ISREG(facts.st_mode)) return false;
    else if (pread(input->fd, head, sizeof head - 1, 0) < 0) return false;
    return mg_report_is_geojson(head);
}

static meguri_status open_input(mg_report_input *input, meguri_ctx *ctx, const char *path,
                                const meguri_report_options *o) {
    bool standard = strcmp(path, "-") == 0 && !o->text;
    *input = (mg_report_input){.name = standard ? "standard input" : path, .fd = -1};
    input->text = o->text;
    input->bytes = o->text_bytes;
    if (o->text) return mg_check_count(ctx, o->text_bytes, 1, "bytes");
    input->fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (input->fd >= 0) return MEGURI_OK;
    return mg_fail_open(ctx, path, errno);
}

/* What the page is called. */
static char *name_of(meguri_ctx *ctx, const char *first, size_t more) {
    char end[64] = "";
    if (more) snprintf(end, sizeof end, " and %zu more", more);
    size_t length = strlen(first);
    char *name = mg_alloc(ctx, length + sizeof end, "the name of a trace");
    if (name) snprintf(name, length + sizeof end, "%s%s", first, end);
    return name;
}

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

/* What file `at` is called among several: the name alone, with its folders where another has the same name, with a
 * number where it comes again. */
static char *label_of(meguri_ctx *ctx, const char *const *paths, size_t count, size_t at) {
    const char *label = base_name(paths[at]);
    size_t before = 0;
    for (size_t i = 0; i < count; i++) {
        bool same = strcmp(paths[i], paths[at]) == 0;
        before += same && i < at;
        if (!same && strcmp(base_name(paths[i]), base_name(paths[at])) == 0) label = paths[at];
    }
    if (strcmp(paths[at], "-") == 0) label = "standard input";
    size_t room = strlen(label) + 32;
    char *text = mg_alloc(ctx, room, "the name of a trace");
    if (text && before) snprintf(text, room, "%s (%zu)", label, before + 1);
    else if (text) snprintf(text, room, "%s", label);
    return text;
}

/* The first and the others. */
static meguri_status label_files(mg_report_trace *trace, meguri_ctx *ctx, const char *first,
                                 const meguri_report_options *o) {
    size_t count = o->more_count + 1;
    if (count == 1) return MEGURI_OK;
    const char **paths = mg_alloc_array(ctx, count, sizeof *paths, "the names of traces");
    trace->files = mg_alloc_array_zero(ctx, count, sizeof *trace->files, "the names of traces");
    bool good = paths && trace->files;
    if (good) paths[0] = first;
    for (size_t i = 1; i < count && good; i++) paths[i] = o->more[i - 1];
    for (size_t i = 0; i < count && good; i++) {
        trace->files[i] = label_of(ctx, paths, count, i);
        good = trace->files[i] != NULL;
        trace->file_count += good;
    }
    mg_free((void *)paths);
    trace->file = good ? trace->files[0] : NULL;
    return good ? MEGURI_OK : MEGURI_NO_MEMORY;
}

static meguri_status read_more(mg_report_trace *trace, meguri_ctx *ctx, const meguri_report_options *o) {
    meguri_status status = MEGURI_OK;
    const meguri_report_options files = {0};
    for (size_t i = 0; i < o->more_count && status == MEGURI_OK; i++) {
        mg_report_input input;
        status = open_input(&input, ctx, o->more[i], &files);
        if (status != MEGURI_OK) return status;
        trace->file = trace->files[i + 1];
        status = mg_report_read(trace, ctx, &input);
        if (input.fd > STDIN_FILENO) close(input.fd);
    }
    return status;
}

static meguri_status read_all(meguri_report *report, meguri_ctx *ctx, const char *path,
                              const meguri_report_options *o) {
    mg_report_input input;
    mg_report_trace *trace = &report->trace;
    *trace = (mg_report_trace){.ctx = ctx, .map.ctx = ctx, .first_at = -1, .last_at = -1, .last_kind = -1};
    meguri_status status = open_input(&input, ctx, path, o);
    if (status != MEGURI_OK) return status;
    report->name = name_of(ctx, input.name, o->more_count);
    trace->name = report->name;
    if (!report->name || label_files(trace, ctx, path, o) != MEGURI_OK) status = MEGURI_NO_MEMORY;
    else if (!is_geojson(path, &input)) status = mg_report_read(trace, ctx, &input);
    else if (o->more_count)
        status = mg_fail(ctx, MEGURI_BAD_INPUT, "%s is GeoJSON, which is read alone; give it without other files.",
                         input.name);
    else status = mg_report_read_geojson(&trace->map, &input);
    if (input.fd > STDIN_FILENO) close(input.fd);
    if (status == MEGURI_OK) status = read_more(trace, ctx, o);
    if (status == MEGURI_OK && !mg_report_finish(trace)) status = MEGURI_NO_MEMORY;
    if (o->metric != MEGURI_PATH_METRIC_AUTO) trace->map.metric = o->metric;
    if (status == MEGURI_OK && trace->map.searched) mg_report_frame(&trace->map);
    return status;
}

meguri_status meguri_report_read(meguri_report **out, meguri_ctx *ctx, const char *path,
                                 const meguri_report_options *options) {
    meguri_report_options o;
    plain_locale plain = {0};
    if (out) *out = NULL;
    if (!out || !ctx || !path) return mg_missing(ctx, __func__);
    mg_begin(ctx);
    meguri_status status = MG_OPTIONS(ctx, &o, options, meguri_report_options);
    if (status != MEGURI_OK) return status;
    if ((unsigned)o.metric > MEGURI_PATH_GREAT_CIRCLE)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "metric %d is none; see meguri_path_metric.", (int)o.metric);
    if (o.more_count && !o.more)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "more: further traces are counted, and not there.");
    meguri_report *report = mg_alloc_zero(ctx, sizeof *report, "a report");
    if (!report) return MEGURI_NO_MEMORY;
    status = plain_begin(&plain, ctx);
    if (status == MEGURI_OK) {
        status = read_all(report, ctx, path, &o);
        plain_end(&plain);
    }
    if (status == MEGURI_OK) *out = report;
    else meguri_report_free(report);
    return status;
}

void meguri_report_free(meguri_report *report) {
    if (!report) return;
    mg_report_free(&report->trace);
    mg_free(report->name);
    mg_free(report);
}

/* ---- drawing and writing ---------------------------------------------------------------------------------------- */

static meguri_status no_paths(meguri_ctx *ctx, const meguri_report *report) {
    return mg_fail(ctx, MEGURI_BAD_INPUT, "%s has no paths for a map; give a trace of a search for paths, or GeoJSON.",
                   report->name);
}

meguri_status meguri_report_add_graph(meguri_ctx *ctx, meguri_report *report, const meguri_graph *graph) {
    if (!ctx || !report || !graph) return mg_missing(ctx, __func__);
    mg_begin(ctx);
    if (ctx != report->trace.ctx)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "meguri_report_add_graph: the context is not that of the report.");
    if (report->trace.map.network[0])
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "meguri_report_add_graph: the report has a graph already.");
    meguri_status status = mg_graph_whole(ctx, graph);
    if (status != MEGURI_OK) return status;
    return report->trace.map.searched ? mg_report_add_network(&report->trace.map, graph) : no_paths(ctx, report);
}

meguri_status meguri_report_check_path(meguri_ctx *ctx, const char *path) {
    struct stat facts;
    if (!ctx || !path) return mg_missing(ctx, __func__);
    mg_begin(ctx);
    size_t length = strlen(path);
    for (const char *const *suffix = (const char *const[]){".html", ".htm", ".svg", NULL}; *suffix; suffix++)
        if (mg_ends_with(path, length, *suffix)) return MEGURI_OK;
    bool stream = strcmp(path, "-") == 0 || (stat(path, &facts) == 0 && !S_ISREG(facts.st_mode));
    if (stream) return MEGURI_OK;
    return mg_fail(ctx, MEGURI_BAD_ARGUMENT,
                   "cannot write %s: a report is written as .html (a page) or .svg (the map of paths alone), not "
                   "compressed; give one of these suffixes, or - for a page on standard output.",
                   path);
}

meguri_status meguri_report_write(uint64_t *bytes, meguri_ctx *ctx, const meguri_report *report,
                                  const meguri_sink *to) {
    mg_output output;
    mg_sink sink;
    plain_locale plain = {0};
    if (!ctx || !report) return mg_missing(ctx, __func__);
    mg_begin(ctx);
    meguri_status status = mg_output_of(&output, ctx, to, false, __func__);
    if (status != MEGURI_OK) return status;
    bool map = mg_ends_with(output.form, strlen(output.form), ".svg");
    if (*output.suffix && !map && strcmp(output.suffix + 1, ".html") != 0)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "form: unknown form '%s': a report is 'html' or 'svg'.",
                       output.suffix + 2);
    if (map && !report->trace.map.searched) return no_paths(ctx, report);
    status = plain_begin(&plain, ctx);
    if (status != MEGURI_OK) return status;
    status = mg_sink_open(&sink, ctx, &output);
    if (status == MEGURI_OK) {
        if (map) mg_report_put_picture(&sink, &report->trace.map);
        else mg_report_put_page(&sink, &report->trace);
        status = mg_sink_close(&sink, true);
        if (bytes) *bytes = sink.sent;
    }
    mg_sink_free(&sink);
    plain_end(&plain);
    return status;
}

/* ---- asking ----------------------------------------------------------------------------------------------------- */

meguri_status meguri_report_get_info(meguri_report_info *out, const meguri_report *report) {
    if (!out || !report) return MEGURI_BAD_ARGUMENT;
    const mg_report_map *map = &report->trace.map;
    const meguri_report_info info = {.steps = report->trace.sums.steps,
                                     .runs = (uint32_t)report->trace.kind_count,
                                     .cut_off = report->trace.cut_off,
                                     .has_paths = map->searched,
                                     .paths = map->count + map->left_out,
                                     .paths_shown = map->count,
                                     .has_map = map->drawn,
                                     .edges_shown = map->edges_shown};
    return mg_hand_out(NULL, out, sizeof info, &info, "meguri_report_info");
}

meguri_status meguri_report_run_at(meguri_report_run *out, const meguri_report *report, uint32_t index) {
    if (!out || !report) return MEGURI_BAD_ARGUMENT;
    if (index >= (uint32_t)report->trace.kind_count) return MEGURI_NOT_FOUND;
    const mg_report_kind *kind = &report->trace.kinds[index];
    const meguri_report_run run = {.name = kind->name,
                                   .trace = kind->file,
                                   .times = kind->times,
                                   .steps = kind->sums.steps,
                                   .edges = kind->sums.edges,
                                   .bytes = kind->sums.bytes,
                                   .seconds = (double)kind->sums.us / 1e6};
    return mg_hand_out(NULL, out, sizeof run, &run, "meguri_report_run");
}
