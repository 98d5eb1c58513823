/* Rows of a file that all processes map, straight into tiles (direct.c). */
#ifndef MG_SHARDS_DIRECT_H
#define MG_SHARDS_DIRECT_H

#include "shards/turn.h"

typedef struct mg_file_rows {
    mg_rows rows;                      /* of the file, which is undirected and in order of degree */
    meguri_type file_weights, weights; /* as they lie there, and as tiles have them */
} mg_file_rows;

/* All processes call it. */
meguri_status mg_shards_take_rows(meguri_ctx *ctx, mg_shards *shards, const mg_file_rows *from);

#endif
