/* The context: failures, progress and cancel, log. */
#define _GNU_SOURCE
#include "base/ctx.h"

#include <inttypes.h>
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

meguri_status meguri_ctx_new(meguri_ctx **out, const meguri_ctx_options *options) {
    meguri_ctx_options o;
    if (!out) return MEGURI_BAD_ARGUMENT;
    *out = NULL;
    meguri_status status = MG_OPTIONS(NULL, &o, options, meguri_ctx_options);
    if (status != MEGURI_OK) return status;
    if ((unsigned)o.log_level > MEGURI_LOG_DEBUG) return MEGURI_BAD_ARGUMENT;

    meguri_ctx *ctx = calloc(1, sizeof *ctx);
    if (!ctx) return MEGURI_NO_MEMORY;
    const char *temp = o.temp_dir ? o.temp_dir : getenv("TMPDIR");
    ctx->temp_dir = strdup(temp && *temp ? temp : "/var/tmp");
    ctx->device = o.device ? strdup(o.device) : NULL;
    ctx->device_memory = o.device_memory;
    if (o.memory_of) ctx->account = mg_account_share(o.memory_of->account);
    else ctx->account = mg_account_new(o.memory ? o.memory : mg_system_memory("") / 10 * 9);
    if (!ctx->temp_dir || (o.device && !ctx->device) || !ctx->account || pthread_mutex_init(&ctx->lock, NULL) != 0) {
        free(ctx->temp_dir);
        free(ctx->device);
        if (ctx->account) mg_account_drop(ctx->account);
        free(ctx);
        return MEGURI_NO_MEMORY;
    }
    atomic_init(&ctx->threads, MG_MIN(o.threads ? o.threads : usable_processors(), (uint32_t)MG_MAX_THREADS));
    ctx->progress = o.progress;
    ctx->progress_user = o.progress_user;
    ctx->log = o.log;
    ctx->log_user = o.log_user;
    ctx->log_level = o.log_level;
    ctx->owner = pthread_self();
    *out = ctx;
    return MEGURI_OK;
}

void meguri_ctx_free(meguri_ctx *ctx) {
    if (!ctx) return;
    if (ctx->devices) ctx->end_devices(ctx->devices);
    if (ctx->team) ctx->end_team(ctx->team);
    if (ctx->trace) fclose(ctx->trace);
    mg_account_drop(ctx->account);
    pthread_mutex_destroy(&ctx->lock);
    free(ctx->trace_path);
    free(ctx->trace_line);
    free(ctx->temp_dir);
    free(ctx->device);
    free(ctx);
}

const char *meguri_ctx_error(const meguri_ctx *ctx) { return ctx ? ctx->error : ""; }
uint32_t meguri_ctx_threads(const meguri_ctx *ctx) {
    return ctx ? atomic_load_explicit(&ctx->threads, memory_order_relaxed) : 0;
}
const char *mg_temp_dir(const meguri_ctx *ctx) { return ctx->temp_dir; }

mg_team *mg_ctx_team(const meguri_ctx *ctx) { return ctx->team; }

void mg_ctx_keep_team(meguri_ctx *ctx, mg_team *team, void (*end)(mg_team *team)) {
    ctx->team = team;
    ctx->end_team = end;
}

mg_devices *mg_ctx_devices(const meguri_ctx *ctx) { return ctx->devices; }

void mg_ctx_keep_devices(meguri_ctx *ctx, mg_devices *devices, void (*end)(mg_devices *devices)) {
    ctx->devices = devices;
    ctx->end_devices = end;
}

const char *mg_ctx_device_wanted(const meguri_ctx *ctx) { return ctx->device; }
uint64_t mg_ctx_device_memory(const meguri_ctx *ctx) { return ctx->device_memory; }

void mg_begin(meguri_ctx *ctx) {
    ctx->owner = pthread_self();
    ctx->error[0] = '\0';
    atomic_store(&ctx->failed, 0);
    atomic_store(&ctx->cancelled, 0);
    ctx->last_progress = -1; /* the first report comes at once: a user who has had enough need not wait for it */
}

/* As vsnprintf. Texts quote what files and servers hold, which must not steer a terminal: it is escaped; tabs and
 * line ends stay where a text has `lines`. */
static void format_text(char text[MG_ERROR_TEXT], bool lines, const char *format, va_list args) {
    char plain[MG_ERROR_TEXT + 4]; /* where that is too short, the character that is cut off does not fit either */
    int length = vsnprintf(plain, sizeof plain, format, args);
    mg_escape(text, MG_ERROR_TEXT, plain, length < 0 ? 0 : MG_MIN((size_t)length, sizeof plain - 1), lines);
}

static void fail(meguri_ctx *ctx, bool lines, const char *format, va_list args) {
    if (!ctx) return;
    pthread_mutex_lock(&ctx->lock);
    if (!atomic_exchange(&ctx->failed, 1)) format_text(ctx->error, lines, format, args);
    pthread_mutex_unlock(&ctx->lock);
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
    if (ctx) mg_begin(ctx);
    return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "%s: an argument that it needs is NULL.", function);
}

bool mg_cancelled(const meguri_ctx *ctx) { return atomic_load_explicit(&ctx->cancelled, memory_order_relaxed) != 0; }

meguri_status mg_fail_cancelled(meguri_ctx *ctx) { return mg_fail(ctx, MEGURI_CANCELLED, "interrupted."); }

bool mg_progress(meguri_ctx *ctx, const char *phase, uint64_t done, uint64_t total) {
    const double interval = 0.02; /* seconds between reports: a cancel takes effect well within 50 ms */
    if (ctx->progress && pthread_equal(ctx->owner, pthread_self())) {
        double now = mg_now();
        if (now - ctx->last_progress >= interval) {
            ctx->last_progress = now;
            if (ctx->progress(ctx->progress_user, phase, done, total) != 0) atomic_store(&ctx->cancelled, 1);
        }
    }
    return mg_cancelled(ctx);
}

static void say(meguri_ctx *ctx, meguri_log_level level, bool may_wait, const char *format, va_list args) {
    if (!ctx->log || level > ctx->log_level) return;
    char text[MG_ERROR_TEXT];
    format_text(text, strchr(format, '\n') != NULL, format, args);
    size_t bytes = strlen(text) + 1;
    pthread_mutex_lock(&ctx->lock);
    if (may_wait && ctx->holds_warnings && bytes <= sizeof ctx->held - ctx->held_bytes) {
        memcpy(ctx->held + ctx->held_bytes, text, bytes);
        ctx->held_bytes += bytes;
    } else ctx->log(ctx->log_user, level, text);
    pthread_mutex_unlock(&ctx->lock);
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
    ctx->holds_warnings = true;
    ctx->held_bytes = 0;
}

void mg_end_warnings(meguri_ctx *ctx, bool good) {
    pthread_mutex_lock(&ctx->lock);
    for (size_t at = 0; at < ctx->held_bytes && good; at += strlen(ctx->held + at) + 1)
        ctx->log(ctx->log_user, MEGURI_LOG_WARNING, ctx->held + at);
    ctx->holds_warnings = false;
    ctx->held_bytes = 0;
    pthread_mutex_unlock(&ctx->lock);
}

void mg_fewer_threads(meguri_ctx *ctx, uint32_t made, uint32_t wanted, int error) {
    atomic_store_explicit(&ctx->threads, made, memory_order_relaxed);
    if (ctx->warned_of_threads) return;
    ctx->warned_of_threads = true;
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
    double last = ctx->last_progress;
    mg_begin(ctx);
    ctx->last_progress = last; /* one of many calls of the same work */
    return mg_progress(ctx, phase, done, total) ? mg_fail_cancelled(ctx) : MEGURI_OK;
}

meguri_status meguri_ctx_log(meguri_ctx *ctx, meguri_log_level level, const char *text) {
    if (!ctx || !text) return mg_missing(ctx, __func__);
    mg_log(ctx, level, "%s", text);
    return MEGURI_OK;
}
