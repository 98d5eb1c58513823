/* Fuzzing meguri_open: whatever the bytes, a clear failure or a graph that can be read to its end.
 *
 * Random changes alone would never get past a checksum, so by its last byte every second input has its checksums made
 * right first. */
#define _GNU_SOURCE
#include "meg/graphs.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count) {
    if (count == 0 || count > 1 << 20) return 0;
    meguri_ctx *ctx = new_context(1);
    unsigned char *bytes = malloc(count);
    if (!bytes) abort();
    memcpy(bytes, data, count);
    if (data[count - 1] & 1) reseal(bytes, count);
    memory_file file = new_memory_file(bytes, count);
    meguri_graph *g;
    meguri_status status = meguri_open(&g, ctx, file.path);
    if (status == MEGURI_OK && g->vertices < 10000 && g->arcs < 10000) {
        answer told[ANSWERS];
        ask_everything(told, ctx, g);
        free_answers(told);
    } else if (status == MEGURI_OK) meguri_graph_verify(ctx, g);
    else if (strlen(meguri_ctx_error(ctx)) < 20) abort();
    meguri_graph_free(g);
    close(file.fd);
    free(bytes);
    if (meguri_ctx_memory_used(ctx) != 0) abort();
    meguri_ctx_free(ctx);
    return 0;
}
