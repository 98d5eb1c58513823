/* Results made by hand, with a column of every type, and a graph of many string ids to write them for. */
#ifndef HAND_MADE_H
#define HAND_MADE_H

#include "base/base.h"

#include <meguri.h>

/* Columns `small` (i8), `middle` (i16), `level` (i32), `distance` (u64), `rank` (f64), `parent` (vertex), and side by
 * side in one block `side_0` and `side_1` (i8). The items are what check_results.py works out again: see hand_made.c.
 * Aborts without memory, unless `failing`: then NULL. */
meguri_result *hand_made(meguri_ctx *ctx, uint64_t vertices, bool failing);

/* Vertices without edges whose ids are strings of 0 to 400 bytes, some of which need escapes; no two are the same. */
meguri_graph *graph_of_names(meguri_ctx *ctx, uint64_t vertices);
/* The ids are base, base + 1 … */
meguri_graph *graph_of_numbers(meguri_ctx *ctx, uint64_t vertices, uint64_t base, meguri_id_kind kind);

#endif
