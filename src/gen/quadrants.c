/* Quadrants of the adjacency matrix, several levels at a time.
 *
 * R-MAT (Chakrabarti, Zhan, Faloutsos: R-MAT: a recursive model for graph mining, 2004) drops an edge through `scale`
 * levels, choosing one of four quadrants at each. A straightforward code draws a number per level. Here the 4^5 ways
 * down five levels are one table with the product probabilities, and one random word picks a way by the alias method
 * (Walker, 1977): its top ten bits choose a cell, the other 54 choose between the two ways of the cell. So scale 22
 * takes five words in place of 22 or 44, and no branch. Probabilities are right to double precision.
 *
 * Invariant: over all cells, the shares of a way add up to its probability times the number of cells. */
#include "gen/gen.h"

#include <math.h>

static uint64_t way_of_cell(uint32_t cell, uint32_t levels) {
    uint64_t row = 0, column = 0;
    for (uint32_t level = levels; level-- > 0;) {
        uint32_t quadrant = cell >> 2 * level & 3;
        row = row << 1 | quadrant >> 1;
        column = column << 1 | (quadrant & 1);
    }
    return row << 32 | column;
}

/* share in [0, 1) of a cell as a limit for the bits below the cell's number, moved to the top of the word. */
static uint64_t limit_of_share(double share) {
    double scaled = ldexp(fmax(share, 0), 64);
    return scaled >= ldexp(1, 64) ? UINT64_MAX : (uint64_t)scaled;
}

/* Vose's way of filling: cells with less than an even share are topped up from those with more. */
static meguri_status fill_table(mg_quadrant_table *t, meguri_ctx *ctx, const double p[4], uint32_t levels) {
    uint32_t cells = (uint32_t)1 << 2 * levels, poor = 0, rich = cells;
    double *share = mg_alloc_array(ctx, cells, sizeof *share, "the table of a generator");
    uint32_t *stack = mg_alloc_array(ctx, cells, sizeof *stack, "the table of a generator");
    meguri_status status = MEGURI_NO_MEMORY;
    if (!share || !stack) goto cleanup;
    t->levels = levels;
    for (uint32_t c = 0; c < cells; c++) {
        share[c] = cells;
        for (uint32_t level = 0; level < levels; level++) share[c] *= p[c >> 2 * level & 3];
        t->ways[2 * c] = t->ways[2 * c + 1] = way_of_cell(c, levels);
        t->limit[c] = UINT64_MAX;
        if (share[c] < 1) stack[poor++] = c;
        else stack[--rich] = c;
    }
    while (poor > 0 && rich < cells) { /* the poor lie at the bottom of the array, the rich at its top */
        uint32_t taker = stack[--poor], giver = stack[rich];
        t->limit[taker] = limit_of_share(share[taker]);
        t->ways[2 * taker + 1] = way_of_cell(giver, levels);
        share[giver] -= 1 - share[taker];
        if (share[giver] < 1) {
            rich++;
            stack[poor++] = giver;
        }
    }
    status = MEGURI_OK;

cleanup:
    mg_free(share);
    mg_free(stack);
    return status;
}

meguri_status mg_quadrants_new(mg_quadrants **out, meguri_ctx *ctx, const double p[4], uint32_t scale) {
    *out = NULL;
    mg_quadrants *q = mg_alloc_zero(ctx, sizeof *q, "the table of a generator");
    if (!q) return MEGURI_NO_MEMORY;
    q->whole = scale / MG_QUADRANT_LEVELS;
    meguri_status status = MEGURI_OK;
    if (q->whole) status = fill_table(&q->table, ctx, p, MG_QUADRANT_LEVELS);
    if (status == MEGURI_OK && scale % MG_QUADRANT_LEVELS)
        status = fill_table(&q->rest, ctx, p, scale % MG_QUADRANT_LEVELS);
    if (status == MEGURI_OK) *out = q;
    else mg_free(q);
    return status;
}
