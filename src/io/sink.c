/* Bytes on their way out: to a file, to a function of the caller, or into memory. */
#define _GNU_SOURCE
#include "io/write.h"

#include <locale.h>
#include <string.h>

#define FULL        ((size_t)1 << 16) /* bytes that wait at most … */
#define FULL_PACKED ((size_t)1 << 22) /* … where they are compressed, each piece by itself */

static bool is_full(const mg_sink *sink) {
    return sink->text.used >= (sink->compression == MG_PLAIN ? FULL : FULL_PACKED);
}

meguri_status mg_sink_open(mg_sink *out, meguri_ctx *ctx, const mg_output *output) {
    *out = (mg_sink){.ctx = ctx, .text.ctx = ctx, .packed.ctx = ctx};
    out->c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!out->c_locale) return out->status = mg_fail(ctx, MEGURI_NO_MEMORY, "the system has no memory for a locale.");
    if (!output || (!output->path && !output->write)) return MEGURI_OK;
    out->status = mg_outfile_open_output(&out->file, ctx, output);
    out->to_file = out->status == MEGURI_OK;
    return out->status;
}

static void pass_on(mg_sink *sink) {
    const mg_text *out = &sink->text;
    if (sink->compression != MG_PLAIN) {
        sink->packed.used = 0;
        sink->status = mg_compress(&sink->packed, sink->ctx, sink->compression, out->data, out->used);
        out = &sink->packed;
        if (sink->status != MEGURI_OK) return;
    }
    sink->status = mg_outfile_write(sink->ctx, &sink->file, out->data, out->used);
    if (sink->status == MEGURI_OK) sink->sent += out->used;
    sink->text.used = 0;
}

void mg_sink_flush(mg_sink *sink) {
    if (sink->status == MEGURI_OK && sink->text.failed) sink->status = MEGURI_NO_MEMORY;
    if (sink->status == MEGURI_OK && sink->to_file && sink->text.used) pass_on(sink);
}

void mg_sink_add(mg_sink *sink, const char *bytes, size_t count) {
    if (sink->status != MEGURI_OK) return;
    mg_text_add(&sink->text, bytes, count);
    if (is_full(sink) || sink->text.failed) mg_sink_flush(sink);
}

void mg_sink_put(mg_sink *sink, const char *text) { mg_sink_add(sink, text, strlen(text)); }

void mg_sink_char(mg_sink *sink, char c) { mg_sink_add(sink, &c, 1); }

meguri_status mg_sink_take(void *sink, const void *data, size_t bytes) {
    mg_sink_add(sink, data, bytes);
    return ((mg_sink *)sink)->status;
}

void mg_sink_format(mg_sink *sink, const char *format, ...) {
    locale_t before = uselocale(sink->c_locale);
    for (size_t room = 256; sink->status == MEGURI_OK; room *= 4) {
        va_list arguments;
        if (!mg_text_need(&sink->text, room)) {
            mg_sink_flush(sink);
            break;
        }
        va_start(arguments, format);
        int length = vsnprintf(sink->text.data + sink->text.used, room, format, arguments);
        va_end(arguments);
        if (length >= (int)room) continue;
        if (length > 0) sink->text.used += (size_t)length;
        if (is_full(sink)) mg_sink_flush(sink);
        break;
    }
    uselocale(before);
}

meguri_status mg_sink_close(mg_sink *sink, bool keep) {
    mg_sink_flush(sink);
    bool nothing = sink->compression != MG_PLAIN && !sink->sent; /* which is a few bytes, compressed */
    if (sink->to_file && keep && nothing && sink->status == MEGURI_OK) pass_on(sink);
    if (sink->to_file && keep && sink->status == MEGURI_OK) sink->status = mg_outfile_commit(sink->ctx, &sink->file);
    if (sink->to_file) mg_outfile_abandon(&sink->file);
    sink->to_file = false;
    return sink->status;
}

void mg_sink_free(mg_sink *sink) {
    if (sink->to_file) mg_outfile_abandon(&sink->file);
    if (sink->c_locale) freelocale(sink->c_locale);
    mg_text_free(&sink->text);
    mg_text_free(&sink->packed);
    *sink = (mg_sink){.status = sink->status};
}
