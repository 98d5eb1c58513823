/* The transport over MPI: the only file that includes mpi.h, and a plug-in, so that the library and the command run
 * where there is no MPI. It is loaded when it is asked for and never unloaded, because MPI cannot be.
 *
 * Messages are plain MPI_Isend and MPI_Irecv, from one thread; everything above them is the library's own. */
#define _POSIX_C_SOURCE 200809L /* nanosleep, readlink */

#include "net/transport.h"

#include <limits.h>
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef struct mpi_transport {
    mg_transport base;
    MPI_Comm comm;
    int began; /* MPI was begun here, so it is ended here */
} mpi_transport;

_Static_assert(sizeof(MPI_Request) <= sizeof(uintptr_t), "an MPI_Request fits a slot of ours");

static MPI_Request get_request(const mg_request *r) {
    MPI_Request q;
    memcpy(&q, r->slot, sizeof q);
    return q;
}
static void put_request(mg_request *r, MPI_Request q) { memcpy(r->slot, &q, sizeof q); }

/* 0, or -1 and MPI's own words. */
static int check(mg_transport *t, int code, const char *doing) {
    if (code == MPI_SUCCESS) return 0;
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    MPI_Error_string(code, text, &length);
    snprintf(t->error, sizeof t->error, "MPI failed while %s: %.*s.", doing, 300, text);
    return -1;
}

static int mpi_send(mg_transport *t, mg_request *request, const void *data, uint64_t bytes, int to, int tag) {
    MPI_Request q;
    int code = MPI_Isend(data, (int)bytes, MPI_BYTE, to, tag, ((mpi_transport *)t)->comm, &q);
    if (check(t, code, "sending")) return -1;
    put_request(request, q);
    return 0;
}

static int mpi_receive(mg_transport *t, mg_request *request, void *data, uint64_t capacity, int from, int tag) {
    MPI_Request q;
    int code = MPI_Irecv(data, (int)capacity, MPI_BYTE, from, tag, ((mpi_transport *)t)->comm, &q);
    if (check(t, code, "receiving")) return -1;
    put_request(request, q);
    return 0;
}

static int mpi_test(mg_transport *t, mg_request *request, uint64_t *bytes) {
    MPI_Request q = get_request(request);
    MPI_Status status;
    int done = 0, count = 0;
    *bytes = 0;
    if (check(t, MPI_Test(&q, &done, &status), "waiting for a message")) return -1;
    put_request(request, q);
    if (!done) return 0;
    if (MPI_Get_count(&status, MPI_BYTE, &count) == MPI_SUCCESS && count > 0) *bytes = (uint64_t)count;
    return 1;
}

/* Spins for as long as a message takes between processors, then lets others run, then sleeps: processes may be more
 * than there are processors. */
static void mpi_pause(mg_transport *t, uint32_t idle) {
    (void)t;
    if (idle < 200) return;
    if (idle < 20000) sched_yield();
    else nanosleep(&(struct timespec){0, 20000}, NULL);
}

static void mpi_close(mg_transport *t, int code) {
    mpi_transport *self = (mpi_transport *)t;
    if (code) MPI_Abort(self->comm, code);
    MPI_Comm_free(&self->comm);
    if (self->began) MPI_Finalize();
    free(self);
}

static int begin(int *began, char error[MG_TRANSPORT_ERROR]) {
    int running = 0, over = 0, provided = 0;
    MPI_Initialized(&running);
    MPI_Finalized(&over);
    if (over) {
        snprintf(error, MG_TRANSPORT_ERROR, "MPI has already ended in this process and cannot begin again.");
        return -1;
    }
    if (running) return 0;
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS) {
        snprintf(error, MG_TRANSPORT_ERROR, "MPI cannot begin.");
        return -1;
    }
    *began = 1;
    return 0;
}

/* A number for the machine that this process is on: its name, and the network, since what has one of its own (a
 * container, say) is a machine to the others. MPI_Comm_split_type would tell, too; but Open MPI waits for ever there
 * where machines have the same name, and so does the first reduction of Open MPI 5, which calls it: the only collective
 * that we ask MPI for is the copy of the communicator. */
static uint64_t machine_number(void) {
    enum { NETWORK = 64 };
    char text[MPI_MAX_PROCESSOR_NAME + NETWORK];
    int length = 0;
    uint64_t hash = 0xcbf29ce484222325u; /* FNV-1a */
    if (MPI_Get_processor_name(text, &length) != MPI_SUCCESS) length = 0;
    ssize_t more = readlink("/proc/self/ns/net", text + length, NETWORK);
    if (more > 0) length += (int)more;
    for (int i = 0; i < length; i++) hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3u;
    return hash;
}

__attribute__((visibility("default"))) mg_transport *meguri_mpi_open(uint32_t version, const void *communicator,
                                                                     char error[MG_TRANSPORT_ERROR]);

mg_transport *meguri_mpi_open(uint32_t version, const void *communicator, char error[MG_TRANSPORT_ERROR]) {
    if (version != MG_TRANSPORT_VERSION) {
        snprintf(error, MG_TRANSPORT_ERROR, "the MPI plug-in is of another version of meguri: install both together.");
        return NULL;
    }
    mpi_transport *self = calloc(1, sizeof *self);
    if (!self) {
        snprintf(error, MG_TRANSPORT_ERROR, "there is no memory for the MPI transport.");
        return NULL;
    }
    if (begin(&self->began, error)) {
        free(self);
        return NULL;
    }
    MPI_Comm from = communicator ? *(const MPI_Comm *)communicator : MPI_COMM_WORLD;
    if (MPI_Comm_dup(from, &self->comm) != MPI_SUCCESS) {
        snprintf(error, MG_TRANSPORT_ERROR, "MPI cannot duplicate the communicator.");
        free(self);
        return NULL;
    }
    MPI_Comm_set_errhandler(self->comm, MPI_ERRORS_RETURN);
    self->base = (mg_transport){.version = MG_TRANSPORT_VERSION,
                                .most = INT_MAX,
                                .send = mpi_send,
                                .receive = mpi_receive,
                                .test = mpi_test,
                                .pause = mpi_pause,
                                .close = mpi_close};
    MPI_Comm_rank(self->comm, &self->base.rank);
    MPI_Comm_size(self->comm, &self->base.size);
    self->base.machine = machine_number();
    return &self->base;
}
