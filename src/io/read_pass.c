/* A pass over an input: threads take chunks in order and parse them at the same time.
 *
 * Chunks are handed out in order, so when one fails, every chunk before it has been handed out too: no new ones are
 * started, the earlier ones are finished, and the failure nearest to the start of the input is the one reported,
 * whatever the threads did. */
#define _GNU_SOURCE
#include "io/read.h"

#include <inttypes.h>

enum { MOST_CHUNK = 8 << 20, LEAST_CHUNK = 64 << 10, GRAIN = 512 << 10 };

/* Small enough that every thread gets some and that the buffers of all take little of the memory that is left: a chunk
 * of text becomes a block of up to four times its size. */
static size_t choose_chunk(const mg_pass *pass, int threads) {
    if (pass->reader->chunk_bytes) return pass->reader->chunk_bytes;
    uint64_t bytes = mg_memory_left(pass->reader->ctx) / 32 / (unsigned)threads;
    if (pass->input->random && !pass->input->decompressor)
        bytes = MG_MIN(bytes, pass->input->size / (unsigned)threads + 1);
    bytes = MG_MIN(bytes, (uint64_t)MOST_CHUNK);
    /* One part may have to make some for all. */
    if (pass->reader->share)
        bytes = MG_MIN(bytes, (uint64_t)MOST_CHUNK * 8 / ((uint64_t)pass->reader->share->of.parts * (unsigned)threads));
    return (size_t)MG_MAX(bytes, (uint64_t)LEAST_CHUNK);
}

static bool has_failed(mg_pass *pass) {
    pthread_mutex_lock(&pass->lock);
    bool failed = pass->failed_at != UINT64_MAX;
    pthread_mutex_unlock(&pass->lock);
    return failed;
}

/* After mg_pass_fail there is nothing left to note; other failures have put their sentence into the context. */
static void note_failure(mg_pass *pass, uint64_t sequence, meguri_status status) {
    pthread_mutex_lock(&pass->lock);
    if (pass->status == MEGURI_OK && (status != MEGURI_BAD_INPUT || !pass->has_error)) pass->status = status;
    pass->failed_at = MG_MIN(pass->failed_at, sequence);
    pthread_cond_broadcast(&pass->moved);
    pthread_mutex_unlock(&pass->lock);
}

/* Keeps the sentence about a chunk, unless there is one about an earlier chunk. */
static meguri_status keep_sentence(mg_pass *pass, const mg_chunk *chunk, const char *sentence) {
    pthread_mutex_lock(&pass->lock);
    if (chunk->sequence < pass->failed_at) {
        pass->failed_at = chunk->sequence;
        pass->has_error = true;
        snprintf(pass->error, sizeof pass->error, "%s", sentence);
    }
    pthread_cond_broadcast(&pass->moved);
    pthread_mutex_unlock(&pass->lock);
    return MEGURI_BAD_INPUT;
}

/* Zero bytes end words in strange places, and show as nothing: a sentence about the words would mislead. */
static bool has_zero_byte(const mg_pass *pass, const mg_chunk *chunk, const char *where) {
    if (pass->input->plan.cut == MG_CUT_RECORDS) return false;
    const char *begin = memrchr(chunk->begin, '\n', (size_t)(where - chunk->begin));
    begin = begin ? begin + 1 : chunk->begin;
    return memchr(begin, '\0', (size_t)(mg_line_end(where, chunk->end) - begin)) != NULL;
}

static void describe(char *text, size_t room, mg_pass *pass, const mg_chunk *chunk, const char *where,
                     const char *format, va_list args) {
    if (has_zero_byte(pass, chunk, where))
        snprintf(text, room, "this line holds a zero byte, so it is no text; the file may be damaged.");
    else vsnprintf(text, room, format, args);
}

static meguri_status fail_at(mg_pass *pass, const mg_chunk *chunk, const char *where, const char *format,
                             va_list args) {
    char text[sizeof pass->error];
    uint64_t line = mg_input_line_number(pass->input, chunk, where);
    int used = snprintf(text, sizeof text, "%s:%" PRIu64 ": ", pass->input->name, line);
    if (used >= 0 && (size_t)used < sizeof text)
        describe(text + used, sizeof text - (size_t)used, pass, chunk, where, format, args);
    return keep_sentence(pass, chunk, text);
}

meguri_status mg_pass_fail(mg_pass *pass, const mg_chunk *chunk, const char *where, const char *format, ...) {
    va_list args;
    va_start(args, format);
    meguri_status status = fail_at(pass, chunk, where, format, args);
    va_end(args);
    return status;
}

/* Keeps a skipped line if it is one of the first; those of a chunk come in order. */
static void keep_skipped(mg_pass *pass, const mg_skipped *line) {
    uint32_t at = pass->shown;
    while (at > 0 && pass->skipped[at - 1].sequence > line->sequence) at--;
    if (at == MG_SHOWN_SKIPPED) return;
    if (pass->shown < MG_SHOWN_SKIPPED) pass->shown++;
    for (uint32_t i = pass->shown - 1; i > at; i--) pass->skipped[i] = pass->skipped[i - 1];
    pass->skipped[at] = *line;
}

meguri_status mg_pass_bad(mg_pass *pass, const mg_chunk *chunk, const char *where, const char *format, ...) {
    meguri_status status = MEGURI_BAD_INPUT;
    va_list args;
    va_start(args, format);
    if (pass->reader->options.skip_bad) {
        mg_skipped line = {.sequence = chunk->sequence,
                           .line = chunk->line,
                           .offset = chunk->offset,
                           .inside = mg_count_lines(chunk->begin, where)};
        describe(line.why, sizeof line.why, pass, chunk, where, format, args);
        mg_pass_remark(pass, chunk, where, MG_SKIPPED, 1);
        pthread_mutex_lock(&pass->lock);
        keep_skipped(pass, &line);
        pthread_mutex_unlock(&pass->lock);
    } else status = fail_at(pass, chunk, where, format, args);
    va_end(args);
    return status;
}

bool mg_pass_skips(mg_pass *pass, const mg_chunk *chunk) {
    if (!pass->reader->options.skip_bad) return false;
    pthread_mutex_lock(&pass->lock);
    bool skips = pass->failed_at > chunk->sequence;
    pthread_mutex_unlock(&pass->lock);
    return skips;
}

void mg_pass_remark(mg_pass *pass, const mg_chunk *chunk, const char *where, mg_remark kind, uint64_t count) {
    if (!count) return;
    uint64_t inside = mg_count_lines(chunk->begin, where);
    pthread_mutex_lock(&pass->lock);
    mg_noted *noted = &pass->noted[kind];
    if (!noted->count || chunk->sequence < noted->sequence) {
        noted->sequence = chunk->sequence;
        noted->line = chunk->line;
        noted->offset = chunk->offset;
        noted->inside = inside;
    }
    noted->count += count;
    pthread_mutex_unlock(&pass->lock);
}

/* Where remarks were found first: places become line numbers. */
static void number_remarks(mg_pass *pass) {
    for (int kind = 0; kind < MG_REMARKS; kind++) {
        mg_noted *noted = &pass->noted[kind];
        const mg_chunk chunk = {.line = noted->line, .offset = noted->offset};
        if (noted->count) noted->inside += mg_input_line_number(pass->input, &chunk, NULL);
    }
}

/* The first lines that were skipped, where all of the input was read here, and how many there are. */
static void tell_skipped(mg_pass *pass) {
    const mg_noted *noted = &pass->noted[MG_SKIPPED];
    meguri_ctx *ctx = pass->reader->ctx;
    if (!noted->count) return;
    for (uint32_t i = 0; i < pass->shown && !pass->reader->share; i++) {
        const mg_skipped *line = &pass->skipped[i];
        const mg_chunk chunk = {.line = line->line, .offset = line->offset};
        mg_warn(ctx, "%s:%" PRIu64 ": skipped: %s", pass->input->name,
                line->inside + mg_input_line_number(pass->input, &chunk, NULL), line->why);
    }
    mg_warn(ctx, "%s: %" PRIu64 " line%s skipped (--skip-bad), the first of them line %" PRIu64 ".", pass->input->name,
            noted->count, noted->count == 1 ? " is" : "s are", noted->inside);
}

bool mg_pass_wait_turn(mg_pass *pass, const mg_chunk *chunk) {
    pthread_mutex_lock(&pass->lock);
    while (pass->turn < chunk->sequence && pass->failed_at >= chunk->sequence)
        pthread_cond_wait(&pass->moved, &pass->lock);
    bool mine = pass->turn == chunk->sequence;
    pthread_mutex_unlock(&pass->lock);
    return mine;
}

void mg_pass_end_turn(mg_pass *pass, const mg_chunk *chunk) {
    pthread_mutex_lock(&pass->lock);
    pass->turn = chunk->sequence + 1;
    pthread_cond_broadcast(&pass->moved);
    pthread_mutex_unlock(&pass->lock);
}

/* The next chunk and what is in it; *ended behind the last. */
static meguri_status work_on_next(mg_pass *pass, mg_chunk *chunk, bool *ended) {
    if (mg_input_cancelled(pass->input)) return mg_fail_cancelled(pass->reader->ctx);
    meguri_status status = mg_input_next(pass->input, chunk);
    if (status == MEGURI_BAD_INPUT && pass->input->damage) return keep_sentence(pass, chunk, pass->input->damage);
    *ended = status == MEGURI_OK && !chunk->begin;
    if (status == MEGURI_OK && !*ended) status = pass->parse(pass, chunk);
    if (status == MEGURI_OK && chunk->overlong)
        status = mg_pass_fail(pass, chunk, chunk->overlong, "%s", MG_OVERLONG_TEXT);
    return status;
}

static void work(void *what, mg_worker *worker) {
    (void)worker;
    mg_pass *pass = what;
    mg_chunk chunk = {0};
    bool ended = false;
    while (!ended && !has_failed(pass)) {
        meguri_status status = work_on_next(pass, &chunk, &ended);
        if (status != MEGURI_OK) note_failure(pass, chunk.sequence, status);
    }
    mg_free(chunk.buffer);
}

meguri_status mg_pass_work(mg_pass *pass, int threads) {
    mg_run_together(pass->reader->ctx, threads, work, pass);
    if (pass->status != MEGURI_OK) return pass->status;
    return pass->has_error ? mg_fail(pass->reader->ctx, MEGURI_BAD_INPUT, "%s", pass->error) : MEGURI_OK;
}

static meguri_status start(mg_pass *pass, const mg_plan *plan) {
    mg_reader *reader = pass->reader;
    meguri_status status = mg_input_start(pass->input, plan);
    if (status == MEGURI_OK && reader->share)
        status = mg_input_share(pass->input, reader->share->of.part, reader->share->of.parts);
    if (status != MEGURI_OK) return status;
    if (pthread_mutex_init(&pass->lock, NULL) != 0)
        return mg_fail(reader->ctx, MEGURI_NO_MEMORY, "the system has no room for a lock.");
    if (pthread_cond_init(&pass->moved, NULL) != 0) {
        pthread_mutex_destroy(&pass->lock);
        return mg_fail(reader->ctx, MEGURI_NO_MEMORY, "the system has no room for a lock.");
    }
    pass->place = ++reader->passes << 40;
    pass->turn = 0;
    pass->failed_at = UINT64_MAX;
    pass->status = MEGURI_OK;
    pass->has_error = false;
    return MEGURI_OK;
}

meguri_status mg_pass_run(mg_pass *pass, mg_plan plan) {
    mg_reader *reader = pass->reader;
    mg_input *input = pass->input;
    double since = mg_now();
    int threads = mg_threads(reader->ctx, input->random && !input->decompressor ? input->size : UINT64_MAX,
                             reader->chunk_bytes ? reader->chunk_bytes : GRAIN);
    plan.chunk_bytes = choose_chunk(pass, threads);
    meguri_status status = start(pass, &plan);
    if (status == MEGURI_OK) {
        status = input->dealt ? mg_pass_deal(pass, threads) : mg_pass_work(pass, threads);
        pthread_cond_destroy(&pass->moved);
        pthread_mutex_destroy(&pass->lock);
    }
    mg_trace_phase(reader->ctx, "read", "parse", (int64_t)pass->edges, (int64_t)input->position, since);
    if (status == MEGURI_OK) number_remarks(pass);
    if (reader->share) status = mg_pass_sum(pass, status);
    if (status == MEGURI_OK) tell_skipped(pass);
    return status;
}

meguri_status mg_header_fail(mg_input *input, const char *format, ...) {
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return mg_fail(input->ctx, MEGURI_BAD_INPUT, "%s:%" PRIu64 ": %s", input->name, mg_input_header_line(input), text);
}
