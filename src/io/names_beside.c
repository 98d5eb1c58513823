/* Names of vertices that a format numbers: NAME.names.csv beside NAME.mtx and its like, a table whose line k is the id
 * of vertex k. It is written where ids are strings, and read back where the numbered file is.
 *
 * A table that belongs to another graph would give every vertex a wrong name. So it is read only if it is one of ours,
 * must name exactly the vertices that the file has, and is refused where it would stay behind beside a new file. */
#define _GNU_SOURCE /* PATH_MAX */
#include "io/format.h"
#include "io/list.h"

#include <inttypes.h>
#include <limits.h>
#include <unistd.h>

#define SUFFIX ".names.csv"

/* ---- its name --------------------------------------------------------------------------------------------------- */

size_t mg_names_path(char *out, size_t room, const char *path) {
    size_t length = mg_uncompressed_name(NULL, path), kept = length;
    if (meguri_format_of_path(path) != MEGURI_FORMAT_AUTO)
        for (kept--; kept && path[kept] != '.';) kept--;
    return (size_t)snprintf(out, out ? MG_MIN(room, (size_t)INT_MAX) : 0, "%.*s" SUFFIX "%s", (int)kept, path,
                            path + length);
}

size_t meguri_names_beside(char *out, size_t room, const meguri_graph *graph, const char *path, meguri_format format) {
    if (out && room) *out = '\0';
    if (!path || strlen(path) >= PATH_MAX || (graph && !mg_names_are_beside(graph))) return 0;
    const mg_writer *writer = mg_choose_writer(path, format);
    return writer && mg_numbers_vertices(writer) ? mg_names_path(out, room, path) : 0;
}

/* ---- writing ---------------------------------------------------------------------------------------------------- */

bool mg_names_are_beside(const meguri_graph *graph) {
    return graph->id_kind == MEGURI_ID_STRING && graph->vertices > 0;
}

static meguri_status prepare(mg_write_job *job) {
    for (uint64_t p = 0; p < job->graph->vertices; p++) {
        const char *name = job->names + job->name_offsets[p];
        size_t length = (size_t)(job->name_offsets[p + 1] - job->name_offsets[p]);
        if (!mg_is_name(name, length) || length > MG_LONGEST_LINE / 4)
            return mg_fail(job->ctx, MEGURI_BAD_ARGUMENT,
                           "cannot write %s: the id \"%.*s\" is too long or not UTF-8 text, or holds a line end, a tab "
                           "or a zero byte; write .csv.",
                           job->path, (int)mg_cut_text(name, length, 100), name);
    }
    return MEGURI_OK;
}

static void head(const mg_write_job *job, mg_text *text) {
    (void)job;
    mg_text_format(text, "vertex,name\n");
}

static void row(const mg_write_job *job, mg_text *text, const mg_write_row *r) {
    mg_text_format(text, "%" PRIu64 ",", r->position + 1);
    mg_write_id(job, text, r->position);
    mg_text_add(text, "\n", 1);
}

const mg_writer mg_writer_names = {
    .id_form = MG_ID_FORM_CSV, .without_arcs = true, .prepare = prepare, .head = head, .row = row};

meguri_status mg_refuse_stale_names(meguri_ctx *ctx, const char *path) {
    char names[PATH_MAX + sizeof SUFFIX];
    if (strlen(path) >= PATH_MAX) return MEGURI_OK;
    mg_names_path(names, sizeof names, path);
    if (access(names, F_OK) != 0) return MEGURI_OK;
    return mg_fail(
        ctx, MEGURI_BAD_ARGUMENT,
        "cannot write %s: %s beside it would give its vertices names, and the ids of this graph are numbers; "
        "remove it, or write another file.",
        path, names);
}

/* ---- reading ---------------------------------------------------------------------------------------------------- */

/* What was read, until the graph is there. */
struct mg_names_beside {
    mg_names *names;
    char *path, *of;
};

static bool is_ours(const mg_input *input) {
    static const char first[] = "vertex,name";
    size_t length = sizeof first - 1;
    const char *head = input->head + MG_PAD + input->used;
    return input->head_bytes - input->used > length && memcmp(head, first, length) == 0 && strchr("\r\n", head[length]);
}

static meguri_status take_row(mg_names *names, meguri_ctx *ctx, const meguri_list *list, uint64_t k) {
    const mg_list_row *row = &list->rows[k];
    char want[24];
    uint32_t number;
    snprintf(want, sizeof want, "%" PRIu64, k);
    if (row->count != 2 || strcmp(mg_list_field(list, row, 0), want) != 0)
        return mg_fail(ctx, MEGURI_BAD_INPUT,
                       "%s:%" PRIu64 ": vertex %s and its name are expected here: the table names 1, 2, 3 … in order.",
                       list->name, row->line, want);
    const char *name = mg_list_field(list, row, 1);
    if (!mg_is_name(name, strlen(name)))
        return mg_fail(ctx, MEGURI_BAD_INPUT,
                       "%s:%" PRIu64 ": the name is not UTF-8 text, or holds a line end or a tab.", list->name,
                       row->line);
    meguri_status status = mg_names_add(ctx, names, name, strlen(name), &number);
    if (status == MEGURI_OK && number != k - 1)
        return mg_fail(ctx, MEGURI_BAD_INPUT, "%s:%" PRIu64 ": the name '%.*s' is that of vertex %" PRIu32 ", too.",
                       list->name, row->line, (int)mg_cut_text(name, strlen(name), 100), name, number + 1);
    return status;
}

static meguri_status take_names(mg_reader *reader, const meguri_list *list) {
    struct mg_names_beside *beside = reader->names_beside;
    meguri_status status = mg_names_new(&beside->names, reader->ctx);
    for (uint64_t k = 1; k < list->count && status == MEGURI_OK; k++) {
        if (k % 4096 == 0 && mg_progress(reader->ctx, "names", k, list->count)) return mg_fail_cancelled(reader->ctx);
        status = take_row(beside->names, reader->ctx, list, k);
    }
    return status;
}

static meguri_status read_names(mg_reader *reader, const char *path) {
    mg_input input;
    meguri_list *list = NULL;
    meguri_status status = mg_input_open(&input, reader->ctx, path);
    if (status == MEGURI_OK) status = mg_input_peek(&input, MG_FIRST_LOOK);
    if (status == MEGURI_OK && !is_ours(&input))
        mg_warn(reader->ctx, "%s is not read: tables of names of vertices begin with the line vertex,name.", path);
    else if (status == MEGURI_OK) status = mg_list_read_input(&list, &input, MEGURI_LIST_VERTICES);
    mg_input_close(&input);
    if (list) status = take_names(reader, list);
    meguri_list_free(list);
    return status;
}

meguri_status mg_reader_names_beside(mg_reader *reader, const mg_input *input) {
    char path[PATH_MAX + sizeof SUFFIX];
    if (!input->close_fd || reader->options.ids == MEGURI_IDS_INTEGER || strlen(input->name) >= PATH_MAX)
        return MEGURI_OK;
    mg_names_path(path, sizeof path, input->name);
    if (access(path, F_OK) != 0) return MEGURI_OK;
    bool parts = reader->share && reader->share->of.parts > 1;
    if (parts || reader->path_count > 1)
        return mg_fail(reader->ctx, MEGURI_BAD_INPUT,
                       "%s names the vertices of %s, which works for one file that is read by one process; with the "
                       "option ids (integer) its vertices are numbers.",
                       path, input->name);
    struct mg_names_beside *beside = mg_reader_keep(reader, sizeof *beside + strlen(path) + strlen(input->name) + 2);
    if (!beside) return MEGURI_NO_MEMORY;
    *beside = (struct mg_names_beside){.path = (char *)(beside + 1)};
    beside->of = strcpy(beside->path, path) + strlen(path) + 1;
    strcpy(beside->of, input->name);
    reader->names_beside = beside;
    return read_names(reader, path);
}

meguri_status mg_reader_declare_names(mg_reader *reader) {
    uint64_t count = mg_reader_has_names(reader) ? mg_names_count(reader->names_beside->names) : 0;
    return count ? mg_edges_declare(reader->ctx, reader->edges, 1, count) : MEGURI_OK;
}

bool mg_reader_has_names(const mg_reader *reader) { return reader->names_beside && reader->names_beside->names; }

void mg_reader_free_names(mg_reader *reader) {
    if (reader->names_beside) mg_names_free(reader->names_beside->names);
    reader->names_beside = NULL;
}

meguri_status mg_reader_give_names(meguri_graph *graph, mg_reader *reader) {
    struct mg_names_beside *beside = reader->names_beside;
    uint64_t count = mg_names_count(beside->names);
    if (graph->vertices != count || (count && (graph->part[MG_PART_IDS].data || graph->id_base != 1)))
        return mg_fail(reader->ctx, MEGURI_BAD_INPUT,
                       "%s names vertices 1 to %" PRIu64 ", but %s has others, too, or fewer (%" PRIu64
                       " in all): it belongs "
                       "to another file; with the option ids (integer) it is not read.",
                       beside->path, count, beside->of, graph->vertices);
    if (!count) return MEGURI_OK;
    meguri_status status = mg_names_into_graph(reader->ctx, beside->names, graph);
    if (status != MEGURI_OK) return status;
    graph->id_kind = MEGURI_ID_STRING;
    graph->id_base = 0;
    mg_log(reader->ctx, MEGURI_LOG_INFO, "%s: its names are the ids of %s.", beside->path, beside->of);
    return MEGURI_OK;
}
