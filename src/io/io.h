/* io: one file per format, in and out; the .meg file.
 *
 * Text readers turn chunks of a file into mg_edge_blocks (graph/graph.h); writers turn a graph into lines. */
#ifndef MG_IO_H
#define MG_IO_H

#include "graph/graph.h"

#include <meguri/io.h>

/* ---- files written whole or not at all (outfile.c) -------------------------------------------------------------- */

/* A file under a temporary name in the folder of its final one: mg_outfile_commit syncs and renames it,
 * mg_outfile_abandon removes it. A crash in between leaves the old file as it was. Pipes, devices and open
 * descriptors (/dev/stdout) cannot be replaced by renaming: they are written as the bytes come. */
typedef struct mg_outfile {
    int fd;
    char *path, *temporary; /* temporary is NULL for an unnamed file that gets its name at commit */
    char *target;           /* what is replaced: the path with its symbolic links followed */
    bool direct;            /* nothing to rename, and not seekable: mg_outfile_write only */
} mg_outfile;
meguri_status mg_outfile_open(mg_outfile *out, meguri_ctx *ctx, const char *path);
/* Refuses a file of so many bytes or more with the figures where the disk has no room for it. */
meguri_status mg_outfile_expect(meguri_ctx *ctx, const mg_outfile *file, uint64_t bytes);
/* Asks for the room of the whole file at once, so that a full disk is found before the work, not after it. */
meguri_status mg_outfile_reserve(meguri_ctx *ctx, mg_outfile *file, uint64_t bytes);
/* Everything or a failure with the reason (MEGURI_NO_DISK): at the end, or at a place (from any thread). */
meguri_status mg_outfile_write(meguri_ctx *ctx, mg_outfile *file, const void *data, size_t bytes);
meguri_status mg_outfile_write_at(meguri_ctx *ctx, mg_outfile *file, const void *data, size_t bytes, uint64_t offset);
/* The file is closed afterwards, also on failure. */
meguri_status mg_outfile_commit(meguri_ctx *ctx, mg_outfile *file);
void mg_outfile_abandon(mg_outfile *file); /* does nothing after a commit, nor to a zeroed struct */

#endif
