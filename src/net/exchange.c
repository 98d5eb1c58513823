/* Messages under way: several to and from several processes at a time, started, asked after, waited for.
 *
 * A message may be longer than the transport takes (MPI counts in int): it is cut into pieces of a fixed length. Both
 * sides count them from the capacity that they agree on, so a shorter message ends in empty pieces; for nearly all,
 * the capacity fits one piece. */
#include "net/net.h"

typedef struct piece {
    mg_request request;
    uint64_t *bytes;   /* of receives: where what came is added up … */
    uint64_t expected; /* … or, where that is NULL, what must come */
    bool sending;
} piece;

struct mg_exchange {
    meguri_cluster *cluster;
    mg_traffic_kind kind;
    int tag;
    piece *pieces;
    uint64_t count, capacity;
    bool sent;                  /* something, since the exchange was empty */
    double began, waited_until; /* when it did; what the process had waited by then, for anything */
};

/* ---- kinds ------------------------------------------------------------------------------------------------------ */

/* Tags that every MPI has end at 32767. Those of our own names are all different; a test looks. */
static int tag_of(const char *name) {
    uint32_t hash = 0x811c9dc5u; /* FNV-1a */
    for (; *name; name++) hash = (hash ^ (unsigned char)*name) * 0x01000193u;
    return (int)(hash % 32749);
}

mg_traffic_kind mg_traffic_named(meguri_cluster *c, const char *name) {
    int tag = tag_of(name);
    for (int k = 0; k < c->kinds; k++)
        if (c->kind[k].tag == tag) return strcmp(c->kind[k].name, name) == 0 ? k : -1;
    if (c->kinds == MG_TRAFFIC_MOST) return -1;
    c->kind[c->kinds].name = name;
    c->kind[c->kinds].tag = tag;
    return c->kinds++;
}

/* ---- messages --------------------------------------------------------------------------------------------------- */

meguri_status mg_exchange_new(mg_exchange **out, meguri_ctx *ctx, meguri_cluster *cluster, const char *kind) {
    *out = NULL;
    mg_traffic_kind number = mg_traffic_named(cluster, kind);
    if (number < 0)
        return mg_fail(ctx, MEGURI_ENGINE_FAILED, "messages cannot be of the kind %s: there are %d others already.",
                       kind, cluster->kinds);
    *out = mg_alloc_essential(ctx, 1, sizeof **out, "an exchange");
    if (!*out) return MEGURI_NO_MEMORY;
    (*out)->cluster = cluster;
    (*out)->kind = number;
    (*out)->tag = cluster->kind[number].tag;
    return MEGURI_OK;
}

void mg_exchange_free(mg_exchange *x) {
    if (!x) return;
    mg_free(x->pieces);
    mg_free(x);
}

/* After this no process can rely on this one: messages of it may be missing. */
static meguri_status fail(meguri_ctx *ctx, mg_exchange *x) {
    x->cluster->failed = MEGURI_ENGINE_FAILED;
    return mg_fail(ctx, MEGURI_ENGINE_FAILED, "the processes of the cluster cannot talk to each other: %s",
                   x->cluster->transport->error);
}

meguri_status mg_strange(meguri_ctx *ctx, meguri_cluster *cluster, const char *what) {
    cluster->failed = MEGURI_ENGINE_FAILED;
    return mg_fail(ctx, MEGURI_ENGINE_FAILED, "a message of another process is not what it should be: %s.", what);
}

static bool grow(meguri_ctx *ctx, mg_exchange *x) {
    uint64_t capacity = x->capacity ? 2 * x->capacity : 16;
    piece *grown = mg_alloc_essential(ctx, capacity, sizeof *grown, "messages under way");
    if (!grown) {
        x->cluster->failed = MEGURI_NO_MEMORY; /* the other side waits for what cannot be sent */
        return false;
    }
    if (x->count) memcpy(grown, x->pieces, x->count * sizeof *grown);
    mg_free(x->pieces);
    x->pieces = grown;
    x->capacity = capacity;
    return true;
}

static piece *new_piece(meguri_ctx *ctx, mg_exchange *x) {
    if (x->count == x->capacity && !grow(ctx, x)) return NULL;
    x->pieces[x->count] = (piece){0};
    return &x->pieces[x->count++];
}

meguri_status mg_exchange_send(meguri_ctx *ctx, mg_exchange *x, int to, const void *data, uint64_t bytes,
                               uint64_t capacity) {
    mg_transport *t = x->cluster->transport;
    uint64_t most = x->cluster->most, sent = 0;
    mg_traffic *traffic = &x->cluster->traffic[x->kind];
    if (!x->sent) {
        x->sent = true;
        x->began = mg_now();
        x->waited_until = x->cluster->waited;
    }
    for (uint64_t place = 0; place == 0 || place < capacity; place += most) {
        uint64_t now = MG_MIN(bytes - sent, most);
        piece *p = new_piece(ctx, x);
        if (!p) return MEGURI_NO_MEMORY;
        p->sending = true;
        if (t->send(t, &p->request, (const char *)data + sent, now, to, x->tag)) return fail(ctx, x);
        sent += now;
        traffic->messages++;
        if (most >= capacity) break;
    }
    traffic->bytes += bytes;
    return MEGURI_OK;
}

meguri_status mg_exchange_receive(meguri_ctx *ctx, mg_exchange *x, int from, void *data, uint64_t capacity,
                                  uint64_t *bytes) {
    mg_transport *t = x->cluster->transport;
    uint64_t most = x->cluster->most;
    if (bytes) *bytes = 0;
    for (uint64_t place = 0; place == 0 || place < capacity; place += most) {
        piece *p = new_piece(ctx, x);
        if (!p) return MEGURI_NO_MEMORY;
        p->bytes = bytes;
        p->expected = MG_MIN(capacity - place, most);
        if (t->receive(t, &p->request, (char *)data + place, p->expected, from, x->tag)) return fail(ctx, x);
        if (most >= capacity) break;
    }
    return MEGURI_OK;
}

/* Takes out what is through. */
static meguri_status move_on(meguri_ctx *ctx, mg_exchange *x) {
    mg_transport *t = x->cluster->transport;
    for (uint64_t i = 0; i < x->count;) {
        uint64_t bytes;
        int went = t->test(t, &x->pieces[i].request, &bytes);
        if (went < 0) return fail(ctx, x);
        if (!went) {
            i++;
            continue;
        }
        piece p = x->pieces[i];
        x->pieces[i] = x->pieces[--x->count];
        if (p.sending) continue;
        if (p.bytes) *p.bytes += bytes;
        else if (bytes != p.expected) return mg_strange(ctx, x->cluster, "it is shorter than it should be");
    }
    return MEGURI_OK;
}

/* All is through: how long that took, and for how much of it the process did something else than wait, for this or for
 * another exchange. */
static void note_end(mg_exchange *x) {
    if (!x->sent) return;
    mg_traffic *traffic = &x->cluster->traffic[x->kind];
    double under_way = mg_now() - x->began, waited = x->cluster->waited - x->waited_until;
    traffic->under_way += under_way;
    traffic->hidden += MG_MAX(0, under_way - waited);
    x->sent = false;
}

meguri_status mg_exchange_poll(meguri_ctx *ctx, mg_exchange *x, bool *done) {
    meguri_status status = move_on(ctx, x);
    *done = x->count == 0;
    if (status == MEGURI_OK && *done) note_end(x);
    return status;
}

meguri_status mg_exchange_wait(meguri_ctx *ctx, mg_exchange *x) {
    mg_transport *t = x->cluster->transport;
    double since = mg_now();
    for (uint32_t idle = 0;; idle++) {
        uint64_t before = x->count;
        meguri_status status = move_on(ctx, x);
        if (status != MEGURI_OK) return status;
        if (!x->count) break;
        if (x->count != before) idle = 0;
        t->pause(t, idle);
    }
    double waited = mg_now() - since;
    x->cluster->traffic[x->kind].waited += waited;
    x->cluster->waited += waited;
    note_end(x);
    return MEGURI_OK;
}
