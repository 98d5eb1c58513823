/* Files that lie: changes that a random generator makes inside the sections, the table and the header of a .meg file,
 * in the places and with the numbers that a reader may rely on, before the checksums are made right again. */
#ifndef MEG_LIES_H
#define MEG_LIES_H

#include "meg/graphs.h"

/* The next number of a sequence. */
uint64_t next_random(uint64_t *random);
/* Changes something inside one section, or in the header. Leaves checksums as they are. */
void change_something(unsigned char *bytes, size_t count, uint64_t *random);
/* A small graph to lie about: of all kinds of weights, orders, ids and numbers of threads' worth of edges; has vertices
 * without edges, parallel edges and loops, coordinates and a path index, each now and then. NULL when there are no
 * more. */
meguri_graph *make_honest_graph(meguri_ctx *ctx, int index);

#endif
