/* Fuzzing meguri_open: whatever the bytes, a clear failure or a graph with which everything can be done.
 *
 * Random changes alone would never get past a checksum. So the mutator knows where sections lie (lies.c), changes
 * numbers inside them, and makes the checksums right again; now and then it leaves them, or lets the fuzzer change any
 * byte. */
#define _GNU_SOURCE
#include "meg/lies.h"
#include "meg/verbs.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t count, size_t room, unsigned int seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t count, size_t room);

enum { SMALL = 4000 }; /* vertices and arcs of a graph with which everything is done */

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t count, size_t room, unsigned int seed) {
    uint64_t random = seed;
    uint64_t kind = next_random(&random) % 16;
    if (kind == 0) count = LLVMFuzzerMutate(data, count, room);
    else
        for (uint64_t change = 0; change <= kind % 4; change++) change_something(data, count, &random);
    if (kind != 1) reseal(data, count);
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count) {
    if (count == 0 || count > 1 << 20) return 0;
    uint64_t choice = XXH3_64bits(data, count);
    meguri_ctx *ctx = new_context(1 + (uint32_t)(choice % 2));
    memory_file file = new_memory_file(data, count);
    meguri_graph *g;
    meguri_status status = meguri_open(&g, ctx, file.path, NULL);
    if (status != MEGURI_OK && strlen(meguri_ctx_error(ctx)) < 20) abort();
    if (status == MEGURI_OK && g->vertices < SMALL && g->arcs < SMALL) {
        answer told[ANSWERS];
        if (choice % 4 == 0) ask_everything(told, ctx, g);
        if (choice % 4 == 0) free_answers(told);
        run_every_verb(ctx, g, choice / 4, NULL);
        if (choice % 3 == 1) run_every_verb_in_parts(ctx, file.path);
    } else if (status == MEGURI_OK) meguri_graph_verify(ctx, g);
    meguri_graph_free(g);
    close(file.fd);
    if (meguri_ctx_memory_used(ctx) != 0) abort();
    meguri_ctx_free(ctx);
    return 0;
}
