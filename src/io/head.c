/* The beginning of an input: header lines, and a look ahead that leaves everything where it is.
 *
 * A header may stand behind any number of comments and blank lines, so what has been read of it is dropped now and
 * then: time is linear in its length, memory is bounded. A look ahead (mg_sample) goes MG_LOOK_BYTES far for the first
 * line that says something and MG_SAMPLE_BYTES beyond its end, never further: what it finds does not depend on how the
 * input arrives, and the parts of a cluster that know no more than the beginning of a pipe find the same. */
#define _GNU_SOURCE
#include "io/read.h"

#include <inttypes.h>

enum { STEP = 64 << 10 }; /* bytes asked for where a line needs more */

/* So many bytes more have come to the head. */
static void take_head(mg_input *input, size_t bytes) {
    bool first = input->head_bytes == 0 && input->dropped_bytes == 0;
    char *text = input->head + MG_PAD;
    input->head_bytes += bytes;
    memset(text + input->head_bytes, '\n', MG_PAD);
    if (first && input->head_bytes >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) input->used = 3; /* byte order mark */
}

meguri_status mg_input_give_head(mg_input *input, const void *head, size_t bytes) {
    meguri_status status = mg_buffer_room(input->ctx, &input->head, &input->head_room, bytes);
    if (status != MEGURI_OK) return status;
    memcpy(input->head + MG_PAD, head, bytes);
    take_head(input, bytes);
    return MEGURI_OK;
}

meguri_status mg_input_peek(mg_input *input, size_t want) {
    if (input->head && (input->head_bytes >= want || input->ended)) return MEGURI_OK;
    size_t room = input->head && want > input->head_room ? MG_MAX(want, input->head_room * 2) : want;
    meguri_status status = mg_buffer_room(input->ctx, &input->head, &input->head_room, room);
    if (status != MEGURI_OK) return status;
    size_t got = 0;
    status = mg_input_decompress(input, input->head + MG_PAD + input->head_bytes, want - input->head_bytes, &got);
    take_head(input, got);
    return input->damage ? mg_fail(input->ctx, MEGURI_BAD_INPUT, "%s", input->damage) : status;
}

/* ---- header lines ----------------------------------------------------------------------------------------------- */

/* Drops what is behind us, where that is more than what is to be moved for it. */
static void drop_used(mg_input *input) {
    char *text = input->head + MG_PAD;
    size_t left = input->head_bytes - input->used;
    if (input->used < MG_LOOK_BYTES || input->used < left) return;
    input->dropped_bytes += input->used;
    input->dropped_lines += mg_count_lines(text, text + input->used);
    memmove(text, text + input->used, left + MG_PAD);
    input->head_bytes = left;
    input->used = 0;
}

static meguri_status fail_overlong(const mg_input *input, uint64_t line) {
    return mg_fail(input->ctx, MEGURI_BAD_INPUT, "%s:%" PRIu64 ": " MG_OVERLONG_TEXT, input->name, line);
}

/* Where a part of a cluster knows only the beginning of a pipe, its end is not that of the input. */
static meguri_status check_end(const mg_input *input) {
    if (!input->cut_off) return MEGURI_OK;
    return mg_fail(input->ctx, MEGURI_BAD_INPUT,
                   "the header of %s is too long to be read by several processes from a pipe; save it to a file.",
                   input->name);
}

meguri_status mg_input_line(mg_input *input, const char **begin, const char **end) {
    *begin = NULL;
    if (input->head) drop_used(input);
    for (size_t look = 0;;) {
        const char *text = input->head ? input->head + MG_PAD + input->used : NULL;
        size_t bytes = input->head_bytes - input->used;
        const char *found = bytes > look ? memchr(text + look, '\n', bytes - look) : NULL;
        size_t length = found ? (size_t)(found - text) : bytes;
        if (length > MG_LONGEST_LINE) return fail_overlong(input, mg_input_header_line(input) + (input->used != 0));
        if (!found && input->ended && input->cut_off) return check_end(input);
        if (found || (input->ended && bytes)) {
            *begin = text;
            *end = text + length; /* behind the last byte the padding holds a line end */
            input->line_start = input->used;
            input->used += length + (found != NULL);
            return MEGURI_OK;
        }
        if (input->ended && input->head) return MEGURI_OK;
        look = bytes;
        meguri_status status = mg_input_peek(input, input->head_bytes + STEP);
        if (status != MEGURI_OK) return status;
    }
}

void mg_input_unread(mg_input *input) { input->used = input->line_start; }

uint64_t mg_input_header_line(const mg_input *input) {
    if (!input->used) return input->dropped_lines + 1;
    const char *text = input->head + MG_PAD;
    return input->dropped_lines + 1 + mg_count_lines(text, text + input->used - 1);
}

meguri_status mg_input_skip_nothing(mg_input *input) {
    const char *line, *end;
    do {
        meguri_status status = mg_input_line(input, &line, &end);
        if (status != MEGURI_OK || !line) return status;
        line = mg_skip_blanks(line);
    } while (*line == '\n' || mg_is_comment(line));
    mg_input_unread(input);
    return MEGURI_OK;
}

/* ---- looking ahead ---------------------------------------------------------------------------------------------- */

void mg_sample_start(mg_sample *sample, mg_input *input) {
    *sample = (mg_sample){.input = input, .start = input->used, .at = input->used, .next_number = 1};
    sample->next_number += input->dropped_lines;
    if (input->used) sample->next_number += mg_count_lines(input->head + MG_PAD, input->head + MG_PAD + input->used);
}

void mg_sample_end(mg_sample *sample) {
    mg_free(sample->copy);
    sample->copy = NULL;
}

/* The length of the line at sample->at, as far as `limit` (a place in the head) lets us see; *whole if it ends there.
 */
static meguri_status measure(mg_sample *sample, size_t limit, size_t *length, bool *whole) {
    mg_input *input = sample->input;
    for (size_t look = sample->at;;) {
        size_t known = MG_MIN(input->head_bytes, limit);
        const char *text = input->head + MG_PAD, *found = NULL;
        if (known > look) found = memchr(text + look, '\n', known - look);
        *whole = found || (input->ended && input->head && known == input->head_bytes && !input->cut_off);
        *length = (found ? (size_t)(found - text) : MG_MAX(known, sample->at)) - sample->at;
        if (*whole || known == limit || (input->ended && input->head)) return MEGURI_OK;
        look = known;
        meguri_status status = mg_input_peek(input, MG_MIN(limit, MG_MAX(input->head_bytes * 2, (size_t)STEP)));
        if (status != MEGURI_OK) return status;
    }
}

/* A copy, so that callers can take quotes off and never see more of a long line than others do. */
static meguri_status copy_line(mg_sample *sample, size_t length) {
    if (!sample->copy || sample->room < length) {
        size_t room = MG_MAX(length, sample->room * 2);
        char *copy = mg_resize(sample->input->ctx, sample->copy, room + 2 * MG_PAD, "a line of a file");
        if (!copy) return MEGURI_NO_MEMORY;
        sample->copy = copy;
        sample->room = room;
    }
    memset(sample->copy, '\n', MG_PAD);
    memcpy(sample->copy + MG_PAD, sample->input->head + MG_PAD + sample->at, length);
    memset(sample->copy + MG_PAD + length, '\n', MG_PAD);
    return MEGURI_OK;
}

meguri_status mg_sample_line(mg_sample *sample, char **line, const char **end) {
    mg_input *input = sample->input;
    *line = NULL;
    while (sample->lines < MG_SAMPLE_LINES) {
        size_t limit = sample->lines ? sample->limit : sample->at + MG_LONGEST_LINE + 1, length;
        bool whole;
        if (!sample->lines && sample->at >= sample->start + MG_LOOK_BYTES) sample->too_far = true;
        if (sample->too_far) return MEGURI_OK;
        meguri_status status = measure(sample, limit, &length, &whole);
        if (status != MEGURI_OK) return status;
        if (input->ended && sample->at >= input->head_bytes) return MEGURI_OK;
        if (!whole && sample->lines) return MEGURI_OK; /* only the first may be cut */
        const char *text = input->head + MG_PAD + sample->at, *at = mg_skip_blanks(text);
        bool c_comment = sample->c_comments && mg_is_word(at, "c");
        bool nothing = at >= text + length || mg_is_comment(at) || c_comment;
        sample->has_c |= c_comment;
        if (nothing && !whole) sample->too_far = true;
        if (!nothing) status = copy_line(sample, length);
        if (status != MEGURI_OK) return status;
        sample->at += length + 1;
        sample->number = sample->next_number++;
        if (nothing) continue;
        if (!sample->lines++) sample->limit = sample->at + MG_SAMPLE_BYTES;
        sample->cut = !whole;
        *line = sample->copy + MG_PAD;
        *end = *line + length;
        return MEGURI_OK;
    }
    return MEGURI_OK;
}
