/* Reports: a trace as a page with plots, paths as a map (docs/report.md). */
#ifndef MEGURI_REPORT_H
#define MEGURI_REPORT_H

#include <meguri/path.h>
#include <meguri/sink.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A trace, or paths out of GeoJSON, as they were read. */
typedef struct meguri_report meguri_report;

typedef struct meguri_report_options {
    size_t size; /* sizeof(meguri_report_options) */
    meguri_path_metric
        metric;       /* what the coordinates of paths are; AUTO: what their source says, or what they look like */
    const char *text; /* NULL: the file is read; else these bytes are, and `path` is what they are called */
    size_t text_bytes;
    const char *const *more; /* files of further traces, which follow it on the same page, labelled by their names */
    size_t more_count;
} meguri_report_options;
void meguri_report_options_init(meguri_report_options *options, size_t size);

/* Reads a trace, or GeoJSON: what ends in .geojson or begins as a Feature does; "-" is a trace on standard input. All
 * calls for a report have the same context. */
meguri_status meguri_report_read(meguri_report **out, meguri_ctx *ctx, const char *path,
                                 const meguri_report_options *options);
/* Draws the edges of a graph behind the paths, the most used ones where there are many. MEGURI_BAD_INPUT where there
 * are no paths. The same picture of the same graph at any number of threads. */
meguri_status meguri_report_add_graph(meguri_ctx *ctx, meguri_report *report, const meguri_graph *graph);

/* Writes it, by the form of the sink: "html", a page in one file with all it needs (also where the form is unknown), or
 * "svg", the map of the paths alone. *bytes (may be NULL) says how much that was. */
meguri_status meguri_report_write(uint64_t *bytes, meguri_ctx *ctx, const meguri_report *report,
                                  const meguri_sink *sink);

/* That the name of a file says how a report is written; to be asked before the work. Pipes and devices may have any
 * name. */
meguri_status meguri_report_check_path(meguri_ctx *ctx, const char *path);

/* What is in it. */
typedef struct meguri_report_info {
    size_t size;          /* set by the caller to sizeof(meguri_report_info) */
    uint64_t steps;       /* of the trace */
    uint32_t runs;        /* different ones; see meguri_report_run_at */
    int cut_off;          /* the last line of the trace was not whole, and is left out */
    int has_paths;        /* somebody looked for paths, or they are what the file is about */
    uint64_t paths;       /* found */
    uint64_t paths_shown; /* not more than a map can show */
    int has_map;          /* they have coordinates */
    uint64_t edges_shown; /* of the graph behind them */
} meguri_report_info;
typedef struct meguri_report_run {
    size_t size;      /* set by the caller to sizeof(meguri_report_run) */
    const char *name; /* lives as long as the report */
    uint64_t times, steps, edges, bytes;
    double seconds;
    const char *trace; /* of several traces the file that it is from; NULL: there is one, or they are compared */
} meguri_report_run;

/* Asking takes no context and changes nothing. MEGURI_NOT_FOUND where there is no such run. */
meguri_status meguri_report_get_info(meguri_report_info *out, const meguri_report *report);
meguri_status meguri_report_run_at(meguri_report_run *out, const meguri_report *report, uint32_t index);

void meguri_report_free(meguri_report *report);

#ifdef __cplusplus
}
#endif
#endif
