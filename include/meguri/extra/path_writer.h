/* Paths on their way out: as text, JSON, tables or GeoJSON, to a file, a function or memory. Each is written as it is
 * found and none is kept, so that lists may be longer than memory. */
#ifndef MEGURI_PATH_WRITER_H
#define MEGURI_PATH_WRITER_H

#include <meguri/extra/json.h>
#include <meguri/path.h>
#include <meguri/sink.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The forms of a sink of paths:
 *   text      for people, a line each
 *   json      an object for each question, with its paths, a line each; where there is neither a form nor a file
 *   jsonl     an object for each path, and one for each question, a line each
 *   csv, tsv  a row for each vertex of each path; .tsv on standard output
 *   geojson   a line on a map for each path; the graph must have coordinates
 *   trace     lines of a trace, from which meguri_report draws a map
 * Forms of files may be compressed (.gz, .zst, .xz). */

/* Adds members of the caller's own to the object of a question of the form json: when it begins, where `answer`
 * is NULL, and when it ends, where they take the place of `seconds`. */
typedef void (*meguri_path_members_fn)(void *user, meguri_json *json, const meguri_path_answer *answer);

typedef struct meguri_path_writer_options {
    size_t size;  /* sizeof(meguri_path_writer_options) */
    int numbered; /* there are several questions: each object says to which it belongs */
    meguri_path_members_fn members;
    void *members_user;
    meguri_ctx *trace;         /* of the form trace: the context whose trace it is */
    meguri_path_metric metric; /* what is said there about coordinates */
    /* The columns of edges (columns.h) that paths show, by name and in this order: in the arrows of text, as `columns`
     * of JSON, as fields of tables. NULL: all of them; in text the type and the id. A trace has none. */
    const char *const *columns;
    uint32_t column_count;
    const char *weight; /* as of the finder: text shows costs where the graph has no weights of its own */
} meguri_path_writer_options;
void meguri_path_writer_options_init(meguri_path_writer_options *options, size_t size);

typedef struct meguri_path_writer meguri_path_writer;

/* A function gets what is written at the end of each path, and whenever there is much of it. Without a path and a
 * function (or without a sink) it stays in memory (meguri_path_writer_text).
 *
 * All calls for a writer have the same context, which may be that of the search that hands the paths over. It holds its
 * graph. */
meguri_status meguri_path_writer_new(meguri_path_writer **out, meguri_ctx *ctx, const meguri_graph *graph,
                                     const meguri_sink *sink, const meguri_path_writer_options *options);
/* Adds a path of a question, from where the search hands it over; then, after its last, what became of the question.
 * `question` counts from 0. After a failure only meguri_path_writer_finish is of any use. */
meguri_status meguri_path_writer_path(meguri_ctx *ctx, meguri_path_writer *writer, uint64_t question,
                                      const meguri_path_query *query, const meguri_path *path);
meguri_status meguri_path_writer_answer(meguri_ctx *ctx, meguri_path_writer *writer, uint64_t question,
                                        const meguri_path_query *query, const meguri_path_answer *answer);
/* The end, once: `searched` is how all questions went. After a failure of theirs what is open is closed, so that
 * programs can read what there is, and a file is given up. Returns how it went with all of the writing. */
meguri_status meguri_path_writer_finish(meguri_ctx *ctx, meguri_path_writer *writer, meguri_status searched);
/* What stayed in memory, with a zero behind it; until the next call for the writer. */
meguri_status meguri_path_writer_text(const char **text, size_t *bytes, meguri_ctx *ctx, meguri_path_writer *writer);
/* Of a file that is not finished nothing remains. */
void meguri_path_writer_free(meguri_path_writer *writer);

/* That the name of a file says in which form paths are written to it; to be asked before the work. */
meguri_status meguri_path_writer_check_path(meguri_ctx *ctx, const char *path);

#ifdef __cplusplus
}
#endif
#endif
