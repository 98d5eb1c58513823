/* Running vertex programs (pregel.h): compiling their files, and running them on a graph. */
#ifndef MEGURI_RUN_H
#define MEGURI_RUN_H

#include <meguri/cluster.h>
#include <meguri/pregel.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- programs out of files -------------------------------------------------------------------------------------- */

typedef struct meguri_program_file meguri_program_file;

typedef struct meguri_compile_options {
    size_t size;             /* sizeof(meguri_compile_options) */
    const char *compiler;    /* with its options, parted by blanks; NULL: $CC, or cc */
    const char *include;     /* the folder that has meguri/pregel.h; NULL: that of this library */
    const char *cache;       /* the folder for what was compiled; NULL: $XDG_CACHE_HOME/meguri/programs, or
                                ~/.cache/meguri/programs. It must be this user's, with mode 0700, on a path
                                that no other user can change: else the log is warned, and what is compiled is not
                                kept */
    meguri_cluster *cluster; /* all its processes call this: a failure at one is one at all, and so is another program
                                than the others have; NULL: this process alone */
} meguri_compile_options;
void meguri_compile_options_init(meguri_compile_options *options, size_t size);

/* The programs of a file: C, which is compiled unless the same text was before, or a shared object (.so) that was
 * compiled already. MEGURI_BAD_INPUT and the compiler's own words where it is no program; MEGURI_BAD_INPUT, too, where
 * it was made for another version of pregel.h. */
meguri_status meguri_program_open(meguri_program_file **out, meguri_ctx *ctx, const char *path,
                                  const meguri_compile_options *options);
const meguri_program_list *meguri_program_file_list(const meguri_program_file *file);
void meguri_program_close(meguri_program_file *file);

/* ---- runs ------------------------------------------------------------------------------------------------------- */

/* How messages reach their receivers (paper P4; docs/vertex-programs.md). Results do not depend on it. */
typedef enum meguri_delivery {
    MEGURI_DELIVERY_AUTO = 0,         /* chosen in each superstep */
    MEGURI_DELIVERY_NORMAL = 1,       /* each message on its own, sorted by receiver */
    MEGURI_DELIVERY_COMBINE = 2,      /* the same, combined before they are sent */
    MEGURI_DELIVERY_SENDALL = 3,      /* once for each worker, with a bit for each vertex of the graph */
    MEGURI_DELIVERY_SENDALL_SOPT = 4, /* the same; normal where fewer than a fifth of the vertices send */
    MEGURI_DELIVERY_GHOST = 5,        /* once for each worker, with bits for those alone that it reads from */
    MEGURI_DELIVERY_LIST = 6,  /* once for each worker that reads it, as a list; receivers are woken along edges */
    MEGURI_DELIVERY_MIRROR = 7 /* hubs as ghost, all others as normal */
} meguri_delivery;
const char *meguri_delivery_name(meguri_delivery delivery);

/* Where a run is. The library writes it and never reads it: a handler of signals can tell whose program crashed. */
typedef struct meguri_run_place {
    const char *volatile program; /* whose functions are running: compute, hooks, combiner; NULL: nobody's */
    volatile uint64_t superstep;
    /* Each may be NULL. Called once such a function has returned, and before the library does anything else. */
    void (*returned)(const struct meguri_run_place *place);
    /* Called in a thread that ends (pthread_exit) inside such a function, which the run cannot survive: it would wait
     * for this thread forever. It must not return. */
    void (*thread_ended)(const struct meguri_run_place *place);
} meguri_run_place;

typedef struct meguri_run_options {
    size_t size; /* sizeof(meguri_run_options) */
    meguri_delivery delivery;
    uint32_t workers; /* logical ones, each a thread of this process, at most 256; 0: one, which has all threads */
    meguri_cluster *cluster; /* its processes are the workers, and all of them call this with the same graph, whole; of
                                a graph in parts it is known */
    uint64_t max_supersteps; /* of each program: one that would go on is a failure; 0: no limit */
    int argc;                /* for the programs */
    const char *const *argv;
    meguri_run_place *place; /* NULL: nobody wants to know */
    const char *checkpoint;  /* a folder, which is made: what all vertices are is kept there; NULL: no checkpoints */
    uint64_t every;          /* … after so many supersteps, again and again; 0: 10 */
    const char *resume;      /* such a folder: goes on from there, with any number of workers; NULL: from the beginning.
                                MEGURI_BAD_INPUT where it is of another graph, other programs or arguments */
    const meguri_program_file *file; /* that the programs are of: checkpoints are of its text and its compiler, too;
                                        NULL: of names and types alone */
} meguri_run_options;
void meguri_run_options_init(meguri_run_options *options, size_t size);

/* Runs the programs one after another. Vertices belong to worker p mod W, p their position. A graph that lies in parts
 * (opened with `programs` of meguri_layout, where its columns and its order matter) belongs to the processes that its
 * owners say, each of which has the rows of its own vertices; all of them call this, and results are in parts. Columns
 * are those that the programs name. Facts, of all programs: `supersteps`; `computed` (calls of compute), `messages` (as
 * programs sent them), `delivered` (after combining, or once for each worker), `model_bytes` (in the accounting of
 * paper P4: ids of 8 bytes, workers' messages to themselves included, no padding) and of it `model_bytes_ids`,
 * `…_values`, `…_bits`, `…_questions`, `bytes` (sent over the network, everything) and of it `bytes_messages`,
 * `…_sendall`, `…_questions`, `…_control`, `workers`, `memory_rows`, `memory_masks`, `memory_ghosts` (bytes that
 * delivery along in-edges needs at all workers), `most_row_bytes` (of rows that are a worker's own, at the one that has
 * most), `seconds` and, of the worker that took longest, `seconds_compute`, `seconds_before`, `seconds_communication`,
 * `seconds_after` (figure 18 of the paper), `engine`. The same bits at any number of workers and threads and for any
 * delivery, where programs do not depend on the order of out-edges or on unordered floating-point folds of their own.
 */
meguri_status meguri_run(meguri_result **out, meguri_ctx *ctx, const meguri_graph *graph,
                         const meguri_program_list *programs, const meguri_run_options *options);

#ifdef __cplusplus
}
#endif
#endif
