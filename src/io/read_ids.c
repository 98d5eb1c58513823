/* What kind of ids an input has, from its first lines; said aloud where they could be taken for another kind.
 *
 * Ids are integers if all that are looked at are. One word among numbers makes all of them strings, numbers such as
 * 1.0 and +7 are no integers, 007 is the number 7, and so is "7" in quotes: whoever wrote the file may have meant
 * something else. */
#include "io/read.h"

#include <inttypes.h>

static bool is_integer(const char *p, const char *end) {
    uint64_t id;
    bool flag = false;
    return p < end && mg_parse_id(&p, &id, &flag, &flag) && p == end;
}

/* Digits with what numbers have besides: signs, points, commas, exponents, 0x. */
static bool is_like_number(const char *p, const char *end) {
    size_t digits = 0, length = (size_t)(end - p);
    bool hex = length > 2 && p[0] == '0' && (p[1] | 0x20) == 'x';
    for (const char *at = hex ? p + 2 : p; at < end; at++) {
        bool letter = (*at | 0x20) >= 'a' && (*at | 0x20) <= (hex ? 'f' : 'e');
        bool allowed = hex ? letter : strchr("+-.,", *at) || (*at | 0x20) == 'e';
        if (!*at || (!mg_is_digit(*at) && !allowed)) return false;
        digits += mg_is_digit(*at);
    }
    return hex || digits * 2 >= length;
}

static void keep_place(mg_seen_id *seen, uint64_t line, const char *id, size_t length, bool quoted) {
    if (seen->line) return;
    const char *quote = quoted ? "\"" : "";
    snprintf(seen->id, sizeof seen->id, "%s%.*s%s", quote, (int)mg_cut_text(id, length, sizeof seen->id - 4), id,
             quote);
    seen->line = line;
}

void mg_see_id(mg_ids_seen *seen, uint64_t line, const char *id, size_t length, bool quoted) {
    if (!length) return; /* the parser says what is wrong with the line */
    bool integer = is_integer(id, id + length), zero = length > 1 && *id == '0';
    seen->all++;
    seen->integers += integer;
    if (integer && zero) keep_place(&seen->zero, line, id, length, quoted);
    if (integer) return;
    if (!seen->other.line) seen->like_number = !quoted && is_like_number(id, id + length);
    keep_place(&seen->other, line, id, length, quoted);
}

/* Warns of what was not meant, perhaps. */
static void tell(const mg_reader *reader, const mg_input *input, const mg_ids_seen *seen, bool strings) {
    if (strings && (seen->like_number || seen->integers * 2 >= seen->all))
        mg_warn(reader->ctx,
                "%s:%" PRIu64 ": the id '%s' is not a plain integer of 64 bits, so all ids are read as strings; the "
                "option ids (string or integer) settles it.",
                input->name, seen->other.line, seen->other.id);
    if (!strings && seen->zero.line)
        mg_warn(reader->ctx,
                "%s:%" PRIu64
                ": the id '%s' is read as a number, without its zeros; with the option ids (string) it is "
                "kept as it is.",
                input->name, seen->zero.line, seen->zero.id);
}

meguri_status mg_reader_ids(mg_reader *reader, const mg_input *input, const mg_ids_seen *seen) {
    bool strings = seen->other.line != 0;
    if (reader->options.ids != MEGURI_IDS_AUTO) strings = reader->options.ids == MEGURI_IDS_STRING;
    else if (reader->string_ids == MG_NO && strings)
        return mg_fail(reader->ctx, MEGURI_BAD_INPUT,
                       "%s:%" PRIu64 ": the id '%s' is not an integer of 64 bits, but those read before are; with the "
                       "option ids (string) all are read as strings.",
                       input->name, seen->other.line, seen->other.id);
    else if (reader->string_ids == MG_UNKNOWN && seen->all) tell(reader, input, seen, strings);
    if (reader->string_ids == MG_UNKNOWN) reader->string_ids = strings ? MG_YES : MG_NO;
    return reader->string_ids == MG_YES ? mg_builder_string_ids(reader->ctx, reader->builder) : MEGURI_OK;
}
