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
    void (*begin)(const mg_arcs *self, mg_arc_cursor *cursor); /* finds its row */
};

static inline mg_arc_cursor mg_arcs_at(const mg_arcs *arcs, mg_range range) {
    mg_arc_cursor cursor = {.arc = range.begin, .end = range.end};
    if (range.begin < range.end) arcs->begin(arcs, &cursor);
    return cursor;
}

typedef struct mg_turn_request {
    uint64_t rows, neighbors; /* that there are */
    meguri_type weights;
} mg_turn_request;

meguri_status mg_turn(mg_turned *out, meguri_ctx *ctx, const mg_arcs *arcs, const mg_turn_request *request);

/* Streams of rows, some of whose arcs have been merged. */
typedef struct mg_closing {
    const uint64_t *begins; /* of streams … */
    const uint64_t *kept;   /* … and how many arcs are left of each */
    uint64_t streams, unit; /* a place is so many times 4 bytes */
    uint64_t rows;
    size_t weight_bytes, weight_unit; /* weights of a stream lie side by side where its places of so many bytes begin */
} mg_closing;
/* Streams close up; lengths of rows (and one more) become the offsets. */
void mg_close_rows(mg_turned *out, const mg_closing *closing, uint64_t *lengths);
mg_rows mg_turned_rows(const mg_turned *turned, uint64_t rows, bool weighted);

#endif
