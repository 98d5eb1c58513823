/* meguri_read: one graph from one or several inputs.
 *
 * Inputs are read one after another, each by all threads, into a builder (graph/builder.c); what they must agree on
 * (kind of ids, weights, direction) is settled by the first that knows and held against the others. */
#include "io/format.h"

#include <math.h>
#include <sys/stat.h>

/* ---- what inputs must agree on ---------------------------------------------------------------------------------- */

meguri_status mg_reader_weights(mg_reader *reader, const mg_input *input, bool has_weights, bool *store) {
    mg_answer answer = has_weights ? MG_YES : MG_NO;
    *store = false;
    if (mg_ignores_weights(&reader->build)) return MEGURI_OK;
    if (reader->weighted != MG_UNKNOWN && reader->weighted != answer)
        return mg_fail(reader->ctx, MEGURI_BAD_INPUT,
                       "%s has %s, but the input before it has %s; give all inputs weights, or read them without.",
                       input->name, has_weights ? "weights" : "no weights", has_weights ? "none" : "some");
    reader->weighted = answer;
    *store = has_weights;
    return MEGURI_OK;
}

meguri_status mg_reader_direction(mg_reader *reader, const mg_input *input, meguri_direction format) {
    if (reader->build.direction != MEGURI_DIRECTION_DEFAULT) {
        reader->direction = reader->build.direction;
        return MEGURI_OK;
    }
    if (reader->direction != MEGURI_DIRECTION_DEFAULT && reader->direction != format)
        return mg_fail(reader->ctx, MEGURI_BAD_INPUT,
                       "%s is %s by its format, but the input before it is not; say whether the graph "
                       "is directed.",
                       input->name, format == MEGURI_DIRECTED ? "directed" : "undirected");
    reader->direction = format;
    return MEGURI_OK;
}

meguri_status mg_reader_numbered(mg_reader *reader, const mg_input *input) {
    meguri_status status = mg_reader_names_beside(reader, input);
    if (status != MEGURI_OK) return status;
    if ((reader->options.ids == MEGURI_IDS_STRING && !mg_reader_has_names(reader)) || reader->string_ids == MG_YES)
        return mg_fail(reader->ctx, MEGURI_BAD_INPUT,
                       "%s numbers its vertices, so it cannot be read with string ids or together with such a file.",
                       input->name);
    reader->string_ids = MG_NO;
    return MEGURI_OK;
}

/* ---- options of tables ----------------------------------------------------------------------------------------- */

/* Nothing is said but that there is no header. */
static bool is_headless(const meguri_read_options *o) {
    return o->header == MEGURI_HEADER_NO && !o->source_column && !o->target_column && !o->weight_column &&
           !o->separator;
}

/* Formats that have neither columns nor lines that can be skipped refuse what is about these. */
static meguri_status check_table(const mg_reader *reader, const mg_input *input, meguri_format format) {
    const meguri_read_options *o = &reader->options;
    bool table = format == MEGURI_FORMAT_CSV || format == MEGURI_FORMAT_EDGELIST || format == MEGURI_FORMAT_NEO4J;
    const char *option = o->source_column        ? "source-column"
                         : o->target_column      ? "target-column"
                         : o->weight_column      ? "weight-column"
                         : o->separator          ? "separator"
                         : o->header             ? "header"
                         : o->use_default_weight ? "default-weight"
                         : o->skip_bad           ? "skip-bad"
                                                 : NULL;
    bool columns = o->source_column || o->target_column || o->weight_column || o->separator || o->header;
    bool list = o->format == MEGURI_FORMAT_EDGELIST && (o->use_default_weight || (columns && !is_headless(o)));
    if (!option || (table && !list && !(columns && format == MEGURI_FORMAT_NEO4J))) return MEGURI_OK;
    return mg_fail(reader->ctx, MEGURI_BAD_INPUT,
                   "%s is read as %s, in which --%s has no meaning; leave one of the two out, or say with --format csv "
                   "that it is a table.",
                   input->name, meguri_format_name(format), option);
}

/* ---- one input -------------------------------------------------------------------------------------------------- */

meguri_status mg_reader_input(mg_reader *reader, mg_input *input) {
    meguri_format format = reader->options.format;
    input->done_before = reader->bytes;
    input->total = reader->bytes_total;
    meguri_status status = mg_input_peek(input, MG_FIRST_LOOK);
    if (status == MEGURI_OK && !mg_format_row(format)->binary)
        status = mg_refuse_foreign(input, format == MEGURI_FORMAT_AUTO);
    if (status == MEGURI_OK && format == MEGURI_FORMAT_AUTO) status = mg_detect(&format, reader, input);
    if (status != MEGURI_OK) return status;
    mg_log(reader->ctx, MEGURI_LOG_INFO, "%s is read as %s.", input->name, meguri_format_name(format));
    const mg_format *row = mg_format_row(format);
    status = check_table(reader, input, format);
    if (status != MEGURI_OK) return status;
    if (reader->options.column_count && !row->names_columns)
        return mg_fail(reader->ctx, MEGURI_BAD_INPUT,
                       "%s has the format %s, which does not name columns; to read columns of edges, give it a header "
                       "line, as CSV has it.",
                       input->name, meguri_format_name(format));
    if (row->one_process && reader->share && reader->share->of.parts > 1)
        return mg_fail(reader->ctx, MEGURI_BAD_INPUT,
                       "%s has the format %s, which only one process alone can read: build a .meg file from it first.",
                       input->name, meguri_format_name(format));
    status = row->read(reader, input);
    reader->bytes += input->raw_offset > input->size ? input->raw_offset : input->size;
    return status;
}

/* Binary edges may begin with any bytes. */
static meguri_status settle(const mg_reader *reader, mg_input *input) {
    meguri_format format = reader->options.format;
    return mg_format_row(format)->binary ? mg_input_settle(input, format) : MEGURI_OK;
}

meguri_status mg_reader_open(mg_reader *reader, mg_input *input, const char *path) {
    meguri_status status = mg_input_open(input, reader->ctx, path);
    return status == MEGURI_OK ? settle(reader, input) : status;
}

static meguri_status read_path(mg_reader *reader, const char *path) {
    mg_input input;
    meguri_status status = mg_reader_open(reader, &input, path);
    if (status == MEGURI_OK) status = mg_reader_input(reader, &input);
    mg_input_close(&input);
    return status;
}

/* ---- coordinates ------------------------------------------------------------------------------------------------ */

static meguri_status read_coordinates(mg_reader *reader) {
    const char *path = reader->options.coordinates;
    meguri_ctx *ctx = reader->ctx;
    if (!path) return MEGURI_OK;
    if (reader->string_ids == MG_YES)
        return mg_fail(ctx, MEGURI_BAD_INPUT, "%s gives coordinates to numbers, but the ids of the graph are strings.",
                       path);
    mg_input input;
    meguri_status status = mg_input_open(&input, ctx, path);
    if (status == MEGURI_OK) status = mg_input_peek(&input, MG_FIRST_LOOK);
    if (status == MEGURI_OK) status = mg_refuse_foreign(&input, false);
    if (status == MEGURI_OK) status = mg_read_coords(reader, &input);
    mg_input_close(&input);
    return status;
}

/* ---- the whole -------------------------------------------------------------------------------------------------- */

static meguri_status check_options(meguri_ctx *ctx, const meguri_read_options *o) {
    const mg_format *row = mg_format_row(o->format);
    if (!row || (!row->read && o->format != MEGURI_FORMAT_AUTO))
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "there is no format number %d.", (int)o->format);
    if ((int)o->ids < 0 || o->ids > MEGURI_IDS_STRING)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "there is no kind of ids number %d.", (int)o->ids);
    if ((unsigned)o->header > MEGURI_HEADER_NO)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "there is no choice of headers number %d.", (int)o->header);
    const char c = o->separator;
    bool letter = (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
    if (c && (letter || strchr("\"\r\n", c) || c < '\t' || c > '~'))
        return mg_fail(
            ctx, MEGURI_BAD_ARGUMENT,
            "the separator of columns must be an ASCII character that is no letter, digit, quote or line end.");
    if (o->use_default_weight && !isfinite(o->default_weight))
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "the default weight must be a finite number.");
    return mg_check_build_options(ctx, o->build);
}

meguri_status mg_reader_start(mg_reader *reader, meguri_ctx *ctx, size_t chunk_bytes,
                              const meguri_read_options *options) {
    *reader = (mg_reader){.ctx = ctx, .chunk_bytes = chunk_bytes};
    meguri_status status = MG_OPTIONS(ctx, &reader->options, options, meguri_read_options);
    if (status == MEGURI_OK) status = mg_own_build_options(&reader->build, ctx, &reader->options.build);
    if (status == MEGURI_OK) status = check_options(ctx, &reader->options);
    if (status != MEGURI_OK) return status;
    reader->c_locale = mg_locale_new();
    if (!reader->c_locale) return mg_fail(ctx, MEGURI_NO_MEMORY, "the system has no room for a locale.");
    status = mg_builder_new(&reader->builder, ctx);
    if (status != MEGURI_OK) return status;
    reader->edges = mg_builder_edges(reader->builder);
    return mg_reader_columns(reader);
}

static meguri_status build(meguri_graph **out, mg_reader *reader) {
    meguri_status status = read_coordinates(reader);
    if (status != MEGURI_OK) return status;
    if (reader->negative_ids) mg_edges_set_signed(reader->edges);
    meguri_build_options options = reader->build;
    options.direction = reader->direction;
    status = mg_builder_build(out, reader->ctx, reader->builder, &options);
    if (status != MEGURI_OK || !mg_reader_has_names(reader)) return status;
    status = mg_reader_give_names(*out, reader);
    if (status != MEGURI_OK) {
        meguri_graph_free(*out);
        *out = NULL;
    }
    return status;
}

struct mg_kept {
    struct mg_kept *next;
    max_align_t data[];
};

void *mg_reader_keep(mg_reader *reader, uint64_t bytes) {
    struct mg_kept *kept = mg_alloc_zero(reader->ctx, sizeof *kept + bytes, "the columns of a header");
    if (!kept) return NULL;
    kept->next = reader->kept;
    reader->kept = kept;
    return kept->data;
}

void mg_reader_finish(mg_reader *reader) {
    mg_reader_free_names(reader);
    meguri_builder_free(reader->builder);
    mg_free(reader->name_marks.mark);
    mg_free(reader->edge_marks.mark);
    mg_free(reader->space);
    mg_free(reader->neo4j);
    mg_free(reader->places);
    mg_free(reader->own_columns);
    for (struct mg_kept *kept = reader->kept, *next; kept; kept = next) {
        next = kept->next;
        mg_free(kept);
    }
    mg_locale_free(reader->c_locale);
}

/* Bytes of all files together, for the progress; 0 if one is no file. */
static uint64_t total_bytes(const char *const *paths, size_t count) {
    uint64_t total = 0;
    for (size_t i = 0; i < count; i++) {
        struct stat facts;
        if (strcmp(paths[i], "-") == 0 || stat(paths[i], &facts) != 0 || !S_ISREG(facts.st_mode)) return 0;
        total += (uint64_t)facts.st_size;
    }
    return total;
}

meguri_status mg_reader_check_paths(meguri_ctx *ctx, const char *const *paths, size_t count) {
    if (!paths || !count) return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "no input is named.");
    size_t standard = 0;
    for (size_t i = 0; i < count; i++) {
        if (!paths[i]) return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "an input has no name.");
        standard += strcmp(paths[i], "-") == 0;
    }
    return standard > 1 ? mg_fail(ctx, MEGURI_BAD_ARGUMENT, "standard input can be read only once.") : MEGURI_OK;
}

meguri_status mg_read_files(meguri_graph **out, meguri_ctx *ctx, const char *const *paths, size_t path_count,
                            size_t chunk_bytes, const meguri_read_options *options) {
    mg_reader reader;
    if (out) *out = NULL;
    if (!out || !ctx) return mg_missing(ctx, __func__);
    mg_begin(ctx);
    meguri_status status = mg_reader_check_paths(ctx, paths, path_count);
    if (status != MEGURI_OK) return status;
    mg_hold_warnings(ctx);
    status = mg_reader_start(&reader, ctx, chunk_bytes, options);
    if (status == MEGURI_OK) reader.bytes_total = total_bytes(paths, path_count);
    reader.paths = paths;
    reader.path_count = path_count;
    for (size_t i = 0; i < path_count && status == MEGURI_OK; i++) status = read_path(&reader, paths[i]);
    if (status == MEGURI_OK) status = build(out, &reader);
    mg_reader_finish(&reader);
    mg_end_warnings(ctx, status == MEGURI_OK);
    return status;
}

meguri_status mg_read_memory(meguri_graph **out, meguri_ctx *ctx, const char *name, const void *data, size_t bytes,
                             size_t chunk_bytes, const meguri_read_options *options) {
    mg_reader reader;
    mg_input input;
    *out = NULL;
    mg_begin(ctx);
    mg_hold_warnings(ctx);
    meguri_status status = mg_reader_start(&reader, ctx, chunk_bytes, options);
    if (status == MEGURI_OK) {
        status = mg_input_memory(&input, ctx, name, data, bytes);
        if (status == MEGURI_OK) status = settle(&reader, &input);
        if (status == MEGURI_OK) status = mg_reader_input(&reader, &input);
        mg_input_close(&input);
    }
    if (status == MEGURI_OK) status = build(out, &reader);
    mg_reader_finish(&reader);
    mg_end_warnings(ctx, status == MEGURI_OK);
    return status;
}

meguri_status meguri_read(meguri_graph **out, meguri_ctx *ctx, const char *const *paths, size_t path_count,
                          const meguri_read_options *options) {
    if (out) *out = NULL;
    if (!out || !ctx) return mg_missing(ctx, __func__);
    mg_begin(ctx);
    meguri_read_options o;
    meguri_build_options build;
    const mg_makers *makers;
    meguri_layout layout;
    meguri_status status = MG_OPTIONS(ctx, &o, options, meguri_read_options);
    if (status == MEGURI_OK) status = mg_own_build_options(&build, ctx, &o.build);
    if (status == MEGURI_OK) status = mg_layout_makers(&makers, &layout, ctx, &build.layout);
    if (status == MEGURI_OK && makers && o.column_count)
        status = mg_fail(ctx, MEGURI_BAD_ARGUMENT,
                         "edges in parts carry no columns: read them into a whole graph, on one machine.");
    if (status != MEGURI_OK) return status;
    return makers ? makers->read(out, ctx, paths, path_count, &o)
                  : mg_read_files(out, ctx, paths, path_count, 0, options);
}
