/* What a calling thread has under way with a context: its failure, cancel, progress, warnings.
 *
 * Any number of threads may call with one context at once; each has a record there, which it finds by the address of
 * its thread-local memory. A worker of the team has no call of its own: it acts for the thread whose loop it is in, so
 * that what it notes is that one's, and what it has to say is left for that one to tell: callbacks come on the calling
 * thread alone.
 *
 * Records form a list that only grows, so that it is read without a lock; the first one lies in the context, which is
 * all that a child needs. */
#define _GNU_SOURCE
#include "base/ctx.h"

#include <stdlib.h>
#include <string.h>

#define NEW_TEXT 512

/* What a worker has left. */
struct mg_said {
    struct mg_said *next;
    mg_saying kind;
    int level;
    size_t length;
    char text[];
};

/* Of this thread. */
static _Thread_local struct {
    uintptr_t acting_for; /* 0: itself */
    uint64_t incarnation; /* told apart from threads before at the same address */
    uint64_t ctx_id;      /* the context that was used last, and the record there */
    mg_caller *caller;
    char failure[NEW_TEXT]; /* without a context: why there is none */
} here;

uintptr_t mg_calling_thread(void) { return here.acting_for ? here.acting_for : (uintptr_t)&here; }

void mg_act_for(uintptr_t thread) {
    here.acting_for = thread == (uintptr_t)&here ? 0 : thread;
    here.ctx_id = 0;
}

bool mg_is_worker(void) { return here.acting_for != 0; }

static uint64_t incarnation(void) {
    static _Atomic uint64_t last;
    if (!here.incarnation) here.incarnation = atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1;
    return here.incarnation;
}

/* ---- records ---------------------------------------------------------------------------------------------------- */

void mg_caller_init(mg_caller *c) {
    memset(c, 0, offsetof(mg_caller, error) + 1);
    c->last_progress = -1;
    c->lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    c->last_said = &c->said;
}

void mg_caller_close(mg_caller *c) {
    for (struct mg_said *s = c->said, *next; s; s = next) {
        next = s->next;
        free(s);
    }
    free(c->held);
}

static mg_caller *find(meguri_ctx *ctx, uintptr_t thread) {
    for (mg_caller *c = &ctx->first; c; c = atomic_load_explicit(&c->next, memory_order_acquire))
        if (atomic_load_explicit(&c->thread, memory_order_relaxed) == thread) return c;
    return NULL;
}

/* Where the system has no memory for a record of its own, a thread shares the first one. */
static mg_caller *make(meguri_ctx *ctx, uintptr_t thread) {
    uintptr_t none = 0;
    if (atomic_compare_exchange_strong(&ctx->first.thread, &none, thread)) return &ctx->first;
    mg_caller *made = aligned_alloc(64, sizeof *made);
    if (!made) return &ctx->first;
    mg_caller_init(made);
    atomic_store(&made->thread, thread);
    mg_caller *next = atomic_load(&ctx->first.next);
    do atomic_store_explicit(&made->next, next, memory_order_relaxed);
    while (!atomic_compare_exchange_weak(&ctx->first.next, &next, made));
    return made;
}

static void forget(mg_caller *c) {
    c->error[0] = '\0';
    atomic_store_explicit(&c->failed, 0, memory_order_relaxed);
    atomic_store_explicit(&c->cancelled, 0, memory_order_relaxed);
    c->last_progress = -1; /* the first report comes at once: a user who has had enough need not wait for it */
    c->phase = NULL;
}

/* The list belongs to what a const context may change. */
mg_caller *mg_caller_of(const meguri_ctx *of) {
    meguri_ctx *ctx = (meguri_ctx *)(uintptr_t)of;
    if (here.ctx_id == ctx->id) return here.caller;
    uintptr_t thread = mg_calling_thread();
    mg_caller *c = find(ctx, thread);
    if (!c) c = make(ctx, thread);
    if (!mg_is_worker() && atomic_load_explicit(&c->incarnation, memory_order_relaxed) != incarnation()) {
        forget(c); /* what a thread before this one has left */
        atomic_store_explicit(&c->incarnation, here.incarnation, memory_order_relaxed);
    }
    here.caller = c;
    here.ctx_id = ctx->id;
    return c;
}

/* ---- failures --------------------------------------------------------------------------------------------------- */

void mg_begin(meguri_ctx *ctx) {
    if (!ctx) {
        here.failure[0] = '\0';
        return;
    }
    forget(mg_caller_of(ctx));
}

/* That of this thread's last call; of a child, which serves one after another, also that of another thread's. */
const char *meguri_ctx_error(const meguri_ctx *ctx) {
    if (!ctx) return here.failure;
    if (here.ctx_id == ctx->id) return here.caller->error; /* also where it had to share the first record */
    mg_caller *c = find((meguri_ctx *)(uintptr_t)ctx, mg_calling_thread());
    bool own = c && (mg_is_worker() || atomic_load_explicit(&c->incarnation, memory_order_relaxed) == here.incarnation);
    if (own) return c->error;
    return ctx->parent && !atomic_load(&ctx->first.next) ? ctx->first.error : "";
}

/* As vsnprintf. Texts quote what files and servers hold, which must not steer a terminal: it is escaped; tabs and
 * line ends stay where a text has `lines`. */
static void format_text(char *text, size_t room, bool lines, const char *format, va_list args) {
    char plain[MG_ERROR_TEXT + 4]; /* where that is too short, the character that is cut off does not fit either */
    int length = vsnprintf(plain, sizeof plain, format, args);
    mg_escape(text, room, plain, length < 0 ? 0 : MG_MIN((size_t)length, sizeof plain - 1), lines);
}

/* The first failure counts, and the others do not wait for its sentence. */
static void fail(meguri_ctx *ctx, bool lines, const char *format, va_list args) {
    if (!ctx) {
        format_text(here.failure, sizeof here.failure, lines, format, args);
        return;
    }
    mg_caller *c = mg_caller_of(ctx);
    int none = 0;
    if (!atomic_compare_exchange_strong(&c->failed, &none, 1)) return;
    format_text(c->error, sizeof c->error, lines, format, args);
    atomic_store(&c->failed, 2);
}

meguri_status mg_fail(meguri_ctx *ctx, meguri_status status, const char *format, ...) {
    va_list args;
    va_start(args, format);
    fail(ctx, strchr(format, '\n') != NULL, format, args);
    va_end(args);
    return status;
}

meguri_status mg_fail_again(meguri_ctx *ctx, meguri_status status, const char *format, ...) {
    va_list args;
    va_start(args, format);
    fail(ctx, true, format, args);
    va_end(args);
    return status;
}

meguri_status mg_missing(meguri_ctx *ctx, const char *function) {
    mg_begin(ctx);
    return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "%s: an argument that it needs is NULL.", function);
}

meguri_status mg_claim_for(meguri_ctx *ctx, mg_claim *claim, const char *what) {
    int none = 0;
    if (atomic_compare_exchange_strong(claim, &none, 1)) return MEGURI_OK;
    mg_begin(ctx);
    return mg_fail(ctx, MEGURI_BUSY,
                   "another call works with this %s, which serves one at a time: use one for each thread, and none "
                   "within its own callbacks.",
                   what);
}

/* ---- functions that the library was given ----------------------------------------------------------------------- */

mg_outside mg_go_outside(meguri_ctx *ctx) {
    mg_caller *c = mg_caller_of(ctx);
    mg_outside outside = {c,        NULL, atomic_load(&c->failed), atomic_load(&c->cancelled), c->last_progress,
                          c->drain, false};
    if (outside.failed) outside.error = strdup(c->error);
    c->drain = NULL;
    return outside;
}

void mg_inside(mg_outside *outside, meguri_status status) {
    mg_caller *c = outside->caller;
    outside->inside = true;
    c->drain = outside->drain;
    c->last_progress = outside->last_progress;
    atomic_store(&c->cancelled, outside->cancelled);
    if (status == MEGURI_OK && !outside->failed && atomic_load(&c->failed)) {
        c->error[0] = '\0';
        atomic_store(&c->failed, 0);
    }
    if (!outside->failed) return;
    if (outside->error) memcpy(c->error, outside->error, strlen(outside->error) + 1);
    free(outside->error);
    atomic_store(&c->failed, outside->failed);
}

void mg_outside_left(mg_outside *outside) {
    if (outside->inside) return;
    mg_caller *c = outside->caller;
    free(outside->error);
    c->drain = NULL;
    c->reports = c->traces = false;
    atomic_store(&c->left, 1);
}

mg_drain *mg_set_drain(meguri_ctx *ctx, mg_drain *drain) {
    mg_caller *c = mg_caller_of(ctx);
    mg_drain *before = c->drain;
    c->drain = drain;
    return before;
}

/* ---- progress, cancel -------------------------------------------------------------------------------------------- */

static bool is_late(const meguri_ctx *ctx) {
    for (; ctx; ctx = ctx->parent)
        if (ctx->deadline > 0 && mg_now() > ctx->deadline) return true;
    return false;
}

static bool cancelled(const meguri_ctx *ctx, const mg_caller *c) {
    if (atomic_load_explicit(&c->cancelled, memory_order_relaxed)) return true;
    if (atomic_load_explicit(&c->left, memory_order_relaxed)) return true;
    for (const meguri_ctx *x = ctx; x; x = x->parent)
        if (atomic_load_explicit(&x->cancelled, memory_order_relaxed)) return true;
    return is_late(ctx);
}

bool mg_cancelled(const meguri_ctx *ctx) { return cancelled(ctx, mg_caller_of(ctx)); }

meguri_status mg_fail_cancelled(meguri_ctx *ctx) {
    mg_caller *c = mg_caller_of(ctx);
    /* Workers that were left behind end, too, but do not use the sentence up. */
    if (mg_is_worker() ? atomic_load(&c->left) : atomic_exchange(&c->left, 0)) {
        if (mg_is_worker()) return MEGURI_ENGINE_FAILED;
        atomic_store(&c->cancelled, 1); /* for the rest of this call */
        return mg_fail(ctx, MEGURI_ENGINE_FAILED,
                       "an exception passed through a callback of an earlier call with this context, and left it half "
                       "done: callbacks must catch their exceptions; free what that call used.");
    }
    if (atomic_load(&c->cancelled) || meguri_ctx_cancelled(ctx)) return mg_fail(ctx, MEGURI_CANCELLED, "interrupted.");
    const meguri_ctx *late = ctx;
    while (late && !(late->deadline > 0 && mg_now() > late->deadline)) late = late->parent;
    if (!late) return mg_fail(ctx, MEGURI_CANCELLED, "interrupted.");
    return mg_fail(ctx, MEGURI_TIMEOUT, "the time of %g seconds is over.", late->timeout);
}

static void report(meguri_ctx *ctx, mg_caller *c, const char *phase, uint64_t done, uint64_t total) {
    const double interval = 0.02; /* seconds between reports: a cancel takes effect well within 50 ms */
    double now = mg_now();
    if (now - c->last_progress < interval) return;
    c->last_progress = now;
    MG_OUTSIDE(outside, ctx);
    c->reports = true; /* what is called from there does not report in turn */
    int stop = ctx->progress(ctx->progress_user, phase, done, total);
    c->reports = false;
    mg_inside(&outside, MEGURI_OK);
    if (stop) atomic_store(&c->cancelled, 1);
}

bool mg_progress(meguri_ctx *ctx, const char *phase, uint64_t done, uint64_t total) {
    mg_caller *c = mg_caller_of(ctx);
    if (!mg_is_worker()) {
        if (atomic_load_explicit(&c->anything_said, memory_order_relaxed)) mg_tell_said(ctx, c);
        mg_drain *drain = c->drain;
        if (drain && atomic_load_explicit(&drain->now, memory_order_relaxed)) drain->drain(drain);
        c->phase = phase, c->done = done, c->total = total;
        if (ctx->progress && !c->reports) report(ctx, c, phase, done, total);
    }
    return cancelled(ctx, c);
}

bool mg_progress_again(meguri_ctx *ctx) {
    const mg_caller *c = mg_caller_of(ctx);
    if (mg_is_worker()) return mg_cancelled(ctx); /* what is reported belongs to the calling thread */
    return mg_progress(ctx, c->phase ? c->phase : "write", c->done, c->total);
}

/* ---- what workers have to say ------------------------------------------------------------------------------------ */

void mg_say_later(const meguri_ctx *ctx, mg_saying kind, int level, const char *text, size_t length) {
    mg_caller *c = mg_caller_of(ctx);
    struct mg_said *s = malloc(sizeof *s + length + 1);
    if (!s) return; /* it is for people: the work goes on without it */
    *s = (struct mg_said){.kind = kind, .level = level, .length = length};
    memcpy(s->text, text, length);
    s->text[length] = '\0';
    pthread_mutex_lock(&c->lock);
    *c->last_said = s;
    c->last_said = &s->next;
    atomic_store(&c->anything_said, 1);
    pthread_mutex_unlock(&c->lock);
}

void mg_tell_said(const meguri_ctx *ctx, mg_caller *c) {
    pthread_mutex_lock(&c->lock);
    struct mg_said *s = c->said, *next;
    c->said = NULL;
    c->last_said = &c->said;
    atomic_store(&c->anything_said, 0);
    pthread_mutex_unlock(&c->lock);
    for (; s; s = next) {
        next = s->next;
        if (s->kind == MG_SAID_TRACE) mg_tell_trace(ctx, c, s->text, s->length);
        else mg_tell_log(ctx, c, s->kind == MG_SAID_WARNING, (meguri_log_level)s->level, s->text);
        free(s);
    }
}

void mg_hear_workers(const meguri_ctx *ctx) {
    mg_caller *c = mg_caller_of(ctx);
    if (!mg_is_worker() && atomic_load(&c->anything_said)) mg_tell_said(ctx, c);
}

/* ---- log -------------------------------------------------------------------------------------------------------- */

static void to_log(const meguri_ctx *ctx, meguri_log_level level, const char *text) {
    MG_OUTSIDE(outside, (meguri_ctx *)(uintptr_t)ctx);
    ctx->log(ctx->log_user, level, text);
    mg_inside(&outside, MEGURI_OK);
}

void mg_tell_log(const meguri_ctx *ctx, mg_caller *c, bool may_wait, meguri_log_level level, const char *text) {
    const size_t room = (size_t)8 * MG_ERROR_TEXT;
    size_t bytes = strlen(text) + 1;
    bool waits = may_wait && c->holds_warnings && bytes <= room - c->held_bytes;
    if (waits && !c->held) c->held = malloc(room);
    if (waits && c->held) {
        memcpy(c->held + c->held_bytes, text, bytes);
        c->held_bytes += bytes;
    } else to_log(ctx, level, text);
}

static void say(meguri_ctx *ctx, meguri_log_level level, bool may_wait, const char *format, va_list args) {
    if (!ctx->log || level > ctx->log_level) return;
    char text[MG_ERROR_TEXT];
    format_text(text, sizeof text, strchr(format, '\n') != NULL, format, args);
    if (mg_is_worker()) {
        mg_say_later(ctx, may_wait ? MG_SAID_WARNING : MG_SAID_LOG, (int)level, text, strlen(text));
        return;
    }
    mg_caller *c = mg_caller_of(ctx);
    if (atomic_load(&c->anything_said)) mg_tell_said(ctx, c);
    mg_tell_log(ctx, c, may_wait, level, text);
}

void mg_log(meguri_ctx *ctx, meguri_log_level level, const char *format, ...) {
    va_list args;
    va_start(args, format);
    say(ctx, level, false, format, args);
    va_end(args);
}

void mg_warn(meguri_ctx *ctx, const char *format, ...) {
    va_list args;
    va_start(args, format);
    say(ctx, MEGURI_LOG_WARNING, true, format, args);
    va_end(args);
}

void mg_hold_warnings(meguri_ctx *ctx) {
    mg_caller *c = mg_caller_of(ctx);
    c->holds_warnings = true;
    c->held_bytes = 0;
}

void mg_end_warnings(meguri_ctx *ctx, bool good) {
    mg_caller *c = mg_caller_of(ctx);
    if (atomic_load(&c->anything_said)) mg_tell_said(ctx, c);
    for (size_t at = 0; at < c->held_bytes && good; at += strlen(c->held + at) + 1)
        to_log(ctx, MEGURI_LOG_WARNING, c->held + at);
    c->holds_warnings = false;
    c->held_bytes = 0;
}
