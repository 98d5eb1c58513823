/* Checkpoints of a run (checkpoint.c). */
#ifndef MG_PREGEL_CHECKPOINT_H
#define MG_PREGEL_CHECKPOINT_H

#include "pregel/pregel.h"

/* Before the others: what they know the graph by. */
meguri_status mg_checkpoint_begin(mg_pregel_worker *w);
/* Between what was computed and what is delivered; `begins`: before anything was. */
meguri_status mg_checkpoint_write(mg_pregel_worker *w, bool begins);
/* The manifest of the folder to resume from, kept in w->manifest: which program it was in, and whether anything had
 * been computed. A sentence where it is damaged, or of another run. */
meguri_status mg_checkpoint_look(mg_pregel_worker *w, uint64_t *program, bool *there);
/* Everything as it was when that was written, ready for delivery. */
meguri_status mg_checkpoint_read(mg_pregel_worker *w);

#endif
