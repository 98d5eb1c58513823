/* Paths on their way out, inside: one file for each kind of form. */
#ifndef MG_REPORT_PATH_WRITER_H
#define MG_REPORT_PATH_WRITER_H

#include "report/report.h"

#include <meguri/extra/json.h>
#include <meguri/extra/path_writer.h>

typedef enum mg_path_form {
    MG_PATH_FORM_AUTO, /* not known */
    MG_PATH_FORM_TEXT,
    MG_PATH_FORM_JSON,
    MG_PATH_FORM_LINES,
    MG_PATH_FORM_CSV,
    MG_PATH_FORM_TSV,
    MG_PATH_FORM_GEOJSON,
    MG_PATH_FORM_TRACE
} mg_path_form;

struct meguri_path_writer {
    mg_claim claim;
    meguri_path_writer_options options;
    mg_path_form form;
    bool to_function;
    bool to_memory;
    const meguri_graph *graph;
    meguri_graph_info info;
    mg_edge_numbers numbers; /* where edges have columns */
    mg_sink sink;
    meguri_json json;        /* into the sink */
    bool opened;             /* the object of the question, or the file */
    mg_column_view *columns; /* of the edges: those that are shown, column_count of them */
    uint32_t column_count;
    mg_column_view *vertex_columns;
    mg_places places;  /* for GeoJSON and the trace */
    uint64_t paths;    /* written so far, where that counts: GeoJSON and the trace */
    uint64_t left_out; /* that are not in the trace */
    bool answered;     /* some question */
    bool finished;
    meguri_status status; /* the first failure */
};

/* The id of a vertex. */
typedef struct mg_path_id {
    meguri_id_kind kind;
    uint64_t number;
    const char *name; /* lives as long as the graph */
    size_t length;
} mg_path_id;
mg_path_id mg_path_id_of(meguri_path_writer *w, uint64_t vertex);
/* Paths can be very long, and who has had enough does not wait for the end of one: false after a cancel. */
bool mg_path_goes_on(meguri_path_writer *w, uint64_t step);
/* Where a vertex is, if it is known. */
bool mg_path_place(meguri_path_writer *w, uint64_t vertex, double *x, double *y);

/* path_text.c: lines for people, and tables. */
void mg_path_text(meguri_path_writer *w, const meguri_path *path);
void mg_path_text_answer(meguri_path_writer *w, const meguri_path_query *query, const meguri_path_answer *answer);
void mg_path_table_head(meguri_path_writer *w);
void mg_path_table(meguri_path_writer *w, uint64_t question, const meguri_path *path);

/* path_columns.c: what edges and vertices have in columns. */
typedef void mg_path_put_text(meguri_path_writer *w, const char *text, size_t length);
meguri_status mg_path_take_columns(meguri_path_writer *w, meguri_ctx *ctx);
void mg_path_json_columns(meguri_path_writer *w, const meguri_path *path);
/* Fields behind the others: their names, and the values of an edge (NULL: there is none) and a vertex. */
void mg_path_table_head_columns(meguri_path_writer *w, char gap, mg_path_put_text *put);
void mg_path_table_columns(meguri_path_writer *w, char gap, const uint64_t *edge, uint64_t vertex,
                           mg_path_put_text *put);
/* The arrow from one vertex to the next. */
void mg_path_text_edge(meguri_path_writer *w, uint64_t edge, mg_path_put_text *put);

/* path_json.c: JSON and GeoJSON. */
/* The head of a question, as far as its list of paths; and its end. */
void mg_path_json_open(meguri_path_writer *w, uint64_t question, const meguri_path_query *query);
void mg_path_json_path(meguri_path_writer *w, uint64_t question, const meguri_path_query *query,
                       const meguri_path *path);
void mg_path_json_close(meguri_path_writer *w, const meguri_path_answer *answer);
/* A line for a path, or for an answer where there is none. */
void mg_path_json_line(meguri_path_writer *w, uint64_t question, const meguri_path_query *query,
                       const meguri_path *path, const meguri_path_answer *answer);
void mg_path_geojson(meguri_path_writer *w, uint64_t question, const meguri_path_query *query, const meguri_path *path);

/* path_trace.c: lines of a trace. */
void mg_path_trace(meguri_path_writer *w, uint64_t question, const meguri_path_query *query, const meguri_path *path);
void mg_path_trace_end(meguri_path_writer *w);

#endif
