/* What searches share on a device: the rows that it has, kernels, memory.
 *
 * The graph, bitmaps, parents and levels stay on the device. Where its rows do not fit, their offsets are there, and
 * rows come as steps need them. */
#include "algo/bfs/bfs_device.h"

extern const char mg_bfs_cl[];

static meguri_status make_kernels(meguri_ctx *ctx, mg_bfs_there *s) {
    static const mg_kernel_text text = {"bfs.cl", mg_bfs_cl};
    char options[64];
    snprintf(options, sizeof options, "-D OFFSET=%s -D PIECE=%d%s", s->rows_out.wide ? "ulong" : "uint", MG_BFS_PIECE,
             s->tile ? " -D TILE" : "");
    const mg_kernel_row all[] = {
#define ROW(name) {&s->kernels.name, "bfs_" #name},
        MG_BFS_KERNEL_LIST(ROW)
#undef ROW
    };
    return mg_kernels_new(all, sizeof all / sizeof *all, ctx, s->device, &text, options);
}

/* X(buffer, items, bytes of one, whether it is for whole graphs alone, what) */
#define BUFFER_LIST(X)                                                                                                 \
    X(visited, words, 4, false, "the bitmaps of a search")                                                             \
    X(other, words, 4, false, "the bitmaps of a search")                                                               \
    X(parents, rows, 4, false, "the parents of a search")                                                              \
    X(levels, rows, 4, false, "the levels of a search")                                                                \
    X(counters[0], MG_BFS_COUNTERS, 4, false, "the counters of a search")                                              \
    X(counters[1], MG_BFS_COUNTERS, 4, false, "the counters of a search")                                              \
    X(queue, entries, 8, true, "the frontier of a search")                                                             \
    X(next_queue, entries, 8, true, "the frontier of a search")                                                        \
    X(tails, 2, 4, true, "the counters of a search")                                                                   \
    X(sums, words / s->device->group + 1, 4, true, "the counters of a search")

static meguri_status make_buffers(meguri_ctx *ctx, mg_bfs_there *s, uint64_t rows) {
    uint64_t words = s->words, entries = rows + s->out.arcs / MG_BFS_PIECE;
    const struct {
        mg_buffer *buffer;
        uint64_t count;
        size_t size;
        bool whole;
        const char *what;
    } all[] = {
#define ROW(name, count, size, whole, what) {&s->name, count, size, whole, what},
        BUFFER_LIST(ROW)
#undef ROW
    };
    meguri_status status = MEGURI_OK;
    for (size_t i = 0; i < sizeof all / sizeof *all && status == MEGURI_OK; i++)
        if (!all[i].whole || !s->in_parts)
            status = mg_buffer_new(all[i].buffer, ctx, s->device, all[i].count, all[i].size, all[i].what);
    return status;
}

bool mg_bfs_there_fits(const mg_bfs_there *s, uint32_t rows) {
    const mg_rows *out = &s->out;
    uint64_t words = s->words, entries = rows + out->arcs / MG_BFS_PIECE, sum = 1 << 12;
    sum += ((uint64_t)rows + 1) * (out->offsets32 ? 4 : 8) + out->arcs * sizeof *out->neighbors;
#define ADD(name, count, size, whole, what) sum += (uint64_t)(count) * (size);
    BUFFER_LIST(ADD)
#undef ADD
    sum +=
        2 * words * 4 + (uint64_t)s->device->group * MG_BFS_PIECE * 8; /* masks of a pull, the least list of a push */
    return sum <= s->device->memory - s->device->used && out->arcs <= s->device->largest / sizeof *out->neighbors;
}

meguri_status mg_bfs_there_open(meguri_ctx *ctx, mg_bfs_there *s, uint32_t rows) {
    mg_rows there = s->out;
    if (s->in_parts) there.arcs = 0; /* their offsets alone */
    meguri_status status = mg_device_rows_new(&s->rows_out, ctx, s->device, &there, 0);
    if (status == MEGURI_OK) status = make_buffers(ctx, s, rows);
    if (status == MEGURI_OK) status = make_kernels(ctx, s);
    if (status == MEGURI_OK) status = mg_primitives_open(&s->primitives, ctx, s->device, s->words);
    return status;
}

void mg_bfs_there_close(mg_bfs_there *s) {
    mg_buffer *buffers[] = {&s->visited, &s->other,  &s->sources,     &s->large,      &s->small,
                            &s->parents, &s->levels, &s->queue,       &s->next_queue, &s->list,
                            &s->tails,   &s->sums,   &s->counters[0], &s->counters[1]};
    mg_kernel *kernels[] = {
#define POINT(name) &s->kernels.name,
        MG_BFS_KERNEL_LIST(POINT)
#undef POINT
    };
    mg_parts_close(&s->parts_out);
    mg_parts_close(&s->parts_in);
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) mg_buffer_free(buffers[i]);
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) mg_kernel_free(kernels[i]);
    mg_primitives_close(&s->primitives);
    mg_device_rows_free(&s->rows_out);
    mg_device_rows_free(&s->rows_in);
    mg_rows_share_free(&s->shares[0]);
    mg_rows_share_free(&s->shares[1]);
}

/* The masks that say by whom each vertex is looked at. */
static meguri_status make_masks(meguri_ctx *ctx, mg_bfs_there *s) {
    const mg_device_rows *in = s->rows_in.offsets.device ? &s->rows_in : &s->rows_out;
    meguri_status status = MEGURI_OK;
    if (!s->large.device) status = mg_buffer_new(&s->large, ctx, s->device, s->words, 4, "the masks of a search");
    if (status == MEGURI_OK && !s->small.device)
        status = mg_buffer_new(&s->small, ctx, s->device, s->words, 4, "the masks of a search");
    if (status != MEGURI_OK) return status;
    return MG_LAUNCH(ctx, &s->kernels.masks, s->words, s->device->group, MG_BUFFER(&in->offsets),
                     MG_VALUE(uint32_t, s->first_leaf), MG_VALUE(uint32_t, s->words), MG_BUFFER(&s->large),
                     MG_BUFFER(&s->small));
}

meguri_status mg_bfs_there_prepare_pull(meguri_ctx *ctx, mg_bfs_there *s) {
    const bool directed = s->in.rows;
    meguri_status status = MEGURI_OK;
    if (s->in_parts && directed && !s->parts_in.device)
        return mg_parts_open(&s->parts_in, ctx, s->device, &s->in, 0, 1);
    if (s->in_parts) return MEGURI_OK;
    if (directed && !s->rows_in.offsets.device) status = mg_device_rows_new(&s->rows_in, ctx, s->device, &s->in, 0);
    return status == MEGURI_OK ? make_masks(ctx, s) : status;
}

meguri_status mg_bfs_there_clear(meguri_ctx *ctx, mg_bfs_there *s) {
    mg_buffer *zero[] = {&s->visited, &s->other, &s->tails, &s->counters[0], &s->counters[1]};
    meguri_status status = mg_buffer_fill(ctx, &s->levels, UINT32_MAX);
    for (size_t i = 0; i < sizeof zero / sizeof *zero && status == MEGURI_OK; i++)
        if (zero[i]->device) status = mg_buffer_fill(ctx, zero[i], 0);
    return status;
}
