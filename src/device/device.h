/* device: compute devices through OpenCL 1.2 (papers P1, P3, P5).
 *
 * A context owns its devices: they are listed when first asked for, and those that it names are opened when an engine
 * first needs them. An open device has a queue of commands, which run one after another, memory that is counted against
 * a budget of its own, and programs, compiled once for each text and set of options and kept on disk (cache.c). What is
 * moved between host and device, and every launch, is counted here, because every call of OpenCL passes through the
 * table of opencl.h.
 *
 * Kernels are OpenCL C 1.2 without sub-groups, shared virtual memory or generic pointers. A device is asked for its
 * widths, never for its vendor. */
#ifndef MG_DEVICE_H
#define MG_DEVICE_H

#include "graph/graph.h"

#include <meguri/device.h>

/* ---- devices (devices.c, device.c) ------------------------------------------------------------------------------ */

struct mg_opencl; /* opencl.h */
struct mg_driver; /* what OpenCL knows the device by */

/* An open device. */
typedef struct mg_device {
    const char *name;
    uint32_t units;
    uint32_t width; /* work-items that run in step: those of a team; a power of two */
    uint32_t group; /* work-items of a work-group, where nothing speaks for another number: a multiple of the width */
    bool in_turns;  /* a thread does the work-items of a group, one after another: a CPU */
    bool doubles, long_atomics;
    uint64_t memory; /* budget, in bytes */
    uint64_t used, peak;
    uint64_t largest; /* bytes of a buffer at most */

    /* Counted. */
    uint64_t launches, sent, received;   /* kernels; bytes to and from the device */
    bool timed;                          /* so are the seconds of kernels: mg_device_finish adds them up */
    double kernel_seconds, copy_seconds; /* … and of copies that are done when the call returns */
    struct mg_driver *driver;
} mg_device;

/* What works with devices is within their gate: they have one queue each, and one list of programs, whatever searches
 * there are. Not where `uses` is false. Freeing buffers and kernels needs no gate. */
meguri_status mg_device_enter(mg_gate **entered, meguri_ctx *ctx, bool uses);

/* The device that the context names, opened at the first call; ENGINE_FAILED and a sentence where there is none. It
 * is open as long as the context, or anything that is on it. */
meguri_status mg_device_get(mg_device **out, meguri_ctx *ctx);
/* All that it names, for who can share a graph among several; one that is named twice is two devices, with a budget
 * each. */
#define MG_DEVICES_MOST 16
meguri_status mg_device_get_all(mg_device *out[MG_DEVICES_MOST], uint32_t *count, meguri_ctx *ctx);
/* The one of these that the n-th process of a machine gets: they are dealt in turn. */
meguri_status mg_device_deal(mg_device **out, meguri_ctx *ctx, uint32_t n);

/* For tests, before anybody has asked for devices: these functions instead of those of the system. */
meguri_status mg_devices_use(meguri_ctx *ctx, const struct mg_opencl *functions);

/* ---- memory (buffer.c) ------------------------------------------------------------------------------------------ */

typedef struct mg_buffer {
    mg_device *device; /* NULL: there is none */
    void *handle;
    uint64_t bytes; /* counted */
} mg_buffer;

/* `what` names it in the failure text. Of no bytes: a valid one. */
meguri_status mg_buffer_new(mg_buffer *out, meguri_ctx *ctx, mg_device *device, uint64_t count, size_t size,
                            const char *what);
void mg_buffer_free(mg_buffer *buffer); /* does nothing to a zeroed one */
/* Copies, which are done when the call returns. Large ones go in pieces, between which the work may be cancelled. */
meguri_status mg_buffer_write(meguri_ctx *ctx, const mg_buffer *buffer, uint64_t offset, const void *data,
                              uint64_t bytes);
meguri_status mg_buffer_read(meguri_ctx *ctx, const mg_buffer *buffer, uint64_t offset, void *data, uint64_t bytes);
/* A copy that is under way when the call returns, after all that was launched before; of one piece. Its event is for
 * mg_device_wait, which adds its seconds up where the device is timed. */
meguri_status mg_buffer_read_later(void **event, meguri_ctx *ctx, const mg_buffer *buffer, uint64_t offset, void *data,
                                   uint64_t bytes);
meguri_status mg_device_wait(meguri_ctx *ctx, mg_device *device, void **event);
/* The same after another failure, which is told instead of its own. */
void mg_device_leave(mg_device *device, void **event);
/* A new one with a copy of `count` items. It is there, and to be freed, also where the copy failed. */
meguri_status mg_buffer_from(mg_buffer *out, meguri_ctx *ctx, mg_device *device, const void *data, uint64_t count,
                             size_t size, const char *what);
/* All of it with copies of a 32-bit word, before whatever is launched next. */
meguri_status mg_buffer_fill(meguri_ctx *ctx, const mg_buffer *buffer, uint32_t word);
/* All of `from` to `to`, which is no smaller, likewise. */
meguri_status mg_buffer_copy(meguri_ctx *ctx, const mg_buffer *to, const mg_buffer *from);

/* ---- kernels (program.c) ---------------------------------------------------------------------------------------- */

/* A text of kernels: a .cl file beside its algorithm, embedded by the build. device.cl goes before each. */
typedef struct mg_kernel_text {
    const char *name, *text;
} mg_kernel_text;

typedef struct mg_kernel {
    mg_device *device;
    void *handle;
    const char *name;
} mg_kernel;

/* A kernel of a text, compiled with options of its own ("-D OFFSET=uint"; WIDTH and GROUP are always defined), by this
 * device or found on disk. A text that does not compile is ENGINE_FAILED with the beginning of the compiler's log, all
 * of which goes to the log of the context. */
meguri_status mg_kernel_new(mg_kernel *out, meguri_ctx *ctx, mg_device *device, const mg_kernel_text *text,
                            const char *options, const char *name);
void mg_kernel_free(mg_kernel *kernel);
/* Several of one text: rows of a list. What was made before a failure is to be freed, too. */
typedef struct mg_kernel_row {
    mg_kernel *kernel;
    const char *name;
} mg_kernel_row;
meguri_status mg_kernels_new(const mg_kernel_row *rows, size_t count, meguri_ctx *ctx, mg_device *device,
                             const mg_kernel_text *text, const char *options);

typedef struct mg_argument {
    size_t bytes;
    const void *value; /* NULL: local memory of so many bytes */
} mg_argument;
#define MG_BUFFER(buffer)                                                                                              \
    (mg_argument) { sizeof(buffer)->handle, &(buffer)->handle }
#define MG_VALUE(type, value)                                                                                          \
    (mg_argument) {                                                                                                    \
        sizeof(type), &(type) { value }                                                                                \
    }

/* `items` work-items, rounded up to whole groups, after all that was launched before. */
meguri_status mg_launch(meguri_ctx *ctx, const mg_kernel *kernel, uint64_t items, uint32_t group,
                        const mg_argument *arguments, uint32_t count);
#define MG_LAUNCH(ctx, kernel, items, group, ...)                                                                      \
    mg_launch(ctx, kernel, items, group, (const mg_argument[]){__VA_ARGS__},                                           \
              sizeof((const mg_argument[]){__VA_ARGS__}) / sizeof(mg_argument))
/* It begins now, while the host does something else. */
meguri_status mg_device_flush(meguri_ctx *ctx, mg_device *device);
/* Adds up what was timed, as far as it was not. */
void mg_device_add_times(mg_device *device);
/* Until all of it is done. */
meguri_status mg_device_finish(meguri_ctx *ctx, mg_device *device);

/* ---- primitives (primitives.c) ---------------------------------------------------------------------------------- */

typedef struct mg_primitives {
    mg_device *device;
    mg_kernel sum_tiles, scan_sums, scan_tiles, count_bits, list_bits;
    mg_buffer sums, total;
} mg_primitives;

/* For up to `most` items at a time. */
meguri_status mg_primitives_open(mg_primitives *out, meguri_ctx *ctx, mg_device *device, uint64_t most);
void mg_primitives_close(mg_primitives *p);
/* u32: item i becomes the sum of those before it, modulo 2^32; the sum of all goes to word 0 of p->total. Up to
 * MG_SCAN_ALONE items are one launch, more of them three. */
#define MG_SCAN_ALONE 16384
meguri_status mg_device_exscan(meguri_ctx *ctx, mg_primitives *p, const mg_buffer *items, uint64_t count);
/* The sum of u32 items, modulo 2^32, into word 0 of p->total. */
meguri_status mg_device_sum(meguri_ctx *ctx, mg_primitives *p, const mg_buffer *items, uint64_t count);
/* The numbers of the bits that are set among the first `words` words of 32, in increasing order, as a list of u32; how
 * many there are, in word 0 of p->total. */
meguri_status mg_device_list_bits(meguri_ctx *ctx, mg_primitives *p, const mg_buffer *list, const mg_buffer *bits,
                                  uint64_t words);
/* Word 0 of p->total, here. */
meguri_status mg_device_total(uint32_t *out, meguri_ctx *ctx, const mg_primitives *p);

/* ---- graphs (rows.c, units.c) ----------------------------------------------------------------------------------- */

/* Rows of a graph on a device. */
typedef struct mg_device_rows {
    uint64_t rows, arcs;
    bool wide; /* offsets are 64-bit */
    mg_buffer offsets, neighbors, weights;
} mg_device_rows;

/* `weight_bytes`: of an item, 0: they stay here. */
meguri_status mg_device_rows_new(mg_device_rows *out, meguri_ctx *ctx, mg_device *device, const mg_rows *rows,
                                 size_t weight_bytes);
void mg_device_rows_free(mg_device_rows *rows);

/* A share of rows for one of several devices: all rows, of which it has the arcs [begin, end) and no others, so that
 * rows elsewhere are empty, and what looks at rows need not know of shares. Shares are even to an arc: a row may lie
 * in two. `weight_bytes`: of an item, 0: without weights. */
typedef struct mg_rows_share {
    mg_rows rows;
    void *offsets; /* its own */
} mg_rows_share;
meguri_status mg_rows_share_new(mg_rows_share *out, meguri_ctx *ctx, const mg_rows *rows, size_t weight_bytes,
                                uint32_t part, uint32_t parts);
void mg_rows_share_free(mg_rows_share *share);
/* Leaves out what has no arcs before its first row that has, and after the last; which row is the first now. */
uint64_t mg_rows_share_trim(mg_rows_share *share);

/* What several devices have, as facts: how many they are, and the most arcs of one of them. */
meguri_status mg_devices_tell(meguri_ctx *ctx, meguri_result *result, uint32_t count, uint64_t most_arcs);

/* Rows in units (units.c): what a group works on, or, where work-items take turns, one of these. A unit is some rows of
 * MG_UNIT_ARCS arcs together at most, or a piece of so many arcs of a row that has more. On the device it is a uint2:
 * (row, NONE) are the rows up to that of the next unit, (row, k) is piece k of a row. Text of kernels that work on them
 * is compiled with MG_UNIT_OPTIONS. */
#define MG_UNIT_ARCS    1024
#define MG_UNIT_ROWS    256 /* at most */
#define MG_UNIT_OPTIONS "-D UNIT=1024"
typedef struct mg_device_units {
    uint64_t count;
    uint64_t long_rows; /* those in pieces */
    mg_buffer units;
    mg_buffer firsts; /* for each long row the unit that is its first piece */
} mg_device_units;

meguri_status mg_device_units_new(mg_device_units *out, meguri_ctx *ctx, mg_device *device, const mg_rows *rows);
void mg_device_units_free(mg_device_units *units);
/* Work-items of a launch over all units. */
uint64_t mg_device_units_items(const mg_device_units *units, const mg_device *device);

/* ---- graphs larger than the device (parts.c) -------------------------------------------------------------------- */

/* Arcs of some rows on a device, and entries that say whose they are: two words of 32 bits each, a row, or MG_NO_VERTEX
 * for arcs that nobody asked for, and where its arcs begin. They end where those of the next entry begin; so there is
 * one more than `count`. Long rows have several. */
typedef struct mg_batch {
    mg_buffer neighbors, weights, entries;
    uint32_t count;
    uint64_t arcs;

    /* On this side, until they are sent. */
    uint32_t *entries_here, *neighbors_here;
    void *weights_here;
    uint64_t *places; /* in the graph, of entries that are packed */
    void *sent[3];    /* events: copies under way */
    void *done;       /* … and the work on them */
} mg_batch;

typedef struct mg_parts {
    mg_device *device;
    mg_rows rows;
    size_t weight_bytes;   /* of an arc; 0: they stay here */
    uint64_t room;         /* arcs of a batch */
    uint64_t pack_room;    /* … of which so many may be packed */
    uint64_t entries_room; /* entries of a batch */
    uint64_t count;        /* parts */
    uint64_t *cuts;        /* arcs: part p is [cuts[p], cuts[p + 1]) */
    uint64_t *wanted;      /* arcs of each part that this round asks for */
    mg_batch batches[2];
    uint32_t next; /* batch */
    bool all; /* for comparison (MEGURI_PARTS=paper), the paper's scheme: every part whenever any row is asked for */

    /* Counted. */
    uint64_t ranges, packs, idle; /* parts that went as they are, loads of packed rows, parts that nobody asked for */
    uint64_t sent;                /* bytes since mg_parts_start */
    double copy_seconds;          /* that copies took since then, as far as the work on them is done */
} mg_parts;

/* Rows in parts that fit this share of what is left of the device's memory, half of it each: two are under way, one on
 * its way to the device and one being worked on. Nothing is copied here but packed rows: ranges go straight from where
 * the rows are. Rows that are larger than a batch lie in several parts. */
meguri_status mg_parts_open(mg_parts *out, meguri_ctx *ctx, mg_device *device, const mg_rows *rows, size_t weight_bytes,
                            double share);
void mg_parts_close(mg_parts *parts);

/* Launches what is to be done with a batch. */
typedef meguri_status mg_batch_fn(void *what, meguri_ctx *ctx, const mg_batch *batch);
/* Brings the rows whose bits are set to the device, batch after batch, and has the work on each launched: parts that
 * have nothing of them are left out, parts that have most of them are sent as they are, of others the rows packed. The
 * work may not be done yet when this returns; it is when something that was launched later is. */
meguri_status mg_parts_each(meguri_ctx *ctx, mg_parts *parts, const uint64_t *bits, mg_batch_fn *work, void *what);

/* What a search sent: counted from its start on, and told as facts at its end (parts, sent_bytes, copy_seconds), with
 * what kernels took. */
typedef struct mg_parts_sum {
    uint64_t parts, sent;
    double copy_seconds, kernel_seconds;
} mg_parts_sum;
void mg_parts_start(mg_parts *parts);
/* Bytes and seconds of copies, once all that is under way is done. Those that are not open add nothing. */
meguri_status mg_parts_add(mg_parts_sum *sum, meguri_ctx *ctx, mg_parts *parts);
meguri_status mg_parts_tell(meguri_ctx *ctx, meguri_result *result, const mg_parts_sum *sum);

#endif
