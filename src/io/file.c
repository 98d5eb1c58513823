/* meguri_file: a file of the caller's own, written as all files of the library are. */
#include "io/io.h"

struct meguri_file {
    mg_outfile file;
    bool broken; /* something could not be written */
};

meguri_status meguri_file_open(meguri_file **out, meguri_ctx *ctx, const char *path) {
    if (out) *out = NULL;
    if (!out || !ctx) return mg_missing(ctx, __func__);
    mg_begin(ctx);
    if (!path) return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "meguri_file_open needs the name of a file.");
    meguri_file *f = mg_alloc_zero(ctx, sizeof *f, "a file");
    if (!f) return MEGURI_NO_MEMORY;
    meguri_status status = mg_outfile_open(&f->file, ctx, path);
    if (status == MEGURI_OK) *out = f;
    else mg_free(f);
    return status;
}

meguri_status meguri_file_write(meguri_ctx *ctx, meguri_file *file, const void *data, size_t bytes) {
    if (!ctx) return MEGURI_BAD_ARGUMENT;
    mg_begin(ctx);
    if (!file || (!data && bytes))
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "meguri_file_write needs a file and what to write.");
    if (file->broken)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "an earlier write to this file failed, or it is finished.");
    meguri_status status = mg_check_count(ctx, bytes, 1, "bytes");
    if (status != MEGURI_OK) return status; /* nothing was written: the file is as good as before */
    status = mg_outfile_write(ctx, &file->file, data, bytes);
    file->broken = status != MEGURI_OK;
    return status;
}

meguri_status meguri_file_finish(meguri_ctx *ctx, meguri_file *file) {
    if (!ctx) return MEGURI_BAD_ARGUMENT;
    mg_begin(ctx);
    if (!file) return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "meguri_file_finish needs a file.");
    if (file->broken)
        return mg_fail(ctx, MEGURI_BAD_ARGUMENT, "an earlier write to this file failed, or it is finished.");
    file->broken = true; /* nothing can be added any more */
    return mg_outfile_commit(ctx, &file->file);
}

void meguri_file_free(meguri_file *file) {
    if (!file) return;
    mg_outfile_abandon(&file->file);
    mg_free(file);
}
