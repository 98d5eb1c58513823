/* Values of some of many vertices, from process to process, again and again.
 *
 * A plan knows once and for all who sends to whom, and has the memory for it: a round is begun, messages are written
 * and sent, all is awaited and read, and nothing is allocated or agreed on. Vertices lie in blocks of places, and a
 * message is about one block:
 *
 *   head     64 bits: the form of the set, the bytes of an item, the number of members
 *   set      all (nothing), a bitmap, or a list, whichever is shortest; filled up to 8 bytes
 *   items    one for each member, in the order of the set
 *
 * Without members it is empty. Sets alone may also be packed (sets.c).
 *
 * Invariant: what a message says is checked against the block, its own length and the size of an item before any of it
 * is used. That it is true nobody can check. */
#include "net/net.h"

#define CHUNK 4096 /* members of a message that a thread takes at a time */

typedef struct incoming {
    mg_sparse_peer peer;
    char *data;
    uint64_t bytes;
} incoming;

typedef struct outgoing {
    char *data;
    uint64_t bytes;
} outgoing;

struct mg_sparse {
    meguri_cluster *cluster;
    mg_exchange *exchange;
    uint64_t words, capacity;
    size_t item_bytes;
    bool packed;
    uint32_t ins, outs, messages;
    incoming *in;
    mg_sparse_peer *out;
    outgoing *message;
    char *data;       /* of all messages, one after another */
    uint32_t *places; /* of a block */
};

/* ---- the plan --------------------------------------------------------------------------------------------------- */

meguri_status mg_sparse_new(mg_sparse **out, meguri_ctx *ctx, meguri_cluster *cluster, const mg_sparse_spec *spec) {
    const char *what = "messages between processes";
    mg_sparse *x = *out = mg_alloc_zero(ctx, sizeof *x, what);
    if (!x) return MEGURI_NO_MEMORY;
    *x = (mg_sparse){.cluster = cluster,
                     .words = spec->words,
                     .capacity = mg_set_capacity(spec->words),
                     .item_bytes = spec->item_bytes,
                     .packed = spec->packed,
                     .ins = spec->ins,
                     .outs = spec->outs,
                     .messages = 1};                                              /* also where nobody gets it */
    if (spec->item_bytes) x->capacity += 64 * spec->words * spec->item_bytes + 8; /* a list may be filled up */
    for (uint32_t o = 0; o < spec->outs; o++) x->messages = MG_MAX(x->messages, spec->out[o].message + 1);
    uint64_t each = (x->capacity + 63) / 64 * 64, all = (uint64_t)x->ins + x->messages;
    x->in = mg_alloc_array_zero(ctx, x->ins, sizeof *x->in, what);
    x->out = mg_alloc_array(ctx, x->outs, sizeof *x->out, what);
    x->message = mg_alloc_array_zero(ctx, x->messages, sizeof *x->message, what);
    x->data = mg_alloc_array(ctx, all, each, what);
    x->places = mg_alloc_array(ctx, 64 * x->words, sizeof *x->places, what);
    meguri_status status = mg_exchange_new(&x->exchange, ctx, cluster, spec->kind);
    if (!x->in || !x->out || !x->message || !x->data || !x->places) status = MEGURI_NO_MEMORY;
    if (status != MEGURI_OK) {
        mg_sparse_free(x);
        *out = NULL;
        return status;
    }
    for (uint32_t i = 0; i < x->ins; i++) x->in[i] = (incoming){spec->in[i], x->data + i * each, 0};
    for (uint32_t m = 0; m < x->messages; m++) x->message[m] = (outgoing){x->data + (x->ins + m) * each, 0};
    if (x->outs) memcpy(x->out, spec->out, x->outs * sizeof *x->out);
    return MEGURI_OK;
}

void mg_sparse_free(mg_sparse *x) {
    if (!x) return;
    mg_exchange_free(x->exchange);
    mg_free(x->in);
    mg_free(x->out);
    mg_free(x->message);
    mg_free(x->data);
    mg_free(x->places);
    mg_free(x);
}

uint32_t mg_sparse_ins(const mg_sparse *x) { return x->ins; }
const mg_sparse_peer *mg_sparse_from(const mg_sparse *x, uint32_t in) { return &x->in[in].peer; }

const mg_sparse_peer *mg_sparse_to(const mg_sparse *x, int side, int block) {
    uint32_t o = 0;
    while (x->out[o].side != side || x->out[o].block != block) o++;
    return &x->out[o];
}

/* ---- a round ---------------------------------------------------------------------------------------------------- */

meguri_status mg_sparse_begin(meguri_ctx *ctx, mg_sparse *x) {
    meguri_status status = MEGURI_OK;
    for (uint32_t i = 0; i < x->ins && status == MEGURI_OK; i++)
        status = mg_exchange_receive(ctx, x->exchange, x->in[i].peer.rank, x->in[i].data, x->capacity, &x->in[i].bytes);
    return status;
}

meguri_status mg_sparse_send(meguri_ctx *ctx, mg_sparse *x, uint32_t message) {
    const outgoing *m = &x->message[message];
    meguri_status status = MEGURI_OK;
    bool done;
    for (uint32_t o = 0; o < x->outs && status == MEGURI_OK; o++)
        if (x->out[o].message == message)
            status = mg_exchange_send(ctx, x->exchange, x->out[o].rank, m->data, m->bytes, x->capacity);
    return status == MEGURI_OK ? mg_exchange_poll(ctx, x->exchange, &done) : status;
}

meguri_status mg_sparse_wait(meguri_ctx *ctx, mg_sparse *x) { return mg_exchange_wait(ctx, x->exchange); }

/* ---- sets alone ------------------------------------------------------------------------------------------------- */

void mg_sparse_write_set(mg_sparse *x, uint32_t message, const mg_set *set) {
    x->message[message].bytes = mg_set_write(x->message[message].data, set, x->packed);
}

void mg_sparse_repeat(mg_sparse *x, uint32_t message, const mg_sparse *other, uint32_t of) {
    const outgoing *from = &other->message[of];
    memcpy(x->message[message].data, from->data, from->bytes);
    x->message[message].bytes = from->bytes;
}

const void *mg_sparse_set(const mg_sparse *x, uint32_t in, uint64_t *bytes) {
    *bytes = x->in[in].bytes;
    return x->in[in].data;
}

/* ---- sets and items --------------------------------------------------------------------------------------------- */

enum { HEAD = 8 };

static uint64_t head_of(mg_set_form form, size_t item_bytes, uint64_t count) {
    return (uint64_t)form << 56 | (uint64_t)item_bytes << 40 | count;
}

static uint64_t set_bytes(const mg_sparse *x, mg_set_form form, uint64_t count) {
    if (form == MG_SET_BITMAP) return 8 * x->words;
    return form == MG_SET_LIST ? (4 * count + 7) / 8 * 8 : 0;
}

/* Members of a bitmap in their order; no more than there is room for. */
static uint64_t list_bits(uint32_t *places, uint64_t room, const char *bitmap, uint64_t words) {
    uint64_t count = 0;
    for (uint64_t w = 0; w < words; w++) {
        uint64_t bits;
        memcpy(&bits, bitmap + 8 * w, 8);
        for (; bits; bits &= bits - 1, count++)
            if (count < room) places[count] = (uint32_t)(64 * w) + (uint32_t)__builtin_ctzll(bits);
    }
    return count;
}

void *mg_sparse_write(mg_sparse *x, uint32_t message, const uint32_t *places, uint64_t count, uint64_t vertices,
                      size_t item_bytes, const uint32_t **order) {
    outgoing *m = &x->message[message];
    mg_set_form form = mg_policy_sparse_form(count, vertices, 64 * x->words);
    uint64_t head = head_of(form, item_bytes, count), set = set_bytes(x, form, count);
    char *at = m->data + HEAD;
    *order = form == MG_SET_LIST ? places : x->places;
    m->bytes = 0;
    if (!count) return at;
    memcpy(m->data, &head, HEAD);
    if (form == MG_SET_LIST) {
        memset(at + set - MG_MIN(set, 8), 0, MG_MIN(set, 8));
        memcpy(at, places, 4 * count);
    } else if (form == MG_SET_BITMAP) {
        memset(at, 0, set);
        for (uint64_t i = 0; i < count; i++) at[places[i] / 8] |= (char)(1u << places[i] % 8);
        list_bits(x->places, count, at, x->words);
    } else
        for (uint64_t i = 0; i < count; i++) x->places[i] = (uint32_t)i;
    m->bytes = HEAD + set + count * item_bytes;
    return at + set;
}

static const char *fault_of(const mg_sparse *x, const incoming *in, mg_set_form form, const mg_sparse_items *items) {
    bool whole = items->count == in->peer.vertices;
    if (form != MG_SET_ALL && form != MG_SET_BITMAP && form != MG_SET_LIST) return "it is in no form that is known";
    if (items->count > in->peer.vertices || (form == MG_SET_ALL && !whole)) return "it has more members than a block";
    if (items->item_bytes > x->item_bytes) return "its items are too long";
    if (in->bytes != HEAD + set_bytes(x, form, items->count) + items->count * items->item_bytes)
        return "its length is not that of its members";
    return NULL;
}

meguri_status mg_sparse_read(mg_sparse_items *out, uint32_t *places, meguri_ctx *ctx, mg_sparse *x, uint32_t number,
                             uint32_t first) {
    const incoming *in = &x->in[number];
    uint64_t head = 0;
    *out = (mg_sparse_items){0};
    if (!in->bytes) return MEGURI_OK;
    if (in->bytes < HEAD) return mg_strange(ctx, x->cluster, "it has no head");
    memcpy(&head, in->data, HEAD);
    mg_set_form form = (mg_set_form)(head >> 56);
    mg_sparse_items items = {.count = head << 24 >> 24, .item_bytes = head >> 40 & 0xffff};
    const char *fault = fault_of(x, in, form, &items), *set = in->data + HEAD;
    if (fault) return mg_strange(ctx, x->cluster, fault);
    items.items = set + set_bytes(x, form, items.count);
    bool inside = true;
    if (form == MG_SET_LIST) memcpy(places, set, 4 * items.count);
    else if (form == MG_SET_BITMAP) inside = list_bits(places, items.count, set, x->words) == items.count;
    else
        for (uint64_t i = 0; i < items.count; i++) places[i] = (uint32_t)i;
    for (uint64_t i = 0; i < items.count && inside; i++) {
        inside = places[i] < in->peer.vertices;
        places[i] += first;
    }
    if (!inside) return mg_strange(ctx, x->cluster, "it names vertices that are not in the block");
    *out = items;
    return MEGURI_OK;
}

/* ---- combining -------------------------------------------------------------------------------------------------- */

typedef struct combining {
    mg_sparse_combine_fn *combine;
    void *user;
    const uint32_t *places;
    mg_sparse_items items;
} combining;

static void combine_chunks(void *what, mg_worker *worker) {
    const combining *c = what;
    for (mg_range r; mg_take(worker, &r);) {
        const mg_sparse_items some = {.count = r.end - r.begin,
                                      .item_bytes = c->items.item_bytes,
                                      .items = c->items.items + r.begin * c->items.item_bytes};
        c->combine(c->user, worker->number, c->places + r.begin, &some);
    }
}

meguri_status mg_sparse_combine(meguri_ctx *ctx, mg_sparse *x, int threads, mg_sparse_combine_fn *combine, void *user) {
    for (uint32_t i = 0; i < x->ins; i++) {
        combining c = {.combine = combine, .user = user, .places = x->places};
        meguri_status status = mg_sparse_read(&c.items, x->places, ctx, x, i, 0);
        if (status != MEGURI_OK) return status;
        mg_loop loop = {.ctx = ctx,
                        .threads = MG_MIN(mg_threads(ctx, c.items.count, 4 * CHUNK), threads),
                        .items = c.items.count,
                        .chunk = CHUNK,
                        .work = combine_chunks,
                        .what = &c};
        mg_loop_run(&loop);
    }
    return MEGURI_OK;
}
