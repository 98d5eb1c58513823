/* Checkpoints of a run (checkpoint.c). */
#ifndef MG_PREGEL_CHECKPOINT_H
#define MG_PREGEL_CHECKPOINT_H

#include "pregel/pregel.h"

#define MG_CHECKPOINT_MAGIC 0x3450434b48434d4dU /* "MMCHKCP4"; the last byte is the version */

/* The file `checkpoint` of the folder; parts are beside it. */
typedef struct mg_manifest {
    uint64_t magic;
    mg_identity identity;
    uint64_t generation, program, superstep, workers;
    uint64_t part_bytes[MG_PREGEL_WORKERS], part_hash[MG_PREGEL_WORKERS];
    uint64_t hash; /* of all before it */
} mg_manifest;

/* Between what was computed and what is delivered; `begins`: before anything was. */
meguri_status mg_checkpoint_write(mg_pregel_worker *w, bool begins);
/* The manifest of the folder to resume from, kept in w->manifest: which program it was in, and whether anything had
 * been computed. A sentence where it is damaged, or of another run. */
meguri_status mg_checkpoint_look(mg_pregel_worker *w, uint64_t *program, bool *there);
/* Everything as it was when that was written, ready for delivery. */
meguri_status mg_checkpoint_read(mg_pregel_worker *w);

#endif
