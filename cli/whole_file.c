/* A file of the command's own, written whole or not at all: the library's way to do so, behind a stream of stdio. */
#define _GNU_SOURCE /* fopencookie */
#include "cli.h"

/* After a failure nothing is written: the sentence about it stays the last one. */
static ssize_t write_bytes(void *cookie, const char *data, size_t bytes) {
    cli_stream *stream = cookie;
    if (stream->status == MEGURI_OK) stream->status = meguri_file_write(stream->ctx, stream->whole, data, bytes);
    return stream->status == MEGURI_OK ? (ssize_t)bytes : 0;
}

meguri_status cli_stream_open(cli_stream *stream, cli_run *run, const char *path) {
    const cookie_io_functions_t functions = {.write = write_bytes};
    meguri_ctx_options options = {.size = sizeof options, .threads = 1, .progress = cli_stop_when_interrupted};
    *stream = (cli_stream){0};
    meguri_status status = meguri_ctx_new(&stream->ctx, &options);
    if (status == MEGURI_OK) status = meguri_file_open(&stream->whole, stream->ctx, path);
    if (status == MEGURI_OK && !(stream->file = fopencookie(stream, "w", functions))) status = MEGURI_NO_MEMORY;
    if (status == MEGURI_OK) return status;
    const char *sentence = stream->ctx ? meguri_ctx_error(stream->ctx) : "";
    cli_fail(run, status, "%s", *sentence ? sentence : "there is no memory to write a file.");
    cli_stream_close(stream, run, false);
    return status;
}

meguri_status cli_stream_close(cli_stream *stream, cli_run *run, bool keep) {
    if (!stream->ctx) return MEGURI_OK;
    if (stream->file) fclose(stream->file); /* what it had not written yet is written now */
    if (keep && stream->status == MEGURI_OK) stream->status = meguri_file_finish(stream->ctx, stream->whole);
    meguri_status status = keep ? stream->status : MEGURI_OK;
    if (status != MEGURI_OK) cli_fail(run, status, "%s", meguri_ctx_error(stream->ctx));
    meguri_file_free(stream->whole);
    meguri_ctx_free(stream->ctx);
    *stream = (cli_stream){0};
    return status;
}
