/* Everything that can be done with an open graph, one after another: for files that lie, where nobody knows the right
 * answer, and only that there is one, or a sentence, and nothing worse. */
#ifndef MEG_VERBS_H
#define MEG_VERBS_H

#include <meguri.h>

/* Runs every algorithm, its checker, every path search and every writer on a graph; `choice` is any number, and says
 * where searches begin and which way paths go. Aborts where something fails without a sentence, or in another way than
 * a file can be the reason of. Results are written to `table` (.tsv), if there is one; the graph may get a path index.
 * Returns how many things succeeded. */
int run_every_verb(meguri_ctx *ctx, meguri_graph *graph, uint64_t choice, const char *table);
/* The same on ranks that are threads, each with its share of a file. */
int run_every_verb_in_parts(meguri_ctx *ctx, const char *path);

#endif
