/* Decompressing gzip, zstd and xz, as found from their first bytes.
 *
 * All three allow members one after another (as `cat a.gz b.gz` makes them). Data that stops inside a member is a
 * failure: half a download must not become half a graph. */
#include "io/read.h"

#include <lzma.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

struct mg_decompressor {
    meguri_ctx *ctx;
    const char *name;
    mg_compression compression;
    bool between; /* members: at the start, and where one ended */
    bool has_state;
    char error[1024]; /* what is wrong with the data */
    z_stream gzip;
    ZSTD_DCtx *zstd;
    lzma_stream xz;
    lzma_allocator xz_memory;
};

static void *gzip_alloc(void *ctx, unsigned items, unsigned size) {
    return mg_alloc_array(ctx, items, size, "decompressing gzip");
}
static void gzip_free(void *ctx, void *block) {
    (void)ctx;
    mg_free(block);
}
static void *xz_alloc(void *ctx, size_t items, size_t size) {
    return mg_alloc_array(ctx, items, size, "decompressing xz");
}
static void xz_free(void *ctx, void *block) {
    (void)ctx;
    mg_free(block);
}

static meguri_status no_memory(const mg_decompressor *u) {
    return mg_fail(u->ctx, MEGURI_NO_MEMORY, "%s: not enough memory to decompress %s data.", u->name,
                   mg_compressions[u->compression].name);
}

/* The sentence stays here until whoever reads knows that nothing before it is wrong. */
static meguri_status refuse(mg_decompressor *u, const char *format, ...) MG_PRINTF(2, 3);
static meguri_status refuse(mg_decompressor *u, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(u->error, sizeof u->error, format, args);
    va_end(args);
    return MEGURI_BAD_INPUT;
}

const char *mg_decompressor_error(const mg_decompressor *u) { return u->error; }

bool mg_decompressor_is_between(const mg_decompressor *u) { return u->between; }

static meguri_status damaged(mg_decompressor *u, const char *why) {
    return refuse(u, "%s: its %s data is damaged (%s); make or download the file again.", u->name,
                  mg_compressions[u->compression].name, why);
}

static meguri_status cut_short(mg_decompressor *u) {
    return refuse(u, "%s: its %s data ends too early, as after a broken download; make or download the file again.",
                  u->name, mg_compressions[u->compression].name);
}

meguri_status mg_decompressor_new(mg_decompressor **out, meguri_ctx *ctx, mg_compression compression,
                                  const char *name) {
    *out = NULL;
    mg_decompressor *u = mg_alloc_zero(ctx, sizeof *u, "an decompressor");
    if (!u) return MEGURI_NO_MEMORY;
    u->ctx = ctx;
    u->name = name;
    u->compression = compression;
    u->between = true;
    if (compression == MG_GZIP) {
        u->gzip.zalloc = gzip_alloc;
        u->gzip.zfree = gzip_free;
        u->gzip.opaque = ctx;
        u->has_state = inflateInit2(&u->gzip, 15 + 16) == Z_OK;
    } else if (compression == MG_ZSTD) {
        u->zstd = ZSTD_createDCtx();
        u->has_state = u->zstd != NULL;
    } else {
        u->xz_memory = (lzma_allocator){xz_alloc, xz_free, ctx};
        u->xz = (lzma_stream)LZMA_STREAM_INIT;
        u->xz.allocator = &u->xz_memory;
        u->has_state = lzma_stream_decoder(&u->xz, mg_memory_left(ctx), LZMA_CONCATENATED) == LZMA_OK;
    }
    if (!u->has_state) {
        meguri_status status = no_memory(u);
        mg_decompressor_free(u);
        return status;
    }
    *out = u;
    return MEGURI_OK;
}

void mg_decompressor_free(mg_decompressor *u) {
    if (!u) return;
    if (u->has_state && u->compression == MG_GZIP) inflateEnd(&u->gzip);
    if (u->has_state && u->compression == MG_XZ) lzma_end(&u->xz);
    ZSTD_freeDCtx(u->zstd);
    mg_free(u);
}

/* gzip pads with zeros when it writes to tapes; whatever else follows a member must be another one. */
static meguri_status next_gzip_member(mg_decompressor *u, const uint8_t **in, size_t *in_bytes) {
    while (*in_bytes && **in == 0) {
        ++*in;
        --*in_bytes;
    }
    if (!*in_bytes) return MEGURI_OK;
    if (**in != 0x1f) return damaged(u, "something else follows it");
    u->between = false;
    return inflateReset(&u->gzip) == Z_OK ? MEGURI_OK : no_memory(u);
}

static meguri_status decompress_gzip(mg_decompressor *u, const uint8_t **in, size_t *in_bytes, bool last, char *out,
                                     size_t room, size_t *made, bool *ended) {
    if (u->between) {
        meguri_status status = next_gzip_member(u, in, in_bytes);
        if (status != MEGURI_OK) return status;
    }
    if (u->between) {
        *ended = last;
        return MEGURI_OK;
    }
    u->gzip.next_in = (uint8_t *)(uintptr_t)*in; /* zlib reads it only, whatever its type says */
    u->gzip.avail_in = (uInt)MG_MIN(*in_bytes, (size_t)1 << 30);
    u->gzip.next_out = (uint8_t *)out;
    u->gzip.avail_out = (uInt)MG_MIN(room, (size_t)1 << 30);
    int code = inflate(&u->gzip, Z_NO_FLUSH);
    *made = (size_t)((char *)u->gzip.next_out - out);
    *in_bytes -= (size_t)(u->gzip.next_in - *in);
    *in = u->gzip.next_in;
    if (code == Z_STREAM_END) u->between = true;
    else if (code == Z_MEM_ERROR) return no_memory(u);
    else if (code != Z_OK && code != Z_BUF_ERROR) return damaged(u, u->gzip.msg ? u->gzip.msg : "not gzip");
    else if (last && !*in_bytes && !*made) return cut_short(u);
    return MEGURI_OK;
}

static meguri_status decompress_zstd(mg_decompressor *u, const uint8_t **in, size_t *in_bytes, bool last, char *out,
                                     size_t room, size_t *made, bool *ended) {
    ZSTD_inBuffer source = {*in, *in_bytes, 0};
    ZSTD_outBuffer target = {out, room, 0};
    if (!*in_bytes && last && u->between) {
        *ended = true;
        return MEGURI_OK;
    }
    if (!*in_bytes && u->between) return MEGURI_OK;
    size_t code = ZSTD_decompressStream(u->zstd, &target, &source);
    if (ZSTD_isError(code)) {
        ZSTD_ErrorCode error = ZSTD_getErrorCode(code);
        if (error == ZSTD_error_memory_allocation) return no_memory(u);
        if (error == ZSTD_error_frameParameter_windowTooLarge)
            return refuse(
                u,
                "%s: compressed with a window above 128 MB (zstd --long); decompress it with zstd -d --long=31 "
                "and read the result.",
                u->name);
        return damaged(u, ZSTD_getErrorName(code));
    }
    u->between = code == 0;
    *made = target.pos;
    *in += source.pos;
    *in_bytes -= source.pos;
    if (last && !*in_bytes && !*made && !source.pos && !u->between) return cut_short(u);
    return MEGURI_OK;
}

static meguri_status decompress_xz(mg_decompressor *u, const uint8_t **in, size_t *in_bytes, bool last, char *out,
                                   size_t room, size_t *made, bool *ended) {
    u->xz.next_in = *in;
    u->xz.avail_in = *in_bytes;
    u->xz.next_out = (uint8_t *)out;
    u->xz.avail_out = room;
    lzma_ret code = lzma_code(&u->xz, last ? LZMA_FINISH : LZMA_RUN);
    *made = room - u->xz.avail_out;
    *in = u->xz.next_in;
    *in_bytes = u->xz.avail_in;
    switch (code) {
    case LZMA_OK: return MEGURI_OK;
    case LZMA_STREAM_END: *ended = true; return MEGURI_OK;
    case LZMA_BUF_ERROR: return last && !*made ? cut_short(u) : MEGURI_OK;
    case LZMA_MEM_ERROR:
    case LZMA_MEMLIMIT_ERROR: return no_memory(u);
    default: return damaged(u, "not whole xz data");
    }
}

meguri_status mg_decompress(mg_decompressor *u, const uint8_t **in, size_t *in_bytes, bool last, char *out, size_t room,
                            size_t *made, bool *ended) {
    *made = 0;
    *ended = false;
    if (u->compression == MG_GZIP) return decompress_gzip(u, in, in_bytes, last, out, room, made, ended);
    if (u->compression == MG_ZSTD) return decompress_zstd(u, in, in_bytes, last, out, room, made, ended);
    return decompress_xz(u, in, in_bytes, last, out, room, made, ended);
}
