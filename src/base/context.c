/* The context and its children: making and ending them, what they have. */
#define _GNU_SOURCE
#include "base/ctx.h"

#include <inttypes.h>
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static uint32_t usable_processors(void) {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0) return (uint32_t)CPU_COUNT(&set);
    long online = sysconf(_SC_NPROCESSORS_ONLN); /* more processors than the set has bits */
    return online > 0 ? (uint32_t)online : 1;
}

meguri_status mg_options(meguri_ctx *ctx, void *to, size_t to_size, const void *from, const char *name) {
    memset(to, 0, to_size);
    return mg_options_over(ctx, to, to_size, from, name);
}

meguri_status mg_options_over(meguri_ctx *ctx, void *to, size_t to_size, const void *from, const char *name) {
    if (from) {
        size_t from_size;
        memcpy(&from_size, from, sizeof from_size);
        if (from_size < sizeof from_size || from_size > 4096)
            return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "the size field of %s is not set: set it to sizeof(%s).", name,
                           name);
        for (size_t i = to_size; i < from_size; i++)
            if (((const char *)from)[i] != 0)
                return mg_fail(ctx, MEGURI_BAD_ARGUMENT,
                               "%s asks for something that this version of the library does not know: use a newer one.",
                               name);
        memcpy(to, from, MG_MIN(from_size, to_size));
    }
    memcpy(to, &to_size, sizeof to_size);
    return MEGURI_OK;
}

meguri_status mg_check_count(meguri_ctx *ctx, uint64_t count, uint64_t bytes, const char *what) {
    const uint64_t addresses = (uint64_t)1 << 56; /* that the processors of today have */
    if (count <= addresses / bytes) return MEGURI_OK;
    return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "%" PRIu64 " %s are more than any memory holds: give their true number.",
                   count, what);
}

/* Numbers of contexts, so that what a thread remembers of one is never taken for another at the same address. */
static uint64_t next_id(void) {
    static _Atomic uint64_t last;
    return atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1;
}

/* Everything but its account, and what only a root has. */
static void init(meguri_ctx *ctx, meguri_ctx *parent, uint32_t threads) {
    memset(ctx, 0, offsetof(meguri_ctx, first));
    mg_caller_init(&ctx->first);
    ctx->id = next_id();
    ctx->parent = parent;
    ctx->root = parent ? parent->root : ctx;
    atomic_init(&ctx->holders, 1);
    atomic_init(&ctx->threads, threads);
}

/* Frees what has no more holders: the context, and those that it held. */
static void drop(meguri_ctx *ctx) {
    while (ctx && atomic_fetch_sub(&ctx->holders, 1) == 1) {
        meguri_ctx *parent = ctx->parent;
        mg_team *team = atomic_load(&ctx->team);
        mg_devices *devices = atomic_load(&ctx->devices);
        if (devices) ctx->end_devices(devices);
        if (team) ctx->end_team(team);
        if (ctx->trace.file) fclose(ctx->trace.file);
        if (ctx->account) mg_account_drop(ctx->account);
        for (mg_caller *c = atomic_load(&ctx->first.next), *next; c; c = next) {
            next = atomic_load(&c->next);
            mg_caller_close(c);
            free(c);
        }
        mg_caller_close(&ctx->first);
        free(ctx->trace.path);
        free(ctx->temp_dir);
        free(ctx->device);
        free(ctx);
        ctx = parent;
    }
}

meguri_status meguri_ctx_new(meguri_ctx **out, const meguri_ctx_options *options) {
    meguri_ctx_options o;
    if (!out) return mg_missing(NULL, __func__);
    *out = NULL;
    mg_begin(NULL);
    meguri_status status = MG_OPTIONS(NULL, &o, options, meguri_ctx_options);
    if (status != MEGURI_OK) return status;
    if ((unsigned)o.log_level > MEGURI_LOG_DEBUG)
        return mg_fail(NULL, MEGURI_BAD_ARGUMENT, "log_level %u is unknown: choose one of meguri_log_level.",
                       (unsigned)o.log_level);
    meguri_ctx *ctx = aligned_alloc(64, sizeof *ctx);
    if (!ctx) return mg_fail(NULL, MEGURI_NO_MEMORY, "the system has no memory for a context.");
    init(ctx, NULL, MG_MIN(o.threads ? o.threads : usable_processors(), (uint32_t)MG_MAX_THREADS));
    const char *temp = o.temp_dir ? o.temp_dir : getenv("TMPDIR");
    ctx->temp_dir = strdup(temp && *temp ? temp : "/var/tmp");
    ctx->device = o.device ? strdup(o.device) : NULL;
    ctx->device_memory = o.device_memory;
    ctx->account = mg_account_new(o.memory ? o.memory : mg_system_memory("") / 10 * 9);
    if (!ctx->temp_dir || (o.device && !ctx->device) || !ctx->account) {
        drop(ctx);
        return mg_fail(NULL, MEGURI_NO_MEMORY, "the system has no memory for a context.");
    }
    ctx->progress = o.progress;
    ctx->progress_user = o.progress_user;
    ctx->log = o.log;
    ctx->log_user = o.log_user;
    ctx->log_level = o.log_level;
    *out = ctx;
    return MEGURI_OK;
}

meguri_status meguri_ctx_child(meguri_ctx **child, meguri_ctx *parent, const meguri_ctx_child_options *options) {
    meguri_ctx_child_options o;
    if (child) *child = NULL;
    if (!child || !parent) return mg_missing(parent, __func__);
    mg_begin(parent);
    meguri_status status = MG_OPTIONS(parent, &o, options, meguri_ctx_child_options);
    if (status != MEGURI_OK) return status;
    if (!(o.timeout >= 0))
        return mg_fail(parent, MEGURI_BAD_ARGUMENT, "timeout %g is not a time: give seconds, 0 for none.", o.timeout);
    meguri_ctx *ctx = aligned_alloc(64, sizeof *ctx);
    if (!ctx) return mg_fail(parent, MEGURI_NO_MEMORY, "the system has no memory for a context.");
    init(ctx, parent, o.threads ? MG_MIN(o.threads, (uint32_t)MG_MAX_THREADS) : (uint32_t)MG_MAX_THREADS);
    atomic_fetch_add(&parent->holders, 1);
    ctx->account = o.memory ? mg_account_within(parent->account, o.memory) : mg_account_share(parent->account);
    if (!ctx->account) {
        drop(ctx);
        return mg_fail(parent, MEGURI_NO_MEMORY, "the system has no memory for a context.");
    }
    ctx->progress = o.progress;
    ctx->progress_user = o.progress_user;
    ctx->user = o.user;
    ctx->log = parent->log;
    ctx->log_user = parent->log_user;
    ctx->log_level = parent->log_level;
    ctx->timeout = o.timeout;
    if (o.timeout > 0 && !isinf(o.timeout)) ctx->deadline = mg_now() + o.timeout;
    *child = ctx;
    return MEGURI_OK;
}

void meguri_ctx_free(meguri_ctx *ctx) { drop(ctx); }

/* From a signal handler, too: one store. */
void meguri_ctx_cancel(meguri_ctx *ctx) {
    if (ctx) atomic_store(&ctx->cancelled, 1);
}

int meguri_ctx_cancelled(const meguri_ctx *ctx) {
    for (; ctx; ctx = ctx->parent)
        if (atomic_load(&ctx->cancelled)) return 1;
    return 0;
}

void *meguri_ctx_user(const meguri_ctx *ctx) { return ctx ? ctx->user : NULL; }

uint32_t meguri_ctx_threads(const meguri_ctx *ctx) {
    uint32_t threads = ctx ? UINT32_MAX : 0;
    for (; ctx; ctx = ctx->parent) threads = MG_MIN(threads, atomic_load_explicit(&ctx->threads, memory_order_relaxed));
    return threads;
}

const char *mg_temp_dir(const meguri_ctx *ctx) { return ctx->root->temp_dir; }
meguri_ctx *mg_ctx_root(const meguri_ctx *ctx) { return ctx->root; }
mg_team *mg_ctx_team(const meguri_ctx *ctx) { return atomic_load_explicit(&ctx->root->team, memory_order_acquire); }

bool mg_ctx_keep_team(meguri_ctx *ctx, mg_team *team, void (*end)(mg_team *team)) {
    mg_team *none = NULL;
    if (!atomic_compare_exchange_strong(&ctx->root->team, &none, team)) return false;
    ctx->root->end_team = end; /* read when the context ends */
    return true;
}

mg_devices *mg_ctx_devices(const meguri_ctx *ctx) { return atomic_load(&ctx->root->devices); }

mg_gate *mg_ctx_device_gate(meguri_ctx *ctx) { return &ctx->root->device_gate; }

bool mg_ctx_keep_devices(meguri_ctx *ctx, mg_devices *devices, void (*end)(mg_devices *devices)) {
    mg_devices *none = NULL;
    if (!atomic_compare_exchange_strong(&ctx->root->devices, &none, devices)) return false;
    ctx->root->end_devices = end; /* read when the context ends */
    return true;
}

const char *mg_ctx_device_wanted(const meguri_ctx *ctx) { return ctx->root->device; }
void mg_ctx_silence(meguri_ctx *ctx) { ctx->log = NULL; }
uint64_t mg_ctx_device_memory(const meguri_ctx *ctx) { return ctx->root->device_memory; }

void mg_fewer_threads(meguri_ctx *ctx, uint32_t made, uint32_t wanted, int error) {
    meguri_ctx *root = ctx->root;
    atomic_store_explicit(&root->threads, made, memory_order_relaxed);
    if (atomic_exchange(&root->warned_of_threads, 1)) return;
    mg_log(ctx, MEGURI_LOG_WARNING, "only %u of %u threads could be made: %s; going on with %u.", made, wanted,
           strerror(error), made);
}

/* ---- for libraries on top ---------------------------------------------------------------------------------------- */

meguri_status meguri_ctx_fail(meguri_ctx *ctx, meguri_status status, const char *sentence) {
    if (!ctx || !sentence) return mg_missing(ctx, __func__);
    mg_begin(ctx);
    return mg_fail(ctx, status, "%s", sentence);
}

void *meguri_ctx_resize(meguri_ctx *ctx, void *block, size_t bytes, const char *what) {
    if (!ctx || !what) {
        mg_missing(ctx, __func__);
        return NULL;
    }
    mg_begin(ctx);
    return mg_resize(ctx, block, bytes, what);
}

void meguri_ctx_release(void *block) { mg_free(block); }

meguri_status meguri_ctx_progress(meguri_ctx *ctx, const char *phase, uint64_t done, uint64_t total) {
    if (!ctx || !phase) return mg_missing(ctx, __func__);
    double last = mg_caller_of(ctx)->last_progress;
    mg_begin(ctx);
    mg_caller_of(ctx)->last_progress = last; /* one of many calls of the same work */
    return mg_progress(ctx, phase, done, total) ? mg_fail_cancelled(ctx) : MEGURI_OK;
}

meguri_status meguri_ctx_log(meguri_ctx *ctx, meguri_log_level level, const char *text) {
    if (!ctx || !text) return mg_missing(ctx, __func__);
    mg_log(ctx, level, "%s", text);
    return MEGURI_OK;
}
