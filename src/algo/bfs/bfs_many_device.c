/* Searches from up to 64 sources in one pass on devices: the steps; the kernels are in bfs_many.cl.
 *
 * A device has what was seen, and the frontier as a list of vertices and their new bits. A step pushes these bits to
 * neighbours, or has every vertex pull; the vertices that got some become a list by their marks. This list and its bits
 * are read after each step, 12 bytes a vertex, into the history or the levels of the host, which ends the search. */
#include "algo/bfs/bfs_many_device.h"

#include "policy/policy.h"

extern const char mg_bfs_many_cl[];

/* ---- what it needs ---------------------------------------------------------------------------------------------- */

static meguri_status make_kernels(meguri_ctx *ctx, mg_bfs_many_there *d) {
    static const mg_kernel_text text = {"bfs_many.cl", mg_bfs_many_cl};
    char options[32];
    snprintf(options, sizeof options, "-D OFFSET=%s", d->out.wide ? "ulong" : "uint");
    const mg_kernel_row all[] = {{&d->push, "bfs_many_push"},
                                 {&d->pull, "bfs_many_pull"},
                                 {&d->commit, "bfs_many_commit"},
                                 {&d->hear, "bfs_many_hear"}};
    return mg_kernels_new(all, sizeof all / sizeof *all, ctx, d->device, &text, options);
}

static meguri_status make_buffers(meguri_ctx *ctx, mg_bfs_many_there *d, uint64_t rows) {
    static const char what[] = "the bits of many searches", lists[] = "the frontier of many searches";
    const struct {
        mg_buffer *buffer;
        uint64_t count;
        size_t size;
        const char *what;
    } all[] = {{&d->seen, rows, 8, what},
               {&d->next, rows, 8, what},
               {&d->mark, d->words, 4, what},
               {&d->bits, rows, 8, lists},
               {&d->list, rows, 4, lists},
               {&d->next_list, rows, 4, lists},
               {&d->counters, MG_BFS_MANY_COUNTERS, 4, what}};
    meguri_status status = MEGURI_OK;
    for (size_t i = 0; i < sizeof all / sizeof *all && status == MEGURI_OK; i++)
        status = mg_buffer_new(all[i].buffer, ctx, d->device, all[i].count, all[i].size, all[i].what);
    return status;
}

/* Rows to a device: all, or its share. */
static meguri_status send_rows(mg_device_rows *out, meguri_ctx *ctx, const mg_bfs_many_device *d, uint32_t device,
                               const mg_rows *rows, mg_rows_share *share) {
    if (d->count == 1) return mg_device_rows_new(out, ctx, d->there[device].device, rows, 0);
    mg_rows_share_free(share); /* of an attempt that failed */
    meguri_status status = mg_rows_share_new(share, ctx, rows, 0, device, d->count);
    return status == MEGURI_OK ? mg_device_rows_new(out, ctx, d->there[device].device, &share->rows, 0) : status;
}

static meguri_status open_there(meguri_ctx *ctx, mg_bfs_many *m, uint32_t device) {
    mg_bfs_many_there *d = &m->device->there[device];
    d->words = 2 * (uint32_t)MG_MAX(mg_bitmap_words(m->rows), 1u);
    meguri_status status = send_rows(&d->out, ctx, m->device, device, &m->out, &d->shares[0]);
    if (status == MEGURI_OK) status = make_buffers(ctx, d, m->rows);
    if (status == MEGURI_OK) status = mg_primitives_open(&d->primitives, ctx, d->device, d->words);
    return status == MEGURI_OK ? make_kernels(ctx, d) : status;
}

meguri_status mg_bfs_many_device_open(meguri_ctx *ctx, mg_bfs_many *m) {
    static const char what[] = "the frontier of many searches";
    mg_device *devices[MG_DEVICES_MOST];
    mg_bfs_many_device *d = m->device = mg_alloc_zero(ctx, sizeof *d, "many searches");
    if (!d) return MEGURI_NO_MEMORY;
    meguri_status status = mg_device_get_all(devices, &d->count, ctx);
    if (status != MEGURI_OK) return status;
    d->list_here = mg_alloc_array(ctx, m->rows, sizeof *d->list_here, what);
    if (d->list_here) d->bits_here = mg_alloc_array(ctx, m->rows, sizeof *d->bits_here, what);
    if (!d->bits_here) return MEGURI_NO_MEMORY;
    if (d->count > 1 && !(d->merged = mg_alloc_array_zero(ctx, m->rows, sizeof *d->merged, what)))
        return MEGURI_NO_MEMORY;
    for (uint32_t i = 0; i < d->count && status == MEGURI_OK; i++) {
        d->there[i].device = devices[i];
        status = open_there(ctx, m, i);
    }
    return status;
}

static void close_there(mg_bfs_many_there *d) {
    mg_buffer *buffers[] = {&d->seen, &d->next, &d->mark, &d->list, &d->next_list, &d->bits, &d->counters};
    mg_kernel *kernels[] = {&d->push, &d->pull, &d->commit, &d->hear};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) mg_buffer_free(buffers[i]);
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) mg_kernel_free(kernels[i]);
    mg_primitives_close(&d->primitives);
    mg_device_rows_free(&d->out);
    mg_device_rows_free(&d->in);
    mg_rows_share_free(&d->shares[0]);
    mg_rows_share_free(&d->shares[1]);
}

void mg_bfs_many_device_close(mg_bfs_many *m) {
    mg_bfs_many_device *d = m->device;
    if (!d) return;
    for (uint32_t i = 0; i < d->count; i++) close_there(&d->there[i]);
    mg_free(d->list_here);
    mg_free(d->bits_here);
    mg_free(d->merged);
    mg_free(d);
}

meguri_status mg_bfs_many_device_tell(meguri_ctx *ctx, const mg_bfs_many *m, meguri_result *result) {
    const mg_bfs_many_device *d = m->device;
    uint64_t most = 0;
    for (uint32_t i = 0; i < d->count; i++) most = MG_MAX(most, d->there[i].out.arcs);
    return mg_devices_tell(ctx, result, d->count, most);
}

static meguri_status start_there(meguri_ctx *ctx, const mg_bfs_many *m, mg_bfs_many_there *d) {
    mg_buffer *zero[] = {&d->seen, &d->next, &d->mark};
    meguri_status status = MEGURI_OK;
    d->count = (uint32_t)m->list.count;
    for (size_t i = 0; i < sizeof zero / sizeof *zero && status == MEGURI_OK; i++)
        status = mg_buffer_fill(ctx, zero[i], 0);
    for (uint32_t i = 0; i < d->count && status == MEGURI_OK; i++) {
        uint32_t v = m->list.items[i];
        m->device->bits_here[i] = m->fresh[v];
        status = mg_buffer_write(ctx, &d->seen, (uint64_t)v * 8, &m->fresh[v], 8);
    }
    if (status == MEGURI_OK) status = mg_buffer_write(ctx, &d->list, 0, m->list.items, d->count * sizeof(uint32_t));
    if (status != MEGURI_OK) return status;
    return mg_buffer_write(ctx, &d->bits, 0, m->device->bits_here, d->count * sizeof(uint64_t));
}

/* The sources, which the host has listed. */
meguri_status mg_bfs_many_device_start(meguri_ctx *ctx, mg_bfs_many *m) {
    meguri_status status = MEGURI_OK;
    for (uint32_t i = 0; i < m->device->count && status == MEGURI_OK; i++)
        status = start_there(ctx, m, &m->device->there[i]);
    return status;
}

/* ---- a step ----------------------------------------------------------------------------------------------------- */

static meguri_status push(meguri_ctx *ctx, const mg_bfs_many *m, mg_bfs_many_there *d) {
    uint64_t team = d->device->in_turns ? 1 : d->device->width;
    return MG_LAUNCH(ctx, &d->push, d->count * team, d->device->group, MG_BUFFER(&d->list), MG_BUFFER(&d->bits),
                     MG_VALUE(uint32_t, d->count), MG_BUFFER(&d->out.offsets), MG_BUFFER(&d->out.neighbors),
                     MG_VALUE(uint32_t, m->first_leaf), MG_BUFFER(&d->seen), MG_BUFFER(&d->next), MG_BUFFER(&d->mark),
                     MG_BUFFER(&d->counters));
}

static meguri_status pull(meguri_ctx *ctx, const mg_bfs_many *m, uint32_t device) {
    mg_bfs_many_there *d = &m->device->there[device];
    const mg_device_rows *in = m->graph->directed ? &d->in : &d->out;
    meguri_status status = MEGURI_OK;
    if (!in->offsets.device) status = send_rows(&d->in, ctx, m->device, device, &m->in, &d->shares[1]);
    if (status != MEGURI_OK) return status;
    return MG_LAUNCH(ctx, &d->pull, m->first_leaf, d->device->group, MG_VALUE(uint32_t, m->first_leaf),
                     MG_BUFFER(&in->offsets), MG_BUFFER(&in->neighbors), MG_VALUE(uint32_t, (uint32_t)m->active),
                     MG_VALUE(uint32_t, (uint32_t)(m->active >> 32)), MG_BUFFER(&d->seen), MG_BUFFER(&d->next),
                     MG_BUFFER(&d->mark), MG_BUFFER(&d->counters));
}

meguri_status mg_bfs_many_there_look(meguri_ctx *ctx, const mg_bfs_many *m, uint32_t device) {
    mg_bfs_many_there *d = &m->device->there[device];
    meguri_status status = mg_buffer_fill(ctx, &d->counters, 0);
    if (status == MEGURI_OK) status = m->pulled ? pull(ctx, m, device) : push(ctx, m, d);
    return status == MEGURI_OK ? mg_device_list_bits(ctx, &d->primitives, &d->next_list, &d->mark, d->words) : status;
}

/* Whoever is marked: the new frontier. */
static meguri_status commit(meguri_ctx *ctx, mg_bfs_many_there *d) {
    meguri_status status = mg_device_total(&d->count, ctx, &d->primitives);
    if (status == MEGURI_OK) status = mg_buffer_fill(ctx, &d->mark, 0);
    mg_buffer list = d->list;
    d->list = d->next_list;
    d->next_list = list;
    if (status != MEGURI_OK) return status;
    return MG_LAUNCH(ctx, &d->commit, d->count, d->device->group, MG_BUFFER(&d->list), MG_VALUE(uint32_t, d->count),
                     MG_BUFFER(&d->out.offsets), MG_BUFFER(&d->seen), MG_BUFFER(&d->next), MG_BUFFER(&d->bits),
                     MG_BUFFER(&d->counters));
}

meguri_status mg_bfs_many_there_commit(uint32_t words[MG_BFS_MANY_COUNTERS], meguri_ctx *ctx, const mg_bfs_many *m,
                                       uint32_t device) {
    mg_bfs_many_device *all = m->device;
    mg_bfs_many_there *d = &all->there[device];
    meguri_status status = commit(ctx, d);
    if (status == MEGURI_OK) status = mg_buffer_read(ctx, &d->counters, 0, words, MG_BFS_MANY_COUNTERS * sizeof *words);
    if (status == MEGURI_OK) status = mg_buffer_read(ctx, &d->list, 0, all->list_here, d->count * sizeof(uint32_t));
    return status == MEGURI_OK ? mg_buffer_read(ctx, &d->bits, 0, all->bits_here, d->count * sizeof(uint64_t)) : status;
}

static meguri_status step_of_one(mg_bfs_many_found *found, meguri_ctx *ctx, const mg_bfs_many *m) {
    uint32_t words[MG_BFS_MANY_COUNTERS];
    meguri_status status = mg_bfs_many_there_look(ctx, m, 0);
    if (status == MEGURI_OK) status = mg_bfs_many_there_commit(words, ctx, m, 0);
    if (status != MEGURI_OK) return status;
    found->vertices = m->device->there[0].count;
    found->arcs = words[MG_BFS_MANY_ARCS] | (uint64_t)words[MG_BFS_MANY_ARCS + 1] << 32;
    found->bits = words[MG_BFS_MANY_BITS] | (uint64_t)words[MG_BFS_MANY_BITS + 1] << 32;
    found->edges = words[MG_BFS_MANY_EDGES] | (uint64_t)words[MG_BFS_MANY_EDGES + 1] << 32;
    found->sources = words[MG_BFS_MANY_SOURCES] | (uint64_t)words[MG_BFS_MANY_SOURCES + 1] << 32;
    return MEGURI_OK;
}

static void take_bits(void *what, uint64_t begin, uint64_t end) {
    const mg_bfs_many *m = what;
    const mg_bfs_many_device *d = m->device;
    for (uint64_t i = begin; i < end; i++)
        if (m->direct) mg_bfs_many_reach(m, d->list_here[i], d->bits_here[i], (int32_t)m->depth + 1);
        else m->next[d->list_here[i]] = d->bits_here[i];
}

meguri_status mg_bfs_many_device_step(mg_bfs_many_found *found, meguri_ctx *ctx, mg_bfs_many *m) {
    *found = (mg_bfs_many_found){0};
    m->pulled = mg_policy_bfs_many_pull(m->frontier_arcs, m->out.arcs) ? m->active : 0;
    meguri_status status = m->device->count > 1 ? mg_bfs_many_several(found, ctx, m) : step_of_one(found, ctx, m);
    if (status != MEGURI_OK) return status;
    if (!m->direct && !m->next_is_zero) mg_bfs_many_clear(ctx, m->next, m->rows);
    mg_for(ctx, mg_threads(ctx, found->vertices, 4096), found->vertices, take_bits, m);
    return MEGURI_OK;
}
