/* Shortest paths on a device that is smaller than the graph (paper P5, section 5): what settle and near and far share,
 * and the moves of near and far.
 *
 * What is near is a bit for each vertex, which the host reads before a phase: it sends the rows of these
 * (device/parts.c). What they lower becomes near or far, again as bits. A row is sent as many times as its vertex is
 * near, which is a few where steps are wide. Parents come as it goes: all arcs of a batch lower distances before one of
 * them makes a parent, and a vertex that becomes nearer has none until then. */
#include "algo/sssp/sssp_device.h"

/* ---- what it needs ---------------------------------------------------------------------------------------------- */

bool mg_sssp_device_fits(const mg_sssp_device *s) {
    const mg_device *d = s->device;
    const mg_rows *out = &s->plan.out;
    const uint64_t rows = out->rows, arcs = out->arcs, arc = 4 + mg_weight_size(s->weights);
    const uint64_t entries = rows + arcs / MG_SSSP_ROW_PIECE, lists = s->strategy->phases ? 2 : 4;
    uint64_t sum = (rows + 1) * (out->offsets32 ? 4 : 8) + arcs * arc + 8 * entries * lists + (1 << 13);
    sum += rows * (8 + 4 + (s->parents_wanted ? 4 : 0) + (s->strategy->phases ? 8 + 2 : 0));
    return sum <= d->memory - d->used && arcs * MG_MAX(arc - 4, 4u) <= d->largest && 8 * entries <= d->largest &&
           entries <= UINT32_MAX;
}

meguri_status mg_sssp_parts_open(meguri_ctx *ctx, mg_sssp_device *s) {
    const uint64_t words = MG_MAX(mg_bitmap_words(s->rows), 1u);
    static const char what[] = "the vertices that a search goes on from";
    s->bits_here = mg_alloc_array(ctx, words, sizeof *s->bits_here, what);
    if (s->bits_here) s->seen_here = mg_alloc_array(ctx, words, sizeof *s->seen_here, what);
    if (!s->seen_here) return MEGURI_NO_MEMORY;
    meguri_status status = mg_buffer_new(&s->bits, ctx, s->device, words, 8, what);
    if (status == MEGURI_OK)
        status = mg_buffer_new(&s->far_bits, ctx, s->device, s->strategy->settles ? 0 : words, 8, what);
    if (status == MEGURI_OK && s->strategy->settles) status = mg_sssp_settle_open(ctx, s);
    if (status != MEGURI_OK) return status;
    return mg_parts_open(&s->parts, ctx, s->device, &s->plan.out, mg_weight_size(s->weights), 1);
}

void mg_sssp_parts_close(mg_sssp_device *s) {
    mg_parts_close(&s->parts);
    mg_buffer_free(&s->bits);
    mg_buffer_free(&s->far_bits);
    mg_free(s->bits_here);
    mg_free(s->seen_here);
    s->bits_here = s->seen_here = NULL;
    mg_sssp_settle_close(s);
}

meguri_status mg_sssp_parts_start(meguri_ctx *ctx, mg_sssp_device *s, uint32_t source) {
    static const uint64_t zero = 0;
    const size_t bytes = s->wide ? 8 : 4;
    const uint64_t words = mg_bitmap_words(s->rows);
    meguri_status status = mg_buffer_fill(ctx, &s->parents, UINT32_MAX);
    if (status == MEGURI_OK) status = mg_buffer_fill(ctx, &s->far_bits, 0);
    memset(s->bits_here, 0, words * sizeof *s->bits_here);
    memset(s->seen_here, 0, words * sizeof *s->seen_here);
    s->tied = false;
    s->entries = source != MG_NO_VERTEX;
    if (status != MEGURI_OK || !s->entries) return status;
    s->bits_here[source / 64] = (uint64_t)1 << source % 64;
    status = mg_buffer_write(ctx, &s->lower, source * bytes, &zero, bytes);
    if (status == MEGURI_OK && s->parents_wanted)
        status = mg_buffer_write(ctx, &s->parents, source * sizeof source, &source, sizeof source);
    return status;
}

meguri_status mg_sssp_batch(meguri_ctx *ctx, mg_sssp_device *s, const mg_batch *b, uint32_t way) {
    return MG_LAUNCH(ctx, &s->kernels.relax_batch, b->count, s->device->group, MG_BUFFER(&b->entries),
                     MG_VALUE(uint32_t, b->count), MG_BUFFER(&b->neighbors),
                     MG_BUFFER(b->weights.device ? &b->weights : &b->neighbors), MG_BUFFER(&s->lower),
                     MG_BUFFER(&s->queued), MG_BUFFER(&s->bits), MG_BUFFER(&s->far_bits),
                     MG_VALUE(uint64_t, s->near.limit), MG_BUFFER(&s->parents), MG_VALUE(uint32_t, s->parents_wanted),
                     MG_VALUE(uint32_t, way), MG_VALUE(uint64_t, mg_sssp_device_most(s)), MG_BUFFER(&s->counters[0]));
}

/* ---- moves ------------------------------------------------------------------------------------------------------ */

/* What was counted, and the bits; ENTRIES are how many of these there are. */
static meguri_status read_back(uint32_t *words, meguri_ctx *ctx, mg_sssp_device *s) {
    const uint64_t count = mg_bitmap_words(s->rows);
    meguri_status status = mg_buffer_read(ctx, &s->counters[0], 0, words, MG_SSSP_COUNTERS * sizeof *words);
    if (status == MEGURI_OK) status = mg_buffer_read(ctx, &s->bits, 0, s->bits_here, count * sizeof *s->bits_here);
    words[MG_SSSP_ENTRIES] = 0;
    for (uint64_t w = 0; w < count && status == MEGURI_OK; w++)
        words[MG_SSSP_ENTRIES] += (uint32_t)__builtin_popcountll(s->bits_here[w]);
    return status;
}

static meguri_status relax_batch(void *what, meguri_ctx *ctx, const mg_batch *b) {
    mg_sssp_device *s = what;
    meguri_status status = mg_sssp_batch(ctx, s, b, MG_SSSP_DO_NEAR);
    return status == MEGURI_OK && s->parents_wanted ? mg_sssp_batch(ctx, s, b, MG_SSSP_DO_NEAR_PARENTS) : status;
}

static meguri_status relax(uint32_t *words, meguri_ctx *ctx, mg_sssp_device *s) {
    const uint32_t near = s->entries;
    uint32_t again = 0;
    if (s->near.phase == s->near.first) memset(s->seen_here, 0, mg_bitmap_words(s->rows) * sizeof *s->seen_here);
    for (uint64_t w = 0; w < mg_bitmap_words(s->rows); w++) {
        again += (uint32_t)__builtin_popcountll(s->bits_here[w] & s->seen_here[w]);
        s->seen_here[w] |= s->bits_here[w];
    }
    meguri_status status = mg_sssp_device_clear(ctx, s);
    if (status == MEGURI_OK) status = mg_buffer_fill(ctx, &s->bits, 0);
    if (status == MEGURI_OK) status = mg_parts_each(ctx, &s->parts, s->bits_here, relax_batch, s);
    if (status == MEGURI_OK) status = read_back(words, ctx, s);
    if (status != MEGURI_OK) return status;
    words[MG_SSSP_CHANGED] = near;
    words[MG_SSSP_AGAIN] = again;
    s->tied = s->tied || words[MG_SSSP_ANY];
    return MEGURI_OK;
}

static meguri_status split(uint32_t *words, meguri_ctx *ctx, mg_sssp_device *s, uint64_t old) {
    const uint32_t count = 2 * (uint32_t)mg_bitmap_words(s->rows);
    meguri_status status = mg_sssp_device_clear(ctx, s);
    if (status == MEGURI_OK) /* nothing is near: these bits are all 0 */
        status = MG_LAUNCH(ctx, &s->kernels.split_bits, count, s->device->group, MG_VALUE(uint32_t, count),
                           MG_BUFFER(&s->lower), MG_VALUE(uint64_t, old), MG_VALUE(uint64_t, s->near.limit),
                           MG_BUFFER(&s->bits), MG_BUFFER(&s->far_bits), MG_BUFFER(&s->counters[0]));
    return status == MEGURI_OK ? read_back(words, ctx, s) : status;
}

static meguri_status cut(uint32_t *words, meguri_ctx *ctx, mg_sssp_device *s) {
    const uint32_t count = 2 * (uint32_t)mg_bitmap_words(s->rows);
    meguri_status status = mg_sssp_device_clear(ctx, s);
    if (status == MEGURI_OK)
        status = MG_LAUNCH(ctx, &s->kernels.cut_bits, count, s->device->group, MG_VALUE(uint32_t, count),
                           MG_BUFFER(&s->lower), MG_VALUE(uint64_t, s->near.limit), MG_BUFFER(&s->bits),
                           MG_BUFFER(&s->far_bits), MG_BUFFER(&s->counters[0]));
    return status == MEGURI_OK ? read_back(words, ctx, s) : status;
}

const mg_sssp_near_moves mg_sssp_near_in_parts = {.relax = relax, .split = split, .cut = cut};

/* ---- parents ---------------------------------------------------------------------------------------------------- */

static meguri_status tie_batch(void *what, meguri_ctx *ctx, const mg_batch *b) {
    return mg_sssp_batch(ctx, what, b, MG_SSSP_DO_TIE);
}

/* From all who have parents, and on from those who get one. */
meguri_status mg_sssp_parts_tie(meguri_ctx *ctx, mg_sssp_device *s) {
    const uint32_t count = 2 * (uint32_t)mg_bitmap_words(s->rows);
    uint32_t words[MG_SSSP_COUNTERS];
    meguri_status status = MG_LAUNCH(ctx, &s->kernels.parent_bits, count, s->device->group, MG_VALUE(uint32_t, s->rows),
                                     MG_VALUE(uint32_t, count), MG_BUFFER(&s->parents), MG_BUFFER(&s->bits));
    if (status == MEGURI_OK) status = read_back(words, ctx, s);
    while (status == MEGURI_OK && words[MG_SSSP_ENTRIES]) {
        status = mg_buffer_fill(ctx, &s->bits, 0);
        if (status == MEGURI_OK) status = mg_parts_each(ctx, &s->parts, s->bits_here, tie_batch, s);
        if (status == MEGURI_OK) status = read_back(words, ctx, s);
    }
    return status;
}
