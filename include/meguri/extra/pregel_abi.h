/* What a vertex program and the library that runs it hand each other: what a program is, and what its kernels are
 * given. A program includes pregel.h, which has the rest. */
#ifndef MEGURI_PREGEL_ABI_H
#define MEGURI_PREGEL_ABI_H

#include <meguri/columns.h>
#include <meguri/result.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MEGURI_PREGEL_ABI 5

/* No vertex, among vertices that are uint32_t: those of programs, and of Graph500's lists. */
#define MEGURI_NO_VERTEX32 UINT32_MAX

/* In place of a type: vertices, edges or messages have no value. */
typedef struct meguri_none {
    char unused;
} meguri_none;

/* ---- sums that do not depend on their order --------------------------------------------------------------------- */

/* A double is a whole number of the smallest ones, 2^-1074 each: sums are kept as such numbers, in digits of 32 bits
 * that may run over, and rounded once. So a sum over all vertices is the same bits at any number of threads and
 * workers. The last three count what is no such number: +inf, -inf, NaN. */
#define MEGURI_EXACT_DIGITS 68
#define MEGURI_EXACT        (MEGURI_EXACT_DIGITS + 3)

/* ---- what a program is ------------------------------------------------------------------------------------------ */

/* What vertices may add up over a superstep; all see the outcome in the next one, and so does the hook in between. */
typedef enum meguri_aggregate_kind {
    MEGURI_SUM_REAL = 1, /* double: exact, rounded once */
    MEGURI_LEAST_REAL = 2,
    MEGURI_MOST_REAL = 3,
    MEGURI_SUM_WHOLE = 4, /* int64_t */
    MEGURI_LEAST_WHOLE = 5,
    MEGURI_MOST_WHOLE = 6,
    MEGURI_OWN = 7 /* `bytes` of the program's own, folded by a function of its own: in any order, any grouping */
} meguri_aggregate_kind;

typedef struct meguri_aggregator {
    const char *name;
    meguri_aggregate_kind kind;
    uint32_t bytes;                                             /* MEGURI_OWN */
    const void *identity;                                       /* MEGURI_OWN: what is folded into first; NULL: zeros */
    void (*fold)(void *mine, const void *more, uint64_t count); /* MEGURI_OWN: of `count` items (it is 1) */
} meguri_aggregator;

/* A column of the result: a number in the value of a vertex. */
typedef struct meguri_output {
    const char *name;
    meguri_type type;
    uint32_t offset; /* in the value */
} meguri_output;

/* What a hook sees, and may do. */
typedef struct meguri_master meguri_master;
struct meguri_master {
    uint64_t superstep; /* that comes next */
    uint64_t vertices, edges;
    uint64_t active;   /* vertices that have not halted */
    uint64_t messages; /* sent in the last superstep */
    int stop;          /* set it to end the program here */
    char error[256];   /* write a sentence into it to end the run with a failure */
    void *library;
    /* The vertex that has an id, as it is written; 0 if there is none. */
    int (*find)(meguri_master *master, const char *id, uint32_t *vertex);
    double (*real)(const meguri_master *master, uint32_t aggregator);
    int64_t (*whole)(const meguri_master *master, uint32_t aggregator);
    const void *(*own)(const meguri_master *master, uint32_t aggregator);
};

typedef struct meguri_span meguri_span;
typedef struct meguri_tally meguri_tally;

/* The ways of receiving; a kernel for each. */
enum {
    MEGURI_READ_NOTHING, /* nobody sent anything */
    MEGURI_READ_EVERY,   /* along in-edges; all sources have sent */
    MEGURI_READ_SOME,    /* along in-edges; a bit says who has */
    MEGURI_READ_PACKED,  /* the same, and messages lie without gaps (paper P4, figure 5) */
    MEGURI_READ_INBOX,   /* sorted by receiver */
    MEGURI_READ_BOTH,    /* an inbox, and along in-edges */
    MEGURI_READ_FOLDED,  /* all sources have sent, and it is combined already */
    MEGURI_READ_WAYS
};
struct meguri_tile;
typedef void meguri_kernel(const meguri_span *span, meguri_tally *tally, uint64_t first_word, uint64_t end_word);

typedef struct meguri_program {
    uint32_t abi, size; /* MEGURI_PREGEL_ABI, sizeof(meguri_program) */
    const char *name;
    uint32_t value_bytes, message_bytes; /* 0: none */
    uint32_t edge_type;                  /* meguri_type; 0: none */
    uint32_t parcel_bytes, parcel_edge;  /* a message on its way, with the value of its edge at that place */
    meguri_kernel *kernels[MEGURI_READ_WAYS];
    /* From here on what MEGURI_PROGRAM may be given. */
    const char *edge_column; /* the column of the graph that edge values are; NULL: the weight, 1 where there is none */
    int any_order; /* messages may come in the graph's own order, which suits searches; else by increasing source */
    uint64_t max_supersteps; /* 0: no limit of its own */
    const meguri_output *outputs;
    uint32_t output_count;
    uint32_t aggregator_count;
    const meguri_aggregator *aggregators;
    uint32_t globals_bytes; /* what all vertices can read and hooks write; zeros at first */
    uint32_t answer_bytes;
    /* Before the first superstep, with the arguments of the command line; not 0 ends the run (see error). */
    int (*begin)(meguri_master *master, void *globals, int argc, const char *const *argv);
    /* Between supersteps. */
    void (*between)(meguri_master *master, void *globals);
    /* MEGURI_COMBINES, MEGURI_RESPONDS. */
    uint64_t (*combine)(uint64_t *keys, void *parcels, uint64_t count, uint32_t shift);
    void (*fold)(void *sums, uint8_t *begun, const void *messages, const struct meguri_tile *tile);
    void (*respond)(const void *values, const uint32_t *vertices, uint64_t count, void *answers);
} meguri_program;

/* A program that may be a search, for which first in-edges lie together: known when it is compiled. */
#define MEGURI_SEARCHES(program) ((program).any_order && !(program).combine)

/* What a program's file has under the name meguri_programs: they run one after another. */
typedef struct meguri_program_list {
    uint32_t abi, size;
    uint32_t count;
    const meguri_program *const *programs;
} meguri_program_list;

/* ---- between library and kernels -------------------------------------------------------------------------------- */

/* Rows; the last ones, from `rows` on, are empty. */
typedef struct meguri_span_rows {
    const void *offsets;
    uint32_t wide; /* offsets have 64 bits, else 32 */
    uint64_t rows, arcs;
    const uint32_t *ends;
    const void *values; /* of the edges */
} meguri_span_rows;

/* Some in-arcs of some rows, for a combiner. The part of a row that is here is a piece; pieces of one length follow
 * each other: their length, their number, and the row of each; at the end a zero. */
typedef struct meguri_tile {
    const uint16_t *pieces;
    const void *columns; /* slots of the sources of all pieces: 16 bits from `first` on, or 32 where it is `wide` */
    uint64_t first;
    int wide;
} meguri_tile;
#define MEGURI_TILE_AHEAD 64 /* columns that are fetched ahead where it is wide; there are as many behind the last */

/* All that kernels read, the same for all threads in a superstep. A vertex is a place among those of its worker here;
 * the other end of an in-edge is a slot. */
struct meguri_span {
    uint64_t superstep, vertices, edges;
    uint64_t count; /* vertices of this worker */
    uint32_t worker, workers;
    void *values;
    const void *left; /* values of the program before */
    uint32_t left_bytes;
    const void *globals;
    const double *reals; /* aggregated in the last superstep */
    const int64_t *wholes;
    const void *const *owns;
    /* A bit for each vertex. */
    uint64_t *halted, *done;
    const uint64_t *listeners; /* have in-edges */
    const uint64_t *awake;     /* by a message; NULL: whoever has halted looks for one itself */
    int probe;
    /* Rows. */
    meguri_span_rows in, out;
    const uint32_t *row_of;       /* of a vertex in the out-rows; NULL: the same */
    const uint32_t *out_position; /* of an end of the out-rows; NULL: the same */
    const uint32_t *positions;    /* of slots, vertices first; NULL: worker + place * workers */
    uint32_t block;               /* PACKED: slots of a worker, one after another; else 0 */
    /* What was sent to all neighbours in the last superstep. */
    const uint64_t *bits;  /* of slots; NULL: all */
    const uint32_t *first; /* MEGURI_SEARCHES: slots of the first in-edges of vertices that have any */
    const uint32_t *ranks;
    const void *messages;
    const void *folded; /* for each vertex, combined */
    /* What was sent otherwise: keys are receiver << shift | order of the source. */
    const uint64_t *keys;
    const void *parcels;
    uint64_t parcel_count;
    uint32_t shift;
    const uint32_t *key_of_position, *position_of_key; /* NULL: the same */
    /* What is sent in this one. */
    uint64_t *sent;
    void *send;
    /* Answers of the last one, by increasing vertex. */
    const uint32_t *asked;
    uint64_t asked_count;
    const void *answers;
};

/* What a thread counts and collects. */
typedef struct meguri_total {
    meguri_aggregate_kind kind;
    union {
        double real;
        int64_t whole;
        void *own;
    } of;
    int64_t sum[MEGURI_EXACT];
    void (*fold)(void *mine, const void *more, uint64_t count);
} meguri_total;

enum { MEGURI_FAULT_NONE, MEGURI_FAULT_MISSING, MEGURI_FAULT_TOTAL, MEGURI_FAULT_OWN, MEGURI_FAULT_MEMORY };
struct meguri_tally {
    uint64_t ran, active;   /* computed; have not halted */
    uint64_t senders, arcs; /* that sent to all, and have neighbours; these */
    uint64_t singles;       /* messages to one vertex */
    uint64_t rows;          /* in-edges of those that computed, where these look along them */
    uint64_t *keys;         /* receiver << 32 | order of the source */
    char *parcels;
    uint64_t parcel_count, parcel_room;
    uint32_t *questions;
    uint64_t question_count, question_room;
    int (*more_parcels)(meguri_tally *tally); /* 0: there is no memory */
    int (*more_questions)(meguri_tally *tally);
    void *library;
    meguri_total *totals;
    uint32_t total_count;
    int fault; /* the first */
    uint32_t fault_vertex;
    uint64_t fault_number;
    char fault_text[256];
};

#ifdef __cplusplus
}
#endif
#endif
