/* The trace: one line of JSON per step, the same for every engine, for a file and for a listener (docs/trace.md). */
#define _GNU_SOURCE
#include "base/ctx.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

double mg_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static meguri_status close_trace(meguri_ctx *ctx) {
    int error = fflush(ctx->trace) == 0 ? 0 : errno;
    if (ctx->trace_error) error = ctx->trace_error;
    mg_no_room no_room = mg_no_room_in(fileno(ctx->trace), error, 0); /* asks the file, which must be open */
    if (fclose(ctx->trace) != 0 && !error) error = errno;
    ctx->trace = NULL;
    if (!error) return MEGURI_OK;
    if (mg_is_no_room(error))
        return mg_fail(ctx, MEGURI_NO_DISK, "there is no room to write the trace %s whole (%s): %s.", ctx->trace_path,
                       no_room.reason, no_room.advice);
    return mg_fail(ctx, MEGURI_NO_DISK, "the trace %s could not be written whole: %s.", ctx->trace_path,
                   strerror(error));
}

/* A new file in the place of an old one, or, where the folder does not allow that, the old one emptied. */
static int create_trace(mg_refusal *why, const char *path) {
    mg_refusal ignored;
    int fd = mg_create_instead(why, path, 0666);
    if (fd >= 0 || (why->error != EACCES && why->error != EPERM && why->error != EBUSY)) return fd;
    fd = mg_open_again(&ignored, path, true);
    if (fd < 0 || ftruncate(fd, 0) == 0) return fd;
    close(fd);
    return -1;
}

/* It is read while it is written, so it has its name from the beginning. */
static meguri_status open_trace(meguri_ctx *ctx, const char *path) {
    mg_refusal why;
    mg_target target;
    meguri_status status = mg_target_find(&target, ctx, path, path);
    if (status == MEGURI_OK && target.fd < 0 && (target.fd = create_trace(&why, target.path)) < 0)
        status = mg_fail(ctx, MEGURI_NO_DISK, "cannot write the trace to %s: %s.", path, why.text);
    if (status == MEGURI_OK && !(ctx->trace = fdopen(target.fd, "w")))
        status = mg_fail(ctx, MEGURI_NO_MEMORY, "the system has no memory for a trace.");
    if (status != MEGURI_OK && target.fd >= 0) close(target.fd);
    mg_free(target.path);
    return status;
}

meguri_status meguri_ctx_trace(meguri_ctx *ctx, const char *path) {
    if (!ctx) return MEGURI_BAD_ARGUMENT;
    mg_begin(ctx);
    meguri_status status = ctx->trace ? close_trace(ctx) : MEGURI_OK;
    free(ctx->trace_path);
    ctx->trace_path = NULL;
    ctx->trace_error = 0;
    if (status != MEGURI_OK || !path) return status;
    ctx->trace_path = strdup(path);
    if (!ctx->trace_path) return mg_fail(ctx, MEGURI_NO_MEMORY, "the system has no memory for the name of a trace.");
    status = open_trace(ctx, path);
    if (status != MEGURI_OK) return status;
    if (!ctx->trace_to) ctx->trace_start = mg_now();
    return MEGURI_OK;
}

meguri_status meguri_ctx_trace_to(meguri_ctx *ctx, meguri_trace_fn take, void *user) {
    if (!ctx) return MEGURI_BAD_ARGUMENT;
    mg_begin(ctx);
    if (!mg_trace_on(ctx)) ctx->trace_start = mg_now();
    ctx->trace_to = take;
    ctx->trace_user = user;
    return MEGURI_OK;
}

bool mg_trace_on(const meguri_ctx *ctx) { return ctx->trace || ctx->trace_to; }

/* ---- a line ----------------------------------------------------------------------------------------------------- */

/* A line that is being made, in the room of the context; `lost`: there is no memory for all of it. */
typedef struct line {
    meguri_ctx *ctx;
    size_t length;
    bool lost;
} line;

static void put(line *l, const char *format, ...) MG_PRINTF(2, 3);
static void put(line *l, const char *format, ...) {
    meguri_ctx *ctx = l->ctx;
    for (;;) {
        va_list arguments;
        va_start(arguments, format);
        size_t left = ctx->trace_room - l->length;
        int length = vsnprintf(ctx->trace_line ? ctx->trace_line + l->length : NULL, left, format, arguments);
        va_end(arguments);
        if (length < 0 || l->lost) return;
        if ((size_t)length < left) {
            l->length += (size_t)length;
            return;
        }
        size_t room = 2 * (l->length + (size_t)length) + 256;
        char *grown = realloc(ctx->trace_line, room);
        l->lost = !grown;
        if (!grown) return;
        ctx->trace_line = grown;
        ctx->trace_room = room;
    }
}

static void put_text(line *l, const char *key, const char *text) {
    if (!text) return;
    put(l, ",\"%s\":\"", key);
    char room[MG_ESCAPED];
    for (size_t left = strlen(text), bytes; left; text += bytes, left -= bytes) {
        const char *instead = mg_json_escape(room, &bytes, text, left);
        put(l, "%.*s", instead ? (int)strlen(instead) : (int)bytes, instead ? instead : text);
    }
    put(l, "\"");
}

static void put_number(line *l, const char *key, int64_t number) {
    if (number >= 0) put(l, ",\"%s\":%" PRId64, key, number);
}

static line begin_line(meguri_ctx *ctx, const char *run, double now) {
    line l = {.ctx = ctx};
    pthread_mutex_lock(&ctx->lock);
    /* Microseconds as whole numbers: no printf of doubles, so no decimal comma in any locale. */
    put(&l, "{\"at_us\":%" PRId64, (int64_t)((now - ctx->trace_start) * 1e6));
    put_text(&l, "run", run);
    return l;
}

/* Later writes may fail for other reasons, or not at all: the first that failed is what happened. */
static void end_line(line *l) {
    meguri_ctx *ctx = l->ctx;
    put(l, "}");
    if (l->lost && !ctx->trace_error) ctx->trace_error = ENOMEM;
    if (!l->lost && ctx->trace) {
        fwrite(ctx->trace_line, 1, l->length, ctx->trace);
        fputc('\n', ctx->trace);
        if (ferror(ctx->trace) && !ctx->trace_error) ctx->trace_error = errno ? errno : EIO;
    }
    if (!l->lost && ctx->trace_to) ctx->trace_to(ctx->trace_user, ctx->trace_line, l->length);
    pthread_mutex_unlock(&ctx->lock);
}

static int64_t microseconds(double seconds) { return (int64_t)(seconds * 1e6 + 0.5); }

static void put_traffic(line *l, const mg_step_traffic *t) {
    put_text(l, "grid", t->grid);
    put_number(l, "block", t->block);
    put_text(l, "exchange", t->packed ? "packed" : "plain");
    for (int most = 0; most < 2; most++) {
        put(l, ",\"%s\":{", most ? "sent_most" : "sent");
        if (most) put(l, "\"process\":%" PRId64 ",", t->most_process);
        for (int k = 0; k < t->kinds; k++)
            put(l, "%s\"%s\":{\"messages\":%" PRId64 ",\"bytes\":%" PRId64 "}", k ? "," : "", t->kind[k].name,
                most ? t->kind[k].most_messages : t->kind[k].messages, most ? t->kind[k].most_bytes : t->kind[k].bytes);
        put(l, "}");
    }
    put_number(l, "waited_us", microseconds(t->waited));
    put_number(l, "under_way_us", microseconds(t->under_way));
    put_number(l, "hidden_us", microseconds(t->hidden));
}

static void put_group(line *l, const mg_step_group *group) {
    put(l, ",\"%s\":{", group->name);
    for (int i = 0; i < group->count; i++)
        put(l, "%s\"%s\":%" PRId64, i ? "," : "", group->member[i].name, group->member[i].number);
    put(l, "}");
}

static void put_threshold(line *l, const char *key, double seconds) {
    if (isinf(seconds)) put(l, ",\"%s\":null", key);
    else put_number(l, key, microseconds(seconds));
}

static void put_search(line *l, const mg_step_search *s) {
    put_text(l, "strategy", s->strategy);
    put_number(l, "vertices", s->vertices);
    put_number(l, "source", s->source);
    put_number(l, "searches", s->searches);
    if (!s->thresholds) return;
    put_text(l, "thresholds", s->measured ? "measured" : "given");
    put_threshold(l, "all_above_us", s->above);
    put_threshold(l, "selected_below_us", s->below);
}

void mg_trace(meguri_ctx *ctx, const mg_step *step) {
    if (!mg_trace_on(ctx)) return;
    double now = mg_now();
    line l = begin_line(ctx, step->run, now);
    put_number(&l, "step", step->step);
    put_text(&l, "phase", step->phase);
    put_number(&l, "frontier", step->frontier);
    put_number(&l, "edges", step->edges);
    put_text(&l, "way", step->way);
    put_text(&l, "engine", step->engine);
    put_number(&l, "lane", step->lane);
    put_number(&l, "threads", step->threads);
    if (step->seconds >= 0) {
        double start = now - step->seconds - ctx->trace_start;
        put_number(&l, "start_us", microseconds(start > 0 ? start : 0));
        put_number(&l, "us", microseconds(step->seconds));
    }
    put_number(&l, "bytes", step->bytes);
    put_number(&l, "messages", step->messages);
    put_number(&l, "active", step->active);
    for (int i = 0; i < step->group_count; i++) put_group(&l, &step->groups[i]);
    if (step->traffic) put_traffic(&l, step->traffic);
    if (step->search) put_search(&l, step->search);
    end_line(&l);
}

meguri_status meguri_ctx_trace_add(meguri_ctx *ctx, const char *run, const char *members) {
    if (!ctx || !run || !members) return mg_missing(ctx, __func__);
    for (const char *s = members; *s; s++)
        if ((unsigned char)*s < ' ')
            return mg_fail(ctx, MEGURI_BAD_ARGUMENT,
                           "a line for the trace has a control character in it; escape it as JSON does.");
    if (!mg_trace_on(ctx)) return MEGURI_OK;
    line l = begin_line(ctx, run, mg_now());
    put(&l, "%s%s", *members ? "," : "", members);
    end_line(&l);
    return MEGURI_OK;
}

void mg_trace_phase(meguri_ctx *ctx, const char *run, const char *phase, int64_t edges, int64_t bytes, double since) {
    if (!mg_trace_on(ctx)) return;
    mg_step step = MG_STEP_NONE;
    step.run = run;
    step.phase = phase;
    step.engine = "host";
    step.threads = (int64_t)meguri_ctx_threads(ctx);
    step.edges = edges;
    step.bytes = bytes;
    step.seconds = mg_now() - since;
    mg_trace(ctx, &step);
}
