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
    mg_tracing *t = &ctx->trace;
    int error = fflush(t->file) == 0 ? 0 : errno;
    if (atomic_load(&t->error)) error = atomic_load(&t->error);
    mg_no_room no_room = mg_no_room_in(fileno(t->file), error, 0); /* asks the file, which must be open */
    if (fclose(t->file) != 0 && !error) error = errno;
    t->file = NULL;
    if (!error) return MEGURI_OK;
    if (mg_is_no_room(error))
        return mg_fail(ctx, MEGURI_NO_DISK, "there is no room to write the trace %s whole (%s): %s.", t->path,
                       no_room.reason, no_room.advice);
    return mg_fail(ctx, MEGURI_NO_DISK, "the trace %s could not be written whole: %s.", t->path, strerror(error));
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
    if (status == MEGURI_OK && !(ctx->trace.file = fdopen(target.fd, "w")))
        status = mg_fail(ctx, MEGURI_NO_MEMORY, "the system has no memory for a trace.");
    if (status != MEGURI_OK && target.fd >= 0) close(target.fd);
    mg_free(target.path);
    return status;
}

meguri_status meguri_ctx_trace(meguri_ctx *ctx, const char *path) {
    if (!ctx) return mg_missing(NULL, __func__);
    mg_begin(ctx);
    mg_tracing *t = &ctx->trace;
    meguri_status status = t->file ? close_trace(ctx) : MEGURI_OK;
    free(t->path);
    t->path = NULL;
    atomic_store(&t->error, 0);
    if (status != MEGURI_OK || !path) return status;
    t->path = strdup(path);
    if (!t->path) return mg_fail(ctx, MEGURI_NO_MEMORY, "the system has no memory for the name of a trace.");
    status = open_trace(ctx, path);
    if (status != MEGURI_OK) return status;
    if (!t->to) t->start = mg_now();
    return MEGURI_OK;
}

meguri_status meguri_ctx_trace_to(meguri_ctx *ctx, meguri_trace_fn take, void *user) {
    if (!ctx) return mg_missing(NULL, __func__);
    mg_begin(ctx);
    if (!ctx->trace.file && !ctx->trace.to) ctx->trace.start = mg_now();
    ctx->trace.to = take;
    ctx->trace.user = user;
    return MEGURI_OK;
}

/* That of a child without one is its parent's; NULL: there is none. */
static const meguri_ctx *traced(const meguri_ctx *ctx) {
    while (ctx && !ctx->trace.file && !ctx->trace.to) ctx = ctx->parent;
    return ctx;
}

bool mg_trace_on(const meguri_ctx *ctx) { return traced(ctx) != NULL; }

/* ---- a line ----------------------------------------------------------------------------------------------------- */

#define LINE 1000 /* bytes of most lines */

/* A line that is being made, by one of many threads; `lost`: there is no memory for all of it. */
typedef struct line {
    meguri_ctx *ctx;
    mg_tracing *trace;
    char *text; /* `first`, or memory */
    size_t length, room;
    bool lost;
    char first[LINE];
} line;

static bool grow(line *l, size_t room) {
    char *grown = realloc(l->text == l->first ? NULL : l->text, room);
    l->lost = !grown;
    if (!grown) return false;
    if (l->text == l->first) memcpy(grown, l->first, l->length);
    l->text = grown;
    l->room = room;
    return true;
}

static void put(line *l, const char *format, ...) MG_PRINTF(2, 3);
static void put(line *l, const char *format, ...) {
    for (;;) {
        va_list arguments;
        va_start(arguments, format);
        size_t left = l->room - l->length;
        int length = vsnprintf(l->text + l->length, left, format, arguments);
        va_end(arguments);
        if (length < 0 || l->lost) return;
        if ((size_t)length < left) {
            l->length += (size_t)length;
            return;
        }
        if (!grow(l, 2 * (l->length + (size_t)length) + 256)) return;
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

static void begin_line(line *l, meguri_ctx *ctx, const char *run, double now) {
    l->ctx = ctx;
    l->trace = (mg_tracing *)(uintptr_t)&traced(ctx)->trace;
    l->text = l->first;
    l->room = sizeof l->first;
    l->length = 0;
    l->lost = false;
    /* Microseconds as whole numbers: no printf of doubles, so no decimal comma in any locale. */
    put(l, "{\"at_us\":%" PRId64, (int64_t)((now - l->trace->start) * 1e6));
    put_text(l, "run", run);
}

static void to_file(mg_tracing *t, const char *text, size_t length) {
    int none = 0;
    errno = 0;
    if (fwrite(text, 1, length, t->file) == length && !ferror(t->file)) return;
    atomic_compare_exchange_strong(&t->error, &none, errno ? errno : EIO);
}

void mg_tell_trace(const meguri_ctx *ctx, mg_caller *c, const char *text, size_t length) {
    const meguri_ctx *of = traced(ctx);
    if (!of || !of->trace.to || c->traces) return;
    MG_OUTSIDE(outside, (meguri_ctx *)(uintptr_t)ctx);
    c->traces = true; /* what is called from there is not told there */
    of->trace.to(of->trace.user, text, length);
    c->traces = false;
    mg_inside(&outside, MEGURI_OK);
}

/* A file gets each line whole, whoever writes it: one fwrite. Later writes may fail for other reasons, or not at all:
 * the first that failed is what happened. */
static void end_line(line *l) {
    mg_tracing *t = l->trace;
    put(l, "}\n");
    int none = 0;
    if (l->lost) atomic_compare_exchange_strong(&t->error, &none, ENOMEM);
    else if (t->file) to_file(t, l->text, l->length);
    if (!l->lost && t->to) {
        mg_caller *c = mg_caller_of(l->ctx);
        l->text[--l->length] = '\0';
        if (mg_is_worker()) mg_say_later(l->ctx, MG_SAID_TRACE, 0, l->text, l->length);
        else {
            if (atomic_load(&c->anything_said)) mg_tell_said(l->ctx, c);
            mg_tell_trace(l->ctx, c, l->text, l->length);
        }
    }
    if (l->text != l->first) free(l->text);
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
    line l;
    begin_line(&l, ctx, step->run, now);
    put_number(&l, "step", step->step);
    put_text(&l, "phase", step->phase);
    put_number(&l, "frontier", step->frontier);
    put_number(&l, "edges", step->edges);
    put_text(&l, "way", step->way);
    put_text(&l, "engine", step->engine);
    put_number(&l, "lane", step->lane);
    put_number(&l, "threads", step->threads);
    if (step->seconds >= 0) {
        double start = now - step->seconds - l.trace->start;
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
    line l;
    begin_line(&l, ctx, run, mg_now());
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
