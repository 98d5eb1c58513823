/* A graph in parts on its way into a .meg file: what the files that save share. */
#ifndef MG_SHARDS_SAVE_H
#define MG_SHARDS_SAVE_H

#include "shards/shards.h"

/* Vertices have internal numbers in the file: falling degree, as it is now that parallel edges are merged. */
typedef struct mg_saving {
    meguri_ctx *ctx;
    mg_shards *shards;
    uint64_t stored; /* rows of the file: vertices that have arcs */
    mg_outfile file;
    mg_meg_parts *parts;
    meguri_type weight_type; /* the smallest that holds all weights */
    uint32_t offset_bytes;
    uint32_t *numbers; /* by position at home */
    uint32_t *owned;   /* by local number of the vertices that this process owns */

    /* Rows of the file, in ranges: process p writes the arcs of rows[p] … rows[p + 1]; the first is arc arcs[p]. */
    uint64_t *rows, *arcs;
    uint64_t name_bytes; /* of all names */
    uint64_t slots;      /* of the index of names */
} mg_saving;

/* Bytes of a section that are here, `first` of them being at the processes before. Whole chunks are written where they
 * begin: what lies before the first is sent there (save.c). All processes call it. */
meguri_status mg_save_section(mg_saving *s, mg_part part, const void *data, uint64_t first, uint64_t bytes);

/* save_arcs.c: offsets, neighbours and weights. */
meguri_status mg_save_rows(mg_saving *s);
/* save_names.c: string ids and their index. */
meguri_status mg_save_names(mg_saving *s);
uint64_t mg_name_slots(uint64_t vertices);

#endif
