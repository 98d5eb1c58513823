/* The trace: one line of JSON per step, the same for every engine (docs/trace.md). */
#define _GNU_SOURCE
#include "base/ctx.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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
    ctx->trace = fopen(path, "we");
    if (!ctx->trace) return mg_fail(ctx, MEGURI_NO_DISK, "cannot write the trace to %s: %s.", path, strerror(errno));
    ctx->trace_start = mg_now();
    return MEGURI_OK;
}

bool mg_trace_on(const meguri_ctx *ctx) { return ctx->trace != NULL; }

/* Later writes may fail for other reasons, or not at all: the first that failed is what happened. */
static void end_line(meguri_ctx *ctx) {
    fputs("}\n", ctx->trace);
    if (ferror(ctx->trace) && !ctx->trace_error) ctx->trace_error = errno ? errno : EIO;
}

static void put_text(FILE *file, const char *key, const char *text) {
    if (!text) return;
    fprintf(file, ",\"%s\":\"", key);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') fputc('\\', file);
        if ((unsigned char)*text >= ' ') fputc(*text, file);
        else fprintf(file, "\\u%04x", (unsigned)*text);
    }
    fputc('"', file);
}

static void put_number(FILE *file, const char *key, int64_t number) {
    if (number >= 0) fprintf(file, ",\"%s\":%" PRId64, key, number);
}

static int64_t microseconds(double seconds) { return (int64_t)(seconds * 1e6 + 0.5); }

static void put_traffic(FILE *file, const mg_step_traffic *t) {
    put_text(file, "grid", t->grid);
    put_number(file, "block", t->block);
    put_text(file, "exchange", t->packed ? "packed" : "plain");
    for (int most = 0; most < 2; most++) {
        fprintf(file, ",\"%s\":{", most ? "sent_most" : "sent");
        if (most) fprintf(file, "\"process\":%" PRId64 ",", t->most_process);
        for (int k = 0; k < t->kinds; k++)
            fprintf(file, "%s\"%s\":{\"messages\":%" PRId64 ",\"bytes\":%" PRId64 "}", k ? "," : "", t->kind[k].name,
                    most ? t->kind[k].most_messages : t->kind[k].messages,
                    most ? t->kind[k].most_bytes : t->kind[k].bytes);
        fputc('}', file);
    }
    put_number(file, "waited_us", microseconds(t->waited));
    put_number(file, "under_way_us", microseconds(t->under_way));
    put_number(file, "hidden_us", microseconds(t->hidden));
}

void mg_trace(meguri_ctx *ctx, const mg_step *step) {
    if (!ctx->trace) return;
    /* Microseconds as whole numbers: no printf of doubles, so no decimal comma in any locale. */
    int64_t at = (int64_t)((mg_now() - ctx->trace_start) * 1e6);
    pthread_mutex_lock(&ctx->lock);
    FILE *file = ctx->trace;
    fprintf(file, "{\"at_us\":%" PRId64, at);
    put_text(file, "run", step->run);
    put_number(file, "step", step->step);
    put_text(file, "phase", step->phase);
    put_number(file, "frontier", step->frontier);
    put_number(file, "edges", step->edges);
    put_text(file, "way", step->way);
    put_text(file, "engine", step->engine);
    put_number(file, "threads", step->threads);
    if (step->seconds >= 0) put_number(file, "us", microseconds(step->seconds));
    put_number(file, "bytes", step->bytes);
    put_number(file, "messages", step->messages);
    if (step->traffic) put_traffic(file, step->traffic);
    end_line(ctx);
    pthread_mutex_unlock(&ctx->lock);
}

meguri_status meguri_ctx_trace_add(meguri_ctx *ctx, const char *run, const char *members) {
    if (!ctx || !run || !members) return mg_missing(ctx, __func__);
    for (const char *s = members; *s; s++)
        if ((unsigned char)*s < ' ')
            return mg_fail(ctx, MEGURI_BAD_ARGUMENT,
                           "a line for the trace has a control character in it; escape it as JSON does.");
    if (!ctx->trace) return MEGURI_OK;
    int64_t at = (int64_t)((mg_now() - ctx->trace_start) * 1e6);
    pthread_mutex_lock(&ctx->lock);
    fprintf(ctx->trace, "{\"at_us\":%" PRId64, at);
    put_text(ctx->trace, "run", run);
    fprintf(ctx->trace, "%s%s", *members ? "," : "", members);
    end_line(ctx);
    pthread_mutex_unlock(&ctx->lock);
    return MEGURI_OK;
}

void mg_trace_phase(meguri_ctx *ctx, const char *run, const char *phase, int64_t edges, int64_t bytes, double since) {
    if (!ctx->trace) return;
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
