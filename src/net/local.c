/* Ranks as threads of one process: every rank has a mailbox, into which the others put copies of what they send.
 *
 * For tests (also under ThreadSanitizer) and for experiments that count messages. A network that takes its time is
 * played by a moment from which on a message can be taken: nobody is busy with it until then, so what a rank computes
 * meanwhile is hidden behind it, as on a real network and unlike on two processors that must do the copying as well. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */

#include "net/net.h"

#include <stdlib.h>
#include <time.h>

typedef struct letter letter;
struct letter {
    letter *next;
    int from, tag;
    uint64_t number; /* of its kind, from that sender */
    uint64_t bytes;
    double due;
    char data[];
};

typedef struct mailbox {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    letter *first, **last;
    uint64_t arrivals; /* letters that ever came */
} mailbox;

/* What the ranks share; freed by the last of them. */
typedef struct office {
    int size;
    int open; /* ranks that have not closed */
    int failed;
    mg_local_network network;
    mailbox *boxes;
} office;

typedef struct local_transport {
    mg_transport base;
    office *office;
    uint64_t noticed; /* arrivals that had been looked for at the last pause */
    double line_free; /* when the last byte of what was sent is out */
    struct {
        int tag;
        uint64_t *sent, *awaited; /* by rank: messages to it, and receives from it */
    } counts[MG_TRAFFIC_MOST];    /* of the tags that were used */
    int tags;
} local_transport;

/* What a request holds: a receive that waits for a certain letter. */
enum { SLOT_DATA, SLOT_CAPACITY, SLOT_WHO, SLOT_NUMBER };

static uintptr_t who(int rank, int tag) { return (uintptr_t)rank << 16 | (uintptr_t)tag; }

/* The counts of a tag, begun with the first message of it; -1 and a sentence where that cannot be. */
static int counts_of(local_transport *self, int tag) {
    int t = 0;
    while (t < self->tags && self->counts[t].tag != tag) t++;
    if (t < self->tags) return t;
    uint64_t size = (uint64_t)self->base.size, *counts = NULL;
    if (t < MG_TRAFFIC_MOST) counts = calloc(2 * size, sizeof *counts);
    if (!counts) {
        snprintf(self->base.error, sizeof self->base.error, "there is no memory to count messages.");
        return -1;
    }
    self->counts[t].tag = tag;
    self->counts[t].sent = counts;
    self->counts[t].awaited = counts + size;
    return self->tags++;
}

/* ---- sending ---------------------------------------------------------------------------------------------------- */

static int local_send(mg_transport *base, mg_request *request, const void *data, uint64_t bytes, int to, int tag) {
    local_transport *self = (local_transport *)base;
    const mg_local_network *network = &self->office->network;
    int counts = counts_of(self, tag);
    if (counts < 0) return -1;
    letter *l = malloc(sizeof *l + bytes);
    if (!l) {
        snprintf(base->error, sizeof base->error, "there is no memory for a message of %llu bytes.",
                 (unsigned long long)bytes);
        return -1;
    }
    double now = mg_now();
    if (network->bytes_per_second > 0) {
        self->line_free = MG_MAX(self->line_free, now) + (double)bytes / network->bytes_per_second;
        now = self->line_free;
    }
    *l = (letter){.from = base->rank,
                  .tag = tag,
                  .number = self->counts[counts].sent[to]++,
                  .bytes = bytes,
                  .due = now + network->latency};
    if (bytes) memcpy(l->data, data, bytes);
    mailbox *box = &self->office->boxes[to];
    pthread_mutex_lock(&box->lock);
    *box->last = l;
    box->last = &l->next;
    box->arrivals++;
    pthread_cond_signal(&box->changed);
    pthread_mutex_unlock(&box->lock);
    *request = (mg_request){{0}};
    return 0;
}

/* ---- receiving -------------------------------------------------------------------------------------------------- */

static int local_receive(mg_transport *base, mg_request *request, void *data, uint64_t capacity, int from, int tag) {
    local_transport *self = (local_transport *)base;
    int counts = counts_of(self, tag);
    if (counts < 0) return -1;
    uint64_t number = self->counts[counts].awaited[from]++;
    /* Capacity + 1: a receive is told from a send, which is done at once. */
    *request = (mg_request){{(uintptr_t)data, (uintptr_t)(capacity + 1), who(from, tag), number}};
    return 0;
}

/* The letter that the request is for, taken out of the box if it has arrived. */
static letter *take_letter(mailbox *box, const mg_request *request, double now) {
    for (letter **at = &box->first; *at; at = &(*at)->next) {
        letter *l = *at;
        if (who(l->from, l->tag) != request->slot[SLOT_WHO] || l->number != request->slot[SLOT_NUMBER]) continue;
        if (l->due > now) return NULL;
        *at = l->next;
        if (box->last == &l->next) box->last = at;
        return l;
    }
    return NULL;
}

static int local_test(mg_transport *base, mg_request *request, uint64_t *bytes) {
    local_transport *self = (local_transport *)base;
    *bytes = 0;
    if (!request->slot[SLOT_CAPACITY]) return 1;
    if (mg_load(&self->office->failed)) {
        snprintf(base->error, sizeof base->error, "another process of the cluster has failed.");
        return -1;
    }
    uint64_t capacity = request->slot[SLOT_CAPACITY] - 1;
    mailbox *box = &self->office->boxes[base->rank];
    pthread_mutex_lock(&box->lock);
    letter *l = take_letter(box, request, mg_now());
    pthread_mutex_unlock(&box->lock);
    if (!l) return 0;
    bool fits = l->bytes <= capacity;
    if (fits && l->bytes) memcpy((void *)request->slot[SLOT_DATA], l->data, l->bytes);
    else if (!fits)
        snprintf(base->error, sizeof base->error, "a message of %llu bytes came where at most %llu were expected.",
                 (unsigned long long)l->bytes, (unsigned long long)capacity);
    *bytes = l->bytes;
    free(l);
    return fits ? 1 : -1;
}

/* Sleeps until something comes, or is due. */
static void local_pause(mg_transport *base, uint32_t idle) {
    local_transport *self = (local_transport *)base;
    if (idle < 8) return;
    mailbox *box = &self->office->boxes[base->rank];
    double wait = 1e-3, now = mg_now();
    struct timespec until;
    pthread_mutex_lock(&box->lock);
    if (box->arrivals == self->noticed) {
        for (letter *l = box->first; l; l = l->next)
            if (l->due > now) wait = MG_MIN(wait, l->due - now);
        clock_gettime(CLOCK_REALTIME, &until);
        int64_t nanoseconds = until.tv_nsec + (int64_t)(wait * 1e9);
        until.tv_sec += nanoseconds / 1000000000;
        until.tv_nsec = nanoseconds % 1000000000;
        pthread_cond_timedwait(&box->changed, &box->lock, &until);
    }
    self->noticed = box->arrivals; /* what came since the last look is looked for first */
    pthread_mutex_unlock(&box->lock);
}

/* ---- opening and closing ---------------------------------------------------------------------------------------- */

static void free_office(office *o) {
    for (int r = 0; r < o->size; r++) {
        for (letter *l = o->boxes[r].first, *next; l; l = next) {
            next = l->next;
            free(l);
        }
        pthread_mutex_destroy(&o->boxes[r].lock);
        pthread_cond_destroy(&o->boxes[r].changed);
    }
    mg_free(o->boxes);
    mg_free(o);
}

static void free_transport(local_transport *t) {
    if (!t) return;
    for (int k = 0; k < t->tags; k++) free(t->counts[k].sent);
    mg_free(t);
}

static void local_close(mg_transport *base, int code) {
    office *o = ((local_transport *)base)->office;
    if (code) mg_store(&o->failed, 1);
    free_transport((local_transport *)base);
    if (__atomic_sub_fetch(&o->open, 1, __ATOMIC_ACQ_REL) == 0) free_office(o);
}

static office *make_office(meguri_ctx *ctx, int size, const mg_local_network *network) {
    office *o = mg_alloc_zero(ctx, sizeof *o, "a cluster");
    if (!o) return NULL;
    o->boxes = mg_alloc_array_zero(ctx, (uint64_t)size, sizeof *o->boxes, "the mailboxes of a cluster");
    if (!o->boxes) {
        mg_free(o);
        return NULL;
    }
    o->size = o->open = size;
    if (network) o->network = *network;
    for (int r = 0; r < size; r++) {
        pthread_mutex_init(&o->boxes[r].lock, NULL);
        pthread_cond_init(&o->boxes[r].changed, NULL);
        o->boxes[r].last = &o->boxes[r].first;
    }
    return o;
}

static local_transport *make_transport(meguri_ctx *ctx, office *o, int rank) {
    local_transport *t = mg_alloc_zero(ctx, sizeof *t, "a transport");
    if (!t) return NULL;
    t->office = o;
    t->base = (mg_transport){.version = MG_TRANSPORT_VERSION,
                             .rank = rank,
                             .size = o->size,
                             .most = UINT64_MAX,
                             .send = local_send,
                             .receive = local_receive,
                             .test = local_test,
                             .pause = local_pause,
                             .close = local_close};
    return t;
}

meguri_status mg_local_open(mg_transport **transports, meguri_ctx *ctx, int size, const mg_local_network *network) {
    office *o = make_office(ctx, size, network);
    if (!o) return MEGURI_NO_MEMORY;
    for (int r = 0; r < size; r++) {
        local_transport *t = make_transport(ctx, o, r);
        if (!t) {
            while (r--) free_transport((local_transport *)transports[r]);
            free_office(o);
            return MEGURI_NO_MEMORY;
        }
        transports[r] = &t->base;
    }
    return MEGURI_OK;
}
