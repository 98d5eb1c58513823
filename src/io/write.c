/* meguri_write: a graph into a foreign format, chosen by name or by suffix.
 *
 * Rules for all formats: rows in the user's order, neighbours increasing, ids as the user gave them. Formats whose
 * vertices are 1 … n by nature get positions, which are the ids where those are 1 … n. Formats that are directed by
 * nature get every stored arc, so that reading them gives the same arcs; the others every undirected edge once. What
 * a format cannot hold is refused, or, if it was asked for by choosing the format (weights in `.el`), said in the
 * log. */
#define _GNU_SOURCE /* PATH_MAX */
#include "io/format.h"

#include <inttypes.h>
#include <limits.h>

/* A suffix says more than a name, if they agree: .wel is an edge list with weights. */
const mg_writer *mg_choose_writer(const char *path, meguri_format format) {
    const mg_format *row = mg_format_row(format == MEGURI_FORMAT_AUTO ? meguri_format_of_path(path) : format);
    for (int i = 0; row && i < MG_MOST_WRITERS && row->writers[i]; i++)
        if (row->writers[i]->suffix && mg_has_suffix(path, row->writers[i]->suffix)) return row->writers[i];
    return row ? row->writers[0] : NULL;
}

static meguri_status refuse(meguri_ctx *ctx, const char *path, meguri_format format) {
    if (format != MEGURI_FORMAT_AUTO)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "there is no format with the number %d to write %s in.", (int)format,
                       path);
    return mg_fail(ctx, MEGURI_BAD_ARGUMENT,
                   "the name %s does not say which format to write: let it end in one of" MEGURI_FORMAT_SUFFIXES
                   " (with .gz, .zst or .xz behind it), or name the format.",
                   path);
}

/* ---- what the graph has and the format wants -------------------------------------------------------------------- */

static meguri_status get_ids(mg_write_job *job) {
    const void *ids, *offsets, *names;
    meguri_status status = mg_graph_part(&ids, job->ctx, job->graph, MG_PART_IDS);
    if (status == MEGURI_OK) status = mg_graph_part(&offsets, job->ctx, job->graph, MG_PART_NAME_OFFSETS);
    if (status == MEGURI_OK) status = mg_graph_part(&names, job->ctx, job->graph, MG_PART_NAMES);
    if (status != MEGURI_OK) return status;
    job->ids = ids;
    job->name_offsets = offsets;
    job->names = names;
    return MEGURI_OK;
}

meguri_status mg_write_get_graph(mg_write_job *job, const mg_writer *writer) {
    const void *coordinates = NULL;
    meguri_status status = mg_graph_numbering(&job->numbering, job->ctx, job->graph);
    if (status == MEGURI_OK) status = get_ids(job);
    if (status == MEGURI_OK && !writer->without_arcs) status = mg_graph_rows(&job->rows, job->ctx, job->graph);
    if (status == MEGURI_OK) status = mg_graph_part(&coordinates, job->ctx, job->graph, MG_PART_COORDINATES);
    if (status == MEGURI_OK && !job->powers) status = mg_powers_new(&job->powers, job->ctx);
    if (status != MEGURI_OK) return status;
    job->coordinates = coordinates;
    job->column_count = writer->columns ? mg_graph_column_count(job->graph) : 0;
    job->type_column = UINT32_MAX;
    mg_free(job->columns); /* of the file beside this one */
    job->columns = mg_alloc_array(job->ctx, job->column_count, sizeof *job->columns, "the columns of the edges");
    if (!job->columns) return MEGURI_NO_MEMORY;
    for (uint32_t c = 0; c < job->column_count; c++) {
        status = mg_graph_column(&job->columns[c], job->ctx, job->graph, c, true);
        if (status != MEGURI_OK) return status;
        if (job->columns[c].what.kind == MEGURI_COLUMN_TYPES) job->type_column = c;
    }
    job->vertex_bits = 1;
    while (job->vertex_bits < 32 && job->graph->vertices >> job->vertex_bits) job->vertex_bits++;
    return MEGURI_OK;
}

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\0'; }

/* Why a string id cannot stand as it is in a line of text; NULL: it can. */
static const char *name_trouble(const char *name, size_t length) {
    if (length == 0) return "is empty";
    if (length >= 3 && memcmp(name, "\xef\xbb\xbf", 3) == 0) return "begins with a byte order mark";
    if (memchr(name, '\t', length)) return "holds a tab";
    if (memchr(name, '\n', length) || memchr(name, '\r', length)) return "holds a line end";
    if (memchr(name, '\0', length)) return "holds a zero byte";
    if (is_blank(name[0]) || is_blank(name[length - 1])) return "begins or ends with a blank";
    if (name[0] == '#' || name[0] == '%' || (length > 1 && name[0] == '/' && name[1] == '/'))
        return "begins as a comment does";
    return NULL;
}

static meguri_status check_names(const mg_write_job *job) {
    for (uint64_t p = 0; p < job->graph->vertices; p++) {
        const char *name = job->names + job->name_offsets[p];
        size_t length = (size_t)(job->name_offsets[p + 1] - job->name_offsets[p]);
        const char *trouble = name_trouble(name, length);
        if (trouble)
            return mg_fail(job->ctx, MEGURI_BAD_ARGUMENT,
                           "cannot write %s: the id \"%.*s\" %s, which this format cannot hold; write .csv.", job->path,
                           (int)MG_MIN(length, 100u), name, trouble);
    }
    return MEGURI_OK;
}

static bool ids_are_places(const mg_write_job *job) {
    const meguri_graph *g = job->graph;
    if (g->vertices == 0) return true;
    if (g->id_kind == MEGURI_ID_STRING) return false;
    return (job->ids ? job->ids[0] : g->id_base) == 1 && mg_write_largest_id(job) == g->vertices;
}

/* What the file will not show, for those who look at the log. */
static void log_losses(const mg_write_job *job, const mg_writer *writer) {
    const meguri_graph *g = job->graph;
    if (writer->id_form == MG_ID_FORM_PLACE && !ids_are_places(job) && g->id_kind != MEGURI_ID_STRING)
        mg_log(job->ctx, MEGURI_LOG_INFO, "%s: the format numbers its vertices: vertex k of the file is the k-th id.",
               job->path);
    if (writer->without_arcs) return;
    if (g->weight_type != MEGURI_TYPE_NONE && !job->with_weights)
        mg_log(job->ctx, MEGURI_LOG_INFO, "%s: the weights of the graph are not written.", job->path);
    if (g->weight_type == MEGURI_TYPE_NONE && job->with_weights)
        mg_log(job->ctx, MEGURI_LOG_INFO, "%s: the graph has no weights, every arc gets the weight 1.", job->path);
    if (mg_graph_column_count(g) && !writer->columns)
        mg_log(job->ctx, MEGURI_LOG_INFO, "%s: the columns of the edges are not written; .csv has them.", job->path);
    if (writer->loses_isolated && g->isolated > 0)
        mg_log(job->ctx, MEGURI_LOG_INFO, "%s: %" PRIu64 " vertices have no edge and so no line in this format.",
               job->path, g->isolated);
}

/* ---- one file, two files ---------------------------------------------------------------------------------------- */

/* A file ready to be committed. */
static meguri_status write_one(mg_outfile *file, mg_write_job *job, const mg_writer *writer, const mg_output *output) {
    const char *path = output->name;
    const meguri_graph *g = job->graph;
    mg_compression compression;
    mg_uncompressed_name(&compression, output->form);
    job->path = path;
    job->id_form = writer->id_form;
    job->separator = g->id_kind == MEGURI_ID_STRING && writer->id_form == MG_ID_FORM_PLAIN ? '\t' : ' ';
    if (writer->undirected_only && g->directed)
        return mg_fail(job->ctx, MEGURI_BAD_ARGUMENT,
                       "cannot write %s: its format holds undirected graphs, and this one is directed; build it "
                       "undirected or write another format.",
                       path);
    meguri_status status = mg_write_get_graph(job, writer);
    if (status == MEGURI_OK && writer->prepare) status = writer->prepare(job);
    if (status == MEGURI_OK && writer->plain_names && g->id_kind == MEGURI_ID_STRING) status = check_names(job);
    if (status != MEGURI_OK) return status;
    log_losses(job, writer);
    status = mg_outfile_open_output(file, job->ctx, output);
    return status == MEGURI_OK ? mg_write_rows(job, writer, file, compression) : status;
}

/* The name of the file beside another, as snprintf: its suffix exchanged, or added where it has none. */
static size_t path_beside(char *out, size_t room, const mg_writer *writer, const char *path) {
    size_t length = mg_uncompressed_name(NULL, path);
    size_t kept = mg_ends_with(path, length, writer->suffix) ? length - strlen(writer->suffix) : length;
    return (size_t)snprintf(out, out ? MG_MIN(room, (size_t)INT_MAX) : 0, "%.*s%s%s", (int)kept, path,
                            writer->beside->suffix, path + length);
}

static bool wants_beside(const mg_writer *writer, const meguri_graph *graph) {
    return writer->beside && (!writer->beside->places_alone || !graph || graph->part[MG_PART_COORDINATES].data);
}

size_t meguri_write_beside(char *out, size_t room, const meguri_graph *graph, const char *path, meguri_format format) {
    if (out && room) *out = '\0';
    if (!path || strlen(path) >= PATH_MAX) return 0; /* no such name can be opened */
    const mg_writer *writer = mg_choose_writer(path, format);
    return writer && wants_beside(writer, graph) ? path_beside(out, room, writer, path) : 0;
}

/* A file beside the one that is named. */
typedef struct beside {
    mg_outfile file;
    char *path; /* NULL: there is none */
} beside;

static meguri_status write_beside(beside *out, mg_write_job *job, const mg_writer *writer, const char *of) {
    size_t room = path_beside(NULL, 0, writer, of) + 1;
    out->path = mg_alloc(job->ctx, room, "the name of a file");
    if (!out->path) return MEGURI_NO_MEMORY;
    path_beside(out->path, room, writer, of);
    const mg_output output = {.path = out->path, .name = out->path, .form = out->path};
    return write_one(&out->file, job, writer->beside, &output);
}

static meguri_status write_names(beside *out, mg_write_job *job, const char *of) {
    if (!mg_names_are_beside(job->graph)) return mg_refuse_stale_names(job->ctx, of);
    size_t room = mg_names_path(NULL, 0, of) + 1;
    out->path = mg_alloc(job->ctx, room, "the name of a file");
    if (!out->path) return MEGURI_NO_MEMORY;
    mg_names_path(out->path, room, of);
    const mg_output output = {.path = out->path, .name = out->path, .form = out->path};
    return write_one(&out->file, job, &mg_writer_names, &output);
}

static meguri_status commit_beside(meguri_ctx *ctx, beside *b, const char *of) {
    meguri_status status = b->path ? mg_outfile_commit(ctx, &b->file) : MEGURI_OK;
    if (status == MEGURI_OK && b->path) mg_log(ctx, MEGURI_LOG_INFO, "%s was written beside %s.", b->path, of);
    return status;
}

static void abandon_beside(beside *b) {
    mg_outfile_abandon(&b->file);
    mg_free(b->path);
}

/* To where the caller's sink leads, by the writer of its form. */
static meguri_status write_files(meguri_ctx *ctx, const meguri_graph *graph, const mg_output *output,
                                 meguri_format format, const mg_writer *writer) {
    mg_write_job job = {.ctx = ctx, .graph = graph, .format = format};
    if (format == MEGURI_FORMAT_AUTO) job.format = meguri_format_of_path(output->form);
    mg_outfile file = {.fd = -1};
    beside second = {.file = {.fd = -1}}, names = {.file = {.fd = -1}};
    double start = mg_now();
    job.with_weights = writer->weights == MG_WEIGHTS_ALWAYS ||
                       (writer->weights == MG_WEIGHTS_IF_ANY && graph->weight_type != MEGURI_TYPE_NONE);
    meguri_status status = write_one(&file, &job, writer, output);
    if (status == MEGURI_OK && wants_beside(writer, graph) && !file.direct)
        status = write_beside(&second, &job, writer, output->path);
    if (status == MEGURI_OK && mg_numbers_vertices(writer) && !file.direct)
        status = write_names(&names, &job, output->path);
    /* The file that is named comes last: where it is new, those beside it are too. */
    if (status == MEGURI_OK) status = commit_beside(ctx, &second, output->path);
    if (status == MEGURI_OK) status = commit_beside(ctx, &names, output->path);
    if (status == MEGURI_OK) status = mg_outfile_commit(ctx, &file);
    if (status == MEGURI_OK) mg_trace_phase(ctx, "write", NULL, (int64_t)graph->arcs, -1, start);
    mg_outfile_abandon(&file);
    abandon_beside(&second);
    abandon_beside(&names);
    mg_powers_free(job.powers);
    mg_free(job.columns);
    return status;
}

meguri_status meguri_write(meguri_ctx *ctx, const meguri_graph *graph, const meguri_sink *sink,
                           const meguri_write_options *options) {
    meguri_write_options o;
    mg_output output;
    if (!ctx) return MEGURI_BAD_ARGUMENT;
    mg_begin(ctx);
    if (!graph) return mg_missing(ctx, __func__);
    meguri_status status = MG_OPTIONS(ctx, &o, options, meguri_write_options);
    if (status == MEGURI_OK) status = mg_output_of(&output, ctx, sink, false, __func__);
    if (status != MEGURI_OK) return status;
    if (o.format == MEGURI_FORMAT_AUTO && mg_ends_with(output.form, strlen(output.form), ".meg"))
        return meguri_save(ctx, graph, sink, NULL);
    const mg_writer *writer = mg_choose_writer(output.form, o.format);
    return writer ? write_files(ctx, graph, &output, o.format, writer) : refuse(ctx, output.name, o.format);
}
