/* A rank that lies: one of its messages of one kind is not what it should be. */
#ifndef LYING_H
#define LYING_H

#include "shards/answers.h"

enum { KINDS_OF_LIES = 6 };

typedef struct lie {
    const arrangement *arrangement;
    const meguri_graph *graph;
    const char *what, *kind;
    int number; /* of the message of that kind … */
    int how;
    bool told;            /* there was one */
    meguri_status status; /* of rank 0 */
} lie;

/* What the rank that lies does instead of sending. */
static _Thread_local struct {
    lie *lie;
    int tag, sent;
    int (*send)(mg_transport *self, mg_request *request, const void *data, uint64_t bytes, int to, int tag);
} here;

static inline uint64_t change(char *copy, uint64_t bytes, int how) {
    uint64_t seed = bytes + 31u * (uint64_t)how;
    switch (how) {
    case 0: memset(copy, 0xff, bytes); return bytes;
    case 1: return bytes / 2;
    case 2: return bytes - 1;
    case 3:
        for (uint64_t i = 0; i < bytes; i++) copy[i] = (char)next_random(&seed);
        return bytes;
    case 4: /* a number that is too large */
        memset(copy + (bytes > 4 ? bytes / 8 * 4 : 0), 0x7f, MG_MIN(bytes, 4));
        return bytes;
    default: /* behind the head */
        if (bytes > 8) memset(copy + 8, 0xfe, bytes - 8);
        return bytes;
    }
}

static inline int lying_send(mg_transport *self, mg_request *request, const void *data, uint64_t bytes, int to,
                             int tag) {
    if (tag != here.tag || !bytes || here.sent++ != here.lie->number)
        return here.send(self, request, data, bytes, to, tag);
    char *copy = malloc(bytes);
    memcpy(copy, data, bytes);
    here.lie->told = true;
    int sent = here.send(self, request, copy, change(copy, bytes, here.lie->how), to, tag);
    free(copy); /* ranks that are threads take copies */
    return sent;
}

/* From now on. */
static inline void begin_to_lie(lie *l, meguri_cluster *c) {
    mg_traffic_kind kind = mg_traffic_named(c, l->kind);
    if (c->rank != 1) return;
    here.lie = l;
    here.tag = c->kind[kind].tag;
    here.sent = 0;
    here.send = c->transport->send;
    c->transport->send = lying_send;
}

#endif
