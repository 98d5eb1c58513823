/* LDBC Graphalytics: edges in NAME.e ("from to [weight]"), vertices in NAME.v beside it, one id a line.
 * The vertex file also names the vertices that no edge touches, and gives string ids their order. */
#define _GNU_SOURCE /* PATH_MAX */
#include "io/read.h"

#include <limits.h>
#include <unistd.h>

enum { SAMPLE_LINES = 1000, SAMPLE_BYTES = 64 << 10 };

enum { LONGER = 4 }; /* bytes that the name of a vertex file may have more than that of the edges */

/* NAME.v or packed, whichever is there, for NAME.e, packed or not; `name` has room for LONGER bytes more than the path
 * and a zero. */
static bool find_vertex_file(char *name, const char *path) {
    static const char *const packings[] = {"", ".gz", ".zst", ".xz"};
    size_t length = strlen(path);
    for (size_t given = 0; given < 4; given++) {
        size_t tail = strlen(packings[given]) + 2;
        if (length <= tail || strncmp(path + length - tail, ".e", 2) != 0 ||
            strcmp(path + length - tail + 2, packings[given]) != 0)
            continue;
        for (size_t found = 0; found < 4; found++) {
            memcpy(name, path, length - tail);
            snprintf(name + length - tail, tail + LONGER + 1, ".v%s", packings[found]);
            if (access(name, F_OK) == 0) return true;
        }
    }
    return false;
}

meguri_status mg_ldbc_vertex_file(char **out, meguri_ctx *ctx, const char *path) {
    *out = NULL;
    char *name = mg_alloc(ctx, strlen(path) + LONGER + 1, "a file name");
    if (!name) return MEGURI_NO_MEMORY;
    if (find_vertex_file(name, path)) *out = name;
    else mg_free(name);
    return MEGURI_OK;
}

size_t meguri_read_beside(char *out, size_t room, const char *path, meguri_format format) {
    char name[PATH_MAX + LONGER];
    if (out && room) *out = '\0';
    if (!path || strlen(path) >= PATH_MAX) return 0; /* no such name can be opened */
    if ((format != MEGURI_FORMAT_AUTO && format != MEGURI_FORMAT_LDBC) || !find_vertex_file(name, path)) return 0;
    return (size_t)snprintf(out, out ? room : 0, "%s", name);
}

static meguri_status parse_integer_vertices(mg_pass *pass, const mg_chunk *chunk) {
    meguri_ctx *ctx = pass->reader->ctx;
    uint64_t *ids = mg_alloc_array(ctx, (uint64_t)(chunk->end - chunk->begin) / 2 + 1, sizeof *ids, "vertex ids");
    meguri_status status = ids ? MEGURI_OK : MEGURI_NO_MEMORY;
    uint64_t count = 0;
    for (const char *p = chunk->begin; p < chunk->end && status == MEGURI_OK;) {
        const char *at = mg_skip_blanks(p);
        if (*at != '\n' && !mg_is_comment(at)) {
            bool negative = false, huge = false;
            mg_word word = mg_word_at(at, MG_BLANKS);
            if (!mg_parse_id(&at, &ids[count], &negative, &huge) || *mg_skip_blanks(at) != '\n')
                status = mg_pass_fail(pass, chunk, p,
                                      "'%.*s' is not an integer id alone on its line; --ids string reads all ids as "
                                      "strings.",
                                      word.length, word.text);
            else if (negative || huge) status = mg_note_ids(pass, chunk, p, negative, huge);
            count++;
        }
        p = mg_line_end(at, chunk->end) + 1;
    }
    if (status == MEGURI_OK) {
        mg_trim(ids, count * sizeof *ids);
        return mg_edges_name(ctx, pass->reader->edges, ids, count);
    }
    mg_free(ids);
    return status;
}

static meguri_status parse_string_vertices(mg_pass *pass, const mg_chunk *chunk) {
    meguri_ctx *ctx = pass->reader->ctx;
    mg_names *names = NULL;
    mg_block none = {0};
    meguri_status status = mg_names_new(&names, ctx);
    if (status == MEGURI_OK) status = mg_block_new(&none, ctx, 0, false);
    for (const char *p = chunk->begin; p < chunk->end && status == MEGURI_OK;) {
        const char *at = mg_skip_blanks(p), *end = mg_line_end(at, chunk->end);
        if (*at != '\n' && !mg_is_comment(at)) {
            const char *last = end; /* the whole line is the name, but for blanks around it */
            while (mg_is_blank(last[-1])) last--;
            mg_field field = {(char *)(uintptr_t)at, (size_t)(last - at)};
            uint32_t number;
            status = mg_take_name(pass, chunk, names, &field, &number);
        }
        p = end + 1;
    }
    if (status == MEGURI_OK) status = mg_block_add_named(pass, chunk, &none, names);
    mg_block_free(&none);
    mg_names_free(names);
    return status;
}

static meguri_status look_for_strings(mg_reader *reader, mg_input *input) {
    size_t start = input->used;
    bool strings = false, found = false;
    for (int lines = 0; lines < SAMPLE_LINES && input->used < start + SAMPLE_BYTES; lines++) {
        const char *line, *end;
        uint64_t id;
        bool flag = false;
        meguri_status status = mg_next_data_line(input, &line, &end);
        if (status != MEGURI_OK) return status;
        if (!line) break;
        line = mg_skip_blanks(line);
        found = true;
        strings |= !mg_parse_id(&line, &id, &flag, &flag) || *mg_skip_blanks(line) != '\n';
    }
    input->used = start;
    return found ? mg_reader_ids(reader, input, strings) : MEGURI_OK;
}

static meguri_status read_vertices(mg_reader *reader, const char *path) {
    mg_input input;
    meguri_status status = mg_input_open(&input, reader->ctx, path);
    if (status == MEGURI_OK) status = mg_input_peek(&input, SAMPLE_BYTES);
    if (status == MEGURI_OK) status = mg_refuse_foreign(&input);
    if (status == MEGURI_OK) status = look_for_strings(reader, &input);
    if (status == MEGURI_OK) {
        mg_pass pass = {.reader = reader, .input = &input};
        pass.parse = reader->string_ids == MG_YES ? parse_string_vertices : parse_integer_vertices;
        status = mg_pass_run(&pass, (mg_plan){.cut = MG_CUT_LINES});
    }
    mg_input_close(&input);
    return status;
}

meguri_status mg_read_ldbc(mg_reader *reader, mg_input *input) {
    char *vertices;
    meguri_status status = mg_ldbc_vertex_file(&vertices, reader->ctx, input->name);
    if (status != MEGURI_OK) return status;
    if (!vertices)
        return mg_fail(reader->ctx, MEGURI_NOT_FOUND,
                       "%s is not an .e file with a .v file beside it; --format el reads edges without vertex file.",
                       input->name);
    status = read_vertices(reader, vertices);
    mg_free(vertices);
    return status == MEGURI_OK ? mg_read_edgelist(reader, input) : status;
}
