/* Vertices that are named on the command line or in a file, one id a line, as the graph has them. */
#include "cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST_LINE ((size_t)1 << 20) /* what is longer is no list of ids */

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

static meguri_status no_memory(cli_run *run, const char *path) {
    return cli_fail(run, MEGURI_NO_MEMORY, "the system has no memory for the ids of %s.", path);
}

/* Grows an array to twice its size when it is full. */
static bool make_room(void *array, size_t *room, size_t wanted, size_t item) {
    void **pointer = array;
    if (wanted <= *room) return true;
    size_t larger = 2 * wanted + 64;
    void *grown = realloc(*pointer, larger * item);
    if (!grown) return false;
    *pointer = grown;
    *room = larger;
    return true;
}

typedef struct reader {
    cli_sources *to;
    const char *give;
    FILE *file;
    char *line;
    size_t line_room, text_room, place_room, line_numbers_room;
    bool alone; /* an id has a line of its own */
} reader;

/* One line without its end; *length is SIZE_MAX at the end of the file. */
static meguri_status next_line(reader *r, cli_run *run, size_t *length, size_t number) {
    size_t used = 0;
    int c;
    while ((c = getc(r->file)) != EOF && c != '\n') {
        if (!make_room(&r->line, &r->line_room, used + 1, 1)) return no_memory(run, r->to->path);
        if (used == LONGEST_LINE)
            return cli_fail(run, MEGURI_BAD_INPUT, "%s:%zu: the line is too long for an id; give %s a line.",
                            r->to->path, number, r->give);
        r->line[used++] = (char)c;
    }
    if (ferror(r->file) && cli_interrupted()) return cli_fail(run, MEGURI_CANCELLED, "interrupted.");
    if (ferror(r->file)) return cli_fail(run, MEGURI_BAD_INPUT, "cannot read %s: %s.", r->to->path, strerror(errno));
    *length = c == EOF && used == 0 ? SIZE_MAX : used;
    return MEGURI_OK;
}

/* Keeps the id of a line, unless the line is empty or a comment. Of a line with more on it, blanks count. */
static meguri_status keep_id(reader *r, cli_run *run, const char *line, size_t length, size_t number) {
    cli_sources *s = r->to;
    size_t blanks = 0;
    while (blanks < length && is_space(line[blanks])) blanks++;
    if (blanks == length || line[blanks] == '#') return MEGURI_OK;
    if (r->alone) {
        line += blanks, length -= blanks;
        while (is_space(line[length - 1])) length--;
    }
    if (memchr(line, '\0', length))
        return cli_fail(run, MEGURI_BAD_INPUT, "%s:%zu: there is a zero byte in it; give %s a line, as text.", s->path,
                        number, r->give);
    if (!make_room(&s->text, &r->text_room, s->text_bytes + length + 1, 1) ||
        !make_room(&s->place, &r->place_room, s->count + 1, sizeof *s->place) ||
        !make_room(&s->line, &r->line_numbers_room, s->count + 1, sizeof *s->line))
        return no_memory(run, s->path);
    memcpy(s->text + s->text_bytes, line, length);
    s->text[s->text_bytes + length] = '\0';
    s->place[s->count] = s->text_bytes;
    s->line[s->count++] = number;
    s->text_bytes += length + 1;
    return MEGURI_OK;
}

meguri_status cli_sources_read(cli_sources *out, cli_run *run, const char *path, const char *give) {
    bool from_stdin = strcmp(path, "-") == 0;
    *out = (cli_sources){.path = from_stdin ? "standard input" : path};
    reader r = {.to = out,
                .give = give,
                .file = from_stdin ? stdin : fopen(path, "rb"),
                .alone = strcmp(give, CLI_ONE_ID) == 0};
    if (!r.file) return cli_fail(run, MEGURI_NOT_FOUND, "cannot read %s: %s.", path, strerror(errno));
    meguri_status status = MEGURI_OK;
    for (size_t number = 1; status == MEGURI_OK; number++) {
        size_t length = 0;
        status = next_line(&r, run, &length, number);
        if (length == SIZE_MAX) break;
        if (status == MEGURI_OK) status = keep_id(&r, run, r.line, length, number);
    }
    if (status == MEGURI_OK && out->count == 0)
        status = cli_fail(run, MEGURI_BAD_INPUT, "%s has no ids; give %.3s a line.", out->path, give);
    if (!from_stdin) fclose(r.file);
    free(r.line);
    return status;
}

meguri_status cli_sources_find(uint64_t **out, const cli_sources *sources, cli_run *run, const meguri_graph *graph) {
    *out = calloc(sources->count, sizeof **out);
    if (!*out) return no_memory(run, sources->path);
    for (size_t i = 0; i < sources->count; i++) {
        meguri_status status = meguri_graph_find_text(&(*out)[i], run->ctx, graph, sources->text + sources->place[i]);
        if (status != MEGURI_OK)
            return cli_fail(run, status, "%s:%zu: %s", sources->path, sources->line[i], meguri_ctx_error(run->ctx));
    }
    return MEGURI_OK;
}

void cli_sources_free(cli_sources *sources) {
    free(sources->text);
    free(sources->place);
    free(sources->line);
    *sources = (cli_sources){0};
}

/* ---- where a search starts -------------------------------------------------------------------------------------- */

meguri_status cli_starts_read(cli_starts *out, cli_run *run) {
    *out = (cli_starts){.many = cli_given(&run->args, "sources")};
    if (!out->many) return MEGURI_OK;
    if (run->cluster)
        return cli_fail(run, MEGURI_BAD_ARGUMENT,
                        "--sources is for one machine; give one --source to the processes of a cluster, or say "
                        "--engine host.");
    return cli_sources_read(&out->list, run, cli_text(&run->args, "sources"), CLI_ONE_ID);
}

meguri_status cli_starts_find(cli_starts *s, cli_algorithm *a) {
    cli_run *run = a->run;
    meguri_status status;
    if (s->many) {
        s->count = s->list.count;
        status = cli_sources_find(&s->vertices, &s->list, run, a->graph);
    } else {
        s->count = 1;
        s->vertices = calloc(1, sizeof *s->vertices);
        status = s->vertices ? MEGURI_OK : cli_fail(run, MEGURI_NO_MEMORY, "the system has no memory for a source.");
        status = cli_cluster_agree(run, status);
        if (status != MEGURI_OK) return status;
        status = meguri_graph_find_text(s->vertices, run->ctx, a->graph, cli_text(&run->args, "source"));
    }
    return status == MEGURI_OK ? cli_algorithm_id(&s->first, a, s->vertices[0]) : status;
}

void cli_starts_free(cli_starts *starts) {
    cli_sources_free(&starts->list);
    free(starts->vertices);
    *starts = (cli_starts){0};
}
