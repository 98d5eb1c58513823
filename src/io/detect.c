/* Which format an input has (docs/formats.md tells users the same).
 *
 * Content decides: a Matrix Market banner, a problem line, arcs with their letter, a header that names columns. What
 * is left are plain lines of two or three words, which are an edge list unless the name says METIS (.graph, .metis),
 * LDBC (.e with a .v beside it) or Matrix Market without its banner (.mtx), where content alone cannot tell. Each
 * format's file knows its own signs; here is the order in which they are asked. Only the beginning is looked at
 * (mg_sample), and a guess that could be another is told in a warning. */
#include "io/format.h"
#include "io/meg.h"

/* By its byte order mark, or by a line that has a zero for every other byte. */
static bool is_utf16(const char *text, size_t bytes) {
    if (bytes < 2) return false;
    if (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0) return true;
    size_t even = 0, odd = 0, looked = MG_MIN(bytes & ~(size_t)1, (size_t)64);
    for (size_t i = 0; i < looked; i += 2) {
        even += text[i] == 0 && text[i + 1] >= '\t';
        odd += text[i] >= '\t' && text[i + 1] == 0;
    }
    return looked >= 8 && (even == looked / 2 || odd == looked / 2);
}

meguri_status mg_refuse_foreign(mg_input *input) {
    static const struct {
        const char *magic;
        size_t bytes;
        const char *is;
    } foreign[] = {
        {MG_MEG_MAGIC, 8, "is a .meg file already; open it as it is"},
        {"BZh", 3, "is compressed with bzip2; decompress it first"},
        {"PK\x03\x04", 4, "is a zip archive; decompress it first"},
        {"7z\xbc\xaf\x27\x1c", 6, "is a 7z archive; decompress it first"},
    };
    const char *text = input->head + MG_PAD;
    if (is_utf16(text, input->head_bytes))
        return mg_fail(input->ctx, MEGURI_BAD_INPUT,
                       "%s is UTF-16 text; convert it (for example with iconv -f utf-16 -t utf-8).", input->name);
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
        if (input->head_bytes >= foreign[i].bytes && memcmp(text, foreign[i].magic, foreign[i].bytes) == 0)
            return mg_fail(input->ctx, MEGURI_BAD_INPUT, "%s %s.", input->name, foreign[i].is);
    if (input->head_bytes && memchr(text, '\0', MG_MIN(input->head_bytes, (size_t)MG_FIRST_LOOK)))
        return mg_fail(input->ctx, MEGURI_BAD_INPUT,
                       "%s holds zero bytes, so it is no text; if it holds binary edges, the option format says which "
                       "(bin32, bin48 or bin64).",
                       input->name);
    return MEGURI_OK;
}

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
    *out = MEGURI_FORMAT_AUTO;
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
