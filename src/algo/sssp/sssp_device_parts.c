/* Shortest paths on a device that is smaller than the graph (paper P5, section 5): what settle and near and far share,
 * and the moves of near and far.
 *
 * What is near is a bit for each vertex, which the host reads before a phase: it sends the rows of these
 * (device/parts.c). What they lower becomes near or far, again as bits. A row is sent as many times as its vertex is
 * near, which is a few where steps are wide. Parents come as it goes: all arcs of a batch lower distances before one of
 * them makes a parent, and a vertex that becomes nearer has none until then. */
#include "algo/sssp/sssp_device.h"

/* ---- what it needs ---------------------------------------------------------------------------------------------- */

/* What decides it. */
typedef struct needs {
    uint64_t rows, arcs;
    size_t weight;   /* bytes */
    bool narrow;     /* offsets of 32 bits */
    bool phases;     /* a strategy that works in these */
    bool parents;    /* are wanted */
    uint64_t memory; /* left, in bytes */
    uint64_t largest;
} needs;

/* Bytes with all of the graph there. */
static uint64_t bytes_of_all(const needs *n) {
    const uint64_t entries = n->rows + n->arcs / MG_SSSP_ROW_PIECE;
    return (n->rows + 1) * (n->narrow ? 4 : 8) + n->arcs * (4 + n->weight) + 8 * entries * 2 + (1 << 13) +
           n->rows * (8 + 1 + (n->parents ? 4 : 0) + (n->phases ? 8 + 4 + 2 : 0));
}

static bool fits(const needs *n) {
    const uint64_t entries = n->rows + n->arcs / MG_SSSP_ROW_PIECE;
    return bytes_of_all(n) <= n->memory && n->arcs * MG_MAX(n->weight, 4u) <= n->largest && 8 * entries <= n->largest &&
           entries <= UINT32_MAX;
}

bool mg_sssp_device_fits(const mg_sssp_device *s) {
    const mg_rows *out = &s->plan.out;
    const needs n = {.rows = out->rows,
                     .arcs = out->arcs,
                     .weight = meguri_type_bytes(s->weights),
                     .narrow = out->offsets32 != NULL,
                     .phases = s->strategy->phases,
                     .parents = s->parents_wanted,
                     .memory = s->device->memory - s->device->used,
                     .largest = s->device->largest};
    return fits(&n);
}

/* The device that the context names, or one that has the memory it allows: OpenCL promises that a quarter of it can be
 * had at once. False: there is none, and none was asked for. */
static meguri_status find_device(bool *found, needs *n, meguri_ctx *ctx) {
    uint32_t count;
    mg_device *device;
    meguri_status status = meguri_devices(&count, NULL, ctx);
    *found = false;
    if (status != MEGURI_OK) return status;
    if (count || mg_ctx_device_wanted(ctx)) {
        MG_ENTERED(entered);
        status = mg_device_enter(&entered, ctx, true);
        if (status == MEGURI_OK) status = mg_device_get(&device, ctx);
        if (status != MEGURI_OK) return status;
        n->memory = device->memory - device->used;
        n->largest = device->largest;
    } else {
        n->memory = mg_ctx_device_memory(ctx);
        n->largest = n->memory / 4;
    }
    *found = n->memory > 0;
    return MEGURI_OK;
}

/* In parts: offsets, distances, parents, who is near or far, and the sums of the primitives. */
static void judge(meguri_sssp_fit *fit, const needs *n, uint64_t distance_bytes) {
    const uint64_t offset = n->narrow ? 4 : 8, words = n->rows / 64 + 1;
    fit->memory = n->memory;
    fit->whole = bytes_of_all(n);
    fit->kept = (n->rows + 1) * offset + n->rows * (distance_bytes + 4) + 16 * words + n->rows / 64 + (1 << 12);
    const mg_part_facts facts = {.memory = (double)n->memory - (double)fit->kept,
                                 .largest = (double)n->largest,
                                 .rows = n->rows,
                                 .arcs = n->arcs,
                                 .weight_bytes = n->weight};
    uint64_t room = mg_policy_part_arcs(&facts);
    fit->parts = fits(n) ? 1 : room ? (n->arcs + room - 1) / room : 0;
}

meguri_status meguri_sssp_device_fit(meguri_sssp_fit *out, meguri_ctx *ctx, uint64_t vertices, uint64_t arcs,
                                     meguri_type weights) {
    if (!out || !ctx) return mg_missing(ctx, __func__);
    mg_begin(ctx);
    meguri_sssp_fit fit = {.size = sizeof fit};
    meguri_status status = mg_hand_out(ctx, out, sizeof fit, &fit, "meguri_sssp_fit");
    if (status != MEGURI_OK) return status;
    if (weights != MEGURI_TYPE_NONE && !mg_type_is_weight(weights))
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "%d is no type of weights.", (int)weights);
    if (vertices > MG_MAX_VERTICES || arcs >> 48)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "no graph of one machine has so many vertices or edges.");
    needs n = {.rows = vertices,
               .arcs = arcs,
               .weight = meguri_type_bytes(weights),
               .narrow = arcs <= UINT32_MAX,
               .parents = true};
    bool found;
    status = find_device(&found, &n, ctx);
    if (status != MEGURI_OK) return status;
    if (found) judge(&fit, &n, weights == MEGURI_TYPE_F32 || weights == MEGURI_TYPE_F64 ? 8 : 4);
    return mg_hand_out(ctx, out, sizeof fit, &fit, "meguri_sssp_fit");
}

meguri_status mg_sssp_parts_open(meguri_ctx *ctx, mg_sssp_device *s) {
    const uint64_t words = MG_MAX(mg_bitmap_words(s->rows), 1u);
    static const char what[] = "the vertices that a search goes on from";
    const mg_rows *rows = s->share.offsets ? &s->share.rows : &s->plan.out;
    meguri_status status = mg_sssp_here_open(ctx, s);
    if (status == MEGURI_OK) status = mg_buffer_new(&s->bits, ctx, s->device, words, 8, what);
    if (status == MEGURI_OK) status = mg_buffer_new(&s->marks, ctx, s->device, words, 8, what);
    if (status == MEGURI_OK && s->strategy->settles && s->devices) status = mg_sssp_settle_open(ctx, s);
    if (status != MEGURI_OK) return status;
    /* Bits of a batch take a 64th of it at most. */
    status =
        mg_parts_open(&s->parts, ctx, s->device, rows, meguri_type_bytes(s->weights), s->parents_wanted ? 0.98 : 1);
    if (status == MEGURI_OK)
        status = mg_buffer_new(&s->won, ctx, s->device, s->parents_wanted ? s->parts.room / 32 + 1 : 0, 4,
                               "the edges of a batch");
    return status == MEGURI_OK ? mg_buffer_fill(ctx, &s->won, 0) : status;
}

void mg_sssp_parts_close(mg_sssp_device *s) {
    mg_parts_close(&s->parts);
    if (s->in_parts) {
        mg_buffer_free(&s->bits);
        mg_buffer_free(&s->marks);
    }
    mg_buffer_free(&s->won);
    mg_sssp_settle_close(s);
    mg_sssp_here_close(s);
}

/* What the search knows is here, or, where all rounds are the device's, there. */
meguri_status mg_sssp_parts_start(meguri_ctx *ctx, mg_sssp_device *s, uint32_t source) {
    static const uint64_t zero = 0;
    mg_sssp_here *h = &s->here;
    const size_t bytes = s->wide ? 8 : 4;
    const uint64_t words = mg_bitmap_words(s->rows);
    memset(h->bits, 0, words * sizeof *h->bits);
    memset(h->seen, 0, words * sizeof *h->seen);
    s->tied = false;
    s->entries = source != MG_NO_VERTEX;
    if (s->entries) h->bits[source / 64] = (uint64_t)1 << source % 64;
    h->here = h->round = s->devices > 1 || !s->base.options.split_device;
    h->lost = 0;
    h->edges = 0;
    h->open_count = 0;
    if (h->here) {
        memset(s->lower_here, 0xff, s->rows * bytes);
        if (s->parents_wanted) memset(s->parents_here, 0xff, (uint64_t)s->rows * sizeof *s->parents_here);
        memset(h->marks, 0, words * sizeof *h->marks);
        if (!s->entries) return MEGURI_OK;
        memcpy((char *)s->lower_here + source * bytes, &zero, bytes);
        if (s->parents_wanted) s->parents_here[source] = source;
        h->open[h->open_count++] = source;
        return MEGURI_OK;
    }
    meguri_status status = mg_buffer_fill(ctx, &s->parents, UINT32_MAX);
    if (status == MEGURI_OK) status = mg_buffer_fill(ctx, &s->lower, UINT32_MAX);
    if (status == MEGURI_OK) status = mg_buffer_fill(ctx, &s->marks, 0);
    if (status == MEGURI_OK && s->entries) status = mg_buffer_write(ctx, &s->lower, source * bytes, &zero, bytes);
    if (status == MEGURI_OK && s->entries && s->parents_wanted)
        status = mg_buffer_write(ctx, &s->parents, source * sizeof source, &source, sizeof source);
    return status;
}

/* ---- a batch ---------------------------------------------------------------------------------------------------- */

/* All arcs of a batch lower distances before one of them makes a parent. */
static meguri_status make_parents(meguri_ctx *ctx, mg_sssp_device *s, const mg_batch *b, bool settle) {
    if (!s->parents_wanted) return MEGURI_OK;
    return MG_LAUNCH(
        ctx, &s->kernels.parent_batch, b->count, s->device->group, MG_BUFFER(&b->entries), MG_VALUE(uint32_t, b->count),
        MG_BUFFER(&b->neighbors), MG_BUFFER(b->weights.device ? &b->weights : &b->neighbors), MG_BUFFER(&s->lower),
        MG_BUFFER(&s->parents), MG_BUFFER(&s->won), MG_VALUE(uint32_t, settle), MG_BUFFER(&s->counters[0]));
}

meguri_status mg_sssp_settle_rows(void *what, meguri_ctx *ctx, const mg_batch *b) {
    mg_sssp_device *s = what;
    meguri_status status = MG_LAUNCH(ctx, &s->kernels.settle_batch, b->count, s->device->group, MG_BUFFER(&b->entries),
                                     MG_VALUE(uint32_t, b->count), MG_BUFFER(&b->neighbors),
                                     MG_BUFFER(b->weights.device ? &b->weights : &b->neighbors), MG_BUFFER(&s->lower),
                                     MG_BUFFER(&s->won), MG_VALUE(uint32_t, s->parents_wanted),
                                     MG_VALUE(uint64_t, mg_sssp_device_most(s)), MG_BUFFER(&s->counters[0]));
    return status == MEGURI_OK ? make_parents(ctx, s, b, true) : status;
}

meguri_status mg_sssp_near_rows(void *what, meguri_ctx *ctx, const mg_batch *b) {
    mg_sssp_device *s = what;
    meguri_status status = MG_LAUNCH(ctx, &s->kernels.near_batch, b->count, s->device->group, MG_BUFFER(&b->entries),
                                     MG_VALUE(uint32_t, b->count), MG_BUFFER(&b->neighbors),
                                     MG_BUFFER(b->weights.device ? &b->weights : &b->neighbors), MG_BUFFER(&s->lower),
                                     MG_BUFFER(&s->bits), MG_BUFFER(&s->marks), MG_VALUE(uint64_t, s->near.limit),
                                     MG_BUFFER(&s->parents), MG_BUFFER(&s->won), MG_VALUE(uint32_t, s->parents_wanted),
                                     MG_VALUE(uint64_t, mg_sssp_device_most(s)), MG_BUFFER(&s->counters[0]));
    return status == MEGURI_OK ? make_parents(ctx, s, b, false) : status;
}

/* ---- moves of near and far -------------------------------------------------------------------------------------- */

/* What was counted, and the bits; ENTRIES are how many of these there are. */
static meguri_status read_back(uint32_t *words, meguri_ctx *ctx, mg_sssp_device *s) {
    const uint64_t count = mg_bitmap_words(s->rows);
    meguri_status status = mg_buffer_read(ctx, &s->counters[0], 0, words, MG_SSSP_COUNTERS * sizeof *words);
    if (status == MEGURI_OK) status = mg_buffer_read(ctx, &s->bits, 0, s->here.bits, count * sizeof *s->here.bits);
    words[MG_SSSP_ENTRIES] = 0;
    for (uint64_t w = 0; w < count && status == MEGURI_OK; w++)
        words[MG_SSSP_ENTRIES] += (uint32_t)__builtin_popcountll(s->here.bits[w]);
    return status;
}

static meguri_status relax(uint32_t *words, meguri_ctx *ctx, mg_sssp_device *s) {
    uint32_t counted[MG_SSSP_COUNTERS] = {0};
    mg_sssp_here_count(counted, s);
    meguri_status status = mg_sssp_device_clear(ctx, s);
    if (status == MEGURI_OK) status = mg_buffer_fill(ctx, &s->bits, 0);
    if (status == MEGURI_OK) status = mg_parts_each(ctx, &s->parts, s->here.bits, mg_sssp_near_rows, s);
    if (status == MEGURI_OK) status = read_back(words, ctx, s);
    if (status != MEGURI_OK) return status;
    words[MG_SSSP_CHANGED] = counted[MG_SSSP_CHANGED];
    words[MG_SSSP_AGAIN] = counted[MG_SSSP_AGAIN];
    s->tied = s->tied || words[MG_SSSP_ANY];
    return MEGURI_OK;
}

static meguri_status split(uint32_t *words, meguri_ctx *ctx, mg_sssp_device *s, uint64_t old) {
    const uint32_t count = 2 * (uint32_t)mg_bitmap_words(s->rows);
    meguri_status status = mg_sssp_device_clear(ctx, s);
    if (status == MEGURI_OK) /* nothing is near: these bits are all 0 */
        status = MG_LAUNCH(ctx, &s->kernels.split_bits, mg_sssp_takers(s, count), s->device->group,
                           MG_VALUE(uint32_t, count), MG_BUFFER(&s->lower), MG_VALUE(uint64_t, old),
                           MG_VALUE(uint64_t, s->near.limit), MG_BUFFER(&s->bits), MG_BUFFER(&s->marks),
                           MG_BUFFER(&s->counters[0]));
    return status == MEGURI_OK ? read_back(words, ctx, s) : status;
}

static meguri_status cut(uint32_t *words, meguri_ctx *ctx, mg_sssp_device *s) {
    const uint32_t count = 2 * (uint32_t)mg_bitmap_words(s->rows);
    meguri_status status = mg_sssp_device_clear(ctx, s);
    if (status == MEGURI_OK)
        status = MG_LAUNCH(ctx, &s->kernels.cut_bits, mg_sssp_takers(s, count), s->device->group,
                           MG_VALUE(uint32_t, count), MG_BUFFER(&s->lower), MG_VALUE(uint64_t, s->near.limit),
                           MG_BUFFER(&s->bits), MG_BUFFER(&s->marks), MG_BUFFER(&s->counters[0]));
    return status == MEGURI_OK ? read_back(words, ctx, s) : status;
}

const mg_sssp_near_moves mg_sssp_near_in_parts = {.relax = relax, .split = split, .cut = cut};
