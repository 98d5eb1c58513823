/* Addresses of hosts: see lookup.h. A lookup belongs to the thread and to whoever asked; the last of both frees it. */
#define _GNU_SOURCE /* eventfd */
#include "bolt/lookup.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

struct mg_lookup {
    atomic_int users;
    int answered; /* a descriptor: what is below is written before it can be read from, and read behind that */
    int code;
    struct addrinfo *found;
    char host[256], port[8];
};

void mg_lookup_leave(mg_lookup *lookup) {
    if (atomic_fetch_sub(&lookup->users, 1) > 1) return;
    if (lookup->found) freeaddrinfo(lookup->found);
    close(lookup->answered);
    free(lookup);
}

static void *look_up(void *user) {
    mg_lookup *lookup = user;
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_ADDRCONFIG}, *found = NULL;
    int code = getaddrinfo(lookup->host, lookup->port, &hints, &found);
    if (code == EAI_NONAME || code == EAI_ADDRFAMILY) {
        hints.ai_flags = 0; /* a machine with nothing but loopback has no address that counts */
        code = getaddrinfo(lookup->host, lookup->port, &hints, &found);
    }
    lookup->code = code;
    lookup->found = code ? NULL : found;
    eventfd_write(lookup->answered, 1);
    mg_lookup_leave(lookup);
    return NULL;
}

static bool start_thread(mg_lookup *lookup) {
    pthread_attr_t alone;
    pthread_t thread;
    if (pthread_attr_init(&alone) != 0) return false;
    bool started = pthread_attr_setdetachstate(&alone, PTHREAD_CREATE_DETACHED) == 0 &&
                   pthread_create(&thread, &alone, look_up, lookup) == 0;
    pthread_attr_destroy(&alone);
    return started;
}

mg_lookup *mg_lookup_new(const char *host, const char *port) {
    mg_lookup *lookup = calloc(1, sizeof *lookup);
    if (!lookup) return NULL;
    snprintf(lookup->host, sizeof lookup->host, "%s", host);
    snprintf(lookup->port, sizeof lookup->port, "%s", port);
    lookup->answered = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    atomic_init(&lookup->users, 2);
    if (lookup->answered >= 0 && start_thread(lookup)) return lookup;
    if (lookup->answered >= 0) close(lookup->answered);
    free(lookup);
    return NULL;
}

int mg_lookup_descriptor(const mg_lookup *lookup) { return lookup->answered; }

int mg_lookup_take(struct addrinfo **out, mg_lookup *lookup) {
    eventfd_t count;
    *out = NULL;
    if (eventfd_read(lookup->answered, &count) != 0) return EAI_AGAIN;
    *out = lookup->found;
    lookup->found = NULL;
    return lookup->code;
}
