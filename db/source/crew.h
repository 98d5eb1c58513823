/* crew: threads with a connection each, which do the shares of their databases one after another.
 *
 * The thread that called only waits, reports progress, and tells the others to stop. What is lost with a connection is
 * asked for again, over a new one, a few times; then the first failure ends the work of all. */
#ifndef MG_CREW_H
#define MG_CREW_H

#include "source/source.h"

typedef struct mg_crew mg_crew;

typedef struct mg_worker {
    mg_crew *crew;
    uint32_t database;
    meguri_ctx *ctx;     /* its own, whose memory is that of the crew's */
    mg_heap heap;        /* … for what its database sends */
    mg_bolt *bolt;       /* under the lock of the crew where others may look at it */
    mg_bytes parameters; /* of the next question */
    mg_bytes records;    /* its answer, each record with its length (32 bits) before it */
    mg_pulled edges;     /* of a pull */
    double heard;        /* when the last record came, or the question was asked, by mg_crew_now() */
    pthread_t thread;
    bool started;
    uint64_t received; /* by connections that are closed */
} mg_worker;

/* Does the share of a number; *done is how far that brings the phase. A failure has its sentence in `error`. */
typedef meguri_status mg_crew_work(uint64_t *done, mg_worker *worker, size_t number, char error[MG_BOLT_ERROR]);

/* A first question to a database, likewise. */
typedef meguri_status mg_crew_ask_first(mg_worker *worker, char error[MG_BOLT_ERROR]);

typedef struct mg_mark {
    const char *mark;
    uint32_t database;
} mg_mark;

struct mg_crew {
    meguri_ctx *ctx;
    const meguri_source *source;
    void *user;      /* of the work */
    char **names;    /* of the databases: HOST:PORT/DATABASE */
    char **marks;    /* what they call themselves: the middle of their element ids */
    mg_mark *sorted; /* … in order */
    mg_worker *workers;
    size_t worker_count;
    double deadline; /* by mg_crew_now(); HUGE_VAL: there is none */
    int wake[2];     /* a pipe, whose end that is read wakes all who wait */

    pthread_mutex_t lock; /* for what follows, and what the work shares */
    pthread_cond_t changed;
    const char *phase;
    mg_crew_ask_first *ask_first; /* of the first phase */
    mg_crew_work *work;
    mg_shares *shares; /* those of the phase, in the order of their databases */
    size_t *next;      /* of each database: the first that may not be taken yet, and what is behind its last */
    size_t working;    /* threads */
    uint64_t done, total;
    bool stop;
    meguri_status status;
    char error[MG_BOLT_ERROR];
};

/* mg_crew_free also where this fails. */
meguri_status mg_crew_new(mg_crew *out, meguri_ctx *ctx, const meguri_source *source, void *user);
void mg_crew_free(mg_crew *crew);
/* Connects the first worker of each database, all at once, which must not be another's, too; `ask` (may be NULL) asks
 * what it wants to know. */
meguri_status mg_crew_meet(mg_crew *crew, mg_crew_ask_first *ask);
/* Does all shares that are not done. */
meguri_status mg_crew_run(mg_crew *crew, const char *phase, mg_crew_work *work, mg_shares *shares, uint64_t total);
/* A question with the worker's parameters, whose answer becomes its records; over a new connection where the old one
 * is gone. */
meguri_status mg_crew_ask(mg_worker *worker, const char *query, bool writes, char error[MG_BOLT_ERROR]);
/* The first of the workers of a database. */
static inline mg_worker *mg_crew_first(mg_crew *crew, size_t database) {
    return &crew->workers[database * crew->source->connections];
}
/* The sentence about a question that mg_bolt_ask could not have answered. */
void mg_crew_no_answer(const mg_worker *worker, meguri_status status, char error[MG_BOLT_ERROR]);
/* The database that calls itself so, once all have met; UINT32_MAX: none. */
uint32_t mg_crew_find(const mg_crew *crew, const char *mark);
double mg_crew_now(void);
/* Bytes that came over all connections; those that are open are closed. */
uint64_t mg_crew_received(mg_crew *crew);

#endif
