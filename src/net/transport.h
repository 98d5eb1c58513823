/* transport: how bytes get from one process to another. The one thing that the library needs of MPI, and all that a
 * plug-in has to offer: messages that are started and asked after. Groups, sums and exchanges are made of them above
 * (exchange.c, collective.c), so that every transport moves, and counts, the same messages.
 *
 * Invariant: messages of one kind between two processes arrive in the order in which they were sent. */
#ifndef MG_NET_TRANSPORT_H
#define MG_NET_TRANSPORT_H

#include <stdbool.h>
#include <stdint.h>

#define MG_TRANSPORT_VERSION 4 /* of this file: library and plug-in must agree */
#define MG_TRANSPORT_ERROR   512

/* A message under way: the transport's own. */
typedef struct mg_request {
    uintptr_t slot[4];
} mg_request;

typedef struct mg_transport mg_transport;
struct mg_transport {
    uint32_t version;
    int rank, size;
    uint64_t machine; /* a number of the machine that this process runs on: others have others */
    uint64_t most;    /* bytes of one message at most */
    /* Start a message; the data must stay until it is done. 0, or -1 with a sentence in `error`. */
    int (*send)(mg_transport *self, mg_request *request, const void *data, uint64_t bytes, int to, int tag);
    int (*receive)(mg_transport *self, mg_request *request, void *data, uint64_t capacity, int from, int tag);
    /* Whether it is done, for good; *bytes is how much came. 1 yes, 0 not yet, -1 failed. */
    int (*test)(mg_transport *self, mg_request *request, uint64_t *bytes);
    /* Nothing has moved for `idle` rounds of tests: lets others run, or sleeps a little. */
    void (*pause)(mg_transport *self, uint32_t idle);
    /* The end. `code` 0: it is a good one, at all ranks. Else the others are ended, too, where they could wait for this
     * one, and the run with this exit code. */
    void (*close)(mg_transport *self, int code);
    char error[MG_TRANSPORT_ERROR];
};

/* What a plug-in exports: a transport over the communicator that `communicator` points to (NULL: all processes, of
 * which MPI is told to begin if nobody has). NULL and a sentence on failure. */
typedef mg_transport *mg_transport_open_fn(uint32_t version, const void *communicator, char error[MG_TRANSPORT_ERROR]);
#define MG_TRANSPORT_OPEN "meguri_mpi_open"

#endif
