/* Which format an input has (docs/formats.md tells users the same).
 *
 * Content decides: a Matrix Market banner, a problem line, arcs with their letter, a header that names columns. What
 * is left are plain lines of two or three words, which are an edge list unless the name says METIS (.graph, .metis),
 * LDBC (.e with a .v beside it) or Matrix Market without its banner (.mtx), where content alone cannot tell. Each
 * format's file knows its own signs; here is the order in which they are asked. Only the beginning is looked at
 * (mg_sample), and a guess that could be another is told in a warning. */
#include "io/format.h"

/* Formats with such a clue, in the order of the table. */
static meguri_status ask(meguri_format *out, const mg_reader *reader, mg_input *input, mg_clue clue, bool *nothing) {
    const mg_format *row;
    meguri_format named = meguri_format_of_path(input->name);
    meguri_status status = MEGURI_OK;
    for (int i = 0; (row = mg_format_row((meguri_format)i)) && status == MEGURI_OK && *out == MEGURI_FORMAT_AUTO; i++) {
        if (row->clue != clue || (clue == MG_CLUE_NAME && named != (meguri_format)i)) continue;
        mg_sample sample;
        mg_sample_start(&sample, input);
        if (row->detect) status = row->detect(out, reader, &sample);
        else *out = (meguri_format)i;
        *nothing |= sample.too_far;
        mg_sample_end(&sample);
    }
    return status;
}

meguri_status mg_detect(meguri_format *out, const mg_reader *reader, mg_input *input) {
    bool nothing = false;
    meguri_status status = MEGURI_OK;
    *out = mg_wants_table(&reader->options) ? MEGURI_FORMAT_AUTO : mg_declared_format(input);
    if (*out != MEGURI_FORMAT_AUTO) return MEGURI_OK;
    for (mg_clue clue = MG_CLUE_SIGN; clue < MG_CLUES && status == MEGURI_OK; clue++)
        status = ask(out, reader, input, clue, &nothing);
    if (*out == MEGURI_FORMAT_AUTO) *out = MEGURI_FORMAT_EDGELIST;
    if (status == MEGURI_OK && nothing)
        mg_warn(
            reader->ctx,
            "%s: its first MiB holds only blanks and comments, so it is taken for %s; the option format says what it "
            "is.",
            input->name, *out == MEGURI_FORMAT_EDGELIST ? "an edge list" : meguri_format_name(*out));
    return status;
}
