/* A path as JSON from C: path_json GRAPH FROM TO writes what `meguri path --json` finds, as a server would send it.
 *
 * The writer gets a context of its own, because that of the search is busy while it hands paths over. */
#include <meguri.h>
#include <meguri/extra/path_writer.h>
#include <stdio.h>

typedef struct asking {
    meguri_ctx *ctx;
    meguri_path_writer *writer;
    const meguri_path_query *query;
} asking;

/* Where the bytes go; a server would send them. */
static meguri_status send_bytes(void *user, const void *data, size_t bytes) {
    return fwrite(data, 1, bytes, user) == bytes ? MEGURI_OK : MEGURI_NO_DISK;
}

static int take_path(void *user, const meguri_path *path) {
    asking *a = user;
    return meguri_path_writer_path(a->ctx, a->writer, 0, a->query, path) != MEGURI_OK;
}

static meguri_status ask(meguri_ctx *ctx, asking *a, const meguri_graph *graph, const meguri_path_query *query) {
    meguri_path_finder *finder = NULL;
    meguri_path_answer answer = {.size = sizeof answer};
    const meguri_sink sink = {.size = sizeof sink, .form = "json", .write = send_bytes, .user = stdout};
    meguri_status status = meguri_path_finder_new(&finder, ctx, graph, NULL);
    if (status == MEGURI_OK) status = meguri_path_writer_new(&a->writer, a->ctx, graph, &sink, NULL);
    if (status == MEGURI_OK) status = meguri_path_find(&answer, ctx, finder, query, take_path, a);
    if (status == MEGURI_OK) status = meguri_path_writer_answer(a->ctx, a->writer, 0, query, &answer);
    if (a->writer) {
        meguri_status written = meguri_path_writer_finish(a->ctx, a->writer, status);
        if (status == MEGURI_OK) status = written;
    }
    meguri_path_writer_free(a->writer);
    meguri_path_finder_free(finder);
    return status;
}

int main(int argc, char **argv) {
    meguri_ctx *ctx = NULL;
    meguri_graph *graph = NULL;
    meguri_path_query query = {.size = sizeof query};
    asking a = {.query = &query};
    if (argc != 4) {
        fputs("usage: path_json GRAPH FROM TO\n", stderr);
        return 2;
    }
    if (meguri_ctx_new(&ctx, NULL) != MEGURI_OK || meguri_ctx_new(&a.ctx, NULL) != MEGURI_OK) return 4;
    meguri_status status = meguri_open(&graph, ctx, argv[1], NULL);
    if (status == MEGURI_OK) status = meguri_graph_find_text(&query.from, ctx, graph, argv[2]);
    if (status == MEGURI_OK) status = meguri_graph_find_text(&query.to, ctx, graph, argv[3]);
    if (status == MEGURI_OK) status = ask(ctx, &a, graph, &query);
    if (status != MEGURI_OK) fprintf(stderr, "%s%s\n", meguri_ctx_error(ctx), meguri_ctx_error(a.ctx));
    meguri_graph_free(graph);
    meguri_ctx_free(a.ctx);
    meguri_ctx_free(ctx);
    return meguri_status_exit_code(status);
}
