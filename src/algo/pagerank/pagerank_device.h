/* PageRank on devices: what the files of this engine share with each other and nobody else.
 *
 * One device has all in-rows, or gets them in parts, makes new shares of the sums, and keeps these until the end. Of
 * several each has an equal part of the arcs (mg_rows_share), whole or in parts, and sums along these alone; the host
 * adds up, makes new shares, and sends these to all. */
#ifndef MG_PAGERANK_DEVICE_H
#define MG_PAGERANK_DEVICE_H

#include "algo/pagerank/pagerank.h"
#include "device/device.h"

/* What one device has, and does of an iteration. */
typedef struct mg_pagerank_there {
    mg_device *device;
    mg_rows_share share_of_rows;
    mg_rows rows;   /* its in-rows, as they are here */
    uint64_t first; /* of these */
    mg_device_rows in;
    mg_buffer out_offsets; /* directed graphs */
    mg_device_units units;
    mg_buffer share, next, found, total;
    mg_kernel sum, join, add_up, batch, gather, settle;
    bool in_parts;
    mg_parts parts;          /* of the in-rows */
    mg_buffer sums, partial; /* … of rows, of entries */
    uint64_t *all;           /* … a bit for each row */
} mg_pagerank_there;

typedef struct mg_pagerank_device {
    mg_pagerank_whole whole;
    uint32_t count; /* devices */
    mg_pagerank_there there[MG_DEVICES_MOST];
    double *next, *heard;     /* of several: sums of all, and of one */
    mg_pagerank_found *found; /* likewise, by parts of the vertices */
    uint64_t moved;           /* bytes, before the iteration */
} mg_pagerank_device;

/* pagerank_device.c: sums along its rows are launched; one that is alone makes new shares of them, `least` of which
 * everybody has. */
meguri_status mg_pagerank_there_sum(meguri_ctx *ctx, const mg_pagerank_device *r, mg_pagerank_there *there,
                                    double least);

/* pagerank_device_several.c: what the host needs, and an iteration. */
meguri_status mg_pagerank_several_open(meguri_ctx *ctx, mg_pagerank_device *r);
meguri_status mg_pagerank_several_iterate(mg_pagerank_found *found, meguri_ctx *ctx, mg_pagerank_device *r,
                                          double least);

#endif
