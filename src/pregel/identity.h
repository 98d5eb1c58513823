/* What a checkpoint is of (identity.c). */
#ifndef MG_PREGEL_IDENTITY_H
#define MG_PREGEL_IDENTITY_H

#include "pregel/pregel.h"

/* Of the graph, by all workers together, and of the program. */
meguri_status mg_identity_of(mg_identity *out, mg_pregel_worker *w);
/* What differs, as the end of a sentence "… is of another …"; NULL: nothing does. */
const char *mg_identity_difference(const mg_identity *kept, const mg_identity *now);

#endif
