/* Binary edges that begin as compressed data does: their first id may have any bits, so a magic number tells little.
 *
 * A name that ends in the suffix of the compression settles it. Else the beginning is decompressed on trial. What goes
 * wrong at once was never compressed. What goes wrong later, or ends too early, is damaged, unless the name says that
 * these are plain edges; but of gzip, whose blocks other data does not have, and whose members have a checksum, enough
 * is known by then. */
#include "io/format.h"

#include <lzma.h>

enum { ROOM = 64 << 10, PLENTY = 4 << 10, MOST = 64 << 20 }; /* decompressed bytes */

typedef struct trial {
    bool failed; /* the data is wrong */
    bool whole;  /* nothing of a member is missing where it ended or failed */
    size_t made;
} trial;

/* Decompresses what has been read ahead. */
static meguri_status try_it(trial *t, const mg_input *input) {
    mg_decompressor *u;
    const uint8_t *in = input->raw;
    size_t left = input->raw_end;
    *t = (trial){0};
    char *out = mg_alloc(input->ctx, ROOM, "a trial of decompressing");
    if (!out) return MEGURI_NO_MEMORY;
    meguri_status status = mg_decompressor_new(&u, input->ctx, input->compression, input->name);
    while (status == MEGURI_OK && t->made < MOST) {
        size_t before = left, made;
        bool ended;
        status = mg_decompress(u, &in, &left, false, out, ROOM, &made, &ended); /* an early end is no failure here */
        t->made += made;
        if (!made && left == before) break;
    }
    t->whole = u && left < input->raw_end && mg_decompressor_is_between(u);
    t->failed = status == MEGURI_BAD_INPUT;
    mg_decompressor_free(u);
    mg_free(out);
    return t->failed ? MEGURI_OK : status;
}

/* The header of xz has a checksum of its own. */
static bool has_xz_header(const mg_input *input) {
    lzma_stream_flags flags;
    return input->raw_end >= LZMA_STREAM_HEADER_SIZE && lzma_stream_header_decode(&flags, input->raw) == LZMA_OK;
}

static meguri_status is_compressed(bool *out, const mg_input *input, bool named) {
    trial t;
    bool gzip = input->compression == MG_GZIP;
    *out = has_xz_header(input);
    if (input->compression == MG_XZ) return MEGURI_OK;
    meguri_status status = try_it(&t, input);
    if (gzip && (t.whole || t.made >= PLENTY)) *out = true;
    else if (t.failed) *out = !named && t.made >= PLENTY;
    else if (!input->raw_ended || t.whole) *out = true;
    else *out = !named && input->raw_end >= (gzip ? 18 : 9); /* as no data at all takes */
    return status;
}

void mg_input_take_as_it_is(mg_input *input) {
    mg_decompressor_free(input->decompressor);
    input->decompressor = NULL;
    input->compression = MG_PLAIN;
}

meguri_status mg_input_settle(mg_input *input, meguri_format format) {
    mg_compression compression;
    bool compressed;
    if (input->compression == MG_PLAIN) return MEGURI_OK;
    mg_uncompressed_name(&compression, input->name);
    if (compression == input->compression) return MEGURI_OK;
    bool named = compression == MG_PLAIN && meguri_format_of_path(input->name) == format;
    meguri_status status = mg_input_fill(input, MG_RAW_BYTES);
    if (status == MEGURI_OK) status = is_compressed(&compressed, input, named);
    if (status != MEGURI_OK || compressed) return status;
    if (!named)
        mg_warn(input->ctx,
                "%s begins as %s data does, but is none; it is read as %s as it stands, which a name that ends in .%s "
                "says without this warning.",
                input->name, mg_compressions[input->compression].name, meguri_format_name(format),
                meguri_format_name(format));
    mg_input_take_as_it_is(input);
    return MEGURI_OK;
}
