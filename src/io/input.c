/* Inputs: a file, a pipe, standard input or memory, plain or compressed, as chunks of whole lines.
 *
 * Plain files are read at any place by any thread: under the lock a thread only finds out where its chunk ends, then
 * reads it by itself. We read into buffers of our own instead of mapping the file: it is as fast (measured: 1.5 GB/s
 * with parsing either way, page faults cost what copying costs), gives readable bytes around every chunk, and a file
 * that shrinks meanwhile is a clear failure instead of a signal. Whatever else there is (pipes, compressed files,
 * formats that must count lines or quotes from the start) is decompressed in order by whichever thread comes for the
 * next chunk, while the others parse theirs. */
#define _GNU_SOURCE
#include "io/read.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { FIRST_LOOK = 64 };
enum { MOST_AT_ONCE = 1 << 20 }; /* bytes read or decompressed between two looks at whether the user has had enough */

/* Compressed bytes read so far, or where the chunks are. */
static uint64_t bytes_done(const mg_input *input) {
    return mg_load(!input->random || input->decompressor || input->in_order ? &input->raw_offset : &input->position);
}

bool mg_input_cancelled(const mg_input *input) {
    return mg_progress(input->ctx, "reading", input->done_before + bytes_done(input), input->total);
}

/* ---- opening ---------------------------------------------------------------------------------------------------- */

static meguri_status open_path(mg_input *input, const char *path) {
    meguri_ctx *ctx = input->ctx;
    if (strcmp(path, "-") == 0) {
        input->fd = STDIN_FILENO;
        input->name = "standard input";
    } else {
        input->fd = open(path, O_RDONLY | O_CLOEXEC);
        if (input->fd < 0) return mg_fail_open(ctx, path, errno);
        input->close_fd = true;
    }
    struct stat facts;
    if (fstat(input->fd, &facts) != 0)
        return mg_fail(ctx, MEGURI_BAD_INPUT, "cannot read %s: %s.", input->name, strerror(errno));
    if (S_ISDIR(facts.st_mode))
        return mg_fail(ctx, MEGURI_BAD_INPUT, "%s is a folder; name the files in it.", input->name);
    off_t at = lseek(input->fd, 0, SEEK_CUR);
    /* Files of /proc and the like say they have no bytes: they are read as pipes are. */
    if (S_ISREG(facts.st_mode) && at >= 0 && facts.st_size > at) {
        input->random = true;
        input->start = (uint64_t)at;
        input->size = (uint64_t)(facts.st_size - at);
    }
    return MEGURI_OK;
}

/* Compressed bytes at a place of a random input; *got may be less only at its end. */
static meguri_status read_at(const mg_input *input, void *to, size_t bytes, uint64_t offset, size_t *got) {
    *got = 0;
    if (offset >= input->size) return MEGURI_OK;
    bytes = (size_t)MG_MIN(bytes, input->size - offset);
    if (input->memory) {
        memcpy(to, input->memory + offset, bytes);
        *got = bytes;
        return MEGURI_OK;
    }
    while (*got < bytes) {
        size_t now = MG_MIN(bytes - *got, (size_t)MOST_AT_ONCE);
        if (*got && mg_input_cancelled(input)) return mg_fail_cancelled(input->ctx);
        ssize_t count = pread(input->fd, (char *)to + *got, now, (off_t)(input->start + offset + *got));
        if (count < 0 && errno == EINTR) continue;
        if (count < 0)
            return mg_fail(input->ctx, MEGURI_BAD_INPUT, "cannot read %s: %s.", input->name, strerror(errno));
        if (count == 0)
            return mg_fail(input->ctx, MEGURI_BAD_INPUT, "%s became shorter while it was read; try again.",
                           input->name);
        *got += (size_t)count;
    }
    return MEGURI_OK;
}

enum { PATIENCE = 20 }; /* milliseconds between two looks at whether the user has had enough */

/* A pipe may be silent for as long as it likes, and must not keep a cancel waiting. */
static meguri_status wait_for_bytes(mg_input *input) {
    struct pollfd pipe = {.fd = input->fd, .events = POLLIN};
    while (poll(&pipe, 1, PATIENCE) <= 0)
        if (mg_input_cancelled(input)) return mg_fail_cancelled(input->ctx);
    return MEGURI_OK;
}

/* The next compressed bytes; 0 at the end. */
static meguri_status read_next(mg_input *input, void *to, size_t bytes, size_t *got) {
    meguri_status status = MEGURI_OK;
    if (input->random) {
        status = read_at(input, to, bytes, input->raw_offset, got);
    } else {
        status = wait_for_bytes(input);
        if (status != MEGURI_OK) return status;
        ssize_t count;
        do count = read(input->fd, to, bytes);
        while (count < 0 && errno == EINTR);
        if (count < 0)
            status = mg_fail(input->ctx, MEGURI_BAD_INPUT, "cannot read %s: %s.", input->name, strerror(errno));
        *got = count > 0 ? (size_t)count : 0;
    }
    if (*got == 0) input->raw_ended = true;
    mg_store(&input->raw_offset, input->raw_offset + *got);
    return status;
}

static meguri_status fill_raw(mg_input *input) {
    size_t got = 0;
    meguri_status status = read_next(input, input->raw, MG_RAW_BYTES, &got);
    input->raw_begin = 0;
    input->raw_end = got;
    return status;
}

meguri_status mg_input_fill(mg_input *input, size_t want) {
    while (input->raw_end < want && !input->raw_ended) {
        size_t got = 0;
        meguri_status status = read_next(input, input->raw + input->raw_end, want - input->raw_end, &got);
        if (status != MEGURI_OK) return status;
        input->raw_end += got;
    }
    return MEGURI_OK;
}

/* Looks at the first bytes to see whether they are compressed. */
static meguri_status prepare(mg_input *input) {
    meguri_ctx *ctx = input->ctx;
    if (pthread_mutex_init(&input->lock, NULL) != 0)
        return mg_fail(ctx, MEGURI_NO_MEMORY, "the system has no room for a lock.");
    input->has_lock = true;
    input->raw = mg_alloc(ctx, MG_RAW_BYTES, "a buffer for reading");
    if (!input->raw) return MEGURI_NO_MEMORY;
    meguri_status status = mg_input_fill(input, FIRST_LOOK);
    if (status != MEGURI_OK) return status;
    input->compression = mg_compression_of(input->raw, input->raw_end);
    if (input->compression == MG_PLAIN) return MEGURI_OK;
    return mg_decompressor_new(&input->decompressor, ctx, input->compression, input->name);
}

meguri_status mg_input_open(mg_input *input, meguri_ctx *ctx, const char *path) {
    *input = (mg_input){.ctx = ctx, .name = path, .fd = -1};
    meguri_status status = open_path(input, path);
    return status == MEGURI_OK ? prepare(input) : status;
}

meguri_status mg_input_memory(mg_input *input, meguri_ctx *ctx, const char *name, const void *data, size_t bytes) {
    *input = (mg_input){.ctx = ctx, .name = name, .fd = -1, .memory = data, .random = true, .size = bytes};
    return prepare(input);
}

meguri_status mg_input_elsewhere(mg_input *input, meguri_ctx *ctx, const char *name, const void *head, size_t bytes,
                                 bool whole) {
    *input = (mg_input){.ctx = ctx, .name = name, .fd = -1, .raw_ended = true, .ended = true, .cut_off = !whole};
    meguri_status status = prepare(input);
    return status == MEGURI_OK ? mg_input_give_head(input, head, bytes) : status;
}

void mg_input_close(mg_input *input) {
    if (input->close_fd) close(input->fd);
    mg_decompressor_free(input->decompressor);
    mg_free(input->raw);
    mg_free(input->head);
    mg_free(input->rest);
    if (input->has_lock) pthread_mutex_destroy(&input->lock);
    *input = (mg_input){.fd = -1};
}

/* ---- decompressed bytes in order ------------------------------------------------------------------------------------
 */

/* The next bytes, a few at a time; 0 where compressed ones were taken up without making any. */
static meguri_status decompress_some(mg_input *input, char *to, size_t room, size_t *made) {
    size_t waiting = input->raw_end - input->raw_begin;
    *made = 0;
    if (input->decompressor) {
        meguri_status status = !waiting && !input->raw_ended ? fill_raw(input) : MEGURI_OK;
        if (status != MEGURI_OK) return status;
        const uint8_t *in = input->raw + input->raw_begin;
        waiting = input->raw_end - input->raw_begin;
        status = mg_decompress(input->decompressor, &in, &waiting, input->raw_ended, to, room, made, &input->ended);
        input->raw_begin = input->raw_end - waiting;
        if (status == MEGURI_BAD_INPUT) input->damage = mg_decompressor_error(input->decompressor);
        return status;
    }
    if (waiting) {
        *made = MG_MIN(waiting, room);
        memcpy(to, input->raw + input->raw_begin, *made);
        input->raw_begin += *made;
        return MEGURI_OK;
    }
    meguri_status status = read_next(input, to, room, made);
    input->ended = *made == 0;
    return status;
}

meguri_status mg_input_decompress(mg_input *input, char *to, size_t room, size_t *got) {
    *got = 0;
    while (*got < room && !input->ended) {
        size_t made;
        if (input->damage) return MEGURI_BAD_INPUT;
        if (mg_input_cancelled(input)) return mg_fail_cancelled(input->ctx);
        meguri_status status = decompress_some(input, to + *got, MG_MIN(room - *got, (size_t)MOST_AT_ONCE), &made);
        *got += made;
        if (status != MEGURI_OK) return status;
    }
    return MEGURI_OK;
}

meguri_status mg_buffer_room(meguri_ctx *ctx, char **buffer, size_t *room, size_t want) {
    if (*buffer && *room >= want) return MEGURI_OK;
    if (want > SIZE_MAX / 4) return mg_fail(ctx, MEGURI_NO_MEMORY, "a line is too long for any memory.");
    char *bigger = mg_resize(ctx, *buffer, want + 2 * MG_PAD, "a buffer for reading");
    if (!bigger) return MEGURI_NO_MEMORY;
    if (!*buffer) memset(bigger, '\n', MG_PAD);
    *buffer = bigger;
    *room = want;
    return MEGURI_OK;
}

uint64_t mg_count_lines(const char *begin, const char *end) {
    uint64_t lines = 0;
    for (const char *p = begin; p < end; p++) lines += *p == '\n';
    return lines;
}

/* ---- chunks ----------------------------------------------------------------------------------------------------- */

meguri_status mg_input_start(mg_input *input, const mg_plan *plan) {
    input->plan = *plan;
    input->position = input->dropped_bytes + input->used;
    input->limit = input->size;
    input->in_order = !input->random || input->decompressor || plan->cut == MG_CUT_QUOTED || plan->count_rows;
    if (!input->in_order) return MEGURI_OK;
    input->lines = input->dropped_lines;
    if (input->used) input->lines += mg_count_lines(input->head + MG_PAD, input->head + MG_PAD + input->used);
    input->rest_bytes = input->head_bytes - input->used;
    meguri_status status =
        mg_buffer_room(input->ctx, &input->rest, &input->rest_room, MG_MAX(input->rest_bytes, (size_t)1));
    if (status == MEGURI_OK && input->rest_bytes)
        memcpy(input->rest + MG_PAD, input->head + MG_PAD + input->used, input->rest_bytes);
    return status;
}

/* Where the line that contains the byte before `from` ends; or a place in it that makes it too long. */
static meguri_status find_line_end(const mg_input *input, uint64_t from, uint64_t *end) {
    char window[4096];
    uint64_t longest = input->plan.longest_line ? input->plan.longest_line : UINT64_MAX;
    for (uint64_t at = from - 1;;) {
        size_t got;
        if (mg_input_cancelled(input)) return mg_fail_cancelled(input->ctx);
        meguri_status status = read_at(input, window, sizeof window, at, &got);
        if (status != MEGURI_OK) return status;
        const char *found = got ? memchr(window, '\n', got) : NULL;
        if (!found && got && at + got - from > longest) {
            *end = at + got;
            return MEGURI_OK;
        }
        if (found || !got) {
            *end = found ? at + (uint64_t)(found - window) + 1 : input->size;
            return MEGURI_OK;
        }
        at += got;
    }
}

static meguri_status claim_range(mg_input *input, uint64_t *begin, uint64_t *end) {
    *begin = input->position;
    *end = input->limit;
    const mg_plan *plan = &input->plan;
    if (*begin >= input->limit || input->limit - *begin <= plan->chunk_bytes) return MEGURI_OK;
    if (plan->cut == MG_CUT_RECORDS) {
        *end = *begin + MG_MAX(plan->chunk_bytes / plan->record_bytes, (size_t)1) * plan->record_bytes;
        *end = MG_MIN(*end, input->limit);
        return MEGURI_OK;
    }
    return find_line_end(input, *begin + plan->chunk_bytes, end);
}

/* Where share number `part` begins: at the beginning of a line or record. */
static meguri_status find_share(const mg_input *input, int part, int parts, uint64_t *begin) {
    const mg_plan *plan = &input->plan;
    uint64_t from = input->dropped_bytes + input->used, bytes = input->size - from;
    *begin = part == 0 ? from : input->size;
    if (part == 0 || part == parts || from >= input->size) return MEGURI_OK;
    if (plan->cut == MG_CUT_RECORDS) {
        *begin = from + mg_share(bytes / plan->record_bytes, part, parts).begin * plan->record_bytes;
        return MEGURI_OK;
    }
    uint64_t place = from + mg_share(bytes, part, parts).begin;
    if (place == from) *begin = from;
    return place == from ? MEGURI_OK : find_line_end(input, place, begin);
}

meguri_status mg_input_share(mg_input *input, int part, int parts) {
    input->dealt = input->in_order;
    if (input->dealt) return MEGURI_OK;
    meguri_status status = find_share(input, part, parts, &input->position);
    return status == MEGURI_OK ? find_share(input, part + 1, parts, &input->limit) : status;
}

/* Moves *line to the start of the line that contains `to`; false if there is one before that is too long, and then to
 * its start. Looks at few of the bytes: only for the last line end within the length that is allowed. */
static bool lines_fit(const char **line, const char *from, const char *to, size_t longest) {
    while (*line < to) {
        const char *far = (size_t)(to - *line) > longest + 1 ? *line + longest + 1 : to;
        const char *begin = MG_MAX(from, *line),
                   *found = far > begin ? memrchr(begin, '\n', (size_t)(far - begin)) : NULL;
        if (found) *line = found + 1;
        else return (size_t)(to - *line) <= longest;
    }
    return true;
}

/* The first line (or record) that is longer than planned; NULL if none is. */
static const char *find_overlong(const mg_plan *plan, const char *begin, const char *end) {
    const char *line = begin;
    if (!plan->longest_line || plan->cut == MG_CUT_RECORDS) return NULL;
    if (plan->cut == MG_CUT_LINES) return lines_fit(&line, begin, end, plan->longest_line) ? NULL : line;
    const char *at = begin;
    for (bool inside = false; at < end; inside = !inside) {
        const char *quote = memchr(at, '"', (size_t)(end - at));
        if (!quote) quote = end;
        if (!inside && !lines_fit(&line, at, quote, plan->longest_line)) return line;
        at = quote + 1;
    }
    return (size_t)(end - line) > plan->longest_line ? line : NULL;
}

/* Readable bytes behind, and an end to the last line. */
static void finish_chunk(mg_chunk *chunk, size_t bytes, const mg_plan *plan) {
    char *text = chunk->buffer + MG_PAD;
    if (plan->cut != MG_CUT_RECORDS && bytes && text[bytes - 1] != '\n') text[bytes++] = '\n';
    memset(text + bytes, '\n', MG_PAD);
    chunk->begin = text;
    chunk->overlong = find_overlong(plan, text, text + bytes);
    chunk->end = chunk->overlong ? chunk->overlong : text + bytes;
}

/* While another thread waits for a pipe or for the end of a line, this one may be the one that hears of a cancel. */
static meguri_status lock_patiently(mg_input *input) {
    for (;;) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += PATIENCE * 1000000L;
        until.tv_sec += until.tv_nsec / 1000000000L;
        until.tv_nsec %= 1000000000L;
        if (pthread_mutex_timedlock(&input->lock, &until) == 0) return MEGURI_OK;
        if (mg_input_cancelled(input)) return mg_fail_cancelled(input->ctx);
    }
}

static meguri_status next_anywhere(mg_input *input, mg_chunk *chunk) {
    uint64_t begin, end;
    meguri_status status = lock_patiently(input);
    if (status != MEGURI_OK) return status;
    status = claim_range(input, &begin, &end);
    chunk->sequence = input->sequence;
    if (status == MEGURI_OK && begin < input->limit) {
        input->sequence++;
        mg_store(&input->position, end);
    }
    pthread_mutex_unlock(&input->lock);
    if (status != MEGURI_OK || begin >= input->limit) return status;

    size_t bytes = (size_t)(end - begin), got;
    status = mg_buffer_room(input->ctx, &chunk->buffer, &chunk->room, bytes + 1);
    if (status == MEGURI_OK) status = read_at(input, chunk->buffer + MG_PAD, bytes, begin, &got);
    if (status != MEGURI_OK) return status;
    chunk->offset = begin;
    chunk->line = 0;
    finish_chunk(chunk, bytes, &input->plan);
    return MEGURI_OK;
}

/* How many of the bytes make whole lines (or records); 0 if not even one. */
static size_t whole_part(const mg_plan *plan, const char *text, size_t bytes) {
    if (plan->cut == MG_CUT_RECORDS) return bytes / plan->record_bytes * plan->record_bytes;
    const char *found = NULL;
    if (plan->cut == MG_CUT_LINES) {
        found = memrchr(text, '\n', bytes);
    } else {
        /* Between an even quote and the next odd one we are outside; a doubled quote goes in and out again. */
        const char *at = text, *end = text + bytes;
        for (bool inside = false; at < end; inside = !inside) {
            const char *quote = memchr(at, '"', (size_t)(end - at));
            if (!quote) quote = end;
            const char *line_end = inside ? NULL : memrchr(at, '\n', (size_t)(quote - at));
            if (line_end) found = line_end;
            at = quote + 1;
        }
    }
    return found ? (size_t)(found - text) + 1 : 0;
}

/* Decompresses until there is a whole line and the chunk is as long as planned. Lines that stand before damaged data
 * count: what is wrong with them is found first, however the input is cut. */
static meguri_status decompress_chunk(mg_input *input, mg_chunk *chunk, size_t *whole) {
    const mg_plan *plan = &input->plan;
    size_t want = MG_MAX(plan->chunk_bytes, input->rest_bytes), bytes = 0;
    for (;;) {
        meguri_status status = mg_buffer_room(input->ctx, &chunk->buffer, &chunk->room, want + 1);
        if (status != MEGURI_OK) return status;
        char *text = chunk->buffer + MG_PAD;
        if (bytes == 0) memcpy(text, input->rest + MG_PAD, bytes = input->rest_bytes);
        size_t got;
        status = mg_input_decompress(input, text + bytes, want - bytes, &got);
        if (status != MEGURI_OK && !input->damage) return status;
        bytes += got;
        *whole = input->ended ? bytes : whole_part(plan, text, bytes);
        if (!*whole && input->damage) return status;
        if (!*whole && plan->longest_line && bytes > plan->longest_line) *whole = bytes;
        if (!*whole && !input->ended) {
            want *= 2;
            continue;
        }
        input->rest_bytes = bytes - *whole;
        status = mg_buffer_room(input->ctx, &input->rest, &input->rest_room, MG_MAX(input->rest_bytes, (size_t)1));
        if (status == MEGURI_OK && input->rest_bytes) memcpy(input->rest + MG_PAD, text + *whole, input->rest_bytes);
        return status;
    }
}

static meguri_status next_in_order(mg_input *input, mg_chunk *chunk) {
    size_t bytes = 0;
    meguri_status status = lock_patiently(input);
    if (status != MEGURI_OK) return status;
    chunk->sequence = input->sequence;
    status = decompress_chunk(input, chunk, &bytes);
    if (status == MEGURI_OK && bytes) {
        chunk->offset = input->position;
        chunk->line = input->lines + 1;
        chunk->rows = input->rows;
        mg_store(&input->position, input->position + bytes);
        input->sequence++;
        finish_chunk(chunk, bytes, &input->plan);
        input->lines += mg_count_lines(chunk->begin, chunk->end);
        if (input->plan.count_rows) input->rows += input->plan.count_rows(chunk->begin, chunk->end);
    }
    pthread_mutex_unlock(&input->lock);
    return status;
}

/* A chunk that another part made; it lies where it arrived. */
static meguri_status next_given(mg_input *input, mg_chunk *chunk) {
    pthread_mutex_lock(&input->lock);
    chunk->sequence = input->sequence;
    if (input->given_next < input->given_count) {
        const mg_chunk *given = &input->given[input->given_next++];
        chunk->begin = given->begin;
        chunk->end = given->end;
        chunk->offset = given->offset;
        chunk->line = given->line;
        chunk->rows = given->rows;
        chunk->overlong = given->overlong;
        chunk->sequence = input->sequence++;
    }
    pthread_mutex_unlock(&input->lock);
    return MEGURI_OK;
}

meguri_status mg_input_make(mg_input *input, mg_chunk *chunk) {
    uint64_t sequence = input->sequence; /* that of chunks which are given */
    chunk->begin = chunk->end = chunk->overlong = NULL;
    meguri_status status = next_in_order(input, chunk);
    input->sequence = sequence;
    return status;
}

meguri_status mg_input_next(mg_input *input, mg_chunk *chunk) {
    chunk->begin = chunk->end = chunk->overlong = NULL;
    if (input->dealt) return next_given(input, chunk);
    return input->in_order ? next_in_order(input, chunk) : next_anywhere(input, chunk);
}

uint64_t mg_input_line_number(mg_input *input, const mg_chunk *chunk, const char *where) {
    uint64_t inside = mg_count_lines(chunk->begin, where);
    if (chunk->line) return chunk->line + inside;
    uint64_t before = 0, at = 0;
    char window[16384];
    while (at < chunk->offset) {
        size_t got;
        if (read_at(input, window, (size_t)MG_MIN(sizeof window, chunk->offset - at), at, &got) != MEGURI_OK || !got)
            break;
        if (mg_input_cancelled(input)) break;
        before += mg_count_lines(window, window + got);
        at += got;
    }
    return 1 + before + inside;
}
