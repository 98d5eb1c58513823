/* Lists: vertices, or pairs of them, out of small tables in files (docs/formats.md#lists). */
#ifndef MEGURI_LIST_H
#define MEGURI_LIST_H

#include <meguri/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct meguri_list meguri_list;

typedef enum meguri_list_kind {
    MEGURI_LIST_VERTICES = 0, /* an id a line; blanks part columns only where ids are numbers */
    MEGURI_LIST_PAIRS = 1     /* two ids a line and settings, or JSON objects: for meguri_path_pairs_add_list */
} meguri_list_kind;

/* Reads a file ("-" is standard input; gzip, zstd and xz are decompressed) as tables of edges are read: tabs, commas,
 * semicolons, bars or blanks between columns, quotes, a header, comments. No graph is needed yet. */
meguri_status meguri_list_read(meguri_list **out, meguri_ctx *ctx, const char *path, meguri_list_kind kind);
void meguri_list_free(meguri_list *list);

/* What lines are called in sentences: the path, or "standard input". */
const char *meguri_list_name(const meguri_list *list);
/* The name of a column in the header; NULL where there is none. */
const char *meguri_list_column(const meguri_list *list, uint32_t column);
/* Rows below the header, if there is one; their lines in the file, from 1; their fields, without quotes. NULL, and 0,
 * where there is no such row or field. */
uint64_t meguri_list_rows(const meguri_list *list);
uint64_t meguri_list_line(const meguri_list *list, uint64_t row);
const char *meguri_list_field(const meguri_list *list, uint64_t row, uint32_t column);

/* The vertex of each row of a list of vertices, and, unless `ids` is NULL, its id as the list has it. The id is in the
 * column of the header that is called `prefer` (source or target, or the like; NULL: neither), or else as vertices or
 * ends of edges are usually called, or else in the first one; but without a header a line that is, whole, the id of a
 * vertex is that, whatever it has inside. */
meguri_status meguri_list_vertices(uint64_t *vertices, const char **ids, meguri_ctx *ctx, const meguri_list *list,
                                   const meguri_graph *graph, const char *prefer);

#ifdef __cplusplus
}
#endif
#endif
