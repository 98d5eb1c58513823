/* Arcs into rows by one of their ends (turn.c). */
#ifndef MG_SHARDS_TURN_H
#define MG_SHARDS_TURN_H

#include "shards/shards.h"

#define MG_TURN_BATCH 1024

typedef struct mg_arc_cursor {
    uint64_t arc, end; /* in the order of the arcs */
    uint64_t row;      /* of that arc, where there are rows, by turn … */
    uint64_t skipped;  /* … and how many of the row are before it */
} mg_arc_cursor;

/* Arcs that can be read more than once, from any place. `next` gives up to a batch, 0 at the end of the cursor's range:
 * row << 32 | neighbour, and their weights, where it is asked for them and there are any. */
typedef struct mg_arcs mg_arcs;
struct mg_arcs {
    uint64_t count;
    uint64_t (*next)(const mg_arcs *self, mg_arc_cursor *cursor, uint64_t *batch, void *weights);
    void (*begin)(const mg_arcs *self, mg_arc_cursor *cursor); /* finds its row; NULL: there are none */
    void (*consumed)(const mg_arcs *self);                     /* they are not read again; NULL: nothing to do */
};

static inline mg_arc_cursor mg_arcs_at(const mg_arcs *arcs, mg_range range) {
    mg_arc_cursor cursor = {.arc = range.begin, .end = range.end};
    if (arcs->begin && range.begin < range.end) arcs->begin(arcs, &cursor);
    return cursor;
}

typedef struct mg_turn_request {
    uint64_t rows;
    meguri_weight_type weights;
    bool in_order; /* equal neighbours of a row come one after another … */
    bool merge;    /* … and become one, the lightest */
} mg_turn_request;

meguri_status mg_turn(mg_turned *out, meguri_ctx *ctx, const mg_arcs *arcs, const mg_turn_request *request);
mg_rows mg_turned_rows(const mg_turned *turned, uint64_t rows, bool weighted);

#endif
