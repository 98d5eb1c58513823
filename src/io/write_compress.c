/* Compression pieces of a file with gzip, zstd or xz, each piece complete in itself. */
#include "io/write.h"

#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#define GZIP_LEVEL 6
#define ZSTD_LEVEL 3
#define XZ_LEVEL   3 /* its dictionary of 4 MB is as large as a piece */

static meguri_status failed(meguri_ctx *ctx, const char *name) {
    return mg_fail(ctx, MEGURI_NO_MEMORY, "the %s library failed, most likely for lack of memory; write without it.",
                   name);
}

/* Between two looks whether the work is cancelled: some 10 ms of gzip and 30 ms of xz. */
#define GZIP_STEP ((size_t)256 << 10)
#define XZ_STEP   ((size_t)128 << 10)

/* The libraries take their memory from the budget too, where they let us. */
static void *zlib_alloc(void *ctx, unsigned items, unsigned size) {
    return mg_alloc_array(ctx, items, size, "compression with gzip");
}
static void *xz_alloc(void *ctx, size_t items, size_t size) {
    return mg_alloc_array(ctx, items, size, "compression with xz");
}
static void give_back(void *ctx, void *block) {
    (void)ctx;
    mg_free(block);
}

static meguri_status compress_gzip(mg_text *out, meguri_ctx *ctx, const char *data, size_t bytes) {
    z_stream z = {.zalloc = zlib_alloc, .zfree = give_back, .opaque = ctx};
    if (deflateInit2(&z, GZIP_LEVEL, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) return failed(ctx, "gzip");
    int result = Z_OK;
    z.next_in = (Bytef *)(uintptr_t)data;
    while (result == Z_OK) {
        if (z.avail_in == 0) {
            size_t done = (size_t)((const char *)z.next_in - data);
            if (mg_progress_again(ctx)) break;
            z.avail_in = (uInt)MG_MIN(bytes - done, GZIP_STEP);
        }
        if (!mg_text_need(out, 1 << 16)) break;
        bool last = (size_t)((const char *)z.next_in - data) + z.avail_in == bytes;
        z.next_out = (Bytef *)(out->data + out->used);
        z.avail_out = (uInt)MG_MIN(out->room - out->used, (size_t)1 << 30);
        result = deflate(&z, last ? Z_FINISH : Z_NO_FLUSH);
        out->used = (size_t)((char *)z.next_out - out->data);
    }
    deflateEnd(&z);
    if (mg_cancelled(ctx)) return mg_fail_cancelled(ctx);
    return result == Z_STREAM_END ? MEGURI_OK : failed(ctx, "gzip");
}

static meguri_status compress_zstd(mg_text *out, meguri_ctx *ctx, const char *data, size_t bytes) {
    size_t bound = ZSTD_compressBound(bytes);
    if (!mg_text_need(out, bound)) return MEGURI_NO_MEMORY;
    ZSTD_CCtx *z = ZSTD_createCCtx();
    if (!z) return failed(ctx, "zstd");
    ZSTD_CCtx_setParameter(z, ZSTD_c_compressionLevel, ZSTD_LEVEL);
    ZSTD_CCtx_setParameter(z, ZSTD_c_checksumFlag, 1);
    size_t compressed = ZSTD_compress2(z, out->data + out->used, bound, data, bytes);
    ZSTD_freeCCtx(z);
    if (ZSTD_isError(compressed)) return failed(ctx, "zstd");
    out->used += compressed;
    return MEGURI_OK;
}

static meguri_status compress_xz(mg_text *out, meguri_ctx *ctx, const char *data, size_t bytes) {
    const lzma_allocator memory = {xz_alloc, give_back, ctx};
    lzma_options_lzma options;
    lzma_filter filters[] = {{LZMA_FILTER_LZMA2, &options}, {LZMA_VLI_UNKNOWN, NULL}};
    size_t bound = lzma_stream_buffer_bound(bytes);
    if (bound == 0 || !mg_text_need(out, bound) || lzma_lzma_preset(&options, XZ_LEVEL)) return failed(ctx, "xz");
    /* A dictionary larger than the piece would only be cleared. */
    while (options.dict_size / 2 >= bytes && options.dict_size / 2 >= LZMA_DICT_SIZE_MIN) options.dict_size /= 2;
    lzma_stream z = LZMA_STREAM_INIT;
    z.allocator = &memory;
    z.next_in = (const uint8_t *)data;
    z.next_out = (uint8_t *)(out->data + out->used);
    z.avail_out = bound;
    lzma_ret result = lzma_stream_encoder(&z, filters, LZMA_CHECK_CRC64);
    for (size_t left = bytes; result == LZMA_OK && !mg_progress_again(ctx);) {
        z.avail_in = MG_MIN(left, XZ_STEP);
        left -= z.avail_in;
        result = lzma_code(&z, left ? LZMA_RUN : LZMA_FINISH);
        if (result == LZMA_OK && (z.avail_in || !left)) result = LZMA_BUF_ERROR; /* the room is for all of it */
    }
    out->used += z.total_out;
    lzma_end(&z);
    if (mg_cancelled(ctx)) return mg_fail_cancelled(ctx);
    return result == LZMA_STREAM_END ? MEGURI_OK : failed(ctx, "xz");
}

meguri_status mg_compress(mg_text *out, meguri_ctx *ctx, mg_compression compression, const char *data, size_t bytes) {
    switch (compression) {
    case MG_GZIP: return compress_gzip(out, ctx, data, bytes);
    case MG_ZSTD: return compress_zstd(out, ctx, data, bytes);
    case MG_XZ: return compress_xz(out, ctx, data, bytes);
    default: break;
    }
    mg_text_add(out, data, bytes);
    return out->failed ? MEGURI_NO_MEMORY : MEGURI_OK;
}
