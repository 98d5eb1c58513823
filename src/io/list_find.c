/* meguri_list_vertices: the vertices that a list names. */
#include "io/list.h"

#include <inttypes.h>

enum { BETWEEN_LOOKS = 1 << 12 }; /* lines, at whether the user has had enough */

/* What rows are looked up by. */
typedef struct finding {
    meguri_ctx *ctx;
    const meguri_list *list;
    const meguri_graph *graph;
    uint32_t column;
    uint64_t cut; /* rows of which only one field was read, without a header that says which */
} finding;

/* A failure with the place of its row before it. */
static meguri_status at_row(const finding *f, const mg_list_row *row, meguri_status status) {
    char sentence[1024];
    snprintf(sentence, sizeof sentence, "%s", meguri_ctx_error(f->ctx));
    mg_begin(f->ctx);
    return mg_fail(f->ctx, status, "%.200s:%" PRIu64 ": %s", f->list->name, row->line, sentence);
}

static meguri_status find_row(uint64_t *vertex, const char **id, finding *f, const mg_list_row *row) {
    const meguri_list *list = f->list;
    const char *whole = mg_list_text(list, row->text), *field = NULL;
    if (f->column < row->count) field = mg_list_field(list, row, f->column);
    if (!field || !*field) {
        mg_begin(f->ctx);
        return mg_fail(f->ctx, MEGURI_BAD_INPUT, "%.200s:%" PRIu64 ": the id is missing.", list->name, row->line);
    }
    /* A name with commas in it, or with quotes. */
    bool differs = !list->has_header && strcmp(whole, field) != 0;
    *id = whole;
    meguri_status status = differs ? meguri_graph_find_text(vertex, f->ctx, f->graph, whole) : MEGURI_NOT_FOUND;
    if (status != MEGURI_NOT_FOUND) return status == MEGURI_OK ? status : at_row(f, row, status);
    *id = field;
    status = meguri_graph_find_like(vertex, f->ctx, f->graph, field);
    f->cut += row->count > 1 && !list->has_header;
    return status == MEGURI_OK ? status : at_row(f, row, status);
}

/* The column of ids: by the header, else the first. */
static meguri_status find_column(finding *f, const char *prefer) {
    const meguri_list *list = f->list;
    const mg_list_row *row = &list->rows[0];
    if (!list->has_header) return MEGURI_OK;
    const char **names = mg_alloc_array(f->ctx, row->count, sizeof *names, "the header of a list");
    if (!names) return MEGURI_NO_MEMORY;
    for (uint32_t c = 0; c < row->count; c++) names[c] = mg_list_field(list, row, c);
    mg_list_find_vertex(&f->column, names, row->count, prefer);
    mg_free((void *)names);
    return MEGURI_OK;
}

meguri_status meguri_list_vertices(uint64_t *vertices, const char **ids, meguri_ctx *ctx, const meguri_list *list,
                                   const meguri_graph *graph, const char *prefer) {
    if (!vertices || !ctx || !list || !graph) return mg_missing(ctx, __func__);
    mg_begin(ctx);
    if (list->kind != MEGURI_LIST_VERTICES)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "%s was read as a list of pairs.", list->name);
    finding f = {.ctx = ctx, .list = list, .graph = graph};
    meguri_status status = find_column(&f, prefer);
    for (uint64_t i = 0; i < meguri_list_rows(list) && status == MEGURI_OK; i++) {
        if (i % BETWEEN_LOOKS == 0 && mg_progress(ctx, "ids", i, list->count)) return mg_fail_cancelled(ctx);
        const char *id = NULL;
        status = find_row(&vertices[i], &id, &f, &list->rows[i + list->has_header]);
        if (ids) ids[i] = id;
    }
    char lines[48];
    snprintf(lines, sizeof lines, "%" PRIu64 " lines have", f.cut);
    if (status == MEGURI_OK && f.cut)
        mg_warn(ctx, "%s: only the first column is read, though %s more; a header says which one has the vertices.",
                list->name, f.cut == 1 ? "1 line has" : lines);
    return status;
}
