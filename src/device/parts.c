/* Rows of a graph that is larger than the device (paper P5, section 5): in parts, two of them under way.
 *
 * Parts are ranges of arcs, cut where rows begin; only a row that no batch holds is cut itself. They are never made:
 * the copy of a range goes straight from the graph, which may be a mapped file. The paper sends every part twice in
 * every round, which benchmarks ask for (`all`); here a part that has nothing to do is left out, and where few of its
 * rows have, these are packed (policy/choices.c). While the kernels of one batch run, the next one is filled and sent
 * by a queue of its own.
 *
 * Invariant: a batch is filled only after the work on what it held before is done; a copy is read only by work that
 * was made to wait for it. */
#include "device/internal.h"

#include "policy/policy.h"

#include <stdlib.h>

#define PACK_ROOM ((uint64_t)2 << 20) /* arcs that are packed for one batch at most: the cache has room for them */

/* ---- batches ---------------------------------------------------------------------------------------------------- */

static meguri_status open_batch(meguri_ctx *ctx, const mg_parts *p, mg_batch *w) {
    meguri_status status =
        mg_buffer_new(&w->neighbors, ctx, p->device, p->room, sizeof(uint32_t), "a part of the graph's edges");
    if (status == MEGURI_OK && p->weight_bytes)
        status = mg_buffer_new(&w->weights, ctx, p->device, p->room, p->weight_bytes, "a part of the graph's weights");
    if (status == MEGURI_OK)
        status = mg_buffer_new(&w->entries, ctx, p->device, p->entries_room, 2 * sizeof(uint32_t),
                               "the rows of a part of the graph");
    if (status != MEGURI_OK) return status;
    static const char what[] = "rows on their way to the device";
    w->entries_here = mg_alloc_array(ctx, 2 * p->entries_room, sizeof *w->entries_here, what);
    if (w->entries_here) w->places = mg_alloc_array(ctx, p->entries_room, sizeof *w->places, what);
    if (w->places) w->neighbors_here = mg_alloc_array(ctx, p->pack_room, sizeof *w->neighbors_here, what);
    if (w->neighbors_here && p->weight_bytes)
        w->weights_here = mg_alloc_array(ctx, p->pack_room, p->weight_bytes, what);
    return w->neighbors_here && (w->weights_here || !p->weight_bytes) ? MEGURI_OK : MEGURI_NO_MEMORY;
}

static void release_events(mg_parts *p, mg_batch *w, bool timed) {
    const mg_opencl *cl = p->device->driver->cl;
    for (int i = 0; i < 3; i++) {
        if (!w->sent[i]) continue;
        if (timed) p->copy_seconds += mg_event_seconds(cl, w->sent[i]);
        cl->ReleaseEvent(w->sent[i]);
        w->sent[i] = NULL;
    }
    if (w->done) cl->ReleaseEvent(w->done);
    w->done = NULL;
}

/* Until the work on it is done, and so the copies, too. Where a round failed there is work without an event. */
static meguri_status wait_for(meguri_ctx *ctx, mg_parts *p, mg_batch *w) {
    const struct mg_driver *r = p->device->driver;
    cl_event event = w->done;
    cl_int code = CL_SUCCESS;
    if (event) code = r->cl->WaitForEvents(1, &event);
    else if (w->sent[0]) code = r->cl->Finish(r->copies) == CL_SUCCESS ? r->cl->Finish(r->queue) : CL_OUT_OF_RESOURCES;
    release_events(p, w, code == CL_SUCCESS);
    return code == CL_SUCCESS ? MEGURI_OK : mg_device_failed(ctx, p->device, code, "at work on a part");
}

static void close_batch(mg_parts *p, mg_batch *w) {
    release_events(p, w, false);
    mg_buffer_free(&w->neighbors);
    mg_buffer_free(&w->weights);
    mg_buffer_free(&w->entries);
    mg_free(w->entries_here);
    mg_free(w->neighbors_here);
    mg_free(w->weights_here);
    mg_free(w->places);
}

/* ---- parts ------------------------------------------------------------------------------------------------------ */

/* Rows of a part at most: each has an entry, or what lies between two has one; a row may be cut at both ends. */
static uint64_t most_rows(const mg_parts *p) { return p->entries_room - p->room / MG_PART_PIECE - 4; }

/* Where the part that begins at this arc ends. */
static uint64_t part_end(const mg_parts *p, uint64_t begin) {
    uint64_t end = MG_MIN(begin + p->room, p->rows.arcs);
    uint64_t first = mg_row_of_arc(&p->rows, begin), last = MG_MIN(first + most_rows(p), p->rows.rows);
    end = MG_MIN(end, mg_row_offset(&p->rows, last));
    uint64_t row = end < p->rows.arcs ? mg_row_offset(&p->rows, mg_row_of_arc(&p->rows, end)) : end;
    return row > begin ? row : end;
}

static meguri_status cut(meguri_ctx *ctx, mg_parts *p) {
    uint64_t capacity = 0;
    for (uint64_t at = 0;; at = part_end(p, at)) {
        if (p->count + 1 >= capacity) {
            capacity = capacity ? 2 * capacity : 64;
            void *grown = mg_resize(ctx, p->cuts, capacity * sizeof *p->cuts, "the parts of a graph");
            if (!grown) return MEGURI_NO_MEMORY;
            p->cuts = grown;
        }
        p->cuts[p->count] = at;
        if (at == p->rows.arcs) break;
        p->count++;
    }
    p->wanted = mg_alloc_array(ctx, p->count, sizeof *p->wanted, "the parts of a graph");
    return p->wanted ? MEGURI_OK : MEGURI_NO_MEMORY;
}

/* Each batch takes half of what is left. */
static meguri_status size_batches(meguri_ctx *ctx, mg_parts *p, double share) {
    const mg_part_facts facts = {.memory = share * (double)(p->device->memory - p->device->used),
                                 .largest = (double)p->device->largest,
                                 .rows = p->rows.rows,
                                 .arcs = p->rows.arcs,
                                 .weight_bytes = p->weight_bytes,
                                 .largest_parts = p->all};
    p->room = mg_policy_part_arcs(&facts);
    if (!p->room) {
        char used[MG_SIZE_TEXT], limit[MG_SIZE_TEXT];
        return mg_fail(ctx, MEGURI_NO_MEMORY,
                       "not enough memory on the device %s even for parts of the graph: %s of %s in use; allow it more "
                       "memory, or use the host.",
                       p->device->name, mg_size_text(used, p->device->used), mg_size_text(limit, p->device->memory));
    }
    p->pack_room = MG_MIN(p->room, PACK_ROOM);
    p->entries_room = (uint64_t)((double)p->room * mg_policy_part_entries(&facts)) + 32;
    return MEGURI_OK;
}

static meguri_status open_copies(meguri_ctx *ctx, mg_device *device) {
    struct mg_driver *r = device->driver;
    cl_int code = CL_SUCCESS;
    if (!r->copies) r->copies = r->cl->CreateCommandQueue(r->context, r->device, CL_QUEUE_PROFILING_ENABLE, &code);
    return r->copies ? MEGURI_OK : mg_device_failed(ctx, device, code, "asked for a second queue");
}

meguri_status mg_parts_open(mg_parts *out, meguri_ctx *ctx, mg_device *device, const mg_rows *rows, size_t weight_bytes,
                            double share) {
    const char *scheme = getenv("MEGURI_PARTS"); /* for benchmarks */
    *out = (mg_parts){
        .device = device, .rows = *rows, .weight_bytes = weight_bytes, .all = scheme && strcmp(scheme, "paper") == 0};
    meguri_status status = open_copies(ctx, device);
    if (status == MEGURI_OK) status = size_batches(ctx, out, share);
    for (int i = 0; i < 2 && status == MEGURI_OK; i++) status = open_batch(ctx, out, &out->batches[i]);
    if (status == MEGURI_OK) status = cut(ctx, out);
    if (status != MEGURI_OK) mg_parts_close(out);
    return status;
}

void mg_parts_close(mg_parts *p) {
    if (!p->device) return;
    const struct mg_driver *r = p->device->driver;
    if (r->copies) r->cl->Finish(r->copies); /* it may still read what goes now */
    for (int i = 0; i < 2; i++) close_batch(p, &p->batches[i]);
    mg_free(p->cuts);
    mg_free(p->wanted);
    *p = (mg_parts){0};
}

/* ---- what a round asks for -------------------------------------------------------------------------------------- */

/* The first row at or after v whose bit is set; `end` where there is none before. */
static uint64_t next_row(const uint64_t *bits, uint64_t v, uint64_t end) {
    if (v >= end) return end;
    uint64_t word = v / 64, rest = bits[word] & ~(uint64_t)0 << v % 64;
    while (!rest && 64 * ++word < end) rest = bits[word];
    return rest ? MG_MIN(64 * word + (uint64_t)__builtin_ctzll(rest), end) : end;
}

/* Arcs [begin, end) as far as they are in row v. */
static mg_range within(const mg_parts *p, uint64_t v, uint64_t begin, uint64_t end) {
    return (mg_range){MG_MAX(mg_row_offset(&p->rows, v), begin), MG_MIN(mg_row_offset(&p->rows, v + 1), end)};
}

/* The rows of arcs [begin, end), as the first and one after the last. */
static mg_range rows_of(const mg_parts *p, uint64_t begin, uint64_t end) {
    if (begin == end) return (mg_range){0, 0};
    return (mg_range){mg_row_of_arc(&p->rows, begin), mg_row_of_arc(&p->rows, end - 1) + 1};
}

typedef struct count_job {
    mg_parts *parts;
    const uint64_t *bits;
} count_job;

static void count_wanted(void *what, uint64_t first, uint64_t last) {
    const count_job *job = what;
    mg_parts *p = job->parts;
    for (uint64_t part = first; part < last; part++) {
        uint64_t begin = p->cuts[part], end = p->cuts[part + 1], sum = 0;
        mg_range rows = rows_of(p, begin, end);
        for (uint64_t v = next_row(job->bits, rows.begin, rows.end); v < rows.end;
             v = next_row(job->bits, v + 1, rows.end)) {
            mg_range row = within(p, v, begin, end);
            sum += row.end - row.begin;
        }
        p->wanted[part] = sum;
    }
}

static mg_sending sending_of(const mg_parts *p, uint64_t part) {
    return p->all ? MG_SEND_RANGE : mg_policy_sending(p->wanted[part], p->cuts[part + 1] - p->cuts[part]);
}

/* ---- filling a batch ------------------------------------------------------------------------------------------- */

static void add_entry(mg_batch *w, uint32_t row, uint64_t begin) {
    w->entries_here[2 * (uint64_t)w->count] = row;
    w->entries_here[2 * (uint64_t)w->count + 1] = (uint32_t)begin;
    w->count++;
}

/* Where the last one ends. */
static void end_entries(mg_batch *w) {
    add_entry(w, MG_NO_VERTEX, w->arcs);
    w->count--;
}

/* A part as it is. */
static void fill_range(const mg_parts *p, mg_batch *w, const uint64_t *bits, uint64_t part) {
    uint64_t begin = p->cuts[part], end = p->cuts[part + 1], at = begin;
    mg_range rows = rows_of(p, begin, end);
    w->count = 0;
    w->arcs = end - begin;
    for (uint64_t v = next_row(bits, rows.begin, rows.end); v < rows.end; v = next_row(bits, v + 1, rows.end)) {
        mg_range row = within(p, v, begin, end);
        if (row.begin > at) add_entry(w, MG_NO_VERTEX, at - begin);
        for (at = row.begin; at < row.end; at = MG_MIN(at + MG_PART_PIECE, row.end))
            add_entry(w, (uint32_t)v, at - begin);
    }
    if (at < end) add_entry(w, MG_NO_VERTEX, at - begin);
    end_entries(w);
}

/* Where the packing of rows is: what is left are arcs from `at` on, of rows from `row` on. */
typedef struct packing {
    uint64_t row, at;
} packing;

/* Rows of arcs [from->at, end), as many as there is room for. */
static void plan_packed(const mg_parts *p, mg_batch *w, const uint64_t *bits, packing *from, uint64_t end) {
    uint64_t last = rows_of(p, from->at, end).end;
    w->count = 0;
    w->arcs = 0;
    for (uint64_t v = next_row(bits, from->row, last); v < last; v = next_row(bits, v + 1, last)) {
        mg_range row = within(p, v, from->at, end);
        for (uint64_t at = row.begin, piece; at < row.end; at += piece) {
            piece = MG_MIN((uint64_t)MG_PART_PIECE, row.end - at);
            if (w->arcs + piece > p->pack_room || w->count + 2 > p->entries_room) {
                *from = (packing){v, at};
                end_entries(w);
                return;
            }
            w->places[w->count] = at;
            add_entry(w, (uint32_t)v, w->arcs);
            w->arcs += piece;
        }
    }
    *from = (packing){last, end};
    end_entries(w);
}

typedef struct copy_job {
    const mg_parts *parts;
    mg_batch *batch;
} copy_job;

static void copy_rows(void *what, uint64_t begin, uint64_t end) {
    const copy_job *job = what;
    const mg_parts *p = job->parts;
    mg_batch *w = job->batch;
    for (uint64_t i = begin; i < end; i++) {
        uint64_t to = w->entries_here[2 * i + 1], arcs = w->entries_here[2 * i + 3] - to, from = w->places[i];
        memcpy(w->neighbors_here + to, p->rows.neighbors + from, arcs * sizeof *w->neighbors_here);
        if (p->weight_bytes)
            memcpy((char *)w->weights_here + to * p->weight_bytes,
                   (const char *)p->rows.weights + from * p->weight_bytes, arcs * p->weight_bytes);
    }
}

/* ---- sending ---------------------------------------------------------------------------------------------------- */

static cl_int send(mg_parts *p, const mg_buffer *to, const void *data, uint64_t bytes, void **event) {
    const struct mg_driver *r = p->device->driver;
    if (!bytes) return CL_SUCCESS;
    cl_event made = NULL;
    cl_int code = r->cl->EnqueueWriteBuffer(r->copies, to->handle, CL_FALSE, 0, (size_t)bytes, data, 0, NULL, &made);
    *event = made;
    if (code == CL_SUCCESS) {
        p->device->sent += bytes;
        p->sent += bytes;
    }
    return code;
}

/* The copies of a batch begin, and what is launched next waits for them; `neighbors` and `weights` are where they come
 * from. */
static meguri_status send_batch(meguri_ctx *ctx, mg_parts *p, mg_batch *w, const void *neighbors, const void *weights) {
    const struct mg_driver *r = p->device->driver;
    cl_int code = send(p, &w->entries, w->entries_here, (w->count + (uint64_t)1) * 2 * sizeof(uint32_t), &w->sent[0]);
    if (code == CL_SUCCESS) code = send(p, &w->neighbors, neighbors, w->arcs * sizeof(uint32_t), &w->sent[1]);
    if (code == CL_SUCCESS && p->weight_bytes)
        code = send(p, &w->weights, weights, w->arcs * p->weight_bytes, &w->sent[2]);
    if (code == CL_SUCCESS) code = r->cl->Flush(r->copies);
    cl_event copies[3];
    cl_uint count = 0;
    for (int i = 0; i < 3; i++)
        if (w->sent[i]) copies[count++] = w->sent[i];
    if (code == CL_SUCCESS) code = r->cl->EnqueueBarrierWithWaitList(r->queue, count, copies, NULL);
    return code == CL_SUCCESS ? MEGURI_OK : mg_device_failed(ctx, p->device, code, "taking a part of the graph");
}

static meguri_status mark_done(meguri_ctx *ctx, mg_parts *p, mg_batch *w) {
    const struct mg_driver *r = p->device->driver;
    cl_event event = NULL;
    cl_int code = r->cl->EnqueueMarkerWithWaitList(r->queue, 0, NULL, &event);
    w->done = event;
    if (code == CL_SUCCESS) code = r->cl->Flush(r->queue);
    return code == CL_SUCCESS ? MEGURI_OK : mg_device_failed(ctx, p->device, code, "at work on a part");
}

/* ---- a round ---------------------------------------------------------------------------------------------------- */

typedef struct round {
    mg_parts *parts;
    const uint64_t *bits;
    mg_batch_fn *work;
    void *what;
} round_of;

/* The next batch, with nothing in it any more. */
static meguri_status take_batch(mg_batch **out, meguri_ctx *ctx, mg_parts *p, uint64_t done) {
    *out = &p->batches[p->next];
    p->next = 1 - p->next;
    if (mg_progress(ctx, "parts", done, p->rows.arcs)) return mg_fail_cancelled(ctx);
    return wait_for(ctx, p, *out);
}

static meguri_status work_on(meguri_ctx *ctx, const round_of *r, mg_batch *w, const void *neighbors,
                             const void *weights) {
    meguri_status status = send_batch(ctx, r->parts, w, neighbors, weights);
    if (status == MEGURI_OK) status = r->work(r->what, ctx, w);
    return status == MEGURI_OK ? mark_done(ctx, r->parts, w) : status;
}

static meguri_status do_range(meguri_ctx *ctx, const round_of *r, uint64_t part) {
    mg_parts *p = r->parts;
    uint64_t begin = p->cuts[part];
    mg_batch *w;
    meguri_status status = take_batch(&w, ctx, p, begin);
    if (status != MEGURI_OK) return status;
    fill_range(p, w, r->bits, part);
    p->ranges++;
    return work_on(ctx, r, w, p->rows.neighbors + begin,
                   p->weight_bytes ? (const char *)p->rows.weights + begin * p->weight_bytes : NULL);
}

/* The rows of arcs [begin, end), packed. */
static meguri_status do_packed(meguri_ctx *ctx, const round_of *r, uint64_t begin, uint64_t end) {
    mg_parts *p = r->parts;
    meguri_status status = MEGURI_OK;
    for (packing from = {mg_row_of_arc(&p->rows, begin), begin}; from.at < end && status == MEGURI_OK;) {
        mg_batch *w;
        status = take_batch(&w, ctx, p, from.at);
        if (status != MEGURI_OK) return status;
        plan_packed(p, w, r->bits, &from, end);
        if (!w->count) break;
        copy_job job = {p, w};
        mg_for(ctx, mg_threads(ctx, w->arcs, 1 << 16), w->count, copy_rows, &job);
        p->packs++;
        status = work_on(ctx, r, w, w->neighbors_here, w->weights_here);
    }
    return status;
}

meguri_status mg_parts_each(meguri_ctx *ctx, mg_parts *p, const uint64_t *bits, mg_batch_fn *work, void *what) {
    const round_of r = {p, bits, work, what};
    count_job job = {p, bits};
    mg_for(ctx, mg_threads(ctx, p->rows.rows / 64, 4096), p->count, count_wanted, &job);
    meguri_status status = MEGURI_OK;
    for (uint64_t part = 0, next; part < p->count && status == MEGURI_OK; part = next) {
        next = part + 1;
        switch (sending_of(p, part)) {
        case MG_SEND_NOTHING: p->idle++; break;
        case MG_SEND_RANGE: status = do_range(ctx, &r, part); break;
        case MG_SEND_PACKED:
            while (next < p->count && sending_of(p, next) == MG_SEND_PACKED) next++;
            status = do_packed(ctx, &r, p->cuts[part], p->cuts[next]);
            break;
        }
    }
    return status;
}

/* ---- what was sent ---------------------------------------------------------------------------------------------- */

void mg_parts_start(mg_parts *p) {
    p->sent = 0;
    p->copy_seconds = 0;
}

meguri_status mg_parts_add(mg_parts_sum *sum, meguri_ctx *ctx, mg_parts *p) {
    if (!p->device) return MEGURI_OK;
    for (int i = 0; i < 2; i++) {
        meguri_status status = wait_for(ctx, p, &p->batches[i]);
        if (status != MEGURI_OK) return status;
    }
    sum->sent += p->sent;
    sum->copy_seconds += p->copy_seconds;
    return MEGURI_OK;
}

meguri_status mg_parts_tell(meguri_ctx *ctx, meguri_result *result, const mg_parts_sum *sum) {
    meguri_status status = mg_result_set_number(ctx, result, "parts", sum->parts);
    if (status == MEGURI_OK) status = mg_result_set_number(ctx, result, "sent_bytes", sum->sent);
    if (status == MEGURI_OK) status = mg_result_set_real(ctx, result, "copy_seconds", sum->copy_seconds);
    return status == MEGURI_OK ? mg_result_set_real(ctx, result, "kernel_seconds", sum->kernel_seconds) : status;
}
