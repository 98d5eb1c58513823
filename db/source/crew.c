/* The crew: see crew.h. */
#define _GNU_SOURCE /* memrchr */
#include "source/crew.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { TRIES = 3, NAME = 600, MOST_MARK = 255, LOOK_EVERY = 256 /* workers, for a cancel */ };

double mg_crew_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* ---- connections ------------------------------------------------------------------------------------------------ */

/* The first failure counts, and ends the work of all: whoever connects later is woken at once. */
static void fail(mg_crew *crew, meguri_status status, const char *sentence) {
    pthread_mutex_lock(&crew->lock);
    bool first = !crew->stop;
    crew->stop = true;
    if (first) {
        crew->status = status;
        snprintf(crew->error, sizeof crew->error, "%s", sentence);
        ssize_t told = write(crew->wake[1], "", 1); /* one byte always fits */
        (void)told;
        for (size_t i = 0; i < crew->worker_count; i++) mg_bolt_stop(crew->workers[i].bolt);
        pthread_cond_broadcast(&crew->changed);
    }
    pthread_mutex_unlock(&crew->lock);
}

static bool stopped(mg_crew *crew) {
    pthread_mutex_lock(&crew->lock);
    bool stop = crew->stop;
    pthread_mutex_unlock(&crew->lock);
    return stop;
}

static void set_bolt(mg_worker *w, mg_bolt *bolt) {
    pthread_mutex_lock(&w->crew->lock);
    mg_bolt *old = w->bolt;
    if (old) w->received += mg_bolt_received(old);
    w->bolt = bolt;
    pthread_mutex_unlock(&w->crew->lock);
    mg_bolt_close(old);
}

/* Where the budget had no memory for what came, the context knows the figures. */
static void say_what_memory(const mg_worker *w, meguri_status status, char error[MG_BOLT_ERROR]) {
    const char *known = meguri_ctx_error(w->ctx);
    if (status == MEGURI_NO_MEMORY && *known)
        snprintf(error, MG_BOLT_ERROR, "%.300s: %s", w->crew->names[w->database], known);
}

static meguri_status connect_worker(mg_worker *w, char error[MG_BOLT_ERROR]) {
    const meguri_source *source = w->crew->source;
    const mg_database *d = &source->databases[w->database];
    mg_bolt_options options = {.stream = {.connect_timeout = MG_MIN(source->timeout, 15),
                                          .timeout = source->timeout,
                                          .ca_file = d->ca_file,
                                          .wake = &w->crew->wake[0]},
                               .username = d->username,
                               .password = d->password,
                               .heap = &w->heap};
    mg_bolt *bolt;
    meguri_status status = mg_bolt_open(&bolt, &d->uri, &options, error);
    if (status == MEGURI_OK) set_bolt(w, bolt);
    else say_what_memory(w, status, error);
    return status;
}

/* ---- questions -------------------------------------------------------------------------------------------------- */

static meguri_status receive_all(mg_worker *w, const char *query, bool writes) {
    bool more = true;
    mg_cursor record;
    w->records.length = 0;
    w->records.failed = false;
    meguri_status status = mg_bolt_run(w->bolt, query, &w->parameters, writes);
    while (status == MEGURI_OK && (status = mg_bolt_next(&more, &record, w->bolt)) == MEGURI_OK && more) {
        uint32_t length = (uint32_t)(record.end - record.at);
        w->heard = mg_crew_now();
        mg_bytes_add(&w->records, &length, sizeof length);
        mg_bytes_add(&w->records, record.at, length);
        if (w->records.failed) return MEGURI_NO_MEMORY;
    }
    return status;
}

meguri_status mg_crew_ask(mg_worker *w, const char *query, bool writes, char error[MG_BOLT_ERROR]) {
    meguri_status status = MEGURI_OK;
    w->heard = mg_crew_now();
    for (int try = 0; try < TRIES; try++) {
        bool again = true;
        if (stopped(w->crew)) {
            snprintf(error, MG_BOLT_ERROR, "interrupted.");
            return MEGURI_CANCELLED;
        }
        if (try) poll(&(struct pollfd){.fd = w->crew->wake[0], .events = POLLIN}, 1, 300);
        status = w->bolt ? MEGURI_OK : connect_worker(w, error);
        if (status == MEGURI_NO_MEMORY) break;
        if (status == MEGURI_OK) {
            status = receive_all(w, query, writes);
            if (status == MEGURI_OK) break;
            mg_crew_no_answer(w, status, error);
            again = status != MEGURI_NO_MEMORY && mg_bolt_may_pass(w->bolt);
            set_bolt(w, NULL);
        }
        if (!again || mg_crew_now() - w->heard >= w->crew->source->timeout) break;
    }
    return status;
}

void mg_crew_no_answer(const mg_worker *w, meguri_status status, char error[MG_BOLT_ERROR]) {
    snprintf(error, MG_BOLT_ERROR, "%s", mg_bolt_error(w->bolt));
    say_what_memory(w, status, error);
}

/* ---- a phase ---------------------------------------------------------------------------------------------------- */

/* The next share of a worker's database; false where there are none left. */
static bool next_share(size_t *out, mg_worker *w) {
    mg_crew *crew = w->crew;
    pthread_mutex_lock(&crew->lock);
    *out = crew->next[w->database];
    bool found = !crew->stop && *out < crew->shares->count && crew->shares->all[*out].database == w->database;
    crew->next[w->database] += found;
    pthread_mutex_unlock(&crew->lock);
    return found;
}

/* Where the shares of each database begin. */
static void find_first_shares(mg_crew *crew) {
    for (size_t d = 0; d < crew->source->database_count; d++) crew->next[d] = crew->shares->count;
    for (size_t i = crew->shares->count; i-- > 0;) crew->next[crew->shares->all[i].database] = i;
}

static void *work(void *user) {
    mg_worker *w = user;
    mg_crew *crew = w->crew;
    char error[MG_BOLT_ERROR];
    size_t number;
    while (next_share(&number, w)) {
        uint64_t done = 0;
        meguri_status status = crew->work(&done, w, number, error);
        if (status != MEGURI_OK) {
            fail(crew, status, error);
            break;
        }
        pthread_mutex_lock(&crew->lock);
        crew->done += done;
        pthread_mutex_unlock(&crew->lock);
    }
    pthread_mutex_lock(&crew->lock);
    crew->working--;
    pthread_cond_broadcast(&crew->changed);
    pthread_mutex_unlock(&crew->lock);
    return NULL;
}

static void fail_by_deadline(mg_crew *crew, uint64_t done) {
    char text[MG_BOLT_ERROR];
    snprintf(text, sizeof text,
             "the deadline of %g seconds has passed, with %" PRIu64 " of %" PRIu64
             " of the phase '%s' done; allow more "
             "time.",
             crew->source->deadline, done, crew->total, crew->phase);
    fail(crew, MEGURI_ENGINE_FAILED, text);
}

/* Waits for all threads, and tells how far they are. */
static void wait_for_all(mg_crew *crew) {
    pthread_mutex_lock(&crew->lock);
    while (crew->working) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 50000000;
        if (until.tv_nsec >= 1000000000) until.tv_sec++, until.tv_nsec -= 1000000000;
        pthread_cond_timedwait(&crew->changed, &crew->lock, &until);
        uint64_t done = crew->done;
        bool stop = crew->stop;
        pthread_mutex_unlock(&crew->lock);
        if (!stop && meguri_ctx_progress(crew->ctx, crew->phase, done, crew->total) != MEGURI_OK)
            fail(crew, MEGURI_CANCELLED, "interrupted.");
        else if (!stop && mg_crew_now() >= crew->deadline) fail_by_deadline(crew, done);
        pthread_mutex_lock(&crew->lock);
    }
    pthread_mutex_unlock(&crew->lock);
}

/* Every n-th worker, from the first on, does shares. */
static meguri_status run_each(mg_crew *crew, const char *phase, mg_crew_work *what, mg_shares *shares, uint64_t total,
                              size_t n) {
    crew->phase = phase;
    crew->work = what;
    crew->shares = shares;
    find_first_shares(crew);
    crew->done = 0;
    crew->total = total;
    for (size_t i = 0; i < crew->worker_count; i += n) crew->workers[i].started = false;
    for (size_t i = 0; i < crew->worker_count && !stopped(crew); i += n) {
        if (i % LOOK_EVERY == 0 && meguri_ctx_progress(crew->ctx, phase, 0, total) != MEGURI_OK)
            fail(crew, MEGURI_CANCELLED, "interrupted.");
        pthread_mutex_lock(&crew->lock);
        crew->working++;
        pthread_mutex_unlock(&crew->lock);
        crew->workers[i].started = pthread_create(&crew->workers[i].thread, NULL, work, &crew->workers[i]) == 0;
        if (crew->workers[i].started) continue;
        fail(crew, MEGURI_NO_MEMORY, "the system gives no thread for a connection; ask for fewer connections.");
        pthread_mutex_lock(&crew->lock);
        crew->working--;
        pthread_mutex_unlock(&crew->lock);
    }
    wait_for_all(crew);
    for (size_t i = 0; i < crew->worker_count; i += n)
        if (crew->workers[i].started) pthread_join(crew->workers[i].thread, NULL);
    return crew->status == MEGURI_OK ? MEGURI_OK : meguri_ctx_fail(crew->ctx, crew->status, crew->error);
}

meguri_status mg_crew_run(mg_crew *crew, const char *phase, mg_crew_work *what, mg_shares *shares, uint64_t total) {
    return run_each(crew, phase, what, shares, total, 1);
}

/* ---- who they are ----------------------------------------------------------------------------------------------- */

/* The middle of an element id, "4:MIDDLE:17", which tells a database from all others; HOST:PORT/DATABASE where it has
 * none, as before version 5. */
static meguri_status ask_mark(char **out, mg_worker *w, char error[MG_BOLT_ERROR]) {
    mg_cursor record;
    mg_value id = {.kind = MG_NULL};
    uint64_t fields, items = 0;
    const mg_crew *crew = w->crew;
    if (mg_bolt_version(w->bolt) >= 500) {
        meguri_status status =
            mg_bolt_ask(&record, w->bolt, "MATCH (n) WITH elementId(n) AS e LIMIT 1 RETURN collect(e)", NULL);
        if (status != MEGURI_OK) {
            mg_crew_no_answer(w, status, error);
            return status;
        }
        if (mg_unpack_list(&fields, &record) && mg_unpack_list(&items, &record) && items) mg_unpack(&id, &record);
    }
    const char *first = id.kind == MG_TEXT ? memchr(id.text, ':', id.length) : NULL;
    const char *last = id.kind == MG_TEXT ? memrchr(id.text, ':', id.length) : NULL;
    size_t length = first && last > first ? (size_t)(last - first) - 1 : 0;
    if (length > MOST_MARK || (length && !mg_is_text_name(first + 1, length))) {
        snprintf(error, MG_BOLT_ERROR,
                 "%s: the element id of a node has no name of a database in its middle that can be one; is this a "
                 "graph database?",
                 crew->names[w->database]);
        return MEGURI_ENGINE_FAILED;
    }
    *out = length ? strndup(first + 1, length) : strdup(crew->names[w->database]);
    if (*out) return MEGURI_OK;
    snprintf(error, MG_BOLT_ERROR, "the system has no memory for the name of a database.");
    return MEGURI_NO_MEMORY;
}

static meguri_status meet(uint64_t *done, mg_worker *w, size_t number, char error[MG_BOLT_ERROR]) {
    mg_crew *crew = w->crew;
    *done = 1;
    meguri_status status = connect_worker(w, error);
    if (status == MEGURI_OK && crew->ask_first) status = crew->ask_first(w, error);
    return status == MEGURI_OK ? ask_mark(&crew->marks[number], w, error) : status;
}

static int by_mark(const void *a, const void *b) {
    const mg_mark *p = a, *q = b;
    int order = strcmp(p->mark, q->mark);
    return order ? order : p->database < q->database ? -1 : p->database > q->database;
}

/* In order, two that are the same are neighbours. */
static meguri_status sort_marks(mg_crew *crew) {
    size_t databases = crew->source->database_count;
    for (uint32_t d = 0; d < databases; d++) crew->sorted[d] = (mg_mark){crew->marks[d], d};
    qsort(crew->sorted, databases, sizeof *crew->sorted, by_mark);
    for (size_t i = 1; i < databases; i++)
        if (strcmp(crew->sorted[i - 1].mark, crew->sorted[i].mark) == 0)
            return mg_source_fail(crew->ctx, MEGURI_BAD_ARGUMENT, "%s and %s are the same database; name it once.",
                                  crew->names[crew->sorted[i - 1].database], crew->names[crew->sorted[i].database]);
    return MEGURI_OK;
}

uint32_t mg_crew_find(const mg_crew *crew, const char *mark) {
    size_t low = 0, high = crew->source->database_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(mark, crew->sorted[middle].mark);
        if (!order) return crew->sorted[middle].database;
        if (order < 0) high = middle;
        else low = middle + 1;
    }
    return UINT32_MAX;
}

meguri_status mg_crew_meet(mg_crew *crew, mg_crew_ask_first *ask) {
    const size_t databases = crew->source->database_count;
    mg_shares shares = {0};
    meguri_status status = MEGURI_OK;
    for (uint32_t d = 0; d < databases && status == MEGURI_OK; d++)
        if (!mg_shares_add(&shares, crew->ctx, &(mg_share){.database = d})) status = MEGURI_NO_MEMORY;
    crew->ask_first = ask;
    if (status == MEGURI_OK) status = run_each(crew, "connect", meet, &shares, databases, crew->source->connections);
    mg_shares_free(&shares);
    return status == MEGURI_OK ? sort_marks(crew) : status;
}

/* ---- making ----------------------------------------------------------------------------------------------------- */

meguri_status mg_crew_new(mg_crew *crew, meguri_ctx *ctx, const meguri_source *source, void *user) {
    size_t databases = source->database_count;
    *crew = (mg_crew){.ctx = ctx, .source = source, .user = user, .wake = {-1, -1}};
    crew->deadline = source->deadline > 0 ? mg_crew_now() + source->deadline : HUGE_VAL;
    pthread_mutex_init(&crew->lock, NULL);
    pthread_cond_init(&crew->changed, NULL);
    if (pipe2(crew->wake, O_CLOEXEC | O_NONBLOCK) != 0)
        return mg_source_fail(ctx, MEGURI_NO_DISK, "the system gives no pipe: %s.", strerror(errno));
    crew->names = calloc(databases, sizeof *crew->names);
    crew->marks = calloc(databases, sizeof *crew->marks);
    crew->sorted = calloc(databases, sizeof *crew->sorted);
    crew->next = calloc(databases, sizeof *crew->next);
    crew->workers = calloc(databases * source->connections, sizeof *crew->workers);
    if (!crew->names || !crew->marks || !crew->sorted || !crew->next || !crew->workers) return mg_source_no_memory(ctx);
    for (size_t d = 0; d < databases; d++) {
        const mg_bolt_uri *uri = &source->databases[d].uri;
        crew->names[d] = malloc(NAME);
        if (!crew->names[d]) return mg_source_no_memory(ctx);
        snprintf(crew->names[d], NAME, "%s:%s%s%s", uri->host, uri->port, *uri->database ? "/" : "", uri->database);
    }
    const meguri_ctx_child_options options = {.size = sizeof options, .threads = 1};
    for (size_t i = 0; i < databases * source->connections; i++) {
        mg_worker *w = &crew->workers[i];
        if (i % LOOK_EVERY == 0 && meguri_ctx_progress(ctx, "connect", 0, 0) != MEGURI_OK) return MEGURI_CANCELLED;
        *w = (mg_worker){.crew = crew, .database = (uint32_t)(i / source->connections)};
        crew->worker_count++;
        if (meguri_ctx_child(&w->ctx, ctx, &options) != MEGURI_OK) return mg_source_no_memory(ctx);
        w->heap = mg_source_heap(w->ctx);
        w->records.heap = w->parameters.heap = w->edges.names.texts.heap = &w->heap;
        w->edges.ctx = w->ctx;
    }
    return MEGURI_OK;
}

uint64_t mg_crew_received(mg_crew *crew) {
    uint64_t received = 0;
    for (size_t i = 0; i < crew->worker_count; i++) {
        set_bolt(&crew->workers[i], NULL);
        received += crew->workers[i].received;
    }
    return received;
}

void mg_crew_free(mg_crew *crew) {
    for (size_t i = 0; i < crew->worker_count; i++) {
        mg_worker *w = &crew->workers[i];
        set_bolt(w, NULL);
        mg_bytes_free(&w->records);
        mg_bytes_free(&w->parameters);
        mg_pulled_free(&w->edges);
        meguri_ctx_free(w->ctx);
    }
    for (size_t d = 0; d < crew->source->database_count; d++) {
        if (crew->names) free(crew->names[d]);
        if (crew->marks) free(crew->marks[d]);
    }
    free(crew->names), free(crew->marks), free(crew->sorted), free(crew->next), free(crew->workers);
    for (int i = 0; i < 2; i++)
        if (crew->wake[i] >= 0) close(crew->wake[i]);
    pthread_mutex_destroy(&crew->lock);
    pthread_cond_destroy(&crew->changed);
}
