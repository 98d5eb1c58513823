/* What the tests of the readers share: reading a text in every way there is, and graphs as text. */
#ifndef READING_H
#define READING_H

#include "io/read.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <meguri.h>

/* A text with its length, zero bytes and all. */
typedef struct bytes {
    const char *data;
    size_t length;
} bytes;
#define BYTES(text) ((bytes){text, sizeof(text) - 1})

/* A context that keeps the last warning in `warning`. */
typedef struct reading {
    meguri_ctx *ctx;
    char warning[1024];
    int warnings;
} reading;
void reading_start(reading *r, uint32_t threads);
void reading_end(reading *r); /* and checks that nothing is left behind */

/* The graph as text, for free(): a line "directed weights ids EDGES of INPUT", then a line for each vertex in the
 * user's order, "id: neighbour(weight) …" with neighbours in the user's order. */
char *graph_text(meguri_ctx *ctx, const meguri_graph *graph);

/* Reads a text as if from a file of that name, with 1, 2 and 5 threads and chunks from one byte to all of it, and
 * expects the same graph every time. NULL options: none. */
void expect(const char *name, bytes text, const meguri_read_options *options, const char *want);
/* The same, but every time the same failure, with this part in its sentence. */
void refuse(const char *name, bytes text, const meguri_read_options *options, const char *part);
/* Reads once and expects a warning with this part. */
void expect_warning(const char *name, bytes text, const meguri_read_options *options, const char *part);

/* The folder of real graphs; NULL (after a word on standard error) where it is missing and may be. */
const char *data_folder(void);

#endif
