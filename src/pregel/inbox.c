/* Normal delivery (paper P4, section 2.3): each message on its own, with its receiver, to the worker that has it, and
 * sorted by receiver there. With a combiner, what a worker has for one receiver is made one before it is sent, for
 * which it is sorted once more.
 *
 * So go messages to one vertex, and those to all neighbours where a delivery says so. A key is the place of the
 * receiver and the order of the source, so that a vertex reads by increasing source; of one source, in the order sent.
 */
#include "pregel/pregel.h"

enum { CHUNK = 64 }; /* words of senders that are looked at by one thread at a time */

/* Messages on their way, by receiving worker. */
typedef struct outgoing {
    mg_pregel_worker *w;
    const uint64_t *sent;
    uint32_t shift;
    uint64_t chunks;
    uint64_t *counts; /* of each chunk of senders, then of each thread, for each worker; then where they go */
    uint64_t *keys;
    char *parcels;
    uint64_t begins[MG_PREGEL_WORKERS + 1];
} outgoing;

/* Sends the messages of a chunk of senders to all their neighbours; without `fill` they are only counted. */
static void expand_chunk(const outgoing *o, uint64_t chunk, bool fill) {
    mg_pregel_worker *w = o->w;
    const meguri_program *p = w->program;
    const meguri_span *s = &w->span;
    uint64_t *next = o->counts + chunk * w->workers, last = MG_MIN((chunk + 1) * CHUNK, w->words);
    size_t edge_bytes = p->edge_type ? meguri_type_bytes((meguri_type)p->edge_type) : 0;
    for (uint64_t word = chunk * CHUNK; word < last; word++)
        for (uint64_t bits = o->sent[word]; bits; bits &= bits - 1) {
            uint64_t place = word * 64 + (uint64_t)__builtin_ctzll(bits), row = mg_pregel_row(w, place);
            uint64_t begin = mg_row_begin(&w->out, row), end = mg_row_end(&w->out, row);
            if (!fill && w->workers == 1) {
                next[0] += end - begin;
                continue;
            }
            uint32_t position = mg_pregel_position(w, place);
            uint64_t source = s->key_of_position ? s->key_of_position[position] : position;
            for (uint64_t arc = begin; arc < end; arc++) {
                uint32_t to = w->out.neighbors[arc];
                if (w->workers > 1) to = mg_to_user(&w->numbering, to);
                uint64_t at = next[mg_pregel_owner(w, to)]++;
                if (!fill) continue;
                o->keys[at] = (w->workers > 1 ? mg_pregel_place(w, to) : to) << o->shift | source;
                char *parcel = o->parcels + at * p->parcel_bytes;
                if (p->message_bytes == 8) memcpy(parcel, w->send + place * 8, 8);
                else if (p->message_bytes) memcpy(parcel, w->send + place * p->message_bytes, p->message_bytes);
                if (edge_bytes)
                    memcpy(parcel + p->parcel_edge, (const char *)s->out.values + arc * edge_bytes, edge_bytes);
            }
        }
}

/* Those that a thread has collected. */
static void move_singles(const outgoing *o, uint64_t thread, bool fill) {
    mg_pregel_worker *w = o->w;
    const meguri_tally *t = &w->tallies[thread];
    uint64_t *next = o->counts + (o->chunks + thread) * w->workers;
    size_t bytes = w->program->parcel_bytes;
    for (uint64_t i = 0; i < t->parcel_count; i++) {
        uint32_t to = (uint32_t)(t->keys[i] >> 32);
        uint64_t at = next[mg_pregel_owner(w, to)]++;
        if (!fill) continue;
        o->keys[at] = mg_pregel_place(w, to) << o->shift | (t->keys[i] & UINT32_MAX);
        if (bytes) memcpy(o->parcels + at * bytes, t->parcels + i * bytes, bytes);
    }
}

static void visit(const outgoing *o, uint64_t begin, uint64_t end, bool fill) {
    for (uint64_t i = begin; i < end; i++)
        if (i < o->chunks) expand_chunk(o, i, fill);
        else move_singles(o, i - o->chunks, fill);
}
static void count_parts(void *what, uint64_t begin, uint64_t end) { visit(what, begin, end, false); }
static void fill_parts(void *what, uint64_t begin, uint64_t end) { visit(what, begin, end, true); }

static meguri_status collect(outgoing *o) {
    mg_pregel_worker *w = o->w;
    uint64_t parts = o->chunks + (uint64_t)w->threads, total = 0;
    o->counts = mg_alloc_array_zero(w->ctx, parts * w->workers, sizeof *o->counts, "counts of messages");
    if (!o->counts) return MEGURI_NO_MEMORY;
    int threads = mg_threads(w->ctx, w->words, CHUNK);
    mg_for(w->ctx, threads, parts, count_parts, o);
    for (uint64_t k = 0; k < w->workers; k++) {
        o->begins[k] = total;
        for (uint64_t part = 0; part < parts; part++) {
            uint64_t count = o->counts[part * w->workers + k];
            o->counts[part * w->workers + k] = total;
            total += count;
        }
    }
    o->begins[w->workers] = total;
    o->keys = mg_alloc_array(w->ctx, total, sizeof *o->keys, "messages on their way");
    o->parcels = mg_alloc_array(w->ctx, total, MG_MAX(w->program->parcel_bytes, 1), "messages on their way");
    if (!o->keys || !o->parcels) return MEGURI_NO_MEMORY;
    mg_for(w->ctx, threads, parts, fill_parts, o);
    return MEGURI_OK;
}

/* ---- sorting ---------------------------------------------------------------------------------------------------- */

/* Parcels of a size that the sort does not move go behind numbers that it does. */
static meguri_status sort_by_number(meguri_ctx *ctx, uint64_t *keys, char *parcels, size_t bytes, uint64_t count,
                                    uint32_t bits) {
    uint64_t *numbers = mg_alloc_array(ctx, count, sizeof *numbers, "the order of messages");
    char *copy = mg_alloc_array(ctx, count, bytes, "the order of messages");
    meguri_status status = numbers && copy ? MEGURI_OK : MEGURI_NO_MEMORY;
    for (uint64_t i = 0; i < count && status == MEGURI_OK; i++) numbers[i] = i;
    if (status == MEGURI_OK) status = mg_sort_u64(ctx, keys, numbers, sizeof *numbers, count, bits);
    if (status == MEGURI_OK) {
        memcpy(copy, parcels, count * bytes);
        for (uint64_t i = 0; i < count; i++) memcpy(parcels + i * bytes, copy + numbers[i] * bytes, bytes);
    }
    mg_free(numbers);
    mg_free(copy);
    return status;
}

static meguri_status sort_messages(mg_pregel_worker *w, uint64_t *keys, char *parcels, uint64_t count, uint32_t shift) {
    size_t bytes = w->program->parcel_bytes;
    uint32_t bits = shift + 1;
    while (bits < 64 && w->count >> (bits - shift)) bits++;
    if (!bytes) return mg_sort_u64(w->ctx, keys, NULL, 0, count, bits);
    if (bytes == 4 || bytes == 8 || bytes == 16)
        return mg_sort_u64(w->ctx, keys, parcels, (uint32_t)bytes, count, bits);
    return sort_by_number(w->ctx, keys, parcels, bytes, count, bits);
}

/* What this worker has for one receiver becomes one message, in the order of sources. */
static meguri_status combine(outgoing *o) {
    mg_pregel_worker *w = o->w;
    size_t bytes = w->program->parcel_bytes;
    uint64_t to = 0, begin = 0;
    for (uint64_t k = 0; k < w->workers; k++) {
        uint64_t end = o->begins[k + 1], count = end - begin;
        meguri_status status = sort_messages(w, o->keys + begin, o->parcels + begin * bytes, count, o->shift);
        if (status != MEGURI_OK) return status;
        mg_pregel_enter(w);
        uint64_t left = w->program->combine(o->keys + begin, o->parcels + begin * bytes, count, o->shift);
        mg_pregel_leave(w);
        memmove(o->keys + to, o->keys + begin, left * sizeof *o->keys);
        memmove(o->parcels + to * bytes, o->parcels + begin * bytes, left * bytes);
        begin = end;
        to += left;
        o->begins[k + 1] = to;
    }
    return MEGURI_OK;
}

/* ---- over the network ------------------------------------------------------------------------------------------- */

static meguri_status send_to_owners(outgoing *o) {
    mg_pregel_worker *w = o->w;
    uint64_t came[MG_PREGEL_WORKERS + 1], parcels_came[MG_PREGEL_WORKERS + 1], total;
    uint64_t below = ((uint64_t)1 << o->shift) - 1, vertices = w->run->graph->vertices;
    size_t bytes = w->program->parcel_bytes;
    void *keys = NULL, *parcels = NULL;
    meguri_status status =
        mg_alltoallv_items(&keys, came, w->ctx, w->cluster, o->keys, o->begins, sizeof *o->keys, "messages");
    if (status != MEGURI_OK) return status;
    total = came[w->workers];
    mg_free(o->keys);
    o->keys = keys;
    if (bytes) {
        status =
            mg_alltoallv_items(&parcels, parcels_came, w->ctx, w->cluster, o->parcels, o->begins, bytes, "messages");
        if (status != MEGURI_OK) return status;
        mg_free(o->parcels);
        o->parcels = parcels;
        if (memcmp(came, parcels_came, (w->workers + 1) * sizeof *came) != 0)
            return mg_strange(w->ctx, w->cluster, "more messages than receivers");
    }
    for (uint64_t i = 0; i < total; i++)
        if (o->keys[i] >> o->shift >= w->count || (o->keys[i] & below) >= vertices)
            return mg_strange(w->ctx, w->cluster, "messages to or from other vertices");
    o->begins[w->workers] = total;
    return MEGURI_OK;
}

/* ---- all of it -------------------------------------------------------------------------------------------------- */

typedef struct waking {
    mg_pregel_worker *w;
    uint32_t shift;
} waking;

static void wake_receivers(void *what, uint64_t begin, uint64_t end) {
    const waking *x = what;
    uint64_t last = UINT64_MAX;
    for (uint64_t i = begin; i < end; i++) {
        uint64_t place = x->w->keys[i] >> x->shift;
        if (place == last) continue;
        last = place;
        mg_fetch_or(&x->w->awake[place / 64], (uint64_t)1 << place % 64);
    }
}

meguri_status mg_pregel_inbox(mg_pregel_worker *w, const uint64_t *sent, bool combined) {
    outgoing o = {.w = w, .sent = sent, .shift = 1, .chunks = sent ? (w->words + CHUNK - 1) / CHUNK : 0};
    while ((w->run->graph->vertices - 1) >> o.shift) o.shift++;
    double since = mg_now();
    uint64_t sent_so_far;
    mg_pregel_sent(w, -1, &sent_so_far);
    mg_pregel_inbox_free(w);
    meguri_status status = collect(&o);
    if (status == MEGURI_OK && combined) status = combine(&o);
    mg_pregel_spent(w, MG_SPLIT_BEFORE, &since);
    status = mg_pregel_agree(w, status);
    if (status == MEGURI_OK) {
        w->step.delivered += o.begins[w->workers];
        w->step.model_bits[MG_MODEL_IDS] += 64 * o.begins[w->workers];
        w->step.model_bits[MG_MODEL_VALUES] += 8 * (uint64_t)w->program->message_bytes * o.begins[w->workers];
        if (w->workers > 1) status = send_to_owners(&o);
    }
    mg_pregel_spent(w, MG_SPLIT_COMMUNICATION, &since);
    mg_pregel_sent(w, MG_WIRE_MESSAGES, &sent_so_far);
    w->keys = o.keys;
    w->parcels = o.parcels;
    w->parcel_count = o.begins[w->workers];
    if (status == MEGURI_OK && !(combined && w->workers == 1))
        status = sort_messages(w, w->keys, w->parcels, w->parcel_count, o.shift);
    if (status == MEGURI_OK) {
        waking x = {w, o.shift};
        memset(w->awake, 0, w->words * sizeof *w->awake);
        mg_for(w->ctx, mg_threads(w->ctx, w->parcel_count, 1 << 16), w->parcel_count, wake_receivers, &x);
        w->span.keys = w->keys;
        w->span.parcels = w->parcels;
        w->span.parcel_count = w->parcel_count;
        w->span.shift = o.shift;
        w->span.awake = w->awake;
        w->span.probe = 0;
        w->way = MEGURI_READ_INBOX;
    }
    mg_free(o.counts);
    mg_pregel_spent(w, MG_SPLIT_AFTER, &since);
    return mg_pregel_agree(w, status);
}

void mg_pregel_inbox_free(mg_pregel_worker *w) {
    mg_free(w->keys);
    mg_free(w->parcels);
    w->keys = NULL;
    w->parcels = NULL;
    w->parcel_count = w->span.parcel_count = 0;
}
