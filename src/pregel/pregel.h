/* pregel: vertex programs and the delivery of their messages (paper P4; Malewicz et al., SIGMOD 2010).
 *
 *   run.c        the front: options, result, one program after another
 *   loop.c       the supersteps of a program: compute, add up, hook, deliver, trace; the same for any number of workers
 *   compute.c    threads that take vertices, and what these collect; what a program did wrong
 *   hooks.c      what a program does between supersteps
 *   place.c      where a run is, for who looks at it
 *   deliver.c    how messages are delivered: as was asked for, or as the policy has it
 *   parts.c      rows of a graph that lies in parts
 *   rows.c       what a worker knows of the graph: in-rows whose ends are slots, who of its vertices others read
 *   pull.c       messages to all neighbours: bits and a message for each sender (SendAll, ghosts, lists)
 *   inbox.c      messages to one vertex, and those to all neighbours one by one: sorted by receiver (normal, combined)
 *   folded.c     messages to all neighbours, combined in tiles before they are read
 *   totals.c     aggregators
 *   asked.c      questions to vertices, and answers
 *   checkpoint.c a run that ended too early goes on
 *   identity.c   … if graph, program and arguments are those that it was begun with
 *   compile.c    programs out of files
 *   program_text.c  whether ranks have the same program
 *
 * A vertex has a number n: it belongs to worker n mod W, and has the place n / W there. Numbers are positions, as paper
 * P4 has it, or, where a graph lies in parts, what its owners were chosen by. Of a single worker that has the graph
 * whole the place is the internal number, so that what hubs have lies together.
 *
 * Invariant: whichever way messages come, a vertex reads them by increasing source: by position, or, where a program
 * says that any order will do, by internal number. In-rows are in this order, inboxes are sorted by receiver and
 * source, and where both are read they are merged. So sums are the same bits at any number of workers and threads. */
#ifndef MG_PREGEL_H
#define MG_PREGEL_H

#include "shards/shards.h"

#include <meguri/run.h>

#define MG_PREGEL_WORKERS  256
#define MG_PREGEL_MEASURED 10000 /* messages whose delivery takes long enough to be told from the clock's own */

typedef struct mg_pregel_parts mg_pregel_parts;

/* Programs out of a file, and hashes of what they were made of (compile.c); 0: not known. */
struct meguri_program_file {
    void *handle;
    const meguri_program_list *list;
    uint64_t text, compiler;
};

/* What a checkpoint is of, in the order in which differences are told (identity.c). */
enum {
    MG_IDENTITY_SHAPE,
    MG_IDENTITY_ARCS,
    MG_IDENTITY_WEIGHTS,
    MG_IDENTITY_EDGE_COLUMNS,
    MG_IDENTITY_VERTEX_COLUMNS,
    MG_IDENTITY_IDS,
    MG_IDENTITY_ORDER,
    MG_IDENTITY_ABI,
    MG_IDENTITY_PROGRAMS,
    MG_IDENTITY_TEXT,
    MG_IDENTITY_COMPILER,
    MG_IDENTITY_ARGUMENTS,
    MG_IDENTITY_COUNT
};
typedef struct mg_identity {
    uint64_t item[MG_IDENTITY_COUNT]; /* 0: not known */
} mg_identity;

/* What all workers of this process share. */
typedef struct mg_run {
    meguri_ctx *ctx; /* of the caller: trace, progress */
    const meguri_graph *graph;
    const meguri_program_list *programs;
    meguri_run_options options;
    meguri_result *result;
    char **values; /* of each program with columns, by position (from the first of this home on); the result's */
    bool shared;   /* workers are threads: each writes its part of these */
    mg_pregel_parts *parts; /* NULL: the graph is whole */
    bool watched;           /* `inside` is there */
    pthread_key_t inside;   /* not NULL in threads that are in a function of a program: its destructor tells of those
                               that end there */
    struct {
        const void *values; /* of all out-arcs, as the program reads them */
        void *owned;
    } * edges; /* of each program */
} mg_run;

enum { MG_SPLIT_COMPUTE, MG_SPLIT_BEFORE, MG_SPLIT_COMMUNICATION, MG_SPLIT_AFTER, MG_SPLIT_COUNT };

/* Bytes in the accounting of paper P4: ids of 8 bytes each, values of messages, bits; questions with their answers. */
enum { MG_MODEL_IDS, MG_MODEL_VALUES, MG_MODEL_BITS, MG_MODEL_QUESTIONS, MG_MODEL_COUNT };
/* Bytes on the network: messages one by one; one for all neighbours, with the bits or lists that name the senders;
 * questions and answers; sums, lengths and agreements. */
enum { MG_WIRE_MESSAGES, MG_WIRE_SENDALL, MG_WIRE_QUESTIONS, MG_WIRE_CONTROL, MG_WIRE_COUNT };

/* What is counted, in a superstep or in all of them. */
typedef struct mg_pregel_counts {
    uint64_t supersteps, computed, messages, delivered;
    uint64_t model_bits[MG_MODEL_COUNT];
    uint64_t bytes[MG_WIRE_COUNT];
    double seconds, split[MG_SPLIT_COUNT];
} mg_pregel_counts;
extern const char *const mg_split_names[MG_SPLIT_COUNT], *const mg_model_names[MG_MODEL_COUNT],
                                                             *const mg_wire_names[MG_WIRE_COUNT];

/* Memory that delivery along in-edges needs (section 3.2 of the paper): in-edges; bits about vertices, of readers and
 * of senders; ghosts, with their messages. */
enum { MG_MEMORY_ROWS, MG_MEMORY_MASKS, MG_MEMORY_GHOSTS, MG_MEMORY_COUNT };

/* folded.c: the arcs in tiles, and what comes of a superstep's messages. */
typedef struct mg_pregel_fold {
    uint64_t dense; /* supersteps in which all have sent, so far */
    bool tried;     /* tiles were made, or there was no memory for them */
    uint64_t *groups, group_count;
    mg_row_tiles tiles;
    uint64_t columns; /* sources */
    uint32_t *order;  /* their slots in the order of messages; NULL: that is the order of slots */
    char *ordered;    /* messages in this order */
    uint32_t *places; /* of rows in this order */
    char *by_place;   /* what came of them */
    char *folded;     /* for each vertex its messages combined */
    uint8_t *begun;   /* whether there is something yet */
    uint32_t *group_done;
} mg_pregel_fold;

struct mg_manifest;
typedef struct mg_pregel_worker {
    mg_run *run;
    meguri_ctx *ctx;
    meguri_cluster *cluster; /* NULL: there is one worker */
    uint64_t me, workers;
    uint64_t count, words; /* vertices of this worker, and words of bits for them */
    uint64_t block;        /* places that every worker has at most, in whole words: of bits by worker */
    const meguri_program *program;
    uint32_t number;        /* of the program */
    mg_numbering numbering; /* between positions and the rows of the graph */
    mg_numbering order;     /* between positions and the order of messages, where a program takes any */
    const uint32_t *numbers, *own_positions; /* by position, and by place; NULL: see above */
    mg_rows out;

    /* rows.c */
    meguri_span span;
    uint64_t row_bytes, most_row_bytes; /* of out- and in-rows that are this worker's own; of any program so far */
    void *owned[8];                     /* what rows.c has made */
    uint32_t owned_count;
    bool as_it_lies; /* in-rows are those of the graph */
    uint64_t ghosts;
    uint64_t *ghost_bits;  /* by worker: whom this one reads from; NULL where there is one worker */
    uint32_t *ghost_ranks; /* members before each word */
    uint64_t *readers;     /* workers × block: which vertices of this worker each of them reads */
    uint64_t *reader_counts;
    uint64_t sources;       /* vertices of all workers that have out-edges */
    uint64_t *listeners;    /* bits: vertices of this worker that have in-edges */
    uint32_t *first;        /* slots of the first in-edge of each vertex; NULL: nobody looks for them */
    double reading_row;     /* in-edges of a vertex that an edge leads to, on average over all edges */
    uint64_t *back_offsets; /* of slots: who reads them here; made when first needed */
    uint32_t *back_ends;
    uint64_t memory[MG_MEMORY_COUNT], most_memory[MG_MEMORY_COUNT]; /* bytes, of this program; of any so far */

    /* State of the vertices; what they send and what they read change places. */
    char *values;
    uint64_t *halted, *done, *awake;
    uint64_t *sent, *seen; /* bits of senders: of this superstep; of the last, for vertices and ghosts */
    char *send, *read;     /* their messages */
    uint64_t *packed_bits; /* as they came from the workers, in the form of the paper */
    uint32_t *packed_ranks;
    char *packed;

    mg_pregel_fold fold;

    /* inbox.c */
    uint64_t *keys;
    char *parcels;
    uint64_t parcel_count;

    meguri_tally *tallies; /* one for each thread */
    int threads;
    meguri_total *totals; /* of all */
    double *reals;
    int64_t *wholes;
    void **owns;
    uint32_t *asked;
    uint64_t asked_count;
    char *answers;
    void *globals;
    char *left; /* values of the program before */
    uint32_t left_bytes;

    mg_identity identity;          /* for checkpoints */
    struct mg_manifest *manifest;  /* of the checkpoint to resume from; NULL: from the beginning */
    uint64_t saved, saved_workers; /* the generation of the last checkpoint, and its parts */
    int way;                       /* of receiving, in the superstep to come */
    meguri_delivery delivery;      /* that was chosen last */
    mg_pregel_counts step, all;    /* of this worker */
    mg_delivery_costs costs;       /* as measured so far (policy.h) */
    double missed;                 /* nanoseconds that wakes would have saved (policy.h) */
    bool folded;                   /* messages were combined in tiles */
    uint64_t active, sent_arcs, senders, singles, questions; /* of all workers, in the last superstep */
    uint64_t waiting;                                        /* vertices with in-edges that are not done */
    bool traced;                                             /* somebody writes a trace */
} mg_pregel_worker;

/* ---- rows.c ----------------------------------------------------------------------------------------------------- */

/* The worker's view of the graph for w->program; `packed`: slots are places in the bits of all workers. */
meguri_status mg_pregel_rows(mg_pregel_worker *w, bool packed);
void mg_pregel_rows_free(mg_pregel_worker *w);
/* Who reads each slot here. */
meguri_status mg_pregel_back_rows(mg_pregel_worker *w);
static inline uint32_t mg_pregel_position(const mg_pregel_worker *w, uint64_t place) {
    if (w->own_positions) return w->own_positions[place];
    if (w->workers > 1) return (uint32_t)(place * w->workers + w->me);
    return mg_to_user(&w->numbering, (uint32_t)place);
}
static inline uint32_t mg_pregel_number(const mg_pregel_worker *w, uint32_t position) {
    return w->numbers ? w->numbers[position] : position;
}
static inline uint64_t mg_pregel_owner(const mg_pregel_worker *w, uint32_t position) {
    return w->workers > 1 ? mg_pregel_number(w, position) % w->workers : 0;
}
/* Of a vertex at the worker that has it. */
static inline uint64_t mg_pregel_place(const mg_pregel_worker *w, uint32_t position) {
    return w->workers > 1 ? mg_pregel_number(w, position) / w->workers : mg_to_internal(&w->numbering, position);
}
/* In w->out, and in the in-rows that a worker begins with. */
static inline uint32_t mg_pregel_row(const mg_pregel_worker *w, uint64_t place) {
    if (w->workers == 1 || w->run->parts) return (uint32_t)place;
    return mg_to_internal(&w->numbering, mg_pregel_position(w, place));
}

/* ---- deliveries ------------------------------------------------------------------------------------------------- */

/* pull.c: from the senders whose bits are in `sent` to all who read them; then w->way reads along in-edges. `wakes`:
 * only those look whom senders wake. */
meguri_status mg_pregel_pull(mg_pregel_worker *w, meguri_delivery how, bool wakes);
/* inbox.c: each message on its own: those to one vertex, and of the senders in `sent` those to all neighbours. */
meguri_status mg_pregel_inbox(mg_pregel_worker *w, const uint64_t *sent, bool combine);
void mg_pregel_inbox_free(mg_pregel_worker *w);
/* folded.c: all messages of a superstep in which all have sent, combined, if that pays. */
meguri_status mg_pregel_fold_all(mg_pregel_worker *w, bool *folded);
void mg_pregel_fold_free(mg_pregel_fold *fold);

/* ---- totals.c, asked.c ------------------------------------------------------------------------------------------ */

meguri_status mg_totals_new(mg_pregel_worker *w);
void mg_totals_free(mg_pregel_worker *w);
/* Within a thread: digits of sums that have run over are carried. */
void mg_totals_carry(meguri_total *totals, uint32_t count);
/* What all threads of all workers have added up becomes what the next superstep reads. */
meguri_status mg_totals_collect(mg_pregel_worker *w);
/* A sum as meguri_exact_add makes it, rounded to the nearest double. */
double mg_exact_round(int64_t *sum);

/* Questions of all threads, each once, answered by the workers that have the vertices. */
meguri_status mg_pregel_ask(mg_pregel_worker *w);

/* ---- compute.c, hooks.c, deliver.c ------------------------------------------------------------------------------ */

/* One tally for each thread. */
meguri_status mg_pregel_tallies_new(mg_pregel_worker *w);
void mg_pregel_tallies_free(mg_pregel_worker *w);
/* All vertices that are awake compute. */
meguri_status mg_pregel_compute(mg_pregel_worker *w);
/* All workers have agreed that this superstep failed with `status`: the first fault of all of them gets its sentence.
 */
meguri_status mg_pregel_explain(mg_pregel_worker *w, meguri_status status);
/* The hook before the first superstep, or that between two. */
meguri_status mg_pregel_hook(mg_pregel_worker *w, bool first, bool *stop);
/* What was sent in this superstep is there to be read in the next. */
meguri_status mg_pregel_deliver(mg_pregel_worker *w);

/* ---- program_text.c --------------------------------------------------------------------------------------------- */

/* What a rank sees of a program in C: `text` is an open file with what the compiler's first pass makes of it. */
meguri_status mg_program_text(mg_seen *out, meguri_ctx *ctx, const char *path, int text);

/* ---- loop.c ----------------------------------------------------------------------------------------------------- */

/* One program from its first superstep to its last. */
meguri_status mg_pregel_loop(mg_pregel_worker *w);
/* place.c: before and after a run whose place somebody looks at. */
meguri_status mg_pregel_watch(mg_run *run);
void mg_pregel_unwatch(mg_run *run);
/* Around every call of what the program's author has written: who looks at the place of a run knows whose code it is
 * in. Workers that are threads share the place, and one that leaves does not speak for the others. */
void mg_pregel_enter(const mg_pregel_worker *w);
void mg_pregel_leave(const mg_pregel_worker *w);
/* The same around what a thread of a loop does: whether that thread is in the program's functions (see thread_ended).
 */
static inline void mg_pregel_thread_enters(const mg_pregel_worker *w) {
    if (w->run->watched) pthread_setspecific(w->run->inside, w->run);
}
static inline void mg_pregel_thread_leaves(const mg_pregel_worker *w) {
    if (w->run->watched) pthread_setspecific(w->run->inside, NULL);
}
/* Time goes to one of the four parts of a superstep. */
static inline void mg_pregel_spent(mg_pregel_worker *w, int part, double *since) {
    double now = mg_now();
    w->step.split[part] += now - *since;
    *since = now;
}
/* What this worker has sent since this was `since` is of one kind; what is no bulk is counted as control. */
static inline void mg_pregel_sent(mg_pregel_worker *w, int kind, uint64_t *since) {
    uint64_t now = w->cluster ? w->cluster->traffic[MG_TRAFFIC_BULK].bytes : 0;
    if (kind >= 0) w->step.bytes[kind] += now - *since;
    *since = now;
}
/* A failure at one worker is one at all. */
static inline meguri_status mg_pregel_agree(mg_pregel_worker *w, meguri_status status) {
    return w->cluster ? mg_agree(w->ctx, w->cluster, status) : status;
}

#endif
